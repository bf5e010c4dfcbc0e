//! Traces made for journeys: a tiny one whose every place is known, and one as large as wished.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Outcome;
use crate::journey::scratch;

/// How many tracks the large trace has.
pub const TRACKS: u64 = 20;

/// A trace of one process with two tracks over 1,000 µs: `whole` fills track `first`; `middle` lies on track
/// `second` from 400 to 600 µs, with nothing beside it.
pub const KNOWN: &str = r#"{"traceEvents": [
{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "device"}},
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "first"}},
{"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "second"}},
{"ph": "X", "pid": 1, "tid": 1, "name": "whole", "ts": 0, "dur": 1000, "args": {"bytes": 4096}},
{"ph": "X", "pid": 1, "tid": 2, "name": "middle", "ts": 400, "dur": 200, "args": {"bytes": 512}}
]}
"#;

/// A trace of two processes whose clocks differ by 500 µs: `step` lasts from 100 to 200 µs on the first (`left`, and a
/// nanosecond at 0) and from 600 to 650 µs on the second (`right`), which has `other` from 700 to 1,000 µs too.
pub const TWO: &str = r#"{"traceEvents": [
{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "left"}},
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "first"}},
{"ph": "M", "pid": 2, "tid": 1, "name": "process_name", "args": {"name": "right"}},
{"ph": "M", "pid": 2, "tid": 1, "name": "thread_name", "args": {"name": "second"}},
{"ph": "X", "pid": 1, "tid": 1, "name": "step", "ts": 0, "dur": 0.001},
{"ph": "X", "pid": 1, "tid": 1, "name": "step", "ts": 100, "dur": 100},
{"ph": "X", "pid": 2, "tid": 1, "name": "step", "ts": 600, "dur": 50},
{"ph": "X", "pid": 2, "tid": 1, "name": "other", "ts": 700, "dur": 300}
]}
"#;

/// Over one second: slices that cross, that touch, that are one nanosecond or nothing long, that never end or never
/// began; ids that are texts; an arrow that starts twice.
pub const ODD: &str = r#"{"traceEvents": [
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "whole"}},
{"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "lonely"}},
{"ph": "M", "pid": 1, "tid": 3, "name": "thread_name", "args": {"name": "crossing"}},
{"ph": "M", "pid": 1, "tid": 4, "name": "thread_name", "args": {"name": "stubs"}},
{"ph": "X", "pid": 1, "tid": 1, "name": "a second", "ts": 0, "dur": 1000000},
{"ph": "X", "pid": 1, "tid": 2, "name": "blink", "ts": 500000, "dur": 0.001},
{"ph": "X", "pid": 1, "tid": 3, "name": "left", "ts": 100000, "dur": 300000},
{"ph": "X", "pid": 1, "tid": 3, "name": "right", "ts": 300000, "dur": 300000},
{"ph": "X", "pid": 1, "tid": 3, "name": "touching", "ts": 600000, "dur": 100000},
{"ph": "E", "pid": 1, "tid": 4, "name": "closed", "ts": 50000},
{"ph": "X", "pid": 1, "tid": 4, "name": "nothing", "ts": 700000, "dur": 0},
{"ph": "B", "pid": 1, "tid": 4, "name": "unfinished", "ts": 800000},
{"ph": "X", "pid": "core", "tid": "pipe", "name": "of text", "ts": 200000, "dur": 100000},
{"ph": "s", "pid": 1, "tid": 1, "id": 7, "name": "flow", "cat": "f", "ts": 100},
{"ph": "s", "pid": 1, "tid": 1, "id": 7, "name": "flow", "cat": "f", "ts": 200},
{"ph": "f", "pid": 1, "tid": 3, "id": 7, "name": "flow", "cat": "f", "ts": 350000, "bp": "e"}
]}
"#;

/// One run of NNAPI marks: a model is prepared for 1 ms, then one execution of 4 ms, 2 ms of them on the CPU.
pub const NNAPI: &str = r"# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
      app-worker-100   (  100) [000] ...1     1.000000: tracing_mark_write: B|100|[NN_LA_PO]net
      app-worker-100   (  100) [000] ...1     1.001000: tracing_mark_write: B|100|[NN_LR_PP]ANeuralNetworksModel_create
      app-worker-100   (  100) [000] ...1     1.002000: tracing_mark_write: E|100
      app-worker-100   (  100) [000] ...1     1.010000: tracing_mark_write: B|100|[NN_LA_PE]step
      app-worker-100   (  100) [000] ...1     1.011000: tracing_mark_write: B|100|[NN_LR_PE]ANeuralNetworksExecution_compute
      app-worker-100   (  100) [000] ...1     1.012000: tracing_mark_write: B|100|[NN_LC_PCO]optimized::conv
      app-worker-100   (  100) [000] ...1     1.014000: tracing_mark_write: E|100
      app-worker-100   (  100) [000] ...1     1.015000: tracing_mark_write: E|100
      app-worker-100   (  100) [000] ...1     1.016000: tracing_mark_write: E|100
      app-worker-100   (  100) [000] ...1     1.020000: tracing_mark_write: E|100
";

/// Two slices of one nanosecond, one after the other, some 56 years after 1970.
pub const EPOCH: &str = r#"{"traceEvents": [
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "clock"}},
{"ph": "X", "pid": 1, "tid": 1, "name": "one", "ts": 1766000000000000.001, "dur": 0.001},
{"ph": "X", "pid": 1, "tid": 1, "name": "two", "ts": 1766000000000000.002, "dur": 0.001}
]}
"#;

/// [`KNOWN`] as a file of some name.
pub fn known(name: &str) -> Outcome<PathBuf> {
    written(name, KNOWN)
}

/// A text as a file of some name.
pub fn written(name: &str, text: &str) -> Outcome<PathBuf> {
    let path = scratch().join("traces").join(name);
    fs::create_dir_all(scratch().join("traces"))?;
    keep(&path, text.as_bytes())?;
    Ok(path)
}

/// Writes a file, unless it has these bytes already: another journey may be reading it, and a browser refuses a file that
/// is written meanwhile.
fn keep(path: &Path, bytes: &[u8]) -> Outcome {
    static WRITING: Mutex<()> = Mutex::new(());
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    if fs::read(path).is_ok_and(|kept| kept == bytes) {
        return Ok(());
    }
    Ok(fs::write(path, bytes)?)
}

/// A Trace Event file of at least so many bytes: complete events, nested up to five deep, on [`TRACKS`] tracks,
/// with arguments. The same size always gives the same file; one that is there already is used again.
pub fn large(n_bytes: u64) -> Outcome<PathBuf> {
    // Journeys that begin together want the same file: the second finds what the first has written.
    static WRITING: Mutex<()> = Mutex::new(());
    let _one = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = scratch().join("traces").join(format!("nested-{n_bytes}.json"));
    if fs::metadata(&path).is_ok_and(|meta| n_bytes <= meta.len()) {
        return Ok(path);
    }
    fs::create_dir_all(scratch().join("traces"))?;
    let half = path.with_extension("half"); // only a finished file gets the name
    let mut out = Counted { inner: BufWriter::new(File::create(&half)?), n_bytes: 0 };
    out.line("{\"traceEvents\": [")?;
    for track in 0..TRACKS {
        out.line(&format!(
            r#"{{"ph": "M", "pid": 1, "tid": {track}, "name": "thread_name", "args": {{"name": "track {track}"}}}},"#
        ))?;
    }
    let mut dice = Dice(n_bytes | 1);
    let mut clocks = [0_u64; TRACKS as usize];
    while out.n_bytes < n_bytes {
        for (track, clock) in clocks.iter_mut().enumerate() {
            let dur = 2_000 + dice.below(60_000);
            nest(&mut out, &mut dice, track, *clock, dur, 0)?;
            *clock += dur + dice.below(900);
        }
    }
    out.line(r#"{"ph": "i", "pid": 1, "tid": 0, "name": "end", "ts": 0, "s": "t"}"#)?;
    out.line("]}")?;
    out.inner.flush()?;
    fs::rename(&half, &path)?;
    Ok(path)
}

/// Writes an event and, inside of it, one to three smaller ones. Times are in ns.
fn nest(out: &mut Counted, dice: &mut Dice, track: usize, start: u64, dur: u64, depth: u64) -> Outcome {
    let (op, bytes) = (dice.below(40), dice.below(1 << 20));
    out.line(&format!(
        r#"{{"ph": "X", "pid": 1, "tid": {track}, "name": "op_{depth}_{op}", "cat": "kernel", "ts": {}.{:03}, "dur": {}.{:03}, "args": {{"bytes": {bytes}, "stream": {track}}}}},"#,
        start / 1000, start % 1000, dur / 1000, dur % 1000
    ))?;
    if depth == 4 || dur < 600 {
        return Ok(());
    }
    let share = dur / (1 + dice.below(3));
    let mut at = start + 10;
    while at + share <= start + dur {
        nest(out, dice, track, at, share - 20, depth + 1)?;
        at += share;
    }
    Ok(())
}

/// A writer that knows how much it has written.
struct Counted {
    inner: BufWriter<File>,
    n_bytes: u64,
}

impl Counted {
    fn line(&mut self, text: &str) -> Outcome {
        self.n_bytes += text.len() as u64 + 1;
        Ok(writeln!(self.inner, "{text}")?)
    }
}

/// Numbers that look random and are the same each time (xorshift64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A trace of one warp as a file of some name: its kernel, the number of the launch, and what it runs: address, opcode,
/// lanes.
pub fn program(file: &str, kernel: &str, launch: u32, rows: &[(u32, &str, u32)]) -> Outcome<PathBuf> {
    let mut text = format!(
        "-kernel name = {kernel}\n-kernel id = {launch}\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n\
         -nregs = 10\n-binary version = 80\n-cuda stream id = 0\n-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n\
         #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [mem_addresses]\n\n\
         #BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = {}\n",
        rows.len()
    );
    for (address, opcode, lanes) in rows {
        // Writing into a String never fails.
        let _ = writeln!(text, "{address:04x} {lanes:08x} 0 {opcode} 0 0 ");
    }
    written(file, &(text + "\n#END_TB\n"))
}

/// A trace folder of Neutrino with one launch of 8 blocks of 32 threads. Block b runs on SM b % 2 for 800 + 10 b cycles,
/// the last for 1,700. Each thread has 4 accesses, 50 cycles apart: 2 to the page of its block in `x`, 2 to that in `out`.
pub fn probed() -> Outcome<PathBuf> {
    probed_as("probed")
}

/// The same as a folder of this name.
pub fn probed_as(name: &str) -> Outcome<PathBuf> {
    probed_of(name, 1)
}

/// The same with blocks that run so many times as long.
pub fn probed_of(name: &str, times: u64) -> Outcome<PathBuf> {
    const BASE: u64 = 0x7f00_0000_0000;
    let folder = scratch().join("traces").join(name);
    fs::create_dir_all(folder.join("result"))?;
    let map = |name: &str, level: &str, size: u32, cap: u32, fields: &str| {
        format!(
            "[map.{name}]\nlevel = \"{level}\"\ntype = \"array\"\nsize = {size}\ncap = {cap}\n[map.{name}.regs]\n{fields}\n"
        )
    };
    let blocks = "start = [\"u64\", \"None\"]\nelapsed = [\"u32\", \"None\"]\ncuid = [\"u32\", \"None\"]";
    let accesses = "clock = [\"u64\", \"None\"]\naddr = [\"u64\", \"None\"]";
    let maps = [map("block_sched", "warp", 16, 1, blocks), map("DMAT", "thread", 16, 4, accesses)].concat();
    keep(&folder.join("probe.toml"), maps.as_bytes())?;
    let tensor = |name: &str, at: u64| {
        format!(
            "[call]  1795220273500000000  torch.Size([512, 512])  1048576  {at}  {name}  copy  /src/copy.py:12\n"
        )
    };
    let tensors = [tensor("x", BASE), tensor("out", BASE + (1 << 20))].concat();
    keep(&folder.join("tensor.trace"), tensors.as_bytes())?;
    let mut bytes = Vec::new();
    for n in [8_u32, 1, 1, 32, 1, 1, 0, 2, 16, 32, 64, 0, 64, 1, 64 + 8 * 16, 0] {
        bytes.extend(n.to_le_bytes());
    }
    for block in 0..8_u64 {
        let elapsed = times * if block == 7 { 1_700 } else { 800 + 10 * block };
        bytes.extend((1_000_000 * (1 + block % 2) + block / 2 * 1_000 * times).to_le_bytes());
        bytes.extend((elapsed | (block % 2) << 32).to_le_bytes());
    }
    for (block, thread) in (0..8_u64).flat_map(|block| (0..32).map(move |thread| (block, thread))) {
        for n in 0..4_u64 {
            bytes.extend((100 + 50 * n + thread).to_le_bytes());
            bytes.extend((BASE + ((n / 2) << 20) + (block << 16) + thread * 4).to_le_bytes());
        }
    }
    keep(&folder.join("result/0.250000.bin"), &bytes)?;
    Ok(folder)
}

/// A folder of two ranks that were recorded together: steps of 1 ms with kernels on two streams and an all-reduce; of the
/// second, which has fewer, no host.
pub fn ranks() -> Outcome<PathBuf> {
    let folder = scratch().join("traces/ranks");
    fs::create_dir_all(&folder)?;
    for (rank, n_steps) in [(0, 4), (1, 3)] {
        let mut events = vec![
            r#"{"ph": "M", "pid": 0, "tid": 0, "name": "process_labels", "args": {"labels": "GPU 0"}}"#
                .to_owned(),
            r#"{"ph": "M", "pid": 0, "tid": 7, "name": "thread_name", "args": {"name": "stream 7"}}"#
                .to_owned(),
            r#"{"ph": "M", "pid": 0, "tid": 20, "name": "thread_name", "args": {"name": "stream 20"}}"#
                .to_owned(),
        ];
        for step in 0..n_steps {
            let at = 1_000 * step;
            let mut event = |pid: u32, tid: u32, cat: &str, name: &str, (ts, dur): (u32, u32), link: u32| {
                events.push(format!(
                    r#"{{"ph": "X", "pid": {pid}, "tid": {tid}, "cat": "{cat}", "name": "{name}", "ts": {ts}, "dur": {dur}, "args": {{"correlation": {link}}}}}"#
                ));
            };
            if rank == 0 {
                event(1, 1, "user_annotation", &format!("ProfilerStep#{step}"), (at, 1_000), 0);
                event(1, 1, "cpu_op", "aten::linear", (at + 20, 300), 0);
                event(1, 1, "cuda_runtime", "cudaLaunchKernel", (at + 40, 10), 2 * step + 1);
                event(1, 1, "cuda_runtime", "cudaLaunchKernel", (at + 60, 10), 2 * step + 2);
            }
            let gemm =
                "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_bf16_128x128_32x5_nn_align8>(Params)";
            event(0, 7, "kernel", gemm, (at + 200, 400 - 50 * rank), 2 * step + 1);
            event(
                0,
                20,
                "kernel",
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                (at + 500 + 20 * rank, 300),
                2 * step + 2,
            );
        }
        let events = events.join(",\n");
        let own = format!(r#""distributedInfo": {{"rank": {rank}, "world_size": 2}}"#);
        let text = format!("{{{own}, \"traceEvents\": [\n{events}\n]}}");
        keep(&folder.join(format!("rank{rank}.json")), text.as_bytes())?;
    }
    Ok(folder)
}
