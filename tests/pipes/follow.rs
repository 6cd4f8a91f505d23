//! Follows what a case sends, so that the case need not say which stones are on the board.
//!
//! A command that makes the engine think stays pending until its move came; what was sent
//! after it waits too, because the move belongs to the position before.

use std::collections::VecDeque;

use quincunx::rule::RuleKind;
use quincunx::types::{Colour, Point, Size};

use super::Fault;
use super::position::Position;

/// A stone as a manager names it: where, and the field (1 own, 2 opponent's, 3 dead).
type Stone = ((i64, i64), i64);

#[derive(Clone, Debug)]
enum Command {
    Start(Size),
    Restart,
    Rule(i64),
    TakeBack(i64, i64),
    /// Stones of YXBOARD.
    Set(Vec<Stone>),
    /// BEGIN and the like: a move for the position as it is.
    Think,
    /// TURN.
    ThinkAfter(i64, i64),
    /// Stones of BOARD.
    ThinkOn(Vec<Stone>),
}

/// What an open block will be when DONE comes.
#[derive(Clone, Copy, Debug)]
enum Block {
    Board,
    YxBoard,
    Swap2,
    /// A body that does not touch the position.
    Other,
}

/// The position as a manager knows it.
#[derive(Debug)]
pub(crate) struct Follower {
    position: Option<Position>,
    rule: RuleKind,
    /// A command of the Yixin family was seen, which gives rule number 2 another meaning.
    yixin: bool,
    block: Option<(Block, Vec<Stone>)>,
    pending: VecDeque<Command>,
}

impl Follower {
    pub(crate) fn new() -> Self {
        Self {
            position: None,
            rule: RuleKind::Freestyle,
            yixin: false,
            block: None,
            pending: VecDeque::new(),
        }
    }

    /// Follows a line that is sent. Lines that change nothing are welcome; a fault means that
    /// the case is written wrongly.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Fault> {
        let upper = line.to_ascii_uppercase();
        let mut words = upper.split_ascii_whitespace();
        let Some(word) = words.next() else {
            return Ok(());
        };
        let rest: Vec<&str> = words.collect();
        self.yixin |= word.starts_with("YX");
        if self.block.is_some() {
            return self.body([word].into_iter().chain(rest));
        }
        let numbers = || numbers(&rest.join(" ")).ok_or(format!("cannot follow {line:?}"));
        let block = match word {
            "BOARD" => Some(Block::Board),
            "YXBOARD" => Some(Block::YxBoard),
            "SWAP2BOARD" => Some(Block::Swap2),
            "YXBLOCK"
            | "YXBLOCKUNDO"
            | "YXBLOCKPATH"
            | "YXBLOCKPATHUNDO"
            | "YXQUERYDATABASEALLT" => Some(Block::Other),
            _ => None,
        };
        if let Some(block) = block {
            self.block = Some((block, Vec::new()));
            return self.body(rest);
        }
        match (word, rest.first()) {
            ("START" | "RECTSTART", _) => {
                let numbers = numbers()?;
                let (width, height) = match numbers[..] {
                    [side] => (side, side),
                    [width, height] => (width, height),
                    _ => return Err(format!("cannot follow {line:?}")),
                };
                let small = |n: i64| u8::try_from(n).ok();
                let size = small(width)
                    .zip(small(height))
                    .and_then(|(width, height)| Size::new(width, height))
                    .ok_or(format!("no such board: {line:?}"))?;
                self.push(Command::Start(size))
            }
            ("RESTART", _) => self.push(Command::Restart),
            ("INFO", Some(&"RULE")) => {
                let code = rest.get(1).and_then(|code| code.parse().ok());
                self.push(Command::Rule(code.ok_or("INFO rule without a number")?))
            }
            ("TAKEBACK", _) => match numbers()?[..] {
                [x, y] => self.push(Command::TakeBack(x, y)),
                _ => Err(format!("cannot follow {line:?}")),
            },
            ("TURN", _) => match numbers()?[..] {
                [x, y] => self.push(Command::ThinkAfter(x, y)),
                _ => Err(format!("cannot follow {line:?}")),
            },
            (
                "BEGIN" | "PLAY" | "YXNBEST" | "YXSEARCHDEFEND" | "YXBALANCEONE" | "YXBALANCETWO",
                _,
            ) => self.push(Command::Think),
            _ => Ok(()),
        }
    }

    /// The position, once nothing is pending.
    pub(crate) fn position(&self) -> Result<&Position, Fault> {
        if self.pending.is_empty() {
            self.position.as_ref().ok_or("no game was started".into())
        } else {
            Err("a move is still expected".into())
        }
    }

    /// The rule in force.
    pub(crate) fn rule(&self) -> RuleKind {
        self.rule
    }

    /// The size of the board in play.
    pub(crate) fn size(&self) -> Option<Size> {
        self.position.as_ref().map(Position::size)
    }

    /// Whether a move is expected.
    pub(crate) fn is_thinking(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The position that the next move line answers.
    pub(crate) fn asked(&self) -> Result<Position, Fault> {
        let mut position = self.position.clone().ok_or("no game was started")?;
        match self.pending.front() {
            Some(Command::Think) => Ok(position),
            Some(&Command::ThinkAfter(x, y)) => {
                let point = position.empty_at((x, y))?;
                position.play(point);
                Ok(position)
            }
            Some(Command::ThinkOn(stones)) => set_up(&position, self.rule, stones),
            _ => Err("nothing was asked that a move would answer".into()),
        }
    }

    /// The move was made; `position` is [`Follower::asked`] with the move on it.
    pub(crate) fn moved(&mut self, position: Position) -> Result<(), Fault> {
        self.position = Some(position);
        self.refused()
    }

    /// The engine answered the pending command by something else than a move.
    pub(crate) fn refused(&mut self) -> Result<(), Fault> {
        self.pending.pop_front();
        self.settle()
    }

    fn body<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Result<(), Fault> {
        for word in words {
            let Some((block, stones)) = &mut self.block else {
                return Err(format!("{word:?} after DONE"));
            };
            if word == "DONE" {
                let (block, stones) = (*block, std::mem::take(stones));
                self.block = None;
                match block {
                    Block::Board | Block::Swap2 => self.push(Command::ThinkOn(stones))?,
                    Block::YxBoard => self.push(Command::Set(stones))?,
                    Block::Other => {}
                }
                continue;
            }
            let numbers = numbers(word).ok_or(format!("cannot follow {word:?} in a block"))?;
            match (numbers[..].as_ref(), block) {
                (&[x, y, field], Block::Board | Block::YxBoard) => stones.push(((x, y), field)),
                // Two fields and colours in turn: the first stone has the colour of the third.
                (&[x, y], Block::Swap2) => {
                    let field = if stones.len() % 2 == 0 { 2 } else { 1 };
                    stones.push(((x, y), field));
                }
                (_, Block::Other) => {}
                _ => return Err(format!("cannot follow {word:?} in a block")),
            }
        }
        Ok(())
    }

    fn push(&mut self, command: Command) -> Result<(), Fault> {
        self.pending.push_back(command);
        self.settle()
    }

    /// Carries out what no move stands before.
    fn settle(&mut self) -> Result<(), Fault> {
        while let Some(command) = self.pending.front().cloned() {
            match command {
                Command::Think | Command::ThinkAfter(..) | Command::ThinkOn(_) => break,
                Command::Start(size) => self.position = Some(Position::new(size, self.rule)),
                Command::Restart => {
                    let size = self.game()?.size();
                    self.position = Some(Position::new(size, self.rule));
                }
                Command::Rule(code) => {
                    let rule = match code {
                        2 if self.yixin => Some(RuleKind::Renju),
                        _ => RuleKind::from_code(code),
                    };
                    self.rule = rule.unwrap_or(self.rule);
                    if let Some(position) = &mut self.position {
                        position.set_rule(self.rule);
                    }
                }
                Command::TakeBack(x, y) => {
                    let point = self.game()?.take_back().ok_or("no stone to take back")?;
                    if (i64::from(point.x()), i64::from(point.y())) != (x, y) {
                        return Err(format!("{x},{y} is not the last stone, {point} is"));
                    }
                }
                Command::Set(stones) => {
                    let rule = self.rule;
                    let position = set_up(self.game()?, rule, &stones)?;
                    self.position = Some(position);
                }
            }
            self.pending.pop_front();
        }
        Ok(())
    }

    fn game(&mut self) -> Result<&mut Position, Fault> {
        self.position.as_mut().ok_or("no game was started".into())
    }
}

/// The position with exactly these stones. Whose colour is whose follows from the counts, and
/// where they do not tell, from the first stone: it is Black's.
fn set_up(old: &Position, rule: RuleKind, stones: &[Stone]) -> Result<Position, Fault> {
    let count = |wanted| stones.iter().filter(|&&(_, field)| field == wanted).count();
    let (own, other) = (count(1), count(2));
    let colour = if own == other {
        Colour::Black
    } else if other == own + 1 {
        Colour::White
    } else if stones.iter().find(|stone| stone.1 != 3).map(|s| s.1) == Some(1) {
        Colour::Black
    } else {
        Colour::White
    };
    let mut position = Position::new(old.size(), rule);
    for &(at, field) in stones {
        let point = position.empty_at(at)?;
        match field {
            1 => position.put(point, colour),
            2 => position.put(point, !colour),
            3 => position.wall(point),
            _ => return Err(format!("no such field: {field}")),
        }
    }
    position.set_side(colour);
    Ok(position)
}

/// Reads numbers parted by blanks and commas.
fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split([' ', ',', '\t'])
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok())
        .collect()
}

/// A position from its moves, as `7,7 8,8` or in letters as `h8g9`.
pub(crate) fn moves(text: &str, size: Size) -> Result<Vec<Point>, Fault> {
    let mut points = Vec::new();
    for word in text.split_ascii_whitespace() {
        if let Some((x, y)) = super::process::parse_point(word) {
            points.push(size.point(x, y).ok_or(format!("{word} is off the board"))?);
            continue;
        }
        let starts: Vec<usize> = word
            .char_indices()
            .filter_map(|(index, c)| c.is_ascii_alphabetic().then_some(index))
            .chain([word.len()])
            .collect();
        if starts[0] != 0 || starts.len() < 2 {
            return Err(format!("no points: {word:?}"));
        }
        for ends in starts.windows(2) {
            let point = Point::parse(&word[ends[0]..ends[1]], size);
            points.push(point.map_err(|error| error.to_string())?);
        }
    }
    Ok(points)
}
