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
const HORIZON_MOVES: u64 = 30;
/// Share of a move's part of the time left, in percent, after which another iteration is not begun. With
/// iterations that take about 2.5 times as long as the one before, moves then use their part on average.
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

/// When to stop, counted from the moment the move was asked for. [`Budget::NEVER`] stands
/// for the absence of a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Begin no iteration after this.
    pub soft: Duration,
    /// Stop searching at this.
    pub hard: Duration,
}

impl Budget {
    /// A deadline that is never reached.
    pub const NEVER: Duration = Duration::MAX;
    /// No deadlines.
    pub const UNLIMITED: Self = Self {
        soft: Self::NEVER,
        hard: Self::NEVER,
    };
    /// A move at once: as good as a few milliseconds make it.
    pub const INSTANT: Self = Self {
        soft: Duration::ZERO,
        hard: Duration::from_millis(INSTANT_MS),
    };
}

impl TimeControl {
    /// The deadlines of the next move. `bounded` says that something else (nodes, depth) ends the
    /// search, so that no default limit is needed.
    #[must_use]
    pub fn budget(&self, bounded: bool) -> Budget {
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
            let share = (left / HORIZON_MOVES).saturating_add(percent(increment, 75));
            soft = soft.min(percent(share, SHARE_SOFT_PERCENT));
            hard = hard.min(percent(share, OVERRUN_PERCENT));
        }
        Budget {
            soft: Duration::from_millis(soft),
            hard: Duration::from_millis(hard),
        }
    }

    /// The tightest limit that this move has, in ms; `None` if there is none.
    #[must_use]
    pub fn tightest(&self) -> Option<u64> {
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
pub const fn margin(limit_ms: u64) -> u64 {
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
            let budget = turn(limit).budget(false);
            assert_eq!(ms(budget.hard), u128::try_from(limit - margin).unwrap());
            assert_eq!(budget.soft, budget.hard);
        }
        for limit in 1..10 {
            assert!(ms(turn(limit).budget(false).hard) < u128::try_from(limit).unwrap());
        }
    }

    #[test]
    fn zero_and_overdrawn_clocks_ask_for_an_instant_move() {
        assert_eq!(turn(0).budget(false), Budget::INSTANT);
        assert_eq!(turn(0).budget(true), Budget::INSTANT);
        for left in [0, -1, -500, i64::MIN] {
            let control = TimeControl {
                left: Some(left),
                ..turn(1_000)
            };
            assert_eq!(control.budget(false), Budget::INSTANT, "{left}");
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
            assert_eq!(control.budget(false), Budget::UNLIMITED, "{control:?}");
        }
    }

    #[test]
    fn without_any_limit_a_default_holds_unless_nodes_or_depth_end_the_search() {
        let silent = TimeControl::default();
        let budget = silent.budget(false);
        assert!(ms(budget.hard) < 30_000 && ms(budget.hard) > 1_000);
        assert_eq!(silent.budget(true), Budget::UNLIMITED);
        let tournament_without_limits = TimeControl {
            game: Some(0),
            left: Some(2_147_483_647),
            ..silent
        };
        assert_eq!(tournament_without_limits.budget(false), budget);
    }

    #[test]
    fn match_time_alone_is_shared_out() {
        let control = TimeControl {
            turn: None,
            game: Some(10_000),
            left: Some(10_000),
            increment: None,
        };
        let budget = control.budget(false);
        assert!((150..500).contains(&ms(budget.soft)), "{budget:?}");
        assert!(ms(budget.hard) < 1_000);
        let without_left = TimeControl {
            left: None,
            ..control
        };
        assert_eq!(without_left.budget(false), budget);
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
                        let budget = control.budget(false);
                        assert!(budget.soft <= budget.hard, "{control:?} {budget:?}");
                    }
                }
            }
        }
    }

    /// How long a search with iterations that each take 1.5 to 3.5 times as long as the one before
    /// thinks under `budget`, in ms.
    fn simulated_think(budget: Budget, rng: &mut SplitMix64) -> usize {
        let micros = |duration: Duration| usize::try_from(duration.as_micros()).unwrap();
        let (mut now, mut iteration) = (0, 1_000);
        while now < micros(budget.soft) {
            now += iteration;
            iteration = iteration * (150 + rng.below(200)) / 100;
        }
        now.min(micros(budget.hard)) / 1_000
    }

    #[test]
    fn simulated_games_keep_every_limit_and_use_their_time() {
        let leagues = [
            (5_000, 120_000),
            (5_000, 100_000),
            (30_000, 180_000),
            (300_000, 1_000_000),
            (2_000, 50_000),
            (5_400_000, 5_400_000),
        ];
        let mut rng = SplitMix64::new(1);
        for (turn, game) in leagues {
            for _ in 0..200 {
                let mut left = game;
                for own_move in 1..=60 {
                    let control = TimeControl {
                        turn: Some(turn),
                        game: Some(game),
                        left: Some(left),
                        increment: None,
                    };
                    let budget = control.budget(false);
                    let limit = control.tightest().expect("a limit");
                    let margin = usize::try_from(margin(limit)).unwrap();
                    // Half of the moves lose nothing, the others anything up to the margin.
                    let overhead = rng.below(2) * rng.below(margin + 1);
                    let used = i64::try_from(simulated_think(budget, &mut rng) + overhead).unwrap();
                    assert!(
                        used <= turn.min(left),
                        "{turn}/{game}, move {own_move}: {used}"
                    );
                    left -= used;
                    let percent = 100 - 100 * left / game;
                    match own_move {
                        50 => assert!((70..=95).contains(&percent), "{turn}/{game}: {percent}"),
                        60 => assert!((75..=97).contains(&percent), "{turn}/{game}: {percent}"),
                        _ => {}
                    }
                }
            }
        }
    }
}
