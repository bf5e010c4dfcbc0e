//! Memory accesses in a digest: counts by class, first rows, and a check value over all.

use super::digest::{count, limited, mix, mix_text};
use crate::model::Trace;
use crate::model::access::OPERATION;
use std::fmt::Write;

/// First rows that are written out.
const ROWS: u32 = 3;

/// What the accesses, their allocations and call stacks are.
pub(super) fn accesses(out: &mut String, trace: &Trace) {
    let accesses = &trace.accesses;
    if accesses.is_empty() {
        return;
    }
    let line = |row: u32| {
        let access = accesses.get(row)?;
        let class = accesses.class(row)?;
        let (operation, unit) = (accesses.value(class, OPERATION), accesses.unit_name(class));
        let space = accesses.space_name(class.space());
        let pc = accesses.site(row).map_or("–".to_owned(), |site| format!("0x{:x}", site.pc));
        Some(format!(
            "{} {operation} {space} 0x{:x} +{} by {unit}, pc {pc}",
            access.position, access.address, access.bytes
        ))
    };
    let n = accesses.len() as u32;
    let check = (0..n).filter_map(line).fold(0, |sum, line| mix_text(sum, &line));
    let _ = writeln!(out, "accesses check {check:016x}");
    for line in (0..n.min(ROWS)).filter_map(line) {
        let _ = writeln!(out, "  {line}");
    }
    let check = accesses.regions.iter().fold(0, |sum, region| {
        let numbers = [region.start, region.end, u64::from(region.rows.start), u64::from(region.rows.end)];
        numbers.iter().fold(mix_text(sum, &region.name), |sum, number| mix(sum, *number))
    });
    if !accesses.regions.is_empty() {
        let _ = writeln!(out, "  {} regions, check {check:016x}", count(accesses.regions.len() as u64));
    }
    let sites: Vec<_> = accesses.sites.iter().filter(|site| site.stack.is_some()).collect();
    limited(out, &sites, "call stacks", |out, site| {
        let stack = site.stack.and_then(|stack| accesses.stacks.get(stack as usize));
        let frames = stack.and_then(|s| accesses.frames.get(s.frames.start as usize..s.frames.end as usize));
        let frames = frames.unwrap_or(&[]).iter().map(|frame| {
            let (function, file) = (trace.strings.get(frame.function), trace.strings.get(frame.file));
            format!("{function} {file}:{}:{}", frame.line, frame.column)
        });
        let _ = writeln!(out, "  0x{:x}: {}", site.pc, frames.collect::<Vec<_>>().join(" < "));
    });
}
