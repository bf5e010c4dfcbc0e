//! Executions of blocks: what is prepared of a launch against slow twins, patterns of accesses, the picture, the answers.

mod front;
mod oracle;
mod pattern;
mod picture;

use lanescope::base::job;
use lanescope::views::executions::compute::{
    Arranged, Block, DIVERGENT, Executed, ExecutionRows, Executions, Instruction, Launch, MemoryOperand,
    Naming, Program, RegisterRow, Run, Space, Threads, UNCOALESCED, arrange, range,
};

/// A small generator of numbers, the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// A program of so many blocks: block `b` has `b % 5 + 2` instructions, the second of which loads.
pub(crate) fn program(blocks: u32) -> Program {
    let mut program = Program { name: "spmv".to_owned(), lanes: 32, ..Program::default() };
    for block in 0..blocks {
        let (first, len) = (program.instructions.len() as u32, block % 5 + 2);
        program.blocks.push(Block { id: block, label: format!("BB{block}"), first, len, ..Block::default() });
        for at in 0..len {
            let memory = (at == 1).then_some(MemoryOperand {
                reads: true,
                writes: false,
                is_atomic: false,
                bytes: Some(4),
                lanes: u32::MAX,
                space: if block % 3 == 2 { Space::Shared } else { Space::Global },
            });
            let text = if at == 1 { "LDG.E R8, [R2.64]" } else { "IADD3 R6, R6, 0x1, RZ" }.to_owned();
            let address = u64::from(first + at) * 16;
            program.instructions.push(Instruction { address, text, memory, source: None });
        }
    }
    program
}

/// What executions did: the second instruction of a block loads with a stride of 128 bytes, the first has no record where
/// the block is the last.
pub(crate) struct Rows;

impl ExecutionRows for Rows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let at = execution as usize;
        let block = program.blocks.get(launch.executions.block[at] as usize).ok_or("No such block.")?;
        let lanes = u32::from(launch.executions.lanes[at]).min(32);
        let mask = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let rows = (0..block.len).map(|n| Executed {
            instruction: block.first + n,
            mask: Some(mask),
            addresses: if n == 1 {
                (0..u64::from(lanes)).map(|lane| 0x1000 + lane * 128).collect()
            } else {
                Vec::new()
            },
            registers: if n == 1 {
                vec![RegisterRow {
                    register: 8,
                    mask,
                    values: (0..u64::from(lanes)).map(|lane| 7 + lane).collect(),
                }]
            } else {
                Vec::new()
            },
            missing: (n == 0 && block.id == 3).then_some("no record, buffer full"),
            ..Executed::default()
        });
        Ok(rows.collect())
    }
}

/// How a launch is made up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) seed: u64,
    pub(crate) threads: u32,
    pub(crate) longest: u64,
    pub(crate) blocks: u32,
    pub(crate) warps: u32,
    pub(crate) has_time: bool,
    pub(crate) has_memory: bool,
}

pub(crate) const USUAL: Shape =
    Shape { seed: 1, threads: 12, longest: 90, blocks: 6, warps: 4, has_time: false, has_memory: true };

pub(crate) fn launch(shape: Shape) -> Launch {
    let mut random = Random(shape.seed);
    let mut executions = Executions { starts: vec![0], ..Executions::default() };
    for thread in 0..shape.threads {
        let n = if thread == 0 { shape.longest } else { random.below(shape.longest + 1) };
        let (mut lanes, mut time) = (32, 1_000 + random.below(50));
        for _ in 0..n {
            let next = 1 + random.below(32) as u8;
            let mut flags = if next < lanes { DIVERGENT } else { 0 };
            lanes = next;
            executions.block.push(random.below(u64::from(shape.blocks)) as u32);
            executions.lanes.push(lanes);
            if shape.has_memory {
                let sectors = random.below(20) as u32;
                let used = if sectors == 0 { 0 } else { 1 + random.below(u64::from(sectors) * 32) as u32 };
                let excess = sectors - used.div_ceil(32);
                flags |= if 0 < excess { UNCOALESCED } else { 0 };
                executions.moved.push(sectors * 32);
                executions.used.push(used);
                executions.excess.push(excess);
            }
            if shape.has_time {
                time += random.below(40);
                // Clocks may go back.
                executions.time.push(if random.below(9) == 0 { time - 9 } else { time });
            }
            executions.flags.push(flags);
        }
        executions.starts.push(executions.block.len() as u32);
    }
    Launch {
        is_of_lanes: false,
        program: 0,
        name: "kernel-1".to_owned(),
        entry: 0,
        grid: [shape.threads.div_ceil(shape.warps), 1, 1],
        group: [shape.warps * 32, 1, 1],
        facts: Vec::new(),
        threads: Threads {
            ids: (0..shape.threads).collect(),
            instances: Vec::new(),
            naming: Naming::Warps { grid: [shape.threads.div_ceil(shape.warps), 1, 1], warps: shape.warps },
        },
        executions,
        rows: Some(Box::new(Rows)),
        order_from: None,
        has_block_masks: false,
        active_lanes: None,
        absent: Default::default(),
    }
}

pub(crate) fn arranged(launch: &Launch, program: &Program) -> Arranged {
    job::run(async |turn| arrange(launch, program, &turn).await)
}

pub(crate) fn with<T>(shape: Shape, act: impl FnOnce(Run) -> T) -> T {
    let (launch, program) = (launch(shape), program(shape.blocks));
    let arranged = arranged(&launch, &program);
    act(Run { launch: &launch, program: &program, arranged: &arranged })
}

#[test]
fn nothing_is_a_launch_too() {
    with(Shape { threads: 0, longest: 0, ..USUAL }, |run| {
        assert_eq!((run.threads(), run.arranged.groups.len(), run.thread(0)), (0, 0, None));
        assert_eq!(run.end_of(lanescope::views::executions::compute::Axis::Block), 1.0);
    });
    with(Shape { threads: 1, longest: 0, ..USUAL }, |run| {
        assert_eq!((run.threads(), run.range(0)), (1, 0..0));
        assert_eq!(range(&run.launch.executions, 9), 0..0);
    });
}
