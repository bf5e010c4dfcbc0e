//! How much work each unit did: the lengths of its slices, weighted, and the bytes that it accessed.
//!
//! `work(unit) = weight(unit) × Σ length of its slices of at least the least length`. Equal to adding the lines of the file
//! up by hand.

use super::reader::Maps;
use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure, FigureHead};
use crate::base::job::{Job, Turn};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::access::Access;
use crate::model::build::Tap;
use crate::model::figure::{Body, Figure, Matrix, MatrixCell, TableOf};
use crate::model::parameter::{Parameter, ParameterKind, Values};

/// The analysis.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "demo-work",
    title: phrase("Work by unit"),
    parameters: &[&LEAST, &WEIGHTS],
    applies: |trace| trace.extensions.get::<Maps>().is_some() || !units(trace).is_empty(),
    tap: Some(|_| Box::new(Bytes::default())),
    start: Some(|input, trace| {
        let (values, bytes) = (input.values.clone(), input.collected::<Bytes>().cloned().unwrap_or_default());
        Job::any(async move |turn| add(&trace, &values, &bytes, &turn).await)
    }),
    add_tracks: None,
    faults: None,
    figures,
    advice: None,
    is_comparable: true,
};

/// A number: slices that are shorter do not count.
static LEAST: Parameter = Parameter {
    id: "demo-least",
    title: phrase("Minimum length"),
    help: phrase("ignore shorter slices"),
    kind: ParameterKind::Number { unit: Unit::Nanos, min: 0.0, max: 1e9, default: 0.0, none: "" },
    rereads: false,
};

/// A table: what each unit's time is multiplied by. Every unit weighs 1 when nobody sets it.
static WEIGHTS: Parameter = Parameter {
    id: "demo-weights",
    title: phrase("Weights"),
    help: phrase("time factor per unit"),
    kind: ParameterKind::Table {
        columns: &[(phrase("Unit"), Unit::None), (phrase("Weight"), Unit::None)],
        default: |trace| units(trace).into_iter().map(|unit| vec![unit, "1".to_owned()]).collect(),
    },
    rereads: false,
};

/// Names of the tracks, in their order.
fn units(trace: &Trace) -> Vec<String> {
    if trace.extensions.get::<Maps>().is_none() {
        return Vec::new();
    }
    trace.tracks.iter().map(|(_, track)| trace.strings.get(track.name).to_owned()).collect()
}

/// Bytes of accesses and their greatest address, by the row of their class: counted while they pass, none is kept.
#[derive(Clone, Default)]
struct Bytes(Map<u32, (u64, u64)>);

impl Tap for Bytes {
    fn access(&mut self, row: &Access) {
        let (sum, last) = self.0.entry(row.class).or_default();
        (*sum, *last) = (sum.saturating_add(row.bytes), row.address.max(*last));
    }
}

/// One unit with its work and its bytes.
pub(super) struct UnitWork {
    pub(super) name: String,
    /// Weighted nanoseconds.
    pub(super) work: f64,
    /// Bytes that it accessed.
    pub(super) bytes: u64,
    /// Its greatest address, when it accessed any.
    last: Option<u64>,
}

/// The result: units in the order of the file.
pub(super) type Work = Vec<UnitWork>;

/// Adds up, and gives way between tracks.
async fn add(trace: &Trace, values: &Values, bytes: &Bytes, turn: &Turn) -> Work {
    let mut work = Vec::new();
    let least = values.number(LEAST.id).unwrap_or(0.0);
    let weights = values.table(WEIGHTS.id).unwrap_or(&[]);
    for (id, track) in trace.tracks.iter() {
        let name = trace.strings.get(track.name);
        // Steps that are related to no time are no work.
        let nanos = trace.clock_of(id).relation.and(trace.clock.nanos()).unwrap_or(0.0);
        let lengths = track.slices.durs().map(|dur| dur as f64 * nanos).filter(|dur| least <= *dur);
        let row = weights.iter().find(|row| row.first().is_some_and(|unit| unit == name));
        let weight: f64 = row.and_then(|row| row.get(1)?.parse().ok()).unwrap_or(1.0);
        let classes = (0u32..).zip(trace.accesses.classes());
        let own = classes.filter(|(_, class)| trace.accesses.unit_name(class) == name);
        let sums = own.filter_map(|(class, _)| bytes.0.get(&class).copied());
        let bytes = sums.reduce(|a, b| (a.0.saturating_add(b.0), a.1.max(b.1)));
        work.push(UnitWork {
            name: name.to_owned(),
            work: weight * lengths.sum::<f64>(),
            bytes: bytes.map_or(0, |(bytes, _)| bytes),
            last: bytes.map(|(_, last)| last),
        });
        turn.pause().await;
    }
    work
}

/// A table of the work, and a figure for each map of the file.
fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let head = |id: String, title: String, kind| FigureHead {
        id,
        title,
        kind,
        section: phrase("Work by unit"),
        columns: 1,
        choices: Vec::new(),
    };
    let has_work = input.result::<Work>().is_some();
    let work = has_work.then(|| ComputedFigure {
        head: head("demo-work".to_owned(), phrase("Work by unit").to_owned(), "table"),
        compute: |input, _, _| work(input),
    });
    let maps = input.trace.extensions.get::<Maps>().map_or(&[][..], |maps| &maps.0);
    let maps = maps.iter().enumerate().map(|(n, map)| ComputedFigure {
        head: head(format!("demo-map-{n}"), map.name.clone(), "matrix"),
        compute: |input, id, _| map_figure(input, id),
    });
    work.into_iter().chain(maps).collect()
}

fn work(input: &AnalysisInput) -> Figure {
    TableOf::new(input.result::<Work>().map_or(&[][..], Vec::as_slice))
        .column(phrase("Unit"), Unit::None, |unit| &unit.name)
        .bars(phrase("Work"), Unit::Nanos, |unit| unit.work)
        .column(phrase("Bytes"), Unit::Bytes, |unit| unit.bytes)
        .column(phrase("Last address"), Unit::Address, |unit| unit.last)
        .figure()
}

fn map_figure(input: &AnalysisInput, id: &str) -> Figure {
    let number = id.rsplit('-').next().and_then(|n| n.parse::<usize>().ok());
    let maps = input.trace.extensions.get::<Maps>();
    let map = number.and_then(|number| maps?.0.get(number));
    let matrix = map.map_or_else(Matrix::default, |map| Matrix {
        columns: (0..map.columns).map(|n| n.to_string()).collect(),
        rows: (0..map.values.len() / map.columns).map(|n| n.to_string()).collect(),
        cells: map.values.iter().map(|v| MatrixCell { value: Some(*v), ..MatrixCell::default() }).collect(),
        ..Matrix::default()
    });
    Figure::new("", Body::Matrix(matrix))
}
