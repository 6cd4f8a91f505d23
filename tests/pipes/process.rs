//! The engine as a child process, read the way the most exacting manager would read it.
//!
//! Promises: every line handed out came whole in one write, ended in a lone LF, and has one of
//! the forms that managers understand; whatever breaks this is a [`Fault`], never a panic or a
//! test that hangs.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Fault;

/// How long a step without a time limit of its own may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What a time limit is exceeded by before a test complains: this machine may be busy.
/// `PROTOCOL_SLACK_MS=20` on an idle machine checks the limits as they are written.
pub(crate) fn slack() -> Duration {
    let ms = std::env::var("PROTOCOL_SLACK_MS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_millis(ms.unwrap_or(1500))
}

/// The unit of [`Process::ticks`].
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// What to start.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) directory: Option<PathBuf>,
}

impl Program {
    /// The engine under test: the one that this crate builds, unless `QUINCUNX_ENGINE` is a command
    /// (words between blanks) that starts another, such as a Windows build under wine.
    pub(crate) fn engine() -> Self {
        let Ok(command) = std::env::var("QUINCUNX_ENGINE") else {
            return Self::built();
        };
        let mut words = command.split_whitespace();
        Self {
            path: words
                .next()
                .expect("QUINCUNX_ENGINE names a program")
                .into(),
            args: words.map(OsString::from).collect(),
            directory: None,
        }
    }

    /// The engine that this crate builds.
    pub(crate) fn built() -> Self {
        Self {
            path: env!("CARGO_BIN_EXE_pbrain-quincunx").into(),
            args: Vec::new(),
            directory: None,
        }
    }
}

/// A line of output without its LF, and when it came.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) at: Instant,
}

impl Line {
    /// Whether managers pass over the line while they wait for an answer.
    pub(crate) fn is_aside(&self) -> bool {
        ["MESSAGE ", "DEBUG ", "INFO "]
            .iter()
            .any(|prefix| self.text.starts_with(prefix))
    }
}

/// What came from the engine.
#[derive(Debug)]
pub(crate) enum Output {
    Line(Line),
    /// Nothing in the time given.
    Silence,
    /// The engine closed its output.
    End,
}

/// A running engine. Killed when dropped.
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    written: Receiver<std::io::Result<()>>,
    output: Receiver<Result<Line, Fault>>,
    unread: Option<Line>,
    errors: Option<JoinHandle<String>>,
    reading: Arc<Mutex<()>>,
    /// The value of `INFO show_detail` that was sent: with bit 1 the engine may print INFO lines.
    pub(crate) detail: i64,
    /// When the last input was written: what time limits count from.
    pub(crate) since: Instant,
    transcript: Vec<String>,
}

impl Process {
    pub(crate) fn start(program: &Program) -> Self {
        Self::spawn(program, true)
    }

    /// An engine that nobody listens to: the pipe of its standard output is closed.
    pub(crate) fn start_without_output(program: &Program) -> Self {
        Self::spawn(program, false)
    }

    fn spawn(program: &Program, listen: bool) -> Self {
        let mut command = Command::new(&program.path);
        command
            .args(&program.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut stderr = child.stderr.take().expect("stderr is piped");

        // A thread of its own writes: an engine that does not read must not hang the test.
        let (input, to_write) = mpsc::channel::<Vec<u8>>();
        let (report, written) = mpsc::channel();
        thread::spawn(move || {
            for bytes in to_write {
                if report.send(stdin.write_all(&bytes)).is_err() {
                    break;
                }
            }
        });
        let (lines, output) = mpsc::channel();
        let reading = Arc::new(Mutex::new(()));
        let gate = Arc::clone(&reading);
        if listen {
            thread::spawn(move || read_lines(stdout, &gate, &lines));
        }
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            // A read error here means the process is gone; what came before it counts.
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            child,
            input: Some(input),
            written,
            output,
            unread: None,
            errors: Some(errors),
            reading,
            detail: 0,
            since: Instant::now(),
            transcript: Vec::new(),
        }
    }

    /// Writes `bytes` in one go.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let shown = bytes[..bytes.len().min(400)].escape_ascii();
        self.transcript.push(format!("> {shown}"));
        let input = self.input.as_ref().ok_or("the input is closed already")?;
        self.since = Instant::now();
        input
            .send(bytes.to_vec())
            .map_err(|_| "the engine closed its input")?;
        match self.written.recv_timeout(PATIENCE) {
            Ok(Ok(())) => {
                self.since = Instant::now();
                Ok(())
            }
            Ok(Err(error)) => Err(format!("cannot write to the engine: {error}")),
            Err(_) => Err("the engine does not read its input".into()),
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Fault> {
        self.send(format!("{text}\n").as_bytes())
    }

    /// Closes the engine's standard input.
    pub(crate) fn close_input(&mut self) {
        self.transcript.push("> end of input".into());
        self.input = None;
        self.since = Instant::now();
    }

    /// Holds the reading of standard output until the guard is dropped. (What a read already
    /// under way returns still comes through.)
    pub(crate) fn stall(reading: &Arc<Mutex<()>>) -> MutexGuard<'_, ()> {
        reading.lock().expect("the reader does not panic")
    }

    /// What [`Process::stall`] takes.
    pub(crate) fn reading(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.reading)
    }

    /// The next line of whatever kind, waiting until `deadline`.
    pub(crate) fn next(&mut self, deadline: Instant) -> Result<Output, Fault> {
        if let Some(line) = self.unread.take() {
            return Ok(Output::Line(line));
        }
        let wait = deadline.saturating_duration_since(Instant::now());
        let line = match self.output.recv_timeout(wait) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => return Ok(Output::Silence),
            Err(RecvTimeoutError::Disconnected) => return Ok(Output::End),
        };
        self.transcript.push(format!("  {}", line.text));
        check_form(&line.text, self.detail)?;
        Ok(Output::Line(line))
    }

    /// Puts a line back, to be the next one.
    pub(crate) fn put_back(&mut self, line: Line) {
        assert!(self.unread.replace(line).is_none(), "one line at a time");
    }

    /// The next line that is an answer, waiting until `deadline`.
    pub(crate) fn answer(&mut self, deadline: Instant) -> Result<Line, Fault> {
        loop {
            match self.next(deadline)? {
                Output::Line(line) if line.is_aside() => {}
                Output::Line(line) => return Ok(line),
                Output::Silence => return Err("no answer in time".into()),
                Output::End => return Err("the engine closed its output".into()),
            }
        }
    }

    /// Makes sure that no answer comes for a time.
    pub(crate) fn silence(&mut self, time: Duration) -> Result<(), Fault> {
        let deadline = Instant::now() + time;
        loop {
            match self.next(deadline)? {
                Output::Line(line) if line.is_aside() => {}
                Output::Line(line) => return Err(format!("expected nothing, got {:?}", line.text)),
                Output::Silence => return Ok(()),
                Output::End => return Err("expected nothing, but the engine is gone".into()),
            }
        }
    }

    /// Waits until `deadline` for the process to leave by itself. How it ended, and what it
    /// printed on standard error in all its life.
    pub(crate) fn end(&mut self, deadline: Instant) -> Result<(ExitStatus, String), Fault> {
        let status = loop {
            let status = self.child.try_wait().map_err(|error| error.to_string())?;
            if status.is_some() || Instant::now() > deadline {
                break status;
            }
            thread::sleep(Duration::from_millis(2));
        };
        if status.is_none() {
            let _ = self.child.kill();
        }
        let errors = self.errors.take().ok_or("ended before")?;
        let errors = errors.join().map_err(|_| "the reader panicked")?;
        match status {
            Some(status) => Ok((status, errors)),
            None => Err(format!("the engine does not exit {errors}")),
        }
    }

    /// Checks a good end: the process leaves by `deadline` with code 0, having printed no answer
    /// that nobody read and nothing at all on standard error.
    pub(crate) fn expect_exit(&mut self, deadline: Instant) -> Result<(), Fault> {
        let (status, errors) = self.end(deadline)?;
        if !errors.is_empty() {
            return Err(format!("text on standard error: {errors}"));
        }
        if status.code() != Some(0) {
            return Err(format!("the engine ended with {status}"));
        }
        loop {
            match self.next(Instant::now() + PATIENCE)? {
                Output::Line(line) if line.is_aside() => {}
                Output::Line(line) => return Err(format!("one line too many: {:?}", line.text)),
                Output::Silence => return Err("the output stays open".into()),
                Output::End => return Ok(()),
            }
        }
    }

    /// Sends END and checks a good end.
    pub(crate) fn quit(&mut self) -> Result<(), Fault> {
        self.line("END")?;
        self.expect_exit(self.since + Duration::from_millis(500) + slack())
    }

    /// Processor time that the engine has used so far, in whole [`TICK`]s.
    #[cfg(target_os = "linux")]
    pub(crate) fn ticks(&self) -> Result<u32, Fault> {
        let path = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let (_, fields) = text.rsplit_once(')').ok_or("no name in stat")?;
        // Fields 14 and 15 of proc(5), user and system time; 3 comes first here.
        let times = fields.split_whitespace().skip(11).take(2);
        Ok(times.filter_map(|ticks| ticks.parse::<u32>().ok()).sum())
    }

    /// Sends a signal by name, as judges do to suspend an engine.
    #[cfg(unix)]
    pub(crate) fn signal(&mut self, name: &str) -> Result<(), Fault> {
        self.transcript.push(format!("> signal {name}"));
        let status = Command::new("kill")
            .args([format!("-{name}"), self.child.id().to_string()])
            .status()
            .map_err(|error| format!("cannot run kill: {error}"))?;
        self.since = Instant::now();
        if status.success() {
            Ok(())
        } else {
            Err(format!("kill -{name} failed"))
        }
    }

    /// Where processes cannot be suspended, the cases run without it.
    #[cfg(not(unix))]
    pub(crate) fn signal(&mut self, name: &str) -> Result<(), Fault> {
        self.transcript.push(format!("> (no signal {name} here)"));
        self.since = Instant::now();
        Ok(())
    }

    /// Bytes of memory that only this process uses, as the judge measures them.
    #[cfg(target_os = "linux")]
    pub(crate) fn private_bytes(&self) -> Result<u64, Fault> {
        let path = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        let kib: u64 = text
            .lines()
            .filter(|line| line.starts_with("Private_"))
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
            .sum();
        Ok(kib * 1024)
    }

    /// The end of what was said so far, for a fault report.
    pub(crate) fn transcript(&self) -> String {
        let skipped = self.transcript.len().saturating_sub(40);
        let before = (skipped > 0).then(|| format!("    ({skipped} lines before)\n"));
        let lines = self.transcript[skipped..].iter();
        before
            .into_iter()
            .chain(lines.map(|line| format!("    {line}\n")))
            .collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails when the process is gone already, which is the usual case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Cuts output into lines until it ends.
fn read_lines(mut stdout: impl Read, gate: &Mutex<()>, lines: &Sender<Result<Line, Fault>>) {
    let mut buffer = vec![0; 1 << 17]; // more than a pipe holds: a read takes all there is
    loop {
        drop(gate.lock());
        let Ok(length @ 1..) = stdout.read(&mut buffer) else {
            return;
        };
        let at = Instant::now();
        // A line goes out in one write, and a pipe keeps such a write together: a read that
        // ends within a line proves that the line was written in pieces.
        let Some(chunk) = buffer[..length].strip_suffix(b"\n") else {
            let tail = buffer[..length].rsplit(|&byte| byte == b'\n').next();
            let tail = tail.unwrap_or_default().escape_ascii();
            let _ = lines.send(Err(format!("part of a line without its end: {tail}")));
            return;
        };
        for bytes in chunk.split(|&byte| byte == b'\n') {
            let line = if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
                let text = String::from_utf8_lossy(bytes).into_owned();
                Ok(Line { text, at })
            } else {
                Err(format!("not plain ASCII: {:?}", bytes.escape_ascii()))
            };
            if lines.send(line).is_err() {
                return;
            }
        }
    }
}

/// Checks that a line is one of those that every manager understands or passes over.
fn check_form(line: &str, detail: i64) -> Result<(), Fault> {
    let with_text = |prefixes: &[&str]| {
        prefixes.iter().any(|prefix| {
            line.strip_prefix(prefix)
                .is_some_and(|text| text.starts_with(|c: char| c.is_ascii_graphic()))
        })
    };
    // Piskvork takes an INFO line for the answer: it comes only when it was asked for.
    let asked = detail & 2 != 0;
    let known = matches!(line, "OK" | "SWAP")
        || line.split(' ').all(|word| parse_point(word).is_some())
        || parse_forbid(line).is_some()
        || with_text(&["MESSAGE ", "DEBUG ", "ERROR ", "UNKNOWN ", "name=\""])
        || asked && with_text(&["INFO "]);
    let limit = if line.starts_with("ERROR ") || line.starts_with("UNKNOWN ") {
        160 // an echo of about a hundred characters at most
    } else {
        5 * 22 * 22 // what Yixin-Board has room for
    };
    if !known {
        Err(format!("no manager understands {line:?}"))
    } else if line.len() > limit {
        Err(format!("a line of {} characters: {line:?}", line.len()))
    } else if line.starts_with("MESSAGE ") && line.contains("name") {
        Err(format!("qpiskvork takes {line:?} for the answer to ABOUT"))
    } else if line.ends_with(' ') {
        Err(format!("a blank at the end of {line:?}"))
    } else {
        Ok(())
    }
}

/// Reads `x,y` as the strictest manager does: digits, comma, digits.
pub(crate) fn parse_point(word: &str) -> Option<(i64, i64)> {
    let number = |text: &str| {
        let digits = (1..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    let (x, y) = word.split_once(',')?;
    Some((number(x)?, number(y)?))
}

/// Reads `FORBID xxyyxxyy.`; `FORBID .` holds no points.
pub(crate) fn parse_forbid(line: &str) -> Option<Vec<(i64, i64)>> {
    let digits = line.strip_prefix("FORBID ")?.strip_suffix('.')?.as_bytes();
    digits
        .chunks(4)
        .map(|four| {
            let four: &[u8; 4] = four.try_into().ok()?;
            let all_digits = four.iter().all(u8::is_ascii_digit);
            let number = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
            all_digits.then(|| (number(four[0], four[1]), number(four[2], four[3])))
        })
        .collect()
}
