//! All figures of a document, one below the other, each with title, units, advice and notes.

use super::{MAX_HEIGHT, Picture};
use crate::base::geometry::{Point, Size};
use crate::document::Document;
use crate::draw::style::{DrawStyle, T3, TEXT};
use crate::draw::{EDGE, sheets};
use crate::model::figure::Family;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};

pub(super) static DETAILS: Picture = Picture { id: "details", title: "Details", draw: details };

/// The first variant of each figure. What would stand below the greatest height is left out and counted.
fn details(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let look = DrawStyle { palette, language: doc.language() };
    // Those of the files come first, as on the page.
    let mut families = doc.trace().figures.clone();
    families.extend(doc.families(|_| true));
    of_families(&families, size, &look)
}

/// The same of any figures.
pub(super) fn of_families(families: &[Family], size: Size, look: &DrawStyle) -> Result<Scene, String> {
    let figures = families.iter().filter_map(|family| family.variant(&[]));
    let (mut scene, n_left_out) = sheets(figures, size.w, MAX_HEIGHT, look);
    if scene.shapes.is_empty() && n_left_out == 0 {
        return Err("No figures in these files.".to_owned());
    }
    if 0 < n_left_out {
        let words = format!("{} {n_left_out}", look.tr("Figures not shown:"));
        scene.text(Point { x: EDGE, y: scene.size.h + EDGE }, words, TEXT, T3, Align::Left);
        scene.size.h += 2.0 * EDGE;
    }
    Ok(scene)
}
