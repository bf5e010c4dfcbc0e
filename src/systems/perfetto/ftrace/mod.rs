//! Events of the kernel: what programs wrote with them, what ran on the processors, and their counters.

mod kernel;
pub mod rows;
pub mod table;

pub(crate) use kernel::Kernel;
pub(crate) use rows::{Rows, mark_of};
pub(crate) use table::{Described, generic};

use super::packet::fields::{Fields, Value};
use std::borrow::Cow;

/// `FtraceEvent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    /// In nanoseconds.
    pub(crate) time: u64,
    /// Number of the thread.
    pub(crate) pid: u32,
    /// Number of the field that says what happened.
    pub(crate) kind: u64,
    /// Its fields.
    pub(crate) body: &'a [u8],
}

impl<'a> Event<'a> {
    pub(crate) const PRINT: u64 = 3;
    pub(crate) const SCHED_SWITCH: u64 = 4;
    pub(crate) const SCHED_WAKEUP: u64 = 17;
    pub(crate) const BLOCKED_REASON: u64 = 18;
    pub(crate) const SCHED_WAKING: u64 = 20;
    pub(crate) const BINDER_TRANSACTION: u64 = 50;
    pub(crate) const BINDER_RECEIVED: u64 = 51;
    pub(crate) const SCHED_WAKEUP_NEW: u64 = 114;
    pub(crate) const TASK_NEWTASK: u64 = 235;
    pub(crate) const TASK_RENAME: u64 = 236;

    /// Reads the outer fields of an event, or says what is wrong with them.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut event = Self { time: 0, pid: 0, kind: 0, body: &[] };
        let mut fields = Fields::of(bytes);
        for (number, value) in &mut fields {
            match (number, value) {
                (1, Value::Number(time)) => event.time = time,
                (2, Value::Number(pid)) => event.pid = u32::try_from(pid).unwrap_or(0),
                (1 | 2, _) => {
                    return Err(format!("invalid wire type of field {number} of an event"));
                }
                (_, Value::Number(_) | Value::Fixed(_)) => {}
                (kind, Value::Bytes(body)) => (event.kind, event.body) = (kind, body),
            }
        }
        if fields.rest().is_empty() { Ok(event) } else { Err("a broken event".to_owned()) }
    }

    /// A number of what happened; 0 when it is not said.
    pub(crate) fn number(&self, field: u64) -> i64 {
        let found = Fields::of(self.body).find(|(number, _)| *number == field);
        found.map_or(0, |(_, value)| value.number().cast_signed())
    }

    /// Bytes of what happened; empty when they are not said.
    pub(crate) fn bytes(&self, field: u64) -> &'a [u8] {
        let found = Fields::of(self.body).find(|(number, _)| *number == field);
        found.map_or(&[], |(_, value)| value.bytes())
    }

    /// A text of what happened; empty when it is not said.
    pub(crate) fn text(&self, field: u64) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes(field))
    }
}
