//! A scene as SVG text: standalone with its colors and fonts, or for the page with the names of its colors.
//!
//! Coordinates are CSS pixels with at most two decimals. Dense fields are written as few elements as possible: spans of
//! one color are one path, cells are one picture in PNG.

use super::palette::{Ink, Palette};
use super::shape::{Align, Font, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::visible::is_turning;
use base64::Engine;
use std::fmt::Write;
use std::io::Write as _;

/// How colors are written.
#[derive(Clone, Copy)]
enum Colors<'a> {
    /// As the palette has them, with fonts and ground: a file that stands alone.
    Resolved(&'a Palette),
    /// As `var(--name)`, so that the page's theme decides.
    Named,
}

/// Writes colors as a picture file.
type Encode = fn(u32, u32, &[u32]) -> Vec<u8>;

/// The scene as an SVG file that stands alone, with its colors, fonts and ground. `id` begins the ids inside.
pub fn svg(scene: &Scene, palette: &Palette, id: &str) -> String {
    write(scene, Colors::Resolved(palette), Some(png), id)
}

/// The scene as an SVG element of a page whose theme decides the colors. `id` begins the ids inside, so that several
/// can stand on one page. Dense cells are left out: they stand on canvases, and pages do without a compressor.
pub fn inline(scene: &Scene, id: &str) -> String {
    write(scene, Colors::Named, None, id)
}

/// The same for a page that stands alone: with dense cells. It is no file of its own, as a page names no namespaces.
pub fn embedded(scene: &Scene, id: &str) -> String {
    write(scene, Colors::Named, Some(png), id).replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1)
}

fn write(scene: &Scene, colors: Colors, encode: Option<Encode>, id: &str) -> String {
    let mut out = Out { text: String::new(), colors, encode, id, n_clips: 0, has_hatch: false };
    let (w, h) = (num(scene.size.w), num(scene.size.h));
    out.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\""
    ));
    if let Colors::Resolved(palette) = colors {
        out.put(format_args!(" font-family=\"{}\">\n", escape(&palette.fonts[0])));
        out.put(format_args!("<style>text{{font-variant-numeric:tabular-nums;white-space:pre}}</style>\n"));
        let ground = out.color(Ink::Token("s0"), "fill");
        out.put(format_args!("<rect width=\"{w}\" height=\"{h}\"{ground}/>\n"));
    } else {
        out.put(format_args!(">\n"));
    }
    for shape in &scene.shapes {
        out.shape(shape);
    }
    out.put(format_args!("</svg>\n"));
    out.text
}

struct Out<'a> {
    text: String,
    colors: Colors<'a>,
    encode: Option<Encode>,
    id: &'a str,
    n_clips: usize,
    has_hatch: bool,
}

impl Out<'_> {
    fn put(&mut self, text: std::fmt::Arguments) {
        let _ = self.text.write_fmt(text); // writing into a String never fails
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Fill { rect, radius, ink } => {
                let fill = self.color(*ink, "fill");
                self.put(format_args!("<rect{}{}{fill}/>\n", area(*rect), corner(*radius)));
            }
            Shape::Outline { rect, radius, stroke } => {
                let inner = rect.inset(stroke.width / 2.0);
                let line = self.line(*stroke);
                self.put(format_args!("<rect{}{} fill=\"none\"{line}/>\n", area(inner), corner(*radius)));
            }
            Shape::Path { points, stroke } => {
                let line = self.line(*stroke);
                self.put(format_args!("<path d=\"{}\" fill=\"none\"{line}/>\n", through(points)));
            }
            Shape::Curve { points: [a, b, c, d], stroke } => {
                let line = self.line(*stroke);
                let d = format!("M{}C{} {} {}", at(*a), at(*b), at(*c), at(*d));
                self.put(format_args!("<path d=\"{d}\" fill=\"none\"{line}/>\n"));
            }
            Shape::Polygon { points, ink } => {
                let fill = self.color(*ink, "fill");
                self.put(format_args!("<path d=\"{}z\"{fill}/>\n", through(points)));
            }
            Shape::Text { at, text, font, ink, align, turn } => {
                self.label(*at, text, *font, *ink, *align, *turn);
            }
            Shape::Spans(spans) => self.spans(spans),
            Shape::Cells { rect, width, height, colors } => {
                let Some(encode) = self.encode else { return };
                let data = base64::engine::general_purpose::STANDARD.encode(encode(*width, *height, colors));
                self.put(format_args!(
                    "<image{} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" href=\"data:image/png;base64,{data}\"/>\n",
                    area(*rect)
                ));
            }
            Shape::Clip(rect) => {
                self.n_clips += 1;
                let name = format!("{}clip{}", escape(self.id), self.n_clips);
                self.put(format_args!("<clipPath id=\"{name}\"><rect{}/></clipPath>\n", area(*rect)));
                self.put(format_args!("<g clip-path=\"url(#{name})\">\n"));
            }
            Shape::Unclip => self.put(format_args!("</g>\n")),
            Shape::Hit { .. } => {}
        }
    }

    fn label(&mut self, p: Point, text: &str, font: Font, ink: Ink, align: Align, turn: f32) {
        let fill = self.color(ink, "fill");
        let anchor = match align {
            Align::Left => "",
            Align::Middle => " text-anchor=\"middle\"",
            Align::Right => " text-anchor=\"end\"",
        };
        let weight =
            if font.weight == 400 { String::new() } else { format!(" font-weight=\"{}\"", font.weight) };
        let family = match (font.is_mono, self.colors) {
            (true, Colors::Resolved(palette)) => format!(" font-family=\"{}\"", escape(&palette.fonts[1])),
            (true, Colors::Named) => " font-family=\"var(--font-mono)\"".to_owned(),
            _ => String::new(),
        };
        let place = if turn == 0.0 {
            format!(" x=\"{}\" y=\"{}\"", num(p.x), num(p.y))
        } else {
            format!(" transform=\"translate({} {}) rotate({})\"", num(p.x), num(p.y), num(turn))
        };
        self.put(format_args!(
            "<text{place} font-size=\"{}\"{weight}{family}{anchor}{fill}>{}</text>\n",
            num(font.size),
            escape(text)
        ));
    }

    /// Spans that look alike and follow each other become one path.
    fn spans(&mut self, spans: &Spans) {
        let ground = self.color(spans.ground, "fill");
        self.put(format_args!("<rect{}{ground}/>\n", area(spans.field)));
        let is_alike = |a: &SpanRect, b: &SpanRect| (a.ink, a.alpha, a.look) == (b.ink, b.alpha, b.look);
        for group in spans.spans.chunk_by(is_alike) {
            let Some(&first) = group.first() else { continue };
            let path = subpaths(group);
            let fill = self.color(first.ink, "fill");
            let faded = if first.alpha == 255 {
                String::new()
            } else {
                format!(" fill-opacity=\"{}\"", num(f32::from(first.alpha) / 255.0))
            };
            self.put(format_args!("<path d=\"{path}\"{fill}{faded}/>\n"));
            if first.look == SpanStyle::Hatched {
                let name = self.hatch();
                self.put(format_args!("<path d=\"{path}\" fill=\"url(#{name})\"/>\n"));
            }
        }
    }

    /// The id of the pattern of hatched spans; defines it when it is used first.
    fn hatch(&mut self) -> String {
        let name = format!("{}hatch", escape(self.id));
        if !self.has_hatch {
            self.has_hatch = true;
            let ink = self.color(Ink::Token("wait-ink"), "stroke");
            self.put(format_args!(
                "<pattern id=\"{name}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
                 <path d=\"M-1 7L7 -1\"{ink} stroke-opacity=\"0.22\"/></pattern>\n"
            ));
        }
        name
    }

    fn line(&self, stroke: Stroke) -> String {
        let color = self.color(stroke.ink, "stroke");
        let dash = if stroke.dash == 0.0 {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", num(stroke.dash))
        };
        format!("{color} stroke-width=\"{}\"{dash} stroke-linejoin=\"round\"", num(stroke.width))
    }

    /// The attribute that paints in this color, with its opacity behind it when it is not full.
    fn color(&self, ink: Ink, attribute: &str) -> String {
        let rgba = match (ink, self.colors) {
            (Ink::None, _) => return format!(" {attribute}=\"none\""),
            (Ink::Rgba(color), _) => color,
            (_, Colors::Named) => return format!(" {attribute}=\"var(--{})\"", ink.name()),
            (_, Colors::Resolved(palette)) => palette.rgba(ink),
        };
        let opacity = match rgba & 0xff {
            0xff => String::new(),
            a => format!(" {attribute}-opacity=\"{}\"", num(a as f32 / 255.0)),
        };
        format!(" {attribute}=\"#{:06x}\"{opacity}", rgba >> 8)
    }
}

/// Rectangles as the subpaths of one path; plain neighbors become one.
fn subpaths(group: &[SpanRect]) -> String {
    let mut path = String::new();
    let mut run: Option<SpanRect> = None;
    for span in group {
        match &mut run {
            Some(r)
                if r.look != SpanStyle::Round
                    && r.y == span.y
                    && r.h == span.h
                    && r.x0 <= span.x0
                    && span.x0 <= r.x1 =>
            {
                r.x1 = r.x1.max(span.x1);
            }
            _ => {
                if let Some(done) = run.replace(*span) {
                    subpath(&mut path, &done);
                }
            }
        }
    }
    if let Some(done) = run {
        subpath(&mut path, &done);
    }
    path
}

fn subpath(path: &mut String, span: &SpanRect) {
    let (x, y, w, h) = (span.x0, span.y, span.x1 - span.x0, span.h);
    // Writing into a String never fails.
    let _ = if span.look == SpanStyle::Round && 6.0 <= w && 4.0 <= h {
        let (w, h) = (num(w - 4.0), num(h - 4.0));
        let corner = |x: i8, y: i8| format!("a2 2 0 0 1 {x} {y}");
        let (a, b, c, d) = (corner(2, 2), corner(-2, 2), corner(-2, -2), corner(2, -2));
        write!(path, "M{} {}h{w}{a}v{h}{b}h-{w}{c}v-{h}{d}z", num(x + 2.0), num(y))
    } else {
        let (w, h) = (num(w), num(h));
        write!(path, "M{} {}h{w}v{h}h-{w}z", num(x), num(y))
    };
}

/// At most two decimals, without trailing zeros.
fn num(value: Px) -> String {
    let value = (f64::from(value) * 100.0).round() / 100.0;
    if value == 0.0 { "0".to_owned() } else { format!("{value}") }
}

fn at(p: Point) -> String {
    format!("{} {}", num(p.x), num(p.y))
}

fn through(points: &[Point]) -> String {
    let mut out = String::new();
    for (i, p) in points.iter().enumerate() {
        out.push(if i == 0 { 'M' } else { 'L' });
        out.push_str(&at(*p));
    }
    out
}

fn area(rect: Rect) -> String {
    format!(
        " x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        num(rect.x),
        num(rect.y),
        num(rect.w),
        num(rect.h)
    )
}

fn corner(radius: Px) -> String {
    if radius == 0.0 { String::new() } else { format!(" rx=\"{}\"", num(radius)) }
}

/// Text for elements and attributes; characters that XML forbids are left out, and those that turn the writing around.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || is_turning(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

/// A PNG of these colors (`0xRRGGBBAA`, row by row); colors that are missing are transparent.
///
/// Layout: signature; IHDR (width, height, 8 bits, RGBA); IDAT (zlib of rows, each after a filter byte 0); IEND.
/// Source of the facts: <https://www.w3.org/TR/png-3/>, sections 5, 9 and 11.
pub fn png(width: u32, height: u32, colors: &[u32]) -> Vec<u8> {
    let mut rows = Vec::with_capacity((4 * colors.len()) + height as usize);
    for y in 0..height as usize {
        rows.push(0);
        for x in 0..width as usize {
            let color = colors.get(y * width as usize + x).copied().unwrap_or(0);
            rows.extend_from_slice(&color.to_be_bytes());
        }
    }
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let packed = zlib.write_all(&rows).and_then(|()| zlib.finish()).unwrap_or_default(); // memory never refuses
    let mut head = Vec::with_capacity(13);
    head.extend_from_slice(&width.to_be_bytes());
    head.extend_from_slice(&height.to_be_bytes());
    head.extend_from_slice(&[8, 6, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", &head), (b"IDAT", &packed), (b"IEND", &Vec::new())] {
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(data);
        out.extend_from_slice(&(data.len() as u32).to_be_bytes());
        out.extend_from_slice(name);
        out.extend_from_slice(data);
        out.extend_from_slice(&crc.sum().to_be_bytes());
    }
    out
}
