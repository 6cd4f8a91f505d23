//! The language that protocol cases are written in; `tests/data/protocol_cases.txt` opens with
//! its description.

use std::collections::BTreeSet;
use std::time::Duration;

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The number that the case has in the list it comes from.
    pub(crate) label: String,
    pub(crate) title: String,
    /// The heading that it stands under.
    pub(crate) group: String,
    pub(crate) arguments: Vec<String>,
    /// What ends each line that is sent: LF, or CR LF.
    pub(crate) line_end: &'static str,
    /// `None`: nothing is sent before the first step.
    pub(crate) prologue: Option<Prologue>,
    /// Line of the file and what to do.
    pub(crate) steps: Vec<(usize, Step)>,
}

/// The game that a case starts from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prologue {
    pub(crate) size: u8,
    /// `INFO timeout_turn` in milliseconds.
    pub(crate) turn: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Send a line, and follow it on the test's board.
    Line(String),
    /// Send bytes as they are, not followed.
    Raw(Vec<u8>),
    /// Follow a line that was sent as bytes.
    Follow(String),
    /// Send BOARD (`true`) or YXBOARD with stones of alternating colour.
    Board(bool, String),
    /// Send BOARD with a stone on every point but these.
    Fill(String),
    /// Gather what is sent until [`Step::Go`].
    Gather(Delivery),
    Go,
    Sleep(Duration),
    EndOfInput,
    /// Signal by name.
    Signal(&'static str),
    Expect(Expectation),
    /// No answer for this long.
    Nothing(Duration),
    Exit(Duration),
}

/// How gathered bytes reach the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    OneWrite,
    ByteByByte,
}

#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub(crate) answers: Vec<Answer>,
    pub(crate) manner: Manner,
    pub(crate) within: Option<Duration>,
    pub(crate) times: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// One of the answers comes, asides (MESSAGE, DEBUG, INFO) may come first.
    One,
    /// As `One`, without asides.
    Directly,
    /// All answers come, in any order.
    Each,
    /// One of the answers may come, or another line, or nothing.
    Maybe,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Ok,
    Error,
    Unknown,
    About,
    Swap,
    /// A MESSAGE or INFO line beginning so.
    Aside(String),
    /// The forbidden points as they stand in the answer, in any order.
    Forbid(BTreeSet<(i64, i64)>),
    /// So many legal points on one line.
    Points(usize),
    Move(Choice),
}

/// Which legal moves will do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    Any,
    Of(String),
    Not(String),
}

/// Reads a file of cases.
///
/// # Panics
/// With the line number where the file is written wrongly.
pub(crate) fn parse(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut group = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(heading) = line.strip_prefix("== ") {
            heading.clone_into(&mut group);
        } else if let Some((label, title)) = line
            .strip_prefix('[')
            .and_then(|header| header.split_once("] "))
        {
            cases.push(Case {
                label: label.to_owned(),
                title: title.to_owned(),
                group: group.clone(),
                arguments: Vec::new(),
                line_end: "\n",
                prologue: Some(Prologue {
                    size: 15,
                    turn: 300,
                }),
                steps: Vec::new(),
            });
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let case = cases.last_mut().expect("a case before the first step");
            if let Err(fault) = parse_step(case, number, line) {
                panic!("line {number}: {fault}: {line:?}");
            }
        }
    }
    cases
}

fn parse_step(case: &mut Case, number: usize, line: &str) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let ms = || {
        rest.parse()
            .map(Duration::from_millis)
            .map_err(|error| said(&error))
    };
    let prologue = |case: &mut Case| {
        if case.steps.is_empty() {
            case.prologue
                .take()
                .ok_or("the prologue is settled already")
        } else {
            Err("comes before the steps")
        }
    };
    let step = match word {
        "bare" => {
            prologue(case)?;
            return Ok(());
        }
        "turn" => {
            let turn = rest.parse().map_err(|error| said(&error))?;
            let settled = prologue(case)?;
            case.prologue = Some(Prologue { turn, ..settled });
            return Ok(());
        }
        "size" => {
            let size = rest.parse().map_err(|error| said(&error))?;
            let settled = prologue(case)?;
            case.prologue = Some(Prologue { size, ..settled });
            return Ok(());
        }
        "crlf" => {
            case.line_end = "\r\n";
            return Ok(());
        }
        "arguments" => {
            case.arguments = rest.split(' ').map(str::to_owned).collect();
            return Ok(());
        }
        ">" => Step::Line(rest.to_owned()),
        "raw" => Step::Raw(unescape(rest)?),
        "follow" => Step::Follow(rest.to_owned()),
        "board" => Step::Board(true, rest.to_owned()),
        "yxboard" => Step::Board(false, rest.to_owned()),
        "fill" => Step::Fill(rest.to_owned()),
        "together" => Step::Gather(Delivery::OneWrite),
        "trickle" => Step::Gather(Delivery::ByteByByte),
        "go" => Step::Go,
        "sleep" => Step::Sleep(ms()?),
        "eof" => Step::EndOfInput,
        "suspend" => Step::Signal("STOP"),
        "resume" => Step::Signal("CONT"),
        "thinking" => Step::Nothing(ms()?),
        "expect" if rest == "nothing" => Step::Nothing(Duration::from_secs(1)),
        "expect" => match rest.strip_prefix("exit within ") {
            Some(ms) => Step::Exit(Duration::from_millis(
                ms.parse().map_err(|error| said(&error))?,
            )),
            None => Step::Expect(parse_expectation(rest)?),
        },
        _ => return Err("no such step".into()),
    };
    case.steps.push((number, step));
    Ok(())
}

fn parse_expectation(text: &str) -> Result<Expectation, String> {
    let (mut text, manner) = match text.split_once(' ') {
        Some(("directly", rest)) => (rest, Manner::Directly),
        Some(("each", rest)) => (rest, Manner::Each),
        Some(("maybe", rest)) => (rest, Manner::Maybe),
        _ => (text, Manner::One),
    };
    let (mut within, mut times) = (None, 1);
    if let Some((rest, ms)) = text.rsplit_once(" within ") {
        within = Some(Duration::from_millis(
            ms.parse().map_err(|error| said(&error))?,
        ));
        text = rest;
    }
    if let Some((rest, n)) = text.rsplit_once(" times ") {
        times = n.parse().map_err(|error| said(&error))?;
        text = rest;
    }
    Ok(Expectation {
        answers: text
            .split(" | ")
            .map(parse_answer)
            .collect::<Result<_, _>>()?,
        manner,
        within,
        times,
    })
}

fn parse_answer(text: &str) -> Result<Answer, String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match (word, rest) {
        ("OK", "") => Answer::Ok,
        ("ERROR", "") => Answer::Error,
        ("UNKNOWN", "") => Answer::Unknown,
        ("ABOUT", "") => Answer::About,
        ("SWAP", "") => Answer::Swap,
        ("MESSAGE" | "INFO", _) => Answer::Aside(text.to_owned()),
        ("POINTS", n) => Answer::Points(n.parse().map_err(|error| said(&error))?),
        ("FORBID", "none") => Answer::Forbid(BTreeSet::new()),
        ("FORBID", points) => {
            let line = format!("FORBID {}.", points.replace(' ', ""));
            let points = super::process::parse_forbid(&line).ok_or("not in fours of digits")?;
            Answer::Forbid(points.into_iter().collect())
        }
        ("MOVE", "") => Answer::Move(Choice::Any),
        ("MOVE", rest) => Answer::Move(match rest.split_once(' ') {
            Some(("of", points)) => Choice::Of(points.to_owned()),
            Some(("not", points)) => Choice::Not(points.to_owned()),
            _ => return Err("MOVE of … or MOVE not …".into()),
        }),
        _ => return Err("no such answer".into()),
    })
}

/// Reads `\r`, `\n`, `\t`, `\s` (blank), `\xHH` and `\{1000*text}`.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        let mut chars = after.chars();
        let (byte, after) = match chars.next() {
            Some('r') => (b'\r', chars.as_str()),
            Some('n') => (b'\n', chars.as_str()),
            Some('t') => (b'\t', chars.as_str()),
            Some('s') => (b' ', chars.as_str()),
            Some('\\') => (b'\\', chars.as_str()),
            Some('x') => {
                let digits = after.get(1..3).ok_or("two digits after \\x")?;
                let byte = u8::from_str_radix(digits, 16).map_err(|error| said(&error))?;
                (byte, &after[3..])
            }
            Some('{') => {
                let (repeated, after) = after[1..].split_once('}').ok_or("no } after \\{")?;
                let (times, text) = repeated.split_once('*').ok_or("no * in \\{…}")?;
                let text = unescape(text)?;
                bytes.extend(text.repeat(times.parse().map_err(|error| said(&error))?));
                rest = after;
                continue;
            }
            _ => return Err("no such escape".into()),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes.extend(rest.bytes());
    Ok(bytes)
}

fn said(error: &impl ToString) -> String {
    error.to_string()
}
