//! The plan of trace buffers: a table of blocks and record types that can be edited, and what its buffers take.

mod export;
mod figures;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::Job;
use crate::base::words::{message, phrase};
use crate::model::Trace;
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::{self as plan, Counted, PlanInput};
pub(super) use export::PLAN_JSON;

/// The plan.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "buffer-plan",
    title: phrase("Buffer plan"),
    parameters: plan::PARAMETERS,
    applies,
    tap: None,
    start: Some(|_, trace| Job::any(async move |turn| plan::count(&trace, &turn).await)),
    add_tracks: None,
    faults: Some(faults),
    figures: figures::figures,
    advice: None,
    is_comparable: true,
};

fn applies(trace: &Trace) -> bool {
    let has_input = trace.extensions.get::<PlanInput>();
    let has_programs = trace.extensions.get::<Recorded>();
    has_input.is_some_and(|input| !input.kernels.is_empty() || !input.sizes.is_empty())
        || has_programs.is_some_and(|recorded| recorded.programs.iter().any(|one| !one.blocks.is_empty()))
}

/// The plan as it stands with what the user set.
fn plan_of(input: &AnalysisInput) -> Option<plan::Plan> {
    plan::plan(input.trace, input.values, input.result::<Counted>())
}

/// Wrong numbers are refused.
fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let Some(plan) = plan_of(input).filter(|plan| plan.sums.is_too_large) else { return Vec::new() };
    // The reader has said it.
    let kernels = input.trace.extensions.get::<PlanInput>().map_or(&[][..], |input| &input.kernels);
    let is_said = kernels.iter().flat_map(|kernel| &kernel.checks);
    if is_said.into_iter().any(|check| check.code == "GMT-SIZE" && check.holds == Some(false)) {
        return Vec::new();
    }
    let what = message("the buffers of {name} take more than 2⁵³ bytes").with("name", &plan.sheet.name);
    let fault = Fault::new("GMT-SIZE", Severity::Loss, Place::default(), Kind::Problem(what));
    vec![(plan.sheet.entry, fault.note(phrase("Their sizes are not shown.")))]
}
