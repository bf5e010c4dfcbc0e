//! What limits it: the findings, and below a count the rules that found nothing or could not look.

use super::{State, counted};
use crate::analysis::finding::{Finding, SavingKind, Severity, plain};
use crate::analysis::told::{change_told, full_stop, gone, quiet_counted, quiet_told};
use crate::base::words::{Language, message, phrase, tr};
use crate::pane::sentence::sentence;
use crate::ui::icon::SeverityIcon;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The list of findings, with the count of rules that found nothing.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub fn Findings(state: State) -> impl IntoView {
    let context = state.context;
    let shows_rules = state.shows_rules;
    let list = NodeRef::<leptos::html::Div>::new();
    state.follow_return(list);
    let language = move || context.language.get();
    let text = move |of: crate::base::words::Message| of.text(language()).into_owned();
    let n = move || state.held.with(|overview| overview.findings.len());
    let is_whole = move || state.held.with(|overview| overview.is_whole);
    let said = move || {
        if is_whole() { text(counted(n())) } else { text(message("{n} findings so far").with("n", n())) }
    };
    let quiet = move || text(state.held.with(|overview| quiet_counted(&overview.rules)));
    let findings = Memo::new(move |_| state.held.with(|overview| overview.findings.clone()));
    let listed = move || {
        let (language, findings) = (language(), findings.get());
        let most = findings.iter().map(|one| one.saving.share).fold(0.0, f64::max);
        findings.into_iter().enumerate().map(|(at, one)| (at, one, most, language)).collect::<Vec<_>>()
    };
    // Rows that say the same at the same place stay while others come.
    let key = |(at, one, most, language): &(usize, Finding, f64, Language)| {
        let said = [&one.sentence, &one.line].map(|text| text.text(*language).into_owned());
        (*at, one.rule.clone(), one.subject.clone(), said, one.saving.text(Language::En), most.to_bits())
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let at = state.held.with_untracked(|overview| untrack(|| state.place(overview)));
        let to = match event.key().as_str() {
            "ArrowDown" => (at + 1).min(n().saturating_sub(1)),
            "ArrowUp" => at.saturating_sub(1),
            "Home" => 0,
            "End" => n().saturating_sub(1),
            "Enter" => {
                if let Some(finding) = untrack(|| state.finding()) {
                    event.prevent_default();
                    state.visit(&finding.evidence.address);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        state.choose(to);
        if let Some(row) = document().query_selector(".overview__finding[aria-selected=true]").ok().flatten()
            && let Ok(row) = row.dyn_into::<web_sys::HtmlElement>()
        {
            show(&row);
        }
    };
    let active = move || {
        let at = state.held.with(|overview| state.place(overview));
        (0 < n()).then(|| format!("finding-{at}"))
    };
    view! {
        <section class="overview__list" aria-label=context.word(phrase("What limits it"))>
            <header class="overview__head">
                <h2>{context.word(phrase("What limits it"))}</h2>
                <span data-tip=context.word(HELP)>{said}</span>
                <button
                    class="overview__rules-count"
                    type="button"
                    aria-expanded=move || shows_rules.get().to_string()
                    on:click=move |_| shows_rules.update(|on| *on = !*on)
                >
                    {quiet}
                </button>
            </header>
            <div class="overview__scroll">
                {move || (shows_rules.get() && 0 < n()).then(|| view! { <Rules state /> })}
                <div
                    node_ref=list
                    class="overview__findings"
                    role="grid"
                    tabindex="0"
                    data-keys
                    aria-label=context.word(phrase("Findings"))
                    aria-activedescendant=active
                    on:keydown=on_key
                >
                    <For each=listed key let((at, one, most, language))>
                        <FindingRow state at one most language />
                    </For>
                </div>
                {move || {
                    (is_whole() && n() == 0)
                        .then(|| view! { <p class="overview__none">{context.word(phrase("No findings."))}</p> })
                }}
                <Vanished state />
                {move || (is_whole() && n() == 0).then(|| view! { <Rules state /> })}
            </div>
        </section>
    }
}

const HELP: &str = phrase(
    "≤ is a proven upper bound on the savings, ≈ an estimate whose model is given in the evidence, – means that savings cannot be quantified. Savings of different findings may overlap and do not add up.",
);

/// Scrolls the list as far as it takes to see a row.
fn show(row: &web_sys::HtmlElement) {
    let Some(list) = row.closest(".overview__scroll").ok().flatten() else { return };
    let (own, all) = (row.get_bounding_client_rect(), list.get_bounding_client_rect());
    let by =
        if own.top() < all.top() { own.top() - all.top() } else { (own.bottom() - all.bottom()).max(0.0) };
    list.set_scroll_top(list.scroll_top() + by.ceil() as i32);
}

#[component]
fn FindingRow(state: State, at: usize, one: Finding, most: f64, language: Language) -> impl IntoView {
    let is_chosen = Memo::new(move |_| state.held.with(|overview| state.place(overview)) == at);
    let severity = if one.severity == Severity::Warning { "warning" } else { "note" };
    let (text, line) = (one.sentence.text(language).into_owned(), one.line.text(language).into_owned());
    let writer = (!one.writer.is_empty()).then(|| {
        let said = message("{writer} says").with("writer", &one.writer).text(language).into_owned();
        view! { <em class="overview__writer">{said}</em> }
    });
    let quotes: Vec<_> = one
        .quotes
        .iter()
        .map(|quote| view! { " " <em class="overview__writer">{quote.said().text(language).into_owned()}</em> })
        .collect();
    let (saving, part) = (one.saving.amount(), one.saving.part().text(language).into_owned());
    let width = format!("{:.2}%", if 0.0 < most { one.saving.share / most * 100.0 } else { 0.0 });
    let tip = one.saving.text(language);
    let bar = (one.saving.kind != SavingKind::None).then(|| view! { <i><i style:width=width></i></i> });
    let title = view_title(language, &one.evidence.view);
    let (address, href) = (one.evidence.address.clone(), super::link(&one.evidence.address));
    let go = move |event: leptos::ev::MouseEvent| {
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            state.choose(at);
            state.visit(&address);
        }
    };
    let against = {
        let one = one.clone();
        move || {
            change(state, &one, language)
                .map(|said| view! { <em class="overview__writer">{said}{full_stop(language)}</em> })
        }
    };
    let to_place = state.to_evidence(at);
    view! {
        <div
            class="overview__finding"
            role="row"
            id=format!("finding-{at}")
            data-rule=one.rule.clone()
            aria-selected=move || is_chosen.get().to_string()
            on:click=move |_| state.choose(at)
            on:dblclick=move |_| to_place()
        >
            <div class="overview__one" role="gridcell">
                <SeverityIcon severity=severity.to_owned() />
                <p class="overview__sentence" data-tip=plain(&text)>{sentence(&text)}</p>
                <div class="overview__saving" data-tip=tip>{saving}<small>{part}</small>{bar}</div>
                <a class="overview__to" href=href tabindex="-1" on:click=go>{title}</a>
                <p class="overview__line">{writer}{against}{line}{quotes}</p>
            </div>
        </div>
    }
}

impl State {
    /// Goes to the evidence of a finding by its place.
    fn to_evidence(self, at: usize) -> impl Fn() + 'static {
        move || {
            let address = self
                .held
                .with_untracked(|overview| overview.findings.get(at).map(|one| one.evidence.address.clone()));
            self.visit(&address.unwrap_or_default());
        }
    }
}

/// Findings that only the baseline has.
#[component]
fn Vanished(state: State) -> impl IntoView {
    let context = state.context;
    move || {
        let language = context.language.get();
        let old = state.old.get().filter(|_| state.held.with(|overview| overview.is_whole))?;
        let gone: Vec<(Finding, Option<&'static str>)> = state.held.with(|overview| {
            let all = gone(&old, overview, language).into_iter();
            all.map(|(one, why)| (one.clone(), why)).collect()
        });
        let row = |(one, why): &(Finding, Option<&'static str>)| {
            let (text, saving) = (one.sentence.text(language).into_owned(), one.saving.text(language));
            let why = why.map(|why| view! { " "<em class="overview__writer">{why}</em> });
            view! { <dt>{saving}</dt><dd>{sentence(&text)}{why}</dd> }
        };
        (!gone.is_empty()).then(|| {
            view! {
                <div class="overview__rules">
                    <h3>{tr(language, phrase("Only in the baseline")).to_owned()}</h3>
                    <dl class="overview__quiet">{gone.iter().map(row).collect_view()}</dl>
                </div>
            }
        })
    }
}

/// What became of a finding, against the baseline.
fn change(state: State, one: &Finding, language: Language) -> Option<String> {
    let (change, before) = state.before(one)?;
    Some(change_told(change, before.as_ref(), one, language))
}

/// What a view is called.
pub fn view_title(language: Language, id: &str) -> String {
    let view = crate::views::VIEWS.iter().find(|view| view.id == id);
    tr(language, view.map_or("", |view| view.title)).to_owned()
}

/// Rules that found nothing, with their numbers, and rules that could not look, with what is missing.
#[component]
fn Rules(state: State) -> impl IntoView {
    let context = state.context;
    let lists = move || {
        let language = context.language.get();
        let lists = state.held.with(|overview| quiet_told(&overview.rules, language)).into_iter();
        let row = |(titles, text): (String, String)| view! { <dt>{titles}</dt><dd>{text}</dd> };
        let list = lists.filter(|(_, rules)| !rules.is_empty()).map(|(title, rules)| {
            view! {
                <h3>{tr(language, title).to_owned()}</h3>
                <dl class="overview__quiet">{rules.into_iter().map(row).collect_view()}</dl>
            }
        });
        list.collect_view()
    };
    view! { <div class="overview__rules">{lists}</div> }
}
