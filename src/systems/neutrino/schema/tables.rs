//! `probe.toml`, whose order counts: the n-th map is the n-th section of a result file, and fields lie in the order of
//! their keys.
//!
//! ```toml
//! [probe.whole]                                 [block_sched]               # one table a probe, until June 2025
//! level = "warp"                                position = "kernel"
//! pos = "kernel"                                datamodel = "warp:16"       # level, bytes, records
//! before = "mov.u64 %NR0, %clock64;"            before = "mov.u64 %lstart, %clock64;"
//! after = "… SAVE [ blk ] { %NR0, %NR1 }"       after = "… SAVE.u64 {%lstart}; SAVE.u32 {%elapse, %smid};"
//! [map.blk]
//! level = "warp"
//! size = 16
//! cap = 1                                       # or "dynamic"
//! [map.blk.regs]
//! start = ["u64", "None"]                       # also `data`, `register`, and plain "u64"
//! ```

use super::{Schema, fields, roles};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::order;
use crate::base::words::{message, phrase};
use crate::systems::neutrino::folder::{Probe, SchemaSource};
use crate::systems::neutrino::result::MapDef;
use toml::de::{DeTable, DeValue};

/// Reads the file; what cannot be read is said.
pub(in crate::systems::neutrino) fn of_toml(path: &str, bytes: &[u8], faults: &mut Vec<Fault>) -> Schema {
    let text = String::from_utf8_lossy(bytes);
    let (root, errors) = DeTable::parse_recoverable(&text);
    if let Some(error) = errors.first() {
        let at = error.span().map_or(0, |span| span.start.min(bytes.len()) as u64);
        let reason = error.message().lines().next().unwrap_or("");
        let kind = Kind::Problem(message("not valid TOML: {reason}").with("reason", reason));
        let fault = Fault::new("NEU-TOML", Severity::Loss, Place::byte(path, at), kind);
        faults.push(fault.note(phrase("Probes and maps are read as far as possible.")));
    }
    let root = root.get_ref();
    let mut schema = if table(root, "map").is_some() || table(root, "probe").is_some() {
        version_2(root)
    } else {
        version_1(root)
    };
    for map in &mut schema.maps {
        roles::find(map, &schema.probes, schema.source);
        if schema.source == SchemaSource::ProbeV2 {
            // In memory those of 8 bytes come first; SAVE names them as they are declared.
            order::sort_by_key(&mut map.fields, |field| std::cmp::Reverse(field.width));
            let mut at = 0;
            for field in &mut map.fields {
                field.at = at;
                at += u32::from(field.width);
            }
        }
    }
    schema
}

fn value<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t DeValue<'i>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value.get_ref())
}

fn table<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
    value(table, key)?.as_table()
}

/// A text; those in an array are joined as positions are.
fn text(table: &DeTable, keys: &[&str]) -> String {
    let found = keys.iter().find_map(|key| value(table, key));
    match found {
        Some(DeValue::Array(items)) => {
            let items: Vec<&str> = items.iter().filter_map(|item| item.get_ref().as_str()).collect();
            items.join(":")
        }
        found => found.and_then(DeValue::as_str).unwrap_or("").to_owned(),
    }
}

/// A whole number, also one that is written as a text.
fn number(table: &DeTable, key: &str) -> Option<u64> {
    match value(table, key)? {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        DeValue::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn positions(text: &str) -> Vec<String> {
    text.split(':').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn version_2(root: &DeTable) -> Schema {
    let children = |key| table(root, key).into_iter().flat_map(DeTable::iter);
    let probe = |name: &str, of: &DeTable| {
        let place = match table(of, "match") {
            Some(matched) => text(matched, &["op", "kind"]),
            None => text(of, &["pos", "position"]),
        };
        Probe {
            name: name.to_owned(),
            positions: positions(&place),
            before: text(of, &["before"]),
            after: text(of, &["after"]),
        }
    };
    let map = |name: &str, of: &DeTable| {
        let named = ["regs", "data", "register"].iter().find_map(|key| table(of, key));
        let width = |value: &DeValue| {
            let name = value.as_array().and_then(|list| list.first()?.get_ref().as_str()).or(value.as_str());
            if name.is_some_and(|name| name.ends_with("32")) { 4 } else { 8 }
        };
        let named = named.into_iter().flat_map(DeTable::iter);
        let mut fields = fields(named.map(|(name, value)| (&**name.get_ref(), width(value.get_ref()))));
        let is_warp = text(of, &["level"]) == "warp";
        if fields.is_empty() {
            fields = super::guessed(String::new(), is_warp, number(of, "size").unwrap_or(8)).fields;
        }
        MapDef { name: name.to_owned(), is_warp, fields, cap: number(of, "cap") }
    };
    let tables =
        |key| children(key).filter_map(|(name, of)| Some((&**name.get_ref(), of.get_ref().as_table()?)));
    Schema {
        maps: tables("map").map(|(name, of)| map(name, of)).collect(),
        probes: tables("probe").map(|(name, of)| probe(name, of)).collect(),
        source: SchemaSource::ProbeV2,
    }
}

fn version_1(root: &DeTable) -> Schema {
    let mut schema = Schema { source: SchemaSource::ProbeV1, ..Schema::default() };
    for (name, of) in root {
        let Some(of) = of.get_ref().as_table() else { continue };
        let (place, model) = (text(of, &["position", "pos"]), text(of, &["datamodel"]));
        if place.is_empty() && model.is_empty() {
            continue; // [REGS] of AMD, for example
        }
        let mut parts = model.split(':').map(str::trim);
        let is_warp = parts.next() == Some("warp");
        let (bytes, cap) = (parts.next().and_then(|n| n.parse::<u64>().ok()), parts.next());
        let probe = Probe {
            name: name.get_ref().to_string(),
            positions: positions(&place),
            before: text(of, &["before"]),
            after: text(of, &["after"]),
        };
        if let Some(bytes) = bytes {
            let mut named = saved(&probe.before);
            named.extend(saved(&probe.after));
            let sum: u64 = named.iter().map(|(_, width)| u64::from(*width)).sum();
            let fields = if sum == bytes {
                fields(named)
            } else {
                super::guessed(String::new(), is_warp, bytes).fields
            };
            let cap = cap.map_or(Some(1), |cap| cap.parse().ok());
            schema.maps.push(MapDef { name: probe.name.clone(), is_warp, fields, cap });
        }
        schema.probes.push(probe);
    }
    schema
}

/// Operands of `SAVE.u64 {a, b};` and `SAVE.u32 {c};`, in their order.
fn saved(snippet: &str) -> Vec<(&str, u8)> {
    let mut out = Vec::new();
    for line in snippet.lines() {
        let found = line.split_once("SAVE.u").and_then(|(_, rest)| {
            let width = if rest.starts_with("32") { 4 } else { 8 };
            Some((width, rest.split_once('{')?.1.split_once('}')?.0))
        });
        if let Some((width, inside)) = found {
            out.extend(inside.split(',').map(|name| (name.trim().trim_start_matches('%'), width)));
        }
    }
    out
}
