//! Lists of processes in systrace HTML, which name processes and threads.
//!
//! ```text
//! PROCESS DUMP
//! USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME             COMM
//! system         756     1   18956   2244 SyS_epoll_wait 5327b0 S android.hardware.neuralnetworks@1.0-service neuralnetworks@
//! USER           PID   TID CMD
//! system         756   790 HwBinder:756_2
//! ```

/// Where the list stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dump {
    /// Not in a list.
    #[default]
    Outside,
    /// In a list, before its first head.
    Begun,
    /// Rows of processes.
    Processes,
    /// Rows of threads.
    Threads,
}

/// What a line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named<'a> {
    /// Number of the process.
    pub(super) process: &'a str,
    /// Number of the thread: that of the process for the process itself.
    pub(super) thread: &'a str,
    /// The name.
    pub(super) name: &'a str,
    /// Whether the name is that of the process, not only of its first thread.
    pub(super) is_process: bool,
}

impl Dump {
    /// Takes a line that is no row of the trace.
    pub(super) fn line<'a>(&mut self, line: &'a [u8]) -> Option<Named<'a>> {
        let text = || std::str::from_utf8(line).ok().map(str::trim);
        if *self == Self::Outside {
            if line.trim_ascii() == b"PROCESS DUMP" {
                *self = Self::Begun;
            }
            return None;
        }
        let text = text()?;
        if text.contains("</script>") {
            *self = Self::Outside;
            return None;
        }
        let mut words = text.split_ascii_whitespace();
        if words.next() == Some("USER") {
            *self = if words.nth(1) == Some("TID") { Self::Threads } else { Self::Processes };
            return None;
        }
        let process = words.next().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit()))?;
        match self {
            Self::Processes => {
                let name = words.nth(6)?;
                Some(Named { process, thread: process, name, is_process: true })
            }
            Self::Threads => {
                let thread = words.next().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit()))?;
                Some(Named { process, thread, name: behind_words(text, 3)?, is_process: false })
            }
            _ => None,
        }
    }
}

/// What follows so many words.
fn behind_words(text: &str, n: usize) -> Option<&str> {
    (0..n).try_fold(text, |rest, _| {
        let end = rest.find(|c: char| c.is_ascii_whitespace())?;
        Some(rest.get(end..)?.trim_start())
    })
}
