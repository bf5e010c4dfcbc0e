//! Memory and interconnect: channels by banks, latencies, traffic.

use super::figures::{note, of};
use super::snapshot::{Snapshot, indices};
use super::tables::column;
use super::{Logs, snapshot};
use crate::analysis::contract::AnalysisInput;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::model::figure::{
    Axis, AxisLabel, Bar, BarRole, Bars, Body, Cell, Fact, Facts, Figure, HeatMap, Histogram,
    HistogramSeries, ScaleKind, TableFigure,
};
use std::collections::BTreeMap;

/// Most channels and banks of a matrix.
const SIDE: usize = 4_096;

/// The title that is chosen among those of a log.
fn title(input: &AnalysisInput, id: &str, (begin, end): (&str, &str), chosen: &[usize]) -> String {
    let number = id.rsplit('-').next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let log = input.trace.extensions.get::<Logs>().and_then(|logs| logs.0.get(number));
    let titles = log.map_or_else(Vec::new, |log| Snapshot::titles(log, begin, end));
    titles.get(chosen.first().copied().unwrap_or(0)).cloned().unwrap_or_default()
}

/// Channels by banks.
pub(super) fn banks(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let title = title(input, id, ("dram.", ""), chosen);
    let mut figure = of(input, id, |shown| {
        let mut cells: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (rest, value) in shown.under(&format!("dram.{title}[")) {
            let rest = format!("[{rest}");
            let mut numbers = indices(&rest).map_while(|index| index.parse::<usize>().ok());
            if let (Some(channel), Some(bank)) = (numbers.next(), numbers.next())
                && channel.max(bank) < SIDE
            {
                cells.insert((channel, bank), value.unwrap_or(f64::NAN));
            }
        }
        let height = cells.keys().map(|(channel, _)| channel + 1).max().unwrap_or(0);
        let width = cells.keys().map(|(_, bank)| bank + 1).max().unwrap_or(0);
        // Few rows say no more than there are: a large number alone must not make a large map.
        let is_dense = height.saturating_mul(width) <= cells.len().saturating_mul(16).max(256);
        let (height, width) = if is_dense { (height, width) } else { (0, 0) };
        let mut values = vec![f32::NAN; height * width];
        for ((channel, bank), value) in &cells {
            if let Some(place) = values.get_mut(channel * width + bank) {
                *place = HeatMap::cell(Some(*value).filter(|value| value.is_finite()));
            }
        }
        let axis = |name: &str, n: usize| Axis {
            label: AxisLabel { name: name.to_owned(), ..AxisLabel::default() },
            from: 0.0,
            to: n as f64,
            names: (0..n).map(|number| number.to_string()).collect(),
        };
        Body::HeatMap(HeatMap {
            x: axis(phrase("Bank"), width),
            y: axis(phrase("Channel"), height),
            width: u32::try_from(width).unwrap_or(0),
            height: u32::try_from(height).unwrap_or(0),
            values,
            ..HeatMap::default()
        })
    });
    figure.scope = super::caches::scoped(&figure.scope, &title);
    note(&mut figure, input, id);
    figure
}

/// Counts by latency, whose bins are powers of two.
pub(super) fn latencies(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let title = title(input, id, ("", "_lat_table"), chosen);
    let mut figure = of(input, id, |shown| {
        let mut counts = Vec::new();
        for (rest, value) in shown.under(&format!("{title}[")) {
            let Some(at) =
                rest.strip_suffix(']').and_then(|at| at.parse::<usize>().ok()).filter(|at| *at < 64)
            else {
                continue;
            };
            counts.resize(counts.len().max(at + 1), 0.0);
            if let Some(place) = counts.get_mut(at) {
                *place = value.unwrap_or(0.0);
            }
        }
        let used = counts.iter().rposition(|count| *count != 0.0).map_or(1, |last| last + 1);
        counts.truncate(used);
        let edges = (0..=counts.len()).map(|at| 2_f64.powi(i32::try_from(at).unwrap_or(0))).collect();
        let x = AxisLabel { name: phrase("Latency").to_owned(), unit: Unit::Cycles, scale: ScaleKind::Log };
        let series = vec![HistogramSeries { name: title.clone(), counts, values: Vec::new() }];
        Body::Histogram(Histogram { x, edges, series, ..Histogram::default() })
    });
    figure.notes.push(message("Latencies of 0 and 1 stand in one bin."));
    figure
}

/// Bytes by type and direction.
pub(super) fn traffic(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    of(input, id, |shown| {
        let bars = shown.under("traffic_breakdown_").filter_map(|(rest, value)| {
            let (way, kind) = rest.split_once('[')?;
            let way = match way {
                "coretomem" => "→ memory",
                "memtocore" => "→ core",
                other => other,
            };
            let name = format!("{} {way}", kind.trim_end_matches(']'));
            Some(Bar { name, values: vec![value], role: BarRole::Work, detail: String::new() })
        });
        Body::Bars(Bars { unit: Unit::Bytes, bars: bars.collect(), ..Bars::default() })
    })
}

/// What is said of the interconnect.
pub(super) fn interconnect(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let is_own =
            |key: &str| ["Req_", "Reply_", "icnt_total", "icnt."].iter().any(|begin| key.starts_with(begin));
        let own = shown.all().filter(|(key, ..)| is_own(key));
        let fact = |(key, _, value): (&str, Option<f64>, Option<f64>)| Fact {
            name: key.trim_start_matches("icnt.").to_owned(),
            value: Cell::number(value),
            unit: Unit::None,
        };
        Body::Facts(Facts { facts: own.map(fact).collect() })
    });
    note(&mut figure, input, id);
    figure
}

/// A row for each channel.
pub(super) fn channels(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let mut figure = of(input, id, |shown| {
        let (units, fields) = shown.units("DRAM");
        let names = fields.iter().map(|field| column(field, Unit::None));
        let columns = std::iter::once(column(phrase("Channel"), Unit::None)).chain(names).collect();
        let row = |(channel, values): (&u32, &Vec<Option<f64>>)| {
            let cells = values.iter().map(|value| Cell::number(*value));
            std::iter::once(Cell::Integer(u64::from(*channel))).chain(cells).collect()
        };
        let rows = units.iter().map(row).collect();
        Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() })
    });
    if snapshot(input, id).is_some() {
        note(&mut figure, input, id);
    }
    figure
}
