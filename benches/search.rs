//! Searches of single positions with an empty hash table each time: to a fixed depth, the time of
//! one call of `Searcher::think`; and nodes per second of teams of one and two threads.
//!
//! For a figure over the whole set and a signature, use `pbrain-quincunx bench`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use quincunx::cli::bench::{BenchPosition, POSITIONS};
use quincunx::rule::RuleKind;
use quincunx::search::{Limits, Searcher, Team, Unattended};

/// Depth in plies: some tens of milliseconds a search.
const DEPTH: u32 = 6;
/// Bytes of the hash table.
const HASH_BYTES: usize = 4 << 20;

/// The position of the set under `rule` and with `side` that has the most stones.
fn fullest(rule: RuleKind, side: u8) -> &'static BenchPosition {
    POSITIONS
        .iter()
        .filter(|bench| bench.rule == rule && bench.side == side)
        .max_by_key(|bench| bench.position().moves().len())
        .expect("the set has one")
}

fn search(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    for (rule, side) in [
        (RuleKind::Freestyle, 15),
        (RuleKind::Freestyle, 20),
        (RuleKind::Standard, 15),
        (RuleKind::Renju, 15),
        (RuleKind::Caro, 15),
    ] {
        let bench = fullest(rule, side);
        let mut board = bench.position().board(rule);
        let limits = Limits {
            max_depth: Some(DEPTH),
            ..Limits::default()
        };
        let mut searcher = Searcher::new(HASH_BYTES);
        group.bench_function(format!("{rule}-{side}"), |bencher| {
            bencher.iter(|| {
                searcher.new_game();
                black_box(searcher.think(&mut board, &limits, &mut Unattended))
            });
        });
    }
    group.finish();
}

/// Nodes per second by number of threads. Needs as many idle processors.
fn smp(criterion: &mut Criterion) {
    const NODES: u64 = 200_000;
    let mut group = criterion.benchmark_group("smp");
    group
        .sampling_mode(SamplingMode::Flat)
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5))
        .throughput(Throughput::Elements(NODES));
    let mut board = fullest(RuleKind::Standard, 20)
        .position()
        .board(RuleKind::Standard);
    let limits = Limits {
        max_nodes: Some(NODES),
        ..Limits::default()
    };
    for threads in [1, 2] {
        let mut team = Team::new(HASH_BYTES, threads);
        let report = team.think(&mut board, &limits, &mut Unattended);
        assert!(
            report.nodes >= NODES,
            "a position that is solved early measures nothing"
        );
        group.bench_function(format!("{threads}"), |bencher| {
            bencher.iter(|| {
                team.new_game();
                black_box(team.think(&mut board, &limits, &mut Unattended))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, search, smp);
criterion_main!(benches);
