//! Accesses by page and clock through the front door: counts against counts by hand, parameters, what is zoomed into,
//! pictures, files.

mod counter;
mod make;

use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::model::figure::Body;
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::views::density::messages::{Cell, DensityQuery, Frame, Head, Look, Reply};
use lanescope::wire::Draw;
use lanescope::wire::Query;
use lanescope::wire::figures::{self, FigureQuery};

use make::{Access, Launch};
use std::collections::BTreeMap;

const SIZE: Size = Size { w: 900.0, h: 600.0 };

fn ask(doc: &mut Document, ask: DensityQuery) -> Reply {
    let Some(reply) = doc.query(&ask).0 else { panic!("an answer about accesses") };
    reply
}

fn head(doc: &mut Document) -> Head {
    let Reply::Head(Some(head)) = ask(doc, DensityQuery::Head) else { panic!("a head") };
    *head
}

fn under(doc: &mut Document, look: Look, at: Point) -> Option<Cell> {
    let frame = Box::new(Frame { look, ..Frame::default() });
    let Reply::Under(cell) = ask(doc, DensityQuery::Under { frame, size: SIZE, at }) else {
        panic!("a cell")
    };
    cell.map(|cell| *cell)
}

fn fact(facts: &[lanescope::model::figure::Fact], name: &str) -> f64 {
    let fact = facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("{name}"));
    fact.value.as_number().unwrap()
}

fn set(doc: &mut Document, values: &[(&str, &str)]) {
    let texts = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    doc.query(&Query::SetParameters(texts));
    while doc.has_work() {
        doc.step();
    }
}

/// The lines of dmat-csv: page, clock, count.
fn exported(doc: &mut Document, id: &str) -> Vec<(u64, u64, u64)> {
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    let text = String::from_utf8(bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("page,clock,count"));
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let page = u64::from_str_radix(cells[0].strip_prefix("0x").unwrap(), 16).unwrap();
        (page, cells[1].parse().unwrap(), cells[2].parse().unwrap())
    };
    lines.map(line).collect()
}

/// Both are the same; else where they begin to differ.
fn check_lines(found: &[(u64, u64, u64)], expected: &[(u64, u64, u64)]) {
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs.map(|at| (at, found[at], expected[at])), None);
    assert_eq!(found.len(), expected.len());
}

/// The same counted by hand.
fn counted(accesses: &[Access], shift: u32) -> Vec<(u64, u64, u64)> {
    let mut counts: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for access in accesses {
        *counts.entry((access.clock, access.address >> shift << shift)).or_default() += 1;
    }
    counts.into_iter().map(|((clock, page), n)| (page, clock, n)).collect()
}

fn opened(launch: &Launch) -> Document {
    let (doc, is_ready) = open(launch.files(), 1 << 16);
    assert!(is_ready);
    doc
}

#[test]
fn every_access_is_counted_by_page_and_clock() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    let found = head(&mut doc);
    assert_eq!(found.accesses, all.len() as u64);
    assert_eq!(
        found.clocks,
        (all.iter().map(|a| a.clock).min().unwrap(), all.iter().map(|a| a.clock).max().unwrap())
    );
    let pages = |shift: u32| {
        all.iter().map(|a| a.address >> shift).collect::<std::collections::BTreeSet<u64>>().len()
    };
    // The smallest pages of which there are 200 at most.
    let best = (5..63).find(|shift| pages(*shift) <= 200).unwrap();
    assert_eq!((found.pages, found.page_bytes), (pages(best) as u64, 1 << best));
    assert_eq!(found.asked_bytes, found.page_bytes);
    let names: Vec<String> = found.bands.iter().map(|band| band.name.to_string()).collect();
    assert_eq!(names, ["q", "k", "v", "out", "Unknown"]);
    for (tensor, band) in found.bands.iter().enumerate() {
        assert_eq!(band.accesses, all.iter().filter(|a| a.tensor == tensor).count() as u64, "{}", band.name);
    }
    assert_eq!(fact(&found.facts, "Empty records"), launch.empty() as f64);
    assert_eq!(fact(&found.facts, "Sectors per warp access, mean"), launch.sectors_per_access());
    for (value, shift) in [("65536", 16), ("4096", 12), ("128", 7), ("32", 5), ("2097152", 21)] {
        set(&mut doc, &[("page-size", value)]);
        check_lines(&exported(&mut doc, "dmat-csv"), &counted(&all, shift));
        assert_eq!(head(&mut doc).asked_bytes, 1 << shift);
    }
}

#[test]
fn the_peak_of_the_working_set_is_that_of_its_course() {
    let mut doc = opened(&Launch::attention());
    let peak = fact(&head(&mut doc).facts, "Peak working set of an interval");
    let query = FigureQuery::Figure { id: "density-working-set".to_owned(), chosen: Vec::new() };
    let Some(figures::Reply::Figure(shown)) = doc.query(&query).0 else { panic!("a figure") };
    let Body::Lines(chart) = shown.figure.body else { panic!("a course") };
    assert_eq!(chart.lines[0].y.iter().flatten().copied().fold(0.0, f64::max), peak);
}

/// The peak is that of intervals of the length that stands beside it, of all and of a window: pages are counted anew.
#[test]
fn a_peak_says_of_which_interval_it_is() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    let query = FigureQuery::Figure { id: "density-working-set".to_owned(), chosen: Vec::new() };
    let Some(figures::Reply::Figure(shown)) = doc.query(&query).0 else { panic!("a figure") };
    let Body::Lines(chart) = shown.figure.body else { panic!("a course") };
    let first = chart.lines[0].x[0] as u64;
    let Reply::Sums(facts) = ask(&mut doc, DensityQuery::Sums(Look::default())) else { panic!("sums") };
    let (width, page) = (fact(&facts, "Working set interval") as u64, fact(&facts, "Page size") as u64);
    let mut pages: BTreeMap<u64, std::collections::BTreeSet<u64>> = BTreeMap::new();
    for access in &all {
        pages.entry((access.clock - first) / width).or_default().insert(access.address / page);
    }
    assert!(2 < pages.len() && 1 < width, "{width}");
    let most = pages.values().map(std::collections::BTreeSet::len).max().unwrap() as u64 * page;
    assert_eq!(fact(&facts, "Peak working set of an interval"), most as f64);
    // It is not the most that is touched in all.
    let touched = fact(&facts, "Pages touched") as u64 * page;
    assert!(most < touched, "{most} {touched}");
    let at = |name: &str| facts.iter().position(|fact| fact.name == name);
    assert_eq!(at("Peak working set of an interval").map(|at| at + 1), at("Working set interval"));
}

#[test]
fn the_part_that_is_seen_is_saved() {
    let mut doc = opened(&Launch::attention());
    let mut saved = |clocks| {
        let frame = Frame { look: Look { clocks, ..Look::default() }, ..Frame::default() };
        crate::pictures::saved(&mut doc, "heatmap", vec![(frame.frame(), SIZE)])
    };
    let (name, all) = saved(None);
    assert!(name.ends_with(".heatmap.svg"), "{name}");
    // Its head is 34 pixels high.
    assert!(all.contains("width=\"900\" height=\"634\""));
    assert_ne!(saved(Some((0.0, 40.0))).1, all);
}

/// A page may hold the end of one tensor and the begin of the next: each access counts for its own.
#[test]
fn pages_that_tensors_share_are_split() {
    let launch = Launch::packed();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    for (value, shift) in [("2097152", 21), ("65536", 16), ("4096", 12), ("128", 7), ("32", 5)] {
        set(&mut doc, &[("page-size", value)]);
        let found = head(&mut doc);
        let own = |tensor: usize| all.iter().filter(|a| a.tensor == tensor).count() as u64;
        let accesses: Vec<u64> = found.bands.iter().map(|band| band.accesses).collect();
        assert_eq!(accesses, (0..5).map(own).collect::<Vec<_>>(), "{value}");
        check_lines(&exported(&mut doc, "dmat-csv"), &counted(&all, shift));
        if found.page_bytes == found.asked_bytes {
            let pages: std::collections::BTreeSet<u64> = all.iter().map(|a| a.address >> shift).collect();
            assert_eq!(found.pages, pages.len() as u64, "{value}");
        }
    }
    // What the picture shows of each tensor is its own.
    set(&mut doc, &[("page-size", "2097152")]);
    let (_, Some(note)) = doc.draw(&Frame::default(), SIZE, &Palette::default()) else { panic!("a note") };
    let mut shown = BTreeMap::new();
    for step in 0..4_000 {
        let share = |n: i32, of: i32| (n as f32 + 0.5) / of as f32;
        let at = Point {
            x: note.plot.x + note.plot.w * share(step / 40, 100),
            y: note.plot.y + note.plot.h * share(step % 40, 40),
        };
        let Some(cell) = under(&mut doc, Look::default(), at) else { continue };
        let inside = |a: &&Access| {
            (cell.addresses.0..=cell.addresses.1).contains(&a.address)
                && (cell.clocks.0..=cell.clocks.1).contains(&a.clock)
        };
        assert!(all.iter().filter(inside).all(|a| a.tensor as u32 == cell.band), "{cell:?}");
        assert_eq!(cell.accesses, all.iter().filter(inside).count() as u64, "{cell:?}");
        *shown.entry(cell.band).or_insert(0) += 1;
    }
    assert_eq!(shown.len(), 5, "{shown:?}");
}

#[test]
fn blocks_warps_and_times_are_chosen() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    let mut check = |values: &[(&str, &str)], is_meant: &dyn Fn(&Access) -> bool| {
        set(&mut doc, values);
        let meant: Vec<Access> = all.iter().filter(|a| is_meant(a)).copied().collect();
        assert_eq!(head(&mut doc).accesses, meant.len() as u64, "{values:?}");
        check_lines(&exported(&mut doc, "dmat-csv"), &counted(&meant, 16));
    };
    check(&[("access-blocks", "1-2,5")], &|a| [1, 2, 5].contains(&a.block));
    check(&[("access-warps", "1")], &|a| a.thread / 32 == 1);
    check(&[("access-blocks", "0"), ("access-warps", "0")], &|a| a.block == 0 && a.thread < 32);
    check(&[("access-blocks", "none of these")], &|_| true);
    let note = head(&mut doc).notes.first().map(ToString::to_string);
    assert_eq!(
        note.as_deref(),
        Some("none of these is not a list of numbers and ranges; everything is counted.")
    );
    set(&mut doc, &[("access-time", "thread")]);
    let first = |a: &Access| all.iter().find(|b| (b.block, b.thread) == (a.block, a.thread)).unwrap().clock;
    let since: Vec<Access> = all.iter().map(|a| Access { clock: a.clock - first(a), ..*a }).collect();
    check_lines(&exported(&mut doc, "dmat-csv"), &counted(&since, 16));
    // While nothing else is chosen the view stays, also where nothing is left.
    set(&mut doc, &[("access-blocks", "9999")]);
    assert_eq!(head(&mut doc).accesses, 0);
    assert!(0 < doc.head().contents.counted);
    doc.draw(&Frame::default(), SIZE, &Palette::default());
}

#[test]
fn the_global_timer_is_a_time_too() {
    let launch = Launch::attention();
    let mut files = launch.files();
    let probe = String::from_utf8(files[0].1.clone()).unwrap();
    files[0].1 = probe.replace("%clock64", "%globaltimer").replace("{ %NR1,", "{ %NR2,").into_bytes();
    let (mut doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    assert_eq!(head(&mut doc).unit, Unit::Nanos);
    set(&mut doc, &[("access-time", "timer")]);
    let notes: Vec<String> = head(&mut doc).notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["Times were taken after each access."]);
    assert_eq!(head(&mut doc).denied, None);
    // The other way round nothing is on the timer, and that is said.
    let mut doc = opened(&launch);
    set(&mut doc, &[("access-time", "timer")]);
    let found = head(&mut doc);
    assert_eq!(found.unit, Unit::Cycles);
    assert_eq!(found.denied.unwrap()[..2], ["access-time", "timer"]);
    assert_eq!(found.notes[0].to_string(), "The records contain no global timer values.");
}

#[test]
fn what_is_zoomed_into_is_counted_anew_and_exact() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    set(&mut doc, &[("page-size", "32")]);
    let found = head(&mut doc);
    assert!(32 < found.page_bytes, "all sectors are more pages than are kept: {}", found.page_bytes);
    let n = (found.clocks.1 - found.clocks.0) as f64;
    let look = Look { clocks: Some((n * 0.4, n * 0.45)), places: Some((0.3, 0.31)), is_linear: false };
    let at = Point { x: 400.0, y: 300.0 };
    let coarse = under(&mut doc, look, at);
    assert_eq!(ask(&mut doc, DensityQuery::Zoom(look)), Reply::Zoomed);
    let places =
        (0..40_000).map(|n| Point { x: 120.0 + (n / 200 * 3) as f32, y: 60.0 + (n % 200 * 2) as f32 });
    let cell = places.into_iter().find_map(|at| under(&mut doc, look, at)).unwrap();
    let inside = |a: &&Access| {
        cell.addresses.0 <= a.address
            && a.address <= cell.addresses.1
            && cell.clocks.0 <= a.clock
            && a.clock <= cell.clocks.1
    };
    let inside: Vec<&Access> = all.iter().filter(inside).collect();
    assert_eq!(cell.accesses, inside.len() as u64);
    let blocks = inside.iter().map(|a| a.block);
    assert_eq!(cell.blocks, Some((blocks.clone().min().unwrap() as u32, blocks.max().unwrap() as u32)));
    let bytes = cell.addresses.1 - cell.addresses.0 + 1;
    assert!(bytes < found.page_bytes, "{bytes} {coarse:?}");
    let Reply::Sums(sums) = ask(&mut doc, DensityQuery::Sums(look)) else { panic!("sums") };
    assert_eq!(fact(&sums, "Page size"), 32.0);
}

#[test]
fn a_course_has_every_access_of_its_window_once() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    let (zero, last) = head(&mut doc).clocks;
    for clocks in [None, Some((1_000.0, 2_000.0))] {
        let look = Look { clocks, ..Look::default() };
        ask(&mut doc, DensityQuery::Zoom(look));
        let Reply::Course(Some(course)) = ask(&mut doc, DensityQuery::Course(look)) else {
            panic!("a course")
        };
        let (from, to) = clocks.unwrap_or((0.0, (last - zero + 1) as f64));
        let end = course.from + course.step * course.accesses.len() as f64;
        assert!(course.from <= from && to <= end && course.accesses.len() <= 257, "{from} {to} {end}");
        // Whole columns.
        assert!(end - course.from < to - from + 2.0 * course.step);
        let seen = |a: &&Access| (course.from..end).contains(&(a.clock as f64 - zero as f64));
        assert_eq!(course.accesses.iter().sum::<f64>(), all.iter().filter(seen).count() as f64);
        for (column, (n, bytes)) in course.accesses.iter().zip(&course.working_set).enumerate() {
            assert_eq!(*n == 0.0, *bytes == 0.0, "{column}");
            assert_eq!(course.rate(column), n / course.step);
        }
        assert_eq!(course.column(from), Some(((from - course.from) / course.step) as usize));
        assert_eq!(course.column(end), None);
    }
}

#[test]
fn addresses_stand_beside_tensors() {
    let mut doc = opened(&Launch::attention());
    let bands = head(&mut doc).bands;
    let (scene, _) = doc.draw(&Frame::default(), SIZE, &Palette::default());
    let texts: Vec<&String> = scene
        .shapes
        .iter()
        .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text) } else { None })
        .collect();
    let inside = |band: &&lanescope::views::density::messages::Band| {
        let is_address = |text: &&&String| {
            let address = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            address.is_some_and(|address| (band.start..band.start + band.bytes).contains(&address))
        };
        texts.iter().any(|text| is_address(&text))
    };
    assert!(3 <= bands.iter().filter(|band| 0 < band.bytes).filter(inside).count(), "{texts:?}");
}

#[test]
fn cells_of_the_picture_say_what_lies_there() {
    let launch = Launch::attention();
    let (all, mut doc) = (launch.accesses(), opened(&launch));
    let (scene, note) = doc.draw(&Frame::default(), SIZE, &Palette::default());
    let Some(note) = note else { panic!("a note") };
    assert!(note.alt.starts_with(&lanescope::base::number::thousands(all.len() as u64)), "{}", note.alt);
    assert!(scene.shapes.iter().any(|shape| matches!(shape, Shape::Cells { width, .. } if 100 < *width)));
    let mut seen = 0;
    for is_linear in [false, true] {
        for step in 0..400 {
            let at = Point {
                x: note.plot.x + note.plot.w * (step as f32 + 0.5) / 400.0,
                y: note.plot.y + note.plot.h * ((step * 7 % 400) as f32 + 0.5) / 400.0,
            };
            let Some(cell) = under(&mut doc, Look { is_linear, ..Look::default() }, at) else { continue };
            seen += 1;
            let inside = |a: &&Access| {
                cell.addresses.0 <= a.address
                    && a.address <= cell.addresses.1
                    && cell.clocks.0 <= a.clock
                    && a.clock <= cell.clocks.1
            };
            assert_eq!(cell.accesses, all.iter().filter(inside).count() as u64, "{cell:?}");
        }
    }
    assert!(10 < seen, "{seen}");
    assert_eq!(under(&mut doc, Look::default(), Point { x: 1.0, y: 1.0 }), None);
    // What an address may hold.
    for window in [(5.0, 6.0), (-3.0, -2.0), (1e300, 2e300)] {
        let look = Look { clocks: Some(window), places: Some(window), is_linear: true };
        doc.draw(&Frame { look, ..Frame::default() }, SIZE, &Palette::default());
        ask(&mut doc, DensityQuery::Zoom(look));
        ask(&mut doc, DensityQuery::Sums(look));
    }
}

#[test]
fn counts_of_the_tool_alone_are_a_picture_too() {
    let launch = Launch::attention();
    let all = launch.accesses();
    let file = ("1.dmat".to_owned(), launch.dmat());
    let (mut doc, is_ready) = open(vec![file.clone()], 1 << 16);
    assert!(is_ready);
    assert_eq!(head(&mut doc).accesses, all.len() as u64);
    check_lines(&exported(&mut doc, "dmat-csv"), &counted(&all, 16));
    assert_eq!(fact(&head(&mut doc).facts, "Empty records"), launch.empty() as f64);
    let at = Point { x: 400.0, y: 300.0 };
    let cell = under(&mut doc, Look::default(), at);
    assert!(cell.is_none_or(|cell| cell.blocks.is_none()));
    assert!(doc.faults().rows().is_empty());
    // Cut anywhere it says what it has, and what is missing.
    let (len, word) = (file.1.len(), |at: usize| u64::from_le_bytes(file.1[at..at + 8].try_into().unwrap()));
    let head = 16 + 8 * word(0);
    let last = format!("{len} bytes needed, only {} left", len - 5);
    for cut in [0, 7, 15, 16, 17, 40, len / 2, len - 5] {
        let (mut doc, is_ready) = open(vec![("1.dmat".to_owned(), file.1[..cut].to_vec())], 1 << 16);
        let said = doc.faults().rows().iter().find(|fault| fault.code == "NEU-CUT").map(ToString::to_string);
        let said = said.unwrap_or_default().replace(',', "");
        let expected = match cut {
            0..16 => format!("16 bytes needed only {cut} left"),
            16..=40 => format!("{head} bytes needed only {cut} left"),
            _ if cut == len - 5 => last.replace(',', ""),
            _ => format!("only {cut} left"),
        };
        assert!(cut == 0 || said.contains(&expected), "{cut}: {said}");
        assert!(cut != len - 5 || said.contains(&format!(" 1 of {} clocks is missing", word(8))), "{said}");
        if is_ready {
            ask(&mut doc, DensityQuery::Head);
            doc.draw(&Frame::default(), SIZE, &Palette::default());
        }
    }
}

#[test]
fn the_recount_of_records_equals_the_counts_of_the_tool() {
    let Some(folder) = corpus("neutrino/mock_v2_dmat") else { return };
    let files = files_of(&folder);
    let dmat = &files.iter().find(|(name, _)| name.ends_with(".dmat")).unwrap().1;
    let u64_at = |at: usize| u64::from_le_bytes(dmat[at..at + 8].try_into().unwrap());
    let (n_pages, n_clocks) = (u64_at(0) as usize, u64_at(8));
    let (mut at, mut expected, mut never) = (16 + 8 * n_pages, Vec::new(), 0);
    for _ in 0..n_clocks {
        let (clock, n) = (u64_at(at), u64_at(at + 8));
        at += 16;
        for _ in 0..n {
            let count = u64::from(u32::from_le_bytes(dmat[at + 8..at + 12].try_into().unwrap()));
            match (clock, u64_at(at)) {
                (0, 0) => never += count,
                (clock, page) => expected.push((page, clock, count)),
            }
            at += 12;
        }
    }
    assert_eq!((at, never), (dmat.len(), 8_576));
    expected.sort_unstable_by_key(|(page, clock, _)| (*clock, *page));
    let (mut doc, is_ready) = open(files.clone(), 1 << 16);
    assert!(is_ready);
    check_lines(&exported(&mut doc, "dmat-csv"), &expected);
    set(&mut doc, &[("page-size", "65536")]);
    let found = head(&mut doc);
    assert_eq!((found.accesses, found.pages, found.clocks.1), (40_576, 342, 18_764));
    assert_eq!(fact(&found.facts, "Empty records"), 8_576.0);
    let names: Vec<String> = found.bands.iter().map(|band| band.name.to_string()).collect();
    assert_eq!(names, ["out", "x"]);
    // Without tensors allocations have names, by the parameters that point into them.
    let others: Vec<_> = files.iter().filter(|(name, _)| !name.ends_with("tensor.trace")).cloned().collect();
    let (mut doc, _) = open(others, 1 << 16);
    let names: Vec<String> = head(&mut doc).bands.iter().map(|band| band.name.to_string()).collect();
    assert_eq!(names, ["Parameter 1", "Parameter 0"]);
    // The counts alone say the same.
    let own: Vec<_> = files.into_iter().filter(|(name, _)| !name.ends_with(".bin")).collect();
    let (mut doc, _) = open(own, 1 << 16);
    check_lines(&exported(&mut doc, "dmat-csv"), &expected);
    assert_eq!(head(&mut doc).accesses, 40_576);
}
