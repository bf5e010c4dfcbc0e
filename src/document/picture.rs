//! Views as pictures without a screen: what such a picture is.
//!
//! The width of a picture is the asked one. A listing fills the asked height; rows and figures take what they need.

use super::Document;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::draw::style::{LABEL, T3};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, text};
use crate::wire::picture::ViewPicture;

/// A picture is never higher, whatever it holds: programs that open it have such limits.
pub const MAX_HEIGHT: Px = 16_384.0;

/// A view as a picture.
pub struct Picture {
    /// Id of the view.
    pub id: &'static str,
    /// Title of the view.
    pub title: &'static str,
    /// Draws it; `Err` says in one sentence why there is nothing to draw.
    pub draw: fn(&mut Document, Size, &Palette) -> Result<Scene, String>,
    /// Draws what the page shows of it, where that is more than its pictures beside each other.
    pub seen: Option<Seen>,
}

/// Draws what the page shows of a view.
pub type Seen = fn(&mut Document, &ViewPicture, Size, &Palette) -> Result<Scene, String>;

/// What colors mean, at the right of the head of a picture: their low end, the colors, their high end.
pub(crate) fn ramp(scene: &mut Scene, low: String, colors: &[u32], high: String) {
    let mut x = scene.size.w - 16.0 - text::width(&high, LABEL);
    scene.text(Point { x, y: 21.0 }, high, LABEL, T3, Align::Left);
    for (at, color) in colors.iter().rev().enumerate() {
        x -= if at == 0 { 15.0 } else { 9.0 };
        scene.fill(Rect::new(x, 13.0, 9.0, 9.0), Ink::Rgba(*color));
    }
    scene.text(Point { x: x - 6.0, y: 21.0 }, low, LABEL, T3, Align::Right);
}
