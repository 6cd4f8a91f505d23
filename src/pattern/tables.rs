//! The tables of one rule, built at first use.
#![allow(
    clippy::cast_possible_truncation,
    reason = "masks of a few cells are cut out of line words; half states are a few hundred"
)]

use std::sync::LazyLock;

use super::generate::{self, HalfStates, MOST_STATES};
use super::{Key, Threat};
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

/// Number of keys.
const KEYS: usize = 1 << 16;

/// Size of the table of windows, rounded up so that a mask keeps any index inside. It fits in 16
/// bits and in the innermost cache.
const WINDOWS: usize = (MOST_STATES * MOST_STATES).next_power_of_two();
const _: () = assert!(WINDOWS <= 1 << 15);

/// Everything that look-ups need under one rule.
pub struct Tables {
    rule: RuleKind,
    /// Half line left of the point (the nearest cell has the highest bits) to half state times
    /// the number of half states.
    left: [u16; 1 << HALF_BITS],
    /// Half line right of the point (the nearest cell has the lowest bits) to half state.
    right: [u16; 1 << HALF_BITS],
    /// Index: sum of `left` and `right`. Low four bits: Black's class; high: White's.
    classes: Box<[u8; WINDOWS]>,
    threats: ByColour<Box<[Threat; KEYS]>>,
}

static ALL: [LazyLock<Tables>; 5] = [
    LazyLock::new(|| Tables::build(RuleKind::Freestyle)),
    LazyLock::new(|| Tables::build(RuleKind::Standard)),
    LazyLock::new(|| Tables::build(RuleKind::Renju)),
    LazyLock::new(|| Tables::build(RuleKind::Caro)),
    LazyLock::new(|| Tables::build(RuleKind::CaroExact)),
];

impl Tables {
    /// The tables of `rule`, built by the first call (a millisecond or two).
    #[must_use]
    pub fn of(rule: RuleKind) -> &'static Self {
        &ALL[rule.index()]
    }

    /// Builds the tables afresh; [`Tables::of`] is what everyone else wants.
    #[must_use]
    pub fn build(rule: RuleKind) -> Self {
        let reach = rule.reach();
        let states = HalfStates::new(rule);
        let (classes, (black, white)) = rayon::join(
            || class_pairs(rule, &states),
            || (threats(rule, Colour::Black), threats(rule, Colour::White)),
        );
        let within_reach = |cells: u16| cells & ((1u32 << (2 * reach)) - 1) as u16;
        let mut left = [0; 1 << HALF_BITS];
        let mut right = [0; 1 << HALF_BITS];
        for cells in 0..1u16 << HALF_BITS {
            let index = |cells| states.index_of(within_reach(cells));
            right[usize::from(cells)] = index(cells);
            left[usize::from(cells)] = index(reversed(cells)) * states.len() as u16;
        }
        Self {
            rule,
            left,
            right,
            classes,
            threats: ByColour([black, white]),
        }
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> RuleKind {
        self.rule
    }

    /// The number of the window on a line whose word, shifted so that the cell [`PAD`] before the point is
    /// lowest, is `window`; see [`Windows`](super::Windows).
    #[must_use]
    #[inline]
    pub(crate) fn window(&self, window: u64) -> usize {
        const MASK: usize = (1 << HALF_BITS) - 1;
        let window = window as u32 as usize;
        let left = self.left[window & MASK];
        let right = self.right[window >> (HALF_BITS + 2) & MASK];
        usize::from(left + right) & (WINDOWS - 1)
    }

    /// Both classes of a point on a line whose word, shifted so that the cell [`PAD`] before the
    /// point is lowest, is `window`: Black's in the low four bits, White's in the high.
    #[must_use]
    #[inline]
    pub fn classes(&self, window: u64) -> u8 {
        self.classes[self.window(window)]
    }

    /// The threat of a point with classes `key` for `colour`.
    #[must_use]
    #[inline]
    pub fn threat(&self, colour: Colour, key: Key) -> Threat {
        self.threats[colour][key.index()]
    }
}

/// Both colours' classes of all windows.
fn class_pairs(rule: RuleKind, states: &HalfStates) -> Box<[u8; WINDOWS]> {
    let count = states.len();
    let mut pairs = boxed(vec![0; WINDOWS]);
    let black = || generate::classes(rule, Colour::Black, states);
    if rule.has_fouls(Colour::Black) {
        let white = || generate::classes(rule, Colour::White, states);
        let (black, white) = rayon::join(black, white);
        for (pair, (&black, &white)) in pairs.iter_mut().zip(black.iter().zip(&white)) {
            *pair = black as u8 | (white as u8) << 4;
        }
        return pairs;
    }
    // Where the rule knows no colour, White sees what Black sees with the colours swapped.
    let black = black();
    let swapped: Vec<usize> = (0..count)
        .map(|state| states.colours_swapped(state))
        .collect();
    for left in 0..count {
        for right in 0..count {
            let black_sees = black[left * count + right];
            let white_sees = black[swapped[left] * count + swapped[right]];
            pairs[left * count + right] = black_sees as u8 | (white_sees as u8) << 4;
        }
    }
    pairs
}

/// The threat of every key for one colour.
///
/// Two small tables after one another (two lines to a pair, two pairs to the threat) fit the
/// innermost cache and still cost a tenth of the speed of the whole board.
fn threats(rule: RuleKind, colour: Colour) -> Box<[Threat; KEYS]> {
    let threat = if rule.has_fouls(colour) {
        Threat::of_restricted
    } else {
        Threat::of
    };
    boxed((0..=u16::MAX).map(|key| threat(Key(key))).collect())
}

/// A vector of known length as an array, whose length the compiler knows too.
fn boxed<T, const N: usize>(values: Vec<T>) -> Box<[T; N]> {
    let Ok(array) = values.into_boxed_slice().try_into() else {
        unreachable!("the callers fill their tables")
    };
    array
}

/// The cells of a half line in opposite order.
fn reversed(bits: u16) -> u16 {
    (0..HALF_CELLS).fold(0, |out, i| {
        out | (bits >> (2 * i) & 3) << (2 * (HALF_CELLS - 1 - i))
    })
}
