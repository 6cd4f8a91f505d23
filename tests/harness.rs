//! The harness of the protocol cases must itself notice faults: engines that are wrong in one way
//! each, written as shell scripts, fail the case that a sound one passes.
#![cfg(unix)]

mod pipes;

use pipes::case::parse;
use pipes::play::play;
use pipes::process::Program;
use pipes::run_all;

/// A script that plays by fixed answers: `PROLOGUE` is what the standard start expects.
const SOUND: &str = r#"
while read -r line; do
  case "$line" in
    "START 15") echo OK ;;
    INFO*) ;;
    "TURN 7,7") echo "MESSAGE thinking"; echo 7,8 ;;
    "TURN 0,0") echo 8,8 ;;
    FOO) echo "UNKNOWN command FOO" ;;
    YXSHOWFORBID) echo "FORBID 07070800." ;;
    END) exit 0 ;;
    *) ;;
  esac
done
"#;

const CASE: &str = "
[1] a case
> TURN 7,7
expect MOVE within 100
> FOO
expect UNKNOWN
> TURN 0,0
expect MOVE
> YXSHOWFORBID
expect FORBID 0800 0707
";

fn script(text: &str) -> Program {
    Program {
        path: "/bin/sh".into(),
        args: vec!["-c".into(), text.into()],
        directory: None,
    }
}

/// The fault that a script is found guilty of in a case.
fn fault(script_text: &str, case: &str) -> Option<String> {
    let cases = parse(case);
    play(&script(script_text), &cases[0]).err()
}

#[test]
fn a_sound_engine_passes() {
    assert_eq!(fault(SOUND, CASE), None);
}

#[test]
fn every_fault_is_noticed() {
    // What to change in the sound script, into what, and what the report must say.
    let faults = [
        ("echo OK", "echo 'OK '", "no manager understands"),
        ("echo OK", "echo ok", "no manager understands"),
        ("echo OK", r"printf 'OK\r\n'", "not plain ASCII"),
        ("echo OK", "echo OK; echo OK", "got \"OK\""),
        ("echo OK", "echo 'ERROR no'", "got \"ERROR no\""),
        ("echo 7,8", "echo 7,7", "7,7 is occupied"),
        ("echo 7,8", "echo 15,8", "15,8 is outside"),
        ("echo 7,8", "echo '7, 8'", "no manager understands"),
        ("echo 7,8", "echo 7,8; echo 7,9", "got \"7,9\""),
        ("echo 7,8", "echo 7,8 7,9", "got \"7,8 7,9\""),
        ("echo 7,8", "printf 7,; sleep 0.1; echo 8", "part of a line"),
        ("echo 7,8", "printf 7,8; exit 0", "part of a line"),
        ("echo 7,8", "sleep 3; echo 7,8", "nothing in time"),
        ("echo 7,8", "echo careful >&2; echo 7,8", "standard error"),
        (
            "echo 7,8",
            "echo INFO DEPTH 3; echo 7,8",
            "no manager understands",
        ),
        ("echo 7,8", "echo 7,8; exit 0", "engine"),
        ("MESSAGE thinking", "MESSAGE", "no manager understands"),
        ("MESSAGE thinking", "pondering", "no manager understands"),
        ("UNKNOWN command FOO", "UNKNOWN", "no manager understands"),
        ("07070800", "0707", "expected forbidden"),
        ("07070800", "070708000000", "expected forbidden"),
        ("07070800", "07070707", "expected forbidden"),
        ("07070800.", "07070800", "no manager understands"),
        ("exit 0", "exit 3", "ended with"),
        ("exit 0", "kill -SEGV $$", "ended with"),
        ("exit 0", "sleep 4", "does not exit"),
        ("exit 0", "echo 3,3; exit 0", "one line too many"),
    ];
    run_all(&faults, |(sound, broken, report)| {
        let script = SOUND.replace(sound, broken);
        assert_ne!(script, SOUND, "{sound} is not in the script");
        match fault(&script, CASE) {
            Some(fault) if fault.contains(report) => Ok(()),
            Some(fault) => Err(format!("{broken}: expected {report:?}, got {fault}")),
            None => Err(format!("{broken}: passes")),
        }
    });
}

#[test]
fn a_forbidden_move_is_noticed() {
    let engine = r#"
while read -r line; do
  case "$line" in
    START*) echo OK ;;
    DONE) echo 7,7 ;;
    END) exit 0 ;;
  esac
done
"#;
    let double_three = "board 5,7 0,0 6,7 2,0 7,5 4,0 7,6 10,0\nexpect MOVE";
    let legal = format!("[1] rule 0\n> INFO rule 0\n{double_three}");
    let foul = format!("[1] rule 4\n> INFO rule 4\n{double_three}");
    assert_eq!(fault(engine, &legal), None);
    let fault = fault(engine, &foul).expect("a foul");
    assert!(fault.contains("7,7 is forbidden"), "{fault}");
}

#[test]
fn wrong_expectations_fail() {
    let steps = [
        ("> TURN 7,7\nexpect ERROR", "expected [Error]"),
        ("> TURN 7,7\nexpect MOVE of 7,9 8,8", "expected a move Of"),
        ("> TURN 7,7\nexpect MOVE not h7", "expected a move Not"),
        ("> TURN 7,7\nexpect directly MOVE", "MESSAGE thinking"),
        ("> TURN 7,7\nexpect nothing", "expected nothing"),
        ("> FOO\nexpect nothing", "expected nothing"),
        ("> FOO", "one line too many"),
        ("> BAR\nexpect UNKNOWN within 1", "nothing in time"),
        ("> FOO\nexpect UNKNOWN times 2 within 1", "nothing in time"),
        (
            "> FOO\nexpect each UNKNOWN | ABOUT within 1",
            "nothing in time",
        ),
        ("> FOO\nexpect maybe ABOUT\nexpect ABOUT", "got \"UNKNOWN"),
        ("> YXSHOWFORBID\nexpect FORBID none", "expected forbidden"),
        ("expect exit within 1", "does not exit"),
        ("> END\nexpect ABOUT", "closed its output"),
        (
            "> TURN 7,7\nexpect MOVE\n> TURN 7,7\nexpect MOVE",
            "7,7 is occupied",
        ),
    ];
    run_all(&steps, |(steps, report)| {
        match fault(SOUND, &format!("[1] wrong\n{steps}")) {
            Some(fault) if fault.contains(report) => Ok(()),
            Some(fault) => Err(format!("{steps}: expected {report:?}, got {fault}")),
            None => Err(format!("{steps}: passes")),
        }
    });
}

#[test]
fn a_badly_written_case_is_refused() {
    for line in [
        "expect",
        "expect MOVE of",
        "expect MAYBE",
        "expext OK",
        "raw \\q",
        "sleep soon",
        "expect OK within a second",
    ] {
        let text = format!("[1] bad\n{line}\n");
        let parsed = std::panic::catch_unwind(|| parse(&text));
        assert!(parsed.is_err(), "{line} is accepted");
    }
}
