//! The memory that recorded launches access, through the front door: counts by hand, parameters, regions, reuse, what is
//! zoomed into, the table of instructions, and what is known of real traces.

mod corpus;

use crate::accelsim::export;
use crate::accelsim::make::{self, GROUPS, PROGRAM, V5, WARPS, ran};
use crate::support::front_door::open;
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::model::figure::Target;
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::views::density::compute::Order;
use lanescope::views::density::messages::{DensityQuery, Frame, Head, Look, Reply};
use lanescope::wire::Query;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn ask(doc: &mut Document, ask: DensityQuery) -> Reply {
    let Some(reply) = doc.query(&ask).0 else { panic!("an answer") };
    reply
}

pub(super) fn head(doc: &mut Document) -> Head {
    while doc.has_work() {
        doc.step();
    }
    let Reply::Head(Some(head)) = ask(doc, DensityQuery::Head) else { panic!("a head") };
    *head
}

pub(super) fn set(doc: &mut Document, values: &[(&str, &str)]) {
    let texts = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    doc.query(&Query::SetParameters(texts));
    while doc.has_work() {
        doc.step();
    }
}

/// A table of the figures, as rows of texts and numbers.
pub(super) fn rows(doc: &mut Document, id: &str) -> Vec<Vec<Value>> {
    let json: Value = serde_json::from_str(&export(doc, "figures-json")).unwrap();
    let families = json["figures"].as_array().or_else(|| json.as_array()).unwrap();
    let family = families.iter().find(|family| family["id"] == id).unwrap_or_else(|| panic!("{id}"));
    let rows = family["variants"][0]["body"]["table"]["rows"].as_array().unwrap();
    rows.iter().map(|row| row.as_array().unwrap().clone()).collect()
}

/// The traces of two launches with the ranges that a list names.
fn folder() -> Document {
    let files = [
        ("run/kernelslist.g", make::list(&["kernel-1.traceg", "kernel-2.traceg"])),
        ("run/kernel-1.traceg", V5.grouped("first")),
        ("run/kernel-2.traceg", V5.raw("second")),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.into_bytes())).to_vec();
    let (doc, is_ready) = open(files, 1 << 16);
    assert!(is_ready);
    doc
}

fn one() -> Document {
    let (doc, is_ready) =
        open(vec![("kernel-1.traceg".to_owned(), V5.grouped("loop").into_bytes())], 1 << 16);
    assert!(is_ready);
    doc
}

/// Accesses by hand: thread, number of the instruction in the thread, whether it is a write, addresses.
fn accesses() -> Vec<(u64, u64, bool, Vec<u64>)> {
    let threads = (0..GROUPS).flat_map(|group| (0..WARPS).map(move |warp| (group, warp))).zip(0..);
    let of = |((group, warp), thread): ((u32, u32), u64)| {
        let of = move |(ran, at): (make::Ran, u64)| {
            (thread, at, PROGRAM[ran.at].1.starts_with("STG"), ran.addresses)
        };
        // The branch over the store leaves its instruction out.
        ran(group, warp).into_iter().zip(0..).map(of)
    };
    threads.flat_map(of).filter(|(.., addresses)| !addresses.is_empty()).collect()
}

fn lanes(all: &[(u64, u64, bool, Vec<u64>)], is_meant: impl Fn(bool) -> bool) -> u64 {
    all.iter().filter(|(_, _, writes, _)| is_meant(*writes)).map(|(.., lanes)| lanes.len() as u64).sum()
}

#[test]
fn every_lane_of_every_access_is_counted_once() {
    let (all, mut doc) = (accesses(), one());
    let found = head(&mut doc);
    assert_eq!((found.analysis.as_str(), found.order), ("instrumentation-memory", Order::Instruction));
    assert_eq!(found.accesses, lanes(&all, |_| true));
    let pages = |shift: u32| {
        all.iter().flat_map(|(.., lanes)| lanes).map(|a| a >> shift).collect::<BTreeSet<u64>>().len()
    };
    let best = (5..63).find(|shift| pages(*shift) <= 200).unwrap();
    assert_eq!(
        (found.pages, found.page_bytes, found.asked_bytes),
        (pages(best) as u64, 1 << best, 1 << best)
    );
    let at = |f: fn(&(u64, u64, bool, Vec<u64>)) -> u64| (all.iter().map(f).min(), all.iter().map(f).max());
    assert_eq!((Some(found.clocks.0), Some(found.clocks.1)), at(|access| access.1));
    assert_eq!(found.unit.symbol(), "instructions");
    set(&mut doc, &[("trace-accesses", "reads")]);
    assert_eq!(head(&mut doc).accesses, lanes(&all, |writes| !writes));
    set(&mut doc, &[("trace-accesses", "writes"), ("trace-order", "thread")]);
    let found = head(&mut doc);
    assert_eq!((found.accesses, found.order), (lanes(&all, |writes| writes), Order::Thread));
    // Only the first group takes the store.
    assert_eq!((found.clocks, found.unit.symbol()), ((0, 1), "threads"));
    for (value, shift) in [("32", 5), ("128", 7), ("4096", 12), ("65536", 16), ("2097152", 21)] {
        set(&mut doc, &[("trace-accesses", "all"), ("trace-page-size", value)]);
        let pages: BTreeSet<u64> = all.iter().flat_map(|(.., lanes)| lanes).map(|a| a >> shift).collect();
        let found = head(&mut doc);
        assert_eq!((found.pages, found.page_bytes), (pages.len() as u64, 1 << shift));
    }
}

#[test]
fn addresses_beside_the_picture_differ() {
    let mut doc = one();
    let size = Size { w: 900.0, h: 700.0 };
    let mut addresses = |value: &str| {
        set(&mut doc, &[("trace-page-size", value)]);
        let (scene, _) = doc.draw(&Frame::default(), size, &Palette::default());
        let texts = scene.shapes.into_iter().filter_map(|shape| match shape {
            Shape::Text { text, .. } if text.starts_with("0x") => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>()
    };
    for value in ["auto", "4096", "65536", "2097152"] {
        let found = addresses(value);
        assert!(!found.is_empty(), "{value}");
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "{value}: {found:?}");
    }
}

#[test]
fn launches_stand_one_behind_the_other_or_alone() {
    let (all, mut doc) = (lanes(&accesses(), |_| true), folder());
    let both = head(&mut doc);
    assert_eq!(both.accesses, 2 * all);
    set(&mut doc, &[("trace-launch", "2")]);
    let second = head(&mut doc);
    assert_eq!(second.accesses, all);
    // The second begins behind the longest thread of the first.
    assert_eq!(both.clocks.0, second.clocks.0);
    assert_eq!(both.clocks.1, second.clocks.1 + ran(0, 0).len() as u64);
    set(&mut doc, &[("trace-launch", "2"), ("trace-order", "thread")]);
    assert_eq!(head(&mut doc).clocks, (0, u64::from(GROUPS * WARPS) - 1));
    set(&mut doc, &[("trace-launch", "0"), ("trace-order", "thread")]);
    assert_eq!(head(&mut doc).clocks, (0, u64::from(GROUPS * WARPS) * 2 - 1));
    set(&mut doc, &[("trace-launch", "9")]);
    assert_eq!(head(&mut doc).accesses, 0);
}

#[test]
fn regions_have_the_names_of_the_files_or_numbers() {
    let names =
        |doc: &mut Document| head(doc).bands.iter().map(|band| band.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&mut folder()), ["MemcpyHtoD"]);
    let mut doc = one();
    assert_eq!(names(&mut doc), ["Region 1"]);
    let found = head(&mut doc);
    assert_eq!((found.bands[0].start, found.bands[0].accesses), (0x7f00_0000_0000, found.accesses));
}

#[test]
fn lines_know_how_many_threads_touch_them() {
    let (all, mut doc) = (accesses(), one());
    let mut threads: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for (thread, _, _, addresses) in &all {
        addresses.iter().for_each(|address| {
            threads.entry(address >> 7).or_default().insert(*thread);
        });
    }
    let found = rows(&mut doc, "trace-memory-regions");
    let most = threads.values().map(BTreeSet::len).max().unwrap();
    let sum: usize = threads.values().map(BTreeSet::len).sum();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0][5], threads.len());
    assert_eq!(found[0][7], sum as f64 / threads.len() as f64);
    assert_eq!(found[0][8], most);
}

#[test]
fn what_is_zoomed_into_is_counted_anew_and_named_alike() {
    let mut doc = one();
    let found = head(&mut doc);
    let size = Size { w: 900.0, h: 600.0 };
    let look = Look { clocks: Some((0.0, 3.0)), ..Look::default() };
    doc.query(&DensityQuery::Zoom(look));
    let Reply::Sums(sums) = ask(&mut doc, DensityQuery::Sums(look)) else { panic!("sums") };
    let names: Vec<&str> = sums.iter().map(|fact| fact.name.as_str()).collect();
    assert!(names.contains(&"First instruction") && names.contains(&"Last instruction"), "{names:?}");
    // Which instruction it is, not how many; a length has them.
    let text = |name: &str| {
        let fact = sums.iter().find(|fact| fact.name == name).unwrap();
        (fact.value.with_unit(&fact.unit), fact.value.plain())
    };
    for name in ["First instruction", "Last instruction"] {
        assert_eq!(text(name).0, text(name).1, "{name}");
        assert!(found.facts.iter().all(|fact| fact.name != name), "compared by {name}");
    }
    assert!(text("Working set interval").0.contains("instruction"), "{:?}", text("Working set interval"));
    let frame = Frame { look, ..Frame::default() };
    let (_, note) = doc.draw(&frame, size, &Palette::default());
    let Some(note) = note else { panic!("a note") };
    assert!(note.alt.contains("instructions 1 to 3"), "{} {:?}", note.alt, found.clocks);
}

#[test]
fn instructions_tell_their_pattern_and_lead_to_the_source() {
    let mut doc = folder();
    let found = rows(&mut doc, "instrumentation-instructions");
    let text = |row: usize, column: usize| found[row][column].as_str().unwrap().to_owned();
    let opcodes: Vec<String> = (0..found.len()).map(|row| text(row, 3)).collect();
    assert_eq!(opcodes, ["LDG.E", "STG.E.64", "LDG.E.U8", "LDG.E", "STG.E.64", "LDG.E.U8"]);
    assert_eq!((text(0, 12), text(0, 13)), ("contiguous lanes".to_owned(), "4 (100.0 %)".to_owned()));
    assert_eq!(text(1, 12), "stride 256: one sector per lane, 25.0 % of the bytes moved are used");
    assert_eq!(
        (text(1, 4), text(1, 5), &found[1][7]),
        ("global".to_owned(), "write".to_owned(), &Value::from(2))
    );
    assert_eq!((&found[1][9], &found[1][10]), (&Value::from(32), &Value::from(8)));
    assert_eq!(text(2, 12), "no active lanes");
    let place = text(1, 1);
    let Some(Target::Instructions(passage)) = Target::of_place(&place) else { panic!("{place}") };
    let listing = &doc.trace().code.listings[passage.listing.0 as usize];
    let row = listing.address.iter().position(|address| *address == passage.first).unwrap();
    assert!(listing.lines.get(row).starts_with("STG.E.64"));
    assert_eq!(Target::shown(&place), "0x60");
    // The other place of the row is the box of Trace where most was lost.
    for (at, launch) in [(1, 0), (4, 1)] {
        let box_of = Target::Execution { launch, execution: 4, row: 0, name: "CTA 0,0,0 warp 0".to_owned() };
        assert_eq!(Target::of_place(&text(at, 16)), Some(box_of));
    }
    assert_eq!(Target::shown(&text(1, 16)), "CTA 0,0,0 warp 0");
    let load = Target::of_place(&text(2, 16));
    assert!(matches!(load, Some(Target::Execution { execution: 5, row: 0, .. })), "{load:?}");
}

#[test]
fn a_file_that_ends_early_is_counted_as_far_as_it_goes() {
    let whole = V5.grouped("loop").into_bytes();
    for cut in (400..whole.len()).step_by(211) {
        let (mut doc, is_ready) = open(vec![("kernel-1.traceg".to_owned(), whole[..cut].to_vec())], 1 << 16);
        if is_ready {
            while doc.has_work() {
                doc.step();
            }
            if let Reply::Head(Some(head)) = ask(&mut doc, DensityQuery::Head) {
                assert!(head.accesses <= lanes(&accesses(), |_| true), "{cut}");
            }
        }
    }
}
