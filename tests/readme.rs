//! What the README shows is what the program does.
//!
//! Every `console` block is run. What may differ is masked: times, and in reports of `analyse` the scores and lines, which
//! change with the evaluation; the marks do not, since they rest on proofs. Paths and subcommands that the README names
//! must exist.

mod common;

use std::path::Path;

const README: &str = include_str!("../README.md");

/// The commands of `console` blocks, each with the lines that it should print.
fn examples(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut examples = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            match line.strip_prefix("$ ") {
                Some(command) => examples.push((command, Vec::new())),
                None => examples.last_mut().expect("a command first").1.push(line),
            }
        }
    }
    examples
}

/// A line without what may differ from machine to machine and from one evaluation to the next.
fn masked(line: &str) -> String {
    if let Some((before, rest)) = line.split_once("\"ms\":") {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        return format!("{before}\"ms\":…{rest}");
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [number, "X" | "O", point, _, _, ..] if number.parse::<u32>().is_ok() => {
            let mark = line.rfind("   ").map_or("", |start| line[start..].trim());
            let mark = if mark.contains('(') { mark } else { "" };
            format!("{number} {point} {mark}")
        }
        _ => line.to_owned(),
    }
}

/// Runs `echo 'INPUT' | pbrain-quincunx ARGUMENTS`.
fn run(command: &str) -> String {
    let (input, arguments) = command
        .strip_prefix("echo '")
        .and_then(|rest| rest.split_once("' | pbrain-quincunx "))
        .unwrap_or_else(|| panic!("a command of another form: {command}"));
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let output = common::quincunx(&arguments, input);
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn examples_print_what_they_show() {
    let examples = examples(README);
    assert!(examples.len() >= 4, "{} examples", examples.len());
    for (command, expected) in examples {
        let printed = run(command);
        let printed: Vec<String> = printed.lines().map(masked).collect();
        let expected: Vec<String> = expected.into_iter().map(masked).collect();
        assert_eq!(printed, expected, "{command}");
    }
}

#[test]
fn masks_hide_only_what_may_differ() {
    let wrong = "   9 X A9      +M1     -M1  I5              missed win (proved)";
    assert_eq!(masked(wrong), "9 A9 missed win (proved)");
    let plain = "   1 X E5      +80     +76  E5 E4 F5 ...";
    assert_eq!(masked(plain), "1 E5 ");
    assert_ne!(masked(plain), masked(&plain.replace("X E5", "X E6")));
    assert_eq!(masked(r#"{"ms":0.25,"a":1}"#), r#"{"ms":…,"a":1}"#);
    assert_eq!(masked("Black: 1 blunder"), "Black: 1 blunder");
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with("```"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn what_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = 0;
    for name in quoted(README) {
        let path = name.split(' ').next().unwrap_or(name);
        if ["src/", "tests/", "openings/", "docs/", ".ci/", ".cargo/"]
            .iter()
            .any(|folder| path.starts_with(folder))
        {
            paths += 1;
            assert!(root.join(path).exists(), "{path}");
        }
        if let Some(rest) = name.strip_prefix("pbrain-quincunx ") {
            let command = rest.split(' ').next().unwrap_or(rest);
            if command != "tune" && !command.starts_with('[') {
                let help = if command == "help" { "bench" } else { command };
                let output = common::quincunx(&["help", help], "");
                assert!(output.status.success(), "{command}");
            }
        }
    }
    assert!(paths >= 4, "{paths} paths");
}
