//! The exactness walk: every number of every block can be read in a typed figure, table, listing or slice, equal to the
//! file. Raw views do not count, and everything is asked through the front door.
//!
//! The JSON of a block is walked with a pattern for each number: places in lists of objects are left away
//! (`subblock_detail[].value`), places in lists of numbers stay (`point[1]`). All numbers of one pattern, as often as they
//! stand there, must be found in one column, one figure or all variants of one figure made from that block; so a
//! column or row that is dropped, and a value that is scaled, is noticed.

use super::corpus::ascend;
use crate::support::front_door::{open_case, open_one};
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::rows::Goal;
use lanescope::base::map::Map;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::code::ListingKind;
use lanescope::model::figure::{Body, Cell, Figure};
use lanescope::model::files::BlockState;
use lanescope::scene::table::PageRequest;
use lanescope::views::code::messages as code;
use lanescope::views::timeline::messages as timeline;
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::rows::{Only, Source};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Types of blocks whose numbers must be readable.
const COVERED: [u32; 12] = [0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x0e, 0x0f];

/// Numbers that say how the others are laid out and are nothing to read, each with the reason.
const STRUCTURE: [(&str, &str); 8] = [
    (".size[", "rows and columns of a table, which the table itself has"),
    (".unit", "the code of a unit; it decides the column, whose head names it"),
    ("Dtype.", "types of columns; they decide how a column is shown"),
    ("schemaVersion", "version of the trace's layout"),
    ("GPR Status[]", "states of registers; drawn as tracks, which tests/it/code checks"),
    ("traceEvents[M]", "orders of tracks; the tracks stand in it"),
    ("traceEvents[C]", "samples of counters, drawn as curves that tests/it/timeline/counters.rs checks"),
    ("].id", "joins the two ends of an arrow, or a wait and what it waits for"),
];

/// Numbers by pattern, with the texts they stand in.
type Found = BTreeMap<String, Vec<f64>>;

/// What can be read: a name and its numbers.
type Readable = (String, Vec<f64>);

/// A number, or a text that is nothing but one; hexadecimal only with its prefix.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|v| v as f64);
    }
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    text.parse().ok().filter(|_| is_plain)
}

fn walk(value: &Value, pattern: &str, found: &mut Found) {
    let mut take = |number: Option<f64>| {
        // Below 0 is how the writers say that there is no value.
        if let Some(number) = number.filter(|v| 0.0 <= *v) {
            found.entry(pattern.to_owned()).or_default().push(number);
        }
    };
    match value {
        Value::Number(n) => take(n.as_f64()),
        Value::String(text) => take(number(text)),
        // Ranges without two ends are none; the fault about one says what it is.
        Value::Array(items) if pattern.ends_with("Address Range[]") && items.len() != 2 => {}
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let is_single = !item.is_object() && !item.is_array();
                // Events are told apart by their phase.
                let phase = item.get("ph").and_then(Value::as_str).unwrap_or_default();
                let place = if is_single { i.to_string() } else { phase.to_owned() };
                walk(item, &format!("{pattern}[{place}]"), found);
            }
        }
        Value::Object(members) => {
            // The names of this one are data.
            let is_named = pattern.ends_with("top_stall_reason_table");
            for (name, member) in members {
                let name = if is_named { "*" } else { name };
                let dot = if pattern.is_empty() { "" } else { "." };
                walk(member, &format!("{pattern}{dot}{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The numbers of a cell: itself, or those in its words.
fn numbers_of(cell: &Cell) -> Vec<f64> {
    match cell {
        Cell::Number(v) => vec![*v],
        Cell::Text(text) => match number(text) {
            Some(v) => vec![v],
            // Units of a core are words with a number: vector1.
            None => {
                let words = text.split([' ', ',', '–']);
                let bare = |word: &str| {
                    number(word).or_else(|| number(word.trim_start_matches(char::is_alphabetic)))
                };
                words.filter_map(bare).collect()
            }
        },
        Cell::Integer(v) => vec![*v as f64],
        Cell::Missing => Vec::new(),
    }
}

/// Whether a figure or long table was made from blocks of a type.
fn is_of(kind: u32, id: &str) -> bool {
    let bars = ["compute-workload", "compute-workload-blocks", "compute-workload-values"];
    match kind {
        0x03 => id == "line-addresses",
        0x05 => ["base-info", "block-detail", "mix-block-detail"].contains(&id),
        0x06 => bars.contains(&id),
        0x07 => id.starts_with("compute-workload-") && !bars.contains(&id),
        0x08 => ["memory-graph", "memory-paths", "memory-units"].contains(&id),
        0x09 => id.starts_with("memory-table-"),
        0x0c => id.starts_with("core-") || id == "instructions-per-cycle",
        0x0d => id.starts_with("roofline-"),
        0x0e => ["cache-hit", "cache-miss", "cache-lines", "cache-summary"].contains(&id),
        0x0f => id.starts_with("stall-"),
        _ => false,
    }
}

fn ask(doc: &mut Document, ask: FigureQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

/// All rows of a table.
fn rows(doc: &mut Document, source: Source) -> Vec<Vec<Cell>> {
    let cell = |text: String| if text.is_empty() { Cell::Missing } else { Cell::Text(text) };
    let rows = values(doc, source, None, "");
    rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect()
}

fn columns(name: &str, rows: &[Vec<Cell>]) -> Vec<Readable> {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let column = |c: usize| {
        let cells = rows.iter().filter_map(|row| row.get(c)).flat_map(numbers_of);
        (format!("{name} column {c}"), cells.collect())
    };
    (0..n).map(column).collect()
}

/// The numbers of one variant of a figure.
fn of_figure(doc: &mut Document, id: &str, chosen: &[usize], figure: &Figure) -> Vec<Readable> {
    let one = |values: Vec<f64>| vec![(id.to_owned(), values)];
    match &figure.body {
        Body::Facts(facts) => one(facts.facts.iter().flat_map(|f| numbers_of(&f.value)).collect()),
        Body::Bars(bars) => {
            let values: Vec<f64> =
                bars.bars.iter().flat_map(|b| b.values.iter().flatten().copied()).collect();
            // A share of 0 to 1 is read as percent.
            let shares = values.iter().filter_map(|v| format!("{v}e-2").parse().ok()).collect();
            vec![(id.to_owned(), values), (format!("{id}, 0 to 1"), shares)]
        }
        Body::Cores(grid) => {
            one(grid.cores.iter().flat_map(|core| core.cells.iter().filter_map(|c| c.value)).collect())
        }
        Body::Matrix(matrix) => one(matrix.cells.iter().filter_map(|c| c.value).collect()),
        Body::Table(_) => {
            let source = Source::Figure {
                id: id.to_owned(),
                chosen: chosen.to_vec(),
                is_compared: false,
                is_folded: false,
            };
            let rows = rows(doc, source);
            columns(id, &rows)
        }
        // Maps hold values in single precision; the tables of their cells hold them as they are.
        _ => Vec::new(),
    }
}

/// Every choice of a family.
fn choices(options: &[usize]) -> Vec<Vec<usize>> {
    options.iter().fold(vec![Vec::new()], |all, n| {
        let longer =
            |chosen: &Vec<usize>| (0..*n).map(|o| [chosen.as_slice(), &[o]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// What can be read of figures and tables made from a type of block: each column, each figure, each family.
fn of_figures(doc: &mut Document, kind: u32) -> Vec<Readable> {
    let Reply::List { families, tables } = ask(doc, FigureQuery::List) else { panic!("a list") };
    let mut readable = Vec::new();
    let mut whole = Vec::new();
    for family in families.iter().filter(|f| is_of(kind, &f.id)) {
        let options: Vec<usize> = family.choices.iter().map(|c| c.options.len()).collect();
        let mut all = Vec::new();
        for chosen in choices(&options) {
            let (id, picked) = (family.id.clone(), chosen.clone());
            let Reply::Figure(shown) = ask(doc, FigureQuery::Figure { id, chosen: picked }) else {
                panic!("a figure")
            };
            let parts = of_figure(doc, &family.id, &chosen, &shown.figure);
            all.extend(parts.iter().flat_map(|(_, values)| values.iter().copied()));
            readable.extend(parts);
        }
        let named = family.choices.iter().flat_map(|c| &c.options).filter_map(|o| o.parse::<f64>().ok());
        whole.extend(all.iter().copied().chain(named));
        readable.push((format!("all of {}", family.id), all));
    }
    if matches!(kind, 0x08 | 0x09) {
        readable.push(("all figures of the block".to_owned(), whole));
    }
    for table in tables.iter().filter(|t| is_of(kind, &t.id)) {
        let rows = rows(doc, Source::Table { id: table.id.clone(), has_empty: true });
        readable.extend(columns(&table.id, &rows));
    }
    readable
}

fn ask_code(doc: &mut Document, ask: code::CodeQuery) -> code::Reply {
    let Some(reply) = doc.query(&ask).0 else { panic!("an answer about code") };
    reply
}

/// The first number of a text such as `7,729 cycles` or `25 %`.
fn first_number(text: &str) -> Option<f64> {
    number(&text.split(' ').next()?.replace(',', ""))
}

/// Labels and columns of the listings of one kind, each core apart, rows of all listings together.
fn of_listings(doc: &mut Document, kind: ListingKind) -> Vec<Readable> {
    let code::Reply::Listings(all) = ask_code(doc, code::CodeQuery::Listings) else { panic!("listings") };
    let mut readable: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for head in all.listings.iter().filter(|l| l.kind == kind) {
        for core in 0..u16::try_from(all.cores.len().max(1)).unwrap() {
            for row in 0..head.rows {
                let question = code::CodeQuery::Row { listing: head.id, row, core };
                let code::Reply::Row(detail) = ask_code(doc, question) else { panic!("a row") };
                let label = match kind {
                    ListingKind::Source => number(&detail.label),
                    ListingKind::Assembly => number(&format!("0x{}", detail.label)),
                };
                let has_values = !detail.facts.is_empty();
                readable.entry(format!("labels {core}")).or_default().extend(label.filter(|_| has_values));
                for (name, text, _) in &detail.facts {
                    let value = first_number(text);
                    readable.entry(format!("{name} {core}")).or_default().extend(value);
                    // A share of 0 to 1 is read as percent.
                    let share = value.filter(|_| text.ends_with('%')).map(|v| (v * 1e12).round() / 1e14);
                    readable.entry(format!("{name} {core}, 0 to 1")).or_default().extend(share);
                }
                if head.columns.iter().any(|c| c.name == detail.stalls_of) {
                    for stall in &detail.stalls {
                        let name = format!("{} {} {core}", detail.stalls_of, stall.name);
                        readable.entry(name).or_default().push(stall.count);
                    }
                }
            }
        }
    }
    readable.into_iter().collect()
}

fn ask_timeline(doc: &mut Document, ask: timeline::TimelineQuery) -> timeline::Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

/// Starts, durations and ends in microseconds as the file has them, and the arguments of all slices.
fn of_slices(doc: &mut Document) -> Vec<Readable> {
    let (mut starts, mut durations, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut args: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let Some(span) = doc.trace().span else { return Vec::new() };
    let area = timeline::Area { span: Span::new(span.start, span.end + 1), tracks: Vec::new() };
    loop {
        let slices = Source::Slices { area: area.clone(), only: Only::default() };
        let reply = page(doc, slices, PageRequest { from: starts.len(), ..wanted(None, "") });
        for goals in &reply.goals {
            let [Some(Goal::Slice(id)), _] = goals else { panic!("{goals:?}") };
            let slice = ask_timeline(doc, timeline::TimelineQuery::Slice(*id));
            let timeline::Reply::Slice(Some(slice)) = slice else { panic!("a slice") };
            starts.push(slice.head.span.start as f64 / 1000.0);
            durations.push(slice.head.span.dur() as f64 / 1000.0);
            ends.push(slice.head.span.end as f64 / 1000.0);
            for (name, text) in &slice.args {
                args.entry(name.clone()).or_default().extend(number(text));
            }
        }
        if reply.page.total <= starts.len() {
            break;
        }
    }
    let mut readable =
        vec![("starts".to_owned(), starts), ("durations".to_owned(), durations), ("ends".to_owned(), ends)];
    readable.extend(args);
    readable
}

/// How often each number is there.
fn counted(values: &[f64]) -> Map<u64, usize> {
    let mut counts = Map::default();
    for value in values {
        // 0 and −0 are one number.
        *counts.entry((value + 0.0).to_bits()).or_insert(0) += 1;
    }
    counts
}

/// The numbers of `wanted` that are not in `readable` as often.
fn lacking(wanted: &[f64], readable: &Map<u64, usize>) -> Vec<f64> {
    let mut left = readable.clone();
    let is_lacking = |value: &&f64| match left.get_mut(&(**value + 0.0).to_bits()) {
        Some(n) if 0 < *n => {
            *n -= 1;
            false
        }
        _ => true,
    };
    wanted.iter().filter(is_lacking).copied().collect()
}

/// What cannot be read of a document, a line for each pattern; and how many numbers were looked for.
fn unreadable(doc: &mut Document, bytes: &[u8]) -> (Vec<String>, usize) {
    let (mut missing, mut n_numbers) = (Vec::new(), 0);
    let blocks: Vec<(u32, Vec<u8>)> = doc
        .trace()
        .blocks
        .iter()
        .filter(|b| COVERED.contains(&b.kind) && b.state != BlockState::Superseded)
        .map(|b| (b.kind, bytes[b.payload.start as usize..b.payload.end as usize].to_vec()))
        .collect();
    for (kind, payload) in blocks {
        let json: Value = serde_json::from_slice(&payload).expect("the block is JSON");
        let mut found = Found::new();
        walk(&json, "", &mut found);
        let mut readable = of_figures(doc, kind);
        match kind {
            0x02 => readable = of_slices(doc),
            0x03 => readable.extend(of_listings(doc, ListingKind::Source)),
            0x04 => readable = of_listings(doc, ListingKind::Assembly),
            _ => {}
        }
        let readable: Vec<(String, Map<u64, usize>)> =
            readable.into_iter().map(|(name, values)| (name, counted(&values))).collect();
        for (pattern, wanted) in &found {
            if STRUCTURE.iter().any(|(part, _)| pattern.contains(part)) {
                continue;
            }
            n_numbers += wanted.len();
            let best = readable.iter().map(|(name, counts)| (lacking(wanted, counts), name));
            let best = best.min_by_key(|(lacking, _)| lacking.len());
            match best {
                Some((lacking, _)) if lacking.is_empty() => {}
                Some((lacking, name)) => missing.push(format!(
                    "{kind:02X} {pattern}: {} of {} are not in {name}, which is nearest: {:?}",
                    lacking.len(),
                    wanted.len(),
                    &lacking[..lacking.len().min(5)]
                )),
                None => missing.push(format!("{kind:02X} {pattern}: there is nothing to read")),
            }
        }
    }
    (missing, n_numbers)
}

#[test]
fn every_number_of_our_device_run_can_be_read() {
    let bytes = crate::support::make_ascend::fixtures().remove(0).2;
    let (mut doc, _) = open_case("msinsight", "device");
    let (missing, n) = unreadable(&mut doc, &bytes);
    assert!(200 < n, "{n} numbers");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_number_of_real_files_can_be_read() {
    let Some(root) = ascend() else { return };
    for name in [
        "matmul_leakyrelu_910b4_mix.bin",
        "cummin_910b2_vector_small.bin",
        "cummin_910b2_vector_round2.bin",
        "OPPROF_cummin_round3/visualize_data.bin",
        "assembled/device_like_all_blocks.bin",
        "assembled/synthetic_cacheline_nonzero.bin",
    ] {
        let bytes = fs::read(root.join(name)).unwrap();
        let (mut doc, ready) = open_one("visualize_data.bin", bytes.clone());
        assert!(ready, "{name}");
        let (missing, n) = unreadable(&mut doc, &bytes);
        assert!(100 < n, "{name}: {n} numbers");
        assert!(missing.is_empty(), "{name}, {n} numbers: {missing:#?}");
        println!("{name}: {n} numbers, all readable");
    }
}

#[test]
fn a_column_a_row_or_a_scale_that_is_wrong_is_noticed() {
    let wanted = [1.5, 2.0, 2.0];
    assert!(lacking(&wanted, &counted(&[2.0, 9.0, 1.5, 2.0])).is_empty());
    assert_eq!(lacking(&wanted, &counted(&[1.5, 2.0])), [2.0]);
    assert_eq!(lacking(&wanted, &counted(&[0.015, 0.02, 0.02])), wanted);
}
