//! Conversations through the real reader and session, over channels instead of pipes.

use std::io::{self, Read};
use std::thread::{self, JoinHandle};

use crossbeam_channel::unbounded;

use super::*;
use crate::protocol::reader;

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

#[test]
fn swap2_decisions_have_their_forms() {
    let mut manager = Manager::new();
    manager.send("SWAP2BOARD\nDONE");
    let line = manager.hear();
    assert_eq!(line.split(' ').count(), 3, "{line}");
    manager.send("SWAP2BOARD\n7,7\n8,7\n9,9\nDONE\nSWAP2BOARD 7,7 8,7 9,9 8,8 8,6 DONE");
    for _ in 0..2 {
        let line = manager.hear();
        assert!(line == "SWAP" || line.split(',').count() == 2, "{line}");
    }
    manager.send("BOARD\n7,7,2\n8,7,1\n9,9,2\nDONE");
    manager.expect_move();
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
