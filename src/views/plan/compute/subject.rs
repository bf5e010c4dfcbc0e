//! What can be planned in a document: kernels that files speak of, then launches and programs that were recorded.

use super::{Counted, KernelPlan, PlanInput, plan_of};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::parameter::Values;
use crate::views::executions::compute::Recorded;

/// What is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What a person calls it; unique in the document.
    pub name: String,
    /// Where it is.
    pub source: Source,
}

/// Where a plan comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Row of [`PlanInput::kernels`].
    Kernel(usize),
    /// Row of the launches of [`Recorded`].
    Launch(usize),
    /// Row of the programs of [`Recorded`].
    Program(usize),
}

/// Most of them that are listed.
const SUBJECTS: usize = 10_000;

/// All that can be planned, in the order in which it is offered.
pub fn subjects(trace: &Trace) -> Vec<Subject> {
    let (kernels, recorded) = both(trace);
    let is_planned = |program: usize| kernels.iter().any(|plan| plan.program == u32::try_from(program).ok());
    let mut all: Vec<Subject> = Vec::new();
    let mut add = |name: &str, source| {
        if all.len() < SUBJECTS {
            all.push(Subject { name: name.to_owned(), source });
        }
    };
    for (row, plan) in kernels.iter().enumerate() {
        add(&plan.name, Source::Kernel(row));
    }
    if let Some(recorded) = recorded {
        for (row, launch) in recorded.launches.iter().enumerate() {
            if !is_planned(launch.program as usize) {
                add(&launch.name, Source::Launch(row));
            }
        }
        for (row, program) in recorded.programs.iter().enumerate() {
            let has_launch = recorded.launches.iter().any(|launch| launch.program as usize == row);
            if !has_launch && !is_planned(row) && !program.blocks.is_empty() {
                add(&program.name, Source::Program(row));
            }
        }
    }
    let mut seen: Map<String, usize> = Map::default();
    for subject in &mut all {
        let n = seen.entry(subject.name.clone()).or_default();
        *n += 1;
        if 1 < *n {
            subject.name = format!("{} #{n}", subject.name);
        }
    }
    all
}

/// The names of what can be planned, each with what it is known by in another document: its kernel, and how many of that
/// come before it.
pub fn keys(trace: &Trace) -> Vec<(String, String)> {
    let (kernels, recorded) = both(trace);
    let program = |row: usize| recorded?.programs.get(row).map(|program| program.name.as_str());
    let kernel = |source: Source| match source {
        Source::Kernel(row) => kernels.get(row).map(|plan| plan.name.as_str()),
        Source::Launch(row) => program(recorded?.launches.get(row)?.program as usize),
        Source::Program(row) => program(row),
    };
    let mut seen: Map<&str, usize> = Map::default();
    let key = |Subject { name, source }: Subject| {
        let kernel = kernel(source).unwrap_or("");
        let n = seen.entry(kernel).or_default();
        *n += 1;
        (name, format!("{kernel} #{n}"))
    };
    subjects(trace).into_iter().map(key).collect()
}

/// What the chosen one is known by.
pub fn key(trace: &Trace, values: &Values) -> Option<String> {
    let all = subjects(trace);
    let own = chosen(&all, values.text(super::KERNEL.id).unwrap_or(""))?;
    keys(trace).into_iter().find(|(name, _)| *name == own.name).map(|(_, key)| key)
}

fn both(trace: &Trace) -> (&[KernelPlan], Option<&Recorded>) {
    (trace.extensions.get::<PlanInput>().map_or(&[], |input| &input.kernels), trace.extensions.get())
}

/// The subject of this name, or of this number from 1; the first when there is none.
pub(super) fn chosen<'a>(subjects: &'a [Subject], name: &str) -> Option<&'a Subject> {
    let named = subjects.iter().find(|subject| subject.name == name);
    let numbered = || subjects.get(name.trim().parse::<usize>().ok()?.checked_sub(1)?);
    named.or_else(numbered).or_else(|| subjects.first())
}

/// What is known of a subject, with the counts of its executions.
pub(super) struct Known {
    /// Types, blocks, records, and executions as the file says them.
    pub(super) plan: KernelPlan,
    /// Executions as they were recorded, by block.
    pub(super) traced: Option<Vec<u64>>,
    /// The launch that they were recorded of.
    pub(super) launch: Option<usize>,
    /// Row in [`PlanInput::kernels`].
    pub(super) kernel: Option<usize>,
}

/// What is known of a subject.
pub(super) fn known(trace: &Trace, subject: &Subject, counted: Option<&Counted>) -> Option<Known> {
    let (kernels, recorded) = both(trace);
    let (plan, launch, kernel) = match subject.source {
        Source::Kernel(row) => {
            let plan = kernels.get(row)?;
            // Several plans of one program are those of its launches, one after the other.
            let before = kernels.iter().take(row).filter(|other| other.program == plan.program).count();
            let launches = recorded.into_iter().flat_map(|recorded| recorded.launches.iter().enumerate());
            let mut own =
                launches.filter(|(_, launch)| Some(launch.program) == plan.program).map(|(row, _)| row);
            (plan.clone(), own.nth(before), Some(row))
        }
        Source::Launch(row) => {
            let launch = recorded?.launches.get(row)?;
            let program = recorded?.programs.get(launch.program as usize)?;
            (plan_of(program, launch.program), Some(row), None)
        }
        Source::Program(row) => (plan_of(recorded?.programs.get(row)?, u32::try_from(row).ok()?), None, None),
    };
    let traced = launch.and_then(|row| counted?.launches.get(row)).map(|counts| counts.blocks.clone());
    let traced = traced.filter(|counts| counts.iter().any(|n| *n != 0));
    Some(Known { plan, traced, launch, kernel })
}

/// Records of each type that were read from the buffers of a launch, in the order of its types: name and number. A single
/// number without a name where types share a buffer, and nothing where no buffers are known.
pub fn records_read(trace: &Trace, launch: usize) -> Vec<(String, u64)> {
    let (kernels, Some(recorded)) = both(trace) else { return Vec::new() };
    let Some(program) = recorded.launches.get(launch).map(|launch| launch.program) else { return Vec::new() };
    let plans: Vec<&KernelPlan> = kernels.iter().filter(|plan| plan.program == Some(program)).collect();
    let launches = recorded.launches.iter().filter(|other| other.program == program).count();
    // Plans are those of the launches one after the other; where one of them has none, nobody knows whose they are.
    if plans.len() != launches {
        return Vec::new();
    }
    let before = recorded.launches.iter().take(launch).filter(|other| other.program == program).count();
    let Some(plan) = plans.get(before) else { return Vec::new() };
    if plan.buffers.iter().any(|buffer| buffer.record_type.is_none()) {
        let all = plan.buffers.iter().map(|buffer| buffer.records).sum();
        return if all == 0 { Vec::new() } else { vec![(String::new(), all)] };
    }
    let of_type = |(row, one): (u32, &super::RecordType)| {
        let own = plan.buffers.iter().filter(|buffer| buffer.record_type == Some(row));
        (one.name.clone(), own.map(|buffer| buffer.records).sum::<u64>())
    };
    (0..).zip(&plan.types).map(of_type).filter(|(_, n)| *n != 0).collect()
}

/// Where counts come from, for people.
pub(super) fn source_of(known: &Known, is_traced: bool) -> &str {
    match (is_traced, known.plan.counts_from.as_str()) {
        (true, _) => phrase("recorded executions"),
        (false, "") => phrase("file"),
        (false, from) => from,
    }
}
