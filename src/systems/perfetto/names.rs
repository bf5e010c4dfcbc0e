//! Names of threads and processes, from all that names them: switches and renames of the kernel, trees of processes, and
//! descriptions of tracks, each counting more than the one before.

use super::ftrace::Event;
use super::packet::messages::{Compact, GenericRename, GenericTask, GenericTree, ProcessTree};
use crate::base::map::Map;
use crate::systems::android::systrace::collect::ThreadNames;

/// How much a name counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    #[default]
    Nobody,
    Kernel,
    Tree,
    Track,
}

/// What is known of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) name: String,
    source: Source,
    /// Number of its process; 0 when nobody says it.
    pub(crate) process: i64,
}

/// All names, by numbers of threads and processes.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) threads: Map<i64, Thread>,
    processes: Map<i64, (Source, String)>,
}

impl Names {
    /// Names a thread, unless somebody who counts more did.
    pub(crate) fn thread(&mut self, tid: i64, name: &str, source: Source) {
        let thread = self.threads.entry(tid).or_default();
        // The idle threads of all processors share the number 0.
        if !name.is_empty() && thread.source <= source && tid != 0 {
            thread.source = source;
            if thread.name != name {
                name.clone_into(&mut thread.name);
            }
        }
    }

    /// A thread belongs to a process.
    pub(crate) fn belongs(&mut self, tid: i64, process: i64) {
        self.threads.entry(tid).or_default().process = process;
    }

    /// The number of the process of a thread as text, empty when nobody says it; and its name.
    pub(crate) fn of(&self, tid: i64) -> (String, &str) {
        let known = self.threads.get(&tid);
        let process = known.filter(|of| of.process != 0).map_or(String::new(), |of| of.process.to_string());
        (process, known.map_or("", |of| &of.name))
    }

    /// Names a process, unless somebody who counts more did.
    pub(crate) fn process(&mut self, pid: i64, name: &str, source: Source) {
        let known = self.processes.entry(pid).or_default();
        if !name.is_empty() && known.0 <= source {
            *known = (source, name.to_owned());
        }
    }

    /// All processes with names.
    pub(crate) fn processes(&self) -> impl Iterator<Item = (i64, &str)> {
        let named = self.processes.iter().filter(|(_, (_, name))| !name.is_empty());
        named.map(|(pid, (_, name))| (*pid, name.as_str()))
    }

    pub(crate) fn tree(&mut self, tree: &ProcessTree) {
        for thread in &tree.threads {
            let tid = i64::from(thread.tid.unwrap_or(0));
            self.thread(tid, &lossy(thread.name.as_deref()), Source::Tree);
            self.belongs(tid, i64::from(thread.tgid.unwrap_or(0)));
        }
        for process in &tree.processes {
            let pid = i64::from(process.pid.unwrap_or(0));
            self.belongs(pid, pid);
            self.process(pid, &lossy(process.cmdline.first().map(Vec::as_slice)), Source::Tree);
        }
    }

    pub(crate) fn generic_tree(&mut self, tree: &GenericTree) {
        for thread in &tree.threads {
            let tid = thread.tid.unwrap_or(0);
            self.thread(tid, &lossy(thread.name.as_deref()), Source::Tree);
            self.belongs(tid, thread.pid.unwrap_or(0));
        }
        for process in &tree.processes {
            let line = lossy(process.cmdline.as_deref());
            let name = line.split(' ').next().unwrap_or_default();
            self.process(process.pid.unwrap_or(0), name, Source::Tree);
        }
    }

    pub(crate) fn rename(&mut self, task: &GenericRename) {
        self.thread(task.tid.unwrap_or(0), &lossy(task.name.as_deref()), Source::Kernel);
    }

    pub(crate) fn task(&mut self, task: &GenericTask) {
        self.thread(task.tid.unwrap_or(0), &lossy(task.name.as_deref()), Source::Kernel);
    }

    /// Takes the names of an event of the kernel.
    pub(crate) fn event(&mut self, event: &Event) {
        /// Of a new task: it is a thread of the process of the one that made it.
        const THREAD: i64 = 0x10000;
        let (pid, name) = match event.kind {
            Event::SCHED_SWITCH => {
                self.thread(event.number(2), &event.text(1), Source::Kernel);
                (6, 5)
            }
            Event::SCHED_WAKING | Event::SCHED_WAKEUP | Event::SCHED_WAKEUP_NEW => (2, 1),
            Event::TASK_RENAME => (1, 3),
            Event::TASK_NEWTASK => {
                let (maker, tid) = (i64::from(event.pid), event.number(1));
                let of_maker = self.threads.get(&maker).map_or(0, |thread| thread.process);
                let process = if event.number(3) & THREAD == 0 { tid } else { of_maker };
                if self.threads.get(&tid).is_none_or(|thread| thread.process == 0) {
                    self.belongs(tid, process);
                }
                (1, 2)
            }
            _ => return,
        };
        self.thread(event.number(pid), &event.text(name), Source::Kernel);
    }

    pub(crate) fn compact(&mut self, compact: &Compact) {
        let texts: Vec<_> = compact.names.iter().map(|name| String::from_utf8_lossy(name)).collect();
        for (pids, names) in
            [(&compact.next_pid, &compact.next_name), (&compact.woken_pid, &compact.woken_name)]
        {
            for (pid, row) in pids.iter().zip(names) {
                let name = texts.get(*row as usize).map_or("", |name| name);
                self.thread(i64::from(*pid), name, Source::Kernel);
            }
        }
    }
}

impl ThreadNames for Names {
    fn of(&self, tid: i64) -> (String, &str) {
        Self::of(self, tid)
    }
}

/// A text that may be broken, or missing.
pub(crate) fn lossy(bytes: Option<&[u8]>) -> String {
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}
