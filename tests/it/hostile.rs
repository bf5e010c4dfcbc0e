//! Files that want to do harm: formulas, markup and control characters in names, too deep, too long, too many. `SECURITY.md`
//! names these tests.

use crate::support::front_door::open_one;
use lanescope::base::fault::Kind;
use lanescope::base::geometry::Size;
use lanescope::base::names::sheet_cell;
use lanescope::document::Document;
use lanescope::input::limits;
use lanescope::input::unpack::{MemoryStore, Unpacker};
use lanescope::input::{Entry, Memory};
use lanescope::scene::palette::Palette;
use lanescope::wire::{Answer, Query};
use std::io::Write;
use std::rc::Rc;

/// Names that a spreadsheet would run, and what must become of them.
const FORMULAS: [&str; 5] = [
    "=HYPERLINK(\"http://127.0.0.1\",\"x\")",
    "=1+1",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "-1+cmd|' /C calc'!A0",
    "+f(1)",
];
/// Names of kernels and instructions that begin likewise and are none.
const PLAIN: [&str; 4] = ["-O3", "@P0 EXIT", "+", "a=b(1)"];

fn trace_of(names: &[String]) -> Vec<u8> {
    let event = |(at, name): (usize, &String)| {
        let name = serde_json::to_string(name).unwrap();
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"name":{name},"cat":{name},"ts":{},"dur":5,"args":{{"a":{name}}}}}"#,
            at * 10
        )
    };
    let events: Vec<String> = names.iter().enumerate().map(event).collect();
    format!("[{}]", events.join(",")).into_bytes()
}

fn export(doc: &mut Document, id: &str) -> String {
    let bytes =
        doc.query(&Query::Export { id: id.to_owned() }).1.unwrap_or_else(|| panic!("{id} gives a file"));
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_name_that_is_a_formula_is_text_in_every_csv() {
    for name in FORMULAS {
        assert_eq!(sheet_cell(name), format!("'{name}"));
    }
    for name in PLAIN {
        assert_eq!(sheet_cell(name), name);
    }
    let names: Vec<String> = FORMULAS.iter().chain(&PLAIN).map(|name| (*name).to_owned()).collect();
    let (mut doc, is_ready) = open_one("a.json", trace_of(&names));
    assert!(is_ready);
    for id in ["slices-csv", "statistics-csv"] {
        let text = export(&mut doc, id);
        let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let mut seen = 0;
        for row in rows.records().map(Result::unwrap) {
            for cell in &row {
                assert!(!FORMULAS.contains(&cell), "{id}: {cell}");
                seen += usize::from(FORMULAS.iter().any(|name| cell == format!("'{name}")));
            }
        }
        assert!(FORMULAS.len() <= seen, "{id} has the names: {text}");
        assert!(text.contains("-O3") && !text.contains("'-O3"), "{id}");
    }
}

#[test]
fn markup_and_control_characters_in_names_are_text_in_pictures() {
    let names = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "a\u{0}b\u{1b}[31mc",
        "\u{202e}gnp.exe",
        "]]></text></svg>",
    ];
    let (mut doc, is_ready) = open_one("a.json", trace_of(&names.map(str::to_owned)));
    assert!(is_ready);
    let svg = doc
        .svg(
            "timeline",
            Size { w: 4_000.0, h: 300.0 },
            &Palette::from_css(include_str!("../../style/tokens.css"), "light"),
        )
        .unwrap();
    for bad in ["<script", "<img", "]]></text", "\u{0}", "\u{1b}"] {
        assert!(!svg.contains(bad), "{bad:?} stands in the picture");
    }
    assert!(svg.contains("&lt;script&gt;") && svg.matches("</svg>").count() == 1);
}

#[test]
fn values_that_are_nested_too_deep_are_passed_over() {
    let n = 400 * limits::JSON_DEPTH;
    let deep = "[".repeat(n) + &"]".repeat(n);
    let text = format!(
        r#"[{{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1,"args":{{"deep":{deep}}}}},{{"ph":"X","pid":1,"tid":1,"name":"b","ts":5,"dur":1}}]"#
    );
    let (doc, is_ready) = open_one("deep.json", text.into_bytes());
    assert!(is_ready);
    assert_eq!(doc.trace().tracks.iter().map(|(_, track)| track.slices.len()).sum::<usize>(), 2);
}

#[test]
fn a_name_of_a_megabyte_is_cut_and_said() {
    let long = "x".repeat(1 << 20);
    let (doc, is_ready) = open_one("long.json", trace_of(&["short".to_owned(), long]));
    assert!(is_ready);
    let longest = (0..doc.trace().strings.len() as u32)
        .map(|id| doc.trace().strings.get(lanescope::model::id::StrId(id)).len());
    assert!(longest.max().unwrap() <= limits::NAME_BYTES);
    assert!(doc.faults().rows().iter().any(|fault| matches!(fault.kind, Kind::Limit { .. })), "it is said");
}

#[test]
fn a_hundred_thousand_problems_are_counted_and_few_are_kept() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"name":"a","ts":"never","dur":1},"#;
    let text =
        format!("[{}{}]", event.repeat(100_000), r#"{"ph":"X","pid":1,"tid":1,"name":"b","ts":5,"dur":1}"#);
    let (doc, _) = open_one("broken.json", text.into_bytes());
    let faults = doc.faults().rows();
    assert!(!faults.is_empty() && faults.len() <= limits::FAULTS, "{}", faults.len());
    let code = &faults[0].code;
    assert!(faults.iter().filter(|fault| fault.code == *code).count() <= limits::FAULTS_OF_A_KIND + 1);
    let all: u64 = faults.iter().filter(|fault| fault.code == *code).map(|fault| 1 + fault.repeats).sum();
    assert_eq!(all, 100_000, "{code}");
}

fn unpack(name: &str, bytes: Vec<u8>) -> (Vec<Entry>, Vec<lanescope::base::fault::Fault>) {
    let entry = Entry { path: name.to_owned(), source: Rc::new(Memory(bytes)) };
    let mut unpacker = Unpacker::new(vec![entry], Box::<MemoryStore>::default());
    loop {
        if let Some(unpacked) = unpacker.poll() {
            return unpacked;
        }
    }
}

#[test]
fn archives_that_are_nested_too_deep_are_left_packed_and_said() {
    let mut bytes = b"[]".to_vec();
    for _ in 0..limits::ARCHIVE_DEPTH + 2 {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&bytes).unwrap();
        bytes = packer.finish().unwrap();
    }
    let (entries, faults) = unpack("deep.gz", bytes);
    assert_eq!(entries.len(), 1);
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn an_archive_of_more_files_than_there_may_be_is_cut_and_said() {
    let mut packer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for at in 0..limits::ENTRIES + 10 {
        packer.start_file(format!("{at}"), options).unwrap();
    }
    let (entries, faults) = unpack("many.zip", packer.finish().unwrap().into_inner());
    assert!(entries.len() <= limits::ENTRIES, "{}", entries.len());
    assert!(faults.iter().any(|fault| fault.code == "INP-ENTRIES"), "{faults:?}");
}

/// A report lists some of very many files, and counts the others.
#[test]
fn of_many_files_a_thousand_are_listed_and_the_others_counted() {
    let mut packer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for at in 0..2_345 {
        packer.start_file(format!("{at:04}.txt"), options).unwrap();
    }
    packer.start_file("z.json", options).unwrap();
    packer.write_all(&trace_of(&["a".to_owned()])).unwrap();
    let (mut doc, is_ready) = open_one("many.zip", packer.finish().unwrap().into_inner());
    let Answer::Report(report) = doc.query(&Query::Report).0 else { panic!("a report") };
    assert!(is_ready, "{}", report.text);
    let listed = report.text.lines().filter(|line| line.starts_with("file ")).count();
    assert_eq!((listed, report.files.len()), (1_000, 2_346));
    assert!(report.text.contains("\n1,346 more files, 1 of them read\n"), "{}", report.text);
}

/// An end record that claims ten million members of a small archive.
#[test]
fn a_directory_that_claims_millions_of_files_takes_no_memory_for_them() {
    let mut packer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    packer.start_file("a.json", zip::write::SimpleFileOptions::default()).unwrap();
    packer.write_all(b"[]").unwrap();
    let mut bytes = packer.finish().unwrap().into_inner();
    let end = bytes.len() - 22;
    for at in [8, 10] {
        bytes[end + at..end + at + 2].copy_from_slice(&0xFFFE_u16.to_le_bytes());
    }
    let (entries, faults) = unpack("claims.zip", bytes);
    assert!(entries.len() <= 1 && !faults.is_empty(), "{} entries, {faults:?}", entries.len());
}

/// Paths of members are names that are shown; nothing is written under them.
#[test]
fn paths_of_members_lead_nowhere() {
    let mut packer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for path in
        ["../../outside.json", "/etc/outside.json", "C:\\outside.json", "a/../../b.json", "x\u{0}y.json"]
    {
        packer.start_file(path, options).unwrap();
        packer.write_all(&trace_of(&["a".to_owned()])).unwrap();
    }
    let (mut doc, is_ready) = open_one("tricks.zip", packer.finish().unwrap().into_inner());
    assert!(is_ready);
    let answer = doc.query(&Query::Export { id: "slices-csv".to_owned() }).0;
    let Answer::File { name, .. } = answer else { panic!("{answer:?}") };
    assert!(!name.contains(['/', '\\', ':', '\0']) && !name.starts_with('.'), "{name}");
}

#[test]
fn an_event_longer_than_a_record_may_be_is_passed_over_and_said() {
    let long = "x".repeat(limits::RECORD_BYTES + 1);
    let text = format!(
        r#"[{{"ph":"X","pid":1,"tid":1,"name":"b","ts":5,"dur":1}},{{"ph":"X","pid":1,"tid":1,"name":"a","ts":1,"dur":1,"args":{{"long":"{long}"}}}}]"#
    );
    let (doc, is_ready) = open_one("long.json", text.into_bytes());
    assert!(is_ready);
    assert_eq!(doc.trace().tracks.iter().map(|(_, track)| track.slices.len()).sum::<usize>(), 1);
    assert!(!doc.faults().rows().is_empty(), "it is said");
}

/// Each test that `SECURITY.md` names is there.
#[test]
fn every_limit_has_the_test_that_it_names() {
    let text = include_str!("../../SECURITY.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let named: Vec<&str> =
        text.split('`').filter(|word| word.contains("::") && !word.contains(' ')).collect();
    assert!(10 < named.len(), "{named:?}");
    for name in named {
        let parts: Vec<&str> = name.split("::").collect();
        let (test, module) = parts.split_last().unwrap();
        let file = root.join(module.join("/")).with_extension("rs");
        let file = if file.exists() { file } else { root.join(module.join("/")).join("mod.rs") };
        let code =
            std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {}: {e}", file.display()));
        assert!(code.contains(&format!("fn {test}()")), "{name} is not in {}", file.display());
    }
}

#[test]
fn times_of_centuries_come_to_shares_below_the_whole() {
    const WALL: u64 = 700_000_000_000_000;
    let slice = |name: &str, cat: &str, at: u64, (dur, stream): (u64, u64)| {
        let place = match cat {
            "kernel" => format!(r#""pid":0,"tid":{stream},"args":{{"device":0,"stream":{stream}}}"#),
            _ => r#""pid":1,"tid":1"#.to_owned(),
        };
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{at},"dur":{dur},{place}}}"#)
    };
    let events = (0..6).flat_map(|n| {
        let at = n * WALL;
        let step = slice(&format!("ProfilerStep#{n}"), "user_annotation", at, (WALL, 0));
        let on = move |stream| {
            let computes = slice("gemm", "kernel", at + 5, (WALL * 9 / 10, stream));
            let exchanges = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
            [computes, slice(exchanges, "kernel", at + 5, (WALL * 19 / 20, stream + 20))]
        };
        std::iter::once(step).chain((7..15).flat_map(on))
    });
    let text = format!("[{}]", events.collect::<Vec<_>>().join(","));
    let (mut doc, is_ready) = open_one("far.json", text.into_bytes());
    assert!(is_ready);
    let text = lanescope::export::findings::text(&doc.whole_overview());
    let words: Vec<&str> = text.split_whitespace().collect();
    let shares = words.windows(2).filter(|pair| pair[1].starts_with('%'));
    let shares: Vec<f64> = shares.filter_map(|pair| pair[0].trim_start_matches('(').parse().ok()).collect();
    assert!(5 < shares.len() && shares.iter().all(|share| (0.0..=100.0).contains(share)), "{text}");
}

#[test]
fn calls_that_nest_without_end_are_rows_of_some_kilobytes() {
    let begins: Vec<String> =
        (0..5_000).map(|at| format!(r#"{{"ph":"B","pid":1,"tid":1,"name":"again","ts":{at}}}"#)).collect();
    let (mut doc, is_ready) = open_one("deep.json", format!("[{}]", begins.join(",")).into_bytes());
    assert!(is_ready);
    let text = export(&mut doc, "aggregate-csv");
    let longest = text.lines().map(str::len).max();
    assert!(4_900 < text.lines().count() && longest < Some(10_000), "{} {longest:?}", text.lines().count());
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("… ▸ again ▸ "), "{}", last.chars().take(60).collect::<String>());
}

#[test]
fn a_member_of_megabytes_before_the_events_does_not_hide_them() {
    let frames: Vec<String> =
        (0..40_000).map(|at| format!(r#""{at}":{{"name":"f{at}","category":"library"}}"#)).collect();
    let event = r#"{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":5}"#;
    let text = format!(r#"{{"stackFrames":{{{}}},"traceEvents":[{event}]}}"#, frames.join(","));
    assert!(1 << 20 < text.len());
    let (doc, is_ready) = open_one("frames.json", text.into_bytes());
    let n: usize = doc.trace().tracks.iter().map(|(_, track)| track.slices.len()).sum();
    assert!(is_ready && n == 1, "{n} slices");
}
