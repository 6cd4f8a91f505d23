//! What wins, what is foul, and how far a line must be looked at.
//!
//! [`RuleKind`] is a value everywhere; the few hot loops read its consequences from
//! tables built once per rule (see [`crate::pattern`]). [`oracle`] answers the same
//! questions slowly from bare stones and is what tests trust.

pub mod oracle;

use std::fmt;

use crate::types::Colour;

/// A rule of the game, by the number that managers send (`INFO rule`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RuleKind {
    /// 0: five or more in a row wins.
    Freestyle,
    /// 1: exactly five wins; a longer line does nothing.
    Standard,
    /// 4: Black wins with exactly five and may not play a double-three, a double-four or an
    /// overline unless the move makes five; White wins with five or more.
    Renju,
    /// 8: five wins unless closed by opponent stones at both ends; six or more wins.
    Caro,
    /// 9: exactly five wins unless closed by opponent stones at both ends.
    CaroExact,
}

impl RuleKind {
    /// All rules, in index order.
    pub const ALL: [Self; 5] = [
        Self::Freestyle,
        Self::Standard,
        Self::Renju,
        Self::Caro,
        Self::CaroExact,
    ];

    /// 0 to 4, for tables with one entry per rule.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The number that managers send.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Freestyle => 0,
            Self::Standard => 1,
            Self::Renju => 4,
            Self::Caro => 8,
            Self::CaroExact => 9,
        }
    }

    /// Decodes the official bit mask: 1 exactly five, 2 continuous game (which changes no
    /// winning line and is ignored here), 4 renju, 8 caro. Renju wins over the other bits.
    /// `None` for numbers with other bits or below 0.
    #[must_use]
    pub const fn from_code(code: i64) -> Option<Self> {
        if code < 0 || code > 15 {
            return None;
        }
        Some(if code & 4 != 0 {
            Self::Renju
        } else {
            match (code & 8 != 0, code & 1 != 0) {
                (false, false) => Self::Freestyle,
                (false, true) => Self::Standard,
                (true, false) => Self::Caro,
                (true, true) => Self::CaroExact,
            }
        })
    }

    /// Whether a line of six or more does not win for `colour`.
    #[must_use]
    pub const fn exact_five(self, colour: Colour) -> bool {
        match self {
            Self::Freestyle | Self::Caro => false,
            Self::Standard | Self::CaroExact => true,
            Self::Renju => matches!(colour, Colour::Black),
        }
    }

    /// Whether a five closed by opponent stones at both ends does not win.
    #[must_use]
    pub const fn closed_five_is_nothing(self) -> bool {
        matches!(self, Self::Caro | Self::CaroExact)
    }

    /// Whether `colour` has points it may not play.
    #[must_use]
    pub const fn has_fouls(self, colour: Colour) -> bool {
        matches!((self, colour), (Self::Renju, Colour::Black))
    }

    /// How many cells each side of a point decide what a stone there means on one line: 4
    /// where only fives through the point count, 5 where the cell beyond a five matters too.
    #[must_use]
    pub const fn reach(self) -> usize {
        match self {
            Self::Freestyle => 4,
            _ => 5,
        }
    }

    /// The name in lower case, as file names and messages use it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Freestyle => "freestyle",
            Self::Standard => "standard",
            Self::Renju => "renju",
            Self::Caro => "caro",
            Self::CaroExact => "caro-exact",
        }
    }
}

impl fmt::Display for RuleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What makes a point foul. A point can be foul for several reasons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FoulKind {
    /// Six or more in a row.
    Overline,
    /// Two or more fours at once.
    DoubleFour,
    /// Two or more threes at once.
    DoubleThree,
}

impl FoulKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Overline, Self::DoubleFour, Self::DoubleThree];

    /// The name as data files write it: `overline`, `double-four`, `double-three`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overline => "overline",
            Self::DoubleFour => "double-four",
            Self::DoubleThree => "double-three",
        }
    }
}

impl fmt::Display for FoulKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The set of reasons why a point is foul; empty for a legal point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FoulKinds(u8);

impl FoulKinds {
    /// No reason: a legal point.
    pub const NONE: Self = Self(0);

    /// The same set with `kind` added.
    #[must_use]
    pub const fn with(self, kind: FoulKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// Whether `kind` is one of the reasons.
    #[must_use]
    pub const fn contains(self, kind: FoulKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Whether the point is legal.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The reasons in the order of [`FoulKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = FoulKind> {
        FoulKind::ALL
            .into_iter()
            .filter(move |&kind| self.contains(kind))
    }
}
