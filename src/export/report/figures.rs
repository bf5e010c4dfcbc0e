//! Figures and long tables: facts and tables as text, all others as pictures.

use super::html::{around, attribute, class_of, element, row, some, table};
use super::{Report, pictured};
use crate::analysis::rows::{FigureRows, Folds, LongRows, RowSource};
use crate::base::geometry::{Px, Size};
use crate::base::number::thousands;
use crate::base::words::{Language, message, tr_parts};
use crate::draw::describe::describe;
use crate::draw::page::flat;
use crate::draw::style::DrawStyle;
use crate::draw::table::TableFormat;
use crate::draw::{draw, height, least_width, legend, value_range};
use crate::export::ExportInput;
use crate::model::Table;
use crate::model::figure::{Body, Choice, Figure, FigureState};
use crate::scene::svg::{embedded, escape};
use crate::scene::table::Tone;
use base64::Engine;
use std::borrow::Cow;

/// Width of pictures, unless one needs more.
const WIDTH: Px = 960.0;
/// Width of pictures of evidence, and how low and high they are.
const EVIDENCE: Px = 560.0;
const LOW: Px = 40.0;
const HIGH: Px = 160.0;
/// Rows of a table that are written.
const ROWS: usize = 50;
/// Longest text of one picture; a larger one is left out, and this is said.
const PICTURE: usize = 600_000;

/// What is known of a figure without its numbers.
struct Known<'a> {
    id: String,
    section: String,
    choices: Cow<'a, [Choice]>,
}

/// A figure of the files, or one that is computed of them, by its number.
fn known<'a>(input: &ExportInput<'a>, at: usize) -> Option<Known<'a>> {
    let trace = input.trace;
    if let Some(family) = trace.figures.get(at) {
        let (id, section) = (family.id.clone(), family.section.clone());
        return Some(Known { id, section, choices: Cow::Borrowed(&family.choices) });
    }
    let (_, figure) = input.computed().nth(at - trace.figures.len())?;
    let section = figure.head.section.to_owned();
    Some(Known { id: figure.head.id, section, choices: Cow::Owned(figure.head.choices) })
}

impl Report {
    /// Numbers of the figures that are wanted.
    pub(super) fn figures(&self, input: &ExportInput) -> Vec<usize> {
        let own = input.trace.figures.iter().map(|family| family.id.clone());
        let all = own.chain(input.computed().map(|(_, figure)| figure.head.id));
        all.enumerate().filter(|(_, id)| self.ask.has_figure(id)).map(|(at, _)| at).collect()
    }

    /// A figure: the panel it stands in, whether that has another name, and its text.
    pub(super) fn figure(
        &self,
        at: usize,
        input: &ExportInput,
        look: &DrawStyle,
    ) -> Option<(String, bool, String)> {
        let Known { id, section, choices } = known(input, at)?;
        let numbers: Vec<usize> = choices.iter().map(|choice| choice.number(&self.ask.chosen)).collect();
        let joined = input.compared.iter().find(|f| f.id == id && f.chosen == numbers);
        let joined =
            joined.filter(|_| self.ask.baseline.is_some()).map(|joined| Cow::Borrowed(&joined.figure));
        let n_own = input.trace.figures.len();
        let own = || match input.trace.figures.get(at) {
            Some(family) => family.variant(&numbers).map(Cow::Borrowed),
            None => {
                let (analysis, figure) = input.computed().nth(at - n_own)?;
                Some(Cow::Owned(figure.figure(&analysis, &numbers)))
            }
        };
        let figure = joined.or_else(own)?;
        let chosen = choices.iter().zip(&numbers).filter(|(choice, _)| 1 < choice.options.len());
        let chosen = chosen.filter_map(|(choice, number)| {
            Some(format!("{} {}", look.tr(&choice.name), look.tr(choice.options.get(*number)?)))
        });
        let chosen: Vec<String> = chosen.collect();
        let is_other = section != figure.title;
        Some((section, is_other, whole(&figure, &chosen, &format!("f{at}-"), look)))
    }

    /// A picture of a view.
    pub(super) fn picture(&self, at: usize) -> String {
        let Some((title, svg)) = self.ask.pictures.get(at) else { return String::new() };
        let data = base64::engine::general_purpose::STANDARD.encode(svg);
        let image = format!("<img src=\"data:image/svg+xml;base64,{data}\"{}>\n", attribute("alt", title));
        let caption = around("figcaption", &element("b", title));
        around("figure", &(caption + &around("div class=\"picture shot\" tabindex=\"0\"", &image)))
    }
}

/// A figure with title, what is chosen, advice and notes. `id` begins the ids inside.
fn whole(figure: &Figure, chosen: &[String], id: &str, look: &DrawStyle) -> String {
    let said = |words: &str| tr_parts(look.language, words).into_owned();
    let scope = Some(said(&figure.scope)).filter(|scope| !scope.is_empty());
    let scope = scope.into_iter().chain(chosen.iter().cloned()).collect::<Vec<_>>().join(", ");
    let caption = element("b", &said(&figure.title)) + &some("span", &scope);
    let advice = figure.advice.iter().map(|advice| {
        element(if advice.is_costly { "li class=\"costly\"" } else { "li" }, &advice.text.text(look.language))
    });
    let notes = figure.notes.iter().map(|note| element("li", &note.text(look.language)));
    let folds = Folds::of(figure);
    let body = match (flat::of_figure(figure), &figure.body) {
        (Some(line), _) => element("p", &line.text(look.language)),
        (None, Body::Facts(facts)) => {
            let fact = |fact: &crate::model::figure::Fact| {
                let value = escape(&fact.value.with_unit(&fact.unit));
                row("td", &[("aside", escape(&said(&fact.name))), ("", value)])
            };
            table("rows", &said(&figure.title), "", &facts.facts.iter().map(fact).collect::<String>())
        }
        (None, Body::Table(of)) => {
            let n = of.rows.len() + of.more_rows;
            rows(&FigureRows::folded(of), n, &said(&figure.title), look)
        }
        (None, Body::Matrix(_)) => {
            let seen = folds.seen(figure);
            picture(seen.as_ref().unwrap_or(figure), id, look)
        }
        (None, _) => picture(figure, id, look),
    };
    let is_flat = flat::of_figure(figure).is_some();
    let folded = if is_flat { Vec::new() } else { folds.lines(look.language) };
    let folded = folded.iter().map(|line| element("li", line));
    let lines: String = folded.chain(advice).chain(notes).collect();
    let lines = if lines.is_empty() { lines } else { around("ul class=\"said\"", &lines) };
    around("figure", &(around("figcaption", &caption) + &body + &lines))
}

/// The picture of a figure below what its colors mean.
fn picture(figure: &Figure, id: &str, look: &DrawStyle) -> String {
    let width = WIDTH.max(least_width(figure));
    let size = Size { w: width, h: height(figure, width, look.language) };
    let words = describe(figure, look);
    let legend = legend(figure, look, value_range(figure));
    let legend = legend.map_or_else(String::new, |scene| embedded(&scene, &format!("{id}legend-")));
    let drawn = legend + &embedded(&draw(figure, size, look, &FigureState::default()), id);
    if PICTURE < drawn.len() {
        let said =
            message("The picture is too large for a report. In words:").text(look.language).into_owned();
        return element("p class=\"aside\"", &said)
            + &words.lines().map(|line| element("p", line)).collect::<String>();
    }
    pictured(&drawn, &words)
}

/// The picture of the evidence of a finding.
pub(super) fn evidence(figure: &Figure, id: &str, words: &str, look: &DrawStyle) -> String {
    let size = Size { w: EVIDENCE, h: height(figure, EVIDENCE, look.language).clamp(LOW, HIGH) };
    pictured(&embedded(&draw(figure, size, look, &FigureState::default()), id), words)
}

/// The first rows of a long table.
pub(super) fn long_table(of: &Table, look: &DrawStyle) -> String {
    let source = LongRows::new(of, false);
    let notes: String = of.notes.iter().map(|note| element("li", &note.text(look.language))).collect();
    let notes = if notes.is_empty() { notes } else { around("ul class=\"said\"", &notes) };
    let body = match flat::of_long_table(of) {
        Some(line) => element("p", &line.text(look.language)),
        None => rows(&source, source.n_rows(), &tr_parts(look.language, &of.title), look),
    };
    element("h3", &tr_parts(look.language, &of.title)) + &body + &notes
}

/// The first of so many rows as a table.
fn rows(source: &dyn RowSource, n: usize, name: &str, look: &DrawStyle) -> String {
    let format = TableFormat::new(source);
    let heads = format.heads(source, look);
    let head = heads.iter().map(|head| {
        let class = if head.is_number { "number" } else { "" };
        (class, escape(&headed(&head.title, &head.unit, look.language)))
    });
    let head = row("th", &head.collect::<Vec<_>>());
    let shown: Vec<u32> = (0..source.n_rows() as u32).filter(|row| source.has(*row)).take(ROWS).collect();
    let one = |at: &u32| {
        let cells = format.row(source, *at, look.language).into_iter().zip(&heads).map(|(cell, head)| {
            let class = match (cell.tone, head.is_number) {
                (Some(Tone::Better), _) => "number better",
                (Some(Tone::Worse), _) => "number worse",
                (None, is_number) => class_of(&cell.text, is_number),
            };
            (class, escape(&cell.text))
        });
        row("td", &cells.collect::<Vec<_>>())
    };
    let body: String = shown.iter().map(one).collect();
    let said = message("{n} of {all} rows").with("n", shown.len()).with("all", thousands(n as u64));
    let is_cut = ROWS < n;
    let said = if is_cut { said.text(look.language).into_owned() } else { String::new() };
    table("rows", name, &head, &body) + &some("p class=\"aside\"", &said)
}

/// The head of a column with its unit.
fn headed(title: &str, unit: &str, language: Language) -> String {
    match (unit, language) {
        ("", _) => title.to_owned(),
        (unit, Language::Zh) => format!("{title}（{unit}）"),
        (unit, Language::En) => format!("{title} ({unit})"),
    }
}
