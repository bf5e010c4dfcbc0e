//! Blocks of a file: their names, their order, and one choice for all figures that have them.

use crate::base::map::Map;
use crate::base::order;
use crate::input::json::Json;
use crate::model::figure::{Advice, Choice};
use crate::systems::ascend::reader::details::advice;
use crate::systems::ascend::reader::details::load::{block_name, block_order};
use crate::systems::ascend::reader::field::Fields;

/// Most blocks that are shown; chips have fewer than a hundred cores.
const BLOCKS: usize = 1_000;

/// The elements of a list that are objects, each with the name of its block, in the order of blocks: the average of all
/// cores first. A name that stands twice gets a number.
pub(super) fn ordered<'j>(
    items: &'j [Json<'j>],
    list: &str,
    keys: [&str; 2],
    fields: &mut Fields,
) -> Vec<(String, String, &'j Json<'j>)> {
    let mut seen: Map<String, usize> = Map::default();
    let mut blocks = Vec::new();
    for (i, item) in (1..).zip(items) {
        let inside = format!("{list} ▸ {i}");
        if item.members().is_empty() {
            fields.left_out(
                &inside,
                "a non-empty object",
                crate::systems::ascend::reader::field::shown(item),
            );
            continue;
        }
        if BLOCKS <= blocks.len() {
            fields.left_out(list, "at most 1,000 blocks", items.len().to_string());
            break;
        }
        let key = keys.into_iter().find(|key| item.get(key).is_some()).unwrap_or("");
        let name = block_name(&fields.text(item, key, &inside)).to_owned();
        let n = seen.entry(name.clone()).or_insert(0);
        *n += 1;
        let name = if *n == 1 { name } else { format!("{name} ({n})") };
        blocks.push((name, inside, item));
    }
    order::sort_by(&mut blocks, |a, b| block_order(&a.0, &b.0));
    blocks
}

/// The sentences of the member `advice`, a list or one text; each once.
pub(super) fn advice_of(json: &Json, inside: &str, fields: &mut Fields) -> Vec<Advice> {
    let sentences = match json.get("advice") {
        Some(Json::String(text)) => vec![&**text],
        _ => fields.items(json, "advice", inside).iter().filter_map(Json::as_str).collect(),
    };
    let mut said: Vec<Advice> = Vec::new();
    for one in advice(sentences.into_iter().take(SENTENCES), true) {
        if said.len() < SENTENCES && !said.contains(&one) {
            said.push(one);
        }
    }
    said
}

/// Most sentences of advice on one block; tools write fewer than ten.
const SENTENCES: usize = 100;

/// The choice of a block: the same name everywhere, so that one selection holds for all figures.
pub(super) fn choice(options: Vec<String>) -> Choice {
    Choice { name: "Block ID".to_owned(), options }
}
