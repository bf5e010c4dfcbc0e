//! Everything about one slice or instant: facts, arguments and call stack read anew from its bytes, links.

use super::{View, ran};
use crate::analysis::code::{Referrer, rows_of_address};
use crate::base::number;
use crate::base::time::Span;
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::format::{Frame, SliceBytes, SliceDetail};
use crate::model::Trace;
use crate::model::id::{FlowId, SliceId, StrId};
use crate::model::slice::Slices;
use crate::model::track::Role;
use crate::views::code::listings::found_rows;
use crate::views::timeline::messages::{Call, Link, Slice};

/// Most links told.
const MAX_LINKS: usize = 200;
/// Most bytes of the file shown as they are.
const MAX_RAW: u64 = 64 * 1024;
/// Most bytes of the file read for the arguments.
const MAX_DETAIL: u64 = 4 * 1024 * 1024;

pub(super) fn slice(doc: &Document, id: SliceId) -> Option<Slice> {
    let view = View::new(doc, None);
    let head = view.head(id)?;
    let (detail, bytes) = detail(doc, id)?;
    let track = view.trace.tracks.get(id.track);
    let stack = calls(detail.code);
    let stack: Vec<Call> = match id.instant() {
        Some(row) => sampled(view.trace, track.instants.stack_of(row)).chain(stack).collect(),
        None => stack.collect(),
    };
    let is_slice = id.instant().is_none();
    let (linked, n_linked) = if is_slice { links(&view, id) } else { (Vec::new(), 0) };
    let mut facts = facts(&view, id);
    if track.role == Role::Processor {
        let language = doc.language();
        let known =
            detail.members.iter().map(|(label, value)| (tr(language, label).to_owned(), value.clone()));
        facts.extend(known);
    } else {
        facts.extend(detail.members);
    }
    let raw = &bytes[..bytes.len().min(MAX_RAW as usize)];
    let instructions = detail.address.map_or_else(Vec::new, |address| {
        let referrer = Referrer::of_track(view.trace, id.track);
        found_rows(doc, rows_of_address(&view.trace.code, address, &referrer))
    });
    Some(Slice {
        head,
        facts,
        args: detail.args,
        address: detail.address,
        instructions,
        stack,
        linked,
        n_linked,
        rank: if is_slice { rank(&view, id) } else { (0, 0) },
        raw: if is_text(raw) { String::from_utf8_lossy(raw).into_owned() } else { String::new() },
    })
}

/// Whether bytes of a file can be shown as they are: those of a binary format say nothing beside what was read of them.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

/// What the bytes of a slice or an instant say, and these.
pub(crate) fn detail(doc: &Document, id: SliceId) -> Option<(SliceDetail, Vec<u8>)> {
    let trace = doc.trace();
    let range = trace.event(id)?.detail;
    let entry = trace.tracks.get(id.track).entry;
    let bytes = doc.bytes(entry, range.start..range.end.min(range.start + MAX_DETAIL));
    let read = |range| doc.bytes(entry, range);
    let of = SliceBytes { bytes: &bytes, place: (entry, range.start), trace, read: &read };
    let detail = doc.slice_reader(entry).map_or_else(SliceDetail::default, |reader| (reader.detail)(&of));
    Some((detail, bytes))
}

/// The frames of a call stack as they are told.
pub(super) fn calls(frames: Vec<Frame>) -> impl Iterator<Item = Call> {
    frames.into_iter().map(|frame| Call {
        text: frame.function,
        at: (!frame.path.is_empty()).then(|| (frame.path, frame.line.unwrap_or(0))),
    })
}

/// The call stack of a sample, from the innermost function out.
fn sampled(trace: &Trace, stack: u32) -> impl Iterator<Item = Call> + '_ {
    trace.stacks.frames(stack).map(|frame| {
        let (name, from) = (trace.strings.get(frame.name), trace.strings.get(frame.category));
        let text = if from.is_empty() { name.to_owned() } else { format!("{name} · {from}") };
        Call { text, at: None }
    })
}

/// What the columns of the trace say of the slice or the instant.
fn facts(view: &View, id: SliceId) -> Vec<(String, String)> {
    let language = view.doc.language();
    let (trace, terms) = (view.trace, &view.trace.terms);
    let Some((event, span)) = trace.event(id).zip(view.span(id)) else { return Vec::new() };
    let clock = trace.clock_of(id.track);
    let raw = clock.ticks(event.span);
    let is_slice = id.instant().is_none();
    // The row of a processor is no thread: that is who ran there.
    let is_processor = trace.tracks.get(id.track).role == Role::Processor;
    let mut facts = if is_processor { ran::facts(trace, id, language) } else { Vec::new() };
    let mut say = |label: &str, value: String| {
        if !value.is_empty() {
            facts.push((tr(language, label).to_owned(), value));
        }
    };
    if !is_processor {
        say(&terms.row, view.track(id.track).to_owned());
        say(&terms.group, view.group(id.track));
    }
    say(if is_slice { phrase("Start") } else { phrase("Time") }, clock.instant(span.start));
    if is_slice {
        say(phrase("Duration"), clock.duration(span));
        if trace.tracks.get(id.track).slices.is_unfinished(id.row as usize) {
            let shown = tr(language, phrase("not in the file; shown up to the end of the trace"));
            say(phrase("End"), shown.to_owned());
        }
    }
    let shift = view.doc.derived().timeline.shift_of(id.track);
    say(phrase("Offset"), number::time_offset(shift, trace.clock));
    if clock.origin() != 0 || shift != 0 {
        say(phrase("Raw start"), number::thousands(raw.start));
        say(phrase("Raw end"), if is_slice { number::thousands(raw.end) } else { String::new() });
    }
    say(phrase("Category"), trace.strings.get(event.category).to_owned());
    if !is_slice {
        return facts;
    }
    let flags = &trace.tracks.get(id.track).slices.flag;
    say(phrase("Flag"), trace.strings.get(Slices::sparse(flags, id.row as usize)).to_owned());
    if let Some(lane) = view.doc.derived().timeline.lane_of(id).filter(|&lane| lane != 0) {
        say(phrase("Depth"), lane.to_string());
    }
    if let Some(gap) = waited(view, id) {
        say(phrase("Idle before"), gap);
    }
    facts
}

/// How long nothing of the track went on before the slice; nothing when something still did when it began.
fn waited(view: &View, id: SliceId) -> Option<String> {
    let timeline = &view.doc.derived().timeline;
    let slices = &view.trace.tracks.get(id.track).slices;
    let lanes = timeline.track(id.track);
    let start = slices.start[id.row as usize];
    let last_before = |lane: usize| {
        let rows = &lanes.lane(lane)?.rows;
        let at = rows.partition_point(|row| slices.start[row as usize] < start);
        Some(slices.span(rows.get(at.checked_sub(1)?)? as usize).end)
    };
    let end = (0..lanes.len()).filter_map(last_before).max()?;
    (end < start).then(|| view.trace.clock_of(id.track).duration(Span { start: end, end: start }))
}

/// Which of all slices of its name it is in order of length, from the longest; and how many there are.
fn rank(view: &View, id: SliceId) -> (u64, u64) {
    let slices = &view.trace.tracks.get(id.track).slices;
    let (name, dur) = (slices.name[id.row as usize], slices.dur_of(id.row as usize));
    let longer = view.trace.tracks.iter().map(|(_, track)| {
        let slices = track.slices.name.iter().zip(track.slices.durs());
        slices.filter(|(own, length)| **own == name && dur < *length).count() as u64
    });
    (longer.sum::<u64>() + 1, view.doc.derived().timeline.names().total(name).n)
}

/// The other ends of the flows of a slice; then of those that its nested slices have, by what they are called: so that
/// one gets from an operator to what it launched. What is around the slice itself comes first: so that one gets from
/// what was launched by way of the launch to the operator.
fn links(view: &View, id: SliceId) -> (Vec<Link>, u64) {
    let index = view.doc.derived().timeline.flows();
    let mut links = Vec::new();
    let mut n = 0;
    let mut add = |other: Option<SliceId>, is_from: bool, category: String| {
        n += 1;
        if links.len() < MAX_LINKS
            && let Some(head) = other.and_then(|id| view.head(id))
        {
            links.push(Link { head, is_from, category });
        }
    };
    if let Some(ran) = ran::ran(view.trace, id) {
        add(Some(ran.state), false, tr(view.doc.language(), phrase("thread state")).to_owned());
    }
    let slices = &view.trace.tracks.get(id.track).slices;
    let text = |id: StrId| view.trace.strings.get(id);
    let other_end = |flow: FlowId, of: SliceId| {
        let [from, to] = index.ends(view.trace, flow);
        let is_from = to == Some(of) && from != Some(of);
        (if is_from { from } else { to }, is_from, text(view.trace.flows.category[flow.index()]))
    };
    let mut own = Vec::new();
    for flow in index.of_slice(id) {
        let (other, is_from, category) = other_end(flow, id);
        own.push(other);
        add(other, is_from, category.to_owned());
    }
    if !own.is_empty()
        && let Some(around) = around(view, id)
    {
        add(Some(around), true, tr(view.doc.language(), phrase("enclosing slice")).to_owned());
    }
    let span = slices.span(id.row as usize);
    for (nested, flow) in index.of_rows(id.track, id.row + 1) {
        if span.end <= slices.start[nested.row as usize] {
            break;
        }
        if slices.span(nested.row as usize).end <= span.end {
            let (other, is_from, category) = other_end(flow, nested);
            let by = text(slices.name[nested.row as usize]);
            add(other, is_from, format!("{category} · {by}"));
        }
    }
    (links, n)
}

/// The slice that a slice is nested in: of the lanes above its own the nearest with a slice around it.
fn around(view: &View, id: SliceId) -> Option<SliceId> {
    let timeline = &view.doc.derived().timeline;
    let slices = &view.trace.tracks.get(id.track).slices;
    let (lanes, span) = (timeline.track(id.track), slices.span(id.row as usize));
    (0..timeline.lane_of(id)?).rev().find_map(|lane| {
        let rows = &lanes.lane(lane)?.rows;
        let at = rows.partition_point(|row| slices.start[row as usize] <= span.start);
        let row = rows.get(at.checked_sub(1)?)?;
        (span.end <= slices.span(row as usize).end).then_some(SliceId { track: id.track, row })
    })
}
