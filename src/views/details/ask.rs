//! Figures and long tables: which there are, one of them, rows of a table, pictures of dense ones.

use super::compare;
use crate::analysis::contract::ComputedFigure;
use crate::analysis::rows::{LongRows, RowSource as _, Value};
use crate::base::geometry::{Point, Size};
use crate::base::words::{Language, tr};
use crate::document::Document;
use crate::document::engine::{Answers, Draws, Engine};
use crate::draw::describe::describe;
use crate::draw::page::{self, Need};
use crate::draw::style::{DrawStyle, full};
use crate::draw::{self, gantt, heatmap};
use crate::model::figure::{Advice, Body, Family, Figure, FigureState, Gantt, HeatMap, Scatter};
use crate::model::table::{TableCells, TableColumn};
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::details::targets::{self, targets};
use crate::wire::figures::{FamilyHead, FigureQuery, Frame, Note, Reply, Shown, TableHead};
use crate::wire::{Answer, Question};

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
        FigureQuery::List | FigureQuery::Packed { .. } | FigureQuery::Compare { .. } => {}
    }
    let reply = match ask {
        FigureQuery::List => list(doc),
        FigureQuery::Figure { id, chosen } => match variant(doc, id, chosen) {
            Some(figure) => Reply::Figure(Box::new(shown(figure, doc.language()))),
            None => return missing(id),
        },
        // Both have bytes beside them and are answered by `compare`.
        FigureQuery::Packed { id, .. } | FigureQuery::Compare { id, .. } => return missing(id),
        FigureQuery::Targets { frame, size, at } => return targets::answer(doc, frame, *size, *at),
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
    &[Engine::saves(&super::picture::DETAILS), Engine::answers::<FigureQuery>(), Engine::draws::<Frame>()];

impl Answers for FigureQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        let Self::Figure { id, .. } = self else { return true };
        doc.prepare_overlap(id)
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
