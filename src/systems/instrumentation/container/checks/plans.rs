//! The plan of a launch, and whether its buffers kept to it.

use super::{CHECKS, Said, Spot};
use crate::base::fault::Severity;
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};
use crate::systems::instrumentation::combine::Kind;
use crate::systems::instrumentation::container::buffer::Use;
use crate::systems::instrumentation::container::launch::Run;
use crate::systems::instrumentation::container::manifest::{Block, Dispatch, Instruction, Kernel, Manifest};
use crate::views::plan::compute::{BufferUse, Check, KernelPlan, PlanBlock, RecordType};

/// The largest number that JSON keeps whole.
const LARGEST: u128 = 1 << 53;
/// Blocks that are told when counts differ.
const TOLD: usize = 8;

/// What is planned of a kernel, without counts.
pub(crate) fn of_kernel(manifest: &Manifest, row: usize, entry: u32) -> KernelPlan {
    let Some(kernel) = manifest.kernels.get(row) else { return KernelPlan::default() };
    let types = manifest.types.iter().map(|of| RecordType {
        id: of.id,
        name: of.name.clone(),
        kind: of.kind_name.clone(),
        layout: of.layout.clone(),
        bytes: of.bytes,
    });
    let blocks = kernel.blocks.iter().map(|block| {
        let address = |at: Option<&Instruction>| at.map_or(block.address, |at| at.address);
        let records = manifest.types.iter().map(|of| {
            let emits = block.emits.iter().find(|emits| emits.of == of.id);
            let vary = emits.and_then(|emits| emits.bytes).filter(|_| of.bytes == 0).unwrap_or(0);
            emits.map_or((0, 0), |emits| (emits.count, vary.saturating_mul(emits.count)))
        });
        let at = manifest.types.iter().map(|of| {
            let emits = block.emits.iter().find(|emits| emits.of == of.id);
            emits.map_or_else(Vec::new, |emits| emits.at.clone())
        });
        PlanBlock {
            id: block.id,
            label: block.label.clone(),
            addresses: Some((address(block.instructions.first()), address(block.instructions.last()))),
            instructions: u32::try_from(block.instructions.len()).unwrap_or(u32::MAX),
            role: role(kernel, block).to_owned(),
            records: records.collect(),
            at: at.collect(),
            count: None,
        }
    });
    KernelPlan {
        name: kernel.name.clone(),
        entry,
        types: types.collect(),
        blocks: blocks.collect(),
        ..KernelPlan::default()
    }
}

fn role(kernel: &Kernel, block: &Block) -> &'static str {
    let goes_back = |id: &u32| {
        let next = kernel.blocks.iter().find(|next| next.id == *id);
        next.is_some_and(|next| next.address <= block.address)
    };
    match block {
        block if block.is_entry => phrase("entry"),
        block if block.is_exit => phrase("exit"),
        block if block.successors.iter().any(goes_back) => phrase("loop"),
        _ => "",
    }
}

/// Adds the counts of a launch to its plan.
pub(crate) fn add_counts(
    plan: &mut KernelPlan,
    manifest: &Manifest,
    dispatch: &Dispatch,
    kernel: usize,
    flow: &[u64],
) {
    let Some(kernel) = manifest.kernels.get(kernel) else { return };
    let Some(first) = &dispatch.plan else {
        for (block, count) in plan.blocks.iter_mut().zip(flow) {
            block.count = Some(*count);
        }
        if !flow.is_empty() {
            phrase("flow buffer").clone_into(&mut plan.counts_from);
        }
        return;
    };
    let counts: Map<u32, u64> = first.counts.iter().copied().collect();
    for block in &mut plan.blocks {
        block.count = Some(counts.get(&block.id).copied().unwrap_or(0));
    }
    let row = |id: u32| kernel.block_row(id).and_then(|row| u32::try_from(row).ok());
    let of_thread = |(thread, counts): &(u32, Vec<(u32, u64)>)| {
        let counts = counts.iter().filter_map(|(id, n)| Some((row(*id)?, *n)));
        (*thread, counts.collect())
    };
    plan.by_thread = first.by_thread.iter().map(of_thread).collect();
    let from = if first.run == 0 { phrase("first run") } else { phrase("another run") };
    from.clone_into(&mut plan.counts_from);
}

/// Bytes of a type that so many executions of blocks write; `None` beyond 2^53.
fn bytes(
    plan: &KernelPlan,
    of: usize,
    counts: impl Iterator<Item = (usize, u64)>,
    extra: u64,
) -> Option<u64> {
    let each = plan.types.get(of)?.bytes;
    let mut sum: u128 = 0;
    for (block, count) in counts {
        let (records, vary) = plan.blocks.get(block)?.records.get(of).copied()?;
        let own = if each == 0 { u128::from(vary) } else { u128::from(records).checked_mul(each.into())? };
        let tags = u128::from(records).checked_mul(extra.into())?;
        sum = sum.checked_add(own.checked_add(tags)?.checked_mul(count.into())?)?;
    }
    u64::try_from(sum).ok().filter(|_| sum <= LARGEST)
}

fn counted(plan: &KernelPlan) -> impl Iterator<Item = (usize, u64)> {
    plan.blocks.iter().enumerate().map(|(row, block)| (row, block.count.unwrap_or(0)))
}

/// Refuses counts whose product is beyond what is shown.
pub(crate) fn check_size(plan: &mut KernelPlan, said: &mut Said, spot: Spot) {
    let found = (0..plan.types.len()).find(|of| bytes(plan, *of, counted(plan), 0).is_none());
    let Some(of) = found else { return };
    let name = plan.types.get(of).map(|of| of.name.clone()).unwrap_or_default();
    said.say(("GMT-SIZE", Severity::Loss), Some(of), spot, || {
        let text = message("the planned size of {type} exceeds 2^53 bytes").with("type", name);
        (text, phrase("The plan is shown without counts.").into())
    });
    plan.blocks.iter_mut().for_each(|block| block.count = None);
    plan.by_thread.clear();
}

/// Whether buffers were used as planned.
pub(crate) fn check_use(run: &mut Run, plan: &KernelPlan, spot: Spot) {
    let dispatch = run.manifest.dispatches.get(run.dispatch);
    let is_planned = dispatch.is_some_and(|dispatch| dispatch.plan.is_some());
    if !is_planned || plan.blocks.iter().any(|block| block.count.is_none()) {
        return;
    }
    let read = || run.uses.0.iter().filter(|buffer| buffer.is_read);
    let mut sums: Vec<(Option<usize>, &Use, u64, u64)> = Vec::new();
    for of in (0..plan.types.len()).map(Some).chain([None]) {
        let own: Vec<&Use> = read().filter(|buffer| buffer.of == of).collect();
        let Some(first) = own.first() else { continue };
        let by_thread =
            |thread: u32| plan.by_thread.iter().find(|(id, _)| *id == thread).map(|(_, counts)| counts);
        let all_own = own.iter().all(|buffer| buffer.thread.is_some()) && !plan.by_thread.is_empty();
        if let Some(of) = of.filter(|_| all_own) {
            for buffer in own {
                let counts = buffer.thread.and_then(by_thread).into_iter().flatten();
                let counts = counts.map(|(block, n)| (*block as usize, *n));
                sums.extend(
                    bytes(plan, of, counts, 0).map(|planned| (Some(of), buffer, planned, buffer.head.next)),
                );
            }
            continue;
        }
        let used = own.iter().map(|buffer| buffer.head.next).fold(0, u64::saturating_add);
        let planned = match of {
            Some(of) => bytes(plan, of, counted(plan), 0),
            None => {
                let each = (0..plan.types.len()).map(|of| bytes(plan, of, counted(plan), 4));
                each.into_iter().try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
            }
        };
        sums.extend(planned.map(|planned| (of, *first, planned, used)));
    }
    for (of, buffer, planned, used) in sums.into_iter().filter(|(.., planned, used)| planned != used) {
        let at = if buffer.head.record_bytes == 0 && buffer.start == buffer.payload.start { 0 } else { 24 };
        run.said.say(("GMT-PLAN", Severity::Warning), of, Spot::of(buffer, buffer.start + at), || {
            let text = message("planned {planned} B, used {used} B");
            let text = text.with("planned", thousands(planned)).with("used", thousands(used));
            (text, phrase("The run differs from the one that was counted.").into())
        });
    }
    check_sum(run, plan, spot);
}

/// Whether the flow has as many executions as planned.
fn check_sum(run: &mut Run, plan: &KernelPlan, spot: Spot) {
    if run.order.is_none_or(|(_, is_flow)| !is_flow) {
        return;
    }
    let pairs = plan.blocks.iter().zip(&run.counts);
    let differ: Vec<_> =
        pairs.filter(|(block, n)| block.count.is_some_and(|planned| planned != **n)).collect();
    if differ.is_empty() {
        return;
    }
    let one = |(block, n): &(&PlanBlock, &u64)| {
        format!("{}: {} → {}", block.label, thousands(block.count.unwrap_or(0)), thousands(**n))
    };
    let mut table: Vec<String> = differ.iter().take(TOLD).map(one).collect();
    if TOLD < differ.len() {
        table.push("…".to_owned());
    }
    run.said.say(("GMT-SUM", Severity::Note), None, spot, || {
        let text = message("executions differ from the plan: {table}").with("table", table.join(", "));
        (text, Message::default())
    });
}

/// What a buffer became.
pub(crate) fn of_buffer(buffer: &Use, each: u64) -> BufferUse {
    BufferUse {
        record_type: buffer.of.and_then(|of| u32::try_from(of).ok()),
        thread: buffer.thread,
        entry: buffer.entry.0,
        capacity: buffer.head.capacity,
        next: buffer.head.next,
        records: buffer.records,
        lost: buffer.lost(each),
        holes: buffer.holes,
        cut: buffer.cut(each),
    }
}

/// What came of the checks.
pub(crate) fn checks(run: &Run, plan: &KernelPlan) -> Vec<Check> {
    let is_flow = run.order.is_some_and(|(_, is_flow)| is_flow);
    let has_plan = run.manifest.dispatches.get(run.dispatch).is_some_and(|dispatch| dispatch.plan.is_some());
    let has_crc = run.uses.0.iter().any(|buffer| buffer.head.crc != 0);
    let has_others =
        run.uses.0.iter().any(|buffer| buffer.of.is_none() || buffer.of != run.order.map(|(of, _)| of));
    let has_successors =
        run.program().is_some_and(|kernel| kernel.blocks.iter().any(|b| !b.successors.is_empty()));
    let has_flow_type = run.manifest.types.iter().any(|of| of.kind == Kind::Flow);
    let why = |code: &str| match code {
        "GMT-SIZE" => None,
        _ if run.uses.0.is_empty() => Some(phrase("no buffers")),
        "GMT-PLAN" | "GMT-SUM" if !has_plan => Some(phrase("no plan in the file")),
        "GMT-PLAN" | "GMT-SUM" if plan.blocks.iter().any(|block| block.count.is_none()) => {
            Some(phrase("no counts"))
        }
        "GMT-CRC" if !has_crc => Some(phrase("not in the file")),
        "GMT-SUM" | "GMT-FLOW" if !is_flow && has_flow_type => Some(phrase("the flow was not read")),
        "GMT-SUM" | "GMT-FLOW" if !is_flow => Some(phrase("no flow was recorded")),
        "GMT-FLOW" if !has_successors => Some(phrase("no successors in the file")),
        "GMT-SEQ" | "GMT-LOST" | "GMT-XTRA" if is_flow && !has_others => {
            Some(phrase("only the flow was recorded"))
        }
        "GMT-RUN" if !run.manifest.threads.is_hardware => None,
        _ => None,
    };
    let mut all = Vec::new();
    let failed = &run.said.failed;
    let known = CHECKS.iter().map(|(code, _)| *code);
    let others =
        failed.iter().map(|failed| failed.code).filter(|code| CHECKS.iter().all(|(known, _)| known != code));
    let mut codes: Vec<&str> = Vec::new();
    for code in known.chain(others) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    for code in codes {
        let own = failed.iter().filter(|failed| failed.code == code);
        all.extend(own.clone().map(|failed| {
            Check {
                code: code.to_owned(),
                record_type: failed.of.and_then(|of| u32::try_from(of).ok()),
                holds: Some(false),
                text: match failed.n {
                    1 => failed.first.clone(),
                    n => message("{first}; {n} in total")
                        .with_message("first", failed.first.clone())
                        .with("n", thousands(n)),
                },
            }
        }));
        if own.clone().next().is_none() {
            let passed = CHECKS.iter().find(|(known, _)| *known == code).map_or("", |(_, text)| *text);
            let (holds, text) = why(code).map_or((Some(true), passed), |why| (None, why));
            all.push(Check { code: code.to_owned(), record_type: None, holds, text: text.into() });
        }
    }
    all
}
