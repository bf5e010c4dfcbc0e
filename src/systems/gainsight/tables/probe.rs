//! How tables are recognized: by their first line. Files of one name belong together.

use super::{role, split, weights};
use crate::base::words::message;
use crate::format::{Claim, Degree, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry};
use crate::input::source::read_range;

/// Bytes that are looked at.
const HEAD: u64 = 8 << 10;

/// Looks at an entry.
pub(super) fn look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let line = text.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(&[]);
    let line = String::from_utf8_lossy(line);
    let columns: Vec<&str> = line.split(',').map(str::trim).collect();
    let certain = |role| Ok((Degree::Certain, role, message("its first line names the columns")));
    if columns.starts_with(&["kernel_id", "address", "lifetime_cycles"]) {
        return certain(role::LIFETIMES);
    }
    if columns.contains(&"Kernel ID") && columns.iter().any(|column| column.ends_with(" Lifetime")) {
        return certain(role::KERNELS);
    }
    let is_named = entry.name().to_ascii_lowercase().contains("cluster");
    if is_named && weights::columns(columns.iter().copied()).is_some() {
        return Ok((Degree::Likely, role::CLUSTERS, message("its first line names kernels and clusters")));
    }
    let is_near = columns.contains(&"Kernel ID") || columns.contains(&"kernel_id");
    Err((if is_near { 40 } else { 0 }, message("the first line names no columns of lifetimes")))
}

/// One claim for the files of one name; clusters belong to the only run of their folder.
pub(super) fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut runs: Vec<(String, String, Claim)> = Vec::new();
    let mut clusters = Vec::new();
    for claim in std::mem::take(&mut probed.claims) {
        let Some((entry, role)) = claim.entries.first().copied() else { continue };
        let path = bundle.get(entry).map_or("", |entry| entry.path.as_str());
        let (folder, stem, _) = split(path);
        if role == role::CLUSTERS {
            clusters.push((folder.to_owned(), claim));
            continue;
        }
        match runs.iter_mut().find(|(at, name, _)| at == folder && name == stem) {
            Some((.., known)) => known.entries.extend(claim.entries),
            None => runs.push((folder.to_owned(), stem.to_owned(), claim)),
        }
    }
    for (folder, claim) in clusters {
        let mut own = runs.iter_mut().filter(|(at, ..)| *at == folder);
        match (own.next(), own.next()) {
            (Some((.., known)), None) => known.entries.extend(claim.entries),
            _ => probed.claims.push(claim),
        }
    }
    probed.claims.extend(runs.into_iter().map(|(.., claim)| claim));
}
