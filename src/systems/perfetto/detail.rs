//! Arguments of a slice, read back from its packet.
//!
//! | argument | name |
//! |---|---|
//! | debug annotation | its own; members of dictionaries behind a dot, arrays as JSON |
//! | source location, posting task, log message | `source`, `posted from`, `log` |
//! | extra data of a GPU stage | its own |
//! | fields of events of the kernel | those of its tables |
//! | fields of other packets | their numbers |
//! | other typed arguments | their numbers, together |

use super::ftrace::{Described, Event, generic};
use super::packet::fields::{Fields, Value as Field, each, numbers};
use super::packet::{Next, Packet, Packets, number, walk};
use super::sequence::{Arguments, text};
use super::{frame_fields, lossy};
use crate::base::map::ordered;
use crate::base::words::phrase;
use crate::format::{SliceBytes, SliceDetail};
use prost::bytes::Bytes;
use serde_json::{Map, Value};
use std::io::Read;

/// Most bytes of packed packets that are unpacked for one slice, and of their packing that is read.
const MOST: u64 = 64 << 20;
const PACKED: u64 = 4 << 20;

/// Deepest nesting of annotations that is followed.
const DEPTH: usize = 64;

/// Everything that a slice says.
pub(super) fn detail(of: &SliceBytes) -> SliceDetail {
    let unpacked = if of.bytes.is_empty() { unpacked(of) } else { None };
    let bytes = unpacked.unwrap_or_else(|| Bytes::copy_from_slice(of.bytes));
    let (packet, wrong) = Packet::read(&bytes);
    if let Some(priority) = lone(&bytes) {
        return SliceDetail { members: vec![priority_of(priority)], ..SliceDetail::default() };
    }
    if wrong.is_some() {
        let event = Event::read(&bytes).ok().filter(|event| event.time != 0 && event.kind != 0);
        return SliceDetail {
            members: event.as_ref().and_then(priority).into_iter().collect(),
            args: event.map_or_else(Vec::new, |event| of_kernel(&event, of)),
            ..SliceDetail::default()
        };
    }
    let reader = Reader { of, sequence: packet.sequence };
    let mut args = Vec::new();
    match &packet.data {
        Some((number::TRACK_EVENT, event)) => reader.event(event, &mut args),
        Some((number::GPU_STAGE, stage)) => {
            for (_, extra) in Fields::of(stage).filter(|(field, _)| *field == 6) {
                let text = |field| {
                    let found = Fields::of(extra.bytes()).find(|(number, _)| *number == field);
                    lossy(found.map(|(_, value)| value.bytes()))
                };
                args.push((text(1), text(2)));
            }
        }
        Some((kind, body)) => args = plain(*kind, body),
        None => {}
    }
    SliceDetail { args, ..SliceDetail::default() }
}

/// The fields of a message by their numbers; of a frame by their names.
fn plain(packet: u64, bytes: &[u8]) -> Vec<(String, String)> {
    let mut args = Vec::new();
    let frame = Fields::of(bytes).next().filter(|_| packet == number::FRAME_TIMELINE);
    let (names, bytes) = match frame {
        Some((kind, body)) => (frame_fields(kind).unwrap_or(""), body.bytes()),
        None => ("", bytes),
    };
    fields("field ", bytes, 0, &mut args);
    for (name, _) in &mut args {
        let number = name.trim_start_matches("field ").parse::<usize>().unwrap_or(0);
        if let Some(of) = names.split(' ').nth(number.wrapping_sub(1)).filter(|of| !of.is_empty()) {
            of.clone_into(name);
        }
    }
    args
}

/// The priority of the thread that a processor goes over to.
fn priority(event: &Event) -> Option<(String, String)> {
    const NEXT_PRIO: u64 = 7;
    let mut fields = Fields::of(event.body).filter(|_| event.kind == Event::SCHED_SWITCH);
    fields.find(|(number, _)| *number == NEXT_PRIO).map(|(_, value)| priority_of(value.number()))
}

fn priority_of(number: u64) -> (String, String) {
    (phrase("Priority").to_owned(), number.cast_signed().to_string())
}

/// The number that these bytes are when they are nothing else: of a switch in columns only that is kept. A program may
/// write an `E` alone.
fn lone(bytes: &[u8]) -> Option<u64> {
    let is_lone = each(bytes).count() == 1 && bytes != b"E";
    numbers(Field::Bytes(bytes)).first().copied().filter(|_| is_lone)
}

/// The fields of an event of the kernel by their names.
fn of_kernel(event: &Event, of: &SliceBytes) -> Vec<(String, String)> {
    if let Some(args) = generic(event) {
        return args;
    }
    let known = of.trace.extensions.get::<Described>();
    let mut args = Vec::new();
    for (number, value) in Fields::of(event.body) {
        let named = known.and_then(|known| known.field(event.kind, number));
        let name = named.as_ref().map_or_else(|| format!("field {number}"), |named| named.name.to_string());
        match (value, named) {
            (Field::Number(value) | Field::Fixed(value), Some(named)) if named.is_unsigned => {
                args.push((name, value.to_string()));
            }
            (Field::Number(value) | Field::Fixed(value), _) => {
                args.push((name, value.cast_signed().to_string()));
            }
            (Field::Bytes(bytes), _) => part(name, bytes, 0, &mut args),
        }
    }
    args
}

fn fields(before: &str, bytes: &[u8], depth: usize, args: &mut Vec<(String, String)>) {
    for (number, value) in Fields::of(bytes) {
        let name = format!("{before}{number}");
        let Field::Bytes(bytes) = value else {
            args.push((name, value.number().cast_signed().to_string()));
            continue;
        };
        part(name, bytes, depth, args);
    }
}

/// A field with a length: a text, or a message.
fn part(name: String, bytes: &[u8], depth: usize, args: &mut Vec<(String, String)>) {
    let text = std::str::from_utf8(bytes).map(str::trim_end);
    match text.ok().filter(|text| !text.contains(|c: char| c.is_control() && c != '\n')) {
        Some(text) => args.push((name, text.to_owned())),
        None if depth < DEPTH => fields(&format!("{name}."), bytes, depth + 1, args),
        None => {}
    }
}

/// What a slice is made of that is packed inside a packet. All that this one holds is kept until another one is wanted:
/// searches ask for one after the other.
fn unpacked(of: &SliceBytes) -> Option<Bytes> {
    let known = of.trace.extensions.get::<Arguments>()?;
    let start = known.holder(of.place)?;
    let mut held = known.unpacked.borrow_mut();
    if held.0 != (of.place.0, start) {
        *held = ((of.place.0, start), parts(&(of.read)(start..start + PACKED)));
    }
    // The first byte is the holder's own.
    held.1.get(usize::try_from((of.place.1 - start).checked_sub(1)?).ok()?).cloned()
}

/// The packets that are packed in one, each with its parts behind it, in the order of their places.
fn parts(holder: &[u8]) -> Vec<Bytes> {
    let reader = Fields::of(holder).find_map(|(number, value)| match value {
        Field::Bytes(bytes) => walk::reader(&(number, Bytes::copy_from_slice(bytes))),
        Field::Number(_) | Field::Fixed(_) => None,
    });
    let Some(Ok(reader)) = reader else { return Vec::new() };
    let (mut reader, mut buffer) = (reader.take(MOST), vec![0; 1 << 16]);
    let (mut packets, mut parts) = (Packets::default(), Vec::new());
    loop {
        match packets.next() {
            Next::Packet(_, bytes) => {
                let (packet, _) = Packet::read(&bytes);
                let inside: Vec<Bytes> = packet.parts().map(|part| bytes.slice_ref(part)).collect();
                parts.push(bytes);
                parts.extend(inside);
            }
            Next::Wrong(..) => {}
            Next::End => return parts,
            Next::More => match reader.read(&mut buffer) {
                Ok(n) if 0 < n => packets.feed(buffer.get(..n).unwrap_or(&[])),
                _ => packets.end(),
            },
        }
    }
}

/// Reads annotations of a packet.
struct Reader<'a> {
    of: &'a SliceBytes<'a>,
    sequence: u32,
}

impl Reader<'_> {
    fn event(&self, event: &[u8], args: &mut Vec<(String, String)>) {
        let mut typed = Vec::new();
        for (field, value) in Fields::of(event) {
            match field {
                4 => {
                    let (name, value) = self.annotation(value.bytes(), 0);
                    flatten(&name, value, args);
                }
                5 => {
                    let id = Fields::of(value.bytes()).find(|(number, _)| *number == 1);
                    let place = id.and_then(|(_, id)| self.text(text::LOCATION, id.number()));
                    args.extend(place.map(|place| ("posted from".to_owned(), place)));
                }
                21 => args.extend(self.log(value.bytes()).map(|log| ("log".to_owned(), log))),
                34 => {
                    let place = self.text(text::LOCATION, value.number());
                    args.extend(place.map(|place| ("source".to_owned(), place)));
                }
                24..=29 | 32 | 33 | 35 | 38..=41 | 43 | 49.. if matches!(value, Field::Bytes(_)) => {
                    typed.push(field.to_string());
                }
                _ => {}
            }
        }
        if !typed.is_empty() {
            args.push(("other fields".to_owned(), typed.join(", ")));
        }
    }

    fn text(&self, kind: u64, id: u64) -> Option<String> {
        let trace = self.of.trace;
        let text = trace.extensions.get::<Arguments>()?.text(self.of.place, self.sequence, kind, id)?;
        Some(trace.strings.get(text).to_owned())
    }

    fn log(&self, bytes: &[u8]) -> Option<String> {
        let (mut place, mut body) = (None, None);
        for (field, value) in Fields::of(bytes) {
            match field {
                1 => place = self.text(text::LOCATION, value.number()),
                2 => body = self.text(text::LOG, value.number()),
                _ => {}
            }
        }
        let all: Vec<String> = [body, place].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Name and value of an annotation.
    fn annotation(&self, bytes: &[u8], depth: usize) -> (String, Value) {
        let (mut name, mut found) = (String::new(), Value::Null);
        let (mut members, mut items) = (Map::new(), Vec::new());
        for (field, value) in Fields::of(bytes) {
            let number = value.number();
            match field {
                1 => name = self.text(text::ARGUMENT, number).unwrap_or_else(|| format!("name {number}")),
                10 => name = lossy(Some(value.bytes())),
                2 => found = Value::from(number != 0),
                3 => found = Value::from(number),
                4 => found = Value::from(number.cast_signed()),
                5 => found = double(number),
                6 => found = Value::from(lossy(Some(value.bytes()))),
                7 => found = Value::from(format!("{number:#x}")),
                8 => found = nested(value.bytes(), depth),
                9 => {
                    let json = lossy(Some(value.bytes()));
                    found = serde_json::from_str(&json).unwrap_or(Value::from(json));
                }
                11 | 12 if depth < DEPTH => {
                    let (key, inner) = self.annotation(value.bytes(), depth + 1);
                    if field == 11 { _ = members.insert(key, inner) } else { items.push(inner) }
                }
                17 => found = self.text(text::VALUE, number).map_or(Value::Null, Value::from),
                _ => {}
            }
        }
        if !members.is_empty() {
            found = Value::Object(members);
        } else if !items.is_empty() {
            found = Value::Array(items);
        }
        (name, found)
    }
}

fn double(bits: u64) -> Value {
    let number = f64::from_bits(bits);
    serde_json::Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
}

/// A value of the older kind.
fn nested(bytes: &[u8], depth: usize) -> Value {
    let (mut keys, mut values, mut items, mut found) = (Vec::new(), Vec::new(), Vec::new(), Value::Null);
    for (field, value) in Fields::of(bytes) {
        match field {
            2 => keys.push(lossy(Some(value.bytes()))),
            3 if depth < DEPTH => values.push(nested(value.bytes(), depth + 1)),
            4 if depth < DEPTH => items.push(nested(value.bytes(), depth + 1)),
            5 => found = Value::from(value.number().cast_signed()),
            6 => found = double(value.number()),
            7 => found = Value::from(value.number() != 0),
            8 => found = Value::from(lossy(Some(value.bytes()))),
            _ => {}
        }
    }
    match (keys.is_empty(), items.is_empty()) {
        (false, _) => Value::Object(ordered(keys.into_iter().zip(values))),
        (true, false) => Value::Array(items),
        (true, true) => found,
    }
}

/// Members of objects get names of their own, behind a dot.
fn flatten(name: &str, value: Value, args: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, inner) in members {
                flatten(&format!("{name}.{key}"), inner, args);
            }
        }
        Value::String(text) => args.push((name.to_owned(), text)),
        other => args.push((name.to_owned(), serde_json::to_string(&other).unwrap_or_default())),
    }
}
