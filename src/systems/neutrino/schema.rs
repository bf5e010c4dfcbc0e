//! What the maps of result files hold: from `probe.toml`, else from the reader that the tool generated, else from levels
//! and sizes in `kernel.info`, else guessed.

use super::folder::{Probe, SchemaSource};
use super::result::{Field, MapDef, Role};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::order;
use crate::base::words::{message, phrase};
use toml::de::{DeTable, DeValue};

/// What was found, and what said it.
#[derive(Default)]
pub(super) struct Schema {
    /// The maps in the order of sections.
    pub(super) maps: Vec<MapDef>,
    pub(super) probes: Vec<Probe>,
    pub(super) source: SchemaSource,
}

/// Fields of these names and bytes, one behind the other as they are given.
fn fields<'a>(named: impl IntoIterator<Item = (&'a str, u8)>) -> Vec<Field> {
    let mut at = 0;
    let place = |(name, width): (&str, u8)| {
        let field = Field { name: name.to_owned(), width, at, role: Role::Other };
        at += u32::from(width);
        field
    };
    named.into_iter().map(place).collect()
}

/// A map whose fields nobody names: for units of this many bytes. The most common shapes of the tool's own probes.
pub(super) fn guessed(name: String, is_warp: bool, bytes: u64) -> MapDef {
    let named: &[(&str, u8)] = match bytes {
        16 if is_warp => &[("start", 8), ("elapsed", 4), ("sm", 4)],
        n if n.is_multiple_of(16) => &[("value 0", 8), ("value 1", 8)],
        n if n.is_multiple_of(8) => &[("value", 8)],
        _ => &[("value", 4)],
    };
    let mut map = MapDef { name, is_warp, fields: fields(named.iter().copied()), cap: None };
    by_name(&mut map);
    map
}

/// Maps of the levels and bytes of a `kernel.info`.
pub(super) fn of_kernel_info(levels: &[(bool, i64)]) -> Schema {
    let map = |(i, (is_warp, bytes)): (usize, &(bool, i64))| {
        guessed(format!("map {i}"), *is_warp, u64::try_from(*bytes).unwrap_or(16))
    };
    let maps = levels.iter().enumerate().map(map).collect();
    Schema { maps, probes: Vec::new(), source: SchemaSource::KernelInfo }
}

// The reader that the tool generated: `read.py`, in older versions at the end of a `process.log`.
//
// ```python
// class block_sched(NamedTuple):
//     start: int
//     elapsed: int
// …
//     block_sched(*struct.unpack("qI", f.read(12)))
// ```

/// Classes that every reader has.
const OWN: [&str; 2] = ["TraceHeader", "TraceSection"];

/// The maps of a reader; `None` when the text holds none.
pub(crate) fn of_reader(text: &str, source: SchemaSource) -> Option<Schema> {
    let mut classes: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut formats: Vec<(&str, &str)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("class ") {
            let name = rest.split_once("(NamedTuple").map(|(name, _)| name.trim());
            is_inside = name.is_some();
            classes.extend(name.map(|name| (name, Vec::new())));
            continue;
        }
        let field =
            line.trim().split_once(':').filter(|(_, kind)| kind.trim() == "int").map(|(name, _)| name.trim());
        match (field, classes.last_mut().filter(|_| is_inside && line.starts_with([' ', '\t']))) {
            (Some(field), Some((_, names))) => names.push(field),
            _ => is_inside &= line.trim().is_empty(),
        }
        let format =
            line.split_once("struct.unpack(\"").and_then(|(_, rest)| Some((line, rest.split_once('"')?.0)));
        formats.extend(format);
    }
    classes.retain(|(name, names)| !OWN.contains(name) && !names.is_empty());
    formats.retain(|(line, _)| OWN.iter().all(|own| !line.contains(own)));
    let is_warp = text.contains("//32") || text.contains("// 32");
    let mut maps: Vec<MapDef> =
        classes.iter().filter_map(|class| map(class, &mut formats, is_warp)).collect();
    maps.iter_mut().for_each(by_name);
    (!maps.is_empty()).then_some(Schema { maps, probes: Vec::new(), source })
}

/// The map of a class: its fields have the widths of the format in the line that names it, else of the first that has as
/// many letters.
fn map((name, names): &(&str, Vec<&str>), formats: &mut Vec<(&str, &str)>, is_warp: bool) -> Option<MapDef> {
    let fits = |format: &str| {
        format.len() == names.len() && format.chars().all(|letter| matches!(letter, 'q' | 'Q' | 'i' | 'I'))
    };
    let named = formats.iter().position(|(line, format)| line.contains(name) && fits(format));
    let at = named.or_else(|| formats.iter().position(|(_, format)| fits(format)))?;
    let (_, format) = formats.remove(at);
    let widths = format.chars().map(|letter| if letter.eq_ignore_ascii_case(&'q') { 8 } else { 4 });
    let fields = fields(names.iter().copied().zip(widths));
    Some(MapDef { name: (*name).to_owned(), is_warp, fields, cap: None })
}

// What fields hold: the operands of `SAVE` are followed backwards through the text of the probes; where that ends in
// nothing, the name decides.
//
// | comes from | holds |
// |---|---|
// | `%clock64`, `%clock`, S_MEMTIME | cycles of one SM |
// | `%globaltimer`, S_MEMREALTIME | nanoseconds of the GPU |
// | the difference of two of them | a length |
// | `%smid` | the SM |
// | `ADDR` | an address |
// | `BYTES` | bytes |
// | a constant that is added | a count |

/// Finds the roles of all fields of a map.
fn find_roles(map: &mut MapDef, probes: &[Probe], source: SchemaSource) {
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
fn by_name(map: &mut MapDef) {
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

// `probe.toml`, whose order counts: the n-th map is the n-th section of a result file, and fields lie in the order of
// their keys.
//
// ```toml
// [probe.whole]                                 [block_sched]               # one table a probe, until June 2025
// level = "warp"                                position = "kernel"
// pos = "kernel"                                datamodel = "warp:16"       # level, bytes, records
// before = "mov.u64 %NR0, %clock64;"            before = "mov.u64 %lstart, %clock64;"
// after = "… SAVE [ blk ] { %NR0, %NR1 }"       after = "… SAVE.u64 {%lstart}; SAVE.u32 {%elapse, %smid};"
// [map.blk]
// level = "warp"
// size = 16
// cap = 1                                       # or "dynamic"
// [map.blk.regs]
// start = ["u64", "None"]                       # also `data`, `register`, and plain "u64"
// ```

/// Reads the file; what cannot be read is said.
pub(crate) fn of_toml(path: &str, bytes: &[u8], faults: &mut Vec<Fault>) -> Schema {
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
        find_roles(map, &schema.probes, schema.source);
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
            fields = guessed(String::new(), is_warp, number(of, "size").unwrap_or(8)).fields;
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
            let mut named = table_saved(&probe.before);
            named.extend(table_saved(&probe.after));
            let sum: u64 = named.iter().map(|(_, width)| u64::from(*width)).sum();
            let fields =
                if sum == bytes { fields(named) } else { guessed(String::new(), is_warp, bytes).fields };
            let cap = cap.map_or(Some(1), |cap| cap.parse().ok());
            schema.maps.push(MapDef { name: probe.name.clone(), is_warp, fields, cap });
        }
        schema.probes.push(probe);
    }
    schema
}

/// Operands of `SAVE.u64 {a, b};` and `SAVE.u32 {c};`, in their order.
fn table_saved(snippet: &str) -> Vec<(&str, u8)> {
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
