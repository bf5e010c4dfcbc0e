//! GainSight: lifetimes over a log axis with retention marks, write frequency against lifetime, residents over time.

use super::{Random, axis};
use lanescope::analysis::bins::edges;
use lanescope::base::unit::Unit;
use lanescope::model::figure::{
    AxisLabel, Body, Figure, Histogram, HistogramSeries, Line, LineChart, Mark, PlotPoint, ScaleKind,
    Scatter, ScatterSeries,
};

/// L1 and L2 lifetimes from 10 ns to 100 µs: 16 bins, marks at 1 and 10 µs.
pub(crate) fn lifetimes() -> Figure {
    let series = |name: &str, counts: [u32; 16]| HistogramSeries {
        name: name.into(),
        counts: counts.map(f64::from).to_vec(),
        values: Vec::new(),
    };
    let histogram = Histogram {
        x: AxisLabel { name: "lifetime".into(), unit: Unit::Nanos, scale: ScaleKind::Log },
        count_unit: Unit::Count("lifetimes".into()),
        edges: edges(10.0, 100_000.0, 16, ScaleKind::Log),
        series: vec![
            series("L1", [0, 4, 20, 61, 120, 180, 240, 300, 210, 140, 90, 40, 18, 6, 1, 0]),
            series("L2", [0, 0, 2, 9, 30, 70, 110, 160, 240, 320, 280, 190, 120, 60, 20, 4]),
        ],
        marks: vec![
            Mark { name: "silicon".into(), value: 1_000.0 },
            Mark { name: "hybrid".into(), value: 10_000.0 },
        ],
        can_move_marks: true,
        is_cumulative: false,
    };
    Figure { scope: "kernel 25, last use".into(), ..Figure::new("Lifetimes", Body::Histogram(histogram)) }
}

/// A point for each kernel: write frequency against median lifetime.
pub(crate) fn plane() -> Figure {
    let mut random = Random(7);
    let mut series = |name: &str, n: usize, shift: f64| {
        let points = (0..n).map(|i| PlotPoint {
            x: 10_f64.powf(1.0 + 2.0 * random.next()),
            y: 10_f64.powf(shift + 2.0 * random.next()),
            name: format!("kernel {i}"),
        });
        ScatterSeries { name: name.into(), points: points.collect() }
    };
    let log = |name: &str, unit: Unit| AxisLabel { name: name.into(), unit, scale: ScaleKind::Log };
    let scatter = Scatter {
        x: log("write frequency", Unit::Megahertz),
        y: log("median lifetime", Unit::Nanos),
        series: vec![series("L1", 40, 1.0), series("L2", 40, 2.0)],
        ..Scatter::default()
    };
    Figure::new("Lifetime and write frequency", Body::Scatter(scatter))
}

/// Resident sectors over time, with a gap.
pub(crate) fn residents() -> Figure {
    let y = [Some(0.0), Some(800.0), Some(2_400.0), None, Some(2_996.0), Some(1_100.0), Some(90.0)];
    let line = Line {
        name: String::new(),
        x: (0..7).map(|i| f64::from(i) * 2_000.0).collect(),
        y: y.to_vec(),
        is_stepped: true,
    };
    let chart = LineChart {
        x: axis("time", Unit::Cycles),
        y: axis("residents", Unit::Count("sectors".into())),
        lines: vec![line],
        marks: vec![Mark { name: "peak".into(), value: 8_000.0 }],
    };
    Figure::new("Resident sectors", Body::Lines(chart))
}
