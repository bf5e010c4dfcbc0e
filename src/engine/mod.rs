//! The front door: opens a bundle step by step, answers questions, draws pictures; the worker around it.

pub mod compare;
pub(crate) mod files;
pub(crate) mod front;
pub(crate) mod opening;
pub(crate) mod report;
pub(crate) mod rows;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub mod tables;
#[cfg(target_arch = "wasm32")]
pub mod worker;

pub use files::FileWriter;
pub use front::{catalog, is_known};
pub use opening::Need;
pub use report::{fault_line, file_lines};

use crate::analysis::compare::headline::Quantity;
use crate::analysis::compare::steps::quantities as parts_of_steps;
use crate::analysis::device::{Options, has_streams};
use crate::analysis::report::REPORT;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::job::Job;
use crate::base::number::thousands;
use crate::base::order::percentile;
use crate::base::unit::Unit;
use crate::base::words::{for_reader, message, phrase};
use crate::document::engine::{Act, Answered};
use crate::document::{Document, MAX_HEIGHT, Picture};
use crate::draw::style::DrawStyle;
use crate::engine::report::with_input;
use crate::export::findings::FINDINGS_JSON;
use crate::input::ReadError;
use crate::input::fingerprint::fingerprint;
use crate::model::figure::Family;
use crate::scene::palette::{Ink, Palette};
use crate::scene::svg::svg;
use crate::scene::{Scene, put};
use crate::systems::systems;
use crate::views;
use crate::views::timeline::messages::Seen;
use crate::wire::rows::{RowsQuery, Source};
use crate::wire::{Answer, Frame, Query, Question, ViewPicture};
use front::{answering, drawing};
use std::io::Write;

/// What is asked beside views and loaded by the worker with [`views::FIGURES`]: rows of tables, files, what scripts
/// request, what documents are compared by. Nothing else of the worker may name what stands behind it.
pub struct Desk {
    /// As [`Document::prepare_query`].
    pub prepare: fn(&mut Document, &Query) -> bool,
    /// As [`Document::query_prepared`].
    pub answer: fn(&mut Document, &Query) -> Answered,
    /// [`Document::rows`].
    pub rows: fn(&mut Document, &RowsQuery, &mut dyn FnMut() -> bool) -> Option<Answer>,
    /// [`Document::begin_file`].
    pub begin_file: fn(&mut Document, &Query) -> Result<FileWriter, Answer>,
    /// [`Document::write_file`].
    pub write_file: fn(&Document, &mut FileWriter, &mut dyn Write) -> Result<bool, String>,
}

/// The desk.
pub static DESK: Desk = Desk {
    prepare: Document::prepare_desk,
    answer: Document::at_desk,
    rows: Document::rows,
    begin_file: Document::begin_file,
    write_file: Document::write_file,
};

static LOADED: std::sync::OnceLock<&Desk> = std::sync::OnceLock::new();

/// Takes in the desk.
#[cfg(target_arch = "wasm32")]
pub(crate) fn add(desk: &'static Desk) {
    let _ = LOADED.set(desk); // it is the same each time
}

/// The desk, as soon as it is loaded; the command line has it always.
pub(crate) fn desk() -> Option<&'static Desk> {
    #[cfg(not(target_arch = "wasm32"))]
    LOADED.get_or_init(|| &DESK);
    LOADED.get().copied()
}

/// Whether an export tells findings.
fn tells_findings(id: &str) -> bool {
    id == FINDINGS_JSON.id || id.split(':').next() == Some(REPORT)
}

/// What the files of a document are known by, while it is asked for.
enum Asked {
    Making(Option<Job<Result<String, ReadError>>>),
    Known(Result<String, ReadError>),
}

impl Default for Asked {
    fn default() -> Self {
        Self::Making(None)
    }
}

// What a question or a picture needs that takes long: it is made a few milliseconds at a time.

impl Document {
    /// Works for a few milliseconds on what the answer to a question needs; says whether it can be given at once.
    pub fn prepare_query(&mut self, query: &Query) -> bool {
        match query {
            Query::View(packed) => answering(&packed.of).is_none_or(|view| (view.prepare)(packed, self)),
            Query::Operators { .. } | Query::SetParameters(_) | Query::Report | Query::Block { .. } => true,
            Query::Fingerprint => self.prepare_fingerprint(),
            _ => desk().is_none_or(|desk| (desk.prepare)(self, query)),
        }
    }

    fn prepare_fingerprint(&mut self) -> bool {
        let (given, asked) = (&self.given, self.kept.of::<Asked>());
        match asked {
            Asked::Known(_) => true,
            Asked::Making(job) => {
                let known =
                    job.get_or_insert_with(|| Job::new(|turn| fingerprint(given.clone(), turn))).poll();
                known.map(|known| *asked = Asked::Known(known)).is_some()
            }
        }
    }

    /// What the files are known by, whatever they are called.
    fn fingerprint(&mut self) -> Result<String, ReadError> {
        loop {
            if self.prepare_fingerprint()
                && let Asked::Known(known) = std::mem::take(self.kept.of::<Asked>())
            {
                return known;
            }
        }
    }

    fn prepare_desk(&mut self, query: &Query) -> bool {
        match query {
            Query::Rows(ask) | Query::RowsFile(ask) => self.prepare_source(&ask.source),
            Query::Headline => self.prepare_headline(),
            Query::Export { id } if tells_findings(id) => self.prepare_overview(Some(usize::MAX)),
            Query::ReportFile { seen, .. } => {
                self.prepare_overview(Some(usize::MAX))
                    && seen.as_ref().is_none_or(|(_, seen)| self.prepare_query(seen))
            }
            Query::Picture(seen) => Seen::of(seen).is_none_or(|seen| self.prepare_lanes(&seen.frame)),
            Query::ViewPicture(seen) => seen.panes.iter().all(|(frame, _)| self.prepare_frame(frame)),
            _ => true,
        }
    }

    /// The same for the rows of a table.
    pub(crate) fn prepare_source(&mut self, source: &Source) -> bool {
        match source {
            Source::Hits(search) => self.prepare_search(search),
            Source::KernelSums(options)
            | Source::Kernels(options)
            | Source::Launches { options, .. }
            | Source::Operators(options)
            | Source::Functions(options)
            | Source::Tree { options, .. }
            | Source::Memory { options, .. } => self.prepare_device(options),
            _ => self.prepare_base(source),
        }
    }

    /// The same for a picture.
    pub fn prepare_frame(&mut self, frame: &Frame) -> bool {
        drawing(&frame.0.of).is_none_or(|view| (view.prepare)(frame, self))
    }
}

// What a document is compared by before everything else: what its systems say of their files, then what its devices did.
//
// | files | quantity |
// | --- | --- |
// | operators | the duration that the files state |
// | traces with a device, whoever wrote them | median of steps; time in which devices compute or communicate; parts of the mean step and kernels |
// | other traces of events | time from the first to the last event |
// | executions of networks in any trace | median execution, by network and loop |
// | block schedules | span of the blocks, time of the kernel in the log |
// | recorded programs | instructions, or accesses; sectors of global accesses |
// | data lifetimes | cycles, time at the known clock |
//
// Systems name theirs in [`crate::systems::System::headline`]; [`crate::analysis::compare::headline`] chooses.

impl Document {
    /// Works for a few milliseconds on what devices did; says whether all is there.
    pub(crate) fn prepare_headline(&mut self) -> bool {
        !has_streams(self.trace()) || self.prepare_device(&Options::default())
    }
}

/// The quantities, the most telling first; none before everything is read.
pub(crate) fn quantities(doc: &Document) -> Vec<Quantity> {
    if !doc.is_ready() {
        return Vec::new();
    }
    let mut all: Vec<Quantity> =
        with_input(doc, &[], |input| systems().flat_map(|system| (system.headline)(input)).collect());
    all.extend(of_devices(doc).unwrap_or_default());
    all
}

fn of_devices(doc: &Document) -> Option<Vec<Quantity>> {
    let device = doc.device(&Options::default()).filter(|_| has_streams(doc.trace()))?;
    let nanos = doc.trace().clock.nanos()?;
    let n = device.ranks.iter().filter(|rank| 0 < rank.sums[0] + rank.sums[2]).count();
    let of_ranks = if n < 2 { message("{n} devices") } else { message("mean of {n} devices") };
    let of_ranks = of_ranks.with("n", n);
    let mut steps: Vec<i64> =
        device.steps.iter().filter(|step| step.slice.is_some()).map(|step| step.wall).collect();
    steps.sort_unstable();
    let of_steps = message("{n} steps").with("n", thousands(steps.len() as u64));
    let of_steps = match n {
        0 | 1 => of_steps,
        _ => message("{of} of {n} devices").with_message("of", of_steps).with("n", n),
    };
    let time = |ticks: f64| (ticks * nanos, Unit::Nanos);
    // Computing, and communication while nothing is computed: each moment counts once.
    let busy: i64 = device.ranks.iter().map(|rank| rank.sums[0] + rank.sums[2]).sum();
    let busy = time(busy as f64 / n.max(1) as f64);
    // Without steps a recording is as long as kernels are many.
    let (many, what) = match steps.len() as u64 {
        0 => (device.kernels.iter().map(|kernel| kernel.n).sum(), "kernels"),
        n => (n, "steps"),
    };
    let wholes = [
        Quantity::new(phrase("Median step"), time(percentile(&steps, 50)), &n, of_steps),
        Quantity::new(phrase("Compute and communication"), busy, &n, of_ranks).over(many, what),
    ];
    Some(wholes.into_iter().chain(parts_of_steps(doc.trace(), device)).collect())
}

// Views as pictures without a screen: for the command line and scripts. One registry.

/// All pictures.
pub fn pictures() -> impl Iterator<Item = &'static Picture> {
    views::engines()
        .filter_map(|engine| if let Act::Save(picture) = engine.act { Some(picture) } else { None })
}

impl Document {
    /// A view as the text of an SVG file with its colors and fonts.
    ///
    /// # Errors
    /// One sentence when there is no such picture, or the document holds nothing for it.
    pub fn svg(&mut self, view: &str, size: Size, palette: &Palette) -> Result<String, String> {
        let names = || pictures().map(|p| p.id).collect::<Vec<_>>().join(", ");
        let picture = pictures().find(|p| p.id == view);
        let picture = picture.ok_or_else(|| format!("Unknown view {view}; available: {}.", names()))?;
        let language = self.language();
        let scene = for_reader(language, || (picture.draw)(self, size, palette)).map_err(|why| {
            let missing = self.missing().into_iter().find(|missing| missing.id == view);
            missing.map_or(why, |missing| missing.why.text(language).into_owned())
        })?;
        Ok(svg(&scene, palette, view))
    }
}

/// The details of figures that were joined, as the text of an SVG file with its colors and fonts.
///
/// # Errors
/// One sentence when there are no figures.
pub fn compared_svg(families: &[Family], size: Size, look: &DrawStyle) -> Result<String, String> {
    Ok(svg(&crate::views::details::ask::of_families(families, size, look)?, look.palette, "details"))
}

/// The lifetimes of a document with those of a baseline as outlines, as an SVG.
///
/// # Errors
/// One sentence when one of them has none.
pub fn compared_lifetimes(
    baseline: &Document,
    comparison: &Document,
    size: Size,
    palette: &Palette,
) -> Result<String, String> {
    let scene = crate::views::lifetimes::ask::compared(comparison, Some(baseline), size, palette)?;
    Ok(svg(&scene, palette, "lifetimes"))
}

// What the page shows of a view now: its pictures with the heads that stand beside them on the page, or its figures with
// what is chosen of them.

/// Size of a view without pictures of its own, as on the command line.
const SIZE: Size = Size { w: 1280.0, h: 800.0 };

impl Document {
    /// What is seen of a view as the text of an SVG file, made for paper.
    pub(crate) fn view_svg(&mut self, seen: &ViewPicture) -> Result<String, String> {
        let palette = self.paper();
        let scene = for_reader(self.language(), || self.view_scene(seen, &palette))?;
        Ok(svg(&scene, &palette, &seen.view))
    }

    fn view_scene(&mut self, seen: &ViewPicture, palette: &Palette) -> Result<Scene, String> {
        if !seen.panes.is_empty() {
            return Ok(self.panes(&seen.panes, palette));
        }
        let picture = pictures().find(|picture| picture.id == seen.view);
        let picture = picture.ok_or_else(|| format!("Unknown view {}.", seen.view))?;
        match picture.seen {
            Some(draw) => draw(self, seen, SIZE, palette),
            None => (picture.draw)(self, SIZE, palette),
        }
    }

    /// Pictures beside each other, a line between them.
    fn panes(&mut self, panes: &[(Frame, Size)], palette: &Palette) -> Scene {
        let within = |px: Px| if px.is_finite() { px.clamp(1.0, MAX_HEIGHT) } else { 1.0 };
        let mut scene = Scene::new(Size { w: 0.0, h: 0.0 });
        let mut lines = Vec::new();
        for (frame, size) in panes {
            let inner = self.pane(frame, Size { w: within(size.w), h: within(size.h) }, palette);
            let mut x = scene.size.w;
            if 0.0 < x {
                lines.push(x);
                x += 1.0;
            }
            scene.size = Size { w: x + inner.size.w, h: scene.size.h.max(inner.size.h) };
            put(&mut scene, inner, Point { x, y: 0.0 });
        }
        for x in lines {
            scene.fill(Rect::new(x, 0.0, 1.0, scene.size.h), Ink::Token("line2"));
        }
        scene
    }

    /// One of them with its head.
    fn pane(&mut self, frame: &Frame, size: Size, palette: &Palette) -> Scene {
        match drawing(&frame.0.of) {
            Some(view) => (view.headed)(frame, self, size, palette),
            None => Scene::new(size),
        }
    }
}
