//! What a stone makes in all four directions together.

use super::{Class, Key};

/// What a stone of one colour on an empty point makes, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Threat {
    /// Nothing that matters yet.
    None = 0,
    /// A point that renju may forbid to Black: overline and double-four are certain,
    /// a double-three is only suspected (see [`crate::foul`]). Never a point that makes five.
    Foul = 1,
    /// One open two.
    Two = 2,
    /// One sleeping three.
    SleepingThree = 3,
    /// Two or more open twos.
    DoubleTwo = 4,
    /// A sleeping three with an open two or another sleeping three.
    SleepingThreePlus = 5,
    /// One open three.
    Three = 6,
    /// An open three with an open two or a sleeping three.
    ThreePlus = 7,
    /// Two or more open threes.
    DoubleThree = 8,
    /// One four.
    Four = 9,
    /// A four with an open two or a sleeping three.
    FourPlus = 10,
    /// A four and an open three.
    FourThree = 11,
    /// Two or more fours on different lines.
    DoubleFour = 12,
    /// A straight four.
    OpenFour = 13,
    /// The move wins.
    Five = 14,
}

impl Threat {
    /// Number of kinds.
    pub const COUNT: usize = 15;

    /// All kinds, weakest first.
    pub const ALL: [Self; Self::COUNT] = [
        Self::None,
        Self::Foul,
        Self::Two,
        Self::SleepingThree,
        Self::DoubleTwo,
        Self::SleepingThreePlus,
        Self::Three,
        Self::ThreePlus,
        Self::DoubleThree,
        Self::Four,
        Self::FourPlus,
        Self::FourThree,
        Self::DoubleFour,
        Self::OpenFour,
        Self::Five,
    ];

    /// 0 to [`Threat::COUNT`]` - 1`.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The threat with number `index`; numbers beyond the last mean [`Threat::None`].
    #[must_use]
    #[inline]
    pub const fn from_index(index: u8) -> Self {
        if (index as usize) < Self::COUNT {
            Self::ALL[index as usize]
        } else {
            Self::None
        }
    }

    /// Whether the stone makes at least one four (or five).
    #[must_use]
    #[inline]
    pub const fn is_four_or_more(self) -> bool {
        self as u8 >= Self::Four as u8
    }

    /// The threat of a point with classes `key`, for a side that nothing is foul to.
    #[must_use]
    pub fn of(key: Key) -> Self {
        let classes = key.classes();
        let count = |test: fn(Class) -> bool| classes.iter().filter(|&&class| test(class)).count();
        let fours = count(Class::is_four);
        let threes = count(Class::is_three);
        let sleeping = count(|class| class == Class::SleepingThree);
        let twos = count(Class::is_open_two);
        let support = sleeping + twos;
        if classes.contains(&Class::Five) {
            Self::Five
        } else if classes.contains(&Class::OpenFour) {
            Self::OpenFour
        } else if fours >= 2 || classes.contains(&Class::DoubleFour) {
            Self::DoubleFour
        } else if fours == 1 {
            match (threes, support) {
                (0, 0) => Self::Four,
                (0, _) => Self::FourPlus,
                _ => Self::FourThree,
            }
        } else if threes > 0 {
            match (threes, support) {
                (1, 0) => Self::Three,
                (1, _) => Self::ThreePlus,
                _ => Self::DoubleThree,
            }
        } else if sleeping > 0 {
            if support > 1 {
                Self::SleepingThreePlus
            } else {
                Self::SleepingThree
            }
        } else {
            match twos {
                0 => Self::None,
                1 => Self::Two,
                _ => Self::DoubleTwo,
            }
        }
    }

    /// The threat of a point with classes `key` for a side that may not play overlines,
    /// double-fours and double-threes (Black in renju).
    #[must_use]
    pub(crate) fn of_restricted(key: Key) -> Self {
        let classes = key.classes();
        if classes.contains(&Class::Five) {
            return Self::Five;
        }
        let fours: usize = classes
            .iter()
            .map(|&class| {
                if class == Class::DoubleFour {
                    2
                } else {
                    usize::from(class.is_four())
                }
            })
            .sum();
        let threes = classes.iter().filter(|class| class.is_three()).count();
        if classes.contains(&Class::Overline) || fours >= 2 || threes >= 2 {
            return Self::Foul;
        }
        Self::of(key)
    }
}
