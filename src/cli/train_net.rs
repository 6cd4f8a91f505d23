//! `train-net`: fits the network of line windows to self-played games.
//!
//! The network ([`crate::eval::net`]) adds to what the tables say, so they are fitted first and stay as they are. Minimised is the
//! cross entropy between the probability of winning that tables and network give together and what the rest of the
//! game says of the position ([`samples::lessons`]), plus a share of the cross entropy between the odds of
//! the moves and the move that was played. The method is Adam (Kingma and Ba, 2015) on batches of positions; positions are
//! rebuilt from the games, so that memory holds games only. Every twentieth game is for validation.
//!
//! Rules learn from each other. What a line is worth hardly depends on the rule, and no rule has games enough for all
//! of its windows. So each parameter is thought of as a sum: what all rules have in common, as freestyle sees it (its windows are
//! shorter, and both colours are alike), and what is peculiar to the rule. Both parts are fitted at once; a batch is of one
//! rule. Such sums are known as factorised features from networks for chess and shogi. Fitted alone, standard and renju knew
//! their games by heart after one pass; together, two passes are better than one.
//!
//! The last pass is over recent games alone. Older ones, by weaker evaluations, teach what there is to
//! be learned of lines in general, but they are not what the search meets now.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rayon::prelude::*;

use super::samples::{self, Lesson, shuffle, sigmoid};
use crate::board::{Board, NoObserver};
use crate::eval::Evaluation;
use crate::eval::net::{CHANNELS, HALF, HIDDEN, Head, INPUTS, Network, Parameters, Rows, View};
use crate::eval::params::{POINTS_PER_LOGIT, Place, table_of};
use crate::eval::weights::Weights;
use crate::movegen;
use crate::record::selfplay::Game;
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour, Direction, GRID, Point, STRIDE, SplitMix64};

/// Positions per step.
const BATCH: usize = 512;
/// Validation positions that are looked at after each pass.
const MOST_VALIDATED: usize = 20_000;
/// What the executable divides the sums over the cells by before the hidden layer.
const CELLS: f32 = 16.0;
/// Share of a batch in the running means and deviations of the sums.
const MOMENTUM: f32 = 0.02;

/// Fit the networks of line windows to self-played games
///
/// Reads files written by `selfplay`, of one rule or of several that are to learn from each other, and writes a block
/// for each rule as the executable embeds it. The tables in this executable are taken as given.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// Files of games
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
    /// More files, of games by the newest evaluations: what they look like matters most, so the last pass is over them
    /// alone (over all games of rules that have none there)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) recent: Vec<PathBuf>,
    /// Folder to write the networks to, each into `RULE.net`
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: PathBuf,
    /// Passes over the data
    #[arg(long, default_value_t = 2)]
    pub(super) epochs: u32,
    /// How far a target looks ahead: 1 to the game's result, 0 to the search's own score
    #[arg(long, default_value_t = 0.93)]
    pub(super) lambda: f32,
    /// First step size; it falls to a twentieth
    #[arg(long, default_value_t = 0.004)]
    pub(super) rate: f32,
    /// Size of the steps that a rule takes alone, as a share of those that all take together
    #[arg(long, default_value_t = 0.15)]
    pub(super) alone: f32,
    /// Weight of the policy in what is minimised
    #[arg(long, default_value_t = 0.3)]
    pub(super) policy: f32,
    /// Seed of the start and of the order of positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads
    #[arg(long, default_value_t = 1)]
    pub(super) threads: usize,
}

/// Fits and writes the networks; prints the losses after each pass.
///
/// # Errors
/// When a file cannot be read or written, or there are no games.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut games = samples::ByRule::default();
    samples::load(&options.files, &mut games)?;
    let before = games.each_ref().map(Vec::len);
    samples::load(&options.recent, &mut games)?;
    let mut rng = SplitMix64::new(options.seed);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(io::Error::other)?;
    let common = start(&Rows::new(COMMON), &mut rng);
    let mut courses = Vec::new();
    for ((rule, games), older) in RuleKind::ALL.into_iter().zip(&games).zip(before) {
        if games.is_empty() {
            continue;
        }
        let mut course = Course::new(rule, games, older, &common, options, &mut rng);
        writeln!(
            out,
            "{rule}: {} games, {} positions to fit, {} to validate, tables alone: {}",
            games.len(),
            course.training.len(),
            course.validation.len(),
            pool.install(|| course.validated_tables())
        )?;
        pool.install(|| course.begin());
        courses.push(course);
    }
    let mut adam = Adam::new(&common);
    for epoch in 1..=options.epochs {
        let mut order = Vec::new();
        for (number, course) in courses.iter_mut().enumerate() {
            if epoch == options.epochs {
                course.keep_recent();
            }
            shuffle(&mut course.training, &mut rng);
            order.extend((0..course.batches()).map(|batch| (number, batch)));
        }
        shuffle(&mut order, &mut rng);
        let mut losses = vec![Losses::default(); courses.len()];
        let batches = order.len();
        for (done, (number, batch)) in order.into_iter().enumerate() {
            #[allow(clippy::cast_precision_loss, reason = "a share")]
            let passes = (epoch - 1) as f32 + done as f32 / batches as f32;
            #[allow(clippy::cast_precision_loss, reason = "a small number")]
            let rate = options.rate * (1.0 - 0.95 * passes / options.epochs as f32);
            let (gradient, loss) = pool.install(|| courses[number].learn(batch));
            losses[number].add(&loss);
            courses[number].step_alone(&gradient, rate * options.alone);
            let together = adam.steps(&courses[number].in_common(&gradient, &common), rate);
            for course in &mut courses {
                course.step_together(&together);
            }
        }
        for (course, losses) in courses.iter().zip(losses) {
            let (rule, fit) = (course.fit.rule, &course.fit);
            writeln!(
                out,
                "{rule}, pass {epoch}: training {losses}; validation {}",
                pool.install(|| fit.losses(&course.validation))
            )?;
            let path = options.out.join(format!("{rule}.net"));
            fs::write(path, Network::encode(rule, &fit.folded()))?;
        }
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The rule whose windows and heads are what rules have in common: it looks least far and treats both colours alike.
const COMMON: RuleKind = RuleKind::Freestyle;

/// One rule's part of the training.
struct Course<'a> {
    fit: Fit<'a>,
    adam: Adam,
    /// For each row of the rule, which common one it shares steps with.
    common_rows: Vec<usize>,
    training: Vec<Sample>,
    validation: Vec<Sample>,
    /// How many of the games, the first ones, are not recent.
    older: usize,
}

impl<'a> Course<'a> {
    /// The first `older` games are not recent.
    fn new(
        rule: RuleKind,
        games: &'a [Game],
        older: usize,
        common: &Parameters,
        options: &Options,
        rng: &mut SplitMix64,
    ) -> Self {
        let mut training = Vec::new();
        let mut validation = Vec::new();
        for (number, game) in games.iter().enumerate() {
            let part = if samples::validates(number) {
                &mut validation
            } else {
                &mut training
            };
            samples::lessons(game, options.lambda, |_, lesson| {
                part.push((number, lesson));
            });
        }
        shuffle(&mut training, rng);
        shuffle(&mut validation, rng);
        validation.truncate(MOST_VALIDATED);
        let rows = Rows::new(rule);
        let common_rows = Rows::seen_by(rule, COMMON);
        let parameters = unfolded(common, &common_rows, rows.heads());
        let adam = Adam::new(&parameters);
        Self {
            fit: Fit {
                rule,
                weights: Weights::of(rule),
                games,
                policy: options.policy,
                parameters,
                norms: vec![Norm::NONE; rows.heads()],
                rows,
                threads: options.threads.max(1),
            },
            adam,
            common_rows,
            training,
            validation,
            older,
        }
    }

    /// Leaves only recent games to train on, if there are any.
    fn keep_recent(&mut self) {
        let older = self.older;
        if self.training.iter().any(|&(game, _)| game >= older) {
            self.training.retain(|&(game, _)| game >= older);
        }
    }

    const fn batches(&self) -> usize {
        self.training.len().div_ceil(BATCH)
    }

    /// The losses of the tables on the positions for validation: those of a network that says nothing.
    fn validated_tables(&mut self) -> Losses {
        let rows = &self.fit.rows;
        let parameters = zeros(rows.count(), rows.heads());
        let kept = std::mem::replace(&mut self.fit.parameters, parameters);
        let losses = self.fit.losses(&self.validation);
        self.fit.parameters = kept;
        losses
    }

    /// Takes means and deviations from the first batches.
    fn begin(&mut self) {
        let first = &self.training[..self.training.len().min(8 * BATCH)];
        let (_, _, moments) = self.fit.gradient(first);
        self.fit.follow(&moments, 1.0);
    }

    /// The slopes of the batch with this number.
    fn learn(&mut self, batch: usize) -> (Parameters, Losses) {
        let end = self.training.len().min((batch + 1) * BATCH);
        let (gradient, losses, moments) = self.fit.gradient(&self.training[batch * BATCH..end]);
        self.fit.follow(&moments, MOMENTUM);
        (gradient, losses)
    }

    fn step_alone(&mut self, gradient: &Parameters, rate: f32) {
        let steps = self.adam.steps(gradient, rate);
        subtract(&mut self.fit.parameters, &steps);
    }

    /// The slopes by the common parameters: the sums of the slopes by all that share them.
    fn in_common(&self, gradient: &Parameters, common: &Parameters) -> Parameters {
        let mut sum = zeros(common.rows.len(), common.heads.len());
        for (row, &number) in gradient.rows.iter().zip(&self.common_rows) {
            for (sum, slope) in sum.rows[number].iter_mut().zip(row) {
                *sum += slope;
            }
        }
        for (view, head) in gradient.views.iter().zip(&gradient.heads) {
            let one = Parameters {
                rows: Vec::new(),
                views: vec![view.clone()],
                heads: vec![head.clone()],
            };
            for_each(&mut sum, &one, |sum, slope| *sum += slope);
        }
        sum
    }

    fn step_together(&mut self, steps: &Parameters) {
        let steps = unfolded(steps, &self.common_rows, self.fit.rows.heads());
        subtract(&mut self.fit.parameters, &steps);
    }
}

/// The parameters that `common` ones stand for: row by row, and the same view and head for each colour.
fn unfolded(common: &Parameters, rows: &[usize], heads: usize) -> Parameters {
    Parameters {
        rows: rows.iter().map(|&row| common.rows[row]).collect(),
        views: vec![common.views[0].clone(); heads],
        heads: vec![common.heads[0].clone(); heads],
    }
}

/// The number of a game, and one of its positions.
type Sample = (usize, Lesson);

/// A start from which the fit finds its way: small random vectors that leave most cells' sums
/// inside the clamp, and a hidden layer that says nothing yet.
fn start(rows: &Rows, rng: &mut SplitMix64) -> Parameters {
    #[allow(clippy::cast_precision_loss, reason = "a small random number")]
    let mut random = |width: f32| (rng.below(20_001) as f32 / 10_000.0 - 1.0) * width;
    let table = (0..rows.count())
        .map(|_| std::array::from_fn(|_| 0.03 + random(0.05)))
        .collect();
    let views = (0..rows.heads())
        .map(|_| {
            let [centre, beside, across] = [(0.5, 0.2), (0.05, 0.1), (0.05, 0.1)]
                .map(|(mean, width)| std::array::from_fn(|_| mean + random(width)));
            View {
                around: [centre, beside, across],
                bias: [0.0; HALF],
            }
        })
        .collect();
    let heads = (0..rows.heads())
        .map(|_| {
            let mut head = Head::ZERO;
            for weight in head.hidden.as_flattened_mut() {
                *weight = random(0.125);
            }
            for weight in &mut head.output {
                *weight = random(0.1);
            }
            head
        })
        .collect();
    Parameters {
        rows: table,
        views,
        heads,
    }
}

/// What the sums over the cells are moved and scaled by before the hidden layer, so that all inputs weigh alike
/// at first: running means and deviations, as in batch normalisation (Ioffe and Szegedy, 2015), but
/// taken as constants by the slopes. In the file they are part of the hidden layer.
#[derive(Clone)]
struct Norm {
    mean: [f32; INPUTS],
    variance: [f32; INPUTS],
}

impl Norm {
    const NONE: Self = Self {
        mean: [0.0; INPUTS],
        variance: [1.0; INPUTS],
    };

    fn scale(&self, input: usize) -> f32 {
        1.0 / (self.variance[input] + 1e-3).sqrt()
    }
}

/// Sums of the inputs and of their squares, for a head.
#[derive(Clone)]
struct Moments {
    positions: f32,
    sums: [f32; INPUTS],
    squares: [f32; INPUTS],
}

impl Moments {
    const NONE: Self = Self {
        positions: 0.0,
        sums: [0.0; INPUTS],
        squares: [0.0; INPUTS],
    };

    fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        for i in 0..INPUTS {
            self.sums[i] += other.sums[i];
            self.squares[i] += other.squares[i];
        }
    }
}

/// What a batch says, per head where that matters.
struct Slopes {
    parameters: Parameters,
    moments: Vec<Moments>,
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
    /// Per head.
    norms: Vec<Norm>,
    threads: usize,
}

/// An empty cell of a position.
struct Cell {
    point: Point,
    /// Rows of the windows as the side to move sees them, and as the opponent does.
    rows: [[usize; 4]; 2],
    /// Own vector, then surroundings, before the clamp.
    sums: [f32; INPUTS],
}

impl Cell {
    /// Both vectors.
    fn inputs(&self) -> [f32; INPUTS] {
        self.sums.map(|sum| sum.clamp(0.0, 1.0))
    }
}

/// Where the groups of the surroundings lie: the cell itself, those beside, those across.
const AROUND: [&[isize]; 3] = {
    const ROW: isize = STRIDE.cast_signed();
    [
        &[0],
        &[-1, 1, -ROW, ROW],
        &[-ROW - 1, -ROW + 1, ROW - 1, ROW + 1],
    ]
};

/// A vector for every cell of the grid.
type Field = Box<[[f32; CHANNELS]; GRID]>;

/// Room to work in, made once for many positions.
struct Room {
    /// Own vectors; zeros where no cell is empty.
    own: Field,
    /// Slopes of them.
    slopes: Field,
}

impl Room {
    fn new() -> Self {
        Self {
            own: bytemuck::zeroed_box(),
            slopes: bytemuck::zeroed_box(),
        }
    }
}

impl Fit<'_> {
    fn losses(&self, samples: &[Sample]) -> Losses {
        let parts: Vec<Losses> = samples
            .par_chunks(samples.len().div_ceil(self.threads).max(1))
            .map(|samples| {
                let mut losses = Losses::default();
                let mut room = Room::new();
                for sample in samples {
                    self.visit(sample, &mut room, None, &mut losses);
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

    fn gradient(&self, samples: &[Sample]) -> (Parameters, Losses, Vec<Moments>) {
        let parts: Vec<(Slopes, Losses)> = samples
            .par_chunks(samples.len().div_ceil(self.threads).max(1))
            .map(|samples| {
                let mut slopes = self.no_slopes();
                let mut losses = Losses::default();
                let mut room = Room::new();
                for sample in samples {
                    self.visit(sample, &mut room, Some(&mut slopes), &mut losses);
                }
                (slopes, losses)
            })
            .collect();
        let mut sum = self.no_slopes();
        let mut losses = Losses::default();
        for (slopes, part) in parts {
            for_each(&mut sum.parameters, &slopes.parameters, |sum, part| {
                *sum += part;
            });
            for (sum, part) in sum.moments.iter_mut().zip(&slopes.moments) {
                sum.add(part);
            }
            losses.add(&part);
        }
        #[allow(clippy::cast_precision_loss, reason = "a batch is small")]
        let share = 1.0 / samples.len() as f32;
        for_each(&mut sum.parameters, &self.parameters, |sum, _| {
            *sum *= share;
        });
        (sum.parameters, losses, sum.moments)
    }

    fn no_slopes(&self) -> Slopes {
        Slopes {
            parameters: zeros(self.rows.count(), self.rows.heads()),
            moments: vec![Moments::NONE; self.norms.len()],
        }
    }

    /// Moves means and deviations towards those of a batch, by a `share` of the way.
    fn follow(&mut self, moments: &[Moments], share: f32) {
        for (norm, moments) in self.norms.iter_mut().zip(moments) {
            if moments.positions == 0.0 {
                continue;
            }
            for i in 0..INPUTS {
                let mean = moments.sums[i] / moments.positions;
                let variance = moments.squares[i] / moments.positions - mean * mean;
                norm.mean[i] += share * (mean - norm.mean[i]);
                norm.variance[i] += share * (variance.max(0.0) - norm.variance[i]);
            }
        }
    }

    /// The parameters as the executable uses them: means and deviations are part of the hidden layer.
    fn folded(&self) -> Parameters {
        let mut folded = self.parameters.clone();
        for (head, norm) in folded.heads.iter_mut().zip(&self.norms) {
            for (input, weights) in head.hidden.iter_mut().enumerate() {
                let scale = norm.scale(input);
                for (weight, bias) in weights.iter_mut().zip(&mut head.bias) {
                    *bias -= *weight * scale * norm.mean[input];
                    *weight *= scale * CELLS;
                }
            }
        }
        folded
    }

    /// Adds the losses of a position, and their slopes by the parameters.
    #[allow(
        clippy::too_many_lines,
        reason = "forwards and backwards, layer by layer"
    )]
    fn visit(
        &self,
        &(game, lesson): &Sample,
        room: &mut Room,
        slopes: Option<&mut Slopes>,
        losses: &mut Losses,
    ) {
        let game = &self.games[game];
        let mut board = Board::new(game.size, self.rule);
        for &(point, _) in &game.moves[..lesson.ply] {
            board.play(point, &mut NoObserver);
        }
        let side = board.side();
        let number = table_of(self.rule, side);
        let head = &self.parameters.heads[number];

        // Forwards.
        let cells = self.cells(&board, &mut room.own);
        let mut sums = [0.0_f32; INPUTS];
        for cell in &cells {
            for (sum, value) in sums.iter_mut().zip(cell.inputs()) {
                *sum += value;
            }
        }
        let norm = &self.norms[number];
        let inputs: [f32; INPUTS] =
            std::array::from_fn(|i| (sums[i] - norm.mean[i]) * norm.scale(i));
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
        let target = lesson.target;
        losses.positions += 1.0;
        losses.value -= f64::from(
            target * probability.max(1e-6).ln()
                + (1.0 - target) * (1.0 - probability).max(1e-6).ln(),
        );
        losses.square += f64::from((probability - target).powi(2));
        let odds = lesson
            .played
            .and_then(|played| self.odds(&board, &cells, head, played, losses));
        let Some(slopes) = slopes else {
            return;
        };
        let moments = &mut slopes.moments[number];
        moments.positions += 1.0;
        for (i, sum) in sums.into_iter().enumerate() {
            moments.sums[i] += sum;
            moments.squares[i] += sum * sum;
        }

        // Backwards.
        let slope = probability - target;
        let gradient = &mut slopes.parameters;
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
        let mut input_slopes = [0.0_f32; INPUTS];
        for i in 0..INPUTS {
            let weights = gradient_head.hidden[i].iter_mut().zip(&head.hidden[i]);
            for ((gradient, weight), unit_slope) in weights.zip(unit_slopes) {
                *gradient += inputs[i] * unit_slope;
                input_slopes[i] += weight * unit_slope;
            }
            input_slopes[i] *= norm.scale(i);
        }
        let cell_slopes: Vec<[f32; INPUTS]> = cells
            .iter()
            .enumerate()
            .map(|(number, cell)| {
                let mut slopes = input_slopes;
                if let Some(odds) = &odds {
                    let odds = odds[number] * self.policy;
                    if odds != 0.0 {
                        for (i, input) in cell.inputs().into_iter().enumerate() {
                            gradient_head.policy[i] += odds * input;
                            slopes[i] += odds * head.policy[i];
                        }
                    }
                }
                slopes
            })
            .collect();
        self.backwards(side, &cells, &cell_slopes, room, gradient);
    }

    /// Carries the slopes by both vectors of each cell back to the vectors of the windows.
    fn backwards(
        &self,
        side: Colour,
        cells: &[Cell],
        slopes: &[[f32; INPUTS]],
        room: &mut Room,
        gradient: &mut Parameters,
    ) {
        let (own, own_slopes) = (&room.own, &mut room.slopes);
        own_slopes.fill([0.0; CHANNELS]);
        for (cell, slopes) in cells.iter().zip(slopes) {
            for (sum, slope) in own_slopes[cell.point.index()].iter_mut().zip(slopes) {
                *sum += slope;
            }
            let mut slopes: [f32; CHANNELS] = std::array::from_fn(|i| slopes[CHANNELS + i]);
            clamp_slopes(&mut slopes, &cell.sums[CHANNELS..]);
            for (half, view) in self.views(side).into_iter().enumerate() {
                let range = half * HALF..(half + 1) * HALF;
                let slopes = &slopes[range.clone()];
                let view_gradient = &mut gradient.views[view];
                for (sum, slope) in view_gradient.bias.iter_mut().zip(slopes) {
                    *sum += slope;
                }
                for (group, steps) in AROUND.iter().enumerate() {
                    let weights = &self.parameters.views[view].around[group];
                    let weights_gradient = &mut view_gradient.around[group];
                    for &step in *steps {
                        let index = cell.point.index().wrapping_add_signed(step);
                        let values = &own[index][range.clone()];
                        let value_slopes = &mut own_slopes[index][range.clone()];
                        for i in 0..HALF {
                            weights_gradient[i] += slopes[i] * values[i];
                            value_slopes[i] += slopes[i] * weights[i];
                        }
                    }
                }
            }
        }
        for cell in cells {
            let mut slopes = own_slopes[cell.point.index()];
            clamp_slopes(&mut slopes, &cell.sums);
            for (rows, slopes) in cell.rows.iter().zip(slopes.chunks_exact(HALF)) {
                for &row in rows {
                    for (value, slope) in gradient.rows[row].iter_mut().zip(slopes) {
                        *value += slope;
                    }
                }
            }
        }
    }

    /// Which views the halves of the vectors are of when `side` is to move.
    fn views(&self, side: Colour) -> [usize; 2] {
        [side, !side].map(|colour| table_of(self.rule, colour))
    }

    /// The empty cells of `board` and their vectors; the own ones are put into `own`, too.
    fn cells(&self, board: &Board, own: &mut Field) -> Vec<Cell> {
        own.fill([0.0; CHANNELS]);
        let mut cells: Vec<Cell> = board
            .empty()
            .iter()
            .map(|point| self.cell(board, point))
            .collect();
        for cell in &cells {
            own[cell.point.index()].copy_from_slice(&cell.inputs()[..CHANNELS]);
        }
        let views = self
            .views(board.side())
            .map(|view| &self.parameters.views[view]);
        for cell in &mut cells {
            for (half, view) in views.into_iter().enumerate() {
                let sums = &mut cell.sums[CHANNELS + half * HALF..][..HALF];
                sums.copy_from_slice(&view.bias);
                for (weights, steps) in view.around.iter().zip(AROUND) {
                    for &step in steps {
                        let index = cell.point.index().wrapping_add_signed(step);
                        let values = &own[index][half * HALF..][..HALF];
                        for i in 0..HALF {
                            sums[i] += weights[i] * values[i];
                        }
                    }
                }
            }
        }
        cells
    }

    /// The empty `point` with its own vector; the surroundings are still to come.
    fn cell(&self, board: &Board, point: Point) -> Cell {
        let side = board.side();
        let mut sums = [0.0; INPUTS];
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
                for (input, weight) in cell.inputs().iter().zip(&head.policy) {
                    logit += input * weight;
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

/// Parameters that are all zero: so many rows, views and heads.
fn zeros(rows: usize, heads: usize) -> Parameters {
    Parameters {
        rows: vec![[0.0; HALF]; rows],
        views: vec![View::ZERO; heads],
        heads: vec![Head::ZERO; heads],
    }
}

/// Slopes of values before the clamp to 0 to 1, made of those behind it.
fn clamp_slopes(slopes: &mut [f32], values: &[f32]) {
    for (slope, value) in slopes.iter_mut().zip(values) {
        if !(0.0..=1.0).contains(value) {
            *slope = 0.0;
        }
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
    for (a, b) in target.views.iter_mut().zip(&other.views) {
        for (a, b) in a.around.iter_mut().flatten().zip(b.around.iter().flatten()) {
            work(a, *b);
        }
        for (a, b) in a.bias.iter_mut().zip(&b.bias) {
            work(a, *b);
        }
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

fn subtract(parameters: &mut Parameters, steps: &Parameters) {
    for_each(parameters, steps, |value, step| *value -= step);
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
            means: zeros(like.rows.len(), like.heads.len()),
            squares: zeros(like.rows.len(), like.heads.len()),
            steps: 0,
        }
    }

    /// What to subtract from the parameters.
    fn steps(&mut self, gradient: &Parameters, rate: f32) -> Parameters {
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
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Size;

    fn game(rule: RuleKind) -> Game {
        let moves = [
            (7, 7),
            (8, 8),
            (7, 9),
            (6, 6),
            (7, 8),
            (7, 6),
            (9, 7),
            (5, 7),
            (8, 6),
            (6, 9),
            (10, 8),
        ];
        Game {
            rule,
            size: Size::square(15),
            winner: None,
            moves: moves.map(|(x, y)| (Point::new(x, y), 100)).to_vec(),
        }
    }

    fn course<'a>(games: &'a [Game; 20], older: usize, common: &Parameters) -> Course<'a> {
        let options = Options {
            files: Vec::new(),
            recent: Vec::new(),
            out: PathBuf::new(),
            epochs: 1,
            lambda: 1.0,
            rate: 0.004,
            alone: 0.15,
            policy: 0.3,
            seed: 1,
            threads: 1,
        };
        let mut course = Course::new(
            games[0].rule,
            games,
            older,
            common,
            &options,
            &mut SplitMix64::new(3),
        );
        course.begin();
        course
    }

    /// A step that is taken together moves what another rule says of the same windows by as much as it moves what the
    /// rule of the batch says; both begin alike.
    #[test]
    fn rules_learn_from_each_other() {
        let rules = [RuleKind::Standard, RuleKind::Renju];
        let games = rules.map(|rule| std::array::from_fn(|_| game(rule)));
        let common = start(&Rows::new(COMMON), &mut SplitMix64::new(5));
        let mut standard = course(&games[0], 0, &common);
        let mut renju = course(&games[1], 0, &common);
        let (gradient, _) = standard.learn(0);
        let slopes = standard.in_common(&gradient, &common);
        let moved = slopes.rows.iter().flatten().filter(|&&slope| slope != 0.0);
        assert!(moved.count() > 100);
        let steps = Adam::new(&common).steps(&slopes, 0.01);
        let mut expected = common.clone();
        subtract(&mut expected, &steps);
        for course in [&mut standard, &mut renju] {
            course.step_together(&steps);
            let heads = course.fit.rows.heads();
            let expected = unfolded(&expected, &course.common_rows, heads);
            assert!(course.fit.parameters == expected, "{}", course.fit.rule);
        }
        let before = standard.fit.parameters.clone();
        standard.step_alone(&gradient, 0.01);
        assert!(standard.fit.parameters != before);
    }

    #[test]
    fn only_recent_games_are_kept_if_there_are_any() {
        let games = std::array::from_fn(|_| game(RuleKind::Freestyle));
        let common = start(&Rows::new(COMMON), &mut SplitMix64::new(5));
        for (older, kept) in [(0, 0..19), (12, 12..19), (20, 0..19)] {
            let mut course = course(&games, older, &common);
            course.keep_recent();
            let mut left: Vec<usize> = course.training.iter().map(|&(game, _)| game).collect();
            left.sort_unstable();
            left.dedup();
            assert!(left.into_iter().eq(kept), "{older} older ones");
        }
    }

    /// The slopes are those of the losses: moving a parameter changes the losses by as much.
    #[test]
    fn slopes_are_those_of_the_losses() {
        for rule in [RuleKind::Freestyle, RuleKind::Renju] {
            let games = [game(rule)];
            let rows = Rows::new(rule);
            let mut rng = SplitMix64::new(5);
            let parameters = start(&rows, &mut rng);
            let heads = rows.heads();
            let mut fit = Fit {
                rule,
                rows,
                weights: Weights::of(rule),
                games: &games,
                policy: 0.5,
                parameters,
                norms: vec![Norm::NONE; heads],
                threads: 1,
            };
            for head in &mut fit.parameters.heads {
                head.policy = std::array::from_fn(|i| f32::from(u8::from(i % 3 == 0)) - 0.3);
            }
            let samples = [9, 10].map(|ply| {
                let lesson = Lesson {
                    ply,
                    target: 0.9,
                    played: Some(games[0].moves[ply].0),
                };
                (0, lesson)
            });
            let loss = |fit: &Fit<'_>| {
                let losses = fit.losses(&samples);
                losses.value + 0.5 * losses.policy
            };
            let (gradient, _, _) = fit.gradient(&samples);
            let mut slopes = Vec::new();
            for_each(
                &mut zeros(fit.rows.count(), heads),
                &gradient,
                |_, slope| {
                    slopes.push(slope);
                },
            );
            let mut order: Vec<usize> = (0..slopes.len()).collect();
            order.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()));
            let step = 0.002;
            // From the steepest to rather flat ones, of every layer.
            for &number in order.iter().take(400).step_by(7) {
                let mut moved = |by: f32| {
                    let mut place = 0;
                    let zero = zeros(fit.rows.count(), heads);
                    for_each(&mut fit.parameters, &zero, |value, _| {
                        if place == number {
                            *value += by;
                        }
                        place += 1;
                    });
                    loss(&fit)
                };
                let (up, down) = (moved(step), moved(-2.0 * step));
                moved(step);
                #[allow(clippy::cast_precision_loss, reason = "two positions")]
                let share = samples.len() as f64;
                let measured = (up - down) / f64::from(2.0 * step) / share;
                let slope = f64::from(slopes[number]);
                assert!(
                    (measured - slope).abs() < 0.02 + 0.1 * slope.abs(),
                    "{rule}: parameter {number}: {measured} instead of {slope}"
                );
            }
        }
    }
}
