//! A number for a board.
//!
//! [`Evaluation`] is an observer of the board: it keeps the sum of a table value per empty
//! cell and colour, looked up by the cell's four line classes, and adds what the numbers
//! of threats say. What the parameters are, and which of them count in a position, is defined once
//! in [`params`]; the trainer uses the same definition. [`hand`] has parameters made by
//! hand, [`weights`] those that are embedded in the executable. [`Evaluator`] adds what the small network of line
//! windows in [`net`] says, and is what the search talks to.
//!
//! Assumes that every move it should know of is played with it as the observer. Undoing is a
//! copy: restore the [`Evaluation`] from before the move. Promises a score strictly inside
//! [`EVAL_LIMIT`], integers throughout, so it is the same on every CPU.

pub(crate) mod block;
pub(crate) mod combo;
pub(crate) mod hand;
pub(crate) mod net;
pub(crate) mod params;
pub(crate) mod weights;

use crate::board::{Board, Observer};
use crate::pattern::{Key, Threat};
use crate::rule::RuleKind;
use crate::types::score::EVAL_LIMIT;
use crate::types::{ByColour, Colour, Point, PointSet, Score};

use net::{Net, Network};
use params::Place;
use weights::Weights;

/// What evaluates under `rule`, in a few words for people.
#[must_use]
pub(crate) const fn name(rule: RuleKind) -> &'static str {
    if weights::is_fitted(rule) {
        "fitted tables and network"
    } else {
        "hand-made tables, fitted network"
    }
}

/// The running evaluation of a board.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation {
    weights: &'static Weights,
    /// Sum over the empty cells of what each colour's is worth: to it when it is to move
    /// (first), to its opponent when that one is (second).
    cells: ByColour<[i32; 2]>,
}

impl Evaluation {
    /// The evaluation of `board`, from scratch.
    #[must_use]
    pub(crate) fn new(board: &Board) -> Self {
        Self::with_weights(board, Weights::of(board.rule()))
    }

    /// The evaluation of `board` with other weights than the embedded ones.
    #[must_use]
    pub(crate) fn with_weights(board: &Board, weights: &'static Weights) -> Self {
        let mut evaluation = Self {
            weights,
            cells: ByColour([[0; 2]; 2]),
        };
        for point in board.empty() {
            for colour in Colour::ALL {
                evaluation.add(colour, board.key(point, colour));
            }
        }
        evaluation
    }

    /// The score of `board` for the side to move.
    #[must_use]
    pub(crate) fn score(&self, board: &Board) -> Score {
        let side = board.side();
        let mut score = self.cells[side][0] + self.cells[!side][1] + self.weights.tempo;
        let own = board.counts(side);
        let theirs = board.counts(!side);
        for threat in 1..Threat::COUNT {
            score += self.weights.own_threats[threat][usize::from(own[threat]).min(params::MOST)];
            score += self.weights.opponent_threats[threat]
                [usize::from(theirs[threat]).min(params::MOST)];
        }
        score.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }

    #[inline]
    fn add(&mut self, colour: Colour, key: Key) {
        let [own, opponent] = self.weights.cell(colour, key);
        self.cells[colour][0] += i32::from(own);
        self.cells[colour][1] += i32::from(opponent);
    }

    #[inline]
    fn subtract(&mut self, colour: Colour, key: Key) {
        let [own, opponent] = self.weights.cell(colour, key);
        self.cells[colour][0] -= i32::from(own);
        self.cells[colour][1] -= i32::from(opponent);
    }
}

/// Everything that judges the positions of a search: the tables and the network.
pub(crate) struct Evaluator {
    tables: Evaluation,
    net: Net,
    /// The tables' state before each move.
    saved: Vec<Evaluation>,
}

impl Evaluator {
    /// The evaluator of `board`, from scratch.
    #[must_use]
    pub(crate) fn new(board: &Board) -> Self {
        Self {
            tables: Evaluation::new(board),
            net: Net::new(Network::of(board.rule()), board),
            saved: Vec::new(),
        }
    }

    /// Plays `point` on `board`, which must be the one that this evaluator was made for.
    #[inline]
    pub(crate) fn play(&mut self, board: &mut Board, point: Point) {
        self.saved.push(self.tables);
        board.play(point, &mut self.tables);
        self.net.push(point);
    }

    /// Takes back the last [`play`](Self::play).
    #[inline]
    pub(crate) fn undo(&mut self, board: &mut Board) {
        board.undo();
        if let Some(tables) = self.saved.pop() {
            self.tables = tables;
        }
        self.net.pop();
    }

    /// The score of `board` for the side to move.
    #[must_use]
    pub(crate) fn score(&mut self, board: &Board) -> Score {
        self.net.refresh(board);
        let score = self.tables.score(board) + self.net.score(board.side());
        score.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }

    /// The score without what the network adds: not as good, but always known.
    #[must_use]
    pub(crate) fn rough_score(&self, board: &Board) -> Score {
        self.tables.score(board)
    }

    /// How likely each of `points` is the best move of the side to move: calls `visit` with the
    /// point and the logarithm of its odds in 1/100.
    pub(crate) fn policy(
        &mut self,
        board: &Board,
        points: &PointSet,
        mut visit: impl FnMut(Point, i32),
    ) {
        let side = board.side();
        let mut before = board.moves().rev();
        let (last, own_last) = (before.next().flatten(), before.next().flatten());
        self.net.refresh(board);
        for point in points {
            let keys = ByColour(Colour::ALL.map(|colour| board.key(point, colour)));
            let (last, own_last) = (Place::beside(last, point), Place::beside(own_last, point));
            let odds = self.tables.weights.policy(side, keys, last, own_last);
            visit(point, odds + self.net.policy(side, point));
        }
    }
}

impl Observer for Evaluation {
    #[inline]
    fn changed(&mut self, _: Point, colour: Colour, old: Key, new: Key) {
        self.add(colour, new);
        self.subtract(colour, old);
    }

    #[inline]
    fn filled(&mut self, _: Point, keys: ByColour<Key>) {
        for colour in Colour::ALL {
            self.subtract(colour, keys[colour]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Size, SplitMix64};

    /// The score as the sum of the parameters that [`params::features`] names.
    fn slow_score(board: &Board) -> Score {
        let values = weights::parameters(board.rule());
        let mut sum = 0;
        params::features(board, |index| sum += i32::from(values[index]));
        sum.clamp(1 - EVAL_LIMIT, EVAL_LIMIT - 1)
    }

    #[test]
    fn incremental_equals_the_definition_through_play_and_undo() {
        let mut rng = SplitMix64::new(1);
        for rule in RuleKind::ALL {
            let mut board = Board::new(Size::new(15, 12).expect("in range"), rule);
            let mut evaluation = Evaluation::new(&board);
            let mut saved = Vec::new();
            for _ in 0..400 {
                if board.ply() > 0 && (rng.below(3) == 0 || board.ply() > 60) {
                    board.undo();
                    evaluation = saved.pop().expect("one per move");
                } else {
                    let candidates = board.candidates();
                    let point = candidates.iter().nth(rng.below(candidates.len()));
                    saved.push(evaluation);
                    board.play(point.expect("a candidate"), &mut evaluation);
                }
                assert_eq!(evaluation.score(&board), slow_score(&board), "{rule}");
            }
        }
    }
}
