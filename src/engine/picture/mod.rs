//! Views as pictures without a screen: for the command line and scripts. One registry.

mod view;

use crate::base::geometry::Size;
use crate::base::words::for_reader;
use crate::document::Document;
use crate::document::engine::Act;
use crate::document::picture::Picture;
use crate::draw::style::DrawStyle;
use crate::model::figure::Family;
use crate::scene::palette::Palette;
use crate::scene::svg::svg;
use crate::views;

/// All pictures.
pub fn pictures() -> impl Iterator<Item = &'static Picture> {
    views::engines()
        .filter_map(|engine| if let Act::Save(picture) = engine.act { Some(picture) } else { None })
}

impl Document {
    /// A view as the text of an SVG file with its colors and fonts.
    ///
    /// # Errors
    /// One sentence when there is no such picture, or the document holds nothing for it.
    pub fn svg(&mut self, view: &str, size: Size, palette: &Palette) -> Result<String, String> {
        let names = || pictures().map(|p| p.id).collect::<Vec<_>>().join(", ");
        let picture = pictures().find(|p| p.id == view);
        let picture = picture.ok_or_else(|| format!("Unknown view {view}; available: {}.", names()))?;
        let language = self.language();
        let scene = for_reader(language, || (picture.draw)(self, size, palette)).map_err(|why| {
            let missing = self.missing().into_iter().find(|missing| missing.id == view);
            missing.map_or(why, |missing| missing.why.text(language).into_owned())
        })?;
        Ok(svg(&scene, palette, view))
    }
}

/// The details of figures that were joined, as the text of an SVG file with its colors and fonts.
///
/// # Errors
/// One sentence when there are no figures.
pub fn compared_svg(families: &[Family], size: Size, look: &DrawStyle) -> Result<String, String> {
    Ok(svg(&crate::views::details::picture::of_families(families, size, look)?, look.palette, "details"))
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
    let scene = crate::views::lifetimes::picture::compared(comparison, Some(baseline), size, palette)?;
    Ok(svg(&scene, palette, "lifetimes"))
}
