//! The numbers that an evaluation is made of, as one flat list that a trainer can fit.
//!
//! Layout, in this order:
//!
//! | part | index order | meaning (points for the side to move) |
//! |---|---|---|
//! | cells of the side to move | its colour, combo | per empty cell |
//! | cells of the opponent | its colour, combo | per empty cell |
//! | threats of the side to move | threat, number of such points up to [`MOST`] | once |
//! | threats of the opponent | the same | once |
//! | tempo | – | once |
//! | policy: cells of the mover | its colour, combo | see below |
//! | policy: cells of the opponent | its colour, combo | see below |
//! | policy: place beside the last move | [`Place`] | see below |
//! | policy: place beside the mover's last move | [`Place`] | see below |
//!
//! The policy says how likely a move is to be the best: the sum of a point's policy parameters is the
//! logarithm of its odds, in 1/100.
//!
//! Under rules that treat both colours alike the two colours share their numbers: both
//! index the first table.

use super::combo::{COMBOS, combo};
use crate::board::Board;
use crate::pattern::Threat;
use crate::rule::RuleKind;
use crate::types::{Colour, Point};

/// Points that raise the odds of winning by a factor of e.
pub(crate) const POINTS_PER_LOGIT: u16 = 250;
/// Numbers of points with one threat are told apart up to this one.
pub(crate) const MOST: usize = 3;

const OWN_CELLS: usize = 0;
const OPPONENT_CELLS: usize = OWN_CELLS + 2 * COMBOS;
const OWN_THREATS: usize = OPPONENT_CELLS + 2 * COMBOS;
const OPPONENT_THREATS: usize = OWN_THREATS + Threat::COUNT * (MOST + 1);
/// Index of the points for being on the move.
pub(crate) const TEMPO: usize = OPPONENT_THREATS + Threat::COUNT * (MOST + 1);
const POLICY_OWN: usize = TEMPO + 1;
const POLICY_OPPONENT: usize = POLICY_OWN + 2 * COMBOS;
const POLICY_LAST: usize = POLICY_OPPONENT + 2 * COMBOS;
const POLICY_OWN_LAST: usize = POLICY_LAST + Place::COUNT;
/// Number of parameters.
pub(crate) const COUNT: usize = POLICY_OWN_LAST + Place::COUNT;

/// Which of the two tables of cells `colour` uses under `rule`.
#[must_use]
pub(crate) const fn table_of(rule: RuleKind, colour: Colour) -> usize {
    if rule.has_fouls(Colour::Black) {
        colour.index()
    } else {
        0
    }
}

/// The parameter for a cell of the side to move, which is `colour`.
#[must_use]
pub(crate) const fn own_cell(rule: RuleKind, colour: Colour, combo: usize) -> usize {
    OWN_CELLS + table_of(rule, colour) * COMBOS + combo
}

/// The parameter for a cell of the opponent, which is `colour`.
#[must_use]
pub(crate) const fn opponent_cell(rule: RuleKind, colour: Colour, combo: usize) -> usize {
    OPPONENT_CELLS + table_of(rule, colour) * COMBOS + combo
}

/// The parameter for the side to move having `count` points with `threat`.
#[must_use]
pub(crate) fn own_threat(threat: Threat, count: usize) -> usize {
    OWN_THREATS + threat.index() * (MOST + 1) + count.min(MOST)
}

/// The parameter for the opponent having `count` points with `threat`.
#[must_use]
pub(crate) fn opponent_threat(threat: Threat, count: usize) -> usize {
    OPPONENT_THREATS + threat.index() * (MOST + 1) + count.min(MOST)
}

/// Calls `visit` with the parameter of everything that counts in `board` for the side to move:
/// the score is the sum of these parameters. This is the definition that
/// [`Evaluation`](super::Evaluation) computes incrementally and that the trainer fits.
pub(crate) fn features(board: &Board, mut visit: impl FnMut(usize)) {
    let rule = board.rule();
    let side = board.side();
    for point in board.empty() {
        visit(own_cell(rule, side, combo(board.key(point, side))));
        visit(opponent_cell(rule, !side, combo(board.key(point, !side))));
    }
    // Plain points say nothing that the cells do not.
    for threat in &Threat::ALL[1..] {
        visit(own_threat(*threat, board.count(side, *threat)));
        visit(opponent_threat(*threat, board.count(!side, *threat)));
    }
    visit(TEMPO);
}

/// Where a point lies as seen from an earlier move: 0 far away (or no such move), 1 to 4 on a line with
/// it at that distance, 5 to 7 off its lines at distance 2 to 4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(usize);

impl Place {
    /// Number of places.
    pub(crate) const COUNT: usize = 8;

    /// All places, in index order.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The place of `point` beside `from`.
    #[must_use]
    #[inline]
    pub(crate) fn beside(from: Option<Point>, point: Point) -> Self {
        let Some(from) = from else {
            return Self(0);
        };
        let dx = usize::from(from.x().abs_diff(point.x()));
        let dy = usize::from(from.y().abs_diff(point.y()));
        let distance = dx.max(dy);
        Self(match distance {
            5.. => 0,
            _ if dx == dy || dx == 0 || dy == 0 => distance,
            _ => distance + 3,
        })
    }

    /// 0 to [`Place::COUNT`]` - 1`.
    #[must_use]
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0
    }
}

/// The policy parameter for a cell of the mover, which is `colour`.
#[must_use]
pub(crate) const fn policy_own(rule: RuleKind, colour: Colour, combo: usize) -> usize {
    POLICY_OWN + table_of(rule, colour) * COMBOS + combo
}

/// The policy parameter for a cell of the opponent, which is `colour`.
#[must_use]
pub(crate) const fn policy_opponent(rule: RuleKind, colour: Colour, combo: usize) -> usize {
    POLICY_OPPONENT + table_of(rule, colour) * COMBOS + combo
}

/// The policy parameter for a point's place beside the last move.
#[must_use]
pub(crate) const fn policy_last(place: Place) -> usize {
    POLICY_LAST + place.index()
}

/// The policy parameter for a point's place beside the mover's last move.
#[must_use]
pub(crate) const fn policy_own_last(place: Place) -> usize {
    POLICY_OWN_LAST + place.index()
}

/// The policy parameters of the side to move playing `point`.
#[must_use]
pub(crate) fn policy_features(board: &Board, point: Point) -> [usize; 4] {
    let rule = board.rule();
    let side = board.side();
    let mut moves = board.moves().rev();
    let last = moves.next().flatten();
    let own_last = moves.next().flatten();
    [
        policy_own(rule, side, combo(board.key(point, side))),
        policy_opponent(rule, !side, combo(board.key(point, !side))),
        policy_last(Place::beside(last, point)),
        policy_own_last(Place::beside(own_last, point)),
    ]
}
