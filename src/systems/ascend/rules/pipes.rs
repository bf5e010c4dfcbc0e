//! Rules on pipes: which one bounds the cores, whether scalars do, whether none does, and whether moving and computing pass
//! at once.

use super::bound::{Rest, rest};
use super::operator::{Kind, Pipe};
use super::seen::{Seen, cores, of_timeline, seen, sums};
use super::{bars, of_100, together};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::with_unit;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::BarRole;
use crate::systems::ascend::claims::{self, Parts, Share};
use crate::systems::ascend::kernel::{WELL, path};
use crate::systems::ascend::{BOUND, TURNS};

const OF_CYCLES: Threshold = Threshold {
    name: phrase("share of core cycles from which a pipe is the bottleneck, %"),
    value: BOUND,
    unit: Unit::Percent,
    source: phrase("msprof op manual, roofline advice: below it, the operator is latency bound"),
};

/// What every rule on pipes says where nothing tells of them.
fn no_pipes(input: &RuleInput) -> Looked {
    let is_operator = !super::operators(input.trace).is_empty() || !input.trace.code.listings.is_empty();
    let is_ours = input.trace.coloring.by_row() || is_operator && has_blocks(input);
    if !is_ours {
        return Looked::NotHere;
    }
    Looked::Missing(message(
        "no pipe activity recorded: use msprof op --aic-metrics=Default, or msprof op simulator",
    ))
}

fn has_blocks(input: &RuleInput) -> bool {
    !super::operators(input.trace).is_empty()
}

/// The finding on the busiest pipe of a kind of cores, without what follows.
fn of_pipe(rule: &Rule, seen: &Seen, kind: &Kind, rest: &Rest, model: Message) -> Finding {
    let Some(pipe) = kind.pipes.first() else { return rule.finding() };
    let shown = kind.pipes.iter().take(5);
    let figure = shown.clone().map(|pipe| (pipe.name.clone(), pipe.active, BarRole::Work));
    let (view, address) = seen.place();
    let how = if seen.operator.is_some() {
        message(
            "Cycles in which a pipe was active over all cycles of this kind of core, according to device counters.",
        )
    } else {
        message(
            "Time in which at least one instruction of a pipe is active, over the time from the first to the last slice of its core.",
        )
    };
    let at_most = Number::new(phrase("Core with the highest value"), pipe.most, Unit::Percent);
    let at_most =
        if pipe.at.is_empty() { at_most } else { at_most.note(message("block {n}").with("n", &pipe.at)) };
    let ends = [Number::new(phrase("Core with the lowest value"), pipe.least, Unit::Percent), at_most];
    Finding {
        subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
        severity: Severity::Warning,
        sentence: limiter(seen, kind),
        claims: vec![claims::limiter(&kind.name)],
        value: pipe.active,
        unit: Unit::Percent,
        saving: rest.saving(seen, model),
        evidence: Evidence {
            shown: message("pipes of the {kind} cores, % of their time").with("kind", &kind.name),
            figure: Some(bars(Unit::Percent, Some(100.0), figure.collect())),
            numbers: shown.map(Pipe::number).chain(ends).chain(rest.number.clone()).collect(),
            how,
            view: view.to_owned(),
            address,
            ..Evidence::default()
        },
        ..rule.finding()
    }
}

/// ` of MatmulCustom`, where there are several.
pub(super) fn which(seen: &Seen) -> Message {
    seen.operator.as_ref().map_or_else(Message::default, super::operator::Operator::of_which)
}

/// What bounds the cores of a kind, in the words that the figure of pipes has too.
fn limiter(seen: &Seen, kind: &Kind) -> Message {
    let of = if seen.operator.is_some() { Parts::Cycles } else { Parts::Time };
    let text = claims::bound(&kind.name, &shares(kind), of, claims::strongly).unwrap_or_default();
    match &seen.operator {
        Some(operator) => operator.told(text),
        None => text,
    }
}

/// The pipes of a kind, the busiest first.
fn shares(kind: &Kind) -> Vec<Share<'_>> {
    let shares = kind.pipes.iter().map(|pipe| Share {
        pipe: &pipe.name,
        active: pipe.active,
        least: pipe.least,
        most: pipe.most,
        waiting: pipe.waiting,
    });
    shares.collect()
}

/// What remains if a pipe of a kind of core took no time, and the sentence that supposes it.
fn without(seen: &Seen, kind: &Kind, pipe: &Pipe) -> (Rest, Message) {
    let model = message("If {pipe} of the {kind} cores took no time: {rest}");
    (rest(seen, Some((kind, pipe))), model.with("pipe", &pipe.name).with("kind", &kind.name))
}

pub(super) fn is_scalar(pipe: &Pipe) -> bool {
    pipe.name.to_lowercase().starts_with("scalar")
}

/// Asks of the pipes of each operator.
pub(super) fn each_seen(input: &RuleInput, ask: impl Fn(&Seen) -> Looked) -> Looked {
    let all = seen(input);
    if all.is_empty() { no_pipes(input) } else { together(all.iter().map(ask)) }
}

pub(super) static SCALAR: Rule = Rule {
    id: "ascend-scalar-bound",
    version: 2,
    title: phrase("Cores bound by scalar work"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let scalars = seen.kinds.iter().flat_map(|kind| &kind.pipes).filter(|pipe| is_scalar(pipe));
            let Some(most) = scalars.map(|pipe| pipe.active).reduce(f64::max) else {
                return Looked::Missing(message("scalar work was not recorded"));
            };
            let bound = seen.kinds.iter().filter(|kind| kind.is_known());
            let bound = bound.filter(|kind| {
                kind.pipes.first().is_some_and(|pipe| is_scalar(pipe) && SCALAR.limit(0) <= pipe.active)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (rest, model) = without(seen, kind, pipe);
                let line = message("Hoist address arithmetic and conditions out of loops, process elements with vector instructions instead of GetValue and SetValue, and use an instruction's repeat instead of a loop.");
                Some(Finding { line, ..of_pipe(&SCALAR, seen, kind, &rest, model) })
            });
            Looked::found_or(findings.collect(), || {
                message("scalar work is active in at most {n} of the core cycles").with("n", of_100(most))
            })
        })
    },
};

pub(super) static PIPE: Rule = Rule {
    id: "ascend-pipe-bound",
    version: 2,
    title: phrase("Cores bound by one pipe"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let known = || seen.kinds.iter().filter(|kind| kind.is_known());
            let all = known().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let most =
                all.filter(|(_, pipe)| !is_scalar(pipe)).max_by(|a, b| a.1.active.total_cmp(&b.1.active));
            let Some((most_of, most)) = most else {
                return Looked::Missing(message("only one pipe was recorded"));
            };
            let bound = known().filter(|kind| {
                let first = kind.pipes.first();
                first.is_some_and(|own| !is_scalar(own) && PIPE.limit(0) <= own.active)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (rest, model) = without(seen, kind, pipe);
                Some(Finding { line: remedy(&pipe.name), ..of_pipe(&PIPE, seen, kind, &rest, model) })
            });
            Looked::found_or(findings.collect(), || {
                let said = message(
                    "the busiest pipe other than Scalar, {pipe} of the {kind} cores, is active in {n}",
                );
                said.with("pipe", &most.name).with("kind", &most_of.name).with("n", of_100(most.active))
            })
        })
    },
};

/// What to do about a pipe that bounds.
fn remedy(pipe: &str) -> Message {
    match pipe.to_uppercase().as_str() {
        "MTE2" => message(
            "Reading is the bottleneck: read data once and keep it in L1 or UB, move more bytes per instruction, or use a smaller data type.",
        ),
        "MTE3" | "FIXP" => message(
            "Writing is the bottleneck: keep sums on the core until they are final, write larger chunks, or use a smaller data type.",
        ),
        "MTE1" => message(
            "Moves from L1 to L0 are the bottleneck: reuse one operand in L0 for several products, with larger tiles.",
        ),
        "CUBE" => message(
            "Products are the bottleneck: the unit runs near its peak. A smaller data type or less padding shortens them.",
        ),
        _ => message(
            "Vector instructions are the bottleneck: use full masks and repeats, fuse instructions, or use a smaller data type.",
        ),
    }
}

pub(super) static UNBOUND: Rule = Rule {
    id: "ascend-no-pipe-bounds",
    version: 2,
    title: phrase("Low pipe utilization"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            // Cores of one kind may idle because those of the other do not.
            let Some((kind, pipe)) = seen.busiest() else {
                return Looked::Missing(message("only one pipe was recorded"));
            };
            if UNBOUND.limit(0) <= pipe.active {
                let said = message("{pipe} of the {kind} cores is active in {n}");
                let said = said.with("pipe", &pipe.name).with("kind", &kind.name);
                return Looked::Nothing(said.with("n", of_100(pipe.active)));
            }
            let rest = rest(seen, None);
            let model = message("If the pipes of each core passed at the same time: {rest}");
            Looked::Found(vec![Finding {
                line: why_unbound(seen, kind, pipe),
                ..of_pipe(&UNBOUND, seen, kind, &rest, model)
            }])
        })
    },
};

/// What follows from shares of pipes that bound nothing.
fn why_unbound(seen: &Seen, kind: &Kind, pipe: &Pipe) -> Message {
    let of = if seen.operator.is_some() { Parts::Cycles } else { Parts::Time };
    let sum: f64 = kind.pipes.iter().map(|pipe| pipe.active).sum();
    if BOUND <= pipe.most && !pipe.at.is_empty() {
        return message("First spread the work evenly: in block {block}, it is active in {n}.")
            .with("block", &pipe.at)
            .with("n", of_100(pipe.most));
    }
    if claims::take_turns(&shares(kind), of) {
        return message(
            "Double buffering of each queue lets data arrive while the previous data are computed.",
        );
    }
    if sum < 100.0 - TURNS {
        return message(
            "Meanwhile cores start up, wait for each other, or fetch instructions. More work per launch, or fewer synchronizations, fills this time.",
        );
    }
    message(
        "Pipes overlap only partly: double buffering of each queue, and larger tiles, improve the overlap.",
    )
}

// Moving and computing at once: of a timeline.

pub(super) static OVERLAP: Rule = Rule {
    id: "ascend-double-buffering",
    version: 2,
    title: phrase("Moves do not overlap with compute"),
    thresholds: &[
        Threshold {
            name: phrase("share of the shorter of moving and computing that counts as good overlap, %"),
            value: WELL,
            unit: Unit::Percent,
            source: phrase("our own choice: double buffering reaches more, a single buffer almost nothing"),
        },
        Threshold {
            name: phrase("share of time that overlap would hide"),
            value: 0.02,
            unit: Unit::Share,
            source: phrase("our own choice: saving less is hardly worth changing the program"),
        },
    ],
    look: |input| {
        let Some(sums) = sums(input) else {
            return match no_pipes(input) {
                Looked::NotHere if super::operators(input.trace).is_empty() => Looked::NotHere,
                _ => Looked::Missing(message(
                    "counters do not show overlap: msprof op simulator records pipes over time",
                )),
            };
        };
        let Some(whole) = cores(input).iter().map(|core| core.span).reduce(crate::base::time::Span::union)
        else {
            return Looked::NotHere;
        };
        let both = sums.cores.iter().filter(|core| 0 < core.moving.min(core.computing));
        let both: Vec<_> = both.collect();
        if both.is_empty() {
            return Looked::Missing(message("no core both moves data with MTE2 and computes"));
        }
        let sum = |of: &dyn Fn(&crate::systems::ascend::kernel::sums::CoreSum) -> Ticks| -> f64 {
            both.iter().map(|core| of(core) as f64).sum()
        };
        let shorter = sum(&|core| core.moving.min(core.computing));
        let hidden = sum(&|core| core.both);
        let share = hidden / shorter * 100.0;
        let open = |core: &crate::systems::ascend::kernel::sums::CoreSum| {
            core.moving.min(core.computing) - core.both
        };
        let worst = both.iter().max_by_key(|core| open(core));
        let most = worst.map_or(0, |core| open(core));
        let (saved, unit) = input.time(most);
        let (all, _) = input.time(whole.dur());
        if OVERLAP.limit(0) <= share || saved / all < OVERLAP.limit(1) {
            let said = message("{n} of the shorter of moving and computing overlaps with the other");
            return Looked::Nothing(said.with("n", of_100(share)));
        }
        let Some(worst) = worst else { return Looked::NotHere };
        // Whatever passes at once, the pipe that needs most remains.
        let rest = of_timeline(input).map(|seen| rest(&seen, None)).filter(|rest| rest.saved < saved);
        let won = rest.as_ref().map_or(saved, |rest| rest.saved);
        let model = message(
            "If the shorter of both passed entirely during the other, on the core that loses most.{rest}",
        );
        let model = model.with_message(
            "rest",
            rest.map_or_else(Message::default, |rest| {
                message(" No more than that: {rest}").with_message("rest", rest.text)
            }),
        );
        let name = path(input.trace, worst.core);
        let (moving, computing) = (input.time(worst.moving).0, input.time(worst.computing).0);
        let tracks: Vec<_> = sums
            .pipes
            .iter()
            .filter(|pipe| pipe.core == worst.core)
            .map(|pipe| pipe.track)
            .filter(|track| {
                let name = input.trace.strings.get(input.trace.tracks.get(*track).name);
                crate::systems::ascend::kernel::kind(name).is_some()
            })
            .collect();
        let sentence =
            message("Only ⟦{n}⟧ of the shorter of data movement and compute overlaps with the other.");
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence.with("n", of_100(share)),
            line: message("{core} moves data for {moving} and computes for {computing}, both at once for {both}. Double buffering of each queue lets the next data arrive during compute.")
                .with("core", name)
                .with("moving", with_unit(moving, &unit))
                .with("computing", with_unit(computing, &unit))
                .with("both", with_unit(input.time(worst.both).0, &unit)),
            value: share,
            unit: Unit::Percent,
            saving: Saving::about(won, all, unit.clone(), model).of(phrase("{share} of the timeline")),
            evidence: Evidence {
                shown: message("the core that loses most"),
                figure: Some(bars(unit.clone(), None, vec![
                    (phrase("Moving data").to_owned(), moving, BarRole::Work),
                    (phrase("Computing").to_owned(), computing, BarRole::Work),
                    (phrase("Overlap").to_owned(), input.time(worst.both).0, BarRole::Work),
                ])),
                numbers: vec![
                    Number::new(phrase("Cores that move data and compute"), both.len() as f64, Unit::None),
                    Number::new(phrase("Not overlapped, on the core that loses most"), saved, unit),
                ],
                how: message("Time in which MTE2 moves data and time in which VECTOR or CUBE compute, per core, excluding waits and flags; their overlap over the shorter of the two, summed over the cores."),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(whole).tracks(input.trace, &tracks).range(whole).address(),
                list: super::details("double-buffering", &[]),
                ..Evidence::default()
            },
            ..OVERLAP.finding()
        }])
    },
};
