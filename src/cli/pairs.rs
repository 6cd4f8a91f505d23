//! Pairs of games: each opening played twice with colours swapped, on several threads; what they say about
//! the difference in strength, and when that is enough (SPRT).

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Log-likelihood ratio at which a sequential test ends: 5 % of wrong verdicts either way.
pub(super) const LLR_BOUND: f64 = 2.944;

/// Plays pairs number 0 to `count` on `threads` threads by `pair`. Results go to `take` as they come, on the
/// calling thread, until it answers `false`; pairs under way are then played to their end, but dropped.
///
/// # Errors
/// The first of `take`.
pub(super) fn play<R: Send>(
    count: u32,
    threads: usize,
    pair: impl Fn(u32) -> R + Sync,
    mut take: impl FnMut(R) -> io::Result<bool>,
) -> io::Result<()> {
    let next = AtomicU32::new(0);
    let (sender, receiver) = crossbeam_channel::unbounded();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (sender, next, pair) = (sender.clone(), &next, &pair);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count || sender.send(pair(number)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in receiver {
            if !take(result)? {
                break;
            }
        }
        Ok(())
    })
}

/// Results of pairs of games: how often the first player made 0, ½, 1, 1½ and 2 points of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Summary([u32; 5]);

impl Summary {
    /// Counts a pair.
    ///
    /// # Panics
    /// When `half_points` exceeds 4.
    pub(super) fn add(&mut self, half_points: u32) {
        self.0[half_points as usize] += 1;
    }

    /// The number of pairs.
    pub(super) fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Mean and variance of the share of points in a pair, 0 to 1.
    fn moments(&self) -> (f64, f64) {
        let pairs = f64::from(self.pairs().max(1));
        let moment = |g: &dyn Fn(f64) -> f64| -> f64 {
            let points = [0.0, 0.25, 0.5, 0.75, 1.0];
            let sum: f64 = points
                .iter()
                .zip(self.0)
                .map(|(&x, n)| g(x) * f64::from(n))
                .sum();
            sum / pairs
        };
        let mean = moment(&|x| x);
        (mean, moment(&|x| (x - mean).powi(2)))
    }

    /// How much likelier the results are if the first player is `elo1` stronger than if it is `elo0` stronger: the
    /// logarithm of the ratio, for a normal distribution with the variance of the pairs (generalised
    /// SPRT, as matches of chess engines use it).
    ///
    /// One imaginary pair lost and one won keep a few equal results from looking certain.
    pub(super) fn llr(&self, elo0: f64, elo1: f64) -> f64 {
        let mut counts = self.0;
        counts[0] += 1;
        counts[4] += 1;
        let with_prior = Self(counts);
        let (mean, variance) = with_prior.moments();
        let share = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
        let (low, high) = (share(elo0), share(elo1));
        f64::from(with_prior.pairs()) * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.pairs();
        let (mean, variance) = self.moments();
        let deviation = (variance / f64::from(pairs.max(1))).sqrt();
        let elo = |share: f64| {
            let share = share.clamp(1e-3, 1.0 - 1e-3);
            400.0 * (share / (1.0 - share)).log10()
        };
        let error = (elo(mean + 1.96 * deviation) - elo(mean - 1.96 * deviation)) / 2.0;
        write!(
            f,
            "{pairs} pairs {:?}: {:.1} %, Elo {:+.0} ± {error:.0}",
            self.0,
            100.0 * mean,
            elo(mean)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_played_once() {
        for threads in [1, 3] {
            let mut seen = Vec::new();
            play(
                20,
                threads,
                |number| number,
                |number| {
                    seen.push(number);
                    Ok(true)
                },
            )
            .expect("nothing fails");
            seen.sort_unstable();
            assert_eq!(seen, (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn play_ends_when_nothing_more_is_wanted() {
        let mut taken = 0;
        let count = |_| {
            taken += 1;
            Ok(taken < 5)
        };
        play(u32::MAX, 2, |number| number, count).expect("nothing fails");
        assert_eq!(taken, 5);
        let failed = play(9, 1, |n| n, |_| Err(io::ErrorKind::BrokenPipe.into()));
        assert!(failed.is_err());
    }

    #[test]
    fn strength_is_read_from_the_points() {
        let text = |counts| Summary(counts).to_string();
        let even = text([10, 0, 20, 0, 10]);
        assert!(
            even.contains("40 pairs") && even.contains("50.0 %, Elo +0 ± 77"),
            "{even}"
        );
        // 75 % of the points are 191 Elo.
        assert!(text([0, 0, 20, 0, 20]).contains("75.0 %, Elo +191"));
    }

    #[test]
    fn a_sequential_test_decides_what_is_clear() {
        let llr = |counts| Summary(counts).llr(0.0, 20.0);
        assert!(llr([0, 0, 0, 0, 60]) > LLR_BOUND);
        assert!(llr([60, 0, 0, 0, 0]) < -LLR_BOUND);
        // Even results speak for "no stronger", and more of them speak louder.
        assert!(llr([10, 0, 10, 0, 10]) < 0.0);
        assert!(llr([900, 0, 900, 0, 900]) < -LLR_BOUND);
        // Neither nothing nor one pair decides.
        assert!(llr([0; 5]).abs() < 0.1);
        assert!(llr([0, 0, 0, 0, 1]).abs() < LLR_BOUND);
    }
}
