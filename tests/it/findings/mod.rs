//! Rules: each finds a problem that was planted at a known size, is silent without it, and says what is missing.

mod amounts;
mod ascend;
mod ascend_cores;
mod ascend_files;
mod ascend_icache;
mod ascend_partly;
mod ascend_parts;
mod ascend_some;
mod ascend_told;
mod device;
mod device_numbers;
mod device_steps;
pub(crate) mod gainsight;
mod instrumentation;
mod launches;
mod lifetimes_others;
mod neutrino;
mod nnapi;
mod ranks;
mod ranks_compared;
mod ranks_missing;
mod trace;
mod unequal;

use crate::support::front_door::open_one;
use lanescope::analysis::finding::{Finding, Outcome, Overview, SavingKind};
use lanescope::base::words::Language;
use lanescope::navigation::route::Route;

/// The overview of one file.
pub(crate) fn overview(name: &str, bytes: impl Into<Vec<u8>>) -> Overview {
    let (mut doc, is_ready) = open_one(name, bytes.into());
    assert!(is_ready, "{name}");
    let overview = doc.whole_overview();
    assert!(overview.is_whole);
    check(&overview);
    overview
}

/// What holds for all findings.
pub(crate) fn check(overview: &Overview) {
    for finding in &overview.findings {
        let said = finding.said(Language::En);
        assert!(said.contains(|c: char| c.is_ascii_digit()), "no number: {said}");
        assert!(!finding.evidence.numbers.is_empty(), "{said}");
        assert!(finding.value.is_finite() && finding.saving.share.is_finite(), "{said}");
        if finding.saving.kind != SavingKind::None {
            let part = finding.saving.text(Language::En);
            assert!(part.contains(" % of "), "a saving says of what: {part}: {said}");
        }
        let route = Route::parse(&finding.evidence.address);
        assert_eq!(route.view.as_deref(), Some(finding.evidence.view.as_str()), "{said}");
        assert_eq!(route.text(), finding.evidence.address, "an address that is read is the same: {said}");
        let is_alone = overview
            .findings
            .iter()
            .filter(|one| (&one.rule, &one.subject) == (&finding.rule, &finding.subject));
        assert_eq!(is_alone.count(), 1, "{}, {}: {said}", finding.rule, finding.subject);
    }
    let shares: Vec<f64> = overview.findings.iter().map(|one| one.saving.share).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "most first: {shares:?}");
}

/// What a rule found.
pub(crate) fn found<'a>(overview: &'a Overview, rule: &str) -> Vec<&'a Finding> {
    overview.findings.iter().filter(|finding| finding.rule == rule).collect()
}

/// What rules say of profiles, in the order of the overview: all that is not as expected, at once.
#[track_caller]
pub(crate) fn assert_tells(cases: &[(&Overview, &str, &[&str])]) {
    let mut wrong = Vec::new();
    for (overview, rule, expected) in cases {
        let own = overview.findings.iter().filter(|finding| finding.rule == *rule);
        let said: Vec<String> = own.map(|finding| finding.said(Language::En)).collect();
        if said != *expected {
            wrong.push((rule, said, outcome(overview, rule)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The only finding of a rule, of about this value.
pub(crate) fn planted<'a>(overview: &'a Overview, rule: &str, value: f64) -> &'a Finding {
    let found = found(overview, rule);
    assert_eq!(found.len(), 1, "{rule}: {:?}", outcome(overview, rule));
    assert!(
        (found[0].value - value).abs() <= value.abs() / 100.0,
        "{rule}: {} instead of {value}",
        found[0].value
    );
    found[0]
}

/// What became of a rule; `None` where the profile is of another kind.
pub(crate) fn outcome<'a>(overview: &'a Overview, rule: &str) -> Option<&'a Outcome> {
    overview.rules.iter().find(|state| state.id == rule).map(|state| &state.outcome)
}

/// The rule looked and found nothing.
pub(crate) fn silent(overview: &Overview, rule: &str) {
    assert!(
        matches!(outcome(overview, rule), Some(Outcome::Nothing(_))),
        "{rule}: {:?}",
        outcome(overview, rule)
    );
}

/// The rule could not look.
pub(crate) fn missing(overview: &Overview, rule: &str) {
    assert!(
        matches!(outcome(overview, rule), Some(Outcome::Missing(_))),
        "{rule}: {:?}",
        outcome(overview, rule)
    );
}

/// The rule is about other profiles.
pub(crate) fn not_here(overview: &Overview, rule: &str) {
    assert!(outcome(overview, rule).is_none(), "{rule}: {:?}", outcome(overview, rule));
}
