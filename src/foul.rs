//! Confirms or clears the points that the tables only suspect to be foul.
//!
//! Renju forbids Black a move that makes a double-three, a double-four or an overline, unless it
//! makes five. The tables see overlines and double-fours exactly. A three, though, counts only if a
//! stone could turn it into a straight four *legally and without making five at the same
//! time* (RIF rules of renju), and whether that stone is legal is the same question one
//! stone later; so [`is_foul`] plays the stone and recurses, to any depth.

use crate::board::Board;
use crate::pattern::{Class, Threat};
use crate::rule::{FoulKind, FoulKinds};
use crate::types::{Colour, Direction, Point};

/// Whether Black may not play on the empty `point`. Always `false` under rules without fouls.
///
/// The board is the same afterwards.
#[must_use]
pub fn is_foul(board: &mut Board, point: Point) -> bool {
    if board.threat(point, Colour::Black) != Threat::Foul {
        return false;
    }
    let classes = board.key(point, Colour::Black).classes();
    if classes.contains(&Class::Overline) || fours(classes) >= 2 {
        return true;
    }
    has_two_real_threes(board, point, classes)
}

/// Every reason why Black may not play on the empty `point`; empty for a legal point.
///
/// The board is the same afterwards.
#[must_use]
pub fn kinds(board: &mut Board, point: Point) -> FoulKinds {
    let mut kinds = FoulKinds::NONE;
    if board.threat(point, Colour::Black) != Threat::Foul {
        return kinds;
    }
    let classes = board.key(point, Colour::Black).classes();
    if classes.contains(&Class::Overline) {
        kinds = kinds.with(FoulKind::Overline);
    }
    if fours(classes) >= 2 {
        kinds = kinds.with(FoulKind::DoubleFour);
    }
    if has_two_real_threes(board, point, classes) {
        kinds = kinds.with(FoulKind::DoubleThree);
    }
    kinds
}

fn fours(classes: [Class; 4]) -> usize {
    classes
        .iter()
        .map(|&class| {
            if class == Class::DoubleFour {
                2
            } else {
                usize::from(class.is_four())
            }
        })
        .sum()
}

fn has_two_real_threes(board: &mut Board, point: Point, classes: [Class; 4]) -> bool {
    let mut apparent = classes.iter().filter(|class| class.is_three()).count();
    if apparent < 2 {
        return false;
    }
    board.place(point, Colour::Black);
    let mut real = 0;
    for direction in Direction::ALL {
        if !classes[direction.index()].is_three() {
            continue;
        }
        if is_real_three(board, point, direction) {
            real += 1;
        } else {
            apparent -= 1;
        }
        if real >= 2 || apparent < 2 {
            break;
        }
    }
    board.undo();
    real >= 2
}

/// Whether some legal stone turns the three through the black stone on `point` into a straight
/// four without making five.
fn is_real_three(board: &mut Board, point: Point, direction: Direction) -> bool {
    [-1, 1].into_iter().any(|sign| {
        // The stone must join the three: walk along it to the first empty cell. A straight four has
        // four stones in a row, so that cell lies at most three steps away.
        let mut next = point;
        for steps in 1..=3 {
            next = point.offset(direction, sign * steps);
            if !board.is_stone(next, Colour::Black) {
                break;
            }
        }
        board.is_empty(next)
            && board.key(next, Colour::Black).class(direction) == Class::OpenFour
            && board.threat(next, Colour::Black) != Threat::Five
            && !is_foul(board, next)
    })
}
