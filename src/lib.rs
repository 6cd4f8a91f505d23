//! Quincunx: a Gomoku, Renju and Caro engine.
//!
//! The executable `pbrain-quincunx` is a thin shell around this library. Programs that want only a
//! part of it (the rules, the foul test, the search) find each in a module of its own:
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
//! assert!(foul::kinds(&mut board, point).contains(FoulKind::DoubleThree));
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
//! In the order in which they lean on each other; no arrow points back.
//!
//! ```text
//! types ← rule ← pattern ← board ← foul ← movegen ← threat ← search ← engine ← protocol ← cli
//!         eval (board, pattern) ← search           tt, history, clock ← search, engine
//!         record (types, rule, board) ← cli
//! ```
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod board;
pub mod cli;
pub mod clock;
pub mod engine;
pub mod eval;
pub mod foul;
pub mod history;
pub mod movegen;
pub mod pattern;
pub mod protocol;
pub mod record;
pub mod rule;
pub mod search;
mod simd;
pub mod threat;
pub mod tt;
pub mod types;
