//! Two kernels whose instructions begin at the same address: each shows its own rows everywhere.

use super::{Cells, Column, ColumnStyle, code};
use crate::support::front_door::open;
use crate::support::make_accesses::{Record, payload};
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::analysis::code::origins::{OriginQuery, Origins, Spot};
use lanescope::analysis::code::{Referrer, rows_of_address};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw;
use lanescope::model::access::{Access, AccessKind, OPERATION, Site};
use lanescope::model::build::TraceBuilder;
use lanescope::model::code::{Code, CodeAddress, CodeScope, Links, RegisterUse};
use lanescope::model::figure::{Body, Family, Figure, FigureState, HeatMap, Target};
use lanescope::model::id::{ListingId, SliceId, StrId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::model::{Table, TableCells, TableColumn};
use lanescope::views::access::messages as access;
use lanescope::views::code::messages::{Arrange, CodeQuery, FoundRow, Reply};
use lanescope::views::timeline::messages::{self as timeline, Current, SearchQuery};
use lanescope::wire::figures;
use serde_json::json;

const PATH: &str = "/home/dev/ops/add.cpp";

/// A file of kernel `k`: `4 + 2 k` instructions from address 0, of which `3 + 2 k` slices name the second; its cache line
/// was hit by the instructions `1 + k` and after.
fn file(k: usize) -> Vec<u8> {
    let (letter, n) = (["A", "B"][k], 4 + 2 * k);
    let row = |i: usize| {
        json!({"Address": format!("{:#x}", 8 * i), "Source": format!("{letter}{i}"), "AscendC Inner Code": format!("{PATH}:{}", 1 + i + k),
            "GPR Status": [{"regIndex": format!("{letter}R{i}"), "survivalTime": 1, "regStatus": 1}]})
    };
    let rows: Vec<_> = (0..n).map(row).collect();
    let instructions = json!({"Cores": ["core0"], "Instructions": rows,
        "Instructions Dtype": {"Instructions": {"Address": 3, "Source": 3, "AscendC Inner Code": 3, "GPR Status": 5}}});
    let hits = json!({"Value": [7, 0.5], "Address Range": [[format!("{:#x}", 8 * (1 + k)), "0x30"]]});
    let lines = json!({"Cacheline Records": [{"Cacheline Id": 40 + k, "Hit": hits, "Miss": {"Value": [0, 0.0], "Address Range": []}}]});
    let event = |i: usize| {
        json!({"ph": "X", "name": letter, "pid": "core0.veccore0", "tid": "P", "ts": i, "dur": 0.5,
            "args": {"code": format!("{PATH}:3"), "pc_addr": "0x8"}})
    };
    let events: Vec<_> = (0..3 + 2 * k).map(event).collect();
    let trace = json!({"profilingType": "op", "traceEvents": events});
    let record = Record { kind: 3, core: 0, space: 1, block: 0, id: 1, address: 0x100, bytes: 8, pc: 8 };
    Container::default()
        .source(PATH, &format!("{letter};\n").repeat(8))
        .block(4, 0, instructions.to_string().as_bytes())
        .json(0x0e, &lines)
        .block(10, NO_VERSION, &payload(&[record; 2], "[]"))
        .block(2, 0x5a, trace.to_string().as_bytes())
        .0
}

fn ask(doc: &mut Document, ask: CodeQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn listings(found: &[FoundRow]) -> Vec<ListingId> {
    found.iter().map(|row| row.listing).collect()
}

fn hits(doc: &mut Document, text: &str) -> Vec<SliceId> {
    let search = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    doc.query(&timeline::TimelineQuery::Search { search, current: Current::Number(0) });
    doc.derived().timeline.found().map(|found| found.listed.clone()).unwrap_or_default()
}

fn slices(doc: &mut Document, listing: ListingId, row: u32) -> (u64, String) {
    for _ in 0..1_000 {
        if let Reply::Slices { share: 1.0, n, search, .. } = ask(doc, CodeQuery::Slices { listing, row }) {
            return (n, search);
        }
    }
    panic!("it never ends");
}

/// Where the middle of the only cell of a map leads.
fn leads(doc: &mut Document, id: &str) -> Vec<Target> {
    let family = doc.trace().figures.iter().find(|family| family.id == id).expect("the map is there");
    let figure = &family.variants[0];
    let Body::HeatMap(map) = &figure.body else { panic!("no map") };
    let size = Size { w: 800.0, h: draw::height(figure, 800.0, Language::En) };
    let state = FigureState::default();
    let area = draw::heatmap::Layout::new(map, size, &state).map;
    let at = Point { x: area.x + area.w / 2.0, y: area.y + area.h / 2.0 };
    let chosen = vec![0; family.choices.len()];
    let frame = figures::Frame { id: id.to_owned(), chosen, state, is_compared: false };
    match doc.query(&figures::FigureQuery::Targets { frame, size, at }).0 {
        Some(figures::Reply::Targets(targets)) => targets,
        other => panic!("{other:?}"),
    }
}

/// The listing, the name beside it, the first address and the number of instructions of each passage.
fn passages(targets: Vec<Target>) -> Vec<(ListingId, String, u64, u32)> {
    let one = |target| match target {
        Target::Instructions(p) => (p.listing, p.listing_name, p.first, p.n),
        other => panic!("{other:?}"),
    };
    targets.into_iter().map(one).collect()
}

fn record(doc: &mut Document, row: u32) -> access::Record {
    match doc.query(&access::AccessQuery::Record(row)).0 {
        Some(access::Reply::Record(Some(record))) => *record,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_files_with_equal_addresses_each_show_their_own_rows() {
    let (mut doc, ready) =
        open(vec![("k0.dat".to_owned(), file(0)), ("k1.dat".to_owned(), file(1))], 1 << 16);
    assert!(ready, "{:?}", doc.faults().rows());
    let doc = &mut doc;
    let Reply::Listings(all) = ask(doc, CodeQuery::Listings) else { panic!("no listings") };
    let id = |name: &str| {
        all.listings.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("{:?}", all.listings)).id
    };
    let assembly = [id("Instructions · k0.dat"), id("Instructions · k1.dat")];
    let source = [id(&format!("{PATH} · k0.dat")), id(&format!("{PATH} · k1.dat"))];

    let address = |listing| CodeQuery::Address(CodeAddress { listing, address: 8 });
    let Reply::At(found) = ask(doc, address(None)) else { panic!("no rows") };
    assert_eq!(listings(&found), assembly, "both are offered");
    let line = CodeQuery::Line { path: PATH.to_owned(), line: 3 };
    let Reply::At(found) = ask(doc, line) else { panic!("no rows") };
    assert_eq!(listings(&found), source);

    for (k, letter) in [(0, "A"), (1, "B")] {
        let Reply::At(found) = ask(doc, address(Some(assembly[k]))) else { panic!("no rows") };
        assert_eq!(found.iter().map(|at| (at.listing, at.row)).collect::<Vec<_>>(), [(assembly[k], 1)]);

        // Registers.
        let rows =
            CodeQuery::Rows { listing: assembly[k], core: 0, arrange: Arrange::default(), from: 0, n: 9 };
        let Reply::Rows { rows, .. } = ask(doc, rows) else { panic!("no rows") };
        assert_eq!(rows.len(), 4 + 2 * k);
        assert_eq!(
            (rows[1].text.as_str(), rows[1].cells.last().unwrap().as_str()),
            (&*format!("{letter}1"), &*format!("{letter}R1 read"))
        );

        // Links.
        let Reply::Linked(linked) = ask(doc, CodeQuery::Linked { listing: assembly[k], row: 1 }) else {
            panic!("no links")
        };
        assert_eq!(
            linked.iter().map(|l| (l.listing, l.first)).collect::<Vec<_>>(),
            [(source[k], 1 + k as u32)]
        );

        // Address search, both ways.
        let (n, search) = slices(doc, assembly[k], 1);
        assert_eq!((n, search), (3 + 2 * k as u64, format!("pc:0x8@{}", assembly[k].0 + 1)));
        let (n, search) = slices(doc, source[k], 2);
        assert_eq!((n, search), (3 + 2 * k as u64, format!("line:{PATH}:3@{}", source[k].0 + 1)));
        let found = hits(doc, &format!("pc:0x8@{}", assembly[k].0 + 1));
        assert_eq!(found.len(), 3 + 2 * k);
        let Some(timeline::Reply::Slice(Some(slice))) =
            doc.query(&timeline::TimelineQuery::Slice(found[0])).0
        else {
            panic!("no slice")
        };
        assert_eq!((slice.head.name.as_str(), slice.address), (letter, Some(8)));
        assert_eq!(listings(&slice.instructions), [assembly[k]]);

        // Accesses.
        let found = record(doc, 2 * k as u32).instructions;
        assert_eq!(found.iter().map(|at| (at.listing, at.row)).collect::<Vec<_>>(), [(assembly[k], 1)]);

        // Cells of cache maps.
        let cell = passages(leads(doc, ["cache-hit", "cache-hit-1"][k]));
        assert_eq!(cell, [(assembly[k], String::new(), 8 * (1 + k as u64), 3 + k as u32)]);
    }
    assert_eq!(hits(doc, "pc:0x8").len(), 8, "an address alone stands for both");
}

/// Two listings of one file that have kernels, and the strings of these.
fn two_kernels() -> (TraceBuilder, [StrId; 2]) {
    let mut builder = TraceBuilder::default();
    let kernels = ["add", "mul"].map(|name| builder.intern(name));
    let (mut first, second) = (code(), code());
    let mut listings: Vec<_> = first.listings.drain(..).chain(second.listings).collect();
    for (k, pair) in listings.chunks_mut(2).enumerate() {
        let registers = (0..8).map(|i| vec![RegisterUse { name: format!("{k}R{i}"), life: 1, state: 2 }]);
        pair.iter_mut().for_each(|l| l.scope = CodeScope { entry: Some(0), kernel: kernels[k] });
        pair[1].columns.push(Column {
            name: "GPR".to_owned(),
            unit: Unit::None,
            style: ColumnStyle::Registers,
            counts: None,
            cells: Cells::Registers { values: registers.collect() },
        });
    }
    let links = [(0, 1, 2), (2, 3, 4)];
    let links = links
        .map(|(source, assembly, row)| Links::new(ListingId(source), ListingId(assembly), vec![(row, 1)]));
    builder.head().code = Code { listings, links: links.into(), ..first };
    (builder, kernels)
}

#[test]
fn of_one_file_the_name_of_the_kernel_decides() {
    let (mut builder, [add, mul]) = two_kernels();
    let (nobody, name) = (StrId::default(), builder.intern("MOV"));
    let other = builder.intern("other");
    for kernel in [add, mul, other] {
        let group = builder.track(None, TrackKind::Group, kernel, 0).unwrap();
        let track = builder.track(Some(group), TrackKind::Slices, name, 0).unwrap();
        (0..3).for_each(|i| builder.slice(track, SliceRow::new(i * 10, 5, name)));
    }
    let accesses = &mut builder.head().accesses;
    let class = accesses.class_row([(OPERATION, "LOAD")], AccessKind::Load);
    for (site, kernel) in (0..).zip([add, mul, nobody]) {
        let scope = CodeScope { entry: Some(0), kernel };
        builder.head().accesses.sites.push(Site { pc: 0x1008, scope, stack: None });
        let (position, address, bytes) = (u64::from(site), 0, 8);
        assert!(builder.access(Access { position, class, address, bytes, site }));
        let cells = |cells| TableColumn { name: "Addresses".to_owned(), unit: Unit::None, cells };
        let texts = TableCells::Texts(vec!["0x1008–0x1010".to_owned()]);
        let (id, title, notes) = (format!("cells-{site}"), String::new(), Vec::new());
        builder.head().tables.push(Table {
            id: id.clone(),
            title,
            columns: vec![cells(texts)],
            notes,
            scope,
            phrases: Vec::new(),
        });
        let map = HeatMap {
            width: 1,
            height: 1,
            values: vec![1.0],
            table: id,
            addresses: "Addresses".to_owned(),
            ..HeatMap::default()
        };
        let figure = Figure::new("Cells", Body::HeatMap(map));
        builder.head().figures.push(Family::single(&format!("map-{site}"), "Cache", figure));
    }
    builder.finish();
    let mut doc = Document::of(builder);
    let doc = &mut doc;
    let assembly = [ListingId(1), ListingId(3)];

    let mut origins = Origins::new(doc.trace());
    for number in 0..origins.len() {
        origins.put(number, b"0x1008", |_| Spot { address: Some(0x1008), frames: Vec::new() });
    }
    let tracks = |listing| {
        let wanted = OriginQuery::Address(CodeAddress { listing, address: 0x1008 });
        origins.find(doc.trace(), &wanted).0.iter().map(|(track, _)| track.0).collect::<Vec<_>>()
    };
    assert_eq!(tracks(Some(assembly[0])), [1, 5], "what belongs to none of them may belong to each");
    assert_eq!(tracks(Some(assembly[1])), [3, 5]);
    assert_eq!(tracks(None), [1, 3, 5]);
    assert_eq!("0x1008@4".parse(), Ok(CodeAddress { listing: Some(assembly[1]), address: 0x1008 }));

    let names = ["Instructions · add", "Instructions · mul"];
    for k in 0..2 {
        let found = record(doc, k as u32).instructions;
        assert_eq!(found, [FoundRow { listing: assembly[k], row: 1, name: names[k].to_owned() }]);
        assert_eq!(passages(leads(doc, &format!("map-{k}"))), [(assembly[k], String::new(), 0x1008, 2)]);
        let Reply::Linked(linked) = ask(doc, CodeQuery::Linked { listing: assembly[k], row: 1 }) else {
            panic!("no links")
        };
        assert_eq!(
            linked.iter().map(|l| (l.listing.0, l.first)).collect::<Vec<_>>(),
            [(2 * k as u32, 2 + 2 * k as u32)]
        );
        let rows =
            CodeQuery::Rows { listing: assembly[k], core: 0, arrange: Arrange::default(), from: 1, n: 1 };
        let Reply::Rows { rows, .. } = ask(doc, rows) else { panic!("no rows") };
        assert_eq!(rows[0].cells.last().unwrap(), &format!("{k}R1 write"));
    }
    assert_eq!(listings(&record(doc, 2).instructions), assembly, "a site of no kernel leads to both");
    let both = passages(leads(doc, "map-2"));
    assert_eq!(
        both,
        [(assembly[0], names[0].to_owned(), 0x1008, 2), (assembly[1], names[1].to_owned(), 0x1008, 2)]
    );
}

#[test]
fn an_address_behind_the_last_instruction_counts_only_where_no_listing_has_it() {
    let (mut builder, [_, mul]) = two_kernels();
    builder.head().code.listings[3].address = (0..8).map(|i| 0x1100 + i * 8).collect();
    let code = &builder.trace().code;
    let rows = |address, referrer: &Referrer| rows_of_address(code, address, referrer);
    let anyone = Referrer::default();
    assert_eq!(rows(0x1040, &anyone), [(ListingId(1), 7)]);
    assert_eq!(rows(0x1104, &anyone), [(ListingId(3), 0)]);
    assert_eq!(rows(0x1200, &anyone), [(ListingId(1), 7), (ListingId(3), 7)]);
    assert_eq!(rows(0x1200, &Referrer::of(CodeScope { entry: None, kernel: mul })), [(ListingId(3), 7)]);
}
