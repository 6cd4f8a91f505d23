//! Victory by continuous fours (VCF).
//!
//! Depth-first over the attacker's four-moves; every reply is forced (a four leaves one
//! point, or under caro rules a few). The defender's own fives come first on both sides: the attacker must
//! answer a four that the defender made while blocking, and may go on only if its answer is a four
//! again. In renju Black plays no foul, and White has won when Black's only block is one.
//!
//! Positions are remembered by their Zobrist key, so transpositions, which are most of the tree,
//! cost one look-up. A remembered failure is believed. A remembered win is only a hint which move
//! to try first, so that nothing is ever claimed that was not just played out on the board.
//!
//! Assumes that no side has five in a row yet. Promises that [`Verdict::Win`] holds for every reply of
//! the defender, and that [`Verdict::NoWin`] means that all four-moves were tried.

use super::limits::Meter;
use super::{Limits, Line, Proof, Zone};
use crate::board::{Board, NoObserver};
use crate::movegen::{self, is_legal};
use crate::pattern::{Class, Threat};
use crate::types::{Colour, Direction, Point, PointSet, stone_key};

/// What a search for a VCF found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The side to move wins by continuous fours.
    Win(Line),
    /// It does not, within the given number of moves.
    NoWin,
    /// The limits were reached.
    Unknown,
}

/// A solver with its memory.
pub struct Vcf {
    memory: Box<[Memory]>,
    /// Mixed into all keys. A new value makes what is in memory unrecognisable.
    salt: u64,
    meter: Meter,
}

/// What is known of a position, packed: 46 bits of its key, the winning move (10 bits, 0 for a
/// failure), and the number of attacker moves for which that is known (8 bits).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Memory(u64);

impl Memory {
    const KEY_MASK: u64 = !0 << 18;
    const EMPTY: Self = Self(0);

    fn failure(key: u64, moves: u8) -> Self {
        Self(key & Self::KEY_MASK | u64::from(moves))
    }

    fn win(key: u64, point: Point, moves: u8) -> Self {
        Self(key & Self::KEY_MASK | (point.index() as u64) << 8 | u64::from(moves))
    }

    /// The entry, if it is about the position with `key`.
    fn of(self, key: u64) -> Option<Self> {
        ((self.0 ^ key) & Self::KEY_MASK == 0).then_some(self)
    }

    /// The move that won; `None` for a failure.
    fn point(self) -> Option<Point> {
        let index = (self.0 >> 8 & 0x3FF) as usize;
        (index != 0).then(|| Point::from_index(index))
    }

    const fn moves(self) -> u8 {
        (self.0 & 0xFF) as u8
    }
}

impl Vcf {
    /// A solver that remembers up to `2^bits` positions (8 bytes each).
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self {
            memory: vec![Memory::EMPTY; 1 << bits].into_boxed_slice(),
            salt: 0,
            meter: Meter::default(),
        }
    }

    /// Forgets all positions, as needed when the rule changes. Takes no time.
    pub fn clear(&mut self) {
        // Any odd constant will do: the salts of 2^64 calls differ.
        self.salt = self.salt.wrapping_add(0x9E37_79B9_7F4A_7C15);
    }

    /// Positions entered by the last search.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.meter.nodes
    }

    /// Looks for a VCF of the side to move with at most `max_moves` attacker moves (the five
    /// included), entering at most `budget` positions. The board is the same afterwards.
    pub fn solve(&mut self, board: &mut Board, max_moves: u8, budget: u64) -> Verdict {
        self.solve_within(
            board,
            &Limits {
                nodes: budget,
                moves: max_moves,
                stop: None,
            },
        )
    }

    /// Looks for any VCF of the side to move within `limits`. The board is the same afterwards.
    pub fn solve_within(&mut self, board: &mut Board, limits: &Limits) -> Verdict {
        self.meter = Meter::new(limits);
        self.search(board, limits.moves, limits)
    }

    /// Looks for a shortest VCF of the side to move: first for a win in one move, then in two, and so
    /// on. A win is one with the fewest attacker moves against the replies that last longest. The
    /// board is the same afterwards.
    pub fn solve_shortest(&mut self, board: &mut Board, limits: &Limits) -> Verdict {
        self.meter = Meter::new(limits);
        let most = longest(board).min(limits.moves);
        for moves in 1..=most {
            match self.search(board, moves, limits) {
                Verdict::NoWin => {}
                verdict => return verdict,
            }
        }
        Verdict::NoWin
    }

    /// If the side *not* to move would win by continuous fours were it its turn: every reply of
    /// the side to move that can break that win, legal or not. Any other reply, fours included, loses to the
    /// same fours. `None` if no such win is found within `limits`. The board is the same
    /// afterwards.
    ///
    /// Among the points are all where the side to move makes five, and those where it makes a four
    /// unless the win is a five at once.
    pub fn refutations(&mut self, board: &mut Board, limits: &Limits) -> Option<PointSet> {
        let mut zone = Zone::new(board);
        self.threat(board, limits, &mut zone)?;
        Some(zone.points())
    }

    /// Adds the strategy behind `line`, a win of the side to move that this solver found, to `proof`.
    /// Returns the number of attacker moves up to the five if the replies last as long as they can; that may be more
    /// than in `line`, because what is in `proof` already is kept. `None` if replies beside the line
    /// (there are some only under caro rules) could not be answered.
    pub fn explain(
        &mut self,
        board: &mut Board,
        line: &[Option<Point>],
        proof: &mut Proof,
    ) -> Option<u32> {
        self.walk(board, line, &mut Recorder(proof))
    }

    /// Leads `visitor` through a win by fours of the side *not* to move after a pass. Returns its length in attacker
    /// moves; `None` if there is no such win within `limits`.
    pub(super) fn threat(
        &mut self,
        board: &mut Board,
        limits: &Limits,
        visitor: &mut impl Visitor,
    ) -> Option<u32> {
        board.pass();
        let moves = match self.solve_within(board, limits) {
            Verdict::Win(line) => self.walk(board, &line, visitor),
            Verdict::NoWin | Verdict::Unknown => None,
        };
        board.undo();
        moves
    }

    fn search(&mut self, board: &mut Board, moves: u8, limits: &Limits) -> Verdict {
        let mut line = Line::new();
        match self.attack(board, moves, &mut line, limits) {
            Some(true) => {
                line.reverse();
                Verdict::Win(line)
            }
            Some(false) => Verdict::NoWin,
            None => Verdict::Unknown,
        }
    }

    /// Whether the side to move wins; `None` when the limits were reached. On a win the line is
    /// appended to `line` in reverse.
    fn attack(
        &mut self,
        board: &mut Board,
        moves_left: u8,
        line: &mut Line,
        limits: &Limits,
    ) -> Option<bool> {
        let attacker = board.side();
        if let Some(five) = board.points_with(attacker, Threat::Five).first() {
            line.push(Some(five));
            return Some(true);
        }
        if moves_left < 2 || !has_four(board) {
            return Some(false);
        }
        let key = board.hash() ^ self.salt;
        let slot = self.slot(key);
        let memory = self.memory[slot].of(key);
        let hint = memory.and_then(Memory::point);
        if hint.is_none() && memory.is_some_and(|memory| memory.moves() >= moves_left) {
            return Some(false);
        }
        let mut moves = if board.count(!attacker, Threat::Five) > 0 {
            // Answer the defender's four by a four.
            let mut blocks = movegen::blocks(board, attacker);
            blocks.retain(|point| makes_four(board, *point));
            blocks
        } else {
            movegen::fours(board, attacker)
        };
        if let Some(first) = hint.and_then(|hint| moves.iter().position(|&point| point == hint)) {
            moves[..=first].rotate_right(1);
        }
        for point in moves {
            if self.fails_at_sight(board, point, moves_left - 1) {
                continue;
            }
            if !self.meter.enter(limits) {
                return None;
            }
            board.play(point, &mut NoObserver);
            let outcome = self.defend(board, moves_left - 1, line, limits);
            board.undo();
            match outcome {
                Some(true) => {
                    line.push(Some(point));
                    self.memory[slot] = Memory::win(key, point, moves_left);
                    return Some(true);
                }
                Some(false) => {}
                None => return None,
            }
        }
        self.memory[slot] = Memory::failure(key, moves_left);
        Some(false)
    }

    /// Whether the four on `point` fails as can be told without playing it: the position after its only reply is
    /// remembered as a failure, or the reply makes a four that no four can answer.
    fn fails_at_sight(&self, board: &Board, point: Point, moves_left: u8) -> bool {
        let attacker = board.side();
        let Some((reply, along)) = only_reply(board, point) else {
            return false;
        };
        // What may be foul must be played out. No white stone makes a point foul that the tables do not suspect.
        let threat = board.threat(reply, !attacker);
        if threat == Threat::Foul {
            return false;
        }
        if threat.is_four_or_more() && is_countered(board, point, reply, along) {
            return true;
        }
        let key =
            board.hash() ^ stone_key(attacker, point) ^ stone_key(!attacker, reply) ^ self.salt;
        self.memory[self.slot(key)]
            .of(key)
            .is_some_and(|memory| memory.point().is_none() && memory.moves() >= moves_left)
    }

    /// Whether every reply to the attacker's four loses.
    fn defend(
        &mut self,
        board: &mut Board,
        moves_left: u8,
        line: &mut Line,
        limits: &Limits,
    ) -> Option<bool> {
        let defender = board.side();
        if board.count(defender, Threat::Five) > 0 || board.count(!defender, Threat::Five) == 0 {
            return Some(false);
        }
        let replies = forced_replies(board);
        if replies.is_empty() {
            // The line ends with the five and, before it, whatever the defender does.
            let five = board.points_with(!defender, Threat::Five).first();
            line.push(five);
            line.push(None);
            return Some(true);
        }
        let base = line.len();
        let mut longest: Option<Line> = None;
        let several = replies.len() > 1;
        for point in replies {
            line.truncate(base);
            if !self.meter.enter(limits) {
                return None;
            }
            board.play(point, &mut NoObserver);
            let outcome = self.attack(board, moves_left, line, limits);
            board.undo();
            if outcome != Some(true) {
                line.truncate(base);
                return outcome;
            }
            line.push(Some(point));
            // Several replies happen under caro rules only: the line shows the one that lasts longest.
            if several
                && longest
                    .as_ref()
                    .is_none_or(|longest| longest.len() < line.len())
            {
                longest = Some(line.clone());
            }
        }
        if let Some(longest) = longest {
            *line = longest;
        }
        Some(true)
    }

    /// Leads `visitor` through the strategy behind `line`, a win of the side to move. An empty line stands for one that
    /// is to be found first.
    pub(super) fn walk(
        &mut self,
        board: &mut Board,
        line: &[Option<Point>],
        visitor: &mut impl Visitor,
    ) -> Option<u32> {
        let key = board.hash();
        let found;
        let (point, line) = match (visitor.known(key), line) {
            (Some(point), &[Some(first), ref rest @ ..]) if point == first => (point, rest),
            (Some(point), _) => (point, &[][..]),
            (None, &[Some(first), ref rest @ ..]) => (first, rest),
            (None, _) => {
                let Verdict::Win(line) = self.search(board, u8::MAX, &Limits::NONE) else {
                    return None;
                };
                found = line;
                (found.first().copied().flatten()?, &found[1..])
            }
        };
        visitor.attack(board, point);
        let mut longest = 0;
        if board.threat(point, board.side()) != Threat::Five {
            board.play(point, &mut NoObserver);
            let replies = forced_replies(board);
            visitor.defend(board, &replies);
            longest = 1;
            let mut complete = true;
            for &reply in &replies {
                board.play(reply, &mut NoObserver);
                let rest = match line {
                    &[Some(first), ref rest @ ..] if first == reply => rest,
                    _ => &[],
                };
                let moves = self.walk(board, rest, visitor);
                board.undo();
                complete &= moves.is_some();
                longest = longest.max(moves.unwrap_or(0));
            }
            board.undo();
            if !complete {
                return None;
            }
        }
        visitor.won(key, longest + 1);
        Some(longest + 1)
    }

    fn slot(&self, key: u64) -> usize {
        usize::try_from(key & (self.memory.len() as u64 - 1)).expect("below the length")
    }
}

/// Hears of every position of a winning strategy of fours.
pub(super) trait Visitor {
    /// The attacker's move in the position with `key`, if that has been settled before.
    fn known(&self, _key: u64) -> Option<Point> {
        None
    }

    /// The attacker, to move, plays `point`.
    fn attack(&mut self, board: &mut Board, point: Point);

    /// The defender, to move, can stop the five by `replies` only.
    fn defend(&mut self, _board: &mut Board, _replies: &[Point]) {}

    /// The attacker wins the position with `key` in so many moves of its own.
    fn won(&mut self, _key: u64, _moves: u32) {}
}

/// Writes down the attacker's moves.
struct Recorder<'a>(&'a mut Proof);

impl Visitor for Recorder<'_> {
    fn known(&self, key: u64) -> Option<Point> {
        self.0.fours.get(&key).copied()
    }

    fn attack(&mut self, board: &mut Board, point: Point) {
        self.0.fours.insert(board.hash(), point);
    }
}

/// The point where the side to move will complete its four if it plays `point`, should that be the only one, and
/// the direction of the four.
fn only_reply(board: &Board, point: Point) -> Option<(Point, Direction)> {
    // One stone can stop more than one five, and in more than one way.
    if board.rule().closed_five_is_nothing() {
        return None;
    }
    let attacker = board.side();
    let mut reply = None;
    for direction in Direction::ALL {
        match board.key(point, attacker).class(direction) {
            Class::Four if reply.is_none() => {
                let completion = completion(board, point, attacker, direction)?;
                reply = Some((completion, direction));
            }
            class if class < Class::Four => {}
            _ => return None,
        }
    }
    reply
}

/// The point that completes the four which a stone of `colour` on `point` makes in `direction`, the first if there are
/// several.
fn completion(board: &Board, point: Point, colour: Colour, direction: Direction) -> Option<Point> {
    [-4, -3, -2, -1, 1, 2, 3, 4]
        .into_iter()
        .map(|steps| point.offset(direction, steps))
        .find(|&other| {
            // Each of the two points makes the four that the other completes.
            board.is_empty(other) && board.key(other, colour).class(direction) >= Class::Four && {
                let pair = board.class_pair_after(other, direction, point, colour);
                Class::from_index(pair >> (4 * colour.index()) & 15) == Class::Five
            }
        })
}

/// Whether the defender's `reply` to the four on `point`, which runs `along` a direction, makes a four itself that the
/// attacker cannot answer by a four. Not under caro rules. Never wrong when `true`.
fn is_countered(board: &Board, point: Point, reply: Point, along: Direction) -> bool {
    let attacker = board.side();
    let mut five = None;
    for direction in Direction::ALL {
        // The attacker's stone changes nothing on the other lines through the reply.
        if direction == along {
            continue;
        }
        let class = board.key(reply, !attacker).class(direction);
        if class > Class::Four || (class == Class::Four && five.is_some()) {
            // Two fives at once.
            return true;
        }
        if class == Class::Four {
            five = completion(board, reply, !attacker, direction);
        }
    }
    five.is_some_and(|five| {
        let threat = board.threat(five, attacker);
        // The attacker's stone may help to make a four there; the defender's cannot.
        threat < Threat::Four && threat != Threat::Foul && !aligned(five, point)
    })
}

/// Whether the side to move may play `point` and makes a four there.
fn makes_four(board: &mut Board, point: Point) -> bool {
    let attacker = board.side();
    match board.threat(point, attacker) {
        Threat::Foul => {
            let classes = board.key(point, attacker).classes();
            classes.into_iter().any(Class::is_four) && is_legal(board, point, attacker)
        }
        threat => threat.is_four_or_more(),
    }
}

/// Whether a five can hold both points.
fn aligned(a: Point, b: Point) -> bool {
    let (dx, dy) = (a.x().abs_diff(b.x()), a.y().abs_diff(b.y()));
    dx.max(dy) <= 4 && (dx == 0 || dy == 0 || dx == dy)
}

/// The legal replies of the side to move to a four.
pub(super) fn forced_replies(board: &mut Board) -> movegen::Points {
    let defender = board.side();
    let mut replies = movegen::blocks(board, defender);
    replies.retain(|point| is_legal(board, *point, defender));
    replies
}

/// The most attacker moves that fit on the board.
fn longest(board: &Board) -> u8 {
    u8::try_from(board.empty().len().div_ceil(2)).unwrap_or(u8::MAX)
}

/// Whether the side to move has any point that makes a four.
fn has_four(board: &Board) -> bool {
    let attacker = board.side();
    board.counts(attacker)[Threat::Four.index()..]
        .iter()
        .any(|&count| count > 0)
        || (board.rule().has_fouls(attacker) && board.count(attacker, Threat::Foul) > 0)
}
