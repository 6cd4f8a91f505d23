//! `forbidden`: the points that Black may not play.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use crate::board::Board;
use crate::foul;
use crate::pattern::Threat;
use crate::record::{AtLine, Entry, ParseEntryError, entries};
use crate::rule::RuleKind;
use crate::types::{Colour, Size};

/// List the points that Black may not play under the rules of renju
///
/// Reads one position per line and writes one JSON object per position, such as
/// `{"id":"a","forbidden":[{"p":"E14","kinds":["double-four"]}]}`. A point where Black makes five is
/// never forbidden. A line that is no position is reported on standard error with its number; the
/// others are answered all the same, and the exit code is 2.
///
/// A line is a move list such as "h8 i9 g7", or a JSON object with the keys "board" (rows from
/// top to bottom as a list or joined in one string: X Black, O White, # wall, . empty) or "moves",
/// and "size", "rule" and "id" if you like. Empty lines and lines that begin with # are skipped.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// File with one position per line; - for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// Side of the board for lines that do not tell it
    #[arg(long, value_name = "CELLS", default_value_t = 15, value_parser = clap::value_parser!(u8).range(i64::from(Size::MIN)..=i64::from(Size::MAX)))]
    pub(super) size: u8,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    forbidden: Vec<ForbiddenPoint>,
}

#[derive(Serialize)]
struct ForbiddenPoint {
    p: String,
    kinds: Vec<&'static str>,
}

/// Answers every position of the file; see [`Options`].
///
/// # Errors
/// When the file cannot be read or `out` cannot be written.
pub(super) fn run(
    options: &Options,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<ExitCode> {
    let size = Size::square(options.size);
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", options.file.display()))
    };
    let input: Box<dyn BufRead> = if options.file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(&options.file).map_err(named)?))
    };
    let mut all_good = true;
    for entry in entries(input, size) {
        match entry {
            Ok(entry) => {
                serde_json::to_writer(&mut *out, &answer(&entry))?;
                writeln!(out)?;
            }
            Err(AtLine {
                reason: ParseEntryError::Io(error),
                ..
            }) if error.kind() != io::ErrorKind::InvalidData => return Err(named(error)),
            Err(error) => {
                all_good = false;
                writeln!(err, "error: {error}")?;
            }
        }
    }
    Ok(if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

fn answer(entry: &Entry) -> Answer<'_> {
    Answer {
        id: entry.id.as_ref(),
        forbidden: forbidden_points(&mut entry.position.board(RuleKind::Renju)),
    }
}

/// The points that Black may not play, row by row from the top. None under rules without fouls.
fn forbidden_points(board: &mut Board) -> Vec<ForbiddenPoint> {
    let suspects = *board.points_with(Colour::Black, Threat::Foul);
    let mut points = Vec::new();
    for point in &suspects {
        let kinds = foul::kinds(board, point);
        if !kinds.is_empty() {
            points.push(ForbiddenPoint {
                p: point.letters(board.size()).to_string(),
                kinds: kinds.iter().map(crate::rule::FoulKind::name).collect(),
            });
        }
    }
    points
}
