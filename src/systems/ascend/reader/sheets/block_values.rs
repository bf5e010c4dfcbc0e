//! What the JSON blocks of a container say that the CSV files beside it say too, as one flat list.
//!
//! A path names the value inside its kind of block, in the file's own words: `Cache ▸ L2 Cache Write ▸ hit`.

use crate::input::json::Json;
use crate::systems::ascend::reader::header::Type;

/// The types of blocks that are looked at.
pub(super) const KINDS: [u8; 4] = [Type::BASE_INFO, Type::LOAD_GRAPH, Type::MEMORY_GRAPH, Type::MEMORY_TABLE];

/// One value of a block.
pub(super) struct Said {
    /// Type of the block.
    pub(super) kind: u8,
    /// What the value is.
    pub(super) path: String,
    /// The block of the operator; `None` for the operator itself.
    pub(super) block: Option<String>,
    /// The unit of the core, such as `vector0`; empty for the whole core.
    pub(super) core: String,
    /// The value as the file writes it.
    pub(super) text: String,
}

/// Collects the values of one kind of block.
struct List {
    kind: u8,
    rows: Vec<Said>,
}

impl List {
    fn push(&mut self, path: String, block: Option<&str>, core: &str, value: Option<&Json>) {
        if let Some(text) = value.and_then(Json::as_text) {
            let (block, core) = (block.map(str::to_owned), core.to_lowercase());
            self.rows.push(Said { kind: self.kind, path, block, core, text: text.trim().to_owned() });
        }
    }
}

/// The values of one block.
pub(super) fn values(kind: u8, json: &Json) -> Vec<Said> {
    let mut list = List { kind, rows: Vec::new() };
    match kind {
        Type::BASE_INFO => base_info(json, &mut list),
        Type::LOAD_GRAPH => load_graph(json, &mut list),
        Type::MEMORY_GRAPH => memory_graph(json, &mut list),
        Type::MEMORY_TABLE => memory_tables(json, &mut list),
        _ => {}
    }
    list.rows
}

fn list<'j>(json: &'j Json<'j>, key: &str) -> &'j [Json<'j>] {
    json.get(key).map_or(&[], Json::items)
}

fn text<'j>(json: &'j Json<'j>, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_text).unwrap_or("").trim()
}

fn base_info(json: &Json, out: &mut List) {
    for (key, value) in json.members() {
        out.push(key.to_string(), None, "", Some(value));
    }
    let blocks = json.get("block_detail").map_or(&[][..], |detail| list(detail, "row"));
    for values in blocks.iter().map(|row| list(row, "value")) {
        let [block, core, duration, ..] = values else { continue };
        let core = core.as_text().unwrap_or("");
        out.push("block ▸ Duration".to_owned(), block.as_text(), core, Some(duration));
    }
    let detail = json.get("mix_block_detail");
    let heads = detail.map_or(&[][..], |detail| list(detail, "head_name"));
    for values in detail.map_or(&[][..], |detail| list(detail, "row")).iter().map(|row| list(row, "value")) {
        let block = values.first().and_then(Json::as_text);
        for (head, value) in heads.iter().zip(values).skip(1) {
            // "Vector0 Duration (μs)"
            let core = head.as_text().and_then(|head| head.split_whitespace().next()).unwrap_or("");
            out.push("block ▸ Duration".to_owned(), block, core, Some(value));
        }
    }
}

fn load_graph(json: &Json, out: &mut List) {
    for row in list(json, "subblock_detail") {
        let detail = row.get("data_detail").unwrap_or(row);
        let path = text(detail, "name").to_owned();
        out.push(path, Some(text(row, "block_id")), text(row, "block_type"), detail.get("value"));
    }
}

fn memory_graph(json: &Json, out: &mut List) {
    for core in list(json, "core_memory_map") {
        let block = Some(text(core, "core_no"));
        let parts = core.members().iter().filter(|(_, part)| !part.members().is_empty());
        for (name, part) in parts {
            // The cache belongs to the whole core, "Vector1" and the others to their unit.
            let (name, unit) = if name == "L2cache" {
                (&**name, "")
            } else {
                (name.trim_end_matches(|c: char| c.is_ascii_digit()), &**name)
            };
            for (key, value) in part.members() {
                out.push(format!("{name} ▸ {key}"), block, unit, Some(value));
            }
        }
        for path in list(core, "memory_unit") {
            let id = text(path, "memory_path");
            for key in ["bandwidth", "request"] {
                out.push(format!("path {id} ▸ {key}"), block, "", path.get(key));
            }
        }
    }
}

fn memory_tables(json: &Json, out: &mut List) {
    for of_block in list(json, "table_per_block") {
        let block = Some(text(of_block, "block_id"));
        for table in list(of_block, "table_detail") {
            let title = text(table, "table_name");
            // The first head is that of the names.
            let heads = list(table, "header_name").get(1..).unwrap_or(&[]);
            for row in list(table, "row") {
                for (head, value) in heads.iter().zip(list(row, "value")) {
                    let path = format!("{title} ▸ {} ▸ {}", text(row, "name"), head.as_text().unwrap_or(""));
                    out.push(path, block, "", Some(value));
                }
            }
        }
    }
}
