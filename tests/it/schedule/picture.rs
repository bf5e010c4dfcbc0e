//! The picture of a block schedule: what is drawn where, and how much of it.

use super::{Random, simulated};
use lanescope::base::geometry::{Point, Rect, Size};
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape, SpanRect, SpanStyle, text};
use lanescope::views::schedule::compute::{Align, Look, Schedule};
use lanescope::views::schedule::scene::{HEADS, Plot, RULER, STRIP, UnitOrder, draw, hit, scroll_to};

const SIZE: Size = Size { w: 900.0, h: 500.0 };

fn with<T>(schedule: &Schedule, change: impl FnOnce(&mut Plot), act: impl FnOnce(&Plot) -> T) -> T {
    let origins = schedule.origins(Align::First);
    let mut plot = Plot {
        schedule,
        look: Look::default(),
        origins: &origins,
        resident: schedule.resident(Align::First),
        window: None,
        range: None,
        scroll: 0.0,
        order: UnitOrder::default(),
        selected: None,
    };
    change(&mut plot);
    act(&plot)
}

fn picture(plot: &Plot) -> Scene {
    draw(plot, SIZE, &DrawStyle { palette: &Palette::default(), language: Language::En })
}

fn spans(scene: &Scene) -> Vec<SpanRect> {
    let field = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Spans(spans) => Some(spans.spans.clone()),
        _ => None,
    });
    field.unwrap()
}

fn texts(scene: &Scene) -> Vec<&str> {
    let shapes = scene.shapes.iter();
    shapes
        .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn a_block_is_found_where_it_is_drawn() {
    let schedule = simulated(6, 3, 120, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            let layout = plot.layout(SIZE);
            for row in 0..120 {
                let (start, end) = plot.span(row);
                let unit = schedule.unit[row as usize];
                let at = layout.row_of(unit).unwrap();
                let top = f64::from(layout.area.y) + layout.tops[at];
                let lane = f64::from(schedule.lane_of_unit(row));
                let y = top + 6.0 + lane * 5.0;
                let point = Point { x: layout.x((start + end) / 2.0), y: y as f32 };
                assert_eq!(hit(plot, SIZE, point), Some(row));
            }
            assert_eq!(hit(plot, SIZE, Point { x: 5.0, y: 200.0 }), None);
        },
    );
}

#[test]
fn nothing_leaves_the_field_and_columns_stay_within_the_width() {
    let schedule = simulated(40, 8, 60_000, 1, false);
    let mut random = Random(1);
    for _ in 0..20 {
        let from = random.below(1_000_000) as f64;
        let window = (from, from + 10.0 + random.below(2_000_000) as f64);
        let change = |plot: &mut Plot| (plot.window, plot.scroll) = (Some(window), 77.0);
        with(&schedule, change, |plot| {
            let area = plot.layout(SIZE).area;
            let spans = spans(&picture(plot));
            let is_inside = |span: &SpanRect| {
                area.x <= span.x0
                    && span.x1 <= area.right()
                    && area.y <= span.y
                    && span.y + span.h <= area.bottom() + 0.01
            };
            assert!(spans.iter().all(is_inside));
            // Rows in view × lanes × (blocks, gaps).
            assert!(spans.len() < 12 * 8 * 2 * area.w as usize);
        });
    }
}

#[test]
fn columns_are_as_strong_as_the_pixel_is_filled() {
    // Four lanes that are filled to about 98 %: 200 blocks in a pixel.
    let schedule = simulated(2, 2, 200_000, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            let spans = spans(&picture(plot));
            let columns = spans.iter().filter(|span| span.x1 - span.x0 == 1.0 && span.h < 20.0);
            let strong = columns.clone().filter(|span| 230 < span.alpha).count();
            assert!(2_000 < strong && columns.count() < strong + 40);
        },
    );
}

#[test]
fn idle_is_hatched_before_the_first_and_after_the_last_block() {
    let schedule = simulated(3, 2, 31, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            let layout = plot.layout(SIZE);
            let spans = spans(&picture(plot));
            let hatched: Vec<&SpanRect> =
                spans.iter().filter(|span| span.look == SpanStyle::Hatched).collect();
            assert!(!hatched.is_empty());
            // What is drawn on a lane covers it from time 0 to the end, but for a pixel between blocks and small gaps.
            let lane = spans.iter().filter(|span| span.y < layout.area.y + 8.0 && span.h == 9.0);
            let covered: f32 = lane.map(|span| span.x1 - span.x0).sum();
            assert!(layout.area.w - 40.0 < covered && covered <= layout.area.w + 0.1, "{covered}");
        },
    );
}

/// The widest of both: waits of more than half of the time are to the scale of all of it.
#[test]
fn the_head_of_waits_has_room_beside_its_scale() {
    /// How much wider than measured a text may be.
    const WIDE: f32 = 1.12;
    let schedule = simulated(6, 3, 20, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            for language in [Language::En, Language::Zh] {
                let scene = draw(plot, SIZE, &DrawStyle { palette: &Palette::default(), language });
                let left = plot.layout(SIZE).area.right();
                let heads: Vec<(f32, f32, &str)> = scene
                    .shapes
                    .iter()
                    .filter_map(|shape| match shape {
                        Shape::Text { at, text, font, align, .. }
                            if STRIP < at.y && at.y < STRIP + RULER && left <= at.x =>
                        {
                            let w = text::width(text, *font) * WIDE;
                            let x = if *align == lanescope::scene::Align::Right { at.x - w } else { at.x };
                            Some((x, x + w, text.as_str()))
                        }
                        _ => None,
                    })
                    .collect();
                let [(_, end, _), (start, _, scale)] = heads[..] else { panic!("{heads:?}") };
                assert_eq!(scale, "100 %");
                assert!(end + 4.0 <= start, "{heads:?}");
            }
        },
    );
}

#[test]
fn units_are_sorted_by_what_they_run_and_scrolled_to() {
    let schedule = simulated(60, 2, 1_000, 1, false);
    let order = UnitOrder { is_by_running: true, is_descending: true };
    with(
        &schedule,
        |plot| plot.order = order,
        |plot| {
            let rows = plot.layout(SIZE).rows;
            let share = |unit: &u32| schedule.shares(&schedule.units[*unit as usize], plot.origins).0;
            assert!(rows.windows(2).all(|pair| share(&pair[1]) <= share(&pair[0])));
            let last = schedule.unit.iter().position(|unit| unit == rows.last().unwrap()).unwrap() as u32;
            let scroll = scroll_to(plot, SIZE, last).unwrap();
            let seen = with(
                &schedule,
                |plot| (plot.order, plot.scroll) = (order, scroll),
                |plot| plot.layout(SIZE).seen,
            );
            assert_eq!(seen.end, 60);
        },
    );
    with(
        &schedule,
        |plot| plot.selected = Some(0),
        |plot| {
            let scene = picture(plot);
            assert!(texts(&scene).contains(&"peak ≈ 120"), "{:?}", texts(&scene));
            assert!(scene.shapes.iter().any(|shape| matches!(shape, Shape::Outline { .. })));
        },
    );
}

/// Each of four SMs has two blocks at most, all together eight: the strip says which of both its peak is.
#[test]
fn the_peak_of_the_strip_is_that_of_all_units() {
    let schedule = simulated(4, 2, 60, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            let of_unit = (0..60).map(|row| schedule.lane_of_unit(row) + 1).max().unwrap();
            let scene = picture(plot);
            let texts = texts(&scene);
            let at = texts.iter().position(|text| text.starts_with("Resident, all ")).unwrap();
            assert_eq!((of_unit, texts[at + 1]), (2, "peak ≈ 8"), "{texts:?}");
        },
    );
}

#[test]
fn one_unit_has_numbers_on_its_blocks_and_no_bars_beside() {
    let schedule = simulated(1, 1, 8, 1, false);
    with(
        &schedule,
        |_| {},
        |plot| {
            let scene = picture(plot);
            assert!(["0", "7"].iter().all(|number| texts(&scene).contains(number)));
            // The view says how many a unit has at most; the peak of the strip is that of all.
            assert!(
                texts(&scene).iter().any(|text| text.starts_with("Resident, all ")),
                "{:?}",
                texts(&scene)
            );
            assert_eq!(
                plot.layout(SIZE).area,
                Rect::new(HEADS, STRIP + RULER, SIZE.w - HEADS, SIZE.h - STRIP - RULER)
            );
        },
    );
}
