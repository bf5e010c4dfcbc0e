//! Misses of the instruction cache, by counters of a container, by shares of a CSV file, and by slices of a timeline.

use super::ascend::{Made, found, is_near, of, outcome, overview};
use super::{missing, silent};
use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Outcome, Overview};
use lanescope::base::words::Language;
use serde_json::json;

const RULE: &str = "ascend-icache-misses";

/// A container whose two blocks have these hits and misses each.
fn counters(hits: u64, misses: u64) -> Overview {
    let row = json!({"name": "iCache Total", "value": [hits.to_string(), misses.to_string(), (hits + misses).to_string(), "0.0"]});
    let table = json!([{"table_name": "Cache", "size": [2, 4], "header_name": ["", "hit", "miss", "total", "hit rate(%)"], "row": [row]}]);
    let block =
        |n: &str| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": table});
    let more = Container::default().json(9, &json!({"table_per_block": [block("0"), block("1")]}));
    let mut file = Made { pipes: Vec::new(), ..Made::default() }.file();
    file.extend(more.0);
    overview(file)
}

/// The file of a mix operator: rates and cycles of a cube and two vector units.
fn sheet(rates: [&str; 3], cycles: [u32; 3]) -> Overview {
    let ([cube, first, second], [of_cube, of_first, of_second]) = (rates, cycles);
    let text = format!(
        "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_ratio,aiv_icache_miss_rate,\n0,cube0,10,{of_cube},0.5,{cube},NA,NA,NA,NA,\n0,vector0,NA,NA,NA,NA,10,{of_first},0.5,{first},\n0,vector1,NA,NA,NA,NA,10,{of_second},0.5,{second},\n"
    );
    let files = vec![("o/PipeUtilization.csv".to_owned(), text.into_bytes())];
    open(files, 1 << 16).0.whole_overview()
}

/// A timeline of two cores of 100 µs, of which the first misses for so long; without a lane of misses for `None`.
fn timeline(missed: Option<f64>) -> Overview {
    let mut events = Vec::new();
    for core in 0..2 {
        let pid = format!("core{core}.veccore0");
        events.push(json!({"ph": "X", "name": "ADD", "pid": pid, "tid": "SCALAR", "ts": 0.0, "dur": 100.0}));
    }
    if let Some(missed) = missed {
        for (at, dur) in [(10.0, (missed / 2.0).floor()), (60.0, missed - (missed / 2.0).floor())] {
            events.push(json!({"ph": "X", "name": "thread_state_runnable", "cname": "thread_state_runnable",
                "pid": "core0.veccore0", "tid": "CACHEMISS", "ts": at, "dur": dur}));
        }
    }
    let trace = json!({"profilingType": "op", "schemaVersion": 2, "traceEvents": events});
    overview(Container::default().json(2, &trace).0)
}

fn is_found(overview: &Overview, value: f64) {
    let all = found(overview, RULE);
    let [one] = &all[..] else { panic!("{:?}", outcome(overview, RULE)) };
    assert!(is_near(one.value, value), "{} instead of {value}", one.value);
    for language in [Language::En, Language::Zh] {
        let line = one.line.text(language);
        assert!(line.contains("ICachePreLoad") && !one.evidence.numbers.is_empty(), "{line}");
    }
}

#[test]
fn misses_that_a_container_counts_are_found() {
    // 800 of 8,000 requests.
    is_found(&counters(3_600, 400), 10.0);
    silent(&counters(3_900, 100), RULE);
    // 100 are enough, fewer are not, whatever the share.
    is_found(&counters(450, 50), 10.0);
    let few = counters(180, 20);
    silent(&few, RULE);
    let said = "only 40 of 400 instruction fetches miss the cache, too few to matter; 2 of 48 blocks";
    assert!(matches!(outcome(&few, RULE), Some(Outcome::Nothing(why)) if *why.to_string() == *said));
    missing(&of(&Made::default()), RULE);
}

#[test]
fn shares_of_a_file_without_counts_are_no_finding() {
    let told = |overview: &Overview| match outcome(overview, RULE) {
        Some(Outcome::Missing(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    // Of the kind that misses most: 24 % of 1,000 and none of 3,000 cycles.
    let said = told(&sheet(["0.05", "0.24", "0.0"], [9_000, 1_000, 3_000]));
    assert!(said.starts_with("6.0 % of the requests") && said.contains("do not say how many"), "{said}");
    assert!(told(&sheet(["0.12", "0.01", "0.0"], [9_000, 1_000, 3_000])).starts_with("12.0 %"));
    silent(&sheet(["0.04", "0.01", "0.02"], [9_000, 1_000, 3_000]), RULE);
    missing(&sheet(["NA", "NA", "NA"], [9_000, 1_000, 3_000]), RULE);
}

#[test]
fn misses_of_a_timeline_are_shares_of_the_time_of_all_cores() {
    let planted = timeline(Some(30.0));
    is_found(&planted, 15.0);
    // 30.001 µs on two cores are half a nanosecond more than 15 µs each.
    let odd = timeline(Some(30.001));
    let numbers = &found(&odd, RULE)[0].evidence.numbers;
    let mean = numbers.iter().find(|number| number.name == "Mean miss time per core").unwrap();
    assert_eq!(mean.value.fract(), 0.5, "{}", mean.value);
    assert!(found(&planted, RULE)[0].evidence.address.contains("timeline"));
    silent(&timeline(Some(8.0)), RULE);
    missing(&timeline(None), RULE);
}
