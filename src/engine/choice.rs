//! The last look at a move before it leaves the engine.
//!
//! Assumes nothing of the search: whatever it proposed (or failed to), [`settle`] answers a legal
//! point if there is one, takes a five and blocks one. A search that keeps its promises is never
//! corrected, except that among several fives the one that every referee accepts is preferred.

use crate::board::Board;
use crate::foul;
use crate::movegen;
use crate::pattern::{Class, Threat};
use crate::types::{Colour, Point, PointSet};

/// The move to play: `proposed` if nothing speaks against it. `None` only on a full board; a point
/// in `excluded` or a forbidden one only if there is no other.
///
/// The board is the same afterwards.
#[must_use]
pub(super) fn settle(
    board: &mut Board,
    proposed: Option<Point>,
    excluded: &PointSet,
) -> Option<Point> {
    let side = board.side();
    let proposed = proposed.filter(|&point| is_playable(board, point, excluded));
    let fives = board.points_with(side, Threat::Five).difference(excluded);
    if !fives.is_empty() {
        return proposed
            .filter(|&point| {
                board.threat(point, side) == Threat::Five && !is_disputed(board, point)
            })
            .or_else(|| fives.iter().find(|&point| !is_disputed(board, point)))
            .or_else(|| fives.first());
    }
    let blocks = *board.points_with(!side, Threat::Five);
    if !blocks.is_empty() && proposed.is_none_or(|point| board.threat(point, !side) != Threat::Five)
    {
        let block = blocks
            .iter()
            .find(|&point| is_playable(board, point, excluded));
        if block.is_some() {
            return block;
        }
    }
    proposed
        .or_else(|| strongest(board, excluded))
        .or_else(|| strongest(board, &PointSet::EMPTY))
        .or_else(|| board.empty().first())
}

/// The only sensible move, if there is just one: the only legal block of a five, or the last empty point.
///
/// The board is the same afterwards.
#[must_use]
pub(super) fn forced(board: &mut Board) -> Option<Point> {
    let side = board.side();
    if board.empty().len() == 1 {
        return board.empty().first();
    }
    if board.count(side, Threat::Five) > 0 || board.count(!side, Threat::Five) == 0 {
        return None;
    }
    let mut blocks = movegen::blocks(board, side);
    blocks.retain(|point| movegen::is_legal(board, *point, side));
    match *blocks {
        [block] => Some(block),
        _ => None,
    }
}

fn is_playable(board: &mut Board, point: Point, excluded: &PointSet) -> bool {
    board.is_empty(point)
        && !excluded.contains(point)
        && !(board.side() == Colour::Black && foul::is_foul(board, point))
}

/// Whether some referees call this five forbidden: c-gomoku-cli refuses Black a five that makes
/// an overline on another line.
fn is_disputed(board: &Board, point: Point) -> bool {
    let side = board.side();
    board.rule().has_fouls(side) && board.key(point, side).classes().contains(&Class::Overline)
}

/// The playable point that makes or prevents the strongest threat, the nearer to the centre the
/// better.
fn strongest(board: &mut Board, excluded: &PointSet) -> Option<Point> {
    let side = board.side();
    let centre = board.size().centre();
    let empty = *board.empty();
    let mut best = None;
    for point in &empty {
        let own = board.threat(point, side);
        let value = (
            own.max(board.threat(point, !side)),
            own,
            u8::MAX - point.distance(centre),
        );
        if best.is_none_or(|(record, _)| value > record) && is_playable(board, point, excluded) {
            best = Some((value, point));
        }
    }
    best.map(|(_, point)| point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleKind;
    use crate::types::{Grid, Size};

    fn board(rule: RuleKind, side: Colour, rows: [&str; 7]) -> Board {
        Board::from_grid(&Grid::from_rows(rows).unwrap(), rule, side)
    }

    fn at(x: u8, y: u8) -> Point {
        Point::new(x, y)
    }

    #[test]
    fn a_five_is_taken_before_one_is_blocked() {
        let rows = [
            ".......", ".XXXX.O", ".......", ".OOOO.X", ".......", ".......", ".......",
        ];
        let mut freestyle = board(RuleKind::Freestyle, Colour::Black, rows);
        let none = PointSet::EMPTY;
        assert_eq!(settle(&mut freestyle, None, &none), Some(at(0, 1)));
        assert_eq!(
            settle(&mut freestyle, Some(at(5, 1)), &none),
            Some(at(5, 1))
        );
        assert_eq!(
            settle(&mut freestyle, Some(at(6, 6)), &none),
            Some(at(0, 1))
        );
        let excluded: PointSet = [at(0, 1)].into_iter().collect();
        assert_eq!(
            settle(&mut freestyle, Some(at(0, 1)), &excluded),
            Some(at(5, 1))
        );
    }

    #[test]
    fn a_five_of_the_opponent_is_blocked() {
        let rows = [
            ".......", ".XXX...", ".......", "XOOOO..", ".......", ".......", ".......",
        ];
        let mut freestyle = board(RuleKind::Freestyle, Colour::Black, rows);
        assert_eq!(
            settle(&mut freestyle, Some(at(4, 1)), &PointSet::EMPTY),
            Some(at(5, 3))
        );
    }

    #[test]
    fn a_single_block_is_forced() {
        let four = [
            ".......", ".......", ".......", "XOOOO..", ".......", ".......", ".......",
        ];
        let open_four = [
            ".......", ".......", ".......", ".OOOO..", ".......", ".......", ".......",
        ];
        let own_five = [
            ".......", ".XXXX..", ".......", "XOOOO..", ".......", ".......", ".......",
        ];
        let forced = |rule, rows| forced(&mut board(rule, Colour::Black, rows));
        assert_eq!(forced(RuleKind::Freestyle, four), Some(at(5, 3)));
        assert_eq!(forced(RuleKind::Freestyle, open_four), None);
        assert_eq!(forced(RuleKind::Freestyle, own_five), None);
        assert_eq!(forced(RuleKind::Freestyle, ["......."; 7]), None);
        // Closing the far end is a block as well.
        assert_eq!(forced(RuleKind::Caro, four), None);
    }

    #[test]
    fn forbidden_points_are_replaced_unless_nothing_else_is_left() {
        let rows = [
            ".......", "...X...", "...X...", ".XX....", ".......", ".......", ".......",
        ];
        let mut renju = board(RuleKind::Renju, Colour::Black, rows);
        assert!(foul::is_foul(&mut renju, at(3, 3)));
        let settled = settle(&mut renju, Some(at(3, 3)), &PointSet::EMPTY);
        assert!(settled.is_some() && settled != Some(at(3, 3)));

        let rows = [
            "XXOOXXX", "OOXXOOO", "XXOOXXX", "XXX.XXX", "OOXXOOO", "XXOOXXX", "OOXXOOO",
        ];
        let mut last = board(RuleKind::Renju, Colour::Black, rows);
        assert!(foul::is_foul(&mut last, at(3, 3)));
        assert_eq!(settle(&mut last, None, &PointSet::EMPTY), Some(at(3, 3)));
    }

    #[test]
    fn an_empty_board_gets_its_centre_and_a_full_one_nothing() {
        let mut empty = Board::new(Size::square(15), RuleKind::Standard);
        assert_eq!(settle(&mut empty, None, &PointSet::EMPTY), Some(at(7, 7)));
        let mut grid = Grid::new(Size::square(5));
        for point in Size::square(5).points() {
            grid.set(point, crate::types::Cell::Wall);
        }
        let mut full = Board::from_grid(&grid, RuleKind::Freestyle, Colour::Black);
        assert_eq!(settle(&mut full, Some(at(2, 2)), &PointSet::EMPTY), None);
    }
}
