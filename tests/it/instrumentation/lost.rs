//! What is said where records are lost or say little: of lanes, of global accesses, of shared memory.

use super::conclusions::{advice, cells, figure, opened, table, trace};
use crate::accelsim::recorded;
use crate::multitrace::make::{Buffer, Container, flow};
use crate::support::front_door::{open, open_case};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::views::code::messages as code;
use lanescope::views::executions::messages::{ExecutionsQuery, Head, Reply};
use lanescope::views::executions::scene::lanes_words;

use serde_json::{Value, json};

/// Whether lanes are recorded, for a block or for each instruction.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Lanes {
    None,
    Block,
    Instruction,
}

/// Instructions of the only block: the assembly of a load of each memory, bytes of a lane, steps between lanes.
const LOADS: [(&str, u32, u64); 2] = [("LDG.E R2, [R8.64]", 4, 4), ("LDS R3, [R9]", 4, 8)];

/// Records of each of four warps: an access of each memory, the lanes of each instruction.
fn records(lanes: Lanes, masks: [u32; 4], loads: [(&str, u32, u64); 2]) -> [Vec<Vec<u8>>; 2] {
    let (mut memory, mut simd) = (Vec::new(), Vec::new());
    for (warp, mask) in (0_u32..).zip(masks) {
        for (at, (_, width, step)) in (0_u8..).zip(loads) {
            let mut out = [warp, 0, mask].map(u32::to_le_bytes).concat();
            out.extend([1 + at, 0, width as u8, 4 * at]);
            let base = 0x7f00_0000 + u64::from(warp) * 0x1000;
            out.extend((0..32).flat_map(|lane| (base + lane * step).to_le_bytes()));
            memory.push(out);
        }
        let all = [u32::MAX, mask, mask, u32::MAX];
        let n = if lanes == Lanes::Block { 1 } else { 4 };
        simd.extend(all[..n].iter().map(|mask| [warp, 0, *mask, u32::MAX].map(u32::to_le_bytes).concat()));
    }
    [memory, simd]
}

/// Four warps that run four instructions each; the last records of accesses and of lanes are lost.
pub(crate) fn made(
    lanes: Lanes,
    masks: [u32; 4],
    lost: [usize; 2],
    loads: [(&str, u32, u64); 2],
) -> Document {
    let load = |at: usize, space: &str| -> Value {
        let rw = if loads[at].0.contains("LDGSTS") { "rw" } else { "r" };
        let memory = json!({"rw": rw, "bytes": loads[at].1, "space": space});
        json!({"pc": 16 * (at + 1), "text": loads[at].0, "mem": memory})
    };
    let own = [
        json!({"pc": 0, "text": "MOV R1, R2"}),
        load(0, "global"),
        load(1, "shared"),
        json!({"pc": 48, "text": "EXIT"}),
    ];
    let at = if lanes == Lanes::Block { json!([null]) } else { json!([0, 1, 2, 3]) };
    let mut emits = vec![
        json!({"type": 1, "count": 1, "at": [null]}),
        json!({"type": 2, "count": 2, "at": [1, 2]}),
        json!({"type": 3, "count": at.as_array().unwrap().len(), "at": at}),
    ];
    emits.truncate(if lanes == Lanes::None { 2 } else { 3 });
    let manifest = json!({
        "format": "gpu-multitrace", "version": "1.0", "endian": "little",
        "producer": {"tool": "the tests of this project"},
        "device": {"vendor": "nvidia", "isa": "sass", "lanes": 32, "line_bytes": 128, "sector_bytes": 32},
        "thread_id": {"kind": "sw", "label": "warp", "warps_per_group": 2},
        "types": [
            {"id": 1, "name": "flow", "kind": "flow", "layout": "flow8", "bytes": 8},
            {"id": 2, "name": "mem", "kind": "memory", "layout": "mem-lanes64", "lanes": 32, "bytes": 272},
            {"id": 3, "name": "simd", "kind": "simd", "layout": "simd16", "bytes": 16},
        ],
        "kernels": [{"id": 0, "name": "k", "simd": 32, "blocks": [{
            "id": 0, "label": "A", "pc": 0, "entry": true, "exit": true, "succ": [], "insts": own, "emits": emits,
        }]}],
        "dispatches": [{"id": 0, "kernel": 0, "grid": [2, 1, 1], "block": [64, 1, 1], "run": 1}],
    });
    let [memory, simd] = records(lanes, masks, loads);
    let order: Vec<Vec<u8>> = (0..4).map(|warp| flow(warp, 0)).collect();
    let mut buffers = vec![
        Buffer::new("flow.bin", 1, 8, &order),
        Buffer::new("mem.bin", 2, 272, &memory[..memory.len() - lost[0]]),
    ];
    if lanes != Lanes::None {
        buffers.push(Buffer::new("simd.bin", 3, 16, &simd[..simd.len() - lost[1]]));
    }
    let (doc, is_ready) = open(Container { manifest, buffers }.files(), 1 << 16);
    assert!(is_ready);
    doc
}

/// The share of lanes that the table and the head of the trace say, and that head.
fn efficiency(doc: &mut Document, column: &str) -> (f64, Box<Head>) {
    let found = figure(doc, "instrumentation-kernels");
    let share: f64 = cells(table(&found), column)[0].parse().unwrap();
    let ask = ExecutionsQuery::Head { launch: None };
    let Some(Reply::Head(Some(head))) = doc.query(&ask).0 else { panic!("a head") };
    assert!((head.mean_lanes.unwrap() / 32.0 - share).abs() < 1e-9);
    (share, head)
}

pub(crate) const ALL: [u32; 4] = [u32::MAX; 4];

/// By hand: `MOV` and `EXIT` have 256 lanes of 512; the accesses of two warps none, those of the others, which are lost, all.
#[test]
fn at_most_is_an_upper_bound_where_records_are_lost() {
    let masks = [0, 0, u32::MAX, u32::MAX];
    let true_share = (256.0 + 128.0) / 512.0;
    for lost in [0, 4] {
        let mut doc = made(Lanes::Block, masks, [lost, 0], LOADS);
        assert!((efficiency(&mut doc, "SIMD efficiency, at most").0 - true_share).abs() < 1e-9, "{lost}");
    }
    // Where the lanes of a block are lost too, all may have run.
    let mut doc = made(Lanes::Block, masks, [4, 1], LOADS);
    assert!(true_share <= efficiency(&mut doc, "SIMD efficiency, at most").0);
}

#[test]
fn sentences_of_accesses_say_how_many_are_lost() {
    let said = advice(&figure(&mut made(Lanes::Instruction, ALL, [2, 0], LOADS), "instrumentation-kernels"));
    let part = "This covers only what was recorded; accesses without the width or the addresses of all lanes: 1 of 4.";
    for (text, seen) in
        said.iter().zip(["each of 3 global accesses", "3 shared accesses take 6 wavefronts, 3"])
    {
        assert!(text.contains(seen) && text.ends_with(part), "{text}");
    }
    assert_eq!(said.len(), 2, "{said:?}");
}

#[test]
fn lost_lanes_leave_accesses_whole() {
    let mut doc = made(Lanes::Instruction, ALL, [0, 6], LOADS);
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    assert!(said[0].contains("each of 4 global accesses"), "{said:?}");
    assert!(said[1].contains("4 shared accesses take 8 wavefronts, 4"), "{said:?}");
    assert!(said.iter().all(|text| !text.contains("what was recorded")), "{said:?}");
    // Of 16 instructions `EXIT` of warp 2, `MOV` and `EXIT` of warp 3 have no lanes.
    let (_, head) = efficiency(&mut doc, "SIMD efficiency");
    assert_eq!((head.with_lanes, head.instructions), (13, 16));
}

/// By hand: of eight accesses those of two warps have 16 lanes of 32.
#[test]
fn lanes_of_accesses_alone_are_not_those_of_all_instructions() {
    let mut doc = made(Lanes::None, [0xffff, 0xffff, u32::MAX, u32::MAX], [0, 0], LOADS);
    let (share, head) = efficiency(&mut doc, "SIMD efficiency");
    assert!((share - 0.75).abs() < 1e-9);
    let of = Some(head.with_lanes).filter(|n| *n < head.instructions);
    let words = lanes_words(share, head.has.block_masks, of, Language::En);
    assert_eq!(words, "75.0 % of lanes active, for 8 instructions with a mask");
    let notes = figure(&mut doc, "instrumentation-kernels").notes;
    let note = "dispatch 0: lanes were recorded for 8 of 16 instructions. SIMD efficiency and Predicated off cover only those.";
    assert!(notes.iter().map(ToString::to_string).any(|own| own == note), "{notes:?}");
}

#[test]
fn accesses_without_addresses_of_lanes_are_not_none() {
    for case in ["tiny", "overflow"] {
        let found = figure(&mut open_case("gpu_multitrace", case).0, "instrumentation-kernels");
        let text = "dispatch 0: Cannot tell whether 8 global accesses are coalesced: their width, or the addresses of all lanes, were not recorded.";
        assert_eq!(advice(&found), [text], "{case}");
        assert_eq!(
            [cells(table(&found), "Coalesced"), cells(table(&found), "Global accesses")],
            [[""], [""]]
        );
    }
}

#[test]
fn instructions_of_sass_say_themselves_what_they_do_to_memory() {
    let loads = [("@P0 LDGSTS.E.BYPASS.128 [R9], [R8.64]", 16, 16), ("LDSM.16.M88.4 R3, [R9]", 2, 16)];
    let mut doc = made(Lanes::Instruction, ALL, [0, 0], loads);
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    let banks = "dispatch 0: No bank conflicts: 4 shared accesses take 16 wavefronts, the fewest possible.";
    assert_eq!(said[1], banks);
    let found = figure(&mut doc, "instrumentation-instructions");
    assert_eq!(cells(table(&found), "Access"), ["read", "read"]);
    assert_eq!(cells(table(&found), "Bytes per lane"), ["16", "16"]);
}

#[test]
fn that_all_lanes_and_addresses_are_lost_is_said() {
    let mut doc = made(Lanes::Instruction, ALL, [8, 16], LOADS);
    let found = figure(&mut doc, "instrumentation-kernels");
    let why = "their width, or the addresses of all lanes, were not recorded.";
    let told = [
        format!("dispatch 0: Cannot tell whether 4 global accesses are coalesced: {why}"),
        format!("dispatch 0: Cannot tell whether 4 shared accesses have bank conflicts: {why}"),
    ];
    assert_eq!(advice(&found), told);
    let note = "dispatch 0: lanes were recorded for 0 of 16 instructions.";
    assert!(found.notes.iter().any(|own| own.to_string().starts_with(note)), "{:?}", found.notes);
}

#[test]
fn sums_beside_code_are_of_what_was_recorded() {
    for (lost, is_part) in [([0, 0], false), ([0, 2], true), ([1, 0], true)] {
        let mut doc = made(Lanes::Instruction, ALL, lost, LOADS);
        figure(&mut doc, "instrumentation-kernels");
        let listing = recorded(&doc).programs[0].listing.unwrap();
        let ask = code::CodeQuery::Row { listing, row: 1, core: 0 };
        let Some(code::Reply::Row(detail)) = doc.query(&ask).0 else { panic!("a row") };
        assert_eq!(detail.is_part, is_part, "{lost:?}");
        assert!(!detail.facts.is_empty());
    }
}

/// Two warps make no access; the records of those of the other two, which do, are lost.
#[test]
fn accesses_that_are_lost_are_not_without_a_lane() {
    let mut doc = made(Lanes::Instruction, [0, 0, u32::MAX, u32::MAX], [4, 0], LOADS);
    let found = figure(&mut doc, "instrumentation-instructions");
    for column in ["Executions", "Sectors", "Pattern", "Wavefronts"] {
        assert_eq!(cells(table(&found), column), ["", ""], "{column}");
    }
    let listing = doc.trace().code.listings.iter().find(|listing| !listing.address.is_empty()).unwrap();
    let column = |name: &str| listing.columns.iter().find(|column| column.name == name).unwrap();
    assert_eq!(column("Bytes moved").cells.number(1, 0), None);
    assert_eq!(column("Pattern").cells.text(1, 0), "");
    // Where no lane was active in any of them, that is told.
    let mut doc = made(Lanes::Instruction, [0; 4], [0, 0], LOADS);
    let found = figure(&mut doc, "instrumentation-instructions");
    assert_eq!(cells(table(&found), "Pattern"), ["no active lanes", "no active lanes"]);
}

/// By hand: rows of 16 bytes next to each other take a pass for eight of them; 32 lanes give those of four matrices.
#[test]
fn matrices_have_as_many_addresses_as_rows() {
    for (opcode, waves) in
        [("LDSM.16.MT88.2", 8), ("LDSM.16.M88", 4), ("STSM.16.M88.2", 8), ("STSM.16.M88.4", 16)]
    {
        let text = format!("{opcode} R3, [R9]");
        let loads = [LOADS[0], (text.as_str(), 2, 16)];
        let said =
            advice(&figure(&mut made(Lanes::Instruction, ALL, [0, 0], loads), "instrumentation-kernels"));
        let words =
            format!("No bank conflicts: 4 shared accesses take {waves} wavefronts, the fewest possible.");
        assert!(said[1].ends_with(&words), "{opcode}: {said:?}");
    }
    let mut doc = opened(&trace("matrices", &[("LDSM.16.M88.2", u32::MAX, 2, 16)]));
    let said = advice(&figure(&mut doc, "instrumentation-kernels"));
    assert!(said[1].ends_with(" 2 wavefronts, the fewest possible."), "{said:?}");
}

/// The eight lanes that give the addresses of one matrix are off, the others run.
#[test]
fn lanes_without_addresses_are_not_off() {
    let opened =
        |mask: u32| opened(&trace("matrices", &[("LDSM.16.M88", mask, 2, 16), ("EXIT", mask, 0, 0)]));
    let pattern = |mask: u32| {
        cells(table(&figure(&mut opened(mask), "instrumentation-instructions")), "Pattern").remove(0)
    };
    assert_eq!(pattern(0xffff_0000), "active lanes, no address recorded");
    assert_eq!(pattern(0), "no active lanes");
    let idle = |mask: u32| {
        let ask = ExecutionsQuery::Detail { launch: 0, execution: 0, row: Some(0) };
        let reply = opened(mask).query(&ask).0;
        let Some(Reply::Detail(Some(detail))) = reply else { panic!("{reply:?}") };
        detail.chosen.unwrap().idle()
    };
    assert_eq!(idle(u32::MAX), "active lane without an address");
    assert_eq!(idle(0xffff), "lane not active, or without an address");
    assert_eq!(idle(0xff), "lane not active");
}

#[test]
fn shared_memory_has_no_sectors_in_words() {
    let found = figure(&mut made(Lanes::Instruction, ALL, [0, 0], LOADS), "instrumentation-instructions");
    assert_eq!(cells(table(&found), "Pattern"), ["contiguous lanes", "stride 8"]);
}
