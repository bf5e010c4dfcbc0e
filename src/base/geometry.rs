//! Points, sizes and rectangles in CSS pixels.

use serde::{Deserialize, Serialize};

/// A length in CSS pixels.
pub type Px = f32;

/// A place on a drawing, from its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: Px,
    /// Down.
    pub y: Px,
}

/// A width and a height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Size {
    pub w: Px,
    pub h: Px,
}

/// An axis-parallel rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    pub x: Px,
    pub y: Px,
    /// Width, not negative.
    pub w: Px,
    /// Height, not negative.
    pub h: Px,
}

impl Rect {
    /// A rectangle from its left top corner and size.
    pub const fn new(x: Px, y: Px, w: Px, h: Px) -> Self {
        Self { x, y, w, h }
    }

    /// Right edge.
    pub fn right(self) -> Px {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(self) -> Px {
        self.y + self.h
    }

    /// Whether the point lies inside (left and top edges belong to it).
    pub fn contains(self, p: Point) -> bool {
        self.x <= p.x && p.x < self.right() && self.y <= p.y && p.y < self.bottom()
    }

    /// Whether both have points in common; those that only touch have none.
    pub fn meets(self, other: Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// The rectangle moved inwards by `by` on all sides.
    #[must_use]
    pub fn inset(self, by: Px) -> Self {
        Self::new(self.x + by, self.y + by, (self.w - 2.0 * by).max(0.0), (self.h - 2.0 * by).max(0.0))
    }
}
