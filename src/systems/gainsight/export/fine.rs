//! One row for each lifetime of a level.

use super::{Lifetimes, has_accesses};
use crate::base::words::phrase;
use crate::export::{Export, Parts};
use crate::views::lifetimes::compute::{Settings, parameters};
use std::io::Error;

/// Lifetimes at L1.
pub(in crate::systems::gainsight) static L1_CSV: Export = Export {
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
pub(in crate::systems::gainsight) static L2_CSV: Export = Export {
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
