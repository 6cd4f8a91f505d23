//! A small network of line windows: what the tables of classes cannot see.
//!
//! Every window of a line (see [`Windows`]) has a vector of [`CHANNELS`] numbers, half of them as each colour
//! sees it. The vectors of an empty cell's four windows are summed and clamped to
//! `0..=`[`FULL`]; the sum of that over all empty cells goes through a layer of [`HIDDEN`] units to the
//! score, and each cell's own vector to the odds of a move there. (The shape follows what the authors of Rapfi
//! published of their "mix" networks: line patterns mapped to vectors, updated incrementally.)
//!
//! The network's score is *added* to that of the tables, and its odds to those of the policy:
//! it is fitted to what they leave over.
//!
//! [`Net`] is an accumulator beside a board. It assumes that it is told of every move of its board by
//! [`push`](Net::push), of every undo by [`pop`](Net::pop), and that it is [refreshed](Net::refresh) before it is
//! asked. All numbers are integers, so results are the
//! same on every CPU.

use std::sync::LazyLock;

use bytemuck::Zeroable;

use super::block::{self, BlockError};
use super::params::table_of;
use crate::board::Board;
use crate::pattern::Windows;
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour, Direction, GRID, Point, Score};

/// Numbers per window and view.
pub(crate) const HALF: usize = 16;
/// Numbers per window: first as Black sees it, then as White does.
pub(crate) const CHANNELS: usize = 2 * HALF;
/// Units of the hidden layer.
pub(crate) const HIDDEN: usize = 32;
/// What 1.0 is in a cell's vector.
pub(crate) const FULL: i16 = 512;
/// The sum over all cells is divided by this before the hidden layer, so that it fits 16 bits.
const SUM_SHIFT: u32 = 3;
/// What 1.0 is in the input of the hidden layer, as a power of two: [`FULL`] times 16 cells over 8.
const INPUT_SHIFT: u32 = 10;
/// What 1.0 is in a weight of the hidden layer, as a power of two.
const WEIGHT_SHIFT: u32 = 8;
/// What a point is in a weight of the output, as a power of two.
const OUTPUT_SHIFT: u32 = 4;
/// What a hundredth of a nat is in a weight of the policy, as a power of two.
const POLICY_SHIFT: u32 = 3;

const MAGIC: &[u8; 4] = b"QXN1";

/// The vector of a cell or a window.
type Vector = [i16; CHANNELS];

/// A network as the trainer fits it. Lengths: see [`Rows`] and the constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters {
    /// Index: row, channel of a view.
    pub rows: Vec<[f32; HALF]>,
    /// Per head.
    pub heads: Vec<Head>,
}

/// The layers behind the sums, for one side to move. Inputs are first the channels of the side to move, then
/// the opponent's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// Index: input, unit.
    pub hidden: [[f32; HIDDEN]; CHANNELS],
    /// Index: unit.
    pub bias: [f32; HIDDEN],
    /// Logits of winning. Index: unit.
    pub output: [f32; HIDDEN],
    /// Logit of winning.
    pub output_bias: f32,
    /// Logits of being the best move. Index: channel.
    pub policy: [f32; CHANNELS],
}

impl Head {
    /// All zeros.
    pub(crate) const ZERO: Self = Self {
        hidden: [[0.0; HIDDEN]; CHANNELS],
        bias: [0.0; HIDDEN],
        output: [0.0; HIDDEN],
        output_bias: 0.0,
        policy: [0.0; CHANNELS],
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
    /// Index: side to move.
    heads: ByColour<FixedHead>,
}

#[derive(Clone)]
struct FixedHead {
    /// Index: unit, input (Black's half first). Dot products of 16-bit numbers are what every x86-64 CPU is quick at.
    hidden: [Vector; HIDDEN],
    bias: [i32; HIDDEN],
    output: [i16; HIDDEN],
    output_bias: i32,
    policy: Vector,
}

/// The networks as they are embedded, in the order of [`RuleKind::ALL`]; empty where there is none.
const EMBEDDED: [&[u8]; 5] = [
    include_bytes!("fitted/freestyle.net"),
    include_bytes!("fitted/standard.net"),
    include_bytes!("fitted/renju.net"),
    &[],
    include_bytes!("fitted/caro-exact.net"),
];

/// Whether a network for `rule` is embedded.
#[must_use]
pub(crate) const fn is_embedded(rule: RuleKind) -> bool {
    !EMBEDDED[rule.index()].is_empty()
}

static ALL: [LazyLock<Option<Network>>; 5] = [
    LazyLock::new(|| Network::embedded(RuleKind::Freestyle)),
    LazyLock::new(|| Network::embedded(RuleKind::Standard)),
    LazyLock::new(|| Network::embedded(RuleKind::Renju)),
    LazyLock::new(|| Network::embedded(RuleKind::Caro)),
    LazyLock::new(|| Network::embedded(RuleKind::CaroExact)),
];

impl Network {
    /// The network for `rule`, if there is one, unfolded by the first call (about a millisecond).
    #[must_use]
    pub(crate) fn of(rule: RuleKind) -> Option<&'static Self> {
        ALL[rule.index()].as_ref()
    }

    fn embedded(rule: RuleKind) -> Option<Self> {
        is_embedded(rule).then(|| {
            Self::decode(rule, EMBEDDED[rule.index()])
                .expect("the embedded network is whole, which a test makes sure of")
        })
    }

    /// Rounds `parameters` and packs them into the file format: a
    /// [block] of rows; per head hidden weights, hidden bias (32 bits as
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
        for head in &parameters.heads {
            for input in &head.hidden {
                values.extend(input.map(|v| rounded(v.clamp(-8.0, 8.0) * power(WEIGHT_SHIFT))));
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
        let per_head = CHANNELS * HIDDEN + 2 * HIDDEN + HIDDEN + 2 + CHANNELS;
        let count = rows.count() * HALF + rows.heads() * per_head;
        let mut values = block::unpack(*MAGIC, rule, count, bytes)?.into_iter();
        let mut next = || values.next().unwrap_or(0);
        let table: Vec<[i16; HALF]> = (0..rows.count())
            .map(|_| std::array::from_fn(|_| next()))
            .collect();
        let mut heads = Vec::new();
        for _ in 0..rows.heads() {
            let wide = |next: &mut dyn FnMut() -> i16| {
                let (low, high) = (next(), next());
                i32::from(high) << 16 | i32::from(low.cast_unsigned())
            };
            let mut hidden = [[0; CHANNELS]; HIDDEN];
            for input in 0..CHANNELS {
                for unit in &mut hidden {
                    unit[input] = next();
                }
            }
            heads.push(FixedHead {
                hidden,
                bias: std::array::from_fn(|_| wide(&mut next)),
                output: std::array::from_fn(|_| next()),
                output_bias: wide(&mut next),
                policy: std::array::from_fn(|_| next()),
            });
        }
        let count = rows.of[Colour::Black].len();
        let windows = (0..count)
            .map(|window| {
                let mut vector = [0; CHANNELS];
                let (black, white) = vector.split_at_mut(HALF);
                black.copy_from_slice(&table[rows.row(Colour::Black, window)]);
                white.copy_from_slice(&table[rows.row(Colour::White, window)]);
                vector
            })
            .collect();
        let heads = Colour::ALL.map(|colour| {
            let mut head = heads[table_of(rule, colour)].clone();
            if colour == Colour::White {
                // In the file the half of the side to move comes first, in memory Black's.
                for unit in &mut head.hidden {
                    unit.rotate_left(HALF);
                }
                head.policy.rotate_left(HALF);
            }
            head
        });
        Ok(Self {
            windows,
            heads: ByColour(heads),
        })
    }

    /// The sum of the vectors of the windows of the empty `point`.
    fn cell(&self, board: &Board, point: Point) -> Vector {
        let mut cell = [0; CHANNELS];
        for direction in Direction::ALL {
            let window = &self.windows[board.window(point, direction)];
            for (value, part) in cell.iter_mut().zip(window) {
                *value = i16::wrapping_add(*value, *part);
            }
        }
        cell
    }
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

/// The sums over a board, brought up to date when they are asked for: most positions of a search never ask.
#[derive(Clone)]
pub(crate) struct Net {
    network: &'static Network,
    /// Sum of the vectors of the windows of each empty cell. Index: grid index.
    cells: Box<[Vector; GRID]>,
    /// Sum of the clamped vectors.
    sum: [i32; CHANNELS],
    /// Overwritten cells, of all moves that can be taken back.
    overwritten: Vec<(Point, Vector)>,
    moves: Vec<Move>,
    /// How many of the moves the sums know of.
    known: usize,
}

/// A move, and what has to be restored when the sums know of it and it is taken back.
#[derive(Clone, Copy)]
struct Move {
    point: Point,
    /// How many moves the sums knew of before they learned of this one.
    known: usize,
    /// Length of the list of overwritten cells then.
    overwritten: usize,
    sum: [i32; CHANNELS],
}

impl Net {
    /// The sums of `board`, from scratch.
    #[must_use]
    pub(crate) fn new(network: &'static Network, board: &Board) -> Self {
        let mut net = Self {
            network,
            cells: Box::new(Zeroable::zeroed()),
            sum: [0; CHANNELS],
            overwritten: Vec::new(),
            moves: Vec::new(),
            known: 0,
        };
        for point in board.empty() {
            let cell = network.cell(board, point);
            net.cells[point.index()] = cell;
            for (sum, value) in net.sum.iter_mut().zip(clamped(&cell)) {
                *sum += i32::from(value);
            }
        }
        net
    }

    /// A stone was put on `point`.
    #[inline]
    pub(crate) fn push(&mut self, point: Point) {
        self.moves.push(Move {
            point,
            known: 0,
            overwritten: 0,
            sum: [0; CHANNELS],
        });
    }

    /// The last move was taken back.
    #[inline]
    pub(crate) fn pop(&mut self) {
        let Some(last) = self.moves.pop() else {
            return;
        };
        if self.known > self.moves.len() {
            // Backwards: a cell may have been overwritten more than once.
            for &(point, cell) in self.overwritten[last.overwritten..].iter().rev() {
                self.cells[point.index()] = cell;
            }
            self.overwritten.truncate(last.overwritten);
            self.sum = last.sum;
            self.known = last.known;
        }
    }

    /// Lets the sums know of all moves. `board` is the one that the moves were played on.
    pub(crate) fn refresh(&mut self, board: &Board) {
        let news = self.moves.len() - self.known;
        let Some(last) = self.moves.last_mut().filter(|_| news > 0) else {
            return;
        };
        last.known = self.known;
        last.overwritten = self.overwritten.len();
        last.sum = self.sum;
        let mut change = [0_i16; CHANNELS];
        for moved in &self.moves[self.known..] {
            let filled = clamped(&self.cells[moved.point.index()]);
            for (change, value) in change.iter_mut().zip(filled) {
                *change -= value;
            }
        }
        for moved in &self.moves[self.known..] {
            board.windows_around(moved.point, |point, before, after| {
                let cell = &mut self.cells[point.index()];
                let old = *cell;
                let new = if news == 1 {
                    if before == after {
                        return;
                    }
                    let windows = &self.network.windows;
                    let (before, after) = (&windows[before], &windows[after]);
                    std::array::from_fn(|i| old[i].wrapping_add(after[i]).wrapping_sub(before[i]))
                } else {
                    // The window before is not the one from before this move alone.
                    self.network.cell(board, point)
                };
                self.overwritten.push((point, old));
                *cell = new;
                for i in 0..CHANNELS {
                    change[i] += new[i].clamp(0, FULL) - old[i].clamp(0, FULL);
                }
            });
        }
        for (sum, change) in self.sum.iter_mut().zip(change) {
            *sum += i32::from(change);
        }
        self.known = self.moves.len();
    }

    /// What the network adds to the score for `side`, which is to move, in points.
    #[must_use]
    pub(crate) fn score(&self, side: Colour) -> Score {
        let head = &self.network.heads[side];
        // Even 22 x 22 full cells fit 16 bits after the shift.
        #[allow(clippy::cast_possible_truncation, reason = "as said above")]
        let inputs = self.sum.map(|sum| (sum >> SUM_SHIFT) as i16);
        let mut score = 0_i64;
        for ((weights, bias), &output) in head.hidden.iter().zip(&head.bias).zip(&head.output) {
            let unit = (bias + dot(&inputs, weights)) >> WEIGHT_SHIFT;
            score += i64::from(unit.max(0)) * i64::from(output);
        }
        let score = score >> (INPUT_SHIFT + OUTPUT_SHIFT);
        i32::try_from(score).unwrap_or(0) + head.output_bias
    }

    /// What the network adds to the logarithm of the odds that `point` is the best move of `side`, in 1/100.
    #[must_use]
    #[inline]
    pub(crate) fn policy(&self, side: Colour, point: Point) -> i32 {
        let weights = &self.network.heads[side].policy;
        let sum = dot(&clamped(&self.cells[point.index()]), weights);
        sum >> (POLICY_SHIFT + FULL.ilog2())
    }
}

#[inline]
fn dot(a: &Vector, b: &Vector) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| i32::from(a) * i32::from(b))
        .sum()
}

#[inline]
fn clamped(vector: &Vector) -> Vector {
    vector.map(|value| value.clamp(0, FULL))
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
            assert_eq!(
                Network::of(rule).is_some(),
                !EMBEDDED[rule.index()].is_empty()
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
                assert_eq!(net.sum, fresh.sum, "{rule}");
                for point in board.empty() {
                    let index = point.index();
                    assert_eq!(net.cells[index], fresh.cells[index], "{rule} {point}");
                }
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
