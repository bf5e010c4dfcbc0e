//! The sentence above a comparison: one quantity of the whole run for every system, of the same things in both, or it says
//! of what each is.

use super::questions::two;
use crate::accelsim::make::{V5, list};
use crate::gainsight::open_set;
use crate::neutrino::make::{BLOCKS, Launch, Writer, probes};
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::Container;
use lanescope::analysis::compare::headline::{Quantity, headline};
use lanescope::base::unit::Unit;
use lanescope::base::words::Message;
use lanescope::document::Document;
use lanescope::engine::compare::figures;
use lanescope::model::figure::Body;
use lanescope::wire::{Answer, Query};

use std::fmt::Write;

fn quantities(doc: &mut Document) -> Vec<Quantity> {
    match doc.query(&Query::Headline).0 {
        Answer::Headline(all) => all,
        other => panic!("{other:?}"),
    }
}

/// What is said of two documents; empty for nothing.
fn said([mut a, mut b]: [Document; 2]) -> String {
    headline(&quantities(&mut a), &quantities(&mut b)).map_or(String::new(), |said| said.to_string())
}

fn opened(name: &str, text: String) -> Document {
    let (doc, is_ready) = open_one(name, text.into_bytes());
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

fn quantity(name: &str, value: f64, unit: Unit, key: &str) -> Quantity {
    Quantity::new(name, (value, unit), &key, Message::from(key.to_owned()))
}

#[test]
fn a_change_is_said_with_both_values_in_percent_and_as_a_factor() {
    let micros = |value: f64| [quantity("Duration", value, Unit::Micros, "")];
    let shown =
        |old, new| headline(&micros(old), &micros(new)).map_or(String::new(), |said| said.to_string());
    assert_eq!(shown(9_120.0, 5_928.0), "Duration −35 %, 0.65×, 9.12 → 5.93 ms");
    assert_eq!(shown(9_120.0, 9_120.0), "Duration unchanged, 9.12 ms");
    assert_eq!(shown(9_120.0, 9_121.0), "Duration +0.011 %, 9.12 → 9.121 ms");
    assert_eq!(shown(0.4, 1_000.0), "Duration +249,900 %, 2,500×, 400 ns → 1 ms");
    assert_eq!(shown(5.14, 9_133.0), "Duration +177,585 %, 1,777×, 5.14 µs → 9.13 ms");
    assert_eq!(shown(9_120.0, 514.2), "Duration −94.4 %, 0.0564×, 9.12 → 0.514 ms");
    // What is 0 was not measured; another unit is another quantity.
    assert_eq!(shown(0.0, 1.0), "");
    let cycles = [quantity("Duration", 1.0, Unit::Cycles, "")];
    assert_eq!(headline(&micros(1.0), &cycles), None);
}

#[test]
fn another_quantity_that_became_worse_is_said_too() {
    let both = |instructions: f64, sectors: f64| {
        ["Instructions", "Sectors"]
            .into_iter()
            .zip([instructions, sectors])
            .map(|(name, value)| quantity(name, value, Unit::None, "k"))
            .collect::<Vec<_>>()
    };
    let said = headline(&both(200.0, 384.0), &both(100.0, 1_088.0)).unwrap().to_string();
    assert_eq!(said, "Instructions −50 %, 0.5×, 200 → 100 (k). But Sectors +183 %, 2.83×, 384 → 1,088.");
    // What went the same way says no more.
    let said = headline(&both(200.0, 384.0), &both(100.0, 100.0)).unwrap().to_string();
    assert_eq!(said, "Instructions −50 %, 0.5×, 200 → 100 (k)");
}

/// The same kernel with half of the warps is not twice as fast.
#[test]
fn launches_of_other_sizes_are_told_apart() {
    let kernel = |warps: u32| {
        let mut text = format!(
            "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = ({},1,1)\n-shmem = 0\n-nregs = 10\n-binary version = 80\n-cuda stream id = 0\n-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mem_addresses]\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n",
            32 * warps
        );
        for warp in 0..warps {
            write!(text, "warp = {warp}\ninsts = 2\n0000 ffffffff 0 MOV 0 0\n0010 ffffffff 0 EXIT 0 0\n\n")
                .unwrap();
        }
        opened("kernel-1.traceg", text + "#END_TB\n")
    };
    let said = said([kernel(32), kernel(16)]);
    assert_eq!(
        said,
        "Instructions −50 %, 0.5×, 64 → 32. Different inputs are compared: A: k, 32 warps; B: k, 16 warps. Mean of one unchanged, 2."
    );
}

#[test]
fn only_the_same_things_are_compared_or_it_is_said() {
    let of = |key: &str, value| quantity("Median execution", value, Unit::Nanos, key);
    let said = |a: &[Quantity], b: &[Quantity]| headline(a, b).map_or(String::new(), |said| said.to_string());
    // The same network in both, wherever it stands.
    let (old, new) = ([of("x", 100.0), of("y", 50.0)], [of("y", 40.0), of("x", 100.0)]);
    assert_eq!(said(&old, &new), "Median execution −20 %, 0.8×, 50 → 40 ns (y)");
    // One of each that is not the same.
    let apart = "Median execution −60 %, 0.4×, 100 → 40 ns. Different inputs are compared: A: x; B: y.";
    assert_eq!(said(&old[..1], &new[..1]), apart);
    let alike = [Quantity { key: 7, ..old[0].clone() }];
    let note = "Median execution unchanged, 100 ns. x on both sides, but different ones.";
    assert_eq!(said(&old[..1], &alike), note);
    // Several that are not the same: nobody knows which belong together.
    let differs =
        "Median execution: nothing is the same on both sides. What is compared differs: A: x, y; B: z.";
    assert_eq!(said(&old, &[of("z", 1.0)]), differs);
    let many = [of("u", 1.0), of("v", 1.0), of("w", 1.0), of("z", 1.0)];
    let differs = "Median execution: nothing is the same on both sides. What is compared differs: A: x; B: u, v, 2 more.";
    assert_eq!(said(&old[..1], &many), differs);
}

#[test]
fn operators_have_their_duration() {
    // 100.25 ÷ 120.5 = 0.83195.
    let (a, b) = two();
    assert_eq!(said([a, b]), "Duration −16.8 %, 0.832×, 120.5 → 100.25 µs (scale_add)");
}

/// The CSV files of an operator of one block: its µs, the cycles of its unit, and the shares of two pipes.
fn piped(micros: f64, cycles: u32, [scalar, mte3]: [f64; 2]) -> Document {
    let info =
        format!("Op Name,Op Type,Task Duration(us),Block Dim,\nCummin,vector,{:.6},1,\n", micros + 1.0);
    let pipes = format!(
        "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_scalar_ratio,aiv_mte3_ratio,\n0,vector0,{micros},{cycles},{scalar},{mte3},\n"
    );
    let files = [("OpBasicInfo.csv", info), ("PipeUtilization.csv", pipes)];
    let (doc, is_ready) =
        open(files.map(|(name, text)| (name.to_owned(), text.into_bytes())).to_vec(), 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn why_an_operator_is_faster_is_told_by_cycles_though_a_share_rose() {
    // Scalar: 600 of 1,000 and 420 of 500 cycles, 24 points more and 30 % less; MTE3: 380 and 20.
    let (old, new) = (piped(9.0, 1_000, [0.6, 0.38]), piped(4.0, 500, [0.84, 0.04]));
    let pipes = figures(&old, &new).families.into_iter().find(|family| family.id == "pipes").unwrap();
    let Body::Table(table) = &pipes.variants[0].body else { panic!("a table") };
    let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let cycles = ["baseline", "comparison", "difference"].map(|side| format!("Active cycles ({side})"));
    assert_eq!((&heads[2..5], heads[5]), (&cycles.each_ref().map(String::as_str)[..], "Active (baseline)"));
    assert_eq!(
        said([old, new]),
        "Duration −50 %, 0.5×, 10 → 5 µs (Cummin). Active cycles: vector MTE3 −94.7 %, vector Scalar −30 %."
    );
    // Nothing but the duration where no pipe changed.
    let same = || piped(9.0, 1_000, [0.6, 0.38]);
    assert_eq!(said([same(), same()]), "Duration unchanged, 10 µs (Cummin)");
}

/// An operator on a device: its µs, what it is set up with, bytes that its moves brought in and out, and their number.
fn set_up((chip, kind, dim): (&str, &str, u32), micros: f64, [read, written]: [[u32; 2]; 2]) -> Document {
    let info = serde_json::json!({"name": "Add", "soc": chip, "op_type": kind, "block_dim": dim.to_string(),
        "mix_block_dim": "", "duration": micros, "rated_freq": "1800", "cur_freq": "1800", "advice": []});
    let memory = format!(
        "block_id,sub_block_id,aiv_time(us),GM_to_UB_datas(KB),aiv_mte2_instructions,UB_to_GM_datas(KB),aiv_mte3_instructions,\n0,vector0,{micros},{}.0,{},{}.0,{},\n",
        read[0], read[1], written[0], written[1]
    );
    let pipes = "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_mte2_ratio,aiv_mte3_ratio,\n0,vector0,10.0,1000,0.2,0.6,\n";
    let files = [
        ("visualize_data.bin", Container::default().json(5, &info).0),
        ("Memory.csv", memory.into_bytes()),
        ("PipeUtilization.csv", pipes.to_owned().into_bytes()),
    ];
    let (doc, is_ready) = open(files.map(|(name, bytes)| (format!("o/{name}"), bytes)).to_vec(), 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn an_operator_that_was_set_up_in_another_way_is_no_better_one() {
    let moves = [[40, 10], [8, 4]];
    let of = |chip, kind, dim, micros| set_up((chip, kind, dim), micros, moves);
    let old = || of("Ascend910B1", "vector", 32, 10.0);
    let head = "Duration −50 %, 0.5×, 10 → 5 µs (Add)";
    let same = "Bytes per MTE3 instruction unchanged, 2.00 KiB.";
    assert_eq!(said([old(), of("Ascend910B1", "vector", 32, 5.0)]), format!("{head}. {same}"));
    let apart = |setups: &str| format!("{head}. Different inputs are compared: {setups}. {same}");
    for (new, setups) in [
        (of("Ascend910B1", "vector", 16, 5.0), "A: block dim 32; B: block dim 16"),
        (of("Ascend910B4", "vector", 32, 5.0), "A: chip Ascend910B1; B: chip Ascend910B4"),
        (
            of("Ascend910B4", "mix", 16, 5.0),
            "A: block dim 32, core type vector, chip Ascend910B1; B: block dim 16, core type mix, chip Ascend910B4",
        ),
    ] {
        assert_eq!(said([old(), new]), apart(setups));
    }
    // What one side does not say is no difference.
    assert_eq!(said([old(), of("", "vector", 32, 5.0)]), format!("{head}. {same}"));
}

/// A timeline alone says no duration and no blocks: its cores and how long they took.
#[test]
fn simulated_kernels_on_more_cores_are_no_better_ones() {
    let simulated = |cores: u32, micros: u32| {
        let event = |core: u32| {
            serde_json::json!({"ph": "X", "pid": format!("core{core}.veccore0"), "tid": "SCALAR",
                "name": "MOV", "ts": 0, "dur": micros})
        };
        let events: Vec<_> = (0..cores).map(event).collect();
        let file = serde_json::json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events});
        opened("trace.json", file.to_string())
    };
    let said = |new| said([simulated(2, 10), new]);
    assert!(said(simulated(2, 5)).starts_with("Time of all cores −50 %, 0.5×, 10 → 5 µs (2 cores)"));
    let other = said(simulated(4, 5));
    assert!(!other.contains("Time of all cores −50 %, 0.5×, 10 → 5 µs (4 cores)"), "{other}");
    assert!(other.contains("2 cores") && other.contains("4 cores"), "{other}");
}

#[test]
fn bytes_of_a_move_are_those_of_the_pipe_that_takes_most_time() {
    let of = |moves| set_up(("Ascend910B1", "vector", 32), 10.0, moves);
    // MTE3 is active in 600 of 1,000 cycles, MTE2 in 200.
    assert_eq!(
        said([of([[40, 10], [8, 4]]), of([[400, 10], [8, 16]])]),
        "Duration unchanged, 10 µs (Add). Bytes per MTE3 instruction −75 %, 0.25×, 2.00 KiB → 512 B."
    );
    // Where one side has no moves of it, of the other pipe.
    assert_eq!(
        said([of([[40, 10], [8, 4]]), of([[80, 10], [0, 0]])]),
        "Duration unchanged, 10 µs (Add). Bytes per MTE2 instruction +100 %, 2×, 4.00 KiB → 8.00 KiB."
    );
}

/// Files of steps of these µs; in each a kernel of half of it, and a copy. Each file is a rank.
fn profile(ranks: &[&[u32]], name: &str) -> Document {
    let file = |(rank, steps): (usize, &&[u32])| {
        let mut text = format!(
            "{{\"distributedInfo\":{{\"rank\":{rank}}},\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_labels\",\"args\":{{\"labels\":\"GPU {rank}\"}}}}"
        );
        let mut start = 0;
        for (at, step) in steps.iter().enumerate() {
            for (pid, name, category, from, dur) in [
                (1, format!("{name}#{at}"), "user_annotation", 0, *step),
                (0, "gemm".to_owned(), "kernel", 10, step / 2),
                (0, "Memcpy HtoD".to_owned(), "gpu_memcpy", 10 + step / 2, 5),
            ] {
                write!(text, ",\n{{\"ph\":\"X\",\"pid\":{pid},\"tid\":7,\"name\":\"{name}\",\"cat\":\"{category}\",\"ts\":{},\"dur\":{dur}}}", start + from).unwrap();
            }
            start += step;
        }
        (format!("rank{rank}.json"), (text + "\n]}").into_bytes())
    };
    let (doc, is_ready) = open(ranks.iter().enumerate().map(file).collect(), 1 << 16);
    assert!(is_ready);
    doc
}

#[test]
fn profiles_of_devices_have_steps_or_what_devices_do() {
    let step = |ranks: &[&[u32]]| profile(ranks, "ProfilerStep");
    let (old, new) = ([900, 1_000, 1_400], [800, 750, 790]);
    // The mean step is 1,100 and 780 µs; half of it is one kernel.
    let grown =
        "Mean step −320.000 µs: computation −160.000 µs, idle time −160.000 µs. Kernels: gemm −160.000 µs.";
    assert_eq!(
        said([step(&[&old]), step(&[&new])]),
        format!("Median step −21 %, 0.79×, 1 → 0.79 ms (3 steps). {grown}")
    );
    // Another number of steps, and another number of devices, is said.
    let few = said([step(&[&old]), step(&[&new[..2]])]);
    let head =
        "Median step −22.5 %, 0.775×, 1 → 0.775 ms. Different inputs are compared: A: 3 steps; B: 2 steps. ";
    assert!(few.starts_with(&format!("{head}Mean step −325.000 µs: ")), "{few}");
    assert_eq!(
        said([step(&[&old]), step(&[&new, &new])]),
        format!(
            "Median step −21 %, 0.79×, 1 → 0.79 ms. Different inputs are compared: A: 3 steps; B: 6 steps of 2 devices. {}",
            grown.replace("µs: comp", "µs, mean of 2 devices against 1: comp")
        )
    );
    // Without steps: 450 + 500 + 700 and 400 + 375 + 395 µs, the mean of both devices; copies are neither.
    let other = |ranks: &[&[u32]]| profile(ranks, "epoch");
    assert_eq!(
        said([other(&[&old]), other(&[&new])]),
        "Compute and communication −29.1 %, 0.709×, 1.65 → 1.17 ms (1 device). Kernels: gemm −480.000 µs."
    );
    assert_eq!(
        said([other(&[&old, &new]), other(&[&new, &new])]),
        "Compute and communication −17 %, 0.83×, 1.41 → 1.17 ms (mean of 2 devices). Kernels: gemm −240.000 µs."
    );
    // A trace of something else has its length only, and that is nothing that a profile of a device has.
    let plain = |dur: u32| {
        let event = format!(
            "{{\"traceEvents\":[{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"f\",\"ts\":7,\"dur\":{dur}}}]}}"
        );
        opened("trace.json", event)
    };
    assert_eq!(said([plain(200), plain(130)]), "Recorded time −35 %, 0.65×, 200 → 130 µs");
    assert_eq!(said([plain(200), step(&[&new])]), "");
}

/// Three steps so long; in each kernels of these names and µs, one after the other from 10 µs on.
fn steps_of(wall: u32, kernels: &[(&str, u32)]) -> Document {
    let mut text = "{\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"GPU 0\"}}".to_owned();
    for step in 0..3 {
        let mut add = |pid: u32, name: &str, category: &str, ts: u32, dur: u32| {
            write!(text, ",\n{{\"ph\":\"X\",\"pid\":{pid},\"tid\":7,\"name\":\"{name}\",\"cat\":\"{category}\",\"ts\":{ts},\"dur\":{dur}}}").unwrap();
        };
        let start = step * wall;
        add(1, &format!("ProfilerStep#{step}"), "user_annotation", start, wall);
        let mut at = start + 10;
        for (name, dur) in kernels {
            add(0, name, "kernel", at, *dur);
            at += dur;
        }
    }
    opened("trace.json", text + "\n]}")
}

#[test]
fn the_parts_of_a_step_add_up() {
    // 2 of 100 µs are communication.
    let all = ("ncclDevKernel_AllReduce_Sum_f32", 12);
    let old = steps_of(200, &[("gemm", 100), ("ncclDevKernel_AllReduce_Sum_f32", 10)]);
    let new = steps_of(300, &[("gemm", 190), all]);
    let text = said([old, new]);
    let parts = "computation +90.000 µs, idle time +8.000 µs, exposed communication +2.000 µs";
    assert!(text.contains(&format!("Mean step +100.000 µs: {parts}.")), "{text}");
}

#[test]
fn what_of_a_step_grew_is_named_with_its_kernels() {
    // Numbers of instances do not count; one is gone, one is new, one stayed.
    let old = steps_of(100, &[("gemm 4", 30), ("split", 10), ("norm", 8)]);
    let new = steps_of(150, &[("gemm 9", 60), ("fused", 25), ("norm", 8)]);
    assert_eq!(
        said([old, new]),
        "Median step +50 %, 1.5×, 100 → 150 µs (3 steps). Mean step +50.000 µs: computation +45.000 µs, idle time +5.000 µs. Kernels: gemm * +30.000 µs, fused +25.000 µs (B only), split −10.000 µs (A only)."
    );
    // Variants of a kernel are other kernels, as in the table below.
    let [old, new] = [128, 256].map(|n| format!("void gemm::run<{n}>(int)"));
    let old = steps_of(100, &[(old.as_str(), 30), ("norm", 8)]);
    let text = said([old, steps_of(90, &[(new.as_str(), 40), ("norm", 8)])]);
    assert!(text.contains("run<256>") && text.contains("run<128>"), "{text}");
    // Neither the group of a collective nor its number in the group is what it is.
    let old = steps_of(100, &[("hcom_allReduce__271_0_1", 10), ("hcom_allReduce__271_1_1", 10), ("norm", 8)]);
    let new = steps_of(150, &[("hcom_allReduce__868_0_1", 30), ("hcom_allReduce__868_1_1", 30), ("norm", 8)]);
    let text = said([old, new]);
    assert!(text.ends_with("Kernels: hcom_allReduce__* +40.000 µs."), "{text}");
    let same = || steps_of(100, &[("norm", 8)]);
    assert_eq!(said([same(), same()]), "Median step unchanged, 100 µs (3 steps)");
}

/// A run of a network: executions of these µs that warm up and that are measured.
fn executions(network: &str, warm: &[u32], measured: &[u32]) -> Document {
    let mut text = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n".to_owned();
    let mut row = |at: u32, mark: &str| {
        writeln!(text, " app-5     (    5) [000] ...1   100.{at:06}: tracing_mark_write: {mark}").unwrap();
    };
    row(0, &format!("B|5|[NN_LA_PO]{network}"));
    let mut at = 100;
    for (phase, all) in [("[NN_LA_PWU]warm", warm), ("[NN_LA_PBM]bench", measured)] {
        row(at, &format!("B|5|{phase}"));
        for dur in all {
            row(at + 10, "B|5|[NN_LR_PE]ANeuralNetworksExecution_compute");
            row(at + 10 + dur, "E|5");
            at += dur + 20;
        }
        row(at, "E|5");
        at += 10;
    }
    row(at + 100, "E|5");
    opened("trace.txt", text)
}

#[test]
fn runs_of_networks_have_their_median_execution() {
    let old = || executions("net", &[5_000], &[900, 2_000, 1_000]);
    assert_eq!(
        said([old(), executions("net", &[9_000, 9_000], &[650, 600, 8_000])]),
        "Median execution −35 %, 0.65×, 1 → 0.65 ms (net: 3 executions, Benchmark)"
    );
    assert_eq!(
        said([old(), executions("other", &[], &[500])]),
        "Median execution −50 %, 0.5×, 1 → 0.5 ms. Different inputs are compared: A: net: 3 executions, Benchmark; B: other: 1 execution, Benchmark."
    );
}

/// Two SMs with clocks of their own; on the first two blocks, one behind the other.
fn scheduled(elapsed: u64, has_units: bool) -> Document {
    let mut map = BLOCKS;
    if !has_units {
        map.fields = &[("start", 8), ("elapsed", 4)];
    }
    let launch = Launch { writer: Writer::V2, grid: [3, 1, 1], block: [32, 1, 1], maps: &[map] };
    let blocks = [[1_000, elapsed, 0], [1_100 + elapsed, 2 * elapsed, 0], [900_000, 2 * elapsed, 1]];
    let bin = launch.result(|map, unit, _| Some(blocks[unit as usize][..map.fields.len()].to_vec()));
    let files = [("t/probe.toml", probes(&[map]).into_bytes()), ("t/result/0.5.bin", bin)];
    let (doc, is_ready) = open(files.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec(), 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn schedules_have_the_span_of_the_unit_where_it_is_longest() {
    // 100 + 3 × 500 = 1,600; clocks of two SMs are never taken from each other.
    let said_of = said([scheduled(500, true), scheduled(300, true)]);
    assert_eq!(said_of, "Kernel span −37.5 %, 0.625×, 1,600 → 1,000 cycles (3 blocks)");
    assert_eq!(said([scheduled(500, false), scheduled(300, false)]), "");
}

/// A recording of kernels of these names.
fn recorded(names: &[&str]) -> Document {
    let numbered: Vec<String> = (1..=names.len()).map(|n| format!("kernel-{n}.traceg")).collect();
    let numbered: Vec<&str> = numbered.iter().map(String::as_str).collect();
    let mut files = vec![("t/kernelslist.g".to_owned(), list(&numbered).into_bytes())];
    for (file, name) in numbered.iter().zip(names) {
        files.push((format!("t/{file}"), V5.grouped(name).into_bytes()));
    }
    let (doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn recorded_programs_have_their_instructions() {
    // Four warps run 1 + 2 × 4 + 2 or 1 + 2 instructions: 2 × 13 + 2 × 12 in a launch.
    assert_eq!(
        said([recorded(&["loop"]), recorded(&["loop"])]),
        "Instructions unchanged, 50 (loop, 4 warps)"
    );
    assert_eq!(
        said([recorded(&["loop"]), recorded(&["loop", "loop"])]),
        "Instructions +100 %, 2×, 50 → 100. Different inputs are compared: A: loop, 4 warps; B: 2 launches, 8 warps. Mean of one unchanged, 12.5."
    );
    // The same kernels in another order are the same.
    assert_eq!(
        said([recorded(&["loop", "other"]), recorded(&["other", "loop"])]),
        "Instructions unchanged, 100 (2 launches, 8 warps)"
    );
    // Four warps load 128 bytes twice, two of them store with 16 lanes far from each other: 4 × 2 × 4 + 2 × 16.
    let all = quantities(&mut recorded(&["loop"]));
    let sectors = all.iter().find(|one| one.name == "Sectors in global accesses").unwrap();
    assert_eq!((sectors.value as u64, &sectors.unit), (64, &Unit::None));
    assert!(all.iter().any(|one| one.name == "Wavefronts in shared accesses"), "{all:?}");
}

#[test]
fn what_changed_is_said_before_what_stayed() {
    let all = |sectors: f64, of: &str| {
        [quantity("Instructions", 150.0, Unit::None, "x"), quantity("Sectors", sectors, Unit::None, of)]
    };
    let said = |old: [Quantity; 2], new: [Quantity; 2]| headline(&old, &new).unwrap().to_string();
    assert_eq!(said(all(40.0, "x"), all(80.0, "x")), "Sectors +100 %, 2×, 40 → 80 (x)");
    assert_eq!(said(all(40.0, "x"), all(40.0, "x")), "Instructions unchanged, 150 (x)");
    // Of other things it says nothing of this one.
    assert_eq!(said(all(40.0, "x"), all(80.0, "y")), "Instructions unchanged, 150 (x)");
}

#[test]
fn simulated_kernels_have_their_cycles() {
    let log = |cycles: &[u32]| {
        let mut text = "Accel-Sim [build test]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n-gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n".to_owned();
        for (at, cycles) in (1..).zip(cycles) {
            write!(
                text,
                "launching kernel name: work uid: {at} cuda_stream_id: 0\nkernel_name = work \nkernel_launch_uid = {at} \ngpu_sim_cycle = {cycles}\ngpu_sim_insn = 10\n"
            )
            .unwrap();
        }
        open_set(&[("run.log", text.into_bytes())], &[])
    };
    assert_eq!(
        said([log(&[1_000, 1_000]), log(&[700, 600])]),
        "Simulated cycles −35 %, 0.65×, 2,000 → 1,300 cycles (2 kernels)"
    );
    assert_eq!(
        said([log(&[1_000, 1_000]), log(&[700])]),
        "Simulated cycles −65 %, 0.35×, 2,000 → 700 cycles. Different inputs are compared: A: 2 kernels; B: 1 kernel. Mean of one −30 %, 0.7×, 1,000 → 700 cycles."
    );
}

/// The choice of memory is what such a log is opened for: what fits is said before cycles, which may be the same.
#[test]
fn what_fits_is_said_before_simulated_cycles() {
    use crate::findings::gainsight::{lives, log};
    let of = |length: u64| {
        let accesses = [lives(0, 0, 30, 500), lives(0, 100, 10, length)].concat();
        let mut doc = open_set(&[("run.log", log(Some(1000.0), &[("a", 90_000, accesses)]))], &[]);
        while doc.has_work() {
            doc.step();
        }
        doc
    };
    assert_eq!(
        said([of(500), of(50_000)]),
        "Fits without refresh −25.0 percentage points, 100.0 % → 75.0 % (L1, 1 kernel)"
    );
}
