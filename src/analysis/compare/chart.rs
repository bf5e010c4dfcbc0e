//! Comparison of charts: both in one plot, the baseline's series as A, the comparison's as B.

use super::{
    a as of_a, b as of_b, differ::COUNTS, differ::HORIZONTAL, differ::VALUE_AXIS, differ::VERTICAL, same,
};
use crate::analysis::bins::{common_edges, count, edges_of, rebin};
use crate::base::order;
use crate::model::figure::{
    AxisLabel, Gantt, GanttBar, GanttLane, Histogram, HistogramSeries, LineChart, Mark, Roofline, ScaleKind,
    Scatter,
};

/// Axes can carry both when they mean the same.
fn same_axis(which: &str, a: &AxisLabel, b: &AxisLabel) -> Result<(), String> {
    same(which, &(&a.unit, a.scale), &(&b.unit, b.scale))
}

/// All roofs, each with its letter, those of the baseline first.
pub(super) fn roofline(a: &Roofline, b: &Roofline) -> Roofline {
    let mut out = Roofline { roofs: Vec::new(), n_baseline: a.roofs.len(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for roof in &side.roofs {
            let mut roof = roof.clone();
            roof.bandwidth_name = letter(&roof.bandwidth_name);
            out.roofs.push(roof);
        }
    }
    out
}

/// Both counted anew over the bins of all their values. Where values are not at hand, over the bins that have the edges of
/// both; a bin that is cut gives each part its share of the width.
pub(super) fn histogram(a: &Histogram, b: &Histogram) -> Result<Histogram, String> {
    same_axis(VALUE_AXIS, &a.x, &b.x)?;
    same(COUNTS, &a.count_unit, &b.count_unit)?;
    let all_series = || a.series.iter().chain(&b.series);
    let has_values = a.x.scale == ScaleKind::Linear && all_series().all(|s| !s.values.is_empty());
    let edges = if has_values {
        let mut values: Vec<f64> = all_series().flat_map(|s| &s.values).copied().collect();
        order::sort_floats(&mut values);
        edges_of(&values)
    } else {
        common_edges(&a.edges, &b.edges)
    };
    let mut series = Vec::new();
    let mut marks: Vec<Mark> = b.marks.clone();
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for s in &side.series {
            let counts = if has_values {
                count(s.values.iter().copied(), &edges).counts
            } else {
                rebin(&s.counts, &side.edges, &edges, side.x.scale)
            };
            series.push(HistogramSeries { name: letter(&s.name), counts, values: s.values.clone() });
        }
    }
    let is_new = |m: &&Mark| !b.marks.contains(m);
    marks.extend(a.marks.iter().filter(is_new).map(|m| Mark { name: of_a(&m.name), value: m.value }));
    Ok(Histogram { edges, series, marks, ..b.clone() })
}

/// All series, each with its letter.
pub(super) fn scatter(a: &Scatter, b: &Scatter) -> Result<Scatter, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    same_axis(VERTICAL, &a.y, &b.y)?;
    // Colors tell both sides apart.
    let mut out = Scatter { series: Vec::new(), colors: Vec::new(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for series in &side.series {
            let mut series = series.clone();
            series.name = letter(&series.name);
            out.series.push(series);
        }
    }
    Ok(out)
}

/// All lines, each with its letter.
pub(super) fn lines(a: &LineChart, b: &LineChart) -> Result<LineChart, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    same_axis(VERTICAL, &a.y, &b.y)?;
    let mut out = LineChart { lines: Vec::new(), ..b.clone() };
    for (side, letter) in [(a, of_a as fn(&str) -> String), (b, of_b)] {
        for line in &side.lines {
            let mut line = line.clone();
            line.name = letter(&line.name);
            out.lines.push(line);
        }
    }
    Ok(out)
}

/// Group by group, the lanes of the baseline above those of the comparison.
pub(super) fn gantt(a: &Gantt, b: &Gantt) -> Result<Gantt, String> {
    same_axis(HORIZONTAL, &a.x, &b.x)?;
    let mut groups: Vec<&str> = Vec::new();
    for lane in b.lanes.iter().chain(&a.lanes) {
        if !groups.contains(&lane.group.as_str()) {
            groups.push(&lane.group);
        }
    }
    let mut lanes: Vec<GanttLane> = Vec::new();
    let mut places = [vec![0_u32; a.lanes.len()], vec![0_u32; b.lanes.len()]];
    for group in groups {
        for ((side, letter), place) in
            [(a, of_a as fn(&str) -> String), (b, of_b)].into_iter().zip(&mut places)
        {
            for (i, lane) in side.lanes.iter().enumerate().filter(|(_, l)| l.group == group) {
                if let Some(place) = place.get_mut(i) {
                    *place = lanes.len() as u32;
                }
                // A lane without group is named itself, so that both names stay apart.
                let named = if group.is_empty() { letter(&lane.name) } else { lane.name.clone() };
                let group = if group.is_empty() { String::new() } else { letter(group) };
                lanes.push(GanttLane { group, name: named });
            }
        }
    }
    let moved = |side: &Gantt, place: &[u32]| -> Vec<GanttBar> {
        let moved = side
            .bars
            .iter()
            .filter_map(|bar| Some(GanttBar { lane: *place.get(bar.lane as usize)?, ..bar.clone() }));
        moved.collect()
    };
    let mut bars = moved(a, &places[0]);
    bars.extend(moved(b, &places[1]));
    Ok(Gantt { lanes, bars, ..b.clone() })
}
