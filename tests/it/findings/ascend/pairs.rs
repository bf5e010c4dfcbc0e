//! Texts of rules on operators, with blocks and cores that differ: some are slower, some lack what others have.

use super::super::assert_tells;
use super::{Container, Made, Outcome, Overview, code, found, mix, of, open, outcome, overview, timeline};
use serde_json::{Value, json};

/// Slices and flags of a timeline: core, pipe, name, start and length in µs; flags have the pipe that waits.
fn recorded(slices: &[(u32, &str, &str, f64, f64)], waits: &[(u32, &str, f64, f64)]) -> Overview {
    let pid = |core: u32| format!("core{core}.veccore0");
    let mut events: Vec<Value> = slices
        .iter()
        .map(|(core, pipe, name, at, dur)| {
            json!({"ph": "X", "name": name, "pid": pid(*core), "tid": pipe, "ts": at, "dur": dur})
        })
        .collect();
    for (n, (core, to, at, dur)) in waits.iter().enumerate() {
        let mut flag = |name: &str, pipe: &str, from: f64, to: f64| {
            for (ph, at) in [("B", from), ("E", to)] {
                let id = format!("{name}{n}");
                events.push(
                    json!({"ph": ph, "name": name, "pid": pid(*core), "tid": pipe, "ts": at, "id": id}),
                );
            }
        };
        flag("WAIT_FLAG", to, *at, at + dur);
    }
    let trace = json!({"profilingType": "op", "schemaVersion": 2, "traceEvents": events});
    overview(Container::default().json(2, &trace).0)
}

#[test]
fn waits_and_overlap_are_of_the_cores_that_have_the_pipes() {
    // The first core computes for 40 µs, 10 of them while it moves; the second for 20, at once with moving; the third never.
    let slices = [
        (0, "MTE2", "MOV", 0.0, 40.0),
        (0, "VECTOR", "VADD", 30.0, 40.0),
        (1, "MTE2", "MOV", 0.0, 30.0),
        (1, "VECTOR", "VADD", 0.0, 20.0),
        (2, "MTE2", "MOV", 0.0, 90.0),
        (0, "SCALAR", "ADD", 99.0, 1.0),
        (1, "SCALAR", "ADD", 79.0, 1.0),
        (2, "SCALAR", "ADD", 99.0, 1.0),
    ];
    // VECTOR waits for 27 µs on the first and for 13 and 43 on the second core for flags that nobody set.
    let waits = [(0, "VECTOR", 71.0, 27.0), (1, "VECTOR", 21.0, 13.0), (1, "VECTOR", 35.0, 43.0)];
    let of = recorded(&slices, &waits);
    // The first two cores have VECTOR, for 100 and 80 µs; of 40 and 20 µs that could overlap with moving 10 and 20 do.
    assert_tells(&[
        (
            &of,
            "ascend-waits",
            &["Vector waits for 46.1 % of the time of its cores for flags whose setter is not recorded."],
        ),
        (
            &of,
            "ascend-double-buffering",
            &["Only 50.0 % of the shorter of data movement and compute overlaps with the other."],
        ),
    ]);
}

/// An operator of three blocks that MTE2 moves for: the share of the peak of each, if it is known.
fn moves(peaks: [Option<f64>; 3]) -> Overview {
    let core = |(n, peak): (usize, &Option<f64>)| {
        let mut core = json!({"core_no": n.to_string(), "op_type": "vector", "soc": "910B", "advice": [],
            "Vector": {"cycle": 18_000, "ratio": 10.0, "total_cycles": 180_000}, "memory_unit": []});
        if let Some(peak) = peak {
            core["memory_unit"] = json!([{"memory_path": 12, "request": "1000", "bandwidth": "10.0",
                "peak_ratio": peak.to_string(), "display": 1}]);
        }
        core
    };
    let cores: Vec<Value> = peaks.iter().enumerate().map(core).collect();
    let table = |n: usize| {
        json!({"block_id": n.to_string(), "table_op_type": "vector", "advice": [], "table_detail": [{
            "table_name": "Pipe", "size": [2, 5],
            "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
            "row": [{"name": "MTE2", "value": ["1", "90000", "0", "50.0", "NA"]},
                {"name": "Scalar", "value": ["1", "9000", "0", "5.0", "NA"]}]}]})
    };
    let made = Made { blocks: vec![100.0; 3], n_blocks: 3, ..Made::default() };
    let file = Container::default().json(5, &made.base_info()).json(8, &json!({"core_memory_map": cores}));
    overview(file.json(9, &json!({"table_per_block": [table(0), table(1), table(2)]})).0)
}

#[test]
fn texts_of_operators_have_the_numbers_of_blocks_that_differ() {
    // Twelve more blocks than units; they take 48 or 52 µs, or 40 or 60: then 62.5 of 102 µs of all units.
    let waves = |few: f64, many: f64| Made {
        blocks: (0..60).map(|n| if n % 2 == 0 { few } else { many }).collect(),
        n_blocks: 60,
        ..Made::default()
    };
    let sheet = "block_id,sub_block_id,aiv_time(us),aiv_mte2_instructions,GM_to_UB_datas(KB),\n\
                 0,vector0,100.0,10,20.0,\n1,vector0,50.0,30,20.0,\n2,vector0,50.0,,,\n";
    let files =
        [("o/visualize_data.bin", Made::default().file()), ("o/Memory.csv", sheet.as_bytes().to_vec())];
    let (mut doc, _) = open(files.map(|(path, bytes)| (path.to_owned(), bytes)).to_vec(), 1 << 16);
    let csv = doc.whole_overview();
    // 40 KiB in 40 instructions; a mean of 25 % of the peak in half of the cycles is 50 % while it moves.
    let conflicts = of(&Made { conflicts: Some([1_000, 250, 200]), ..Made::default() });
    let stalls = of(&Made { stalls: vec![("Scoreboard", 600), ("Others", 400)], ..Made::default() });
    assert_tells(&[
        (
            &of(&waves(48.0, 52.0)),
            "ascend-tail",
            &["If blocks take equally long, the last of 2 waves keeps 12 of 48 vector cores busy."],
        ),
        (
            &of(&waves(40.0, 60.0)),
            "ascend-tail",
            &["38.7 % of the time of all 48 vector cores passes without a block."],
        ),
        (
            &overview(timeline(20.0, 1.0, 100.0)),
            "ascend-tail",
            &["On average over 2 vector cores, a core ends 50.000 µs before the last one."],
        ),
        (
            &moves([Some(20.0), Some(30.0), None]),
            "ascend-low-bandwidth",
            &["MTE2 of the vector cores reaches 50.0 % of its peak bandwidth while it moves data."],
        ),
        (&csv, "ascend-small-moves", &["MTE2 moves 1.00 KiB per instruction on average."]),
        (
            &conflicts,
            "ascend-conflicts",
            &["1,000 vector instructions were blocked 250 times by conflicts, mostly for banks."],
        ),
        (
            &overview(code(512, 5, 600)),
            "ascend-conflicts",
            &["10 vector instructions had 5 conflicts in UB."],
        ),
        (
            &overview(code(512, 5, 600)),
            "ascend-small-moves",
            &["MTE2 moves 512 B per instruction on average."],
        ),
        (
            &overview(code(512, 5, 600)),
            "ascend-hottest-line",
            &["Line k.cpp:2 accounts for 60.0 % of the cost of all instructions."],
        ),
        (
            &of(&Made { roof: Some(0.3), ..Made::default() }),
            "ascend-roof",
            &["The operator reaches 30.0 % of its nearest roof, GM Read + Write."],
        ),
        (&stalls, "ascend-warp-stalls", &["60.0 % of warp stalls are due to Scoreboard."]),
        (
            &overview(timeline(8.0, 1.0, 0.0)),
            "ascend-double-buffering",
            &["Only 20.0 % of the shorter of data movement and compute overlaps with the other."],
        ),
        (
            &overview(mix(30_000.0)),
            "ascend-cube-vector",
            &[
                "The busiest pipe of the vector cores, Vector, is active in 30.0 % of their time, that of the cube cores, Cube, in 90.0 %.",
            ],
        ),
    ]);
}

/// Two instructions without lines of a source: 600 and 400 cycles.
fn instructions() -> Vec<u8> {
    let row = |address: &str, source: &str, pipe: &str, cycles: u32| {
        json!({"Address": address, "Source": source, "Pipe": pipe, "AscendC Inner Code": "", "Cycles": [0, cycles],
            "Instructions Executed": [0, 10]})
    };
    let block = json!({"Cores": ["core0.veccore0", "core1.veccore0"], "Instructions Dtype": {"Instructions": {
        "Address": 3, "Source": 3, "Pipe": 3, "AscendC Inner Code": 3, "Cycles": 1, "Instructions Executed": 1}},
        "Instructions": [row("0x10", "MOV_OUT_TO_UB", "MTE2", 600), row("0x18", "VADD", "VECTOR", 400)]});
    let mut file = Container::default().block(4, 0, block.to_string().as_bytes());
    file.0.extend(timeline(20.0, 1.0, 0.0));
    file.0
}

#[test]
fn without_lines_the_hottest_instruction_is_told() {
    let of = overview(instructions());
    let said = ["Instruction 0x10 accounts for 60.0 % of the total cost."];
    assert_tells(&[(&of, "ascend-hottest-line", &said)]);
    let hottest = found(&of, "ascend-hottest-line")[0];
    let line = "MOV_OUT_TO_UB: 600 cycles. Optimizing here pays off most.";
    assert_eq!((hottest.subject.as_str(), hottest.line.to_string().as_str()), ("0x10", line));
    let numbers = hottest.evidence.numbers.iter().map(|number| (number.name.to_string(), number.value));
    let expected = [("0x10", 600.0), ("0x18", 400.0), ("All instructions", 1_000.0)];
    let expected = expected.map(|(name, value)| (name.to_owned(), value));
    assert_eq!(numbers.collect::<Vec<_>>(), expected);
}

#[test]
fn stalls_of_warps_are_told_with_their_samples() {
    let most = of(&Made { stalls: vec![("Scoreboard", 600), ("Others", 400)], ..Made::default() });
    let line = found(&most, "ascend-warp-stalls")[0].line.to_string();
    assert_eq!(line, "600 of 1,000 samples. Source shows the instructions with the most stalls.");
    let even = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| (name, 10));
    let even = of(&Made { stalls: even.to_vec(), ..Made::default() });
    let Some(Outcome::Nothing(said)) = outcome(&even, "ascend-warp-stalls") else { panic!() };
    assert_eq!(said.to_string(), "the most frequent reason accounts for 12.5 % of the stalls");
}
