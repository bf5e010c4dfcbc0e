//! Figures and long tables: which there are, one of them, rows of a table, pictures of dense ones.

use super::Document;
use super::targets::{self, targets};
use crate::analysis::extras::Ground;
use crate::base::geometry::{Point, Size};
use crate::base::order;
use crate::base::words::{Language, tr};
use crate::draw::describe::describe;
use crate::draw::style::{Look, full};
use crate::draw::{self, gantt, heatmap};
use crate::model::build::natural;
use crate::model::figure::{
    Advice, Body, Cell, Family, Figure, FigureState, Gantt, HeatMap, Scatter, TableFigure,
};
use crate::model::table::{Table, TableCells, TableColumn};
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::wire::figures::{Ask, FamilyHead, Frame, Note as FigureNote, Page, Reply, Rows, Shown, TableHead};
use crate::wire::{Answer, Note};
use std::cmp::Ordering;

/// Heat maps with more cells are drawn in the worker.
const CELLS: usize = 64 * 1024;
/// Gantts with more bars, and scatters with more points, are drawn in the worker.
const ITEMS: usize = 8 * 1024;
/// Rows of a table figure that cross with it; the others are asked for.
const ROWS: usize = 1_000;

pub(super) fn answer(doc: &mut Document, ask: &Ask) -> Answer {
    match ask {
        Ask::Targets { frame: Frame { id, .. }, .. }
        | Ask::Figure { id, .. }
        | Ask::ReadOut { frame: Frame { id, .. }, .. } => prepare(doc, id),
        Ask::List | Ask::Table(_) | Ask::Packed { .. } | Ask::Compare { .. } => {}
    }
    let reply = match ask {
        Ask::List => list(doc),
        Ask::Figure { id, chosen } => match variant(doc, id, chosen) {
            Some(figure) => Reply::Figure(Box::new(shown(figure, doc.language()))),
            None => return missing(id),
        },
        // Both have bytes beside them and never come here.
        Ask::Packed { id, .. } | Ask::Compare { id, .. } => return missing(id),
        Ask::Table(rows) => match page(doc, rows) {
            Some(page) => Reply::Table(page),
            None => return missing(&rows.id),
        },
        Ask::Targets { frame, size, at } => return targets::answer(doc, frame, *size, *at),
        Ask::ReadOut { frame, size, at } => match framed(doc, frame) {
            Some(figure) => {
                let look = Look { palette: doc.palette(), language: doc.language() };
                let scene = draw::draw(figure, *size, &look, &frame.state);
                Reply::ReadOut(said(doc, figure, &scene, &look, &frame.state, *at))
            }
            None => return missing(&frame.id),
        },
    };
    Answer::Figures(reply)
}

pub(super) fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    prepare(doc, &frame.id);
    let look = Look { palette, language: doc.language() };
    let Some(figure) = framed(doc, frame) else {
        return (Scene::new(size), Note::Figure(FigureNote::default()));
    };
    let scene = draw::draw(figure, size, &look, &frame.state);
    let at = frame.state.pointer.map(|(x, y)| Point { x, y });
    let under = at.and_then(|at| said(doc, figure, &scene, &look, &frame.state, at)).unwrap_or_default();
    let leads = at.is_some_and(|at| !targets(doc, figure, frame, size, at).is_empty());
    (
        scene,
        Note::Figure(FigureNote {
            under,
            leads,
            alt: describe(figure, &look),
            height: draw::height(figure, size.w),
        }),
    )
}

/// The figure of a frame: its own, or as it was joined with a baseline.
pub(super) fn framed<'a>(doc: &'a Document, frame: &Frame) -> Option<&'a Figure> {
    if frame.is_compared {
        doc.compared.figure(&frame.id, &frame.chosen)
    } else {
        variant(doc, &frame.id, &frame.chosen)
    }
}

pub(super) fn missing(id: &str) -> Answer {
    Answer::Failed(format!("There is no figure {id}."))
}

pub(super) fn family<'a>(doc: &'a Document, id: &str) -> Option<&'a Family> {
    let own = doc.trace().figures.iter().find(|f| f.id == id);
    own.or_else(|| doc.derived().areas.figure(id)).or_else(|| doc.derived().extras.figure(id))
}

/// Makes a figure that is computed when it is asked for.
pub(super) fn prepare(doc: &mut Document, id: &str) {
    let is_ready = doc.is_ready();
    let (trace, derived) = doc.parts();
    derived.areas.prepare(trace, &derived.timeline, id);
    if is_ready {
        let ground = Ground { trace, timeline: &derived.timeline, nnapi: derived.nnapi.as_ref() };
        derived.extras.prepare(ground, id);
    }
}

pub(super) fn variant<'a>(doc: &'a Document, id: &str, chosen: &[usize]) -> Option<&'a Figure> {
    family(doc, id)?.variant(chosen)
}

fn list(doc: &Document) -> Reply {
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
            kind: f.variants.first().map_or("", |v| v.body.kind()).to_owned(),
            columns: f.variants.first().map_or(1, draw::columns),
            choices: f.choices.clone(),
            advice,
        }
    });
    let extras = doc.extras().map(|extra| FamilyHead {
        id: extra.id.to_owned(),
        section: extra.section.to_owned(),
        title: extra.title.to_owned(),
        kind: extra.kind.to_owned(),
        columns: extra.columns,
        choices: (extra.choices)(doc.ground()),
        advice: Vec::new(),
    });
    let families = families.chain(extras);
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
        notes: t.notes.clone(),
    });
    Reply::List { families: families.collect(), tables: tables.collect() }
}

/// The figure without what is too much for the page.
pub(super) fn shown(figure: &Figure, language: Language) -> Shown {
    let palette = Palette::default();
    let words = describe(figure, &Look { palette: &palette, language });
    let range = draw::value_range(figure);
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
    Shown { figure, is_dense, range, words }
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
            Body::Scatter(Scatter { x: scatter.x.clone(), y: scatter.y.clone(), series: Vec::new() })
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
    look: &Look,
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
fn told(doc: &Document, map: &HeatMap, cell: usize, look: &Look) -> Option<String> {
    let table = doc.trace().tables.iter().find(|t| !map.table.is_empty() && t.id == map.table)?;
    let long = Long(table);
    if long.n_rows() <= cell {
        return None;
    }
    let line = |(at, column): (usize, &TableColumn)| {
        let value = match long.cell(cell, at) {
            Cell::Number(value) => full(Some(value), &column.unit),
            Cell::Text(text) if READ_OUT < text.len() => {
                format!("{}…", text.chars().take(READ_OUT).collect::<String>())
            }
            Cell::Text(text) => text,
            Cell::Missing => look.tr("missing").to_owned(),
        };
        // The first column names the cell.
        let gap = if at == 0 { " " } else { "\t" };
        format!("{}{gap}{value}", tr(look.language, &column.name))
    };
    Some(table.columns.iter().enumerate().map(line).collect::<Vec<_>>().join("\n"))
}

/// Rows of a long table or of a table figure, filtered and sorted.
fn page(doc: &Document, ask: &Rows) -> Option<Page> {
    if let Some(table) = doc.trace().tables.iter().find(|t| t.id == ask.id) {
        return Some(cut(&Long(table), ask));
    }
    match &variant(doc, &ask.id, &ask.chosen)?.body {
        Body::Table(table) => Some(cut(table, ask)),
        _ => None,
    }
}

/// What rows are cut from.
trait Cells {
    fn n_rows(&self) -> usize;
    fn n_columns(&self) -> usize;
    fn cell(&self, row: usize, column: usize) -> Cell;
}

struct Long<'a>(&'a Table);

impl Cells for Long<'_> {
    fn n_rows(&self) -> usize {
        self.0.columns.iter().map(|c| c.cells.len()).max().unwrap_or(0)
    }

    fn n_columns(&self) -> usize {
        self.0.columns.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        match self.0.columns.get(column).map(|c| &c.cells) {
            Some(TableCells::Numbers(v)) => Cell::number(v.get(row).copied()),
            Some(TableCells::Integers(v)) => v.get(row).map_or(Cell::Missing, |v| integer(*v)),
            Some(TableCells::Texts(v)) => {
                v.get(row).filter(|t| !t.is_empty()).map_or(Cell::Missing, |t| Cell::Text(t.clone()))
            }
            None => Cell::Missing,
        }
    }
}

/// Whole numbers beyond what a float holds exactly cross as text.
fn integer(value: u64) -> Cell {
    let float = value as f64;
    if value < 1 << 53 { Cell::Number(float) } else { Cell::Text(value.to_string()) }
}

impl Cells for TableFigure {
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn n_columns(&self) -> usize {
        self.columns.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        self.rows.get(row).and_then(|r| r.get(column)).cloned().unwrap_or_default()
    }
}

fn cut(table: &dyn Cells, ask: &Rows) -> Page {
    let wanted = ask.filter.to_lowercase();
    let columns = table.n_columns();
    let is_wanted =
        |row: &usize| wanted.is_empty() || (0..columns).any(|c| contains(&table.cell(*row, c), &wanted));
    let mut order: Vec<usize> = (0..table.n_rows()).filter(is_wanted).collect();
    if let Some((column, is_falling)) = ask.sort {
        let mut keyed: Vec<(Cell, usize)> = order.into_iter().map(|r| (table.cell(r, column), r)).collect();
        order::sort_by(&mut keyed, |a, b| compare_cells(&a.0, &b.0, is_falling));
        order = keyed.into_iter().map(|(_, r)| r).collect();
    }
    let row = |r: &usize| (0..columns).map(|c| table.cell(*r, c)).collect();
    let rows = order.iter().skip(ask.from).take(ask.n).map(row).collect();
    Page { total: order.len(), from: ask.from, rows }
}

fn contains(cell: &Cell, wanted: &str) -> bool {
    match cell {
        Cell::Text(text) => text.to_lowercase().contains(wanted),
        Cell::Number(v) => v.to_string().contains(wanted),
        Cell::Missing => false,
    }
}

/// Numbers by value, texts with the numbers in them by value, missing ones always last; equal ones keep their order.
fn compare_cells(a: &Cell, b: &Cell, is_falling: bool) -> Ordering {
    let order = match (a, b) {
        (Cell::Missing, Cell::Missing) => return Ordering::Equal,
        (Cell::Missing, _) => return Ordering::Greater,
        (_, Cell::Missing) => return Ordering::Less,
        (Cell::Number(a), Cell::Number(b)) => a.total_cmp(b),
        (Cell::Number(_), Cell::Text(_)) => Ordering::Less,
        (Cell::Text(_), Cell::Number(_)) => Ordering::Greater,
        (Cell::Text(a), Cell::Text(b)) => natural(a, b),
    };
    if is_falling { order.reverse() } else { order }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::figure::TableColumn;

    fn table() -> TableFigure {
        let row = |name: &str, value: Option<f64>| vec![Cell::Text(name.to_owned()), Cell::number(value)];
        let rows = vec![row("core10", Some(2.0)), row("core2", None), row("Core1", Some(12.5))];
        TableFigure { columns: vec![TableColumn::default(); 2], rows, ..TableFigure::default() }
    }

    fn names(ask: &Rows) -> Vec<String> {
        let text = |row: &Vec<Cell>| match &row[0] {
            Cell::Text(text) => text.clone(),
            _ => String::new(),
        };
        cut(&table(), ask).rows.iter().map(text).collect()
    }

    #[test]
    fn rows_are_sorted_by_value_with_missing_ones_last() {
        let by = |column, is_falling| Rows { sort: Some((column, is_falling)), n: 9, ..Rows::default() };
        assert_eq!(names(&by(1, false)), ["core10", "Core1", "core2"]);
        assert_eq!(names(&by(1, true)), ["Core1", "core10", "core2"]);
        assert_eq!(names(&by(0, false)), ["Core1", "core2", "core10"]);
    }

    #[test]
    fn rows_are_filtered_and_cut() {
        let page = cut(&table(), &Rows { filter: "CORE1".into(), from: 1, n: 1, ..Rows::default() });
        assert_eq!((page.total, page.rows.len()), (2, 1));
        assert_eq!(names(&Rows { filter: "12.".into(), n: 9, ..Rows::default() }), ["Core1"]);
        assert_eq!(names(&Rows { from: 7, n: 9, ..Rows::default() }), Vec::<String>::new());
    }

    #[test]
    fn addresses_keep_all_digits() {
        assert_eq!(integer(4096), Cell::Number(4096.0));
        assert_eq!(integer(u64::MAX), Cell::Text("18446744073709551615".to_owned()));
    }
}
