//! Launches and maps as tables, and what launches spend their time on.

use super::{Times, size};
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::{Bar, BarRole, Bars, Body, Cell, Figure, TableColumn, TableOf, Target};
use crate::systems::neutrino::folder::{Folder, Launch};
use crate::systems::neutrino::result::Section;

/// Bars of launches that are shown; the table has all.
const BARS: usize = 200;

/// When the first launch begins.
pub(super) fn start(folder: &Folder) -> Option<Ticks> {
    folder.launches.iter().filter_map(|launch| Some(Times::of(launch)?.start)).min()
}

/// All launches, in the order of the log.
pub(super) fn launches(folder: &Folder) -> Figure {
    let has_impact = folder.launches.iter().any(|launch| launch.impact.is_some());
    let first = start(folder).unwrap_or(0);
    let place = |launch: &Launch| {
        let span = Times::of(launch).map(|times| Span::new(times.start, times.end));
        Cell::text(&span.map_or_else(String::new, |span| Target::place_since(span, first)))
    };
    let result = |launch: &Launch| {
        let path = launch.result.as_deref().unwrap_or("");
        Cell::text(path.rsplit('/').next().unwrap_or(path))
    };
    let launches: Vec<_> = (1_u64..).zip(&folder.launches).collect();
    let mut table = TableOf::new(&launches)
        .column(phrase("Kernel"), Unit::None, |(_, launch)| Cell::text(&launch.name))
        .column("#", Unit::None, |(number, _)| *number)
        .with(TableColumn::place(phrase("Since start, s")), |(_, launch)| place(launch))
        .column(phrase("Blocks"), Unit::None, |(_, launch)| size(launch.grid))
        .column(phrase("Threads"), Unit::None, |(_, launch)| size(launch.block))
        .words(phrase("Status"), |(_, launch)| launch.status.name())
        .column(phrase("Result"), Unit::None, |(_, launch)| result(launch))
        .column(phrase("Probe memory"), Unit::Bytes, |(_, launch)| launch.probe_bytes)
        .column(phrase("Prologue"), Unit::Millis, |(_, launch)| launch.prologue)
        .column(phrase("Kernel time"), Unit::Millis, |(_, launch)| launch.kernel_ms)
        .column(phrase("Epilogue"), Unit::Millis, |(_, launch)| launch.epilogue)
        .column(phrase("Host overhead"), Unit::Millis, |(_, launch)| launch.host_overhead());
    if has_impact {
        table = table
            .column(phrase("Kernel time without probes"), Unit::Millis, |(_, launch)| launch.original)
            .column(phrase("Kernel slowdown"), Unit::None, |(_, launch)| launch.impact);
    }
    let mut figure = table.figure();
    figure.notes.extend(notes(folder));
    figure
}

/// What the cost of probes is made of, and how much of it the log knows.
pub(super) fn notes(folder: &Folder) -> [crate::base::words::Message; 2] {
    let overhead = phrase(
        "Host overhead: prologue + epilogue, the host time for allocating maps and copying them back. It includes compiling a kernel with its probes before its first launch.",
    );
    let slowdown = if folder.launches.iter().any(|launch| launch.impact.is_some()) {
        phrase("Kernel slowdown: kernel time with probes / without, both measured in a benchmark run.")
    } else {
        phrase(
            "The kernel slowdown by probes is unknown: only a benchmark run measures kernels without probes.",
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
    let first = folder.tensors.iter().map(|tensor| tensor.time).min().unwrap_or(0);
    TableOf::new(&folder.tensors)
        .column(phrase("Tensor"), Unit::None, |tensor| Cell::text(&tensor.name))
        .column(phrase("Shape"), Unit::None, |tensor| Cell::text(&tensor.shape))
        .column(phrase("Size"), Unit::Bytes, |tensor| tensor.bytes)
        .column(phrase("Address"), Unit::Address, |tensor| tensor.pointer)
        .column(phrase("Function"), Unit::None, |tensor| Cell::text(&tensor.function))
        .column(phrase("Called at"), Unit::None, |tensor| Cell::text(&tensor.place))
        .column(phrase("Since the first call"), Unit::Nanos, |tensor| tensor.time - first)
        .figure()
}

/// What the result of the document holds, and where.
pub(super) fn maps(folder: &Folder) -> Figure {
    let fields = |section: &Section| {
        let fields = section.map.fields.iter().map(|field| format!("{} u{}", field.name, 8 * field.width));
        Cell::text(&fields.collect::<Vec<_>>().join(", "))
    };
    let level = |section: &Section| if section.map.is_warp { phrase("warp") } else { phrase("thread") };
    TableOf::new(folder.result.as_ref().map_or(&[][..], |result| &result.sections))
        .column(phrase("Map"), Unit::None, |section| Cell::text(&section.map.name))
        .words(phrase("Level"), level)
        .column(phrase("Fields"), Unit::None, fields)
        .column(phrase("Record"), Unit::Bytes, |section| section.map.record_bytes())
        .column(phrase("Records per unit"), Unit::None, Section::records_per_unit)
        .column(phrase("Units"), Unit::None, |section| section.units)
        .column(phrase("Units in the buffer"), Unit::None, |section| section.addressed)
        .column(phrase("Offset"), Unit::None, |section| section.start)
        .column(phrase("Declared offset"), Unit::None, |section| section.declared)
        .figure()
}
