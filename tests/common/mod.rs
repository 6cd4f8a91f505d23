//! What several tests share: data files and random positions.
#![allow(dead_code, reason = "each test uses its share")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use quincunx::types::{Cell, Colour, Grid, Size, SplitMix64};
use serde_json::Value;

/// Runs the program with `arguments`, gives it `input`, and waits for its end.
pub(crate) fn quincunx(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pbrain-quincunx"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end without having read all of its input.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

/// The records of `tests/data/<name>.jsonl`.
pub(crate) fn records(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
        .with_extension("jsonl");
    fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

/// The board of a record: rows in a list, or the rows of 15 × 15 in one string.
pub(crate) fn grid_of(record: &Value) -> Grid {
    let rows: Vec<&str> = match &record["board"] {
        Value::Array(rows) => rows.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => (0..15).map(|y| &text[15 * y..15 * (y + 1)]).collect(),
        other => panic!("a board, not {other}"),
    };
    Grid::from_rows(rows).expect("a drawn board")
}

/// A random size from 5 to 22 each way; every second one is square.
pub(crate) fn random_size(rng: &mut SplitMix64) -> Size {
    let mut side = || u8::try_from(5 + rng.below(18)).expect("small");
    let (width, height, square) = (side(), side(), side() % 2 == 0);
    Size::new(width, if square { width } else { height }).expect("in range")
}

/// A board where each cell holds a stone with a chance of `stones` in 100 and a wall with a
/// chance of `walls` in 100; `black` in 100 of the stones are black.
pub(crate) fn random_grid(
    rng: &mut SplitMix64,
    size: Size,
    stones: usize,
    black: usize,
    walls: usize,
) -> Grid {
    let mut grid = Grid::new(size);
    for point in size.points() {
        if rng.below(100) < stones {
            let colour = if rng.below(100) < black {
                Colour::Black
            } else {
                Colour::White
            };
            grid.set(point, Cell::Stone(colour));
        } else if rng.below(100) < walls {
            grid.set(point, Cell::Wall);
        }
    }
    grid
}
