//! Piskvork's `.psq` files, also those of the Gomocup archive.
//!
//! ```text
//! Piskvorky 20x20, 11:11, 0    width x height; a number per player; which player began
//! 10,10,456                    column, row (both from 1, the row from the top), milliseconds
//! 11,12,4500
//! pisq7.exe                    the players, in the order of the header
//! renjusolver.ZIP
//! 0                            how the game ended; -1 unknown
//! 1,Freestyle15_1              archive only: the player who won (0 nobody), the league
//! ```
//!
//! Only the header and the moves are always there. What follows the moves is read as far as it is
//! understood. The form is that of Piskvork's `openPsq` and `savePsq` (source/game.cpp, version 9).

use super::game::{excerpt, rule_in};
use super::{AtLine, Game, Outcome, ParseGameError, Position};
use crate::types::{ByColour, Colour, Point, Size};

/// How a game begins.
pub(super) const MAGIC: &str = "Piskvorky";

/// Reads games that follow one another.
pub(super) fn read(text: &str) -> Vec<Result<Game, AtLine<ParseGameError>>> {
    let mut games = Vec::new();
    let mut lines = text
        .lines()
        .map(str::trim)
        .zip(1..)
        .filter(|(line, _)| !line.is_empty())
        .peekable();
    while let Some((header, number)) = lines.next() {
        let body: Vec<(&str, usize)> =
            std::iter::from_fn(|| lines.next_if(|(line, _)| !line.starts_with(MAGIC))).collect();
        games.push(game(header, number, &body));
    }
    games
}

fn game(header: &str, line: usize, body: &[(&str, usize)]) -> Result<Game, AtLine<ParseGameError>> {
    let at = |line: usize| move |reason| AtLine { line, reason };
    let (size, second_began) = parse_header(header).map_err(at(line))?;
    let is_move = |line: &str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(',');
    let count = body.iter().take_while(|(line, _)| is_move(line)).count();
    let (move_lines, trailer) = body.split_at(count);
    let mut moves = Vec::with_capacity(move_lines.len());
    for &(text, number) in move_lines {
        moves.push(parse_move(text, size).map_err(at(number))?);
        // Checked here because the line is known here; a board is small.
        if moves[..moves.len() - 1].contains(&moves[moves.len() - 1]) {
            let taken = Position::from_moves(size, moves).err();
            return Err(taken.map_or_else(
                || at(number)(ParseGameError::Point(excerpt(text))),
                |reason| at(number)(reason.into()),
            ));
        }
    }
    let position = Position::from_moves(size, moves).map_err(|error| at(line)(error.into()))?;
    let mut game = Game {
        line,
        name: None,
        players: ByColour::default(),
        position,
        outcome: None,
    };
    read_trailer(&mut game, trailer, second_began).map_err(|(number, error)| at(number)(error))?;
    Ok(game)
}

/// The board, and whether the second player began.
fn parse_header(header: &str) -> Result<(Size, bool), ParseGameError> {
    let mut fields = header[MAGIC.len()..].split(',');
    let board = fields.next().unwrap_or("").trim();
    let cells = |text: &str| text.parse().ok();
    let size = board
        .split_once('x')
        .and_then(|(width, height)| Size::new(cells(width)?, cells(height)?))
        .ok_or_else(|| ParseGameError::Size(excerpt(board)))?;
    Ok((size, fields.nth(1).is_some_and(|field| field.trim() == "1")))
}

fn parse_move(text: &str, size: Size) -> Result<Point, ParseGameError> {
    let mut fields = text.split(',').map(|field| field.trim().parse::<i64>());
    let (Some(Ok(x)), Some(Ok(y))) = (fields.next(), fields.next()) else {
        return Err(ParseGameError::Unexpected {
            expected: "column,row,time",
            found: excerpt(text),
        });
    };
    size.point(x.saturating_sub(1), y.saturating_sub(1))
        .ok_or_else(|| ParseGameError::Point(excerpt(text)))
}

fn read_trailer(
    game: &mut Game,
    trailer: &[(&str, usize)],
    second_began: bool,
) -> Result<(), (usize, ParseGameError)> {
    let colour = |player: usize| {
        if (player == 0) == second_began {
            Colour::White
        } else {
            Colour::Black
        }
    };
    let mut ended = false;
    let mut names = 0;
    for &(text, number) in trailer {
        if let Some((winner, league)) = text.split_once(',').filter(|_| ended) {
            game.outcome = match winner.trim() {
                "0" => Some(Outcome::Drawn),
                "1" => Some(Outcome::Won(colour(0))),
                "2" => Some(Outcome::Won(colour(1))),
                _ => None,
            };
            game.position = game.position.clone().with_rule(rule_in(league));
        } else if text.parse::<i64>().is_ok() {
            ended = true;
        } else if names < 2 && !ended {
            game.players[colour(names)] = Some(text.to_owned());
            names += 1;
        } else {
            let error = ParseGameError::Unexpected {
                expected: "the end of the game",
                found: excerpt(text),
            };
            return Err((number, error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleKind;

    fn one(text: &str) -> Game {
        let mut games = read(text);
        assert_eq!(games.len(), 1, "{text}");
        games.remove(0).expect(text)
    }

    #[test]
    fn piskvorks_own_files() {
        let game =
            one("Piskvorky 20x15, 11:11, 1\r\n1,1,456\r\n20,15\r\npisq7.exe\r\nme too\r\n0\r\n");
        assert_eq!(game.position.size(), Size::new(20, 15).expect("in range"));
        assert_eq!(
            game.position.moves(),
            [Point::new(0, 0), Point::new(19, 14)]
        );
        assert_eq!(game.players[Colour::Black].as_deref(), Some("me too"));
        assert_eq!(game.players[Colour::White].as_deref(), Some("pisq7.exe"));
        assert_eq!((game.outcome, game.position.rule()), (None, None));
    }

    #[test]
    fn files_of_the_archive_name_rule_and_winner() {
        let text = "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,1\nA.zip\nB.zip\n-1\n2,Standard1\n";
        let game = one(text);
        assert_eq!(game.position.rule(), Some(RuleKind::Standard));
        assert_eq!(game.outcome, Some(Outcome::Won(Colour::White)));
        let drawn = one(&text.replace("2,S", "0,S"));
        assert_eq!(drawn.outcome, Some(Outcome::Drawn));
        let second_began = one(&text.replace("11, 0", "11, 1"));
        assert_eq!(second_began.outcome, Some(Outcome::Won(Colour::Black)));
    }

    #[test]
    fn files_follow_one_another_and_may_lack_everything_but_moves() {
        let games =
            read("Piskvorky 15x15, 0:0, 0\n8,8,1\n-1\nPiskvorky 15x15\n\nPiskvorky 9x9\n9,1");
        let moves: Vec<_> = games
            .into_iter()
            .map(|game| game.map(|game| (game.line, game.position.moves().len())))
            .collect::<Result<_, _>>()
            .expect("valid");
        assert_eq!(moves, [(1, 1), (4, 0), (6, 1)]);
    }

    #[test]
    fn errors_name_line_and_reason_and_the_next_game_is_read() {
        for (body, line, reason) in [
            (
                "8,8,1\n8,x,1",
                3,
                "expected column,row,time, found \"8,x,1\"",
            ),
            ("8,8,1\n\n16,8,1", 4, "\"16,8,1\" is no point of the board"),
            ("0,8,1", 2, "\"0,8,1\" is no point"),
            ("8,8,1\n9,9,1\n8,8,1", 4, "move 3: H8 is already taken"),
            ("a\nb\nc", 4, "expected the end of the game, found \"c\""),
            ("a\n-1\nb", 4, "expected the end of the game, found \"b\""),
        ] {
            let text = format!("Piskvorky 15x15, 0:0, 0\n{body}\nPiskvorky 15x15, 0:0, 0\n8,8,1");
            let games = read(&text);
            assert_eq!(games.len(), 2, "{body}");
            assert!(games[1].is_ok(), "{body}");
            let error = games[0].as_ref().expect_err(body);
            assert_eq!(error.line, line, "{body}");
            assert!(error.to_string().contains(reason), "{error}");
        }
        for header in ["", " 15", " 4x4", " 15x23", " axb", " -15x15", " 300x15"] {
            let error = read(&format!("Piskvorky{header}, 0:0, 0")).remove(0);
            assert!(
                error
                    .expect_err(header)
                    .to_string()
                    .contains("line 1: expected a board of 5 x 5"),
                "{header}"
            );
        }
    }
}
