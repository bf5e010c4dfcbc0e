//! Two runs are compared: distributions over each other, devices, and kernel by kernel by name and order.

use super::front::{log, logs};
use crate::gainsight::{export, open_set, run};
use crate::scalesim::{figure, with};
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::engine::compare::figures;
use lanescope::engine::compared_lifetimes;
use lanescope::model::figure::{Body, Cell, Family, TableFigure};
use lanescope::scene::palette::Palette;
use lanescope::views::lifetimes::compute::Settings;

fn opened(text: String) -> Document {
    open_set(&[("small.log", text.into_bytes())], &[])
}

fn table(family: &Family, variant: usize) -> &TableFigure {
    match &family.variants[variant].body {
        Body::Table(table) => table,
        _ => panic!("{} is no table", family.id),
    }
}

fn family<'a>(all: &'a [Family], id: &str) -> &'a Family {
    all.iter().find(|family| family.id == id).unwrap_or_else(|| panic!("{id}"))
}

fn cell<'a>(table: &'a TableFigure, row: usize, column: &str) -> &'a Cell {
    let at = table.columns.iter().position(|own| own.name == column);
    &table.rows[row][at.unwrap_or_else(|| panic!("{column}: {:?}", table.columns))]
}

#[test]
fn kernels_meet_by_name_and_order_with_the_differences_of_what_they_did() {
    // The second has a kernel more in front, whose number its kernels' numbers follow.
    let (before, after) =
        (opened(logs(&["work", "other", "work"], 3)), opened(logs(&["new", "work", "work"], 9)));
    let joined = figures(&before, &after);
    let kernels = family(&joined.families, "lifetime-kernels");
    assert_eq!(kernels.variants.len(), 2, "one for each level");
    for level in 0..2 {
        let table = table(kernels, level);
        let names: Vec<String> = table.rows.iter().map(|row| row[0].plain()).collect();
        assert_eq!(names, ["new", "work", "work", "other"]);
        for (row, [old, new]) in [(1, [0, 1]), (2, [2, 2])] {
            let rows = [(&before, old), (&after, new)].map(|(doc, row)| {
                let level = &run(doc).kernels[row].levels[level];
                let settings = Settings::of(&crate::gainsight::values(&[]), run(doc));
                let micros = |cycles: f64| settings.micros(cycles);
                let counts = &level.counts;
                let lengths = &level.reused;
                [
                    counts.accesses() as f64,
                    counts.lifetimes as f64,
                    lengths.count() as f64,
                    micros(lengths.mean()),
                    micros(lengths.quantile(0.5)),
                    micros(lengths.quantile(0.9)),
                    micros(lengths.max() as f64),
                    lengths.refreshes(settings.clock_mhz) as f64,
                ]
            });
            let columns = [
                "Accesses",
                "Lifetimes opened",
                "Lifetimes",
                "Mean lifetime",
                "Median lifetime",
                "90% of lifetimes",
                "Longest lifetime",
                "Refreshes: Silicon gain cell",
            ];
            for (at, column) in columns.into_iter().enumerate() {
                let found = ["baseline", "comparison", "difference"]
                    .map(|part| cell(table, row, &format!("{column} ({part})")).as_number().unwrap());
                let expected = [rows[0][at], rows[1][at], rows[1][at] - rows[0][at]];
                for (found, expected) in found.into_iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-9, "{column}: {found} {expected}");
                }
            }
        }
        assert_eq!(cell(table, 0, "Accesses (difference)"), &Cell::Missing);
        let is_area = |name: &str| name.starts_with("Area") && name.ends_with("SRAM (difference)");
        let area = table.columns.iter().find(|column| is_area(&column.name)).expect("an area of SRAM");
        assert!(cell(table, 1, &area.name).as_number().is_some());
    }
    assert_eq!(kernels.variants[0].notes[..2].len(), 2, "what only one has is said");
}

#[test]
fn distributions_lie_over_each_other_with_the_share_at_each_retention() {
    let (before, after) = (opened(log()), opened(logs(&["work1", "work2"], 8)));
    let joined = figures(&before, &after);
    let lengths = family(&joined.families, "lifetime-lengths");
    for (level, figure) in lengths.variants.iter().enumerate() {
        let Body::Histogram(histogram) = &figure.body else { panic!("no histogram") };
        let names: Vec<&str> = histogram.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        for (doc, series) in [&before, &after].into_iter().zip(&histogram.series) {
            let settings = Settings::of(&crate::gainsight::values(&[]), run(doc));
            let all = run(doc).lifetimes(level, &settings);
            assert_eq!(series.counts.iter().sum::<f64>(), all.count() as f64);
            let below =
                lanescope::draw::chart::share_of_mark(histogram, usize::from(series.name == "B"), 1.0);
            assert!((below - all.share_within(settings.clock_mhz)).abs() < 1e-9, "1 µs is an edge of bins");
        }
        let marks: Vec<f64> = histogram.marks.iter().map(|mark| mark.value).collect();
        assert_eq!(marks, [1.0, 10.0]);
    }
    let devices = table(family(&joined.families, "lifetime-devices"), 0);
    assert!(cell(devices, 1, "Fits without refresh (difference)").as_number().is_some());
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let svg = compared_lifetimes(&before, &after, Size { w: 1180.0, h: 800.0 }, &palette).unwrap();
    assert!(svg.contains(">A "), "the share of the baseline is written");
}

#[test]
fn a_log_meets_its_table_and_its_report() {
    let mut doc = opened(log());
    let csv = export(&mut doc, "gainsight-sim-csv");
    let table_of = open_set(&[("small.sim.csv", csv.into_bytes())], &[]);
    let joined = figures(&table_of, &doc);
    let kernels = table(family(&joined.families, "lifetime-kernels"), 0);
    assert_eq!(kernels.rows.len(), 3);
    for row in 0..3 {
        for column in ["Mean lifetime", "90% of lifetimes", "Loads", "Size", "Cycles"] {
            // What is equal stands once.
            let is_once = kernels.columns.iter().any(|own| own.name == column);
            let by = || cell(kernels, row, &format!("{column} (difference)")).as_number().unwrap();
            assert!(is_once || by().abs() < 1e-9, "{column}");
        }
        assert_eq!(cell(kernels, row, "Accesses (difference)"), &Cell::Missing, "a table does not say it");
        assert_eq!(cell(kernels, row, "Lifetimes (baseline)"), &Cell::Missing);
    }
    let json = export(&mut doc, "gainsight-report-json");
    let report = open_set(&[("small.report.json", json.into_bytes())], &[]);
    let joined = figures(&report, &doc);
    for id in ["device-report-refreshes", "device-report-area", "device-report-write-frequency"] {
        let table = table(family(&joined.families, id), 0);
        let differences = table.rows.iter().flatten().zip(table.columns.iter().cycle());
        let differences = differences.filter(|(_, column)| column.is_difference);
        let differences: Vec<f64> = differences.map(|(cell, _)| cell.as_number().unwrap()).collect();
        assert!(
            !differences.is_empty() && differences.iter().all(|by| by.abs() < 1e-9),
            "{id}: {differences:?}"
        );
    }
}

#[test]
fn a_size_that_nobody_knows_is_missing_and_known_ones_count_words() {
    let cells = |doc: &mut Document, column: &str| -> Vec<serde_json::Value> {
        let figure = figure(doc, "lifetime-kernels");
        let of = |variant: &serde_json::Value| {
            let table = &variant["body"]["table"];
            let at = table["columns"].as_array().unwrap().iter().position(|own| own["name"] == column);
            table["rows"][0][at.unwrap()].clone()
        };
        figure["variants"].as_array().unwrap().iter().map(of).collect()
    };
    // The configuration says 1 KiB for the first buffer and nothing of the others; 7 words of 1 or 4 bytes.
    for (bytes, share) in [(1.0, 7.0 / 1024.0), (4.0, 28.0 / 1024.0)] {
        let set = [("word-bytes", lanescope::model::parameter::Value::Number(bytes))];
        let mut doc = with(crate::scalesim::tiny(), &set);
        let null = serde_json::Value::Null;
        assert_eq!(cells(&mut doc, "Utilization"), [share.into(), null.clone(), null.clone()]);
        assert_eq!(cells(&mut doc, "Size"), [1024.into(), null.clone(), null.clone()]);
        let area = cells(&mut doc, "Area: SRAM");
        assert!((area[0].as_f64().unwrap() - 8192.0 / 0.3 * 0.242).abs() < 1e-6 && area[1] == null);
        let csv = export(&mut doc, "gainsight-sim-csv");
        let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        let at = |name: &str| row[head.iter().position(|own| *own == name).unwrap()];
        assert_eq!([at("IFMAP Size"), at("FILTER Size"), at("FILTER Utilization")], ["1024", "", ""]);
        let json: serde_json::Value =
            serde_json::from_str(&export(&mut doc, "gainsight-report-json")).unwrap();
        assert!(json.get("IFMAP Area").is_some() && json.get("FILTER Area").is_none());
    }
}

#[test]
fn kernels_of_two_clocks_say_both() {
    let slow = opened(log());
    let fast = opened(log().replace("1000.0:1000.0:1000.0", "1500.0:1500.0:1500.0"));
    let joined = figures(&slow, &fast);
    assert_eq!(
        family(&joined.families, "lifetime-kernels").variants[0].scope,
        "L1, 1,500 MHz · L1, 1,000 MHz"
    );
    let joined = figures(&slow, &slow);
    assert_eq!(family(&joined.families, "lifetime-kernels").variants[0].scope, "L1, 1,000 MHz");
}
