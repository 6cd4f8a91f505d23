//! Random keys whose exclusive or identifies a position.

use super::{Colour, GRID, Point, SplitMix64};

/// Index order: colour (a wall is the third), grid index.
static KEYS: [[u64; GRID]; 3] = keys();

#[allow(
    clippy::large_stack_arrays,
    reason = "evaluated by the compiler, never on a stack"
)]
const fn keys() -> [[u64; GRID]; 3] {
    let mut rng = SplitMix64::new(0x5155_494E_4355_4E58);
    let mut keys = [[0; GRID]; 3];
    let mut kind = 0;
    while kind < 3 {
        let mut index = 0;
        while index < GRID {
            keys[kind][index] = rng.next_u64();
            index += 1;
        }
        kind += 1;
    }
    keys
}

/// The key of a stone of `colour` on `point`.
#[must_use]
#[inline]
pub(crate) fn stone_key(colour: Colour, point: Point) -> u64 {
    KEYS[colour.index()][point.index()]
}

/// The key of a dead stone (a wall) on `point`.
#[must_use]
#[inline]
pub(crate) fn wall_key(point: Point) -> u64 {
    KEYS[2][point.index()]
}

/// The key that distinguishes White to move from Black to move.
#[must_use]
#[inline]
pub(crate) const fn side_key(side: Colour) -> u64 {
    match side {
        Colour::Black => 0,
        Colour::White => 0x9D39_247E_3377_6D41,
    }
}
