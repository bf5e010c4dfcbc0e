//! Rules about the recording itself: records that were lost and what of the conclusions they touch, plans that one buffer
//! cannot hold.

use super::{BARS, bars, count, measured, percent};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::fault;
use crate::base::map::Set;
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold, more};
use crate::model::figure::Figure;
use crate::systems::instrumentation::metrics::{KernelSum, Runner};
use crate::systems::instrumentation::plan;
use crate::systems::instrumentation::rules::summary::{has_accesses_only, order_of};
use crate::views::executions::compute::{Absent, Recorded};
use crate::views::plan::compute::{BufferUse, Counted, KernelPlan, Plan, PlanInput, Room};

// Lost records.

/// Records that are missing.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    /// Name of the type, records read, lost, reserved and never written, and beyond the end of the file, bytes asked for and
    /// bytes there were.
    pub(super) types: Vec<(String, [u64; 4], [u64; 2])>,
}

impl Losses {
    pub(super) fn of(plans: &[KernelPlan]) -> Self {
        let mut all = Self::default();
        for (plan, buffer) in
            plans.iter().flat_map(|plan| plan.buffers.iter().map(move |buffer| (plan, buffer)))
        {
            all.add(plan, buffer);
        }
        all
    }

    fn add(&mut self, plan: &KernelPlan, buffer: &BufferUse) {
        let own = buffer.record_type.and_then(|row| plan.types.get(row as usize));
        let name = own.map_or_else(|| phrase("Tagged").to_owned(), |own| own.name.clone());
        let at = self.types.iter().position(|(other, ..)| *other == name).unwrap_or_else(|| {
            self.types.push((name, [0; 4], [0; 2]));
            self.types.len() - 1
        });
        if let Some((_, records, bytes)) = self.types.get_mut(at) {
            let more = [buffer.records, buffer.lost, buffer.holes, buffer.cut];
            records.iter_mut().zip(more).for_each(|(sum, n)| *sum = sum.saturating_add(n));
            bytes
                .iter_mut()
                .zip([buffer.next, buffer.capacity])
                .for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
    }

    /// Of all types.
    pub(super) fn sum(&self) -> [u64; 4] {
        self.types.iter().fold([0; 4], |mut sum, (_, n, _)| {
            sum.iter_mut().zip(n).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
            sum
        })
    }
}

/// How many of these records are missing: counters of buffers are what a file says.
pub(super) fn missing([_, lost, holes, cut]: [u64; 4]) -> u64 {
    lost.saturating_add(holes).saturating_add(cut)
}

/// What files announce of all launches and do not hold.
pub(super) fn absent(recorded: &Recorded) -> Absent {
    recorded.launches.iter().fold(Absent::default(), |sum, launch| Absent {
        threads: sum.threads + launch.absent.threads,
        of: sum.of + launch.absent.of,
        instructions: sum.instructions + launch.absent.instructions,
    })
}

/// How many threads have no record; nothing where all have some.
pub(super) fn without(absent: &Absent, runner: &Runner) -> Option<Message> {
    let words = message("{n} of {threads} have no record").with("n", thousands(absent.threads));
    (0 < absent.threads).then(|| words.with("threads", order_of(absent.of, runner.many)))
}

/// What the losses leave of what is said elsewhere: executions with losses and all; accesses and lanes that are lost,
/// that nothing is known of, those among them, and all.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    executions: [u64; 2],
    accesses: [u64; 3],
    lanes: [u64; 3],
}

impl Touched {
    fn of(kernels: &[KernelSum]) -> Self {
        let mut of = Self::default();
        for block in kernels.iter().flat_map(|kernel| &kernel.blocks) {
            of.executions[0] += block.counts.incomplete;
            of.executions[1] += block.counts.executions;
        }
        for row in kernels.iter().flat_map(|kernel| &kernel.rows) {
            let seen = row.metrics.access.as_deref().map_or(0, |access| access.active);
            let metrics = &row.metrics;
            let accesses = [metrics.lost_addresses, metrics.unseen, metrics.unseen + seen];
            let lanes = [metrics.lost_lanes, metrics.unknown, metrics.executions];
            of.accesses.iter_mut().zip(accesses).for_each(|(sum, n)| *sum += n);
            of.lanes.iter_mut().zip(lanes).for_each(|(sum, n)| *sum += n);
        }
        of
    }

    /// Which conclusions are of a part only. What the layout of the records leaves out is no loss.
    fn said(&self) -> Message {
        let part = |[lost, unknown, all]: [u64; 3], alone: &'static str, beside: &'static str| {
            let text = |n: u64| percent(share(n as f64, all as f64));
            let words = message(if lost < unknown { beside } else { alone });
            (0 < lost)
                .then(|| words.with("lost", text(lost)).with("known", text(all.saturating_sub(unknown))))
        };
        let accesses = part(
            self.accesses,
            phrase("Addresses are lost for {lost} of the accesses and known for {known}."),
            phrase(
                "Addresses are lost for {lost} of the accesses and known for {known}; records of the others hold none for each lane.",
            ),
        );
        let lanes = part(
            self.lanes,
            phrase("Lanes are lost for {lost} of the instructions and known for {known}."),
            phrase(
                "Lanes are lost for {lost} of the instructions and known for {known}; records of the others hold none.",
            ),
        );
        match (accesses, lanes) {
            (None, None) => message("Sector and lane figures cover only what was recorded."),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(a), Some(b)) => message("{a} {b}").with_message("a", a).with_message("b", b),
        }
    }
}

/// Records that were lost.
pub(super) static LOST: Rule = Rule {
    id: "instrumentation-lost-records",
    version: 2,
    title: phrase("Lost records"),
    thresholds: &[Threshold {
        name: phrase("lost records, or executions lacking some"),
        value: 1.0,
        unit: Unit::None,
        source: phrase("conclusions from partial data are marked as such"),
    }],
    look: |input| {
        let plans = input.trace.extensions.get::<PlanInput>().map_or(&[][..], |input| &input.kernels);
        let kernels = measured(input).map_or(&[][..], |(kernels, _)| kernels);
        let losses = Losses::of(plans);
        let touched = Touched::of(kernels);
        let runner =
            Runner::of(input.trace.extensions.get::<Recorded>().iter().flat_map(|all| &all.launches));
        let many = runner.many;
        let sum = losses.sum();
        let [records, lost, holes, cut] = sum;
        let recorded = input.trace.extensions.get::<Recorded>();
        let absent = recorded.map(absent).unwrap_or_default();
        if losses.types.is_empty() && touched.executions[1] == 0 {
            return Looked::NotHere;
        }
        let skipped =
            input.faults.rows().iter().filter(|fault| fault.severity == fault::Severity::Loss).count();
        let missing = missing(sum);
        if missing == 0 && touched.executions[0] == 0 && absent.threads + absent.instructions == 0 {
            let is_of_accesses = recorded.is_some_and(|recorded| has_accesses_only(kernels, recorded));
            if losses.types.is_empty() && is_of_accesses {
                let said = message(
                    "access records do not say whether others were lost: the tool's own output may, and so may containers with buffer counts",
                );
                return Looked::Missing(said);
            }
            let said = if records == 0 && touched.executions[1] == 0 {
                message("buffers were planned, the files have no records")
            } else if losses.types.is_empty() {
                message("all {n} block executions have complete records")
                    .with("n", thousands(touched.executions[1]))
            } else {
                message("0 of {n} records were lost").with("n", thousands(records))
            };
            return Looked::Nothing(said);
        }
        let all = records.saturating_add(missing);
        let worst =
            losses.types.iter().max_by_key(|(_, n, _)| n[1].saturating_add(n[2]).saturating_add(n[3]));
        let cause = worst.filter(|_| 0 < missing).map_or_else(Message::default, |(name, [_, lost, holes, cut], [asked, room])| {
            if *lost == 0 && holes < cut {
                message(" The file of {type} ends before {n} that its header announces: copy it again.")
                    .with("type", name)
                    .with("n", order_of(*cut, phrase("records")))
            } else if *lost == 0 {
                message(" Space was reserved in {type} and never written: the run may have ended early.").with("type", name)
            } else {
                message(" The buffers of {type} needed {asked} but hold {room}: plan them {factor} times as large.")
                    .with("type", name)
                    .with("asked", with_unit(*asked as f64, &Unit::Bytes))
                    .with("room", with_unit(*room as f64, &Unit::Bytes))
                    .with("factor", fixed(*asked as f64 / (*room).max(1) as f64, 2))
            }
        });
        let (sentence, value, unit) = if 0 < absent.threads {
            let words = message("⟦{n} of {threads}⟧ have no record.").with("n", thousands(absent.threads));
            let words = words.with("threads", order_of(absent.of, many));
            (words, absent.threads, count(many))
        } else if missing == 0 && touched.executions[0] == 0 {
            let words = message("⟦{n}⟧ that the file announces have no record.");
            let n = order_of(absent.instructions, phrase("instructions"));
            (words.with("n", n), absent.instructions, count(phrase("instructions")))
        } else if missing == 0 {
            let words = message("⟦{n} of {all} block executions⟧ lack records.");
            let words = words
                .with("n", thousands(touched.executions[0]))
                .with("all", thousands(touched.executions[1]));
            (words, touched.executions[0], count(phrase("executions")))
        } else {
            let words = message("⟦{n} of {all} records⟧ are missing, {share}.");
            let words = words.with("n", thousands(missing)).with("all", thousands(all));
            (
                words.with("share", percent(share(missing as f64, all as f64))),
                missing,
                count(phrase("records")),
            )
        };
        let of = |name: &'static str, of: [u64; 2]| {
            Number::new(name, of[0] as f64, Unit::None).note(percent(share(of[0] as f64, of[1] as f64)))
        };
        let mut numbers = Vec::new();
        if missing != 0 {
            numbers.extend([
                Number::new(phrase("Records read"), records as f64, Unit::None),
                Number::new(phrase("Past the end of their buffer"), lost as f64, Unit::None),
                Number::new(phrase("Reserved and never written"), holes as f64, Unit::None),
                Number::new(phrase("Past the end of the file"), cut as f64, Unit::None),
            ]);
        }
        if 0 < absent.threads + absent.instructions {
            numbers.extend([
                Number::new(runner.title, absent.of as f64, Unit::None),
                of(phrase("Of these, without a record"), [absent.threads, absent.of]),
                Number::new(
                    phrase("Announced instructions without a record"),
                    absent.instructions as f64,
                    Unit::None,
                ),
            ]);
        }
        numbers.extend([
            of(phrase("Block executions with missing records"), touched.executions),
            of(phrase("Accesses with lost addresses"), [touched.accesses[0], touched.accesses[2]]),
            of(phrase("Instructions with lost lanes"), [touched.lanes[0], touched.lanes[2]]),
        ]);
        if 0 < skipped {
            numbers.push(Number::new(phrase("Skipped places in the files"), skipped as f64, Unit::None));
        }
        let is_planned = missing != 0;
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence,
            line: message("{said}{cause}").with_message("said", touched.said()).with_message("cause", cause),
            value: value as f64,
            unit,
            evidence: Evidence {
                shown: match absent.threads {
                    0 if is_planned => message("records by type"),
                    0 => message("block executions"),
                    _ => message(runner.title),
                },
                figure: Some(picture(&losses, &touched, (&absent, runner), is_planned)),
                numbers,
                how: message(
                    "Lost: records past the end of a buffer, or of a file that ends before its header says. Warps that should be there are those of the grid. An execution lacks records if its block plans more than were found. All findings cover only what was recorded.",
                ),
                view: if is_planned { "plan" } else { "trace" }.to_owned(),
                address: Place::view(if is_planned { "plan" } else { "trace" }).address(),
                list: Place::view("report").address(),
                ..Evidence::default()
            },
            ..LOST.finding()
        }])
    },
};

fn picture(
    losses: &Losses,
    touched: &Touched,
    (absent, runner): (&Absent, &Runner),
    is_planned: bool,
) -> Figure {
    let parts = [phrase("Recorded"), phrase("Missing")];
    if 0 < absent.threads {
        let row = [absent.of.saturating_sub(absent.threads) as f64, absent.threads as f64];
        return bars(count(runner.many), parts, vec![(runner.title.to_owned(), row)]);
    }
    if !is_planned {
        let [part, all] = touched.executions;
        let row = (phrase("Executions").to_owned(), [all.saturating_sub(part) as f64, part as f64]);
        return bars(count(phrase("executions")), parts, vec![row]);
    }
    let rows = losses.types.iter().take(BARS);
    let rows = rows.map(|(name, records, _)| (name.clone(), [records[0] as f64, missing(*records) as f64]));
    bars(count(phrase("records")), parts, rows.collect())
}

// Plans that are larger than a buffer may be.

/// What `GTPin`'s memorytrace gives a buffer at most.
const MOST_OF_BUFFER: u64 = 3072 << 20;

/// A trace that one buffer cannot hold.
pub(super) static PLAN: Rule = Rule {
    id: "instrumentation-plan-memory",
    version: 2,
    title: phrase("Plan exceeds a buffer"),
    thresholds: &[Threshold {
        name: phrase("size of the largest buffer, unless a cap is set in Plan"),
        value: MOST_OF_BUFFER as f64,
        unit: Unit::Bytes,
        source: phrase("GTPin: --max_buffer_mb of memorytrace, 3072 by default"),
    }],
    look: |input| {
        let Some(plan) = planned(input) else { return Looked::NotHere };
        let cap = plan.room.cap.unwrap_or(MOST_OF_BUFFER);
        let limit = with_unit(cap as f64, &Unit::Bytes);
        let own = plan.allocations.iter().find(|one| one.layout == plan.room.layout && one.bytes.is_some());
        let blocks =
            own.filter(|_| !plan.sheet.blocks.is_empty()).map(|own| (plan.sheet.name.clone(), own.largest));
        let sizes = plan.sizes.iter().map(|row| (row.size.name.clone(), needed(&row.size, &plan.room)));
        let mut all: Vec<(String, u64)> = blocks.into_iter().chain(sizes).collect();
        crate::base::order::sort_by_key(&mut all, |(_, n)| std::cmp::Reverse(*n));
        // One buffer serves all launches of a kernel.
        let mut named = Set::default();
        all.retain(|(name, _)| named.insert(name.clone()));
        let Some((name, bytes)) = all.first() else {
            return Looked::Missing(message(
                "block executions unknown: a first run counts them (GTPin's memorytrace in its first phase, PTI's instcount)",
            ));
        };
        if *bytes <= cap {
            // Blocks are planned of one kernel.
            let said = if plan.subjects.len() < 2 {
                message("the largest buffer takes {bytes} ({kernel}), the limit is {cap}")
            } else {
                message(
                    "of the kernels that were looked at, the largest buffer takes {bytes} ({kernel}); the limit is {cap}, and Plan shows others",
                )
            };
            return Looked::Nothing(
                said.with("bytes", with_unit(*bytes as f64, &Unit::Bytes))
                    .with("kernel", name)
                    .with("cap", limit),
            );
        }
        let (change, saving) = smaller(&plan);
        let n = all.iter().filter(|(_, bytes)| cap < *bytes).count() - 1;
        let large = all.iter().filter(|(_, bytes)| cap < *bytes).map(|(name, _)| name.clone());
        let others = more(1, large);
        Looked::Found(vec![Finding {
            subject: name.clone(),
            severity: Severity::Warning,
            sentence: message("The records of {kernel} take ⟦{bytes}⟧ in one buffer, which may hold {cap}: recording takes {passes} runs.")
                .with("kernel", name)
                .with("bytes", with_unit(*bytes as f64, &Unit::Bytes))
                .with("cap", limit)
                .with("passes", bytes.div_ceil(cap.max(1)).max(1).checked_next_power_of_two().unwrap_or(1)),
            line: message("{change}{more}").with_message("change", change).with_message("more", others),
            value: *bytes as f64,
            unit: Unit::Bytes,
            saving,
            evidence: Evidence {
                shown: message("the largest buffers"),
                figure: Some(bars(
                    Unit::Bytes,
                    [phrase("Fits"), phrase("Over the limit")],
                    all.iter().take(BARS).map(|(name, bytes)| (name.clone(), [(*bytes).min(cap) as f64, bytes.saturating_sub(cap) as f64])).collect(),
                )),
                numbers: vec![
                    Number::new(phrase("Largest buffer"), *bytes as f64, Unit::Bytes),
                    Number::new(phrase("Limit per buffer"), cap as f64, Unit::Bytes),
                    Number::new(phrase("Buffers over that limit"), (n + 1) as f64, Unit::None),
                ],
                how: message("Bytes per type: records per execution of a block, times its executions, times bytes per record, summed over the blocks, with slack and rounding as set in Plan. The number of runs is a power of two, as GTPin divides threads among them."),
                view: "plan".to_owned(),
                address: Place::view("plan").state("scale", "bytes").address(),
                list: Place::view("details").figure("plan-types", &[]).address(),
                ..Evidence::default()
            },
            ..PLAN.finding()
        }])
    },
};

/// Bytes with slack.
fn needed(size: &crate::views::plan::compute::KernelSize, room: &Room) -> u64 {
    size.bytes.saturating_add(room.slack.of(size.bytes))
}

/// What to leave out, and what that saves.
fn smaller(plan: &Plan) -> (Message, Saving) {
    let Some(first) = plan.savings.first() else {
        return (
            message("Record only some of its threads at a time, or only some blocks."),
            Saving::default(),
        );
    };
    let name = match first.what {
        Ok(of) => plan.sheet.types.get(of).map_or("", |one| &one.record_type.name),
        Err(row) => plan.sheet.blocks.get(row).map_or("", |block| &block.block.label),
    };
    let whole = plan.sums.total.unwrap_or(0) as f64;
    let line = message("Most are of {type}: drop it, record fewer blocks, or use one buffer per thread.")
        .with("type", name);
    let model = message("If {type} is not recorded.").with("type", name);
    (line, Saving::at_most(first.bytes as f64, whole, Unit::Bytes, model).of(phrase("{share} of the buffer")))
}

/// The plan as it stands with what the user set.
pub(super) fn planned(input: &RuleInput) -> Option<Plan> {
    let counted = input.result::<Counted>(&plan::ANALYSIS);
    crate::views::plan::compute::plan(input.trace, input.values, counted)
}
