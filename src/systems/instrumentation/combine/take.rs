//! Records are taken as they stand in the buffers, gathered, and given to what attaches them.

use super::attach::{Attached, Found, Load};
use super::batch::Gather;
use super::{Access, Beside, Combined, Event, Item, Lookup, Rules, Tell};
use crate::base::map::Map;
use crate::base::order;
use std::sync::Arc;

/// Takes records.
pub(crate) struct Attaching {
    rules: Arc<Rules>,
    /// Slots by the number of a thread.
    lookup: Arc<Lookup>,
    /// Records of each type as they come.
    gathered: Vec<Gathered>,
    /// Those that are looked at next.
    load: Load,
    attached: Beside<Attached, Load>,
    /// Records of threads that ran nothing, by type and thread: how many, and the first.
    extra: Map<(usize, u32), (u64, u32)>,
    /// What is wrong and was not told yet.
    events: Vec<Event>,
}

/// Records of a type as they come: those that have the addresses of all lanes are apart.
#[derive(Default)]
struct Gathered {
    plain: Gather<Item>,
    with_access: Gather<(Item, Access)>,
}

impl Attaching {
    pub(super) fn new(
        rules: Arc<Rules>,
        lookup: Lookup,
        found: Found,
        order: (usize, bool),
        records: &[Option<u64>],
    ) -> Self {
        let lookup = Arc::new(lookup);
        let attached = Attached::new(rules.clone(), lookup.clone(), found, order, records);
        Self {
            rules,
            lookup,
            gathered: records.iter().map(|_| Gathered::default()).collect(),
            load: Load::default(),
            attached: Beside::new(attached),
            extra: Map::default(),
            events: Vec::new(),
        }
    }

    /// What is known of the program.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether the records of each thread are to be counted first.
    pub(crate) fn is_counting(&mut self) -> bool {
        self.attached.work().is_counting()
    }

    /// Does some milliseconds of work before records are taken; false when they can come.
    pub(crate) fn prepare(&mut self) -> bool {
        self.attached.work().prepare()
    }

    /// Keeps what accesses moved: only where records have the addresses of all lanes.
    pub(crate) fn keep_moved(&mut self) {
        self.attached.work().keep_moved();
    }

    /// Counts a record.
    pub(crate) fn count(&mut self, of: usize, thread: u32) {
        if let Some(slot) = self.lookup.get(thread) {
            self.attached.work().count(of, slot);
        }
    }

    /// All records were counted.
    pub(crate) fn end_counts(&mut self) {
        self.attached.work().end_counts();
    }

    /// Takes the next record of a type; `access` where the type has the addresses of all lanes.
    #[inline]
    pub(crate) fn take(&mut self, of: usize, thread: u32, item: Item, access: Option<Access>) {
        let Some(slot) = self.lookup.get(thread) else { return self.add_extra(of, thread, item.place) };
        let Some(gathered) = self.gathered.get_mut(of) else { return };
        let is_full = match access {
            None => gathered.plain.push(slot, item),
            Some(access) => gathered.with_access.push(slot, (item, access)),
        };
        if is_full {
            self.give(of);
        }
    }

    /// Takes records of threads, of a type without the addresses of lanes.
    #[inline]
    pub(crate) fn take_all(&mut self, of: usize, mut records: impl Iterator<Item = (u32, Item)>) {
        while let Some(gathered) = self.gathered.get_mut(of)
            && let Some((thread, item)) = records.find(|(thread, item)| {
                self.lookup.get(*thread).is_none_or(|slot| gathered.plain.push(slot, *item))
            })
        {
            match self.lookup.get(thread) {
                None => self.add_extra(of, thread, item.place),
                Some(_) => self.give(of),
            }
        }
    }

    #[cold]
    fn add_extra(&mut self, of: usize, thread: u32, place: u32) {
        self.extra.entry((of, thread)).or_insert((0, place)).0 += 1;
    }

    fn give(&mut self, of: usize) {
        let Some(Gathered { plain, with_access }) = self.gathered.get_mut(of) else { return };
        let has_many = plain.has_many() || with_access.has_many();
        self.load.of = of;
        plain.sort(&mut self.load.plain);
        with_access.sort(&mut self.load.with_access);
        self.attached.give(&mut self.load, has_many);
        self.events.append(&mut self.load.events);
    }

    /// Attaches all records that were taken; must come before the end.
    pub(crate) fn settle(&mut self) {
        (0..self.gathered.len()).for_each(|of| self.give(of));
        self.attached.end(|mut load| self.events.append(&mut load.events));
        self.attached.work().add_extra(std::mem::take(&mut self.extra));
    }

    /// What was found wrong since, in the order of places.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        order::sort_by_number(&mut self.events, |event| event.place().map_or(-1, i64::from));
        std::mem::take(&mut self.events)
    }

    /// Does some milliseconds of work after the last record; false when all is done.
    pub(crate) fn end(&mut self, tell: Tell) -> bool {
        self.attached.work().end(tell)
    }

    /// What came of it.
    pub(crate) fn finish(self) -> Combined {
        self.attached.into_work().finish()
    }
}
