//! Lifetimes of data: what there is, the lengths that the page holds, and accesses of a kernel by time and unit.

mod addresses;
mod gather;
mod heat;

use addresses::Addresses;
use gather::Gathered;

use crate::base::geometry::Size;
use crate::document::Document;
use crate::document::engine::{Answers, Draws, Engine};
use crate::model::parameter::Values;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::lifetimes::compute::{
    Closing, Orphans, Recorded, Refill, Run, Settings, devices, name, parameters,
};
use crate::views::lifetimes::messages::{
    AddressFrame, AddressNote, Frame, Head, KERNELS, Kernel, LevelHead, LifetimesQuery, Note, Reply,
};
use crate::wire::{Answer, Question, pack};

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
            .take(KERNELS)
            .map(|kernel| Kernel { symbol: doc.symbol_of(&kernel.table.name), ..kernel.clone() })
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
    Engine::saves(&super::picture::LIFETIMES),
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
        super::picture::over_time(picture, &note)
    }
}

impl Draws for AddressFrame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, AddressNote) {
        addresses::draw(doc, self, size, palette)
    }

    fn headed(&self, _: &mut Document, picture: Scene, note: AddressNote) -> Scene {
        super::picture::by_address(picture, &note)
    }
}
