//! What moves overwrote, so that they can be taken back.
//!
//! Taking back restores what was there before rather than computing it again, and makes no
//! decisions: each list holds exactly what has to be put back.

use super::{CellState, Content, SLOTS};
use crate::pattern::Threat;
use crate::types::{ByColour, Colour, Direction, GRID, Point};

/// Room for the cells that one move may touch: five each way in four directions, rounded up so that
/// a mask keeps any count inside.
pub(super) const MOST_CHANGES: usize = 64;
const MOST_SHIFTS: usize = 2 * MOST_CHANGES;
const _: () = assert!(MOST_CHANGES >= 2 * 5 * Direction::ALL.len());

/// The keys and threats of one cell before a move changed them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) point: Point,
    pub(super) keys: u32,
    pub(super) threats: ByColour<Threat>,
}

impl Change {
    #[inline]
    pub(super) const fn of(point: Point, cell: CellState) -> Self {
        Self {
            point,
            keys: cell.keys,
            threats: cell.threats,
        }
    }
}

/// A point that went from one threat set to another: its grid index in the low ten bits, then five
/// bits for each of the two sets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shift(u32);

const _: () = assert!(GRID == 1 << 10 && SLOTS == 1 << 5);

impl Shift {
    #[inline]
    pub(super) const fn new(point: Point, from: usize, to: usize) -> Self {
        Self(point.index() as u32 | (from as u32) << 10 | (to as u32) << 15)
    }

    #[inline]
    pub(super) const fn point(self) -> Point {
        Point::from_index(self.0 as usize & (GRID - 1))
    }

    #[inline]
    pub(super) const fn from(self) -> usize {
        (self.0 >> 10) as usize & (SLOTS - 1)
    }

    #[inline]
    pub(super) const fn to(self) -> usize {
        (self.0 >> 15) as usize & (SLOTS - 1)
    }
}

/// A move (or a pass) and the state of the board before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) point: Option<Point>,
    pub(super) side: Colour,
    pub(super) hash: u64,
    first_change: usize,
    first_shift: usize,
}

/// All that can be taken back.
///
/// The lists of changes and shifts are longer than what is valid, so that a move writes into an
/// array of known size without asking for room at each step.
pub(super) struct Trail {
    records: Vec<Record>,
    changes: Vec<Change>,
    shifts: Vec<Shift>,
    change_count: usize,
    shift_count: usize,
}

impl Trail {
    pub(super) const fn new() -> Self {
        Self {
            records: Vec::new(),
            changes: Vec::new(),
            shifts: Vec::new(),
            change_count: 0,
            shift_count: 0,
        }
    }

    #[inline]
    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    /// Opens the record of a move (or of a pass).
    #[inline]
    pub(super) fn push(&mut self, point: Option<Point>, side: Colour, hash: u64) {
        self.records.push(Record {
            point,
            side,
            hash,
            first_change: self.change_count,
            first_shift: self.shift_count,
        });
    }

    /// Where the move just pushed notes what it changes; hand it to [`Trail::keep`].
    #[inline]
    pub(super) fn notes(&mut self) -> Notes<'_> {
        if self.changes.len() < self.change_count + MOST_CHANGES
            || self.shifts.len() < self.shift_count + MOST_SHIFTS
        {
            self.grow();
        }
        let changes = &mut self.changes[self.change_count..];
        let shifts = &mut self.shifts[self.shift_count..];
        Notes {
            changes: changes.first_chunk_mut().expect("grown above"),
            shifts: shifts.first_chunk_mut().expect("grown above"),
            count: Counts::default(),
        }
    }

    /// Makes the notes part of the move.
    #[inline]
    pub(super) const fn keep(&mut self, count: Counts) {
        self.change_count += count.changes;
        self.shift_count += count.shifts;
    }

    /// Removes the last record, and gives what has to be put back with it.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(Record, &[Change], &[Shift])> {
        let record = self.records.pop()?;
        let changes = &self.changes[record.first_change..self.change_count];
        let shifts = &self.shifts[record.first_shift..self.shift_count];
        self.change_count = record.first_change;
        self.shift_count = record.first_shift;
        Some((record, changes, shifts))
    }

    #[cold]
    fn grow(&mut self) {
        // Twice as long as now, and room for a few moves at least.
        let changes = 2 * self.change_count + 4 * MOST_CHANGES;
        let nothing = CellState {
            keys: 0,
            threats: ByColour([Threat::None; 2]),
            content: Content::Empty,
        };
        let no_change = Change::of(Point::new(0, 0), nothing);
        self.changes.resize(changes, no_change);
        let shifts = 2 * self.shift_count + 4 * MOST_SHIFTS;
        self.shifts.resize(shifts, Shift::default());
    }
}

/// Copies what is valid only.
impl Clone for Trail {
    fn clone(&self) -> Self {
        Self {
            records: self.records.clone(),
            changes: self.changes[..self.change_count].to_vec(),
            shifts: self.shifts[..self.shift_count].to_vec(),
            change_count: self.change_count,
            shift_count: self.shift_count,
        }
    }
}

/// How many changes and shifts a move noted.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    changes: usize,
    shifts: usize,
}

/// The notes of one move. What is noted with `real` false is overwritten by the next note: a
/// branch would cost more.
pub(super) struct Notes<'a> {
    changes: &'a mut [Change; MOST_CHANGES],
    shifts: &'a mut [Shift; MOST_SHIFTS],
    count: Counts,
}

impl Notes<'_> {
    #[inline]
    pub(super) fn change(&mut self, change: Change, real: bool) {
        self.changes[self.count.changes & (MOST_CHANGES - 1)] = change;
        self.count.changes += usize::from(real);
    }

    #[inline]
    pub(super) fn shift(&mut self, shift: Shift, real: bool) {
        self.shifts[self.count.shifts & (MOST_SHIFTS - 1)] = shift;
        self.count.shifts += usize::from(real);
    }

    /// The shifts noted so far.
    #[inline]
    pub(super) fn shifts(&self) -> &[Shift] {
        &self.shifts[..self.count.shifts & (MOST_SHIFTS - 1)]
    }

    #[inline]
    pub(super) const fn count(&self) -> Counts {
        self.count
    }
}
