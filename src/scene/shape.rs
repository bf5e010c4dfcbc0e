//! The shapes a drawing is made of. Coordinates are CSS pixels from the top left corner.

use super::palette::Ink;
use crate::base::geometry::{Point, Px, Rect, Size};

/// A drawing: shapes in the order they are painted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    pub size: Size,
    pub shapes: Vec<Shape>,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle with round corners.
    Fill { rect: Rect, radius: Px, ink: Ink },
    /// The outline of a rectangle; the line lies inside.
    Outline { rect: Rect, radius: Px, stroke: Stroke },
    /// A line through points.
    Path {
        /// At least two points.
        points: Vec<Point>,
        stroke: Stroke,
    },
    /// A cubic curve: start, two handles, end.
    Curve {
        /// Start, handle, handle, end.
        points: [Point; 4],
        stroke: Stroke,
    },
    Polygon {
        /// At least three points.
        points: Vec<Point>,
        ink: Ink,
    },
    /// One line of text.
    Text {
        /// Where: the baseline's left end, middle or right end, as `align` says.
        at: Point,
        text: String,
        font: Font,
        ink: Ink,
        /// Which point of the text `at` is.
        align: Align,
        /// Turned by this many degrees clockwise around `at`.
        turn: f32,
    },
    /// Very many plain rectangles in a field, painted as pixels: see [`Spans`].
    Spans(Spans),
    /// A picture of one color per cell, stretched over a rectangle without smoothing.
    Cells {
        rect: Rect,
        /// Cells in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Colors row by row, `0xRRGGBBAA`.
        colors: Vec<u32>,
    },
    /// What follows is painted only inside this rectangle, until the matching `Unclip`.
    Clip(Rect),
    /// Ends the last `Clip`.
    Unclip,
    /// Nothing to see: names a region for hit tests and text alternatives.
    Hit {
        rect: Rect,
        /// What lies there, in the words of the drawing.
        name: String,
    },
}

/// Rectangles of a dense field. A canvas paints the whole field as one block of pixels (over `ground`), so it costs the
/// same for ten spans as for ten thousand; it must come before what is painted over it, and ignores clips. Where two
/// spans of one row follow each other inside a pixel, their shares of it add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spans {
    pub field: Rect,
    /// Color of the field where nothing lies.
    pub ground: Ink,
    /// The rectangles, in the order they are painted.
    pub spans: Vec<SpanRect>,
}

/// One rectangle of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanRect {
    pub x0: Px,
    pub x1: Px,
    pub y: Px,
    pub h: Px,
    pub ink: Ink,
    /// Strength from 0 to 255: how much of the color covers what is below.
    pub alpha: u8,
    /// Its edges and pattern.
    pub look: SpanStyle,
}

/// How a rectangle of a field is painted beyond its color.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanStyle {
    /// Just filled.
    #[default]
    Plain,
    /// With corners rounded by 2 pixels, when it is wide enough.
    Round,
    /// With thin lines of `wait-ink` across.
    Hatched,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub ink: Ink,
    pub width: Px,
    /// Length of dashes and gaps; 0 is a full line.
    pub dash: Px,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    /// Size in CSS pixels: 11, 12, 13, 15 or 22.
    pub size: Px,
    /// 400, 500 or 600.
    pub weight: u16,
    /// Whether in the fixed-width face.
    pub is_mono: bool,
}

/// Which point of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Middle,
    Right,
}

impl Scene {
    /// An empty drawing of this size.
    pub fn new(size: Size) -> Self {
        Self { size, shapes: Vec::new() }
    }

    /// Paints a rectangle.
    pub fn fill(&mut self, rect: Rect, ink: Ink) {
        self.shapes.push(Shape::Fill { rect, radius: 0.0, ink });
    }

    /// Paints a line through two points.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.shapes.push(Shape::Path { points: vec![from, to], stroke });
    }

    /// Writes a text with its baseline at `at`.
    pub fn text(&mut self, at: Point, text: impl Into<String>, font: Font, ink: Ink, align: Align) {
        self.shapes.push(Shape::Text { at, text: text.into(), font, ink, align, turn: 0.0 });
    }
}

impl Font {
    /// The interface face at this size, normal weight.
    pub const fn ui(size: Px) -> Self {
        Self { size, weight: 400, is_mono: false }
    }

    /// The fixed-width face at this size.
    pub const fn mono(size: Px) -> Self {
        Self { size, weight: 400, is_mono: true }
    }

    /// The same face, heavier.
    #[must_use]
    pub const fn weight(self, weight: u16) -> Self {
        Self { weight, ..self }
    }
}

impl Stroke {
    /// A full line.
    pub const fn new(ink: Ink, width: Px) -> Self {
        Self { ink, width, dash: 0.0 }
    }
}
