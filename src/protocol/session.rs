//! The controller: commands and events come in through one inbox, replies go out.
//!
//! States: no game, idle, thinking. A command that changes the game while a search runs stops
//! it and waits in the backlog, with all that came after it, until the search has had its
//! move printed: every search gives exactly one answer, in the order of the questions. All other commands
//! act at once.
//!
//! A search that does not end when it is due, because the machine is too busy to let it run, is
//! not waited for: its last finished iteration is the answer.

use std::collections::VecDeque;
use std::io::Write;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use super::blocks::Blocks;
use super::command::{Command, Owner, Setting, SoosorvStep, Stone, Swap2Step, Xy};
use super::output::Output;
use super::parse::ParseError;
use super::reply::Reply;
use super::report::{self, Names};
use crate::engine::{
    BestMove, Decision, Engine, Event, FULL_STRENGTH, MAX_HASH, Options, Position, SearchId, Task,
    max_threads,
};
use crate::rule::RuleKind;
use crate::search::Report;
use crate::types::score::WIN;
use crate::types::{Colour, Point, PointSet, Score, Size, Symmetry};

/// What reaches the session.
#[derive(Debug)]
pub(super) enum Input {
    /// A command, or what was wrong with one, and when it was read.
    Command(Result<Command, ParseError>, Instant),
    /// News of a search.
    Event(Event),
    /// `END` or the end of input.
    End,
}

/// Set once, when nothing more may be printed by searches and the process is to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Quit(Arc<AtomicBool>);

impl Quit {
    /// The end has come.
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a search is for, and so how its result is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// A move of the game.
    Move,
    /// A move of the game that is a proved win, if there is one.
    Win,
    /// Moves of both sides, to be played too.
    Balance,
    /// A decision of `SWAP2BOARD`. The stones come again with a `BOARD`.
    Swap2,
    /// The same in Yixin-Board's dialogue.
    YixinSwap2(Swap2Step),
    /// Yixin-Board's Soosõrv: the number of the step.
    Soosorv(u8),
}

/// A search that has not been answered.
#[derive(Debug)]
struct Running {
    search: SearchId,
    purpose: Purpose,
    /// Its last finished iteration.
    report: Report,
    /// The points that were told to lose.
    lost: PointSet,
    /// Whether the user told it to stop, and so wants rest afterwards.
    stopped: bool,
}

/// How some front ends write a pass.
const PASS: Xy = Xy { x: -1, y: -1 };
/// A plain move.
const MOVE: Task = Task::Move { lines: 1 };
/// A first stone that leaves the other side no better colour to take.
const FAIR_STONE: Task = Task::Balance {
    stones: 1,
    wanted: 0,
};
/// gomoku-calculator's rule for freestyle in which the second player may swap after the first stone.
const SWAP_AFTER_FIRST: i64 = 5;

/// What swap2 asks after so many stones.
fn swap2_task(stones: usize) -> Result<Task, String> {
    match stones {
        0 => Ok(Task::Swap2Opening),
        3 => Ok(Task::Swap2),
        5 => Ok(Task::Colour),
        _ => Err(format!("swap2 knows 0, 3 or 5 stones, not {stones}")),
    }
}

/// A search in the opponent's time, which nobody has asked for yet.
#[derive(Debug)]
struct Pondering {
    search: SearchId,
    /// Its last finished iteration.
    report: Report,
    /// Its result, if it could not find out more.
    best: Option<BestMove>,
}

/// What the other side asked for by `INFO`, beside the options of the engine.
#[derive(Debug, Default)]
struct Wishes {
    /// To think in the opponent's time.
    pondering: bool,
    /// To look for nothing but wins by threats.
    only_wins: bool,
    /// To score only one of several moves that symmetry makes equal.
    merge_mirrors: bool,
    /// Bit 0: realtime messages, bit 1: `INFO` lines.
    detail: i64,
}

/// How long after it is due a search is waited for.
const PATIENCE: Duration = Duration::from_millis(10);

/// A conversation with a manager; see the [module](self).
#[derive(Debug)]
pub(super) struct Session<W> {
    engine: Engine,
    output: Output<W>,
    inbox: Receiver<Input>,
    /// The other end of `inbox`, for the events of searches.
    events: Sender<Input>,
    quit: Quit,
    backlog: VecDeque<(Result<Command, ParseError>, Instant)>,
    running: Option<Running>,
    wishes: Wishes,
    pondering: Option<Pondering>,
    /// Size of the hash table in bytes and how many thousandths of it were in use when the last search ended.
    hash: Option<(usize, u32)>,
    /// Whether a game has been started.
    in_game: bool,
    /// The last `INFO rule` that could be understood.
    rule_code: i64,
    /// The last `INFO rule` if it could not.
    unknown_rule: Option<i64>,
    /// Whether a first stone may be answered by SWAP where the rule allows it.
    swapable: bool,
    /// Whether the other side speaks a Yixin dialect.
    yixin: bool,
    /// What the other side does to the board before it shows it: Yixin-Board sends the row before the column.
    view: Symmetry,
    blocks: Blocks,
    /// The last description of what plays.
    announced: Option<String>,
}

impl<W: Write> Session<W> {
    /// A session that hears through `inbox`, whose sending end is `events`.
    pub(super) fn new(
        engine: Engine,
        writer: W,
        (events, inbox): (Sender<Input>, Receiver<Input>),
        quit: Quit,
    ) -> Self {
        Self {
            engine,
            output: Output::new(writer),
            inbox,
            events,
            quit,
            backlog: VecDeque::new(),
            running: None,
            wishes: Wishes::default(),
            pondering: None,
            hash: None,
            in_game: false,
            rule_code: 0,
            unknown_rule: None,
            swapable: false,
            yixin: false,
            view: Symmetry::IDENTITY,
            blocks: Blocks::default(),
            announced: None,
        }
    }

    /// Talks until the end of input, or until nobody listens.
    pub(super) fn run(mut self) {
        loop {
            match self.next_input() {
                Ok(Input::Command(command, asked)) => self.backlog.push_back((command, asked)),
                Ok(Input::Event(Event::Info(info))) => self.tell_progress(&info),
                Ok(Input::Event(Event::BestMove(best))) => self.finish(&best),
                Err(RecvTimeoutError::Timeout) => self.finish_overdue(),
                Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => return,
            }
            self.work_off();
            if self.output.is_closed() {
                self.quit.set();
                return;
            }
        }
    }

    /// Waits for input, or until the running search is overdue.
    fn next_input(&self) -> Result<Input, RecvTimeoutError> {
        let due = self.running.as_ref().and_then(|_| self.engine.due());
        match due {
            Some(due) => self.inbox.recv_deadline(due + PATIENCE),
            None => self
                .inbox
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// Carries out waiting commands, up to one that has to wait for the running search.
    fn work_off(&mut self) {
        while let Some((command, asked)) = self.backlog.pop_front() {
            match command {
                Ok(command) if self.running.is_some() && command.interrupts() => {
                    self.engine.stop();
                    self.backlog.push_front((Ok(command), asked));
                    return;
                }
                Ok(command) => self.carry_out(command, asked),
                Err(error) => self.say(&Reply::Error(error.to_string())),
            }
        }
    }

    fn say(&mut self, reply: &Reply) {
        self.output.say(reply);
    }

    /// Answers `ERROR` if there was one.
    fn report<E: ToString>(&mut self, result: Result<(), E>) {
        if let Err(error) = result {
            self.say(&Reply::Error(error.to_string()));
        }
    }

    fn carry_out(&mut self, command: Command, asked: Instant) {
        self.yixin |= command.is_yixin();
        // Only the opponent's move may be the one that was expected.
        if command.interrupts() && !matches!(command, Command::Turn(_) | Command::Board(_)) {
            self.stop_pondering();
        }
        match command {
            Command::Start(size) => self.start(size),
            Command::StartSides(size) => self.start(self.view.size(size)),
            Command::Restart if self.in_game => self.start(self.engine.position().size()),
            Command::Info(setting) => self.set(setting),
            Command::About => self.say(&Reply::About),
            Command::Stop => {
                self.pondering = None;
                if let Some(running) = &mut self.running {
                    running.stopped = true;
                }
                self.engine.stop();
            }
            Command::ShowInfo => {
                self.view = Symmetry::TRANSPOSITION;
                self.say(&Reply::Message(format!(
                    "INFO MAX_THREAD_NUM {}",
                    max_threads()
                )));
                let log_kib = (MAX_HASH >> 10).ilog2();
                self.say(&Reply::Message(format!("INFO MAX_HASH_SIZE {log_kib}")));
            }
            Command::ShowForbid => {
                self.apply_rule();
                let points = self.engine.forbidden_points();
                self.say(&Reply::Forbid(points));
            }
            Command::Block(block, points) => {
                for point in self.on_board(&points) {
                    self.blocks.set(point, block);
                }
            }
            Command::BlockReset => self.blocks.clear(),
            Command::BlockPath(block, path) => {
                // Yixin-Board's "block all but this" sends points outside the board, too.
                let points = self.on_board(&path);
                if points.len() == path.len() {
                    self.blocks.set_path(&points, block);
                }
            }
            Command::BlockPathReset => self.blocks.clear_paths(),
            // There is no database: an empty answer, so that nobody waits for one.
            Command::QueryDatabase => {
                self.say(&Reply::Message("DATABASE REFRESH".into()));
                self.say(&Reply::Message("DATABASE DONE".into()));
            }
            Command::QueryDatabaseText => {
                self.say(&Reply::Message("DATABASE TEXT \"\"".into()));
            }
            Command::OfferDraw => self.say(&Reply::Message("DRAW REJECT".into())),
            Command::HashClear => {
                self.engine.forget();
                self.hash = None;
            }
            Command::ShowHashUsage => self.say(&report::hash_usage(self.hash)),
            Command::HashDump(path) => {
                let saved = self.engine.save_hash(Path::new(&path));
                self.say(&report::hash_file("written", &saved));
            }
            Command::HashLoad(path) => {
                self.apply_rule();
                let loaded = self.engine.load_hash(Path::new(&path));
                self.hash = None;
                self.say(&report::hash_file("read", &loaded));
            }
            Command::NeedsDatabase => self.say(&Reply::Message("there is no database".into())),
            Command::YxIgnored | Command::Ignored | Command::End => {}
            Command::Unknown(line) => self.say(&Reply::Unknown(line)),
            _ if !self.in_game => self.say(&Reply::Error("no game has been started".into())),
            command => {
                let result = self.play_on(command, asked);
                self.report(result);
            }
        }
    }

    /// Carries out a command that needs a game.
    fn play_on(&mut self, command: Command, asked: Instant) -> Result<(), String> {
        match command {
            Command::Begin => {
                if !self.engine.position().stones().is_empty() {
                    return Err("the board is not empty".into());
                }
                self.go(Purpose::Move, MOVE, asked)
            }
            Command::Turn(PASS) if self.yixin => {
                self.engine.pass();
                self.go(Purpose::Move, MOVE, asked)
            }
            Command::Turn(at) => {
                self.move_to(at)?;
                self.go(Purpose::Move, MOVE, asked)
            }
            Command::Play(at) => {
                let point = self.move_to(at)?;
                self.say(&Reply::one_move(point));
                Ok(())
            }
            Command::TakeBack(at) => {
                let point = self.point(at)?;
                self.engine
                    .take_back(point)
                    .map_err(|error| error.to_string())?;
                self.say(&Reply::Ok);
                Ok(())
            }
            Command::Board(stones) => {
                let position = self.position(&stones)?;
                self.engine.set_position(position);
                self.go(Purpose::Move, MOVE, asked)
            }
            Command::YxBoard(stones) => {
                let position = self.position(&stones)?;
                self.engine.set_position(position);
                Ok(())
            }
            Command::NBest(lines) => self.go(Purpose::Move, Task::Move { lines }, asked),
            Command::SearchDefend => self.go(Purpose::Move, Task::Move { lines: u32::MAX }, asked),
            Command::Balance(stones, wanted) => {
                let task = Task::Balance {
                    stones: stones.into(),
                    wanted: Score::try_from(wanted).unwrap_or(0).clamp(-WIN, WIN),
                };
                self.go(Purpose::Balance, task, asked)
            }
            Command::Swap2Board(points) => {
                let task = swap2_task(points.len())?;
                self.set_up(&points)?;
                self.go(Purpose::Swap2, task, asked)
            }
            Command::Swap2Step(step) => {
                let task = match step {
                    Swap2Step::Open => {
                        self.set_up(&[])?;
                        Task::Swap2Opening
                    }
                    Swap2Step::AfterThree => Task::Swap2,
                    Swap2Step::AfterFive => Task::Colour,
                };
                self.go(Purpose::YixinSwap2(step), task, asked)
            }
            Command::SoosorvStep(step) => self.soosorv(&step, asked),
            // Everything else was carried out without a game.
            _ => Ok(()),
        }
    }

    fn start(&mut self, size: Size) {
        self.engine.start_game(size);
        self.in_game = true;
        if !self.yixin {
            // Yixin-Board starts before every move; others start games.
            self.announced = None;
        }
        self.say(&Reply::Ok);
    }

    fn set(&mut self, setting: Setting) {
        let mut options = self.engine.options();
        let positive = |value: i64| u64::try_from(value).ok().filter(|&value| value > 0);
        match setting {
            Setting::TimeoutTurn(ms) => options.time.turn = Some(ms),
            Setting::TimeoutMatch(ms) => options.time.game = Some(ms),
            Setting::TimeLeft(ms) => options.time.left = Some(ms),
            Setting::TimeIncrement(ms) => options.time.increment = Some(ms),
            Setting::MaxMemory(bytes) => options.max_memory = positive(bytes).unwrap_or(0),
            Setting::MaxNodes(nodes) => options.max_nodes = positive(nodes),
            Setting::MaxDepth(depth) => {
                options.max_depth =
                    positive(depth).map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
            }
            Setting::HashSize(kib) => {
                options.hash_bytes = positive(kib).map(|kib| kib.saturating_mul(1024));
            }
            Setting::Threads(count) => {
                options.threads = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
            }
            Setting::Pondering(value) => {
                self.wishes.pondering = value > 0;
                if !self.wishes.pondering {
                    self.stop_pondering();
                }
            }
            Setting::Checkmate(value) => self.wishes.only_wins = value > 0,
            Setting::MergeMirrors(value) => self.wishes.merge_mirrors = value > 0,
            Setting::Swapable(value) => self.swapable = value > 0,
            Setting::Strength(value) => {
                let most = i64::from(FULL_STRENGTH);
                options.strength = u32::try_from(value.clamp(0, most)).unwrap_or(FULL_STRENGTH);
            }
            Setting::ShowDetail(bits) => self.wishes.detail = bits,
            Setting::Rule(code) if RuleKind::from_code(code).is_some() => {
                self.rule_code = code;
                self.unknown_rule = None;
            }
            Setting::Rule(code) => self.unknown_rule = Some(code),
            Setting::Ignored => {}
        }
        self.engine.set_options(options);
    }

    /// Makes the last rule sent the engine's. Not done when the rule is sent, because what 2 means
    /// depends on who is talking, and that may show later.
    fn apply_rule(&mut self) {
        let rule = match (self.rule_code, self.yixin) {
            (2, true) => Some(RuleKind::Renju),
            // gomoku-calculator: freestyle with swap rules.
            (SWAP_AFTER_FIRST | 6, true) => Some(RuleKind::Freestyle),
            (code, _) => RuleKind::from_code(code),
        };
        if let Some(rule) = rule {
            self.engine.set_rule(rule);
        }
    }

    fn point(&self, at: Xy) -> Result<Point, String> {
        self.engine
            .position()
            .size()
            .point(at.x, at.y)
            .ok_or_else(|| format!("the point {at} is outside the board"))
    }

    fn on_board(&self, points: &[Xy]) -> Vec<Point> {
        let size = self.engine.position().size();
        points
            .iter()
            .filter_map(|at| size.point(at.x, at.y))
            .collect()
    }

    /// The side to move plays.
    fn move_to(&mut self, at: Xy) -> Result<Point, String> {
        let point = self.point(at)?;
        self.engine.play(point).map_err(|error| error.to_string())?;
        Ok(point)
    }

    /// The position of a `BOARD` block: the engine is to move. It is Black if both sides have
    /// equally many stones, White if the opponent has one more, else as the first stone says.
    fn position(&self, stones: &[Stone]) -> Result<Position, String> {
        let count = |owner| stones.iter().filter(|stone| stone.owner == owner).count();
        let (own, opponent) = (count(Owner::Own), count(Owner::Opponent));
        let first = stones.iter().find(|stone| stone.owner != Owner::Nobody);
        let own_colour = if own == opponent {
            Colour::Black
        } else if opponent == own + 1 {
            Colour::White
        } else if first.is_some_and(|stone| stone.owner == Owner::Own) {
            Colour::Black
        } else {
            Colour::White
        };
        let mut position = self.empty_position();
        for stone in stones {
            let colour = match stone.owner {
                Owner::Own => Some(own_colour),
                Owner::Opponent => Some(!own_colour),
                Owner::Nobody => None,
            };
            if stone.at == PASS && self.yixin {
                continue; // it counted for the colours above
            }
            position
                .place(self.point(stone.at)?, colour)
                .map_err(|error| error.to_string())?;
        }
        position.set_side(own_colour);
        Ok(position)
    }

    fn empty_position(&self) -> Position {
        let position = self.engine.position();
        Position::new(position.size(), position.rule())
    }

    /// Puts the first moves of a game on the board.
    fn set_up(&mut self, moves: &[Xy]) -> Result<(), String> {
        let mut position = self.empty_position();
        for &at in moves {
            position
                .play(self.point(at)?)
                .map_err(|error| error.to_string())?;
        }
        self.engine.set_position(position);
        Ok(())
    }

    fn soosorv(&mut self, step: &SoosorvStep, asked: Instant) -> Result<(), String> {
        let expect = |moves: &[Xy], count: usize| {
            let found = moves.len();
            (found == count)
                .then_some(())
                .ok_or_else(|| format!("expected {count} moves, found {found}"))
        };
        let (number, task) = match step {
            SoosorvStep::Open => {
                self.set_up(&[])?;
                (1, Task::SoosorvOpening)
            }
            SoosorvStep::AfterThree(moves) => {
                expect(moves, 3)?;
                self.set_up(moves)?;
                // Whoever is White now has to make the position equal with the fourth stone and
                // the number of fifths, and the other side then takes the better half.
                self.say(&Reply::Message("SOOSORV SWAP1 Y".into()));
                return Ok(());
            }
            SoosorvStep::Fourth(moves) => {
                expect(moves, 3)?;
                self.set_up(moves)?;
                (3, Task::SoosorvFourth)
            }
            SoosorvStep::AfterFour(fifths, moves) => {
                expect(moves, 4)?;
                self.set_up(moves)?;
                (4, Task::SoosorvColour(*fifths))
            }
            SoosorvStep::Fifths(fifths, moves) => {
                expect(moves, 4)?;
                self.set_up(moves)?;
                (5, Task::SoosorvFifths(*fifths))
            }
            SoosorvStep::Choose(moves) => {
                let (before, fifths) = moves.split_at_checked(4).ok_or("expected more moves")?;
                let fifths: PointSet = fifths
                    .iter()
                    .map(|&at| self.point(at))
                    .collect::<Result<_, _>>()?;
                self.set_up(before)?;
                let position = self.engine.position();
                if fifths.is_empty() || !fifths.iter().all(|point| position.is_empty(point)) {
                    return Err("expected four moves and fifths on empty points".into());
                }
                (6, Task::SoosorvChoice(fifths))
            }
        };
        self.go(Purpose::Soosorv(number), task, asked)
    }

    fn go(&mut self, purpose: Purpose, task: Task, asked: Instant) -> Result<(), String> {
        if self.quit.is_set() {
            return Ok(());
        }
        self.apply_rule();
        let (purpose, task) = self.as_wished(purpose, task);
        let excluded = self.excluded(task);
        self.engine.set_excluded(excluded);
        let running = |search, report| Running {
            search,
            purpose,
            report,
            lost: PointSet::EMPTY,
            stopped: false,
        };
        if let Some(pondering) = self.pondering.take()
            && task == MOVE
            && let Some(search) = self.engine.ask(asked)
        {
            self.running = Some(running(search, pondering.report));
            if let Some(best) = pondering.best {
                self.finish(&best);
            }
            return Ok(());
        }
        let sink = self.sink();
        let search = self
            .engine
            .decide(task, asked, sink)
            .map_err(|error| error.to_string())?;
        self.running = Some(running(search, Report::default()));
        Ok(())
    }

    /// What to do where a plain move is asked for.
    fn as_wished(&self, purpose: Purpose, task: Task) -> (Purpose, Task) {
        let swaps = self.yixin && self.rule_code == SWAP_AFTER_FIRST && self.swapable;
        match (task, self.engine.position().stones().len()) {
            (MOVE, 0) if swaps => (purpose, FAIR_STONE),
            (MOVE, 1) if swaps => (purpose, Task::Colour),
            (MOVE, _) if self.wishes.only_wins => (Purpose::Win, Task::Win),
            _ => (purpose, task),
        }
    }

    /// The points that must not be answered.
    fn excluded(&self, task: Task) -> PointSet {
        let position = self.engine.position();
        let blocked = self.blocks.in_position(position);
        if self.wishes.merge_mirrors && matches!(task, Task::Move { lines: 2.. }) {
            blocked.union(&position.mirror_images(&blocked))
        } else {
            blocked
        }
    }

    /// Passes events on to the inbox.
    fn sink(&self) -> impl FnMut(Event) + Send + 'static {
        let events = self.events.clone();
        move |event| {
            // The session may have ended before the search.
            let _ = events.send(Input::Event(event));
        }
    }

    /// Thinks in the opponent's time: about the answer to the reply that a search expected to the move that was just
    /// played, or about the opponent's move if it expected none.
    fn ponder(&mut self, report: &Report) {
        let position = self.engine.position();
        if !self.wishes.pondering || !self.backlog.is_empty() || position.winner().is_some() {
            return;
        }
        let played = position.stones().last().map(|&(point, _)| point);
        let reply = match *report.line {
            [first, reply, ..] if Some(first) == played => Some(reply),
            _ => None,
        };
        let sink = self.sink();
        if let Ok(search) = self.engine.ponder(reply, sink) {
            self.pondering = Some(Pondering {
                search,
                report: Report::default(),
                best: None,
            });
        }
    }

    fn stop_pondering(&mut self) {
        if self.pondering.take().is_some() {
            self.engine.stop();
        }
    }

    fn names(&self) -> Names {
        Names {
            size: self.engine.position().size(),
            view: self.view,
        }
    }

    fn tell_progress(&mut self, info: &crate::engine::Info) {
        if let Some(pondering) = &mut self.pondering
            && pondering.search == info.search
        {
            pondering.report.clone_from(&info.report);
        }
        let names = self.names();
        let Some(running) = &mut self.running else {
            return;
        };
        if running.search != info.search || self.quit.is_set() {
            return;
        }
        if info.report.rank == 0 {
            running.report.clone_from(&info.report);
        }
        if self.wishes.detail & 1 != 0 {
            for reply in report::realtime(info, &mut running.lost, names) {
                self.say(&reply);
            }
        }
        if self.wishes.detail & 2 != 0 {
            for reply in report::block(info) {
                self.say(&reply);
            }
        }
    }

    /// Tells the result of the running search.
    fn finish(&mut self, best: &BestMove) {
        if let Some(pondering) = &mut self.pondering
            && pondering.search == best.search
        {
            pondering.best = Some(best.clone());
        }
        let is_current = |running: &mut Running| running.search == best.search;
        let Some(Running {
            purpose, stopped, ..
        }) = self.running.take_if(is_current)
        else {
            return;
        };
        if best.hash_bytes > 0 {
            self.hash = Some((best.hash_bytes, best.hash_used));
        }
        if self.quit.is_set() {
            return;
        }
        self.announce(best);
        if let Some(fault) = &best.fault {
            self.say(&Reply::Message(format!("internal fault: {fault}")));
        }
        match report::summary(best, self.names()) {
            Some(reply) => self.say(&reply),
            None if purpose == Purpose::Win => {
                self.say(&Reply::Message(
                    "no win by fours and threes was found".into(),
                ));
            }
            None => {}
        }
        match (purpose, &best.decision) {
            (Purpose::Move | Purpose::Win | Purpose::Balance, Decision::Place(points))
                if !points.is_empty() =>
            {
                self.say(&Reply::Moves(points.clone()));
                for &point in points {
                    let played = self.engine.play(point);
                    self.report(played);
                }
                if purpose == Purpose::Move && !stopped {
                    self.ponder(&best.report);
                }
            }
            (Purpose::Move | Purpose::Swap2, Decision::Swap) => self.say(&Reply::Swap),
            (Purpose::Swap2, Decision::Place(points)) if !points.is_empty() => {
                self.say(&Reply::Moves(points.clone()));
            }
            (Purpose::YixinSwap2(step), decision) => {
                for reply in report::swap2(step, decision) {
                    self.say(&reply);
                }
            }
            (Purpose::Soosorv(step), decision) => {
                for reply in report::soosorv(step, decision) {
                    self.say(&reply);
                }
            }
            // Cannot happen: searches begin only on boards with an empty point, and moves of
            // the game are no decisions of an opening.
            _ => self.say(&Reply::Error("the board is full".into())),
        }
    }

    /// Answers for a search that does not end when it should.
    fn finish_overdue(&mut self) {
        self.engine.stop();
        if let Some(running) = &mut self.running {
            let report = mem::take(&mut running.report);
            let best = self.engine.best_so_far(report);
            self.finish(&best);
        }
    }

    /// Says with the first move of a game which rule is played, by what and with how much memory, and
    /// again whenever that changes.
    fn announce(&mut self, best: &BestMove) {
        let position = self.engine.position();
        let Options { max_memory, .. } = self.engine.options();
        let text = report::set_up(position, best.hash_bytes, max_memory);
        if let Some(code) = self.unknown_rule.take() {
            let rule = position.rule();
            self.say(&Reply::Message(format!(
                "rule {code} is unknown, playing {rule}"
            )));
        }
        if best.hash_bytes > 0 && self.announced.as_ref() != Some(&text) {
            self.say(&Reply::Message(text.clone()));
            self.announced = Some(text);
        }
    }
}

#[cfg(test)]
mod tests;
