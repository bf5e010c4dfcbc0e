//! Writes a trace folder of Neutrino with the memory accesses of one launch: `cargo run --release --example make_dmat --
//! FOLDER [MEGABYTES]`, 1024 where nothing is said. For measuring and for looking at the heat map.
//!
//! The kernel is an attention: each block of 128 threads loads its part of Q, walks over K and V tile by tile, and stores
//! its part of O. Each thread writes 256 records: cycles since it began, and an address.

use std::fs;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

/// Threads of a block.
const THREADS: u64 = 128;
/// Records of a thread.
const RECORDS: u64 = 256;
/// Blocks of a head.
const TILES: u64 = 32;
/// Bytes of one tile of one head: 64 rows of 128 numbers of 2 bytes.
const TILE: u64 = 16 << 10;
/// Where tensors begin.
const BASE: u64 = 0x7f1a_4000_0000;
/// Their names.
const TENSORS: [&str; 4] = ["q", "k", "v", "out"];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "dmat_trace".to_owned());
    let megabytes: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1024);
    let blocks = (megabytes << 20) / (THREADS * RECORDS * 16);
    let root = Path::new(&folder);
    fs::create_dir_all(root.join("result"))?;
    fs::write(root.join("probe.toml"), PROBE)?;
    let bytes = blocks.div_ceil(TILES) * TILES * TILE;
    let pointers: Vec<u64> = (0..).map(|n| BASE + n * (bytes + (2 << 20))).take(TENSORS.len()).collect();
    let mut tensors = String::new();
    for (name, pointer) in TENSORS.iter().zip(&pointers) {
        let heads = blocks.div_ceil(TILES);
        tensors += &format!(
            "[call]  1795220273500000000  torch.Size([1, {heads}, 2048, 128])  {bytes}  {pointer}  {name}  attention  /src/attention.py:12\n"
        );
    }
    fs::write(root.join("tensor.trace"), tensors)?;
    fs::write(root.join("event.log"), log(blocks, &pointers))?;
    records(&root.join("result/1.000000.bin"), blocks, &pointers)
}

const PROBE: &str = r#"regs = 4
CALLBACK = "dmat_callback.py"
dynamic = true

[probe.memory_access]
level = "thread"
pos = "ld.global:st.global:cp.async.cg:cp.async.ca"
after = "mov.u64 %NR2, %clock64;\nsub.u64 %NR1, %NR2, %NR0;\nSAVE [ DMAT ] { %NR1, ADDR }"

[probe.thread_start]
level = "thread"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"

[map.DMAT]
level = "thread"
type = "array"
size = 16
cap = "dynamic"

[map.DMAT.regs]
clock = [ "u64", "None",]
addr = [ "u64", "None",]
"#;

fn log(blocks: u64, pointers: &[u64]) -> String {
    let (unit, total) = (RECORDS * 16, blocks * THREADS * RECORDS * 16);
    let parameters: Vec<String> = pointers.iter().map(|pointer| format!("{pointer:x}")).collect();
    format!(
        "[init] pid 4711\n[init] cmd 20 python attention.py \n[init] success\n\
         [mod] cuModuleGetFunction func 0x55817c66e820 mod 0x55817c66cf90 name attention\n\
         [exec] funcmap-find 0x55817c66e820 success\n\
         [exec] 1795220366637349888 param {}\n\
         [exec] grid {blocks} 1 1 block {THREADS} 1 1 shared 0\n[count] size: {unit}\n\
         [exec] grid {blocks} block {THREADS} probe {unit} total {total}\n\
         [exec] probe-mem {total} (bytes)\n[exec] succeed 0\n\
         [exec] save ./trace/result/1.000000.bin size {}\n\
         [exec] prologue 90.686905 kernel 12.500000 epilogue 350.565536 ratio 36.300195\n",
        parameters.join(" "),
        total + 48
    )
}

fn records(path: &Path, blocks: u64, pointers: &[u64]) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, fs::File::create(path)?);
    for number in [blocks as u32, 1, 1, THREADS as u32, 1, 1, 0, 1, (RECORDS * 16) as u32, 1] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&48_u64.to_le_bytes())?;
    let mut random = 1_u64;
    for unit in 0..blocks * THREADS {
        let (block, thread) = (unit / THREADS, unit % THREADS);
        let (head, tile) = (block / TILES, block % TILES);
        let mut clock = 300 + thread / 32 * 40;
        for record in 0..RECORDS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Some accesses wait for memory.
            clock += if random >> 61 == 0 { 700 + (random >> 40) % 400 } else { 60 + (random >> 40) % 30 };
            let (tensor, at, round) = match record {
                0..8 => (0, tile, record),
                248.. => (3, tile, record - 248),
                n => (1 + ((n - 8) / 4 % 2) as usize, (n - 8) * TILES / 240, n),
            };
            let address =
                pointers[tensor] + (head * TILES + at) * TILE + (round * THREADS + thread) * 16 % TILE;
            out.write_all(&clock.to_le_bytes())?;
            out.write_all(&address.to_le_bytes())?;
        }
    }
    out.flush()
}
