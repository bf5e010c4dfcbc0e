//! What of a step grew: its parts, and the kernels that account for it, by the names under which the table of kernels joins
//! them.
//!
//! All are means of a step, over all steps of all devices; without steps sums of a device. They stand among the quantities
//! of a document as parts: the mean step, its parts, and the kernels with most time.

use super::headline::Quantity;
use super::percent;
use crate::analysis::device::{Device, Step};
use crate::base::brief::in_sentence;
use crate::base::map::{Map, hash};
use crate::base::names::joined;
use crate::base::number::with_unit;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;

/// What the parts of a step, and kernels, are of.
const STEP: &str = "step";
const KERNEL: &str = "kernel";
/// The mean step itself, and what stands for it without steps.
const WHOLE: &str = "whole";
/// Most kernels that are told of a document.
const KERNELS: usize = 300;
/// Parts and kernels that a sentence names, and what each has to be of the difference.
const NAMED: usize = 3;
const LEAST: f64 = 0.05;
/// The same of a part: all of them are named, so that they add up, but for what rounding hides.
const LEAST_PART: f64 = 0.005;

/// A part of a step.
type OfStep = fn(&Step) -> i64;

const PARTS: [(&str, OfStep); 4] = [
    (phrase("computation"), |step| step.compute),
    (phrase("exposed communication"), |step| step.communication),
    (phrase("exposed copies"), |step| step.copies),
    (phrase("idle time"), |step| step.idle),
];

/// The quantities of what devices did; none where the clock has no rate.
pub fn quantities(trace: &Trace, device: &Device) -> Vec<Quantity> {
    let Some(nanos) = trace.clock.nanos() else { return Vec::new() };
    let steps = || device.steps.iter().filter(|step| step.slice.is_some());
    let n_devices = device.ranks.iter().filter(|rank| 0 < rank.sums[0] + rank.sums[2]).count();
    let n = match steps().count() {
        0 => n_devices,
        n => n,
    };
    let part = |name: &str, ticks: f64, key: &str| {
        let value = (ticks * nanos / n.max(1) as f64, Unit::Nanos);
        Quantity { is_part: true, ..Quantity::new(name, value, &key, Message::default()) }
    };
    let sum = |of: &dyn Fn(&Step) -> i64| steps().map(of).sum::<i64>() as f64;
    let mut all = Vec::new();
    if steps().next().is_some() {
        let mean = part(phrase("Mean step"), sum(&|step| step.wall), WHOLE);
        all.push(mean.over(n_devices as u64, "devices"));
        all.extend(PARTS.iter().map(|(name, of)| part(name, sum(of), STEP)));
    } else {
        let busy: i64 = device.ranks.iter().map(|rank| rank.sums[0] + rank.sums[2]).sum();
        all.push(part(phrase("Compute and communication"), busy as f64, WHOLE));
    }
    let mut kernels: Vec<(String, i128)> = kernels(trace, device).into_iter().collect();
    order::sort_by(&mut kernels, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    all.extend(kernels.iter().take(KERNELS).map(|(name, ticks)| part(name, *ticks as f64, KERNEL)));
    all
}

/// How long kernels, communication and copies take by name; where the device works outside of steps only what lies in them.
fn kernels(trace: &Trace, device: &Device) -> Map<String, i128> {
    let mut sums: Map<String, i128> = Map::default();
    let mut add = |name: &str, ticks: i128| *sums.entry(joined(name).into_owned()).or_default() += ticks;
    if device.steps.iter().all(|step| step.slice.is_some()) {
        for sum in device.kernels.iter().filter(|sum| sum.is_work()) {
            add(trace.strings.get(sum.name), sum.total);
        }
        return sums;
    }
    for stream in &device.streams {
        let Some(rank) = device.ranks.get(stream.rank as usize) else { continue };
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        for work in works.iter().filter(|work| work.is_work()) {
            let ticks = rank.steps.inside(work.span);
            if let Some(event) = trace.event(work.slice).filter(|_| 0 < ticks) {
                add(trace.strings.get(event.name), i128::from(ticks));
            }
        }
    }
    sums
}

/// Whether a quantity is one of these.
pub(super) fn is_one(of: &Quantity) -> bool {
    of.is_part && [WHOLE, STEP, KERNEL].iter().any(|key| of.key == hash(key))
}

fn is_whole(of: &Quantity) -> bool {
    of.is_part && of.key == hash(&WHOLE)
}

/// What of the mean step changed: `Mean step +46.6 ms: computation +44.3 ms. Kernels: gemm +40.1 ms (B only).` `None`
/// where it did not, or is not known on both sides.
pub(super) fn grown(baseline: &[Quantity], comparison: &[Quantity]) -> Option<Message> {
    let of = |all: &[Quantity], key: &str| -> Vec<(String, f64)> {
        let own = all.iter().filter(|one| one.is_part && one.key == hash(&key));
        own.map(|one| (one.name.clone(), one.value)).collect()
    };
    let [old, new] = [baseline, comparison].map(|all| of(all, WHOLE).into_iter().next());
    let ((name, before), (other, after)) = old.zip(new)?;
    if name != other || percent(before, after, &Unit::Nanos).is_empty() {
        return None;
    }
    let whole = after - before;
    let told = |key: &str| {
        let [old, new] = [baseline, comparison].map(|all| of(all, key));
        listed(&changes(&old, &new), whole, key == KERNEL)
    };
    let (parts, kernels) = (told(STEP), told(KERNEL));
    // Without steps the sum stands before this.
    if parts.is_none() && !comparison.iter().any(|one| one.is_part && one.key == hash(&STEP)) {
        return kernels.map(|kernels| message("Kernels: {kernels}.").with_message("kernels", kernels));
    }
    let of_devices = |all: &[Quantity]| all.iter().find(|one| is_whole(one)).map_or(0, |one| one.over);
    let [old_n, new_n] = [baseline, comparison].map(of_devices);
    let said = if old_n == new_n {
        message("{name} {change}")
    } else {
        message("{name} {change}, mean of {n} devices against {m}").with("n", new_n).with("m", old_n)
    };
    let said = said.with_message("name", name).with("change", signed(whole));
    let said = match parts {
        Some(parts) => message("{said}: {parts}").with_message("said", said).with_message("parts", parts),
        None => said,
    };
    Some(match kernels {
        Some(kernels) => {
            message("{said}. Kernels: {kernels}.").with_message("said", said).with_message("kernels", kernels)
        }
        None => message("{said}.").with_message("said", said),
    })
}

/// How much something changed, and whether it is on one side only.
struct Change {
    name: String,
    by: f64,
    side: &'static str,
}

/// Changes of all that stand on either side, the largest first.
fn changes(old: &[(String, f64)], new: &[(String, f64)]) -> Vec<Change> {
    // What is missing among the most may be among the rest.
    let is_whole = |all: &[(String, f64)]| all.len() < KERNELS;
    let find = |all: &[(String, f64)], name: &str| all.iter().find(|own| own.0 == name).map(|own| own.1);
    let both = new.iter().map(|(name, after)| match find(old, name) {
        Some(before) => Change { name: name.clone(), by: after - before, side: "" },
        None => {
            let side = if is_whole(old) { phrase("B only") } else { "" };
            Change { name: name.clone(), by: *after, side }
        }
    });
    let gone = old.iter().filter(|(name, _)| find(new, name).is_none()).map(|(name, before)| {
        let side = if is_whole(new) { phrase("A only") } else { "" };
        Change { name: name.clone(), by: -before, side }
    });
    let mut all: Vec<Change> = both.chain(gone).collect();
    order::sort_by(&mut all, |a, b| b.by.abs().total_cmp(&a.by.abs()));
    all
}

/// The largest of some changes.
fn listed(all: &[Change], whole: f64, is_kernel: bool) -> Option<Message> {
    let (least, most) = if is_kernel { (LEAST, NAMED) } else { (LEAST_PART, PARTS.len()) };
    let counts = |change: &&Change| least * whole.abs() <= change.by.abs() && change.by != 0.0;
    let told: Vec<&Change> = all.iter().filter(counts).take(most).collect();
    let names: Vec<&str> = told.iter().map(|change| change.name.as_str()).collect();
    let short =
        if is_kernel { in_sentence(&names) } else { names.iter().map(|&name| name.to_owned()).collect() };
    let parts = told.iter().zip(short).map(|(change, name)| {
        let said = match change.side {
            "" => message("{name} {change}"),
            side => message("{name} {change} ({side})").with_message("side", side),
        };
        let said = said.with("change", signed(change.by));
        // Names of kernels are data.
        if is_kernel { said.with("name", name) } else { said.with_message("name", name) }
    });
    parts.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b))
}

/// A difference in nanoseconds: `+44.3 ms`.
fn signed(nanos: f64) -> String {
    let sign = if nanos < 0.0 { "−" } else { "+" };
    format!("{sign}{}", with_unit(nanos.abs(), &Unit::Nanos))
}
