//! Levels of detail of counters against looking at every sample.

use crate::support::front_door::open_one;
use lanescope::analysis::Derived;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::Window;
use lanescope::base::unit::Unit;
use lanescope::model::build::TraceBuilder;
use lanescope::model::track::TrackKind;
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Frame, Reply, TimelineQuery, Under};

use proptest::prelude::*;

proptest! {
    #[test]
    fn a_column_shows_the_largest_value_that_holds_in_it(
        mut samples in prop::collection::vec((0i64..500, -5i32..50), 0..400),
        is_sorted in any::<bool>(),
        start in -50i64..450,
        dur in 1.0f64..600.0,
        n in 1usize..40,
    ) {
        if is_sorted {
            samples.sort_by_key(|s| s.0);
        }
        let mut builder = TraceBuilder::default();
        let name = builder.intern("counter");
        let track = builder.track(None, TrackKind::Counter, name, 0).unwrap();
        let mut derived = Derived::default();
        for part in samples.chunks(17) {
            for &(time, value) in part {
                let value = if value < 0 { f64::NAN } else { f64::from(value) };
                builder.sample(track, name, &Unit::None, time, value);
            }
            derived.extend_all(builder.trace());
        }
        builder.finish();
        derived.finish_all(builder.trace());
        let trace = builder.into_trace();
        let Some(series) = trace.tracks.get(track).series.first() else { return Ok(()) };
        let levels = derived.timeline.counters().series(track, 0).unwrap();
        let window = Window::new(start, 0.25, dur);
        let mut got = Vec::new();
        levels.cut(series, &window, n, &mut got);
        for (column, value) in got.iter().enumerate() {
            let edge = |i: usize| window.tick_at(i as f64 / n as f64);
            let (from, to) = (edge(column), edge(column + 1));
            let held = (0..series.time.len()).rev().find(|&i| series.time[i] < from);
            let at_edge = (0..series.time.len()).find(|&i| series.time[i] == from);
            let inside = (0..series.time.len()).filter(|&i| from <= series.time[i] && series.time[i] < to);
            let held = if at_edge.is_some() { at_edge } else { held };
            let all = held.into_iter().chain(inside).map(|i| series.value[i]);
            let expected = all.fold(f64::NAN, f64::max);
            prop_assert!(*value == expected || (value.is_nan() && expected.is_nan()), "{column}: {value}, not {expected}");
        }
        let peak = series.value.iter().copied().fold(f64::NAN, f64::max);
        prop_assert_eq!(levels.peak(series), Some(peak).filter(|p| p.is_finite()));
    }

    #[test]
    fn stacked_series_add_up_to_what_holds_at_each_time(
        samples in prop::collection::vec((0usize..3, 0i64..60, -10i32..50), 2..80),
        time in -5i64..70,
    ) {
        let mut builder = TraceBuilder::default();
        let name = builder.intern("counter");
        let track = builder.track(None, TrackKind::Counter, name, 0).unwrap();
        for &(series, time, value) in &samples {
            let series = builder.intern(&format!("series {series}"));
            let value = if value < -5 { f64::NAN } else { f64::from(value) };
            builder.sample(track, series, &Unit::None, time, value);
        }
        builder.finish();
        let mut derived = Derived::default();
        derived.finish_all(builder.trace());
        let trace = builder.into_trace();
        let all = &trace.tracks.get(track).series;
        let counters = derived.timeline.counters();
        let Some((total, levels)) = counters.total(track) else {
            prop_assert_eq!(all.len(), 1);
            return Ok(());
        };
        let held = |t: i64| {
            let values = all.iter().filter_map(|s| {
                let at = (0..s.time.len()).rev().find(|&i| s.time[i] <= t)?;
                Some(s.value[at]).filter(|v| v.is_finite())
            });
            values.map(|v| v.max(0.0)).reduce(|a, b| a + b)
        };
        prop_assert_eq!(levels.at(total, time), held(time));
        let peak = (0..60).filter_map(held).reduce(f64::max);
        prop_assert_eq!(levels.peak(total), peak);
    }
}

#[test]
fn a_stacked_counter_tells_its_values_and_their_sum() {
    let text = r#"[{"ph":"C","pid":1,"name":"queue","ts":0,"args":{"new":10,"old":5.5}},
        {"ph":"C","pid":1,"name":"queue","ts":5,"args":{"new":1,"old":20}},
        {"ph":"C","pid":1,"name":"queue","ts":9,"args":{"new":2,"old":0}}]"#;
    let (mut doc, _) = open_one("trace.json", text.as_bytes().to_vec());
    let size = Size { w: 900.0, h: 200.0 };
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    let (scene, note) = doc.draw(&frame.clone(), size, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let head = note.heads.iter().find(|h| h.name == "queue").unwrap();
    // The largest are 10 and 20, but never at once.
    assert_eq!(head.value, "peak 21");
    let at = Point { x: 600.0, y: head.y + 5.0 };
    let ask = TimelineQuery::Hit { frame: Box::new(frame), size, at };
    let Some(Reply::Hit(Some(under))) = doc.query(&ask).0 else { panic!("nothing there") };
    let Under::Counter { values, inks, time, .. } = *under else { panic!("{under:?}") };
    let pairs: Vec<_> = values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(pairs, [("new", "1"), ("old", "20"), ("Sum", "21")]);
    assert_eq!((inks, time.as_str()), (vec!["p1".to_owned(), "p3".to_owned()], "6.000 µs"));
    // The stack touches the dashed line of the peak where it is reached, and nowhere goes above it.
    let tops = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Path { points, stroke } if stroke.dash == 0.0 => {
            points.iter().map(|p| p.y).reduce(f32::min).filter(|y| (head.y..head.y + head.h).contains(y))
        }
        _ => None,
    });
    let line = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Path { points, stroke } if stroke.dash == 3.0 => Some(points[0].y + 0.5),
        _ => None,
    });
    let top = tops.reduce(f32::min).unwrap();
    assert!((top - line.unwrap()).abs() < 0.01, "{top}, not {line:?}");
}
