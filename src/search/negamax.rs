//! The recursive search: principal variation search over forced replies, threats and quiet moves.

use smallvec::SmallVec;

use super::params::LEAF_VCF_MOVES;
use super::picker::{FIRST, Picker, is_quiet};
use super::stats::{Counter, tally};
use super::{Control, MAX_PLY, Worker};
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::tt::{Bound, Entry};
use crate::types::score::{self, DRAW, loss_in, win_in};
use crate::types::{Point, Score};

/// What a node is asked: a score within `(alpha, beta)` exactly, outside it a bound.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Whether the node may lie on the principal variation: its window is wider than one point.
    pub(super) pv: bool,
    /// Whether it is expected to exceed beta.
    pub(super) cut: bool,
    /// Plies left.
    pub(super) depth: i32,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// Plies from the root.
    pub(super) ply: usize,
    /// A move that must not be tried: how good is the node without it?
    pub(super) excluded: Option<Point>,
}

impl Node {
    /// The child asked with the whole window.
    const fn child(self, depth: i32) -> Self {
        Self {
            pv: self.pv,
            cut: !self.pv && !self.cut,
            depth,
            alpha: -self.beta,
            beta: -self.alpha,
            ply: self.ply + 1,
            excluded: None,
        }
    }

    /// The child asked only whether it is better than alpha.
    const fn scout(self, depth: i32, cut: bool) -> Self {
        Self {
            pv: false,
            cut,
            depth,
            alpha: -self.alpha - 1,
            beta: -self.alpha,
            ply: self.ply + 1,
            excluded: None,
        }
    }

    /// Whether an evaluation far outside the window may decide the node: not where its exact score or mates are at
    /// stake.
    const fn may_be_cut(self) -> bool {
        let mates = score::is_settled(self.alpha) || score::is_settled(self.beta);
        !self.pv && !mates && self.excluded.is_none()
    }

    fn distance(self) -> i32 {
        i32::try_from(self.ply).unwrap_or(i32::MAX)
    }
}

/// What is known of a node before its moves are tried.
struct Known {
    entry: Option<Entry>,
    /// Static evaluation.
    eval: Score,
    /// Whether the opponent can make a straight or double four next.
    threatened: bool,
    /// Whether the evaluation rose since the side's last move.
    improving: bool,
}

/// Whether no move holds so far.
const fn is_lost(best: Score) -> bool {
    best <= -score::EVAL_LIMIT
}

/// What the moves beside the table's say of it.
enum Singularity {
    /// Search it so many plies deeper.
    Extend(i32),
    /// The node exceeds beta without it, too.
    Cut(Score),
}

impl<C: Control> Worker<'_, C> {
    /// The score of the position for the side to move. Zero when stopped.
    pub(super) fn negamax(&mut self, mut node: Node) -> Score {
        let distance = node.distance();
        self.frames[node.ply].line.clear();
        self.selective_depth = self.selective_depth.max(node.ply);
        if self.should_stop() {
            return DRAW;
        }

        // What needs no search.
        let side = self.board.side();
        if let Some(five) = self.board.points_with(side, Threat::Five).first() {
            self.frames[node.ply].line.push(five);
            return win_in(distance + 1);
        }
        if self.board.empty().is_empty() {
            return DRAW;
        }
        if node.ply >= MAX_PLY {
            return self.evaluator.score(self.board);
        }
        // A shorter mate is already known.
        node.alpha = node.alpha.max(loss_in(distance + 2));
        node.beta = node.beta.min(win_in(distance + 1));
        if node.alpha >= node.beta {
            return node.alpha;
        }
        if self.board.count(!side, Threat::Five) > 0 {
            return self.answer_five(node);
        }
        if let Some(point) = self.unstoppable_four() {
            self.frames[node.ply].line.push(point);
            return win_in(distance + 3);
        }

        let hash = self.board.hash();
        let entry = self.table.probe(hash);
        if entry.is_some() {
            tally(Counter::TableHit);
        }
        if let Some(entry) = entry
            && entry.depth >= node.depth
            && node.excluded.is_none()
            && (!node.pv || score::is_decisive(entry.score))
        {
            let value = score::from_table(entry.score, distance);
            let cuts = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= node.beta,
                Bound::Upper => value <= node.alpha,
            };
            if cuts {
                tally(Counter::TableCut);
                return value;
            }
        }

        let threatened = movegen::threatens_open_four(self.board, !side);
        if entry.is_none()
            && !threatened
            && let Some(score) = self.clearly_above(node)
        {
            tally(Counter::ReverseCut);
            return score;
        }
        let eval = entry.map_or_else(|| self.evaluator.score(self.board), |entry| entry.eval);
        self.frames[node.ply].eval = (!threatened).then_some(eval);
        if node.depth <= 0 {
            return self.leaf(node, entry, eval, threatened);
        }
        let improving = node.ply >= 2
            && !threatened
            && self.frames[node.ply - 2]
                .eval
                .is_none_or(|before| eval > before);

        if !threatened && let Some(score) = self.far_outside(node, entry, eval, improving) {
            return score;
        }
        if entry.is_none_or(|entry| entry.best.is_none())
            && node.depth >= self.params.internal_depth()
            && !threatened
        {
            node.depth -= 1;
        }
        self.search_moves(
            node,
            &Known {
                entry,
                eval,
                threatened,
                improving,
            },
        )
    }

    /// Whether the tables alone put the position so far above beta that the network, which costs much more, would
    /// hardly change what is done here. What the node is then worth.
    fn clearly_above(&self, node: Node) -> Option<Score> {
        if !node.may_be_cut() || node.depth > self.params.reverse_depth() {
            return None;
        }
        let margin = if node.depth > 0 {
            self.params.reverse_margin(node.depth, false)
        } else {
            0
        };
        let rough = self.evaluator.rough_score(self.board);
        (rough - margin - self.params.lazy_margin() >= node.beta).then_some(rough)
    }

    /// With an evaluation far outside the window a little depth changes nothing, unless mates are at stake (or the
    /// opponent threatens a straight four, which makes the evaluation worthless). What the node is then worth.
    fn far_outside(
        &mut self,
        node: Node,
        entry: Option<Entry>,
        eval: Score,
        improving: bool,
    ) -> Option<Score> {
        if !node.may_be_cut() {
            return None;
        }
        // What was searched is a better guess than what is only evaluated.
        let guess = match entry.filter(|entry| !score::is_decisive(entry.score)) {
            Some(entry) => match entry.bound {
                Bound::Exact => entry.score,
                Bound::Lower => eval.max(entry.score),
                Bound::Upper => eval.min(entry.score),
            },
            None => eval,
        };
        let depth = node.depth;
        if depth <= self.params.razor_depth()
            && guess + self.params.razor_margin(depth) <= node.alpha
        {
            tally(Counter::Razored);
            return Some(self.leaf(node, entry, eval, false));
        }
        if depth <= self.params.reverse_depth()
            && guess - self.params.reverse_margin(depth, improving) >= node.beta
        {
            tally(Counter::ReverseCut);
            return Some(guess);
        }
        None
    }

    /// Tries the moves of the node in order.
    fn search_moves(&mut self, mut node: Node, known: &Known) -> Score {
        let side = self.board.side();
        let distance = node.distance();
        let hash = self.board.hash();
        let original_alpha = node.alpha;
        let killers = self.frames[node.ply].killers;
        let table_move = known.entry.and_then(|entry| entry.best);
        let extension = match self.singularity(node, known) {
            Singularity::Cut(score) => return score,
            Singularity::Extend(plies) => plies,
        };
        let mut picker = Picker::new(self.board, table_move, killers);
        let mut best = -score::INFINITE;
        let mut best_move = None;
        let mut best_order = None;
        let mut count = 0;
        let mut tried: SmallVec<[Point; 32]> = SmallVec::new();
        while let Some(next) = picker.next(
            self.board,
            &mut self.evaluator,
            self.params,
            self.history,
            // Where it matters, a loss is to be proved.
            is_lost(best) && (node.pv || node.depth >= self.params.proof_depth()),
        ) {
            let (order, point) = (next.order(), next.point());
            if Some(point) == node.excluded || !is_legal(self.board, point, side) {
                continue;
            }
            count += 1;
            let own = self.board.threat(point, side);
            let theirs = self.board.threat(point, !side);
            let quiet = is_quiet(own, theirs) && !known.threatened;
            let behind = match order {
                FIRST => 0,
                _ => *best_order.get_or_insert(order) - order,
            };
            // Once something holds, late moves are not worth a look; the later, the less.
            if !known.threatened && !is_lost(best) {
                if quiet && self.skips(node, known, count) {
                    picker.skip_quiet(self.board);
                    continue;
                }
                if self.comes_late(node, known, count, own, theirs) {
                    continue;
                }
            }
            let reduction = if known.threatened || own > Threat::Four {
                0
            } else {
                let history = self.history.value(side, point);
                self.reduction(node, known, count, quiet, behind, history)
            };
            // What a threat leads to is seen only after the reply.
            let reply = known.threatened && own < Threat::Four;
            let extension = match order {
                _ if reply && node.depth <= self.params.reply_depth() => 1,
                FIRST => extension,
                _ => 0,
            };
            self.play(point);
            let value = self.search_child(node, extension, count == 1, reduction);
            self.undo();
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > node.alpha {
                    best_move = Some(point);
                    node.alpha = value;
                    self.extend_line(node.ply, point);
                    if value >= node.beta {
                        break;
                    }
                }
            }
            if tried.len() < tried.inline_size() {
                tried.push(point);
            }
        }
        if count == 0 && node.excluded.is_some() {
            return node.alpha;
        }
        if count == 0 {
            // Nothing can stop the opponent's fours, or Black has no legal move.
            best = loss_in(distance + 4);
        }
        if score::is_loss(best) && picker.delays() {
            best = score::unproved(best).min(node.beta);
        }
        if best >= node.beta
            && let Some(point) = best_move
        {
            self.refuted(node, point, &tried);
        }
        if node.excluded.is_none() {
            let bound = Bound::of(best, original_alpha, node.beta);
            let best_move = best_move.or(table_move);
            self.remember(
                hash, best, known.eval, node.depth, bound, best_move, distance,
            );
        }
        best
    }

    /// Remembers that `point` refuted the last move after `tried` had not.
    fn refuted(&mut self, node: Node, point: Point, tried: &[Point]) {
        tally(Counter::cut_after(tried));
        let previous = self.board.last_move();
        self.history
            .reward(self.board.side(), node.depth, previous, point, tried);
        let killers = &mut self.frames[node.ply].killers;
        if killers[0] != Some(point) {
            *killers = [Some(point), killers[0]];
        }
    }

    /// Whether the table's move is much better than all others, which makes a deeper look at it worth while:
    /// a search of half the depth without it fails low. If the others hold beta too, the node is cut.
    /// (Singular extensions: Anantharaman, Campbell, Hsu 1988; in this form as Stockfish has them.)
    fn singularity(&mut self, node: Node, known: &Known) -> Singularity {
        let Some(entry) = known.entry.filter(|entry| {
            entry.best.is_some()
                && node.depth >= self.params.singular_depth()
                && node.excluded.is_none()
                && entry.depth >= node.depth - 3
                && entry.bound != Bound::Upper
                && !score::is_settled(entry.score)
        }) else {
            return Singularity::Extend(0);
        };
        let beta = entry.score - self.params.singular_slope() * node.depth / 4;
        let value = self.negamax(Node {
            pv: false,
            cut: node.cut,
            depth: (node.depth - 1) / 2,
            alpha: beta - 1,
            beta,
            ply: node.ply,
            excluded: entry.best,
        });
        if self.stopped {
            Singularity::Cut(DRAW)
        } else if value < beta {
            Singularity::Extend(1)
        } else if beta >= node.beta {
            Singularity::Cut(beta)
        } else if entry.score >= node.beta {
            Singularity::Extend(-1)
        } else {
            Singularity::Extend(0)
        }
    }

    /// Whether a quiet move, the `count`-th, is left out.
    fn skips(&self, node: Node, known: &Known, count: i32) -> bool {
        if count > self.params.count_limit(node.depth, known.improving) {
            return true;
        }
        let left = (node.depth - self.params.late_reduction(node.depth, count) / 1024).max(0);
        left <= self.params.futility_depth()
            && known.eval + self.params.futility_margin(left) <= node.alpha
    }

    /// Whether a move that makes `own` and takes `theirs`, the `count`-th, is left out.
    fn comes_late(
        &self,
        node: Node,
        known: &Known,
        count: i32,
        own: Threat,
        theirs: Threat,
    ) -> bool {
        // A four that makes nothing else only delays.
        let delays = own == Threat::Four && theirs < Threat::Three && !node.pv;
        let decides = own > Threat::Four || theirs >= Threat::Four;
        delays || !decides && count > self.params.count_limit(node.depth, known.improving)
    }

    /// Plies by which a late move is searched less deep.
    fn reduction(
        &self,
        node: Node,
        known: &Known,
        count: i32,
        quiet: bool,
        behind: i32,
        history: i32,
    ) -> i32 {
        if node.depth < 3 || count <= 2 + i32::from(node.pv) {
            return 0;
        }
        let params = self.params;
        let mut reduction = params.late_reduction(node.depth, count);
        if !quiet {
            reduction -= params.late_quiet();
        }
        if node.cut {
            reduction += params.late_cut();
        }
        if node.pv {
            reduction -= params.late_pv();
        }
        if !known.improving {
            reduction += params.late_worsening();
        }
        reduction -= history * params.late_history() / 1024;
        reduction += behind * params.late_order() / 100;
        (reduction / 1024).clamp(0, node.depth - 2)
    }

    /// The score of the move just played: the first move with the whole window, others only
    /// so far as is needed to see that they are not better.
    pub(super) fn search_child(
        &mut self,
        node: Node,
        extension: i32,
        first: bool,
        reduction: i32,
    ) -> Score {
        let depth = node.depth - 1 + extension;
        if first {
            return -self.negamax(node.child(depth));
        }
        let mut value = -self.negamax(node.scout(depth - reduction, true));
        if reduction > 0 {
            tally(Counter::Reduced);
        }
        if value > node.alpha && reduction > 0 {
            tally(Counter::ReducedAgain);
            value = -self.negamax(node.scout(depth, !node.cut));
        }
        if value > node.alpha && node.pv {
            value = -self.negamax(node.child(depth));
        }
        value
    }

    /// The score of a node in which the opponent threatens five. The reply is forced, so it
    /// costs no depth.
    fn answer_five(&mut self, mut node: Node) -> Score {
        let side = self.board.side();
        self.frames[node.ply].eval = None;
        let mut best = loss_in(node.distance() + 2);
        for point in movegen::blocks(self.board, side) {
            if !is_legal(self.board, point, side) {
                continue;
            }
            self.play(point);
            let value = -self.negamax(node.child(node.depth));
            self.undo();
            if self.stopped {
                return DRAW;
            }
            if value > best {
                best = value;
                if value > node.alpha {
                    node.alpha = value;
                    self.extend_line(node.ply, point);
                }
                if value >= node.beta {
                    break;
                }
            }
        }
        best
    }

    /// A point where the side to move makes a straight four, or two fours at once, which
    /// an opponent without a five cannot stop. (Under caro rules one stone may stop two fours on
    /// different lines.)
    fn unstoppable_four(&self) -> Option<Point> {
        let side = self.board.side();
        let straight = self.board.points_with(side, Threat::OpenFour).first();
        if straight.is_some() || self.board.rule().closed_five_is_nothing() {
            return straight;
        }
        self.board.points_with(side, Threat::DoubleFour).first()
    }

    /// The score of a node without depth left: a win by fours, or the static evaluation.
    ///
    /// It is remembered with depth 0, so that the fours are tried only once; with less where none were.
    fn leaf(&mut self, node: Node, entry: Option<Entry>, eval: Score, threatened: bool) -> Score {
        let hash = self.board.hash();
        let distance = node.distance();
        let stands = !node.pv && !threatened && eval >= node.beta && !score::is_settled(node.beta);
        if stands {
            if entry.is_none() {
                self.remember(hash, eval, eval, -1, Bound::Lower, None, distance);
            }
            return eval;
        }
        if entry.is_some_and(|entry| entry.depth >= 0) {
            return eval;
        }
        if let Some(win) = self.leaf_win(node) {
            self.remember(hash, win, eval, 0, Bound::Lower, None, distance);
            return win;
        }
        let mut value = eval;
        if threatened && !self.board.rule().closed_five_is_nothing() {
            let side = self.board.side();
            let hopeless = movegen::defences(self.board, side).is_empty()
                && movegen::fours(self.board, side).is_empty();
            if hopeless {
                value = loss_in(distance + 4);
            }
        }
        self.remember(hash, value, eval, 0, Bound::Exact, None, distance);
        value
    }

    /// The score of a short win by fours. Only looked for where some four makes more than a four: others
    /// hardly ever win, and the search itself tries them.
    fn leaf_win(&mut self, node: Node) -> Option<Score> {
        let counts = self.board.counts(self.board.side());
        if counts[Threat::FourPlus.index()] + counts[Threat::FourThree.index()] == 0 {
            return None;
        }
        let budget = self.params.vcf_leaf().cast_unsigned().into();
        let line = self.win_by_fours(LEAF_VCF_MOVES, budget)?;
        tally(Counter::WonByFours);
        let frame = &mut self.frames[node.ply].line;
        frame.clear();
        frame.extend(line.iter().map_while(|point| *point));
        let plies = i32::try_from(node.ply + line.len()).unwrap_or(i32::MAX);
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
