//! What a trace folder says beside the records: its process, launches, kernels, tensors and allocations. One value of
//! [`Folder`] lies in the extensions of each document's trace.

use super::result::{MapDef, ResultFile};
use crate::input::{EntryId, Source};

/// A trace folder, as the document of one of its result files sees it.
#[derive(Default)]
pub(super) struct Folder {
    /// Its name, such as `Apr25_114624_1921397`.
    pub(super) name: String,
    pub(super) process: Process,
    /// The maps in the order of the sections of result files.
    pub(super) maps: Vec<MapDef>,
    /// The probes in the order of their file.
    pub(super) probes: Vec<Probe>,
    /// What said what the maps and their fields are.
    pub(super) schema: SchemaSource,
    /// Kernels in the order of their folders.
    pub(super) kernels: Vec<Kernel>,
    /// Launches in the order of the log.
    pub(super) launches: Vec<Launch>,
    /// Lines of `tensor.trace`, the last of each pointer.
    pub(super) tensors: Vec<Tensor>,
    /// Device memory that the application allocated, in the order of the log.
    pub(super) allocations: Vec<Allocation>,
    pub(super) log: Option<EntryId>,
    /// The result file that this document shows.
    pub(super) result: Option<ResultFile>,
    /// The picture that the tool itself made of accesses (`.dmat`), when it lies beside the result.
    pub(super) dmat: Option<EntryId>,
    /// Its bytes.
    pub(super) dmat_source: Option<Source>,
}

/// What the log says of the process.
#[derive(Clone, Debug, Default)]
pub(super) struct Process {
    pub(super) pid: Option<u64>,
    pub(super) command: String,
    /// Its rank, where a plugin says one.
    pub(super) rank: Option<u32>,
    /// Whether it ran on an AMD GPU.
    pub(super) is_hip: bool,
    /// Whether it ran as a benchmark, which saves no results.
    pub(super) is_benchmark: bool,
}

/// Where the schema of the maps comes from, the best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SchemaSource {
    /// `probe.toml` with `[map.*]` tables.
    ProbeV2,
    /// `probe.toml` with one table for each probe.
    ProbeV1,
    /// The generated reader `read.py`.
    ReadPy,
    /// The reader at the end of a `process.log`.
    ProcessLog,
    /// Levels and sizes of `kernel.info`; names and widths of fields are guessed.
    KernelInfo,
    /// Nothing: columns of 8 bytes.
    #[default]
    Guessed,
}

/// One probe.
#[derive(Clone, Debug, Default)]
pub(super) struct Probe {
    pub(super) name: String,
    /// `kernel`, or parts of instructions.
    pub(super) positions: Vec<String>,
    /// Assembly put before the position; empty for none.
    pub(super) before: String,
    /// Assembly put behind the position; empty for none.
    pub(super) after: String,
}

/// One kernel folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    /// Its folder, such as `0_fabef73f29f46081ba350d1c48d1562871e0e403`.
    pub(super) folder: String,
    /// The name of the kernel, clean of what the tool left behind it.
    pub(super) name: String,
    /// Parameters of the kernel itself.
    pub(super) parameters: Option<u32>,
    /// Level and bytes of each map; −1 bytes where they are counted for each launch.
    pub(super) maps: Vec<(bool, i64)>,
    /// The entries that lie in the folder, by file name.
    pub(super) files: Vec<(String, EntryId)>,
    /// What the assembler said of `pruned`, `probed` and `countd`.
    pub(super) assembled: Vec<Assembled>,
    pub(super) outcome: Outcome,
    /// The traceback of a failure; empty for none.
    pub(super) traceback: String,
}

/// What the assembler said of one form of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembled {
    /// `pruned`, `probed` or `countd`.
    pub(super) form: String,
    /// Registers of a thread.
    pub(super) registers: Option<u32>,
    /// Bytes of constant memory.
    pub(super) constant_bytes: Option<u64>,
    /// Bytes of the stack frame.
    pub(super) stack_bytes: Option<u64>,
    /// Bytes of spill stores and loads.
    pub(super) spill_bytes: Option<(u64, u64)>,
}

/// What became of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Outcome {
    Probed,
    /// The probe engine failed.
    Failed,
    /// It is none of those that the user wants to be probed.
    Filtered,
    /// It is one of those that are left out on purpose.
    Excluded,
    #[default]
    Unknown,
}

/// One launch of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Launch {
    pub(super) function: u64,
    /// Whether it is the first of its function, whose kernel was probed before it ran.
    pub(super) is_first: bool,
    /// Row of its kernel in [`Folder::kernels`].
    pub(super) kernel: Option<usize>,
    /// Name of its kernel; empty when nothing says it.
    pub(super) name: String,
    /// When it was prepared, in nanoseconds of the wall clock.
    pub(super) time: Option<u64>,
    /// Its parameters as 8 bytes each; narrower ones have garbage in the upper bytes.
    pub(super) parameters: Vec<u64>,
    /// Blocks: x, y, z.
    pub(super) grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub(super) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(super) shared: u64,
    /// Whether the units of each map are warps, and the bytes of one, in the order of the maps.
    pub(super) units: Vec<(bool, u64)>,
    /// Bytes of each map's section, in the order of the maps.
    pub(super) sections: Vec<u64>,
    /// Bytes of all maps.
    pub(super) probe_bytes: Option<u64>,
    /// Path of its result file, as the log has it.
    pub(super) result: Option<String>,
    /// Milliseconds before, in and after the kernel.
    pub(super) prologue: Option<f64>,
    /// As above.
    pub(super) kernel_ms: Option<f64>,
    /// As above.
    pub(super) epilogue: Option<f64>,
    /// The kernel without probes, of a benchmark.
    pub(super) original: Option<f64>,
    /// The factor that the log prints: (prologue + kernel + epilogue) ÷ kernel.
    pub(super) ratio: Option<f64>,
    /// The factor that a benchmark prints: kernel ÷ original.
    pub(super) impact: Option<f64>,
    pub(super) status: Status,
    /// The analysis script that ran after it, and whether it succeeded.
    pub(super) callback: Option<(String, Option<bool>)>,
    /// The entry of the log, and its bytes of this launch.
    pub(super) bytes: (u64, u64),
    /// Its first line in the log, from 1.
    pub(super) line: u32,
}

/// What became of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Status {
    Probed,
    /// It ran probed and failed with this code.
    Failed(i64),
    /// It ran without probes.
    Unprobed,
    /// The log ends within it.
    #[default]
    Cut,
}

/// One line of `tensor.trace`.
#[derive(Clone, Debug, Default)]
pub(super) struct Tensor {
    /// When it was passed, in nanoseconds of the wall clock.
    pub(super) time: u64,
    /// Its shape, as `4, 32, 4096, 64`.
    pub(super) shape: String,
    /// Bytes of its storage.
    pub(super) bytes: u64,
    /// Its first address.
    pub(super) pointer: u64,
    pub(super) name: String,
    /// The function it was passed to.
    pub(super) function: String,
    /// File and line of the call.
    pub(super) place: String,
}

/// Device memory of the application.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allocation {
    /// Its first address.
    pub(super) pointer: u64,
    pub(super) bytes: u64,
    /// How many launches had begun before it was made.
    pub(super) from: usize,
    /// How many launches had begun before it was freed; `None` while it lives.
    pub(super) to: Option<usize>,
}

impl Folder {
    /// The launch that saved the result of this document.
    pub(super) fn launch(&self) -> Option<&Launch> {
        self.launches.get(self.result.as_ref()?.launch?)
    }
}
