//! Board sizes.

use super::Point;

/// Width and height of a board, each from [`Size::MIN`] to [`Size::MAX`] cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    width: u8,
    height: u8,
}

impl Size {
    /// Smallest supported width and height.
    pub const MIN: u8 = 5;
    /// Largest supported width and height.
    pub const MAX: u8 = 22;

    /// A rectangular board, or `None` when a side is out of range.
    #[must_use]
    pub const fn new(width: u8, height: u8) -> Option<Self> {
        if width < Self::MIN || width > Self::MAX || height < Self::MIN || height > Self::MAX {
            return None;
        }
        Some(Self { width, height })
    }

    /// A square board.
    ///
    /// # Panics
    /// When `side` is out of range; use [`Size::new`] for numbers that strangers send.
    #[must_use]
    pub const fn square(side: u8) -> Self {
        match Self::new(side, side) {
            Some(board) => board,
            None => panic!("board side out of range"),
        }
    }

    /// Number of columns.
    #[must_use]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Number of rows.
    #[must_use]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Number of cells.
    #[must_use]
    pub const fn cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Whether rows and columns are equally many.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The point at column `x`, row `y` (from the top), both from 0; `None` outside the board.
    #[must_use]
    pub fn point(self, x: i64, y: i64) -> Option<Point> {
        let x = u8::try_from(x).ok().filter(|&x| x < self.width)?;
        let y = u8::try_from(y).ok().filter(|&y| y < self.height)?;
        Some(Point::new(x, y))
    }

    /// Whether `point` lies on a board of this size.
    #[must_use]
    pub const fn contains(self, point: Point) -> bool {
        point.x() < self.width && point.y() < self.height
    }

    /// Every point of the board, row by row from the top, left to right.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Point::new(x, y)))
    }

    /// The central point; on even sides the one right of and below the middle, as
    /// `size / 2` gives it.
    #[must_use]
    pub const fn centre(self) -> Point {
        Point::new(self.width / 2, self.height / 2)
    }
}
