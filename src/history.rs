//! Statistics that order moves: what refuted before is tried first.
//!
//! All values follow one rule, "gravity": a bonus moves a value towards the bonus's sign by a
//! part that shrinks as the value nears [`MAX_HISTORY`], so nothing overflows and old
//! news fades.

use crate::types::{ByColour, Colour, GRID, Point};

/// Bound of every history value.
pub(crate) const MAX_HISTORY: i32 = 1 << 13;

/// Moves `value` by `bonus`, less the nearer it is to the bound.
fn gravitate(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-MAX_HISTORY / 4, MAX_HISTORY / 4);
    let old = i32::from(*value);
    let new = old + bonus - old * bonus.abs() / MAX_HISTORY;
    *value = i16::try_from(new).unwrap_or(*value);
}

/// The move-ordering memory of one worker.
pub(crate) struct History {
    /// Index: colour, grid index of the move.
    moves: ByColour<Box<[i16; GRID]>>,
    /// The last move that refuted a given move. Index: colour of the reply, grid index of
    /// the refuted move.
    replies: ByColour<Box<[Option<Point>; GRID]>>,
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// An empty memory.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self {
            moves: ByColour([0, 1].map(|_| Box::new([0; GRID]))),
            replies: ByColour([0, 1].map(|_| Box::new([None; GRID]))),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Halves all values, so that a new search trusts them less.
    pub(crate) fn age(&mut self) {
        for colour in Colour::ALL {
            for value in self.moves[colour].iter_mut() {
                *value /= 2;
            }
        }
    }

    /// How often `point` was good for `colour`, from `-MAX_HISTORY` to `MAX_HISTORY`.
    #[must_use]
    #[inline]
    pub(crate) fn value(&self, colour: Colour, point: Point) -> i32 {
        i32::from(self.moves[colour][point.index()])
    }

    /// The last good answer of `colour` to the opponent's move `previous`.
    #[must_use]
    #[inline]
    pub(crate) fn reply(&self, colour: Colour, previous: Option<Point>) -> Option<Point> {
        previous.and_then(|previous| self.replies[colour][previous.index()])
    }

    /// `best` refuted the opponent's `previous` at `depth` plies, after `tried` had not.
    pub(crate) fn reward(
        &mut self,
        colour: Colour,
        depth: i32,
        previous: Option<Point>,
        best: Point,
        tried: &[Point],
    ) {
        let bonus = (depth * depth * 4 + depth * 16).min(MAX_HISTORY / 6);
        gravitate(&mut self.moves[colour][best.index()], bonus);
        for &point in tried {
            gravitate(&mut self.moves[colour][point.index()], -bonus);
        }
        if let Some(previous) = previous {
            self.replies[colour][previous.index()] = Some(best);
        }
    }
}
