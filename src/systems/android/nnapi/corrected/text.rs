//! What the texts of marks mean, each different text read once.

use super::executions::{Kind, SetupCall};
use super::functions::hands_over;
use crate::base::map::Map;
use crate::model::id::StrId;
use crate::model::strings::Strings;
use crate::systems::android::nnapi::arena::Arena;
use crate::systems::android::nnapi::mark::{Label, Layer, Phase, label};

/// What one row does.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// Begins a scope.
    Begin(Meaning),
    /// Ends one.
    End,
    /// Neither: free text that happens to begin with these letters.
    Neither,
}

/// What a call is, where executions and processes are paired by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Call {
    /// Nothing special.
    #[default]
    Plain,
    /// Computes and returns when it is done.
    Compute(Kind),
    /// Begins to compute.
    Start(Kind),
    /// Waits for what was begun.
    Wait,
    /// One side of a call between processes; the other side has the same path.
    Client(u32),
    /// The side that serves it.
    Server(u32, Served),
    /// A driver calls back.
    NotifyClient(u32),
    /// The callback arrives.
    NotifyServer(u32),
}

/// How a server computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    Other,
    /// An execution, done when the call returns.
    Now,
    /// An execution, done when the driver calls back.
    Later,
}

/// What a begin mark means.
#[derive(Clone, Copy)]
pub(super) struct Meaning {
    /// Layer and phase; `None` for marks of others.
    pub(super) scope: Option<(Layer, Phase)>,
    /// See [`Label`].
    pub(super) is_switch: bool,
    /// See [`Label`].
    pub(super) is_subtract: bool,
    /// Number of its function's name.
    pub(super) name: u32,
    pub(super) call: Call,
    /// Whether it serves a call of another process; `Some(false)` when it calls one, `None` for all else. Of every
    /// interface, also those of others.
    pub(super) serves: Option<bool>,
    /// A server row by which a process is known as a driver.
    pub(super) is_driver_row: bool,
    /// Whether the application calls the runtime by it.
    pub(super) is_api: bool,
    /// Whether a driver computes in it.
    pub(super) is_computing: bool,
    /// What it is to the AOSP parser.
    pub(super) aosp: Aosp,
}

/// What a function is to others, whatever marks of it say.
#[derive(Clone, Copy, Default)]
pub(super) struct Purpose {
    pub(super) call: Call,
    /// What it has to do with an execution.
    pub(super) setup: SetupCall,
    /// Whether it hands over to the CPU.
    pub(super) hands_over: bool,
}

/// What a mark is to the AOSP parser.
#[derive(Clone, Copy)]
pub(super) struct Aosp {
    /// It makes its process a driver.
    pub(super) is_driver_row: bool,
    /// It makes it look at its thread.
    pub(super) is_nnapi: bool,
    /// It is taken for a driver of neural networks and is none.
    pub(super) is_other_device: bool,
    /// It is taken for a call between processes, or what a driver does for one, and is one of others: the layer.
    pub(super) other_call: Option<Layer>,
}

/// The layer that the parser takes a mark without tag for.
fn other_call(mark: &str) -> Option<Layer> {
    if mark.contains("notify") {
        None
    } else if mark.contains("::client") || mark.contains("::passthrough") {
        Some(Layer::Ipc)
    } else {
        mark.contains("::server").then_some(Layer::Driver)
    }
}

/// The different texts of marks.
#[derive(Default)]
pub(super) struct Texts {
    by_text: Map<StrId, Row>,
    /// Names of functions, by number.
    pub(super) names: Vec<String>,
    /// What the function of a name is, as it was first seen.
    pub(super) functions: Arena<Purpose>,
    by_name: Map<Box<str>, u32>,
    by_path: Map<Box<str>, u32>,
}

impl Texts {
    /// What a row does whose text was read before.
    pub(super) fn known(&self, text: StrId) -> Row {
        self.by_text.get(&text).copied().unwrap_or(Row::Neither)
    }

    /// What a row does. Constant time.
    pub(super) fn row(&mut self, text: StrId, strings: &Strings) -> Row {
        if let Some(&row) = self.by_text.get(&text) {
            return row;
        }
        let mark = strings.get(text).trim_end();
        let row = match mark {
            "E" => Row::End,
            _ if mark.starts_with("E|") => Row::End,
            _ if mark.starts_with("B|") => Row::Begin(self.meaning(mark)),
            _ => Row::Neither,
        };
        self.by_text.insert(text, row);
        row
    }

    /// The name of a function.
    pub(super) fn name(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }

    fn meaning(&mut self, mark: &str) -> Meaning {
        let label = label(mark);
        let name = number(&mut self.by_name, label.name);
        let is_api =
            label.name.starts_with("ANeuralNetworks") || label.name.starts_with("SL_ANeuralNetworks");
        let call = self.call(&label);
        if name as usize == self.names.len() {
            self.names.push(label.name.to_owned());
            let (setup, hands_over) = (SetupCall::of(label.name), hands_over(label.name));
            self.functions.push(Purpose { call, setup, hands_over });
        }
        let is_driver_row = is_driver_row(&label);
        let has_device = mark.contains("HIDL::IDevice");
        let aosp = Aosp {
            is_driver_row: has_device && mark.contains("::server"),
            is_nnapi: mark.contains("[NN"),
            is_other_device: has_device && label.scope.is_none(),
            other_call: other_call(mark).filter(|_| !has_device && label.scope.is_none()),
        };
        let role =
            label.name.rsplit_once("::").filter(|_| is_interface(label.name)).map_or("", |(_, role)| role);
        let Label { scope, is_switch, is_subtract, .. } = label;
        Meaning {
            scope,
            is_switch,
            is_subtract,
            name,
            call,
            serves: matches!(role, "client" | "server").then_some(role == "server"),
            is_driver_row,
            is_api,
            is_computing: is_computing(label.name),
            aosp,
        }
    }

    fn call(&mut self, label: &Label) -> Call {
        let Some((layer, _)) = label.scope else { return Call::Plain };
        if layer == Layer::Runtime {
            return match label.name {
                "ANeuralNetworksExecution_compute" => Call::Compute(Kind::Synchronous),
                "ANeuralNetworksExecution_burstCompute" => Call::Compute(Kind::Burst),
                "ANeuralNetworksExecution_startCompute" => Call::Start(Kind::Asynchronous),
                "ANeuralNetworksExecution_startComputeWithDependencies" => Call::Start(Kind::Fenced),
                "ANeuralNetworksEvent_wait" => Call::Wait,
                _ => Call::Plain,
            };
        }
        let Some((path, role)) = label.name.rsplit_once("::").filter(|_| is_interface(label.name)) else {
            return Call::Plain;
        };
        let method = path.rsplit("::").next().unwrap_or("");
        let is_callback = method.starts_with("notify");
        let number = number(&mut self.by_path, path);
        match role {
            "client" if is_callback => Call::NotifyClient(number),
            "server" if is_callback => Call::NotifyServer(number),
            "client" => Call::Client(number),
            "server" => Call::Server(number, served(path, method)),
            _ => Call::Plain,
        }
    }
}

/// Whether a driver's function computes; some only make ready.
fn is_computing(name: &str) -> bool {
    !name.contains("configureExecutionBurst") && !name.contains("createReusableExecution")
}

/// How the method of an interface computes.
fn served(path: &str, method: &str) -> Served {
    let is_later = path.starts_with("HIDL::IPreparedModel::")
        && matches!(method, "execute" | "execute_1_1" | "execute_1_2" | "execute_1_3");
    match method {
        _ if is_later => Served::Later,
        _ if method.starts_with("execute") => Served::Now,
        _ => Served::Other,
    }
}

fn is_interface(name: &str) -> bool {
    name.starts_with("HIDL::") || name.starts_with("AIDL::")
}

/// Whether a process with this row is a driver of neural networks.
fn is_driver_row(label: &Label) -> bool {
    label.scope.is_some_and(|(layer, phase)| layer == Layer::Driver && phase != Phase::Unspecified)
        && is_interface(label.name)
        && label.name.ends_with("::server")
}

fn number(numbers: &mut Map<Box<str>, u32>, text: &str) -> u32 {
    let next = numbers.len() as u32;
    numbers.get(text).copied().unwrap_or_else(|| *numbers.entry(text.into()).or_insert(next))
}
