//! What pipes did, whoever says it: counters of a device, or slices of a timeline.

use super::operator::{Kind, Operator, Pipe, operators, whole};
use crate::base::map::Set;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::findings::RuleInput;
use crate::findings::place::Place;
use crate::model::id::TrackId;
use crate::systems::ascend::kernel::sums::{PipeSum, Sums};
use crate::systems::ascend::kernel::{ANALYSIS, WORKING, kind_of_core, path};
use crate::systems::ascend::reader::PIPES;

/// The pipes of an operator.
pub(super) struct Seen<'a> {
    /// `None` where they are those of a timeline.
    pub(super) operator: Option<Operator<'a>>,
    pub(super) kinds: Vec<Kind>,
    /// How long all of it took, in this unit.
    pub(super) whole: f64,
    pub(super) unit: Unit,
}

/// Of each operator, or of the timeline where no figure tells of pipes.
pub(super) fn seen<'a>(input: &RuleInput<'a>) -> Vec<Seen<'a>> {
    let whole = whole(input);
    let of_device = operators(input.trace).into_iter().filter_map(|operator| {
        let kinds = operator.pipes();
        let is_timed = whole.is_some() && kinds.iter().all(|kind| kind.time.is_some());
        let (whole, unit) = if is_timed { (whole.unwrap_or(1.0), Unit::Nanos) } else { (1.0, Unit::Share) };
        (!kinds.is_empty()).then_some(Seen { operator: Some(operator), kinds, whole, unit })
    });
    let of_device: Vec<Seen> = of_device.collect();
    if of_device.is_empty() { of_timeline(input).into_iter().collect() } else { of_device }
}

impl Seen<'_> {
    /// How long the slowest core of a kind took, in the unit of the whole.
    pub(super) fn time(&self, kind: &Kind) -> f64 {
        if self.unit == Unit::Share { 1.0 } else { kind.time.unwrap_or(self.whole) }
    }

    /// Where the pipes are shown.
    pub(super) fn place(&self) -> (&'static str, String) {
        match self.operator.as_ref().map(|own| own.family(PIPES)) {
            Some(family) => ("details", super::details(family.map_or(PIPES, |family| &family.id), &[])),
            None => ("details", Place::view("details").figure("pipe-times", &[]).address()),
        }
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
    let mut cores: Vec<Core> = Vec::new();
    let mut seen: Set<TrackId> = Set::default();
    for pipe in sums(input).map_or(&[][..], |sums| &sums.pipes) {
        if seen.insert(pipe.core) {
            let name = path(input.trace, pipe.core);
            let kind = kind_of_core(&name);
            cores.push(Core { id: pipe.core, name, kind, span: pipe.span });
        }
    }
    cores.retain(|core| core.name.contains("core"));
    cores
}

fn of_timeline<'a>(input: &RuleInput<'a>) -> Option<Seen<'a>> {
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
            Pipe {
                name: (*name).to_owned(),
                active: part(sum(|pipe| pipe.busy)),
                least: if pipes.len() < own.len() { 0.0 } else { ends.0 },
                most: ends.1,
                at: String::new(),
                waiting: Some(part(sum(|pipe| pipe.waiting))),
            }
        };
        let mut pipes: Vec<Pipe> = names.iter().map(pipe).collect();
        pipes.sort_by(|a, b| b.active.total_cmp(&a.active));
        if 1 < pipes.len() && 0 < span {
            kinds.push(Kind { name: kind.to_owned(), pipes, time: Some(input.time(longest).0) });
        }
    }
    let (whole, unit) = input.time(whole.dur());
    (!kinds.is_empty() && 0.0 < whole).then_some(Seen { operator: None, kinds, whole, unit })
}
