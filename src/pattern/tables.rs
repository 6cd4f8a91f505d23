//! The tables of one rule, built at first use.

use std::sync::LazyLock;

use rayon::prelude::*;

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
    #[allow(
        clippy::missing_panics_doc,
        reason = "there are a few hundred half states, whatever the rule"
    )]
    pub fn build(rule: RuleKind) -> Self {
        let reach = rule.reach();
        let states = HalfStates::new(reach);
        let by_colour: Vec<Vec<Class>> = Colour::ALL
            .par_iter()
            .map(|&colour| generate::classes(rule, colour, &states))
            .collect();
        let classes = by_colour[0]
            .iter()
            .zip(&by_colour[1])
            .map(|(&black, &white)| black as u8 | (white as u8) << 4)
            .collect();

        let count = u32::try_from(states.len()).expect("few half states");
        let mut left = [0; 1 << HALF_BITS];
        let mut right = [0; 1 << HALF_BITS];
        for bits in 0..1u16 << HALF_BITS {
            let within_reach = (1u32 << (2 * reach)) - 1;
            let near = u16::try_from(u32::from(bits) & within_reach).expect("ten bits");
            right[usize::from(bits)] = u32::from(states.index_of(near));
            let near = u16::try_from(u32::from(reversed(bits)) & within_reach).expect("ten bits");
            left[usize::from(bits)] = u32::from(states.index_of(near)) * count;
        }
        let threats = Colour::ALL.map(|colour| {
            (0..=u16::MAX)
                .map(|key| {
                    if rule.has_fouls(colour) {
                        Threat::of_restricted(Key(key))
                    } else {
                        Threat::of(Key(key))
                    }
                })
                .collect()
        });
        Self {
            rule,
            left,
            right,
            classes,
            threats: ByColour(threats),
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
        #[allow(
            clippy::cast_possible_truncation,
            reason = "only the lowest bits are looked at"
        )]
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

/// The cells of a half line in opposite order.
fn reversed(bits: u16) -> u16 {
    (0..HALF_CELLS).fold(0, |out, i| {
        out | (bits >> (2 * i) & 3) << (2 * (HALF_CELLS - 1 - i))
    })
}
