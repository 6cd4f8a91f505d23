//! Counters of what the search does, for who changes it: `cargo run --release --features stats -- bench` prints them.
//!
//! Without the feature `stats` nothing is counted and nothing is compiled into the search.

#[cfg(feature = "stats")]
use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::Point;

/// What is counted, in nodes unless the name says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Counter {
    /// The hash table knew the position.
    TableHit,
    /// What it knew was enough.
    TableCut,
    /// So far below the window that only fours were looked at.
    Razored,
    /// So far above the window that nothing was looked at.
    ReverseCut,
    /// Won by fours.
    WonByFours,
    /// Moves searched with less depth.
    Reduced,
    /// Those of them that had to be searched again.
    ReducedAgain,
    /// The first move exceeded the window.
    FirstMoveCut,
    /// Another move did.
    LaterMoveCut,
}

impl Counter {
    /// The counter for a window exceeded by a move before which others were `tried`.
    pub(super) const fn cut_after(tried: &[Point]) -> Self {
        if tried.is_empty() {
            Self::FirstMoveCut
        } else {
            Self::LaterMoveCut
        }
    }
}

#[cfg(feature = "stats")]
impl Counter {
    const ALL: [Self; 9] = [
        Self::TableHit,
        Self::TableCut,
        Self::Razored,
        Self::ReverseCut,
        Self::WonByFours,
        Self::Reduced,
        Self::ReducedAgain,
        Self::FirstMoveCut,
        Self::LaterMoveCut,
    ];
}

#[cfg(feature = "stats")]
static COUNTS: [AtomicU64; Counter::ALL.len()] = [const { AtomicU64::new(0) }; Counter::ALL.len()];

/// Counts one of these.
#[inline]
pub(super) fn tally(counter: Counter) {
    #[cfg(feature = "stats")]
    COUNTS[counter as usize].fetch_add(1, Ordering::Relaxed);
    #[cfg(not(feature = "stats"))]
    let _ = counter;
}

/// Names and numbers of everything counted in this process so far, by all threads.
#[cfg(feature = "stats")]
pub(crate) fn counts() -> impl Iterator<Item = (String, u64)> {
    Counter::ALL.into_iter().map(|counter| {
        let number = COUNTS[counter as usize].load(Ordering::Relaxed);
        (format!("{counter:?}"), number)
    })
}

#[cfg(all(test, feature = "stats"))]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_place_of_its_own() {
        for (place, counter) in Counter::ALL.into_iter().enumerate() {
            assert_eq!(counter as usize, place);
        }
        tally(Counter::LaterMoveCut);
        assert!(counts().any(|(name, number)| name == "LaterMoveCut" && number > 0));
    }
}
