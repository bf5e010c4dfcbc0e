//! Rules on operators: each finds a problem that was planted at a known size, says its number where there is none, and
//! what is missing where it cannot look.

mod pairs;
mod roofs;
mod units;

use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Finding, Outcome, Overview};
use lanescope::base::words::Language;
use lanescope::export;
use serde_json::{Value, json};

/// A vector operator on a chip of 48 vector units, of which each block has the same pipes.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) chip: &'static str,
    pub(super) kind: &'static str,
    pub(super) duration: f64,
    /// Microseconds of each block.
    pub(super) blocks: Vec<f64>,
    pub(super) n_blocks: usize,
    pub(super) clock: Option<f64>,
    /// Cycles of each pipe: active, waiting.
    pub(super) pipes: Vec<(&'static str, f64, f64)>,
    pub(super) total: f64,
    /// Share of the peak of reading, in percent.
    pub(super) peak: Option<f64>,
    pub(super) hits: Option<[u64; 2]>,
    /// Instructions, blocked ones, those blocked for banks.
    pub(super) conflicts: Option<[u64; 3]>,
    pub(super) roof: Option<f64>,
    pub(super) stalls: Vec<(&'static str, u64)>,
    pub(super) advice: Vec<&'static str>,
}

impl Default for Made {
    /// One that has no problem.
    fn default() -> Self {
        Self {
            chip: "Ascend910B2",
            kind: "vector",
            duration: 102.0,
            blocks: vec![100.0; 48],
            n_blocks: 48,
            clock: Some(1_800.0),
            pipes: vec![("MTE2", 170_000.0, 0.0), ("MTE3", 60_000.0, 0.0), ("Scalar", 40_000.0, 0.0)],
            total: 180_000.0,
            peak: Some(90.0),
            hits: Some([95, 5]),
            conflicts: Some([1_000, 10, 10]),
            roof: Some(0.9),
            stalls: Vec::new(),
            advice: Vec::new(),
        }
    }
}

impl Made {
    fn base_info(&self) -> Value {
        let rows = self.blocks.iter().enumerate();
        let rows = rows.map(|(n, time)| json!({"value": [n.to_string(), self.kind, time.to_string()]}));
        let mut info = json!({
            "name": "Op", "soc": self.chip, "op_type": self.kind, "duration": self.duration, "advice": [],
            "block_dim": self.n_blocks.to_string(), "mix_block_dim": "", "rated_freq": "1800",
            "cur_freq": self.clock.map_or("N/A".to_owned(), |clock| clock.to_string()),
        });
        if !self.blocks.is_empty() {
            info["block_detail"] = json!({"head_name": ["Block ID", "Core Type", "Duration (μs)"],
                "row": rows.collect::<Vec<_>>(), "size": [self.blocks.len() + 1, 3]});
        }
        info
    }

    fn graph(&self) -> Value {
        let mut core = json!({"core_no": "0", "op_type": self.kind, "soc": "910B", "advice": self.advice,
            "Vector": {"cycle": self.total * 0.1, "ratio": 10.0, "total_cycles": self.total}, "memory_unit": []});
        if let Some(peak) = self.peak {
            core["memory_unit"] = json!([{"memory_path": 12, "request": "1000", "bandwidth": "10.0",
                "peak_ratio": peak.to_string(), "display": 1}]);
        }
        if let Some([hits, misses]) = self.hits {
            let all = hits + misses;
            core["L2cache"] = json!({"hit": hits.to_string(), "miss": misses.to_string(),
                "total_request": all.to_string(), "hit_ratio": (hits as f64 / all as f64 * 100.0).to_string()});
        }
        json!({"core_memory_map": [core]})
    }

    fn tables(&self) -> Value {
        let row = |(name, active, waiting): &(&str, f64, f64)| {
            json!({"name": name, "value": ["1", active.to_string(), waiting.to_string(),
                format!("{:.6}", active / self.total * 100.0), "NA"]})
        };
        let table = json!({"table_name": "Pipe", "size": [self.pipes.len(), 5],
            "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
            "row": self.pipes.iter().map(row).collect::<Vec<_>>()});
        let of_block = |n: usize| json!({"block_id": n.to_string(), "table_op_type": self.kind, "advice": [], "table_detail": [table]});
        json!({"table_per_block": (0..self.n_blocks).map(of_block).collect::<Vec<_>>()})
    }

    pub(super) fn file(&self) -> Vec<u8> {
        let mut file = Container::default();
        if 0.0 < self.duration {
            file = file.json(5, &self.base_info());
        }
        if let Some([all, blocked, banks]) = self.conflicts {
            let row = |name: &str, n: u64| json!({"block_id": "0", "block_type": "vector", "name": name, "unit": 1, "value": n.to_string()});
            let rows = [
                row("Vector All Active", all),
                row("Vector All Block", blocked),
                row("Vector Bank Conflict Block", banks),
            ];
            file = file.json(7, &json!({"advice": [], "subblock_detail": rows}));
        }
        if !self.pipes.is_empty() {
            file = file.json(8, &self.graph()).json(9, &self.tables());
        }
        if let Some(reached) = self.roof {
            let roof = json!({"bw": 1.0, "bw_name": "GM Read + Write", "computility": 10.0,
                "computility_name": "Vec_FP32(100.0%)", "point": [1.0, reached], "ratio": reached.to_string()});
            let advice = if reached < 0.8 { "latency bound:pipeline caused" } else { "memory bound" };
            file = file.json(
                0xd,
                &json!({"advice": advice, "multiple_rooflines": [{"title": "GM/L2", "rooflines": [roof]}]}),
            );
        }
        if !self.stalls.is_empty() {
            let reasons: serde_json::Map<String, Value> =
                self.stalls.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
            file = file.json(0xf, &json!({"top_stall_reason_table": reasons}));
        }
        file.0
    }
}

pub(super) fn overview(file: Vec<u8>) -> Overview {
    let (mut doc, ready) = open_one("visualize_data.bin", file);
    assert!(ready);
    doc.whole_overview()
}

pub(super) fn of(made: &Made) -> Overview {
    overview(made.file())
}

pub(super) fn outcome<'a>(overview: &'a Overview, rule: &str) -> Option<&'a Outcome> {
    overview.rules.iter().find(|state| state.id == rule).map(|state| &state.outcome)
}

pub(super) fn found<'a>(overview: &'a Overview, rule: &str) -> Vec<&'a Finding> {
    overview.findings.iter().filter(|finding| finding.rule == rule).collect()
}

pub(super) fn is_near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 0.01 * expected.abs()
}

/// Found with this number and this share that could be saved; silent in the second; missing in the third, where `None` says
/// that the rule is not about such a file.
fn three(rule: &str, planted: &Made, (value, share): (f64, f64), without: &Made, missing: Option<&Made>) {
    let overview = of(planted);
    let findings = found(&overview, rule);
    let finding = findings.first().unwrap_or_else(|| panic!("{rule}: {:?}", outcome(&overview, rule)));
    assert!(is_near(finding.value, value), "{rule}: {} for {value}", finding.value);
    assert!(is_near(finding.saving.share, share), "{rule}: {} for {share}", finding.saving.share);
    assert!(finding.said(Language::En).ends_with('.') && !finding.evidence.view.is_empty(), "{finding:?}");
    assert!(finding.sentence.to_string().contains('⟦') && finding.evidence.figure.is_some(), "{finding:?}");
    let silent = of(without);
    assert!(
        matches!(outcome(&silent, rule), Some(Outcome::Nothing(said)) if !said.is_empty()),
        "{rule}: {:?}",
        outcome(&silent, rule)
    );
    if let Some(missing) = missing {
        let cannot = of(missing);
        assert!(
            matches!(outcome(&cannot, rule), Some(Outcome::Missing(said)) if !said.is_empty()),
            "{rule}: {:?}",
            outcome(&cannot, rule)
        );
    }
}

fn without_pipes() -> Made {
    Made { pipes: Vec::new(), ..Made::default() }
}

#[test]
fn scalar_work_that_bounds_cores_is_found() {
    let pipes = vec![("MTE2", 45_000.0, 0.0), ("MTE3", 9_000.0, 0.0), ("Scalar", 171_000.0, 0.0)];
    let planted = Made { pipes, ..Made::default() };
    // 25 % of the cycles need MTE2 anyway: 75 of 102 µs.
    three("ascend-scalar-bound", &planted, (95.0, 75.0 / 102.0), &Made::default(), Some(&without_pipes()));
    let overview = of(&planted);
    assert!(matches!(outcome(&overview, "ascend-pipe-bound"), Some(Outcome::Nothing(_))), "told once");
    assert!(matches!(outcome(&overview, "ascend-no-pipe-bounds"), Some(Outcome::Nothing(_))), "told once");
}

#[test]
fn a_pipe_that_bounds_cores_is_found() {
    let pipes = vec![("MTE2", 72_000.0, 0.0), ("Scalar", 9_000.0, 0.0)];
    let without = Made { pipes, ..Made::default() };
    let share = 100.0 * (1.0 - 60.0 / 180.0) / 102.0;
    three("ascend-pipe-bound", &Made::default(), (170.0 / 1.8, share), &without, Some(&without_pipes()));
}

#[test]
fn pipes_that_bound_nothing_are_found() {
    let pipes = vec![("MTE2", 90_000.0, 0.0), ("Scalar", 9_000.0, 0.0)];
    let planted = Made { pipes, roof: None, ..Made::default() };
    three("ascend-no-pipe-bounds", &planted, (50.0, 50.0 / 102.0), &Made::default(), Some(&without_pipes()));
    // All of them together may still fill what the memory allows.
    let filled = of(&Made { roof: Some(0.9), ..planted });
    assert!(matches!(outcome(&filled, "ascend-no-pipe-bounds"), Some(Outcome::Nothing(_))));
}

#[test]
fn waiting_of_pipes_is_found() {
    let pipes = vec![("MTE2", 90_000.0, 54_000.0), ("Scalar", 9_000.0, 0.0)];
    let planted = Made { pipes, ..Made::default() };
    three("ascend-waits", &planted, (30.0, 0.0), &Made::default(), Some(&without_pipes()));
}

#[test]
fn cores_without_a_block_are_found() {
    let planted = Made { blocks: vec![100.0; 12], n_blocks: 12, ..Made::default() };
    let unknown = Made { chip: "Ascend000", ..Made::default() };
    three("ascend-cores-unused", &planted, (12.0, 75.0 / 102.0), &Made::default(), Some(&unknown));
}

#[test]
fn slow_blocks_are_found() {
    let mut blocks = vec![50.0; 47];
    blocks.push(100.0);
    let mean = (47.0 * 50.0 + 100.0) / 48.0;
    let planted = Made { blocks, ..Made::default() };
    let missing = Made { blocks: Vec::new(), ..Made::default() };
    three(
        "ascend-imbalance",
        &planted,
        (100.0 / mean, (100.0 - mean) / 102.0),
        &Made::default(),
        Some(&missing),
    );
    // Times of another run say nothing.
    let other = Made { duration: 20.0, ..planted };
    assert!(matches!(outcome(&of(&other), "ascend-imbalance"), Some(Outcome::Missing(_))));
}

#[test]
fn a_last_wave_is_found() {
    let planted = Made { blocks: vec![50.0; 60], n_blocks: 60, ..Made::default() };
    let unknown = Made { chip: "Ascend000", ..Made::default() };
    three("ascend-tail", &planted, (12.0, 36.0 / 96.0), &Made::default(), Some(&unknown));
    assert!(matches!(outcome(&of(&planted), "ascend-head-overhead"), Some(Outcome::Missing(_))));
}

#[test]
fn what_passes_outside_of_all_blocks_is_found() {
    let planted = Made { duration: 125.0, ..Made::default() };
    let missing = Made { blocks: Vec::new(), ..Made::default() };
    three("ascend-head-overhead", &planted, (25_000.0, 0.2), &Made::default(), Some(&missing));
}

#[test]
fn a_low_clock_is_found() {
    let planted = Made { clock: Some(1_350.0), ..Made::default() };
    let missing = Made { clock: None, ..Made::default() };
    three("ascend-clock", &planted, (1_350.0, 0.25), &Made::default(), Some(&missing));
}

#[test]
fn low_bandwidth_is_found() {
    let pipes = vec![("MTE2", 90_000.0, 0.0), ("Scalar", 9_000.0, 0.0)];
    let planted = Made { pipes, peak: Some(20.0), ..Made::default() };
    let missing = Made { peak: None, ..Made::default() };
    // 20 % over all the time are 40 % while it moves.
    three("ascend-low-bandwidth", &planted, (40.0, 30.0 / 102.0), &Made::default(), Some(&missing));
}

#[test]
fn misses_of_l2_are_found() {
    let planted = Made { hits: Some([6_000, 4_000]), ..Made::default() };
    let missing = Made { hits: None, ..Made::default() };
    three("ascend-l2-hit-rate", &planted, (0.6, 0.0), &Made::default(), Some(&missing));
}

#[test]
fn conflicts_of_vector_instructions_are_found() {
    let planted = Made { conflicts: Some([1_000, 250, 200]), ..Made::default() };
    let missing = Made { conflicts: None, ..Made::default() };
    three("ascend-conflicts", &planted, (250.0, 0.0), &Made::default(), Some(&missing));
}

#[test]
fn a_roof_that_is_far_is_found() {
    let planted = Made { roof: Some(0.3), ..Made::default() };
    let missing = Made { roof: None, ..Made::default() };
    three("ascend-roof", &planted, (0.3, 0.7), &Made::default(), Some(&missing));
    let overview = of(&planted);
    let quotes = found(&overview, "ascend-roof")[0].quotes.iter().map(|own| own.said().to_string());
    assert_eq!(quotes.collect::<Vec<_>>(), ["msprof op: latency bound:pipeline caused"]);
    assert!(found(&overview, "ascend-writer").is_empty());
}

#[test]
fn stalls_of_warps_are_found() {
    let planted = Made { stalls: vec![("Scoreboard", 600), ("Others", 400)], ..Made::default() };
    let even = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| (name, 10));
    let without = Made { stalls: even.to_vec(), ..Made::default() };
    three("ascend-warp-stalls", &planted, (0.6, 0.0), &without, None);
    assert_eq!(outcome(&of(&Made::default()), "ascend-warp-stalls"), None);
}

#[test]
fn sentences_of_the_writer_stay_where_ours_do_not_say_the_same() {
    let said = "aivector compute usage lower than 20%";
    let planted = Made { advice: vec!["Move this tensor.", said], ..Made::default() };
    let overview = of(&planted);
    let all = found(&overview, "ascend-writer");
    let texts: Vec<String> = all.iter().map(|own| own.said(Language::En)).collect();
    assert_eq!(texts, ["Move this tensor."], "the other is told with numbers");
    assert_eq!(all[0].writer, "msprof op");
    // It stands behind ours as the writer's, in data too.
    let quoting: Vec<&Finding> = overview.findings.iter().filter(|own| !own.quotes.is_empty()).collect();
    let [own] = &quoting[..] else { panic!("{quoting:?}") };
    assert!(own.rule.starts_with("ascend-") && own.said(Language::En).contains("vector cores"), "{own:?}");
    let data = export::findings::finding(own, &overview.rules);
    // What it says of the memory is the roof's.
    let texts = ["memory bound", said];
    assert_eq!(data["quotes"], json!(texts.map(|text| json!({"writer": "msprof op", "text": text}))));
    assert!(matches!(outcome(&of(&Made::default()), "ascend-writer"), Some(Outcome::Nothing(_))));
}

/// A mix operator: cubes work in 90 % of their cycles, vectors in so many.
fn mix(vector: f64) -> Vec<u8> {
    let graph = json!({"core_no": "0", "op_type": "mix", "soc": "910B", "memory_unit": [], "advice": [],
        "Cube": {"cycle": 90_000, "ratio": 90.0, "total_cycles": 100_000},
        "Vector": {"cycle": vector, "ratio": vector / 1_000.0, "total_cycles": 100_000}});
    let table = |name: &str| {
        json!({"table_name": name, "size": [1, 5],
            "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
            "row": [{"name": "Scalar", "value": ["1", "1000", "0", "1.0", "NA"]}]})
    };
    let tables = json!({"table_per_block": [{"block_id": "0", "table_op_type": "mix", "advice": [],
        "table_detail": [table("Pipe Cube"), table("Pipe Vector Core0")]}]});
    Container::default().json(8, &json!({"core_memory_map": [graph]})).json(9, &tables).0
}

#[test]
fn cube_and_vector_cores_that_are_not_balanced_are_found() {
    let rule = "ascend-cube-vector";
    let planted = overview(mix(30_000.0));
    assert!(is_near(found(&planted, rule)[0].value, 30.0));
    assert!(matches!(outcome(&overview(mix(80_000.0)), rule), Some(Outcome::Nothing(_))));
    assert_eq!(outcome(&of(&Made::default()), rule), None, "one kind of core only");
}

/// A timeline of two cores: MTE2 moves and VECTOR computes for 40 of 100 µs each, so many of them at once; VECTOR waits for
/// MTE2 for so many; the second core ends so many later.
fn timeline(both: f64, waits: f64, later: f64) -> Vec<u8> {
    let mut events = Vec::new();
    let mut slice = |core: u32, pipe: &str, name: &str, at: f64, dur: f64| {
        events.push(json!({"ph": "X", "name": name, "pid": format!("core{core}.veccore0"), "tid": pipe, "ts": at, "dur": dur}));
    };
    for core in 0..2 {
        slice(core, "MTE2", "MOV", 0.0, 40.0);
        slice(core, "VECTOR", "VADD", 40.0 - both, 40.0);
        slice(core, "SCALAR", "ADD", 99.0, 1.0 + if core == 1 { later } else { 0.0 });
    }
    for core in 0..2 {
        let pid = format!("core{core}.veccore0");
        for (ph, name, pipe, at) in [
            ("B", "SET_FLAG", "MTE2", 84.0 + waits - 0.1),
            ("E", "SET_FLAG", "MTE2", 84.0 + waits),
            ("B", "WAIT_FLAG", "VECTOR", 84.0),
            ("E", "WAIT_FLAG", "VECTOR", 84.0 + waits),
        ] {
            let id = if name == "SET_FLAG" { format!("s{core}") } else { format!("w{core}") };
            events.push(json!({"ph": ph, "name": name, "pid": pid, "tid": pipe, "ts": at, "id": id}));
        }
    }
    let trace = json!({"profilingType": "op", "schemaVersion": 2, "traceEvents": events});
    Container::default().json(2, &trace).0
}

#[test]
fn moves_that_do_not_overlap_are_found() {
    let rule = "ascend-double-buffering";
    let planted = overview(timeline(8.0, 1.0, 0.0));
    let finding = found(&planted, rule)[0];
    assert!(is_near(finding.value, 20.0) && is_near(finding.saving.share, 0.32), "{finding:?}");
    assert!(matches!(outcome(&overview(timeline(36.0, 1.0, 0.0)), rule), Some(Outcome::Nothing(_))));
    assert!(matches!(outcome(&of(&Made::default()), rule), Some(Outcome::Missing(_))));
}

#[test]
fn waits_on_a_timeline_are_found() {
    let rule = "ascend-waits";
    // Waits of 30 of 114 µs on each core.
    let planted = overview(timeline(20.0, 30.0, 0.0));
    let finding = found(&planted, rule)[0];
    assert!(is_near(finding.value, 30.0 / 114.0 * 100.0), "{finding:?}");
    assert_eq!(finding.saving, lanescope::analysis::finding::Saving::default());
    assert!(matches!(outcome(&overview(timeline(20.0, 1.0, 0.0)), rule), Some(Outcome::Nothing(_))));
}

#[test]
fn cores_that_end_late_are_found_on_a_timeline() {
    let planted = overview(timeline(20.0, 1.0, 100.0));
    let tail = found(&planted, "ascend-tail")[0];
    assert!(is_near(tail.value, 50_000.0) && is_near(tail.saving.share, 0.25), "{tail:?}");
    let slow = found(&planted, "ascend-imbalance")[0];
    assert!(is_near(slow.value, 200.0 / 150.0) && is_near(slow.saving.share, 0.25), "{slow:?}");
    let even = overview(timeline(20.0, 1.0, 0.0));
    for rule in ["ascend-tail", "ascend-imbalance"] {
        assert!(matches!(outcome(&even, rule), Some(Outcome::Nothing(_))), "{rule}");
    }
    // What only a device measures is missing.
    for rule in ["ascend-l2-hit-rate", "ascend-roof", "ascend-low-bandwidth"] {
        assert!(
            matches!(outcome(&even, rule), Some(Outcome::Missing(_))),
            "{rule}: {:?}",
            outcome(&even, rule)
        );
    }
}

/// Instructions of two cores, of which the second does all: one of MTE2 that moves so many bytes ten times, one of VECTOR
/// with so many conflicts; lines of which the first has so many of 1,000 cycles.
fn code(bytes: u32, conflicts: u32, hot: u32) -> Vec<u8> {
    let cores = json!(["core0.veccore0", "core1.veccore0"]);
    let lines = json!({"Cores": cores, "Files Dtype": {"Lines": {"Cycles": 1}}, "Files": [{"Source": "/k.cpp",
        "Lines": [{"Line": 2, "Address Range": [["0x10", "0x10"]], "Cycles": [0, hot]},
            {"Line": 3, "Address Range": [["0x18", "0x18"]], "Cycles": [0, 80]}]}]});
    let instruction = |address: &str, source: &str, pipe: &str, cycles: u32, bytes: u32, conflicts: u32| {
        json!({"Address": address, "Source": source, "Pipe": pipe, "AscendC Inner Code": "/k.cpp:2", "Cycles": [0, cycles],
            "Instructions Executed": [0, 10], "Process Bytes": [0, 10 * bytes], "UB Read Conflict": [0, conflicts], "UB Write Conflict": [0, 0]})
    };
    let instructions = json!({"Cores": cores, "Instructions Dtype": {"Instructions": {"Address": 3, "Source": 3,
        "Pipe": 3, "AscendC Inner Code": 3, "Cycles": 1, "Instructions Executed": 1, "Process Bytes": 1,
        "UB Read Conflict": 1, "UB Write Conflict": 1}}, "Instructions": [
        instruction("0x10", "MOV_OUT_TO_UB", "MTE2", 600, bytes, 0),
        instruction("0x18", "VADD", "VECTOR", 400, 0, conflicts)]});
    let trace = timeline(20.0, 1.0, 0.0);
    let mut file = Container::default().source("/k.cpp", "one\ntwo\nthree\n").json(3, &lines);
    file = file.block(4, 0, instructions.to_string().as_bytes());
    file.0.extend(trace);
    file.0
}

#[test]
fn the_hottest_line_is_found() {
    let rule = "ascend-hottest-line";
    let planted = overview(code(512, 0, 600));
    let finding = found(&planted, rule)[0];
    assert!(is_near(finding.value, 0.6) && finding.subject == "k.cpp:2", "{finding:?}");
    // The view shows what the finding counts: all cores together.
    let place = lanescope::navigation::route::Route::parse(&finding.evidence.address);
    assert_eq!(place.states.get("source").map(String::as_str), Some("core=all"));
    assert!(matches!(outcome(&overview(code(512, 0, 90)), rule), Some(Outcome::Nothing(_))));
    assert!(matches!(outcome(&of(&Made::default()), rule), Some(Outcome::Missing(_))));
}

#[test]
fn small_moves_are_found() {
    let rule = "ascend-small-moves";
    let planted = overview(code(512, 0, 600));
    assert!(is_near(found(&planted, rule)[0].value, 512.0));
    assert!(matches!(outcome(&overview(code(32_768, 0, 600)), rule), Some(Outcome::Nothing(_))));
    assert!(matches!(outcome(&of(&Made::default()), rule), Some(Outcome::Missing(_))));
}

#[test]
fn conflicts_of_instructions_are_found() {
    let rule = "ascend-conflicts";
    let planted = overview(code(512, 5, 600));
    assert!(is_near(found(&planted, rule)[0].value, 5.0));
    assert!(matches!(outcome(&overview(code(512, 0, 600)), rule), Some(Outcome::Nothing(_))));
    assert!(matches!(outcome(&overview(timeline(20.0, 1.0, 0.0)), rule), Some(Outcome::Missing(_))));
}

#[test]
fn bytes_of_moves_are_those_of_memory_csv_too() {
    let sheet = "block_id,sub_block_id,aiv_time(us),aiv_mte2_instructions,GM_to_UB_datas(KB),\n0,vector0,100.0,10,20.0,\n";
    let made = Made { chip: "Ascend910B2", ..Made::default() };
    let files = [("o/visualize_data.bin", made.file()), ("o/Memory.csv", sheet.as_bytes().to_vec())];
    let (mut doc, _) = open(files.map(|(path, bytes)| (path.to_owned(), bytes)).to_vec(), 1 << 16);
    let overview = doc.whole_overview();
    assert!(is_near(found(&overview, "ascend-small-moves")[0].value, 2_048.0));
}

#[test]
fn of_several_operators_the_open_one_is_looked_at() {
    let slow = Made { duration: 125.0, ..Made::default() };
    let files = [("a.bin", slow.file()), ("b.bin", Made::default().file())];
    let (mut doc, _) = open(files.map(|(path, bytes)| (path.to_owned(), bytes)).to_vec(), 1 << 16);
    let overview = doc.whole_overview();
    let heads = found(&overview, "ascend-head-overhead");
    // The share is of the open one, not of both.
    assert!(heads.len() == 1 && is_near(heads[0].saving.share, 0.2), "{heads:?}");
}

#[test]
fn figures_and_parts_say_what_it_is() {
    let overview = of(&Made::default());
    let tiles: Vec<String> =
        overview.tiles.iter().map(|tile| format!("{}: {}", tile.label, tile.value)).collect();
    assert_eq!(
        tiles,
        [
            "Duration: 102.000 µs",
            "Bound by: MTE2",
            "Cores: 48 of 48 vector",
            "Share of roof: 90.0 %",
            "L2 hit rate: 95.0 %"
        ]
    );
    assert!(3 <= overview.parts.len());
    let simulated = crate::findings::ascend::overview(timeline(20.0, 1.0, 0.0));
    assert_eq!(simulated.tiles.len(), 5);
    assert_eq!(simulated.tiles[0].value, "100.000 µs");
}
