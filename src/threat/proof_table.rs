//! Memory of a proof-number search: how hard each position seems to prove and to disprove.
//!
//! Bounded: clusters of four entries; the entry with the least work behind it is overwritten. What
//! is forgotten is searched again.

/// How many leaves must at least be proved (disproved) to prove (disprove) a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// To prove that the attacker wins.
    pub(super) proof: u32,
    /// To prove that it does not by the threats that are searched.
    pub(super) disproof: u32,
}

impl Numbers {
    /// More than any number that can be reached.
    pub(super) const INFINITE: u32 = 1 << 30;
    pub(super) const WON: Self = Self {
        proof: 0,
        disproof: Self::INFINITE,
    };
    pub(super) const LOST: Self = Self {
        proof: Self::INFINITE,
        disproof: 0,
    };

    /// The limits of a search that goes on until the position is settled.
    pub(super) const UNREACHED: Self = Self {
        proof: Self::INFINITE,
        disproof: Self::INFINITE,
    };

    pub(super) const fn is_won(self) -> bool {
        self.proof == 0
    }

    pub(super) const fn is_lost(self) -> bool {
        self.disproof == 0
    }
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    numbers: Numbers,
    /// Positions entered below this one.
    work: u32,
    /// The [`ProofTable::age`] at which it was written; any other means that it is free.
    age: u32,
}

const CLUSTER: usize = 4;

/// The memory.
pub(super) struct ProofTable {
    entries: Box<[Entry]>,
    age: u32,
}

impl ProofTable {
    /// As many entries as fit into `bytes`, a power of two.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Entry>()).max(CLUSTER);
        let count = 1 << count.ilog2();
        let empty = Entry {
            key: 0,
            numbers: Numbers::LOST,
            work: 0,
            age: 0,
        };
        Self {
            entries: vec![empty; count].into_boxed_slice(),
            age: 1,
        }
    }

    /// Forgets everything, in no time.
    pub(super) fn clear(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    pub(super) fn get(&self, key: u64) -> Option<Numbers> {
        self.cluster(key)
            .iter()
            .find(|entry| entry.key == key && entry.age == self.age)
            .map(|entry| entry.numbers)
    }

    pub(super) fn put(&mut self, key: u64, numbers: Numbers, work: u64) {
        let age = self.age;
        let start = self.start(key);
        let cluster = &mut self.entries[start..start + CLUSTER];
        let same = cluster
            .iter()
            .position(|entry| entry.key == key && entry.age == age);
        let slot = same.unwrap_or_else(|| {
            (0..CLUSTER)
                .min_by_key(|&i| (cluster[i].age == age, cluster[i].work))
                .expect("a cluster has entries")
        });
        let before = if same.is_some() {
            cluster[slot].work
        } else {
            0
        };
        cluster[slot] = Entry {
            key,
            numbers,
            work: before.saturating_add(u32::try_from(work).unwrap_or(u32::MAX)),
            age,
        };
    }

    fn cluster(&self, key: u64) -> &[Entry] {
        let start = self.start(key);
        &self.entries[start..start + CLUSTER]
    }

    fn start(&self, key: u64) -> usize {
        let mask = (self.entries.len() - 1) as u64 & !(CLUSTER as u64 - 1);
        usize::try_from(key & mask).expect("below the length")
    }
}
