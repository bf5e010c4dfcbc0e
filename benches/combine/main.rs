//! How long 100 million records take to be combined: `cargo bench --bench combine`. Threads are mixed at random; half of the
//! records are of the flow, half are accesses.

use divan::{Bencher, counter::ItemsCount};
use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::Entry;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Memory, Source};
use lanescope::views::executions::compute::Recorded;
use std::fmt::Write;
use std::rc::Rc;

const EXECUTIONS: usize = 50_000_000;
const THREADS: u32 = 4_096;
const BLOCKS: u32 = 16;

fn main() {
    divan::main();
}

/// Blocks of one access each, in a ring.
fn manifest() -> String {
    let mut blocks = String::new();
    for id in 0..BLOCKS {
        let comma = if id == 0 { "" } else { "," };
        let next = (id + 1) % BLOCKS;
        write!(
            blocks,
            r#"{comma}{{"id":{id},"label":"BB{id}","pc":{pc},"entry":false,"exit":false,"succ":[{next}],
            "insts":[{{"pc":{pc},"text":"LDG","mem":{{"rw":"r","bytes":4,"space":"global"}}}}],
            "emits":[{{"type":1,"count":1,"at":[null]}},{{"type":2,"count":1,"at":[0]}}]}}"#,
            pc = id * 16,
        )
        .unwrap();
    }
    format!(
        r#"{{"format":"gpu-multitrace","version":"1.0","endian":"little",
        "device":{{"lanes":32,"line_bytes":128,"sector_bytes":32}},"thread_id":{{"kind":"sw","label":"warp"}},
        "types":[{{"id":1,"name":"flow","kind":"flow","layout":"flow8","bytes":8}},
        {{"id":2,"name":"mem","kind":"memory","layout":"mem-base","bytes":24}}],
        "kernels":[{{"id":0,"name":"ring","simd":32,"blocks":[{blocks}]}}],
        "dispatches":[{{"id":0,"kernel":0,"run":1,"buffers":[
        {{"type":1,"file":"flow.bin","scope":"shared","header":false}},
        {{"type":2,"file":"mem.bin","scope":"shared","header":false}}]}}]}}"#
    )
}

fn sources() -> [(&'static str, Source); 3] {
    let (mut flow, mut mem) = (Vec::with_capacity(EXECUTIONS * 8), Vec::with_capacity(EXECUTIONS * 24));
    let mut next = vec![0_u32; THREADS as usize];
    let mut random = 1_u64;
    for _ in 0..EXECUTIONS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let thread = (random >> 40) as u32 % THREADS;
        let block = &mut next[thread as usize];
        for bytes in [&mut flow, &mut mem] {
            bytes.extend(thread.to_le_bytes());
            bytes.extend(block.to_le_bytes());
        }
        mem.extend([0, 0, 4, 0, 0xff, 0xff, 0xff, 0xff]);
        mem.extend((0x7f00_0000_0000 + (random >> 44)).to_le_bytes());
        *block = (*block + 1) % BLOCKS;
    }
    let source = |bytes| Rc::new(Memory(bytes)) as Source;
    [("manifest.json", source(manifest().into_bytes())), ("flow.bin", source(flow)), ("mem.bin", source(mem))]
}

fn is_combined(doc: &Document) -> bool {
    let launch = doc.trace().extensions.get::<Recorded>().and_then(|recorded| recorded.launches.first());
    launch.is_some_and(|launch| launch.executions.block.len() == EXECUTIONS)
}

/// Combines 100 million records; what is computed of them then does not count.
#[divan::bench(sample_count = 3)]
fn combine(bencher: Bencher) {
    let files = sources();
    bencher.counter(ItemsCount::new(EXECUTIONS * 2)).bench_local(|| {
        let entry =
            |(path, source): &(&str, Source)| Entry { path: (*path).to_owned(), source: source.clone() };
        let entries = files.iter().map(entry).collect();
        let mut buffer = vec![0; 1 << 18];
        let mut doc = Document::new(entries, Box::new(MemoryStore::default()));
        while !is_combined(&doc) {
            match doc.step() {
                Need::Again => {}
                Need::Stream { source, range } => doc.drain(&source, range, &mut buffer),
                Need::Ready | Need::Failed | Need::Part(_) => panic!("{:?}", doc.faults().rows()),
            }
        }
        assert!(doc.faults().rows().is_empty(), "{:?}", doc.faults().rows());
        doc
    });
}
