//! Named colors. The values live in `style/tokens.css` only; a palette is that file as read by whoever draws.
//!
//! Shapes carry an [`Ink`], a name; only when they are painted does it become a color, so one scene serves both themes.

use crate::base::map::Map;
use crate::base::unit::{Preference, Unit};
use serde::{Deserialize, Serialize};

/// The name of a color: a token of `style/tokens.css`, or a fixed color computed from tokens (`Rgba`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Nothing is painted.
    #[default]
    None,
    /// A token by its name without the dashes in front, such as `t1` or `line2`.
    Token(&'static str),
    /// Slice color: 1 to 12, and 13 to 34 in other lightnesses for names.
    Slice(u8),
    /// What is written on a slice color.
    OnSlice(u8),
    /// A token mixed with so many percent of the ground, for steps of one color.
    Shade(&'static str, u8),
    /// A core of level 0 to 10, where the palette's scheme has colors for levels.
    Level(u8),
    /// So many fifths of the peak (0 to 5), where the palette's scheme has colors for them.
    Peak(u8),
    /// Stop 0 to 8 of ramp `seq`, `heat`, `div` or `sgn`.
    Stop(RampName, u8),
    /// A color that was computed, `0xRRGGBBAA`.
    Rgba(u32),
}

/// The ramps of the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RampName {
    /// Counts, time, density.
    Seq,
    /// Cost.
    Heat,
    /// Better and worse.
    Div,
    /// Less and more, where neither is better.
    Sign,
}

impl RampName {
    /// The ramp of differences of a unit.
    pub fn of_differences(unit: &Unit) -> Self {
        if unit.sense() == Preference::Neutral { Self::Sign } else { Self::Div }
    }
}

/// Id of Lanescope's own colors, beside those of color schemes.
pub const OWN: &str = "lanescope";

/// The colors of one theme.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Palette {
    /// `light` or `dark`.
    pub theme: String,
    /// Id of the color scheme that is chosen for everything, or [`OWN`].
    pub scheme: String,
    /// Font families of the interface and of code, as the tokens have them.
    pub fonts: [String; 2],
    /// Colors `0xRRGGBBAA` by token name without the dashes in front.
    pub colors: Map<String, u32>,
}

impl Palette {
    /// Reads the tokens of a theme out of the text of `tokens.css`: what stands in `:root`, then in the block of the theme.
    pub fn from_css(css: &str, theme: &str) -> Self {
        Self::with_scheme(css, theme, OWN)
    }

    /// The same with what a color scheme that is chosen for everything adds: the blocks of its `data-colors`.
    pub fn with_scheme(css: &str, theme: &str, scheme: &str) -> Self {
        let mut palette = Self { theme: theme.to_owned(), scheme: scheme.to_owned(), ..Self::default() };
        for block in css.split('}') {
            let Some((selector, body)) = block.split_once('{') else { continue };
            let selector = selector.rsplit("*/").next().unwrap_or(selector).trim();
            // What stands for the light theme too is the default that dark overrides.
            let is_default = selector.starts_with(":root");
            let is_meant = match attribute(selector, "data-colors") {
                Some(id) => id == scheme && attribute(selector, "data-theme").is_none_or(|of| of == theme),
                None => is_default || attribute(selector, "data-theme") == Some(theme),
            };
            if is_meant {
                palette.read_block(body);
            }
        }
        palette
    }

    fn read_block(&mut self, body: &str) {
        for line in body.split(';') {
            let line = line.rsplit("*/").next().unwrap_or(line);
            let Some((name, value)) = line.split_once(':') else { continue };
            let Some(name) = name.trim().strip_prefix("--") else { continue };
            match name {
                "font-ui" => self.fonts[0] = one_line(value),
                "font-mono" => self.fonts[1] = one_line(value),
                _ => {
                    if let Some(color) = parse_color(value.trim()) {
                        self.colors.insert(name.to_owned(), color);
                    }
                }
            }
        }
    }

    /// The color of an ink as `0xRRGGBBAA`; transparent when the token is not known.
    pub fn rgba(&self, ink: Ink) -> u32 {
        match ink {
            Ink::None => 0,
            Ink::Rgba(color) => color,
            Ink::Shade(token, percent) => {
                let (color, ground) = (self.rgba(Ink::Token(token)), self.rgba(Ink::Token("s0")));
                mix(color, ground, f64::from(percent.min(100)) / 100.0)
            }
            _ => self.colors.get(&*ink.name()).copied().unwrap_or(0),
        }
    }

    /// The color at `at` (0 to 1) of a ramp, between its stops.
    pub fn ramp(&self, ramp: RampName, at: f64) -> u32 {
        let at = at.clamp(0.0, 1.0) * 8.0;
        let low = (at.floor() as u8).min(7);
        mix(self.rgba(Ink::Stop(ramp, low)), self.rgba(Ink::Stop(ramp, low + 1)), at - f64::from(low))
    }

    /// Whether the tokens have a color of this name: what only some color schemes bring.
    pub fn has(&self, ink: Ink) -> bool {
        self.colors.contains_key(&*ink.name())
    }

    /// The scheme's color of a share of the peak (0 to 1), between its stops.
    pub fn peak(&self, share: f64) -> u32 {
        let at = share.clamp(0.0, 1.0) * 5.0;
        let low = (at.floor() as u8).min(4);
        mix(self.rgba(Ink::Peak(low)), self.rgba(Ink::Peak(low + 1)), at - f64::from(low))
    }

    /// The better readable of dark and white ink on a color.
    pub fn ink_on(&self, color: u32) -> Ink {
        let dark = self.rgba(Ink::OnSlice(1));
        let white = self.rgba(Ink::OnSlice(4));
        Ink::Rgba(if contrast(color, white) < contrast(color, dark) { dark } else { white })
    }

    /// The same, but like the ink of the color before as long as that is easy to read: inks of nearly equal colors do
    /// not alternate.
    pub fn ink_on_next(&self, color: u32, before: Option<Ink>) -> Ink {
        before.filter(|ink| 3.5 <= contrast(color, self.rgba(*ink))).unwrap_or_else(|| self.ink_on(color))
    }
}

impl Ink {
    /// The token's name without the dashes in front; empty for computed colors.
    pub fn name(self) -> std::borrow::Cow<'static, str> {
        match self {
            Self::None => "".into(),
            Self::Token(name) => name.into(),
            Self::Slice(n) => format!("p{n}").into(),
            Self::OnSlice(n) => format!("i{n}").into(),
            Self::Shade(token, percent) => format!("{token}-{percent}").into(),
            Self::Level(n) => format!("level-{n}").into(),
            Self::Peak(n) => format!("peak-{n}").into(),
            Self::Stop(RampName::Seq, n) => format!("seq-{n}").into(),
            Self::Stop(RampName::Heat, n) => format!("heat-{n}").into(),
            Self::Stop(RampName::Div, n) => format!("div-{n}").into(),
            Self::Stop(RampName::Sign, n) => format!("sgn-{n}").into(),
            Self::Rgba(color) => format!("#{color:08x}").into(),
        }
    }
}

/// The value of an attribute that a selector asks for.
fn attribute<'a>(selector: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = selector.split_once(&format!("[{name}=\""))?;
    rest.split('"').next()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A color of the tokens, `#rrggbb`, `#rrggbbaa` or `rgba(r, g, b, a)`, as `0xRRGGBBAA`.
pub fn parse_color(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16).ok()?;
        return match hex.len() {
            6 => Some(value << 8 | 0xff),
            8 => Some(value),
            _ => None,
        };
    }
    let inner = text.strip_prefix("rgba(")?.strip_suffix(')')?;
    let mut parts = inner.split(',').map(|p| p.trim().parse::<f64>().ok());
    let mut next = || parts.next().flatten();
    let (r, g, b, a) = (next()?, next()?, next()?, next()?);
    Some((r as u32) << 24 | (g as u32) << 16 | (b as u32) << 8 | (a * 255.0).round() as u32)
}

/// `a` and `b` mixed channel by channel in sRGB; `t` 0 is `a`.
pub fn mix(a: u32, b: u32, t: f64) -> u32 {
    let channel = |shift: u32| {
        let (x, y) = (f64::from(a >> shift & 0xff), f64::from(b >> shift & 0xff));
        ((x + (y - x) * t).round() as u32) << shift
    };
    channel(24) | channel(16) | channel(8) | channel(0)
}

fn contrast(a: u32, b: u32) -> f64 {
    let (x, y) = (luminance(a), luminance(b));
    (x.max(y) + 0.05) / (x.min(y) + 0.05)
}

fn luminance(color: u32) -> f64 {
    let linear = |shift: u32| {
        let c = f64::from(color >> shift & 0xff) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(24) + 0.7152 * linear(16) + 0.0722 * linear(8)
}
