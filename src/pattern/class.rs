//! Classes of one line, and the four classes of a point.

use crate::types::Direction;

/// What a stone on an empty point makes on one line, weakest first.
///
/// Drawn with `x` for the stone in question, `X` own stones, `O` opponent stones, `-`
/// empty cells. "Sleeping" means: can become a four but never a straight four.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// No five through the point is possible.
    Dead = 0,
    /// Six or more where that does not win: `XXxXXX`.
    Overline = 1,
    /// One stone that can become a sleeping two: `O-x---O`.
    SleepingOne = 2,
    /// One stone that can become an open two: `---x---`.
    OpenOne = 3,
    /// Two stones that can become a sleeping three: `OXx---`.
    SleepingTwo = 4,
    /// Two stones that can become an open three in one or two ways: `O--X--x-`.
    OpenTwo = 5,
    /// Two stones that can become an open three in three ways.
    WideOpenTwo = 6,
    /// Two stones that can become an open three in four or more ways: `---Xx---`.
    FreeOpenTwo = 7,
    /// Three stones that can become a four, but no straight four: `OXXx--`.
    SleepingThree = 8,
    /// Three stones that can become a straight four on one point: `-X-Xx-`.
    OpenThree = 9,
    /// Three stones that can become a straight four on two points: `--XXx--`.
    WideOpenThree = 10,
    /// A four that one opponent stone stops, mostly because only one point completes a five:
    /// `OXXXx-`, `XX-Xx`. Where a five closed at both ends is nothing, there can be two such points
    /// and still one stone on either stops both (`O-XXXx-O`); and beside the point itself, the cell
    /// beyond the five may stop it too (`OXXXx-` and a stone right of the `-`).
    Four = 11,
    /// Two fours in one line, for a side that may not make them: `XXX-x-XXX`.
    /// Where nothing is foul this is an [`OpenFour`](Self::OpenFour).
    DoubleFour = 12,
    /// A four that no single stone stops: two points complete a five: `-XXXx-`. For a side that may
    /// not make double-fours this is a straight four, four stones in a row.
    OpenFour = 13,
    /// The stone completes a winning line.
    Five = 14,
}

impl Class {
    /// All classes, weakest first.
    pub const ALL: [Self; 15] = [
        Self::Dead,
        Self::Overline,
        Self::SleepingOne,
        Self::OpenOne,
        Self::SleepingTwo,
        Self::OpenTwo,
        Self::WideOpenTwo,
        Self::FreeOpenTwo,
        Self::SleepingThree,
        Self::OpenThree,
        Self::WideOpenThree,
        Self::Four,
        Self::DoubleFour,
        Self::OpenFour,
        Self::Five,
    ];

    /// The class with number `index`; numbers beyond the last mean [`Class::Dead`].
    #[must_use]
    pub const fn from_index(index: u8) -> Self {
        if (index as usize) < Self::ALL.len() {
            Self::ALL[index as usize]
        } else {
            Self::Dead
        }
    }

    /// Whether the stone threatens to make a straight four.
    #[must_use]
    pub const fn is_three(self) -> bool {
        matches!(self, Self::OpenThree | Self::WideOpenThree)
    }

    /// Whether the stone threatens to make five.
    #[must_use]
    pub const fn is_four(self) -> bool {
        matches!(self, Self::Four | Self::DoubleFour | Self::OpenFour)
    }

    /// Whether the line can become an open three.
    #[must_use]
    pub const fn is_open_two(self) -> bool {
        matches!(self, Self::OpenTwo | Self::WideOpenTwo | Self::FreeOpenTwo)
    }
}

/// The classes of a point for one colour on its four lines: four bits per direction, in
/// the order of [`Direction::ALL`] from the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Key(pub u16);

impl Key {
    /// Packs four classes, in the order of [`Direction::ALL`].
    #[must_use]
    pub const fn new(classes: [Class; 4]) -> Self {
        Self(
            classes[0] as u16
                | (classes[1] as u16) << 4
                | (classes[2] as u16) << 8
                | (classes[3] as u16) << 12,
        )
    }

    /// The class on the line in `direction`.
    #[must_use]
    #[inline]
    pub const fn class(self, direction: Direction) -> Class {
        Class::from_index((self.0 >> (4 * direction.index()) & 15) as u8)
    }

    /// The four classes, in the order of [`Direction::ALL`].
    #[must_use]
    pub fn classes(self) -> [Class; 4] {
        Direction::ALL.map(|direction| self.class(direction))
    }

    /// The index for tables with an entry per key.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
