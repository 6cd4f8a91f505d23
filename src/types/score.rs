//! Scores: points of evaluation, and mates with their distance.
//!
//! A score is an `i32` seen from the side to move. Static evaluations stay strictly
//! between [`-EVAL_LIMIT`](EVAL_LIMIT) and [`EVAL_LIMIT`]. Near [`WIN`] a score is a *proved*
//! win or loss, and says in how many plies: [`win_in`], [`loss_in`]. Between the two lie wins and losses
//! that were found, but not against every reply: see [`unproved`].

/// A score in evaluation points (about 100 = the value of a tempo's small advantage),
/// from the view of the side to move.
pub type Score = i32;

/// The score of a win on the spot.
pub const WIN: Score = 30_000;
/// Larger than any score.
pub const INFINITE: Score = 31_000;
/// The longest distance to mate in plies that a score can carry.
pub const MAX_PLY: i32 = 1_000;
/// Static evaluations lie strictly between `-EVAL_LIMIT` and `EVAL_LIMIT`.
pub const EVAL_LIMIT: Score = 8_000;
/// How far [`unproved`] wins and losses lie from proved ones.
const DOUBT: Score = 20_000;
/// The score of a draw.
pub const DRAW: Score = 0;

/// The score of a proved win whose winning move is made `ply` plies after the root.
#[must_use]
pub const fn win_in(ply: i32) -> Score {
    WIN - ply
}

/// The score of a proved loss: the opponent completes the win `ply` plies after the root.
#[must_use]
pub const fn loss_in(ply: i32) -> Score {
    -WIN + ply
}

/// Whether the score is a proved win.
#[must_use]
pub const fn is_win(score: Score) -> bool {
    score >= WIN - MAX_PLY
}

/// Whether the score is a proved loss.
#[must_use]
pub const fn is_loss(score: Score) -> bool {
    score <= -WIN + MAX_PLY
}

/// Whether the score is a proved win or loss.
#[must_use]
pub const fn is_decisive(score: Score) -> bool {
    is_win(score) || is_loss(score)
}

/// Whether the score is more than an evaluation: a win or loss, proved or not.
#[must_use]
pub const fn is_settled(score: Score) -> bool {
    score.abs() >= EVAL_LIMIT
}

/// What the proved loss `score` is worth if not all replies were tried: lost in all likelihood.
#[must_use]
pub const fn unproved(score: Score) -> Score {
    score + DOUBT
}

/// Plies until the win or loss is complete, or `None` for an evaluation.
#[must_use]
pub const fn mate_distance(score: Score) -> Option<i32> {
    if is_win(score) {
        Some(WIN - score)
    } else if is_loss(score) {
        Some(WIN + score)
    } else {
        None
    }
}

/// A mate counted from the root becomes one counted from the node `ply` plies below it,
/// as the transposition table stores it.
#[must_use]
pub(crate) const fn to_table(score: Score, ply: i32) -> Score {
    if is_win(score) {
        score + ply
    } else if is_loss(score) {
        score - ply
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[must_use]
pub(crate) const fn from_table(score: Score, ply: i32) -> Score {
    if is_win(score) {
        score - ply
    } else if is_loss(score) {
        score + ply
    } else {
        score
    }
}
