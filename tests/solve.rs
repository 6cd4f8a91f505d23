//! The subcommand `solve` as its users call it.

mod common;

use std::path::PathBuf;
use std::process::Output;

use quincunx::threat::check;
use quincunx::types::{Colour, Point, Size};
use serde_json::Value;

/// Runs `solve` with `arguments`, gives it `input`, and waits for its end.
fn solve(arguments: &[&str], input: &str) -> Output {
    common::quincunx(&[&["solve"], arguments].concat(), input)
}

fn answers(output: &Output) -> Vec<Value> {
    String::from_utf8(output.stdout.clone())
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

fn data(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", name]
        .iter()
        .collect();
    path.to_str().expect("UTF-8").to_owned()
}

/// Every position of the file, in its order; every line replayed here by the checker.
#[test]
fn wins_by_fours() {
    let file = data("vcf.jsonl");
    let output = solve(&["--kind", "vcf", "--verify", "--threads", "2", &file], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let records = common::records("vcf");
    let answers = answers(&output);
    assert_eq!(answers.len(), records.len());
    let mut without_reply = 0;
    for (answer, record) in answers.iter().zip(&records) {
        assert_eq!(answer["id"], record["id"]);
        assert_eq!(answer["result"], "win", "{answer}");
        assert_eq!(answer["side"], record["side"], "{answer}");
        assert_eq!(answer["verified"], true, "{answer}");
        assert!(answer["nodes"].is_u64() && answer["ms"].is_number());
        let grid = common::grid_of(record);
        let line: Vec<Option<Point>> = answer["line"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|point| match point.as_str().expect("a text") {
                "--" => None,
                text => Some(Point::parse(text, grid.size()).expect("a point")),
            })
            .collect();
        without_reply += usize::from(line.contains(&None));
        assert_eq!(
            answer["len"].as_u64(),
            Some(line.len().div_ceil(2) as u64),
            "{answer}"
        );
        let rule = quincunx::rule::RuleKind::ALL
            .into_iter()
            .find(|rule| rule.name() == record["rule"])
            .expect("a rule");
        let side = Colour::ALL[usize::from(record["side"] == "white")];
        assert_eq!(check::check_line(rule, &grid, side, &line), Ok(()));
    }
    assert!(without_reply > 100, "{without_reply}");
    let summary = stderr(&output);
    assert!(
        summary.contains("705 positions: 705 won, 0 without a win, 0 unknown; 705 of 705 wins"),
        "{summary}"
    );
}

#[test]
fn no_win_by_fours() {
    let output = solve(&["--kind", "vcf", &data("vcf_none.jsonl")], "");
    assert_eq!(output.status.code(), Some(0));
    let answers = answers(&output);
    assert_eq!(answers.len(), 151);
    for answer in answers {
        assert_eq!(answer["result"], "no-win", "{answer}");
        assert_eq!(answer["line"].as_array().map(Vec::len), Some(0));
        assert!(answer.get("len").is_none() && answer.get("verified").is_none());
    }
}

/// The answer does not depend on what was solved before or by how many threads.
#[test]
fn wins_by_threats_are_the_same_with_any_number_of_threads() {
    let arguments = [
        "--kind",
        "vct",
        "--nodes",
        "3000",
        "--hash-mb",
        "4",
        "--verify",
    ];
    let file = data("vct.jsonl");
    let runs = ["1", "3"].map(|threads| {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--threads", threads, &file]);
        let output = solve(&arguments, "");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let mut answers = answers(&output);
        for answer in &mut answers {
            answer["ms"] = Value::Null;
        }
        answers
    });
    assert_eq!(runs[0], runs[1]);
    let wins = runs[0].iter().filter(|answer| answer["result"] == "win");
    assert!(wins.clone().count() > 150, "{}", wins.count());
    assert!(wins.clone().all(|answer| answer["verified"] == true));
    assert!(wins.clone().all(|answer| answer["line"][0] != "--"));
    let unknown = runs[0]
        .iter()
        .filter(|answer| answer["result"] == "unknown");
    assert!(unknown.count() > 0);
}

/// Rule and size from the options where the line does not tell them.
#[test]
fn move_lists_take_rule_and_size_from_the_options() {
    // Black has four in a row, closed at one end, and a stone beyond the other: J8 makes six.
    let overline = "e8 d8 f8 a1 g8 a3 h8 a5 j8 a7";
    // White, to move, cannot stop both ends.
    let open = "f8 a1 g8 a3 h8 a5 i8 a7";
    for (rule, result) in [
        ("freestyle", "win"),
        ("standard", "no-win"),
        ("4", "no-win"),
    ] {
        let output = solve(&["--kind", "vcf", "--rule", rule, "-"], overline);
        assert_eq!(answers(&output)[0]["result"], result, "{rule}");
    }
    let output = solve(&["--kind", "vcf", "--size", "20", "-"], open);
    let answer = &answers(&output)[0];
    assert_eq!(answer["result"], "win");
    assert_eq!(answer["len"], 1);
    let size = Size::square(20);
    let point = Point::parse(answer["line"][0].as_str().expect("a point"), size);
    assert_eq!(point.map(Point::y), Point::parse("h8", size).map(Point::y));
    assert!(answer.get("id").is_none());
}

#[test]
fn limits_end_in_unknown_and_shortest_is_shortest() {
    let hard = common::records("vcf").pop().expect("a record").to_string();
    let output = solve(&["--kind", "vcf", "--nodes", "10", "-"], &hard);
    assert_eq!(answers(&output)[0]["result"], "unknown");
    assert_eq!(answers(&output)[0]["nodes"], 10);
    assert!(stderr(&output).contains("1 unknown"));
    let output = solve(&["--kind", "vct", "--time-ms", "0", "-"], &hard);
    assert_eq!(output.status.code(), Some(0));
    for record in common::records("vcf").iter().take(100) {
        let output = solve(&["--kind", "vcf", "--shortest", "-"], &record.to_string());
        assert_eq!(answers(&output)[0]["len"], record["len"], "{record}");
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    let output = solve(&["--kind", "vcf", "-"], "h8 h8\nh8 i9\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(answers(&output).len(), 1);
    assert!(stderr(&output).contains("line 1"), "{}", stderr(&output));
    let output = solve(&["--kind", "vcf", "no-such-file"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no-such-file"));
    for arguments in [
        &["-"][..],
        &["--kind", "vcx", "-"],
        &["--kind", "vcf"],
        &["--kind", "vcf", "--rule", "chess", "-"],
        &["--kind", "vcf", "--threads", "0", "-"],
    ] {
        let output = solve(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}
