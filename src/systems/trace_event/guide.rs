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
            "time in which a stream runs no kernel and no copy; waiting for an event is idle, annotations are not work",
        ),
    ),
    (
        phrase("Short gap"),
        phrase("up to 1 µs between two kernels: they run back to back as fast as the device can"),
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
            "the part in which the thread that launches the next kernel waits for the device before it does, as in cudaDeviceSynchronize or .item(): launch more before waiting",
        ),
    ),
    (
        phrase("Host allocates memory"),
        phrase(
            "the part in which that thread allocates or frees device memory through the driver, as in cudaMalloc: use a cache, keep it",
        ),
    ),
    (
        phrase("Launched late"),
        phrase(
            "the rest until the call that launches the next kernel returns: the host is too slow; fuse kernels, use graphs, compile, larger batches",
        ),
    ),
    (
        phrase("Inside the launch call"),
        phrase(
            "the call that launches the next kernel takes at least ten times the median and has not returned: the runtime itself takes the time, for example loading or compiling the kernel, or waiting for space in the queue",
        ),
    ),
    (
        phrase("Inside a copy call"),
        phrase(
            "the same of a call that copies or sets memory: it stages pageable memory, or waits until the device is done with what is queued before",
        ),
    ),
    (
        phrase("Waits for compute"),
        phrase("the next kernel is communication and is launched; other streams compute meanwhile"),
    ),
    (
        phrase("Waits for communication"),
        phrase("the next kernel is launched; other streams communicate meanwhile: overlap them better"),
    ),
    (
        phrase("Launched, not started"),
        phrase(
            "the launch call has returned, the kernel has not started, and none of the reasons above applies",
        ),
    ),
    (
        phrase("Launch unknown"),
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
            "a slice that marks one iteration, such as ProfilerStep#7; if the file marks none, choose a name that repeats",
        ),
    ),
    (phrase("Wall"), phrase("start to end of the step: compute + comm + copies + idle")),
    (phrase("Compute"), phrase("at least one stream computes; overlapping kernels count once")),
    (phrase("Comm"), phrase("communication with no compute: exposed communication")),
    (phrase("Copies"), phrase("copies with no compute and no communication")),
    (phrase("Idle"), phrase("no stream is busy; compare with the idle reasons of the streams")),
    (
        phrase("Host time"),
        phrase(
            "some thread is in an operator or a runtime call; overlaps with the others. Close to the wall time, the host may be the bottleneck",
        ),
    ),
];

const LATENCY_ROWS: &[(&str, &str)] = &[
    (
        phrase("Launch latency"),
        phrase("start of the launch call on the host to start of the kernel on the device"),
    ),
    (
        phrase("Short latency"),
        phrase(
            "about 5 to 20 µs: the kernel starts as soon as it is launched. If many do, the device may be waiting for the host",
        ),
    ),
    (
        phrase("Long latency"),
        phrase(
            "the kernel waits behind others in the queue: the host is ahead, the device is the bottleneck",
        ),
    ),
    (
        phrase("No launch found"),
        phrase("no flow and no shared correlation number links a call to the kernel"),
    ),
    (
        phrase("Zero or negative"),
        phrase(
            "the kernel starts before its launch: host and device clocks are not aligned; such kernels are not counted",
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
            "no other launch was pending; if the previous kernel had also ended, the stream waited for the host",
        ),
    ),
    (phrase("Long queue"), phrase("the host is far ahead; synchronization waits until the queue is empty")),
    (
        phrase("Queue over time"),
        phrase("the longest queue in each time bin; where it drops to 0, look for late launches"),
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
            "Idle reasons need launch calls (CPU activities) and steps need ProfilerStep annotations. Occupancy is the profiler's estimate. Clocks of several hosts are not aligned: ranks are compared by collectives, whose ends align them.",
        ),
    ),
];
