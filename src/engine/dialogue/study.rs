//! Many searches within the limits of one job.

use std::time::Duration;

use smallvec::SmallVec;

use crate::board::{Board, NoObserver};
use crate::engine::flight::{Flight, Watch};
use crate::movegen::is_legal;
use crate::pattern::Threat;
use crate::search::{Control, Limits, Report, Searcher};
use crate::types::{Point, Score};

/// A few stones of alternating colour.
pub(super) type Stones = SmallVec<[Point; 3]>;

/// Bytes of the hash table: enough for searches of a few seconds.
const HASH_BYTES: usize = 16 << 20;
/// Positions that a search enters in a millisecond, cautiously.
const NODES_PER_MS: u64 = 150;
/// Bounds of the positions entered for each choice in the first round. A search looks at its limit
/// every few hundred positions only.
const FIRST_NODES: (u64, u64) = (400, 20_000);
/// Most positions for choosing one of many: with more, a search without a limit that is stopped after some
/// seconds would not have looked at all of them.
const MOST_NODES: u64 = 9_000_000;

/// When to stop searching.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// Counted from when the decision was asked for.
    time: Duration,
    /// Positions entered by all searches of the decision.
    nodes: u64,
}

/// Whether the side to move may put a stone on `point` without winning by it.
pub(super) fn may_play(board: &mut Board, point: Point) -> bool {
    let side = board.side();
    board.is_empty(point)
        && board.threat(point, side) != Threat::Five
        && is_legal(board, point, side)
}

/// The searches of one job: they share its limits and a searcher of their own, so that what they
/// learn about positions that will never be played does not stay.
pub(super) struct Study<'a, 'w> {
    searcher: Searcher,
    watch: &'a mut Watch<'w>,
    /// The most time, whatever the clock says.
    longest: Duration,
    /// Positions entered by all searches so far.
    nodes: u64,
}

impl<'a, 'w> Study<'a, 'w> {
    pub(super) fn new(watch: &'a mut Watch<'w>, longest: Duration) -> Self {
        Self {
            searcher: Searcher::new(HASH_BYTES),
            watch,
            longest,
            nodes: 0,
        }
    }

    /// Positions entered by all searches so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The end of a share of the decision, in percent of its time and nodes from the beginning.
    pub(super) fn share(&self, percent: u32) -> End {
        let flight = self.watch.flight();
        let nodes = flight
            .limits()
            .max_nodes
            .map_or(u64::MAX, |nodes| nodes.saturating_mul(percent.into()) / 100);
        End {
            time: flight.soft().min(self.longest).saturating_mul(percent) / 100,
            nodes,
        }
    }

    /// Searches until `end`. Returns the last iteration that was finished: one report for each of its
    /// lines.
    pub(super) fn search(&mut self, board: &mut Board, limits: &Limits, end: End) -> Vec<Report> {
        let mut part = Part::new(self.watch.flight(), self.nodes, end);
        let report = self.searcher.think(board, limits, &mut part);
        let complete = part.complete;
        self.nodes += report.nodes;
        if let Some(best) = complete.first() {
            self.tell(best.clone());
        }
        if complete.is_empty() && !report.line.is_empty() {
            return vec![report];
        }
        complete
    }

    fn tell(&mut self, report: Report) {
        let report = Report {
            rank: 0,
            lines: 1,
            nodes: self.nodes,
            ..report
        };
        // Whether to go on is asked separately.
        self.watch.iteration(&report);
    }

    /// Of several choices of stones the one after which `board` is worth nearest to `wanted` to the side
    /// that is to move now. `None` if there was no time to look at any.
    ///
    /// Every round searches each choice that is left with twice the nodes and keeps the better half. If there
    /// is no time for all, the last ones are left out.
    pub(super) fn nearest(
        &mut self,
        board: &mut Board,
        mut choices: Vec<Stones>,
        wanted: Score,
        end: End,
    ) -> Option<(Stones, Report)> {
        let flight = self.watch.flight();
        let count = u64::try_from(choices.len()).unwrap_or(u64::MAX).max(1);
        let ms = end.time.saturating_sub(flight.elapsed()).as_millis();
        let spare = u64::try_from(ms)
            .unwrap_or(u64::MAX)
            .saturating_mul(NODES_PER_MS)
            .min(end.nodes.saturating_sub(self.nodes))
            .min(MOST_NODES);
        let rounds = u64::from(count.ilog2() + 1);
        let affordable = usize::try_from(spare / rounds / FIRST_NODES.0).unwrap_or(usize::MAX);
        choices.truncate(affordable.max(2));
        let mut nodes = (spare / rounds / count).clamp(FIRST_NODES.0, FIRST_NODES.1);
        let mut best: Option<(Score, Stones, Report)> = None;
        loop {
            let mut seen = Vec::with_capacity(choices.len());
            let all = choices.len();
            for stones in choices {
                let Some(report) = self.appraise(board, &stones, nodes, end) else {
                    break;
                };
                seen.push(((report.score - wanted).abs(), stones, report));
            }
            seen.sort_by_key(|(distance, ..)| *distance);
            let complete = seen.len() == all;
            if (complete || best.is_none())
                && let Some(first) = seen.first()
            {
                self.tell(first.2.clone());
                best = Some(first.clone());
            }
            if !complete || all <= 1 {
                return best.map(|(_, stones, report)| (stones, report));
            }
            seen.truncate(all.div_ceil(2));
            choices = seen.into_iter().map(|(_, stones, _)| stones).collect();
            nodes *= 2;
        }
    }

    /// What the position after `stones` is worth to the side that is to move before them; `None` if the
    /// time is over.
    fn appraise(
        &mut self,
        board: &mut Board,
        stones: &Stones,
        nodes: u64,
        end: End,
    ) -> Option<Report> {
        for &point in stones {
            board.play(point, &mut NoObserver);
        }
        let limits = Limits {
            max_nodes: Some(nodes),
            ..Limits::default()
        };
        let mut part = Part::new(self.watch.flight(), self.nodes, end);
        let in_time = !part.should_stop(0);
        let mut report = if in_time {
            self.searcher.think(board, &limits, &mut part)
        } else {
            Report::default()
        };
        let in_time = in_time && !part.should_stop(report.nodes);
        for _ in stones {
            board.undo();
        }
        self.nodes += report.nodes;
        if stones.len() % 2 == 1 {
            report.score = -report.score;
        }
        report.line.splice(..0, stones.iter().copied());
        in_time.then_some(report)
    }
}

/// The control of one of the searches.
struct Part<'a> {
    flight: &'a Flight,
    /// Positions entered by searches before this one.
    before: u64,
    end: End,
    lines: Vec<Report>,
    /// The last iteration with all its lines.
    complete: Vec<Report>,
}

impl<'a> Part<'a> {
    fn new(flight: &'a Flight, before: u64, end: End) -> Self {
        Self {
            flight,
            before,
            end,
            lines: Vec::new(),
            complete: Vec::new(),
        }
    }
}

impl Control for Part<'_> {
    fn should_stop(&mut self, nodes: u64) -> bool {
        let nodes = self.before.saturating_add(nodes);
        self.flight.elapsed() >= self.end.time
            || nodes >= self.end.nodes
            || self.flight.must_stop(nodes)
    }

    fn iteration(&mut self, report: &Report) -> bool {
        if report.rank == 0 {
            self.lines.clear();
        }
        self.lines.push(report.clone());
        if self.lines.len() >= usize::try_from(report.lines).unwrap_or(usize::MAX) {
            self.complete.clone_from(&self.lines);
        }
        !self.should_stop(report.nodes)
    }
}
