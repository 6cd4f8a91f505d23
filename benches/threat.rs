//! How fast wins by fours and by threats are proved.
//!
//! Each set is small and fixed: known positions of `tests/data`, every difficulty among them. One
//! iteration solves the whole set, each position without memory of the others.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use quincunx::board::Board;
use quincunx::record::parse_entry;
use quincunx::rule::RuleKind;
use quincunx::threat::Limits;
use quincunx::threat::vcf::{self, Vcf};
use quincunx::threat::vct::{self, Vct};
use quincunx::types::Size;

/// Every `step`th of the positions of a file whose line satisfies `test`.
fn boards(name: &str, step: usize, test: impl Fn(&str) -> bool) -> Vec<Board> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .lines()
        .filter(|line| test(line))
        .step_by(step)
        .map(|line| {
            parse_entry(line, Size::square(15))
                .expect("a position")
                .position
                .board(RuleKind::Freestyle)
        })
        .collect()
}

fn solve_vcf(c: &mut Criterion) {
    let mut vcf = Vcf::new(17);
    let mut group = c.benchmark_group("vcf");
    for (name, file, step) in [
        ("win", "vcf.jsonl", 12),
        ("none", "vcf_none.jsonl", 5),
        ("no_win_but_threats", "vct.jsonl", 4),
    ] {
        let mut boards = boards(file, step, |_| true);
        group.throughput(Throughput::Elements(boards.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                for board in &mut boards {
                    vcf.clear();
                    let verdict = vcf.solve_within(board, &Limits::NONE);
                    assert_ne!(verdict, vcf::Verdict::Unknown);
                    black_box(verdict);
                }
            });
        });
    }
    group.finish();
}

fn solve_vct(c: &mut Criterion) {
    let mut vct = Vct::new(16 << 20);
    let mut group = c.benchmark_group("vct");
    group.sample_size(20);
    for (name, short, step) in [("one_quiet_move", true, 4), ("more_quiet_moves", false, 5)] {
        let mut boards = boards("vct.jsonl", step, |line| {
            line.contains(r#""quiet_threats":1,"#) == short
        });
        group.throughput(Throughput::Elements(boards.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                for board in &mut boards {
                    vct.clear();
                    let verdict = vct.solve(board, &Limits::nodes(20_000));
                    assert!(!matches!(verdict, vct::Verdict::NoWin));
                    black_box(verdict);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, solve_vcf, solve_vct);
criterion_main!(benches);
