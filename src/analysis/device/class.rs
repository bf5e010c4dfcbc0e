//! What tracks and slices are: streams of a device and tracks of the host; kernels, communication, copies; operators, calls.
//!
//! Traces say it by categories (`kernel`, `gpu_memcpy`, `cpu_op`), or only by the names of tracks and slices. Where a
//! category says it, names do not count.

use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use serde::{Deserialize, Serialize};

/// What a device does during a slice of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    /// It computes.
    Compute,
    /// It exchanges data with other devices.
    Communication,
    /// It copies or fills memory.
    Copy,
    /// It waits for an event: such a slice is no work.
    Wait,
}

/// The ids of [`Class`], in its order.
pub const CLASSES: [&str; 4] = ["compute", "communication", "copy", "wait"];

/// Their titles, in the same order.
pub const TITLES: [&str; 4] =
    [phrase("Computing"), phrase("Communication"), phrase("Copies"), phrase("Waiting for an event")];

/// What a slice of the host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An operator of a framework.
    Operator,
    /// A call of the runtime or the driver.
    Call,
    /// A function of an interpreter.
    Function,
    /// Something else.
    Other,
}

/// Categories of slices that only devices have.
const OF_DEVICE: [&str; 5] = ["kernel", "memcpy", "memset", "gpu_memcpy", "gpu_memset"];
/// Categories of operators.
const OPERATORS: [&str; 3] = ["cpu_op", "operator", "op"];
/// What names of communication have in them.
const COMMUNICATION: [&str; 7] = ["nccl", "rccl", "hccl", "hcom", "oneccl", "reduce_async", "reduce_inline"];
/// What names of copies begin with.
const COPIES: [&str; 4] = ["memcpy", "memset", "memcopy", "memory copy"];
/// What names of waiting begin with.
const WAITS: [&str; 7] = ["event_", "event ", "notify_", "notify ", "stream wait", "wait", "write value"];
/// Slices of a track that are looked at for its category.
const LOOK: usize = 64;

/// What a stream of a device carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What each slice says.
    Mixed,
    /// Only communication.
    Communication,
}

/// Whether a trace has streams of a device. Costs the tracks.
pub fn has_streams(trace: &Trace) -> bool {
    trace.tracks.iter().any(|(id, _)| stream(trace, id).is_some())
}

/// What stream a track is; `None` when it is none or empty.
pub fn stream(trace: &Trace, id: TrackId) -> Option<Stream> {
    let track = trace.tracks.find(id)?;
    if track.slices.is_empty() {
        return None;
    }
    let name = trace.strings.get(track.name).trim().to_ascii_lowercase();
    if is_on_device(trace, id) {
        if name.starts_with("group") && name.ends_with("communication") {
            return Some(Stream::Communication);
        }
        if name.starts_with("stream") || group_name(trace, id).contains("/stream:") {
            return Some(Stream::Mixed);
        }
    }
    let mut first = track.slices.category.iter().take(LOOK).map(|id| trace.strings.get(*id));
    let is_of_device = first.any(|text| OF_DEVICE.iter().any(|own| own.eq_ignore_ascii_case(text)));
    is_of_device.then_some(Stream::Mixed)
}

fn group_name(trace: &Trace, id: TrackId) -> String {
    let group = trace.tracks.find(id).and_then(|track| trace.tracks.find(track.parent?));
    group.map_or(String::new(), |group| trace.strings.get(group.name).to_ascii_lowercase())
}

/// Whether the group of a track is a device, by its name or its label.
pub fn is_on_device(trace: &Trace, id: TrackId) -> bool {
    let group = trace.tracks.find(id).and_then(|track| trace.tracks.find(track.parent?));
    let Some(group) = group else { return false };
    let is_device = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        ["gpu", "npu", "xpu", "tpu"]
            .iter()
            .any(|kind| text.starts_with(kind) || text.contains(&format!("device:{kind}")))
            || text.ends_with("hardware")
    };
    is_device(trace.strings.get(group.label)) || is_device(trace.strings.get(group.name))
}

/// What a device does during a slice of a mixed stream; `None` for notes over other slices.
pub fn class(name: &str, category: &str) -> Option<Class> {
    let category = category.to_ascii_lowercase();
    if category.contains("annotation") {
        return None;
    }
    let name = name.trim_start().to_ascii_lowercase();
    let has = |list: &[&str]| list.iter().any(|part| name.contains(part));
    let begins = |list: &[&str]| list.iter().any(|part| name.starts_with(part));
    Some(if category.contains("sync") {
        Class::Wait
    } else if category.contains("memcpy") || category.contains("memset") {
        Class::Copy
    } else if has(&COMMUNICATION) {
        Class::Communication
    } else if !category.is_empty() {
        Class::Compute
    } else if begins(&COPIES) {
        Class::Copy
    } else if begins(&WAITS) {
        Class::Wait
    } else {
        Class::Compute
    })
}

/// What slices of a category of the host are.
pub fn role(category: &str) -> Role {
    let category = category.to_ascii_lowercase();
    if OPERATORS.contains(&category.as_str()) {
        Role::Operator
    } else if category.contains("runtime") || category.contains("driver") {
        Role::Call
    } else if category.starts_with("python") {
        Role::Function
    } else {
        Role::Other
    }
}

/// What the name of a slice of the host says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// It loads data.
    pub loads: bool,
    /// It waits for the device.
    pub syncs: bool,
    /// It is a step.
    pub is_step: bool,
    /// It is a call of a module.
    pub is_module: bool,
}

/// The stem of the names of steps where nobody says another.
pub const STEP: &str = "ProfilerStep#";

/// What the names of modules begin with.
pub const MODULE: &str = "nn.Module: ";
/// Categories of functions as tools write them.
const FUNCTIONS: [&str; 2] = ["python_function", "Python"];

/// Whether some slice of the trace may be a function.
pub fn has_functions(trace: &Trace) -> bool {
    FUNCTIONS.iter().any(|category| trace.strings.find(category).is_some())
}

/// What a name says. Steps are those with the name `step`, or with the stem before its `*`.
pub fn marks(name: &str, step: &str) -> Marks {
    let is_step = match (step, step.strip_suffix('*')) {
        ("", _) => name.starts_with(STEP),
        (_, Some(stem)) => name.starts_with(stem),
        (whole, None) => name == whole,
    };
    let text = name.to_ascii_lowercase();
    let is_module = name.starts_with(MODULE);
    Marks { loads: text.contains("dataloader"), syncs: text.contains("synchronize"), is_step, is_module }
}

/// Whether some slice of the trace can be an operator: a category says so.
pub fn names_operators(trace: &Trace) -> bool {
    (0..trace.strings.len() as u32)
        .map(|id| trace.strings.get(StrId(id)))
        .any(|text| text.len() <= 8 && role(text) == Role::Operator)
}
