//! Files equal in form to those of `GainSight`, and single lifetimes as columns.

mod columns;
mod kernels;
pub mod report;
#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(in crate::systems) mod rows;

#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) use columns::{ARROW, PARQUET};
pub(super) use kernels::SIM_CSV;
pub(super) use report::REPORT_JSON;

use super::log::replay;
use super::mapping::Mapped;
use crate::base::job::Turn;
use crate::base::words::{message, phrase};
use crate::export::{Export, ExportInput, ExportMessage, Parts, written};
use crate::input::{Bundle, EntryId};
use crate::model::Trace;
use crate::model::parameter::Values;
use crate::views::lifetimes::compute::{Closed, Kernel, Orphans, Recorded, Run, Scope, Settings, parameters};
use std::io::{Error, Result, Write};
use std::rc::Rc;

/// The runs of a document.
fn runs(trace: &Trace) -> &[Run] {
    trace.extensions.get::<Recorded>().map_or(&[], |recorded| &recorded.runs)
}

/// Whether there are kernels.
fn has_kernels(input: &ExportInput) -> bool {
    runs(input.trace).iter().any(|run| !run.kernels.is_empty())
}

/// Says that times and rates are missing where nobody says the clock that they need; nothing where they are there.
fn say_clock(input: &ExportInput) -> Result<()> {
    clock_words(input).map_or(Ok(()), |text| Err(ExportMessage { text, is_whole: true }.into()))
}

fn clock_words(input: &ExportInput) -> Option<String> {
    let is_untimed = |run: &&Run| {
        let has_clock = 0.0 < Settings::of(input.values, run).clock_mhz;
        !has_clock && !(0..run.levels.len()).any(|level| run.is_stated(level))
    };
    let all = runs(input.trace).iter().filter(|run| !run.kernels.is_empty());
    let mut untimed = all.filter(is_untimed);
    let words = message(
        "The clock is not known, so times and rates are empty: set Clock in Lifetimes, or --clock-mhz.",
    );
    untimed.next().map(|_| format!("{}\n", words.text(input.language)))
}

/// Whether single lifetimes can be read again.
fn has_accesses(input: &ExportInput) -> bool {
    runs(input.trace).iter().any(|run| run.accesses.is_some())
}

/// The single lifetimes of all runs that have some, read again.
struct Lifetimes {
    trace: Rc<Trace>,
    bundle: Bundle,
    values: Values,
}

impl Lifetimes {
    fn of(input: &ExportInput) -> Self {
        let (trace, bundle, values) = (Rc::clone(input.trace), input.bundle.clone(), input.values.clone());
        Self { trace, bundle, values }
    }

    /// Shows those that count, kernel by kernel in the order in which they were opened, with the rows of their run and
    /// level.
    async fn each(
        &self,
        turn: &Turn,
        mut to: impl FnMut(usize, &Settings, &Kernel, usize, &Closed),
    ) -> Result<()> {
        for (row, run) in runs(&self.trace).iter().enumerate() {
            let Some(entry) = self.bundle.get(EntryId(run.entry)).filter(|_| run.accesses.is_some()) else {
                continue;
            };
            let mapped = self.trace.extensions.get::<Mapped>();
            let mapping = mapped.and_then(|mapped| mapped.0.get(&run.entry).cloned());
            let settings = Settings::of(&self.values, run);
            let mut kernels = run.kernels.iter();
            let ended = |levels: Vec<Vec<Closed>>| {
                let Some(kernel) = kernels.next() else { return };
                for (at, closed) in levels.iter().enumerate() {
                    let unit = unit(run, kernel, at, settings.scope);
                    let counts = |one: &&Closed| {
                        unit.is_none_or(|unit| unit == one.unit)
                            && (0 < one.reuses || settings.orphans == Orphans::Include)
                    };
                    closed.iter().filter(counts).for_each(|one| to(row, &settings, kernel, at, one));
                }
            };
            replay(&entry.source, run.rules, mapping, turn, ended).await.map_err(Error::other)?;
        }
        Ok(())
    }
}

/// The only unit whose lifetimes count in a scope; `None` for all of them.
fn unit(run: &Run, kernel: &Kernel, level: usize, scope: Scope) -> Option<u32> {
    run.levels.get(level).filter(|head| head.is_private)?;
    match scope {
        Scope::Unit(number) => Some(number),
        Scope::Busiest => Some(kernel.levels.get(level)?.busiest()?.number),
        Scope::Total | Scope::Mean => None,
    }
}

// One row for each lifetime of a level.

/// Lifetimes at L1.
pub(crate) static L1_CSV: Export = Export {
    id: "gainsight-l1-csv",
    title: phrase("Lifetimes at L1 as CSV"),
    suffix: "sim_l1.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_accesses,
    write: |input, _| Ok(write(input, 0)),
};

/// Lifetimes at L2.
pub(crate) static L2_CSV: Export = Export {
    id: "gainsight-l2-csv",
    title: phrase("Lifetimes at L2 as CSV"),
    suffix: "sim_l2.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_accesses,
    write: |input, _| Ok(write(input, 1)),
};

fn write(input: &ExportInput, level: usize) -> Parts {
    let (lifetimes, untimed) = (Lifetimes::of(input), clock_words(input));
    written(async move |mut out, turn| {
        let mut written = out.write_all(b"kernel_id,address,lifetime_cycles,lifetime_ns\n");
        let add = |_, settings: &Settings, kernel: &Kernel, at: usize, closed: &Closed| {
            if at == level && written.is_ok() {
                let mhz = settings.clock_mhz;
                // A 0 would be read as a time.
                let nanos = closed.length as f64 * 1e3 / mhz;
                let nanos = if 0.0 < mhz { format!("{nanos:.2}") } else { String::new() };
                let line = format!("{},{}.00,{}.00,{nanos}\n", kernel.id, closed.address, closed.length);
                written = out.write_all(line.as_bytes());
            }
        };
        lifetimes.each(&turn, add).await?;
        written?;
        untimed.map_or(Ok(()), |text| Err(ExportMessage { text, is_whole: true }.into()))
    })
}
