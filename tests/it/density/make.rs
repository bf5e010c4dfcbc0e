//! A trace folder with the memory accesses of a small attention, and what is to be found in it.

use std::collections::{BTreeMap, BTreeSet};

/// One access that a thread recorded.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) block: u64,
    pub(super) thread: u64,
    pub(super) clock: u64,
    pub(super) address: u64,
    /// Number of its tensor; 4 is none.
    pub(super) tensor: usize,
}

/// A launch.
pub(super) struct Launch {
    blocks: u64,
    threads: u64,
    /// Records that a thread has room for.
    room: u64,
    /// Bytes between one tensor and the next.
    gap: u64,
    /// Bytes from the base to the first.
    first: u64,
}

/// Bytes of each tensor.
const BYTES: u64 = 4 << 20;
/// Where tensors begin.
const BASE: u64 = 0x7f1a_4000_0000;

impl Launch {
    pub(super) fn attention() -> Self {
        Self { blocks: 12, threads: 64, room: 96, gap: 1 << 20, first: 0 }
    }

    /// The same with one tensor behind the other, so that large pages hold the end of one and the begin of the next.
    pub(super) fn packed() -> Self {
        Self { gap: 0, first: (1 << 20) + 96, ..Self::attention() }
    }

    fn pointer(&self, tensor: usize) -> u64 {
        BASE + self.first + tensor as u64 * (BYTES + self.gap)
    }

    /// Accesses of a thread, fewer than there is room for.
    fn of_thread(&self, block: u64, thread: u64) -> Vec<Access> {
        let mut random = block * 1_000 + thread + 1;
        let mut clock = 200 + thread;
        let one = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            clock += 40 + (random >> 50) % 90;
            let tensor = match n {
                0..8 => 0,
                85.. => 3,
                40 => 4,
                n => 1 + (n / 4 % 2) as usize,
            };
            let inside =
                (block * 331 + n * 17) % 1_000 * 4_096 + thread * if n.is_multiple_of(2) { 4 } else { 64 };
            let address = if tensor == 4 { 0x1_0000 + thread * 8 } else { self.pointer(tensor) + inside };
            Access { block, thread, clock, address, tensor }
        };
        (0..self.room - 3 - thread % 2).map(one).collect()
    }

    /// All accesses in the order of the file.
    pub(super) fn accesses(&self) -> Vec<Access> {
        let threads = (0..self.blocks).flat_map(|block| (0..self.threads).map(move |thread| (block, thread)));
        threads.flat_map(|(block, thread)| self.of_thread(block, thread)).collect()
    }

    /// Records that are never written.
    pub(super) fn empty(&self) -> u64 {
        self.blocks * self.threads * self.room - self.accesses().len() as u64
    }

    /// Sectors of 32 bytes that the accesses of a warp touch, those of one number in each thread, in the mean.
    pub(super) fn sectors_per_access(&self) -> f64 {
        let mut sectors: BTreeMap<(u64, u64, usize), BTreeSet<u64>> = BTreeMap::new();
        for block in 0..self.blocks {
            for thread in 0..self.threads {
                for (n, access) in self.of_thread(block, thread).iter().enumerate() {
                    sectors.entry((block, thread / 32, n)).or_default().insert(access.address >> 5);
                }
            }
        }
        sectors.values().map(BTreeSet::len).sum::<usize>() as f64 / sectors.len() as f64
    }

    /// The folder.
    pub(super) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut bin: Vec<u8> = Vec::new();
        for number in
            [self.blocks as u32, 1, 1, self.threads as u32, 1, 1, 0, 1, self.room as u32 * 16, 1, 48, 0]
        {
            bin.extend(number.to_le_bytes());
        }
        for block in 0..self.blocks {
            for thread in 0..self.threads {
                let end = bin.len() + self.room as usize * 16;
                for access in self.of_thread(block, thread) {
                    bin.extend(access.clock.to_le_bytes());
                    bin.extend(access.address.to_le_bytes());
                }
                bin.resize(end, 0);
            }
        }
        let mut tensors = String::new();
        for (n, name) in ["q", "k", "v", "out"].into_iter().enumerate() {
            let pointer = self.pointer(n);
            tensors += &format!(
                "[call]  1795220273500000000  torch.Size([1, 8, 2048, 128])  {BYTES}  {pointer}  {name}  attention  /src/a.py:12\n"
            );
        }
        let file = |name: &str, bytes: Vec<u8>| (format!("Nov21_001926_26314/{name}"), bytes);
        vec![
            file("probe.toml", PROBE.as_bytes().to_vec()),
            file("tensor.trace", tensors.into_bytes()),
            file("result/0.5.bin", bin),
        ]
    }

    /// What the tool's own count would be.
    pub(super) fn dmat(&self) -> Vec<u8> {
        let mut counts: BTreeMap<u64, BTreeMap<u64, u32>> = BTreeMap::new();
        counts.entry(0).or_default().insert(0, self.empty() as u32);
        for access in self.accesses() {
            *counts.entry(access.clock).or_default().entry(access.address >> 16 << 16).or_default() += 1;
        }
        let pages: BTreeSet<u64> = counts.values().flat_map(|pages| pages.keys().copied()).collect();
        let numbers = [pages.len() as u64, counts.len() as u64];
        let mut out: Vec<u8> = numbers.iter().chain(&pages).flat_map(|n| n.to_le_bytes()).collect();
        for (clock, pages) in counts {
            out.extend([clock, pages.len() as u64].iter().flat_map(|n| n.to_le_bytes()));
            for (page, n) in pages {
                out.extend(page.to_le_bytes());
                out.extend(n.to_le_bytes());
            }
        }
        out
    }
}

const PROBE: &str = r#"
[probe.memory_access]
level = "thread"
pos = "ld.global:st.global"
before = "mov.u64 %NR0, %clock64;"
after = "mov.u64 %NR2, %clock64;\nsub.u64 %NR1, %NR2, %NR0;\nSAVE [ DMAT ] { %NR1, ADDR }"

[map.DMAT]
level = "thread"
type = "array"
size = 16
cap = "dynamic"

[map.DMAT.regs]
clock = [ "u64", "None",]
addr = [ "u64", "None",]
"#;
