//! What the overview of an operator says beside its findings: values that cannot be compared, and units without a time;
//! and how findings of two operators, and what else an overview has, stand beside each other.

use super::ascend::{Made, of, outcome};
use lanescope::analysis::finding::{
    Change, Evidence, Finding, Number, Outcome, Overview, Part, PartRow, RuleState, Saving, Tile, against,
    compared, compared_overviews,
};
use lanescope::analysis::told::{NumberBeside, change_told, gone, number_beside, part_beside, tile_beside};
use lanescope::base::unit::{Preference, Unit};
use lanescope::base::words::{Language, Message, message};
use lanescope::findings::more;

fn tile<'a>(overview: &'a Overview, label: &str) -> &'a Tile {
    overview.tiles.iter().find(|tile| tile.label == label).unwrap()
}

#[test]
fn blocks_that_take_longer_than_the_operator_are_not_compared_with_it() {
    let overview = of(&Made { duration: 13.7, ..Made::default() });
    assert!(matches!(outcome(&overview, "ascend-imbalance"), Some(Outcome::Missing(_))));
    let said = |label: &str| tile(&overview, label).comparison.to_string();
    assert_eq!(said("Duration"), "blocks take 100.000 µs: not comparable");
    assert_eq!(said("Cores"), "block times exceed the operator time");
    let part = overview.parts.iter().find(|part| part.title == "Slowest units").unwrap();
    assert_eq!(part.note, "time per unit; longer than the operator, not comparable");
    let overview = of(&Made::default());
    let part = overview.parts.iter().find(|part| part.title == "Slowest units").unwrap();
    assert_eq!(part.note, "time per unit");
}

#[test]
fn units_without_a_time_are_counted() {
    let blocks = (0..48).map(|n| if n < 40 { 100.0 } else { 0.0 }).collect();
    let overview = of(&Made { blocks, ..Made::default() });
    let said = tile(&overview, "Cores").comparison.to_string();
    assert_eq!(said, "slowest 1.00 times the mean; 8 without a time");
    match outcome(&overview, "ascend-imbalance") {
        Some(Outcome::Nothing(said)) => {
            assert!(said.to_string().contains("; 8 of 48 units have no time"), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn few_misses_are_said_where_the_rate_is_low() {
    let overview = of(&Made { hits: Some([58, 481]), ..Made::default() });
    match outcome(&overview, "ascend-l2-hit-rate") {
        Some(Outcome::Nothing(said)) => {
            assert_eq!(
                said.to_string(),
                "10.8 % of 539 requests hit L2: too few misses to matter (481); 1 of 48 blocks"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn sentences_that_are_named_end_once() {
    let names = ["A takes long.", "B is active in 3 %, C in 4 %.", "core 0 has less."].map(str::to_owned);
    assert_eq!(
        more(1, names.into_iter()).to_string(),
        " 2 more: B is active in 3 %, C in 4 %; core 0 has less."
    );
    let names = ["a", "b", "c"].map(str::to_owned);
    assert_eq!(more(1, names.into_iter()).to_string(), " 2 more: b, c.");
}

#[test]
fn shares_of_one_whole_are_compared_though_runs_are_of_other_lengths() {
    let unused = |saved: f64, whole: f64| Finding {
        rule: "cores".to_owned(),
        value: 8.0,
        saving: Saving::about(saved, whole, Unit::Nanos, "").of("{share} of operator time"),
        ..Finding::default()
    };
    // 4.5 of 5.1 µs, then a third of 9.1 ms.
    let (short, long) = ([unused(4_500.0, 5_143.0)], [unused(3_043_600.0, 9_130_900.0)]);
    assert_eq!(compared(&short, &long)[0].change, Change::Shrank);
    assert_eq!(compared(&long, &short)[0].change, Change::Grew);
}

#[test]
fn findings_without_a_saving_are_judged_only_where_their_number_has_a_better_direction() {
    let told = |name: &str, unit: Unit, values: [f64; 2]| {
        let [old, new] = values.map(|value| Finding {
            value,
            unit: unit.clone(),
            evidence: Evidence {
                numbers: vec![Number::new(name.to_owned(), value, unit.clone())],
                ..Evidence::default()
            },
            ..Finding::default()
        });
        let change = compared(std::slice::from_ref(&old), std::slice::from_ref(&new))[0].change;
        change_told(change, Some(&old), &new, Language::En)
    };
    assert_eq!(told("Figures with this advice", Unit::None, [1.0, 3.0]), "also in the baseline");
    assert_eq!(told("Active", Unit::Percent, [20.0, 30.0]), "also in the baseline (20 %)");
    assert_eq!(told("Hit rate", Unit::Percent, [20.0, 30.0]), "higher share than in the baseline (20 %)");
    assert_eq!(told("Median", Unit::Millis, [3.0, 2.0]), "less than in the baseline (3.000 ms)");
}

#[test]
fn another_pipe_that_decides_is_a_change_of_one_finding() {
    let of = |pipe: &str| Finding {
        subject: "vector".to_owned(),
        verdict: pipe.to_owned().into(),
        ..Finding::default()
    };
    let (old, new) = ([of("MTE2")], [of("MTE3")]);
    let all = compared(&old, &new);
    assert_eq!(all.iter().map(|one| one.change).collect::<Vec<_>>(), [Change::Turned]);
    let said = change_told(all[0].change, all[0].baseline, &new[0], Language::En);
    assert_eq!(said, "changed; in the baseline: MTE2");
}

#[test]
fn shares_that_are_good_by_themselves_have_a_better_direction() {
    assert_eq!(Unit::Share.sense_of("Area relative to SRAM"), Preference::LessIsBetter);
    for name in ["L2 hit rate", "Share of roof", "Share of peak", "Fits without refresh"] {
        assert_eq!(Unit::Share.sense_of(name), Preference::MoreIsBetter, "{name}");
    }
    assert_eq!(Unit::Micros.sense_of("Duration"), Preference::LessIsBetter);
    assert_eq!(Unit::Share.sense_of("Active"), Preference::Neutral);
    // The names are those of the figures above the findings.
    let overview = of(&Made { roof: Some(0.3), ..Made::default() });
    for label in ["L2 hit rate", "Share of roof"] {
        assert_eq!(tile(&overview, label).amount.as_ref().unwrap().1, Unit::Share, "{label}");
    }
}

#[test]
fn what_is_missing_on_both_sides_is_not_called_the_same() {
    let missing = Tile { value: "–".into(), ..Tile::default() };
    assert_eq!(tile_beside(&missing, Some(&missing), Language::En), "not recorded");
    // What it is held against says why.
    let known = Tile { comparison: "no share of Scalar".into(), ..missing.clone() };
    assert_eq!(tile_beside(&known, Some(&missing), Language::En), "no share of Scalar");
    let there = Tile { value: "3".into(), ..Tile::default() };
    assert_eq!(tile_beside(&there, Some(&there), Language::En), "the same in A");
    assert_eq!(tile_beside(&there, None, Language::En), "not among the figures of A");
}

#[test]
fn rows_of_both_sides_come_first_where_most_are_of_one() {
    let row = |name: &str| PartRow {
        name: Message::from(name.to_owned()),
        cells: vec!["1".to_owned()],
        ..PartRow::default()
    };
    let part = |shown: &[&str], beyond: &[&str]| Part {
        title: message("Slowest units"),
        rows: shown.iter().map(|name| row(name)).collect(),
        beyond: beyond.iter().map(|name| row(name)).collect(),
        is_all: true,
        ..Part::default()
    };
    let names = |part: &Part| part.rows.iter().map(|row| row.name.to_string()).collect::<Vec<_>>();
    let old = part(&["block 0", "block 1"], &[]);
    let beside = part_beside(&part(&["block 30", "block 28", "block 26"], &["block 0"]), &old, Language::En);
    assert_eq!(names(&beside.unwrap()), ["block 0", "block 30", "block 28"]);
    // Where many are of both, what is new stays where it stands.
    let beside = part_beside(&part(&["block 7", "block 1", "block 0"], &[]), &old, Language::En);
    assert_eq!(names(&beside.unwrap()), ["block 7", "block 1", "block 0"]);
}

#[test]
fn a_number_and_its_note_stand_beside_those_of_the_baseline() {
    let of = |numbers: [(&'static str, f64, f64); 2]| Finding {
        evidence: Evidence {
            numbers: numbers
                .map(|(pipe, active, waiting)| {
                    let note = message("waiting {n} %").with("n", waiting);
                    Number::new(pipe, active, Unit::Percent).note(note)
                })
                .to_vec(),
            ..Evidence::default()
        },
        ..Finding::default()
    };
    // The busiest come first, in whatever order that is.
    let (old, new) =
        (of([("MTE3", 11.4, 1.1), ("MTE2", 11.1, 0.6)]), of([("MTE2", 9.8, 4.0), ("MTE3", 5.8, 1.1)]));
    let beside = |number: &Number| {
        let NumberBeside { was, is, note } = number_beside(number, Some(&old), Language::En);
        [was, is, note]
    };
    assert_eq!(beside(&new.evidence.numbers[0]), ["11.1 %", "9.8 %", "waiting 0.6 % → waiting 4 %"]);
    // What did not change is said once.
    assert_eq!(beside(&new.evidence.numbers[1]), ["11.4 %", "5.8 %", "waiting 1.1 %"]);
    let other = Number::new("Scalar", 1.0, Unit::Percent);
    assert_eq!(beside(&other), ["", "1 %", ""]);
    // Of another thing it is no change.
    let other = Number::new("MTE2", 9.8, Unit::Percent).of("another block");
    assert_eq!(beside(&other), ["", "9.8 %", ""]);
}

#[test]
fn a_baseline_without_the_data_of_a_rule_is_not_said_to_be_without_its_finding() {
    let rule = |id: &str, outcome: Outcome| RuleState {
        id: id.to_owned(),
        version: 1,
        title: id.to_owned(),
        thresholds: Vec::new(),
        outcome,
    };
    let finding = |rule: &str| Finding { rule: rule.to_owned(), ..Finding::default() };
    let all = |findings: &[&str], rules: Vec<RuleState>, lost: &'static str| Overview {
        findings: findings.iter().map(|rule| finding(rule)).collect(),
        rules,
        lost: if lost.is_empty() { Message::default() } else { message(lost) },
        is_whole: true,
        ..Overview::default()
    };
    let nothing = || Outcome::Nothing(Message::default());
    let missing = || Outcome::Missing(Message::default());
    let known = vec![rule("a", nothing()), rule("b", missing())];
    let (old, cut) = (all(&[], known.clone(), ""), all(&[], known, "Data is missing"));
    let new = all(&["a", "b", "c"], vec![rule("a", Outcome::Found(1))], "");
    let changes = |old: &Overview| new.findings.iter().map(|one| against(old, one).0).collect::<Vec<_>>();
    // A rule that is silent has nothing to look at, unless that may be lost.
    assert_eq!(changes(&old), [Change::Appeared, Change::Unchecked, Change::Appeared]);
    assert_eq!(changes(&cut), [Change::Appeared, Change::Unchecked, Change::Unchecked]);
    let told = change_told(Change::Unchecked, None, &new.findings[1], Language::En);
    assert_eq!(told, "the baseline has no data to check this");
    let of = |old: &Overview, new: &Overview| {
        compared_overviews(old, new).iter().map(|of| of.change).collect::<Vec<_>>()
    };
    assert_eq!(of(&old, &new), changes(&old));
    // And the other way round.
    assert_eq!(of(&new, &old), [Change::Vanished, Change::Unchecked, Change::Vanished]);
    let alone = gone(&new, &old, Language::En);
    let alone: Vec<(&str, Option<&str>)> = alone.iter().map(|(one, why)| (&*one.rule, *why)).collect();
    assert_eq!(alone, [("a", None), ("c", None), ("b", Some("B has no data to check this."))]);
    // Nor is gone what another rule looks at that could not.
    let mut also = all(&["c"], Vec::new(), "");
    also.findings.iter_mut().for_each(|one| one.also = vec!["b".to_owned()]);
    assert_eq!(of(&also, &old), [Change::Unchecked]);
    // What several devices do together is nothing that one alone could have.
    let devices = |rules: &[&str], devices: u64| {
        let all = all(rules, Vec::new(), "");
        let findings = all.findings.into_iter().map(|one| Finding { devices, ..one }).collect();
        Overview { findings, ..all }
    };
    let (two, one) = (devices(&["last", "late"], 2), devices(&["late"], 1));
    assert_eq!(of(&two, &one), [Change::Apart, Change::Unchecked]);
    assert_eq!(of(&one, &two), [Change::Unchecked, Change::Apart]);
    assert_eq!(of(&two, &devices(&["late"], 2)), [Change::Same, Change::Vanished]);
}
