//! What tracks and slices are: streams of a device and tracks of the host; kernels, communication, copies; operators, calls.
//!
//! Traces say it by categories (`kernel`, `memcpy`, `operator`), or only by the names of tracks and slices, in words that
//! [`Dialect`] has. Where a category says it, names do not count.

use super::dialect::Dialect;
use crate::analysis::timeline::names::is_waiting;
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::track::Track;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// What a device does during a slice of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Class {
    Compute,
    /// It exchanges data with other devices.
    Communication,
    /// It copies or fills memory.
    Copy,
    /// It waits for an event: such a slice is no work.
    Wait,
}

/// Whether a copy only fills memory, as its category or its name says.
pub fn is_fill(trace: &Trace, slice: SliceId) -> bool {
    let Some(track) = trace.tracks.find(slice.track) else { return false };
    let row = slice.row as usize;
    let name = track.slices.name.get(row).copied();
    let texts = [name, Some(track.slices.category_of(row))].into_iter().flatten();
    texts.map(|id| trace.strings.get(id).to_ascii_lowercase()).any(|text| text.contains("memset"))
}

/// The ids of [`Class`], in its order.
pub const CLASSES: [&str; 4] = ["compute", "communication", "copy", "wait"];

/// Their titles, in the same order.
pub const TITLES: [&str; 4] =
    [phrase("Computation"), phrase("Communication"), phrase("Copies"), phrase("Waiting for an event")];

/// What a slice of the host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Operator,
    /// A call of the runtime or the driver.
    Call,
    /// A function of an interpreter.
    Function,
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

/// Whether a track is a stream of a device.
pub fn is_stream(trace: &Trace, track: TrackId) -> bool {
    stream(trace, Dialect::of(trace), track).is_some()
}

/// What the categories of the first slices of a track say of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Device,
    Host,
    None,
}

fn evidence(words: &Dialect, trace: &Trace, track: &Track) -> Evidence {
    let mut found = Evidence::None;
    for text in track.slices.category.iter().take(LOOK).map(|id| trace.strings.get(*id)) {
        if words.work.iter().any(|own| own.eq_ignore_ascii_case(text)) {
            return Evidence::Device;
        }
        if !text.is_empty() && role(words, text) != Role::Other {
            found = Evidence::Host;
        }
    }
    found
}

/// What stream a track is; `None` when it is none or empty. What its slices say counts before the names of tracks and
/// groups: a process in a container may bear the number, and so the label, of a device.
pub fn stream(trace: &Trace, words: &Dialect, id: TrackId) -> Option<Stream> {
    let track = trace.tracks.find(id)?;
    if track.slices.is_empty() {
        return None;
    }
    match evidence(words, trace, track) {
        Evidence::Host => None,
        Evidence::Device if !is_exchange(trace, words, track) => Some(Stream::Mixed),
        _ if !is_in_device(trace, words, track) => None,
        _ if is_exchange(trace, words, track) => Some(Stream::Communication),
        _ => {
            let group = track.parent.and_then(|group| trace.tracks.find(group));
            let is_stream = words.streams.fit(&small(trace, track.name))
                || group.is_some_and(|group| words.stream_groups.fit(&small(trace, group.name)));
            is_stream.then_some(Stream::Mixed)
        }
    }
}

/// Whether the name of a track says that it carries nothing but communication.
fn is_exchange(trace: &Trace, words: &Dialect, track: &Track) -> bool {
    let name = small(trace, track.name);
    words.exchanges.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
}

/// A text in small letters.
fn small(trace: &Trace, id: StrId) -> String {
    trace.strings.get(id).trim().to_ascii_lowercase()
}

/// Whether a track belongs to the host, by its own slices, whatever its group is called.
pub fn is_of_host(trace: &Trace, words: &Dialect, id: TrackId) -> bool {
    trace.tracks.find(id).is_some_and(|track| evidence(words, trace, track) == Evidence::Host)
}

/// Whether the group of a track bears the label of a host, also beside that of a device.
pub fn is_labelled_host(trace: &Trace, id: TrackId) -> bool {
    let group = trace.tracks.find(id).and_then(|track| trace.tracks.find(track.parent?));
    group.is_some_and(|group| small(trace, group.label).split(", ").any(|label| label == "cpu"))
}

/// Whether a track that is no stream belongs to the host: its slices or its label say so, or it neither stands beside
/// streams nor on a device.
pub fn is_host(trace: &Trace, words: &Dialect, id: TrackId, is_beside: impl FnOnce() -> bool) -> bool {
    is_of_host(trace, words, id)
        || is_labelled_host(trace, id)
        || !is_beside() && !is_on_device(trace, words, id)
}

/// Whether the group of a track is a device, by its name or its label.
pub fn is_on_device(trace: &Trace, words: &Dialect, id: TrackId) -> bool {
    trace.tracks.find(id).is_some_and(|track| is_in_device(trace, words, track))
}

fn is_in_device(trace: &Trace, words: &Dialect, track: &Track) -> bool {
    let group = track.parent.and_then(|group| trace.tracks.find(group));
    group.is_some_and(|group| {
        let labels = small(trace, group.label);
        words.devices.fit(&small(trace, group.name))
            || labels.split(", ").any(|label| words.devices.fit(label))
    })
}

/// Whether a name is one of a part of a communication.
pub fn is_transport(words: &Dialect, name: &str, category: &str) -> bool {
    category.is_empty() && words.transports.iter().any(|own| own.eq_ignore_ascii_case(name.trim()))
}

/// What a device does during a slice of a mixed stream; `None` for notes over other slices and for calls of the host.
/// Names with one of the texts of `exchanges` in them are communication too.
pub fn class(words: &Dialect, name: &str, category: &str, exchanges: &[String]) -> Option<Class> {
    let category = category.to_ascii_lowercase();
    if words.notes.fit(&category) || role(words, &category) == Role::Call {
        return None;
    }
    let name = name.trim_start().to_ascii_lowercase();
    let is_exchange = || {
        exchanges.iter().any(|text| name.contains(text.as_str()))
            || (words.communication)().iter().any(|own| own.fits(&name))
    };
    let is_named = category.is_empty() || words.named_work.contains(&category.as_str());
    Some(if category.contains("sync") || is_waiting(&name) {
        Class::Wait
    } else if category.contains("memcpy") || category.contains("memset") {
        Class::Copy
    } else if is_exchange() {
        Class::Communication
    } else if !is_named {
        Class::Compute
    } else if words.copies.fit(&name) {
        Class::Copy
    } else if words.waits.fit(&name) {
        Class::Wait
    } else {
        Class::Compute
    })
}

/// What names of collectives have in them, in small letters without signs, and what people call them.
const COLLECTIVES: [(&str, &str); 12] = [
    ("allreduce", phrase("all-reduce")),
    ("reducescatter", phrase("reduce-scatter")),
    ("allgather", phrase("all-gather")),
    ("alltoall", phrase("all-to-all")),
    ("broadcast", phrase("broadcast")),
    ("sendrecv", phrase("send and receive")),
    ("batchsend", phrase("send and receive")),
    ("send", phrase("send and receive")),
    ("recv", phrase("send and receive")),
    ("receive", phrase("send and receive")),
    ("barrier", phrase("barrier")),
    ("reduce", phrase("reduce")),
];

/// The kind of collective that a text says: a name, or an argument.
pub fn collective(name: &str) -> Option<&'static str> {
    let text: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    COLLECTIVES.iter().find(|(own, _)| text.contains(own)).map(|(_, title)| *title)
}

/// The texts of a list of names of communication that a person wrote: in small letters, parted by commas.
pub fn texts(list: &str) -> Vec<String> {
    list.split(',').map(|text| text.trim().to_ascii_lowercase()).filter(|text| !text.is_empty()).collect()
}

/// What the slices of streams are, by track and row.
#[derive(Default)]
pub struct Streams {
    words: Option<&'static Dialect>,
    /// By track.
    kinds: Vec<Option<Stream>>,
    /// By name and category, as far as they were looked at.
    known: RefCell<Map<(StrId, StrId), Option<Class>>>,
}

impl Streams {
    /// Finds the streams. Costs the tracks.
    pub fn new(trace: &Trace) -> Self {
        let words = Dialect::of(trace);
        let kinds = trace.tracks.iter().map(|(id, _)| stream(trace, words, id)).collect();
        Self { words: Some(words), kinds, known: RefCell::default() }
    }

    /// What stream a track is.
    pub fn kind(&self, track: TrackId) -> Option<Stream> {
        self.kinds.get(track.index()).copied().flatten()
    }

    /// What a slice of a mixed stream is; `None` for a note over others, `Some(Wait)` for waiting.
    fn class(&self, trace: &Trace, track: TrackId, row: usize) -> Option<Class> {
        let slices = &trace.tracks.get(track).slices;
        let key = (slices.name[row], slices.category_of(row));
        *self.known.borrow_mut().entry(key).or_insert_with(|| {
            let [name, category] = [key.0, key.1].map(|id| trace.strings.get(id));
            class(self.words?, name, category, &[])
        })
    }

    /// Whether a slice is only a note over others of a stream.
    pub fn is_note(&self, trace: &Trace, track: TrackId, row: usize) -> bool {
        self.kind(track).is_some() && self.class(trace, track, row).is_none()
    }

    /// Whether nothing that is known of streams speaks against something going on during a slice of a track: it is neither
    /// a note nor waiting.
    pub fn is_work(&self, trace: &Trace, track: TrackId, row: usize) -> bool {
        match self.kind(track) {
            None => true,
            Some(Stream::Communication) => !self.is_note(trace, track, row),
            Some(Stream::Mixed) => self.class(trace, track, row).is_some_and(|class| class != Class::Wait),
        }
    }
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
    pub loads: bool,
    /// It waits for the device.
    pub syncs: bool,
    /// It asks the driver for memory, or gives it back.
    pub allocates: bool,
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
    let allocates = words.allocates.fit(&text) && !text.contains("async");
    Marks { loads: words.loads.fit(&text), syncs: words.syncs.fit(&text), allocates, is_step, is_module }
}

/// Whether some slice of the trace can be an operator: a category says so. Costs the texts.
pub fn names_operators(trace: &Trace, words: &Dialect) -> bool {
    let is_operator = |text: &str| words.operators.iter().any(|own| own.eq_ignore_ascii_case(text));
    (0..trace.strings.len() as u32).any(|id| is_operator(trace.strings.get(StrId(id))))
}
