//! Executions of blocks: what a launch adds up to, one execution, what lies under a point, and the picture.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::words::{Language, fill, phrase, tr};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, MAX_HEIGHT, Picture, ramp};
use crate::draw::style::{DrawStyle, NAME, T1};
use crate::model::Symbols;
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene, put};
use crate::views::executions::compute::pattern::{BANKS, access, conflicts};
use crate::views::executions::compute::{
    Cache, DIVERGENT, Executed, INCOMPLETE, Launch, MemoryOperand, Naming, Recorded, Run, Space, Threads,
    UNCOALESCED, float_of_bits, lanes,
};
use crate::views::executions::messages::{
    ColorBy, Detail, DetailRow, Execution, ExecutionsQuery, Folding, Frame, Head, LaneGrid, Note,
    RegisterRange, Reply, RowAccess, Under,
};
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
            Reply::Detail(run.and_then(|run| detail(&run, *execution, *row, language)).map(Box::new))
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
        is_of_lanes: run.launch.is_of_lanes,
        is_warps: matches!(run.launch.threads.naming, Naming::Warps { .. }),
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
pub static ENGINES: &[Engine] =
    &[Engine::saves(&EXECUTIONS), Engine::answers::<ExecutionsQuery>(), Engine::draws::<Frame>()];

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
        headed(doc, picture, &note, self.launch)
    }
}

// One execution in detail: its rows read from the file again, what each access did, the lanes of one.

/// Rows that are told of.
const ROWS: usize = 1024;
/// Registers of a row that are told of.
const REGISTERS: usize = 16;
/// Bytes of a bank.
const WORD: u64 = 4;
/// Executions behind one that are read to find where its lanes went.
const AHEAD: u32 = 64;

fn detail(run: &Run, execution: u32, row: Option<u32>, language: Language) -> Option<Detail> {
    let thread = run.thread(execution)?;
    let known = known(run, execution)?;
    let read = match &run.launch.rows {
        Some(source) => source.rows(run.launch, run.program, execution).map_err(Some),
        None => Err(None),
    };
    let (rows, problem) = match read {
        Ok(rows) => (rows, None),
        Err(problem) => (bare_rows(run, execution), problem),
    };
    let lanes = run.program.lanes.clamp(1, 32);
    let told = rows.iter().take(ROWS).map(|row| detail_row(run, row)).collect::<Vec<_>>();
    let first = || told.iter().position(|row| row.access.is_some()).or((!told.is_empty()).then_some(0));
    let chosen = row.map(|row| row as usize).filter(|row| *row < told.len()).or_else(first);
    let grid = chosen.and_then(|at| Some(grid(run, at, rows.get(at)?, lanes)));
    Some(Detail {
        execution,
        thread: (thread, thread_name(&run.launch.threads, thread)),
        known,
        listing: run.program.listing,
        lanes,
        turn: run.turn(execution).unwrap_or_default(),
        left_out: rows.len().saturating_sub(told.len()) as u64,
        branch: branch(run, execution, &rows, language)
            .or_else(|| jump(run, &rows, language))
            .unwrap_or_default(),
        rows: told,
        problem,
        chosen: grid.filter(|_| run.launch.rows.is_some()),
    })
}

/// Lanes that were in an execution, and whether these are all: the mask of a branch or an end that stands alone may be that
/// of its predicate, and rows may be missing. `None` where masks of its instructions were not recorded.
fn lanes_in(run: &Run, execution: u32, rows: &[Executed]) -> Option<(u32, bool)> {
    let mask = rows.iter().try_fold(0, |all, row| Some(all | row.mask?))?;
    let block = run.program.blocks.get(run.block(execution as usize) as usize)?;
    let flags = run.launch.executions.flags.get(execution as usize).copied().unwrap_or(0);
    // Where lanes wait for each other they do not part: what comes next may be another path that the warp turns to.
    let waits = |row: &Executed| {
        let own = run.program.instructions.get(row.instruction as usize);
        own.is_some_and(|own| own.text.starts_with("BSYNC"))
    };
    let may_part = 2 <= block.successors.len() || block.is_exit;
    let is_plain = 1 < rows.len() || !may_part || rows.first().is_some_and(waits);
    Some((mask, run.launch.has_block_masks || is_plain && flags & INCOMPLETE == 0))
}

/// Where lanes that part behind an execution go: each to the first block behind it that has it among its lanes. Nothing
/// where they stay together, or where the file does not say where they go.
fn branch(run: &Run, execution: u32, rows: &[Executed], language: Language) -> Option<String> {
    // Without the flow some blocks are not seen.
    let source = run.launch.rows.as_ref().filter(|_| run.launch.order_from.is_none())?;
    let (mut left, true) = lanes_in(run, execution, rows)? else { return None };
    let all = run.range(run.thread(execution)?);
    let mut parts: Vec<(u32, u32)> = Vec::new(); // block, lanes
    let mut at = execution;
    while left != 0 && (at as usize) + 1 < all.end && at - execution < AHEAD {
        at += 1;
        let (lanes, is_all) = lanes_in(run, at, &source.rows(run.launch, run.program, at).ok()?)?;
        if !is_all && left & !lanes != 0 {
            return None;
        }
        let block = run.block(at as usize);
        let n = (left & lanes).count_ones();
        match parts.iter_mut().find(|part| part.0 == block) {
            Some(part) => part.1 += n,
            None if n != 0 => parts.push((block, n)),
            None => {}
        }
        left &= !lanes;
    }
    if parts.len() + usize::from(left != 0) < 2 {
        return None;
    }
    let own = run.block(execution as usize);
    let part = |(block, n): (u32, u32)| {
        let words = match (block == own, n) {
            (true, 1) => phrase("1 lane stays in {block}"),
            (true, _) => phrase("{n} lanes stay in {block}"),
            (false, 1) => phrase("1 lane goes to {block}"),
            (false, _) => phrase("{n} lanes go to {block}"),
        };
        fill(tr(language, words), &[("n", &n.to_string()), ("block", run.label(block))])
    };
    let rest = (left != 0).then(|| {
        let words = if (at as usize) + 1 < all.end {
            phrase("{n} not seen in the next {k} blocks")
        } else {
            phrase("{n} not seen again")
        };
        let (n, k) = (left.count_ones().to_string(), thousands(u64::from(AHEAD)));
        fill(tr(language, words), &[("n", &n), ("k", &k)])
    });
    let comma = if language == Language::Zh { "，" } else { ", " };
    Some(parts.into_iter().map(part).chain(rest).collect::<Vec<_>>().join(comma))
}

/// How many lanes take the jump at the end of an execution, where some of them go on: they may meet again within a block,
/// where no other execution tells them apart. Nothing where the mask of the jump may be all that is known of its lanes.
fn jump(run: &Run, rows: &[Executed], language: Language) -> Option<String> {
    let (last, before) = rows.split_last().filter(|(_, before)| !before.is_empty())?;
    let here = before.iter().try_fold(last.mask?, |all, row| Some(all | row.mask?))?;
    let taken = last.mask?;
    let text = &run.program.instructions.get(last.instruction as usize)?.text;
    let is_jump = ["BRA", "BRX", "JMP", "JMX"].contains(&text.split([' ', '.']).next()?);
    if run.launch.has_block_masks || !is_jump || taken == 0 || taken == here {
        return None;
    }
    let words = tr(language, phrase("{jump}: {n} lanes jump, {m} go on"));
    let [n, m] = [taken, here & !taken].map(|mask| mask.count_ones().to_string());
    Some(fill(words, &[("jump", text), ("n", &n), ("m", &m)]))
}

/// The instructions of a block of which nothing more was recorded.
fn bare_rows(run: &Run, execution: u32) -> Vec<Executed> {
    let Some(block) = run.program.blocks.get(run.block(execution as usize) as usize) else {
        return Vec::new();
    };
    let end = block.first.saturating_add(block.len).min(run.program.instructions.len() as u32);
    (block.first..end).map(|instruction| Executed { instruction, ..Executed::default() }).collect()
}

fn operand(run: &Run, row: &Executed) -> Option<MemoryOperand> {
    run.program.instructions.get(row.instruction as usize)?.memory
}

fn detail_row(run: &Run, row: &Executed) -> DetailRow {
    let instruction = run.program.instructions.get(row.instruction as usize);
    let registers = row.registers.iter().take(REGISTERS).filter_map(|own| {
        let whole = (*own.values.iter().min()?, *own.values.iter().max()?);
        let floats = own.values.iter().map(|value| float_of_bits(*value));
        // What is no number loses against any that is one.
        let (least, most) = floats.fold((f64::NAN, f64::NAN), |(a, b), own| (a.min(own), b.max(own)));
        Some(RegisterRange { register: own.register, mask: own.mask, whole, float: (least, most) })
    });
    DetailRow {
        address: run.program.address(row.instruction as usize),
        text: instruction.map_or(String::new(), |instruction| instruction.text.clone()),
        mask: row.mask,
        access: row_access(run, row),
        registers: registers.collect(),
        missing: row.missing.map(str::to_owned),
    }
}

/// What a row did to memory; nothing where that was not recorded.
fn row_access(run: &Run, row: &Executed) -> Option<RowAccess> {
    let operand = operand(run, row)?;
    let is_off = row.mask == Some(0);
    if row.addresses.is_empty() && !is_off {
        return None;
    }
    let (has_banks, sector) = (operand.space == Space::Shared, run.launch.sector());
    let is_global = matches!(operand.space, Space::Global | Space::Local);
    let Some(bytes) = operand.bytes else {
        return Some(RowAccess { sector, ..RowAccess::default() });
    };
    if row.is_base_only(run.program.lanes) {
        return Some(RowAccess { bytes, sector, is_global, is_base: true, ..RowAccess::default() });
    }
    let mask = row.mask.unwrap_or(u32::MAX) & operand.lanes;
    let addresses = row.addresses.get(..mask.count_ones() as usize).unwrap_or(&row.addresses);
    Some(RowAccess {
        access: access(addresses, bytes, sector),
        bytes,
        sector,
        conflicts: has_banks.then(|| conflicts(mask, addresses, bytes)),
        is_global,
        is_base: false,
    })
}

/// The lanes of a row.
fn grid(run: &Run, at: usize, row: &Executed, lanes: u32) -> LaneGrid {
    let mask = row.mask.unwrap_or(if row.addresses.is_empty() { 0 } else { u32::MAX });
    let operand = operand(run, row);
    let has_banks = operand.is_some_and(|operand| operand.space == Space::Shared);
    let spread = |mask: u32, values: &[u64]| -> Vec<Option<u64>> {
        let mut values = values.iter().copied();
        (0..lanes).map(|lane| if mask >> lane & 1 == 1 { values.next() } else { None }).collect()
    };
    let (addresses, sector) =
        (spread(mask & operand.map_or(u32::MAX, |own| own.lanes), &row.addresses), run.launch.sector());
    let base = addresses.iter().flatten().min().copied();
    let place = |address: u64| if has_banks { address / WORD % BANKS } else { address / sector };
    let shared = |address: &Option<u64>| {
        let Some(own) = *address else { return 0 };
        let others = addresses
            .iter()
            .flatten()
            .filter(|other| place(**other) == place(own) && (!has_banks || *other / WORD != own / WORD));
        others.count().saturating_sub(usize::from(!has_banks)) as u32
    };
    LaneGrid {
        row: at as u32,
        base,
        mask: if lanes < 32 { mask & ((1 << lanes) - 1) } else { mask },
        shared: addresses.iter().map(shared).collect(),
        places: addresses.iter().map(|a| a.map(|a| (a - base.unwrap_or(a), place(a)))).collect(),
        registers: row
            .registers
            .iter()
            .take(REGISTERS)
            .map(|own| (own.register, spread(own.mask, &own.values)))
            .collect(),
    }
}

// What threads of the first launch ran, all of them below each other.

pub(crate) static EXECUTIONS: Picture = Picture { id: "trace", title: "Trace", draw: executions, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn executions(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let Some(launch) = doc.first_launch() else {
        return Err("No block executions in these files.".to_owned());
    };
    let frame = Frame { launch, folding: Some(Folding::default()), ..Frame::default() };
    let rows = doc.draw(&frame, Size { w: size.w, h: 1.0 }, palette).1.unwrap_or_default().height as f32;
    let body = Size { w: size.w, h: rows.min(MAX_HEIGHT - HEAD) };
    let (picture, note) = doc.draw(&frame, body, palette);
    let note = note.unwrap_or_default();
    Ok(headed(doc, picture, &note, launch))
}

/// A picture of a launch below its name and what its colors mean.
pub(crate) fn headed(doc: &mut Document, picture: Scene, note: &Note, launch: u32) -> Scene {
    let language = doc.language();
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let ask = ExecutionsQuery::Head { launch: Some(launch) };
    let head = if let Some(Reply::Head(head)) = doc.query(&ask).0 { head } else { None };
    let own = head.as_ref().and_then(|head| head.launches.iter().find(|(row, ..)| *row == launch));
    let name = own.map(|(_, name, program)| if program.is_empty() { name } else { program });
    let title = tr(language, phrase("Trace"));
    let title = name.map_or_else(|| title.to_owned(), |name| format!("{title} · {name}"));
    scene.text(Point { x: 16.0, y: 22.0 }, title, NAME, T1, Align::Left);
    let Some(head) = head else { return scene };
    let (what, low, high) = match note.color {
        ColorBy::Efficiency => (phrase("Efficiency"), "100 %", "0 %".to_owned()),
        ColorBy::Excess => (phrase("Excess sectors"), "0", thousands(head.most_excess)),
        ColorBy::Lanes => (phrase("Active lanes"), "0", thousands(head.lanes)),
        // Each has its own.
        ColorBy::Block => return scene,
    };
    ramp(&mut scene, format!("{} {low}", tr(language, what)), &note.ramp, high);
    scene
}
