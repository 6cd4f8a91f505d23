//! Margins and formulas of the search, each a named function.
//!
//! Units are evaluation points and plies. The values are first guesses in the range that
//! published engines use; each is to be tuned by games.

use crate::pattern::Threat;

/// Half the first aspiration window.
pub(super) const ASPIRATION: i32 = 24;
/// Depth from which iterations use an aspiration window.
pub(super) const ASPIRATION_DEPTH: i32 = 5;

/// At `depth` plies or less, an evaluation this far below alpha is trusted unless a VCF says
/// otherwise.
pub(super) const fn razor_margin(depth: i32) -> i32 {
    90 + 70 * depth
}
/// Deepest nodes that are razored.
pub(super) const RAZOR_DEPTH: i32 = 3;

/// An evaluation this far above beta is trusted at `depth` plies.
pub(super) const fn reverse_futility_margin(depth: i32, improving: bool) -> i32 {
    60 + 55 * (depth - improving as i32)
}
/// Deepest nodes that reverse futility cuts.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 7;

/// A quiet move with `depth` plies left cannot gain more than this.
pub(super) const fn futility_margin(depth: i32) -> i32 {
    70 + 50 * depth
}
/// Deepest remaining depth at which quiet moves are cut by futility.
pub(super) const FUTILITY_DEPTH: i32 = 7;

/// After this many moves at `depth` plies the rest of the quiet ones are skipped.
pub(super) const fn move_count_limit(depth: i32, improving: bool) -> i32 {
    let limit = 6 + 2 * depth + depth * depth;
    if improving { limit } else { limit * 2 / 3 }
}

/// Plies by which the `count`-th move at `depth` plies is reduced (before adjustments),
/// in 1/1024 ply.
pub(super) const fn reduction(depth: i32, count: i32) -> i32 {
    358 + log2(depth) * log2(count) / 4475
}

/// The logarithm to base 2 of `n` in 1/1024, by a table: the same on every CPU.
const fn log2(n: i32) -> i32 {
    const TABLE: [i32; 256] = {
        let mut table = [0; 256];
        let mut n = 1;
        while n < 256 {
            // Whole part, then ten more binary places by repeated squaring.
            let whole = (n as u64).ilog2();
            let mut mantissa = ((n as u64) << 31) >> whole;
            let mut result = whole.cast_signed();
            let mut place = 0;
            while place < 10 {
                mantissa = (mantissa * mantissa) >> 31;
                result *= 2;
                if mantissa >> 32 != 0 {
                    mantissa >>= 1;
                    result += 1;
                }
                place += 1;
            }
            table[n] = result;
            n += 1;
        }
        table
    };
    TABLE[if n < 1 {
        1
    } else if n > 255 {
        255
    } else {
        n.cast_unsigned() as usize
    }]
}

/// What making a threat adds to the order of a move. Index: threat of the side to move.
pub(super) const OWN_ORDER: [i32; Threat::COUNT] = [
    0, -500, 300, 420, 600, 700, 1500, 1900, 4200, 1600, 2300, 6000, 9000, 9500, 20_000,
];
/// What taking a point of the opponent adds. Index: threat of the opponent there.
pub(super) const BLOCK_ORDER: [i32; Threat::COUNT] = [
    0, -300, 220, 260, 460, 500, 900, 1300, 3000, 700, 1100, 3600, 5000, 5200, 10_000,
];

/// Nodes that a VCF at a leaf may enter.
pub(super) const LEAF_VCF_NODES: u64 = 120;
/// Attacker moves of a VCF at a leaf.
pub(super) const LEAF_VCF_MOVES: u8 = 10;
/// Nodes that the VCF before the first iteration may enter.
pub(super) const ROOT_VCF_NODES: u64 = 60_000;
/// Attacker moves of the VCF before the first iteration.
pub(super) const ROOT_VCF_MOVES: u8 = 60;
