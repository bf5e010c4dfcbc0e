//! The buffers of a launch are found and looked at before they are read.

use super::buffer::{HEAD, Head, Use, Uses};
use super::checks::{Said, Spot};
use super::manifest::{Buffer, Manifest, Type};
use super::shape::Shape;
use crate::base::fault::Severity;
use crate::base::number::{fixed, thousands};
use crate::base::words::{message, phrase};
use crate::input::bundle::{Bundle, EntryId};
use crate::input::source::{ByteSource, read_range};

/// The shapes of the types; those that cannot be read are said.
pub(super) fn shapes(types: &[Type], said: &mut Said, spot: Spot) -> Vec<Option<Shape>> {
    let shape = |(row, of): (usize, &Type)| match Shape::of(of) {
        Ok(shape) => Some(shape),
        Err(least) => {
            said.say(("GMT-TYPE", Severity::Loss), Some(row), spot, || {
                let (name, layout) = (of.name.clone(), of.layout.clone());
                let text = match least {
                    Some(least) => {
                        let text =
                            message("records of {type} have {bytes} bytes, layout {layout} needs {least}");
                        text.with("bytes", of.bytes).with("least", least)
                    }
                    None => message("records of {type} have a layout that is not known: {layout}"),
                };
                let text = text.with("type", name).with("layout", layout);
                (text, phrase("Buffers of this type are not read.").into())
            });
            None
        }
    };
    types.iter().enumerate().map(shape).collect()
}

/// The buffers of a launch.
pub(super) fn buffers(
    manifest: &Manifest,
    dispatch: usize,
    (bundle, files): (&Bundle, &[EntryId]),
    shapes: &[Option<Shape>],
    (said, spot): (&mut Said, Spot),
) -> Uses {
    let mut uses = Uses::default();
    let Some(dispatch) = manifest.dispatches.get(dispatch) else { return uses };
    let mut base = 0_u32;
    for buffer in &dispatch.buffers {
        let Some(found) = find(bundle, files, spot.entry.1, &buffer.file) else {
            said.say(("GMT-FILE", Severity::Loss), manifest.type_row(buffer.of), spot, || {
                let text = message("the buffer {file} is not among the files").with("file", &buffer.file);
                (text, phrase("Its records are not shown.").into())
            });
            continue;
        };
        let Some(mut buffer) = open(buffer, dispatch.run, (bundle, found), said) else { continue };
        buffer.of = buffer.of.and_then(|id| manifest.type_row(u32::try_from(id).ok()?));
        let shape = buffer.of.and_then(|of| shapes.get(of)?.as_ref());
        if buffer.head.of != 0 && shape.is_none() {
            if buffer.of.is_none() {
                said.say(("GMT-TYPE", Severity::Loss), None, Spot::of(&buffer, buffer.start), || {
                    let text = message("the manifest has no type {id}").with("id", buffer.head.of);
                    (text, phrase("This one is not read.").into())
                });
            }
            continue;
        }
        buffer.unit = match shape {
            Some(shape) if 0 < shape.bytes => shape.bytes as u64,
            None if shapes.iter().flatten().all(|shape| shape.bytes.is_multiple_of(4)) => 4,
            _ => 1,
        };
        check(&buffer, shape.map_or(0, |shape| shape.bytes as u64), said);
        let units = u32::try_from(buffer.used.1 / buffer.unit);
        let Some(next) = units.ok().and_then(|units| base.checked_add(units)?.checked_add(1)) else {
            said.say(("GMT-MANY", Severity::Loss), buffer.of, Spot::of(&buffer, 0), || {
                (
                    message("the buffers have more records than can be told apart"),
                    phrase("This one is not read.").into(),
                )
            });
            continue;
        };
        (buffer.base, base) = (base, next);
        uses.0.push(buffer);
    }
    uses
}

/// The entry of a file that a manifest names: beside it, else anywhere under its name.
fn find(bundle: &Bundle, files: &[EntryId], manifest: &str, file: &str) -> Option<EntryId> {
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
    let path = |id: &&EntryId| bundle.get(**id).map_or("", |entry| entry.path.as_str());
    let name = file.rsplit('/').next().unwrap_or(file);
    let in_own = files.iter().find(|id| path(id) == beside);
    let by_name = || files.iter().find(|id| bundle.get(**id).is_some_and(|entry| entry.name() == name));
    in_own.or_else(by_name).copied()
}

/// Opens a buffer. Its type is still the number of the manifest.
fn open(buffer: &Buffer, run: u64, (bundle, id): (&Bundle, EntryId), said: &mut Said) -> Option<Use> {
    let entry = bundle.get(id)?;
    let bytes = if buffer.has_header {
        read_range(&*entry.source, buffer.offset..buffer.offset.saturating_add(HEAD)).unwrap_or_default()
    } else {
        Vec::new()
    };
    let head = Head::of(&bytes);
    let of = if buffer.is_tagged { 0 } else { buffer.of };
    let own_run = buffer.run.or(head.map(|head| u64::from(head.run))).unwrap_or(run);
    let mut opened = Use::new(buffer, own_run, (id, &entry.path, entry.source.clone()), head);
    if head.is_none() && buffer.has_header {
        said.say(("GMT-HEAD", Severity::Warning), None, Spot::of(&opened, buffer.offset), || {
            let text = message("the buffer does not begin with a header");
            (text, phrase("The manifest says its size.").into())
        });
    }
    if let Some(head) = head.filter(|head| head.of != of) {
        said.say(("GMT-HEAD", Severity::Warning), None, Spot::of(&opened, buffer.offset + 12), || {
            let text = message("the header says type {a}, the manifest {b}").with("a", head.of).with("b", of);
            (text, phrase("The manifest is trusted.").into())
        });
    }
    opened.head.of = of;
    opened.of = (of != 0).then_some(of as usize);
    Some(opened)
}

/// Checks a buffer before it is read.
fn check(buffer: &Use, each: u64, said: &mut Said) {
    let head = &buffer.head;
    if buffer.is_over() {
        said.say(("GMT-OVF", Severity::Loss), buffer.of, Spot::of(buffer, buffer.start + 24), || {
            let demand = 100.0 * head.next as f64 / head.capacity.max(1) as f64;
            let text = message(
                "the buffer overflowed: {lost} records lost, {next} B of {capacity} B, demand {demand} %",
            );
            let text = text.with("lost", thousands(buffer.lost(each))).with("next", thousands(head.next));
            let text = text.with("capacity", thousands(head.capacity)).with("demand", fixed(demand, 0));
            (text, phrase("Where records are lost, instructions say so.").into())
        });
    }
    if buffer.used.1 < buffer.used.0 {
        said.say(("GMT-SHORT", Severity::Loss), buffer.of, Spot::of(buffer, buffer.source.len()), || {
            let text = message("the file ends early: {needed} bytes of records needed, {left} there");
            let text = text.with("needed", thousands(buffer.used.0)).with("left", thousands(buffer.used.1));
            (text, phrase("Whole records are used.").into())
        });
    }
}

/// Buffers of another run than that of the order are not read where numbers of threads are of the hardware.
pub(super) fn check_runs(uses: &mut Uses, manifest: &Manifest, said: &mut Said) {
    if !manifest.threads.is_hardware {
        return;
    }
    let is_flow = |buffer: &&Use| {
        let of = buffer.of.and_then(|of| manifest.types.get(of));
        of.is_some_and(|of| of.kind == crate::systems::instrumentation::combine::Kind::Flow)
    };
    let first = uses.0.iter().find(is_flow).or(uses.0.first()).map(|buffer| buffer.run);
    for buffer in uses.0.iter_mut().filter(|buffer| first.is_some_and(|run| run != buffer.run)) {
        buffer.is_read = false;
        let runs = (first.unwrap_or(0), buffer.run);
        said.say(("GMT-RUN", Severity::Loss), buffer.of, Spot::of(buffer, buffer.start), || {
            let text = message(
                "the buffer is of run {b}, the order of run {a}, and threads are slots of the hardware",
            );
            let note = phrase("Its records cannot be combined and are not shown.");
            (text.with("a", runs.0).with("b", runs.1), note.into())
        });
    }
}
