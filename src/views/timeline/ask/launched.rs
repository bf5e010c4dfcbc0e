//! Who launched a kernel: the call, the operators, modules and functions around it, how long it waited, in what queue.
//!
//! Latency, queue and launch are those of the tables of host and device, which are found out when the first kernel is
//! asked for.

use super::View;
use crate::analysis::device::class::{self, Role, TITLES};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{LAUNCH_ARGS, Launch, Options, Work, launch_arg};
use crate::base::number;
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::format::SliceDetail;
use crate::model::id::SliceId;
use crate::views::timeline::messages::{Around, Call, Launched};

/// Most slices around a launch.
const MAX_AROUND: usize = 200;

/// What is known of the launch of a slice; `None` for slices that are no work of a device.
pub(super) fn launched(doc: &Document, id: SliceId) -> Option<Launched> {
    let view = View::new(doc, None);
    let device = doc.device(&Options::default())?;
    let stream = device.streams.iter().find(|stream| stream.track == id.track)?;
    let work = device.works.get(stream.works.clone())?.iter().find(|work| work.slice == id)?;
    let around = work.launch.map_or_else(Vec::new, |launch| around(&view, launch));
    let stack = around.iter().find_map(|around| stack(doc, around.head.id)).unwrap_or_default();
    Some(Launched { facts: facts(&view, work), around, stack })
}

/// What the device does, how long it waited, and what it was launched with.
fn facts(view: &View, work: &Work) -> Vec<(String, String)> {
    let (language, clock) = (view.doc.language(), view.trace.clock);
    let word = |english: &str| tr(language, english).to_owned();
    let mut facts = vec![(word(phrase("Kind")), word(TITLES[work.class as usize]))];
    let mut say = |label: &str, value: Option<String>| {
        let value = value.filter(|value| !value.is_empty());
        facts.extend(value.map(|value| (tr(language, label).to_owned(), value)));
    };
    let latency = || work.latency().map(|ticks| number::duration(ticks, clock));
    say(phrase("Launch latency"), latency().or_else(|| Some(word(phrase("no launch found")))));
    say(phrase("Queued launches"), work.launch.map(|_| number::thousands(work.queue)));
    let detail = detail(view.doc, work.slice);
    for (at, (title, _)) in LAUNCH_ARGS.iter().enumerate() {
        say(title, launch_arg(&detail.args, at).map(str::to_owned));
    }
    facts
}

/// What the bytes of a slice say.
fn detail(doc: &Document, id: SliceId) -> SliceDetail {
    super::slice::detail(doc, id).map_or_else(SliceDetail::default, |(detail, _)| detail)
}

/// The call stack that a slice itself names, for traces without functions of an interpreter.
fn stack(doc: &Document, id: SliceId) -> Option<Vec<Call>> {
    let calls: Vec<Call> = super::slice::calls(detail(doc, id).code).collect();
    (!calls.is_empty()).then_some(calls)
}

/// Slices of the host around a launch, innermost first.
fn around(view: &View, launch: Launch) -> Vec<Around> {
    let timeline = &view.doc.derived().timeline;
    let words = Dialect::of(view.trace);
    let slices = &view.trace.tracks.get(launch.track).slices;
    let time = launch.time.saturating_sub(timeline.shift_of(launch.track));
    let lanes = timeline.track(launch.track);
    let on_lane = |lane: usize| {
        let rows = &lanes.lane(lane)?.rows;
        let at = rows.partition_point(|row| slices.start[row as usize] <= time);
        let row = rows.get(at.checked_sub(1)?)?;
        (time <= slices.span(row as usize).end).then_some(row)
    };
    let told = |row: u32| {
        let text = |id| view.trace.strings.get(id);
        let name = text(slices.name[row as usize]);
        let marks = class::marks(words, name, "");
        let kind = match class::role(words, text(slices.category_of(row as usize))) {
            _ if marks.is_step => phrase("Step"),
            Role::Call => phrase("Launch call"),
            Role::Operator => phrase("Operator"),
            Role::Function if marks.is_module => phrase("Module"),
            Role::Function => phrase("Function"),
            Role::Other => phrase("Scope"),
        };
        let head = view.head(SliceId { track: launch.track, row })?;
        Some(Around { kind: tr(view.doc.language(), kind).to_owned(), head })
    };
    (0..lanes.len()).rev().filter_map(on_lane).filter_map(told).take(MAX_AROUND).collect()
}
