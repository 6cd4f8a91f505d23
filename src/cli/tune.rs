//! `tune`: plays sets of search parameters against each other, and moves them by games.
//!
//! All games are played inside the process with a fixed number of nodes per move, so results do not
//! depend on the load of the machine, and a game takes a fraction of a second. Each opening is played
//! twice with colours swapped.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;

use super::pairs::{self, Summary};
use super::selfplay::{opening, search};
use crate::board::{Board, NoObserver};
use crate::rule::RuleKind;
use crate::search::Searcher;
use crate::search::params::{Params, RANGES};
use crate::types::{Colour, Size, SplitMix64, score};

/// Bytes of the hash table of one player.
const HASH_BYTES: usize = 1 << 20;
/// Openings beyond this score, in points, are not played.
const BALANCE: i32 = 150;
/// Name, default, least and greatest value, as in [`RANGES`].
type Range = (&'static str, i32, i32, i32);

/// Play search parameters against each other, or tune them by games
///
/// With --set the changed parameters play against the defaults. With --spsa all
/// parameters (or those named by --only) are moved together: each step plays a pair of games between two
/// random small changes in opposite directions and moves towards the winner.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// Parameters to change, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(super) set: Vec<String>,
    /// Tune by simultaneous perturbation (Spall 1992), starting from --set
    #[arg(long)]
    pub(super) spsa: bool,
    /// Tune only these parameters
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Rule, as managers number it
    #[arg(long, default_value_t = 0)]
    pub(super) rule: u8,
    /// Side of the square board, in cells
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u8).range(10..=22))]
    pub(super) size: u8,
    /// Pairs of games, or steps
    #[arg(long, default_value_t = 200)]
    pub(super) pairs: u32,
    /// Nodes per move
    #[arg(long, default_value_t = 4000)]
    pub(super) nodes: u64,
    /// Seed of the openings
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads, one pair of games each
    #[arg(long, default_value_t = 1)]
    pub(super) threads: usize,
}

/// Plays or tunes; prints results as they come.
///
/// # Errors
/// When a parameter or rule is unknown, or writing fails.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let rule = RuleKind::from_code(options.rule.into())
        .ok_or_else(|| invalid(format!("unknown rule {}", options.rule)))?;
    let mut changed = Params::DEFAULT;
    for setting in &options.set {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| invalid(format!("no NAME=VALUE: {setting}")))?;
        let value = value
            .parse()
            .map_err(|_| invalid(format!("no number: {setting}")))?;
        *changed
            .get_mut(name)
            .ok_or_else(|| invalid(format!("no parameter {name}")))? = value;
    }
    let table = Arena {
        rule,
        size: Size::square(options.size),
        nodes: options.nodes,
    };
    if options.spsa {
        spsa(&table, changed, options, out)?;
    } else {
        compare(&table, &changed, options, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The conditions of all games.
#[derive(Clone, Copy)]
struct Arena {
    rule: RuleKind,
    size: Size,
    nodes: u64,
}

impl Arena {
    /// Plays one opening twice with colours swapped; returns the points of `first` in half games,
    /// 0 to 4.
    fn pair(&self, first: &Params, second: &Params, seed: u64) -> u32 {
        let mut players =
            [first, second].map(|params| Searcher::with_params(HASH_BYTES, params.clone()));
        let mut rng = SplitMix64::new(seed);
        let opening = opening(&mut players[0], self.rule, self.size, &mut rng, BALANCE);
        Colour::ALL
            .into_iter()
            .map(|colour_of_first| {
                players.iter_mut().for_each(Searcher::new_game);
                match self.game(&mut players, &opening, colour_of_first) {
                    None => 1,
                    Some(winner) => 2 * u32::from(winner == colour_of_first),
                }
            })
            .sum()
    }

    fn game(
        &self,
        players: &mut [Searcher; 2],
        opening: &Board,
        colour_of_first: Colour,
    ) -> Option<Colour> {
        let mut board = opening.clone();
        loop {
            let side = board.side();
            let player = &mut players[usize::from(side != colour_of_first)];
            let report = search(player, &mut board, self.nodes);
            let point = *report.line.first()?;
            // A proof ends the game: both players could play it out.
            if score::is_win(report.score) {
                return Some(side);
            }
            if score::is_loss(report.score) {
                return Some(!side);
            }
            board.play(point, &mut NoObserver);
        }
    }
}

/// Plays the changed parameters against the defaults.
fn compare(
    arena: &Arena,
    changed: &Params,
    options: &Options,
    out: &mut impl Write,
) -> io::Result<()> {
    let default = Params::DEFAULT;
    let mut summary = Summary::default();
    pairs::play(
        options.pairs,
        options.threads,
        |pair| {
            let seed = options.seed.wrapping_mul(1_000_003) + u64::from(pair);
            arena.pair(changed, &default, seed)
        },
        |points| {
            summary.add(points);
            if summary.pairs().is_multiple_of(100) {
                writeln!(out, "{summary}")?;
                out.flush()?;
            }
            Ok(true)
        },
    )?;
    writeln!(out, "{summary}")
}

/// Moves the parameters by games: simultaneous perturbation stochastic approximation (Spall
/// 1992), as chess engines use it.
fn spsa(arena: &Arena, start: Params, options: &Options, out: &mut impl Write) -> io::Result<()> {
    let tuned: Vec<Range> = RANGES
        .iter()
        .copied()
        .filter(|(name, ..)| options.only.is_empty() || options.only.iter().any(|o| o == name))
        .collect();
    let mut params = start;
    let mut values: Vec<f64> = tuned
        .iter()
        .map(|(name, ..)| f64::from(params.get_mut(name).map_or(0, |v| *v)))
        .collect();
    let mut rng = SplitMix64::new(options.seed);
    let threads = options.threads.max(1);
    for step in 0..options.pairs {
        let progress = f64::from(step) / f64::from(options.pairs.max(1));
        // Perturbations shrink to a third, steps to a tenth.
        let reach = 1.0 / (1.0 + 2.0 * progress);
        let rate = 0.25 / (1.0 + 9.0 * progress);
        let mut moves = vec![0.0; values.len()];
        let rounds: Vec<(Vec<f64>, u64)> = (0..threads)
            .map(|_| {
                let signs = (0..values.len())
                    .map(|_| if rng.next_u64() & 1 == 0 { -1.0 } else { 1.0 })
                    .collect();
                (signs, rng.next_u64())
            })
            .collect();
        let results: Vec<f64> = std::thread::scope(|scope| {
            let handles: Vec<_> = rounds
                .iter()
                .map(|(signs, seed)| {
                    let plus = shifted(&params, &tuned, &values, signs, reach);
                    let opposite: Vec<f64> = signs.iter().map(|sign| -sign).collect();
                    let minus = shifted(&params, &tuned, &values, &opposite, reach);
                    scope.spawn(move || f64::from(arena.pair(&plus, &minus, *seed)) - 2.0)
                })
                .collect();
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or(0.0))
                .collect()
        });
        for ((signs, _), result) in rounds.iter().zip(results) {
            for ((delta, sign), range) in moves.iter_mut().zip(signs).zip(&tuned) {
                *delta += rate * result / 2.0 * sign * perturbation(range) * reach;
            }
        }
        for ((value, delta), (_, _, min, max)) in values.iter_mut().zip(moves).zip(&tuned) {
            *value = (*value + delta).clamp(f64::from(*min), f64::from(*max));
        }
        if (step + 1) % 100 == 0 || step + 1 == options.pairs {
            write!(out, "step {}:", step + 1)?;
            for ((name, ..), value) in tuned.iter().zip(&values) {
                write!(out, " {name}={value:.1}")?;
            }
            writeln!(out)?;
            out.flush()?;
        }
    }
    Ok(())
}

/// How far a parameter is moved at first: a twelfth of its range.
fn perturbation(&(_, _, min, max): &Range) -> f64 {
    f64::from(max - min) / 12.0
}

fn shifted(base: &Params, tuned: &[Range], values: &[f64], signs: &[f64], reach: f64) -> Params {
    let mut params = base.clone();
    for ((range, value), sign) in tuned.iter().zip(values).zip(signs) {
        let (name, _, min, max) = *range;
        let shifted = value + sign * perturbation(range) * reach;
        if let Some(slot) = params.get_mut(name) {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "within the parameter's range"
            )]
            let rounded = shifted.round().clamp(f64::from(min), f64::from(max)) as i32;
            *slot = rounded;
        }
    }
    params
}
