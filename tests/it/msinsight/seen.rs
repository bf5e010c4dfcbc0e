//! What a reader concludes from pictures: colors of cores that hardly differ, labels of rooflines, what is missing and why,
//! what folds because it says nothing.

use super::advice;
use super::family;
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::{Container, NO_VERSION};
use crate::words::chinese;
use lanescope::analysis::finding::plain;
use lanescope::base::geometry::Size;
use lanescope::base::map::Set;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw;
use lanescope::draw::page::{self, Need, ROWS, place};
use lanescope::draw::style::DrawStyle;
use lanescope::model::figure::{Body, CHART, CoreGrid, Figure, FigureState};
use lanescope::scene::palette::{Ink, Palette, RampName};
use lanescope::scene::{Scene, Shape};
use lanescope::wire::figures::{FamilyHead, FigureQuery, Frame, Reply, TableHead};
use lanescope::wire::{Answer, Query};

use serde_json::{Value, json};

fn container(blocks: &[(u8, Value)]) -> Vec<u8> {
    blocks.iter().fold(Container::default(), |file, (kind, json)| file.json(*kind, json)).0
}

pub(super) fn of_blocks(blocks: &[(u8, Value)]) -> Document {
    let (doc, ready) = open_one("visualize_data.bin", container(blocks));
    assert!(ready);
    doc
}

fn drawn(figure: &Figure, width: f32, language: Language) -> Scene {
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language };
    let size = Size { w: width, h: draw::height(figure, width, language) };
    draw::draw(figure, size, &look, &FigureState::default())
}

fn texts(scene: &Scene) -> Vec<&str> {
    scene
        .shapes
        .iter()
        .filter_map(|s| if let Shape::Text { text, .. } = s { Some(text.as_str()) } else { None })
        .collect()
}

fn fills(scene: &Scene) -> Vec<Ink> {
    scene
        .shapes
        .iter()
        .filter_map(|s| if let Shape::Fill { ink, .. } = s { Some(*ink) } else { None })
        .collect()
}

/// Twelve cores of a mix operator; every third has no second vector unit. `spread` is how far the slowest vector unit is
/// from the others, as a share.
fn occupancy(spread: f64) -> Value {
    let cores = (0..12_u32).map(|core| {
        let unit = |id: u32, kind: &str, cycles: f64| json!({"subcore_id": id, "subcore_type": kind, "cycles": cycles.round()});
        let slow = if core == 7 { 1.0 + spread } else { 1.0 };
        let mut units = vec![unit(0, "cube", 400_000.0 + f64::from(core)), unit(0, "vector", 1_000_000.0 * slow)];
        if core % 3 != 1 {
            units.push(unit(1, "vector", 1_000_000.0 + 10.0 * f64::from(core)));
        }
        json!({"core_id": core, "core_detail": units})
    });
    json!({"soc": "x", "op_type": "mix", "advice": "", "op_detail": cores.collect::<Vec<_>>()})
}

fn legend(figure: &Figure) -> Vec<String> {
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let scene = draw::legend(figure, &look, None).expect("a legend");
    texts(&scene).into_iter().map(str::to_owned).collect()
}

/// The stop of the ramp by the definition: the distance from the mean of all units of the kind, in eight steps between
/// the ends.
fn stop(grid: &CoreGrid, name: &str, value: f64, end: f64) -> u8 {
    let kind = |name: &str| name.split(' ').next().unwrap().to_owned();
    let cells = grid.cores.iter().flat_map(|core| &core.cells).filter(|cell| kind(&cell.name) == kind(name));
    let values: Vec<f64> = cells.filter_map(|cell| cell.value).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let off = ((value - mean) / mean / end).clamp(-1.0, 1.0);
    ((off * 4.0).round() + 4.0) as u8
}

#[test]
fn numbers_of_cores_below_each_other_have_the_same_decimals() {
    let doc = of_blocks(&[(0x0c, occupancy(0.03))]);
    let cores = family(&doc, "core-occupancy");
    let Body::Cores(grid) = &cores.variants[0].body else { panic!("cores") };
    let mut grid = grid.clone();
    let values = [24_031.0, 24_700.0, 23_400.0, 25_000.0];
    for (cell, value) in grid.cores.iter_mut().flat_map(|core| &mut core.cells).zip(values.iter().cycle()) {
        cell.value = Some(*value);
    }
    let figure = Figure { body: Body::Cores(grid), ..cores.variants[0].clone() };
    let scene = drawn(&figure, 900.0, Language::En);
    let told: Set<&str> = texts(&scene).into_iter().filter(|text| text.ends_with('k')).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told.iter().map(|text| text.len()).collect::<Set<_>>().len(), 1, "{told:?}");
}

#[test]
fn colors_of_cores_are_distances_from_the_mean_and_what_hardly_differs_is_one_color() {
    for (spread, end) in [(0.0026, 5.0), (0.03, 5.0), (0.4, 38.0)] {
        let doc = of_blocks(&[(0x0c, occupancy(spread))]);
        let cores = family(&doc, "core-occupancy");
        let figure = &cores.variants[0];
        let Body::Cores(grid) = &figure.body else { panic!("cores") };
        let cells = grid.cores.iter().flat_map(|core| &core.cells);
        let expected: Vec<Ink> = cells
            .filter_map(|cell| {
                Some(Ink::Stop(RampName::Div, stop(grid, &cell.name, cell.value?, end / 100.0)))
            })
            .collect();
        assert_eq!(fills(&drawn(figure, 900.0, Language::En)), expected, "{spread}");
        let n_colors = expected.iter().collect::<Set<_>>().len();
        assert_eq!(n_colors == 1, spread < 0.005, "{spread}: {expected:?}");
        let ends = [format!("−{end}"), format!("+{end} % from the mean")];
        assert!(ends.iter().all(|end| legend(figure).contains(end)), "{:?}", legend(figure));
        // The levels of the vendor's viewer are there to be chosen; they tell apart what hardly differs.
        assert_eq!(cores.choices[1].options, ["From mean", "Levels 0–10"]);
        let by_level = cores.variant(&[0, 1]).unwrap();
        assert!(legend(by_level).contains(&"Level 0".to_owned()));
        assert_ne!(fills(&drawn(by_level, 900.0, Language::En)), expected);
    }
}

/// A roof with its point; `y` is what was reached.
fn roof(name: &str, bandwidth: f64, ceiling: &str, point: [f64; 2]) -> Value {
    json!({"bw": bandwidth, "bw_name": name, "computility": 320.0, "computility_name": ceiling, "point": point, "ratio": "NA"})
}

#[test]
fn points_of_rooflines_name_the_roof_that_limits_and_charts_are_tabs() {
    let cube = "Cube_FP(100.000000%)";
    let block = json!({"advice": "", "multiple_rooflines": [
        {"title": "Pipe Line Cube", "rooflines": [
            // 16 of 320 right of the ridge; 16 of 5 · 40 left of it.
            roof("MTE3", 4.5, cube, [130.0, 16.0]), roof("MTE2", 5.0, cube, [40.0, 16.0]),
        ]},
        {"title": "HBM/L2", "rooflines": [roof("HBM Read + Write", 1.6, cube, [30.0, 24.0]), roof("L2 Read + Write", 5.4, cube, [25.0, 24.0])]},
        {"title": "HBM/L2", "rooflines": [roof("MTE3", 4.5, cube, [130.0, 16.0])]},
    ]});
    let doc = of_blocks(&[(0x0d, block)]);
    let charts = family(&doc, "roofline-chart");
    assert_eq!(charts.choices[0].name, CHART);
    assert_eq!(charts.choices[0].options, ["HBM/L2", "HBM/L2 2", "Pipe Line Cube"]);
    assert!(page::are_side_by_side(&charts.choices[0]));
    for width in [400.0, 760.0, 1_600.0] {
        let scenes: Vec<Scene> = charts.variants.iter().map(|f| drawn(f, width, Language::En)).collect();
        let said: Vec<Vec<&str>> = scenes.iter().map(texts).collect();
        // The nearest roof says all, the others their names: each point is labeled.
        assert!(
            said[0].contains(&"HBM Read + Write 24 TOps/s")
                && said[0].contains(&"50.0 % of the HBM Read + Write roof"),
            "{said:?}"
        );
        assert!(said[0].contains(&"L2 Read + Write 17.8 %"), "{width}: {said:?}");
        assert!(said[1].contains(&"5.0 % of the Cube_FP(100%) roof"), "{said:?}");
        assert!(said[2].contains(&"8.0 % of the MTE2 roof") && said[2].contains(&"MTE3 5.0 %"), "{said:?}");
        assert!(!said.iter().flatten().any(|text| text.contains("of the MTE3 roof")), "{said:?}");
    }
    let note = |at: usize| charts.variants[at].notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(note(2).contains(&"Nearest roof: MTE2, 8.0 % reached.".to_owned()), "{:?}", note(2));
    assert!(note(1).contains(&"Nearest roof: Cube_FP(100%), 5.0 % reached.".to_owned()), "{:?}", note(1));
    // In a wide place it is tall too.
    assert!(450.0 < draw::height(&charts.variants[0], 1_000.0, Language::En));
    // A window of 1920 px has 1,700 for it: all of them, and half of its height.
    assert!(520.0 <= draw::height(&charts.variants[0], 1_700.0, Language::En));
    let mut doc = doc;
    let need = list(&mut doc).0.into_iter().find(|head| head.id == "roofline-chart").expect("its head").need;
    let [alone, cell] = [&[need][..], &[need, need]].map(|needs| place(needs, 1_700.0)[0].column);
    assert!(need.is_whole() || cell.1 <= alone.1, "{alone:?} {cell:?}");
}

fn missing(doc: &mut Document) -> Vec<String> {
    let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
    assert_eq!(doc.head().missing, report.missing, "the page knows the same");
    for own in &report.missing {
        assert!(report.text.contains(&own.why.to_string()), "{}", report.text);
    }
    report.missing.into_iter().map(|own| own.id).collect()
}

#[test]
fn what_a_file_could_hold_and_does_not_is_said_with_how_to_record_it() {
    let base = json!({"name": "Add", "soc": "Ascend910B2", "op_type": "vector", "duration": 5.0});
    let mut doc = of_blocks(&[(5, base.clone())]);
    let all = ["timeline", "statistics", "source", "core-occupancy", "roofline-chart", "memory-graph"];
    assert_eq!(missing(&mut doc), all);
    let size = Size { w: 800.0, h: 600.0 };
    for view in ["source", "timeline"] {
        let why = doc.svg(view, size, &Palette::default()).unwrap_err();
        assert!(why.contains(&format!("No {view} in this file")) && why.contains("record"), "{why}");
    }
    // What is there is not missed; nor is a block that could not be read: its faults tell.
    let mut doc = of_blocks(&[(5, base.clone()), (0x0c, occupancy(0.1)), (2, json!({"traceEvents": []}))]);
    assert_eq!(missing(&mut doc), ["source", "roofline-chart", "memory-graph"]);
    // CSV files alone lead to the container.
    let csv =
        "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,\n0,vector0,1.5,1500,\n1,vector0,2.5,2500,\n";
    let (mut doc, _) = open(vec![("PipeUtilization.csv".to_owned(), csv.as_bytes().to_vec())], 1 << 16);
    assert!(missing(&mut doc).contains(&"source".to_owned()));
    assert!(doc.svg("source", size, &Palette::default()).unwrap_err().contains("visualize_data.bin"));
}

#[test]
fn cache_misses_are_called_so_and_not_by_the_name_of_their_color() {
    let slice = |name: &str, color: &str, lane: &str| json!({"ph": "X", "name": name, "cname": color, "pid": "core0.veccore0", "tid": lane, "ts": 1.0, "dur": 0.4});
    let events = |kind: &str| {
        json!({"profilingType": kind, "traceEvents": [
            slice("thread_state_runnable", "thread_state_runnable", "CACHEMISS"),
            slice("thread_state_runnable", "", "SCALAR"),
            slice("MOV", "startup", "SCALAR"),
        ]})
    };
    let names = |bytes: Vec<u8>| {
        let (doc, ready) = open_one("trace.json", bytes);
        assert!(ready);
        let trace = doc.trace();
        let tracks = trace.tracks.iter().flat_map(|(_, track)| track.slices.name.iter());
        let mut names: Vec<String> = tracks.map(|name| trace.strings.get(*name).to_owned()).collect();
        names.sort();
        names
    };
    let own = names(events("op").to_string().into_bytes());
    assert_eq!(own, ["Cache miss", "MOV", "thread_state_runnable"]);
    // Elsewhere names are what the file says.
    let other = names(events("x").to_string().into_bytes());
    assert_eq!(other, ["MOV", "thread_state_runnable", "thread_state_runnable"]);
}

#[test]
fn a_slow_clock_is_advice_with_its_share_and_said_once() {
    let info = |clock: u32| {
        json!({"name": "Add", "duration": 5.0, "cur_freq": clock.to_string(), "rated_freq": "1650",
            "advice": ["The current frequency is lower than the rated frequency"], "pid": "1234567"})
    };
    let said = |clock: u32| {
        let doc = of_blocks(&[(5, info(clock))]);
        let figure = &family(&doc, "base-info").variants[0];
        let Body::Facts(facts) = &figure.body else { panic!("facts") };
        let process = facts.facts.iter().find(|fact| fact.name == "Process").unwrap();
        assert_eq!(process.value.with_unit(&process.unit), "1234567");
        figure.advice.iter().map(|advice| (advice.said().to_string(), advice.is_costly)).collect::<Vec<_>>()
    };
    let text = "The chip ran at 800 of 1,650 MHz, 48.5 % of its rated clock: computing takes longer than at full clock.";
    assert_eq!(said(800)[0], (text.to_owned(), true));
    assert!(!said(1_600)[0].1, "three percent are no reason");
    // Without a clock below its rate the writer's sentence is all there is.
    let writer = "msprof op: The current frequency is lower than the rated frequency";
    assert_eq!(said(1_650), [(writer.to_owned(), false)]);
    // In the panel the two are one line, the writer's behind ours.
    let lines = advice(&mut of_blocks(&[(5, info(800))]));
    let [line] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(plain(&line.sentence.to_string()), text);
    assert_eq!(line.quotes.iter().map(|quote| quote.said().to_string()).collect::<Vec<_>>(), [writer]);
}

#[test]
fn sentences_of_the_writer_on_cores_are_chinese_too() {
    chinese();
    let advice = "\t0) core16 vector1 took more time than other vector cores.\n\t1) core1 vector1 took more time than other core.\n\t2) core0 vector1 cache hit rate lower than other core.\n\t3) something else about core3.";
    let mut json = occupancy(0.0);
    json["advice"] = advice.into();
    let doc = of_blocks(&[(0x0c, json)]);
    let said = &family(&doc, "core-occupancy").variants[0].advice;
    let english: Vec<String> = said.iter().take(4).map(|a| a.text.to_string()).collect();
    assert_eq!(
        english,
        [
            "core16 vector1 took more time than other vector cores.",
            "core1 vector1 took more time than other cores.",
            "core0 vector1 cache hit rate lower than other cores.",
            "something else about core3.",
        ]
    );
    for (advice, n) in said.iter().take(3).zip(["16", "1", "0"]) {
        let text = advice.text.text(Language::Zh).into_owned();
        assert!(text.starts_with(&format!("核 {n} vector1")) && text.is_char_boundary(3), "{text}");
        assert!(!text.contains("took") && !text.contains("lower"), "{text}");
    }
}

pub(super) fn list(doc: &mut Document) -> (Vec<FamilyHead>, Vec<TableHead>) {
    match doc.query(&FigureQuery::List).0 {
        Some(Reply::List { families, tables }) => (families, tables),
        other => panic!("{other:?}"),
    }
}

/// Where panels begin and how high the page is, by what each needs: rows are as tall as their tallest column.
pub(super) fn tops(needs: &[Need], width: f32) -> (Vec<f32>, f32) {
    let places = place(needs, width);
    let n_rows = places.iter().map(|p| (p.row.0 - 1) / ROWS + 1).max().unwrap_or(0);
    let height = |row: usize| {
        let of_row = || places.iter().zip(needs).filter(move |(p, _)| (p.row.0 - 1) / ROWS == row);
        let column = |first: usize| -> f32 {
            of_row().filter(|(p, _)| p.column.0 == first).map(|(_, need)| need.height).sum()
        };
        of_row().map(|(p, _)| column(p.column.0)).fold(0.0, f32::max)
    };
    let heights: Vec<f32> = (0..n_rows).map(height).collect();
    let top = |row: usize| heights[..row].iter().sum::<f32>();
    (places.iter().map(|p| top((p.row.0 - 1) / ROWS)).collect(), top(n_rows))
}

#[test]
fn what_says_nothing_folds_to_a_line() {
    let line = |id: u32, hits: u32| json!({"Cacheline Id": id, "Hit": {"Value": [hits, f64::from(hits)], "Address Range": []}, "Miss": {"Value": [0, 0.0], "Address Range": []}});
    let lines = |hits: u32| {
        let all: Vec<Value> = (0..2_000).map(|id| line(id, hits)).collect();
        (0x0e, json!({"Cacheline Records": all}))
    };
    let memory = |value: &str| {
        (
            9,
            json!({"table_per_block": [{"block_id": "0", "table_op_type": "vector", "advice": [], "table_detail": [
            {"table_name": "L1", "size": [2, 2], "header_name": ["", "Requests", "Peak(%)"],
             "row": [{"name": "Read", "value": [value, "0"]}, {"name": "Write", "value": ["0", "NA"]}]}]}]}),
        )
    };
    let mut flat = of_blocks(&[lines(0), memory("0")]);
    let (families, tables) = list(&mut flat);
    assert_eq!(tables[0].flat.as_ref().unwrap().to_string(), "All 2,000 rows have the same values.");
    let l1 = families.iter().find(|f| f.id.starts_with("memory-table")).expect("the table");
    assert!(l1.need.is_whole() && l1.need.height < 100.0, "{:?}", l1.need);
    let svg = flat.svg("details", Size { w: 1_000.0, h: 700.0 }, &Palette::default()).unwrap();
    assert!(svg.contains("All values are 0."));
    // One line that was hit is something, and so is a number among zeros. Maps of one value are nothing.
    let mut other = of_blocks(&[lines(3), memory("7")]);
    let (families, tables) = list(&mut other);
    assert!(tables[0].flat.is_some(), "all lines were hit alike");
    let need = |id: &str| families.iter().find(|f| f.id.starts_with(id)).unwrap().need;
    assert!(
        !need("memory-table").is_whole() && need("cache-hit").is_whole() && need("cache-miss").is_whole()
    );
    let shown = FigureQuery::Figure { id: "cache-hit".to_owned(), chosen: vec![1] };
    let Some(Reply::Figure(shown)) = other.query(&shown).0 else { panic!("a figure") };
    assert_eq!(shown.flat.unwrap().to_string(), "All 2,000 values are 3 events.");
}

#[test]
fn maps_of_one_kind_need_the_same_width() {
    let line = |id: u32| json!({"Cacheline Id": id, "Hit": {"Value": [id * 1_000, 0.25], "Address Range": []}, "Miss": {"Value": [id % 7, 0.5], "Address Range": []}});
    let all: Vec<Value> = (0..1_000).map(line).collect();
    let mut doc = of_blocks(&[(0x0e, json!({"Cacheline Records": all}))]);
    let (families, _) = list(&mut doc);
    let need = |id: &str| families.iter().find(|f| f.id == id).unwrap().need;
    assert_eq!(need("cache-hit"), need("cache-miss"));
    let both = [need("cache-hit"), need("cache-miss")];
    for width in [1_064.0, 1_232.0, 1_712.0] {
        let places = place(&both, width);
        assert_eq!(places[0].column.1, places[1].column.1, "{width}");
    }
    // Texts of both are those of their axes: the same ticks at the same places.
    let ticks = |id: &str| {
        let scene = drawn(&family(&doc, id).variants[0], 600.0, Language::En);
        let all = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Text { at, text, .. } => Some((text.clone(), at.x, at.y)),
            _ => None,
        });
        all.collect::<Vec<_>>()
    };
    let hits = ticks("cache-hit");
    assert!(2 < hits.len(), "{hits:?}");
    assert_eq!(hits, ticks("cache-miss"));
}

#[test]
fn the_memory_chart_stands_on_the_first_screens() {
    let Some(corpus) = super::corpus::ascend() else { return };
    for name in ["cummin_910b2_vector_round2.bin", "matmul_leakyrelu_910b4_mix.bin"] {
        let (mut doc, _) = open_one("visualize_data.bin", std::fs::read(corpus.join(name)).unwrap());
        let (families, tables) = list(&mut doc);
        let needs: Vec<Need> = families.iter().map(|f| f.need).collect();
        let chart = families.iter().position(|f| f.id == "memory-graph").expect("the chart");
        for width in [1_712.0, 1_232.0] {
            let (tops, height) = tops(&needs, width);
            eprintln!("{name} {width}: chart at {}, page {height}", tops[chart]);
            assert!(tops[chart] < 800.0, "{name} {width}: {tops:?}");
            let pipes = families.iter().position(|f| f.id == "pipes").expect("the pipes");
            let end = tops[pipes] + needs[pipes].height;
            assert!(end < 800.0, "{name} {width}: the pipes end at {end}");
        }
        assert!(tables.iter().filter(|t| t.id == "cache-lines").all(|t| t.flat.is_some()));
    }
}

#[test]
fn columns_that_hardly_differ_stay_pale() {
    let row = |block: u32, cycles: u32| format!("{block},vector0,{cycles},{}", block * 10);
    let rows: Vec<String> = (0..16).map(|block| row(block, 1_000_000 + block * 160)).collect();
    let csv = format!("block_id,sub_block_id,aiv_total_cycles,aiv_x\n{}\n", rows.join("\n"));
    let (doc, _) = open(vec![("PipeUtilization.csv".to_owned(), csv.into_bytes())], 1 << 16);
    let scene = drawn(&family(&doc, "csv-blocks").variants[0], 700.0, Language::En);
    let inks = fills(&scene);
    let stops = |column: usize| {
        let cells = inks.iter().filter(|ink| matches!(ink, Ink::Stop(RampName::Seq, _)));
        let own = cells.skip(column).step_by(2).copied();
        own.collect::<Set<_>>().len()
    };
    // 0.24 % apart, and from 0 to 150.
    assert_eq!((stops(0), stops(1)), (1, 9));
}

#[test]
fn statistics_of_slices_of_nanoseconds_have_their_digits() {
    let slice = |at: u32, name: &str, dur: f64| json!({"ph": "X", "name": name, "pid": "core0.veccore0", "tid": "SCALAR", "ts": at, "dur": dur});
    let events = json!({"profilingType": "op", "traceEvents": [slice(0, "MOV", 0.002), slice(1, "MOV", 0.025), slice(2, "ADD", 0.8)]});
    let (mut doc, _) = open_one("trace.json", events.to_string().into_bytes());
    let source =
        lanescope::wire::rows::Source::Statistics(lanescope::analysis::statistics::Options::default());
    let rows = crate::support::rows::page(&mut doc, source, crate::support::rows::wanted(None, "")).page;
    let column = |title: &str| rows.columns.iter().position(|column| column.title == title).unwrap();
    let told = |name: &str, title: &str| {
        let row = rows.rows.iter().find(|row| row[0].text == name).unwrap();
        row[column(title)].text.clone()
    };
    assert_eq!([told("MOV", "Shortest"), told("MOV", "Longest"), told("MOV", "Total")], ["2", "25", "27"]);
    assert_eq!(rows.columns[column("Total")].unit, "ns");
}

/// Facts, cells with their tips, and the headline of an operator that took so long, with two blocks.
fn times(duration: Value, blocks: [&str; 2]) -> (Vec<String>, Vec<(String, String)>, Vec<String>) {
    let rows = [0, 1].map(|at| json!({"value": [at.to_string(), "vector", blocks[at]]}));
    let base = json!({"name": "Add", "op_type": "vector", "block_dim": 120, "duration": duration, "block_detail":
        {"head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows, "size": [3, 3]}});
    let mut doc = of_blocks(&[(5, base)]);
    let Body::Facts(facts) = &family(&doc, "base-info").variants[0].body else { panic!("facts") };
    let own = facts.facts.iter().filter(|fact| ["Duration", "Block dim"].contains(&fact.name.as_str()));
    let facts = own.map(|fact| fact.value.with_unit(&fact.unit)).collect();
    let source = lanescope::wire::rows::Source::Figure {
        id: "block-detail".to_owned(),
        chosen: Vec::new(),
        is_compared: false,
        is_folded: true,
    };
    let page = crate::support::rows::page(&mut doc, source, crate::support::rows::wanted(None, "")).page;
    let cells = page.rows.into_iter().map(|row| (row[2].text.clone(), row[2].full.clone())).collect();
    (facts, cells, doc.trace().headline.clone())
}

#[test]
fn short_times_have_the_unit_of_their_head_and_whole_numbers_stay_whole() {
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (facts, cells, headline) = times(json!("0.5"), ["0.25", "0.015556"]);
    assert_eq!((facts, headline), (text(&["500 ns", "120"]), text(&["vector", "500 ns"])));
    let pair = |text: &str, full: &str| (text.to_owned(), full.to_owned());
    assert_eq!(cells, [pair("0.2500", "250 ns"), pair("0.0156", "15.556 ns")]);
    let (facts, cells, headline) = times(json!(120), ["120", "96.000000"]);
    assert_eq!((facts, headline), (text(&["120 µs", "120"]), text(&["vector", "120 µs"])));
    assert_eq!(cells, [pair("120", "120 µs"), pair("96", "96 µs")]);
    let (_, cells, _) = times(json!(120), ["120", "96.5"]);
    assert_eq!(cells, [pair("120.000", "120 µs"), pair("96.500", "96.5 µs")]);
    // Beside longer ones too.
    let (_, cells, _) = times(json!(120), ["120.25", "0.58008"]);
    assert_eq!(cells, [pair("120.250", "120.25 µs"), pair("0.580", "580.08 ns")]);
}

#[test]
fn large_counts_of_maps_are_not_told_by_the_digits_of_singles() {
    let row = |block: u32| json!({"block_id": block, "block_type": "cube0", "name": "Busy", "unit": 1, "value": 20_000_001 + block * u32::from(block < 40)});
    let rows: Vec<Value> = (0..90).map(row).collect();
    let mut doc = of_blocks(&[(7, json!({"subblock_detail": rows}))]);
    let frame = Frame { id: "compute-workload-table-blocks".to_owned(), ..Frame::default() };
    let size = Size { w: 600.0, h: 1_200.0 };
    let at = |y: f32| lanescope::base::geometry::Point { x: 300.0, y };
    let mut read = |y: f32| {
        let ask = FigureQuery::ReadOut { frame: frame.clone(), size, at: at(y) };
        match doc.query(&ask).0 {
            Some(Reply::ReadOut(said)) => said,
            other => panic!("{other:?}"),
        }
    };
    let said = (0..120).find_map(|step| read(10.0 * step as f32)).expect("a cell");
    assert!(said.contains("\t≈ 20,000,0") && said.ends_with(" instructions"), "{said}");
}

#[test]
fn one_word_names_a_type_of_cores() {
    let base = json!({"name": "Add", "op_type": "aiv", "block_detail": {"head_name": ["Block ID", "Core Type", "Duration (μs)"],
        "row": [{"value": ["0", "aiv", "4.9"]}, {"value": ["1", "vector", "5.9"]}], "size": [3, 3]}});
    let doc = of_blocks(&[(5, base)]);
    let Body::Table(table) = &family(&doc, "block-detail").variants[0].body else { panic!("table") };
    assert!(table.rows.iter().all(|row| row[1].plain() == "vector"), "{:?}", table.rows);
    let csv = "Op Name,Op Type,Task Duration(us),Pid\nAdd,aiv,5.5,694745\n";
    let (doc, _) = open(vec![("OpBasicInfo.csv".to_owned(), csv.as_bytes().to_vec())], 1 << 16);
    assert_eq!(doc.trace().headline[0], "vector");
    // A number that names a process has no separators.
    let pid = doc.trace().tables[0].columns.iter().find(|column| column.name == "Pid").unwrap();
    assert!(matches!(&pid.cells, lanescope::model::TableCells::Texts(texts) if texts[0] == "694745"));
}

#[test]
fn unread_blocks_are_not_called_missing() {
    let file = Container::default().block(2, NO_VERSION, b"not json").0;
    let (doc, _) = open_one("visualize_data.bin", file);
    assert!(doc.head().missing.iter().all(|own| own.id != "timeline"));
}
