//! The numbers of figures and rows are those that their texts say, and two profiles are compared by them.

use crate::support::front_door::{cases, files_of, open};
use lanescope::analysis::finding::{Overview, PartRow, Tile};
use lanescope::base::number::with_unit;
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::systems;

/// The number that a text begins with and the unit behind it; `None` where it is a word, or more than one number.
fn read(text: &str) -> Option<(f64, &str)> {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let digits: String =
        number.chars().filter(|c| *c != ',').map(|c| if c == '−' { '-' } else { c }).collect();
    let is_unit = unit == "%" || !unit.contains(|c: char| c.is_ascii_digit() || c == '%');
    digits.parse().ok().filter(|_| is_unit).map(|value| (value, unit))
}

/// How many of the smallest unit of its kind are one of a unit that texts have.
fn times(unit: &str) -> f64 {
    match unit {
        "µs" | "kB/s" => 1e3,
        "ms" | "MB/s" => 1e6,
        "s" | "GB/s" => 1e9,
        "TB/s" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => 1.0,
    }
}

/// A text that says one number has it as an amount, which is at most rounded in it.
fn check(text: &str, amount: Option<&(f64, Unit)>, of: &str) -> bool {
    let Some((said, unit)) = read(text) else { return false };
    let (value, own) = amount.unwrap_or_else(|| panic!("no number behind {text} of {of}"));
    // Of a clock whose rate is known the text has its cycles, the number the time.
    if unit.starts_with("cycle") && *own == Unit::Nanos {
        return true;
    }
    let (said, value) = (said * times(unit), value * own.smallest().1);
    let most = 0.01 * value.abs() + 0.06 * times(unit);
    assert!((said - value).abs() <= most, "{value} {own:?} behind {text} of {of}");
    true
}

fn check_all(overview: &Overview, of: &str) -> usize {
    let mut n = 0;
    for tile in &overview.tiles {
        let of = format!("{of}: {}", tile.label);
        n += usize::from(check(&tile.value.text(Language::En), tile.amount.as_ref(), &of));
    }
    for part in &overview.parts {
        for row in part.rows.iter().chain(&part.beyond) {
            let of = format!("{of}: {}, {}", part.title, row.name);
            n += part.measured(row).map_or(0, |text| usize::from(check(text, row.amount.as_ref(), &of)));
        }
    }
    n
}

#[test]
fn every_number_of_an_overview_is_there_as_a_number() {
    let mut n = 0;
    for format in systems::formats() {
        for (case, folder) in cases(format.id) {
            let (mut doc, is_ready) = open(files_of(&folder), 1 << 16);
            if is_ready {
                n += check_all(&doc.whole_overview(), &format!("{}/{case}", format.id));
            }
        }
    }
    assert!(500 < n, "only {n} numbers were looked at");
}

#[test]
fn differences_are_those_of_the_numbers_not_of_their_texts() {
    let row = |value: f64, unit: &Unit| PartRow {
        cells: vec![with_unit(value, unit)],
        amount: Some((value, unit.clone())),
        ..PartRow::default()
    };
    let rate = |value: f64| row(value, &Unit::GigabytesPerSec);
    // Both read 2.92 GB/s; the texts 2.925 and 2.92 would say −0.3 %.
    assert_eq!(rate(2.922_5).change_since(&rate(2.924_3)), "−0.0616 %, 0.999×");
    assert_eq!(rate(2.921_0).change_since(&rate(2.924_8)), "−0.13 %, 0.999×");
    assert_eq!(rate(2.924_3).change_since(&rate(2.924_3)), "");
    assert_eq!(rate(2.924_300_01).change_since(&rate(2.924_3)), "≈ 0 %");
    let time = |value: f64, unit: Unit| row(value, &unit);
    assert_eq!(time(1.8, Unit::Millis).change_since(&time(900.0, Unit::Micros)), "+100 %, 2×");
    assert_eq!(time(152.47e6, Unit::Nanos).change_since(&time(126.55e6, Unit::Nanos)), "+20.5 %, 1.2×");
    assert_eq!(time(0.0, Unit::Nanos).change_since(&time(8e6, Unit::Nanos)), "−100 %, 0×");
    // Of different kinds, or of nothing.
    assert_eq!(time(8.0, Unit::Bytes).change_since(&time(8.0, Unit::Millis)), "");
    assert_eq!(time(8e6, Unit::Nanos).change_since(&time(0.0, Unit::Nanos)), "");
    assert_eq!(PartRow::default().change_since(&time(8e6, Unit::Nanos)), "");
    let share = |value: f64| Tile::default().amount(value, Unit::Share);
    assert_eq!(share(0.632).change_since(&share(0.701)), "−6.9 points");
    assert_eq!(share(0.632).change_since(&Tile::default().amount(63.0, Unit::Percent)), "+0.20 points");
    assert_eq!(share(0.632).change_since(&Tile { of: "another".into(), ..share(0.701) }), "");
}

#[test]
fn a_share_beside_a_limit_tells_on_which_side_it_is() {
    let told = |share: f64| lanescope::base::number::percent_beside(share, 0.9);
    assert_eq!(told(3_747.0 / 4_164.0), "89.99 %");
    assert_eq!([0.9, 0.5, 0.899_999_9].map(told), ["90.0 %", "50.0 %", "89.99999 %"]);
}
