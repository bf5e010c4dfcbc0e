//! The formula, layouts, edits and what is refused, on a kernel of our own.

use super::{blocks, case, emitters, notes, plan, rows, said, set, types};
use lanescope::base::words::{Language, tr};
use lanescope::views::plan::compute::{C, R, STEPS, Z, meaning_of};
use lanescope::views::plan::messages::{PlanQuery, Reply};

use serde_json::Value;

fn allocation(plan: &Value, at: usize) -> String {
    let keys = [
        "layout",
        "buffers",
        "extra_bytes",
        "slack_bytes",
        "padding_bytes",
        "bytes",
        "largest_bytes",
        "passes",
    ];
    keys.map(|key| plan["allocations"][at][key].to_string().replace('"', "")).join(" ")
}

#[test]
fn layouts_slack_pages_and_cap_follow_from_the_sums() {
    let mut doc = case("pti", "counts");
    let plain = plan(&mut doc);
    // 28,800 B in three buffers with 64 B before each; or in one, with 4 B before each of 640 records.
    assert_eq!(allocation(&plain, 0), "type 3 192 0 0 28992 23104 1");
    assert_eq!(allocation(&plain, 2), "tagged 1 2624 0 0 31424 31424 1");
    assert_eq!(plain["allocations"][1]["why_not"], "per-thread executions unknown");
    set(&mut doc, &[("plan-slack", "0x2000"), ("plan-page", "4096"), ("plan-cap", "12 KiB")]);
    // 1,920 + 64 + 8,192 → 12,288; 23,040 → 32,768; 3,840 → 12,288: the largest needs three runs, so four.
    assert_eq!(allocation(&plan(&mut doc), 0), "type 3 192 24576 3776 57344 32768 4");
    set(&mut doc, &[("plan-slack", "10%"), ("plan-cap", "4GiB-1"), ("plan-layout", "tagged")]);
    let tagged = plan(&mut doc);
    assert_eq!(allocation(&tagged, 2), "tagged 1 2624 2880 0 34304 34304 1");
    assert_eq!(tagged["cap_bytes"], (1_u64 << 32) - 1);
    assert_eq!(rows(&mut doc, "plan-facts")[2], "Buffers 1");
}

#[test]
fn a_plan_says_how_it_is_used_and_what_its_types_are() {
    let mut doc = case("gpu_multitrace", "tiny");
    assert_eq!(notes(&mut doc, "plan-blocks")[..3], STEPS);
    let said = notes(&mut doc, "plan-types");
    let kinds = ["flow", "memory", "register"].map(|kind| meaning_of(kind).unwrap());
    assert!(kinds.iter().all(|meaning| said.iter().any(|note| note == meaning)), "{said:?}");
    // No type that this file does not have.
    assert!(!said.iter().any(|note| Some(note.as_str()) == meaning_of("simd")), "{said:?}");
    crate::words::chinese();
    let simd = meaning_of("simd").unwrap();
    for english in STEPS.into_iter().chain(kinds).chain([R, C, Z, simd]) {
        assert_ne!(tr(Language::Zh, english), english);
    }
}

#[test]
fn edits_and_what_is_left_out_are_counted_at_once() {
    let mut doc = case("pti", "counts");
    set(
        &mut doc,
        &[("plan-records", "BB1/mem,3;BB3/reg,2"), ("plan-sizes", "mem,80"), ("plan-counts", "BB4,5")],
    );
    let edited = plan(&mut doc);
    assert_eq!(types(&edited), ["flow 245 8 1960", "mem 400 80 32000", "simd 245 16 3920", "reg 80 80 6400"]);
    assert_eq!(blocks(&edited)[4], "BB4  5 0 120");
    set(&mut doc, &[("plan-without", "mem; BB1; nothing")]);
    let without = plan(&mut doc);
    // Whole: 28,800. Without memory 5,760; of that BB1 has 120 × 24.
    assert_eq!(without["total_bytes"], 5_760 - 2_880);
    assert_eq!(
        (&without["types"][1]["left_out"], &without["blocks"][1]["left_out"]),
        (&true.into(), &true.into())
    );
    let saving = |plan: &Value, at: usize| {
        format!(
            "{} {} {}",
            plan["savings"][at]["name"], plan["savings"][at]["bytes"], plan["savings"][at]["left"]
        )
    };
    set(&mut doc, &[]);
    let whole = plan(&mut doc);
    assert_eq!([saving(&whole, 0), saving(&whole, 3)], [r#""mem" 23040 5760"#, r#""BB1" 20160 8640"#]);
}

/// One record for each execution follows what is edited: of 96 bytes 32 are its head.
#[test]
fn one_record_for_a_block_follows_edits() {
    let mut doc = case("pti", "counts");
    let mut bytes = |values: &[(&str, &str)]| {
        set(&mut doc, values);
        plan(&mut doc)["record_per_block"][0]["bytes"].clone()
    };
    let slack = 0x2000;
    assert_eq!(bytes(&[]), 120 * 96 + 40 * 160 + slack);
    assert_eq!(bytes(&[("plan-records", "BB1/mem,3")]), 120 * (32 + 3 * 64) + 40 * 160 + slack);
    assert_eq!(bytes(&[("plan-records", "BB1/mem,0")]), 40 * 160 + slack);
    assert_eq!(bytes(&[("plan-counts", "BB1,7")]), 7 * 96 + 40 * 160 + slack);
    assert_eq!(bytes(&[("plan-without", "BB1")]), 40 * 160 + slack);
    assert_eq!(bytes(&[("plan-without", "mem")]), slack);
    assert_eq!(bytes(&[("plan-without", "flow; reg")]), 120 * 96 + 40 * 160 + slack);
    // What a block would take that has none cannot be known.
    assert_eq!(bytes(&[("plan-records", "BB0/mem,1")]), Value::Null);
}

#[test]
fn records_of_a_block_follow_edits() {
    let mut doc = case("pti", "counts");
    assert_eq!(emitters(&mut doc, 1, &[]), ["0x30 flow 1 8 entry", "0x30 mem 1 144", "0x30 simd 1 16 entry"]);
    let edits =
        [("plan-records", "BB1/mem,3;BB1/simd,0"), ("plan-sizes", "mem,80"), ("plan-without", "flow")];
    let edited = ["0x30 flow 1 8 entry out", "0x30 mem 2 160 entry", "0x30 mem 1 80"];
    assert_eq!(emitters(&mut doc, 1, &edits), edited);
    assert_eq!(
        emitters(&mut doc, 1, &[("plan-without", "BB1"), ("plan-records", "BB1/mem,0")]),
        ["0x30 flow 1 8 entry out", "0x30 simd 1 16 entry out"]
    );
}

/// A record stands at the instruction that the file names, whatever its type.
#[test]
fn records_stand_at_the_instruction_that_the_file_names() {
    let mut doc = case("gpu_multitrace", "tiny");
    let plain = ["0x30 flow 1 8 entry", "0x30 mem 1 24", "0x40 reg 1 24", "0x50 mem 1 24"];
    assert_eq!(emitters(&mut doc, 1, &[]), plain);
    // The last record goes first; one more than the file has is written at the entry.
    let edited = ["0x30 flow 1 8 entry", "0x30 mem 1 24", "0x30 reg 2 48 entry", "0x40 reg 1 24"];
    assert_eq!(emitters(&mut doc, 1, &[("plan-records", "B/mem,1;B/reg,3")]), edited);
}

/// Buffers were compared with the plan of the file: beside another one that is said.
#[test]
fn checks_are_of_the_plan_that_the_file_has() {
    let mut doc = case("gpu_multitrace", "tiny");
    let mut text = |values: &[(&str, &str)]| {
        let values = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
        let Some(Reply::Plan(Some(shown))) = doc.query(&PlanQuery::Plan(values)).0 else { panic!("a plan") };
        let of = |code: &str| shown.plan.checks.iter().find(|check| check.code == code).unwrap();
        ["GMT-PLAN", "GMT-LOST"].map(|code| of(code).text.text(Language::En).into_owned())
    };
    assert_eq!(text(&[]), ["buffers were used as planned", "no stream ends early"]);
    let edited = ["before the edits: buffers were used as planned", "no stream ends early"];
    assert_eq!(text(&[("plan-records", "B/mem,5")]), edited);
    assert_eq!(text(&[("plan-without", "reg")]), edited);
}

#[test]
fn a_saved_plan_is_read_again() {
    let mut doc = case("pti", "counts");
    set(&mut doc, &[("plan-records", "BB1/mem,3"), ("plan-sizes", "flow,16"), ("plan-without", "simd")]);
    let (_, saved) = doc.query(&lanescope::wire::Query::Export { id: "plan-json".to_owned() });
    let text = String::from_utf8(saved.unwrap()).unwrap();
    let total = plan(&mut doc)["total_bytes"].clone();
    let mut doc = case("pti", "counts");
    set(&mut doc, &[("plan", &text)]);
    assert_eq!(plan(&mut doc)["total_bytes"], total);
    set(&mut doc, &[("plan", "{ no plan")]);
    assert_eq!(plan(&mut doc)["total_bytes"], 28_800);
}

#[test]
fn wrong_numbers_are_refused() {
    let mut doc = case("pti", "counts");
    // 9 × 10¹⁵ is below 2⁵³, times 8 it is not.
    set(&mut doc, &[("plan-counts", "BB1,9000000000000000")]);
    let refused = plan(&mut doc);
    assert_eq!((&refused["total_bytes"], &refused["too_large"]), (&Value::Null, &true.into()));
    assert_eq!(types(&refused)[3], "reg 0 80 0");
    // What the user edits is no fault of the file; what the file says is.
    assert!(said(&doc).is_empty(), "{:?}", doc.faults().rows());
    assert_eq!(refused["allocations"][0]["why_not"], "the plan is too large");
    set(&mut doc, &[("plan-counts", "BB1,90000000000000000")]);
    assert_eq!(plan(&mut doc)["total_bytes"], 28_800);
    set(&mut doc, &[("plan-kernel", "2")]);
    assert_eq!(plan(&mut doc)["kernel"], "copy(int)");
    let text = "=== big(runs 1 times) ===\n[9000000000000000] 0x000000 : nop\n";
    let (doc, _) = crate::support::front_door::open_one("counts.txt", text.into());
    assert_eq!(said(&doc), ["loss GMT-SIZE"]);
}
