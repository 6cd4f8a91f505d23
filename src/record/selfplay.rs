//! Self-played games as training data: a compact binary format.
//!
//! Files are games one after another and nothing else, so shards simply concatenate. A game,
//! little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 2 | magic `QG` |
//! | 1 | rule, as managers number it |
//! | 1 + 1 | width, height |
//! | 1 | result: 0 White won, 1 draw, 2 Black won |
//! | 2 | number of moves |
//! | 4 per move | column, row, then the score (16 bits, signed) that the mover's search gave before the move, in evaluation points for the mover; [`NO_SCORE`] for moves of the opening and those drawn by lot |

use std::io::{self, Read, Write};

use crate::rule::RuleKind;
use crate::types::{Colour, Point, Size};

/// Stands for "not searched".
pub(crate) const NO_SCORE: i16 = i16::MIN;

const MAGIC: [u8; 2] = *b"QG";
const HEADER: usize = 8;

/// One game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Game {
    /// The rule.
    pub rule: RuleKind,
    /// Width and height of the board.
    pub size: Size,
    /// The winner, by proof rather than by five; `None` for a draw.
    pub winner: Option<Colour>,
    /// Moves in order, Black first, each with the score of its search for the mover or [`NO_SCORE`].
    pub moves: Vec<(Point, i16)>,
}

impl Game {
    /// Writes the game.
    ///
    /// # Errors
    /// When the writer fails.
    pub(crate) fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.moves.len());
        bytes.extend(MAGIC);
        let result = match self.winner {
            Some(Colour::White) => 0,
            None => 1,
            Some(Colour::Black) => 2,
        };
        bytes.extend([
            self.rule.code(),
            self.size.width(),
            self.size.height(),
            result,
        ]);
        bytes.extend(
            u16::try_from(self.moves.len())
                .unwrap_or(u16::MAX)
                .to_le_bytes(),
        );
        for &(point, score) in &self.moves {
            bytes.extend([point.x(), point.y()]);
            bytes.extend(score.to_le_bytes());
        }
        writer.write_all(&bytes)
    }

    /// Reads the next game; `None` at the end of the data.
    ///
    /// # Errors
    /// When the reader fails, or the data is no game or ends within one.
    pub(crate) fn read(reader: &mut impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER];
        if reader.read(&mut header[..1])? == 0 {
            return Ok(None);
        }
        reader.read_exact(&mut header[1..])?;
        let [m0, m1, rule, width, height, result, low, high] = header;
        let winner = match result {
            0 => Some(Colour::White),
            1 => None,
            2 => Some(Colour::Black),
            _ => return Err(invalid("a result is neither 0, 1 nor 2")),
        };
        if [m0, m1] != MAGIC {
            return Err(invalid("a game does not begin with its magic"));
        }
        let rule = RuleKind::from_code(rule.into()).ok_or_else(|| invalid("unknown rule"))?;
        let size = Size::new(width, height).ok_or_else(|| invalid("unsupported board size"))?;
        let mut body = vec![0; 4 * usize::from(u16::from_le_bytes([low, high]))];
        reader.read_exact(&mut body)?;
        let moves = body
            .as_chunks()
            .0
            .iter()
            .map(|&[x, y, low, high]| {
                let point = size.point(x.into(), y.into())?;
                Some((point, i16::from_le_bytes([low, high])))
            })
            .collect::<Option<_>>()
            .ok_or_else(|| invalid("a move lies outside the board"))?;
        Ok(Some(Self {
            rule,
            size,
            winner,
            moves,
        }))
    }
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_come_back_as_written_and_concatenate() {
        let game = |winner, n: u8| Game {
            rule: RuleKind::Caro,
            size: Size::new(20, 6).expect("in range"),
            winner,
            moves: (0..n)
                .map(|i| (Point::new(i, i % 6), i16::from(i) * -3))
                .collect(),
        };
        let games = [
            game(Some(Colour::White), 9),
            game(None, 0),
            game(Some(Colour::Black), 20),
        ];
        let mut bytes = Vec::new();
        for game in &games {
            game.write(&mut bytes).expect("memory");
        }
        let mut reader = bytes.as_slice();
        for game in games {
            assert_eq!(Game::read(&mut reader).expect("whole"), Some(game));
        }
        assert_eq!(Game::read(&mut reader).expect("end"), None);
        assert!(Game::read(&mut &bytes[..bytes.len() - 1][HEADER + 36..][HEADER..]).is_err());
        assert!(Game::read(&mut &bytes[1..]).is_err());
    }
}
