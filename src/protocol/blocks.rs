//! Points that the user of an analysis board has blocked.

use std::collections::HashSet;

use crate::engine::Position;
use crate::types::{Colour, Point, PointSet};

/// Blocked points: some in every position, some in one.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    everywhere: PointSet,
    /// In the position with just these stones, in index order.
    somewhere: HashSet<(Vec<(usize, Colour)>, Point)>,
}

impl Blocks {
    /// Blocks `point` in every position, or unblocks it.
    pub(super) const fn set(&mut self, point: Point, blocked: bool) {
        if blocked {
            self.everywhere.insert(point);
        } else {
            self.everywhere.remove(point);
        }
    }

    /// Blocks the last move of a path from the empty board, or unblocks it, in the position before it.
    /// The order of the moves before it does not matter.
    pub(super) fn set_path(&mut self, path: &[Point], blocked: bool) {
        let Some((&last, before)) = path.split_last() else {
            return;
        };
        let colours = [Colour::Black, Colour::White].into_iter().cycle();
        let key = (sorted(before.iter().copied().zip(colours)), last);
        if blocked {
            self.somewhere.insert(key);
        } else {
            self.somewhere.remove(&key);
        }
    }

    /// Unblocks what is blocked in every position.
    pub(super) const fn clear(&mut self) {
        self.everywhere = PointSet::EMPTY;
    }

    /// Unblocks what is blocked in one position.
    pub(super) fn clear_paths(&mut self) {
        self.somewhere.clear();
    }

    /// What is blocked in `position`.
    pub(super) fn in_position(&self, position: &Position) -> PointSet {
        let mut points = self.everywhere;
        if !self.somewhere.is_empty() {
            let stones = sorted(position.stones().iter().copied());
            for (before, last) in &self.somewhere {
                if *before == stones {
                    points.insert(*last);
                }
            }
        }
        points
    }
}

fn sorted(stones: impl Iterator<Item = (Point, Colour)>) -> Vec<(usize, Colour)> {
    let mut stones: Vec<_> = stones
        .map(|(point, colour)| (point.index(), colour))
        .collect();
    stones.sort_unstable_by_key(|&(index, _)| index);
    stones
}
