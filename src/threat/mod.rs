//! Proves wins by threats that leave the defender no choice.
//!
//! [`vcf`]: victory by continuous fours. A proof comes with a line that a few lines of code
//! can replay from bare stones.

pub mod vcf;
