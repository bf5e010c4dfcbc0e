//! A drawing backend for plotters that records into a scene, so that one chart goes to canvas, SVG and test text.
//!
//! plotters works in whole device pixels and in colors of three bytes. So a recorded chart is laid out [`FINE`] times
//! larger and divided again, and colors are numbers of a table of inks ([`Inks`]): names of tokens survive the way.
//!
//! The SVG backend of plotters does worse: text of 11 px is written with 8.87, lines of 1.5 px become 2, places are whole
//! pixels, colors do not follow the theme, and the text is 1.6 to 2.7 times as long, as each label names all fonts.

use super::style::LABEL;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::scene::palette::{Ink, Palette};
use crate::scene::text;
use crate::scene::{Align, Font, Scene, Shape, Stroke};
use plotters::style::RGBAColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};
use std::cell::RefCell;
use std::convert::Infallible;

/// Device pixels of a recording in one CSS pixel.
pub const FINE: f64 = 8.0;

/// How inks become the colors of plotters.
pub enum Inks<'a> {
    /// As the palette has them: for canvas and SVG backends.
    Painted(&'a Palette),
    /// As numbers into this table: for recordings.
    Numbered(RefCell<Vec<Ink>>),
}

impl Inks<'_> {
    /// A table for a recording.
    pub fn numbered() -> Self {
        Inks::Numbered(RefCell::new(Vec::new()))
    }

    /// The color of an ink for plotters.
    pub fn color(&self, ink: Ink) -> RGBAColor {
        let rgba = match self {
            _ if ink == Ink::None => 0,
            Inks::Painted(palette) => palette.rgba(ink),
            Inks::Numbered(table) => {
                let mut table = table.borrow_mut();
                let at = table.iter().position(|i| *i == ink).unwrap_or_else(|| {
                    table.push(ink);
                    table.len() - 1
                });
                (at as u32) << 8 | 0xff
            }
        };
        let [r, g, b, a] = rgba.to_be_bytes();
        RGBAColor(r, g, b, f64::from(a) / 255.0)
    }

    fn ink(&self, color: BackendColor) -> Ink {
        let (r, g, b) = color.rgb;
        match self {
            Inks::Painted(_) => Ink::Rgba(u32::from_be_bytes([r, g, b, (color.alpha * 255.0).round() as u8])),
            Inks::Numbered(table) => {
                let at = u32::from_be_bytes([0, r, g, b]) as usize;
                table.borrow().get(at).copied().unwrap_or_default()
            }
        }
    }
}

/// Records what plotters draws.
pub struct Recorder<'a> {
    scene: &'a mut Scene,
    inks: &'a Inks<'a>,
}

impl<'a> Recorder<'a> {
    /// A backend that adds to `scene`, whose size it takes.
    pub fn new(scene: &'a mut Scene, inks: &'a Inks<'a>) -> Self {
        Self { scene, inks }
    }

    fn stroke(&self, style: &impl BackendStyle) -> Stroke {
        Stroke::new(self.inks.ink(style.color()), (f64::from(style.stroke_width()) / FINE) as Px)
    }
}

fn fine(p: BackendCoord) -> Point {
    Point { x: (f64::from(p.0) / FINE) as Px, y: (f64::from(p.1) / FINE) as Px }
}

fn rect_of(a: BackendCoord, b: BackendCoord) -> Rect {
    let (a, b) = (fine(a), fine(b));
    Rect::new(a.x.min(b.x), a.y.min(b.y), (b.x - a.x).abs(), (b.y - a.y).abs())
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Recorder<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let Size { w, h } = self.scene.size;
        ((f64::from(w) * FINE) as u32, (f64::from(h) * FINE) as u32)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Done {
        let one = (1.0 / FINE) as Px;
        let at = fine(point);
        self.scene.fill(Rect::new(at.x, at.y, one, one), self.inks.ink(color));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        a: BackendCoord,
        b: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let (rect, stroke) = (rect_of(a, b), self.stroke(style));
        self.scene.shapes.push(if fill {
            Shape::Fill { rect, radius: 0.0, ink: stroke.ink }
        } else {
            Shape::Outline { rect, radius: 0.0, stroke }
        });
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let points: Vec<Point> = path.into_iter().map(fine).collect();
        if style.color().alpha != 0.0 && 2 <= points.len() {
            let stroke = self.stroke(style);
            self.scene.shapes.push(Shape::Path { points, stroke });
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let (center, radius) = (fine(center), (f64::from(radius) / FINE) as Px);
        let stroke = self.stroke(style);
        // A ring lies on its radius, an outline inside its rectangle.
        let outer = if fill { radius } else { radius + stroke.width / 2.0 };
        let rect = Rect::new(center.x - outer, center.y - outer, 2.0 * outer, 2.0 * outer);
        self.scene.shapes.push(if fill {
            Shape::Fill { rect, radius: outer, ink: stroke.ink }
        } else {
            Shape::Outline { rect, radius: outer, stroke }
        });
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let ink = self.inks.ink(style.color());
        self.scene.shapes.push(Shape::Polygon { points: path.into_iter().map(fine).collect(), ink });
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, pos: BackendCoord) -> Done {
        let font = Font::ui((style.size() / FINE) as Px);
        let turn = match style.transform() {
            FontTransform::None => 0.0,
            FontTransform::Rotate90 => 90.0,
            FontTransform::Rotate180 => 180.0,
            FontTransform::Rotate270 => 270.0,
        };
        let drop = match style.anchor().v_pos {
            VPos::Top => 0.84,
            VPos::Center => 0.35,
            VPos::Bottom => -0.2,
        } * font.size;
        let align = match style.anchor().h_pos {
            HPos::Left => Align::Left,
            HPos::Center => Align::Middle,
            HPos::Right => Align::Right,
        };
        let mut at = fine(pos);
        // The baseline moves at right angles to the direction of the text.
        at = match turn as i32 {
            90 => Point { x: at.x - drop, ..at },
            180 => Point { y: at.y - drop, ..at },
            270 => Point { x: at.x + drop, ..at },
            _ => Point { y: at.y + drop, ..at },
        };
        let ink = self.inks.ink(style.color());
        self.scene.shapes.push(Shape::Text { at, text: text.to_owned(), font, ink, align, turn });
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let font = Font { size: style.size() as Px, ..LABEL };
        Ok((text::width(text, font) as u32, (font.size * 1.25) as u32))
    }
}
