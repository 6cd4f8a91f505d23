//! From the protocol's times to deadlines: pure functions of numbers.
//!
//! What it is for: deciding how long a move may take. It assumes that times come as managers
//! send them, in milliseconds, with all their ways to say "unlimited" (absent, -1,
//! 2147483647, Yixin-Board's pair of large numbers), and that the caller measures from the moment
//! the command that asks for the move was read.
//!
//! Promises: the hard deadline plus [`margin`] never exceeds the turn limit or the time left;
//! whatever is sent, nothing overflows; games of any length end with time on the clock.

use std::time::Duration;

use crate::types::{Point, Score};

/// Limits from here on (about 23 days) mean "unlimited"; managers send 2147483647.
const UNLIMITED_MS: i64 = 2_000_000_000;
/// Yixin-Board's way to say "unlimited": `timeout_turn` and `timeout_match` of its level mode.
const YIXIN_UNLIMITED_MS: (i64, i64) = (2_000_000, 100_000_000);
/// The turn limit when no manager has said anything and nothing else ends the search, in ms.
const DEFAULT_TURN_MS: u64 = 5_000;
/// The hard deadline when a move is wanted at once, in ms.
const INSTANT_MS: u64 = 8;
/// The time left is shared out as if this many own moves were still to come, always: shares of
/// what is left never use it up, and early moves, which decide most games, get more.
const HORIZON_MOVES: u64 = 22;
/// The same while there are few stones, when little can go wrong yet.
const OPENING_HORIZON_MOVES: u64 = 32;
/// So many stones are few.
const OPENING_STONES: u32 = 5;
/// What a move may take while there are few stones, in ms and in percent of its turn, whichever is more: the position
/// is quiet, and nobody likes to wait for the first moves.
const OPENING_MS: u64 = 1_000;
/// See [`OPENING_MS`].
const OPENING_PERCENT: u64 = 10;
/// Own moves that the time left is shared out among at least: near the end of a long game little is
/// left to decide, and to run out of time would lose it.
const LEAST_HORIZON_MOVES: u64 = 8;
/// Time set aside for each own move that may still come, in ms: what managers and a busy machine take
/// away without being asked.
const OVERHEAD_MS: u64 = 5;
/// For so many moves at most, and at most so many percent of the time left.
const OVERHEAD_MOVES: u64 = 120;
/// See [`OVERHEAD_MOVES`].
const OVERHEAD_PERCENT: u64 = 90;
/// Share of a move's part of the time left, in percent, after which another iteration is not begun, unless the
/// search is [surer or less sure](Confidence) than usual. With iterations that take about 2.5 times as long
/// as the one before, moves then use their part on average.
const SHARE_SOFT_PERCENT: u64 = 70;
/// How far one move may exceed its share of the time left, in percent, to finish an iteration.
const OVERRUN_PERCENT: u64 = 250;

/// The times of the protocol as they were sent, in milliseconds; `None` was never sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// `timeout_turn`: limit per move. 0 = move at once, negative = unlimited.
    pub turn: Option<i64>,
    /// `timeout_match`: limit per game. 0 or negative = unlimited.
    pub game: Option<i64>,
    /// `time_left`: what remains of the game's limit. 0 or negative = move at once, unless
    /// the game's limit is negative (gomoku-calculator then sends nonsense).
    pub left: Option<i64>,
    /// `time_increment`: added to the time left per move.
    pub increment: Option<i64>,
}

/// How far a game has come, in cells of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    /// Stones on the board.
    pub stones: u32,
    /// Points without one.
    pub empty: u32,
}

impl Phase {
    /// The most own moves that can still come.
    fn own_moves(self) -> u64 {
        u64::from(self.empty).div_ceil(2)
    }

    /// The same later in a game: for a question about an opening that is given all its time.
    #[must_use]
    pub(crate) fn past_opening(self) -> Self {
        Self {
            stones: self.stones.max(OPENING_STONES),
            ..self
        }
    }

    fn is_opening(self) -> bool {
        self.stones < OPENING_STONES
    }

    /// Among how many own moves the time left is shared out.
    fn horizon(self) -> u64 {
        let usual = if self.is_opening() {
            OPENING_HORIZON_MOVES
        } else {
            HORIZON_MOVES
        };
        usual.min(self.own_moves()).max(LEAST_HORIZON_MOVES)
    }
}

/// How settled a search is on its move, from what its iterations found.
///
/// A best move that has just changed, or a score that falls, asks for more time; a move that has long been
/// the best, for less.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Confidence {
    best: Option<Point>,
    score: Score,
    /// Iterations since the best move changed.
    unchanged: u32,
    /// Points by which the score fell in the last iteration.
    drop: Score,
}

/// Iterations before this one are over in no time and say nothing.
const FIRST_TELLING_DEPTH: u32 = 5;

impl Confidence {
    /// Takes in the result of an iteration of `depth` plies.
    pub(crate) fn hear(&mut self, depth: u32, best: Option<Point>, score: Score) {
        if self.best == best {
            self.unchanged += 1;
        } else {
            self.unchanged = 0;
        }
        if depth <= FIRST_TELLING_DEPTH {
            self.unchanged = 0;
            self.score = score;
        }
        self.drop = self.score.saturating_sub(score);
        self.best = best;
        self.score = score;
    }

    /// The time to take in percent of the usual.
    #[must_use]
    pub(crate) fn percent(&self) -> u64 {
        if self.best.is_none() {
            return 100;
        }
        let change = match self.unchanged {
            0 => 140,
            1..=2 => 115,
            3..=4 => 95,
            5..=7 => 80,
            _ => 65,
        };
        // A fall of 100 points, the odds divided by 1.5, is worth half as much time again.
        let drop = u64::try_from(self.drop.clamp(0, 150)).unwrap_or(0);
        change * (200 + drop) / 200
    }
}

/// When to stop, counted from the moment the move was asked for. [`Budget::NEVER`] stands
/// for the absence of a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// Begin no iteration after this, or somewhat earlier or later; see [`Budget::may_deepen`].
    pub soft: Duration,
    /// Stop searching at this.
    pub hard: Duration,
}

impl Budget {
    /// A deadline that is never reached.
    pub(crate) const NEVER: Duration = Duration::MAX;
    /// No deadlines.
    pub(crate) const UNLIMITED: Self = Self {
        soft: Self::NEVER,
        hard: Self::NEVER,
    };
    /// A move at once: as good as a few milliseconds make it.
    pub(crate) const INSTANT: Self = Self {
        soft: Duration::ZERO,
        hard: Duration::from_millis(INSTANT_MS),
    };

    /// Whether to begin another iteration after `elapsed`. Time saved is only worth anything if the
    /// game's clock keeps it: then, and only then, soft and hard deadline differ.
    #[must_use]
    pub(crate) fn may_deepen(&self, elapsed: Duration, confidence: &Confidence) -> bool {
        if elapsed >= self.hard {
            return false;
        }
        if self.soft >= self.hard {
            return true;
        }
        let micros = u64::try_from(self.soft.as_micros()).unwrap_or(u64::MAX);
        elapsed < Duration::from_micros(percent(micros, confidence.percent()))
    }
}

impl TimeControl {
    /// The deadlines of the next move in a game that has come to `phase`. `bounded` says that something else (nodes, depth) ends the
    /// search, so that no default limit is needed.
    #[must_use]
    pub(crate) fn budget(&self, bounded: bool, phase: Phase) -> Budget {
        let mut turn = self.turn_limit();
        let left = self.time_left();
        if turn.is_none() && left.is_none() {
            if bounded || self.turn.is_some() {
                return Budget::UNLIMITED;
            }
            turn = Some(DEFAULT_TURN_MS);
        }
        if turn == Some(0) || left == Some(0) {
            return Budget::INSTANT;
        }
        let usable = |limit: Option<u64>| limit.map_or(u64::MAX, |ms| ms - margin(ms));
        let mut hard = usable(turn).min(usable(left));
        // An unfinished iteration counts too, and time that a turn leaves over is lost.
        let mut soft = hard;
        if let Some(left) = left {
            let increment = self
                .increment
                .map_or(0, |ms| u64::try_from(ms).unwrap_or(0));
            let moves = phase.own_moves().min(OVERHEAD_MOVES);
            let reserve = (moves * OVERHEAD_MS).min(percent(left, OVERHEAD_PERCENT));
            let share = ((left - reserve) / phase.horizon()).saturating_add(percent(increment, 75));
            soft = soft.min(percent(share, SHARE_SOFT_PERCENT));
            hard = hard.min(percent(share, OVERRUN_PERCENT));
        }
        if phase.is_opening() {
            hard = hard.min(percent(hard, OPENING_PERCENT).max(OPENING_MS));
            soft = soft.min(hard);
        }
        Budget {
            soft: Duration::from_millis(soft),
            hard: Duration::from_millis(hard),
        }
    }

    /// The tightest limit that this move has, in ms; `None` if there is none.
    #[must_use]
    pub(crate) fn tightest(&self) -> Option<u64> {
        match (self.turn_limit(), self.time_left()) {
            (Some(turn), Some(left)) => Some(turn.min(left)),
            (turn, left) => turn.or(left),
        }
    }

    fn turn_limit(&self) -> Option<u64> {
        let turn = self.turn.filter(|&ms| ms < UNLIMITED_MS)?;
        if self.is_yixin_unlimited() {
            return None;
        }
        u64::try_from(turn).ok()
    }

    fn time_left(&self) -> Option<u64> {
        if self.is_yixin_unlimited() || self.game.is_some_and(i64::is_negative) {
            return None;
        }
        let left = self.left.or(self.game.filter(|&ms| ms > 0))?;
        (left < UNLIMITED_MS).then(|| u64::try_from(left).unwrap_or(0))
    }

    fn is_yixin_unlimited(&self) -> bool {
        self.turn.zip(self.game) == Some(YIXIN_UNLIMITED_MS)
    }
}

/// The part of a limit of `limit_ms` that is left unused, in ms, for everything outside the search:
/// pipes, a busy machine, the reaction time of the search. 25 at 100, 45 at 300, 103 at 1000,
/// 400 from 4560.
#[must_use]
pub(crate) const fn margin(limit_ms: u64) -> u64 {
    let wanted = 20 + limit_ms / 12;
    let capped = if wanted < 400 { wanted } else { 400 };
    if capped < limit_ms / 4 {
        capped
    } else {
        limit_ms.div_ceil(4)
    }
}

const fn percent(value: u64, percent: u64) -> u64 {
    // Two steps, so that nothing overflows and small values keep their precision.
    match value.checked_mul(percent) {
        Some(product) => product / 100,
        None => (value / 100).saturating_mul(percent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::SplitMix64;

    const MIDDLE_GAME: Phase = Phase {
        stones: 20,
        empty: 205,
    };

    fn turn(ms: i64) -> TimeControl {
        TimeControl {
            turn: Some(ms),
            game: Some(0),
            left: Some(2_147_483_647),
            increment: None,
        }
    }

    fn ms(duration: Duration) -> u128 {
        duration.as_millis()
    }

    #[test]
    fn a_turn_limit_alone_is_used_nearly_whole() {
        for (limit, margin) in [
            (100, 25),
            (300, 45),
            (1_000, 103),
            (5_000, 400),
            (30_000, 400),
        ] {
            let budget = turn(limit).budget(false, MIDDLE_GAME);
            assert_eq!(ms(budget.hard), u128::try_from(limit - margin).unwrap());
            assert_eq!(budget.soft, budget.hard);
        }
        for limit in 1..10 {
            assert!(
                ms(turn(limit).budget(false, MIDDLE_GAME).hard) < u128::try_from(limit).unwrap()
            );
        }
    }

    #[test]
    fn zero_and_overdrawn_clocks_ask_for_an_instant_move() {
        assert_eq!(turn(0).budget(false, MIDDLE_GAME), Budget::INSTANT);
        assert_eq!(turn(0).budget(true, MIDDLE_GAME), Budget::INSTANT);
        for left in [0, -1, -500, i64::MIN] {
            let control = TimeControl {
                left: Some(left),
                ..turn(1_000)
            };
            assert_eq!(
                control.budget(false, MIDDLE_GAME),
                Budget::INSTANT,
                "{left}"
            );
        }
    }

    #[test]
    fn every_way_to_say_unlimited() {
        let unlimited = [
            (Some(-1), Some(-1), Some(1)),
            (
                Some(2_147_483_647),
                Some(2_147_483_647),
                Some(2_147_483_647),
            ),
            (Some(2_000_000), Some(100_000_000), Some(100_000_000)),
            (Some(2_000_000), Some(100_000_000), Some(12_345)),
            (Some(i64::MAX), Some(i64::MAX), Some(i64::MAX)),
            (Some(i64::MIN), None, None),
        ];
        for (turn, game, left) in unlimited {
            let control = TimeControl {
                turn,
                game,
                left,
                increment: Some(i64::MAX),
            };
            assert_eq!(
                control.budget(false, MIDDLE_GAME),
                Budget::UNLIMITED,
                "{control:?}"
            );
        }
    }

    #[test]
    fn without_any_limit_a_default_holds_unless_nodes_or_depth_end_the_search() {
        let silent = TimeControl::default();
        let budget = silent.budget(false, MIDDLE_GAME);
        assert!(ms(budget.hard) < 30_000 && ms(budget.hard) > 1_000);
        assert_eq!(silent.budget(true, MIDDLE_GAME), Budget::UNLIMITED);
        let tournament_without_limits = TimeControl {
            game: Some(0),
            left: Some(2_147_483_647),
            ..silent
        };
        assert_eq!(tournament_without_limits.budget(false, MIDDLE_GAME), budget);
    }

    #[test]
    fn match_time_alone_is_shared_out() {
        let control = TimeControl {
            turn: None,
            game: Some(10_000),
            left: Some(10_000),
            increment: None,
        };
        let budget = control.budget(false, MIDDLE_GAME);
        assert!((150..500).contains(&ms(budget.soft)), "{budget:?}");
        assert!(ms(budget.hard) < 1_250);
        let without_left = TimeControl {
            left: None,
            ..control
        };
        assert_eq!(without_left.budget(false, MIDDLE_GAME), budget);
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let values = [
            None,
            Some(i64::MIN),
            Some(-1),
            Some(0),
            Some(1),
            Some(1_999_999_999),
            Some(i64::MAX),
        ];
        for turn in values {
            for game in values {
                for left in values {
                    for increment in values {
                        let control = TimeControl {
                            turn,
                            game,
                            left,
                            increment,
                        };
                        let budget = control.budget(false, MIDDLE_GAME);
                        assert!(budget.soft <= budget.hard, "{control:?} {budget:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_opening_gets_less_and_the_last_moves_no_more_than_is_left() {
        let control = TimeControl {
            turn: None,
            game: Some(120_000),
            left: Some(120_000),
            increment: None,
        };
        let soft = |stones, empty| ms(control.budget(false, Phase { stones, empty }).soft);
        assert!(soft(2, 223) < soft(20, 205));
        assert!(soft(20, 205) < soft(219, 6));
        for empty in 0..=484 {
            let stones = 484 - empty;
            let budget = control.budget(false, Phase { stones, empty });
            assert!(budget.soft <= budget.hard && ms(budget.hard) < 120_000);
        }
    }

    #[test]
    fn first_moves_come_quickly_whatever_the_turn() {
        for stones in 0..OPENING_STONES {
            let empty = 225 - stones;
            let soft = |limit| turn(limit).budget(false, Phase { stones, empty }).hard;
            assert!(soft(5_000) <= Duration::from_secs(1));
            assert!(soft(300_000) <= Duration::from_secs(30));
            assert_eq!(soft(300), turn(300).budget(false, MIDDLE_GAME).hard);
        }
    }

    #[test]
    fn changes_and_falling_scores_cost_time_and_constancy_saves_it() {
        let (here, there) = (Some(Point::new(1, 1)), Some(Point::new(2, 2)));
        let after = |iterations: &[(Option<Point>, Score)]| {
            let mut confidence = Confidence::default();
            for (depth, &(best, score)) in (6..).zip(iterations) {
                confidence.hear(depth, best, score);
            }
            confidence.percent()
        };
        let constant = after(&[(here, 10); 12]);
        let changed = after(&[(here, 10), (here, 10), (here, 10), (there, 10)]);
        let fallen = after(&[(here, 10), (here, 10), (here, 10), (here, -90)]);
        let risen = after(&[(here, 10), (here, 10), (here, 10), (here, 110)]);
        let usual = after(&[(here, 10); 4]);
        assert!(constant < usual && usual < changed && usual < fallen);
        assert_eq!(risen, usual);
        assert_eq!(Confidence::default().percent(), 100);
        let mut early = Confidence::default();
        for depth in 1..=FIRST_TELLING_DEPTH {
            early.hear(depth, here, 1000 - 100 * Score::try_from(depth).unwrap());
        }
        assert_eq!(early.percent(), 140, "early iterations do not count");
        let mut extreme = Confidence::default();
        for score in [Score::MAX, Score::MIN, Score::MAX] {
            extreme.hear(9, here, score);
            assert!((50..300).contains(&extreme.percent()));
        }
    }

    #[test]
    fn confidence_moves_the_soft_deadline_only_where_time_is_kept() {
        let mut sure = Confidence::default();
        for depth in 1..30 {
            sure.hear(depth, Some(Point::new(1, 1)), 0);
        }
        let unsure = Confidence {
            unchanged: 0,
            ..sure
        };
        let game = Budget {
            soft: Duration::from_millis(100),
            hard: Duration::from_millis(300),
        };
        let at = Duration::from_millis;
        assert!(!game.may_deepen(at(80), &sure) && game.may_deepen(at(120), &unsure));
        assert!(!game.may_deepen(at(300), &unsure));
        let turn = Budget {
            soft: game.hard,
            ..game
        };
        assert!(turn.may_deepen(at(299), &sure) && !turn.may_deepen(at(300), &unsure));
        assert!(Budget::UNLIMITED.may_deepen(at(1 << 40), &sure));
        assert!(!Budget::INSTANT.may_deepen(at(0), &unsure));
    }

    /// How long a search with iterations that each take 1.5 to 3.5 times as long as the one before
    /// thinks under `budget`, in ms. Its best move changes now and then and its score wanders.
    fn simulated_think(budget: Budget, rng: &mut SplitMix64) -> usize {
        let mut confidence = Confidence::default();
        let (mut now, mut iteration) = (0, 1_000);
        let (mut best, mut score) = (0, 0);
        for depth in 1.. {
            now += iteration;
            iteration = iteration * (150 + rng.below(200)) / 100;
            if rng.below(5) == 0 {
                best += 1;
            }
            score += i32::try_from(rng.below(61)).unwrap() - 30;
            confidence.hear(depth, Some(Point::new(best % 20, 0)), score);
            if !budget.may_deepen(Duration::from_micros(now as u64), &confidence) {
                break;
            }
        }
        let hard = usize::try_from(budget.hard.as_micros()).unwrap();
        now.min(hard) / 1_000
    }

    /// Times of a game in ms: limit per move, per game, increment.
    type League = (Option<i64>, i64, i64);

    /// Lets `league` be played to the last cell of a board of `cells`. Each move loses up to `overhead` ms outside the
    /// search. Returns the time left after each own move, in percent.
    fn simulated_game(
        (turn, game, increment): League,
        cells: u32,
        overhead: usize,
        rng: &mut SplitMix64,
    ) -> Vec<i64> {
        let mut left = game;
        let mut percents = Vec::new();
        for stones in (0..cells).step_by(2) {
            let control = TimeControl {
                turn,
                game: Some(game),
                left: Some(left),
                increment: Some(increment),
            };
            let empty = cells - stones;
            let budget = control.budget(false, Phase { stones, empty });
            let think = simulated_think(budget, rng);
            let used = i64::try_from(think + rng.below(overhead + 1)).unwrap();
            let limit = turn.unwrap_or(i64::MAX).min(left);
            assert!(
                used < limit,
                "{turn:?}/{game}+{increment}, {stones} stones: {used} of {limit}"
            );
            left += increment - used;
            percents.push(100 * left / game);
        }
        percents
    }

    #[test]
    fn simulated_games_of_any_length_keep_every_limit_and_use_their_time() {
        let leagues: [League; 9] = [
            (Some(5_000), 120_000, 0),
            (Some(5_000), 100_000, 0),
            (Some(30_000), 180_000, 0),
            (Some(300_000), 1_000_000, 0),
            (Some(2_000), 50_000, 0),
            (Some(5_400_000), 5_400_000, 0),
            (None, 10_000, 0),
            (None, 10_000, 100),
            (None, 180_000, 2_000),
        ];
        let mut rng = SplitMix64::new(1);
        for league in leagues {
            for cells in [225, 400, 484] {
                for overhead in [0, 3, 5] {
                    let left = simulated_game(league, cells, overhead, &mut rng);
                    // Most games last 15 to 40 own moves.
                    let (middle, end) = (left[20], left[50]);
                    if league.2 == 0 {
                        assert!((20..=60).contains(&middle), "{league:?}: {middle}");
                        assert!((2..=25).contains(&end), "{league:?}: {end}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_shortest_turns_leave_a_margin() {
        let mut rng = SplitMix64::new(2);
        for game in [0, 120_000, 10_000] {
            let control = TimeControl {
                game: Some(game),
                left: Some(if game == 0 { 2_147_483_647 } else { game }),
                ..turn(100)
            };
            for _ in 0..200 {
                let used = simulated_think(control.budget(false, MIDDLE_GAME), &mut rng);
                assert!((40..=75).contains(&used), "{used}");
            }
        }
    }
}
