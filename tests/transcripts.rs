//! Whole conversations of every known manager, played with the built engine through pipes.

mod pipes;

use pipes::case::parse;
use pipes::play::play;
use pipes::process::Program;
use pipes::run_all;

#[test]
fn every_manager_is_served_from_start_to_end() {
    let cases = parse(include_str!("data/transcripts.txt"));
    assert!(cases.len() >= 10, "the file is read to its end");
    run_all(&cases, |case| play(&Program::engine(), case));
}
