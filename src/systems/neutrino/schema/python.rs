//! The reader that the tool generated: `read.py`, in older versions at the end of a `process.log`.
//!
//! ```python
//! class block_sched(NamedTuple):
//!     start: int
//!     elapsed: int
//! …
//!     block_sched(*struct.unpack("qI", f.read(12)))
//! ```

use super::{Schema, fields, roles};
use crate::systems::neutrino::folder::SchemaSource;
use crate::systems::neutrino::result::MapDef;

/// Classes that every reader has.
const OWN: [&str; 2] = ["TraceHeader", "TraceSection"];

/// The maps of a reader; `None` when the text holds none.
pub(in crate::systems::neutrino) fn of_reader(text: &str, source: SchemaSource) -> Option<Schema> {
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
    maps.iter_mut().for_each(roles::by_name);
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
