//! Names of the numbers in records of memory accesses.

use crate::base::map::Map;
use crate::base::words::phrase;
use crate::model::access::{AccessKind, Accesses, OPERATION, SPACE, UNIT};

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
    class_of: Map<[u8; 4], (u32, AccessKind)>,
    last: Option<([u8; 4], u32, AccessKind)>,
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
    /// The row of the class that the first four bytes of a record mean, and the numbers among them that are met for the first time and have
    /// no name.
    #[inline]
    pub(super) fn class(
        &mut self,
        key: [u8; 4],
        group: &str,
        accesses: &mut Accesses,
    ) -> (u32, AccessKind, Vec<Unknown>) {
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
    ) -> (u32, AccessKind, Vec<Unknown>) {
        let [operation, core, space, block] = key;
        let (operation_name, kind) = match KINDS.get(usize::from(operation)) {
            Some((name, kind)) => ((*name).to_owned(), *kind),
            None => (format!("type {operation}"), AccessKind::Other),
        };
        let signed = space.cast_signed();
        let space_name = match SPACES.get(usize::from(space)) {
            Some(name) => (*name).to_owned(),
            None if signed == -1 => "INVALID".to_owned(),
            None => format!("space {signed}"),
        };
        let core = format!("core{}", core.cast_signed());
        let name = if group.is_empty() { core } else { format!("{group} / {core}") };
        let unit_kind = BLOCKS.get(usize::from(block));
        let unit_kind = unit_kind.map_or_else(|| format!("type {block}"), |name| (*name).to_owned());
        let kind_of_unit = accesses.attribute_number("kind", phrase("Core type"), true);
        let values = [
            (OPERATION, &*operation_name),
            (UNIT, &*name),
            (SPACE, &*space_name),
            (kind_of_unit, &*unit_kind),
        ];
        let class = accesses.class_row(values, kind);
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
