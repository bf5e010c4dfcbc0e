//! Names of the numbers in records of memory accesses.

use crate::base::map::Map;
use crate::model::access::{AccessKind, AccessUnit, Accesses, Class};

const KINDS: [(&str, AccessKind); 7] = [
    ("MALLOC", AccessKind::Alloc),
    ("FREE", AccessKind::Free),
    ("MEMCPY_BLOCKS", AccessKind::Copy),
    ("LOAD", AccessKind::Load),
    ("STORE", AccessKind::Store),
    ("GM_ADDR_OUT_OF_BOUND", AccessKind::Other),
    ("INVALID", AccessKind::Other),
];
const SPACES: [&str; 9] = ["PRIVATE", "GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"];
const BLOCKS: [&str; 3] = ["AIVEC", "AICUBE", "AICORE"];

/// What was met so far.
#[derive(Default)]
pub(super) struct Names {
    class_of: Map<[u8; 4], (Class, AccessKind)>,
    last: Option<([u8; 4], Class, AccessKind)>,
    said: Vec<(&'static str, i16)>,
}

/// A number without a name.
pub(super) struct Unknown {
    /// What is numbered.
    pub(super) what: &'static str,
    /// The number.
    pub(super) number: i16,
    /// Where it stands in the record.
    pub(super) offset: u64,
}

impl Names {
    /// What the first four bytes of a record mean, and the numbers among them that are met for the first time and have
    /// no name.
    #[inline]
    pub(super) fn class(
        &mut self,
        key: [u8; 4],
        group: &str,
        accesses: &mut Accesses,
    ) -> (Class, AccessKind, Vec<Unknown>) {
        if let Some((last, class, kind)) = self.last
            && last == key
        {
            return (class, kind, Vec::new());
        }
        let Some(&(class, kind)) = self.class_of.get(&key) else {
            return self.new_class(key, group, accesses);
        };
        self.last = Some((key, class, kind));
        (class, kind, Vec::new())
    }

    fn new_class(
        &mut self,
        key: [u8; 4],
        group: &str,
        accesses: &mut Accesses,
    ) -> (Class, AccessKind, Vec<Unknown>) {
        let [operation, core, space, block] = key;
        let (name, kind) = match KINDS.get(usize::from(operation)) {
            Some((name, kind)) => ((*name).to_owned(), *kind),
            None => (format!("type {operation}"), AccessKind::Other),
        };
        let operation_row = accesses.operation_row(&name, kind);
        let signed = space.cast_signed();
        let space_row = match SPACES.get(usize::from(space)) {
            Some(name) => accesses.space_row(name),
            None if signed == -1 => accesses.space_row("INVALID"),
            None => accesses.space_row(&format!("space {signed}")),
        };
        let core = format!("core{}", core.cast_signed());
        let name = if group.is_empty() { core } else { format!("{group} / {core}") };
        let unit_kind = BLOCKS.get(usize::from(block));
        let unit_kind = unit_kind.map_or_else(|| format!("type {block}"), |name| (*name).to_owned());
        let unit = accesses.unit_row(AccessUnit { name, kind: unit_kind });
        let class = Class { unit, operation: operation_row, space: space_row };
        self.class_of.insert(key, (class, kind));
        self.last = Some((key, class, kind));
        let numbers = [
            ("type", i16::from(operation), usize::from(operation) < KINDS.len(), 0),
            ("space", i16::from(signed), usize::from(space) < SPACES.len() || signed == -1, 2),
            ("block type", i16::from(block), usize::from(block) < BLOCKS.len(), 3),
        ];
        let mut unknown = Vec::new();
        for (what, number, is_known, offset) in numbers {
            if !is_known && !self.said.contains(&(what, number)) {
                self.said.push((what, number));
                unknown.push(Unknown { what, number, offset });
            }
        }
        (class, kind, unknown)
    }
}
