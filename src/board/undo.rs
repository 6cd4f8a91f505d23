//! What a move overwrote.

use crate::pattern::Threat;
use crate::types::{ByColour, Colour, Point};

/// The state of one cell before a move changed it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) point: Point,
    pub(super) keys: u32,
    pub(super) threats: ByColour<Threat>,
}

/// A move (or a pass) and the state of the board before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) point: Option<Point>,
    pub(super) first_change: usize,
    pub(super) side: Colour,
    pub(super) hash: u64,
}
