//! Conversations through the real reader and session, over channels instead of pipes.

use std::io::{self, Read};
use std::thread::{self, JoinHandle};

use crossbeam_channel::unbounded;

use super::*;
use crate::protocol::reader;
use crate::search::{Limits, Searcher, Unattended};

/// Bytes as they are sent; ends when the sender is dropped.
struct ChannelReader(Receiver<Vec<u8>>);

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(bytes) = self.0.recv() else {
            return Ok(0);
        };
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

/// Passes on what is written, which must be one whole line at a time.
struct LineWriter(Sender<String>);

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).expect("ASCII");
        let line = text.strip_suffix('\n').expect("a whole line");
        assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        let sent = self.0.send(line.to_string());
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Manager {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<String>,
    threads: Vec<JoinHandle<()>>,
}

impl Manager {
    /// A manager that has said nothing yet.
    fn silent() -> Self {
        Self::of(Engine::new())
    }

    fn of(engine: Engine) -> Self {
        let (input, bytes) = unbounded();
        let (lines, output) = unbounded();
        let (events, inbox) = unbounded();
        let quit = Quit::default();
        let stopper = engine.stopper();
        let session = Session::new(
            engine,
            LineWriter(lines),
            (events.clone(), inbox),
            quit.clone(),
        );
        let threads = vec![
            thread::spawn(move || session.run()),
            thread::spawn(move || reader::read(ChannelReader(bytes), &events, &stopper, &quit)),
        ];
        Self {
            input: Some(input),
            output,
            threads,
        }
    }

    /// A manager that has started a game with turns of 0.1 s.
    fn new() -> Self {
        let mut manager = Self::silent();
        manager.send(
            "START 15\nINFO timeout_turn 100\nINFO timeout_match 0\nINFO time_left 2147483647",
        );
        manager.expect("OK");
        manager
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_ref().expect("an open session");
        for chunk in format!("{text}\n").as_bytes().chunks(1 << 12) {
            input.send(chunk.to_vec()).expect("a reader");
        }
    }

    /// The next line that is no message, or `None` after `wait`.
    fn hear_for(&mut self, wait: Duration) -> Option<String> {
        let deadline = Instant::now() + wait;
        loop {
            match self.output.recv_deadline(deadline) {
                Ok(line) if line.starts_with("MESSAGE ") => {}
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn hear(&mut self) -> String {
        self.hear_for(Duration::from_secs(20)).expect("an answer")
    }

    /// The next line of any kind.
    fn hear_message(&mut self) -> String {
        let wait = Duration::from_secs(20);
        self.output.recv_timeout(wait).expect("a line")
    }

    /// The next line of an opening dialogue.
    fn hear_dialogue(&mut self, dialogue: &str) -> String {
        let start = format!("MESSAGE {dialogue} ");
        loop {
            let line = self.hear_message();
            if line.starts_with(&start) {
                return line;
            }
        }
    }

    fn expect(&mut self, line: &str) {
        assert_eq!(self.hear(), line);
    }

    fn expect_move(&mut self) -> Xy {
        let line = self.hear();
        let (x, y) = line
            .split_once(',')
            .unwrap_or_else(|| panic!("a move, not {line:?}"));
        Xy {
            x: x.parse().expect("a column"),
            y: y.parse().expect("a row"),
        }
    }

    fn expect_error(&mut self) {
        let line = self.hear();
        assert!(line.starts_with("ERROR "), "{line}");
    }

    /// Everything said so far has been answered.
    fn expect_nothing(&mut self) {
        self.send("ABOUT");
        let line = self.hear();
        assert!(line.starts_with("name="), "{line}");
    }

    /// Ends and returns everything that was still said, messages included.
    fn end(mut self) -> Vec<String> {
        self.send("END");
        for thread in self.threads.drain(..) {
            thread.join().expect("a quiet end");
        }
        self.output.iter().collect()
    }
}

#[test]
fn a_tournament_game() {
    let mut manager = Manager::silent();
    manager.send(
        "START 15\r\nINFO timeout_turn 100\r\nINFO timeout_match 20000\r\nINFO max_memory 367001600\r\n\
         INFO game_type 3\r\nINFO rule 0\r\nINFO folder /tmp/a b\r\nINFO time_left 20000\r\n\
         BOARD\r\n7,7,2\r\n8,8,1\r\n9,7,2\r\nDONE\r",
    );
    manager.expect("OK");
    manager.expect_move();
    manager.send("INFO time_left 19000\r\nTURN 0,0\r");
    manager.expect_move();
    assert!(manager.end().is_empty());
}

#[test]
fn turns_and_errors() {
    let mut manager = Manager::new();
    manager.send("TURN 15,0\nTURN -1,-1\nTURN a,b\nTURN 99999999999,1");
    for _ in 0..4 {
        manager.expect_error();
    }
    manager.send("TURN 7,7");
    manager.expect_move();
    manager.send("TURN 7,7\nBEGIN\nFOO 1 2");
    manager.expect_error();
    manager.expect_error();
    manager.expect("UNKNOWN command FOO 1 2");
    manager.send("RESTART\nBEGIN");
    manager.expect("OK");
    assert_eq!(manager.expect_move(), Xy { x: 7, y: 7 });
}

#[test]
fn commands_before_a_game() {
    let mut manager = Manager::silent();
    manager.send("ABOUT\nINFO rule 4\nRESTART\nBEGIN\nTURN 7,7\nBOARD\n7,7,1\nDONE\nSTART 3");
    assert!(manager.hear().starts_with("name="));
    for _ in 0..5 {
        manager.expect_error();
    }
    manager.send("YXSTOP\nSTART 15\nyxboard\n5,7,1\n0,0,2\n6,7,1\n2,0,2\n7,5,1\n4,0,2\n7,6,1\n10,0,2\ndone\nyxshowforbid");
    manager.expect("OK");
    manager.expect("FORBID 0707.");
}

#[test]
fn stones_are_taken_back_in_order() {
    let mut manager = Manager::new();
    manager.send("TURN 7,7");
    let Xy { x, y } = manager.expect_move();
    manager.send("TAKEBACK 7,7");
    manager.expect_error();
    manager.send(&format!("TAKEBACK {x},{y}\nTAKEBACK 7,7\nTAKEBACK 7,7"));
    manager.expect("OK");
    manager.expect("OK");
    manager.expect_error();
    manager.send("TURN 7,7");
    manager.expect_move();
    manager.send("START 15\nPLAY 3,4\nTAKEBACK 3,4");
    manager.expect("OK");
    manager.expect("3,4");
    manager.expect("OK");
}

#[test]
fn bad_blocks_start_no_search() {
    let mut manager = Manager::new();
    for block in [
        "BOARD\n7,7,5\nDONE",
        "BOARD\n20,20,1\nDONE",
        "BOARD\n7,7,1\n7,7,2\nDONE",
        "SWAP2BOARD\n7,7\nDONE",
        "SWAP2BOARD\n7,7\n7,7\n8,8\nDONE",
    ] {
        manager.send(block);
        manager.expect_error();
        manager.expect_nothing();
    }
}

#[test]
fn every_search_is_answered_once_when_interrupted() {
    for interruption in [
        "START 15",
        "RESTART",
        "BOARD\n7,7,2\nDONE",
        "TURN 0,14",
        "SWAP2BOARD\n7,7\n8,7\n9,9\nDONE",
        "YXNBEST 2",
    ] {
        let mut manager = Manager::new();
        manager.send("INFO timeout_turn 100000\nTURN 7,7");
        manager.send(&format!(
            "{interruption}\nINFO timeout_turn 100\nYXSTOP\nYXSTOP"
        ));
        manager.expect_move();
        let answer = manager.hear();
        assert!(!answer.starts_with("ERROR"), "{interruption}: {answer}");
        manager.expect_nothing();
    }
}

#[test]
fn stopping_an_idle_engine_says_nothing() {
    let mut manager = Manager::new();
    manager.send("YXSTOP\nSTOP\n7,7\n7,7,1\ndone\n\n   ");
    manager.expect_nothing();
}

#[test]
fn an_undo_of_yixin_board_stays_in_step() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 100000\nTURN 7,7");
    manager.send("YXSTOP\nSTART 15\nYXBOARD\n7,7,1\nDONE\nYXSHOWFORBID");
    manager.expect_move();
    manager.expect("OK");
    manager.expect("FORBID .");
}

#[test]
fn an_overdue_search_is_not_waited_for() {
    let mut engine = Engine::new();
    engine.play(Point::new(3, 3)).unwrap();
    let (release, wait) = unbounded::<()>();
    // Keeps the worker from the next search until it is released.
    let occupied = engine.go(Instant::now(), move |_| {
        let _ = wait.recv();
    });
    assert!(occupied.is_ok());
    let mut manager = Manager::of(engine);
    manager.send("START 15\nINFO timeout_turn 100\nTURN 7,7");
    manager.expect("OK");
    let begun = Instant::now();
    manager.expect_move();
    assert!(begun.elapsed() < Duration::from_secs(5));
    manager.send("TURN 0,0\nYXSTOP");
    manager.expect_move();
    drop(release);
    manager.send("TURN 0,14");
    manager.expect_move();
    manager.expect_nothing();
}

#[test]
fn limits_change_while_thinking() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 100000\nTURN 7,7");
    let begun = Instant::now();
    manager.send("INFO timeout_turn 0");
    manager.expect_move();
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn two_means_renju_only_to_yixin_like_front_ends() {
    let double_three = "YXBOARD\n5,7,1\n0,0,2\n6,7,1\n2,0,2\n7,5,1\n4,0,2\n7,6,1\n10,0,2\nDONE";
    let mut manager = Manager::new();
    manager.send(&format!("INFO rule 2\n{double_three}\nYXSHOWFORBID"));
    manager.expect("FORBID 0707.");
    let mut manager = Manager::new();
    manager.send("INFO rule 2\nTURN 7,7");
    loop {
        let line = manager
            .output
            .recv_timeout(Duration::from_secs(20))
            .unwrap();
        if line.contains("rule ") {
            assert!(line.contains("rule freestyle"), "{line}");
            break;
        }
    }
}

#[test]
fn unknown_rules_are_told_and_the_last_one_kept() {
    let mut manager = Manager::new();
    manager.send("INFO rule 1\nINFO rule 255\nTURN 7,7");
    let line = manager
        .output
        .recv_timeout(Duration::from_secs(20))
        .unwrap();
    assert_eq!(line, "MESSAGE rule 255 is unknown, playing standard");
}

#[test]
fn dead_stones_are_walls() {
    let mut manager = Manager::new();
    manager.send("BOARD\n3,7,1\n0,0,2\n4,7,1\n0,2,2\n5,7,1\n0,4,2\n6,7,1\n0,6,2\n7,7,3\nDONE");
    assert_eq!(manager.expect_move(), Xy { x: 2, y: 7 });
}

#[test]
fn the_last_empty_point_is_found_and_then_there_is_none() {
    let mut manager = Manager::new();
    let mut block = String::from("START 5\nBOARD\n");
    for i in 0..24 {
        // Pairs of columns alternate, so that nobody has five in a row.
        block += &Stone {
            at: Xy { x: i % 5, y: i / 5 },
            owner: Owner::from_code(1 + (i / 2 + i / 5) % 2).unwrap(),
        }
        .to_string();
        block += "\n";
    }
    manager.send(&format!("{block}DONE"));
    manager.expect("OK");
    assert_eq!(manager.expect_move(), Xy { x: 4, y: 4 });
    manager.send(&format!("{block}4,4,1\nDONE"));
    manager.expect("OK");
    manager.expect_error();
}

/// Points of a line such as `7,7 8,8`.
fn points(line: &str) -> Vec<Point> {
    let point = |text: &str| {
        let (x, y) = text.split_once(',').expect("a point");
        Point::new(x.parse().expect("a column"), y.parse().expect("a row"))
    };
    line.split(' ').map(point).collect()
}

/// What a search says of the position after `stones` of alternating colour, for the side to move.
fn appraise(stones: &[Point]) -> Score {
    let mut position = Position::new(Size::square(15), RuleKind::Freestyle);
    for &point in stones {
        position.play(point).expect("an empty point");
    }
    let limits = Limits {
        max_nodes: Some(20_000),
        ..Limits::default()
    };
    Searcher::new(1 << 20)
        .think(&mut position.board(), &limits, &mut Unattended)
        .score
}

#[test]
fn swap2_decisions_have_their_forms() {
    let mut manager = Manager::new();
    manager.send("SWAP2BOARD\nDONE");
    let line = manager.hear();
    assert_eq!(points(&line).len(), 3, "{line}");
    manager.send("SWAP2BOARD\n7,7\n8,7\n9,9\nDONE\nSWAP2BOARD 7,7 8,7 9,9 8,8 8,6 DONE");
    for _ in 0..2 {
        let line = manager.hear();
        assert!(line == "SWAP" || points(&line).len() <= 2, "{line}");
    }
    manager.send("BOARD\n7,7,2\n8,7,1\n9,9,2\nDONE");
    manager.expect_move();
}

#[test]
fn stones_are_offered_that_are_fair_and_differ() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 3000\nINFO max_node 400000");
    let mut offers: Vec<Vec<Point>> = Vec::new();
    for _ in 0..4 {
        manager.send("SWAP2BOARD\nDONE");
        let offer = points(&manager.hear());
        let score = appraise(&offer);
        assert!(score.abs() < 250, "{offer:?}: {score}");
        offers.push(offer);
    }
    assert!(offers.iter().any(|offer| *offer != offers[0]), "{offers:?}");
}

#[test]
fn the_better_colour_is_taken() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 1000\nINFO max_node 20000");
    // Two stones of Black beside each other against one in the corner.
    manager.send("SWAP2BOARD\n7,7\n0,0\n8,8\nDONE");
    manager.expect("SWAP");
    manager.send("SWAP2BOARD\n0,0\n7,7\n14,14\nDONE");
    manager.expect_move();
    manager.send("SWAP2BOARD\n7,7\n0,0\n8,8\n14,14\n7,9\nDONE");
    manager.expect("SWAP");
    manager.send("SWAP2BOARD\n0,0\n7,7\n14,14\n8,8\n14,0\nDONE");
    manager.expect_move();
}

#[test]
fn yixin_boards_swap2_dialogue() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 500\nINFO max_node 20000\nyxswap2step1");
    for i in 1..=3 {
        let line = manager.hear_dialogue("SWAP2");
        assert!(
            line.starts_with(&format!("MESSAGE SWAP2 MOVE{i} ")),
            "{line}"
        );
    }
    manager.send("start 15\nyxboard\n7,7,2\n0,0,1\n8,8,2\ndone\nyxswap2step2");
    manager.expect("OK");
    assert_eq!(manager.hear_dialogue("SWAP2"), "MESSAGE SWAP2 SWAP1 YES");
    manager.send("start 15\nyxboard\n0,0,2\n7,7,1\n14,14,2\ndone\nyxswap2step2");
    manager.expect("OK");
    assert_eq!(manager.hear_dialogue("SWAP2"), "MESSAGE SWAP2 SWAP1 NO");
    manager.send("yxboard\n7,7,2\n0,0,1\n8,8,2\n0,14,1\n8,6,2\ndone\nyxswap2step3");
    assert_eq!(manager.hear_dialogue("SWAP2"), "MESSAGE SWAP2 SWAP2 YES");
    manager.send("yxboard\n0,0,2\n7,7,1\n14,14,2\n8,8,1\n14,0,2\ndone\nyxswap2step3");
    assert_eq!(manager.hear_dialogue("SWAP2"), "MESSAGE SWAP2 SWAP2 NO");
}

#[test]
fn yixin_boards_soosorv_dialogue() {
    let mut manager = Manager::new();
    manager.send("INFO rule 2\nINFO timeout_turn 1000\nINFO max_node 30000\nyxsoosorvstep1");
    let numbers = |line: &str| -> Vec<i64> {
        line.split(' ')
            .filter_map(|word| word.parse().ok())
            .collect()
    };
    let mut moves = Vec::new();
    for i in 1..=3 {
        let line = manager.hear_dialogue("SOOSORV");
        assert!(
            line.starts_with(&format!("MESSAGE SOOSORV MOVE{i} ")),
            "{line}"
        );
        moves.push(numbers(&line));
    }
    assert_eq!(moves[0], [7, 7]);
    for (stone, reach) in moves.iter().zip([0, 1, 2]) {
        assert!(stone.iter().all(|n| (n - 7).abs() <= reach), "{moves:?}");
    }
    let at = |numbers: &[i64]| format!("{},{}", numbers[0], numbers[1]);
    let mut body: Vec<String> = moves.iter().map(|stone| at(stone)).collect();
    let step =
        |number: &str, body: &[String]| format!("yxsoosorvstep{number}\n{}\ndone", body.join("\n"));
    manager.send(&step("2", &body));
    assert_eq!(manager.hear_dialogue("SOOSORV"), "MESSAGE SOOSORV SWAP1 Y");
    manager.send(&step("3", &body));
    let line = manager.hear_dialogue("SOOSORV");
    let fourth = numbers(
        line.strip_prefix("MESSAGE SOOSORV MOVE4 ")
            .expect("a fourth stone"),
    );
    assert!((1..=8).contains(&fourth[2]), "{line}");
    body.push(at(&fourth));
    manager.send(&step(&format!("4 {}", fourth[2]), &body));
    let line = manager.hear_dialogue("SOOSORV");
    assert!(
        ["Y", "N"]
            .iter()
            .any(|yes| line == format!("MESSAGE SOOSORV SWAP2 {yes}")),
        "{line}"
    );
    manager.send(&step("5 3", &body));
    assert_eq!(
        manager.hear_dialogue("SOOSORV"),
        "MESSAGE SOOSORV MOVE5 REFRESH"
    );
    let mut fifths = Vec::new();
    for _ in 0..3 {
        let line = manager.hear_dialogue("SOOSORV");
        let fifth = numbers(
            line.strip_prefix("MESSAGE SOOSORV MOVE5 ")
                .expect("a fifth stone"),
        );
        assert!(!fifths.contains(&fifth), "{fifths:?} {fifth:?}");
        body.push(at(&fifth));
        fifths.push(fifth);
    }
    assert_eq!(
        manager.hear_dialogue("SOOSORV"),
        "MESSAGE SOOSORV MOVE5 DONE"
    );
    manager.send(&step("6", &body));
    let line = manager.hear_dialogue("SOOSORV");
    let choice = numbers(
        line.strip_prefix("MESSAGE SOOSORV MOVE5C ")
            .expect("a choice"),
    );
    assert!(fifths.contains(&choice), "{fifths:?} {choice:?}");
    manager.send("yxsoosorvstep2\n7,7\n7,8\ndone\nyxsoosorvstep6\n7,7\n7,8\n7,9\n8,9\ndone");
    manager.expect_error();
    manager.expect_error();
}

#[test]
fn fifth_stones_are_no_mirror_images() {
    let mut manager = Manager::new();
    manager.send("INFO rule 2\nINFO timeout_turn 1000\nINFO max_node 20000\nyxshowinfo");
    // The line of the stones is an axis of symmetry.
    manager.send("yxsoosorvstep5 4\n7,7\n7,6\n7,5\n7,8\ndone");
    let mut seen = Vec::new();
    loop {
        let line = manager.hear_dialogue("SOOSORV MOVE5");
        let words: Vec<i64> = line
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        match words[..] {
            [x, y] => {
                assert!(!seen.contains(&(14 - x, y)), "{seen:?} {line}");
                seen.push((x, y));
            }
            _ if line.ends_with("DONE") => break,
            _ => {}
        }
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn balance_is_sought_for_one_and_two_moves() {
    let mut manager = Manager::new();
    // By nodes alone: what a slow machine finds in a second may be worse.
    manager.send("INFO timeout_turn -1\nINFO max_node 60000");
    manager.send("YXBOARD\n7,7,1\n6,7,2\n9,9,1\n5,6,2\nDONE\nYXBALANCEONE 0");
    let one = points(&manager.hear());
    assert_eq!(one.len(), 1);
    let start = [(7, 7), (6, 7), (9, 9), (5, 6)].map(|(x, y)| Point::new(x, y));
    let score = appraise(&[&start[..], &one[..]].concat());
    assert!(score.abs() < 200, "{one:?}: {score}");
    manager.send("YXBOARD\n7,7,1\n6,7,2\n9,9,1\n5,6,2\nDONE\nYXBALANCETWO 0");
    let two = points(&manager.hear());
    assert_eq!(two.len(), 2);
    let score = appraise(&[&start[..], &two[..]].concat());
    assert!(score.abs() < 200, "{two:?}: {score}");
    // The moves are on the board.
    manager.send(&format!("TURN {}", two[1]));
    manager.expect_error();
}

#[test]
fn the_last_move_of_a_blocked_path_is_not_answered() {
    let mut manager = Manager::new();
    let win = "BOARD\n3,7,1\n0,0,2\n4,7,1\n0,2,2\n5,7,1\n0,4,2\n6,7,1\n2,7,2\nDONE";
    manager.send("yxblockpath\n3,7\n2,7\n4,7\n0,2\n5,7\n0,4\n6,7\n0,0\n7,7\ndone");
    manager.send(win);
    assert_ne!(manager.expect_move(), Xy { x: 7, y: 7 });
    manager.send("yxblockpathundo\n3,7\n0,0\n4,7\n0,2\n5,7\n0,4\n6,7\n2,7\n7,7\ndone");
    manager.send(win);
    assert_eq!(manager.expect_move(), Xy { x: 7, y: 7 });
    manager.send("yxblockpath\n3,7\n2,7\n4,7\n0,2\n5,7\n0,4\n6,7\n0,0\n7,7\ndone");
    manager.send("yxblockpath\n40,7\ndone\nyxblockpathreset");
    manager.send(win);
    assert_eq!(manager.expect_move(), Xy { x: 7, y: 7 });
}

#[test]
fn a_pass_is_understood_where_front_ends_allow_one() {
    let mut manager = Manager::new();
    manager.send("TURN -1,-1");
    manager.expect_error();
    manager.send("yxshowinfo\nyxboard\n3,7,1\n0,0,2\n4,7,1\n0,2,2\n5,7,1\n0,4,2\n6,7,1\ndone");
    manager.send("TURN -1,-1");
    let wins = [Xy { x: 2, y: 7 }, Xy { x: 7, y: 7 }];
    assert!(wins.contains(&manager.expect_move()));
    // Seven stones of Black's and three of White's: it is White's turn after a pass.
    manager.send("BOARD\n3,7,2\n0,0,1\n4,7,2\n-1,-1,1\n5,7,2\n-1,-1,1\n6,7,2\nDONE");
    assert!(wins.contains(&manager.expect_move()));
}

#[test]
fn what_was_learned_is_written_and_read() {
    let path = std::env::temp_dir().join(format!("hash {}.bin", std::process::id()));
    let mut manager = Manager::new();
    manager.send(&format!("yxhashdump\n{}", path.display()));
    let line = manager.hear_message();
    assert!(
        line.starts_with("MESSAGE hash table: not written, "),
        "{line}"
    );
    manager.send("INFO timeout_turn -1\nINFO max_node 3000");
    manager.send("BOARD\n7,7,2\n8,8,1\n9,7,2\nDONE");
    manager.expect_move();
    manager.send(&format!("yxhashdump\n{}", path.display()));
    let written = manager.hear_message();
    let count = written
        .strip_prefix("MESSAGE hash table: ")
        .and_then(|text| text.strip_suffix(" positions written"))
        .and_then(|count| count.parse::<u64>().ok());
    assert!(count.is_some_and(|count| count > 100), "{written}");

    let mut manager = Manager::new();
    manager.send(&format!("yxhashload {}", path.display()));
    assert_eq!(manager.hear_message(), written.replace("written", "read"));
    manager.send("BOARD\n7,7,2\n8,8,1\n9,7,2\nDONE");
    manager.expect_move();
    for (command, reason) in [("INFO rule 1", "rule"), ("START 20", "board")] {
        manager.send(&format!("{command}\nyxhashload\n{}", path.display()));
        let line = loop {
            let line = manager.hear_message();
            if line != "OK" {
                break line;
            }
        };
        assert!(line.contains("not read") && line.contains(reason), "{line}");
    }
    std::fs::remove_file(&path).expect("the file was written");
    manager.send(&format!("yxhashload\n{}", path.display()));
    assert!(manager.hear_message().contains("not read"));
    manager.send("yxdbcheck");
    assert_eq!(manager.hear_message(), "MESSAGE there is no database");
    manager.expect_nothing();
}

#[test]
fn the_openings_of_renju_are_called_by_their_names() {
    let mut manager = Manager::new();
    manager.send("INFO rule 4\nBOARD\n7,7,2\n7,6,1\n8,6,2\nDONE");
    let lines: Vec<String> = std::iter::from_fn(|| Some(manager.hear_message()))
        .take_while(|line| line.starts_with("MESSAGE "))
        .collect();
    assert!(lines[0].ends_with(", opening D4 Kagetsu"), "{lines:?}");
}

#[test]
fn questions_to_a_database_get_an_empty_answer() {
    let mut manager = Manager::new();
    manager.send("yxquerydatabaseallt\n7,7\n8,8\ndone\nyxquerydatabasetext\n7,7\ndone\nyxdraw");
    for line in [
        "MESSAGE DATABASE REFRESH",
        "MESSAGE DATABASE DONE",
        "MESSAGE DATABASE TEXT \"\"",
        "MESSAGE DRAW REJECT",
    ] {
        assert_eq!(manager.hear_message(), line);
    }
    manager.expect_nothing();
}

#[test]
fn blocked_points_are_not_answered() {
    let mut manager = Manager::new();
    manager.send("yxblock\n7,7\n40,40\ndone\nBEGIN");
    assert_ne!(manager.expect_move(), Xy { x: 7, y: 7 });
    manager.send("yxblockreset\nSTART 15\nBEGIN");
    manager.expect("OK");
    assert_eq!(manager.expect_move(), Xy { x: 7, y: 7 });
}

#[test]
fn analysis_lines_come_only_when_asked_for() {
    let mut manager = Manager::new();
    manager.send("TURN 7,7");
    manager.expect_move();
    manager.send("INFO show_detail 3\nyxshowinfo\nTURN 0,0");
    let mut lines = Vec::new();
    while !lines.iter().any(|line| line == "INFO PV DONE") {
        lines.push(manager.hear());
    }
    assert!(lines.iter().any(|line| line.starts_with("INFO BESTLINE ")));
    let rest = manager.end();
    assert!(rest.iter().all(|line| !line.starts_with("ERROR")));
}

#[test]
fn the_best_moves_come_as_blocks_of_their_own() {
    let mut manager = Manager::new();
    manager.send("INFO show_detail 2\nINFO max_depth 4\nINFO timeout_turn -1");
    manager.send("YXBOARD\n7,7,2\n8,8,1\n9,7,2\nDONE\nYXNBEST 3");
    let mut lines = Vec::new();
    let answer = loop {
        let line = manager.hear();
        match line.strip_prefix("INFO ") {
            Some(info) => lines.push(info.to_string()),
            None => break line,
        }
    };
    let values = |key: &str| -> Vec<&str> {
        let last = lines.len() - 3 * 12;
        let value = |line| str::strip_prefix(line, key)?.strip_prefix(' ');
        lines[last..]
            .iter()
            .filter_map(|line| value(line))
            .collect()
    };
    assert_eq!(values("PV"), ["0", "DONE", "1", "DONE", "2", "DONE"]);
    assert_eq!(values("NUMPV"), ["3"; 3]);
    assert_eq!(values("DEPTH"), ["4"; 3]);
    let best: Vec<&str> = values("BESTLINE")
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(best[0], answer);
    assert!(
        best[0] != best[1] && best[1] != best[2] && best[2] != best[0],
        "{best:?}"
    );
}

#[test]
fn a_search_for_defences_tells_what_loses() {
    let mut manager = Manager::new();
    manager.send("INFO show_detail 1\nINFO max_depth 4\nINFO timeout_turn -1");
    // White has three in a row with both ends open.
    manager.send("YXBOARD\n0,0,1\n6,7,2\n14,0,1\n7,7,2\n0,14,1\n8,7,2\nDONE\nYXSEARCHDEFEND");
    let mut lost = Vec::new();
    let answer = loop {
        let line = manager
            .output
            .recv_timeout(Duration::from_secs(20))
            .unwrap();
        if let Some(point) = line.strip_prefix("MESSAGE REALTIME LOST ") {
            lost.push(point.to_string());
        } else if !line.starts_with("MESSAGE ") {
            break line;
        }
    };
    let defences = ["5,7", "9,7"];
    assert!(defences.contains(&answer.as_str()), "{answer}");
    assert!(
        defences
            .iter()
            .all(|point| !lost.contains(&(*point).to_string())),
        "{lost:?}"
    );
    // Each once, and everything else.
    lost.sort();
    lost.dedup();
    assert_eq!(lost.len(), 15 * 15 - 6 - defences.len());
}

#[test]
fn the_end_of_input_ends_the_session() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn 100000\nTURN 7,7");
    manager.input = None;
    for thread in manager.threads.drain(..) {
        thread.join().expect("a quiet end");
    }
}

#[test]
fn a_closed_output_ends_the_session() {
    let mut manager = Manager::new();
    manager.output = unbounded().1;
    manager.send("ABOUT");
    manager.threads.remove(0).join().expect("a quiet end");
}

/// Black to move would win by two fours at once; nothing else is near.
const FOUR_FOUR: &str = "BOARD\n4,7,1\n0,0,2\n5,7,1\n0,14,2\n6,7,1\n14,0,2\n7,4,1\n14,14,2\n7,5,1\n2,0,2\n7,6,1\n12,0,2\nDONE";

#[test]
fn only_wins_are_looked_for_when_that_is_asked_for() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn -1\nINFO checkmate 1");
    manager.send(FOUR_FOUR);
    let said: Vec<String> = std::iter::repeat_with(|| manager.hear_message())
        .take(2)
        .collect();
    assert!(said[0].contains(" ev +M"), "{said:?}");
    assert!(said[1].contains(','), "{said:?}");
    // Where there is none, that is said, and any move follows; limits do not matter.
    manager.send("BOARD\n7,7,2\n0,0,1\n14,14,2\nDONE");
    assert_eq!(
        manager.hear_message(),
        "MESSAGE no win by fours and threes was found"
    );
    manager.expect_move();
    // A win that begins on a blocked point is none.
    manager
        .send("yxblock\n7,7\n3,7\n8,7\n7,3\n7,8\n7,2\n7,9\n2,7\n9,7\ndone\nINFO timeout_turn 100");
    manager.send(FOUR_FOUR);
    assert_eq!(
        manager.hear_message(),
        "MESSAGE no win by fours and threes was found"
    );
    manager.expect_move();
    manager.send(
        "yxblockreset\nINFO checkmate 0\nINFO max_node 2000\nBOARD\n7,7,2\n0,0,1\n14,14,2\nDONE",
    );
    assert!(manager.hear_message().starts_with("MESSAGE rule "));
    assert!(manager.hear_message().starts_with("MESSAGE depth "));
    manager.expect_move();
}

#[test]
fn mirror_images_are_scored_once_when_that_is_asked_for() {
    let mut manager = Manager::new();
    manager.send("INFO show_detail 2\nINFO max_depth 2\nINFO timeout_turn -1");
    let mut moves = |setting: &str| {
        manager.send(&format!(
            "{setting}\nYXBOARD\n7,7,1\n7,6,2\nDONE\nYXNBEST 8"
        ));
        let mut moves = Vec::new();
        loop {
            let line = manager.hear();
            if let Some(line) = line.strip_prefix("INFO BESTLINE ") {
                moves.push(points(line)[0]);
            } else if !line.starts_with("INFO ") {
                return moves.split_off(moves.len() - 8);
            }
        }
    };
    let has_mirrors = |moves: &[Point]| {
        moves.iter().any(|point| {
            let image = Point::new(14 - point.x(), point.y());
            image != *point && moves.contains(&image)
        })
    };
    let all = moves("INFO nbestsym 0");
    let merged = moves("INFO nbestsym 1");
    assert!(
        has_mirrors(&all) && !has_mirrors(&merged),
        "{all:?} {merged:?}"
    );
}

#[test]
fn less_strength_means_less_search() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn -1\nINFO max_node 30000");
    let mut nodes = |strength: &str| -> u64 {
        manager.send(&format!(
            "START 15\nINFO strength {strength}\nBOARD\n7,7,2\n8,8,1\n9,7,2\nDONE"
        ));
        let line = loop {
            let line = manager.hear_message();
            if line.starts_with("MESSAGE depth ") {
                break line;
            }
        };
        manager.expect_move();
        let count = line
            .split(" n ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        count
            .and_then(|count| count.parse().ok())
            .expect("a number of nodes")
    };
    let (weak, middle, full) = (nodes("0"), nodes("40"), nodes("100"));
    assert!(
        weak < 1_000 && weak < middle && middle < 10_000,
        "{weak} {middle}"
    );
    assert!(full >= 20_000, "{full}");
    assert_eq!((nodes("-5"), nodes("200")), (weak, full));
}

#[test]
fn the_hash_table_tells_how_full_it_is() {
    let mut manager = Manager::new();
    manager.send("yxshowhashusage");
    assert_eq!(
        manager.hear_message(),
        "MESSAGE hash table: no search has used it yet"
    );
    manager.send("INFO hash_size 1024\nINFO timeout_turn -1\nINFO max_node 20000\nBOARD\n7,7,2\n8,8,1\n9,7,2\nDONE");
    manager.expect_move();
    manager.send("yxshowhashusage");
    let line = manager.hear_message();
    let percent = line
        .strip_prefix("MESSAGE hash table: ")
        .and_then(|text| text.strip_suffix(" % of 1 MB in use"))
        .and_then(|text| text.parse::<f64>().ok());
    assert!(
        percent.is_some_and(|percent| percent > 1.0 && percent <= 100.0),
        "{line}"
    );
    manager.send("yxhashclear\nyxshowhashusage");
    assert_eq!(
        manager.hear_message(),
        "MESSAGE hash table: no search has used it yet"
    );
}

#[test]
fn a_balance_search_takes_all_the_time_it_gets_and_stops_when_told() {
    let mut manager = Manager::new();
    // Nothing limits it: it goes on until it is stopped.
    manager.send("INFO timeout_turn -1\nYXBOARD\n7,7,1\n8,8,2\nDONE\nYXBALANCETWO 0");
    assert_eq!(manager.hear_for(Duration::from_secs(4)), None);
    manager.send("YXSTOP");
    assert_eq!(points(&manager.hear()).len(), 2);
    // A clock does, and the first stones of a game do not make it shorter.
    manager.send("INFO timeout_turn 2500\nYXBOARD\n7,7,1\n8,8,2\nDONE\nYXBALANCETWO 0");
    assert_eq!(manager.hear_for(Duration::from_millis(300)), None);
    assert_eq!(points(&manager.hear()).len(), 2);
}

#[test]
fn yixin_board_reads_lines_as_it_shows_them() {
    let mut manager = Manager::new();
    manager.send("INFO timeout_turn -1\nINFO max_node 1000\nINFO show_detail 1");
    // The only five is 2,7.
    let board = "BOARD\n3,7,1\n0,0,2\n4,7,1\n0,2,2\n5,7,1\n0,4,2\n6,7,1\n7,7,2\nDONE";
    let mut told = |first: &str| {
        manager.send(&format!("{first}\n{board}"));
        let lines: Vec<String> = std::iter::repeat_with(|| manager.hear_message())
            .take_while(|line| !line.starts_with(|c: char| c.is_ascii_digit()))
            .filter(|line| !line.contains("INFO") && !line.contains("rule"))
            .collect();
        assert_eq!(lines[0], "MESSAGE REALTIME BEST 2,7");
        assert!(lines[1].starts_with("MESSAGE REALTIME VAL "), "{lines:?}");
        lines[2..].join("|")
    };
    let column_first = told("INFO rule 0");
    assert!(
        column_first.starts_with("MESSAGE REALTIME PV C8|"),
        "{column_first}"
    );
    let row_first = told("yxshowinfo");
    assert!(
        row_first.starts_with("MESSAGE REALTIME PV H13|"),
        "{row_first}"
    );
    // Its START tells the width first, and its points the row.
    manager.send("START 15 20\nTURN 19,14");
    manager.expect("OK");
    manager.expect_move();
}

#[test]
fn a_first_stone_that_is_too_good_is_taken_over() {
    let mut manager = Manager::new();
    manager.send("INFO rule 5\nINFO swapable 1\nINFO timeout_turn -1\nINFO max_node 60000");
    manager.send("YXBOARD 7,7,2 DONE\nYXNBEST 1");
    manager.expect("SWAP");
    manager.send("YXBOARD 0,0,2 DONE\nYXNBEST 1");
    manager.expect_move();
    // Its own first stone is not the best one.
    manager.send("YXBOARD DONE\nYXNBEST 1");
    let first = manager.expect_move();
    assert_ne!(first, Xy { x: 7, y: 7 });
    manager.send("INFO swapable 0\nYXBOARD 7,7,2 DONE\nYXNBEST 1");
    manager.expect_move();
    manager.send("YXBOARD DONE\nYXNBEST 1");
    assert_eq!(manager.expect_move(), Xy { x: 7, y: 7 });
}
