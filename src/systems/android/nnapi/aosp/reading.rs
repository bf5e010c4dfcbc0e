//! What the AOSP parser reads in one mark: work-arounds, tag, or layer and phase by the name of an interface.

use super::{Code, Codes};
use crate::systems::android::nnapi::mark::{Layer, Refusal};
use std::borrow::Cow;

/// Functions whose spans are kept, by the number in [`Reading::function`].
pub(super) const FUNCTIONS: [&str; 12] = [
    "ANeuralNetworksExecution_create",
    "ANeuralNetworksExecution_free",
    "ANeuralNetworksEvent_create",
    "ANeuralNetworksEvent_free",
    "ANeuralNetworksExecution_setInput",
    "ANeuralNetworksExecution_setOutput",
    "ANeuralNetworksExecution_setInputFromMemory",
    "ANeuralNetworksExecution_setOutputFromMemory",
    "ANeuralNetworksExecution_startCompute",
    "ANeuralNetworksEvent_wait",
    "HIDL::IPreparedModel::execute::server",
    "HIDL::IExecutionCallback::notify::client",
];
/// An execution begins to exist; the first of the functions that are summed into the runtime's executions.
pub(super) const CREATE: usize = 0;
/// So many of them, from the first on, are summed into the runtime's executions.
pub(super) const N_SYNCHRONOUS: usize = 8;
/// An asynchronous execution is started.
pub(super) const START: usize = 8;
/// Its end is waited for.
pub const WAIT: usize = 9;
/// The driver begins to execute.
pub const SERVER: usize = 10;
/// The driver says that it is done.
pub(super) const NOTIFY: usize = 11;

/// Any other function.
pub const NO_FUNCTION: u8 = u8::MAX;
/// The mark has no function, which is refused at its end.
pub const BAD_FUNCTION: u8 = u8::MAX - 1;

/// What one text says; the same for every row with it.
pub struct Reading {
    /// Whether it begins a scope.
    pub(super) is_begin: bool,
    /// Whether its thread is tracked for it: any tag of NNAPI.
    pub(super) has_tag: bool,
    /// Whether its thread is tracked for it, and its process a driver: it serves `IDevice`.
    pub(super) is_served: bool,
    /// Whether the runtime wrote it.
    pub(super) is_runtime: bool,
    /// Whether it must not stand on a thread that is not tracked.
    pub(super) is_wanted: bool,
    /// Whether a run begins with it.
    pub(super) is_overall: bool,
    /// Whether the scope around it ends.
    pub is_switch: bool,
    /// Whether its time is taken from the scopes around it.
    pub(super) is_subtract: bool,
    /// Number of its function.
    pub(super) function: u8,
    /// Layer in an application, layer in a driver, phase; or why it is refused.
    pub scope: Result<(Code, Code, Code), Refusal>,
}

impl Default for Reading {
    /// That of an end.
    fn default() -> Self {
        Self::of("E", &mut Codes::default())
    }
}

/// Why the parser ends.
pub(super) fn refusal(kind: &str, text: &str) -> Refusal {
    Refusal { kind: kind.to_owned(), text: text.to_owned(), line: 0 }
}

/// An end without a begin, or a scope whose mark has no function.
pub(super) fn bad_end() -> Refusal {
    let text = "Unable to process a trace termination mark, please check that the collected trace are including full \
                application lifecycles.";
    refusal("Exception", text)
}

/// Whether the parser sums the spans of a function into the runtime's executions.
pub fn is_summed(function: &str) -> bool {
    FUNCTIONS[..N_SYNCHRONOUS].contains(&function)
}

impl Reading {
    /// Reads a mark that begins with `B` or `E`.
    pub fn of(text: &str, codes: &mut Codes) -> Self {
        let mark = &*rewritten(text);
        let is_begin = text.starts_with('B');
        let has_tag = text.contains("[NN");
        let is_device = text.contains("HIDL::IDevice");
        let scope = if is_begin { scope(mark, codes) } else { Ok((Code::NONE, Code::NONE, Code::NONE)) };
        Self {
            is_begin,
            has_tag,
            is_served: is_device && text.contains("::server"),
            is_runtime: has_tag && text.contains("NN_LR"),
            is_wanted: is_device || text.contains("[NN_"),
            is_overall: text.contains("[NN_LA_PO]"),
            is_switch: is_begin && mark.contains("[SW]"),
            is_subtract: is_begin && mark.contains("[SUB]"),
            function: function(mark),
            scope,
        }
    }
}

/// The mark after the work-arounds for mistakes of early versions.
pub(super) fn rewritten(text: &str) -> Cow<'_, str> {
    if !text.starts_with('B') {
        return Cow::Borrowed(text);
    }
    let mut mark = Cow::Borrowed(text);
    if mark.contains("ANeuralNetworksEvent_free") || mark.contains("ANeuralNetworksExecution_free") {
        mark = Cow::Owned(mark.replace("_PT", "_PE"));
    }
    if mark.contains("getSupportedExtensions") {
        mark = Cow::Owned(mark.replace("_PC", "_PI"));
    } else if mark.contains("[SW][NN_LA_PR]executeWithCompilation") {
        mark = Cow::Owned(mark.replace("[SW]", ""));
    }
    mark
}

/// Layer in an application, layer in a driver, phase.
fn scope(mark: &str, codes: &mut Codes) -> Result<(Code, Code, Code), Refusal> {
    let (layer, phase) = match tag(mark) {
        Some(tag) => {
            let mut parts = tag.split('_');
            let _prefix = parts.next();
            match (parts.next(), parts.next(), parts.next()) {
                (Some(layer), Some(phase), None) => (layer, phase),
                (_, _, Some(_)) => {
                    return Err(refusal("ValueError", "too many values to unpack (expected 3)"));
                }
                (layer, ..) => {
                    let n = 1 + usize::from(layer.is_some());
                    let text = format!("not enough values to unpack (expected 3, got {n})");
                    return Err(refusal("ValueError", &text));
                }
            }
        }
        None => (foreign_layer(mark)?.code(), foreign_phase(mark)),
    };
    let (driver, cpu) = (Layer::Driver.code(), Layer::Cpu.code());
    let of_application = codes.code(&layer.replace(driver, cpu));
    let of_driver = codes.code(&layer.replace(cpu, driver));
    Ok((of_application, of_driver, codes.code(phase)))
}

/// The right-most `[…]` with anything but `]` behind it, in a mark that has `B|550|` somewhere before.
pub fn tag(mark: &str) -> Option<&str> {
    let bytes = mark.as_bytes();
    let from = mark.match_indices("B|").find_map(|(at, _)| {
        let digits = bytes.iter().skip(at + 2).take_while(|b| b.is_ascii_digit()).count();
        let end = at + 2 + digits;
        (0 < digits && bytes.get(end) == Some(&b'|')).then_some(end + 1)
    })?;
    let mut close = None;
    for (at, byte) in bytes.iter().enumerate().skip(from).rev() {
        match (byte, close) {
            (b']', _) => close = Some(at),
            (b'[', Some(end)) if at + 1 < end && bytes.get(end + 1).is_some_and(|&b| b != b']') => {
                return mark.get(at + 1..end);
            }
            _ => {}
        }
    }
    None
}

/// The layer of a mark without a tag, by the names of interfaces.
fn foreign_layer(mark: &str) -> Result<Layer, Refusal> {
    let has = |text: &str| mark.contains(text);
    Ok(if has("::client") || has("::server") {
        match (has("notify"), has("::client")) {
            (true, _) => Layer::Ignored,
            (false, true) => Layer::Ipc,
            (false, false) => Layer::Driver,
        }
    } else if has("::passthrough") {
        Layer::Ipc
    } else if has("getCapabilities") || has("getSupportedOperations") {
        Layer::Driver
    } else if has("HIDL") {
        return Err(refusal("AssertionError", mark));
    } else {
        Layer::Ignored
    })
}

/// The phase of a mark without a tag.
fn foreign_phase(mark: &str) -> &'static str {
    let has = |text: &str| mark.contains(text);
    if has("IAllocator") {
        "PU"
    } else if has("getCapabilities") {
        "PI"
    } else if has("prepareModel") || has("getSupportedOperations") || has("IPreparedModelCallback") {
        "PC"
    } else if has("execute") || has("IExecutionCallback") {
        "PE"
    } else {
        "PI"
    }
}

/// The number of the function of a begin mark.
pub fn function(mark: &str) -> u8 {
    let Some(field) = mark.split('|').nth(2) else { return BAD_FUNCTION };
    let name = if field.contains("[NN_") {
        let plain = field.replace("[SUB]", "").replace("[SW]", "");
        let Some(name) = plain.split(']').nth(1) else { return BAD_FUNCTION };
        Cow::Owned(name.replace('[', ""))
    } else {
        Cow::Borrowed(field)
    };
    FUNCTIONS.iter().position(|known| *known == name).map_or(NO_FUNCTION, |number| number as u8)
}
