//! The parameters that the executable carries: one [block] per rule with magic `QXW1`, made by
//! `pbrain-quincunx train`; the numbers are in the order of [`params`].

use std::sync::LazyLock;

use super::block::{self, BlockError};
use super::combo::{self, COMBOS, Combos};
use super::params::Place;
use super::{hand, params};
use crate::pattern::{Key, Threat};
use crate::rule::RuleKind;
use crate::types::{ByColour, Colour};

const MAGIC: &[u8; 4] = b"QXW1";

/// The fitted parameters of each rule, in the order of [`RuleKind::ALL`]; empty where there are none.
const EMBEDDED: [&[u8]; 5] = [
    include_bytes!("fitted/freestyle.bin"),
    include_bytes!("fitted/standard.bin"),
    include_bytes!("fitted/renju.bin"),
    include_bytes!("fitted/caro.bin"),
    include_bytes!("fitted/caro-exact.bin"),
];

/// The tables that an [`Evaluation`](super::Evaluation) reads, unfolded from the parameters.
pub(crate) struct Weights {
    /// Index: colour, combo; see [`cell`](Self::cell).
    cells: ByColour<Box<[[i16; 2]; combo::ROOM]>>,
    combos: &'static Combos,
    /// Index: threat, number of points.
    pub(super) own_threats: [[i32; params::MOST + 1]; Threat::COUNT],
    /// Index: threat, number of points.
    pub(super) opponent_threats: [[i32; params::MOST + 1]; Threat::COUNT],
    pub(super) tempo: i32,
    /// Index: colour of the mover, combo of its key there.
    policy_own: ByColour<Box<[i16; combo::ROOM]>>,
    /// Index: colour of the opponent, combo of its key there.
    policy_opponent: ByColour<Box<[i16; combo::ROOM]>>,
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
    pub(crate) fn of(rule: RuleKind) -> &'static Self {
        &ALL[rule.index()]
    }

    /// Unfolds `values`, laid out as [`params`] says.
    ///
    /// # Panics
    /// When the number of values is not [`params::COUNT`].
    #[must_use]
    pub(crate) fn new(rule: RuleKind, values: &[i16]) -> Self {
        assert_eq!(values.len(), params::COUNT, "number of parameters");
        let cells = Colour::ALL.map(|colour| {
            let mut cells = Box::new([[0; 2]; combo::ROOM]);
            for combo in 0..COMBOS {
                cells[combo] = [
                    values[params::own_cell(rule, colour, combo)],
                    values[params::opponent_cell(rule, colour, combo)],
                ];
            }
            cells
        });
        let threats = |index: fn(Threat, usize) -> usize| {
            Threat::ALL
                .map(|threat| std::array::from_fn(|count| i32::from(values[index(threat, count)])))
        };
        let policy = |index: &dyn Fn(Colour, usize) -> usize| {
            ByColour(Colour::ALL.map(|colour| {
                let mut odds = Box::new([0; combo::ROOM]);
                for combo in 0..COMBOS {
                    odds[combo] = values[index(colour, combo)];
                }
                odds
            }))
        };
        let places =
            |index: fn(Place) -> usize| Place::ALL.map(|place| i32::from(values[index(place)]));
        Self {
            cells: ByColour(cells),
            combos: combo::combos(),
            own_threats: threats(params::own_threat),
            opponent_threats: threats(params::opponent_threat),
            tempo: values[params::TEMPO].into(),
            policy_own: policy(&|colour, combo| params::policy_own(rule, colour, combo)),
            policy_opponent: policy(&|colour, combo| params::policy_opponent(rule, colour, combo)),
            policy_last: places(params::policy_last),
            policy_own_last: places(params::policy_own_last),
        }
    }

    /// What an empty cell with `key` for `colour` is worth: to that colour when it is to move, to its opponent when
    /// that one is. (By combos, as these tables fit the CPU's caches better than ones by keys would.)
    #[must_use]
    #[inline]
    pub(super) fn cell(&self, colour: Colour, key: Key) -> [i16; 2] {
        self.cells[colour][self.combo(key)]
    }

    #[inline]
    fn combo(&self, key: Key) -> usize {
        usize::from(self.combos[key.index()]) & (combo::ROOM - 1)
    }

    /// How likely a move is the best, as the logarithm of its odds in 1/100: the mover is `side`, the
    /// point has `keys`, and lies at `last` beside the last move and at `own_last` beside the
    /// mover's last.
    #[must_use]
    #[inline]
    pub(crate) fn policy(
        &self,
        side: Colour,
        keys: ByColour<Key>,
        last: Place,
        own_last: Place,
    ) -> i32 {
        i32::from(self.policy_own[side][self.combo(keys[side])])
            + i32::from(self.policy_opponent[!side][self.combo(keys[!side])])
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
pub(crate) fn parameters(rule: RuleKind) -> Vec<i16> {
    if !is_fitted(rule) {
        return hand::parameters(rule);
    }
    decode(rule, EMBEDDED[rule.index()]).expect("the embedded weights are whole")
}

/// Packs parameters into a [block].
#[must_use]
pub(crate) fn encode(rule: RuleKind, values: &[i16]) -> Vec<u8> {
    block::pack(*MAGIC, rule, values)
}

/// Reads what [`encode`] wrote.
///
/// # Errors
/// When the block is not one of `rule`, or damaged.
pub(crate) fn decode(rule: RuleKind, bytes: &[u8]) -> Result<Vec<i16>, BlockError> {
    block::unpack(*MAGIC, rule, params::COUNT, bytes)
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
            Err(BlockError::Rule {
                expected: 1,
                found: 4
            })
        ));
        assert!(matches!(
            decode(RuleKind::Renju, &bytes[..bytes.len() - 2]),
            Err(BlockError::Length { .. })
        ));
        assert_eq!(
            decode(RuleKind::Renju, &bytes[..5]),
            Err(BlockError::Header)
        );
        for place in [0, 12, 20, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(decode(RuleKind::Renju, &damaged).is_err(), "byte {place}");
        }
    }
}
