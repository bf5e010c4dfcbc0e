//! Traces of Accel-Sim: every version, every column, every damage, and what is known of real ones.

mod corpus;
mod damage;
mod fixtures;
pub(crate) mod make;

use crate::support::front_door::open;
use lanescope::document::Document;
use lanescope::views::executions::compute::{DIVERGENT, Executed, INCOMPLETE, Recorded, UNCOALESCED};
use lanescope::views::executions::messages::{ExecutionsQuery, Reply};
use lanescope::wire::Query;

use make::{GROUPS, PROGRAM, Ran, TARGETS, Tracer, V1, V3, V4, V5, WARPS, ran};
use serde_json::Value;

/// An export as text.
pub(crate) fn export(doc: &mut Document, id: &str) -> String {
    while doc.has_work() {
        doc.step();
    }
    String::from_utf8(doc.query(&Query::Export { id: id.to_owned() }).1.unwrap()).unwrap()
}

pub(crate) fn recorded(doc: &Document) -> &Recorded {
    doc.trace().extensions.get::<Recorded>().unwrap()
}

/// All rows of a thread of a launch.
pub(crate) fn rows(of: &Recorded, launch: usize, thread: usize) -> Vec<Executed> {
    let launch = &of.launches[launch];
    let program = &of.programs[launch.program as usize];
    let starts = &launch.executions.starts;
    let all = starts[thread]..starts[thread + 1];
    let source = launch.rows.as_ref().unwrap();
    all.flat_map(|execution| source.rows(launch, program, execution).unwrap()).collect()
}

fn opened(name: &str, text: String, chunk: usize) -> Document {
    let (doc, is_ready) = open(vec![(name.to_owned(), text.into_bytes())], chunk);
    assert!(is_ready, "{name}");
    doc
}

/// Whatever the version, the trace is that of the kernel.
fn check(tracer: Tracer, is_raw: bool, chunk: usize) {
    let text = if is_raw { tracer.raw("loop") } else { tracer.grouped("loop") };
    let name = if is_raw { "kernel-1.trace" } else { "kernel-1.traceg" };
    let doc = opened(name, text, chunk);
    assert_eq!(doc.faults().rows(), [], "{tracer:?} raw {is_raw}");
    let of = recorded(&doc);
    let (launch, program) = (&of.launches[0], &of.programs[0]);
    assert_eq!((program.name.as_str(), launch.name.as_str()), ("loop", "kernel-1"));
    assert_eq!(program.instructions.len(), PROGRAM.len());
    for (at, instruction) in program.instructions.iter().enumerate() {
        assert_eq!(instruction.address, tracer.pc(at));
        assert!(instruction.text.starts_with(PROGRAM[at].1));
        let line = tracer.lines.then(|| make::source_line(at) as u32);
        assert_eq!(instruction.source.as_ref().map(|(_, line)| *line), line);
    }
    let blocks: Vec<(u32, u32)> = program.blocks.iter().map(|block| (block.first, block.len)).collect();
    assert_eq!(blocks, [(0, 1), (1, 4), (5, 1), (6, 1), (7, 2)], "{tracer:?} raw {is_raw}");
    let successors: Vec<&[u32]> = program.blocks.iter().map(|block| &block.successors[..]).collect();
    assert_eq!(successors, [&[1][..], &[1, 2], &[3, 4], &[4], &[]], "{tracer:?}");
    assert_eq!(launch.threads.ids, [0, 1, 2, 3]);
    assert_eq!((launch.threads.group_name(3), launch.threads.name(3)), ("CTA 1,0,0".into(), "warp 1".into()));
    for thread in 0..(GROUPS * WARPS) as usize {
        let wanted = ran(thread as u32 / WARPS, thread as u32 % WARPS);
        let found: Vec<Ran> = rows(of, 0, thread)
            .into_iter()
            .map(|row| Ran {
                at: row.instruction as usize,
                mask: row.mask.unwrap(),
                addresses: row.addresses,
            })
            .collect();
        assert_eq!(found, wanted, "{tracer:?} raw {is_raw} thread {thread}");
    }
    let executions = &launch.executions;
    assert_eq!(executions.block[..6], [0, 1, 1, 2, 3, 4]);
    assert_eq!(executions.lanes[..6], [32, 32, 24, 16, 16, 16]);
    assert_eq!(executions.moved[..6], [0, 128, 128, 0, 512, 0]);
    assert_eq!(executions.used[..6], [0, 128, 128, 0, 128, 0]);
    assert_eq!(executions.excess[..6], [0, 0, 0, 0, 12, 0]);
    assert_eq!(executions.flags[..6], [0, 0, 0, DIVERGENT, UNCOALESCED, 0]);
    assert!(executions.flags.iter().all(|flags| flags & INCOMPLETE == 0));
}

#[test]
fn every_version_is_read_alike() {
    for tracer in [V1, V3, V4, V5] {
        for mode in 0..3 {
            check(Tracer { mode, ..tracer }, false, 1 << 16);
            check(Tracer { mode, ..tracer }, true, 1 << 16);
        }
        for cores in [false, true] {
            check(Tracer { cores, ..tracer }, true, 7);
            check(Tracer { cores, lines: !tracer.lines && tracer.version >= "4", ..tracer }, false, 13);
        }
    }
    assert_eq!(TARGETS.len(), 2);
}

#[test]
fn a_folder_is_one_document_with_its_list_and_its_counts() {
    let files = [
        ("run/kernelslist.g", make::list(&["kernel-2.traceg", "kernel-10.traceg", "kernel-11.traceg.xz"])),
        ("run/kernel-2.traceg", V5.grouped("first")),
        ("run/kernel-10.traceg", V4.grouped("second")),
        (
            "run/stats.csv",
            make::counts(&[("kernel-2.trace", "first", 54), ("kernel-9.trace", "no,ne", 7)])
                + "kernel-12.trace, x, 4, 1",
        ),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes())).to_vec();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let of = recorded(&doc);
    let names: Vec<&str> = of.launches.iter().map(|launch| launch.name.as_str()).collect();
    assert_eq!(names, ["kernel-2", "kernel-10"]);
    let regions: Vec<(&str, u64, u64)> =
        of.regions.iter().map(|range| (range.name.as_str(), range.start, range.bytes)).collect();
    assert_eq!(regions, [("MemcpyHtoD", 0x7f00_0000_0000, 16384), ("cudaMalloc", 0x7f00_0001_0000, 4096)]);
    let said: Vec<String> =
        doc.faults().rows().iter().map(|fault| format!("{} {}", fault.code, fault.severity.name())).collect();
    assert_eq!(said, ["ACS-ABSENT loss", "ACS-STATS note"]);
    let json: Value = serde_json::from_str(&export(&mut doc, "memory-metrics-json")).unwrap();
    let first = &json["run/kernel-2.traceg"];
    assert_eq!((&first["insts"], &first["warps"]), (&Value::from(50), &Value::from(4)));
    assert_eq!(first["global_mem"]["0060"]["classes"]["stride"], 2);
    assert_eq!(first["global_mem"]["0070"]["classes"]["none"], 4);
    let figures = export(&mut doc, "figures-json");
    assert!(figures.contains("coalesced: 2 of 10 global accesses use more sectors than needed"), "{figures}");
    assert!(
        figures.contains("stats.csv counts 54 instructions, the trace has 50: 4 are missing from the trace."),
        "{figures}"
    );
}

#[test]
fn the_combined_text_has_a_line_for_each_instruction() {
    let mut doc = opened("kernel-1.traceg", V5.grouped("loop"), 1 << 16);
    let text = export(&mut doc, "combined-text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 50);
    assert_eq!(lines[0], "0\tBB0\t0\t0x0000\tffffffff\t-\t-");
    assert!(lines[1].starts_with("0\tBB1\t1\t0x0010\tffffffff\t0x7f0000000000,0x7f0000000004,"));
    assert_eq!(lines[11], "0\tBB4\t5\t0x0070\t00000000\t-\t-");
    assert!(lines[13].starts_with("1\tBB0\t0\t0x0000"));
}

/// The tracer writes both sides of a copy to shared memory, the post-processor keeps one.
#[test]
fn both_lines_of_a_copy_are_one_instruction() {
    let line = |first: &str| format!("0 0 0 0 0010 00000003 0 LDGSTS.E.128 2 R8 R10 16 2 {first} 16 0 \n");
    let other = "0 0 0 0 0000 ffffffff 1 R1 MOV 0 0 0 \n0 0 0 1 0000 ffffffff 1 R1 MOV 0 0 0 \n";
    for lines in [[line("0x100"), line("0x7f0000000000")], [line("0x7f0000000000"), line("0x100")]] {
        let end = "0 0 0 0 0020 ffffffff 0 EXIT 0 0 0 \n";
        let text = format!(
            "{}{other}{}0 0 0 1 0020 ffffffff 0 EXIT 0 0 0 \n{}{end}",
            V5.head("copy"),
            lines[0],
            lines[1]
        );
        let mut doc = opened("kernel-1.trace", text, 1 << 16);
        assert_eq!(doc.faults().rows(), []);
        let found = rows(recorded(&doc), 0, 0);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].addresses, [0x7f00_0000_0000, 0x7f00_0000_0010]);
        let json: Value = serde_json::from_str(&export(&mut doc, "memory-metrics-json")).unwrap();
        let of = &json["kernel-1.trace"];
        assert_eq!((&of["insts"], &of["mem_insts"]), (&Value::from(5), &Value::from(1)));
        assert_eq!(of["global_mem"]["0010"]["sectors32"], 1);
    }
}

/// Where lanes of an execution go, in words.
fn branch(doc: &mut Document, execution: u32) -> String {
    let ask = ExecutionsQuery::Detail { launch: 0, execution, row: None };
    match doc.query(&ask).0 {
        Some(Reply::Detail(Some(detail))) => detail.branch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lanes_that_wait_for_each_other_do_not_part() {
    // 4 of 32 lanes take the long way to where all of them wait: they come there one part after the other.
    let lines = [
        "0000 ffffffff 0 BSSY 0 0 64",
        "0010 fffffff0 0 BRA 0 0 64",
        "0020 0000000f 1 R2 MOV 0 0 0",
        "0030 0000000f 0 BRA 0 0 64",
        "0040 0000000f 0 BSYNC 0 0 0",
        "0040 fffffff0 0 BSYNC 0 0 0",
        "0050 ffffffff 1 R3 MOV 0 0 0",
        // Its second predicate, which no mask tells, keeps one lane.
        "0060 ffffffff 0 EXIT 0 0 0",
        "0070 00000001 1 R4 MOV 0 0 0",
        "0080 00000001 0 EXIT 0 0 0",
    ];
    let lines = lines.map(|line| format!("0 0 0 0 {line} \n"));
    let mut doc = opened("kernel-1.trace", V5.head("waiting") + &lines.concat(), 1 << 16);
    let launch = &recorded(&doc).launches[0];
    assert_eq!(launch.executions.block, [0, 1, 2, 2, 3, 4]);
    let program = &recorded(&doc).programs[launch.program as usize];
    let texts: Vec<&str> = program.instructions[..2].iter().map(|of| of.text.as_str()).collect();
    assert_eq!(texts, ["BSSY 0x40", "BRA 0x40"]);
    assert_eq!(launch.executions.flags, [DIVERGENT, 0, 0, 0, DIVERGENT, 0]);
    let all: Vec<String> = (0..6).map(|execution| branch(&mut doc, execution)).collect();
    let ends = "1 lane goes to BB4, 31 not seen again";
    assert_eq!(all, ["4 lanes go to BB1, 28 lanes go to BB2", "", "", "", ends, ""]);
}

/// The loop runs twice in the first launch and once in the second, whose jump back is never taken: blocks are the same.
#[test]
fn launches_of_a_kernel_have_the_same_blocks() {
    let trace = |rounds: usize, name: &str| {
        let round = |back: bool| {
            let mask = if back { "ffffffff" } else { "00000000" };
            ["0010 ffffffff 1 R1 MOV 0 0 0".to_owned(), format!("0020 {mask} 0 BRA 0 0 16")]
        };
        let mut lines = vec!["0000 ffffffff 1 R0 MOV 0 0 0".to_owned()];
        lines.extend((0..rounds).flat_map(|at| round(at + 1 < rounds)));
        lines.push("0030 ffffffff 0 EXIT 0 0 0".to_owned());
        V5.head(name) + &lines.iter().map(|line| format!("0 0 0 0 {line} \n")).collect::<String>()
    };
    let opened = |names: [&str; 3]| {
        let files = names
            .iter()
            .zip(1..)
            .map(|(name, n)| (format!("kernel-{n}.trace"), trace([2, 1, 2][n - 1], name)));
        let (doc, is_ready) = open(files.map(|(name, text)| (name, text.into_bytes())).collect(), 1 << 8);
        assert!(is_ready);
        assert_eq!(doc.faults().rows(), []);
        doc
    };
    let blocks = |doc: &Document| -> Vec<Vec<(u32, u32)>> {
        let of = |launch: &lanescope::views::executions::compute::Launch| {
            let program = &recorded(doc).programs[launch.program as usize];
            program.blocks.iter().map(|block| (block.first, block.len)).collect()
        };
        recorded(doc).launches.iter().map(of).collect()
    };
    let doc = opened(["loop", "loop", "other"]);
    let split = vec![(0, 1), (1, 2), (3, 1)];
    assert_eq!(blocks(&doc), [split.clone(), split.clone(), split]);
    let names: Vec<&str> = recorded(&doc).launches.iter().map(|launch| launch.name.as_str()).collect();
    assert_eq!(names, ["kernel-1", "kernel-2", "kernel-3"]);
    let n: Vec<usize> = recorded(&doc).launches.iter().map(|launch| launch.executions.block.len()).collect();
    assert_eq!(n, [4, 3, 4]);
    // Kernels of other names say nothing of each other.
    assert_eq!(blocks(&opened(["loop", "other", "third"]))[1], [(0, 3), (3, 1)]);
}

/// Half of the lanes leap over two instructions within what is one block: no execution tells them apart, the jump does.
#[test]
fn lanes_that_jump_within_a_block_are_counted() {
    let lines = [
        "0000 ffffffff 1 R0 MOV 0 0 0",
        "0010 ffff0000 0 BRA 0 0 64",
        "0020 0000ffff 1 R1 FADD 0 0 0",
        "0030 0000ffff 1 R1 FADD 0 0 0",
        "0040 ffffffff 1 R2 MOV 0 0 0",
        "0050 ffffffff 0 EXIT 0 0 0",
    ];
    let text = V5.head("leap") + &lines.map(|line| format!("0 0 0 0 {line} \n")).concat();
    let mut doc = opened("kernel-1.trace", text, 1 << 16);
    assert_eq!(branch(&mut doc, 0), "BRA 0x40: 16 lanes jump, 16 go on");
    assert_eq!(branch(&mut doc, 1), "");
}

#[test]
fn lanes_that_part_are_followed_to_their_next_block() {
    // 10 of 32 lanes leap over a loop whose second round 19 of the other 22 run.
    let first = ["0000 ffffffff 1 R1 MOV 0 0 0", "0010 ffc00000 0 BRA 0 0 80"];
    let round = ["0020 003fffff 1 R4 IADD3 1 R4 0 0", "0030 0007ffff 0 BRA 0 0 32"];
    let rest = [
        "0020 0007ffff 1 R4 IADD3 1 R4 0 0",
        "0030 00000000 0 BRA 0 0 32",
        "0040 003fffff 1 R5 MOV 0 0 0",
        "0050 ffffffff 1 R6 MOV 0 0 0",
        "0060 ffffffff 0 EXIT 0 0 0",
    ];
    let mut text = V5.head("parting");
    let lines = |warp: u32, all: &[&str]| {
        all.iter().map(|line| format!("0 0 0 {warp} {line} \n")).collect::<String>()
    };
    // The second warp is cut.
    text += &lines(0, &[&first[..], &round, &rest].concat());
    text += &lines(1, &[first, round].concat());
    let mut doc = opened("kernel-1.trace", text, 1 << 16);
    let all: Vec<String> = (0..6).map(|execution| branch(&mut doc, execution)).collect();
    assert_eq!(
        all,
        [
            // The block that the jump leads to is that behind the loop: nothing begins one at its second instruction.
            "22 lanes go to BB1, 10 lanes go to BB2",
            "19 lanes stay in BB1, 3 lanes go to BB2",
            "",
            "",
            "22 lanes go to BB1, 10 not seen again",
            "BRA 0x20: 19 lanes jump, 3 go on",
        ]
    );
    // The mask of a branch that stands alone is that of its predicate: who came there is not known.
    let mut doc = opened("kernel-1.traceg", V5.grouped("loop"), 1 << 16);
    assert_eq!(branch(&mut doc, 2), "");
}
