//! The results of trace folders, each a document of its own.

use super::sections::{HEAD, Header};
use super::{ending, look, place, role, root, split};
use crate::format::Part;
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::read_range;
use crate::model::files::operator::OperatorHead;
use memchr::memmem;

/// What is read of a log at most for the launch of a result.
const LOG: u64 = 4 << 20;
/// What stands before the function of a launch.
const BEGINS: [&[u8]; 2] = [b"funcmap-find ", b"funcmap-not-find "];
/// What ends a launch.
const ENDS: [&[u8]; 2] = [b"] prologue ", b"] backup"];

/// A trace folder.
#[derive(Default)]
struct Root<'a> {
    path: &'a str,
    shared: Vec<EntryId>,
    /// Results with their paths; those of the same launch stand together.
    results: Vec<(&'a str, EntryId)>,
    has_anchor: bool,
}

/// The results of a bundle. Looks at paths, and at the heads of files whose path tells nothing.
pub(super) fn find(bundle: &Bundle) -> Vec<Part> {
    let mut roots: Vec<Root> = Vec::new();
    let mut rest: Vec<EntryId> = Vec::new();
    for (id, entry) in bundle.iter() {
        let by_path = place(&entry.path).map(|(_, role)| role);
        let is_result = |name: &str| matches!(ending(name), "bin" | "dmat");
        let by_content = || is_result(entry.name()).then(|| Some(look(entry).ok()?.1))?;
        let Some(role) = by_path.or_else(by_content) else {
            rest.push(id);
            continue;
        };
        let path = root(entry);
        let at = roots.iter().rposition(|root| root.path == path).unwrap_or_else(|| {
            roots.push(Root { path, ..Root::default() });
            roots.len() - 1
        });
        let Some(root) = roots.get_mut(at) else { continue };
        root.has_anchor |= matches!(role, role::LOG | role::KERNEL | role::RESULT | role::DENSITY);
        match role {
            role::RESULT | role::DENSITY | role::PICTURE => root.results.push((&entry.path, id)),
            _ => root.shared.push(id),
        }
    }
    roots.retain(|root| root.has_anchor);
    let mut parts: Vec<Part> = roots.iter().flat_map(|root| of_root(root, bundle)).collect();
    let is_trace = |id: &EntryId| bundle.get(*id).is_some_and(|entry| entry.name().contains(".json"));
    if !parts.is_empty() && rest.iter().any(is_trace) {
        let path = rest.first().and_then(|id| bundle.get(*id)).map_or("", |entry| split(&entry.path).0);
        parts.push(Part { path: format!("{path}/*"), entries: rest });
    }
    parts
}

/// A part for each launch with a result, else one for the folder.
fn of_root(root: &Root, bundle: &Bundle) -> Vec<Part> {
    let stem = |path: &'_ str| path.rsplit_once('.').map_or(path.len(), |(stem, _)| stem.len());
    let mut parts: Vec<Part> = Vec::new();
    for &(path, id) in &root.results {
        match parts.last_mut().filter(|part| part.path.get(..stem(&part.path)) == path.get(..stem(path))) {
            Some(part) => part.entries.push(id),
            None => parts.push(Part { path: path.to_owned(), entries: vec![id] }),
        }
    }
    if parts.is_empty() {
        let first = root.shared.first().and_then(|id| bundle.get(*id)).map_or("", |entry| &entry.path);
        let path = if root.path.is_empty() { first } else { root.path };
        parts.push(Part { path: path.to_owned(), entries: Vec::new() });
    }
    for part in &mut parts {
        part.entries.extend(&root.shared);
    }
    parts
}

/// What a result is, from its header and from the lines of the log before it was saved.
pub(super) fn head(bundle: &Bundle, part: &Part) -> OperatorHead {
    let name = split(&part.path).1.to_owned();
    let mut head = OperatorHead { path: part.path.clone(), name, ..OperatorHead::default() };
    let entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    for entry in entries.filter(|entry| entry.path == part.path) {
        let bytes = read_range(&*entry.source, 0..HEAD).unwrap_or_default();
        if let Ok(header) = Header::parse(&bytes, entry.source.len()) {
            head.block_dim = Some(header.blocks() as f64);
        }
    }
    let file = format!("/{} size ", head.name);
    let mut entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    let log = entries.find(|entry| place(&entry.path).is_some_and(|(_, role)| role == role::LOG));
    let log = log.and_then(|log| read_range(&*log.source, 0..LOG.min(log.source.len())).ok());
    head.launch = log.and_then(|log| launch(&log, file.as_bytes())).unwrap_or_default();
    head
}

/// Number and kernel of the launch whose result was saved as this file.
fn launch(log: &[u8], file: &[u8]) -> Option<String> {
    let before = log.get(..memmem::find(log, file)?)?;
    let word = |from: usize| {
        let text = before.get(from..)?.split(|byte| byte.is_ascii_whitespace() || *byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    };
    let ended = ENDS.iter().map(|end| memmem::find_iter(before, end).count()).sum::<usize>();
    let begun = BEGINS.iter().filter_map(|begin| Some(memmem::rfind(before, begin)? + begin.len())).max()?;
    // The function has its name where it was loaded, or where the kernel was probed.
    let function = word(begun)?;
    let mut lines = memmem::rfind_iter(before, function.as_bytes()).filter_map(|at| {
        let line = before.get(at..)?.split(|byte| *byte == b'\n').next()?;
        word(at + memmem::find(line, b" name ")? + 6)
    });
    let name = lines.next().unwrap_or_default();
    Some(format!("{} {name}", ended + 1).trim_end().to_owned())
}
