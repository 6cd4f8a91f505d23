//! Iterative deepening at the root: which move to play.

use super::negamax::Node;
use super::params::{ASPIRATION_DEPTH, ROOT_VCF_MOVES, ROOT_VCF_NODES};
use super::picker::Picker;
use super::{Control, Report, Worker};
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::threat::vcf::Verdict;
use crate::tt::Bound;
use crate::types::score::{self, INFINITE, win_in};
use crate::types::{Point, PointSet, Score};

/// A move at the root and what the last iteration thought of it.
struct RootMove {
    point: Point,
    /// Score of the last iteration that improved on the moves before it.
    score: Score,
    line: Vec<Point>,
}

/// Searches deeper and deeper until `max_depth`, a proof, or the control's word.
pub(super) fn deepen<C: Control>(worker: &mut Worker<'_, C>, max_depth: u32) -> Report {
    let mut report = Report::default();
    let mut moves = root_moves(worker);
    let Some(first) = moves.first() else {
        return report;
    };
    report.line = vec![first.point];

    if worker.board.threat(first.point, worker.board.side()) == Threat::Five {
        report.score = win_in(1);
        report.depth = 1;
        worker.control.iteration(&report);
        return report;
    }
    // A win by fours needs no search.
    if worker.board.count(!worker.board.side(), Threat::Five) == 0 {
        let budget = ROOT_VCF_NODES.min(worker.max_nodes / 4);
        let verdict = worker.vcf.solve(worker.board, ROOT_VCF_MOVES, budget);
        worker.nodes += worker.vcf.nodes();
        if let Verdict::Win(line) = verdict {
            report.score = win_in(i32::try_from(line.len()).unwrap_or(i32::MAX));
            report.line = line.iter().map_while(|point| *point).collect();
            report.depth = 1;
            report.nodes = worker.nodes;
            worker.control.iteration(&report);
            return report;
        }
    }

    for depth in 1..=max_depth {
        worker.selective_depth = 0;
        let searched = aspirate(
            worker,
            &mut moves,
            i32::try_from(depth).unwrap_or(1),
            &report,
        );
        // A stopped iteration still counts if its first move, the best so far, was searched
        // whole: what it found to be better is better.
        if let Some(best) = moves.first().filter(|_| searched) {
            report.score = best.score;
            report.line.clone_from(&best.line);
            report.depth = depth;
        }
        report.nodes = worker.nodes;
        report.selective_depth = u32::try_from(worker.selective_depth).unwrap_or(0);
        if worker.stopped {
            break;
        }
        let go_on = worker.control.iteration(&report);
        let mate = score::mate_distance(report.score).unwrap_or(i32::MAX);
        let proved =
            score::is_win(report.score) || mate <= i32::try_from(depth).unwrap_or(i32::MAX);
        if !go_on || proved || moves.len() == 1 && score::is_loss(report.score) {
            break;
        }
    }
    report
}

/// One iteration within a window around the last score, widened until the score fits.
/// Returns whether at least the first move was searched.
fn aspirate<C: Control>(
    worker: &mut Worker<'_, C>,
    moves: &mut [RootMove],
    depth: i32,
    last: &Report,
) -> bool {
    let mut width = worker.params.aspiration;
    let (mut alpha, mut beta) = (-INFINITE, INFINITE);
    if depth >= ASPIRATION_DEPTH && !score::is_decisive(last.score) {
        alpha = last.score - width;
        beta = last.score + width;
    }
    let mut searched = false;
    loop {
        let (value, any) = search_root(worker, moves, depth, alpha, beta);
        searched |= any;
        if worker.stopped {
            return searched;
        }
        width *= 3;
        if value <= alpha {
            beta = i32::midpoint(alpha, beta);
            alpha = (value - width).max(-INFINITE);
        } else if value >= beta {
            beta = (value + width).min(INFINITE);
        } else {
            return searched;
        }
        if width > 500 {
            (alpha, beta) = (-INFINITE, INFINITE);
        }
    }
}

/// Searches all root moves in order and moves the best to the front. Returns the best score and
/// whether a move was found that can be trusted.
fn search_root<C: Control>(
    worker: &mut Worker<'_, C>,
    moves: &mut [RootMove],
    depth: i32,
    mut alpha: Score,
    beta: Score,
) -> (Score, bool) {
    let hash = worker.board.hash();
    let eval = worker.evaluation.score(worker.board);
    let original_alpha = alpha;
    let mut best = -INFINITE;
    let mut trusted = false;
    worker.frames[0].eval = Some(eval);
    for i in 0..moves.len() {
        let point = moves[i].point;
        let before = worker.evaluation;
        worker.play(point);
        let node = Node {
            pv: true,
            cut: false,
            depth,
            alpha,
            beta,
            ply: 0,
        };
        let reduction = if depth >= 3 && i >= 3 {
            let count = i32::try_from(i + 1).unwrap_or(i32::MAX);
            let reduction = worker.params.late_reduction(depth, count) - worker.params.late_pv;
            (reduction / 1024).clamp(0, depth - 2)
        } else {
            0
        };
        let value = worker.search_child(node, i == 0, reduction);
        worker.board.undo();
        worker.evaluation = before;
        if worker.stopped {
            break;
        }
        if value > best {
            best = value;
        }
        if value > alpha || i == 0 {
            worker.extend_line(0, point);
            moves[i].score = value;
            moves[i].line.clone_from(&worker.frames[0].line);
        }
        if value > alpha {
            alpha = value;
            moves[..=i].rotate_right(1);
            trusted = true;
            if value >= beta {
                break;
            }
        }
    }
    if !worker.stopped {
        let bound = if best >= beta {
            Bound::Lower
        } else if best > original_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let point = moves.first().map(|first| first.point);
        worker.remember(hash, best, eval, depth, bound, point, 0);
    }
    (best, trusted)
}

/// The legal moves worth searching, best guess first. Empty only if the board is full;
/// forbidden points only if there is nothing else.
fn root_moves<C: Control>(worker: &mut Worker<'_, C>) -> Vec<RootMove> {
    let side = worker.board.side();
    let mut sets: Vec<PointSet> = Vec::new();
    if worker.board.count(side, Threat::Five) > 0 {
        sets.push(*worker.board.points_with(side, Threat::Five));
    } else if worker.board.count(!side, Threat::Five) > 0 {
        sets.push(movegen::blocks(worker.board, side).into_iter().collect());
        sets.push(*worker.board.points_with(!side, Threat::Five));
    } else if movegen::threatens_open_four(worker.board, !side) {
        let fours = movegen::fours(worker.board, side);
        sets.push(movegen::defences(worker.board, side).union(&fours.into_iter().collect()));
    }
    sets.push(worker.board.candidates());
    sets.push(*worker.board.empty());
    let table_move = worker
        .table
        .probe(worker.board.hash())
        .and_then(|entry| entry.best);
    for set in sets {
        let mut picker = Picker::ordered(
            worker.board,
            worker.params,
            worker.history,
            &set,
            table_move,
            [None; 2],
        );
        let mut moves = Vec::new();
        while let Some((_, point)) = picker.next() {
            if is_legal(worker.board, point, side) {
                moves.push(RootMove {
                    point,
                    score: -INFINITE,
                    line: vec![point],
                });
            }
        }
        if !moves.is_empty() {
            return moves;
        }
    }
    // Every empty point is forbidden.
    let any = worker.board.empty().first();
    any.map(|point| RootMove {
        point,
        score: -INFINITE,
        line: vec![point],
    })
    .into_iter()
    .collect()
}
