//! Neutrino: the schedule of blocks on 132 SMs, and memory accesses by page and clock (DMAT).

use super::{Random, axis};
use lanescope::base::unit::Unit;
use lanescope::model::figure::{
    Axis, Band, Body, Figure, Fold, Gantt, GanttBar, GanttLane, HeatMap, Ramp, Shading,
};

/// Streaming multiprocessors.
pub(crate) const SMS: u32 = 132;

/// Two resident blocks on each of 132 SMs, one after the other until the kernel ends; block 77 is the longest.
pub(crate) fn schedule() -> Figure {
    let mut random = Random(11);
    let mut bars = Vec::new();
    let mut lanes = Vec::new();
    for sm in 0..SMS {
        for resident in 0..2 {
            let lane = lanes.len() as u32;
            lanes.push(GanttLane { group: format!("SM {sm}"), name: resident.to_string() });
            let mut t = (random.next() * 400.0).floor();
            while t < 100_000.0 {
                let is_longest = bars.len() == 77;
                let elapsed =
                    if is_longest { 19_000.0 } else { (12_000.0 + random.next() * 5_000.0).floor() };
                let name = format!("block {}", bars.len());
                bars.push(GanttBar { lane, start: t, end: t + elapsed, name, value: Some(elapsed) });
                t += elapsed + (random.next() * 300.0).floor();
            }
        }
    }
    let gantt = Gantt {
        x: axis("clock", Unit::Cycles),
        lanes,
        bars,
        value: axis("elapsed", Unit::Cycles),
        is_nested: false,
        has_idle: true,
        outlined: None,
    };
    let notes = vec!["Each SM begins at its own first block.".into()];
    Figure {
        scope: "132 SMs, 2 blocks resident".into(),
        notes,
        ..Figure::new("Block schedule", Body::Gantt(gantt))
    }
}

/// Pages, low addresses at the bottom, over clock; five tensors.
pub(crate) fn dmat() -> Figure {
    let (width, height) = (240, 120);
    let tensors = [("Q", 0, 36), ("K", 36, 52), ("V", 52, 68), ("O", 68, 104), ("mask", 104, 120)];
    let mut random = Random(3);
    let mut values = vec![0.0_f32; (width * height) as usize];
    for (_, start, end) in tensors {
        for x in 0..width {
            // Each tensor is walked over eight times.
            let wave = f64::from(x) / f64::from(width) * 8.0;
            let y = start + (wave.fract() * f64::from(end - start)) as u32;
            values[(y * width + x) as usize] = (1.0 + random.next() * 40.0).floor() as f32;
        }
    }
    let band = |(name, start, end): (&str, u32, u32)| Band {
        name: name.into(),
        detail: "4096 × 128, fp16".into(),
        start,
        end,
    };
    let map = HeatMap {
        x: Axis { label: axis("clock", Unit::Cycles), from: 0.0, to: 118_400.0, names: Vec::new() },
        y: Axis {
            label: axis("pages, lowest address at the bottom", Unit::None),
            from: 0.0,
            to: 120.0,
            names: Vec::new(),
        },
        is_upward: true,
        unit: Unit::Count("accesses".into()),
        width,
        height,
        values,
        ramp: Ramp::Seq,
        shading: Shading::Quintiles,
        fold: Fold::Sum,
        bands: tensors.map(band).to_vec(),
        has_margins: true,
        ..HeatMap::default()
    };
    Figure {
        scope: "120 pages × 118,400 cycles".into(),
        ..Figure::new("Memory accesses", Body::HeatMap(map))
    }
}
