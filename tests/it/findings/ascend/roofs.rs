//! Texts on roofs: of several the nearest one counts, those without a point do not, and near to one it bounds.

use super::super::assert_tells;
use super::{Container, Made, Outcome, found, is_near, of, open_one, outcome, overview};
use lanescope::analysis::finding::{Change, Overview, compared};
use lanescope::analysis::told::tile_beside;
use lanescope::base::words::Language;
use lanescope::navigation::route::Route;
use serde_json::{Value, json};

/// A roof of a bandwidth below one ceiling; its point has intensity and performance.
fn roof(name: &str, bandwidth: f64, point: &[f64]) -> Value {
    json!({"bw": bandwidth, "bw_name": name, "computility": 320.0, "computility_name": "Cube_FP(100.000000%)",
        "point": point, "ratio": "NA"})
}

/// An operator of 130 µs with charts of roofs by their titles.
fn charts(advice: &str, charts: &[(&str, Vec<Value>)]) -> Vec<u8> {
    let info = json!({"name": "Op", "soc": "Ascend910B2", "op_type": "cube", "duration": 130.0, "advice": [],
        "block_dim": "20", "mix_block_dim": ""});
    let charts: Vec<Value> =
        charts.iter().map(|(title, roofs)| json!({"title": title, "rooflines": roofs})).collect();
    let block = json!({"advice": advice, "multiple_rooflines": charts});
    Container::default().json(5, &info).json(0xd, &block).0
}

/// What stands first on the figure of roofs.
fn advice(file: Vec<u8>) -> String {
    let (doc, is_ready) = open_one("visualize_data.bin", file);
    assert!(is_ready);
    let family = doc.trace().figures.iter().find(|family| family.id == "roofline-chart").unwrap();
    family.variants[0].advice[0].text.to_string()
}

#[test]
fn what_is_near_to_a_roof_is_bound_by_memory_or_compute() {
    // 28 of 1.6 · 20 left of the ridge at 200; 304 of 320 right of it.
    let near = |point: [f64; 2]| vec![roof("GM Read + Write", 1.6, &point)];
    let memory = charts("memory bound", &[("GM/L2", near([20.0, 28.0]))]);
    let compute = charts("compute bound", &[("GM/L2", near([1_000.0, 304.0]))]);
    let by_memory = "Bound by memory: 87.5 % of the roof GM Read + Write are reached.";
    let by_compute = "Bound by compute: 95.0 % of the roof Cube_FP(100%) are reached.";
    assert_eq!(advice(memory.clone()), by_memory);
    assert_eq!(advice(compute.clone()), by_compute);
    let (memory, compute) = (overview(memory), overview(compute));
    assert_eq!(found(&memory, "ascend-writer")[0].said(Language::En), by_memory);
    assert_eq!(found(&compute, "ascend-writer")[0].said(Language::En), by_compute);
    assert_tells(&[(&memory, "ascend-roof", &[]), (&compute, "ascend-roof", &[])]);
    let Some(Outcome::Nothing(said)) = outcome(&compute, "ascend-roof") else { panic!() };
    assert_eq!(said.to_string(), "95.0 % of the nearest roof, Cube_FP(100%), is reached");
}

#[test]
fn of_several_roofs_the_nearest_one_counts() {
    // 30 %, 20 % and 50 %; charts come in the order of their tabs.
    let pipes = vec![roof("MTE3", 4.0, &[10.0, 8.0]), roof("MTE2", 5.0, &[10.0, 25.0])];
    let memory = vec![roof("GM Read + Write", 1.6, &[20.0, 9.6])];
    let of = overview(charts("", &[("Pipe Line Cube", pipes), ("GM/L2", memory)]));
    let all = found(&of, "ascend-roof");
    let [own] = &all[..] else { panic!("{all:?}") };
    assert_eq!(own.said(Language::En), "The operator reaches 50.0 % of its nearest roof, MTE2.");
    // Half of 130 µs.
    assert!(is_near(own.saving.value, 65_000.0) && is_near(own.saving.share, 0.5), "{:?}", own.saving);
    let expected = [
        ("Share of roof", 0.5),
        ("Performance", 25.0),
        ("Roof at this intensity", 50.0),
        ("Arithmetic intensity", 10.0),
    ];
    assert_eq!(own.evidence.numbers.len(), expected.len());
    for (number, (name, value)) in own.evidence.numbers.iter().zip(expected) {
        assert!(number.name == name && is_near(number.value, value), "{name}: {number:?}");
    }
    let (id, chosen) = Route::parse(&own.evidence.address).selection.figure.unwrap();
    assert_eq!((id.as_str(), chosen), ("roofline-chart", vec![1]), "the chart that has it");
}

#[test]
fn a_roof_without_a_point_does_not_count() {
    let with = roof("GM Read + Write", 1.6, &[20.0, 9.6]);
    let without = roof("L2 Read + Write", 5.0, &[]);
    let both = overview(charts("", &[("GM/L2", vec![without.clone(), with])]));
    let said = ["The operator reaches 30.0 % of its nearest roof, GM Read + Write."];
    assert_tells(&[(&both, "ascend-roof", &said)]);
    let alone = overview(charts("", &[("GM/L2", vec![without])]));
    let Some(Outcome::Missing(said)) = outcome(&alone, "ascend-roof") else { panic!() };
    let expected = "the file has roofs but no measured point, so how close the operator comes is not known";
    assert_eq!(said.to_string(), expected);
    let tile = alone.tiles.iter().find(|tile| tile.label == "Share of roof").unwrap();
    assert_eq!(tile.comparison.to_string(), "no measured point recorded");
    let none = of(&Made { roof: None, ..Made::default() });
    let Some(Outcome::Missing(said)) = outcome(&none, "ascend-roof") else { panic!() };
    let expected = "no roofs in the file: msprof op records them with --aic-metrics=Roofline";
    assert_eq!(said.to_string(), expected);
}

#[test]
fn roofs_of_two_profiles_are_compared_only_where_they_are_the_same() {
    let of =
        |title: &str, name: &str, y: f64| overview(charts("", &[(title, vec![roof(name, 5.0, &[10.0, y])])]));
    let tile = |all: &Overview| {
        let mut tiles = all.tiles.iter();
        tiles.find(|tile| tile.label.text(Language::En) == "Share of roof").unwrap().clone()
    };
    let (old, same, other) =
        (of("GM/L2", "MTE2", 5.0), of("GM/L2", "MTE2", 10.0), of("Pipe Line Cube", "MTE2", 10.0));
    assert!(!tile(&same).change_since(&tile(&old)).is_empty());
    assert_eq!(tile(&other).change_since(&tile(&old)), "");
    let told = tile_beside(&tile(&other), Some(&tile(&old)), Language::En);
    assert_eq!(told, "MTE2 in Pipe Line Cube; in A 10.0 %, MTE2 in GM/L2");
    let change = |new: &Overview| {
        let all = compared(&old.findings, &new.findings);
        all.iter().find(|one| one.comparison.is_some_and(|own| own.rule == "ascend-roof")).unwrap().change
    };
    assert_eq!((change(&same), change(&other)), (Change::Grew, Change::Turned));
}

#[test]
fn where_roofs_are_cut_off_the_nearest_is_one_of_those_that_were_read() {
    let whole = charts(
        "",
        &[
            ("Pipe Line Cube", vec![roof("MTE3", 4.0, &[10.0, 8.0])]),
            ("GM/L2", vec![roof("GM", 1.6, &[20.0, 9.6])]),
        ],
    );
    let mut cut = whole.clone();
    cut.truncate(whole.len() - 120);
    let told = |file: Vec<u8>| {
        let all = overview(file);
        let tile = all.tiles.iter().find(|tile| tile.label.text(Language::En) == "Share of roof").unwrap();
        (tile.comparison.to_string(), found(&all, "ascend-roof")[0].line.to_string())
    };
    let (said, line) = told(cut);
    assert!(said.ends_with("the nearest of those that could be read"), "{said}");
    assert!(line.contains("Roofs that could not be read may be nearer"), "{line}");
    assert!(told(whole).0.ends_with("the nearest"));
}
