//! Black and White.

use std::ops::{Index, IndexMut, Not};

/// A player. Black is the side that made the first move of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// The first player.
    Black = 0,
    /// The second player.
    White = 1,
}

impl Colour {
    /// Both colours, Black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// 0 for Black, 1 for White.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other player.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl Not for Colour {
    type Output = Self;

    fn not(self) -> Self {
        self.opponent()
    }
}

/// A pair of values, one per colour: `[Black, White]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByColour<T>(pub [T; 2]);

impl<T> Index<Colour> for ByColour<T> {
    type Output = T;

    fn index(&self, colour: Colour) -> &T {
        &self.0[colour.index()]
    }
}

impl<T> IndexMut<Colour> for ByColour<T> {
    fn index_mut(&mut self, colour: Colour) -> &mut T {
        &mut self.0[colour.index()]
    }
}
