//! Names of kernels: symbols are written out when a file has been read, wherever its programs are named.

use crate::base::fault::Fault;
use crate::base::map::Map;
use crate::format::sink::Sink;
use crate::format::{Reading, Want};
use crate::input::bundle::{Bundle, EntryId};
use crate::model::Trace;
use crate::model::figure::{Body, Cell};
use crate::model::symbols::Symbols;
use crate::model::table::TableCells;
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::PlanInput;

/// A reading whose kernels have their names at its end.
pub(super) struct Named<R>(pub(super) R);

impl<R: Reading> Reading for Named<R> {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let want = self.0.next(bundle, sink);
        // What was read before a fault stays.
        if !matches!(want, Ok(Want::Stream { .. } | Want::Again)) {
            write_out(sink.builder.head());
        }
        want
    }

    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        self.0.feed(chunk, bundle, sink)
    }

    fn is_busy(&self) -> bool {
        self.0.is_busy()
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.0.position()
    }
}

/// Writes symbols of kernels out: of programs, plans, tables, listings, the title.
fn write_out(trace: &mut Trace) {
    let mut symbols = std::mem::take(trace.extensions.get_or_default::<Symbols>());
    let mut known: Map<String, String> = Map::default();
    let mut name = |of: &mut String| {
        let Some(new) = symbols.written(of) else { return };
        known.insert(std::mem::replace(of, new.clone()), new);
    };
    if trace.extensions.get::<Recorded>().is_some() {
        let recorded: &mut Recorded = trace.extensions.get_or_default();
        recorded.programs.iter_mut().for_each(|program| name(&mut program.name));
    }
    if trace.extensions.get::<PlanInput>().is_some() {
        let input: &mut PlanInput = trace.extensions.get_or_default();
        input.kernels.iter_mut().for_each(|kernel| name(&mut kernel.name));
    }
    let texts = trace.figures.iter_mut().flat_map(|family| &mut family.variants);
    let texts = texts.filter_map(|figure| match &mut figure.body {
        Body::Table(table) => Some(table.rows.iter_mut().flatten()),
        _ => None,
    });
    for cell in texts.flatten() {
        if let Cell::Text(text) = cell {
            name(text);
        }
    }
    for column in trace.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if let TableCells::Texts(texts) = &mut column.cells {
            texts.iter_mut().for_each(&mut name);
        }
    }
    if let Some(name) = known.get(&trace.title) {
        trace.title.clone_from(name);
    }
    for listing in &mut trace.code.listings {
        if let Some(name) = known.get(&listing.title) {
            listing.title.clone_from(name);
        }
        let kernel = known.get(trace.strings.get(listing.scope.kernel));
        if let Some(name) = kernel {
            listing.scope.kernel = trace.strings.intern(name);
        }
    }
    *trace.extensions.get_or_default::<Symbols>() = symbols;
}
