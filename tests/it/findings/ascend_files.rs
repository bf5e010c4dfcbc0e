//! Rules on operators of which files beside a container, or old containers, tell in ways of their own: what is measured of
//! each kind of core, of the block that alone takes the time, of unknown chips. Expected numbers are computed from what is
//! planted.

use super::ascend::{found, is_near, outcome, overview};
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::{Color, Outcome, Overview, SavingKind, Tile};
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::style::work_ink;
use lanescope::export::findings::data;
use lanescope::model::figure::{Body, Cell, TableFigure};
use lanescope::scene::palette::Ink;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A unit of a block: its block and name, cycles at 1,800 MHz, and the share of them in which each pipe works and waits.
#[derive(Clone)]
struct Unit1 {
    block: usize,
    name: &'static str,
    cycles: f64,
    pipes: Vec<(&'static str, f64, f64)>,
}

impl Unit1 {
    fn new(block: usize, name: &'static str, cycles: f64, pipes: &[(&'static str, f64, f64)]) -> Self {
        Self { block, name, cycles, pipes: pipes.to_vec() }
    }

    fn micros(&self) -> f64 {
        self.cycles / 1_800.0
    }
}

/// The CSV files of a run: what it is, and its units. Without a duration there is no file that says what it is.
struct Files {
    kind: &'static str,
    duration: Option<f64>,
    n_blocks: usize,
    units: Vec<Unit1>,
}

impl Files {
    /// A file with a column for each pipe of each kind of core, behind the times and cycles of the unit.
    fn sheet(&self, end: &str, value: fn(&(&'static str, f64, f64)) -> f64) -> String {
        let prefix = |unit: &Unit1| if unit.name.starts_with("cube") { "aic_" } else { "aiv_" };
        let mut heads = vec!["block_id".to_owned(), "sub_block_id".to_owned()];
        for unit in &self.units {
            let own = prefix(unit);
            let mut add = |head: String| {
                if !heads.contains(&head) {
                    heads.push(head);
                }
            };
            add(format!("{own}time(us)"));
            add(format!("{own}total_cycles"));
            unit.pipes.iter().for_each(|(pipe, ..)| add(format!("{own}{pipe}{end}")));
        }
        let mut text = heads.iter().map(|head| format!("{head},")).collect::<String>() + "\n";
        for unit in &self.units {
            let own = prefix(unit);
            for head in &heads {
                let pipe = unit.pipes.iter().find(|(pipe, ..)| *head == format!("{own}{pipe}{end}"));
                let cell = match head.strip_prefix(own) {
                    _ if head == "block_id" => unit.block.to_string(),
                    _ if head == "sub_block_id" => unit.name.to_owned(),
                    Some("time(us)") => format!("{:.6}", unit.micros()),
                    Some("total_cycles") => unit.cycles.to_string(),
                    _ => pipe.map_or_else(|| "NA".to_owned(), |pipe| format!("{:.6}", value(pipe))),
                };
                write!(text, "{cell},").unwrap();
            }
            text.push('\n');
        }
        text
    }

    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = vec![
            ("o/PipeUtilization.csv".to_owned(), self.sheet("_ratio", |pipe| pipe.1).into_bytes()),
            ("o/ResourceConflictRatio.csv".to_owned(), self.sheet("_wait_ratio", |pipe| pipe.2).into_bytes()),
        ];
        if let Some(duration) = self.duration {
            let (kind, n) = (self.kind, self.n_blocks);
            let info = format!(
                "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\nOp,{kind},{duration},{n},NA,0,1,N/A,1800,\n"
            );
            files.push(("o/OpBasicInfo.csv".to_owned(), info.into_bytes()));
        }
        files
    }

    fn open(&self) -> Document {
        let (doc, is_ready) = open(self.files(), 1 << 16);
        assert!(is_ready);
        doc
    }

    fn overview(&self) -> Overview {
        self.open().whole_overview()
    }
}

fn tile<'a>(overview: &'a Overview, label: &str) -> &'a Tile {
    overview.tiles.iter().find(|tile| tile.label.text(Language::En) == label).unwrap()
}

fn nothing(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Nothing(said)) => said.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

fn missing(overview: &Overview, rule: &str) -> String {
    match outcome(overview, rule) {
        Some(Outcome::Missing(said)) => said.to_string(),
        other => panic!("{rule}: {other:?}"),
    }
}

fn table<'a>(doc: &'a Document, id: &str) -> &'a TableFigure {
    let family = doc.trace().figures.iter().find(|family| family.id == id);
    match family.and_then(|family| family.variants.last()).map(|figure| &figure.body) {
        Some(Body::Table(table)) => table,
        other => panic!("{id}: {other:?}"),
    }
}

/// The cell of a row, which its first cells name, below a head.
fn cell(table: &TableFigure, row: &[&str], head: &str) -> Option<f64> {
    let at = table.columns.iter().position(|column| column.name == head)?;
    let is_it = |cells: &&Vec<Cell>| cells.iter().zip(row).all(|(cell, name)| cell.plain() == *name);
    table.rows.iter().find(is_it)?.get(at)?.as_number()
}

/// A mix operator whose cube cores take twice as long for each block as its vector cores.
fn mix() -> Files {
    let mut units = Vec::new();
    for block in 0..20 {
        units.push(Unit1::new(block, "cube0", 300_000.0, &[("cube", 0.88, 0.0), ("scalar", 0.15, 0.0)]));
        let vector = [("vec", 0.4, 0.0), ("scalar", 0.2, 0.0)];
        units.push(Unit1::new(block, "vector0", 140_000.0, &vector));
        units.push(Unit1::new(block, "vector1", 145_000.0, &vector));
    }
    Files { kind: "mix", duration: Some(172.0), n_blocks: 20, units }
}

#[test]
fn kinds_of_cores_are_held_against_each_other_by_their_own_times() {
    let overview = mix().overview();
    let sides = found(&overview, "ascend-cube-vector")[0];
    let line = sides.line.to_string();
    // 145,000 and 300,000 cycles at 1,800 MHz; the operator took 172 µs.
    assert!(line.contains("vector cores take up to 80.556 µs, the cube cores 166.667 µs"), "{line}");
    assert!(!line.contains("172"), "{line}");
    // What the vector cores do ends long before the cube cores do.
    assert_eq!(tile(&overview, "Bound by").value.to_string(), "cube: Cube");
}

#[test]
fn a_vector_unit_that_is_missing_counts_in_no_share() {
    let mut files = mix();
    files.units.retain(|unit| (unit.block, unit.name) != (3, "vector1"));
    for unit in files.units.iter_mut().filter(|unit| unit.name == "vector1") {
        unit.pipes[0].1 = 0.2;
    }
    let vectors = files.units.iter().filter(|unit| unit.name != "cube0");
    let (active, all) = vectors
        .fold((0.0, 0.0), |(active, all), unit| (active + unit.cycles * unit.pipes[0].1, all + unit.cycles));
    // 30.1 %; with the missing unit it would be 29.8.
    let share = active / all * 100.0;
    let overview = files.overview();
    let sides = found(&overview, "ascend-cube-vector")[0];
    let expected = format!(
        "The busiest pipe of the vector cores, Vector, is active in {share:.1} % of their time, that of the cube cores, Cube, in 88.0 %."
    );
    assert_eq!(sides.said(Language::En), expected);
    let line = sides.line.to_string();
    assert!(line.contains("vector cores take up to 80.556 µs, the cube cores 166.667 µs"), "{line}");
}

#[test]
fn a_pipe_has_one_color_wherever_it_is_shown() {
    let overview = mix().overview();
    let rows = &overview.parts.iter().find(|part| part.title.to_string().as_str() == "By pipe").unwrap().rows;
    assert_eq!(rows.len(), 4);
    for row in rows {
        let name = row.name.to_string();
        let pipe = name.split(' ').next_back().unwrap();
        let Ink::Slice(number) = work_ink(pipe) else { panic!("{pipe}") };
        assert_eq!(row.bar[0].1, Color::Series(number - 1), "{name}");
        assert_eq!(work_ink(&name), work_ink(pipe), "{name}");
    }
    // A name of more words is about its first one.
    assert_eq!(work_ink("Vector All Active"), work_ink("Vector"));
}

/// Eight blocks, of which the last takes two and a half times as long and is busy with scalar work.
fn uneven(duration: f64) -> Files {
    let usual = [("vec", 0.85, 0.05), ("scalar", 0.1, 0.0), ("mte2", 0.3, 0.02)];
    let last = [("vec", 0.2, 0.05), ("scalar", 0.9, 0.0), ("mte2", 0.3, 0.02)];
    let mut units: Vec<Unit1> = (0..7).map(|block| Unit1::new(block, "vector0", 100_000.0, &usual)).collect();
    units.push(Unit1::new(7, "vector0", 250_000.0, &last));
    Files { kind: "vector", duration: Some(duration), n_blocks: 8, units }
}

#[test]
fn the_block_that_alone_takes_the_time_decides() {
    let files = uneven(140.0);
    let mut doc = files.open();
    let overview = doc.whole_overview();
    let pipes = table(&doc, "pipes");
    // The mean is 7 × 10,000 and 225,000 of 950,000 cycles; the longest block has its own column.
    assert!(is_near(cell(pipes, &["vector", "Scalar"], "Active").unwrap(), 295.0 / 9.5));
    assert_eq!(cell(pipes, &["vector", "Scalar"], "Active, longest block"), Some(90.0));
    assert_eq!(cell(pipes, &["vector", "Vector"], "Active, longest block"), Some(20.0));
    let bound = tile(&overview, "Bound by");
    assert_eq!(bound.value.to_string(), "Scalar");
    assert!(bound.comparison.to_string().contains("90.0 % of the cycles of block 7"), "{}", bound.comparison);
    let scalar = found(&overview, "ascend-scalar-bound")[0];
    assert_eq!(scalar.value, 90.0);
    assert!(scalar.said(Language::En).starts_with("Block 7 alone takes the time"), "{}", scalar.sentence);
    // Another block needs Vector for 85 % of 55.6 µs: no more than the rest of 140 µs can be saved.
    assert!(is_near(scalar.saving.value, (140.0 - 0.85 * 100_000.0 / 1_800.0) * 1e3), "{:?}", scalar.saving);
    assert!(matches!(outcome(&overview, "ascend-no-pipe-bounds"), Some(Outcome::Nothing(_))));
    // In a run that takes much longer other blocks may take the time as well: then all of them count.
    let overview = uneven(500.0).overview();
    assert!(found(&overview, "ascend-scalar-bound").is_empty());
    let said = nothing(&overview, "ascend-scalar-bound");
    assert!(said.contains("31.1 % of the cycles of the vector cores on average, on one in 90.0 %"), "{said}");
}

#[test]
fn blocks_that_take_as_long_decide_together() {
    // Two blocks of eight take the time, of which neither is alone.
    let mut two = uneven(140.0);
    two.units[3] = Unit1 { block: 3, cycles: 240_000.0, ..two.units[7].clone() };
    let overview = two.overview();
    assert!(found(&overview, "ascend-scalar-bound").is_empty());
    // 6 × 10,000, 225,000 and 216,000 of 1,090,000 cycles.
    let said = nothing(&overview, "ascend-scalar-bound");
    assert!(
        said.contains(&format!("{:.1} % of the cycles of the vector cores on average", 50_100.0 / 1_090.0)),
        "{said}"
    );
}

#[test]
fn a_mean_is_called_one() {
    let overview = uneven(500.0).overview();
    for rule in ["ascend-scalar-bound", "ascend-pipe-bound", "ascend-waits"] {
        let said = nothing(&overview, rule);
        assert!(!said.contains("at most") && !said.contains("more than"), "{rule}: {said}");
        assert!(said.contains("average"), "{rule}: {said}");
    }
    assert!(nothing(&overview, "ascend-waits").contains("Vector of the vector cores waits most, in 5.0 %"));
}

#[test]
fn even_blocks_of_an_unknown_chip_save_what_is_proven() {
    // Not even the shortest block fits beside the longest one: all began at once.
    let alone = uneven(140.0);
    let overview = alone.overview();
    let (longest, mean) = (250_000.0 / 1_800.0, 950_000.0 / 8.0 / 1_800.0);
    let saving = &found(&overview, "ascend-imbalance")[0].saving;
    assert_eq!(saving.kind, SavingKind::Bound);
    assert!(is_near(saving.value, (longest - mean) * 1e3), "{saving:?}");
    let said = nothing(&overview, "ascend-head-overhead");
    assert!(said.contains("1.111 µs of 140.000 µs"), "{said}");
    // Others may have run before or after it: no less than an even block remains.
    let overview = uneven(300.0).overview();
    let saving = &found(&overview, "ascend-imbalance")[0].saving;
    assert!(saving.kind == SavingKind::Bound && is_near(saving.value, (300.0 - mean) * 1e3), "{saving:?}");
    let said = missing(&overview, "ascend-head-overhead");
    assert!(said.contains("at most 161.111 µs of 300.000 µs"), "{said}");
    // What is not in blocks is overhead where no core can have run a second one.
    let overview = uneven(160.0).overview();
    let head = found(&overview, "ascend-head-overhead")[0];
    assert!(
        is_near(head.value, (160.0 - longest) * 1e3) && head.saving.kind == SavingKind::Bound,
        "{head:?}"
    );
}

#[test]
fn what_is_missing_is_called_by_its_name() {
    let whole = uneven(140.0);
    let overview = whole.overview();
    assert!(missing(&overview, "ascend-cores-unused").contains("does not name the chip"));
    assert!(missing(&overview, "ascend-tail").contains("does not name the chip"));
    assert!(missing(&overview, "ascend-clock").contains("not measured"), "the column is there");
    // Without a file that says what it is, there are still as many blocks as rows.
    let overview = Files { duration: None, ..whole }.overview();
    assert!(missing(&overview, "ascend-cores-unused").contains("does not name the chip"));
    assert_eq!(tile(&overview, "Cores").value.to_string(), "8 blocks");
    assert!(missing(&overview, "ascend-clock").contains("Current Freq"));
    assert_eq!(nothing(&overview, "ascend-writer"), "no advice in the file");
}

/// A vector operator of two blocks with pipes of each, and tables of what moved.
fn container(tables: &Value, graph: &Value, load: &Value) -> Vec<u8> {
    let info = json!({"name": "Op", "soc": "Ascend910B2", "op_type": "vector", "duration": 130.0, "advice": [],
        "block_dim": "2", "mix_block_dim": "", "rated_freq": "1800", "cur_freq": "1800",
        "block_detail": {"head_name": ["Block ID", "Core Type", "Duration (μs)"], "size": [3, 3], "row": [
            {"value": ["0", "vector0", "100.0"]}, {"value": ["1", "vector0", "125.0"]}]}});
    let blocks = |of: &Value| -> Vec<Value> {
        ["0", "1"]
            .iter()
            .map(|n| json!({"block_id": n, "table_op_type": "vector", "advice": [], "table_detail": of}))
            .collect()
    };
    Container::default()
        .json(5, &info)
        .json(7, &json!({"advice": [], "subblock_detail": load}))
        .json(8, &json!({"core_memory_map": graph}))
        .json(9, &json!({"table_per_block": blocks(tables)}))
        .0
}

fn graph(hits: u64, misses: u64) -> Value {
    let core = |(n, cycles): (&str, f64)| {
        json!({"core_no": n, "op_type": "vector", "soc": "910B", "advice": [], "memory_unit": [],
            "Vector": {"cycle": cycles * 0.5, "ratio": 50.0, "total_cycles": cycles},
            "L2cache": {"hit": hits, "miss": misses, "total_request": hits + misses, "hit_ratio": "50.0"}})
    };
    [("0", 180_000.0), ("1", 225_000.0)].map(core).to_vec().into()
}

fn pipe_table() -> Value {
    json!({"table_name": "Pipe", "size": [2, 4], "header_name": ["", "instructions", "cycle", "active rate(%)"], "row": [
        {"name": "MTE2", "value": ["1", "45000", "25.0"]}, {"name": "Scalar", "value": ["1", "9000", "5.0"]}]})
}

fn cache_table([hits, misses]: [u64; 2]) -> Value {
    let row = |name: &str, hits: u64, misses: u64| json!({"name": name, "value": [hits.to_string(), misses.to_string(), (hits + misses).to_string(), "50.0"]});
    json!({"table_name": "Cache", "size": [2, 4], "header_name": ["", "hit", "miss", "total", "hit rate(%)"],
        "row": [row("L2 Cache Write", 1, 1), row("L2 Cache Total", hits, misses)]})
}

#[test]
fn waits_of_the_container_and_of_its_files_are_both_shown() {
    let none = container(&json!([pipe_table()]), &graph(1, 1), &json!([]));
    let waits = |doc: &Document, pipe: &str| cell(table(doc, "pipes"), &["vector", pipe], "Wait");
    let (alone, _) = open_one("visualize_data.bin", none.clone());
    assert_eq!(waits(&alone, "Vector"), None);
    // Ratios of the files: 10 % of 180,000 and 20 % of 225,000 cycles.
    let pipes = |waits: f64| vec![("vec", 0.5, waits), ("mte2", 0.25, 0.0)];
    let units = vec![
        Unit1::new(0, "vector0", 180_000.0, &pipes(0.1)),
        Unit1::new(1, "vector0", 225_000.0, &pipes(0.2)),
    ];
    let beside = Files { kind: "vector", duration: Some(130.0), n_blocks: 2, units };
    let mut files = beside.files();
    files.push(("o/visualize_data.bin".to_owned(), none));
    let (both, _) = open(files, 1 << 16);
    assert!(is_near(waits(&both, "Vector").unwrap(), (18_000.0 + 45_000.0) / 4_050.0));
    // What the container says itself stays.
    assert!(is_near(
        cell(table(&both, "pipes"), &["vector", "Scalar"], "Active").unwrap(),
        18_000.0 / 4_050.0
    ));
    // Times of the container: 17 of 100 and of 125 µs.
    let of = |micros: &str| {
        let wait = |block: &str| json!({"block_id": block, "block_type": "vector0", "name": "Vector Wait", "unit": 0, "value": micros});
        let own = container(&json!([pipe_table()]), &graph(1, 1), &json!([wait("0"), wait("1")]));
        waits(&open_one("visualize_data.bin", own).0, "Vector")
    };
    let cycles = 17.0 / 100.0 * 180_000.0 + 17.0 / 125.0 * 225_000.0;
    assert!(is_near(of("17").unwrap(), cycles / 4_050.0));
    // They are cut to whole microseconds: 0 may be nearly 1 % of these.
    assert_eq!(of("0"), None);
    assert!(of("0.5").is_some());
}

#[test]
fn hits_are_those_of_the_table_where_the_chart_says_something_else() {
    let [differs, agrees] = [[1_300, 6_400], [8_700, 57_300]].map(|[hits, misses]| {
        // Both blocks have the same table.
        overview(container(
            &json!([pipe_table(), cache_table([4_350, 28_650])]),
            &graph(hits / 2, misses / 2),
            &json!([]),
        ))
    });
    for overview in [&differs, &agrees] {
        assert_eq!(tile(overview, "L2 hit rate").amount, Some((8_700.0 / 66_000.0, Unit::Share)));
    }
    let said = |overview: &Overview| tile(overview, "L2 hit rate").comparison.to_string();
    assert_eq!(said(&agrees), "66,000 requests");
    assert_eq!(said(&differs), "66,000 requests; memory chart 16.9 % of 7,700");
    let numbers = &found(&differs, "ascend-l2-hit-rate")[0].evidence.numbers;
    assert!(numbers.iter().any(|number| is_near(number.value, 1_300.0 / 7_700.0)), "{numbers:?}");
}

#[test]
fn a_handful_of_misses_is_no_finding() {
    let of = |hits, misses| overview(container(&json!([pipe_table()]), &graph(hits, misses), &json!([])));
    assert!(found(&of(18, 8), "ascend-l2-hit-rate").is_empty(), "36 of 52");
    assert!(nothing(&of(18, 8), "ascend-l2-hit-rate").contains("of 52 requests"));
    assert_eq!(found(&of(1_800, 800), "ascend-l2-hit-rate").len(), 1);
}

#[test]
fn tables_of_old_writers_tell_of_pipes() {
    // One value more than heads: the cycles of the run that counted the pipe, of which the last one is the share.
    let row = |name: &str, cycles: f64, of: f64| json!({"name": name, "value": [4, cycles, 0.0, of, if 0.0 < of { cycles / of } else { 0.0 }]});
    let pipes = json!({"table_name": "Pipe", "size": [3, 5],
        "header_name": ["", "instructions", "cycle", "throughput", "active rate(%)"],
        "row": [row("MTE2", 977.0, 6_138.0), row("MTE3", 689.0, 6_959.0), row("Scalar", 3_278.0, 0.0)]});
    let (mut doc, _) = open_one("visualize_data.bin", container(&json!([pipes]), &json!([]), &json!([])));
    let active = |pipe: &str| cell(table(&doc, "pipes"), &["vector", pipe], "Active");
    assert!(is_near(active("MTE2").unwrap(), 97_700.0 / 6_138.0));
    assert!(is_near(active("MTE3").unwrap(), 68_900.0 / 6_959.0));
    assert_eq!(active("Scalar"), None, "of what its cycles are is not there");
    assert_eq!(cell(table(&doc, "memory-table-pipe"), &["MTE2"], "All cycles"), Some(2.0 * 6_138.0));
    let bound = tile(&doc.whole_overview(), "Bound by").comparison.to_string();
    assert!(bound.contains("is not known: Scalar is active in 6,556 cycles"), "{bound}");
}

/// A container that knows nothing of pipes and comes near to a roof.
fn near(x: f64, y: f64, advice: &str) -> Vec<u8> {
    let roof = json!({"bw": 1.6, "bw_name": "HBM Read + Write", "computility": 324.4,
        "computility_name": "Cube_FP(100.000000%)", "point": [x, y], "ratio": (y / (1.6 * x).min(324.4)).to_string()});
    let info = json!({"name": "Op", "soc": "Ascend910B2", "op_type": "cube", "duration": 130.0, "advice": [],
        "block_dim": "20", "mix_block_dim": ""});
    let chart = json!({"advice": advice, "multiple_rooflines": [{"title": "HBM/L2", "rooflines": [roof]}]});
    Container::default().json(5, &info).json(0xd, &chart).0
}

#[test]
fn an_operator_near_to_a_roof_is_bound_by_it() {
    let by_memory = overview(near(20.0, 28.0, "memory bound"));
    let bound = tile(&by_memory, "Bound by");
    assert_eq!(bound.value.to_string(), "memory");
    assert!(bound.comparison.to_string().contains("87.5 % of its roof"), "{}", bound.comparison);
    assert!(bound.comparison.to_string().contains("HBM"), "{}", bound.comparison);
    // What the writer says stands there as what the writer says.
    let said = found(&by_memory, "ascend-writer")[0];
    assert!(said.said(Language::En).contains("87.5 %"), "{}", said.sentence);
    let quote = &said.quotes[0];
    assert_eq!((quote.writer.as_str(), quote.text.to_string().as_str()), ("msprof op", "memory bound"));
    let by_compute = overview(near(1_000.0, 300.0, "compute bound"));
    assert_eq!(tile(&by_compute, "Bound by").value.to_string(), "compute");
    // Far from it nothing is said of what bounds.
    let far = overview(near(20.0, 8.0, "latency bound:pipeline caused"));
    assert_eq!(tile(&far, "Bound by").value.to_string(), "–");
    assert_eq!(found(&far, "ascend-roof").len(), 1);
}

#[test]
fn numbers_of_one_unit_have_one_scale_in_exports() {
    let all = data(&uneven(140.0).overview(), &[]);
    let mut seen = 0;
    for rule in all["rules"].as_array().unwrap() {
        for limit in rule["thresholds"].as_array().unwrap().iter().filter(|limit| limit["unit"] == "%") {
            let (name, value) = (limit["name"].as_str().unwrap(), limit["value"].as_f64().unwrap());
            assert!((2.0..=100.0).contains(&value), "{name}: {value}");
            assert!(!name.contains('%'), "its unit stands behind the value: {name}");
            seen += 1;
        }
    }
    assert!(5 < seen, "{seen}");
    let imbalance = all["findings"].as_array().unwrap();
    let scalar = imbalance.iter().find(|one| one["code"] == "ascend-scalar-bound").unwrap();
    assert_eq!((&scalar["value"], &scalar["unit"]), (&90.0.into(), &"%".into()));
}

#[test]
fn times_of_some_blocks_say_so() {
    let told = |known: &[usize]| {
        let unit = |block: &usize| {
            let cycles = if *block == 0 { 180_000.0 } else { 90_000.0 };
            Unit1::new(*block, "vector0", cycles, &[("scalar", 0.9, 0.0), ("mte2", 0.1, 0.0)])
        };
        let units = known.iter().map(unit).collect();
        let overview = Files { kind: "vector", duration: Some(101.0), n_blocks: 4, units }.overview();
        let line = found(&overview, "ascend-imbalance")[0].line.to_string();
        (tile(&overview, "Cores").comparison.to_string(), line)
    };
    let (cores, line) = told(&[0, 2]);
    assert_eq!(cores, "slowest 1.33 times the mean; times of 2 of 4 blocks");
    assert!(line.ends_with("The file has times of 2 of 4 blocks."), "{line}");
    let (cores, line) = told(&[0, 1, 2, 3]);
    assert!(!cores.contains("blocks") && !line.contains("The file has"), "{cores}: {line}");
}
