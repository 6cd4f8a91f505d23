//! What a search is to find out, and what it decides.

use crate::types::{Point, PointSet, Score};

/// What to find out about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// A move to play, with a score for each of the best so many.
    Move {
        /// See [`Limits::lines`](crate::search::Limits::lines).
        lines: u32,
    },
    /// A win by fours and threes. If none is found, any sensible move.
    Win,
    /// Stones of alternating colour after which the position is worth about `wanted` to the side
    /// that is to move now.
    Balance {
        /// How many: 1 or 2.
        stones: usize,
        /// A score for the side to move now.
        wanted: Score,
    },
    /// Swap2: the first three stones, about equal for both sides.
    Swap2Opening,
    /// Swap2 after three stones, White to move: take Black, stay White with a move, or
    /// put two more stones.
    Swap2,
    /// Which side is better off: swap, or a move of the side to move, which the engine then plays.
    Colour,
    /// Soosõrv: the first three stones, one of the 26 openings of renju.
    SoosorvOpening,
    /// Soosõrv: the fourth stone and how many fifths Black must offer.
    SoosorvFourth,
    /// Soosõrv after four stones: whether to take White, if Black must offer so many fifths.
    SoosorvColour(u32),
    /// Soosõrv: so many fifth stones to offer, no two of them symmetric.
    SoosorvFifths(u32),
    /// Soosõrv: which of these fifth stones Black has to play.
    SoosorvChoice(PointSet),
}

impl Task {
    /// Whether this asks about a position rather than for a move of a game or an opening dialogue.
    pub(super) const fn is_analysis(self) -> bool {
        matches!(
            self,
            Self::Move { lines: 2.. } | Self::Win | Self::Balance { .. }
        )
    }
}

/// What the engine does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Put these stones: one for a move, none only on a full board. All are empty points,
    /// forbidden only if every empty point is.
    Place(Vec<Point>),
    /// Take the other colour.
    Swap,
    /// Soosõrv: put the fourth stone, and let Black offer so many fifths.
    Fourth(Point, u32),
}

impl Decision {
    /// A move, or nothing where there is none.
    #[must_use]
    pub fn play(point: Option<Point>) -> Self {
        Self::Place(point.into_iter().collect())
    }

    /// The first stone to put, if any.
    #[must_use]
    pub fn point(&self) -> Option<Point> {
        match self {
            Self::Place(points) => points.first().copied(),
            Self::Fourth(point, _) => Some(*point),
            Self::Swap => None,
        }
    }
}
