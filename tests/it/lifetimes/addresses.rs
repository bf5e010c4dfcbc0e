//! Accesses by address and time: every cell against a slow count of the lines, single lifetimes against the export.

use super::front::log;
use crate::gainsight::{export, open_set};
use crate::support::corpus::corpus;
use crate::support::mutate::Seeded;
use lanescope::analysis::access::{Part, Tiling};
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};
use lanescope::views::lifetimes::compute::addresses::{AddressReader, Subject, Wanted};
use lanescope::views::lifetimes::compute::{Recorded, Run};
use lanescope::views::lifetimes::messages::{AddressFrame, AddressNote, LifetimesQuery, Reply};

use std::collections::BTreeMap;

const SIZE: Size = Size { w: 900.0, h: 400.0 };
const FILL: u64 = 400;

/// An access as its line says it, and its status by the definition.
#[derive(Clone, Copy, Debug)]
struct Line {
    kernel: usize,
    level: usize,
    unit: u32,
    cycle: u64,
    address: u64,
    status: usize,
}

/// All accesses of a log, slowly: status 0 hit, 1 waits, 2 misses, 3 comes again.
fn slowly(text: &str) -> Vec<Line> {
    let (mut kernel, mut lines) = (0, Vec::new());
    let mut asked: BTreeMap<(usize, u32, u64), u64> = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with("gpu_sim_cycle = ") {
            kernel += 1;
            asked.clear();
        }
        let Some(rest) = line.strip_prefix("GPGPU-Sim Cycle ") else { continue };
        let Some((cycle, rest)) = rest.split_once(": ") else { continue };
        let words: Vec<&str> = rest.split(' ').collect();
        let after = |word: &str| words.iter().position(|own| *own == word).map(|at| words[at + 1]);
        let (Some(from), Some(address)) = (after("from"), after("addr")) else { continue };
        let level = usize::from(from == "L2");
        let unit = if level == 0 { after("SM") } else { after("bank") };
        let unit = unit.unwrap().parse().unwrap();
        let (cycle, address) = (cycle.parse().unwrap(), u64::from_str_radix(address, 16).unwrap());
        let key = (level, if level == 0 { unit } else { 0 }, address >> 5);
        let (is_store, number) = (words[0] == "Store", after("status").unwrap());
        if number != "3" && (is_store || number == "0") {
            asked.remove(&key);
        }
        let status = match number {
            "0" => 0,
            "1" | "5" => 1,
            "3" => 3,
            _ if !is_store && asked.get(&key).is_some_and(|start| cycle - start <= FILL) => 1,
            _ => {
                if !is_store {
                    asked.insert(key, cycle);
                }
                2
            }
        };
        lines.push(Line { kernel, level, unit, cycle, address, status });
    }
    lines
}

fn run(doc: &Document) -> &Run {
    &doc.trace().extensions.get::<Recorded>().unwrap().runs[0]
}

/// Reads until all that is wanted is there; how many pieces that took.
fn read(reader: &mut AddressReader, run: &Run, kernel: usize, wanted: &Wanted) -> usize {
    (1..).find(|_| 1.0 <= reader.step(run, &run.kernels[kernel], wanted)).unwrap()
}

/// A window of a kernel in cells of these powers of two.
fn window(reader: &AddressReader, cycles: (u64, u64), level: u32, shift: u32) -> Wanted {
    let part = |(segment, own): (usize, &lanescope::analysis::access::Segment)| {
        let (first, last) = (own.start >> shift, own.last >> shift);
        Part { segment, shift, first, n: (last - first + 1) as u32 }
    };
    let parts = reader.axis.segments.iter().enumerate().map(part).collect();
    let tiling = Tiling { level, columns: cycles.0 >> level..(cycles.1 >> level) + 1, parts };
    Wanted { tiling, cycles, most: (usize::MAX, u32::MAX), ..Wanted::default() }
}

/// Counts of all cells of what is wanted: by column, part and row.
fn cells(reader: &AddressReader, wanted: &Wanted) -> BTreeMap<(u64, usize, u64), [u32; 4]> {
    let (grid, mut all) = (reader.grid().unwrap(), BTreeMap::new());
    for number in wanted.tiling.columns.clone() {
        let column = (number - grid.tiling.columns.start) as usize;
        for (at, part) in grid.tiling.parts.iter().enumerate() {
            for (row, cell) in (part.first..).zip(grid.cells(column, at)) {
                if cell.iter().any(|n| *n != 0) {
                    all.insert((number, part.segment, row), cell.try_into().unwrap());
                }
            }
        }
    }
    all
}

fn check_cells(text: &str, doc: &Document, windows: &[(u64, u64)], grain: (u32, u32)) {
    let (run, lines) = (run(doc), slowly(text));
    for (kernel, own) in run.kernels.iter().enumerate() {
        for level in 0..2 {
            let busiest = own.levels[level].busiest().unwrap().number;
            for unit in [None, Some(busiest)] {
                let Some(mut reader) = AddressReader::new(run, own, Subject { level, unit }) else {
                    panic!("kernel {kernel} has accesses");
                };
                let all = (0, reader.cycles - 1);
                for &(from, to) in std::iter::once(&all).chain(windows) {
                    let wanted = window(&reader, (from, to.min(all.1)), grain.0, grain.1);
                    read(&mut reader, run, kernel, &wanted);
                    let mut expected: BTreeMap<(u64, usize, u64), [u32; 4]> = BTreeMap::new();
                    let is_own = |line: &&Line| {
                        (line.kernel, line.level) == (kernel, level)
                            && unit.is_none_or(|unit| unit == line.unit)
                            && wanted.tiling.columns.contains(&(line.cycle >> grain.0))
                    };
                    for line in lines.iter().filter(is_own) {
                        let segment = reader.axis.segment(0, line.address).expect("it is on the axis");
                        let key = (line.cycle >> grain.0, segment, line.address >> grain.1);
                        expected.entry(key).or_default()[line.status] += 1;
                    }
                    assert!(!expected.is_empty() || (from, to) != all);
                    assert_eq!(cells(&reader, &wanted), expected, "{kernel} {level} {unit:?} {from} {to}");
                }
            }
        }
    }
}

fn check_lifetimes(doc: &mut Document) {
    let mut expected = vec![BTreeMap::<u64, Vec<(u64, u64)>>::new(); 2];
    for (level, id) in ["gainsight-l1-csv", "gainsight-l2-csv"].into_iter().enumerate() {
        for line in export(doc, id).lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |at: usize| cells[at].parse::<f64>().unwrap() as u64;
            expected[level].entry(number(0)).or_default().push((number(1), number(2)));
        }
    }
    let run = run(doc);
    for (level, expected) in expected.iter_mut().enumerate() {
        for (row, kernel) in run.kernels.iter().enumerate() {
            let mut reader = AddressReader::new(run, kernel, Subject { level, unit: None }).unwrap();
            let mut wanted = window(&reader, (0, reader.cycles - 1), 12, 12);
            wanted.ranges = kernel.levels[level].addresses.clone();
            read(&mut reader, run, row, &wanted);
            let follow = reader.follow(&wanted).expect("all lifetimes are known");
            let bars = follow.bars(&wanted.ranges, wanted.cycles, wanted.most).unwrap();
            let mut found: Vec<_> = bars.iter().map(|bar| (bar.life.address, bar.life.length)).collect();
            let expected = expected.get_mut(&kernel.id).unwrap();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, *expected, "kernel {row} at level {level}");
            let (mut reads, mut writes) = (0, 0);
            for bar in &bars {
                assert!(bar.lane < bar.lanes);
                let life = bar.life;
                assert!(life.start <= life.last && life.last <= bar.end());
                writes += u64::from(life.is_stored);
                reads += u64::from(life.reuses) + u64::from(!life.is_stored);
                let used = follow.touches(bar).filter(|touch| touch.status as usize != 3);
                assert!(u64::from(life.reuses) < used.count() as u64, "each use is a tick: {bar:?}");
            }
            let counts = kernel.levels[level].counts;
            assert_eq!((reads, writes), (counts.reads, counts.writes), "all uses are of some lifetime");
        }
    }
}

#[test]
fn every_cell_is_what_the_lines_say() {
    let text = log();
    let doc = open_set(&[("small.log", text.clone().into_bytes())], &[]);
    check_cells(&text, &doc, &[(0, 900), (1000, 3000), (2000, 2100), (5, 5)], (5, 5));
}

#[test]
fn single_lifetimes_are_those_of_the_export() {
    for set in [&[("orphans", "include")][..], &[("lifetime", "resident"), ("refill", "keep")]] {
        let mut doc = open_set(&[("small.log", log().into_bytes())], set);
        check_lifetimes(&mut doc);
    }
}

/// A log of one kernel of many pieces, in which addresses have a wide gap.
fn long(n: usize) -> String {
    let mut text =
        "Accel-Sim [build test]\n\n        *** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        launching kernel name: long uid: 1 cuda_stream_id: 0\nGPGPU-Sim: Reconfigure L1 cache to 120KB\n"
            .to_owned();
    let (mut random, mut cycle) = (Seeded(8), 5_000);
    for _ in 0..n {
        cycle += random.below(3) / 2;
        let far = if random.below(2) == 0 { 0x10_0000_0000 } else { 0 };
        let address = 0x7f00_0000_0000 + far + random.below(400) as u64 * 32;
        let place = match random.below(4) {
            0 => format!("L2 cache at bank {}", address >> 5 & 3),
            _ => format!("L1D cache at SM {} bank 0", random.below(4)),
        };
        let operation = if random.below(6) == 0 { "Store" } else { "Load" };
        let status = [0, 2, 2, 3][random.below(4)];
        text += &format!(
            "GPGPU-Sim Cycle {cycle}: {operation} instr from {place} addr {address:x} status {status}\n"
        );
    }
    text + &format!("gpu_sim_cycle = {}\n", cycle + 10)
}

#[test]
fn a_window_reads_only_its_part_of_a_long_kernel() {
    let text = long(450_000);
    let doc = open_set(&[("long.log", text.clone().into_bytes())], &[]);
    check_cells(&text, &doc, &[(130_000, 140_000), (5_000, 5_100), (139_000, 160_000)], (9, 7));
    let run = run(&doc);
    let mut reader = AddressReader::new(run, &run.kernels[0], Subject { level: 0, unit: None }).unwrap();
    assert_eq!(reader.axis.segments.len(), 2, "the gap is left out");
    let all = window(&reader, (0, reader.cycles - 1), 9, 7);
    let pieces = read(&mut reader, run, 0, &all);
    assert_eq!(read(&mut reader, run, 0, &all), 1, "it is there");
    let part = window(&reader, (120_000, 121_000), 4, 7);
    let few = read(&mut reader, run, 0, &part);
    assert!(20 < pieces && few < pieces / 2, "{few} of {pieces}");
    // Something else takes the place of what is being read.
    let other = window(&reader, (6_000, 9_000), 3, 7);
    let third = window(&reader, (6_000, 9_000), 2, 7);
    assert!(reader.step(run, &run.kernels[0], &other) < 1.0);
    read(&mut reader, run, 0, &third);
    assert_eq!(reader.grid().unwrap().tiling.level, 2);
}

fn counted(doc: &mut Document, frame: &AddressFrame) {
    loop {
        let ask = LifetimesQuery::Count { frame: Box::new(frame.clone()), size: SIZE };
        let answer = doc.query(&ask).0;
        let Some(Reply::Counted { share, problem: None }) = answer else { panic!("{answer:?}") };
        if 1.0 <= share {
            return;
        }
    }
}

fn drawn(doc: &mut Document, frame: &AddressFrame) -> (Scene, AddressNote) {
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let (scene, note) = doc.draw(frame, SIZE, &palette);
    let Some(note) = note else { panic!("{note:?}") };
    (scene, note)
}

fn under(doc: &mut Document, frame: &AddressFrame, at: Point) -> Reply {
    let ask = LifetimesQuery::UnderAddress { frame: Box::new(frame.clone()), size: SIZE, at };
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.replace([',', '\u{202f}', '\u{2009}', ' '], "").parse().unwrap(),
    }
}

/// First and last of `a – b` or `a`.
fn ends(text: &str) -> (u64, u64) {
    let (a, b) = text.split_once(" – ").unwrap_or((text, text));
    (number(a), number(b))
}

#[test]
fn what_is_said_of_a_point_is_what_the_lines_say() {
    let text = long(20_000);
    let lines = slowly(&text);
    let mut doc = open_set(&[("long.log", text.clone().into_bytes())], &[]);
    let mut n = 0;
    for (level, cycles, scope) in [(0, None, ""), (1, None, ""), (0, Some((5_500.0, 6_500.0)), "sm:2")] {
        let frame =
            AddressFrame { level, cycles, scope: scope.to_owned(), revision: 1, ..AddressFrame::default() };
        counted(&mut doc, &frame);
        let (scene, note) = drawn(&mut doc, &frame);
        assert!(scene.shapes.iter().any(|shape| matches!(shape, Shape::Cells { .. })));
        assert_eq!((note.kernel.as_str(), note.legend.len(), note.is_single), ("long", 4, false));
        for x in (0..note.plot.w as i32).step_by(37) {
            for y in (0..note.plot.h as i32).step_by(23) {
                let at = Point { x: note.plot.x + x as f32, y: note.plot.y + y as f32 };
                let Reply::Under(Some(words)) = under(&mut doc, &frame, at) else { continue };
                let mut said = words.lines();
                let addresses = ends(said.next().unwrap());
                let pairs: Vec<(&str, &str)> = said.map(|line| line.split_once('\t').unwrap()).collect();
                let cycles = ends(pairs[0].1);
                let mut expected = [0; 4];
                for line in lines.iter().filter(|line| {
                    line.level == level as usize
                        && (scope.is_empty() || line.unit == 2)
                        && (cycles.0..=cycles.1).contains(&line.cycle)
                        && (addresses.0..=addresses.1).contains(&line.address)
                }) {
                    expected[line.status] += 1;
                }
                let names = ["Hit", "Pending hit", "Miss", "Retry"].into_iter().zip(expected);
                let expected: Vec<_> = names.filter(|(_, n)| 0 < *n).collect();
                let found: Vec<_> = pairs[1..].iter().map(|(name, n)| (*name, number(n))).collect();
                assert_eq!(found, expected, "{words}");
                n += 1;
            }
        }
    }
    assert!(200 < n, "{n} points");
}

#[test]
fn zoomed_in_each_lifetime_is_a_bar_that_says_what_it_is() {
    let text = long(20_000);
    let mut doc = open_set(&[("long.log", text.into_bytes())], &[]);
    let mut frame = AddressFrame {
        places: Some((0.0, 0.04)),
        cycles: Some((5_000.0, 6_000.0)),
        ..AddressFrame::default()
    };
    counted(&mut doc, &frame);
    let (scene, note) = drawn(&mut doc, &frame);
    assert!(note.is_single, "{}", note.about);
    let fills = scene.shapes.iter().filter(|shape| matches!(shape, Shape::Fill { .. })).count();
    assert!(50 < fills, "{fills} bars and ticks");
    let mut found = None;
    for x in (0..note.plot.w as i32).step_by(11) {
        for y in (0..note.plot.h as i32).step_by(3) {
            let at = Point { x: note.plot.x + x as f32, y: note.plot.y + y as f32 };
            if let Reply::Life(life) = under(&mut doc, &frame, at) {
                let lines: Vec<&str> = life.words.lines().collect();
                assert_eq!(number(lines[0]), life.key.1);
                assert_eq!(lines[1], format!("SM\t{}", life.key.0));
                assert_eq!(number(lines[2].split_once('\t').unwrap().1), life.key.2);
                assert_eq!(lines.len(), 8, "{}", life.words);
                found = Some(life.key);
            }
        }
    }
    let outlines =
        |scene: &Scene| scene.shapes.iter().filter(|shape| matches!(shape, Shape::Outline { .. })).count();
    assert_eq!(outlines(&scene), 0);
    frame.selected = Some(found.expect("there is a bar"));
    assert_eq!(outlines(&drawn(&mut doc, &frame).0), 1, "the chosen one has a frame");
    // Other sizes and windows that somebody wrote do no harm.
    for (cycles, places) in
        [((-1e300, 1e300), (0.5, 0.5)), ((1e18, 2e18), (-9.0, -8.0)), ((7.0, 7.0), (0.3, 0.30001))]
    {
        let frame = AddressFrame { cycles: Some(cycles), places: Some(places), ..AddressFrame::default() };
        counted(&mut doc, &frame);
        let _ = drawn(&mut doc, &frame);
    }
    let none = AddressFrame { kernel: Some(9), ..AddressFrame::default() };
    counted(&mut doc, &none);
    assert_eq!(drawn(&mut doc, &none).1, AddressNote::default());
}

#[test]
fn a_real_log_has_every_access_and_lifetime() {
    let Some(folder) = corpus("gainsight") else { return };
    let path = folder.join("generated_accelsim/sm86_rtx3070_2kernels_small.log");
    let text = std::fs::read_to_string(path).unwrap();
    let mut doc = open_set(&[("sm86.log", text.clone().into_bytes())], &[("orphans", "include")]);
    check_cells(&text, &doc, &[(5_000, 6_000), (5_400, 5_500)], (6, 9));
    check_lifetimes(&mut doc);
    let run = run(&doc);
    for kernel in &run.kernels {
        for (level, own) in kernel.levels.iter().enumerate() {
            let mut reader = AddressReader::new(run, kernel, Subject { level, unit: None }).unwrap();
            let wanted = window(&reader, (0, reader.cycles - 1), 6, 9);
            while reader.step(run, kernel, &wanted) < 1.0 {}
            let mut sums = [0; 4];
            for cell in cells(&reader, &wanted).values() {
                (0..4).for_each(|at| sums[at] += u64::from(cell[at]));
            }
            let c = own.counts;
            assert_eq!(sums, [c.hits, c.pending, c.misses(), c.retries], "the counts of the kernel");
        }
    }
}
