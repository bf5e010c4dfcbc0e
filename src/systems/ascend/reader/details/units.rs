//! What pipes did and moved, unit by unit. Figures show sums over all units; those of two profiles compare only over units
//! that both have.

use super::pipes::unit_of;
use crate::analysis::compare::units::{Follows, RowUnits, UnitPart};
use crate::base::map::hash;

/// What one pipe of one unit did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfUnit {
    /// `cube`, `vector` or `core`.
    pub(crate) kind: &'static str,
    pub(crate) pipe: &'static str,
    pub(crate) part: UnitPart,
}

impl OfUnit {
    /// Of a unit of a block by its name in the files.
    pub(crate) fn new((block, name): (&str, &str), pipe: &'static str, (value, of): (f64, f64)) -> Self {
        let (kind, _) = unit_of(name);
        Self { kind: kind.name(), pipe, part: UnitPart { unit: unit_key(block, name), value, of } }
    }
}

/// What parts call a unit of a block, by its name in the files.
pub(crate) fn unit_key(block: &str, name: &str) -> u64 {
    hash(&(block, unit_of(name).1))
}

/// The rows of a table of pipes that these are the parts of, with the cells that follow from them.
pub(super) fn rows(parts: &[OfUnit], cells: &[(&'static str, Follows)]) -> Vec<RowUnits> {
    let mut rows: Vec<RowUnits> = Vec::new();
    for own in parts {
        let row = [own.kind, own.pipe].map(str::to_owned).to_vec();
        match rows.iter_mut().find(|known| known.row == row) {
            Some(known) => known.parts.push(own.part),
            None => rows.push(RowUnits { variant: 0, row, cells: cells.to_vec(), parts: vec![own.part] }),
        }
    }
    rows
}

/// All of them. Kept in `Trace::extensions`.
#[derive(Default)]
pub(crate) struct UnitParts {
    /// By the id of the figure that shows their sums: active cycles, and those that they are of.
    pub(crate) pipes: Vec<(String, Vec<OfUnit>)>,
    /// Bytes and instructions of the pipes that move.
    pub(crate) moves: Vec<OfUnit>,
}

impl UnitParts {
    /// Takes what a figure is the sum of. Those of the same figure that were there before give way; where another file has a
    /// figure of that id, nothing is told of either.
    pub(crate) fn take(&mut self, id: &str, parts: Vec<OfUnit>, is_new: bool) {
        match self.pipes.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) if is_new => known.clear(),
            Some((_, known)) => *known = parts,
            None => self.pipes.push((id.to_owned(), parts)),
        }
    }

    /// What a row of such a figure is the sum of.
    pub(crate) fn of_pipe(&self, id: &str, kind: &str, pipe: &str) -> Vec<UnitPart> {
        let own = self.pipes.iter().filter(|(known, _)| known == id).flat_map(|(_, parts)| parts);
        own.filter(|own| own.kind == kind && own.pipe == pipe).map(|own| own.part).collect()
    }

    /// What bytes for each instruction of a pipe are the quotient of; of one kind of core, or with an empty name of all.
    pub(crate) fn moved(&self, kind: &str, pipe: &str) -> Vec<UnitPart> {
        let own = self.moves.iter().filter(|own| own.pipe == pipe && (kind.is_empty() || own.kind == kind));
        own.map(|own| own.part).collect()
    }
}
