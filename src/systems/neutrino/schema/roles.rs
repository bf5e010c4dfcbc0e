//! What fields hold: the operands of `SAVE` are followed backwards through the text of the probes; where that ends in
//! nothing, the name decides.
//!
//! | comes from | holds |
//! |---|---|
//! | `%clock64`, `%clock`, S_MEMTIME | cycles of one SM |
//! | `%globaltimer`, S_MEMREALTIME | nanoseconds of the GPU |
//! | the difference of two of them | a length |
//! | `%smid` | the SM |
//! | `ADDR` | an address |
//! | `BYTES` | bytes |
//! | a constant that is added | a count |

use crate::base::map::Map;
use crate::systems::neutrino::folder::{Probe, SchemaSource};
use crate::systems::neutrino::result::{Field, MapDef, Role};

/// Finds the roles of all fields of a map.
pub(super) fn find(map: &mut MapDef, probes: &[Probe], source: SchemaSource) {
    let registers = registers(probes);
    let operands = match source {
        SchemaSource::ProbeV1 => map.fields.iter().map(|field| operand(&field.name)).collect(),
        _ => saved(&map.name, probes),
    };
    for (i, field) in map.fields.iter_mut().enumerate() {
        let of = operands.get(i).map_or(Role::Other, |operand| role_of(operand, &registers));
        field.role = if of == Role::Other { of_name(field) } else { of };
    }
}

/// Roles by names alone.
pub(super) fn by_name(map: &mut MapDef) {
    for field in &mut map.fields {
        field.role = of_name(field);
    }
}

fn of_name(field: &Field) -> Role {
    let name = field.name.to_ascii_lowercase();
    let is_one = |names: &[&str]| names.contains(&name.as_str());
    match name.as_str() {
        _ if is_one(&["start", "lstart", "clock", "start_clock"]) => Role::Clock,
        _ if is_one(&["gstart", "time", "start_time"]) => Role::Timer,
        _ if is_one(&["elapsed", "elapse"]) => Role::Cycles,
        _ if is_one(&["latency", "duration_ns"]) => Role::Nanos,
        _ if is_one(&["cuid", "smid", "sm"]) => Role::Sm,
        _ if name.starts_with("addr") => Role::Address,
        _ if name.ends_with("bytes") => Role::Bytes,
        _ if is_one(&["count", "counter"]) => Role::Count,
        _ => Role::Other,
    }
}

/// A name as the text of a probe writes it.
fn operand(name: &str) -> String {
    let is_helper = !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if is_helper { name.to_owned() } else { format!("%{name}") }
}

/// The operands of the first `SAVE [ map ] { … }`.
fn saved(map: &str, probes: &[Probe]) -> Vec<String> {
    let snippets = probes.iter().flat_map(|probe| [&probe.before, &probe.after]);
    for snippet in snippets {
        for (_, rest) in snippet.match_indices("SAVE").filter_map(|(at, _)| Some((at, snippet.get(at..)?))) {
            let name = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            let Some((_, rest)) = name.filter(|(name, _)| name.trim() == map) else { continue };
            let inside = rest.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
            return inside.map_or(Vec::new(), |(inside, _)| {
                inside.split(',').map(|operand| operand.trim().to_owned()).collect()
            });
        }
    }
    Vec::new()
}

/// What the registers of all probes hold in the end: registers of a kernel are shared by its probes.
fn registers(probes: &[Probe]) -> Map<String, Role> {
    let mut known = Map::default();
    for snippet in probes.iter().flat_map(|probe| [&probe.before, &probe.after]) {
        for statement in snippet.split([';', '\n']) {
            let statement = statement.split("//").next().unwrap_or("").trim();
            let Some((operation, operands)) = statement.split_once(char::is_whitespace) else { continue };
            let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
            let [to, from @ ..] = operands.as_slice() else { continue };
            let operation = operation.to_ascii_lowercase();
            let role = match operation.split('.').next().unwrap_or("") {
                "s_memtime" => Role::Clock,
                "s_memrealtime" => Role::Timer,
                "sub" => difference(from, &known),
                "add" => sum(to, from, &known),
                "mov" | "cvt" => from.first().map_or(Role::Other, |from| role_of(from, &known)),
                _ => continue,
            };
            // A register that is set to a constant first keeps what it becomes later, and the other way round.
            if role != Role::Other {
                known.insert((*to).to_owned(), role);
            }
        }
    }
    known
}

fn role_of(operand: &str, known: &Map<String, Role>) -> Role {
    match operand {
        "%clock64" | "%clock" => Role::Clock,
        "%globaltimer" | "%globaltimer_lo" => Role::Timer,
        "%smid" => Role::Sm,
        "ADDR" => Role::Address,
        "BYTES" => Role::Bytes,
        register => known.get(register).copied().unwrap_or_default(),
    }
}

fn difference(from: &[&str], known: &Map<String, Role>) -> Role {
    let [a, b] = from else { return Role::Other };
    match (role_of(a, known), role_of(b, known)) {
        (Role::Clock, Role::Clock) => Role::Cycles,
        (Role::Timer, Role::Timer) => Role::Nanos,
        _ => Role::Other,
    }
}

fn sum(to: &str, from: &[&str], known: &Map<String, Role>) -> Role {
    let is_self = from.contains(&to);
    let other = from.iter().find(|operand| **operand != to);
    match other {
        Some(other) if is_self && other.parse::<i64>().is_ok() => Role::Count,
        Some(other) => role_of(other, known),
        None => Role::Other,
    }
}
