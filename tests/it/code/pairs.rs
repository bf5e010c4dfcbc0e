//! Two listings of instructions that are linked: a kernel before and after it was instrumented.

use super::{
    Arrange, Code, CodeQuery, Frame, Lines, Links, ListingKind, Reply, Scene, Shape, ask, code, document,
    draw, frame,
};
use lanescope::model::code::{Listing, RowClass};
use lanescope::model::id::ListingId;
use lanescope::scene::palette::Ink;
use lanescope::views::code::messages::GAP;

const ORIGINAL: ListingId = ListingId(2);
const INSTRUMENTED: ListingId = ListingId(3);

/// A source with its instructions, and five instructions of which the third was changed and the fourth removed; two were
/// inserted.
fn pair() -> Code {
    let mut code = code();
    for (title, text) in [("original", "a\nb\nc\nd\ne"), ("instrumented", "a\nx\nb\ny\nC\ne")] {
        let lines = Lines::split(text);
        let address = (0..lines.len() as u64).map(|i| i * 16).collect();
        code.listings.push(Listing {
            title: title.to_owned(),
            kind: ListingKind::Assembly,
            scope: Default::default(),
            language: String::new(),
            lines,
            address,
            columns: Vec::new(),
            has_text: true,
            parts: Vec::new(),
            repeats: Vec::new(),
        });
    }
    let links = Links::new(ORIGINAL, INSTRUMENTED, vec![(4, 5), (0, 0), (2, 4), (1, 2)]);
    let removed = vec![(3, RowClass::Removed), (2, RowClass::Changed)];
    let inserted = vec![(4, RowClass::Changed), (1, RowClass::Inserted), (3, RowClass::Inserted)];
    code.links.push(links.with_classes([removed, inserted]));
    code
}

#[test]
fn rows_of_a_pair_find_each_other_and_what_became_of_them() {
    let code = pair();
    let links = &code.links[1];
    let partners = |of, n| (0..n).map(|row| links.rows(of, row).next()).collect::<Vec<_>>();
    assert_eq!(partners(ORIGINAL, 5), [Some(0), Some(2), Some(4), None, Some(5)]);
    assert_eq!(partners(INSTRUMENTED, 6), [Some(0), None, Some(1), None, Some(2), Some(4)]);
    assert_eq!([links.other(ORIGINAL), links.other(ListingId(0))], [Some(INSTRUMENTED), None]);
    assert_eq!(links.class(ORIGINAL, 3), RowClass::Removed);
    assert_eq!(links.class(INSTRUMENTED, 3), RowClass::Inserted);
    assert_eq!(links.class(INSTRUMENTED, 0), RowClass::Same);
    let doc = &mut document(code);
    let Reply::Linked(linked) = ask(doc, CodeQuery::Linked { listing: INSTRUMENTED, row: 4 }) else {
        panic!("no rows")
    };
    assert_eq!(linked.iter().map(|l| (l.listing, l.first, l.n)).collect::<Vec<_>>(), [(ORIGINAL, 2, 1)]);
    let Reply::Listings(all) = ask(doc, CodeQuery::Listings) else { panic!("no listings") };
    let mut linked_to: Vec<_> = all.listings.into_iter().map(|l| (l.id.0, l.linked_to)).collect();
    linked_to.sort();
    let expected = [(0, vec![ListingId(1)]), (1, vec![]), (2, vec![INSTRUMENTED]), (3, vec![])];
    assert_eq!(linked_to, expected);
}

/// Color tokens at the edges of rows, by row.
fn edges(listing: ListingId, beside: Option<ListingId>, arrange: Arrange) -> Vec<(usize, &'static str)> {
    let (scene, note) = draw(&mut document(pair()), Frame { beside, arrange, ..frame(listing) });
    let edge = |shape: &Shape| match shape {
        Shape::Fill { rect, ink: Ink::Token(token), .. } if rect.x == 6.0 && rect.w == 3.0 => {
            Some((note.rows[(rect.y / 20.0) as usize] as usize, *token))
        }
        _ => None,
    };
    scene.shapes.iter().filter_map(edge).collect()
}

#[test]
fn rows_that_differ_are_marked_at_their_edge() {
    let natural = Arrange::default;
    assert_eq!(edges(INSTRUMENTED, Some(ORIGINAL), natural()), [(1, "better"), (3, "better"), (4, "warn")]);
    assert_eq!(edges(ORIGINAL, Some(INSTRUMENTED), natural()), [(2, "warn"), (3, "worse")]);
    let filtered = Arrange { filter: "d".to_owned(), ..natural() };
    assert_eq!(edges(ORIGINAL, Some(INSTRUMENTED), filtered), [(3, "worse")]);
    assert_eq!(edges(INSTRUMENTED, None, natural()), []);
    assert_eq!(
        edges(ListingId(1), Some(ListingId(0)), natural()),
        [],
        "what only was compiled is no difference"
    );
}

#[test]
fn rows_that_were_inserted_can_be_hidden() {
    let arrange = Arrange { common: Some(ORIGINAL), ..Arrange::default() };
    let query = CodeQuery::Rows { listing: INSTRUMENTED, core: 0, arrange, from: 0, n: 10 };
    let Reply::Rows { rows, .. } = ask(&mut document(pair()), query) else { panic!("no rows") };
    assert_eq!(rows.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["a", "b", "C", "e"]);
}

#[test]
fn rows_that_belong_together_stand_at_one_place() {
    let beside = |listing| if listing == ORIGINAL { INSTRUMENTED } else { ORIGINAL };
    let aligned = |listing, hides: bool| Arrange {
        aligned: Some(beside(listing)),
        common: hides.then_some(beside(listing)),
        ..Arrange::default()
    };
    let texts = |listing, hides| {
        let query = CodeQuery::Rows { listing, core: 0, arrange: aligned(listing, hides), from: 0, n: 10 };
        let Reply::Rows { rows, .. } = ask(&mut document(pair()), query) else { panic!("no rows") };
        assert!(rows.iter().all(|row| (row.row == GAP) == row.text.is_empty()));
        rows.into_iter().map(|row| row.text).collect::<Vec<_>>()
    };
    assert_eq!(texts(ORIGINAL, false), ["a", "", "b", "", "c", "d", "e"]);
    assert_eq!(texts(INSTRUMENTED, false), ["a", "x", "b", "y", "C", "", "e"]);
    assert_eq!(texts(ORIGINAL, true), ["a", "b", "c", "d", "e"]);
    assert_eq!(texts(INSTRUMENTED, true), ["a", "b", "C", "", "e"]);
    // The picture of five places has the same ones, and counts rows.
    let frame = Frame { arrange: aligned(ORIGINAL, false), ..frame(ORIGINAL) };
    let (scene, note) = draw(&mut document(pair()), frame);
    assert_eq!(note.rows, [0, GAP, 1, GAP, 2]);
    assert_eq!((note.total, note.n_gaps), (7, 2));
    assert!(note.alternative.contains("5 instructions"), "{}", note.alternative);
    let labels = scene.shapes.iter().filter(|shape| matches!(shape, Shape::Text { at, .. } if at.x < 20.0));
    assert_eq!(labels.count(), 3);
    // Both scroll by one bar: the overview of neither has a second thumb.
    let outlines = |scene: &Scene| scene.shapes.iter().filter(|s| matches!(s, Shape::Outline { .. })).count();
    let (alone, _) = draw(&mut document(pair()), super::frame(INSTRUMENTED));
    assert_eq!((outlines(&scene), outlines(&alone)), (0, 1));
    let edges = edges(ORIGINAL, Some(INSTRUMENTED), aligned(ORIGINAL, false));
    assert_eq!(edges, [(2, "warn")]);
}
