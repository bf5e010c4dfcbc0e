//! What is drawn, without a screen: shapes, colors, scales, ticks, text widths.
//!
//! A drawing is a list of shapes; it is replayed on a canvas, written as SVG, or dumped as text for tests.

pub mod palette;
pub mod raster;
pub mod scale;
pub mod shape;
pub mod text;
pub mod ticks;

pub mod compose;
pub mod dump;
pub mod svg;
pub mod table;

pub use shape::{Align, Font, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};
