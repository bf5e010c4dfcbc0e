//! What files that make one trace together must not have in common: whose code addresses are about, and ids.

use crate::base::order;
use crate::input::bundle::EntryId;
use crate::model::Trace;
use crate::model::figure::{Body, Family};

/// How much there was before a file was read.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    /// Figures.
    pub(super) figures: usize,
    tables: usize,
    listings: usize,
    sites: usize,
}

impl Before {
    /// What a trace has.
    pub(super) fn of(trace: &Trace) -> Self {
        Self {
            figures: trace.figures.len(),
            tables: trace.tables.len(),
            listings: trace.code.listings.len(),
            sites: trace.accesses.sites.len(),
        }
    }

    /// All addresses of a file are about its own kernel: those of another may be the same.
    pub(super) fn scope_code(self, entry: EntryId, trace: &mut Trace) {
        let tables = trace.tables.iter_mut().skip(self.tables).map(|table| &mut table.scope);
        let listings = trace.code.listings.iter_mut().skip(self.listings).map(|listing| &mut listing.scope);
        let sites = trace.accesses.sites.iter_mut().skip(self.sites).map(|site| &mut site.scope);
        for scope in tables.chain(listings).chain(sites) {
            scope.entry = Some(entry.0);
        }
    }

    /// What one looks at comes first: what the operator is, then pictures with the memory of a block, then tables.
    pub(super) fn in_order(self, trace: &mut Trace) {
        let mut own = trace.figures.split_off(self.figures.min(trace.figures.len()));
        let place = |family: &Family| match (family.id.as_str(), family.variants.first().map(|v| &v.body)) {
            ("base-info" | "pipes", _) => 0,
            ("memory-paths" | "memory-units", _) => 1,
            (
                _,
                Some(Body::Cores(_) | Body::Roofline(_) | Body::Bars(_) | Body::Graph(_) | Body::Matrix(_)),
            ) => 1,
            _ => 2,
        };
        order::sort_by_key(&mut own, place);
        trace.figures.extend(own);
    }

    /// Figures and tables with the id of one of another file get an id of their own, figures also the name of the file.
    pub(super) fn own_ids(self, entry: EntryId, file: &str, trace: &mut Trace) {
        let own = |id: &str| format!("{id}-{}", entry.0);
        let n = self.figures.min(trace.figures.len());
        let (others, figures) = trace.figures.split_at_mut(n);
        let taken: Vec<String> = others.iter().map(|family| family.id.clone()).collect();
        let n = self.tables.min(trace.tables.len());
        let (others, tables) = trace.tables.split_at_mut(n);
        let taken_tables: Vec<String> = others.iter().map(|table| table.id.clone()).collect();
        for table in tables.iter_mut().filter(|table| taken_tables.contains(&table.id)) {
            table.id = own(&table.id);
            table.title = format!("{} · {file}", table.title);
        }
        let rename = |id: &mut String, taken: &[String]| {
            if taken.contains(id) {
                *id = own(id);
            }
        };
        for family in figures {
            if taken.contains(&family.id) {
                family.id = own(&family.id);
                name_file(family, file);
            }
            for figure in &mut family.variants {
                match &mut figure.body {
                    Body::HeatMap(map) => rename(&mut map.table, &taken_tables),
                    Body::Graph(graph) => {
                        let rows = graph.arrows.iter_mut().flat_map(|arrow| &mut arrow.rows);
                        rows.for_each(|rows| rename(&mut rows.table, &taken));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn name_file(family: &mut Family, file: &str) {
    for figure in &mut family.variants {
        let of = [figure.scope.as_str(), file];
        figure.scope = of.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    }
}
