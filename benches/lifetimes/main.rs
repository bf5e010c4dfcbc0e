//! How long a log of a simulator takes from bytes to lifetimes, and what a retention costs:
//! `cargo bench --bench lifetimes`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use lanescope::document::Document;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::unpack::MemoryStore;
use lanescope::views::lifetimes::compute::Distribution;
use std::fmt::Write;
use std::rc::Rc;

/// Bytes of a log.
const LOG: usize = 128 << 20;
/// Kernels of a log.
const KERNELS: usize = 8;

fn main() {
    divan::main();
}

/// The same numbers at each start.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Bursts of accesses of 46 processors to both levels, as a matrix product makes them.
fn log() -> Vec<u8> {
    let mut out = String::with_capacity(LOG + 4096);
    let mut dice = Dice(88_172_645_463_325_252);
    for kernel in 1..=KERNELS {
        let _ = writeln!(out, "launching kernel name: product uid: {kernel} cuda_stream_id: 0");
        let mut cycle = 5400;
        while out.len() < LOG / KERNELS * kernel {
            cycle += dice.below(3);
            let base = 0x7f2a_d300_0000 + cycle / 2000 * 4096 + dice.below(512) * 128;
            for _ in 0..dice.below(24) + 8 {
                let address = base + 32 * dice.below(64);
                let operation = if dice.below(8) == 0 { "Store" } else { "Load" };
                let _ = if dice.below(100) < 55 {
                    let (processor, status) = (dice.below(46), [0, 0, 2, 2, 3][dice.below(5) as usize]);
                    writeln!(
                        out,
                        "GPGPU-Sim Cycle {cycle}: {operation} instr from L1D cache at SM {processor} bank 1 addr {address:x} status {status}"
                    )
                } else {
                    let (bank, status) = (address >> 8 & 31, [0, 0, 2][dice.below(3) as usize]);
                    writeln!(
                        out,
                        "GPGPU-Sim Cycle {cycle}: {operation} instr from L2 cache at bank {bank} addr {address:x} status {status}"
                    )
                };
            }
        }
        let _ = writeln!(
            out,
            "kernel_launch_uid = {kernel} \ngpu_sim_cycle = {cycle}\ngpu_tot_sim_cycle = {cycle}"
        );
    }
    out.into_bytes()
}

#[divan::bench(sample_count = 5)]
fn access_lines(bencher: Bencher) {
    let source = Rc::new(Memory(log()));
    bencher.counter(BytesCount::new(source.0.len())).bench_local(|| {
        let entry = Entry { path: "run.log".to_owned(), source: source.clone() };
        black_box(Document::open(vec![entry], Box::new(MemoryStore::default())).0)
    });
}

/// Share and refreshes of ten million lifetimes of so many lengths.
#[divan::bench(args = [100_000, 10_000_000])]
fn retention(bencher: Bencher, lengths: u64) {
    let mut dice = Dice(88_172_645_463_325_252);
    let all = Distribution::of((0..10_000_000).map(|_| dice.below(lengths)).collect());
    let mut at = 0.0;
    bencher.counter(ItemsCount::new(10_000_000_u64)).bench_local(|| {
        at = (at + 997.0) % 20_000.0;
        black_box((all.share_within(at + 10.0), all.refreshes(at + 10.0)))
    });
}
