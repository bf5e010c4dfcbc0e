//! Copies that go on at the same time as other copies.

use super::{made, said};
use crate::findings::found;
use lanescope::base::words::Language;

/// Kinds of copies at the same time: nothing else runs while only one of them does, and all of them together are no longer
/// than what nothing hides.
#[test]
fn kinds_of_copies_do_not_add_up_to_more_than_is_not_hidden() {
    let (within, pinned) = ("Memcpy DtoD (Device -> Device)", "Memcpy HtoD (Pinned -> Device)");
    // From 4 to 6, 5 to 7.5 and 8 to 8.5 ms, of the last the second half hidden; two of one kind overlap from 4 to 5 ms.
    let trace = made()
        .kernel(7, "a", (0, 4_000))
        .copy(7, within, (4_000, 2_000))
        .copy(8, within, (4_000, 1_000))
        .copy(20, pinned, (5_000, 2_500))
        .copy(20, within, (8_000, 500))
        .kernel(7, "b", (8_250, 1_750));
    let overview = trace.overview();
    let tile = overview.tiles.iter().find(|tile| tile.label == "Copies not hidden").unwrap();
    assert_eq!(tile.value.to_string(), "37.5 %");
    let copies = found(&overview, "device-copies-not-hidden");
    let mut told: Vec<(&str, f64, f64)> =
        copies.iter().map(|of| (of.subject.as_str(), of.value, of.saving.value)).collect();
    told.sort_by(|a, b| a.0.cmp(b.0));
    assert_eq!(told, [(within, 1_250e3, 1_250e3), (pinned, 1_500e3, 1_500e3)]);
    assert!(copies.iter().all(|of| said(of).contains(" while nothing else runs")), "{}", said(copies[0]));
    // Where one never runs alone, only the other one is found.
    let inside = made()
        .kernel(7, "a", (0, 4_000))
        .copy(7, within, (4_000, 3_000))
        .copy(20, pinned, (5_000, 1_000))
        .kernel(7, "b", (7_000, 3_000));
    let overview = inside.overview();
    let copies = found(&overview, "device-copies-not-hidden");
    let told: Vec<(&str, f64)> = copies.iter().map(|of| (of.subject.as_str(), of.value)).collect();
    assert_eq!(told, [(within, 2_000e3)]);
}

/// Those of pageable memory have one finding: time in which several of them run counts once, beside others not.
#[test]
fn copies_of_pageable_memory_are_told_together() {
    let (to, from) = ("Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pageable)");
    let trace = made()
        .kernel(7, "a", (0, 4_000))
        .copy(7, to, (4_000, 2_000))
        .copy(8, from, (5_000, 2_000))
        .copy(20, "Memcpy HtoD (Pinned -> Device)", (6_500, 1_500))
        .kernel(7, "b", (8_000, 2_000));
    let finding = trace.found("device-copies-pageable");
    // 4 ms in all; from 4 to 6.5 ms nothing else runs.
    assert_eq!((finding.value, finding.saving.value), (4e6, 2.5e6));
    assert!(finding.saving.model.text(Language::En).starts_with("If none of them ran alone"));
}
