//! The moves of a node, best first.

use smallvec::SmallVec;

use super::params::Params;
use crate::board::Board;
use crate::eval::Evaluator;
use crate::history::History;
use crate::movegen;
use crate::pattern::Threat;
use crate::types::{Point, PointSet};

/// A move and its order in hundredths of a nat; larger comes first.
pub(super) type Ordered = (i32, Point);

/// The order of the table's move.
pub(super) const FIRST: i32 = i32::MAX;

/// Hands out moves in order: the table's move, then by policy, threats made, refutation memory and
/// history. Equal orders are broken by point index.
pub(super) struct Picker {
    moves: SmallVec<[Ordered; 128]>,
    next: usize,
}

impl Picker {
    /// The moves of a position in which the opponent has no five.
    pub(super) fn new(
        board: &mut Board,
        evaluator: &mut Evaluator,
        params: &Params,
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
        Self::ordered(
            board, evaluator, params, history, &points, table_move, killers,
        )
    }

    /// All `points` in order.
    pub(super) fn ordered(
        board: &Board,
        evaluator: &mut Evaluator,
        params: &Params,
        history: &History,
        points: &PointSet,
        table_move: Option<Point>,
        killers: [Option<Point>; 2],
    ) -> Self {
        let side = board.side();
        let reply = history.reply(side, board.last_move());
        let mut moves = SmallVec::new();
        evaluator.policy(board, points, |point, odds| {
            if Some(point) == table_move {
                moves.push((FIRST, point));
                return;
            }
            let mut order = odds
                + params.threat_order(board.threat(point, side))
                + history.value(side, point) / params.history_share;
            if board.threat(point, !side) == Threat::Five {
                order += 1000;
            }
            if killers.contains(&Some(point)) {
                order += params.killer_order;
            }
            if reply == Some(point) {
                order += params.reply_order;
            }
            moves.push((order, point));
        });
        Self { moves, next: 0 }
    }

    /// The next move and its order, if any is left.
    pub(super) fn next(&mut self) -> Option<Ordered> {
        let rest = self.moves.get_mut(self.next..)?;
        let (best, _) = rest
            .iter()
            .enumerate()
            .max_by_key(|(_, (order, point))| (*order, std::cmp::Reverse(*point)))?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

/// Whether a move neither makes nor takes anything that could decide soon.
pub(super) fn is_quiet(own: Threat, theirs: Threat) -> bool {
    own < Threat::Three && theirs < Threat::DoubleThree
}
