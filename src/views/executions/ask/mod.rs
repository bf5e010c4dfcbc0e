//! Executions of blocks: what a launch adds up to, one execution, what lies under a point, and the picture.

mod detail;

use crate::base::geometry::Size;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase, tr};
use crate::document::Document;
use crate::document::engine::{Answers, Draws, Engine};
use crate::draw::style::DrawStyle;
use crate::model::symbols::Symbols;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::executions::compute::{
    Cache, DIVERGENT, INCOMPLETE, Launch, Naming, Recorded, Run, Threads, UNCOALESCED, lanes,
};
use crate::views::executions::messages::{Execution, ExecutionsQuery, Frame, Head, Note, Reply, Under};
use crate::views::executions::scene::{
    Hit, Plot, color, draw as draw_plot, execution_color, hit, parting_words, scroll_to,
};
use crate::wire::{Answer, Question};

/// Colors of a legend.
const STOPS: u32 = 9;
/// Launches that are listed.
const LAUNCHES: usize = 4096;

/// Whether a launch has anything to show.
fn is_shown(recorded: &Recorded, launch: &Launch) -> bool {
    !launch.executions.block.is_empty() && (launch.program as usize) < recorded.programs.len()
}

impl Document {
    /// The symbol that a name was written out from; empty where it was not.
    pub(crate) fn symbol_of(&self, name: &str) -> String {
        let symbols = self.trace().extensions.get::<Symbols>();
        symbols.and_then(|symbols| symbols.symbol(name)).unwrap_or_default().to_owned()
    }

    fn recorded(&self) -> Option<&Recorded> {
        self.trace().extensions.get::<Recorded>()
    }

    /// How many executions there are in all launches.
    pub(crate) fn n_executions(&self) -> u64 {
        let launches = self.recorded().map_or(&[][..], |recorded| &recorded.launches);
        launches.iter().map(|launch| launch.executions.block.len() as u64).sum()
    }

    /// The launch that is shown where none is chosen.
    pub(crate) fn first_launch(&self) -> Option<u32> {
        let recorded = self.recorded()?;
        let first = recorded.launches.iter().position(|launch| is_shown(recorded, launch))?;
        Some(first as u32)
    }

    /// Prepares a launch for some milliseconds; true when it is prepared. Nothing is prepared before all is read.
    pub(crate) fn prepare_launch(&mut self, launch: Option<u32>) -> bool {
        let launch = launch.or_else(|| self.first_launch());
        let Some((trace, launch)) = self.shared_trace().zip(launch) else { return true };
        self.kept.of::<Cache>().prepare(&trace, launch)
    }

    /// The same for a question.
    pub(crate) fn prepare_executions(&mut self, ask: &ExecutionsQuery) -> bool {
        if !self.prepare_launch(ask.launch()) {
            return false;
        }
        let ExecutionsQuery::Nearest { launch, thread } = *ask else { return true };
        self.shared_trace().is_none_or(|trace| self.kept.of::<Cache>().seek(&trace, launch, thread))
    }

    /// A launch that was prepared.
    fn run(&self, launch: u32) -> Option<Run<'_>> {
        self.kept.get::<Cache>()?.run(self.recorded()?, launch)
    }

    /// Something of what a frame shows; the pair of it is compared first.
    fn with_plot<T>(&mut self, frame: &Frame, act: impl FnOnce(&Self, &Plot) -> T) -> Option<T> {
        let pair = frame.pair.and_then(|threads| {
            let recorded = self.sink.builder.trace().extensions.get::<Recorded>()?;
            Some((threads, self.kept.of::<Cache>().pair(recorded, frame.launch, threads)?))
        });
        let run = self.run(frame.launch)?;
        let n = run.launch.executions.block.len();
        let plot = Plot {
            run,
            axis: if run.has(frame.axis) {
                frame.axis
            } else {
                crate::views::executions::messages::Axis::Block
            },
            color: frame.color,
            folding: frame.folding.as_ref(),
            window: frame.window,
            scroll: frame.scroll,
            selected: frame.selected.filter(|execution| (*execution as usize) < n),
            thread: frame.thread,
            pair,
        };
        Some(act(self, &plot))
    }
}

fn answer(doc: &mut Document, ask: &ExecutionsQuery) -> Reply {
    match ask {
        ExecutionsQuery::Head { launch } => Reply::Head(head(doc, *launch).map(Box::new)),
        ExecutionsQuery::Detail { launch, execution, row } => {
            let (run, language) = (doc.run(*launch), doc.language());
            Reply::Detail(run.and_then(|run| detail::detail(&run, *execution, *row, language)).map(Box::new))
        }
        ExecutionsQuery::Under { frame, size, at } => {
            let found = doc.with_plot(frame, |doc, plot| Some(under(doc, plot, hit(plot, *size, *at)?)));
            Reply::Under(found.flatten().map(Box::new))
        }
        ExecutionsQuery::Step { launch, from, kind, is_forward } => {
            Reply::Step(doc.run(*launch).and_then(|run| run.step(*from, *kind, *is_forward)))
        }
        ExecutionsQuery::ScrollTo { frame, size, execution } => {
            let found = doc.with_plot(frame, |_, plot| scroll_to(plot, *size, *execution));
            let (scroll, window) = found.unwrap_or_default();
            Reply::ScrollTo(scroll, window)
        }
        ExecutionsQuery::Nearest { launch, thread } => {
            Reply::Nearest(doc.kept.of::<Cache>().nearest(*launch, *thread))
        }
    }
}

fn head(doc: &Document, launch: Option<u32>) -> Option<Head> {
    let recorded = doc.recorded()?;
    let launch = launch.or_else(|| doc.first_launch())?;
    let run = doc.run(launch)?;
    let rows = (0_u32..).zip(&recorded.launches).filter(|(_, launch)| is_shown(recorded, launch));
    let named = rows.take(LAUNCHES).map(|(row, launch)| {
        let program = recorded.programs.get(launch.program as usize);
        (row, launch.name.clone(), program.map_or(String::new(), |program| program.name.clone()))
    });
    let (all, arranged) = (&run.arranged.all, run.arranged);
    Some(Head {
        launches: named.collect(),
        launch,
        symbol: doc.symbol_of(&run.program.name),
        threads: run.threads() as u64,
        blocks: run.program.blocks.len() as u64,
        executions: all.executions,
        instructions: all.instructions,
        lanes: run.program.lanes,
        mean_lanes: run.launch.active_lanes.map(|(lanes, n)| lanes as f64 / n as f64).or(all.mean_lanes()),
        with_lanes: run.launch.active_lanes.map_or(all.instructions, |(_, n)| n),
        moved: (all.moved, all.used),
        most_excess: arranged.most_excess,
        groups: if arranged.groups.len() < 2 { String::new() } else { groups(&run.launch.threads) },
        has: crate::views::executions::messages::Recorded {
            time: arranged.has_time,
            lanes: arranged.has_lanes,
            memory: arranged.has_memory,
            rows: run.launch.rows.is_some(),
            block_masks: run.launch.has_block_masks,
            missing: run.launch.executions.flags.iter().any(|flags| flags & INCOMPLETE != 0),
        },
        order_from: run.launch.order_from.clone(),
        records: crate::views::plan::compute::records_read(doc.trace(), launch as usize),
        facts: run.launch.facts.clone(),
    })
}

/// What groups of threads are called.
fn groups(threads: &Threads) -> String {
    match &threads.naming {
        Naming::Plain => String::new(),
        Naming::Warps { .. } => "CTA".to_owned(),
        Naming::Fields(fields) => {
            let own = fields.split_last().map_or(&[][..], |(_, rest)| rest);
            own.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>().join("/")
        }
    }
}

/// The name of a thread behind that of its group.
fn thread_name(threads: &Threads, thread: u32) -> String {
    let (group, name) = (threads.group_name(thread as usize), threads.name(thread as usize));
    if group.is_empty() { name } else { format!("{group} {name}") }
}

fn under(doc: &Document, plot: &Plot, hit: Hit) -> Under {
    let threads = &plot.run.launch.threads;
    let name = match hit {
        Hit::Group(group) => {
            let own = plot.run.arranged.groups.get(group as usize);
            own.map_or(String::new(), |own| threads.group_name(own.threads.start as usize))
        }
        Hit::Thread(thread) | Hit::Execution(thread, _) => thread_name(threads, thread),
        Hit::Overview(_) => String::new(),
    };
    let Hit::Execution(_, execution) = hit else { return Under { hit, name, execution: None, color: None } };
    let style = DrawStyle { palette: doc.palette(), language: doc.language() };
    let color = doc.palette().rgba(execution_color(plot, execution, &style));
    Under { hit, name, execution: known(&plot.run, execution), color: Some(color) }
}

/// What is known of an execution without looking into the file.
fn known(run: &Run, execution: u32) -> Option<Execution> {
    let (at, executions) = (execution as usize, &run.launch.executions);
    let all = run.range(run.thread(execution)?);
    let flags = executions.flags.get(at).copied().unwrap_or(0);
    let column = |column: &[u32]| column.get(at).copied().map(u64::from);
    let moved = column(&executions.moved).zip(column(&executions.used));
    Some(Execution {
        block: run.label(run.block(at)).to_owned(),
        ordinals: ((at - all.start) as u32, run.arranged.ordinal(at)),
        time: executions.time.get(at).copied().filter(|_| run.arranged.has_time),
        lanes: lanes(executions, at),
        moved: moved.map(|(moved, used)| (moved, used, column(&executions.excess).unwrap_or(0))),
        flags: [DIVERGENT, UNCOALESCED, INCOMPLETE].map(|flag| flags & flag != 0),
    })
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let drawn = doc.with_plot(frame, |doc, plot| {
        let style = DrawStyle { palette, language: doc.language() };
        let layout = plot.layout(size);
        let by = plot.color.possible(&plot.run);
        let stop = |at: u32| palette.rgba(color(&style, by, f64::from(at) / f64::from(STOPS - 1)));
        let note = Note {
            area: layout.area,
            pair: layout.pair,
            window: layout.window,
            length: layout.length,
            scroll: (layout.scroll, layout.max_scroll),
            height: f64::from(layout.area.y) + layout.rows_h,
            color: by,
            ramp: (0..STOPS).map(stop).collect(),
            parting: plot
                .pair
                .map_or(String::new(), |(_, parting)| parting_words(plot, parting, doc.language())),
            alt: alt(doc, plot, layout.visible(plot).len()),
        };
        (draw_plot(plot, size, &style), note)
    });
    let (scene, note) = drawn.unwrap_or_else(|| (Scene::new(size), Note::default()));
    (scene, note)
}

/// The picture in words.
fn alt(doc: &Document, plot: &Plot, seen: usize) -> String {
    let run = plot.run;
    let words = phrase("Trace of {name}: {n} executions of {m} blocks by {k} threads, {seen} rows in view.");
    let of = [
        ("name", run.launch.name.clone()),
        ("n", thousands(run.arranged.all.executions)),
        ("m", thousands(run.program.blocks.len() as u64)),
        ("k", thousands(run.threads() as u64)),
        ("seen", thousands(seen as u64)),
    ];
    fill(tr(doc.language(), words), &of.each_ref().map(|(name, value)| (*name, value.as_str())))
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] = &[
    Engine::saves(&super::picture::EXECUTIONS),
    Engine::answers::<ExecutionsQuery>(),
    Engine::draws::<Frame>(),
];

impl Answers for ExecutionsQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_executions(self)
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }
}

impl Draws for Frame {
    fn prepare(&self, doc: &mut Document) -> bool {
        doc.prepare_launch(Some(self.launch))
    }

    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw(doc, self, size, palette)
    }

    fn headed(&self, doc: &mut Document, picture: Scene, note: Note) -> Scene {
        super::picture::headed(doc, picture, &note, self.launch)
    }
}
