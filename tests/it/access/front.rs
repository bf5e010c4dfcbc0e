//! What can be asked about accesses, through the front door.

use super::ask;
use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::make_accesses::{Record, container, odd, stacks, stacks_by_address, tiled};
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::rows::Goal;
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::PageRequest;
use lanescope::scene::{Shape, text::width};
use lanescope::views::access::messages::{
    AccessQuery, AccessScope, Filter, Frame, Note, RecordHead, Reply, Side, Under,
};
use lanescope::wire::rows::Source;
use lanescope::wire::{Query, pack};

/// The rows of a window in an order, each with all that is known of it.
fn rows(
    doc: &mut Document,
    look: AccessScope,
    sort: Option<(usize, bool)>,
    from: usize,
) -> (u64, Vec<RecordHead>) {
    let reply = page(doc, Source::Accesses(look), PageRequest { from, ..wanted(sort, "") });
    let record = |goals: &[Option<Goal>; 2]| match goals {
        [Some(Goal::Access(row)), _] => match ask(doc, AccessQuery::Record(*row)) {
            Reply::Record(Some(record)) => record.head,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    (reply.page.total as u64, reply.goals.iter().map(record).collect())
}

/// What an access has in common with others, by the title of the attribute.
fn value<'a>(head: &'a RecordHead, title: &str) -> &'a str {
    head.attributes.iter().find(|(own, _)| own == title).map_or("", |(_, value)| value)
}

/// Every record of a page is what was written into the file.
fn compare(heads: &[RecordHead], records: &[Record]) {
    let kinds = ["MALLOC", "FREE", "MEMCPY_BLOCKS", "LOAD", "STORE", "GM_ADDR_OUT_OF_BOUND", "INVALID"];
    let spaces = ["PRIVATE", "GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB"];
    let types = ["AIVEC", "AICUBE", "AICORE"];
    assert_eq!(heads.len(), records.len());
    for (head, record) in heads.iter().zip(records) {
        assert_eq!(head.operation, kinds[usize::from(record.kind)]);
        assert_eq!(value(head, "Space"), spaces[record.space as usize]);
        assert_eq!(
            (value(head, "Core"), value(head, "Core type")),
            (format!("core{}", record.core).as_str(), types[usize::from(record.block)])
        );
        assert_eq!(
            (head.position, head.address, head.bytes),
            (u64::from(record.id), record.address, record.bytes)
        );
        assert_eq!(head.pc, Some(record.pc).filter(|pc| *pc != 0));
        let side = match record.kind {
            3 => Side::Load,
            4 => Side::Store,
            _ => Side::Other,
        };
        assert_eq!(head.side, side);
    }
}

#[test]
fn every_record_comes_back_as_it_was_written() {
    let records = tiled(3_000);
    for stacks in [stacks(), stacks_by_address()] {
        let (mut doc, ready) = open_one("visualize_data.bin", container(&records, &stacks));
        assert!(ready && doc.faults().rows().is_empty(), "{:?}", doc.faults().rows());
        assert_eq!(doc.head().contents.accesses, records.len() as u64);
        let mut all = Vec::new();
        while all.len() < records.len() {
            let from = all.len();
            all.extend(rows(&mut doc, AccessScope::default(), None, from).1);
        }
        compare(&all, &records);
        let Reply::Record(Some(one)) = ask(&mut doc, AccessQuery::Record(1)) else { panic!() };
        let frames: Vec<_> =
            one.frames.iter().map(|f| (f.function.as_str(), f.file.as_str(), f.line, f.column)).collect();
        assert_eq!(
            frames,
            [("Copy<1>", "/opt/impl/data_copy.h", 101, 1), ("Process", "/home/dev/ops/scale_add.cpp", 4, 0)]
        );
        assert_eq!((one.module.as_str(), one.head.place.as_str()), ("kernel.o", "/opt/impl/data_copy.h:101"));
        // Row 2 stores into the buffer that row 0 allocated, 0 bytes from its start.
        let Reply::Record(Some(stored)) = ask(&mut doc, AccessQuery::Record(4)) else { panic!() };
        let region = stored.region.unwrap();
        assert_eq!(
            (region.number, region.start, region.bytes, region.offset, region.alive),
            (1, 0, 0x4000, 512, (0, Some(50)))
        );
        assert!(one.region.is_none(), "global memory was not allocated");
    }
}

#[test]
fn filters_windows_and_orders_agree_with_the_records() {
    let records = tiled(2_000);
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, &stacks()));
    let filter = Filter::default().with("unit", "core3").with("operation", "LOAD").with("space", "UB");
    let look = AccessScope { filter: filter.clone(), rows: Some((100.0, 1_500.5)), ..AccessScope::default() };
    let is_wanted = |r: &&Record| r.core == 3 && r.kind == 3 && r.space == 6;
    let mut expected: Vec<Record> = records[100..1_501].iter().filter(is_wanted).copied().collect();
    let (total, page) = rows(&mut doc, look.clone(), None, 0);
    assert_eq!(total, expected.len() as u64);
    compare(&page, &expected);
    expected.sort_by_key(|r| (std::cmp::Reverse(r.address), r.id));
    compare(&rows(&mut doc, look.clone(), Some((4, true)), 0).1, &expected);
    let found =
        values(&mut doc, Source::Accesses(look.clone()), None, &format!("0x{:x}", expected[0].address));
    assert_eq!(found[0][4], format!("0x{:x}", expected[0].address));
    assert!(found.len() < expected.len());
    let Reply::Sums(sums) = ask(&mut doc, AccessQuery::Sums(look.clone())) else { panic!() };
    let mut addresses: Vec<u64> = expected.iter().map(|r| r.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    // Each load is two whole lines.
    assert_eq!(sums.distinct, Some((addresses.len() as u64, 2 * addresses.len() as u64)));
    assert_eq!(
        (sums.n, sums.operations.len(), sums.operations[0].bytes),
        (total, 1, u128::from(total * 256))
    );
    // The upper half of the axis is the buffer, the lower half global memory: spaces stand in the order they came.
    let Reply::Head(head) = ask(&mut doc, AccessQuery::Head) else { panic!() };
    let names: Vec<&str> = head.clusters.iter().map(|c| c.0.as_str()).collect();
    assert_eq!(names, ["UB", "GM", "GM"], "{:x?}", head.clusters);
    assert_eq!(head.clusters[0], ("UB".to_owned(), 0, 0x1_ffff));
    let heads: Vec<(&str, &str)> =
        head.attributes.iter().map(|a| (a.id.as_str(), a.title.as_str())).collect();
    let titles = [("operation", "Operation"), ("unit", "Core"), ("space", "Space"), ("kind", "Core type")];
    assert_eq!((heads.as_slice(), head.time), (&titles[..], None));
    assert_eq!(head.attributes[1].values, ["core0", "core1", "core2", "core3"]);
    let low = AccessScope { places: Some((-0.02, 0.2)), ..AccessScope::default() };
    let (total, page) = rows(&mut doc, low, None, 0);
    assert!(0 < total && page.iter().all(|r| value(r, "Space") == "UB"));
    let next = |doc: &mut Document, from, is_backward| match ask(
        doc,
        AccessQuery::Next { look: look.clone(), from, is_backward },
    ) {
        Reply::Next(row) => row,
        other => panic!("{other:?}"),
    };
    let first = expected.iter().map(|r| r.id).min();
    assert_eq!(next(&mut doc, None, false), first);
    assert_eq!(next(&mut doc, Some(99), false), first);
    assert_eq!(next(&mut doc, first, true), None);
}

/// An address of sixteen digits is written in full: its label ends before the plot and begins in the picture.
#[test]
fn long_addresses_have_room_for_their_labels() {
    let records = [0, 0x40].map(|n| Record { address: 0xffff_fd2c_0400_0000 + n, ..tiled(4)[1] });
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, &stacks()));
    let frame = Frame { look: AccessScope::default(), selected: None };
    let (scene, _) = doc.draw(&frame, Size { w: 600.0, h: 300.0 }, &Palette::default());
    let labels: Vec<_> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text { at, text, font, .. } if text.starts_with("0xfff") => {
                Some(at.x - width(text, *font))
            }
            _ => None,
        })
        .collect();
    assert!(!labels.is_empty() && labels.iter().all(|left| 4.0 <= *left), "{labels:?}");
}

#[test]
fn what_lies_under_a_point_is_what_is_drawn_there() {
    let records = tiled(500);
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, &stacks()));
    let size = Size { w: 1_000.0, h: 400.0 };
    let frame =
        Frame { look: AccessScope { rows: Some((0.0, 40.0)), ..AccessScope::default() }, selected: Some(3) };
    let (_, note) = doc.draw(&frame.clone(), size, &Palette::default());
    let Some(Note { plot, is_exact, n, .. }) = note else { panic!() };
    assert!(is_exact && n == records.len() as u64);
    let mut found = 0;
    for row in 0..40 {
        let x = plot.x + (row as f32 + 0.5) * plot.w / 40.0;
        for y in 0..400 {
            let under =
                AccessQuery::Under { frame: Box::new(frame.clone()), size, at: Point { x, y: y as f32 } };
            if let Reply::Under(Some(Under::Record(record))) = ask(&mut doc, under) {
                assert_eq!(record.head.row, row);
                found += 1;
                break;
            }
        }
    }
    assert_eq!(found, 40, "every access can be pointed at");
    // All at once: cells that say how many.
    let frame =
        Frame { look: AccessScope { rows: Some((0.0, 500.0)), ..AccessScope::default() }, selected: None };
    let small = Size { w: 212.0, h: 400.0 };
    let mut n_cells = 0;
    for y in 0..400 {
        let at = Point { x: 140.0, y: y as f32 };
        if let Reply::Under(Some(Under::Cell(cell))) =
            ask(&mut doc, AccessQuery::Under { frame: Box::new(frame.clone()), size: small, at })
        {
            let touching = records.iter().filter(|r| {
                let names = ["", "GM", "", "", "", "", "UB"];
                (cell.positions.0..=cell.positions.1).contains(&u64::from(r.id))
                    && names[r.space as usize] == cell.space
                    && r.address <= cell.addresses.1
                    && cell.addresses.0 < r.address + r.bytes
            });
            let touching: Vec<&Record> = touching.collect();
            assert_eq!(touching.len() as u64, cell.counts.iter().map(|(_, n)| n).sum::<u64>(), "{cell:?}");
            assert_eq!(touching[0].id, cell.first);
            n_cells += 1;
        }
    }
    assert!(10 < n_cells);
}

#[test]
fn odd_records_are_shown_and_said() {
    let (mut doc, ready) = open_one("visualize_data.bin", odd());
    assert!(ready);
    let n = doc.head().contents.accesses as u32;
    let (_, last) = rows(&mut doc, AccessScope::default(), None, n as usize - 7);
    let texts: Vec<String> = last
        .iter()
        .map(|r| {
            format!(
                "{} {} {} {} {}",
                r.position,
                r.operation,
                value(r, "Space"),
                value(r, "Core"),
                value(r, "Core type")
            )
        })
        .collect();
    let first = n - 7;
    let expected = [
        format!("{first} MEMCPY_BLOCKS GM core0 AICORE"),
        format!("{} GM_ADDR_OUT_OF_BOUND GM core1 AIVEC", first + 10),
        format!("{} INVALID INVALID core-1 AIVEC", first + 20),
        format!("{} type 9 BT core0 AIVEC", first + 30),
        format!("{} LOAD space 20 core0 type 7", first + 40),
        format!("{} FREE UB core0 AIVEC", first + 50),
        format!("{} MALLOC GM core0 AIVEC", first + 60),
    ];
    assert_eq!(texts, expected);
    assert_eq!((last[4].bytes, last[1].address), (1 << 40, u64::MAX - 15), "no value is cut");
    let said: Vec<String> = doc.faults().rows().iter().map(|f| format!("{}: {}", f.code, f.kind)).collect();
    assert_eq!(said.len(), 5, "{said:#?}");
    // A frame whose source is in the file is a link.
    let Reply::Record(Some(record)) = ask(&mut doc, AccessQuery::Record(1)) else { panic!() };
    assert_eq!(record.frames.iter().map(|f| f.is_listed).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn the_csv_holds_every_record() {
    let records = tiled(400);
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, &stacks()));
    let (_, Some(bytes)) = doc.query(&Query::Export { id: "accesses-csv".into() }) else { panic!() };
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let lines: Vec<csv::StringRecord> = reader.records().map(|r| r.unwrap()).collect();
    assert_eq!(lines.len(), records.len());
    for (line, record) in lines.iter().zip(&records) {
        let field = |i: usize| line.get(i).unwrap();
        assert_eq!(field(0), record.id.to_string());
        assert_eq!(field(5), format!("0x{:x}", record.address));
        assert_eq!(field(6), record.bytes.to_string());
        assert_eq!(field(7), format!("0x{:x}", record.pc));
        // Everything in the buffer lies in the allocation of its tile.
        let tile = record.id / 51;
        assert_eq!(
            field(8),
            if record.space == 6 { (tile + 1).to_string() } else { String::new() },
            "record {}",
            record.id
        );
    }
    assert_eq!(lines[1].get(10), Some("Copy<1>"));
    assert_eq!(
        lines[1].get(13),
        Some("Copy<1> (/opt/impl/data_copy.h:101:1) < Process (/home/dev/ops/scale_add.cpp:4)")
    );
}

#[test]
fn messages_stay_small() {
    let records = tiled(200_000);
    let (mut doc, _) = open_one("visualize_data.bin", container(&records, &stacks()));
    for question in [AccessQuery::Head, AccessQuery::Record(77), AccessQuery::Sums(AccessScope::default())] {
        let answer = Some(ask(&mut doc, question.clone()));
        let bytes = pack(&answer).len();
        assert!(bytes < 128 * 1024, "{question:?}: {bytes}");
        assert_eq!(lanescope::wire::unpack::<Option<Reply>>(&pack(&answer)).unwrap(), answer);
    }
    let most = PageRequest { n: usize::MAX, ..wanted(Some((1, true)), "") };
    let reply = page(&mut doc, Source::Accesses(AccessScope::default()), most);
    assert!(2_000 < reply.page.rows.len() && pack(&reply).len() < 1024 * 1024);
}

#[test]
fn the_file_of_the_design_document_is_read_whole() {
    let Some(folder) = corpus("ascend/assembled") else { return };
    let path = folder.join("poc_0A_0B_from_design_document.bin");
    let bytes = std::fs::read(path).unwrap();
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(bytes[8], 10);
    let n = usize::try_from(number(12)).unwrap() / 32;
    let records: Vec<Record> = (0..n)
        .map(|i| 20 + i * 32)
        .map(|at| Record {
            kind: bytes[at],
            core: bytes[at + 1].cast_signed(),
            space: bytes[at + 2].cast_signed(),
            block: bytes[at + 3],
            id: u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()),
            address: number(at + 8),
            bytes: number(at + 16),
            pc: number(at + 24),
        })
        .collect();
    let (mut doc, ready) = open_one("visualize_data.bin", bytes.clone());
    assert!(ready);
    let (total, page) = rows(&mut doc, AccessScope::default(), None, 0);
    assert_eq!((total, n), (6, 6));
    compare(&page, &records);
    // The file has one call stack, of the instruction of records 0, 1, 3 and 5.
    for (row, record) in records.iter().enumerate() {
        let Reply::Record(Some(one)) = ask(&mut doc, AccessQuery::Record(row as u32)) else { panic!() };
        let functions: Vec<&str> = one.frames.iter().map(|f| f.function.as_str()).collect();
        let expected: &[&str] = if record.pc == 0x40_04be { &["baz()", "main"] } else { &[] };
        assert_eq!(functions, expected, "record {row}");
    }
}
