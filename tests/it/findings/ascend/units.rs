//! Operators with pipes of some units of one kind of core: that is said of this kind alone, and beside a baseline with others
//! nothing changed.

use super::found;
use crate::support::front_door::open;
use lanescope::analysis::finding::{Change, Finding, Overview, SavingKind, against};
use lanescope::analysis::told::{NumberBeside, change_told, number_beside, tile_beside};
use lanescope::base::words::Language;

const UNBOUND: &str = "ascend-no-pipe-bounds";

/// The CSV files of a mix operator of four blocks: cubes take 200 to 203 µs and move in 90 %; vectors take 300 µs, of which
/// scalars take 45 % and vector instructions 20 or 60. Pipes of some units; times of all.
fn mix(has: fn(u32, &str) -> bool) -> Overview {
    let info = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,\nmm,mix,320,4,8,\n".to_owned();
    let head = "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,";
    let mut pipes =
        format!("{head}aic_mte2_ratio,aic_cube_ratio,aiv_vec_ratio,aiv_scalar_ratio,aiv_mte2_ratio,\n");
    let mut waits = format!("{head}aiv_vec_wait_ratio,\n");
    for block in 0..4_u32 {
        for (unit, time) in [("cube0", 200 + block), ("vector0", 300), ("vector1", 300)] {
            let (own, cycles) = (time.to_string(), (time * 1_800).to_string());
            let (times, shares) = match unit {
                "cube0" => (format!("{own},{cycles},NA,NA"), "0.9,0.3,NA,NA,NA"),
                "vector0" => (format!("NA,NA,{own},{cycles}"), "NA,NA,0.2,0.45,0.3"),
                _ => (format!("NA,NA,{own},{cycles}"), "NA,NA,0.6,0.45,0.3"),
            };
            if has(block, unit) {
                pipes += &format!("{block},{unit},{times},{shares},\n");
            }
            waits += &format!("{block},{unit},{times},{},\n", if unit == "cube0" { "NA" } else { "0.1" });
        }
    }
    let files = [("OpBasicInfo", info), ("PipeUtilization", pipes), ("ResourceConflictRatio", waits)];
    let files = files.map(|(name, text)| (format!("o/{name}.csv"), text.into_bytes()));
    let (mut doc, is_ready) = open(files.to_vec(), 1 << 16);
    assert!(is_ready, "{:?}", doc.faults().rows());
    doc.whole_overview()
}

fn all() -> Overview {
    mix(|_, _| true)
}

/// All cubes, and three vector units of three blocks.
fn some_vectors() -> Overview {
    mix(|block, unit| unit == "cube0" || matches!((block, unit), (0 | 1, "vector1") | (2, "vector0")))
}

/// All vector units, and the cubes of two blocks.
fn some_cubes() -> Overview {
    mix(|block, unit| unit != "cube0" || block < 2)
}

fn one<'a>(overview: &'a Overview, rule: &str) -> &'a Finding {
    found(overview, rule).first().copied().unwrap_or_else(|| panic!("{rule}: {:?}", overview.rules))
}

#[test]
fn pipes_of_some_units_are_told_of_their_kind() {
    let line = |overview: &Overview, rule: &str| one(overview, rule).line.to_string();
    let card = |overview: &Overview| {
        overview.tiles.iter().find(|tile| tile.label == "Bound by").unwrap().comparison.to_string()
    };
    let (vectors, cubes) = (some_vectors(), some_cubes());
    let said = line(&vectors, UNBOUND);
    assert!(said.ends_with("Only 3 of 8 vector units have pipes. Each share covers these."), "{said}");
    assert!(card(&vectors).ends_with("; 3 of 8 vector units"), "{}", card(&vectors));
    let said = line(&vectors, "ascend-pipe-bound");
    assert!(!said.contains("Only"), "{said}");
    let said = line(&cubes, "ascend-pipe-bound");
    assert!(said.ends_with("Only 2 of 4 cube units have pipes. Each share covers these."), "{said}");
    let said = line(&cubes, UNBOUND);
    assert!(!said.contains("Only"), "{said}");
    assert!(!card(&cubes).contains("units"), "{}", card(&cubes));
    for rule in [UNBOUND, "ascend-pipe-bound"] {
        assert!(!line(&all(), rule).contains("Only"));
    }
}

#[test]
fn other_units_are_no_change() {
    let (old, vectors, cubes) = (all(), some_vectors(), some_cubes());
    let change = |new: &Overview| against(&old, one(new, UNBOUND)).0;
    assert_eq!([&old, &vectors, &cubes].map(change), [Change::Same, Change::Apart, Change::Apart]);
    let (before, after) = (one(&old, UNBOUND), one(&vectors, UNBOUND));
    assert_eq!((before.verdict.to_string(), after.verdict.to_string()), ("Scalar".into(), "Vector".into()));
    let said = change_told(Change::Apart, Some(before), after, Language::En);
    assert!(said.starts_with("not comparable with the baseline (≤ "), "{said}");
    let beside = |new: &Finding, name: &str| {
        let number = new.evidence.numbers.iter().find(|number| number.name == name).unwrap();
        number_beside(number, Some(before), Language::En)
    };
    // Of Scalar there, of Vector here.
    for name in ["Core with the lowest value", "Core with the highest value"] {
        assert_eq!(beside(after, name).was, "", "{name}");
    }
    // The cubes of blocks 0 and 1 need the same in both; those of the others need more.
    let need = beside(one(&cubes, UNBOUND), "What another pipe needs");
    let same = "180.900 µs".to_owned();
    let note = "of units that both have".to_owned();
    assert_eq!(need, NumberBeside { was: same.clone(), is: same, note });
    assert!(before.saving.kind == SavingKind::Bound);
}

#[test]
fn cards_beside_a_baseline_say_of_how_many_units() {
    let (old, new) = (all(), some_vectors());
    let beside = |new: &Overview, old: &Overview| {
        let of = |all: &Overview| all.tiles.iter().find(|tile| tile.label == "Bound by").unwrap().clone();
        tile_beside(&of(new), Some(&of(old)), Language::En)
    };
    assert!(beside(&new, &old).ends_with("; 3 of 8 vector units"), "{}", beside(&new, &old));
    assert!(beside(&old, &new).ends_with("; in A 3 of 8 vector units"), "{}", beside(&old, &new));
    assert!(!beside(&old, &old).contains("units"), "{}", beside(&old, &old));
}
