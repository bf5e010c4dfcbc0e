//! Memory accesses: what there is, what lies in a window, one of them with its calls, and the picture.

use crate::analysis::access::{
    self, AccessCache, Across, Axis, Grid, Groups, Side, Tiling, region_of, side_of,
};
use crate::analysis::code::{Referrer, rows_of_address, rows_of_line};
use crate::base::geometry::{Point, Rect, Size};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{fill, phrase, tr};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, Picture};
use crate::draw::style::{DrawStyle, LABEL, NAME, T1, T2};
use crate::draw::window;
use crate::model::Trace;
use crate::model::access::{Accesses, OPERATION, Region};
use crate::model::build::natural;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, Shape, put, text};
use crate::views::access::messages::{
    AccessQuery, AccessScope, Attribute, Cell, Filter, Frame, Head, MAX_ROWS, Note, Record, RecordHead,
    Reply, StackFrame, Under,
};
use crate::views::access::scene::{BOTH, Plot, draw as draw_plot, group_ink, hit, plot, tiling};
use crate::views::code::listings::found_rows;
use crate::views::timeline::messages::LegendItem;
use crate::wire::{Answer, Question};

fn answer(doc: &mut Document, ask: &AccessQuery) -> Reply {
    match ask {
        AccessQuery::Head => Reply::Head(Box::new(head(doc))),
        AccessQuery::Sums(look) => {
            let (trace, derived) = doc.parts();
            let list = derived.accesses.list(trace, look);
            Reply::Sums(access::sums(&trace.accesses, &list))
        }
        AccessQuery::Record(row) => Reply::Record(record(doc, *row).map(Box::new)),
        AccessQuery::Under { frame, size, at } => Reply::Under(under(doc, frame, *size, *at)),
        AccessQuery::Next { look, from, is_backward } => {
            let (trace, derived) = doc.parts();
            let list = derived.accesses.list(trace, look);
            Reply::Next(next(&list.rows, *from, *is_backward))
        }
    }
}

/// The next of sorted rows from one on.
fn next(rows: &[u32], from: Option<u32>, is_backward: bool) -> Option<u32> {
    match (from, is_backward) {
        (None, false) => rows.first().copied(),
        (None, true) => rows.last().copied(),
        (Some(from), false) => rows.get(rows.partition_point(|row| *row <= from)).copied(),
        (Some(from), true) => rows.get(rows.partition_point(|row| *row < from).checked_sub(1)?).copied(),
    }
}

fn head(doc: &mut Document) -> Head {
    let (trace, derived) = doc.parts();
    let accesses = &trace.accesses;
    let list = derived.accesses.list(trace, &AccessScope::default());
    let attributes = accesses.attributes().iter().map(|attribute| {
        let values = attribute.values().iter().filter(|value| !value.is_empty());
        let mut values: Vec<String> = values.take(MAX_ROWS as usize).cloned().collect();
        if attribute.is_of_unit {
            order::sort_by(&mut values, |a, b| natural(a, b));
        }
        Attribute { id: attribute.id.clone(), title: title(trace, attribute).to_owned(), values }
    });
    let axis = derived.accesses.axis(trace, &Filter::default(), false);
    let space_name = |space: Option<u32>| space.map_or("", |space| accesses.space_name(space)).to_owned();
    let last = (accesses.len() as u32).saturating_sub(1);
    Head {
        n: accesses.len() as u64,
        attributes: attributes.collect(),
        operations: access::operation_sums(accesses, &list).operations,
        time: accesses.is_in_time().then(|| accesses.position_unit.clone()),
        clusters: axis.segments.iter().map(|s| (space_name(s.space), s.start, s.last)).collect(),
        regions: accesses.regions.len() as u64,
        positions: (accesses.position(0), accesses.position(last)),
    }
}

/// What an attribute is called.
fn title<'a>(trace: &'a Trace, attribute: &'a crate::model::access::Attribute) -> &'a str {
    if attribute.title.is_empty() { &trace.terms.group } else { &attribute.title }
}

fn record_head(trace: &Trace, row: u32) -> RecordHead {
    let accesses = &trace.accesses;
    let Some((access, class)) = accesses.get(row).zip(accesses.class(row)) else {
        return RecordHead::default();
    };
    let attributes = accesses.attributes().iter().enumerate().filter(|(at, _)| *at != OPERATION);
    let attributes = attributes
        .map(|(at, attribute)| (title(trace, attribute).to_owned(), accesses.value(class, at).to_owned()));
    let site = accesses.site(row);
    let frame = site.and_then(|s| s.stack).and_then(|s| accesses.stacks.get(s as usize));
    let frame = frame.and_then(|stack| {
        accesses.frames.get(stack.frames.start as usize).filter(|_| !stack.frames.is_empty())
    });
    let place = frame.map_or(String::new(), |frame| {
        let file = trace.strings.get(frame.file);
        let file = if file.is_empty() { trace.strings.get(frame.function) } else { file };
        if frame.line == 0 { file.to_owned() } else { format!("{file}:{}", frame.line) }
    });
    RecordHead {
        row,
        position: access.position,
        operation: accesses.value(class, OPERATION).to_owned(),
        side: side_of(accesses.kind(class)),
        attributes: attributes.filter(|(_, value)| !value.is_empty()).collect(),
        address: access.address,
        bytes: access.bytes,
        pc: site.map(|site| site.pc),
        place,
    }
}

fn record(doc: &Document, row: u32) -> Option<Record> {
    let trace = doc.trace();
    let accesses = &trace.accesses;
    let access = accesses.get(row)?;
    let site = accesses.site(row);
    let stack = site.and_then(|s| s.stack).and_then(|s| accesses.stacks.get(s as usize)).cloned();
    let region =
        region_of(accesses, row).map(|(at, region)| wire_region(accesses, at, region, access.address));
    let mut out = Record { head: record_head(trace, row), region, ..Record::default() };
    out.instructions = site.map_or_else(Vec::new, |site| {
        found_rows(doc, rows_of_address(&trace.code, site.pc, &Referrer::of(site.scope)))
    });
    let Some(stack) = stack else { return Some(out) };
    trace.strings.get(stack.module).clone_into(&mut out.module);
    let frames = stack.frames.take(MAX_ROWS as usize).filter_map(|at| accesses.frames.get(at as usize));
    out.frames = frames
        .map(|frame| StackFrame {
            function: trace.strings.get(frame.function).to_owned(),
            file: trace.strings.get(frame.file).to_owned(),
            line: frame.line,
            column: frame.column,
            is_listed: false,
        })
        .collect();
    for frame in out.frames.iter_mut().filter(|frame| !frame.file.is_empty() && 0 < frame.line) {
        let rows = rows_of_line(&trace.code, &frame.file, frame.line, &Referrer::default());
        frame.is_listed = !rows.is_empty();
    }
    Some(out)
}

fn wire_region(
    accesses: &Accesses,
    at: usize,
    region: &Region,
    address: u64,
) -> crate::views::access::messages::Region {
    let end = (region.rows.end as usize <= accesses.len()).then(|| accesses.position(region.rows.end - 1));
    crate::views::access::messages::Region {
        name: region.name.clone(),
        number: at as u64 + 1,
        space: accesses.space_name(region.space).to_owned(),
        start: region.start,
        bytes: region.end - region.start,
        offset: address - region.start,
        alive: (accesses.position(region.rows.start), end),
    }
}

/// What a picture shows: the axes and the windows with what was left open filled in.
struct View<'a> {
    accesses: &'a Accesses,
    across: Across<'a>,
    groups: Groups,
    axis: Axis,
    rows: (f64, f64),
    places: (f64, f64),
}

impl<'a> View<'a> {
    fn new(trace: &'a Trace, cache: &AccessCache, look: &AccessScope) -> Self {
        let accesses = &trace.accesses;
        let across = Across::new(accesses, look.is_time);
        // What is asked for may come from an address that somebody wrote.
        let n = across.len() as f64;
        let rows = look.rows.and_then(|rows| window::rows(rows, n)).unwrap_or((0.0, n));
        let places = look.places.and_then(window::places).unwrap_or(window::ALL_PLACES);
        Self {
            accesses,
            across,
            groups: Groups::new(accesses, &look.filter, look.color.as_deref()),
            axis: cache.axis(trace, &look.filter, look.is_linear),
            rows,
            places,
        }
    }

    fn tiling(&self, area: Rect) -> Option<Tiling> {
        tiling(&self.axis, self.across, self.rows, self.places, area)
    }

    /// What is drawn.
    fn plot<'b>(&'b self, grid: Option<&'b Grid>, selected: Option<u32>) -> Plot<'b> {
        Plot {
            accesses: self.accesses,
            across: self.across,
            groups: &self.groups,
            axis: &self.axis,
            rows: self.rows,
            places: self.places,
            grid,
            selected,
        }
    }

    /// What the color of a group means.
    fn item(&self, group: usize) -> LegendItem {
        let (name, is_name) = match (self.groups.side(group), self.groups.name(group)) {
            (Some(Side::Load), _) => (phrase("Loads"), false),
            (Some(Side::Store), _) => (phrase("Stores"), false),
            (_, Some(name)) => (name, true),
            _ => (phrase("Other accesses"), false),
        };
        LegendItem { ink: group_ink(&self.groups, group).name().into_owned(), name: name.to_owned(), is_name }
    }

    /// What the colors mean, of those that occur.
    fn legend(&self, is_exact: bool) -> Vec<LegendItem> {
        let groups = (0..self.groups.len()).filter(|group| self.groups.occurs(*group));
        let mut legend: Vec<LegendItem> = groups.map(|group| self.item(group)).collect();
        let sides = [0, 1].map(|group| self.groups.side(group).is_some() && self.groups.occurs(group));
        if !is_exact && sides == [true; 2] {
            let (ink, name) = (BOTH.name().into_owned(), phrase("Loads and stores").to_owned());
            legend.push(LegendItem { ink, name, is_name: false });
        }
        legend
    }
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let language = doc.language();
    let (trace, derived) = doc.parts();
    let view = View::new(trace, &derived.accesses, &frame.look);
    let n = trace.accesses.len();
    let area = plot(size, &view.axis);
    let tiling = view.tiling(area);
    let grid = tiling.as_ref().map(|tiling| derived.accesses.grid(trace, &frame.look, &view.axis, tiling));
    let plot = view.plot(grid.as_deref(), frame.selected);
    let scene = draw_plot(&plot, size, &DrawStyle { palette, language });
    let cell = tiling.as_ref().map_or((1, 1), |tiling| {
        let bytes = tiling.parts.iter().map(|p| 1_u64 << p.shift.min(63)).min();
        (1 << tiling.level.min(63), bytes.unwrap_or(1))
    });
    let number = |n: u64| thousands(n);
    let last = (view.rows.1.ceil() as u64).min(view.across.len()).saturating_sub(1);
    let ends = [view.rows.0.max(0.0) as u64, last].map(|x| number(view.across.position(x)));
    let words = tr(language, "Memory accesses: {n} records, showing {from} to {to}, {m} address clusters.");
    let [from, to] = &ends;
    let (n_words, m_words) = (number(n as u64), number(view.axis.segments.len() as u64));
    let alt = fill(words, &[("n", &n_words), ("from", from), ("to", to), ("m", &m_words)]);
    let note = Note {
        plot: area,
        n: n as u64,
        is_exact: tiling.is_none(),
        cell,
        most: grid.map_or(0, |grid| u64::from(grid.most())),
        legend: view.legend(tiling.is_none()),
        alt,
    };
    (scene, note)
}

fn under(doc: &mut Document, frame: &Frame, size: Size, at: Point) -> Option<Under> {
    let (trace, derived) = doc.parts();
    let view = View::new(trace, &derived.accesses, &frame.look);
    let area = plot(size, &view.axis);
    if !area.contains(at) {
        return None;
    }
    let accesses = &trace.accesses;
    let Some(tiling) = view.tiling(area) else {
        let row = hit(&view.plot(None, None), size, at)?;
        return record(doc, row).map(|record| Under::Record(Box::new(record)));
    };
    let grid = derived.accesses.grid(trace, &frame.look, &view.axis, &tiling);
    let share = |at: f32, from: f32, room: f32| f64::from((at - from) / room);
    let row = view.rows.0 + share(at.x, area.x, area.w) * (view.rows.1 - view.rows.0);
    let place = view.places.1 - share(at.y, area.y, area.h) * (view.places.1 - view.places.0);
    let segment = view.axis.at(place)?;
    let number = row.max(0.0) as u64 >> tiling.level;
    let column = usize::try_from(number.checked_sub(tiling.columns.start)?).ok()?;
    let part = tiling.parts.iter().position(|p| p.segment == segment)?;
    let first: usize = tiling.parts[..part].iter().map(|p| p.n as usize).sum();
    let part = &tiling.parts[part];
    let segment = view.axis.segments[segment];
    let own = (segment.address(place) >> part.shift).checked_sub(part.first)?;
    // The pointer is not exact to a pixel: the nearest cell with something, two above and below.
    let counts = |row: i64| {
        let row = usize::try_from(row).ok().filter(|row| *row < part.n as usize)?;
        let counts = grid.cell(column, first + row);
        counts.iter().any(|n| *n != 0).then_some((row as u64, counts))
    };
    let (row, counts) = [0, 1, -1, 2, -2].iter().find_map(|by| counts(own.cast_signed() + by))?;
    let low = (part.first + row) << part.shift;
    let addresses = (low.max(segment.start), (low | ((1 << part.shift) - 1)).min(segment.last));
    let (from, to) = (number << tiling.level, (number + 1) << tiling.level);
    let to = to.min(view.across.len());
    let touches = |row: &u32| {
        let class = accesses.class(*row);
        let start = accesses.addresses()[*row as usize];
        view.groups.get(accesses.class_rows()[*row as usize]).is_some()
            && class.is_some_and(|c| segment.space.is_none_or(|space| space == c.space()))
            && start <= addresses.1
            && addresses.0 <= access::last_of(start, accesses.bytes(*row))
    };
    let first = view.across.rows(from..to).find(touches)?;
    if counts.iter().sum::<u32>() == 1 {
        return record(doc, first).map(|record| Under::Record(Box::new(record)));
    }
    let counts = counts.iter().enumerate().filter(|(_, n)| 0 < **n);
    Some(Under::Cell(Box::new(Cell {
        positions: (view.across.position(from), view.across.position(to.saturating_sub(1))),
        addresses,
        space: segment.space.map_or("", |space| accesses.space_name(space)).to_owned(),
        counts: counts.map(|(group, n)| (view.item(group), u64::from(*n))).collect(),
        first,
    })))
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&ACCESSES), Engine::answers::<AccessQuery>(), Engine::draws::<Frame>()];

impl Answers for AccessQuery {
    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

impl Draws for Frame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw(doc, self, size, palette)
    }

    fn headed(&self, doc: &mut Document, picture: Scene, note: Note) -> Scene {
        headed(doc, picture, &note)
    }
}

// All memory accesses over their addresses, with the legend of colors below the title.

pub(crate) static ACCESSES: Picture =
    Picture { id: "accesses", title: "Accesses", draw: accesses, seen: None };

/// Height of the head.
const HEAD: f32 = 28.0;

fn accesses(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.trace().accesses.is_empty() {
        return Err("No memory accesses in these files.".to_owned());
    }
    let body = Size { w: size.w, h: (size.h - HEAD).max(120.0) };
    let (picture, note) = doc.draw(&Frame::default(), body, palette);
    let note = note.unwrap_or_default();
    Ok(headed(doc, picture, &note))
}

/// A picture of accesses below its title and what its colors mean.
pub(crate) fn headed(doc: &Document, picture: Scene, note: &Note) -> Scene {
    let n = doc.trace().accesses.len();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = format!("{} · {}", tr(doc.language(), phrase("Memory accesses")), thousands(n as i64));
    let mut x = 16.0 + text::width(&title, NAME) + 24.0;
    scene.text(Point { x: 16.0, y: 19.0 }, title, NAME, T1, Align::Left);
    for item in &note.legend {
        let ink = item.ink.strip_prefix('p').and_then(|n| n.parse().ok()).map_or(Ink::None, Ink::Slice);
        let name = if item.is_name { item.name.as_str() } else { tr(doc.language(), &item.name) };
        scene.shapes.push(Shape::Fill { rect: Rect::new(x, 9.0, 10.0, 10.0), radius: 2.0, ink });
        scene.text(Point { x: x + 15.0, y: 18.0 }, name, LABEL, T2, Align::Left);
        x += 15.0 + text::width(name, LABEL) + 16.0;
    }
    scene
}
