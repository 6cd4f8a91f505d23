//! `duel`: games between two executables that speak the Gomocup protocol.
//!
//! Public match runners do not know every rule, caro above all; here the games are judged by
//! [`oracle`], which knows them all and shares no code with the engine. Every game has
//! processes of its own, so that engines whose limit is a number of nodes play the same games again.

mod player;

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::pairs::{self, LLR_BOUND, Summary};
use super::{parse_rule, progress_bar};
use crate::record::{Position, openings};
use crate::rule::{RuleKind, oracle};
use crate::types::{Cell, Colour, Grid, Size};
use player::Player;

/// What pipes and a busy machine may add to a move's time.
const TOLERANCE: Duration = Duration::from_millis(200);
/// The longest wait for a move that is limited by nodes.
const PATIENCE: Duration = Duration::from_mins(2);

/// Play two executables against each other, under any rule
///
/// Both speak the Gomocup protocol. Each opening is played twice with colours swapped. A player loses by
/// the other's five, by a foul, by an illegal or late answer, or when its process ends. Elo is the first
/// player's, with the error of 95 %, from the results of pairs. What the players write to standard error is shown.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  Does a change help caro? 156 games, two at once:
    $ pbrain-quincunx duel ./new ./old --rule caro --openings openings/caro-15.txt --nodes 3000 --threads 2

  Play until it is clear whether the first is rather 20 Elo stronger than no stronger:
    $ pbrain-quincunx duel ./new ./old --openings openings/freestyle-15.txt --time-ms 100 \\
        --games 2000 --elo0 0 --elo1 20")]
pub(super) struct Options {
    /// First player, an executable
    #[arg(value_name = "FIRST")]
    first: PathBuf,
    /// Second player
    #[arg(value_name = "SECOND")]
    second: PathBuf,
    /// Rule, by name or number
    #[arg(long, default_value = "freestyle", value_parser = parse_rule)]
    rule: RuleKind,
    /// Side of the square board, in cells
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u8).range(5..=22))]
    size: u8,
    /// File of openings, as in the folder `openings`
    #[arg(long, value_name = "FILE")]
    openings: PathBuf,
    /// Games, an even number [default: each opening twice]; with more, openings come again
    #[arg(long)]
    games: Option<u32>,
    /// Nodes per move (INFO `max_node`)
    #[arg(long, default_value_t = 3000)]
    nodes: u64,
    /// Time per move instead, in milliseconds (INFO `timeout_turn`)
    #[arg(long, conflicts_with = "nodes")]
    time_ms: Option<u64>,
    /// Threads, one pair of games each
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Sequential test: stop as soon as this advantage of the first player, in Elo, or --elo1 is likely enough
    #[arg(long, requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// The other advantage; 5 % of wrong verdicts either way
    #[arg(long, requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
}

/// Why a game was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loss {
    /// The opponent won on the board.
    Five,
    /// A forbidden move.
    Foul,
    /// A point off the board or taken, or an answer that is no move.
    Illegal,
    /// No answer in time.
    Time,
    /// The process ended.
    Crash,
}

impl Loss {
    /// In the order of their declaration.
    const NAMES: [&str; 5] = ["five", "foul", "illegal", "time", "crash"];
}

/// Plays the match; prints a line every ten pairs, and at the end what the losses were.
///
/// # Errors
/// When the openings cannot be read, a player cannot be started, or writing fails.
pub(super) fn run(options: &Options, out: &mut impl Write) -> io::Result<ExitCode> {
    let size = Size::square(options.size);
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    let openings = openings::load(&options.openings, size)
        .map_err(|error| invalid(format!("{}: {error}", options.openings.display())))?;
    if openings.is_empty() {
        return Err(invalid(format!(
            "{}: no openings",
            options.openings.display()
        )));
    }
    let count = match options.games {
        Some(games) => games.div_ceil(2),
        None => u32::try_from(openings.len()).unwrap_or(u32::MAX),
    };
    let table = Table::new(options);
    let mut tally = Tally::default();
    let mut verdict = None;
    let bar = progress_bar(count as usize);
    pairs::play(
        count,
        options.threads,
        |number| table.pair(&openings[number as usize % openings.len()]),
        |ends| {
            tally.add(ends?);
            bar.inc(1);
            if tally.pairs.pairs().is_multiple_of(10) && tally.pairs.pairs() < count {
                writeln!(out, "{tally}")?;
                out.flush()?;
            }
            if let (Some(elo0), Some(elo1)) = (options.elo0, options.elo1) {
                let llr = tally.pairs.llr(elo0, elo1);
                verdict = Some((llr, if llr > 0.0 { elo1 } else { elo0 }));
                return Ok(llr.abs() < LLR_BOUND);
            }
            Ok(true)
        },
    )?;
    bar.finish_and_clear();
    writeln!(out, "{tally}")?;
    for (name, losses) in ["first", "second"].into_iter().zip(tally.losses) {
        let reasons: Vec<String> = Loss::NAMES
            .into_iter()
            .zip(losses)
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        writeln!(out, "{name} lost by {}", reasons.join(", "))?;
    }
    if let Some((llr, elo)) = verdict {
        let word = if llr.abs() < LLR_BOUND {
            "undecided, rather"
        } else {
            "decided for"
        };
        writeln!(
            out,
            "SPRT {word} {elo:+} Elo: LLR {llr:+.2} of ±{LLR_BOUND}"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The conditions of all games.
struct Table<'a> {
    /// First and second.
    players: [&'a Path; 2],
    rule: RuleKind,
    size: Size,
    /// Commands that tell players the conditions.
    info: String,
    /// The longest wait for a move.
    limit: Duration,
}

/// How a game ended: who lost, 0 the first player, and why; `None` for a full board.
type End = Option<(usize, Loss)>;

impl<'a> Table<'a> {
    fn new(options: &'a Options) -> Self {
        let (limit, wait) = match options.time_ms {
            Some(ms) => (
                format!("timeout_turn {ms}"),
                Duration::from_millis(ms) + TOLERANCE,
            ),
            None => (format!("max_node {}", options.nodes), PATIENCE),
        };
        Self {
            players: [&options.first, &options.second],
            rule: options.rule,
            size: Size::square(options.size),
            info: format!("INFO rule {}\nINFO {limit}", options.rule.code()),
            limit: wait,
        }
    }

    /// Plays an opening twice, the first player as Black and as White.
    fn pair(&self, opening: &Position) -> io::Result<[End; 2]> {
        let game = |first: Colour| -> io::Result<End> {
            let lost = self.game(first, opening)?;
            Ok(lost.map(|(colour, reason)| (usize::from(colour != first), reason)))
        };
        Ok([game(Colour::Black)?, game(Colour::White)?])
    }

    /// Plays one game; returns the colour that lost.
    fn game(&self, first: Colour, opening: &Position) -> io::Result<Option<(Colour, Loss)>> {
        let mut players = Vec::with_capacity(2);
        for colour in Colour::ALL {
            let path = self.players[usize::from(colour != first)];
            players.push(Player::start(path, self.size)?);
        }
        for (colour, player) in Colour::ALL.into_iter().zip(&mut players) {
            if let Err(reason) = player.seat(&self.info) {
                return Ok(Some((colour, reason)));
            }
        }
        let mut moves = opening.moves().to_vec();
        let mut grid = Grid::new(self.size);
        for (&point, colour) in moves.iter().zip(Colour::ALL.into_iter().cycle()) {
            grid.set(point, Cell::Stone(colour));
        }
        let mut side = opening.side();
        while moves.len() < self.size.cells() {
            let point = match players[side.index()].ask(&moves, self.limit) {
                Ok(point) if grid.get(point) == Some(Cell::Empty) => point,
                Ok(_) => return Ok(Some((side, Loss::Illegal))),
                Err(reason) => return Ok(Some((side, reason))),
            };
            if !oracle::foul(self.rule, &grid, side, point).is_empty() {
                return Ok(Some((side, Loss::Foul)));
            }
            if oracle::wins(self.rule, &grid, side, point) {
                return Ok(Some((!side, Loss::Five)));
            }
            grid.set(point, Cell::Stone(side));
            moves.push(point);
            side = !side;
        }
        Ok(None)
    }
}

/// What came of the games so far.
#[derive(Default)]
struct Tally {
    pairs: Summary,
    /// Games that the first player won, drew and lost.
    games: [u32; 3],
    /// Games lost by the first and the second player, by reason.
    losses: [[u32; Loss::NAMES.len()]; 2],
}

impl Tally {
    fn add(&mut self, ends: [End; 2]) {
        let mut half_points = 0;
        for end in ends {
            let result = match end {
                None => 1,
                Some((loser, reason)) => {
                    self.losses[loser][reason as usize] += 1;
                    if loser == 0 { 2 } else { 0 }
                }
            };
            self.games[result] += 1;
            half_points += 2 - u32::try_from(result).unwrap_or(2);
        }
        self.pairs.add(half_points);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, drawn, lost] = self.games;
        write!(f, "W-D-L {won}-{drawn}-{lost}, {}", self.pairs)
    }
}
