//! Texts of the overview and of Details are whole in both languages: each value stands in its place, each fact once, and what
//! is known of some blocks only says so.

use super::corpus::ascend;
use super::{advice, family};
use crate::support::front_door::open_one;
use crate::support::make_ascend::{Container, fixtures};
use crate::words::chinese;
use lanescope::analysis::finding::{Finding, Outcome, Overview};
use lanescope::base::words::{Language, Message};
use lanescope::document::Document;
use lanescope::model::figure::Quote;
use serde_json::{Value, json};

/// A table of pipes: names with their cycles of 100,000.
fn pipes(name: &str, shares: &[(&str, f64)]) -> Value {
    let row = |(pipe, share): &(&str, f64)| json!({"name": pipe, "value": ["1", (share * 1e3).to_string(), "0", format!("{share:.6}"), "NA"]});
    json!({"table_name": name, "size": [shares.len(), 5],
        "header_name": ["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"],
        "row": shares.iter().map(row).collect::<Vec<_>>()})
}

/// A block of a mix operator of which the writer says much.
fn mix() -> Vec<u8> {
    let slow = |of: &str| format!("{of} bandwidth utilization lower than 80% when active");
    let advice = [
        slow("aicore MTE1"),
        slow("aicore MTE3"),
        slow("aivector MTE2"),
        slow("aivector MTE3"),
        "core0 vector1 cache hit rate lower than other cores".to_owned(),
    ];
    let part = json!({"cycle": 1_000.0, "ratio": 1.0, "total_cycles": 100_000.0});
    let core = json!({"core_no": "0", "op_type": "mix", "advice": advice, "memory_unit": [], "Cube": part, "Vector": part});
    let tables = [
        pipes("Pipe Cube", &[("Scalar", 50.0), ("MTE1", 10.0), ("MTE2", 4.0), ("MTE3", 3.0)]),
        pipes("Pipe Vector Core0", &[("Scalar", 12.0), ("MTE2", 5.0), ("MTE3", 8.0)]),
    ];
    let block = json!({"block_id": "0", "table_op_type": "mix", "advice": [], "table_detail": tables});
    let file = Container::default().json(8, &json!({"core_memory_map": [core]}));
    file.json(9, &json!({"table_per_block": [block]})).0
}

fn of_finding(finding: &Finding) -> Vec<Message> {
    let Finding { sentence, line, verdict, saving, quotes, evidence, .. } = finding;
    let numbers = evidence.numbers.iter().flat_map(|number| [&number.name, &number.note]);
    let own = [sentence, line, verdict, &saving.model, &evidence.title, &evidence.shown, &evidence.how];
    let all = own.into_iter().chain(numbers).cloned().chain(quotes.iter().map(Quote::said));
    all.chain([saving.part(), finding.subject.clone().into()]).collect()
}

fn of_overview(overview: &Overview) -> Vec<Message> {
    let tiles = overview.tiles.iter().flat_map(|tile| [&tile.label, &tile.value, &tile.comparison, &tile.of]);
    let parts = overview.parts.iter().flat_map(|part| {
        [&part.title, &part.note, &part.of].into_iter().chain(part.rows.iter().map(|row| &row.name))
    });
    let rules = overview.rules.iter().filter_map(|rule| match &rule.outcome {
        Outcome::Nothing(said) | Outcome::Missing(said) => Some(said),
        Outcome::Found(_) => None,
    });
    let all = tiles.chain(parts).chain(rules).cloned();
    all.chain(overview.findings.iter().flat_map(of_finding)).collect()
}

fn of_details(doc: &mut Document) -> Vec<Message> {
    let lines = advice(doc).into_iter();
    let lines = lines.flat_map(|own| {
        let quotes = own.quotes.iter().map(Quote::said).collect::<Vec<_>>();
        [own.sentence, own.line].into_iter().chain(quotes)
    });
    let mut all: Vec<Message> = lines.collect();
    let figures = doc.trace().figures.iter().flat_map(|family| &family.variants);
    for figure in figures {
        all.extend(figure.notes.iter().cloned());
        all.extend(figure.advice.iter().map(|advice| advice.text.clone()));
    }
    all
}

/// `{name}` in a text, if any.
fn placeholder(text: &str) -> Option<&str> {
    text.match_indices('{').find_map(|(at, _)| {
        let name = text[at + 1..].split_once('}')?.0;
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        is_name.then_some(name)
    })
}

#[test]
fn no_text_has_a_placeholder_in_either_language() {
    chinese();
    let mut files: Vec<(String, Vec<u8>)> =
        fixtures().into_iter().map(|(case, _, bytes)| (case.to_owned(), bytes)).collect();
    files.push(("mix".to_owned(), mix()));
    files.push(("some blocks".to_owned(), blocks(4, &[0, 2])));
    for folder in ascend().into_iter().flat_map(|root| [root.join("assembled"), root]) {
        for path in super::corpus::files(folder, "bin") {
            files.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    let mut wrong = Vec::new();
    let mut n = 0;
    for (name, bytes) in files {
        let (mut doc, _) = open_one("visualize_data.bin", bytes);
        let overview = doc.whole_overview();
        for message in of_overview(&overview).into_iter().chain(of_details(&mut doc)) {
            for language in [Language::En, Language::Zh] {
                n += 1;
                let text = message.text(language);
                if let Some(own) = placeholder(&text) {
                    wrong.push(format!("{name}: {own} in {text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(200 < n, "{n}");
}

#[test]
fn advice_of_one_kind_stands_together_and_no_other_with_it() {
    chinese();
    let (mut doc, _) = open_one("visualize_data.bin", mix());
    let overview = doc.whole_overview();
    let own = |pipe: &str, kind: &str, n: &str| {
        format!(
            "msprof op says that {pipe} of the {kind} cores uses less than 80 % of its peak bandwidth while it moves data, in {n} % of the cycles."
        )
    };
    let all: Vec<&Finding> = overview.findings.iter().filter(|own| own.rule == "ascend-writer").collect();
    let [hits, slow] = &all[..] else { panic!("{all:#?}") };
    assert_eq!(slow.said(Language::En), own("MTE1", "cube", "10.0"));
    let others =
        [own("MTE3", "cube", "3.0"), own("MTE2", "vector", "5.0"), own("MTE3", "vector", "8.0")].join(" ");
    assert_eq!(slow.line, *others);
    assert_eq!(slow.quotes.len(), 4, "what the writer says of each stands there: {:?}", slow.quotes);
    let chinese = slow.line.text(Language::Zh).into_owned();
    assert!(!chinese.contains("uses"), "{chinese}");
    assert!(hits.said(Language::En).starts_with("core0 vector1 cache hit rate"), "{hits:#?}");
    // Details says each of them once.
    let lines = advice(&mut doc);
    let told: String = lines.iter().map(|line| format!("{}\n{}\n", line.sentence, line.line)).collect();
    for text in [own("MTE1", "cube", "10.0"), own("MTE3", "vector", "8.0")] {
        assert_eq!(told.matches(&text).count(), 1, "{told}");
    }
    assert_eq!(told.matches("cache hit rate").count(), 1, "{told}");
}

/// A vector operator of so many blocks, of which some have pipes.
fn blocks(n: usize, known: &[usize]) -> Vec<u8> {
    let info = json!({"name": "Op", "op_type": "vector", "duration": 60.0, "advice": [], "block_dim": n.to_string(),
        "mix_block_dim": "", "rated_freq": "1800", "cur_freq": "1800"});
    let part = json!({"cycle": 1_000.0, "ratio": 1.0, "total_cycles": 100_000.0});
    let core = |id: &usize| json!({"core_no": id.to_string(), "op_type": "vector", "advice": [], "memory_unit": [], "Vector": part});
    let cores: Vec<Value> = known.iter().map(core).collect();
    let of_block = |id: &usize| {
        let table = pipes("Pipe", &[("Scalar", 90.0), ("MTE2", 10.0)]);
        json!({"block_id": id.to_string(), "table_op_type": "vector", "advice": [], "table_detail": [table]})
    };
    let tables: Vec<Value> = known.iter().map(of_block).collect();
    let file = Container::default().json(5, &info).json(8, &json!({"core_memory_map": cores}));
    file.json(9, &json!({"table_per_block": tables})).0
}

#[test]
fn pipes_of_some_blocks_say_so() {
    let said = "Only 2 of 4 blocks have all pipes. Each share covers the blocks that have that pipe.";
    let told = |known: &[usize]| {
        let mut doc = open_one("visualize_data.bin", blocks(4, known)).0;
        let notes = family(&doc, "pipes").variants[0].notes.clone();
        let has_note = notes.iter().any(|note| *note == *said);
        let overview = doc.whole_overview();
        let finding = overview.findings.iter().find(|own| own.rule == "ascend-scalar-bound").unwrap();
        assert_eq!(finding.line.to_string().ends_with(said), has_note, "{finding:#?}");
        has_note
    };
    assert!(told(&[0, 2]));
    assert!(!told(&[0, 1, 2, 3]));
    // Rows may be two cores of an unknown chip that took two blocks each.
    assert!(!told(&[0, 1]));
}
