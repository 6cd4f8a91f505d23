//! `train`: fits the evaluation's parameters to self-played games.
//!
//! Logistic regression: the evaluation `e` of a position is a sum of parameters
//! ([`params::features`]), `1 / (1 + exp(-e / 250))` is taken as the probability that the side
//! to move wins, and the parameters are moved (Adagrad, Duchi et al. 2011) to lessen the squared
//! distance to what the rest of the game says of the position ([`samples::lessons`]). Games are split, not
//! positions: every twentieth game is for validation only.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::samples::{self, shuffle, sigmoid};
use crate::board::Board;
use crate::eval::{params, weights};
use crate::movegen;
use crate::record::selfplay::Game;
use crate::rule::RuleKind;
use crate::types::{Point, SplitMix64};

/// Fit the evaluation to self-played games
///
/// Reads files written by `selfplay`, all of one rule, and writes a block of weights as the
/// executable embeds it.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// Files of games
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// File to write the weights to
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Passes over the data
    #[arg(long, default_value_t = 8)]
    pub(super) epochs: u32,
    /// How far a target looks ahead: 1 to the game's result, 0 to the search's own score
    #[arg(long, default_value_t = 0.95)]
    pub(super) lambda: f32,
    /// Step size of the fit, in points
    #[arg(long, default_value_t = 1.5)]
    pub(super) rate: f32,
    /// Step size of the policy's fit, in hundredths of a nat
    #[arg(long, default_value_t = 20.0)]
    pub(super) policy_rate: f32,
    /// Pull of each parameter towards its start per pass
    #[arg(long, default_value_t = 0.0)]
    pub(super) decay: f32,
    /// Seed of the order of positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

/// Fits and writes the weights; prints the loss after each pass.
///
/// # Errors
/// When a file cannot be read or written, or the games are of several rules.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let (rule, data) = load(options)?;
    let start: Vec<f32> = weights::parameters(rule)
        .iter()
        .map(|&v| f32::from(v))
        .collect();
    writeln!(
        out,
        "{rule}: {} positions to fit, {} to validate",
        data.training.len(),
        data.validation.len()
    )?;
    writeln!(
        out,
        "start: validation loss {:.6}",
        data.loss(&data.validation, &start)
    )?;
    let mut values = fit(&data, &start, options, out)?;
    fit_policy(&data, &mut values, options, out)?;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "clamped to the range first"
    )]
    let rounded: Vec<i16> = values
        .iter()
        .map(|v| v.round().clamp(-32_000.0, 32_000.0) as i16)
        .collect();
    fs::write(&options.out, weights::encode(rule, &rounded))?;
    Ok(ExitCode::SUCCESS)
}

/// Where a position's features lie, and what the evaluation should say of it.
struct Sample {
    first: usize,
    end: usize,
    target: f32,
}

#[derive(Default)]
struct Data {
    /// Features of all positions: index of the parameter, and how often it counts.
    features: Vec<(u16, u8)>,
    training: Vec<Sample>,
    validation: Vec<Sample>,
    /// Policy features of all moves that positions offer.
    offers: Vec<[u16; 4]>,
    choices: Vec<Choice>,
    validation_choices: Vec<Choice>,
}

/// Which of the offered moves was played.
struct Choice {
    first: usize,
    end: usize,
    played: usize,
}

impl Data {
    fn features(&self, sample: &Sample) -> &[(u16, u8)] {
        &self.features[sample.first..sample.end]
    }

    fn predict(&self, sample: &Sample, values: &[f32]) -> f32 {
        let sum: f32 = self
            .features(sample)
            .iter()
            .map(|&(index, times)| values[usize::from(index)] * f32::from(times))
            .sum();
        sigmoid(sum / f32::from(params::POINTS_PER_LOGIT))
    }

    /// The odds of the offered moves, up to a common factor.
    fn odds(&self, choice: &Choice, values: &[f32]) -> Vec<f32> {
        let mut odds: Vec<f32> = self.offers[choice.first..choice.end]
            .iter()
            .map(|features| {
                features
                    .iter()
                    .map(|&i| values[usize::from(i)])
                    .sum::<f32>()
                    / 100.0
            })
            .collect();
        let most = odds.iter().copied().fold(f32::MIN, f32::max);
        for value in &mut odds {
            *value = (*value - most).exp();
        }
        odds
    }

    /// Mean negative logarithm of the played move's probability, and how often it is the most
    /// likely one in per cent.
    #[allow(clippy::cast_precision_loss, reason = "means for people to read")]
    fn policy_loss(&self, choices: &[Choice], values: &[f32]) -> (f64, f64) {
        let (mut loss, mut hits) = (0.0, 0);
        for choice in choices {
            let odds = self.odds(choice, values);
            let played = odds[choice.played - choice.first];
            let total: f32 = odds.iter().sum();
            loss -= f64::from((played / total).ln());
            hits += u32::from(odds.iter().all(|&odds| odds <= played));
        }
        let count = choices.len().max(1) as f64;
        (loss / count, 100.0 * f64::from(hits) / count)
    }

    #[allow(clippy::cast_precision_loss, reason = "a mean for people to read")]
    fn loss(&self, samples: &[Sample], values: &[f32]) -> f64 {
        let sum: f64 = samples
            .iter()
            .map(|sample| f64::from((self.predict(sample, values) - sample.target).powi(2)))
            .sum();
        sum / samples.len().max(1) as f64
    }
}

fn load(options: &Options) -> io::Result<(RuleKind, Data)> {
    let mut games = samples::ByRule::default();
    samples::load(&options.files, &mut games)?;
    let mut found = RuleKind::ALL.into_iter().zip(games);
    let mut next = || found.find(|(_, games)| !games.is_empty());
    let (Some((rule, games)), None) = (next(), next()) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "games of several rules",
        ));
    };
    let mut data = Data::default();
    let mut counts = vec![0_u8; params::COUNT];
    for (number, game) in games.iter().enumerate() {
        let validate = samples::validates(number);
        add_game(&mut data, game, validate, options.lambda, &mut counts);
    }
    Ok((rule, data))
}

fn add_game(data: &mut Data, game: &Game, validate: bool, lambda: f32, counts: &mut [u8]) {
    samples::lessons(game, lambda, |board, lesson| {
        let first = data.features.len();
        params::features(board, |index| {
            if counts[index] == 0 {
                data.features
                    .push((u16::try_from(index).unwrap_or(u16::MAX), 0));
            }
            counts[index] = counts[index].saturating_add(1);
        });
        for (index, times) in &mut data.features[first..] {
            *times = std::mem::take(&mut counts[usize::from(*index)]);
        }
        let sample = Sample {
            first,
            end: data.features.len(),
            target: lesson.target,
        };
        if validate {
            &mut data.validation
        } else {
            &mut data.training
        }
        .push(sample);
        if let Some(played) = lesson.played {
            add_choice(data, board, played, validate);
        }
    });
}

/// Adds the moves that the search would look at in `board` and which of them was `played`.
fn add_choice(data: &mut Data, board: &Board, played: Point, validate: bool) {
    let side = board.side();
    if movegen::threatens_open_four(board, !side) {
        return;
    }
    let first = data.offers.len();
    let mut chosen = None;
    for point in &board.candidates() {
        if point == played {
            chosen = Some(data.offers.len());
        }
        let features = params::policy_features(board, point);
        data.offers
            .push(features.map(|index| u16::try_from(index).unwrap_or(u16::MAX)));
    }
    match chosen {
        Some(played) => {
            let choice = Choice {
                first,
                end: data.offers.len(),
                played,
            };
            if validate {
                &mut data.validation_choices
            } else {
                &mut data.choices
            }
            .push(choice);
        }
        None => data.offers.truncate(first),
    }
}

/// Fits the policy by softmax regression: the played move shall be the most likely one.
fn fit_policy(
    data: &Data,
    values: &mut [f32],
    options: &Options,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut squares = vec![1e-6_f32; values.len()];
    let mut order: Vec<usize> = (0..data.choices.len()).collect();
    let mut rng = SplitMix64::new(options.seed);
    for epoch in 1..=options.epochs {
        shuffle(&mut order, &mut rng);
        for &i in &order {
            let choice = &data.choices[i];
            let odds = data.odds(choice, values);
            let total: f32 = odds.iter().sum();
            for (j, odds) in (choice.first..choice.end).zip(odds) {
                let gradient = odds / total - f32::from(u8::from(j == choice.played));
                for index in data.offers[j].map(usize::from) {
                    squares[index] += gradient * gradient;
                    values[index] -= options.policy_rate * gradient / squares[index].sqrt();
                }
            }
        }
        let (loss, hits) = data.policy_loss(&data.validation_choices, values);
        writeln!(
            out,
            "policy pass {epoch}: validation {loss:.4}, first choice {hits:.1} %"
        )?;
    }
    Ok(())
}

fn fit(
    data: &Data,
    start: &[f32],
    options: &Options,
    out: &mut impl Write,
) -> io::Result<Vec<f32>> {
    let mut values = start.to_vec();
    let mut squares = vec![1e-6_f32; values.len()];
    let mut order: Vec<usize> = (0..data.training.len()).collect();
    let mut rng = SplitMix64::new(options.seed);
    for epoch in 1..=options.epochs {
        shuffle(&mut order, &mut rng);
        for &i in &order {
            let sample = &data.training[i];
            let predicted = data.predict(sample, &values);
            let slope = (predicted - sample.target) * predicted * (1.0 - predicted);
            for &(index, times) in data.features(sample) {
                let index = usize::from(index);
                let gradient = slope * f32::from(times);
                squares[index] += gradient * gradient;
                values[index] -= options.rate * gradient / squares[index].sqrt();
            }
        }
        for (value, start) in values.iter_mut().zip(start) {
            *value += (start - *value) * options.decay;
        }
        writeln!(
            out,
            "pass {epoch}: loss {:.6}, validation {:.6}",
            data.loss(&data.training, &values),
            data.loss(&data.validation, &values)
        )?;
    }
    Ok(values)
}
