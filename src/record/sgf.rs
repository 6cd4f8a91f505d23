//! SGF (Smart Game Format, FF 3 and 4) of gomoku and renju.
//!
//! Points come in both notations that programs write: two letters, column from the left and row from the
//! top (`hg`, c-gomoku-cli), or a letter and a number counted from the bottom (`h9`). Read are the
//! board (`SZ`), the rule (`RU`, Gomocup's number or a name), names (`GN`, `PB`, `PW`), the result (`RE`),
//! stones that are set up (`AB`, `AW`, before the first move) and the moves of the main line;
//! variations and all other properties are skipped.
//!
//! A parser of its own, because crates for SGF do not say on which line an error lies.

use std::iter::Peekable;
use std::str::Chars;

use super::game::{excerpt, rule_in};
use super::{AtLine, Game, Outcome, ParseGameError, Position};
use crate::rule::RuleKind;
use crate::types::{ByColour, Cell, Colour, Grid, Point, Size};

type Result<T> = std::result::Result<T, AtLine<ParseGameError>>;

/// Reads games that follow one another. After one that is wrong, reading goes on with the next
/// line that begins a game.
pub(super) fn read(text: &str, size: Size) -> Vec<Result<Game>> {
    let mut games = Vec::new();
    let mut parser = Parser::new(text);
    while parser.skip_spaces() {
        match game(&mut parser, size) {
            Ok(game) => games.push(Ok(game)),
            Err(error) => {
                games.push(Err(error));
                parser.skip_to_next_game();
            }
        }
    }
    games
}

/// Characters with the number of the line they are on.
struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
    /// Whether nothing but spaces came before on this line.
    at_begin: bool,
}

/// A property with its first value; the line is that of the value.
struct Property {
    name: String,
    values: Vec<String>,
    line: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            chars: text.chars().peekable(),
            line: 1,
            at_begin: true,
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.next()?;
        if c == '\n' {
            self.line += 1;
            self.at_begin = true;
        } else if !c.is_whitespace() {
            self.at_begin = false;
        }
        Some(c)
    }

    /// Skips white space; `false` at the end of the text.
    fn skip_spaces(&mut self) -> bool {
        while self.chars.peek().is_some_and(|c| c.is_whitespace()) {
            self.next();
        }
        self.chars.peek().is_some()
    }

    fn skip_to_next_game(&mut self) {
        while let Some(&c) = self.chars.peek() {
            if c == '(' && self.at_begin {
                return;
            }
            self.next();
        }
    }

    /// The next character that is no white space, which must be there.
    fn expect(&mut self, expected: &'static str) -> Result<char> {
        self.skip_spaces();
        match self.chars.peek() {
            Some(&c) => Ok(c),
            None => Err(self.error(ParseGameError::End(expected))),
        }
    }

    fn unexpected(&self, expected: &'static str, found: char) -> AtLine<ParseGameError> {
        self.error(ParseGameError::Unexpected {
            expected,
            found: found.to_string(),
        })
    }

    /// An error on the line that was reached; the last one if the text ended with it.
    fn error(&self, reason: ParseGameError) -> AtLine<ParseGameError> {
        let beyond = self.line > 1 && self.at_begin && self.chars.clone().next().is_none();
        AtLine {
            line: self.line - usize::from(beyond),
            reason,
        }
    }

    /// `NAME[value][value]…`, the name having begun. Small letters in names mean nothing, as in old files.
    fn property(&mut self) -> Result<Property> {
        let mut name = String::new();
        while let Some(&c) = self.chars.peek().filter(|c| c.is_ascii_alphabetic()) {
            if c.is_ascii_uppercase() {
                name.push(c);
            }
            self.next();
        }
        let mut values = Vec::new();
        let c = self.expect("[ after the name of a property")?;
        if c != '[' {
            return Err(self.unexpected("[ after the name of a property", c));
        }
        let line = self.line;
        while self.skip_spaces() && self.chars.peek() == Some(&'[') {
            self.next();
            values.push(self.value()?);
        }
        Ok(Property { name, values, line })
    }

    /// A value up to its `]`; a backslash takes the next character as it is.
    fn value(&mut self) -> Result<String> {
        let mut value = String::new();
        loop {
            match self.next() {
                Some(']') => return Ok(value),
                Some('\\') => value.extend(self.next()),
                Some(c) => value.push(c),
                None => return Err(self.error(ParseGameError::End("]"))),
            }
        }
    }
}

/// What has been read of a game.
struct Draft {
    size: Size,
    /// The stones before the first move, if any were set up.
    start: Option<Grid>,
    /// Who made the first move.
    first: Option<Colour>,
    moves: Vec<Point>,
    /// Where stones lie, to find the line on which one is put on another.
    taken: Grid,
    rule: Option<RuleKind>,
    name: Option<String>,
    players: ByColour<Option<String>>,
    outcome: Option<Outcome>,
}

/// One game from its `(` to the matching `)`.
fn game(parser: &mut Parser<'_>, size: Size) -> Result<Game> {
    let line = parser.line;
    let c = parser.expect("(")?;
    if c != '(' {
        return Err(parser.unexpected("( at the beginning of a game", c));
    }
    let mut draft = Draft::new(size);
    let mut depth = 0_usize;
    // The main line ends where the first variation does.
    let mut main = true;
    let mut in_node = false;
    loop {
        match parser.expect(")")? {
            '(' => {
                depth += 1;
                in_node = false;
                parser.next();
            }
            ')' => {
                depth -= 1;
                main = false;
                in_node = false;
                parser.next();
                if depth == 0 {
                    break;
                }
            }
            ';' => {
                in_node = true;
                parser.next();
            }
            c if c.is_ascii_alphabetic() && in_node => {
                let property = parser.property()?;
                if main {
                    draft.take(&property).map_err(|reason| AtLine {
                        line: property.line,
                        reason,
                    })?;
                }
            }
            c => return Err(parser.unexpected("a property, ; ( or )", c)),
        }
    }
    draft.finish(line).map_err(|reason| AtLine { line, reason })
}

impl Draft {
    fn new(size: Size) -> Self {
        Self {
            size,
            start: None,
            first: None,
            moves: Vec::new(),
            taken: Grid::new(size),
            rule: None,
            name: None,
            players: ByColour::default(),
            outcome: None,
        }
    }

    fn take(&mut self, property: &Property) -> std::result::Result<(), ParseGameError> {
        let first = property.values.first().map_or("", |value| value.trim());
        let text = || (!first.is_empty()).then(|| first.to_owned());
        match property.name.as_str() {
            "GM" if first != "4" => return Err(ParseGameError::OtherGame(excerpt(first))),
            "SZ" => self.set_size(first)?,
            "RU" => {
                self.rule = match first.parse() {
                    Ok(code) => RuleKind::from_code(code),
                    Err(_) => rule_in(first),
                }
            }
            "GN" => self.name = text(),
            "PB" => self.players[Colour::Black] = text(),
            "PW" => self.players[Colour::White] = text(),
            "RE" => self.outcome = parse_outcome(first),
            "AB" => self.set_up(Colour::Black, &property.values)?,
            "AW" => self.set_up(Colour::White, &property.values)?,
            "B" => self.play(Colour::Black, first)?,
            "W" => self.play(Colour::White, first)?,
            _ => {}
        }
        Ok(())
    }

    fn set_size(&mut self, text: &str) -> std::result::Result<(), ParseGameError> {
        let (width, height) = text.split_once(':').unwrap_or((text, text));
        let cells = |text: &str| text.trim().parse().ok();
        let size = cells(width)
            .zip(cells(height))
            .and_then(|(width, height)| Size::new(width, height))
            .ok_or_else(|| ParseGameError::Size(excerpt(text)))?;
        if !self.moves.is_empty() || self.start.is_some() {
            return Err(ParseGameError::Unexpected {
                expected: "the board's size before the first stone",
                found: format!("SZ[{}]", excerpt(text)),
            });
        }
        self.size = size;
        self.taken = Grid::new(size);
        Ok(())
    }

    fn set_up(
        &mut self,
        colour: Colour,
        points: &[String],
    ) -> std::result::Result<(), ParseGameError> {
        if !self.moves.is_empty() {
            return Err(ParseGameError::Unexpected {
                expected: "stones to be set up before the first move only",
                found: format!("A{}", if colour == Colour::Black { 'B' } else { 'W' }),
            });
        }
        for text in points {
            let point = self.free_point(text)?;
            self.taken.set(point, Cell::Stone(colour));
        }
        self.start = Some(self.taken.clone());
        Ok(())
    }

    fn play(&mut self, colour: Colour, text: &str) -> std::result::Result<(), ParseGameError> {
        let first = *self.first.get_or_insert(colour);
        let expected = if self.moves.len().is_multiple_of(2) {
            first
        } else {
            !first
        };
        if colour != expected || self.start.is_none() && first != Colour::Black {
            return Err(ParseGameError::Turn {
                number: self.moves.len() + 1,
                expected: if colour == expected {
                    !colour
                } else {
                    expected
                },
            });
        }
        let point = self.free_point(text)?;
        self.taken.set(point, Cell::Stone(colour));
        self.moves.push(point);
        Ok(())
    }

    /// The point, which must be free.
    fn free_point(&self, text: &str) -> std::result::Result<Point, ParseGameError> {
        let point = parse_point(text.trim(), self.size)
            .ok_or_else(|| ParseGameError::Point(excerpt(text)))?;
        if self.taken.get(point) == Some(Cell::Empty) {
            return Ok(point);
        }
        Err(super::PositionError::Taken {
            number: self.moves.len() + 1,
            point: point.letters(self.size).to_string(),
        }
        .into())
    }

    fn finish(self, line: usize) -> std::result::Result<Game, ParseGameError> {
        let start = self.start.unwrap_or_else(|| Grid::new(self.size));
        // Stones without moves: whose turn it is follows from their number.
        let first = self.first.unwrap_or_else(|| {
            let [black, white] =
                Colour::ALL.map(|colour| start.points_of(Cell::Stone(colour)).count());
            if black == white {
                Colour::Black
            } else {
                Colour::White
            }
        });
        Ok(Game {
            line,
            name: self.name,
            players: self.players,
            position: Position::new(start, first, self.moves)?.with_rule(self.rule),
            outcome: self.outcome,
        })
    }
}

/// Two letters from the top left, or letter and number from the bottom left.
fn parse_point(text: &str, size: Size) -> Option<Point> {
    let mut chars = text.chars();
    if let (Some(x), Some(y), None) = (chars.next(), chars.next(), chars.next())
        && x.is_ascii_alphabetic()
        && y.is_ascii_alphabetic()
    {
        let number = |c: char| i64::from(c.to_ascii_lowercase() as u8 - b'a');
        return size.point(number(x), number(y));
    }
    Point::parse(text, size).ok()
}

fn parse_outcome(text: &str) -> Option<Outcome> {
    match text.to_ascii_lowercase().as_str() {
        "0" | "draw" => Some(Outcome::Drawn),
        won if won.starts_with("b+") => Some(Outcome::Won(Colour::Black)),
        won if won.starts_with("w+") => Some(Outcome::Won(Colour::White)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size::square(15);

    fn one(text: &str) -> Game {
        let mut games = read(text, SIZE);
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0).expect(text)
    }

    /// As c-gomoku-cli 0891174 writes it.
    const MATCH: &str = "(;FF[4]GM[4]GN[1]EV[a x b]DT[2026.11.30 10:35:00]RO[1.1]RU[1]SZ[20]PB[a]PW[b]RE[W+1]TE[White win by five connection]
;B[kk]C[opening move];W[kl]C[opening move]

;B[ll]C[12ms];W[aa]C[7ms])

(;FF[4]GM[4]GN[2]RU[4]SZ[15]PB[b]PW[a]RE[0]TE[Draw by adjudication]
;B[hh]C[1ms])

";

    #[test]
    fn games_of_a_match() {
        let games: Vec<Game> = read(MATCH, SIZE)
            .into_iter()
            .map(|game| game.expect("valid"))
            .collect();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].line, games[1].line), (1, 6));
        assert_eq!(games[0].position.size(), Size::square(20));
        assert_eq!(games[0].position.rule(), Some(RuleKind::Standard));
        assert_eq!(
            games[0].position.moves()[1..],
            [(10, 11), (11, 11), (0, 0)].map(|(x, y)| Point::new(x, y))
        );
        assert_eq!(games[0].outcome, Some(Outcome::Won(Colour::White)));
        assert_eq!(games[1].outcome, Some(Outcome::Drawn));
        assert_eq!(games[1].name.as_deref(), Some("2"));
        assert_eq!(games[1].players[Colour::Black].as_deref(), Some("b"));
    }

    #[test]
    fn both_notations_name_the_same_point() {
        let letters = one("(;GM[4];B[hg];W[AO])");
        let numbers = one("(;GM[4];B[H9];W[a1])");
        assert_eq!(letters.position, numbers.position);
    }

    #[test]
    fn the_main_line_is_read_and_values_may_hold_anything() {
        let text = "( ; GM[4]C[a \\] ; (B[aa\\]]
  (;Black[h8] (;W[h9];B[h10]) (;W[a1]))
  (;B[a2]))";
        let game = one(text);
        let size = game.position.size();
        let moves: Vec<String> = game
            .position
            .moves()
            .iter()
            .map(|point| point.letters(size).to_string())
            .collect();
        assert_eq!(moves, ["H8", "H9", "H10"]);
    }

    #[test]
    fn stones_may_be_set_up() {
        let game = one("(;GM[4]SZ[9:7]RU[Renju]AB[aa][bb]AW[cc];W[dd];B[ee])");
        assert_eq!(game.position.size(), Size::new(9, 7).expect("in range"));
        assert_eq!(game.position.rule(), Some(RuleKind::Renju));
        assert_eq!(game.position.side(), Colour::White);
        let start = game.position.start();
        assert_eq!(start.points_of(Cell::Stone(Colour::Black)).count(), 2);
        let problem = one("(;AB[aa])");
        assert_eq!(problem.position.side(), Colour::White);
    }

    #[test]
    fn errors_name_line_and_reason_and_the_next_game_is_read() {
        for (text, line, reason) in [
            ("(;GM[1];B[aa])", 1, "GM[1] is not gomoku or renju"),
            ("(;SZ[4])", 1, "expected a board of 5 x 5"),
            ("(;SZ[15:40])", 1, "expected a board of 5 x 5"),
            ("(;B[hh]\n;W[pa])", 2, "\"pa\" is no point of the board"),
            ("(;B[hh]\n;W[])", 2, "\"\" is no point of the board"),
            ("(;B[hh];W[aa]\n;B[h8])", 2, "move 3: H8 is already taken"),
            ("(;AB[aa][bb]AW\n[aa])", 2, "A15 is already taken"),
            ("(;B[hh]\n;B[ha])", 2, "move 2: expected White to move"),
            ("(;W[hh])", 1, "move 1: expected Black to move"),
            ("(;B[hh];AW[aa])", 1, "expected stones to be set up before"),
            ("(;B[hh];SZ[19])", 1, "expected the board's size before"),
            (
                "(;B[hh]\n;x)",
                2,
                "expected [ after the name of a property, found \")\"",
            ),
            (
                "(;B[hh]\n7)",
                2,
                "expected a property, ; ( or ), found \"7\"",
            ),
            ("(B[hh])", 1, "expected a property, ; ( or ), found \"B\""),
            ("(;B[hh];W[aa", 1, "the file ends within a game: expected ]"),
            ("(;B[hh]\n", 1, "the file ends within a game: expected )"),
        ] {
            let error = read(text, SIZE).remove(0).expect_err(text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.to_string().contains(reason), "{error}");
        }
        let games = read("(;B[hh];B[ha])\n\n(;B[hh])\nrest\n(;B[aa])", SIZE);
        let good: Vec<bool> = games.iter().map(std::result::Result::is_ok).collect();
        assert_eq!(good, [false, true, false, true]);
    }
}
