//! Proves wins by threats that leave the defender little choice.
//!
//! What it is for: [`vcf`] finds victories by continuous fours, [`vct`] those by fours and
//! threes. A proof comes with a line, and with a strategy that [`check`] replays from bare
//! stones without any of this crate's pattern tables.
//!
//! What it may assume: a board on which nobody has won yet. What it promises: a claimed win
//! is one, whatever the defender does; "no win" from [`vcf`] means that every four was tried.

pub mod check;
mod limits;
mod proof;
mod proof_table;
pub mod vcf;
pub mod vct;
mod zone;

pub use limits::Limits;
pub use proof::{Line, Proof};

use zone::Zone;
