//! What goes over the worker border comes back the same.

use lanescope::base::fault::{Fault, Kind, Place, Severity};
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::PageRequest;
use lanescope::views::access::messages::AccessScope;
use lanescope::views::code::messages as code;
use lanescope::views::plan::messages as plan;
use lanescope::views::timeline::area;
use lanescope::views::timeline::messages as timeline;
use lanescope::wire::Ask;
use lanescope::wire::rows::{Only, RowsQuery, Source};
use lanescope::wire::{
    Answer, FileHead, FromWorker, Progress, Query, ToWorker, figures, pack, report, unpack,
};
use proptest::prelude::*;

use crate::support::front_door::{cases, open_case};

fn back<T: serde::Serialize + serde::de::DeserializeOwned>(message: &T) -> T {
    unpack(&pack(message)).unwrap()
}

fn fault() -> impl Strategy<Value = Fault> {
    let kind = prop_oneof![
        (any::<u64>(), any::<u64>()).prop_map(|(needed, left)| Kind::Truncated { needed, left }),
        any::<String>()
            .prop_map(|found| Kind::Unexpected { expected: "a thing".into(), found: found.into() }),
        (any::<String>(), any::<String>())
            .prop_map(|(a, b)| Kind::Contradiction { a: a.into(), b: b.into() }),
        Just(Kind::NotText),
    ];
    (any::<String>(), proptest::option::of(any::<u64>()), kind, any::<String>()).prop_map(
        |(entry, byte, kind, note)| {
            let place = Place { entry, byte, line: Some((3, 4)), block: "block 7 ▸ row 1".into() };
            Fault::new("TST-CODE", Severity::Loss, place, kind).note(note)
        },
    )
}

proptest! {
    #[test]
    fn messages_to_the_worker_come_back_the_same(
        paths in proptest::collection::vec(("\\PC*", any::<u64>()), 0..5),
        id in any::<u32>(),
        block in any::<u32>(),
        css in "[a-z0-9-]{1,8}",
        color in any::<u32>(),
    ) {
        let files = paths.into_iter().map(|(path, size)| FileHead { path, size }).collect();
        let mut palette = Palette { theme: "dark".to_owned(), ..Palette::default() };
        palette.colors.insert(css.clone(), color);
        for message in [
            ToWorker::Open { files, operator: "OPPROF_1/device0".to_owned(), values: vec![("least".to_owned(), "3".to_owned())] },
            ToWorker::Query { id, query: Query::Operators { from: 3 } },
            ToWorker::Query { id, query: Query::Block { block } },
            ToWorker::Query { id, query: Query::Report },
            ToWorker::Attach { surface: id },
            ToWorker::Detach { surface: id },
            ToWorker::Palette(palette),
            ToWorker::Language { language: Language::Zh, words: css.clone() },
        ] {
            prop_assert_eq!(&back(&message), &message);
        }
    }

    #[test]
    fn messages_from_the_worker_come_back_the_same(
        faults in proptest::collection::vec(fault(), 0..5),
        text in any::<String>(),
        n in any::<u64>(),
    ) {
        let place = Place::byte(text.clone(), n);
        let (step, files) = (text.clone(), (n, n));
        let progress = Progress { step, done: n, total: n, files, rows: n, place: place.clone() };
        let report = report::Report { faults, text: text.clone(), ..report::Report::default() };
        for message in [
            FromWorker::Progress(progress),
            FromWorker::Failed(Box::new(report.clone())),
            FromWorker::Answer { id: 1, answer: Answer::Report(Box::new(report)) },
            FromWorker::Answer { id: 2, answer: Answer::Text { text: text.clone(), left_out: n } },
            FromWorker::Opened(Box::default()),
            FromWorker::Unreadable(text.clone()),
            FromWorker::Panic { message: text, place },
        ] {
            prop_assert_eq!(&back(&message), &message);
        }
    }
}

#[test]
fn sizes_cross_exactly() {
    let size = Size { w: 1279.5, h: 0.1 };
    assert_eq!(back(&size), size);
}

/// Packs, unpacks and packs again: the same bytes, whatever is not equal to itself.
fn crosses<T: serde::Serialize + serde::de::DeserializeOwned>(what: &str, message: &T) {
    let packed = pack(message);
    let back: T = unpack(&packed).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(pack(&back), packed, "{what}");
}

#[test]
fn figures_of_every_kind_cross() {
    for (name, figure) in crate::figures::specimen::all() {
        let shown = figures::Shown {
            figure,
            is_dense: false,
            range: Some((0.0, f64::NAN)),
            flat: None,
            words: String::new(),
        };
        crosses(name, &Some(figures::Reply::Figure(Box::new(shown))));
    }
}

#[test]
fn rows_and_display_options_of_the_timeline_cross() {
    use lanescope::model::id::{SliceId, TrackId};
    use lanescope::views::timeline::messages as rows;
    let (track, id) = (TrackId(7), SliceId { track: TrackId(3), row: u32::MAX });
    let arranged = rows::Arrangement {
        filter: "MTE 卷".to_owned(),
        moved: vec![rows::Move { track, before: None }, rows::Move { track, before: Some(TrackId(0)) }],
        merged: vec![vec![track, TrackId(1)], Vec::new()],
        aliases: vec![(track, String::new())],
        offsets: vec![(track, i64::MIN), (TrackId(0), i64::MAX)],
    };
    let display = rows::DisplayOptions {
        only: Some("MMAD".to_owned()),
        base: Some(id),
        is_sync_hidden: true,
        flows_off: vec!["MTE2ToCUBE".to_owned()],
    };
    let offsets = arranged.offsets.clone();
    let frame = rows::Frame {
        color: Some("duration".to_owned()),
        rows: Box::new(arranged),
        display: Box::new(display),
        ..rows::Frame::default()
    };
    assert_eq!(back(&frame), frame);
    for ask in [
        rows::TimelineQuery::Align { id, base: id, is_end: true },
        rows::TimelineQuery::Shift(offsets),
        rows::TimelineQuery::Below(track),
        rows::TimelineQuery::Choices,
    ] {
        assert_eq!(back(&ask), ask);
    }
    let choices = rows::Choices { flows: vec![("a".to_owned(), 1)], has_sync: true, has_categories: false };
    for reply in [
        rows::Reply::Aligned(Some((track, -1))),
        rows::Reply::Shifted(None),
        rows::Reply::Tracks(vec![track]),
        rows::Reply::Choices(Box::new(choices)),
        rows::Reply::Search(Box::new(rows::Hits { problem: Some("no".to_owned()), ..rows::Hits::default() })),
    ] {
        assert_eq!(back(&reply), reply);
    }
}

#[test]
fn what_is_asked_of_the_fixtures_crosses() {
    let mut n = 0;
    for format in lanescope::systems::formats() {
        for (case, _) in cases(format.id) {
            let (mut doc, _) = open_case(format.id, &case);
            crosses(&case, &FromWorker::Opened(Box::new(doc.head())));
            let span = doc.trace().span.unwrap_or_default();
            let range = timeline::Area { span, tracks: Vec::new() };
            let rows = |source| {
                let wanted = PageRequest { n: 100, ..PageRequest::default() };
                Query::Rows(RowsQuery { table: 7, source, wanted })
            };
            let mut asks = vec![
                area::AreaQuery::Categories(range.clone()).query(),
                area::AreaQuery::Devices(range.clone()).query(),
                rows(Source::Calls(range.clone())),
                rows(Source::Sums(range.clone())),
                rows(Source::Slices { area: range.clone(), only: Only::default() }),
                rows(Source::Flows { area: range.clone(), category: Some("none".to_owned()) }),
                rows(Source::Idle { area: range, waits: false }),
                rows(Source::Accesses(AccessScope::default())),
                Query::Report,
                figures::FigureQuery::List.query(),
                code::CodeQuery::Listings.query(),
                Query::Block { block: 0 },
                plan::PlanQuery::Plan(Vec::new()).query(),
                plan::PlanQuery::Block { row: 0, values: Vec::new() }.query(),
            ];
            if let Some(figures::Reply::List { families, tables }) = doc.query(&figures::FigureQuery::List).0
            {
                let table = |id: &String| rows(Source::Table { id: id.clone(), has_empty: false });
                asks.extend(tables.iter().map(|t| table(&t.id)));
                asks.extend(families.iter().map(|f| {
                    figures::FigureQuery::Figure { id: f.id.clone(), chosen: vec![0; f.choices.len()] }
                        .query()
                }));
            }
            for ask in asks {
                crosses(&case, &ask);
                crosses(&format!("{case}: {ask:?}"), &doc.query(&ask).0);
                n += 1;
            }
        }
    }
    assert!(100 < n, "{n}");
}
