//! `solve`: wins by continuous fours or threats, proved.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use super::{parse_rule, progress_bar};
use crate::board::Board;
use crate::record::{Entry, entries};
use crate::rule::RuleKind;
use crate::threat::vcf::{self, Vcf};
use crate::threat::vct::{self, Vct};
use crate::threat::{Limits, Line, Proof, check};
use crate::types::{Colour, Size};

/// Prove wins by continuous fours (VCF) or by fours and threes (VCT)
///
/// Reads one position per line and prints one JSON object per position, in the order of the input, such as
/// `{"id":"a","result":"win","side":"black","len":3,"line":["H8","H9","J6","--","K5"],"nodes":42,"ms":0.1}`.
/// The result is "win", "no-win" (no such win exists; for vct: none by the threats that are considered) or
/// "unknown" (a limit was reached). `len` counts the moves of the side to move up to the five. The line begins with the side
/// to move; "--" stands where the other side has no legal reply that helps.
///
/// A line is a JSON object with the keys "board" (rows from top to bottom: X Black, O White, # wall,
/// . empty) or "moves", and "size", "rule", "side" and "id" if you like, or a move list such as "h8 i9 g7". A
/// line that is no position is reported on standard error; the others are answered all the same, and
/// the exit code is 2. It is 1 if --verify finds a proof that does not hold.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// File with one position per line; - for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// What to look for
    #[arg(long, value_enum)]
    pub(super) kind: Kind,

    /// Rule for lines that do not tell it: a name or a number
    #[arg(long, default_value = "freestyle", value_parser = parse_rule)]
    pub(super) rule: RuleKind,

    /// Side of the board for lines that do not tell it
    #[arg(long, value_name = "CELLS", default_value_t = 15, value_parser = clap::value_parser!(u8).range(i64::from(Size::MIN)..=i64::from(Size::MAX)))]
    pub(super) size: u8,

    /// Look for a win with the fewest moves (vcf only)
    #[arg(long)]
    pub(super) shortest: bool,

    /// Most positions to enter for one answer
    #[arg(long, value_name = "N")]
    pub(super) nodes: Option<u64>,

    /// Most time for one answer, in milliseconds
    #[arg(long, value_name = "T")]
    pub(super) time_ms: Option<u64>,

    /// Memory for the proof table of each thread, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(super) hash_mb: u16,

    /// Threads, each with a position of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: u16,

    /// Check each win by playing it out against every legal reply, without the solver's tables
    #[arg(long)]
    pub(super) verify: bool,
}

/// What to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Kind {
    /// Victory by continuous fours
    Vcf,
    /// Victory by continuous threats: fours and threes
    Vct,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    result: &'static str,
    side: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    len: Option<u32>,
    line: Vec<String>,
    nodes: u64,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
}

/// A win that a solver claims.
struct Win {
    line: Line,
    moves: u32,
    proof: Option<Proof>,
}

enum Outcome {
    Win(Box<Win>),
    NoWin,
    Unknown,
}

impl Outcome {
    const fn name(&self) -> &'static str {
        match self {
            Self::Win(_) => "win",
            Self::NoWin => "no-win",
            Self::Unknown => "unknown",
        }
    }
}

/// The solvers of one thread.
struct Solver<'a> {
    options: &'a Options,
    vcf: Vcf,
    vct: Option<Vct>,
}

/// Bits of the memory of the VCF solver: 8 MiB.
const VCF_BITS: u32 = 20;

impl<'a> Solver<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            vcf: Vcf::new(if options.kind == Kind::Vcf {
                VCF_BITS
            } else {
                0
            }),
            vct: (options.kind == Kind::Vct).then(|| Vct::new(usize::from(options.hash_mb) << 20)),
        }
    }

    /// What is known of the position without memory of others, and the number of positions entered.
    fn solve(&mut self, board: &mut Board) -> (Outcome, u64) {
        let start = Instant::now();
        let most = self.options.time_ms.map(Duration::from_millis);
        let stop = || most.is_some_and(|most| start.elapsed() >= most);
        let limits = Limits {
            nodes: self.options.nodes.unwrap_or(u64::MAX),
            stop: Some(&stop),
            ..Limits::NONE
        };
        if let Some(vct) = &mut self.vct {
            vct.clear();
            let outcome = match vct.solve(board, &limits) {
                vct::Verdict::Win(win) => Outcome::Win(Box::new(Win {
                    line: win.line,
                    moves: win.moves,
                    proof: Some(win.proof),
                })),
                vct::Verdict::NoWin => Outcome::NoWin,
                vct::Verdict::Unknown => Outcome::Unknown,
            };
            return (outcome, vct.nodes());
        }
        self.vcf.clear();
        let verdict = if self.options.shortest {
            self.vcf.solve_shortest(board, &limits)
        } else {
            self.vcf.solve_within(board, &limits)
        };
        let nodes = self.vcf.nodes();
        let outcome = match verdict {
            vcf::Verdict::Win(line) => Outcome::Win(Box::new(Win {
                moves: u32::try_from(line.len().div_ceil(2)).expect("a line is short"),
                line,
                proof: None,
            })),
            vcf::Verdict::NoWin => Outcome::NoWin,
            vcf::Verdict::Unknown => Outcome::Unknown,
        };
        (outcome, nodes)
    }

    fn answer<'e>(&mut self, entry: &'e Entry) -> Answer<'e> {
        let mut board = entry.position.board(self.options.rule);
        let start = Instant::now();
        let (outcome, nodes) = self.solve(&mut board);
        let elapsed = start.elapsed();
        let mut answer = Answer {
            id: entry.id.as_ref(),
            result: outcome.name(),
            side: match board.side() {
                Colour::Black => "black",
                Colour::White => "white",
            },
            len: None,
            line: Vec::new(),
            nodes,
            ms: (elapsed.as_secs_f64() * 1e6).round() / 1e3,
            verified: None,
        };
        if let Outcome::Win(win) = outcome {
            answer.len = Some(win.moves);
            answer.line = win
                .line
                .iter()
                .map(|point| point.map_or("--".into(), |p| p.letters(board.size()).to_string()))
                .collect();
            answer.verified = self.options.verify.then(|| self.holds(&mut board, *win));
        }
        answer
    }

    /// Whether the checker confirms the win.
    fn holds(&mut self, board: &mut Board, win: Win) -> bool {
        let proof = win.proof.or_else(|| {
            let mut proof = Proof::default();
            self.vcf.explain(board, &win.line, &mut proof)?;
            Some(proof)
        });
        let grid = board.to_grid();
        let checked =
            proof.map(|proof| check::check_proof(board.rule(), &grid, board.side(), &proof));
        matches!(checked, Some(Ok(confirmed)) if confirmed.moves == win.moves)
    }
}

/// What happened to all positions together.
#[derive(Default)]
struct Summary {
    wins: usize,
    no_wins: usize,
    unknown: usize,
    verified: usize,
    ms: f64,
    worst_ms: f64,
    nodes: u64,
}

impl Summary {
    fn add(&mut self, answer: &Answer) {
        match answer.result {
            "win" => self.wins += 1,
            "no-win" => self.no_wins += 1,
            _ => self.unknown += 1,
        }
        self.verified += usize::from(answer.verified == Some(true));
        self.ms += answer.ms;
        self.worst_ms = self.worst_ms.max(answer.ms);
        self.nodes += answer.nodes;
    }
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
    let reader: Box<dyn BufRead> = if options.file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(&options.file).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", options.file.display()))
        })?;
        Box::new(BufReader::new(file))
    };
    let mut positions = Vec::new();
    let mut all_good = true;
    for entry in entries(reader, size) {
        match entry {
            Ok(entry) => positions.push(entry),
            Err(error) => {
                all_good = false;
                writeln!(err, "error: {error}")?;
            }
        }
    }
    let summary = answer_all(options, &positions, out)?;
    write!(
        err,
        "{} positions: {} won, {} without a win, {} unknown",
        positions.len(),
        summary.wins,
        summary.no_wins,
        summary.unknown
    )?;
    if options.verify {
        write!(
            err,
            "; {} of {} wins verified",
            summary.verified, summary.wins
        )?;
    }
    writeln!(
        err,
        "; {:.1} ms in all, {:.1} ms at most, {} nodes",
        summary.ms, summary.worst_ms, summary.nodes
    )?;
    Ok(if options.verify && summary.verified < summary.wins {
        ExitCode::FAILURE
    } else if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

/// Shares the positions out among threads and prints the answers in order, each as soon as all before it
/// are there.
fn answer_all(options: &Options, positions: &[Entry], out: &mut impl Write) -> io::Result<Summary> {
    let bar = progress_bar(positions.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = crossbeam_channel::unbounded();
    thread::scope(|scope| {
        for _ in 0..usize::from(options.threads).min(positions.len()) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                let mut solver = Solver::new(options);
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(entry) = positions.get(i) else {
                        break;
                    };
                    // Nobody listens any more after a failure to write.
                    if sender.send((i, solver.answer(entry))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut summary = Summary::default();
        let mut waiting = BTreeMap::new();
        let mut printed = 0;
        for (i, answer) in &receiver {
            summary.add(&answer);
            bar.inc(1);
            waiting.insert(i, answer);
            while let Some(answer) = waiting.remove(&printed) {
                let line = serde_json::to_string(&answer)?;
                bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()))?;
                printed += 1;
            }
        }
        bar.finish_and_clear();
        Ok(summary)
    })
}
