//! How long memory accesses take to be read and drawn, over 5 million records: `cargo bench --bench accesses`.

use divan::{Bencher, black_box};
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::unpack::MemoryStore;
use lanescope::scene::palette::Palette;
use lanescope::views::access::messages::{AccessScope, Filter, Frame};
use std::rc::Rc;

const RECORDS: u64 = 5_000_000;
const SIZE: Size = Size { w: 1_440.0, h: 520.0 };

fn main() {
    divan::main();
}

/// A container with one block: eight cores copy tiles, work in their buffers at scattered places, and write back.
fn container() -> Vec<u8> {
    let mut body = (RECORDS * 32).to_le_bytes().to_vec();
    body.reserve(RECORDS as usize * 32 + 64);
    let mut random = 1_u64;
    for id in 0..RECORDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let noise = random >> 40;
        let (kind, space, address, bytes) = match id % 8 {
            0 => (3, 1, 0x12c0_4000_0000 + id * 64, 512_u64),
            7 => (4, 1, 0x12c0_8000_0000 + id * 64, 512),
            n => (3 + (n % 2) as u8, 6, noise % 0x3_0000 / 32 * 32, 256),
        };
        body.extend([kind, (id / 64 % 8) as u8, space, 0]);
        body.extend((id as u32).to_le_bytes());
        for number in [address, bytes, 0x1000 + noise % 64 * 8] {
            body.extend(number.to_le_bytes());
        }
    }
    body.extend(2_u64.to_le_bytes());
    body.extend(b"[]");
    let padding = (4 - body.len() % 4) % 4;
    let mut out = ((body.len() + padding) as u64).to_le_bytes().to_vec();
    out.extend([10, padding as u8, 0x5a, 0x5a]);
    out.extend(body);
    out.resize(out.len() + padding, 0);
    out
}

fn entry(bytes: &Rc<Memory>) -> Vec<Entry> {
    vec![Entry { path: "visualize_data.bin".to_owned(), source: bytes.clone() }]
}

fn opened() -> Document {
    Document::open(entry(&Rc::new(Memory(container()))), Box::new(MemoryStore::default())).0
}

fn draw(doc: &mut Document, look: AccessScope) {
    let frame = Frame { look, selected: None };
    black_box(doc.draw(&frame, SIZE, &Palette::default()));
}

/// Reads 160 MB, with the clusters of addresses.
#[divan::bench(sample_count = 5)]
fn read(bencher: Bencher) {
    let bytes = Rc::new(Memory(container()));
    bencher
        .counter(divan::counter::BytesCount::new(bytes.0.len()))
        .bench_local(|| Document::open(entry(&bytes), Box::new(MemoryStore::default())));
}

/// Everything, when nothing was drawn before with the filter: all records are counted.
#[divan::bench(sample_count = 20)]
fn first_frame_of_all(bencher: Bencher) {
    let mut doc = opened();
    let mut turn = 0;
    bencher.bench_local(|| {
        // Another filter each time, so that nothing is kept.
        turn = (turn + 1) % 2;
        let mut filter = Filter::default();
        filter.set("kind", (turn == 0).then(|| "AIVEC".to_owned()));
        draw(&mut doc, AccessScope { filter, ..AccessScope::default() });
    });
}

/// Everything again, moved a little each time.
#[divan::bench(sample_count = 50)]
fn panned_frame_of_all(bencher: Bencher) {
    let mut doc = opened();
    let mut from = 0.0;
    bencher.bench_local(|| {
        from += 2_000.0;
        draw(&mut doc, AccessScope { rows: Some((from, from + 4_500_000.0)), ..AccessScope::default() });
    });
}

/// Half of the records, addresses zoomed to another place each time: all in view are counted.
#[divan::bench(sample_count = 20)]
fn other_addresses(bencher: Bencher) {
    let mut doc = opened();
    let mut low = 0.0;
    bencher.bench_local(|| {
        low = if 0.5 < low { 0.0 } else { low + 0.07 };
        draw(
            &mut doc,
            AccessScope {
                rows: Some((0.0, 2.5e6)),
                places: Some((low, low + 0.1)),
                ..AccessScope::default()
            },
        );
    });
}

/// A thousand records, each a bar.
#[divan::bench(sample_count = 50)]
fn bars(bencher: Bencher) {
    let mut doc = opened();
    let mut from = 0.0;
    bencher.bench_local(|| {
        from += 900.0;
        draw(&mut doc, AccessScope { rows: Some((from, from + 1_000.0)), ..AccessScope::default() });
    });
}
