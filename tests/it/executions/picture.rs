//! The picture of executions: what is drawn where, and how much of it.

use super::{Random, Shape, USUAL, arranged, launch, program, with};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, SpanRect};
use lanescope::views::executions::compute::{Axis, Executions, Run, compare};
use lanescope::views::executions::scene::{
    ColorBy, Folding, Hit, LaneRow, Plot, draw, hit, parting_words, scroll_to,
};

const SIZE: Size = Size { w: 900.0, h: 500.0 };

fn plot<'a>(run: Run<'a>, folding: Option<&'a Folding>) -> Plot<'a> {
    Plot {
        run,
        axis: Axis::Block,
        color: ColorBy::Efficiency,
        folding,
        window: None,
        scroll: 0.0,
        selected: None,
        thread: None,
        pair: None,
    }
}

fn picture(plot: &Plot) -> Scene {
    draw(plot, SIZE, &DrawStyle { palette: &Palette::default(), language: Language::En })
}

fn fields(scene: &Scene) -> Vec<(lanescope::base::geometry::Rect, Vec<SpanRect>)> {
    let shapes = scene.shapes.iter();
    shapes
        .filter_map(|shape| match shape {
            lanescope::scene::Shape::Spans(spans) => Some((spans.field, spans.spans.clone())),
            _ => None,
        })
        .collect()
}

fn texts(scene: &Scene) -> Vec<&str> {
    let shapes = scene.shapes.iter();
    shapes
        .filter_map(|shape| match shape {
            lanescope::scene::Shape::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn an_execution_is_found_where_it_is_drawn() {
    let folding = Folding::default();
    for axis in Axis::ALL {
        with(Shape { has_time: true, ..USUAL }, |run| {
            let mut plot = Plot { axis, ..plot(run, Some(&folding)) };
            for execution in (0..run.launch.executions.block.len() as u32).step_by(7) {
                (plot.scroll, plot.window) = (0.0, None);
                let (scroll, window) = scroll_to(&plot, SIZE, execution);
                (plot.scroll, plot.window) = (scroll.unwrap_or(0.0), window);
                assert_eq!(scroll_to(&plot, SIZE, execution).1, None);
                let layout = plot.layout(SIZE);
                let thread = run.thread(execution).unwrap();
                let (start, end) = run.span(axis, &run.range(thread), execution as usize);
                if end - start < 2.0 * layout.per_px {
                    continue;
                }
                let (_, rect) = layout
                    .visible(&plot)
                    .into_iter()
                    .find(|(row, _)| *row == LaneRow::Thread(thread))
                    .unwrap();
                let x = layout.x(f64::midpoint(start, end));
                let found = hit(&plot, SIZE, Point { x, y: rect.y + 9.0 });
                assert_eq!(found, Some(Hit::Execution(thread, execution)), "{axis:?}");
            }
            assert!(matches!(hit(&plot, SIZE, Point { x: 400.0, y: 5.0 }), Some(Hit::Overview(_))));
        });
    }
}

#[test]
fn a_frame_costs_rows_times_width_and_stays_in_its_fields() {
    let folding = Folding::default();
    let shape = Shape { threads: 16, longest: 30_000, has_time: true, ..USUAL };
    with(shape, |run| {
        let mut random = Random(3);
        for _ in 0..12 {
            let axis = Axis::ALL[random.below(3) as usize];
            let end = run.end_of(axis);
            let from = random.below(end as u64) as f64;
            let plot = Plot {
                axis,
                window: Some((from, from + 10.0 + random.below(end as u64) as f64)),
                pair: Some(([0, 5], compare(&run.launch.executions, [0, 5]))),
                color: ColorBy::ALL[random.below(4) as usize],
                ..plot(run, Some(&folding))
            };
            for (field, spans) in fields(&picture(&plot)) {
                let is_inside = |span: &SpanRect| {
                    field.x <= span.x0
                        && span.x1 <= field.right()
                        && field.y <= span.y
                        && span.y + span.h <= field.bottom() + 0.01
                };
                assert!(spans.iter().all(is_inside));
                let rows = (field.h / 18.0).ceil() as usize + 1;
                let most = (field.w as usize + 2) * rows * 4 + 64;
                assert!(spans.len() <= most, "{} of {most}", spans.len());
            }
        }
    });
}

#[test]
fn groups_close_and_only_one_thread_has_no_list() {
    with(USUAL, |run| {
        let mut folding = Folding::default();
        folding.turn(1);
        let rows: Vec<LaneRow> = plot(run, Some(&folding))
            .layout(SIZE)
            .visible(&plot(run, Some(&folding)))
            .iter()
            .map(|row| row.0)
            .collect();
        assert_eq!(rows[..2], [LaneRow::Group(0), LaneRow::Thread(0)]);
        assert_eq!(rows[5..8], [LaneRow::Group(1), LaneRow::Group(2), LaneRow::Thread(8)]);
        folding.is_closed = true;
        assert_eq!((folding.is_closed(0), folding.is_closed(1)), (true, false));
        let scene = picture(&plot(run, None));
        assert!(texts(&scene).contains(&"CTA 0,0,0 warp 3"), "{:?}", texts(&scene));
        assert_eq!(plot(run, None).layout(SIZE).rows_h, 12.0 * 18.0);
    });
    with(Shape { threads: 1, longest: 20, ..USUAL }, |run| {
        let layout = plot(run, None).layout(SIZE);
        assert_eq!((layout.area.x, layout.rows_h), (0.0, 36.0));
        let label = run.label(run.block(0)).to_owned();
        assert!(texts(&picture(&plot(run, None))).contains(&label.as_str()));
    });
    with(Shape { blocks: 1, threads: 1, longest: 20, ..USUAL }, |run| {
        assert_eq!(plot(run, None).layout(SIZE).overview.h, 0.0);
        assert!(texts(&picture(&plot(run, None))).contains(&"19"));
    });
}

#[test]
fn a_pair_says_where_it_parts() {
    with(USUAL, |run| {
        let parting = compare(&run.launch.executions, [0, 5]);
        let plot = Plot { pair: Some(([0, 5], parting)), ..plot(run, None) };
        let scene = picture(&plot);
        let words = texts(&scene).join("|");
        assert!(words.contains(&format!("diverge at {}: A to BB", parting.common)), "{words}");
        assert!(words.contains("A  CTA 0,0,0 warp 0") && words.contains("Compared"), "{words}");
        let found = hit(&plot, SIZE, Point { x: 60.0, y: 62.0 + 50.0 });
        assert_eq!(found, Some(Hit::Thread(5)));
    });
}

/// What is said of two threads that run these blocks, the second of them with so many lanes.
fn told(blocks: [&[u32]; 2], lanes: u8) -> String {
    let (mut launch, program) = (launch(Shape { threads: 2, longest: 0, ..USUAL }), program(6));
    let [a, b] = blocks.map(<[u32]>::len);
    launch.executions = Executions {
        starts: vec![0, a as u32, (a + b) as u32],
        block: blocks.concat(),
        lanes: [vec![32; a], vec![lanes; b]].concat(),
        flags: vec![0; a + b],
        ..Executions::default()
    };
    let arranged = arranged(&launch, &program);
    let parting = compare(&launch.executions, [0, 1]);
    let run = Run { launch: &launch, program: &program, arranged: &arranged };
    let plot = Plot { pair: Some(([0, 1], parting)), ..plot(run, None) };
    parting_words(&plot, parting, Language::En)
}

#[test]
fn where_two_threads_part_is_a_sentence() {
    assert_eq!(
        told([&[0, 1, 2], &[0, 1, 3]], 32),
        "Both were in BB1; A went to BB2, B to BB3, after 2 common blocks."
    );
    assert_eq!(told([&[2], &[3, 4]], 32), "The threads diverge immediately: A started in BB2, B in BB3.");
    assert_eq!(told([&[0, 1], &[0, 1, 4]], 32), "A ended in BB1; B went to BB4, after 2 common blocks.");
    assert_eq!(told([&[0, 1, 4], &[0, 1]], 32), "B ended in BB1; A went to BB4, after 2 common blocks.");
    assert_eq!(
        told([&[0, 1], &[0, 1]], 8),
        "Both threads executed the same 2 blocks. Their active lanes differ from block 0 on."
    );
}

#[test]
fn without_memory_or_lanes_colors_fall_back() {
    with(Shape { has_memory: false, ..USUAL }, |run| {
        assert_eq!(ColorBy::Efficiency.possible(&run), ColorBy::Lanes);
        assert_eq!(ColorBy::Block.possible(&run), ColorBy::Block);
        assert!(!texts(&picture(&plot(run, None))).contains(&"used"));
    });
}
