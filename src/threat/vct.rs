//! Victory by continuous threats (VCT): fours, threes, and the fours behind them.
//!
//! A depth-first proof-number search (df-pn, Nagai 2002) over the attacker's threats. A move is a threat if it
//! is a four, or if the attacker would win by continuous fours were the defender to pass. Every reply that
//! can break that win is tried, the defender's own fours included; all others lose to it ([`Vcf::refutations`]).
//! The attacker plays no foul; a reply that is foul for Black is no reply.
//!
//! What it assumes: nobody has won yet. What it promises: [`Verdict::Win`] comes with a strategy that was read off
//! the board once more from beginning to end after the search, so that a mix-up of positions in the memory cannot
//! become a claim. [`Verdict::NoWin`] says only that the threats considered here do not win. Memory is bounded by
//! what [`Vct::new`] was given.

use ahash::AHashMap;
use smallvec::SmallVec;

use super::limits::Meter;
use super::proof_table::{Numbers, ProofTable};
use super::vcf::{self, Vcf, Visitor, forced_replies};

use super::{Limits, Line, Proof, Zone};
use crate::board::{Board, NoObserver};
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::types::{Colour, Point, PointSet, side_key, stone_key};

/// What a search for a VCT found.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The side to move wins.
    Win(Box<Win>),
    /// The threats that the solver considers do not win.
    NoWin,
    /// The limits were reached.
    Unknown,
}

/// A proved win.
#[derive(Clone, Debug)]
pub struct Win {
    /// The win against the replies that last longest.
    pub line: Line,
    /// Attacker moves up to the five, at most, whatever the defender does.
    pub moves: u32,
    /// The whole strategy.
    pub proof: Proof,
}

/// Positions that one VCF inside the search may enter. From 30 to 1000 it makes no difference.
const VCF_NODES: u64 = 1_000;
/// The same when a proof is read: more, lest a VCF that was found once is missed because memory of it is gone.
const READ_VCF_NODES: u64 = 10 * VCF_NODES;
/// Positions that reading a proof off the board may enter beyond the limits of the search.
const READ_NODES: u64 = 50_000;
/// How often a proof is searched again that could not be read.
const READ_ATTEMPTS: usize = 4;
/// Positions whose hidden threats are remembered.
const HIDDEN_ENTRIES: usize = 1 << 16;
/// The best child is searched until its number exceeds that of the second by this part of it: less jumping between
/// children (the 1 + epsilon of Pawlewicz and Lew 2007).
const RELAXATION: u32 = 16;
/// Bits of the memory of the VCF inside.
const VCF_BITS: u32 = 17;

/// A solver with its memory.
pub struct Vct {
    table: ProofTable,
    /// Results of [`Vct::hidden_threats`].
    hidden: AHashMap<u64, movegen::Points>,
    vcf: Vcf,
    meter: Meter,
}

/// What a position that nobody has looked at is worth. The numbers were tried on the 240 known wins of `tests/data`:
/// compared with 1 for everything they save two thirds of the time. An attacker's move counts for more than a reply, so that
/// the search follows a promising line before it turns to the next move; a four alone leads nowhere most of
/// the time.
mod guess {
    use super::{Numbers, Threat};

    /// Behind an attacker's four or three.
    pub(super) fn threat(threat: Threat) -> Numbers {
        let proof = match threat {
            Threat::Four => 10,
            Threat::FourPlus => 6,
            _ => 5,
        };
        Numbers { proof, disproof: 1 }
    }

    /// All attacker's moves that may threaten a win by fours without being a four or three.
    pub(super) const UNSEEN_THREATS: Numbers = Numbers {
        proof: 10,
        disproof: 1,
    };

    /// Behind one of them that does.
    pub(super) const HIDDEN_THREAT: Numbers = Numbers {
        proof: 8,
        disproof: 1,
    };

    /// Behind a reply.
    pub(super) const REPLY: Numbers = Numbers {
        proof: 2,
        disproof: 2,
    };
}

/// A move and the position behind it.
#[derive(Clone, Copy)]
struct Child {
    /// `None` stands for all quiet moves that are no threes, as long as nobody looked which of them threaten anything.
    point: Option<Point>,
    numbers: Numbers,
}

type Children = SmallVec<[Child; 32]>;

/// The moves to search in a position, or the numbers of one that is settled at first sight.
type Expansion = Result<Children, Numbers>;

impl Vct {
    /// A solver with a proof table of at most `bytes` bytes, and up to 10 MiB beside it.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self {
            table: ProofTable::new(bytes),
            hidden: AHashMap::new(),
            vcf: Vcf::new(VCF_BITS),
            meter: Meter::default(),
        }
    }

    /// Forgets all positions, as needed when the rule changes.
    pub fn clear(&mut self) {
        self.table.clear();
        self.hidden.clear();
        self.vcf.clear();
    }

    /// Positions entered by the last search, those of the VCFs inside included.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.meter.nodes
    }

    /// Looks for a VCT of the side to move within `limits`, of which the number of moves is not looked at. A stop is obeyed
    /// within a few milliseconds. The board is the same afterwards.
    pub fn solve(&mut self, board: &mut Board, limits: &Limits) -> Verdict {
        self.meter = Meter::new(limits);
        let attacker = board.side();
        // A proof that cannot be read because its VCFs are no longer found corrects the table when it is tried;
        // that hardly happens once.
        for _ in 0..READ_ATTEMPTS {
            let numbers = self.search(board, attacker, Numbers::UNREACHED, limits);
            if numbers.is_lost() {
                return Verdict::NoWin;
            }
            if !numbers.is_won() {
                return Verdict::Unknown;
            }
            let mut reader = Reader::default();
            let reading = Limits {
                nodes: self.meter.nodes.saturating_add(READ_NODES),
                ..*limits
            };
            if let Some(moves) = self.read_attack(board, &mut reader, &reading) {
                return Verdict::Win(Box::new(Win {
                    line: reader.line(board),
                    moves,
                    proof: reader.proof,
                }));
            }
            if self.meter.stopped {
                break;
            }
        }
        Verdict::Unknown
    }

    /// Searches until a number of the position reaches its limit.
    fn search(
        &mut self,
        board: &mut Board,
        attacker: Colour,
        until: Numbers,
        limits: &Limits,
    ) -> Numbers {
        let key = board.hash();
        let start = self.meter.nodes;
        let attacking = board.side() == attacker;
        let expansion = if attacking {
            self.expand_attack(board)
        } else {
            self.expand_defence(board)
        };
        let mut children = match expansion {
            Ok(children) => children,
            Err(numbers) => {
                self.table.put(key, numbers, self.meter.nodes - start);
                return numbers;
            }
        };
        loop {
            let (numbers, best, second) = combine(&children, attacking);
            if numbers.proof >= until.proof
                || numbers.disproof >= until.disproof
                || self.meter.stopped
                || !self.meter.enter(limits)
            {
                self.table.put(key, numbers, self.meter.nodes - start);
                return numbers;
            }
            let child = children[best];
            let Some(point) = child.point else {
                children.swap_remove(best);
                let points = self.hidden_threats(board);
                let more = self.children(board, &points, |_, _| guess::HIDDEN_THREAT);
                children.extend(more);
                if children.is_empty() {
                    self.table.put(key, Numbers::LOST, self.meter.nodes - start);
                    return Numbers::LOST;
                }
                continue;
            };
            let until = child_limits(numbers, child.numbers, second, until, attacking);
            board.play(point, &mut NoObserver);
            children[best].numbers = self.search(board, attacker, until, limits);
            board.undo();
        }
    }

    /// The position with the attacker to move.
    fn expand_attack(&mut self, board: &mut Board) -> Expansion {
        let attacker = board.side();
        if board.count(attacker, Threat::Five) > 0 {
            return Err(Numbers::WON);
        }
        if self.has_vcf(board, VCF_NODES) {
            return Err(Numbers::WON);
        }
        let moves = attacks(board);
        let mut children = self.children(board, &moves, |board, point| {
            guess::threat(board.threat(point, attacker))
        });
        if let Some(points) = self.hidden.get(&board.hash()) {
            children.extend(self.children(board, points, |_, _| guess::HIDDEN_THREAT));
        } else if !hidden_candidates(board).is_empty() {
            children.push(Child {
                point: None,
                numbers: guess::UNSEEN_THREATS,
            });
        }
        if children.is_empty() {
            return Err(Numbers::LOST);
        }
        Ok(children)
    }

    /// The quiet moves of the side to move that are no threes but threaten to win by fours.
    fn hidden_threats(&mut self, board: &mut Board) -> movegen::Points {
        let candidates = hidden_candidates(board);
        let mut points = legal(board, &candidates);
        points.retain(|point| {
            board.play(*point, &mut NoObserver);
            board.pass();
            let threat = self.has_vcf(board, VCF_NODES);
            board.undo();
            board.undo();
            threat
        });
        if self.hidden.len() >= HIDDEN_ENTRIES {
            self.hidden.clear();
        }
        self.hidden.insert(board.hash(), points.clone());
        points
    }

    /// The position with the defender to move.
    fn expand_defence(&mut self, board: &mut Board) -> Expansion {
        let replies = match self.replies(board) {
            Some(replies) if replies.is_empty() => return Err(Numbers::WON),
            Some(replies) => replies,
            None => return Err(Numbers::LOST),
        };
        Ok(self.children(board, &replies, |_, _| guess::REPLY))
    }

    /// The replies of the side to move that can matter; all others lose. `None` if the opponent threatens
    /// nothing, or less than the side to move does.
    fn replies(&mut self, board: &mut Board) -> Option<movegen::Points> {
        let defender = board.side();
        if board.count(defender, Threat::Five) > 0 {
            return None;
        }
        if board.count(!defender, Threat::Five) > 0 {
            return Some(forced_replies(board));
        }
        let zone = self.vcf.refutations(board, &Limits::nodes(VCF_NODES));
        self.meter.nodes += self.vcf.nodes();
        Some(legal(board, &zone?))
    }

    /// Looks for a VCF of the side to move.
    fn vcf_of(&mut self, board: &mut Board, nodes: u64) -> vcf::Verdict {
        let verdict = self.vcf.solve_within(board, &Limits::nodes(nodes));
        self.meter.nodes += self.vcf.nodes();
        verdict
    }

    fn has_vcf(&mut self, board: &mut Board, nodes: u64) -> bool {
        matches!(self.vcf_of(board, nodes), vcf::Verdict::Win(_))
    }

    fn children(
        &self,
        board: &Board,
        moves: &[Point],
        guess: impl Fn(&Board, Point) -> Numbers,
    ) -> Children {
        let side = board.side();
        let turn = side_key(side) ^ side_key(!side);
        moves
            .iter()
            .map(|&point| {
                let key = board.hash() ^ turn ^ stone_key(side, point);
                Child {
                    point: Some(point),
                    numbers: self.table.get(key).unwrap_or_else(|| guess(board, point)),
                }
            })
            .collect()
    }

    /// Reads the strategy off a position with the attacker to move that the search has proved. Returns the
    /// number of attacker moves; `None` if the limits were reached or memory was wrong.
    fn read_attack(
        &mut self,
        board: &mut Board,
        reader: &mut Reader,
        limits: &Limits,
    ) -> Option<u32> {
        let attacker = board.side();
        let key = board.hash();
        if let Some(&moves) = reader.moves.get(&key) {
            return Some(moves);
        }
        // Where much of the memory is gone, every gap is tried again and again from above.
        if !self.meter.enter(limits) {
            return None;
        }
        if let vcf::Verdict::Win(line) = self.vcf_of(board, READ_VCF_NODES) {
            return self.vcf.walk(board, &line, reader);
        }
        for attempt in 0..2 {
            if attempt == 1 {
                // The memory of the winning move is gone: search again.
                if !self
                    .search(board, attacker, Numbers::UNREACHED, limits)
                    .is_won()
                {
                    return None;
                }
            }
            let mut moves = attacks(board);
            moves.extend(&hidden_candidates(board));
            let children = self.children(board, &moves, |_, _| Numbers::LOST);
            for child in children.iter().filter(|child| child.numbers.is_won()) {
                let Some(point) = child.point else { continue };
                board.play(point, &mut NoObserver);
                let moves = self.read_defence(board, reader, limits);
                board.undo();
                if let Some(moves) = moves {
                    reader.proof.answers.insert(key, point);
                    reader.moves.insert(key, moves + 1);
                    return Some(moves + 1);
                }
            }
        }
        None
    }

    /// Reads the strategy off a position with the defender to move.
    fn read_defence(
        &mut self,
        board: &mut Board,
        reader: &mut Reader,
        limits: &Limits,
    ) -> Option<u32> {
        if limits.stop.is_some_and(|stop| stop()) {
            self.meter.stopped = true;
            return None;
        }
        let defender = board.side();
        let mut longest = 1;
        let mut choice = Reply::Nothing;
        let replies = if board.count(defender, Threat::Five) > 0 {
            return None;
        } else if board.count(!defender, Threat::Five) > 0 {
            forced_replies(board)
        } else {
            // The threat is written down and its points collected in one walk, so that they belong together.
            let mut visitor = (Zone::new(board), &mut *reader);
            longest = self
                .vcf
                .threat(board, &Limits::nodes(READ_VCF_NODES), &mut visitor)?;
            let replies = legal(board, &visitor.0.points());
            let empty = *board.empty();
            choice = legal(board, &empty)
                .into_iter()
                .find(|point| !replies.contains(point))
                .map_or(Reply::Nothing, Reply::Ignored);
            replies
        };
        for &reply in &replies {
            board.play(reply, &mut NoObserver);
            let moves = self.read_attack(board, reader, limits);
            board.undo();
            let moves = moves?;
            if moves > longest || matches!(choice, Reply::Nothing) {
                longest = longest.max(moves);
                choice = Reply::Played(reply);
            }
        }
        reader.replies.insert(board.hash(), choice);
        Some(longest)
    }
}

/// The points of `points` where the side to move may play.
fn legal(board: &mut Board, points: &PointSet) -> movegen::Points {
    let side = board.side();
    points
        .iter()
        .filter(|&point| is_legal(board, point, side))
        .collect()
}

/// The threats of the side to move that are worth a try.
fn attacks(board: &mut Board) -> movegen::Points {
    let attacker = board.side();
    if board.count(!attacker, Threat::Five) > 0 {
        let mut moves = movegen::blocks(board, attacker);
        moves.retain(|point| is_legal(board, *point, attacker));
        return moves;
    }
    let mut moves = movegen::fours(board, attacker);
    let mut quiet = PointSet::EMPTY;
    for threat in [Threat::Three, Threat::ThreePlus, Threat::DoubleThree] {
        quiet = quiet.union(board.points_with(attacker, threat));
    }
    if board.rule().has_fouls(attacker) {
        for point in board.points_with(attacker, Threat::Foul) {
            if !moves.contains(&point) {
                quiet.insert(point);
            }
        }
    }
    if movegen::threatens_open_four(board, !attacker) && !board.rule().closed_five_is_nothing() {
        quiet = quiet.intersection(&movegen::defences(board, attacker));
    }
    for point in &quiet {
        if is_legal(board, point, attacker) {
            moves.push(point);
        }
    }
    moves
}

/// The quiet moves of the side to move, threes left out, that may threaten to win by fours.
fn hidden_candidates(board: &mut Board) -> PointSet {
    let attacker = board.side();
    let mut points = PointSet::EMPTY;
    if board.count(!attacker, Threat::Five) > 0 {
        return points;
    }
    for threat in [Threat::SleepingThree, Threat::SleepingThreePlus] {
        points = points.union(board.points_with(attacker, threat));
    }
    if board.counts(attacker)[Threat::Four.index()..]
        .iter()
        .any(|&count| count > 0)
    {
        for threat in [Threat::Two, Threat::DoubleTwo] {
            points = points.union(board.points_with(attacker, threat));
        }
    }
    if movegen::threatens_open_four(board, !attacker) && !board.rule().closed_five_is_nothing() {
        points = points.intersection(&movegen::defences(board, attacker));
    }
    points
}

/// The numbers of a position, the child to search next, and the second-best number.
fn combine(children: &[Child], attacking: bool) -> (Numbers, usize, u32) {
    let mut best = 0;
    let mut first = u32::MAX;
    let mut second = Numbers::INFINITE;
    let mut most = 0;
    let mut open = 0;
    for (i, child) in children.iter().enumerate() {
        let (own, other) = if attacking {
            (child.numbers.proof, child.numbers.disproof)
        } else {
            (child.numbers.disproof, child.numbers.proof)
        };
        if own < first {
            second = second.min(first);
            first = own;
            best = i;
        } else {
            second = second.min(own);
        }
        most = most.max(other);
        open += u32::from(other > 0);
    }
    let first = first.min(Numbers::INFINITE);
    let sum = if most == 0 || most >= Numbers::INFINITE {
        most.min(Numbers::INFINITE)
    } else {
        most + open - 1
    };
    let numbers = if attacking {
        Numbers {
            proof: first,
            disproof: sum,
        }
    } else {
        Numbers {
            proof: sum,
            disproof: first,
        }
    };
    (numbers, best, second)
}

/// The limits for the best child.
fn child_limits(
    numbers: Numbers,
    child: Numbers,
    second: u32,
    until: Numbers,
    attacking: bool,
) -> Numbers {
    let relaxed = second.saturating_add(second / RELAXATION).saturating_add(1);
    if attacking {
        Numbers {
            proof: until.proof.min(relaxed),
            disproof: until.disproof - (numbers.disproof - child.disproof.min(numbers.disproof)),
        }
    } else {
        Numbers {
            proof: until.proof - (numbers.proof - child.proof.min(numbers.proof)),
            disproof: until.disproof.min(relaxed),
        }
    }
}

/// Collects a strategy.
#[derive(Default)]
struct Reader {
    proof: Proof,
    /// Attacker moves by position with the attacker to move.
    moves: AHashMap<u64, u32>,
    /// The reply that lasts longest to an attacker's move that was read, by position with the defender to move.
    replies: AHashMap<u64, Reply>,
}

/// The reply shown in the main line.
#[derive(Clone, Copy)]
enum Reply {
    /// It leads to a position of the proof.
    Played(Point),
    /// It changes nothing in the threat, which is carried out as after a pass.
    Ignored(Point),
    /// There is none.
    Nothing,
}

impl Reader {
    /// The main line from the position on `board`, which was read.
    fn line(&self, board: &mut Board) -> Line {
        let start = board.ply();
        let mut line = Line::new();
        while let Some(point) = self.proof.answer(board.hash()) {
            line.push(Some(point));
            if board.threat(point, board.side()) == Threat::Five {
                break;
            }
            board.play(point, &mut NoObserver);
            let reply = match self.replies.get(&board.hash()) {
                Some(&reply) => reply,
                None => self
                    .longest_reply(board)
                    .map_or(Reply::Nothing, Reply::Played),
            };
            match reply {
                Reply::Played(point) => {
                    line.push(Some(point));
                    board.play(point, &mut NoObserver);
                }
                Reply::Ignored(point) => {
                    line.push(Some(point));
                    board.pass();
                }
                Reply::Nothing => {
                    line.push(None);
                    if let Some(five) = board.points_with(!board.side(), Threat::Five).first() {
                        line.push(Some(five));
                        break;
                    }
                    board.pass();
                }
            }
        }
        while board.ply() > start {
            board.undo();
        }
        line
    }

    /// The forced reply after which a win by fours takes longest.
    fn longest_reply(&self, board: &mut Board) -> Option<Point> {
        let turn = side_key(Colour::Black) ^ side_key(Colour::White);
        let key = board.hash() ^ turn;
        let side = board.side();
        let replies = forced_replies(board);
        // The first of equals.
        replies
            .into_iter()
            .rev()
            .max_by_key(|&reply| self.moves.get(&(key ^ stone_key(side, reply))))
    }
}

impl Visitor for Reader {
    fn known(&self, key: u64) -> Option<Point> {
        self.proof.fours.get(&key).copied()
    }

    fn attack(&mut self, board: &mut Board, point: Point) {
        self.proof.fours.insert(board.hash(), point);
    }

    fn won(&mut self, key: u64, moves: u32) {
        self.moves.insert(key, moves);
    }
}

/// Both visitors, one after the other.
impl Visitor for (Zone, &mut Reader) {
    fn known(&self, key: u64) -> Option<Point> {
        self.1.known(key)
    }

    fn attack(&mut self, board: &mut Board, point: Point) {
        self.0.attack(board, point);
        self.1.attack(board, point);
    }

    fn defend(&mut self, board: &mut Board, replies: &[Point]) {
        self.0.defend(board, replies);
    }

    fn won(&mut self, key: u64, moves: u32) {
        self.1.won(key, moves);
    }
}
