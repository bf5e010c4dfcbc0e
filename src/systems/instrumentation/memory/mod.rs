//! Accesses to the memory of the device by address and by the order of instructions or threads: every lane of every
//! access of the recorded launches, read from the trace again and counted while it passes.

mod figures;
mod regions;
mod walk;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::job::{Job, Turn};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::density::compute::{
    Counter, Density, LINE, Lines, Order, PAGE_SIZES, Region, Window, page_shift,
};
use crate::views::executions::compute::{Recorded, Space};
use std::any::Any;
use std::rc::Rc;
use walk::Walk;

/// The analysis.
pub(in crate::systems::instrumentation) static ANALYSIS: Analysis = Analysis {
    id: "instrumentation-memory",
    title: phrase("Memory accesses"),
    parameters: &[&LAUNCH, &ORDER, &PAGE_SIZE, &KIND],
    applies: |trace| trace.extensions.get::<Recorded>().is_some_and(has_accesses),
    tap: None,
    start: Some(|input, trace| start(input, trace, None)),
    add_tracks: None,
    faults: None,
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

/// The launch whose accesses count.
static LAUNCH: Parameter = Parameter {
    id: "trace-launch",
    title: phrase("Launch number"),
    help: phrase("the launch that is counted, from 1 in their order; empty for all, one behind the other"),
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 0.0,
        max: 1e9,
        default: 0.0,
        none: phrase("all launches"),
    },
    rereads: false,
};

/// What stands for time.
static ORDER: Parameter = Parameter {
    id: "trace-order",
    title: phrase("Horizontal axis"),
    help: phrase("the instruction of each thread, or the thread"),
    kind: ParameterKind::Choice(&[
        ("instruction", phrase("Instruction order")),
        ("thread", phrase("Thread number")),
    ]),
    rereads: false,
};

/// Bytes of a page.
static PAGE_SIZE: Parameter = Parameter {
    id: "trace-page-size",
    title: phrase("Page size"),
    help: phrase("bytes that count as one page; a cache line has 128 B, a sector 32 B"),
    kind: ParameterKind::Choice(PAGE_SIZES),
    rereads: false,
};

/// The accesses that count.
static KIND: Parameter = Parameter {
    id: "trace-accesses",
    title: phrase("Reads and writes"),
    help: phrase("accesses that are counted; atomic ones are both"),
    kind: ParameterKind::Choice(&[
        ("all", phrase("Reads and writes")),
        ("reads", phrase("Reads")),
        ("writes", phrase("Writes")),
    ]),
    rereads: false,
};

/// Whether a launch accesses the memory of the device, and its rows can be read.
fn has_accesses(recorded: &Recorded) -> bool {
    recorded.launches.iter().filter(|launch| launch.rows.is_some()).any(|launch| {
        let program = recorded.programs.get(launch.program as usize);
        let mut all = program.into_iter().flat_map(|program| &program.instructions);
        all.any(|of| of.memory.is_some_and(|memory| memory.space == Space::Global))
    })
}

/// Begins to count all accesses, or those of a window.
fn start(input: &AnalysisInput, trace: Rc<Trace>, window: Option<Window>) -> Job<Box<dyn Any>> {
    let recorded = input.trace.extensions.get::<Recorded>();
    let regions = recorded.into_iter().flat_map(|recorded| &recorded.regions);
    let regions = regions.map(|region| (region.start, region.bytes));
    let asked = page_shift(input.values.text(PAGE_SIZE.id));
    // A window has the pages of all, and their regions.
    let known = input.result::<Density>().filter(|_| window.is_some());
    let counter = Counter::new(0, true, window).split_by(regions).fitting(asked, known);
    let bands = known.map(regions::known);
    let walk = Walk::new(recorded, input.values);
    Job::any(async move |turn| match trace.extensions.get::<Recorded>() {
        Some(recorded) => count(recorded, (walk, counter), (window, bands), &turn).await,
        None => Density::default(),
    })
}

async fn count(
    recorded: &Recorded,
    (mut walk, mut counter): (Walk, Counter),
    (window, bands): (Option<Window>, Option<Vec<Region>>),
    turn: &Turn,
) -> Density {
    // Not for a window.
    let mut lines = window.is_none().then(Lines::default);
    while walk.read(recorded, &mut |access| {
        let mut before = u64::MAX;
        for &address in access.addresses {
            counter.add(access.clock, address, 1, access.group);
            let Some(lines) = lines.as_mut() else { continue };
            let last = address.saturating_add(access.bytes.saturating_sub(1)) >> LINE;
            for line in address >> LINE..=last {
                if line != before {
                    lines.touch(line, access.thread);
                }
                before = line;
            }
        }
    }) {
        turn.pause().await;
    }
    counter.settle();
    let regions = bands.unwrap_or_else(|| regions::regions(recorded, &counter));
    let mut density = counter.finish(&regions);
    density.title = message("Memory accesses");
    density.order = walk.order;
    density.unit = match walk.order {
        Order::Thread => Unit::Count(phrase("threads").to_owned()),
        _ => Unit::Count(phrase("instructions").to_owned()),
    };
    density.has_blocks = walk.has_groups(recorded);
    density.empty = walk.missing;
    density.window = window;
    density.notes = notes(&walk);
    density.reuse = lines.map(|lines| lines.finish(&density));
    density.start_window = Some(|input, trace, window| start(input, trace, Some(*window)));
    density
}

/// What is to be said of what was read.
fn notes(walk: &Walk) -> Vec<Message> {
    let mut notes = Vec::new();
    if let Some(problem) = &walk.problem {
        let note = message("The file could not be read to its end: {problem}");
        notes.push(note.with("problem", problem));
    }
    if 0 < walk.unread {
        let note = message("{n} launches have no recorded addresses.");
        notes.push(note.with("n", number::thousands(walk.unread)));
    }
    if 0 < walk.bases {
        let note = message(
            "For {n} accesses only the base address was recorded: each counts once, not once per lane.",
        );
        notes.push(note.with("n", number::thousands(walk.bases)));
    }
    notes.push(message(
        "Each active lane of an instruction that accesses global memory counts once; shared and local memory are left out.",
    ));
    notes
}
