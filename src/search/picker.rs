//! The moves of a node, best first.

use smallvec::SmallVec;

use super::params::Params;
use crate::board::Board;
use crate::eval::Evaluator;
use crate::history::History;
use crate::movegen::{self, Points};
use crate::pattern::Threat;
use crate::types::{GRID, Point, PointSet};

/// A move and its order in hundredths of a nat; larger comes first, with equal orders the move with the
/// lower index. In one word, so that finding the best of many is quick: the order above, the inverted
/// index below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ordered(i64);

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "indices are below GRID, a thousand"
)]
impl Ordered {
    const LAST: usize = GRID - 1;

    pub(super) fn new(order: i32, point: Point) -> Self {
        Self(i64::from(order) << 32 | (Self::LAST - point.index()) as i64)
    }

    pub(super) const fn order(self) -> i32 {
        (self.0 >> 32) as i32
    }

    pub(super) const fn point(self) -> Point {
        Point::from_index(Self::LAST - (self.0 as usize & Self::LAST))
    }
}

/// The order of the table's move.
pub(super) const FIRST: i32 = i32::MAX;

/// Hands out moves in order: the table's move, then by policy, threats made, refutation memory and
/// history. Equal orders are broken by point index. The others are not even listed before the table's move has been
/// tried: it is enough for most nodes that have one.
///
/// Under the threat of a straight four, fours that neither stop it nor make anything else come last, and only if
/// asked for: they lead to the same position with fewer such fours left, and a few of
/// them in any order make a tree of their own.
pub(super) struct Picker {
    moves: SmallVec<[Ordered; 128]>,
    /// Fours that only delay.
    delaying: Points,
    next: usize,
    table_move: Option<Point>,
    killers: [Option<Point>; 2],
    listed: bool,
}

impl Picker {
    /// The moves of a position in which the opponent has no five.
    pub(super) fn new(
        board: &Board,
        table_move: Option<Point>,
        killers: [Option<Point>; 2],
    ) -> Self {
        Self {
            moves: SmallVec::new(),
            delaying: Points::new(),
            next: 0,
            table_move: table_move.filter(|&point| board.is_empty(point)),
            killers,
            listed: false,
        }
    }

    /// The next move and its order, if any is left; with `delaying` that may be a four that only delays.
    pub(super) fn next(
        &mut self,
        board: &mut Board,
        evaluator: &mut Evaluator,
        params: &Params,
        history: &History,
        delaying: bool,
    ) -> Option<Ordered> {
        if !self.listed {
            if let Some(point) = self.table_move.filter(|_| self.next == 0) {
                self.next = 1;
                return Some(Ordered::new(FIRST, point));
            }
            self.listed = true;
            self.next = 0;
            let side = board.side();
            let mut points = if movegen::threatens_open_four(board, !side) {
                let mut points = movegen::defences(board, side);
                for four in movegen::fours(board, side) {
                    if board.threat(four, side) > Threat::Four {
                        points.insert(four);
                    } else if !points.contains(four) && self.table_move != Some(four) {
                        self.delaying.push(four);
                    }
                }
                points
            } else {
                board.candidates()
            };
            if let Some(point) = self.table_move {
                points.remove(point);
            }
            self.moves = ordered(board, evaluator, params, history, &points, self.killers);
        }
        if delaying && self.next >= self.moves.len() {
            let delaying = self.delaying.drain(..);
            self.moves
                .extend(delaying.map(|point| Ordered::new(0, point)));
        }
        let rest = self.moves.get_mut(self.next..)?;
        let mut best = 0;
        for (i, ordered) in rest.iter().enumerate() {
            if *ordered > rest[best] {
                best = i;
            }
        }
        if rest.is_empty() {
            return None;
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }

    /// Whether there are fours that only delay and have not been handed out.
    pub(super) fn delays(&self) -> bool {
        !self.delaying.is_empty()
    }

    /// Leaves out all quiet moves that have not been handed out yet.
    pub(super) fn skip_quiet(&mut self, board: &Board) {
        let side = board.side();
        let mut kept = self.next;
        for i in self.next..self.moves.len() {
            let point = self.moves[i].point();
            if !is_quiet(board.threat(point, side), board.threat(point, !side)) {
                self.moves.swap(kept, i);
                kept += 1;
            }
        }
        self.moves.truncate(kept);
    }
}

/// All `points` with their orders, in no order.
pub(super) fn ordered(
    board: &Board,
    evaluator: &mut Evaluator,
    params: &Params,
    history: &History,
    points: &PointSet,
    killers: [Option<Point>; 2],
) -> SmallVec<[Ordered; 128]> {
    let side = board.side();
    let reply = history.reply(side, board.last_move());
    let mut moves = SmallVec::new();
    evaluator.policy(board, points, |point, odds| {
        let mut order = odds
            + params.threat_order(board.threat(point, side))
            + history.value(side, point) * params.history_weight() / 1024;
        if board.threat(point, !side) == Threat::Five {
            order += 1000;
        }
        if killers.contains(&Some(point)) {
            order += params.killer_order();
        }
        if reply == Some(point) {
            order += params.reply_order();
        }
        moves.push(Ordered::new(order, point));
    });
    moves
}

/// Whether a move neither makes nor takes anything that could decide soon.
pub(super) fn is_quiet(own: Threat, theirs: Threat) -> bool {
    own < Threat::Three && theirs < Threat::DoubleThree
}
