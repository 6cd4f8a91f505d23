//! `pbrain-quincunx analyse` as its users call it: files in all forms, reports, pictures, errors.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

/// Runs `analyse` with few nodes for each position.
fn analyse(arguments: &[&str], input: &str) -> Output {
    let few = ["analyse", "--nodes", "2000", "--hash-mb", "1"];
    common::quincunx(&[&few, arguments].concat(), input)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn objects(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

/// A folder of its own, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("quincunx-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder in the temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Black threatens five at L8, White makes a four instead of stopping it, Black does not make the five, White does.
const FORGETFUL: &str = "h8 g8 i8 g9 j8 g10 k8 g11 o15 g12";

#[test]
fn a_game_of_piskvork() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/game.psq");
    let games = objects(&analyse(&[path, "--json"], ""));
    assert_eq!(games.len(), 1);
    let game = &games[0];
    assert_eq!(
        (game["width"].as_u64(), game["line"].as_u64()),
        (Some(20), Some(1))
    );
    assert_eq!(game["black"], "pisq7.exe");
    assert_eq!(game["rule"], "freestyle");
    let moves = game["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 16);
    assert_eq!(moves[0]["move"], "J11");
    for (before, next) in moves.iter().zip(&moves[1..]) {
        let chances = [&before["after"], &next["before"]].map(|score| score["chance"].as_f64());
        let [Some(chance), Some(rest)] = chances else {
            panic!("{before}");
        };
        assert!((chance + rest - 1.0).abs() < 2e-4, "{before} {next}");
    }
}

#[test]
fn wins_and_losses_that_are_proved_say_so() {
    let output = analyse(&["-"], FORGETFUL);
    let report = text(&output.stdout);
    let line_of = |number: &str| {
        let line = report
            .lines()
            .find(|line| line.trim_start().starts_with(number));
        line.expect(number).to_owned()
    };
    let blunder = line_of("8 O G11");
    assert!(
        blunder.contains("-M1") && blunder.ends_with("blunder (loses, proved)"),
        "{report}"
    );
    let missed = line_of("9 X O15");
    assert!(
        missed.contains("+M1") && missed.ends_with("missed win (proved)"),
        "{report}"
    );
    assert!(line_of("10 O G12").contains(" won "), "{report}");
    assert!(report.contains("White has made five."), "{report}");
    assert!(report.contains("1 missed win (1 proved)"), "{report}");
    // The board: a stone in the corner, alone on its row.
    let row = report.lines().find(|line| line.starts_with("15 "));
    assert_eq!(
        row.map(|row| row.matches('.').count()),
        Some(14),
        "{report}"
    );
    assert!(row.is_some_and(|row| row.ends_with("X9")), "{report}");
}

#[test]
fn the_game_ends_where_it_is_decided() {
    let five = objects(&analyse(&["-", "--json"], "h8a1h9a3h10a5h11a7h12a9a11"));
    let moves = five[0]["moves"].as_array().expect("a list");
    assert_eq!(moves.len(), 9);
    assert_eq!(moves[8]["after"]["win_in"], 0);
    let foul = objects(&analyse(
        &["-", "--json", "--rule", "renju"],
        "h8a1h9a3f10a5g10a7h10a9",
    ));
    let last = foul[0]["moves"]
        .as_array()
        .and_then(|moves| moves.last())
        .expect("moves");
    assert_eq!(
        (&last["mark"], &last["move"]),
        (&"foul".into(), &"H10".into())
    );
    assert_eq!(last["after"]["loss_in"], 0);
    let nothing = objects(&analyse(&["-", "--json"], r#"{"moves":""}"#));
    assert_eq!(nothing[0]["moves"], Value::Array(Vec::new()));
}

#[test]
fn reports_come_in_order_and_are_the_same_again() {
    let input =
        format!("{FORGETFUL}\n{{\"id\":\"second\",\"moves\":\"h8h9\",\"rule\":\"renju\"}}\nh8");
    let once = analyse(&["-", "--json"], &input);
    assert_eq!(once.stdout, analyse(&["-", "--json"], &input).stdout);
    let games = objects(&analyse(&["-", "--json", "--threads", "3"], &input));
    let lines: Vec<_> = games.iter().map(|game| game["line"].as_u64()).collect();
    assert_eq!(lines, [Some(1), Some(2), Some(3)]);
    assert_eq!(
        (&games[1]["name"], &games[1]["rule"]),
        (&"second".into(), &"renju".into())
    );
    // Two positions for five threads.
    let crowded = objects(&analyse(&["-", "--json", "--threads", "5"], "h8"));
    assert_eq!(crowded[0]["moves"][0]["move"], "H8");
    assert!(crowded[0]["moves"][0]["nodes"].as_u64() > Some(0));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_judged() {
    let sgf = "(;GM[4]SZ[15]\n;B[hh];W[zz])\n(;GM[4]PB[a]PW[b];B[hh])";
    let output = analyse(&["-", "--json"], sgf);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: -: line 2: \"zz\" is no point of the board\n"
    );
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let missing = analyse(&["no/such/file"], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("no/such/file"));
    let unwritable = analyse(&["-", "--svg", "no/such/folder/a.svg"], "h8");
    assert_eq!(unwritable.status.code(), Some(1));
    assert!(text(&unwritable.stderr).contains("no/such/folder/a.svg"));
}

#[test]
fn pictures_show_every_stone_and_mark() {
    let folder = Folder::new("pictures");
    let path = folder.0.join("game.svg");
    let svg = path.to_str().expect("UTF-8");
    assert!(analyse(&["-", "--svg", svg], FORGETFUL).status.success());
    let picture = fs::read_to_string(&path)
        .expect("a picture")
        .replace('\n', "");
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>"));
    for number in 1..=10 {
        assert!(
            picture.contains(&format!(">{number}</text>")),
            "{number}: {picture}"
        );
    }
    assert!(picture.contains("9: missed win (proved)"), "{picture}");
    assert!(picture.contains("better than move 8, 9"), "{picture}");

    let names = r#"(;GM[4]PB[<a>]PW["b" & c];B[hh])(;GM[4];B[hh];W[hg])"#;
    assert!(analyse(&["-", "--svg", svg], names).status.success());
    let first = fs::read_to_string(folder.0.join("game-1.svg")).expect("a picture");
    assert!(
        first.contains("&lt;a&gt; - ") && !first.contains("<a>"),
        "{first}"
    );
    assert!(folder.0.join("game-2.svg").exists());
}
