//! What all slices of a stretch of time add up to in it by name or by track, for another document to be joined with.

use crate::analysis::compare::names::Total;
use crate::analysis::summary::summarize;
use crate::analysis::timeline::chosen_tracks;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Span;
use crate::document::Document;
use crate::wire::timeline::{Totals, TotalsBy};

/// Bytes of names in one answer.
const NAME_BYTES: usize = 600_000;
/// Rows in one answer.
const ROWS: usize = 10_000;

/// Costs the rows of the stretch. What does not fit is left out from the least and counted.
pub(super) fn totals(doc: &Document, span: Option<Span>, by: TotalsBy) -> Totals {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let Some(span) = span.or_else(|| timeline.span(trace)) else { return Totals::default() };
    let tick = trace.clock.nanos().unwrap_or(1.0);
    let tracks = chosen_tracks(trace, &[]);
    let mut rows: Vec<(String, Total)> = Vec::new();
    match by {
        TotalsBy::Name => {
            let summary = summarize(trace, timeline, &tracks, span);
            rows.extend(summary.names.iter().map(|(name, _, sum)| {
                let total = Total { count: sum.n, total: sum.total as f64 * tick };
                (trace.strings.get(*name).to_owned(), total)
            }));
        }
        TotalsBy::Track => {
            let mut places: Map<&str, usize> = Map::default();
            for track in &tracks {
                let sum = summarize(trace, timeline, std::slice::from_ref(track), span).all;
                let name = trace.tracks.find(track.0).map_or("", |t| trace.strings.get(t.name));
                if sum.n == 0 {
                    continue;
                }
                let at = *places.entry(name).or_insert(rows.len());
                if at == rows.len() {
                    rows.push((name.to_owned(), Total::default()));
                }
                if let Some((_, row)) = rows.get_mut(at) {
                    row.count += sum.n;
                    row.total += sum.total as f64 * tick;
                }
            }
        }
    }
    order::sort_by(&mut rows, |a, b| b.1.total.total_cmp(&a.1.total).then_with(|| a.0.cmp(&b.0)));
    let all = rows.len();
    let mut bytes = 0;
    rows.retain(|(name, _)| {
        bytes += name.len();
        bytes <= NAME_BYTES
    });
    rows.truncate(ROWS);
    Totals { left_out: (all - rows.len()) as u64, rows }
}
