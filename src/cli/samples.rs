//! Self-played games as `train` and `train-net` see them: which positions teach, what they should be judged
//! as, and which games are kept apart.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use crate::board::Board;
use crate::eval::params::POINTS_PER_LOGIT;
use crate::pattern::Threat;
use crate::record::selfplay::{Game, NO_SCORE};
use crate::rule::RuleKind;
use crate::types::{Colour, SplitMix64};

/// One game in so many is kept for validation.
const VALIDATION: usize = 20;

/// Whether the game with this `number`, counted from 0, is kept for validation.
pub(super) const fn validates(number: usize) -> bool {
    (number + 1).is_multiple_of(VALIDATION)
}

/// The games of all `files`, and their rule.
///
/// # Errors
/// When a file cannot be read, there are no games, or they are of several rules.
pub(super) fn load(files: &[PathBuf]) -> io::Result<(RuleKind, Vec<Game>)> {
    let mut games: Vec<Game> = Vec::new();
    for path in files {
        let mut reader = BufReader::new(File::open(path)?);
        while let Some(game) = Game::read(&mut reader)? {
            if games.first().is_some_and(|first| first.rule != game.rule) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("{} has games of another rule", path.display()),
                ));
            }
            games.push(game);
        }
    }
    let rule = games
        .first()
        .map(|game| game.rule)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no games"))?;
    Ok((rule, games))
}

/// What the mover of each move of `game` should be given as the probability of winning: what the rest of the game
/// says. Each search's own score counts as 1 - `lambda`, what comes after the move as `lambda`, and so on to the
/// result (the "lambda return" of temporal differences, Sutton 1988). 1 is the
/// result alone, 0 the search's score alone.
pub(super) fn targets(game: &Game, lambda: f32) -> Vec<f32> {
    let plies = game.moves.len();
    let mover = |ply: usize| Colour::ALL[ply % 2];
    let mut next = match game.winner {
        Some(winner) => f32::from(u8::from(winner == mover(plies))),
        None => 0.5,
    };
    let mut targets = vec![0.0; plies];
    for (ply, &(_, score)) in game.moves.iter().enumerate().rev() {
        next = 1.0 - next;
        if score != NO_SCORE {
            let searched = sigmoid(f32::from(score) / f32::from(POINTS_PER_LOGIT));
            next = lambda * next + (1.0 - lambda) * searched;
        }
        targets[ply] = next;
    }
    targets
}

/// Whether the search would ask the evaluation about `board`, which a game searched with `score`; other positions
/// teach nothing.
pub(super) fn teaches(board: &Board, score: i16) -> bool {
    score != NO_SCORE
        && Colour::ALL
            .iter()
            .all(|&colour| board.count(colour, Threat::Five) == 0)
        && board.count(board.side(), Threat::OpenFour) == 0
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
    use crate::types::{Point, Size};

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

    /// With all weight on what comes after, every mover gets the result; with none, its own score.
    #[test]
    fn the_ends_of_lambda_are_result_and_score() {
        let game = game(&[NO_SCORE, 250, -500, 0]);
        assert_eq!(targets(&game, 1.0), [0.0, 1.0, 0.0, 1.0]);
        let own = targets(&game, 0.0);
        for (target, score) in own[1..].iter().zip([1.0, -2.0, 0.0]) {
            assert!((target - sigmoid(score)).abs() < 1e-6, "{target} {score}");
        }
        // A move of the opening has no score of its own and takes the next one's, seen from the other side.
        assert!((own[0] - (1.0 - own[1])).abs() < 1e-6);
    }

    #[test]
    fn each_score_counts_for_the_moves_before_it() {
        let game = game(&[0, 0, 250]);
        let last = 0.5 * 0.0 + 0.5 * sigmoid(1.0);
        let middle = 0.5 * (1.0 - last) + 0.5 * 0.5;
        let first = 0.5 * (1.0 - middle) + 0.5 * 0.5;
        for (target, expected) in targets(&game, 0.5).iter().zip([first, middle, last]) {
            assert!((target - expected).abs() < 1e-6, "{target} {expected}");
        }
    }
}
