//! What a first pass over the rows finds out: which threads have to do with NNAPI, and which processes are drivers.
//!
//! A thread has to do with NNAPI when one of its marks does, or when the AOSP parser would look for its rows. A process is
//! a driver when it serves calls of a driver's interfaces (HIDL of any version, or AIDL), or has marks of the driver layer
//! and none of the application or the runtime.

use crate::base::map::{Map, Set};
use crate::systems::android::nnapi::mark::{Layer, label};

/// What is in every mark that makes a thread one of NNAPI.
pub(crate) const SIGNS: [&[u8]; 6] =
    [b"[NN", b"IDevice", b"IPreparedModel", b"IExecution", b"IFencedExecution", b"IBurst"];

/// What is known after all rows were seen once.
#[derive(Default)]
pub(crate) struct Survey {
    threads: Set<String>,
    processes: Map<String, Roles>,
    /// The process of each thread, as its rows say it last.
    process_of: Map<String, String>,
    has_runtime: bool,
}

/// What a process was seen doing.
#[derive(Clone, Copy, Default)]
struct Roles {
    /// It serves calls of a driver's interfaces.
    is_server: bool,
    has_driver_marks: bool,
    has_client_marks: bool,
}

impl Survey {
    /// Looks at a mark with one of the signs. `pid` is the number of the thread; `process` that of its process, empty
    /// when it is not known; `mark` the text from `B` or `E` on.
    pub(crate) fn row(&mut self, pid: &str, process: &str, mark: &str) {
        let label = label(mark);
        let scope = label.scope.filter(|_| mark.starts_with('B'));
        // The second half is how the AOSP parser chooses its threads, and what it stumbles over.
        if scope.is_none() && !mark.contains("[NN") && !mark.contains("HIDL::IDevice") {
            return;
        }
        if !self.threads.contains(pid) {
            self.threads.insert(pid.to_owned());
        }
        let process = if process.is_empty() { super::text::row::process_of(mark) } else { process };
        if !process.is_empty() && self.process_of.get(pid).is_none_or(|known| known != process) {
            self.process_of.insert(pid.to_owned(), process.to_owned());
        }
        let Some((layer, _)) = scope else { return };
        self.has_runtime |= layer == Layer::Runtime;
        let is_call = label.name.starts_with("HIDL::") || label.name.starts_with("AIDL::");
        let seen = Roles {
            is_server: is_call && layer == Layer::Driver,
            has_driver_marks: !is_call && layer == Layer::Driver,
            has_client_marks: matches!(layer, Layer::Application | Layer::Runtime),
        };
        match self.processes.get_mut(process) {
            Some(roles) => {
                roles.is_server |= seen.is_server;
                roles.has_driver_marks |= seen.has_driver_marks;
                roles.has_client_marks |= seen.has_client_marks;
            }
            None => _ = self.processes.insert(process.to_owned(), seen),
        }
    }

    /// Whether a thread has to do with NNAPI.
    pub(crate) fn is_marked(&self, pid: &str) -> bool {
        self.threads.contains(pid)
    }

    /// How many threads have to do with NNAPI.
    pub(crate) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    /// The process of a thread that has to do with NNAPI; empty when no row says it.
    pub(crate) fn process_of(&self, pid: &str) -> &str {
        self.process_of.get(pid).map_or("", String::as_str)
    }

    /// Whether a process is a driver.
    pub(crate) fn is_driver(&self, process: &str) -> bool {
        let roles = self.processes.get(process).copied().unwrap_or_default();
        if process.is_empty() {
            return false;
        }
        roles.is_server || (roles.has_driver_marks && !roles.has_client_marks)
    }

    /// Whether a process has threads that have to do with NNAPI.
    pub(crate) fn is_known(&self, process: &str) -> bool {
        self.processes.contains_key(process)
    }

    /// Whether the runtime wrote marks.
    pub(crate) fn has_runtime(&self) -> bool {
        self.has_runtime
    }
}
