//! What rows of code wait for.

use crate::analysis::code::CodeCache;
use crate::base::order;
use crate::model::code::{Cells, Code};
use crate::model::id::ListingId;
use crate::views::code::messages as wire;
use crate::views::code::scene::stall_hues;

/// What these rows wait for together, by the first stacked column that any of them has, and its name.
pub(crate) fn stalls(
    code: &Code,
    cache: &mut CodeCache,
    rows: &[(ListingId, Vec<u32>)],
    core: u16,
) -> (Vec<wire::Stall>, String) {
    for (id, rows) in rows {
        let Some(listing) = code.listings.get(id.index()) else { continue };
        for (i, column) in listing.columns.iter().enumerate() {
            if !matches!(column.cells, Cells::Parts { .. }) {
                continue;
            }
            let mut by_name: Vec<(String, f64)> = Vec::new();
            for parts in rows.iter().filter_map(|&r| column.cells.parts(r as usize, usize::from(core))) {
                for (name, count) in parts.parts.iter().filter(|(_, n)| 0.0 < *n) {
                    match by_name.iter_mut().find(|(n, _)| n == name) {
                        Some((_, sum)) => *sum += count,
                        None => by_name.push((name.clone(), *count)),
                    }
                }
            }
            let total: f64 = by_name.iter().map(|(_, n)| n).sum();
            if total <= 0.0 {
                continue;
            }
            order::sort_by(&mut by_name, |a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let summary = cache.column(code, *id, i as u16, core).unwrap_or_default();
            let hues = stall_hues(&summary.reasons);
            let stall = |(name, count): (String, f64)| {
                let color = hues.get(name.as_str()).copied().unwrap_or(9);
                wire::Stall { name, count, share: count / total, color }
            };
            return (by_name.into_iter().map(stall).collect(), column.name.clone());
        }
    }
    (Vec::new(), String::new())
}
