//! Classifies every window of a line, from the strongest shapes down.
//!
//! A window is the two half lines beside an empty point. Each half is one of at most
//! [`MOST_STATES`] *half states*: cells from the point outwards, each empty, Black or White, as far as
//! anything matters to anybody. Behind a wall nothing does; behind the first stone of the second
//! colour neither, because there both sides have met a stone of the other. A window's class
//! follows from the fives that it can still become and from the classes of the windows with one
//! more own stone, so a memo over `half states × half states` does all the work.

use super::Class;
use super::tables::{BLACK_BITS, EMPTY_BITS, WALL_BITS, WHITE_BITS};
use crate::rule::RuleKind;
use crate::types::Colour;

/// Most cells on one side of the point that any rule looks at.
const MAX_REACH: usize = 5;

/// Most half states that a rule has (caro; 120 where a stone that closes a line is like a wall, 57
/// with four cells).
pub(super) const MOST_STATES: usize = 172;

/// The half lines of up to `reach` cells, numbered.
pub(super) struct HalfStates {
    reach: usize,
    /// Whether it matters that a line ends at an opponent stone rather than at a wall.
    stones_close: bool,
    /// For each half state, its cells (two bits each, nearest to the point lowest).
    cells: Vec<u16>,
    /// For each packing of `reach` cells, nearest lowest, the half state that it is.
    by_cells: Vec<u16>,
}

impl HalfStates {
    pub(super) fn new(rule: RuleKind) -> Self {
        let reach = rule.reach();
        let mut states = Self {
            reach,
            stones_close: rule.closed_five_is_nothing(),
            cells: Vec::new(),
            by_cells: vec![0; 1 << (2 * reach)],
        };
        for cells in 0..1u16 << (2 * reach) {
            let canonical = states.canonical(cells);
            if canonical == cells {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "fewer states than packings of cells, which are u16"
                )]
                let state = states.cells.len() as u16;
                states.by_cells[usize::from(cells)] = state;
                states.cells.push(cells);
            } else {
                // A canonical packing is the original with cells set to 0, so it comes first.
                states.by_cells[usize::from(cells)] = states.by_cells[usize::from(canonical)];
            }
        }
        states
    }

    pub(super) const fn len(&self) -> usize {
        self.cells.len()
    }

    /// The half state of a packing with the nearest cell lowest.
    pub(super) fn index_of(&self, cells: u16) -> u16 {
        self.by_cells[usize::from(cells)]
    }

    /// What `other` makes of a half state of this rule, as far as it looks.
    pub(super) fn seen_by(&self, other: &Self, state: usize) -> usize {
        let cells = usize::from(self.cells[state]) & (other.by_cells.len() - 1);
        usize::from(other.by_cells[cells])
    }

    /// The half state with the colours of all stones exchanged.
    pub(super) fn colours_swapped(&self, state: usize) -> usize {
        let cells = self.cells[state];
        let low = cells & 0b01_0101_0101;
        let high = cells >> 1 & 0b01_0101_0101;
        usize::from(self.index_of(low << 1 | high))
    }

    /// The packing with everything that matters to nobody turned to wall.
    fn canonical(&self, cells: u16) -> u16 {
        let first = |count: usize| cells & ((1 << (2 * count)) - 1);
        let mut seen = EMPTY_BITS;
        for i in 0..self.reach {
            match u64::from(cells >> (2 * i) & 3) {
                WALL_BITS => return first(i),
                EMPTY_BITS => {}
                stone if seen == EMPTY_BITS || seen == stone => seen = stone,
                _ if self.stones_close => return first(i + 1),
                _ => return first(i),
            }
        }
        cells
    }

    /// The places (nearest = bit 0) of the cells that hold `bits`.
    fn places(&self, state: usize, bits: u64) -> u32 {
        (0..self.reach)
            .filter(|&i| u64::from(self.cells[state] >> (2 * i) & 3) == bits)
            .fold(0, |places, i| places | 1 << i)
    }

    /// The half state with the bits of one more stone on the place `i`.
    fn with(&self, state: usize, i: usize, bits: u64) -> usize {
        let mut cells = usize::from(self.cells[state]);
        cells &= !(3 << (2 * i));
        cells |= if bits == BLACK_BITS { 1 } else { 2 } << (2 * i);
        usize::from(self.by_cells[cells])
    }
}

/// The classes of all windows for one colour; index `left * states + right`.
pub(super) fn classes(rule: RuleKind, colour: Colour, states: &HalfStates) -> Vec<Class> {
    let mut generator = Generator::new(rule, colour, states);
    // A window and its mirror image have one class; `class` remembers both.
    for left in 0..states.len() {
        for right in 0..=left {
            generator.class(left, right);
        }
    }
    generator.memo.into_iter().map(Class::from_index).collect()
}

/// Bit masks over the window of `2 * reach + 1` cells, the point itself at bit `reach`.
#[derive(Clone, Copy)]
struct Window {
    own: u32,
    opponent: u32,
    empty: u32,
}

/// One half of a window: its bits on either side of the point, and what it becomes.
#[derive(Clone, Copy)]
struct Half {
    left: Window,
    right: Window,
    /// The half state with one more own stone on the place `i`; itself where the place is taken.
    with_own: [u16; MAX_REACH],
}

struct Generator {
    reach: usize,
    halves: Vec<Half>,
    exact: bool,
    closed_is_nothing: bool,
    fouls: bool,
    /// Index: `left * states + right`; a [`Class`], or [`UNKNOWN`].
    memo: Vec<u8>,
}

/// Marks a window not yet classified.
const UNKNOWN: u8 = u8::MAX;

impl Generator {
    fn new(rule: RuleKind, colour: Colour, states: &HalfStates) -> Self {
        let reach = states.reach;
        let (own_bits, opponent_bits) = match colour {
            Colour::Black => (BLACK_BITS, WHITE_BITS),
            Colour::White => (WHITE_BITS, BLACK_BITS),
        };
        let halves = (0..states.len())
            .map(|state| {
                let places = |bits| states.places(state, bits);
                // Place 0 of the right half is bit `reach + 1`, of the left half bit `reach - 1`.
                let right = |bits| places(bits) << (reach + 1);
                let left = |bits| places(bits).reverse_bits() >> (32 - reach);
                let mut with_own = [0; MAX_REACH];
                for (i, next) in with_own.iter_mut().enumerate().take(reach) {
                    let taken = places(EMPTY_BITS) >> i & 1 == 0;
                    let index = if taken {
                        state
                    } else {
                        states.with(state, i, own_bits)
                    };
                    *next = u16::try_from(index).unwrap_or(0);
                }
                Half {
                    left: Window {
                        own: left(own_bits),
                        opponent: left(opponent_bits),
                        empty: left(EMPTY_BITS),
                    },
                    right: Window {
                        own: right(own_bits),
                        opponent: right(opponent_bits),
                        empty: right(EMPTY_BITS),
                    },
                    with_own,
                }
            })
            .collect();
        Self {
            reach,
            halves,
            exact: rule.exact_five(colour),
            closed_is_nothing: rule.closed_five_is_nothing(),
            fouls: rule.has_fouls(colour),
            memo: vec![UNKNOWN; states.len() * states.len()],
        }
    }

    fn class(&mut self, left: usize, right: usize) -> Class {
        let states = self.halves.len();
        let known = self.memo[left * states + right];
        if known != UNKNOWN {
            return Class::from_index(known);
        }
        let class = self.classify(left, right);
        self.memo[left * states + right] = class as u8;
        self.memo[right * states + left] = class as u8;
        class
    }

    fn classify(&mut self, left: usize, right: usize) -> Class {
        let (l, r) = (self.halves[left].left, self.halves[right].right);
        let window = Window {
            own: l.own | r.own | 1 << self.reach,
            opponent: l.opponent | r.opponent,
            empty: l.empty | r.empty,
        };
        let starts = self.open_fives(window);
        if starts & five_in_a_row(window.own) != 0 {
            return Class::Five;
        }
        if self.exact && self.run_length(window) > 5 {
            return Class::Overline;
        }
        if starts == 0 {
            return Class::Dead;
        }
        let completions = completions(starts, window.own);
        match completions.count_ones() {
            0 => self.potential(left, right, window),
            1 => Class::Four,
            _ if self.fouls && !is_straight_four(starts, window.own) => Class::DoubleFour,
            _ if self.closed_is_nothing && self.one_stone_stops(window) => Class::Four,
            _ => Class::OpenFour,
        }
    }

    /// The class of a window without a four: what it can become with one more own stone.
    fn potential(&mut self, left: usize, right: usize, window: Window) -> Class {
        let mut ways = [0; Class::ALL.len()];
        let mut best = Class::Dead;
        for cell in bits(window.empty) {
            let class = if cell < self.reach {
                let next = self.halves[left].with_own[self.reach - 1 - cell];
                self.class(usize::from(next), right)
            } else {
                let next = self.halves[right].with_own[cell - self.reach - 1];
                self.class(left, usize::from(next))
            };
            ways[class as usize] += 1;
            best = best.max(class);
        }
        let count = |class: Class| ways[class as usize];
        let threes = count(Class::OpenThree) + count(Class::WideOpenThree);
        match best {
            Class::OpenFour if count(Class::OpenFour) > 1 => Class::WideOpenThree,
            Class::OpenFour => Class::OpenThree,
            // A double four is no use to a side that may not make it, but one of the
            // two alone is; either way the next stone makes a four.
            Class::Four | Class::DoubleFour => Class::SleepingThree,
            Class::OpenThree | Class::WideOpenThree if threes >= 4 => Class::FreeOpenTwo,
            Class::OpenThree | Class::WideOpenThree if threes == 3 => Class::WideOpenTwo,
            Class::OpenThree | Class::WideOpenThree => Class::OpenTwo,
            Class::SleepingThree => Class::SleepingTwo,
            Class::OpenTwo | Class::WideOpenTwo | Class::FreeOpenTwo => Class::OpenOne,
            // A line that can only become a sleeping two, or needs more stones still.
            _ => Class::SleepingOne,
        }
    }

    /// The first cells of the lines of five through the point that can all become own stones
    /// and would then win.
    fn open_fives(&self, window: Window) -> u32 {
        let through_point = 0b1_1111 << (self.reach - 4);
        let mut starts = five_in_a_row(window.own | window.empty) & through_point;
        let both_ends = |cells: u32| (cells << 1, cells >> 5);
        if self.exact {
            let (before, after) = both_ends(window.own);
            starts &= !(before | after);
        }
        if self.closed_is_nothing {
            let (before, after) = both_ends(window.opponent);
            starts &= !(before & after);
        }
        starts
    }

    /// Whether a single opponent stone leaves no point that completes a five, where fives closed
    /// at both ends are nothing: in `O-XXXX-O` a stone on either point closes the other five too.
    fn one_stone_stops(&self, window: Window) -> bool {
        bits(window.empty).any(|cell| {
            let answered = Window {
                own: window.own,
                opponent: window.opponent | 1 << cell,
                empty: window.empty & !(1 << cell),
            };
            completions(self.open_fives(answered), window.own) == 0
        })
    }

    /// Length of the contiguous own line through the point.
    fn run_length(&self, window: Window) -> u32 {
        let right = (!(window.own >> self.reach)).trailing_zeros();
        let left = (!(window.own << (31 - self.reach))).leading_zeros();
        left + right - 1
    }
}

/// The places of the bits that are set, lowest first.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lowest < u32::BITS).then_some(lowest as usize)
    })
}

/// The first cells of all lines of five cells in `cells`.
const fn five_in_a_row(cells: u32) -> u32 {
    cells & cells >> 1 & cells >> 2 & cells >> 3 & cells >> 4
}

/// The cells that complete one of the lines of five that begin at `starts`.
fn completions(starts: u32, own: u32) -> u32 {
    bits(starts)
        .map(|start| (0b1_1111 << start) & !own)
        .filter(|missing| missing.is_power_of_two())
        .fold(0, |all, missing| all | missing)
}

/// Whether two of the fives that begin at `starts` share four own stones in a row, each five
/// missing its outer end.
fn is_straight_four(starts: u32, own: u32) -> bool {
    bits(starts & starts >> 1).any(|start| (0b1_1110 << start) & !own == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_states_are_as_few_as_promised() {
        let count = |rule| HalfStates::new(rule).len();
        assert_eq!(count(RuleKind::Freestyle), 57);
        assert_eq!(count(RuleKind::Standard), 120);
        assert_eq!(count(RuleKind::Renju), 120);
        assert_eq!(count(RuleKind::Caro), MOST_STATES);
        assert_eq!(count(RuleKind::CaroExact), MOST_STATES);
    }
}
