//! What is shown and how one gets there: addresses, history, key presses, search, choices between documents.

mod fetched;
mod names;

use lanescope::base::time::Span;
use lanescope::base::window::Window;
use lanescope::base::words::Language;
use lanescope::model::code::CodeAddress;
use lanescope::model::id::{ListingId, SliceId, SliceName, TrackId, TrackName};
use lanescope::navigation::route::{Route, SliceAddress};
use lanescope::navigation::{
    GoTo, Grip, History, KeyPress, Selection, Step, TrackNames, beside, marked, matches, neighbor,
    wanted_or_first,
};
use std::collections::BTreeMap;

#[test]
fn an_address_gives_back_everything_it_was_made_of() {
    let route = Route {
        file: Some("a b.json".to_owned()),
        view: Some("timeline".to_owned()),
        slice: Some(SliceAddress::Named(SliceName {
            track: "core0 / a, b".to_owned(),
            name: "f(x, y)".to_owned(),
            start: -17,
            occurrence: 2,
        })),
        window: Some(Window { start: -120_400, part: 0.25, dur: 8400.5 }),
        selection: Selection {
            range: Some(Span::new(5, 90)),
            tracks: vec![TrackId(1), TrackId(4)],
            line: Some(("C:\\op kernel/fä&=#%+.h".to_owned(), 12)),
            address: Some(CodeAddress { listing: Some(ListingId(1)), address: 0x00ff_0000_0000_1a40 }),
            figure: Some(("load".to_owned(), vec![2, 0])),
            ..Selection::default()
        },
        states: [("code".to_owned(), "hidden=a,b&x=1".to_owned())].into(),
        values: [("demo-least".to_owned(), "60".to_owned())].into(),
        baseline: Some("before 1+1.bin".to_owned()),
        language: Some(Language::Zh),
        theme: Some("dark".to_owned()),
        scheme: Some("own".to_owned()),
        help: Some("switch".to_owned()),
        is_whole: false,
    };
    let text = route.text();
    assert!(
        text.starts_with("file=a%20b.json&view=timeline&window=-120400,0.2500,8400.5&slice=-17,2,f%28x,%20y%29&slice-track=core0%20/%20a,%20b&range=5,90&tracks=1,4&"),
        "{text}"
    );
    assert!(
        text.contains("&address=0xff000000001a40@2&figure=load;2,0&s.code=hidden%3Da,b%26x%3D1&"),
        "{text}"
    );
    assert!(text.is_ascii() && !text.contains([' ', '#', '+']), "{text}");
    assert_eq!(Route::parse(&format!("#{text}")), route);
    // Tracks whose names are known are told by them, in one parameter each.
    let mut named = route.clone();
    let names = ["a, b / c", "7"].map(|path| TrackName { path: path.to_owned(), occurrence: 1 });
    named.selection.track_names = TrackNames { of: named.selection.tracks.clone(), names: names.to_vec() };
    let text = named.text();
    assert!(text.contains("&range-track=1,a,%20b%20/%20c&range-track=1,7&"), "{text}");
    let back = Route::parse(&text).selection;
    assert!(back.tracks.is_empty() && back.track_names.are_wanted());
    assert_eq!(back.track_names.names, names);
    named.selection.tracks.pop();
    assert!(named.text().contains("&tracks=1&"), "names of other tracks say nothing");
    assert_eq!((Route::default().text(), Route::parse("#")), (String::new(), Route::default()));
}

#[test]
fn a_link_takes_along_what_lies_beside_the_file_and_does_not_read_it_twice() {
    let text = |id: &str, value: &str| (id.to_owned(), value.to_owned());
    let given = [text("mapping", "{ \"access\": \"(?<cycle>\\\\d+) & more\" }")];
    let set = || BTreeMap::from([text("lifetime-l1", "3")]);
    let values = Route::values_for_link(&given, set());
    let route = Route { values, ..Route::default() };
    let read = Route::parse(&route.text());
    assert_eq!(read.values.get("mapping"), Some(&given[0].1));
    assert_eq!(read.values_beyond(&given), set());
    // Opened without the file beside it, all of it is set.
    assert_eq!(read.values_beyond(&[]).len(), 2);
    // What the user chose instead counts.
    let chosen = BTreeMap::from([text("mapping", "{}")]);
    assert_eq!(Route::values_for_link(&given, chosen.clone()), chosen);
    assert_eq!(Route { values: chosen.clone(), ..Route::default() }.values_beyond(&given), chosen);
}

#[test]
fn a_mapping_is_for_the_file_of_its_link_alone() {
    let read = |hash: &str, name: &str| {
        let mut route = Route::parse(hash);
        let taken = route.take_values(name, "mapping");
        assert_eq!(taken.get("lifetime-l1").map(String::as_str), Some("3"));
        // Else it is left for the file that it is for.
        assert_eq!(route.values.contains_key("mapping"), !taken.contains_key("mapping"));
        assert_eq!(route.values.len() + taken.len(), 2);
        taken.contains_key("mapping")
    };
    let link = "#file=a.log&mapping={}&lifetime-l1=3";
    assert!(read(link, "a.log"));
    assert!(!read(link, "ba.log") && !read(link, ".log") && !read(link, "trace.json"));
    assert!(!read("#mapping={}&lifetime-l1=3", "a.log"));
    // One of several logs of a folder.
    assert!(read("#file=a.log · runs&mapping={}&lifetime-l1=3", "runs"));
}

#[test]
fn what_cannot_be_read_in_an_address_is_left_out() {
    for text in [
        "window=1",
        "window=1,0",
        "window=1,-5",
        "window=1,inf",
        "window=1,NaN",
        "window=0,1.5,10",
        "window=a,b",
        "slice=3",
        "slice=3,x",
        "slice=-1,2",
        "range=1",
        "line=kernel.h",
        "line=kernel.h:",
        "address=0xzz",
        "address=0x12345678901234567890",
        "address=1a40@x",
        "address=0x1a40@0",
        "lang=tlh",
        "tracks=x",
        "range-track=a / b",
        "&&=&",
    ] {
        assert_eq!(Route::parse(text), Route::default(), "{text}");
    }
    let route = Route::parse("some-parameter=1");
    assert_eq!(route.values, [("some-parameter".to_owned(), "1".to_owned())].into());
    let route = Route::parse("#tracks=1,x,3&figure=load&line=a:b:7&window=5,20&%zz=%4");
    assert_eq!(route.selection.tracks, [TrackId(1), TrackId(3)]);
    assert_eq!(route.selection.figure, Some(("load".to_owned(), Vec::new())));
    assert_eq!(route.selection.line, Some(("a:b".to_owned(), 7)));
    assert_eq!(route.window, Some(Window { start: 5, part: 0.0, dur: 20.0 }));
}

/// A slice is chosen in the window that is seen: of all time too. An address that says a slice alone leads to it.
#[test]
fn an_address_with_a_slice_says_whether_all_time_is_seen() {
    let slice = "slice=5,0,a&slice-track=b";
    let [whole, alone, near] = ["window=all&", "", "window=5,20&"].map(|window| format!("{window}{slice}"));
    for (text, is_whole) in [(&whole, true), (&alone, false), (&near, false)] {
        let route = Route::parse(text);
        assert_eq!((route.is_whole, &route.text()), (is_whole, text));
    }
    let [whole, alone, near] = [whole, alone, near].map(|text| Route::parse(&text));
    assert_eq!(near.visiting(&whole).text(), whole.text());
    assert_eq!(whole.visiting(&alone).text(), alone.text());
    let chosen = Selection { slice: Some(SliceId { track: TrackId(0), row: 0 }), ..Selection::default() };
    let leading = |keeps_window| {
        let go_to = chosen.slice.map(|slice| GoTo { slice, keeps_window });
        Selection { go_to, ..chosen.clone() }.keeps_window()
    };
    assert!(chosen.keeps_window() && leading(true) && !leading(false));
    let waiting = |is_whole| Selection { is_whole, ..Selection::default() }.keeps_window();
    assert!(waiting(true) && !waiting(false));
}

fn window(start: i64) -> Option<Window> {
    Some(Window::new(start, 0.0, 10.0))
}

/// Windows alone: the rows stay as they are.
type Windows = History<()>;

fn back(history: &mut Windows, now: Option<Window>) -> Option<Option<Window>> {
    history.window(now, false)
}

fn forward(history: &mut Windows, now: Option<Window>) -> Option<Option<Window>> {
    history.window(now, true)
}

#[test]
fn windows_are_gone_back_to_and_forward_again() {
    let mut history = Windows::default();
    assert_eq!(back(&mut history, window(1)), None);
    history.leave(Step::Window(None));
    history.leave(Step::Window(window(1)));
    history.leave(Step::Window(window(1))); // left twice without having moved
    assert_eq!(back(&mut history, window(2)), Some(window(1)));
    assert_eq!(back(&mut history, window(1)), Some(None));
    assert_eq!(back(&mut history, None), None);
    assert_eq!(forward(&mut history, None), Some(window(1)));
    assert_eq!(forward(&mut history, window(1)), Some(window(2)));
    assert_eq!(forward(&mut history, window(2)), None);
    // A new way forgets the old one.
    back(&mut history, window(2));
    history.leave(Step::Window(window(7)));
    assert_eq!(forward(&mut history, window(8)), None);
}

#[test]
fn gestures_that_follow_each_other_are_one_step() {
    let mut history = Windows::default();
    for (start, time_ms) in [(0, 10.0), (1, 300.0), (2, 850.0), (3, 2000.0), (4, 2500.0)] {
        history.drift(window(start), time_ms);
    }
    assert_eq!(back(&mut history, window(5)), Some(window(3)));
    // Whoever went back and drifts at once again has made a step.
    history.drift(window(3), 2600.0);
    assert_eq!(back(&mut history, window(9)), Some(window(3)));
    assert_eq!(back(&mut history, window(3)), Some(window(0)));
    assert_eq!(back(&mut history, window(0)), None);
}

#[test]
fn the_oldest_steps_are_forgotten() {
    let mut history = Windows::default();
    (0..250).for_each(|n| history.leave(Step::Window(window(n))));
    let steps = std::iter::from_fn(|| back(&mut history, None)).collect::<Vec<_>>();
    assert_eq!((steps.len(), steps[0], steps[199]), (200, window(249), window(50)));
}

#[test]
fn rows_are_undone_between_windows_and_windows_alone() {
    let mut history = History::<&str>::default();
    // Zoomed in, pinned a track, zoomed in again, hid another.
    let (mut now, mut rows) = (None, "plain");
    let mut look = |history: &mut History<&'static str>, to| {
        history.leave(Step::Window(now));
        now = to;
    };
    look(&mut history, window(1));
    history.leave(Step::Rows(std::mem::replace(&mut rows, "pinned")));
    look(&mut history, window(2));
    history.leave(Step::Rows(std::mem::replace(&mut rows, "hidden")));
    let of = |rows: &'static str, now| {
        move |step: &Step<&'static str>| match step {
            Step::Window(_) => Step::Window(now),
            Step::Rows(_) => Step::Rows(rows),
        }
    };
    assert_eq!(history.back(of("hidden", window(2))), Some(Step::Rows("pinned")));
    assert_eq!(history.back(of("pinned", window(2))), Some(Step::Window(window(1))));
    assert_eq!(history.back(of("pinned", window(1))), Some(Step::Rows("plain")));
    assert_eq!(history.forward(of("plain", window(1))), Some(Step::Rows("pinned")));
    assert_eq!(history.forward(of("pinned", window(1))), Some(Step::Window(window(2))));
    assert_eq!(history.forward(of("pinned", window(2))), Some(Step::Rows("hidden")));
    assert_eq!(history.forward(of("hidden", window(2))), None);
    // The window before, with the rows as they are now.
    assert_eq!(history.window(window(2), false), Some(window(1)));
    assert_eq!(history.window(window(1), false), Some(None));
    assert_eq!(history.window(None, true), Some(window(1)));
    assert_eq!(history.back(of("hidden", window(1))), Some(Step::Window(None)));
    assert_eq!(history.back(of("hidden", None)), Some(Step::Rows("pinned")));
}

#[test]
fn a_frame_is_drawn_moved_and_resized() {
    let near = 0.01;
    // Without a frame, and beside one, a drag draws a new one, from either side.
    assert_eq!(Grip::of(0.3, None, near), Grip::Draw(0.3));
    assert_eq!(Grip::Draw(0.3).frame(0.1, None, 0.005), Some((0.1, 0.3)));
    assert_eq!(Grip::Draw(0.3).frame(2.0, None, 0.005), Some((0.3, 1.0)));
    assert_eq!(Grip::Draw(0.3).frame(0.301, None, 0.005), None);
    let frame = Some((0.4, 0.6));
    assert_eq!(Grip::of(0.8, frame, near), Grip::Draw(0.8));
    // Each edge is dragged against the other, inside and outside.
    for (at, other) in [(0.395, 0.6), (0.405, 0.6), (0.595, 0.4), (0.605, 0.4)] {
        assert_eq!(Grip::of(at, frame, near), Grip::Draw(other), "{at}");
    }
    // The middle is moved and keeps its width, at the ends too.
    let Some((from, to)) = Grip::of(0.55, frame, near).frame(0.65, frame, 0.005) else { panic!() };
    assert!((from - 0.5).abs() < 1e-9 && (to - 0.7).abs() < 1e-9, "{from} {to}");
    let Some((from, to)) = Grip::of(0.55, frame, near).frame(0.99, frame, 0.005) else { panic!() };
    assert!((from - 0.8).abs() < 1e-9 && (to - 1.0).abs() < 1e-9, "{from} {to}");
    // A frame of a pixel can still be moved.
    assert!(matches!(Grip::of(0.5005, Some((0.5, 0.501)), near), Grip::Move(_)));
}

/// `Ctrl+Shift+k@KeyK`: modifiers, what the key writes, its place.
fn press(text: &str) -> KeyPress {
    let (keys, code) = text.split_once('@').unwrap_or((text, ""));
    let mut parts: Vec<&str> = keys.split('+').collect();
    let key = parts.pop().unwrap_or_default().to_owned();
    let has = |name: &str| parts.contains(&name);
    KeyPress { key, code: code.to_owned(), control: has("Ctrl"), alt: has("Alt"), shift: has("Shift") }
}

#[test]
fn key_presses_mean_their_commands() {
    for (pressed, keys, is_meant) in [
        ("Ctrl+k@KeyK", &["Ctrl", "K"][..], true),
        ("Ctrl+K@KeyK", &["Ctrl", "K"], true),
        ("k@KeyK", &["Ctrl", "K"], false),
        ("Ctrl+Shift+K@KeyK", &["Ctrl", "K"], false),
        ("Ctrl+Alt+k@KeyK", &["Ctrl", "K"], false),
        // Another alphabet: the place of the key counts.
        ("Ctrl+л@KeyK", &["Ctrl", "K"], true),
        ("Ctrl+Shift+o@KeyO", &["Ctrl", "Shift", "O"], true),
        ("Ctrl+o@KeyO", &["Ctrl", "Shift", "O"], false),
        // A sign needs Shift on some keyboards.
        ("Shift+?@Slash", &["?"], true),
        ("?@Minus", &["?"], true),
        ("Ctrl+?@Slash", &["?"], false),
        ("Alt+PageDown@PageDown", &["Alt", "PageDown"], true),
        ("PageDown@PageDown", &["Alt", "PageDown"], false),
        ("k@KeyK", &[], false),
    ] {
        assert_eq!(press(pressed).is(keys), is_meant, "{pressed} for {keys:?}");
    }
}

#[test]
fn alt_and_a_digit_choose_a_view() {
    for (pressed, view) in [
        ("Alt+1@Digit1", Some(0)),
        // What the key writes does not matter.
        ("Alt+&@Digit1", Some(0)),
        ("Alt+9@Digit9", Some(8)),
        ("Alt+0@Digit0", None),
        ("1@Digit1", None),
        ("Ctrl+Alt+1@Digit1", None),
        ("Alt+a@KeyA", None),
    ] {
        assert_eq!(press(pressed).view_index(), view, "{pressed}");
    }
    let plain = ["?", "Shift+A", "Ctrl+a", "Alt+a"].map(|pressed| press(pressed).is_plain());
    assert_eq!(plain, [true, true, false, false]);
}

#[test]
fn typed_words_find_titles_in_both_languages() {
    for (typed, is_found) in [
        ("", true),
        ("open", true),
        ("FILE op", true),
        ("打开 file", true),
        ("folder", false),
        ("open x", false),
    ] {
        assert_eq!(matches("打开文件…", "Open files…", typed), is_found, "{typed}");
    }
}

#[test]
fn the_typed_parts_of_a_title_are_marked() {
    let shown = |title, typed| {
        marked(title, typed)
            .iter()
            .map(|(text, is)| if *is { format!("[{text}]") } else { (*text).to_owned() })
            .collect::<String>()
    };
    for (title, typed, wanted) in [
        ("Open files…", "", "Open files…"),
        ("Open files…", "file OP", "[Op]en [file]s…"),
        ("Open files…", "open files…", "[Open] [files…]"),
        ("打开文件…", "文件", "打开[文件]…"),
        // Its lower case is longer: nothing is marked rather than something else.
        ("İstanbul", "stan", "İstanbul"),
        ("", "x", ""),
    ] {
        assert_eq!(shown(title, typed), wanted);
        assert_eq!(marked(title, typed).iter().map(|piece| piece.0).collect::<String>(), title);
    }
}

#[test]
fn the_wanted_view_is_shown_or_else_the_first() {
    let views = ["timeline", "code"];
    assert_eq!(wanted_or_first(&views, |view| *view == "code"), Some("code"));
    assert_eq!(wanted_or_first(&views, |view| *view == "details"), Some("timeline"));
    assert_eq!(wanted_or_first::<&str>(&[], |_| true), None);
}

#[test]
fn documents_are_walked_around_and_a_closed_one_gives_way() {
    let ids = [3, 5, 9];
    assert_eq!([1, -1].map(|by| neighbor(&ids, 9, by)), [Some(3), Some(5)]);
    assert_eq!((neighbor(&ids, 3, -1), neighbor(&ids, 4, 1)), (Some(9), None));
    assert_eq!([3, 5, 9, 4].map(|closed| beside(&ids, closed)), [Some(5), Some(9), Some(5), None]);
    assert_eq!(beside(&[3], 3), None);
}
