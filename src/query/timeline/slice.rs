//! Everything about one slice: facts, arguments and call stack read anew from its bytes, links.

use super::View;
use crate::base::number;
use crate::base::words::{phrase, tr};
use crate::format::trace_event;
use crate::model::id::{SliceId, StrId};
use crate::model::slice::Slices;
use crate::query::Document;
use crate::wire::timeline::{Call, Link, Slice};

/// Most links told.
const MAX_LINKS: usize = 200;
/// Most bytes of the file shown as they are.
const MAX_RAW: u64 = 64 * 1024;
/// Most bytes of the file read for the arguments.
const MAX_DETAIL: u64 = 4 * 1024 * 1024;

pub(super) fn slice(doc: &Document, id: SliceId) -> Option<Slice> {
    let view = View::new(doc, None);
    let head = view.head(id)?;
    let track = view.trace.tracks.get(id.track);
    let range = track.slices.detail(id.row as usize);
    let bytes = doc.bytes(track.entry, range.start..range.end.min(range.start + MAX_DETAIL));
    let detail = trace_event::detail(&bytes);
    let stack = detail.code.into_iter().map(|frame| Call {
        text: frame.function,
        at: (!frame.path.is_empty()).then(|| (frame.path, frame.line.unwrap_or(0))),
    });
    let (linked, n_linked) = links(&view, id);
    let mut facts = facts(&view, id);
    facts.extend(detail.members);
    let raw = &bytes[..bytes.len().min(MAX_RAW as usize)];
    Some(Slice {
        head,
        facts,
        args: detail.args,
        stack: stack.collect(),
        linked,
        n_linked,
        rank: rank(&view, id),
        raw: String::from_utf8_lossy(raw).into_owned(),
    })
}

/// What the columns of the trace say of the slice.
fn facts(view: &View, id: SliceId) -> Vec<(String, String)> {
    let language = view.doc.language();
    let (trace, terms) = (view.trace, &view.trace.terms);
    let slices = &trace.tracks.get(id.track).slices;
    let row = id.row as usize;
    let (raw, span) = (slices.span(row), view.span(id).unwrap_or_default());
    let mut facts = Vec::new();
    let mut say = |label: &str, value: String| {
        if !value.is_empty() {
            facts.push((tr(language, label).to_owned(), value));
        }
    };
    say(&terms.row, view.track(id.track).to_owned());
    say(&terms.group, view.group(id.track));
    say(phrase("Start"), view.instant(span.start));
    say(phrase("Duration"), view.duration(span.dur()));
    let shift = view.doc.derived().timeline.shift_of(id.track);
    say(phrase("Offset"), super::arrange::shift(shift, trace.clock));
    if view.zero != 0 || shift != 0 {
        say(phrase("Raw start"), number::thousands(raw.start));
        say(phrase("Raw end"), number::thousands(raw.end));
    }
    say(phrase("Category"), trace.strings.get(slices.category[row]).to_owned());
    let sparse = |column: &[StrId]| trace.strings.get(Slices::sparse(column, row)).to_owned();
    say(phrase("Flag"), sparse(&slices.flag));
    if let Some(lane) = view.doc.derived().timeline.lane_of(id).filter(|&lane| lane != 0) {
        say(phrase("Depth"), lane.to_string());
    }
    if let Some(gap) = waited(view, id) {
        say(phrase("Idle before it"), gap);
    }
    facts
}

/// The time between the slice and the one before it on its lane.
fn waited(view: &View, id: SliceId) -> Option<String> {
    let timeline = &view.doc.derived().timeline;
    let slices = &view.trace.tracks.get(id.track).slices;
    let lane = timeline.track(id.track).lane(timeline.lane_of(id)?)?;
    let start = slices.start[id.row as usize];
    let at = lane.rows.partition_point(|&row| slices.start[row as usize] < start);
    let before = *lane.rows.get(at.checked_sub(1)?)?;
    let gap = start.saturating_sub(slices.span(before as usize).end);
    (0 < gap).then(|| view.duration(gap))
}

/// Which of all slices of its name it is in order of length, from the longest; and how many there are.
fn rank(view: &View, id: SliceId) -> (u64, u64) {
    let slices = &view.trace.tracks.get(id.track).slices;
    let (name, dur) = (slices.name[id.row as usize], slices.dur[id.row as usize]);
    let longer = view.trace.tracks.iter().map(|(_, track)| {
        let pairs = track.slices.name.iter().zip(&track.slices.dur);
        pairs.filter(|(n, d)| **n == name && dur < **d).count() as u64
    });
    (longer.sum::<u64>() + 1, view.doc.derived().timeline.names().total(name).n)
}

fn links(view: &View, id: SliceId) -> (Vec<Link>, u64) {
    let index = view.doc.derived().timeline.flows();
    let mut links = Vec::new();
    let mut n = 0;
    for flow in index.of_slice(id) {
        let [from, to] = index.ends(view.trace, flow);
        let is_from = to == Some(id) && from != Some(id);
        let other = if is_from { from } else { to };
        n += 1;
        if links.len() < MAX_LINKS
            && let Some(head) = other.and_then(|id| view.head(id))
        {
            let category = view.trace.flows.category[flow.index()];
            links.push(Link { head, is_from, category: view.trace.strings.get(category).to_owned() });
        }
    }
    (links, n)
}
