//! Instructions by block with what was measured beside them, ways between blocks, lines of source.

use super::conclusions::{figure, opened, trace};
use crate::accelsim::make::{PROGRAM, V4, V5, source_line};
use crate::accelsim::recorded;
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::code::{Listing, ListingKind};
use lanescope::model::id::ListingId;
use lanescope::views::code::messages::{Arrange, CodeQuery, Reply};
use lanescope::views::executions::compute::range;
use lanescope::views::executions::messages::{ExecutionsQuery, Reply as Executions};

use std::collections::BTreeMap;

fn done(name: &str, bytes: Vec<u8>) -> Document {
    let (mut doc, is_ready) = open_one(name, bytes);
    assert!(is_ready, "{name}");
    while doc.has_work() {
        doc.step();
    }
    doc
}

fn column<'a>(listing: &'a Listing, name: &str) -> &'a lanescope::model::code::Column {
    let names: Vec<&str> = listing.columns.iter().map(|column| column.name.as_str()).collect();
    listing.columns.iter().find(|column| column.name == name).unwrap_or_else(|| panic!("{name} of {names:?}"))
}

/// Addresses of the rows that pass a filter.
fn filter(doc: &mut Document, listing: ListingId, text: &str) -> Vec<u64> {
    let arrange = Arrange { filter: text.to_owned(), ..Arrange::default() };
    let ask = CodeQuery::Rows { listing, core: 0, arrange, from: 0, n: 400 };
    let Some(Reply::Rows { rows, .. }) = doc.query(&ask).0 else { panic!() };
    let of = &doc.trace().code.listings[listing.index()];
    rows.iter().map(|row| of.address[row.row as usize]).collect()
}

#[test]
fn ways_between_blocks_are_counted() {
    let doc = done("kernel-1.traceg", V5.grouped("loop").into_bytes());
    let of = recorded(&doc);
    let (program, executions) = (&of.programs[0], &of.launches[0].executions);
    let mut wanted: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for thread in 0..of.launches[0].threads.len() {
        let blocks = &executions.block[range(executions, thread)];
        for pair in blocks.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|row| &program.blocks[row as usize]);
            *wanted.entry((from.first + from.len - 1, to.first)).or_default() += 1;
        }
    }
    let code = &doc.trace().code;
    let flow = code.flows.iter().find(|flow| Some(flow.listing) == program.listing).unwrap();
    let found: BTreeMap<(u32, u32), u64> =
        flow.edges.iter().map(|edge| ((edge.from, edge.to), edge.count.unwrap())).collect();
    assert_eq!(found, wanted);
    assert_eq!(flow.blocks, [0, 1, 5, 6, 7]);
    let listing = &code.listings[program.listing.unwrap().index()];
    let blocks: Vec<&str> =
        (0..PROGRAM.len()).map(|row| column(listing, "Block").cells.text(row, 0)).collect();
    let labels: Vec<&str> =
        [0, 1, 1, 1, 1, 2, 3, 4, 4].map(|at: usize| program.blocks[at].label.as_str()).to_vec();
    assert_eq!(blocks, labels);
    let next = column(listing, "Next blocks").cells.text(4, 0);
    assert_eq!(next, format!("{} 4, {} 4", labels[1], labels[5]));
    assert_eq!(column(listing, "Next blocks").cells.text(3, 0), "");
}

#[test]
fn a_filter_finds_what_wastes() {
    let mut doc = done("kernel-1.traceg", V5.grouped("loop").into_bytes());
    let listing = recorded(&doc).programs[0].listing.unwrap();
    let pc = |at: usize| V5.pc(at);
    assert_eq!(filter(&mut doc, listing, "op:LDG"), [pc(1), pc(7)]);
    assert_eq!(filter(&mut doc, listing, "op:LDG eff<50"), [] as [u64; 0]);
    assert_eq!(filter(&mut doc, listing, "eff<60"), [pc(6)]);
    assert_eq!(filter(&mut doc, listing, "block:1 op:i"), [pc(2), pc(3)]);
    let listing_of = |doc: &Document| doc.trace().code.listings[listing.index()].lines.len();
    let all = listing_of(&doc);
    let partly = filter(&mut doc, listing, "lanes<32");
    assert!(!partly.is_empty() && partly.len() < all, "{partly:?}");
    assert_eq!(filter(&mut doc, listing, "lanes>=32").len() + partly.len(), all);
}

#[test]
fn means_have_no_share_of_a_total() {
    let mut doc = done("kernel-1.traceg", V5.grouped("loop").into_bytes());
    let listing = recorded(&doc).programs[0].listing.unwrap();
    let mut facts = |row: u32| {
        let ask = CodeQuery::Row { listing, row, core: 0 };
        let Some(Reply::Row(detail)) = doc.query(&ask).0 else { panic!() };
        detail.facts
    };
    let missing = ("Sectors per access".to_owned(), "–".to_owned(), None);
    assert!(facts(0).contains(&missing), "no access");
    let facts = facts(1);
    let has_share = |name: &str| facts.iter().find(|fact| fact.0 == name).unwrap().2.is_some();
    let names = ["Executions", "Bytes moved", "Lanes, mean", "Sectors per access"];
    assert_eq!(names.map(has_share), [true, true, false, false]);
}

/// Ten lanes of 4 bytes at steps of 8 take three sectors of 32: 40 of 96.
#[test]
fn quotients_are_said_with_few_digits() {
    let mut doc = opened(&trace("share", &[("LDG.E", 0x3ff, 4, 8), ("EXIT", u32::MAX, 0, 0)]));
    figure(&mut doc, "instrumentation-kernels");
    let ask = CodeQuery::Row { listing: recorded(&doc).programs[0].listing.unwrap(), row: 0, core: 0 };
    let Some(Reply::Row(detail)) = doc.query(&ask).0 else { panic!() };
    let of = |name: &str| detail.facts.iter().find(|fact| fact.0 == name).unwrap().1.as_str();
    assert_eq!([of("Efficiency"), of("Active lanes")], ["41.7 %", "31.25 %"]);
}

#[test]
fn lines_of_source_add_up_their_instructions() {
    let doc = done("kernel-1.traceg", V4.grouped("loop").into_bytes());
    let (code, program) = (&doc.trace().code, &recorded(&doc).programs[0]);
    let assembly = program.listing.unwrap();
    let at = code.listings.iter().position(|listing| listing.kind == ListingKind::Source).unwrap();
    let (id, source) = (ListingId(at as u32), &code.listings[at]);
    let links = code.links.iter().find(|links| links.other(id) == Some(assembly)).unwrap();
    let mut n = 0.0;
    for at in (0..PROGRAM.len()).step_by(3) {
        let line = source_line(at) as u32 - 1;
        let rows: Vec<u32> = links.rows(id, line).collect();
        assert_eq!(rows, (at as u32..at as u32 + 3).collect::<Vec<_>>());
        let own = |row: &u32| {
            column(&code.listings[assembly.index()], "Executions").cells.number(*row as usize, 0).unwrap()
        };
        let sum: f64 = rows.iter().map(own).sum();
        assert_eq!(column(source, "Executions").cells.number(line as usize, 0), Some(sum));
        n += sum;
    }
    assert!(0.0 < n);
    assert_eq!(column(source, "Executions").cells.number(0, 0), None, "a line without instructions");
    assert_eq!(column(source, "Lanes, mean").cells.number(source_line(0) - 1, 0), Some(32.0));
    // Two warps store once, 16 lanes of 8 bytes 256 apart: 16 sectors each where 4 would do.
    let excess = |at: usize| column(source, "Excess sectors").cells.number(source_line(at) - 1, 0);
    assert_eq!([excess(0), excess(3), excess(6)], [Some(0.0), None, Some(24.0)]);
}

#[test]
fn ways_follow_from_counts_of_blocks() {
    let Some(root) = corpus("instrumentation") else { return };
    let path = std::fs::read_dir(root.join("gtpin_pti")).unwrap().map(|e| e.unwrap().path());
    let path =
        path.filter(|path| std::fs::read_to_string(path).is_ok_and(|t| t.contains("=== "))).min().unwrap();
    let doc = done("instcount.txt", std::fs::read(path).unwrap());
    let code = &doc.trace().code;
    let flow = &code.flows[0];
    let most = flow.edges.iter().max_by_key(|edge| edge.count).unwrap();
    assert_eq!(most.count, Some(262_144 - 2_048), "the loop goes back each time but the last of each thread");
    assert!(most.to < most.from);
}

/// A warp runs a block of three instructions twice; three lanes do not take the branch at its end, and once the load is
/// predicated off for all of them. What is not whole is said to be a mean, by instruction and by execution of the block.
#[test]
fn lanes_that_a_predicate_turns_off_are_said_to_be_a_mean() {
    let (all, most) = (u32::MAX, 0x1fff_ffff);
    let head = trace("loop", &[]);
    let (head, _) = head.split_once("insts = ").unwrap();
    let round = |load: u32| [(0, "MOV", all), (0x10, "IADD3", load), (0x20, "BRA", most)];
    let rows = [round(all), round(0)].concat();
    let mut text = format!("{head}insts = {}\n", rows.len() + 1);
    for (pc, opcode, mask) in rows.into_iter().chain([(0x30, "EXIT", all)]) {
        text += &format!("{pc:04x} {mask:08x} 0 {opcode} 0 0\n");
    }
    let mut doc = opened(&(text + "\n#END_TB\n"));
    while doc.has_work() {
        doc.step();
    }
    let listing = &doc.trace().code.listings[recorded(&doc).programs[0].listing.unwrap().index()];
    let lanes: Vec<f64> =
        (0..4).map(|row| column(listing, "Lanes, mean").cells.number(row, 0).unwrap()).collect();
    assert_eq!(lanes, [32.0, 16.0, 29.0, 32.0]);
    assert!(listing.columns.iter().all(|column| !["Lanes", "lanes"].contains(&column.name.as_str())));
    let ask = ExecutionsQuery::Detail { launch: 0, execution: 0, row: None };
    let Some(Executions::Detail(Some(detail))) = doc.query(&ask).0 else { panic!("a detail") };
    assert_eq!(detail.rows.iter().map(|row| row.mask).collect::<Vec<_>>(), [all, all, most].map(Some));
    assert_eq!(detail.known.lanes, Some(31));
}
