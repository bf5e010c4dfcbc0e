//! Attributes that a system names itself, colors by their values, and the time to the right; counted by hand.

use super::ask;
use crate::support::rows::{page, values, wanted};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::model::access::{Access, AccessKind, OPERATION, UNIT};
use lanescope::model::build::TraceBuilder;
use lanescope::scene::palette::Palette;
use lanescope::views::access::messages::{AccessQuery, AccessScope, Filter, Frame, Note, Reply, Under};

use lanescope::wire::rows::Source;

/// Cycle, unit, cache status and address of each access; all are loads of 8 bytes.
const ROWS: [(u64, &str, &str, u64); 7] = [
    (1_000, "sm0", "miss", 0x100),
    (1_010, "sm0", "hit", 0x108),
    (1_010, "sm1", "hit", 0x110),
    (1_400, "sm1", "miss", 0x100),
    (1_500, "sm0", "hit", 0x108),
    (1_900, "sm0", "", 0x110),
    (9_000, "sm1", "hit", 0x118),
];

fn document(rows: &[(u64, &str, &str, u64)]) -> Document {
    let mut builder = TraceBuilder::default();
    builder.head().terms.group = "SM".to_owned();
    let accesses = &mut builder.head().accesses;
    accesses.position_unit = Unit::Cycles;
    let cache = accesses.attribute_number("cache", "Cache", false);
    for (position, unit, status, address) in rows {
        let accesses = &mut builder.head().accesses;
        let class = accesses.class_row([(OPERATION, "ld"), (UNIT, unit), (cache, status)], AccessKind::Load);
        let (position, address) = (*position, *address);
        assert!(builder.access(Access { position, class, address, bytes: 8, site: u32::MAX }));
    }
    Document::of(builder)
}

#[test]
fn filters_and_tables_know_every_attribute() {
    let mut doc = document(&ROWS);
    let Reply::Head(head) = ask(&mut doc, AccessQuery::Head) else { panic!("a head") };
    let heads: Vec<(&str, &str, usize)> =
        head.attributes.iter().map(|a| (a.id.as_str(), a.title.as_str(), a.values.len())).collect();
    let expected =
        [("operation", "Operation", 1), ("unit", "SM", 2), ("space", "Space", 0), ("cache", "Cache", 2)];
    assert_eq!((heads, head.time), (expected.to_vec(), Some(Unit::Cycles)));
    let look = AccessScope {
        filter: Filter::default().with("cache", "hit").with("unit", "sm0"),
        ..AccessScope::default()
    };
    let found = values(&mut doc, Source::Accesses(look), None, "");
    let found: Vec<(&str, &str)> = found.iter().map(|row| (row[0].as_str(), row[7].as_str())).collect();
    assert_eq!(found, [("1010", "hit"), ("1500", "hit")]);
    let source = Source::Accesses(AccessScope::default());
    let sorted = page(&mut doc, source, wanted(Some((7, false)), ""));
    assert_eq!(sorted.page.columns[7].title, "Cache");
    assert_eq!(sorted.numbers, [1, 2, 4, 6, 0, 3, 5], "hits, misses, then the one that says nothing");
    let none = AccessScope { filter: Filter::default().with("nothing", "x"), ..AccessScope::default() };
    assert_eq!(page(&mut doc, Source::Accesses(none), wanted(None, "")).page.total, 0);
}

fn drawn(doc: &mut Document, look: &AccessScope, w: f32) -> Note {
    let frame = Frame { look: look.clone(), selected: None };
    let size = Size { w, h: 300.0 };
    match doc.draw(&frame, size, &Palette::default()).1 {
        Some(note) => note,
        other => panic!("{other:?}"),
    }
}

#[test]
fn colors_follow_the_values_of_an_attribute() {
    let mut doc = document(&ROWS);
    let legend = |note: Note| note.legend.into_iter().map(|item| item.name).collect::<Vec<_>>();
    assert_eq!(legend(drawn(&mut doc, &AccessScope::default(), 800.0)), ["Loads"]);
    let by_cache = AccessScope { color: Some("cache".to_owned()), ..AccessScope::default() };
    assert_eq!(
        legend(drawn(&mut doc, &by_cache, 800.0)),
        ["hit", "miss", "Other accesses"],
        "the most frequent first"
    );
    let nobody = AccessScope { color: Some("nothing".to_owned()), ..AccessScope::default() };
    assert_eq!(legend(drawn(&mut doc, &nobody, 800.0)), ["Loads"]);
}

#[test]
fn the_time_lies_to_the_right() {
    let mut doc = document(&ROWS);
    let window = |from, to| AccessScope { is_time: true, rows: Some((from, to)), ..AccessScope::default() };
    let mut found = |look| page(&mut doc, Source::Accesses(look), wanted(None, "")).page.total;
    assert_eq!((found(window(0.0, 10.0)), found(window(0.0, 10.5)), found(window(11.0, 8_001.0))), (1, 3, 4));
    assert_eq!(
        found(AccessScope { rows: Some((1.0, 3.0)), ..AccessScope::default() }),
        2,
        "without it, records count"
    );
    // Few accesses are drawn one by one, also over thousands of cycles.
    let all = AccessScope { is_time: true, ..AccessScope::default() };
    assert!(drawn(&mut doc, &all, 800.0).is_exact);
    // Where time goes back, records stay in their order.
    let mut doc = document(&[ROWS[3], ROWS[0]]);
    let Reply::Head(head) = ask(&mut doc, AccessQuery::Head) else { panic!("a head") };
    assert_eq!(head.time, None);
    assert_eq!(page(&mut doc, Source::Accesses(window(0.0, 1.0)), wanted(None, "")).page.total, 1);
}

#[test]
fn cells_over_time_count_by_value() {
    let rows: Vec<(u64, &str, &str, u64)> = (0..4_000_u64)
        .map(|i| (i * 3, "sm0", if i % 4 == 0 { "miss" } else { "hit" }, 0x1000 + i % 2 * 0x40))
        .collect();
    let mut doc = document(&rows);
    let look = AccessScope { is_time: true, color: Some("cache".to_owned()), ..AccessScope::default() };
    let note = drawn(&mut doc, &look, 424.0);
    // 11,998 cycles on 300 pixels: 40 a pixel, so 64 cycles a column.
    assert_eq!((note.is_exact, note.cell.0), (false, 64));
    let frame = Box::new(Frame { look, selected: None });
    let size = Size { w: 424.0, h: 300.0 };
    let mut n_cells = 0;
    for y in 0..300 {
        let at = Point { x: 200.0, y: y as f32 };
        let under = ask(&mut doc, AccessQuery::Under { frame: frame.clone(), size, at });
        let Reply::Under(Some(Under::Cell(cell))) = under else { continue };
        let of = |status: &str| {
            let inside = |row: &&(u64, &str, &str, u64)| {
                (cell.positions.0..=cell.positions.1).contains(&row.0)
                    && row.2 == status
                    && row.3 <= cell.addresses.1
                    && cell.addresses.0 < row.3 + 8
            };
            rows.iter().filter(inside).count() as u64
        };
        let counts: Vec<(&str, u64)> = cell.counts.iter().map(|(item, n)| (item.name.as_str(), *n)).collect();
        let expected = [("hit", of("hit")), ("miss", of("miss"))];
        assert_eq!(counts, expected.into_iter().filter(|(_, n)| 0 < *n).collect::<Vec<_>>());
        assert_eq!(cell.positions.1 - cell.positions.0, 63);
        n_cells += 1;
    }
    assert!(10 < n_cells, "{n_cells}");
}
