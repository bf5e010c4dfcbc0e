//! The block schedule: what it adds up to, one block, the block under a point, and the picture.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, MAX_HEIGHT, Picture, ramp};
use crate::draw::style::{DrawStyle, NAME, T1, compact};
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene, put};
use crate::views::schedule::compute::{ColorBy, Look, Origins, Schedule};
use crate::views::schedule::messages::{Block, Frame, Head, Note, Reply, ScheduleQuery};
use crate::views::schedule::scene::{
    Layout, Plot, RULER, STRIP, color, color_at, draw as draw_plot, hit, scroll_to,
};
use crate::wire::{Answer, Question};

/// Colors of a legend.
const STOPS: u32 = 9;
/// Parts of a block that are told of.
const PARTS: usize = 1024;

impl Document {
    /// The schedule: for the values of now, or the last one while that is being computed.
    pub(crate) fn schedule(&self) -> Option<&Schedule> {
        let (_, found) = self.derived.results.newest::<Schedule>(&self.analyses, &self.values)?;
        Some(found).filter(|schedule| !schedule.is_empty())
    }

    /// Works on what a picture with this look needs; true when that is there.
    pub(crate) fn prepare_schedule(&self, look: Option<&Look>) -> bool {
        self.schedule().zip(look).is_none_or(|(schedule, look)| schedule.prepare_resident(look.align))
    }
}

fn answer(doc: &Document, ask: &ScheduleQuery) -> Reply {
    let schedule = doc.schedule();
    match ask {
        ScheduleQuery::Head(look) => Reply::Head(schedule.map(|schedule| Box::new(head(schedule, look)))),
        ScheduleQuery::Block { row, look } => {
            let found = schedule.filter(|schedule| (*row as usize) < schedule.len());
            Reply::Block(found.map(|schedule| Box::new(block(doc, schedule, *row, look))))
        }
        ScheduleQuery::Under { frame, size, at } => schedule.map_or(Reply::Under(None, None), |schedule| {
            let origins = schedule.origins(frame.look.align);
            let plot = plot(schedule, frame, &origins);
            let layout = plot.layout(*size);
            let is_inside = layout.area.x <= at.x && at.x < layout.area.right();
            let resident = plot.resident.at(layout.time(at.x).max(0.0) as u64);
            let found = hit(&plot, *size, *at);
            Reply::Under(
                found.map(|row| Box::new(block(doc, schedule, row, &frame.look))),
                Some(resident).filter(|_| is_inside && origins.is_comparable),
            )
        }),
        ScheduleQuery::Step { from, is_slower } => {
            Reply::Step(schedule.and_then(|schedule| schedule.step(*from, *is_slower)))
        }
        ScheduleQuery::ScrollTo { frame, size, row } => Reply::ScrollTo(schedule.and_then(|schedule| {
            let origins = schedule.origins(frame.look.align);
            scroll_to(&plot(schedule, frame, &origins), *size, *row)
        })),
    }
}

fn plot<'a>(schedule: &'a Schedule, frame: &Frame, origins: &'a Origins) -> Plot<'a> {
    Plot {
        schedule,
        look: frame.look,
        origins,
        resident: schedule.resident(frame.look.align),
        window: frame.window,
        range: frame.range,
        scroll: frame.scroll,
        order: frame.order,
        selected: frame.selected.filter(|row| (*row as usize) < schedule.len()),
    }
}

fn head(schedule: &Schedule, look: &Look) -> Head {
    let (launch, origins) = (&schedule.launch, schedule.origins(look.align));
    let resident = schedule.resident(look.align);
    Head {
        unit: launch.terms.unit.to_owned(),
        part: launch.terms.part.to_owned(),
        tool: launch.terms.tool.to_owned(),
        sentences: (launch.terms.differs.to_owned(), launch.terms.agrees.to_owned()),
        tool_figures: launch.tool,
        time: launch.time.clone(),
        elapsed: launch.elapsed().to_owned(),
        grid: launch.grid,
        launched: schedule.launched(),
        partial: launch.partial,
        has_units: launch.has_units,
        clock: launch.clock,
        implausible_mhz: launch.implausible_mhz.filter(|_| launch.clock.is_none()),
        nanos: schedule.nanos(look),
        numbers: schedule.numbers.clone(),
        lane_time: schedule.lane_time(look.align),
        length: origins.length,
        compares: (origins.is_comparable, origins.is_guessed),
        resident: (resident.peak, resident.mean),
        align: schedule.aligned(look.align),
        has_timer: schedule.can_align(crate::views::schedule::compute::Align::Timer),
    }
}

fn block(doc: &Document, schedule: &Schedule, row: u32, look: &Look) -> Block {
    let origins = schedule.origins(look.align);
    let at = row as usize;
    let time = |row: u32| origins.time(schedule.unit[row as usize], schedule.start[row as usize]);
    let neighbors = schedule.neighbors(row);
    let unit = schedule.unit_of(row);
    let end = schedule.end(row);
    let until = match neighbors[1] {
        Some(next) => schedule.start[next as usize],
        None if origins.is_comparable => end.max(origins.clock(schedule.unit[at], origins.length as f64)),
        None => unit.map_or(end, |unit| unit.last),
    };
    let parts: Vec<_> = schedule.parts_of(row).take(PARTS).collect();
    let earliest = parts.iter().map(|part| part.start).min().unwrap_or(0);
    let style = DrawStyle { palette: doc.palette(), language: doc.language() };
    let near = neighbors
        .into_iter()
        .flatten()
        .map(|row| (row, schedule.number[row as usize], time(row), schedule.elapsed[row as usize]));
    Block {
        row,
        number: schedule.number[at],
        at: schedule.at(row),
        place: (unit.map_or(0, |unit| unit.id), schedule.lane_of_unit(row)),
        wave: schedule.wave(row),
        start: time(row),
        clock: schedule.start[at],
        elapsed: schedule.elapsed[at],
        shorter: schedule.shorter(row) as u64,
        gap: schedule.gap(row),
        idle_after: until.saturating_sub(end),
        neighbors: near.collect(),
        parts: parts.iter().map(|part| (part.number, part.start - earliest, part.elapsed)).collect(),
        skew: schedule.skew_of(row),
        color: doc.palette().rgba(color(&style, color_at(schedule, look.color, row))),
    }
}

fn draw(doc: &Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let Some(schedule) = doc.schedule() else {
        return (Scene::new(size), Note::default());
    };
    let origins = schedule.origins(frame.look.align);
    let plot = plot(schedule, frame, &origins);
    let style = DrawStyle { palette, language: doc.language() };
    let scene = draw_plot(&plot, size, &style);
    let layout = plot.layout(size);
    let id = |at: usize| Some(schedule.units.get(*layout.rows.get(at)? as usize)?.id);
    let ramp = (0..STOPS).map(|at| palette.rgba(color(&style, f64::from(at) / f64::from(STOPS - 1))));
    let note = Note {
        area: layout.area,
        window: layout.window,
        length: origins.length as f64,
        scroll: (layout.scroll, layout.max_scroll),
        rows_h: layout.tops.last().copied().unwrap_or(0.0),
        seen: id(layout.seen.start).zip(id(layout.seen.end.saturating_sub(1))),
        n_seen: layout.seen.len() as u32,
        ramp: ramp.collect(),
        alt: alt(schedule, &layout, doc.language()),
    };
    (scene, note)
}

/// The picture in words.
fn alt(schedule: &Schedule, layout: &Layout, language: Language) -> String {
    let numbers = &schedule.numbers;
    let words =
        tr(language, phrase("Block schedule: {n} blocks on {m} lanes of {k} {unit}, {seen} in view."));
    let of = [
        ("n", thousands(numbers.blocks)),
        ("m", thousands(numbers.lanes)),
        ("k", thousands(numbers.units)),
        ("unit", schedule.launch.terms.unit.to_owned()),
        ("seen", thousands(layout.seen.len() as u64)),
    ];
    fill(words, &of.each_ref().map(|(name, value)| (*name, value.as_str())))
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&SCHEDULE), Engine::answers::<ScheduleQuery>(), Engine::draws::<Frame>()];

impl Answers for ScheduleQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_schedule(self.look())
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_schedule(Some(&self.look))
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw(doc, self, size, palette)
    }

    fn headed(&self, doc: &mut Document, picture: Scene, note: Note) -> Scene {
        headed(doc, picture, &note.ramp, self.look)
    }
}

// The block schedule, all units below each other.

pub(crate) static SCHEDULE: Picture =
    Picture { id: "schedule", title: "Schedule", draw: schedule, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn schedule(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.schedule().is_none() {
        return Err("No block schedule in these files.".to_owned());
    }
    let look = Look::of(doc.values());
    let ask = Frame { look, ..Frame::default() };
    let rows =
        doc.draw(&ask, Size { w: size.w, h: STRIP + RULER }, palette).1.unwrap_or_default().rows_h as f32;
    let body = Size { w: size.w, h: (STRIP + RULER + rows).min(MAX_HEIGHT - HEAD) };
    let (picture, note) = doc.draw(&ask, body, palette);
    let colors = note.unwrap_or_default().ramp;
    Ok(headed(doc, picture, &colors, look))
}

/// A picture of the schedule below its title and what its colors mean.
pub(crate) fn headed(doc: &Document, picture: Scene, colors: &[u32], look: Look) -> Scene {
    let language = doc.language();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = tr(language, phrase("Block schedule"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    let Some(found) = doc.schedule() else { return scene };
    let numbers = &found.numbers;
    let (low, high) = match look.color {
        ColorBy::Elapsed => {
            let [low, high] = [numbers.shortest, numbers.longest].map(|v| compact(v as f64));
            (low, format!("{high} {}", found.launch.time.word()))
        }
        ColorBy::Wave => (format!("{} 1", tr(language, phrase("wave"))), thousands(numbers.n_waves())),
        ColorBy::Block => {
            let last = found.launched().saturating_sub(1);
            (format!("{} 0", tr(language, phrase("block"))), thousands(last))
        }
    };
    ramp(&mut scene, low, colors, high);
    scene
}
