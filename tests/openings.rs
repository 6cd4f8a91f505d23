//! The opening files hold what they promise: playable, undecided, distinct openings.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use quincunx::board::NoObserver;
use quincunx::foul;
use quincunx::pattern::Threat;
use quincunx::record::openings;
use quincunx::rule::RuleKind;
use quincunx::types::{Cell, Colour, Grid, Size, Symmetry};

fn files() -> Vec<(PathBuf, RuleKind, Size)> {
    let mut files: Vec<PathBuf> = fs::read_dir("openings")
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let (rule, width) = stem.split_once('-').expect("rule-size.txt");
            let rule = RuleKind::ALL
                .into_iter()
                .find(|kind| kind.name() == rule)
                .expect("the name of a rule");
            let size = Size::square(width.parse().expect("the side of a board"));
            (path, rule, size)
        })
        .collect()
}

#[test]
fn there_is_a_file_for_each_league() {
    let names: Vec<String> = files()
        .iter()
        .map(|(_, rule, size)| format!("{rule}-{}", size.width()))
        .collect();
    assert_eq!(
        names,
        [
            "caro-15",
            "freestyle-15",
            "freestyle-20",
            "renju-15",
            "standard-15"
        ]
    );
}

#[test]
fn the_first_line_tells_source_and_balance() {
    for (path, rule, size) in files() {
        let text = fs::read_to_string(&path).expect("readable");
        let first = text.lines().next().expect("a line");
        let side = size.width();
        assert!(
            first.starts_with(&format!("# {rule}, {side}x{side}: ")),
            "{first}"
        );
        assert!(first.contains("Balance: "), "{first}");
    }
}

#[test]
fn every_opening_can_be_played_and_decides_nothing() {
    for (path, rule, size) in files() {
        let openings = openings::load(&path, size).expect("every line is an opening");
        assert!(openings.len() >= 40, "{}: too few", path.display());
        for opening in &openings {
            let name = format!("{} {:?}", path.display(), opening.moves());
            assert!((2..=12).contains(&opening.moves().len()), "{name}");
            let mut board = quincunx::board::Board::new(size, rule);
            for &point in opening.moves() {
                let side = board.side();
                assert_ne!(board.threat(point, side), Threat::Five, "{name}: a five");
                if side == Colour::Black {
                    assert!(!foul::is_foul(&mut board, point), "{name}: a foul");
                }
                board.play(point, &mut NoObserver);
            }
            for colour in Colour::ALL {
                assert_eq!(board.count(colour, Threat::Five), 0, "{name}: a four");
            }
        }
    }
}

#[test]
fn no_two_openings_of_a_file_are_images_of_each_other() {
    for (path, _, size) in files() {
        let mut seen = HashSet::new();
        for opening in openings::load(&path, size).expect("every line is an opening") {
            let mut grid = Grid::new(size);
            for (i, &point) in opening.moves().iter().enumerate() {
                grid.set(point, Cell::Stone(Colour::ALL[i % 2]));
            }
            let images = Symmetry::ALL.map(|symmetry| grid.transformed(symmetry).to_string());
            assert!(
                images.iter().all(|image| !seen.contains(image)),
                "{}: {:?}",
                path.display(),
                opening.moves()
            );
            seen.extend(images);
        }
    }
}

#[test]
fn renju_begins_with_the_26_canonical_openings() {
    let size = Size::square(15);
    let (path, ..) = files()
        .into_iter()
        .find(|(_, rule, _)| *rule == RuleKind::Renju)
        .expect("a renju file");
    let openings = openings::load(&path, size).expect("every line is an opening");
    let centre = size.centre();
    let [direct, indirect] = [true, false].map(|wanted| {
        openings[..26]
            .iter()
            .filter(|opening| {
                let [first, second, third] = opening.moves() else {
                    panic!("three moves: {:?}", opening.moves());
                };
                assert_eq!(*first, centre);
                assert_eq!(second.distance(centre), 1);
                assert!(third.distance(centre) <= 2);
                let straight = second.x() == centre.x() || second.y() == centre.y();
                straight == wanted
            })
            .count()
    });
    assert_eq!((direct, indirect), (13, 13));
}
