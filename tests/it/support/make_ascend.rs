//! Makes the fixtures of Ascend containers: values and names are invented, the layout is the format's.
//!
//! `UPDATE=1 cargo test` writes them; otherwise the files in the repository are compared with what is made here.

use serde_json::{Value, json};
use std::fmt::Write;

/// A container as it grows.
#[derive(Default)]
pub(crate) struct Container(pub(crate) Vec<u8>);

/// Version byte of blocks without a version.
pub(crate) const NO_VERSION: u8 = 0x5a;

impl Container {
    /// Adds a block.
    pub(crate) fn block(mut self, kind: u8, version: u8, payload: &[u8]) -> Self {
        self.head(kind, version, payload.len());
        self.body(payload);
        self
    }

    /// Adds a JSON block without a version.
    pub(crate) fn json(self, kind: u8, payload: &Value) -> Self {
        let text = serde_json::to_string_pretty(payload).unwrap();
        self.block(kind, NO_VERSION, text.as_bytes())
    }

    /// Adds a source.
    pub(crate) fn source(mut self, path: &str, text: &str) -> Self {
        self.head(1, NO_VERSION, text.len());
        let mut field = path.as_bytes().to_vec();
        field.resize(4096, 0);
        self.0.extend(field);
        self.body(text.as_bytes());
        self
    }

    fn head(&mut self, kind: u8, version: u8, len: usize) {
        let padding = (4 - len % 4) % 4;
        self.0.extend(((len + padding) as u64).to_le_bytes());
        self.0.extend([kind, padding as u8, version, 0x5a]);
    }

    fn body(&mut self, payload: &[u8]) {
        self.0.extend(payload);
        while !self.0.len().is_multiple_of(4) {
            self.0.push(0);
        }
    }
}

/// All fixtures: name, what it shows, bytes.
pub(crate) fn fixtures() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let device = device();
    let cut = device.len() - 1_501;
    vec![
        (
            "device",
            "Every block type from 01 to 0F and an unknown one, as a device run would write them",
            device.clone(),
        ),
        (
            "simulator",
            "Sources that repeat, instructions of version 0 with all column types, two traces",
            simulator(),
        ),
        (
            "old_style",
            "No tables of types, the design document's spellings, a folded vector operator",
            old_style(),
        ),
        ("instructions_first", "The first block is API_INSTR of version 0; no source", instructions_first()),
        ("truncated", "The last blocks are cut away, in the middle of one", device[..cut].to_vec()),
        (
            "damaged",
            "One size too large, one too small, one header destroyed, JSON that breaks off",
            damaged(),
        ),
        (
            "accesses",
            "Memory accesses of a tiled kernel with allocations, numbers without names, call stacks by address",
            super::make_accesses::odd(),
        ),
    ]
}

const KERNEL: &str = "/home/dev/ops/scale_add.cpp";
const HEADER: &str = "/home/dev/ops/tiling.h";

fn kernel_text() -> String {
    let body =
        ["#include \"tiling.h\"", "", "__aicore__ void Process() {", "    CopyIn();", "    Compute();"];
    let mut text = body.join("\n");
    for i in 0..12 {
        write!(text, "\n    Mul(out[{i}], in[{i}], scale); // µ-step {i}").unwrap();
    }
    text + "\n    CopyOut();\n}\n"
}

fn base_info() -> Value {
    json!({
        "advice": ["The current frequency is lower than the rated frequency"],
        "name": "ScaleAddCustom_mix_aic", "soc": "Ascend910B4", "op_type": "mix",
        "block_dim": "3", "mix_block_dim": 6, "duration": 118.25, "device_id": "1", "pid": "4711",
        "cur_freq": "1200", "rated_freq": "1650",
        "mix_block_detail": {
            "head_name": ["Block ID", "Cube0 Duration (μs)", "Vector0 Duration (μs)", "Vector1 Duration (μs)"],
            "row": [
                {"value": ["0", "100.5", "80.25", "81.5"]},
                {"value": ["1", "101.125", "79.0", "NA"]},
                {"value": ["2", "117.5", "83.75", "82.0"]}
            ],
            "size": [4, 4]
        }
    })
}

fn load(is_graph: bool) -> Value {
    let mut rows = Vec::new();
    for block in ["NA", "0", "1", "2", "10"] {
        for (kind, name, unit, value) in [
            ("cube0", "Cube All Active", 3, 21.5),
            ("cube0", "Cube Wait", 3, 54.0),
            ("cube0", "Cube Compute Data Size", 2, 4096.0),
            ("vector0", "Vector FP32", 1, 640.0),
            ("vector0", "Vector Wait", 0, 17.5),
            ("vector1", "Vector OPS", 4, 12.0),
        ] {
            if is_graph && unit != 3 {
                continue;
            }
            let mut row = json!({"block_id": block, "block_type": kind, "name": name, "unit": unit});
            row["value"] = if is_graph { json!(value) } else { json!(value.to_string()) };
            if is_graph {
                row["origin_value"] = json!(value * 1000.0);
            }
            rows.push(row);
        }
    }
    json!({"advice": [], "subblock_detail": rows})
}

fn occupancy() -> Value {
    let mut cores = Vec::new();
    for core in 0..6 {
        let slow = if core == 4 { 90_000 } else { 0 };
        cores.push(json!({"core_id": core, "core_detail": [
            {"subcore_id": "0", "subcore_type": "cube", "cycles": 200_000 + core * 10, "throughput": "4096", "L2cache_hit_rate": "81.5"},
            {"subcore_id": "0", "subcore_type": "vector", "cycles": (100_000 + slow).to_string(), "throughput": 2048, "L2cache_hit_rate": "NA"},
            {"subcore_id": "1", "subcore_type": "vector", "cycles": 100_500, "throughput": -1, "L2cache_hit_rate": 90.5,
             "simt_vf_instructions": {"instructions": "640", "instruction_per_cycle": "1.5"}}
        ]}));
    }
    let advice = "\t1) core4 vector0 took more time than other vector cores.\n\t2) look at its tiling.\n";
    json!({"soc": "Ascend910B4", "op_type": "mix", "advice": advice, "op_detail": cores})
}

fn memory_graph() -> Value {
    json!({"core_memory_map": [{"core_no": "0", "op_type": "mix", "soc": "910B",
        "memory_unit": [{"memory_path": 2, "request": "12", "bandwidth": "60.1", "peak_ratio": "NA", "display": 1}],
        "L2cache": {"hit": 5, "miss": 1, "total_request": 6, "hit_ratio": "83.3"},
        "Cube": {"cycle": 80, "ratio": 0.5, "total_cycles": 16000},
        "advice": ["cube usage is low on core 0"]}]})
}

fn memory_records() -> Vec<u8> {
    let mut records = Vec::new();
    for i in 0_u32..4 {
        records.extend([3 + (i % 2) as u8, 0, 6, 0]);
        records.extend(i.to_le_bytes());
        for number in [0x1000 + u64::from(i) * 64, 64, 0x40_04be] {
            records.extend(number.to_le_bytes());
        }
    }
    let stacks = br#"[{"Address":"0x4004be","Symbol":[{"FileName":"scale_add.cpp","Line":7}]}]"#;
    let mut out = (records.len() as u64).to_le_bytes().to_vec();
    out.extend(records);
    out.extend((stacks.len() as u64).to_le_bytes());
    out.extend(stacks);
    out
}

/// Everything a device run can hold.
fn device() -> Vec<u8> {
    let memory_table = json!({"table_per_block": [{"block_id": "0", "table_op_type": "mix", "advice": [], "table_detail": [
        {"table_name": "L1", "size": [1, 1], "header_name": ["", "Requests"], "row": [{"name": "Read", "value": ["12"]}]}]}]});
    let roofline = json!({"advice": "latency bound:pipeline caused", "multiple_rooflines": [{"title": "GM/L2", "rooflines": [
        {"bw": 1.6, "bw_name": "GM Read + Write", "computility": 280.5, "computility_name": "Cube_FP(100%)", "point": [30.1, 29.8], "ratio": "0.59"}]}]});
    let cache_records: Vec<u8> = (0..64_u32).flat_map(|i| (i % 11).to_le_bytes()).collect();
    let cache_lines = json!({"Cacheline Records": [{"Cacheline Id": 0, "Hit": {"Value": [7, 0.5], "Address Range": [["0x1000", "0x1010"]]}, "Miss": {"Value": [0, 0.0], "Address Range": []}}]});
    let stalls = json!({"top_stall_reason_table": {"Scoreboard_Not_Ready": 21_500, "Others": 3}});
    Container::default()
        .json(5, &base_info())
        .json(6, &load(true))
        .json(7, &load(false))
        .json(8, &memory_graph())
        .json(9, &memory_table)
        .block(10, NO_VERSION, &memory_records())
        .block(11, NO_VERSION, &cache_records)
        .json(12, &occupancy())
        .json(13, &roofline)
        .block(2, NO_VERSION, trace(0).as_bytes())
        .json(14, &cache_lines)
        .source(KERNEL, &kernel_text())
        .json(3, &files(true))
        .block(4, 0, instructions(true).as_bytes())
        .json(15, &stalls)
        .json(0x10, &json!({"future": 1}))
        .json(9, &json!({"table_per_block": []}))
        .0
}

/// Source lines with their metrics; without the table of types as old writers left it out.
fn files(has_types: bool) -> Value {
    let line = |line: u32, ranges: Value, cycles: [i64; 2], rate: &str| {
        json!({"Line": line, "Address Range": ranges, "Cycles": cycles, "Instructions Executed": 4, "L2Cache Hit Rate": rate,
            "Stall Sampling(All Samples)": {"Percent": 0.25, "Details": {"IBuf_Empty": 3, "Others": 1}}})
    };
    let mut out = json!({
        "Cores": ["core0.veccore0", "core0.veccore1"],
        "Files": [
            {"Source": KERNEL, "Lines": [
                line(5, json!([["0x1000", "0x1008"], ["0x1020", "0x1020"], ["0x1"]]), [120, 80], "72%"),
                line(4, json!([["0x1010", "0x1018"]]), [40, -1], "NA"),
            ]},
            {"Source": HEADER, "Lines": [line(30, json!([["0x1018", "0x1018"]]), [7, 7], "50%")]},
        ],
    });
    if has_types {
        out["Files Dtype"] = json!({"Lines": {"Address Range": 0, "Line": 1, "Cycles": 1, "Instructions Executed": 1,
            "L2Cache Hit Rate": 3, "Stall Sampling(All Samples)": 100}});
    }
    out
}

/// Instructions, not in order of address, with a column of every type.
fn instructions(has_types: bool) -> String {
    let row = |address: &str, pipe: &str, text: &str, place: &str, cycles: [f64; 2], registers: Value| {
        json!({"Address": address, "Pipe": pipe, "Source": text, "AscendC Inner Code": place, "Cycles": cycles,
            "Instructions Executed": [4, 4], "Hidden": "x", "Vector Utilization Percentage": [12.5, -1.0], "Hit": 0.5,
            "Process Bytes": "NA", "GPR Status": registers,
            "Stall Sampling(Not Issue)": {"Percent": 0.5, "Details": {"Register_bank_conflict": 2}}})
    };
    let gpr = |name: &str, state: u8| json!([{"regIndex": name, "survivalTime": 2, "regStatus": state}]);
    let place = |line: u32| format!("{KERNEL}:{line}");
    let rows = json!([
        row("0x1020", "SCALAR", "ADD X1, X2", &place(5), [3.0, 4.0], gpr("R1", 1)),
        row(
            "0x1000",
            "MTE2",
            "MOV_OUT_TO_UB dst, src",
            &format!("{}\n{HEADER}:30", place(4)),
            [62.0, 42.0],
            gpr("R1", 2)
        ),
        row("0x1010", "VECTOR", "VMUL v0, v1", "/odd:path/kernel.py:7", [360.0, 44.0], json!([])),
        row("0x1018", "VECTOR", "VADD v0, v1", "", [1.0, 1.0], gpr("R2", 3)),
    ]);
    let types = json!({"Instructions": {"Address": 3, "AscendC Inner Code": 3, "Source": 3, "Pipe": 3, "Cycles": 1,
        "Instructions Executed": 1, "Hidden": 0, "Vector Utilization Percentage": 4, "Hit": 2, "Process Bytes": 1,
        "GPR Status": 5, "Stall Sampling(Not Issue)": 100}});
    let cores = json!(["core0.veccore0", "core0.veccore1"]);
    // Keys in alphabetical order: the types stand behind the rows, as real writers have it.
    if has_types {
        format!(r#"{{"Cores":{cores},"Instructions":{rows},"Instructions Dtype":{types}}}"#)
    } else {
        format!(r#"{{"Instructions":{rows},"Cores":{cores}}}"#)
    }
}

/// An operator trace: two pipes of one core, synchronization, flows, a counter.
fn trace(shift: u32) -> String {
    let mut events = vec![
        json!({"ph": "M", "name": "process_name", "pid": "core0.veccore0", "args": {"name": "core0.veccore0"}}),
        json!({"ph": "M", "name": "thread_sort_index", "pid": "core0.veccore0", "tid": "MTE2", "args": {"sort_index": 6}}),
    ];
    for i in 0..4_u32 {
        let ts = f64::from(i * 10 + shift);
        events.push(json!({"ph": "X", "name": "MOV_OUT_TO_UB", "pid": "core0.veccore0", "tid": "MTE2", "ts": ts, "dur": 4.25,
            "id": format!("intra_{}", i + shift), "cname": "thread_state_iowait", "args": {"code": format!("{KERNEL}:4"), "pc_addr": "0x1000"}}));
        events.push(json!({"ph": "X", "name": "VMUL", "pid": "core0.veccore0", "tid": "VECTOR", "ts": ts + 5.0, "dur": 3.001, "id": format!("intra_{}", i + shift), "cname": "cq_build_failed"}));
        events.push(json!({"ph": "s", "name": "MTE2ToVECTOR", "cat": "MTE2ToVECTOR", "id": format!("intra_{}", i + shift), "pid": "core0.veccore0", "tid": "MTE2", "ts": ts + 4.25}));
        events.push(json!({"ph": "t", "name": "MTE2ToVECTOR", "cat": "MTE2ToVECTOR", "id": format!("intra_{}", i + shift), "pid": "core0.veccore0", "tid": "VECTOR", "ts": ts + 5.0}));
        events.push(json!({"ph": "B", "name": "SET_FLAG", "pid": "core0.veccore0", "tid": "MTE2", "ts": ts + 4.25, "id": i}));
        events.push(json!({"ph": "E", "name": "SET_FLAG", "pid": "core0.veccore0", "tid": "MTE2", "ts": ts + 4.5, "id": i}));
        events.push(json!({"ph": "C", "name": "GM_TO_UB", "pid": "MTE Throughput", "ts": ts + 1.0, "args": {"throughput(MB/s)": i * 100}}));
    }
    json!({"displayTimeUnit": "ns", "profilingType": "op", "schemaVersion": 2, "traceEvents": events})
        .to_string()
}

/// What a simulator writes: a file repeats for every line that ran.
fn simulator() -> Vec<u8> {
    let mut out = Container::default().source(KERNEL, "// an older copy\n");
    for _ in 0..5 {
        out = out.source(KERNEL, &kernel_text());
    }
    out.source(HEADER, &"// tiling\n".repeat(40))
        .json(3, &files(true))
        .block(4, 0, instructions(true).as_bytes())
        .block(2, NO_VERSION, trace(0).as_bytes())
        .block(2, NO_VERSION, trace(100).as_bytes())
        .0
}

fn old_style() -> Vec<u8> {
    let base = json!({"name": "Scale_kernel", "soc": "Ascend910B2", "op_type": "aiv", "block_dim": 2, "duration": "5.5",
        "block_detail": [{"block_id": 0, "core_type": "aiv", "duration": 4.5}, {"block_id": 1, "core_type": "aiv", "duration": 5.25}]});
    let row = |block: u8, value: f64| {
        json!({"block_id": block, "block_type": "vector0",
        "data_detail": {"name": "ALL_ACTIVE", "unit": 1, "value": value}, "advice": ["use more cores"]})
    };
    let load = json!({"subblock_detail": [row(0, 0.5), row(1, 0.75)]});
    let core = |id: u32, cycles: u32| {
        json!({"core_id": id, "core_detail": [
        {"subcore_id": "0", "subcore_type": "vector", "cycles": cycles.to_string(), "throughput": "64", "L2cache_hit_rate": "10"}]})
    };
    let cores = json!({"soc": "Ascend910B2", "op_type": "vector", "advice": "\t1) fine.\n",
        "op_detail": [core(2, 7_940), core(0, 7_114), core(1, 7_453)]});
    Container::default()
        .json(5, &base)
        .json(6, &load)
        .json(7, &load)
        .json(12, &cores)
        .source(KERNEL, &kernel_text())
        .json(3, &files(false))
        .block(4, NO_VERSION, instructions(false).as_bytes())
        .0
}

fn instructions_first() -> Vec<u8> {
    Container::default().block(4, 0, instructions(true).as_bytes()).0
}

/// Four kinds of damage between whole blocks.
fn damaged() -> Vec<u8> {
    let mut out = Container::default().json(5, &base_info());
    let too_large = out.0.len();
    out = out.json(6, &load(true));
    let too_small = out.0.len();
    out = out.json(7, &load(false)).json(12, &occupancy());
    let destroyed = out.0.len();
    out = out.json(9, &json!({"table_per_block": [], "comment": "nobody will read this"}));
    out = out.block(8, NO_VERSION, br#"{"core_memory_map": [{"core_no": "0", "advice": ["a" "b"], "#);
    out = out.source(KERNEL, &kernel_text()).json(3, &files(true)).block(4, 0, instructions(true).as_bytes());
    let mut bytes = out.0;
    bytes[too_large + 5] = 0x7f;
    bytes[too_small] = 0x40;
    bytes[too_small + 1] = 0;
    bytes[destroyed..destroyed + 12].fill(0xee);
    bytes
}
