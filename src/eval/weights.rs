//! The parameters that the executable carries, and their file format.
//!
//! One file per rule, made by `pbrain-quincunx train`, little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | magic `QXW1` |
//! | 1 | rule, as managers number it |
//! | 3 | zero |
//! | 4 | number of parameters |
//! | 8 | checksum: FNV-1a of the parameters' bytes |
//! | 2 each | the parameters, in the order of [`params`] |

use std::sync::LazyLock;

use super::combo::{COMBOS, combo};
use super::params::Place;
use super::{hand, params};
use crate::pattern::{Key, Threat};
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour};

const MAGIC: &[u8; 4] = b"QXW1";
const HEADER: usize = 20;

/// The fitted parameters of each rule, in the order of [`RuleKind::ALL`]; empty where there are none.
const EMBEDDED: [&[u8]; 5] = [
    include_bytes!("fitted/freestyle.bin"),
    include_bytes!("fitted/standard.bin"),
    include_bytes!("fitted/renju.bin"),
    include_bytes!("fitted/caro.bin"),
    include_bytes!("fitted/caro-exact.bin"),
];

/// The tables that an [`Evaluation`](super::Evaluation) reads, unfolded from the parameters.
pub struct Weights {
    /// Index: colour, key. What an empty cell with this key is worth: to its colour when that
    /// is to move, to the opponent when that one is.
    pub(super) cells: ByColour<Box<[[i16; 2]]>>,
    /// Index: threat, number of points.
    pub(super) own_threats: [[i32; params::MOST + 1]; Threat::COUNT],
    /// Index: threat, number of points.
    pub(super) opponent_threats: [[i32; params::MOST + 1]; Threat::COUNT],
    pub(super) tempo: i32,
    /// Index: colour of the mover, combo of its key there.
    policy_own: ByColour<Box<[i16]>>,
    /// Index: colour of the opponent, combo of its key there.
    policy_opponent: ByColour<Box<[i16]>>,
    policy_last: [i32; Place::COUNT],
    policy_own_last: [i32; Place::COUNT],
}

static ALL: [LazyLock<Weights>; 5] = [
    LazyLock::new(|| Weights::embedded(RuleKind::Freestyle)),
    LazyLock::new(|| Weights::embedded(RuleKind::Standard)),
    LazyLock::new(|| Weights::embedded(RuleKind::Renju)),
    LazyLock::new(|| Weights::embedded(RuleKind::Caro)),
    LazyLock::new(|| Weights::embedded(RuleKind::CaroExact)),
];

impl Weights {
    /// The weights for `rule`, unfolded by the first call (about a millisecond).
    #[must_use]
    pub fn of(rule: RuleKind) -> &'static Self {
        &ALL[rule.index()]
    }

    /// Unfolds `values`, laid out as [`params`] says.
    ///
    /// # Panics
    /// When the number of values is not [`params::COUNT`].
    #[must_use]
    pub fn new(rule: RuleKind, values: &[i16]) -> Self {
        assert_eq!(values.len(), params::COUNT, "number of parameters");
        let cells = Colour::ALL.map(|colour| {
            (0..=u16::MAX)
                .map(|key| {
                    let combo = combo(Key(key));
                    [
                        values[params::own_cell(rule, colour, combo)],
                        values[params::opponent_cell(rule, colour, combo)],
                    ]
                })
                .collect()
        });
        let threats = |index: fn(Threat, usize) -> usize| {
            Threat::ALL
                .map(|threat| std::array::from_fn(|count| i32::from(values[index(threat, count)])))
        };
        let policy = |index: &dyn Fn(Colour, usize) -> usize| {
            ByColour(Colour::ALL.map(|colour| {
                (0..COMBOS)
                    .map(|combo| values[index(colour, combo)])
                    .collect::<Box<[i16]>>()
            }))
        };
        let places =
            |index: fn(Place) -> usize| Place::ALL.map(|place| i32::from(values[index(place)]));
        Self {
            cells: ByColour(cells),
            own_threats: threats(params::own_threat),
            opponent_threats: threats(params::opponent_threat),
            tempo: values[params::TEMPO].into(),
            policy_own: policy(&|colour, combo| params::policy_own(rule, colour, combo)),
            policy_opponent: policy(&|colour, combo| params::policy_opponent(rule, colour, combo)),
            policy_last: places(params::policy_last),
            policy_own_last: places(params::policy_own_last),
        }
    }

    /// How likely a move is the best, as the logarithm of its odds in 1/100: the mover is `side`, the
    /// point has `keys`, and lies at `last` beside the last move and at `own_last` beside the
    /// mover's last.
    #[must_use]
    #[inline]
    pub fn policy(&self, side: Colour, keys: ByColour<Key>, last: Place, own_last: Place) -> i32 {
        i32::from(self.policy_own[side][combo(keys[side])])
            + i32::from(self.policy_opponent[!side][combo(keys[!side])])
            + self.policy_last[last.index()]
            + self.policy_own_last[own_last.index()]
    }

    fn embedded(rule: RuleKind) -> Self {
        Self::new(rule, &parameters(rule))
    }
}

/// Whether `rule` has fitted parameters; otherwise the hand-made ones are used.
#[must_use]
pub(super) const fn is_fitted(rule: RuleKind) -> bool {
    !EMBEDDED[rule.index()].is_empty()
}

/// The parameters in use for `rule`.
///
/// # Panics
/// When the embedded block is damaged, which a test rules out.
#[must_use]
pub fn parameters(rule: RuleKind) -> Vec<i16> {
    if !is_fitted(rule) {
        return hand::parameters(rule);
    }
    decode(rule, EMBEDDED[rule.index()]).expect("the embedded weights are whole")
}

/// Packs parameters into the file format.
#[must_use]
pub fn encode(rule: RuleKind, values: &[i16]) -> Vec<u8> {
    let body: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let mut bytes = MAGIC.to_vec();
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

/// Reads what [`encode`] wrote.
///
/// # Errors
/// When the block is not one of `rule`, or damaged.
pub fn decode(rule: RuleKind, bytes: &[u8]) -> Result<Vec<i16>, WeightsError> {
    let (header, body) = bytes.split_at_checked(HEADER).ok_or(WeightsError::Header)?;
    if header[..4] != *MAGIC {
        return Err(WeightsError::Header);
    }
    if header[4] != rule.code() {
        return Err(WeightsError::Rule {
            expected: rule.code(),
            found: header[4],
        });
    }
    if body.len() != 2 * params::COUNT {
        return Err(WeightsError::Length {
            expected: 2 * params::COUNT,
            found: body.len(),
        });
    }
    if header[12..20] != checksum(body).to_le_bytes() {
        return Err(WeightsError::Checksum);
    }
    Ok(body
        .as_chunks()
        .0
        .iter()
        .map(|&pair| i16::from_le_bytes(pair))
        .collect())
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// Why a block of weights cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WeightsError {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_weights_are_whole() {
        for rule in RuleKind::ALL {
            assert_eq!(parameters(rule).len(), params::COUNT);
        }
    }

    #[test]
    fn damage_is_seen() {
        let values = hand::parameters(RuleKind::Renju);
        let bytes = encode(RuleKind::Renju, &values);
        assert_eq!(decode(RuleKind::Renju, &bytes), Ok(values));
        assert!(matches!(
            decode(RuleKind::Standard, &bytes),
            Err(WeightsError::Rule {
                expected: 1,
                found: 4
            })
        ));
        assert!(matches!(
            decode(RuleKind::Renju, &bytes[..bytes.len() - 2]),
            Err(WeightsError::Length { .. })
        ));
        assert_eq!(
            decode(RuleKind::Renju, &bytes[..5]),
            Err(WeightsError::Header)
        );
        for place in [0, 12, 20, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(decode(RuleKind::Renju, &damaged).is_err(), "byte {place}");
        }
    }
}
