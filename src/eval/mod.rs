//! A number for a board.
//!
//! [`Evaluation`] is an observer of the board: it keeps the sum of a table value per empty
//! cell and colour, looked up by the cell's four line classes, and adds what the numbers
//! of threats say about the side to move. [`Weights`] holds the tables of one rule; the
//! hand-made ones are in [`hand`].
//!
//! Assumes that every move it should know of is played with it as the observer. Undoing is a copy: restore
//! the [`Evaluation`] from before the move. Promises a score strictly inside
//! [`EVAL_LIMIT`](crate::types::score::EVAL_LIMIT), integers throughout, so it is the
//! same on every CPU.

pub mod hand;

use crate::board::{Board, Observer};
use crate::pattern::{Key, Threat};
use crate::rule::RuleKind;
use crate::types::score::EVAL_LIMIT;
use crate::types::{ByColour, Colour, Point, Score};

/// The tables of one rule.
pub struct Weights {
    /// Index: colour, key. Points that an empty cell with this key is worth to its colour.
    cells: ByColour<Box<[i16]>>,
    /// Points per point with a threat, for the side to move. Index: threat.
    own_threats: [i32; Threat::COUNT],
    /// Points per point with a threat of the opponent. Index: threat.
    opponent_threats: [i32; Threat::COUNT],
    /// Points for being on the move.
    tempo: i32,
}

impl Weights {
    /// The tables for `rule`.
    #[must_use]
    pub fn of(rule: RuleKind) -> &'static Self {
        hand::weights(rule)
    }
}

/// The running evaluation of a board.
#[derive(Clone, Copy)]
pub struct Evaluation {
    weights: &'static Weights,
    /// Black's cells minus White's.
    total: i32,
}

impl Evaluation {
    /// The evaluation of `board`, from scratch.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let weights = Weights::of(board.rule());
        let mut evaluation = Self { weights, total: 0 };
        for point in board.empty() {
            for colour in Colour::ALL {
                evaluation.add(colour, board.key(point, colour), 1);
            }
        }
        evaluation
    }

    /// The score of `board` for the side to move.
    #[must_use]
    pub fn score(&self, board: &Board) -> Score {
        let side = board.side();
        let cells = if side == Colour::Black {
            self.total
        } else {
            -self.total
        };
        let threats = |colour: Colour, weights: &[i32; Threat::COUNT]| -> i32 {
            board
                .counts(colour)
                .iter()
                .zip(weights)
                .map(|(&n, &w)| i32::from(n) * w)
                .sum()
        };
        let score = cells + self.weights.tempo + threats(side, &self.weights.own_threats)
            - threats(!side, &self.weights.opponent_threats);
        score.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }

    /// Black's cells minus White's, without what the side to move adds. For tests.
    #[must_use]
    pub const fn total(&self) -> i32 {
        self.total
    }

    #[inline]
    fn add(&mut self, colour: Colour, key: Key, times: i32) {
        let value = i32::from(self.weights.cells[colour][key.index()]) * times;
        self.total += if colour == Colour::Black {
            value
        } else {
            -value
        };
    }
}

impl Observer for Evaluation {
    #[inline]
    fn changed(&mut self, _: Point, colour: Colour, old: Key, new: Key) {
        self.add(colour, new, 1);
        self.add(colour, old, -1);
    }

    #[inline]
    fn filled(&mut self, _: Point, keys: ByColour<Key>) {
        for colour in Colour::ALL {
            self.add(colour, keys[colour], -1);
        }
    }
}
