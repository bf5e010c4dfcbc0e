//! Figures and long tables: which there are, one of them, rows of a table, pictures of dense ones.

use super::{advice, compare};
use crate::analysis::code::{Place, Referrer, rows_within};
use crate::analysis::contract::ComputedFigure;
use crate::analysis::rows::{LongRows, RowSource as _, Value};
use crate::base::geometry::{Point, Size};
use crate::base::map::Map;
use crate::base::words::{Language, tr};
use crate::base::{number, order};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, MAX_HEIGHT, Picture};
use crate::draw::describe::describe;
use crate::draw::page::{self, Need, of_subject};
use crate::draw::style::{DrawStyle, T3, TEXT, full};
use crate::draw::{self, EDGE, cores, gantt, graph, heatmap, sheets};
use crate::model::figure::{
    Advice, Body, BoxArrow, Cell, Choice, CoreGrid, Family, Figure, FigureState, Gantt, HeatMap, Passage,
    RowsOf, Scatter, TableFigure, Target, ranges,
};
use crate::model::id::ListingId;
use crate::model::track::TrackKind;
use crate::model::{TableCells, TableColumn};
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene};
use crate::views::code::listings::found_rows;
use crate::views::code::messages::FoundRow;
use crate::wire::figures::{FamilyHead, FigureQuery, Frame, Note, Reply, Shown, TableHead};
use crate::wire::{Answer, Question, ViewPicture};
use std::borrow::Cow;

/// Heat maps with more cells are drawn in the worker.
const CELLS: usize = 64 * 1024;
/// Gantts with more bars, and scatters with more points, are drawn in the worker.
const ITEMS: usize = 8 * 1024;
/// Rows of a table figure that cross with it; the others are asked for.
const ROWS: usize = 1_000;

fn answer(doc: &mut Document, ask: &FigureQuery) -> Answer {
    match ask {
        FigureQuery::Targets { frame: Frame { id, chosen, .. }, .. }
        | FigureQuery::Figure { id, chosen }
        | FigureQuery::ReadOut { frame: Frame { id, chosen, .. }, .. } => prepare(doc, id, chosen),
        FigureQuery::List
        | FigureQuery::Advice
        | FigureQuery::Packed { .. }
        | FigureQuery::Compare { .. } => {}
    }
    let reply = match ask {
        FigureQuery::List => list(doc),
        FigureQuery::Advice => Reply::Advice(advice::lines(doc)),
        FigureQuery::Figure { id, chosen } => match variant(doc, id, chosen) {
            Some(figure) => Reply::Figure(Box::new(shown(figure, doc.language()))),
            None => return missing(id),
        },
        // Both have bytes beside them and are answered by `compare`.
        FigureQuery::Packed { id, .. } | FigureQuery::Compare { id, .. } => return missing(id),
        FigureQuery::Targets { frame, size, at } => return answer_targets(doc, frame, *size, *at),
        FigureQuery::ReadOut { frame, size, at } => match framed(doc, frame) {
            Some(figure) => {
                let look = DrawStyle { palette: doc.palette(), language: doc.language() };
                let scene = draw::draw(figure, *size, &look, &frame.state);
                Reply::ReadOut(said(doc, figure, &scene, &look, &frame.state, *at))
            }
            None => return missing(&frame.id),
        },
    };
    FigureQuery::reply(&reply)
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    prepare(doc, &frame.id, &frame.chosen);
    let look = DrawStyle { palette, language: doc.language() };
    let Some(figure) = framed(doc, frame) else {
        return (Scene::new(size), Note::default());
    };
    let scene = draw::draw(figure, size, &look, &frame.state);
    let at = frame.state.pointer.map(|(x, y)| Point { x, y });
    let under = at.and_then(|at| said(doc, figure, &scene, &look, &frame.state, at)).unwrap_or_default();
    let leads = at.is_some_and(|at| !targets(doc, figure, frame, size, at).is_empty());
    (
        scene,
        Note {
            under,
            leads,
            alt: describe(figure, &look),
            height: draw::height(figure, size.w, look.language),
        },
    )
}

/// The figure of a frame: its own, or as it was joined with a baseline.
pub(crate) fn framed<'a>(doc: &'a Document, frame: &Frame) -> Option<&'a Figure> {
    if frame.is_compared {
        doc.compared.figure(&frame.id, &frame.chosen)
    } else {
        variant(doc, &frame.id, &frame.chosen)
    }
}

pub(crate) fn missing(id: &str) -> Answer {
    Answer::Failed(format!("Unknown figure {id}."))
}

/// A figure of the files, or of an area.
pub(crate) fn family<'a>(doc: &'a Document, id: &str) -> Option<&'a Family> {
    let own = doc.trace().figures.iter().find(|f| f.id == id);
    own.or_else(|| doc.derived().areas.figure(id))
}

/// Makes a figure that is computed when it is asked for.
pub(crate) fn prepare(doc: &mut Document, id: &str, chosen: &[usize]) {
    let is_arranged = doc.is_arranged();
    let (trace, derived) = (doc.sink.builder.trace(), &mut doc.derived);
    while !derived.areas.figure_step(trace, &derived.timeline, id) {}
    if is_arranged && trace.figures.iter().all(|own| own.id != id) {
        derived.results.prepare(&doc.analyses, (trace, &derived.timeline, &doc.values), id, chosen);
    }
}

/// One variant of a figure; of computed ones, one that was prepared.
pub(crate) fn variant<'a>(doc: &'a Document, id: &str, chosen: &[usize]) -> Option<&'a Figure> {
    match family(doc, id) {
        Some(family) => family.variant(chosen),
        None => doc.derived().results.figure(id, chosen),
    }
}

fn list(doc: &Document) -> Reply {
    let look = DrawStyle { palette: doc.palette(), language: doc.language() };
    let families = doc.trace().figures.iter().map(|f| {
        let mut advice: Vec<Advice> = Vec::new();
        for item in f.variants.iter().flat_map(|v| &v.advice) {
            if !advice.contains(item) {
                advice.push(item.clone());
            }
        }
        FamilyHead {
            id: f.id.clone(),
            section: f.section.clone(),
            title: f.title.clone(),
            analysis: String::new(),
            kind: f.variants.first().map_or("", |v| v.body.kind()).to_owned(),
            need: f
                .variants
                .first()
                .map_or(Need::of_columns(1), |v| page::of_figure(v, draw::value_range(v), &f.choices, &look)),
            choices: f.choices.clone(),
            advice,
        }
    });
    let said = doc.computed_advice();
    let computed = doc.computed_by().into_iter().map(|(analysis, ComputedFigure { head, .. })| FamilyHead {
        analysis: analysis.id.to_owned(),
        advice: said.iter().filter(|(id, _)| *id == head.id).map(|(_, advice)| advice.clone()).collect(),
        id: head.id,
        section: head.section.to_owned(),
        title: head.title,
        kind: head.kind.to_owned(),
        need: Need::of_columns(head.columns),
        choices: head.choices,
    });
    let families = families.chain(computed).collect();
    let tables = doc.trace().tables.iter().map(|t| TableHead {
        id: t.id.clone(),
        title: t.title.clone(),
        rows: t.columns.first().map_or(0, |c| c.cells.len()),
        columns: t
            .columns
            .iter()
            .map(|c| (c.name.clone(), c.unit.clone(), !matches!(c.cells, TableCells::Texts(_))))
            .collect(),
        empty: (0..t.columns.len()).filter(|i| !t.columns[*i].cells.has_values()).collect(),
        flat: page::flat::of_long_table(t),
        notes: t.notes.clone(),
    });
    Reply::List { families, tables: tables.collect() }
}

/// The figure without what is too much for the page.
pub(crate) fn shown(figure: &Figure, language: Language) -> Shown {
    let palette = Palette::default();
    let words = describe(figure, &DrawStyle { palette: &palette, language });
    let (range, flat) = (draw::value_range(figure), page::flat::of_figure(figure));
    let is_dense = match &figure.body {
        Body::HeatMap(map) => CELLS < map.values.len(),
        Body::Gantt(gantt) => ITEMS < gantt.bars.len(),
        Body::Scatter(scatter) => ITEMS < scatter.series.iter().map(|s| s.points.len()).sum(),
        _ => false,
    };
    let mut figure = if is_dense { without_rows(figure) } else { figure.clone() };
    if let Body::Table(table) = &mut figure.body
        && ROWS < table.rows.len()
    {
        table.more_rows += table.rows.len() - ROWS;
        table.rows.truncate(ROWS);
        table.row_units.truncate(ROWS);
    }
    Shown { figure, is_dense, range, flat, words }
}

/// A copy of a dense figure without its cells, bars or points; they are never copied.
fn without_rows(figure: &Figure) -> Figure {
    let body = match &figure.body {
        Body::HeatMap(map) => Body::HeatMap(HeatMap {
            x: map.x.clone(),
            y: map.y.clone(),
            unit: map.unit.clone(),
            bands: map.bands.clone(),
            table: map.table.clone(),
            addresses: map.addresses.clone(),
            values: Vec::new(),
            cell_bands: Vec::new(),
            ..*map
        }),
        Body::Gantt(gantt) => Body::Gantt(Gantt {
            x: gantt.x.clone(),
            lanes: gantt.lanes.clone(),
            value: gantt.value.clone(),
            bars: Vec::new(),
            ..*gantt
        }),
        Body::Scatter(scatter) => {
            let (x, y, colors) = (scatter.x.clone(), scatter.y.clone(), scatter.colors.clone());
            Body::Scatter(Scatter { x, y, colors, series: Vec::new() })
        }
        other => other.clone(),
    };
    Figure {
        title: figure.title.clone(),
        scope: figure.scope.clone(),
        notes: figure.notes.clone(),
        advice: figure.advice.clone(),
        body,
    }
}

/// What lies under a point of a figure that was drawn.
fn said(
    doc: &Document,
    figure: &Figure,
    scene: &Scene,
    look: &DrawStyle,
    state: &FigureState,
    at: Point,
) -> Option<String> {
    match &figure.body {
        Body::HeatMap(map) => {
            let row =
                heatmap::cell_at(map, scene.size, state, at).and_then(|cell| told(doc, map, cell, look));
            row.or_else(|| heatmap::read_out(map, scene.size, look, state, at))
        }
        Body::Gantt(gantt) => gantt::read_out(gantt, scene.size, look, state, at),
        _ => draw::hit(scene, at).map(str::to_owned),
    }
}

/// Longest text of a cell that is read out; tables have the whole.
const READ_OUT: usize = 120;

/// The row of the table that belongs to a cell of a map, in lines of name and value.
fn told(doc: &Document, map: &HeatMap, cell: usize, look: &DrawStyle) -> Option<String> {
    let table = doc.trace().tables.iter().find(|t| !map.table.is_empty() && t.id == map.table)?;
    let source = LongRows::new(table, true);
    if source.n_rows() <= cell {
        return None;
    }
    let line = |(at, column): (usize, &TableColumn)| {
        let value = match source.cell(cell as u32, at) {
            Value::Number(value) => full(Some(value), &column.unit),
            Value::Whole(value) => full(Some(value as f64), &column.unit),
            Value::Address(address) => format!("0x{address:x}"),
            Value::Text(text) if READ_OUT < text.len() => {
                format!("{}…", text.chars().take(READ_OUT).collect::<String>())
            }
            Value::Text(text) => text.into_owned(),
            Value::Missing => look.tr("missing").to_owned(),
        };
        // The first column names the cell.
        let gap = if at == 0 { " " } else { "\t" };
        format!("{}{gap}{value}", tr(look.language, &column.name))
    };
    Some(table.columns.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&DETAILS), Engine::answers::<FigureQuery>(), Engine::draws::<Frame>()];

impl Answers for FigureQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        match self {
            Self::Figure { id, .. } => doc.prepare_overlap(id),
            Self::Advice => doc.prepare_advice(),
            _ => true,
        }
    }

    fn answer(&self, doc: &mut Document, beside: &[u8]) -> (Answer, Option<Vec<u8>>) {
        match self {
            Self::Packed { id, chosen } => compare::pack_figure(doc, id, chosen),
            Self::Compare { id, chosen } => (compare::join_figure(doc, id, chosen, beside), None),
            _ => (answer(doc, self), None),
        }
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_overlap(&self.id)
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw(doc, self, size, palette)
    }
}

// All figures of a document, one below the other, each with title, units, advice and notes.

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
            let number = |choice: &Choice| choice.number(&seen.chosen);
            let numbers: Vec<usize> = family.choices.iter().map(number).collect();
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

// Where places of figures lead: what a figure names, looked up in the document.

/// Ranges of one passage; more would not cross at once. Real cells have some ten.
const RANGES: usize = 10_000;

pub(crate) fn answer_targets(doc: &Document, frame: &Frame, size: Size, at: Point) -> Answer {
    match framed(doc, frame) {
        Some(figure) => FigureQuery::reply(&Reply::Targets(targets(doc, figure, frame, size, at))),
        None => missing(&frame.id),
    }
}

/// Where a point of a drawn figure leads, what is meant most first. Costs drawing a graph, or a search for each range of
/// a cell.
pub(crate) fn targets(doc: &Document, figure: &Figure, frame: &Frame, size: Size, at: Point) -> Vec<Target> {
    match &figure.body {
        Body::Cores(grid) => of_core(doc, grid, size, at).into_iter().collect(),
        Body::HeatMap(map) => {
            let cell = heatmap::cell_at(map, size, &frame.state, at);
            cell.map_or_else(Vec::new, |cell| of_cell(doc, map, cell))
        }
        Body::Matrix(matrix) => {
            let cell = crate::draw::matrix::cell_at(matrix, size, at).and_then(|at| matrix.cells.get(at));
            cell.and_then(|cell| Target::of_place(&cell.place)).into_iter().collect()
        }
        Body::Graph(chart) => of_arrow(doc, figure, chart, frame, size, at),
        _ => Vec::new(),
    }
}

/// The track of a core; groups before others of the same name.
fn of_core(doc: &Document, grid: &CoreGrid, size: Size, at: Point) -> Option<Target> {
    let (core, cell) = cores::cell_at(grid, size, at)?;
    let cell = grid.cores.get(core)?.cells.get(cell)?;
    let trace = doc.trace();
    let named = |name: &str| {
        let all = || trace.tracks.iter().filter(|(_, t)| trace.strings.get(t.name) == name);
        all().find(|(_, t)| t.kind == TrackKind::Group).or_else(|| all().next())
    };
    cell.tracks.iter().find_map(|name| Some(Target::Track { track: named(name)?.0, name: name.clone() }))
}

/// The instructions behind a cell of a map, by listing: of the kernel that the table of the cells is about, or of each
/// that has instructions there.
fn of_cell(doc: &Document, map: &HeatMap, cell: usize) -> Vec<Target> {
    let trace = doc.trace();
    let table = trace.tables.iter().find(|t| !map.addresses.is_empty() && t.id == map.table);
    let text = table.and_then(|table| {
        let column = table.columns.iter().find(|c| c.name == map.addresses)?;
        if let TableCells::Texts(texts) = &column.cells { texts.get(cell) } else { None }
    });
    let (Some(table), Some(text)) = (table, text) else { return Vec::new() };
    let mut ranges = ranges(text);
    ranges.truncate(RANGES);
    let listings = (0u32..).map(ListingId).zip(&trace.code.listings);
    let inside: Map<ListingId, Vec<u32>> =
        listings.map(|(id, l)| (id, rows_within(l, &ranges))).filter(|(_, rows)| !rows.is_empty()).collect();
    let mut places: Vec<Place> = inside.iter().filter_map(|(&id, rows)| Some((id, *rows.first()?))).collect();
    order::sort(&mut places);
    let found = found_rows(doc, Referrer::of(table.scope).narrow(&trace.code, places));
    let is_one = found.len() == 1;
    // The first column names the cell.
    let of = table.columns.first().map_or_else(Default::default, |c| {
        let name = match &c.cells {
            TableCells::Numbers(v) => v.get(cell).map_or_else(String::new, |v| number::exact(*v)),
            TableCells::Integers(v) => v.get(cell).map_or_else(String::new, u64::to_string),
            TableCells::Texts(v) => v.get(cell).cloned().unwrap_or_default(),
        };
        (c.name.clone(), name)
    });
    let passage = |found: FoundRow| {
        let address = &trace.code.listings.get(found.listing.index())?.address;
        Some(Target::Instructions(Passage {
            of: of.clone(),
            listing: found.listing,
            listing_name: if is_one { String::new() } else { found.name },
            ranges: ranges.clone(),
            first: *address.get(found.row as usize)?,
            n: inside.get(&found.listing)?.len() as u32,
        }))
    };
    found.into_iter().filter_map(passage).collect()
}

/// Rows of tables that belong to an arrow.
fn of_arrow(
    doc: &Document,
    figure: &Figure,
    chart: &BoxArrow,
    frame: &Frame,
    size: Size,
    at: Point,
) -> Vec<Target> {
    let look = DrawStyle { palette: doc.palette(), language: doc.language() };
    let scene = crate::draw::draw_small(figure, size, &look);
    let arrow = graph::arrow_at(chart, &scene, at, &look).and_then(|at| chart.arrows.get(at));
    arrow.map_or_else(Vec::new, |arrow| {
        arrow.rows.iter().filter_map(|wanted| of_rows(doc, wanted, frame)).collect()
    })
}

/// Rows of a table in the variant that is shown beside the figure: choices of one name hold for both.
fn of_rows(doc: &Document, wanted: &RowsOf, frame: &Frame) -> Option<Target> {
    let (own, other) = (family(doc, &frame.id)?, family(doc, &wanted.table)?);
    let chosen = other.choices.iter().map(|choice| {
        let same = own.choices.iter().zip(&frame.chosen).find(|(c, _)| c.name == choice.name);
        let option = same.and_then(|(c, &at)| c.options.get(at));
        option.map_or(Some(0), |option| choice.options.iter().position(|o| o == option))
    });
    // A table that has nothing of this block says nothing of the arrow.
    let chosen: Vec<usize> = chosen.collect::<Option<_>>()?;
    let Body::Table(table) = &other.variant(&chosen)?.body else { return None };
    let rows = rows_of(table, &wanted.key);
    let target = Target::Rows { id: other.id.clone(), title: other.title.clone(), rows };
    Some(target).filter(|t| !matches!(t, Target::Rows { rows, .. } if rows.is_empty()))
}

/// Rows with this number, or this word, among the cells that name them.
fn rows_of(table: &TableFigure, key: &str) -> Vec<u32> {
    let number: Option<f64> = key.parse().ok();
    let is_named = |cell: &Cell| match (cell, number) {
        (Cell::Number(v), Some(key)) => *v == key,
        (Cell::Integer(v), _) => number::address(key) == Some(*v),
        (Cell::Text(text), None) => {
            text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(key))
        }
        _ => false,
    };
    let rows = (0u32..).zip(&table.rows);
    rows.filter(|(_, row)| row.iter().take(table.key_columns).any(is_named)).map(|(at, _)| at).collect()
}
