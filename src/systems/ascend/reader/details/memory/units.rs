//! Facts of a block beside its paths: the L2 cache, the cube, and the vector units.

use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::input::json::Json;
use crate::model::figure::{Cell, Fact, Facts};
use crate::systems::ascend::reader::field::Fields;

/// How often L2 had what was asked for.
#[derive(Default)]
pub(super) struct Cache {
    hit: Option<f64>,
    miss: Option<f64>,
    total: Option<f64>,
    ratio: Option<f64>,
}

/// How long a unit computed.
#[derive(Default)]
pub(super) struct Busy {
    cycles: Option<f64>,
    total: Option<f64>,
    ratio: Option<f64>,
}

/// All of a block.
#[derive(Default)]
pub(super) struct Units {
    cache: Option<Cache>,
    cube: Option<Busy>,
    vectors: [Option<Busy>; 2],
    detail: String,
}

impl Units {
    /// Reads the members of a core.
    pub(super) fn read(core: &Json, inside: &str, fields: &mut Fields) -> Self {
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
    pub(super) fn over_all(blocks: &[&Self]) -> Self {
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
    pub(super) fn of_box(&self, name: &str, is_second: bool) -> (Message, String) {
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
    pub(super) fn facts(&self) -> Facts {
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
