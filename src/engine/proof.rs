//! Searches for nothing but a win by threats.

use super::flight::Flight;
use crate::board::Board;
use crate::search::Report;
use crate::threat::Limits;
use crate::threat::vct::{Vct, Verdict};
use crate::types::score::win_in;
use crate::types::{Point, PointSet};

/// Bytes of the solver's memory.
const TABLE_BYTES: usize = 16 << 20;

/// A win of the side to move by fours and threes that is proved within the limits of `flight` and does not begin in
/// `excluded`. The report has no line if there is none.
///
/// Assumes that nobody has won yet. The board is the same afterwards.
pub(super) fn win(board: &mut Board, excluded: &PointSet, flight: &Flight) -> Report {
    let stop = || flight.must_stop(0);
    let limits = Limits {
        nodes: flight.limits().max_nodes.unwrap_or(u64::MAX),
        stop: Some(&stop),
        ..Limits::NONE
    };
    let mut solver = Vct::new(TABLE_BYTES);
    let Verdict::Win(win) = solver.solve(board, &limits) else {
        return Report::default();
    };
    // A defender without a reply ends the line.
    let line: Vec<Point> = win.line.iter().copied().map_while(|point| point).collect();
    if line.first().is_none_or(|&first| excluded.contains(first)) {
        return Report::default();
    }
    let plies = 2 * win.moves - 1;
    Report {
        rank: 0,
        lines: 1,
        depth: plies,
        selective_depth: plies,
        score: win_in(i32::try_from(plies).unwrap_or(i32::MAX)),
        nodes: solver.nodes(),
        line,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::engine::{Options, Position};
    use crate::rule::RuleKind;
    use crate::types::{Size, score};

    /// What is found after `moves` in letters, and the nodes that it may take.
    fn find(moves: &str, excluded: &PointSet, nodes: u64) -> Report {
        let size = Size::square(15);
        let mut position = Position::new(size, RuleKind::Freestyle);
        for text in moves.split(' ') {
            position.play(Point::parse(text, size).unwrap()).unwrap();
        }
        let options = Options {
            max_nodes: Some(nodes),
            ..Options::default()
        };
        let flight = Flight::new(Instant::now(), &options, position.phase());
        win(&mut position.board(), excluded, &flight)
    }

    #[test]
    fn a_win_is_found_or_nothing() {
        let none = PointSet::EMPTY;
        // Two open twos of Black's cross in H8.
        let crossing = "G8 A1 F8 C15 H7 O1 H6 O14";
        let found = find(crossing, &none, 100_000);
        assert!(score::is_win(found.score), "{found:?}");
        let first = found.line[0];
        assert_eq!(found.depth % 2, 1);
        // Another way, or none, but not the excluded point.
        let another = find(crossing, &[first].into_iter().collect(), 100_000);
        assert_ne!(another.line.first(), Some(&first));
        assert!(find(crossing, &none, 0).line.is_empty());
        assert!(find("H8 H9 A1", &none, 100_000).line.is_empty());
    }
}
