//! The evidence of the chosen finding: a picture of data of the file, numbers, how they were computed, and the ways there.

use super::State;
use super::list::view_title;
use crate::analysis::finding::{Finding, Limit, Number};
use crate::analysis::told::{NumberBeside, limit_told, number_beside};
use crate::base::words::{message, phrase, tr};
use crate::navigation::route::Route;
use crate::pane::Surface;
use crate::ui::copy_text;
use crate::views::overview::messages::EvidencePicture;
use crate::wire::Draw;
use leptos::prelude::*;

/// Names of numbers with more letters have a line of their own.
const LONG: usize = 40;

/// The pane beside the findings.
#[component]
pub fn EvidencePane(state: State) -> impl IntoView {
    let context = state.context;
    let finding = Memo::new(move |_| state.finding());
    let frame = Signal::derive(move || {
        let picture =
            |one: &Finding| EvidencePicture { rule: one.rule.clone(), subject: one.subject.clone() };
        finding
            .with(|one| one.as_ref().filter(|one| 0.0 < one.evidence.height).map(|one| picture(one).frame()))
    });
    let height =
        move || format!("{}px", finding.with(|one| one.as_ref().map_or(0.0, |one| one.evidence.height)));
    let alt = Signal::derive(move || {
        let language = context.language.get();
        finding.with(|one| {
            one.as_ref().map_or(String::new(), |one| {
                format!("{}: {}", one.evidence.title.text(language), one.evidence.shown.text(language))
            })
        })
    });
    // Another finding is read from its begin.
    let pane = NodeRef::<leptos::html::Aside>::new();
    Effect::new(move || {
        finding.with(|_| ());
        // With the layout of the frame, not with one of its own.
        request_animation_frame(move || {
            if let Some(pane) = pane.try_get_untracked().flatten() {
                pane.set_scroll_top(0);
            }
        });
    });
    let body = move || {
        // A baseline may be known after the finding is shown, and its texts are of a language: both make it anew.
        context.language.track();
        state.old.track();
        finding.get().map(|one| view! { <Numbers state one /> })
    };
    view! {
        <aside class="overview__evidence" node_ref=pane aria-label=context.word(phrase("Evidence")) tabindex="0">
            {move || {
                let language = context.language.get();
                finding.with(|one| {
                    one.as_ref().map(|one| {
                        let (title, shown) = (one.evidence.title.text(language).into_owned(), one.evidence.shown.text(language).into_owned());
                        view! {
                            <header class="overview__head">
                                <h2>{title}</h2>
                                <span data-tip=shown.clone()>{shown.clone()}</span>
                            </header>
                        }
                    })
                })
            }}
            <div class="overview__picture" style:height=height hidden=move || frame.with(Option::is_none)>
                <Surface context class="overview__canvas" frame on_note=Callback::new(|_| {}) alt />
            </div>
            {body}
        </aside>
    }
}

/// The name of a number; a long one has a line of its own.
fn named(name: String) -> impl IntoView {
    let is_long = LONG < name.chars().count();
    view! { <dt class:overview__long=is_long>{name}</dt> }
}

#[component]
fn Numbers(state: State, one: Finding) -> impl IntoView {
    let context = state.context;
    let language = context.language.get_untracked();
    let evidence = one.evidence.clone();
    // Beside those of the baseline, where it has the same number.
    let old = state.before(&one).and_then(|(_, old)| old);
    let row = |number: &Number| {
        let NumberBeside { was, is, note } = number_beside(number, old.as_ref(), language);
        let was = (!was.is_empty()).then(|| view! { <span class="overview__aside">{was}" → "</span> });
        view! {
            {named(number.name.text(language).into_owned())}
            <dd>{was}{is}</dd>
            <dd class="overview__aside">{note.replace(" %", "\u{a0}%")}</dd>
        }
    };
    let numbers = evidence.numbers.iter().map(row).collect_view();
    let model = one.saving.model.text(language).into_owned();
    let limits: Vec<Limit> = state.held.with_untracked(|overview| {
        let rule = overview.rules.iter().find(|rule| rule.id == one.rule);
        rule.map_or_else(Vec::new, |rule| rule.thresholds.clone())
    });
    let how = evidence.how.text(language).into_owned();
    let show = {
        let title = view_title(language, &evidence.view);
        message("Show in {view}").with("view", title).text(language).into_owned()
    };
    let (place, list) = (evidence.address.clone(), evidence.list.clone());
    let has_list = !list.is_empty();
    let copy = {
        let of = [("finding", one.rule.as_str()), ("subject", one.subject.as_str())];
        let said = of.into_iter().filter(|(_, text)| !text.is_empty());
        let own = crate::base::pairs::join(said);
        move |_| {
            let mut place = Route { view: Some("overview".to_owned()), ..Route::default() };
            place.states.insert("overview".to_owned(), own.clone());
            let location = window().location();
            let href = location.href().unwrap_or_default();
            let base = href.split('#').next().unwrap_or_default().to_owned();
            let text = format!("{base}{}", super::link(&place.text()));
            copy_text(&text, move |worked| {
                let said = if worked { phrase("Link copied") } else { phrase("The browser blocked copying") };
                context.say.run((tr(context.language.get_untracked(), said).to_owned(), !worked));
            });
        }
    };
    view! {
        <dl class="overview__numbers">{numbers}</dl>
        <div class="overview__how">
            <p>{how}</p>
            {(!model.is_empty()).then(|| view! { <p>{model}</p> })}
            {limits.into_iter().map(|limit| view! { <p class="overview__limit">{limit_told(&limit, language)}</p> }).collect_view()}
        </div>
        <div class="overview__acts">
            <button class="button" type="button" data-action="show-evidence" on:click=move |_| state.visit(&place)>{show}</button>
            {has_list.then(|| view! {
                <button class="button" type="button" data-action="list-evidence" on:click=move |_| state.visit(&list)>
                    {context.word(phrase("List"))}
                </button>
            })}
            <button class="button" type="button" data-action="copy-evidence" on:click=copy>{context.word(phrase("Copy link"))}</button>
        </div>
    }
}
