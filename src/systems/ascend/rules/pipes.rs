//! Rules on pipes: which one bounds the cores, whether scalars do, whether none does, and whether moving and computing pass
//! at once.

use super::bound::{Rest, rest};
use super::operator::{Kind, Pipe};
use super::roofs::is_reached;
use super::seen::{Seen, cores, of_timeline, seen, sums};
use super::summary::nearest;
use super::{bars, of_100, together};
use crate::analysis::compare::units::Follows;
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::with_unit;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::draw::chart::brief;
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::BarRole;
use crate::systems::ascend::claims::{self, Parts, Share};
use crate::systems::ascend::kernel::{WELL, path};
use crate::systems::ascend::{BOUND, TURNS};

const OF_CYCLES: Threshold = Threshold {
    name: phrase("share of core cycles from which a pipe is the bottleneck"),
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
    let figure = shown.clone().map(|pipe| (pipe.name.clone(), pipe.deciding, BarRole::Work));
    let (view, address) = seen.place();
    let how = if kind.block.is_some() {
        message(
            "Cycles in which a pipe was active over all cycles of this block, according to device counters: it takes as long as the operator, and no other block nearly as long.",
        )
    } else if seen.operator.is_some() {
        message(
            "Cycles in which a pipe was active over all cycles of this kind of core, according to device counters.",
        )
    } else {
        message(
            "Time in which at least one instruction of a pipe is active, over the time from the first to the last slice of its core.",
        )
    };
    let end = |name: &'static str, value: f64, follows: Follows| {
        // Those of another pipe are no change.
        Number::new(name, value, Unit::Percent).of(pipe.name.clone()).of_units(pipe.units.clone(), follows)
    };
    let at_most = end(phrase("Core with the highest value"), pipe.most, Follows::MostPercent);
    let at_most =
        if pipe.at.is_empty() { at_most } else { at_most.note(message("block {n}").with("n", &pipe.at)) };
    let ends = [end(phrase("Core with the lowest value"), pipe.least, Follows::LeastPercent), at_most];
    Finding {
        // Another pipe that decides is a change of the same finding.
        subject: seen.subject(&kind.name),
        verdict: pipe.name.clone().into(),
        severity: if seen.takes_time(kind) { Severity::Warning } else { Severity::Note },
        sentence: limiter(seen, kind),
        claims: vec![claims::limiter(&kind.name)],
        value: pipe.deciding,
        unit: Unit::Percent,
        saving: rest.saving(seen, model),
        evidence: Evidence {
            shown: match &kind.block {
                Some(block) => message("pipes in block {block}, % of its cycles").with("block", block),
                None => message("pipes of the {kind} cores, % of their time").with("kind", &kind.name),
            },
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

/// What to do about a pipe of a kind of cores; where others take the time, that it helps only these.
fn with_others(seen: &Seen, kind: &Kind, line: Message) -> Message {
    let time = |kind: &Kind| seen.of_block(kind).filter(|_| seen.unit != Unit::Share);
    let others = seen.deciding().find_map(|other| Some((other, time(other)?)));
    let Some(((other, long), own)) = others.zip(time(kind)).filter(|_| !seen.takes_time(kind)) else {
        return line;
    };
    let text = message(
        "{line} The {other} cores take {a}, these {b}: less work here shortens the operator only where those wait for it.",
    );
    let text = text.with_message("line", line).with("other", &other.name);
    text.with("a", with_unit(long, &seen.unit)).with("b", with_unit(own, &seen.unit))
}

/// ` of MatmulCustom`, where there are several.
pub(super) fn which(seen: &Seen) -> Message {
    seen.operator.as_ref().map_or_else(Message::default, super::operator::Operator::of_which)
}

/// What bounds the cores of a kind, in the words that the figure of pipes has too.
fn limiter(seen: &Seen, kind: &Kind) -> Message {
    let of = parts(seen, kind);
    let text = claims::bound(&kind.name, &shares(kind), of, claims::strongly).unwrap_or_default();
    match &seen.operator {
        Some(operator) => operator.told(text),
        None => text,
    }
}

/// What the shares of a kind are parts of.
fn parts<'a>(seen: &Seen, kind: &'a Kind) -> Parts<'a> {
    match &kind.block {
        Some(block) => Parts::Block(block),
        None if seen.operator.is_some() => Parts::Cycles,
        None => Parts::Time,
    }
}

/// The pipes of a kind, the busiest first: where a block decides, of this block.
fn shares(kind: &Kind) -> Vec<Share<'_>> {
    let shares = kind.pipes.iter().map(|pipe| {
        let share = Share {
            pipe: &pipe.name,
            active: pipe.deciding,
            least: pipe.least,
            most: pipe.most,
            waiting: pipe.waiting,
        };
        match kind.block {
            Some(_) => Share { least: pipe.deciding, most: pipe.deciding, waiting: None, ..share },
            None => share,
        }
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

/// What is said of the kinds of cores that a finding is on, where their pipes are known in part: of its kind, or of all.
fn of_some(seen: &Seen, finding: &Finding) -> Vec<Message> {
    let is_on = |kind: &Kind| finding.subject.split(' ').any(|word| word == kind.name);
    let is_on_all = !seen.kinds.iter().any(is_on);
    let own = seen.kinds.iter().filter(|kind| is_on_all || is_on(kind));
    let mut notes: Vec<Message> = own.filter_map(|kind| seen.of_some(&kind.name)).collect();
    notes.dedup();
    notes
}

/// Asks of the pipes of each operator.
pub(super) fn each_seen(input: &RuleInput, ask: impl Fn(&Seen) -> Looked) -> Looked {
    let all = seen(input);
    // What is known of some blocks only says so.
    let ask = |seen: &Seen| {
        let mut looked = ask(seen);
        if let Looked::Found(findings) = &mut looked {
            for own in findings {
                for note in of_some(seen, own) {
                    own.line = match std::mem::take(&mut own.line) {
                        line if line.is_empty() => note,
                        line => message("{a} {b}").with_message("a", line).with_message("b", note),
                    };
                }
            }
        }
        looked
    };
    if all.is_empty() { no_pipes(input) } else { together(all.iter().map(ask)) }
}

pub(super) static SCALAR: Rule = Rule {
    id: "ascend-scalar-bound",
    version: 3,
    title: phrase("Cores bound by scalar work"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let scalars = seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let scalars = scalars.filter(|(_, pipe)| is_scalar(pipe));
            let Some((most_of, most)) = scalars.max_by(|a, b| a.1.deciding.total_cmp(&b.1.deciding)) else {
                let unshared =
                    seen.kinds.iter().flat_map(|kind| kind.unshared.iter().map(move |own| (kind, own)));
                let mut scalars = unshared.filter(|(_, (pipe, _))| pipe.starts_with("Scalar"));
                return Looked::Missing(match scalars.next() {
                    Some((kind, (pipe, cycles))) => claims::no_share(&kind.name, pipe, *cycles),
                    None => message("scalar work was not recorded"),
                });
            };
            let bound = seen.kinds.iter().filter(|kind| kind.is_known());
            let bound = bound.filter(|kind| {
                kind.pipes.first().is_some_and(|pipe| is_scalar(pipe) && SCALAR.limit(0) <= pipe.deciding)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (rest, model) = without(seen, kind, pipe);
                let line = message("Hoist address arithmetic and conditions out of loops, process elements with vector instructions instead of GetValue and SetValue, and use an instruction's repeat instead of a loop.");
                let line = with_others(seen, kind, line);
                Some(Finding { line, ..of_pipe(&SCALAR, seen, kind, &rest, model) })
            });
            Looked::found_or(findings.collect(), || {
                message("scalar work is active in {share}").with_message("share", told(most_of, most))
            })
        })
    },
};

pub(super) static PIPE: Rule = Rule {
    id: "ascend-pipe-bound",
    version: 3,
    title: phrase("Cores bound by one pipe"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let known = || seen.kinds.iter().filter(|kind| kind.is_known());
            let all = known().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let most =
                all.filter(|(_, pipe)| !is_scalar(pipe)).max_by(|a, b| a.1.deciding.total_cmp(&b.1.deciding));
            let Some((most_of, most)) = most else {
                return Looked::Missing(message("only one pipe was recorded"));
            };
            let bound = known().filter(|kind| {
                let first = kind.pipes.first();
                first.is_some_and(|own| !is_scalar(own) && PIPE.limit(0) <= own.deciding)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (rest, model) = without(seen, kind, pipe);
                let own = of_pipe(&PIPE, seen, kind, &rest, model);
                let mut claims = own.claims.clone();
                // What the writer calls it where it looks at roofs.
                claims.extend(of_roof(pipe).map(str::to_owned));
                let line = with_others(seen, kind, remedy(&pipe.name));
                Some(Finding { line, claims, ..own })
            });
            Looked::found_or(findings.collect(), || {
                let said = message("the busiest pipe other than Scalar, {pipe}, is active in {share}");
                said.with("pipe", &most.name).with_message("share", told(most_of, most))
            })
        })
    },
};

/// The roof that a pipe works under.
fn of_roof(pipe: &Pipe) -> Option<&'static str> {
    match pipe.name.to_lowercase().as_str() {
        "cube" | "vector" | "vec" => Some(claims::COMPUTE),
        "mte2" | "mte3" | "fixp" => Some(claims::MEMORY),
        _ => None,
    }
}

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
            if let Some(why) = seen.undecided() {
                return Looked::Missing(why);
            }
            if UNBOUND.limit(0) <= pipe.deciding {
                let said = message("{pipe} is active in {share}").with("pipe", &pipe.name);
                return Looked::Nothing(said.with_message("share", told(kind, pipe)));
            }
            // Whatever one block waits for, all of them together fill what the memory or the units allow.
            if let Some((roof, _)) = seen.operator.as_ref().and_then(nearest).filter(|of| is_reached(of.0)) {
                let said = message("{n} of the nearest roof, {name}, is reached");
                return Looked::Nothing(
                    said.with("n", percent(roof.reached())).with("name", brief(roof.limit_name())),
                );
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

/// The share that decides, with what it is of.
fn told(kind: &Kind, pipe: &Pipe) -> Message {
    let said = match &kind.block {
        Some(block) => {
            message("{n} of the cycles of block {block}, which takes the time of the {kind} cores")
                .with("block", block)
        }
        None if pipe.least < pipe.most => {
            message("{n} of the cycles of the {kind} cores on average, on one in {most}")
                .with("most", of_100(pipe.most))
        }
        None => message("{n} of the cycles of the {kind} cores"),
    };
    said.with("n", of_100(pipe.deciding)).with("kind", &kind.name)
}

/// What follows from shares of pipes that bound nothing.
fn why_unbound(seen: &Seen, kind: &Kind, pipe: &Pipe) -> Message {
    let of = parts(seen, kind);
    let sum: f64 = kind.pipes.iter().map(|pipe| pipe.deciding).sum();
    if kind.block.is_some() {
        return message("First spread the work evenly: the other cores wait for this block.");
    }
    if BOUND <= pipe.most && !pipe.at.is_empty() {
        return message(
            "First spread the work evenly: in block {block}, {pipe} is active in {n} of the cycles.",
        )
        .with("block", &pipe.at)
        .with("pipe", &pipe.name)
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
            name: phrase("share of the shorter of moving and computing that counts as good overlap"),
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
        let saving = if rest.is_some() { Saving::at_most } else { Saving::about };
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
            saving: saving(won, all, unit.clone(), model).of(phrase("{share} of the timeline")),
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
