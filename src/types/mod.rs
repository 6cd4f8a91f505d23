//! The vocabulary that every other module speaks.
//!
//! What it is for: naming points, colours, directions, scores, sizes and symmetries
//! once, so that no other module counts columns or negates mates by hand.
//! It assumes nothing and depends on nothing in this crate.
//!
//! Promises: every type here is small, `Copy`, and meaningful on its own; a
//! [`Point`] is always on the padded grid, so its index fits any `[T; GRID]`.

mod colour;
mod direction;
mod grid;
mod point;
mod rng;
pub mod score;
mod set;
mod size;
mod symmetry;
mod zobrist;

pub use colour::{ByColour, Colour};
pub use direction::Direction;
pub use grid::{Cell, Grid, ParseGridError};
pub use point::{GRID, Letters, PAD, ParsePointError, Point, STRIDE};
pub use rng::SplitMix64;
pub use score::Score;
pub use set::{PointSet, PointSetIter};
pub use size::Size;
pub use symmetry::Symmetry;
pub(crate) use zobrist::{side_key, stone_key, wall_key};
