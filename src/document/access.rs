//! Memory accesses: what there is, what lies in a window, one of them with its calls, and the picture.

use super::Document;
use super::listings::found_rows;
use crate::analysis::access::{self, AccessCache, Axis, Grid, Side, Sides, region_of, side_of};
use crate::analysis::code::{Referrer, rows_of_address, rows_of_line};
use crate::base::geometry::{Point, Size};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::order;
use crate::base::words::{fill, tr};
use crate::draw::access::{Plot, draw as draw_plot, hit, plot, tiling, window};
use crate::draw::style::Look as Dress;
use crate::model::Trace;
use crate::model::access::{Accesses, Region};
use crate::model::build::natural;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::wire::access::{
    Ask, Cell, Frame, Head, Look, MAX_ROWS, Note, OperationSum, Record, RecordHead, Reply, StackFrame, Sums,
    Under,
};
use crate::wire::{self, Answer};

pub(super) fn answer(doc: &mut Document, ask: &Ask) -> Answer {
    let reply = match ask {
        Ask::Head => Reply::Head(Box::new(head(doc))),
        Ask::Sums(look) => {
            let (trace, derived) = doc.parts();
            let list = derived.accesses.list(trace, &look_of(look));
            Reply::Sums(sums(&trace.accesses, &access::sums(&trace.accesses, &list)))
        }
        Ask::Record(row) => Reply::Record(record(doc, *row).map(Box::new)),
        Ask::Under { frame, size, at } => Reply::Under(under(doc, frame, *size, *at)),
        Ask::Next { look, from, is_backward } => {
            let (trace, derived) = doc.parts();
            let list = derived.accesses.list(trace, &look_of(look));
            Reply::Next(next(&list.rows, *from, *is_backward))
        }
    };
    Answer::Access(reply)
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

fn filter_of(filter: &wire::access::Filter) -> access::Filter {
    access::Filter {
        unit: filter.unit.clone(),
        unit_kind: filter.unit_kind.clone(),
        operation: filter.operation.clone(),
        space: filter.space.clone(),
    }
}

pub(super) fn look_of(look: &Look) -> access::Look {
    access::Look {
        filter: filter_of(&look.filter),
        rows: look.rows.map(|(a, b)| (a.max(0.0).floor() as u32, b.max(0.0).ceil() as u32)),
        places: look.places,
        is_linear: look.is_linear,
    }
}

fn wire_side(side: Side) -> wire::access::Side {
    match side {
        Side::Load => wire::access::Side::Load,
        Side::Store => wire::access::Side::Store,
        Side::Other => wire::access::Side::Other,
    }
}

fn sums(accesses: &Accesses, sums: &access::Sums) -> Sums {
    let one = |sum: &access::OperationSum| {
        let operation = accesses.operations().get(usize::from(sum.operation))?;
        Some(OperationSum {
            name: operation.name.clone(),
            side: wire_side(side_of(operation.kind)),
            n: sum.n,
            bytes: sum.bytes,
        })
    };
    Sums { n: sums.n, operations: sums.operations.iter().filter_map(one).collect(), distinct: sums.distinct }
}

fn head(doc: &mut Document) -> Head {
    let (trace, derived) = doc.parts();
    let accesses = &trace.accesses;
    let list = derived.accesses.list(trace, &access::Look::default());
    let mut by_space: Map<u8, u64> = Map::default();
    for &class in accesses.class_rows() {
        *by_space.entry(accesses.classes()[class as usize].space).or_default() += 1;
    }
    let spaces = accesses.spaces().iter().zip(0..=255_u8);
    let spaces = spaces.map(|(name, at)| (name.clone(), by_space.get(&at).copied().unwrap_or(0)));
    let names = |name: fn(&crate::model::access::AccessUnit) -> &String| {
        let mut names: Vec<String> = Vec::new();
        for unit in accesses.units() {
            if names.len() < MAX_ROWS as usize && !name(unit).is_empty() && !names.contains(name(unit)) {
                names.push(name(unit).clone());
            }
        }
        order::sort_by(&mut names, |a, b| natural(a, b));
        names
    };
    let axis = derived.accesses.axis(trace, &access::Filter::default(), false);
    let space_name =
        |space: Option<u8>| space.map_or(String::new(), |s| accesses.spaces()[usize::from(s)].clone());
    let last = (accesses.len() as u32).saturating_sub(1);
    Head {
        n: accesses.len() as u64,
        unit_title: trace.terms.group.clone(),
        unit_kind_title: accesses.unit_kind_title.clone(),
        units: names(|unit| &unit.name),
        unit_kinds: names(|unit| &unit.kind),
        operations: sums(accesses, &access::operation_sums(accesses, &list)).operations,
        spaces: spaces.collect(),
        clusters: axis.segments.iter().map(|s| (space_name(s.space), s.start, s.last)).collect(),
        regions: accesses.regions.len() as u64,
        positions: (accesses.position(0), accesses.position(last)),
    }
}

fn record_head(trace: &Trace, row: u32) -> RecordHead {
    let accesses = &trace.accesses;
    let Some(access) = accesses.get(row) else { return RecordHead::default() };
    let unit = accesses.units().get(access.class.unit as usize).cloned().unwrap_or_default();
    let operation = accesses.operation(access.class);
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
        operation: operation.map_or(String::new(), |o| o.name.clone()),
        side: operation.map_or_else(Default::default, |o| wire_side(side_of(o.kind))),
        space: accesses.spaces().get(usize::from(access.class.space)).cloned().unwrap_or_default(),
        unit: unit.name,
        unit_kind: unit.kind,
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

fn wire_region(accesses: &Accesses, at: usize, region: &Region, address: u64) -> wire::access::Region {
    let end = (region.rows.end as usize <= accesses.len()).then(|| accesses.position(region.rows.end - 1));
    wire::access::Region {
        name: region.name.clone(),
        number: at as u64 + 1,
        space: accesses.spaces().get(usize::from(region.space)).cloned().unwrap_or_default(),
        start: region.start,
        bytes: region.end - region.start,
        offset: address - region.start,
        alive: (accesses.position(region.rows.start), end),
    }
}

/// What a picture shows: the axis and the windows with what was left open filled in.
struct View {
    filter: access::Filter,
    sides: Sides,
    axis: Axis,
    rows: (f64, f64),
    places: (f64, f64),
}

impl View {
    fn new(trace: &Trace, cache: &AccessCache, look: &Look) -> Self {
        let filter = filter_of(&look.filter);
        // What is asked for may come from an address that somebody wrote.
        let n = trace.accesses.len() as f64;
        let rows = look.rows.and_then(|rows| window::rows(rows, n)).unwrap_or((0.0, n));
        let places = look.places.and_then(window::places).unwrap_or(window::ALL_PLACES);
        Self {
            sides: filter.sides(&trace.accesses),
            axis: cache.axis(trace, &filter, look.is_linear),
            filter,
            rows,
            places,
        }
    }

    /// What is drawn, without a chosen access.
    fn plot<'a>(&'a self, accesses: &'a Accesses, grid: Option<&'a Grid>) -> Plot<'a> {
        Plot {
            accesses,
            sides: &self.sides,
            axis: &self.axis,
            rows: self.rows,
            places: self.places,
            grid,
            selected: None,
        }
    }
}

pub(super) fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, wire::Note) {
    let language = doc.language();
    let (trace, derived) = doc.parts();
    let view = View::new(trace, &derived.accesses, &frame.look);
    let n = trace.accesses.len();
    let area = plot(size);
    let tiling = tiling(&view.axis, n, view.rows, view.places, area);
    let grid = tiling.as_ref().map(|tiling| derived.accesses.grid(trace, &view.filter, &view.axis, tiling));
    let plot = Plot { selected: frame.selected, ..view.plot(&trace.accesses, grid.as_deref()) };
    let scene = draw_plot(&plot, size, &Dress { palette, language });
    let cell = tiling.as_ref().map_or((1, 1), |tiling| {
        let bytes = tiling.parts.iter().map(|p| 1_u64 << p.shift.min(63)).min();
        (1 << tiling.level.min(63), bytes.unwrap_or(1))
    });
    let number = |n: u64| thousands(i64::try_from(n).unwrap_or(i64::MAX));
    let last = (view.rows.1.ceil() as u32).min(n as u32).saturating_sub(1);
    let ends = [view.rows.0.max(0.0) as u32, last].map(|row| number(trace.accesses.position(row)));
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
        alt,
    };
    (scene, wire::Note::Access(note))
}

fn under(doc: &mut Document, frame: &Frame, size: Size, at: Point) -> Option<Under> {
    let area = plot(size);
    if !area.contains(at) {
        return None;
    }
    let (trace, derived) = doc.parts();
    let view = View::new(trace, &derived.accesses, &frame.look);
    let accesses = &trace.accesses;
    let Some(tiling) = tiling(&view.axis, accesses.len(), view.rows, view.places, area) else {
        let row = hit(&view.plot(accesses, None), size, at)?;
        return record(doc, row).map(|record| Under::Record(Box::new(record)));
    };
    let grid = derived.accesses.grid(trace, &view.filter, &view.axis, &tiling);
    let share = |at: f32, from: f32, room: f32| f64::from((at - from) / room);
    let row = view.rows.0 + share(at.x, area.x, area.w) * (view.rows.1 - view.rows.0);
    let place = view.places.1 - share(at.y, area.y, area.h) * (view.places.1 - view.places.0);
    let segment = view.axis.at(place)?;
    let number = u32::try_from(row.max(0.0) as u64 >> tiling.level).ok()?;
    let column = number.checked_sub(tiling.columns.start)? as usize;
    let part = tiling.parts.iter().position(|p| p.segment == segment)?;
    let first: usize = tiling.parts[..part].iter().map(|p| p.n as usize).sum();
    let part = &tiling.parts[part];
    let segment = view.axis.segments[segment];
    let own = (segment.address(place) >> part.shift).checked_sub(part.first)?;
    // The pointer is not exact to a pixel: the nearest cell with something, two above and below.
    let cells = grid.column(column);
    let counts = |row: i64| {
        let row = usize::try_from(row).ok().filter(|row| *row < part.n as usize)?;
        cells.get(first + row).filter(|cell| **cell != [0; 3]).map(|cell| (row as u64, *cell))
    };
    let (row, counts) = [0, 1, -1, 2, -2].iter().find_map(|by| counts(own.cast_signed() + by))?;
    let low = (part.first + row) << part.shift;
    let addresses = (low.max(segment.start), (low | ((1 << part.shift) - 1)).min(segment.last));
    let from = number << tiling.level;
    let to = (from + (1 << tiling.level)).min(accesses.len() as u32);
    let touches = |row: &u32| {
        let class = accesses.class(*row);
        let start = accesses.addresses()[*row as usize];
        view.sides.get(accesses.class_rows()[*row as usize]).is_some()
            && class.is_some_and(|c| segment.space.is_none_or(|space| space == c.space))
            && start <= addresses.1
            && addresses.0 <= access::last_of(start, accesses.bytes(*row))
    };
    let first = (from..to).find(touches)?;
    if counts.iter().sum::<u32>() == 1 {
        return record(doc, first).map(|record| Under::Record(Box::new(record)));
    }
    let space = segment.space.and_then(|s| accesses.spaces().get(usize::from(s)));
    Some(Under::Cell(Box::new(Cell {
        positions: (accesses.position(from), accesses.position(to.saturating_sub(1))),
        addresses,
        space: space.cloned().unwrap_or_default(),
        counts: counts.map(u64::from),
        first,
    })))
}
