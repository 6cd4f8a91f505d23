//! Slow, obvious answers from bare stones. Tests trust this module; nothing that plays uses it.
//!
//! Written to be checked against the text of the rules by a reader with a board at hand: it puts
//! stones down, counts them, and takes no short cut. It shares no code with the pattern tables, the
//! incremental board or the foul test, so that an error in them cannot hide here too.
//!
//! Assumes that the point asked about is empty and on the board. Promises the answer of the
//! rules, however long it takes.

use super::{FoulKind, FoulKinds, RuleKind};
use crate::types::{Cell, Colour, Direction, Grid, Point};

/// Whether a stone of `colour` on the empty `point` wins at once.
#[must_use]
pub fn wins(rule: RuleKind, grid: &Grid, colour: Colour, point: Point) -> bool {
    let after = with_stone(grid, colour, point);
    Direction::ALL
        .into_iter()
        .any(|direction| row_wins(rule, &after, colour, point, direction))
}

/// The empty points where a stone of `colour` wins at once, in index order.
#[must_use]
pub fn five_points(rule: RuleKind, grid: &Grid, colour: Colour) -> Vec<Point> {
    grid.points_of(Cell::Empty)
        .filter(|&point| wins(rule, grid, colour, point))
        .collect()
}

/// Whether `colour` has a winning row on the board.
#[must_use]
pub fn has_won(rule: RuleKind, grid: &Grid, colour: Colour) -> bool {
    grid.points_of(Cell::Stone(colour)).any(|point| {
        Direction::ALL
            .into_iter()
            .any(|direction| row_wins(rule, grid, colour, point, direction))
    })
}

/// Why a stone of `colour` on the empty `point` would be foul, every reason that applies; empty
/// when it is legal.
///
/// After the rules of the Renju International Federation:
/// * a move that makes five in a row is legal whatever else it makes;
/// * an *overline* is a row of six or more;
/// * a *four* is four stones to which one more can be added to make five in a row;
/// * a *straight four* is an unbroken row of four to which that can be done at either end;
/// * a *three* is three stones to which one more can be added to make a straight four, "without at
///   the same time a five in a row is made" and by a stone that is itself legal.
#[must_use]
pub fn foul(rule: RuleKind, grid: &Grid, colour: Colour, point: Point) -> FoulKinds {
    if rule == RuleKind::Renju && colour == Colour::Black {
        black_foul(grid, point)
    } else {
        FoulKinds::NONE
    }
}

fn black_foul(grid: &Grid, point: Point) -> FoulKinds {
    let mut kinds = FoulKinds::NONE;
    if makes_black_five(grid, point) {
        return kinds;
    }
    let after = with_stone(grid, Colour::Black, point);
    let rows = Direction::ALL.map(|direction| row(&after, Colour::Black, point, direction).length);
    if rows.into_iter().any(|length| length > 5) {
        kinds = kinds.with(FoulKind::Overline);
    }
    let fours: usize = Direction::ALL
        .into_iter()
        .map(|direction| black_fours(&after, point, direction))
        .sum();
    if fours >= 2 {
        kinds = kinds.with(FoulKind::DoubleFour);
    }
    let threes = Direction::ALL
        .into_iter()
        .filter(|&direction| is_black_three(&after, point, direction))
        .count();
    if threes >= 2 {
        kinds = kinds.with(FoulKind::DoubleThree);
    }
    kinds
}

/// Whether a black stone on the empty `point` makes a row of exactly five.
fn makes_black_five(grid: &Grid, point: Point) -> bool {
    let after = with_stone(grid, Colour::Black, point);
    Direction::ALL
        .into_iter()
        .any(|direction| row(&after, Colour::Black, point, direction).length == 5)
}

/// The number of fours in `direction` that the black stone on `point` belongs to.
///
/// Looks at every line of five cells through the point. Where four are black and the fifth is empty
/// and would make exactly five, those four stones are a four. A straight four is found twice, once
/// from each end, but it is one four: the same four stones.
fn black_fours(grid: &Grid, point: Point, direction: Direction) -> usize {
    let mut fours: Vec<Vec<Point>> = Vec::new();
    for first in -4..=0 {
        let Some(line) = (first..first + 5)
            .map(|steps| step(grid, point, direction, steps))
            .collect::<Option<Vec<Point>>>()
        else {
            continue;
        };
        let (stones, others): (Vec<Point>, Vec<Point>) = line
            .into_iter()
            .partition(|&cell| grid.get(cell) == Some(Cell::Stone(Colour::Black)));
        let [missing] = others[..] else { continue };
        if grid.get(missing) != Some(Cell::Empty) {
            continue;
        }
        let filled = with_stone(grid, Colour::Black, missing);
        let makes_five = row(&filled, Colour::Black, missing, direction).length == 5;
        if makes_five && !fours.contains(&stones) {
            fours.push(stones);
        }
    }
    fours.len()
}

/// Whether the black stone on `point` belongs to a three in `direction`: some legal stone that does
/// not make five turns it into a straight four.
///
/// One line cannot hold two threes through the same stone, so nobody needs to count them.
fn is_black_three(grid: &Grid, point: Point, direction: Direction) -> bool {
    // The stone to add is one of the four in a row, so at most three steps away.
    (-3..=3)
        .filter_map(|steps| step(grid, point, direction, steps))
        .filter(|&next| grid.get(next) == Some(Cell::Empty))
        .any(|next| {
            let after = with_stone(grid, Colour::Black, next);
            is_straight_black_four(&after, point, direction)
                && is_same_row(&after, point, next, direction)
                && !makes_black_five(grid, next)
                && black_foul(grid, next).is_empty()
        })
}

/// Whether the black stone on `point` belongs to an unbroken row of four in `direction` that a stone
/// on either end makes exactly five.
fn is_straight_black_four(grid: &Grid, point: Point, direction: Direction) -> bool {
    let four = row(grid, Colour::Black, point, direction);
    four.length == 4
        && four.ends.into_iter().all(|end| {
            end.is_some_and(|end| {
                grid.get(end) == Some(Cell::Empty) && {
                    let after = with_stone(grid, Colour::Black, end);
                    row(&after, Colour::Black, end, direction).length == 5
                }
            })
        })
}

/// Whether the black stones on `a` and `b` belong to one unbroken row in `direction`.
fn is_same_row(grid: &Grid, a: Point, b: Point, direction: Direction) -> bool {
    let ends = |point| row(grid, Colour::Black, point, direction).ends;
    ends(a) == ends(b)
}

/// Whether the row of `colour` through its stone on `point` in `direction` wins.
fn row_wins(
    rule: RuleKind,
    grid: &Grid,
    colour: Colour,
    point: Point,
    direction: Direction,
) -> bool {
    let row = row(grid, colour, point, direction);
    let opponent = match colour {
        Colour::Black => Colour::White,
        Colour::White => Colour::Black,
    };
    // Only opponent stones close a row: not the edge, not a dead stone.
    let closed = row
        .ends
        .into_iter()
        .all(|end| end.and_then(|end| grid.get(end)) == Some(Cell::Stone(opponent)));
    match (rule, colour) {
        (RuleKind::Freestyle, _) | (RuleKind::Renju, Colour::White) => row.length >= 5,
        (RuleKind::Standard, _) | (RuleKind::Renju, Colour::Black) => row.length == 5,
        (RuleKind::Caro, _) => row.length >= 6 || (row.length == 5 && !closed),
        (RuleKind::CaroExact, _) => row.length == 5 && !closed,
    }
}

/// An unbroken row of stones of one colour.
struct Row {
    /// Number of stones.
    length: usize,
    /// The cells just beyond its two ends; `None` where the board ends.
    ends: [Option<Point>; 2],
}

/// The row of `colour` through its stone on `point` in `direction`.
fn row(grid: &Grid, colour: Colour, point: Point, direction: Direction) -> Row {
    let mut length = 1;
    let ends = [-1, 1].map(|sign| {
        let mut steps = sign;
        loop {
            let cell = step(grid, point, direction, steps)?;
            if grid.get(cell) != Some(Cell::Stone(colour)) {
                return Some(cell);
            }
            length += 1;
            steps += sign;
        }
    });
    Row { length, ends }
}

/// The cell `steps` away from `point` in `direction`; `None` outside the board.
fn step(grid: &Grid, point: Point, direction: Direction, steps: i32) -> Option<Point> {
    let (dx, dy) = match direction {
        Direction::Horizontal => (1, 0),
        Direction::Vertical => (0, 1),
        Direction::Diagonal => (1, 1),
        Direction::AntiDiagonal => (1, -1),
    };
    let x = i32::from(point.x()) + dx * steps;
    let y = i32::from(point.y()) + dy * steps;
    grid.size().point(x.into(), y.into())
}

/// The board with a stone of `colour` on `point`.
fn with_stone(grid: &Grid, colour: Colour, point: Point) -> Grid {
    let mut after = grid.clone();
    after.set(point, Cell::Stone(colour));
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who wins with a stone of Black on the `+` of a row drawn on an otherwise empty board.
    fn winning_rules(drawn: &str) -> Vec<u8> {
        let width = drawn.len();
        let rows: Vec<String> = (0..width.clamp(5, 22))
            .map(|y| {
                if y == 2 {
                    drawn.replace('+', ".")
                } else {
                    ".".repeat(width)
                }
            })
            .collect();
        let grid = Grid::from_rows(rows.iter().map(String::as_str)).expect("a drawn board");
        let x = u8::try_from(drawn.find('+').expect("a point")).expect("a small board");
        RuleKind::ALL
            .into_iter()
            .filter(|&rule| wins(rule, &grid, Colour::Black, Point::new(x, 2)))
            .map(RuleKind::code)
            .collect()
    }

    /// The table of rows in the protocol's section on winning lines.
    #[test]
    fn rows_win_under_the_right_rules() {
        assert_eq!(winning_rules("...XX+XX..."), [0, 1, 4, 8, 9]);
        assert_eq!(winning_rules("..OXX+XX..."), [0, 1, 4, 8, 9]);
        assert_eq!(winning_rules("..OXX+XXO.."), [0, 1, 4]);
        assert_eq!(winning_rules("XX+XXO.."), [0, 1, 4, 8, 9]);
        assert_eq!(winning_rules("XX+XX"), [0, 1, 4, 8, 9]);
        assert_eq!(winning_rules("..#XX+XXO.."), [0, 1, 4, 8, 9]);
        assert_eq!(winning_rules("...XX+XXX.."), [0, 8]);
        assert_eq!(winning_rules("..OXX+XXXO."), [0, 8]);
        assert_eq!(winning_rules("...XX+X...."), [] as [u8; 0]);
    }

    #[test]
    fn white_wins_with_six_in_renju() {
        let mut rows = ["..........."; 11];
        rows[5] = "..OOO.OO...";
        let grid = Grid::from_rows(rows).expect("a drawn board");
        let point = Point::new(5, 5);
        assert!(wins(RuleKind::Renju, &grid, Colour::White, point));
        assert!(!wins(RuleKind::Standard, &grid, Colour::White, point));
        let after = with_stone(&grid, Colour::White, point);
        assert!(has_won(RuleKind::Renju, &after, Colour::White));
        assert!(!has_won(RuleKind::Standard, &after, Colour::White));
        assert!(!has_won(RuleKind::Renju, &after, Colour::Black));
        assert_eq!(five_points(RuleKind::Renju, &grid, Colour::White), [point]);
    }

    /// Two fours in one line, in the three shapes that exist.
    #[test]
    fn two_fours_in_one_line_are_a_foul() {
        for drawn in ["..XXX.+.XXX....", "..X.X+X.X......", "..XX.+X.XX....."] {
            let mut rows = vec![".".repeat(15); 15];
            rows[7] = drawn.replace('+', ".");
            let grid = Grid::from_rows(rows.iter().map(String::as_str)).expect("a drawn board");
            let x = u8::try_from(drawn.find('+').expect("a point")).expect("small");
            let point = Point::new(x, 7);
            assert_eq!(
                foul(RuleKind::Renju, &grid, Colour::Black, point),
                FoulKinds::NONE.with(FoulKind::DoubleFour),
                "{drawn}"
            );
            assert!(foul(RuleKind::Renju, &grid, Colour::White, point).is_empty());
            assert!(foul(RuleKind::Freestyle, &grid, Colour::Black, point).is_empty());
        }
    }
}
