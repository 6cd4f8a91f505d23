//! The transposition table: what searches remember of positions, shared between threads.
//!
//! Lock-free: an entry is two atomic words, the data and the key exclusive-ored with the data. A
//! torn write leaves a pair that matches no position, so a probe sees a whole entry or none
//! (Hyatt and Mann, "A lock-less transposition-table implementation for parallel search
//! chess engines", 2002). Entries live in buckets of four, one cache line.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "fields are packed into bits, each clamped to its width first"
)]

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Zeroable;
use rayon::prelude::*;

use crate::simd;
use crate::types::{GRID, Point, Score};

/// How a stored score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Bound {
    /// The true score is at most the stored one.
    Upper = 1,
    /// The true score is at least the stored one.
    Lower = 2,
    /// The stored score is the true one.
    Exact = 3,
}

impl Bound {
    /// What a search within `(alpha, beta)` that returned `score` has found out.
    #[must_use]
    pub(crate) const fn of(score: Score, alpha: Score, beta: Score) -> Self {
        if score >= beta {
            Self::Lower
        } else if score > alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Score, mates counted from this position; see [`crate::types::score::to_table`].
    pub score: Score,
    /// Static evaluation of the position.
    pub eval: Score,
    /// Depth in plies that the score was searched to.
    pub depth: i32,
    /// What the score means.
    pub bound: Bound,
    /// The best move found.
    pub best: Option<Point>,
}

#[derive(Zeroable)]
#[repr(C)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Slots that share a cache line.
type Bucket = [Slot; 4];

const CACHE_LINE: usize = 64;
const _: () = assert!(size_of::<Bucket>() == CACHE_LINE);

/// A table of a fixed number of entries.
pub(crate) struct Table {
    slots: Vec<Slot>,
    /// The first slot at the start of a cache line. Not left to the allocator: it hands out
    /// untouched zeroed memory only for small alignments.
    first: usize,
    age: AtomicU64,
}

const AGE_MASK: u64 = 31;
/// Depths are stored with this offset, so that leaves with negative depth fit.
const DEPTH_OFFSET: i32 = 16;

impl Table {
    /// A table of at most `bytes` bytes (at least one bucket of 64 bytes). Memory is handed out by the
    /// system as it is first written, so this is quick.
    #[must_use]
    pub(crate) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let slots: Vec<Slot> = bytemuck::zeroed_vec(4 * count + 3);
        let first = slots.as_ptr().align_offset(CACHE_LINE).min(3);
        Self {
            slots,
            first,
            age: AtomicU64::new(0),
        }
    }

    /// Size in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.buckets())
    }

    /// How much of the table is in use, in thousandths; an estimate from a few thousand entries, which lie
    /// everywhere with the same probability.
    #[must_use]
    pub(crate) fn used(&self) -> u32 {
        let buckets = self.buckets();
        let sample = buckets[..buckets.len().min(1_000)].as_flattened();
        let used = sample
            .iter()
            .filter(|slot| slot.data.load(Ordering::Relaxed) != 0);
        u32::try_from(used.count() * 1_000 / sample.len()).unwrap_or(1_000)
    }

    /// Forgets everything, on all cores.
    pub(crate) fn clear(&mut self) {
        *self.age.get_mut() = 0;
        self.slots
            .par_iter_mut()
            .with_min_len(1 << 16)
            .for_each(|slot| {
                *slot.check.get_mut() = 0;
                *slot.data.get_mut() = 0;
            });
    }

    /// Writes every entry, for [`load`](Self::load): key and data as little-endian words. Returns how
    /// many there are.
    ///
    /// # Errors
    /// Those of `out`.
    pub(crate) fn save(&self, out: &mut impl Write) -> io::Result<u64> {
        let mut count = 0;
        for slot in self.buckets().as_flattened() {
            let data = slot.data.load(Ordering::Relaxed);
            if data != 0 {
                let hash = slot.check.load(Ordering::Relaxed) ^ data;
                out.write_all(&hash.to_le_bytes())?;
                out.write_all(&data.to_le_bytes())?;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Stores the entries that [`save`](Self::save) wrote, for a table of any size. Returns how many
    /// there are.
    ///
    /// # Errors
    /// Those of `input`, also when it ends within an entry; what came before is stored.
    pub(crate) fn load(&self, input: &mut impl Read) -> io::Result<u64> {
        let mut count = 0;
        let mut word = [0; 8];
        while let 1.. = input.read(&mut word[..1])? {
            input.read_exact(&mut word[1..])?;
            let hash = u64::from_le_bytes(word);
            input.read_exact(&mut word)?;
            self.store(hash, &unpack(u64::from_le_bytes(word)));
            count += 1;
        }
        Ok(count)
    }

    /// Marks what is stored so far as older than what comes.
    pub(crate) fn new_search(&self) {
        let age = (self.age() + 1) & AGE_MASK;
        self.age.store(age, Ordering::Relaxed);
    }

    fn age(&self) -> u64 {
        self.age.load(Ordering::Relaxed)
    }

    /// What is known of the position with key `hash`.
    #[must_use]
    pub(crate) fn probe(&self, hash: u64) -> Option<Entry> {
        self.bucket(hash).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let check = slot.check.load(Ordering::Relaxed);
            (check ^ data == hash && data != 0).then(|| unpack(data))
        })
    }

    /// Prepares for a [`probe`](Self::probe) of the position with key `hash` soon.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        simd::prefetch(self.bucket(hash));
    }

    /// Stores `entry` for the position with key `hash`, in place of the same position or of
    /// the bucket's least valuable entry (shallow or old).
    pub(crate) fn store(&self, hash: u64, entry: &Entry) {
        let bucket = self.bucket(hash);
        let now = self.age();
        let mut victim = &bucket[0];
        let mut least = i32::MAX;
        for slot in bucket {
            let data = slot.data.load(Ordering::Relaxed);
            let check = slot.check.load(Ordering::Relaxed);
            if check ^ data == hash && data != 0 {
                let old = unpack(data);
                if entry.bound != Bound::Exact && entry.depth < old.depth - 3 && age_of(data) == now
                {
                    return;
                }
                victim = slot;
                break;
            }
            let value = if data == 0 {
                i32::MIN
            } else {
                let age = (now + AGE_MASK + 1 - age_of(data)) & AGE_MASK;
                unpack(data).depth - 8 * i32::try_from(age).unwrap_or(0)
            };
            if value < least {
                least = value;
                victim = slot;
            }
        }
        let data = pack(entry, now);
        victim.data.store(data, Ordering::Relaxed);
        victim.check.store(hash ^ data, Ordering::Relaxed);
    }

    fn bucket(&self, hash: u64) -> &Bucket {
        let buckets = self.buckets();
        let index = (u128::from(hash) * buckets.len() as u128) >> 64;
        &buckets[index as usize]
    }

    fn buckets(&self) -> &[Bucket] {
        self.slots[self.first..].as_chunks().0
    }
}

/// Layout from the lowest bit: score 16, evaluation 16, move 10, depth 8, bound 2, age 5.
fn pack(entry: &Entry, age: u64) -> u64 {
    let half = |score: Score| u64::from(score.clamp(-32_000, 32_000) as u16);
    let depth = (entry.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
    half(entry.score)
        | half(entry.eval) << 16
        | (entry.best.map_or(0, Point::index) as u64) << 32
        | depth << 42
        | (entry.bound as u64) << 50
        | age << 52
}

fn unpack(data: u64) -> Entry {
    let index = (data >> 32) as usize & (GRID - 1);
    Entry {
        score: Score::from(data as u16 as i16),
        eval: Score::from((data >> 16) as u16 as i16),
        depth: (data >> 42 & 255) as i32 - DEPTH_OFFSET,
        bound: match data >> 50 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        best: (index != 0).then(|| Point::from_index(index)),
    }
}

const fn age_of(data: u64) -> u64 {
    data >> 52 & AGE_MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_stored() {
        let table = Table::new(1 << 16);
        for (score, depth, bound) in [
            (-29_950, -3, Bound::Upper),
            (29_990, 60, Bound::Lower),
            (7, 0, Bound::Exact),
        ] {
            let entry = Entry {
                score,
                eval: -score,
                depth,
                bound,
                best: Some(Point::new(21, 0)),
            };
            table.store(0x1234_5678_9ABC_DEF0, &entry);
            assert_eq!(table.probe(0x1234_5678_9ABC_DEF0), Some(entry));
        }
        assert_eq!(table.probe(0x1234_5678_9ABC_DEF1), None);
    }

    #[test]
    fn the_deepest_entries_of_a_bucket_survive() {
        let mut table = Table::new(64);
        let entry = |depth| Entry {
            score: 0,
            eval: 0,
            depth,
            bound: Bound::Exact,
            best: None,
        };
        for key in 1..=40 {
            table.store(key << 32, &entry(i32::try_from(key).expect("small") % 10));
        }
        let survivors = (1..=40)
            .filter(|key| table.probe(key << 32).is_some())
            .count();
        assert_eq!(survivors, 4);
        assert_eq!(table.used(), 1_000);
        table.clear();
        assert_eq!(table.used(), 0);
        assert!((1..=40).all(|key: u64| table.probe(key << 32).is_none()));
    }
}
