//! All figures of a document, one below the other, each with title, units, advice and notes.

use super::{MAX_HEIGHT, Picture};
use crate::base::geometry::{Point, Size};
use crate::document::Document;
use crate::draw::page::SUBJECTS;
use crate::draw::style::{DrawStyle, T3, TEXT};
use crate::draw::{EDGE, sheets};
use crate::model::figure::{Choice, Family, Figure};
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use std::borrow::Cow;

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
    let figures: Vec<Cow<Figure>> = families.iter().filter_map(|family| of_subject(family, look)).collect();
    let (mut scene, n_left_out) = sheets(figures.iter().map(AsRef::as_ref), size.w, MAX_HEIGHT, look);
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

/// The first variant of a figure; its scope says what it is about where there are others.
fn of_subject<'a>(family: &'a Family, look: &DrawStyle) -> Option<Cow<'a, Figure>> {
    let figure = family.variant(&[])?;
    let is_subject = |choice: &&Choice| SUBJECTS.contains(&choice.name.as_str()) && 1 < choice.options.len();
    let subject = family.choices.iter().find(is_subject);
    let Some((choice, option)) = subject.and_then(|choice| Some((choice, choice.options.first()?))) else {
        return Some(Cow::Borrowed(figure));
    };
    let about = format!("{} {}", look.tr(&choice.name), look.tr(option));
    let scope = [look.tr(&figure.scope), about.as_str()];
    let scope = scope.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    Some(Cow::Owned(Figure { scope, ..figure.clone() }))
}
