//! How the outputs are recognized: by their lines, or by the members of the first record.

use super::head;
use super::line::{MARK, bare};
use crate::base::words::message;
use crate::format::{Claim, Degree, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::json::{Json, parse};
use crate::input::source::read_range;
use memchr::memmem;

/// Bytes that are looked at: the traced program may print before its first kernel.
const HEAD: u64 = 64 << 10;
/// Bare lines from which on they are no chance.
const BARE: usize = 4;

/// A text.
pub(super) fn text(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let certain = |why: &str| Ok((Degree::Certain, "text", message("a line has {what}").with("what", why)));
    for what in ["MEMTRACE: CTX 0x", "NVBit (NVidia Binary Instrumentation Tool"] {
        if memmem::find(&bytes, what.as_bytes()).is_some() {
            return certain(what);
        }
    }
    let mut n = 0;
    for line in bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)) {
        match line.first() {
            Some(b'k') if head::count(line).is_some() => return certain("#thread-blocks"),
            Some(b'K') if head::kernel(line).is_some_and(|head| head.group != [0; 3]) => {
                return certain("grid size");
            }
            Some(b' ' | b'*') if head::registers(line).is_some() => return certain("* Reg0_T0"),
            Some(b'0') if line.len() < 256 && bare(line).is_some() => n += 1,
            _ => {}
        }
    }
    if BARE <= n {
        return Ok((Degree::Likely, "text", message("lines have data and an address")));
    }
    let is_cut = memmem::find(&bytes, MARK).is_some();
    Err((if is_cut { 30 } else { 0 }, message("no line is of a tool")))
}

/// An array of records, or the object of a launch.
pub(super) fn json(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let start = bytes.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF));
    let rest = start.and_then(|start| bytes.get(start..)).unwrap_or(&[]);
    let missed =
        |score, what: &str| Err((score, message("the first record has no {what}").with("what", what)));
    match rest.first() {
        Some(b'[') => {
            // Only names count here: the first record may be damaged.
            let first = rest.get(..rest.len().min(4096)).unwrap_or(rest);
            let has = |name: &str| memmem::find(first, name.as_bytes()).is_some();
            match (has("\"addrs\""), has("\"cta_id")) {
                (true, true) => {
                    Ok((Degree::Certain, "records", message("the first record has addresses of a warp")))
                }
                (true, false) => missed(40, "cta_id"),
                (false, true) => missed(40, "addrs"),
                (false, false) => missed(0, "addrs"),
            }
        }
        Some(b'{') => {
            let (value, _) = parse(rest, 0);
            let has = |name| value.get(name).is_some_and(|value: &Json| !value.is_null());
            if has("kernel_id") && (has("nvbit_version") || has("binary_version")) {
                return Ok((Degree::Certain, "launch", message("it has the members of a launch")));
            }
            Err((0, message("it has not the members of a launch")))
        }
        _ => Err((0, message("expected an object or an array, found nothing"))),
    }
}

/// The launch of a folder belongs to its records, when there is one of both.
pub(super) fn join(bundle: &Bundle, probed: &mut Probed) {
    let folder = |claim: &Claim| {
        let entry = claim.entries.first().and_then(|(entry, _)| bundle.get(*entry));
        entry.map(|entry| entry.path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned()))
    };
    let role = |claim: &Claim| claim.entries.first().map_or("", |(_, role)| *role);
    let of = |claims: &[Claim], at: &Option<String>, which: &str| -> Vec<usize> {
        let is_meant = |claim: &Claim| role(claim) == which && folder(claim) == *at;
        claims.iter().enumerate().filter(|(_, claim)| is_meant(claim)).map(|(n, _)| n).collect()
    };
    let mut n = 0;
    while let Some(claim) = probed.claims.get(n) {
        let at = folder(claim);
        let heads = of(&probed.claims, &at, "launch");
        let records = of(&probed.claims, &at, "records");
        if let ([head], [records]) = (heads.as_slice(), records.as_slice())
            && n == *head
            && let Some(entries) = probed.claims.get(*head).map(|claim| claim.entries.clone())
        {
            if let Some(records) = probed.claims.get_mut(*records) {
                records.entries.extend(entries);
            }
            probed.claims.remove(n);
            continue;
        }
        n += 1;
    }
}
