//! SET and WAIT events of operator traces: begins and ends paired by their id alone, over all lanes, in any order.
//!
//! `SET_FLAG` and `set_event` are one table, `WAIT_FLAG` and `wait_event` another. Of several begins with one id the
//! first is closed first. A slice has everything of its begin. Source: spec of the format, 4.3.

use super::pairs::{Begin, End};
use crate::base::map::Map;
use crate::base::order;
use crate::model::id::StrId;
use std::collections::VecDeque;

/// Which table an event belongs to, by its name; `None` for every other name.
pub(in crate::systems::trace_event) fn table(name: &[u8]) -> Option<Table> {
    match name {
        b"SET_FLAG" | b"set_event" => Some(Table::Set),
        b"WAIT_FLAG" | b"wait_event" => Some(Table::Wait),
        _ => None,
    }
}

/// The two kinds of events that are paired.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::systems::trace_event) enum Table {
    /// Something was made ready.
    Set,
    /// Someone waited for it.
    Wait,
}

/// Halves that wait for the other half.
#[derive(Default)]
pub(in crate::systems::trace_event) struct Flags {
    begins: Map<(Table, StrId), VecDeque<Begin>>,
    ends: Map<(Table, StrId), VecDeque<End>>,
}

impl Flags {
    /// A begin; the pair when its end was seen before.
    pub(in crate::systems::trace_event) fn begin(
        &mut self,
        key: (Table, StrId),
        begin: Begin,
    ) -> Option<(Begin, End)> {
        if let Some(end) = take(&mut self.ends, key) {
            return Some((begin, end));
        }
        self.begins.entry(key).or_default().push_back(begin);
        None
    }

    /// An end; the pair when its begin was seen before.
    pub(in crate::systems::trace_event) fn end(
        &mut self,
        key: (Table, StrId),
        end: End,
    ) -> Option<(Begin, End)> {
        if let Some(begin) = take(&mut self.begins, key) {
            return Some((begin, end));
        }
        self.ends.entry(key).or_default().push_back(end);
        None
    }

    /// Halves without the other half, in the order of the file.
    pub(in crate::systems::trace_event) fn finish(&mut self) -> (Vec<Begin>, Vec<End>) {
        let mut begins: Vec<Begin> = std::mem::take(&mut self.begins).into_values().flatten().collect();
        let mut ends: Vec<End> = std::mem::take(&mut self.ends).into_values().flatten().collect();
        order::sort_by_key(&mut begins, |b| b.event);
        order::sort_by_key(&mut ends, |e| e.event);
        (begins, ends)
    }
}

fn take<T>(map: &mut Map<(Table, StrId), VecDeque<T>>, key: (Table, StrId)) -> Option<T> {
    let queue = map.get_mut(&key)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        map.remove(&key);
    }
    first
}
