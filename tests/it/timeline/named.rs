//! Slices by the names that addresses call them.

use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::id::{SliceId, SliceName, TrackId, TrackName};
use lanescope::views::timeline::messages::{Reply, TimelineQuery};

use std::fmt::Write;

fn ask(doc: &mut Document, ask: TimelineQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn named(doc: &mut Document, name: &SliceName) -> Option<SliceId> {
    match ask(doc, TimelineQuery::Named(name.clone())) {
        Reply::Named(id) => id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_slice_is_found_by_what_an_address_calls_it() {
    // Two threads of one name, slices from the last to the first, some with the name and start of another.
    let mut text = String::from("[");
    for tid in [1, 2] {
        let _ = write!(
            text,
            r#"{{"ph":"M","name":"thread_name","pid":1,"tid":{tid},"args":{{"name":"same, / one"}}}},"#
        );
    }
    for n in (0..300).rev() {
        let (name, ts, dur, tid) = (n % 3, n / 4 * 2, n % 5, 1 + n % 2);
        let _ = write!(text, r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur}}},"#);
    }
    let (mut doc, is_ready) = open_one("trace.json", text.into_bytes());
    assert!(is_ready);
    let tracks = doc.trace().tracks.iter().map(|(track, t)| (track, t.slices.len()));
    let ids: Vec<SliceId> =
        tracks.flat_map(|(track, n)| (0..n as u32).map(move |row| SliceId { track, row })).collect();
    assert_eq!(ids.len(), 300);
    let mut most = 0;
    for id in ids {
        let Reply::NameOf(Some(name)) = ask(&mut doc, TimelineQuery::NameOf(id)) else {
            panic!("{id:?} has a name")
        };
        assert_eq!(name.track, "Process 1 / same, / one");
        assert_eq!(named(&mut doc, &name), Some(id), "{name:?}");
        most = most.max(name.occurrence);
        let gone = SliceName { occurrence: name.occurrence + 9, ..name };
        assert_eq!(named(&mut doc, &gone), None);
    }
    assert!(0 < most, "some are told apart by their number alone");
    let other = SliceName { track: "Process 1".to_owned(), name: "0".to_owned(), start: 0, occurrence: 0 };
    assert_eq!(named(&mut doc, &other), None);
    // Tracks likewise.
    let tracks: Vec<TrackId> = doc.trace().tracks.iter().map(|(id, _)| id).collect();
    let gone = TrackId(tracks.len() as u32);
    let ask_for = [tracks.clone(), vec![gone]].concat();
    let Reply::TrackNames(names) = ask(&mut doc, TimelineQuery::NamesOfTracks(ask_for)) else {
        panic!("names")
    };
    let said: Vec<(&str, u32)> = names.iter().map(|name| (name.path.as_str(), name.occurrence)).collect();
    let same = "Process 1 / same, / one";
    assert_eq!(said, [("Process 1", 0), (same, 0), (same, 1)]);
    assert_eq!(ask(&mut doc, TimelineQuery::TracksNamed(names)), Reply::Tracks(tracks));
    let other = TrackName { path: same.to_owned(), occurrence: 2 };
    assert_eq!(ask(&mut doc, TimelineQuery::TracksNamed(vec![other])), Reply::Tracks(Vec::new()));
}
