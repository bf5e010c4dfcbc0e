//! Figures, tables and traces are saved: CSV, JSON and SVG by the registry that the page and the command line share.

use super::specimen::{self, palette};
use lanescope::analysis::Derived;
use lanescope::base::fault::{Fault, Kind, Place, Severity};
use lanescope::base::time::Clock;
use lanescope::base::words::Language;
use lanescope::draw::ColorBy;
use lanescope::export::{ExportInput, Saving, all, figure_csv};
use lanescope::format::Faults;
use lanescope::input::{Bundle, Entry, Memory};
use lanescope::model::build::TraceBuilder;
use lanescope::model::code::CodeScope;
use lanescope::model::figure::{Choice, Family};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::model::{Table, TableCells, TableColumn, Trace};
use lanescope::scene::palette::OWN;
use lanescope::systems;
use std::rc::Rc;

/// A trace with two nested slices on one track, all hand-made figures, and a long table.
fn trace() -> Rc<Trace> {
    let mut builder = TraceBuilder::default();
    let [core, pipe, outer, inner, kind] =
        ["core 0", "MTE2", "copy, all", "copy \"one\"", "move"].map(|n| builder.intern(n));
    let group = builder.track(None, TrackKind::Group, core, 0).unwrap();
    let track = builder.track(Some(group), TrackKind::Slices, pipe, 0).unwrap();
    builder.slice(track, SliceRow { category: kind, ..SliceRow::new(1_766_000_000_000_000_001, 100, outer) });
    builder.slice(track, SliceRow::new(1_766_000_000_000_000_011, 20, inner));
    builder.instant(track, 1_766_000_000_000_000_005, outer, kind, (0, 0));
    builder.drop_row("event without a phase");
    let figures = specimen::all().into_iter().map(|(id, figure)| Family::single(id, "Specimen", figure));
    let bars = specimen::ascend::bars();
    let chosen = Family {
        id: "by-block".into(),
        section: "Specimen".into(),
        title: "Workload".into(),
        choices: vec![Choice { name: "Block".into(), options: vec!["0".into(), "1".into()] }],
        variants: vec![bars.clone(), specimen::ascend::facts()],
    };
    builder.head().figures = figures.chain([chosen]).collect();
    builder.head().tables = vec![Table {
        id: "records".into(),
        title: "Records".into(),
        phrases: Vec::new(),
        columns: vec![
            TableColumn {
                name: "address".into(),
                unit: lanescope::base::unit::Unit::None,
                cells: TableCells::Integers(vec![u64::MAX, 1]),
            },
            TableColumn {
                name: "took".into(),
                unit: lanescope::base::unit::Unit::Cycles,
                cells: TableCells::Numbers(vec![0.5, f64::NAN]),
            },
        ],
        notes: Vec::new(),
        scope: CodeScope::default(),
    }];
    builder.finish();
    Rc::new(builder.into_trace())
}

fn with_whole<R>(trace: &Rc<Trace>, ask: impl FnOnce(&ExportInput) -> R) -> R {
    let mut derived = Derived::default();
    derived.finish_all(trace);
    let mut faults = Faults::default();
    faults.push(Fault::new("T-ODD", Severity::Note, Place::default(), Kind::NotText));
    let entry = Entry { path: "run/profile.json.gz".into(), source: Rc::new(Memory(Vec::new())) };
    let bundle = Bundle::new(vec![entry]);
    ask(&ExportInput {
        now: None,
        bundle: &bundle,
        trace,
        derived: &derived,
        compared: &[],
        overview: None,
        values: &lanescope::model::parameter::Values::default(),
        analyses: &[],
        claimed: &[],
        faults: &faults,
        formats: &[],
        language: Language::En,
        scheme: OWN,
        color: ColorBy::Name,
        operators: &[],
        asked: None,
    })
}

/// The name of the file that an export writes, and its bytes.
fn saved(trace: &Rc<Trace>, id: &str) -> Result<(String, Vec<u8>), String> {
    with_whole(trace, |input| {
        let mut saving = Saving::new(input, id, systems::exports())?;
        let mut bytes = Vec::new();
        while saving.step(input, &mut bytes)? {}
        Ok((saving.name, bytes))
    })
}

fn text(trace: &Rc<Trace>, id: &str) -> String {
    String::from_utf8(saved(trace, id).unwrap_or_else(|why| panic!("{id}: {why}")).1).unwrap()
}

#[test]
fn names_of_saved_figures_have_what_was_chosen_and_no_empty_parts() {
    let name = |id: &str| saved(&trace(), id).unwrap_or_else(|why| panic!("{id}: {why}")).0;
    assert_eq!(name("figure-svg"), "profile.svg");
    assert_eq!(name("figure-svg:by-block"), "profile.by-block.svg");
    assert_eq!(name("figure-svg:by-block:"), "profile.by-block.svg");
    assert_eq!(name("figure-svg:by-block:1"), "profile.by-block-1.svg");
}

#[test]
fn slices_are_written_with_their_depth_and_every_nanosecond() {
    assert_eq!(
        text(&trace(), "slices-csv"),
        "track_path,name,start_ns,duration_ns,depth,category,unfinished\n\
         core 0 / MTE2,\"copy, all\",1766000000000000001,100,0,move,false\n\
         core 0 / MTE2,\"copy \"\"one\"\"\",1766000000000000011,20,1,,false\n"
    );
    let mut cycles = trace();
    Rc::get_mut(&mut cycles).unwrap().clock = Clock::Cycles { hz: None };
    assert!(text(&cycles, "slices-csv").starts_with("track_path,name,start_cycles,duration_cycles,"));
}

#[test]
fn the_summary_counts_everything_once() {
    let summary = text(&trace(), "summary-json");
    let value: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let expected = serde_json::json!({
        "format": null, "processes": 1, "tracks": 1, "tracks_with_slices": 1, "slices": 2, "instants": 1,
        "counter_samples": 0, "flows": 0, "sum_dur_ns": 120,
        "first_ns": 1_766_000_000_000_000_001_i64, "last_ns": 1_766_000_000_000_000_101_i64,
        "faults": {"note": 1, "warning": 0, "loss": 0, "fatal": 0},
        "dropped": {"event without a phase": 1},
    });
    assert_eq!(value, expected);
    // The order of members is part of the format.
    let order: Vec<usize> =
        ["\"format\"", "\"tracks\"", "\"slices\"", "\"flows\"", "\"sum_dur_ns\"", "\"dropped\""]
            .map(|m| summary.find(m).unwrap())
            .to_vec();
    assert!(order.is_sorted());
}

#[test]
fn every_figure_is_a_table_of_its_numbers() {
    for (name, figure) in specimen::all() {
        let mut bytes = Vec::new();
        figure_csv(&figure, &mut bytes).unwrap();
        let mut reader =
            csv::ReaderBuilder::new().has_headers(true).flexible(true).from_reader(bytes.as_slice());
        let width = reader.headers().unwrap().len();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert!(2 <= rows.len(), "{name}");
        assert!(rows.iter().all(|r| r.len() <= width), "{name}");
        if rows.len() <= 24 {
            insta::assert_snapshot!(format!("csv-{name}"), String::from_utf8(bytes).unwrap());
        }
    }
}

#[test]
fn a_million_cells_are_written_with_their_addresses() {
    let csv = text(&trace(), "figures-csv:instrumentation-heat-map");
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("address \\ block number,0,1,2,"));
    assert!(lines.next().unwrap().starts_with("0x1000,2,2,2,"));
    let hot: Vec<&str> = csv.lines().nth(301).unwrap().split(',').collect();
    assert_eq!((hot[0], hot[701], hot[702]), ("0x5b00", "4096", "0"));
    // The missing row has empty cells.
    assert!(csv.lines().nth(1024).unwrap().ends_with(",,,"));
    assert_eq!(csv.lines().count(), 1025);
}

#[test]
fn one_figure_is_saved_by_its_id_and_its_choices() {
    let trace = trace();
    let svg = text(&trace, "figure-svg:ascend-memory");
    assert!(svg.starts_with("<svg ") && svg.contains(">Memory</text>") && svg.contains(">612.4</text>"));
    assert!(svg.contains(&format!(
        "#{:06x}",
        palette("light").rgba(lanescope::scene::palette::Ink::Token("pk4")) >> 8
    )));
    assert!(text(&trace, "figures-csv:by-block:1").starts_with("name,value,unit\nKernel,blur_mix_3,\n"));
    assert!(text(&trace, "figures-csv:by-block").starts_with("name,value (%),detail\nCube wait,54.2,"));
    assert_eq!(text(&trace, "figures-csv:records"), "address,took (cycles)\n18446744073709551615,0.5\n1,\n");
    let json: serde_json::Value = serde_json::from_str(&text(&trace, "figures-json:by-block")).unwrap();
    assert_eq!(json[0]["choices"][0]["options"][1], "1");
    assert!(json[0]["variants"][1]["body"]["facts"]["facts"][0]["name"].is_string());
}

#[test]
fn figures_come_back_from_json_as_they_were() {
    let trace = trace();
    let back: Vec<Family> = serde_json::from_str(&text(&trace, "figures-json")).unwrap();
    assert_eq!(back.len(), trace.figures.len());
    for (new, old) in back.iter().zip(&trace.figures) {
        // NaN is not equal to itself, so the text decides.
        assert_eq!(serde_json::to_string(new).unwrap(), serde_json::to_string(old).unwrap(), "{}", old.id);
    }
}

#[test]
fn every_export_names_its_file_and_says_what_it_cannot_do() {
    let trace = trace();
    for export in all(systems::exports()) {
        if with_whole(&trace, |whole| (export.can)(whole)) {
            let (name, bytes) = saved(&trace, export.id).unwrap();
            assert!(name.starts_with("profile.") && name.ends_with(export.suffix), "{name}");
            assert!(!bytes.is_empty(), "{}", export.id);
        }
    }
    let fails = |id: &str| saved(&trace, id).err().unwrap();
    assert!(fails("nothing").starts_with("Unknown export nothing; available: report-html, "));
    assert_eq!(fails("figure-svg:nothing"), "Unknown figure nothing.");
    assert!(fails("slices-csv:x").starts_with("Unknown export slices-csv:x"));
    let empty = Rc::<Trace>::default();
    let why = saved(&empty, "figures-json").err().unwrap();
    assert!(why.starts_with("Nothing to export for figures-json: the files have no "), "{why}");
}
