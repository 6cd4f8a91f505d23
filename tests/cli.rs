//! The executable as its users call it: arguments, standard streams, exit codes.

mod common;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use common::quincunx;
use serde_json::{Value, json};

const ENGINE: &str = env!("CARGO_BIN_EXE_pbrain-quincunx");

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn json_lines(output: &Output) -> Vec<Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

/// Black at E6, F6, G6 and H3, H4, H5: H6 makes two fours at once.
const DOUBLE_FOUR: &str = "e6 a1 f6 a3 g6 a5 h3 a7 h4 a9 h5 a11";

#[test]
fn the_protocol_begins_whatever_managers_pass() {
    for arguments in [&[][..], &["--force-utf8"], &["benc"], &["-x", "bench"]] {
        let mut child = Command::new(ENGINE)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        let mut replies = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut reply = || replies.next().expect("a reply").expect("UTF-8");
        input.write_all(b"START 15\n").expect("it reads");
        assert_eq!(reply(), "OK", "{arguments:?}");
        input
            .write_all(b"INFO timeout_turn 100\nBOARD\n7,7,1\n8,8,2\nDONE\n")
            .expect("it reads");
        let answer = std::iter::repeat_with(reply)
            .find(|line| !line.starts_with("MESSAGE") && !line.starts_with("DEBUG"))
            .expect("a move");
        let coordinates = answer.split(',').map(str::parse::<u8>);
        assert!(
            coordinates.clone().count() == 2
                && coordinates.clone().all(|c| c.is_ok_and(|c| c < 15)),
            "{arguments:?}: {answer}"
        );
        input.write_all(b"END\n").expect("it reads");
        assert_eq!(child.wait().expect("it ends").code(), Some(0));
    }
}

#[test]
fn help_explains_the_protocol_and_the_subcommands() {
    for arguments in [&["--help"][..], &["help"], &["-h"]] {
        let output = quincunx(arguments, "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        let text = stdout(&output);
        for word in ["bench", "forbidden", "Examples:", "pbrain-quincunx"] {
            assert!(text.contains(word), "{arguments:?}: no {word} in {text}");
        }
    }
    assert!(stdout(&quincunx(&["--help"], "")).contains("Gomocup (Piskvork) protocol"));
    let output = quincunx(&["forbidden", "--help"], "");
    assert!(stdout(&output).contains("one position per line"));
}

#[test]
fn version_is_the_one_of_the_package() {
    let output = quincunx(&["--version"], "");
    let expected = format!("pbrain-quincunx {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&output), expected);
}

#[test]
fn wrong_arguments_of_a_subcommand_are_an_error() {
    for arguments in [
        &["bench", "--depth", "0"][..],
        &["bench", "--depth", "deep"],
        &["forbidden"],
        &["forbidden", "-", "--size", "23"],
    ] {
        let output = quincunx(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stdout(&output).is_empty());
        assert!(stderr(&output).contains("error:"), "{arguments:?}");
    }
}

#[test]
fn bench_ends_with_its_signature() {
    let runs = [(), ()].map(|()| {
        let output = quincunx(&["bench", "--depth", "2"], "");
        assert_eq!(output.status.code(), Some(0));
        let text = stdout(&output);
        let (positions, last) = text.trim_end().rsplit_once('\n').expect("several lines");
        assert!(positions.lines().count() >= 12, "{text}");
        for rule in ["freestyle", "standard", "renju", "caro", "caro-exact"] {
            assert!(positions.contains(rule), "{rule}");
        }
        let words: Vec<&str> = last.split(' ').collect();
        let ["Bench:", nodes, "nodes", nps, "nps", "signature", signature] = words[..] else {
            panic!("{last}");
        };
        assert!(
            nodes.parse::<u64>().is_ok() && nps.parse::<u64>().is_ok(),
            "{last}"
        );
        assert!(u64::from_str_radix(signature, 16).is_ok(), "{last}");
        let sum: u64 = positions
            .lines()
            .map(|line| line.rsplit(' ').next().unwrap_or(""))
            .map(|word| word.parse::<u64>().expect("nodes at the end of the line"))
            .sum();
        assert_eq!(nodes.parse(), Ok(sum), "{text}");
        (positions.to_owned(), signature.to_owned())
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn forbidden_reads_move_lists_and_both_forms_of_boards() {
    let rows: Vec<String> = (0..15)
        .map(|y| match y {
            9 => "....XXX........".to_owned(),
            10..=12 => ".......X.......".to_owned(),
            _ => ".".repeat(15),
        })
        .collect();
    let input = format!(
        "{DOUBLE_FOUR}\n{}\n{}\n{}\n",
        json!({"id": "rows", "board": rows}),
        json!({"id": 2, "board": rows.concat(), "note": "ignored"}),
        json!({"id": null, "size": 15, "moves": "h8"}),
    );
    let output = quincunx(&["forbidden", "-"], &input);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).is_empty());
    let found = json!([{"p": "H6", "kinds": ["double-four"]}]);
    assert_eq!(
        json_lines(&output),
        [
            json!({"forbidden": found}),
            json!({"id": "rows", "forbidden": found}),
            json!({"id": 2, "forbidden": found}),
            json!({"id": null, "forbidden": []}),
        ]
    );
}

#[test]
fn forbidden_names_bad_lines_and_goes_on() {
    let input = format!("h8z9\n{DOUBLE_FOUR}\n\n{{\"board\":\"...\"}}\nh8");
    let output = quincunx(&["forbidden", "-"], &input);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(json_lines(&output).len(), 2);
    let errors = stderr(&output);
    let errors: Vec<&str> = errors.lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(
        errors[0].starts_with("error: line 1: move 2: "),
        "{errors:?}"
    );
    assert!(
        errors[1].starts_with("error: line 4: \"board\": 3 cells"),
        "{errors:?}"
    );
}

#[test]
fn forbidden_knows_sizes_and_rules() {
    let size = quincunx(
        &["forbidden", "-", "--size", "20"],
        "e6 t20 f6 t18 g6 t16 h3 t14 h4 t12 h5 t10",
    );
    assert_eq!(json_lines(&size)[0]["forbidden"][0]["p"], "H6");
    let too_small = quincunx(&["forbidden", "-"], "e6 t20");
    assert_eq!(too_small.status.code(), Some(2));
    let moves = json!({"rule": "standard", "moves": DOUBLE_FOUR}).to_string();
    let standard = quincunx(&["forbidden", "-"], &moves);
    assert_eq!(json_lines(&standard), [json!({"forbidden": []})]);
}

#[test]
fn forbidden_reads_files() {
    let missing = quincunx(&["forbidden", "no/such/file"], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("no/such/file"));
    let folder = quincunx(&["forbidden", "src"], "");
    assert_eq!(folder.status.code(), Some(1));
    assert!(stderr(&folder).contains("src: "), "{}", stderr(&folder));

    let path = std::env::temp_dir().join(format!("quincunx-cli-{}.txt", std::process::id()));
    std::fs::write(&path, DOUBLE_FOUR).expect("a file in the temporary folder");
    let output = quincunx(&["forbidden", path.to_str().expect("UTF-8")], "");
    let answers = json_lines(&output);
    std::fs::remove_file(&path).expect("the file is still there");
    let points: BTreeSet<&str> = answers[0]["forbidden"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|point| point["p"].as_str())
        .collect();
    assert_eq!(points, BTreeSet::from(["H6"]));
}

/// Plays a duel with these openings at 50 nodes a move.
fn duel(name: &str, players: [&str; 2], openings: &str, more: &[&str]) -> Output {
    let file = format!("quincunx-{name}-{}.txt", std::process::id());
    let path = std::env::temp_dir().join(file);
    std::fs::write(&path, openings).expect("a file in the temporary folder");
    let path_text = path.to_str().expect("UTF-8");
    let fixed = ["duel", players[0], players[1], "--openings", path_text];
    let arguments = [&fixed[..], &["--nodes", "50"], more].concat();
    let output = quincunx(&arguments, "");
    std::fs::remove_file(&path).expect("the file is still there");
    output
}

#[test]
fn an_engine_is_as_strong_as_itself() {
    let openings = "0,0, 1,1\n0,0, 1,0, 2,2";
    for rule in ["caro", "9", "renju"] {
        let options = ["--rule", rule, "--games", "6", "--threads", "2"];
        let output = duel(rule, [ENGINE; 2], openings, &options);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        // With limits by nodes both games of a pair are the same, so each side gets half of it.
        assert!(text.contains("3 pairs [0, 0, 3, 0, 0]: 50.0 %"), "{text}");
        let losses: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once(" lost by five "))
            .map(|(_, rest)| rest)
            .collect();
        assert_eq!(losses.len(), 2, "{text}");
        assert_eq!(losses[0], losses[1], "{text}");
        assert!(losses[0].ends_with(", foul 0, illegal 0, time 0, crash 0"));
        assert_ne!(losses[0].as_bytes()[0], b'0', "no game was decided: {text}");
    }
}

#[cfg(unix)]
#[test]
fn a_duel_tells_why_games_were_lost() {
    let stubborn = "tests/data/engines/always-h8";
    // The point is free once, and taken when it is asked for again.
    let output = duel("illegal", [stubborn, ENGINE], "0,-7, 1,-7", &[]);
    let text = stdout(&output);
    assert!(text.starts_with("W-D-L 0-0-2"), "{text}");
    let lost = "first lost by five 0, foul 0, illegal 2, time 0, crash 0";
    assert!(text.contains(lost), "{text}");
    // In renju it makes a double-three for Black.
    let double_three = "-2,0, -7,-7, -1,0, -5,-7, 0,-2, -3,-7, 0,-1, 3,-7";
    let output = duel(
        "foul",
        [ENGINE, stubborn],
        double_three,
        &["--rule", "renju"],
    );
    let text = stdout(&output);
    assert!(text.starts_with("W-D-L 2-0-0"), "{text}");
    let lost = "second lost by five 0, foul 1, illegal 1, time 0, crash 0";
    assert!(text.contains(lost), "{text}");
    // A program that is no engine says something else or nothing.
    let output = duel("crash", ["true", "cat"], "0,0", &["--games", "1"]);
    let text = stdout(&output);
    assert!(text.starts_with("W-D-L 1-0-1"), "{text}");
    assert!(
        text.contains("first lost by five 0, foul 0, illegal 0, time 0, crash 1"),
        "{text}"
    );
    assert!(
        text.contains("second lost by five 0, foul 0, illegal 1, time 0, crash 0"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn a_sequential_test_ends_a_duel_early() {
    let players = [ENGINE, "tests/data/engines/always-h8"];
    let options = ["--games", "1000", "--elo0", "0", "--elo1", "400"];
    let text = stdout(&duel("sprt", players, "0,-7, 1,-7", &options));
    assert!(text.contains("SPRT decided for +400 Elo"), "{text}");
    let games = text
        .split(['-', ' ', ','])
        .nth(3)
        .and_then(|n| n.parse().ok());
    assert!(games.is_some_and(|won: u32| won < 100), "{text}");
}

#[test]
fn a_duel_refuses_what_it_cannot_play() {
    let none = duel("missing", [ENGINE, "no/such/engine"], "0,0", &[]);
    assert_eq!(none.status.code(), Some(1));
    assert!(
        stderr(&none).contains("no/such/engine"),
        "{}",
        stderr(&none)
    );
    let empty = duel("empty", [ENGINE; 2], "# none", &[]);
    assert!(stderr(&empty).contains("no openings"), "{}", stderr(&empty));
    let both = duel("both", [ENGINE; 2], "0,0", &["--time-ms", "9"]);
    assert_eq!(both.status.code(), Some(2));
    let half = duel("half", [ENGINE; 2], "0,0", &["--elo0", "0"]);
    assert_eq!(half.status.code(), Some(2));
}

/// Games depend on seed and number alone: not on threads, and not on where a run was interrupted.
#[test]
fn self_played_games_are_the_same_however_they_are_made() {
    let make = |name: &str, steps: &[[&str; 2]]| {
        let file = format!("quincunx-selfplay-{name}-{}.qg", std::process::id());
        let path = std::env::temp_dir().join(file);
        for [games, threads] in steps {
            let path = path.to_str().expect("UTF-8");
            let fixed = [
                "selfplay",
                "--rule",
                "4",
                "--nodes",
                "100",
                "--explore",
                "4",
            ];
            let varied = ["--games", games, "--threads", threads, path];
            let output = quincunx(&[&fixed[..], &varied].concat(), "");
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        }
        let bytes = std::fs::read(&path).expect("written");
        std::fs::remove_file(&path).expect("removable");
        bytes
    };
    let whole = make("whole", &[["6", "1"]]);
    assert!(whole.starts_with(b"QG") && whole.len() > 6 * 8);
    assert!(whole == make("threads", &[["6", "2"]]));
    assert!(whole == make("resumed", &[["2", "1"], ["6", "1"]]));
}
