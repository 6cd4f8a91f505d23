//! What a search tells its listener.

use std::time::Duration;

use super::task::Decision;
use crate::search::Report;
use crate::types::Point;

/// The number of a search, counted from 1 by its engine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct SearchId(pub u64);

/// News of a search.
#[derive(Clone, Debug)]
pub enum Event {
    /// An iteration is finished; comes once for each of its lines.
    Info(Info),
    /// The search is over. Comes exactly once per search, as its last event.
    BestMove(BestMove),
}

/// A line of a finished iteration.
#[derive(Clone, Debug)]
pub struct Info {
    /// Which search.
    pub search: SearchId,
    /// What the iteration found.
    pub report: Report,
    /// Time since the search began: since the move was asked for, or earlier if it began in the
    /// opponent's time.
    pub elapsed: Duration,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct BestMove {
    /// Which search.
    pub search: SearchId,
    /// What to do.
    pub decision: Decision,
    /// What the last iteration found. Its line may begin with another move than was decided if the
    /// engine had to correct the search.
    pub report: Report,
    /// Time since the search began: since the move was asked for, or earlier if it began in the
    /// opponent's time.
    pub elapsed: Duration,
    /// Size of the hash table in bytes; 0 if none was needed.
    pub hash_bytes: usize,
    /// How much of it is in use, in thousandths.
    pub hash_used: u32,
    /// What went wrong inside, in words; the move is then the best found before.
    pub fault: Option<String>,
}

impl BestMove {
    /// The first stone to put, if the decision is to put any.
    #[must_use]
    pub fn point(&self) -> Option<Point> {
        self.decision.point()
    }
}
