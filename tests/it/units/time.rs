//! Times of files become whole nanoseconds; windows stay where they are asked for.

use lanescope::base::time::{Span, nanos_from_micros_text, scaled_from_decimal, stretch_from_micros_text};

#[test]
fn decimal_text_becomes_exact_nanoseconds() {
    let cases: [(&str, Option<i64>); 19] = [
        ("1766000000000000.001", Some(1_766_000_000_000_000_001)),
        ("1766000000000000.002", Some(1_766_000_000_000_000_002)),
        ("0.0005", Some(1)),
        ("0.00049999", Some(0)),
        ("-0.0005", Some(-1)),
        ("-3", Some(-3000)),
        ("2.5e3", Some(2_500_000)),
        ("1E+2", Some(100_000)),
        ("12e-3", Some(12)),
        ("0.3238330000000000000000000001", Some(324)),
        ("1e308", None),
        ("4611686018427387.903", Some(i64::MAX / 2)),
        ("4611686018427387.904", None),
        ("-4611686018427387904", None),
        ("", None),
        (".", None),
        ("12x", None),
        ("99999999999999999999", None),
        ("0e400", Some(0)),
    ];
    for (text, expected) in cases {
        assert_eq!(nanos_from_micros_text(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn what_touches_in_the_file_touches_here() {
    type Case<'a> = (&'a str, &'a str, Option<(i64, i64)>);
    let tiny = format!("0.{}1", "0".repeat(60));
    let thirds = format!("0.{}", "3".repeat(500));
    let cases: [Case<'_>; 14] = [
        (&tiny, "5", Some((0, 5_000))),
        ("1766000000000000.001", &tiny, Some((1_766_000_000_000_000_001, 0))),
        (&tiny, &thirds, Some((0, 333))),
        // 378.5 + 1.5 ends at 380: rounded one by one it would end at 381.
        ("0.3785", "0.0015", Some((379, 1))),
        ("0.0004", "0.0004", Some((0, 1))),
        ("1766000000000000.0005", "1", Some((1_766_000_000_000_000_001, 1_000))),
        ("1766000000000000.001", "0.001", Some((1_766_000_000_000_000_001, 1))),
        ("10", "-0.0015", Some((10_000, -1))),
        ("-0.0015", "0.0005", Some((-2, 1))),
        ("1766000000000000.1234", "0.5678", Some((1_766_000_000_000_000_123, 568))),
        ("1e3", "0.0005", Some((1_000_000, 1))),
        ("1", "x", None),
        ("4611686018427387", "1", None),
        (
            "-4611686018427387",
            "4611686018427388",
            Some((-4_611_686_018_427_387_000, 4_611_686_018_427_388_000)),
        ),
    ];
    for (start, dur, expected) in cases {
        assert_eq!(stretch_from_micros_text(start.as_bytes(), dur.as_bytes()), expected, "{start} {dur}");
    }
}

#[test]
fn the_quick_way_and_the_long_way_agree() {
    let texts = [
        "0",
        "-0",
        "7.",
        ".5",
        "-.0005",
        "123456789012.345678",
        "4611686018427387.903",
        "-4611686018427387.903",
        "0.0000000000000000005",
        "999999999999999.9995",
        "-12.34567",
    ];
    for text in texts {
        assert_eq!(
            nanos_from_micros_text(text.as_bytes()),
            scaled_from_decimal(text.as_bytes(), 3),
            "{text}"
        );
    }
}

#[test]
fn spans_meet_as_half_open() {
    let a = Span::new(10, 20);
    assert!(!a.touches(Span::new(20, 30)));
    assert!(a.touches(Span::new(10, 10)));
    assert!(!a.touches(Span::new(20, 20)));
    assert_eq!(a.intersect(Span::new(30, 40)).dur(), 0);
}

mod window {
    use lanescope::base::time::Span;
    use lanescope::base::window::{MIN_DUR, Window};

    #[test]
    fn windows_are_exact_at_an_epoch() {
        let at = 1_766_000_000_000_000_001;
        let window = Window::of(Span::new(at, at + 4));
        assert_eq!(window.share(at + 1), 0.25);
        assert_eq!(window.tick_at(0.5), at + 2);
        let closer = window.zoomed(2.0, 0.5);
        assert_eq!((closer.start, closer.part, closer.dur), (at + 1, 0.0, 2.0));
        let finest = closer.zoomed(4.0, 0.5);
        assert_eq!((finest.start, finest.part, finest.dur), (at + 1, 0.5, MIN_DUR));
        assert_eq!(finest.share(at + 2), 0.5);
    }

    #[test]
    fn windows_stay_near_the_trace() {
        let span = Span::new(1_000, 2_000);
        assert_eq!(Window::of(Span::new(50_000, 51_000)).kept_in(span, 0.0).span(), span);
        let meets = |from| Window::of(Span::new(from, 3_000)).meets(span);
        assert!(meets(1_900) && !meets(2_001));
        let wide = Window::of(Span::new(-50_000, 51_000)).kept_in(span, 0.1);
        assert_eq!((wide.start, wide.dur), (900, 1_200.0));
    }
}
