//! Thinking in the opponent's time: only when asked for, over at once when told, and of use.
#![cfg(target_os = "linux")] // processor time is read from /proc

mod pipes;

use std::thread;
use std::time::{Duration, Instant};

use pipes::process::{Line, Output, Process, Program, parse_point, slack};
use pipes::{Fault, run_all};

/// Waits until the engine works without having been asked.
fn wait_until_it_works(engine: &Process) -> Result<(), Fault> {
    let before = engine.ticks()?;
    let deadline = Instant::now() + Duration::from_secs(20);
    while engine.ticks()? < before + 3 {
        if Instant::now() > deadline {
            return Err("no processor time is used in the opponent's time".into());
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Checks that the engine rests, 200 ms from now.
fn rests(engine: &Process) -> Result<(), Fault> {
    thread::sleep(Duration::from_millis(200));
    let before = engine.ticks()?;
    thread::sleep(Duration::from_millis(300));
    let used = engine.ticks()? - before;
    if used <= 1 {
        Ok(())
    } else {
        Err(format!("{used} ticks used in a rest of 300 ms"))
    }
}

/// An engine that has answered a first move, and the two lines about that: the message and the move.
fn after_a_move(pondering: bool) -> Result<(Process, Line, Line), Fault> {
    let mut engine = Process::start(&Program::engine());
    let pondering = u8::from(pondering);
    // However busy the machine is, so many nodes find a reply to expect.
    engine.line(&format!(
        "START 15\nINFO timeout_turn -1\nINFO max_node 5000\nINFO pondering {pondering}\n\
         BOARD\n7,7,2\n8,8,1\n9,7,2\n6,8,1\n8,9,2\nDONE"
    ))?;
    let deadline = Instant::now() + Duration::from_secs(20) + slack();
    let mut message = None;
    loop {
        match engine.next(deadline)? {
            Output::Line(line) if parse_point(&line.text).is_some() => {
                let message = message.ok_or("no message")?;
                engine.line("INFO timeout_turn 300\nINFO max_node 0")?;
                return Ok((engine, message, line));
            }
            Output::Line(line) => message = Some(line),
            other => return Err(format!("expected a move, got {other:?}")),
        }
    }
}

/// Starts the engine, lets `talk` talk to it, and ends it.
fn converse(talk: impl FnOnce(&mut Process) -> Result<(), Fault>) {
    let mut engine = Process::start(&Program::engine());
    talk(&mut engine).unwrap_or_else(|fault| panic!("{fault}\n{}", engine.transcript()));
    engine.quit().expect("a quick end");
}

#[test]
fn it_ends_when_told() {
    let commands = ["STOP", "YXSTOP", "START 15", "RESTART", "INFO pondering 0"];
    run_all(&commands, |command| {
        let (mut engine, ..) = after_a_move(true)?;
        wait_until_it_works(&engine)?;
        engine.line(command)?;
        rests(&engine).map_err(|fault| format!("after {command}: {fault}"))?;
        if command.contains("START") {
            let line = engine.answer(Instant::now() + slack())?;
            if line.text != "OK" {
                return Err(format!("{command}: {:?}", line.text));
            }
        }
        engine.quit()
    });
}

/// After a first move, which needs no search, no reply is expected: it thinks about all of them.
#[test]
fn it_needs_no_reply_to_expect() {
    converse(|engine| {
        engine.line("START 15\nINFO timeout_turn 300\nINFO pondering 1\nBEGIN")?;
        engine.answer(engine.since + slack())?; // OK
        engine.answer(engine.since + slack())?;
        wait_until_it_works(engine)?;
        engine.line("TURN 8,8")?;
        engine.answer(engine.since + Duration::from_millis(300) + slack())?;
        wait_until_it_works(engine)?;
        engine.line("YXSTOP")?;
        rests(engine)?;
        engine.silence(Duration::from_millis(300))
    });
}

/// Who stops a search gets its move, and then rest.
#[test]
fn a_stopped_search_is_followed_by_rest() {
    converse(|engine| {
        engine.line("START 15\nINFO timeout_turn -1\nINFO pondering 1\nTURN 7,7")?;
        engine.answer(engine.since + slack())?; // OK
        wait_until_it_works(engine)?;
        engine.line("YXSTOP")?;
        engine.answer(engine.since + Duration::from_millis(200) + slack())?;
        rests(engine)
    });
}

#[test]
fn end_ends_it_too() {
    let (mut engine, ..) = after_a_move(true).expect("a move");
    wait_until_it_works(&engine).expect("pondering");
    engine.quit().expect("a quick end");
}

#[test]
fn it_is_not_done_unless_asked_for() {
    let (mut engine, ..) = after_a_move(false).expect("a move");
    rests(&engine).expect("rest");
    engine.quit().expect("a quick end");
}

#[test]
fn any_reply_is_answered_once() {
    let replies = ["expected", "another", "as a board"];
    run_all(&replies, |reply| {
        let (mut engine, message, answer) = after_a_move(true)?;
        wait_until_it_works(&engine)?;
        // The line in the message begins with the move and the reply that is expected: `pv H8 I9 …`.
        let (_, line) = message
            .text
            .split_once(" pv ")
            .ok_or("no line in the message")?;
        let expected = line.split(' ').nth(1).ok_or("no reply in the message")?;
        let size = quincunx::types::Size::square(15);
        let expected = quincunx::types::Point::parse(expected, size)
            .map_err(|error| format!("{expected}: {error}"))?;
        let text = match *reply {
            "expected" => format!("TURN {expected}"),
            "another" => "TURN 0,14".to_owned(),
            _ => format!(
                "BOARD\n7,7,2\n8,8,1\n9,7,2\n6,8,1\n8,9,2\n{},1\n{expected},2\nDONE",
                answer.text
            ),
        };
        engine.line(&format!("INFO time_left 2147483647\n{text}"))?;
        let line = engine.answer(engine.since + Duration::from_millis(300) + slack())?;
        if parse_point(&line.text).is_none() || line.text == answer.text {
            return Err(format!("{reply}: {:?}", line.text));
        }
        engine.silence(Duration::from_millis(300))?;
        engine.quit()
    });
}
