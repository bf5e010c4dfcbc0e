//! What was read of a kernel becomes a program, a launch and its metrics.

use super::fold::Fold;
use super::header::Header;
use super::kernel::Kernel;
use super::rows::Lines;
use super::threads::Run;
use crate::base::number;
use crate::base::terms::Terms;
use crate::base::time::Clock;
use crate::base::words::Message;
use crate::format::sink::Sink;
use crate::input::cached::Cached;
use crate::input::source::Source;
use crate::systems::instrumentation::metrics::{LaunchMetrics, Measured, SECTOR, ToolCount, add_listing};
use crate::views::executions::compute::{Instruction, Launch, Naming, Program, Recorded, Threads};
use std::cell::RefCell;

/// Lanes of a warp.
const LANES: u32 = 32;

/// Adds a kernel: the number of its entry and its name, its bytes, what was read, and the tool's own count.
pub(super) fn add(
    sink: &mut Sink,
    (entry, name): (u32, String),
    source: Source,
    (mut kernel, fold): (Kernel, Fold),
    tool: Option<(u64, Message)>,
) {
    let (immediate, columns) = (kernel.header.has_immediate(), kernel.columns.unwrap_or(0));
    let threads = threads(&kernel.header, &fold.runs);
    let title = if kernel.header.name.is_empty() { name.clone() } else { kernel.header.name.clone() };
    let (mut instructions, mut metrics) = (Vec::new(), Vec::new());
    for number in fold.layout.by_rank.iter().map(|number| *number as usize) {
        let Some(of) = kernel.statics.get_mut(number) else { continue };
        let text = std::mem::take(&mut of.text);
        let source = of.line.map(|line| (title.clone(), line));
        instructions.push(Instruction { address: of.pc, text, memory: of.memory, source });
        metrics.extend(kernel.meter.instructions.get_mut(number).map(std::mem::take));
    }
    let Fold { layout, executions, places, .. } = fold;
    let mut program = Program {
        name: title,
        entry,
        lanes: LANES,
        blocks: layout.blocks,
        instructions,
        listing: None,
        is_numbered: false,
    };
    let trace = sink.builder.head();
    let row = trace.extensions.get::<Recorded>().map_or(0, |known| known.launches.len());
    let row = u32::try_from(row).unwrap_or(u32::MAX);
    let count = |(instructions, reason)| ToolCount { from: "stats.csv".to_owned(), instructions, reason };
    program.listing = Some(add_listing(trace, &program, &metrics));
    let metrics = LaunchMetrics { launch: row, instructions: metrics, sector: SECTOR, tool: tool.map(count) };
    trace.extensions.get_or_default::<Measured>().launches.push(metrics);
    let Header { grid, group, facts, .. } = kernel.header;
    let source = Cached::new(source);
    let rows = Lines { source, places, columns, immediate, window: RefCell::default() };
    let known = trace.extensions.get_or_default::<Recorded>();
    let of = u32::try_from(known.programs.len()).unwrap_or(u32::MAX);
    known.programs.push(program);
    known.launches.push(Launch {
        program: of,
        name,
        entry,
        grid,
        group,
        facts,
        threads,
        executions,
        rows: Some(Box::new(rows)),
        order_from: None,
        has_block_masks: false,
        active_lanes: None,
    });
}

/// Numbers of the warps: by the grid, or by the groups that were seen where the head says too little or nonsense.
fn threads(header: &Header, runs: &[Run]) -> Threads {
    let most = |of: fn(&Run) -> u32| runs.iter().map(of).max().map_or(1, |n| n.saturating_add(1));
    let seen = [most(|run| run.group[2]), most(|run| run.group[1]), most(|run| run.group[0])];
    let warps = most(|run| run.warp).max(header.warps());
    let fits = |grid: &[u32; 3]| {
        let all = grid.iter().try_fold(warps, |n, side| n.checked_mul(*side));
        all.is_some_and(|n| n < u32::MAX)
    };
    let at_least =
        [0, 1, 2].map(|n| header.grid.get(n).copied().unwrap_or(0).max(seen.get(n).copied().unwrap_or(0)));
    let grid = [at_least, seen].into_iter().find(fits);
    let id = |run: &Run| {
        let [x, y, _] = grid?;
        let [at_z, at_y, at_x] = run.group;
        Some(((at_z * y + at_y) * x + at_x) * warps + run.warp)
    };
    let ids: Vec<u32> = (0..).zip(runs).map(|(n, run)| id(run).unwrap_or(n)).collect();
    let mut instances: Vec<u32> = Vec::with_capacity(ids.len());
    for (n, id) in ids.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|before| Some((ids.get(before)?, instances.get(before)?)));
        instances.push(before.filter(|(before, _)| *before == id).map_or(0, |(_, instance)| instance + 1));
    }
    if instances.iter().all(|instance| *instance == 0) {
        instances = Vec::new();
    }
    let naming = grid.map_or(Naming::Plain, |grid| Naming::Warps { grid, warps });
    Threads { ids, instances, naming }
}

/// Everything was read: what tells the trace apart.
pub(super) fn head(sink: &mut Sink) {
    let trace = sink.builder.head();
    trace.terms = Terms::of(["CTA", "Warp", "Kernel", "Block", "Execution", "SASS"]);
    trace.clock = Clock::Steps;
    let Some(recorded) = trace.extensions.get::<Recorded>() else { return };
    let mut names = recorded.programs.iter().map(|program| program.name.as_str());
    let first = names.next().unwrap_or("").to_owned();
    let n = recorded.launches.len();
    let is_one = names.all(|name| name == first);
    let measured = trace.extensions.get::<Measured>().map_or(&[][..], |all| &all.launches);
    let instructions: u64 = measured.iter().map(|of| of.totals().0).sum();
    let fact = |name: &str| {
        let facts = recorded.launches.iter().flat_map(|launch| &launch.facts);
        facts.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    };
    let chip = fact("binary version").filter(|version| version.parse::<u32>().is_ok_and(|n| 10 <= n));
    let kernels = (1 < n).then(|| number::of_kind(&number::thousands(n as u64), "kernels"));
    let count = number::of_kind(&number::thousands(instructions), "instructions");
    trace.headline = chip.map(|n| format!("sm_{n}")).into_iter().chain(kernels).chain([count]).collect();
    if is_one {
        trace.title = first;
    }
}
