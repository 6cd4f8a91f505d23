//! A position with the moves that led to it.

use crate::board::{Board, NoObserver};
use crate::rule::RuleKind;
use crate::types::{Cell, Colour, Grid, Point, Size};

/// A board that was set up, and the moves played on it since.
///
/// Every move lies on an empty cell of the board; moves alternate in colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    start: Grid,
    first: Colour,
    moves: Vec<Point>,
    rule: Option<RuleKind>,
}

impl Position {
    /// The position after `moves` on an empty board of `size`, Black first.
    ///
    /// # Errors
    /// When a move is not on an empty cell of the board.
    pub fn from_moves(size: Size, moves: Vec<Point>) -> Result<Self, PositionError> {
        Self::new(Grid::new(size), Colour::Black, moves)
    }

    /// The position after `moves` on the board `start`, the first of them made by `first`.
    ///
    /// # Errors
    /// When a move is not on an empty cell of the board.
    pub fn new(start: Grid, first: Colour, moves: Vec<Point>) -> Result<Self, PositionError> {
        let mut grid = start.clone();
        let mut colour = first;
        for (i, &point) in moves.iter().enumerate() {
            match grid.get(point) {
                Some(Cell::Empty) => grid.set(point, Cell::Stone(colour)),
                Some(_) => {
                    return Err(PositionError::Taken {
                        number: i + 1,
                        point: point.letters(start.size()).to_string(),
                    });
                }
                None => return Err(PositionError::Outside { number: i + 1 }),
            }
            colour = !colour;
        }
        Ok(Self {
            start,
            first,
            moves,
            rule: None,
        })
    }

    /// The same position with the rule that its text names.
    #[must_use]
    pub fn with_rule(mut self, rule: Option<RuleKind>) -> Self {
        self.rule = rule;
        self
    }

    /// The rule, if the text names one.
    #[must_use]
    pub const fn rule(&self) -> Option<RuleKind> {
        self.rule
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.start.size()
    }

    /// The stones that lay on the board before the first of [`moves`](Self::moves).
    #[must_use]
    pub const fn start(&self) -> &Grid {
        &self.start
    }

    /// The side that makes the first of [`moves`](Self::moves).
    #[must_use]
    pub const fn first(&self) -> Colour {
        self.first
    }

    /// The moves played since, oldest first.
    #[must_use]
    pub fn moves(&self) -> &[Point] {
        &self.moves
    }

    /// The side to move after all moves.
    #[must_use]
    pub const fn side(&self) -> Colour {
        if self.moves.len().is_multiple_of(2) {
            self.first
        } else {
            self.first.opponent()
        }
    }

    /// The board after all moves, which can be undone. `default` is the rule where the text names none.
    #[must_use]
    pub fn board(&self, default: RuleKind) -> Board {
        self.board_after(self.moves.len(), default)
    }

    /// The board after the first `count` moves (all of them if there are fewer), as [`board`](Self::board)
    /// makes it.
    #[must_use]
    pub fn board_after(&self, count: usize, default: RuleKind) -> Board {
        let mut board = Board::from_grid(&self.start, self.rule.unwrap_or(default), self.first);
        for &point in self.moves.iter().take(count) {
            board.play(point, &mut NoObserver);
        }
        board
    }
}

/// Moves that cannot be played one after the other.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PositionError {
    /// A move on a cell that is not empty.
    #[error("move {number}: {point} is already taken")]
    Taken {
        /// Which move, from 1.
        number: usize,
        /// The point in letter notation.
        point: String,
    },
    /// A move outside the board.
    #[error("move {number}: outside the board")]
    Outside {
        /// Which move, from 1.
        number: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::parse_moves;

    const SIZE: Size = Size::square(15);

    #[test]
    fn colours_alternate_from_the_first() {
        let moves = parse_moves("h8i9g7", SIZE).expect("valid");
        let position = Position::from_moves(SIZE, moves).expect("distinct");
        let board = position.board(RuleKind::Renju);
        assert_eq!(
            (position.side(), board.side()),
            (Colour::White, Colour::White)
        );
        assert_eq!(board.rule(), RuleKind::Renju);
        assert_eq!(board.ply(), 3);
        assert!(board.is_stone(Point::new(7, 7), Colour::Black));
        assert!(board.is_stone(Point::new(8, 6), Colour::White));
        assert!(board.is_stone(Point::new(6, 8), Colour::Black));
        let named = position.with_rule(Some(RuleKind::Caro));
        assert_eq!(named.board(RuleKind::Renju).rule(), RuleKind::Caro);
    }

    #[test]
    fn moves_go_on_from_a_board_that_was_set_up() {
        let mut start = Grid::new(SIZE);
        start.set(Point::new(0, 0), Cell::Stone(Colour::Black));
        let next = Point::new(1, 0);
        let position =
            Position::new(start.clone(), Colour::White, vec![next]).expect("an empty cell");
        let board = position.board(RuleKind::Freestyle);
        assert!(board.is_stone(next, Colour::White));
        assert_eq!(board.side(), Colour::Black);
        assert_eq!(
            Position::new(start, Colour::White, vec![next, Point::new(0, 0)]),
            Err(PositionError::Taken {
                number: 2,
                point: "A15".into()
            })
        );
    }

    #[test]
    fn a_point_off_the_board_is_an_error() {
        assert_eq!(
            Position::from_moves(SIZE, vec![Point::new(15, 3)]),
            Err(PositionError::Outside { number: 1 })
        );
    }
}
