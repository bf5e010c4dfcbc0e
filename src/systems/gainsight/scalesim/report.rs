//! The reports of a run: tables with commas, a row for each layer; and its configuration.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::systems::gainsight::lines::Lines;

/// How each kind of report begins, behind `LayerID`.
pub(super) const KINDS: [&str; 3] = ["Total Cycles", "Avg IFMAP SRAM BW", "SRAM IFMAP Start Cycle"];

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Report {
    /// Heads behind that of the layer, without units.
    pub(super) heads: Vec<(String, Unit)>,
    /// Number of the layer and what is said of it; as many cells as there are heads.
    pub(super) rows: Vec<(u64, Vec<Option<f64>>)>,
}

/// Most columns that are read.
const COLUMNS: usize = 256;

/// The cells of a row, without the comma that ends it.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim();
    line.strip_suffix(',').unwrap_or(line).split(',').map(str::trim).take(COLUMNS)
}

/// The kind of a report by its first line.
pub(super) fn kind(line: &str) -> Option<usize> {
    let mut cells = cells(line);
    let first = cells.next().filter(|cell| *cell == "LayerID").and(cells.next())?;
    KINDS.iter().position(|kind| *kind == first)
}

fn head(kind: usize, cell: &str) -> (String, Unit) {
    let unit = match kind {
        _ if cell.ends_with(" %") => Unit::Percent,
        _ if cell.ends_with("Cycle") || cell.ends_with("Cycles") => Unit::Cycles,
        1 => Unit::PerCycle,
        _ => Unit::None,
    };
    (cell.strip_suffix(" %").unwrap_or(cell).to_owned(), unit)
}

impl Report {
    /// Reads a report.
    pub(super) fn read(bytes: &[u8], kind: usize, path: &str, sink: &mut Sink) -> Self {
        let (mut report, mut lines) = (Self::default(), Lines::default());
        let mut rows = Vec::new();
        let mut take = |line: crate::systems::gainsight::lines::Line| {
            rows.push((String::from_utf8_lossy(line.bytes).into_owned(), line.at, line.number));
        };
        lines.feed(bytes, &mut take);
        lines.finish(&mut take);
        for (text, at, number) in rows {
            if number == 1 {
                report.heads = cells(&text).skip(1).map(|cell| head(kind, cell)).collect();
                continue;
            }
            let place = || Place::byte(path, at).line(number, 1);
            let Some(layer) = cells(&text).next().and_then(|cell| cell.parse().ok()) else {
                if !text.trim().is_empty() {
                    let expected = phrase("the number of a layer").into();
                    let kind = Kind::Unexpected { expected, found: excerpt(text.as_bytes()).into() };
                    let fault = Fault::new("SCS-REPORT", Severity::Loss, place(), kind);
                    sink.fault(fault.note(phrase("The row is skipped.")));
                }
                continue;
            };
            let mut values: Vec<Option<f64>> = cells(&text).skip(1).map(|cell| cell.parse().ok()).collect();
            let is_whole = values.len() == report.heads.len() && values.iter().all(Option::is_some);
            if !is_whole {
                let expected = phrase("a number for each column").into();
                let kind = Kind::Unexpected { expected, found: excerpt(text.as_bytes()).into() };
                let fault = Fault::new("SCS-REPORT", Severity::Loss, place(), kind);
                sink.fault(fault.note(phrase("What is missing is shown as such.")));
            }
            values.resize(report.heads.len(), None);
            report.rows.push((layer, values));
        }
        report
    }

    /// What a column says of a layer.
    pub(super) fn value(&self, layer: u64, column: usize) -> Option<f64> {
        let (_, values) = self.rows.iter().find(|(number, _)| *number == layer)?;
        values.get(column).copied().flatten()
    }
}

/// The keys and values of a configuration: `ArrayHeight:    8`, `Dataflow = ws`.
pub(super) fn settings(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (key, value) = line.split_once([':', '='])?;
        let (key, value) = (key.trim(), value.trim());
        (!key.is_empty() && !value.is_empty() && !key.starts_with(['#', ';', '[']))
            .then(|| (key.to_owned(), value.to_owned()))
    };
    text.lines().filter_map(line).collect()
}
