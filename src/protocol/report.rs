//! Search results in words: the message with each move, and the lines that Yixin-style front ends
//! read.

use std::io;

use crate::engine::renju::Opening;
use crate::engine::{BestMove, Decision, Info, Position};
use crate::eval;
use crate::eval::params::POINTS_PER_LOGIT;
use crate::rule::RuleKind;
use crate::search::Report;
use crate::types::{Point, PointSet, Score, Size, Symmetry, score};

use super::command::Swap2Step;
use super::reply::Reply;

/// Longest line of play in a message, in moves.
const LINE: usize = 16;

/// What plays: rule, board, evaluator and memory in bytes, and the opening if it has a name.
pub(super) fn set_up(position: &Position, hash_bytes: usize, max_memory: u64) -> String {
    let (rule, size) = (position.rule(), position.size());
    let memory = match max_memory {
        0 => "unlimited".into(),
        bytes => format!("{} MB", bytes >> 20),
    };
    format!(
        "rule {rule}, board {} x {}, evaluator {}, hash {} MB, memory {memory}{}",
        size.width(),
        size.height(),
        eval::name(rule),
        hash_bytes >> 20,
        opening(position),
    )
}

/// `, opening D4 Kagetsu` for a game of renju that began so.
fn opening(position: &Position) -> String {
    let stones = position.stones().iter().take(3);
    let points: Vec<Point> = stones.map(|&(point, _)| point).collect();
    <[Point; 3]>::try_from(points)
        .ok()
        .filter(|_| position.rule() == RuleKind::Renju)
        .and_then(|points| Opening::of(points, position.size()))
        .map_or_else(String::new, |opening| {
            format!(", opening {} {}", opening.code, opening.name)
        })
}

/// How a front end calls the points of a board of this size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) size: Size,
    /// What it does to the board before it shows it.
    pub(super) view: Symmetry,
}

impl Names {
    /// A line of play in letters.
    fn line(self, points: &[Point]) -> String {
        let shown = self.view.size(self.size);
        moves(points, |&point| {
            let point = self.view.apply(point, self.size);
            point.letters(shown).to_string()
        })
    }
}

/// What a search found, in the form that managers pick numbers from. `None` if it did not search.
pub(super) fn summary(best: &BestMove, names: Names) -> Option<Reply> {
    let report = &best.report;
    if report.line.is_empty() {
        return None;
    }
    let ms = best.elapsed.as_millis();
    let line = names.line(&report.line);
    Some(Reply::Message(format!(
        "depth {}-{} ev {} n {} n/s {} tm {ms} pv {line}",
        report.depth,
        report.selective_depth.max(report.depth),
        evaluation(report.score),
        report.nodes,
        speed(report, ms),
    )))
}

/// The best move so far with its score and line, or another that turns out to lose and is not among the `lost`
/// yet, for boards that mark them.
pub(super) fn realtime(info: &Info, lost: &mut PointSet, names: Names) -> Vec<Reply> {
    let report = &info.report;
    let message = |text: String| Reply::Message(format!("REALTIME {text}"));
    match report.line.first() {
        Some(&point) if score::is_loss(report.score) && !lost.contains(point) => {
            lost.insert(point);
            vec![message(format!("LOST {point}"))]
        }
        Some(point) if report.rank == 0 => vec![
            message(format!("BEST {point}")),
            message(format!("VAL {}", report.score)),
            message(format!("PV {}", names.line(&report.line))),
        ],
        _ => Vec::new(),
    }
}

/// The lines about one iteration. A block must hold a best line, or gomoku-calculator fails; so
/// there is none without.
pub(super) fn block(info: &Info) -> Vec<Reply> {
    let report = &info.report;
    if report.line.is_empty() {
        return Vec::new();
    }
    let ms = info.elapsed.as_millis();
    [
        ("PV", report.rank.to_string()),
        ("NUMPV", report.lines.to_string()),
        ("DEPTH", report.depth.to_string()),
        (
            "SELDEPTH",
            report.selective_depth.max(report.depth).to_string(),
        ),
        ("NODES", report.nodes.to_string()),
        ("TOTALNODES", report.nodes.to_string()),
        ("TOTALTIME", ms.to_string()),
        ("SPEED", speed(report, ms).to_string()),
        ("EVAL", evaluation(report.score)),
        ("WINRATE", format!("{:.4}", win_rate(report.score))),
        ("BESTLINE", moves(&report.line, Point::to_string)),
        ("PV", "DONE".into()),
    ]
    .map(|(key, value)| Reply::Info(key, value))
    .into()
}

/// The answer to a step of Yixin-Board's swap2 dialogue.
pub(super) fn swap2(step: Swap2Step, decision: &Decision) -> Vec<Reply> {
    let message = |text: String| Reply::Message(format!("SWAP2 {text}"));
    let choice = step as u8 - 1; // the first choice is that of step 2
    match (step, decision) {
        (Swap2Step::Open, Decision::Place(points)) => numbered_moves("SWAP2", 1, points),
        (Swap2Step::AfterThree, Decision::Place(points)) if points.len() == 2 => {
            numbered_moves("SWAP2", 4, points)
        }
        (_, Decision::Swap) => vec![message(format!("SWAP{choice} YES"))],
        _ => vec![message(format!("SWAP{choice} NO"))],
    }
}

/// The answer to a step of Yixin-Board's Soosõrv dialogue.
pub(super) fn soosorv(step: u8, decision: &Decision) -> Vec<Reply> {
    let message = |text: String| Reply::Message(format!("SOOSORV {text}"));
    match (step, decision) {
        (1, Decision::Place(points)) => numbered_moves("SOOSORV", 1, points),
        (3, Decision::Fourth(point, fifths)) => vec![message(format!(
            "MOVE4 {} {} {fifths}",
            point.x(),
            point.y()
        ))],
        (5, Decision::Place(points)) => {
            let offers = points
                .iter()
                .map(|point| message(format!("MOVE5 {} {}", point.x(), point.y())));
            [message("MOVE5 REFRESH".into())]
                .into_iter()
                .chain(offers)
                .chain([message("MOVE5 DONE".into())])
                .collect()
        }
        (6, Decision::Place(points)) => points
            .iter()
            .map(|point| message(format!("MOVE5C {} {}", point.x(), point.y())))
            .collect(),
        (_, Decision::Swap) => vec![message("SWAP2 Y".into())],
        _ => vec![message("SWAP2 N".into())],
    }
}

fn numbered_moves(dialogue: &str, first: usize, points: &[Point]) -> Vec<Reply> {
    (first..)
        .zip(points)
        .map(|(i, point)| {
            let (x, y) = (point.x(), point.y());
            Reply::Message(format!("{dialogue} MOVE{i} {x} {y}"))
        })
        .collect()
}

/// What became of a file of what searches learned.
pub(super) fn hash_file(done: &str, result: &io::Result<u64>) -> Reply {
    Reply::Message(match result {
        Ok(count) => format!("hash table: {count} positions {done}"),
        // "File name too long": see the promises of `reply`.
        Err(error) => format!("hash table: not {done}, {error}").replace("name", "path"),
    })
}

/// How full the hash table was when the last search ended: its size in bytes and thousandths, if there
/// is one.
pub(super) fn hash_usage(last: Option<(usize, u32)>) -> Reply {
    Reply::Message(match last {
        Some((bytes, used)) => {
            let (percent, tenths) = (used / 10, used % 10);
            format!(
                "hash table: {percent}.{tenths} % of {} MB in use",
                bytes >> 20
            )
        }
        None => "hash table: no search has used it yet".into(),
    })
}

/// Positions per second.
fn speed(report: &Report, ms: u128) -> u128 {
    u128::from(report.nodes) * 1000 / ms.max(1)
}

/// Points, or `+M5` and `-M4` for a proved win or loss in so many plies.
fn evaluation(value: Score) -> String {
    match score::mate_distance(value) {
        Some(plies) if value > 0 => format!("+M{plies}"),
        Some(plies) => format!("-M{plies}"),
        None => value.to_string(),
    }
}

fn win_rate(value: Score) -> f64 {
    if score::is_win(value) {
        1.0
    } else if score::is_loss(value) {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(value) / f64::from(POINTS_PER_LOGIT)).exp())
    }
}

fn moves(line: &[Point], text: impl FnMut(&Point) -> String) -> String {
    let texts: Vec<String> = line.iter().take(LINE).map(text).collect();
    texts.join(" ")
}
