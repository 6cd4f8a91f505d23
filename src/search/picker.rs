//! The moves of a node, best first.

use smallvec::SmallVec;

use super::params::{BLOCK_ORDER, OWN_ORDER};
use crate::board::Board;
use crate::history::History;
use crate::movegen;
use crate::pattern::Threat;
use crate::types::{Point, PointSet};

/// A move and its order; larger comes first.
type Scored = (i32, Point);

/// Hands out moves in order: the table's move, then by threats made and taken, refutation memory
/// and history. Equal orders are broken by point index.
pub(super) struct Picker {
    moves: SmallVec<[Scored; 128]>,
    next: usize,
}

impl Picker {
    /// The moves of a position in which the opponent has no five.
    pub(super) fn new(
        board: &mut Board,
        history: &History,
        table_move: Option<Point>,
        killers: [Option<Point>; 2],
    ) -> Self {
        let side = board.side();
        let points = if movegen::threatens_open_four(board, !side) {
            let mut points = movegen::defences(board, side);
            for four in movegen::fours(board, side) {
                points.insert(four);
            }
            points
        } else {
            board.candidates()
        };
        Self::ordered(board, history, &points, table_move, killers)
    }

    /// All `points` in order.
    pub(super) fn ordered(
        board: &Board,
        history: &History,
        points: &PointSet,
        table_move: Option<Point>,
        killers: [Option<Point>; 2],
    ) -> Self {
        let side = board.side();
        let reply = history.reply(side, board.last_move());
        let mut moves = SmallVec::new();
        for point in points {
            let order = if Some(point) == table_move {
                i32::MAX
            } else {
                let own = board.threat(point, side);
                let theirs = board.threat(point, !side);
                let mut order = OWN_ORDER[own.index()] + BLOCK_ORDER[theirs.index()];
                order += history.value(side, point) / 4;
                if killers.contains(&Some(point)) {
                    order += 900;
                }
                if reply == Some(point) {
                    order += 700;
                }
                order
            };
            moves.push((order, point));
        }
        Self { moves, next: 0 }
    }

    /// The next move, if any.
    pub(super) fn next(&mut self) -> Option<Point> {
        let rest = self.moves.get_mut(self.next..)?;
        let best = rest
            .iter()
            .enumerate()
            .max_by_key(|(_, (order, point))| (*order, std::cmp::Reverse(*point)))?
            .0;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0].1)
    }
}

/// Whether a move neither makes nor takes anything that could decide soon.
pub(super) fn is_quiet(own: Threat, theirs: Threat) -> bool {
    own < Threat::Three && theirs < Threat::DoubleThree
}
