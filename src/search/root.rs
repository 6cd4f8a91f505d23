//! Iterative deepening at the root: which move to play.

use std::cell::RefCell;
use std::cmp::Reverse;

use super::negamax::Node;
use super::params::{ASPIRATION_DEPTH, ROOT_VCF_MOVES, ROOT_VCF_NODES, VCT_LEAST};
use super::picker;
use super::{Control, Limits, Report, Worker};
use crate::board::NoObserver;
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::threat::vct::{self, Win};
use crate::threat::{self, Line};
use crate::tt::Bound;
use crate::types::score::{self, INFINITE, win_in};
use crate::types::{Point, PointSet, Score};

/// Depth of table entries that hold a proof: deeper than any search.
const PROVED_DEPTH: i32 = 200;

/// A move at the root and what the last iteration thought of it.
pub(super) struct RootMove {
    pub(super) point: Point,
    /// Score of the last iteration that improved on the moves before it.
    pub(super) score: Score,
    pub(super) line: Vec<Point>,
}

/// Searches deeper and deeper for one move until the limits, a proof, or the control's word.
pub(super) fn deepen<C: Control>(worker: &mut Worker<'_, C>, limits: &Limits) -> Report {
    let mut report = Report {
        lines: 1,
        ..Report::default()
    };
    let mut moves = root_moves(worker, &limits.excluded);
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
    if let Some(line) = win_by_fours(worker).filter(|line| limits.allows(line)) {
        let plies = i32::try_from(line.len()).unwrap_or(i32::MAX);
        return proved(worker, report, &line, plies);
    }
    keep_refutations(worker, &mut moves);
    let mut proofs = Proofs::default();

    // Every other assistant begins one ply deeper, so that not all search the same tree.
    for depth in 1 + worker.number % 2..=limits.depth() {
        worker.selective_depth = 0;
        let plies = i32::try_from(depth).unwrap_or(1);
        let whole = limits.excluded.is_empty();
        let searched = aspirate(worker, &mut moves, plies, report.score, whole);
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
        if !go_on {
            break;
        }
        if let Some(win) = proofs.attack(worker).filter(|win| limits.allows(&win.line)) {
            return proved(worker, report, &win.line, plies_of(&win));
        }
        proofs.check(worker, &moves);
        if worker.stopped {
            break;
        }
        let mate = score::mate_distance(report.score).unwrap_or(i32::MAX);
        let proved =
            score::is_win(report.score) || mate <= i32::try_from(depth).unwrap_or(i32::MAX);
        if proved || moves.len() == 1 && score::is_loss(report.score) {
            break;
        }
    }
    report
}

/// Looks for a win by fours of the side to move.
pub(super) fn win_by_fours<C: Control>(worker: &mut Worker<'_, C>) -> Option<Line> {
    let budget = ROOT_VCF_NODES.min(worker.max_nodes / 4);
    worker.win_by_fours(ROOT_VCF_MOVES, budget)
}

/// The report of a proved win: `line` ends with it at the latest after `plies`.
fn proved<C: Control>(
    worker: &mut Worker<'_, C>,
    mut report: Report,
    line: &[Option<Point>],
    plies: i32,
) -> Report {
    report.score = win_in(plies);
    report.line = line.iter().map_while(|point| *point).collect();
    report.depth = report.depth.max(1);
    report.nodes = worker.nodes;
    worker.control.iteration(&report);
    report
}

/// Plies until the five of a proved win of the side to move.
pub(super) fn plies_of(win: &Win) -> i32 {
    i32::try_from(2 * win.moves).unwrap_or(i32::MAX) - 1
}

/// Drops the moves that leave the opponent a win by fours, if there is one and something breaks it.
fn keep_refutations<C: Control>(worker: &mut Worker<'_, C>, moves: &mut Vec<RootMove>) {
    let budget = threat::Limits::nodes(ROOT_VCF_NODES.min(worker.max_nodes / 4));
    let refutations = worker.vcf.refutations(worker.board, &budget);
    worker.nodes += worker.vcf.nodes();
    if let Some(points) = refutations
        && moves.iter().any(|root| points.contains(root.point))
    {
        moves.retain(|root| points.contains(root.point));
    }
}

/// The share of the search that looks for wins by fours and threes, in nodes.
#[derive(Default)]
pub(super) struct Proofs {
    attack_nodes: u64,
    check_nodes: u64,
}

impl Proofs {
    /// Looks for a VCT of the side to move with what has become due since the last time.
    pub(super) fn attack<C: Control>(&mut self, worker: &mut Worker<'_, C>) -> Option<Box<Win>> {
        let (nodes, win) = solve_vct(worker, self.attack_nodes)?;
        self.attack_nodes += nodes;
        win
    }

    /// Looks for a VCT of the opponent after the best move. If there is one, the table is told, so that
    /// the next iteration finds another move better.
    fn check<C: Control>(&mut self, worker: &mut Worker<'_, C>, moves: &[RootMove]) {
        let Some(best) = moves.first().filter(|best| !score::is_decisive(best.score)) else {
            return;
        };
        worker.board.play(best.point, &mut NoObserver);
        if let Some((nodes, win)) = solve_vct(worker, self.check_nodes) {
            self.check_nodes += nodes;
            if let Some(win) = win {
                let score = win_in(plies_of(&win));
                let point = win.line.first().copied().flatten();
                let hash = worker.board.hash();
                worker.remember(hash, score, 0, PROVED_DEPTH, Bound::Lower, point, 0);
            }
        }
        worker.board.undo();
    }
}

/// Looks for a VCT of the side to move with the nodes that are due: a share of all so
/// far, less those `spent`. Returns the nodes entered; `None` if it is too early, and for assistants.
fn solve_vct<C: Control>(
    worker: &mut Worker<'_, C>,
    spent: u64,
) -> Option<(u64, Option<Box<Win>>)> {
    let vct = worker.vct.as_deref_mut()?;
    let share = u64::from(worker.params.vct_share().cast_unsigned());
    let due = (worker.nodes * share / 64).saturating_sub(spent);
    if due < VCT_LEAST {
        return None;
    }
    let before = worker.nodes;
    let control = RefCell::new(&mut *worker.control);
    let stop = || control.borrow_mut().should_stop(before);
    let limits = threat::Limits {
        nodes: due,
        stop: Some(&stop),
        ..threat::Limits::NONE
    };
    let verdict = vct.solve(worker.board, &limits);
    let nodes = vct.nodes();
    worker.nodes += nodes;
    match verdict {
        vct::Verdict::Win(win) => Some((nodes, Some(win))),
        _ => Some((nodes, None)),
    }
}

/// One iteration within a window around the last score, widened until the score fits.
/// `whole` says that `moves` are all that deserve thought. Returns whether at least the first move was searched.
pub(super) fn aspirate<C: Control>(
    worker: &mut Worker<'_, C>,
    moves: &mut [RootMove],
    depth: i32,
    last: Score,
    whole: bool,
) -> bool {
    let wider = i32::try_from(worker.number % 4).unwrap_or(0);
    let mut width = worker.params.aspiration() * (4 + wider) / 4;
    let (mut alpha, mut beta) = (-INFINITE, INFINITE);
    if depth >= ASPIRATION_DEPTH && !score::is_settled(last) {
        alpha = last - width;
        beta = last + width;
    }
    let mut searched = false;
    loop {
        let (value, any) = search_root(worker, moves, depth, (alpha, beta), whole);
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
    (mut alpha, beta): (Score, Score),
    whole: bool,
) -> (Score, bool) {
    let hash = worker.board.hash();
    let eval = worker.evaluator.score(worker.board);
    let original_alpha = alpha;
    let mut best = -INFINITE;
    let mut trusted = false;
    worker.frames[0].eval = Some(eval);
    for i in 0..moves.len() {
        let point = moves[i].point;
        worker.play(point);
        let node = Node {
            pv: true,
            cut: false,
            depth,
            alpha,
            beta,
            ply: 0,
            excluded: None,
        };
        let reduction = if depth >= 3 && i >= 3 {
            let count = i32::try_from(i + 1).unwrap_or(i32::MAX);
            let reduction = worker.params.late_reduction(depth, count) - worker.params.late_pv();
            (reduction / 1024).clamp(0, depth - 2)
        } else {
            0
        };
        let value = worker.search_child(node, 0, i == 0, reduction);
        worker.undo();
        if worker.stopped {
            break;
        }
        if value > best {
            best = value;
        }
        if value > alpha || i == 0 {
            worker.extend_line(0, point);
            moves[i].score = value;
            // A score outside the window may come without replies; those known from before still say more.
            if worker.frames[0].line.len() > 1 {
                moves[i].line.clone_from(&worker.frames[0].line);
            }
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
    if !worker.stopped && whole {
        let bound = Bound::of(best, original_alpha, beta);
        let point = moves.first().map(|first| first.point);
        worker.remember(hash, best, eval, depth, bound, point, 0);
    }
    (best, trusted)
}

/// The legal moves worth searching, best guess first. Empty only if the board is full;
/// excluded and forbidden points only if there is nothing else.
fn root_moves<C: Control>(worker: &mut Worker<'_, C>, excluded: &PointSet) -> Vec<RootMove> {
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
    moves_of(worker, &sets, excluded)
}

/// The legal moves of the first of `sets` that has any, best guess first; if none has, all legal
/// moves, then excluded ones, then any.
pub(super) fn moves_of<C: Control>(
    worker: &mut Worker<'_, C>,
    sets: &[PointSet],
    excluded: &PointSet,
) -> Vec<RootMove> {
    let side = worker.board.side();
    let root_move = |point| RootMove {
        point,
        score: -INFINITE,
        line: vec![point],
    };
    let empty = *worker.board.empty();
    let table_move = worker
        .table
        .probe(worker.board.hash())
        .and_then(|entry| entry.best);
    let allowed = sets
        .iter()
        .chain([&empty])
        .map(|set| set.difference(excluded));
    for set in allowed.chain([empty]) {
        let mut ordered = picker::ordered(
            worker.board,
            &mut worker.evaluator,
            worker.params,
            worker.history,
            &set,
            [None; 2],
        );
        ordered.sort_by_key(|&next| (Some(next.point()) != table_move, Reverse(next)));
        let moves: Vec<RootMove> = ordered
            .into_iter()
            .map(picker::Ordered::point)
            .filter(|&point| is_legal(worker.board, point, side))
            .map(root_move)
            .collect();
        if !moves.is_empty() {
            return moves;
        }
    }
    // Every empty point is forbidden.
    empty.first().map(root_move).into_iter().collect()
}
