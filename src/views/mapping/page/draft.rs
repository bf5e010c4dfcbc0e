//! A mapping while it is made: its members as texts, from and to JSON. Read and written by the browser: the page itself
//! needs no reader of JSON.

use crate::base::map::ordered;
use crate::base::words::phrase;
use js_sys::{Array, JSON, Object, Reflect};
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};

/// An expression.
pub(super) struct Expression {
    /// Its member.
    pub(super) id: &'static str,
    /// What its lines are.
    pub(super) title: &'static str,
    /// What one line of them is.
    pub(super) one: &'static str,
    /// Its named groups: those that it needs, then the others.
    pub(super) groups: [&'static str; 2],
}

/// The expressions, in the order in which a line is tried.
pub(super) const EXPRESSIONS: [Expression; 4] = [
    Expression {
        id: "access",
        title: phrase("Accesses"),
        one: phrase("Access"),
        groups: ["cycle|time, address", "op, size, level, unit, bank, state"],
    },
    Expression {
        id: "kernel_begin",
        title: phrase("Kernel begin"),
        one: phrase("Kernel begin"),
        groups: ["", "name, id, stream"],
    },
    Expression {
        id: "kernel_end",
        title: phrase("Kernel end"),
        one: phrase("Kernel end"),
        groups: ["", "name, cycles|time"],
    },
    Expression {
        id: "capacity",
        title: phrase("Capacity"),
        one: phrase("Capacity"),
        groups: ["bytes|kib", "level"],
    },
];

/// Words of operations, levels and states: member, title, and those that are known without any.
pub(super) const WORDS: [(&str, &str, &str); 8] = [
    ("load", phrase("Load"), "load, read, ld, rd, r"),
    ("store", phrase("Store"), "store, write, st, wr, w"),
    ("l1", "L1", "l1, l1d, 1"),
    ("l2", "L2", "l2, 2"),
    ("hit", phrase("Hit"), "hit, 0"),
    ("pending", phrase("Pending hit"), "pending, hit_reserved, mshr_hit, 1, 5"),
    ("miss", phrase("Miss"), "miss, sector_miss, 2, 4"),
    ("retry", phrase("Retry"), "retry, reservation_fail, 3"),
];

/// Members that are no expressions and no words.
pub(super) const NAME: &str = "name";
pub(super) const CLOCK: &str = "clock_mhz";
pub(super) const BASE: &str = "address_base";

/// The members by name; those without a text are not there.
pub(super) type Draft = BTreeMap<String, String>;

/// Reads a mapping; `None` where it is no JSON object.
pub(super) fn of_text(text: &str) -> Option<Draft> {
    let whole = JSON::parse(text).ok()?.dyn_into::<Object>().ok()?;
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let text = |value: JsValue| {
        let number = value.as_f64().map(|number| number.to_string());
        value.as_string().or(number).filter(|text| !text.is_empty())
    };
    let plain = EXPRESSIONS.iter().map(|expression| expression.id).chain([NAME, CLOCK, BASE]);
    let mut draft: Draft =
        ordered(plain.filter_map(|name| Some((name.to_owned(), text(member(&whole, name)?)?))));
    let words = member(&whole, "words").unwrap_or_default();
    for (name, ..) in WORDS {
        let list = member(&words, name).and_then(|list| list.dyn_into::<Array>().ok());
        let list: Vec<String> =
            list.iter().flat_map(Array::iter).filter_map(|word| word.as_string()).collect();
        if !list.is_empty() {
            draft.insert(name.to_owned(), list.join(", "));
        }
    }
    Some(draft)
}

/// Writes a mapping.
pub(super) fn text_of(draft: &Draft) -> String {
    let (whole, words) = (Object::new(), Object::new());
    let set = |of: &Object, name: &str, value: &JsValue| drop(Reflect::set(of, &name.into(), value));
    let plain = [NAME].into_iter().chain(EXPRESSIONS.iter().map(|expression| expression.id));
    for name in plain {
        if let Some(text) = draft.get(name) {
            set(&whole, name, &text.into());
        }
    }
    for (name, ..) in WORDS {
        let list = draft.get(name).map_or("", String::as_str).split(',').map(str::trim);
        let list: Array = list.filter(|word| !word.is_empty()).map(JsValue::from).collect();
        if 0 < list.length() {
            set(&words, name, &list);
        }
    }
    if 0 < Object::keys(&words).length() {
        set(&whole, "words", &words);
    }
    for name in [CLOCK, BASE] {
        if let Some(number) = draft.get(name).and_then(|text| text.trim().parse::<f64>().ok()) {
            set(&whole, name, &number.into());
        }
    }
    let text = JSON::stringify_with_replacer_and_space(&whole, &JsValue::NULL, &2.into());
    text.map_or(String::new(), String::from)
}
