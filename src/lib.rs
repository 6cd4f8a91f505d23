//! Quincunx: a Gomoku, Renju and Caro engine.
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
pub mod threat;
pub mod tt;
pub mod types;
