//! Bytes to lines to the session's inbox, on a thread of its own.
//!
//! It never waits for the search or for the output, so that a manager that writes before it reads cannot lock
//! both sides up. STOP, END and the end of input act here at once, and reach the inbox too, in
//! their turn.

use std::io::{self, Read};
use std::time::Instant;

use crossbeam_channel::Sender;

use super::command::Command;
use super::parse::Parser;
use super::session::{Input, Quit};
use crate::engine::Stopper;

/// Longest line that is kept; the rest up to the line's end is dropped.
const LONGEST: usize = 1 << 16;

/// Reads `input` to its end or to `END`, whichever comes first.
pub(super) fn read(input: impl Read, inbox: &Sender<Input>, stopper: &Stopper, quit: &Quit) {
    let mut parser = Parser::new();
    for_each_line(input, |line| {
        let asked = Instant::now();
        let Some(command) = parser.feed(line) else {
            return true;
        };
        match command {
            Ok(Command::End) => return false,
            Ok(Command::Stop) => stopper.stop(),
            _ => {}
        }
        inbox.send(Input::Command(command, asked)).is_ok()
    });
    quit.set();
    stopper.stop();
    // The session may be gone already.
    let _ = inbox.send(Input::End);
}

/// Calls `consume` with every line of `input`, without its end (CR, LF or both; empty lines may
/// appear that are not there), until it returns `false` or nothing more can be read.
fn for_each_line(mut input: impl Read, mut consume: impl FnMut(&[u8]) -> bool) {
    let mut chunk = [0; 1 << 13];
    let mut line = Vec::new();
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let mut rest = &chunk[..read];
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            append(&mut line, &rest[..end]);
            if !consume(&line) {
                return;
            }
            line.clear();
            rest = &rest[end + 1..];
        }
        append(&mut line, rest);
    }
    if !line.is_empty() {
        consume(&line);
    }
}

fn append(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST.saturating_sub(line.len());
    line.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one byte per read.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(1);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn lines(input: impl Read) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for_each_line(input, |line| {
            if !line.is_empty() {
                lines.push(line.to_vec());
            }
            true
        });
        lines
    }

    #[test]
    fn every_line_end_in_any_pieces() {
        let text = b"a\r\nb\nc\rd\r\n\r\ne";
        let expected: Vec<Vec<u8>> = "abcde".bytes().map(|byte| vec![byte]).collect();
        assert_eq!(lines(&text[..]), expected);
        assert_eq!(lines(Trickle(text)), expected);
    }

    #[test]
    fn long_lines_are_cut() {
        let mut text = vec![b'A'; 200_000];
        text.extend(b"\nABOUT\n");
        let lines = lines(&text[..]);
        assert_eq!(lines[0].len(), LONGEST);
        assert_eq!(lines[1], b"ABOUT");
    }
}
