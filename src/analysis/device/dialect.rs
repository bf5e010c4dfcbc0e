//! What the words of a trace mean for host and device. Readers that know a tool hand theirs in with the trace.

use crate::base::words::phrase;
use crate::model::Trace;

/// Texts in small letters that a text begins with, has in it, or ends with.
#[derive(Debug)]
pub struct Texts {
    pub begins: &'static [&'static str],
    pub holds: &'static [&'static str],
    pub ends: &'static [&'static str],
}

impl Texts {
    /// No text at all.
    pub const NONE: Self = Self { begins: &[], holds: &[], ends: &[] };

    /// Texts that have one of these in them.
    pub const fn with(holds: &'static [&'static str]) -> Self {
        Self { holds, ..Self::NONE }
    }

    /// Texts that begin with one of these.
    pub const fn from(begins: &'static [&'static str]) -> Self {
        Self { begins, ..Self::NONE }
    }

    /// Whether a text in small letters is one of them.
    pub fn fit(&self, text: &str) -> bool {
        self.begins.iter().any(|part| text.starts_with(part))
            || self.holds.iter().any(|part| text.contains(part))
            || self.ends.iter().any(|part| text.ends_with(part))
    }
}

/// Names of slices that exchange data with other devices, and whose they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Text in small letters that a name has in it.
    pub text: &'static str,
    /// Whether the name begins with it.
    pub begins: bool,
    /// The library that gives such names.
    pub library: &'static str,
}

impl Exchange {
    /// Whether a name in small letters is one of them.
    pub fn fits(&self, name: &str) -> bool {
        if self.begins { name.starts_with(self.text) } else { name.contains(self.text) }
    }
}

/// Tracks on which the writer of a trace says itself what its streams add up to.
#[derive(Debug)]
pub struct Stated {
    /// The group they stand in; empty when writers say nothing.
    pub group: &'static str,
    pub compute: &'static str,
    pub communication: &'static str,
    /// The one of communication while nothing is computed.
    pub exposed: &'static str,
}

/// A definition that a tool has for what is shown beside ours.
#[derive(Debug)]
pub struct Definition {
    /// Short and stable, for tables.
    pub id: &'static str,
    pub title: &'static str,
    /// Whose it is and what it says, in a sentence.
    pub help: &'static str,
}

/// What a vendor's guide says of its multiprocessors.
#[derive(Debug)]
pub struct Guide {
    /// Registers. They are given to warps of so many threads, in units of so many, and warps to so many partitions.
    pub registers: f64,
    pub warp: f64,
    pub register_unit: f64,
    pub partitions: f64,
    /// What the shared memory of a block is rounded up to, and how much the system takes for each from a compute capability
    /// on; bytes.
    pub shared_unit: f64,
    pub reserved: (f64, f64),
    /// Threads that one holds, unless its compute capability (major, any minor where that is not said) is one of these.
    pub threads: f64,
    pub fewer: &'static [(u32, Option<u32>, f64)],
}

/// What names and arguments say of copies, groups, memory and precision; all texts as they are written.
#[derive(Debug)]
pub struct Said {
    /// What names of copies have in them whose memory of the host is pageable, and is pinned.
    pub pageable: &'static str,
    pub pinned: &'static str,
    /// What names of copies from and to the host have in them.
    pub host: &'static [&'static str],
    /// Calls that return when their copy is done.
    pub blocking: &'static [&'static str],
    /// The arguments of a copy that are its bytes.
    pub bytes: &'static [&'static str],
    /// How memory is pinned, in a few words; empty when that is not known.
    pub pinning: &'static str,
    /// What reads results of the device on the host.
    pub reads: &'static str,
    /// The arguments of a communication that name its group and describe it.
    pub group: [&'static str; 2],
    /// The arguments that list the ranks of the group, and say how many these are.
    pub members: [&'static str; 2],
    /// The argument that is its number in the group.
    pub sequence: &'static str,
    /// The arguments that say how much it exchanges.
    pub sizes: &'static [&'static str],
    /// The argument that says which collective it is.
    pub collective: &'static str,
    /// The table of devices, and its columns with their numbers and with their bytes of memory.
    pub capacity: [&'static str; 3],
    /// Its columns with the threads that a multiprocessor holds, with both numbers of the compute capability, and with the
    /// registers and the bytes of shared memory of a multiprocessor.
    pub room: [&'static str; 5],
    /// What a multiprocessor has where the file does not say it.
    pub guide: Option<Guide>,
    /// What names of kernels have in them, in small letters, that multiply in single precision, and that use tensor cores.
    pub single: &'static [&'static str],
    pub tensor: &'static [&'static str],
    /// How both are told by their names, a sentence.
    pub precision: &'static str,
}

/// The words of the tools that write traces of a kind. All texts are in small letters but those of
/// steps, modules and functions as they are written.
#[derive(Debug)]
pub struct Dialect {
    /// Names and labels of groups of tracks that are devices.
    pub devices: Texts,
    /// Names of tracks of a device that are streams.
    pub streams: Texts,
    /// Names of groups on a device whose tracks are streams, whatever their own names are.
    pub stream_groups: Texts,
    /// How names of tracks of a device that carry nothing but communication begin and end.
    pub exchanges: &'static [(&'static str, &'static str)],
    /// Categories that only slices of devices have.
    pub work: &'static [&'static str],
    /// Of these the names do count: they tell copies and waiting from computing.
    pub named_work: &'static [&'static str],
    /// Categories of notes over the slices of devices, which are no work.
    pub notes: Texts,
    /// Names of slices that exchange data.
    pub communication: fn() -> &'static [Exchange],
    /// Names, as a whole, of the parts of a communication on streams; elsewhere they tell nothing.
    pub transports: &'static [&'static str],
    /// What the writer says itself.
    pub stated: Stated,
    /// Names of slices without a category that copy or fill memory.
    pub copies: Texts,
    /// Names of slices without a category that wait for an event.
    pub waits: Texts,
    /// Of these the names of such that record an event or set a flag, and wait for nothing.
    pub sets: Texts,
    /// Categories of operators, of at most eight letters.
    pub operators: &'static [&'static str],
    /// Categories of calls of a runtime or a driver.
    pub calls: Texts,
    /// Categories of functions of an interpreter.
    pub functions: Texts,
    /// The same as they are written, of traces that have functions.
    pub functions_as_written: &'static [&'static str],
    /// What names of functions that are modules begin with; empty when there are none.
    pub module: &'static str,
    /// Names of instants that only say when recording began or ended.
    pub marks: Texts,
    /// Groups, as they are written, whose slices of a category only say how long was recorded; and the category.
    pub recordings: (&'static [&'static str], &'static str),
    /// Names of slices that load data.
    pub loads: Texts,
    /// Names of slices that wait for the device.
    pub syncs: Texts,
    /// Names of calls that ask the driver for memory, or give it back; those that only put it into a stream do not count.
    pub allocates: Texts,
    /// Which option records the memory of devices, and which the waits of streams for events: phrases.
    pub options: [&'static str; 2],
    /// What names, arguments and figures say beside what is on streams.
    pub said: &'static Said,
    /// What names of steps begin with where nobody says another; empty when there are none.
    pub step: &'static str,
    /// Tracks of a device, as they are named, whose slices are its steps where the host marks none.
    pub step_tracks: &'static [&'static str],
    /// Whose the three classes of idle time are.
    pub classes: Definition,
}

/// Words that everybody uses.
pub static PLAIN: Dialect = Dialect::PLAIN;

impl Dialect {
    /// Words that everybody uses.
    pub const PLAIN: Self = Self {
        devices: Texts {
            begins: &["gpu", "npu", "xpu", "tpu"],
            holds: &["device:gpu", "device:npu", "device:xpu", "device:tpu"],
            ends: &[],
        },
        streams: Texts::from(&["stream"]),
        stream_groups: Texts::NONE,
        exchanges: &[],
        work: &["kernel", "memcpy", "memset", "gpu_memcpy", "gpu_memset"],
        named_work: &[],
        notes: Texts::with(&["annotation"]),
        communication: || &[],
        transports: &[],
        stated: Stated { group: "", compute: "", communication: "", exposed: "" },
        copies: Texts::from(&["memcpy", "memset", "memory copy"]),
        waits: Texts::from(&["wait"]),
        sets: Texts::NONE,
        operators: &["operator", "op"],
        calls: Texts::with(&["runtime", "driver"]),
        functions: Texts::NONE,
        functions_as_written: &[],
        module: "",
        marks: Texts::NONE,
        recordings: (&[], ""),
        loads: Texts::NONE,
        syncs: Texts::with(&["synchronize"]),
        allocates: Texts::NONE,
        options: [phrase("see the profiler's options"); 2],
        said: &Said {
            pageable: "",
            pinned: "",
            host: &[],
            blocking: &[],
            bytes: &["bytes"],
            pinning: "",
            reads: "",
            group: [""; 2],
            members: [""; 2],
            sequence: "",
            sizes: &[],
            collective: "",
            capacity: [""; 3],
            room: [""; 5],
            guide: None,
            single: &[],
            tensor: &[],
            precision: "",
        },
        step: "",
        step_tracks: &[],
        classes: Definition {
            id: "classes",
            title: phrase("Three classes"),
            help: phrase("Three classes: launched after the previous work ended, short gaps, the rest."),
        },
    };
}

/// The words of a trace, in `Trace::extensions`.
pub struct Spoken(pub &'static Dialect);

impl Default for Spoken {
    fn default() -> Self {
        Self(&PLAIN)
    }
}

impl Dialect {
    /// The words of a trace.
    pub fn of(trace: &Trace) -> &'static Self {
        trace.extensions.get::<Spoken>().map_or(&PLAIN, |spoken| spoken.0)
    }
}
