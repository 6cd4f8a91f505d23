//! Whole games between two processes of the engine, refereed from bare stones: under every rule, on
//! small, usual, large and rectangular boards, and against the clock.

mod pipes;

use std::time::Duration;

use pipes::position::Position;
use pipes::process::{Process, Program, parse_point, slack};
use pipes::{Fault, run_all};
use quincunx::rule::RuleKind;
use quincunx::types::{Colour, Point, Size, SplitMix64};

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Win(Colour),
    Full,
    /// Black had only forbidden points left.
    NothingLegal,
}

/// Milliseconds of a player: for a move, and for the rest of the game if that is limited.
#[derive(Clone, Copy, Debug)]
struct Time {
    turn: u64,
    left: Option<u64>,
}

/// A player of a match: the process stays for all games, as c-gomoku-cli keeps it.
struct Player {
    engine: Process,
    time: Time,
    /// Whether the engine knows the board of this game yet.
    seated: bool,
}

impl Player {
    /// The engine under test and the one that this crate builds: the same unless another is named.
    fn pair() -> [Self; 2] {
        [Program::engine(), Program::built()].map(|program| Self::start_program(&program))
    }

    fn start_program(program: &Program) -> Self {
        Self {
            engine: Process::start(program),
            time: Time {
                turn: 1000,
                left: None,
            },
            seated: false,
        }
    }

    /// Tells of a new game.
    fn start(&mut self, size: Size, rule: RuleKind, time: Time) -> Result<(), Fault> {
        (self.time, self.seated) = (time, false);
        let start = if size.is_square() {
            format!("START {}", size.width())
        } else {
            format!("RECTSTART {},{}", size.width(), size.height())
        };
        self.engine.line(&start)?;
        let deadline = self.engine.since + Duration::from_millis(50) + slack();
        let line = self.engine.answer(deadline)?;
        if line.text != "OK" {
            return Err(format!("expected OK, got {:?}", line.text));
        }
        let limit = time.left.unwrap_or(0);
        self.engine.line(&format!(
            "INFO rule {}\nINFO timeout_turn {}\nINFO timeout_match {limit}\nINFO max_node {}",
            rule.code(),
            time.turn,
            if time.left.is_some() { 0 } else { 200 }
        ))
    }

    /// Asks for a move on `position`.
    fn ask(&mut self, position: &Position) -> Result<Point, Fault> {
        let left = self.time.left;
        let left_text = left.unwrap_or(2_147_483_647);
        let question = match position.stones().last() {
            None => "BEGIN".to_owned(),
            Some(last) if self.seated => format!("TURN {last}"),
            Some(_) => format!("BOARD\n{}\nDONE", position.board_lines().join("\n")),
        };
        self.seated = true;
        self.engine
            .line(&format!("INFO time_left {left_text}\n{question}"))?;
        let limit = self.time.turn.min(left.unwrap_or(u64::MAX));
        let asked = self.engine.since;
        let deadline = asked + Duration::from_millis(limit) + slack();
        let line = self.engine.answer(deadline)?;
        if let Some(left) = &mut self.time.left {
            let used = line.at.saturating_duration_since(asked).as_millis();
            *left = left.saturating_sub(u64::try_from(used).unwrap_or(u64::MAX));
        }
        let at = parse_point(&line.text).ok_or(format!("expected a move, got {:?}", line.text))?;
        position.legal(at)
    }
}

/// Plays one game from `position`, Black first in `players` if it is Black's turn.
fn game(players: &mut [Player; 2], mut position: Position) -> Result<End, Fault> {
    loop {
        if position.empty().next().is_none() {
            return Ok(End::Full);
        }
        let side = position.side();
        let point = players[side.index()].ask(&position)?;
        if position.is_foul(point) {
            return Ok(End::NothingLegal);
        }
        if position.wins(side, point) {
            return Ok(End::Win(side));
        }
        position.play(point);
    }
}

/// A few stones near the middle that decide nothing, so that games differ.
fn opening(random: &mut SplitMix64, size: Size, rule: RuleKind, stones: usize) -> Position {
    let mut position = Position::new(size, rule);
    while position.stones().len() < stones {
        let near: Vec<Point> = position
            .empty()
            .filter(|&point| point.distance(size.centre()) <= 2 && !position.is_foul(point))
            .collect();
        position.play(near[random.below(near.len())]);
    }
    position
}

/// Plays games on boards of these sizes between the same two processes, then ends them.
fn series(rule: RuleKind, sizes: &[Size], time: Time) -> Result<Vec<End>, Fault> {
    let mut players = Player::pair();
    let mut random = SplitMix64::new(u64::from(rule.code()) + 1);
    let mut ends = Vec::new();
    let mut play = |players: &mut [Player; 2]| {
        for (number, &size) in sizes.iter().enumerate() {
            for player in &mut *players {
                player.start(size, rule, time)?;
            }
            let position = opening(&mut random, size, rule, number % 5);
            let (width, height) = (size.width(), size.height());
            let end = game(players, position)
                .map_err(|fault| format!("on {width} x {height}: {fault}"))?;
            ends.push(end);
            players.swap(0, 1);
        }
        for player in players {
            player.engine.quit()?;
        }
        Ok(())
    };
    match play(&mut players) {
        Ok(()) => Ok(ends),
        Err::<_, Fault>(fault) => {
            let [first, second] = players.map(|player| player.engine.transcript());
            Err(format!(
                "{rule} {fault}\none player:\n{first}the other:\n{second}"
            ))
        }
    }
}

#[test]
fn every_rule_on_every_kind_of_board() {
    let sizes: Vec<Size> = [5, 10, 15, 19, 20, 22]
        .map(Size::square)
        .into_iter()
        .chain(Size::new(20, 10))
        .chain(Size::new(7, 22))
        .collect();
    let time = Time {
        turn: 1000,
        left: None,
    };
    run_all(&RuleKind::ALL, |&rule| {
        let ends = series(rule, &sizes, time)?;
        // A board of 5 x 5 fills up; with so many games undecided the referee would be blind.
        let won = ends.iter().filter(|end| matches!(end, End::Win(_))).count();
        if won == 0 {
            return Err(format!("{rule}: nobody won any game: {ends:?}"));
        }
        Ok(())
    });
}

/// Engines lost on time by using the whole turn under a match limit, or a little more than it.
#[test]
fn the_clock_is_kept() {
    let size = Size::square(15);
    let times = [
        // A short turn, and a match that lasts for about fifteen of them.
        Time {
            turn: 100,
            left: Some(1500),
        },
        // A turn that is no help: only the match limits.
        Time {
            turn: 5000,
            left: Some(1500),
        },
    ];
    run_all(&times, |&time| {
        let mut players = Player::pair();
        for player in &mut players {
            player.start(size, RuleKind::Freestyle, time)?;
        }
        let position = opening(&mut SplitMix64::new(19), size, RuleKind::Freestyle, 2);
        game(&mut players, position)?;
        for player in &mut players {
            if player.time.left == Some(0) {
                return Err(format!("out of time\n{}", player.engine.transcript()));
            }
            player.engine.quit()?;
        }
        Ok(())
    });
}
