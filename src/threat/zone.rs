//! The points that matter to a win by fours.
//!
//! A win by fours stays a win after one more defender stone unless that stone takes one of its
//! points, closes one of its fives (caro), gives the defender a four somewhere along the way, or
//! changes what is foul (renju). This module collects all points of those kinds while a solver
//! walks through the win, so that a defender with a free move needs to try no other.
//! The idea is that of relevance zones in lambda search (Thomsen 2000) and of the "null-move"
//! refutation squares of threat-space search (Allis, van den Herik, Huntjens 1993).
//!
//! Why it is enough. Take a reply outside the set and play the win move by move with that stone on
//! the board. Each attacker's move is still free and still a four with the same completions; the
//! completions are free, too. The defender never has a five that it had not in the win: such a five would
//! contain the extra stone, so that the extra stone would have made a four one reply earlier, and
//! all those points are in the set. Fouls are asked about point by point where the win depends on
//! them.

use super::vcf::Visitor;
use crate::board::Board;
use crate::foul;
use crate::pattern::{Class, Threat};
use crate::types::{Colour, Direction, PAD, Point, PointSet};

/// The points where a defender stone, put down before the win begins, may change it.
pub(super) struct Zone {
    points: PointSet,
    /// Points that were empty when the defender had its free move.
    free: PointSet,
}

impl Zone {
    /// To be filled by a walk through a win of the side that is not to move on `board`. Begins with the fives of the side
    /// to move.
    pub(super) fn new(board: &Board) -> Self {
        Self {
            points: *board.points_with(board.side(), Threat::Five),
            free: *board.empty(),
        }
    }

    /// Everything collected, as far as it was empty at the start.
    pub(super) fn points(&self) -> PointSet {
        self.points.intersection(&self.free)
    }

    /// Adds the points that can close the five of `attacker` on `five`, where that makes it worthless.
    fn add_closing_points(&mut self, board: &Board, attacker: Colour, five: Point) {
        if !board.rule().closed_five_is_nothing() {
            return;
        }
        for direction in Direction::ALL {
            if board.key(five, attacker).class(direction) == Class::Five {
                let reach = isize::from(PAD);
                for steps in -reach..=reach {
                    self.points.insert(five.offset(direction, steps));
                }
            }
        }
    }

    /// Adds every empty point where a stone of `colour` turns `changed` true.
    fn add_where(
        &mut self,
        board: &mut Board,
        colour: Colour,
        changed: impl Fn(&mut Board) -> bool,
    ) {
        let candidates = board.empty().difference(&self.points);
        for point in &candidates {
            board.place(point, colour);
            if changed(board) {
                self.points.insert(point);
            }
            board.undo();
        }
    }
}

impl Visitor for Zone {
    fn attack(&mut self, board: &mut Board, point: Point) {
        let attacker = board.side();
        self.points.insert(point);
        let threat = board.threat(point, attacker);
        if threat == Threat::Five {
            // The game is over before a four of the defender counts.
            self.add_closing_points(board, attacker, point);
            return;
        }
        self.points = self.points.union(&four_points(board, !attacker));
        if threat == Threat::Foul {
            // A double-three that is none: a white stone nearby can make it one, by making a completion of
            // one of the threes legal.
            self.add_where(board, !attacker, |board| {
                board.is_empty(point) && foul::is_foul(board, point)
            });
        }
    }

    fn defend(&mut self, board: &mut Board, replies: &[Point]) {
        let defender = board.side();
        let fives = *board.points_with(!defender, Threat::Five);
        self.points = self.points.union(&fives);
        for five in &fives {
            self.add_closing_points(board, !defender, five);
        }
        if replies.is_empty()
            && board.rule().has_fouls(defender)
            && let Some(block) = fives.first()
            && board.count(!defender, Threat::Five) == 1
        {
            // The win rests on the only block being foul.
            self.add_where(board, defender, |board| {
                board.is_empty(block) && !foul::is_foul(board, block)
            });
        }
    }
}

/// The empty points where `colour` makes a four or five on some line, legal or not.
pub(super) fn four_points(board: &Board, colour: Colour) -> PointSet {
    let mut points = board.points_with_at_least(colour, Threat::Four);
    if board.rule().has_fouls(colour) && board.count(colour, Threat::Foul) > 0 {
        for point in board.points_with(colour, Threat::Foul) {
            let classes = board.key(point, colour).classes();
            if classes.into_iter().any(Class::is_four) {
                points.insert(point);
            }
        }
    }
    points
}
