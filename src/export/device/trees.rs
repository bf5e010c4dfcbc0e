//! modules-csv and stacks-csv: a row for each path from the top down, most host time first; operators-memory-csv: a row for
//! each operator and device.

use super::tables::{LAUNCHED, launched};
use super::{TIME, found, head, time};
use crate::analysis::device::{Device, MemoryUse, Sums, Tree, class};
use crate::base::order;
use crate::base::words::phrase;
use crate::export::parts::rows_in_parts;
use crate::export::{Export, ExportInput, Parts};

/// Modules inside of modules.
pub(in crate::export) static MODULES_CSV: Export = Export {
    id: "modules-csv",
    title: phrase("Tree of modules as CSV"),
    suffix: "modules.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| class::has_functions(input.trace),
    write: |input, _| found(input, |device, input| tree(device.modules, input)),
};

/// Functions inside of functions.
pub(in crate::export) static STACKS_CSV: Export = Export {
    id: "stacks-csv",
    title: phrase("Tree of functions as CSV"),
    suffix: "stacks.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| class::has_functions(input.trace),
    write: |input, _| found(input, |device, input| tree(device.stacks, input)),
};

/// What operators allocate.
pub(in crate::export) static OPERATORS_MEMORY_CSV: Export = Export {
    id: "operators-memory-csv",
    title: phrase("Memory by operator as CSV"),
    suffix: "operators-memory.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&TIME],
    can: |input| !input.trace.allocations.is_empty(),
    write: |input, _| found(input, memory),
};

fn tree(of: Tree, input: &ExportInput) -> Parts {
    let listed = of.listed(|_| true, None);
    let times = ["host_total_", "host_self_", "device_total_", "device_self_"];
    let names: Vec<&str> = ["depth", "name", "calls"].into_iter().chain(times).chain(LAUNCHED).collect();
    rows_in_parts(head(input.trace, &names), listed.len(), move |input, n| {
        let found = listed.get(n).and_then(|at| of.rows.get(*at as usize));
        let Some(row) = found else { return Vec::new() };
        let name = input.trace.strings.get(row.name).to_owned();
        let mut cells = vec![row.depth.to_string(), name, row.calls.to_string()];
        let times = [row.host_total, row.host_own, row.device_total, row.device_own];
        cells.extend(times.map(|ticks| time(input.trace, ticks)));
        cells.extend(launched(row));
        cells
    })
}

fn memory(of: Device, input: &ExportInput) -> Parts {
    let name = |row: &MemoryUse| input.trace.strings.get(row.name);
    let order = order::sequence(of.memory.len(), &|a, b| {
        let [a, b] = [a, b].map(|at| &of.memory[at]);
        let by = |row: &MemoryUse| (row.own.allocated, row.own.freed);
        let named = || name(a).cmp(name(b));
        a.device.cmp(&b.device).then_with(|| by(b).cmp(&by(a))).then_with(named)
    });
    let sums = ["allocations", "allocated_bytes", "freed_bytes", "net_bytes"];
    let own = sums.map(|name| format!("self_{name}"));
    let names = ["operator", "device"].map(str::to_owned).into_iter();
    let head = names.chain(sums.map(str::to_owned)).chain(own).chain(["device_peak_bytes".to_owned()]);
    rows_in_parts(head.collect(), order.len(), move |input, n| {
        let found = order.get(n).and_then(|at| of.memory.get(*at as usize));
        let Some(row) = found else { return Vec::new() };
        let peak = of.peaks.get(row.device as usize);
        let mut cells = vec![
            input.trace.strings.get(row.name).to_owned(),
            peak.map_or(String::new(), |peak| peak.name.clone()),
        ];
        let sums = |sums: &Sums| {
            [sums.n.to_string(), sums.allocated.to_string(), sums.freed.to_string(), sums.net().to_string()]
        };
        cells.extend(sums(&row.total));
        cells.extend(sums(&row.own));
        cells.push(peak.map_or(String::new(), |peak| peak.bytes.to_string()));
        cells
    })
}
