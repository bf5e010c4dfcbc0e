//! Communication that is not hidden, by process group, else by kind of collective.

use super::{OUR_CHOICE, Scope, bars, brief, devices, of_how_many};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Class, Device, Exposed};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, around, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold, more};
use crate::model::id::SliceId;

/// Most slices whose arguments are read.
const READ: usize = 60;

/// What names of collectives have in them, in small letters without signs, and what people call them.
const KINDS: [(&str, &str); 12] = [
    ("allreduce", phrase("all-reduce")),
    ("reducescatter", phrase("reduce-scatter")),
    ("allgather", phrase("all-gather")),
    ("alltoall", phrase("all-to-all")),
    ("broadcast", phrase("broadcast")),
    ("sendrecv", phrase("send and receive")),
    ("batchsend", phrase("send and receive")),
    ("send", phrase("send and receive")),
    ("recv", phrase("send and receive")),
    ("receive", phrase("send and receive")),
    ("barrier", phrase("barrier")),
    ("reduce", phrase("reduce")),
];

/// The kind of collective that a name says.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    let text: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    KINDS.iter().find(|(own, _)| text.contains(own)).map(|(_, title)| *title)
}

/// Communication of one group, or of one kind.
struct Group {
    name: Message,
    /// What tells it apart in another profile too.
    subject: String,
    is_named: bool,
    sum: Exposed,
}

/// The process group of a communication by its arguments.
fn group_of(input: &RuleInput, slice: SliceId) -> Option<String> {
    let args = (input.args)(slice);
    let value = |name: &str| {
        let found = args.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let [name, description] = Dialect::of(input.trace).said.group;
    let name = value(name)?;
    match value(description).filter(|text| text != "undefined") {
        Some(text) if text != name => Some(format!("{name} ({text})")),
        _ => Some(name),
    }
}

/// The groups of a device, those with most that is not hidden first.
fn groups(input: &RuleInput, device: &Device, rank: usize) -> Vec<Group> {
    let is_meant = |of: &&Exposed| of.rank as usize == rank && of.class == Class::Communication;
    let mut rows: Vec<&Exposed> = device.exposed.iter().filter(is_meant).collect();
    rows.sort_by_key(|of| (std::cmp::Reverse(of.exposed), of.name, of.stream));
    let mut groups: Vec<Group> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let text = input.trace.strings.get(row.name);
        // All that were looked at have to say the same.
        let slices = if 3 * at < READ { vec![row.longest.0, row.first, row.last] } else { Vec::new() };
        let said: Vec<Option<String>> = slices.into_iter().map(|slice| group_of(input, slice)).collect();
        let first = said.first().cloned().flatten();
        let group = first.filter(|first| said.iter().all(|other| other.as_ref() == Some(first)));
        let (name, subject, is_named): (Message, String, bool) = match (&group, kind(text)) {
            (Some(group), _) => {
                (message("process group {name}").with("name", group), format!("group {group}"), true)
            }
            (None, Some(kind)) => (kind.into(), kind.to_owned(), false),
            (None, None) => (brief(text).into(), text.to_owned(), false),
        };
        match groups.iter_mut().find(|own| own.subject == subject) {
            Some(own) => own.sum.add(row),
            None => groups.push(Group { name, subject, is_named, sum: **row }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.sum.exposed));
    groups
}

pub(super) static EXPOSED: Rule = Rule {
    id: "device-communication-not-hidden",
    version: 1,
    title: phrase("Communication not hidden"),
    thresholds: &[
        Threshold {
            name: phrase("share of the time of a device"),
            value: 0.02,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("slices whose arguments are read for their process group"),
            value: READ as f64,
            unit: Unit::None,
            source: phrase(
                "our own choice: reading takes time, and those of one name on one stream share it",
            ),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.exposed.iter().any(|of| of.class == Class::Communication) {
            return Looked::NotHere;
        }
        let exposed = |scope: &Scope| scope.communication;
        let holds = |scope: &Scope| EXPOSED.limit(0) <= scope.share(scope.communication);
        let Some((scope, ticks)) = Scope::most(device, exposed) else { return Looked::NotHere };
        let nothing = || {
            let said =
                message("communication without computing takes at most {share} of the time of a device");
            Looked::Nothing(said.with("share", percent(scope.share(ticks))))
        };
        if !holds(&scope) {
            return nothing();
        }
        let groups = groups(input, device, scope.rank);
        let counts = |group: &&Group| EXPOSED.limit(0) <= scope.share(group.sum.exposed);
        let n = groups.iter().filter(counts).count();
        let others = more(MOST, groups.iter().filter(counts).map(|group| group.subject.clone()));
        let all = groups.iter().map(|group| {
            let title = group.name.text(crate::base::words::Language::En).into_owned();
            (title, scope.value(input, group.sum.exposed).0)
        });
        let picture = bars(scope.value(input, 0).1, all.take(5));
        let findings = groups.iter().filter(counts).take(MOST).map(|group| {
            // Those of several streams may run at the same time: no more than that of all of them is saved.
            let bound = group.sum.exposed.min(scope.communication);
            let (value, unit) = scope.value(input, group.sum.exposed);
            let hidden = percent(1.0 - group.sum.exposed as f64 / group.sum.total.max(1) as f64);
            let sentence = message("Communication of {group} runs for ⟦{time}⟧ while nothing computes{on}.{others}");
            let line = message("{n} calls, {share} of their time is hidden by computing. The longest takes {one} without. Start it earlier (smaller buckets), or give it less data.{more}");
            let (slice, longest) = group.sum.longest;
            let span = span_of(input, slice);
            Finding {
                subject: group.subject.clone(),
                severity: Severity::Warning,
                sentence: sentence
                    .with_message("group", group.name.clone())
                    .with_message("time", scope.said(input, group.sum.exposed))
                    .with_message("on", scope.on(device))
                    .with_message("others", of_how_many(device, holds)),
                line: line
                    .with("n", thousands(group.sum.n))
                    .with("share", hidden.clone())
                    .with("one", input.duration(longest))
                    .with_message("more", others.clone()),
                value,
                unit: unit.clone(),
                saving: Saving::at_most(
                    scope.value(input, bound).0,
                    scope.all_value(input),
                    unit.clone(),
                    message("If all of it ran while something computes, and nothing became longer."),
                ).of(scope.whole()),
                evidence: Evidence {
                    shown: if n < 2 { message("the longest, {one}").with("one", with_unit(input.time(longest).0, &unit)) } else { message("all groups") },
                    figure: Some(if n < 2 { excerpt(input, device, scope.rank, slice) } else { picture.clone() }),
                    numbers: vec![
                        Number::new(phrase("Not hidden"), value, unit.clone()).note(scope.note(group.sum.exposed)),
                        Number::new(phrase("In all"), scope.value(input, group.sum.total).0, unit.clone()),
                        Number::new(phrase("Hidden"), 1.0 - group.sum.exposed as f64 / group.sum.total.max(1) as f64, Unit::Share),
                        Number::new(phrase("Calls"), group.sum.n as f64, Unit::None),
                        Number::new(phrase("Of all groups together"), scope.value(input, scope.communication).0, unit).note(scope.note(scope.communication)),
                    ],
                    how: if group.is_named { message("Of each communication the part in which no stream of the device computes; those of several streams count each. The group is what the arguments of the longest, the first and the last one of each name and stream agree on.") } else { message("Of each communication the part in which no stream of the device computes; those of several streams count each. No arguments name a process group: kinds are told by names.") },
                    view: "timeline".to_owned(),
                    address: Place::view("timeline").around(span).slice(input.trace, slice).address(),
                    list: Place::view("statistics").state("by", "kernels").address(),
                    ..Evidence::default()
                },
                ..EXPOSED.finding()
            }
        });
        let findings: Vec<Finding> = findings.collect();
        if findings.is_empty() { nothing() } else { Looked::Found(findings) }
    },
};

/// A slice of a stream with what other streams do.
pub(super) fn excerpt(
    input: &RuleInput,
    device: &Device,
    rank: usize,
    slice: SliceId,
) -> crate::model::figure::Figure {
    let mut tracks = vec![slice.track];
    let streams = super::streams_of(device, rank);
    tracks.extend(streams.into_iter().filter(|track| *track != slice.track).take(3));
    around(input, span_of(input, slice), &tracks)
}
