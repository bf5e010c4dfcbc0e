//! Launches and maps as tables, and what launches spend their time on.

use super::{Times, column, size, text, whole};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Figure, TableColumn, TableFigure, Target};
use crate::systems::neutrino::folder::{Folder, Launch, Tensor};

/// Bars of launches that are shown; the table has all.
const BARS: usize = 200;

/// When the first launch begins.
pub(super) fn start(folder: &Folder) -> Option<Ticks> {
    folder.launches.iter().filter_map(|launch| Some(Times::of(launch)?.start)).min()
}

/// All launches, in the order of the log.
pub(super) fn launches(folder: &Folder) -> Figure {
    let has_impact = folder.launches.iter().any(|launch| launch.impact.is_some());
    let mut columns = vec![
        column(phrase("Kernel"), Unit::None),
        column("#", Unit::None),
        TableColumn { is_place: true, ..column(phrase("Since start, s"), Unit::None) },
        column(phrase("Blocks"), Unit::None),
        column(phrase("Threads"), Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Status"), Unit::None) },
        column(phrase("Result"), Unit::None),
        column(phrase("Probe memory"), Unit::Bytes),
        column(phrase("Prologue"), Unit::Millis),
        column(phrase("Kernel time"), Unit::Millis),
        column(phrase("Epilogue"), Unit::Millis),
        column(phrase("Host overhead"), Unit::Millis),
    ];
    if has_impact {
        columns.push(column(phrase("Kernel time without probes"), Unit::Millis));
        columns.push(column(phrase("Kernel slowdown"), Unit::None));
    }
    let first = start(folder).unwrap_or(0);
    let row = |(i, launch): (usize, &Launch)| {
        let span = Times::of(launch).map(|times| Span::new(times.start, times.end));
        let place = span.map_or_else(String::new, |span| Target::place_since(span, first));
        let result = launch.result.as_deref().map_or("", |path| path.rsplit('/').next().unwrap_or(path));
        let mut row = vec![
            text(&launch.name),
            Cell::Integer(i as u64 + 1),
            text(&place),
            Cell::Text(size(launch.grid)),
            Cell::Text(size(launch.block)),
            text(launch.status.name()),
            text(result),
            whole(launch.probe_bytes),
            Cell::number(launch.prologue),
            Cell::number(launch.kernel_ms),
            Cell::number(launch.epilogue),
            Cell::number(launch.host_overhead()),
        ];
        if has_impact {
            row.push(Cell::number(launch.original));
            row.push(Cell::number(launch.impact));
        }
        row
    };
    let rows = folder.launches.iter().enumerate().map(row).collect();
    let table = TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() };
    let mut figure = Figure::new("", Body::Table(table));
    figure.notes.extend(notes(folder));
    figure
}

/// What the cost of probes is made of, and how much of it the log knows.
pub(super) fn notes(folder: &Folder) -> [crate::base::words::Message; 2] {
    let overhead = phrase(
        "Host overhead: prologue + epilogue, the time of the host to make memory for maps and to copy it back. Before the first launch of a kernel it is compiled with its probes too.",
    );
    let slowdown = if folder.launches.iter().any(|launch| launch.impact.is_some()) {
        phrase("Kernel slowdown: time of the kernel with probes / without, as a benchmark run measured both.")
    } else {
        phrase(
            "How much slower kernels themselves run with probes is not known: only a benchmark run measures them without probes.",
        )
    };
    [overhead.into(), slowdown.into()]
}

/// Prologue, kernel and epilogue of each launch.
pub(super) fn parts(folder: &Folder) -> Figure {
    let timed = || folder.launches.iter().enumerate().filter(|(_, launch)| launch.kernel_ms.is_some());
    // The number among the launches of one kernel: that means the same in another log.
    let mut numbers: Map<&str, u64> = Map::default();
    let of_kernel: Vec<u64> = folder
        .launches
        .iter()
        .map(|launch| {
            let number = numbers.entry(&launch.name).or_default();
            *number += 1;
            *number
        })
        .collect();
    let bar = |(i, launch): (usize, &Launch)| Bar {
        name: format!("{} #{}", launch.name, of_kernel.get(i).copied().unwrap_or(0)),
        values: vec![launch.prologue, launch.kernel_ms, launch.epilogue],
        role: BarRole::Work,
        detail: String::new(),
    };
    let bars = Bars {
        unit: Unit::Millis,
        parts: [phrase("Prologue"), phrase("Kernel"), phrase("Epilogue")].map(str::to_owned).to_vec(),
        bars: timed().take(BARS).map(bar).collect(),
        ..Bars::default()
    };
    let mut figure = Figure::new("", Body::Bars(bars));
    let n = timed().count();
    if BARS < n {
        let note = crate::base::words::message("The first {n} of {m} launches.").with("n", BARS);
        figure.notes.push(note.with("m", n));
    }
    figure
}

/// The tensors that functions were called with.
pub(super) fn tensors(folder: &Folder) -> Figure {
    let columns = vec![
        column(phrase("Tensor"), Unit::None),
        column(phrase("Shape"), Unit::None),
        column(phrase("Size"), Unit::Bytes),
        column(phrase("Address"), Unit::Address),
        column(phrase("Function"), Unit::None),
        column(phrase("Called at"), Unit::None),
        column(phrase("Since the first call"), Unit::Nanos),
    ];
    let first = folder.tensors.iter().map(|tensor| tensor.time).min().unwrap_or(0);
    let row = |tensor: &Tensor| {
        vec![
            text(&tensor.name),
            text(&tensor.shape),
            Cell::Integer(tensor.bytes),
            Cell::Integer(tensor.pointer),
            text(&tensor.function),
            text(&tensor.place),
            Cell::Integer(tensor.time - first),
        ]
    };
    let rows = folder.tensors.iter().map(row).collect();
    Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
}

/// What the result of the document holds, and where.
pub(super) fn maps(folder: &Folder) -> Figure {
    let columns = vec![
        column(phrase("Map"), Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Level"), Unit::None) },
        column(phrase("Fields"), Unit::None),
        column(phrase("Record"), Unit::Bytes),
        column(phrase("Records of a unit"), Unit::None),
        column(phrase("Units"), Unit::None),
        column(phrase("Units in use"), Unit::None),
        column(phrase("Offset"), Unit::None),
        column(phrase("Declared offset"), Unit::None),
    ];
    let sections = folder.result.iter().flat_map(|result| &result.sections);
    let row = |section: &crate::systems::neutrino::result::Section| {
        let fields = section.map.fields.iter().map(|field| format!("{} u{}", field.name, 8 * field.width));
        vec![
            text(&section.map.name),
            text(if section.map.is_warp { phrase("warp") } else { phrase("thread") }),
            text(&fields.collect::<Vec<_>>().join(", ")),
            Cell::Integer(section.map.record_bytes()),
            Cell::Integer(section.records_per_unit()),
            Cell::Integer(section.units),
            Cell::Integer(section.addressed),
            Cell::Integer(section.start),
            Cell::Integer(section.declared),
        ]
    };
    let table =
        TableFigure { columns, rows: sections.map(row).collect(), key_columns: 1, ..TableFigure::default() };
    Figure::new("", Body::Table(table))
}
