//! `selfplay`: games of the engine against itself, as data for `train`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::board::{Board, NoObserver};
use crate::eval::Evaluator;
use crate::movegen;
use crate::pattern::Threat;
use crate::record::selfplay::{Game, NO_SCORE};
use crate::rule::RuleKind;
use crate::search::{Limits, Report, Searcher, Unattended};
use crate::types::{Point, Size, SplitMix64, score};

/// Bytes of the hash table of one thread: enough for a few thousand nodes a move.
const HASH_BYTES: usize = 1 << 20;
/// Nodes of the search that judges an opening.
const OPENING_NODES: u64 = 3_000;
/// Plies that a game goes on for after a win is proved: what a won position looks like has to be learned, too.
const AFTERMATH: u32 = 8;
/// The odds of moves drawn by lot are the policy's to the power of one over this.
const TEMPERATURE: f64 = 2.0;

/// Play games against itself and write them as training data
///
/// Openings are random stones near each other that a short search calls about equal; both sides
/// then search a fixed number of nodes a move, but some moves are drawn by lot, so that the data show what
/// mistakes lead to. After a win is proved the game goes on for some moves. Game number n of a seed is always the same
/// game, so an interrupted run can be taken up again (it counts the games in the file), and runs with
/// different seeds can be spread over machines and their files concatenated.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// File to append games to
    #[arg(value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Rule, as managers number it: 0 freestyle, 1 standard, 4 renju, 8 caro, 9 caro exact
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) rule: u8,
    /// Side of the square board, in cells
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u8).range(10..=22))]
    pub(super) size: u8,
    /// Games that the file shall hold in the end
    #[arg(long, default_value_t = 1000)]
    pub(super) games: u64,
    /// Nodes per move
    #[arg(long, default_value_t = 2000)]
    pub(super) nodes: u64,
    /// Seed of all games
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Scores beyond this, in points, make an opening unfit
    #[arg(long, default_value_t = 150)]
    pub(super) balance: i32,
    /// One move in so many is drawn by lot, by the odds of the policy; 0 for none
    #[arg(long, default_value_t = 16)]
    pub(super) explore: usize,
    /// Threads, one game each
    #[arg(long, default_value_t = 1)]
    pub(super) threads: usize,
}

/// Plays the games; progress goes to standard error when that is a terminal.
///
/// # Errors
/// When the file cannot be read or written.
pub(super) fn run(options: &Options) -> io::Result<ExitCode> {
    let rule = RuleKind::from_code(options.rule.into())
        .filter(|rule| rule.code() == options.rule)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "unknown rule"))?;
    let done = count_games(&options.out)?;
    let mut out = BufWriter::new(
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&options.out)?,
    );
    let bar = ProgressBar::new(options.games).with_position(done);
    if let Ok(style) = ProgressStyle::with_template(
        "{wide_bar} {human_pos}/{human_len} games, {per_sec}, {eta} left",
    ) {
        bar.set_style(style);
    }
    bar.reset_eta();
    let (sender, receiver) = crossbeam_channel::bounded::<(u64, Game)>(64);
    let threads = options.threads.max(1) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut searcher = Searcher::new(HASH_BYTES);
                for number in (done..options.games).filter(|n| n % threads == thread) {
                    let game = play_game(&mut searcher, rule, number, options);
                    if sender.send((number, game)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Games are written in the order of their numbers, so that the file's length says where to go on.
        let mut waiting = std::collections::BTreeMap::new();
        let mut next = done;
        for (number, game) in receiver {
            waiting.insert(number, game);
            while let Some(game) = waiting.remove(&next) {
                game.write(&mut out)?;
                next += 1;
                bar.inc(1);
                if next.is_multiple_of(64) {
                    out.flush()?;
                }
            }
        }
        out.flush()
    })?;
    bar.finish();
    Ok(ExitCode::SUCCESS)
}

fn count_games(path: &std::path::Path) -> io::Result<u64> {
    let mut reader = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut count = 0;
    while Game::read(&mut reader)?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Searches `nodes` positions.
pub(super) fn search(searcher: &mut Searcher, board: &mut Board, nodes: u64) -> Report {
    let limits = Limits {
        max_nodes: Some(nodes),
        ..Limits::default()
    };
    searcher.think(board, &limits, &mut Unattended)
}

/// Game `number`: the same for the same options, whatever was played before it.
fn play_game(searcher: &mut Searcher, rule: RuleKind, number: u64, options: &Options) -> Game {
    let mut rng = SplitMix64::new(options.seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95));
    let size = Size::square(options.size);
    let mut board = opening(searcher, rule, size, &mut rng, options.balance);
    searcher.new_game();
    let mut played: Vec<_> = board
        .moves()
        .flatten()
        .map(|point| (point, NO_SCORE))
        .collect();
    let mut winner = None;
    let mut rest = AFTERMATH;
    while !board.empty().is_empty() && rest > 0 {
        if winner.is_none()
            && options.explore > 0
            && rng.below(options.explore) == 0
            && let Some(point) = drawn(&mut board, &mut rng)
        {
            played.push((point, NO_SCORE));
            board.play(point, &mut NoObserver);
            continue;
        }
        let mover = board.side();
        let report = search(searcher, &mut board, options.nodes);
        let Some(&point) = report.line.first() else {
            break;
        };
        if winner.is_none() && score::is_decisive(report.score) {
            let won = score::is_win(report.score);
            winner = Some(if won { mover } else { !mover });
        }
        if winner.is_some() {
            rest -= 1;
        }
        if board.threat(point, mover) == Threat::Five {
            break;
        }
        played.push((point, i16::try_from(report.score).unwrap_or(NO_SCORE)));
        board.play(point, &mut NoObserver);
    }
    Game {
        rule,
        size,
        winner,
        moves: played,
    }
}

/// A move of the side to move, drawn by the odds of the policy; `None` where something is to be answered.
fn drawn(board: &mut Board, rng: &mut SplitMix64) -> Option<Point> {
    let side = board.side();
    if movegen::threatens_five(board) || movegen::threatens_open_four(board, !side) {
        return None;
    }
    let mut moves = Vec::new();
    Evaluator::new(board).policy(board, &board.candidates(), |point, odds| {
        moves.push((point, f64::from(odds) / (100.0 * TEMPERATURE)));
    });
    moves.retain(|&(point, _)| movegen::is_legal(board, point, side));
    let most = moves.iter().map(|&(_, odds)| odds).fold(f64::MIN, f64::max);
    let mut sum = 0.0;
    for (_, odds) in &mut moves {
        sum += (*odds - most).exp();
        *odds = sum;
    }
    #[allow(
        clippy::cast_precision_loss,
        reason = "a random number below 2 to the power of 20"
    )]
    let lot = sum * rng.below(1 << 20) as f64 / f64::from(1 << 20);
    moves
        .iter()
        .find(|&&(_, odds)| odds > lot)
        .map(|&(point, _)| point)
}

/// A position of a few random stones that a short search calls about equal.
pub(super) fn opening(
    searcher: &mut Searcher,
    rule: RuleKind,
    size: Size,
    rng: &mut SplitMix64,
    balance: i32,
) -> Board {
    loop {
        let mut board = Board::new(size, rule);
        let stones = 2 + rng.below(8);
        let half = usize::from(size.width() / 2);
        let first = size
            .points()
            .filter(|point| usize::from(point.distance(size.centre())) <= half.saturating_sub(4));
        let firsts: Vec<_> = first.collect();
        board.play(firsts[rng.below(firsts.len())], &mut NoObserver);
        for _ in 1..stones {
            let candidates = board.candidates();
            if let Some(point) = candidates.iter().nth(rng.below(candidates.len())) {
                board.play(point, &mut NoObserver);
            }
        }
        let mover = board.side();
        if movegen::threatens_five(&board) || movegen::threatens_open_four(&board, mover) {
            continue;
        }
        searcher.new_game();
        if search(searcher, &mut board, OPENING_NODES).score.abs() <= balance {
            return board;
        }
    }
}
