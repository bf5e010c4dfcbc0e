//! Accesses of a kernel by address and time, as cells or as single lifetimes: they are read from the file again.

use super::Document;
use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::style::{DrawStyle, full};
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::lifetimes::compute::addresses::{
    AddressReader, Bar, GridCell, STATUSES, Status, Subject, Wanted,
};
use crate::views::lifetimes::compute::{Closing, Kernel, Level, Run, Scope, called};
use crate::views::lifetimes::messages::{AddressFrame, AddressNote, Life, Reply};
use crate::views::lifetimes::scene::addresses::{
    AddressPlot, Shown, View, bar_at, draw as draw_plot, status_ink,
};
use crate::views::lifetimes::scene::time;

/// Pieces that are read between two answers: a tenth of a second.
const PIECES: u32 = 8;

/// What was read of the kernel that was looked at last.
#[derive(Default)]
pub(crate) struct Addresses {
    reader: Option<(Key, AddressReader)>,
    /// Pieces since the last answer.
    pieces: u32,
    share: f32,
}

/// What it is of: run, whether all of the files was read then, kernel, level and unit.
type Key = (u32, bool, usize, Subject);

impl Addresses {
    /// How much of what was asked for is there.
    pub(super) fn counted(&self) -> Reply {
        let problem = self.reader.as_ref().and_then(|(_, reader)| reader.problem.clone());
        Reply::Counted { share: self.share, problem }
    }
}

/// A kernel at a level.
struct Looked<'a> {
    run: &'a Run,
    row: usize,
    kernel: &'a Kernel,
    level: &'a Level,
    subject: Subject,
}

impl Document {
    /// What a frame looks at.
    fn looked(&self, frame: &AddressFrame) -> Option<Looked<'_>> {
        let run = self.lifetimes(frame.run)?;
        let at = frame.level as usize;
        let has_some =
            |kernel: &Kernel| kernel.levels.get(at).is_some_and(|level| !level.addresses.is_empty());
        let row = match frame.kernel {
            Some(row) => row as usize,
            None => {
                let all = run.kernels.iter().enumerate().filter(|(_, kernel)| has_some(kernel));
                all.max_by_key(|(_, kernel)| kernel.cycles)?.0
            }
        };
        let kernel = run.kernels.get(row)?;
        let level = kernel.levels.get(at)?;
        let unit = match Scope::parse(&frame.scope) {
            Some(Scope::Unit(number)) => Some(number),
            Some(Scope::Busiest) => level.busiest().map(|unit| unit.number),
            _ => None,
        };
        Some(Looked { run, row, kernel, level, subject: Subject { level: at, unit } })
    }

    /// Makes a reader ready for what a frame looks at; nothing is read yet.
    fn look_at(&mut self, frame: &AddressFrame) {
        let mut own = std::mem::take(self.kept.of::<Addresses>());
        let looked = self.looked(frame);
        let key = looked.as_ref().map(|now| (frame.run, self.is_arranged(), now.row, now.subject));
        if own.reader.as_ref().map(|(of, _)| *of) != key {
            let reader = looked.and_then(|now| AddressReader::new(now.run, now.kernel, now.subject));
            own.reader = key.zip(reader);
        }
        self.kept.set(own);
    }

    /// Reads for some milliseconds; true when there is something to tell of.
    pub(super) fn prepare_addresses(&mut self, frame: &AddressFrame, size: Size) -> bool {
        self.look_at(frame);
        let mut own = std::mem::take(self.kept.of::<Addresses>());
        own.share = match (&mut own.reader, self.looked(frame)) {
            (Some((_, reader)), Some(looked)) => {
                let wanted = view(reader, frame, size).wanted();
                reader.step(looked.run, looked.kernel, &wanted)
            }
            _ => 1.0,
        };
        own.pieces += 1;
        let is_told = 1.0 <= own.share || PIECES <= own.pieces;
        if is_told {
            own.pieces = 0;
        }
        self.kept.set(own);
        is_told
    }
}

/// What a frame shows.
fn view<'a>(reader: &'a AddressReader, frame: &AddressFrame, size: Size) -> View<'a> {
    // What is asked for may come from an address that somebody wrote.
    let n = reader.cycles as f64;
    let cycles = frame.cycles.and_then(|seen| crate::draw::window::rows(seen, n));
    let places = frame.places.and_then(crate::draw::window::places);
    View::new(&reader.axis, cycles.unwrap_or((0.0, n)), places.unwrap_or((0.0, 1.0)), size)
}

/// The single lifetimes that a picture shows; `None` where it shows cells.
fn shown<'a>(reader: &'a AddressReader, wanted: &Wanted) -> Option<Shown<'a>> {
    let follow = reader.follow(wanted)?;
    let bars = follow.bars(&wanted.ranges, wanted.cycles, wanted.most)?;
    Some(Shown { follow, bars })
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Hit => phrase("Hit"),
        Status::Pending => phrase("Pending hit"),
        Status::Miss => phrase("Miss"),
        Status::Retry => phrase("Retry"),
    }
}

fn range((from, to): (u64, u64), text: impl Fn(u64) -> String) -> String {
    if from == to { text(from) } else { format!("{} – {}", text(from), text(to)) }
}

/// A cell in words.
fn cell_words(cell: &GridCell, language: Language) -> String {
    let mut words = range(cell.addresses, |address| format!("0x{address:x}"));
    words += &format!("\n{}\t{}", tr(language, phrase("Cycles")), range(cell.cycles, thousands));
    for (status, n) in STATUSES.into_iter().zip(cell.counts).filter(|(_, n)| 0 < *n) {
        words += &format!("\n{}\t{}", tr(language, status_name(status)), thousands(n));
    }
    words
}

/// A lifetime in words.
fn life_words(bar: &Bar, looked: &Looked, mhz: Option<f64>, language: Language) -> String {
    let life = &bar.life;
    let unit = looked.run.levels.get(looked.subject.level).map_or("", |head| head.unit.as_str());
    let mut words = format!("0x{:x}\n{unit}\t{}", life.address, life.unit);
    let mut line = |label: &'static str, value: String| {
        words += &format!("\n{}\t{value}", tr(language, label));
    };
    line(phrase("Begin"), thousands(life.start));
    line(phrase("Last use"), thousands(life.last));
    line(phrase("End"), thousands(bar.end()));
    let cycles = full(Some(life.length as f64), &Unit::Cycles);
    let length = match mhz {
        Some(mhz) if 0.0 < mhz => format!("{cycles}, {}", time(life.length as f64 / mhz * 1e3)),
        _ => cycles,
    };
    line(phrase("Lifetime"), length);
    line(phrase("Reads"), thousands(u64::from(life.reuses) + u64::from(!life.is_stored)));
    line(phrase("Writes"), thousands(u64::from(life.is_stored)));
    words
}

pub(super) fn under(doc: &mut Document, frame: &AddressFrame, size: Size, at: Point) -> Reply {
    doc.look_at(frame);
    let nothing = Reply::Under(None);
    let (Some((_, reader)), Some(looked)) =
        (doc.kept.get::<Addresses>().and_then(|own| own.reader.as_ref()), doc.looked(frame))
    else {
        return nothing;
    };
    let view = view(reader, frame, size);
    let Some((cycle, place)) = view.at(at) else { return nothing };
    if let Some(shown) = shown(reader, &view.wanted()) {
        let Some(bar) = bar_at(&view, &shown, at) else { return nothing };
        let key = (bar.life.unit, bar.life.address, bar.life.start);
        let words = life_words(bar, &looked, looked.run.clock_mhz, doc.language());
        return Reply::Life(Box::new(Life { key, words }));
    }
    let cell = view.axis.at(place).and_then(|segment| {
        let address = view.axis.segments[segment].address(place);
        reader.grid()?.cell_at(segment, cycle, address)
    });
    Reply::Under(cell.map(|cell| cell_words(&cell, doc.language())))
}

pub(crate) fn draw(
    doc: &mut Document,
    frame: &AddressFrame,
    size: Size,
    palette: &Palette,
) -> (Scene, AddressNote) {
    doc.look_at(frame);
    let look = DrawStyle { palette, language: doc.language() };
    let (Some((_, reader)), Some(looked)) =
        (doc.kept.get::<Addresses>().and_then(|own| own.reader.as_ref()), doc.looked(frame))
    else {
        return (Scene::new(size), AddressNote::default());
    };
    let view = view(reader, frame, size);
    let wanted = view.wanted();
    let shown = shown(reader, &wanted);
    let plot = AddressPlot { view, grid: reader.grid(), shown: shown.as_ref(), selected: frame.selected };
    let scene = draw_plot(&plot, size, &look);
    let (from, to) = wanted.cycles;
    let counts = looked.level.counts;
    let words = phrase("{name}: {n} accesses and {m} retries by address, cycles {from} to {to}.");
    let name = look.tr(called(&looked.kernel.name)).to_owned();
    let of = [
        ("name", name.clone()),
        ("n", thousands(counts.accesses())),
        ("m", thousands(counts.retries)),
        ("from", thousands(from)),
        ("to", thousands(to)),
    ];
    let legend =
        STATUSES.map(|status| (palette.rgba(status_ink(status)), look.tr(status_name(status)).to_owned()));
    let note = AddressNote {
        plot: view.area,
        cycles: reader.cycles,
        kernel: name.clone(),
        about: about(shown.as_ref(), &wanted, looked.run, &look),
        legend: legend.into(),
        is_single: shown.is_some(),
        alt: fill(look.tr(words), &of.each_ref().map(|(name, value)| (*name, value.as_str()))),
    };
    (scene, note)
}

/// What cells or bars are, in words.
fn about(shown: Option<&Shown>, wanted: &Wanted, run: &Run, look: &DrawStyle) -> String {
    if let Some(shown) = shown {
        let words = match run.rules.closing {
            Closing::LastUse => phrase("{n} lifetimes, from opening to last use"),
            Closing::Resident => phrase("{n} lifetimes, from opening to replacement"),
        };
        return fill(look.tr(words), &[("n", &thousands(shown.bars.len() as u64))]);
    }
    let bytes = wanted.tiling.parts.iter().map(|part| 1_u64 << part.shift.min(63)).min().unwrap_or(1);
    let words = look.tr(phrase("cells of {n} cycles and {bytes}; zoom in for single lifetimes"));
    let bytes = full(Some(bytes as f64), &Unit::Bytes);
    fill(words, &[("n", &thousands(1_u64 << wanted.tiling.level)), ("bytes", &bytes)])
}
