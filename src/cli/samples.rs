//! Self-played games as `train` and `train-net` see them: which positions teach, what they should be judged
//! as, and which games are kept apart.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use crate::board::{Board, NoObserver};
use crate::eval::params::POINTS_PER_LOGIT;
use crate::movegen;
use crate::pattern::Threat;
use crate::record::selfplay::{Game, NO_SCORE};
use crate::rule::RuleKind;
use crate::types::{Colour, Point, SplitMix64};

/// One game in so many is kept for validation.
const VALIDATION: usize = 20;

/// Whether the game with this `number`, counted from 0, is kept for validation.
pub(super) const fn validates(number: usize) -> bool {
    (number + 1).is_multiple_of(VALIDATION)
}

/// Games by rule. Index: rule, as in [`RuleKind::ALL`].
pub(super) type ByRule = [Vec<Game>; RuleKind::ALL.len()];

/// Adds the games of all `files` to `games`.
///
/// # Errors
/// When a file cannot be read, or there are no games at all.
pub(super) fn load(files: &[PathBuf], games: &mut ByRule) -> io::Result<()> {
    for path in files {
        let mut reader = BufReader::new(File::open(path)?);
        while let Some(game) = Game::read(&mut reader)? {
            games[game.rule.index()].push(game);
        }
    }
    if games.iter().all(Vec::is_empty) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no games"));
    }
    Ok(())
}

/// A position of a game, and what should be said of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lesson {
    /// Moves before it.
    pub(super) ply: usize,
    /// Probability that the side to move wins.
    pub(super) target: f32,
    /// The move that the search found best; none after the last one.
    pub(super) played: Option<Point>,
}

/// Calls `visit` for every position of `game` that the search would ask the evaluation about, with what it teaches.
pub(super) fn lessons(game: &Game, lambda: f32, mut visit: impl FnMut(&Board, Lesson)) {
    let mut board = Board::new(game.size, game.rule);
    let mut moves = game.moves.iter();
    for (ply, target) in targets(game, lambda).into_iter().enumerate() {
        let played = moves.next().map(|&(point, _)| point);
        if let Some(target) = target.filter(|_| is_asked_about(&board)) {
            visit(
                &board,
                Lesson {
                    ply,
                    target,
                    played,
                },
            );
        }
        if let Some(point) = played {
            board.play(point, &mut NoObserver);
        }
    }
}

/// What the mover of each move of `game`, and who would be next after the last one, should be given as the
/// probability of winning: what the rest of the game
/// says. Each search's own score counts as 1 - `lambda`, what comes after the move as `lambda`, and so on to the
/// result (the "lambda return" of temporal differences, Sutton 1988). 1 is the
/// result alone, 0 the search's score alone. What comes after a move that was not searched for says nothing of the
/// positions before it (as in Q(lambda), Watkins 1989), and the position before such a move gets no target. Neither does the
/// last one unless it is won.
fn targets(game: &Game, lambda: f32) -> Vec<Option<f32>> {
    let plies = game.moves.len();
    let mover = |ply: usize| Colour::ALL[ply % 2];
    let result = match game.winner {
        Some(winner) => f32::from(u8::from(winner == mover(plies))),
        None => 0.5,
    };
    let mut targets = vec![None; plies + 1];
    targets[plies] = game.winner.map(|_| result);
    let mut next = Some(result);
    for (ply, &(_, score)) in game.moves.iter().enumerate().rev() {
        next = (score != NO_SCORE).then(|| {
            let searched = sigmoid(f32::from(score) / f32::from(POINTS_PER_LOGIT));
            next.map_or(searched, |next| {
                lambda * (1.0 - next) + (1.0 - lambda) * searched
            })
        });
        targets[ply] = next;
    }
    targets
}

/// Whether the search would ask the evaluation about `board`.
fn is_asked_about(board: &Board) -> bool {
    !movegen::threatens_five(board) && board.count(board.side(), Threat::OpenFour) == 0
}

/// The probability with the given logit.
pub(super) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// Puts `items` in a random order.
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut SplitMix64) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Size;

    fn game(scores: &[i16]) -> Game {
        Game {
            rule: RuleKind::Freestyle,
            size: Size::square(15),
            winner: Some(Colour::White),
            moves: (0..)
                .map(|x| Point::new(x, 0))
                .zip(scores.iter().copied())
                .collect(),
        }
    }

    fn assert_targets(game: &Game, lambda: f32, expected: &[Option<f32>]) {
        let targets = targets(game, lambda);
        assert_eq!(targets.len(), expected.len());
        for (ply, (target, expected)) in targets.iter().zip(expected).enumerate() {
            let close = match (target, expected) {
                (Some(target), Some(expected)) => (target - expected).abs() < 1e-6,
                (target, expected) => target == expected,
            };
            assert!(close, "ply {ply}: {target:?} instead of {expected:?}");
        }
    }

    /// With all weight on what comes after, every mover gets the result; with none, its own score.
    #[test]
    fn the_ends_of_lambda_are_result_and_score() {
        let game = game(&[NO_SCORE, 250, -500, 0]);
        let result = [None, Some(1.0), Some(0.0), Some(1.0), Some(0.0)];
        assert_targets(&game, 1.0, &result);
        let own = [1.0, -2.0, 0.0].map(|logit| Some(sigmoid(logit)));
        assert_targets(&game, 0.0, &[None, own[0], own[1], own[2], Some(0.0)]);
    }

    #[test]
    fn each_score_counts_for_the_moves_before_it() {
        let game = game(&[0, 0, 250]);
        let last = 0.5 * 0.0 + 0.5 * sigmoid(1.0);
        let middle = 0.5 * (1.0 - last) + 0.5 * 0.5;
        let first = 0.5 * (1.0 - middle) + 0.5 * 0.5;
        let expected = [first, middle, last, 1.0].map(Some);
        assert_targets(&game, 0.5, &expected);
    }

    /// What follows a move that was not searched for does not count for the positions before it.
    #[test]
    fn a_move_by_lot_cuts_the_game() {
        let game = game(&[250, -500, NO_SCORE, 0]);
        let second = sigmoid(-2.0);
        let first = 0.5 * (1.0 - second) + 0.5 * sigmoid(1.0);
        let last = 0.5 * 1.0 + 0.5 * 0.5;
        let expected = [Some(first), Some(second), None, Some(last), Some(0.0)];
        assert_targets(&game, 0.5, &expected);
    }
}
