//! Block schedules through the front door: a launch of our own making, what the page asks, exports, comparison; and recorded
//! launches on the command line.

use crate::neutrino::make::{BLOCKS, Launch, Writer, compile, probes};
use crate::schedule::Random;
use crate::support::corpus::corpus;
use crate::support::front_door::open;
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::model::parameter::{Value as Parameter, Values};
use lanescope::scene::palette::Palette;
use lanescope::scene::table::{PageRequest, arranged};
use lanescope::views::schedule::messages::{ColorBy, Frame, Head, Look, Reply, ScheduleQuery, UnitOrder};
use lanescope::wire::Draw;
use lanescope::wire::figures::{FigureQuery, Reply as Figures};
use lanescope::wire::rows::{RowsQuery, Source};
use lanescope::wire::{Answer, Query};

use serde_json::Value;
use std::process::Command;

/// A launch of blocks of two warps with eight resident on each of 64 SMs, as a folder.
fn folder(blocks: u32, seed: u64) -> Vec<(String, Vec<u8>)> {
    let launch = Launch { writer: Writer::V2, grid: [blocks, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let mut random = Random(seed);
    let mut free = vec![0_u64; 512];
    let spans: Vec<[u64; 3]> = (0..blocks)
        .map(|_| {
            let lane = (0..512).min_by_key(|lane| free[*lane]).unwrap();
            let (start, elapsed) = (free[lane] + 10 + random.below(20), 500 + random.below(50));
            free[lane] = start + elapsed;
            let sm = lane as u64 / 8;
            [1_000_000 * (sm % 5 + 1) + start, elapsed, sm]
        })
        .collect();
    let bin = launch.result(|_, unit, _| {
        let [start, elapsed, sm] = spans[unit as usize / 2];
        Some(vec![start + unit % 2, elapsed + 3 * (unit % 2), sm])
    });
    vec![
        ("trace/probe.toml".to_owned(), probes(&[BLOCKS]).into_bytes()),
        ("trace/result/0.5.bin".to_owned(), bin),
    ]
}

fn opened(blocks: u32, seed: u64) -> Document {
    let (mut doc, is_ready) = open(folder(blocks, seed), 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    settle(&mut doc);
    doc
}

fn settle(doc: &mut Document) {
    while doc.has_work() {
        doc.step();
    }
}

fn ask(doc: &mut Document, ask: ScheduleQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn head(doc: &mut Document) -> Head {
    match ask(doc, ScheduleQuery::Head(Look::default())) {
        Reply::Head(Some(head)) => *head,
        other => panic!("{other:?}"),
    }
}

/// By hand: 40,003 cycles in 20 µs are 2,000 MHz, in 400 µs no clock of a GPU.
#[test]
fn a_clock_that_no_gpu_has_gives_no_times() {
    let launch = Launch { writer: Writer::V2, grid: [2, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let head_of = |kernel_ms: f64| {
        let mut log = b"[init] pid 1\n".to_vec();
        log.extend(compile("probe", "copy", "0x10", 0, true));
        let times = [0.5, kernel_ms, 0.5];
        log.extend(
            launch.log("0x10", 1_795_220_241_725_726_464, "./trace/run/result/0.5.bin", times).bytes(),
        );
        let bin = launch.result(|_, unit, _| Some(vec![1_000 + unit, 40_000, 0]));
        let files =
            [("event.log", log), ("probe.toml", probes(&[BLOCKS]).into_bytes()), ("result/0.5.bin", bin)];
        let files = files.map(|(path, bytes)| (format!("Nov21_001721_4711/{path}"), bytes));
        let (mut doc, is_ready) = open(files.to_vec(), 1 << 16);
        assert!(is_ready, "{:?}", doc.faults().rows());
        settle(&mut doc);
        head(&mut doc)
    };
    let known = head_of(0.02);
    assert_eq!(known.clock.map(|clock| clock.mhz.round()), Some(2_000.0));
    assert!(known.implausible_mhz.is_none() && known.nanos.is_some());
    let unknown = head_of(0.4);
    assert_eq!((unknown.clock, unknown.nanos), (None, None));
    assert_eq!(unknown.implausible_mhz.map(f64::round), Some(100.0));
}

#[test]
fn a_large_launch_has_its_lanes_waves_and_numbers() {
    let mut doc = opened(32_768, 3);
    let known = head(&mut doc);
    let numbers = &known.numbers;
    assert_eq!((numbers.blocks, numbers.units, numbers.lanes, numbers.most_lanes), (32_768, 64, 512, 8));
    assert_eq!((numbers.waves, numbers.last_wave), (64.0, 512));
    assert_eq!(known.resident.0, 512);
    let tool = known.tool_figures.unwrap();
    assert!(5.0 < tool.scheduling as f64 / numbers.gap);
    assert_eq!(numbers.skew.map(|skew| (skew.start, skew.end)), Some((1, 4)));
    assert!(known.sentences.0.starts_with("Neutrino takes the first warp"), "{}", known.sentences.0);
    // The first warp alone, as the tool looks at: every block is shorter by what its second warp ends later. Of eight
    // resident blocks it takes the oldest only: its gaps are far too long.
    let mut values = Values::default();
    values.set("neutrino-block-time", Parameter::Text("first".to_owned()));
    doc.set_values(values);
    settle(&mut doc);
    let first = head(&mut doc);
    assert_eq!(numbers.percentiles[0], first.numbers.percentiles[0] + 4);
    assert_eq!((tool.blocks, tool.running as f64), (32_768, first.numbers.running.floor()));
    assert_eq!(first.tool_figures, known.tool_figures);
    assert_eq!([known.elapsed, first.elapsed], ["Elapsed", "Elapsed (first warp)"]);
}

/// Two of eight SMs, which run a block at a time, lost the records of all their blocks: 72 of 96 on the 6 lanes that are seen.
#[test]
fn lost_blocks_are_said_and_waves_are_of_the_others() {
    let launch = Launch { writer: Writer::V2, grid: [96, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let bin = launch.result(|_, unit, _| {
        let block = unit / 2;
        (block % 4 != 3).then(|| vec![1_000 + block / 8 * 500 + unit % 2, 400, block % 8])
    });
    let probes = probes(&[BLOCKS]).into_bytes();
    let files = vec![("trace/probe.toml".to_owned(), probes), ("trace/result/0.5.bin".to_owned(), bin)];
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    settle(&mut doc);
    let known = head(&mut doc);
    assert_eq!((known.numbers.blocks, known.launched, known.numbers.lanes), (72, 96, 6));
    assert_eq!((known.numbers.waves, known.numbers.last_wave), (12.0, 6));
    // Block 92 is the 70th with a record.
    let Reply::Block(Some(block)) = ask(&mut doc, ScheduleQuery::Block { row: 69, look: Look::default() })
    else {
        panic!()
    };
    assert_eq!((block.number, block.wave), (92, 69 / 6));
    let said: Vec<String> = doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect();
    assert!(said.iter().any(|code| code == "NEU-LOST"), "{said:?}");
    let note = "24 of 96 blocks have no record: their time counts as gaps or idle time, and lanes used only by them are missing.";
    let ask = FigureQuery::Figure { id: "schedule-numbers".to_owned(), chosen: Vec::new() };
    let (Some(Figures::Figure(shown)), _) = doc.query(&ask) else { panic!() };
    let notes: Vec<String> = shown.figure.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|own| own == note), "{notes:?}");
    // Of a whole launch there is nothing to say.
    assert!(opened(2_048, 5).faults().rows().iter().all(|fault| fault.code != "NEU-LOST"));
}

#[test]
fn blocks_are_found_listed_and_told_of() {
    let mut doc = opened(2_048, 5);
    let (frame, size) = (Frame::default(), Size { w: 1_000.0, h: 600.0 });
    let (_, note) = doc.draw(&frame.clone(), size, &Palette::default());
    let Some(note) = note else { panic!() };
    assert!(note.alt.starts_with("Block schedule: 2,048 blocks on 512 lanes of 64 SM"), "{}", note.alt);
    let at = Point { x: note.area.x + note.area.w / 2.0, y: note.area.y + 5.0 };
    let Reply::Under(Some(block), resident) = ask(&mut doc, ScheduleQuery::Under { frame, size, at }) else {
        panic!()
    };
    assert!(resident.is_some_and(|n| 0 < n && n <= 512), "{resident:?}");
    let look = Look { mhz: Some(1_000.0), ..Look::default() };
    let Reply::Block(again) = ask(&mut doc, ScheduleQuery::Block { row: block.row, look }) else { panic!() };
    assert_eq!(again.as_ref(), Some(&block));
    assert_eq!((block.place, block.parts.len()), ((0, 0), 2));
    // Arrows go along its lane, and back.
    let mut of = |row: u32| match ask(&mut doc, ScheduleQuery::Block { row, look }) {
        Reply::Block(Some(block)) => block,
        _ => panic!(),
    };
    let next = of(block.beside(true).unwrap());
    assert!(block.place == next.place && block.start + block.elapsed <= next.start);
    assert_eq!(next.beside(false), Some(block.row));
    let wanted = PageRequest { n: 3, ..PageRequest::default() };
    let rows = RowsQuery { table: 1, source: Source::Blocks { look, range: None }, wanted: wanted.clone() };
    let Answer::Rows(Some(reply)) = doc.query(&Query::Rows(rows)).0 else { panic!() };
    let names: Vec<&str> = reply.page.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(names, ["Block", "SM", "Lane", "Wave", "Start", "Elapsed", "Time", "Over p50", "Gap"]);
    // Beside the details of a block, in a window of 1280 px: no head is cut, and what the picture tells too gives way first.
    let all = &reply.page.columns;
    for room in [459.0, 612.0] {
        let shown = arranged(all, room, true).shown;
        let needs: f64 = shown.iter().map(|at| all[*at].wanted(true)).sum();
        let titles: Vec<&str> = shown.iter().map(|at| all[*at].title.as_str()).collect();
        assert!(needs <= room && titles.contains(&"Gap") && !titles.contains(&"Time"), "{needs} {titles:?}");
    }
    // Of a stretch of time those that run in it: 512 are resident, and few begin within a cycle.
    let source = Source::Blocks { look, range: Some((700.0, 701.0)) };
    let rows = RowsQuery { table: 2, source, wanted };
    let Answer::Rows(Some(within)) = doc.query(&Query::Rows(rows)).0 else { panic!() };
    assert!((400..=512).contains(&within.page.total), "{}", within.page.total);
    let Reply::Step(Some(slowest)) = ask(&mut doc, ScheduleQuery::Step { from: None, is_slower: true })
    else {
        panic!()
    };
    let Reply::Block(Some(slowest)) = ask(&mut doc, ScheduleQuery::Block { row: slowest, look }) else {
        panic!()
    };
    let elapsed = lanescope::base::number::thousands(slowest.elapsed);
    assert_eq!((reply.page.total, &reply.page.rows[0][5].text), (2_048, &elapsed));
    assert!(doc.svg("schedule", size, &Palette::default()).unwrap().contains("SM 63"));
}

#[test]
fn the_schedule_that_is_seen_is_saved() {
    let mut doc = opened(2_048, 5);
    let mut saved = |frame: Frame| {
        let pane = (frame.frame(), Size { w: 1_000.0, h: 300.0 });
        crate::pictures::saved(&mut doc, "schedule", vec![pane])
    };
    let (name, svg) = saved(Frame::default());
    assert!(name.ends_with(".schedule.svg"), "{name}");
    let has = |svg: &str, words: &str| svg.contains(&format!(">{words}</text>"));
    assert!(has(&svg, "Block schedule") && has(&svg, "SM 0") && !has(&svg, "SM 63"));
    assert!(!has(&svg, "wave 1"), "colors are how long blocks ran");
    // In another order, and with other colors: 2,048 blocks on 512 lanes run in four waves.
    let order = UnitOrder { is_descending: true, ..UnitOrder::default() };
    let look = Look { color: ColorBy::Wave, ..Look::default() };
    let (_, svg) = saved(Frame { order, look, ..Frame::default() });
    assert!(has(&svg, "SM 63") && !has(&svg, "SM 0"));
    assert!(has(&svg, "wave 1") && has(&svg, "4"), "{svg}");
    // What was not measured yet is saved as a whole.
    let (_, svg) = crate::pictures::saved(&mut doc, "schedule", Vec::new());
    assert!(has(&svg, "SM 0") && has(&svg, "SM 63"));
}

#[test]
fn two_launches_are_compared_by_numbers_and_histogram() {
    let (before, after) = (opened(1_024, 7), opened(1_024, 8));
    let joined = lanescope::engine::compare::figures(&before, &after);
    let ids: Vec<&str> = joined.families.iter().map(|family| family.id.as_str()).collect();
    for id in ["schedule-numbers", "schedule-elapsed", "schedule-units", "schedule-waves"] {
        assert!(ids.contains(&id), "{ids:?}");
    }
}

/// What the command line prints.
fn run(path: &std::path::Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lanescope")).arg(path).args(words).output().unwrap();
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn recorded_launches_have_the_numbers_of_the_tool_itself() {
    let Some(corpus) = corpus("neutrino") else { return };
    let expected = std::fs::read_to_string(corpus.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let mut n = 0;
    for (name, results) in expected.as_object().unwrap() {
        for (file, result) in results.as_object().unwrap() {
            for map in result["maps"].as_object().unwrap().values() {
                let numbers = &map["neutrino_callback_numbers"];
                if numbers.is_null() {
                    continue;
                }
                let text = run(&corpus.join(name), &["--result", file, "--export", "blocksched-json"]);
                let json: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(json["neutrino"], *numbers, "{name}/{file}");
                let blocks = json["per_block"].as_array().unwrap();
                assert_eq!(blocks.len() as u64, numbers["blocks"].as_u64().unwrap());
                let elapsed: u64 = blocks.iter().map(|block| block["elapsed"].as_u64().unwrap()).sum();
                let sms = json["per_sm"].as_array().unwrap();
                let running: u64 = sms.iter().map(|sm| sm["running"].as_u64().unwrap()).sum();
                assert_eq!((elapsed, sms.len() as u64), (running, numbers["sms"].as_u64().unwrap()));
                n += 1;
            }
        }
    }
    assert_eq!(n, 5);
}

/// Of two warps of each block only the first was recorded: its times are not those of the block, and that is said.
#[test]
fn blocks_of_which_one_warp_was_recorded_say_so() {
    let launch = Launch { writer: Writer::V2, grid: [6, 1, 1], block: [64, 1, 1], maps: &[BLOCKS] };
    let bin = launch
        .result(|_, unit, _| unit.is_multiple_of(2).then(|| vec![1_000 + unit / 2 * 500, 400, unit / 2 % 3]));
    let probes = probes(&[BLOCKS]).into_bytes();
    let files = vec![("trace/probe.toml".to_owned(), probes), ("trace/result/0.5.bin".to_owned(), bin)];
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    settle(&mut doc);
    assert_eq!(head(&mut doc).elapsed, "Elapsed (first warp)");
}
