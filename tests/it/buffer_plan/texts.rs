//! What the texts become: listings, tables, plans.

use super::{blocks, case, plan, rows, said, types};
use lanescope::model::TableCells;
use lanescope::views::executions::compute::Recorded;

#[test]
fn counts_become_a_program_with_blocks_and_a_plan() {
    for name in ["counts", "json"] {
        let mut doc = case("pti", name);
        assert!(said(&doc).is_empty(), "{:?}", doc.faults().rows());
        let plan = plan(&mut doc);
        assert_eq!(
            types(&plan),
            ["flow 240 8 1920", "mem 160 144 23040", "simd 240 16 3840", "reg 0 80 0"],
            "{name}"
        );
        let expected = [
            "BB0 entry 40 0 960",
            "BB1 loop 120 1 20160",
            "BB2  40 0 960",
            "BB3 exit 40 1 6720",
            "BB4  0 0 0",
        ];
        assert_eq!(blocks(&plan), expected, "{name}");
        assert_eq!((&plan["total_bytes"], &plan["kernel"]), (&28_800.into(), &"scale".into()));
        assert_eq!(plan["record_per_block"][0]["bytes"], 120 * 96 + 40 * 160 + 0x2000);
        assert_eq!((&plan["hottest"]["block"], &plan["hottest"]["bytes"]), (&"BB1".into(), &17_280.into()));
        let trace = doc.trace();
        let program = &trace.extensions.get::<Recorded>().unwrap().programs[0];
        let next: Vec<&[u32]> = program.blocks.iter().map(|block| &block.successors[..]).collect();
        assert_eq!(next, [&[1, 2][..], &[1, 2], &[3], &[], &[]]);
        let listing = &trace.code.listings[0];
        let columns: Vec<&str> = listing.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(columns, ["Block", "Instruction count", "SIMD lanes", "Lanes, mean", "Next blocks"]);
        assert_eq!(
            (listing.columns[1].cells.number(3, 0), listing.columns[2].cells.number(3, 0)),
            (Some(120.0), Some(1920.0))
        );
        assert_eq!(listing.columns[0].cells.text(4, 0), "BB1");
    }
}

#[test]
fn blocks_that_the_file_names_keep_their_numbers() {
    let doc = case("pti", "counts");
    let program = &doc.trace().extensions.get::<Recorded>().unwrap().programs[1];
    let blocks: Vec<(u32, u32)> = program.blocks.iter().map(|block| (block.id, block.len)).collect();
    assert_eq!((program.name.as_str(), blocks), ("copy(int)", vec![(4, 1), (5, 2)]));
}

#[test]
fn strings_without_escapes_are_read() {
    let doc = case("pti", "json");
    let program = &doc.trace().extensions.get::<Recorded>().unwrap().programs[0];
    assert_eq!(program.instructions[8].text, "nop \"last\" one");
    assert_eq!(program.instructions[1].source, Some((r"C:\new\scale.cpp".to_owned(), 7)));
}

#[test]
fn accesses_say_their_pattern_and_what_they_use() {
    let mut doc = case("pti", "accesses");
    let sends = rows(&mut doc, "pti-sends");
    let cut = |row: &str| row.split(" | ").skip(3).map(str::to_owned).collect::<Vec<_>>().join(" | ");
    assert_eq!(
        cut(&sends[0]),
        "SIMD16 ExecSize_16 4 bytes X1 Scatter A32 Read | unit | 4 | 1 | 120 | 1920 | 120 | 7680 | 1 | 1 | 0"
    );
    assert_eq!(
        cut(&sends[1]),
        "SIMD16 ExecSize_16 8 bytes X1 Scatter A64 Write | stride | 128 | 0.95 | 40 | 640 | 640 | 40960 | 0.125 | 0.12 | 0.25"
    );
    assert_eq!(rows(&mut doc, "pti-strides")[2], "scale | 96 | -8 | 30 | 0.05");
    assert_eq!(rows(&mut doc, "pti-addresses")[5], "scale | 48 | 5 | 4116");
    let mut doc = case("pti", "json_accesses");
    assert_eq!(
        cut(&rows(&mut doc, "pti-sends")[0]),
        "SIMD16 ExecSize_16 4 bytes X2 Scatter A32 Read | stride | 512 | 0.9 | 120 | 1920 | 960 | 61440 | 0.25 |  | 0.25"
    );
    assert_eq!(rows(&mut doc, "pti-addresses")[2], "scale | 48 | 2 | 18446744073709551615");
}

#[test]
fn texts_of_sample_tools_become_tables() {
    let mut doc = case("gtpin_text", "times");
    let kernels = rows(&mut doc, "gtpin-funtime-kernels");
    assert_eq!(
        kernels,
        [
            "tile copy | 2 | 0 | 64 | 96000 | 1500 | 0.96",
            "scale | 1 | 0 | 16 | 4000 | 250 | 0.04",
            "check | 1 | 1 |  |  |  | "
        ]
    );
    let launches = rows(&mut doc, "gtpin-funtime");
    assert_eq!(launches[0], "check | cd23361f352e4531 | 32 | CS |  |  |  |  |  | ");
    assert_eq!(launches[2], "tile copy | ed4702544aa9248 | 32 | CS | 32 | 32000 | 1000 | 0 | Level Zero | 3");
    let latencies = rows(&mut case("gtpin_text", "latencies"), "gtpin-latency");
    assert_eq!(
        latencies[1],
        "scale | 00ab02544aa9248c | 32 | CS | 3 | 120 | 99.75 | 1596000 | 13300 | OpenCL | 0"
    );
    assert_eq!(rows(&mut case("gtpin_text", "opcodes"), "gtpin-opcodes")[2], "f | mad | 16 | 100 | 100");
    let sends = rows(&mut case("gtpin_text", "strides"), "gtpin-sends");
    assert_eq!(
        sends[0],
        "scale | 48 |  | ExecSize_16 4 bytes X1 Scatter A64 Read | unit | 4 | 1 | 120 | 1920 | 120 | 7680 | 1 |  | 0"
    );
    assert!(sends[1].contains("8 bytes X2 Scatter Write | stride | 128 | "), "{sends:?}");
}

#[test]
fn sizes_of_a_first_run_are_rows_of_the_plan() {
    let mut doc = case("gtpin_text", "launch_sizes");
    let unique = super::make::UNIQUE;
    assert_eq!(
        rows(&mut doc, "plan-sizes"),
        [
            format!("{unique} | 0 | 8704 | 16 | 544 | 8704 | 1"),
            format!("{unique} | 1 | 4352 | 8 | 544 | 4352 | 1")
        ]
    );
    super::set(&mut doc, &[("plan-slack", "0x2000"), ("plan-cap", "8KiB")]);
    assert_eq!(rows(&mut doc, "plan-sizes")[0], format!("{unique} | 0 | 8704 | 16 | 544 | 8192 | 4"));
    let plan = plan(&mut doc);
    assert_eq!(
        (&plan["sizes"][1]["platform"], &plan["sizes"][1]["threads"]),
        (&"Level Zero".into(), &8.into())
    );
    assert_eq!(
        rows(&mut case("gtpin_text", "sizes"), "plan-sizes")[0],
        format!("{unique} |  | 8704 |  |  | 8704 | 1")
    );
}

#[test]
fn a_listing_is_a_program_without_counts() {
    let mut doc = case("gtpin_text", "listing");
    let plan = plan(&mut doc);
    assert_eq!(blocks(&plan)[1], "BB1 loop null 1 null");
    assert_eq!((&plan["total_bytes"], &plan["counts_from"]), (&serde_json::Value::Null, &"".into()));
    assert_eq!(plan["allocations"][0]["why_not"], "block executions unknown");
    super::set(&mut doc, &[("plan-counts", "BB0,40;BB1,120;BB2,40")]);
    // The file takes the last two blocks for one.
    assert_eq!(super::plan(&mut doc)["total_bytes"], 27_840);
}

#[test]
fn tables_that_are_long_are_read_by_pages() {
    let mut text = super::make::times();
    for n in 0..300 {
        text += &format!("scale 00ab02544aa9248c 16 CS 16 4000 250 1 OpenCL 2 0 0 {n}\n");
    }
    let (doc, _) = crate::support::front_door::open_one("funtime.txt", text.into_bytes());
    let table = &doc.trace().tables[0];
    assert_eq!((table.id.as_str(), table.columns[5].cells.len()), ("gtpin-funtime", 304));
    let TableCells::Numbers(cycles) = &table.columns[5].cells else { panic!("cycles are numbers") };
    assert!(cycles[0].is_nan() && cycles[1] == 64_000.0);
}
