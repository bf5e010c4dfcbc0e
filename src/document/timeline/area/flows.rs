//! Flows of an area: sums by category, pages of single ones.

use super::{View, path, with_scope};
use crate::analysis::area::links::{self, FlowFilter, Order};
use crate::document::Document;
use crate::model::id::FlowId;
use crate::wire::area::{Category, Flow, Flows};
use crate::wire::timeline::Area;

pub(super) fn categories(doc: &Document, area: &Area) -> Vec<Category> {
    let row = |sum: links::Category| Category {
        name: doc.trace().strings.get(sum.name).to_owned(),
        n: sum.n,
        min: sum.min,
        mean: sum.mean(),
        max: sum.max,
    };
    with_scope(doc, area, |scope| {
        links::categories(scope).into_iter().take(MAX_CATEGORIES).map(row).collect()
    })
}

/// Most categories that cross.
const MAX_CATEGORIES: usize = 500;

pub(super) fn flows(
    doc: &Document,
    area: &Area,
    (text, category): (&str, Option<&str>),
    (by_latency, is_descending): (bool, bool),
    (from, limit): (u32, u32),
) -> Flows {
    let view = View::new(doc, None);
    let category = match category.map(|name| view.trace.strings.find(name)) {
        Some(None) => return Flows::default(),
        Some(found) => found,
        None => None,
    };
    let filter = FlowFilter { text: text.trim().to_owned(), category };
    let order = if by_latency { Order::Latency } else { Order::Start };
    with_scope(doc, area, |scope| {
        let list = links::list(scope, &filter, order, is_descending);
        let page = list.iter().skip(from as usize).take(limit as usize);
        let row = |&id: &FlowId| {
            let (flows, at) = (&view.trace.flows, id.index());
            let name = |id| view.trace.strings.get(id).to_owned();
            Flow {
                category: name(flows.category[at]),
                name: name(flows.name[at]),
                start: view.instant(flows.from[at].time),
                latency: links::latency(scope, id),
                tracks: [path(&view, flows.from[at].track), path(&view, flows.to[at].track)],
                ends: scope.timeline.flows().ends(scope.trace, id).map(|end| view.head(end?)),
            }
        };
        Flows { n: list.len() as u64, rows: page.map(row).collect() }
    })
}
