//! The windows that the tables tell apart, as numbers: what a learned evaluation looks at.
//!
//! A window is what an empty point sees of one line: its left and its right half. Its number
//! is the one that [`Tables::window`] gives. Assumes nothing; promises that two windows share a
//! number only if no stone on them can ever make a difference to either side.
//!
//! [`Tables::window`]: super::Tables::window

use super::generate::HalfStates;
use crate::rule::RuleKind;

/// The windows of one rule and how they relate.
pub(crate) struct Windows {
    states: HalfStates,
}

impl Windows {
    /// The windows of `rule`. Takes a fraction of a millisecond.
    #[must_use]
    pub(crate) fn new(rule: RuleKind) -> Self {
        Self {
            states: HalfStates::new(rule),
        }
    }

    /// One more than the greatest number.
    #[must_use]
    pub(crate) const fn count(&self) -> usize {
        self.states.len() * self.states.len()
    }

    /// The window seen from the other end of the line.
    #[must_use]
    pub(crate) const fn mirrored(&self, window: usize) -> usize {
        let states = self.states.len();
        window % states * states + window / states
    }

    /// What `other` makes of a window of this rule, as far as it looks, which must not be farther.
    #[must_use]
    pub(crate) fn seen_by(&self, other: &Self, window: usize) -> usize {
        let states = self.states.len();
        let [left, right] =
            [window / states, window % states].map(|half| self.states.seen_by(&other.states, half));
        left * other.states.len() + right
    }

    /// The window with the colours of all stones exchanged.
    #[must_use]
    pub(crate) fn colours_swapped(&self, window: usize) -> usize {
        let states = self.states.len();
        let [left, right] =
            [window / states, window % states].map(|half| self.states.colours_swapped(half));
        left * states + right
    }
}
