//! What both programs need of the browser: a brush for its canvas, and the texts of its errors.

use crate::base::geometry::{Point, Rect};
use crate::scene::palette::{Ink, Palette};
use crate::scene::shape::{Align, Font, Shape, Stroke};
use web_sys::OffscreenCanvasRenderingContext2d as Context;

/// The text of a JavaScript error.
pub fn text_of(error: &wasm_bindgen::JsValue) -> String {
    let message = wasm_bindgen::JsCast::dyn_ref::<js_sys::Error>(error).map(|e| String::from(e.message()));
    message.or_else(|| error.as_string()).unwrap_or_else(|| format!("{error:?}"))
}

// Paints shapes on a 2D context: of a canvas of the page, or of one that was handed to a worker.

/// Paints shapes; sets colors and fonts only when they change, which is what costs.
pub struct Brush<'a> {
    context: &'a Context,
    palette: &'a Palette,
    fill: Option<Ink>,
    font: Option<Font>,
}

impl<'a> Brush<'a> {
    /// A brush for a context; contexts of both kinds have the same methods.
    pub fn new(context: &'a Context, palette: &'a Palette) -> Self {
        Self { context, palette, fill: None, font: None }
    }

    /// Paints one shape; dense fields and cells are painted by whoever has pixels.
    pub fn paint(&mut self, shape: &Shape) {
        match shape {
            Shape::Fill { rect, radius, ink } => {
                self.fill_with(*ink);
                if *radius == 0.0 {
                    self.context.fill_rect(rect.x.into(), rect.y.into(), rect.w.into(), rect.h.into());
                } else {
                    self.trace(*rect, *radius);
                    self.context.fill();
                }
            }
            Shape::Outline { rect, radius, stroke } => {
                self.trace(rect.inset(stroke.width / 2.0), *radius);
                self.stroke(*stroke);
            }
            Shape::Path { points, stroke } => {
                self.trace_points(points);
                self.stroke(*stroke);
            }
            Shape::Curve { points: [a, b, c, d], stroke } => {
                self.context.begin_path();
                self.context.move_to(a.x.into(), a.y.into());
                let [b, c, d] = [b, c, d].map(|p| (f64::from(p.x), f64::from(p.y)));
                self.context.bezier_curve_to(b.0, b.1, c.0, c.1, d.0, d.1);
                self.stroke(*stroke);
            }
            Shape::Polygon { points, ink } => {
                self.fill_with(*ink);
                self.trace_points(points);
                self.context.fill();
            }
            Shape::Text { at, text, font, ink, align, turn } => {
                self.fill_with(*ink);
                self.write_in(*font);
                self.context.set_text_align(match align {
                    Align::Left => "left",
                    Align::Middle => "center",
                    Align::Right => "right",
                });
                self.write(text, (at.x.into(), at.y.into()), *turn);
            }
            Shape::Clip(rect) => {
                self.context.save();
                self.trace(*rect, 0.0);
                self.context.clip();
            }
            Shape::Unclip => {
                self.context.restore();
                // The context forgot what was set since the save.
                self.fill = None;
                self.font = None;
            }
            Shape::Spans(_) | Shape::Cells { .. } | Shape::Hit { .. } => {}
        }
    }

    fn write(&self, text: &str, (x, y): (f64, f64), turn: f32) {
        if turn == 0.0 {
            let _ = self.context.fill_text(text, x, y);
            return;
        }
        self.context.save();
        let _ = self.context.translate(x, y);
        let _ = self.context.rotate(f64::from(turn).to_radians());
        let _ = self.context.fill_text(text, 0.0, 0.0);
        self.context.restore();
    }

    fn fill_with(&mut self, ink: Ink) {
        if self.fill != Some(ink) {
            self.fill = Some(ink);
            self.context.set_fill_style_str(&css(self.palette.rgba(ink)));
        }
    }

    fn write_in(&mut self, font: Font) {
        if self.font != Some(font) {
            self.font = Some(font);
            let family = &self.palette.fonts[usize::from(font.is_mono)];
            let family = if family.is_empty() { "sans-serif" } else { family };
            self.context.set_font(&format!("{} {}px {family}", font.weight, font.size));
        }
    }

    fn stroke(&self, stroke: Stroke) {
        self.context.set_stroke_style_str(&css(self.palette.rgba(stroke.ink)));
        self.context.set_line_width(stroke.width.into());
        let dash = if stroke.dash == 0.0 {
            js_sys::Array::new()
        } else {
            js_sys::Array::of2(&stroke.dash.into(), &stroke.dash.into())
        };
        let _ = self.context.set_line_dash(&dash);
        self.context.stroke();
    }

    fn trace(&self, rect: Rect, radius: f32) {
        self.context.begin_path();
        let [x, y, w, h] = [rect.x, rect.y, rect.w, rect.h].map(f64::from);
        if radius == 0.0 {
            self.context.rect(x, y, w, h);
        } else {
            let _ = self.context.round_rect_with_f64(x, y, w, h, radius.into());
        }
    }

    fn trace_points(&self, points: &[Point]) {
        self.context.begin_path();
        for (i, p) in points.iter().enumerate() {
            if i == 0 {
                self.context.move_to(p.x.into(), p.y.into());
            } else {
                self.context.line_to(p.x.into(), p.y.into());
            }
        }
    }
}

/// A color as CSS writes it.
fn css(rgba: u32) -> String {
    format!("#{rgba:08x}")
}
