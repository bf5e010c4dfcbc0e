//! Rules about instrumented programs: traces of a few warps whose problem is planted, the same without it, and texts that
//! do not record what a rule needs.

mod pairs;
mod places;

use super::{check, found, missing, not_here, outcome, planted, silent};
use crate::multitrace::make::{Buffer, Container, flow, tiny};
use crate::support::corpus::{corpus, unpacked};
use crate::support::front_door::{files_of, open, open_case, open_one};
use lanescope::analysis::finding::{Outcome, Overview, SavingKind};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::views::code::messages::{CodeQuery, Reply as CodeReply};
use serde_json::json;
use std::fmt::Write;

/// An instruction of a warp: opcode, lanes, and where it accesses memory the bytes and addresses of the lanes.
#[derive(Clone)]
struct Ran(u64, &'static str, u32, Option<(u32, Vec<u64>)>);

const ALL: u32 = u32::MAX;
const BASE: u64 = 0x7f00_0000_0000;

fn plain(pc: u64, opcode: &'static str, mask: u32) -> Ran {
    Ran(pc, opcode, mask, None)
}

/// All lanes of a warp access memory, so many bytes apart.
fn access(pc: u64, opcode: &'static str, first: u64, stride: u64) -> Ran {
    Ran(pc, opcode, ALL, Some((4, (0..32).map(|lane| first + lane * stride).collect())))
}

/// The text of a tracer of one group of warps.
fn text(warps: &[Vec<Ran>]) -> String {
    let mut out = format!(
        "-kernel name = planted\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 10\n\
         -binary version = 80\n-cuda stream id = 0\n-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n\
         #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mem_addresses]\n\n\
         #BEGIN_TB\n\nthread block = 0,0,0\n\n",
        32 * warps.len()
    );
    for (warp, all) in warps.iter().enumerate() {
        write!(out, "warp = {warp}\ninsts = {}\n", all.len()).unwrap();
        for Ran(pc, opcode, mask, access) in all {
            write!(out, "{pc:04x} {mask:08x} 0 {opcode} 0 ").unwrap();
            match access {
                None => out += "0 ",
                Some((width, addresses)) => {
                    write!(out, "{width} 0 ").unwrap();
                    addresses.iter().for_each(|address| write!(out, "{address:#x} ").unwrap());
                }
            }
            out.push('\n');
        }
        out.push('\n');
    }
    out + "#END_TB\n"
}

/// What is said of a document once everything is measured.
fn said(mut doc: Document) -> Overview {
    while doc.has_work() {
        doc.step();
    }
    let overview = doc.whole_overview();
    check(&overview);
    overview
}

/// Four warps that run the same between a begin and an end.
fn warps(of: impl Fn(u64) -> Vec<Ran>) -> Overview {
    so_many_warps(4, of)
}

fn so_many_warps(n: u64, of: impl Fn(u64) -> Vec<Ran>) -> Overview {
    let warp = |warp: u64| {
        let inside = of(warp);
        [vec![plain(0, "MOV", ALL)], inside, vec![plain(0xff0, "EXIT", ALL)]].concat()
    };
    traced(&(0..n).map(warp).collect::<Vec<_>>())
}

fn traced(warps: &[Vec<Ran>]) -> Overview {
    let (doc, is_ready) = open_one("kernel-1.traceg", text(warps).into_bytes());
    assert!(is_ready);
    said(doc)
}

/// Counts of a program, without lanes and addresses.
fn counted(runs: u64) -> Overview {
    let (doc, is_ready) = open_one("instcount.txt", counts(runs).into_bytes());
    assert!(is_ready);
    said(doc)
}

fn counts(runs: u64) -> String {
    let row = |n: u64, at: u64, code: &str| format!("[{n:7}] {at:#08x} : {code}\n");
    "=== K(runs 1 times) ===\n///  Basic block #0\n".to_owned()
        + &row(8, 0, "mov (8|M0) r1.0<1>:ud r0.0<1;1,0>:ud")
        + "///  Basic block #1\n"
        + &row(runs, 0x10, "add (8|M0) r1.0<1>:ud r1.0<1;1,0>:ud r2.0<1;1,0>:ud")
        + &row(runs, 0x20, "while (8|M0) -16")
        + "///  Basic block #2\n"
        + &row(8, 0x30, "send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}")
}

#[test]
fn excess_sectors_are_counted_and_their_pattern_is_said() {
    let rule = "instrumentation-excess-sectors";
    // 32 sectors instead of 4, four times.
    let overview = warps(|warp| vec![access(0x10, "LDG.E", BASE + warp * 0x4000, 256)]);
    let found = planted(&overview, rule, 112.0);
    assert!(found.said(Language::En).contains("stride 256"), "{}", found.said(Language::En));
    assert!((found.saving.share - 112.0 / 128.0).abs() < 1e-9 && found.saving.kind == SavingKind::Bound);
    let tiles: Vec<String> = overview.tiles.iter().map(|tile| tile.label.to_string()).collect();
    let five = [
        "Executed instructions",
        "Lanes active",
        "Sectors per request",
        "Divergent branches",
        "Records lost",
    ];
    assert_eq!(tiles, five);
    let sectors = &overview.tiles[2];
    assert_eq!(sectors.value.to_string(), "32.00");
    assert_eq!(sectors.comparison.to_string(), "4.00 would suffice; 12.5 % of the bytes moved are used");
    // Rows of four lanes are no scattered addresses.
    let row = |lane: u64| BASE + lane / 4 * 100 + lane % 4 * 4;
    let overview =
        so_many_warps(16, |_| vec![Ran(0x10, "LDG.E", ALL, Some((4, (0..32).map(row).collect())))]);
    let found = overview.findings.iter().find(|one| one.rule == rule).unwrap();
    assert!(found.said(Language::En).contains("short runs of neighboring"), "{}", found.said(Language::En));
    // Beside the border of a sector: one sector of five too many.
    let beside = |warp: u64| vec![access(0x10, "LDG.E", BASE + warp * 0x4000 + 8, 4)];
    let overview = so_many_warps(16, beside);
    let line = planted(&overview, rule, 16.0).line.text(Language::En).into_owned();
    assert!(line.contains("start 8 B past a sector boundary"), "{line}");
    // Of a few accesses nothing is concluded, also of banks.
    let few = warps(beside);
    let said = "4 of 20 sectors of global memory are in excess; a conclusion needs 64 in all";
    let Some(Outcome::Nothing(why)) = outcome(&few, rule) else { panic!() };
    assert_eq!(why, said);
    let few = so_many_warps(1, |_| vec![access(0x10, "LDS", 0, 128)]);
    let said = "31 of 32 shared memory wavefronts are in excess; a conclusion needs 64 in all";
    let Some(Outcome::Nothing(why)) = outcome(&few, "instrumentation-bank-conflicts") else { panic!() };
    assert_eq!(why, said);
    silent(&warps(|warp| vec![access(0x10, "LDG.E", BASE + warp * 0x4000, 4)]), rule);
    missing(&counted(80), rule);
}

#[test]
fn bank_conflicts_are_counted_in_wavefronts() {
    let rule = "instrumentation-bank-conflicts";
    let overview = warps(|_| vec![access(0x10, "LDS", 0, 128)]);
    let found = planted(&overview, rule, 4.0 * 31.0);
    assert!((found.saving.share - 31.0 / 32.0).abs() < 1e-9);
    assert!(found.said(Language::En).contains("124 wavefronts"), "{}", found.said(Language::En));
    silent(&warps(|_| vec![access(0x10, "LDS", 0, 4)]), rule);
    missing(&counted(80), rule);
}

/// What is left out is named with its kernel where there are several: addresses are the same in each.
#[test]
fn instructions_that_are_left_out_are_named_with_their_kernels() {
    let body = |_: u64| (1..=3).map(|at| access(16 * at, "LDS", 0, 128)).collect::<Vec<_>>();
    let own = text(&(0..4).map(body).collect::<Vec<_>>());
    let files = vec![
        ("t/kernelslist.g".to_owned(), b"kernel-1.traceg\nkernel-2.traceg\n".to_vec()),
        ("t/kernel-1.traceg".to_owned(), own.clone().into_bytes()),
        ("t/kernel-2.traceg".to_owned(), own.replace("name = planted", "name = second").into_bytes()),
    ];
    let (doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    let overview = said(doc);
    let lines: Vec<String> = overview.findings.iter().map(|found| found.line.to_string()).collect();
    let more = lines.iter().find_map(|line| Some(line.split_once(" 3 more: ")?.1.to_owned()));
    let more = more.unwrap_or_else(|| panic!("{lines:?}"));
    assert!(more.contains("planted LDS 0x") || more.contains("second LDS 0x"), "{more}");
}

#[test]
fn idle_lanes_and_instructions_without_a_lane_are_told_apart() {
    let (idle, off) = ("instrumentation-idle-lanes", "instrumentation-predicated-off");
    let ten = |mask: u32| (1..=10).map(|at| plain(16 * at, "FADD", mask)).collect::<Vec<_>>();
    // Of 12 instructions 10 have 8 lanes: 144 of 384.
    let overview = warps(|_| ten(0xff));
    let found = planted(&overview, idle, 1.0 - 144.0 / 384.0);
    assert!((found.saving.value - 4.0 * (12.0 - 144.0 / 32.0)).abs() < 1e-9, "{}", found.saving.value);
    silent(&overview, off);
    let overview = warps(|_| ten(0));
    let found = planted(&overview, off, 40.0);
    assert!((found.saving.share - 40.0 / 48.0).abs() < 1e-9);
    // All ten did so as often, in each of four warps.
    assert!(found.line.to_string().contains(" did so 4 of 4 times, as 9 others did."), "{}", found.line);
    // What Details counts beside them stands there too, and the mean says that it is over all.
    let control = found
        .evidence
        .numbers
        .iter()
        .find(|number| number.name == "Branches, exits and barriers without an active lane");
    assert_eq!(control.unwrap().value, 0.0);
    let tile = overview.tiles.iter().find(|tile| tile.label == "Lanes active").unwrap();
    assert!(
        tile.comparison.to_string().ends_with("; 83.3 % of instructions have none"),
        "{}",
        tile.comparison
    );
    silent(&overview, idle);
    // Only exits without a lane: told, though no finding.
    let exits = warps(|_| (1..=10).map(|at| plain(16 * at, "EXIT", 0)).collect::<Vec<_>>());
    let Some(Outcome::Nothing(said)) = outcome(&exits, off) else { panic!() };
    let words = "0 of 48 instructions ran without an active lane, not counting branches, exits and barriers; 40 of these did";
    assert_eq!(*said, words);
    // Of more than are shown, those left out that did so as often are said.
    let many = warps(|_| (1..=30).map(|at| plain(16 * at, "FADD", 0)).collect::<Vec<_>>());
    let found = planted(&many, off, 120.0);
    let shown = found.evidence.shown.to_string();
    assert!(
        shown.ends_with(
            "of 30 such instructions, the most frequent first; others did so as often as the last"
        ),
        "{shown}"
    );
    let Some(Outcome::Nothing(said)) = outcome(&overview, idle) else { panic!() };
    assert_eq!(*said, "0.0 % of the lanes of instructions with an active lane are idle");
    let counts = counted(80);
    missing(&counts, idle);
    missing(&counts, off);
}

/// A loop of three instructions.
fn rounds(n: usize) -> Vec<Ran> {
    let jump = |at: usize| plain(0x30, "BRA", if at + 1 < n { ALL } else { 0 });
    (0..n).flat_map(|at| [plain(0x10, "FADD", ALL), plain(0x20, "FMUL", ALL), jump(at)]).collect()
}

#[test]
fn a_loop_that_dominates_is_found_in_traces_and_in_counts() {
    let rule = "instrumentation-hot-blocks";
    planted(&warps(|_| rounds(8)), rule, 24.0 / 26.0);
    silent(&warps(|_| (1..=10).map(|at| plain(16 * at, "FADD", ALL)).collect()), rule);
    planted(&counted(80), rule, 160.0 / 176.0);
    silent(&counted(8), rule);
    let (doc, _) = open_case("gtpin_text", "times");
    missing(&said(doc), rule);
}

#[test]
fn the_longest_thread_is_told() {
    let rule = "instrumentation-uneven-threads";
    planted(&warps(|warp| rounds(if warp == 2 { 1_000 } else { 10 })), rule, 3_002.0);
    silent(&warps(|_| rounds(1_000)), rule);
    not_here(&counted(80), rule);
}

#[test]
fn local_memory_and_atomics_that_meet() {
    let (local, meet) = ("instrumentation-local-memory", "instrumentation-atomics-meet");
    let overview = warps(|_| vec![access(0x10, "STL", 0, 4), access(0x20, "LDL", 0, 4)]);
    let found = planted(&overview, local, 8.0);
    assert!((found.saving.share - 8.0 / 16.0).abs() < 1e-9);
    silent(&overview, meet);
    let overview = warps(|_| vec![access(0x10, "RED.E.ADD", BASE, 0)]);
    planted(&overview, meet, 4.0 * 31.0);
    silent(&overview, local);
    silent(&warps(|_| vec![access(0x10, "RED.E.ADD", BASE, 4)]), meet);
    let counts = counted(80);
    missing(&counts, meet);
    not_here(&counts, local);
}

/// Five instructions waste the same: what is left out stands behind the last that is told.
#[test]
fn what_is_left_out_is_said_once() {
    let overview = warps(|warp| {
        (1..=5).map(|at| access(16 * at, "LDG.E", BASE + warp * 0x10_0000 + at * 0x1_0000, 256)).collect()
    });
    let own: Vec<_> =
        overview.findings.iter().filter(|one| one.rule == "instrumentation-excess-sectors").collect();
    let lines: Vec<bool> =
        own.iter().map(|one| one.line.to_string().contains("2 more: LDG 0x40, LDG 0x50.")).collect();
    assert_eq!(lines, [false, false, true]);
}

/// Two groups of two warps by the head; the file ends within the second warp, which announces more than it has.
#[test]
fn warps_that_the_grid_has_and_the_file_has_not_are_counted() {
    let rule = "instrumentation-lost-records";
    let body = |n: usize| (1..=n).map(|at| plain(16 * at as u64, "FADD", ALL)).collect::<Vec<_>>();
    let whole = text(&[body(4), body(4)]).replace("-grid dim = (1,1,1)", "-grid dim = (2,1,1)");
    let cut = &whole[..whole.rfind("0040").unwrap()];
    let (doc, is_ready) = open_one("kernel-1.traceg", cut.as_bytes().to_vec());
    assert!(is_ready);
    let overview = said(doc);
    let found = planted(&overview, rule, 2.0);
    assert!(found.sentence.to_string().starts_with("⟦2 of 4 warps⟧ have no record."), "{}", found.sentence);
    let number = |name: &str| found.evidence.numbers.iter().find(|of| of.name == name).unwrap().value;
    assert_eq!(number("Announced instructions without a record"), 1.0);
    let tile = overview.tiles.iter().find(|tile| tile.label == "Records lost").unwrap();
    assert_eq!(
        (tile.value.to_string(), tile.comparison.to_string()),
        ("2 of 4".to_owned(), "warps of the grid have no record".to_owned())
    );
    assert_eq!(overview.tiles[0].comparison, "1 launch of 1 kernel, 2 of 4 warps");
    missing(&overview, "instrumentation-uneven-threads");
    silent(&traced(&[body(4), body(4)]), rule);
}

/// The header of a buffer announces four records; the file ends within the third.
#[test]
fn records_that_a_file_ends_before_are_lost() {
    let mut made = tiny();
    made.buffer(2).short = 24 * 6 - 8;
    let (doc, is_ready) = open(made.files(), 1 << 16);
    assert!(is_ready);
    let overview = said(doc);
    // Of 6 + 8 + 2 records 6 accesses are not there: the file ends 8 bytes before the end of the third.
    let found = planted(&overview, "instrumentation-lost-records", 6.0);
    assert!(found.sentence.to_string().starts_with("⟦6 of 16 records⟧ are missing"), "{}", found.sentence);
    assert!(found.line.to_string().contains("The file of mem ends before 6 records"), "{}", found.line);
    let tile = overview.tiles.iter().find(|tile| tile.label == "Records lost").unwrap();
    assert_eq!(
        (tile.value.to_string(), tile.comparison.to_string()),
        ("6".to_owned(), "37.5 % of 16".to_owned())
    );
}

/// Four threads of one block with a record of flow and of lanes each, of which some are lost.
fn container(lost: usize) -> Overview {
    let manifest = json!({
        "format": "gpu-multitrace", "version": "1.0", "endian": "little",
        "producer": {"tool": "the tests of this project"},
        "device": {"vendor": "nvidia", "isa": "sass", "lanes": 32, "line_bytes": 128, "sector_bytes": 32},
        "thread_id": {"kind": "sw", "label": "warp", "warps_per_group": 4},
        "types": [
            {"id": 1, "name": "flow", "kind": "flow", "layout": "flow8", "bytes": 8},
            {"id": 2, "name": "simd", "kind": "simd", "layout": "simd16", "bytes": 16},
        ],
        "kernels": [{"id": 0, "name": "k", "simd": 32, "blocks": [{
            "id": 0, "label": "A", "pc": 0, "entry": true, "exit": true, "succ": [],
            "insts": [{"pc": 0, "text": "MOV R1, R2"}, {"pc": 16, "text": "EXIT"}],
            "emits": [{"type": 1, "count": 1, "at": [null]}, {"type": 2, "count": 1, "at": [null]}],
        }]}],
        "dispatches": [{"id": 0, "kernel": 0, "grid": [1, 1, 1], "block": [128, 1, 1], "run": 1}],
    });
    let order: Vec<Vec<u8>> = (0..4).map(|warp| flow(warp, 0)).collect();
    let lanes: Vec<Vec<u8>> =
        (0..4_u32).map(|warp| [warp, 0, ALL, ALL].map(u32::to_le_bytes).concat()).collect();
    let mut simd = Buffer::new("simd.bin", 2, 16, &lanes[..4 - lost]);
    // What was asked for beyond its end.
    simd.next = Some(simd.next.unwrap_or(16 * (4 - lost) as u64) + 16 * lost as u64);
    let buffers = vec![Buffer::new("flow.bin", 1, 8, &order), simd];
    let (doc, is_ready) = open(Container { manifest, buffers }.files(), 1 << 16);
    assert!(is_ready);
    said(doc)
}

#[test]
fn lost_records_are_said_with_what_they_touch() {
    let rule = "instrumentation-lost-records";
    let overview = container(1);
    let found = planted(&overview, rule, 1.0);
    assert!(found.said(Language::En).contains("1 of 8 records"), "{}", found.said(Language::En));
    silent(&container(0), rule);
    not_here(&counted(80), rule);
}

#[test]
fn a_plan_that_one_buffer_cannot_hold() {
    let rule = "instrumentation-plan-memory";
    let sizes = |bytes: u64| {
        let text = format!("K___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1 {bytes}\n");
        let (doc, is_ready) = open_one("memorytrace_pre_process.txt", text.into_bytes());
        assert!(is_ready);
        said(doc)
    };
    planted(&sizes(4 << 30), rule, (4_u64 << 30) as f64);
    silent(&sizes(1 << 20), rule);
    let (doc, _) = open_case("gtpin_text", "listing");
    missing(&said(doc), rule);
}

#[test]
fn bytes_of_cache_lines_that_no_lane_asked_for() {
    let rule = "instrumentation-unused-bytes";
    let sends = |lines: u64, kind: &str| {
        let text = format!(
            "=== K (runs 1 times)\n0x000260 : send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 // wr:4+0, rd:2; load.ugm.d32.a64\n\
             {kind}  * Instruction executed: 100\n  * SIMD lanes executed: 3200\n  * Cache line transferred: {lines} ( {} bytes)\n  \
             * Stride distribution:\n      100% (3100) -> stride: 64 bytes (16 units)\n",
            64 * lines
        );
        let (doc, is_ready) = open_one("memaccess.txt", text.into_bytes());
        assert!(is_ready);
        said(doc)
    };
    let kind = "  * SIMD32 ExecSize_32 4 bytes X1 Scatter A64 Read\n";
    // Each lane moves a line of its own for its 4 bytes.
    let overview = sends(3_200, kind);
    let found = planted(&overview, rule, 3_200.0 * 60.0);
    assert!((found.saving.share - 60.0 / 64.0).abs() < 1e-9);
    silent(&sends(200, kind), rule);
    missing(&sends(3_200, ""), rule);
}

/// Values and addresses alone: neither opcodes nor warps nor lost records are told.
#[test]
fn records_that_name_no_memory_say_nothing_of_any() {
    let (doc, _) = open_case("nvbit", "bare");
    let bare = said(doc);
    for rule in
        ["excess-sectors", "bank-conflicts", "local-memory", "atomics-meet", "uneven-threads", "lost-records"]
    {
        missing(&bare, &format!("instrumentation-{rule}"));
    }
    let Some(Outcome::Missing(why)) = outcome(&bare, "instrumentation-bank-conflicts") else { panic!() };
    assert!(why.to_string().contains("do not give their memory space"), "{why}");
    let sectors = &bare.tiles[2];
    assert_eq!(sectors.value.text(Language::En), "not recorded", "{sectors:?}");
    assert!(!bare.tiles[0].comparison.to_string().contains("warp"), "{}", bare.tiles[0].comparison);
    // With opcodes it is known that shared memory is not there.
    let (doc, _) = open_case("nvbit", "plain");
    let plain = said(doc);
    silent(&plain, "instrumentation-bank-conflicts");
    silent(&plain, "instrumentation-local-memory");
}

#[test]
fn what_runs_is_named_as_the_profile_has_it() {
    let overview = warps(|warp| rounds(if warp == 2 { 1_000 } else { 10 }));
    assert_eq!(overview.tiles[0].comparison.to_string(), "1 launch of 1 kernel, 4 warps");
    let uneven = planted(&overview, "instrumentation-uneven-threads", 3_002.0);
    assert!(uneven.sentence.to_string().ends_with(" times the mean over 4 warps."), "{}", uneven.sentence);
    assert!(uneven.line.to_string().contains("its longest warp"), "{}", uneven.line);
    // Lanes were counted, and most of them were idle.
    let counts = |lanes: u64| {
        let text = format!(
            "=== K(runs 1 times) ===\n[      8|{lanes:8}] 0x000000 : mov (8|M0) r1.0<1>:ud r0.0<1;1,0>:ud\n\
             [      8|       0] 0x000010 : if (8|M0) 48 64\n"
        );
        let (doc, is_ready) = open_one("instcount.txt", text.into_bytes());
        assert!(is_ready);
        said(doc)
    };
    planted(&counts(16), "instrumentation-idle-lanes", 0.75);
    silent(&counts(64), "instrumentation-idle-lanes");
}

#[test]
fn each_kind_of_text_has_five_figures() {
    let cases = ["latencies", "launch_sizes", "listing", "opcodes", "sizes", "strides", "times"]
        .map(|case| ("gtpin_text", case));
    let others = [
        ("pti", "accesses"),
        ("pti", "counts"),
        ("pti", "json"),
        ("gpu_multitrace", "plan_only"),
        ("gpu_multitrace", "tiny"),
    ];
    for (format, case) in cases.into_iter().chain(others) {
        let (doc, is_ready) = open_case(format, case);
        assert!(is_ready, "{format} {case}");
        let overview = said(doc);
        assert_eq!(overview.tiles.len(), 5, "{format} {case}: {:?}", overview.tiles);
        for tile in &overview.tiles {
            assert!(!tile.value.text(Language::En).is_empty(), "{format} {case}: {tile:?}");
        }
    }
}

/// So many instructions of these lanes from an address on.
fn run(pc: u64, n: u64, mask: u32) -> Vec<Ran> {
    (0..n).map(|at| plain(pc + 16 * at, "FADD", mask)).collect()
}

#[test]
fn lanes_that_end_early_are_told_to_work_and_a_grid_of_one_is_not_made_smaller() {
    let warp = || [run(0, 2, ALL), vec![plain(0x20, "EXIT", !0xff)], run(0x30, 20, 0xff)].concat();
    let overview = traced(&[warp(), warp()]);
    let line = overview.findings[0].line.to_string();
    assert!(line.contains("left at the EXIT 0x20") && !line.contains("grid"), "{line}");
    // Two jumps behind which as many are lost.
    let twice = || {
        let first = [vec![plain(0x20, "BRA", 0xff)], run(0x100, 20, 0xff)].concat();
        let second = [run(0x300, 1, ALL), vec![plain(0x310, "BRA", 0xff)], run(0x400, 20, 0xff)].concat();
        [run(0, 2, ALL), first, second, run(0x600, 1, ALL)].concat()
    };
    let line = traced(&[twice(), twice()]).findings[0].line.to_string();
    assert!(line.contains("as many as behind 1 other"), "{line}");
}

/// What a script counted of real traces, mask by mask and lane by lane: active lanes, and where idle ones left.
#[test]
fn real_idle_lanes_are_those_that_a_script_counted() {
    let rule = "instrumentation-idle-lanes";
    let of = |files: Vec<(String, Vec<u8>)>| {
        let (mut doc, is_ready) = open(files, 1 << 16);
        assert!(is_ready);
        while doc.has_work() {
            doc.step();
        }
        said(doc)
    };
    let lanes = |overview: &Overview| overview.tiles[1].value.to_string();
    let Some(folder) = corpus("instrumentation") else { return };
    // 183,113 lanes of 187,296 in instructions that some lane ran, and of 206,432 in all; 888,544 of 892,544.
    for (name, idle, active) in [("gemm", "2.2 %", "88.7 %"), ("prefill", "0.4 %", "95.7 %")] {
        let overview = of(files_of(&folder.join(format!("accelsim_flashinfer/flashinfer-{name}"))));
        let Some(Outcome::Nothing(said)) = outcome(&overview, rule) else { panic!("{name}") };
        assert!(said.to_string().starts_with(&format!("{idle} of the lanes ")), "{said}");
        assert_eq!(lanes(&overview), active, "{name}");
    }
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "instrumentation/flashinfer_nn-onestep/");
    let overview = of(files.into_iter().collect());
    let found = found(&overview, rule);
    // Two launches of 12,601 of 16,736 lanes each, one of 795 of 3,936, without jumps that show only the lanes that take
    // them; 1,774 instructions in all. The one has 8 threads: groups of another size would save nothing.
    let expected = [
        (8_270.0, 33_472.0, 258.0, 7_790.0, "24.1 of 32", Some("62.0 % of the idle lanes left at the ")),
        (3_141.0, 3_936.0, 0.0, 189.0, "6.5 of 32", None),
    ];
    assert_eq!(found.len(), expected.len());
    for (found, (idle, room, fewer, behind, mean, line)) in found.iter().zip(expected) {
        assert!((found.value - idle / room).abs() < 1e-12, "{}", found.value);
        assert!((found.saving.value, (found.saving.share - fewer / 1_774.0).abs() < 1e-12) == (fewer, true));
        assert!(found.sentence.to_string().contains(mean), "{}", found.sentence);
        let number = |name: &str| found.evidence.numbers.iter().find(|one| one.name == *name).unwrap().value;
        assert_eq!(number("Idle lanes of these instructions"), idle);
        assert_eq!(number("Of these since they left at a jump"), behind);
        assert!(line.is_none_or(|line| found.line.to_string().starts_with(line)), "{}", found.line);
    }
    assert!(found[0].line.to_string().contains(" 0x140 "), "{}", found[0].line);
    assert_eq!(lanes(&overview), "50.1 %");
}

#[test]
fn less_than_an_instruction_of_idle_lanes_is_no_finding() {
    let overview = traced(&[[run(0, 3, ALL), run(0x30, 1, 0xff_ffff)].concat()]);
    silent(&overview, "instrumentation-idle-lanes");
}

#[test]
fn a_plan_of_sizes_is_for_the_largest_launch() {
    let name = "K___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1";
    let launches = [142_606_336_u64, 100_034_048, 142_606_336];
    let mut text = format!("{name} 142606336\n");
    for (at, bytes) in launches.iter().enumerate() {
        writeln!(text, "{name} {bytes} 262144  OpenCL 0  {at}").unwrap();
    }
    let (doc, is_ready) = open_one("memorytrace_pre_process_dispatch.txt", text.into_bytes());
    assert!(is_ready);
    let overview = said(doc);
    let planned = &overview.tiles[1];
    assert_eq!(
        (planned.label.to_string(), planned.value.to_string()),
        ("Planned".into(), "136.00 MiB".into())
    );
    let part = |title: &str| overview.parts.iter().find(|part| part.title == title).unwrap();
    assert_eq!((part("Kernels").rows.len(), part("Launches").rows.len()), (1, 3));
    let sum: f64 = launches.iter().map(|n| *n as f64).sum();
    assert!((part("Launches").rows[0].share - 142_606_336.0 / sum).abs() < 1e-9);
}

#[test]
fn heads_and_ends_of_threads_are_no_accesses() {
    let Some(folder) = corpus("instrumentation") else { return };
    let (doc, _) = open(files_of(&folder.join("gtpin_memorytrace_synth/v20_tile_ts")), 1 << 16);
    let overview = said(doc);
    assert_eq!(overview.tiles[0].value.to_string(), "20");
    assert_eq!(overview.tiles[1].value.to_string(), "97.5 %");
    silent(&overview, "instrumentation-local-memory");
    silent(&overview, "instrumentation-atomics-meet");
    let opcodes = overview.parts.iter().find(|part| part.title == "By opcode").unwrap();
    assert!(opcodes.rows.iter().all(|row| row.name != "head"), "{:?}", opcodes.rows);
}

#[test]
fn what_is_uneven_but_short_is_said_so() {
    let overview = warps(|warp| rounds(if warp == 2 { 100 } else { 10 }));
    let Some(Outcome::Nothing(why)) = outcome(&overview, "instrumentation-uneven-threads") else { panic!() };
    assert!(why.to_string().contains("but only 302 instructions"), "{why}");
}

#[test]
fn a_buffer_that_several_launches_need_counts_once() {
    let name = "K___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1";
    let text: String =
        (0..3).map(|at| format!("{name} {} 262144  OpenCL 0  {at}\n", (4_u64 << 30) + at)).collect();
    let (doc, is_ready) = open_one("memorytrace_pre_process_dispatch.txt", text.into_bytes());
    assert!(is_ready);
    let overview = said(doc);
    let found = planted(&overview, "instrumentation-plan-memory", (4_u64 << 30) as f64);
    assert!(!found.line.to_string().contains("more:"), "{}", found.line);
}
