//! What is written as a container and opened again is the same.

use super::{codes, dump, recorded};
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::views::executions::compute::{
    Block, Executed, ExecutionRows, Executions, INCOMPLETE, Instruction, Launch, MemoryOperand, Naming,
    Program, Recorded, RegisterRow, Space, Threads,
};
use lanescope::wire::{Answer, Query};

/// What threads did, held whole.
struct Rows(Vec<Vec<Executed>>);

impl ExecutionRows for Rows {
    fn rows(&self, _: &Launch, _: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        Ok(self.0[execution as usize].clone())
    }
}

fn program() -> Program {
    let memory = |writes: bool, space| {
        Some(MemoryOperand {
            reads: !writes,
            writes,
            is_atomic: false,
            bytes: Some(4),
            lanes: u32::MAX,
            space,
        })
    };
    let texts = [
        ("S2R", None),
        ("LDG", memory(false, Space::Global)),
        ("IADD", None),
        ("STS", memory(true, Space::Shared)),
        ("BRA", None),
        ("STG", memory(true, Space::Global)),
        ("EXIT", None),
    ];
    let instructions = texts.iter().enumerate().map(|(row, (text, memory))| Instruction {
        address: row as u64 * 16,
        text: (*text).to_owned(),
        memory: *memory,
        source: None,
    });
    let block = |id: u32, first, len, successors: &[u32]| Block {
        id: id * 10,
        label: format!("BB{id}"),
        first,
        len,
        is_entry: id == 0,
        is_exit: id == 2,
        successors: successors.to_vec(),
    };
    Program {
        name: "round".to_owned(),
        lanes: 32,
        blocks: vec![block(0, 0, 1, &[1, 2]), block(1, 1, 4, &[1, 2]), block(2, 5, 2, &[])],
        instructions: instructions.collect(),
        ..Program::default()
    }
}

/// Eight warps of two groups that go round a loop as often as their number says.
fn made() -> Document {
    let program = program();
    let (mut blocks, mut starts, mut rows) = (Vec::new(), vec![0], Vec::new());
    for warp in 0..8_u64 {
        let turns = std::iter::repeat_n(1_u32, warp as usize % 5);
        for (turn, block) in std::iter::once(0).chain(turns).chain([2]).enumerate() {
            let own = &program.blocks[block as usize];
            let mask = if turn % 3 == 2 { 0xff00_00ff } else { u32::MAX };
            rows.push(
                (own.first..own.first + own.len)
                    .map(|instruction| {
                        let has_access = program.instructions[instruction as usize].memory.is_some();
                        let lanes = (0..32).filter(|lane| mask >> lane & 1 == 1);
                        let at = 0x7f00_0000_0000 + warp * 4_096 + turn as u64 * 128;
                        let addresses = lanes.map(|lane| at + lane * 4 * (1 + warp % 2)).collect();
                        let register =
                            RegisterRow { register: 7, mask: 1, values: vec![warp * 100 + turn as u64] };
                        Executed {
                            instruction,
                            mask: Some(mask),
                            addresses: if has_access { addresses } else { Vec::new() },
                            registers: if instruction == 2 { vec![register] } else { Vec::new() },
                            ..Executed::default()
                        }
                    })
                    .collect(),
            );
            blocks.push(block);
        }
        starts.push(blocks.len() as u32);
    }
    let launch = Launch {
        is_of_lanes: false,
        program: 0,
        name: "kernel-1".to_owned(),
        entry: 0,
        grid: [2, 1, 1],
        group: [128, 1, 1],
        facts: vec![("sector_bytes".to_owned(), "32".to_owned())],
        threads: Threads {
            ids: (0..8).collect(),
            instances: Vec::new(),
            naming: Naming::Warps { grid: [2, 1, 1], warps: 4 },
        },
        executions: Executions { starts, block: blocks, ..Executions::default() },
        rows: Some(Box::new(Rows(rows))),
        order_from: None,
        has_block_masks: false,
        active_lanes: None,
        absent: Default::default(),
    };
    let mut builder = TraceBuilder::default();
    let recorded = builder.head().extensions.get_or_default::<Recorded>();
    recorded.programs.push(program);
    recorded.launches.push(launch);
    Document::of(builder)
}

/// The container, opened again.
fn written(doc: &mut Document, options: &str) -> Document {
    let id = format!("gpu-multitrace:{options}");
    let (answer, bytes) = doc.query(&Query::Export { id });
    assert!(matches!(answer, Answer::File { .. }), "{options}: {answer:?}");
    let (doc, is_ready) = open_one("round.zip", bytes.unwrap());
    assert!(is_ready, "{options}");
    doc
}

#[test]
fn every_arrangement_and_seed_comes_back_the_same() {
    let mut doc = made();
    let expected = dump(&doc);
    assert!(1_000 < expected.len());
    for arrangement in ["shared", "thread", "tagged"] {
        for seed in [1, 12_345] {
            let again = written(&mut doc, &format!("gmt-arrangement={arrangement},gmt-seed={seed}"));
            assert_eq!(codes(&again), [""; 0], "{arrangement}: {:?}", again.faults().rows());
            assert_eq!(dump(&again), expected, "{arrangement} with seed {seed}");
            let launch = &recorded(&again).launches[0];
            assert_eq!(launch.threads, recorded(&doc).launches[0].threads);
            assert_eq!(launch.executions.block, recorded(&doc).launches[0].executions.block);
        }
    }
}

#[test]
fn executions_have_what_their_accesses_moved() {
    let again = written(&mut made(), "");
    let executions = &recorded(&again).launches[0].executions;
    // The second warp goes round once; its lanes are 8 bytes apart.
    let [_, looped, last] =
        [2, 3, 4].map(|e| (executions.moved[e], executions.used[e], executions.excess[e]));
    assert_eq!(looped, (256, 128, 4));
    assert_eq!(last, (128, 64, 2));
    assert_eq!([2, 3, 4].map(|e| executions.lanes[e]), [32, 32, 16]);
    assert_eq!([2, 3, 4].map(|e| executions.flags[e]), [0, 2, 3]);
}

#[test]
fn buffers_that_are_too_small_lose_records() {
    let mut doc = made();
    for (options, lost_codes) in [
        ("gmt-slack=-50%", vec!["GMT-OVF"]),
        ("gmt-arrangement=tagged,gmt-cap=9000", vec!["GMT-OVF"]),
        ("gmt-arrangement=thread,gmt-slack=64,gmt-page=4096,gmt-cap=600", vec!["GMT-OVF"]),
    ] {
        let again = written(&mut doc, options);
        for code in lost_codes {
            assert!(codes(&again).iter().any(|known| known == code), "{options}: {:?}", codes(&again));
        }
        assert!(
            codes(&again).iter().all(|code| code != "GMT-HOLE" && code != "GMT-SEQ"),
            "{options}: {:?}",
            again.faults().rows()
        );
        let executions = &recorded(&again).launches[0].executions;
        // What is lost is a record of an execution, or the execution as a whole.
        let all = recorded(&doc).launches[0].executions.block.len();
        let is_incomplete = executions.flags.iter().any(|flags| flags & INCOMPLETE != 0);
        assert!(is_incomplete || executions.block.len() < all, "{options}");
        let expected = dump(&doc);
        for line in dump(&again).lines().filter(|line| !line.contains("no record")) {
            // Where the record of lanes is lost, only these are unknown.
            let known = line.split(' ').take(4).collect::<Vec<_>>().join(" ");
            assert!(expected.contains(&known), "{options}: {line}");
        }
    }
    let roomy = written(&mut doc, "gmt-slack=5%,gmt-page=4096");
    assert_eq!(codes(&roomy), [""; 0]);
    assert_eq!(dump(&roomy), dump(&doc));
}
