//! The four lines through a point.

#![allow(clippy::cast_possible_wrap, reason = "STRIDE is 32")]

use super::point::STRIDE;

/// One of the four directions in which stones form lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Along a row: x grows.
    Horizontal = 0,
    /// Along a column: y grows.
    Vertical = 1,
    /// x and y grow together (down to the right).
    Diagonal = 2,
    /// x grows while y falls (up to the right).
    AntiDiagonal = 3,
}

impl Direction {
    /// All four, in index order.
    pub const ALL: [Self; 4] = [
        Self::Horizontal,
        Self::Vertical,
        Self::Diagonal,
        Self::AntiDiagonal,
    ];

    /// 0 to 3.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The step to the next point of the line, as a difference of grid indices.
    #[must_use]
    pub const fn delta(self) -> isize {
        match self {
            Self::Horizontal => 1,
            Self::Vertical => STRIDE as isize,
            Self::Diagonal => STRIDE as isize + 1,
            Self::AntiDiagonal => 1 - STRIDE as isize,
        }
    }

    /// The step to the next point of the line as `(dx, dy)`.
    #[must_use]
    pub const fn step(self) -> (i32, i32) {
        match self {
            Self::Horizontal => (1, 0),
            Self::Vertical => (0, 1),
            Self::Diagonal => (1, 1),
            Self::AntiDiagonal => (1, -1),
        }
    }
}
