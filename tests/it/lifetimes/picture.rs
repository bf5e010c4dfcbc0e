//! The pictures: histograms with retention lines, empty states, write rates, devices, reuse.

use crate::support::mutate::Seeded;
use lanescope::base::geometry::{Point, Rect, Size};
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::{Ink, Palette};
use lanescope::scene::{Scene, Shape};
use lanescope::views::lifetimes::compute::{Demand, Distribution, Peak, defaults};
use lanescope::views::lifetimes::scene::{
    Column, Course, DevicePlot, KernelPoint, KernelShare, Layout, LevelPlot, Line, OUTLIVES, Plot, ReusePlot,
    WriteRates, draw, draw_devices, draw_reuse, draw_write_rates, empty_words, retention_lines, under,
    under_write_rates,
};

const SIZE: Size = Size { w: 900.0, h: 400.0 };

fn style(palette: &Palette) -> DrawStyle<'_> {
    DrawStyle { palette, language: Language::En }
}

fn level<'a>(name: &str, lengths: &'a Distribution) -> LevelPlot<'a> {
    LevelPlot {
        name: name.to_owned(),
        scope: String::new(),
        lengths,
        orphans: 0,
        opened: lengths.count(),
        stated: Vec::new(),
        baseline: None,
    }
}

fn plot<'a>(levels: Vec<LevelPlot<'a>>, micros: &[f64]) -> Plot<'a> {
    let line = |(at, micros): (usize, &f64)| Line {
        name: format!("device {at}"),
        ink: Ink::Slice(at as u8 + 2),
        micros: *micros,
        is_rough: false,
    };
    let lines = micros.iter().enumerate().map(line).collect();
    Plot { levels, lines, never: vec!["SRAM".to_owned()], rest: OUTLIVES, clock_mhz: Some(1000.0) }
}

fn texts(scene: &Scene) -> Vec<&str> {
    let text = |shape: &'_ Shape| matches!(shape, Shape::Text { .. });
    let shapes = scene.shapes.iter().filter(|shape| text(shape));
    shapes
        .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text.as_str()) } else { None })
        .collect()
}

fn fills(scene: &Scene, ink: Ink) -> Vec<Rect> {
    let fill = |shape: &Shape| match shape {
        Shape::Fill { rect, ink: own, .. } if *own == ink => Some(*rect),
        _ => None,
    };
    scene.shapes.iter().filter_map(fill).collect()
}

/// Lengths from some to thousands of cycles; at 1000 MHz a cycle is a nanosecond.
fn lengths() -> Distribution {
    let mut random = Seeded(7);
    Distribution::of((0..4_000).map(|_| 20 + (random.below(30) * random.below(400)) as u64).collect())
}

#[test]
fn every_lifetime_is_in_one_bin_and_bars_have_the_color_of_what_holds_them() {
    let lengths = lengths();
    let plot = plot(vec![level("L1", &lengths)], &[1.0, 3.3]);
    let layout = Layout::new(&plot, SIZE);
    let (from, to) = layout.ends();
    let (mut seen, mut last) = (0, -1.0);
    for x in (from as u32)..(to as u32) {
        let at = Point { x: x as f32 + 0.5, y: layout.plot(0).y + 5.0 };
        let Some(found) = under(&plot, SIZE, at) else { continue };
        if last < found.from {
            seen += found.count;
            last = found.from;
            assert_eq!(found.within, seen, "what is at most as long is what was seen so far");
        }
    }
    assert_eq!(seen, lengths.count());
    let palette = Palette::default();
    let scene = draw(&plot, SIZE, &style(&palette));
    let limits = [layout.x(1000.0).round(), layout.x(3300.0).round()];
    let bars = |ink: Ink| fills(&scene, ink).into_iter().filter(|rect| rect.h != 8.0).collect::<Vec<_>>();
    for (ink, from, to) in [
        (Ink::Slice(2), 0.0, limits[0]),
        (Ink::Slice(3), limits[0], limits[1]),
        (OUTLIVES, limits[1], SIZE.w),
    ] {
        let bars = bars(ink);
        assert!(!bars.is_empty());
        assert!(bars.iter().all(|bar| from <= bar.x && bar.right() <= to + 0.01), "{ink:?}");
    }
    let cut: Vec<Rect> = bars(Ink::Slice(3)).into_iter().filter(|bar| bar.right() == limits[1]).collect();
    let rest: Vec<Rect> = bars(OUTLIVES).into_iter().filter(|bar| bar.x == limits[1]).collect();
    assert_eq!((cut.len(), rest.len()), (1, 1), "a bin that is cut has two colors");
    assert_eq!(cut[0].h, rest[0].h);
    let share = format!("{:.1} %", lengths.share_within(1000.0) * 100.0);
    assert!(texts(&scene).contains(&share.as_str()));
}

/// The caption stands where no bar is: in the corner, or above the plot where bars reach up to there.
#[test]
fn no_bar_lies_under_the_caption_of_a_plot() {
    let short = Distribution::of((0..400).map(|at| 20 + at).collect());
    let long = Distribution::of((0..400).map(|at| 200_000 + 900 * at).collect());
    let palette = Palette::default();
    for (lengths, is_above) in [(&short, true), (&long, false)] {
        for w in [560.0, 900.0] {
            let own = LevelPlot { orphans: 9_000, opened: 9_400, ..level("L1", lengths) };
            let plot = plot(vec![own], &[1.0]);
            let size = Size { w, h: 220.0 };
            let scene = draw(&plot, size, &style(&palette));
            let area = Layout::new(&plot, size).plot(0);
            let bars: Vec<Rect> =
                [Ink::Slice(2), OUTLIVES].into_iter().flat_map(|ink| fills(&scene, ink)).collect();
            let caption = scene.shapes.iter().filter_map(|shape| match shape {
                Shape::Text { at, text, .. }
                    if text.contains("400 lifetimes") || text.contains("never reused") =>
                {
                    Some(*at)
                }
                _ => None,
            });
            let caption: Vec<Point> = caption.collect();
            assert_eq!(caption.len(), if is_above { 1 } else { 2 }, "{w}");
            for at in caption {
                assert_eq!(at.y < area.y, is_above, "{at:?} {area:?}");
                let is_hit = |bar: &&Rect| bar.y < at.y + 3.0 && bar.x < at.x + 280.0 && bar.h != 8.0;
                assert_eq!(bars.iter().find(is_hit), None, "{at:?}");
            }
        }
    }
}

#[test]
fn the_axis_is_always_seven_decades_and_grows_by_whole_ones() {
    let short = Distribution::of(vec![50]);
    let long = Distribution::of(vec![50, 30_000_000]);
    let palette = Palette::default();
    for (lengths, last) in [(&short, "10 ms"), (&long, "100 ms")] {
        let plot = plot(vec![level("L1", lengths)], &[1.0]);
        let scene = draw(&plot, SIZE, &style(&palette));
        assert!(texts(&scene).contains(&"1 ns") && texts(&scene).contains(&last));
        let layout = Layout::new(&plot, SIZE);
        let (from, to) = layout.ends();
        assert_eq!(layout.x(1.0), from);
        for nanos in [3.0, 480.0, 1e6] {
            let back = layout.nanos(layout.x(nanos));
            assert!((back / nanos - 1.0).abs() < 1e-3 && from <= layout.x(nanos) && layout.x(nanos) <= to);
        }
    }
    let mut cycles = plot(vec![level("L1", &short)], &[]);
    cycles.clock_mhz = None;
    assert!(texts(&draw(&cycles, SIZE, &style(&palette))).contains(&"10,000,000 cycles"));
}

#[test]
fn one_lifetime_is_one_bar_and_a_step() {
    let one = Distribution::of(vec![500]);
    let plot = plot(vec![level("L1", &one)], &[]);
    let palette = Palette::default();
    let scene = draw(&plot, SIZE, &style(&palette));
    assert_eq!(fills(&scene, OUTLIVES).len(), 1);
    let steps = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Path { points, .. } => Some(points.len()),
        _ => None,
    });
    assert!(steps.into_iter().all(|n| n <= 6), "flat parts are one line");
}

#[test]
fn what_is_missing_is_said_where_it_would_stand() {
    let none = Distribution::default();
    let mut own = level("L1", &none);
    own.orphans = 5_120;
    let words = empty_words(&own, Language::En).unwrap();
    assert_eq!(words, "No L1 lifetimes: 5,120 orphans, all opened once");
    let palette = Palette::default();
    assert!(texts(&draw(&plot(vec![own], &[1.0]), SIZE, &style(&palette))).contains(&words.as_str()));
    let mut stated = level("L1", &none);
    stated.stated = vec![[3_494.0, 6_697.0, 7_658.0], [100.0, 200.0, 300.0]];
    let scene = draw(&plot(vec![stated], &[1.0, 10.0]), SIZE, &style(&palette));
    assert!(texts(&scene).contains(&"median, 90 % and longest of 2 kernels"));
    assert_eq!(fills(&scene, Ink::Slice(2)).iter().filter(|rect| rect.h != 8.0).count(), 1);
    assert!(!texts(&scene).iter().any(|text| text.ends_with('%') && text.contains('.')), "no share is known");
}

#[test]
fn flags_stand_beside_their_lines_and_not_over_each_other() {
    let lengths = lengths();
    for micros in [&[1.0, 10.0][..], &[1.0, 1.5], &[0.5, 1.0, 2.0, 4.0], &[9_000.0], &[0.001]] {
        let plot = plot(vec![level("L1", &lengths)], micros);
        let layout = Layout::new(&plot, SIZE);
        let flags = layout.flags(&plot.lines);
        for (flag, line) in flags.iter().zip(&plot.lines) {
            let x = layout.x(line.micros * 1000.0).round();
            assert!(flag.x == x || flag.right() == x, "{micros:?}");
            assert!(0.0 <= flag.x && flag.right() <= SIZE.w, "{micros:?} {flag:?}");
        }
        let rows = if micros.len() < 3 { 1 } else { 2 };
        assert_eq!(layout.flags, if rows == 1 { 32.0 } else { 56.0 });
    }
    // The first turns to the left where the next would cover it.
    let near = plot(vec![level("L1", &lengths)], &[1.0, 1.5]);
    let flags = Layout::new(&near, SIZE).flags(&near.lines);
    assert!(flags[0].right() < flags[1].x);
}

#[test]
fn plots_give_way_down_to_their_least_height() {
    let lengths = lengths();
    let plot = plot(vec![level("L1", &lengths), level("L2", &lengths)], &[1.0]);
    let low = Layout::new(&plot, Size { w: 900.0, h: 50.0 });
    assert_eq!(low.plots[0].h, 90.0);
    assert_eq!(low.axis + 24.0, Layout::least_height(2, 1));
    // Three take less each: the table below must keep its rows on a small screen.
    assert!(Layout::least_height(3, 2) <= 292.0);
    let palette = Palette::default();
    for size in [Size { w: 1.0, h: 1.0 }, Size { w: 40.0, h: 9.0 }, Size::default()] {
        let _ = draw(&plot, size, &style(&palette));
    }
}

#[test]
fn kernels_are_found_where_they_are_drawn() {
    let _ = crate::words::chinese(); // whether another test loaded them or not
    let devices = defaults();
    let named: Vec<String> =
        retention_lines(&devices, 10.0, Language::Zh).into_iter().map(|(_, line)| line.name).collect();
    assert!(named.iter().all(|name| !name.contains("cell")), "{named:?}");
    let lines = retention_lines(&devices, 10.0, Language::En);
    assert_eq!(lines.iter().map(|(row, _)| *row).collect::<Vec<_>>(), [1, 2]);
    let regions = lines.into_iter().map(|(_, line)| (line.clone(), vec![(f64::INFINITY, line.micros)]));
    let point = |kernel, level, mhz, micros| KernelPoint { kernel, level, mhz, micros };
    let plot = WriteRates {
        points: vec![point(0, 0, 12.0, 0.4), point(1, 0, 900.0, 4.0), point(1, 1, 40.0, 300.0)],
        regions: regions.collect(),
        levels: vec!["L1".to_owned(), "L2".to_owned()],
        names: vec!["one".to_owned(), "two".to_owned()],
        left_out: Vec::new(),
        selected: Some(1),
    };
    let palette = Palette::default();
    let scene = draw_write_rates(&plot, SIZE, &style(&palette));
    assert_eq!(fills(&scene, Ink::Slice(3)).len(), 1, "one is held by the shortest retention");
    let mut found = Vec::new();
    for x in (0..900).step_by(3) {
        for y in (0..400).step_by(3) {
            let at = Point { x: x as f32, y: y as f32 };
            found.extend(under_write_rates(&plot, SIZE, at).map(|point| (point.kernel, point.level)));
        }
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, [(0, 0), (1, 0), (1, 1)]);
    let none = WriteRates {
        points: Vec::new(),
        regions: Vec::new(),
        levels: Vec::new(),
        names: Vec::new(),
        left_out: Vec::new(),
        selected: None,
    };
    assert_eq!(texts(&draw_write_rates(&none, SIZE, &style(&palette))).len(), 1);
}

#[test]
fn devices_and_reuse_are_drawn_with_what_is_known() {
    let column = |name: &str, area, energy| Column {
        name: name.to_owned(),
        ink: Some(Ink::Slice(3)),
        area: Some(area),
        refreshes: 30_951_308.0,
        energy,
    };
    let plot = DevicePlot {
        name: "L1".to_owned(),
        scope: "one SM".to_owned(),
        devices: vec![column("SRAM", 1.0, Some((1.0, 0.0))), column("gain cell", 0.52, Some((0.7, 9.0)))],
    };
    let palette = Palette::default();
    let scene = draw_devices(&[plot], SIZE, &style(&palette));
    for words in ["−48.0 %", "+870 %", "31M"] {
        assert!(texts(&scene).contains(&words), "{words}: {:?}", texts(&scene));
    }
    let reuses = Distribution::of(vec![0, 0, 1, 3, 9, 5_000_000]);
    let level = ReusePlot {
        name: "L1".to_owned(),
        others: String::new(),
        reuses: &reuses,
        orphans: (2, 6),
        kernels: vec![KernelShare { name: "gemm".to_owned(), orphans: (2, 6) }],
        course: Course {
            sectors: &[0, 4, 8, 2],
            step: 1000.0,
            span: 4000.0,
            clock_mhz: Some(1000.0),
            room: 16,
            peak: Peak { sectors: 8, cycle: 2200, is_exact: true },
            kernel: "gemm",
        },
    };
    let mut levels = [level];
    let scene = draw_reuse(&levels, SIZE, &style(&palette));
    for words in [
        "33.3 % never reused: 2 of 6",
        "in use at once, up to 50.0 % of its size",
        "4 µs",
        "peak: 8 sectors at 2.2 µs, during gemm",
    ] {
        assert!(
            texts(&scene).iter().any(|text| text.starts_with(words.trim_end_matches("6"))),
            "{words}: {:?}",
            texts(&scene)
        );
    }
    // A long name gives way: when the most was in use is said in full.
    let long =
        "void gemvx::kernel<int, int, float, float, float, float, false, true, true, false, 6>(params)";
    levels[0].course.kernel = long;
    let scene = draw_reuse(&levels, SIZE, &style(&palette));
    let said = texts(&scene).into_iter().find(|text| text.starts_with("peak: 8")).unwrap();
    assert!(said.starts_with("peak: 8 sectors at 2.2 µs, during ") && said.contains('…'), "{said}");
}

/// Retentions follow the pointer: what a frame asks of ten million lifetimes of a million lengths.
#[test]
fn a_million_lengths_are_drawn_and_asked() {
    let lengths = Distribution::new((0..1_000_000).map(|n| (20 + n, 10)));
    assert_eq!(lengths.count(), 10_000_000);
    let demand = Demand { lifetimes: lengths, clock_mhz: 1755.0, bytes: 1 << 20, ..Demand::default() };
    let devices = defaults();
    let palette = Palette::default();
    for at in 1..=5 {
        let levels = vec![level("L1", &demand.lifetimes), level("L2", &demand.lifetimes)];
        let scene = draw(&plot(levels, &[f64::from(at), 10.0]), SIZE, &style(&palette));
        assert!(scene.shapes.len() < 10_000, "bins are drawn, not lengths");
        for device in &devices.devices {
            let _ = devices.figures(device, &demand);
        }
        let _ = devices.mix(&demand);
    }
}
