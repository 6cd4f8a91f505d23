//! Files with one position per line.

use std::io::{self, BufRead};

use super::{AtLine, Entry, ParseJsonError, ParseMovesError, Position, PositionError, parse_moves};
use crate::types::Size;

/// Reads one line: a JSON object if it begins with `{`, otherwise a move list on an empty
/// board of `size`.
///
/// # Errors
/// When the line is neither, or its moves cannot be played.
pub fn parse_entry(line: &str, size: Size) -> Result<Entry, ParseEntryError> {
    let line = line.trim();
    if line.starts_with('{') {
        return Ok(Entry::from_json(line, size)?);
    }
    let position = Position::from_moves(size, parse_moves(line, size)?)?;
    Ok(Entry { id: None, position })
}

/// Reads positions line by line as [`parse_entry`] does, with `size` for lines that name none.
/// Empty lines and lines that begin with `#` are skipped. Lines after one that cannot be read
/// are read all the same; only a failure of `reader` itself ends the iteration.
pub fn entries<R: BufRead>(reader: R, size: Size) -> Entries<R> {
    Entries {
        reader,
        size,
        line: 0,
        failed: false,
    }
}

/// Iterator over the positions of a file; see [`entries`].
#[derive(Debug)]
pub struct Entries<R> {
    reader: R,
    size: Size,
    line: usize,
    failed: bool,
}

impl<R> Entries<R> {
    /// Number of the line that was read last, from 1; 0 before the first.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<Entry, AtLine<ParseEntryError>>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            self.line += 1;
            let mut text = String::new();
            let entry = match self.reader.read_line(&mut text) {
                Ok(0) => return None,
                Ok(_) => {
                    let text = text.trim();
                    if text.is_empty() || text.starts_with('#') {
                        continue;
                    }
                    parse_entry(text, self.size)
                }
                Err(error) => {
                    // A line that is not UTF-8 has been consumed; after other errors the reader may
                    // stand still.
                    self.failed = error.kind() != io::ErrorKind::InvalidData;
                    Err(error.into())
                }
            };
            return Some(entry.map_err(|reason| AtLine {
                line: self.line,
                reason,
            }));
        }
        None
    }
}

/// Why a line is no position.
#[derive(Debug, thiserror::Error)]
pub enum ParseEntryError {
    /// The line could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A JSON object that is no position.
    #[error(transparent)]
    Json(#[from] ParseJsonError),
    /// Not a move list.
    #[error(transparent)]
    Moves(#[from] ParseMovesError),
    /// Moves that cannot be played.
    #[error(transparent)]
    Position(#[from] PositionError),
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size::square(15);

    #[test]
    fn good_lines_are_read_around_bad_ones() {
        let text =
            b"# two forms\n\nh8i9\nh8h8\n\xff\n {\"moves\":\"a1\",\"size\":20}\r\n{\nh8".as_slice();
        let found: Vec<String> = entries(text, SIZE)
            .map(|entry| match entry {
                Ok(entry) => format!(
                    "{} moves on {}",
                    entry.position.moves().len(),
                    entry.position.size().width()
                ),
                Err(error) => error.to_string(),
            })
            .collect();
        assert_eq!(found[0], "2 moves on 15");
        assert_eq!(found[1], "line 4: move 2: H8 is already taken");
        assert!(found[2].starts_with("line 5: "), "{}", found[2]);
        assert_eq!(found[3], "1 moves on 20");
        assert!(found[4].starts_with("line 7: not JSON"), "{}", found[4]);
        assert_eq!(found[5], "1 moves on 15");
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn a_broken_reader_ends_the_iteration() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let found = entries(io::BufReader::new(Broken), SIZE).take(3).count();
        assert_eq!(found, 1);
    }
}
