//! A walk over all lines of play to a small depth, counting what the rules say on the way.
//!
//! The numbers are checked in: any change of rules, tables, board or foul test that changes an answer
//! anywhere in tens of thousands of positions shows here. To shallower depth the same walk
//! with the oracle gives the same numbers, so they are right and not merely old.

use quincunx::board::{Board, NoObserver};
use quincunx::foul;
use quincunx::pattern::Threat;
use quincunx::rule::{RuleKind, oracle};
use quincunx::types::{Cell, Colour, Grid, Point};

/// Sums over all positions of the walk, the side to move asking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    /// Positions entered.
    positions: u64,
    /// Points that may be played.
    legal: u64,
    /// Points that are forbidden.
    fouls: u64,
    /// Points that win at once.
    fives: u64,
    /// Legal points that do not win but leave a point that does.
    fours: u64,
}

#[expect(
    clippy::similar_names,
    reason = "fouls and fours are the words of the game"
)]
const fn counts(positions: u64, legal: u64, fouls: u64, fives: u64, fours: u64) -> Counts {
    Counts {
        positions,
        legal,
        fouls,
        fives,
        fours,
    }
}

/// Walks by the incremental board. Lines end where somebody wins.
fn walk(board: &mut Board, depth: u32, counts: &mut Counts) {
    counts.positions += 1;
    let side = board.side();
    let restricted = board.rule().has_fouls(side);
    let empty = *board.empty();
    for point in &empty {
        if restricted && foul::is_foul(board, point) {
            counts.fouls += 1;
            continue;
        }
        counts.legal += 1;
        let threat = board.threat(point, side);
        if threat == Threat::Five {
            counts.fives += 1;
            continue;
        }
        // A point that the tables suspect and the foul test clears may make a single four.
        let four = board.key(point, side).classes().iter().any(|c| c.is_four());
        assert!(threat == Threat::Foul || threat.is_four_or_more() == four);
        counts.fours += u64::from(four);
        if depth > 0 {
            board.play(point, &mut NoObserver);
            walk(board, depth - 1, counts);
            board.undo();
        }
    }
}

/// Walks by the oracle, from bare stones.
fn slow_walk(rule: RuleKind, grid: &Grid, side: Colour, depth: u32, counts: &mut Counts) {
    counts.positions += 1;
    let has_five = !oracle::five_points(rule, grid, side).is_empty();
    let empty: Vec<Point> = grid.points_of(Cell::Empty).collect();
    for point in empty {
        if !oracle::foul(rule, grid, side, point).is_empty() {
            counts.fouls += 1;
            continue;
        }
        counts.legal += 1;
        if oracle::wins(rule, grid, side, point) {
            counts.fives += 1;
            continue;
        }
        let mut after = grid.clone();
        after.set(point, Cell::Stone(side));
        let wins_after = oracle::five_points(rule, &after, side);
        // A four is a five made possible by this stone: one on a line with it.
        let makes_four = if has_five {
            wins_after.iter().any(|&win| {
                let mut without = after.clone();
                without.set(point, Cell::Empty);
                let on_line = point.x() == win.x()
                    || point.y() == win.y()
                    || point.x().abs_diff(win.x()) == point.y().abs_diff(win.y());
                on_line && wins_through(rule, &after, side, win, point)
            })
        } else {
            !wins_after.is_empty()
        };
        counts.fours += u64::from(makes_four);
        if depth > 0 {
            slow_walk(rule, &after, !side, depth - 1, counts);
        }
    }
}

/// Whether a stone on `win` wins by a row that also holds the stone on `stone`, both on one line:
/// it still wins when every stone off that line is taken away, and `stone` is in the row.
fn wins_through(rule: RuleKind, grid: &Grid, side: Colour, win: Point, stone: Point) -> bool {
    let dx = (i32::from(stone.x()) - i32::from(win.x())).signum();
    let dy = (i32::from(stone.y()) - i32::from(win.y())).signum();
    let mut line = Grid::new(grid.size());
    for k in -22..=22 {
        let (x, y) = (i32::from(win.x()) + k * dx, i32::from(win.y()) + k * dy);
        if let (Some(point), Some(cell)) = (grid.size().point(x.into(), y.into()), grid.at(x, y)) {
            line.set(point, cell);
        }
    }
    let mut between = 1;
    while between < i32::from(win.distance(stone)) {
        let (x, y) = (
            i32::from(win.x()) + between * dx,
            i32::from(win.y()) + between * dy,
        );
        if grid.at(x, y) != Some(Cell::Stone(side)) {
            return false;
        }
        between += 1;
    }
    oracle::wins(rule, &line, side, win)
}

/// Two positions with play for both sides: a small crowded board, and a fight with many
/// double-threes (`fr2396` of the foul data).
fn positions() -> [Grid; 2] {
    let small = [
        "XX.....", //
        "X.OO..O", "..OX.XO", ".XXO...", ".XO.X..", "..OX...", "..O....",
    ];
    let fight = [
        "...............",
        "...............",
        "...............",
        "...O..O........",
        "....X.O........",
        ".....OX........",
        "....OXO........",
        "....XOOO.......",
        "...OOXXOX......",
        "....XX.........",
        "....XX.........",
        "....XX.........",
        ".....O.........",
        "...............",
        "...............",
    ];
    [&small[..], &fight[..]].map(|rows| Grid::from_rows(rows.iter().copied()).expect("drawn"))
}

fn fast(rule: RuleKind, grid: &Grid, side: Colour, depth: u32) -> Counts {
    let mut board = Board::from_grid(grid, rule, side);
    let mut counts = Counts::default();
    walk(&mut board, depth, &mut counts);
    counts
}

fn slow(rule: RuleKind, grid: &Grid, side: Colour, depth: u32) -> Counts {
    let mut counts = Counts::default();
    slow_walk(rule, grid, side, depth, &mut counts);
    counts
}

#[test]
fn shallow_walks_equal_the_oracle() {
    for rule in RuleKind::ALL {
        for grid in positions() {
            for side in Colour::ALL {
                assert_eq!(
                    fast(rule, &grid, side, 1),
                    slow(rule, &grid, side, 1),
                    "{rule} {side:?}\n{grid}"
                );
            }
        }
    }
}

/// Black to move, small board then fight, three plies then two.
#[test]
fn counts_are_as_checked_in() {
    let [small, fight] = positions();
    let expected = [
        (
            RuleKind::Freestyle,
            counts(25_093, 678_444, 0, 1_676, 60_047),
            counts(39_602, 7_801_795, 0, 1_182, 257_602),
        ),
        (
            RuleKind::Standard,
            counts(25_093, 678_444, 0, 1_676, 57_129),
            counts(39_602, 7_801_795, 0, 1_182, 255_250),
        ),
        (
            RuleKind::Renju,
            counts(25_015, 676_260, 78, 1_670, 59_648),
            counts(38_607, 7_427_960, 177_815, 1_182, 241_279),
        ),
        (
            RuleKind::Caro,
            counts(25_093, 678_444, 0, 1_676, 60_027),
            counts(39_602, 7_801_795, 0, 1_176, 256_412),
        ),
        (
            RuleKind::CaroExact,
            counts(25_093, 678_444, 0, 1_676, 57_109),
            counts(39_602, 7_801_795, 0, 1_176, 254_060),
        ),
    ];
    for (rule, on_small, on_fight) in expected {
        assert_eq!(fast(rule, &small, Colour::Black, 3), on_small, "{rule}");
        assert_eq!(fast(rule, &fight, Colour::Black, 2), on_fight, "{rule}");
    }
}
