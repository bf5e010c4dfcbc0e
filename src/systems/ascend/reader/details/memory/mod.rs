//! 0x08 memory graph and 0x09 memory tables: what moved between the memories of a core, and how fast.
//!
//! ```text
//! 08 ─▶ graph ─▶ paths (names of ids), chart (which picture), chart_910, chart_310, chart_a5 (places) ─▶ boxes and arrows
//! 09 ─▶ tables
//! ```

mod chart;
mod graph;
mod tables;

pub(crate) use graph::memory_graph;
pub(super) use tables::ALL_NAME;
pub(crate) use tables::memory_tables;

use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::input::json::Json;
use crate::model::figure::{Advice, Cell, Choice, Fact, Facts};
use crate::systems::ascend::reader::details::advice;
use crate::systems::ascend::reader::details::load::{block_name, block_order};
use crate::systems::ascend::reader::field::Fields;

/// The panel of these figures.
const SECTION: &str = "Memory workload";

// Blocks of a file: their names, their order, and one choice for all figures that have them.

/// Most blocks that are shown; chips have fewer than a hundred cores.
const BLOCKS: usize = 1_000;

/// The elements of a list that are objects, each with the name of its block, in the order of blocks: the average of all
/// cores first. A name that stands twice gets a number.
fn block_ordered<'j>(
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
fn advice_of(json: &Json, inside: &str, fields: &mut Fields) -> Vec<Advice> {
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
fn block_choice(options: Vec<String>) -> Choice {
    Choice { name: "Block ID".to_owned(), options }
}

// Ids of memory paths: from which memory or unit to which.

/// Source and target of a path; `None` for ids that nothing is known of.
fn path_ends(id: u8) -> Option<(&'static str, &'static str)> {
    Some(match id {
        0 => ("GM", "L2"),
        1 => ("L2", "GM"),
        2 => ("L2", "L1"),
        3 => ("L1", "L2"),
        4 => ("GM|L1", "L0A"),
        5 => ("GM|L1", "L0B"),
        6 => ("L0A", "Cube"),
        7 => ("L0B", "Cube"),
        8 => ("Cube", "L0C"),
        9 => ("L0C", "L1"),
        10 => ("L0C", "L2"),
        11 => ("L0C", "Cube"),
        12 => ("L2", "UB"),
        13 => ("UB", "L2"),
        14 => ("UB", "Vector"),
        15 => ("Vector", "UB"),
        16 => ("L2", "UB 1"),
        17 => ("UB 1", "L2"),
        18 => ("UB 1", "Vector 1"),
        19 => ("Vector 1", "UB 1"),
        20 => ("L2|UB", "L1"),
        21 | 37 => ("L1", "L0A"),
        22 => ("L2|L1", "L0B"),
        // Files and the vendor's viewer call the unified buffer VEC here.
        23 => ("UB", "L0C"),
        24 => ("L0C", "UB"),
        25 => ("L2|L1", "UB"),
        35 => ("GM", "L0A"),
        36 => ("GM", "L0B"),
        38 => ("L1", "L0B"),
        39 => ("L0C", "FIXP"),
        40 => ("FIXP", "L2"),
        41 => ("FIXP", "L1"),
        42 => ("FIXP", "UB"),
        43 => ("FIXP", "UB 1"),
        44 => ("L1", "UB"),
        45 => ("L1", "UB 1"),
        46 => ("UB", "L1"),
        47 => ("UB 1", "L1"),
        48 => ("L2", "Dcache"),
        49 => ("L2", "Dcache 1"),
        50 => ("Dcache", "L2"),
        51 => ("Dcache 1", "L2"),
        52 => ("Vector", "Dcache"),
        53 => ("Vector 1", "Dcache 1"),
        54 => ("Dcache", "Vector"),
        55 => ("Dcache 1", "Vector 1"),
        _ => return None,
    })
}

/// `L2 → L1`; empty for ids that nothing is known of.
fn path_name(id: u8) -> String {
    path_ends(id).map_or_else(String::new, |(from, to)| format!("{from} → {to}"))
}

/// Tables of the memories at both ends, as files call them, each with whether the path reads there or writes.
fn path_tables(id: u8) -> Vec<(&'static str, &'static str)> {
    let Some((from, to)) = path_ends(id) else { return Vec::new() };
    let of = |end: &'static str, act: &'static str| {
        let names = end.split('|').flat_map(|memory| {
            let names: &[&str] = match memory {
                "GM" => &["gm", "hbm", "ddr"],
                "L2" => &["cache"],
                "UB" => &["ub", "ub-core0"],
                "UB 1" => &["ub-core1"],
                "Vector" => &["vector", "vec", "vector-core0"],
                "Vector 1" => &["vector-core1"],
                "Cube" => &["cube"],
                "L0A" => &["l0a"],
                "L0B" => &["l0b"],
                "L0C" => &["l0c"],
                "L1" => &["l1"],
                "Dcache" | "Dcache 1" => &["dcache"],
                _ => &[],
            };
            names
        });
        names.map(move |name| (*name, act))
    };
    of(from, "read").chain(of(to, "write")).collect()
}

/// The same path at the second vector unit; other paths are themselves.
fn of_second_vector(id: u8) -> u8 {
    match id {
        12..=15 => id + 4,
        42 | 44 | 46 | 48 | 50 | 52 | 54 => id + 1,
        other => other,
    }
}

// Facts of a block beside its paths: the L2 cache, the cube, and the vector units.

/// How often L2 had what was asked for.
#[derive(Default)]
struct Cache {
    hit: Option<f64>,
    miss: Option<f64>,
    total: Option<f64>,
    ratio: Option<f64>,
}

/// How long a unit computed.
#[derive(Default)]
struct Busy {
    cycles: Option<f64>,
    total: Option<f64>,
    ratio: Option<f64>,
}

/// All of a block.
#[derive(Default)]
struct Units {
    cache: Option<Cache>,
    cube: Option<Busy>,
    vectors: [Option<Busy>; 2],
    detail: String,
}

impl Units {
    /// Reads the members of a core.
    fn read(core: &Json, inside: &str, fields: &mut Fields) -> Self {
        let cache = core.get("L2cache").map(|json| {
            let mut value = |key: &str| pair(json, key, inside, fields);
            Cache {
                hit: value("hit"),
                miss: value("miss"),
                total: value("total_request"),
                ratio: value("hit_ratio"),
            }
        });
        let mut busy = |key: &str| {
            let json = core.get(key)?;
            let mut value = |key: &str| pair(json, key, inside, fields);
            Some(Busy { cycles: value("cycle"), total: value("total_cycles"), ratio: value("ratio") })
        };
        let (cube, vectors) = (busy("Cube"), [busy("Vector"), busy("Vector1")]);
        Self { cache, cube, vectors, detail: fields.text(core, "memory_detail", inside) }
    }

    /// Those of all blocks: sums, and ratios of the sums. What a block lacks is not missed in the others.
    fn over_all(blocks: &[&Self]) -> Self {
        let caches: Vec<&Cache> = blocks.iter().filter_map(|own| own.cache.as_ref()).collect();
        let cache = (!caches.is_empty()).then(|| {
            let sum = |of: fn(&Cache) -> Option<f64>| sum_of(caches.iter().map(|cache| of(cache)));
            let (hit, miss) = (sum(|cache| cache.hit), sum(|cache| cache.miss));
            Cache {
                hit,
                miss,
                total: sum(|cache| cache.total),
                ratio: percent_of(hit, hit.zip(miss).map(|(hit, miss)| hit + miss)),
            }
        });
        let busy = |of: fn(&Self) -> Option<&Busy>| {
            let units: Vec<&Busy> = blocks.iter().filter_map(|own| of(own)).collect();
            (!units.is_empty()).then(|| {
                let cycles = sum_of(units.iter().map(|unit| unit.cycles));
                let total = sum_of(units.iter().map(|unit| unit.total));
                Busy { cycles, total, ratio: percent_of(cycles, total) }
            })
        };
        let details = blocks.iter().map(|own| &own.detail);
        let detail =
            blocks.first().map(|own| &own.detail).filter(|first| details.clone().all(|own| own == *first));
        Self {
            cache,
            cube: busy(|own| own.cube.as_ref()),
            vectors: [busy(|own| own.vectors.first()?.as_ref()), busy(|own| own.vectors.get(1)?.as_ref())],
            detail: detail.cloned().unwrap_or_default(),
        }
    }

    /// What is written in a box, and what hovering says.
    fn of_box(&self, name: &str, is_second: bool) -> (Message, String) {
        let [first, second] = &self.vectors;
        match name {
            "L2 Cache" => self.cache.as_ref().map(Cache::said).unwrap_or_default(),
            "Cube" => self.cube.as_ref().map(Busy::said).unwrap_or_default(),
            "Vector" => {
                let busy = if is_second { second } else { first };
                busy.as_ref().map(Busy::said).unwrap_or_default()
            }
            _ => Default::default(),
        }
    }

    /// Every number as a fact.
    fn facts(&self) -> Facts {
        let mut facts = Vec::new();
        let mut number = |name: &str, value: Option<f64>, unit: Unit| {
            facts.push(Fact { name: name.to_owned(), value: Cell::number(value), unit });
        };
        if let Some(cache) = &self.cache {
            number("L2 hits", cache.hit, Unit::None);
            number("L2 misses", cache.miss, Unit::None);
            number("L2 requests", cache.total, Unit::None);
            number("L2 hit rate", cache.ratio, cache.ratio_unit());
        }
        let [first, second] = &self.vectors;
        let names = [
            (&self.cube, ["Cube active", "Cube total", "Cube ratio"]),
            (first, ["Vector 0 active", "Vector 0 total", "Vector 0 ratio"]),
            (second, ["Vector 1 active", "Vector 1 total", "Vector 1 ratio"]),
        ];
        for (busy, [active, total, ratio]) in names {
            if let Some(busy) = busy {
                number(active, busy.cycles, Unit::Cycles);
                number(total, busy.total, Unit::Cycles);
                number(ratio, busy.ratio, Unit::Percent);
            }
        }
        if !self.detail.is_empty() {
            let value = self.detail.parse().map_or_else(|_| Cell::Text(self.detail.clone()), Cell::Number);
            facts.push(Fact { name: "Memory detail".to_owned(), value, unit: Unit::None });
        }
        Facts { facts }
    }
}

impl Cache {
    /// Old writers give a share from 0 to 1, new ones percent: the counts tell which.
    fn ratio_unit(&self) -> Unit {
        let share = self.hit.zip(self.miss).map(|(hit, miss)| hit / (hit + miss));
        let is_share = share.zip(self.ratio).is_some_and(|(share, ratio)| (share - ratio).abs() < 1e-3);
        if is_share && self.ratio != Some(0.0) { Unit::Share } else { Unit::Percent }
    }

    fn said(&self) -> (Message, String) {
        let per = if self.ratio_unit() == Unit::Share { 100.0 } else { 1.0 };
        let Some(ratio) = self.ratio else { return Default::default() };
        let fact = message("Hit rate: {n} %").with("n", percent(ratio * per));
        let lines = [("L2 hits", self.hit), ("L2 misses", self.miss), ("L2 requests", self.total)];
        (fact, detail(&lines, phrase("Hit rate = hits / (hits + misses)")))
    }
}

impl Busy {
    fn said(&self) -> (Message, String) {
        let Some(ratio) = self.ratio else { return Default::default() };
        let fact = message("Ratio: {n} %").with("n", percent(ratio));
        let lines = [("Cycles", self.cycles), ("Total cycles", self.total)];
        (fact, detail(&lines, phrase("Ratio = cycles / total cycles")))
    }
}

/// The sum of values; `None` where one is missing, as that of the others would be too small.
fn sum_of(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.collect::<Option<Vec<f64>>>().map(|values| values.iter().sum())
}

fn percent_of(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    part.zip(whole.filter(|whole| 0.0 < *whole)).map(|(part, whole)| part / whole * 100.0)
}

/// Percent with two decimals, and more where those would be 0.
fn percent(value: f64) -> String {
    let digits = [2, 4, 6].into_iter().find(|digits| 0.5 <= value.abs() * 10_f64.powi(*digits));
    number::fixed(value, digits.and_then(|digits| usize::try_from(digits).ok()).unwrap_or(2))
}

/// Lines of name, tab, number, and a formula below.
fn detail(lines: &[(&str, Option<f64>)], formula: &str) -> String {
    let given = lines.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
    let mut text: Vec<String> =
        given.map(|(name, value)| format!("{name}\t{}", number::exact(value))).collect();
    text.push(formula.to_owned());
    text.join("\n")
}

/// A number by its name: in an object, or in a list of pairs as the design document has it, `["hit", 5]` or `{"hit": 5}`.
/// Negative numbers stand for no value.
fn pair(json: &Json, key: &str, inside: &str, fields: &mut Fields) -> Option<f64> {
    let value = match json {
        Json::Array(items) => items.iter().find_map(|item| match item {
            Json::Array(pair) if pair.first().and_then(Json::as_str) == Some(key) => {
                fields.value(pair.get(1), key, inside)
            }
            _ => item.get(key).and_then(|value| fields.value(Some(value), key, inside)),
        }),
        _ => fields.number(json, key, inside),
    };
    value.filter(|value| 0.0 <= *value)
}
