//! Where the columns of a listing stand.

use super::{GUTTER, OVERVIEW, View, label};
use crate::analysis::code::{ColumnSummary, fraction};
use crate::analysis::compare::code::difference_text;
use crate::base::geometry::{Px, Size};
use crate::base::words::{Language, phrase, tr};
use crate::base::{number, order};
use crate::model::code::{Cells, Column, ColumnStyle, Field, ListingKind};
use crate::scene::{Font, text};
use serde::{Deserialize, Serialize};

/// Blank between a line number and the code.
pub(super) const NUMBER_GAP: Px = 12.0;
/// Least width of the column of addresses: its head.
const ADDRESS: Px = 54.0;
/// Least width of the column of code.
const CODE: Px = 176.0;
/// The share of the width that code may take from the columns.
const SHARE: Px = 0.55;
/// Lines that are looked at for their length.
const SAMPLES: usize = 512;
/// Least and greatest width of a column of texts.
const TEXT: (Px, Px) = (92.0, 168.0);
/// Width of the bar of a column with bars, with its gaps.
pub(super) const BAR: Px = 38.0;
/// Width of the bar of stacked cells.
pub(super) const STACK: Px = 76.0;
/// Least width of the column of differences to a baseline.
const DIFFERENCE: Px = 72.0;
/// Its greatest width.
const DIFFERENCES: Px = 216.0;
/// How much wider than measured a text may be.
const WIDE: Px = 1.12;
/// In front of the head of differences.
const DELTA: &str = "Δ ";
/// Blank behind the last column.
const END: Px = 4.0;
/// Width of one register.
pub(super) const REGISTER: Px = 12.0;
/// Most registers that stand beside each other; more are counted at the right.
pub(super) const REGISTERS: usize = 24;
/// The share of the width that pinned columns may take.
const PINNED_SHARE: Px = 0.45;

/// Where everything stands, as long as nothing is scrolled sideways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Width of what stands still: heat and number.
    pub frozen: Px,
    /// Width of all columns together.
    pub width: Px,
    /// The columns from left to right; the first is the number, one is the code.
    pub places: Vec<ColumnPlace>,
    /// Where the columns begin that stay at the right edge; the right edge itself where none does.
    pub pinned: Px,
}

/// Where a column stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnPlace {
    pub field: Field,
    /// Its head; the full name is a tool tip.
    pub title: String,
    /// Its full name with its unit.
    pub name: String,
    /// Left edge; scrolling moves it unless the column is pinned.
    pub x: Px,
    /// Whether it stays at the right edge whatever is scrolled.
    pub is_pinned: bool,
    pub w: Px,
    /// Whether its text stands at the right, 8 pixels before its end.
    pub is_right: bool,
    /// Where its text begins, from the left edge, when it stands at the left.
    pub inset: Px,
}

impl Layout {
    /// Lays out the columns of a view; does not look at single rows, so nothing jumps while scrolling.
    #[allow(clippy::too_many_lines)] // columns from the left to the right
    pub fn of(view: &View, size: Size) -> Self {
        let frozen = frozen_width(view);
        let is_source = view.listing.kind == ListingKind::Source;
        let shown = |i: usize| view.frame.columns.as_ref().is_none_or(|c| c.contains(&(i as u16)));
        let columns: Vec<usize> = (0..view.listing.columns.len()).filter(|&i| shown(i)).collect();
        // What an instruction runs on is read before the instruction.
        let leading = columns.iter().copied().find(|&i| !is_source && is_text(&view.listing.columns[i]));
        let mut metrics: Vec<usize> = columns.into_iter().filter(|&i| Some(i) != leading).collect();
        by_cost(view, &mut metrics);
        let width = |i: usize| column_width(view, i);
        let joined = view.joined.and_then(|(i, ..)| view.listing.columns.get(i));
        let difference = joined.map_or(String::new(), |column| format!("{DELTA}{}", short(&column.name)));
        let head = 6.2 * difference.chars().count() as Px + 18.0;
        let of_differences = |has_factor: bool| {
            let written = difference_width(view, has_factor).unwrap_or_default();
            if joined.is_some() { DIFFERENCE.max(head.min(110.0)).max(written) } else { 0.0 }
        };
        let others: Px = leading.iter().chain(&metrics).map(|&i| width(i)).sum();
        // Factors take no room from the code.
        let left = size.w - OVERVIEW - 4.0 - frozen - others - of_differences(true);
        let usual = usual_letters(view) as Px * view.frame.char_px + 32.0;
        let differences = of_differences(CODE.max(usual.min(SHARE * size.w)) <= left);
        let fixed = others + differences;
        let code = if 0.0 < view.frame.code_px {
            view.frame.code_px.clamp(80.0, 100_000.0)
        } else {
            // What columns leave, but never less than most lines take: then columns give way and are scrolled to.
            (size.w - OVERVIEW - 4.0 - frozen - fixed).max(CODE).max(usual.min(SHARE * size.w))
        };

        let mut layout = Self { frozen, pinned: size.w - OVERVIEW, ..Self::default() };
        let has_numbers = is_source || view.listing.address.is_empty();
        let (field, title) = if has_numbers { (Field::Row, "#") } else { (Field::Address, "Address") };
        layout.push(field, title, title, frozen, has_numbers);
        layout.places.iter_mut().for_each(|place| place.inset += super::strip_width(view));
        let place = |layout: &mut Self, i: usize| {
            let column = &view.listing.columns[i];
            let is_left = is_text(column) || matches!(column.style, ColumnStyle::Registers);
            layout.push(Field::Column(i as u16), short(&column.name), &full(column), width(i), !is_left);
        };
        if let Some(i) = leading {
            place(&mut layout, i);
        }
        let title = if is_source { "Source" } else { "Instruction" };
        layout.push(Field::Text, title, title, code, false);
        let room = size.w - OVERVIEW;
        let all: Px = metrics.iter().map(|&i| width(i)).sum();
        let is_scrolled = room < layout.width + differences + all + END;
        let pinned = if is_scrolled {
            pinned(view, &metrics, PINNED_SHARE * room - differences, width)
        } else {
            Vec::new()
        };
        metrics.retain(|i| !pinned.contains(i));
        let difference = |layout: &mut Self| {
            let Some(column) = joined else { return };
            let name = format!("{DELTA}{}, B − A", full(column));
            layout.push(Field::Difference, &difference, &name, differences, true);
        };
        // Beside the text, or at the right edge: it is seen whatever the other columns are.
        if !is_scrolled {
            difference(&mut layout);
        }
        for &i in &metrics {
            place(&mut layout, i);
        }
        if is_scrolled {
            difference(&mut layout);
        }
        for &i in &pinned {
            place(&mut layout, i);
        }
        layout.width += END;
        layout.pin(pinned.len() + usize::from(is_scrolled && joined.is_some()), room);
        layout
    }

    /// Moves the last columns to where they stay: the right edge of the room.
    fn pin(&mut self, n_pinned: usize, room: Px) {
        let n = self.places.len() - n_pinned;
        let shift = (self.width - room).max(0.0);
        for place in &mut self.places[n..] {
            place.is_pinned = true;
            place.x -= shift;
        }
        self.pinned = self.places.get(n).map_or(room, |place| place.x);
    }

    fn push(&mut self, field: Field, title: &str, name: &str, w: Px, is_right: bool) {
        let x = self.width;
        let inset = match field {
            Field::Row | Field::Address => GUTTER + 8.0,
            Field::Text => 0.0,
            Field::Column(_) | Field::Difference => 6.0,
        };
        let (title, name) = (title.to_owned(), name.to_owned());
        self.places.push(ColumnPlace { field, title, name, x, is_pinned: false, w, is_right, inset });
        self.width += w;
    }

    /// The column of code.
    pub fn code(&self) -> Option<&ColumnPlace> {
        self.places.iter().find(|p| p.field == Field::Text)
    }
}

/// What costs is seen without scrolling sideways: the first column, then bars, then reasons, then the rest.
fn by_cost(view: &View, metrics: &mut [usize]) {
    let first = metrics.first().copied();
    order::sort_by_key(metrics, |&i| match view.listing.columns[i].style {
        _ if Some(i) == first => 0,
        ColumnStyle::Bar => 1,
        ColumnStyle::Stacked => 2,
        _ => 3,
    });
}

/// The columns that are compared with all others, as far as they fit: the first and the one that heat follows.
fn pinned(view: &View, metrics: &[usize], room: Px, width: impl Fn(usize) -> Px) -> Vec<usize> {
    let first = metrics.first().copied();
    let heat = view.frame.heat.map(usize::from).filter(|i| metrics.contains(i));
    let mut wanted: Vec<usize> = heat.into_iter().collect();
    wanted.extend(first.filter(|i| Some(*i) != heat));
    let mut left = room;
    wanted.retain(|&i| {
        let fits = width(i) <= left;
        left -= if fits { width(i) } else { 0.0 };
        fits
    });
    wanted.reverse();
    wanted
}

fn frozen_width(view: &View) -> Px {
    let n = view.listing.lines.len();
    if view.listing.address.is_empty() {
        let digits = n.max(1).to_string().len().max(3) as Px;
        return GUTTER + (digits * 6.6 + NUMBER_GAP + 6.0).max(38.0);
    }
    let longest = label(view.listing, n.saturating_sub(1)).len().max(4) as Px;
    GUTTER + 8.0 + super::strip_width(view) + (longest * view.frame.char_px + 10.0).max(ADDRESS)
}

/// Letters that nine of ten lines have at most. Takes no longer for long listings.
fn usual_letters(view: &View) -> usize {
    let n = view.listing.lines.len();
    let rows = (0..n).step_by(n.div_ceil(SAMPLES).max(1));
    let mut letters: Vec<usize> = rows.map(|row| view.listing.lines.get(row).len()).collect();
    let at = letters.len() * 9 / 10;
    letters.sort_unstable();
    letters.get(at).copied().unwrap_or(0)
}

fn is_text(column: &Column) -> bool {
    matches!(column.cells, Cells::Texts { .. })
}

/// Width of a column by its kind, its head and its largest number.
fn column_width(view: &View, i: usize) -> Px {
    let column = &view.listing.columns[i];
    let is_source = view.listing.kind == ListingKind::Source;
    let empty = ColumnSummary::default();
    let summary = view.summaries.get(i).map_or(&empty, |s| s);
    let head = 6.2 * short(&column.name).chars().count() as Px + 18.0;
    let digits = match fraction(column, 1.0) {
        Some(_) => 5,
        None => number::fixed(summary.max, summary.decimals).chars().count(),
    };
    let number = (7.0 * digits as Px + 16.0).max(head.min(110.0)).max(58.0);
    match (column.style, &column.cells) {
        (ColumnStyle::Registers, _) => {
            let slots = view.registers.get(i).and_then(Option::as_ref).map_or(0, |t| t.n_slots);
            (slots.min(REGISTERS) as Px * REGISTER + 20.0).max(head)
        }
        // The swatch of an instruction stands before its text.
        (_, Cells::Texts { .. }) => (6.6 * summary.letters as Px + 28.0).max(head).clamp(TEXT.0, TEXT.1),
        (ColumnStyle::Stacked, _) if is_source => STACK + 18.0,
        (ColumnStyle::Stacked, _) => 46.0 + STACK + 8.0,
        (ColumnStyle::Bar, _) if !is_source => number + BAR,
        _ => number,
    }
}

/// A difference without its factor, or without what stands in parentheses: without all from a mark on.
pub(super) fn shortened(words: &str, mark: &str) -> String {
    match words.split_once(mark) {
        Some((words, _)) if words.contains('(') => format!("{words})"),
        Some((words, _)) => words.to_owned(),
        None => words.to_owned(),
    }
}

/// Width of the longest difference with what it is in percent, and as a factor where it is to be, in the widest font that a
/// system may have.
fn difference_width(view: &View, has_factor: bool) -> Option<Px> {
    let (i, met, widest) = view.joined?;
    let (column, decimals) = (view.listing.columns.get(i)?, view.summaries.get(i)?.decimals);
    let value = column.number(widest, view.core()).filter(|value| 0.0 <= *value);
    let words = difference_text(value, *met.get(widest)?, decimals, &column.unit);
    let words = if has_factor { words } else { shortened(&words, ", ") };
    Some((text::width(&words, Font::ui(12.0)) * WIDE + 14.0).min(DIFFERENCES))
}

/// Full name of a column with its unit, which [`full_in`] writes in a language.
fn full(column: &Column) -> String {
    let unit = column.unit.symbol();
    if unit.is_empty() || column.name.to_lowercase().contains(&unit.to_lowercase()) {
        column.name.clone()
    } else {
        format!("{}, {unit}", column.name)
    }
}

/// The head of a placed column in a language: of a difference the name behind its sign.
pub fn head_in(language: Language, title: &str) -> String {
    match title.strip_prefix(DELTA) {
        Some(title) => format!("{DELTA}{}", tr(language, title)),
        None => tr(language, title).to_owned(),
    }
}

/// The full name of a placed column in a language.
pub fn full_in(language: Language, name: &str) -> String {
    name.split(", ").map(|part| head_in(language, part)).collect::<Vec<_>>().join(", ")
}

/// Short heads for column names that tools are known to write; other names are cut by the page where they do not fit.
pub fn short(name: &str) -> &str {
    match name {
        "Instructions Executed" => phrase("Executed"),
        "Stall Sampling(All Samples)" => phrase("Stalled on"),
        "Stall Sampling(Not Issue)" => phrase("Not issued due to"),
        "L2Cache Hit Rate" => phrase("L2 hits %"),
        "Process Bytes" => phrase("Bytes"),
        "GPR Count" | "Gpr Count" => phrase("Registers"),
        "GPR Status" => phrase("Live registers"),
        "Vector Utilization Percentage" => phrase("Vector use %"),
        "UB Read Conflict" => phrase("UB rd conflicts"),
        "UB Write Conflict" => phrase("UB wr conflicts"),
        "RealStallCycles" => phrase("Stalled"),
        "TheoreticalStallCycles" => phrase("Least stalled"),
        "ICacheCycles" => "I-cache",
        "CcuCycles" => "CCU",
        "ScalarCycles" => "Scalar",
        _ => name,
    }
}
