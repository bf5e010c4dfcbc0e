//! What is concluded from recorded programs: shared memory, masks of blocks, ties, addresses that were not recorded, names.

use crate::accelsim::make::V5;
use crate::accelsim::{export, recorded};
use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_case, open_one};
use lanescope::analysis::code::ColumnSummary;
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::facts::draw_table;
use lanescope::draw::style::DrawStyle;
use lanescope::model::figure::{Body, Cell, TableFigure};
use lanescope::model::figure::{Figure, Target};
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::views::executions::messages::{ExecutionsQuery, Reply as Executions};
use lanescope::wire::Ask;
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

pub(super) fn figure(doc: &mut Document, id: &str) -> Figure {
    while doc.has_work() {
        doc.step();
    }
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    shown.figure
}

pub(super) fn table(figure: &Figure) -> &TableFigure {
    let Body::Table(table) = &figure.body else { panic!("a table") };
    table
}

/// Cells of a column as text.
pub(super) fn cells(table: &TableFigure, name: &str) -> Vec<String> {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let at = names.iter().position(|own| *own == name).unwrap_or_else(|| panic!("{name} of {names:?}"));
    table.rows.iter().map(|row| row[at].plain()).collect()
}

pub(super) fn advice(figure: &Figure) -> Vec<String> {
    figure.advice.iter().map(|advice| advice.text.to_string()).collect()
}

/// A trace of one warp that runs these instructions once each: opcode, mask, bytes of a lane, step between lanes.
pub(super) fn trace(name: &str, instructions: &[(&str, u32, u32, u64)]) -> String {
    let mut out = format!(
        "-kernel name = {name}\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n\
        -binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n\
        -local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n\
        #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n\
        #BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = {}\n",
        instructions.len()
    );
    for (at, (opcode, mask, width, step)) in instructions.iter().enumerate() {
        out += &format!("{:04x} {mask:08x} 1 R1 {opcode} 1 R2 {width}", at * 16);
        out += &if *width == 0 { "\n".to_owned() } else { format!(" 1 0x1000 {step}\n") };
    }
    out + "\n#END_TB\n"
}

pub(super) fn opened(text: &str) -> Document {
    let (doc, is_ready) = open_one("kernel-1.traceg", text.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

/// The passes over the banks that an access takes, counted one word after the other.
fn naive(mask: u32, width: u64, step: u64) -> (u32, u32) {
    let part = if width <= 4 {
        32
    } else if width <= 8 {
        16
    } else {
        8
    };
    let lanes: Vec<u64> = (0..32).filter(|lane| mask >> lane & 1 == 1).collect();
    let (mut all, mut ideal) = (0, 0);
    for first in (0..32).step_by(part) {
        let own = lanes.iter().enumerate().filter(|(_, lane)| (first..first + part as u64).contains(lane));
        let mut words: Vec<u64> = own
            .flat_map(|(n, _)| {
                let from = 0x1000 + n as u64 * step;
                (from..from + width).map(|byte| byte / 4)
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let most = (0..32).map(|bank| words.iter().filter(|word| **word % 32 == bank).count()).max();
        all += most.unwrap_or(0) as u32;
        ideal += u32::from(!words.is_empty());
    }
    (all, ideal)
}

#[test]
fn shared_memory_has_wavefronts_and_no_sectors() {
    let all = u32::MAX;
    let program = [
        ("LDG.E", all, 4, 4),
        ("LDS", all, 4, 128),
        ("STS.64", all, 8, 16),
        ("LDS.128", all, 16, 16),
        ("LDS", 0xf, 4, 4),
        ("LDS.64", 0xffff_0000, 8, 0),
        ("EXIT", all, 0, 0),
    ];
    let mut doc = opened(&trace("shared", &program));
    let instructions = figure(&mut doc, "instrumentation-instructions");
    let of = table(&instructions);
    let twin: Vec<(u32, u32)> =
        program[1..6].iter().map(|(_, mask, width, step)| naive(*mask, u64::from(*width), *step)).collect();
    assert_eq!(twin, [(32, 1), (4, 2), (4, 4), (1, 1), (1, 1)]);
    let wanted = |of: fn(&(u32, u32)) -> u32| {
        std::iter::once(String::new()).chain(twin.iter().map(|n| of(n).to_string())).collect::<Vec<_>>()
    };
    assert_eq!(cells(of, "Wavefronts"), wanted(|n| n.0));
    assert_eq!(cells(of, "Fewest wavefronts"), wanted(|n| n.1));
    assert_eq!(cells(of, "Sectors"), ["4", "", "", "", "", ""]);
    assert_eq!(cells(of, "Efficiency"), ["1", "", "", "", "", ""]);
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let banks = "kernel-1: Bank conflicts: 5 shared accesses take 42 wavefronts, 9 without conflicts. LDS at 0x10 has the most, 31 of 33 excess wavefronts.";
    assert!(said.iter().any(|text| text == banks), "{said:?}");
    // Beside the code only the load of the device has sectors.
    let listing = &doc.trace().code.listings[recorded(&doc).programs[0].listing.unwrap().index()];
    let numbers = |name: &str| -> Vec<Option<f64>> {
        let column = listing.columns.iter().find(|column| column.name == name).unwrap();
        (0..6).map(|row| column.cells.number(row, 0)).collect()
    };
    for (name, global) in [("Sectors per access", 4.0), ("Efficiency", 1.0), ("Bytes moved", 128.0)] {
        assert_eq!(numbers(name), [Some(global), None, None, None, None, None], "{name}");
    }
    assert_eq!(numbers("Wavefronts per access")[..3], [None, Some(32.0), Some(4.0)]);
    assert_eq!(numbers("Excess wavefronts")[..4], [None, Some(31.0), Some(2.0), Some(0.0)]);
}

/// Counted by hand: 32 lanes of 4 bytes fit into 4 sectors and take 32 at steps of 128; 16 of 8 bytes fit into 4 and take 8
/// at steps of 16.
#[test]
fn excess_sectors_are_those_of_global_memory() {
    let all = u32::MAX;
    let program = [
        ("LDG.E", all, 4, 128),
        ("LDL", all, 4, 128),
        ("LDS", all, 4, 128),
        ("STG.E.64", 0xffff, 8, 16),
        ("LDG.E", all, 4, 4),
        ("EXIT", all, 0, 0),
    ];
    let mut doc = opened(&trace("global", &program));
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let worst = "LDG.E at 0x0 has the most, 28 of 32 excess sectors: stride 128";
    assert!(said.iter().any(|text| text.contains(worst)), "{said:?}");
    let listing = &doc.trace().code.listings[recorded(&doc).programs[0].listing.unwrap().index()];
    let excess = listing.columns.iter().find(|column| column.name == "Excess sectors").unwrap();
    let found: Vec<Option<f64>> = (0..6).map(|row| excess.cells.number(row, 0)).collect();
    assert_eq!(found, [Some(28.0), None, None, Some(4.0), Some(0.0), None]);
    // As heat the column has these two alone, the worse one first.
    assert_eq!(ColumnSummary::of(excess, 6, 0).hottest, [0, 3]);
    // Without accesses to global memory there is no such column.
    let mut doc = opened(&trace("shared", &program[2..3]));
    figure(&mut doc, "instrumentation-kernels");
    let listing = &doc.trace().code.listings[recorded(&doc).programs[0].listing.unwrap().index()];
    assert!(listing.columns.iter().all(|column| column.name != "Excess sectors"));
}

/// A load that each of some warps runs with steps of its own.
fn warps(steps: &[u64]) -> String {
    let head =
        trace("mixed", &[]).replace("block dim = (32,", &format!("block dim = ({},", 32 * steps.len()));
    let (head, _) = head.split_once("warp = 0").unwrap();
    let mut out = head.to_owned();
    for (warp, step) in steps.iter().enumerate() {
        out += &format!(
            "warp = {warp}\ninsts = 2\n0000 ffffffff 1 R1 LDG.E 1 R2 4 1 {:#x} {step}\n",
            0x10000 * (warp + 1)
        );
        out += "0010 ffffffff 0 EXIT 0 0\n\n";
    }
    out + "#END_TB\n"
}

/// By hand: 32 lanes of 4 bytes take 4 sectors next to each other, 8 at steps of 8, 32 at
/// steps of 128.
#[test]
fn the_pattern_of_lost_sectors_is_that_of_the_accesses_that_lose_them() {
    for (steps, words, cell) in [
        (
            &[4, 4, 4, 128][..],
            "All 28 excess sectors come from LDG.E at 0x0: stride 128: one sector per lane, in 1 of 4 executions.",
            // 512 bytes of 44 sectors.
            "stride 128: one sector per lane, 25.0 % of executions, 36.4 % of the bytes moved are used",
        ),
        (
            &[4, 128, 4, 128],
            "All 56 excess sectors come from LDG.E at 0x0: stride 128: one sector per lane, in 2 of 4 executions.",
            "stride 128: one sector per lane, 50.0 % of executions, 22.2 % of the bytes moved are used",
        ),
        (
            &[8, 8, 8, 128],
            "All 40 excess sectors come from LDG.E at 0x0: stride 128: one sector per lane, 28 of them in 1 of 4 executions.",
            "stride 128: one sector per lane, 25.0 % of executions, 28.6 % of the bytes moved are used",
        ),
        (
            &[128, 128],
            "All 56 excess sectors come from LDG.E at 0x0: stride 128: one sector per lane.",
            "stride 128: one sector per lane, 12.5 % of the bytes moved are used",
        ),
    ] {
        let mut doc = opened(&warps(steps));
        let said = advice(&figure(&mut doc, "instrumentation-kernels"));
        assert!(said[0].ends_with(words), "{said:?}");
        let found = figure(&mut doc, "instrumentation-instructions");
        assert_eq!(cells(table(&found), "Pattern"), [cell]);
    }
}

#[test]
fn without_conflicts_wavefronts_are_the_fewest() {
    let mut doc = opened(&trace("shared", &[("LDS.128", u32::MAX, 16, 16), ("LDS", u32::MAX, 4, 4)]));
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let banks = "kernel-1: No bank conflicts: 2 shared accesses take 5 wavefronts, the fewest possible.";
    assert!(said.iter().any(|text| text == banks), "{said:?}");
    // Where one instruction has all of them, it alone is named; two that have as many are.
    let (worst, free) = (("LDS", u32::MAX, 4, 128), ("LDS", u32::MAX, 4, 4));
    let mut doc = opened(&trace("shared", &[free, worst]));
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let banks = "kernel-1: Bank conflicts: 2 shared accesses take 33 wavefronts, 2 without conflicts. All 31 excess wavefronts come from LDS at 0x10.";
    assert!(said.iter().any(|text| text == banks), "{said:?}");
    let mut doc = opened(&trace("shared", &[worst, free, worst]));
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let banks = "2 instructions have 31 of 62 excess wavefronts each, the first one is LDS at 0x0.";
    assert!(said.iter().any(|text| text.ends_with(banks)), "{said:?}");
}

/// Counted by a parser of our own: 128-bit loads of the prefill kernel take four wavefronts each.
#[test]
fn wavefronts_of_real_kernels_are_known() {
    let Some(root) = corpus("instrumentation/accelsim_flashinfer") else { return };
    for (path, accesses, wavefronts) in [
        ("flashinfer-prefill/kernel-1.traceg.xz", 1_536, 4_608),
        ("flashinfer-gemm/kernel-7.traceg.xz", 129, 257),
    ] {
        let bytes = std::fs::read(root.join(path)).unwrap();
        let (mut doc, is_ready) = open_one(path.rsplit('/').next().unwrap(), bytes);
        assert!(is_ready, "{path}");
        let found = figure(&mut doc, "instrumentation-instructions");
        let sum = |name: &str| -> u64 {
            let of = table(&found);
            let memory = cells(of, "Memory");
            let own = memory.iter().zip(cells(of, name)).filter(|(memory, _)| *memory == "shared");
            own.map(|(_, cell)| cell.parse::<u64>().unwrap()).sum()
        };
        assert_eq!(sum("Executions"), accesses, "{path}");
        assert_eq!([sum("Wavefronts"), sum("Fewest wavefronts")], [wavefronts; 2], "{path}");
    }
}

#[test]
fn ties_are_said() {
    let all = u32::MAX;
    let sentence = |program: &[(&str, u32, u32, u64)]| {
        let said = advice(&figure(&mut opened(&trace("ties", program)), "instrumentation-kernels"));
        said[0].split("are used. ").nth(1).unwrap_or_else(|| panic!("{said:?}")).to_owned()
    };
    let (load, store, unit) = (("LDG.E", all, 4, 128), ("STG.E", all, 4, 128), ("LDG.E", all, 4, 4));
    let pattern = "stride 128: one sector per lane.";
    let tied = sentence(&[unit, load, store, load]);
    assert_eq!(
        tied,
        format!(
            "3 instructions have 28 of 84 excess sectors each, the first one is LDG.E at 0x10: {pattern}"
        )
    );
    let first = sentence(&[("LDG.E", 0xff, 4, 128), load, unit]);
    assert_eq!(first, format!("LDG.E at 0x10 has the most, 28 of 35 excess sectors: {pattern}"));
    assert_eq!(sentence(&[unit, store]), format!("All 28 excess sectors come from STG.E at 0x10: {pattern}"));
}

/// The same kernel with lanes of each instruction, and with those of each execution of a block.
#[test]
fn lanes_of_blocks_are_an_upper_bound() {
    let text = V5.grouped("loop");
    let mut exact = opened(&text);
    let own = figure(&mut exact, "instrumentation-kernels");
    let lanes: f64 = cells(table(&own), "SIMD efficiency")[0].parse().unwrap();
    let (answer, bytes) = exact.query(&Query::Export { id: "gpu-multitrace".to_owned() });
    let (mut coarse, is_ready) = open_one("made.zip", bytes.unwrap_or_else(|| panic!("{answer:?}")));
    assert!(is_ready);
    let found = figure(&mut coarse, "instrumentation-kernels");
    let of = table(&found);
    let most: f64 = cells(of, "SIMD efficiency, at most")[0].parse().unwrap();
    assert!(lanes < most, "{lanes} {most}");
    assert_eq!(cells(of, "Lanes recorded"), ["per block"]);
    assert_eq!(cells(of, "Predicated off"), [""]);
    assert!(found.notes.iter().any(|note| note.to_string().contains("is an upper bound")));
    // The trace says the same as the table, each of its own masks.
    let shown = |doc: &mut Document| {
        let ask = ExecutionsQuery::Head { launch: None };
        let Some(Executions::Head(Some(head))) = doc.query(&ask).0 else { panic!("a head") };
        (head.mean_lanes.unwrap() / f64::from(head.lanes), head.has.block_masks)
    };
    assert_eq!([shown(&mut exact), shown(&mut coarse)], [(lanes, false), (most, true)]);
    let columns = |doc: &Document| -> Vec<String> {
        let listing = recorded(doc).programs[0].listing.unwrap();
        doc.trace().code.listings[listing.index()].columns.iter().map(|c| c.name.clone()).collect()
    };
    assert!(columns(&coarse).contains(&"Active lanes (at most)".to_owned()), "{:?}", columns(&coarse));
    assert!(columns(&exact).contains(&"Active lanes".to_owned()));
    assert!([&exact, &coarse].map(|doc| recorded(doc).launches[0].has_block_masks) == [false, true]);
    // What the exact trace has of the kernel is no more than what the other one says.
    let executions = |doc: &Document| recorded(doc).launches[0].executions.lanes.clone();
    assert!(executions(&exact).iter().zip(executions(&coarse)).all(|(own, most)| *own <= most));
}

/// Counted by parsers of our own: 888,544 of 928,768 lanes ran an instruction; the container has masks of blocks, and own
/// ones of 2,192 accesses, that leave 922,112.
#[test]
fn a_real_kernel_has_one_efficiency_and_an_upper_bound() {
    let Some(root) = corpus("instrumentation") else { return };
    for (path, column, lanes) in [
        ("accelsim_flashinfer/flashinfer-prefill", "SIMD efficiency", 888_544.0),
        ("gmt_flashinfer_prefill", "SIMD efficiency, at most", 922_112.0),
    ] {
        let (mut doc, is_ready) = open(super::folder(&root.join(path)), 1 << 16);
        assert!(is_ready, "{path}");
        let found = figure(&mut doc, "instrumentation-kernels");
        let share: f64 = cells(table(&found), column)[0].parse().unwrap();
        assert!((share - lanes / 928_768.0).abs() < 1e-9, "{path}: {share}");
    }
}

/// Of an access only the first address was recorded: nothing is said of its pattern.
#[test]
fn a_base_address_is_no_access_of_one_lane() {
    let mut doc = open_case("gpu_multitrace", "tiny").0;
    while doc.has_work() {
        doc.step();
    }
    let mut n = 0;
    for execution in 0..6 {
        let ask = ExecutionsQuery::Detail { launch: 0, execution, row: None };
        let Some(Executions::Detail(Some(detail))) = doc.query(&ask).0 else { panic!("a detail") };
        for access in detail.rows.iter().filter_map(|row| row.access) {
            assert!(access.is_base && access.access.lanes == 0 && access.access.moved == 0, "{access:?}");
            n += 1;
        }
    }
    assert_eq!(n, 8);
    let notes = figure(&mut doc, "trace-memory-facts").notes;
    let base = "For 8 accesses only the base address was recorded: each counts once, not once per lane.";
    assert!(notes.iter().any(|note| *note == base), "{notes:?}");
}

const SYMBOL: &str = "_Z5scaleIfEvPT_i";
const NAME: &str = "void scale<float>(float*, int)";

#[test]
fn kernels_have_names_and_keep_their_symbols() {
    let mut doc = opened(&trace(SYMBOL, &[("LDG.E", u32::MAX, 4, 4), ("EXIT", u32::MAX, 0, 0)]));
    assert_eq!(cells(table(&figure(&mut doc, "instrumentation-kernels")), "Kernel"), [NAME]);
    assert_eq!((doc.trace().title.as_str(), recorded(&doc).programs[0].name.as_str()), (NAME, NAME));
    let listing = &doc.trace().code.listings[0];
    assert_eq!((listing.title.as_str(), doc.trace().strings.get(listing.scope.kernel)), (NAME, NAME));
    let symbols = doc.trace().extensions.get::<lanescope::model::Symbols>().unwrap();
    assert_eq!(symbols.symbol(NAME), Some(SYMBOL));
    // Other programs get the symbol.
    let (_, bytes) = doc.query(&Query::Export { id: "gpu-multitrace".to_owned() });
    let (again, is_ready) = open_one("made.zip", bytes.unwrap());
    assert!(is_ready);
    let symbols = again.trace().extensions.get::<lanescope::model::Symbols>().unwrap();
    assert_eq!((recorded(&again).programs[0].name.as_str(), symbols.symbol(NAME)), (NAME, Some(SYMBOL)));
    // So do tables: the tooltip of a cell has both.
    let counts = format!("=== {SYMBOL}(runs 2 times) ===\n[    4|     64] 0x000000 : mov (16|M0) r1 r2\n");
    let mut pti = open_one("counts.txt", counts.into_bytes()).0;
    let plan: serde_json::Value = serde_json::from_str(&export(&mut pti, "plan-json")).unwrap();
    assert_eq!(plan["kernel"], NAME);
}

#[test]
fn the_end_of_a_long_name_is_seen() {
    let name = "void flashinfer::SinglePrefillWithKVCacheKernel<float, 64>(Params)";
    let mut doc = opened(&trace(name, &[("LDG.E", u32::MAX, 4, 4), ("EXIT", u32::MAX, 0, 0)]));
    let found = figure(&mut doc, "instrumentation-kernels");
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let scene = draw_table(table(&found), Size { w: 1_000.0, h: 100.0 }, &look);
    let texts: Vec<&str> = scene
        .shapes
        .iter()
        .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text.as_str()) } else { None })
        .collect();
    let is_name = |text: &&&str| text.starts_with("Single") && text.contains('…') && text.ends_with("64>");
    assert_eq!(texts.iter().filter(is_name).count(), 1, "{texts:?}");
}

/// Two files number their launches each in its own way: kernels meet by their names and their order.
#[test]
fn kernels_are_compared_by_name_and_order() {
    let launch = |name: &str, mask: u32| trace(name, &[("LDG.E", mask, 4, 4), ("EXIT", mask, 0, 0)]);
    let document = |launches: &[(&str, String)]| {
        let list: String = launches.iter().map(|(file, _)| format!("{file}\n")).collect();
        let list = ("run/kernelslist.g".to_owned(), list.into_bytes());
        let files = launches.iter().map(|(file, text)| (format!("run/{file}"), text.clone().into_bytes()));
        let (doc, is_ready) = open(std::iter::once(list).chain(files).collect(), 1 << 16);
        assert!(is_ready);
        doc
    };
    let mut before = document(&[
        ("kernel-1.traceg", launch("fill", 0xff)),
        ("kernel-2.traceg", launch("scan", 0xf)),
        ("kernel-3.traceg", launch("scan", 0xff)),
    ]);
    let mut after =
        document(&[("kernel-4.traceg", launch("scan", 0xffff)), ("kernel-9.traceg", launch("scan", 0xff))]);
    for id in ["instrumentation-kernels", "instrumentation-instructions"] {
        let (a, b) = (figure(&mut before, id), figure(&mut after, id));
        let joined = lanescope::analysis::compare::compare(&a, &b).unwrap();
        let of = table(&joined);
        assert_eq!(cells(of, "Kernel"), ["scan", "scan", "fill"], "{id}");
        assert_eq!(cells(of, "Launch (baseline)"), ["kernel-2", "kernel-3", "kernel-1"], "{id}");
        assert_eq!(cells(of, "Launch (comparison)"), ["kernel-4", "kernel-9", ""], "{id}");
        if id == "instrumentation-instructions" {
            assert_eq!(cells(of, "Lanes (difference)"), ["12", "0", ""]);
        }
        assert!(of.rows.iter().flatten().any(|cell| matches!(cell, Cell::Number(_))), "{id}");
    }
    // So do plans: the first of the one is of another kernel than the first of the other.
    let id = || "plan-blocks".to_owned();
    let packed = FigureQuery::Packed { id: id(), chosen: Vec::new() };
    let (Answer::Packed, Some(bytes)) = before.query(&packed.query()) else { panic!("no bytes") };
    let joined = FigureQuery::Compare { id: id(), chosen: Vec::new() };
    let Some(Reply::Figure(both)) = after.query_with(&joined, &bytes).0 else { panic!("no figure") };
    assert_eq!(both.figure.scope, "kernel-4 · kernel-2");
    let all = lanescope::engine::compare::figures(&before, &after).families;
    let blocks = all.iter().find(|family| family.id == id()).unwrap();
    assert_eq!(blocks.variants[0].scope, "kernel-4 · kernel-2");
    // What the baseline does not have is said.
    let mut other = document(&[("kernel-1.traceg", launch("sort", 0xff))]);
    figure(&mut other, "instrumentation-kernels");
    assert!(matches!(other.query_with(&joined.query(), &bytes).0, Answer::Failed(_)));
}

/// The example of an access leads to a box of Trace, and there to the row of that access.
#[test]
fn an_example_of_an_access_is_its_row_in_trace() {
    let all = u32::MAX;
    let program = [("MOV", all, 0, 0), ("LDG.E", all, 4, 4), ("STG.E", all, 4, 256), ("EXIT", all, 0, 0)];
    let mut doc = opened(&trace("example", &program));
    let instructions = figure(&mut doc, "instrumentation-instructions");
    let of = table(&instructions);
    let texts = |name: &str| cells(of, name);
    let (addresses, examples) = (texts("Address"), texts("Example in Trace"));
    assert_eq!(examples.len(), 2);
    for (address, example) in addresses.iter().zip(&examples) {
        let Some(Target::Instructions(passage)) = Target::of_place(address) else { panic!("{address}") };
        let Some(Target::Execution { launch, execution, row, .. }) = Target::of_place(example) else {
            panic!("{example}")
        };
        let ask = ExecutionsQuery::Detail { launch, execution, row: Some(row) };
        let Some(Executions::Detail(Some(detail))) = doc.query(&ask).0 else { panic!("{example}") };
        assert_eq!(detail.rows[row as usize].address, Some(passage.first));
        assert!(detail.rows[row as usize].access.is_some(), "{example}");
    }
}

/// Two sends of a kernel, each of so many executions of 32 lanes of 4 bytes, and the cache lines that they move.
fn sends(own: [(u64, u64); 2]) -> Vec<String> {
    let mut text = "=== K (runs 1 times)\n".to_owned();
    for (address, (n, lines)) in [0x260, 0x300].into_iter().zip(own) {
        text += &format!(
            "{address:#08x} : send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 // wr:4+0, rd:2; load.ugm.d32.a64\n\
             \x20 * SIMD32 ExecSize_32 4 bytes X1 Scatter A64 Read\n  * Instruction executed: {n}\n  \
             * SIMD lanes executed: {}\n  * Cache line transferred: {lines} ( {} bytes)\n  \
             * Stride distribution:\n      100% ({}) -> stride: 64 bytes (16 units)\n",
            32 * n,
            64 * lines,
            31 * n
        );
    }
    let (mut doc, is_ready) = open_one("memaccess.txt", text.into_bytes());
    assert!(is_ready);
    advice(&figure(&mut doc, "pti-sends"))
}

/// By hand 204,800 − 12,800 and 51,200 − 6,400 bytes are lost of all 256,000; then twice 102,400 − 12,800.
#[test]
fn the_send_that_wastes_most_is_named_and_ties_are_said() {
    let worst = "The send at 0x260 wastes the most, 192,000 of 236,800 bytes: stride.";
    let uneven = format!("K: not coalesced: 7.5 % of the bytes moved are used. {worst}");
    assert_eq!(sends([(100, 3_200), (50, 800)]), [uneven]);
    let tied = "2 sends waste 89,600 of 179,200 bytes each, the first one is at 0x260: stride.";
    let even = format!("K: not coalesced: 12.5 % of the bytes moved are used. {tied}");
    assert_eq!(sends([(100, 1_600), (100, 1_600)]), [even]);
}

/// By hand: the first launch takes 32 sectors where 4 do and 32 wavefronts where one does; the second loads twice 8 where 4
/// do, and once 4; of its shared accesses none waits.
#[test]
fn launches_that_differ_are_told_by_their_own_numbers() {
    let all = u32::MAX;
    let first = trace("scan", &[("LDG.E", all, 4, 128), ("LDS", all, 4, 128), ("EXIT", all, 0, 0)]);
    let second = [("LDG.E", all, 4, 8), ("LDG.E", all, 4, 8), ("LDG.E", all, 4, 4), ("LDS", all, 4, 4)];
    let files = [("kernel-1.traceg", first), ("kernel-2.traceg", trace("scan", &second))];
    let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let (mut doc, is_ready) = open(files.into(), 1 << 16);
    assert!(is_ready);
    let mut said = advice(&figure(&mut doc, "instrumentation-kernels"));
    said.sort();
    assert_eq!(
        said,
        [
            "kernel-1: Bank conflicts: 1 shared access takes 32 wavefronts, 1 without conflict. All 31 excess wavefronts come from LDS at 0x10.",
            "kernel-1: Not coalesced: 1 of 1 global access uses more sectors than needed; 12.5 % of the bytes moved are used. All 28 excess sectors come from LDG.E at 0x0: stride 128: one sector per lane.",
            "kernel-2: Mostly coalesced: 2 of 3 global accesses use more sectors than needed; 60.0 % of the bytes moved are used. 2 instructions have 4 of 8 excess sectors each, the first one is LDG.E at 0x0: stride 8.",
            "kernel-2: No bank conflicts: 1 shared access takes 1 wavefront, the fewest possible.",
        ]
    );
}
