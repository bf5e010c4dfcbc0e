//! Two of each hand-made figure are compared: joins, differences, what is missing, and why some pairs are refused.

use super::specimen::{self, look, palette};
use lanescope::analysis::compare::{change, compare};
use lanescope::analysis::rows::FigureRows;
use lanescope::base::geometry::Size;
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::draw;
use lanescope::draw::facts::{column_digits, head_in, text_in_row};
use lanescope::draw::table::TableFormat;
use lanescope::model::figure::{
    Bar, BarRole, Bars, Body, BoxArrow, Cell, CoreGrid, Fact, Facts, Figure, FigureState, Gantt, HeatMap,
    Histogram, Matrix, MatrixCell, TableColumn, TableFigure,
};
use lanescope::scene::palette::{Ink, RampName};
use lanescope::scene::{Align, Scene, Shape, text};

/// The body of a figure by its kind.
macro_rules! body {
    ($kind:ident, $figure:expr) => {
        match &$figure.body {
            Body::$kind(body) => body,
            _ => panic!("another kind"),
        }
    };
}

fn drawn_in(figure: &Figure, width: f32) -> Scene {
    let (palette, language) = (palette("light"), Language::En);
    let size = Size { w: width, h: draw::height(figure, width, language) };
    draw::draw(figure, size, &look(&palette), &FigureState::default())
}

fn drawn(figure: &Figure) -> Scene {
    draw::sheet(figure, 800.0, &look(&palette("light")), &FigureState::default())
}

#[test]
fn every_kind_meets_itself_with_differences_of_nothing() {
    for (name, figure) in specimen::all() {
        let both = compare(&figure, &figure).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(2 < drawn(&both).shapes.len(), "{name} draws nothing");
        assert!(both.notes.is_empty(), "{name}: {:?}", both.notes);
        let differences: Vec<f64> = match &both.body {
            Body::Table(t) => {
                let is_difference = |c: usize| t.columns[c].is_difference;
                let cells =
                    t.rows.iter().flat_map(|r| r.iter().enumerate().filter(|(c, _)| is_difference(*c)));
                cells.filter_map(|(_, c)| c.as_number()).collect()
            }
            Body::Cores(g) => g.cores.iter().flat_map(|c| &c.cells).filter_map(|c| c.value).collect(),
            Body::HeatMap(m) => m.values.iter().filter(|v| v.is_finite()).map(|v| f64::from(*v)).collect(),
            _ => continue,
        };
        assert!(!differences.is_empty() && differences.iter().all(|d| *d == 0.0), "{name}");
    }
}

#[test]
fn facts_stand_side_by_side_with_their_difference() {
    let (before, after) = (specimen::ascend::facts(), facts(120.0));
    let both = compare(&before, &after).unwrap();
    let table: &TableFigure = body!(Table, both);
    let heads: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(heads, ["", "Baseline", "Comparison", "Difference"]);
    let text = |t: &str| Cell::Text(t.to_owned());
    let row = |name: &str| table.rows.iter().find(|r| r[0] == text(name)).unwrap().clone();
    assert_eq!(row("Duration")[1..], [Cell::Number(127.5), Cell::Number(120.0), Cell::Number(-7.5)]);
    assert_eq!(row("Kernel")[1..], [text("blur_mix_3"), text("blur_mix_4"), Cell::Missing]);
    assert_eq!(row("Driver")[1..], [Cell::Missing, Cell::Number(8.0), Cell::Missing]);
    assert_eq!(row("Blocks")[1..], [Cell::Number(8.0), Cell::Missing, Cell::Missing]);
    // Whole amounts have their unit as their difference has it.
    let sizes = |n: u64| {
        let fact = Fact { name: "Allocated".into(), value: Cell::Integer(n), unit: Unit::Bytes };
        Figure::new("Allocation", Body::Facts(Facts { facts: vec![fact] }))
    };
    let sizes = compare(&sizes(40_960), &sizes(12_800)).unwrap();
    let source = FigureRows::new(body!(Table, sizes));
    let row = TableFormat::new(&source).row(&source, 0, Language::En);
    let shown: Vec<&str> = row.iter().skip(1).map(|cell| cell.text.split(" (").next().unwrap()).collect();
    assert_eq!(shown, ["40.00 KiB", "12.50 KiB", "−27.50 KiB"]);
    // Less time is better, and the sign is written.
    let scene = drawn(&both);
    let ink = |words: &str| {
        scene.shapes.iter().find_map(|s| match s {
            Shape::Text { text, ink, .. } if text == words => Some(*ink),
            _ => None,
        })
    };
    assert_eq!(ink("−7.500 µs (−5.88 %, 0.941×)"), Some(Ink::Token("better")));
}

fn facts(duration: f64) -> Figure {
    let fact = |name: &str, value: Cell, unit: Unit| Fact { name: name.into(), value, unit };
    let facts = vec![
        fact("Kernel", Cell::Text("blur_mix_4".into()), Unit::None),
        fact("Duration", Cell::Number(duration), Unit::Micros),
        fact("Driver", Cell::Number(8.0), Unit::None),
    ];
    Figure::new("Base info", Body::Facts(Facts { facts }))
}

#[test]
fn tables_join_by_their_keys_and_keep_what_one_side_lacks() {
    let before = specimen::instrumentation::buffers();
    let mut after = before.clone();
    let Body::Table(table) = &mut after.body else { panic!("no table") };
    table.rows.remove(1);
    table.rows.reverse();
    table.rows[0][4] = Cell::Number(80.0);
    table.rows[1][2] = Cell::Number(2_097_152.0);
    let both = compare(&before, &after).unwrap();
    let joined = body!(Table, both);
    let heads: Vec<&str> = joined.columns.iter().skip(2).take(3).map(|c| c.name.as_str()).collect();
    assert_eq!(heads, ["Planned (baseline)", "Planned (comparison)", "Planned (difference)"]);
    assert_eq!(joined.rows.len(), 3);
    // In the order of the comparison: flow, memory; then what only the baseline has.
    // What did not change where both sides have it comes last.
    assert_eq!(joined.columns[8].name, "Capacity (baseline)");
    assert_eq!(joined.rows[0][5..8], [Cell::Missing, Cell::Number(80.0), Cell::Missing]);
    assert_eq!(
        joined.rows[1][2..5],
        [Cell::Number(1_048_576.0), Cell::Number(2_097_152.0), Cell::Number(1_048_576.0)]
    );
    assert_eq!(joined.rows[2][2..5], [Cell::Number(65_536.0), Cell::Missing, Cell::Missing]);
    assert_eq!(both.notes, ["Only in the baseline: 1 block"]);
}

#[test]
fn what_is_equal_on_both_sides_stands_once_behind_what_differs() {
    let column = |name: &str| TableColumn { name: name.into(), ..TableColumn::default() };
    let figure = |rows: [(&str, &str, u64, u64); 2]| {
        let row = |(name, grid, warps, sectors): (&str, &str, u64, u64)| {
            let [name, grid] = [name, grid].map(|text| Cell::Text(text.into()));
            vec![name, grid, Cell::Integer(warps), Cell::Integer(0), Cell::Integer(sectors)]
        };
        let columns = ["Kernel", "Grid", "Warps", "Off", "Sectors"].map(column).to_vec();
        let rows = rows.map(row).to_vec();
        Figure::new("", Body::Table(TableFigure { columns, rows, key_columns: 1, ..TableFigure::default() }))
    };
    let both = |old, new| compare(&figure(old), &figure(new)).unwrap();
    let old = [("a", "2 × 1", 4, 10), ("b", "4 × 1", 8, 20)];
    let joined = both(old, [("a", "2 × 1", 4, 10), ("b", "4 × 1", 8, 40)]);
    let joined = body!(Table, joined);
    let heads: Vec<&str> = joined.columns.iter().map(|c| c.name.as_str()).collect();
    let sectors = ["Sectors (baseline)", "Sectors (comparison)", "Sectors (difference)"];
    let off = ["Off (baseline)", "Off (comparison)", "Off (difference)"];
    assert_eq!(heads, [&["Kernel"][..], &sectors, &["Grid", "Warps"], &off].concat());
    assert_eq!(joined.rows[1][3..6], [Cell::Number(20.0), Cell::Text("4 × 1".into()), Cell::Integer(8)]);
    // What a row has on one side only: a text is told, an amount stays missing on the other side.
    let joined = both(old, [("a", "2 × 1", 4, 11), ("c", "6 × 1", 9, 40)]);
    let joined = body!(Table, joined);
    let heads: Vec<&str> = joined.columns.iter().skip(4).take(3).map(|c| c.name.as_str()).collect();
    assert_eq!(heads, ["Grid", "Warps (baseline)", "Warps (comparison)"]);
    let grids: Vec<String> = joined.rows.iter().map(|row| row[4].plain()).collect();
    assert_eq!(grids, ["2 × 1", "6 × 1", "4 × 1"]);
    assert_eq!(joined.rows[1][5..8], [Cell::Missing, Cell::Integer(9), Cell::Missing]);
}

#[test]
fn bars_have_two_parts_and_a_signed_difference() {
    let before = specimen::ascend::bars();
    let mut after = before.clone();
    let Body::Bars(bars) = &mut after.body else { panic!("no bars") };
    bars.bars[0].values = vec![Some(60.0)];
    bars.bars[0].detail = "40,000 cycles".into();
    bars.bars.pop();
    let both = compare(&before, &after).unwrap();
    let joined: &Bars = body!(Bars, both);
    assert_eq!(joined.bars[0].values, [Some(54.2), Some(60.0)]);
    // More of the cycles, but fewer of them.
    assert_eq!(joined.bars[0].detail, "47,000 cycles → 40,000 cycles");
    assert_eq!(joined.bars.last().unwrap().name, "Vector misc 1");
    assert_eq!(joined.bars.last().unwrap().values, [None, None]);
    assert!(texts(&drawn(&both)).contains(&"+5.8".to_owned()));
}

fn texts(scene: &Scene) -> Vec<String> {
    scene
        .shapes
        .iter()
        .filter_map(|s| if let Shape::Text { text, .. } = s { Some(text.clone()) } else { None })
        .collect()
}

#[test]
fn cores_and_matrices_join_by_name() {
    let before = specimen::ascend::cores();
    let mut after = before.clone();
    let Body::Cores(grid) = &mut after.body else { panic!("no cores") };
    grid.cores[6].cells[2].value = Some(42_000.0);
    grid.cores[0].cells[0].value = None;
    let both = compare(&before, &after).unwrap();
    let joined: &CoreGrid = body!(Cores, both);
    assert_eq!(joined.cores[6].cells[2].value, Some(-6_600.0));
    assert_eq!(joined.cores[6].cells[2].pair, Some((Some(48_600.0), Some(42_000.0))));
    assert_eq!(joined.cores[0].cells[0].value, None);
    assert!(joined.is_difference);
    // 6,600 of 48,600 cycles less; colors are of the change in percent.
    assert!(texts(&drawn(&both)).contains(&"−6,600 (−13.6 %)".to_owned()));
    let same = compare(&before, &before).unwrap();
    let ends = texts(&draw::legend(&same, &look(&palette("light")), None).unwrap());
    assert!(ends.iter().any(|end| end == "+5 %"), "{ends:?}");

    let before = specimen::nnapi::matrix();
    let mut after = before.clone();
    let Body::Matrix(matrix) = &mut after.body else { panic!("no matrix") };
    matrix.rows[4] = "Accelerator".into();
    let both = compare(&before, &after).unwrap();
    let joined: &Matrix = body!(Matrix, both);
    assert_eq!(joined.rows, ["Application", "Runtime", "IPC", "Driver", "Accelerator", "CPU"]);
    assert_eq!(joined.cells.len(), 6 * 8);
    let driver_compilation = &joined.cells[3 * 8 + 2];
    assert_eq!((driver_compilation.value, driver_compilation.second), (Some(18.2), Some(18.2)));
}

#[test]
fn heat_maps_are_subtracted_only_over_the_same_axes() {
    let before = specimen::instrumentation::heat_map();
    let mut after = before.clone();
    let Body::HeatMap(map) = &mut after.body else { panic!("no heat map") };
    map.values[300 * 1024 + 700] = 96.0;
    let both = compare(&before, &after).unwrap();
    let joined: &HeatMap = body!(HeatMap, both);
    assert_eq!(joined.values[300 * 1024 + 700], -4_000.0);
    assert!(joined.values[1023 * 1024].is_nan());
    assert_eq!(joined.values.iter().filter(|v| **v != 0.0 && v.is_finite()).count(), 1);
    let Body::HeatMap(map) = &mut after.body else { panic!("no heat map") };
    map.x.to = 2048.0;
    assert_eq!(
        compare(&before, &after).unwrap_err(),
        "Cannot compare figures with different horizontal axes."
    );
}

#[test]
fn histograms_meet_over_common_bins() {
    let before = specimen::gainsight::lifetimes();
    let mut after = before.clone();
    let Body::Histogram(histogram) = &mut after.body else { panic!("no histogram") };
    // Half as many bins for the same range.
    histogram.edges = lanescope::analysis::bins::edges(10.0, 100_000.0, 8, histogram.x.scale);
    for series in &mut histogram.series {
        series.counts = series.counts.chunks(2).map(|c| c.iter().sum()).collect();
    }
    let both = compare(&before, &after).unwrap();
    let joined: &Histogram = body!(Histogram, both);
    assert_eq!(joined.edges.len(), 17);
    let names: Vec<&str> = joined.series.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["A L1", "A L2", "B L1", "B L2"]);
    for (a, b) in [(0, 2), (1, 3)] {
        let sum = |s: usize| joined.series[s].counts.iter().sum::<f64>();
        assert!((sum(a) - sum(b)).abs() < 1e-6);
    }
    assert_eq!(joined.series[0].counts[3], 61.0);
    assert!((joined.series[2].counts[3] - 40.5).abs() < 1e-6);
}

#[test]
fn graphs_write_the_baseline_in_parentheses() {
    let before = specimen::ascend::memory();
    let mut after = before.clone();
    let Body::Graph(graph) = &mut after.body else { panic!("no graph") };
    graph.arrows[0].value = Some(700.0);
    graph.arrows.pop();
    graph.boxes[4].fact = "90.0 % hit".into();
    let both = compare(&before, &after).unwrap();
    let joined: &BoxArrow = body!(Graph, both);
    assert_eq!((joined.arrows[0].value, joined.arrows[0].second), (Some(700.0), Some(612.4)));
    let last = joined.arrows.last().unwrap();
    assert_eq!((last.key.as_str(), last.value, last.second), ("19", None, Some(329.5)));
    let words = texts(&drawn(&both));
    assert!(words.contains(&"(612.4)".to_owned()), "{words:?}");
    assert!(joined.boxes[4].fact == "90.0 % hit (80.6 % hit)");
}

#[test]
fn schedules_stand_group_by_group() {
    let figure = specimen::neutrino::schedule();
    let both = compare(&figure, &figure).unwrap();
    let joined: &Gantt = body!(Gantt, both);
    let groups: Vec<&str> = joined.lanes.iter().take(6).map(|l| l.group.as_str()).collect();
    assert_eq!(groups, ["A SM 0", "A SM 0", "B SM 0", "B SM 0", "A SM 1", "A SM 1"]);
    assert_eq!(joined.bars.len(), 2 * body!(Gantt, figure).bars.len());
    let lane_of = |bar: usize| joined.lanes[joined.bars[bar].lane as usize].group.clone();
    assert_eq!(lane_of(0), "A SM 0");
    assert_eq!(lane_of(body!(Gantt, figure).bars.len()), "B SM 0");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let why = compare(&specimen::ascend::bars(), &specimen::ascend::cores()).unwrap_err();
    assert_eq!(why, "Cannot compare figures of different types.");
    let mut other = specimen::ascend::bars();
    let Body::Bars(bars) = &mut other.body else { panic!("no bars") };
    bars.unit = Unit::Cycles;
    assert!(compare(&specimen::ascend::bars(), &other).unwrap_err().contains("different units"));
}

#[test]
fn values_with_a_baseline_say_which_way_they_went() {
    let before = specimen::ascend::memory();
    let mut after = before.clone();
    let Body::Graph(graph) = &mut after.body else { panic!("no graph") };
    let arrow = graph.arrows.iter_mut().find(|a| a.value.is_some_and(|v| 1.0 < v)).unwrap();
    arrow.value = arrow.value.map(|v| v / 2.0);
    let both = compare(&before, &after).unwrap();
    let fallen: Vec<Ink> = drawn(&both)
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Text { text, ink, .. } if text.starts_with("↓ ") => Some(*ink),
            _ => None,
        })
        .collect();
    // A lower bandwidth is neither better nor worse; equal values have no arrow.
    assert_eq!(fallen, [Ink::Token("t2")]);
    assert!(!texts(&drawn(&both)).iter().any(|t| t.starts_with('↑')));

    let before = specimen::nnapi::matrix();
    let mut after = before.clone();
    let Body::Matrix(matrix) = &mut after.body else { panic!("no matrix") };
    let cell = matrix.cells.iter_mut().find(|c| c.value.is_some_and(|v| 0.0 < v)).unwrap();
    cell.value = cell.value.map(|v| v * 2.0);
    let sum = matrix.column_totals.iter_mut().find_map(|total| total.as_mut().filter(|v| 0.0 < **v)).unwrap();
    *sum *= 2.0;
    let risen = texts(&drawn(&compare(&before, &after).unwrap()));
    // Both the cell and the sum doubled, and have their baselines beside them.
    let doubled: Vec<&String> = risen.iter().filter(|t| t.ends_with(", +100 %)")).collect();
    assert_eq!(doubled.len(), 2, "{risen:?}");
    assert_eq!(risen.iter().filter(|t| t.starts_with("↑ ")).count(), 1);
    assert!(!texts(&drawn(&before)).iter().any(|t| t.starts_with('↑')));
}

#[test]
fn roofs_of_both_share_colors_and_equal_slopes_are_named_once() {
    let figure = specimen::ascend::roofline();
    let both = compare(&figure, &figure).unwrap();
    let Body::Roofline(roofs) = &both.body else { panic!("no roofline") };
    assert_eq!(roofs.n_baseline * 2, roofs.roofs.len());
    let texts = texts(&drawn(&both));
    let slope = &roofs.roofs[0].bandwidth_name.replace("A ", "");
    let named: Vec<&String> =
        texts.iter().filter(|t| t.contains(slope.as_str()) && t.contains("TB/s")).collect();
    assert_eq!(named.len(), 1, "{texts:?}");
    assert!(named[0].starts_with(slope.as_str()), "{named:?}");
    assert!(
        texts.iter().any(|t| t.starts_with("A ")) || texts.iter().any(|t| t.starts_with("B ")),
        "{texts:?}"
    );
    let is_twice = |text: &&String| text.starts_with("A A ") || text.starts_with("B B ");
    assert_eq!(texts.iter().find(is_twice), None);
}

/// How much of the ground of each bar of a scene is filled, and what is told above the bars.
fn bars(scene: &Scene) -> (Vec<f32>, Vec<&str>) {
    let fills = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Fill { rect, ink, .. } if rect.h == 2.0 => Some((rect.w, *ink)),
        _ => None,
    });
    let fills: Vec<_> = fills.collect();
    let filled = fills.windows(2).filter(|pair| pair[1].1 == Ink::Token("accent"));
    let filled = filled.map(|pair| pair[1].0 / pair[0].0).collect();
    let told = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Hit { name, .. } if name.contains("Bar:") => Some(name.as_str()),
        _ => None,
    });
    (filled, told.collect())
}

#[test]
fn a_bar_of_a_share_is_one_of_100_percent() {
    let matrix = |unit: Unit, factor: f64| {
        let cell = |value: f64| MatrixCell { value: Some(value * factor), ..MatrixCell::default() };
        Matrix {
            unit,
            is_shaded: true,
            rows: ["CUBE", "MTE2"].map(str::to_owned).to_vec(),
            columns: vec!["busy".to_owned()],
            cells: vec![cell(92.0), cell(46.0)],
            ..Matrix::default()
        }
    };
    let close = |got: &[f32], wanted: [f32; 2]| {
        assert!(got.len() == 2 && got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?}");
    };
    let compared = |matrix: Matrix| {
        let figure = Figure::new("Busy", Body::Matrix(matrix));
        compare(&figure, &figure).unwrap()
    };
    for (unit, factor) in [(Unit::Percent, 1.0), (Unit::Share, 0.01)] {
        let figure = compared(matrix(unit, factor));
        let scene = drawn(&figure);
        let (filled, told) = bars(&scene);
        close(&filled, [0.92, 0.46]);
        assert_eq!(told, ["busy\nBar: 0 to 100 %"]);
    }
    // Times are shares of their column, which is told.
    let figure = compared(matrix(Unit::Micros, 1.0));
    let scene = drawn(&figure);
    let (filled, told) = bars(&scene);
    close(&filled, [2.0 / 3.0, 1.0 / 3.0]);
    assert_eq!(told, ["busy\nBar: 0 to 138.000 µs"]);
}

#[test]
fn a_bar_of_a_table_says_its_scale_and_none_is_longer() {
    let column = |name: &str, unit, has_bar| TableColumn {
        name: name.to_owned(),
        unit,
        has_bar,
        ..TableColumn::default()
    };
    // The largest value stands below the rows that are looked at for digits and widths.
    let rows = (0..300).map(|i| {
        [Cell::Text(format!("row {i}")), Cell::Number(f64::from(i)), Cell::Number(f64::from(i) / 300.0)]
            .to_vec()
    });
    let columns = vec![
        column("Name", Unit::None, false),
        column("Time", Unit::Micros, true),
        column("Busy", Unit::Share, true),
    ];
    let table = TableFigure { columns, rows: rows.collect(), ..TableFigure::default() };
    let source = FigureRows::new(&table);
    let format = TableFormat::new(&source);
    let palette = palette("light");
    let heads = format.heads(&source, &look(&palette));
    let scales: Vec<&str> = heads.iter().map(|head| head.bar.as_str()).collect();
    assert_eq!(scales, ["", "Bar: 0 to 299.000 µs", "Bar: 0 to 100 %"]);
    let shares =
        format.row(&source, 150, Language::En).into_iter().map(|cell| cell.share).collect::<Vec<_>>();
    assert_eq!(shares, [None, Some(150.0 / 299.0), Some(0.5)]);
    let scene = drawn(&Figure::new("Table", Body::Table(table)));
    assert_eq!(bars(&scene).1, ["Time, µs\nBar: 0 to 299.000 µs", "Busy, %\nBar: 0 to 100 %"]);
}

#[test]
fn a_difference_says_which_part_of_the_baseline_it_is() {
    let parts = [
        (9.12, 5.928, "−35 %, 0.65×"),
        (127.5, 120.0, "−5.88 %, 0.941×"),
        (1.0, 742.0, "+74,100 %, 742×"),
        (0.000_262, 0.000_17, "−35.1 %, 0.649×"),
        (100.0, 100.0, ""),
        (0.0, 3.0, ""),
        (-1.0, 3.0, ""),
        (4.0, 0.0, "−100 %, 0×"),
    ];
    for (old, new, words) in parts {
        assert_eq!(change(old, new, &Unit::Micros), words, "{old} to {new}");
    }
    assert_eq!(change(0.5, 0.6, &Unit::Share), "", "shares differ in points");
}

#[test]
fn texts_of_compared_bars_never_overlap() {
    let bar = |name: &str, a: f64, b: f64| Bar {
        name: name.to_owned(),
        values: vec![Some(a), Some(b)],
        role: BarRole::Work,
        detail: String::new(),
    };
    let bars =
        vec![bar("SCALAR", 0.000_262, 0.000_17), bar("a pipe with a long name", 1_234_567.0, 1_234_568.5)];
    let parts = vec!["Baseline".to_owned(), "Comparison".to_owned()];
    let both = Bars { unit: Unit::Micros, parts, is_comparison: true, bars, ..Bars::default() };
    let figure = Figure::new("Pipes", Body::Bars(both));
    for width in [240.0, 320.0, 460.0, 900.0] {
        let scene = drawn_in(&figure, width);
        let mut rows: std::collections::BTreeMap<i32, Vec<(f32, f32)>> = std::collections::BTreeMap::new();
        for shape in &scene.shapes {
            let Shape::Text { at, text, font, align, .. } = shape else { continue };
            let w = text::width(text, *font);
            let x = match align {
                Align::Left => at.x,
                Align::Right => at.x - w,
                Align::Middle => at.x - w / 2.0,
            };
            rows.entry(at.y.round() as i32).or_default().push((x, x + w));
        }
        for (y, mut spans) in rows {
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in spans.windows(2) {
                assert!(pair[0].1 <= pair[1].0 + 0.5, "{width} px wide, at {y}: {pair:?}");
            }
        }
    }
}

/// A heat table of blocks: a time and a share for each.
fn heat_table(values: &[(f64, f64)]) -> Figure {
    let cell = |value: f64| MatrixCell { value: Some(value), ..MatrixCell::default() };
    Figure::new(
        "Blocks",
        Body::Matrix(Matrix {
            row_name: "Block ID".to_owned(),
            rows: (0..values.len()).map(|block| block.to_string()).collect(),
            columns: vec!["time".to_owned(), "hits".to_owned()],
            column_units: vec![Unit::Micros, Unit::Percent],
            cells: values.iter().flat_map(|(time, hits)| [cell(*time), cell(*hits)]).collect(),
            ..Matrix::default()
        }),
    )
}

#[test]
fn a_heat_table_beside_a_baseline_is_colored_by_the_change_of_each_block() {
    let before = heat_table(&[(100.0, 50.0), (10.0, 50.0), (0.0, 50.0)]);
    let after = heat_table(&[(65.0, 60.0), (12.5, 50.0), (3.0, 50.0)]);
    let both = compare(&before, &after).unwrap();
    let scene = drawn_in(&both, 600.0);
    let words = texts(&scene);
    // 65 ÷ 100, 12.5 ÷ 10, nothing to divide by; shares in points.
    for word in ["Δ %", "Δ points", "−35.0", "+25.0", "–", "+10.0", "0.0"] {
        assert!(words.iter().any(|text| text == word), "{word}: {words:?}");
    }
    let tips: Vec<&str> = scene
        .shapes
        .iter()
        .filter_map(|shape| if let Shape::Hit { name, .. } = shape { Some(name.as_str()) } else { None })
        .collect();
    assert!(
        tips.contains(&"0 · time\n\t65 µs\nA (baseline)\t100 µs\nDifference\t−35 µs (−35 %, 0.65×)"),
        "{tips:?}"
    );
    // One scale around 0: the largest fall has its low end, what did not change has no color.
    let low = look(&palette("light")).ramp(RampName::Sign, 0.0);
    let n_low = |scene: &Scene| {
        let is_low = |shape: &&Shape| matches!(shape, Shape::Fill { ink, .. } if *ink == low);
        scene.shapes.iter().filter(is_low).count()
    };
    assert_eq!(n_low(&scene), 1);
    let legend = draw::legend(&both, &look(&palette("light")), None).unwrap();
    assert_eq!(texts(&legend), ["−35.0 %", "+35.0 %"]);
    assert!(draw::legend(&before, &look(&palette("light")), None).is_none());
    // Equal values whose baseline is another are something to see.
    let (old, new) = (heat_table(&[(1.0, 1.0), (2.0, 2.0)]), heat_table(&[(4.0, 4.0), (4.0, 4.0)]));
    assert!(draw::page::flat::of_figure(&compare(&old, &new).unwrap()).is_none());
    let doubled = draw::legend(&compare(&old, &new).unwrap(), &look(&palette("light")), None).unwrap();
    assert_eq!(texts(&doubled), ["−100 %", "≥ +100 %"]);
}

#[test]
fn shares_of_a_heat_table_beside_a_baseline_are_told_in_points_without_a_color() {
    // Files write ratios without a unit. 24 points more, though the time fell, are neither better nor worse.
    let [mut old, mut new] = [heat_table(&[(100.0, 0.6)]), heat_table(&[(70.0, 0.84)])];
    for figure in [&mut old, &mut new] {
        let Body::Matrix(matrix) = &mut figure.body else { panic!("no matrix") };
        matrix.columns[1] = "aiv_scalar_ratio".to_owned();
        matrix.column_units[1] = Unit::None;
    }
    let scene = drawn_in(&compare(&old, &new).unwrap(), 600.0);
    let words = texts(&scene);
    assert!(["−30.0", "+24.0", "Δ points"].iter().all(|word| words.iter().any(|w| w == word)), "{words:?}");
    let is_colored = |shape: &&Shape| matches!(shape, Shape::Fill { ink: Ink::Stop(RampName::Sign, _), .. });
    assert_eq!(scene.shapes.iter().filter(is_colored).count(), 1);
}

#[test]
fn differences_of_shares_are_in_points_with_the_digits_of_the_shares() {
    let column =
        |name: &str, unit: Unit| TableColumn { name: name.to_owned(), unit, ..TableColumn::default() };
    let table = |shares: [f64; 2]| {
        let row = |(pipe, share): (&str, f64)| vec![Cell::Text(pipe.to_owned()), Cell::Number(share)];
        let table = TableFigure {
            columns: vec![column("Pipe", Unit::None), column("Active", Unit::Percent)],
            rows: ["Scalar", "MTE3"].into_iter().zip(shares).map(row).collect(),
            key_columns: 1,
            ..TableFigure::default()
        };
        Figure::new("Pipes", Body::Table(table))
    };
    let both = compare(&table([93.9, 30.000_006_06]), &table([93.658_512, 30.000_01])).unwrap();
    let joined = body!(Table, both);
    let heads: Vec<String> = joined.columns.iter().map(|column| head_in(column, Language::En)).collect();
    assert_eq!(heads, ["Pipe", "Active A, %", "Active B, %", "Active (difference), points"]);
    let told = |row: usize| text_in_row(joined, row, 3, column_digits(joined, 3)).unwrap();
    assert_eq!([told(0), told(1)], ["−0.2", "≈ 0"]);
}
