//! The engine without text: a position, settings, a thread that thinks, events.
//!
//! What it is for: everything that plays or analyses (the protocol, the command-line
//! tools, programs that use this crate) talks to an [`Engine`]. It assumes nothing of its
//! callers: any stones in any order make a position.
//!
//! Promises: [`Engine::go`] returns at once; every search it started sends exactly one
//! [`Event::BestMove`], naming a legal point; [`Engine::stop`] and changed [`Options`] act on a running search
//! within milliseconds; a fault inside the search costs the rest of that search, nothing else, even if that
//! search never ends.
//!
//! ```
//! use std::sync::mpsc::channel;
//! use std::time::Instant;
//! use quincunx::engine::{Engine, Event};
//!
//! let mut engine = Engine::new();
//! engine.set_options(quincunx::engine::Options { max_depth: Some(2), ..engine.options() });
//! let (sender, events) = channel();
//! engine.go(Instant::now(), move |event| drop(sender.send(event)))?;
//! let best = events.iter().find_map(|event| match event {
//!     Event::BestMove(best) => best.point(),
//!     Event::Info(_) => None,
//! });
//! assert_eq!(best, Some(quincunx::types::Point::new(7, 7)));
//! # Ok::<(), quincunx::engine::GoError>(())
//! ```

mod choice;
mod dialogue;
mod event;
mod flight;
mod opening;
mod options;
mod position;
mod proof;
pub(crate) mod renju;
mod task;
mod worker;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;

pub use crate::clock::TimeControl;
pub use event::{BestMove, Event, Info, SearchId};
pub use options::{DEFAULT_MEMORY, FULL_STRENGTH, Options};
pub(crate) use options::{MAX_HASH, max_threads};
pub use position::{MoveError, Position};
pub use task::{Decision, Task};

use crate::foul;
use crate::rule::RuleKind;
use crate::search::Report;
use crate::types::{Colour, Point, PointSet, Size};
use flight::Flight;
use worker::{Job, Order, Worker};

/// Bytes before the entries in a file of what searches learned.
const HASH_HEADER: usize = 12;

/// What the entries belong to: a format, a rule, a board.
fn hash_header(position: &Position) -> [u8; HASH_HEADER] {
    let mut header = *b"QXHASH1\n....";
    let (rule, size) = (position.rule().code(), position.size());
    header[8..].copy_from_slice(&[rule, size.width(), size.height(), 0]);
    header
}

/// A player and analyst; see the [module](self).
#[derive(Debug)]
pub struct Engine {
    position: Position,
    options: Options,
    excluded: PointSet,
    /// Where the last search began, if what it learned may still be of use.
    last_root: Option<Position>,
    /// Whether a game was begun since.
    new_game: bool,
    /// Of the last search.
    task: Task,
    /// What the last search thinks about in the opponent's time.
    pondered: Option<Position>,
    searches: u64,
    stopper: Stopper,
    /// Started by the first search.
    worker: Option<Worker>,
}

/// Why no search was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GoError {
    /// There is no empty point.
    #[error("the board is full")]
    BoardFull,
}

/// Stops the running search of an [`Engine`] from any thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    current: Arc<Mutex<Option<Arc<Flight>>>>,
}

impl Stopper {
    /// The running search, if any, ends with its best move within milliseconds.
    pub fn stop(&self) {
        if let Some(flight) = self.flight() {
            flight.stop();
        }
    }

    fn flight(&self) -> Option<Arc<Flight>> {
        self.current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn replace(&self, flight: Arc<Flight>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(flight);
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine before an empty 15 x 15 board, freestyle, with default options. Costs
    /// nothing: thread, tables and hash come with the first search.
    #[must_use]
    pub fn new() -> Self {
        Self {
            position: Position::new(Size::square(15), RuleKind::Freestyle),
            options: Options::default(),
            excluded: PointSet::EMPTY,
            last_root: None,
            new_game: true,
            task: Task::Move { lines: 1 },
            pondered: None,
            searches: 0,
            stopper: Stopper::default(),
            worker: None,
        }
    }

    /// The position to think about.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Begins a game on an empty board of `size`. The rule stays.
    pub fn start_game(&mut self, size: Size) {
        self.position = Position::new(size, self.position.rule());
        self.new_game = true;
    }

    /// Thinks about `position` from now on. A running search keeps its own.
    pub fn set_position(&mut self, position: Position) {
        self.position = position;
    }

    /// Changes the rule; stones stay.
    pub const fn set_rule(&mut self, rule: RuleKind) {
        self.position.set_rule(rule);
    }

    /// The side to move plays on `point`.
    ///
    /// # Errors
    /// When `point` is not an empty cell of the board.
    pub fn play(&mut self, point: Point) -> Result<(), MoveError> {
        self.position.play(point)
    }

    /// The side to move does not.
    pub fn pass(&mut self) {
        self.position.set_side(!self.position.side());
    }

    /// Takes back the last stone, which must lie on `point`.
    ///
    /// # Errors
    /// When it does not.
    pub fn take_back(&mut self, point: Point) -> Result<(), MoveError> {
        self.position.take_back(point)
    }

    /// The settings.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// Changes the settings, of a running search too.
    pub fn set_options(&mut self, options: Options) {
        if options == self.options {
            return;
        }
        self.options = options;
        if let Some(flight) = self.stopper.flight() {
            flight.update(&options);
        }
    }

    /// Points that the following searches must not answer, unless nothing else is left. What
    /// was pondered without them is of no use.
    pub fn set_excluded(&mut self, points: PointSet) {
        if points != self.excluded {
            self.excluded = points;
            self.pondered = None;
        }
    }

    /// The following search begins without anything learned before.
    pub fn forget(&mut self) {
        self.last_root = None;
    }

    /// The points that the side to move may not play, in index order.
    #[must_use]
    pub fn forbidden_points(&self) -> Vec<Point> {
        let side = self.position.side();
        if side != Colour::Black || !self.position.rule().has_fouls(side) {
            return Vec::new();
        }
        let mut board = self.position.board();
        let empty = *board.empty();
        empty
            .iter()
            .filter(|&point| foul::is_foul(&mut board, point))
            .collect()
    }

    /// Starts to think for the side to move and returns. Times count from `asked`. `sink` hears on
    /// another thread; its last event is the best move. A search that still runs is stopped
    /// and ends first.
    ///
    /// # Errors
    /// When no point is empty; `sink` then hears nothing.
    pub fn go(
        &mut self,
        asked: Instant,
        sink: impl FnMut(Event) + Send + 'static,
    ) -> Result<SearchId, GoError> {
        self.decide(Task::Move { lines: 1 }, asked, sink)
    }

    /// As [`go`](Self::go), for any [`Task`].
    ///
    /// # Errors
    /// When no point is empty; `sink` then hears nothing.
    pub fn decide(
        &mut self,
        task: Task,
        asked: Instant,
        sink: impl FnMut(Event) + Send + 'static,
    ) -> Result<SearchId, GoError> {
        let position = self.position.clone();
        let mut phase = position.phase();
        if task.is_analysis() {
            phase = phase.past_opening();
        }
        let flight = Flight::new(asked, &self.options, phase);
        let forget = self.must_forget();
        let id = self.launch(task, position, flight, forget, sink)?;
        self.last_root = Some(self.position.clone());
        self.new_game = false;
        self.pondered = None;
        Ok(id)
    }

    /// Starts to think in the opponent's time, without a limit, and returns: about the answer to `reply`, or, if
    /// no reply is expected, about the opponent's move. If the expected reply comes, [`ask`](Self::ask) makes
    /// this the search for the answer; otherwise the next search profits from what is in the table.
    ///
    /// # Errors
    /// When there would be no empty point, or the reply is none; `sink` then hears nothing.
    pub fn ponder(
        &mut self,
        reply: Option<Point>,
        sink: impl FnMut(Event) + Send + 'static,
    ) -> Result<SearchId, GoError> {
        let mut position = self.position.clone();
        if let Some(reply) = reply {
            position.play(reply).map_err(|_| GoError::BoardFull)?;
        }
        let flight = Flight::unasked(Instant::now(), position.phase());
        let task = Task::Move { lines: 1 };
        let id = self.launch(task, position.clone(), flight, false, sink)?;
        self.pondered = reply.map(|_| position);
        Ok(id)
    }

    /// Asks for a move. If the position is the one that was pondered about, that search goes on with the
    /// limits of the move, which count from `asked`; else there is `None` and nothing changes.
    pub fn ask(&mut self, asked: Instant) -> Option<SearchId> {
        let flight = self.stopper.flight()?;
        if self.pondered.as_ref() != Some(&self.position) || flight.is_stopped() {
            return None;
        }
        flight.ask(asked, &self.options);
        self.last_root = self.pondered.take();
        self.new_game = false;
        Some(SearchId(self.searches))
    }

    fn launch(
        &mut self,
        task: Task,
        position: Position,
        flight: Flight,
        forget: bool,
        sink: impl FnMut(Event) + Send + 'static,
    ) -> Result<SearchId, GoError> {
        if position.is_full() {
            return Err(GoError::BoardFull);
        }
        self.stop();
        self.searches += 1;
        let id = SearchId(self.searches);
        let flight = Arc::new(flight);
        self.stopper.replace(Arc::clone(&flight));
        self.task = task;
        self.submit(Box::new(Job {
            id,
            position,
            task,
            excluded: self.excluded,
            forget,
            hash_bytes: self.options.hash_budget(),
            hash_limit: self.options.hash_limit(),
            threads: self.options.thread_budget(),
            flight,
            sink: Box::new(sink),
        }));
        Ok(id)
    }

    /// Writes what searches have learned to `path`, for [`load_hash`](Self::load_hash). Returns the number of
    /// positions. Waits for the end of a running search, which should be stopped before.
    ///
    /// # Errors
    /// When there is nothing to write, or the file cannot be written.
    pub fn save_hash(&mut self, path: &Path) -> io::Result<u64> {
        let nothing = || io::Error::other("nothing has been learned yet");
        let root = self.last_root.as_ref().ok_or_else(nothing)?;
        let mut out = BufWriter::new(File::create(path)?);
        out.write_all(&hash_header(root))?;
        let (done, count) = bounded(1);
        let worker = self.worker.as_ref().ok_or_else(nothing)?;
        worker
            .tell(Order::Save((Box::new(out), done)))
            .map_err(|_| nothing())?;
        count.recv().map_err(io::Error::other)?
    }

    /// Reads what [`save_hash`](Self::save_hash) wrote, in place of what was learned before. Returns
    /// the number of positions. Waits for the end of a running search, which should be stopped before.
    ///
    /// # Errors
    /// When the file cannot be read, or was not written under the rule and for the board of the
    /// position.
    pub fn load_hash(&mut self, path: &Path) -> io::Result<u64> {
        let mut input = BufReader::new(File::open(path)?);
        let expected = hash_header(&self.position);
        let mut header = [0; HASH_HEADER];
        input.read_exact(&mut header)?;
        if header != expected {
            return Err(io::Error::other(
                "the file is none of this version, rule and board size",
            ));
        }
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start()?,
        };
        let (done, count) = bounded(1);
        let (wanted, limit) = (self.options.hash_budget(), self.options.hash_limit());
        let told = worker.tell(Order::Load((Box::new(input), wanted, limit, done)));
        self.worker = Some(worker);
        told.map_err(|_| io::Error::other("the worker thread has ended"))?;
        let count = count.recv().map_err(io::Error::other)?;
        self.last_root = Some(self.position.clone());
        self.new_game = false;
        count
    }

    /// The running search, if any, ends with its best move within milliseconds.
    pub fn stop(&self) {
        self.stopper.stop();
    }

    /// A handle that stops searches from other threads.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Whether a search has not sent its best move yet.
    #[must_use]
    pub fn is_thinking(&self) -> bool {
        self.stopper
            .flight()
            .is_some_and(|flight| !flight.has_landed())
    }

    /// When the running search has to end, by its clock or because it was stopped. It reacts within a
    /// millisecond unless the machine is so busy that its thread has to wait for a processor.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.stopper
            .flight()
            .filter(|flight| !flight.has_landed())
            .and_then(|flight| flight.due())
    }

    /// What the running search would answer if its last finished iteration, `report`, were all it finds:
    /// for listeners who cannot wait for it any longer. Assumes that the position has not been
    /// changed since [`go`](Self::go).
    #[must_use]
    pub fn best_so_far(&self, report: Report) -> BestMove {
        BestMove {
            search: SearchId(self.searches),
            decision: dialogue::fall_back(self.task, &self.position, &self.excluded, &report),
            report,
            elapsed: self
                .stopper
                .flight()
                .map_or(Duration::ZERO, |flight| flight.age()),
            hash_bytes: 0,
            hash_used: 0,
            fault: None,
        }
    }

    /// What was learned is kept within a game (also when a manager repeats START before each move)
    /// and dropped between games, so that equal games get equal moves. Keys of
    /// positions do not tell rules and sizes apart, so a change of these drops it too.
    fn must_forget(&self) -> bool {
        self.last_root.as_ref().is_none_or(|last| {
            last.rule() != self.position.rule()
                || last.size() != self.position.size()
                || self.new_game && !self.position.continues(last)
        })
    }

    fn submit(&mut self, job: Box<Job>) {
        // Dropped without a look back if it is stuck: another takes its place.
        let mut worker = match self.worker.take().filter(|worker| !worker.is_stuck()) {
            Some(worker) => worker,
            None => match Worker::start() {
                Ok(worker) => worker,
                Err(error) => return worker::decline(*job, error.to_string()),
            },
        };
        match worker.submit(job) {
            Ok(()) => self.worker = Some(worker),
            Err(job) => worker::decline(*job, "the worker thread has ended".into()),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::clock::TimeControl;

    fn with_turn(ms: i64) -> Options {
        Options {
            time: TimeControl {
                turn: Some(ms),
                ..TimeControl::default()
            },
            ..Options::default()
        }
    }

    /// An engine after three stones, with turns of `ms`.
    fn engine(ms: i64) -> Engine {
        let mut engine = Engine::new();
        engine.set_options(with_turn(ms));
        for (x, y) in [(7, 7), (8, 8), (6, 8)] {
            engine.play(Point::new(x, y)).unwrap();
        }
        engine
    }

    fn go(engine: &mut Engine) -> Receiver<Event> {
        let (sender, events) = channel();
        engine
            .go(Instant::now(), move |event| drop(sender.send(event)))
            .unwrap();
        events
    }

    /// The best move of a search; fails if there is not exactly one, at the end.
    fn best(events: &Receiver<Event>) -> BestMove {
        let mut bests = events.iter().filter_map(|event| match event {
            Event::BestMove(best) => Some(best),
            Event::Info(_) => None,
        });
        let best = bests.next().expect("a best move");
        assert!(events.iter().next().is_none(), "nothing after it");
        best
    }

    #[test]
    fn a_search_ends_by_itself_with_one_legal_move() {
        let mut engine = engine(100);
        let events = go(&mut engine);
        let best = best(&events);
        assert!(best.elapsed >= Duration::from_millis(1) && best.fault.is_none());
        assert!(engine.position().is_empty(best.point().unwrap()));
        assert!(!engine.is_thinking());
    }

    #[test]
    fn stopping_and_new_limits_act_at_once() {
        let mut engine = engine(-1);
        let events = go(&mut engine);
        assert!(engine.is_thinking());
        engine.stopper().stop();
        assert!(best(&events).point().is_some());

        let events = go(&mut engine);
        engine.set_options(with_turn(0));
        assert!(best(&events).point().is_some());

        engine.set_options(with_turn(-1));
        let events = go(&mut engine);
        let mut options = with_turn(-1);
        options.max_nodes = Some(1);
        engine.set_options(options);
        assert!(best(&events).point().is_some());
    }

    #[test]
    fn a_second_search_ends_the_first() {
        let mut engine = engine(-1);
        let first = go(&mut engine);
        let second = go(&mut engine);
        assert_eq!(best(&first).search, SearchId(1));
        engine.stop();
        assert_eq!(best(&second).search, SearchId(2));
    }

    fn ponder(engine: &mut Engine, reply: Point) -> (SearchId, Receiver<Event>) {
        let (sender, events) = channel();
        let id = engine
            .ponder(Some(reply), move |event| drop(sender.send(event)))
            .unwrap();
        (id, events)
    }

    #[test]
    fn the_expected_reply_makes_pondering_the_search_for_the_answer() {
        let mut engine = engine(50);
        let (id, events) = ponder(&mut engine, Point::new(7, 8));
        assert!(engine.due().is_none(), "nothing limits it yet");
        engine.play(Point::new(7, 8)).unwrap();
        assert_eq!(engine.ask(Instant::now()), Some(id));
        assert_eq!(engine.ask(Instant::now()), None, "only once");
        let best = best(&events);
        assert_eq!(best.search, id);
        assert!(engine.position().is_empty(best.point().unwrap()));
    }

    #[test]
    fn pondering_is_of_no_use_after_another_reply_or_a_stop() {
        let mut engine = engine(50);
        let (first, events) = ponder(&mut engine, Point::new(7, 8));
        engine.play(Point::new(0, 0)).unwrap();
        assert_eq!(engine.ask(Instant::now()), None);
        let answer = go(&mut engine);
        assert_eq!(best(&events).search, first);
        assert!(best(&answer).search > first);

        let (_, events) = ponder(&mut engine, Point::new(7, 8));
        engine.stop();
        engine.play(Point::new(7, 8)).unwrap();
        assert_eq!(engine.ask(Instant::now()), None);
        assert!(best(&events).point().is_some());
    }

    #[test]
    fn dropping_a_thinking_engine_ends_its_thread() {
        let mut engine = engine(-1);
        let events = go(&mut engine);
        drop(engine);
        assert!(best(&events).point().is_some());
    }

    #[test]
    fn a_fault_in_the_search_costs_only_that_search() {
        let mut engine = engine(-1);
        let (sender, events) = channel();
        engine
            .go(Instant::now(), move |event| match event {
                Event::Info(info) if info.report.depth >= 3 => panic!("planted"),
                event => drop(sender.send(event)),
            })
            .unwrap();
        let best_move = best(&events);
        assert_eq!(best_move.fault.as_deref(), Some("planted"));
        assert_eq!(best_move.point(), best_move.report.line.first().copied());
        assert!(best_move.report.depth >= 2);

        engine.set_options(with_turn(50));
        assert!(best(&go(&mut engine)).fault.is_none());
    }

    #[test]
    fn a_search_that_does_not_come_back_costs_only_itself() {
        let mut engine = engine(-1);
        let (sender, stuck_events) = channel();
        let (release, blocker) = channel::<()>();
        engine
            .go(Instant::now(), move |event| {
                if matches!(event, Event::Info(_)) {
                    let _ = blocker.recv();
                }
                drop(sender.send(event));
            })
            .unwrap();
        engine.set_options(Options {
            max_depth: Some(3),
            ..Options::default()
        });
        engine.stop();
        std::thread::sleep(2 * worker::STUCK);
        let best_move = best(&go(&mut engine));
        assert_eq!(best_move.fault, None);
        assert_eq!(best_move.report.depth, 3);
        // The other still keeps its promise, should it come back.
        drop(release);
        assert_eq!(best(&stuck_events).search, SearchId(1));
    }

    #[test]
    fn a_forced_move_takes_no_time_unless_nothing_limits_it() {
        let mut position = Position::new(Size::square(15), RuleKind::Freestyle);
        for (x, y) in [(7, 7), (6, 7), (8, 7), (0, 0), (9, 7), (0, 14), (10, 7)] {
            position.play(Point::new(x, y)).unwrap();
        }
        let mut engine = Engine::new();
        engine.set_position(position);
        engine.set_options(with_turn(60_000));
        let forced = best(&go(&mut engine));
        assert_eq!(forced.point(), Some(Point::new(11, 7)));
        assert_eq!(forced.report.depth, 1);
        engine.set_options(Options {
            max_depth: Some(4),
            ..Options::default()
        });
        assert!(best(&go(&mut engine)).report.depth > 1);
    }

    #[test]
    fn a_first_stone_in_a_corner_is_answered_in_the_centre_at_once() {
        let mut engine = Engine::new();
        engine.play(Point::new(0, 0)).unwrap();
        engine.set_options(with_turn(60_000));
        let answer = best(&go(&mut engine));
        assert_eq!(answer.point(), Some(Point::new(7, 7)));
        assert_eq!(answer.report.line.first(), answer.point().as_ref());
        engine.set_excluded([Point::new(7, 7)].into_iter().collect());
        engine.set_options(with_turn(100));
        assert_ne!(best(&go(&mut engine)).point(), Some(Point::new(7, 7)));
    }

    #[test]
    fn searches_with_several_threads_stop_when_told() {
        for threads in [2, 4] {
            let mut engine = engine(-1);
            engine.set_options(Options {
                threads,
                ..engine.options()
            });
            let events = go(&mut engine);
            std::thread::sleep(Duration::from_millis(20));
            engine.stop();
            let best = best(&events);
            assert!(best.fault.is_none());
            assert!(engine.position().is_empty(best.point().unwrap()));
        }
    }

    #[test]
    fn nothing_starts_on_a_full_board() {
        let mut engine = Engine::new();
        let size = Size::square(5);
        let mut position = Position::new(size, RuleKind::Freestyle);
        for point in size.points() {
            position.place(point, None).unwrap();
        }
        engine.set_position(position);
        let started = engine.go(Instant::now(), |_| panic!("no events"));
        assert_eq!(started, Err(GoError::BoardFull));
        assert!(!engine.is_thinking());
    }

    #[test]
    fn equal_games_get_equal_moves() {
        let mut engine = Engine::new();
        engine.set_options(Options {
            max_depth: Some(5),
            ..Options::default()
        });
        let mut moves = || {
            engine.start_game(Size::square(15));
            engine.play(Point::new(7, 7)).unwrap();
            let mut moves = Vec::new();
            for _ in 0..4 {
                let best = best(&go(&mut engine));
                moves.push((best.point(), best.report.nodes));
                engine.play(best.point().unwrap()).unwrap();
            }
            moves
        };
        assert_eq!(moves(), moves());
    }

    #[test]
    fn forbidden_points_are_those_of_black_to_move_in_renju() {
        let mut engine = Engine::new();
        engine.set_rule(RuleKind::Renju);
        for (x, y) in [
            (5, 7),
            (0, 0),
            (6, 7),
            (2, 0),
            (7, 5),
            (4, 0),
            (7, 6),
            (10, 0),
        ] {
            engine.play(Point::new(x, y)).unwrap();
        }
        assert_eq!(engine.forbidden_points(), [Point::new(7, 7)]);
        engine.play(Point::new(0, 14)).unwrap();
        assert!(engine.forbidden_points().is_empty());
        engine.take_back(Point::new(0, 14)).unwrap();
        engine.set_rule(RuleKind::Standard);
        assert!(engine.forbidden_points().is_empty());
    }
}
