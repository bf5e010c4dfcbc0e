//! Whether two sets of runs differ by more than chance.

use lanescope::systems::dataset::significance::{false_alarms, rank_sum};

#[test]
fn three_runs_against_three_that_are_all_greater_have_one_chance_in_ten() {
    let p = rank_sum(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap();
    assert!((p - 0.1).abs() < 1e-12, "{p}");
}

#[test]
fn equal_sets_differ_by_chance() {
    assert_eq!(rank_sum(&[1.0, 1.0], &[1.0, 1.0]), Some(1.0));
    assert_eq!(rank_sum(&[], &[1.0]), None);
}

#[test]
fn more_numbers_than_can_be_counted_are_approximated_closely() {
    let a: Vec<f64> = (0..20).map(f64::from).collect();
    let b: Vec<f64> = (0..20).map(|n| f64::from(n) + 5.5).collect();
    let near = rank_sum(&a, &b).unwrap();
    let (mut c, mut d) = (a.clone(), b.clone());
    c.push(-1.0);
    d.push(26.0);
    let far = rank_sum(&c, &d).unwrap();
    assert!(far < near && near < 0.02 && 0.001 < far, "{near} {far}");
}

#[test]
fn false_alarms_grow_with_the_number_of_tests() {
    let all = false_alarms(&[Some(0.01), None, Some(0.04), Some(0.03)]);
    let rounded: Vec<Option<i64>> = all.iter().map(|p| p.map(|p| (p * 1e6).round() as i64)).collect();
    assert_eq!(rounded, [Some(30_000), None, Some(40_000), Some(40_000)]);
}
