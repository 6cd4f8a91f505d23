//! `bench`: a fixed set of positions, searched to a fixed depth.
//!
//! The last line says how many positions were searched, how fast, and a signature of
//! everything that was found. The signature depends on the code alone, not on the machine or the
//! load on it, as long as one thread searches: a change that is meant to be only faster must leave it as it is, and a change
//! that moves it is a change of the search and has to prove its strength.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use crate::record::{MoveList, Position, parse_moves};
use crate::rule::RuleKind;
use crate::search::{Limits, Report, Team, Unattended};
use crate::types::Size;

/// Depth in plies that the set is searched to unless told otherwise: a few seconds in all.
pub(super) const DEFAULT_DEPTH: u32 = 10;

/// Bytes of the hash table: small, so that replacement is measured too.
const HASH_BYTES: usize = 16 << 20;

/// Measure the search: nodes, speed and a signature
///
/// Searches a fixed set of positions (all rules, four sizes) to a fixed depth and prints a line for each. With
/// one thread, the signature in the last line is the same on every machine; it changes if and
/// only if the search visits other nodes, or finds other scores or moves.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Depth of each search in plies
    #[arg(long, value_name = "PLIES", default_value_t = DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(super) depth: u32,
    /// Threads that search; with more than one the signature changes from run to run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(super) threads: u32,
}

/// A position of the set.
#[derive(Clone, Copy, Debug)]
pub struct BenchPosition {
    /// The rule.
    pub rule: RuleKind,
    /// Side of the square board, in cells.
    pub side: u8,
    /// The moves that lead to it, as [`parse_moves`] reads them.
    pub moves: &'static str,
}

const fn position(rule: RuleKind, side: u8, moves: &'static str) -> BenchPosition {
    BenchPosition { rule, side, moves }
}

/// The set: middle games, two openings and an empty board. The moves come from games between two
/// engines and, for the second and third of renju, from games between people.
pub const POSITIONS: [BenchPosition; 20] = [
    position(RuleKind::Freestyle, 15, ""),
    position(
        RuleKind::Freestyle,
        15,
        "f7f6g8e6e8g6h6d7d6g4f5g5g3h8e5f4h4i5j5h7",
    ),
    position(
        RuleKind::Freestyle,
        15,
        "d12i9l5i8i10j9h7h8j8g7j10i6k10l10i7h6g6h9g10h10g9f8e9f9",
    ),
    position(RuleKind::Freestyle, 10, "i8i3b5c4d5e5c6e4d7e8f4f6e6d4g7f7"),
    position(
        RuleKind::Freestyle,
        20,
        "m8k8l7n9m7m9o9n8n10l9o7n7p8n6n5q7m10l10",
    ),
    position(
        RuleKind::Freestyle,
        20,
        "n15m16p16p12o16n14m14p17l15m15o13n13o17q15l16l14n12k12o18o19n18k13n16k11k10j12",
    ),
    position(RuleKind::Freestyle, 20, "m12o17j18m17k15m18"),
    position(RuleKind::Freestyle, 19, "j13g7l10j11l11l9k9k10i12k8k12m10"),
    position(
        RuleKind::Standard,
        15,
        "h8j8f9g7h9h10g10f8g9e9h6h5e8h11f11e12i7j6g12g11d7c6",
    ),
    position(RuleKind::Standard, 15, "h6j9i8f8h9i7j7k6h8h7g7g8k8i6j5i9"),
    position(RuleKind::Standard, 20, "h8i8c8g5c12i7i6h6f4g7h7g6g4i5"),
    position(RuleKind::Renju, 15, "h8h9j10"),
    position(
        RuleKind::Renju,
        15,
        "j5d6i6g6j7k8i8k6k4h7j4j6l3m2i5i4h5k5k3h6",
    ),
    position(RuleKind::Renju, 15, "h8h7h9h10i10g8f9i9f11j8k7j9i8j7j6g9"),
    position(
        RuleKind::Renju,
        15,
        "h8h7j6i7g7i9i6g6j8i8j9j7k6l6k7k5i5h4k9l8",
    ),
    position(
        RuleKind::Renju,
        15,
        "g10g9k9i10i9h9h8j10j8k8l10i7j11h11g12k7",
    ),
    position(
        RuleKind::Caro,
        15,
        "g6j6g10h10f7e8h9g8i8j7f8h7i9f9i6i7k7k5h8j8",
    ),
    position(
        RuleKind::Caro,
        15,
        "h10h8g9i9f8e7i11j12j10g10h12k9h11h13g11f11f14g13",
    ),
    position(
        RuleKind::CaroExact,
        15,
        "f7f9e6e9d7g8d9e10h7e8e11d11c12g10g7e7",
    ),
    position(
        RuleKind::CaroExact,
        20,
        "h13l11k9f13k10j11h11k11m11l10m9m10l9n9",
    ),
];

impl BenchPosition {
    /// Width and height.
    #[must_use]
    pub const fn size(&self) -> Size {
        Size::square(self.side)
    }

    /// The position, its rule set.
    ///
    /// # Panics
    /// When the moves cannot be read or played; those of [`POSITIONS`] can.
    #[must_use]
    pub fn position(&self) -> Position {
        let moves = parse_moves(self.moves, self.size()).expect("a valid move list");
        Position::from_moves(self.size(), moves)
            .expect("distinct points")
            .with_rule(Some(self.rule))
    }
}

/// What a run over the whole set found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// Nodes of all searches.
    pub(super) nodes: u64,
    /// Hash of the nodes, scores and best moves of all searches, in order.
    pub(super) signature: u64,
}

/// Searches each of `positions` to `depth` plies by `threads` threads, each without memory of the others, and
/// hands it with its number and report to `tell`.
///
/// # Errors
/// Those of `tell`, at once.
///
/// # Panics
/// When the moves of a position cannot be played.
pub(super) fn search_all(
    positions: &[BenchPosition],
    depth: u32,
    threads: u32,
    mut tell: impl FnMut(usize, &BenchPosition, &Report) -> io::Result<()>,
) -> io::Result<Summary> {
    let mut team = Team::new(HASH_BYTES, threads);
    let limits = Limits {
        max_depth: Some(depth),
        ..Limits::default()
    };
    let mut nodes = 0;
    let mut signature = Fnv::new();
    for (i, bench) in positions.iter().enumerate() {
        let mut board = bench.position().board(bench.rule);
        team.new_game();
        let report = team.think(&mut board, &limits, &mut Unattended);
        nodes += report.nodes;
        signature.add(report.nodes);
        signature.add(u64::from(report.score.cast_unsigned()));
        signature.add(report.line.first().map_or(0, |point| point.index() as u64));
        tell(i, bench, &report)?;
    }
    Ok(Summary {
        nodes,
        signature: signature.0,
    })
}

/// Searches the set and prints it; see the [module](self).
///
/// # Errors
/// When `out` cannot be written.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut searching = Duration::ZERO;
    let mut started = Instant::now();
    let (depth, threads) = (options.depth, options.threads);
    let summary = search_all(&POSITIONS, depth, threads, |i, bench, report| {
        searching += started.elapsed();
        let best = MoveList {
            moves: &report.line[..report.line.len().min(1)],
            size: bench.size(),
        };
        writeln!(
            out,
            "{:2}  {:10} {side:2} x {side:2}  depth {:2}  score {:6}  best {:3}  nodes {:9}",
            i + 1,
            bench.rule.name(),
            report.depth,
            report.score,
            best.to_string(),
            report.nodes,
            side = bench.side,
        )?;
        started = Instant::now();
        Ok(())
    })?;
    #[cfg(feature = "stats")]
    for (name, number) in crate::search::stats::counts() {
        writeln!(out, "{name:<14}{number:>12}")?;
    }
    let nps = u128::from(summary.nodes) * 1_000_000 / searching.as_micros().max(1);
    writeln!(
        out,
        "Bench: {} nodes {nps} nps signature {:016x}",
        summary.nodes, summary.signature
    )?;
    Ok(ExitCode::SUCCESS)
}

/// FNV-1a of 64 bits: the hashes of the standard library may change between releases.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, value: u64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::pattern::Threat;

    #[test]
    fn the_set_covers_every_rule_and_three_sizes() {
        let rules: HashSet<RuleKind> = POSITIONS.iter().map(|bench| bench.rule).collect();
        let sides: HashSet<u8> = POSITIONS.iter().map(|bench| bench.side).collect();
        assert_eq!(rules.len(), RuleKind::ALL.len());
        assert!(sides.len() >= 3, "{sides:?}");
    }

    #[test]
    fn no_game_of_the_set_is_decided() {
        for bench in &POSITIONS {
            let board = bench.position().board(bench.rule);
            let side = board.side();
            assert_eq!(board.rule(), bench.rule);
            assert_eq!(
                board.count(side, Threat::Five),
                0,
                "{bench:?}: a five to play"
            );
            let mut before = board.clone();
            while before.ply() > 0 {
                let point = before.last_move().expect("no passes");
                before.undo();
                let threat = before.threat(point, before.side());
                assert_ne!(threat, Threat::Five, "{bench:?}: {point}");
            }
        }
    }

    #[test]
    fn the_signature_hears_every_bit() {
        let signature = |values: &[u64]| {
            let mut hash = Fnv::new();
            for &value in values {
                hash.add(value);
            }
            hash.0
        };
        assert_ne!(signature(&[1, 2]), signature(&[2, 1]));
        for bit in 0..64 {
            assert_ne!(signature(&[1 << bit]), signature(&[0]), "bit {bit}");
        }
    }

    #[test]
    fn searching_twice_gives_the_same_signature() {
        let quiet = |_: usize, _: &BenchPosition, _: &Report| Ok(());
        let set = [POSITIONS[1], POSITIONS[14], POSITIONS[16]];
        let first = search_all(&set, 3, 1, quiet).expect("nothing to write");
        let second = search_all(&set, 3, 1, quiet).expect("nothing to write");
        assert_eq!(first, second);
        let reversed = [POSITIONS[16], POSITIONS[14], POSITIONS[1]];
        let other = search_all(&reversed, 3, 1, quiet).expect("nothing to write");
        assert_eq!(
            other.nodes, first.nodes,
            "searches must not remember each other"
        );
        assert_ne!(other.signature, first.signature);
    }
}
