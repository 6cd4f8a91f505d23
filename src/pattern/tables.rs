//! The tables of one rule, built at first use.
#![allow(
    clippy::cast_possible_truncation,
    reason = "masks of a few cells are cut out of line words; half states are a few hundred"
)]

use std::sync::LazyLock;

use super::generate::{self, HalfStates};
use super::{Class, Key, Threat};
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour, PAD};

/// A cell outside the board or a dead stone, in a line word.
pub const WALL_BITS: u64 = 0b00;
/// A black stone in a line word.
pub const BLACK_BITS: u64 = 0b01;
/// A white stone in a line word.
pub const WHITE_BITS: u64 = 0b10;
/// An empty cell in a line word.
pub const EMPTY_BITS: u64 = 0b11;

const HALF_CELLS: usize = PAD as usize;
const HALF_BITS: usize = 2 * HALF_CELLS;

/// Everything that look-ups need under one rule.
pub struct Tables {
    rule: RuleKind,
    /// Half line left of the point (the nearest cell has the highest bits) to half state times
    /// the number of half states.
    left: [u32; 1 << HALF_BITS],
    /// Half line right of the point (the nearest cell has the lowest bits) to half state.
    right: [u32; 1 << HALF_BITS],
    /// Index: sum of `left` and `right`. Low four bits: Black's class; high: White's.
    classes: Vec<u8>,
    /// Index: colour, key.
    threats: ByColour<Vec<Threat>>,
}

static ALL: [LazyLock<Tables>; 5] = [
    LazyLock::new(|| Tables::build(RuleKind::Freestyle)),
    LazyLock::new(|| Tables::build(RuleKind::Standard)),
    LazyLock::new(|| Tables::build(RuleKind::Renju)),
    LazyLock::new(|| Tables::build(RuleKind::Caro)),
    LazyLock::new(|| Tables::build(RuleKind::CaroExact)),
];

impl Tables {
    /// The tables of `rule`, built by the first call (about 10 ms).
    #[must_use]
    pub fn of(rule: RuleKind) -> &'static Self {
        &ALL[rule.index()]
    }

    /// Builds the tables afresh; [`Tables::of`] is what everyone else wants.
    #[must_use]
    pub fn build(rule: RuleKind) -> Self {
        let reach = rule.reach();
        let states = HalfStates::new(reach);
        let (classes, threats) = rayon::join(|| class_pairs(rule, &states), || threats(rule));
        let within_reach = |cells: u16| cells & ((1u32 << (2 * reach)) - 1) as u16;
        let mut left = [0; 1 << HALF_BITS];
        let mut right = [0; 1 << HALF_BITS];
        for cells in 0..1u16 << HALF_BITS {
            let index = |cells| u32::from(states.index_of(within_reach(cells)));
            right[usize::from(cells)] = index(cells);
            left[usize::from(cells)] = index(reversed(cells)) * states.len() as u32;
        }
        Self {
            rule,
            left,
            right,
            classes,
            threats,
        }
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> RuleKind {
        self.rule
    }

    /// Both classes of a point on a line whose word, shifted so that the cell [`PAD`] before the
    /// point is lowest, is `window`: Black's in the low four bits, White's in the high.
    #[must_use]
    #[inline]
    pub fn classes(&self, window: u64) -> u8 {
        const MASK: usize = (1 << HALF_BITS) - 1;
        let window = window as u32 as usize;
        let left = self.left[window & MASK];
        let right = self.right[window >> (HALF_BITS + 2) & MASK];
        self.classes[(left + right) as usize]
    }

    /// The threat of a point with classes `key` for `colour`.
    #[must_use]
    #[inline]
    pub fn threat(&self, colour: Colour, key: Key) -> Threat {
        self.threats[colour][key.index()]
    }
}

/// Both colours' classes of all windows.
fn class_pairs(rule: RuleKind, states: &HalfStates) -> Vec<u8> {
    let count = states.len();
    let pair = |black: Class, white: Class| black as u8 | (white as u8) << 4;
    let black = || generate::classes(rule, Colour::Black, states);
    if rule.has_fouls(Colour::Black) {
        let white = || generate::classes(rule, Colour::White, states);
        let (black, white) = rayon::join(black, white);
        return black
            .into_iter()
            .zip(white)
            .map(|(b, w)| pair(b, w))
            .collect();
    }
    // Where the rule knows no colour, White sees what Black sees with the colours swapped.
    let black = black();
    let swapped: Vec<usize> = (0..count)
        .map(|state| states.colours_swapped(state))
        .collect();
    let mut pairs = Vec::with_capacity(count * count);
    for left in 0..count {
        for right in 0..count {
            let white = black[swapped[left] * count + swapped[right]];
            pairs.push(pair(black[left * count + right], white));
        }
    }
    pairs
}

/// The threat of every key, for each colour.
fn threats(rule: RuleKind) -> ByColour<Vec<Threat>> {
    let of_side = |threat: fn(Key) -> Threat| (0..=u16::MAX).map(|key| threat(Key(key))).collect();
    let white: Vec<Threat> = of_side(Threat::of);
    let black = if rule.has_fouls(Colour::Black) {
        of_side(Threat::of_restricted)
    } else {
        white.clone()
    };
    ByColour([black, white])
}

/// The cells of a half line in opposite order.
fn reversed(bits: u16) -> u16 {
    (0..HALF_CELLS).fold(0, |out, i| {
        out | (bits >> (2 * i) & 3) << (2 * (HALF_CELLS - 1 - i))
    })
}
