//! The 26 openings of renju and their names.
//!
//! The first stone lies on the centre, the second beside it (*direct*: on the same line; *indirect*:
//! diagonally), the third within two of the centre. Up to symmetry there are 13 of each kind. Names,
//! numbers and stones are those of the Renju International Federation; the lines of
//! `openings/renju-15.txt` that begin with these stones hold the same 26.

use crate::types::{Point, Size, Symmetry};

/// An opening: its number, its Japanese name, its third stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Opening {
    /// `D1` to `D13` and `I1` to `I13`.
    pub(crate) code: &'static str,
    /// The Japanese name.
    pub(crate) name: &'static str,
    /// Columns to the right of the centre and rows up from it.
    third: (i8, i8),
}

const fn opening(code: &'static str, name: &'static str, third: (i8, i8)) -> Opening {
    Opening { code, name, third }
}

/// All 26.
pub(crate) const OPENINGS: [Opening; 26] = [
    opening("D1", "Kansei", (0, 2)),
    opening("D2", "Keigetsu", (1, 2)),
    opening("D3", "Sosei", (2, 2)),
    opening("D4", "Kagetsu", (1, 1)),
    opening("D5", "Zangetsu", (2, 1)),
    opening("D6", "Ugetsu", (1, 0)),
    opening("D7", "Kinsei", (2, 0)),
    opening("D8", "Shogetsu", (0, -1)),
    opening("D9", "Kyugetsu", (1, -1)),
    opening("D10", "Shingetsu", (2, -1)),
    opening("D11", "Zuisei", (0, -2)),
    opening("D12", "Sangetsu", (1, -2)),
    opening("D13", "Yusei", (2, -2)),
    opening("I1", "Chosei", (2, 2)),
    opening("I2", "Kyogetsu", (2, 1)),
    opening("I3", "Kosei", (2, 0)),
    opening("I4", "Suigetsu", (2, -1)),
    opening("I5", "Ryusei", (2, -2)),
    opening("I6", "Ungetsu", (1, 0)),
    opening("I7", "Hogetsu", (1, -1)),
    opening("I8", "Rangetsu", (1, -2)),
    opening("I9", "Gingetsu", (0, -1)),
    opening("I10", "Myojo", (0, -2)),
    opening("I11", "Shagetsu", (-1, -1)),
    opening("I12", "Meigetsu", (-1, -2)),
    opening("I13", "Suisei", (-2, -2)),
];

impl Opening {
    /// Whether the second stone lies diagonally.
    #[must_use]
    pub(crate) fn is_indirect(&self) -> bool {
        self.code.starts_with('I')
    }

    /// The stones on a board of `size`: black, white, black. `None` on boards that are too small or have no
    /// centre.
    #[must_use]
    pub(crate) fn stones(&self, size: Size) -> Option<[Point; 3]> {
        if size.width().is_multiple_of(2) || size.height().is_multiple_of(2) {
            return None;
        }
        let centre = size.centre();
        let at = |(right, up): (i8, i8)| {
            size.point(
                i64::from(centre.x()) + i64::from(right),
                i64::from(centre.y()) - i64::from(up),
            )
        };
        let second = (i8::from(self.is_indirect()), 1);
        Some([at((0, 0))?, at(second)?, at(self.third)?])
    }

    /// The opening that begins with `stones`, in any of its symmetric forms.
    #[must_use]
    pub(crate) fn of(stones: [Point; 3], size: Size) -> Option<&'static Self> {
        OPENINGS.iter().find(|opening| {
            opening.stones(size).is_some_and(|own| {
                Symmetry::ALL
                    .iter()
                    .filter(|symmetry| size.is_square() || !symmetry.swaps_sides())
                    .any(|symmetry| own.map(|point| symmetry.apply(point, size)) == stones)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size::square(15);

    #[test]
    fn every_legal_beginning_has_exactly_one_name() {
        let centre = SIZE.centre();
        let mut counts = [0; OPENINGS.len()];
        for second in SIZE.points().filter(|point| point.distance(centre) == 1) {
            for third in SIZE.points() {
                if third.distance(centre) > 2 || [centre, second].contains(&third) {
                    continue;
                }
                let opening = Opening::of([centre, second, third], SIZE).unwrap();
                let index = OPENINGS.iter().position(|other| other == opening).unwrap();
                counts[index] += 1;
            }
        }
        // Eight symmetric forms, or four where the opening is its own mirror image.
        assert!(
            counts.iter().all(|&count| count == 4 || count == 8),
            "{counts:?}"
        );
        assert_eq!(counts.iter().sum::<u32>(), 8 * 23);
    }

    #[test]
    fn well_known_openings() {
        let named = |text: &str| {
            let points: Vec<Point> = text
                .split(' ')
                .map(|point| Point::parse(point, SIZE).unwrap())
                .collect();
            Opening::of(points.try_into().unwrap(), SIZE).map(|opening| opening.name)
        };
        assert_eq!(named("h8 h9 i9"), Some("Kagetsu"));
        assert_eq!(named("h8 i8 i9"), Some("Kagetsu"));
        assert_eq!(named("h8 i9 i7"), Some("Hogetsu"));
        assert_eq!(named("h8 g7 g9"), Some("Hogetsu"));
        assert_eq!(named("h8 h9 k9"), None);
        assert_eq!(named("h9 h8 i9"), None);
    }
}
