//! Neutrino: what records of maps add up to, what other programs read of them, kernels before and after they were probed.

mod columns;
mod corpus;
mod kernels;
mod meanings;

use crate::neutrino::make::{Launch, Map, Writer, compile, info, kernel_folder, probes};
use crate::support::front_door::open;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Figure};
use lanescope::wire::figures::{FigureQuery, Reply};

/// A folder with one launch of 0.5 ms of the kernel `copy`, whose files are these.
fn folder(
    launch: &Launch,
    files: &[(&str, &str)],
    fill: impl Fn(&Map, u64, u64) -> Option<Vec<u64>>,
) -> Vec<(String, Vec<u8>)> {
    let name = "./trace/run/result/0.250000.bin";
    let mut log = b"[init] pid 7\n[init] cmd 5 ./app\n".to_vec();
    log.extend(compile("probe", "copy", "0x10", 0, true));
    log.extend(launch.log("0x10", 1_795_220_241_665_226_464, name, [60.5, 0.5, 0.25]).bytes());
    let mut out = vec![
        ("run/event.log".to_owned(), log),
        ("run/probe.toml".to_owned(), probes(launch.maps).into_bytes()),
        ("run/result/0.250000.bin".to_owned(), launch.result(fill)),
        (format!("run/kernel/{}/kernel.info", kernel_folder(0)), info("copy", launch.maps).into_bytes()),
    ];
    for (name, text) in files {
        let path = match name.rsplit_once('.') {
            Some((_, "ptx")) => format!("run/kernel/{}/{name}", kernel_folder(0)),
            _ => format!("run/{name}"),
        };
        out.retain(|(known, _)| *known != path);
        out.push((path, text.as_bytes().to_vec()));
    }
    out
}

/// A launch of the current generation.
fn launch(grid: [u32; 3], block: [u32; 3], maps: &[Map]) -> Launch<'_> {
    Launch { writer: Writer::V2, grid, block, maps }
}

fn opened(files: Vec<(String, Vec<u8>)>) -> Document {
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    while doc.has_work() {
        doc.step();
    }
    doc
}

fn figure(doc: &mut Document, id: &str, chosen: &[usize]) -> Figure {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: chosen.to_vec() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    shown.figure
}

/// Rows of a table or facts as text with all digits.
fn rows(doc: &mut Document, id: &str, chosen: &[usize]) -> Vec<String> {
    let line = |cells: &Vec<Cell>| cells.iter().map(Cell::plain).collect::<Vec<_>>().join(" | ");
    match figure(doc, id, chosen).body {
        Body::Table(table) => table.rows.iter().map(line).collect(),
        Body::Facts(facts) => {
            facts.facts.iter().map(|fact| format!("{} | {}", fact.name, fact.value.plain())).collect()
        }
        body => panic!("{id} is {}", body.kind()),
    }
}

/// English notes of a figure.
fn notes(doc: &mut Document, id: &str) -> Vec<String> {
    let language = doc.language();
    figure(doc, id, &[]).notes.iter().map(|note| note.text(language).into_owned()).collect()
}

/// Blocks on two SMs, warps that start later the higher their number.
const SCHED: Map =
    Map { name: "sched", is_warp: true, fields: &[("start", 8), ("elapsed", 4), ("cuid", 4)], cap: 1 };

fn sched(unit: u64) -> Vec<u64> {
    vec![4_000_000_000_000 + unit * 1_000, 100 + unit * unit % 37, unit / 2 % 2]
}

#[test]
fn fields_are_added_up_by_map_block_and_sm() {
    let maps = [SCHED];
    let launch = launch([3, 2, 1], [64, 1, 1], &maps);
    // The last unit was never written.
    let fill = |_: &Map, unit, _| (unit != 11).then(|| sched(unit));
    let mut doc = opened(folder(&launch, &[], fill));
    let elapsed: Vec<u64> = (0..11).map(|unit| sched(unit)[1]).collect();
    let mut sorted = elapsed.clone();
    sorted.sort_unstable();
    let (sum, mean) = (elapsed.iter().sum::<u64>(), elapsed.iter().sum::<u64>() as f64 / 11.0);
    let of = rows(&mut doc, "neutrino-statistics-sched", &[]);
    // p95 of 11 values lies halfway between the last two.
    let p95 = (sorted[9] + sorted[10]) / 2;
    let expected =
        format!("elapsed | {sum} | {} | {mean} | {} | {p95} | {}", sorted[0], sorted[5], sorted[10]);
    assert_eq!(of[1], expected);
    // A sum of points in time means nothing.
    assert!(of[0].starts_with("start |  | 4000000000000 | 4000000005000 | "), "{}", of[0]);
    assert_eq!(
        notes(&mut doc, "neutrino-statistics-sched"),
        [
            "11 of the 12 units addressed have records.",
            "11 of 12 records were written; all-zero records do not count."
        ]
    );
    // Lengths stand before points in time, and numbers of SMs come last.
    let blocks = rows(&mut doc, "neutrino-blocks-sched", &[0]);
    let block = |n: usize| elapsed[2 * n..(2 * n + 2).min(11)].to_vec();
    let line = |n: usize, name: &str| {
        let of = block(n);
        let sum = of.iter().sum::<u64>();
        let (min, max) = (of.iter().min().unwrap(), of.iter().max().unwrap());
        format!("{name} | {} | {sum} | {} | {min} | {max}", of.len(), sum as f64 / of.len() as f64)
    };
    assert_eq!(
        blocks,
        [
            line(0, "0, 0, 0"),
            line(1, "1, 0, 0"),
            line(2, "2, 0, 0"),
            line(3, "0, 1, 0"),
            line(4, "1, 1, 0"),
            line(5, "2, 1, 0"),
        ]
    );
    let of_sm =
        |sm: u64| elapsed.iter().zip(0..).filter(move |(_, unit)| unit / 2 % 2 == sm).map(|(e, _)| *e);
    let sms = rows(&mut doc, "neutrino-sms-sched", &[0]);
    assert!(sms[0].starts_with(&format!("0 | 6 | {} | ", of_sm(0).sum::<u64>())), "{sms:?}");
    assert!(sms[1].starts_with(&format!("1 | 5 | {} | ", of_sm(1).sum::<u64>())), "{sms:?}");
    // Points in time (second) and numbers of SMs (third) have no sums by block, by SM or over the grid either.
    for field in [1, 2] {
        for id in ["neutrino-blocks-sched", "neutrino-sms-sched"] {
            let Body::Table(table) = figure(&mut doc, id, &[field]).body else { panic!("a table") };
            let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            assert_eq!(heads[1..], ["Records", "Mean", "Minimum", "Maximum"], "{id}");
            assert!(table.rows.iter().all(|row| row.len() == heads.len()));
        }
        let grid = figure(&mut doc, "neutrino-grid-sched", &[field, 0]);
        let Body::HeatMap(map) = grid.body else { panic!("a map") };
        assert!(map.values.iter().all(|value| value.is_nan()), "{:?}", map.values);
        let end = "has no sum: choose the mean, the minimum or the maximum.";
        assert!(grid.notes.iter().any(|note| note.to_string().ends_with(end)), "{:?}", grid.notes);
    }
    // Over the grid: the largest value of each block.
    let Body::HeatMap(grid) = figure(&mut doc, "neutrino-grid-sched", &[0, 3]).body else { panic!("a map") };
    assert_eq!((grid.width, grid.height), (3, 2));
    let largest: Vec<f32> = (0..6).map(|n| *block(n).iter().max().unwrap() as f32).collect();
    assert_eq!(grid.values, largest);
    let Body::Histogram(histogram) = figure(&mut doc, "neutrino-histogram-sched", &[0]).body else {
        panic!("a histogram")
    };
    assert_eq!(histogram.series[0].counts.iter().sum::<f64>(), 11.0);
    assert_eq!((histogram.edges[0], histogram.marks[0].value), (sorted[0] as f64, sorted[5] as f64));
    // Horizontal start, vertical elapsed.
    let Body::Scatter(scatter) = figure(&mut doc, "neutrino-scatter-sched", &[0, 0]).body else {
        panic!("a scatter")
    };
    let point = &scatter.series[0].points[3];
    assert_eq!((point.x, point.y), (4_000_000_003_000.0, elapsed[3] as f64));
    assert_eq!((scatter.x.name.as_str(), scatter.y.name.as_str()), ("start", "elapsed"));
}

#[test]
fn a_warp_that_is_not_full_counts_for_the_last_block() {
    let maps = [SCHED];
    let launch = launch([4, 1, 1], [48, 1, 1], &maps);
    // Room for two warps of a block; the first warps of blocks lie next to each other, and behind them the last one.
    let mut doc = opened(folder(&launch, &[], |_, unit, _| (unit < 5).then(|| sched(unit))));
    let blocks = rows(&mut doc, "neutrino-blocks-sched", &[0]);
    let records: Vec<&str> = blocks.iter().map(|row| row.split(" | ").nth(1).unwrap()).collect();
    assert_eq!(records, ["1", "1", "1", "2"]);
}
