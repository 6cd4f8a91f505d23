//! A player of a duel: the process of an engine, asked over pipes.
//!
//! Assumes nothing of the engine: what it does wrong is the reason why it loses. Promises that no process is
//! left behind and that no answer is awaited for longer than the time given.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::Loss;
use crate::types::{Point, Size};

/// Time to load and to answer `START`.
const START_TIME: Duration = Duration::from_secs(20);
/// Time to end after `END`.
const END_TIME: Duration = Duration::from_secs(1);

/// A running engine that plays one game.
pub(super) struct Player {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    size: Size,
    /// Whether the engine knows the stones on the board.
    seated: bool,
}

impl Player {
    /// Starts the engine.
    ///
    /// # Errors
    /// When there is no such program, or it cannot be run.
    pub(super) fn start(path: &Path, size: Size) -> io::Result<Self> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for as pipes");
        };
        let (sender, lines) = crossbeam_channel::unbounded();
        // Ends with the engine's output, or with the first line after the player is dropped.
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            child,
            input,
            lines,
            size,
            seated: false,
        })
    }

    /// Sets up an empty board under the conditions of `info`, lines with `INFO` commands.
    pub(super) fn seat(&mut self, info: &str) -> Result<(), Loss> {
        self.send(&format!("START {}", self.size.width()))?;
        if self.answer(START_TIME)? != "OK" {
            return Err(Loss::Illegal);
        }
        self.send(info)
    }

    /// Asks for the next move after `moves`, Black's first; the point is on the board, but may be taken.
    pub(super) fn ask(&mut self, moves: &[Point], limit: Duration) -> Result<Point, Loss> {
        let question = match moves {
            [] => "BEGIN".to_owned(),
            [.., last] if self.seated => format!("TURN {last}"),
            _ => {
                let stones: Vec<String> = moves
                    .iter()
                    .enumerate()
                    .map(|(i, point)| {
                        let own = (moves.len() - i).is_multiple_of(2);
                        format!("{point},{}", if own { 1 } else { 2 })
                    })
                    .collect();
                format!("BOARD\n{}\nDONE", stones.join("\n"))
            }
        };
        self.seated = true;
        self.send(&question)?;
        let answer = self.answer(limit)?;
        answer
            .split_once(',')
            .and_then(|(x, y)| self.size.point(x.parse().ok()?, y.parse().ok()?))
            .ok_or(Loss::Illegal)
    }

    fn send(&mut self, text: &str) -> Result<(), Loss> {
        self.input
            .write_all(format!("{text}\n").as_bytes())
            .map_err(|_| Loss::Crash)
    }

    /// The next line that is more than talk.
    fn answer(&mut self, limit: Duration) -> Result<String, Loss> {
        let deadline = Instant::now() + limit;
        loop {
            match self.lines.recv_deadline(deadline) {
                Ok(line) if is_talk(&line) => {}
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => return Err(Loss::Time),
                Err(RecvTimeoutError::Disconnected) => return Err(Loss::Crash),
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // Errors mean that the process is gone, which is what is wanted.
        let _ = self.input.write_all(b"END\n");
        let deadline = Instant::now() + END_TIME;
        while self.lines.recv_deadline(deadline).is_ok() {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a line answers nothing. `UNKNOWN` does not either: engines say it to `INFO` keys.
fn is_talk(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or("");
    ["", "MESSAGE", "DEBUG", "INFO", "UNKNOWN"].contains(&word)
}
