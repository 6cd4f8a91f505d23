//! Every position of the foul data: the forbidden points, and why, are exactly those of the file,
//! by the fast test on the incremental board and by the slow oracle.

mod common;

use std::collections::BTreeMap;

use quincunx::board::Board;
use quincunx::foul;
use quincunx::rule::{FoulKind, FoulKinds, RuleKind, oracle};
use quincunx::types::{Colour, Grid, Point, Symmetry};
use serde_json::Value;

/// Forbidden points; the reasons where the file gives them, at least one of all otherwise.
type Expected = BTreeMap<Point, FoulKinds>;

fn kind_named(name: &str) -> FoulKind {
    FoulKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name)
        .unwrap_or_else(|| panic!("a kind of foul, not {name}"))
}

/// `forbidden` in its two forms: objects with `p` and `kinds`, or texts such as `H8:overline`.
fn expected(record: &Value, grid: &Grid) -> Expected {
    let list = record["forbidden"].as_array().expect("a list of points");
    list.iter()
        .map(|entry| {
            let (name, kinds): (&str, Vec<&str>) = if let Some(text) = entry.as_str() {
                let (name, kinds) = text.split_once(':').expect("point and kinds");
                (name, kinds.split(['+', ',']).collect())
            } else {
                let kinds = entry["kinds"].as_array().expect("a list of kinds");
                (
                    entry["p"].as_str().expect("a point"),
                    kinds.iter().filter_map(Value::as_str).collect(),
                )
            };
            let kinds = kinds
                .into_iter()
                .map(kind_named)
                .fold(FoulKinds::NONE, FoulKinds::with);
            assert!(!kinds.is_empty(), "{record}");
            (
                Point::parse(name, grid.size()).expect("a point of the board"),
                kinds,
            )
        })
        .collect()
}

fn by_oracle(grid: &Grid) -> Expected {
    let board = Board::from_grid(grid, RuleKind::Renju, Colour::Black);
    board
        .empty()
        .iter()
        .map(|point| {
            (
                point,
                oracle::foul(RuleKind::Renju, grid, Colour::Black, point),
            )
        })
        .filter(|(_, kinds)| !kinds.is_empty())
        .collect()
}

fn by_board(grid: &Grid) -> Expected {
    let mut board = Board::from_grid(grid, RuleKind::Renju, Colour::Black);
    let empty = *board.empty();
    let mut found = Expected::new();
    for point in &empty {
        let kinds = foul::kinds(&mut board, point);
        assert_eq!(
            foul::is_foul(&mut board, point),
            !kinds.is_empty(),
            "{point} of\n{grid}"
        );
        if !kinds.is_empty() {
            found.insert(point, kinds);
        }
    }
    found
}

/// Checks one file and returns the number of positions and of forbidden points.
fn check(name: &str) -> (usize, usize) {
    let records = common::records(name);
    let mut points = 0;
    for record in &records {
        let grid = common::grid_of(record);
        let expected = expected(record, &grid);
        points += expected.len();
        assert_eq!(by_oracle(&grid), expected, "oracle: {record}");
        for symmetry in Symmetry::ALL {
            let image: Expected = expected
                .iter()
                .map(|(&point, &kinds)| (symmetry.apply(point, grid.size()), kinds))
                .collect();
            let found = by_board(&grid.transformed(symmetry));
            assert_eq!(found, image, "{symmetry:?} of {record}");
        }
    }
    (records.len(), points)
}

#[test]
fn selected_positions() {
    assert_eq!(check("forbidden"), (225, 532));
}

#[test]
fn random_positions() {
    assert_eq!(check("forbidden_random"), (1897, 2694));
}

/// Where programs differ, the answer is that of the RIF rules.
#[test]
fn disputed_positions() {
    assert_eq!(check("forbidden_disputed"), (152, 640));
    let mut disputed = 0;
    for record in common::records("forbidden_disputed") {
        let grid = common::grid_of(&record);
        let mut board = Board::from_grid(&grid, RuleKind::Renju, Colour::Black);
        for entry in record["disputed"].as_array().expect("a list") {
            let name = entry["p"].as_str().expect("a point");
            let point = Point::parse(name, grid.size()).expect("a point of the board");
            assert_eq!(
                foul::is_foul(&mut board, point),
                entry["rif"] == "forbidden",
                "{record}"
            );
            disputed += 1;
        }
    }
    assert_eq!(disputed, 227);
}

/// Nothing is foul under the other four rules.
#[test]
fn other_rules_have_no_fouls() {
    for record in common::records("forbidden") {
        let grid = common::grid_of(&record);
        for rule in RuleKind::ALL {
            if rule == RuleKind::Renju {
                continue;
            }
            let mut board = Board::from_grid(&grid, rule, Colour::Black);
            let empty = *board.empty();
            assert!(empty.iter().all(|point| !foul::is_foul(&mut board, point)));
        }
    }
}
