//! Classes of lines against a twin written from their definitions.
//!
//! The twin knows nothing of windows, half lines or tables: it takes the whole line through a point
//! as a row of cells, puts stones down, and looks at what wins. It follows the drawn definitions of
//! [`Class`] and the text of the rules.

mod common;

use std::collections::HashMap;

use quincunx::board::Board;
use quincunx::pattern::{Class, Threat};
use quincunx::rule::{RuleKind, oracle};
use quincunx::types::{Cell, Colour, Direction, Grid, Point, Size, SplitMix64};

/// A cell as one side sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Seen {
    Empty,
    Own,
    Opponent,
    /// The edge or a dead stone.
    Nothing,
}

/// How far the twin sees each way: further than any rule should look. The last cell each way
/// stays [`Seen::Nothing`], so that a row of own stones always ends.
const REACH: usize = 9;

/// A line through the point where an own stone stands or is tried, which is the cell in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Line {
    cells: [Seen; 2 * REACH + 1],
}

/// The middle of a [`Line`].
const MIDDLE: usize = REACH;

/// What the rule says about rows of one side.
#[derive(Clone, Copy)]
struct Side {
    rule: RuleKind,
    colour: Colour,
}

impl Side {
    /// Whether a row of `length` wins; `closed`: opponent stones at both its ends.
    fn wins(self, length: usize, closed: bool) -> bool {
        match (self.rule, self.colour) {
            (RuleKind::Freestyle, _) | (RuleKind::Renju, Colour::White) => length >= 5,
            (RuleKind::Standard, _) | (RuleKind::Renju, Colour::Black) => length == 5,
            (RuleKind::Caro, _) => length > 5 || length == 5 && !closed,
            (RuleKind::CaroExact, _) => length == 5 && !closed,
        }
    }

    fn fears_fouls(self) -> bool {
        self.rule == RuleKind::Renju && self.colour == Colour::Black
    }

    fn six_is_nothing(self) -> bool {
        !self.wins(6, false)
    }
}

impl Line {
    fn with(&self, place: usize, cell: Seen) -> Self {
        let mut line = *self;
        line.cells[place] = cell;
        line
    }

    fn at(&self, place: usize) -> Seen {
        self.cells.get(place).copied().unwrap_or(Seen::Nothing)
    }

    /// First and last place of the row of own stones through the line's place.
    fn row(&self) -> (usize, usize) {
        let (mut first, mut last) = (MIDDLE, MIDDLE);
        while self.at(first - 1) == Seen::Own {
            first -= 1;
        }
        while self.at(last + 1) == Seen::Own {
            last += 1;
        }
        (first, last)
    }

    fn wins(&self, side: Side) -> bool {
        let (first, last) = self.row();
        let closed = self.at(first - 1) == Seen::Opponent && self.at(last + 1) == Seen::Opponent;
        side.wins(last - first + 1, closed)
    }

    fn empties(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.cells.len()).filter(|&place| self.cells[place] == Seen::Empty)
    }

    /// Places where one more own stone wins by a row through the line's place.
    fn completions(&self, side: Side) -> Vec<usize> {
        self.empties()
            .filter(|&place| self.with(place, Seen::Own).wins(side))
            .collect()
    }

    /// Whether a straight four runs through the place: four in a row that win at either end.
    fn is_straight_four(&self, side: Side) -> bool {
        let (first, last) = self.row();
        let completions = self.completions(side);
        last - first == 3 && completions.contains(&(first - 1)) && completions.contains(&(last + 1))
    }

    /// Whether no single opponent stone takes away every place that wins.
    fn four_cannot_be_stopped(&self, side: Side) -> bool {
        self.empties().all(|place| {
            !self
                .with(place, Seen::Opponent)
                .completions(side)
                .is_empty()
        })
    }

    /// Whether own stones on some five cells in a row through the place would win.
    fn can_become_five(&self, side: Side) -> bool {
        (0..5).any(|before| {
            let Some(first) = MIDDLE.checked_sub(before) else {
                return false;
            };
            let mut filled = *self;
            (first..first + 5).all(|place| {
                let usable = matches!(self.at(place), Seen::Own | Seen::Empty);
                if usable {
                    filled.cells[place] = Seen::Own;
                }
                usable
            }) && filled.wins(side)
        })
    }
}

/// Classifies lines by their definitions, remembering answers.
struct Twin {
    side: Side,
    known: HashMap<Line, Class>,
}

impl Twin {
    /// The class of a line whose place holds an own stone.
    fn class(&mut self, line: &Line) -> Class {
        if let Some(&class) = self.known.get(line) {
            return class;
        }
        let class = self.look(line);
        self.known.insert(*line, class);
        class
    }

    fn look(&mut self, line: &Line) -> Class {
        let side = self.side;
        if line.wins(side) {
            return Class::Five;
        }
        let (first, last) = line.row();
        if last - first >= 5 && side.six_is_nothing() {
            return Class::Overline;
        }
        let completions = line.completions(side);
        if !completions.is_empty() {
            return if side.fears_fouls() {
                // Two places that win are one straight four or else two fours.
                match (line.is_straight_four(side), completions.len()) {
                    (true, _) => Class::OpenFour,
                    (false, 1) => Class::Four,
                    (false, _) => Class::DoubleFour,
                }
            } else if line.four_cannot_be_stopped(side) {
                Class::OpenFour
            } else {
                Class::Four
            };
        }
        if !line.can_become_five(side) {
            return Class::Dead;
        }
        let near: Vec<usize> = line
            .empties()
            .filter(|&place| place.abs_diff(MIDDLE) <= 4)
            .collect();
        let next: Vec<Class> = near
            .into_iter()
            .map(|place| self.class(&line.with(place, Seen::Own)))
            .collect();
        let ways = |test: fn(Class) -> bool| next.iter().filter(|&&class| test(class)).count();
        match ways(|class| class == Class::OpenFour) {
            0 => {}
            1 => return Class::OpenThree,
            _ => return Class::WideOpenThree,
        }
        if ways(Class::is_four) > 0 {
            return Class::SleepingThree;
        }
        match ways(Class::is_three) {
            0 => {}
            1 | 2 => return Class::OpenTwo,
            3 => return Class::WideOpenTwo,
            _ => return Class::FreeOpenTwo,
        }
        if ways(|class| class == Class::SleepingThree) > 0 {
            Class::SleepingTwo
        } else if ways(Class::is_open_two) > 0 {
            Class::OpenOne
        } else {
            Class::SleepingOne
        }
    }
}

/// The line through `point` as `colour` sees it, with its own stone put on `point`.
fn line_through(grid: &Grid, point: Point, direction: Direction, colour: Colour) -> Line {
    let (dx, dy) = direction.step();
    let (x, y) = (i32::from(point.x()), i32::from(point.y()));
    let mut cells = [Seen::Nothing; 2 * REACH + 1];
    for (k, cell) in (-8..=8).zip(&mut cells[1..]) {
        *cell = match grid.at(x + k * dx, y + k * dy) {
            Some(Cell::Empty) if k == 0 => Seen::Own,
            Some(Cell::Empty) => Seen::Empty,
            Some(Cell::Stone(stone)) if stone == colour => Seen::Own,
            Some(Cell::Stone(_)) => Seen::Opponent,
            Some(Cell::Wall) | None => Seen::Nothing,
        };
    }
    Line { cells }
}

#[test]
fn classes_equal_their_definitions() {
    let mut rng = SplitMix64::new(0xC1A55);
    for rule in RuleKind::ALL {
        let mut twins = Colour::ALL.map(|colour| Twin {
            side: Side { rule, colour },
            known: HashMap::new(),
        });
        let mut seen = [0usize; Class::ALL.len()];
        for round in 0..60 {
            let size = common::random_size(&mut rng);
            let stones = 5 + rng.below(55);
            // Up to one colour alone: lines with two fours need six stones and no opponent.
            let black = rng.below(101);
            let walls = if round % 3 == 0 { 6 } else { 0 };
            let grid = common::random_grid(&mut rng, size, stones, black, walls);
            let board = Board::from_grid(&grid, rule, Colour::Black);
            for point in board.empty() {
                for direction in Direction::ALL {
                    for colour in Colour::ALL {
                        let line = line_through(&grid, point, direction, colour);
                        let expected = twins[colour.index()].class(&line);
                        let found = board.key(point, colour).class(direction);
                        assert_eq!(
                            found, expected,
                            "{rule}: {point} {direction:?} for {colour:?} of\n{grid}"
                        );
                        seen[found as usize] += 1;
                    }
                }
            }
        }
        for class in Class::ALL {
            let possible = match class {
                Class::DoubleFour => rule == RuleKind::Renju,
                Class::Overline => !matches!(rule, RuleKind::Freestyle | RuleKind::Caro),
                _ => true,
            };
            assert_eq!(seen[class as usize] > 0, possible, "{rule}: {class:?}");
        }
    }
}

/// `Threat::Five` is said of exactly the points that win, and threats above it or of fours are
/// never said of a point that makes none.
#[test]
fn five_points_equal_the_oracle() {
    let mut rng = SplitMix64::new(0xF1FE);
    for rule in RuleKind::ALL {
        let mut fives = 0;
        for round in 0..400 {
            let size = common::random_size(&mut rng);
            let stones = 30 + rng.below(55);
            let walls = if round % 3 == 0 { 6 } else { 0 };
            let grid = common::random_grid(&mut rng, size, stones, 50, walls);
            let board = Board::from_grid(&grid, rule, Colour::Black);
            for colour in Colour::ALL {
                let found: Vec<Point> = board.points_with(colour, Threat::Five).iter().collect();
                let mut expected = oracle::five_points(rule, &grid, colour);
                expected.sort_unstable();
                assert_eq!(found, expected, "{rule} {colour:?} of\n{grid}");
                fives += found.len();
            }
        }
        assert!(fives > 1_000, "{rule}: {fives}");
    }
}

/// What each threat promises, by playing the stone and asking the oracle: a four leaves a point that
/// wins, a straight or double four leaves one whatever the opponent does on the fours' lines, and
/// everything below a four leaves none.
#[test]
fn threats_keep_their_promises() {
    let mut rng = SplitMix64::new(0x7EA7);
    for rule in RuleKind::ALL {
        let mut kept = [0usize; Threat::COUNT];
        for _ in 0..300 {
            let size = Size::square(8 + u8::try_from(rng.below(4)).expect("small"));
            let stones = 15 + rng.below(40);
            let grid = common::random_grid(&mut rng, size, stones, 50, 0);
            let mut board = Board::from_grid(&grid, rule, Colour::Black);
            for colour in Colour::ALL {
                // A five that is there already would hide what one more stone adds.
                if board.count(colour, Threat::Five) > 0 {
                    continue;
                }
                let empty = *board.empty();
                for point in &empty {
                    let threat = board.threat(point, colour);
                    if threat == Threat::Foul {
                        continue;
                    }
                    kept[threat.index()] += 1;
                    board.place(point, colour);
                    let after = board.to_grid();
                    let wins = oracle::five_points(rule, &after, colour);
                    assert_eq!(
                        threat.is_four_or_more(),
                        !wins.is_empty() || threat == Threat::Five,
                        "{rule} {colour:?} {threat:?} {point} of\n{grid}"
                    );
                    if matches!(threat, Threat::OpenFour | Threat::DoubleFour) {
                        // No reply leaves nothing to win with.
                        let replies = *board.empty();
                        for reply in &replies {
                            let mut answered = after.clone();
                            answered.set(reply, Cell::Stone(!colour));
                            assert!(
                                !oracle::five_points(rule, &answered, colour).is_empty(),
                                "{rule} {colour:?} {threat:?} {point}, reply {reply} of\n{grid}"
                            );
                        }
                    }
                    board.undo();
                }
            }
        }
        assert!(kept[Threat::OpenFour.index()] > 10, "{rule} {kept:?}");
        assert!(kept[Threat::DoubleFour.index()] > 2, "{rule} {kept:?}");
    }
}
