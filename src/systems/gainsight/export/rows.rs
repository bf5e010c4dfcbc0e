//! Single lifetimes of all levels as rows of a data set.

use super::Lifetimes;
use crate::base::job::run;
use crate::export::tables::{Rows, Source, SystemTable, Value};
use crate::views::lifetimes::compute::{Closed, Kernel, Settings};
use std::io::Result;

/// Lifetimes.
pub(in crate::systems) static TABLE: SystemTable = SystemTable { table: "lifetimes", write };

fn write(of: &Source, rows: &mut Rows) -> Result<()> {
    let (lifetimes, owner) = (Lifetimes::of(of.input), of.all());
    let mut written = Ok(());
    let add = |run: usize, settings: &Settings, kernel: &Kernel, level: usize, closed: &Closed| {
        if written.is_err() {
            return;
        }
        let mhz = Some(settings.clock_mhz).filter(|mhz| 0.0 < *mhz);
        written = rows.push(
            owner,
            &[
                (run as u64).into(),
                kernel.id.into(),
                (level as u64 + 1).into(),
                i64::from(closed.unit).into(),
                Value::Address(closed.address),
                closed.start.into(),
                closed.length.into(),
                i64::from(closed.reuses).into(),
                mhz.map(|mhz| closed.length as f64 * 1e3 / mhz).into(),
            ],
        );
    };
    run(async |turn| lifetimes.each(&turn, add).await)?;
    written
}
