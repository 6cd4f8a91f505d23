//! The board with everything the search asks about, kept up to date move by move.
//!
//! What it keeps: stones; one word per line and direction, two bits per cell; for every empty
//! cell the [`Key`] of each colour (its class on the four lines) and the [`Threat`] that
//! follows; for every colour and threat the set and number of points that have it; a
//! Zobrist key. Candidate points are derived on demand by growing the set of stones.
//!
//! [`Board::play`] recomputes the windows that a new stone touches, at most ten per direction,
//! and records what it overwrote; [`Board::undo`] puts that back. An [`Observer`] hears of every
//! key that changes, so evaluations can be incremental without the board knowing them.
//!
//! Assumes that callers play on empty points of the board (fouls are the caller's business).
//! Promises that all of the above equals a board rebuilt from the bare stones
//! ([`Board::validate`] compares the two).

#![allow(
    clippy::cast_possible_truncation,
    reason = "keys and classes are cut out of packed words"
)]

mod undo;

use crate::pattern::{BLACK_BITS, EMPTY_BITS, Key, Tables, Threat, WALL_BITS, WHITE_BITS};
use crate::rule::RuleKind;
use crate::types::{
    ByColour, Cell, Colour, Direction, GRID, Grid, PAD, Point, PointSet, STRIDE, Size, side_key,
    stone_key, wall_key,
};

use undo::{Change, MOST_CHANGES, Shift, Trail};

/// Hears what a move changed. Undoing is the observer's own business: restore what you
/// knew before the move.
pub trait Observer {
    /// The classes of the empty `point` for `colour` went from `old` to `new`. Called for both colours
    /// of every point that the move may have changed, so the two are often equal: for cheap sums
    /// that costs less than the branch would; an observer with more to do should look first.
    fn changed(&mut self, point: Point, colour: Colour, old: Key, new: Key);

    /// A stone was put on `point`, which had the classes `keys` until then.
    fn filled(&mut self, point: Point, keys: ByColour<Key>);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoObserver;

impl Observer for NoObserver {
    #[inline]
    fn changed(&mut self, _: Point, _: Colour, _: Key, _: Key) {}

    #[inline]
    fn filled(&mut self, _: Point, _: ByColour<Key>) {}
}

/// Longest line word index of a direction, plus one.
const LINES: usize = 64;

/// What the board knows of one cell. For a filled cell, keys and threats are those from just before
/// it was filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CellState {
    /// Black's key in the low half, White's in the high half.
    keys: u32,
    threats: ByColour<Threat>,
    content: Content,
}

/// The two halves of a cell's keys.
#[inline]
const fn both_keys(keys: u32) -> ByColour<Key> {
    ByColour([Key(keys as u16), Key((keys >> 16) as u16)])
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Content {
    Black = 0,
    White = 1,
    Wall = 2,
    Empty = 3,
}

impl From<Colour> for Content {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Black => Self::Black,
            Colour::White => Self::White,
        }
    }
}

/// A position and all pattern state derived from it; see the [module](self).
#[derive(Clone)]
pub struct Board {
    tables: &'static Tables,
    size: Size,
    side: Colour,
    hash: u64,
    /// Index order: direction, line (see [`line_of`]). Cell `i` of a line has bits `2 * i`.
    lines: [[u64; LINES]; 4],
    cells: Box<[CellState; GRID]>,
    empty: PointSet,
    stones: ByColour<PointSet>,
    sets: ThreatSets,
    trail: Trail,
}

/// The empty points by colour and threat, and how many they are. Index: [`slot`].
#[derive(Clone)]
struct ThreatSets {
    points: [PointSet; SLOTS],
    counts: [u16; SLOTS],
}

impl ThreatSets {
    const EMPTY: Self = Self {
        points: [PointSet::EMPTY; SLOTS],
        counts: [0; SLOTS],
    };

    #[inline]
    fn insert(&mut self, point: Point, threats: ByColour<Threat>) {
        for colour in Colour::ALL {
            let slot = slot(colour, threats[colour]);
            self.points[slot].insert(point);
            self.counts[slot] += 1;
        }
    }

    #[inline]
    fn remove(&mut self, point: Point, threats: ByColour<Threat>) {
        for colour in Colour::ALL {
            let slot = slot(colour, threats[colour]);
            self.points[slot].remove(point);
            self.counts[slot] -= 1;
        }
    }

    #[inline]
    fn shift(&mut self, point: Point, from: usize, to: usize) {
        self.points[from].toggle(point);
        self.points[to].toggle(point);
        self.counts[from] -= 1;
        self.counts[to] += 1;
    }
}

/// Places for the threats of one colour in an array with a place per colour and threat.
const SLOTS_PER_COLOUR: usize = 16;
const SLOTS: usize = 2 * SLOTS_PER_COLOUR;
const _: () = assert!(Threat::COUNT <= SLOTS_PER_COLOUR);

/// The place of a colour's threat, below [`SLOTS`]; the mask shows it to the compiler.
#[inline]
const fn slot(colour: Colour, threat: Threat) -> usize {
    (colour.index() * SLOTS_PER_COLOUR + threat.index()) & (SLOTS - 1)
}

/// An empty point whose classes on the line in one direction were looked up again.
#[derive(Clone, Copy, Default)]
struct Touched {
    /// Grid index.
    point: u16,
    /// Where the direction's classes stand in a key: four times its index.
    shift: u8,
    /// Black's class in the low four bits, White's in the high.
    pair: u8,
}

/// The line through `point` in `direction`, and the point's place on it. Places count
/// along the line by padded column (padded row for vertical lines).
#[inline]
const fn line_of(point: Point, direction: Direction) -> (usize, usize) {
    let x = point.index() % STRIDE;
    let y = point.index() / STRIDE;
    match direction {
        Direction::Horizontal => (y, x),
        Direction::Vertical => (x, y),
        Direction::Diagonal => (x + STRIDE - 1 - y, x),
        Direction::AntiDiagonal => (x + y, x),
    }
}

impl Board {
    /// An empty board, Black to move.
    #[must_use]
    pub fn new(size: Size, rule: RuleKind) -> Self {
        let mut board = Self {
            tables: Tables::of(rule),
            size,
            side: Colour::Black,
            hash: side_key(Colour::Black),
            lines: [[0; LINES]; 4],
            cells: Box::new(
                [CellState {
                    keys: 0,
                    threats: ByColour([Threat::None; 2]),
                    content: Content::Wall,
                }; GRID],
            ),
            empty: size.points().collect(),
            stones: ByColour([PointSet::EMPTY; 2]),
            sets: ThreatSets::EMPTY,
            trail: Trail::new(),
        };
        for point in size.points() {
            board.cells[point.index()].content = Content::Empty;
            for direction in Direction::ALL {
                let (line, place) = line_of(point, direction);
                board.lines[direction.index()][line] |= EMPTY_BITS << (2 * place);
            }
        }
        board.classify_all();
        board
    }

    /// The position with the stones of `grid`, `side` to move. There is no move list: nothing can be
    /// undone below this position.
    #[must_use]
    pub fn from_grid(grid: &Grid, rule: RuleKind, side: Colour) -> Self {
        let mut board = Self::new(grid.size(), rule);
        for point in grid.size().points() {
            match grid.get(point) {
                Some(Cell::Stone(colour)) => {
                    board.put_stone(point, colour);
                    board.hash ^= stone_key(colour, point);
                }
                Some(Cell::Wall) => board.put_wall(point),
                Some(Cell::Empty) | None => {}
            }
        }
        board.classify_all();
        board.set_side(side);
        board
    }

    /// The bare stones.
    #[must_use]
    pub fn to_grid(&self) -> Grid {
        let mut grid = Grid::new(self.size);
        for point in self.size.points() {
            grid.set(point, self.cell(point).unwrap_or(Cell::Empty));
        }
        grid
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> RuleKind {
        self.tables.rule()
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub const fn side(&self) -> Colour {
        self.side
    }

    /// Lets `side` move next.
    pub const fn set_side(&mut self, side: Colour) {
        self.hash ^= side_key(self.side) ^ side_key(side);
        self.side = side;
    }

    /// A key of stones, walls and side to move. Equal positions have equal keys however they
    /// came about.
    #[must_use]
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// The key after the side to move plays on the empty `point`.
    #[must_use]
    #[inline]
    pub(crate) fn hash_after(&self, point: Point) -> u64 {
        self.hash ^ stone_key(self.side, point) ^ side_key(self.side) ^ side_key(!self.side)
    }

    /// What lies on `point`; `None` outside the board.
    #[must_use]
    pub fn cell(&self, point: Point) -> Option<Cell> {
        if !self.size.contains(point) {
            return None;
        }
        Some(match self.cells[point.index()].content {
            Content::Black => Cell::Stone(Colour::Black),
            Content::White => Cell::Stone(Colour::White),
            Content::Wall => Cell::Wall,
            Content::Empty => Cell::Empty,
        })
    }

    /// Whether `point` is an empty cell of the board.
    #[must_use]
    #[inline]
    pub fn is_empty(&self, point: Point) -> bool {
        self.cells[point.index()].content == Content::Empty
    }

    /// Whether `point` holds a stone of `colour`.
    #[must_use]
    #[inline]
    pub fn is_stone(&self, point: Point, colour: Colour) -> bool {
        self.cells[point.index()].content == Content::from(colour)
    }

    /// The empty points.
    #[must_use]
    pub const fn empty(&self) -> &PointSet {
        &self.empty
    }

    /// The stones of `colour`.
    #[must_use]
    pub fn stones(&self, colour: Colour) -> &PointSet {
        &self.stones[colour]
    }

    /// Number of moves that can be undone: plies since the board was made.
    #[must_use]
    #[inline]
    pub fn ply(&self) -> usize {
        self.trail.records().len()
    }

    /// The last move that can be undone, if it was not a pass.
    #[must_use]
    pub fn last_move(&self) -> Option<Point> {
        self.trail.records().last().and_then(|record| record.point)
    }

    /// The moves that can be undone, oldest first; passes are `None`.
    #[must_use]
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Option<Point>> + '_ {
        self.trail.records().iter().map(|record| record.point)
    }

    /// What a stone of `colour` on the empty `point` would make on each line.
    #[must_use]
    #[inline]
    pub fn key(&self, point: Point, colour: Colour) -> Key {
        both_keys(self.cells[point.index()].keys)[colour]
    }

    /// What a stone of `colour` on the empty `point` would make in all.
    #[must_use]
    #[inline]
    pub fn threat(&self, point: Point, colour: Colour) -> Threat {
        self.cells[point.index()].threats[colour]
    }

    /// The empty points where a stone of `colour` would make exactly `threat`.
    #[must_use]
    #[inline]
    pub fn points_with(&self, colour: Colour, threat: Threat) -> &PointSet {
        &self.sets.points[slot(colour, threat)]
    }

    /// How many empty points have exactly `threat` for `colour`.
    #[must_use]
    #[inline]
    pub fn count(&self, colour: Colour, threat: Threat) -> usize {
        usize::from(self.sets.counts[slot(colour, threat)])
    }

    /// The numbers of points per threat of `colour`, indexed by [`Threat::index`].
    #[must_use]
    #[inline]
    #[allow(
        clippy::missing_panics_doc,
        reason = "a colour has more slots than there are threats"
    )]
    pub fn counts(&self, colour: Colour) -> &[u16; Threat::COUNT] {
        let first = slot(colour, Threat::None);
        self.sets.counts[first..]
            .first_chunk()
            .expect("a colour has more slots than there are threats")
    }

    /// The empty points where a stone of `colour` would make `least` or more.
    #[must_use]
    pub fn points_with_at_least(&self, colour: Colour, least: Threat) -> PointSet {
        let mut points = PointSet::EMPTY;
        for threat in &Threat::ALL[least.index()..] {
            if self.count(colour, *threat) > 0 {
                points = points.union(self.points_with(colour, *threat));
            }
        }
        points
    }

    /// The empty points near stones: within two cells of one in any direction or three along a
    /// row, column or diagonal. The centre if the board holds no stone.
    #[must_use]
    pub fn candidates(&self) -> PointSet {
        let stones = self.stones[Colour::Black].union(&self.stones[Colour::White]);
        if stones.is_empty() {
            let centre = self.size.centre();
            return if self.is_empty(centre) {
                [centre].into_iter().collect()
            } else {
                self.empty
            };
        }
        stones
            .grown_square(2)
            .union(&stones.grown_star(3))
            .intersection(&self.empty)
    }

    /// Puts a stone of the side to move on `point` and passes the turn.
    ///
    /// # Panics
    /// In debug builds, when `point` is not empty.
    #[inline]
    pub fn play(&mut self, point: Point, observer: &mut impl Observer) {
        let colour = self.side;
        self.fill(point, colour, observer);
        self.set_side(!colour);
    }

    /// Takes back the last [`play`](Self::play), [`place`](Self::place) or [`pass`](Self::pass).
    ///
    /// # Panics
    /// When there is nothing to take back.
    #[inline]
    pub fn undo(&mut self) {
        let (record, changes, shifts) = self.trail.pop().expect("a move to take back");
        for change in changes {
            let cell = &mut self.cells[change.point.index()];
            cell.keys = change.keys;
            cell.threats = change.threats;
        }
        for shift in shifts {
            self.sets.shift(shift.point(), shift.to(), shift.from());
        }
        if let Some(point) = record.point {
            self.remove_stone(point);
        }
        self.side = record.side;
        self.hash = record.hash;
    }

    /// Passes the turn. Can be undone like a move.
    pub fn pass(&mut self) {
        self.trail.push(None, self.side, self.hash);
        self.set_side(!self.side);
    }

    /// Puts a stone of `colour` on the empty `point` without changing the side to move.
    pub fn place(&mut self, point: Point, colour: Colour) {
        self.fill(point, colour, &mut NoObserver);
    }

    /// Turns the empty `point` into a dead cell that belongs to neither side. Cannot be undone:
    /// walls are set up before the first move.
    ///
    /// # Panics
    /// When there are moves that could be undone.
    pub fn add_wall(&mut self, point: Point) {
        assert!(self.ply() == 0, "walls are set up before the first move");
        debug_assert!(self.is_empty(point), "{point} is not empty");
        self.put_wall(point);
        self.classify_all();
    }

    /// Both classes of `point` on the line in `direction` as they would be after a stone of `stone`
    /// on the empty `at` of the same line: Black's in the low four bits, White's in the high.
    /// Nothing is changed.
    #[must_use]
    #[inline]
    pub fn class_pair_after(
        &self,
        point: Point,
        direction: Direction,
        at: Point,
        stone: Colour,
    ) -> u8 {
        let (line, place) = line_of(point, direction);
        let (_, at_place) = line_of(at, direction);
        let word = self.lines[direction.index()][line] ^ stone_flip(stone) << (2 * at_place);
        self.tables.classes(word >> (2 * (place - PAD as usize)))
    }

    /// The number of the window that the empty `point` sees in `direction`; see
    /// [`Windows`](crate::pattern::Windows).
    #[must_use]
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "a part of what `simd::widest` speeds up"
    )]
    pub(crate) fn window(&self, point: Point, direction: Direction) -> usize {
        let (line, place) = line_of(point, direction);
        let word = self.lines[direction.index()][line];
        self.tables.window(word >> (2 * (place - PAD as usize)))
    }

    /// Calls `visit` for every empty point that sees the stone on `point` along a line, at most once each, with the
    /// numbers of its window on that line before the stone came and with it. The stones on `later` are taken for
    /// empty points.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "a part of what `simd::widest` speeds up"
    )]
    pub(crate) fn windows_around(
        &self,
        point: Point,
        later: &[Point],
        mut visit: impl FnMut(Point, usize, usize),
    ) {
        let reach = self.rule().reach();
        for direction in Direction::ALL {
            let (line, place) = line_of(point, direction);
            let mut word = self.lines[direction.index()][line];
            for &later in later {
                let (other_line, place) = line_of(later, direction);
                if other_line == line {
                    word |= EMPTY_BITS << (2 * place);
                }
            }
            let before = word | EMPTY_BITS << (2 * place);
            let first = place - reach;
            let window = word >> (2 * first);
            let mask = (1u64 << (2 * (2 * reach + 1))) - 1;
            let mut empties = window & window >> 1 & 0x5555_5555_5555_5555 & mask;
            while empties != 0 {
                let step = empties.trailing_zeros() as usize / 2;
                empties &= empties - 1;
                let steps = step.cast_signed() - reach.cast_signed();
                let shift = 2 * (first + step - PAD as usize);
                visit(
                    point.offset(direction, steps),
                    self.tables.window(before >> shift),
                    self.tables.window(word >> shift),
                );
            }
        }
    }

    /// Compares everything kept incrementally with a board rebuilt from the bare stones.
    ///
    /// # Panics
    /// When something differs.
    pub fn validate(&self) {
        let fresh = Self::from_grid(&self.to_grid(), self.rule(), self.side);
        assert_eq!(self.hash, fresh.hash, "hash");
        assert_eq!(self.lines, fresh.lines, "line words");
        assert_eq!(self.empty, fresh.empty, "empty points");
        assert_eq!(self.stones, fresh.stones, "stones");
        for point in &self.empty {
            let mut recomputed = 0;
            for direction in Direction::ALL {
                recomputed |= spread(self.class_pair(point, direction)) << (4 * direction.index());
            }
            let cell = self.cells[point.index()];
            assert_eq!(cell.keys, recomputed, "keys of {point}");
            for colour in Colour::ALL {
                let threat = self.tables.threat(colour, self.key(point, colour));
                assert_eq!(
                    cell.threats[colour], threat,
                    "threat of {point} for {colour:?}"
                );
            }
        }
        for colour in Colour::ALL {
            for threat in Threat::ALL {
                let points: PointSet = self
                    .empty
                    .iter()
                    .filter(|&point| self.threat(point, colour) == threat)
                    .collect();
                assert_eq!(
                    *self.points_with(colour, threat),
                    points,
                    "{colour:?} {threat:?}"
                );
                assert_eq!(
                    self.count(colour, threat),
                    points.len(),
                    "{colour:?} {threat:?}"
                );
            }
        }
    }

    #[inline]
    fn fill(&mut self, point: Point, colour: Colour, observer: &mut impl Observer) {
        debug_assert!(self.is_empty(point), "{point} is not empty");
        self.trail.push(Some(point), self.side, self.hash);
        self.hash ^= stone_key(colour, point);
        let cell = self.cells[point.index()];
        self.sets.remove(point, cell.threats);
        observer.filled(point, self.keys(point));
        self.put_stone(point, colour);
        if self.rule().reach() == 4 {
            self.update_lines::<4>(point, observer);
        } else {
            self.update_lines::<5>(point, observer);
        }
    }

    /// Recomputes keys, threats and sets of the empty points that see `point` on one of its lines.
    ///
    /// In three passes with hardly a branch. Which classes change, and which threats with them, is as
    /// good as random: each branch on it would be guessed wrong every other time, and cost more than
    /// the work that it saves.
    #[inline]
    fn update_lines<const REACH: usize>(&mut self, point: Point, observer: &mut impl Observer) {
        let mut touched = [Touched::default(); MOST_CHANGES];
        let count = self.look_along_lines::<REACH>(point, &mut touched);
        let mut notes = self.trail.notes();
        for touched in &touched[..count & (MOST_CHANGES - 1)] {
            let point = Point::from_index(usize::from(touched.point) & (GRID - 1));
            let shift = touched.shift & 15;
            let cell = &mut self.cells[point.index()];
            let old = *cell;
            let packed = old.keys & !(0x000F_000F << shift) | spread(touched.pair) << shift;
            let (keys, old_keys) = (both_keys(packed), both_keys(old.keys));
            let threats = ByColour(Colour::ALL.map(|c| self.tables.threat(c, keys[c])));
            cell.keys = packed;
            cell.threats = threats;
            notes.change(Change::of(point, old), packed != old.keys);
            for colour in Colour::ALL {
                observer.changed(point, colour, old_keys[colour], keys[colour]);
                let from = slot(colour, old.threats[colour]);
                let to = slot(colour, threats[colour]);
                notes.shift(Shift::new(point, from, to), from != to);
            }
        }
        for shift in notes.shifts() {
            self.sets.shift(shift.point(), shift.from(), shift.to());
        }
        let count = notes.count();
        self.trail.keep(count);
    }

    /// Finds the empty points that see `point` on one of its lines, and their classes there.
    /// Returns their number.
    #[inline]
    fn look_along_lines<const REACH: usize>(
        &self,
        point: Point,
        touched: &mut [Touched; MOST_CHANGES],
    ) -> usize {
        let mut count = 0;
        for direction in Direction::ALL {
            let (line, place) = line_of(point, direction);
            let word = self.lines[direction.index()][line];
            // One bit per empty cell of the window around the stone, at even places.
            let first = place - REACH;
            let window = word >> (2 * first);
            let mask = (1u64 << (2 * (2 * REACH + 1))) - 1;
            let mut empties = window & window >> 1 & 0x5555_5555_5555_5555 & mask;
            while empties != 0 {
                let step = empties.trailing_zeros() as usize / 2;
                empties &= empties - 1;
                let steps = step.cast_signed() - REACH.cast_signed();
                touched[count & (MOST_CHANGES - 1)] = Touched {
                    point: point.offset(direction, steps).index() as u16,
                    shift: 4 * direction.index() as u8,
                    pair: self
                        .tables
                        .classes(word >> (2 * (first + step - PAD as usize))),
                };
                count += 1;
            }
        }
        count
    }

    /// Puts a stone on an empty point, in everything that does not depend on other cells.
    #[inline]
    fn put_stone(&mut self, point: Point, colour: Colour) {
        self.cells[point.index()].content = colour.into();
        self.empty.remove(point);
        self.stones[colour].insert(point);
        self.flip_line_bits(point, stone_flip(colour));
    }

    /// Takes a stone away again; the point has the keys and threats of before it came.
    #[inline]
    fn remove_stone(&mut self, point: Point) {
        let cell = &mut self.cells[point.index()];
        let colour = if cell.content == Content::Black {
            Colour::Black
        } else {
            Colour::White
        };
        cell.content = Content::Empty;
        self.sets.insert(point, cell.threats);
        self.empty.insert(point);
        self.stones[colour].remove(point);
        self.flip_line_bits(point, stone_flip(colour));
    }

    fn put_wall(&mut self, point: Point) {
        self.cells[point.index()].content = Content::Wall;
        self.empty.remove(point);
        self.hash ^= wall_key(point);
        self.flip_line_bits(point, EMPTY_BITS ^ WALL_BITS);
    }

    #[inline]
    fn flip_line_bits(&mut self, point: Point, bits: u64) {
        for direction in Direction::ALL {
            let (line, place) = line_of(point, direction);
            self.lines[direction.index()][line] ^= bits << (2 * place);
        }
    }

    fn keys(&self, point: Point) -> ByColour<Key> {
        both_keys(self.cells[point.index()].keys)
    }

    /// Both classes of `point` on the line in `direction`, from the line word.
    fn class_pair(&self, point: Point, direction: Direction) -> u8 {
        let (line, place) = line_of(point, direction);
        self.tables
            .classes(self.lines[direction.index()][line] >> (2 * (place - PAD as usize)))
    }

    /// Computes keys, threats and sets of all empty points from the line words.
    fn classify_all(&mut self) {
        self.sets = ThreatSets::EMPTY;
        let empty = self.empty;
        for point in &empty {
            let keys = Direction::ALL.iter().fold(0, |keys, &direction| {
                keys | spread(self.class_pair(point, direction)) << (4 * direction.index())
            });
            self.cells[point.index()].keys = keys;
            let keys = self.keys(point);
            let threats = ByColour(Colour::ALL.map(|c| self.tables.threat(c, keys[c])));
            self.cells[point.index()].threats = threats;
            self.sets.insert(point, threats);
        }
    }
}

/// The bits that turn an empty cell into a stone of `colour`, and back.
#[inline]
const fn stone_flip(colour: Colour) -> u64 {
    match colour {
        Colour::Black => EMPTY_BITS ^ BLACK_BITS,
        Colour::White => EMPTY_BITS ^ WHITE_BITS,
    }
}

/// A pair of classes as two halves of a word: Black's at bit 0, White's at bit 16.
#[inline]
const fn spread(pair: u8) -> u32 {
    pair as u32 & 0x0F | (pair as u32 & 0xF0) << 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Windows;
    use crate::types::SplitMix64;

    fn board() -> Board {
        let mut board = Board::new(Size::square(15), RuleKind::Renju);
        for (x, y) in [(7, 7), (8, 8), (6, 7), (9, 9)] {
            board.play(Point::new(x, y), &mut NoObserver);
        }
        board
    }

    /// The test that other tests lean on must notice when something is wrong.
    #[test]
    fn validate_notices_each_kind_of_corruption() {
        board().validate();
        let point = Point::new(5, 7);
        let corruptions: [fn(&mut Board, Point); 7] = [
            |board, point| board.cells[point.index()].keys ^= 1,
            |board, point| board.cells[point.index()].threats.0.swap(0, 1),
            |board, _| board.hash ^= 1,
            |board, _| board.lines[2][31] ^= 1 << 20,
            |board, point| board.empty.remove(point),
            |board, point| board.stones[Colour::White].insert(point),
            |board, _| board.sets.counts[0] += 1,
        ];
        for (i, corrupt) in corruptions.into_iter().enumerate() {
            let mut board = board();
            corrupt(&mut board, point);
            let noticed = std::panic::catch_unwind(move || board.validate());
            assert!(noticed.is_err(), "corruption {i}");
        }
    }

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
