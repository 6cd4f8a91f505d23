//! Blocks of numbers as they are embedded in the executable: tables and networks.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 4 | magic: what the block holds |
//! | 4 | rule, as managers number it; three zeros |
//! | 4 | how many numbers |
//! | 8 | checksum of the rest |
//! | 2 per number | the numbers, signed |
//!
//! Promises: a block that was cut, changed, or made for something else is an error, never other numbers.

use crate::rule::RuleKind;

const HEADER: usize = 20;

/// Packs `values` for `rule`.
#[must_use]
pub(super) fn pack(magic: [u8; 4], rule: RuleKind, values: &[i16]) -> Vec<u8> {
    let body: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let mut bytes = magic.to_vec();
    bytes.extend([rule.code(), 0, 0, 0]);
    bytes.extend(
        u32::try_from(values.len())
            .unwrap_or(u32::MAX)
            .to_le_bytes(),
    );
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// The `count` numbers of a block with `magic` for `rule`.
///
/// # Errors
/// When `bytes` is not such a block, or damaged.
pub(super) fn unpack(
    magic: [u8; 4],
    rule: RuleKind,
    count: usize,
    bytes: &[u8],
) -> Result<Vec<i16>, BlockError> {
    let (header, body) = bytes.split_at_checked(HEADER).ok_or(BlockError::Header)?;
    if header[..4] != magic {
        return Err(BlockError::Header);
    }
    if header[4] != rule.code() {
        return Err(BlockError::Rule {
            expected: rule.code(),
            found: header[4],
        });
    }
    if body.len() != 2 * count {
        return Err(BlockError::Length {
            expected: 2 * count,
            found: body.len(),
        });
    }
    if header[12..20] != checksum(body).to_le_bytes() {
        return Err(BlockError::Checksum);
    }
    Ok(body
        .as_chunks()
        .0
        .iter()
        .map(|&pair| i16::from_le_bytes(pair))
        .collect())
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// Why a block of weights cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum BlockError {
    /// Too short, or another magic.
    #[error("not a block of evaluation weights")]
    Header,
    /// Made for another rule.
    #[error("weights for rule {found}, expected rule {expected}")]
    Rule {
        /// The rule asked for, as managers number it.
        expected: u8,
        /// The rule of the block.
        found: u8,
    },
    /// Made for another set of parameters.
    #[error("{found} bytes of parameters, expected {expected}")]
    Length {
        /// Bytes that this version reads.
        expected: usize,
        /// Bytes in the block.
        found: usize,
    },
    /// Changed since it was made.
    #[error("the checksum of the weights does not match")]
    Checksum,
}
