//! How far a proof may be looked for.

/// Limits of one search for a proof, all of them optional.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// Positions entered.
    pub nodes: u64,
    /// Attacker moves of a win, the five included.
    pub moves: u8,
    /// Asked every [`STOP_INTERVAL`](Self::STOP_INTERVAL) positions or so; `true` ends the search.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// No limit but the board.
    pub const NONE: Self = Self {
        nodes: u64::MAX,
        moves: u8::MAX,
        stop: None,
    };

    /// Positions entered between two questions to `stop`: a millisecond or less.
    pub const STOP_INTERVAL: u64 = 512;

    /// At most `nodes` positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes,
            ..Self::NONE
        }
    }
}

/// Counts positions against [`Limits`]. The hot path is one comparison; the caller's `stop` is asked
/// where that fails.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    /// Positions entered.
    pub(super) nodes: u64,
    /// When to look at the limits again.
    next: u64,
    /// Whether the limits were reached.
    pub(super) stopped: bool,
}

impl Meter {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            nodes: 0,
            next: first_question(0, limits),
            stopped: false,
        }
    }

    /// Counts one position, or tells that there is no more to enter.
    #[inline]
    pub(super) fn enter(&mut self, limits: &Limits) -> bool {
        if self.nodes >= self.next && !self.may_go_on(limits) {
            return false;
        }
        self.nodes += 1;
        true
    }

    #[cold]
    fn may_go_on(&mut self, limits: &Limits) -> bool {
        self.stopped |= self.nodes >= limits.nodes || limits.stop.is_some_and(|stop| stop());
        self.next = first_question(self.nodes, limits);
        !self.stopped
    }
}

fn first_question(nodes: u64, limits: &Limits) -> u64 {
    if limits.stop.is_some() {
        limits.nodes.min(nodes + Limits::STOP_INTERVAL)
    } else {
        limits.nodes
    }
}
