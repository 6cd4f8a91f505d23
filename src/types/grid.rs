//! Bare stones on a board: the plain picture that slow, obvious code works on.

use std::fmt;

use super::{Colour, Point, Size, Symmetry};

/// What lies on one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A stone.
    Stone(Colour),
    /// A dead stone of a continuous game: it belongs to neither side.
    Wall,
}

/// A board of cells without any derived state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grid {
    size: Size,
    cells: Vec<Cell>,
}

impl Grid {
    /// An empty board.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self {
            size,
            cells: vec![Cell::Empty; size.cells()],
        }
    }

    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// What lies on `point`; `None` outside the board.
    #[must_use]
    pub fn get(&self, point: Point) -> Option<Cell> {
        self.size
            .contains(point)
            .then(|| self.cells[self.index(point)])
    }

    /// What lies at column `x`, row `y`; `None` outside the board.
    #[must_use]
    pub fn at(&self, x: i32, y: i32) -> Option<Cell> {
        self.size
            .point(x.into(), y.into())
            .and_then(|point| self.get(point))
    }

    /// Puts `cell` on `point`.
    ///
    /// # Panics
    /// When `point` lies outside the board.
    pub fn set(&mut self, point: Point, cell: Cell) {
        assert!(self.size.contains(point), "point outside the board");
        let index = self.index(point);
        self.cells[index] = cell;
    }

    /// The points that hold `cell`, in index order.
    pub fn points_of(&self, cell: Cell) -> impl Iterator<Item = Point> + '_ {
        self.size
            .points()
            .filter(move |&point| self.get(point) == Some(cell))
    }

    /// The image of the board under `symmetry`.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        let mut image = Self::new(symmetry.size(self.size));
        for point in self.size.points() {
            image.set(
                symmetry.apply(point, self.size),
                self.cells[self.index(point)],
            );
        }
        image
    }

    /// The board with the colours of all stones exchanged.
    #[must_use]
    pub fn colours_swapped(&self) -> Self {
        let mut image = self.clone();
        for cell in &mut image.cells {
            if let Cell::Stone(colour) = cell {
                *colour = colour.opponent();
            }
        }
        image
    }

    /// Reads rows from top to bottom: `X` Black, `O` White, `#` wall, `.` empty.
    ///
    /// # Errors
    /// When the rows differ in length, are too few or too many, or hold another character.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a str>) -> Result<Self, ParseGridError> {
        let rows: Vec<&str> = rows.into_iter().collect();
        let width = rows.first().map_or(0, |row| row.chars().count());
        let size = u8::try_from(width)
            .ok()
            .zip(u8::try_from(rows.len()).ok())
            .and_then(|(width, height)| Size::new(width, height))
            .ok_or(ParseGridError::Size {
                width,
                height: rows.len(),
            })?;
        let mut grid = Self::new(size);
        for (y, row) in (0..size.height()).zip(&rows) {
            if row.chars().count() != width {
                return Err(ParseGridError::Row {
                    row: y,
                    expected: width,
                });
            }
            for (x, c) in (0..size.width()).zip(row.chars()) {
                let cell = match c {
                    '.' => Cell::Empty,
                    'X' | 'x' => Cell::Stone(Colour::Black),
                    'O' | 'o' => Cell::Stone(Colour::White),
                    '#' => Cell::Wall,
                    found => return Err(ParseGridError::Cell { row: y, found }),
                };
                grid.set(Point::new(x, y), cell);
            }
        }
        Ok(grid)
    }

    fn index(&self, point: Point) -> usize {
        usize::from(point.y()) * usize::from(self.size.width()) + usize::from(point.x())
    }
}

/// Rows from top to bottom, as [`Grid::from_rows`] reads them.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.chunks(usize::from(self.size.width())) {
            let text: String = row
                .iter()
                .map(|cell| match cell {
                    Cell::Empty => '.',
                    Cell::Stone(Colour::Black) => 'X',
                    Cell::Stone(Colour::White) => 'O',
                    Cell::Wall => '#',
                })
                .collect();
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// Why a drawn board could not be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseGridError {
    /// No supported board has this shape.
    #[error("a board of {width} x {height} cells is not supported")]
    Size {
        /// Characters in the first row.
        width: usize,
        /// Number of rows.
        height: usize,
    },
    /// A row has another length than the first.
    #[error("row {row} from the top has not {expected} cells")]
    Row {
        /// Row from the top, from 0.
        row: u8,
        /// Length of the first row.
        expected: usize,
    },
    /// A character that stands for nothing.
    #[error("row {row} from the top holds {found:?}, expected one of X O # .")]
    Cell {
        /// Row from the top, from 0.
        row: u8,
        /// The character.
        found: char,
    },
}
