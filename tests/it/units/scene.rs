//! Unit tests of single modules of scene.

mod raster {
    use lanescope::base::geometry::Rect;
    use lanescope::scene::palette::{Ink, Palette};
    use lanescope::scene::raster::paint;
    use lanescope::scene::shape::{SpanRect, SpanStyle, Spans};

    fn span(x0: f32, x1: f32, ink: u32, alpha: u8) -> SpanRect {
        SpanRect { x0, x1, y: 0.0, h: 1.0, ink: Ink::Rgba(ink), alpha, look: SpanStyle::Plain }
    }

    fn row(spans: Vec<SpanRect>, width: f32) -> Vec<[u8; 3]> {
        let field = Rect::new(0.0, 0.0, width, 1.0);
        let spans = Spans { field, ground: Ink::Rgba(0xff), spans };
        let mut buffer = Vec::new();
        assert_eq!(paint(&spans, &Palette::default(), 1.0, &mut buffer), (width as u32, 1));
        buffer.as_chunks::<4>().0.iter().map(|p| [p[0], p[1], p[2]]).collect()
    }

    #[test]
    fn edges_cover_their_share() {
        let red = span(0.5, 2.25, 0xff00_00ff, 255);
        assert_eq!(row(vec![red], 4.0), [[128, 0, 0], [255, 0, 0], [64, 0, 0], [0, 0, 0]]);
    }

    #[test]
    fn no_ground_shines_through_where_two_spans_touch() {
        let red = span(0.0, 1.5, 0xff00_00ff, 255);
        let blue = span(1.5, 3.0, 0x0000_ffff, 255);
        assert_eq!(row(vec![red, blue], 3.0), [[255, 0, 0], [128, 0, 127], [0, 0, 255]]);
        let parts = (0u8..10).map(|i| span(f32::from(i) * 0.1, f32::from(i + 1) * 0.1, 0xff00_00ff, 255));
        let [r, _, _] = row(parts.collect(), 1.0)[0];
        assert!(250 <= r, "{r}");
    }

    #[test]
    fn strength_is_the_share_of_the_color() {
        assert_eq!(row(vec![span(1.0, 2.0, 0xff00_00ff, 51)], 3.0)[1], [51, 0, 0]);
        assert_eq!(row(vec![span(0.0, 3.0, 0xff00_00ff, 51)], 3.0), [[51, 0, 0]; 3]);
        assert_eq!(row(vec![span(-9.0, 99.0, 0xff00_00ff, 255)], 2.0), [[255, 0, 0]; 2]);
    }
}

mod scale {
    use lanescope::scene::Scale;

    #[test]
    fn scales_go_both_ways() {
        let down = Scale::linear([0.0, 10.0], [200.0, 0.0]);
        assert_eq!(down.px(2.5), Some(150.0));
        assert_eq!(down.value(150.0), 2.5);
        let log = Scale::log([1.0, 1000.0], [0.0, 300.0]);
        assert!((log.px(100.0).unwrap() - 200.0).abs() < 1e-9);
        assert!((log.value(100.0) - 10.0).abs() < 1e-9);
        assert_eq!(log.px(0.0), None);
        assert_eq!(log.px(-1.0), None);
    }
}

mod text {
    use lanescope::scene::shape::Font;
    use lanescope::scene::text::{cut_end, cut_middle, label, width};

    const UI: Font = Font::ui(11.0);

    #[test]
    fn wide_characters_take_an_em_and_marks_take_nothing() {
        assert_eq!(width("核心", UI), 22.0);
        assert_eq!(width("e\u{301}", UI), width("e", UI));
        assert!(width("iiii", UI) < width("MMMM", UI));
        assert_eq!(width("iiii", Font::mono(12.0)), width("MMMM", Font::mono(12.0)));
    }

    #[test]
    fn cut_texts_fit_and_say_that_they_are_cut() {
        for room in [30.0, 45.0, 80.0] {
            for cut in
                [cut_end("MatmulLeakyreluCustom", UI, room), cut_middle("kernel/src/deep/main.cpp", UI, room)]
            {
                assert!(width(&cut, UI) <= room, "{cut}");
                assert!(cut.contains('…'), "{cut}");
            }
        }
        assert_eq!(cut_end("abc", UI, 80.0), "abc");
        assert!(cut_middle("kernel/src/deep/main.cpp", UI, 90.0).ends_with(".cpp"));
    }

    #[test]
    fn a_label_keeps_four_characters_or_is_left_out() {
        assert_eq!(label("WAIT_FLAG", UI, 21.0), None);
        assert_eq!(label("WAIT_FLAG", UI, 30.0), None);
        assert_eq!(label("WAIT_FLAG", UI, 200.0).as_deref(), Some("WAIT_FLAG"));
        assert_eq!(label("WAIT_FLAG", UI, 45.0).as_deref(), Some("WAIT…"));
    }
}

mod ticks {
    use lanescope::base::time::{Clock, Window};
    use lanescope::scene::{Tick, labelled, time};

    fn labels(start: i64, dur: f64) -> Vec<String> {
        let window = Window::new(start, 0.0, dur);
        let ticks = time(&window, 800.0, 80.0, 0, Clock::Nanos);
        ticks.into_iter().filter(|t| !t.label.is_empty() && 0.0 <= t.x).map(|t| t.label).take(3).collect()
    }

    #[test]
    fn ticks_are_round_and_say_their_unit() {
        assert_eq!(labels(0, 4.0), ["0 ns", "1 ns", "2 ns"]);
        assert_eq!(labels(120_400, 8_400.0), ["121 µs", "122 µs", "123 µs"]);
        assert_eq!(labels(120_400, 840.0), ["120.4 µs", "120.5 µs", "120.6 µs"]);
        assert_eq!(labels(120_400, 50.0), ["120.400 µs", "120.405 µs", "120.410 µs"]);
        assert_eq!(labels(-2_000_000, 4_000_000.0), ["−2.0 ms", "−1.5 ms", "−1.0 ms"]);
        assert_eq!(labels(1_766_000_000_000_000_001, 4.0)[0], "1,766,000,000,000,000.001 µs");
        assert_eq!(labels(3_000_000_000, 9e10), ["10 s", "20 s", "30 s"]);
    }

    #[test]
    fn ticks_stand_apart_and_where_their_time_is() {
        let window = Window::new(1_766_000_000_000_000_000, 0.25, 10.0);
        let ticks = time(&window, 1000.0, 80.0, 1_766_000_000_000_000_000, Clock::Nanos);
        let places: Vec<f64> = ticks.iter().filter(|t| !t.label.is_empty()).map(|t| t.x).collect();
        assert_eq!(places[..3], [-25.0, 75.0, 175.0]);
    }

    #[test]
    fn at_least_two_labels_are_whole_at_every_zoom() {
        let room = |label: &str| 8.0 + 6.2 * label.chars().count() as f64;
        let clocks = [Clock::Nanos, Clock::Cycles { hz: None }, Clock::Steps];
        for clock in clocks {
            // Long labels need more room.
            for (width, starts) in [(560.0, 3), (800.0, 5), (1_000.0, 5), (1_700.0, 5)] {
                for &start in &[0, 7, 120_400, 987_654_321_000, -3_000_000][..starts] {
                    // So do those of billions of cycles.
                    let zooms = if width < 800.0 { 200 } else { 400 };
                    for zoom in 0..zooms {
                        let dur = 1.0 * 1.1_f64.powi(zoom);
                        let window = Window::new(start, 0.3, dur);
                        let ticks = labelled(&window, width, 80.0, (0, clock), room);
                        let seen: Vec<&Tick> =
                            ticks.iter().filter(|t| !t.label.is_empty() && 0.0 <= t.x).collect();
                        let whole = seen.iter().filter(|t| t.x + room(&t.label) <= width).count();
                        assert!(2 <= whole, "{clock:?} {width} {start} {dur}: {seen:?}");
                        let apart =
                            seen.windows(2).all(|two| two[0].x + room(&two[0].label) <= two[1].x + 0.01);
                        assert!(apart, "{clock:?} {width} {start} {dur}: {seen:?}");
                    }
                }
            }
        }
        let close = labelled(&Window::new(41, 0.5, 1.0), 800.0, 80.0, (0, Clock::Nanos), room);
        assert_eq!(
            close.iter().filter(|t| 0.0 <= t.x).map(|t| t.label.as_str()).collect::<Vec<_>>(),
            ["41.5 ns", "42.0 ns", "42.5 ns"]
        );
    }
}
