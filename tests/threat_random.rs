//! The threat solvers against brute force and against the checker, on random positions of every rule.

mod common;

use std::collections::HashMap;

use quincunx::board::{Board, NoObserver};
use quincunx::movegen::is_legal;
use quincunx::rule::{RuleKind, oracle};
use quincunx::threat::vcf::{self, Vcf};
use quincunx::threat::vct::{self, Vct};
use quincunx::threat::{Limits, Proof, check};
use quincunx::types::{Cell, Colour, Grid, Point, Size, SplitMix64, Symmetry};

/// Wins by continuous fours, found by trying every move and every reply on bare stones.
struct Naive {
    rule: RuleKind,
    attacker: Colour,
    known: HashMap<u64, bool>,
}

impl Naive {
    fn new(rule: RuleKind, attacker: Colour) -> Self {
        Self {
            rule,
            attacker,
            known: HashMap::new(),
        }
    }

    fn is_legal(&self, grid: &Grid, colour: Colour, point: Point) -> bool {
        oracle::foul(self.rule, grid, colour, point).is_empty()
    }

    fn has_five(&self, grid: &Grid, colour: Colour) -> bool {
        grid.points_of(Cell::Empty)
            .any(|point| oracle::wins(self.rule, grid, colour, point))
    }

    fn wins(&mut self, grid: &Grid) -> bool {
        if self.has_five(grid, self.attacker) {
            return true;
        }
        let key = check::position_key(grid, self.attacker);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let moves: Vec<Point> = grid.points_of(Cell::Empty).collect();
        let wins = moves.into_iter().any(|point| {
            let four = with(grid, self.attacker, point);
            self.has_five(&four, self.attacker)
                && !self.has_five(&four, !self.attacker)
                && self.is_legal(grid, self.attacker, point)
                && self.holds_against_all(&four)
        });
        self.known.insert(key, wins);
        wins
    }

    fn holds_against_all(&mut self, four: &Grid) -> bool {
        let replies: Vec<Point> = four.points_of(Cell::Empty).collect();
        replies.into_iter().all(|reply| {
            let after = with(four, !self.attacker, reply);
            self.has_five(&after, self.attacker)
                || !self.is_legal(four, !self.attacker, reply)
                || self.wins(&after)
        })
    }
}

fn with(grid: &Grid, colour: Colour, point: Point) -> Grid {
    let mut grid = grid.clone();
    grid.set(point, Cell::Stone(colour));
    grid
}

/// A crowded small board on which nobody has won.
fn small_grid(rng: &mut SplitMix64, rule: RuleKind) -> Grid {
    loop {
        let mut extent = || u8::try_from(5 + rng.below(4)).expect("small");
        let size = Size::new(extent(), extent()).expect("in range");
        let stones = 30 + rng.below(35);
        let black = 35 + rng.below(31);
        let walls = if rng.below(4) == 0 { 8 } else { 0 };
        let grid = common::random_grid(rng, size, stones, black, walls);
        if !Colour::ALL
            .into_iter()
            .any(|colour| oracle::has_won(rule, &grid, colour))
        {
            return grid;
        }
    }
}

/// A position of a game in which both sides play at random near the stones.
fn played_grid(rng: &mut SplitMix64, rule: RuleKind) -> Grid {
    let sizes = [15, 15, 15, 20, 11];
    loop {
        let mut board = Board::new(Size::square(sizes[rng.below(5)]), rule);
        let plies = 8 + rng.below(30);
        while board.ply() < plies {
            let candidates: Vec<Point> = board.candidates().iter().collect();
            let point = candidates[rng.below(candidates.len())];
            let side = board.side();
            if is_legal(&mut board, point, side) {
                board.play(point, &mut NoObserver);
            }
        }
        let grid = board.to_grid();
        if !Colour::ALL
            .into_iter()
            .any(|colour| oracle::has_won(rule, &grid, colour))
        {
            return grid;
        }
    }
}

/// No win is missed and none is claimed that is not there, on small boards of every rule.
#[test]
fn wins_by_fours_equal_brute_force() {
    let mut rng = SplitMix64::new(0x4F4F_0001);
    for rule in RuleKind::ALL {
        let mut vcf = Vcf::new(12);
        let (mut won, mut lost, mut long) = (0, 0, 0);
        while won < 500 || lost < 500 {
            let grid = small_grid(&mut rng, rule);
            let attacker = Colour::ALL[rng.below(2)];
            let mut board = Board::from_grid(&grid, rule, attacker);
            let expected = Naive::new(rule, attacker).wins(&grid);
            match vcf.solve_within(&mut board, &Limits::NONE) {
                vcf::Verdict::Win(line) => {
                    assert!(expected, "{rule}, {attacker:?}: {line:?} in\n{grid}");
                    let mut proof = Proof::default();
                    let moves = vcf.explain(&mut board, &line, &mut proof);
                    let confirmed = check::check_proof(rule, &grid, attacker, &proof)
                        .unwrap_or_else(|fault| panic!("{rule}, {attacker:?}: {fault}\n{grid}"));
                    assert_eq!(Some(confirmed.moves), moves, "{rule}\n{grid}");
                    won += 1;
                    long += usize::from(line.len() > 5);
                }
                vcf::Verdict::NoWin => {
                    assert!(!expected, "{rule}, {attacker:?}: missed in\n{grid}");
                    lost += 1;
                }
                vcf::Verdict::Unknown => panic!("no limit was set"),
            }
            assert_eq!(board.to_grid(), grid);
        }
        assert!(long > 20, "{rule}: {long} wins of more than three moves");
    }
}

/// After a reply that is not among the refutations, the win by fours is still there.
#[test]
fn other_replies_do_not_refute() {
    let mut rng = SplitMix64::new(0x4F4F_0002);
    for rule in RuleKind::ALL {
        let mut vcf = Vcf::new(12);
        let (mut threats, mut others, mut spared) = (0, 0, 0);
        while threats < 100 {
            let grid = small_grid(&mut rng, rule);
            let defender = Colour::ALL[rng.below(2)];
            let mut board = Board::from_grid(&grid, rule, defender);
            let Some(zone) = vcf.refutations(&mut board, &Limits::NONE) else {
                continue;
            };
            assert_eq!(board.to_grid(), grid);
            assert_eq!(board.side(), defender);
            threats += 1;
            let mut naive = Naive::new(rule, !defender);
            for reply in board.empty() {
                let after = with(&grid, defender, reply);
                let wins = !oracle::has_won(rule, &after, defender) && naive.wins(&after);
                if zone.contains(reply) {
                    spared += usize::from(!wins);
                } else {
                    assert!(wins, "{rule}, {defender:?} at {reply} in\n{grid}");
                    others += 1;
                }
            }
        }
        // Both kinds of replies were seen.
        assert!(others > 300, "{rule}: {others} {spared}");
        assert!(spared > 100, "{rule}: {others} {spared}");
    }
}

/// Plays out every claim of the VCT solver. Returns whether it claimed a win, and one with a move that is no four.
fn check_claim(vct: &mut Vct, rule: RuleKind, grid: &Grid, side: Colour, nodes: u64) -> [bool; 2] {
    let mut board = Board::from_grid(grid, rule, side);
    vct.clear();
    let verdict = vct.solve(&mut board, &Limits::nodes(nodes));
    assert_eq!(board.to_grid(), *grid);
    board.validate();
    let vct::Verdict::Win(win) = verdict else {
        return [false; 2];
    };
    match check::check_proof(rule, grid, side, &win.proof) {
        Ok(confirmed) => {
            assert_eq!(confirmed.moves, win.moves, "{rule}, {side:?}\n{grid}");
            assert_eq!(
                win.line.len().div_ceil(2),
                usize::try_from(win.moves).expect("short"),
                "{rule}, {side:?} {:?}\n{grid}",
                win.line
            );
        }
        Err(fault) => panic!("{rule}, {side:?}: {:?}: {fault}\n{grid}", win.line),
    }
    [true, !win.proof.answers.is_empty()]
}

#[test]
fn claims_on_crowded_boards_hold() {
    let mut rng = SplitMix64::new(0x4F4F_0003);
    for rule in RuleKind::ALL {
        let mut vct = Vct::new(1 << 20);
        let mut quiet = 0;
        while quiet < 50 {
            let grid = small_grid(&mut rng, rule);
            let side = Colour::ALL[rng.below(2)];
            let [_, with_quiet] = check_claim(&mut vct, rule, &grid, side, 5_000);
            quiet += usize::from(with_quiet);
        }
    }
}

#[test]
fn claims_in_played_positions_hold() {
    let mut rng = SplitMix64::new(0x4F4F_0004);
    let mut vct = Vct::new(1 << 20);
    let (mut wins, mut quiet) = (0, 0);
    for i in 0..400 {
        let rule = RuleKind::ALL[i % RuleKind::ALL.len()];
        let grid = played_grid(&mut rng, rule).transformed(Symmetry::ALL[i % 8]);
        let side = Colour::ALL[rng.below(2)];
        let [won, with_quiet] = check_claim(&mut vct, rule, &grid, side, 5_000);
        wins += usize::from(won);
        quiet += usize::from(with_quiet);
    }
    assert!(
        wins > 100 && quiet > 15,
        "{wins} wins, {quiet} with a quiet move"
    );
}
