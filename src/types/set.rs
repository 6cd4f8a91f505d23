//! A set of points, one bit per grid cell.

use super::{GRID, Point, STRIDE};

const WORDS: usize = GRID / 64;

/// A set of points of the grid. Two rows share a word, so growing a set in any direction
/// is a few shifts; the padding keeps rows from running into each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PointSet([u64; WORDS]);

impl PointSet {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Whether `point` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(&self, point: Point) -> bool {
        self.0[point.index() >> 6] >> (point.index() & 63) & 1 != 0
    }

    /// Adds `point`.
    #[inline]
    pub const fn insert(&mut self, point: Point) {
        self.0[point.index() >> 6] |= 1 << (point.index() & 63);
    }

    /// Removes `point`.
    #[inline]
    pub const fn remove(&mut self, point: Point) {
        self.0[point.index() >> 6] &= !(1 << (point.index() & 63));
    }

    /// Adds `point` if it is missing, removes it if it is there.
    #[inline]
    pub const fn toggle(&mut self, point: Point) {
        self.0[point.index() >> 6] ^= 1 << (point.index() & 63);
    }

    /// Whether the set has no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The point with the lowest index, if any.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<Point> {
        self.iter().next()
    }

    /// The points in ascending index order: row by row from the top, left to right.
    #[must_use]
    #[inline]
    pub fn iter(&self) -> PointSetIter<'_> {
        PointSetIter {
            words: &self.0,
            next: 1,
            bits: self.0[0],
        }
    }

    /// Points of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Points of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Points of this set that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// The set grown by `radius` in all directions: every point at [`Point::distance`] `radius`
    /// or less from one of its points, added. At most [`PAD`](super::PAD).
    #[must_use]
    #[inline]
    pub fn grown_square(&self, radius: usize) -> Self {
        let mut wide = *self;
        for _ in 0..radius {
            wide = Self(wide.0.map(|word| word | word << 1 | word >> 1));
        }
        let mut grown = wide;
        for rows in 1..=radius {
            let rows = rows.cast_signed();
            grown = grown
                .union(&wide.moved_down(rows))
                .union(&wide.moved_down(-rows));
        }
        grown
    }

    /// The set with every point exactly `steps` away from one of its points along a row, column or
    /// diagonal added. At most [`PAD`](super::PAD) steps.
    #[must_use]
    #[inline]
    pub fn grown_star(&self, steps: usize) -> Self {
        let wide = Self(self.0.map(|word| word | word << steps | word >> steps));
        let rows = steps.cast_signed();
        wide.union(&wide.moved_down(rows))
            .union(&wide.moved_down(-rows))
    }

    /// The set moved down by `rows` rows, up if negative; rows that leave the grid are lost.
    #[inline]
    fn moved_down(&self, rows: isize) -> Self {
        const MARGIN: usize = (super::PAD as usize).div_ceil(2);
        // Two rows share a word, so an odd number of rows takes halves of two words.
        let mut words = [0; WORDS + 2 * MARGIN];
        words[MARGIN..MARGIN + WORDS].copy_from_slice(&self.0);
        let first = MARGIN.wrapping_add_signed(-rows.div_euclid(2));
        let mut out = [0; WORDS];
        if rows.rem_euclid(2) == 0 {
            out.copy_from_slice(&words[first..first + WORDS]);
        } else {
            let pairs = words[first..first + WORDS].iter().zip(&words[first - 1..]);
            for (out, (&word, &above)) in out.iter_mut().zip(pairs) {
                *out = word << STRIDE | above >> STRIDE;
            }
        }
        Self(out)
    }

    #[inline]
    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = [0; WORDS];
        for (out, (&a, &b)) in out.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *out = f(a, b);
        }
        Self(out)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Self {
        let mut set = Self::EMPTY;
        for point in points {
            set.insert(point);
        }
        set
    }
}

impl<'a> IntoIterator for &'a PointSet {
    type Item = Point;
    type IntoIter = PointSetIter<'a>;

    fn into_iter(self) -> PointSetIter<'a> {
        self.iter()
    }
}

/// Iterator over a [`PointSet`] in ascending index order.
#[derive(Clone, Debug)]
pub struct PointSetIter<'a> {
    words: &'a [u64; WORDS],
    next: usize,
    bits: u64,
}

impl Iterator for PointSetIter<'_> {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        while self.bits == 0 {
            self.bits = *self.words.get(self.next)?;
            self.next += 1;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(Point::from_index((self.next - 1) * 64 + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Size;

    #[test]
    fn growing_equals_the_distance() {
        let size = Size::square(22);
        for start in [
            Point::new(0, 0),
            Point::new(7, 8),
            Point::new(21, 13),
            Point::new(10, 21),
        ] {
            let set: PointSet = [start].into_iter().collect();
            for radius in 0..=5 {
                let grown = set.grown_square(radius);
                let star = set.grown_star(radius);
                for point in size.points() {
                    assert_eq!(
                        grown.contains(point),
                        usize::from(start.distance(point)) <= radius
                    );
                    let dx = usize::from(start.x().abs_diff(point.x()));
                    let dy = usize::from(start.y().abs_diff(point.y()));
                    let on_star = [0, radius].contains(&dx) && [0, radius].contains(&dy);
                    assert_eq!(star.contains(point), on_star, "{start} {point} {radius}");
                }
            }
        }
    }

    #[test]
    fn iteration_is_in_index_order() {
        let size = Size::square(15);
        let set: PointSet = size.points().filter(|p| p.x() % 3 == 1).collect();
        let points: Vec<Point> = set.iter().collect();
        assert_eq!(points.len(), set.len());
        assert!(points.is_sorted());
        assert!(points.iter().all(|p| p.x() % 3 == 1));
    }
}
