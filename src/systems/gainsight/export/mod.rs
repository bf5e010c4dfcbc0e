//! Files equal in form to those of `GainSight`, and single lifetimes as columns.

mod columns;
mod kernels;
pub mod report;

#[cfg(all(feature = "columns", not(target_arch = "wasm32")))]
pub(super) use columns::{ARROW, PARQUET};
pub(super) use kernels::SIM_CSV;
pub(super) use report::REPORT_JSON;

use super::log::{Replay, replay};
use super::mapping::Mapped;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, Parts};
use crate::input::EntryId;
use crate::views::lifetimes::compute::{Closed, Kernel, Orphans, Recorded, Run, Scope, Settings, parameters};
use std::collections::VecDeque;
use std::io::Error;

/// The runs of a document.
fn runs<'a>(input: &ExportInput<'a>) -> &'a [Run] {
    input.trace.extensions.get::<Recorded>().map_or(&[], |recorded| &recorded.runs)
}

/// Whether there are kernels.
fn has_kernels(input: &ExportInput) -> bool {
    runs(input).iter().any(|run| !run.kernels.is_empty())
}

/// Whether single lifetimes can be read again.
fn has_accesses(input: &ExportInput) -> bool {
    runs(input).iter().any(|run| run.accesses.is_some())
}

/// Goes through the single lifetimes of all runs that have some.
#[derive(Default)]
struct Lifetimes {
    /// Row of the run.
    run: usize,
    replay: Option<Replay>,
    /// Row of the kernel that comes next.
    kernel: usize,
    /// Kernels whose lifetimes wait.
    waiting: VecDeque<(usize, Vec<Vec<Closed>>)>,
}

impl Lifetimes {
    /// Shows the lifetimes that count of the next kernel, in the order in which they were opened, with the row of their
    /// level; says whether there is more. Costs about 10 ms where no kernel ends. A machine, as CSV and columns take
    /// what it finds part by part.
    fn step(
        &mut self,
        input: &ExportInput,
        mut to: impl FnMut(&Run, &Kernel, usize, &Closed),
    ) -> Result<bool, String> {
        let Some(run) = runs(input).get(self.run) else { return Ok(false) };
        let source = input.bundle.get(EntryId(run.entry)).filter(|_| run.accesses.is_some());
        let Some(source) = source.map(|entry| entry.source.clone()) else {
            self.run += 1;
            return Ok(true);
        };
        if let Some((row, levels)) = self.waiting.pop_front() {
            let settings = Settings::of(input.values, run);
            let Some(kernel) = run.kernels.get(row) else { return Ok(true) };
            for (at, closed) in levels.iter().enumerate() {
                let unit = unit(run, kernel, at, settings.scope);
                let counts = |one: &&Closed| {
                    unit.is_none_or(|unit| unit == one.unit)
                        && (0 < one.reuses || settings.orphans == Orphans::Include)
                };
                closed.iter().filter(counts).for_each(|one| to(run, kernel, at, one));
            }
            return Ok(true);
        }
        let mapped = input.trace.extensions.get::<Mapped>();
        let mapping = mapped.and_then(|mapped| mapped.0.get(&run.entry).cloned());
        let replay = self.replay.get_or_insert_with(|| replay(source, run.rules, mapping));
        match replay.step()? {
            Some(ended) => {
                for (_, levels) in ended {
                    self.waiting.push_back((self.kernel, levels));
                    self.kernel += 1;
                }
            }
            None => *self = Self { run: self.run + 1, ..Self::default() },
        }
        Ok(true)
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
    write: |_, _| Ok(write(0)),
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
    write: |_, _| Ok(write(1)),
};

fn write(level: usize) -> Parts {
    let mut lifetimes = Lifetimes::default();
    let mut head = Some("kernel_id,address,lifetime_cycles,lifetime_ns\n");
    let mut clock: Option<(u32, f64)> = None;
    Box::new(move |input, out| {
        let mut text = head.take().unwrap_or_default().to_owned();
        let more = lifetimes.step(input, |run, kernel, at, closed| {
            if at != level {
                return;
            }
            let mhz = match clock {
                Some((entry, mhz)) if entry == run.entry => mhz,
                _ => clock.insert((run.entry, Settings::of(input.values, run).clock_mhz)).1,
            };
            let nanos = if 0.0 < mhz { closed.length as f64 * 1e3 / mhz } else { 0.0 };
            text += &format!("{},{}.00,{}.00,{nanos:.2}\n", kernel.id, closed.address, closed.length);
        });
        out.write_all(text.as_bytes())?;
        more.map_err(Error::other)
    })
}
