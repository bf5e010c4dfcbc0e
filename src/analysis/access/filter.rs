//! Which accesses are looked at, by what they have in common.

use crate::model::access::{AccessKind, Accesses, Class};

/// What an access counts as: read, written, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Read.
    Load,
    /// Written.
    Store,
    /// Allocated, freed, copied, both at once, unknown.
    Other,
}

/// How many sides there are.
pub const SIDES: usize = 3;

/// What an operation counts as.
pub fn side_of(kind: AccessKind) -> Side {
    match kind {
        AccessKind::Load => Side::Load,
        AccessKind::Store => Side::Store,
        _ => Side::Other,
    }
}

/// Only accesses of these names; `None` lets all through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Name of the unit.
    pub unit: Option<String>,
    /// Kind of the unit.
    pub unit_kind: Option<String>,
    /// Name of the operation.
    pub operation: Option<String>,
    /// Name of the address space.
    pub space: Option<String>,
}

/// For each class what it counts as; `None` when it is filtered out.
pub struct Sides(Vec<Option<Side>>);

impl Sides {
    /// What an access of a class counts as.
    #[inline]
    pub fn get(&self, class: u32) -> Option<Side> {
        self.0.get(class as usize).copied().flatten()
    }
}

impl Filter {
    /// What the classes count as.
    pub fn sides(&self, accesses: &Accesses) -> Sides {
        let side = |class: &Class| {
            let operation = accesses.operation(*class)?;
            self.lets(accesses, *class).then(|| side_of(operation.kind))
        };
        Sides(accesses.classes().iter().map(side).collect())
    }

    /// The address spaces of what comes through.
    pub fn spaces(&self, accesses: &Accesses) -> Vec<u8> {
        let mut seen = [false; 256];
        for class in accesses.classes().iter().filter(|class| self.lets(accesses, **class)) {
            seen[usize::from(class.space)] = true;
        }
        (0..=255_u8).filter(|space| seen[usize::from(*space)]).collect()
    }

    fn lets(&self, accesses: &Accesses, class: Class) -> bool {
        let is = |wanted: &Option<String>, name: Option<&String>| wanted.is_none() || wanted.as_ref() == name;
        let unit = accesses.units().get(class.unit as usize);
        is(&self.unit, unit.map(|u| &u.name))
            && is(&self.unit_kind, unit.map(|u| &u.kind))
            && is(&self.operation, accesses.operation(class).map(|o| &o.name))
            && is(&self.space, accesses.spaces().get(usize::from(class.space)))
    }
}
