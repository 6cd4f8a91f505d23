//! The recursive search: principal variation search over forced replies, threats and quiet moves.

use super::params::{self, LEAF_VCF_MOVES, LEAF_VCF_NODES};
use super::picker::{Picker, is_quiet};
use super::{Control, MAX_PLY, Worker};
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::threat::vcf::Verdict;
use crate::tt::{Bound, Entry};
use crate::types::score::{self, DRAW, loss_in, win_in};
use crate::types::{Point, Score};

use smallvec::SmallVec;

impl<C: Control> Worker<'_, C> {
    #[allow(clippy::too_many_lines, reason = "one step after another, each titled")]
    /// The score of the position for the side to move, within `(alpha, beta)` exact, outside a bound.
    /// `pv` tells whether an exact score is wanted. Zero when stopped.
    pub(super) fn negamax(
        &mut self,
        pv: bool,
        depth: i32,
        mut alpha: Score,
        mut beta: Score,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        self.frames[ply].line.clear();
        self.selective_depth = self.selective_depth.max(ply);
        let distance = i32::try_from(ply).unwrap_or(i32::MAX);
        let side = self.board.side();

        if self.should_stop() {
            return DRAW;
        }
        // A five ends the game.
        if let Some(five) = self.board.points_with(side, Threat::Five).first() {
            self.frames[ply].line.push(five);
            return win_in(distance + 1);
        }
        if self.board.empty().is_empty() {
            return DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluation.score(self.board);
        }
        // A shorter win is already known.
        alpha = alpha.max(loss_in(distance + 2));
        beta = beta.min(win_in(distance + 1));
        if alpha >= beta {
            return alpha;
        }
        // The opponent's five must be stopped. The reply is forced, so it costs no depth.
        if self.board.count(!side, Threat::Five) > 0 {
            return self.answer_five(pv, depth, alpha, beta, ply, cut_node);
        }
        // A straight four, or two fours at once, cannot be stopped by an opponent without a five.
        // (Under caro rules one stone may stop two fours on different lines.)
        for threat in [Threat::OpenFour, Threat::DoubleFour] {
            if threat == Threat::DoubleFour && self.board.rule().closed_five_is_nothing() {
                continue;
            }
            if let Some(point) = self.board.points_with(side, threat).first() {
                self.frames[ply].line.push(point);
                return win_in(distance + 3);
            }
        }

        let hash = self.board.hash();
        let entry = self.table.probe(hash);
        if let Some(entry) = entry
            && !pv
            && entry.depth >= depth
        {
            let value = score::from_table(entry.score, distance);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cuts {
                return value;
            }
        }

        let threatened = movegen::threatens_open_four(self.board, !side);
        let eval = match entry {
            Some(entry) => entry.eval,
            None => self.evaluation.score(self.board),
        };
        self.frames[ply].eval = (!threatened).then_some(eval);

        if depth <= 0 {
            return self.leaf(eval, threatened, beta, ply);
        }
        let improving =
            ply >= 2 && !threatened && self.frames[ply - 2].eval.is_none_or(|before| eval > before);

        if !pv && !threatened && !score::is_decisive(beta) && !score::is_decisive(alpha) {
            // Far below alpha with little depth left: only fours could help.
            if depth <= params::RAZOR_DEPTH && eval + params::razor_margin(depth) <= alpha {
                return self.leaf(eval, threatened, beta, ply);
            }
            // Far above beta, and nothing of the opponent's needs an answer.
            if depth <= params::REVERSE_FUTILITY_DEPTH
                && eval - params::reverse_futility_margin(depth, improving) >= beta
            {
                return eval;
            }
        }
        // A proof by fours makes the rest of the node unnecessary.
        if (entry.is_none() || depth >= 4)
            && let Some(win) = self.vcf_score(LEAF_VCF_NODES, LEAF_VCF_MOVES, ply)
        {
            self.remember(hash, win, eval, depth.max(1), Bound::Lower, None, distance);
            return win;
        }

        let table_move = entry.and_then(|entry| entry.best);
        let depth = if table_move.is_none() && depth >= 5 && !threatened {
            depth - 1
        } else {
            depth
        };
        self.search_moves(
            pv, depth, alpha, beta, ply, cut_node, table_move, eval, improving,
        )
    }

    /// Tries the moves of the node in order.
    #[allow(
        clippy::too_many_arguments,
        clippy::too_many_lines,
        reason = "the state of one node, split off for length"
    )]
    fn search_moves(
        &mut self,
        pv: bool,
        depth: i32,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        cut_node: bool,
        table_move: Option<Point>,
        eval: Score,
        improving: bool,
    ) -> Score {
        let side = self.board.side();
        let distance = i32::try_from(ply).unwrap_or(i32::MAX);
        let hash = self.board.hash();
        let previous = self.board.last_move();
        let threatened = self.frames[ply].eval.is_none();
        let original_alpha = alpha;
        let mut picker = Picker::new(
            self.board,
            self.history,
            table_move,
            self.frames[ply].killers,
        );
        let mut best = -score::INFINITE;
        let mut best_move = None;
        let mut count = 0;
        let mut skipped = false;
        let mut tried: SmallVec<[Point; 32]> = SmallVec::new();
        while let Some(point) = picker.next() {
            if !is_legal(self.board, point, side) {
                continue;
            }
            count += 1;
            let own = self.board.threat(point, side);
            let theirs = self.board.threat(point, !side);
            let quiet = is_quiet(own, theirs) && !threatened;
            if !pv && quiet && !score::is_loss(best) && Some(point) != table_move {
                // Late quiet moves at low depth.
                if count > params::move_count_limit(depth, improving) {
                    skipped = true;
                    continue;
                }
                let left = depth - params::reduction(depth, count) / 1024;
                if left <= params::FUTILITY_DEPTH
                    && eval + params::futility_margin(left.max(0)) <= alpha
                {
                    skipped = true;
                    continue;
                }
            }
            let before = self.evaluation;
            self.play(point);
            let next_depth = depth - 1;
            let mut value = 0;
            let mut full = count == 1;
            if !full {
                let mut reduced = 0;
                if depth >= 3 && count > 2 + i32::from(pv) && own < Threat::Four && !threatened {
                    let mut plies = params::reduction(depth, count);
                    if !quiet {
                        plies -= 1024;
                    }
                    if cut_node {
                        plies += 900;
                    }
                    if pv {
                        plies -= 900;
                    }
                    if !improving {
                        plies += 400;
                    }
                    plies -= self.history.value(side, point) / 6;
                    reduced = (plies / 1024).clamp(0, next_depth.max(1) - 1);
                }
                value = -self.negamax(
                    false,
                    next_depth - reduced,
                    -alpha - 1,
                    -alpha,
                    ply + 1,
                    true,
                );
                if value > alpha && reduced > 0 {
                    value =
                        -self.negamax(false, next_depth, -alpha - 1, -alpha, ply + 1, !cut_node);
                }
                full = pv && value > alpha;
            }
            if full {
                value = -self.negamax(pv, next_depth, -beta, -alpha, ply + 1, !pv && !cut_node);
            }
            self.board.undo();
            self.evaluation = before;
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(point);
                    alpha = value;
                    self.extend_line(ply, point);
                    if value >= beta {
                        break;
                    }
                }
            }
            if tried.len() < 32 {
                tried.push(point);
            }
        }
        if count == 0 {
            // No move can help (or Black has no legal one).
            return loss_in(distance + 4);
        }
        if best == -score::INFINITE || (skipped && score::is_loss(best)) {
            // A loss is proved only if every move was tried.
            best = best.max(eval.min(alpha));
        }
        if best >= beta
            && let Some(point) = best_move
        {
            self.history.reward(side, depth, previous, point, &tried);
            let killers = &mut self.frames[ply].killers;
            if killers[0] != Some(point) {
                *killers = [Some(point), killers[0]];
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > original_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.remember(
            hash,
            best,
            eval,
            depth,
            bound,
            best_move.or(table_move),
            distance,
        );
        best
    }

    /// The score of a node in which the opponent threatens five.
    fn answer_five(
        &mut self,
        pv: bool,
        depth: i32,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        let side = self.board.side();
        let distance = i32::try_from(ply).unwrap_or(i32::MAX);
        self.frames[ply].eval = None;
        let mut best = loss_in(distance + 2);
        for point in movegen::blocks(self.board, side) {
            if !is_legal(self.board, point, side) {
                continue;
            }
            let before = self.evaluation;
            self.play(point);
            let value = -self.negamax(pv, depth, -beta, -alpha, ply + 1, !pv && !cut_node);
            self.board.undo();
            self.evaluation = before;
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, point);
                }
                if value >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The score of a node without depth left: a win by fours, or the static evaluation.
    fn leaf(&mut self, eval: Score, threatened: bool, beta: Score, ply: usize) -> Score {
        if let Some(win) = self.vcf_score(LEAF_VCF_NODES, LEAF_VCF_MOVES, ply) {
            return win;
        }
        if threatened {
            let side = self.board.side();
            let no_defence = !self.board.rule().closed_five_is_nothing()
                && movegen::defences(self.board, side).is_empty()
                && movegen::fours(self.board, side).is_empty();
            if no_defence {
                return loss_in(i32::try_from(ply).unwrap_or(i32::MAX) + 4);
            }
        }
        // Nothing unproved may look like a mate.
        if score::is_decisive(beta) {
            eval
        } else {
            eval.min(score::EVAL_LIMIT - 1)
        }
    }

    /// The score of a win by fours, if one is found within the budget.
    fn vcf_score(&mut self, nodes: u64, moves: u8, ply: usize) -> Option<Score> {
        let verdict = self.vcf.solve(self.board, moves, nodes);
        self.nodes += self.vcf.nodes();
        let Verdict::Win(line) = verdict else {
            return None;
        };
        let frame = &mut self.frames[ply].line;
        frame.clear();
        frame.extend(line.iter().map_while(|point| *point));
        let plies = i32::try_from(ply + line.len()).unwrap_or(i32::MAX);
        Some(win_in(plies))
    }

    /// Makes `point` and the line behind it the best line of `ply`.
    pub(super) fn extend_line(&mut self, ply: usize, point: Point) {
        let (head, tail) = self.frames.split_at_mut(ply + 1);
        let line = &mut head[ply].line;
        line.clear();
        line.push(point);
        line.extend_from_slice(&tail[0].line);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one entry")]
    pub(super) fn remember(
        &self,
        hash: u64,
        value: Score,
        eval: Score,
        depth: i32,
        bound: Bound,
        best: Option<Point>,
        distance: i32,
    ) {
        let score = score::to_table(value, distance);
        self.table.store(
            hash,
            &Entry {
                score,
                eval,
                depth,
                bound,
                best,
            },
        );
    }
}
