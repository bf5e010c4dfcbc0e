//! What a document is compared by before everything else: what its systems say of their files, then what its devices did.
//!
//! | files | quantity |
//! | --- | --- |
//! | operators | the duration that the files state |
//! | traces with a device, whoever wrote them | median of steps; time in which devices compute or communicate |
//! | other traces of events | time from the first to the last event |
//! | executions of networks in any trace | median execution, by network and loop |
//! | block schedules | span of the blocks, time of the kernel in the log |
//! | recorded programs | instructions, or accesses; sectors of global accesses |
//! | data lifetimes | cycles, time at the known clock |
//!
//! Systems name theirs in [`crate::systems::System::headline`]; [`crate::analysis::compare::headline`] chooses.

use crate::analysis::compare::headline::Quantity;
use crate::analysis::device::{Options, has_streams};
use crate::base::number::thousands;
use crate::base::order::percentile;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::document::Document;
use crate::engine::report::with_input;
use crate::systems::systems;

impl Document {
    /// Works for a few milliseconds on what devices did; says whether all is there.
    pub(crate) fn prepare_headline(&mut self) -> bool {
        !has_streams(self.trace()) || self.prepare_device(&Options::default())
    }
}

/// The quantities, the most telling first; none before everything is read.
pub(crate) fn quantities(doc: &Document) -> Vec<Quantity> {
    if !doc.is_ready() {
        return Vec::new();
    }
    let mut all: Vec<Quantity> =
        with_input(doc, &[], |input| systems().flat_map(|system| (system.headline)(input)).collect());
    all.extend(of_devices(doc).unwrap_or_default());
    all
}

fn of_devices(doc: &Document) -> Option<Vec<Quantity>> {
    let device = doc.device(&Options::default()).filter(|_| has_streams(doc.trace()))?;
    let nanos = doc.trace().clock.nanos()?;
    let n = device.ranks.iter().filter(|rank| 0 < rank.sums[0] + rank.sums[2]).count();
    let of_ranks = if n < 2 { message("{n} devices") } else { message("mean of {n} devices") };
    let of_ranks = of_ranks.with("n", n);
    let mut steps: Vec<i64> =
        device.steps.iter().filter(|step| step.slice.is_some()).map(|step| step.wall).collect();
    steps.sort_unstable();
    let of_steps = message("{n} steps").with("n", thousands(steps.len() as u64));
    let of_steps = match n {
        0 | 1 => of_steps,
        _ => message("{of} of {n} devices").with_message("of", of_steps).with("n", n),
    };
    let time = |ticks: f64| (ticks * nanos, Unit::Nanos);
    // Computing, and communication while nothing is computed: each moment counts once.
    let busy: i64 = device.ranks.iter().map(|rank| rank.sums[0] + rank.sums[2]).sum();
    let busy = time(busy as f64 / n.max(1) as f64);
    Some(vec![
        Quantity::new(phrase("Median step"), time(percentile(&steps, 50)), &n, of_steps),
        Quantity::new(phrase("Computing and communicating"), busy, &n, of_ranks),
    ])
}
