//! Random conversations: commands in any order, with any numbers, in pieces, also while the engine
//! thinks. Whatever was said, it answers in known forms, then plays a proper first move, and ends well.

mod pipes;

use std::time::Duration;

use pipes::process::{Output, Process, Program, parse_point, slack};
use pipes::{Fault, run_all};
use quincunx::types::SplitMix64;

#[test]
fn random_conversations() {
    let seeds: Vec<u64> = (0..120).collect();
    run_all(&seeds, |&seed| {
        let mut engine = Process::start(&Program::engine());
        converse(&mut engine, &mut SplitMix64::new(seed))
            .map_err(|fault| format!("seed {seed}: {fault}\n{}", engine.transcript()))
    });
}

fn converse(engine: &mut Process, random: &mut SplitMix64) -> Result<(), Fault> {
    engine.detail = 3; // the engine may be asked for INFO lines below
    let mut text = String::from("START 15\nINFO timeout_turn 5\n");
    for _ in 0..10 + random.below(80) {
        text += &command(random);
        text += ["\n", "\r\n", "\r"][random.below(3)];
    }
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at((1 + random.below(400)).min(rest.len()));
        engine.send(piece)?;
        rest = after;
    }
    // A block may be open and a search may run; START ends both.
    engine.line("\nINFO timeout_turn 5\nINFO max_node 300\nSTART 15\nABOUT\nBEGIN")?;
    let deadline = engine.since + Duration::from_secs(5) + slack();
    let (mut about, mut moved) = (0, false);
    while !moved {
        match engine.next(deadline)? {
            Output::Line(line) if line.text.contains("internal fault") => return Err(line.text),
            Output::Line(line) if line.text.starts_with("name=") => about += 1,
            // The last of the questions that were asked before START is answered before ABOUT.
            Output::Line(line) => {
                moved =
                    about == text.matches("ABOUT").count() + 1 && parse_point(&line.text).is_some();
            }
            other => return Err(format!("no first move at the end: {other:?}")),
        }
    }
    engine.quit()
}

fn command(random: &mut SplitMix64) -> String {
    const WORDS: [&str; 23] = [
        "RESTART",
        "BEGIN",
        "ABOUT",
        "YXSTOP",
        "STOP",
        "YXSHOWFORBID",
        "YXSHOWINFO",
        "YXHASHCLEAR",
        "YXSHOWHASHUSAGE",
        "YXBLOCKRESET",
        "YXNBEST 2",
        "yxswap2step1",
        "yxswap2step2",
        "yxswap2step3",
        "yxsearchdefend",
        "yxquerydatabaseallt",
        "DONE",
        "7,7",
        "SUGGEST 7,7",
        "INFO",
        "",
        "BOARD",
        "nonsense \u{7f}\u{e9}",
    ];
    const KEYS: [&str; 16] = [
        "timeout_match",
        "time_left",
        "time_increment",
        "rule",
        "max_memory",
        "hash_size",
        "max_depth",
        "show_detail",
        "thread_num",
        "strength",
        "checkmate",
        "nbestsym",
        "swapable",
        "game_type",
        "evaluate",
        "folder",
    ];
    const VALUES: [i64; 10] = [0, 1, -1, 2, 4, 8, 9, 1000, 2_147_483_647, i64::MIN];
    let number = |random: &mut SplitMix64| random.below(17).cast_signed() - 1;
    let point = |random: &mut SplitMix64| format!("{},{}", number(random), number(random));
    let stones = |random: &mut SplitMix64, fields: bool| -> String {
        let count = random.below(7);
        (0..count)
            .map(|index| {
                let at = format!(" {},{}", random.below(15), random.below(15));
                if fields {
                    format!("{at},{}", 1 + (index + count) % 2)
                } else {
                    at
                }
            })
            .collect()
    };
    match random.below(12) {
        0 => format!("START {}", 4 + random.below(20)),
        1 => format!(
            "RECTSTART {},{}",
            4 + random.below(20),
            4 + random.below(20)
        ),
        2 => format!("TAKEBACK {}", point(random)),
        3 => format!("PLAY {}", point(random)),
        4 | 5 => format!("TURN {}", point(random)),
        6 => format!("BOARD{} DONE", stones(random, true)),
        7 => format!("YXBOARD{} DONE", stones(random, true)),
        8 => format!("SWAP2BOARD{} DONE", stones(random, false)),
        9 => format!(
            "INFO {} {}",
            KEYS[random.below(KEYS.len())],
            VALUES[random.below(VALUES.len())]
        ),
        _ => WORDS[random.below(WORDS.len())].to_owned(),
    }
}
