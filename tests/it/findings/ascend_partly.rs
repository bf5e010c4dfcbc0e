//! Operators of which a file has times of some vector units, block times of another run, or lines that share instructions:
//! what does not hold of all is left out or told as a bound, beside a baseline too.

use super::ascend::{found, is_near, overview};
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Finding, Overview, Part, SavingKind};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Family, Figure};
use lanescope::model::id::ListingId;
use lanescope::views::code::messages::{CodeQuery, Reply};
use serde_json::{Value, json};

/// An operator with both kinds of cores on 4 blocks: 260 µs, its cubes 160 to 166, of its 8 vector units the first 240 µs
/// and the others 100.
fn info(n_vectors: usize) -> Value {
    let cubes = (0..4).map(|block| (block, "cube0", 160.0 + 2.0 * f64::from(block)));
    let units = (0..4).flat_map(|block| [(block, "vector0"), (block, "vector1")]);
    let vectors = units.map(|(block, unit)| (block, unit, if block == 0 { 240.0 } else { 100.0 }));
    let row =
        |(block, unit, time): (u32, &str, f64)| json!({"value": [block.to_string(), unit, time.to_string()]});
    let rows: Vec<Value> = cubes.chain(vectors.take(n_vectors)).map(row).collect();
    json!({"name": "Op", "soc": "Ascend910B4", "op_type": "mix", "duration": 260.0, "advice": [],
        "block_dim": "4", "mix_block_dim": "8", "block_detail":
        {"head_name": ["Block ID", "Core Type", "Duration (μs)"], "size": [rows.len() + 1, 3], "row": rows}})
}

/// Every sentence and note, and the names of facts.
fn told(doc: &Document) -> Vec<String> {
    let figures: Vec<&Figure> =
        doc.trace().figures.iter().flat_map(|family: &Family| &family.variants).collect();
    let names = figures.iter().filter_map(|figure| match &figure.body {
        Body::Facts(facts) => Some(facts.facts.iter().map(|fact| fact.name.clone())),
        _ => None,
    });
    let advice = figures.iter().flat_map(|figure| &figure.advice).map(|own| own.text.to_string());
    let notes = figures.iter().flat_map(|figure| &figure.notes).map(ToString::to_string);
    names.flatten().chain(advice).chain(notes).collect()
}

const PARTLY: &str = "The file has times of 5 of 8 vector units.";

#[test]
fn times_of_some_vector_units_bound_nothing() {
    let of = |n: usize| told(&open_one("visualize_data.bin", Container::default().json(5, &info(n)).0).0);
    let has = |all: &[String], part: &str| all.iter().any(|text| text.contains(part));
    let all = of(8);
    for part in ["Longest core", "Outside the longest block", "With an even split", "% can be saved"] {
        assert!(has(&all, part), "{part}: {all:?}");
    }
    let some = of(5);
    for part in ["Longest core", "utside the longest", "even split", "saved"] {
        assert!(!has(&some, part), "{part}: {some:?}");
    }
    // How far the known ones are apart is known.
    assert!(has(&some, "took 240.000 µs on average") && has(&some, PARTLY), "{some:?}");
    assert!(!has(&all, "The file has"), "{all:?}");
}

/// The CSV files of the same operator with so many vector units, in a folder of a project.
fn csv(name: &str, n_vectors: usize) -> [(String, Vec<u8>); 2] {
    let json = info(n_vectors);
    let rows = json["block_detail"]["row"].as_array().unwrap().iter().map(|row| {
        let [block, unit, time] = [0, 1, 2].map(|at| row["value"][at].as_str().unwrap());
        let (cube, vector) = if unit.starts_with("cube") { (time, "NA") } else { ("NA", time) };
        format!("{block},{unit},{cube},{vector},\n")
    });
    let pipes = format!("block_id,sub_block_id,aic_time(us),aiv_time(us),\n{}", rows.collect::<String>());
    let info = format!("Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,\n{name},mix,260.0,4,8,\n");
    [("OpBasicInfo", info), ("PipeUtilization", pipes)]
        .map(|(file, text)| (format!("OPPROF_1/device0/{name}/0/{file}.csv"), text.into_bytes()))
}

#[test]
fn a_list_of_operators_has_no_longest_core_of_some_units() {
    let (doc, _) = open([csv("All", 8), csv("Some", 5)].concat(), 1 << 16);
    let of = |name: &str| {
        let heads = doc.operator_heads(0, usize::MAX);
        let head = heads.into_iter().find(|head| head.name == name).unwrap();
        ["Longest core", "Outside the longest block"].map(|name| head.measure(name))
    };
    assert_eq!(of("All"), [Some(240.0), Some(20.0)]);
    assert_eq!(of("Some"), [None, None]);
    let (doc, _) = open(csv("Some", 5).to_vec(), 1 << 16);
    assert!(told(&doc).iter().any(|text| text == PARTLY), "{:?}", told(&doc));
}

fn one<'a>(overview: &'a Overview, rule: &str) -> &'a Finding {
    found(overview, rule).first().copied().unwrap_or_else(|| panic!("{rule}: {:?}", overview.rules))
}

fn part<'a>(overview: &'a Overview, title: &str) -> &'a Part {
    overview.parts.iter().find(|part| part.title == title).unwrap_or_else(|| panic!("{:?}", overview.parts))
}

/// A vector operator of two blocks on 48 vector units: times of its blocks, then what a memory chart has of path 12.
fn moving(duration: f64, times: &[(u32, f64)], graph: &Value) -> Container {
    let row = |(block, time): &(u32, f64)| json!({"value": [block.to_string(), "vector", time.to_string()]});
    let info = json!({"name": "Op", "soc": "Ascend910B2", "op_type": "vector", "duration": duration, "advice": [],
        "block_dim": "2", "mix_block_dim": "", "block_detail": {"head_name": ["Block ID", "Core Type", "Duration (μs)"],
        "row": times.iter().map(row).collect::<Vec<_>>(), "size": [times.len() + 1, 3]}});
    let pipe = |name: &str, share: u32| json!({"name": name, "value": ["1", (share * 1_000).to_string(), "0", share.to_string()]});
    let block = |block: u32| {
        json!({"block_id": block.to_string(), "table_op_type": "vector", "advice": [], "table_detail": [
            {"table_name": "Pipe", "size": [2, 4], "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)"],
            "row": [pipe("MTE2", 90), pipe("Scalar", 80)]}]})
    };
    let tables = json!({"table_per_block": [block(0), block(1)]});
    Container::default().json(5, &info).json(8, graph).json(9, &tables)
}

/// Block, requests, bandwidth and share of peak of path 12 of each core.
fn paths(cores: &[(u32, u32, f64, f64)]) -> Value {
    let core = |(block, requests, rate, peak): &(u32, u32, f64, f64)| {
        json!({"core_no": block.to_string(), "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [
            {"memory_path": 12, "request": requests.to_string(), "bandwidth": rate.to_string(),
            "peak_ratio": peak.to_string(), "display": 1}]})
    };
    json!({"core_memory_map": cores.iter().map(core).collect::<Vec<_>>()})
}

#[test]
fn what_other_work_leaves_of_a_saving_is_a_bound() {
    let graph = paths(&[(0, 1_000, 10.0, 1.0), (1, 1_000, 10.0, 1.0)]);
    // Scalar needs 80 % of 300 µs; without a time of the other block up to 400 µs pass, else 300.
    for (times, saved) in [(&[(0, 300.0)][..], 160e3), (&[(0, 300.0), (1, 300.0)], 60e3)] {
        let all = overview(moving(400.0, times, &graph).0);
        let saving = &one(&all, "ascend-low-bandwidth").saving;
        assert!(saving.kind == SavingKind::Bound && is_near(saving.value, saved), "{saving:?}");
        for language in [Language::En, Language::Zh] {
            assert!(saving.text(language).starts_with('≤'), "{}", saving.text(language));
        }
    }
}

#[test]
fn bandwidths_over_block_times_of_another_run_are_left_out() {
    let graph = paths(&[(0, 1_000, 10.0, 1.0), (1, 3_000, 1.0, 1.0)]);
    let of = |duration: f64| moving(duration, &[(0, 300.0), (1, 300.0)], &graph);
    let misfit = overview(of(10.0).0);
    let own = part(&misfit, "By memory path");
    assert_eq!(
        (own.rows[0].cells.as_slice(), own.columns.as_slice()),
        (&["4,000".to_owned()][..], &["Requests".to_owned()][..])
    );
    assert!(own.note.to_string().ends_with("so mean bandwidths are left out"), "{}", own.note);
    let fits = overview(of(301.0).0);
    let own = part(&fits, "By memory path");
    assert_eq!((own.note.to_string().as_str(), own.columns.len()), ("mean bandwidth of a block", 2));
    // Details says it of its means.
    let said = |duration: f64| {
        let all = told(&open_one("visualize_data.bin", of(duration).0).0);
        all.iter().any(|text| text.starts_with("Blocks took longer than the operator"))
    };
    assert_eq!([said(10.0), said(301.0)], [true, false]);
}

#[test]
fn waits_that_are_too_coarse_are_said_to_be_left_out() {
    let of = |duration: f64| {
        let core = |block: u32| {
            json!({"core_no": block.to_string(), "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [],
                "Vector": {"cycle": 5_000, "ratio": 5.0, "total_cycles": 100_000}})
        };
        let graph = json!({"core_memory_map": [core(0), core(1)]});
        let wait = |block: u32| json!({"block_id": block.to_string(), "block_type": "vector", "name": "Vector Wait", "unit": 0, "value": "0"});
        let file = moving(duration, &[(0, duration), (1, duration)], &graph);
        overview(file.json(7, &json!({"advice": [], "subblock_detail": [wait(0), wait(1)]})).0)
    };
    // Of 100 µs 0 is up to one hundredth, of 9 ms next to nothing.
    let note = |duration: f64| part(&of(duration), "By pipe").note.to_string();
    assert!(
        note(100.0).ends_with("; waits of Vector in whole microseconds, too coarse here, are left out"),
        "{}",
        note(100.0)
    );
    assert_eq!(note(9_000.0), "share of core time; pipes work in parallel");
    // Nor is a share known where nothing says how long the blocks took.
    let block = |n: u32| {
        let core = json!({"core_no": n, "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [],
            "Vector": {"cycle": 5_000, "ratio": 5.0, "total_cycles": 100_000}});
        let row = json!({"name": "Scalar", "value": ["1", "80000", "0", "80"]});
        let table = json!({"table_name": "Pipe", "size": [1, 4], "row": [row],
            "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)"]});
        let wait = json!({"block_id": n.to_string(), "block_type": "vector", "name": "Vector Wait", "unit": 0, "value": "120.5"});
        (core, json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": [table]}), wait)
    };
    let ((a, b, c), (d, e, f)) = (block(0), block(1));
    let file = Container::default().json(7, &json!({"advice": [], "subblock_detail": [c, f]}));
    let file = file.json(8, &json!({"core_memory_map": [a, d]})).json(9, &json!({"table_per_block": [b, e]}));
    let all = overview(file.0);
    let own = part(&all, "By pipe");
    assert!(own.rows.iter().any(|row| row.name == "Vector" && row.cells[1] == "–"), "{own:?}");
    assert!(
        own.note
            .to_string()
            .ends_with("; waits of Vector are left out: the file does not say how long its blocks took"),
        "{}",
        own.note
    );
}

#[test]
fn ids_of_other_things_are_no_blocks() {
    // Of 4 blocks two have caches, of which one is called 31; the workload has eight units.
    let row = json!({"name": "L2 Cache Total", "value": [500, 1_500, 2_000, 25.0]});
    let cache = json!({"table_name": "Cache", "size": [2, 5], "header_name": ["", "Hit", "Miss", "Total", "Hit Rate(%)"], "row": [row]});
    let table =
        |n: u32| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": [cache]});
    let load = |n: u32| json!({"block_id": n, "block_type": "vector0", "name": "Vector All Active", "unit": 3, "value": 20.0, "origin_value": 1_000});
    let core = |n: u32| {
        json!({"core_no": n, "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [],
            "L2cache": {"hit": 10, "miss": 30, "total_request": 40, "hit_ratio": 25.0}})
    };
    let file = Container::default()
        .json(5, &info(8))
        .json(6, &json!({"advice": [], "subblock_detail": (0..8).map(load).collect::<Vec<_>>()}))
        .json(8, &json!({"core_memory_map": [core(0), core(1)]}))
        .json(9, &json!({"table_per_block": [table(0), table(31)]}));
    let all = overview(file.0);
    let tile = all.tiles.iter().find(|tile| tile.label == "L2 hit rate").unwrap();
    assert_eq!(
        tile.comparison.to_string(),
        "4,000 requests (2 of 4 blocks); memory chart 25.0 % of 80 (2 of 4 blocks)"
    );
}

#[test]
fn lines_of_one_place_count_once_in_the_source_too() {
    let line = |line: u32, address: &str, cycles: u32| json!({"Line": line, "Address Range": [[address, address]], "Cycles": [cycles]});
    let of = |addresses: [&str; 3]| {
        let [a, b, c] = addresses;
        let files = json!({"Cores": ["core0.veccore0"], "Files Dtype": {"Lines": {"Cycles": 1}},
            "Files": [{"Source": "/k.cpp", "Lines": [line(2, a, 600), line(3, b, 400), line(4, c, 400)]}]});
        Container::default().json(5, &info(8)).source("/k.cpp", "one\ntwo\nthree\nfour\n").json(3, &files)
    };
    let shares = |addresses: [&str; 3]| {
        let mut doc = open_one("visualize_data.bin", of(addresses).0).0;
        [1, 2, 3].map(|row| {
            let answer = doc.query(&CodeQuery::Row { listing: ListingId(0), row, core: 0 }).0;
            let Some(Reply::Row(detail)) = answer else { panic!("{answer:?}") };
            detail.facts.iter().find(|(name, ..)| name == "Cycles").unwrap().2.unwrap()
        })
    };
    assert_eq!(shares(["0x10", "0x18", "0x18"]), [0.6, 0.4, 0.4]);
    assert_eq!(shares(["0x10", "0x18", "0x20"]), [600.0 / 1_400.0, 400.0 / 1_400.0, 400.0 / 1_400.0]);
    let note = |addresses| part(&overview(of(addresses).0), "Hottest lines").note.to_string();
    assert_eq!(
        note(["0x10", "0x18", "0x18"]),
        "all cores combined; lines overlap, so shares add up to more than 100 %"
    );
    assert_eq!(note(["0x10", "0x18", "0x20"]), "all cores combined");
}
