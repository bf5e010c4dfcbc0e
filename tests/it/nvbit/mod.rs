//! What tools of NVBit print: every dialect through the front door, damage, and real files.

mod corpus;
pub(crate) mod fixtures;
mod make;

use crate::support::front_door::{open_case, open_one};
use lanescope::document::Document;
use lanescope::model::TableCells;
use lanescope::views::executions::compute::{
    DIVERGENT, Executed, INCOMPLETE, MEMORY_VALUE, Recorded, Space, UNCOALESCED,
};
use lanescope::views::executions::messages::{ExecutionsQuery, Reply};
use lanescope::wire::Query;

/// All that was recorded.
pub(crate) fn recorded(doc: &Document) -> &Recorded {
    doc.trace().extensions.get::<Recorded>().expect("something was recorded")
}

/// The rows of an execution.
pub(crate) fn rows(doc: &Document, launch: usize, execution: u32) -> Vec<Executed> {
    let recorded = recorded(doc);
    let launch = &recorded.launches[launch];
    let program = &recorded.programs[launch.program as usize];
    launch.rows.as_ref().unwrap().rows(launch, program, execution).unwrap()
}

/// The rows of a table as text.
pub(crate) fn table(doc: &Document, id: &str) -> Vec<Vec<String>> {
    let table = doc.trace().tables.iter().find(|table| table.id == id).unwrap();
    let cell = |cells: &TableCells, row: usize| match cells {
        TableCells::Numbers(values) => values[row].to_string(),
        TableCells::Integers(values) => values[row].to_string(),
        TableCells::Texts(values) => values[row].clone(),
    };
    (0..table.columns[0].cells.len())
        .map(|row| table.columns.iter().map(|c| cell(&c.cells, row)).collect())
        .collect()
}

/// Codes of what is said, with byte and line.
pub(crate) fn said(doc: &Document) -> Vec<String> {
    let rows = doc.faults().rows().iter();
    rows.map(|f| format!("{} {} {}", f.code, f.place.byte.unwrap_or(0), f.place.line.map_or(0, |l| l.0)))
        .collect()
}

/// An export as text.
pub(crate) fn export(doc: &mut Document, id: &str) -> String {
    while doc.has_work() {
        doc.step();
    }
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    String::from_utf8(bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
}

/// By hand: 32 lanes of 16 bytes in a row are 16 sectors of global memory; of shared memory they take 4 wavefronts, each
/// 8 lanes.
#[test]
fn each_side_of_a_copy_is_of_its_memory() {
    let (far, near) = (make::lanes(0x7f00_0000_0000, 16, 32), make::lanes(0x400, 16, 32));
    let record = |addresses: &[u64]| make::plain(0, 0, 0, "LDGSTS.E.BYPASS.128", addresses);
    let text = make::launch(1, "copy(float*)") + &[&near, &far, &near, &far].map(|of| record(of)).concat();
    let (mut doc, is_ready) = open_one("run.txt", text.into_bytes());
    assert!(is_ready);
    let memory: Vec<_> = recorded(&doc).programs[0].instructions.iter().filter_map(|of| of.memory).collect();
    let sides = memory.iter().map(|of| (of.space, of.reads, of.writes, of.bytes));
    assert_eq!(
        sides.collect::<Vec<_>>(),
        [(Space::Shared, false, true, Some(16)), (Space::Global, true, false, Some(16))]
    );
    let figures = export(&mut doc, "figures-json");
    assert!(figures.contains("each of 2 global accesses uses the fewest sectors possible"), "{figures}");
    assert!(figures.contains("2 shared accesses take 8 wavefronts, the fewest possible"), "{figures}");
    assert!(figures.contains("Region 1") && !figures.contains("Region 2"), "{figures}");
}

/// Records with a number for the opcode and no width: 32 lanes, 8 bytes apart.
#[test]
fn what_has_no_width_has_no_sectors() {
    let far: Vec<String> =
        make::lanes(0x7f00_0000_0000, 8, 32).iter().map(|address| address.to_string()).collect();
    let far = far.join(", ");
    let record = |warp: u32| {
        format!(
            "{{\"grid_launch_id\": 0, \"cta_id_x\": 0, \"cta_id_y\": 0, \"cta_id_z\": 0, \"warp_id\": {warp}, \"opcode_id\": 0, \"addrs\": [{far}]}}"
        )
    };
    let text = format!("[{}, {}]", record(0), record(1));
    let (mut doc, is_ready) = open_one("records.json", text.clone().into_bytes());
    assert!(is_ready, "{:?}", said(&doc));
    let memory = recorded(&doc).programs[0].instructions[0].memory.unwrap();
    assert_eq!((memory.space, memory.bytes), (Space::Global, None));
    assert_eq!(recorded(&doc).launches[0].executions.moved, [0, 0]);
    let figures = export(&mut doc, "figures-json");
    assert!(!figures.contains("sectors possible") && !figures.contains("stride 8"), "{figures}");
    crate::findings::missing(
        &crate::findings::overview("records.json", text),
        "instrumentation-excess-sectors",
    );
}

#[test]
fn launches_are_matched_by_order_and_threads_stand_in_theirs() {
    let (doc, is_ready) = open_case("nvbit", "plain");
    assert!(is_ready && doc.faults().rows().is_empty(), "{:?}", said(&doc));
    let recorded = recorded(&doc);
    assert_eq!((recorded.programs.len(), recorded.launches.len()), (1, 2), "one kernel, run twice");
    let program = &recorded.programs[0];
    assert_eq!(program.name, "void copy<int - 1>(float*, float*, int)");
    let opcodes: Vec<&str> = program.instructions.iter().map(|i| i.text.as_str()).collect();
    assert_eq!(opcodes, ["LDG.E", "STG.E.64.SYS"]);
    assert_eq!(program.instructions[1].memory.unwrap().bytes, Some(8));
    for (at, launch) in recorded.launches.iter().enumerate() {
        assert_eq!(launch.name, format!("launch {}", at + 1));
        assert_eq!((launch.grid, launch.group), ([2, 1, 1], [64, 1, 1]));
        assert_eq!(launch.order_from.as_deref(), Some("memory"));
        let names = (0..4).map(|t| format!("{} {}", launch.threads.group_name(t), launch.threads.name(t)));
        let expected = ["CTA 0,0,0 warp 0", "CTA 0,0,0 warp 1", "CTA 1,0,0 warp 0", "CTA 1,0,0 warp 1"];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(launch.executions.starts, [0, 2, 4, 6, 8]);
        assert_eq!(launch.executions.block, [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(launch.executions.lanes, [32, 32, 32, 20, 32, 32, 32, 20]);
        assert_eq!(launch.executions.moved[..4], [128, 1024, 128, 160]);
        assert_eq!(launch.executions.used[..4], [128, 256, 128, 160]);
        assert_eq!(launch.executions.excess[..4], [0, 24, 0, 0]);
        assert_eq!(launch.executions.flags[..4], [0, UNCOALESCED, 0, DIVERGENT]);
    }
    let row = &rows(&doc, 1, 3)[0];
    assert_eq!((row.instruction, row.mask), (1, Some(0xF_FFFF)));
    assert_eq!(row.addresses, make::lanes(0x7f27_4340_1000, 8, 20)[..20]);
}

#[test]
fn records_with_data_have_addresses_of_instructions_and_values() {
    let (mut doc, _) = open_case("nvbit", "pairs");
    assert_eq!(said(&doc), [""; 0]);
    let launch = &recorded(&doc).launches[0];
    assert_eq!((launch.threads.len(), launch.executions.block.len()), (4, 8));
    assert_eq!(recorded(&doc).programs[0].instructions[1].address, 208);
    assert_eq!(recorded(&doc).regions[1].start, 139_806_607_675_392);
    let row = &rows(&doc, 0, 3)[0];
    assert_eq!(row.registers[0].register, MEMORY_VALUE);
    assert_eq!(row.registers[0].values[5], 0x4000_0005);
    let csv = export(&mut doc, "lane-accesses-csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 8 * 32);
    assert_eq!(lines[0], "launch,thread,instance,ordinal,pc,lane,address,bytes,space,is_write");
    assert_eq!(lines[1 + 3 * 32 + 1], "0,1,0,1,208,1,139806607675524,4,0,1");
}

#[test]
fn bare_lines_are_accesses_of_nobody() {
    let (doc, _) = open_case("nvbit", "bare");
    assert_eq!(said(&doc), [""; 0]);
    let launch = &recorded(&doc).launches[0];
    assert_eq!((launch.threads.len(), launch.executions.block.len()), (1, 40));
    assert!(launch.executions.moved.is_empty(), "lanes are not known");
    let row = &rows(&doc, 0, 39)[0];
    assert_eq!((row.mask, row.addresses.as_slice()), (None, [0x7f27_4330_d280 + 156].as_slice()));
}

#[test]
fn output_inside_of_records_is_cut_out() {
    let (doc, _) = open_case("nvbit", "cut_in");
    let codes: Vec<String> =
        said(&doc).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(codes, ["NVB-OUTPUT", "NVB-OUTPUT", "NVB-RECORD", "NVB-RECORD"]);
    let launch = &recorded(&doc).launches[0];
    // Warp 0: one mended, one of 31 lanes, one cut at the end; warp 1: one behind output, one mended, one whole.
    assert_eq!(launch.executions.starts, [0, 3, 6]);
    let expected = make::lanes(0x7f27_4330_0000, 4, 32);
    for execution in [0, 3, 4, 5] {
        assert_eq!(rows(&doc, 0, execution)[0].addresses, expected, "{execution}");
    }
    assert_eq!(launch.executions.flags[1] & INCOMPLETE, INCOMPLETE);
    assert_eq!(rows(&doc, 0, 1)[0].addresses, expected[..31]);
    assert_eq!(rows(&doc, 0, 1)[0].missing, Some("the record is truncated"));
}

#[test]
fn values_of_registers_have_the_numbers_that_the_assembly_names() {
    let (doc, _) = open_case("nvbit", "registers");
    assert_eq!(said(&doc), [""; 0]);
    let launch = &recorded(&doc).launches[0];
    assert_eq!(launch.order_from.as_deref(), Some("register values"));
    assert_eq!(
        (launch.executions.starts.as_slice(), launch.threads.name(1)),
        ([0, 3, 4].as_slice(), "warp 1".to_owned())
    );
    let row = &rows(&doc, 0, 1)[0];
    let registers: Vec<u16> = row.registers.iter().map(|r| r.register).collect();
    assert_eq!(registers, [4, 0, 7]);
    assert_eq!((row.registers[2].mask, row.registers[2].values[31]), (u32::MAX, 0x200 + 31));
    assert_eq!(rows(&doc, 0, 2)[0].registers, []);
}

#[test]
fn counts_are_tables() {
    let (doc, _) = open_case("nvbit", "counts");
    assert_eq!(table(&doc, "nvbit-kernels")[0], ["0", "void f<a - b>(int, int)", "98", "50077", "50077"]);
    assert_eq!(table(&doc, "nvbit-kernels").len(), 2);
    assert_eq!(table(&doc, "nvbit-opcodes"), [["0", "EXIT", "3136"], ["0", "LDG.E.SYS", "46941"]]);
}

#[test]
fn arrays_of_every_version_are_read() {
    for case in ["memory", "nested"] {
        let (doc, is_ready) = open_case("nvbit_json", case);
        assert!(is_ready && said(&doc).is_empty(), "{case}: {:?}", said(&doc));
        let launch = &recorded(&doc).launches[0];
        assert_eq!(launch.order_from.as_deref(), Some("memory"));
        assert_eq!(launch.executions.lanes, [32, 32, 4, 4], "{case}");
        let instructions = &recorded(&doc).programs[0].instructions;
        assert_eq!((instructions[0].address, instructions[1].memory.unwrap().writes), (152, true));
        assert_eq!(rows(&doc, 0, 2)[0].addresses, make::lanes(0x7f27_4330_0000, 8, 4)[..4]);
    }
    let (doc, _) = open_case("nvbit_json", "all");
    assert_eq!(said(&doc), [""; 0]);
    let launch = &recorded(&doc).launches[0];
    assert_eq!((recorded(&doc).launches.len(), launch.order_from.as_deref()), (1, None));
    assert_eq!(
        (recorded(&doc).programs[0].name.as_str(), launch.group),
        ("vecAdd(double*, int)", [64, 1, 1])
    );
    assert_eq!(launch.executions.lanes, [32, 8, 32, 32, 0]);
    assert_eq!(rows(&doc, 0, 0)[0].addresses, [0_u64; 0], "leftovers are no addresses");
    assert_eq!(rows(&doc, 0, 1)[0].addresses.len(), 8);
}

#[test]
fn groups_outside_of_the_grid_are_said() {
    let text = make::launch(1, "f()") + &make::plain(0, 7, 0, "LDG.E", &make::lanes(0x1000, 4, 32));
    let (doc, _) = open_one("trace.txt", text.into_bytes());
    assert_eq!(said(&doc), ["NVB-GRID 0 1"]);
    assert_eq!(recorded(&doc).launches[0].threads.group_name(0), "CTA 7,0,0");
}

/// An excerpt without the line of its launch: rows of kernels have a name for it all the same.
#[test]
fn a_kernel_that_nothing_names_is_called_so() {
    let text = make::plain(0, 0, 0, "LDG.E", &make::lanes(0x7f27_4330_0000, 4, 32));
    let (mut doc, _) = open_one("trace.txt", text.into_bytes());
    assert_eq!(recorded(&doc).programs[0].name, "Unnamed kernel");
    while doc.has_work() {
        doc.step();
    }
    let overview = doc.whole_overview();
    let kernels = overview.parts.iter().find(|part| part.title == "Kernels").unwrap();
    assert_eq!(kernels.rows[0].name, "Unnamed kernel");
}

#[test]
fn newer_versions_print_the_number_before_they_count() {
    let mut text = String::new();
    for id in 0..3 {
        text += &make::launch(id, &format!("f{id}()"));
    }
    // The first launch had no accesses.
    text += &make::plain(1, 0, 0, "LDG.E", &make::lanes(0x1000, 4, 32));
    text += &make::plain(2, 0, 0, "LDG.E", &make::lanes(0x1000, 4, 32));
    let (doc, _) = open_one("trace.txt", text.into_bytes());
    let n: Vec<usize> = recorded(&doc).launches.iter().map(|launch| launch.executions.block.len()).collect();
    assert_eq!(n, [0, 1, 1]);
}

#[test]
fn addresses_that_no_record_has_are_missing() {
    let address = |doc: &mut Document| {
        let ask = ExecutionsQuery::Detail { launch: 0, execution: 0, row: None };
        match doc.query(&ask).0 {
            Some(Reply::Detail(Some(detail))) => detail.rows[0].address,
            other => panic!("{other:?}"),
        }
    };
    let (mut doc, _) = open_case("nvbit", "plain");
    assert_eq!(table(&doc, "nvbit-instructions")[0][1..], ["NaN", "LDG.E", "8", "256"]);
    assert_eq!(table(&doc, "nvbit-launches")[0][7], "NaN", "no record names a processor");
    assert!(doc.trace().code.listings[0].address.is_empty());
    assert_eq!(address(&mut doc), None);
    assert!(export(&mut doc, "combined-text").lines().all(|line| line.split('\t').nth(3) == Some("-")));
    let figures = export(&mut doc, "figures-json");
    // Where it stands is not known, so nothing is said of it.
    assert!(figures.contains("STG.E.64.SYS") && !figures.contains(" at –"), "{figures}");
    assert!(!figures.contains("code:0:"), "{figures}");
    let (mut doc, _) = open_case("nvbit", "pairs");
    assert_eq!(table(&doc, "nvbit-instructions")[0][1], "144");
    assert_eq!(table(&doc, "nvbit-launches")[0][7], "2");
    assert_eq!(address(&mut doc), Some(144));
    let (doc, _) = open_case("nvbit", "bare");
    assert_eq!(table(&doc, "nvbit-instructions")[0][4], "NaN", "lanes are not known");
}
