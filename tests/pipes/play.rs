//! Plays a [`Case`] with a program.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use quincunx::types::{Point, Size};

use super::Fault;
use super::case::{Answer, Case, Choice, Delivery, Expectation, Manner, Step};
use super::follow::{Follower, moves};
use super::position::Position;
use super::process::{Line, Output, PATIENCE, Process, Program, parse_forbid, parse_point, slack};

/// Plays `case` and reports, with what was said, the first thing that is wrong.
pub(crate) fn play(program: &Program, case: &Case) -> Result<(), Fault> {
    let mut program = program.clone();
    program.args.extend(case.arguments.iter().map(Into::into));
    let mut player = Player {
        process: Process::start(&program),
        follower: Follower::new(),
        line_end: case.line_end,
        gathered: None,
        gone: false,
    };
    player.case(case).map_err(|fault| {
        format!(
            "[{}] {}: {fault}\n{}",
            case.label,
            case.title,
            player.process.transcript()
        )
    })
}

struct Player {
    process: Process,
    follower: Follower,
    line_end: &'static str,
    gathered: Option<(Delivery, Vec<u8>)>,
    /// The process has ended, as it was expected to.
    gone: bool,
}

impl Player {
    fn case(&mut self, case: &Case) -> Result<(), Fault> {
        if let Some(prologue) = case.prologue {
            self.line(&format!("START {}", prologue.size))?;
            self.expect(&Expectation {
                answers: vec![Answer::Ok],
                manner: Manner::One,
                within: None,
                times: 1,
            })?;
            self.line(&format!("INFO timeout_turn {}", prologue.turn))?;
            self.line("INFO timeout_match 0")?;
            self.line("INFO time_left 2147483647")?;
        }
        for (number, step) in &case.steps {
            self.step(step)
                .map_err(|fault| format!("line {number}: {fault}"))?;
        }
        if !self.gone {
            self.process.quit()?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Fault> {
        match step {
            Step::Line(text) => self.line(text),
            Step::Raw(bytes) => self.send(bytes),
            Step::Follow(text) => self.follower.line(text),
            Step::Board(think, text) => {
                let mut position = Position::new(self.size()?, self.follower.rule());
                for point in moves(text, position.size())? {
                    position.play(point);
                }
                self.block(if *think { "BOARD" } else { "YXBOARD" }, &position)
            }
            Step::Fill(text) => {
                let size = self.size()?;
                let position = filled(size, self.follower.rule(), &moves(text, size)?);
                self.block("BOARD", &position)
            }
            Step::Gather(delivery) => {
                self.gathered = Some((*delivery, Vec::new()));
                Ok(())
            }
            Step::Go => match self.gathered.take() {
                Some((Delivery::OneWrite, bytes)) => self.process.send(&bytes),
                Some((Delivery::ByteByByte, bytes)) => bytes.iter().try_for_each(|&byte| {
                    thread::sleep(Duration::from_millis(1));
                    self.process.send(&[byte])
                }),
                None => Err("nothing was gathered".into()),
            },
            Step::Sleep(time) => {
                thread::sleep(*time);
                Ok(())
            }
            Step::EndOfInput => {
                self.process.close_input();
                Ok(())
            }
            Step::Signal(name) => self.process.signal(name),
            Step::Expect(expectation) => self.expect(expectation),
            Step::Nothing(time) => self.process.silence(*time),
            Step::Exit(within) => {
                self.gone = true;
                let deadline = self.process.since + *within + slack();
                self.process.expect_exit(deadline)
            }
        }
    }

    fn size(&self) -> Result<Size, Fault> {
        self.follower.size().ok_or("no game was started".into())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if let Some((_, gathered)) = &mut self.gathered {
            gathered.extend(bytes);
            return Ok(());
        }
        self.process.send(bytes)
    }

    fn line(&mut self, text: &str) -> Result<(), Fault> {
        let mut text = text.to_owned();
        if text.contains("{last}") {
            let last = self.follower.position()?.stones().last();
            let last = last.ok_or("no stone to name")?;
            text = text.replace("{last}", &last.to_string());
        }
        self.follower.line(&text)?;
        if let Some(detail) = text.to_ascii_lowercase().strip_prefix("info show_detail ") {
            self.process.detail = detail.parse().map_err(|_| "show_detail what?")?;
        }
        self.send(format!("{text}{}", self.line_end).as_bytes())
    }

    fn block(&mut self, command: &str, position: &Position) -> Result<(), Fault> {
        self.line(command)?;
        for line in position.board_lines() {
            self.line(&line)?;
        }
        self.line("DONE")
    }

    fn expect(&mut self, expectation: &Expectation) -> Result<(), Fault> {
        let limit = expectation.within.map(|within| within + slack());
        let deadline = self.process.since + limit.unwrap_or(PATIENCE);
        let mut open = expectation.answers.clone();
        for _ in 0..expectation.times {
            match expectation.manner {
                Manner::One | Manner::Directly => {
                    let directly = expectation.manner == Manner::Directly;
                    let line = self.answer(&expectation.answers, directly, deadline)?;
                    let line = line.ok_or_else(|| unanswered(&expectation.answers))?;
                    let (_, fault) = self.check(&line, &expectation.answers, true);
                    fault?;
                    if line.at > deadline {
                        return Err(format!("{:?} came too late", line.text));
                    }
                }
                Manner::Each => {
                    while !open.is_empty() {
                        let line = self.answer(&open, false, deadline)?;
                        let line = line.ok_or_else(|| unanswered(&open))?;
                        let (index, fault) = self.check(&line, &open, false);
                        fault?;
                        open.remove(index);
                    }
                }
                Manner::Maybe => {
                    let deadline = Instant::now() + Duration::from_millis(200);
                    if let Some(line) = self.answer(&expectation.answers, false, deadline)?
                        && self.check(&line, &expectation.answers, true).1.is_err()
                    {
                        self.process.put_back(line);
                    }
                }
            }
        }
        Ok(())
    }

    /// The next line that can be one of `answers`; `None` when none comes until `deadline`.
    fn answer(
        &mut self,
        answers: &[Answer],
        directly: bool,
        deadline: Instant,
    ) -> Result<Option<Line>, Fault> {
        loop {
            match self.process.next(deadline)? {
                Output::Line(line) => {
                    let wanted = answers.iter().any(|answer| {
                        matches!(answer, Answer::Aside(text) if line.text.starts_with(text))
                    });
                    if directly || wanted || !line.is_aside() {
                        return Ok(Some(line));
                    }
                }
                Output::Silence => return Ok(None),
                Output::End => return Err("the engine closed its output".into()),
            }
        }
    }

    /// Holds `line` against `answers`: which of them it is, or what is wrong with it. With
    /// `refusal`, another answer than a move ends the wait for one.
    fn check(
        &mut self,
        line: &Line,
        answers: &[Answer],
        refusal: bool,
    ) -> (usize, Result<(), Fault>) {
        let text = line.text.as_str();
        let moves = |answer: &Answer| matches!(answer, Answer::Move(_) | Answer::Points(_));
        for (index, answer) in answers.iter().enumerate() {
            let points = || text.split(' ').map(parse_point).collect::<Option<Vec<_>>>();
            let fits = match answer {
                Answer::Ok => text == "OK",
                Answer::Error => text.starts_with("ERROR "),
                Answer::Unknown => text.starts_with("UNKNOWN "),
                Answer::About => text.starts_with("name=\""),
                Answer::Swap => text == "SWAP",
                Answer::Aside(prefix) => text.starts_with(prefix),
                Answer::Forbid(_) => text.starts_with("FORBID "),
                Answer::Points(n) => points().is_some_and(|points| points.len() == *n),
                Answer::Move(_) => points().is_some_and(|points| points.len() == 1),
            };
            if !fits {
                continue;
            }
            let fault = match answer {
                Answer::Forbid(expected) => {
                    let found = parse_forbid(text).unwrap_or_default();
                    // No point twice, none missing, none too many.
                    let same = found.len() == expected.len()
                        && found.into_iter().collect::<BTreeSet<_>>() == *expected;
                    same.then_some(())
                        .ok_or(format!("expected forbidden {expected:?}, got {text:?}"))
                }
                Answer::Points(_) => self.moved(&points().unwrap_or_default(), &Choice::Any),
                Answer::Move(choice) => self.moved(&points().unwrap_or_default(), choice),
                Answer::Error | Answer::Swap if refusal && self.follower.is_thinking() => {
                    self.follower.refused()
                }
                _ if refusal && self.follower.is_thinking() && answers.iter().any(moves) => {
                    self.follower.refused()
                }
                _ => Ok(()),
            };
            return (index, fault);
        }
        (0, Err(format!("expected {answers:?}, got {text:?}")))
    }

    /// Plays the engine's points on the board, if they are legal and those wanted.
    fn moved(&mut self, points: &[(i64, i64)], choice: &Choice) -> Result<(), Fault> {
        let mut position = self.follower.asked()?;
        for &at in points {
            let point = position.legal(at)?;
            let listed =
                |text: &str| moves(text, position.size()).map(|list| list.contains(&point));
            let good = match choice {
                Choice::Any => true,
                Choice::Of(text) => listed(text)?,
                Choice::Not(text) => !listed(text)?,
            };
            if !good {
                return Err(format!("expected a move {choice:?}, got {point}"));
            }
            position.play(point);
        }
        self.follower.moved(position)
    }
}

fn unanswered(answers: &[Answer]) -> Fault {
    format!("expected {answers:?}, got nothing in time")
}

/// A board without five in a row that is full but for `empty`. The colours repeat every four
/// columns and every two rows, so that no line is longer than two.
fn filled(size: Size, rule: quincunx::rule::RuleKind, empty: &[Point]) -> Position {
    use quincunx::types::Colour;
    let mut position = Position::new(size, rule);
    let is_black = |point: &Point| (point.x() + 2 * point.y()) % 4 < 2;
    let (black, white): (Vec<_>, Vec<_>) = size
        .points()
        .filter(|point| !empty.contains(point))
        .partition(is_black);
    assert!(
        black.len() == white.len() || black.len() == white.len() + 1,
        "as many stones of each colour as in a game"
    );
    let mut white = white.into_iter();
    for point in black {
        position.put(point, Colour::Black);
        if let Some(point) = white.next() {
            position.put(point, Colour::White);
        }
    }
    if position.stones().len() % 2 == 1 {
        position.set_side(Colour::White);
    }
    position
}
