//! What pipes did, whoever says it: counters of a device, or slices of a timeline.

use super::operator::{Kind, Operator, Pipe, operators, whole};
use crate::analysis::compare::headline::Quantity;
use crate::base::map::Set;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::RuleInput;
use crate::findings::place::Place;
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::systems::ascend::kernel::sums::{PipeSum, Sums};
use crate::systems::ascend::kernel::{ANALYSIS, WORKING, kind_of_core, path, spelled};
use crate::systems::ascend::reader::{OF_SOME, PIPES, WAITS_OF_SOME};
use crate::systems::ascend::{AS_LONG, BOUND};

/// The pipes of an operator.
pub(super) struct Seen<'a> {
    /// `None` where they are those of a timeline.
    pub(super) operator: Option<Operator<'a>>,
    pub(super) kinds: Vec<Kind>,
    /// How long all of it took, in this unit.
    pub(super) whole: f64,
    pub(super) unit: Unit,
}

/// Of each operator, or of the timeline where figures tell of fewer pipes than it does.
pub(super) fn seen<'a>(input: &RuleInput<'a>) -> Vec<Seen<'a>> {
    let of_device = figures(input);
    let known = |kinds: &[Kind], name: &str| kinds.iter().any(|kind| kind.name == name && kind.is_known());
    let is_short = |own: &[Kind]| own.iter().any(|kind| !kind.is_known());
    match of_device.as_slice() {
        [] => of_timeline(input).into_iter().collect(),
        [one] if is_short(&one.kinds) && operators(input.trace).len() == 1 => {
            let more = of_timeline(input).filter(|timeline| {
                let mut names = timeline.kinds.iter().map(|kind| kind.name.as_str());
                names.any(|name| known(&timeline.kinds, name) && !known(&one.kinds, name))
            });
            more.map_or(of_device, |timeline| vec![timeline])
        }
        _ => of_device,
    }
}

/// Of each operator, as figures tell it.
pub(super) fn figures<'a>(input: &RuleInput<'a>) -> Vec<Seen<'a>> {
    let whole = whole(input);
    let of_device = operators(input.trace).into_iter().filter_map(|operator| {
        let kinds = operator.pipes();
        let is_timed = whole.is_some() && kinds.iter().all(|kind| kind.time.is_some());
        let (whole, unit) = if is_timed { (whole.unwrap_or(1.0), Unit::Nanos) } else { (1.0, Unit::Share) };
        (!kinds.is_empty()).then_some(Seen { operator: Some(operator), kinds, whole, unit })
    });
    of_device.collect()
}

impl Seen<'_> {
    /// How long the slowest core of a kind took, in the unit of the whole.
    pub(super) fn time(&self, kind: &Kind) -> f64 {
        if self.unit == Unit::Share { 1.0 } else { kind.time.unwrap_or(self.whole) }
    }

    /// How long the slowest of all cores took, in the unit of the whole.
    pub(super) fn longest(&self) -> f64 {
        self.kinds.iter().map(|kind| self.time(kind)).fold(0.0, f64::max)
    }

    /// How long the slowest core of a kind took for a block, as kinds compare: all take part in each block. `None` where
    /// that is not measured of each kind.
    pub(super) fn of_block(&self, kind: &Kind) -> Option<f64> {
        kind.slowest.filter(|_| self.kinds.iter().all(|own| own.slowest.is_some()))
    }

    /// The busiest pipe of the cores that take the time, with their kind: what cores do that end long before the others
    /// does not bound. `None` where only one pipe of them was recorded.
    pub(super) fn busiest(&self) -> Option<(&Kind, &Pipe)> {
        let known = self.deciding().filter(|kind| kind.is_known());
        let all = known.filter_map(|kind| Some((kind, kind.pipes.first()?)));
        all.max_by(|a, b| a.1.deciding.total_cmp(&b.1.deciding))
    }

    /// The kinds of cores that take the time: the one whose slowest core takes longest, and those that take about as long.
    pub(super) fn deciding(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| self.takes_time(kind))
    }

    /// Whether a kind of cores is one of these.
    pub(super) fn takes_time(&self, kind: &Kind) -> bool {
        // Of some that have a time, those that take longest are told by it.
        let is_timed = self.kinds.iter().all(|kind| kind.at_least.is_some());
        let time = |kind: &Kind| kind.at_least.filter(|_| is_timed).unwrap_or_else(|| self.time(kind));
        let longest = self.kinds.iter().map(time).fold(0.0, f64::max);
        AS_LONG * longest <= time(kind)
    }

    /// Why nothing says what bounds the cores that take the time.
    pub(super) fn undecided(&self) -> Option<Message> {
        let (busiest, _) = self.busiest()?;
        busiest.undecided().or_else(|| {
            let is_decided = busiest.pipes.first().is_some_and(|pipe| BOUND <= pipe.deciding);
            self.deciding().filter(|_| !is_decided).find_map(Kind::undecided)
        })
    }

    /// What a saving is a share of.
    pub(super) fn share(&self) -> &'static str {
        match &self.operator {
            None => phrase("{share} of the timeline"),
            Some(_) if self.unit == Unit::Share => phrase("of operator time"),
            Some(operator) if operator.duration.is_none() => phrase("{share} of the longest block"),
            Some(_) => phrase("{share} of operator time"),
        }
    }

    /// Where the pipes are shown.
    pub(super) fn place(&self) -> (&'static str, String) {
        match self.operator.as_ref().map(|own| own.family(PIPES)) {
            Some(family) => ("details", super::details(family.map_or(PIPES, |family| &family.id), &[])),
            None => ("details", Place::view("details").figure("pipe-times", &[]).address()),
        }
    }

    /// Of how many blocks or units the pipes of a kind are known, where these are not all; a sentence.
    pub(super) fn of_some(&self, kind: &str) -> Option<Message> {
        self.operator.as_ref()?.pipes_of_some(kind).cloned()
    }

    /// The same in short: `3 of 16 vector units`.
    pub(super) fn covers(&self, kind: &str) -> Option<Message> {
        let note = self.of_some(kind)?;
        let said = if note.key == OF_SOME {
            message("{n} of {m} blocks")
        } else {
            message("{n} of {m} {kind} units")
        };
        Some(Message { args: note.args, ..said })
    }

    /// Of how many blocks waits are known, where these are not all; a sentence.
    pub(super) fn waits_of_some(&self) -> Option<Message> {
        let (figure, _) = self.operator.as_ref()?.of_all(PIPES)?;
        figure.notes.iter().find(|note| note.key == WAITS_OF_SOME).cloned()
    }

    /// What tells it from the same of others.
    pub(super) fn subject(&self, of: &str) -> String {
        self.operator.as_ref().map_or_else(|| of.to_owned(), |own| own.subject(of))
    }
}

/// One core of a timeline.
pub(super) struct Core {
    pub(super) id: TrackId,
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) span: Span,
}

/// What the timeline's slices come to; `None` for other traces.
pub(super) fn sums<'a>(input: &RuleInput<'a>) -> Option<&'a Sums> {
    input.result::<Sums>(&ANALYSIS).filter(|sums| !sums.pipes.is_empty())
}

/// The cores of a timeline whose names tell their kind.
pub(super) fn cores(input: &RuleInput) -> Vec<Core> {
    cores_of(input.trace, sums(input))
}

fn cores_of(trace: &Trace, sums: Option<&Sums>) -> Vec<Core> {
    let mut cores: Vec<Core> = Vec::new();
    let mut seen: Set<TrackId> = Set::default();
    for pipe in sums.map_or(&[][..], |sums| &sums.pipes) {
        if seen.insert(pipe.core) {
            let name = path(trace, pipe.core);
            let kind = kind_of_core(&name);
            cores.push(Core { id: pipe.core, name, kind, span: pipe.span });
        }
    }
    cores.retain(|core| core.name.contains("core"));
    cores
}

/// What an operator of which only a timeline is known is compared by: its time and its cores.
pub(in crate::systems::ascend) fn of_cores(trace: &Trace, sums: Option<&Sums>) -> Option<Quantity> {
    let cores = cores_of(trace, sums);
    let whole = cores.iter().map(|core| core.span).reduce(Span::union)?;
    let time = match trace.clock.nanos() {
        Some(nanos) => (whole.dur() as f64 * nanos, Unit::Nanos),
        None => (whole.dur() as f64, Unit::Cycles),
    };
    let n = cores.len();
    Some(Quantity::new(phrase("Time of all cores"), time, &n, message("{n} cores").with("n", n)))
}

/// Of the timeline.
pub(super) fn of_timeline<'a>(input: &RuleInput<'a>) -> Option<Seen<'a>> {
    let sums = sums(input)?;
    let cores = cores(input);
    let whole = cores.iter().map(|core| core.span).reduce(Span::union)?;
    let mut kinds = Vec::new();
    for kind in ["cube", "vector", "AI"] {
        let own: Vec<&Core> = cores.iter().filter(|core| core.kind == kind).collect();
        let is_own = |pipe: &&PipeSum| own.iter().any(|core| core.id == pipe.core);
        let span: i128 = own.iter().map(|core| i128::from(core.span.dur())).sum();
        let longest = own.iter().map(|core| core.span.dur()).max().unwrap_or(0);
        let mut names: Vec<&str> = Vec::new();
        let name_of = |pipe: &PipeSum| input.trace.strings.get(input.trace.tracks.get(pipe.track).name);
        for pipe in sums.pipes.iter().filter(is_own) {
            let name = name_of(pipe);
            if WORKING.contains(&name) && !names.contains(&name) {
                names.push(name);
            }
        }
        let pipe = |name: &&str| {
            let pipes = sums.pipes.iter().filter(is_own).filter(|pipe| name_of(pipe) == *name);
            let pipes: Vec<&PipeSum> = pipes.collect();
            let part = |ticks: i128| ticks as f64 / span.max(1) as f64 * 100.0;
            let sum = |of: fn(&PipeSum) -> Ticks| pipes.iter().map(|pipe| i128::from(of(pipe))).sum::<i128>();
            let share = |pipe: &&PipeSum| pipe.busy as f64 / pipe.span.dur().max(1) as f64 * 100.0;
            let ends = pipes.iter().map(share).fold((100.0_f64, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
            let most = pipes.iter().map(|pipe| pipe.busy).max().unwrap_or(0);
            let least = if pipes.len() < own.len() { 0.0 } else { ends.0 };
            Pipe {
                name: spelled(name).to_owned(),
                active: part(sum(|pipe| pipe.busy)),
                deciding: part(sum(|pipe| pipe.busy)),
                in_longest: None,
                least,
                of_every: least,
                most: ends.1,
                at: String::new(),
                waiting: Some(part(sum(|pipe| pipe.waiting))),
                need: Some(input.time(most).0),
                needs: Vec::new(),
                units: Vec::new(),
            }
        };
        let mut pipes: Vec<Pipe> = names.iter().map(pipe).collect();
        order::sort_by(&mut pipes, |a, b| b.active.total_cmp(&a.active));
        if !pipes.is_empty() && 0 < span {
            let time = Some(input.time(longest).0);
            kinds.push(Kind {
                name: kind.to_owned(),
                pipes,
                time,
                slowest: time,
                at_least: time,
                ..Kind::default()
            });
        }
    }
    let (whole, unit) = input.time(whole.dur());
    (!kinds.is_empty() && 0.0 < whole).then_some(Seen { operator: None, kinds, whole, unit })
}
