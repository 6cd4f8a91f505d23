//! `train-net`: fits the network of line windows to self-played games.
//!
//! The network ([`crate::eval::net`]) adds to what the tables say, so they are fitted first and stay as they are. Minimised is the
//! cross entropy between the probability of winning that tables and network give together and what the rest of the
//! game says of the position ([`samples::targets`]), plus a share of the cross entropy between the odds of
//! the moves and the move that was played. The method is Adam (Kingma and Ba, 2015) on batches of positions; positions are
//! rebuilt from the games, so that memory holds games only. Every twentieth game is for validation.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rayon::prelude::*;

use super::samples::{self, shuffle, sigmoid};
use crate::board::{Board, NoObserver};
use crate::eval::Evaluation;
use crate::eval::net::{CHANNELS, HALF, HIDDEN, Head, Network, Parameters, Rows};
use crate::eval::params::{POINTS_PER_LOGIT, Place};
use crate::eval::weights::Weights;
use crate::movegen;
use crate::record::selfplay::Game;
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour, Direction, Point, SplitMix64};

/// Positions per step.
const BATCH: usize = 512;
/// Validation positions that are looked at after each pass.
const MOST_VALIDATED: usize = 20_000;
/// What the sum over the cells is divided by before the hidden layer.
const CELLS: f32 = 16.0;

/// Fit the network of line windows to self-played games
///
/// Reads files written by `selfplay`, all of one rule, and writes a block as the executable embeds
/// it. The tables in this executable are taken as given.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// Files of games
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// File to write the network to
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Passes over the data
    #[arg(long, default_value_t = 8)]
    pub(super) epochs: u32,
    /// How far a target looks ahead: 1 to the game's result, 0 to the search's own score
    #[arg(long, default_value_t = 0.93)]
    pub(super) lambda: f32,
    /// First step size; it falls to a twentieth
    #[arg(long, default_value_t = 0.003)]
    pub(super) rate: f32,
    /// Weight of the policy in what is minimised
    #[arg(long, default_value_t = 0.1)]
    pub(super) policy: f32,
    /// Seed of the start and of the order of positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1)]
    pub(super) threads: usize,
}

/// Fits and writes the network; prints the losses after each pass.
///
/// # Errors
/// When a file cannot be read or written, or the games are of several rules.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let (rule, games) = samples::load(&options.files)?;
    let mut training = Vec::new();
    let mut validation = Vec::new();
    for (number, game) in games.iter().enumerate() {
        let part = if samples::validates(number) {
            &mut validation
        } else {
            &mut training
        };
        collect(game, number, options.lambda, part);
    }
    let mut rng = SplitMix64::new(options.seed);
    shuffle(&mut validation, &mut rng);
    validation.truncate(MOST_VALIDATED);
    writeln!(
        out,
        "{rule}: {} games, {} positions to fit, {} to validate",
        games.len(),
        training.len(),
        validation.len()
    )?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(io::Error::other)?;
    let mut fit = Fit {
        rows: Rows::new(rule),
        rule,
        weights: Weights::of(rule),
        games: &games,
        policy: options.policy,
        parameters: Parameters::default(),
        threads: options.threads.max(1),
    };
    fit.parameters = start(&fit.rows, &mut rng);
    let before = Fit {
        parameters: Parameters {
            rows: fit.parameters.rows.clone(),
            heads: vec![Head::ZERO; fit.rows.heads()],
        },
        rows: Rows::new(rule),
        ..fit
    };
    writeln!(
        out,
        "tables alone: {}",
        pool.install(|| before.losses(&validation))
    )?;
    let mut adam = Adam::new(&fit.parameters);
    let steps = training.len().div_ceil(BATCH) * options.epochs as usize;
    let mut step = 0;
    for epoch in 1..=options.epochs {
        shuffle(&mut training, &mut rng);
        let mut losses = Losses::default();
        for batch in training.chunks(BATCH) {
            let (gradient, loss) = pool.install(|| fit.gradient(batch));
            losses.add(&loss);
            #[allow(clippy::cast_precision_loss, reason = "a share")]
            let rate = options.rate * (1.0 - 0.95 * step as f32 / steps as f32);
            adam.step(&mut fit.parameters, &gradient, rate);
            step += 1;
        }
        writeln!(
            out,
            "pass {epoch}: training {losses}; validation {}",
            pool.install(|| fit.losses(&validation))
        )?;
        out.flush()?;
        fs::write(&options.out, Network::encode(rule, &fit.parameters))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A position: the game, the moves played before it, and what should be said of it.
#[derive(Clone, Copy)]
struct Sample {
    game: usize,
    ply: usize,
    target: f32,
}

/// The positions of `game` that the search would ask the evaluation about.
fn collect(game: &Game, number: usize, lambda: f32, found: &mut Vec<Sample>) {
    let mut board = Board::new(game.size, game.rule);
    let targets = samples::targets(game, lambda);
    for (ply, &(point, score)) in game.moves.iter().enumerate() {
        if samples::teaches(&board, score) {
            found.push(Sample {
                game: number,
                ply,
                target: targets[ply],
            });
        }
        board.play(point, &mut NoObserver);
    }
}

/// A start from which the fit finds its way: small random vectors that leave most cells' sums
/// inside the clamp, and a hidden layer that says nothing yet.
fn start(rows: &Rows, rng: &mut SplitMix64) -> Parameters {
    #[allow(clippy::cast_precision_loss, reason = "a small random number")]
    let mut random = |width: f32| (rng.below(20_001) as f32 / 10_000.0 - 1.0) * width;
    let table = (0..rows.count())
        .map(|_| std::array::from_fn(|_| 0.03 + random(0.05)))
        .collect();
    let heads = (0..rows.heads())
        .map(|_| {
            let mut head = Head::ZERO;
            for weight in head.hidden.as_flattened_mut() {
                *weight = random(0.25);
            }
            for weight in &mut head.output {
                *weight = random(0.1);
            }
            head
        })
        .collect();
    Parameters { rows: table, heads }
}

/// Mean losses.
#[derive(Clone, Copy, Default)]
struct Losses {
    positions: f64,
    /// Cross entropy of the value, and the squared distance to the target.
    value: f64,
    square: f64,
    choices: f64,
    policy: f64,
    hits: f64,
}

impl Losses {
    fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.value += other.value;
        self.square += other.square;
        self.choices += other.choices;
        self.policy += other.policy;
        self.hits += other.hits;
    }
}

impl std::fmt::Display for Losses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let positions = self.positions.max(1.0);
        let choices = self.choices.max(1.0);
        write!(
            f,
            "value {:.5} (square {:.5}), policy {:.4}, first choice {:.1} %",
            self.value / positions,
            self.square / positions,
            self.policy / choices,
            100.0 * self.hits / choices
        )
    }
}

struct Fit<'a> {
    rule: RuleKind,
    rows: Rows,
    weights: &'static Weights,
    games: &'a [Game],
    policy: f32,
    parameters: Parameters,
    threads: usize,
}

/// An empty cell of a position.
struct Cell {
    point: Point,
    /// Rows of the windows as the side to move sees them, and as the opponent does.
    rows: [[usize; 4]; 2],
    /// The sums, before the clamp.
    sums: [f32; CHANNELS],
}

impl Fit<'_> {
    fn losses(&self, samples: &[Sample]) -> Losses {
        let parts: Vec<Losses> = samples
            .par_chunks(samples.len().div_ceil(self.threads).max(1))
            .map(|samples| {
                let mut losses = Losses::default();
                for sample in samples {
                    self.visit(sample, None, &mut losses);
                }
                losses
            })
            .collect();
        let mut losses = Losses::default();
        for part in &parts {
            losses.add(part);
        }
        losses
    }

    fn gradient(&self, samples: &[Sample]) -> (Parameters, Losses) {
        let parts: Vec<(Parameters, Losses)> = samples
            .par_chunks(samples.len().div_ceil(self.threads).max(1))
            .map(|samples| {
                let mut gradient = zeros(&self.parameters);
                let mut losses = Losses::default();
                for sample in samples {
                    self.visit(sample, Some(&mut gradient), &mut losses);
                }
                (gradient, losses)
            })
            .collect();
        let mut parts = parts.into_iter();
        let (mut sum, mut losses) = parts
            .next()
            .unwrap_or_else(|| (zeros(&self.parameters), Losses::default()));
        for (gradient, part) in parts {
            for_each(&mut sum, &gradient, |sum, part| *sum += part);
            losses.add(&part);
        }
        #[allow(clippy::cast_precision_loss, reason = "a batch is small")]
        let share = 1.0 / samples.len() as f32;
        for_each(&mut sum, &self.parameters, |sum, _| *sum *= share);
        (sum, losses)
    }

    /// Adds the losses of a position, and their slopes by the parameters.
    #[allow(
        clippy::too_many_lines,
        reason = "forwards and backwards, layer by layer"
    )]
    fn visit(&self, sample: &Sample, gradient: Option<&mut Parameters>, losses: &mut Losses) {
        let game = &self.games[sample.game];
        let mut board = Board::new(game.size, self.rule);
        for &(point, _) in &game.moves[..sample.ply] {
            board.play(point, &mut NoObserver);
        }
        let played = game.moves[sample.ply].0;
        let side = board.side();
        let number = if self.rows.heads() == 1 {
            0
        } else {
            side.index()
        };
        let head = &self.parameters.heads[number];

        // Forwards.
        let cells: Vec<Cell> = board
            .empty()
            .iter()
            .map(|point| self.cell(&board, point))
            .collect();
        let mut inputs = [0.0_f32; CHANNELS];
        for cell in &cells {
            for (input, sum) in inputs.iter_mut().zip(cell.sums) {
                *input += sum.clamp(0.0, 1.0);
            }
        }
        let inputs = inputs.map(|sum| sum / CELLS);
        let mut units = head.bias;
        for (input, weights) in inputs.iter().zip(&head.hidden) {
            for (unit, weight) in units.iter_mut().zip(weights) {
                *unit += input * weight;
            }
        }
        #[allow(clippy::cast_precision_loss, reason = "points are small")]
        let mut logit = Evaluation::with_weights(&board, self.weights).score(&board) as f32
            / f32::from(POINTS_PER_LOGIT)
            + head.output_bias;
        for (unit, weight) in units.iter().zip(&head.output) {
            logit += unit.max(0.0) * weight;
        }
        let probability = sigmoid(logit);
        let target = sample.target;
        losses.positions += 1.0;
        losses.value -= f64::from(
            target * probability.max(1e-6).ln()
                + (1.0 - target) * (1.0 - probability).max(1e-6).ln(),
        );
        losses.square += f64::from((probability - target).powi(2));
        let odds = self.odds(&board, &cells, head, played, losses);
        let Some(gradient) = gradient else {
            return;
        };

        // Backwards.
        let slope = probability - target;
        let gradient_head = &mut gradient.heads[number];
        gradient_head.output_bias += slope;
        let mut unit_slopes = [0.0_f32; HIDDEN];
        for i in 0..HIDDEN {
            if units[i] > 0.0 {
                gradient_head.output[i] += slope * units[i];
                unit_slopes[i] = slope * head.output[i];
                gradient_head.bias[i] += unit_slopes[i];
            }
        }
        let mut input_slopes = [0.0_f32; CHANNELS];
        for i in 0..CHANNELS {
            let weights = gradient_head.hidden[i].iter_mut().zip(&head.hidden[i]);
            for ((gradient, weight), unit_slope) in weights.zip(unit_slopes) {
                *gradient += inputs[i] * unit_slope;
                input_slopes[i] += weight * unit_slope;
            }
            input_slopes[i] /= CELLS;
        }
        for (number, cell) in cells.iter().enumerate() {
            let mut slopes = input_slopes;
            if let Some(odds) = &odds {
                let odds = odds[number] * self.policy;
                if odds != 0.0 {
                    for (i, slope) in slopes.iter_mut().enumerate() {
                        gradient_head.policy[i] += odds * cell.sums[i].clamp(0.0, 1.0);
                        *slope += odds * head.policy[i];
                    }
                }
            }
            for (slope, sum) in slopes.iter_mut().zip(cell.sums) {
                if !(0.0..=1.0).contains(&sum) {
                    *slope = 0.0;
                }
            }
            for (rows, slopes) in cell.rows.iter().zip(slopes.chunks_exact(HALF)) {
                for &row in rows {
                    for (value, slope) in gradient.rows[row].iter_mut().zip(slopes) {
                        *value += slope;
                    }
                }
            }
        }
    }

    fn cell(&self, board: &Board, point: Point) -> Cell {
        let side = board.side();
        let mut sums = [0.0; CHANNELS];
        let windows = Direction::ALL.map(|direction| board.window(point, direction));
        let rows = [side, !side].map(|colour| windows.map(|window| self.rows.row(colour, window)));
        for (rows, sums) in rows.iter().zip(sums.chunks_exact_mut(HALF)) {
            for &row in rows {
                for (sum, value) in sums.iter_mut().zip(&self.parameters.rows[row]) {
                    *sum += value;
                }
            }
        }
        Cell { point, rows, sums }
    }

    /// For each cell, the probability that it is played less 1 for the one that was; zero for what is no candidate. `None` if
    /// the position says nothing about the policy.
    fn odds(
        &self,
        board: &Board,
        cells: &[Cell],
        head: &Head,
        played: Point,
        losses: &mut Losses,
    ) -> Option<Vec<f32>> {
        let side = board.side();
        let candidates = board.candidates();
        if movegen::threatens_open_four(board, !side) || !candidates.contains(played) {
            return None;
        }
        let mut before = board.moves().rev();
        let (last, own_last) = (before.next().flatten(), before.next().flatten());
        let mut odds: Vec<f32> = cells
            .iter()
            .map(|cell| {
                if !candidates.contains(cell.point) {
                    return f32::NEG_INFINITY;
                }
                let keys = ByColour(Colour::ALL.map(|colour| board.key(cell.point, colour)));
                let places = [last, own_last].map(|from| Place::beside(from, cell.point));
                #[allow(clippy::cast_precision_loss, reason = "hundredths are small")]
                let mut logit =
                    self.weights.policy(side, keys, places[0], places[1]) as f32 / 100.0;
                for (sum, weight) in cell.sums.iter().zip(&head.policy) {
                    logit += sum.clamp(0.0, 1.0) * weight;
                }
                logit
            })
            .collect();
        let most = odds.iter().copied().fold(f32::MIN, f32::max);
        let mut total = 0.0;
        for value in &mut odds {
            *value = (*value - most).exp();
            total += *value;
        }
        for (value, cell) in odds.iter_mut().zip(cells) {
            *value /= total;
            if cell.point == played {
                losses.choices += 1.0;
                losses.policy -= f64::from(value.max(1e-9).ln());
                losses.hits += f64::from(u8::from(*value * total >= 1.0));
                *value -= 1.0;
            }
        }
        Some(odds)
    }
}

fn zeros(like: &Parameters) -> Parameters {
    Parameters {
        rows: vec![[0.0; HALF]; like.rows.len()],
        heads: vec![Head::ZERO; like.heads.len()],
    }
}

/// Calls `work` with each parameter of `target` and the same one of `other`.
fn for_each(target: &mut Parameters, other: &Parameters, mut work: impl FnMut(&mut f32, f32)) {
    for (a, b) in target
        .rows
        .iter_mut()
        .flatten()
        .zip(other.rows.iter().flatten())
    {
        work(a, *b);
    }
    for (a, b) in target.heads.iter_mut().zip(&other.heads) {
        for (a, b) in a.hidden.iter_mut().flatten().zip(b.hidden.iter().flatten()) {
            work(a, *b);
        }
        let small = [
            (&mut a.bias[..], &b.bias[..]),
            (&mut a.output, &b.output),
            (&mut a.policy, &b.policy),
        ];
        for (a, b) in small {
            for (a, b) in a.iter_mut().zip(b) {
                work(a, *b);
            }
        }
        work(&mut a.output_bias, b.output_bias);
    }
}

/// Steps scaled by running means of slopes and of their squares.
struct Adam {
    means: Parameters,
    squares: Parameters,
    steps: i32,
}

impl Adam {
    const MEAN: f32 = 0.9;
    const SQUARE: f32 = 0.999;

    fn new(like: &Parameters) -> Self {
        Self {
            means: zeros(like),
            squares: zeros(like),
            steps: 0,
        }
    }

    fn step(&mut self, parameters: &mut Parameters, gradient: &Parameters, rate: f32) {
        self.steps += 1;
        for_each(&mut self.means, gradient, |mean, slope| {
            *mean += (slope - *mean) * (1.0 - Self::MEAN);
        });
        for_each(&mut self.squares, gradient, |square, slope| {
            *square += (slope * slope - *square) * (1.0 - Self::SQUARE);
        });
        let rate = rate * (1.0 - Self::SQUARE.powi(self.steps)).sqrt()
            / (1.0 - Self::MEAN.powi(self.steps));
        let mut steps = self.means.clone();
        for_each(&mut steps, &self.squares, |step, square| {
            *step = rate * *step / (square.sqrt() + 1e-8);
        });
        for_each(parameters, &steps, |value, step| *value -= step);
    }
}
