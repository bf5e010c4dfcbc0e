//! The joins themselves, from hand tables.

use lanescope::analysis::compare::code::{
    BaselineMatch, CodeRow, JoinedCode, difference_text, pack, rows_met, unpack,
};
use lanescope::analysis::compare::family::{ONLY_BASELINE, ONLY_COMPARISON, families, same_options};
use lanescope::analysis::compare::{Mapping, Total, pairs};
use lanescope::base::time::{Clock, Span};
use lanescope::base::unit::Unit;
use lanescope::base::window::Window;
use lanescope::model::code::ListingKind;
use lanescope::model::figure::{Body, Cell, Choice, Fact, Facts, Family, Figure, Matrix};
use lanescope::views::timeline::messages::TotalsBy;

fn total(count: u64, total: f64) -> Total {
    Total { count, total }
}

#[test]
fn names_meet_with_their_sums_and_what_one_side_lacks_stays_missing() {
    let named = |rows: &[(&str, u64, f64)]| -> Vec<(String, Total)> {
        rows.iter().map(|(name, n, t)| ((*name).to_owned(), total(*n, *t))).collect()
    };
    // MTE2 of two cores is one pipe; VECTOR is gone, CUBE is new.
    let before = named(&[("MTE2", 4, 40.0), ("VECTOR", 2, 10.0), ("MTE2", 6, 60.0)]);
    let after = named(&[("CUBE", 1, 7.0), ("MTE2", 5, 80.0)]);
    let all = pairs(&before, &after);
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["CUBE", "MTE2", "VECTOR"]);
    assert_eq!((all[0].baseline, all[0].comparison), (None, Some(total(1, 7.0))));
    assert_eq!((all[0].difference(false), all[0].change(false)), (None, None));
    assert_eq!((all[1].baseline, all[1].comparison), (Some(total(10, 100.0)), Some(total(5, 80.0))));
    assert_eq!((all[1].difference(false), all[1].change(false)), (Some(-20.0), Some(-0.2)));
    // 10 and 16 each: there were half as many.
    assert_eq!((all[1].difference(true), all[1].change(true)), (Some(6.0), Some(0.6)));
    assert!(!all[1].has_equal_counts());
    assert!([TotalsBy::Steps, TotalsBy::Latency].into_iter().all(|by| by.is_of_means(false)));
    assert!(!TotalsBy::Kernels.is_of_means(false));
    // A percentile is counted by nothing and compared as it is.
    let [old, new] = [10.0, 12.0].map(|value| named(&[("Median", 0, value)]));
    assert_eq!(pairs(&old, &new)[0].difference(true), Some(2.0));
    assert_eq!((total(10, 100.0).mean(), total(0, 0.0).mean()), (Some(10.0), None));
    // It is neither a sum nor a mean, and no head says so.
    let median = total(0, 12.0);
    assert_eq!((median.sum(), median.compared(true), total(10, 100.0).sum()), (None, 12.0, Some(100.0)));
    assert_eq!(TotalsBy::Latency.heads(false), ["Value", "Difference", "Total"]);
    assert_eq!(TotalsBy::Steps.heads(false), ["Mean", "Difference of means", "Total"]);
    assert_eq!(TotalsBy::Kernels.heads(false), ["Total", "Difference", "Mean"]);
    assert_eq!((all[2].comparison, all[2].difference(false)), (None, None));
}

fn row(place: u64, text: u64, value: f64) -> CodeRow {
    CodeRow { place, text, value }
}

const NA: f64 = f64::NAN;

#[test]
fn lines_meet_by_place_and_text_then_by_text_alone() {
    // A line was added above the second, the third was changed, and one text stands twice.
    let before = [row(0, 10, 1.0), row(1, 20, 2.0), row(2, 30, 3.0), row(3, 20, 4.0), row(4, 50, NA)];
    let after =
        [row(0, 10, 5.0), row(1, 99, 6.0), row(2, 20, 7.0), row(3, 31, 8.0), row(4, 20, NA), row(5, 50, 9.0)];
    let JoinedCode { rows, n_new, n_gone } = rows_met(ListingKind::Source, &before, &after);
    let expected = [
        BaselineMatch::Value(1.0),
        BaselineMatch::Nothing,
        BaselineMatch::Value(2.0),
        BaselineMatch::Nothing,
        BaselineMatch::Value(4.0),
        BaselineMatch::Empty,
    ];
    assert_eq!(rows, expected);
    // The added and the changed line are new; the line that was changed is gone.
    assert_eq!((n_new, n_gone), (2, 1));
}

#[test]
fn without_text_lines_meet_by_their_number() {
    let before = [row(0, 0, 1.0), row(1, 0, 2.0)];
    let after = [row(0, 77, 1.5), row(1, 88, 2.5), row(2, 99, 3.5)];
    let joined = rows_met(ListingKind::Source, &before, &after);
    assert_eq!(joined.rows, [BaselineMatch::Value(1.0), BaselineMatch::Value(2.0), BaselineMatch::Nothing]);
    assert_eq!((joined.n_new, joined.n_gone), (1, 0));
}

#[test]
fn instructions_meet_at_one_distance_only_when_they_are_the_same() {
    let before = [row(0, 1, 10.0), row(8, 2, 20.0), row(16, 3, 30.0)];
    let after = [row(0, 1, 11.0), row(8, 3, 30.0), row(16, 3, 25.0)];
    let joined = rows_met(ListingKind::Assembly, &before, &after);
    assert_eq!(joined.rows, [BaselineMatch::Value(10.0), BaselineMatch::Nothing, BaselineMatch::Value(30.0)]);
    assert_eq!((joined.n_new, joined.n_gone), (1, 1));
}

#[test]
fn packed_rows_come_back_bit_by_bit() {
    let rows = [row(u64::MAX, 7, -0.0), row(0, 0, 1.0e300)];
    assert_eq!(unpack(&pack(&rows)), rows);
    assert!(unpack(&pack(&[row(1, 1, NA)]))[0].value.is_nan());
    assert_eq!(unpack(&[1, 2, 3]), []);
}

#[test]
fn differences_of_rows_are_written_with_their_sign() {
    let text = |value, met| difference_text(value, met, 1, &Unit::Cycles);
    assert_eq!(text(Some(3.0), BaselineMatch::Value(1.5)), "+1.5 (+100 %, 2×)");
    assert_eq!(text(Some(1.0), BaselineMatch::Value(1.5)), "−0.5 (−33.3 %, 0.667×)");
    assert_eq!(text(Some(1.5), BaselineMatch::Value(1.5)), "0.0");
    assert_eq!(text(Some(1.0), BaselineMatch::Nothing), "added");
    assert_eq!(text(Some(1.0), BaselineMatch::Empty), "–");
    assert_eq!(text(None, BaselineMatch::Value(1.0)), "–");
    assert_eq!(text(None, BaselineMatch::Nothing), "");
    // A hundred percent less is nothing; what is left is shown by its first digit.
    let left = |old: f64, new: f64| {
        let text = text(Some(new), BaselineMatch::Value(old));
        let change = text.split('(').nth(1).unwrap_or_default();
        change.split(", ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(left(20_000_000.0, 4_904.0), "−99.98 %");
    assert_eq!(left(200_000_000.0, 4_904.0), "−99.998 %");
    assert_eq!(left(2e9, 4_904.0), "−99.9998 %");
    assert_eq!(left(1e6, 0.001), "−99.9999999 %");
    assert_eq!(left(20_000_000.0, 0.0), "−100 %");
    // From nothing there is no percentage, and shares differ in points.
    assert_eq!(text(Some(3.0), BaselineMatch::Value(0.0)), "+3.0");
    assert_eq!(difference_text(Some(60.0), BaselineMatch::Value(50.0), 0, &Unit::Percent), "+10");
}

fn choice(name: &str, options: &[&str]) -> Choice {
    Choice { name: name.to_owned(), options: options.iter().map(|o| (*o).to_owned()).collect() }
}

#[test]
fn options_meet_by_their_names() {
    let own = [choice("Block", &["all", "0", "2"]), choice("Show as", &["Cycles"])];
    let other = [choice("Block", &["all", "2", "7"])];
    assert_eq!(same_options(&own, &[2, 0], &other), Ok(vec![1]));
    assert_eq!(same_options(&own, &[], &other), Ok(vec![0]));
    let why = same_options(&own, &[1, 0], &other).unwrap_err();
    assert_eq!(why, "The current selection is not in the baseline.");
    // What only the baseline lets one choose takes its first option.
    assert_eq!(same_options(&other, &[1], &own), Ok(vec![2, 0]));
}

fn duration(value: f64) -> Figure {
    let fact = Fact { name: "Duration".into(), value: Cell::Number(value), unit: Unit::Micros };
    Figure::new("Base info", Body::Facts(Facts { facts: vec![fact] }))
}

fn family(id: &str, options: &[&str], values: &[f64]) -> Family {
    Family {
        choices: vec![choice("Block", options)],
        variants: values.iter().map(|v| duration(*v)).collect(),
        ..Family::single(id, "", duration(0.0))
    }
}

#[test]
fn families_meet_by_id_and_say_what_stands_alone() {
    let before = [family("base", &["0", "1"], &[10.0, 20.0]), family("old", &["0"], &[1.0])];
    let mut odd = Family::single("old", "", duration(0.0));
    odd.id = "new".to_owned();
    let after = [family("base", &["1", "2"], &[26.0, 30.0]), odd];
    let joined = families(&before, &after);
    let ids: Vec<&str> = joined.families.iter().map(|f| f.id.as_str()).collect();
    assert_eq!((ids, joined.n_joined), (vec!["base", "old", "new"], 1));
    let Body::Table(table) = &joined.families[0].variants[0].body else { panic!("no table") };
    assert_eq!(table.rows[0][1..], [Cell::Number(20.0), Cell::Number(26.0), Cell::Number(6.0)]);
    assert_eq!(joined.families[0].variants[1].notes, ["The current selection is not in the baseline."]);
    // What only the baseline has stands where it stood there.
    assert_eq!(joined.families[1].variants[0].notes, [ONLY_BASELINE]);
    assert_eq!(joined.families[2].variants[0].notes, [ONLY_COMPARISON]);
    assert_eq!((joined.n_joined_of(&joined.families[0]), joined.n_joined_of(&joined.families[2])), (1, 0));
}

#[test]
fn figures_of_two_kinds_stand_alone_with_the_reason() {
    let matrix = Figure::new("Base info", Body::Matrix(Matrix::default()));
    let joined = families(&[Family::single("x", "", matrix)], &[Family::single("x", "", duration(1.0))]);
    assert_eq!((joined.n_joined, joined.apart.len()), (0, 1));
    assert!(joined.families[0].variants[0].notes[0].key.contains("different types"));
}

#[test]
fn windows_lie_on_each_other_to_the_tick_and_back() {
    let epoch = 1_766_000_000_000_000_001;
    let same = Mapping::new((100, Clock::Nanos), (epoch, Clock::Nanos));
    let window = Window { start: 107, part: 0.25, dur: 40.5 };
    assert_eq!(same.window(window), Window { start: epoch + 7, part: 0.25, dur: 40.5 });
    assert_eq!(same.back().window(same.window(window)), window);
    assert_eq!(same.span(Span::new(100, 130)), Span::new(epoch, epoch + 30));
    // Two cycles in a nanosecond: a stretch has twice the ticks there.
    let cycles = Mapping::new((0, Clock::Nanos), (1_000, Clock::Cycles { hz: Some(2e9) }));
    assert_eq!(
        cycles.window(Window { start: 10, part: 0.5, dur: 4.0 }),
        Window { start: 1_021, part: 0.0, dur: 8.0 }
    );
    assert_eq!(cycles.back().span(Span::new(1_020, 1_040)), Span::new(10, 20));
    // Without a rate both tick alike.
    let steps = Mapping::new((0, Clock::Nanos), (0, Clock::Cycles { hz: None }));
    assert_eq!(steps.ratio, 1.0);
}
