//! Events of the kernel: what programs wrote with them, what ran on the processors, and their counters.

mod kernel;
pub mod rows;

pub(crate) use kernel::Kernel;
pub(crate) use rows::{Rows, mark_of};

use super::packet::fields::{Fields, Value};
use crate::base::map::Map;
use crate::systems::perfetto::lossy;
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
    pub(crate) const BINDER_RETURN: u64 = 486;

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

// What kernel events and their fields are called: as the file itself describes them, else by a table of those that
// Perfetto numbers.
//
// ```text
// number  name           fields from 1 on; `-` where there is none, `+` behind those of 64 bits without a sign
// 45      block_rq_issue dev+ sector+ nr_sector bytes rwbs comm cmd
// ```
// Source: names and numbers of `protos/perfetto/trace/ftrace` of the Perfetto project, which are those of the kernel's
// `events/*/format`.

/// All events with their fields, a line each.
pub const TABLE: &str = include_str!("events.tsv");

/// The event that names itself and its fields.
const GENERIC: u64 = 327;

/// A field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: Cow<'static, str>,
    /// Whether its numbers have no sign.
    pub(crate) is_unsigned: bool,
}

/// Events that a file describes itself, by their numbers; kept with the trace, as arguments are read when somebody asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Described(Map<u64, (String, Map<u64, Named>)>);

impl Described {
    /// Learns `GenericEventDescriptor`: a number, and a description of the message.
    pub(crate) fn learn(&mut self, bytes: &[u8]) {
        let (mut number, mut name, mut fields) = (0, String::new(), Map::default());
        for (field, value) in Fields::of(bytes) {
            match field {
                1 => number = value.number(),
                2 => {
                    for (field, value) in Fields::of(value.bytes()) {
                        match field {
                            1 => name = lossy(Some(value.bytes())),
                            2 => fields.extend(described(value.bytes())),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        if number != 0 && !name.is_empty() {
            self.0.insert(number, (name, fields));
        }
    }

    /// Takes what another pass over the same trace learned.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether each event of this kind says what it is called.
    pub(crate) fn names_itself(event: &Event) -> bool {
        event.kind == GENERIC
    }

    /// What an event is called; its number when nobody says it.
    pub(crate) fn name(&self, event: &Event) -> String {
        if let Some((name, _)) = self.0.get(&event.kind) {
            return name.clone();
        }
        let own = if event.kind == GENERIC { event.text(1) } else { Cow::Borrowed("") };
        match (own.is_empty(), line(event.kind)) {
            (false, _) => own.into_owned(),
            (true, Some((name, _))) => name.to_owned(),
            (true, None) => event.kind.to_string(),
        }
    }

    /// What a field of an event is called; `None` when nobody says it.
    pub(crate) fn field(&self, event: u64, field: u64) -> Option<Named> {
        if let Some((_, fields)) = self.0.get(&event) {
            return fields.get(&field).cloned();
        }
        let at = usize::try_from(field).ok()?.checked_sub(1)?;
        let word = line(event)?.1.split(' ').nth(at).filter(|word| !matches!(*word, "" | "-"))?;
        let name = word.trim_end_matches('+');
        Some(Named { name: name.into(), is_unsigned: name != word })
    }
}

/// Names and values of an event that names its fields itself; `None` for others.
pub(crate) fn generic(event: &Event) -> Option<Vec<(String, String)>> {
    let fields = Fields::of(event.body).filter(|(field, _)| *field == 2);
    let args = fields.map(|(_, field)| {
        let (mut name, mut text) = (String::new(), String::new());
        for (number, value) in Fields::of(field.bytes()) {
            match (number, value) {
                (1, Value::Bytes(bytes)) => name = lossy(Some(bytes)),
                (3, Value::Bytes(bytes)) => text = lossy(Some(bytes)),
                (4, value) => text = value.number().cast_signed().to_string(),
                (5, value) => text = value.number().to_string(),
                _ => {}
            }
        }
        (name, text)
    });
    (event.kind == GENERIC).then(|| args.collect())
}

/// Number and name of a field in a description.
fn described(bytes: &[u8]) -> Option<(u64, Named)> {
    /// Types without a sign: of 64 and 32 bits, of any length and of a fixed one.
    const UNSIGNED: [u64; 4] = [4, 6, 7, 13];
    let (mut number, mut name, mut kind) = (None, String::new(), 0);
    for (field, value) in Fields::of(bytes) {
        match field {
            1 => name = lossy(Some(value.bytes())),
            3 => number = Some(value.number()),
            5 => kind = value.number(),
            _ => {}
        }
    }
    Some((number?, Named { name: name.into(), is_unsigned: UNSIGNED.contains(&kind) }))
}

/// Name and fields of an event in the table.
fn line(event: u64) -> Option<(&'static str, &'static str)> {
    let number = event.to_string();
    let rest = TABLE.lines().find_map(|line| line.strip_prefix(&*number)?.strip_prefix('\t'))?;
    Some(rest.split_once('\t').unwrap_or((rest, "")))
}
