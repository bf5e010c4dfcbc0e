//! What the page says of host and device: why streams are idle, what steps, latency and queue are.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// A guide of one topic; all stand in one group.
const fn guide(terms: Terms) -> Guide {
    Guide { subject: "PyTorch", title: phrase("Host and device"), lessons: Vec::new, terms: Some(terms) }
}

/// Why streams are idle.
pub static IDLE: Guide = guide(Terms { id: "idle-reasons", title: phrase("Idle reasons"), rows: IDLE_ROWS });
/// What steps are made of.
pub static STEPS: Guide = guide(Terms { id: "steps", title: phrase("Steps"), rows: STEPS_ROWS });
/// How long launches take to start.
pub static LATENCY: Guide =
    guide(Terms { id: "launch-latency", title: phrase("Launch latency"), rows: LATENCY_ROWS });
/// How many launches wait.
pub static QUEUE: Guide = guide(Terms { id: "launch-queue", title: phrase("Queue"), rows: QUEUE_ROWS });

/// The reasons in the order in which a gap is given to them.
const IDLE_ROWS: &[(&str, &str)] = &[
    (
        phrase("Idle"),
        phrase(
            "time in which a stream runs no kernel and no copy; a wait for an event is idle, an annotation is no work",
        ),
    ),
    (
        phrase("Short gap"),
        phrase("up to 1 µs between two kernels: they follow each other as fast as the device can"),
    ),
    (
        phrase("Host loads data"),
        phrase(
            "the part of a gap over 1 ms in which the host is in a data loader: use more workers, prefetch, pinned memory",
        ),
    ),
    (
        phrase("Host synchronizes"),
        phrase(
            "for most of the rest of the gap the host waits for the device, as in cudaDeviceSynchronize or .item(): launch more before waiting",
        ),
    ),
    (
        phrase("Launched late"),
        phrase(
            "until the next kernel is launched: the host is too slow; fuse kernels, use graphs, compile, larger batches",
        ),
    ),
    (
        phrase("Inside the launch call"),
        phrase(
            "the call that launches the next kernel has begun and has not returned: the runtime itself takes the time, as when it loads or compiles the kernel, or waits for room in the queue",
        ),
    ),
    (
        phrase("Waits for compute"),
        phrase("the next kernel exchanges data and is launched; other streams compute meanwhile"),
    ),
    (
        phrase("Waits for communication"),
        phrase("the next kernel is launched; other streams exchange data meanwhile: overlap them better"),
    ),
    (
        phrase("Launched, not started"),
        phrase(
            "the launch call has returned, the kernel has not started, and none of the reasons above applies",
        ),
    ),
    (
        phrase("Launch not known"),
        phrase("no launch was found for the next kernel: record host and device activities together"),
    ),
    (
        phrase("Before first, after last"),
        phrase("before the first or after the last kernel of the stream; advice ignores it"),
    ),
];

const STEPS_ROWS: &[(&str, &str)] = &[
    (
        phrase("Step"),
        phrase(
            "a slice that marks one iteration, such as ProfilerStep#7; where a file marks none, choose a name that repeats",
        ),
    ),
    (phrase("Wall"), phrase("begin to end of the step: compute + comm + copies + idle")),
    (phrase("Compute"), phrase("at least one stream computes; overlapping kernels count once")),
    (phrase("Comm"), phrase("data is exchanged and nothing is computed: exposed communication")),
    (phrase("Copies"), phrase("data is copied, and neither goes on")),
    (phrase("Idle"), phrase("no stream is busy; compare with the idle reasons of the streams")),
    (
        phrase("Host time"),
        phrase(
            "some thread is in an operator or a call of the runtime; it overlaps with the others. Near the wall time, the host may be the limit",
        ),
    ),
];

const LATENCY_ROWS: &[(&str, &str)] = &[
    (
        phrase("Launch latency"),
        phrase("begin of the launch call on the host to begin of the kernel on the device"),
    ),
    (
        phrase("Short latency"),
        phrase(
            "some 5 to 20 µs: the kernel starts as soon as it is launched. If many do, the device may be waiting for the host",
        ),
    ),
    (
        phrase("Long latency"),
        phrase("the kernel waits behind others in the queue: the host is ahead, the device is the limit"),
    ),
    (
        phrase("No launch found"),
        phrase("no flow and no common number (correlation) leads from a call to the kernel"),
    ),
    (
        phrase("Zero or negative"),
        phrase(
            "the kernel begins before its launch: clocks of host and device are not aligned; such kernels do not count",
        ),
    ),
    (
        phrase("Median and p95"),
        phrase(
            "at (n − 1) · 0.5 and (n − 1) · 0.95 of the sorted values, interpolated as numpy.percentile does",
        ),
    ),
];

const QUEUE_ROWS: &[(&str, &str)] = &[
    (
        phrase("Queue"),
        phrase("launches pending on a stream; for a kernel, those at its launch, including itself"),
    ),
    (
        phrase("Queue of 1"),
        phrase(
            "no other launch was waiting; where the kernel before had ended too, the stream waited for the host",
        ),
    ),
    (phrase("Long queue"), phrase("the host is far ahead; a synchronization waits until the queue is empty")),
    (
        phrase("Queue over time"),
        phrase("the longest queue in each part of the time; where it falls to 0 look for late launches"),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "PyTorch",
    title: phrase("Host and device"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "trace-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "PyTorch: torch.profiler.profile(activities=[CPU, CUDA], record_shapes=True, profile_memory=True, with_stack=True), then export_chrome_trace(\"trace.json\"). Ascend: torch_npu.profiler or msprof, then open trace_view.json. Chrome: record in the Performance panel and save the profile. Any program can write this format.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Overview: what limits a step and by how much. Timeline: threads and streams with launches as arrows. Statistics: kernels, operators, modules, functions, memory, steps, idle time by reason, launch latency. Search by name, category, duration and argument.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "Idle reasons need launch calls (CPU activities) and steps need ProfilerStep annotations. Occupancy is the profiler's estimate. Clocks of several hosts are not aligned: ranks are compared by collectives only.",
        ),
    ),
];
