//! Rules on pipes: which one bounds the cores, whether scalars do, whether none does, what waits, and whether moving and
//! computing pass at once.

use super::operator::{Kind, Pipe};
use super::seen::{Seen, cores, seen, sums};
use super::{bars, first, needs_device, of_100, together};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{around, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::BarRole;
use crate::systems::ascend::kernel::{WELL, path};
use crate::systems::ascend::{BOUND, TURNS, WAITS as WAITING};

const OF_CYCLES: Threshold = Threshold {
    name: phrase("share of the cycles of the cores from which a pipe bounds them, in percent"),
    value: BOUND,
    unit: Unit::Percent,
    source: phrase("msprof op manual, advice on rooflines: below it the operator is latency bound"),
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

/// What the pipes beside one need at least, in percent of the time of every core: the least of the busiest of them, of
/// whatever kind of core.
fn floor<'a>(seen: &'a Seen, kind: &Kind, pipe: &Pipe) -> (f64, &'a str) {
    let others = seen.kinds.iter().flat_map(|own| own.pipes.iter().map(move |pipe| (own, pipe)));
    let others = others.filter(|(own, other)| own.name != kind.name || other.name != pipe.name);
    others
        .map(|(_, other)| (other.least.min(100.0), other.name.as_str()))
        .fold((0.0, ""), |most, other| if most.0 < other.0 { other } else { most })
}

/// The finding on the busiest pipe of a kind of cores, without its sentences.
fn of_pipe(rule: &Rule, seen: &Seen, kind: &Kind, floor: f64, model: Message) -> Finding {
    let Some(pipe) = kind.pipes.first() else { return rule.finding() };
    let saved = seen.time(kind) * (1.0 - floor / 100.0);
    let shown = kind.pipes.iter().take(5);
    let figure = shown.clone().map(|pipe| (pipe.name.clone(), pipe.active, BarRole::Work));
    let (view, address) = seen.place();
    let how = if seen.operator.is_some() {
        message(
            "Cycles in which a pipe was active over all cycles of the cores of this kind, as counters of the device say.",
        )
    } else {
        message(
            "Time in which at least one instruction of a pipe works over the time from the first to the last slice of its core.",
        )
    };
    let at_most = Number::new(phrase("Core where it is most"), pipe.most, Unit::Percent);
    let at_most =
        if pipe.at.is_empty() { at_most } else { at_most.note(message("block {n}").with("n", &pipe.at)) };
    let ends = [Number::new(phrase("Core where it is least"), pipe.least, Unit::Percent), at_most];
    Finding {
        subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
        severity: Severity::Warning,
        value: pipe.active,
        unit: Unit::Percent,
        saving: Saving::at_most(saved, seen.whole, seen.unit.clone(), model)
            .of(phrase("{share} of operator time")),
        evidence: Evidence {
            shown: message("pipes of the {kind} cores, in percent of their time").with("kind", &kind.name),
            figure: Some(bars(Unit::Percent, Some(100.0), figure.collect())),
            numbers: shown.map(Pipe::number).chain(ends).collect(),
            how,
            view: view.to_owned(),
            address,
            ..Evidence::default()
        },
        ..rule.finding()
    }
}

/// ` of MatmulCustom`, where there are several.
fn which(seen: &Seen) -> Message {
    seen.operator.as_ref().map_or_else(Message::default, super::operator::Operator::of_which)
}

fn is_scalar(pipe: &Pipe) -> bool {
    pipe.name.to_lowercase().starts_with("scalar")
}

/// Asks of the pipes of each operator.
fn each_seen(input: &RuleInput, ask: impl Fn(&Seen) -> Looked) -> Looked {
    let all = seen(input);
    if all.is_empty() { no_pipes(input) } else { together(all.iter().map(ask)) }
}

pub(super) static SCALAR: Rule = Rule {
    id: "ascend-scalar-bound",
    version: 1,
    title: phrase("Scalar work bounds the cores"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let bound = seen.kinds.iter().filter(|kind| kind.pipes.len() > 1);
            let bound = bound.filter(|kind| {
                kind.pipes.first().is_some_and(|pipe| is_scalar(pipe) && SCALAR.limit(0) <= pipe.active)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (floor, next) = floor(seen, kind, pipe);
                let model = match next {
                    "" => message("If scalar work took no time: what other pipes need of each core is not recorded."),
                    _ => message("If scalar work took no time: {next} still needs at least {n} % of the time of every core."),
                };
                let model = model.with("next", next).with("n", fixed(floor, 1));
                let computing = kind.pipes.iter().find(|pipe| is_computing(pipe));
                let line = message("{computes}Hoist address arithmetic and conditions out of loops, handle elements with vector instructions instead of GetValue and SetValue, and let one instruction repeat instead of a loop.")
                    .with_message("computes", computing.map(computes).unwrap_or_default());
                let sentence = message("Scalar work is active in ⟦{n}⟧ of the cycles of the {kind} cores{which}.");
                Some(Finding {
                    sentence: sentence
                        .with("n", of_100(pipe.active))
                        .with("kind", &kind.name)
                        .with_message("which", which(seen)),
                    line,
                    ..of_pipe(&SCALAR, seen, kind, floor, model)
                })
            });
            Looked::found_or(findings.collect(), || {
                let most = seen.kinds.iter().flat_map(|kind| &kind.pipes).filter(|pipe| is_scalar(pipe));
                let most = most.map(|pipe| pipe.active).fold(0.0, f64::max);
                message("scalar work is active in at most {n} of the cycles of the cores")
                    .with("n", of_100(most))
            })
        })
    },
};

fn is_computing(pipe: &Pipe) -> bool {
    matches!(pipe.name.to_lowercase().as_str(), "cube" | "vector" | "vec")
}

/// What the unit that computes did, in front of what is to do.
fn computes(pipe: &Pipe) -> Message {
    message("{pipe} itself computes in {n}. ").with("pipe", &pipe.name).with("n", of_100(pipe.active))
}

pub(super) static PIPE: Rule = Rule {
    id: "ascend-pipe-bound",
    version: 1,
    title: phrase("A pipe bounds the cores"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            let bound = seen.kinds.iter().filter(|kind| {
                let first = kind.pipes.first();
                1 < kind.pipes.len()
                    && first.is_some_and(|own| !is_scalar(own) && PIPE.limit(0) <= own.active)
            });
            let findings = bound.filter_map(|kind| {
                let pipe = kind.pipes.first()?;
                let (floor, next) = floor(seen, kind, pipe);
                let model = match next {
                    "" => message("If {pipe} took no time: what other pipes need of each core is not recorded."),
                    _ => message("If {pipe} took no time: {next} still needs at least {n} % of the time of every core."),
                };
                let model =
                    model.with("pipe", &pipe.name).with("next", next).with("n", fixed(floor, 1));
                let sentence = message("{pipe} is active in ⟦{n}⟧ of the cycles of the {kind} cores{which}.");
                Some(Finding {
                    sentence: sentence
                        .with("pipe", &pipe.name)
                        .with("n", of_100(pipe.active))
                        .with("kind", &kind.name)
                        .with_message("which", which(seen)),
                    line: remedy(&pipe.name),
                    ..of_pipe(&PIPE, seen, kind, floor, model)
                })
            });
            Looked::found_or(findings.collect(), || {
                let pipes =
                    seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
                let most = pipes
                    .filter(|(_, pipe)| !is_scalar(pipe))
                    .max_by(|a, b| a.1.active.total_cmp(&b.1.active));
                let said =
                    message("the busiest pipe beside Scalar, {pipe} of the {kind} cores, is active in {n}");
                let (kind, pipe) =
                    most.map_or(("–", None), |(kind, pipe)| (kind.name.as_str(), Some(pipe)));
                said.with("pipe", pipe.map_or("–", |pipe| pipe.name.as_str()))
                    .with("kind", kind)
                    .with("n", of_100(pipe.map_or(0.0, |pipe| pipe.active)))
            })
        })
    },
};

/// What to do about a pipe that bounds.
fn remedy(pipe: &str) -> Message {
    match pipe.to_uppercase().as_str() {
        "MTE2" => message(
            "Reading bounds it: read data once and keep it in L1 or UB, move more bytes with each instruction, or use a smaller type.",
        ),
        "MTE3" | "FIXP" => message(
            "Writing bounds it: keep sums on the core until they are final, write larger pieces, or use a smaller type.",
        ),
        "MTE1" => message(
            "Moves from L1 to L0 bound it: reuse one operand in L0 for several products, with larger tiles.",
        ),
        "CUBE" => message(
            "Products bound it: it runs near what the unit can do. A smaller type or fewer padded products make it shorter.",
        ),
        _ => message(
            "Vector instructions bound it: use whole masks and repeats, fuse instructions, or use a smaller type.",
        ),
    }
}

pub(super) static UNBOUND: Rule = Rule {
    id: "ascend-no-pipe-bounds",
    version: 1,
    title: phrase("No pipe is busy enough"),
    thresholds: &[OF_CYCLES],
    look: |input| {
        each_seen(input, |seen| {
            // Cores of one kind may idle because those of the other do not.
            let busiest = seen.kinds.iter().filter(|kind| 1 < kind.pipes.len());
            let busiest = busiest.max_by(|a, b| share_of(a).total_cmp(&share_of(b)));
            let Some((kind, pipe)) = busiest.and_then(|kind| Some((kind, kind.pipes.first()?))) else {
                return Looked::Missing(message("only one pipe was recorded"));
            };
            if UNBOUND.limit(0) <= pipe.active {
                let said = message("{pipe} of the {kind} cores is active in {n}");
                let said = said.with("pipe", &pipe.name).with("kind", &kind.name);
                return Looked::Nothing(said.with("n", of_100(pipe.active)));
            }
            let floor =
                seen.kinds.iter().flat_map(|kind| &kind.pipes).map(|pipe| pipe.least).fold(0.0, f64::max);
            let model = if floor <= 0.0 {
                message(
                    "If pipes overlapped perfectly: what the busiest pipe needs of each core is not recorded.",
                )
            } else {
                message(
                    "If pipes overlapped perfectly: no order of the same work ends before its busiest pipe, which is active in at least {n} % of the time of every core.",
                )
            };
            let model = model.with("n", fixed(floor, 1));
            let sentence = message(
                "No pipe of the {kind} cores{which} is active in 80 % of the cycles: the busiest, {pipe}, is in ⟦{n}⟧.",
            );
            Looked::Found(vec![Finding {
                sentence: sentence
                    .with("kind", &kind.name)
                    .with_message("which", which(seen))
                    .with("pipe", &pipe.name)
                    .with("n", of_100(pipe.active)),
                line: why_unbound(kind, pipe),
                ..of_pipe(&UNBOUND, seen, kind, floor.min(100.0), model)
            }])
        })
    },
};

fn share_of(kind: &Kind) -> f64 {
    kind.pipes.first().map_or(0.0, |pipe| pipe.active)
}

/// What the shares of pipes that bound nothing allow to say.
fn why_unbound(kind: &Kind, pipe: &Pipe) -> Message {
    let sum: f64 = kind.pipes.iter().map(|pipe| pipe.active).sum();
    if BOUND <= pipe.most && !pipe.at.is_empty() {
        return message("In block {block} it is in {n}. Spread the work evenly first.")
            .with("block", &pipe.at)
            .with("n", of_100(pipe.most));
    }
    if (100.0 - sum).abs() <= TURNS {
        return message("All pipes add up to {n}, as if they took turns: two buffers for each queue let data come while the last is computed.")
            .with("n", of_100(sum));
    }
    if sum < 100.0 {
        // It is the least, so it is rounded down.
        let rest = ((100.0 - sum) * 10.0).floor() / 10.0;
        return message("In at least {n} % no recorded pipe works: the cores start, wait for each other, or fetch instructions. More work for each launch, or fewer synchronizations, fill it.")
            .with("n", fixed(rest, 1));
    }
    message(
        "Pipes work at once only in part: two buffers for each queue, and larger tiles, let them overlap more.",
    )
}

// Moving and computing at once: of a timeline.

pub(super) static OVERLAP: Rule = Rule {
    id: "ascend-double-buffering",
    version: 1,
    title: phrase("Moves do not overlap computing"),
    thresholds: &[
        Threshold {
            name: phrase("share of the shorter of moving and computing from which both overlap, in percent"),
            value: WELL,
            unit: Unit::Percent,
            source: phrase("our own choice: two buffers in turn reach more, one reaches almost nothing"),
        },
        Threshold {
            name: phrase("share of the time that overlap would hide"),
            value: 0.02,
            unit: Unit::Share,
            source: phrase("our own choice: less is hardly worth a change of the program"),
        },
    ],
    look: |input| {
        let Some(sums) = sums(input) else {
            return match no_pipes(input) {
                Looked::NotHere if super::operators(input.trace).is_empty() => Looked::NotHere,
                _ => Looked::Missing(message(
                    "counters do not tell what passes at the same time: msprof op simulator records pipes over time",
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
            let said =
                message("{n} of the shorter of moving and computing pass at the same time as the other");
            return Looked::Nothing(said.with("n", of_100(share)));
        }
        let Some(worst) = worst else { return Looked::NotHere };
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
        let sentence = message(
            "Only ⟦{n}⟧ of the shorter of moving data and computing pass at the same time as the other.",
        );
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence.with("n", of_100(share)),
            line: message("{core} moves for {moving} and computes for {computing}, {both} of it at once. Two buffers for each queue let the next data come while this is computed.")
                .with("core", name)
                .with("moving", with_unit(moving, &unit))
                .with("computing", with_unit(computing, &unit))
                .with("both", with_unit(input.time(worst.both).0, &unit)),
            value: share,
            unit: Unit::Percent,
            saving: Saving::at_most(saved, all, unit.clone(), message("If the shorter of both passed entirely during the other, on the core that loses most.")).of(phrase("{share} of the timeline")),
            evidence: Evidence {
                shown: message("the core that loses most"),
                figure: Some(bars(unit.clone(), None, vec![
                    (phrase("Moving data").to_owned(), moving, BarRole::Work),
                    (phrase("Computing").to_owned(), computing, BarRole::Work),
                    (phrase("Both at once").to_owned(), input.time(worst.both).0, BarRole::Work),
                ])),
                numbers: vec![
                    Number::new(phrase("Cores that move and compute"), both.len() as f64, Unit::None),
                    Number::new(phrase("Not hidden, of the core that loses most"), saved, unit),
                ],
                how: message("Time in which MTE2 moves and time in which VECTOR or CUBE compute, of each core, without waiting and flags; the time of both at once over the shorter of both, summed over the cores."),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(whole).tracks(input.trace, &tracks).range(whole).address(),
                list: super::details("double-buffering", &[]),
                ..Evidence::default()
            },
            ..OVERLAP.finding()
        }])
    },
};

// Waiting.

pub(super) static WAITS: Rule = Rule {
    id: "ascend-waits",
    version: 1,
    title: phrase("Waiting for flags"),
    thresholds: &[Threshold {
        name: phrase("share of the time in which a pipe waits, in percent"),
        value: WAITING,
        unit: Unit::Percent,
        source: phrase("our own choice: the same from which Details tells waiting"),
    }],
    look: |input| {
        let timeline = sums(input).filter(|sums| sums.pairs.iter().any(|pair| 0 < pair.waits));
        if let Some(sums) = timeline {
            return pairs(input, sums);
        }
        each_seen(input, |seen| {
            if seen.kinds.iter().flat_map(|kind| &kind.pipes).all(|pipe| pipe.waiting.is_none()) {
                return needs_device(message("waiting of pipes was not recorded"));
            }
            let pipes = seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let share = |pipe: &Pipe| pipe.waiting.unwrap_or(0.0);
            let waiting = pipes.clone().filter(|(_, pipe)| WAITS.limit(0) <= share(pipe));
            let (view, address) = seen.place();
            let findings = waiting.map(|(kind, pipe)| {
                let sentence = message("{pipe} of the {kind} cores{which} waits in ⟦{n}⟧ of the cycles.");
                Finding {
                    subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
                    severity: Severity::Note,
                    sentence: sentence
                        .with("pipe", &pipe.name)
                        .with("kind", &kind.name)
                        .with_message("which", which(seen))
                        .with("n", of_100(share(pipe))),
                    line: message("It works in {n}. The timeline of msprof op simulator shows which pipe it waits for.").with("n", of_100(pipe.active)),
                    value: share(pipe),
                    unit: Unit::Percent,
                    evidence: Evidence {
                        shown: message("work and waiting of this pipe"),
                        figure: Some(bars(Unit::Percent, Some(100.0), vec![
                            (phrase("Active").to_owned(), pipe.active, BarRole::Work),
                            (phrase("Wait").to_owned(), share(pipe), BarRole::Wait),
                        ])),
                        numbers: kind.pipes.iter().take(5).map(Pipe::number).collect(),
                        how: message("Wait cycles of the pipe over all cycles of the cores of this kind, as counters of the device say. No saving is said: a pipe also waits because another one bounds the cores."),
                        view: view.to_owned(),
                        address: address.clone(),
                        ..Evidence::default()
                    },
                    ..WAITS.finding()
                }
            });
            Looked::found_or(first(findings.collect()), || {
                let most = pipes.map(|(_, pipe)| share(pipe)).fold(0.0, f64::max);
                message("no pipe waits in more than {n} of the cycles").with("n", of_100(most))
            })
        })
    },
};

/// Waits of a timeline by pair of pipes.
fn pairs(input: &RuleInput, sums: &crate::systems::ascend::kernel::sums::Sums) -> Looked {
    let trace = input.trace;
    let text = |name: Option<crate::model::id::StrId>| name.map_or("", |name| trace.strings.get(name));
    // The time of the cores that have the pipe which waits.
    let cores_of = |name: &str| {
        let own =
            sums.pipes.iter().filter(|pipe| trace.strings.get(trace.tracks.get(pipe.track).name) == name);
        own.fold((0_u32, 0_i128), |(n, sum), pipe| (n + 1, sum + i128::from(pipe.span.dur())))
    };
    let whole = cores(input).iter().map(|core| core.span).reduce(crate::base::time::Span::union);
    let Some(whole) = whole.or(trace.span) else { return Looked::NotHere };
    let shares = sums.pairs.iter().filter(|pair| 0 < pair.waits && pair.to.is_some()).map(|pair| {
        let (n, span) = cores_of(text(pair.to));
        (pair, n, pair.total as f64 / span.max(1) as f64 * 100.0)
    });
    let shares: Vec<_> = shares.filter(|(_, n, _)| 0 < *n).collect();
    let findings = shares.iter().filter(|(.., share)| WAITS.limit(0) <= *share).map(|(pair, n, share)| {
        let (from, to) = (text(pair.from), text(pair.to));
        let (mean, unit) = input.time(i128::from(pair.total) / i128::from((*n).max(1)));
        let longest = input.time(pair.longest).0;
        let sentence = if from.is_empty() {
            message("{to} waits in ⟦{n}⟧ of the time of its cores for flags that nothing tells the setter of.")
        } else {
            message("{to} waits for {from} in ⟦{n}⟧ of the time of its cores.")
        };
        let at = pair.at.map(|slice| (slice, span_of(input, slice)));
        Finding {
            subject: format!("{from} {to}").trim().to_owned(),
            severity: Severity::Warning,
            sentence: sentence.with("to", to).with("from", from).with("n", of_100(*share)),
            line: message("{n} waits, the longest takes {longest}. Let {from} begin earlier: more buffers, smaller pieces, or flags set as soon as what they stand for is done.")
                .with("n", thousands(pair.waits))
                .with("longest", with_unit(longest, &unit))
                .with_message("from", if from.is_empty() { phrase("the other pipe").into() } else { Message::from(from.to_owned()) }),
            value: *share,
            unit: Unit::Percent,
            saving: Saving::about(mean, input.time(whole.dur()).0, unit.clone(), message("Mean of the cores, if this pipe never waited for the other and everything else kept up.")).of(phrase("{share} of the timeline")),
            evidence: Evidence {
                shown: message("the longest wait, {one}").with("one", with_unit(longest, &unit)),
                figure: at.map(|(slice, span)| around(input, span, &[slice.track])),
                numbers: vec![
                    Number::new(phrase("Waits"), pair.waits as f64, Unit::None),
                    Number::new(phrase("Waiting time, mean of the cores"), mean, unit.clone()),
                    Number::new(phrase("Longest"), longest, unit),
                    Number::new(phrase("Cores with this pipe"), f64::from(*n), Unit::None),
                ],
                how: message("Lengths of WAIT_FLAG and wait_event by pair of pipes over the time of the cores that have the pipe which waits."),
                view: "timeline".to_owned(),
                address: at.map_or_else(String::new, |(slice, span)| {
                    Place::view("timeline").around(span).slice(trace, slice).address()
                }),
                list: super::details("waits", &[]),
                ..Evidence::default()
            },
            ..WAITS.finding()
        }
    });
    Looked::found_or(first(findings.collect()), || {
        let most = shares.iter().map(|(.., share)| *share).fold(0.0, f64::max);
        message("no pipe waits for another in more than {n} of the time of its cores").with("n", of_100(most))
    })
}

// Cube against vector.

pub(super) static SIDES: Rule = Rule {
    id: "ascend-cube-vector",
    version: 1,
    title: phrase("Cube and vector cores are not balanced"),
    thresholds: &[Threshold {
        name: phrase("ratio of the busiest pipes of cube and vector cores"),
        value: 2.0,
        unit: Unit::None,
        source: phrase("our own choice: with less, both kinds work for most of the time"),
    }],
    look: |input| {
        let all = super::operators(input.trace);
        if !all.is_empty() && all.iter().all(|own| matches!(own.kind, "vector" | "cube")) {
            return Looked::NotHere;
        }
        each_seen(input, |seen| {
            let of = |name: &str| {
                let kind = seen.kinds.iter().find(|kind| kind.name == name)?;
                Some((kind, kind.pipes.first()?))
            };
            let Some((cube, vector)) = of("cube").zip(of("vector")) else { return Looked::NotHere };
            let work = |(kind, pipe): (&Kind, &Pipe)| seen.time(kind) * pipe.active / 100.0;
            let (more, less) = if work(cube) < work(vector) { (vector, cube) } else { (cube, vector) };
            let factor = work(more) / work(less).max(f64::MIN_POSITIVE);
            if factor < SIDES.limit(0) {
                let said = message("the busiest pipes of cube and vector cores differ by {n}×");
                return Looked::Nothing(said.with("n", fixed(factor, 2)));
            }
            let side = |(kind, pipe): (&Kind, &Pipe)| {
                (format!("{} {}", kind.name, pipe.name), pipe.active, BarRole::Work)
            };
            let (view, address) = seen.place();
            let sentence = message(
                "The {less} cores{which} work in at most ⟦{n}⟧ of their time, the {more} cores in {m}.",
            );
            Looked::Found(vec![Finding {
                subject: seen.subject(""),
                severity: Severity::Note,
                sentence: sentence
                    .with("less", &less.0.name)
                    .with("more", &more.0.name)
                    .with_message("which", which(seen))
                    .with("n", of_100(less.1.active))
                    .with("m", of_100(more.1.active)),
                line: message("The busiest pipe is {pipe} on the {less} cores and {other} on the {more} cores. Both kinds run for the whole operator: what bounds the {more} cores comes first, then smaller pieces let the others begin earlier.")
                    .with("pipe", &less.1.name)
                    .with("other", &more.1.name)
                    .with("less", &less.0.name)
                    .with("more", &more.0.name),
                value: less.1.active,
                unit: Unit::Percent,
                evidence: Evidence {
                    shown: message("busiest pipe of each kind of core"),
                    figure: Some(bars(Unit::Percent, Some(100.0), vec![side(more), side(less)])),
                    numbers: [more, less].map(|own| Number { name: side(own).0.into(), ..own.1.number() }).to_vec(),
                    how: message("The busiest pipe of each kind of core, times how long the slowest core of the kind took. No saving is said: work of one kind can seldom move to the other."),
                    view: view.to_owned(),
                    address,
                    ..Evidence::default()
                },
                ..SIDES.finding()
            }])
        })
    },
};
