//! Positions as JSON objects, one per line.

use serde_json::Value;

use super::{ParseMovesError, Position, PositionError, parse_moves};
use crate::rule::RuleKind;
use crate::types::{Cell, Colour, Grid, ParseGridError, Size};

/// A position of a file, with the name that the file gives it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The value of `id`, whatever its type.
    pub id: Option<Value>,
    /// The position.
    pub position: Position,
}

impl Entry {
    /// Reads an object with these keys; others are ignored.
    ///
    /// * `board`: rows from top to bottom, `X` Black, `O` White, `#` wall, `.` empty, as a list
    ///   of strings or joined in one string.
    /// * `size`: side of a square board. Needed for moves on a board other than `default_size`;
    ///   with a `board` it must agree with it.
    /// * `moves`: a move list as one string (`"h8i9"`) or a list (`["H8", "I9"]`), played on
    ///   `board`, or on an empty board if there is none. One of the two keys must be there.
    /// * `side`: `"black"` or `"white"`, the side to move in the end. Without it, Black makes
    ///   the first move if `board` holds as many black as white stones, otherwise White.
    /// * `rule`: name (`"renju"`) or number (`4`).
    /// * `id`: kept as it is.
    ///
    /// # Errors
    /// When the text is no JSON object, a key has another form, or a move cannot be played.
    pub fn from_json(text: &str, default_size: Size) -> Result<Self, ParseJsonError> {
        let value: Value = serde_json::from_str(text)?;
        let Value::Object(object) = value else {
            return Err(ParseJsonError::NoObject);
        };
        let size = object.get("size").map(parse_size).transpose()?;
        let board = object
            .get("board")
            .map(|value| parse_board(value, size))
            .transpose()?;
        if board.is_none() && !object.contains_key("moves") {
            return Err(ParseJsonError::Missing);
        }
        let start = board.unwrap_or_else(|| Grid::new(size.unwrap_or(default_size)));
        let moves = match object.get("moves") {
            None => Vec::new(),
            Some(value) => parse_moves(&moves_text(value)?, start.size())?,
        };
        let first = match object.get("side").map(parse_side).transpose()? {
            Some(to_move) if moves.len().is_multiple_of(2) => to_move,
            Some(to_move) => !to_move,
            None => side_by_count(&start),
        };
        let rule = object.get("rule").map(parse_rule).transpose()?;
        Ok(Self {
            id: object.get("id").cloned(),
            position: Position::new(start, first, moves)?.with_rule(rule),
        })
    }
}

fn wrong(key: &'static str, expected: &'static str, value: &Value) -> ParseJsonError {
    let found: String = value.to_string().chars().take(40).collect();
    ParseJsonError::Value {
        key,
        expected,
        found,
    }
}

fn parse_size(value: &Value) -> Result<Size, ParseJsonError> {
    value
        .as_u64()
        .and_then(|side| u8::try_from(side).ok())
        .and_then(|side| Size::new(side, side))
        .ok_or_else(|| wrong("size", "a number from 5 to 22", value))
}

fn parse_board(value: &Value, size: Option<Size>) -> Result<Grid, ParseJsonError> {
    let error = || wrong("board", "rows of X, O, # and .", value);
    let grid = match value {
        Value::Array(rows) => {
            let rows: Option<Vec<&str>> = rows.iter().map(Value::as_str).collect();
            Grid::from_rows(rows.ok_or_else(error)?)?
        }
        Value::String(joined) => {
            let cells: Vec<char> = joined.chars().collect();
            let width = cells.len().isqrt();
            if width == 0 || width * width != cells.len() {
                return Err(ParseJsonError::NotSquare { cells: cells.len() });
            }
            let rows: Vec<String> = cells.chunks(width).map(String::from_iter).collect();
            Grid::from_rows(rows.iter().map(String::as_str))?
        }
        _ => return Err(error()),
    };
    match size {
        Some(size) if size != grid.size() => Err(ParseJsonError::SizesDiffer {
            size: size.width(),
            width: grid.size().width(),
            height: grid.size().height(),
        }),
        _ => Ok(grid),
    }
}

fn moves_text(value: &Value) -> Result<String, ParseJsonError> {
    let error = || wrong("moves", "a string or a list of strings", value);
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Array(moves) => {
            let moves: Option<Vec<&str>> = moves.iter().map(Value::as_str).collect();
            Ok(moves.ok_or_else(error)?.join(" "))
        }
        _ => Err(error()),
    }
}

fn parse_side(value: &Value) -> Result<Colour, ParseJsonError> {
    match value.as_str() {
        Some("black") => Ok(Colour::Black),
        Some("white") => Ok(Colour::White),
        _ => Err(wrong("side", "\"black\" or \"white\"", value)),
    }
}

fn parse_rule(value: &Value) -> Result<RuleKind, ParseJsonError> {
    let rule = match value {
        Value::String(name) => RuleKind::ALL
            .into_iter()
            .find(|rule| rule.name().eq_ignore_ascii_case(name)),
        _ => value.as_i64().and_then(RuleKind::from_code),
    };
    rule.ok_or_else(|| wrong("rule", "the name or number of a rule", value))
}

fn side_by_count(grid: &Grid) -> Colour {
    let [black, white] = Colour::ALL.map(|colour| grid.points_of(Cell::Stone(colour)).count());
    if black == white {
        Colour::Black
    } else {
        Colour::White
    }
}

/// Why a JSON text is no position.
#[derive(Debug, thiserror::Error)]
pub enum ParseJsonError {
    /// Not JSON at all.
    #[error("not JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    /// JSON, but not an object.
    #[error("expected a JSON object")]
    NoObject,
    /// Neither a board nor moves.
    #[error("neither \"board\" nor \"moves\" is given")]
    Missing,
    /// A key whose value has the wrong form.
    #[error("{key:?}: expected {expected}, found {found}")]
    Value {
        /// The key.
        key: &'static str,
        /// What its value should be.
        expected: &'static str,
        /// Beginning of what it is.
        found: String,
    },
    /// A board joined in one string whose length is no square.
    #[error("\"board\": {cells} cells make no square board")]
    NotSquare {
        /// Characters in the string.
        cells: usize,
    },
    /// Size and board disagree.
    #[error("\"size\" is {size}, but \"board\" has {width} x {height} cells")]
    SizesDiffer {
        /// Side as `size` says.
        size: u8,
        /// Columns of the board.
        width: u8,
        /// Rows of the board.
        height: u8,
    },
    /// A board that cannot be read.
    #[error("\"board\": {0}")]
    Board(#[from] ParseGridError),
    /// Moves that cannot be read.
    #[error("\"moves\": {0}")]
    Moves(#[from] ParseMovesError),
    /// Moves that cannot be played.
    #[error("\"moves\": {0}")]
    Position(#[from] PositionError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Point;

    const SIZE: Size = Size::square(15);

    fn read(text: &str) -> Result<Entry, ParseJsonError> {
        Entry::from_json(text, SIZE)
    }

    fn position(text: &str) -> Position {
        read(text).expect(text).position
    }

    #[test]
    fn both_forms_of_a_board_are_the_same() {
        let rows = r#"{"id":"a","board":["X....",".O...","..#..",".....","....."]}"#;
        let joined = r#"{"id":7,"board":"X.....O.....#............"}"#;
        assert_eq!(position(rows), position(joined));
        let board = position(rows).board(RuleKind::Renju);
        assert_eq!(board.size(), Size::square(5));
        assert_eq!(
            board.cell(Point::new(0, 0)),
            Some(Cell::Stone(Colour::Black))
        );
        assert_eq!(
            board.cell(Point::new(1, 1)),
            Some(Cell::Stone(Colour::White))
        );
        assert_eq!(board.cell(Point::new(2, 2)), Some(Cell::Wall));
        assert_eq!(read(rows).expect("valid").id, Some("a".into()));
        assert_eq!(read(joined).expect("valid").id, Some(7.into()));
    }

    #[test]
    fn the_side_is_named_or_counted() {
        let one = r#""board":["X....",".....",".....",".....","....."]"#;
        for (text, side) in [
            (format!("{{{one}}}"), Colour::White),
            (format!(r#"{{{one},"side":"black"}}"#), Colour::Black),
            (format!(r#"{{{one},"moves":"b5"}}"#), Colour::Black),
            (
                format!(r#"{{{one},"moves":"b5","side":"white"}}"#),
                Colour::White,
            ),
            (r#"{"moves":[]}"#.into(), Colour::Black),
            (r#"{"moves":"h8i9g7"}"#.into(), Colour::White),
        ] {
            assert_eq!(position(&text).side(), side, "{text}");
        }
        let white_began = position(&format!(r#"{{{one},"moves":"b5","side":"black"}}"#));
        assert!(
            white_began
                .board(RuleKind::Freestyle)
                .is_stone(Point::new(1, 0), Colour::White)
        );
    }

    #[test]
    fn moves_are_a_string_or_a_list() {
        let list = position(r#"{"size":20,"rule":"standard","moves":["H8","I9"]}"#);
        assert_eq!(list, position(r#"{"size":20,"rule":1,"moves":"h8 i9"}"#));
        assert_eq!(list.size(), Size::square(20));
        assert_eq!(list.rule(), Some(RuleKind::Standard));
        assert_eq!(list.moves(), [Point::new(7, 12), Point::new(8, 11)]);
        assert_eq!(position(r#"{"moves":[]}"#).size(), SIZE);
        assert_eq!(position(r#"{"moves":[]}"#).rule(), None);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, message) in [
            ("{", "not JSON: EOF"),
            ("[1]", "expected a JSON object"),
            ("{}", "neither \"board\" nor \"moves\""),
            (
                r#"{"board":5}"#,
                "\"board\": expected rows of X, O, # and ., found 5",
            ),
            (r#"{"board":[1]}"#, "\"board\": expected rows"),
            (r#"{"board":"...."}"#, "\"board\": a board of 2 x 2 cells"),
            (
                r#"{"board":"....."}"#,
                "\"board\": 5 cells make no square board",
            ),
            (r#"{"board":""}"#, "\"board\": 0 cells"),
            (
                r#"{"board":".........................","size":6}"#,
                "\"size\" is 6, but",
            ),
            (
                r#"{"board":["....Q",".....",".....",".....","....."]}"#,
                "row 0",
            ),
            (
                r#"{"moves":"h8h8"}"#,
                "\"moves\": move 2: H8 is already taken",
            ),
            (
                r#"{"moves":["H8","Z9"]}"#,
                "\"moves\": move 2: expected a point",
            ),
            (r#"{"moves":[8]}"#, "\"moves\": expected a string or a list"),
            (r#"{"moves":{}}"#, "\"moves\": expected a string or a list"),
            (
                r#"{"moves":"","size":4}"#,
                "\"size\": expected a number from 5 to 22, found 4",
            ),
            (r#"{"moves":"","size":300}"#, "\"size\": expected"),
            (r#"{"moves":"","side":"red"}"#, "\"side\": expected"),
            (
                r#"{"moves":"","rule":"go"}"#,
                "\"rule\": expected the name or number",
            ),
            (
                r#"{"moves":"","rule":-1}"#,
                "\"rule\": expected the name or number",
            ),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
