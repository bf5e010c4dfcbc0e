//! Replays a scene on an `OffscreenCanvas`: size, pixel ratio, fonts.

use crate::base::geometry::Rect;
use crate::browser::brush::Brush;
use crate::scene::palette::Palette;
use crate::scene::raster;
use crate::scene::shape::{Scene, Shape, Spans};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{ImageData, OffscreenCanvas, OffscreenCanvasRenderingContext2d as Context};

/// Largest edge of a canvas that every browser allows, in device pixels.
const MAX_EDGE: f32 = 16_384.0;

/// A canvas that a component of the page handed over.
pub(super) struct Surface {
    canvas: OffscreenCanvas,
    context: Context,
    pixels: Vec<u8>,
}

impl Surface {
    /// Takes the canvas; `None` when it has no 2D context.
    pub(super) fn new(canvas: OffscreenCanvas) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into::<Context>().ok()?;
        Some(Self { canvas, context, pixels: Vec::new() })
    }

    /// Gives the pixels back at once: of a canvas that is only let go, browsers keep them for many seconds.
    pub(super) fn give_back(&self) {
        self.canvas.set_width(1);
        self.canvas.set_height(1);
    }

    /// Paints the scene over everything.
    pub(super) fn show(&mut self, scene: &Scene, palette: &Palette, ratio: f32) {
        let edge = |css: f32| (css * ratio).round().clamp(1.0, MAX_EDGE) as u32;
        let (width, height) = (edge(scene.size.w), edge(scene.size.h));
        // Setting the size clears the canvas and is slow: only when it changed.
        if self.canvas.width() != width || self.canvas.height() != height {
            self.canvas.set_width(width);
            self.canvas.set_height(height);
        }
        let scale = f64::from(ratio);
        let _ = self.context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, f64::from(scene.size.w), f64::from(scene.size.h));
        let mut brush = Brush::new(&self.context, palette);
        for shape in &scene.shapes {
            match shape {
                Shape::Spans(spans) => paint_spans(&self.context, spans, palette, ratio, &mut self.pixels),
                Shape::Cells { rect, width, height, colors } => {
                    paint_cells(&self.context, *rect, *width, *height, colors);
                }
                _ => brush.paint(shape),
            }
        }
    }
}

/// One block of pixels for the whole field.
fn paint_spans(context: &Context, spans: &Spans, palette: &Palette, ratio: f32, pixels: &mut Vec<u8>) {
    let (width, height) = raster::paint(spans, palette, ratio, pixels);
    if width == 0 || height == 0 {
        return;
    }
    if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), width, height) {
        let at = |css: f32| f64::from((css * ratio).round());
        let _ = context.put_image_data(&image, at(spans.field.x), at(spans.field.y));
    }
}

/// Cells are painted one pixel each on a canvas of their own, then stretched without smoothing.
fn paint_cells(context: &Context, rect: Rect, width: u32, height: u32, colors: &[u32]) {
    let bytes: Vec<u8> = colors.iter().flat_map(|color| color.to_be_bytes()).collect();
    let painted =
        ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bytes), width, height).and_then(|image| {
            let small = OffscreenCanvas::new(width, height)?;
            if let Some(inner) = small.get_context("2d")? {
                inner.unchecked_into::<Context>().put_image_data(&image, 0.0, 0.0)?;
            }
            context.set_image_smoothing_enabled(false);
            let [x, y, w, h] = [rect.x, rect.y, rect.w, rect.h].map(f64::from);
            context.draw_image_with_offscreen_canvas_and_dw_and_dh(&small, x, y, w, h)
        });
    let _ = painted; // a picture that cannot be made leaves its place empty
}
