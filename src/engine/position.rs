//! The position as a manager describes it: stones in order, dead cells, whose turn it is.
//!
//! It holds no pattern state, so that starting a game costs nothing; [`Position::board`] builds a
//! [`Board`] when someone wants to think. Promises: no two stones share a point, all lie
//! on the board.

use crate::board::{Board, NoObserver};
use crate::clock::Phase;
use crate::rule::RuleKind;
use crate::types::{Cell, Colour, Direction, Grid, Point, PointSet, Size, Symmetry};

/// A position with the order of its stones; see the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    rule: RuleKind,
    grid: Grid,
    /// Oldest first.
    stones: Vec<(Point, Colour)>,
    side: Colour,
}

/// Why a stone cannot be put or taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MoveError {
    /// The point holds a stone or is dead.
    #[error("the point {0} is not empty")]
    Occupied(Point),
    /// The point lies outside the board.
    #[error("the point {0} is outside the board")]
    Outside(Point),
    /// Only the last stone can be taken back.
    #[error("the last stone is not on {0}")]
    NotLast(Point),
}

impl Position {
    /// An empty board, Black to move.
    #[must_use]
    pub fn new(size: Size, rule: RuleKind) -> Self {
        Self {
            rule,
            grid: Grid::new(size),
            stones: Vec::new(),
            side: Colour::Black,
        }
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.grid.size()
    }

    /// The rule.
    #[must_use]
    pub const fn rule(&self) -> RuleKind {
        self.rule
    }

    /// Changes the rule; stones stay.
    pub const fn set_rule(&mut self, rule: RuleKind) {
        self.rule = rule;
    }

    /// The side to move.
    #[must_use]
    pub const fn side(&self) -> Colour {
        self.side
    }

    /// Lets `side` move next.
    pub const fn set_side(&mut self, side: Colour) {
        self.side = side;
    }

    /// The stones, oldest first.
    #[must_use]
    pub fn stones(&self) -> &[(Point, Colour)] {
        &self.stones
    }

    /// The bare picture.
    #[must_use]
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Whether `point` is an empty cell of the board.
    #[must_use]
    pub fn is_empty(&self, point: Point) -> bool {
        self.grid.get(point) == Some(Cell::Empty)
    }

    /// Whether no cell is empty.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.first_empty().is_none()
    }

    /// How far the game has come.
    #[must_use]
    pub(crate) fn phase(&self) -> Phase {
        let count = |points: usize| u32::try_from(points).unwrap_or(u32::MAX);
        Phase {
            stones: count(self.stones.len()),
            empty: count(self.grid.points_of(Cell::Empty).count()),
        }
    }

    /// The symmetries of the board that leave the position as it is.
    #[must_use]
    pub(crate) fn symmetries(&self) -> Vec<Symmetry> {
        let size = self.size();
        let leaves = |symmetry: &Symmetry| {
            size.points()
                .all(|point| self.grid.get(point) == self.grid.get(symmetry.apply(point, size)))
        };
        Symmetry::ALL
            .into_iter()
            .filter(|symmetry| size.is_square() || !symmetry.swaps_sides())
            .filter(leaves)
            .collect()
    }

    /// Points that a symmetry of the position makes equal to another one: of all that are equal, outside `excluded`,
    /// each but the first.
    #[must_use]
    pub(crate) fn mirror_images(&self, excluded: &PointSet) -> PointSet {
        let symmetries = self.symmetries();
        let mut images = PointSet::EMPTY;
        for point in self.grid.points_of(Cell::Empty) {
            if !excluded.contains(point) && !images.contains(point) {
                let equal = symmetries
                    .iter()
                    .map(|symmetry| symmetry.apply(point, self.size()));
                for image in equal.filter(|&image| image != point) {
                    images.insert(image);
                }
            }
        }
        images
    }

    /// The first empty point, row by row.
    #[must_use]
    pub(crate) fn first_empty(&self) -> Option<Point> {
        self.grid.points_of(Cell::Empty).next()
    }

    /// Puts a stone of `colour` or, for `None`, a dead cell on `point`. The side to move stays.
    ///
    /// # Errors
    /// When `point` is not an empty cell of the board.
    pub fn place(&mut self, point: Point, colour: Option<Colour>) -> Result<(), MoveError> {
        match self.grid.get(point) {
            None => Err(MoveError::Outside(point)),
            Some(Cell::Empty) => {
                self.grid.set(point, colour.map_or(Cell::Wall, Cell::Stone));
                if let Some(colour) = colour {
                    self.stones.push((point, colour));
                }
                Ok(())
            }
            Some(_) => Err(MoveError::Occupied(point)),
        }
    }

    /// The side to move plays on `point`. Forbidden points are not refused: managers score them.
    ///
    /// # Errors
    /// When `point` is not an empty cell of the board.
    pub fn play(&mut self, point: Point) -> Result<(), MoveError> {
        self.place(point, Some(self.side))?;
        self.side = !self.side;
        Ok(())
    }

    /// Takes back the last stone, which must lie on `point`; its owner is to move again.
    ///
    /// # Errors
    /// When another stone is the last, or there is none.
    pub fn take_back(&mut self, point: Point) -> Result<(), MoveError> {
        match self.stones.last() {
            Some(&(last, colour)) if last == point => {
                self.stones.pop();
                self.grid.set(point, Cell::Empty);
                self.side = colour;
                Ok(())
            }
            _ => Err(MoveError::NotLast(point)),
        }
    }

    /// Whether this position can have come from `earlier` by more stones.
    #[must_use]
    pub(crate) fn continues(&self, earlier: &Self) -> bool {
        self.rule == earlier.rule
            && self.size() == earlier.size()
            && !earlier.stones.is_empty()
            && self.stones.len() > earlier.stones.len()
            && self
                .size()
                .points()
                .all(|point| match earlier.grid.get(point) {
                    Some(Cell::Empty) => self.grid.get(point) != Some(Cell::Wall),
                    cell => self.grid.get(point) == cell,
                })
    }

    /// The side that has a winning line on the board, if any; Black when both have.
    #[must_use]
    pub fn winner(&self) -> Option<Colour> {
        Colour::ALL.into_iter().find(|&colour| {
            self.stones
                .iter()
                .any(|&(point, owner)| owner == colour && self.starts_winning_line(point, colour))
        })
    }

    /// Whether a winning line of `colour` begins at `point`: nothing is counted backwards.
    fn starts_winning_line(&self, point: Point, colour: Colour) -> bool {
        let at = |direction: Direction, steps: i32| {
            let (dx, dy) = direction.step();
            self.grid.at(
                i32::from(point.x()) + dx * steps,
                i32::from(point.y()) + dy * steps,
            )
        };
        let own = Some(Cell::Stone(colour));
        let closed = Some(Cell::Stone(!colour));
        Direction::ALL.into_iter().any(|direction| {
            if at(direction, -1) == own {
                return false;
            }
            let length = 1
                + (1..=5)
                    .take_while(|&steps| at(direction, steps) == own)
                    .count();
            match length {
                ..5 => false,
                5 => {
                    !(self.rule.closed_five_is_nothing()
                        && at(direction, -1) == closed
                        && at(direction, 5) == closed)
                }
                6.. => !self.rule.exact_five(colour),
            }
        })
    }

    /// The board with all pattern state, as the search wants it. The first board of a rule
    /// builds the rule's tables (a few milliseconds).
    #[must_use]
    pub fn board(&self) -> Board {
        let mut board = Board::new(self.size(), self.rule);
        for wall in self.grid.points_of(Cell::Wall) {
            board.add_wall(wall);
        }
        for &(point, colour) in &self.stones {
            board.set_side(colour);
            board.play(point, &mut NoObserver);
        }
        board.set_side(self.side);
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: u8, y: u8) -> Point {
        Point::new(x, y)
    }

    /// Row 7 of an empty board, from its left edge: `X` Black, `O` White, `#` dead.
    fn row(rule: RuleKind, text: &str) -> Position {
        let mut position = Position::new(Size::square(15), rule);
        for (x, c) in (0..).zip(text.chars()) {
            let cell = match c {
                'X' => Some(Colour::Black),
                'O' => Some(Colour::White),
                '#' => None,
                _ => continue,
            };
            position.place(point(x, 7), cell).unwrap();
        }
        position
    }

    #[test]
    fn winning_lines_follow_the_rule() {
        use RuleKind::{Caro, CaroExact, Freestyle, Renju, Standard};
        let cases = [
            (".XXXXX.", [true; 5]),
            (".OOOOO.", [true; 5]),
            (".XXXX.X", [false; 5]),
            (".OXXXXXO", [true, true, true, false, false]),
            ("XXXXXO", [true; 5]),
            ("#XXXXXO", [true; 5]),
            (".XXXXXX.", [true, false, false, true, false]),
            (".OOOOOO.", [true, false, true, true, false]),
            ("OXXXXXXO", [true, false, false, true, false]),
        ];
        for (text, expected) in cases {
            for (rule, wins) in [Freestyle, Standard, Renju, Caro, CaroExact]
                .into_iter()
                .zip(expected)
            {
                assert_eq!(row(rule, text).winner().is_some(), wins, "{text} {rule}");
            }
        }
    }

    #[test]
    fn stones_come_off_in_reverse_order() {
        let mut position = Position::new(Size::square(15), RuleKind::Freestyle);
        position.play(point(7, 7)).unwrap();
        position.play(point(8, 8)).unwrap();
        assert_eq!(
            position.play(point(8, 8)),
            Err(MoveError::Occupied(point(8, 8)))
        );
        assert_eq!(
            position.play(point(15, 0)),
            Err(MoveError::Outside(point(15, 0)))
        );
        assert_eq!(
            position.take_back(point(7, 7)),
            Err(MoveError::NotLast(point(7, 7)))
        );
        position.take_back(point(8, 8)).unwrap();
        assert_eq!(position.side(), Colour::White);
        position.take_back(point(7, 7)).unwrap();
        assert_eq!(
            position,
            Position::new(Size::square(15), RuleKind::Freestyle)
        );
        assert_eq!(
            position.take_back(point(7, 7)),
            Err(MoveError::NotLast(point(7, 7)))
        );
    }

    #[test]
    fn of_mirror_images_the_first_remains() {
        let count = |position: &Position, excluded: &PointSet| {
            let images = position.mirror_images(excluded);
            assert!(images.iter().all(|point| position.is_empty(point)));
            position.size().cells() - position.stones().len() - images.len()
        };
        let none = PointSet::EMPTY;
        // An eighth of the board and its edges; the stone on the centre takes one away.
        let mut position = Position::new(Size::square(15), RuleKind::Freestyle);
        assert_eq!(count(&position, &none), 36);
        position.play(point(7, 7)).unwrap();
        assert_eq!(count(&position, &none), 35);
        // One axis, on which 13 empty points lie.
        position.play(point(7, 6)).unwrap();
        assert_eq!(count(&position, &none), 13 + (223 - 13) / 2);
        let images = position.mirror_images(&[point(0, 0)].into_iter().collect());
        assert!(!images.contains(point(14, 0)) && images.contains(point(14, 1)));
        position.play(point(0, 1)).unwrap();
        assert!(position.mirror_images(&none).is_empty());
        // A rectangle has no diagonals.
        let rectangle = Position::new(Size::new(15, 13).unwrap(), RuleKind::Freestyle);
        assert_eq!(count(&rectangle, &none), 8 * 7);
    }

    #[test]
    fn a_later_position_continues_an_earlier_one() {
        let empty = Position::new(Size::square(15), RuleKind::Freestyle);
        let mut one = empty.clone();
        one.play(point(7, 7)).unwrap();
        let mut two = one.clone();
        two.play(point(8, 8)).unwrap();
        assert!(two.continues(&one));
        assert!(!one.continues(&two) && !one.continues(&one) && !one.continues(&empty));
        two.set_rule(RuleKind::Renju);
        assert!(!two.continues(&one));
    }

    #[test]
    fn boards_have_the_same_stones_and_side() {
        let mut position = row(RuleKind::Caro, "XX#O.O");
        position.set_side(Colour::White);
        let board = position.board();
        board.validate();
        assert_eq!(board.to_grid(), *position.grid());
        assert_eq!(board.side(), Colour::White);
    }
}
