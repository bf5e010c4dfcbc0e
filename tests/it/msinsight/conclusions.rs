//! What is concluded of an operator: which pipe bounds it, which blocks are slow, and that one fact is told once. On
//! generated operators of several blocks and units, of which some are missing, and on the corpus.

use super::corpus::ascend;
use super::{advice, family, sentences};
use crate::support::front_door::{files_of, fixtures, open, open_one};
use crate::support::make_ascend::Container;
use lanescope::analysis::finding::plain;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::wire::figures::{AdviceLine, FigureQuery, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// The rows of the figure of pipes: core type and pipe, then the numbers.
fn pipes(doc: &Document) -> Vec<(String, Vec<Option<f64>>)> {
    let Body::Table(table) = &family(doc, "pipes").variants[0].body else { panic!("a table") };
    let text = |cell: &Cell| if let Cell::Text(text) = cell { text.clone() } else { String::new() };
    let row = |row: &Vec<Cell>| {
        (format!("{} {}", text(&row[0]), text(&row[1])), row[2..].iter().map(Cell::as_number).collect())
    };
    table.rows.iter().map(row).collect()
}

/// One unit of a block: its table, its cycles, and of each pipe cycles of work and of waiting.
type Unit<'a> = (&'a str, f64, &'a [(&'a str, f64, f64)]);

/// A mix operator: of each block its units. The cube or vector itself is among the pipes, and stands in 0x08.
fn container(blocks: &[&[Unit]]) -> Vec<u8> {
    let (mut graphs, mut tables) = (Vec::new(), Vec::new());
    for (n, units) in blocks.iter().enumerate() {
        let mut graph = json!({"core_no": n.to_string(), "op_type": "mix", "soc": "910B", "memory_unit": [],
            "advice": ["aicore compute usage lower than 20%", "aivector compute usage lower than 20%"]});
        let mut of_block = Vec::new();
        for (name, total, pipes) in *units {
            let key = match *name {
                "Pipe Cube" => "Cube",
                "Pipe Vector Core0" => "Vector",
                _ => "Vector1",
            };
            let is_compute = |pipe: &str| matches!(pipe, "Cube" | "Vector");
            let compute = pipes.iter().find(|(pipe, ..)| is_compute(pipe)).map_or(0.0, |p| p.1);
            graph[key] = json!({"cycle": compute, "ratio": compute / total * 100.0, "total_cycles": total});
            let rows = pipes.iter().filter(|(pipe, ..)| !is_compute(pipe)).map(|(pipe, active, waiting)| {
                let rate = format!("{:.6}", active / total * 100.0);
                json!({"name": pipe, "value": ["1", active.to_string(), waiting.to_string(), rate, "NA"]})
            });
            of_block.push(json!({"table_name": name, "size": [2, 5], "row": rows.collect::<Vec<_>>(),
                "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"]}));
        }
        graphs.push(graph);
        let low = "bandwidth utilization lower than 80% when active";
        tables.push(json!({"block_id": n.to_string(), "table_op_type": "mix", "table_detail": of_block,
            "advice": [format!("aicore MTE2 {low}"), format!("aivector MTE3 {low}"), format!("aivector MTE3 {low}")]}));
    }
    let file = Container::default().json(8, &json!({"core_memory_map": graphs}));
    file.json(9, &json!({"table_per_block": tables})).0
}

const CUBE: &str = "Pipe Cube";
const VECTOR: &str = "Pipe Vector Core0";
const VECTOR_1: &str = "Pipe Vector Core1";

#[test]
fn what_bounds_each_kind_of_core_is_the_first_sentence() {
    // Blocks of 1,000 and 9,000 cycles; the second block has no second vector unit.
    let blocks: [&[Unit]; 2] = [
        &[
            (CUBE, 1_000.0, &[("Scalar", 500.0, 10.0), ("FIXP", 900.0, 0.0), ("Cube", 100.0, 0.0)]),
            (VECTOR, 1_000.0, &[("Scalar", 300.0, 1.0), ("MTE3", 100.0, 5.0), ("Vector", 10.0, 0.0)]),
            (VECTOR_1, 800.0, &[("Scalar", 200.0, 1.0), ("MTE3", 600.0, 5.0), ("Vector", 10.0, 0.0)]),
        ],
        &[
            (CUBE, 9_000.0, &[("Scalar", 8_700.0, 30.0), ("FIXP", 900.0, 0.0), ("Cube", 80.0, 0.0)]),
            (VECTOR, 9_000.0, &[("Scalar", 2_700.0, 2.0), ("MTE3", 900.0, 5.0), ("Vector", 10.0, 0.0)]),
        ],
    ];
    let (mut doc, ready) = open_one("visualize_data.bin", container(&blocks));
    assert!(ready);
    // Cubes: 9,200 of 10,000 cycles, where the mean of 50 % and 96.7 % is 73.3; FIXP 1,800 of them, not (90 + 10) / 2 %.
    // Vectors: 3,200 and 1,600 of 10,800 cycles, and 30: together 44.7 %.
    let said = sentences(&mut doc);
    assert_eq!(
        said,
        [
            "Scalar is the bottleneck of the cube cores: active in 92.0 % of their cycles, then FIXP in 18.0 %. Cube is active in 1.8 %.",
            "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 29.6 %, MTE3 in 14.8 %. No recorded pipe is active in at least 55.2 %. Vector is active in 0.3 %.",
            // Nothing is known of this pipe, so the words of the writer stand.
            "aicore MTE2 bandwidth utilization lower than 80% when active",
            "The busiest pipe of the vector cores, Scalar, is active in 29.6 % of their time, that of the cube cores, Scalar, in 92.0 %.",
            "msprof op says that MTE3 of the vector cores uses less than 80 % of its peak bandwidth while it moves data, in 14.8 % of the cycles.",
        ]
    );
    // What the writer says of the same stands behind ours as its own words, once; where it is alone, it is marked.
    let lines = advice(&mut doc);
    let quoted: Vec<Vec<String>> =
        lines.iter().map(|line| line.quotes.iter().map(|quote| quote.said().to_string()).collect()).collect();
    let behind: [&[&str]; 5] = [
        &["msprof op: aicore compute usage lower than 20%"],
        &["msprof op: aivector compute usage lower than 20%"],
        &[],
        &[],
        &["msprof op: aivector MTE3 bandwidth utilization lower than 80% when active"],
    ];
    assert_eq!(quoted, behind);
    assert_eq!(
        lines.iter().map(|line| line.writer.as_str()).collect::<Vec<_>>(),
        ["", "", "msprof op", "", ""]
    );
    // Means by a naive twin: sum over sum of the units that have the pipe.
    for (name, numbers) in pipes(&doc) {
        let own: Vec<(f64, f64, f64)> = blocks
            .iter()
            .flat_map(|units| units.iter())
            .filter(|unit| unit.0.to_lowercase().contains(name.split(' ').next().unwrap()))
            .filter_map(|unit| Some((unit.1, unit.2.iter().find(|p| name.ends_with(p.0))?)))
            .map(|(total, pipe)| (total, pipe.1, pipe.2))
            .collect();
        let sum = |of: fn(&(f64, f64, f64)) -> f64| own.iter().map(of).sum::<f64>();
        let shares = || own.iter().map(|(total, active, _)| active / total * 100.0);
        let expected = [
            sum(|u| u.1) / sum(|u| u.0) * 100.0,
            shares().fold(f64::MAX, f64::min),
            shares().fold(0.0, f64::max),
        ];
        for (found, expected) in numbers.iter().zip(expected) {
            assert!((found.unwrap() - expected).abs() < 1e-9, "{name}: {numbers:?} {expected}");
        }
        let cycles = numbers.last().unwrap().unwrap();
        assert_eq!(cycles, sum(|u| u.1), "{name}");
        if !name.ends_with("Cube") && !name.ends_with("Vector") {
            let waiting = sum(|u| u.2) / sum(|u| u.0) * 100.0;
            assert!((numbers[5].unwrap() - waiting).abs() < 1e-9, "{name}: {numbers:?}");
        }
    }
}

#[test]
fn a_pipe_that_bounds_one_block_is_named_though_another_is_busier_on_average() {
    let blocks: [&[Unit]; 2] = [
        &[(VECTOR, 1_000.0, &[("Scalar", 500.0, 1.0), ("MTE2", 100.0, 5.0)])],
        &[(VECTOR, 1_000.0, &[("Scalar", 500.0, 1.0), ("MTE2", 850.0, 5.0)])],
    ];
    let mut doc = open_one("visualize_data.bin", container(&blocks)).0;
    let text = "No pipe of the vector cores is active in 80 % of their cycles on average: Scalar is active in 50.0 %, MTE2 in 47.5 %; MTE2 is the bottleneck of single cores at up to 85.0 %. Vector is active in 0.0 %.";
    assert_eq!(sentences(&mut doc)[0], text);
    // With its waiting the table fits a window of 1280 beside the rail.
    let answer = doc.query(&FigureQuery::List).0;
    let Some(Reply::List { families, .. }) = answer else { panic!("{answer:?}") };
    let need = families.iter().find(|family| family.id == "pipes").unwrap().need;
    assert!(need.least <= 1_060.0, "{need:?}");
}

#[test]
fn waiting_limits_cores_only_where_it_is_recorded() {
    let said = |pipes: &[(&str, f64, f64)]| {
        let blocks: [&[Unit]; 2] = [&[(VECTOR, 1_000.0, pipes)], &[(VECTOR, 1_000.0, pipes)]];
        sentences(&mut open_one("visualize_data.bin", container(&blocks)).0)[0].clone()
    };
    // 615 + 383 + 10 of 1,000 cycles: the pipes hardly overlap, and hardly wait.
    assert_eq!(
        said(&[("Scalar", 615.0, 0.0), ("MTE3", 383.0, 32.0), ("MTE2", 10.0, 4.0)]),
        "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 61.5 %, MTE3 in 38.3 %. All pipes add up to 100.8 %, as if they took turns. Vector is active in 0.0 %."
    );
    assert_eq!(
        said(&[("Scalar", 300.0, 0.0), ("MTE3", 100.0, 550.0), ("MTE2", 50.0, 20.0)]),
        "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 30.0 %, MTE3 in 10.0 %. No recorded pipe is active in at least 55.0 %. MTE3 waits in 55.0 %. Vector is active in 0.0 %."
    );
    // Of three that read as much the first alone is not the next.
    assert_eq!(
        said(&[("Scalar", 300.0, 0.0), ("MTE3", 200.0, 0.0), ("MTE2", 200.0, 0.0)]),
        "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 30.0 %, MTE2 and MTE3 in 20.0 %. No recorded pipe is active in at least 30.0 %. Vector is active in 0.0 %."
    );
    // One core's pipes overlap, the other's leave it idle: 70 + 69 and 30 + 29 %, not 99 as on average.
    let one = |scalar: f64, mte3: f64| [("Scalar", scalar, 0.0), ("MTE3", mte3, 0.0)];
    let (full, idle) = (one(700.0, 690.0), one(300.0, 290.0));
    let blocks: [&[Unit]; 2] = [&[(VECTOR, 1_000.0, &full)], &[(VECTOR, 1_000.0, &idle)]];
    assert_eq!(
        sentences(&mut open_one("visualize_data.bin", container(&blocks)).0)[0],
        "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 50.0 %, MTE3 in 49.0 %. Vector is active in 0.0 %."
    );
    // Pipes that overlap may leave any part free, or none.
    assert_eq!(
        said(&[("Scalar", 700.0, 0.0), ("MTE3", 600.0, 0.0), ("MTE2", 50.0, 0.0)]),
        "No pipe of the vector cores is active in 80 % of their cycles: Scalar is active in 70.0 %, MTE3 in 60.0 %. Vector is active in 0.0 %."
    );
}

/// 0x06 of two blocks with a share of cycles in this unit: 250 of 1,000 and 1,000 of 2,000 cycles, of which 100 wait.
fn load(unit: u32, per: f64) -> Container {
    let row = |block: u32, name: &str, share: f64, cycles: u32| json!({"block_id": block.to_string(), "block_type": "cube0", "name": name, "unit": unit, "value": share / per, "origin_value": cycles});
    let rows = [
        row(0, "Cube All Active", 25.0, 250),
        row(0, "Cube Wait", 10.0, 100),
        row(1, "Cube All Active", 50.0, 1_000),
        row(1, "Cube Wait", 5.0, 100),
    ];
    Container::default().json(6, &json!({"subblock_detail": rows}))
}

#[test]
fn the_workload_alone_has_pipes_too_and_files_that_say_more_come_first() {
    // Old writers call the same shares instructions.
    for (unit, per) in [(3, 1.0), (1, 100.0)] {
        let doc = open_one("visualize_data.bin", load(unit, per).0).0;
        let [(name, row)] = &pipes(&doc)[..] else { panic!("{:?}", pipes(&doc)) };
        // Block at the most, the longest block, waiting, and all active cycles: 1,250 and 200 of 3,000.
        let expected = [1_250.0 / 30.0, 25.0, 50.0, f64::NAN, 50.0, 200.0 / 30.0, 5.0, 10.0, 1_250.0];
        assert_eq!((name.as_str(), row.len()), ("cube Cube", expected.len()));
        for (found, expected) in row.iter().zip(expected) {
            assert!(found.is_none_or(|found| (found - expected).abs() < 1e-9), "{unit}: {row:?}");
        }
    }
    // 0.015556 of 9,126.243164 µs are 28 of 16,427,237 cycles, its ratio would be 33; ratios alone give whole cycles.
    let csv = "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_mte2_ratio,\n\
        0,vector0,9126.243164,16427237,0.015556,0.000002,0.013399,\n";
    let doc = open(vec![("PipeUtilization.csv".to_owned(), csv.as_bytes().to_vec())], 1 << 16).0;
    let cycles: Vec<Option<f64>> = pipes(&doc).iter().map(|(_, row)| row[row.len() - 1]).collect();
    assert_eq!(cycles, [Some(220_109.0), Some(28.0)]);
    let csv = "block_id,sub_block_id,aic_total_cycles,aic_cube_ratio,aic_scalar_ratio,aic_mte2_ratio,\n\
        0,cube0,1000,0.25,0.9,0.2,\n1,cube0,2000,0.5,0.9,0.3,\n";
    let files = [("visualize_data.bin", load(3, 1.0).0), ("PipeUtilization.csv", csv.as_bytes().to_vec())];
    let mut doc = open(files.map(|(name, bytes)| (name.to_owned(), bytes)).to_vec(), 1 << 16).0;
    let names: Vec<String> = pipes(&doc).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["cube Scalar", "cube MTE2", "cube Cube"]);
    let text =
        "Scalar is the bottleneck of the cube cores: active in 90.0 % of their cycles, then Cube in 41.7 %.";
    assert_eq!(sentences(&mut doc)[0], text);
}

#[test]
fn container_and_csv_files_name_the_same_limiter() {
    let Some(root) = ascend() else { return };
    let bin = |path: &str| open_one("visualize_data.bin", fs::read(root.join(path)).unwrap()).0;
    // By hand from the files: 298,392,696 of 318,570,598 cycles, 12,822,872, and 992 of the vector unit.
    let mut doc = bin("cummin_910b2_vector_round2.bin");
    assert_eq!(
        sentences(&mut doc),
        [
            "Scalar is the bottleneck of the vector cores: active in 93.7 % of their cycles, then MTE3 in 4.0 %. Vector is active in 0.000311 %.",
            "The slowest vector unit takes 1.65 times the mean of all 32 units.",
            "The operator runs on 32 of 48 vector cores.",
            "L2 serves 55.4 % of the cores' requests; 102,386 requests go to memory.",
            "msprof op says that MTE2 of the vector cores uses less than 80 % of its peak bandwidth while it moves data, in 2.2 % of the cycles.",
        ]
    );
    // What is said of another pipe in the same words stands with it.
    assert_eq!(
        advice(&mut doc)[4].line.to_string(),
        "msprof op says that MTE3 of the vector cores uses less than 80 % of its peak bandwidth while it moves data, in 4.0 % of the cycles."
    );
    let even = "16 even blocks took 9.120 ms on average, 16 odd blocks 1.941 ms: 4.70 times as long. With an even split, all would take 5.531 ms instead of 9.131 ms, 39.4 % less.";
    assert_eq!(advice(&mut doc)[1].line.to_string(), even);
    let rows = pipes(&doc);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["vector Scalar", "vector MTE2", "vector MTE3", "vector Vector"]);
    for (at, expected) in [(0, [93.666_113, 79.752_586, 96.580_841]), (1, [2.248_316, 1.317_909, 6.648_403])]
    {
        for (found, expected) in rows[at].1.iter().zip(expected) {
            assert!((found.unwrap() - expected).abs() < 1e-3, "{:?}", rows[at]);
        }
    }
    // The same run as a container, as CSV files, and as both.
    let folder = files_of(&root.join("OPPROF_cummin_round3"));
    let first = |is_meant: fn(&str) -> bool| {
        let files = folder.iter().filter(|(name, _)| is_meant(name)).cloned().collect();
        let mut doc = open(files, 1 << 16).0;
        let lines = advice(&mut doc);
        [plain(&lines[0].sentence.to_string()), lines[1].line.to_string()]
    };
    let both = first(|_| true);
    assert!(both[0].starts_with(
        "Scalar is the bottleneck of the vector cores: active in 93.9 % of their cycles, then MTE3 in 4.0 %."
    ));
    assert!(
        both[1].starts_with("16 even blocks took 9.130 ms on average, 16 odd blocks 1.946 ms: 4.69 times")
    );
    assert_eq!(first(|name| name.ends_with(".bin")), both);
    let csv = first(|name| name.ends_with(".csv"));
    assert_eq!(csv[1], both[1]);
    // Six decimals of a share are too few for 28 of 16 million cycles, those of a time are not.
    assert_eq!(csv[0], both[0]);
}

#[test]
fn a_mix_operator_has_a_sentence_for_each_kind_of_core() {
    let Some(root) = ascend() else { return };
    let bytes = fs::read(root.join("matmul_leakyrelu_910b4_mix.bin")).unwrap();
    let mut doc = open_one("visualize_data.bin", bytes).0;
    let said = sentences(&mut doc);
    // Cubes: Scalar 798,206, FIXP 436,676, Cube 92,100 of 827,083. Vectors: MTE3 95,277, Scalar 83,220, MTE2 59,032,
    // Vector 26,368 of 1,257,894.
    assert_eq!(
        said[..2],
        [
            "Scalar is the bottleneck of the cube cores: active in 96.5 % of their cycles, then FIXP in 52.8 %. Cube is active in 11.1 %.",
            "No pipe of the vector cores is active in 80 % of their cycles: MTE3 is active in 7.6 %, Scalar in 6.6 %. No recorded pipe is active in at least 79.0 %. Vector is active in 2.1 %.",
        ]
    );
    // One vector unit against the other is one fact, told of the durations; cycles and the writer repeat it.
    assert!(said.iter().all(|text| !text.contains("took")), "{said:?}");
    let slowest = "The slowest vector unit takes 1.30 times the mean of all 4 units.";
    let lines = advice(&mut doc);
    let slow: Vec<&AdviceLine> =
        lines.iter().filter(|line| plain(&line.sentence.to_string()) == slowest).collect();
    let [slow] = &slow[..] else { panic!("{said:?}") };
    let line = slow.line.to_string();
    assert!(line.starts_with(
        "vector1 of 2 blocks took 247.909 µs on average, vector0 of 2 blocks 133.271 µs: 1.86 times as long."
    ));
    // The cubes of the same blocks take 250.377579 and 250.884842 µs.
    assert!(line.ends_with(
        "but cube0 takes up to 250.885 µs: unless that shrinks too, the operator would not be faster."
    ));
    let quotes: Vec<String> = slow.quotes.iter().map(|quote| quote.said().to_string()).collect();
    assert!(
        !quotes.is_empty() && quotes.iter().all(|said| said.contains("took more time than other")),
        "{quotes:?}"
    );
    assert!(
        said.iter().all(|text| !text.contains("lower than 20%")
            && !text.contains("lower than 80%")
            && !text.contains("took more time")),
        "{said:?}"
    );
}

/// A container of a vector operator whose blocks took so long.
fn blocks(times: &[f64], cores: Option<Value>) -> Vec<u8> {
    let row = |(n, time): (usize, &f64)| json!({"value": [n.to_string(), "vector", time.to_string()]});
    let rows: Vec<Value> = times.iter().enumerate().map(row).collect();
    let detail = json!({"head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows, "size": [times.len() + 1, 3]});
    let info = json!({"name": "k", "soc": "Ascend910B2", "op_type": "vector", "duration": 100.0, "block_detail": detail});
    let file = Container::default().json(5, &info);
    cores.map_or(file.0.clone(), |cores| Container(file.0).json(12, &cores).0)
}

#[test]
fn two_groups_of_blocks_are_two_groups_and_no_median() {
    let said = |times: &[f64]| {
        let doc = open_one("visualize_data.bin", blocks(times, None)).0;
        let advice = &family(&doc, "block-detail").variants[0].advice;
        (
            advice.iter().map(|a| a.text.to_string()).collect::<Vec<_>>(),
            advice.first().map(|a| a.rows.clone()),
        )
    };
    let (text, rows) = said(&[99.0, 20.0, 97.0, 20.0, 98.0, 20.0]);
    assert_eq!(
        text,
        [
            "3 even blocks took 98.000 µs on average, 3 odd blocks 20.000 µs: 4.90 times as long. With an even split, all would take 59.000 µs instead of 99.000 µs, 40.4 % less."
        ]
    );
    assert_eq!(rows.unwrap().len(), 3);
    let (text, _) = said(&[98.0, 98.0, 20.0, 20.0, 20.0, 20.0]);
    assert!(
        text[0].starts_with("2 blocks (0 to 1) took 98.000 µs on average, 4 blocks (2 to 5) 20.000 µs"),
        "{text:?}"
    );
    assert_eq!(
        said(&[80.0, 20.0, 80.0]).0,
        [
            "Block 2 took 80.000 µs, 4.00 times as long as block 1 (20.000 µs). With an even split, all would take 60.000 µs instead of 80.000 µs, 25.0 % less.",
            "20.000 µs of 100.000 µs, 20.0 % of the time, were spent outside the longest block: before and after all blocks or, with more blocks than cores, in blocks that ran before and after it."
        ]
    );
    // The operator took 100 µs: what its blocks took beyond that is no measure of a saving.
    let odd = "These times exceed the operator's duration of 100.000 µs, so they do not show what an even split would save.";
    assert!(said(&[608.0, 605.0, 4.0, 4.0]).0[0].ends_with(odd));
    // One slow block is one, and the median is that of all others.
    assert_eq!(
        said(&[50.0, 50.0, 98.0, 50.0, 50.0]).0,
        ["Block 2 took 98.000 µs, 96 % longer than the median."]
    );
    assert!(said(&[98.0; 8]).0.is_empty());
    // Blocks may have run one after the other on a core: what passes outside of one is not outside of all.
    let outside = "60.000 µs of 100.000 µs, 60.0 % of the time, were spent outside the";
    let waves = "before and after all blocks or, with more blocks than cores, in blocks that ran before and after it.";
    assert_eq!(said(&[40.0; 4]).0, [format!("{outside} longest block: {waves}")]);
    assert_eq!(said(&[40.0]).0, [format!("{outside} only block.")]);
    // Blocks without a time are not blocks of no time: neither groups nor all of the duration outside of them.
    assert_eq!(said(&[98.0, 97.0, 98.0, 0.0, 0.0]).0, [""; 0]);
    assert_eq!(said(&[0.0; 3]).0, [""; 0]);
}

#[test]
fn a_slow_block_is_measured_by_blocks_of_its_kind() {
    let times = [("cube", &[30.0, 31.0, 30.0][..]), ("vector", &[20.0, 21.0, 20.0, 60.0, 21.0, 20.0])];
    let rows = times.iter().flat_map(|(kind, times)| {
        times
            .iter()
            .enumerate()
            .map(move |(n, time)| json!({"value": [n.to_string(), kind, time.to_string()]}))
    });
    let rows: Vec<Value> = rows.collect();
    let detail =
        json!({"head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows, "size": [10, 3]});
    // A clock of 0 is none.
    let info = json!({"name": "k", "soc": "Ascend910B2", "op_type": "mix", "duration": 61.0, "cur_freq": 0,
        "rated_freq": 1_650, "block_detail": detail});
    let doc = open_one("visualize_data.bin", Container::default().json(5, &info).0).0;
    let said = |id: &str| -> Vec<String> {
        family(&doc, id).variants[0].advice.iter().map(|a| a.text.to_string()).collect()
    };
    // 60 of the median 20.5 of the vectors, not of the 21 of all.
    assert_eq!(
        said("block-detail"),
        ["Block 3 vector took 60.000 µs, 193 % longer than the median of the vector units."]
    );
    assert_eq!(said("base-info"), [""; 0]);
}

/// Cycles of the vector units of each core; a core may lack one.
pub(super) fn occupancy(cores: &[&[(u32, u32)]]) -> Value {
    let unit = |(number, cycles): &(u32, u32)| {
        json!({"subcore_id": number.to_string(), "subcore_type": "vector", "cycles": cycles.to_string(),
            "throughput": "1", "L2cache_hit_rate": "50"})
    };
    let core = |(id, units): (usize, &&[(u32, u32)])| json!({"core_id": id, "core_detail": units.iter().map(unit).collect::<Vec<_>>()});
    let cores: Vec<Value> = cores.iter().enumerate().map(core).collect();
    json!({"soc": "Ascend910B4", "op_type": "mix", "advice": "", "op_detail": cores})
}

#[test]
fn only_cores_that_have_both_units_compare_them() {
    let said = |cores: &[&[(u32, u32)]]| {
        let file = Container::default().json(12, &occupancy(cores)).0;
        sentences(&mut open_one("visualize_data.bin", file).0)
    };
    // The sum of vector0 is 75 % more than that of vector1 only because core 1 has no vector1.
    assert!(said(&[&[(0, 100), (1, 100)], &[(0, 75)]]).iter().all(|text| !text.contains("vector0 took")));
    assert!(said(&[&[(0, 100), (1, 100)], &[(0, 100)], &[(1, 100)]]).is_empty());
    // In three cores that have both the second takes 10 % more, whatever the fourth does. The slowest of all takes 198 of
    // (100 + 110 + 140 + 154 + 180 + 198 + 190) / 7 = 153.1.
    let cores: [&[(u32, u32)]; 4] =
        [&[(0, 100), (1, 110)], &[(0, 140), (1, 154)], &[(0, 180), (1, 198)], &[(0, 190)]];
    assert_eq!(said(&cores), ["The slowest vector unit takes 1.29 times the mean of all 7 units."]);
    let file = Container::default().json(12, &occupancy(&cores)).0;
    let [slow] = &advice(&mut open_one("visualize_data.bin", file).0)[..] else { panic!("one line") };
    assert_eq!(
        slow.line.to_string(),
        "vector1 took 10 % more cycles than vector0, mean of the 3 cores that have both."
    );
}

#[test]
fn durations_and_cycles_of_one_measurement_are_told_once() {
    let times = [99.0, 20.0, 97.0, 20.0];
    // 1.8 cycles in a nanosecond; the operator is folded in pairs.
    let core = |(id, time): (usize, &f64)| {
        json!({"core_id": id, "core_detail": [{"subcore_id": "0", "subcore_type": "vector",
            "cycles": (time * 1_800.0).to_string(), "throughput": "1", "L2cache_hit_rate": "50"}]})
    };
    let units: Vec<Value> = times.iter().enumerate().map(core).collect();
    let words = "\t1) core0 vector0 took more time than other vector cores.\n\t2) core1 vector0 cache hit rate lower than other core.\n";
    let of = |op_detail: Vec<Value>| json!({"soc": "Ascend910B2", "op_type": "vector", "advice": words, "op_detail": op_detail});
    let mut doc = open_one("visualize_data.bin", blocks(&times, Some(of(units.clone())))).0;
    // 99 of (99 + 20 + 97 + 20) / 4 = 59. What the writer says of the same stands behind it; of something else, it stays.
    let lines = advice(&mut doc);
    let [cores, slow, hits] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(plain(&cores.sentence.to_string()), "The operator runs on 4 of 48 vector cores.");
    assert_eq!(
        plain(&slow.sentence.to_string()),
        "The slowest vector unit takes 1.68 times the mean of all 4 units."
    );
    assert!(slow.line.to_string().starts_with("2 even blocks took 98.000 µs"), "{slow:?}");
    let quotes: Vec<String> = slow.quotes.iter().map(|quote| quote.said().to_string()).collect();
    assert_eq!(quotes, ["msprof op: core0 vector0 took more time than other vector cores."]);
    assert_eq!(hits.sentence.to_string(), "core1 vector0 cache hit rate lower than other cores.");
    assert_eq!(hits.writer, "msprof op");
    // Cycles of another run are another fact.
    let mut other = units;
    other[1]["core_detail"][0]["cycles"] = json!("150000");
    let said = sentences(&mut open_one("visualize_data.bin", blocks(&times, Some(of(other)))).0);
    assert_eq!(said.iter().filter(|text| text.contains("cycles")).count(), 1, "{said:?}");
}

#[test]
fn details_and_the_overview_say_the_same_and_each_sentence_once() {
    let Some(root) = ascend() else { return };
    let names =
        ["cummin_910b2_vector_round2.bin", "cummin_910b2_vector_small.bin", "matmul_leakyrelu_910b4_mix.bin"];
    for name in names {
        let mut doc = open_one("visualize_data.bin", fs::read(root.join(name)).unwrap()).0;
        let overview = doc.whole_overview();
        let lines = advice(&mut doc);
        let of_details = overview.findings.iter().filter(|finding| finding.evidence.view == "details");
        let mut n = 0;
        for finding in of_details.filter(|finding| finding.rule != "ascend-writer") {
            let own = lines.iter().filter(|line| line.sentence == finding.sentence).collect::<Vec<_>>();
            let [own] = &own[..] else { panic!("{name}: {} in {lines:?}", finding.sentence) };
            assert_eq!((&own.line, &own.quotes), (&finding.line, &finding.quotes), "{name}");
            n += 1;
        }
        assert!(2 <= n, "{name}: {n}");
        // Of the writer, too, no sentence is there twice or lost.
        let mut said: Vec<String> = Vec::new();
        for line in &lines {
            said.push(plain(&line.sentence.to_string()));
            said.extend(line.quotes.iter().map(|quote| quote.text.to_string()));
        }
        let texts = |is_meant: fn(&str) -> bool| {
            let figures = doc.trace().figures.iter().flat_map(|family| &family.variants);
            let all = figures.flat_map(|figure| &figure.advice).filter(|advice| is_meant(&advice.writer));
            all.map(|advice| advice.text.to_string()).collect::<BTreeSet<_>>()
        };
        let writer = texts(|writer| !writer.is_empty());
        assert!(3 <= writer.len(), "{name}: {writer:?}");
        for text in writer {
            assert_eq!(said.iter().filter(|own| **own == text).count(), 1, "{name}: {text} in {said:?}");
        }
        said.sort();
        assert!(said.windows(2).all(|two| two[0] != two[1]), "{name}: {said:?}");
    }
}

/// Ids of all figures and tables of some files.
fn ids(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let doc = open(files.to_vec(), 1 << 16).0;
    let figures = doc.trace().figures.iter().flat_map(|family| {
        let options = family.choices.iter().flat_map(|choice| &choice.options);
        let of = move |option: &String| format!("{} {option}", family.id);
        std::iter::once(family.id.clone()).chain(options.map(of))
    });
    figures.chain(doc.trace().tables.iter().map(|table| table.id.clone())).collect()
}

#[test]
fn more_files_never_show_less() {
    let generated = files_of(&fixtures().join("msinsight/folder"));
    let real = ascend().map(|root| files_of(&root.join("OPPROF_cummin_round3")));
    for all in std::iter::once(generated).chain(real) {
        // Every folder with one file left out, against the whole, and the CSV files alone.
        let whole = ids(&all);
        let without = |name: &str| all.iter().filter(|(own, _)| own != name).cloned().collect::<Vec<_>>();
        for (name, _) in &all {
            let less = ids(&without(name));
            let lost: Vec<&String> = less.iter().filter(|id| !whole.contains(id)).collect();
            assert!(lost.is_empty(), "{name} hides {lost:?}");
        }
        assert!(whole.contains(&"core-occupancy".to_owned()));
    }
    // A container with part of what it may hold, beside CSV files.
    let csv: Vec<(String, Vec<u8>)> = files_of(&fixtures().join("msinsight/folder"))
        .into_iter()
        .filter(|(name, _)| name.ends_with(".csv"))
        .collect();
    let alone = ids(&csv);
    let info = json!({"name": "CopyScale", "op_type": "vector", "duration": 101.5});
    for file in [
        Container::default().json(5, &info),
        Container::default().json(0x0f, &json!({"top_stall_reason_table": {"Others": 3}})),
    ] {
        let mut files = csv.clone();
        files.push(("visualize_data.bin".to_owned(), file.0));
        let both = ids(&files);
        let lost: Vec<&String> = alone.iter().filter(|id| !both.contains(id)).collect();
        assert!(lost.is_empty(), "the container hides {lost:?}");
    }
}

#[test]
fn the_choice_of_blocks_has_all() {
    let Some(root) = ascend() else { return };
    let bytes = fs::read(root.join("cummin_910b2_vector_round2.bin")).unwrap();
    let doc = open_one("visualize_data.bin", bytes).0;
    let of_all = |id: &str| {
        let family = family(&doc, id);
        assert_eq!(family.choices[0].options.last().map(String::as_str), Some("All blocks"), "{id}");
        family.variants.last().unwrap().body.clone()
    };
    // Recomputed from the JSON: sums of hits, misses and cycles, and what follows from them.
    let Body::Table(cache) = of_all("memory-table-cache") else { panic!("a table") };
    let numbers = |row: &[Cell]| row[1..].iter().map(|cell| cell.as_number().unwrap()).collect::<Vec<_>>();
    let total = cache.rows.iter().find(|row| row[0] == Cell::Text("L2 Cache Total".to_owned())).unwrap();
    let total = numbers(total);
    assert!((total[3] - total[0] / (total[0] + total[1]) * 100.0).abs() < 1e-9, "{total:?}");
    assert!((total[3] - 55.400_578).abs() < 1e-5, "{total:?}");
    let Body::Table(pipe) = of_all("memory-table-pipe") else { panic!("a table") };
    let scalar = pipe.rows.iter().find(|row| row[0] == Cell::Text("Scalar".to_owned())).unwrap();
    assert_eq!(scalar[2].as_number(), Some(298_392_696.0));
    assert!((scalar[4].as_number().unwrap() - 93.666_113).abs() < 1e-4, "{scalar:?}");
    let Body::Bars(bars) = of_all("compute-workload") else { panic!("bars") };
    assert!((bars.bars[0].values[0].unwrap() - 0.000_311_390_9).abs() < 1e-9, "{:?}", bars.bars[0]);
    let Body::Table(vector) = of_all("compute-workload-vector") else { panic!("a table") };
    let active = vector.rows.iter().find(|row| row[0] == Cell::Text("Vector All Active".to_owned())).unwrap();
    assert!(active.contains(&Cell::Number(128.0)), "4 instructions of each of 32 blocks: {active:?}");
    // The first file of the heat maps is the one on pipes.
    let files = files_of(&root.join("OPPROF_cummin_round3"));
    let doc = open(files, 1 << 16).0;
    assert_eq!(family(&doc, "csv-blocks").choices[0].options[0], "PipeUtilization");
    assert_eq!(
        doc.trace().figures[..2].iter().map(|f| f.id.as_str()).collect::<Vec<_>>(),
        ["base-info", "pipes"]
    );
}
