//! From the order of arrival to the order of threads; then programs and launches are whole.

use super::{Collector, Found, Kernel, Run, ThreadKey};
use crate::base::job::{Turn, pieces};
use crate::base::order;
use crate::base::words::phrase;
use crate::systems::instrumentation::metrics::{InstructionMetrics, LaunchMetrics, SECTOR};
use crate::views::executions::compute::{
    Absent, Block, ExecutionRows, Executions, Instruction, Launch, Naming, Program, Recorded, Threads,
};
use std::ops::Range;

/// Records that are put into their place between two pauses.
const AT_ONCE: usize = 1 << 17;

/// Makes the reader of rows from the places of a launch's records, in the order of its executions.
pub(crate) type MakeRows = Box<dyn Fn(Vec<u64>) -> Box<dyn ExecutionRows>>;

/// What comes of what was collected of an entry.
#[derive(Default)]
pub(crate) struct Settled {
    programs: Vec<Program>,
    launches: Vec<Launch>,
    told: Vec<Told>,
    measured: Vec<LaunchMetrics>,
}

impl Settled {
    /// Keeps programs and launches; what is told of each launch, and what was measured.
    pub(crate) fn keep(mut self, recorded: &mut Recorded) -> (Vec<Told>, Vec<LaunchMetrics>) {
        recorded.programs.append(&mut self.programs);
        recorded.launches.append(&mut self.launches);
        (self.told, self.measured)
    }
}

/// What is told of a launch beside what is kept of it.
pub(crate) struct Told {
    /// Its row in what is kept.
    pub(crate) launch: usize,
    /// Groups that its records name.
    pub(crate) ctas: usize,
    /// Processors that its records name.
    pub(crate) sms: usize,
    /// Whether its records have the addresses of their instructions.
    pub(crate) has_addresses: bool,
    /// A group that is outside of the grid that its line says, and where this line stands.
    pub(crate) outside: Option<Outside>,
}

/// A group, the grid, and byte and line of the launch.
pub(crate) type Outside = ([u32; 3], [u32; 3], (u64, u32));

/// A launch whose records are being put into order.
struct Scatter {
    run: Run,
    named: Named,
    next: Vec<u32>,
    executions: Executions,
    places: Vec<u64>,
}

/// Threads in their order.
struct Named {
    threads: Threads,
    /// Row of each thread in the order of the file.
    ranks: Vec<u32>,
    grid: [u32; 3],
    ctas: usize,
    /// The first group outside of the grid that the launch says.
    outside: Option<[u32; 3]>,
}

/// Settles what was collected of an entry; so many programs and launches are kept already.
pub(crate) async fn settle(
    collector: Collector,
    entry: u32,
    (n_programs, n_launches): (usize, usize),
    make_rows: MakeRows,
    turn: &Turn,
) -> Settled {
    let mut settled = Settled::default();
    // Row of each kernel's program, for each of its instructions the row there, and whether all have addresses.
    let mut kernels: Vec<(u32, Vec<u32>, bool)> = Vec::new();
    for kernel in collector.kernels {
        let row = u32::try_from(n_programs + settled.programs.len()).unwrap_or(u32::MAX);
        let is_addressed = kernel.instructions.iter().all(|found| found.pc.is_some());
        let (program, rows) = kernel.program(entry);
        settled.programs.push(program);
        kernels.push((row, rows, is_addressed));
        turn.pause().await;
    }
    let unknown = (0, Vec::new(), false);
    for run in collector.runs {
        let (program, rows, has_addresses) = kernels.get(run.kernel).unwrap_or(&unknown);
        let mut scatter = Scatter::new(run);
        for piece in pieces(scatter.run.block.len(), AT_ONCE) {
            scatter.put(piece, rows);
            turn.pause().await;
        }
        let launch = n_launches + settled.launches.len();
        settled.told.push(scatter.told(launch, *has_addresses));
        if scatter.run.has_records {
            settled.measured.push(scatter.measured(launch, rows));
        }
        let name = scatter.run.name(launch);
        settled.launches.push(scatter.launch((entry, *program), name, &make_rows));
    }
    settled
}

impl Kernel {
    /// The program, instructions by their address or else in the order of the file, each a block; and where those of the
    /// file's order went.
    fn program(self, entry: u32) -> (Program, Vec<u32>) {
        let mut order: Vec<(u32, Found)> = (0..).zip(self.instructions).collect();
        order::sort_by_key(&mut order, |(_, found)| found.pc);
        let mut rows = vec![0; order.len()];
        let is_numbered = order.iter().any(|(_, found)| found.pc.is_none());
        // Rows of it are named by nothing else.
        let name = if self.name.is_empty() { phrase("Unnamed kernel").to_owned() } else { self.name };
        let mut program = Program { name, entry, lanes: 32, is_numbered, ..Program::default() };
        for (row, (old, found)) in (0..).zip(order) {
            if let Some(to) = rows.get_mut(old as usize) {
                *to = row;
            }
            let label =
                found.pc.map_or_else(|| found.opcode.clone(), |pc| format!("{pc:#x} {}", found.opcode));
            program.blocks.push(Block { id: row, label, first: row, len: 1, ..Block::default() });
            program.instructions.push(Instruction {
                address: found.pc.unwrap_or_else(|| u64::from(row)),
                text: found.opcode,
                memory: found.memory,
                source: None,
            });
        }
        (program, rows)
    }
}

impl Run {
    /// What the launch is called: the number that its line prints, or else its row.
    fn name(&self, row: usize) -> String {
        let number = self.head.id.unwrap_or(row as u64);
        format!("launch {number}")
    }
}

impl Scatter {
    fn new(run: Run) -> Self {
        let (n, named) = (run.block.len(), Named::new(&run));
        let mut counts = vec![0_u32; named.ranks.len()];
        for (key, rank) in run.keys.iter().zip(&named.ranks) {
            if let Some(count) = counts.get_mut(*rank as usize) {
                *count = key.n;
            }
        }
        let ends = counts.iter().scan(0_u32, |sum, n| {
            *sum = sum.saturating_add(*n);
            Some(*sum)
        });
        let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
        let metrics = if run.has_moved { n } else { 0 };
        let executions = Executions {
            block: vec![0; n],
            lanes: vec![0; n],
            moved: vec![0; metrics],
            used: vec![0; metrics],
            excess: vec![0; metrics],
            flags: vec![0; n],
            time: Vec::new(),
            starts: starts.clone(),
        };
        Self { run, named, next: starts, executions, places: vec![0; n] }
    }

    /// Puts some records into their place.
    fn put(&mut self, piece: Range<usize>, rows: &[u32]) {
        fn put<T: Copy>(to: &mut [T], at: usize, from: &[T], row: usize) {
            if let (Some(to), Some(from)) = (to.get_mut(at), from.get(row)) {
                *to = *from;
            }
        }
        let (run, to) = (&self.run, &mut self.executions);
        for from in piece {
            let rank = run.thread.get(from).and_then(|thread| self.named.ranks.get(*thread as usize));
            let Some(next) = rank.and_then(|rank| self.next.get_mut(*rank as usize)) else { continue };
            let at = *next as usize;
            *next += 1;
            let block = run.block.get(from).and_then(|block| rows.get(*block as usize)).copied();
            put(&mut to.block, at, block.as_slice(), 0);
            put(&mut to.lanes, at, &run.lanes, from);
            put(&mut to.moved, at, &run.moved, from);
            put(&mut to.used, at, &run.used, from);
            put(&mut to.excess, at, &run.excess, from);
            put(&mut to.flags, at, &run.flags, from);
            put(&mut self.places, at, &run.place, from);
        }
    }

    fn told(&self, launch: usize, has_addresses: bool) -> Told {
        let (run, named) = (&self.run, &self.named);
        let outside = named.outside.zip(run.line).map(|(cta, line)| (cta, run.head.grid, line));
        Told { launch, ctas: named.ctas, sms: run.sms.len(), has_addresses, outside }
    }

    /// What was measured, with instructions as they stand in the program.
    fn measured(&mut self, launch: usize, rows: &[u32]) -> LaunchMetrics {
        let mut instructions = vec![InstructionMetrics::default(); rows.len()];
        for (of, row) in self.run.meter.instructions.drain(..).zip(rows) {
            if let Some(to) = instructions.get_mut(*row as usize) {
                *to = of;
            }
        }
        let launch = u32::try_from(launch).unwrap_or(u32::MAX);
        LaunchMetrics { launch, instructions, sector: SECTOR, tool: None }
    }

    fn launch(self, (entry, program): (u32, u32), name: String, make_rows: &MakeRows) -> Launch {
        let rows = (!self.places.is_empty()).then(|| make_rows(self.places));
        Launch {
            program,
            name,
            entry,
            grid: self.named.grid,
            group: self.run.head.group,
            facts: self.run.head.facts,
            threads: self.named.threads,
            executions: self.executions,
            rows,
            order_from: self.run.order_from.map(str::to_owned),
            has_block_masks: false,
            active_lanes: None,
            is_of_lanes: self.run.has_records && self.run.is_of_lanes,
            absent: Absent::default(),
        }
    }
}

impl Named {
    /// The threads of a launch in the order of their groups.
    fn new(run: &Run) -> Self {
        let most =
            |of: fn(&ThreadKey) -> u32| run.keys.iter().map(of).max().map_or(1, |n| n.saturating_add(1));
        let [x, y, z] = run.head.grid;
        let outside = run.keys.iter().map(|key| key.cta).find(|[a, b, c]| x <= *a || y <= *b || z <= *c);
        let is_said = [x, y, z].iter().all(|n| 0 < *n) && outside.is_none();
        let grid =
            if is_said { [x, y, z] } else { [most(|k| k.cta[0]), most(|k| k.cta[1]), most(|k| k.cta[2])] };
        let lanes = run.head.group.iter().fold(1_u64, |all, n| all.saturating_mul(u64::from(*n)));
        let most_warps = most(|key| key.warp);
        // Some tools number the warps of a processor, not of a group: there may be more than the group has.
        let warps = u32::try_from(lanes.div_ceil(32)).unwrap_or(u32::MAX).max(most_warps);
        let all = |warps: u32| grid.iter().fold(u64::from(warps), |all, n| all.saturating_mul(u64::from(*n)));
        let warps = [warps, most_warps].into_iter().find(|warps| u32::try_from(all(*warps)).is_ok());
        let mut order: Vec<(u64, [u32; 3], u32, u32)> = Vec::with_capacity(run.keys.len());
        for (at, key) in (0..).zip(&run.keys) {
            let [a, b, c] = key.cta.map(u64::from);
            let [x, y, _] = grid.map(u64::from);
            let group = c.saturating_mul(y).saturating_add(b).saturating_mul(x).saturating_add(a);
            order.push((group, key.cta, key.warp, at));
        }
        order::sort_by(&mut order, std::cmp::Ord::cmp);
        let mut named = Self {
            threads: Threads::default(),
            ranks: vec![0; order.len()],
            grid: run.head.grid,
            ctas: order.chunk_by(|a, b| a.1 == b.1).count(),
            outside: outside.filter(|_| run.line.is_some() && run.head.grid != [0; 3]),
        };
        for (row, (group, _, warp, at)) in (0_u32..).zip(order) {
            let id = warps.map_or(Some(row), |n| u32::try_from(group * u64::from(n) + u64::from(warp)).ok());
            named.threads.ids.push(id.unwrap_or(row));
            if let Some(rank) = named.ranks.get_mut(at as usize) {
                *rank = row;
            }
        }
        if let Some(warps) = warps {
            named.threads.naming = Naming::Warps { grid, warps };
        }
        named
    }
}
