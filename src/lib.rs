//! Quincunx: a Gomoku, Renju and Caro engine.
//!
//! The executable `pbrain-quincunx` is a thin shell around this library. Programs that want only a part of it
//! find each in a module of its own; none of them needs the text protocol. Scores are points of evaluation for the
//! side to move, of which 250 raise the odds of winning by a factor of e, or proved mates
//! ([`types::score`]); depths are plies, memory is bytes, nodes are positions entered.
//!
//! # Play, take back, ask who wins
//!
//! A [`Board`](board::Board) keeps for every empty point what a stone of either colour would make there
//! ([`Threat`](pattern::Threat)). It does not stop a game that is over, so ask before the move: one that makes
//! [`Threat::Five`](pattern::Threat::Five) wins, under every rule. [`rule::oracle`] says the same of bare stones, slowly.
//!
//! ```
//! use quincunx::board::{Board, NoObserver};
//! use quincunx::pattern::Threat;
//! use quincunx::rule::RuleKind;
//! use quincunx::types::{Colour, Point, Size};
//!
//! let size = Size::square(15);
//! let mut board = Board::new(size, RuleKind::Standard);
//! for text in ["H8", "A1", "H9", "A3", "H10", "A5", "H11", "A7"] {
//!     board.play(Point::parse(text, size)?, &mut NoObserver);
//! }
//! let wins: Vec<String> = board
//!     .points_with(Colour::Black, Threat::Five)
//!     .iter()
//!     .map(|point| point.letters(size).to_string())
//!     .collect();
//! assert_eq!(wins, ["H12", "H7"]);
//!
//! board.undo(); // White's A7
//! assert_eq!((board.ply(), board.side()), (7, Colour::White));
//! # Ok::<(), quincunx::types::ParsePointError>(())
//! ```
//!
//! # Forbidden points of renju
//!
//! ```
//! use quincunx::foul;
//! use quincunx::record::{Position, parse_moves};
//! use quincunx::rule::{FoulKind, RuleKind};
//! use quincunx::types::{Point, Size};
//!
//! let size = Size::square(15);
//! let moves = parse_moves("h8 a1 h9 a3 f10 a5 g10 a7", size)?;
//! let mut board = Position::from_moves(size, moves)?.board(RuleKind::Renju);
//! let point = Point::parse("H10", size)?;
//! assert!(foul::is_foul(&mut board, point));
//! assert!(foul::kinds(&mut board, point).contains(FoulKind::DoubleThree));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Prove a win by fours
//!
//! [`threat::vcf`] finds victories by continuous fours, [`threat::vct`] those by fours and threes. A win comes with a line in
//! which `None` stands where the defender has no reply; [`threat::check`] replays it from bare stones.
//!
//! ```
//! use quincunx::record::{Position, parse_moves};
//! use quincunx::rule::RuleKind;
//! use quincunx::threat::{Limits, check, vcf::{Vcf, Verdict}};
//! use quincunx::types::Size;
//!
//! let size = Size::square(15);
//! let moves = parse_moves("h8 a1 h9 a3 h10 a5", size)?;
//! let mut board = Position::from_moves(size, moves)?.board(RuleKind::Renju);
//! let Verdict::Win(line) = Vcf::new(16).solve_shortest(&mut board, &Limits::nodes(10_000)) else {
//!     panic!("an open three wins by a straight four");
//! };
//! assert_eq!(line.len(), 3); // the four, no reply that helps, the five
//! check::check_line(board.rule(), &board.to_grid(), board.side(), &line)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Search, and hear of progress
//!
//! A [`Searcher`](search::Searcher) thinks on the calling thread and asks a [`Control`](search::Control) whether to
//! stop. For a thread of its own, a clock and pondering there is [`engine::Engine`].
//!
//! ```
//! use quincunx::board::Board;
//! use quincunx::rule::RuleKind;
//! use quincunx::search::{Control, Limits, Report, Searcher};
//! use quincunx::types::Size;
//!
//! /// Prints each finished iteration and stops after the fourth.
//! struct Printer;
//!
//! impl Control for Printer {
//!     fn should_stop(&mut self, _nodes: u64) -> bool {
//!         false
//!     }
//!
//!     fn iteration(&mut self, report: &Report) -> bool {
//!         println!("depth {}: {:+} after {} nodes", report.depth, report.score, report.nodes);
//!         report.depth < 4
//!     }
//! }
//!
//! let mut board = Board::new(Size::square(15), RuleKind::Freestyle);
//! let mut searcher = Searcher::new(1 << 20);
//! let report = searcher.think(&mut board, &Limits::default(), &mut Printer);
//! assert_eq!(report.depth, 4);
//! assert_eq!(report.line.first(), Some(&board.size().centre()));
//! ```
//!
//! # How a command becomes a move
//!
//! ```text
//! reader thread → parse → Command → the session's one inbox → Engine::go, which returns at once
//!     → search → Event → the same inbox → Reply → standard output, one write per line
//! ```
//!
//! The reader also holds the stop flag, so `STOP`, `END` and the end of input act at once.
//!
//! # Modules
//!
//! In the order in which they lean on each other; no arrow points back. Those in brackets are inside the crate only:
//! evaluation, hash table, move-ordering statistics and clock are reached through the search and the engine.
//!
//! ```text
//! types ← rule ← pattern ← board ← foul ← movegen ← threat ← search ← engine ← protocol ← cli
//!         [eval] (board, pattern) ← search      [simd] ← [tt, eval]      [tt, history, clock] ← search, engine
//!         record (types, rule, board) ← cli
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod board;
pub mod cli;
mod clock;
pub mod engine;
mod eval;
pub mod foul;
mod history;
pub mod movegen;
pub mod pattern;
pub mod protocol;
pub mod record;
pub mod rule;
pub mod search;
mod simd;
pub mod threat;
mod tt;
pub mod types;
