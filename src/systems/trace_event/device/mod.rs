//! Host and device in the words of the profilers that write Trace Event JSON: those of `PyTorch` for CUDA and `ROCm`,
//! of `TensorFlow`, of `MindStudio` for Ascend; their communication libraries NCCL, RCCL, HCCL and oneCCL.

mod links;
mod order;

pub(super) use links::Links;
pub(super) use order::place;

use crate::analysis::device::dialect::{Definition, Dialect, PLAIN, Spoken, Texts};
use crate::base::words::phrase;
use crate::format::sink::Sink;

/// The words of these profilers.
static DIALECT: Dialect = Dialect {
    devices: Texts {
        begins: &["gpu", "npu", "xpu", "tpu"],
        holds: &["device:gpu", "device:npu", "device:xpu", "device:tpu"],
        ends: &["hardware"],
    },
    streams: Texts::from(&["stream"]),
    stream_groups: Texts::with(&["/stream:"]),
    exchanges: &[("group", "communication")],
    work: PLAIN.work,
    communication: Texts::with(&["nccl", "rccl", "hccl", "hcom", "oneccl", "reduce_async", "reduce_inline"]),
    copies: Texts::from(&["memcpy", "memset", "memcopy", "memory copy"]),
    waits: Texts::from(&["event_", "event ", "notify_", "notify ", "stream wait", "wait", "write value"]),
    operators: &["cpu_op", "operator", "op"],
    calls: Texts::with(&["runtime", "driver"]),
    functions: Texts::from(&["python"]),
    functions_as_written: &["python_function", "Python"],
    module: "nn.Module: ",
    loads: Texts::with(&["dataloader"]),
    syncs: Texts::with(&["synchronize"]),
    step: "ProfilerStep#",
    classes: Definition {
        id: "hta",
        title: phrase("HTA"),
        help: phrase(
            "HTA: the three classes of Holistic Trace Analysis 0.5, in whole microseconds, with its threshold of 30.",
        ),
    },
};

/// Lets a trace speak these words.
pub(in crate::systems) fn speak(sink: &mut Sink) {
    sink.builder.head().extensions.get_or_default::<Spoken>().0 = &DIALECT;
}
