//! The best few moves, each with its true score: analysis.
//!
//! Unlike the search for a move to play, nothing is cut short here: a proved win does not end
//! the search while other lines have no proof, and moves that lose are scored, not dropped.

use super::root::{self, Proofs, RootMove};
use super::{Control, Limits, Report, Worker};
use crate::pattern::Threat;
use crate::types::score::{self, win_in};
use crate::types::{Point, Score};

/// Searches deeper and deeper for the best [`Limits::lines`] moves until the limits, a proof for
/// each of them, or the control's word. Returns the best.
pub(super) fn deepen<C: Control>(worker: &mut Worker<'_, C>, limits: &Limits) -> Report {
    let wanted = usize::try_from(limits.lines).unwrap_or(usize::MAX);
    let near = worker.board.candidates();
    let sets = [if near.len() < wanted {
        *worker.board.empty()
    } else {
        near
    }];
    let mut moves = root::moves_of(worker, &sets, &limits.excluded);
    let count = wanted.min(moves.len());
    let mut report = Report {
        lines: u32::try_from(count).unwrap_or(u32::MAX),
        ..Report::default()
    };
    let Some(first) = moves.first() else {
        return report;
    };
    report.line = vec![first.point];

    // The first so many moves are proved to win and need no search.
    let mut proved = 0;
    let side = worker.board.side();
    for i in 0..moves.len() {
        if worker.board.threat(moves[i].point, side) == Threat::Five {
            moves[i].score = win_in(1);
            moves[proved..=i].rotate_right(1);
            proved += 1;
        }
    }
    if proved == 0
        && let Some(line) = root::win_by_fours(worker)
    {
        let plies = i32::try_from(line.len()).unwrap_or(i32::MAX);
        proved += usize::from(prove(&mut moves, &line, plies));
    }
    let mut proofs = Proofs::default();

    for depth in 1..=limits.depth() {
        worker.selective_depth = 0;
        let open = &mut moves[proved..];
        let searched = search_lines(worker, open, count.saturating_sub(proved), depth);
        if worker.stopped {
            // The first line is searched first: what it found to be better is better.
            if proved == 0 && searched > 0 && count < moves.len() {
                report.score = moves[0].score;
                report.line.clone_from(&moves[0].line);
            }
            break;
        }
        let mut best: Vec<&RootMove> = moves[..count].iter().collect();
        best.sort_by_key(|line| -line.score);
        report.depth = depth;
        report.selective_depth = u32::try_from(worker.selective_depth).unwrap_or(0);
        report.nodes = worker.nodes;
        let mut go_on = true;
        for (rank, line) in (0..).zip(&best) {
            let line = Report {
                rank,
                score: line.score,
                line: line.line.clone(),
                ..report
            };
            go_on &= worker.control.iteration(&line);
            if rank == 0 {
                report = line;
            }
        }
        let settled = |line: &&RootMove| is_settled(line.score, depth);
        if !go_on || best.iter().all(settled) {
            break;
        }
        if proved == 0
            && let Some(win) = proofs.attack(worker)
        {
            proved += usize::from(prove(&mut moves, &win.line, root::plies_of(&win)));
        }
    }
    report.nodes = worker.nodes;
    report
}

/// Brings the best `count` of `moves` to the front, each with its score at `depth`. Returns how many were
/// searched before a stop.
fn search_lines<C: Control>(
    worker: &mut Worker<'_, C>,
    moves: &mut [RootMove],
    count: usize,
    depth: u32,
) -> usize {
    let plies = i32::try_from(depth).unwrap_or(1);
    let all = count == moves.len();
    for rank in 0..count {
        // When every move is wanted, each is searched by itself: to find the best of the rest first
        // would search the rest once more for every line.
        let rest = if all {
            &mut moves[rank..=rank]
        } else {
            &mut moves[rank..]
        };
        let last = rest.first().map_or(0, |line| line.score);
        root::aspirate(worker, rest, plies, last, false);
        if worker.stopped {
            return rank;
        }
    }
    count
}

/// Moves the beginning of a proved win to the front, if it is among `moves`.
fn prove(moves: &mut [RootMove], line: &[Option<Point>], plies: i32) -> bool {
    let first = line.first().copied().flatten();
    let Some(index) = moves.iter().position(|root| Some(root.point) == first) else {
        return false;
    };
    moves[index].score = win_in(plies);
    moves[index].line = line.iter().map_while(|point| *point).collect();
    moves[..=index].rotate_right(1);
    true
}

/// Whether deeper search cannot change a score: a win, or a loss no later than the search looks.
fn is_settled(value: Score, depth: u32) -> bool {
    score::is_win(value)
        || score::mate_distance(value).is_some_and(|plies| i64::from(plies) <= i64::from(depth))
}
