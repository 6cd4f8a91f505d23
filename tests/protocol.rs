//! Plays the conformance cases of `tests/data/protocol_cases.txt` with the built engine through
//! pipes, and the few that need more than the language of that file says.
//!
//! The cases keep their numbers, and every number must be there: see [`every_case_is_here`].

mod pipes;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use pipes::case::{Case, parse};
use pipes::play::play;
use pipes::position::Position;
use pipes::process::{Line, Output, Process, Program, parse_point, slack};
use pipes::{Fault, run_all};
use quincunx::rule::RuleKind;
use quincunx::types::{Point, Size, SplitMix64};

/// Plays a case and tells what is wrong.
type CaseInCode = fn() -> Result<(), Fault>;

/// Cases that are written here: number, what it is about, how it goes.
const IN_CODE: [(&str, &str, CaseInCode); 6] = [
    ("93", "input is read while nobody reads the output", case_93),
    ("127", "many games in one process", case_127),
    ("130", "memory after fifty moves", case_130),
    ("131", "a strange working directory", case_131),
    ("132", "closed output", case_132),
    ("133", "standard error stays empty", case_133),
];

fn cases() -> Vec<Case> {
    parse(include_str!("data/protocol_cases.txt"))
}

fn play_group(group: &str) {
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.group == group)
        .collect();
    assert!(!cases.is_empty(), "no cases under {group:?}");
    run_all(&cases, |case| play(&Program::engine(), case));
}

#[test]
fn framing() {
    play_group("framing");
}

#[test]
fn session() {
    play_group("session");
}

#[test]
fn moves() {
    play_group("moves");
}

#[test]
fn board() {
    play_group("board");
}

#[test]
fn info() {
    play_group("info");
}

#[test]
fn thinking() {
    play_group("thinking");
}

#[test]
fn extensions() {
    play_group("extensions");
}

#[test]
fn forbidden_points() {
    play_group("forbidden points");
}

#[test]
fn rules_in_play() {
    play_group("rules in play");
}

#[test]
fn robustness() {
    play_group("robustness");
}

#[test]
fn cases_in_code() {
    run_all(&IN_CODE, |(label, title, case)| {
        case().map_err(|fault| format!("[{label}] {title}: {fault}"))
    });
}

#[test]
fn every_case_is_here() {
    let mut labels = BTreeSet::new();
    let groups = [
        "framing",
        "session",
        "moves",
        "board",
        "info",
        "thinking",
        "extensions",
        "forbidden points",
        "rules in play",
        "robustness",
    ];
    for case in cases() {
        assert!(!case.steps.is_empty(), "[{}] does nothing", case.label);
        assert!(
            groups.contains(&case.group.as_str()),
            "no test plays the cases under {:?}",
            case.group
        );
        assert!(labels.insert(case.label.clone()), "[{}] twice", case.label);
    }
    for (label, ..) in IN_CODE {
        assert!(labels.insert(label.to_owned()), "[{label}] twice");
    }
    let expected: BTreeSet<String> = (1..=133)
        .map(|number: u32| number.to_string())
        .chain(["111b".to_owned()])
        .collect();
    assert_eq!(labels, expected);
}

/// Adds what was said to a fault.
fn with_transcript(
    engine: &mut Process,
    case: impl FnOnce(&mut Process) -> Result<(), Fault>,
) -> Result<(), Fault> {
    case(engine).map_err(|fault| format!("{fault}\n{}", engine.transcript()))
}

fn expect_line(engine: &mut Process, text: &str, within: u64) -> Result<Line, Fault> {
    let deadline = engine.since + Duration::from_millis(within) + slack();
    let line = engine.answer(deadline)?;
    if line.text == text {
        Ok(line)
    } else {
        Err(format!("expected {text:?}, got {:?}", line.text))
    }
}

/// Reads a move, checks it and plays it.
fn expect_move(engine: &mut Process, position: &mut Position, within: u64) -> Result<Point, Fault> {
    let deadline = engine.since + Duration::from_millis(within) + slack();
    let line = engine.answer(deadline)?;
    let at = parse_point(&line.text).ok_or(format!("expected a move, got {:?}", line.text))?;
    let point = position.legal(at)?;
    position.play(point);
    Ok(point)
}

/// The opponent's reply in tests: the empty point that comes first on a spiral of no meaning.
fn some_reply(position: &Position, turn: usize) -> Option<Point> {
    let free: Vec<Point> = position
        .empty()
        .filter(|&point| !position.is_foul(point))
        .collect();
    free.get(turn * 37 % free.len().max(1)).copied()
}

/// Piskvork does not read while it sends INFO lines; the engine must go on reading all the same.
fn case_93() -> Result<(), Fault> {
    let mut engine = Process::start(&Program::engine());
    with_transcript(&mut engine, |engine| {
        engine.line("START 15")?;
        expect_line(engine, "OK", 500)?;
        let reading = engine.reading();
        {
            let _stalled = Process::stall(&reading);
            // More answers than a pipe holds, then more input than a pipe holds.
            engine.send("FOO\n".repeat(10_000).as_bytes())?;
            engine.send("INFO time_left 1000\n".repeat(20_000).as_bytes())?;
        }
        engine.line("ABOUT")?;
        let mut unknown = 0;
        loop {
            let line = engine.answer(engine.since + Duration::from_secs(10))?;
            if line.text.starts_with("UNKNOWN ") {
                unknown += 1;
            } else if line.text.starts_with("name=\"") {
                break;
            } else {
                return Err(format!("unexpected {:?}", line.text));
            }
        }
        if unknown != 10_000 {
            return Err(format!("{unknown} answers to 10,000 unknown commands"));
        }
        engine.quit()
    })
}

/// c-gomoku-cli plays all games of a match in one process. A thousand were tried; fifty show the
/// same leaks.
fn case_127() -> Result<(), Fault> {
    let mut engine = Process::start(&Program::engine());
    with_transcript(&mut engine, |engine| {
        let mut memory_after_warming = 0;
        for game in 0..50 {
            let size = Size::square([15, 20, 10][game % 3]);
            let rule = RuleKind::ALL[game % 5];
            engine.line(&format!("START {}", size.width()))?;
            expect_line(engine, "OK", 50)?;
            engine.line(&format!("INFO rule {}", rule.code()))?;
            engine.line("INFO timeout_turn 50")?;
            engine.line("INFO max_node 300")?;
            let mut position = Position::new(size, rule);
            for turn in 0..6 {
                let Some(reply) = some_reply(&position, turn + game) else {
                    break;
                };
                position.play(reply);
                if turn == 0 {
                    engine.line(&format!("BOARD\n{reply},2\nDONE"))?;
                } else {
                    engine.line(&format!("TURN {reply}"))?;
                }
                expect_move(engine, &mut position, 50)?;
            }
            if game == 15 {
                memory_after_warming = private_bytes(engine)?;
            }
        }
        let grown = private_bytes(engine)?.saturating_sub(memory_after_warming);
        if grown > 8 << 20 {
            return Err(format!("35 games cost {} kB of memory", grown >> 10));
        }
        engine.quit()
    })
}

/// The judge ends a game in which an engine holds more memory of its own than allowed. Quiet
/// positions and long turns make the engine use all it may.
fn case_130() -> Result<(), Fault> {
    const LIMIT: u64 = 367_001_600;
    let mut engine = Process::start(&Program::engine());
    with_transcript(&mut engine, |engine| {
        let size = Size::square(20);
        let mut random = SplitMix64::new(130);
        engine.line("START 20")?;
        expect_line(engine, "OK", 500)?;
        engine.line(&format!("INFO max_memory {LIMIT}"))?;
        engine.line("INFO timeout_turn 30000\nINFO time_left 2147483647")?;
        engine.line("INFO max_node 40000")?;
        let mut most = 0;
        for _ in 0..50 {
            let mut position = Position::new(size, RuleKind::Freestyle);
            for _ in 0..8 {
                let empty: Vec<Point> = position.empty().collect();
                position.play(empty[random.below(empty.len())]);
            }
            let board = position.board_lines().join("\n");
            engine.line(&format!("BOARD\n{board}\nDONE"))?;
            expect_move(engine, &mut position, 10_000)?;
            most = most.max(private_bytes(engine)?);
        }
        if most > LIMIT {
            return Err(format!("{most} bytes of memory"));
        }
        if cfg!(target_os = "linux") && most < LIMIT / 2 {
            return Err(format!("only {most} bytes of memory: this tests nothing"));
        }
        engine.quit()
    })
}

/// Memory of the engine alone; 0 where this system does not tell.
fn private_bytes(engine: &Process) -> Result<u64, Fault> {
    #[cfg(target_os = "linux")]
    return engine.private_bytes();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = engine;
        Ok(0)
    }
}

/// Managers start engines in directories of their own, which may be read-only.
fn case_131() -> Result<(), Fault> {
    let directory = std::env::temp_dir().join(format!("empty-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    let mut permissions = std::fs::metadata(&directory)
        .map_err(|error| error.to_string())?
        .permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&directory, permissions).map_err(|error| error.to_string())?;
    let mut engine = Process::start(&Program {
        directory: Some(directory.clone()),
        ..Program::engine()
    });
    let played = with_transcript(&mut engine, |engine| {
        let mut position = Position::new(Size::square(15), RuleKind::Freestyle);
        engine.line("START 15")?;
        let mut messages = 0;
        let deadline = engine.since + Duration::from_millis(500) + slack();
        loop {
            match engine.next(deadline)? {
                Output::Line(line) if line.text == "OK" => break,
                Output::Line(line) if line.is_aside() => messages += 1,
                other => return Err(format!("expected OK, got {other:?}")),
            }
        }
        if messages > 1 {
            return Err(format!("{messages} messages"));
        }
        engine.line("INFO timeout_turn 100")?;
        engine.line("BEGIN")?;
        expect_move(engine, &mut position, 100)?;
        engine.quit()
    });
    // Nothing may have been written either. (Where the tests run as a user whom no permission
    // stops, this is what makes the case.)
    let entries = std::fs::read_dir(&directory).map_err(|error| error.to_string())?;
    let entries = entries.count();
    std::fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    played?;
    if entries > 0 {
        return Err(format!("{entries} files in the working directory"));
    }
    Ok(())
}

/// A manager that closes the pipe is gone: so is the engine, without a word.
fn case_132() -> Result<(), Fault> {
    let mut engine = Process::start_without_output(&Program::engine());
    // The engine may be gone before all of this is written.
    let _ = engine.send(b"START 15\nINFO timeout_turn 100\nBEGIN\nABOUT\n");
    let deadline = Instant::now() + Duration::from_secs(1) + slack();
    let (_, errors) = engine.end(deadline)?;
    if errors.is_empty() {
        Ok(())
    } else {
        Err(format!("text on standard error: {errors}"))
    }
}

/// Every other case checks this at its end ([`Process::expect_exit`]); here a session with all
/// kinds of nonsense is checked for itself.
fn case_133() -> Result<(), Fault> {
    let mut engine = Process::start(&Program::engine());
    with_transcript(&mut engine, |engine| {
        engine.send(b"\xFF\xFE\nSTART x\nTURN\nBOARD\nx\nDONE\nINFO\nINFO rule 77\nBEGIN 1\n")?;
        engine.send(b"START 15\nINFO timeout_turn 50\nBEGIN\nTAKEBACK\nRESTART\nBEGIN\n")?;
        engine.send(b"YXSHOWFORBID\nYXFOO\nDONE\n7,7\n7,7,1\nABOUT\n")?;
        // ABOUT does not wait for the move that is being thought about.
        let mut lines = Vec::new();
        while let Output::Line(line) = engine.next(Instant::now() + Duration::from_secs(2))? {
            lines.push(line.text);
        }
        if !lines.iter().any(|line| line.starts_with("name=\"")) {
            return Err("ABOUT is not answered".into());
        }
        engine.quit()
    })
}
