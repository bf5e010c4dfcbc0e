//! Conclusions from times and pipes of some blocks only: what holds for all is a bound, and what does not is not said. The
//! expected numbers were computed by hand from what is planted.

use super::ascend::{Made, found, is_near, of, outcome, overview};
use super::assert_tells;
use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Finding, Outcome, Overview, SavingKind};
use lanescope::model::figure::{Body, Cell, Family};
use serde_json::{Value, json};

/// A vector operator on a chip of 48 vector units: of some of its blocks how long they took, in microseconds, and of some
/// in how many percent of that each pipe was active.
struct Known<'a> {
    duration: f64,
    n_blocks: u32,
    times: &'a [(u32, f64)],
    pipes: &'a [(u32, &'a [(&'a str, f64)])],
}

impl Known<'_> {
    fn file(&self) -> Container {
        let row =
            |(block, time): &(u32, f64)| json!({"value": [block.to_string(), "vector", time.to_string()]});
        let info = json!({"name": "Op", "soc": "Ascend910B2", "op_type": "vector", "duration": self.duration,
            "advice": [], "block_dim": self.n_blocks.to_string(), "mix_block_dim": "", "rated_freq": "1800",
            "cur_freq": "1800", "block_detail": {"head_name": ["Block ID", "Core Type", "Duration (μs)"],
            "row": self.times.iter().map(row).collect::<Vec<_>>(), "size": [self.times.len() + 1, 3]}});
        let block = |(block, pipes): &(u32, &[(&str, f64)])| {
            let time = self.times.iter().find(|(own, _)| own == block).map_or(100.0, |(_, time)| *time);
            let row = |(pipe, share): &(&str, f64)| {
                let cycles = time * 1_800.0 * share / 100.0;
                json!({"name": pipe, "value": ["1", cycles.to_string(), "0", share.to_string()]})
            };
            json!({"block_id": block.to_string(), "table_op_type": "vector", "advice": [], "table_detail": [
                {"table_name": "Pipe", "size": [pipes.len(), 4],
                "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)"],
                "row": pipes.iter().map(row).collect::<Vec<_>>()}]})
        };
        let tables = json!({"table_per_block": self.pipes.iter().map(block).collect::<Vec<_>>()});
        let file = Container::default().json(5, &info);
        if self.pipes.is_empty() { file } else { file.json(9, &tables) }
    }

    fn overview(&self) -> Overview {
        overview(self.file().0)
    }
}

fn missing(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Missing(why)) => why.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

fn nothing(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Nothing(why)) => why.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

fn one<'a>(overview: &'a Overview, rule: &str) -> &'a Finding {
    found(overview, rule).first().copied().unwrap_or_else(|| panic!("{rule}: {:?}", outcome(overview, rule)))
}

fn comparison(overview: &Overview, label: &str) -> String {
    overview.tiles.iter().find(|tile| tile.label == label).unwrap().comparison.to_string()
}

/// Names of facts of the base info, and sentences of all figures.
fn told(file: Container) -> (Vec<String>, Vec<String>) {
    let doc = open_one("visualize_data.bin", file.0).0;
    let figures = || doc.trace().figures.iter().flat_map(|family: &Family| &family.variants);
    let facts = figures().filter_map(|figure| match &figure.body {
        Body::Facts(facts) => Some(&facts.facts),
        _ => None,
    });
    let facts = facts.flatten().filter(|fact| matches!(fact.value, Cell::Number(_)));
    let advice = figures().flat_map(|figure| &figure.advice).map(|own| own.text.to_string());
    (facts.map(|fact| fact.name.clone()).collect(), advice.collect())
}

const SCALAR: &[(&str, f64)] = &[("Scalar", 90.0), ("MTE3", 10.0)];
const ALL: &[(u32, &[(&str, f64)])] = &[(0, SCALAR), (1, SCALAR), (2, SCALAR), (3, SCALAR)];
const TIMES: &[(u32, f64)] = &[(0, 100.0), (1, 100.0), (2, 380.0), (3, 380.0)];

#[test]
fn times_of_some_blocks_say_nothing_of_the_longest() {
    let some = Known { duration: 400.0, n_blocks: 4, times: &TIMES[..2], pipes: ALL };
    let all = some.overview();
    let said = missing(&all, "ascend-head-overhead");
    assert_eq!(said, "at most 300.000 µs of 400.000 µs is outside the longest block; times of 2 of 4 blocks");
    assert_eq!(
        missing(&all, "ascend-imbalance"),
        "the slowest takes 1.00 times the mean of its kind; times of 2 of 4 blocks"
    );
    // 44 of 48 units have no block, and the longest took no longer than the operator.
    let unused = &one(&all, "ascend-cores-unused").saving;
    assert!(unused.kind == SavingKind::Bound && is_near(unused.value, 400e3 * 44.0 / 48.0), "{unused:?}");
    // One of 100 µs needs MTE3 for ten of them.
    let scalar = &one(&all, "ascend-scalar-bound").saving;
    assert!(scalar.kind == SavingKind::Bound && is_near(scalar.value, 390e3), "{scalar:?}");
    assert_eq!(comparison(&all, "Duration"), "longest block 100.000 µs; times of 2 of 4 blocks");
    let part = all.parts.iter().find(|part| part.title == "Slowest units").unwrap();
    assert_eq!(part.note, "time per unit; times of 2 of 4 blocks");
    let (facts, advice) = told(some.file());
    assert!(!facts.iter().any(|name| name.contains("onge")), "{facts:?}");
    assert!(!advice.iter().any(|text| text.contains("outside")), "{advice:?}");

    let some = Known { times: TIMES, ..some };
    let all = some.overview();
    let head = one(&all, "ascend-head-overhead");
    assert!(is_near(head.value, 20e3), "{head:?}");
    let unused = &one(&all, "ascend-cores-unused").saving;
    assert!(unused.kind != SavingKind::Bound && is_near(unused.value, 380e3 * 44.0 / 48.0), "{unused:?}");
    assert!(is_near(one(&all, "ascend-scalar-bound").saving.value, 342e3));
    assert!(is_near(one(&all, "ascend-imbalance").value, 380.0 / 240.0));
    let (facts, advice) = told(some.file());
    assert!(facts.iter().any(|name| name == "Outside the longest block"), "{facts:?}");
    assert!(advice.iter().any(|text| text.contains("outside")), "{advice:?}");
    // Little is little, whatever the others take.
    let some = Known { times: &[(0, 399.0), (2, 100.0)], ..some };
    assert_eq!(
        nothing(&some.overview(), "ascend-head-overhead"),
        "at most 1.000 µs of 400.000 µs is outside the longest block; times of 2 of 4 blocks"
    );
}

#[test]
fn the_only_block_with_a_time_is_not_the_only_block() {
    let all = Known { duration: 400.0, n_blocks: 2, times: &[(0, 300.0)], pipes: &ALL[..2] }.overview();
    let said = missing(&all, "ascend-head-overhead");
    assert!(said.ends_with("times of 1 of 2 blocks"), "{said}");
    let all = Known { duration: 400.0, n_blocks: 1, times: &[(0, 300.0)], pipes: &ALL[..1] }.overview();
    let said = one(&all, "ascend-head-overhead").sentence.to_string();
    assert!(said.ends_with("outside the only block."), "{said}");
}

#[test]
fn a_block_without_pipes_may_need_none_of_them() {
    // Blocks 2 and 3, the longest, have no pipes.
    let some = Known { duration: 400.0, n_blocks: 4, times: TIMES, pipes: &ALL[..2] };
    let all = some.overview();
    let saving = &one(&all, "ascend-scalar-bound").saving;
    assert!(saving.kind == SavingKind::Bound && is_near(saving.value, 370e3), "{saving:?}");
    assert!(
        saving.model.to_string().contains("MTE3 of the vector cores still takes 10.000 µs"),
        "{saving:?}"
    );
    // Without times nothing is needed for sure of every core.
    let all = Known { times: &[], ..some }.overview();
    let saving = &one(&all, "ascend-scalar-bound").saving;
    assert!(is_near(saving.value, 400e3), "{saving:?}");
}

#[test]
fn another_pipe_needs_the_most_of_any_block() {
    // 10, 16 and 10 µs: most where neither the share nor the time is.
    let pipes: &[(u32, &[(&str, f64)])] = &[
        (0, &[("Scalar", 90.0), ("MTE3", 10.0)]),
        (1, &[("Scalar", 90.0), ("MTE3", 20.0)]),
        (2, &[("Scalar", 90.0), ("MTE3", 25.0)]),
    ];
    let times = &[(0, 100.0), (1, 80.0), (2, 40.0)];
    let all = Known { duration: 101.0, n_blocks: 3, times, pipes }.overview();
    let scalar = one(&all, "ascend-scalar-bound");
    assert!(is_near(scalar.saving.value, 84e3), "{:?}", scalar.saving);
    let need = scalar.evidence.numbers.iter().find(|number| number.name == "What another pipe needs");
    assert!(is_near(need.unwrap().value, 16e3), "{need:?}");
}

#[test]
fn bandwidths_of_other_runs_or_blocks_are_no_quotient() {
    let pipes = || vec![("MTE2", 90_000.0, 0.0), ("Scalar", 9_000.0, 0.0)];
    let planted = Made { pipes: pipes(), peak: Some(20.0), ..Made::default() };
    let low = one(&of(&planted), "ascend-low-bandwidth").clone();
    assert!(low.line.to_string().ends_with("The shares are of 1 of 48 blocks."), "{}", low.line);
    assert!(!low.evidence.how.to_string().contains("same quotient"));
    let of_another = of(&Made { duration: 13.7, ..planted.clone() });
    assert!(missing(&of_another, "ascend-low-bandwidth").contains("different runs"));
    // 300 % of the peak over all the time are not what this pipe moves.
    let of_another = of(&Made { peak: Some(300.0), ..planted.clone() });
    assert!(missing(&of_another, "ascend-low-bandwidth").contains("different blocks or runs"));
    let high = of(&Made { peak: Some(45.0), ..planted });
    let said = nothing(&high, "ascend-low-bandwidth");
    assert!(said.contains("reaches 90.0 % of its peak") && said.ends_with("; 1 of 48 blocks"), "{said}");
    // Peaks of block 0, pipes of block 1.
    let core = json!({"core_no": "0", "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [
        {"memory_path": 12, "request": "1000", "bandwidth": "10.0", "peak_ratio": "1.0", "display": 1}]});
    let mte2: &[(&str, f64)] = &[("Scalar", 90.0), ("MTE2", 50.0)];
    let graph = json!({"core_memory_map": [core]});
    let some = |at: u32| {
        let pipes = &[(at, mte2)];
        let some = Known { duration: 101.0, n_blocks: 2, times: &[(0, 100.0), (1, 100.0)], pipes };
        overview(some.file().json(8, &graph).0)
    };
    assert!(missing(&some(1), "ascend-low-bandwidth").contains("different blocks or runs"));
    assert!(is_near(one(&some(0), "ascend-low-bandwidth").value, 2.0));
}

/// Workloads of blocks 0 and 1 of four: of each so many vector instructions and blocked ones.
fn conflicts(kind: &str, units: &[&str], [all, blocked]: [u32; 2]) -> Overview {
    let info = json!({"name": "Op", "soc": "Ascend910B4", "op_type": kind, "duration": 100.0, "advice": [],
        "block_dim": "4", "mix_block_dim": "8"});
    let row = |block: u32, unit: &str, name: &str, n: u32| json!({"block_id": block.to_string(), "block_type": unit, "name": name, "unit": 1, "value": n.to_string()});
    let of = |block: u32| {
        units.iter().flat_map(move |unit| {
            [
                row(block, unit, "Vector All Active", all),
                row(block, unit, "Vector All Block", blocked),
                row(block, unit, "Vector Bank Conflict Block", blocked),
            ]
        })
    };
    let rows: Vec<Value> = (0..2).flat_map(of).collect();
    overview(Container::default().json(5, &info).json(7, &json!({"advice": [], "subblock_detail": rows})).0)
}

#[test]
fn conflicts_and_misses_of_some_blocks_say_of_how_many() {
    let rule = "ascend-conflicts";
    let some = conflicts("vector", &["vector"], [1_000, 250]);
    assert_tells(&[(
        &some,
        rule,
        &["2,000 vector instructions were blocked 500 times by conflicts, mostly for banks."],
    )]);
    let own = one(&some, rule);
    assert!(own.line.to_string().ends_with("The counts are of 2 of 4 blocks."), "{}", own.line);
    assert!(own.evidence.numbers.iter().all(|number| number.of == "2 of 4 blocks"), "{own:?}");
    assert!(!own.evidence.how.to_string().contains("all blocks"), "{}", own.evidence.how);
    let few = conflicts("vector", &["vector"], [1_000, 10]);
    assert!(nothing(&few, rule).ends_with("; 2 of 4 blocks"));
    let of_units = conflicts("mix", &["vector0"], [1_000, 250]);
    let line = one(&of_units, rule).line.to_string();
    assert!(line.ends_with("The counts are of 2 of 8 vector units."), "{line}");
}

#[test]
fn a_memory_chart_of_some_blocks_says_so() {
    let row = |name: &str, hits: u32, misses: u32| json!({"name": name, "value": [hits, misses, hits + misses, 25.0]});
    let cache = json!({"table_name": "Cache", "size": [2, 5], "header_name": ["", "Hit", "Miss", "Total", "Hit Rate(%)"],
        "row": [row("L2 Cache Total", 500, 1_500), row("iCache Total", 990, 10)]});
    let table =
        |n: u32| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": [cache]});
    let core = |n: u32| {
        json!({"core_no": n.to_string(), "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [],
            "L2cache": {"hit": "500", "miss": "1500", "total_request": "2000", "hit_ratio": "25.0"}})
    };
    let of = |n_tables: u32, n_charts: u32| {
        let tables = json!({"table_per_block": (0..n_tables).map(table).collect::<Vec<_>>()});
        let graph = json!({"core_memory_map": (0..n_charts).map(core).collect::<Vec<_>>()});
        let some = Known { duration: 400.0, n_blocks: 4, times: TIMES, pipes: &[] };
        overview(some.file().json(8, &graph).json(9, &tables).0)
    };
    let some = of(4, 2);
    assert_eq!(
        comparison(&some, "L2 hit rate"),
        "8,000 requests; memory chart 25.0 % of 4,000 (2 of 4 blocks)"
    );
    let numbers = &one(&some, "ascend-l2-hit-rate").evidence.numbers;
    assert!(numbers.iter().any(|number| number.note == "4,000 requests; 2 of 4 blocks"));
    assert!(!nothing(&some, "ascend-icache-misses").contains("blocks"));
    // What qualifies the first figure stands behind it.
    let some = of(2, 4);
    assert_eq!(
        comparison(&some, "L2 hit rate"),
        "4,000 requests (2 of 4 blocks); memory chart 25.0 % of 8,000"
    );
    let some = of(2, 2);
    assert!(nothing(&some, "ascend-icache-misses").ends_with("; 2 of 4 blocks"));
    assert_eq!(comparison(&some, "L2 hit rate"), "4,000 requests; 2 of 4 blocks");
}

/// Lines without instructions, with their cycles and addresses.
fn lines(lines: &[(u32, &str, u32)]) -> Overview {
    let line = |(line, address, cycles): &(u32, &str, u32)| json!({"Line": line, "Address Range": [[address, address]], "Cycles": [cycles]});
    let files = json!({"Cores": ["core0.veccore0"], "Files Dtype": {"Lines": {"Cycles": 1}},
        "Files": [{"Source": "/k.cpp", "Lines": lines.iter().map(line).collect::<Vec<_>>()}]});
    let text = "one\ntwo\nthree\nfour\n";
    overview(Container::default().source("/k.cpp", text).json(3, &files).0)
}

#[test]
fn costs_of_lines_are_shares_of_all_lines_and_those_of_one_place_count_once() {
    // 600 + 400; lines 3 and 4 are the same instructions.
    let all = lines(&[(2, "0x10", 600), (3, "0x18", 400), (4, "0x18", 400)]);
    let hottest = one(&all, "ascend-hottest-line");
    assert_tells(&[(
        &all,
        "ascend-hottest-line",
        &["Line k.cpp:2 accounts for 60.0 % of the cost of all lines."],
    )]);
    let total = hottest.evidence.numbers.last().unwrap();
    assert_eq!((total.name.to_string(), total.value), ("All lines".to_owned(), 1_000.0));
    assert!(!hottest.evidence.how.to_string().contains("all instructions"), "{}", hottest.evidence.how);
    let apart = lines(&[(2, "0x10", 600), (3, "0x18", 400), (4, "0x20", 400)]);
    assert!(is_near(one(&apart, "ascend-hottest-line").value, 600.0 / 1_400.0));
}

#[test]
fn a_hit_rate_below_that_of_others_is_told_with_its_number() {
    let unit = |number: u32, rate: f64| {
        json!({"subcore_id": number.to_string(), "subcore_type": "vector",
        "cycles": "1000", "throughput": "100", "L2cache_hit_rate": rate.to_string()})
    };
    let of = |rate: f64| {
        let cores = json!([{"core_id": 0, "core_detail": [unit(0, 90.5), unit(1, rate)]},
            {"core_id": 1, "core_detail": [unit(0, 94.25), unit(1, 96.0)]}]);
        let cores = json!({"soc": "Ascend910B4", "op_type": "mix", "op_detail": cores,
            "advice": "\t1) core0 vector1 cache hit rate lower than other core.\n"});
        // The writer's sentence alone needs an operator to be of.
        let some = Known { duration: 400.0, n_blocks: 4, times: TIMES, pipes: &[] };
        overview(some.file().json(0xc, &cores).0)
    };
    let said =
        "The cache hit rate of core 0 vector1 is 84.29 %, that of the other vector units 90.50 to 96.00 %.";
    assert_tells(&[(&of(84.29), "ascend-writer", &[said])]);
    // It is not lower than any: the words of the writer stand alone.
    let alone = of(99.0);
    let own = one(&alone, "ascend-writer");
    assert_eq!(own.sentence.to_string(), "core0 vector1 cache hit rate lower than other cores.");
}
