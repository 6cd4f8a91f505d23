//! Wins by continuous threats: a good part of the known ones is found within a small budget, and each
//! proof is played out against every legal reply.

mod common;

use quincunx::board::Board;
use quincunx::pattern::Threat;
use quincunx::rule::RuleKind;
use quincunx::threat::vct::{Vct, Verdict};
use quincunx::threat::{Limits, check};
use quincunx::types::{Colour, Grid, Symmetry};
use serde_json::Value;

/// Positions entered for one answer. Given millions, the solver finds nearly all of the file.
const NODES: u64 = 10_000;

fn rule_of(record: &Value) -> RuleKind {
    let name = record["rule"].as_str().expect("a rule");
    RuleKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name)
        .expect("a known rule")
}

fn side_of(record: &Value) -> Colour {
    if record["side"] == "black" {
        Colour::Black
    } else {
        Colour::White
    }
}

/// Whether a win is claimed. A claim that does not hold ends the test.
fn solve_and_check(vct: &mut Vct, rule: RuleKind, grid: &Grid, side: Colour) -> bool {
    let mut board = Board::from_grid(grid, rule, side);
    vct.clear();
    let verdict = vct.solve(&mut board, &Limits::nodes(NODES));
    assert_eq!(board.to_grid(), *grid);
    let Verdict::Win(win) = verdict else {
        return false;
    };
    match check::check_proof(rule, grid, side, &win.proof) {
        Ok(confirmed) => assert_eq!(confirmed.moves, win.moves, "{grid}"),
        Err(fault) => panic!("{:?}: {fault}\n{grid}", win.line),
    }
    true
}

#[test]
fn known_wins_are_found_and_proved() {
    let records = common::records("vct");
    assert_eq!(records.len(), 240);
    let mut vct = Vct::new(1 << 20);
    let mut found = 0;
    for (i, record) in records.iter().enumerate() {
        let symmetry = Symmetry::ALL[i % 8];
        let grid = common::grid_of(record).transformed(symmetry);
        let (rule, side) = (rule_of(record), side_of(record));
        found += usize::from(solve_and_check(&mut vct, rule, &grid, side));
    }
    assert!(found >= 200, "{found}");
}

/// The other side has the right to a claim only if it wins, too.
#[test]
fn claims_for_the_other_side_hold() {
    let mut vct = Vct::new(1 << 20);
    let mut claims = 0;
    for name in ["vct", "vcf_none"] {
        for record in common::records(name).iter().step_by(3) {
            let grid = common::grid_of(record);
            let side = !side_of(record);
            claims += usize::from(solve_and_check(&mut vct, rule_of(record), &grid, side));
        }
    }
    assert!(claims > 10, "{claims}");
}

/// The checker itself: a strategy with an answer missing or changed is refused.
#[test]
fn broken_proofs_are_refused() {
    let mut vct = Vct::new(1 << 20);
    let mut refused = 0;
    for record in common::records("vct").iter().step_by(16) {
        let grid = common::grid_of(record);
        let (rule, side) = (rule_of(record), side_of(record));
        let mut board = Board::from_grid(&grid, rule, side);
        vct.clear();
        let Verdict::Win(win) = vct.solve(&mut board, &Limits::nodes(NODES)) else {
            continue;
        };
        let root = board.hash();
        let first = win.proof.answer(root).expect("an answer at the root");
        let mut broken = win.proof.clone();
        broken.answers.remove(&root);
        broken.fours.remove(&root);
        assert!(check::check_proof(rule, &grid, side, &broken).is_err());
        // The threat behind a quiet first move, forgotten.
        let mut broken = win.proof.clone();
        board.place(first, side);
        if let Some(threat) = broken.fours.remove(&board.hash()) {
            assert!(check::check_proof(rule, &grid, side, &broken).is_err());
            // Or begun elsewhere: on the move itself, which is taken now.
            broken.fours.insert(board.hash(), first);
            assert!(check::check_proof(rule, &grid, side, &broken).is_err());
            broken.fours.insert(board.hash(), threat);
            assert!(check::check_proof(rule, &grid, side, &broken).is_ok());
            refused += 1;
        }
        board.undo();
        // The other side does not win by it, unless it has a five at once.
        if board.count(!side, Threat::Five) == 0 {
            assert!(check::check_proof(rule, &grid, !side, &win.proof).is_err());
        }
    }
    assert!(refused >= 5, "{refused}");
}
