//! Victory by continuous fours (VCF).
//!
//! Depth-first over the attacker's four-moves; every reply is forced (a four leaves one
//! point, or under caro rules a few). The defender's own fives come first on both sides: the attacker must
//! answer a four that the defender made while blocking, and may go on only if its answer is a four
//! again. In renju Black plays no foul, and White has won when Black's only block is one.
//!
//! Positions without a VCF are remembered by their Zobrist key, so transpositions, which are most of
//! the tree, cost one look-up.

use smallvec::SmallVec;

use crate::board::{Board, NoObserver};
use crate::movegen::{self, is_legal};
use crate::pattern::Threat;
use crate::types::Point;

/// A proved line: attacker, defender, attacker, … up to the five. A `None` stands for a
/// defender without a legal reply.
pub type Line = SmallVec<[Option<Point>; 32]>;

/// What a search for a VCF found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The side to move wins by continuous fours.
    Win(Line),
    /// It does not, within the given number of moves.
    NoWin,
    /// The node budget ran out.
    Unknown,
}

/// A solver with its memory of failures.
pub struct Vcf {
    /// Keys of positions without a VCF; the low byte holds the number of attacker moves up
    /// to which that is known.
    failed: Box<[u64]>,
    nodes: u64,
    budget: u64,
}

/// Bits of the key that a failure entry keeps; the low byte is the depth.
const KEY_MASK: u64 = !0xFF;

impl Vcf {
    /// A solver that remembers up to `2^bits` failures (8 bytes each).
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self {
            failed: vec![0; 1 << bits].into_boxed_slice(),
            nodes: 0,
            budget: 0,
        }
    }

    /// Forgets all positions, as needed when the rule changes.
    pub fn clear(&mut self) {
        self.failed.fill(0);
    }

    /// Positions entered by the last search.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks for a VCF of the side to move with at most `max_moves` attacker moves (the five
    /// included), entering at most `budget` positions. The board is the same afterwards.
    pub fn solve(&mut self, board: &mut Board, max_moves: u8, budget: u64) -> Verdict {
        self.nodes = 0;
        self.budget = budget;
        let mut line = Line::new();
        match self.attack(board, max_moves, &mut line) {
            Some(true) => {
                line.reverse();
                Verdict::Win(line)
            }
            Some(false) => Verdict::NoWin,
            None => Verdict::Unknown,
        }
    }

    /// Whether the side to move wins; `None` when the budget ran out. On a win the line is
    /// appended to `line` in reverse.
    fn attack(&mut self, board: &mut Board, moves_left: u8, line: &mut Line) -> Option<bool> {
        let attacker = board.side();
        if let Some(five) = board.points_with(attacker, Threat::Five).first() {
            line.push(Some(five));
            return Some(true);
        }
        if moves_left < 2 || !has_four(board) {
            return Some(false);
        }
        let slot = self.slot(board);
        let key = board.hash() & KEY_MASK;
        let entry = self.failed[slot];
        if entry & KEY_MASK == key && entry & !KEY_MASK >= u64::from(moves_left) {
            return Some(false);
        }
        let mut moves = movegen::fours(board, attacker);
        if board.count(!attacker, Threat::Five) > 0 {
            let blocks = movegen::blocks(board, attacker);
            moves.retain(|point| blocks.contains(point));
        }
        for point in moves {
            if self.nodes >= self.budget {
                return None;
            }
            self.nodes += 1;
            board.play(point, &mut NoObserver);
            let outcome = self.defend(board, moves_left - 1, line);
            board.undo();
            match outcome {
                Some(true) => {
                    line.push(Some(point));
                    return Some(true);
                }
                Some(false) => {}
                None => return None,
            }
        }
        self.failed[slot] = key | u64::from(moves_left);
        Some(false)
    }

    /// Whether every reply to the attacker's four loses.
    fn defend(&mut self, board: &mut Board, moves_left: u8, line: &mut Line) -> Option<bool> {
        let defender = board.side();
        if board.count(defender, Threat::Five) > 0 || board.count(!defender, Threat::Five) == 0 {
            return Some(false);
        }
        let mut replies = movegen::blocks(board, defender);
        replies.retain(|point| is_legal(board, *point, defender));
        if replies.is_empty() {
            // The line ends with the five and, before it, whatever the defender does.
            let five = board.points_with(!defender, Threat::Five).first();
            line.push(five);
            line.push(None);
            return Some(true);
        }
        let base = line.len();
        for point in replies {
            // Only the line after the last reply is kept: any reply is forced, and under caro rules,
            // where there can be several, each has been proved to lose.
            line.truncate(base);
            if self.nodes >= self.budget {
                return None;
            }
            self.nodes += 1;
            board.play(point, &mut NoObserver);
            let outcome = self.attack(board, moves_left, line);
            board.undo();
            match outcome {
                Some(true) => line.push(Some(point)),
                other => {
                    line.truncate(base);
                    return other;
                }
            }
        }
        Some(true)
    }

    fn slot(&self, board: &Board) -> usize {
        (board.hash() >> 16) as usize & (self.failed.len() - 1)
    }
}

/// Whether the side to move has any point that makes a four.
fn has_four(board: &Board) -> bool {
    let attacker = board.side();
    board.counts(attacker)[Threat::Four.index()..]
        .iter()
        .any(|&count| count > 0)
        || (board.rule().has_fouls(attacker) && board.count(attacker, Threat::Foul) > 0)
}
