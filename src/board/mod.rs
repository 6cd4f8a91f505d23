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

use smallvec::SmallVec;

use crate::pattern::{BLACK_BITS, EMPTY_BITS, Key, Tables, Threat, WALL_BITS, WHITE_BITS};
use crate::rule::RuleKind;
use crate::types::{
    ByColour, Cell, Colour, Direction, GRID, Grid, PAD, Point, PointSet, STRIDE, Size, side_key,
    stone_key, wall_key,
};

use undo::{Change, Record};

/// Hears what a move changed. Undoing is the observer's own business: restore what you
/// knew before the move.
pub trait Observer {
    /// The classes of the empty `point` for `colour` went from `old` to `new`.
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
    /// Index order: colour, threat. Empty points only.
    threat_sets: ByColour<[PointSet; Threat::COUNT]>,
    threat_counts: ByColour<[u16; Threat::COUNT]>,
    changes: Vec<Change>,
    records: Vec<Record>,
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
            threat_sets: ByColour([[PointSet::EMPTY; Threat::COUNT]; 2]),
            threat_counts: ByColour([[0; Threat::COUNT]; 2]),
            changes: Vec::with_capacity(48 * size.cells()),
            records: Vec::with_capacity(size.cells()),
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
                Some(Cell::Stone(colour)) => board.place(point, colour),
                Some(Cell::Wall) => board.add_wall(point),
                Some(Cell::Empty) | None => {}
            }
        }
        board.set_side(side);
        board.changes.clear();
        board.records.clear();
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
    pub const fn ply(&self) -> usize {
        self.records.len()
    }

    /// The last move that can be undone, if it was not a pass.
    #[must_use]
    pub fn last_move(&self) -> Option<Point> {
        self.records.last().and_then(|record| record.point)
    }

    /// The moves that can be undone, oldest first; passes are `None`.
    #[must_use]
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Option<Point>> + '_ {
        self.records.iter().map(|record| record.point)
    }

    /// What a stone of `colour` on the empty `point` would make on each line.
    #[must_use]
    #[inline]
    pub fn key(&self, point: Point, colour: Colour) -> Key {
        Key((self.cells[point.index()].keys >> (16 * colour.index())) as u16)
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
        &self.threat_sets[colour][threat.index()]
    }

    /// How many empty points have exactly `threat` for `colour`.
    #[must_use]
    #[inline]
    pub fn count(&self, colour: Colour, threat: Threat) -> usize {
        usize::from(self.threat_counts[colour][threat.index()])
    }

    /// The numbers of points per threat of `colour`, indexed by [`Threat::index`].
    #[must_use]
    #[inline]
    pub fn counts(&self, colour: Colour) -> &[u16; Threat::COUNT] {
        &self.threat_counts[colour]
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
        let record = self.records.pop().expect("a move to take back");
        if let Some(point) = record.point {
            self.unfill(point, record.first_change);
        }
        self.side = record.side;
        self.hash = record.hash;
    }

    /// Passes the turn. Can be undone like a move.
    pub fn pass(&mut self) {
        self.records.push(Record {
            point: None,
            first_change: self.changes.len(),
            side: self.side,
            hash: self.hash,
        });
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
        debug_assert!(self.is_empty(point));
        self.leave_sets(point);
        self.cells[point.index()].content = Content::Wall;
        self.empty.remove(point);
        self.hash ^= wall_key(point);
        self.flip_line_bits(point, EMPTY_BITS ^ WALL_BITS);
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
        self.records.push(Record {
            point: Some(point),
            first_change: self.changes.len(),
            side: self.side,
            hash: self.hash,
        });
        self.hash ^= stone_key(colour, point);
        self.leave_sets(point);
        observer.filled(point, self.keys(point));
        self.cells[point.index()].content = colour.into();
        self.empty.remove(point);
        self.stones[colour].insert(point);
        self.flip_line_bits(point, stone_flip(colour));
        if self.rule().reach() == 4 {
            self.update_lines::<4>(point, observer);
        } else {
            self.update_lines::<5>(point, observer);
        }
    }

    #[inline]
    fn unfill(&mut self, point: Point, first_change: usize) {
        for i in (first_change..self.changes.len()).rev() {
            let change = self.changes[i];
            let cell = &mut self.cells[change.point.index()];
            let threats = cell.threats;
            cell.keys = change.keys;
            cell.threats = change.threats;
            for colour in Colour::ALL {
                self.move_between_sets(
                    change.point,
                    colour,
                    threats[colour],
                    change.threats[colour],
                );
            }
        }
        self.changes.truncate(first_change);
        let content = self.cells[point.index()].content;
        let colour = if content == Content::Black {
            Colour::Black
        } else {
            Colour::White
        };
        self.flip_line_bits(point, stone_flip(colour));
        self.cells[point.index()].content = Content::Empty;
        self.empty.insert(point);
        self.stones[colour].remove(point);
        self.enter_sets(point);
    }

    /// Recomputes the classes of the empty points that see `point` on one of its lines.
    #[inline]
    fn update_lines<const REACH: usize>(&mut self, point: Point, observer: &mut impl Observer) {
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
                let place = first + step;
                let pair = self.tables.classes(word >> (2 * (place - PAD as usize)));
                let steps = step.cast_signed() - REACH.cast_signed();
                self.set_class(point.offset(direction, steps), direction, pair, observer);
            }
        }
    }

    /// Gives the empty `point` the classes `pair` on the line in `direction`.
    #[inline]
    fn set_class(
        &mut self,
        point: Point,
        direction: Direction,
        pair: u8,
        observer: &mut impl Observer,
    ) {
        let shift = 4 * direction.index();
        let cell = &mut self.cells[point.index()];
        let old_keys = cell.keys;
        let keys = old_keys & !(0x000F_000F << shift) | spread(pair) << shift;
        if keys == old_keys {
            return;
        }
        let old_threats = cell.threats;
        self.changes.push(Change {
            point,
            keys: old_keys,
            threats: old_threats,
        });
        cell.keys = keys;
        for colour in Colour::ALL {
            let half = 16 * colour.index();
            let (old, new) = (Key((old_keys >> half) as u16), Key((keys >> half) as u16));
            if old == new {
                continue;
            }
            observer.changed(point, colour, old, new);
            let threat = self.tables.threat(colour, new);
            if threat != old_threats[colour] {
                self.cells[point.index()].threats[colour] = threat;
                self.move_between_sets(point, colour, old_threats[colour], threat);
            }
        }
    }

    #[inline]
    fn move_between_sets(&mut self, point: Point, colour: Colour, from: Threat, to: Threat) {
        if from == to {
            return;
        }
        self.threat_sets[colour][from.index()].toggle(point);
        self.threat_sets[colour][to.index()].toggle(point);
        self.threat_counts[colour][from.index()] -= 1;
        self.threat_counts[colour][to.index()] += 1;
    }

    #[inline]
    fn leave_sets(&mut self, point: Point) {
        let threats = self.cells[point.index()].threats;
        for colour in Colour::ALL {
            let threat = threats[colour].index();
            self.threat_sets[colour][threat].remove(point);
            self.threat_counts[colour][threat] -= 1;
        }
    }

    #[inline]
    fn enter_sets(&mut self, point: Point) {
        let threats = self.cells[point.index()].threats;
        for colour in Colour::ALL {
            let threat = threats[colour].index();
            self.threat_sets[colour][threat].insert(point);
            self.threat_counts[colour][threat] += 1;
        }
    }

    #[inline]
    fn flip_line_bits(&mut self, point: Point, bits: u64) {
        for direction in Direction::ALL {
            let (line, place) = line_of(point, direction);
            self.lines[direction.index()][line] ^= bits << (2 * place);
        }
    }

    fn keys(&self, point: Point) -> ByColour<Key> {
        ByColour(Colour::ALL.map(|colour| self.key(point, colour)))
    }

    /// Both classes of `point` on the line in `direction`, from the line word.
    fn class_pair(&self, point: Point, direction: Direction) -> u8 {
        let (line, place) = line_of(point, direction);
        self.tables
            .classes(self.lines[direction.index()][line] >> (2 * (place - PAD as usize)))
    }

    /// Computes keys, threats and sets of all empty points from the line words.
    fn classify_all(&mut self) {
        self.threat_sets = ByColour([[PointSet::EMPTY; Threat::COUNT]; 2]);
        self.threat_counts = ByColour([[0; Threat::COUNT]; 2]);
        let empty = self.empty;
        for point in &empty {
            let keys = Direction::ALL.iter().fold(0, |keys, &direction| {
                keys | spread(self.class_pair(point, direction)) << (4 * direction.index())
            });
            self.cells[point.index()].keys = keys;
            for colour in Colour::ALL {
                let threat = self.tables.threat(colour, self.key(point, colour));
                self.cells[point.index()].threats[colour] = threat;
            }
            self.enter_sets(point);
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

/// A short list of points on the stack.
pub type PointList = SmallVec<[Point; 16]>;
