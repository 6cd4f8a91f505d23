//! The windows that the tables tell apart, as numbers: what a learned evaluation looks at.
//!
//! A window is what an empty point sees of one line: its left and its right half. Its number
//! is the one that [`Tables::window`] gives. Assumes nothing; promises that two windows share a
//! number only if no stone on them can ever make a difference to either side.
//!
//! [`Tables::window`]: super::Tables::window

use super::generate::HalfStates;
use crate::rule::RuleKind;

/// The windows of one rule and how they relate.
pub struct Windows {
    states: HalfStates,
}

impl Windows {
    /// The windows of `rule`. Takes a fraction of a millisecond.
    #[must_use]
    pub fn new(rule: RuleKind) -> Self {
        Self {
            states: HalfStates::new(rule),
        }
    }

    /// One more than the greatest number.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.states.len() * self.states.len()
    }

    /// The window seen from the other end of the line.
    #[must_use]
    pub const fn mirrored(&self, window: usize) -> usize {
        let states = self.states.len();
        window % states * states + window / states
    }

    /// The window with the colours of all stones exchanged.
    #[must_use]
    pub fn colours_swapped(&self, window: usize) -> usize {
        let states = self.states.len();
        let [left, right] =
            [window / states, window % states].map(|half| self.states.colours_swapped(half));
        left * states + right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::types::{Cell, Colour, Direction, Grid, Size, SplitMix64};

    /// Both relations, checked on boards: a board turned by 180 degrees shows mirrored windows, one
    /// with exchanged stones windows with exchanged colours.
    #[test]
    fn relations_hold_on_boards() {
        let size = Size::square(15);
        let mut rng = SplitMix64::new(5);
        for rule in RuleKind::ALL {
            let windows = Windows::new(rule);
            let mut grids = [(); 3].map(|()| Grid::new(size));
            for point in size.points() {
                let cell = match rng.below(4) {
                    0 => Colour::Black,
                    1 => Colour::White,
                    _ => continue,
                };
                let turned = size.point(14 - i64::from(point.x()), 14 - i64::from(point.y()));
                grids[0].set(point, Cell::Stone(cell));
                grids[1].set(turned.expect("on the board"), Cell::Stone(cell));
                grids[2].set(point, Cell::Stone(!cell));
            }
            let [board, turned, swapped] =
                grids.map(|grid| Board::from_grid(&grid, rule, Colour::Black));
            for point in board.empty() {
                let other = size.point(14 - i64::from(point.x()), 14 - i64::from(point.y()));
                for direction in Direction::ALL {
                    let window = board.window(point, direction);
                    assert!(window < windows.count());
                    assert_eq!(
                        turned.window(other.expect("on the board"), direction),
                        windows.mirrored(window)
                    );
                    assert_eq!(
                        swapped.window(point, direction),
                        windows.colours_swapped(window)
                    );
                }
            }
        }
    }
}
