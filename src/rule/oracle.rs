//! Slow, obvious answers from bare stones. Tests trust this module; nothing that plays uses it.

use super::{FoulKinds, RuleKind};
use crate::types::{Colour, Grid, Point};

/// Whether a stone of `colour` on the empty `point` wins at once.
#[must_use]
pub fn wins(_rule: RuleKind, _grid: &Grid, _colour: Colour, _point: Point) -> bool {
    false
}

/// Why a stone of `colour` on the empty `point` would be foul; empty when it is legal.
#[must_use]
pub fn foul(_rule: RuleKind, _grid: &Grid, _colour: Colour, _point: Point) -> FoulKinds {
    FoulKinds::NONE
}
