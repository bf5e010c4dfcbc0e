//! Communication that is not hidden, by process group, else by kind of collective. Where ranks wait in it for one that is
//! late, that is not what to change: what it could save is the rest.

use super::bare::Bare;
use super::overlong::{TIMES, overlong};
use super::ranks::LAST;
use super::waiting::{Unmet, Waiting, advice, awaited_of, lasts, told_of, waiting_of, waits};
use super::{OUR_CHOICE, Scope, bare, bars, brief, devices, of_how_many};
use crate::analysis::device::class::collective;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Class, Device, Exposed, Step, Work};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::with_unit;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{MOST, around, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold, more};
use crate::model::id::{SliceId, StrId};

/// Most slices whose arguments are read for their process group.
const READ: usize = 60;
/// Most calls whose arguments are read where names do not say which collective they are.
pub(super) const CALLS: usize = 1_000;

/// Communication of one group, or of one kind.
pub(super) struct Group {
    name: Message,
    /// What tells it apart in another profile too.
    subject: String,
    is_named: bool,
    /// Of how many calls without a group the arguments were read, and how many of these name one.
    read: usize,
    grouped: usize,
    /// How many devices its calls say that it has, and how many of how many meet in some of them; 0 where that is not known.
    pub(super) size: usize,
    pub(super) met: Option<[usize; 2]>,
    pub(super) sum: Bare,
    /// Of what nothing hides the time in which it only waits for another device, and for each of those how long.
    pub(super) waiting: Ticks,
    pub(super) awaited: Vec<(usize, Ticks)>,
    /// The calls of which it is not known how long it waits in them.
    pub(super) unmet: Unmet,
    /// How many calls take far longer than others with as much data, and what of them is no transfer beside that waiting.
    pub(super) overlong: (usize, Ticks),
}

impl Group {
    /// What nothing hides, without waiting.
    pub(super) fn exchanging(&self) -> Ticks {
        (self.sum.alone - self.waiting).max(0)
    }
}

/// What the arguments of a communication say.
pub(super) struct Told {
    /// The process group, with what describes it.
    pub(super) group: Option<String>,
    /// Which collective it is.
    pub(super) kind: Option<&'static str>,
    /// The ranks of the group, and how many these are.
    pub(super) members: Option<String>,
    pub(super) size: Option<usize>,
    /// Its number in the group.
    pub(super) sequence: Option<u64>,
    /// How much it exchanges, as the file has it.
    pub(super) sizes: String,
}

/// Reads the arguments of a communication.
pub(super) fn told(input: &RuleInput, slice: SliceId) -> Told {
    let args = (input.args)(slice);
    let value = |name: &str| {
        let found = args.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let words = Dialect::of(input.trace).said;
    let [name, description] = words.group.map(value);
    let [members, size] = words.members.map(value);
    let group = name.map(|name| match description.filter(|text| text != "undefined") {
        Some(text) if text != name => format!("{name} ({text})"),
        _ => name,
    });
    Told {
        group,
        kind: value(words.collective).and_then(|text| collective(&text)),
        members,
        size: size.and_then(|text| text.parse().ok()),
        sizes: words.sizes.iter().filter_map(|name| value(name)).collect::<Vec<_>>().join(" "),
        sequence: value(words.sequence).and_then(|text| text.parse().ok()),
    }
}

/// What communication is called, and what tells it apart.
type Title = (Message, String, bool);

fn title(group: Option<&String>, kind: Option<&'static str>, name: &str) -> Title {
    match (group, kind) {
        (Some(group), _) => {
            (message("process group {name}").with("name", group), format!("group {group}"), true)
        }
        (None, Some(kind)) => (kind.into(), kind.to_owned(), false),
        (None, None) => (brief(name).into(), name.to_owned(), false),
    }
}

/// Which calls are of which group.
#[derive(Default)]
struct Sorting {
    titles: Vec<(Title, [usize; 2])>,
    /// By title, how many devices a group has.
    sizes: Map<usize, usize>,
    /// By stream and name, and single ones.
    rows: Map<(u32, StrId), usize>,
    calls: Map<SliceId, usize>,
}

impl Sorting {
    /// Its calls say that a group has so many devices.
    fn grow(&mut self, at: usize, size: usize) {
        let known = self.sizes.entry(at).or_default();
        *known = size.max(*known);
    }

    /// The place of a group; of so many calls arguments were read, of which so many name a process group.
    fn place(&mut self, title: Title, read: [usize; 2]) -> usize {
        let at = self.titles.iter().position(|((_, subject, _), _)| *subject == title.1);
        let at = at.unwrap_or(self.titles.len());
        if at == self.titles.len() {
            self.titles.push((title, [0; 2]));
        }
        if let Some((_, sum)) = self.titles.get_mut(at) {
            *sum = [sum[0] + read[0], sum[1] + read[1]];
        }
        at
    }

    /// Calls of one name on one stream. Those that were looked at have to say the same; where neither they nor the name say
    /// what it is, each call is asked.
    fn row(&mut self, input: &RuleInput, row: &Exposed, slices: &[SliceId]) {
        let text = input.trace.strings.get(row.name);
        let kind = collective(text);
        let read: Vec<_> = slices.iter().map(|slice| told(input, *slice)).collect();
        let size = read.iter().filter_map(|of| of.size).max().unwrap_or(0);
        let read: Vec<_> = read.into_iter().map(|of| (of.group, of.kind)).collect();
        let first = read.first().and_then(|(group, _)| group.as_ref());
        let group = first.filter(|first| read.iter().all(|(other, _)| other.as_ref() == Some(first)));
        if group.is_none() && kind.is_none() && slices.len() as u64 == row.n {
            for (slice, (group, kind)) in slices.iter().zip(&read) {
                let at = self.place(title(None, *kind, text), [1, usize::from(group.is_some())]);
                self.calls.insert(*slice, at);
                self.grow(at, size);
            }
            return;
        }
        let grouped = read.iter().filter(|(group, _)| group.is_some()).count();
        let at = self.place(title(group, kind, text), [read.len(), grouped]);
        self.rows.insert((row.stream, row.name), at);
        self.grow(at, size);
    }
}

/// Which calls of a device are of which group.
fn sorting(input: &RuleInput, device: &Device, rank: usize) -> Sorting {
    let is_meant = |of: &&Exposed| of.rank as usize == rank && of.class == Class::Communication;
    let mut rows: Vec<&Exposed> = device.exposed.iter().filter(is_meant).collect();
    order::sort_by_key(&mut rows, |of| (std::cmp::Reverse(of.exposed), of.name, of.stream));
    let name = |work: &Work| super::name_id(input, work.slice);
    let (mut sorting, mut left, mut calls) = (Sorting::default(), READ, CALLS as u64);
    for row in rows {
        let slices = match collective(input.trace.strings.get(row.name)) {
            None if row.n <= calls => {
                calls -= row.n;
                let works = bare::works(device, rank, Class::Communication);
                let own = works.filter(|work| (work.stream, name(work)) == (row.stream, row.name));
                own.map(|work| work.slice).collect()
            }
            _ if 3 <= left => {
                left -= 3;
                vec![row.longest.0, row.first, row.last]
            }
            _ => Vec::new(),
        };
        sorting.row(input, row, &slices);
    }
    sorting
}

/// The groups of a device, those that exchange most while nothing hides it first.
fn groups(input: &RuleInput, device: &Device, rank: usize, waiting: &Waiting) -> Vec<Group> {
    let none = (Map::default(), Map::default());
    let waits = waiting.of_rank.get(rank).unwrap_or(&none.0);
    let met = waiting.met.get(rank).unwrap_or(&none.1);
    let sorting = sorting(input, device, rank);
    let name = |work: &Work| super::name_id(input, work.slice);
    let place = |work: &Work| {
        let of_row = || sorting.rows.get(&(work.stream, name(work)));
        sorting.calls.get(&work.slice).or_else(of_row).copied()
    };
    let sums = bare::by(device, rank, Class::Communication, place);
    let mut waiting: Map<usize, Vec<(Span, usize)>> = Map::default();
    let mut works: Map<usize, Vec<&Work>> = Map::default();
    for work in bare::works(device, rank, Class::Communication) {
        let Some(at) = place(work) else { continue };
        waiting.entry(at).or_default().extend(waits.get(&work.slice));
        works.entry(at).or_default().push(work);
    }
    let mut left = CALLS;
    let others = sorting.titles.iter().filter(|((_, _, is_named), _)| !is_named);
    let [read, grouped] = others.fold([0; 2], |sum, (_, own)| [sum[0] + own[0], sum[1] + own[1]]);
    let group = |(at, sum): (usize, Bare)| {
        let ((name, subject, is_named), _) = sorting.titles.get(at)?.clone();
        let own = || waiting.get(&at).into_iter().flatten();
        let of = device.ranks.get(rank);
        let (waiting, awaited) =
            of.map_or((0, Vec::new()), |of| (waiting_of(of, own()), awaited_of(of, own())));
        let works = works.get(&at).map_or(&[][..], Vec::as_slice);
        let is_read = works.len() <= left;
        left -= works.len().min(left);
        let long = if is_read { overlong(input, works) } else { Vec::new() };
        let n_long = long.len();
        let waits = own().map(|(wait, _)| (wait.start, wait.end));
        let both = of.map_or(0, |of| bare::idle(of, waits.chain(long).collect()));
        let overlong = (n_long, (both - waiting).max(0));
        let size = sorting.sizes.get(&at).copied().unwrap_or(0);
        let unmet = of.map_or_else(Unmet::default, |of| Unmet::of(input, of, works, met, sum.alone));
        let met = works.iter().find_map(|work| met.get(&work.slice)).copied();
        let group = Group {
            name,
            subject,
            is_named,
            read,
            grouped,
            size,
            met,
            sum,
            waiting,
            awaited,
            unmet,
            overlong,
        };
        Some(group)
    };
    let mut groups: Vec<Group> = sums.into_iter().filter_map(group).collect();
    order::sort_by_key(&mut groups, |group| std::cmp::Reverse(group.exchanging()));
    groups
}

/// How it was found out.
fn how(group: &Group) -> Message {
    if group.is_named {
        return message(
            "For each process group: the time during which no stream of the device computes. Communications of one group that run at the same time count once. The group is what the arguments of the longest, the first and the last one of each name and stream agree on.",
        );
    }
    match group.grouped {
        0 => message("For each kind of communication: the time during which no stream of the device computes. Communications of one kind that run at the same time count once. No arguments name a process group: kinds are told by names, else by arguments."),
        n => message("For each kind of communication: the time during which no stream of the device computes. Communications of one kind that run at the same time count once. The arguments of {all} calls were read, {n} of them name a process group: not all calls of a name say the same one, so kinds are told, by names or by arguments.").with("all", group.read).with("n", n),
    }
}

pub(super) static EXPOSED: Rule = Rule {
    id: "device-communication-not-hidden",
    version: 6,
    title: phrase("Communication not hidden"),
    thresholds: &[
        Threshold {
            name: phrase("share of a device's time, for one group or kind"),
            value: 0.02,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("slices whose arguments are read to find their process group"),
            value: READ as f64,
            unit: Unit::None,
            source: phrase(
                "our own choice: reading takes time, and slices of one name on one stream share the group",
            ),
        },
        Threshold {
            name: phrase("calls whose arguments are read where names do not say which collective it is"),
            value: CALLS as f64,
            unit: Unit::None,
            source: phrase("our own choice: reading takes time"),
        },
        Threshold {
            name: phrase(
                "duration of a call that is no transfer, in those of another one with as much data or more",
            ),
            value: TIMES,
            unit: Unit::None,
            source: phrase("our own choice: other ways to exchange data may take a few times as long"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.exposed.iter().any(|of| of.class == Class::Communication) {
            return Looked::NotHere;
        }
        let waiting = waits(input, device);
        let waits_of = |scope: &Scope| waiting.of_rank.get(scope.rank).into_iter().flat_map(Map::values);
        let exposed = |scope: &Scope| (scope.communication - waiting_of(scope.of, waits_of(scope))).max(0);
        let waited = |scope: &Scope| scope.communication - exposed(scope);
        let holds = |scope: &Scope| EXPOSED.limit(0) <= scope.share(exposed(scope));
        let Some((scope, ticks)) = Scope::most(device, exposed) else { return Looked::NotHere };
        let nothing = || {
            let said = if scope.communication == ticks {
                message("exposed communication takes at most {share} of a device's time")
            } else {
                message(
                    "exposed communication takes at most {share} of a device's time, apart from waiting for other devices",
                )
            };
            Looked::Nothing(said.with("share", percent(scope.share(ticks))))
        };
        if !holds(&scope) {
            return nothing();
        }
        let groups = groups(input, device, scope.rank, &waiting);
        let counts = |group: &&Group| EXPOSED.limit(0) <= scope.share(group.exchanging());
        let n = groups.iter().filter(counts).count();
        let others = more(MOST, groups.iter().filter(counts).map(|group| group.subject.clone()));
        let all = groups.iter().map(|group| {
            let title = group.name.text(crate::base::words::Language::En).into_owned();
            (title, scope.value(input, group.sum.alone).0)
        });
        // Who comes last waits for nobody; those that wait for it are not told of otherwise.
        let elsewhere = Scope::most(device, waited)
            .filter(|(other, ticks)| other.rank != scope.rank && LAST.limit(1) <= other.share(*ticks));
        let elsewhere = elsewhere.map_or_else(Message::default, |(other, ticks)| {
            message(" {device} only waits for {last} for {time} of its communication; smaller buckets do not shorten that.")
                .with("device", &other.of.name)
                .with_message("last", lasts(input, device, &other, &awaited_of(other.of, waits_of(&other))))
                .with_message("time", other.said(input, ticks))
        });
        let picture = bars(scope.value(input, 0).1, all.take(5));
        let findings = groups.iter().filter(counts).take(MOST).map(|group| {
            let (value, unit) = scope.value(input, group.sum.alone);
            let hidden = percent(group.sum.hidden());
            // What is not hidden in a step may be of other groups, but no more than these have at all.
            let others_all = (scope.communication - group.sum.alone).max(0);
            let of_group = |step: &Step| (step.communication - others_all).max(0);
            let sentence = message("Communication of {group} runs for ⟦{time}⟧ with no compute to hide it{on}.{others}");
            let line = message("{n} calls{each}; computing hides {share} of it. The longest exposed part takes {one}.{waits} {advice}{more}");
            let open = waiting.open(device, group);
            let advice = advice(input, &scope, group, (open.as_ref(), &waiting));
            let waits = told_of(input, device, &scope, (group, open.map(|open| open.0), &elsewhere));
            let model = match group.waiting {
                0 => message("If all of it overlapped with compute and nothing took longer."),
                _ => message("Assumes that all of it, except waiting for other devices, overlaps with compute and nothing takes longer."),
            };
            let (slice, longest) = group.sum.barest;
            let span = span_of(input, slice);
            Finding {
                subject: group.subject.clone(),
                severity: Severity::Warning,
                sentence: sentence
                    .with_message("group", group.name.clone())
                    .with_message("time", scope.said_of(input, device, (group.sum.alone, of_group)))
                    .with_message("on", scope.on(device))
                    .with_message("others", of_how_many(device, holds)),
                line: line
                    .with("n", scope.count(group.sum.n))
                    .with_message("each", scope.each())
                    .with("share", hidden)
                    .with("one", input.duration(longest))
                    .with_message("waits", waits)
                    .with_message("advice", advice)
                    .with_message("more", others.clone()),
                value,
                unit: unit.clone(),
                saving: bound(
                    waiting.are_aligned && group.waiting != 0 && group.unmet.n == 0,
                    scope.value(input, group.exchanging()).0,
                    scope.all_value(input),
                    unit.clone(),
                    model,
                ).of(scope.whole()),
                evidence: Evidence {
                    shown: if n < 2 { message("the longest, {one}").with("one", with_unit(input.time(longest).0, &unit)) } else { message("all groups") },
                    figure: Some(if n < 2 { excerpt(input, device, scope.rank, slice) } else { picture.clone() }),
                    numbers: numbers(input, device, &scope, group),
                    how: scope.how(input, how(group)),
                    view: "timeline".to_owned(),
                    address: Place::view("timeline").around(span).slice(input.trace, slice).address(),
                    list: Place::view("statistics").state("by", "kernels").address(),
                    ..Evidence::default()
                },
                ..EXPOSED.finding()
            }
        });
        let findings: Vec<Finding> = findings.collect();
        Looked::found_or(findings, || {
            let most = groups.iter().map(Group::exchanging).max().unwrap_or(0);
            message("communication of one group or kind is exposed for at most {share} of a device's time")
                .with("share", percent(scope.share(most)))
        })
    },
};

/// The numbers of a group.
fn numbers(input: &RuleInput, device: &Device, scope: &Scope, group: &Group) -> Vec<Number> {
    let of = |scope: &Scope, name: &'static str, ticks: Ticks| {
        let (value, unit) = scope.value(input, ticks);
        Number::new(name, value, unit).note(scope.note(ticks))
    };
    let time = |name: &'static str, ticks: Ticks| of(scope, name, ticks);
    let met = group.unmet.scope(device, scope);
    let waiting = of(&met, phrase("Part spent waiting for other devices"), group.waiting);
    let of_group = [
        Some(time(phrase("Exposed"), group.sum.alone)),
        (group.waiting != 0).then_some(waiting),
        (group.overlong.1 != 0).then(|| time(phrase("Probably waiting, not transfer"), group.overlong.1)),
        Some(time(phrase("Total"), group.sum.total)),
        Some(Number::new(phrase("Hidden"), group.sum.hidden(), Unit::Share)),
        Some(Number::new(phrase("Calls"), group.sum.n as f64, Unit::None)),
    ];
    let all = time(phrase("All groups combined"), scope.communication);
    of_group.into_iter().flatten().chain([all]).collect()
}

/// What could be saved at most; where clocks that were aligned tell it, that is about so much.
pub(super) fn bound(is_about: bool, value: f64, whole: f64, unit: Unit, model: Message) -> Saving {
    if is_about {
        Saving::about(value, whole, unit, model)
    } else {
        Saving::at_most(value, whole, unit, model)
    }
}

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
