//! The fast map and set types of the whole product; the default hasher of std is banned by `clippy.toml`.

use rustc_hash::FxBuildHasher;

/// A hash map with a fast, fixed hasher. Its order is not to be shown: sort before output.
#[allow(clippy::disallowed_types)] // the one place that names the std type
pub type Map<K, V> = std::collections::HashMap<K, V, FxBuildHasher>;

/// A hash set with a fast, fixed hasher. Its order is not to be shown: sort before output.
#[allow(clippy::disallowed_types)] // the one place that names the std type
pub type Set<K> = std::collections::HashSet<K, FxBuildHasher>;
