//! Where places of figures lead: what a figure names, looked up in the document.

use crate::analysis::code::{Place, Referrer, rows_within};
use crate::base::geometry::{Point, Size};
use crate::base::map::Map;
use crate::base::number;
use crate::base::order;
use crate::document::Document;
use crate::draw::style::DrawStyle;
use crate::draw::{cores, graph, heatmap};
use crate::model::figure::{
    Body, BoxArrow, Cell, CoreGrid, Figure, HeatMap, Passage, RowsOf, TableFigure, Target, ranges,
};
use crate::model::id::ListingId;
use crate::model::table::TableCells;
use crate::model::track::TrackKind;
use crate::views::code::listings::found_rows;
use crate::views::code::messages::FoundRow;
use crate::views::details::ask::{family, framed, missing};
use crate::wire::Answer;
use crate::wire::Question;
use crate::wire::figures::{FigureQuery, Frame, Reply};

/// Ranges of one passage; more would not cross at once. Real cells have some ten.
const RANGES: usize = 10_000;

pub(crate) fn answer(doc: &Document, frame: &Frame, size: Size, at: Point) -> Answer {
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
