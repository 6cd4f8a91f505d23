//! How fast the board plays and takes back, tests for fouls, answers look-ups and builds tables.
//!
//! `board/play_undo/…`: every candidate of a set of positions from 8 to 56 stones is played and
//! taken back, as a search does at each node; one element is one such pair. The positions come
//! from games between two greedy players with a fixed seed, so they hold the shapes that play
//! makes, not those of chance.

use std::fs;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use quincunx::board::{Board, NoObserver};
use quincunx::foul;
use quincunx::pattern::{Tables, Threat};
use quincunx::rule::RuleKind;
use quincunx::types::{Colour, Grid, Point, Size, SplitMix64};
use serde_json::Value;

/// Rules and sizes that leagues play.
const MIX: [(RuleKind, u8); 6] = [
    (RuleKind::Freestyle, 15),
    (RuleKind::Freestyle, 20),
    (RuleKind::Standard, 15),
    (RuleKind::Standard, 20),
    (RuleKind::Renju, 15),
    (RuleKind::Caro, 15),
];

/// Boards with the candidates to try on them.
type Workload = Vec<(Board, Vec<Point>)>;

/// Positions of four games under `rule`.
fn positions(rule: RuleKind, side: u8) -> Workload {
    let mut rng = SplitMix64::new(0xBE7C);
    let mut workload = Workload::new();
    for _ in 0..4 {
        let mut board = Board::new(Size::square(side), rule);
        while board.ply() < 56 {
            let candidates: Vec<Point> = board.candidates().iter().collect();
            // The strongest threat of either side, with chance among equals and in one move of four.
            let wild = rng.below(4) == 0;
            let best = candidates
                .iter()
                .map(|&point| {
                    let threat = Colour::ALL
                        .map(|c| board.threat(point, c))
                        .into_iter()
                        .max();
                    (threat.filter(|_| !wild), rng.next_u64(), point)
                })
                .filter(|&(threat, ..)| threat != Some(Threat::Five))
                .max();
            let Some((.., point)) = best else { break };
            board.play(point, &mut NoObserver);
            if board.ply().is_multiple_of(8) {
                workload.push((board.clone(), board.candidates().iter().collect()));
            }
        }
    }
    workload
}

fn pairs(workload: &Workload) -> u64 {
    workload.iter().map(|(_, points)| points.len() as u64).sum()
}

fn play_and_undo_all(workload: &mut Workload) {
    for (board, points) in workload {
        for &point in points.iter() {
            board.play(black_box(point), &mut NoObserver);
            black_box(board.hash());
            board.undo();
        }
    }
}

fn play_undo(c: &mut Criterion) {
    let mut group = c.benchmark_group("board/play_undo");
    let mut all = Workload::new();
    for (rule, side) in MIX {
        let mut workload = positions(rule, side);
        group.throughput(Throughput::Elements(pairs(&workload)));
        group.bench_function(format!("{rule}_{side}"), |b| {
            b.iter(|| play_and_undo_all(&mut workload));
        });
        all.extend(workload);
    }
    group.throughput(Throughput::Elements(pairs(&all)));
    group.bench_function("mix", |b| b.iter(|| play_and_undo_all(&mut all)));
    group.finish();
}

/// The random and played positions of the foul data, with the points that the tables suspect.
fn suspected_points() -> Workload {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/forbidden_random.jsonl"
    );
    let text = fs::read_to_string(path).expect("the foul data");
    text.lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).expect("one JSON object per line");
            let cells = record["board"].as_str().expect("a board in one string");
            let grid = Grid::from_rows((0..15).map(|y| &cells[15 * y..15 * (y + 1)]))
                .expect("a drawn board");
            let board = Board::from_grid(&grid, RuleKind::Renju, Colour::Black);
            let points = board
                .points_with(Colour::Black, Threat::Foul)
                .iter()
                .collect();
            (board, points)
        })
        .filter(|(_, points): &(_, Vec<Point>)| !points.is_empty())
        .take(200)
        .collect()
}

fn fouls(c: &mut Criterion) {
    let mut group = c.benchmark_group("foul");
    let mut suspects = suspected_points();
    group.throughput(Throughput::Elements(pairs(&suspects)));
    group.bench_function("suspects", |b| {
        b.iter(|| {
            for (board, points) in &mut suspects {
                for &point in points.iter() {
                    black_box(foul::is_foul(board, black_box(point)));
                }
            }
        });
    });
    group.finish();
}

fn look_up(c: &mut Criterion) {
    let mut group = c.benchmark_group("board/look_up");
    let workload = positions(RuleKind::Standard, 15);
    group.throughput(Throughput::Elements(workload.len() as u64));
    group.bench_function("fours_and_fives", |b| {
        b.iter(|| {
            for (board, _) in &workload {
                for colour in Colour::ALL {
                    black_box(board.count(colour, Threat::Five));
                    black_box(board.points_with(colour, Threat::Five).first());
                    black_box(board.points_with_at_least(colour, Threat::Four));
                }
            }
        });
    });
    group.bench_function("candidates", |b| {
        b.iter(|| {
            for (board, _) in &workload {
                black_box(board.candidates().iter().count());
            }
        });
    });
    group.bench_function("clone", |b| {
        b.iter(|| {
            for (board, _) in &workload {
                black_box(board.clone());
            }
        });
    });
    group.finish();
}

fn tables(c: &mut Criterion) {
    let mut group = c.benchmark_group("pattern/tables");
    for rule in RuleKind::ALL {
        group.bench_function(rule.name(), |b| b.iter(|| Tables::build(black_box(rule))));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(30);
    targets = play_undo, fouls, look_up, tables
}
criterion_main!(benches);
