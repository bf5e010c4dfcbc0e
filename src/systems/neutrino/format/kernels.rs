//! Folders of kernels: `kernel.info`, and what the probe engine printed into `process.log`.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::message;
use crate::systems::neutrino::folder::{Assembled, Kernel, Outcome};

/// The line that begins the report of a failure.
const TRACEBACK: &[u8] = b"Traceback (most recent call last):";

/// Reads `kernel.info`: the name, the number of parameters, the number of maps, and level and bytes of each.
pub(super) fn info(kernel: &mut Kernel, text: &str) {
    let mut lines = text.lines();
    if let Some(name) = lines.next().map(str::trim).filter(|name| !name.is_empty()) {
        name.clone_into(&mut kernel.name);
    }
    kernel.parameters = lines.next().and_then(|line| line.trim().parse().ok()).or(kernel.parameters);
    let n: usize = lines.next().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
    let map = |line: &str| {
        let (level, bytes) = line.split_once(',')?;
        Some((level.trim() == "1", bytes.trim().parse().ok()?))
    };
    kernel.maps = lines.take(n).map_while(map).collect();
}

/// Reads `process.log`: what the assembler said, and how it ended.
pub(super) fn process(kernel: &mut Kernel, path: &str, bytes: &[u8], faults: &mut Vec<Fault>) {
    let at = memchr::memmem::find(bytes, TRACEBACK).unwrap_or(bytes.len());
    let (head, traceback) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let (head, traceback) = (String::from_utf8_lossy(head), String::from_utf8_lossy(traceback));
    for line in head.lines() {
        if line.starts_with("ptxas -") {
            let form =
                ["probed", "pruned", "countd"].iter().find(|form| line.contains(&format!("/{form}.ptx")));
            let form = form.map_or_else(String::new, |form| (*form).to_owned());
            kernel.assembled.push(Assembled { form, ..Assembled::default() });
        } else if line.contains(" is not in [") {
            kernel.outcome = Outcome::Filtered;
        } else if line.contains(" filtered out from [") {
            kernel.outcome = Outcome::Excluded;
        } else if let Some(assembled) = kernel.assembled.last_mut() {
            assembler(assembled, line);
        }
    }
    if kernel.name.is_empty() {
        let mut lines = head
            .lines()
            .skip_while(|line| !line.starts_with("[objdump]") && !line.starts_with("[decompile]"));
        lines.nth(1).unwrap_or("").trim().clone_into(&mut kernel.name);
    }
    if traceback.is_empty() {
        return;
    }
    traceback.trim_end().clone_into(&mut kernel.traceback);
    kernel.outcome = Outcome::Failed;
    let last = kernel.traceback.lines().last().unwrap_or("");
    let reason: String = last.chars().take(200).collect();
    let what = message("the kernel {name} was not probed: {reason}")
        .with("name", &kernel.name)
        .with("reason", reason);
    let line = 1 + head.matches('\n').count();
    let place = Place::byte(path, at as u64).line(u32::try_from(line).unwrap_or(u32::MAX), 1);
    faults.push(Fault::new("NEU-KERNEL", Severity::Loss, place, Kind::Problem(what)));
}

/// `Used 22 registers, used 0 barriers, 384 bytes cmem[0]` and the like.
fn assembler(assembled: &mut Assembled, line: &str) {
    let before = |name: &str| {
        let (head, _) = line.split_once(name)?;
        head.rsplit([' ', ',']).find(|word| !word.is_empty())?.parse::<u64>().ok()
    };
    if let Some(registers) = before(" registers") {
        assembled.registers = u32::try_from(registers).ok();
    }
    assembled.constant_bytes = before(" bytes cmem[0]").or(assembled.constant_bytes);
    assembled.stack_bytes = before(" bytes stack frame").or(assembled.stack_bytes);
    let spills = before(" bytes spill stores").zip(before(" bytes spill loads"));
    assembled.spill_bytes = spills.or(assembled.spill_bytes);
}
