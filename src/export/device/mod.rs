//! kernels-csv, operators-device-csv, steps-csv, idle-csv, modules-csv and others: host and device as numbers. Times in nanoseconds; of clocks
//! without a rate in their own unit, which the heads say.

mod kernels;
mod tables;
mod trees;

pub(super) use kernels::KERNELS_CSV;
pub(super) use tables::{FUNCTIONS_DEVICE_CSV, IDLE_CSV, OPERATORS_DEVICE_CSV, STEPS_CSV};
pub(super) use trees::{MODULES_CSV, OPERATORS_MEMORY_CSV, STACKS_CSV};

use super::parts::after_job;
use super::sums::{TIME, stretch};
use super::{ExportInput, Parts};
use crate::analysis::device::{self, Device, Options, class, find_out};
use crate::base::job::Job;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::parameter::{Parameter, ParameterKind};
use std::io::Result;
use std::rc::Rc;

/// The other definition of idle time.
const CLASSES: &str = "classes";

static DEFINITION: Parameter = Parameter {
    id: "idle",
    title: phrase("Idle time"),
    help: phrase("each gap by its reasons, or three classes as other tools have them"),
    kind: ParameterKind::Choice(&[("reasons", phrase("By reason")), (CLASSES, phrase("Three classes"))]),
    rereads: false,
};

static SHORT: Parameter = Parameter {
    id: "idle-short",
    title: phrase("Short gap"),
    help: phrase("a gap at most as long is one between kernels that follow each other"),
    kind: nanos(device::SHORT),
    rereads: false,
};

static LOADING: Parameter = Parameter {
    id: "idle-loading",
    title: phrase("Minimum gap for data loading"),
    help: phrase("shorter gaps are not attributed to data loading"),
    kind: nanos(device::LOADING),
    rereads: false,
};

static DELAY: Parameter = Parameter {
    id: "idle-delay",
    title: phrase("Limit of kernel wait"),
    help: phrase("a shorter gap counts as kernel wait among the three classes"),
    kind: nanos(device::DELAY),
    rereads: false,
};

static STEP: Parameter = Parameter {
    id: "step-name",
    title: phrase("Name of steps"),
    help: phrase("slices with this name are the steps; * at its end stands for any ending"),
    kind: ParameterKind::Text,
    rereads: false,
};

static COMMUNICATION: Parameter = Parameter {
    id: "communication-names",
    title: phrase("Additional communication names"),
    help: phrase("text in the names of further communication kernels, separated by commas"),
    kind: ParameterKind::Text,
    rereads: false,
};

const fn nanos(default: f64) -> ParameterKind {
    ParameterKind::Number { unit: Unit::Nanos, min: 0.0, max: 1e12, default, none: "" }
}

fn options(input: &ExportInput) -> Result<Options> {
    let values = input.values;
    let number = |parameter: &Parameter, default| values.number(parameter.id).unwrap_or(default);
    Ok(Options {
        span: stretch(input)?,
        step: values.text(STEP.id).unwrap_or_default().to_owned(),
        communication: values.text(COMMUNICATION.id).unwrap_or_default().to_owned(),
        short: number(&SHORT, device::SHORT),
        loading: number(&LOADING, device::LOADING),
        delay: number(&DELAY, device::DELAY),
    })
}

/// Whether there are streams: costs the tracks.
fn can(input: &ExportInput) -> bool {
    class::has_streams(input.trace)
}

/// Finds out all of it, then writes what `then` makes of it.
fn found(input: &ExportInput, then: impl FnOnce(Device, &ExportInput) -> Parts + 'static) -> Result<Parts> {
    let (trace, timeline) = (Rc::clone(input.trace), input.derived.timeline.snapshot());
    let options = options(input)?;
    let device = Job::new(async move |turn| find_out(&trace, &timeline, &options, &turn).await);
    Ok(after_job(device, then))
}

/// Heads of columns: those that end with `_` are times.
fn head(trace: &Trace, names: &[&str]) -> Vec<String> {
    let unit = if trace.clock.nanos().is_some() { "ns" } else { trace.clock.symbol() };
    let name = |name: &&str| if name.ends_with('_') { format!("{name}{unit}") } else { (*name).to_owned() };
    names.iter().map(name).collect()
}

/// A time as the heads say.
fn time(trace: &Trace, ticks: impl Into<i128>) -> String {
    let (ticks, tick) = (ticks.into(), trace.clock.nanos().unwrap_or(1.0));
    // Whole nanoseconds stay exact, however many.
    if (tick - 1.0).abs() < f64::EPSILON { ticks.to_string() } else { (ticks as f64 * tick).to_string() }
}

/// A time of a track without the offset that it is shown with.
pub(super) fn recorded(input: &ExportInput, track: TrackId, time: Ticks) -> Ticks {
    time.saturating_sub(input.derived.timeline.shift_of(track))
}

fn time_or_none(trace: &Trace, ticks: Option<Ticks>) -> String {
    ticks.map_or(String::new(), |ticks| time(trace, ticks))
}
