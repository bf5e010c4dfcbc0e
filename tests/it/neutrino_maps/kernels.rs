//! Kernels before and after they were probed.

use super::{SCHED, folder, launch, opened, rows, sched};
use crate::support::corpus::corpus;
use crate::support::front_door::{files_of, open};
use lanescope::document::Document;
use lanescope::model::code::{Links, Listing, ListingKind, RowClass};
use lanescope::model::id::ListingId;

const PRUNED: &str = "\
.version 8.0
.file 1 \"/src/copy.cu\"
.func helper()
{
\tld.global.f32 %f9, [%rd9];
\tret;
}
.entry copy(
\t.param .u64 copy_param_0
)
{
\t.reg .b64 %rd<3>;
\t.loc 1 2 1
\tld.global.f32 %f1, [%rd1];
\tld.volatile.global.f32 %f2, [%rd1];
\tatom.global.add.u32 %r1, [%rd1], 1;
\t.loc 1 3 1
\tst.global.f32 [%rd2], %f1;
\tret;
}
";

const PROBES: &str = r#"
[probe.save]
level = "thread"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
after = "SAVE [ sched ] { %NR0 }"
[probe.watch]
level = "thread"
pos = "ld.global:st.global"
after = "add.u64 %NR1, %NR1, BYTES;"
[map.sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.sched.regs]
start = ["u64", "None"]
elapsed = ["u32", "None"]
cuid = ["u32", "None"]
"#;

/// The kernel as the tool would probe it, and for what each inserted line is there.
fn probed() -> (String, Vec<(&'static str, &'static str)>) {
    let watch = "add.u64 %NR1, %NR1, 4;\n";
    let begin = ".reg .u64 %NR<3>;\nmov.u64 %NR0, %clock64;\n// begin buffer calculation\nmov.u32 %buf2, %tid.x;\n\
        // end buffer calculation\n// begin sched map\n.reg .b64 %map_sched<5>;\n// end sched map\n";
    let save =
        "@%leader st.global.u64 [%map_sched1], %NR0;\n\n@%leader add.s64 %map_sched1, %map_sched1, 8;\n";
    let text = PRUNED
        .replace("\t.param .u64 copy_param_0\n", "\t.param .u64 copy_param_0,\n.param .u64 param_sched\n")
        .replace("{\n\t.reg", &format!("{{\n{begin}\t.reg"))
        .replace("%f1, [%rd1];\n", &format!("%f1, [%rd1];\n{watch}"))
        .replace("%f1;\n\tret", &format!("%f1;\n{watch}{save}\tret"));
    let of = vec![
        ("sched", "parameter"),
        ("", "register"),
        ("save", "probe"),
        ("", "thread index"),
        ("", "thread index"),
        ("", "thread index"),
        ("sched", "map address"),
        ("sched", "map address"),
        ("sched", "map address"),
        ("watch", "probe"),
        ("watch", "probe"),
        ("save", "save"),
        ("save", "save"),
        ("save", "save"),
    ];
    (text, of)
}

fn listing<'a>(doc: &'a Document, title: &str) -> (ListingId, &'a Listing) {
    let listings = (0..).map(ListingId).zip(&doc.trace().code.listings);
    listings.into_iter().find(|(_, listing)| listing.title == title).unwrap()
}

fn links(doc: &Document, from: ListingId, to: ListingId) -> &Links {
    doc.trace().code.links.iter().find(|links| (links.from, links.to) == (from, to)).unwrap()
}

fn line(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).unwrap()
}

#[test]
fn what_was_inserted_is_known_by_its_probe() {
    let (text, inserted) = probed();
    let source = "void copy() {\n  x = *p;\n  *q = x;\n}\n";
    let maps = [SCHED];
    let launch = launch([2, 1, 1], [32, 1, 1], &maps);
    let files = [("probe.toml", PROBES), ("pruned.ptx", PRUNED), ("probed.ptx", &text), ("copy.cu", source)];
    let mut doc = opened(folder(&launch, &files, |_, unit, _| Some(sched(unit))));
    let ((from, pruned), (to, probed)) = (listing(&doc, "pruned.ptx"), listing(&doc, "probed.ptx"));
    let pair = links(&doc, from, to);
    let column = |name: &str| probed.columns.iter().find(|column| column.name == name).unwrap();
    let cell = |name: &str, row: usize| column(name).cells.text(row, 0).to_owned();
    let found: Vec<(String, String)> = (0..probed.lines.len())
        .filter(|row| pair.class(to, *row as u32) == RowClass::Inserted)
        .map(|row| (cell("Probe", row), cell("Inserted for", row)))
        .collect();
    let expected: Vec<(String, String)> =
        inserted.iter().map(|(probe, kind)| ((*probe).to_owned(), (*kind).to_owned())).collect();
    assert_eq!(found, expected);
    // All other lines have their partner; the last parameter got a comma.
    for row in 0..pruned.lines.len() {
        let partner = pair.rows(from, row as u32).next().unwrap() as usize;
        let is_changed = pair.class(from, row as u32) == RowClass::Changed;
        let comma = if is_changed { "," } else { "" };
        assert_eq!(format!("{}{comma}", pruned.lines.get(row)), probed.lines.get(partner));
        assert_eq!(is_changed, row == line(PRUNED, ".param"));
    }
    // Probes stand beside the instructions that they watch, and lines of the source beside what came of them.
    let beside = |part: &str| {
        let row = line(PRUNED, part);
        let text = |name: &str| {
            pruned.columns.iter().find(|c| c.name == name).unwrap().cells.text(row, 0).to_owned()
        };
        (text("Probe"), text("copy.cu"))
    };
    assert_eq!(beside("ld.global.f32 %f1"), ("watch".to_owned(), "2".to_owned()));
    assert_eq!(beside("ld.volatile"), (String::new(), "2".to_owned()));
    assert_eq!(beside("st.global"), ("watch".to_owned(), "3".to_owned()));
    let (source, listing) = listing(&doc, "/src/copy.cu");
    assert_eq!((listing.kind, listing.lines.get(1)), (ListingKind::Source, "  x = *p;"));
    let of_line: Vec<u32> = links(&doc, source, from).rows(source, 2).collect();
    assert_eq!(of_line, [line(PRUNED, "st.global") as u32, line(PRUNED, "st.global") as u32 + 1]);
    assert!(links(&doc, source, to).rows(source, 1).next().is_some());
    // What the positions do not match: other loads, atomic operations, and functions.
    let number = |part: &str| line(PRUNED, part) + 1;
    let expected = format!(
        "watch | ld.global, st.global | 2 | 5 | 0.4 | {} ld.global.f32; {} ld.volatile.global.f32; {} atom.global.add.u32",
        number("%f9"),
        number("ld.volatile"),
        number("atom.")
    );
    assert_eq!(rows(&mut doc, "neutrino-tracepoints", &[]), [expected]);
    let counts = rows(&mut doc, "neutrino-insertions", &[]);
    assert_eq!(counts.len(), 7);
    assert!(
        counts.contains(&"save | save | 3".to_owned()) && counts.contains(&"watch | probe | 2".to_owned())
    );
}

#[test]
fn a_kernel_that_failed_shows_what_would_have_been_probed() {
    let maps = [SCHED];
    let launch = launch([2, 1, 1], [32, 1, 1], &maps);
    let files = [("probe.toml", PROBES), ("pruned.ptx", PRUNED), ("original.ptx", PRUNED)];
    let mut doc = opened(folder(&launch, &files, |_, unit, _| Some(sched(unit))));
    assert_eq!(doc.trace().code.listings.len(), 1, "the original is listed when it is asked for");
    let row = rows(&mut doc, "neutrino-tracepoints", &[]).remove(0);
    assert!(row.starts_with("watch | ld.global, st.global | 2 | 5 | "), "{row}");
}

#[test]
fn the_original_is_listed_when_it_is_asked_for() {
    use lanescope::input::Entry;
    use lanescope::input::Memory;
    use lanescope::input::unpack::MemoryStore;
    let maps = [SCHED];
    let launch = launch([2, 1, 1], [32, 1, 1], &maps);
    let files =
        folder(&launch, &[("pruned.ptx", PRUNED), ("original.ptx", PRUNED)], |_, u, _| Some(sched(u)));
    let entry = |(path, bytes)| Entry { path, source: std::rc::Rc::new(Memory(bytes)) };
    let mut doc = Document::new(files.into_iter().map(entry).collect(), Box::new(MemoryStore::default()));
    doc.set_texts(&[("neutrino-original".to_owned(), "true".to_owned())]);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match doc.step() {
            lanescope::engine::Need::Again => {}
            lanescope::engine::Need::Stream { source, range } => {
                let n = source.read_at(range.start, &mut buffer).unwrap();
                assert!(n as u64 == range.end - range.start && doc.feed(&buffer[..n]));
            }
            _ => break,
        }
    }
    let titles: Vec<&str> = doc.trace().code.listings.iter().map(|listing| listing.title.as_str()).collect();
    assert_eq!(titles, ["pruned.ptx", "original.ptx"]);
}

#[test]
fn texts_of_the_tool_itself_differ_by_insertions_only() {
    let Some(root) = corpus("neutrino") else { return };
    let mut n = 0;
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    folders.retain(|folder| folder.join("kernel").is_dir());
    for folder in folders {
        let (doc, _) = open(files_of(&folder), 1 << 16);
        for links in &doc.trace().code.links {
            let [from, to] = [links.from, links.to].map(|id| &doc.trace().code.listings[id.0 as usize]);
            if from.kind == ListingKind::Source {
                continue;
            }
            n += 1;
            let count = |id: ListingId, listing: &Listing, class| {
                (0..listing.lines.len() as u32).filter(|row| links.class(id, *row) == class).count()
            };
            assert_eq!(count(links.from, from, RowClass::Removed), 0, "{}", folder.display());
            assert_eq!(count(links.from, from, RowClass::Changed), 1, "{}", folder.display());
            let inserted = count(links.to, to, RowClass::Inserted);
            assert_eq!(from.lines.len() + inserted, to.lines.len(), "{}", folder.display());
            // Whatever a probe says, and each store of a record, is known by its probe.
            let column = |name: &str| to.columns.iter().find(|column| column.name == name).unwrap();
            for row in 0..to.lines.len() {
                let kind = column("Inserted for").cells.text(row, 0);
                if kind == "probe" || kind == "save" {
                    assert_ne!(column("Probe").cells.text(row, 0), "", "{}: {}", row + 1, to.lines.get(row));
                }
            }
        }
    }
    assert_eq!(n, 8);
}
