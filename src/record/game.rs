//! Whole games, in the forms in which programs and people keep them.

use std::io;

use super::{AtLine, Entry, ParseEntryError, ParseMovesError, Position, PositionError, entries};
use super::{psq, sgf};
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour, Size};

/// A game of a file: its moves, and what the file tells about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// The line of the file on which the game begins, from 1.
    pub line: usize,
    /// What the file calls the game.
    pub name: Option<String>,
    /// The names of the players.
    pub players: ByColour<Option<String>>,
    /// Stones set up before the first move, the moves, and the rule if the file names it.
    pub position: Position,
    /// How the game ended, in the words of the file. It is not compared with the moves.
    pub outcome: Option<Outcome>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// One side won, on the board or otherwise.
    Won(Colour),
    /// Nobody won.
    Drawn,
}

/// Reads all games of a file. The form is recognised by how the text begins:
///
/// * `Piskvorky`: a `.psq` file of Piskvork or of the Gomocup archive; several may follow one another;
/// * `(`: SGF of gomoku and renju (`GM[4]`), as c-gomoku-cli writes it; the main line of each game;
/// * anything else: one game per line, as [`entries`] reads it. A string under `id` is the game's name.
///
/// `size` is the board of games that name none. Games after one that cannot be read are read all
/// the same. Bytes that are not UTF-8 (names in old files) do no harm outside of moves.
///
/// ```
/// use quincunx::record::{Outcome, games};
/// use quincunx::rule::RuleKind;
/// use quincunx::types::{Colour, Size};
///
/// let text = b"(;GM[4]SZ[15]RU[4]PB[Ann]PW[Ben]RE[B+1];B[hh];W[hg];B[ig])";
/// let games: Vec<_> = games(text, Size::square(15)).into_iter().flatten().collect();
/// assert_eq!(games.len(), 1);
/// assert_eq!(games[0].players[Colour::Black].as_deref(), Some("Ann"));
/// assert_eq!(games[0].position.rule(), Some(RuleKind::Renju));
/// assert_eq!(games[0].position.moves()[1].letters(Size::square(15)).to_string(), "H9");
/// assert_eq!(games[0].outcome, Some(Outcome::Won(Colour::Black)));
/// ```
#[must_use]
pub fn games(text: &[u8], size: Size) -> Vec<Result<Game, AtLine<ParseGameError>>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let begin = text.trim_ascii_start();
    if begin.starts_with(psq::MAGIC.as_bytes()) {
        psq::read(&String::from_utf8_lossy(text))
    } else if begin.starts_with(b"(") {
        sgf::read(&String::from_utf8_lossy(text), size)
    } else if begin.starts_with(b"[Event ") {
        vec![Err(first_line(text, ParseGameError::NoMovesInPgn))]
    } else if begin.starts_with(b"-----") {
        vec![Err(first_line(text, ParseGameError::NoMovesInMessages))]
    } else {
        one_per_line(text, size)
    }
}

/// An error about the first line that is not empty.
fn first_line(text: &[u8], reason: ParseGameError) -> AtLine<ParseGameError> {
    let before = &text[..text.len() - text.trim_ascii_start().len()];
    let line = before.split(|&byte| byte == b'\n').count();
    AtLine { line, reason }
}

fn one_per_line(text: &[u8], size: Size) -> Vec<Result<Game, AtLine<ParseGameError>>> {
    let mut entries = entries(text, size);
    std::iter::from_fn(|| {
        let entry = entries.next()?;
        let line = entries.line();
        Some(match entry {
            Ok(Entry { id, position }) => Ok(Game {
                line,
                name: id.map(|id| match id {
                    serde_json::Value::String(name) => name,
                    other => other.to_string(),
                }),
                players: ByColour::default(),
                position,
                outcome: None,
            }),
            Err(AtLine { line, reason }) => Err(AtLine {
                line,
                reason: reason.into(),
            }),
        })
    })
    .collect()
}

/// The rule whose name a text mentions, in the words of tournaments: `Freestyle15_1`, `renju`. Gomocup's
/// fast game is freestyle; caro without more is the one where six wins.
pub(super) fn rule_in(text: &str) -> Option<RuleKind> {
    let text = text.to_ascii_lowercase();
    [
        ("freestyle", RuleKind::Freestyle),
        ("fastgame", RuleKind::Freestyle),
        ("standard", RuleKind::Standard),
        ("renju", RuleKind::Renju),
        ("caro-exact", RuleKind::CaroExact),
        ("caro", RuleKind::Caro),
    ]
    .into_iter()
    .find_map(|(word, rule)| text.contains(word).then_some(rule))
}

/// The beginning of a text, for messages.
pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(24).collect()
}

/// Why a text is no game.
#[derive(Debug, thiserror::Error)]
pub enum ParseGameError {
    /// The reader failed or the text is not UTF-8.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A board that is not supported.
    #[error("expected a board of 5 x 5 to 22 x 22 cells, found {0:?}")]
    Size(String),
    /// Something else than the form demands.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// What the form demands.
        expected: &'static str,
        /// The beginning of what is there.
        found: String,
    },
    /// The text ends within a game.
    #[error("the file ends within a game: expected {0}")]
    End(&'static str),
    /// A move or stone that is no point of the board.
    #[error("{0:?} is no point of the board")]
    Point(String),
    /// Colours do not alternate; passing is not supported either.
    #[error("move {number}: expected {expected:?} to move")]
    Turn {
        /// Which move, from 1.
        number: usize,
        /// Whose turn it is.
        expected: Colour,
    },
    /// SGF of another game.
    #[error("GM[{0}] is not gomoku or renju (GM[4])")]
    OtherGame(String),
    /// A PGN file of c-gomoku-cli.
    #[error("c-gomoku-cli's PGN holds results without moves: use its -sgf")]
    NoMovesInPgn,
    /// A message file of c-gomoku-cli.
    #[error("c-gomoku-cli's messages hold no moves: use its -sgf")]
    NoMovesInMessages,
    /// A JSON object that is no position.
    #[error(transparent)]
    Json(#[from] super::ParseJsonError),
    /// Not a move list.
    #[error(transparent)]
    Moves(#[from] ParseMovesError),
    /// Moves that cannot be played.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl From<ParseEntryError> for ParseGameError {
    fn from(error: ParseEntryError) -> Self {
        match error {
            ParseEntryError::Io(error) => error.into(),
            ParseEntryError::Json(error) => error.into(),
            ParseEntryError::Moves(error) => error.into(),
            ParseEntryError::Position(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: Size = Size::square(15);

    #[test]
    fn plain_lists_and_objects_are_games() {
        let text = b"\xef\xbb\xbf# mine\nh8i9\n{\"id\":\"a\",\"moves\":\"h8\",\"rule\":4}\n\n{\"id\":7,\"moves\":\"\"}";
        let games: Vec<Game> = games(text, SIZE).into_iter().map(Result::unwrap).collect();
        let told: Vec<_> = games
            .iter()
            .map(|game| (game.line, game.name.as_deref(), game.position.rule()))
            .collect();
        assert_eq!(
            told,
            [
                (2, None, None),
                (3, Some("a"), Some(RuleKind::Renju)),
                (5, Some("7"), None)
            ]
        );
    }

    #[test]
    fn forms_without_moves_are_named() {
        for (text, line, message) in [
            ("\n[Event \"1\"]\n[Date \"2026.11.30\"]\n", 2, "PGN holds"),
            ("-----\nGame ID: 1\n", 1, "messages hold no moves"),
            ("h8h8", 1, "move 2: H8 is already taken"),
            ("h8\nhello", 2, "move 1: expected a point"),
        ] {
            let error = games(text.as_bytes(), SIZE)
                .into_iter()
                .find_map(Result::err)
                .expect(text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(games(b"", SIZE).is_empty());
    }

    #[test]
    fn rules_are_found_in_the_names_of_leagues() {
        for (text, rule) in [
            ("Freestyle15_1", Some(RuleKind::Freestyle)),
            ("Fastgame", Some(RuleKind::Freestyle)),
            ("Standard_2", Some(RuleKind::Standard)),
            ("RENJU", Some(RuleKind::Renju)),
            ("Caro", Some(RuleKind::Caro)),
            ("caro-exact", Some(RuleKind::CaroExact)),
            ("japanese", None),
        ] {
            assert_eq!(rule_in(text), rule, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            begin in prop::sample::select(vec!["", "(", "(;", "Piskvorky ", "Piskvorky 15x15, 0:0, 1\n", "-----", "[Event "]),
            bytes in prop::collection::vec(any::<u8>(), 0..80),
        ) {
            let text = [begin.as_bytes(), &bytes].concat();
            for error in games(&text, SIZE).into_iter().filter_map(Result::err) {
                prop_assert!(error.line > 0);
            }
        }

        /// Texts that are nearly right reach further than random bytes.
        #[test]
        fn no_mixture_of_pieces_panics(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "(", ")", ";", "B", "W", "AB", "AW", "[hh]", "[h8]", "[", "]", "\\", "SZ[15]", "SZ[5:9]", "SZ[99]", "GM[4]", "RU[4]",
                    "PB[a]", "RE[B+]", "[tt]", "[]", "\n", "Piskvorky", " 15x15", " 3x3", ", 0:0, 1", "8,8,1\n", "0,0,0\n", "1,99,0\n",
                    "a.exe\n", "-1\n", "0,Renju\n", ",", "é", "h8", "99999999999999999999",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.concat();
            for error in games(text.as_bytes(), SIZE).into_iter().filter_map(Result::err) {
                prop_assert!(error.line > 0 && error.line <= text.lines().count().max(1));
            }
        }
    }
}
