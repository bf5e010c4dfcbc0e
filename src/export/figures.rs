//! Figures as JSON, CSV and SVG: all of a document, or one by its id.
//!
//! The argument of these exports names a figure and, behind a second colon, the numbers of its choices:
//! `figure-svg:compute-workload:1,0`. Behind a third colon, `compared` takes the figure as it was joined with a baseline
//! for these choices. Long tables are named the same way in CSV.

use super::rows::{figure_csv, long_table, write_rows};
use super::{Export, Whole};
use crate::analysis::area::overlap;
use crate::analysis::extras::{Extras, Ground};
use crate::base::words::Language;
use crate::base::words::phrase;
use crate::draw::sheets;
use crate::draw::style::Look;
use crate::model::figure::{Family, Figure};
use crate::scene::palette::{Palette, Scheme};
use crate::scene::svg::svg;
use std::borrow::Cow;
use std::io::{Error, Result, Write};

/// All figures with all variants, as they are.
pub(super) static FIGURES_JSON: Export = Export {
    id: "figures-json",
    title: phrase("Figures as JSON"),
    suffix: "figures.json",
    mime: "application/json",
    takes_argument: true,
    can: |whole| !whole.trace.figures.is_empty() || Extras::of(ground(whole)).next().is_some(),
    write: json,
};

/// Figures as tables of their numbers.
pub(super) static FIGURES_CSV: Export = Export {
    id: "figures-csv",
    title: phrase("Figures as CSV"),
    suffix: "csv",
    mime: "text/csv",
    takes_argument: true,
    can: |whole| {
        let trace = whole.trace;
        !trace.figures.is_empty() || !trace.tables.is_empty() || 0 < trace.n_slices()
    },
    write: csv,
};

/// Figures as pictures.
pub(super) static FIGURE_SVG: Export = Export {
    id: "figure-svg",
    title: phrase("Figures as SVG"),
    suffix: "svg",
    mime: "image/svg+xml",
    takes_argument: true,
    can: |whole| !whole.trace.figures.is_empty() || 0 < whole.trace.n_slices(),
    write: picture,
};

/// Width of a saved picture, unless a figure needs more.
const WIDTH: f32 = 840.0;

/// The figures that an argument names, each with what was chosen.
fn named<'a>(whole: &Whole<'a>, argument: &str) -> Result<Vec<(Cow<'a, Family>, Vec<usize>)>> {
    if argument.is_empty() {
        return Ok(all(whole).map(|family| (family, Vec::new())).collect());
    }
    let (id, chosen) = argument.split_once(':').unwrap_or((argument, ""));
    let (chosen, joined) = chosen.split_once(':').unwrap_or((chosen, ""));
    let chosen: Vec<usize> = chosen.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    if joined == "compared" {
        let found = whole.compared.iter().find(|f| f.id == id && f.chosen == chosen);
        let family = found.map(|f| Cow::Owned(Family::single(id, "", f.figure.clone())));
        return match family {
            Some(family) => Ok(vec![(family, Vec::new())]),
            None => Err(Error::other(format!("The figure {id} was not compared."))),
        };
    }
    let own = whole.trace.figures.iter().find(|f| f.id == id).map(Cow::Borrowed);
    let extra = || Extras::of(ground(whole)).find(|extra| extra.id == id);
    let own = own.or_else(|| Some(Cow::Owned(extra()?.family(ground(whole)))));
    // Figures of a range are made when they are asked for.
    let found = own.or_else(|| overlap::figure(whole.trace, &whole.derived.timeline, id).map(Cow::Owned));
    match found {
        Some(family) => Ok(vec![(family, chosen)]),
        None => Err(Error::other(format!("There is no figure {id}."))),
    }
}

/// What figures are computed of.
fn ground<'a>(whole: &Whole<'a>) -> Ground<'a> {
    Ground { trace: whole.trace, timeline: &whole.derived.timeline, nnapi: whole.derived.nnapi.as_ref() }
}

/// All figures: those of the files, then those that are computed of them.
fn all<'a>(whole: &Whole<'a>) -> impl Iterator<Item = Cow<'a, Family>> {
    let ground = ground(whole);
    let extras = Extras::of(ground).map(move |extra| Cow::Owned(extra.family(ground)));
    whole.trace.figures.iter().map(Cow::Borrowed).chain(extras)
}

fn json(whole: &Whole, argument: &str, out: &mut dyn Write) -> Result<()> {
    let families: Vec<Cow<Family>> = named(whole, argument)?.into_iter().map(|(f, _)| f).collect();
    serde_json::to_writer(&mut *out, &families)?;
    out.write_all(b"\n")
}

/// Figures with all variants as JSON: what `figures-json` writes of a document.
///
/// # Errors
/// What the writer says.
pub fn families_json(families: &[Family], out: &mut dyn Write) -> Result<()> {
    serde_json::to_writer(&mut *out, families)?;
    out.write_all(b"\n")
}

/// Figures as tables, one behind the other, each after a line with its id, title and what was chosen: what `figures-csv`
/// writes of a document.
///
/// # Errors
/// What the writer says.
pub fn families_csv(families: &[Family], out: &mut dyn Write) -> Result<()> {
    for family in families {
        for (i, figure) in family.variants.iter().enumerate() {
            let head: Vec<String> =
                [family.id.clone(), figure.title.clone()].into_iter().chain(options(family, i)).collect();
            write_rows(out, std::iter::once(head))?;
            figure_csv(figure, out)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// The first variant of each figure, one below the other: what `figure-svg` writes of a document.
///
/// # Errors
/// What the writer says.
pub fn families_svg(families: &[Family], language: Language, out: &mut dyn Write) -> Result<()> {
    write_svg(families.iter().filter_map(|f| f.variant(&[])), language, Scheme::Own, out)
}

fn write_svg<'a>(
    figures: impl Iterator<Item = &'a Figure>,
    language: Language,
    scheme: Scheme,
    out: &mut dyn Write,
) -> Result<()> {
    // Saved pictures are made for paper.
    let palette = Palette { scheme, ..Palette::from_css(include_str!("../../style/tokens.css"), "light") };
    let look = Look { palette: &palette, language };
    let (all, _) = sheets(figures, WIDTH, f32::INFINITY, &look);
    out.write_all(svg(&all, &palette, "").as_bytes())
}

fn picture(whole: &Whole, argument: &str, out: &mut dyn Write) -> Result<()> {
    let named = named(whole, argument)?;
    let figures = named.iter().filter_map(|(family, chosen)| family.variant(chosen));
    write_svg(figures, whole.language, whole.scheme, out)
}

/// One table behind the other, each after a line with its id, title and what was chosen; a single one stands alone.
fn csv(whole: &Whole, argument: &str, out: &mut dyn Write) -> Result<()> {
    if let Some(table) = whole.trace.tables.iter().find(|t| t.id == argument) {
        return long_table(table, out);
    }
    if !argument.is_empty() {
        let figures = named(whole, argument)?;
        let figure = figures.first().and_then(|(family, chosen)| family.variant(chosen));
        return figure.map_or(Ok(()), |figure| figure_csv(figure, out));
    }
    let own: Vec<Family> = all(whole).map(Cow::into_owned).collect();
    families_csv(&own, out)?;
    for table in &whole.trace.tables {
        write_rows(out, std::iter::once(vec![table.id.clone(), table.title.clone()]))?;
        long_table(table, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The names of the options that lead to a variant.
fn options(family: &Family, variant: usize) -> Vec<String> {
    let mut rest = variant;
    let mut names: Vec<String> = Vec::new();
    for choice in family.choices.iter().rev() {
        let n = choice.options.len().max(1);
        names.extend(choice.options.get(rest % n).cloned());
        rest /= n;
    }
    names.reverse();
    names
}
