//! The thread that thinks.
//!
//! It owns the searchers, takes one [`Job`] after the other and ends each with exactly one
//! [`Event::BestMove`], also when the search panics: then with the best move of the last finished
//! iteration, and fresh searchers for the next job. Should a search not end at all, the engine sees that the
//! worker [is stuck](Worker::is_stuck) and starts another; the memory of the stuck one is free when it
//! comes back.

use std::any::Any;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};

use super::choice::{forced, settle};
use super::dialogue;
use super::event::{BestMove, Event, SearchId};
use super::flight::{Flight, Sink, Watch};
use super::opening;
use super::position::Position;
use super::proof;
use super::task::Task;
use crate::search::{Control, Limits, Report, Team};
use crate::types::{Point, PointSet, Size};

/// Stack of the worker in bytes. The search recurses to hundreds of plies; untouched pages cost nothing.
const STACK: usize = 32 << 20;

/// How long after it is due a search may go on before it is given up: many times what it needs on a busy
/// machine.
pub(super) const STUCK: Duration = Duration::from_millis(250);

/// What a worker can be told.
pub(super) enum Order {
    /// To search.
    Think(Box<Job>),
    /// To write what the table holds, if there is one.
    Save(SaveTo),
    /// To read into the table what was written.
    Load(LoadFrom),
}

/// Where to write the table, and where to say how many entries it has.
pub(super) type SaveTo = (Box<dyn Write + Send>, Sender<io::Result<u64>>);

/// Where to read the table, the wanted size of the table in bytes, the size above which it must be
/// replaced, and where to say how many entries were read.
pub(super) type LoadFrom = (Box<dyn Read + Send>, usize, usize, Sender<io::Result<u64>>);

/// One search.
pub(super) struct Job {
    pub(super) id: SearchId,
    pub(super) position: Position,
    /// What to find out.
    pub(super) task: Task,
    /// Points that must not be played.
    pub(super) excluded: PointSet,
    /// Whether what earlier searches learned is of no use.
    pub(super) forget: bool,
    /// Wanted size of the hash table, and the size above which it must be replaced, in bytes.
    pub(super) hash_bytes: usize,
    pub(super) hash_limit: usize,
    /// Number of searchers.
    pub(super) threads: u32,
    pub(super) flight: Arc<Flight>,
    pub(super) sink: Sink,
}

/// A running worker thread. Dropping it waits for the end of the search, which should be stopped
/// before, unless it is stuck.
#[derive(Debug)]
pub(super) struct Worker {
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    /// The searches that had not ended when the last one was submitted.
    pending: Vec<Arc<Flight>>,
}

impl Worker {
    pub(super) fn start() -> io::Result<Self> {
        let (orders, inbox) = unbounded();
        let thread = thread::Builder::new()
            .name("worker".into())
            .stack_size(STACK)
            .spawn(move || run(&inbox))?;
        Ok(Self {
            orders: Some(orders),
            thread: Some(thread),
            pending: Vec::new(),
        })
    }

    /// Whether a search did not end long after it was due.
    pub(super) fn is_stuck(&self) -> bool {
        let now = Instant::now();
        self.pending
            .iter()
            .filter(|flight| !flight.has_landed())
            .any(|flight| flight.due().is_some_and(|due| now > due + STUCK))
    }

    /// Queues `job`; gives it back if the thread is gone.
    pub(super) fn submit(&mut self, job: Box<Job>) -> Result<(), Box<Job>> {
        self.pending.retain(|flight| !flight.has_landed());
        self.pending.push(Arc::clone(&job.flight));
        match self.tell(Order::Think(job)) {
            Err(Order::Think(job)) => Err(job),
            _ => Ok(()),
        }
    }

    /// Queues an order; gives it back if the thread is gone.
    pub(super) fn tell(&self, order: Order) -> Result<(), Order> {
        match &self.orders {
            Some(orders) => orders.send(order).map_err(|error| error.0),
            None => Err(order),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take()
            && !self.is_stuck()
        {
            // The thread catches its panics, so there is no error to report.
            let _ = thread.join();
        }
    }
}

fn run(inbox: &Receiver<Order>) {
    let mut team: Option<SizedTeam> = None;
    for order in inbox {
        // Nobody may be waiting for a count any more.
        match order {
            Order::Think(job) => think(*job, &mut team),
            Order::Save((mut out, done)) => {
                let saved = match &team {
                    Some(sized) => sized.team.table().save(&mut out),
                    None => Ok(0),
                };
                let _ = done.send(saved.and_then(|count| out.flush().map(|()| count)));
            }
            Order::Load((mut input, wanted, limit, done)) => {
                let team = prepare(&mut team, true, wanted, limit);
                let _ = done.send(team.table().load(&mut input));
            }
        }
    }
}

struct SizedTeam {
    team: Team,
    hash_bytes: usize,
}

fn think(mut job: Job, kept: &mut Option<SizedTeam>) {
    let flight = Arc::clone(&job.flight);
    let (task, position, excluded) = (job.task, &job.position, &job.excluded);
    // Who sets no clock, or wants several lines, wants to know all.
    let choices = match task {
        Task::Move { lines: ..=1 } if flight.has_clock() => choices(position, excluded),
        _ => None,
    };
    let decided = choices.is_some_and(|points| points.len() == 1);
    let mut watch = Watch::new(job.id, &flight, &mut job.sink, decided);
    let (forget, wanted, limit) = (job.forget, job.hash_bytes, job.hash_limit);
    let threads = job.threads;
    let plain = |report: Report| {
        let decision = dialogue::fall_back(task, position, excluded, &report);
        (decision, report)
    };
    let searched = guarded(|| {
        let lines = match task {
            Task::Move { lines } => lines,
            Task::Colour | Task::Win => 1,
            _ => return dialogue::decide(task, position, excluded, &mut watch),
        };
        // Nothing to think about: the centre, or any move in a game that is over.
        if position.stones().is_empty() || position.winner().is_some() {
            return plain(Report::default());
        }
        if task == Task::Win {
            let report = proof::win(&mut position.board(), excluded, &flight);
            if !report.line.is_empty() {
                // There is nothing to go on to.
                watch.iteration(&report);
            }
            return plain(report);
        }
        let team = prepare(kept, forget, wanted, limit);
        team.resize(threads);
        let mut board = position.board();
        let limits = Limits {
            lines,
            excluded: choices.map_or(*excluded, |points| all_but(&points, position.size())),
            ..flight.limits()
        };
        plain(team.think(&mut board, &limits, &mut watch))
    });
    let ((decision, report), fault) = match searched {
        Ok(found) => (found, None),
        Err(fault) => {
            *kept = None;
            (plain(watch.best), Some(fault))
        }
    };
    let (hash_bytes, hash_used) = kept.as_ref().map_or((0, 0), |sized| {
        (sized.hash_bytes, sized.team.table().used())
    });
    flight.land();
    (job.sink)(Event::BestMove(BestMove {
        search: job.id,
        decision,
        report,
        elapsed: flight.age(),
        hash_bytes,
        hash_used,
        fault,
    }));
}

/// The only points that deserve a look, if that is known without a search. A single one is still searched for
/// a moment, so that its score and what follows can be told.
fn choices(position: &Position, excluded: &PointSet) -> Option<PointSet> {
    let forced = || guarded(|| forced(&mut position.board())).ok().flatten();
    let points = opening::choices(position)
        .or_else(|| forced().map(|point| [point].into_iter().collect()))?
        .difference(excluded);
    (!points.is_empty()).then_some(points)
}

fn all_but(points: &PointSet, size: Size) -> PointSet {
    size.points().collect::<PointSet>().difference(points)
}

/// Ends a job without a search.
pub(super) fn decline(mut job: Job, fault: String) {
    let report = Report::default();
    let decision = dialogue::fall_back(job.task, &job.position, &job.excluded, &report);
    job.flight.land();
    (job.sink)(Event::BestMove(BestMove {
        search: job.id,
        decision,
        report,
        elapsed: job.flight.age(),
        hash_bytes: 0,
        hash_used: 0,
        fault: Some(fault),
    }));
}

/// The team for the next search. To forget, it is replaced: a fresh table costs nothing, clearing
/// a large one costs a short turn.
fn prepare(kept: &mut Option<SizedTeam>, forget: bool, wanted: usize, limit: usize) -> &mut Team {
    let is_unfit =
        |sized: &SizedTeam| forget || sized.hash_bytes > limit || sized.hash_bytes < wanted / 2;
    if kept.as_ref().is_some_and(is_unfit) {
        // Freed before the next table is made: both together might exceed the memory limit.
        *kept = None;
    }
    let sized = kept.get_or_insert_with(|| SizedTeam {
        team: Team::new(wanted, 1),
        hash_bytes: wanted,
    });
    &mut sized.team
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
