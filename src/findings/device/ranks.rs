//! Ranks that arrive last at collectives, by process group.

use super::exchange::bound;
use super::lateness::{Lateness, Manner};
use super::meetings::{Group, Meeting, Meetings};
use super::waiting::Moments;
use super::{OUR_CHOICE, Scope, bare, bars, devices};
use crate::analysis::device::{Class, Device};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share as fraction};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{self, excerpt_by, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold, more};
use crate::model::id::TrackId;

/// For whom others wait longest at the meetings of a group, and who waits for it.
struct Late<'a> {
    group: &'a Group,
    /// The place of the one they wait for among the members.
    at: usize,
    /// How often each member comes last: those that come about together are left out, as [`Group::late`] has it.
    times: Vec<u64>,
    /// Of all meetings.
    part: f64,
    /// Of all waiting of those that wait longest for the last one, the part in which it is this one.
    blame: f64,
    /// The one that waits for the largest share of its time while it computes nothing, how long, and what share.
    scope: Scope<'a>,
    wait: Ticks,
    share: f64,
    /// How much later than that one it arrives in all, whatever is computed meanwhile.
    later: Ticks,
    /// In which way it is late, if that is no chance.
    manner: Option<Manner>,
    /// How often it comes last and passes on what it waited for in other groups: that counts for nothing here.
    passed: u64,
}

impl<'a> Late<'a> {
    fn of(device: &'a Device, (of_group, group): (usize, &'a Group), lateness: &Lateness) -> Option<Self> {
        let n = group.members.len();
        let mut own: Vec<(Vec<&Meeting>, f64)> = vec![(Vec::new(), 0.0); n];
        let mut passed = vec![0; n];
        for meeting in &group.list {
            let Some(last) = group.late(meeting) else { continue };
            if lateness.passes_on(of_group, meeting, &last) {
                passed.iter_mut().skip(last.at).take(1).for_each(|n| *n += 1);
            } else if let Some((meetings, waited)) = own.get_mut(last.at) {
                meetings.push(meeting);
                *waited += (last.begun - last.first) as f64;
            }
        }
        let times = own.iter().zip(&passed).map(|((meetings, _), passed)| meetings.len() as u64 + passed);
        let times: Vec<u64> = times.collect();
        // How long others wait for a member counts, not how often: most meetings may differ by next to nothing.
        let scopes = group.members.iter().enumerate().map(|(who, rank)| met(device, group, who, *rank));
        let scopes: Vec<Option<Scope>> = scopes.collect();
        let longest = |at: usize| {
            let others = (0..n).filter(|who| *who != at);
            let others = others.filter_map(|who| {
                let scope = scopes.get(who)?.clone()?;
                let waits = own.get(at)?.0.iter().filter_map(|meeting| group.wait(meeting, who, Some(at)));
                let waits: Vec<(Ticks, Ticks)> = waits.map(|(_, span)| (span.start, span.end)).collect();
                let wait = bare::idle(scope.of, waits.clone());
                Some((scope.share(wait), (wait, bare::inside(scope.of, waits)), scope))
            });
            let others: Vec<_> = others.collect();
            others.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let all = (0..n).filter_map(|at| Some((at, longest(at)?)));
        let all: Vec<_> = all.collect();
        let often = |at: usize| times.get(at).copied().unwrap_or(0);
        let most = all
            .into_iter()
            .rev()
            .max_by(|(a, of_a), (b, of_b)| of_a.0.total_cmp(&of_b.0).then_with(|| often(*a).cmp(&often(*b))));
        let (at, (share, (wait, later), scope)) = most?;
        let passed = passed.get(at).copied().unwrap_or(0);
        let manner = lateness.manner(at, of_group);
        let part = often(at) as f64 / group.list.len().max(1) as f64;
        let waited = |(_, waited): &(Vec<&Meeting>, f64)| *waited;
        let blame = fraction(own.get(at).map_or(0.0, waited), own.iter().map(waited).sum());
        Some(Self { group, at, times, part, blame, scope, wait, share, later, manner, passed })
    }

    fn often(&self) -> u64 {
        self.times.get(self.at).copied().unwrap_or(0)
    }

    /// Whether it is more than chance, and costs something.
    fn is_late(&self) -> bool {
        self.manner.is_some()
            && LAST.limit(0) <= self.blame * self.times.len() as f64
            && LAST.limit(1) <= self.share
    }

    /// By how much it comes later than the one that waits for it, on average.
    fn lead(&self) -> Ticks {
        let group = self.group;
        let other = group.members.iter().position(|rank| *rank == self.scope.rank).unwrap_or(0);
        let begun = |meeting: &Meeting, at: usize| Some(meeting.get(at)?.0.start - group.ahead(at));
        let leads =
            group.list.iter().filter_map(|meeting| Some(begun(meeting, self.at)? - begun(meeting, other)?));
        leads.total() / (group.list.len().max(1) as Ticks)
    }

    /// Whether ends differ by more than it comes later, and as much would count.
    fn is_unsure(&self) -> bool {
        let ends = self.group.spread.saturating_mul(self.group.list.len() as Ticks);
        self.lead().abs() < self.group.spread && (self.is_late() || LAST.limit(1) <= self.scope.share(ends))
    }
}

/// What counts of a member: where its group meets in some steps only, and as often as ever in these, these alone. What others
/// did not record is not known.
fn met<'a>(device: &'a Device, group: &Group, who: usize, rank: usize) -> Option<Scope<'a>> {
    let scope = Scope::of(device, rank)?;
    if group.list.len() == group.all {
        return Some(scope);
    }
    let begun = group.list.iter().filter_map(|meeting| Some(meeting.get(who)?.0.start));
    let begun: Moments = begun.collect();
    let some = scope.over(device, |step| begun.touch(step.span));
    let is_whole = |some: &Scope| group.list.len() * some.of_all == group.all * some.n;
    Some(some.filter(is_whole).unwrap_or(scope))
}

/// Those who come late to the meetings of their groups, who costs most first.
fn lates<'a>(device: &'a Device, meetings: &'a Meetings) -> Vec<Late<'a>> {
    let lateness = Lateness::of(device, meetings);
    let groups = meetings.groups.iter().enumerate();
    let mut all: Vec<Late> = groups.filter_map(|group| Late::of(device, group, &lateness)).collect();
    order::sort_by(&mut all, |a, b| b.share.total_cmp(&a.share));
    all
}

/// Numbers of the devices that are late to meetings by more than chance and by themselves.
pub(super) fn late(device: &Device, meetings: &Meetings) -> Vec<usize> {
    let all = lates(device, meetings);
    let told = all.iter().filter(|late| late.is_late() && !late.is_unsure());
    told.filter_map(|late| late.group.members.get(late.at).copied()).collect()
}

pub(super) static LAST: Rule = Rule {
    id: "device-last-at-collectives",
    version: 10,
    title: phrase("Last to arrive at collectives"),
    thresholds: &[
        Threshold {
            name: phrase("share of the waiting caused by one device × number of devices"),
            value: 1.5,
            unit: Unit::None,
            source: phrase("our own choice: 50 % more than by chance"),
        },
        Threshold {
            name: phrase("share of the time that another device waits"),
            value: 0.01,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("share of collectives that may end before the last device starts"),
            value: 0.05,
            unit: Unit::Share,
            source: phrase("our own choice: none should, so the clocks differ if more do"),
        },
        Threshold {
            name: phrase("minimum collectives of a group"),
            value: 3.0,
            unit: Unit::None,
            source: phrase("our own choice: fewer do not tell how far their ends lie apart"),
        },
        Threshold {
            name: phrase("probability that some device is as late by chance"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: one false alarm in a hundred profiles"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input).filter(|device| 1 < device.ranks.len()) else {
            return Looked::NotHere;
        };
        if !device.exposed.iter().any(|of| of.class == Class::Communication) {
            return Looked::NotHere;
        }
        let meetings = match Meetings::of(input, device) {
            Ok(meetings) => meetings,
            Err(why) => return Looked::Missing(why),
        };
        let all = lates(device, &meetings);
        let name = |rank: usize| device.ranks.get(rank).map_or(String::new(), |rank| rank.name.clone());
        let who = |late: &Late| name(late.group.members.get(late.at).copied().unwrap_or(0));
        let is_one = meetings.n_groups < 2;
        let subject = |late: &Late| {
            if is_one { who(late) } else { format!("{}, {}", who(late), late.group.key.name) }
        };
        let found: Vec<&Late> = all.iter().filter(|late| late.is_late() && !late.is_unsure()).collect();
        let others = more(trace::MOST, found.iter().map(|late| subject(late)));
        let findings = found.iter().take(trace::MOST).map(|late| Finding {
            subject: subject(late),
            ..finding(input, late, (who(late), is_one), (others.clone(), &name))
        });
        let findings: Vec<Finding> = findings.collect();
        if !findings.is_empty() {
            return Looked::Found(findings);
        }
        if let Some(late) = all.iter().find(|late| late.is_unsure()) {
            let said = message(
                "the ends of collectives differ by {spread} once clocks are aligned by them, more than the {lead} by which {device} and {other} arrive apart on average",
            );
            return Looked::Missing(
                said.with("spread", input.duration(late.group.spread))
                    .with("lead", input.duration(late.lead().abs()))
                    .with("device", who(late))
                    .with("other", &late.scope.of.name),
            );
        }
        let Some(late) = all.first() else { return Looked::NotHere };
        if late.often() == 0 {
            let said =
                message("{n} collectives start on all devices within {spread}, as far apart as their ends");
            let said = said.with("n", thousands(late.group.list.len() as u64));
            return Looked::Nothing(said.with("spread", input.duration(late.group.spread)));
        }
        Looked::Nothing(nothing(input, late, who(late)))
    },
};

/// What is said of waiting for which no device is to blame, or too little of it.
fn nothing(input: &RuleInput, late: &Late, who: String) -> Message {
    let said = match late.manner {
        _ if late.often() < 2 * late.passed => message(
            "{device} arrives last at {share} of {n} collectives, mostly because it waited in other process groups before",
        ),
        None => message(
            "no device arrives later than the others by more than may be chance; {other} waits longest, {wait} in {n} collectives",
        ),
        _ => message(
            "{device} makes the other devices wait longest, {wait} at most; it arrives last at {share} of {n} collectives",
        ),
    };
    said.with("device", who)
        .with("other", &late.scope.of.name)
        .with("share", percent(late.part))
        .with("n", thousands(late.group.list.len() as u64))
        .with("wait", input.duration(late.wait))
}

/// Who comes last; of which group, where there are several.
fn sentence(input: &RuleInput, late: &Late, who: String, is_one: bool) -> Message {
    let said = if is_one {
        message("{device} arrives last at ⟦{share}⟧ of the collectives; {other} waits {wait} for it.")
    } else {
        message(
            "{device} arrives last at ⟦{share}⟧ of the collectives of {group}; {other} waits {wait} for it.",
        )
        .with_message("group", late.group.key.title())
    };
    let (n, all) = (late.group.list.len(), late.group.all);
    let wait = if n < all {
        message("{time} in {n} of {all} collectives")
            .with("time", input.duration(late.wait))
            .with("n", thousands(n as u64))
            .with("all", thousands(all as u64))
    } else {
        late.scope.said(input, late.wait)
    };
    said.with("device", who)
        .with("share", percent(late.part))
        .with("other", &late.scope.of.name)
        .with_message("wait", wait)
}

/// The numbers, and how they were found; without picture and place.
fn evidence(input: &RuleInput, late: &Late) -> Evidence {
    let (group, scope) = (late.group, &late.scope);
    let [offset, spread] = [group.offset(), group.spread].map(|ticks| input.time(ticks));
    let (value, unit) = scope.value(input, late.wait);
    let all = group.list.len();
    Evidence {
            shown: if group.members.len() <= 5 { message("the collective with the longest wait, clocks aligned") } else { message("how often each arrives last") },
            numbers: vec![
                Number::new(phrase("Collectives"), all as f64, Unit::None),
                Number::new(phrase("Arrives last"), late.often() as f64, Unit::None).note(percent(late.part)),
                Number::new(phrase("Longest total wait for it"), value, unit.clone()).note(scope.note(late.wait)),
                Number::new(phrase("Total lateness"), scope.value(input, late.later).0, unit).note(scope.note(late.later)),
                Number::new(phrase("Clock offset taken off"), offset.0, offset.1),
                Number::new(phrase("Spread of end times"), spread.0, spread.1),
                Number::new(phrase("Collectives that end before the last device starts"), group.wrong as f64, Unit::None),
            ],
            how: scope.how(input, message(
                "Collectives of a kind (all-reduce, all-gather, …; by names, else by what lies around them, else by arguments) of a process group are matched across devices by their numbers, else by their order, and where some are missing by their ends. Since a collective ends on all devices at once, clocks are aligned by the ends of {n} collectives: offset {offset}, spread {spread} (90 % of the ends differ by less). The last is the one whose kernel begins last, where that is later than the first by more than the spread; until then the others wait, which counts where they compute nothing. A device is named if it comes later than the others by more than chance (Student's t over steps, else over what lies between two exchanges with nothing computed behind the first; for as many devices and groups), or if most of the waiting is at one time. Where it waited in another group before, that is not counted.",
            )
            .with("n", thousands(all as u64))
            .with("offset", input.duration(group.offset()))
            .with("spread", input.duration(group.spread))),
            view: "timeline".to_owned(),
            ..Evidence::default()
    }
}

/// Of what a group was told, and what to look at; `more` is left open.
fn line(input: &RuleInput, late: &Late) -> Message {
    let (group, scope) = (late.group, &late.scope);
    let (all, n) = (group.list.len(), group.members.len());
    let open = match group.key.size {
        size if n < size => {
            message(" Only {n} of the {size} devices of the group have collectives in the files.")
                .with("n", n)
                .with("size", size)
        }
        _ => Message::default(),
    };
    let clocks = match group.offset() {
        0 => Message::default(),
        _ => {
            message(" The clocks were aligned by the ends of collectives: each wait is known to ± {spread}.")
                .with("spread", input.duration(group.spread))
        }
    };
    let part = match group.all {
        many if all < many => message(
            " {n} of {all} collectives were recorded on each device; waits in the others are not known.",
        )
        .with("n", thousands(all as u64))
        .with("all", thousands(many as u64)),
        _ => Message::default(),
    };
    let later = match late.later - late.wait {
        0 => Message::default(),
        rest => {
            message(" It arrives {later} later in all{known}; {other} still computes during {rest} of that.")
                .with_message("later", scope.said(input, late.later))
                .with_message("known", scope.known())
                .with("other", &scope.of.name)
                .with("rest", scope.time(input, rest))
        }
    };
    let passed = match late.passed {
        0 => Message::default(),
        n => message(" At {n} of them it arrives last because it waited in other process groups before; these waits are not counted.")
            .with("n", thousands(n)),
    };
    let check = if late.manner == Some(Manner::Once) {
        message(" Most of the waiting is at one time: check what this device does before the longest wait.")
    } else {
        message(
            " Check what this device does before them: more work, lower clocks, or late launches by the host.",
        )
    };
    message("{n} collectives of {all} devices.{later}{passed}{check}{clocks}{part}{open}{more}")
        .with("n", thousands(all as u64))
        .with_message("later", later)
        .with_message("passed", passed)
        .with_message("check", check)
        .with_message("clocks", clocks)
        .with_message("part", part)
        .with("all", n)
        .with_message("open", open)
}

/// What is said of a group; `name` are names of devices.
fn finding(
    input: &RuleInput,
    late: &Late,
    (who, is_one): (String, bool),
    (others, name): (Message, &dyn Fn(usize) -> String),
) -> Finding {
    let (group, scope, n) = (late.group, &late.scope, late.group.members.len());
    let lasts = group.list.iter().filter_map(|meeting| Some((meeting, group.late(meeting)?)));
    let own = lasts.filter(|(_, last)| last.at == late.at);
    let meeting = own.max_by_key(|(_, last)| last.begun - last.first).map(|(meeting, _)| meeting);
    let spans = meeting.into_iter().flatten().enumerate();
    let window = spans.clone().map(|(_, (span, _))| *span).reduce(Span::union).unwrap_or_default();
    let aligned = spans.clone().map(|(at, (span, _))| span.shifted(-group.ahead(at)));
    let aligned = aligned.reduce(Span::union).unwrap_or_default();
    let lanes: Vec<(TrackId, Ticks)> =
        spans.map(|(at, (_, slice))| (slice.track, -group.ahead(at))).take(5).collect();
    let tracks: Vec<TrackId> = lanes.iter().map(|(track, _)| *track).collect();
    // As soon as it is not late, what is exchanged may lie under what others compute: more than the wait is saved then, but
    // only what nothing hides now. It comes later to each of several collectives by what is lost once.
    let (value, unit) = scope.value(input, late.later.min(scope.communication));
    let figure = if n <= 5 {
        excerpt_by(input, aligned, &lanes)
    } else {
        let members = group.members.iter().zip(&late.times);
        let mut rows: Vec<(String, f64)> = members.map(|(rank, n)| (name(*rank), *n as f64)).collect();
        order::sort_by(&mut rows, |a, b| b.1.total_cmp(&a.1));
        bars(Unit::None, rows.into_iter().take(5))
    };
    Finding {
        severity: Severity::Warning,
        sentence: sentence(input, late, who, is_one),
        line: line(input, late).with_message("more", others),
        value: late.part,
        unit: Unit::Share,
        saving: bound(
            group.offset() != 0 || group.list.len() < group.all,
            value,
            scope.all_value(input),
            unit.clone(),
            message("How much later this device arrives than the one that waits longest, whether that one computes meanwhile or not; but no more than the exposed communication of that one, since only this can become shorter."),
        ).of(scope.whole()),
        evidence: Evidence {
            figure: Some(figure),
            address: Place::view("timeline").around(window).range(window).tracks(input.trace, &tracks).address(),
            ..evidence(input, late)
        },
        ..LAST.finding()
    }
}
