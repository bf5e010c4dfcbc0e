//! Rules about data lifetimes, on logs that are made here.

mod pairs;
mod streams;

use crate::gainsight::open_set;
use crate::support::front_door::open_one;
use lanescope::analysis::compare::headline::headline;
use lanescope::analysis::finding::{Change, Finding, Outcome, Overview, SavingKind, compared};
use lanescope::analysis::told::part_beside;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::wire::{Answer, Query};

/// An access: cycle, level, unit, sector, whether it is a store, status.
pub(crate) type Access = (u64, usize, u32, u64, bool, u8);

/// A log of kernels with names, cycles and accesses, of a GPU with four SMs of 64 KiB and an L2 of 1 MiB.
pub(crate) fn log(clock: Option<f64>, kernels: &[(&str, u64, Vec<Access>)]) -> Vec<u8> {
    let mut text =
        "Accel-Sim [build test]\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        -gpgpu_n_clusters 2 # clusters\n-gpgpu_n_cores_per_cluster 2 # cores\n\
        -gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P # cache\n-gpgpu_n_mem 4 # memories\n\
        -gpgpu_n_sub_partition_per_mchannel 2 # slices\n"
            .to_owned();
    if let Some(clock) = clock {
        text += &format!("-gpgpu_clock_domains {clock}:1000.0:1000.0:850.0 # clocks\n");
    }
    for ((name, cycles, accesses), uid) in kernels.iter().zip(1..) {
        text += &format!(
            "Processing kernel kernel-{uid}.traceg\n-kernel name = {name}\n-kernel id = {uid}\n\
             launching kernel name: {name} uid: {uid} cuda_stream_id: 0\nGPGPU-Sim: Reconfigure L1 cache to 64KB\n"
        );
        let mut accesses = accesses.clone();
        accesses.sort_unstable();
        for (cycle, level, unit, sector, is_store, status) in accesses {
            let operation = if is_store { "Store" } else { "Load" };
            let cache = if level == 0 { format!("L1D cache at SM {unit}") } else { "L2 cache at".to_owned() };
            let address = 0x7f00_0000_0000_u64 + sector * 32;
            text += &format!(
                "GPGPU-Sim Cycle {cycle}: {operation} instr from {cache} bank {unit} addr {address:x} status {status}\n"
            );
        }
        text += &format!(
            "kernel_name = {name} \nkernel_launch_uid = {uid} \ngpu_sim_cycle = {cycles}\ngpu_sim_insn = 64\n"
        );
    }
    text += "GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n";
    text.into_bytes()
}

/// Lifetimes at L1 of an SM: so many sectors from a number on that are loaded and used again after so many cycles.
pub(crate) fn lives(unit: u32, from: u64, n: u64, length: u64) -> Vec<Access> {
    let both =
        |at: u64| [(60 + at, 0, unit, from + at, false, 2), (60 + at + length, 0, unit, from + at, false, 0)];
    (0..n).flat_map(both).collect()
}

fn joined(all: &[Vec<Access>]) -> Vec<Access> {
    all.concat()
}

fn opened(clock: Option<f64>, kernels: &[(&str, u64, Vec<Access>)], set: &[(&str, &str)]) -> Overview {
    whole(open_set(&[("run.log", log(clock, kernels))], set))
}

pub(super) fn whole(mut doc: Document) -> Overview {
    while doc.has_work() {
        doc.step();
    }
    let overview = doc.whole_overview();
    assert!(overview.is_whole);
    overview
}

/// The findings of a rule.
pub(super) fn found<'a>(overview: &'a Overview, rule: &str) -> Vec<&'a Finding> {
    let own: Vec<_> = overview.findings.iter().filter(|finding| finding.rule == rule).collect();
    let outcome = outcome(overview, rule);
    assert_eq!(outcome, Some(&Outcome::Found(own.len() as u32)), "{rule}");
    for finding in &own {
        assert!(
            finding.sentence.to_string().contains('⟦') && finding.sentence.to_string().contains('⟧'),
            "{rule}"
        );
        assert!(finding.evidence.figure.is_some() && !finding.evidence.address.is_empty(), "{rule}");
        assert!(!finding.evidence.numbers.is_empty() && !finding.evidence.how.is_empty(), "{rule}");
    }
    own
}

pub(super) fn outcome<'a>(overview: &'a Overview, rule: &str) -> Option<&'a Outcome> {
    overview.rules.iter().find(|state| state.id == rule).map(|state| &state.outcome)
}

pub(super) fn is_silent(overview: &Overview, rule: &str) {
    let outcome = outcome(overview, rule);
    assert!(
        matches!(outcome, Some(Outcome::Nothing(said)) if said.to_string().bytes().any(|b| b.is_ascii_digit())),
        "{rule}: {outcome:?}"
    );
}

pub(super) fn is_missing(overview: &Overview, rule: &str, word: &str) {
    let outcome = outcome(overview, rule);
    assert!(
        matches!(outcome, Some(Outcome::Missing(why)) if why.to_string().contains(word)),
        "{rule}: {outcome:?}"
    );
}

pub(super) fn is_near(value: f64, planted: f64) {
    assert!((value - planted).abs() <= planted.abs() * 0.01, "{value} is not {planted}");
}

/// All rules that need times say that nothing says the clock, and all say that a log without accesses has none.
#[test]
fn what_is_missing_is_said() {
    let timed =
        ["lifetimes-fit", "lifetimes-refreshes", "lifetimes-kernels", "lifetimes-clock", "lifetimes-scope"];
    let others = ["lifetimes-unread", "lifetimes-once", "lifetimes-retries"];
    let without_clock = opened(None, &[("a", 9_000, lives(0, 0, 20, 500))], &[]);
    for rule in timed {
        is_missing(&without_clock, rule, "--clock-mhz");
    }
    assert_eq!(without_clock.tiles.len(), 5);
    let without_accesses = opened(Some(1000.0), &[("a", 9_000, Vec::new())], &[]);
    for rule in timed.iter().chain(&others) {
        is_missing(&without_accesses, rule, "--verbose");
    }
    let table = "kernel_id,address,lifetime_cycles,lifetime_ns\n1,2479779712.00,500.00,500.00\n1,2479779744.00,700.00,700.00\n";
    let table = whole(open_set(&[("run.sim_l1.csv", table.into())], &[("clock-mhz", "1000")]));
    for rule in others {
        is_missing(&table, rule, "open the log");
    }
    found(&table, "lifetimes-fit");
    let other =
        whole(open_one("a.json", br#"[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]"#.to_vec()).0);
    for rule in timed.iter().chain(&others) {
        assert_eq!(outcome(&other, rule), None, "{rule}");
    }
}

#[test]
fn lifetimes_that_fit_a_denser_memory() {
    let planted = joined(&[lives(0, 0, 190, 500), lives(1, 1_000, 10, 20_000)]);
    let overview = opened(Some(1000.0), &[("a", 30_000, planted)], &[]);
    let [finding] = found(&overview, "lifetimes-fit")[..] else { panic!() };
    is_near(finding.value, 0.95);
    // Four SMs of 64 KiB of SRAM; the mix is divided by the time of lifetimes.
    let sram = 4.0 * 65_536.0 * 8.0 / 0.3 * 0.242 / 1e6;
    let [short, long] = [190.0 * 500.0, 10.0 * 20_000.0];
    let mix = (short * 0.125 + long * 0.192) / (short + long) / 0.242;
    assert_eq!(finding.saving.kind, SavingKind::Estimate);
    is_near(finding.saving.value, sram * (1.0 - mix));
    // The whole is that of both levels: of L2 nothing is known but its size.
    let l2 = 1_048_576.0 * 8.0 / 0.3 * 0.242 / 1e6;
    is_near(finding.saving.share, sram * (1.0 - mix) / (sram + l2));
    assert!(
        finding.sentence.to_string().contains("10.000 µs retention time of Hybrid gain cell"),
        "{}",
        finding.sentence
    );
    let overview = opened(Some(1000.0), &[("a", 30_000, lives(1, 0, 10, 20_000))], &[]);
    is_silent(&overview, "lifetimes-fit");
}

#[test]
fn refreshes_that_cost_more_than_the_area() {
    let overview = opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 100, 5_500))], &[]);
    let [finding] = found(&overview, "lifetimes-refreshes")[..] else { panic!() };
    // Each outlives a microsecond five times: 500 refreshes beside 200 loads and 100 fills.
    is_near(finding.value, 500.0);
    let product = finding.evidence.numbers.iter().find(|number| number.name == "Product of the two").unwrap();
    is_near(product.value, (300.0 + 1_000.0) / 300.0 * 0.125_84 / 0.242);
    let overview = opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 100, 500))], &[]);
    is_silent(&overview, "lifetimes-refreshes");
    // With energies these count: 200 loads of 1, 100 fills of 1 and 500 refreshes of 0.1 against 300 of 1.
    let devices = |extra: &str| {
        format!(
            r#"{{"array_efficiency":0.3,"devices":[{{"name":"S","family":"s"{extra},"cell_um2_per_bit":2,"retention_us":null,
            "read_fj_per_bit":1,"write_fj_per_bit":1}},{{"name":"G","family":"g","cell_um2_per_bit":1.9,"retention_us":1,
            "read_fj_per_bit":1,"write_fj_per_bit":1,"refresh_fj_per_bit":0.1}}]}}"#
        )
    };
    let with = devices(r#","reference":true"#);
    let overview = opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 100, 5_500))], &[("devices", &with)]);
    let [finding] = found(&overview, "lifetimes-refreshes")[..] else { panic!() };
    let product = finding.evidence.numbers.iter().find(|number| number.name == "Product of the two").unwrap();
    is_near(product.value, 350.0 / 300.0 * 0.95);
    let overview =
        opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 100, 5_500))], &[("devices", &devices(""))]);
    is_missing(&overview, "lifetimes-refreshes", "reference");
}

#[test]
fn a_kernel_that_decides() {
    let a = joined(&[lives(0, 0, 88, 500), lives(0, 100, 2, 20_000)]);
    let b = lives(1, 0, 10, 20_000);
    let overview = opened(Some(1000.0), &[("first", 30_000, a.clone()), ("second", 30_000, b.clone())], &[]);
    let [finding] = found(&overview, "lifetimes-kernels")[..] else { panic!() };
    is_near(finding.value, 10.0 / 12.0);
    assert_eq!(finding.subject, "L1 second Hybrid gain cell");
    let line = finding.line.to_string();
    assert!(line.contains("97.8 %") && line.contains("88.0 %") && line.contains("It alone"), "{line}");
    // One lifetime of 300 outlives the device that would be chosen: what rules out a denser one is said.
    let a = joined(&[lives(0, 0, 200, 500), lives(0, 300, 1, 20_000)]);
    let b = lives(1, 0, 99, 5_000);
    let overview = opened(Some(1000.0), &[("first", 30_000, a), ("second", 30_000, b.clone())], &[]);
    let [finding] = found(&overview, "lifetimes-kernels")[..] else { panic!() };
    assert_eq!(finding.subject, "L1 second Silicon gain cell");
    let line = finding.line.to_string();
    assert!(line.contains("99.5 % would fit instead of 66.7 %") && line.contains("It alone"), "{line}");
    let [fits] = found(&overview, "lifetimes-fit")[..] else { panic!() };
    assert!(
        fits.line.to_string().starts_with("The other one lasts 20.000 µs: it needs 2 refreshes"),
        "{}",
        fits.line
    );
    let b = lives(1, 0, 10, 20_000);
    let a = joined(&[lives(0, 0, 88, 500), lives(0, 100, 2, 20_000)]);
    // Three with as many each.
    let same = [("a", 30_000, b.clone()), ("b", 30_000, b.clone()), ("c", 30_000, b)];
    is_silent(&opened(Some(1000.0), &same, &[]), "lifetimes-kernels");
    is_silent(&opened(Some(1000.0), &[("a", 30_000, a)], &[]), "lifetimes-kernels");
}

#[test]
fn a_clock_that_decides() {
    let planted = joined(&[lives(0, 0, 90, 1_500), lives(0, 100, 10, 3_000)]);
    let overview = opened(Some(1000.0), &[("a", 9_000, planted.clone())], &[]);
    let [finding] = found(&overview, "lifetimes-clock")[..] else { panic!() };
    is_near(finding.value, 1_500.0);
    assert!(finding.sentence.to_string().starts_with("From"), "{}", finding.sentence);
    let overview = opened(Some(1000.0), &[("a", 9_000, planted)], &[("clock-mhz", "2000")]);
    let [finding] = found(&overview, "lifetimes-clock")[..] else { panic!() };
    is_near(finding.value, 1_500.0);
    assert!(finding.sentence.to_string().starts_with("Below"), "{}", finding.sentence);
    let overview = opened(Some(1000.0), &[("a", 200_000, lives(0, 0, 90, 100_000))], &[]);
    is_silent(&overview, "lifetimes-clock");
}

/// At twice the clock the same lifetimes fit the silicon cell too: the number of cycles is the same, what follows is not.
#[test]
fn a_verdict_that_turns_is_no_finding_as_before() {
    let planted = joined(&[lives(0, 0, 85, 500), lives(0, 100, 15, 1_500)]);
    let slow =
        opened(Some(1000.0), &[("a", 9_000, planted.clone()), ("b", 9_000, lives(0, 0, 10, 300))], &[]);
    let fast = opened(
        Some(1000.0),
        &[("a", 9_000, planted), ("b", 9_000, lives(0, 0, 10, 300))],
        &[("clock-mhz", "2000")],
    );
    let change = |rule: &str| {
        let [old, new] = [&slow, &fast].map(|of| found(of, rule).into_iter().cloned().collect::<Vec<_>>());
        compared(&old, &new).iter().map(|one| one.change).collect::<Vec<_>>()
    };
    for rule in ["lifetimes-clock", "lifetimes-fit"] {
        assert_eq!(change(rule), [Change::Turned], "{rule}");
    }
    let [fits] = found(&fast, "lifetimes-fit")[..] else { panic!() };
    assert_eq!(fits.verdict, "what fits is Hybrid gain cell, Silicon gain cell");
    assert!(fits.line.to_string().contains("100.0 % fit Silicon gain cell too."), "{}", fits.line);
    let same = compared(&fast.findings, &fast.findings);
    assert!(same.iter().all(|one| one.change == Change::Same));
}

/// By hand: of 20 lifetimes 8 last 0.5 µs, 8 last 5 µs, 4 last 50 µs; the heads are limits, so what is below adds up.
#[test]
fn shares_below_a_retention_add_up() {
    let planted = joined(&[lives(0, 0, 8, 500), lives(0, 100, 8, 5_000), lives(0, 200, 4, 50_000)]);
    let overview = opened(Some(1000.0), &[("a", 90_000, planted)], &[]);
    let part = overview.parts.iter().find(|part| part.title == "Lifetimes by level").unwrap();
    assert_eq!(part.columns, ["≤ 1.000 µs", "≤ 10.000 µs", "> 10.000 µs"]);
    assert_eq!(part.rows[0].cells, ["40.0 %", "80.0 %", "20.0 %"]);
    let bar: Vec<f64> = part.rows[0].bar.iter().map(|(share, _)| (share * 10.0).round()).collect();
    assert_eq!(bar, [4.0, 4.0, 2.0]);
}

/// Of 2,500 lifetimes 2,249 end within the retention of silicon: 89.96 %, which is less than 90 % wherever it stands.
#[test]
fn a_share_just_below_what_is_enough_does_not_read_as_enough() {
    let planted = joined(&[lives(0, 0, 2_249, 500), lives(0, 3_000, 251, 5_000)]);
    let overview = opened(Some(1000.0), &[("a", 90_000, planted)], &[]);
    let part = |title: &str| overview.parts.iter().find(|part| part.title == title).unwrap();
    assert_eq!(part("Lifetimes by level").rows[0].cells, ["89.96 %", "100.0 %", "0.0 %"]);
    let devices = part("By memory device");
    let cell = |name: &str| devices.rows.iter().find(|row| row.name == name).map(|row| row.cells[2].as_str());
    assert_eq!(cell("Silicon gain cell"), Some("89.96 %"));
    let said = [overview.tiles.iter().map(|tile| tile.value.to_string()).collect::<Vec<_>>().join(" ")];
    assert!(!said[0].contains("90.0 %"), "{said:?}");
}

/// The file ends within the second kernel, whose longest lifetimes have not ended.
#[test]
fn of_a_kernel_that_is_cut_off_nothing_is_concluded() {
    let kernels = [("a", 9_000, lives(0, 0, 20, 500)), ("b", 9_000, lives(0, 100, 20, 900))];
    let text = String::from_utf8(log(Some(1000.0), &kernels)).unwrap();
    let cut = text.as_bytes()[..text.find("kernel_name = b").unwrap()].to_vec();
    let overview = whole(open_set(&[("run.log", cut)], &[]));
    assert_eq!(overview.tiles[0].value, "20");
    let part = overview.parts.iter().find(|part| part.title == "Hottest kernels").unwrap();
    let rows: Vec<(String, &str, &str)> = part
        .rows
        .iter()
        .map(|row| (row.name.to_string(), row.cells[1].as_str(), row.cells[2].as_str()))
        .collect();
    assert_eq!(rows[0], ("a".to_owned(), "9,000", "100.0"));
    assert!(rows[1].0 == "b, cut off" && rows[1].1.starts_with('≥') && rows[1].2 == "–", "{rows:?}");
    // Of a single kernel nothing is known.
    let cut = text.as_bytes()[..text.find("kernel_name = a").unwrap()].to_vec();
    let overview = whole(open_set(&[("run.log", cut)], &[]));
    is_missing(&overview, "lifetimes-fit", "ends within its only kernel");
}

#[test]
fn findings_of_other_devices_are_others() {
    // At 1 GHz the clock decides whether the silicon cell with its 1 µs fits, or the hybrid one with 10 µs.
    let of = |scale: u64| {
        let planted = joined(&[lives(0, 0, 90, 1_500 * scale), lives(0, 100, 10, 3_000 * scale)]);
        opened(Some(1000.0), &[("a", 90_000, planted)], &[])
    };
    let (silicon, hybrid) = (of(1), of(10));
    let pair = [&silicon, &hybrid].map(|of| found(of, "lifetimes-clock")[0].clone());
    assert_eq!(pair.each_ref().map(|one| one.value), [1_500.0, 1_500.0]);
    assert_eq!(
        pair.each_ref().map(|one| one.subject.as_str()),
        ["L1 Silicon gain cell", "L1 Hybrid gain cell"]
    );
    let changes: Vec<Change> = compared(&pair[..1], &pair[1..]).iter().map(|one| one.change).collect();
    assert_eq!(changes, [Change::Appeared, Change::Vanished]);
}

#[test]
fn a_scope_that_decides() {
    // The SM with the most accesses holds its data longer.
    let planted = joined(&[lives(0, 0, 24, 500), lives(0, 100, 16, 20_000), lives(1, 200, 30, 500)]);
    let overview = opened(Some(1000.0), &[("a", 30_000, planted.clone())], &[]);
    let [finding] = found(&overview, "lifetimes-scope")[..] else { panic!() };
    is_near(finding.value, 24.0 / 40.0);
    assert!(finding.sentence.to_string().contains("77.1 %"), "{}", finding.sentence);
    let same = joined(&[lives(0, 0, 24, 500), lives(1, 200, 20, 500)]);
    is_silent(&opened(Some(1000.0), &[("a", 30_000, same)], &[]), "lifetimes-scope");
    let one = opened(Some(1000.0), &[("a", 30_000, planted)], &[("scope", "sm:0")]);
    is_missing(&one, "lifetimes-scope", "--scope total");
}

#[test]
fn data_that_nobody_reads() {
    let store = |cycle: u64, level: usize, sector: u64| (cycle, level, 0, sector, true, 0);
    let load = |cycle: u64, level: usize, sector: u64| (cycle, level, 0, sector, false, 0);
    // At L1 15 of 20 stores are not read. At L2 8 of 20 are replaced before a load: the others are read, or last.
    let mut planted: Vec<Access> = (0..20).map(|at| store(100 + at, 0, at)).collect();
    planted.extend((0..5).map(|at| load(200 + at, 0, at)));
    planted.extend((0..8).flat_map(|at| [store(300 + at, 1, at), store(400 + at, 1, at)]));
    planted.extend((8..12).map(|at| store(500 + at, 1, at)));
    let overview = opened(Some(1000.0), &[("a", 9_000, planted)], &[]);
    let all = found(&overview, "lifetimes-unread");
    let of = |level: &str| all.iter().find(|finding| finding.subject == level).unwrap();
    is_near(of("L1").value, 15.0);
    is_near(of("L2").value, 8.0);
    assert_eq!(of("L1").saving.kind, SavingKind::Bound);
    is_near(of("L1").saving.value, 15.0 * 32.0);
    is_near(of("L1").saving.share, 15.0 / 45.0);
    let mut clean: Vec<Access> =
        (0..20).flat_map(|at| [store(100 + at, 0, at), load(200 + at, 0, at)]).collect();
    clean.extend((0..20).map(|at| store(100 + at, 1, at)));
    is_silent(&opened(Some(1000.0), &[("a", 9_000, clean)], &[]), "lifetimes-unread");
}

#[test]
fn data_that_are_used_once() {
    let once = |n: u64| -> Vec<Access> { (100..100 + n).map(|at| (60 + at, 0, 0, at, false, 2)).collect() };
    let mut planted = joined(&[lives(0, 0, 30, 500), once(90)]);
    // Stores are another matter.
    planted.extend((200..290).map(|at| (60 + at, 0, 0, at, true, 0)));
    let overview = opened(Some(1000.0), &[("a", 9_000, planted)], &[]);
    let [finding] = found(&overview, "lifetimes-once")[..] else { panic!() };
    is_near(finding.value, 90.0);
    assert!(finding.sentence.to_string().contains("90 of 120"), "{}", finding.sentence);
    is_silent(&opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 120, 500))], &[]), "lifetimes-once");
    // Of fewer nothing is concluded.
    for (n, said) in [(1, "at most 1 lifetime "), (99, "at most 99 lifetimes ")] {
        let overview = opened(Some(1000.0), &[("a", 9_000, once(n))], &[]);
        let Some(Outcome::Nothing(why)) = outcome(&overview, "lifetimes-once") else { panic!("{n}") };
        let why = why.to_string();
        assert!(why.contains(said) && why.ends_with("at least 100 are needed"), "{why}");
    }
}

#[test]
fn accesses_that_come_again() {
    let mut planted = lives(0, 0, 50, 500);
    planted.extend((0..30).map(|at| (2_000 + at, 0, 1, at, false, 3)));
    planted.extend((0..10).map(|at| (3_000 + at, 0, 2, at, false, 3)));
    let overview = opened(Some(1000.0), &[("a", 8_000, planted), ("b", 2_000, lives(0, 0, 10, 100))], &[]);
    let [finding] = found(&overview, "lifetimes-retries")[..] else { panic!() };
    is_near(finding.value, 40.0);
    // At most what the SM with the most of them waits.
    assert_eq!(finding.saving.kind, SavingKind::Bound);
    is_near(finding.saving.value, 30.0);
    is_near(finding.saving.share, 30.0 / 10_000.0);
    is_silent(&opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 20, 500))], &[]), "lifetimes-retries");
}

/// Two levels, of which only one has lifetimes that count: nothing is said of the area of the other.
#[test]
fn an_area_is_that_of_levels_with_lifetimes() {
    let overview = opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 20, 500))], &[]);
    let area = overview.tiles.iter().find(|tile| tile.label == "Area relative to SRAM").unwrap();
    // All lifetimes fit the silicon gain cell or the hybrid one, which is smaller: 0.125 of 0.242 µm².
    let (share, _) = area.amount.clone().unwrap();
    is_near(share, 0.125 / 0.242);
    assert!(area.comparison.to_string().contains(" of L1, of all 4 SMs"), "{}", area.comparison);
}

/// A lifetime of exactly the retention fits and counts a refresh, as GainSight counts: both are said.
#[test]
fn lifetimes_of_exactly_the_retention_are_told() {
    let note = |length: u64| {
        let overview = opened(Some(1000.0), &[("a", 9_000, lives(0, 0, 20, length))], &[]);
        let part = overview.parts.iter().find(|part| part.title == "By memory device").unwrap();
        part.note.to_string()
    };
    let words =
        " 20 lifetimes last exactly a retention: they fit, and count one refresh each, as GainSight counts.";
    assert!(note(1_000).ends_with(words), "{}", note(1_000));
    assert!(!note(999).contains("exactly"), "{}", note(999));
}

/// A kernel that the file cuts off counts neither in the first figures nor in the view.
#[test]
fn a_kernel_that_is_cut_off_counts_nowhere() {
    let kernels = [("a", 9_000, lives(0, 0, 20, 500)), ("b", 9_000, lives(0, 0, 30, 5_000))];
    let mut text = String::from_utf8(log(Some(1000.0), &kernels)).unwrap();
    let at = text.find("kernel_name = b").unwrap();
    text.truncate(at);
    let mut doc = open_set(&[("run.log", text.into_bytes())], &[]);
    while doc.has_work() {
        doc.step();
    }
    let lengths = crate::lifetimes::front::lengths(&mut doc, None, &[]);
    let level = &lengths.levels[0];
    let n: u64 = level.lengths.iter().map(|(_, n)| n).sum();
    assert_eq!((n, level.counts.lifetimes, level.left_out), (20, 20, 30));
    let cut = crate::lifetimes::front::lengths(&mut doc, Some(1), &[]);
    assert_eq!(cut.levels[0].lengths.iter().map(|(_, n)| n).sum::<u64>(), 30);
    let overview = whole(doc);
    assert_eq!(overview.tiles[0].value, "20");
}

/// Where all fits the densest memory on both sides, what another one holds and what is never reused is compared.
#[test]
fn all_memories_and_orphans_are_compared() {
    let log_of = |short: u64, long: u64, orphans: u64| {
        let once = (0..orphans).map(|at| (100 + at, 0, 0, 2_000 + at, false, 2)).collect();
        let all = joined(&[lives(0, 0, short, 500), lives(0, 1_000, long, 5_000), once]);
        open_set(&[("run.log", log(Some(1000.0), &[("a", 9_000, all)]))], &[])
    };
    let quantities = |doc: &mut Document| match doc.query(&Query::Headline).0 {
        Answer::Headline(all) => all,
        other => panic!("{other:?}"),
    };
    let (mut a, mut b) = (log_of(80, 20, 10), log_of(60, 40, 50));
    for doc in [&mut a, &mut b] {
        while doc.has_work() {
            doc.step();
        }
    }
    let said = headline(&quantities(&mut a), &quantities(&mut b)).unwrap().to_string();
    assert!(said.starts_with("Fits without refresh −20"), "{said}");
    assert!(said.contains("Silicon gain cell") && said.contains("Lifetimes without reuse"), "{said}");
    let [old, new] = [whole(a), whole(b)];
    let beside = |title: &str| {
        let part = |of: &Overview| of.parts.iter().find(|part| part.title == *title).cloned().unwrap();
        part_beside(&part(&new), &part(&old), Language::En).unwrap()
    };
    let part = beside("Lifetimes by level");
    assert!(part.columns[0].starts_with("≤ 1.000 µs"), "{:?}", part.columns);
    assert_eq!(part.rows[0].cells[..2], ["80.0 %", "60.0 %"]);
    assert!(part.rows[0].cells[2].contains("20"), "{:?}", part.rows[0].cells);
    // What the measure of a part says stays in front.
    assert!(beside("By memory device").columns[0].starts_with("Refreshes"));
}
