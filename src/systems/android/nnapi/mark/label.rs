//! What one begin mark says: its function, layer and phase, read tolerantly. (How the AOSP parser reads it, with its
//! failures, is `nnapi::aosp`.)

use super::{Layer, Phase};

/// What a begin mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// The function, such as `ANeuralNetworksExecution_compute` or `HIDL::IDevice::prepareModel::client`; a foreign
    /// mark's whole text.
    pub name: &'a str,
    /// Layer and phase; `None` for marks that have nothing to do with NNAPI. `LD` and `LC` are as written: which of the
    /// two it is, the process decides.
    pub scope: Option<(Layer, Phase)>,
    /// `[SW]`: the scope around it ends where this one begins.
    pub is_switch: bool,
    /// `[SUB]`: its time does not belong to the scopes around it.
    pub is_subtract: bool,
}

/// Methods of the interface `IDevice` of neural networks; the audio HAL has an interface of the same name.
const DEVICE: [&str; 10] = [
    "getCapabilities",
    "getSupportedOperations",
    "prepareModel",
    "getStatus",
    "getType",
    "getVersionString",
    "getSupportedExtensions",
    "getNumberOfCacheFilesNeeded",
    "allocate",
    "getName",
];

/// Reads a begin mark, `B|550|…` or only `B…`.
pub fn label(mark: &str) -> Label<'_> {
    let mut fields = mark.splitn(3, '|');
    let (head, _, text) = (fields.next(), fields.next(), fields.next());
    let text = text.or(head).unwrap_or(mark);
    let text = text.trim_end();
    tagged(text).unwrap_or_else(|| foreign(text))
}

/// A mark with `[NN_LR_PE]` in front of its function.
fn tagged(text: &str) -> Option<Label<'_>> {
    let mut rest = text;
    let (mut is_switch, mut is_subtract) = (false, false);
    loop {
        if let Some(after) = rest.strip_prefix("[SW]") {
            (rest, is_switch) = (after, true);
        } else if let Some(after) = rest.strip_prefix("[SUB]") {
            (rest, is_subtract) = (after, true);
        } else {
            break;
        }
    }
    let (tag, name) = rest.strip_prefix("[NN_")?.split_once(']')?;
    let (layer, phase) = tag.split_once('_')?;
    // Android 8.1 wrote `LDV` for its driver.
    let layer = Layer::of(if layer == "LDV" { "LD" } else { layer })?;
    let mut phase = Phase::of(phase)?;
    // Names are searched only where that decides: a trace has millions of marks.
    let has = |text: &str| name.contains(text);
    if phase == Phase::Termination
        && (has("ANeuralNetworksEvent_free") || has("ANeuralNetworksExecution_free"))
    {
        phase = Phase::Execution;
    }
    if phase == Phase::Compilation && has("getSupportedExtensions") {
        phase = Phase::Initialization;
    }
    let of_wrapper = is_switch && layer == Layer::Application && name.starts_with("executeWithCompilation");
    let name = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    Some(Label { name, scope: Some((layer, phase)), is_switch: is_switch && !of_wrapper, is_subtract })
}

/// A mark without: calls of a driver's interfaces have a layer, everything else none.
fn foreign(text: &str) -> Label<'_> {
    Label { name: text, scope: call(text), is_switch: false, is_subtract: false }
}

/// Layer and phase of `HIDL::IPreparedModel::execute_1_3::client` and its like, AIDL too.
fn call(text: &str) -> Option<(Layer, Phase)> {
    // Nearly all marks end here.
    if !text.starts_with("HIDL::") && !text.starts_with("AIDL::") {
        return None;
    }
    let (path, role) = text.rsplit_once("::")?;
    let (interface, method) = path.rsplit_once("::")?;
    let interface = interface.rsplit(['.', ':']).next().unwrap_or(interface);
    let is_device = interface == "IDevice" && DEVICE.iter().any(|name| method.starts_with(name));
    let phase = match interface {
        "IPreparedModelCallback" => Phase::Compilation,
        "IExecutionCallback" | "IFencedExecutionCallback" | "IExecution" | "IBurst" | "IBurstContext" => {
            Phase::Execution
        }
        "IPreparedModel" => Phase::Execution,
        "IAllocator" if path.starts_with("HIDL::") => Phase::Unspecified,
        "IDevice" if is_device => match method {
            m if m.starts_with("prepareModel") || m.starts_with("getSupportedOperations") => {
                Phase::Compilation
            }
            _ => Phase::Initialization,
        },
        _ => return None,
    };
    let is_callback = method.starts_with("notify");
    let layer = match role {
        // A callback is the driver calling back: both its ends are calls between processes.
        "client" | "server" if is_callback => Layer::Ipc,
        "client" | "passthrough" => Layer::Ipc,
        "server" => Layer::Driver,
        _ => return None,
    };
    Some((layer, phase))
}
