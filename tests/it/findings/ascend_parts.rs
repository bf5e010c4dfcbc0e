//! What is known of an operator in part: pipes without a share, some of its blocks, other units than those of a baseline.
//! A number of some is never said as one of all.

use super::ascend::{found, is_near, outcome, overview};
use crate::support::front_door::open;
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Outcome, Overview, SavingKind, Severity, Tile};
use lanescope::analysis::told::{gone, number_beside, part_beside, tile_beside};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::engine::compare::{figures, headline};
use lanescope::model::figure::{Body, Cell, Family, TableFigure};
use serde_json::json;

fn tile<'a>(overview: &'a Overview, label: &str) -> &'a Tile {
    overview.tiles.iter().find(|tile| tile.label.text(Language::En) == label).unwrap()
}

fn family<'a>(doc: &'a Document, id: &str) -> &'a Family {
    doc.trace().figures.iter().find(|family| family.id == id).unwrap()
}

fn table<'a>(doc: &'a Document, id: &str) -> &'a TableFigure {
    match &family(doc, id).variants[0].body {
        Body::Table(table) => table,
        other => panic!("{id}: {other:?}"),
    }
}

/// An old container: block 0 is timed longer than the operator, scalar cycles are counted without a total.
fn old() -> Vec<u8> {
    let info = json!({"name": "sin", "soc": "Ascend910B4", "op_type": "vector", "block_dim": 2, "mix_block_dim": -1,
        "duration": 13.7, "advice": [],
        "block_detail": [{"block_id": 0, "duration": [600.0]}, {"block_id": 1, "duration": [4.0]}]});
    let active = |block: u32, cycles: f64, percent: f64| {
        json!({"block_id": block, "block_type": "vector", "name": "ALL_ACTIVE", "origin_value": cycles,
            "unit": 3, "value": percent})
    };
    let load = json!({"advice": [], "subblock_detail": [active(0, 6_600.0, 0.66), active(1, 3_300.0, 50.0)]});
    let row = |name: &str, cycles: f64, of: f64| {
        let share = if 0.0 < of { cycles / of } else { 0.0 };
        json!({"name": name, "value": [1, cycles, 0.0, of, share]})
    };
    let pipes = json!([{"table_name": "Pipe", "size": [4, 5],
        "header_name": ["", "instructions", "cycle", "throughput", "active rate(%)"],
        "row": [row("MTE2", 1_200.0, 6_000.0), row("MTE3", 600.0, 6_000.0), row("Scalar", 3_278.0, 0.0)]}]);
    let block =
        |n: u32| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": pipes});
    let tables = json!({"table_per_block": [block(0), block(1)]});
    Container::default().json(5, &info).json(6, &load).json(9, &tables).0
}

#[test]
fn a_pipe_with_cycles_of_an_unknown_total_leaves_open_what_bounds() {
    let (doc, is_ready) = open(vec![("visualize_data.bin".to_owned(), old())], 1 << 16);
    assert!(is_ready);
    let pipes = table(&doc, "pipes");
    let at = |head: &str| pipes.columns.iter().position(|column| column.name == head).unwrap();
    let cell = |pipe: &str, head: &str| {
        let row = pipes.rows.iter().find(|row| row[1].plain() == pipe).unwrap();
        row[at(head)].as_number()
    };
    assert_eq!((cell("Scalar", "Active"), cell("Scalar", "Active cycles")), (None, Some(6_556.0)));
    assert_eq!((cell("MTE2", "Active"), cell("MTE2", "Active cycles")), (Some(20.0), Some(2_400.0)));
    // Of the block whose time fits into that of the operator.
    assert_eq!((cell("Vector", "Active"), cell("Vector", "Active cycles")), (Some(50.0), Some(3_300.0)));
    let notes: Vec<String> =
        family(&doc, "pipes").variants[0].notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.starts_with("Only 1 of 2 blocks has all pipes.")), "{notes:?}");
    let left = "Vector: 1 block took longer than the operator, so their shares are left out.";
    assert!(notes.iter().any(|note| note == left), "{notes:?}");
    let all = overview(old());
    let said = "Which pipe bounds the vector cores is not known: Scalar is active in 6,556 cycles, and the file does not say of how many.";
    let bound = tile(&all, "Bound by");
    assert_eq!((bound.value.to_string(), bound.comparison.to_string()), ("–".to_owned(), said.to_owned()));
    for rule in ["ascend-no-pipe-bounds", "ascend-scalar-bound"] {
        match outcome(&all, rule) {
            Some(Outcome::Missing(why)) => assert_eq!(why.to_string(), said),
            other => panic!("{rule}: {other:?}"),
        }
    }
    let part = all.parts.iter().find(|part| part.title.text(Language::En) == "By pipe").unwrap();
    assert_eq!(
        (part.rows[0].name.to_string(), part.rows[0].cells[0].as_str()),
        ("Scalar".to_owned(), "6,556 cycles")
    );
    assert_eq!(part.rows[1].name.to_string(), "Vector");
}

/// The CSV files of a mix operator of blocks with a cube and two vector units, but for those left out. Vector units work
/// in 20 and 60 % of their cycles, cube cores move in 90 %; all times are multiplied.
fn mix(times: f64, without: &[(u32, u32)], rows_of: fn(&str, u32) -> bool) -> Document {
    let info = format!(
        "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,\nmm,mix,{},4,8,\n",
        320.0 * times
    );
    let head = "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,";
    let mut files = [
        ("PipeUtilization", format!("{head}aic_mte2_ratio,aic_cube_ratio,aiv_vec_ratio,aiv_scalar_ratio,aiv_mte2_ratio,\n")),
        ("ResourceConflictRatio", format!("{head}aiv_vec_wait_ratio,\n")),
        (
            "L2Cache",
            "block_id,sub_block_id,aiv_write_cache_hit,aiv_write_cache_miss_allocate,aiv_r0_read_cache_hit,aiv_r0_read_cache_miss_allocate,\n".to_owned(),
        ),
        (
            "Memory",
            "block_id,sub_block_id,aic_mte2_instructions,GM_to_L1_datas(KB),aiv_mte2_instructions,GM_to_UB_datas(KB),\n".to_owned(),
        ),
    ];
    for block in 0..4 {
        let (cube, vector) = (200.0 * times, 300.0 * times);
        let cells = |of: [String; 4]| of.join(",");
        let mut units = vec![(
            "cube0".to_owned(),
            [
                cells([cube.to_string(), (cube * 1_800.0).to_string(), "NA".to_owned(), "NA".to_owned()])
                    + ",0.9,0.3,NA,NA,NA,",
                cells([cube.to_string(), (cube * 1_800.0).to_string(), "NA".to_owned(), "NA".to_owned()])
                    + ",NA,",
                "NA,NA,NA,NA,".to_owned(),
                "100,6400,NA,NA,".to_owned(),
            ],
        )];
        for unit in 0..2 {
            let share = if unit == 0 { 0.2 } else { 0.6 };
            let own =
                cells(["NA".to_owned(), "NA".to_owned(), vector.to_string(), (vector * 1_800.0).to_string()]);
            if !without.contains(&(block, unit)) {
                units.push((
                    format!("vector{unit}"),
                    [
                        format!("{own},NA,NA,{share},0.4,0.3,"),
                        format!("{own},0.5,"),
                        "10,10,10,10,".to_owned(),
                        format!("NA,NA,100,{},", 1_600 + 1_600 * unit),
                    ],
                ));
            }
        }
        for (unit, cells) in units {
            for (file, cells) in files.iter_mut().zip(cells) {
                if rows_of(file.0, block) {
                    file.1 += &format!("{block},{unit},{cells}\n");
                }
            }
        }
    }
    let mut all = vec![("o/OpBasicInfo.csv".to_owned(), info.into_bytes())];
    all.extend(files.into_iter().map(|(name, text)| (format!("o/{name}.csv"), text.into_bytes())));
    let (doc, is_ready) = open(all, 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc
}

#[test]
fn what_a_figure_says_is_not_gone_where_nobody_could_look() {
    let info = json!({"name": "sin", "soc": "Ascend910B4", "op_type": "mix", "block_dim": 1, "mix_block_dim": 1,
        "duration": 13.7, "advice": []});
    let graph = json!({"core_memory_map": [{"core_no": "0", "op_type": "mix", "soc": "910B", "memory_unit": [],
        "advice": ["aivector compute usage lower than 20%"], "Cube": {"cycle": 100, "ratio": 1.0, "total_cycles": 10_000},
        "Vector": {"cycle": 100, "ratio": 1.0, "total_cycles": 10_000}}]});
    let table = |name: &str, share: u32| {
        let row =
            json!({"name": "Scalar", "value": ["1", (share * 100).to_string(), "0", share.to_string()]});
        json!({"table_name": name, "size": [1, 4], "row": [row],
            "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)"]})
    };
    let tables = json!({"table_per_block": [{"block_id": "0", "table_op_type": "mix", "advice": [],
        "table_detail": [table("Pipe Cube", 92), table("Pipe Vector Core0", 30)]}]});
    let a = overview(Container::default().json(5, &info).json(8, &graph).json(9, &tables).0);
    let said = found(&a, "ascend-writer");
    assert!(
        said.iter().any(|one| one.said(Language::En).starts_with("No pipe of the vector cores")),
        "{:?}",
        a.findings
    );
    let b = overview(old());
    assert!(matches!(outcome(&b, "ascend-no-pipe-bounds"), Some(Outcome::Missing(_))));
    let all = gone(&a, &b, Language::En);
    let own = all.iter().find(|(one, _)| one.said(Language::En).starts_with("No pipe of the vector cores"));
    assert_eq!(own.unwrap().1, Some("B has no data to check this."));
}

#[test]
fn other_units_are_compared_only_as_far_as_both_have_them() {
    let (mut old, mut new) = (mix(1.0, &[], |_, _| true), mix(0.8, &[(2, 1), (3, 1)], |_, _| true));
    let said = headline(&mut old, &mut new).unwrap().to_string();
    let cycles = "Active cycles of the units that both have: ";
    assert!(said.contains(cycles) && said.contains("cube MTE2 −20 %"), "{said}");
    assert!(!said.contains("vector Vector −4"), "{said}");
    assert!(said.contains("Bytes per MTE2 instruction of cube cores unchanged, 64"), "{said}");
    let (before, after) = (old.whole_overview(), new.whole_overview());
    let of = |all: &Overview| {
        all.parts.iter().find(|part| part.title.text(Language::En) == "By pipe").unwrap().clone()
    };
    // All units work as they did; of all of B the mean is another one.
    let (own, both) = (of(&after), part_beside(&of(&after), &of(&before), Language::En).unwrap());
    let row = |part: &lanescope::analysis::finding::Part| {
        part.rows.iter().find(|row| row.name == "vector Vector").unwrap().cells.clone()
    };
    assert_eq!(row(&own)[0], "33.3 %");
    let cells = row(&both);
    assert!(cells[0] == cells[1] && cells[2] == "=", "{cells:?}");
    assert!(both.note.to_string().ends_with("of units that both have"), "{}", both.note);
    // And that some are missing is said.
    assert!(tile(&after, "Cores").comparison.to_string().ends_with("times of 6 of 8 vector units"));
    let notes = &family(&new, "pipes").variants[0].notes;
    assert!(notes.iter().any(|note| note.to_string().starts_with("Only 6 of 8 vector units")), "{notes:?}");
    assert!(!tile(&before, "Cores").comparison.to_string().contains("times of"));
    let beside = |new: &Overview, old: &Overview, label: &str| {
        tile_beside(tile(new, label), Some(tile(old, label)), Language::En)
    };
    for label in ["Cores", "Duration"] {
        assert!(beside(&after, &before, label).ends_with("; times of 6 of 8 vector units"), "{label}");
        assert!(beside(&before, &after, label).ends_with("; in A times of 6 of 8 vector units"), "{label}");
        assert!(!beside(&before, &before, label).contains("times of"), "{label}");
    }
    let same =
        headline(&mut mix(1.0, &[], |_, _| true), &mut mix(0.8, &[], |_, _| true)).unwrap().to_string();
    assert!(same.contains("Active cycles: ") && !same.contains("both have"), "{same}");
}

#[test]
fn figures_and_evidence_tell_of_the_units_that_both_have() {
    let (mut old, mut new) = (mix(1.0, &[], |_, _| true), mix(0.8, &[(2, 1), (3, 1)], |_, _| true));
    let joined = figures(&old, &new).families;
    let table = |id: &str| {
        let figure = &joined.iter().find(|family| family.id == id).unwrap().variants[0];
        let Body::Table(table) = &figure.body else { panic!("{id}") };
        (figure.scope.as_str(), table)
    };
    let cells = |table: &TableFigure, names: &[&str], column: &str| {
        let is_own = |row: &&Vec<Cell>| row.iter().zip(names).all(|(cell, name)| cell.plain() == *name);
        let row = table.rows.iter().find(is_own).unwrap_or_else(|| panic!("{names:?}: {:?}", table.rows));
        let at = |name: &str| table.columns.iter().position(|own| own.name == name);
        // What is equal in all rows stands once.
        if let Some(at) = at(column) {
            return [row[at].as_number(), row[at].as_number(), Some(0.0)];
        }
        ["baseline", "comparison", "difference"]
            .map(|of| row[at(&format!("{column} ({of})")).unwrap()].as_number())
    };
    // Units 0 work in 20 % of 540,000 cycles, units 1 in 60: four and two of both.
    let (scope, pipes) = table("pipes");
    assert_eq!(scope, "of the units that both have");
    let [a, b, by] = cells(pipes, &["vector", "Vector"], "Active").map(Option::unwrap);
    assert!((a - 100.0 / 3.0).abs() < 1e-9 && (a - b).abs() < 1e-9 && by.abs() < 1e-9, "{a} {b} {by}");
    assert_eq!(
        cells(pipes, &["vector", "Vector"], "Active cycles"),
        [Some(1_080_000.0), Some(864_000.0), Some(-216_000.0)]
    );
    // Cube cores are the same, and stay what they were.
    let [a, b, _] = cells(pipes, &["cube", "MTE2"], "Active cycles").map(Option::unwrap);
    assert_eq!((a, b), (1_296_000.0, 1_036_800.0));
    let (scope, cores) = table("core-imbalance");
    assert_eq!(scope, "of the units that both have");
    assert_eq!(cells(cores, &["vector"], "Measured")[..2], [Some(6.0), Some(6.0)]);
    // 1,600 and 3,200 KB of 100 instructions: four and two of both.
    let (scope, moves) = table("traffic");
    assert_eq!(scope, "of the units that both have");
    let row =
        moves.rows.iter().find(|row| row[0].plain().ends_with("MTE2 instruction of vector cores")).unwrap();
    let [a, b] = [1, 2].map(|at| row[at].as_number().unwrap());
    assert!((a - b).abs() < 1e-9 && (a - 1_024.0 * 12_800.0 / 600.0).abs() < 1e-6, "{a} {b}");
    // With all units nothing is said of it.
    let same = figures(&old, &mix(0.8, &[], |_, _| true)).families;
    assert!(same.iter().flat_map(|family| &family.variants).all(|of| !of.scope.contains("both have")));

    let (before, after) = (old.whole_overview(), new.whole_overview());
    let one = |all: &Overview| found(all, "ascend-no-pipe-bounds")[0].clone();
    let (old, new) = (one(&before), one(&after));
    let number = new.evidence.numbers.iter().find(|number| number.name == "Vector").unwrap();
    let beside = number_beside(number, Some(&old), Language::En);
    assert_eq!(beside.was, beside.is);
    assert_eq!(beside.note, "of units that both have");
    let all = old.evidence.numbers.iter().find(|number| number.name == "Vector").unwrap();
    assert_ne!(beside.was, number_beside(all, None, Language::En).is);
    // How many vector units there are says nothing of cube cores.
    let said = |rule: &str| found(&after, rule)[0].line.to_string().contains("vector units have pipes");
    assert!(said("ascend-no-pipe-bounds") && !said("ascend-pipe-bound"));
    // Hits of other units are no change either.
    let cache = tile(&after, "L2 hit rate");
    assert_eq!(cache.of, "6 of 8 vector units");
    assert!(tile(&before, "L2 hit rate").of.is_empty());
}

#[test]
fn numbers_of_some_blocks_say_of_how_many() {
    let mut doc = mix(1.0, &[], |name, block| name == "PipeUtilization" || block < 2);
    let all = doc.whole_overview();
    let cache = tile(&all, "L2 hit rate");
    assert!(cache.comparison.to_string().ends_with("2 of 4 blocks"), "{}", cache.comparison);
    let waits = found(&all, "ascend-waits");
    assert!(
        waits.iter().any(|one| one.line.to_string().ends_with("Waits are known of 2 of 4 blocks.")),
        "{waits:?}"
    );
    let notes = &family(&doc, "traffic").variants[0].notes;
    assert_eq!(
        notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["2 of 4 blocks have traffic and instruction counts."]
    );
    let mut whole = mix(1.0, &[], |_, _| true);
    let all = whole.whole_overview();
    assert!(!tile(&all, "L2 hit rate").comparison.to_string().contains("blocks"));
    assert!(family(&whole, "traffic").variants[0].notes.is_empty());
}

#[test]
fn cores_that_end_early_do_not_take_the_time() {
    // Vector units take 300 µs, cube cores 200, whose busiest pipe would be a bottleneck: vector units may wait for it in
    // all but the 180 µs that Vector works.
    let all = mix(1.0, &[], |_, _| true).whole_overview();
    let bound = tile(&all, "Bound by");
    assert_eq!(bound.value.to_string(), "vector: latency");
    let pipes = found(&all, "ascend-pipe-bound");
    let [cube] = &pipes[..] else { panic!("{pipes:?}") };
    assert_eq!((cube.saving.kind, cube.severity), (SavingKind::Bound, Severity::Note));
    assert!(is_near(cube.saving.value, 140e3), "{:?}", cube.saving);
    let line = cube.line.to_string();
    assert!(line.contains("The vector cores take 300.000 µs, these 200.000 µs"), "{line}");
}

#[test]
fn the_only_unit_of_each_block_has_one_name_in_containers_and_files() {
    let csv = |name: &str| {
        let text = format!("block_id,sub_block_id,aiv_time(us),\n0,{name},9.0,\n1,{name},8.0,\n");
        let info = "Op Name,Op Type,Task Duration(us),Block Dim,\nAdd,vector,10.0,2,\n";
        let files = [("OpBasicInfo.csv", info.to_owned()), ("PipeUtilization.csv", text)];
        open(files.map(|(name, text)| (format!("o/{name}"), text.into_bytes())).to_vec(), 1 << 16).0
    };
    let doc = csv("vector0");
    let kinds: Vec<String> = table(&doc, "block-detail").rows.iter().map(|row| row[1].plain()).collect();
    assert_eq!(kinds, ["vector", "vector"]);
    let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
    assert!(
        facts
            .facts
            .iter()
            .any(|fact| { fact.name == "Outside the longest block" && fact.value == Cell::Number(1.0) })
    );
}

#[test]
fn blocks_that_only_figures_know_are_counted_too() {
    let active = |block: u32| json!({"block_id": block, "block_type": "vector", "name": "ALL_ACTIVE", "origin_value": 500.0, "unit": 3, "value": 50.0});
    let load = json!({"advice": [], "subblock_detail": (0..4).map(active).collect::<Vec<_>>()});
    let row = |name: &str, value: [u32; 3], rate: f64| json!({"name": name, "value": [value[0], value[1], value[2], rate]});
    let cache = json!({"table_name": "Cache", "size": [4, 5], "header_name": ["", "Hit", "Miss", "Total", "Hit Rate(%)"],
        "row": [row("L2 Cache Read", [500, 1_500, 2_000], 25.0), row("L2 Cache Write", [0, 0, 0], 0.0),
            row("L2 Cache Total", [500, 1_500, 2_000], 25.0)]});
    let pipes = json!({"table_name": "Pipe", "size": [2, 5],
        "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
        "row": [{"name": "MTE2", "value": [1, 100.0, 0.0, 10.0, "NA"]}, {"name": "Scalar", "value": [1, 200.0, 0.0, 20.0, "NA"]}]});
    let of = |blocks: &[u32]| {
        let block = |n: &u32| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": [cache, pipes]});
        let tables = json!({"table_per_block": blocks.iter().map(block).collect::<Vec<_>>()});
        overview(Container::default().json(6, &load).json(9, &tables).0)
    };
    let some = of(&[1, 3]);
    let said = tile(&some, "L2 hit rate").comparison.to_string();
    assert!(said.ends_with("; 2 of 4 blocks"), "{said}");
    let line = found(&some, "ascend-l2-hit-rate")[0].line.to_string();
    assert!(line.ends_with("The counts are of 2 of 4 blocks."), "{line}");
    let said = tile(&of(&[0, 1, 2, 3]), "L2 hit rate").comparison.to_string();
    assert!(!said.contains("blocks"), "{said}");
}
