//! Lifetimes of data: what there is, the lengths that the page holds, and accesses of a kernel by time and unit.

mod addresses;
mod gather;
mod heat;

use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::words::{phrase, tr};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, Picture, ramp};
use crate::draw::style::{DrawStyle, LABEL, LINE, NAME, T1, T3};
use crate::model::parameter::Values;
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Align, Scene, put, text};
use crate::views::lifetimes::compute::{
    Closing, Distribution, Orphans, Recorded, Refill, Run, Settings, called, devices, name, parameters,
    report,
};
use crate::views::lifetimes::messages::{
    AddressFrame, AddressNote, Frame, Head, KERNELS, Kernel, LevelHead, LifetimesQuery, Note, Reply,
};
use crate::views::lifetimes::scene::{
    Baseline, DevicePlot, Layout, LevelPlot, Plot, draw, draw_devices, never_refreshed, rest_ink,
    retention_lines,
};
use crate::wire::{Answer, Question, ViewPicture, pack};
use addresses::Addresses;
use gather::Gathered;

impl Document {
    /// A run of lifetimes.
    fn lifetimes(&self, run: u32) -> Option<&Run> {
        self.trace().extensions.get::<Recorded>()?.runs.get(run as usize)
    }

    /// Kernels whose accesses or lifetimes are known; a log may have statistics only.
    pub(crate) fn n_lifetimes(&self) -> u64 {
        let runs = self.trace().extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.runs);
        let kernels = runs.iter().flat_map(|run| &run.kernels);
        kernels.filter(|kernel| kernel.is_recorded()).count() as u64
    }

    /// Prepares what a question needs for some milliseconds; true when it is there.
    pub(crate) fn prepare_lifetimes(&mut self, ask: &LifetimesQuery) -> bool {
        if let LifetimesQuery::Count { frame, size } = ask {
            return self.prepare_addresses(frame, *size);
        }
        let (LifetimesQuery::Head { run, values } | LifetimesQuery::Lengths { run, kernel: None, values }) =
            ask
        else {
            return true;
        };
        let values = Self::parse_values(values).0;
        let mut gathered = std::mem::take(self.kept.of::<Gathered>());
        let key = (*run, self.is_arranged());
        let own = self.lifetimes(*run);
        let is_done = own.is_none_or(|own| gathered.step(key, own, &Settings::of(&values, own)));
        self.kept.set(gathered);
        is_done
    }
}

fn answer(doc: &mut Document, ask: &LifetimesQuery) -> (Answer, Option<Vec<u8>>) {
    match ask {
        LifetimesQuery::Head { run, values } => {
            let head = head(doc, *run, &Document::parse_values(values).0);
            (LifetimesQuery::reply(&Reply::Head(head.map(Box::new))), None)
        }
        LifetimesQuery::Lengths { run, kernel, values } => {
            let lengths = match kernel {
                None => {
                    let gathered = doc.kept.get::<Gathered>();
                    gathered.map_or_else(Default::default, |gathered| gathered.lengths(doc.lifetimes(*run)))
                }
                Some(kernel) => {
                    let values = Document::parse_values(values).0;
                    let own = doc.lifetimes(*run);
                    own.and_then(|run| gather::one(run, &Settings::of(&values, run), *kernel))
                        .unwrap_or_default()
                }
            };
            (Answer::Packed, Some(pack(&lengths)))
        }
        LifetimesQuery::Count { .. } => (LifetimesQuery::reply(&doc.kept.of::<Addresses>().counted()), None),
        LifetimesQuery::UnderAddress { frame, size, at } => {
            (LifetimesQuery::reply(&addresses::under(doc, frame, *size, *at)), None)
        }
        LifetimesQuery::Under { frame, size, at } => {
            (LifetimesQuery::reply(&Reply::Under(heat::under(doc, frame, *size, *at))), None)
        }
    }
}

fn head(doc: &Document, row: u32, values: &Values) -> Option<Head> {
    let run = doc.lifetimes(row)?;
    let settings = Settings::of(values, run);
    let runs = &doc.trace().extensions.get::<Recorded>()?.runs;
    let (devices, devices_problem) = devices(values);
    let kernels = doc.kept.get::<Gathered>().map_or(&[][..], Gathered::kernels);
    let levels = run.levels.iter().enumerate().map(|(at, level)| LevelHead {
        name: level.name.clone(),
        unit: level.unit.clone(),
        is_private: level.is_private,
        units: run.units(at).into_iter().map(|(number, _)| number).collect(),
        n_units: run.n_units(at),
        word_bytes: level.word_bytes,
    });
    let of_levels = || run.kernels.iter().flat_map(|kernel| &kernel.levels);
    let scope = values.text(parameters::SCOPE.id).filter(|text| !text.is_empty());
    Some(Head {
        runs: runs.iter().map(|run| name(values, run)).collect(),
        run: row,
        clock_mhz: Some(settings.clock_mhz).filter(|mhz| 0.0 < *mhz),
        recorded_mhz: run.clock_mhz,
        clock_source: run.clock_source.to_owned(),
        launch_latency: run.launch_latency,
        has_layers: run.has_layers,
        is_resident: run.rules.closing == Closing::Resident,
        is_kept: run.rules.refill == Refill::Keep,
        fill_cycles: run.rules.fill_cycles,
        are_orphans_counted: settings.orphans == Orphans::Include,
        scope: scope.unwrap_or("total").to_owned(),
        levels: levels.collect(),
        kernels: kernels
            .iter()
            .zip(&run.kernels)
            .take(KERNELS)
            .map(|(kernel, of)| {
                let mut own = Kernel { symbol: doc.symbol_of(&of.name), ..kernel.clone() };
                if of.uids.is_some() {
                    tr(doc.language(), called(&of.name)).clone_into(&mut own.table.name);
                }
                own
            })
            .collect(),
        more: kernels.len().saturating_sub(KERNELS) as u64,
        devices,
        devices_problem,
        has_accesses: of_levels().any(|level| 0 < level.counts.accesses() + level.counts.lifetimes),
        is_stated: of_levels().any(|level| level.stated.is_some()),
    })
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[
    Engine::saves(&LIFETIMES),
    Engine::answers::<LifetimesQuery>(),
    Engine::draws::<Frame>(),
    Engine::draws::<AddressFrame>(),
];

impl Answers for LifetimesQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_lifetimes(self)
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        answer(doc, self)
    }

    fn is_overtaken(&self, newer: &Self) -> bool {
        matches!((self, newer), (Self::Count { .. }, Self::Count { .. }))
    }
}

impl Draws for Frame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        heat::draw(doc, self, size, palette)
    }

    fn headed(&self, _: &mut Document, picture: Scene, note: Note) -> Scene {
        over_time(picture, &note)
    }
}

impl Draws for AddressFrame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, AddressNote) {
        addresses::draw(doc, self, size, palette)
    }

    fn headed(&self, _: &mut Document, picture: Scene, note: AddressNote) -> Scene {
        by_address(picture, &note)
    }
}

// Lifetimes of the first run that has any: histograms with the retention of devices, then what devices would take.

pub(crate) static LIFETIMES: Picture = Picture {
    id: "lifetimes",
    title: "Lifetimes",
    draw: lifetimes,
    seen: Some(|doc, of, size, palette| seen(doc, of, size, palette)),
};

/// Height of a head, of a plot, and of a device.
const HEAD: Px = 34.0;
const PLOT: Px = 150.0;
const ROW: Px = 24.0;

fn lifetimes(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    compared(doc, None, size, palette)
}

/// The run of a document that is shown.
fn first(doc: &Document) -> Result<&Run, String> {
    let recorded = doc.trace().extensions.get::<Recorded>();
    let run = recorded.and_then(|recorded| recorded.runs.iter().find(|run| !run.kernels.is_empty()));
    run.ok_or_else(|| "No lifetimes of data in these files.".to_owned())
}

/// Names of levels with their lengths, and the clock.
type Levels<'a> = (Vec<(&'a str, Distribution)>, Option<f64>);

/// The levels of a baseline.
fn levels(doc: &Document) -> Result<Levels<'_>, String> {
    let run = first(doc)?;
    let settings = Settings::of(doc.values(), run);
    let own = run.levels.iter().enumerate();
    let own = own.map(|(at, level)| (level.name.as_str(), run.lifetimes(at, &settings)));
    Ok((own.collect(), Some(settings.clock_mhz).filter(|mhz| 0.0 < *mhz)))
}

/// What the page shows: a run, or one kernel of it.
pub(crate) fn seen(
    doc: &Document,
    seen: &ViewPicture,
    size: Size,
    palette: &Palette,
) -> Result<Scene, String> {
    let chosen = |id: &str| {
        let (_, row) = seen.chosen.iter().find(|(name, _)| name == id)?;
        row.parse::<usize>().ok()
    };
    let runs = doc.trace().extensions.get::<Recorded>().map_or(&[][..], |recorded| &recorded.runs);
    let run = runs.get(chosen("run").unwrap_or(0)).filter(|run| !run.kernels.is_empty());
    let run = run.map_or_else(|| first(doc), Ok)?;
    let Some(kernel) = chosen("kernel").and_then(|row| run.kernels.get(row)) else {
        return Ok(drawn(doc, run, None, size, palette));
    };
    let alone = Run {
        clock_mhz: run.clock_mhz,
        has_layers: run.has_layers,
        levels: run.levels.clone(),
        kernels: vec![kernel.clone()],
        rules: run.rules,
        ..Run::default()
    };
    Ok(drawn(doc, &alone, None, size, palette))
}

/// The same, with the lengths of a baseline as outlines.
pub(crate) fn compared(
    doc: &Document,
    baseline: Option<&Document>,
    size: Size,
    palette: &Palette,
) -> Result<Scene, String> {
    let run = first(doc)?;
    let other = baseline.map(levels).transpose()?;
    Ok(drawn(doc, run, other.as_ref(), size, palette))
}

fn drawn(doc: &Document, run: &Run, other: Option<&Levels<'_>>, size: Size, palette: &Palette) -> Scene {
    let other = |name: &str| {
        let (levels, clock_mhz) = other?;
        let (_, lengths) = levels.iter().find(|(own, _)| *own == name)?;
        Some(Baseline { lengths, clock_mhz: *clock_mhz })
    };
    let settings = Settings::of(doc.values(), run);
    let (devices, _) = devices(doc.values());
    let report = report(run, &settings, &devices);
    let look = DrawStyle { palette, language: doc.language() };
    let write_mhz = report.levels.iter().map(|level| level.demand.write_mhz).fold(0.0, f64::max);
    let has_clock = 0.0 < settings.clock_mhz;
    let lines = retention_lines(&devices, write_mhz, doc.language()).into_iter().map(|(_, line)| line);
    let levels = report.levels.iter().enumerate().map(|(at, level)| LevelPlot {
        name: level.name.clone(),
        scope: String::new(),
        lengths: &level.demand.lifetimes,
        orphans: run.opened(at, &settings).0,
        opened: run.opened(at, &settings).1,
        stated: Vec::new(),
        baseline: other(&level.name),
    });
    let plot = Plot {
        levels: levels.collect(),
        lines: if has_clock { lines.collect() } else { Vec::new() },
        never: never_refreshed(&devices, doc.language()),
        rest: rest_ink(&devices),
        clock_mhz: has_clock.then_some(settings.clock_mhz),
    };
    let n = plot.levels.len();
    let plots = Layout::height(n, plot.lines.len(), PLOT);
    let upper = draw(&plot, Size { w: size.w, h: plots }, &look);
    let compared: Vec<DevicePlot> = report
        .levels
        .iter()
        .map(|level| DevicePlot::new((level.name.clone(), String::new()), &devices, &level.devices, None))
        .collect();
    let rows: usize = compared.iter().map(|level| level.devices.len() + 2).sum();
    let lower = draw_devices(&compared, Size { w: size.w, h: rows as Px * ROW }, &look);
    let mut scene = Scene::new(Size { w: size.w, h: 2.0 * HEAD + upper.size.h + lower.size.h });
    let title = |y: Px, words: &str, scene: &mut Scene| {
        scene.text(Point { x: 16.0, y: y + 22.0 }, words, NAME, T1, Align::Left);
    };
    let words = tr(doc.language(), phrase("Data lifetimes"));
    let words = match run.kernels.as_slice() {
        [kernel] => format!("{words} · {}", tr(doc.language(), called(&kernel.name))),
        _ => words.to_owned(),
    };
    title(0.0, &text::cut_end(&words, NAME, size.w - 32.0), &mut scene);
    let y = HEAD + upper.size.h;
    put(&mut scene, upper, Point { x: 0.0, y: HEAD });
    scene.fill(Rect::new(0.0, y, size.w, 1.0), LINE);
    title(y, tr(doc.language(), phrase("Memory devices")), &mut scene);
    put(&mut scene, lower, Point { x: 0.0, y: y + HEAD });
    scene
}

/// Accesses of a kernel over time below its name and what cells are, with what colors mean.
pub(crate) fn over_time(picture: Scene, note: &Note) -> Scene {
    let mut scene = headed(picture, &note.kernel, &note.about);
    ramp(&mut scene, "0".to_owned(), &note.ramp, note.most.clone());
    scene
}

/// The same by address.
pub(crate) fn by_address(picture: Scene, note: &AddressNote) -> Scene {
    let mut scene = headed(picture, &note.kernel, &note.about);
    let mut x = scene.size.w - 16.0;
    for (color, words) in note.legend.iter().rev() {
        x -= text::width(words, LABEL);
        scene.text(Point { x, y: 21.0 }, words.as_str(), LABEL, T3, Align::Left);
        scene.fill(Rect::new(x - 13.0, 13.0, 8.0, 8.0), Ink::Rgba(*color));
        x -= 25.0;
    }
    scene
}

fn headed(picture: Scene, kernel: &str, about: &str) -> Scene {
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let words = format!("{kernel} {about}");
    let words = text::cut_end(&words, NAME, scene.size.w * 0.6).into_owned();
    scene.text(Point { x: 16.0, y: 21.0 }, words, NAME, T1, Align::Left);
    scene
}
