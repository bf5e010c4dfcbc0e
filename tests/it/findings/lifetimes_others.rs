//! Arrays, statistics, counters, tables and reports: their rules, and that each kind of file says what it is.

use super::assert_tells;
use super::gainsight::{found, is_missing, is_near, is_silent, outcome, whole};
use crate::gainsight::open_set;
use lanescope::analysis::finding::{Outcome, Overview, SavingKind};
use lanescope::base::words::Language;

fn opened(files: &[(&str, &str)]) -> Overview {
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(path, text)| (*path, text.as_bytes().to_vec())).collect();
    whole(open_set(&files, &[]))
}

/// The report of an array: layers with cycles, stalls, and percent of use and of mapping.
fn compute(layers: &[(u64, u64, f64, f64)]) -> String {
    let head = "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n";
    let rows = layers.iter().enumerate().map(|(at, (cycles, stalls, used, mapped))| {
        format!("{at}, {cycles}, {stalls}, {used}, {mapped}, {used},\n")
    });
    format!("{head}{}", rows.collect::<String>())
}

const BANDWIDTH: &str = "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, \
    Avg FILTER DRAM BW, Avg OFMAP DRAM BW,\n0, 1.5, 0.5, 1.5, 2.0, 3.0, 1.25,\n";

#[test]
fn an_array_that_waits() {
    let overview = opened(&[(
        "run/COMPUTE_REPORT.csv",
        &compute(&[(1_000, 200, 80.0, 100.0), (3_000, 100, 80.0, 100.0)]),
    )]);
    let [finding] = found(&overview, "array-stalls")[..] else { panic!() };
    is_near(finding.value, 300.0);
    assert_eq!(finding.saving.kind, SavingKind::Bound);
    is_near(finding.saving.share, 300.0 / 4_000.0);
    assert!(finding.line.to_string().contains("layer0 accounts for 66.7 %"), "{}", finding.line);
    is_silent(&overview, "array-idle");
    assert_eq!(overview.tiles.len(), 5);
    is_silent(&opened(&[("run/COMPUTE_REPORT.csv", &compute(&[(1_000, 20, 80.0, 100.0)]))]), "array-stalls");
    let without = opened(&[("run/BANDWIDTH_REPORT.csv", BANDWIDTH)]);
    is_missing(&without, "array-stalls", "COMPUTE_REPORT.csv");
    is_missing(&without, "array-idle", "COMPUTE_REPORT.csv");
    is_missing(&without, "lifetimes-fit", "save_disk_space=False");
}

#[test]
fn an_array_that_does_not_compute() {
    let overview =
        opened(&[("run/COMPUTE_REPORT.csv", &compute(&[(1_000, 100, 20.0, 50.0), (3_000, 0, 40.0, 80.0)]))]);
    let [finding] = found(&overview, "array-idle")[..] else { panic!() };
    // Weighted by cycles.
    is_near(finding.value, (200.0 + 1_200.0) / 4_000.0);
    // Stalls are another rule's.
    is_near(finding.saving.value, 4_000.0 - 1_400.0 - 100.0);
    assert!(
        finding.line.to_string().contains("72.5 %") && finding.line.to_string().contains("layer1"),
        "{}",
        finding.line
    );
}

/// Why a rule found nothing, or could not look.
fn why(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Nothing(said) | Outcome::Missing(said)) => said.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

/// 200 of 1,000 cycles and 100 of 3,000 are stalls; 200 of 1,000 and 1,200 of 3,000 are used, 500 and 2,400 mapped or all.
#[test]
fn sentences_on_arrays_have_the_numbers_of_all_layers() {
    let of = |layers: &[(u64, u64, f64, f64)]| opened(&[("run/COMPUTE_REPORT.csv", &compute(layers))]);
    let stalled = of(&[(1_000, 200, 80.0, 100.0), (3_000, 100, 80.0, 100.0)]);
    let unmapped = of(&[(1_000, 20, 20.0, 50.0), (3_000, 0, 40.0, 80.0)]);
    let mapped = of(&[(1_000, 20, 20.0, 100.0), (3_000, 0, 40.0, 100.0)]);
    let idle = "Array computes only 35.0 % of what its elements could compute in 4,000 cycles.";
    assert_tells(&[
        (&stalled, "array-stalls", &["Array waits for memory 300 cycles, 7.5 % of the time."]),
        (&unmapped, "array-idle", &[idle]),
        (&mapped, "array-idle", &[idle]),
    ]);
    let line = |overview: &Overview, rule: &str| found(overview, rule)[0].line.to_string();
    assert_eq!(
        line(&stalled, "array-stalls"),
        "layer0 accounts for 66.7 % of that. More words per cycle from memory, or larger buffers, hide it."
    );
    assert_eq!(
        line(&unmapped, "array-idle"),
        "On average 72.5 % of the elements are mapped: shapes do not fill the array, layer1 loses most."
    );
    let streams = line(&mapped, "array-idle");
    assert!(streams.starts_with("Most elements are mapped: "), "{streams}");
    assert!(streams.contains(" mostly in layer1."), "{streams}");
    assert_eq!(why(&stalled, "array-idle"), "PE utilization is at least 80.0 %");
    // 20 of 4,000 cycles.
    assert_eq!(why(&mapped, "array-stalls"), "the array waits at most 0.5 % of the time");
    let without = opened(&[("run/BANDWIDTH_REPORT.csv", BANDWIDTH)]);
    for rule in ["array-stalls", "array-idle"] {
        let missing = "COMPUTE_REPORT.csv is missing: SCALE-Sim writes it next to the layer folders";
        assert_eq!(why(&without, rule), missing, "{rule}");
    }
}

#[test]
fn words_that_are_fetched_and_never_read() {
    let memory = |n: u64| (0..n).map(|at| format!("{}.0,{at}.0\n", at as i64 - n as i64)).collect::<String>();
    let array = |n: u64| (0..n).map(|at| format!("{},{at}\n", at + 1)).collect::<String>();
    let run = |fetched: u64, read: u64| {
        let report = compute(&[(100, 0, 80.0, 100.0)]);
        opened(&[
            ("run/COMPUTE_REPORT.csv", &report),
            ("run/layer0/FILTER_DRAM_TRACE.csv", &memory(fetched)),
            ("run/layer0/FILTER_SRAM_TRACE.csv", &array(read)),
        ])
    };
    let overview = run(40, 30);
    let [finding] = found(&overview, "lifetimes-unread")[..] else { panic!() };
    assert_eq!(finding.subject, "FILTER");
    is_near(finding.value, 10.0);
    // A byte a word: of 40 that are fetched and 30 that are read.
    is_near(finding.saving.value, 10.0);
    is_near(finding.saving.share, 10.0 / 70.0);
    assert_eq!(outcome(&overview, "lifetimes-once"), None, "buffers are filled on purpose");
    assert_eq!(outcome(&overview, "lifetimes-retries"), None);
    is_silent(&run(40, 40), "lifetimes-unread");
}

/// Two fetches, of ten rows each: one of three words a cycle, and a narrower one whose rows are filled up with 1. Words 1
/// and 41 are read by the array as all others are.
#[test]
fn ones_that_fill_up_rows_are_no_words() {
    let run = |narrow: u64| {
        let wide =
            (0..10).map(|at| format!("{}.0,{}.0,{}.0,{}.0\n", at - 30, 3 * at, 3 * at + 1, 3 * at + 2));
        let own = |row: u64| {
            let cell = |at: u64| format!(",{}.0", if at < narrow { 40 + row * narrow + at } else { 1 });
            format!("{}.0{}\n", row as i64 - 20, (0..3).map(cell).collect::<String>())
        };
        let memory: String = wide.chain((0..10).map(own)).collect();
        let words = (0..30).chain(40..40 + 10 * narrow);
        let array: String = words.zip(1..).map(|(word, cycle)| format!("{cycle},{word}\n")).collect();
        opened(&[
            ("run/COMPUTE_REPORT.csv", &compute(&[(100, 0, 80.0, 100.0)])),
            ("run/layer0/IFMAP_DRAM_TRACE.csv", &memory),
            ("run/layer0/IFMAP_SRAM_TRACE.csv", &array),
        ])
    };
    // Also where a row is filled up with a single one.
    for narrow in 1..=3 {
        let said = "at most 0.0 % of the writes at a level are never read (IFMAP)";
        assert_eq!(why(&run(narrow), "lifetimes-unread"), said, "{narrow}");
    }
}

/// Ten words are written, four of them twice: whether what is replaced leaves for memory or not, it is a partial sum.
#[test]
fn results_that_are_written_again_are_partial_sums() {
    let run = |again: u64, leaves_between: bool| {
        let report = compute(&[(100, 0, 80.0, 100.0)]);
        let words = |from: u64, n: u64, dot: &str| -> String {
            (0..n).map(|at| format!("{}{dot},{}{dot}\n", from + at, 100 + at)).collect()
        };
        let first = if leaves_between { words(11, 10, ".0") } else { String::new() };
        let last = if leaves_between { again } else { 10 };
        opened(&[
            ("run/COMPUTE_REPORT.csv", &report),
            ("run/layer0/OFMAP_DRAM_TRACE.csv", &(first + &words(41, last, ".0"))),
            ("run/layer0/OFMAP_SRAM_TRACE.csv", &(words(1, 10, "") + &words(21, again, ""))),
        ])
    };
    let said: &[&str] = &["4 of 14 words written to OFMAP are partial sums."];
    let (inside, outside) = (run(4, false), run(4, true));
    assert_tells(&[(&inside, "lifetimes-unread", said), (&outside, "lifetimes-unread", said)]);
    // 14 written and 10 moved; 14 of both, of which the four partial sums leave too.
    for (overview, saved, moved) in [(&inside, 4.0, 24.0), (&outside, 8.0, 28.0)] {
        let [finding] = found(overview, "lifetimes-unread")[..] else { panic!() };
        is_near(finding.saving.value, saved);
        is_near(finding.saving.share, saved / moved);
    }
    let nothing = "at most 0.0 % of the writes at a level are partial sums (OFMAP)";
    assert_eq!(why(&run(0, false), "lifetimes-unread"), nothing);
}

/// The end of a log with statistics only.
fn statistics(accesses: u64, fails: u64) -> String {
    format!(
        "Accel-Sim [build abc]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build 0] ***\n\n\
         kernel_name = saxpy \nkernel_launch_uid = 1 \ngpu_sim_cycle = 500\ngpu_sim_insn = 4000\n\
         gpu_ipc =       8.0000\ngpu_tot_sim_cycle = 500\ngpu_tot_sim_insn = 4000\n\n\
         ========= Core cache stats =========\nL1D_cache:\n\
         \tL1D_cache_core[0]: Access = {accesses}, Miss = 10, Miss_rate = 0.1, Pending_hits = 0, Reservation_fails = {fails}\n\
         Warp Occupancy Distribution:\nStall:0\tW0_Idle:30\tW0_Scoreboard:50\tW1:0\tW32:20\n\
         gpgpu_simulation_time = 0 days, 0 hrs, 0 min, 1 sec (1 sec)\ngpgpu_simulation_rate = 5 (inst/sec)\n\
         gpgpu_simulation_rate = 7 (cycle/sec)\ngpgpu_silicon_slowdown = 16x\n\
         GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n"
    )
}

/// Reasons as the log counts them over two streams: the last of each counts. Only where they add up to the retries are they
/// those of this cache.
#[test]
fn retries_name_the_resource_that_the_log_says_was_full() {
    let of = |reasons: &[(&str, &str, u64)]| {
        let line = |(stream, reason, n): &(&str, &str, u64)| {
            format!("\tTotal_core_cache_fail_stats_breakdown{stream}[GLOBAL_ACC_R][{reason}] = {n}\n")
        };
        let lines: String = reasons.iter().map(line).collect();
        let text = statistics(100, 50).replace("Warp Occupancy", &format!("{lines}Warp Occupancy"));
        let overview = opened(&[("run.log", &text)]);
        let [finding] = found(&overview, "lifetimes-retries")[..] else { panic!() };
        assert_eq!(finding.said(Language::En), "L1 cannot accept accesses 50 times, 0.5 per access.");
        let reason = finding.evidence.numbers.iter().find(|number| number.name == "Most frequent reason");
        (finding.line.to_string(), reason.map(|number| (number.value, number.note.to_string())))
    };
    let (line, reason) = of(&[
        ("[Stream_7]", "MISS_QUEUE_FULL", 4),
        ("[Stream_0]", "MISS_QUEUE_FULL", 20),
        ("[Stream_0]", "MISS_QUEUE_FULL", 36),
        ("[Stream_0]", "MSHR_ENRTY_FAIL", 10),
    ]);
    let said = "80.0 % of these retries find the miss queue full: a longer miss queue, or fewer misses and stores at a \
                time, avoid them.";
    assert_eq!((line.as_str(), reason), (said, Some((40.0, "MISS_QUEUE_FULL".to_owned()))));
    for (reason, change) in [
        ("MSHR_ENRTY_FAIL", "more MSHRs"),
        ("MSHR_MERGE_ENRTY_FAIL", "more merged requests per MSHR"),
        ("LINE_ALLOC_FAIL", "more ways"),
        ("MSHR_RW_PENDING", "loads that do not follow stores"),
    ] {
        let (line, _) = of(&[("", reason, 50)]);
        assert!(line.starts_with("100.0 % of these retries") && line.contains(change), "{line}");
    }
    let unknown = "Requests wait for a free line, MSHR or place in the miss queue; the log does not state which: fewer \
                   misses at a time avoid the stalls.";
    for reasons in [&[][..], &[("", "MISS_QUEUE_FULL", 49)], &[("", "OTHER", 50)]] {
        assert_eq!(of(reasons), (unknown.to_owned(), None));
    }
}

#[test]
fn retries_that_only_statistics_and_counters_tell() {
    let overview = opened(&[("run.log", &statistics(100, 50))]);
    let [finding] = found(&overview, "lifetimes-retries")[..] else { panic!() };
    is_near(finding.value, 50.0);
    let said = "L1 cannot accept accesses 50 times, 0.5 per access.";
    assert_tells(&[(&overview, "lifetimes-retries", &[said])]);
    assert_eq!(finding.saving.kind, SavingKind::None);
    let issue = overview.tiles.iter().find(|tile| tile.label == "Issuing slots").unwrap();
    assert_eq!(issue.value, "20.0 %");
    is_silent(&opened(&[("run.log", &statistics(100, 5))]), "lifetimes-retries");
    assert!(overview.parts.iter().all(|part| part.title != "Memory stalls"));
    let counters = |fails: u64| {
        let text = format!(
            "cycle,hit,hit_res,miss,res_fail,sec_miss,mshr_hit\n100,5,0,1,0,0,0\n200,60,0,40,{fails},0,0\n"
        );
        opened(&[("k_kernel0_l1d_sm0.csv", &text)])
    };
    let overview = counters(30);
    let [finding] = found(&overview, "lifetimes-retries")[..] else { panic!() };
    is_near(finding.value, 30.0);
    // Counters go up: 60 hits and 40 misses in all.
    let said = "k_kernel0_l1d cannot accept accesses 30 times, 0.3 per access.";
    assert_tells(&[(&overview, "lifetimes-retries", &[said])]);
    assert!(!finding.line.to_string().contains("accounts for"), "one unit has all: {}", finding.line);
    assert_eq!(overview.tiles.len(), 5);
    is_silent(&counters(3), "lifetimes-retries");
    is_missing(&overview, "lifetimes-fit", "counters");
}

/// Misses of one level are accesses to the next: 60 of 100 and 10 of 40 are not 70 of 140.
#[test]
fn hits_of_two_levels_are_told_apart() {
    let counted = |hit: u64, miss: u64| {
        format!(
            "cycle,hit,hit_res,miss,res_fail,sec_miss,mshr_hit\n100,0,0,0,0,0,0\n200,{hit},0,{miss},0,0,0\n"
        )
    };
    let (near, far) = (counted(60, 40), counted(10, 30));
    let overview =
        opened(&[("k_kernel0_l1d_sm0.csv", near.as_str()), ("k_kernel0_l2_slice0.csv", far.as_str())]);
    let tiles: Vec<_> = overview.tiles.iter().map(|tile| format!("{}: {}", tile.label, tile.value)).collect();
    assert_eq!(tiles, ["Counted cycles: 200 cycles", "Hits of l1d: 60.0 %", "Hits of l2: 25.0 %"]);
}

/// A log that counts what stopped memory: of 500 cycles of four slices, as far as it says how many there are.
#[test]
fn the_largest_stall_of_memory_is_told() {
    let stalled = "gpu_tot_sim_insn = 4000\ngpu_stall_dramfull = 100\ngpu_stall_icnt2sh    = 300\n";
    let text = statistics(100, 5).replace("gpu_tot_sim_insn = 4000\n", stalled);
    let cells = |text: &str| {
        let overview = opened(&[("run.log", text)]);
        let part = overview.parts.into_iter().find(|part| part.title == "Memory stalls").unwrap();
        let row =
            |row: &lanescope::analysis::finding::PartRow| format!("{}: {}", row.name, row.cells.join(", "));
        part.rows.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(cells(&text), ["Network to the cores full: 300, –", "Memory queue full: 100, –"]);
    let configured = |clocks: &str| {
        let config = format!(
            "-gpgpu_n_mem 2 # memories\n-gpgpu_n_sub_partition_per_mchannel 2 # slices\n{clocks}\nkernel_name"
        );
        cells(&text.replacen("\nkernel_name", &config, 1))
    };
    let shares = |network: &str, memory: &str| {
        [format!("Network to the cores full: 300, {network}"), format!("Memory queue full: 100, {memory}")]
    };
    assert_eq!(configured(""), shares("–", "–"));
    assert_eq!(configured("-gpgpu_clock_domains 1000:1000:1000:850 # clocks\n"), shares("15.0 %", "5.0 %"));
    // By hand: of 500 cycles of the cores 300 of the network and 250 of L2, in each of four slices.
    assert_eq!(configured("-gpgpu_clock_domains 1000:600:500:850 # clocks\n"), shares("25.0 %", "10.0 %"));
    // A second kernel without these lines: they are of the first one.
    let second = statistics(100, 5).replace("kernel_launch_uid = 1", "kernel_launch_uid = 2");
    let second = &second[second.find("kernel_name").unwrap()..];
    let clocks = "-gpgpu_clock_domains 1000:1000:1000:850 # clocks\n-gpgpu_n_mem 4 # memories\n\nkernel_name";
    let text = text.replacen("\nkernel_name", clocks, 1);
    let exit = text.find("GPGPU-Sim: *** sim").unwrap();
    let overview = opened(&[("run.log", &format!("{}{second}", &text[..exit]))]);
    let part = overview.parts.iter().find(|part| part.title == "Memory stalls").unwrap();
    // Each says what it counts, with the key of the log.
    let keys = ["gpu_stall_icnt2sh", "gpu_stall_dramfull"];
    assert!(keys.iter().zip(&part.rows).all(|(key, row)| row.meaning.contains(key)), "{:?}", part.rows);
    assert_eq!(part.note, "first 1 of 2 kernels");
    assert!(part.rows.iter().all(|row| row.cells[1] == "–"), "{:?}", part.rows);
}

/// What a simulator of arrays ran are layers, also where a rule speaks of kernels elsewhere.
#[test]
fn layers_of_an_array_are_no_kernels() {
    let mut n = 0;
    for clock in [0.05, 0.2, 0.4, 1.0, 3.0] {
        let set = [("clock-mhz", lanescope::model::parameter::Value::Number(clock))];
        let overview = whole(crate::scalesim::with(crate::scalesim::tiny(), &set));
        for one in overview.findings.iter().filter(|one| one.rule.starts_with("lifetimes-kernels")) {
            let evidence = &one.evidence;
            let names = evidence.numbers.iter().map(|number| number.name.to_string());
            let said = [&evidence.title, &evidence.shown, &evidence.how, &one.sentence, &one.line];
            let all: Vec<String> = said.iter().map(ToString::to_string).chain(names).collect();
            assert!(all.iter().all(|said| !said.contains("kernel")), "{all:#?}");
            assert_eq!(evidence.title, "One layer decides what fits");
            n += 1;
        }
        if let Some(Outcome::Nothing(said)) = outcome(&overview, "lifetimes-kernels") {
            assert!(!said.to_string().contains("kernel"), "{said}");
        }
    }
    assert!(0 < n, "no layer decides at any clock");
}

/// A table of one kernel: the longest lifetime at L1 in µs, and nothing at L2.
fn table(p90: f64, max: f64) -> String {
    format!(
        "Kernel ID,Mangled Names,L1 Lifetime,L1 Lifetime Median,L1 Lifetime 90%-tile,L1 Lifetime Max,L1 Write Frequency,\
         L1 Size,L1 Unique Addresses,Total Cycles\n25,_Z1kv,1.5,1.4,{p90},{max},88,122880,2996,22571\n"
    )
}

#[test]
fn tables_and_reports_say_what_they_state() {
    let overview = opened(&[("run.sim.csv", &table(6.0, 7.658))]);
    let [finding] = found(&overview, "lifetimes-fit")[..] else { panic!() };
    is_near(finding.value, 1.0);
    is_near(finding.saving.value, 122_880.0 * 8.0 / 0.3 * (0.242 - 0.125) / 1e6);
    assert_eq!(overview.tiles.len(), 5);
    // The mean and the part are of different weights, which stand beside them.
    let tile = overview.tiles.iter().find(|tile| tile.label == "Mean / 90 % of L1").unwrap();
    let said = tile.comparison.to_string();
    assert!(said.starts_with("mean of kernels by sectors, largest 90 % of a kernel"), "{said}");
    let overview = opened(&[("run.sim.csv", &table(6.0, 70.0))]);
    let [finding] = found(&overview, "lifetimes-fit")[..] else { panic!() };
    is_near(finding.value, 0.9);
    assert_eq!(finding.saving.kind, SavingKind::None);
    is_silent(&opened(&[("run.sim.csv", &table(60.0, 70.0))]), "lifetimes-fit");
    is_missing(&overview, "lifetimes-clock", ".sim_l1.csv");
    let report = r#"{"Name":"x","L1 Lifetime Count":100,"L2 Lifetime Count":300,
        "L1 Write Frequency":{"max":9.0,"maxidx":1,"90%-tile":8.0,"weighted":5.0},
        "L2 Write Frequency":{"max":9.0,"maxidx":1,"90%-tile":8.0,"weighted":6.0},
        "L1 Refreshes":{"Silicon":800.0,"Oxide":0.0},"L2 Refreshes":{"Silicon":0.0,"Oxide":0.0},
        "L1 Area":{"sram":2.0,"silicon":1.0},"L2 Area":{"sram":2.0,"silicon":1.0}}"#;
    let overview = opened(&[("report.json", report)]);
    let values: Vec<String> = overview.tiles.iter().map(|tile| tile.value.to_string()).collect();
    assert_eq!(values, ["400", "800", "1 of 2 devices", "50.0 %", "5 MHz"]);
    is_missing(&overview, "lifetimes-fit", ".sim_l1.csv");
}
