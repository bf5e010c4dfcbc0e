//! Whether two sets of runs differ by more than chance.

use lanescope::base::job::{Job, WORK, run};
use lanescope::systems::dataset::significance::{false_alarms, rank_sum};
use lanescope::systems::dataset::turning::{Turning, lasting};
use std::cell::Cell;
use std::rc::Rc;

fn turning(values: &[f64]) -> Option<Turning> {
    run(async |turn| lanescope::systems::dataset::turning::turning(values, &turn).await)
}

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

/// Of 14 numbers those three that are far greater stand at one end in 2 of 364 orders.
#[test]
fn a_series_turns_where_it_changes_most_with_all_places_looked_at() {
    let late: Vec<f64> =
        (0..14).map(|run| if run < 11 { 500.0 } else { 600.0 } + f64::from(run * 5 % 7)).collect();
    let found = turning(&late).unwrap();
    assert_eq!(found.place, 11);
    assert!((found.p - 2.0 / 364.0).abs() < 0.003, "{found:?}");
    let spike: Vec<f64> =
        (0..14).map(|run| if run == 5 { 600.0 } else { 500.0 } + f64::from(run * 5 % 7)).collect();
    assert!(0.3 < turning(&spike).unwrap().p, "one run is no change");
    assert_eq!(turning(&[1.0, 1.0, 1.0]), None);
    assert_eq!(turning(&[]), None);
    assert_eq!(turning(&[3.0]), None);
}

/// Five thousand runs do not hold up the page.
#[test]
fn long_series_pause() {
    const N: usize = 5_000;
    let most = Rc::new(Cell::new(0));
    let kept = Rc::new(Cell::new(None));
    let (work, turn_of) = (most.clone(), kept.clone());
    let mut job = Job::new(move |turn| {
        turn_of.set(Some(turn.clone()));
        async move {
            let values: Vec<f64> = (0..N).map(|run| (run * 7919 % 5003) as f64).collect();
            lanescope::systems::dataset::turning::turning(&values, &turn).await
        }
    });
    let turn = kept.take().unwrap();
    let mut pauses = 0;
    let found = loop {
        if let Some(found) = job.poll() {
            break found;
        }
        pauses += 1;
        work.set(most.get().max(turn.work()));
    };
    assert!(0.05 < found.unwrap().p, "without any order");
    assert!(50 < pauses && most.get() <= WORK + N, "{pauses} pauses, {} rows", most.get());
}

#[test]
fn a_change_lasts_to_the_end_unless_the_last_numbers_are_back() {
    let before = [1.0, 1.1, 0.9];
    assert_eq!(lasting(&before, &[2.0, 2.1, 1.9]), 3);
    assert_eq!(lasting(&before, &[2.0, 2.1, 1.9, 1.0]), 3, "no other is back");
    assert_eq!(lasting(&before, &[2.0, 1.0, 2.1, 1.9, 1.0]), 5, "one is back now and then");
    assert_eq!(lasting(&before, &[2.0, 1.0, 2.1, 1.9, 2.0, 1.0, 1.1, 1.0]), 5);
    assert_eq!(lasting(&[2.0, 2.1], &[1.0, 1.1, 0.9, 2.0]), 3, "of what became faster too");
}
