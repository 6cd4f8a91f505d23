//! Which points deserve thought.
//!
//! What it is for: the moves that the rules of threats leave over. It assumes nothing about the
//! position (the opponent may have left a five unplayed). It promises that no
//! move is left out that could avoid a loss in the situations it names: [`blocks`] holds
//! every reply that stops all fives, [`defences`] every reply that is not a four and may stop
//! all straight and double fours.

use smallvec::SmallVec;

use crate::board::Board;
use crate::foul;
use crate::pattern::{Class, Threat};
use crate::types::{Cell, Colour, Direction, PAD, Point, PointSet};

/// A short list of points, on the stack.
pub type Points = SmallVec<[Point; 16]>;

/// The replies of `defender` after which its opponent can no longer make five at once, fouls
/// among them. Assumes that the opponent has at least one such point.
#[must_use]
pub fn blocks(board: &mut Board, defender: Colour) -> Points {
    let attacker = !defender;
    let fives = *board.points_with(attacker, Threat::Five);
    if !board.rule().closed_five_is_nothing() {
        // Only a stone on the point itself stops a five, so two points are too many.
        return if board.count(attacker, Threat::Five) == 1 {
            fives.iter().collect()
        } else {
            Points::new()
        };
    }
    // A five can also be made worthless by closing its second end, and one stone can do that to
    // several.
    let mut candidates = fives;
    for five in &fives {
        for direction in Direction::ALL {
            if board.key(five, attacker).class(direction) == Class::Five {
                for point in line_around(board, five, direction) {
                    candidates.insert(point);
                }
            }
        }
    }
    candidates
        .iter()
        .filter(|&point| {
            board.place(point, defender);
            let stopped = board.count(attacker, Threat::Five) == 0;
            board.undo();
            stopped
        })
        .collect()
}

/// Whether either side can make five with its next stone.
#[must_use]
#[inline]
pub fn threatens_five(board: &Board) -> bool {
    Colour::ALL
        .iter()
        .any(|&colour| board.count(colour, Threat::Five) > 0)
}

/// Whether `attacker` can make a straight four or two fours at once with its next stone.
#[must_use]
#[inline]
pub fn threatens_open_four(board: &Board, attacker: Colour) -> bool {
    board.count(attacker, Threat::OpenFour) + board.count(attacker, Threat::DoubleFour) > 0
}

/// The points that may stop every straight four and double four that the opponent of `defender`
/// can make next. A reply outside this set that is not a four loses: the opponent plays the
/// point that it left alone, and then has two ways to make five. (Under caro rules, where one stone may
/// stop two fives, replies outside the set can hold a double four.)
#[must_use]
pub fn defences(board: &Board, defender: Colour) -> PointSet {
    let attacker = !defender;
    let threats = board
        .points_with(attacker, Threat::OpenFour)
        .union(board.points_with(attacker, Threat::DoubleFour));
    let mut common = *board.empty();
    for threat in &threats {
        let mut stopping: PointSet = [threat].into_iter().collect();
        for direction in Direction::ALL {
            let class = board.key(threat, attacker).class(direction);
            if !class.is_four() {
                continue;
            }
            for point in line_around(board, threat, direction) {
                let pair = board.class_pair_after(threat, direction, point, defender);
                let after = Class::from_index(pair >> (4 * attacker.index()) & 15);
                if after < class {
                    stopping.insert(point);
                }
            }
        }
        common = common.intersection(&stopping);
    }
    common
}

/// The points where `attacker` may play a four or a five, strongest first and fouls
/// left out.
#[must_use]
pub fn fours(board: &mut Board, attacker: Colour) -> Points {
    let mut points = Points::new();
    for threat in [
        Threat::Five,
        Threat::OpenFour,
        Threat::DoubleFour,
        Threat::FourThree,
        Threat::FourPlus,
        Threat::Four,
    ] {
        if board.count(attacker, threat) > 0 {
            points.extend(board.points_with(attacker, threat).iter());
        }
    }
    if board.rule().has_fouls(attacker) && board.count(attacker, Threat::Foul) > 0 {
        // A four whose double-three turns out to be none.
        let suspects = *board.points_with(attacker, Threat::Foul);
        for point in &suspects {
            let classes = board.key(point, attacker).classes();
            if classes.iter().any(|class| class.is_four()) && !foul::is_foul(board, point) {
                points.push(point);
            }
        }
    }
    points
}

/// Whether `colour` may play on the empty `point`.
#[must_use]
#[inline]
pub fn is_legal(board: &mut Board, point: Point, colour: Colour) -> bool {
    colour == Colour::White || !foul::is_foul(board, point)
}

/// The empty points up to [`PAD`] cells from `point` on its line in `direction`, as far as the first
/// wall or edge each way: nothing behind that touches the point.
fn line_around(
    board: &Board,
    point: Point,
    direction: Direction,
) -> impl Iterator<Item = Point> + '_ {
    [-1, 1].into_iter().flat_map(move |sign| {
        (1..=isize::from(PAD))
            .map(move |steps| point.offset(direction, sign * steps))
            .take_while(|&point| !matches!(board.cell(point), None | Some(Cell::Wall)))
            .filter(|&point| board.is_empty(point))
    })
}
