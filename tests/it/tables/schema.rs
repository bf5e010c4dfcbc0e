//! The schema of the data set against what it was when its version was given.

use lanescope::export::tables::schema::{VERSION, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Each column and table with what it means.
fn meanings(schema: &Value) -> BTreeMap<String, String> {
    let of = |value: &Value| ["row", "type", "unit", "meaning"].map(|key| value[key].to_string()).join(" ");
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut all = BTreeMap::from([("layout".to_owned(), schema["layout"].to_string())]);
    for field in list(&schema["keys"]).iter().chain(&list(&schema["partitions"])) {
        all.insert(format!("keys.{}", name(field)), of(field));
    }
    for table in list(&schema["tables"]) {
        all.insert(name(&table), of(&table));
        for field in list(&table["fields"]) {
            all.insert(format!("{}.{}", name(&table), name(&field)), of(&field));
        }
    }
    all
}

fn version(text: &str) -> [u32; 3] {
    let parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    parts.try_into().unwrap()
}

/// What must be counted up for what differs: 0 for what means something else or is gone, 1 for what is new; `None` where
/// nothing differs.
fn owed(old: &Value, new: &Value) -> Option<usize> {
    let (old, new) = (meanings(old), meanings(new));
    if old.iter().any(|(name, meaning)| new.get(name) != Some(meaning)) {
        return Some(0);
    }
    (old.len() != new.len()).then_some(1)
}

#[test]
fn another_meaning_has_another_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tables/schema.json");
    let new = json();
    let text = format!("{}\n", serde_json::to_string_pretty(&new).unwrap());
    let old = fs::read_to_string(&path).unwrap_or_else(|_| text.clone());
    let known: Value = serde_json::from_str(&old).unwrap();
    if let Some(part) = owed(&known, &new) {
        let (was, is) = (version(known["version"].as_str().unwrap()), version(VERSION));
        assert!(
            was[..=part] < is[..=part],
            "What the tables hold {}: count the {} number of schema::VERSION up ({VERSION} was {}).",
            ["means something else", "is more"][part],
            ["first", "second"][part],
            known["version"]
        );
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    assert!(known == new && path.exists(), "UPDATE=1 writes {} anew", path.display());
}

#[test]
fn what_is_owed_is_told_apart() {
    let schema = json();
    assert_eq!(owed(&schema, &schema), None);
    let mut other = schema.clone();
    other["tables"][1]["fields"][3]["unit"] = "ms".into();
    assert_eq!(owed(&schema, &other), Some(0));
    let mut fewer = schema.clone();
    fewer["tables"][1]["fields"].as_array_mut().unwrap().pop();
    assert_eq!((owed(&schema, &fewer), owed(&fewer, &schema)), (Some(0), Some(1)));
    // Each column says in words what it is, and no table has one twice.
    for table in schema["tables"].as_array().unwrap() {
        let fields = schema["keys"].as_array().unwrap().iter().chain(table["fields"].as_array().unwrap());
        let mut names: Vec<&str> = fields.clone().map(|field| field["name"].as_str().unwrap()).collect();
        assert!(fields.clone().all(|field| 5 < field["meaning"].as_str().unwrap().len()), "{table}");
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n, "{names:?}");
    }
}
