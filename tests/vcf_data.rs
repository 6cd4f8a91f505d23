//! Wins by continuous fours: every known one is found and its line replayed by the oracle; where there is
//! none, none is claimed.

mod common;

use quincunx::board::Board;
use quincunx::record::{Position, parse_moves};
use quincunx::rule::RuleKind;
use quincunx::threat::vcf::{Vcf, Verdict};
use quincunx::threat::{Limits, check};
use quincunx::types::{Colour, Grid, Point, Size, Symmetry};
use serde_json::Value;

/// Bits of the memory of the solver.
const BITS: u32 = 18;

struct Case {
    id: String,
    rule: RuleKind,
    grid: Grid,
    side: Colour,
}

fn case(record: &Value) -> Case {
    let rule = record["rule"].as_str().expect("a rule");
    Case {
        id: record["id"].to_string(),
        rule: RuleKind::ALL
            .into_iter()
            .find(|kind| kind.name() == rule)
            .expect("a known rule"),
        grid: common::grid_of(record),
        side: if record["side"] == "black" {
            Colour::Black
        } else {
            Colour::White
        },
    }
}

impl Case {
    fn board(&self) -> Board {
        Board::from_grid(&self.grid, self.rule, self.side)
    }

    fn transformed(&self, symmetry: Symmetry) -> Self {
        Self {
            id: format!("{} {symmetry:?}", self.id),
            grid: self.grid.transformed(symmetry),
            ..*self
        }
    }

    /// The same with Black and White exchanged, for rules that treat them alike.
    fn colours_swapped(&self) -> Self {
        Self {
            id: format!("{} swapped", self.id),
            grid: self.grid.colours_swapped(),
            side: !self.side,
            ..*self
        }
    }

    /// Solves the case, replays the line, and returns the number of attacker moves.
    fn solve_and_replay(&self, vcf: &mut Vcf, limits: &Limits, shortest: bool) -> Option<usize> {
        let mut board = self.board();
        vcf.clear();
        let verdict = if shortest {
            vcf.solve_shortest(&mut board, limits)
        } else {
            vcf.solve_within(&mut board, limits)
        };
        assert_eq!(board.to_grid(), self.grid, "{}: the board changed", self.id);
        assert_eq!(board.hash(), self.board().hash(), "{}", self.id);
        match verdict {
            Verdict::Win(line) => {
                if let Err(fault) = check::check_line(self.rule, &self.grid, self.side, &line) {
                    panic!("{}: {line:?}: {fault}", self.id);
                }
                Some(line.len().div_ceil(2))
            }
            Verdict::NoWin => None,
            Verdict::Unknown => panic!("{}: limits reached", self.id),
        }
    }
}

#[test]
fn every_known_win_is_found_and_replayed() {
    let records = common::records("vcf");
    assert_eq!(records.len(), 705);
    let mut vcf = Vcf::new(BITS);
    for record in &records {
        let case = case(record);
        let shortest = usize::try_from(record["len"].as_u64().expect("a length")).expect("short");
        let moves = case.solve_and_replay(&mut vcf, &Limits::NONE, false);
        assert!(
            moves.is_some_and(|moves| moves >= shortest),
            "{}: {moves:?} moves, the shortest win takes {shortest}",
            case.id
        );
    }
}

/// Shapes at the edge, in all directions, and both colours where the rule treats them alike.
#[test]
fn wins_do_not_depend_on_orientation_or_colour() {
    let mut vcf = Vcf::new(BITS);
    let (mut images, mut swapped) = (0, 0);
    for record in common::records("vcf").iter().step_by(5) {
        let case = case(record);
        for symmetry in Symmetry::ALL {
            let image = case.transformed(symmetry);
            assert!(
                image
                    .solve_and_replay(&mut vcf, &Limits::NONE, false)
                    .is_some(),
                "{}",
                image.id
            );
            images += 1;
        }
        if case.rule != RuleKind::Renju {
            let image = case.colours_swapped();
            assert!(
                image
                    .solve_and_replay(&mut vcf, &Limits::NONE, false)
                    .is_some(),
                "{}",
                image.id
            );
            swapped += 1;
        }
    }
    assert!(images > 1_000 && swapped > 30, "{images} {swapped}");
}

/// Searched by length, the win has the length that other solvers proved to be the least.
#[test]
fn shortest_wins_are_as_short_as_known() {
    let mut vcf = Vcf::new(BITS);
    let mut count = 0;
    for record in &common::records("vcf") {
        // The longest take minutes in all to prove shortest.
        if record["len"].as_u64() > Some(9) {
            continue;
        }
        let case = case(record);
        let moves = case.solve_and_replay(&mut vcf, &Limits::NONE, true);
        assert_eq!(
            moves.map(|moves| moves as u64),
            record["len"].as_u64(),
            "{}",
            case.id
        );
        // And within one move less there is none.
        let less = Limits {
            moves: u8::try_from(moves.unwrap_or(0) - 1).expect("short"),
            ..Limits::NONE
        };
        assert_eq!(
            case.solve_and_replay(&mut vcf, &less, false),
            None,
            "{}",
            case.id
        );
        count += 1;
    }
    assert!(count > 400, "{count}");
}

#[test]
fn nothing_is_claimed_where_there_is_no_win() {
    let records = common::records("vcf_none");
    assert_eq!(records.len(), 151);
    let mut vcf = Vcf::new(BITS);
    for (i, record) in records.iter().enumerate() {
        let case = case(record);
        assert_eq!(
            case.solve_and_replay(&mut vcf, &Limits::NONE, false),
            None,
            "{}",
            case.id
        );
        if i % 5 == 0 {
            for symmetry in Symmetry::ALL {
                let image = case.transformed(symmetry);
                assert_eq!(
                    image.solve_and_replay(&mut vcf, &Limits::NONE, false),
                    None,
                    "{}",
                    image.id
                );
            }
        }
    }
}

/// The checker itself: a line that was tampered with is refused.
#[test]
fn broken_lines_are_refused() {
    let mut vcf = Vcf::new(BITS);
    let mut refused = 0;
    for record in common::records("vcf").iter().step_by(20) {
        let case = case(record);
        let mut board = case.board();
        let Verdict::Win(line) = vcf.solve_within(&mut board, &Limits::NONE) else {
            panic!("{}: no win", case.id);
        };
        vcf.clear();
        let check = |line: &[Option<_>]| check::check_line(case.rule, &case.grid, case.side, line);
        assert_eq!(check(&line), Ok(()), "{}", case.id);
        let taken = case
            .grid
            .size()
            .points()
            .find(|&point| !board.is_empty(point));
        let free = board
            .empty()
            .iter()
            .find(|point| !line.contains(&Some(*point)));
        for i in 0..line.len() {
            for other in [taken, free, None] {
                let mut broken = line.clone();
                // Where nothing stops the five, there can be another.
                let five = i + 1 == line.len() && i > 0 && line[i - 1].is_none();
                if broken[i] == other || (five && other == free) {
                    continue;
                }
                broken[i] = other;
                assert!(check(&broken).is_err(), "{}: {broken:?}", case.id);
                refused += 1;
            }
            assert!(check(&line[..i]).is_err(), "{}: cut at {i}", case.id);
        }
        let mut longer = line.clone();
        longer.push(free);
        assert!(check(&longer).is_err(), "{}", case.id);
        // The other side has no such line.
        assert!(
            check::check_line(case.rule, &case.grid, !case.side, &line).is_err(),
            "{}",
            case.id
        );
    }
    assert!(refused > 500, "{refused}");
}

/// Limits end a search; a stopped search claims nothing and leaves the board alone.
#[test]
fn limits_and_stop_are_obeyed() {
    let records = common::records("vcf");
    let case = case(records.last().expect("records"));
    let mut vcf = Vcf::new(BITS);
    let mut board = case.board();
    for nodes in [0, 1, 10, 100] {
        let limits = Limits::nodes(nodes);
        assert_eq!(vcf.solve_within(&mut board, &limits), Verdict::Unknown);
        assert_eq!(vcf.nodes(), nodes);
        vcf.clear();
    }
    let asked = std::cell::Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() >= 3
    };
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::NONE
    };
    assert_eq!(vcf.solve_within(&mut board, &limits), Verdict::Unknown);
    assert_eq!(vcf.nodes(), 3 * Limits::STOP_INTERVAL);
    assert_eq!(board.to_grid(), case.grid);
}

/// Under standard rules six in a row are nothing: White's four with a stone beyond the gap threatens no five
/// (H13 makes six), neither for White to win by nor for Black to answer.
#[test]
fn a_four_that_can_only_become_six_is_none() {
    let size = Size::square(15);
    let moves = parse_moves("h8h9i8h10g8h11j13h12g14h14i15", size).expect("a move list");
    let position = Position::from_moves(size, moves).expect("distinct points");
    let mut vcf = Vcf::new(BITS);
    for (rule, wins) in [
        (RuleKind::Freestyle, true),
        (RuleKind::Standard, false),
        (RuleKind::Renju, true),
        (RuleKind::CaroExact, false),
    ] {
        let mut board = position.board(rule);
        assert_eq!(board.side(), Colour::White);
        vcf.clear();
        let verdict = vcf.solve_within(&mut board, &Limits::NONE);
        assert_eq!(
            matches!(verdict, Verdict::Win(_)),
            wins,
            "{rule}: {verdict:?}"
        );
        // Black, to move, wins with its open three where White threatens nothing.
        board.pass();
        vcf.clear();
        let verdict = vcf.solve_within(&mut board, &Limits::NONE);
        assert_eq!(
            matches!(verdict, Verdict::Win(_)),
            !wins,
            "{rule}: {verdict:?}"
        );
        board.undo();
        // So White must answer it, at one of the two points that everybody would look at among others.
        if !wins {
            let zone = vcf
                .refutations(&mut board, &Limits::NONE)
                .expect("a threat");
            for name in ["f8", "j8"] {
                let point = Point::parse(name, size).expect("a point");
                assert!(zone.contains(point), "{rule}: {name}");
            }
        }
    }
}
