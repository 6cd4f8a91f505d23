//! What a manager can say.
//!
//! [`Command`] is the meaning of one line (or one block of lines up to `DONE`); its `Display` writes it as
//! managers do, so that parsing what was displayed gives the same command.

use std::fmt;

use crate::types::Size;

/// Two numbers as they were sent: column and row, perhaps outside of any board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Xy {
    /// Column from the left, from 0.
    pub x: i64,
    /// Row from the top, from 0.
    pub y: i64,
}

impl fmt::Display for Xy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// Whose stone a line of a `BOARD` block describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// 1: the engine's.
    Own,
    /// 2: the opponent's.
    Opponent,
    /// 3: nobody's, in a continuous game.
    Nobody,
}

impl Owner {
    /// The field that managers send.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Own => 1,
            Self::Opponent => 2,
            Self::Nobody => 3,
        }
    }

    /// The owner with a given field.
    #[must_use]
    pub const fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Own),
            2 => Some(Self::Opponent),
            3 => Some(Self::Nobody),
            _ => None,
        }
    }
}

/// One line of a `BOARD` block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stone {
    /// Where.
    pub at: Xy,
    /// Whose.
    pub owner: Owner,
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.at, self.owner.code())
    }
}

/// Makes a setting of a value.
type MakeSetting = fn(i64) -> Setting;

/// A key and value of `INFO`. Numbers are as they were sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// `timeout_turn`, ms.
    TimeoutTurn(i64),
    /// `timeout_match`, ms.
    TimeoutMatch(i64),
    /// `time_left`, ms.
    TimeLeft(i64),
    /// `time_increment`, ms.
    TimeIncrement(i64),
    /// `max_memory`, bytes.
    MaxMemory(i64),
    /// `rule`, a bit mask.
    Rule(i64),
    /// `max_depth`, plies.
    MaxDepth(i64),
    /// `max_node`, positions.
    MaxNodes(i64),
    /// `hash_size`, KiB.
    HashSize(i64),
    /// `thread_num`, threads that search.
    Threads(i64),
    /// `pondering`: 1 to think in the opponent's time.
    Pondering(i64),
    /// `checkmate`: 1 to search only for wins by threats.
    Checkmate(i64),
    /// `nbestsym`: 1 to score only one of several moves that symmetry makes equal.
    MergeMirrors(i64),
    /// `strength`: 0 to 100.
    Strength(i64),
    /// `swapable`: 1 if the second player may answer the first stone by SWAP.
    Swapable(i64),
    /// `show_detail`: bit 0 realtime messages, bit 1 `INFO` lines.
    ShowDetail(i64),
    /// A key that means nothing here, or one without a usable value.
    Ignored,
}

impl Setting {
    /// Every key that is not ignored, with what makes a setting of its value.
    pub(super) const KEYS: [(&'static str, MakeSetting); 16] = [
        ("timeout_turn", Self::TimeoutTurn),
        ("timeout_match", Self::TimeoutMatch),
        ("time_left", Self::TimeLeft),
        ("time_increment", Self::TimeIncrement),
        ("max_memory", Self::MaxMemory),
        ("rule", Self::Rule),
        ("max_depth", Self::MaxDepth),
        ("max_node", Self::MaxNodes),
        ("hash_size", Self::HashSize),
        ("thread_num", Self::Threads),
        ("pondering", Self::Pondering),
        ("checkmate", Self::Checkmate),
        ("nbestsym", Self::MergeMirrors),
        ("strength", Self::Strength),
        ("swapable", Self::Swapable),
        ("show_detail", Self::ShowDetail),
    ];

    const fn value(self) -> Option<i64> {
        match self {
            Self::TimeoutTurn(value)
            | Self::TimeoutMatch(value)
            | Self::TimeLeft(value)
            | Self::TimeIncrement(value)
            | Self::MaxMemory(value)
            | Self::Rule(value)
            | Self::MaxDepth(value)
            | Self::MaxNodes(value)
            | Self::HashSize(value)
            | Self::Threads(value)
            | Self::Pondering(value)
            | Self::Checkmate(value)
            | Self::MergeMirrors(value)
            | Self::Strength(value)
            | Self::Swapable(value)
            | Self::ShowDetail(value) => Some(value),
            Self::Ignored => None,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.value().and_then(|value| {
            let (key, _) = Self::KEYS.iter().find(|(_, make)| make(value) == *self)?;
            Some((key, value))
        });
        match entry {
            Some((key, value)) => write!(f, "{key} {value}"),
            None => f.write_str("ignored"),
        }
    }
}

/// A step of Yixin-Board's swap2 dialogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swap2Step {
    /// Propose three stones.
    Open = 1,
    /// Three stones are there: take Black, stay White, or add two.
    AfterThree = 2,
    /// Five stones are there: take Black or stay White.
    AfterFive = 3,
}

/// A step of Yixin-Board's Soosõrv dialogue, with the moves so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SoosorvStep {
    /// Propose three stones.
    Open,
    /// Three stones are there: take Black or stay White.
    AfterThree(Vec<Xy>),
    /// Put the fourth and say how many fifths Black has to offer.
    Fourth(Vec<Xy>),
    /// Four stones are there, and so many fifths are asked for: take White or stay Black.
    AfterFour(u32, Vec<Xy>),
    /// Offer so many fifths.
    Fifths(u32, Vec<Xy>),
    /// Four stones and the offered fifths: choose one of these.
    Choose(Vec<Xy>),
}

/// Something a manager said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `START n` or `RECTSTART w,h`.
    Start(Size),
    /// `START w h`: width and height as the sender shows the board.
    StartSides(Size),
    /// `RESTART`: a new game of the same size.
    Restart,
    /// `BEGIN`: make the first move.
    Begin,
    /// `TURN x,y`: the opponent moved; answer.
    Turn(Xy),
    /// `PLAY x,y`: the engine moves here.
    Play(Xy),
    /// `TAKEBACK x,y`: remove the last stone.
    TakeBack(Xy),
    /// `BOARD … DONE`: take this position; move.
    Board(Vec<Stone>),
    /// `YXBOARD … DONE`: take this position.
    YxBoard(Vec<Stone>),
    /// `SWAP2BOARD … DONE`: a decision of the opening.
    Swap2Board(Vec<Xy>),
    /// `INFO key value`.
    Info(Setting),
    /// `ABOUT`.
    About,
    /// `END`.
    End,
    /// `STOP` or `YXSTOP`: move now.
    Stop,
    /// `YXSHOWFORBID`.
    ShowForbid,
    /// `YXSHOWINFO`.
    ShowInfo,
    /// `YXNBEST n`: score the best so many moves and answer the best.
    NBest(u32),
    /// `YXSEARCHDEFEND`: score every move, tell which lose, and answer the best.
    SearchDefend,
    /// `yxswap2step1` to `yxswap2step3`.
    Swap2Step(Swap2Step),
    /// `yxsoosorvstep1` to `yxsoosorvstep6`.
    SoosorvStep(SoosorvStep),
    /// `YXBALANCEONE v`, `YXBALANCETWO v`: so many moves (1 or 2) after which the position is worth v
    /// to the side to move now.
    Balance(u8, i64),
    /// `YXBLOCK … DONE` (true): never answer these. `YXBLOCKUNDO … DONE` (false): answer them again.
    Block(bool, Vec<Xy>),
    /// `YXBLOCKRESET`: take back every `YXBLOCK`.
    BlockReset,
    /// `YXBLOCKPATH … DONE` (true): never answer the last of these moves after those before it.
    /// `YXBLOCKPATHUNDO … DONE` (false): answer it again.
    BlockPath(bool, Vec<Xy>),
    /// `YXBLOCKPATHRESET`: take back every `YXBLOCKPATH`.
    BlockPathReset,
    /// `yxquerydatabaseall` and `…allt`: what the database knows about the next moves.
    QueryDatabase,
    /// `yxquerydatabasetext`: the comment of the position.
    QueryDatabaseText,
    /// `YXDRAW`: the opponent offers a draw.
    OfferDraw,
    /// `YXHASHCLEAR`.
    HashClear,
    /// `YXSHOWHASHUSAGE`.
    ShowHashUsage,
    /// `YXHASHDUMP` and a path: write what was learned.
    HashDump(String),
    /// `YXHASHLOAD` and a path: read what was learned.
    HashLoad(String),
    /// A command that needs a database.
    NeedsDatabase,
    /// Something of a Yixin dialect that needs no answer; it still shows who is talking.
    YxIgnored,
    /// Something that needs no answer.
    Ignored,
    /// Something unknown: the line.
    Unknown(String),
}

impl Command {
    /// Whether this ends a running search, because it changes the game or begins another.
    #[must_use]
    pub(crate) const fn interrupts(&self) -> bool {
        match self {
            Self::Start(_)
            | Self::StartSides(_)
            | Self::Restart
            | Self::Begin
            | Self::Turn(_)
            | Self::Play(_)
            | Self::TakeBack(_)
            | Self::Board(_)
            | Self::YxBoard(_)
            | Self::Swap2Board(_)
            | Self::NBest(_)
            | Self::SearchDefend
            | Self::Swap2Step(_)
            | Self::SoosorvStep(_)
            | Self::Balance(..)
            | Self::HashDump(_)
            | Self::HashLoad(_) => true,
            Self::Info(_)
            | Self::About
            | Self::End
            | Self::Stop
            | Self::ShowForbid
            | Self::ShowInfo
            | Self::Block(..)
            | Self::BlockReset
            | Self::BlockPath(..)
            | Self::BlockPathReset
            | Self::QueryDatabase
            | Self::QueryDatabaseText
            | Self::OfferDraw
            | Self::HashClear
            | Self::ShowHashUsage
            | Self::NeedsDatabase
            | Self::YxIgnored
            | Self::Ignored
            | Self::Unknown(_) => false,
        }
    }

    /// Whether only a Yixin-style front end says this.
    #[must_use]
    pub(crate) const fn is_yixin(&self) -> bool {
        matches!(
            self,
            Self::YxBoard(_)
                | Self::ShowForbid
                | Self::ShowInfo
                | Self::NBest(_)
                | Self::SearchDefend
                | Self::Swap2Step(_)
                | Self::SoosorvStep(_)
                | Self::Balance(..)
                | Self::Block(..)
                | Self::BlockReset
                | Self::BlockPath(..)
                | Self::BlockPathReset
                | Self::QueryDatabase
                | Self::QueryDatabaseText
                | Self::OfferDraw
                | Self::HashClear
                | Self::ShowHashUsage
                | Self::HashDump(_)
                | Self::HashLoad(_)
                | Self::NeedsDatabase
                | Self::YxIgnored
        )
    }
}

/// As a manager would send it, lines separated by LF, without the last LF.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(size) if size.is_square() => write!(f, "START {}", size.width()),
            Self::Start(size) => write!(f, "RECTSTART {},{}", size.width(), size.height()),
            Self::StartSides(size) => write!(f, "START {} {}", size.width(), size.height()),
            Self::Restart => f.write_str("RESTART"),
            Self::Begin => f.write_str("BEGIN"),
            Self::Turn(at) => write!(f, "TURN {at}"),
            Self::Play(at) => write!(f, "PLAY {at}"),
            Self::TakeBack(at) => write!(f, "TAKEBACK {at}"),
            Self::Board(stones) => block(f, "BOARD", stones),
            Self::YxBoard(stones) => block(f, "YXBOARD", stones),
            Self::Swap2Board(points) => block(f, "SWAP2BOARD", points),
            Self::Info(setting) => write!(f, "INFO {setting}"),
            Self::About => f.write_str("ABOUT"),
            Self::End => f.write_str("END"),
            Self::Stop => f.write_str("YXSTOP"),
            Self::ShowForbid => f.write_str("YXSHOWFORBID"),
            Self::ShowInfo => f.write_str("YXSHOWINFO"),
            Self::NBest(lines) => write!(f, "YXNBEST {lines}"),
            Self::SearchDefend => f.write_str("YXSEARCHDEFEND"),
            Self::Swap2Step(step) => write!(f, "YXSWAP2STEP{}", *step as u8),
            Self::SoosorvStep(step) => step.fmt(f),
            Self::Balance(1, value) => write!(f, "YXBALANCEONE {value}"),
            Self::Balance(_, value) => write!(f, "YXBALANCETWO {value}"),
            Self::Block(true, points) => block(f, "YXBLOCK", points),
            Self::Block(false, points) => block(f, "YXBLOCKUNDO", points),
            Self::BlockReset => f.write_str("YXBLOCKRESET"),
            Self::BlockPath(true, path) => block(f, "YXBLOCKPATH", path),
            Self::BlockPath(false, path) => block(f, "YXBLOCKPATHUNDO", path),
            Self::BlockPathReset => f.write_str("YXBLOCKPATHRESET"),
            Self::QueryDatabase => f.write_str("YXQUERYDATABASEALL"),
            Self::QueryDatabaseText => f.write_str("YXQUERYDATABASETEXT"),
            Self::OfferDraw => f.write_str("YXDRAW"),
            Self::HashClear => f.write_str("YXHASHCLEAR"),
            Self::ShowHashUsage => f.write_str("YXSHOWHASHUSAGE"),
            Self::HashDump(path) => write!(f, "YXHASHDUMP\n{path}"),
            Self::HashLoad(path) => write!(f, "YXHASHLOAD\n{path}"),
            Self::NeedsDatabase => f.write_str("YXDBCHECK"),
            Self::YxIgnored => f.write_str("YXRESIGN"),
            Self::Ignored => f.write_str("DONE"),
            Self::Unknown(line) => f.write_str(line),
        }
    }
}

impl fmt::Display for SoosorvStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("YXSOOSORVSTEP1"),
            Self::AfterThree(moves) => block(f, "YXSOOSORVSTEP2", moves),
            Self::Fourth(moves) => block(f, "YXSOOSORVSTEP3", moves),
            Self::AfterFour(fifths, moves) => block(f, &format!("YXSOOSORVSTEP4 {fifths}"), moves),
            Self::Fifths(fifths, moves) => block(f, &format!("YXSOOSORVSTEP5 {fifths}"), moves),
            Self::Choose(moves) => block(f, "YXSOOSORVSTEP6", moves),
        }
    }
}

fn block(f: &mut fmt::Formatter<'_>, word: &str, lines: &[impl fmt::Display]) -> fmt::Result {
    writeln!(f, "{word}")?;
    for line in lines {
        writeln!(f, "{line}")?;
    }
    f.write_str("DONE")
}
