//! The foul test (tables, then play and recurse) against the oracle on random cells.

mod common;

use quincunx::board::Board;
use quincunx::foul;
use quincunx::rule::{FoulKind, RuleKind, oracle};
use quincunx::types::{Colour, Grid, SplitMix64};

/// How many cells were compared, how many were foul for each kind, and how many apparent
/// double-threes turned out to be legal.
#[derive(Default, Debug)]
struct Tally {
    cells: usize,
    kinds: [usize; 3],
    cleared: usize,
}

/// Compares every empty cell of `grid`.
fn compare(grid: &Grid, tally: &mut Tally) {
    let mut board = Board::from_grid(grid, RuleKind::Renju, Colour::Black);
    let before = board.clone();
    let empty = *board.empty();
    for point in &empty {
        let expected = oracle::foul(RuleKind::Renju, grid, Colour::Black, point);
        let found = foul::kinds(&mut board, point);
        assert_eq!(found, expected, "{point} of\n{grid}");
        assert_eq!(
            foul::is_foul(&mut board, point),
            !expected.is_empty(),
            "{point} of\n{grid}"
        );
        tally.cells += 1;
        for (count, kind) in tally.kinds.iter_mut().zip(FoulKind::ALL) {
            *count += usize::from(expected.contains(kind));
        }
        let threes = board
            .key(point, Colour::Black)
            .classes()
            .iter()
            .filter(|class| class.is_three())
            .count();
        tally.cleared += usize::from(threes >= 2 && expected.is_empty());
    }
    assert_eq!(board.hash(), before.hash());
    board.validate();
}

#[test]
fn random_cells_equal_the_oracle() {
    let mut rng = SplitMix64::new(0x0F0F_2024);
    let mut tally = Tally::default();
    while tally.cells < 500_000 {
        let size = common::random_size(&mut rng);
        // From nearly empty to crowded; from even colours to Black almost alone, which is what
        // makes threes and nested double-threes frequent.
        let spread = [25, 60][rng.below(2)];
        let stones = 5 + rng.below(spread);
        let black = 40 + rng.below(61);
        let walls = if rng.below(4) == 0 { 8 } else { 0 };
        let grid = common::random_grid(&mut rng, size, stones, black, walls);
        compare(&grid, &mut tally);
    }
    // The comparison is worth something only where there was something to get wrong.
    assert!(tally.kinds.iter().all(|&count| count > 2_500), "{tally:?}");
    assert!(tally.cleared > 1_500, "{tally:?}");
}
