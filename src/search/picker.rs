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
/// history. Equal orders are broken by point index. The others are not even listed before the table's move has been
/// tried: it is enough for most nodes that have one.
pub(super) struct Picker {
    moves: SmallVec<[Ordered; 128]>,
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
            next: 0,
            table_move: table_move.filter(|&point| board.is_empty(point)),
            killers,
            listed: false,
        }
    }

    /// The next move and its order, if any is left.
    pub(super) fn next(
        &mut self,
        board: &mut Board,
        evaluator: &mut Evaluator,
        params: &Params,
        history: &History,
    ) -> Option<Ordered> {
        if !self.listed {
            if let Some(point) = self.table_move.filter(|_| self.next == 0) {
                self.next = 1;
                return Some((FIRST, point));
            }
            self.listed = true;
            self.next = 0;
            let side = board.side();
            let mut points = if movegen::threatens_open_four(board, !side) {
                let mut points = movegen::defences(board, side);
                for four in movegen::fours(board, side) {
                    points.insert(four);
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
        let rest = self.moves.get_mut(self.next..)?;
        let (best, _) = rest
            .iter()
            .enumerate()
            .max_by_key(|(_, (order, point))| (*order, std::cmp::Reverse(*point)))?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }

    /// Leaves out all quiet moves that have not been handed out yet.
    pub(super) fn skip_quiet(&mut self, board: &Board) {
        let side = board.side();
        let mut kept = self.next;
        for i in self.next..self.moves.len() {
            let point = self.moves[i].1;
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
    moves
}

/// Whether a move neither makes nor takes anything that could decide soon.
pub(super) fn is_quiet(own: Threat, theirs: Threat) -> bool {
    own < Threat::Three && theirs < Threat::DoubleThree
}
