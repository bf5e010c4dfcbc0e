//! All figures of a document, one below the other, each with title, units, advice and notes.

use crate::base::geometry::{Point, Size};
use crate::document::Document;
use crate::document::picture::{MAX_HEIGHT, Picture};
use crate::draw::page::SUBJECTS;
use crate::draw::style::{DrawStyle, T3, TEXT};
use crate::draw::{EDGE, sheets};
use crate::model::figure::{Choice, Family, Figure};
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::wire::picture::ViewPicture;
use std::borrow::Cow;

pub(crate) static DETAILS: Picture = Picture {
    id: "details",
    title: "Details",
    draw: details,
    seen: Some(|doc, seen, size, palette| chosen(doc, seen, size, palette)),
};

/// The first variant of each figure. What would stand below the greatest height is left out and counted.
fn details(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    chosen(doc, &ViewPicture::default(), size, palette)
}

/// The variant of each figure that is chosen on the page, joined with the baseline where the page shows it so.
pub(crate) fn chosen(
    doc: &Document,
    seen: &ViewPicture,
    size: Size,
    palette: &Palette,
) -> Result<Scene, String> {
    let look = DrawStyle { palette, language: doc.language() };
    // Those of the files come first, as on the page.
    let mut families = doc.trace().figures.clone();
    families.extend(doc.families(|_| true));
    let figures: Vec<Cow<Figure>> = families
        .iter()
        .filter_map(|family| {
            let numbers = numbers(family, &seen.chosen);
            let joined = doc.compared.figure(&family.id, &numbers).filter(|_| seen.is_compared);
            Some(of_subject(family, joined.or_else(|| family.variant(&numbers))?, &numbers, &look))
        })
        .collect();
    of_figures(&figures, size, &look)
}

/// The first variant of any figures.
pub(crate) fn of_families(families: &[Family], size: Size, look: &DrawStyle) -> Result<Scene, String> {
    let figures: Vec<Cow<Figure>> = families
        .iter()
        .filter_map(|family| Some(of_subject(family, family.variant(&[])?, &[], look)))
        .collect();
    of_figures(&figures, size, look)
}

fn of_figures(figures: &[Cow<Figure>], size: Size, look: &DrawStyle) -> Result<Scene, String> {
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

/// Numbers of the options that are chosen by their names; the first where none is.
fn numbers(family: &Family, chosen: &[(String, String)]) -> Vec<usize> {
    let number = |choice: &Choice| {
        let option = chosen.iter().find(|(name, _)| *name == choice.name).map(|(_, option)| option);
        option.and_then(|option| choice.options.iter().position(|own| own == option)).unwrap_or(0)
    };
    family.choices.iter().map(number).collect()
}

/// A variant of a figure; its scope says what it is about where there are others, and what is not the first option.
fn of_subject<'a>(
    family: &Family,
    figure: &'a Figure,
    numbers: &[usize],
    look: &DrawStyle,
) -> Cow<'a, Figure> {
    let is_subject = |choice: &Choice| SUBJECTS.contains(&choice.name.as_str()) && 1 < choice.options.len();
    let subject = family.choices.iter().position(is_subject);
    let told = family.choices.iter().enumerate().filter_map(|(at, choice)| {
        let number = numbers.get(at).copied().unwrap_or(0);
        let option = choice.options.get(number).filter(|_| Some(at) == subject || 0 < number)?;
        Some(format!("{} {}", look.tr(&choice.name), look.tr(option)))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return Cow::Borrowed(figure);
    }
    let scope = Some(look.tr(&figure.scope).to_owned()).filter(|scope| !scope.is_empty());
    let scope = scope.into_iter().chain(told).collect::<Vec<_>>().join(", ");
    Cow::Owned(Figure { scope, ..figure.clone() })
}
