//! Which accesses are looked at, and which of them have one color, by what they have in common.

use crate::base::order;
use crate::model::access::{AccessKind, Accesses, Class};
use serde::{Deserialize, Serialize};

/// What an access counts as: read, written, or anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    Load,
    Store,
    /// Allocated, freed, copied, both at once, unknown.
    #[default]
    Other,
}

/// All sides, by their numbers.
pub const SIDES: [Side; 3] = [Side::Load, Side::Store, Side::Other];

/// Most groups that have colors; what is left of many values is the last of them.
const MAX_GROUPS: usize = 8;

/// What an operation counts as.
pub fn side_of(kind: AccessKind) -> Side {
    match kind {
        AccessKind::Load => Side::Load,
        AccessKind::Store => Side::Store,
        _ => Side::Other,
    }
}

/// Only accesses with these values; empty lets all through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Id of an attribute and the value that it must have.
    pub values: Vec<(String, String)>,
}

impl Filter {
    /// The value that an attribute must have.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.values.iter().find(|(own, _)| own == id).map(|(_, value)| value.as_str())
    }

    /// Lets an attribute have one value only, or any.
    pub fn set(&mut self, id: &str, value: Option<String>) {
        self.values.retain(|(own, _)| own != id);
        self.values.extend(value.map(|value| (id.to_owned(), value)));
    }

    /// The same with one more condition.
    #[must_use]
    pub fn with(mut self, id: &str, value: &str) -> Self {
        self.set(id, Some(value.to_owned()));
        self
    }

    /// The address spaces of what comes through.
    pub fn spaces(&self, accesses: &Accesses) -> Vec<u32> {
        let classes = accesses.classes().iter().filter(|class| self.lets(accesses, class));
        let mut spaces: Vec<u32> = classes.map(Class::space).collect();
        spaces.sort_unstable();
        spaces.dedup();
        spaces
    }

    fn lets(&self, accesses: &Accesses, class: &Class) -> bool {
        self.values.iter().all(|(id, wanted)| {
            let attribute = accesses.attributes().iter().position(|attribute| attribute.id == *id);
            attribute.is_some_and(|at| accesses.value(class, at) == wanted)
        })
    }
}

/// For each class which group of accesses it belongs to; each group has a color.
pub struct Groups {
    of_class: Vec<Option<u8>>,
    /// Values of the attribute that decides; empty when the groups are the sides.
    names: Vec<String>,
}

impl Groups {
    /// The groups of what a filter lets through: by the values of an attribute, the most frequent first, or by side.
    pub fn new(accesses: &Accesses, filter: &Filter, color: Option<&str>) -> Self {
        let by = accesses.attributes().iter().position(|attribute| Some(attribute.id.as_str()) == color);
        let mut values = by.map_or(Vec::new(), |at| {
            let mut counts = vec![0; accesses.attributes()[at].values().len()];
            for (class, n) in accesses.classes().iter().zip(accesses.class_counts()) {
                if let Some(count) = counts.get_mut(class.get(at) as usize) {
                    *count += n;
                }
            }
            let names = accesses.attributes()[at].values().iter();
            let counts = counts.into_iter().zip(0..).zip(names).filter(|(_, name)| !name.is_empty());
            let mut values: Vec<(u64, u32)> = counts.map(|(pair, _)| pair).collect();
            order::sort_by_key(&mut values, |(n, value)| (std::cmp::Reverse(*n), *value));
            values.into_iter().map(|(_, value)| value).collect::<Vec<_>>()
        });
        values.truncate(MAX_GROUPS - 1);
        let group = |class: &Class| match by {
            Some(at) => {
                let own = values.iter().position(|value| *value == class.get(at));
                own.unwrap_or(values.len()) as u8
            }
            None => side_of(accesses.kind(class)) as u8,
        };
        let of_class =
            accesses.classes().iter().map(|class| filter.lets(accesses, class).then(|| group(class)));
        let name = |value: &u32| accesses.attributes()[by.unwrap_or(0)].value(*value).to_owned();
        Self { of_class: of_class.collect(), names: values.iter().map(name).collect() }
    }

    /// The group of accesses of a class; `None` when it is filtered out.
    #[inline]
    pub fn get(&self, class: u32) -> Option<usize> {
        self.of_class.get(class as usize).copied().flatten().map(usize::from)
    }

    /// How many groups there may be.
    pub fn len(&self) -> usize {
        if self.names.is_empty() { SIDES.len() } else { self.names.len() + 1 }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value that a group stands for; `None` for sides, and for what is left of many values.
    pub fn name(&self, group: usize) -> Option<&str> {
        self.names.get(group).map(String::as_str)
    }

    /// The side that a group is; `None` when values decide.
    pub fn side(&self, group: usize) -> Option<Side> {
        SIDES.get(group).copied().filter(|_| self.names.is_empty())
    }

    /// Whether any access of the file is in a group.
    pub fn occurs(&self, group: usize) -> bool {
        self.of_class.contains(&Some(group as u8))
    }
}
