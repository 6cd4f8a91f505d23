//! The thread that thinks.
//!
//! It owns the searcher, takes one [`Job`] after the other and ends each with exactly one
//! [`Event::BestMove`], also when the search panics: then with the best move of the last finished
//! iteration, and a fresh searcher for the next job.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::choice::settle;
use super::event::{BestMove, Event, SearchId};
use super::flight::{Flight, Sink, Watch};
use super::position::Position;
use crate::search::{Limits, Report, Searcher};
use crate::types::{Point, PointSet};

/// Stack of the worker in bytes. The search recurses to hundreds of plies; untouched pages cost nothing.
const STACK: usize = 32 << 20;

/// One search.
pub(super) struct Job {
    pub(super) id: SearchId,
    pub(super) position: Position,
    /// How many of the best moves to score.
    pub(super) lines: u32,
    /// Points that must not be played.
    pub(super) excluded: PointSet,
    /// Whether what earlier searches learned is of no use.
    pub(super) forget: bool,
    /// Wanted size of the hash table, and the size above which it must be replaced, in bytes.
    pub(super) hash_bytes: usize,
    pub(super) hash_limit: usize,
    pub(super) flight: Arc<Flight>,
    pub(super) sink: Sink,
}

/// A running worker thread. Dropping it waits for the end of the search, which should be stopped
/// before.
#[derive(Debug)]
pub(super) struct Worker {
    jobs: Option<Sender<Box<Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start() -> io::Result<Self> {
        let (jobs, inbox) = unbounded();
        let thread = thread::Builder::new()
            .name("worker".into())
            .stack_size(STACK)
            .spawn(move || run(&inbox))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Queues `job`; gives it back if the thread is gone.
    pub(super) fn submit(&self, job: Box<Job>) -> Result<(), Box<Job>> {
        match &self.jobs {
            Some(jobs) => jobs.send(job).map_err(|error| error.0),
            None => Err(job),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // The thread catches its panics, so there is no error to report.
            let _ = thread.join();
        }
    }
}

fn run(inbox: &Receiver<Box<Job>>) {
    let mut searcher: Option<SizedSearcher> = None;
    for job in inbox {
        think(*job, &mut searcher);
    }
}

struct SizedSearcher {
    searcher: Searcher,
    hash_bytes: usize,
}

fn think(mut job: Job, kept: &mut Option<SizedSearcher>) {
    let flight = Arc::clone(&job.flight);
    let mut watch = Watch {
        id: job.id,
        flight: &flight,
        sink: &mut job.sink,
        best: Report::default(),
    };
    let (position, excluded, lines) = (&job.position, &job.excluded, job.lines);
    let (forget, wanted, limit) = (job.forget, job.hash_bytes, job.hash_limit);
    let searched = guarded(|| {
        // Nothing to think about: the centre, or any move in a game that is over.
        if position.stones().is_empty() || position.winner().is_some() {
            return None;
        }
        let sized = prepare(kept, forget, wanted, limit);
        let mut board = position.board();
        let limits = Limits {
            lines,
            excluded: *excluded,
            ..flight.limits()
        };
        Some(sized.searcher.think(&mut board, &limits, &mut watch))
    });
    let (report, fault) = match searched {
        Ok(Some(report)) => (report, None),
        Ok(None) => (Report::default(), None),
        Err(fault) => {
            *kept = None;
            (watch.best, Some(fault))
        }
    };
    let hash_bytes = kept.as_ref().map_or(0, |sized| sized.hash_bytes);
    land(
        job.id,
        &job.position,
        excluded,
        &flight,
        &mut job.sink,
        report,
        hash_bytes,
        fault,
    );
}

/// Ends a job without a search.
pub(super) fn decline(mut job: Job, fault: String) {
    let report = Report::default();
    land(
        job.id,
        &job.position,
        &job.excluded,
        &job.flight,
        &mut job.sink,
        report,
        0,
        Some(fault),
    );
}

#[allow(
    clippy::too_many_arguments,
    reason = "parts of a job that are borrowed apart"
)]
fn land(
    search: SearchId,
    position: &Position,
    excluded: &PointSet,
    flight: &Flight,
    sink: &mut Sink,
    report: Report,
    hash_bytes: usize,
    fault: Option<String>,
) {
    let point = choose(position, report.line.first().copied(), excluded);
    flight.land();
    sink(Event::BestMove(BestMove {
        search,
        point,
        report,
        elapsed: flight.elapsed(),
        hash_bytes,
        fault,
    }));
}

/// The searcher for the next search. To forget, it is replaced: a fresh table costs nothing, clearing
/// a large one costs a short turn.
fn prepare(
    kept: &mut Option<SizedSearcher>,
    forget: bool,
    wanted: usize,
    limit: usize,
) -> &mut SizedSearcher {
    let is_unfit =
        |sized: &SizedSearcher| forget || sized.hash_bytes > limit || sized.hash_bytes < wanted / 2;
    if kept.as_ref().is_some_and(is_unfit) {
        // Freed before the next table is made: both together might exceed the memory limit.
        *kept = None;
    }
    kept.get_or_insert_with(|| SizedSearcher {
        searcher: Searcher::new(wanted),
        hash_bytes: wanted,
    })
}

/// The move to play, whatever the search proposed.
pub(super) fn choose(
    position: &Position,
    proposed: Option<Point>,
    excluded: &PointSet,
) -> Option<Point> {
    guarded(|| settle(&mut position.board(), proposed, excluded)).unwrap_or_else(|_| {
        proposed
            .filter(|&point| position.is_empty(point))
            .or_else(|| position.first_empty())
    })
}

/// Runs `work`; a panic becomes its message.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| panic_text(payload.as_ref()))
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic".into())
}
