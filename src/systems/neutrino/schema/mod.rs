//! What the maps of result files hold: from `probe.toml`, else from the reader that the tool generated, else from levels
//! and sizes in `kernel.info`, else guessed.

mod python;
mod roles;
mod tables;

pub(super) use python::of_reader;
pub(super) use tables::of_toml;

use super::folder::{Probe, SchemaSource};
use super::result::{Field, MapDef, Role};

/// What was found, and what said it.
#[derive(Default)]
pub(super) struct Schema {
    /// The maps in the order of sections.
    pub(super) maps: Vec<MapDef>,
    /// The probes.
    pub(super) probes: Vec<Probe>,
    /// What said it.
    pub(super) source: SchemaSource,
}

/// Fields of these names and bytes, one behind the other as they are given.
fn fields<'a>(named: impl IntoIterator<Item = (&'a str, u8)>) -> Vec<Field> {
    let mut at = 0;
    let place = |(name, width): (&str, u8)| {
        let field = Field { name: name.to_owned(), width, at, role: Role::Other };
        at += u32::from(width);
        field
    };
    named.into_iter().map(place).collect()
}

/// A map whose fields nobody names: for units of this many bytes. The most common shapes of the tool's own probes.
pub(super) fn guessed(name: String, is_warp: bool, bytes: u64) -> MapDef {
    let named: &[(&str, u8)] = match bytes {
        16 if is_warp => &[("start", 8), ("elapsed", 4), ("sm", 4)],
        n if n.is_multiple_of(16) => &[("value 0", 8), ("value 1", 8)],
        n if n.is_multiple_of(8) => &[("value", 8)],
        _ => &[("value", 4)],
    };
    let mut map = MapDef { name, is_warp, fields: fields(named.iter().copied()), cap: None };
    roles::by_name(&mut map);
    map
}

/// Maps of the levels and bytes of a `kernel.info`.
pub(super) fn of_kernel_info(levels: &[(bool, i64)]) -> Schema {
    let map = |(i, (is_warp, bytes)): (usize, &(bool, i64))| {
        guessed(format!("map {i}"), *is_warp, u64::try_from(*bytes).unwrap_or(16))
    };
    let maps = levels.iter().enumerate().map(map).collect();
    Schema { maps, probes: Vec::new(), source: SchemaSource::KernelInfo }
}
