//! Which runs are compared, and which file a row leads to.

use lanescope::navigation::find_document;
use lanescope::systems::dataset::sets::{Sets, order};

/// The usual choice for runs of these names.
fn usual(names: &[&str]) -> (Vec<String>, Vec<String>, String) {
    let (runs, all) = all(names);
    let first = all.first().unwrap_or_else(|| panic!("{names:?} have no sets"));
    (runs[first.before.clone()].to_vec(), runs[first.after.clone()].to_vec(), first.name.clone())
}

fn all(names: &[&str]) -> (Vec<String>, Vec<Sets>) {
    let mut runs: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    runs.sort_by_cached_key(|name| order(name));
    let all = Sets::all(&runs);
    (runs, all)
}

#[test]
fn words_say_what_comes_first() {
    let (before, after, name) =
        usual(&["after-1", "after-2", "before-1", "before-10", "before-9", "ranks-1"]);
    assert_eq!(before, ["before-1", "before-9", "before-10"]);
    assert_eq!(after, ["after-1", "after-2"]);
    assert_eq!(name, "before-* → after-*");
    let (before, after, _) = usual(&["new_1", "new_2", "main_1"]);
    assert_eq!((before, after), (vec!["main_1".to_owned()], vec!["new_1".to_owned(), "new_2".to_owned()]));
}

#[test]
fn one_series_is_parted_in_its_middle_and_anywhere_else() {
    let (before, after, name) = usual(&["night-7", "night-8", "night-9", "night-10", "night-11"]);
    assert_eq!(before, ["night-7", "night-8", "night-9"]);
    assert_eq!(after, ["night-10", "night-11"]);
    assert_eq!(name, "night-7 … night-9 → night-10 … night-11");
    assert_eq!(all(&["night-7", "night-8", "night-9", "night-10", "night-11"]).1.len(), 4);
    // Names without anything in common are one series too.
    let (before, after, _) = usual(&["c0ffee", "deadbeef", "facade"]);
    assert_eq!((before.len(), after.len()), (2, 1));
}

#[test]
fn two_names_are_two_sets_either_way_round() {
    let (runs, all) = all(&["a100-1", "a100-2", "h100-1", "h100-2"]);
    let names: Vec<&str> = all.iter().map(|sets| sets.name.as_str()).collect();
    assert_eq!(names[..2], ["a100-* → h100-*", "h100-* → a100-*"], "{names:?} of {runs:?}");
    assert!(all.iter().all(|sets| !sets.before.is_empty() && !sets.after.is_empty()));
}

#[test]
fn one_run_has_no_sets() {
    assert!(all(&["only"]).1.is_empty());
    assert!(all(&[]).1.is_empty());
}

#[test]
fn a_row_leads_to_the_file_of_its_run() {
    let paths = ["own.zip!n01/train.pt.trace.json", "own.zip!n13/train.pt.trace.json", "other.json"];
    assert_eq!(find_document(&paths, "n13", "n13/train.pt.trace.json"), (Some(1), true));
    assert_eq!(find_document(&paths, "n13", "train.pt.trace.json"), (Some(1), true));
    assert_eq!(find_document(&paths, "", "other.json"), (Some(2), true));
    // Another run has a file of the name: that is none of this one.
    assert_eq!(find_document(&paths[..1], "n13", "train.pt.trace.json"), (None, false));
    assert_eq!(find_document(&paths, "n02", "n02/train.pt.trace.json"), (None, false));
    // A file that stands alone may be it, which cannot be told.
    assert_eq!(find_document(&["train.pt.trace.json"], "n13", "n13/train.pt.trace.json"), (Some(0), false));
    // A run that was named otherwise than its folder.
    assert_eq!(find_document(&paths, "nightly", "n13/train.pt.trace.json"), (Some(1), true));
}

#[test]
fn dates_are_one_series_over_the_end_of_a_month() {
    let (runs, all) = all(&["2026-02-01", "2026-01-30", "2026-02-02", "2026-01-31", "2026-03-01"]);
    assert!(all[0].is_series(&runs));
    assert_eq!((all[0].before.clone(), all[0].after.clone()), (0..3, 3..5));
    assert_eq!(all.len(), 4, "{all:?}");
    let (runs, all) = self::all(&["run-2026-01-31T10:00Z", "run-2026-02-01T09:30Z", "run-2026-02-02T09:30Z"]);
    assert!(all[0].is_series(&runs), "{runs:?}");
}
