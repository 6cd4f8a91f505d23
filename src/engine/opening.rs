//! Decisions before the game: the swap2 opening, and answers to the first stones.
//!
//! There is no book: `openings/` holds positions in which both sides are equally well off, and whoever leads
//! would give that away by heading for one.

use super::position::Position;
use crate::types::{Colour, Point, PointSet, Size};

/// A stone so near the edge, in cells, is hardly in the game.
const EDGE: u8 = 1;

/// The points to choose from after at most one stone of each side; `None` if all deserve a look.
///
/// As long as all stones lie at the edge, that is the centre; after a single stone, the points around it, or
/// two cells from one in a corner. So did searches of a third of a second prefer it that were given the
/// first two stones under freestyle, standard and caro rules, the first in ten places between corner
/// and centre; of half a second for the third stone after two at the edge.
#[must_use]
pub(super) fn choices(position: &Position) -> Option<PointSet> {
    let size = position.size();
    let centre = size.centre();
    let stones = position.stones();
    let within = |point: Point, cells: u8| distances(point, size).map(|edge| edge <= cells);
    let few = match *stones {
        [_] => true,
        [(_, first), (_, second)] => first != second,
        _ => false,
    };
    let at_edge = |&(point, _): &(Point, Colour)| within(point, EDGE).contains(&true);
    let choices: PointSet = if few && stones.iter().all(at_edge) {
        [centre].into_iter().collect()
    } else if let [(stone, _)] = *stones {
        let in_corner = within(stone, EDGE + 1) == [true; 2] && stone.distance(centre) > 2;
        let apart = if in_corner { 2 } else { 1 };
        let around = |point: &Point| point.distance(stone) == apart;
        let inwards = |point: &Point| point.distance(centre) <= stone.distance(centre).max(1);
        size.points().filter(around).filter(inwards).collect()
    } else {
        return None;
    };
    let empty = choices.iter().filter(|&point| position.is_empty(point));
    Some(empty.collect()).filter(|choices: &PointSet| !choices.is_empty())
}

/// Cells between `point` and the nearer edge, left or right and above or below.
fn distances(point: Point, size: Size) -> [u8; 2] {
    [(point.x(), size.width()), (point.y(), size.height())]
        .map(|(at, cells)| at.min(cells - 1 - at))
}

/// The three stones (black, white, black) that open a swap2 game.
///
/// The pattern is the one that `AlphaGomoku` answers Yixin-Board in a recorded dialogue
/// (`AlphaGomoku:src/protocols/YixinBoardProtocol.cpp`), moved with the centre: two stones near the
/// centre of one file and one apart.
#[must_use]
pub(super) fn swap2_stones(size: Size) -> [Point; 3] {
    let centre = size.centre();
    let far = if size.height() < 9 { 2 } else { 4 };
    [(-far, 0), (-1, 0), (1, 0)].map(|(dy, dx): (i64, i64)| {
        size.point(i64::from(centre.x()) + dx, i64::from(centre.y()) + dy)
            .unwrap_or(centre)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RuleKind;
    use crate::types::Colour;

    fn after(size: Size, stones: &[Point]) -> Position {
        let mut position = Position::new(size, RuleKind::Renju);
        for &stone in stones {
            position.play(stone).unwrap();
        }
        position
    }

    #[test]
    fn every_first_stone_is_answered_beside_it_or_in_the_centre() {
        for width in Size::MIN..=Size::MAX {
            for height in Size::MIN..=Size::MAX {
                let size = Size::new(width, height).unwrap();
                let centre = size.centre();
                for stone in size.points() {
                    let position = after(size, &[stone]);
                    let choices = choices(&position).expect("some choices");
                    assert!(!choices.is_empty());
                    for reply in &choices {
                        assert!(position.is_empty(reply), "{size:?} {stone}");
                        let nearer = reply.distance(centre) <= stone.distance(centre).max(1);
                        assert!(nearer, "{size:?} {stone} {reply}");
                        let apart = reply.distance(stone);
                        assert!(apart <= 2 || reply == centre, "{size:?} {stone} {reply}");
                    }
                }
            }
        }
    }

    #[test]
    fn choices_are_symmetric() {
        let size = Size::square(15);
        let mirror = |point: Point| {
            [
                Point::new(14 - point.x(), point.y()),
                Point::new(point.x(), 14 - point.y()),
                Point::new(point.y(), point.x()),
            ]
        };
        let of = |stone| choices(&after(size, &[stone])).expect("some choices");
        for stone in size.points() {
            for (i, image) in mirror(stone).into_iter().enumerate() {
                let images: PointSet = of(stone).iter().map(|point| mirror(point)[i]).collect();
                assert_eq!(of(image), images, "{stone}");
            }
        }
    }

    #[test]
    fn stones_at_the_edge_leave_the_centre_and_others_are_left_to_the_search() {
        let size = Size::square(20);
        let [corner, edge, middle] = [(0, 0), (18, 9), (9, 9)].map(|(x, y)| Point::new(x, y));
        let centre: PointSet = [size.centre()].into_iter().collect();
        assert_eq!(choices(&after(size, &[corner])), Some(centre));
        assert_eq!(choices(&after(size, &[corner, edge])), Some(centre));
        assert_eq!(choices(&after(size, &[])), None);
        assert_eq!(choices(&after(size, &[corner, middle])), None);
        assert_eq!(choices(&after(size, &[corner, edge, middle])), None);
        let mut one_side = Position::new(size, RuleKind::Freestyle);
        for point in [corner, edge] {
            one_side.place(point, Some(Colour::Black)).unwrap();
        }
        assert_eq!(choices(&one_side), None);
        let mut dead = Position::new(size, RuleKind::Freestyle);
        dead.place(size.centre(), None).unwrap();
        dead.play(corner).unwrap();
        assert_eq!(choices(&dead), None, "a dead cell is no choice");
    }

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
