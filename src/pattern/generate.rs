//! Classifies every window of a line, from the strongest shapes down.
//!
//! A window is the two half lines beside an empty point. Each half is one of a few hundred
//! *half states*: cells from the point outwards, each empty, Black or White, up to the
//! first wall, behind which nothing matters. A window's class follows from the fives that
//! it can still become and from the classes of the windows with one more own stone,
//! so a memo over `half states × half states` does all the work.

use super::{Class, WALL_BITS};
use crate::rule::RuleKind;
use crate::types::Colour;

use super::tables::{BLACK_BITS, WHITE_BITS};

/// The half lines of up to `reach` cells, numbered.
pub(super) struct HalfStates {
    reach: usize,
    /// For each half state, its cells (two bits each, nearest to the point lowest).
    cells: Vec<u16>,
    /// For each packing of `reach` cells, nearest lowest, the half state that it is.
    by_cells: Vec<u16>,
}

impl HalfStates {
    pub(super) fn new(reach: usize) -> Self {
        let mut states = Self {
            reach,
            cells: Vec::new(),
            by_cells: vec![0; 1 << (2 * reach)],
        };
        for cells in 0..1u16 << (2 * reach) {
            let canonical = states.canonical(cells);
            if canonical == cells {
                states.by_cells[usize::from(cells)] =
                    u16::try_from(states.cells.len()).expect("few half states");
                states.cells.push(cells);
            } else {
                // Canonical packings hold 0 behind a wall, so they come first.
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

    /// The packing with everything behind the first wall turned to wall.
    fn canonical(&self, cells: u16) -> u16 {
        for i in 0..self.reach {
            if u64::from(cells >> (2 * i) & 3) == WALL_BITS {
                return cells & ((1 << (2 * i)) - 1);
            }
        }
        cells
    }
}

/// Bit masks over the window of `2 * reach + 1` cells, the point itself at bit `reach`.
#[derive(Clone, Copy)]
struct Window {
    own: u32,
    opponent: u32,
    empty: u32,
}

/// The classes of all windows for one colour; index `left * states + right`.
pub(super) fn classes(rule: RuleKind, colour: Colour, states: &HalfStates) -> Vec<Class> {
    let mut generator = Generator {
        reach: states.reach,
        states,
        exact: rule.exact_five(colour),
        closed_is_nothing: rule.closed_five_is_nothing(),
        fouls: rule.has_fouls(colour),
        own_bits: if colour == Colour::Black {
            BLACK_BITS
        } else {
            WHITE_BITS
        },
        memo: vec![None; states.len() * states.len()],
    };
    for left in 0..states.len() {
        for right in 0..states.len() {
            generator.class(left, right);
        }
    }
    generator
        .memo
        .into_iter()
        .map(|class| class.unwrap_or(Class::Dead))
        .collect()
}

struct Generator<'a> {
    reach: usize,
    states: &'a HalfStates,
    exact: bool,
    closed_is_nothing: bool,
    fouls: bool,
    own_bits: u64,
    memo: Vec<Option<Class>>,
}

impl Generator<'_> {
    fn class(&mut self, left: usize, right: usize) -> Class {
        let slot = left * self.states.len() + right;
        if let Some(class) = self.memo[slot] {
            return class;
        }
        let class = self.classify(left, right);
        self.memo[slot] = Some(class);
        class
    }

    fn classify(&mut self, left: usize, right: usize) -> Class {
        let window = self.window(left, right);
        let lines: Vec<u32> = self.open_fives(window).collect();
        if lines.iter().any(|&line| line & !window.own == 0) {
            return Class::Five;
        }
        if self.exact && self.run_length(window) > 5 {
            return Class::Overline;
        }
        if lines.is_empty() {
            return Class::Dead;
        }
        let mut completions = 0;
        let mut straight = false;
        for &line in &lines {
            let missing = line & !window.own;
            if missing.is_power_of_two() {
                completions |= missing;
                // Two fives that share four stones in a row, each missing its outer end.
                let next = line << 1;
                let shared = line & next;
                straight |= lines.contains(&next) && shared & window.own == shared;
            }
        }
        if straight {
            return Class::OpenFour;
        }
        match completions.count_ones() {
            0 => {}
            1 => return Class::Four,
            _ if self.fouls => return Class::DoubleFour,
            _ => return Class::OpenFour,
        }
        self.potential(left, right, window)
    }

    /// The class of a window without a four: what it can become with one more own stone.
    fn potential(&mut self, left: usize, right: usize, window: Window) -> Class {
        let mut ways = [0; Class::ALL.len()];
        let mut best = Class::Dead;
        for cell in 0..=2 * self.reach {
            if cell == self.reach || window.empty >> cell & 1 == 0 {
                continue;
            }
            let class = if cell < self.reach {
                let next = self.with_own(left, self.reach - 1 - cell);
                self.class(next, right)
            } else {
                let next = self.with_own(right, cell - self.reach - 1);
                self.class(left, next)
            };
            ways[class as usize] += 1;
            best = best.max(class);
        }
        let count = |class: Class| ways[class as usize];
        let threes = count(Class::OpenThree) + count(Class::WideOpenThree);
        match best {
            Class::OpenFour if count(Class::OpenFour) > 1 => Class::WideOpenThree,
            Class::OpenFour => Class::OpenThree,
            Class::Four | Class::DoubleFour => {
                // A double four is no use to a side that may not make it, but one of the
                // two alone is; either way the next stone makes a four.
                Class::SleepingThree
            }
            Class::OpenThree | Class::WideOpenThree if threes >= 4 => Class::FreeOpenTwo,
            Class::OpenThree | Class::WideOpenThree if threes == 3 => Class::WideOpenTwo,
            Class::OpenThree | Class::WideOpenThree => Class::OpenTwo,
            Class::SleepingThree => Class::SleepingTwo,
            Class::OpenTwo | Class::WideOpenTwo | Class::FreeOpenTwo => Class::OpenOne,
            // A line that can only become a sleeping two, or needs more stones still.
            _ => Class::SleepingOne,
        }
    }

    /// Masks of five cells through the point that can all become own stones and would then win.
    fn open_fives(&self, window: Window) -> impl Iterator<Item = u32> + use<> {
        let usable = window.own | window.empty;
        let reach = self.reach;
        let (exact, closed_is_nothing) = (self.exact, self.closed_is_nothing);
        (reach - 4..=reach).filter_map(move |start| {
            let line = 0b1_1111 << start;
            let ends = if start == 0 {
                1 << 5
            } else {
                1 << (start - 1) | 1 << (start + 5)
            };
            let open = line & !usable == 0
                && !(exact && window.own & ends != 0)
                && !(closed_is_nothing && window.opponent & ends == ends);
            open.then_some(line)
        })
    }

    /// Length of the contiguous own line through the point.
    fn run_length(&self, window: Window) -> u32 {
        let right = (!(window.own >> self.reach)).trailing_zeros();
        let left = (!(window.own << (31 - self.reach))).leading_zeros();
        left + right - 1
    }

    fn window(&self, left: usize, right: usize) -> Window {
        let mut window = Window {
            own: 1 << self.reach,
            opponent: 0,
            empty: 0,
        };
        for i in 0..self.reach {
            for (half, bit) in [(left, self.reach - 1 - i), (right, self.reach + 1 + i)] {
                let cell = u64::from(self.states.cells[half] >> (2 * i) & 3);
                let mask = match cell {
                    WALL_BITS => continue,
                    cell if cell == self.own_bits => &mut window.own,
                    BLACK_BITS | WHITE_BITS => &mut window.opponent,
                    _ => &mut window.empty,
                };
                *mask |= 1 << bit;
            }
        }
        window
    }

    /// The half state with an own stone `distance` cells from the nearest.
    fn with_own(&self, half: usize, distance: usize) -> usize {
        let cells = self.states.cells[half];
        let own = u16::try_from(self.own_bits).expect("two bits");
        let cells = cells & !(3 << (2 * distance)) | own << (2 * distance);
        usize::from(self.states.index_of(cells))
    }
}
