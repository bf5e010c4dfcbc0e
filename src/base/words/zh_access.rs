//! Memory accesses, in Chinese.

use super::Table;

/// Sorted by the English bytes.
pub(super) const TABLE: Table = &[("Accesses", "访存")];
