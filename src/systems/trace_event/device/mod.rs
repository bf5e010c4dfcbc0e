//! Host and device in the words of the profilers that write Trace Event JSON: those of `PyTorch` for CUDA and `ROCm`,
//! of `TensorFlow`, of `MindStudio` for Ascend; names of their communication stand in `communication.tsv`.

use crate::analysis::device::class;
use crate::analysis::device::dialect::{Definition, Dialect, Exchange, Guide, Said, Spoken, Stated, Texts};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::format::Sink;
use crate::input::json::scan::{self, Members, unquoted};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::model::track::Track;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The words of these profilers.
static DIALECT: Dialect = Dialect {
    devices: Texts {
        begins: &["gpu", "npu", "xpu", "tpu", "mtia"],
        holds: &["device:gpu", "device:npu", "device:xpu", "device:tpu"],
        ends: &["hardware"],
    },
    streams: Texts::from(&["stream"]),
    stream_groups: Texts::with(&["/stream:"]),
    exchanges: &[("group", "communication")],
    work: &["kernel", "memcpy", "memset", "gpu_memcpy", "gpu_memset", "mtia_ccp_events"],
    named_work: &["mtia_ccp_events"],
    notes: Texts::with(&["annotation"]),
    communication: communication_exchanges,
    transports: &["other", "sdma", "rdma"],
    stated: Stated {
        group: "overlap analysis",
        compute: "computing",
        communication: "communication",
        exposed: "communication(not overlapped)",
    },
    copies: Texts::from(&["memcpy", "memset", "memcopy", "memory copy", "dma_request"]),
    waits: Texts::from(&[
        "event_",
        "event ",
        "notify_",
        "notify ",
        "stream wait",
        "wait",
        "write value",
        "profiling_",
    ]),
    sets: Texts { begins: &["write value", "profiling_"], holds: &["record"], ends: &[] },
    operators: &["cpu_op", "operator", "op"],
    calls: Texts::with(&["runtime", "driver"]),
    functions: Texts::from(&["python"]),
    functions_as_written: &["python_function", "Python"],
    module: "nn.Module: ",
    marks: Texts::from(&["iteration start", "record window end"]),
    recordings: (&["Spans", "Traces"], "Trace"),
    loads: Texts::with(&["dataloader"]),
    syncs: Texts::with(&["synchronize"]),
    options: [
        phrase("PyTorch records it with profile_memory=True"),
        phrase(
            "PyTorch records them with enable_cuda_sync_events in its experimental configuration, Ascend from level 1 on",
        ),
    ],
    allocates: Texts::with(&[
        "cudamalloc",
        "cudafree",
        "cumemalloc",
        "cumemfree",
        "cumemcreate",
        "cumemmap",
        "cumemunmap",
        "hipmalloc",
        "hipfree",
        "hipextmalloc",
        "aclrtmalloc",
        "aclrtfree",
    ]),
    said: &SAID,
    step: "ProfilerStep#",
    step_tracks: &["Steps"],
    classes: Definition {
        id: "hta",
        title: phrase("HTA"),
        help: phrase(
            "HTA: the three classes of Holistic Trace Analysis 0.5, in whole microseconds, with its threshold of 30. All kernels count here; HTA leaves out those launched from the last ProfilerStep on unless told to include it, and keeps fractions of microseconds when its rounding is disabled.",
        ),
    },
};

/// What names and arguments of these profilers say. Kernels are those of `cuBLAS`, `cuDNN` and `CUTLASS`.
pub(crate) static SAID: Said = Said {
    pageable: "Pageable",
    pinned: "Pinned",
    host: &["HtoD", "DtoH"],
    blocking: &[
        "cudaMemcpy",
        "cudaMemcpy2D",
        "cudaMemcpyToSymbol",
        "cudaMemcpyFromSymbol",
        "hipMemcpy",
        "hipMemcpyWithStream",
        "cuMemcpyHtoD_v2",
        "cuMemcpyDtoH_v2",
    ],
    bytes: &["bytes", "size(Byte)"],
    pinning: "pin_memory, non_blocking",
    reads: "item, cpu, nonzero, print",
    group: ["Process Group Name", "Process Group Description"],
    members: ["Process Group Ranks", "Group size"],
    sequence: "Seq",
    sizes: &["In msg nelems", "Out msg nelems", "dtype", "count", "data_type"],
    collective: "Collective name",
    capacity: ["trace-deviceProperties", "id", "totalGlobalMem"],
    room: [
        "maxThreadsPerMultiprocessor",
        "computeMajor",
        "computeMinor",
        "regsPerMultiprocessor",
        "sharedMemPerMultiprocessor",
    ],
    guide: Some(Guide {
        registers: 65_536.0,
        warp: 32.0,
        register_unit: 256.0,
        partitions: 4.0,
        shared_unit: 128.0,
        reserved: (8.0, 1_024.0),
        threads: 2_048.0,
        fewer: &[
            (7, Some(5), 1_024.0),
            (8, Some(6), 1_536.0),
            (8, Some(7), 1_536.0),
            (8, Some(9), 1_536.0),
            (12, None, 1_536.0),
        ],
    }),
    // Not products with a vector or of few columns (gemv2T, gemmSN), which gain little from tensor cores.
    single: &["sgemm", "scudnn", "f32f32_f32f32", "simt_fprop", "simt_dgrad", "simt_wgrad"],
    tensor: &["tf32", "tensorop", "s1688", "h1688", "h884", "s884", "16816", "hmma"],
    precision: phrase(
        "By name only: kernels with sgemm, scudnn, simt or f32f32_f32f32 in their names, and neither tf32 nor a name for tensor cores (tensorop, s1688, h884, 16816). Profiles do not say which units a kernel used.",
    ),
};

/// Lets a trace speak these words.
pub(crate) fn speak(sink: &mut Sink) {
    sink.builder.head().extensions.get_or_default::<Spoken>().0 = &DIALECT;
}

// Names of kernels and tasks that exchange data, by library: the rows of `communication.tsv`.

static TABLE: &str = include_str!("communication.tsv");

static ROWS: LazyLock<Vec<Exchange>> = LazyLock::new(|| TABLE.lines().filter_map(row).collect());

/// The names.
fn communication_exchanges() -> &'static [Exchange] {
    &ROWS
}

/// A row: how the text stands in a name, the text, the library, where it was seen. Lines that begin with `#` are notes.
fn row(line: &'static str) -> Option<Exchange> {
    let mut cells = line.split('\t');
    let begins = match cells.next()? {
        "begins" => true,
        "holds" => false,
        _ => return None,
    };
    Some(Exchange { begins, text: cells.next()?, library: cells.next()? })
}

// Where processes and threads stand in traces with streams of devices: devices and their streams above the host, whose
// stacks are deep, and what holds nothing but one instant last. Among themselves the order of the file holds.

/// How far tracks are put before or behind where the file has them: farther than its own numbers reach.
const FAR: i64 = 1 << 52;

/// Puts the tracks where they are looked for. A second time changes nothing.
///
/// Only those of one file, which are the last ones: with many files each would cost all before it.
pub(crate) fn place(entry: u32, sink: &mut Sink) {
    let trace = sink.builder.trace();
    let first = trace.tracks.last_of(entry);
    let words = Dialect::of(trace);
    if !trace.tracks.iter_from(first).any(|(id, _)| class::stream(trace, words, id).is_some()) {
        return;
    }
    let places: Vec<(TrackId, i64)> = places(trace, first, sink.is_shared).collect();
    for (id, order) in places {
        sink.builder.order_track(id, order);
    }
}

/// New places of tracks that get one: files and what is right below them where there are several, otherwise processes.
fn places(trace: &Trace, first: usize, has_files: bool) -> impl Iterator<Item = (TrackId, i64)> {
    let words = Dialect::of(trace);
    // Of each track with what is below it: how much it holds, and whether it is a device.
    let mut known = vec![(0_u64, false); trace.tracks.len().saturating_sub(first)];
    let at = move |id: TrackId| id.index().wrapping_sub(first);
    for (id, track) in trace.tracks.iter_from(first) {
        let is_stream = class::stream(trace, words, id).is_some();
        let above = |id: &TrackId| trace.tracks.find(*id).and_then(|track| track.parent);
        for id in std::iter::successors(Some(id), above) {
            if let Some((held, is_device)) = known.get_mut(at(id)) {
                *held = held.saturating_add(holds(track));
                *is_device |= is_stream;
            }
        }
    }
    let is_process = move |track: &Track| match track.parent {
        Some(parent) => has_files && trace.tracks.get(parent).parent.is_none(),
        None => true,
    };
    let of_devices: Vec<bool> = known.iter().map(|(_, is_device)| *is_device).collect();
    let is_in_device =
        move |track: &Track| track.parent.is_some_and(|parent| of_devices.get(at(parent)) == Some(&true));
    let place = move |(id, track): (TrackId, &Track)| {
        let order = track.order.clamp(-FAR, FAR);
        let is_far = FAR <= order.abs();
        let by = match known.get(at(id)) {
            Some((1, _)) => 2 * FAR,
            Some((_, true)) if is_process(track) => -2 * FAR,
            // A stack of the host that bears the number of a device is none of its rows.
            Some((_, false)) if is_in_device(track) && class::is_of_host(trace, words, id) => FAR,
            _ => 0,
        };
        (by != 0 && !is_far).then_some((id, order + by))
    };
    trace.tracks.iter_from(first).filter_map(place)
}

/// How much a track holds itself: an instant counts one, anything with a length or a value more.
fn holds(track: &Track) -> u64 {
    let more = track.slices.len() + track.series.iter().map(|series| series.time.len()).sum::<usize>();
    2 * more as u64 + track.instants.len() as u64
}

// Numbers that calls of the host and what they launched share, among the args of both:
//
// ```text
// {"ph":"X", "cat":"cuda_runtime", "name":"cudaLaunchKernel", …, "args":{"cbid":211, "correlation":4711}}
// {"ph":"X", "cat":"kernel", "name":"gemm", …, "args":{"device":0, "stream":7, "correlation":4711}}
// ```
// 0 says that there is none. Args are looked through only in the categories that have such numbers, for one word, from
// their begin to it. (`External id` ties a kernel to its operator, not to one of the calls in it: it is not used.)

/// What categories have in them whose slices have such numbers.
const CATEGORIES: [&str; 5] = ["kernel", "memcpy", "memset", "runtime", "driver"];

/// What the number is called.
const NAMES: [&[u8]; 5] =
    [b"correlation", b"correlation_id", b"correlationId", b"Correlation ID", b"Correlation_ID"];

/// What all of these have in them, behind their first letter.
const STEM: &[u8] = b"orrelation";

/// Numbers from here on stand for texts, and for numbers that do not fit.
const TEXTS: u32 = 1 << 31;

/// What is known of categories.
pub(crate) struct Links {
    stem: Finder<'static>,
    /// The category that was asked for last, and whether its slices have numbers.
    last: (StrId, bool),
    known: Map<StrId, bool>,
}

impl Default for Links {
    fn default() -> Self {
        Self { stem: Finder::new(STEM), last: (Strings::EMPTY, false), known: Map::default() }
    }
}

impl Links {
    /// The number of a slice of a category, 0 for none.
    #[inline]
    pub(crate) fn of(&mut self, category: StrId, args: &[u8], sink: &mut Sink) -> u32 {
        if self.last.0 != category {
            self.last = (category, self.has_numbers(category, sink));
        }
        if self.last.1 { self.find(args, sink) } else { 0 }
    }

    fn has_numbers(&mut self, category: StrId, sink: &Sink) -> bool {
        *self.known.entry(category).or_insert_with(|| {
            let text = sink.builder.trace().strings.get(category).to_ascii_lowercase();
            CATEGORIES.iter().any(|part| text.contains(part))
        })
    }

    fn find(&self, args: &[u8], sink: &mut Sink) -> u32 {
        let Some(at) = self.stem.find(args) else { return 0 };
        let value = quick(args, at).or_else(|| {
            let mut members = Members::new(args);
            members.find(|(key, _)| NAMES.contains(&unquoted(key))).map(|(_, value)| value)
        });
        value.map_or(0, |value| number(value, sink))
    }
}

/// The value of the member whose name has the stem at a place, if nothing is nested before it.
fn quick(args: &[u8], at: usize) -> Option<&[u8]> {
    let from = at.checked_sub(2)?;
    if memchr::memchr2(b'{', b'[', args.get(1..from)?).is_some() {
        return None;
    }
    let end = scan::string_end(args, from).ok()?;
    let colon = scan::blanks(args, end);
    let is_name = args.get(from) == Some(&b'"') && NAMES.contains(&unquoted(args.get(from..end)?));
    if !is_name || args.get(colon) != Some(&b':') {
        return None;
    }
    let start = scan::blanks(args, colon + 1);
    args.get(start..scan::value_end(args, start).ok()?)
}

/// Numbers as digits or as a text, and other texts; 0 for everything else.
fn number(value: &[u8], sink: &mut Sink) -> u32 {
    let text = unquoted(value);
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_number && (text.is_empty() || value.first() != Some(&b'"')) {
        return 0;
    }
    let digits =
        std::str::from_utf8(text).ok().filter(|_| is_number).map(|text| text.trim_start_matches('0'));
    match digits {
        Some("") => 0,
        Some(digits) => match digits.parse::<u32>().ok().filter(|number| *number < TEXTS) {
            Some(number) => number,
            None => TEXTS | sink.builder.intern(digits).0,
        },
        None => TEXTS | sink.builder.intern(&super::read_names(text).0).0,
    }
}
