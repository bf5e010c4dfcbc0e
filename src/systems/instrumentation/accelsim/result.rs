//! What was read of a kernel becomes a program, a launch and its metrics.

use super::fold::{Fold, Places};
use super::kernel::Kernel;
use super::line::{self, Cursor, Lanes};
use super::{Header, Run};
use crate::base::number;
use crate::base::terms::Terms;
use crate::base::time::Clock;
use crate::base::words::Message;
use crate::format::Sink;
use crate::input::{ByteSource, Cached, Source, read_range};
use crate::systems::instrumentation::metrics::{
    LaunchMetrics, Measured, SECTOR, ToolCount, add_listing, keep_partings,
};
use crate::views::executions::compute::{
    Absent, Executed, ExecutionRows, Instruction, Launch, Naming, Program, Recorded, Threads,
};
use std::cell::RefCell;
use std::ops::Range;

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
    let absent = absent(&kernel, &threads);
    let title = if kernel.header.name.is_empty() { name.clone() } else { kernel.header.name.clone() };
    let (mut instructions, mut metrics) = (Vec::new(), Vec::new());
    for number in fold.layout.by_rank.iter().map(|number| *number as usize) {
        let Some(of) = kernel.statics.get_mut(number) else { continue };
        let text = std::mem::take(&mut of.text);
        let source = of.line.map(|line| (title.clone(), line));
        instructions.push(Instruction { address: of.pc, text, memory: of.memory, source });
        metrics.extend(kernel.meter.instructions.get_mut(number).map(std::mem::take));
    }
    let Fold { layout, executions, places, partings, .. } = fold;
    keep_partings(&mut metrics, partings);
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
        is_of_lanes: false,
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
        absent,
    });
}

/// Numbers of the warps: by the grid, or by the groups that were seen where the head says too little or nonsense.
fn threads(header: &Header, runs: &[Run]) -> Threads {
    let most = |of: fn(&Run) -> u32| runs.iter().map(of).max().map_or(1, |n| n.saturating_add(1));
    let seen = [most(|run| run.group[2]), most(|run| run.group[1]), most(|run| run.group[0])];
    let warps = most(|run| run.warp).max(header.warps()); // at least 1
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

/// What its head and those of its warps announce and the trace does not hold: nothing where the grid is not that of the
/// warps that are there.
fn absent(kernel: &Kernel, threads: &Threads) -> Absent {
    let warps = u64::from(kernel.header.warps());
    let grid = kernel.header.grid.iter().map(|n| u64::from(*n));
    let of = grid.fold(warps, u64::saturating_mul);
    let seen = threads.ids.iter().zip(threads.instances.iter().chain(std::iter::repeat(&0)));
    let seen = seen.filter(|(_, instance)| **instance == 0).count() as u64;
    let (threads, of) = of.checked_sub(seen).map_or((0, 0), |absent| (absent, of));
    Absent { threads, of, instructions: kernel.warps.absent }
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

// Reads what executions did from the trace again.

/// Bytes that are read at once: executions are asked for one after the other.
const WINDOW: u64 = 1 << 14;

/// Most bytes of a line that is read by its own.
const LINE: u64 = 4_096;

/// The lines of a trace.
struct Lines {
    pub(super) source: Cached,
    pub(super) places: Places,
    /// Columns in front of the address of an instruction.
    pub(super) columns: usize,
    /// Whether a number stands behind each instruction.
    pub(super) immediate: Option<bool>,
    /// What was read last, and where it begins.
    pub(super) window: RefCell<(u64, Vec<u8>)>,
}

impl Lines {
    /// Does something with bytes of the trace.
    fn bytes<T>(&self, range: Range<u64>, then: impl FnOnce(&[u8]) -> T) -> Result<T, String> {
        let mut window = self.window.borrow_mut();
        let end = window.0 + window.1.len() as u64;
        if range.start < window.0 || end < range.end.min(self.source.len()) {
            let wanted = range.start..range.end.max(range.start.saturating_add(WINDOW));
            *window = (range.start, read_range(&self.source, wanted).map_err(|why| why.0)?);
        }
        let at = |byte: u64| usize::try_from(byte.saturating_sub(window.0)).unwrap_or(usize::MAX);
        let to = at(range.end).min(window.1.len());
        Ok(then(window.1.get(at(range.start).min(to)..to).unwrap_or(&[])))
    }

    fn row(&self, program: &Program, text: &[u8]) -> Option<Executed> {
        let mut cursor = Cursor(text);
        for _ in 0..self.columns {
            cursor.token();
        }
        let (pc, mask, rest) = line::head(cursor.0)?;
        let found = program.instructions.binary_search_by_key(&pc, |of| of.address);
        let instruction = found.ok().and_then(|row| u32::try_from(row).ok())?;
        let operands = line::operands(rest)?;
        let mut lanes: Lanes = [0; 32];
        let n = match operands.width {
            0 => Ok(0),
            _ => line::addresses(operands.tail, mask, self.immediate, &mut lanes),
        };
        let addresses = n.ok().and_then(|n| lanes.get(..n)).unwrap_or(&[]).to_vec();
        let missing = n.err().map(|_| super::WRONG_LANES);
        Some(Executed { instruction, mask: Some(mask), addresses, missing, ..Executed::default() })
    }

    /// The line that begins in a unit of eight bytes.
    fn line_at(&self, program: &Program, unit: u32) -> Result<Option<Executed>, String> {
        let first = (u64::from(unit) * 8).saturating_sub(1);
        self.bytes(first..first + LINE, |bytes| {
            // The end of the line before is in sight, or the trace begins here.
            let skip = match unit {
                0 => 0,
                _ => bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1),
            };
            let rest = bytes.get(skip..).unwrap_or(&[]);
            let mut lines = rest.split(|byte| *byte == b'\n').map(trimmed);
            lines.find(|text| !text.is_empty()).and_then(|text| self.row(program, text))
        })
    }
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\r").unwrap_or(text)
}

impl ExecutionRows for Lines {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let at = execution as usize;
        match &self.places {
            Places::Grouped(starts, lens) => {
                let Some((&first, &len)) = starts.get(at).zip(lens.get(at)) else { return Ok(Vec::new()) };
                self.bytes(first..first.saturating_add(u64::from(len)), |bytes| {
                    let lines = bytes.split(|byte| *byte == b'\n').map(trimmed);
                    let mut rows: Vec<Executed> = lines.filter_map(|text| self.row(program, text)).collect();
                    // Where a copy has two lines, they are one row: that of the global side, with the greater addresses.
                    rows.dedup_by(|second, first| {
                        let is_one = second.instruction == first.instruction;
                        if is_one && first.addresses < second.addresses {
                            std::mem::swap(first, second);
                        }
                        is_one
                    });
                    rows
                })
            }
            Places::Interleaved(firsts, units) => {
                let Some(first) = firsts.get(at).copied() else { return Ok(Vec::new()) };
                let block =
                    launch.executions.block.get(at).and_then(|block| program.blocks.get(*block as usize));
                let next = firsts.get(at + 1).map_or(units.len(), |next| *next as usize);
                let whole = first.saturating_add(block.map_or(0, |block| block.len)) as usize;
                let rows = (first as usize..next.min(whole)).filter_map(|row| units.get(row));
                rows.filter_map(|unit| self.line_at(program, *unit).transpose()).collect()
            }
        }
    }

    fn reads(&self) -> u64 {
        self.source.reads()
    }
}
