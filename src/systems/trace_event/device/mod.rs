//! Host and device in the words of the profilers that write Trace Event JSON: those of `PyTorch` for CUDA and `ROCm`,
//! of `TensorFlow`, of `MindStudio` for Ascend; names of their communication stand in `communication.tsv`.

mod communication;
mod links;
mod order;

pub(super) use links::Links;
pub(super) use order::place;

use crate::analysis::device::dialect::{Definition, Dialect, Spoken, Stated, Texts};
use crate::base::words::phrase;
use crate::format::sink::Sink;

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
    communication: communication::exchanges,
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
    operators: &["cpu_op", "operator", "op"],
    calls: Texts::with(&["runtime", "driver"]),
    functions: Texts::from(&["python"]),
    functions_as_written: &["python_function", "Python"],
    module: "nn.Module: ",
    marks: Texts::from(&["iteration start", "record window end"]),
    recordings: (&["Spans", "Traces"], "Trace"),
    loads: Texts::with(&["dataloader"]),
    syncs: Texts::with(&["synchronize"]),
    step: "ProfilerStep#",
    classes: Definition {
        id: "hta",
        title: phrase("HTA"),
        help: phrase(
            "HTA: the three classes of Holistic Trace Analysis 0.5, in whole microseconds, with its threshold of 30. All kernels count here; that tool leaves out those launched from the last ProfilerStep on unless told to include it, and keeps fractions of microseconds when its rounding is disabled.",
        ),
    },
};

/// Lets a trace speak these words.
pub(in crate::systems) fn speak(sink: &mut Sink) {
    sink.builder.head().extensions.get_or_default::<Spoken>().0 = &DIALECT;
}
