//! How long a launch of a million executions takes to be prepared and drawn: `cargo bench --bench executions`.

#![allow(clippy::disallowed_methods)] // a bench has a clock of its own

use divan::{Bencher, black_box};
use lanescope::base::geometry::Size;
use lanescope::base::job::Turn;
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::views::executions::compute::{
    Absent, Arranged, Axis, Block, Executions, Launch, Naming, Program, Run, Threads, arrange,
};
use lanescope::views::executions::scene::{ColorBy, Folding, Plot, draw};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

const SIZE: Size = Size { w: 1_140.0, h: 620.0 };

fn main() {
    divan::main();
}

fn program() -> Program {
    let block =
        |id: u32| Block { id, label: format!("BB{id}"), first: id * 8, len: 3 + id % 6, ..Block::default() };
    Program {
        name: "kernel".to_owned(),
        lanes: 32,
        blocks: (0..23).map(block).collect(),
        ..Program::default()
    }
}

/// So many executions of threads of equal length, four threads a group.
fn launch(n: u32, threads: u32) -> Launch {
    let (mut random, mut executions) = (1_u64, Executions::default());
    for at in 0..n {
        if at % (n / threads) == 0 {
            executions.starts.push(at);
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (moved, lanes) = ((random >> 59) as u32 * 32, 1 + (random >> 58) as u8 % 32);
        executions.block.push((random >> 40) as u32 % 23);
        executions.lanes.push(lanes);
        executions.moved.push(moved);
        executions.used.push(moved / 3);
        executions.excess.push(moved / 64);
        executions.flags.push((random >> 62) as u8);
        executions.time.push(u64::from(at % (n / threads)) * 40 + (random >> 60));
    }
    executions.starts.push(n);
    Launch {
        program: 0,
        name: "kernel-1".to_owned(),
        entry: 0,
        grid: [threads / 4, 1, 1],
        group: [128, 1, 1],
        facts: Vec::new(),
        threads: Threads {
            ids: (0..threads).collect(),
            instances: Vec::new(),
            naming: Naming::Warps { grid: [threads / 4, 1, 1], warps: 4 },
        },
        executions,
        rows: None,
        order_from: None,
        has_block_masks: false,
        is_of_lanes: false,
        active_lanes: None,
        absent: Absent::default(),
    }
}

fn arranged(launch: &Launch, program: &Program) -> (Arranged, Duration) {
    let (turn, mut longest) = (Turn::default(), Duration::ZERO);
    let mut arranging = pin!(arrange(launch, program, &turn));
    loop {
        let begun = Instant::now();
        let polled = arranging.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        longest = longest.max(begun.elapsed());
        if let Poll::Ready(arranged) = polled {
            return (arranged, longest);
        }
    }
}

/// All of it; the longest step is printed once.
#[divan::bench(args = [16, 1024])]
fn prepare(bencher: Bencher, threads: u32) {
    let (program, launch) = (program(), launch(1_000_000 / threads * threads, threads));
    println!("longest step: {:?}", arranged(&launch, &program).1);
    bencher.bench_local(|| arranged(&launch, &program).0.longest);
}

/// A frame of everything, and of a hundredth of the axis.
#[divan::bench(args = [(Axis::Block, 1.0), (Axis::Block, 100.0), (Axis::Instruction, 1.0), (Axis::Time, 1.0)])]
fn frame(bencher: Bencher, (axis, zoom): (Axis, f64)) {
    let (program, launch) = (program(), launch(1_000_000 / 16 * 16, 16));
    let arranged = arranged(&launch, &program).0;
    let run = Run { launch: &launch, program: &program, arranged: &arranged };
    let folding = Folding::default();
    let plot = Plot {
        run,
        axis,
        color: ColorBy::Efficiency,
        folding: Some(&folding),
        window: Some((0.0, run.end_of(axis) / zoom)),
        scroll: 0.0,
        selected: None,
        thread: None,
        pair: None,
    };
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    bencher.bench_local(|| black_box(draw(&plot, SIZE, &look)).shapes.len());
}
