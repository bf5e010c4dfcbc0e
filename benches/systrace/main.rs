//! How long systraces of Android's NNAPI take: `cargo bench --bench systrace`.
//!
//! `open_*`: from bytes to a document with its tables, all that is computed while loading included. `aosp_*`: the output
//! of the AOSP parser from an opened document, of one run that holds all executions: the case in which that parser's time
//! grows with the square.

#[path = "../../examples/make_systrace/pen.rs"]
mod pen;
#[path = "../../examples/make_systrace/runs.rs"]
mod runs;

#[path = "../../tests/it/systrace_proto/make.rs"]
#[allow(dead_code)] // the tests use the rest
mod make;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use lanescope::document::Document;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::unpack::MemoryStore;
use lanescope::wire::Query;
use pen::{Options, Pen};
use std::rc::Rc;

/// Thousands of rows.
const ROWS: [u64; 4] = [125, 250, 500, 1000];

fn main() {
    divan::main();
}

fn made(options: Options) -> Rc<Memory> {
    let mut out = Vec::new();
    runs::write(&mut Pen::new(&mut out, options)).expect("memory takes everything");
    Rc::new(Memory(out))
}

fn one_run(thousands: u64) -> Rc<Memory> {
    made(Options { rows: thousands * 1000, runs: Some(1), foreign: 0.2, ..Options::default() })
}

fn open(source: &Rc<Memory>) -> Document {
    let entry = Entry { path: "trace.txt".to_owned(), source: source.clone() };
    Document::open(vec![entry], Box::new(MemoryStore::default())).0
}

/// Opens traces of 50 MB, this share of their rows foreign.
#[divan::bench(args = [0.5, 0.9, 0.98], sample_count = 5)]
fn open_50_mb(bencher: Bencher, foreign: f64) {
    let source = made(Options { bytes: Some(50_000_000), foreign, ..Options::default() });
    bencher.counter(BytesCount::new(source.0.len())).bench_local(|| open(&source));
}

/// The same as packets of Perfetto.
#[divan::bench(args = [0.5, 0.9, 0.98], sample_count = 5)]
fn open_packets(bencher: Bencher, foreign: f64) {
    let text = made(Options { bytes: Some(50_000_000), foreign, ..Options::default() });
    let events = make::events(std::str::from_utf8(&text.0).expect("text"));
    let packets = make::packets(&events, 2_000);
    let source = Rc::new(Memory(make::file(&packets, make::Packing::None, 1)));
    bencher
        .counter(BytesCount::new(source.0.len()))
        .counter(ItemsCount::new(events.len()))
        .bench_local(|| open(&source));
}

#[divan::bench(args = ROWS, sample_count = 3)]
fn open_one_run(bencher: Bencher, thousands: u64) {
    let source = one_run(thousands);
    bencher.counter(ItemsCount::new(thousands * 1000)).bench_local(|| open(&source));
}

#[divan::bench(args = ROWS, sample_count = 3)]
fn aosp_text_of_one_run(bencher: Bencher, thousands: u64) {
    let mut document = open(&one_run(thousands));
    bencher
        .counter(ItemsCount::new(thousands * 1000))
        .bench_local(|| black_box(document.query(&Query::Export { id: "nnapi-text".to_owned() })));
}

#[divan::bench(args = ROWS, sample_count = 3)]
fn aosp_json_of_one_run(bencher: Bencher, thousands: u64) {
    let mut document = open(&one_run(thousands));
    bencher
        .counter(ItemsCount::new(thousands * 1000))
        .bench_local(|| black_box(document.query(&Query::Export { id: "nnapi-json".to_owned() })));
}
