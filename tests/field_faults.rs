//! Faults that users and tournaments met in other engines, each made into a case that must not fail here:
//! `tests/data/field_faults.txt`, and those that need more than a script.

mod pipes;

use std::ops::Range;
use std::thread;
use std::time::Duration;

use pipes::case::parse;
use pipes::play::play;
use pipes::position::Position;
use pipes::process::{Process, Program, TICK, parse_point, slack};
use pipes::{Fault, run_all};
use quincunx::rule::RuleKind;
use quincunx::types::{Point, Size, SplitMix64};

#[test]
fn scripts() {
    let cases = parse(include_str!("data/field_faults.txt"));
    let labels: Vec<&str> = cases.iter().map(|case| case.label.as_str()).collect();
    // 1, 19, 28 and 31 are below; what is not listed is tested where the code lives.
    assert_eq!(
        labels,
        ["1", "3", "5", "9", "10", "15", "16", "20", "32", "40", "48"]
    );
    run_all(&cases, |case| play(&Program::engine(), case));
}

/// Sends a line and reads the engine's move on `position`, which it is played on.
fn ask(engine: &mut Process, text: &str, position: &mut Position) -> Result<Point, Fault> {
    engine.line(text)?;
    let line = engine.answer(engine.since + Duration::from_secs(1) + slack())?;
    let at = parse_point(&line.text).ok_or(format!("expected a move, got {:?}", line.text))?;
    let point = position.legal(at)?;
    position.play(point);
    Ok(point)
}

fn start(engine: &mut Process, text: &str) -> Result<(), Fault> {
    engine.line(text)?;
    let line = engine.answer(engine.since + Duration::from_millis(500) + slack())?;
    if line.text == "OK" {
        Ok(())
    } else {
        Err(format!("expected OK, got {:?}", line.text))
    }
}

/// [1] in general: a player who ignored a four. The five is taken; the opponent's is stopped, where that
/// is possible at all; a five comes before a defence.
#[test]
fn fives_are_made_and_stopped() {
    run_all(&RuleKind::ALL, |&rule| {
        let mut engine = Process::start(&Program::engine());
        fives(&mut engine, rule)
            .map_err(|fault| format!("{rule}: {fault}\n{}", engine.transcript()))
    });
}

fn fives(engine: &mut Process, rule: RuleKind) -> Result<(), Fault> {
    let mut random = SplitMix64::new(u64::from(rule.code()));
    let size = Size::square(11);
    start(engine, "START 11")?;
    engine.line(&format!("INFO rule {}", rule.code()))?;
    engine.line("INFO timeout_turn 1000")?;
    engine.line("INFO max_node 200")?;
    let (mut made, mut stopped) = (0, 0);
    while made < 25 || stopped < 25 {
        let Some(mut position) = random_position(&mut random, size, rule, 3, 8..48) else {
            continue;
        };
        let mover = position.side();
        let of = |colour| -> Vec<Point> {
            position
                .empty()
                .filter(|&point| position.wins(colour, point))
                .collect()
        };
        let (own, other) = (of(mover), of(!mover));
        let wanted = match (&own[..], &other[..]) {
            ([_, ..], _) if made < 25 => {
                made += 1;
                own
            }
            ([], &[point]) if stopped < 25 && !position.is_foul(point) => {
                stopped += 1;
                other
            }
            _ => continue,
        };
        let text = format!("BOARD\n{}\nDONE", position.board_lines().join("\n"));
        let point = ask(engine, &text, &mut position)?;
        if !wanted.contains(&point) {
            return Err(format!("{point} instead of one of {wanted:?}"));
        }
    }
    engine.quit()
}

/// A position of a random game that nobody has won, with moves up to `reach` from the middle, none
/// foul.
fn random_position(
    random: &mut SplitMix64,
    size: Size,
    rule: RuleKind,
    reach: u8,
    stones: Range<usize>,
) -> Option<Position> {
    let mut position = Position::new(size, rule);
    let stones = stones.start + random.below(stones.len());
    while position.stones().len() < stones {
        let near: Vec<Point> = position
            .empty()
            .filter(|point| point.distance(size.centre()) <= reach && !position.is_foul(*point))
            .collect();
        let &point = near.get(random.below(near.len()))?;
        if position.wins(position.side(), point) {
            return None;
        }
        position.play(point);
    }
    Some(position)
}

/// [31] BEGIN was missing in one engine: the first move is near the middle on every board.
#[test]
fn begin_on_every_board() {
    let mut engine = Process::start(&Program::engine());
    let played = (|| {
        for side in Size::MIN..=Size::MAX {
            let size = Size::square(side);
            start(&mut engine, &format!("START {side}"))?;
            engine.line("INFO timeout_turn 100")?;
            let mut position = Position::new(size, RuleKind::Freestyle);
            let point = ask(&mut engine, "BEGIN", &mut position)?;
            if point.distance(size.centre()) > 2 {
                return Err(format!("{point} opens on a board of {side}"));
            }
        }
        engine.quit()
    })();
    played.unwrap_or_else(|fault: Fault| panic!("{fault}\n{}", engine.transcript()));
}

/// [19] Engines lost on time by a tenth of a second. A busy machine may delay any answer, so what counts is
/// processor time, which no load adds to: the search uses what its turn gives and no more.
#[cfg(target_os = "linux")] // processor time is read from /proc
#[test]
fn limits_are_kept_as_written() {
    let mut engine = Process::start(&Program::engine());
    let mut random = SplitMix64::new(19);
    let size = Size::square(15);
    let mut check = |engine: &mut Process| -> Result<(), Fault> {
        for turn in [0, 30, 60, 100, 200, 400] {
            for rule in RuleKind::ALL {
                let position = loop {
                    // Few stones far apart: nothing is decided, and the engine has to think.
                    if let Some(position) = random_position(&mut random, size, rule, 6, 6..9) {
                        break position;
                    }
                };
                let limit = Duration::from_millis(if turn == 0 { 100 } else { turn });
                let time = time_of_move(engine, &position, rule, turn)?;
                // User and system time are told in whole ticks each.
                if time > limit + 2 * TICK {
                    return Err(format!("{rule}, {turn} ms a move: took {time:?}"));
                }
            }
        }
        engine.quit()
    };
    check(&mut engine).unwrap_or_else(|fault| panic!("{fault}\n{}", engine.transcript()));
}

/// How long the engine works on `position` in a new game with `turn` milliseconds a move.
#[cfg(target_os = "linux")]
fn time_of_move(
    engine: &mut Process,
    position: &Position,
    rule: RuleKind,
    turn: u64,
) -> Result<Duration, Fault> {
    start(engine, "START 15")?;
    engine.line(&format!(
        "INFO rule {}\nINFO timeout_turn {turn}",
        rule.code()
    ))?;
    let before = engine.ticks()?;
    let text = format!("BOARD\n{}\nDONE", position.board_lines().join("\n"));
    ask(engine, &text, &mut position.clone())?;
    Ok((engine.ticks()? - before) * TICK)
}

/// [28] Races when threads are made and ended: start, think, end, at random moments.
#[test]
fn start_think_end_at_random_moments() {
    let mut random = SplitMix64::new(28);
    let runs: Vec<(u64, u64, usize)> = (0..20)
        .map(|_| {
            let delay = |random: &mut SplitMix64| random.next_u64() % 60;
            (delay(&mut random), delay(&mut random), 1 + random.below(4))
        })
        .collect();
    run_all(&runs, |&(before, during, threads)| {
        let mut engine = Process::start(&Program::engine());
        let run = |engine: &mut Process| {
            thread::sleep(Duration::from_millis(before));
            engine.send(
                format!("START 15\nINFO thread_num {threads}\nINFO timeout_turn 5000\nTURN 7,7\n")
                    .as_bytes(),
            )?;
            thread::sleep(Duration::from_millis(during));
            engine.line("END")?;
            let (status, errors) = engine.end(engine.since + Duration::from_secs(1) + slack())?;
            if status.code() == Some(0) && errors.is_empty() {
                Ok(())
            } else {
                Err(format!("{status} {errors}"))
            }
        };
        run(&mut engine)
            .map_err(|fault: Fault| format!("{before} ms, {during} ms, {threads} threads: {fault}"))
    });
}
