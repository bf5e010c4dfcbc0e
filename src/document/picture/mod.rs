//! Views as pictures without a screen: for the command line and scripts. One registry.
//!
//! The width of a picture is the asked one. A listing fills the asked height; rows and figures take what they need.

mod accesses;
mod density;
mod details;
mod executions;
mod lifetimes;
mod plan;
mod schedule;
mod seen;
mod source;
mod timeline;
mod view;

use super::Document;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::words::for_reader;
use crate::draw::style::{DrawStyle, LABEL, T3};
use crate::model::figure::Family;
use crate::scene::palette::{Ink, Palette};
use crate::scene::svg::svg;
use crate::scene::{Align, Scene, text};

/// All pictures, in the order of their views.
pub static PICTURES: &[&Picture] = &[
    &timeline::TIMELINE,
    &source::SOURCE,
    &accesses::ACCESSES,
    &schedule::SCHEDULE,
    &executions::EXECUTIONS,
    &lifetimes::LIFETIMES,
    &density::HEAT_MAP,
    &plan::PLAN,
    &details::DETAILS,
];

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
}

impl Document {
    /// A view as the text of an SVG file with its colors and fonts.
    ///
    /// # Errors
    /// One sentence when there is no such picture, or the document holds nothing for it.
    pub fn svg(&mut self, view: &str, size: Size, palette: &Palette) -> Result<String, String> {
        let names = || PICTURES.iter().map(|p| p.id).collect::<Vec<_>>().join(", ");
        let picture = PICTURES.iter().find(|p| p.id == view);
        let picture = picture.ok_or_else(|| format!("Unknown view {view}; available: {}.", names()))?;
        let language = self.language();
        let scene = for_reader(language, || (picture.draw)(self, size, palette)).map_err(|why| {
            let missing = self.missing().into_iter().find(|missing| missing.id == view);
            missing.map_or(why, |missing| missing.why.text(language).into_owned())
        })?;
        Ok(svg(&scene, palette, view))
    }
}

/// What colors mean, at the right of the head of a picture: their low end, the colors, their high end.
fn ramp(scene: &mut Scene, low: String, colors: &[u32], high: String) {
    let mut x = scene.size.w - 16.0 - text::width(&high, LABEL);
    scene.text(Point { x, y: 21.0 }, high, LABEL, T3, Align::Left);
    for (at, color) in colors.iter().rev().enumerate() {
        x -= if at == 0 { 15.0 } else { 9.0 };
        scene.fill(Rect::new(x, 13.0, 9.0, 9.0), Ink::Rgba(*color));
    }
    scene.text(Point { x: x - 6.0, y: 21.0 }, low, LABEL, T3, Align::Right);
}

/// The details of figures that were joined, as the text of an SVG file with its colors and fonts.
///
/// # Errors
/// One sentence when there are no figures.
pub fn compared_svg(families: &[Family], size: Size, look: &DrawStyle) -> Result<String, String> {
    Ok(svg(&details::of_families(families, size, look)?, look.palette, "details"))
}

/// The lifetimes of a document with those of a baseline as outlines, as an SVG.
///
/// # Errors
/// One sentence when one of them has none.
pub fn compared_lifetimes(
    baseline: &Document,
    comparison: &Document,
    size: Size,
    palette: &Palette,
) -> Result<String, String> {
    let scene = lifetimes::compared(comparison, Some(baseline), size, palette)?;
    Ok(svg(&scene, palette, "lifetimes"))
}
