//! From the cells around a point to what a stone there would mean.
//!
//! Two steps, both table look-ups built once per rule:
//!
//! 1. the window of a line around an *empty* point, up to [`RuleKind::reach`] cells each side,
//!    gives a [`Class`] per colour: what a stone of that colour on the point makes on
//!    that line;
//! 2. the four classes of a point (its [`Key`]) give a [`Threat`]: what the stone makes in
//!    all.
//!
//! Assumes line words as [`crate::board`] keeps them: two bits per cell, [`WALL_BITS`],
//! [`BLACK_BITS`], [`WHITE_BITS`] or [`EMPTY_BITS`]. Promises: the classes are exact for every
//! line through the point (they depend on nothing outside the window), and so is the threat,
//! except [`Threat::Foul`], which may be a legal point (see [`crate::foul`]).
//!
//! [`RuleKind::reach`]: crate::rule::RuleKind::reach

mod class;
mod generate;
mod tables;
mod threat;
mod windows;

pub use class::{Class, Key};
pub use tables::{BLACK_BITS, EMPTY_BITS, Tables, WALL_BITS, WHITE_BITS};
pub use threat::Threat;
pub(crate) use windows::Windows;
