//! Decisions before the game: the swap2 opening.

use crate::types::{Point, Score, Size};

/// The three stones (black, white, black) that open a swap2 game.
///
/// The pattern is the one that `AlphaGomoku` answers Yixin-Board in a recorded dialogue
/// (`AlphaGomoku:src/protocols/YixinBoardProtocol.cpp`), moved with the centre: two stones near the
/// centre of one file and one apart.
#[must_use]
pub fn swap2_stones(size: Size) -> [Point; 3] {
    let centre = size.centre();
    let far = if size.height() < 9 { 2 } else { 4 };
    [(-far, 0), (-1, 0), (1, 0)].map(|(dy, dx): (i64, i64)| {
        size.point(i64::from(centre.x()) + dx, i64::from(centre.y()) + dy)
            .unwrap_or(centre)
    })
}

/// Whether to take Black in a swap2 position where White is to move and `score` is White's.
#[must_use]
pub const fn takes_black(score: Score) -> bool {
    score < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_different_points_on_every_board() {
        for width in Size::MIN..=Size::MAX {
            for height in Size::MIN..=Size::MAX {
                let [a, b, c] = swap2_stones(Size::new(width, height).unwrap());
                assert!(a != b && b != c && a != c, "{width} x {height}");
            }
        }
    }
}
