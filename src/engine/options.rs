//! What a user of the engine can set, and how memory is divided.

use std::sync::LazyLock;
use std::thread;

use crate::clock::TimeControl;
use crate::search::ASSISTANT_BYTES;

/// Settings of an [`Engine`](super::Engine). They may change while it thinks; times, nodes
/// and depth then act at once, memory with the next search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Times of the game.
    pub time: TimeControl,
    /// Bytes that the whole process may use; 0 for no limit.
    pub max_memory: u64,
    /// Wanted size of the hash table in bytes; `None` takes what memory and time suggest.
    pub hash_bytes: Option<u64>,
    /// Iterations of iterative deepening, in plies.
    pub max_depth: Option<u32>,
    /// Positions to search, by all threads together.
    pub max_nodes: Option<u64>,
    /// Wanted number of threads that search. At least one does, at most four per processor and 256, and fewer
    /// if `max_memory` is not enough for all.
    pub threads: u32,
    /// Playing strength, from 0 to [`FULL_STRENGTH`]: less of it lowers the limit of nodes (256 at 0, 2^20 at 99).
    pub strength: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            time: TimeControl::default(),
            max_memory: DEFAULT_MEMORY,
            hash_bytes: None,
            max_depth: None,
            max_nodes: None,
            threads: 1,
            strength: FULL_STRENGTH,
        }
    }
}

/// The [`strength`](Options::strength) that limits nothing.
pub const FULL_STRENGTH: u32 = 100;
/// Positions to search at the lowest strength: a glance.
const WEAKEST_NODES: u64 = 256;
/// So many points of strength are worth twice the positions.
const DOUBLING: u32 = 8;

/// The most threads that a search uses on any machine.
const MAX_THREADS: u32 = 256;
/// Threads per processor that a search may use. More would only wait for each other, and the one that
/// looks at the clock might wait too long.
const THREADS_PER_PROCESSOR: u32 = 4;

/// The most threads that a search uses on this machine.
#[must_use]
pub(crate) fn max_threads() -> u32 {
    static MAX: LazyLock<u32> = LazyLock::new(|| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        u32::try_from(processors)
            .unwrap_or(MAX_THREADS)
            .saturating_mul(THREADS_PER_PROCESSOR)
            .min(MAX_THREADS)
    });
    *MAX
}

const MIB: u64 = 1 << 20;
/// Gomocup's limit, 350 MiB.
pub const DEFAULT_MEMORY: u64 = 350 * MIB;
/// What everything but the hash table may take: program, rule tables, evaluation weights, the
/// search's statistics, stacks.
const RESERVED: u64 = 64 * MIB;
/// The smallest hash table.
const MIN_HASH: u64 = MIB / 4;
/// The largest hash table that is taken without being asked for.
const MAX_UNASKED_HASH: u64 = 512 * MIB;
/// The largest hash table.
pub(crate) const MAX_HASH: u64 = 1024 * MIB;
/// Bytes that a search can fill in a millisecond, generously (4000 nodes of 16 bytes).
const BYTES_PER_MS: u64 = 64 << 10;
/// What a hash table has besides that.
const BASE_HASH: u64 = 8 * MIB;

impl Options {
    /// Whether nodes or depth end a search when no clock does.
    #[must_use]
    pub(crate) const fn is_bounded(&self) -> bool {
        self.max_depth.is_some() || self.node_limit().is_some()
    }

    /// Positions to search: at most `max_nodes`, and fewer the less `strength` is wanted (256 at 0, 2^20 at 99).
    #[must_use]
    pub(crate) const fn node_limit(&self) -> Option<u64> {
        if self.strength >= FULL_STRENGTH {
            return self.max_nodes;
        }
        let nodes = WEAKEST_NODES << (self.strength / DOUBLING);
        match self.max_nodes {
            Some(most) if most < nodes => Some(most),
            _ => Some(nodes),
        }
    }

    /// Threads for a search: as many as wanted, at least one, up to [`max_threads`]; and all but
    /// the first take at most half of the memory that is left for them and the hash table.
    #[must_use]
    pub(crate) fn thread_budget(&self) -> u32 {
        let affordable = 1 + self.left_over() / 2 / ASSISTANT_BYTES;
        self.threads
            .clamp(1, max_threads())
            .min(u32::try_from(affordable).unwrap_or(u32::MAX))
    }

    /// Bytes for the hash table: what `max_memory` leaves, and not more than the time per move can
    /// fill, because clearing a large table for a game of short turns costs a turn.
    #[must_use]
    pub(crate) fn hash_budget(&self) -> usize {
        let wanted = self.hash_bytes.unwrap_or_else(|| {
            let useful = self.time.tightest().map_or(MAX_UNASKED_HASH, |ms| {
                let rate = BYTES_PER_MS * u64::from(self.thread_budget());
                BASE_HASH.saturating_add(ms.saturating_mul(rate))
            });
            useful.min(MAX_UNASKED_HASH)
        });
        usize::try_from(wanted.max(MIN_HASH))
            .unwrap_or(usize::MAX)
            .min(self.hash_limit())
    }

    /// The most bytes that a hash table may take.
    #[must_use]
    pub(crate) fn hash_limit(&self) -> usize {
        let assistants = u64::from(self.thread_budget() - 1) * ASSISTANT_BYTES;
        let left_over = self.left_over() - assistants;
        usize::try_from(left_over.clamp(MIN_HASH, MAX_HASH)).unwrap_or(usize::MAX)
    }

    /// Bytes for the hash table and all threads but the first.
    const fn left_over(&self) -> u64 {
        match self.max_memory {
            0 => u64::MAX,
            limit => limit.saturating_sub(RESERVED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(max_memory: u64, turn: i64) -> u64 {
        let options = Options {
            max_memory,
            time: TimeControl {
                turn: Some(turn),
                ..TimeControl::default()
            },
            ..Options::default()
        };
        options.hash_budget() as u64
    }

    #[test]
    fn the_hash_takes_what_memory_leaves() {
        assert_eq!(hash(DEFAULT_MEMORY, 30_000), 286 * MIB);
        assert_eq!(hash(80 * MIB, 30_000), 16 * MIB);
        assert_eq!(hash(1_000, 30_000), MIN_HASH);
        assert_eq!(hash(2_147_483_647, 30_000), MAX_UNASKED_HASH);
        assert_eq!(hash(0, -1), MAX_UNASKED_HASH);
        assert_eq!(hash(u64::MAX, i64::MAX), MAX_UNASKED_HASH);
    }

    #[test]
    fn short_turns_get_a_small_hash() {
        assert!(hash(DEFAULT_MEMORY, 100) < 16 * MIB);
        assert_eq!(hash(DEFAULT_MEMORY, 0), BASE_HASH);
    }

    #[test]
    fn less_strength_means_fewer_positions() {
        let limit = |strength, max_nodes| {
            let options = Options {
                max_nodes,
                strength,
                ..Options::default()
            };
            assert_eq!(options.is_bounded(), options.node_limit().is_some());
            options.node_limit()
        };
        assert_eq!(limit(FULL_STRENGTH, None), None);
        assert_eq!(limit(FULL_STRENGTH, Some(7)), Some(7));
        assert_eq!(limit(0, None), Some(256));
        assert_eq!(limit(99, None), Some(1 << 20));
        assert_eq!(limit(50, Some(1 << 40)), limit(50, None));
        assert_eq!(limit(50, Some(100)), Some(100));
        assert!(
            (1..FULL_STRENGTH).all(|strength| limit(strength, None) >= limit(strength - 1, None))
        );
    }

    #[test]
    fn every_further_thread_takes_from_the_hash() {
        let options = |threads, max_memory| Options {
            threads,
            max_memory,
            hash_bytes: Some(u64::MAX),
            ..Options::default()
        };
        for threads in 1..=4 {
            let options = options(threads, DEFAULT_MEMORY);
            assert_eq!(options.thread_budget(), threads);
            let assistants = u64::from(threads - 1) * ASSISTANT_BYTES;
            assert_eq!(options.hash_limit() as u64, 286 * MIB - assistants);
            assert_eq!(options.hash_budget(), options.hash_limit());
        }
        assert_eq!(options(0, 0).thread_budget(), 1);
        assert_eq!(options(u32::MAX, 0).thread_budget(), max_threads());
        assert_eq!(options(4, 1_000).thread_budget(), 1);
        assert_eq!(
            options(4, RESERVED + 2 * ASSISTANT_BYTES).thread_budget(),
            2
        );
    }

    #[test]
    fn a_wish_is_granted_within_the_memory() {
        let wish = |bytes, max_memory| {
            let options = Options {
                hash_bytes: Some(bytes),
                max_memory,
                ..Options::default()
            };
            options.hash_budget() as u64
        };
        assert_eq!(wish(32 * MIB, DEFAULT_MEMORY), 32 * MIB);
        assert_eq!(wish(u64::MAX, DEFAULT_MEMORY), 286 * MIB);
        assert_eq!(wish(u64::MAX, 0), MAX_HASH);
        assert_eq!(wish(0, 0), MIN_HASH);
    }
}
