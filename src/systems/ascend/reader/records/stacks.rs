//! Call stacks of instructions, in both spellings of the design document.
//!
//! ```text
//! [ { "Address": "0x4004be", "ModuleName": …, "Symbol": [ { "FunctionName", "FileName", "Line", "Column", … }, … ] } ]
//! { "0x4004be": { "ModuleName": …, "Symbol": [ … ] } }        or the frames alone as value
//! ```
//! The first frame is the innermost.

use crate::base::map::Map;
use crate::base::words::Message;
use crate::format::Sink;
use crate::input::json::{Json, parse};
use crate::model::access::{Stack, StackFrame};
use crate::systems::ascend::reader::field::{Fields, Within};

/// Reads the JSON text that begins at a byte of the file, and gives the stacks to their instructions.
pub(super) fn read(
    text: &[u8],
    at: u64,
    is_cut: bool,
    within: &Within,
    sites: &Map<u64, u32>,
    sink: &mut Sink,
) {
    let zeros = text.iter().rev().take_while(|&&b| b == 0).count();
    let mut end = text.len() - zeros;
    while is_cut && text.get(..end).and_then(<[u8]>::last).is_some_and(u8::is_ascii_alphanumeric) {
        end -= 1; // the last number or word of a cut text may be cut itself
    }
    let text = text.get(..end).unwrap_or(&[]);
    if text.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    let (json, errors) = parse(text, at);
    within.report_json(errors, sink);
    match &json {
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let inside = format!("call stack {}", i + 1);
                match item.get("Address").and_then(|address| pc_of(address, sites)) {
                    Some(pc) => one(pc, item, &inside, within, sites, sink),
                    None => {
                        Fields::new(within, sink).left_out(&inside, "an address", shown(item.get("Address")));
                    }
                }
            }
        }
        Json::Object(members) => {
            for (key, item) in members {
                let inside = format!("call stack {key}");
                match pc_of(&Json::String(key.clone()), sites) {
                    Some(pc) => one(pc, item, &inside, within, sites, sink),
                    None => {
                        Fields::new(within, sink).left_out(&inside, "an address", key.clone().into_owned());
                    }
                }
            }
        }
        other => {
            let fault = within.odd("call stacks", "an array or object", shown(Some(other)));
            sink.fault(fault.note("Call stacks are not shown."));
        }
    }
}

fn shown(value: Option<&Json>) -> Message {
    value.map_or_else(|| "nothing".into(), super::super::field::shown)
}

/// An address as number or text; digits without 0x are hexadecimal unless only the decimal number is an instruction.
fn pc_of(value: &Json, sites: &Map<u64, u32>) -> Option<u64> {
    let text = value.as_text()?.trim();
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    let decimal = text.parse().ok();
    let hexadecimal = u64::from_str_radix(text, 16).ok();
    let is_known = |pc: &u64| sites.contains_key(pc);
    match value {
        Json::Number(_) => decimal,
        _ if hexadecimal.as_ref().is_some_and(is_known) => hexadecimal,
        _ => decimal.filter(is_known).or(hexadecimal),
    }
}

/// One stack. The first one of an address counts.
fn one(pc: u64, item: &Json, inside: &str, within: &Within, sites: &Map<u64, u32>, sink: &mut Sink) {
    let site = sites.get(&pc).and_then(|&site| usize::try_from(site).ok());
    let is_new = |sink: &Sink| {
        let sites = &sink.builder.trace().accesses.sites;
        site.and_then(|site| sites.get(site)).is_some_and(|site| site.stack.is_none())
    };
    if !is_new(sink) {
        return; // no access comes from there, or its stack is known
    }
    let mut fields = Fields::new(within, sink);
    let (module, symbols) = match item {
        Json::Array(frames) => (String::new(), frames.as_slice()),
        item => (fields.text(item, "ModuleName", inside), fields.items(item, "Symbol", inside)),
    };
    let mut frames = Vec::new();
    for (i, symbol) in symbols.iter().enumerate() {
        let inside = format!("{inside} ▸ frame {}", i + 1);
        let texts = ["FunctionName", "FileName"].map(|key| fields.text(symbol, key, &inside));
        let numbers = ["Line", "Column"].map(|key| {
            let number = fields.text(symbol, key, &inside);
            let value = number.parse::<u32>();
            if value.is_err() && !number.is_empty() {
                fields.odd(&format!("{inside} ▸ {key}"), "a whole number", number.clone());
            }
            value.unwrap_or(0)
        });
        frames.push((texts, numbers));
    }
    if frames.is_empty() && module.is_empty() {
        return;
    }
    let module = sink.builder.intern(&module);
    let first = sink.builder.trace().accesses.frames.len();
    for ([function, file], [line, column]) in frames {
        let (function, file) = (sink.builder.intern(&function), sink.builder.intern(&file));
        sink.builder.head().accesses.frames.push(StackFrame { function, file, line, column });
    }
    let accesses = &mut sink.builder.head().accesses;
    let rows = [first, accesses.frames.len(), accesses.stacks.len()].map(u32::try_from);
    let [Ok(first), Ok(end), Ok(stack)] = rows else { return };
    accesses.stacks.push(Stack { module, frames: first..end });
    if let Some(site) = site.and_then(|site| accesses.sites.get_mut(site)) {
        site.stack = Some(stack);
    }
}
