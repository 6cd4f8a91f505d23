//! Properties of the incremental board over random runs of moves.

mod common;

use proptest::prelude::*;
use proptest::sample::Index;

use quincunx::board::{Board, NoObserver, Observer};
use quincunx::pattern::{Class, Key, Threat};
use quincunx::rule::RuleKind;
use quincunx::types::{ByColour, Colour, Direction, GRID, Grid, Point, Size, SplitMix64, Symmetry};

/// One step of a run. Steps that do not apply (undo at the start, a move on a full board) are
/// skipped.
#[derive(Clone, Debug)]
enum Step {
    /// The side to move plays on one of the empty points.
    Play(Index),
    /// A stone of the side that is not to move, without changing the turn.
    Place(Index),
    Pass,
    Undo,
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => any::<Index>().prop_map(Step::Play),
        1 => any::<Index>().prop_map(Step::Place),
        1 => Just(Step::Pass),
        4 => Just(Step::Undo),
    ];
    prop::collection::vec(step, 1..most)
}

fn sizes() -> impl Strategy<Value = Size> {
    (5u8..=22, 5u8..=22, any::<bool>()).prop_map(|(width, height, square)| {
        Size::new(width, if square { width } else { height }).expect("in range")
    })
}

fn rules() -> impl Strategy<Value = RuleKind> {
    prop::sample::select(RuleKind::ALL.to_vec())
}

/// An empty point of the board; stones gather where others are, so that lines form.
fn choose(board: &Board, index: Index) -> Option<Point> {
    let near: Vec<Point> = board.candidates().iter().collect();
    let all: Vec<Point> = board.empty().iter().collect();
    let from = if near.is_empty() || index.index(8) == 0 {
        all
    } else {
        near
    };
    (!from.is_empty()).then(|| *index.get(&from))
}

/// Everything a board shows of itself, for comparison.
fn picture(board: &Board) -> impl PartialEq + std::fmt::Debug + use<> {
    let facts: Vec<(Point, [Key; 2], [Threat; 2])> = board
        .empty()
        .iter()
        .map(|point| {
            (
                point,
                Colour::ALL.map(|colour| board.key(point, colour)),
                Colour::ALL.map(|colour| board.threat(point, colour)),
            )
        })
        .collect();
    let sets = Colour::ALL.map(|colour| {
        Threat::ALL.map(|threat| {
            (
                *board.points_with(colour, threat),
                board.count(colour, threat),
            )
        })
    });
    (
        (board.to_grid(), board.side(), board.hash()),
        (board.ply(), board.moves().collect::<Vec<_>>()),
        (facts, sets, board.candidates()),
        Colour::ALL.map(|colour| *board.stones(colour)),
    )
}

/// Keys as the events tell them.
struct Mirror {
    keys: Vec<[Key; 2]>,
    filled: Option<Point>,
}

impl Mirror {
    fn of(board: &Board) -> Self {
        let mut keys = vec![[Key::default(); 2]; GRID];
        for point in board.empty() {
            keys[point.index()] = Colour::ALL.map(|colour| board.key(point, colour));
        }
        Self { keys, filled: None }
    }

    fn assert_equals(&self, board: &Board) {
        for point in board.empty() {
            let keys = Colour::ALL.map(|colour| board.key(point, colour));
            assert_eq!(self.keys[point.index()], keys, "{point}");
        }
    }
}

impl Observer for Mirror {
    fn changed(&mut self, point: Point, colour: Colour, old: Key, new: Key) {
        let key = &mut self.keys[point.index()][colour.index()];
        assert_eq!(*key, old, "old key of {point} for {colour:?}");
        assert_ne!(self.filled, Some(point), "a filled point has no key");
        *key = new;
    }

    fn filled(&mut self, point: Point, keys: ByColour<Key>) {
        assert_eq!(self.keys[point.index()], keys.0, "keys of {point}");
        self.filled = Some(point);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// After every step the board equals one rebuilt from the bare stones, and taking back gives
    /// exactly the board of before.
    #[test]
    fn runs_keep_every_promise(
        size in sizes(),
        rule in rules(),
        walls in prop::collection::vec(any::<Index>(), 0..6),
        steps in steps(60),
    ) {
        let mut board = Board::new(size, rule);
        for index in walls {
            let empty: Vec<Point> = board.empty().iter().collect();
            board.add_wall(*index.get(&empty));
        }
        board.validate();
        let mut before = Vec::new();
        for step in steps {
            match step {
                Step::Play(index) => {
                    let Some(point) = choose(&board, index) else { continue };
                    before.push(picture(&board));
                    let side = board.side();
                    board.play(point, &mut NoObserver);
                    prop_assert!(board.is_stone(point, side));
                    prop_assert_eq!(board.side(), !side);
                    prop_assert_eq!(board.last_move(), Some(point));
                }
                Step::Place(index) => {
                    let Some(point) = choose(&board, index) else { continue };
                    before.push(picture(&board));
                    let side = board.side();
                    board.place(point, !side);
                    prop_assert!(board.is_stone(point, !side));
                    prop_assert_eq!(board.side(), side);
                }
                Step::Pass => {
                    before.push(picture(&board));
                    board.pass();
                    prop_assert_eq!(board.last_move(), None);
                }
                Step::Undo => {
                    let Some(picture_before) = before.pop() else { continue };
                    board.undo();
                    prop_assert!(picture(&board) == picture_before, "undo left a trace");
                }
            }
            prop_assert_eq!(board.ply(), before.len());
            board.validate();
        }
        while let Some(picture_before) = before.pop() {
            board.undo();
            prop_assert!(picture(&board) == picture_before, "undo left a trace");
        }
    }

    /// The order in which stones came does not matter, walls included.
    #[test]
    fn order_of_moves_leaves_no_trace(
        size in sizes(),
        rule in rules(),
        seed in any::<u64>(),
    ) {
        let mut rng = SplitMix64::new(seed);
        let grid = common::random_grid(&mut rng, size, 30, 50, 5);
        let mut stones: Vec<(Point, Colour)> = Colour::ALL
            .into_iter()
            .flat_map(|colour| {
                grid.points_of(quincunx::types::Cell::Stone(colour))
                    .map(move |point| (point, colour))
                    .collect::<Vec<_>>()
            })
            .collect();
        for i in (1..stones.len()).rev() {
            stones.swap(i, rng.below(i + 1));
        }
        let mut board = Board::new(size, rule);
        for point in grid.points_of(quincunx::types::Cell::Wall) {
            board.add_wall(point);
        }
        for &(point, colour) in &stones {
            board.place(point, colour);
        }
        board.set_side(Colour::White);
        let fresh = Board::from_grid(&grid, rule, Colour::White);
        prop_assert_eq!(board.hash(), fresh.hash());
        for point in fresh.empty() {
            for colour in Colour::ALL {
                prop_assert_eq!(board.key(point, colour), fresh.key(point, colour));
            }
        }
        board.set_side(Colour::Black);
        prop_assert!(board.hash() != fresh.hash(), "the side to move is part of the key");
    }

    /// An observer that only listens knows every key.
    #[test]
    fn observers_hear_of_every_change(
        size in sizes(),
        rule in rules(),
        moves in prop::collection::vec(any::<Index>(), 1..60),
    ) {
        let mut board = Board::new(size, rule);
        let mut mirror = Mirror::of(&board);
        for index in moves {
            let Some(point) = choose(&board, index) else { break };
            mirror.filled = None;
            board.play(point, &mut mirror);
            prop_assert_eq!(mirror.filled, Some(point));
            mirror.assert_equals(&board);
        }
    }

    /// The image of a position has the images of all classes, and with colours swapped each side has
    /// the other's, except in renju, where Black and White differ.
    #[test]
    fn symmetric_positions_have_symmetric_classes(
        size in sizes(),
        rule in rules(),
        seed in any::<u64>(),
        stones in 5usize..60,
    ) {
        let mut rng = SplitMix64::new(seed);
        let grid = common::random_grid(&mut rng, size, stones, 50, 4);
        let board = Board::from_grid(&grid, rule, Colour::Black);
        for symmetry in Symmetry::ALL {
            let image = Board::from_grid(&grid.transformed(symmetry), rule, Colour::Black);
            for point in board.empty() {
                for direction in Direction::ALL {
                    let (image_point, image_direction) = image_of(symmetry, size, point, direction);
                    for colour in Colour::ALL {
                        let class = board.key(point, colour).class(direction);
                        let image_class = image.key(image_point, colour).class(image_direction);
                        prop_assert_eq!(class, image_class, "{} {:?}\n{}", point, direction, grid);
                    }
                }
                for colour in Colour::ALL {
                    let image_point = symmetry.apply(point, size);
                    prop_assert_eq!(board.threat(point, colour), image.threat(image_point, colour));
                }
            }
        }
        if rule != RuleKind::Renju {
            let swapped = Board::from_grid(&grid.colours_swapped(), rule, Colour::Black);
            for point in board.empty() {
                for colour in Colour::ALL {
                    prop_assert_eq!(board.key(point, colour), swapped.key(point, !colour));
                    prop_assert_eq!(board.threat(point, colour), swapped.threat(point, !colour));
                }
            }
        }
    }
}

/// Looking ahead gives the classes that playing gives, on every line and for either colour.
#[test]
fn looking_ahead_equals_playing() {
    let mut rng = SplitMix64::new(0xA4EAD);
    let mut compared = 0;
    for rule in RuleKind::ALL {
        for _ in 0..20 {
            let size = common::random_size(&mut rng);
            let grid = common::random_grid(&mut rng, size, 30, 50, 4);
            let mut board = Board::from_grid(&grid, rule, Colour::Black);
            let empty = *board.empty();
            for point in &empty {
                for direction in Direction::ALL {
                    for steps in (-5..=5).filter(|&steps| steps != 0) {
                        let at = point.offset(direction, steps);
                        if !board.is_empty(at) {
                            continue;
                        }
                        for stone in Colour::ALL {
                            let pair = board.class_pair_after(point, direction, at, stone);
                            board.place(at, stone);
                            for (colour, shift) in [(Colour::Black, 0), (Colour::White, 4)] {
                                let class = Class::from_index(pair >> shift & 15);
                                assert_eq!(board.key(point, colour).class(direction), class);
                                compared += 1;
                            }
                            board.undo();
                        }
                    }
                }
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// Where `point` goes, and the direction that lines in `direction` then have.
fn image_of(
    symmetry: Symmetry,
    size: Size,
    point: Point,
    direction: Direction,
) -> (Point, Direction) {
    // Follow a step along the line from a cell that has a neighbour there.
    let (dx, dy) = direction.step();
    let start = (0..i32::from(size.width()))
        .flat_map(|x| (0..i32::from(size.height())).map(move |y| (x, y)))
        .find(|&(x, y)| size.point((x + dx).into(), (y + dy).into()).is_some())
        .expect("boards are at least five wide");
    let at = |x: i32, y: i32| size.point(x.into(), y.into()).expect("on the board");
    let a = symmetry.apply(at(start.0, start.1), size);
    let b = symmetry.apply(at(start.0 + dx, start.1 + dy), size);
    let step = (
        i32::from(b.x()) - i32::from(a.x()),
        i32::from(b.y()) - i32::from(a.y()),
    );
    let image = Direction::ALL
        .into_iter()
        .find(|other| other.step() == step || other.step() == (-step.0, -step.1))
        .expect("neighbours stay neighbours");
    (symmetry.apply(point, size), image)
}

/// Taking back on a copy leaves the original alone.
#[test]
fn clones_are_independent() {
    let mut board = Board::new(Size::square(15), RuleKind::Renju);
    let mut rng = SplitMix64::new(1);
    for _ in 0..40 {
        let empty: Vec<Point> = board.empty().iter().collect();
        board.play(empty[rng.below(empty.len())], &mut NoObserver);
    }
    let kept = picture(&board);
    let mut copy = board.clone();
    for _ in 0..20 {
        copy.undo();
        copy.validate();
    }
    assert!(picture(&board) == kept);
    assert!(picture(&copy) != kept);
}

/// A full board has no empty point, no candidates and no threats, and everything comes back.
#[test]
fn a_full_board_empties_again() {
    for rule in RuleKind::ALL {
        let mut board = Board::new(Size::new(6, 5).expect("in range"), rule);
        let start = picture(&board);
        let mut moves = 0;
        while let Some(point) = board.empty().first() {
            board.play(point, &mut NoObserver);
            moves += 1;
        }
        assert_eq!(moves, 30);
        board.validate();
        assert!(board.candidates().is_empty());
        for colour in Colour::ALL {
            assert!(board.counts(colour).iter().all(|&count| count == 0));
        }
        for _ in 0..moves {
            board.undo();
        }
        assert!(picture(&board) == start);
    }
}

/// Drawn shapes give the classes that the documentation of [`Class`] shows.
#[test]
fn drawn_shapes_have_their_classes() {
    let cases = [
        (RuleKind::Freestyle, "-XXxXX-", Class::Five),
        (RuleKind::Freestyle, "XXXxXXX", Class::Five),
        (RuleKind::Standard, "XXxXXX-", Class::Overline),
        (RuleKind::Freestyle, "-XXXx--", Class::OpenFour),
        (RuleKind::Freestyle, "OXXXx--", Class::Four),
        (RuleKind::Freestyle, "-XX-Xx-", Class::Four),
        (RuleKind::Renju, "XXX-x-XXX", Class::DoubleFour),
        (RuleKind::Freestyle, "XXX-x-XXX", Class::OpenFour),
        (RuleKind::Freestyle, "O-XXXx-O", Class::OpenFour),
        (RuleKind::Caro, "O-XXXx-O", Class::Four),
        (RuleKind::CaroExact, "O-XXXx-O", Class::Four),
        (RuleKind::Caro, "--XXXx--", Class::OpenFour),
        (RuleKind::Caro, "OXXXXxO", Class::Dead),
        (RuleKind::Caro, "OXXXXxXO", Class::Five),
        (RuleKind::CaroExact, "OXXXXxXO", Class::Overline),
        (RuleKind::Freestyle, "--XXx--", Class::WideOpenThree),
        (RuleKind::Freestyle, "-X-Xx-", Class::OpenThree),
        (RuleKind::Freestyle, "OXXx--", Class::SleepingThree),
        (RuleKind::Freestyle, "----Xx----", Class::FreeOpenTwo),
        (RuleKind::Freestyle, "OXx---", Class::SleepingTwo),
        (RuleKind::Freestyle, "---x---", Class::OpenOne),
        (RuleKind::Freestyle, "O-x---O", Class::SleepingOne),
        (RuleKind::Freestyle, "O-x--O", Class::Dead),
    ];
    for (rule, drawn, class) in cases {
        let width = drawn.len() + 2;
        // Walls around the drawn part, so that nothing else counts.
        let row = format!("#{}#", drawn.replace(['-', 'x'], "."));
        let blank = ".".repeat(width);
        let rows = [&blank, &blank, &row, &blank, &blank];
        let grid = Grid::from_rows(rows.into_iter().map(String::as_str)).expect("a drawn board");
        let x = u8::try_from(drawn.find('x').expect("a point") + 1).expect("small");
        let board = Board::from_grid(&grid, rule, Colour::Black);
        let found = board
            .key(Point::new(x, 2), Colour::Black)
            .class(Direction::Horizontal);
        assert_eq!(found, class, "{rule} {drawn}");
    }
}
