//! Positions and games as text: what people write down, what programs keep.
//!
//! | form | example | read by |
//! |---|---|---|
//! | move list | `h8i9g7`, `H8 I9 G7`, `h8, i9, g7` | [`parse_moves`] |
//! | JSON object | `{"id":"a","board":["....", …],"side":"black"}` | [`Entry::from_json`] |
//! | opening offsets | `0,0, 1,-2, -1,2` | [`openings`] |
//!
//! A file of positions has one per line, move lists and JSON objects mixed as one
//! likes: [`entries`]. Files of whole games (Piskvork's `.psq`, SGF, or such lines) are read by
//! [`games`].
//!
//! What it assumes: texts come from strangers. What it promises: a [`Position`] that was read is
//! one that can be set up (every point on the board, no cell filled twice), and an error names
//! the line and the reason. Whether moves are foul or the game is long decided is not looked at.

mod game;
mod json;
mod lines;
mod moves;
pub mod openings;
mod position;
mod psq;
pub(crate) mod selfplay;
mod sgf;

pub use game::{Game, Outcome, ParseGameError, games};
pub use json::{Entry, ParseJsonError};
pub use lines::{Entries, ParseEntryError, entries, parse_entry};
pub use moves::{MoveList, ParseMovesError, parse_moves};
pub use position::{Position, PositionError};

/// An error and the line of the text that it is about.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct AtLine<E: std::error::Error> {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub reason: E,
}
