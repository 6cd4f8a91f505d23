//! Replays proofs from bare stones.
//!
//! What it is for: telling whether a claimed win is one, for tests and for `solve --verify`. It trusts
//! neither the solvers nor the tables: it knows stones on a grid, asks [`oracle`] what wins and what
//! is foul, and tries every reply there is.
//!
//! It assumes that nobody has won yet, and that a new five can only be completed next to the row of the
//! stone just played. It promises that a win it confirms is a win against every reply; a proof that it cannot follow
//! is an error that shows the position.

use ahash::AHashMap;

use super::Proof;
use crate::rule::{RuleKind, oracle};
use crate::types::{ByColour, Cell, Colour, Direction, Grid, Point, side_key, stone_key, wall_key};

/// The key of a position in a [`Proof`]: equal to the hash of a board that holds it.
#[must_use]
pub fn position_key(grid: &Grid, side: Colour) -> u64 {
    let stones = Colour::ALL.into_iter().flat_map(|colour| {
        grid.points_of(Cell::Stone(colour))
            .map(move |point| stone_key(colour, point))
    });
    let walls = grid.points_of(Cell::Wall).map(wall_key);
    stones
        .chain(walls)
        .fold(side_key(side), |key, part| key ^ part)
}

/// Why a claimed win is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason} in\n{position}")]
pub struct Fault {
    /// What is wrong.
    pub reason: Reason,
    /// The position, drawn.
    pub position: String,
}

/// What can be wrong with a claimed win.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The proof or line ends before the five.
    #[error("the attacker has no answer")]
    NoAnswer,
    /// The attacker's move is not on an empty point of the board.
    #[error("the attacker's {0} is taken")]
    Taken(Point),
    /// The attacker's move is forbidden.
    #[error("the attacker's {0} is foul")]
    Foul(Point),
    /// The attacker's move leaves the defender a five.
    #[error("the attacker's {0} allows a five")]
    AllowsFive(Point),
    /// A move that should be a four is none.
    #[error("the attacker's {0} is no four")]
    NoFour(Point),
    /// The line goes on after the five.
    #[error("moves after the five at {0}")]
    AfterFive(Point),
    /// The defender can play elsewhere than the line says.
    #[error("the defender can also play {0}")]
    OtherReply(Point),
    /// The line's reply does not stop the five or is forbidden.
    #[error("the defender cannot play {0}")]
    NoReply(Point),
}

/// What a confirmed proof is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Confirmed {
    /// The most attacker moves that the defender can make it last, the five included.
    pub moves: u32,
    /// Positions with the attacker to move that were looked at.
    pub positions: usize,
}

/// Replays a line of fours of `attacker`, to move on `grid`: each of its moves is a legal four that leaves
/// the defender no five, each reply is the only legal one that stops the five (`None` where
/// there is none), and the last move makes five.
///
/// # Errors
/// When something of that does not hold. Under caro rules a four can often be answered in several ways;
/// such a win has no line that says it all: see [`check_proof`].
pub fn check_line(
    rule: RuleKind,
    grid: &Grid,
    attacker: Colour,
    line: &[Option<Point>],
) -> Result<(), Fault> {
    let mut stones = Stones::new(rule, grid);
    let mut rest = line;
    loop {
        let (Some(&Some(point)), replies) = (rest.first(), rest.get(1..).unwrap_or(&[])) else {
            return Err(stones.fault(Reason::NoAnswer));
        };
        let wins = stones.fives[attacker].contains(&point);
        stones = stones.attacked(attacker, point)?;
        if wins {
            return if replies.is_empty() {
                Ok(())
            } else {
                Err(stones.fault(Reason::AfterFive(point)))
            };
        }
        if stones.fives[attacker].is_empty() {
            return Err(stones.fault(Reason::NoFour(point)));
        }
        let stops = stones.stops(!attacker);
        match (replies.first(), &stops[..]) {
            (Some(None), []) => {}
            (Some(None), [other, ..]) => return Err(stones.fault(Reason::OtherReply(*other))),
            (Some(&Some(reply)), stops) => {
                if !stops.contains(&reply) {
                    return Err(stones.fault(Reason::NoReply(reply)));
                }
                if let Some(&other) = stops.iter().find(|&&other| other != reply) {
                    return Err(stones.fault(Reason::OtherReply(other)));
                }
                stones = stones.after(!attacker, reply);
            }
            (None, _) => return Err(stones.fault(Reason::NoAnswer)),
        }
        rest = &replies[1..];
    }
}

/// Plays out a whole strategy of `attacker`, to move on `grid`, against every legal reply: after a four those
/// that stop the five, after any other move all empty points. Where the proof has no answer to such a free move, the
/// answers to a pass must win all the same, by fours alone.
///
/// # Errors
/// When some reply is not answered by a win.
pub fn check_proof(
    rule: RuleKind,
    grid: &Grid,
    attacker: Colour,
    proof: &Proof,
) -> Result<Confirmed, Fault> {
    let mut checker = Checker {
        attacker,
        proof,
        confirmed: AHashMap::new(),
    };
    let moves = checker.attack(&Stones::new(rule, grid))?;
    Ok(Confirmed {
        moves,
        positions: checker.confirmed.len(),
    })
}

struct Checker<'a> {
    attacker: Colour,
    proof: &'a Proof,
    /// Attacker moves up to the five, by position with the attacker to move.
    confirmed: AHashMap<u64, u32>,
}

impl Checker<'_> {
    /// The attacker moves needed with the attacker to move.
    fn attack(&mut self, stones: &Stones) -> Result<u32, Fault> {
        if !stones.fives[self.attacker].is_empty() {
            return Ok(1);
        }
        let key = stones.key ^ side_key(self.attacker);
        if let Some(&moves) = self.confirmed.get(&key) {
            return Ok(moves);
        }
        let Some(point) = self.proof.answer(key) else {
            return Err(stones.fault(Reason::NoAnswer));
        };
        let moves = 1 + self.defend(&stones.attacked(self.attacker, point)?)?;
        self.confirmed.insert(key, moves);
        Ok(moves)
    }

    /// The attacker moves needed with the defender to move.
    fn defend(&mut self, stones: &Stones) -> Result<u32, Fault> {
        let defender = !self.attacker;
        let mut longest = 1;
        if !stones.fives[self.attacker].is_empty() {
            for reply in stones.stops(defender) {
                longest = longest.max(self.attack(&stones.after(defender, reply))?);
            }
            return Ok(longest);
        }
        for reply in stones.grid.points_of(Cell::Empty) {
            let after = stones.after(defender, reply);
            let key = after.key ^ side_key(self.attacker);
            let outcome = if self.proof.answer(key).is_some() {
                self.attack(&after)
            } else {
                self.threat(stones.key, &after)
            };
            match outcome {
                Ok(moves) => longest = longest.max(moves),
                Err(_) if !stones.is_legal(defender, reply) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(longest)
    }

    /// The attacker moves needed on `stones`, the attacker to move, by the fours that the proof plays in
    /// the position `key`, which has one defender stone less.
    fn threat(&self, key: u64, stones: &Stones) -> Result<u32, Fault> {
        let (attacker, defender) = (self.attacker, !self.attacker);
        if !stones.fives[attacker].is_empty() {
            return Ok(1);
        }
        let Some(&point) = self.proof.fours.get(&(key ^ side_key(attacker))) else {
            return Err(stones.fault(Reason::NoAnswer));
        };
        let four = stones.attacked(attacker, point)?;
        if four.fives[attacker].is_empty() {
            return Err(stones.fault(Reason::NoFour(point)));
        }
        let key = key ^ stone_key(attacker, point);
        let mut longest = 1;
        for reply in four.stops(defender) {
            let moves = self.threat(
                key ^ stone_key(defender, reply),
                &four.after(defender, reply),
            )?;
            longest = longest.max(moves);
        }
        Ok(1 + longest)
    }
}

/// Stones on a grid, and where each side wins at once.
#[derive(Clone)]
struct Stones {
    rule: RuleKind,
    grid: Grid,
    /// Key of the stones alone.
    key: u64,
    fives: ByColour<Vec<Point>>,
}

impl Stones {
    fn new(rule: RuleKind, grid: &Grid) -> Self {
        Self {
            rule,
            grid: grid.clone(),
            key: position_key(grid, Colour::Black) ^ side_key(Colour::Black),
            fives: ByColour(Colour::ALL.map(|colour| oracle::five_points(rule, grid, colour))),
        }
    }

    /// With one more stone.
    fn after(&self, colour: Colour, point: Point) -> Self {
        let mut grid = self.grid.clone();
        grid.set(point, Cell::Stone(colour));
        let fives = ByColour(Colour::ALL.map(|side| {
            let mut candidates = self.fives[side].clone();
            if side == colour {
                candidates.extend(ends(&grid, colour, point));
                candidates.sort_unstable();
                candidates.dedup();
            }
            candidates.retain(|&five| {
                grid.get(five) == Some(Cell::Empty) && oracle::wins(self.rule, &grid, side, five)
            });
            candidates
        }));
        Self {
            rule: self.rule,
            grid,
            key: self.key ^ stone_key(colour, point),
            fives,
        }
    }

    /// With the attacker's stone on `point`, which must be free, legal, and leave the defender no
    /// five unless it wins itself.
    fn attacked(&self, attacker: Colour, point: Point) -> Result<Self, Fault> {
        if self.grid.get(point) != Some(Cell::Empty) {
            return Err(self.fault(Reason::Taken(point)));
        }
        if !self.is_legal(attacker, point) {
            return Err(self.fault(Reason::Foul(point)));
        }
        let after = self.after(attacker, point);
        if after.fives[!attacker].is_empty() || self.fives[attacker].contains(&point) {
            Ok(after)
        } else {
            Err(self.fault(Reason::AllowsFive(point)))
        }
    }

    /// The legal moves of `defender` after which the other side has no five at once.
    fn stops(&self, defender: Colour) -> Vec<Point> {
        let fives = &self.fives[!defender];
        let mut candidates: Vec<Point> = fives
            .iter()
            .flat_map(|&five| ends(&self.grid, !defender, five))
            .collect();
        candidates.extend(fives);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&point| {
            self.grid.get(point) == Some(Cell::Empty)
                && self.after(defender, point).fives[!defender].is_empty()
                && self.is_legal(defender, point)
        });
        candidates
    }

    fn is_legal(&self, colour: Colour, point: Point) -> bool {
        oracle::foul(self.rule, &self.grid, colour, point).is_empty()
    }

    fn fault(&self, reason: Reason) -> Fault {
        Fault {
            reason,
            position: self.grid.to_string(),
        }
    }
}

/// The first points that hold no stone of `colour` on the eight rays from `point`: the ends of the rows through it.
///
/// A new five through `point` is completed on one of them, since a row has no gaps; and the row that a stone on `point`
/// would make can be closed only there.
fn ends(grid: &Grid, colour: Colour, point: Point) -> impl Iterator<Item = Point> + '_ {
    Direction::ALL
        .into_iter()
        .flat_map(|direction| [(direction, -1), (direction, 1)])
        .filter_map(move |(direction, sign)| {
            let (dx, dy) = direction.step();
            let mut steps = 0;
            loop {
                steps += sign;
                let x = i64::from(point.x()) + i64::from(dx * steps);
                let y = i64::from(point.y()) + i64::from(dy * steps);
                let end = grid.size().point(x, y)?;
                if grid.get(end) != Some(Cell::Stone(colour)) {
                    return Some(end);
                }
            }
        })
}
