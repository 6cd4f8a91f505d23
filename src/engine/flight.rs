//! The controls of a running search: what the outside may change while the worker thinks.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::Options;
use super::event::{Event, Info, SearchId};
use crate::clock::{Budget, Confidence, Phase};
use crate::search::{Control, Limits, Report};

/// Receives the events of a search, on the worker's thread.
pub(super) type Sink = Box<dyn FnMut(Event) + Send>;

/// Shared between the engine and its worker for the length of one search. All values are
/// independent, so relaxed atomics suffice.
#[derive(Debug)]
pub(super) struct Flight {
    begun: Instant,
    /// When its move was asked for, in microseconds after `begun`; `u64::MAX` while it thinks in
    /// the opponent's time. The times below count from then.
    asked: AtomicU64,
    phase: Phase,
    landed: AtomicBool,
    /// When it was told to stop and its deadlines, in microseconds; `u64::MAX` for never.
    stopped: AtomicU64,
    soft: AtomicU64,
    hard: AtomicU64,
    /// `u64::MAX` for no limit.
    max_nodes: AtomicU64,
    /// `u32::MAX` for no limit.
    max_depth: AtomicU32,
}

impl Flight {
    /// A search whose move was asked for at `asked`, in a game that has come to `phase`.
    pub(super) fn new(asked: Instant, options: &Options, phase: Phase) -> Self {
        let flight = Self::unasked(asked, phase);
        flight.ask(asked, options);
        flight
    }

    /// A search of a move that has not been asked for, begun at `begun`. Nothing limits it.
    pub(super) const fn unasked(begun: Instant, phase: Phase) -> Self {
        Self {
            begun,
            asked: AtomicU64::new(u64::MAX),
            phase,
            landed: AtomicBool::new(false),
            stopped: AtomicU64::new(u64::MAX),
            soft: AtomicU64::new(u64::MAX),
            hard: AtomicU64::new(u64::MAX),
            max_nodes: AtomicU64::new(u64::MAX),
            max_depth: AtomicU32::new(u32::MAX),
        }
    }

    /// The move is asked for: from here on there are limits.
    pub(super) fn ask(&self, asked: Instant, options: &Options) {
        let before = asked.saturating_duration_since(self.begun);
        self.asked.store(micros(before), Relaxed);
        self.update(options);
    }

    /// Lets changed limits act on the running search; times still count from when it was asked for.
    pub(super) fn update(&self, options: &Options) {
        if self.asked.load(Relaxed) == u64::MAX {
            return;
        }
        let budget = options.time.budget(options.is_bounded(), self.phase);
        self.soft.store(micros(budget.soft), Relaxed);
        self.hard.store(micros(budget.hard), Relaxed);
        self.max_nodes
            .store(options.node_limit().unwrap_or(u64::MAX), Relaxed);
        self.max_depth
            .store(options.max_depth.unwrap_or(u32::MAX), Relaxed);
    }

    pub(super) fn stop(&self) {
        self.stopped.fetch_min(micros(self.elapsed()), Relaxed);
    }

    /// When the search has to end; `None` if nothing says so.
    pub(super) fn due(&self) -> Option<Instant> {
        let micros = self.stopped.load(Relaxed).min(self.hard.load(Relaxed));
        if micros == u64::MAX {
            return None;
        }
        self.asked()?.checked_add(Duration::from_micros(micros))
    }

    /// The worker is about to send the best move.
    pub(super) fn land(&self) {
        self.landed.store(true, Relaxed);
    }

    pub(super) fn has_landed(&self) -> bool {
        self.landed.load(Relaxed)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed) != u64::MAX
    }

    /// `None` if that would be out of the clock's range.
    fn asked(&self) -> Option<Instant> {
        match self.asked.load(Relaxed) {
            u64::MAX => Some(self.begun),
            micros => self.begun.checked_add(Duration::from_micros(micros)),
        }
    }

    /// Time since the move was asked for, or since the search began if it was not.
    pub(super) fn elapsed(&self) -> Duration {
        self.asked().unwrap_or(self.begun).elapsed()
    }

    /// Time since the search began, in the opponent's time or after.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The time after which nothing new should be begun, counted from when the search was asked for.
    pub(super) fn soft(&self) -> Duration {
        duration(self.soft.load(Relaxed))
    }

    /// The limits that do not depend on a clock, so that the search can keep them exactly.
    pub(super) fn limits(&self) -> Limits {
        let (nodes, depth) = (self.max_nodes.load(Relaxed), self.max_depth.load(Relaxed));
        Limits {
            max_nodes: (nodes != u64::MAX).then_some(nodes),
            max_depth: (depth != u32::MAX).then_some(depth),
            ..Limits::default()
        }
    }

    pub(super) fn must_stop(&self, nodes: u64) -> bool {
        self.is_stopped()
            || nodes >= self.max_nodes.load(Relaxed)
            || micros(self.elapsed()) >= self.hard.load(Relaxed)
    }

    fn may_deepen(&self, report: &Report, confidence: &Confidence) -> bool {
        !self.must_stop(report.nodes)
            && report.depth < self.max_depth.load(Relaxed)
            && self.budget().may_deepen(self.elapsed(), confidence)
    }

    /// Whether a clock limits the search.
    pub(super) fn has_clock(&self) -> bool {
        self.budget().hard != Budget::NEVER
    }

    fn budget(&self) -> Budget {
        Budget {
            soft: duration(self.soft.load(Relaxed)),
            hard: duration(self.hard.load(Relaxed)),
        }
    }
}

fn micros(duration: Duration) -> u64 {
    if duration == Budget::NEVER {
        return u64::MAX;
    }
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

const fn duration(micros: u64) -> Duration {
    if micros == u64::MAX {
        Budget::NEVER
    } else {
        Duration::from_micros(micros)
    }
}

/// Watches one search from the worker's side and remembers the best line, whatever becomes of
/// the search.
pub(super) struct Watch<'a> {
    id: SearchId,
    flight: &'a Flight,
    sink: &'a mut Sink,
    pub(super) best: Report,
    /// Whether the move needs no thought: one iteration is enough.
    decided: bool,
    confidence: Confidence,
}

impl<'a> Watch<'a> {
    pub(super) fn new(id: SearchId, flight: &'a Flight, sink: &'a mut Sink, decided: bool) -> Self {
        Self {
            id,
            flight,
            sink,
            best: Report::default(),
            decided,
            confidence: Confidence::default(),
        }
    }

    pub(super) const fn flight(&self) -> &'a Flight {
        self.flight
    }
}

impl Control for Watch<'_> {
    fn should_stop(&mut self, nodes: u64) -> bool {
        self.flight.must_stop(nodes)
    }

    fn iteration(&mut self, report: &Report) -> bool {
        if report.rank == 0 {
            self.best.clone_from(report);
            let best = report.line.first().copied();
            self.confidence.hear(report.depth, best, report.score);
        }
        (self.sink)(Event::Info(Info {
            search: self.id,
            report: report.clone(),
            elapsed: self.flight.age(),
        }));
        !self.decided && self.flight.may_deepen(report, &self.confidence)
    }
}
