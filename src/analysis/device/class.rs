//! What tracks and slices are: streams of a device and tracks of the host; kernels, communication, copies; operators, calls.
//!
//! Traces say it by categories (`kernel`, `memcpy`, `operator`), or only by the names of tracks and slices, in words that
//! [`Dialect`] has. Where a category says it, names do not count.

use super::dialect::Dialect;
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
    [phrase("Computation"), phrase("Communication"), phrase("Copies"), phrase("Waiting for an event")];

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
    let words = Dialect::of(trace);
    trace.tracks.iter().any(|(id, _)| stream(trace, words, id).is_some())
}

/// What stream a track is; `None` when it is none or empty.
pub fn stream(trace: &Trace, words: &Dialect, id: TrackId) -> Option<Stream> {
    let track = trace.tracks.find(id)?;
    if track.slices.is_empty() {
        return None;
    }
    if is_on_device(trace, words, id) {
        let name = small(trace, track.name);
        if words.exchanges.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end)) {
            return Some(Stream::Communication);
        }
        let group = track.parent.and_then(|group| trace.tracks.find(group));
        if words.streams.fit(&name)
            || group.is_some_and(|group| words.stream_groups.fit(&small(trace, group.name)))
        {
            return Some(Stream::Mixed);
        }
    }
    let mut first = track.slices.category.iter().take(LOOK).map(|id| trace.strings.get(*id));
    let is_work = first.any(|text| words.work.iter().any(|own| own.eq_ignore_ascii_case(text)));
    is_work.then_some(Stream::Mixed)
}

/// A text in small letters.
fn small(trace: &Trace, id: StrId) -> String {
    trace.strings.get(id).trim().to_ascii_lowercase()
}

/// Whether the group of a track is a device, by its name or its label.
pub fn is_on_device(trace: &Trace, words: &Dialect, id: TrackId) -> bool {
    let group = trace.tracks.find(id).and_then(|track| trace.tracks.find(track.parent?));
    group
        .is_some_and(|group| [group.label, group.name].iter().any(|id| words.devices.fit(&small(trace, *id))))
}

/// What a device does during a slice of a mixed stream; `None` for notes over other slices.
pub fn class(words: &Dialect, name: &str, category: &str) -> Option<Class> {
    let category = category.to_ascii_lowercase();
    if category.contains("annotation") {
        return None;
    }
    let name = name.trim_start().to_ascii_lowercase();
    Some(if category.contains("sync") {
        Class::Wait
    } else if category.contains("memcpy") || category.contains("memset") {
        Class::Copy
    } else if words.communication.fit(&name) {
        Class::Communication
    } else if !category.is_empty() {
        Class::Compute
    } else if words.copies.fit(&name) {
        Class::Copy
    } else if words.waits.fit(&name) {
        Class::Wait
    } else {
        Class::Compute
    })
}

/// What slices of a category of the host are.
pub fn role(words: &Dialect, category: &str) -> Role {
    let category = category.to_ascii_lowercase();
    if words.operators.contains(&category.as_str()) {
        Role::Operator
    } else if words.calls.fit(&category) {
        Role::Call
    } else if words.functions.fit(&category) {
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

/// Whether some slice of the trace may be a function.
pub fn has_functions(trace: &Trace) -> bool {
    let words = Dialect::of(trace);
    words.functions_as_written.iter().any(|category| trace.strings.find(category).is_some())
}

/// What a name says. Steps are those with the name `step`, or with the stem before its `*`.
pub fn marks(words: &Dialect, name: &str, step: &str) -> Marks {
    let is_step = match (step, step.strip_suffix('*')) {
        ("", _) => !words.step.is_empty() && name.starts_with(words.step),
        (_, Some(stem)) => name.starts_with(stem),
        (whole, None) => name == whole,
    };
    let text = name.to_ascii_lowercase();
    let is_module = !words.module.is_empty() && name.starts_with(words.module);
    Marks { loads: words.loads.fit(&text), syncs: words.syncs.fit(&text), is_step, is_module }
}

/// Whether some slice of the trace can be an operator: a category says so. Costs the texts.
pub fn names_operators(trace: &Trace, words: &Dialect) -> bool {
    let is_operator = |text: &str| words.operators.iter().any(|own| own.eq_ignore_ascii_case(text));
    (0..trace.strings.len() as u32).any(|id| is_operator(trace.strings.get(StrId(id))))
}
