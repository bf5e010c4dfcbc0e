//! Counts of the records of a text whose records are accesses of single instructions: by opcode, address and lanes.

use crate::base::map::{Map, ordered};
use crate::base::order;
use crate::model::Trace;
use crate::views::executions::compute::{Launch, NO_LANES, Program, Recorded};
use serde_json::{Value, json};

/// What a launch of such a text says beside what is kept of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OfLaunch {
    /// Its row in [`Recorded`].
    pub(crate) launch: usize,
    /// Groups that its records name.
    pub(crate) groups: usize,
    /// Processors that its records name; 0 when they name none.
    pub(crate) processors: usize,
    /// Whether its records have addresses of instructions.
    pub(crate) has_addresses: bool,
}

/// The launches of such texts. Kept in `Trace::extensions`.
#[derive(Default)]
pub(crate) struct RecordCounts(pub(crate) Vec<OfLaunch>);

/// The launches of such texts with their programs.
fn launches(trace: &Trace) -> Vec<(OfLaunch, &Launch, &Program)> {
    let known = trace.extensions.get::<RecordCounts>().zip(trace.extensions.get::<Recorded>());
    let Some((counts, recorded)) = known else { return Vec::new() };
    let of = |of: &OfLaunch| {
        let launch = recorded.launches.get(of.launch)?;
        Some((*of, launch, recorded.programs.get(launch.program as usize)?))
    };
    let all: Vec<_> = counts.0.iter().filter_map(of).collect();
    let is_access = |launch: &Launch| launch.order_from.as_deref() == Some("memory");
    let entries = all.iter().filter(|(_, launch, _)| is_access(launch));
    let mut entries: Vec<u32> = entries.map(|(_, launch, _)| launch.entry).collect();
    entries.sort_unstable();
    all.into_iter().filter(|(_, launch, _)| entries.binary_search(&launch.entry).is_ok()).collect()
}

/// Whether there are any.
pub(super) fn has_any(trace: &Trace) -> bool {
    !launches(trace).is_empty()
}

/// The counts of each text, by the number of its entry; and the launches that they are of, ascending.
pub(super) fn by_entry(trace: &Trace) -> (Vec<(u32, Value)>, Vec<usize>) {
    let mut all = launches(trace);
    order::sort_by_key(&mut all, |(_, launch, _)| launch.entry);
    let of_entry = all.chunk_by(|a, b| a.1.entry == b.1.entry);
    let values = of_entry.filter_map(|all| Some((all.first()?.1.entry, counts(all)))).collect();
    let mut rows: Vec<usize> = all.iter().map(|(of, ..)| of.launch).collect();
    rows.sort_unstable();
    (values, rows)
}

fn counts(launches: &[(OfLaunch, &Launch, &Program)]) -> Value {
    let mut opcodes: Map<&str, u64> = Map::default();
    let mut addresses: Map<String, u64> = Map::default();
    let mut lanes: Map<String, u64> = Map::default();
    let (mut records, mut groups, mut processors, mut warps) = (0, 0, 0, 0);
    for (of, launch, program) in launches {
        for (block, active) in launch.executions.block.iter().zip(&launch.executions.lanes) {
            let first = program.blocks.get(*block as usize).map(|block| block.first as usize);
            let instruction = first.and_then(|first| program.instructions.get(first));
            let opcode = instruction.map_or("", |of| of.text.split(' ').next().unwrap_or(""));
            *opcodes.entry(opcode).or_default() += 1;
            let address = instruction.filter(|_| of.has_addresses).map(|of| of.address.to_string());
            *addresses.entry(address.unwrap_or_else(|| "null".to_owned())).or_default() += 1;
            let active = if *active == NO_LANES { "null".to_owned() } else { active.to_string() };
            *lanes.entry(active).or_default() += 1;
        }
        records += launch.executions.block.len();
        warps += launch.threads.len();
        groups += of.groups;
        // Records that name no processor are all of one, which nobody knows.
        processors = processors.max(of.processors.max(1));
    }
    let told = |(name, n): (String, u64)| (name, Value::from(n));
    let opcodes = opcodes.into_iter().map(|(name, n)| told((name.to_owned(), n)));
    json!({
        "launches": launches.len(),
        "records": records,
        "ops": Value::Object(ordered(opcodes)),
        "ctas": groups,
        "warps": warps,
        "pcs": Value::Object(ordered(addresses.into_iter().map(told))),
        "sms": processors,
        "lanes": Value::Object(ordered(lanes.into_iter().map(told))),
    })
}
