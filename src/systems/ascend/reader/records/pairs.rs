//! Pairs of MALLOC and FREE: allocations, and which half is missing.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::access::{AccessKind, Class, Region};
use crate::systems::ascend::reader::field::Within;

/// Allocations at one address that are looked through for the one of the same unit.
const LOOKED_THROUGH: usize = 64;

/// Allocations that are alive, and halves without the other.
#[derive(Default)]
pub(super) struct Pairs {
    /// Regions that are alive, by space and address: the place of the record and the row of the region.
    alive: Map<(u32, u64), Vec<(u64, usize)>>,
    /// How many FREE have no MALLOC, and the byte of the first.
    orphans: (u64, u64),
}

impl Pairs {
    /// Takes a record that begins or ends an allocation; `at` is its byte in the file.
    pub(super) fn take(
        &mut self,
        kind: AccessKind,
        row: u32,
        class: u32,
        (start, bytes): (u64, u64),
        at: u64,
        sink: &mut Sink,
    ) {
        let accesses = &mut sink.builder.head().accesses;
        let space = accesses.classes().get(class as usize).map_or(u32::MAX, Class::space);
        let alive = self.alive.entry((space, start)).or_default();
        if kind == AccessKind::Alloc {
            alive.push((at, accesses.regions.len()));
            accesses.regions.push(Region {
                name: String::new(),
                start,
                end: start.saturating_add(bytes),
                space,
                maker: Some(class),
                rows: row..u32::MAX,
            });
            return;
        }
        let own = |(_, region): &(u64, usize)| {
            let maker = accesses.regions.get(*region).and_then(|region| region.maker);
            maker.is_some_and(|maker| accesses.is_same_unit(maker, class))
        };
        let n = alive.len();
        let of_unit = alive.iter().rev().take(LOOKED_THROUGH).position(own).map(|from_end| n - 1 - from_end);
        // What another unit allocated may be freed here: the memory may be shared.
        match of_unit.or(n.checked_sub(1)).map(|i| alive.remove(i)) {
            Some((_, region)) => {
                if let Some(region) = accesses.regions.get_mut(region) {
                    region.rows.end = row.saturating_add(1);
                }
            }
            None => {
                let first = if self.orphans.0 == 0 { at } else { self.orphans.1 };
                self.orphans = (self.orphans.0 + 1, first);
            }
        }
    }

    /// Says which halves are missing.
    pub(super) fn finish(self, within: &Within, sink: &mut Sink) {
        let open = self.alive.values().flatten().map(|(at, _)| *at);
        let (n, first) = open.fold((0, u64::MAX), |(n, first), at| (n + 1, first.min(at)));
        let mut say = |(n, first): (u64, u64), what: &'static str, note: &'static str| {
            if 0 < n {
                let place = Place::byte(&*within.entry, first).block(within.block.clone());
                let kind = Kind::Problem(message(what).with("n", n));
                sink.fault(Fault::new("ASC-PAIR", Severity::Note, place, kind).note(note));
            }
        };
        let never = phrase("allocations never freed: {n}");
        say((n, first), never, "They are shown as live to the end.");
        say(self.orphans, phrase("frees without an allocation: {n}"), "");
    }
}
