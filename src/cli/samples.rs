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

/// The probability of winning that the side to move of `board`, a position of `game` that was searched with
/// `score`, should be given: `share` of the game's result, the rest what the search thought.
/// `None` for positions that the search never asks the evaluation about, which teach nothing.
pub(super) fn target(board: &Board, game: &Game, score: i16, share: f32) -> Option<f32> {
    let side = board.side();
    let asked = Colour::ALL
        .iter()
        .all(|&colour| board.count(colour, Threat::Five) == 0)
        && board.count(side, Threat::OpenFour) == 0;
    if score == NO_SCORE || !asked {
        return None;
    }
    let result = match game.winner {
        Some(winner) => f32::from(u8::from(winner == side)),
        None => 0.5,
    };
    let searched = sigmoid(f32::from(score) / f32::from(POINTS_PER_LOGIT));
    Some(share * result + (1.0 - share) * searched)
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
