//! The plan of trace buffers: a table of blocks and record types that can be edited, and what its buffers take.

mod figures;

use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::Job;
use crate::base::map::ordered;
use crate::base::words::{message, phrase};
use crate::export::{Export, ExportInput, whole};
use crate::model::Trace;
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::{self as plan, Allocation, BufferRow, Counted, Plan, PlanInput, SizeRow};
use serde_json::{Map, Value, json};
use std::io::{Result, Write};

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
    let what = message("the buffers of {name} exceed 2⁵³ bytes").with("name", &plan.sheet.name);
    let fault = Fault::new("GMT-SIZE", Severity::Loss, Place::default(), Kind::Problem(what));
    vec![(plan.sheet.entry, fault.note(phrase("Their sizes are not shown.")))]
}

// plan-json: the plan with all that follows from it, all digits; `--plan` reads it again.

/// The plan as JSON.
pub(crate) static PLAN_JSON: Export = Export {
    id: "plan-json",
    title: phrase("Buffer plan as JSON"),
    suffix: "plan.json",
    mime: "application/json",
    takes_argument: false,
    parameters: plan::PARAMETERS,
    can: |input| applies(input.trace),
    write: |_, argument| whole(write, argument),
};

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let Some(plan) = plan::plan(input.trace, input.values, input.result::<Counted>(&ANALYSIS)) else {
        return Ok(());
    };
    serde_json::to_writer_pretty(&mut *out, &value(&plan))?;
    writeln!(out)
}

fn value(plan: &Plan) -> Value {
    let (sheet, sums) = (&plan.sheet, &plan.sums);
    let name = |of: usize| sheet.types.get(of).map_or("", |one| one.record_type.name.as_str());
    let label = |row: usize| sheet.blocks.get(row).map_or("", |block| block.block.label.as_str());
    let types = sheet.types.iter().enumerate().map(|(of, one)| {
        json!({
            "name": one.record_type.name, "kind": one.record_type.kind, "layout": one.record_type.layout,
            "records": sums.records.get(of).copied().flatten(), "record_bytes": one.bytes,
            "bytes": sums.bytes.get(of).copied().flatten(), "left_out": one.is_out,
        })
    });
    let blocks = sheet.blocks.iter().enumerate().map(|(row, block)| {
        let records: Map<String, Value> =
            ordered(block.records.iter().enumerate().map(|(of, n)| (name(of).to_owned(), json!(n))));
        json!({
            "id": block.block.id, "label": block.block.label, "role": block.block.role,
            "first_address": block.block.addresses.map(|(first, _)| first),
            "last_address": block.block.addresses.map(|(_, last)| last),
            "instructions": block.block.instructions, "executions": block.count, "records": records,
            "bytes": sums.of_block.get(row).copied().flatten(), "left_out": block.is_out,
        })
    });
    let hottest = sums.hottest.map(|(row, of)| {
        let bytes = sums.cells.get(row).and_then(|cells| cells.get(of).copied().flatten());
        json!({ "block": label(row), "type": name(of), "bytes": bytes, "share": sums.share(bytes) })
    });
    let savings = plan.savings.iter().map(|saving| {
        let (kind, what) = match saving.what {
            Ok(of) => ("type", name(of)),
            Err(row) => ("block", label(row)),
        };
        json!({ "without": kind, "name": what, "bytes": saving.bytes, "left": saving.left })
    });
    let packed = plan.packed.iter().map(|(title, bytes)| json!({ "name": title, "bytes": bytes }));
    json!({
        "kernel": sheet.name,
        "counts_from": sheet.counts_from,
        "types": types.collect::<Vec<_>>(),
        "blocks": blocks.collect::<Vec<_>>(),
        "total_records": sums.total_records,
        "total_bytes": sums.total,
        "too_large": sums.is_too_large,
        "hottest": hottest,
        "savings": savings.collect::<Vec<_>>(),
        "layout": plan.room.layout.id(),
        "cap_bytes": plan.room.cap,
        "allocations": plan.allocations.iter().map(allocation).collect::<Vec<_>>(),
        "record_per_block": packed.collect::<Vec<_>>(),
        "buffers": plan.buffers.iter().map(|row| buffer(plan, row)).collect::<Vec<_>>(),
        "sizes": plan.sizes.iter().map(size).collect::<Vec<_>>(),
    })
}

fn allocation(one: &Allocation) -> Value {
    if !one.why_not.is_empty() {
        return json!({ "layout": one.layout.id(), "bytes": null, "why_not": one.why_not });
    }
    json!({
        "layout": one.layout.id(), "buffers": one.buffers, "extra_bytes": one.extra, "slack_bytes": one.slack,
        "padding_bytes": one.padding, "bytes": one.bytes, "largest_bytes": one.largest, "passes": one.passes,
    })
}

fn buffer(plan: &Plan, row: &BufferRow) -> Value {
    let name = row.record_type.and_then(|of| plan.sheet.types.get(of as usize));
    json!({
        "type": name.map(|one| &one.record_type.name), "buffers": row.buffers, "planned_bytes": row.planned,
        "capacity_bytes": row.capacity, "next": row.next, "used_bytes": row.used, "lost_records": row.lost,
        "unwritten_records": row.holes, "cut_off_records": row.cut, "demand": row.demand(),
    })
}

fn size(row: &SizeRow) -> Value {
    json!({
        "name": row.size.name, "bytes": row.size.bytes, "threads": row.size.threads, "launch": row.size.launch,
        "platform": row.size.platform, "bytes_per_thread": row.per_thread, "allocated_bytes": row.allocated,
        "passes": row.passes,
    })
}
