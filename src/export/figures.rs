//! Figures as JSON, CSV and SVG: all of a document, or one by its id.
//!
//! The argument of these exports names a figure and, behind a second colon, the numbers of its choices:
//! `figure-svg:compute-workload:1,0`. Behind a third colon, `compared` takes the figure as it was joined with a baseline
//! for these choices. Long tables are named the same way in CSV.

use super::parts::ROWS;
use super::rows::{figure_csv, source_csv, write_rows};
use super::{Export, ExportInput, Parts, whole};
use crate::analysis::area::overlap;
use crate::analysis::rows::{LongRows, RowSource};
use crate::base::words::{Language, for_reader, phrase};
use crate::draw::page::of_subject;
use crate::draw::sheets;
use crate::draw::style::DrawStyle;
use crate::model::Table;
use crate::model::figure::{Family, Figure};
use crate::scene::palette::{OWN, Palette};
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
    parameters: &[],
    can: has_any,
    write: json,
};

/// Figures as tables of their numbers.
pub(super) static FIGURES_CSV: Export = Export {
    id: "figures-csv",
    title: phrase("Figures as CSV"),
    suffix: "csv",
    mime: "text/csv",
    takes_argument: true,
    parameters: &[],
    can: |input| !input.trace.tables.is_empty() || has_ranges(input) || has_any(input),
    write: csv,
};

/// Figures as pictures.
pub(super) static FIGURE_SVG: Export = Export {
    id: "figure-svg",
    title: phrase("Figures as SVG"),
    suffix: "svg",
    mime: "image/svg+xml",
    takes_argument: true,
    parameters: &[],
    can: |input| has_ranges(input) || has_any(input),
    write: |_, argument| whole(picture, argument),
};

/// Whether there are figures, of the files or computed.
fn has_any(input: &ExportInput) -> bool {
    !input.trace.figures.is_empty() || input.computed().next().is_some()
}

/// Whether figures of a range may be asked for.
fn has_ranges(input: &ExportInput) -> bool {
    0 < input.trace.n_slices()
}

/// Width of a saved picture, unless a figure needs more.
const WIDTH: f32 = 840.0;

/// A figure that an argument names.
struct Named<'a> {
    family: Cow<'a, Family>,
    chosen: Vec<usize>,
    /// The same joined with a baseline, where that is asked for.
    joined: Option<&'a Figure>,
}

impl Named<'_> {
    /// The variant that was chosen.
    fn figure(&self) -> Option<&Figure> {
        self.joined.or_else(|| self.family.variant(&self.chosen))
    }

    /// All variants; what was joined is one.
    fn into_family(self) -> Family {
        match self.joined {
            Some(figure) => Family::single(&self.family.id, "", figure.clone()),
            None => self.family.into_owned(),
        }
    }
}

/// The figures that an argument names.
fn named<'a>(input: &ExportInput<'a>, argument: &str) -> Result<Vec<Named<'a>>> {
    if argument.is_empty() {
        let first = |family| Named { family, chosen: Vec::new(), joined: None };
        return Ok((0..count(input)).filter_map(|at| nth(input, at).map(first)).collect());
    }
    let (id, chosen) = argument.split_once(':').unwrap_or((argument, ""));
    let (chosen, joined) = chosen.split_once(':').unwrap_or((chosen, ""));
    let chosen: Vec<usize> = chosen.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let own = input.trace.figures.iter().find(|f| f.id == id).map(Cow::Borrowed);
    let computed = || input.computed().find(|(_, figure)| figure.head.id == id);
    let own = own.or_else(|| computed().map(|(input, figure)| Cow::Owned(figure.family(&input))));
    if joined == "compared" {
        let found = input.compared.iter().find(|f| f.id == id && f.chosen == chosen).map(|f| &f.figure);
        let figure = found.ok_or_else(|| Error::other(format!("Figure {id} was not compared.")))?;
        let family = own.unwrap_or_else(|| Cow::Owned(Family::single(id, "", figure.clone())));
        return Ok(vec![Named { family, chosen, joined: Some(figure) }]);
    }
    // Figures of a range are made when they are asked for.
    let found = own.or_else(|| overlap::figure(input.trace, &input.derived.timeline, id).map(Cow::Owned));
    let family = found.ok_or_else(|| Error::other(format!("Unknown figure {id}.")))?;
    Ok(vec![Named { family, chosen, joined: None }])
}

/// One of all figures: those of the files, then those that are computed of them.
fn nth<'a>(input: &ExportInput<'a>, at: usize) -> Option<Cow<'a, Family>> {
    let computed = |at| input.computed().nth(at).map(|(input, figure)| Cow::Owned(figure.family(&input)));
    let own = input.trace.figures.get(at).map(Cow::Borrowed);
    own.or_else(|| computed(at - input.trace.figures.len()))
}

/// How many figures there are.
fn count(input: &ExportInput) -> usize {
    input.trace.figures.len() + input.computed().count()
}

/// A figure a part.
fn json(input: &ExportInput, argument: &str) -> Result<Parts> {
    if !argument.is_empty() {
        return whole(
            |input, argument, out| {
                let families: Vec<Family> =
                    named(input, argument)?.into_iter().map(Named::into_family).collect();
                families_json(&families, out)
            },
            argument,
        );
    }
    let (mut at, n) = (0, count(input));
    Ok(Box::new(move |input, out| {
        out.write_all(if at == 0 { b"[" } else { b"," })?;
        if let Some(family) = nth(input, at) {
            serde_json::to_writer(&mut *out, &*family)?;
        }
        at += 1;
        if n <= at {
            out.write_all(b"]\n")?;
        }
        Ok(at < n)
    }))
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
            write_rows(out, &mut std::iter::once(head))?;
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
    let firsts = families.iter().filter_map(|family| Some((family, family.variant(&[])?, &[][..])));
    write_svg(firsts, language, OWN, out)
}

/// Figures of families with what was chosen.
fn write_svg<'a>(
    figures: impl Iterator<Item = (&'a Family, &'a Figure, &'a [usize])>,
    language: Language,
    scheme: &str,
    out: &mut dyn Write,
) -> Result<()> {
    // Saved pictures are made for paper.
    let palette = Palette::with_scheme(include_str!("../../style/tokens.css"), "light", scheme);
    let look = DrawStyle { palette: &palette, language };
    let (all, _) = for_reader(language, || {
        let figures: Vec<Cow<Figure>> =
            figures.map(|(family, figure, chosen)| of_subject(family, figure, chosen, &look)).collect();
        sheets(figures.iter().map(AsRef::as_ref), WIDTH, f32::INFINITY, &look)
    });
    out.write_all(svg(&all, &palette, "").as_bytes())
}

fn picture(input: &ExportInput, argument: &str, out: &mut dyn Write) -> Result<()> {
    let named = named(input, argument)?;
    let figures = named.iter().filter_map(|one| Some((&*one.family, one.figure()?, &one.chosen[..])));
    write_svg(figures, input.language, input.scheme, out)
}

/// One table behind the other, each after a line with its id, title and what was chosen; a single one stands alone.
fn csv(input: &ExportInput, argument: &str) -> Result<Parts> {
    if let Some(at) = input.trace.tables.iter().position(|t| t.id == argument) {
        let mut from = 0;
        return Ok(Box::new(move |input, out| table_part(input.trace.tables.get(at), &mut from, out)));
    }
    if !argument.is_empty() {
        return whole(one_csv, argument);
    }
    let (mut at, mut from, n) = (0, 0, count(input));
    Ok(Box::new(move |input, out| {
        let tables = &input.trace.tables;
        if let Some(family) = nth(input, at).filter(|_| at < n) {
            families_csv(std::slice::from_ref(&*family), out)?;
            at += 1;
        } else if let Some(table) = tables.get(at.saturating_sub(n)) {
            if from == 0 {
                write_rows(out, &mut std::iter::once(vec![table.id.clone(), table.title.clone()]))?;
            }
            if !table_part(Some(table), &mut from, out)? {
                out.write_all(b"\n")?;
                (at, from) = (at + 1, 0);
            }
        }
        Ok(at < n + tables.len())
    }))
}

/// Rows of a long table from a row on, which moves on; says whether there are more.
fn table_part(table: Option<&Table>, from: &mut usize, out: &mut dyn Write) -> Result<bool> {
    let Some(table) = table else { return Ok(false) };
    let rows = LongRows::new(table, true);
    let end = rows.n_rows().min(*from + ROWS);
    source_csv(&rows, *from as u32..end as u32, *from == 0, out)?;
    *from = end;
    Ok(end < rows.n_rows())
}

fn one_csv(input: &ExportInput, argument: &str, out: &mut dyn Write) -> Result<()> {
    let figures = named(input, argument)?;
    let figure = figures.first().and_then(Named::figure);
    figure.map_or(Ok(()), |figure| figure_csv(figure, out))
}

/// The names of the options that lead to a variant.
pub(super) fn options(family: &Family, variant: usize) -> Vec<String> {
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
