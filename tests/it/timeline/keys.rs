//! Where keys lead, what typed words find, and the picture of what is seen.

use crate::support::front_door::open_one;
use lanescope::base::geometry::Size;
use lanescope::base::window::Window;
use lanescope::document::Document;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::views::timeline::messages::{Folding, Frame, Like, Reply, Seen, TimelineQuery, Towards};
use lanescope::wire::Question;
use lanescope::wire::{Answer, Query};

use serde_json::json;

const SIZE: Size = Size { w: 900.0, h: 300.0 };

/// A process with a stack three deep and a second thread, a device with two streams.
fn document() -> Document {
    let x = |name: &str, pid: u32, tid: u32, ts: u32, dur: u32| json!({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur});
    let named = |kind: &str, pid: u32, tid: u32, name: &str| json!({"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}});
    let events = json!([
        named("process_name", 1, 0, "python <main> & \"co\""),
        named("process_name", 2, 0, "the GPU 0"),
        named("thread_name", 1, 1, "main thread"),
        named("thread_name", 1, 2, "worker"),
        named("thread_name", 2, 7, "stream 7"),
        x("outer", 1, 1, 0, 100),
        x("middle", 1, 1, 10, 40),
        x("inner", 1, 1, 20, 10),
        x("inner", 1, 1, 35, 10),
        x("middle", 1, 1, 60, 30),
        x("after", 1, 1, 200, 50),
        x("job", 1, 2, 18, 30),
        x("job", 1, 2, 190, 20),
        x("kernel<float>", 2, 7, 30, 60),
        x("step#1", 2, 7, 100, 10),
        x("step#2", 2, 7, 120, 10),
    ]);
    let (doc, is_ready) = open_one("keys.json", events.to_string().into_bytes());
    assert!(is_ready);
    doc
}

fn all_open() -> Frame {
    Frame { folding: Folding::Open, ..Frame::default() }
}

/// Names and starts (µs) of the slices that keys lead to, one after the other, from the first slice of a name.
fn walk(doc: &mut Document, from: &str, keys: &str) -> Vec<String> {
    let find = |(track, one): (TrackId, &lanescope::model::track::Track)| {
        let names = &one.slices.name;
        let row = (0..names.len()).find(|&row| doc.trace().strings.get(names[row]) == from)?;
        Some(SliceId { track, row: row as u32 })
    };
    let mut id = doc.trace().tracks.iter().find_map(find).unwrap();
    let mut met = Vec::new();
    for key in keys.chars() {
        let towards = match key {
            '←' => Towards::Before,
            '→' => Towards::After,
            '↑' => Towards::Above,
            _ => Towards::Below,
        };
        let ask = TimelineQuery::Beside { id, frame: Box::new(all_open()), towards };
        match doc.query(&ask).0 {
            Some(Reply::Neighbor(Some(head))) => {
                id = head.id;
                met.push(format!("{} {}", head.name, head.span.start / 1_000));
            }
            Some(Reply::Neighbor(None)) => met.push("–".to_owned()),
            other => panic!("{other:?}"),
        }
    }
    met
}

#[test]
fn arrows_lead_along_the_row_and_up_and_down() {
    let mut doc = document();
    assert_eq!(walk(&mut doc, "outer", "←→→←"), ["–", "after 200", "–", "outer 0"]);
    // Into the stack, along its lowest depth, and up again by what stands around.
    assert_eq!(
        walk(&mut doc, "outer", "↓↓→→↑↑↑"),
        ["middle 10", "inner 20", "inner 35", "–", "middle 10", "outer 0", "–"]
    );
    // Below the deepest stands the next track, there the slice nearest in time; groups are passed.
    assert_eq!(walk(&mut doc, "inner", "↓↓↓"), ["job 18", "kernel<float> 30", "–"]);
    assert_eq!(walk(&mut doc, "step#1", "↑↑"), ["job 18", "outer 0"]);
    assert_eq!(walk(&mut doc, "after", "↓"), ["job 190"]);
}

#[test]
fn one_key_goes_from_group_to_group() {
    let mut doc = document();
    let mut jump = |scroll: f64, from: Option<TrackId>, forward: bool| {
        let size = Size { w: 900.0, h: 60.0 };
        let frame = Box::new(Frame { scroll, ..all_open() });
        let ask = TimelineQuery::Group { frame, size, from, forward };
        let Some(Reply::Group(found)) = doc.query(&ask).0 else { panic!() };
        found.map(|found| (doc.trace().track_path(found.0), found.0, found.1.scroll))
    };
    let (name, device, scroll) = jump(0.0, None, true).unwrap();
    assert_eq!(name, "the GPU 0");
    assert!(60.0 < scroll, "{scroll}");
    assert_eq!(jump(scroll, Some(device), true), None);
    let (name, _, top) = jump(scroll, Some(device), false).unwrap();
    assert!(name.starts_with("python") && top == 0.0, "{name} {top}");
    assert_eq!(jump(0.0, None, false), None);
}

#[test]
fn typed_words_find_names_and_tracks() {
    let mut doc = document();
    let mut like = |text: &str| match doc.query(&TimelineQuery::Like(text.to_owned())).0 {
        Some(Reply::Like(like)) => *like,
        other => panic!("{other:?}"),
    };
    assert_eq!(like("INNER").names, [("inner".to_owned(), 2)]);
    let found = like("gpu 7 stream");
    assert_eq!(found.tracks.iter().map(|t| t.1.as_str()).collect::<Vec<_>>(), ["the GPU 0 / stream 7"]);
    assert_eq!(like("nothing of this"), Like::default());
}

/// Checks that a text is well formed XML: tags are closed in order, nothing stands bare that must be escaped.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let between = &rest[..at];
        assert!(!between.contains('>'), "{between}");
        for entity in between.split('&').skip(1) {
            assert!(entity.split_once(';').is_some_and(|(name, _)| name.len() < 7), "&{entity}");
        }
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(!tag.contains('<'), "{tag}");
        let name = |tag: &'_ str| tag.split([' ', '/']).next().unwrap_or_default().len();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed.trim()));
        } else if !tag.ends_with('/') {
            open.push(&tag[..name(tag)]);
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, Vec::<&str>::new());
}

fn picture(doc: &mut Document, frame: Frame, size: Size) -> String {
    let ask = Query::Picture(Seen { frame, size, heads: 216.0 }.packed());
    let (answer, bytes) = doc.query(&ask);
    let Answer::File { name, mime, is_whole: true, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((name.as_str(), mime.as_str()), ("keys.timeline.svg", "image/svg+xml"));
    String::from_utf8(bytes.unwrap()).unwrap()
}

#[test]
fn what_is_seen_is_saved_with_names_and_ruler() {
    let mut doc = document();
    let text = picture(&mut doc, all_open(), SIZE);
    assert_well_formed(&text);
    for seen in [
        "Tracks",
        "main thread",
        "worker",
        "the GPU 0",
        "stream 7",
        "outer",
        "after",
        "python &lt;main&gt; &amp; \"co\"",
        "100 µs",
    ] {
        let escaped = seen.replace('"', "&quot;");
        assert!(text.contains(seen) || text.contains(&escaped), "{seen} is missing in {text}");
    }
    assert!(!text.contains("NaN"));
    // Another window, a hidden track, a scrolled picture: only what is seen then.
    let hidden = doc.trace().tracks.iter().find(|(id, _)| doc.trace().track_path(*id).ends_with("worker"));
    let frame = Frame {
        window: Some(Window::new(195_000, 0.0, 60_000.0)),
        hidden: vec![hidden.unwrap().0],
        ..all_open()
    };
    let text = picture(&mut doc, frame, SIZE);
    assert_well_formed(&text);
    assert!(text.contains(">after</text>") && text.contains("220 µs"), "{text}");
    assert!(!text.contains("worker") && !text.contains(">100 µs<"));
    let small = picture(&mut doc, Frame { scroll: 40.0, ..all_open() }, Size { w: 400.0, h: 90.0 });
    assert_well_formed(&small);
    assert!(small.contains("width=\"616\""), "{}", &small[..200]);
    // Sizes that make no sense harm nothing.
    for size in [Size { w: f32::NAN, h: -5.0 }, Size { w: 0.0, h: 1e9 }] {
        assert_well_formed(&picture(&mut doc, Frame::default(), size));
    }
}

#[test]
fn joined_names_stand_out_together() {
    use lanescope::analysis::statistics::is_joined;
    assert!(is_joined("step#*", "step#12") && is_joined("step *", "step 3"));
    assert!(
        !is_joined("step#*", "step#") && !is_joined("step#*", "step#1a") && !is_joined("step#1", "step#1")
    );
    let mut doc = document();
    let only = |only: &str| {
        let display = lanescope::views::timeline::messages::DisplayOptions {
            only: Some(only.to_owned()),
            ..Default::default()
        };
        Frame { display: Box::new(display), ..all_open() }
    };
    let [none, joined, one, unknown] =
        ["", "step#*", "step#1", "no such*"].map(|name| picture(&mut doc, only(name), SIZE));
    assert_ne!(none, joined);
    assert_ne!(joined, one);
    assert_ne!(joined, unknown);
}
