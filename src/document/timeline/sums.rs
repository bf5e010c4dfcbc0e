//! Tables of an area: sums by name, and the single slices behind them.

use super::View;
use crate::analysis::summary::summarize;
use crate::analysis::timeline::{chosen_tracks, window};
use crate::base::order;
use crate::document::Document;
use crate::model::id::SliceId;
use crate::wire::timeline::{Area, MAX_ROWS, RowColumn, Rows, SumColumn, SumRow, Sums};
use std::cmp::Ordering;

pub(super) fn sums(doc: &Document, asked: &Area, sort: SumColumn, is_ascending: bool) -> Sums {
    let view = View::new(doc, None);
    let tracks = chosen_tracks(view.trace, &asked.tracks);
    let summary = summarize(view.trace, &doc.derived().timeline, &tracks, asked.span);
    let mut rows: Vec<SumRow> = summary
        .names
        .iter()
        .map(|&(name, track, sum)| SumRow {
            name: view.trace.strings.get(name).to_owned(),
            track: view.track(track).to_owned(),
            ink: view.colors.paint(track, name).ink.name().into_owned(),
            sum,
        })
        .collect();
    order::sort_by(&mut rows, |a, b| {
        let order = compare(a, b, sort);
        (if is_ascending { order } else { order.reverse() }).then_with(|| a.name.cmp(&b.name))
    });
    let n_names = rows.len() as u64;
    rows.truncate(MAX_ROWS as usize);
    Sums { span: asked.span, rows, n_names, all: summary.all, n_tracks: summary.n_tracks }
}

fn compare(a: &SumRow, b: &SumRow, by: SumColumn) -> Ordering {
    let (x, y) = (&a.sum, &b.sum);
    match by {
        SumColumn::Name => b.name.cmp(&a.name),
        SumColumn::Count => x.n.cmp(&y.n),
        SumColumn::Total => x.total.cmp(&y.total),
        SumColumn::Union => x.union.cmp(&y.union),
        SumColumn::Own => x.own.cmp(&y.own),
        SumColumn::Mean => x.mean().total_cmp(&y.mean()),
        SumColumn::Min => x.min.cmp(&y.min),
        SumColumn::Max => x.max.cmp(&y.max),
    }
}

pub(super) fn rows(
    doc: &Document,
    asked: &Area,
    name: Option<&str>,
    (sort, is_descending): (RowColumn, bool),
    (from, limit): (u32, u32),
) -> Rows {
    let view = View::new(doc, None);
    let trace = view.trace;
    let wanted = name.map(|name| trace.strings.find(name));
    let mut ids: Vec<SliceId> = Vec::new();
    window::rows(
        trace,
        &doc.derived().timeline,
        &chosen_tracks(trace, &asked.tracks),
        asked.span,
        |_, id| {
            let name = trace.tracks.get(id.track).slices.name[id.row as usize];
            if wanted.is_none_or(|wanted| wanted == Some(name)) {
                ids.push(id);
            }
        },
    );
    match sort {
        RowColumn::Start => {}
        RowColumn::Duration => ids.sort_by_key(|id| trace.tracks.get(id.track).slices.dur[id.row as usize]),
        RowColumn::Track => {
            let mut order = vec![0u32; trace.tracks.len()];
            for (at, id) in (0u32..).zip(trace.tracks.shown()) {
                order[id.index()] = at;
            }
            ids.sort_by_key(|id| order[id.track.index()]);
        }
    }
    if is_descending {
        ids.reverse();
    }
    let page = ids.iter().skip(from as usize).take(limit as usize);
    Rows { from, total: ids.len() as u64, rows: page.filter_map(|&id| view.head(id)).collect() }
}
