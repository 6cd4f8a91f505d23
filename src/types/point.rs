//! Points of the board on a padded 32 x 32 grid.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "grid indices are below GRID = 1024 and coordinates below STRIDE = 32"
)]

use std::fmt;
use std::num::NonZeroU16;

use super::{Direction, Size};

/// Cells of padding on each side of the largest board: a window of five cells each
/// side of any point stays on the grid.
pub const PAD: u8 = 5;
/// Grid indices from one row to the next.
pub const STRIDE: usize = 32;
/// Number of grid cells; the length of every array that a point's index addresses.
pub const GRID: usize = STRIDE * STRIDE;

/// A point of some board: column `x` from the left, row `y` from the top, both from 0.
///
/// Stored as the index `(y + PAD) * STRIDE + x + PAD`, which is never 0, so that
/// `Option<Point>` takes two bytes and neighbours are found by adding a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(NonZeroU16);

const _: () = assert!(size_of::<Option<Point>>() == 2);

impl Point {
    /// The point at column `x`, row `y`.
    ///
    /// # Panics
    /// When a coordinate is [`Size::MAX`] or more.
    #[must_use]
    pub const fn new(x: u8, y: u8) -> Self {
        assert!(x < Size::MAX && y < Size::MAX, "coordinate out of range");
        let index = (y + PAD) as u16 * STRIDE as u16 + (x + PAD) as u16;
        match NonZeroU16::new(index) {
            Some(index) => Self(index),
            None => unreachable!(),
        }
    }

    /// The point with a given grid index, as [`Point::index`] returned it. Indices of
    /// the padding give points that no board contains.
    ///
    /// # Panics
    /// When `index` is 0 or not below [`GRID`].
    #[must_use]
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < GRID, "grid index out of range");
        match NonZeroU16::new(index as u16) {
            Some(index) => Self(index),
            None => panic!("grid index 0 is no point"),
        }
    }

    /// The grid index, below [`GRID`].
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0.get() as usize & (GRID - 1)
    }

    /// Column from the left, from 0.
    #[must_use]
    pub const fn x(self) -> u8 {
        (self.0.get() as u8 & 31).wrapping_sub(PAD)
    }

    /// Row from the top, from 0.
    #[must_use]
    pub const fn y(self) -> u8 {
        ((self.0.get() >> 5) as u8).wrapping_sub(PAD)
    }

    /// The point `steps` further along `direction`. At most [`PAD`] steps from a point of
    /// a board; the result may lie in the padding.
    #[must_use]
    #[inline]
    pub const fn offset(self, direction: Direction, steps: isize) -> Self {
        let index = self.0.get() as isize + direction.delta() * steps;
        match NonZeroU16::new(index as u16 & (GRID as u16 - 1)) {
            Some(index) => Self(index),
            // The outermost corner of the padding has no number; its neighbour is as good.
            None => Self(NonZeroU16::MIN),
        }
    }

    /// The larger of the column and row distances to `other`.
    #[must_use]
    pub fn distance(self, other: Self) -> u8 {
        self.x()
            .abs_diff(other.x())
            .max(self.y().abs_diff(other.y()))
    }

    /// The point written as people do on a board of `size`: column letter (none skipped)
    /// and row number counted from the bottom, as in `H8`.
    #[must_use]
    pub const fn letters(self, size: Size) -> Letters {
        Letters { point: self, size }
    }

    /// Reads a point as [`Point::letters`] writes it, in either case.
    ///
    /// # Errors
    /// When `text` is not a letter and a number, or names a point outside the board.
    pub fn parse(text: &str, size: Size) -> Result<Self, ParsePointError> {
        let error = || ParsePointError(text.chars().take(16).collect());
        let mut chars = text.chars();
        let letter = chars
            .next()
            .filter(char::is_ascii_alphabetic)
            .ok_or_else(error)?;
        let digits = chars.as_str();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error());
        }
        let number: i64 = digits.parse().map_err(|_| error())?;
        let x = i64::from(letter.to_ascii_lowercase() as u8 - b'a');
        size.point(x, i64::from(size.height()) - number)
            .ok_or_else(error)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.x(), self.y())
    }
}

/// Protocol notation: `x,y`.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x(), self.y())
    }
}

/// A point in letter notation; see [`Point::letters`].
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    point: Point,
    size: Size,
}

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'A' + self.point.x());
        write!(f, "{column}{}", self.size.height() - self.point.y())
    }
}

/// A text that names no point of the board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a point such as H8, found {0:?}")]
pub struct ParsePointError(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_survive_the_index() {
        let size = Size::square(22);
        for point in size.points() {
            assert_eq!(Point::from_index(point.index()), point);
            assert_eq!(Point::new(point.x(), point.y()), point);
            assert_eq!(
                Point::parse(&point.letters(size).to_string(), size),
                Ok(point)
            );
        }
    }

    #[test]
    fn offsets_follow_lines_into_the_padding() {
        let size = Size::square(Size::MAX);
        for point in size.points() {
            for direction in Direction::ALL {
                let (dx, dy) = direction.step();
                for steps in -5..=5 {
                    let x = i64::from(point.x()) + i64::from(dx) * i64::from(steps);
                    let y = i64::from(point.y()) + i64::from(dy) * i64::from(steps);
                    let reached = point.offset(direction, steps as isize);
                    let expected = size.point(x, y);
                    assert_eq!(size.contains(reached).then_some(reached), expected);
                }
            }
        }
    }

    #[test]
    fn letters_count_rows_from_the_bottom() {
        let size = Size::square(15);
        assert_eq!(Point::parse("h8", size), Ok(Point::new(7, 7)));
        assert_eq!(Point::parse("A1", size), Ok(Point::new(0, 14)));
        assert_eq!(Point::new(14, 0).letters(size).to_string(), "O15");
        for bad in [
            "",
            "8",
            "H",
            "H0",
            "H16",
            "P1",
            "é8",
            "H8x",
            "H99999999999999999999",
        ] {
            assert!(Point::parse(bad, size).is_err(), "{bad}");
        }
    }
}
