//! How long traces of warps take from bytes to a document: `cargo bench --bench accelsim`.
//!
//! `grouped_*`: in the order of warps, with addresses as a stride or as a step for each lane; `raw`: interleaved. `read_*`: what
//! is read, without what is computed of it.

#[path = "../../tests/it/accelsim/make.rs"]
#[allow(dead_code)] // the tests use the rest
mod make;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::unpack::MemoryStore;
use make::{Tracer, V5, ran};
use std::fmt::Write;
use std::rc::Rc;

/// Thread blocks of eight warps, each of 12 or 13 instructions.
const GROUPS: u32 = 1 << 13;

fn main() {
    divan::main();
}

fn grouped(tracer: Tracer) -> (Vec<u8>, usize) {
    let (mut out, mut n) = (tracer.head("loop"), 0);
    for group in 0..GROUPS {
        write!(out, "\n#BEGIN_TB\n\nthread block = {group},0,0\n\n").expect("memory takes everything");
        for warp in 0..8 {
            let all = ran(group, warp);
            write!(out, "warp = {warp}\ninsts = {}\n", all.len()).expect("memory takes everything");
            for ran in &all {
                out += &tracer.line(ran);
            }
            n += all.len();
        }
        out += "#END_TB\n";
    }
    (out.into_bytes(), n)
}

fn raw(tracer: Tracer) -> (Vec<u8>, usize) {
    let (mut out, mut n) = (tracer.head("loop"), 0);
    for group in 0..GROUPS {
        let warps: Vec<_> = (0..8).map(|warp| ran(group, warp)).collect();
        for at in 0..warps[0].len() {
            for (warp, all) in warps.iter().enumerate() {
                write!(out, "{group} 0 0 {warp} {}", tracer.line(&all[at])).expect("memory takes everything");
                n += 1;
            }
        }
    }
    (out.into_bytes(), n)
}

fn open(name: &str, source: &Rc<Memory>) -> Document {
    let entry = Entry { path: name.to_owned(), source: source.clone() };
    Document::open(vec![entry], Box::new(MemoryStore::default())).0
}

/// Reads everything, computes nothing.
fn read(name: &str, source: &Rc<Memory>) -> Document {
    let entry = Entry { path: name.to_owned(), source: source.clone() };
    let mut document = Document::new(vec![entry], Box::new(MemoryStore::default()));
    let (mut was_fed, mut buffer) = (false, vec![0; 1 << 18]);
    loop {
        match document.step() {
            Need::Stream { source, range } => {
                was_fed = true;
                document.drain(&source, range, &mut buffer);
            }
            Need::Again if !was_fed || document.progress().step == "Reading" => {}
            _ => return document,
        }
    }
}

fn bench(bencher: Bencher, name: &str, (bytes, n): (Vec<u8>, usize)) {
    let source = Rc::new(Memory(bytes));
    bencher
        .counter(BytesCount::new(source.0.len()))
        .counter(ItemsCount::new(n))
        .bench_local(|| black_box(open(name, &source)));
}

#[divan::bench(sample_count = 5)]
fn read_strides(bencher: Bencher) {
    let (bytes, n) = grouped(Tracer { mode: 1, ..V5 });
    let source = Rc::new(Memory(bytes));
    bencher
        .counter(BytesCount::new(source.0.len()))
        .counter(ItemsCount::new(n))
        .bench_local(|| black_box(read("kernel-1.traceg", &source)));
}

#[divan::bench(sample_count = 5)]
fn grouped_strides(bencher: Bencher) {
    bench(bencher, "kernel-1.traceg", grouped(Tracer { mode: 1, ..V5 }));
}

#[divan::bench(sample_count = 5)]
fn grouped_deltas(bencher: Bencher) {
    bench(bencher, "kernel-1.traceg", grouped(V5));
}

#[divan::bench(sample_count = 5)]
fn raw_strides(bencher: Bencher) {
    bench(bencher, "kernel-1.trace", raw(Tracer { mode: 1, ..V5 }));
}
