//! Accesses of a kernel by time and unit, as a heat map.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase, tr};
use crate::document::Document;
use crate::draw::heatmap::{self, Layout};
use crate::draw::style::{DrawStyle, full};
use crate::model::figure::{self, AxisLabel, FigureState, Fold, HeatMap, Ramp};
use crate::scene::Scene;
use crate::scene::palette::{Ink, Palette, RampName};
use crate::views::lifetimes::compute::{HeatCell, Kernel, Level, called};
use crate::views::lifetimes::messages::{Frame, Heat, Note};
use crate::views::lifetimes::scene::time;

/// The kernel that a frame shows, and its level.
fn shown<'a>(doc: &'a Document, frame: &Frame) -> Option<(&'a Kernel, &'a Level, HeatMap)> {
    let run = doc.lifetimes(frame.run)?;
    let has_cells = |kernel: &&Kernel| {
        kernel.levels.get(frame.level as usize).is_some_and(|level| !level.heat.is_empty())
    };
    let kernel = match frame.kernel {
        Some(row) => run.kernels.get(row as usize)?,
        None => run.kernels.iter().filter(has_cells).max_by_key(|kernel| kernel.cycles)?,
    };
    let level = kernel.levels.get(frame.level as usize)?;
    let unit = run.levels.get(frame.level as usize).map_or("", |level| level.unit.as_str());
    let (width, height) = (level.heat.width(), level.heat.rows());
    if level.heat.is_empty() {
        return None;
    }
    let value = |cell: &HeatCell| match frame.heat {
        Heat::Accesses => cell.accesses as f32,
        Heat::Misses if cell.accesses == 0 => 0.0,
        Heat::Misses => cell.misses as f32 / cell.accesses as f32,
        Heat::Retries => cell.retries as f32,
    };
    let mut values = vec![0.0_f32; width * height];
    for (at, cell) in level.heat.cells() {
        if let Some(place) = values.get_mut(at) {
            *place = value(&cell);
        }
    }
    let cycles = (level.heat.bin_cycles() * width as u64) as f64;
    let (to, time) = match frame.clock_mhz {
        Some(mhz) if 0.0 < mhz => (cycles / mhz, Unit::Micros),
        _ => (cycles, Unit::Cycles),
    };
    let label = |name: &str, unit: Unit| AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    let map = HeatMap {
        x: figure::Axis { label: label("Time", time), from: 0.0, to, names: Vec::new() },
        y: figure::Axis {
            names: level.units.iter().map(|own| format!("{unit} {}", own.number)).collect(),
            ..figure::Axis::default()
        },
        width: width as u32,
        height: height as u32,
        values,
        unit: match frame.heat {
            Heat::Accesses => Unit::Count(phrase("accesses").to_owned()),
            Heat::Misses => Unit::Share,
            Heat::Retries => Unit::Count(phrase("retries").to_owned()),
        },
        ramp: if frame.heat == Heat::Accesses { Ramp::Seq } else { Ramp::Heat },
        fold: if frame.heat == Heat::Misses { Fold::Mean } else { Fold::Sum },
        full: (frame.heat == Heat::Misses).then_some(1.0),
        ..HeatMap::default()
    };
    Some((kernel, level, map))
}

/// How wide the cells of a level are, in words.
fn cells(level: &Level, clock_mhz: Option<f64>, look: &DrawStyle) -> String {
    let cycles = level.heat.bin_cycles();
    let words = fill(look.tr(phrase("cells of {n} cycles")), &[("n", &thousands(cycles))]);
    match clock_mhz {
        Some(mhz) if 0.0 < mhz => format!("{words}, {}", time(cycles as f64 / mhz * 1e3)),
        _ => words,
    }
}

pub(super) fn under(doc: &Document, frame: &Frame, size: Size, at: Point) -> Option<String> {
    let (_, _, map) = shown(doc, frame)?;
    let look = DrawStyle { palette: doc.palette(), language: doc.language() };
    heatmap::read_out(&map, size, &look, &FigureState::default(), at)
}

pub(crate) fn draw(doc: &Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let look = DrawStyle { palette, language: doc.language() };
    let Some((kernel, level, map)) = shown(doc, frame) else {
        return (Scene::new(size), Note::default());
    };
    let state = FigureState::default();
    let most = map.values.iter().copied().filter(|value| !value.is_nan()).fold(0.0_f32, f32::max);
    let ramp = if map.ramp == Ramp::Seq { RampName::Seq } else { RampName::Heat };
    let words = phrase("{name}: {n} accesses and {m} retries of {k} units over time.");
    let name = look.tr(called(&kernel.name)).to_owned();
    let of = [
        ("name", name.clone()),
        ("n", thousands(level.counts.accesses())),
        ("m", thousands(level.counts.retries)),
        ("k", thousands(level.units.len() as u64)),
    ];
    let note = Note {
        area: Layout::new(&map, size, &state).map,
        kernel: name.clone(),
        about: cells(level, frame.clock_mhz, &look),
        most: full(Some(map.full.unwrap_or_else(|| f64::from(most))), &map.unit),
        ramp: (0..9).map(|stop| palette.rgba(Ink::Stop(ramp, stop))).collect(),
        alt: fill(tr(doc.language(), words), &of.each_ref().map(|(name, value)| (*name, value.as_str()))),
    };
    (heatmap::draw(&map, size, &look, &state), note)
}
