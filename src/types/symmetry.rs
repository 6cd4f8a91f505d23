//! The eight symmetries of the square.

use super::{Point, Size};

/// One of the eight ways to lay a square board on itself. On a rectangle the images
/// that swap rows and columns belong to a board with swapped sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self(0);

    /// Rows become columns.
    pub(crate) const TRANSPOSITION: Self = Self(4);

    /// Whether rows become columns.
    #[must_use]
    pub const fn swaps_sides(self) -> bool {
        self.0 & 4 != 0
    }

    /// The size of the image of a board of `size`.
    #[must_use]
    pub fn size(self, size: Size) -> Size {
        if self.swaps_sides() {
            Size::new(size.height(), size.width()).unwrap_or(size)
        } else {
            size
        }
    }

    /// The image of `point` of a board of `size`: mirrored left-right (bit 0), top-bottom
    /// (bit 1), then transposed (bit 2).
    #[must_use]
    pub const fn apply(self, point: Point, size: Size) -> Point {
        let mut x = point.x();
        let mut y = point.y();
        if self.0 & 1 != 0 {
            x = size.width() - 1 - x;
        }
        if self.0 & 2 != 0 {
            y = size.height() - 1 - y;
        }
        if self.swaps_sides() {
            Point::new(y, x)
        } else {
            Point::new(x, y)
        }
    }

    /// The symmetry that takes the image back.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self.0 {
            5 => Self(6),
            6 => Self(5),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_returns_each_point() {
        for size in [Size::square(5), Size::new(7, 6).expect("in range")] {
            for symmetry in Symmetry::ALL {
                for point in size.points() {
                    let image = symmetry.apply(point, size);
                    let image_size = symmetry.size(size);
                    assert!(image_size.contains(image));
                    assert_eq!(symmetry.inverse().apply(image, image_size), point);
                }
            }
        }
    }
}
