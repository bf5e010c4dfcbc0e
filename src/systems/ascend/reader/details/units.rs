//! What pipes did and moved, unit by unit. Figures show sums over all units; those of two profiles compare only over units
//! that both have.

use super::pipes::unit_of;
use crate::analysis::compare::units::UnitPart;
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
        let (kind, name) = unit_of(name);
        Self { kind: kind.name(), pipe, part: UnitPart { unit: hash(&(block, name)), value, of } }
    }
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
    /// Takes what a figure is the sum of; what was there before gives way.
    pub(crate) fn take(&mut self, id: &str, parts: Vec<OfUnit>) {
        self.pipes.retain(|(known, _)| known != id);
        self.pipes.push((id.to_owned(), parts));
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
