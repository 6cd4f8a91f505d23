//! A small network of line windows: what the tables of classes cannot see.
//!
//! Every window of a line (see [`Windows`]) has a vector of [`CHANNELS`] numbers, half of them as each colour
//! sees it. The vectors of an empty cell's four windows are summed and clamped to
//! `0..=`[`FULL`]: the cell's *own* vector. A second one, of its *surroundings*, is made channel by channel of that
//! of the cell, of its four neighbours beside and of its four neighbours across, each group with one weight
//! ([`View`]), and clamped likewise; taken cells count as zeros. The sums of both over all empty cells go through a
//! layer of [`HIDDEN`] units to the score, and each cell's two vectors to the odds of a move there. (The shape follows
//! what the authors of Rapfi published of their "mix" networks: line patterns mapped to vectors, then
//! a convolution of each channel by itself, updated incrementally.)
//!
//! The network's score is *added* to that of the tables, and its odds to those of the policy:
//! it is fitted to what they leave over.
//!
//! [`Net`] is an accumulator beside a board. It assumes that it is told of every move of its board by
//! [`push`](Net::push), of every undo by [`pop`](Net::pop), and that it is [refreshed](Net::refresh) before it is
//! asked. All numbers are integers, so results are the
//! same on every CPU.

#![allow(
    clippy::inline_always,
    reason = "what `simd::widest` is to speed up has to become part of it"
)]

use std::sync::LazyLock;

use super::block::{self, BlockError};
use super::params::table_of;
use crate::board::Board;
use crate::pattern::Windows;
use crate::rule::RuleKind;
use crate::simd;
use crate::types::{ByColour, Colour, Direction, PAD, Point, PointSet, STRIDE, Score, Size};

/// Numbers per window and view.
pub(crate) const HALF: usize = 16;
/// Numbers per window: first as Black sees it, then as White does.
pub(crate) const CHANNELS: usize = 2 * HALF;
/// Numbers per cell: its own vector, then that of its surroundings.
pub(crate) const INPUTS: usize = 2 * CHANNELS;
/// Units of the hidden layer.
pub(crate) const HIDDEN: usize = 32;
/// What 1.0 is in a cell's vector.
pub(crate) const FULL: i16 = 512;
/// The sum over all cells is divided by this before the hidden layer, so that it fits 16 bits.
const SUM_SHIFT: u32 = 3;
/// What 1.0 is in the input of the hidden layer, as a power of two: [`FULL`] times 16 cells over 8.
const INPUT_SHIFT: u32 = 10;
/// What 1.0 is in a weight of the surroundings, as a power of two; times [`SPACE`] it is what the upper half of
/// a 32-bit product keeps.
const AROUND_SHIFT: u32 = 13;
/// Bits by which a sum of vectors is shifted up before that product: even four full ones fit.
const SPACE: u32 = 3;
/// What 1.0 is in a weight of the hidden layer, as a power of two.
const WEIGHT_SHIFT: u32 = 8;
/// What a point is in a weight of the output, as a power of two.
const OUTPUT_SHIFT: u32 = 4;
/// What a hundredth of a nat is in a weight of the policy, as a power of two.
const POLICY_SHIFT: u32 = 3;

const MAGIC: &[u8; 4] = b"QXN2";

/// A vector of a cell or a window: a cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
struct Vector([i16; CHANNELS]);

impl Vector {
    const ZERO: Self = Self([0; CHANNELS]);

    #[inline(always)]
    fn clamped(&self) -> Self {
        Self(self.0.map(|value| value.clamp(0, FULL)))
    }

    /// Overwrites `old` and adds the difference to `change`.
    #[inline(always)]
    fn replace(self, old: &mut Self, change: &mut [i16; CHANNELS]) {
        for (change, (new, old)) in change.iter_mut().zip(self.0.iter().zip(&old.0)) {
            *change = change.wrapping_add(new - old);
        }
        *old = self;
    }
}

/// The cells of the largest board with a rim of one cell around it, row by row. Not the [`GRID`](crate::types::GRID):
/// rows of 32 cache lines share few places in a CPU's cache.
const ROW: usize = Size::MAX as usize + 2;
const CELLS: usize = ROW * ROW;

/// Where the vectors of `point` are kept.
#[inline]
fn place(point: Point) -> usize {
    point.index() - point.index() / STRIDE * (STRIDE - ROW) - (PAD as usize - 1) * (ROW + 1)
}

/// A place as the lists of overwritten vectors keep it.
#[allow(clippy::cast_possible_truncation, reason = "a few hundred cells")]
fn short(place: usize) -> u16 {
    place as u16
}

/// Both vectors of a cell, own and surroundings, or what weighs them.
type Pair = [Vector; 2];

/// A network as the trainer fits it. Lengths: see [`Rows`] and the constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters {
    /// Index: row, channel of a view.
    pub rows: Vec<[f32; HALF]>,
    /// Per colour that sees, if the rule treats them differently.
    pub views: Vec<View>,
    /// Per side to move, if the rule treats them differently.
    pub heads: Vec<Head>,
}

/// How the surroundings of a cell are made of the vectors of nine cells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    /// Weights of the cell itself, of those beside, of those across. Index: group, channel of a view.
    pub around: [[f32; HALF]; 3],
    /// Index: channel of a view.
    pub bias: [f32; HALF],
}

impl View {
    /// All zeros.
    pub(crate) const ZERO: Self = Self {
        around: [[0.0; HALF]; 3],
        bias: [0.0; HALF],
    };
}

/// The layers behind the sums, for one side to move. Inputs are the cells' own channels, first those of the
/// side to move, then the opponent's, and in the same order those of the surroundings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// Index: input, unit.
    pub hidden: [[f32; HIDDEN]; INPUTS],
    /// Index: unit.
    pub bias: [f32; HIDDEN],
    /// Logits of winning. Index: unit.
    pub output: [f32; HIDDEN],
    /// Logit of winning.
    pub output_bias: f32,
    /// Logits of being the best move. Index: input.
    pub policy: [f32; INPUTS],
}

impl Head {
    /// All zeros.
    pub(crate) const ZERO: Self = Self {
        hidden: [[0.0; HIDDEN]; INPUTS],
        bias: [0.0; HIDDEN],
        output: [0.0; HIDDEN],
        output_bias: 0.0,
        policy: [0.0; INPUTS],
    };
}

/// Which parameters a window uses: windows share them with their mirror images, and where
/// the rule treats the colours alike, with those of exchanged colours.
pub(crate) struct Rows {
    /// Index: colour that sees, window.
    of: ByColour<Vec<u16>>,
    count: usize,
    heads: usize,
}

impl Rows {
    /// The rows of `rule`.
    #[must_use]
    pub(crate) fn new(rule: RuleKind) -> Self {
        let windows = Windows::new(rule);
        let mut numbers = vec![u16::MAX; windows.count()];
        let mut classes = 0;
        for window in 0..windows.count() {
            let mirrored = windows.mirrored(window);
            if mirrored < window {
                numbers[window] = numbers[mirrored];
            } else {
                numbers[window] = classes;
                classes += 1;
            }
        }
        let shared = !rule.has_fouls(Colour::Black);
        let of = Colour::ALL.map(|colour| {
            (0..windows.count())
                .map(|window| match (shared, colour) {
                    (_, Colour::Black) => numbers[window],
                    (true, Colour::White) => numbers[windows.colours_swapped(window)],
                    (false, Colour::White) => numbers[window] + classes,
                })
                .collect()
        });
        Self {
            of: ByColour(of),
            count: usize::from(classes) * if shared { 1 } else { 2 },
            heads: if shared { 1 } else { 2 },
        }
    }

    /// The row of `window` as `colour` sees it.
    #[must_use]
    #[inline]
    pub(crate) fn row(&self, colour: Colour, window: usize) -> usize {
        usize::from(self.of[colour][window])
    }

    /// For each row of `rule` the row of `other`, which must not look farther, for the same window as far as that rule looks.
    #[must_use]
    pub(crate) fn seen_by(rule: RuleKind, other: RuleKind) -> Vec<usize> {
        let (windows, other_windows) = (Windows::new(rule), Windows::new(other));
        let (rows, other_rows) = (Self::new(rule), Self::new(other));
        let mut seen = vec![0; rows.count];
        for window in 0..windows.count() {
            let other_window = windows.seen_by(&other_windows, window);
            for colour in Colour::ALL {
                seen[rows.row(colour, window)] = other_rows.row(colour, other_window);
            }
        }
        seen
    }

    /// Number of rows.
    #[must_use]
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Number of heads.
    #[must_use]
    pub(crate) const fn heads(&self) -> usize {
        self.heads
    }
}

/// A network in integers, unfolded for look-ups.
pub(crate) struct Network {
    /// Index: window.
    windows: Box<[Vector]>,
    /// Weights of the surroundings. Index: group (see [`View`]).
    around: [Vector; 3],
    around_bias: Vector,
    /// Index: side to move.
    heads: ByColour<FixedHead>,
}

#[derive(Clone)]
struct FixedHead {
    /// Index: unit, input (Black's half first). Dot products of 16-bit numbers are what every x86-64 CPU is quick at.
    hidden: [Pair; HIDDEN],
    bias: [i32; HIDDEN],
    output: [i16; HIDDEN],
    output_bias: i32,
    policy: Pair,
}

/// The networks as they are embedded, in the order of [`RuleKind::ALL`].
const EMBEDDED: [&[u8]; 5] = [
    include_bytes!("fitted/freestyle.net"),
    include_bytes!("fitted/standard.net"),
    include_bytes!("fitted/renju.net"),
    include_bytes!("fitted/caro.net"),
    include_bytes!("fitted/caro-exact.net"),
];

static ALL: [LazyLock<Network>; 5] = [
    LazyLock::new(|| Network::embedded(RuleKind::Freestyle)),
    LazyLock::new(|| Network::embedded(RuleKind::Standard)),
    LazyLock::new(|| Network::embedded(RuleKind::Renju)),
    LazyLock::new(|| Network::embedded(RuleKind::Caro)),
    LazyLock::new(|| Network::embedded(RuleKind::CaroExact)),
];

impl Network {
    /// The network for `rule`, unfolded by the first call (about a millisecond).
    #[must_use]
    pub(crate) fn of(rule: RuleKind) -> &'static Self {
        &ALL[rule.index()]
    }

    fn embedded(rule: RuleKind) -> Self {
        Self::decode(rule, EMBEDDED[rule.index()])
            .expect("the embedded network is whole, which a test makes sure of")
    }

    /// Rounds `parameters` and packs them into the file format: a
    /// [block] of rows; per view weights and bias; per head hidden weights, hidden bias (32 bits as
    /// two halves), output, output bias (the same), policy.
    #[must_use]
    pub(crate) fn encode(rule: RuleKind, parameters: &Parameters) -> Vec<u8> {
        let mut values: Vec<i16> = Vec::new();
        let wide = |values: &mut Vec<i16>, value: i32| {
            values.extend(bytemuck::cast::<i32, [i16; 2]>(value.to_le()).map(i16::from_le));
        };
        let full = f32::from(FULL);
        for row in &parameters.rows {
            values.extend(row.map(|value| rounded(value * full)));
        }
        for view in &parameters.views {
            for weights in &view.around {
                values.extend(weights.map(|value| rounded(value * power(AROUND_SHIFT))));
            }
            values.extend(view.bias.map(|value| rounded(value * full)));
        }
        for head in &parameters.heads {
            for input in &head.hidden {
                values.extend(input.map(|value| rounded(value * power(WEIGHT_SHIFT))));
            }
            for value in head.bias {
                wide(
                    &mut values,
                    rounded_wide(value * power(INPUT_SHIFT + WEIGHT_SHIFT)),
                );
            }
            let points = f32::from(super::params::POINTS_PER_LOGIT) * power(OUTPUT_SHIFT);
            values.extend(head.output.map(|value| rounded(value * points)));
            wide(
                &mut values,
                rounded_wide(head.output_bias * f32::from(super::params::POINTS_PER_LOGIT)),
            );
            values.extend(
                head.policy
                    .map(|value| rounded(100.0 * value * power(POLICY_SHIFT))),
            );
        }
        block::pack(*MAGIC, rule, &values)
    }

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// When the block is not a network of `rule`, or damaged.
    pub(crate) fn decode(rule: RuleKind, bytes: &[u8]) -> Result<Self, BlockError> {
        let rows = Rows::new(rule);
        let per_head = INPUTS * HIDDEN + 2 * HIDDEN + HIDDEN + 2 + INPUTS;
        let count = rows.count() * HALF + rows.heads() * (4 * HALF + per_head);
        let mut values = block::unpack(*MAGIC, rule, count, bytes)?.into_iter();
        let mut next = || values.next().unwrap_or(0);
        let table: Vec<[i16; HALF]> = (0..rows.count())
            .map(|_| std::array::from_fn(|_| next()))
            .collect();
        let views: Vec<[[i16; HALF]; 4]> = (0..rows.heads())
            .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| next())))
            .collect();
        let [centre, beside, across, around_bias] = std::array::from_fn(|group| {
            joined(Colour::ALL.map(|colour| views[table_of(rule, colour)][group]))
        });
        let mut heads = Vec::new();
        for _ in 0..rows.heads() {
            let wide = |next: &mut dyn FnMut() -> i16| {
                let (low, high) = (next(), next());
                i32::from(high) << 16 | i32::from(low.cast_unsigned())
            };
            let mut hidden = [[Vector::ZERO; 2]; HIDDEN];
            for input in 0..INPUTS {
                for unit in &mut hidden {
                    unit[input / CHANNELS].0[input % CHANNELS] = next();
                }
            }
            heads.push(FixedHead {
                hidden,
                bias: std::array::from_fn(|_| wide(&mut next)),
                output: std::array::from_fn(|_| next()),
                output_bias: wide(&mut next),
                policy: std::array::from_fn(|_| Vector(std::array::from_fn(|_| next()))),
            });
        }
        let count = rows.of[Colour::Black].len();
        let windows = (0..count)
            .map(|window| joined(Colour::ALL.map(|colour| table[rows.row(colour, window)])))
            .collect();
        let heads = Colour::ALL.map(|colour| {
            let mut head = heads[table_of(rule, colour)].clone();
            if colour == Colour::White {
                // In the file the half of the side to move comes first, in memory Black's.
                for vector in head.hidden.as_flattened_mut() {
                    vector.0.rotate_left(HALF);
                }
                for vector in &mut head.policy {
                    vector.0.rotate_left(HALF);
                }
            }
            head
        });
        Ok(Self {
            windows,
            around: [centre, beside, across],
            around_bias,
            heads: ByColour(heads),
        })
    }

    /// The sum of the vectors of the windows that the empty `point` sees.
    #[inline(always)]
    fn sum(&self, board: &Board, point: Point) -> Vector {
        let window = |direction| &self.windows[board.window(point, direction)].0;
        let [first, second, third, fourth] = Direction::ALL;
        let (a, b, c, d) = (window(first), window(second), window(third), window(fourth));
        Vector(std::array::from_fn(|i| {
            a[i].wrapping_add(b[i])
                .wrapping_add(c[i])
                .wrapping_add(d[i])
        }))
    }

    /// The vector of the surroundings of an empty cell, given the own vectors of all.
    #[inline(always)]
    fn surroundings(&self, own: &[Vector; CELLS], place: usize) -> Vector {
        // One check for all: the rows above, of and below the cell.
        let first = place - ROW - 1;
        let near = &own[first..first + 2 * ROW + 3];
        let at = |row: usize, column: usize| &near[row * ROW + column].0;
        let centre = at(1, 1);
        let beside = [at(0, 1), at(1, 0), at(1, 2), at(2, 1)];
        let across = [at(0, 0), at(0, 2), at(2, 0), at(2, 2)];
        let [of_centre, of_beside, of_across] = &self.around;
        Vector(std::array::from_fn(|i| {
            let total = |group: [&[i16; CHANNELS]; 4]| {
                group[0][i]
                    .wrapping_add(group[1][i])
                    .wrapping_add(group[2][i])
                    .wrapping_add(group[3][i])
            };
            let sum = self.around_bias.0[i]
                .wrapping_add(weighed(centre[i], of_centre.0[i]))
                .wrapping_add(weighed(total(beside), of_beside.0[i]))
                .wrapping_add(weighed(total(across), of_across.0[i]));
            sum.clamp(0, FULL)
        }))
    }
}

/// `value` times `weight`, rounded down.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the upper half of 32 bits")]
fn weighed(value: i16, weight: i16) -> i16 {
    ((i32::from(value << SPACE) * i32::from(weight)) >> (SPACE + AROUND_SHIFT)) as i16
}

/// The halves of both colours as one vector.
fn joined(halves: [[i16; HALF]; 2]) -> Vector {
    let mut halves = halves.into_iter().flatten();
    Vector(std::array::from_fn(|_| halves.next().unwrap_or(0)))
}

fn power(shift: u32) -> f32 {
    2.0_f32.powi(shift.cast_signed())
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "clamped to the range first"
)]
fn rounded(value: f32) -> i16 {
    value.round().clamp(-32_000.0, 32_000.0) as i16
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "clamped to the range first"
)]
fn rounded_wide(value: f32) -> i32 {
    value.round().clamp(-1e9, 1e9) as i32
}

/// The vectors and sums of a board, brought up to date when they are asked for: most positions of a search never
/// ask.
#[derive(Clone)]
pub(crate) struct Net {
    network: &'static Network,
    cells: Box<Cells>,
    totals: Totals,
    /// All stones on top of those that the board had at first.
    moves: Vec<Point>,
    /// How many of them the totals know of.
    known: usize,
    /// What is to be restored when stones that the totals know of are taken back.
    lessons: Vec<Lesson>,
    old_sums: Overwritten,
    old_surroundings: Overwritten,
}

/// What is known of each cell; zeros where it is taken. Index: [`place`].
#[derive(Clone, PartialEq, Eq)]
struct Cells {
    /// Sums of the vectors of the cell's windows.
    sums: [Vector; CELLS],
    /// The same clamped: the cell's own vectors.
    own: [Vector; CELLS],
    surroundings: [Vector; CELLS],
}

/// Sums over all cells of their own vectors and of those of their surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Totals([[i32; CHANNELS]; 2]);

impl Totals {
    #[inline(always)]
    fn add(&mut self, which: usize, change: [i16; CHANNELS]) {
        for (total, change) in self.0[which].iter_mut().zip(change) {
            *total += i32::from(change);
        }
    }
}

const OWN: usize = 0;
const SURROUNDINGS: usize = 1;

/// So many cells' vectors can change before the sum of the changes may no longer fit 16 bits.
const AT_ONCE: usize = (i16::MAX / FULL) as usize;

/// No stone is seen by more empty cells than this: five each way along four lines.
const MOST_SEEING: usize = 40;
const _: () = assert!(MOST_SEEING <= AT_ONCE);

/// What was known before the totals learned of some moves.
#[derive(Clone, Copy)]
struct Lesson {
    known: usize,
    /// Lengths of the lists in [`Overwritten`].
    sums: usize,
    surroundings: usize,
    totals: Totals,
}

/// Vectors that lessons overwrote and where. A lesson of several moves may have overwritten one more than once.
///
/// The lists are longer than what is valid, so that nothing has to ask for room at each step.
#[derive(Clone, Default)]
struct Overwritten {
    places: Vec<u16>,
    vectors: Vec<Vector>,
    /// How many of both are valid.
    len: usize,
}

impl Overwritten {
    /// Room for `count` more, which [`keep`](Self::keep) makes valid.
    #[inline(always)]
    fn room(&mut self, count: usize) -> impl Iterator<Item = (&mut u16, &mut Vector)> {
        let len = self.len + count;
        if self.places.len() < len {
            self.places.resize(2 * len, 0);
            self.vectors.resize(2 * len, Vector::ZERO);
        }
        let places = &mut self.places[self.len..len];
        places.iter_mut().zip(&mut self.vectors[self.len..len])
    }

    #[inline(always)]
    fn keep(&mut self, count: usize) {
        self.len += count;
    }

    #[inline(always)]
    fn push(&mut self, place: usize, vector: Vector) {
        for note in self.room(1) {
            (*note.0, *note.1) = (short(place), vector);
        }
        self.keep(1);
    }

    /// The places and vectors from the last back to the one with number `len`.
    #[inline(always)]
    fn backwards_to(&self, len: usize) -> impl Iterator<Item = (usize, &Vector)> {
        let places = self.places[len..self.len].iter();
        let places = places.map(|&place| usize::from(place));
        places.zip(&self.vectors[len..self.len]).rev()
    }
}

impl Net {
    /// The totals of `board`, from scratch.
    #[must_use]
    #[allow(clippy::large_stack_arrays, reason = "111 KB, once a search")]
    pub(crate) fn new(network: &'static Network, board: &Board) -> Self {
        let mut net = Self {
            network,
            cells: Box::new(Cells {
                sums: [Vector::ZERO; CELLS],
                own: [Vector::ZERO; CELLS],
                surroundings: [Vector::ZERO; CELLS],
            }),
            totals: Totals([[0; CHANNELS]; 2]),
            moves: Vec::new(),
            known: 0,
            lessons: Vec::new(),
            old_sums: Overwritten::default(),
            old_surroundings: Overwritten::default(),
        };
        for point in board.empty() {
            let place = place(point);
            let sum = network.sum(board, point);
            net.cells.sums[place] = sum;
            net.cells.own[place] = sum.clamped();
            net.totals.add(OWN, sum.clamped().0);
        }
        net.surround(board.empty());
        net.old_surroundings.len = 0;
        net
    }

    /// A stone was put on `point`.
    #[inline]
    pub(crate) fn push(&mut self, point: Point) {
        self.moves.push(point);
    }

    /// The last move was taken back.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.moves.pop();
        if self.known > self.moves.len()
            && let Some(before) = self.lessons.pop()
        {
            simd::widest(
                #[inline(always)]
                || self.unlearn(&before),
            );
        }
    }

    #[inline(always)]
    fn unlearn(&mut self, before: &Lesson) {
        let Cells {
            sums,
            own,
            surroundings,
        } = &mut *self.cells;
        for (place, &vector) in self.old_sums.backwards_to(before.sums) {
            sums[place] = vector;
            own[place] = vector.clamped();
        }
        for (place, &vector) in self.old_surroundings.backwards_to(before.surroundings) {
            surroundings[place] = vector;
        }
        self.old_sums.len = before.sums;
        self.old_surroundings.len = before.surroundings;
        self.totals = before.totals;
        self.known = before.known;
    }

    /// Lets the totals know of all moves. `board` is the one that the moves were played on.
    #[inline]
    pub(crate) fn refresh(&mut self, board: &Board) {
        if self.known < self.moves.len() {
            simd::widest(
                #[inline(always)]
                || self.learn(board),
            );
        }
    }

    #[inline(always)]
    fn learn(&mut self, board: &Board) {
        self.lessons.push(Lesson {
            known: self.known,
            sums: self.old_sums.len,
            surroundings: self.old_surroundings.len,
            totals: self.totals,
        });
        let mut changed = PointSet::EMPTY;
        while self.known < self.moves.len() {
            let stone = self.moves[self.known];
            self.known += 1;
            self.fill(stone);
            changed.insert(stone);
            self.adjust(board, stone, &mut changed);
        }
        self.surround(&changed.grown_square(1).intersection(board.empty()));
    }

    /// The cell of a new stone is no longer empty.
    #[inline(always)]
    fn fill(&mut self, stone: Point) {
        let place = place(stone);
        let Cells {
            sums,
            own,
            surroundings,
        } = &mut *self.cells;
        self.old_sums.push(place, sums[place]);
        self.old_surroundings.push(place, surroundings[place]);
        self.totals.add(OWN, own[place].0.map(|value| -value));
        self.totals
            .add(SURROUNDINGS, surroundings[place].0.map(|value| -value));
        sums[place] = Vector::ZERO;
        own[place] = Vector::ZERO;
        surroundings[place] = Vector::ZERO;
    }

    /// Brings the cells that see the `stone` up to date, those that the totals do not know of yet left aside, and
    /// adds the ones that changed to `changed`.
    #[inline(always)]
    fn adjust(&mut self, board: &Board, stone: Point, changed: &mut PointSet) {
        let windows = &self.network.windows;
        let mut swaps = [(0, 0, 0); MOST_SEEING];
        let mut count = 0;
        board.windows_around(
            stone,
            &self.moves[self.known..],
            #[inline(always)]
            |point, before, after| {
                if before != after {
                    changed.insert(point);
                    simd::prefetch(&windows[before]);
                    simd::prefetch(&windows[after]);
                    swaps[count] = (place(point), before, after);
                    count += 1;
                }
            },
        );
        let Cells { sums, own, .. } = &mut *self.cells;
        let mut change = [0; CHANNELS];
        let swaps = &swaps[..count];
        let room = self.old_sums.room(count);
        for (&(place, before, after), (noted, old)) in swaps.iter().zip(room) {
            *noted = short(place);
            *old = sums[place];
            let (before, after) = (&windows[before].0, &windows[after].0);
            let sum = Vector(std::array::from_fn(|i| {
                old.0[i].wrapping_sub(before[i]).wrapping_add(after[i])
            }));
            sums[place] = sum;
            sum.clamped().replace(&mut own[place], &mut change);
        }
        self.old_sums.keep(count);
        self.totals.add(OWN, change);
    }

    /// Brings the surroundings of the empty `points` up to date.
    #[inline(always)]
    fn surround(&mut self, points: &PointSet) {
        let network = self.network;
        let Cells {
            own, surroundings, ..
        } = &mut *self.cells;
        let count = points.len();
        let mut change = [0; CHANNELS];
        let mut changes = 0;
        let room = self.old_surroundings.room(count);
        for (point, (noted, old)) in points.iter().zip(room) {
            let place = place(point);
            *noted = short(place);
            let vector = network.surroundings(own, place);
            *old = surroundings[place];
            vector.replace(&mut surroundings[place], &mut change);
            changes += 1;
            if changes == AT_ONCE {
                self.totals.add(SURROUNDINGS, change);
                (changes, change) = (0, [0; CHANNELS]);
            }
        }
        self.totals.add(SURROUNDINGS, change);
        self.old_surroundings.keep(count);
    }

    /// What the network adds to the score for `side`, which is to move, in points.
    #[must_use]
    pub(crate) fn score(&self, side: Colour) -> Score {
        let head = &self.network.heads[side];
        // Even 22 x 22 full cells fit 16 bits after the shift.
        #[allow(clippy::cast_possible_truncation, reason = "as said above")]
        let inputs = self
            .totals
            .0
            .map(|sums| Vector(sums.map(|sum| (sum >> SUM_SHIFT) as i16)));
        let mut score = 0_i64;
        for ((weights, bias), &output) in head.hidden.iter().zip(&head.bias).zip(&head.output) {
            let unit = (bias + dot([&inputs[0], &inputs[1]], weights)) >> WEIGHT_SHIFT;
            score += i64::from(unit.max(0)) * i64::from(output);
        }
        let score = score >> (INPUT_SHIFT + OUTPUT_SHIFT);
        i32::try_from(score).unwrap_or(0) + head.output_bias
    }

    /// What the network adds to the logarithm of the odds that `point` is the best move of `side`, in 1/100.
    #[must_use]
    #[inline]
    pub(crate) fn policy(&self, side: Colour, point: Point) -> i32 {
        let place = place(point);
        let vectors = [&self.cells.own[place], &self.cells.surroundings[place]];
        let sum = dot(vectors, &self.network.heads[side].policy);
        sum >> (POLICY_SHIFT + FULL.ilog2())
    }
}

// Inlined, it would be mixed with the loops around it, which makes it several times slower.
#[inline(never)]
fn dot(a: [&Vector; 2], b: &Pair) -> i32 {
    let products = |a: &Vector, b: &Vector| -> i32 {
        a.0.iter()
            .zip(&b.0)
            .map(|(&a, &b)| i32::from(a) * i32::from(b))
            .sum()
    };
    products(a[0], &b[0]) + products(a[1], &b[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::NoObserver;
    use crate::types::{Size, SplitMix64};

    fn random_block(rule: RuleKind) -> Vec<u8> {
        let mut rng = SplitMix64::new(3);
        let mut random =
            || f32::from(i16::try_from(rng.below(2001)).expect("small")) / 1000.0 - 1.0;
        let rows = Rows::new(rule);
        let parameters = Parameters {
            rows: (0..rows.count())
                .map(|_| std::array::from_fn(|_| random()))
                .collect(),
            views: (0..rows.heads())
                .map(|_| View {
                    around: std::array::from_fn(|_| std::array::from_fn(|_| random())),
                    bias: std::array::from_fn(|_| random()),
                })
                .collect(),
            heads: (0..rows.heads())
                .map(|_| Head {
                    hidden: std::array::from_fn(|_| std::array::from_fn(|_| random())),
                    bias: std::array::from_fn(|_| random()),
                    output: std::array::from_fn(|_| random()),
                    output_bias: random(),
                    policy: std::array::from_fn(|_| random()),
                })
                .collect(),
        };
        Network::encode(rule, &parameters)
    }

    fn random_network(rule: RuleKind) -> &'static Network {
        Box::leak(Box::new(
            Network::decode(rule, &random_block(rule)).expect("just encoded"),
        ))
    }

    #[test]
    fn embedded_networks_are_whole() {
        for rule in RuleKind::ALL {
            assert!(
                Network::decode(rule, EMBEDDED[rule.index()]).is_ok(),
                "{rule}"
            );
        }
    }

    /// Refreshed after some moves and not after others, the sums are those of a fresh start.
    #[test]
    fn sums_follow_play_and_undo() {
        let mut rng = SplitMix64::new(9);
        for rule in RuleKind::ALL {
            let network = random_network(rule);
            let mut board = Board::new(Size::new(13, 15).expect("in range"), rule);
            let mut net = Net::new(network, &board);
            for _ in 0..600 {
                if board.ply() > 0 && (rng.below(3) == 0 || board.ply() > 70) {
                    board.undo();
                    net.pop();
                } else {
                    let candidates = board.candidates();
                    let point = candidates.iter().nth(rng.below(candidates.len()));
                    let point = point.expect("a candidate");
                    board.play(point, &mut NoObserver);
                    net.push(point);
                }
                if rng.below(2) == 0 {
                    continue;
                }
                net.refresh(&board);
                let fresh = Net::new(network, &board);
                assert_eq!(net.totals, fresh.totals, "{rule}");
                assert!(net.cells == fresh.cells, "{rule}");
            }
        }
    }

    /// Where the rule treats both colours alike, exchanging them changes nothing for the side to move.
    #[test]
    fn colours_are_alike() {
        let mut rng = SplitMix64::new(11);
        for rule in RuleKind::ALL {
            let network = random_network(rule);
            let size = Size::square(15);
            let (mut board, mut swapped) = (Board::new(size, rule), Board::new(size, rule));
            swapped.pass();
            for _ in 0..30 {
                let point = board.candidates().iter().nth(rng.below(20));
                let Some(point) = point.filter(|&point| board.is_empty(point)) else {
                    continue;
                };
                board.play(point, &mut NoObserver);
                swapped.play(point, &mut NoObserver);
            }
            let (net, other) = (Net::new(network, &board), Net::new(network, &swapped));
            let alike = net.score(board.side()) == other.score(swapped.side());
            assert_eq!(alike, !rule.has_fouls(Colour::Black), "{rule}");
        }
    }

    /// Windows that share a row under a rule share one as another rule sees them, too: which of them is asked does not matter.
    #[test]
    fn rows_of_other_rules_are_well_defined() {
        let plain = RuleKind::Freestyle;
        let rows = Rows::new(plain);
        for rule in RuleKind::ALL {
            let seen = Rows::seen_by(rule, plain);
            let windows = Windows::new(rule);
            let other = Windows::new(plain);
            let own = Rows::new(rule);
            let mut met = vec![false; rows.count()];
            for window in 0..windows.count() {
                for colour in Colour::ALL {
                    let row = rows.row(colour, windows.seen_by(&other, window));
                    assert_eq!(seen[own.row(colour, window)], row, "{rule}");
                    met[row] = true;
                }
            }
            assert!(met.into_iter().all(|met| met), "{rule}");
            if rule == plain {
                assert!(seen.into_iter().eq(0..rows.count()));
            }
        }
    }

    #[test]
    fn damage_is_seen() {
        let bytes = random_block(RuleKind::Renju);
        assert!(matches!(
            Network::decode(RuleKind::Standard, &bytes),
            Err(BlockError::Rule { .. })
        ));
        assert!(matches!(
            Network::decode(RuleKind::Renju, &bytes[..bytes.len() - 2]),
            Err(BlockError::Length { .. })
        ));
        assert!(Network::decode(RuleKind::Renju, &bytes[..9]).is_err());
        for place in [0, 12, 20, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(
                Network::decode(RuleKind::Renju, &damaged).is_err(),
                "byte {place}"
            );
        }
    }
}
