//! What can be seen: places of elements, pixels of a screenshot, colors of tokens. CSS pixels are screen pixels here.

use std::collections::BTreeSet;
use std::io::Cursor;

use serde::Deserialize;
use serde_json::json;

use crate::{Outcome, Page};

/// Red, green, blue.
pub type Color = [u8; 3];

/// A place on the page, in CSS pixels from its visible corner.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Channels of two colors that are no further apart look the same.
const NEAR: u8 = 24;

/// The place of an element.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// Its middle.
    pub fn middle(&self) -> Point {
        Point { x: self.x + self.width / 2.0, y: self.y + self.height / 2.0 }
    }
}

/// A picture of the visible page.
pub struct Screen {
    width: usize,
    rgb: Vec<Color>,
}

impl Screen {
    /// Reads a PNG of 8 bits a channel.
    pub fn from_png(bytes: &[u8]) -> Outcome<Self> {
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info()?;
        let mut pixels = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
        let info = reader.next_frame(&mut pixels)?;
        let step = info.line_size / info.width as usize;
        let rgb = pixels[..info.buffer_size()].chunks_exact(step).map(|px| [px[0], px[1], px[2]]).collect();
        Ok(Self { width: info.width as usize, rgb })
    }

    /// The color under a point; an error outside the picture.
    pub fn pixel(&self, at: Point) -> Outcome<Color> {
        let (x, y) = (at.x.floor() as usize, at.y.floor() as usize);
        let color = if x < self.width { self.rgb.get(y * self.width + x) } else { None };
        color.copied().ok_or_else(|| format!("{at:?} lies outside the page").into())
    }

    /// Its colors, each once.
    pub fn colors(&self) -> BTreeSet<Color> {
        self.rgb.iter().copied().collect()
    }

    /// The part of the pixels of an area that look different from those of another picture, 0 to 1; an error where one of
    /// them is too small.
    pub fn difference(&self, other: &Self, area: &Rect) -> Outcome<f64> {
        let (columns, rows) = (area.width.floor() as u32, area.height.floor() as u32);
        let mut n = 0_u32;
        for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
            let at = Point { x: area.x + f64::from(x), y: area.y + f64::from(y) };
            let (own, others) = (self.pixel(at)?, other.pixel(at)?);
            n += u32::from(own.iter().zip(&others).any(|(a, b)| NEAR < a.abs_diff(*b)));
        }
        Ok(f64::from(n) / f64::from((columns * rows).max(1)))
    }
}

impl Page {
    /// The page as it looks now.
    pub async fn screen(&self) -> Outcome<Screen> {
        Screen::from_png(&self.driver.screenshot_as_png().await?)
    }

    /// The color under a point.
    pub async fn pixel(&self, at: Point) -> Outcome<Color> {
        self.screen().await?.pixel(at)
    }

    /// The color that a token of `style/tokens.css` has in the theme shown, by its name with the dashes.
    pub async fn token(&self, name: &str) -> Outcome<Color> {
        self.color_of("document.documentElement", name).await
    }

    /// What the first element that matches is filled with.
    pub async fn background(&self, selector: &str) -> Outcome<Color> {
        self.color_of(&format!("document.querySelector('{selector}')"), "background-color").await
    }

    /// A property that is a color, as it is painted.
    async fn color_of(&self, element: &str, property: &str) -> Outcome<Color> {
        let body = format!(
            "const element = {element}, value = element && getComputedStyle(element).getPropertyValue('{property}').trim();
            if (!value) return null;
            const pen = new OffscreenCanvas(1, 1).getContext('2d');
            pen.fillStyle = value;
            pen.fillRect(0, 0, 1, 1);
            return Array.from(pen.getImageData(0, 0, 1, 1).data).slice(0, 3)"
        );
        let color: Option<Color> = self.js(&body, &[]).await?;
        color.ok_or_else(|| format!("{element} has no {property}").into())
    }

    /// Where the canvas with the most pixels is: the picture of the view.
    pub async fn biggest_canvas(&self) -> Outcome<Rect> {
        let body = "const area = canvas => canvas.clientWidth * canvas.clientHeight;
            const canvases = [...document.querySelectorAll('canvas')].sort((a, b) => area(b) - area(a));
            return canvases[0]?.getBoundingClientRect().toJSON() ?? null";
        let rect: Option<Rect> = self.js(body, &[]).await?;
        rect.ok_or_else(|| "there is no canvas".into())
    }

    /// Where the first element that matches is; an error when there is none or it is not visible.
    pub async fn rect(&self, selector: &str) -> Outcome<Rect> {
        let body = "const rect = document.querySelector(arguments[0])?.getBoundingClientRect();
            return rect && rect.width && rect.height ? rect.toJSON() : null";
        let rect: Option<Rect> = self.js(body, &[json!(selector)]).await?;
        rect.ok_or_else(|| format!("nothing visible matches {selector}").into())
    }

    /// The text of the tooltip, waited for.
    pub async fn tooltip_text(&self) -> Outcome<String> {
        let shown = "document.querySelector('[role=tooltip]')?.checkVisibility({ visibilityProperty: true, opacityProperty: true })";
        self.until("a tooltip is shown", 5, shown).await?;
        self.text("[role=tooltip]").await
    }
}
