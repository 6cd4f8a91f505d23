//! Lazy SMP: several searchers look at the same root and help each other through the table they share.
//!
//! Each has its own board, statistics and memory of fours; assistants differ a little in depth and window, and
//! chance does the rest. The first searcher, on the caller's thread, is the only one that asks the
//! [`Control`], counts the nodes of all, and looks for wins by threes. When it ends, all end, and the
//! answer is put to the vote.
//!
//! Promises: a team of one searches exactly as its [`Searcher`] does; assistants rest between searches, on
//! threads that wait; one that panics, or does not come back in time, costs its own share of
//! the search only and is replaced before the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Control, Limits, Report, Searcher};
use crate::board::Board;
use crate::tt::Table;
use crate::types::score;

/// Bytes that each searcher but the first takes, generously: memory of fours, statistics, stack.
pub(crate) const ASSISTANT_BYTES: u64 = 4 << 20;

/// Stack of an assistant in bytes. The search recurses to hundreds of plies; untouched pages cost nothing.
const STACK: usize = 32 << 20;

/// How long assistants are waited for once they are told to stop. They look every few hundred nodes, so
/// only a machine that does not let them run makes them later; their votes are then not counted.
const PATIENCE: Duration = Duration::from_millis(2);

/// Several searchers that look at the same root over one table (Lazy SMP); one alone searches exactly as
/// its [`Searcher`] does. All but the first have threads of their own, which wait between searches.
pub struct Team {
    lead: Searcher,
    /// Those at rest. All of them, unless one was lost in the last search.
    resting: Vec<Searcher>,
    /// Searchers that the team should have, the lead included.
    size: u32,
    crew: Option<Crew>,
}

/// The threads of the assistants, and the way back from them.
struct Crew {
    pool: ThreadPool,
    returns: Sender<Return>,
    returned: Receiver<Return>,
}

/// An assistant that comes back from a search.
struct Return {
    search: Arc<Signals>,
    assistant: Searcher,
    report: Report,
}

/// What the threads of one search tell each other.
#[derive(Default)]
struct Signals {
    stopped: AtomicBool,
    /// Positions entered by assistants.
    nodes: AtomicU64,
}

impl Signals {
    fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }
}

impl Team {
    /// A team of `size` searchers (at least one) with a hash table of at most `hash_bytes` bytes.
    #[must_use]
    pub fn new(hash_bytes: usize, size: u32) -> Self {
        Self {
            lead: Searcher::new(hash_bytes),
            resting: Vec::new(),
            size: size.max(1),
            crew: None,
        }
    }

    /// Grows or shrinks the team to `size` searchers (at least one). What the table holds stays.
    pub fn resize(&mut self, size: u32) {
        self.size = size.max(1);
    }

    /// Forgets everything learned in earlier games. To be called when the rule changes, too.
    pub fn new_game(&mut self) {
        // Fresh ones come with the next search.
        self.resting.clear();
        self.crew = None;
        self.lead.new_game();
    }

    /// The memory of bounds that all share.
    #[must_use]
    pub(crate) fn table(&self) -> &Table {
        self.lead.table()
    }

    /// Searches as [`Searcher::think`] does, with all searchers. [`Limits::max_nodes`] and the nodes
    /// in reports mean those of all together.
    pub fn think(
        &mut self,
        board: &mut Board,
        limits: &Limits,
        control: &mut impl Control,
    ) -> Report {
        self.gather();
        let Some(crew) = &self.crew else {
            return self.lead.think(board, limits, control);
        };
        let search = Arc::new(Signals::default());
        // Assistants stop also when the lead panics.
        let end = StopOnDrop(&search);
        let away = self.resting.len();
        for assistant in self.resting.drain(..) {
            crew.send(assistant, board, *limits, &search);
        }
        let mut lead = Lead {
            control,
            search: &search,
            max_nodes: limits.max_nodes.unwrap_or(u64::MAX),
        };
        let report = self.lead.think(board, limits, &mut lead);
        drop(end);

        let mut reports = vec![report];
        let deadline = Instant::now() + PATIENCE;
        while reports.len() <= away
            && let Ok(back) = crew.returned.recv_deadline(deadline)
        {
            if Arc::ptr_eq(&back.search, &search) {
                reports.push(back.report);
            }
            self.resting.push(back.assistant);
        }
        let nodes = reports[0].nodes + search.nodes.load(Relaxed);
        // With several lines, they have all been told as the lead sees them.
        let elected = if limits.lines > 1 { 0 } else { elect(&reports) };
        let mut report = reports.swap_remove(elected);
        report.nodes = nodes;
        if elected != 0 {
            lead.control.iteration(&report);
        }
        report
    }

    /// Makes the team complete. A thread that has lost its assistant may still be busy with it, so threads
    /// are only trusted if all have come back.
    fn gather(&mut self) {
        let wanted = self.size as usize - 1;
        if let Some(crew) = &self.crew {
            let late = crew.returned.try_iter().map(|back| back.assistant);
            self.resting.extend(late);
        }
        if self.resting.len() == wanted && (wanted == 0) == self.crew.is_none() {
            return;
        }
        self.resting.clear();
        self.crew = Crew::new(wanted);
        if self.crew.is_some() {
            self.resting = (1..self.size)
                .map(|number| self.lead.assistant(number))
                .collect();
        }
    }
}

impl Crew {
    /// Threads for `count` assistants; `None` if there are none to be had.
    fn new(count: usize) -> Option<Self> {
        if count == 0 {
            return None;
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .stack_size(STACK)
            .thread_name(|i| format!("assistant {}", i + 1))
            // The assistant is missed at the next search.
            .panic_handler(|_| {})
            .build()
            .ok()?;
        let (returns, returned) = unbounded();
        Some(Self {
            pool,
            returns,
            returned,
        })
    }

    /// Lets `assistant` search, and come back when `search` is stopped.
    fn send(&self, mut assistant: Searcher, board: &Board, limits: Limits, search: &Arc<Signals>) {
        let (mut board, search) = (board.clone(), Arc::clone(search));
        let returns = self.returns.clone();
        let limits = Limits {
            max_nodes: None,
            ..limits
        };
        self.pool.spawn(move || {
            let mut control = Assist {
                search: &search,
                one_line: limits.lines <= 1,
                told: 0,
            };
            let report = assistant.think(&mut board, &limits, &mut control);
            control.tell(report.nodes);
            // The team may be gone.
            let _ = returns.send(Return {
                search,
                assistant,
                report,
            });
        });
    }
}

/// Tells the assistants to stop when it goes.
struct StopOnDrop<'a>(&'a Signals);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The control of the lead: the caller's, with the nodes of all.
struct Lead<'a, C> {
    control: &'a mut C,
    search: &'a Signals,
    max_nodes: u64,
}

impl<C: Control> Control for Lead<'_, C> {
    fn should_stop(&mut self, nodes: u64) -> bool {
        let nodes = nodes + self.search.nodes.load(Relaxed);
        self.search.is_stopped() || nodes >= self.max_nodes || self.control.should_stop(nodes)
    }

    fn iteration(&mut self, report: &Report) -> bool {
        let mut report = report.clone();
        report.nodes += self.search.nodes.load(Relaxed);
        self.control.iteration(&report) && !self.search.is_stopped()
    }
}

/// The control of an assistant.
struct Assist<'a> {
    search: &'a Signals,
    /// Whether only the best move counts.
    one_line: bool,
    /// Nodes already counted.
    told: u64,
}

impl Assist<'_> {
    fn tell(&mut self, nodes: u64) {
        let new = nodes.saturating_sub(self.told);
        self.search.nodes.fetch_add(new, Relaxed);
        self.told += new;
    }
}

impl Control for Assist<'_> {
    fn should_stop(&mut self, nodes: u64) -> bool {
        self.tell(nodes);
        self.search.is_stopped()
    }

    fn iteration(&mut self, report: &Report) -> bool {
        if self.one_line && score::is_win(report.score) {
            // Nobody can find anything better.
            self.search.stop();
        }
        !self.search.is_stopped()
    }
}

/// What a vote is worth at least, in points of score per ply of depth: even the most pessimistic searcher has a say.
const LEAST_VOTE: i64 = 20;

/// The index of the report to follow; the first is the lead's, and wins ties. A proved win needs no majority, the
/// shortest is taken. Otherwise each report votes for its move, with more weight the deeper it
/// looked and the better it thinks of the position.
fn elect(reports: &[Report]) -> usize {
    let first_max = |key: &dyn Fn(&Report) -> (i64, i64)| {
        (0..reports.len()).rev().max_by_key(|&i| key(&reports[i]))
    };
    let least = reports.iter().map(|report| report.score).min().unwrap_or(0);
    let weight = |report: &Report| {
        if report.line.is_empty() {
            return 0;
        }
        i64::from(report.depth) * (i64::from(report.score - least) + LEAST_VOTE)
    };
    let votes = |report: &Report| -> i64 {
        let same = |other: &&Report| other.line.first() == report.line.first();
        reports.iter().filter(same).map(weight).sum()
    };
    let elected = if reports.iter().any(|report| score::is_win(report.score)) {
        first_max(&|report| (i64::from(report.score), 0))
    } else {
        first_max(&|report| (votes(report), weight(report)))
    };
    elected.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::NoObserver;
    use crate::movegen::is_legal;
    use crate::rule::{RuleKind, oracle};
    use crate::search::Unattended;
    use crate::types::score::{loss_in, win_in};
    use crate::types::{Point, Size};

    fn report(x: u8, depth: u32, score: i32) -> Report {
        Report {
            depth,
            score,
            line: vec![Point::new(x, 0)],
            ..Report::default()
        }
    }

    #[test]
    fn a_proved_win_needs_no_majority_and_the_shortest_is_taken() {
        let reports = [
            report(1, 20, 900),
            report(1, 20, 900),
            report(2, 1, win_in(9)),
            report(3, 1, win_in(5)),
        ];
        assert_eq!(elect(&reports), 3);
        assert_eq!(elect(&reports[..3]), 2);
    }

    #[test]
    fn depth_and_score_weigh_and_the_lead_wins_ties() {
        assert_eq!(elect(&[report(1, 9, 10), report(2, 9, 10)]), 0);
        assert_eq!(elect(&[report(1, 9, 10), report(2, 10, 10)]), 1);
        assert_eq!(elect(&[report(1, 9, 10), report(2, 9, 60)]), 1);
        let majority = [report(1, 9, 10), report(2, 9, 5), report(2, 8, 5)];
        assert_eq!(elect(&majority), 1);
        assert_eq!(elect(&[report(1, 30, loss_in(8)), report(2, 9, -300)]), 1);
    }

    #[test]
    fn a_searcher_that_found_nothing_has_no_vote() {
        let nothing = Report::default();
        assert_eq!(elect(&[nothing.clone(), report(1, 1, -900)]), 1);
        assert_eq!(elect(&[report(1, 1, -900), nothing.clone()]), 0);
        assert_eq!(elect(&[nothing]), 0);
    }

    fn middle_game() -> Board {
        let mut board = Board::new(Size::square(15), RuleKind::Freestyle);
        for (x, y) in [(7, 7), (8, 8), (6, 8), (8, 6), (5, 9), (8, 7)] {
            board.play(Point::new(x, y), &mut NoObserver);
        }
        board
    }

    fn nodes(count: u64) -> Limits {
        Limits {
            max_nodes: Some(count),
            ..Limits::default()
        }
    }

    #[test]
    fn a_team_of_one_searches_as_its_searcher_does() {
        let mut board = middle_game();
        let alone = Searcher::new(1 << 20).think(&mut board, &nodes(30_000), &mut Unattended);
        let mut team = Team::new(1 << 20, 1);
        assert_eq!(
            team.think(&mut board, &nodes(30_000), &mut Unattended),
            alone
        );
        team.resize(3);
        team.think(&mut board, &nodes(30_000), &mut Unattended);
        team.resize(1);
        team.new_game();
        assert_eq!(
            team.think(&mut board, &nodes(30_000), &mut Unattended),
            alone
        );
    }

    #[test]
    fn games_of_teams_are_legal_and_all_searchers_rest_between_moves() {
        for (size, rule) in [(2, RuleKind::Freestyle), (4, RuleKind::Renju)] {
            let mut team = Team::new(1 << 20, size);
            let mut board = Board::new(Size::square(11), rule);
            board.play(Point::new(5, 5), &mut NoObserver);
            for _ in 0..30 {
                let side = board.side();
                let before = board.hash();
                let report = team.think(&mut board, &nodes(3_000), &mut Unattended);
                assert_eq!(board.hash(), before);
                let point = report.line[0];
                assert!(is_legal(&mut board, point, side), "{point}");
                if oracle::wins(rule, &board.to_grid(), side, point) {
                    break;
                }
                board.play(point, &mut NoObserver);
                assert!(all_rest(&mut team), "an assistant is still searching");
            }
        }
    }

    /// Whether all assistants are back, or are within a generous time.
    fn all_rest(team: &mut Team) -> bool {
        let crew = team.crew.as_ref().expect("assistants");
        let deadline = Instant::now() + Duration::from_secs(10);
        while team.resting.len() + 1 < team.size as usize {
            match crew.returned.recv_deadline(deadline) {
                Ok(back) => team.resting.push(back.assistant),
                Err(_) => return false,
            }
        }
        true
    }

    /// Stops after the first iteration that enough nodes were entered for.
    struct Until(u64);

    impl Control for Until {
        fn should_stop(&mut self, nodes: u64) -> bool {
            nodes >= self.0
        }

        fn iteration(&mut self, _: &Report) -> bool {
            true
        }
    }

    #[test]
    fn nodes_of_all_are_counted_and_limited() {
        let mut board = middle_game();
        let mut team = Team::new(1 << 20, 4);
        let by_limit = team.think(&mut board, &nodes(200_000), &mut Unattended);
        let by_control = team.think(&mut board, &Limits::default(), &mut Until(200_000));
        for report in [by_limit, by_control] {
            // Between two looks at the limit lie a few hundred nodes and a VCF or two of each.
            let total = report.nodes;
            assert!((200_000..260_000).contains(&total), "{total}");
        }
    }

    #[test]
    fn a_win_that_is_there_is_found_by_every_team() {
        let mut board = Board::new(Size::square(15), RuleKind::Freestyle);
        for (x, y) in [
            (7, 7),
            (0, 0),
            (8, 7),
            (2, 0),
            (7, 8),
            (4, 0),
            (8, 8),
            (6, 0),
        ] {
            board.play(Point::new(x, y), &mut NoObserver);
        }
        for size in [1, 2, 4] {
            let mut team = Team::new(1 << 20, size);
            let report = team.think(&mut board, &nodes(500_000), &mut Unattended);
            assert!(score::is_win(report.score), "{size}: {report:?}");
        }
    }

    #[test]
    fn several_lines_are_told_as_ever() {
        let mut board = middle_game();
        let limits = Limits {
            lines: 3,
            max_depth: Some(4),
            ..Limits::default()
        };
        let mut team = Team::new(1 << 20, 3);
        let report = team.think(&mut board, &limits, &mut Unattended);
        assert_eq!((report.rank, report.lines, report.depth), (0, 3, 4));
    }

    #[test]
    fn a_late_assistant_does_not_write_into_the_next_game() {
        let mut team = Team::new(1 << 20, 1);
        let late = team.lead.assistant(1);
        team.new_game();
        assert!(!Arc::ptr_eq(&late.table, &team.lead.table));
        assert_eq!(late.table.bytes(), team.lead.table.bytes());
    }

    #[test]
    fn lost_assistants_are_replaced() {
        let mut board = middle_game();
        let mut team = Team::new(1 << 20, 3);
        team.think(&mut board, &nodes(5_000), &mut Unattended);
        assert!(all_rest(&mut team));
        team.resting.pop();
        let crew = team.crew.as_ref().expect("assistants");
        crew.pool.spawn(|| panic!("planted"));
        let report = team.think(&mut board, &nodes(5_000), &mut Unattended);
        assert!(!report.line.is_empty());
        assert!(all_rest(&mut team));
    }

    /// Panics in the midst of the search.
    struct Fault;

    impl Control for Fault {
        fn should_stop(&mut self, nodes: u64) -> bool {
            assert!(nodes < 5_000, "planted");
            false
        }

        fn iteration(&mut self, _: &Report) -> bool {
            true
        }
    }

    #[test]
    fn assistants_come_back_when_the_lead_panics() {
        let mut board = middle_game();
        let mut team = Team::new(1 << 20, 3);
        let search = std::panic::AssertUnwindSafe(|| {
            team.think(&mut board.clone(), &Limits::default(), &mut Fault)
        });
        assert!(std::panic::catch_unwind(search).is_err());
        assert!(all_rest(&mut team));
        let report = team.think(&mut board, &nodes(5_000), &mut Unattended);
        assert!(!report.line.is_empty());
    }
}
