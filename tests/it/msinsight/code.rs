//! Sources, instructions, their columns and links.

use super::codes;
use crate::support::front_door::{open_case, open_one};
use crate::support::make_ascend;
use lanescope::document::Document;
use lanescope::model::code::{Cells, ColumnStyle, Listing};
use lanescope::model::files::BlockState;
use lanescope::model::id::ListingId;
use lanescope::views::code::messages::{CodeQuery, Reply};
use serde_json::json;

pub(super) fn listing<'a>(doc: &'a Document, title: &str) -> &'a Listing {
    doc.trace().code.listings.iter().find(|l| l.title == title).expect("the listing is there")
}

fn column<'a>(listing: &'a Listing, name: &str) -> &'a Cells {
    let names: Vec<&str> = listing.columns.iter().map(|c| c.name.as_str()).collect();
    let found = listing.columns.iter().find(|c| c.name == name);
    &found.unwrap_or_else(|| panic!("{name} is not among {names:?}")).cells
}

#[test]
fn the_last_copy_of_a_source_counts_and_copies_cost_no_memory() {
    let (doc, _) = open_case("msinsight", "simulator");
    let source = listing(&doc, "/home/dev/ops/scale_add.cpp");
    assert_eq!(source.lines.get(0), "#include \"tiling.h\"");
    assert!(source.lines.get(5).ends_with("// µ-step 0"));
    assert_eq!(doc.trace().code.listings.len(), 3);
    let superseded = doc.trace().blocks.iter().filter(|b| b.state == BlockState::Superseded).count();
    assert_eq!(superseded, 5);
    assert_eq!(codes(&doc), ["ASC-DUP", "ASC-FIELD"]);
    let text = "// one line\n".repeat(40_000);
    let many = (0..200).fold(make_ascend::Container::default(), |c, _| c.source("/a.cpp", &text)).0;
    let size = many.len();
    let ((doc, _), peak) = crate::support::memory::peak(|| open_one("many.bin", many.clone()));
    assert_eq!(doc.trace().code.listings.len(), 1);
    assert!(peak - size < 12 * text.len(), "{peak} bytes for {} of text in {size}", text.len());
}

#[test]
fn registers_of_lines_do_not_add_up() {
    let line = |line: u32| {
        let address = format!("0x{line}0");
        json!({"Line": line, "Address Range": [[address, address]], "Cycles": 25, "GPR Count": 12})
    };
    let lines = json!({"Cores": ["core0.veccore0"], "Files": [{"Source": "/a.cpp", "Lines": [line(1), line(2)]}],
        "Files Dtype": {"Lines": {"Line": 1, "Address Range": 0, "Cycles": 1, "GPR Count": 1}}});
    let file = make_ascend::Container::default().source("/a.cpp", "one\ntwo\n").json(3, &lines).0;
    let mut doc = open_one("visualize_data.bin", file).0;
    let ask = CodeQuery::Row { listing: ListingId(0), row: 0, core: 0 };
    let Some(Reply::Row(detail)) = doc.query(&ask).0 else { panic!("a row") };
    let fact = |name: &str, text: &str, share| (name.to_owned(), text.to_owned(), share);
    assert_eq!(
        detail.facts,
        [fact("Cycles", "25 cycles", Some(0.5)), fact("GPR Count", "12 registers", None)]
    );
}

#[test]
fn columns_of_all_types_are_shown_by_their_name() {
    let (doc, _) = open_case("msinsight", "simulator");
    let assembly = listing(&doc, "Instructions");
    assert_eq!(assembly.address, [0x1000, 0x1010, 0x1018, 0x1020]);
    let text: Vec<&str> = (0..4).map(|row| assembly.lines.get(row)).collect();
    assert_eq!(text, ["MOV_OUT_TO_UB dst, src", "VMUL v0, v1", "VADD v0, v1", "ADD X1, X2"]);
    let names: Vec<&str> = assembly.columns.iter().map(|c| c.name.as_str()).collect();
    let expected = [
        "Pipe",
        "Instructions Executed",
        "GPR Status",
        "Hit",
        "Process Bytes",
        "Stall Sampling(Not Issue)",
        "Vector Utilization Percentage",
        "Cycles",
    ];
    assert_eq!(names, expected);
    assert_eq!(doc.trace().code.cores, ["core0.veccore0", "core0.veccore1"]);
    let cycles = column(assembly, "Cycles");
    assert_eq!(
        [cycles.number(1, 0), cycles.number(1, 1), cycles.number(1, 9)],
        [Some(360.0), Some(44.0), Some(360.0)]
    );
    assert_eq!(column(assembly, "Pipe").text(0, 1), "MTE2");
    let used = column(assembly, "Vector Utilization Percentage");
    assert_eq!([used.number(0, 0), used.number(0, 1)], [Some(12.5), None]);
    assert_eq!(column(assembly, "Process Bytes").number(0, 0), None);
    assert_eq!(column(assembly, "Hit").number(0, 1), Some(0.5));
    let Cells::Registers { values } = column(assembly, "GPR Status") else { panic!("registers") };
    assert_eq!((values[0][0].name.as_str(), values[0][0].life, values[0][0].state), ("R1", 2, 2));
    let stalls = column(assembly, "Stall Sampling(Not Issue)").parts(3, 0).unwrap();
    assert_eq!(
        (stalls.share, stalls.parts.as_slice()),
        (Some(0.5), &[("Register_bank_conflict".to_owned(), 2.0)][..])
    );
    let styles: Vec<ColumnStyle> = assembly.columns.iter().map(|c| c.style).collect();
    use ColumnStyle::{Bar, Plain, Registers, Share, Stacked};
    assert_eq!(styles, [Plain, Plain, Registers, Plain, Plain, Stacked, Share, Bar]);
}

#[test]
fn files_without_types_have_the_same_columns() {
    let (typed, _) = open_case("msinsight", "simulator");
    let (doc, _) = open_case("msinsight", "old_style");
    for title in ["/home/dev/ops/scale_add.cpp", "Instructions"] {
        let (a, b) = (listing(&typed, title), listing(&doc, title));
        for c in &a.columns {
            let other = column(b, &c.name);
            for row in 0..a.lines.len() {
                for core in 0..2 {
                    let cell = |cells: &Cells| {
                        (
                            cells.number(row, core),
                            cells.text(row, core).to_owned(),
                            cells.parts(row, core).cloned(),
                        )
                    };
                    assert_eq!(cell(&c.cells), cell(other), "{title} {} row {row} core {core}", c.name);
                }
            }
        }
    }
}

#[test]
fn lines_and_instructions_are_linked_both_ways() {
    let (doc, _) = open_case("msinsight", "simulator");
    let code = &doc.trace().code;
    let links = |title: &str| {
        code.links.iter().find(|l| code.listings[l.from.index()].title == title).expect("links")
    };
    let kernel = links("/home/dev/ops/scale_add.cpp");
    // Line 5 by its two ranges, whose ends belong to them; line 4 by its range and by the place of an instruction.
    assert_eq!(kernel.rows(kernel.from, 4).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(kernel.rows(kernel.from, 3).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(kernel.rows(kernel.to, 3).collect::<Vec<_>>(), [4]);
    let header = links("/home/dev/ops/tiling.h");
    // The second line of a place links too; so does a range of a header.
    assert_eq!(header.rows(header.from, 29).collect::<Vec<_>>(), [0, 2]);
    let source = listing(&doc, "/home/dev/ops/scale_add.cpp");
    let cycles = column(source, "Cycles");
    assert_eq!(
        [cycles.number(4, 1), cycles.number(3, 0), cycles.number(3, 1)],
        [Some(80.0), Some(40.0), None]
    );
    assert_eq!(cycles.number(0, 0), None);
    assert_eq!(column(source, "L2Cache Hit Rate").number(4, 0), Some(72.0));
    assert!(code.missing.is_empty());
    // Without version 0 only the ranges link.
    let (doc, _) = open_case("msinsight", "old_style");
    let old = &doc.trace().code.links[0];
    assert_eq!(old.rows(old.from, 3).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn instructions_without_source_say_why() {
    let (doc, ready) = open_case("msinsight", "instructions_first");
    assert!(ready);
    assert!(doc.trace().code.missing.contains("TRITON_DISABLE_LINE_INFO"), "{}", doc.trace().code.missing);
    assert!(doc.trace().code.links.is_empty());
}

/// Rows as they nearly always are take a way of their own; one escape in a text sends a row the long way.
#[test]
fn usual_rows_and_odd_ones_are_read_alike() {
    let cells = [
        r#""Cycles":[1,2,-3],"L2Cache Hit Rate":0.5,"n":"7","Pipe":"MTE2""#,
        r#""Cycles":[4.25],"L2Cache Hit Rate":"NA","n":8,"new":[1]"#,
        r#""Cycles":[],"n":[1,2],"Pipe":["a","b"],"Cycles":[9,9,9]"#,
        r#""n":"text","Cycles":[1e3,5],"deep":{"Percent":0.25,"Details":{"Others":3}}"#,
        r#""Cycles":12345678901234567890,"n":-1,"Pipe":7,"deep":{"Percent":-1}"#,
        r#""Cycles":"x","hidden":[1,2],"Pipe":[1,2]"#,
    ];
    let file = |source: &str| {
        let rows = cells.iter().enumerate().map(|(i, cells)| {
            format!(
                r#"{{"Address":"{:#x}","Source":"{source}","AscendC Inner Code":"/a.cpp:{i}",{cells}}}"#,
                64 - i
            )
        });
        let text = format!(
            r#"{{"Cores":["a","b","c"],"Instructions Dtype":{{"Instructions":{{"Cycles":1,"hidden":0,"Pipe":3}}}},"Instructions":[{}]}}"#,
            rows.collect::<Vec<_>>().join(" , ")
        );
        make_ascend::Container::default().block(4, 0, text.as_bytes()).0
    };
    let (plain, odd) = (open_one("a.bin", file("MOV")).0, open_one("a.bin", file(r"M\u004fV")).0);
    let (a, b) = (listing(&plain, "Instructions"), listing(&odd, "Instructions"));
    assert_eq!((a.lines.get(5), a.address[0]), ("MOV", 59));
    assert_eq!(column(a, "Cycles").number(5, 1), Some(2.0));
    assert_eq!(column(a, "Cycles").number(4, 2), Some(4.25));
    assert_eq!(format!("{:?}", a.columns), format!("{:?}", b.columns));
    assert_eq!(
        (0..6).map(|i| a.lines.get(i)).collect::<Vec<_>>(),
        (0..6).map(|i| b.lines.get(i)).collect::<Vec<_>>()
    );
    assert_eq!(codes(&plain), codes(&odd));
}
