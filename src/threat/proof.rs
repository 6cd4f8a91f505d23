//! What a solver hands out so that others need not trust it.

use ahash::AHashMap;

use crate::types::Point;

/// A line of moves: attacker, defender, attacker, … up to the five. A `None` stands for a
/// defender without a legal reply that would stop the five.
pub type Line = smallvec::SmallVec<[Option<Point>; 32]>;

/// A winning strategy: the attacker's move in every position that the defender can reach by moves
/// that matter.
///
/// Positions are named by the key that [`Board::hash`](crate::board::Board::hash) and
/// [`position_key`](super::check::position_key) give them, the attacker to move. Whatever position is in the
/// map, the positions after each reply that matters are, too. After an attacker's move that is no four, the
/// position in which the defender has passed is among `fours`: that is the threat, and a reply that
/// leads to no position of either map must leave it intact.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The attacker's move where it does not win by continuous fours.
    pub answers: AHashMap<u64, Point>,
    /// The attacker's move, a four or five, where it wins by continuous fours.
    pub fours: AHashMap<u64, Point>,
}

impl Proof {
    /// The attacker's move in the position with `key`, the attacker to move.
    #[must_use]
    pub fn answer(&self, key: u64) -> Option<Point> {
        self.fours
            .get(&key)
            .or_else(|| self.answers.get(&key))
            .copied()
    }
}
