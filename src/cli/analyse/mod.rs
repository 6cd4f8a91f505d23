//! `analyse`: whole games, move by move.

mod picture;
mod review;
mod text;

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::{parse_rule, progress_bar};
use crate::record::{Game, Outcome, games};
use crate::rule::RuleKind;
use crate::search::{Control, Limits, Report, Team};
use crate::types::{Colour, Size};
use review::{Course, JudgedMove, MarkKind, Review, chance, moves_to_win};

/// Stack of a searching thread in bytes. The search recurses to hundreds of plies.
const STACK: usize = 32 << 20;

/// Judge the moves of games
///
/// Reads Piskvork's .psq files, SGF of gomoku and renju, or one game per line (a move list such as "h8 i9 g7",
/// or a JSON object with "moves", and "rule", "size" and "id" if you like); a file may hold several games.
/// Each position is searched, and each move compared with what the search would have played.
///
/// Scores are the mover's, in points (250 points raise the odds of winning by a factor of e); +M3 is a proved win with the
/// third own move, -M3 a proved loss. A mistake gives away 15 % or more of the chance to win, a blunder
/// 30 %. A missed win had a win and has none any more: it was proved, and the chance is now below 90 %, or
/// the chance was 90 % and is now below 60 %.
///
/// Games that cannot be read are reported on standard error by line; the others are judged all the same, and
/// the exit code is 2.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  $ pbrain-quincunx analyse game.psq --rule standard --time-ms 2000
  $ echo 'h8 h9 i9 g7 i8 i10' | pbrain-quincunx analyse - --nodes 20000 --svg game.svg
  $ pbrain-quincunx analyse games.sgf --threads 4 --json > games.jsonl")]
pub(super) struct Options {
    /// Files with games; - for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,

    /// Rule of games that name none: a name or a number
    #[arg(long, default_value = "freestyle", value_parser = parse_rule)]
    pub(super) rule: RuleKind,

    /// Side of the board for games that tell none
    #[arg(long, value_name = "CELLS", default_value_t = 15, value_parser = clap::value_parser!(u8).range(i64::from(Size::MIN)..=i64::from(Size::MAX)))]
    pub(super) size: u8,

    /// Time for each position, in milliseconds by the clock on the wall, so more threads than processors search
    /// less of each [default: 1000 unless --nodes is given]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) time_ms: Option<u64>,

    /// Nodes for each position; with one thread the report is then the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,

    /// Threads, each with a position of its own; where there are fewer positions, several search one together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) threads: u16,

    /// Memory for the hash table of each position that is being searched, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(super) hash_mb: u16,

    /// Write JSON instead of text: one object per game and line
    #[arg(long)]
    pub(super) json: bool,

    /// Draw a picture; with several games, one for each, numbered (game-1.svg)
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// A game to be judged, and where it comes from.
struct Task {
    file: String,
    game: Game,
    course: Course,
}

/// Judges every game of the files; see [`Options`].
///
/// # Errors
/// When a file cannot be read, or `out` or a picture cannot be written.
pub(super) fn run(
    options: &Options,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<ExitCode> {
    let mut tasks = Vec::new();
    let mut all_good = true;
    for path in &options.files {
        let file = path.display().to_string();
        let text = read(path).map_err(|error| named(path, &error))?;
        for game in games(&text, Size::square(options.size)) {
            match game {
                Ok(game) => tasks.push(Task {
                    file: file.clone(),
                    course: Course::of(&game, options.rule),
                    game,
                }),
                Err(error) => {
                    all_good = false;
                    writeln!(err, "error: {file}: {error}")?;
                }
            }
        }
    }
    search_all(options, &tasks, |number, reports| {
        let task = &tasks[number];
        let review = Review::new(&task.game, task.course, reports);
        let title = title(&task.game, task.course.rule);
        if options.json {
            writeln!(
                out,
                "{}",
                serde_json::to_string(&JsonGame::new(task, &review))?
            )?;
        } else {
            let separator = if number > 0 { "\n" } else { "" };
            let place = format!("{separator}{}, line {}: {title}", task.file, task.game.line);
            text::write(&review, &place, out)?;
        }
        out.flush()?;
        if let Some(path) = &options.svg {
            let path = numbered(path, number, tasks.len());
            let write = || -> io::Result<()> {
                let mut file = BufWriter::new(File::create(&path)?);
                svg::write(&mut file, &picture::draw(&review, &title))?;
                file.flush()
            };
            write().map_err(|error| named(&path, &error))?;
        }
        Ok(())
    })?;
    Ok(if all_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    fs::read(path)
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The path itself for a single game, otherwise with the game's number before the extension.
fn numbered(path: &Path, number: usize, count: usize) -> PathBuf {
    if count == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or("svg".as_ref()).to_string_lossy();
    path.with_file_name(format!("{stem}-{}.{extension}", number + 1))
}

/// Searches the positions of all games and hands the reports of each game to `finished`, in order, as soon
/// as they and those of all games before it are there.
///
/// A game is searched from its end, so that the hash table knows what became of a move when its
/// turn comes.
fn search_all(
    options: &Options,
    tasks: &[Task],
    mut finished: impl FnMut(usize, &[Report]) -> io::Result<()>,
) -> io::Result<()> {
    let positions: Vec<(usize, usize)> = tasks
        .iter()
        .enumerate()
        .flat_map(|(number, task)| {
            (0..task.course.positions())
                .rev()
                .map(move |ply| (number, ply))
        })
        .collect();
    let mut reports: Vec<Vec<Option<Report>>> = tasks
        .iter()
        .map(|task| vec![None; task.course.positions()])
        .collect();
    let bar = progress_bar(positions.len());
    let next = AtomicUsize::new(0);
    let (sender, receiver) = crossbeam_channel::unbounded();
    thread::scope(|scope| {
        for team in teams(usize::from(options.threads), positions.len()) {
            let (sender, next, positions) = (sender.clone(), &next, &positions);
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, move || {
                    let mut analyst = Analyst::new(options, team);
                    while let Some(&(number, ply)) =
                        positions.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let report = analyst.search(number, &tasks[number], ply);
                        // Nobody listens any more after a failure to write.
                        if sender.send((number, ply, report)).is_err() {
                            break;
                        }
                    }
                })?;
        }
        drop(sender);
        let mut waiting = 0;
        let mut deliver = |reports: &[Vec<Option<Report>>]| -> io::Result<()> {
            while let Some(game) = reports.get(waiting) {
                let Some(complete) = game.iter().cloned().collect::<Option<Vec<Report>>>() else {
                    break;
                };
                bar.suspend(|| finished(waiting, &complete))?;
                waiting += 1;
            }
            Ok(())
        };
        for (number, ply, report) in &receiver {
            reports[number][ply] = Some(report);
            bar.inc(1);
            if ply == 0 || options.threads > 1 {
                deliver(&reports)?;
            }
        }
        deliver(&reports)?;
        bar.finish_and_clear();
        Ok(())
    })
}

/// The sizes of the teams that share out `threads` among `positions`, one position a team at a time. A position alone on
/// a thread wastes nothing, so threads join only when there are more of them than positions.
fn teams(threads: usize, positions: usize) -> impl Iterator<Item = u32> {
    let count = threads.min(positions);
    (0..count).map(move |i| {
        let size = threads / count + usize::from(i < threads % count);
        u32::try_from(size).unwrap_or(u32::MAX)
    })
}

/// What searches one position at a time.
struct Analyst {
    team: Team,
    limits: Limits,
    time: Option<Duration>,
    /// The game that the team has learned from.
    game: Option<usize>,
}

impl Analyst {
    fn new(options: &Options, team: u32) -> Self {
        let time_ms = options
            .time_ms
            .or_else(|| options.nodes.is_none().then_some(1000));
        Self {
            team: Team::new(usize::from(options.hash_mb) << 20, team),
            limits: Limits {
                max_nodes: options.nodes,
                ..Limits::default()
            },
            time: time_ms.map(Duration::from_millis),
            game: None,
        }
    }

    fn search(&mut self, number: usize, task: &Task, ply: usize) -> Report {
        if self.game.replace(number) != Some(number) {
            self.team.new_game();
        }
        let mut board = task.game.position.board_after(ply, task.course.rule);
        let mut deadline = Deadline(self.time.map(|time| Instant::now() + time));
        self.team.think(&mut board, &self.limits, &mut deadline)
    }
}

/// Ends a search at a time.
struct Deadline(Option<Instant>);

impl Control for Deadline {
    fn should_stop(&mut self, _: u64) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    fn iteration(&mut self, _: &Report) -> bool {
        true
    }
}

/// Players, rule, size and result in a line.
fn title(game: &Game, rule: RuleKind) -> String {
    let size = game.position.size();
    let mut parts: Vec<String> = game.name.iter().cloned().collect();
    let [black, white] = Colour::ALL.map(|colour| game.players[colour].as_deref());
    if black.or(white).is_some() {
        parts.push(format!(
            "{} - {}",
            black.unwrap_or("?"),
            white.unwrap_or("?")
        ));
    }
    parts.push(format!("{rule} {} x {}", size.width(), size.height()));
    match game.outcome {
        Some(Outcome::Won(winner)) => parts.push(format!("{winner:?} won")),
        Some(Outcome::Drawn) => parts.push("drawn".into()),
        None => {}
    }
    parts.join(", ")
}

#[derive(Serialize)]
struct JsonGame<'a> {
    file: &'a str,
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    white: Option<&'a str>,
    rule: &'static str,
    width: u8,
    height: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'static str>,
    moves: Vec<JsonMove>,
}

#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    point: String,
    side: &'static str,
    before: JsonScore,
    after: JsonScore,
    line: Vec<String>,
    depth: u32,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proved: Option<bool>,
}

/// A score of the mover: points unless something is proved.
#[derive(Serialize)]
struct JsonScore {
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    win_in: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_in: Option<i32>,
    chance: f64,
}

impl<'a> JsonGame<'a> {
    fn new(task: &'a Task, review: &Review) -> Self {
        let game = &task.game;
        let size = game.position.size();
        Self {
            file: &task.file,
            line: game.line,
            name: game.name.as_deref(),
            black: game.players[Colour::Black].as_deref(),
            white: game.players[Colour::White].as_deref(),
            rule: task.course.rule.name(),
            width: size.width(),
            height: size.height(),
            result: game.outcome.map(|outcome| match outcome {
                Outcome::Won(winner) => side_name(winner),
                Outcome::Drawn => "draw",
            }),
            moves: review
                .moves
                .iter()
                .map(|judged| JsonMove::new(judged, size))
                .collect(),
        }
    }
}

impl JsonMove {
    fn new(judged: &JudgedMove, size: Size) -> Self {
        let letters = |point: &crate::types::Point| point.letters(size).to_string();
        Self {
            point: letters(&judged.point),
            side: side_name(judged.side),
            before: JsonScore::new(judged.before),
            after: JsonScore::new(judged.after),
            line: judged.line.iter().map(letters).collect(),
            depth: judged.depth,
            nodes: judged.nodes,
            mark: judged.mark.map(|mark| match mark.kind {
                MarkKind::Mistake => "mistake",
                MarkKind::Blunder => "blunder",
                MarkKind::MissedWin => "missed-win",
                MarkKind::Foul => "foul",
            }),
            proved: judged.mark.map(|mark| mark.proved),
        }
    }
}

impl JsonScore {
    fn new(score: i32) -> Self {
        let moves = moves_to_win(score);
        Self {
            points: moves.is_none().then_some(score),
            win_in: moves.filter(|_| score > 0),
            loss_in: moves.filter(|_| score < 0).map(|moves| -moves),
            chance: (chance(score) * 1e4).round() / 1e4,
        }
    }
}

const fn side_name(side: Colour) -> &'static str {
    match side {
        Colour::Black => "black",
        Colour::White => "white",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_is_idle_and_none_waits() {
        let sizes = |threads, positions| teams(threads, positions).collect::<Vec<_>>();
        assert_eq!(sizes(1, 40), [1]);
        assert_eq!(sizes(4, 40), [1; 4]);
        assert_eq!(sizes(4, 4), [1; 4]);
        assert_eq!(sizes(8, 3), [3, 3, 2]);
        assert_eq!(sizes(5, 1), [5]);
        assert_eq!(sizes(5, 0), [0; 0]);
    }

    #[test]
    fn pictures_of_several_games_are_numbered() {
        let name = |path: &str, count| numbered(Path::new(path), 1, count);
        assert_eq!(name("a/b.svg", 1), Path::new("a/b.svg"));
        assert_eq!(name("a/b.svg", 2), Path::new("a/b-2.svg"));
        assert_eq!(name("b", 2), Path::new("b-2.svg"));
    }
}
