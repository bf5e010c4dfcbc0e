//! Paints a dense field of spans into pixels: the same cost for ten spans as for ten thousand.
//!
//! A span covers whole pixels but for its left and right edge, where it covers a share. Spans of one row that meet inside
//! a pixel add their shares up, so that no ground shines through between two that touch.
//!
//! Before you change this: spans of one lane follow each other, so one row of pixels is painted for all of them and copied
//! down. All questions (clipping, strength, look) are asked once per span, and memory is written in long runs.

use super::palette::{Ink, Palette};
use super::shape::{SpanRect, SpanStyle, Spans};

/// Red, green, blue, opaqueness.
type Pixel = [u8; 4];

/// Paints the field at the device's ratio into `buffer` as RGBA bytes; returns its width and height in device pixels.
pub fn paint(spans: &Spans, palette: &Palette, ratio: f32, buffer: &mut Vec<u8>) -> (u32, u32) {
    let (left, top) = ((spans.field.x * ratio).round(), (spans.field.y * ratio).round());
    let width = ((spans.field.right() * ratio).round() - left).max(0.0) as usize;
    let height = ((spans.field.bottom() * ratio).round() - top).max(0.0) as usize;
    let mut inks =
        Inks { palette, last: (Ink::None, [0; 4]), hatch: pixel_of(palette, Ink::Token("wait-ink")) };
    let ground = inks.pixel(spans.ground);
    buffer.resize(width * height * 4, 0);
    let pixels = buffer.as_chunks_mut::<4>().0;
    pixels.fill(ground);
    let mut canvas = Canvas { pixels, width, height, shared: Shared::default(), runs: Vec::new() };
    let origin = (left, top);
    let mut rest = spans.spans.as_slice();
    while let Some(first) = rest.first() {
        let n = rest.iter().position(|s| s.y != first.y || s.h != first.h).unwrap_or(rest.len());
        let (band, after) = rest.split_at(n);
        canvas.band(band, origin, ratio, &mut inks);
        rest = after;
    }
    (width as u32, height as u32)
}

/// Colors as pixels; most spans follow one of their own color.
struct Inks<'a> {
    palette: &'a Palette,
    last: (Ink, Pixel),
    hatch: Pixel,
}

impl Inks<'_> {
    fn pixel(&mut self, ink: Ink) -> Pixel {
        if self.last.0 != ink {
            self.last = (ink, pixel_of(self.palette, ink));
        }
        self.last.1
    }
}

/// The field is opaque: only the color of an ink counts.
fn pixel_of(palette: &Palette, ink: Ink) -> Pixel {
    let [r, g, b, _] = palette.rgba(ink).to_be_bytes();
    [r, g, b, 255]
}

/// The pixel column in which the last span ended, and what was there before it.
#[derive(Clone, Copy, Default)]
struct Shared {
    x: usize,
    ground: Pixel,
    share: u32,
}

struct Canvas<'a> {
    pixels: &'a mut [Pixel],
    width: usize,
    height: usize,
    shared: Shared,
    /// Which pixels of the top row of the band were painted.
    runs: Vec<(usize, usize)>,
}

impl Canvas<'_> {
    /// Spans of one height that follow each other: their top row is painted, then copied down. (What lies under a span
    /// is taken to be the same over its height.)
    fn band(&mut self, band: &[SpanRect], (left, top): (f32, f32), ratio: f32, inks: &mut Inks) {
        let Some(&SpanRect { y, h, .. }) = band.first() else { return };
        let row = |edge: f32| (edge * ratio - top).round().clamp(0.0, self.height as f32) as usize;
        let (y0, y1) = (row(y), row(y + h));
        if y1 <= y0 || self.width == 0 {
            return;
        }
        self.runs.clear();
        self.shared = Shared::default();
        let width = self.width as f32;
        let at = |span: &SpanRect| {
            let x = |edge: f32| (edge * ratio - left).clamp(0.0, width);
            (x(span.x0), x(span.x1))
        };
        let is_painted = |span: &&SpanRect| span.alpha != 0 && span.ink != Ink::None;
        for span in band.iter().filter(is_painted) {
            let ink = inks.pixel(span.ink);
            self.span(at(span), y0, ink, u32::from(span.alpha));
        }
        for y in y0 + 1..y1 {
            for &(from, to) in &self.runs {
                let top = y0 * self.width;
                self.pixels.copy_within(top + from..top + to, y * self.width + from);
            }
        }
        for span in band.iter().filter(is_painted).filter(|s| s.look != SpanStyle::Plain) {
            let (x0, x1) = at(span);
            let inner = (x0.ceil() as usize, x1.floor() as usize);
            if inner.0 < inner.1 && span.look == SpanStyle::Round {
                self.round(inner, (y0, y1), ratio);
            } else if inner.0 < inner.1 {
                let hatch = mix(inks.pixel(span.ink), inks.hatch, u32::from(span.alpha) * 56 / 255);
                self.hatch(inner, (y0, y1), hatch, ratio, left);
            }
        }
    }

    /// Paints a span on the row `y`.
    fn span(&mut self, (x0, x1): (f32, f32), y: usize, ink: Pixel, alpha: u32) {
        if x1 <= x0 {
            return;
        }
        let (first, last) = (x0.ceil() as usize, x1.floor() as usize);
        let (from, to) = (x0.floor() as usize, x1.ceil() as usize);
        match self.runs.last_mut() {
            Some(run) if run.0 <= from && from <= run.1 => run.1 = run.1.max(to),
            _ => self.runs.push((from, to)),
        }
        let share = |covered: f32| (covered * alpha as f32).round() as u32;
        if last < first {
            self.edge(last, y, ink, share(x1 - x0));
            return;
        }
        if x0 < first as f32 {
            self.edge(first - 1, y, ink, share(first as f32 - x0));
        }
        let row = y * self.width;
        if first + 1 == last {
            self.edge(first, y, ink, alpha);
        } else if alpha == 255 {
            self.pixels[row + first..row + last].fill(ink);
        } else {
            for pixel in &mut self.pixels[row + first..row + last] {
                *pixel = mix(*pixel, ink, alpha);
            }
        }
        if (last as f32) < x1 {
            self.edge(last, y, ink, share(x1 - last as f32));
        }
    }

    /// One pixel, covered in part. What an earlier span of the row covers of it stays: the shares add up.
    fn edge(&mut self, x: usize, y: usize, ink: Pixel, share: u32) {
        if self.width <= x || share == 0 {
            return;
        }
        let at = y * self.width + x;
        let now = self.pixels[at];
        let shares_it = self.shared.x == x && self.shared.share != 0;
        let (ground, before) = if shares_it { (self.shared.ground, self.shared.share) } else { (now, 0) };
        let share = share.min(255 - before.min(255));
        self.pixels[at] = add(now, ground, ink, share);
        self.shared = Shared { x, ground, share: before + share };
    }

    /// Takes the outermost pixels of the corners back towards the pixels outside.
    fn round(&mut self, (x0, x1): (usize, usize), (y0, y1): (usize, usize), ratio: f32) {
        let radius = (2.0 * ratio).round().max(1.0) as usize;
        if x1 - x0 < 2 * radius || y1 - y0 < 2 * radius || x0 == 0 || x1 == self.width {
            return;
        }
        for dy in 0..radius {
            for dx in 0..radius {
                let cut = cut_of_corner(dx, dy, radius);
                if cut == 0 {
                    continue;
                }
                for y in [y0 + dy, y1 - 1 - dy] {
                    let (left, right) = (y * self.width + x0, y * self.width + x1);
                    // The row above the span is ground: its pixel is what lies behind the corner.
                    let ground =
                        if y0 == 0 { self.pixels[left - 1] } else { self.pixels[(y0 - 1) * self.width + x0] };
                    for at in [left + dx, right - 1 - dx] {
                        self.pixels[at] = mix(self.pixels[at], ground, cut);
                    }
                }
            }
        }
    }

    /// Thin lines from lower left to upper right, fixed to the field so that neighbours join.
    fn hatch(
        &mut self,
        (x0, x1): (usize, usize),
        (y0, y1): (usize, usize),
        ink: Pixel,
        ratio: f32,
        left: f32,
    ) {
        let period = (5.0 * ratio).round().max(3.0) as usize;
        let thick = (ratio.round() as usize).max(1);
        let shift = left as usize;
        for y in y0..y1 {
            let row = &mut self.pixels[y * self.width..(y + 1) * self.width];
            let phase = (x0 + shift + y) % period;
            let mut x = if phase < thick { x0 } else { x0 + period - phase };
            let mut run = if phase < thick { thick - phase } else { thick };
            while x < x1 {
                let end = (x + run).min(x1);
                row[x..end].fill(ink);
                x += run + period - thick;
                run = thick;
            }
        }
    }
}

/// How much of a pixel, 0 to 255, lies outside of a quarter circle in the corner.
fn cut_of_corner(dx: usize, dy: usize, radius: usize) -> u32 {
    let r = radius as f32;
    let mut outside = 0;
    for i in 0..16 {
        let x = r - (dx as f32 + (i % 4) as f32 * 0.25 + 0.125);
        let y = r - (dy as f32 + (i / 4) as f32 * 0.25 + 0.125);
        outside += u32::from(r * r < x * x + y * y);
    }
    outside * 255 / 16
}

/// `a` with `share` of 255 of `b` over it.
fn mix(a: Pixel, b: Pixel, share: u32) -> Pixel {
    add(a, a, b, share)
}

/// `now` with `share` of 255 of what is `ground` in it replaced by `ink`, channel by channel.
fn add(now: Pixel, ground: Pixel, ink: Pixel, share: u32) -> Pixel {
    let channel = |i: usize| {
        let change = (i32::from(ink[i]) - i32::from(ground[i])) * share as i32;
        let rounded = (change + if change < 0 { -127 } else { 127 }) / 255;
        (i32::from(now[i]) + rounded).clamp(0, 255) as u8
    };
    [channel(0), channel(1), channel(2), 255]
}
