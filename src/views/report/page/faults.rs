//! The faults of a report: those of one kind in one row, the places of all below it.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use super::CopyButton;
use crate::base::fault::{Fault, Kind, SameFaults, Severity, of_one_kind};
use crate::base::number::{offset, thousands};
use crate::base::words::{Language, fill, phrase};
use crate::ui::icon::SeverityIcon;
use crate::ui::words;
use leptos::prelude::*;

/// All of them.
#[component]
pub(super) fn FaultSection(
    /// Whose problems these are.
    title: &'static str,
    faults: Vec<Fault>,
    text: String,
    /// Whether a section below says what is not in the files.
    has_missing: bool,
) -> impl IntoView {
    let words = words();
    let is_clean = faults.is_empty();
    let clean = if has_missing {
        phrase("No problems found. Missing files are listed below.")
    } else {
        phrase("No problems found.")
    };
    let rows: Vec<_> = of_one_kind(&faults).into_iter().map(|same| view! { <FaultRow same /> }).collect();
    view! {
        <section class="report__section">
            <div class="report__head">
                <h2 class="report__title">{words.tr(title)}</h2>
                <span class="report__scope">{words.tr("problems in the files and their consequences")}</span>
                <span class="report__gap"></span>
                <CopyButton text />
            </div>
            {is_clean.then(|| view! { <p class="report__good">{words.tr(clean)}</p> })}
            <ul class="report__list">{rows}</ul>
        </section>
    }
}

/// Faults of one kind: the first in full, the places of all on demand.
#[component]
fn FaultRow(same: SameFaults) -> impl IntoView {
    let words = words();
    let SameFaults { faults, n } = same;
    let Fault { code, severity, kind, note, .. } = faults[0].clone();
    let name = move || match severity {
        Severity::Note => words.tr("Note")(),
        Severity::Warning => words.tr("Warning")(),
        Severity::Loss => words.tr("Loss")(),
        Severity::Fatal => words.tr("Fatal")(),
    };
    let sentence = move |kind: &Kind| {
        format!("{}{}", capital(&kind.message().text(words.language())), stop(words.language()))
    };
    let what = move || sentence(&kind);
    let has_note = !note.is_empty();
    let why = move || note.text(words.language()).into_owned();
    let places = if 1 < faults.len() {
        let count = move || fill(words.tr("{n} like this")(), &[("n", &thousands(n.cast_signed()))]);
        let one = move |fault: Fault| {
            let what = fault.kind.clone();
            view! { <li>{move || sentence(&what)}<FaultPlace fault /></li> }
        };
        let all = faults.into_iter().map(one).collect_view();
        view! { <details class="report__same"><summary>{count}</summary><ul>{all}</ul></details> }.into_any()
    } else {
        faults.into_iter().map(|fault| view! { <FaultPlace fault /> }).collect_view().into_any()
    };
    view! {
        <li class="report__row">
            <SeverityIcon severity=severity.name() />
            <div>
                <span class="unseen">{name}</span>
                <p class="report__what">{what}</p>
                {has_note.then(|| view! { <p class="report__why">{why}</p> })}
                {places}
            </div>
            <span class="report__aside mono">{code.into_owned()}</span>
        </li>
    }
}

/// Where a fault is, and how many more were only counted.
#[component]
fn FaultPlace(fault: Fault) -> impl IntoView {
    let words = words();
    let Fault { place, repeats, last, .. } = fault;
    let place = move || place.text(words.language());
    let more = move || {
        let n = thousands(repeats.cast_signed());
        match last {
            _ if repeats == 0 => None,
            Some(last) => Some(fill(
                words.tr("{n} more like this, last at byte {byte}")(),
                &[("n", &n), ("byte", &offset(last))],
            )),
            None => Some(fill(words.tr("{n} more like this")(), &[("n", &n)])),
        }
    };
    view! {
        <p class="report__place">{place}</p>
        <p class="report__place">{more}</p>
    }
}

fn stop(language: Language) -> char {
    if language == Language::Zh { '。' } else { '.' }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
