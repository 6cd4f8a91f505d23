//! Opening files: one opening per line, as offsets from the centre.
//!
//! A line is `dx,dy, dx,dy, …`: columns to the right and rows down from column `width / 2`, row
//! `height / 2`, Black first. Commas and spaces both separate, as in c-gomoku-cli
//! (`-openings type=offset`) and in the opening lists of Piskvork and Gomocup.
//!
//! Lines that begin with `#` are comments: the files in `openings/` say on their first line
//! where they come from and how balanced they are. c-gomoku-cli has no comments and stops at
//! such a line, so take it off first: `tail -n +2 openings/renju-15.txt > openings.txt`.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use super::{AtLine, Position, PositionError};
use crate::types::{Point, Size};

/// Reads the opening file at `path` for a board of `size`, as [`parse`] does.
///
/// # Errors
/// When the file cannot be read or a line is no opening.
pub fn load(path: &Path, size: Size) -> Result<Vec<Position>, LoadError> {
    Ok(parse(&fs::read_to_string(path)?, size)?)
}

/// Reads openings for a board of `size`, one per line. Empty lines and lines that begin with `#`
/// are skipped. No rule is set: the text names none.
///
/// # Errors
/// At the first line that is no opening: see [`ParseOpeningError`].
pub fn parse(text: &str, size: Size) -> Result<Vec<Position>, AtLine<ParseOpeningError>> {
    text.lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(i, line)| {
            parse_line(line, size).map_err(|reason| AtLine {
                line: i + 1,
                reason,
            })
        })
        .collect()
}

/// Reads one opening; an empty line is the empty board.
///
/// # Errors
/// See [`ParseOpeningError`].
pub fn parse_line(line: &str, size: Size) -> Result<Position, ParseOpeningError> {
    let offsets: Vec<i64> = line
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            piece
                .parse()
                .map_err(|_| ParseOpeningError::NoNumber(piece.chars().take(16).collect()))
        })
        .collect::<Result<_, _>>()?;
    let (pairs, rest) = offsets.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(ParseOpeningError::Odd(offsets.len()));
    }
    let centre = size.centre();
    let moves = pairs
        .iter()
        .map(|&[dx, dy]| {
            let x = dx.checked_add(centre.x().into());
            let y = dy.checked_add(centre.y().into());
            x.zip(y)
                .and_then(|(x, y)| size.point(x, y))
                .ok_or(ParseOpeningError::Outside { dx, dy, size })
        })
        .collect::<Result<Vec<Point>, _>>()?;
    Ok(Position::from_moves(size, moves)?)
}

/// Writes moves as [`parse_line`] reads them: `0,0, 1,-2`.
#[derive(Clone, Copy, Debug)]
pub struct Offsets<'a> {
    /// The moves, Black first.
    pub moves: &'a [Point],
    /// The board they belong to.
    pub size: Size,
}

impl fmt::Display for Offsets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let centre = self.size.centre();
        for (i, point) in self.moves.iter().enumerate() {
            let dx = i16::from(point.x()) - i16::from(centre.x());
            let dy = i16::from(point.y()) - i16::from(centre.y());
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{dx},{dy}")?;
        }
        Ok(())
    }
}

/// Why an opening file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is no opening.
    #[error(transparent)]
    Line(#[from] AtLine<ParseOpeningError>),
}

/// Why a line is no opening.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseOpeningError {
    /// Something that is no whole number.
    #[error("expected a whole number, found {0:?}")]
    NoNumber(String),
    /// The last offset has no partner.
    #[error("expected pairs of offsets, found {0} numbers")]
    Odd(usize),
    /// A stone off the board.
    #[error("{dx},{dy} lies outside a board of {} x {} cells", size.width(), size.height())]
    Outside {
        /// Columns from the centre.
        dx: i64,
        /// Rows from the centre.
        dy: i64,
        /// The board.
        size: Size,
    },
    /// Two stones on one cell.
    #[error(transparent)]
    Position(#[from] PositionError),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn offsets_count_from_the_centre() {
        let text = "# where from\n0,0, 1,-2\n\n-7,7 7 -7\r\n";
        let openings = parse(text, Size::square(15)).expect("valid");
        assert_eq!(openings.len(), 2);
        assert_eq!(openings[0].moves(), [Point::new(7, 7), Point::new(8, 5)]);
        assert_eq!(openings[1].moves(), [Point::new(0, 14), Point::new(14, 0)]);
        let even = parse_line("-10,9", Size::square(20)).expect("valid");
        assert_eq!(even.moves(), [Point::new(0, 19)]);
    }

    #[test]
    fn errors_name_line_and_reason() {
        for (line, reason) in [
            ("0,0, 1,x", "expected a whole number, found \"x\""),
            ("0,0, 1", "expected pairs of offsets, found 3 numbers"),
            ("8,0", "8,0 lies outside a board of 15 x 15 cells"),
            ("0,-8", "0,-8 lies outside a board of 15 x 15 cells"),
            (
                "9223372036854775807,0",
                "9223372036854775807,0 lies outside",
            ),
            ("0,0, 1,1, 0,0", "move 3: H8 is already taken"),
        ] {
            let error = parse(&format!("0,0\n{line}"), Size::square(15)).expect_err(line);
            assert_eq!(error.line, 2, "{line}");
            let text = error.to_string();
            assert!(text.starts_with(&format!("line 2: {reason}")), "{text}");
        }
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let error = load(Path::new("openings/none.txt"), Size::square(15));
        assert!(matches!(error, Err(LoadError::Io(_))));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            side in Size::MIN..=Size::MAX,
            cells in prop::collection::btree_set((0..Size::MAX, 0..Size::MAX), 0..40),
        ) {
            let size = Size::square(side);
            let moves: Vec<Point> = cells
                .into_iter()
                .filter(|&(x, y)| x < side && y < side)
                .map(|(x, y)| Point::new(x, y))
                .collect();
            let text = Offsets { moves: &moves, size }.to_string();
            let read = parse_line(&text, size);
            prop_assert_eq!(read.as_ref().map(Position::moves), Ok(moves.as_slice()));
        }
    }
}
