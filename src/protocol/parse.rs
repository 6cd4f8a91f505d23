//! Lines of bytes to commands.
//!
//! Assumes nothing of its input: any bytes are fine. Commands and keys are matched without case, blanks
//! and tabs may surround every token, blocks may stand on one line or on many. Promises: never
//! panics, gives at most one command or error per line, and forgets a bad line.

use thiserror::Error;

use super::command::{Command, Owner, Setting, SoosorvStep, Stone, Swap2Step, Xy};
use crate::types::Size;

/// Why a line means nothing. The text is what the manager is told after `ERROR`.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseError {
    /// `START` and the like without usable numbers.
    #[error("expected a board size such as 15 or 20, found {0:?}")]
    NoSize(String),
    /// A size that is not supported. The text must hold the digits 20: Piskvork then offers that size.
    #[error("unsupported board size, each side must be from 5 to 22, such as 15 or 20")]
    Size,
    /// Not two numbers.
    #[error("expected coordinates such as 7,7, found {0:?}")]
    Coordinates(String),
    /// A line of a `BOARD` block that is no stone.
    #[error("bad board line {0:?}")]
    BoardLine(String),
}

/// The words at which a block without `DONE` is given up.
const WORDS: [&str; 14] = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "PLAY",
    "SUGGEST",
    "TAKEBACK",
    "BOARD",
    "SWAP2BOARD",
    "INFO",
    "ABOUT",
    "END",
    "STOP",
];

/// Most characters of a line that are quoted in an answer.
const QUOTE: usize = 60;

/// Turns a sequence of lines into commands.
#[derive(Debug, Default)]
pub struct Parser {
    block: Option<Block>,
    /// Whether a line has been seen: a byte order mark counts only before the first.
    begun: bool,
}

#[derive(Debug)]
struct Block {
    kind: BlockKind,
    lines: Vec<BlockLine>,
    error: Option<ParseError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BlockKind {
    Board,
    YxBoard,
    Swap2Board,
    /// Points to block (`true`) or unblock.
    Block(bool),
    /// A path to block (`true`) or unblock.
    BlockPath(bool),
    /// The moves of a step of the Soosõrv dialogue and, at steps 4 and 5, the number of fifths.
    Soosorv(u8, u32),
    /// The next line is a path.
    Path(PathUse),
}

/// What the file is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PathUse {
    Dump,
    Load,
    Database,
}

impl PathUse {
    fn command(self, path: &str) -> Command {
        match self {
            Self::Dump => Command::HashDump(path.into()),
            Self::Load => Command::HashLoad(path.into()),
            Self::Database => Command::NeedsDatabase,
        }
    }
}

type BlockLine = (Xy, Option<i64>);

impl Parser {
    /// A parser before the first line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next line (without its end). `None` when it asks for nothing: an empty line, a part
    /// of a block.
    pub fn feed(&mut self, line: &[u8]) -> Option<Result<Command, ParseError>> {
        let line = if self.begun {
            line
        } else {
            self.begun = true;
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        };
        let text = String::from_utf8_lossy(line);
        let text = text.trim_matches(is_blank);
        if text.is_empty() {
            return None;
        }
        let (word, rest) = split_word(text);
        let word = word.to_ascii_uppercase();
        if let Some(block) = &mut self.block {
            if word == "INFO" {
                // Managers send these at any time; they say nothing about the block.
                return Some(Ok(Command::Info(setting(rest))));
            }
            if is_known(&word) {
                self.block = None;
            } else if let BlockKind::Path(purpose) = block.kind {
                self.block = None;
                return Some(Ok(purpose.command(text)));
            } else {
                return self.feed_block(text);
            }
        }
        if let Some((kind, rest)) = block_kind(&word, rest) {
            if let BlockKind::Path(purpose) = kind
                && !rest.is_empty()
            {
                return Some(Ok(purpose.command(rest)));
            }
            self.block = Some(Block {
                kind,
                lines: Vec::new(),
                error: None,
            });
            return self.feed_block(rest);
        }
        Some(command(&word, rest, text))
    }

    /// Reads a part of a block.
    fn feed_block(&mut self, text: &str) -> Option<Result<Command, ParseError>> {
        let block = self.block.as_mut()?;
        if block.read(text) {
            self.block.take().map(Block::finish)
        } else {
            None
        }
    }
}

impl Block {
    /// Reads lines from `text`; `true` when `DONE` was among them.
    fn read(&mut self, text: &str) -> bool {
        let mut rest = text.trim_start_matches(is_blank);
        while !rest.is_empty() {
            let (word, _) = split_word(rest);
            if word.eq_ignore_ascii_case("DONE") {
                return true;
            }
            if let Some((line, behind)) = self.line(rest) {
                self.lines.push(line);
                rest = behind.trim_start_matches(is_blank);
            } else {
                self.error
                    .get_or_insert_with(|| ParseError::BoardLine(quote(rest)));
                return rest
                    .rsplit(is_blank)
                    .next()
                    .is_some_and(|last| last.eq_ignore_ascii_case("DONE"));
            }
        }
        false
    }

    /// The first `x,y` or `x,y,field` of `text`, and what follows.
    fn line<'a>(&self, text: &'a str) -> Option<(BlockLine, &'a str)> {
        let (x, rest) = number(text)?;
        let (y, rest) = number(comma(rest)?)?;
        let (field, rest) = match comma(rest).map(number) {
            Some(Some((field, rest))) => (Some(field), rest),
            Some(None) => return None,
            None => (None, rest),
        };
        let is_complete = match self.kind {
            BlockKind::Board | BlockKind::YxBoard => field.and_then(Owner::from_code).is_some(),
            BlockKind::Swap2Board
            | BlockKind::Block(_)
            | BlockKind::BlockPath(_)
            | BlockKind::Soosorv(..)
            | BlockKind::Path(_) => true,
        };
        (is_complete && rest.chars().next().is_none_or(is_blank))
            .then_some(((Xy { x, y }, field), rest))
    }

    fn finish(self) -> Result<Command, ParseError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let stones = || {
            let stone = |&(at, field): &BlockLine| {
                let owner = field.and_then(Owner::from_code)?;
                Some(Stone { at, owner })
            };
            self.lines.iter().filter_map(stone).collect()
        };
        let points = || self.lines.iter().map(|&(at, _)| at).collect();
        Ok(match self.kind {
            BlockKind::Board => Command::Board(stones()),
            BlockKind::YxBoard => Command::YxBoard(stones()),
            BlockKind::Swap2Board => Command::Swap2Board(points()),
            BlockKind::Block(block) => Command::Block(block, points()),
            BlockKind::BlockPath(block) => Command::BlockPath(block, points()),
            BlockKind::Soosorv(step, fifths) => Command::SoosorvStep(match step {
                2 => SoosorvStep::AfterThree(points()),
                3 => SoosorvStep::Fourth(points()),
                4 => SoosorvStep::AfterFour(fifths, points()),
                5 => SoosorvStep::Fifths(fifths, points()),
                _ => SoosorvStep::Choose(points()),
            }),
            BlockKind::Path(purpose) => purpose.command(""),
        })
    }
}

fn is_known(word: &str) -> bool {
    WORDS.contains(&word) || word.starts_with("YX")
}

/// What kind of block begins with `word` (in upper case), and what of `rest`, the rest of the line,
/// belongs to its body.
fn block_kind<'a>(word: &str, rest: &'a str) -> Option<(BlockKind, &'a str)> {
    let kind = match word {
        "BOARD" => BlockKind::Board,
        "YXBOARD" => BlockKind::YxBoard,
        "SWAP2BOARD" => BlockKind::Swap2Board,
        "YXBLOCK" => BlockKind::Block(true),
        "YXBLOCKUNDO" => BlockKind::Block(false),
        "YXBLOCKPATH" => BlockKind::BlockPath(true),
        "YXBLOCKPATHUNDO" => BlockKind::BlockPath(false),
        "YXSOOSORVSTEP2" => BlockKind::Soosorv(2, 1),
        "YXSOOSORVSTEP3" => BlockKind::Soosorv(3, 1),
        "YXSOOSORVSTEP4" | "YXSOOSORVSTEP5" => {
            let step = if word.ends_with('4') { 4 } else { 5 };
            let (first, body) = split_word(rest);
            return Some(match clamped(first) {
                Some(fifths) => {
                    let fifths = u32::try_from(fifths.max(1)).unwrap_or(u32::MAX);
                    (BlockKind::Soosorv(step, fifths), body)
                }
                None => (BlockKind::Soosorv(step, 1), rest),
            });
        }
        "YXSOOSORVSTEP6" => BlockKind::Soosorv(6, 1),
        "YXHASHDUMP" => BlockKind::Path(PathUse::Dump),
        "YXHASHLOAD" => BlockKind::Path(PathUse::Load),
        "YXSETDATABASE" | "YXDBMERGE" | "YXDBSPLIT" | "YXDBTOTXT" | "YXDBTOTXTALL"
        | "YXTXTTODB" | "YXLIBTODB" | "YXDBTOPOS" | "YXDBTOLIB" => {
            BlockKind::Path(PathUse::Database)
        }
        _ => return None,
    };
    Some((kind, rest))
}

/// The command that begins with `word` (in upper case), has the arguments `rest` and was
/// sent as `line`.
fn command(word: &str, rest: &str, line: &str) -> Result<Command, ParseError> {
    Ok(match word {
        "START" => match size(rest)? {
            size if size.is_square() => Command::Start(size),
            size => Command::StartSides(size),
        },
        "RECTSTART" => Command::Start(size(rest)?),
        "RESTART" => Command::Restart,
        "BEGIN" => Command::Begin,
        "TURN" => Command::Turn(xy(rest)?),
        "PLAY" => Command::Play(xy(rest)?),
        "TAKEBACK" => Command::TakeBack(xy(rest)?),
        "INFO" => Command::Info(setting(rest)),
        "ABOUT" => Command::About,
        "END" => Command::End,
        "STOP" | "YXSTOP" => Command::Stop,
        "YXSHOWFORBID" => Command::ShowForbid,
        "YXSHOWINFO" => Command::ShowInfo,
        "YXNBEST" => {
            let lines = clamped(split_word(rest).0).unwrap_or(1).max(1);
            Command::NBest(u32::try_from(lines).unwrap_or(u32::MAX))
        }
        "YXSEARCHDEFEND" => Command::SearchDefend,
        "YXSWAP2STEP1" => Command::Swap2Step(Swap2Step::Open),
        "YXSWAP2STEP2" => Command::Swap2Step(Swap2Step::AfterThree),
        "YXSWAP2STEP3" => Command::Swap2Step(Swap2Step::AfterFive),
        "YXSOOSORVSTEP1" => Command::SoosorvStep(SoosorvStep::Open),
        "YXBALANCEONE" => Command::Balance(1, clamped(split_word(rest).0).unwrap_or(0)),
        "YXBALANCETWO" => Command::Balance(2, clamped(split_word(rest).0).unwrap_or(0)),
        "YXBLOCKRESET" => Command::BlockReset,
        "YXBLOCKPATHRESET" => Command::BlockPathReset,
        "YXQUERYDATABASEALL" | "YXQUERYDATABASEALLT" => Command::QueryDatabase,
        "YXQUERYDATABASETEXT" => Command::QueryDatabaseText,
        "YXDRAW" => Command::OfferDraw,
        "YXHASHCLEAR" => Command::HashClear,
        "YXSHOWHASHUSAGE" => Command::ShowHashUsage,
        "YXFORBID" | "YXPRINTFEATURE" | "YXRESIGN" => Command::YxIgnored,
        "YXSAVEDATABASE" | "YXDBCHECK" | "YXDBFIX" => Command::NeedsDatabase,
        _ if word.starts_with("YX") && word.contains("DATABASE") => Command::YxIgnored,
        _ if word == "DONE" || is_stray_stone(line) => Command::Ignored,
        _ => Command::Unknown(quote(line)),
    })
}

/// Whether a line is the body of a block that nobody asked for: `x,y` or `x,y,field`.
fn is_stray_stone(line: &str) -> bool {
    let parts = || line.split(',').map(|part| part.trim_matches(is_blank));
    (2..=3).contains(&parts().count())
        && parts().all(|part| number(part).is_some_and(|(_, rest)| rest.is_empty()))
}

fn setting(text: &str) -> Setting {
    let (key, rest) = split_word(text);
    let key = key.to_ascii_lowercase();
    let (value, _) = split_word(rest);
    match (
        Setting::KEYS.iter().find(|(name, _)| *name == key),
        clamped(value),
    ) {
        (Some((_, make)), Some(value)) => make(value),
        _ => Setting::Ignored,
    }
}

fn size(text: &str) -> Result<Size, ParseError> {
    let no_size = || ParseError::NoSize(quote(text));
    let mut numbers = text
        .split(|c| is_blank(c) || c == ',')
        .filter(|token| !token.is_empty())
        .map(|token| number(token).filter(|(_, rest)| rest.is_empty()));
    let side = |number: i64| u8::try_from(number).map_err(|_| ParseError::Size);
    let (width, _) = numbers.next().flatten().ok_or_else(no_size)?;
    let (height, _) = match numbers.next() {
        Some(height) => height.ok_or_else(no_size)?,
        None => (width, ""),
    };
    Size::new(side(width)?, side(height)?).ok_or(ParseError::Size)
}

/// Two numbers, separated by a comma or by blanks; what follows after another blank is ignored.
fn xy(text: &str) -> Result<Xy, ParseError> {
    let read = || {
        let (x, rest) = number(text)?;
        let behind = comma(rest).or_else(|| {
            let behind = rest.trim_start_matches(is_blank);
            (behind.len() < rest.len()).then_some(behind)
        })?;
        let (y, rest) = number(behind)?;
        rest.chars()
            .next()
            .is_none_or(is_blank)
            .then_some(Xy { x, y })
    };
    read().ok_or_else(|| ParseError::Coordinates(quote(text)))
}

/// An integer of any size, moved into the range of 64 bits. `None` if `text` is something else.
fn clamped(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(text.parse().unwrap_or(limit))
}

/// The integer of at most 64 bits at the start of `text`, and what follows.
fn number(text: &str) -> Option<(i64, &str)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let magnitude: i64 = digits.parse().ok()?;
    Some((if negative { -magnitude } else { magnitude }, rest))
}

/// What follows a comma with blanks around it at the start of `text`.
fn comma(text: &str) -> Option<&str> {
    text.trim_start_matches(is_blank)
        .strip_prefix(',')
        .map(|rest| rest.trim_start_matches(is_blank))
}

/// The first word of `text` and what follows, without the blanks between.
fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(is_blank) {
        Some((word, rest)) => (word, rest.trim_start_matches(is_blank)),
        None => (text, ""),
    }
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\x0B' | '\x0C')
}

/// The beginning of `text`, for answers.
fn quote(text: &str) -> String {
    let quote: String = text.chars().take(QUOTE).collect();
    quote.trim_end().into() // some managers know no line that ends in a blank
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feed_all(text: &[u8]) -> Vec<Result<Command, ParseError>> {
        let mut parser = Parser::new();
        text.split(|&byte| byte == b'\n')
            .filter_map(|line| parser.feed(line))
            .collect()
    }

    fn one(text: &str) -> Result<Command, ParseError> {
        let mut results = feed_all(text.as_bytes());
        assert_eq!(results.len(), 1, "{text:?}: {results:?}");
        results.remove(0)
    }

    fn stone(x: i64, y: i64, field: i64) -> Stone {
        Stone {
            at: Xy { x, y },
            owner: Owner::from_code(field).unwrap(),
        }
    }

    #[test]
    fn case_and_blanks_do_not_matter() {
        let start = Ok(Command::Start(Size::square(15)));
        for text in [
            "START 15",
            "start 15\r",
            "   START\t15  ",
            "\u{FEFF}START 15",
            "START 15 15",
            "RECTSTART 15,15",
            "RECTSTART 15 , 15",
        ] {
            assert_eq!(one(text), start, "{text:?}");
        }
        let turn = Ok(Command::Turn(Xy { x: 7, y: 7 }));
        for text in [
            "TURN 7,7",
            "tUrN 7, 7",
            "TURN  7,7",
            "TURN 7 ,7",
            "TURN 7 7",
            "TURN 7,7 x",
        ] {
            assert_eq!(one(text), turn, "{text:?}");
        }
        assert_eq!(one("INFO RULE 4"), Ok(Command::Info(Setting::Rule(4))));
        assert!(feed_all(b"\n   \n\r\n\t\n").is_empty());
    }

    #[test]
    fn bad_numbers_are_errors() {
        for text in [
            "START",
            "START abc",
            "START 15x",
            "START 0",
            "START -3",
            "START 4",
            "START 23",
            "START 2147483648",
            "START 99999999999999999999",
            "RECTSTART 15,",
            "RECTSTART 4,20",
        ] {
            if text == "RECTSTART 15," {
                assert!(one(text).is_ok(), "a lone comma is a blank");
            } else {
                assert!(one(text).is_err(), "{text:?}");
            }
        }
        for text in [
            "TURN",
            "TURN 7",
            "TURN 7,",
            "TURN a,b",
            "TURN 7;7",
            "TURN ,7",
            "TURN 7,7x",
            "TURN 7,7,7",
            "TURN 99999999999999999999,7",
            "PLAY",
            "TAKEBACK x",
        ] {
            assert!(one(text).is_err(), "{text:?}");
        }
        assert!(ParseError::Size.to_string().contains("20"));
    }

    #[test]
    fn useless_settings_are_ignored() {
        for text in [
            "INFO",
            "INFO foo",
            "INFO foo bar baz",
            "INFO timeout_turn",
            "INFO timeout_turn abc",
            "INFO timeout_turn 5x",
            "INFO evaluate 7,7",
            r"INFO folder C:\Program Files\x y",
            "INFO game_type 3",
        ] {
            assert_eq!(one(text), Ok(Command::Info(Setting::Ignored)), "{text:?}");
        }
        assert_eq!(
            one("INFO time_left -500"),
            Ok(Command::Info(Setting::TimeLeft(-500)))
        );
        assert_eq!(
            one("INFO max_node 99999999999999999999999999"),
            Ok(Command::Info(Setting::MaxNodes(i64::MAX)))
        );
        assert_eq!(
            one("INFO time_left -99999999999999999999999999"),
            Ok(Command::Info(Setting::TimeLeft(i64::MIN)))
        );
    }

    #[test]
    fn blocks_on_one_line_or_many() {
        let board = Ok(Command::Board(vec![
            stone(7, 7, 2),
            stone(8, 8, 1),
            stone(9, 7, 3),
        ]));
        for text in [
            "BOARD\n7,7,2\n8,8,1\n9,7,3\nDONE",
            "BOARD\r\n7,7,2\r\n\r\n8,8,1\r\n9,7,3\r\nDONE\r\n",
            "BOARD 7,7,2 8,8,1 9,7,3 DONE",
            "board\n7 , 7 , 2\n\t8,8,1  \n9,7,3 done",
            "BOARD 7,7,2\n8,8,1 9,7,3\nDone",
        ] {
            assert_eq!(one(text), board, "{text:?}");
        }
        assert_eq!(one("BOARD\nDONE"), Ok(Command::Board(vec![])));
        assert_eq!(
            one("SWAP2BOARD\n7,7\n8,7,1\nDONE"),
            Ok(Command::Swap2Board(vec![
                Xy { x: 7, y: 7 },
                Xy { x: 8, y: 7 }
            ]))
        );
        assert_eq!(
            one("yxblock\n30,-1\ndone"),
            Ok(Command::Block(true, vec![Xy { x: 30, y: -1 }]))
        );
        let moves = vec![Xy { x: 7, y: 7 }, Xy { x: 8, y: 8 }];
        for text in [
            "yxsoosorvstep5 3\n7,7\n8,8\ndone",
            "YXSOOSORVSTEP5 3 7,7 8,8 DONE",
        ] {
            let step = SoosorvStep::Fifths(3, moves.clone());
            assert_eq!(one(text), Ok(Command::SoosorvStep(step)), "{text:?}");
        }
    }

    #[test]
    fn a_bad_line_spoils_its_block_once() {
        for body in [
            "7,7,5",
            "7,7,0",
            "7,7",
            "foo",
            "7,7,1x",
            "7,,1",
            "7,7,1,1",
            "7,7 8,8,1",
        ] {
            let text = format!("BOARD\n7,8,1\n{body}\nfoo\n9,9,2\nDONE");
            assert!(
                matches!(one(&text), Err(ParseError::BoardLine(_))),
                "{body}"
            );
            let text = format!("BOARD {body} DONE");
            assert!(
                matches!(one(&text), Err(ParseError::BoardLine(_))),
                "{body}"
            );
        }
    }

    #[test]
    fn a_command_ends_an_unfinished_block() {
        let text = b"BOARD\n7,7,1\nEND";
        assert_eq!(feed_all(text), [Ok(Command::End)]);
        let text = b"BOARD\n7,7,1\nSTART 15\n8,8,1\nDONE";
        assert_eq!(
            feed_all(text),
            [
                Ok(Command::Start(Size::square(15))),
                Ok(Command::Ignored),
                Ok(Command::Ignored)
            ]
        );
        let text = b"BOARD\n7,7,1\nINFO time_left 5\nDONE";
        assert_eq!(
            feed_all(text),
            [
                Ok(Command::Info(Setting::TimeLeft(5))),
                Ok(Command::Board(vec![stone(7, 7, 1)]))
            ]
        );
    }

    #[test]
    fn foreign_yixin_commands_and_their_bodies_are_swallowed() {
        let text = b"yxquerydatabaseallt\n7,7\n8,8\ndone\nyxsetdatabase\n/some/path x\nyxblockpath\n7,7\ndone";
        assert!(feed_all(text).iter().all(|result| matches!(
            result,
            Ok(Command::Ignored
                | Command::NeedsDatabase
                | Command::QueryDatabase
                | Command::BlockPath(..))
        )));
        assert_eq!(one("YXFOO 0"), Ok(Command::Unknown("YXFOO 0".into())));
    }

    #[test]
    fn long_lines_are_quoted_in_part() {
        let Ok(Command::Unknown(text)) = one(&"A".repeat(200_000)) else {
            panic!("unknown");
        };
        assert_eq!(text.len(), QUOTE);
        let Ok(Command::Unknown(text)) = one(&"A B".repeat(100)) else {
            panic!("unknown");
        };
        assert!(!text.ends_with(' '), "{text:?}");
    }

    fn any_xy() -> impl Strategy<Value = Xy> {
        let coordinate = prop_oneof![-3_i64..30, any::<i64>().prop_map(|n| n.max(-i64::MAX))];
        (coordinate.clone(), coordinate).prop_map(|(x, y)| Xy { x, y })
    }

    fn any_stones() -> impl Strategy<Value = Vec<Stone>> {
        let stone = (any_xy(), 1_i64..=3).prop_map(|(at, code)| Stone {
            at,
            owner: Owner::from_code(code).unwrap(),
        });
        prop::collection::vec(stone, 0..20)
    }

    fn any_command() -> impl Strategy<Value = Command> {
        let points = || prop::collection::vec(any_xy(), 0..10);
        prop_oneof![
            (5_u8..=22, 5_u8..=22).prop_map(|(w, h)| Command::Start(Size::new(w, h).unwrap())),
            (5_u8..=22, 5_u8..=22)
                .prop_filter("a square is written as one number", |(w, h)| w != h)
                .prop_map(|(w, h)| Command::StartSides(Size::new(w, h).unwrap())),
            any_xy().prop_map(Command::Turn),
            any_xy().prop_map(Command::Play),
            any_xy().prop_map(Command::TakeBack),
            any_stones().prop_map(Command::Board),
            any_stones().prop_map(Command::YxBoard),
            points().prop_map(Command::Swap2Board),
            (any::<bool>(), points()).prop_map(|(block, points)| Command::Block(block, points)),
            (any::<bool>(), points()).prop_map(|(block, path)| Command::BlockPath(block, path)),
            (1_u8..=2, any::<i64>()).prop_map(|(stones, value)| Command::Balance(stones, value)),
            points().prop_map(|moves| Command::SoosorvStep(SoosorvStep::AfterThree(moves))),
            points().prop_map(|moves| Command::SoosorvStep(SoosorvStep::Fourth(moves))),
            points().prop_map(|moves| Command::SoosorvStep(SoosorvStep::Choose(moves))),
            (1_u32.., points())
                .prop_map(|(n, moves)| Command::SoosorvStep(SoosorvStep::AfterFour(n, moves))),
            (1_u32.., points())
                .prop_map(|(n, moves)| Command::SoosorvStep(SoosorvStep::Fifths(n, moves))),
            (0..Setting::KEYS.len(), -i64::MAX..)
                .prop_map(|(key, value)| Command::Info(Setting::KEYS[key].1(value))),
            (1_u32..).prop_map(Command::NBest),
            prop::sample::select(vec![
                Command::Restart,
                Command::Begin,
                Command::Info(Setting::Ignored),
                Command::About,
                Command::End,
                Command::Stop,
                Command::ShowForbid,
                Command::ShowInfo,
                Command::SearchDefend,
                Command::Swap2Step(Swap2Step::Open),
                Command::Swap2Step(Swap2Step::AfterThree),
                Command::Swap2Step(Swap2Step::AfterFive),
                Command::SoosorvStep(SoosorvStep::Open),
                Command::BlockReset,
                Command::BlockPathReset,
                Command::QueryDatabase,
                Command::QueryDatabaseText,
                Command::OfferDraw,
                Command::HashClear,
                Command::ShowHashUsage,
                Command::HashDump("/tmp/a b.bin".into()),
                Command::HashLoad(r"C:\x.bin".into()),
                Command::NeedsDatabase,
                Command::YxIgnored,
                Command::Ignored,
                Command::Unknown("FOO 1 2".into()),
            ]),
        ]
    }

    proptest! {
        #[test]
        fn what_is_displayed_parses_back(commands in prop::collection::vec(any_command(), 0..8)) {
            let lines: Vec<String> = commands.iter().map(ToString::to_string).collect();
            let text = lines.join("\n");
            let parsed: Result<Vec<Command>, _> = feed_all(text.as_bytes()).into_iter().collect();
            prop_assert_eq!(parsed, Ok(commands));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            feed_all(&bytes);
        }

        #[test]
        fn near_misses_are_survived(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "BOARD", "START", "INFO", "7", ",", "DONE", " ", "\n", "-", "YXBLOCK", "x", "99999999999999999999", "é",
                ]),
                0..60,
            ),
        ) {
            feed_all(words.concat().as_bytes());
        }
    }
}
