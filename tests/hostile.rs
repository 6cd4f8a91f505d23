//! The conversations of real managers, damaged: bytes changed, lost, doubled and moved, lines glued and
//! split anywhere, in any case, with NUL, bytes that are no text, numbers of any length and lines of
//! 200,000 characters, the process suspended now and then. The engine answers every command once, in
//! known forms, keeps its state, says nothing on standard error and ends when it is told to.
//!
//! `HOSTILE_LINES=1000000` makes it a long run; the default takes seconds.

mod pipes;

use std::ops::RangeInclusive;
use std::thread;
use std::time::Duration;

use pipes::case::{Step, parse};
use pipes::process::{Output, Process, Program, parse_point, slack};
use pipes::{Fault, run_all};
use quincunx::protocol::command::Command;
use quincunx::protocol::parse::Parser;
use quincunx::types::SplitMix64;

/// Lines of one process.
const LINES: usize = 400;

#[test]
fn damaged_conversations() {
    let lines: usize = std::env::var("HOSTILE_LINES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(16_000);
    let spoken = spoken();
    assert!(spoken.len() > 200, "{} lines to damage", spoken.len());
    let seeds: Vec<u64> = (0..).take(lines.div_ceil(LINES)).collect();
    run_all(&seeds, |&seed| {
        let mut engine = Process::start(&Program::engine());
        converse(&mut engine, &spoken, &mut SplitMix64::new(seed))
            .map_err(|fault| format!("seed {seed}: {fault}\n{}", engine.transcript()))
    });
}

/// Every line that a case sends.
fn spoken() -> Vec<Vec<u8>> {
    let files = [
        include_str!("data/transcripts.txt"),
        include_str!("data/protocol_cases.txt"),
        include_str!("data/field_faults.txt"),
    ];
    let steps = files
        .into_iter()
        .flat_map(parse)
        .flat_map(|case| case.steps);
    steps
        .filter_map(|(_, step)| match step {
            Step::Line(text) => Some(text.into_bytes()),
            Step::Raw(bytes) if bytes.len() < 1000 => Some(bytes),
            _ => None,
        })
        // END is sent when its time has come.
        .filter(|line| {
            !line
                .to_ascii_uppercase()
                .windows(3)
                .any(|word| word == b"END")
        })
        .collect()
}

fn converse(
    engine: &mut Process,
    spoken: &[Vec<u8>],
    random: &mut SplitMix64,
) -> Result<(), Fault> {
    engine.detail = 3; // the engine may be asked for INFO lines
    let mut text = Vec::new();
    // Whole stretches of a conversation, so that damage meets games in progress.
    let mut line = 0;
    for i in 0..LINES {
        if i % 20 == 0 {
            line = random.below(spoken.len());
            // What was said may have made thinking long.
            text.extend(b"\nINFO timeout_turn 0\nINFO max_node 20\nINFO show_detail 0\n");
        }
        text.extend(&spoken[line % spoken.len()]);
        text.extend([&b"\n"[..], b"\r\n", b"\r"][random.below(3)]);
        line += 1;
    }
    damage(&mut text, random);
    let said = without_end(&text);
    let expected = answers(&said);
    let mut rest = &said[..];
    while !rest.is_empty() {
        let size = [1, 7, 300, 5_000][random.below(4)];
        let (piece, after) = rest.split_at((1 + random.below(size)).min(rest.len()));
        engine.send(piece)?;
        rest = after;
        if random.below(500) == 0 {
            engine.signal("STOP")?;
            thread::sleep(Duration::from_millis(5));
            engine.signal("CONT")?;
        }
    }
    // A block may be open and a search may run; START ends both.
    engine.line("\nINFO timeout_turn 0\nINFO max_node 20\nSTART 9\nRECTSTART 15,20")?;
    let deadline = engine.since + Duration::from_secs(20) + slack();
    let (mut count, mut last) = (0, String::new());
    // The two answers at the end are told from others by their sequence: no damage makes these lines.
    engine.line("ABOUT\nABOUT\nTAKEBACK 1,2,3")?;
    let mut abouts = 0;
    loop {
        match engine.next(deadline)? {
            Output::Line(line) if line.text.contains("internal fault") => return Err(line.text),
            Output::Line(line) if line.is_aside() => {}
            Output::Line(line) => {
                count += 1;
                abouts = if line.text.starts_with("name=") {
                    abouts + 1
                } else {
                    abouts
                };
                if line.text.contains("\"1,2,3\"") {
                    break;
                }
                last = line.text;
            }
            other => return Err(format!("no end of the answers after {last:?}: {other:?}")),
        }
    }
    count -= 5; // OK, OK, two ABOUT lines, an error
    if !expected.contains(&count) {
        return Err(format!("{count} answers, expected {expected:?}"));
    }
    if abouts < 2 {
        return Err("ABOUT is not answered".into());
    }
    play_on(engine, random)?;
    engine.quit()
}

/// A game on a board of 15 x 20, which was started last.
fn play_on(engine: &mut Process, random: &mut SplitMix64) -> Result<(), Fault> {
    let answer = |engine: &mut Process| {
        let deadline = engine.since + Duration::from_secs(5) + slack();
        engine.answer(deadline).map(|line| line.text)
    };
    let (x, y) = (random.below(15), 15 + random.below(5));
    engine.line(&format!(
        "INFO rule 0\nyxblockreset\nyxblockpathreset\nTURN {x},{y}"
    ))?;
    let reply = answer(engine)?;
    let stone = parse_point(&reply).ok_or(format!("expected a move, got {reply:?}"))?;
    if stone.0 >= 15 || stone.1 >= 20 {
        return Err(format!("{reply} is not on the board of 15 x 20"));
    }
    // Both stones are there, and nothing else is.
    for (taken, at) in [(true, reply), (true, format!("{x},{y}"))] {
        engine.line(&format!("TAKEBACK {at}"))?;
        let text = answer(engine)?;
        if (text == "OK") != taken {
            return Err(format!("TAKEBACK {at}: {text}"));
        }
    }
    engine.line("TAKEBACK 0,0")?;
    let text = answer(engine)?;
    if text.starts_with("ERROR ") {
        Ok(())
    } else {
        Err(format!("a stone too many: {text}"))
    }
}

/// Changes a few bytes in a thousand.
fn damage(text: &mut Vec<u8>, random: &mut SplitMix64) {
    const BYTES: &[u8] = b"\0\r\n \t,-+0123456789DONEdone\xFF\xC3\x28\x80\xEF\xBB\xBF\"";
    let times = random.below(1 + text.len() / 60);
    for _ in 0..times {
        if text.is_empty() {
            return;
        }
        let at = random.below(text.len());
        let end = (at + 1 + random.below(12)).min(text.len());
        match random.below(9) {
            0 | 1 => text[at] = BYTES[random.below(BYTES.len())],
            2 => text.insert(at, BYTES[random.below(BYTES.len())]),
            3 => drop(text.drain(at..end)),
            4 => {
                let copy = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, copy);
            }
            5 => text[at..end].make_ascii_uppercase(),
            6 => text[at..end].make_ascii_lowercase(),
            7 => {
                let digits = random.below(40);
                let number: Vec<u8> = (0..digits).map(|_| b'0' + digit(random)).collect();
                text.splice(at..at, number);
            }
            // Rarely a line longer than any buffer.
            _ if random.below(300) == 0 => {
                let byte = BYTES[random.below(BYTES.len())];
                text.splice(at..at, vec![byte; 200_000]);
            }
            _ => text.swap(at, end - 1),
        }
    }
}

fn digit(random: &mut SplitMix64) -> u8 {
    u8::try_from(random.below(10)).unwrap_or(0)
}

/// `text` up to a line that means END, which damage may have made.
fn without_end(text: &[u8]) -> Vec<u8> {
    let mut parser = Parser::new();
    let mut kept = Vec::new();
    for line in text.split_inclusive(|byte| matches!(byte, b'\r' | b'\n')) {
        let bare = line.strip_suffix(b"\n").or(line.strip_suffix(b"\r"));
        if matches!(parser.feed(bare.unwrap_or(line)), Some(Ok(Command::End))) {
            break;
        }
        kept.extend(line);
    }
    kept
}

/// How many answers `text` gets at least and at most, messages not counted.
fn answers(text: &[u8]) -> RangeInclusive<usize> {
    let mut parser = Parser::new();
    let (mut least, mut most) = (0, 0);
    for line in text.split(|byte| matches!(byte, b'\r' | b'\n')) {
        let (fewest, greatest) = match parser.feed(&line[..line.len().min(1 << 16)]) {
            None => (0, 0),
            Some(Err(_)) => (1, 1),
            Some(Ok(command)) => match command {
                Command::Start(_)
                | Command::StartSides(_)
                | Command::Restart
                | Command::Begin
                | Command::Turn(_)
                | Command::Play(_)
                | Command::TakeBack(_)
                | Command::Board(_)
                | Command::Swap2Board(_)
                | Command::About
                | Command::ShowForbid
                | Command::NBest(_)
                | Command::SearchDefend
                | Command::Balance(..)
                | Command::Unknown(_) => (1, 1),
                // An error, or messages or nothing.
                Command::YxBoard(_) | Command::Swap2Step(_) | Command::SoosorvStep(_) => (0, 1),
                _ => (0, 0),
            },
        };
        least += fewest;
        most += greatest;
    }
    least..=most
}
