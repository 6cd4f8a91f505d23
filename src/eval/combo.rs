//! The four classes of a point without their order: what an evaluation can know of a cell.
//!
//! A [`Key`] says which class lies on which line; for judging a cell only the multiset matters.
//! There are [`COMBOS`] of them, numbered in colexicographic order of the sorted classes.

use std::sync::LazyLock;

use crate::pattern::{Class, Key};

/// Number of multisets of four classes.
pub(crate) const COMBOS: usize = binomial(Class::ALL.len() + 3, 4);

/// Index: key. Keys with a number that is no class count it as [`Class::Dead`].
static OF_KEY: LazyLock<Box<Combos>> = LazyLock::new(|| {
    let ranks: Box<[u16]> = (0..=u16::MAX).map(|key| rank(Key(key))).collect();
    ranks.try_into().expect("one for each key")
});

/// The combo of each key. Index: key.
pub(crate) type Combos = [u16; 1 << 16];

/// Length of a table with an entry per combo whose look-ups need no check: a mask keeps any index inside.
pub(crate) const ROOM: usize = COMBOS.next_power_of_two();

/// All of [`combo`], for loops that should not ask each time whether it has been computed. Index: key.
#[must_use]
pub(crate) fn combos() -> &'static Combos {
    &OF_KEY
}

/// The number of the multiset of classes of `key`, below [`COMBOS`].
#[must_use]
#[inline]
pub(crate) fn combo(key: Key) -> usize {
    usize::from(combos()[key.index()])
}

fn rank(key: Key) -> u16 {
    let mut classes = key.classes().map(|class| class as usize);
    classes.sort_unstable();
    let rank: usize = classes
        .iter()
        .enumerate()
        .map(|(i, &class)| binomial(class + i, i + 1))
        .sum();
    u16::try_from(rank).expect("below COMBOS")
}

const fn binomial(n: usize, k: usize) -> usize {
    let mut result = 1;
    let mut i = 0;
    while i < k {
        if n < k {
            return 0;
        }
        result = result * (n - i) / (i + 1);
        i += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_multiset_has_its_own_number() {
        let mut seen = vec![None; COMBOS];
        for a in Class::ALL {
            for b in Class::ALL {
                for c in Class::ALL {
                    for d in Class::ALL {
                        let mut sorted = [a, b, c, d];
                        sorted.sort();
                        let slot = &mut seen[combo(Key::new([a, b, c, d]))];
                        assert!(slot.is_none_or(|other| other == sorted));
                        *slot = Some(sorted);
                    }
                }
            }
        }
        assert!(seen.iter().all(Option::is_some));
    }
}
