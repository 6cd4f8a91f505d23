//! Move lists in letter notation.

use std::fmt;

use crate::types::{ParsePointError, Point, Size};

/// Reads points in letter notation (`H8`: column letter, row number from the bottom), in either
/// case, one after the other or with spaces, commas or semicolons between them. An empty text
/// is an empty list.
///
/// The list is not checked for repeated points; [`Position::from_moves`](super::Position::from_moves)
/// does that.
///
/// # Errors
/// When a piece of the text is no point of a board of `size`.
pub fn parse_moves(text: &str, size: Size) -> Result<Vec<Point>, ParseMovesError> {
    let mut moves = Vec::new();
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let piece = &rest[..piece_length(rest)];
        let point = Point::parse(piece, size).map_err(|source| ParseMovesError {
            number: moves.len() + 1,
            source,
        })?;
        moves.push(point);
        rest = rest[piece.len()..].trim_start_matches(is_separator);
    }
    Ok(moves)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}

/// Bytes up to the end of the first point: up to a separator, or to a character that is no digit
/// and follows a digit.
fn piece_length(text: &str) -> usize {
    let mut after_digit = false;
    for (at, c) in text.char_indices() {
        if is_separator(c) || after_digit && !c.is_ascii_digit() {
            return at;
        }
        after_digit = c.is_ascii_digit();
    }
    text.len()
}

/// Writes moves as [`parse_moves`] reads them, in lower case without separators: `h8i9g7`.
#[derive(Clone, Copy, Debug)]
pub struct MoveList<'a> {
    /// The moves.
    pub moves: &'a [Point],
    /// The board they belong to; rows are counted from its bottom.
    pub size: Size,
}

impl fmt::Display for MoveList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in self.moves {
            let letters = point.letters(self.size).to_string();
            f.write_str(&letters.to_ascii_lowercase())?;
        }
        Ok(())
    }
}

/// A piece of a move list that names no point of the board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number}: {source}")]
pub struct ParseMovesError {
    /// Which move of the list, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub source: ParsePointError,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: Size = Size::square(15);

    #[test]
    fn separators_and_case_make_no_difference() {
        let expected = [(7, 7), (8, 6), (6, 14)].map(|(x, y)| Point::new(x, y));
        for text in [
            "h8i9g1",
            "H8I9G1",
            "H8 I9 G1",
            "h8, i9, g1",
            " h8;i9\tg1 ",
            ",h8,,i9,g1,",
        ] {
            assert_eq!(
                parse_moves(text, SIZE).as_deref(),
                Ok(&expected[..]),
                "{text}"
            );
        }
        assert_eq!(parse_moves("  ", SIZE), Ok(vec![]));
    }

    #[test]
    fn errors_name_the_move() {
        for (text, number) in [
            ("h8i9p1", 3),
            ("h8i99", 2),
            ("h8 9", 2),
            ("h", 1),
            ("h8-i9", 2),
            ("h8é9", 2),
            ("hh8", 1),
            ("8h", 1),
        ] {
            assert_eq!(
                parse_moves(text, SIZE).map_err(|error| error.number),
                Err(number),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            side in Size::MIN..=Size::MAX,
            cells in prop::collection::vec((0..Size::MAX, 0..Size::MAX), 0..40),
        ) {
            let size = Size::square(side);
            let moves: Vec<Point> = cells
                .into_iter()
                .map(|(x, y)| Point::new(x % side, y % side))
                .collect();
            let text = MoveList { moves: &moves, size }.to_string();
            prop_assert_eq!(parse_moves(&text, size), Ok(moves));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = parse_moves(&text, SIZE);
        }
    }
}
