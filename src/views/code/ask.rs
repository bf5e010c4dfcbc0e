//! Source and instructions: what can be asked of listings, and how one is drawn.

use super::{compare, listings};
use crate::analysis::code::{
    CodeCache, ColumnSummary, Order, cell_text, class_beside, linked, linked_in, rows_within,
};
use crate::analysis::compare::code::{BaselineMatch, difference_text};
use crate::base::geometry::{Point, Rect, Size};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, tr};
use crate::base::{number, order};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, Picture};
use crate::draw::style::full;
use crate::model::Trace;
use crate::model::code::{Cells, Code, Listing, ListingKind, RowClass};
use crate::model::id::ListingId;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Font, Scene, Shape, put, text};
use crate::views::code::messages as wire;
use crate::views::code::messages::{CodeQuery, Frame, GAP, Note, Reply};
use crate::views::code::scene::{Layout, View, draw as draw_code, head_in, label, stall_hues};
use crate::views::executions::compute::Recorded;
use crate::wire::{Answer, Question};
use std::rc::Rc;

/// Longest text of one row that is sent; the picture shows longer ones.
const TEXT: usize = 4_000;

fn answer(doc: &mut Document, ask: &CodeQuery) -> Answer {
    if let CodeQuery::Slices { listing, row } = ask {
        return crate::views::code::origins::slices(doc, *listing, *row);
    }
    if let Some(reply) = listings::answer(doc, ask) {
        return CodeQuery::reply(&reply);
    }
    let Document { sink, derived, compared, .. } = doc;
    let (code, cache) = (&sink.builder.trace().code, &mut derived.code);
    let reply = match ask {
        CodeQuery::Rows { listing, core, arrange, from, n } => {
            let Some(rows) = code.listings.get(listing.index()) else { return no_listing() };
            let order = cache.order(code, *listing, *core, arrange);
            let summaries = summaries(code, cache, *listing, *core);
            let n = (*n as usize).min(wire::MAX_ROWS);
            let shown = (*from as usize)..(*from as usize).saturating_add(n).min(order.len());
            let rows = shown
                .map(|at| {
                    let row = order.row_or_gap(at) as usize;
                    row_text(rows, &summaries, compared.column(*listing, *core), row, usize::from(*core))
                })
                .collect();
            Reply::Rows { from: *from, total: order.len() as u32, rows }
        }
        CodeQuery::Place { listing, core, arrange, row } => {
            let order = cache.order(code, *listing, *core, arrange);
            Reply::Place(order.place(*row).map(|at| at as u32))
        }
        CodeQuery::Linked { listing, row } => Reply::Linked(
            linked(code, *listing, *row)
                .into_iter()
                .map(|(listing, rows)| wire::LinkedRows {
                    listing,
                    first: rows.first().copied().unwrap_or(0),
                    n: rows.len() as u32,
                })
                .collect(),
        ),
        CodeQuery::Hot { listing, column, core, from, step } => {
            Reply::Hot(cache.column(code, *listing, *column, *core).and_then(|s| hot(&s, *from, *step)))
        }
        CodeQuery::Search { listing, query, from, is_backward, within } => {
            let Some(rows) = code.listings.get(listing.index()) else { return no_listing() };
            let hits = cache.search(*listing, rows, query);
            found(&hits.places, hits.is_cut, *from, *is_backward, *within)
        }
        // What has bytes beside it never comes here, and the others were answered above.
        CodeQuery::Packed(_)
        | CodeQuery::Compare { .. }
        | CodeQuery::Listings
        | CodeQuery::Line { .. }
        | CodeQuery::Address(_)
        | CodeQuery::Slices { .. } => {
            return no_listing();
        }
        CodeQuery::Row { listing, row, core } => {
            let Some(rows) = code.listings.get(listing.index()) else { return no_listing() };
            Reply::Row(Box::new(row_detail(sink.builder.trace(), cache, *listing, rows, *row, *core)))
        }
    };
    CodeQuery::reply(&reply)
}

pub(crate) fn no_listing() -> Answer {
    Answer::Failed("No such listing.".to_owned())
}

fn summaries(code: &Code, cache: &mut CodeCache, listing: ListingId, core: u16) -> Vec<Rc<ColumnSummary>> {
    let n = code.listings.get(listing.index()).map_or(0, |l| l.columns.len());
    (0..n).map(|i| cache.column(code, listing, i as u16, core).unwrap_or_default()).collect()
}

fn row_text(
    listing: &Listing,
    summaries: &[Rc<ColumnSummary>],
    joined: Option<(usize, &[BaselineMatch], usize)>,
    row: usize,
    core: usize,
) -> wire::RowText {
    if row == GAP as usize {
        return wire::RowText { row: GAP, ..wire::RowText::default() };
    }
    let cells =
        listing.columns.iter().zip(summaries).map(|(c, s)| cell_text(listing, c, s, row, core)).collect();
    let difference = joined.and_then(|(column, met, _)| {
        let own = listing.columns.get(column)?;
        let value = own.number(row, core).filter(|v| 0.0 <= *v);
        Some(difference_text(value, *met.get(row)?, summaries.get(column)?.decimals, &own.unit))
    });
    wire::RowText {
        row: row as u32,
        label: label(listing, row),
        text: cut(listing.lines.get(row)),
        cells,
        difference: difference.unwrap_or_default(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn hot(summary: &ColumnSummary, from: Option<u32>, step: i32) -> Option<wire::HotRow> {
    let ranked = summary.hottest.len();
    let last = ranked.checked_sub(1)?;
    let rank = match from.and_then(|row| summary.rank(row)) {
        Some(rank) => (rank as i64 + i64::from(step)).clamp(0, last as i64) as usize,
        None => 0,
    };
    Some(wire::HotRow { row: summary.hottest[rank], rank: rank as u32 + 1, ranked: ranked as u32 })
}

fn found(
    places: &[(u32, u32)],
    is_cut: bool,
    from: (u32, u32),
    is_backward: bool,
    within: Option<(u32, u32)>,
) -> Reply {
    let (low, high) = within.unwrap_or((0, u32::MAX));
    let start = places.partition_point(|p| p.0 < low);
    let end = places.partition_point(|p| p.0 <= high).max(start);
    let places = &places[start..end];
    let total = places.len() as u32;
    let next = places.partition_point(|p| *p < from);
    // Beyond the last it goes on at the first, and the other way round.
    let at = match (places.len(), is_backward) {
        (0, _) => return Reply::Found { at: None, number: 0, total, is_cut },
        (n, true) => next.checked_sub(1).unwrap_or(n - 1),
        (n, false) if next == n => 0,
        (_, false) => next,
    };
    Reply::Found { at: Some(places[at]), number: at as u32 + 1, total, is_cut }
}

/// A value as the line of facts says it: with all digits of what a file says, with few of what a division made.
fn said(value: f64, unit: &Unit, is_count: bool) -> String {
    let all = if is_count {
        number::of_kind(&number::exact(value), unit.symbol())
    } else {
        full(Some(value), unit)
    };
    // Nobody writes that many digits.
    let is_quotient = number::computed(value) != number::without_noise(value);
    if is_quotient { number::with_unit(value, unit) } else { all }
}

/// Whether records of a program are missing that a listing has the instructions or the source of.
fn is_part(trace: &Trace, id: ListingId) -> bool {
    let Some(recorded) = trace.extensions.get::<Recorded>() else { return false };
    let is_own = |own: ListingId| {
        own == id || trace.code.links.iter().any(|links| (links.from, links.to) == (id, own))
    };
    recorded.launches.iter().any(|launch| {
        let listing = recorded.programs.get(launch.program as usize).and_then(|program| program.listing);
        listing.is_some_and(is_own) && launch.is_incomplete()
    })
}

fn row_detail(
    trace: &Trace,
    cache: &mut CodeCache,
    id: ListingId,
    listing: &Listing,
    row: u32,
    core: u16,
) -> wire::RowDetail {
    let code = &trace.code;
    let summaries = summaries(code, cache, id, core);
    let at = row as usize;
    let mut out = wire::RowDetail {
        label: label(listing, at),
        text: cut(listing.lines.get(at)),
        n_linked: linked(code, id, row).iter().map(|(_, rows)| rows.len() as u32).sum(),
        is_part: is_part(trace, id),
        ..wire::RowDetail::default()
    };
    for (column, summary) in listing.columns.iter().zip(&summaries) {
        let value = column.number(at, usize::from(core)).filter(|v| 0.0 <= *v);
        let has_total = matches!(column.cells, Cells::Numbers { .. })
            && crate::analysis::code::fraction(column, 1.0).is_none();
        // Registers are those of all rows.
        let adds_up = has_total && column.adds_up() && column.unit.symbol() != "registers";
        let share = value.filter(|_| adds_up && 0.0 < summary.total).map(|v| v / summary.total);
        let text = match value {
            Some(v) => said(v, &column.unit, has_total),
            None => cell_text(listing, column, summary, at, usize::from(core)),
        };
        if !text.is_empty() {
            out.facts.push((column.name.clone(), text, share));
        }
    }
    let own: Vec<(ListingId, Vec<u32>)> = vec![(id, vec![row])];
    let theirs = linked(code, id, row);
    for rows in [own, theirs] {
        if out.stalls.is_empty() {
            (out.stalls, out.stalls_of) = stalls(code, cache, &rows, core);
        }
    }
    out
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, wire::Note) {
    let language = doc.language();
    let Document { sink, derived, compared, .. } = doc;
    let (code, cache) = (&sink.builder.trace().code, &mut derived.code);
    let Some(listing) = code.listings.get(frame.listing.index()) else {
        return (Scene::new(size), wire::Note::default());
    };
    let frame = &frame.bounded();
    let order = cache.order(code, frame.listing, frame.core, &frame.arrange);
    let summaries = summaries(code, cache, frame.listing, frame.core);
    let registers: Vec<_> =
        (0..listing.columns.len()).map(|i| cache.registers(code, frame.listing, i as u16)).collect();
    let overview = match frame.heat {
        Some(column) => cache.overview(code, frame.listing, column, frame.core, &frame.arrange),
        None => Rc::from([]),
    };
    let places = View::places(frame.first, frame.row_px, size.h, order.len());
    let rows: Vec<u32> = places.map(|at| order.row_or_gap(at)).collect();
    let tokens_of = |row: &u32| match *row {
        GAP => Vec::new(),
        row => cache.tokens(frame.listing, listing, row as usize),
    };
    let tokens: Vec<_> = rows.iter().map(tokens_of).collect();
    let linked = match frame.linked_to {
        _ if !frame.marked.is_empty() => rows_within(listing, &frame.marked),
        Some((other, row)) => linked_in(code, other, row, frame.listing),
        None => Vec::new(),
    };
    let class = |row: &u32| {
        frame.beside.map_or_else(RowClass::default, |other| class_beside(code, frame.listing, *row, other))
    };
    let classes: Vec<RowClass> = rows.iter().map(class).collect();
    let view = View {
        frame,
        listing,
        order: &order,
        summaries: &summaries,
        registers: &registers,
        overview: &overview,
        tokens: &tokens,
        classes: &classes,
        linked: &linked,
        flow: code.flows.iter().find(|flow| flow.listing == frame.listing),
        joined: compared.column(frame.listing, frame.core).filter(|_| frame.is_compared),
    };
    let (scene, layout) = draw_code(&view, size, palette);
    let shown = order.len() - order.n_gaps();
    let alternative = alternative(language, listing, shown, frame.heat, &summaries, frame.core);
    let first_linked = order.first_of(&linked).map(|at| at as u32);
    (scene, note(&order, rows, layout, linked.len(), first_linked, alternative))
}

fn note(
    order: &Order,
    rows: Vec<u32>,
    layout: Layout,
    n_linked: usize,
    first_linked: Option<u32>,
    alternative: String,
) -> wire::Note {
    wire::Note {
        total: order.len() as u32,
        n_gaps: order.n_gaps() as u32,
        rows,
        columns: layout.places,
        width: layout.width,
        frozen: layout.frozen,
        pinned: layout.pinned,
        n_linked: n_linked as u32,
        first_linked,
        alternative,
    }
}

/// What the listing is and where it is hottest, in one sentence.
fn alternative(
    language: Language,
    listing: &Listing,
    total: usize,
    heat: Option<u16>,
    summaries: &[Rc<ColumnSummary>],
    core: u16,
) -> String {
    let n = number::thousands(i64::try_from(total).unwrap_or(i64::MAX));
    let phrase = match listing.kind {
        ListingKind::Source => tr(language, "Source {title}, {n} lines."),
        ListingKind::Assembly => tr(language, "{title}, {n} instructions."),
    };
    let mut out = fill(phrase, &[("title", &listing.title), ("n", &n)]);
    let column = heat.map(usize::from).and_then(|i| listing.columns.get(i).zip(summaries.get(i)));
    if let Some((column, summary)) = column
        && let Some(&row) = summary.hottest.first()
    {
        let at = label(listing, row as usize);
        let value = cell_text(listing, column, summary, row as usize, usize::from(core));
        let phrase = tr(language, "Hottest by {column}: {row}, {value}.");
        out.push(' ');
        out.push_str(&fill(phrase, &[("column", &column.name), ("row", &at), ("value", &value)]));
    }
    out
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&SOURCE), Engine::answers::<CodeQuery>(), Engine::draws::<Frame>()];

impl Answers for CodeQuery {
    fn answer(&self, doc: &mut Document, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        match self {
            Self::Packed(column) => compare::pack_code(doc, column),
            Self::Compare { listing, column, core } => {
                (compare::join_code(doc, (*listing, *column, *core), beside), None)
            }
            _ => (answer(doc, self), None),
        }
    }
}

impl Draws for Frame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, wire::Note) {
        draw(doc, self, size, palette)
    }

    fn headed(&self, doc: &mut Document, picture: Scene, note: wire::Note) -> Scene {
        headed(picture, &note, self.left, doc.language())
    }
}

// Source beside instructions, the hottest rows in view.

pub(crate) static SOURCE: Picture = Picture { id: "source", title: "Source", draw: source, seen: None };

/// Height of the head of a listing.
const HEAD: f32 = 24.0;

/// The first source beside the first instructions, the hottest rows in view.
fn source(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(Reply::Listings(all)) = doc.query(&CodeQuery::Listings).0 else {
        return Err("Source and instructions are not available.".to_owned());
    };
    let shown = all.first_pair();
    let head = |id: Option<ListingId>| all.listings.iter().find(|l| Some(l.id) == id);
    let panes: Vec<_> = shown.into_iter().filter_map(head).collect();
    if panes.is_empty() {
        let why = if all.missing.is_empty() { "" } else { " " };
        return Err(format!("No source or instructions in these files.{why}{}", all.missing));
    }
    let mut scene = Scene::new(size);
    let width = (size.w - (panes.len() - 1) as f32) / panes.len() as f32;
    let mut x = 0.0;
    for pane in &panes {
        let beside = panes.iter().map(|other| other.id).find(|id| *id != pane.id);
        let inner = listing(doc, (pane.id, beside), pane.heat, Size { w: width, h: size.h }, palette);
        put(&mut scene, inner, Point { x, y: 0.0 });
        x += width;
        scene.fill(Rect::new(x, 0.0, 1.0, size.h), Ink::Token("line2"));
        x += 1.0;
    }
    Ok(scene)
}

/// A listing with its head, its hottest row at one third of the height.
fn listing(
    doc: &mut Document,
    (id, beside): (ListingId, Option<ListingId>),
    heat: Option<u16>,
    size: Size,
    palette: &Palette,
) -> Scene {
    let body = Size { w: size.w, h: (size.h - HEAD).max(0.0) };
    let rows_in_view = f64::from(body.h / 20.0);
    let hottest = heat.and_then(|column| {
        let ask = CodeQuery::Hot { listing: id, column, core: 0, from: None, step: 0 };
        match doc.query(&ask).0 {
            Some(Reply::Hot(row)) => row.map(|r| f64::from(r.row)),
            _ => None,
        }
    });
    let total = doc.trace().code.listings.get(id.index()).map_or(0, |l| l.lines.len()) as f64;
    let last = (total - rows_in_view).max(0.0);
    let first = (hottest.unwrap_or(0.0) - rows_in_view / 3.0).floor().clamp(0.0, last);
    let frame = Frame {
        listing: id,
        heat,
        first,
        row_px: 20.0,
        char_px: text::advance('0', Font::mono(12.0)),
        beside,
        ..Frame::default()
    };
    let (picture, note) = doc.draw(&frame, body, palette);
    let note = note.unwrap_or_default();
    headed(picture, &note, 0.0, doc.language())
}

/// A picture of rows, scrolled sideways by so much, below the head of its columns.
pub(crate) fn headed(picture: Scene, note: &Note, left: f32, language: Language) -> Scene {
    let w = picture.size.w;
    let mut scene = Scene::new(Size { w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    scene.fill(Rect::new(0.0, 0.0, w, HEAD - 1.0), Ink::Token("s1"));
    scene.fill(Rect::new(0.0, HEAD - 1.0, w, 1.0), Ink::Token("line"));
    let font = Font::ui(11.0).weight(500);
    for (at, column) in note.columns.iter().enumerate() {
        // The number stands still at the left, pinned columns at the right; the others scroll between them.
        let is_moved = 0.0 < left && 0 < at && !column.is_pinned;
        let from = if is_moved { column.x - left } else { column.x };
        let title = text::cut_end(&head_in(language, &column.title), font, column.w - 10.0).into_owned();
        let (x, align) = if column.is_right {
            (from + column.w - 8.0, Align::Right)
        } else {
            (from + column.inset, Align::Left)
        };
        if is_moved {
            let room = (note.pinned - note.frozen).max(0.0);
            scene.shapes.push(Shape::Clip(Rect::new(note.frozen, 0.0, room, HEAD)));
        }
        scene.text(Point { x, y: 16.0 }, title, font, Ink::Token("t3"), align);
        if is_moved {
            scene.shapes.push(Shape::Unclip);
        }
    }
    scene
}

// What rows of code wait for.

/// What these rows wait for together, by the first stacked column that any of them has, and its name.
pub(crate) fn stalls(
    code: &Code,
    cache: &mut CodeCache,
    rows: &[(ListingId, Vec<u32>)],
    core: u16,
) -> (Vec<wire::Stall>, String) {
    for (id, rows) in rows {
        let Some(listing) = code.listings.get(id.index()) else { continue };
        for (i, column) in listing.columns.iter().enumerate() {
            if !matches!(column.cells, Cells::Parts { .. }) {
                continue;
            }
            let mut by_name: Vec<(String, f64)> = Vec::new();
            for parts in rows.iter().filter_map(|&r| column.parts(r as usize, usize::from(core))) {
                for (name, count) in parts.parts.iter().filter(|(_, n)| 0.0 < *n) {
                    match by_name.iter_mut().find(|(n, _)| n == name) {
                        Some((_, sum)) => *sum += count,
                        None => by_name.push((name.clone(), *count)),
                    }
                }
            }
            let total: f64 = by_name.iter().map(|(_, n)| n).sum();
            if total <= 0.0 {
                continue;
            }
            order::sort_by(&mut by_name, |a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let summary = cache.column(code, *id, i as u16, core).unwrap_or_default();
            let hues = stall_hues(&summary.reasons);
            let stall = |(name, count): (String, f64)| {
                let color = hues.get(name.as_str()).copied().unwrap_or(9);
                wire::Stall { name, count, share: count / total, color }
            };
            return (by_name.into_iter().map(stall).collect(), column.name.clone());
        }
    }
    (Vec::new(), String::new())
}
