//! The fast map and set types of the whole product; the default hasher of std is banned by `clippy.toml`.

use rustc_hash::FxBuildHasher;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash};

/// A hash map with a fast, fixed hasher. Its order is not to be shown: sort before output.
#[allow(clippy::disallowed_types)] // the one place that names the std type
pub type Map<K, V> = std::collections::HashMap<K, V, FxBuildHasher>;

/// A hash set with a fast, fixed hasher. Its order is not to be shown: sort before output.
#[allow(clippy::disallowed_types)] // the one place that names the std type
pub type Set<K> = std::collections::HashSet<K, FxBuildHasher>;

/// An ordered map or set of these, put in one by one: where std collects one, it compiles a sort for every source of
/// entries.
pub fn ordered<E, M: Default + Extend<E>>(entries: impl IntoIterator<Item = E>) -> M {
    let mut map = M::default();
    map.extend(entries);
    map
}

/// A number for a value: the same in every program, and another one for another value as good as always.
pub fn hash(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// A map for millions of entries, in parts: a map that doubles its room takes all its entries there at once, which takes a
/// tenth of a second. No part has more than an eighth of the entries, and all have different shares, so that they
/// do not double at the same time.
pub struct Parts<K, V>(Box<[Map<K, V>; 1 << LOG]>);

/// How many parts there are, as a power of two.
const LOG: u32 = 6;

impl<K, V> Default for Parts<K, V> {
    fn default() -> Self {
        Self(Box::new(std::array::from_fn(|_| Map::default())))
    }
}

impl<K: Hash + Eq, V> Parts<K, V> {
    /// The part of a key, by bits of its hash that the maps look at last.
    fn part(key: &K) -> usize {
        let share = (FxBuildHasher.hash_one(key) >> 24) & 0xFFFF;
        ((share * share) >> (32 - LOG)) as usize
    }

    /// The place of a key, which may be empty.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        self.0[Self::part(&key)].entry(key)
    }

    /// What stands at a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0[Self::part(key)].get(key)
    }

    /// Puts something at a key; what stood there.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0[Self::part(&key)].insert(key, value)
    }

    /// How many entries there is room for, part by part.
    pub fn capacities(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(Map::capacity)
    }
}
