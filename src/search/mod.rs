//! Alpha-beta: one [`Searcher`] over one board, or a [`Team`] of them over one table.
//!
//! The search knows no clock and no text: it asks a [`Control`] whether to stop and tells it
//! about finished iterations. See `README.md` beside this file for what was tried.
//!
//! Promises: with one thread and limits by depth or nodes the result depends on nothing but
//! position, history of the [`Searcher`] and limits; a score that [`crate::types::score`] calls
//! decisive is proved.

mod lines;
mod negamax;
pub(crate) mod params;
mod picker;
mod root;
pub(crate) mod stats;
mod team;

pub(crate) use team::ASSISTANT_BYTES;
pub use team::Team;

use std::sync::Arc;

use crate::board::Board;
use crate::eval::Evaluator;
use crate::history::History;
use crate::threat::Line;
use crate::threat::vcf::{Vcf, Verdict};
use crate::threat::vct::Vct;
use crate::tt::Table;
use crate::types::{Point, PointSet, Score};
use params::Params;

/// When a search ends by itself, and what it looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Positions entered by `play`, threat search included.
    pub max_nodes: Option<u64>,
    /// Iterations of iterative deepening, in plies.
    pub max_depth: Option<u32>,
    /// How many of the best moves to score, each with a [`Report`] of its own. 0 and 1 mean the
    /// best alone, which then may be found without scoring it (a proof, an only move).
    pub lines: u32,
    /// Points not to play, unless nothing else is left.
    pub excluded: PointSet,
}

/// What a finished iteration found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Which of the [`Limits::lines`] this is: 0 for the best.
    pub rank: u32,
    /// How many lines the iteration scores: 1 unless more were asked for.
    pub lines: u32,
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

    /// Told after each iteration, once for each of the lines, the best first; `false` ends the search (the next one would not finish in time).
    fn iteration(&mut self, report: &Report) -> bool;
}

impl Limits {
    /// Iterations to make at most.
    fn depth(&self) -> u32 {
        self.max_depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH)
    }

    /// Whether the first move of a proof may be played.
    fn allows(&self, line: &[Option<Point>]) -> bool {
        let first = line.first().copied().flatten();
        first.is_some_and(|point| !self.excluded.contains(point))
    }
}

/// Lets a search run to its [`Limits`] and hears nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unattended;

impl Control for Unattended {
    fn should_stop(&mut self, _: u64) -> bool {
        false
    }

    fn iteration(&mut self, _: &Report) -> bool {
        true
    }
}

/// Deepest nominal depth.
const MAX_DEPTH: u32 = 120;
/// Deepest ply of a line.
const MAX_PLY: usize = 256;
/// Bits of the memory of the VCF solver.
const VCF_BITS: u32 = 15;
/// Bytes of the memory of the VCT solver.
const VCT_BYTES: usize = 4 << 20;
/// Nodes between two questions to [`Control::should_stop`].
const STOP_INTERVAL: u64 = 256;

/// One search worker with its own memory of move-ordering statistics.
pub struct Searcher {
    params: Params,
    /// 0 for a searcher of its own; assistants in a [`Team`] count from 1.
    number: u32,
    table: Arc<Table>,
    history: History,
    vcf: Vcf,
    /// Assistants have none: what the first one of a team proves, all read in the table.
    vct: Option<Vct>,
}

impl Searcher {
    /// A worker with empty statistics and a hash table of at most `hash_bytes` bytes.
    #[must_use]
    pub fn new(hash_bytes: usize) -> Self {
        Self::with_params(hash_bytes, Params::DEFAULT)
    }

    /// A worker as [`Searcher::new`] makes it, with other margins.
    #[must_use]
    pub(crate) fn with_params(hash_bytes: usize, params: Params) -> Self {
        Self {
            params,
            number: 0,
            table: Arc::new(Table::new(hash_bytes)),
            history: History::new(),
            vcf: Vcf::new(VCF_BITS),
            vct: Some(Vct::new(VCT_BYTES)),
        }
    }

    /// A searcher that shares the table of this one.
    fn assistant(&self, number: u32) -> Self {
        Self {
            params: self.params.clone(),
            number,
            table: Arc::clone(&self.table),
            history: History::new(),
            vcf: Vcf::new(VCF_BITS),
            vct: None,
        }
    }

    /// Forgets everything learned in earlier games. To be called when the rule changes, too.
    pub fn new_game(&mut self) {
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(),
            // An assistant has not come back yet and may still store what it finds in the old game.
            None => self.table = Arc::new(Table::new(self.table.bytes())),
        }
        self.history.clear();
        self.vcf.clear();
        if let Some(vct) = &mut self.vct {
            vct.clear();
        }
    }

    /// The memory of bounds, shared with others of a team.
    #[must_use]
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Searches for the best move of the side to move, or the best few. [`Report::line`] is empty only if the board
    /// is full; a forbidden point is named only if every empty point is forbidden. The board is
    /// the same afterwards.
    pub fn think(
        &mut self,
        board: &mut Board,
        limits: &Limits,
        control: &mut impl Control,
    ) -> Report {
        if self.number == 0 {
            self.table.new_search();
        }
        self.history.age();
        let evaluator = Evaluator::new(board);
        let mut worker = Worker {
            board,
            evaluator,
            params: &self.params,
            number: self.number,
            table: &self.table,
            history: &mut self.history,
            vcf: &mut self.vcf,
            vct: self.vct.as_mut(),
            control,
            nodes: 0,
            next_question: STOP_INTERVAL,
            max_nodes: limits.max_nodes.unwrap_or(u64::MAX),
            stopped: false,
            selective_depth: 0,
            frames: vec![Frame::default(); MAX_PLY + 2].into_boxed_slice(),
        };
        if limits.lines > 1 {
            lines::deepen(&mut worker, limits)
        } else {
            root::deepen(&mut worker, limits)
        }
    }
}

/// What the search keeps per ply.
#[derive(Clone, Default)]
struct Frame {
    /// Moves that refuted other moves at this ply.
    killers: [Option<Point>; 2],
    /// Static evaluation, if the side to move was not under a threat that it must answer.
    eval: Option<Score>,
    /// The best line from this ply on.
    line: Vec<Point>,
}

/// One search in progress.
struct Worker<'a, C> {
    board: &'a mut Board,
    evaluator: Evaluator,
    params: &'a Params,
    number: u32,
    table: &'a Table,
    history: &'a mut History,
    vcf: &'a mut Vcf,
    vct: Option<&'a mut Vct>,
    control: &'a mut C,
    nodes: u64,
    next_question: u64,
    max_nodes: u64,
    stopped: bool,
    selective_depth: usize,
    frames: Box<[Frame]>,
}

impl<C: Control> Worker<'_, C> {
    fn play(&mut self, point: Point) {
        self.nodes += 1;
        self.table.prefetch(self.board.hash_after(point));
        self.evaluator.play(self.board, point);
    }

    fn undo(&mut self) {
        self.evaluator.undo(self.board);
    }

    /// A win of the side to move by continuous fours, of at most so many attacker moves, found by entering at most
    /// `budget` positions.
    fn win_by_fours(&mut self, max_moves: u8, budget: u64) -> Option<Line> {
        let verdict = self.vcf.solve(self.board, max_moves, budget);
        self.nodes += self.vcf.nodes();
        match verdict {
            Verdict::Win(line) => Some(line),
            Verdict::NoWin | Verdict::Unknown => None,
        }
    }

    /// Whether to unwind. Asks the control every [`STOP_INTERVAL`] nodes.
    fn should_stop(&mut self) -> bool {
        if self.nodes >= self.next_question && !self.stopped {
            self.next_question = self.nodes + STOP_INTERVAL;
            self.stopped = self.nodes >= self.max_nodes || self.control.should_stop(self.nodes);
        }
        self.stopped
    }
}
