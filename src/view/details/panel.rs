//! One figure with its head: title, scope, legend, choices, saving; below it its advice and notes.

use super::Picks;
use super::advice::AdviceIcon;
use super::joined::{self, Pane};
use crate::base::words::{message, tr};
use crate::draw;
use crate::model::figure::{Advice, Body, Choice, FigureState};
use crate::ui::field::{Segmented, SelectField};
use crate::view::context::ViewContext;
use crate::view::figure::rows::FigureTable;
use crate::view::figure::save::SaveButton;
use crate::view::figure::{FigureBody, Legend};
use crate::wire::figures::{FamilyHead, Shown, TableHead};
use crate::wire::rows::Source;
use leptos::prelude::*;

/// Options that stand side by side; more, or ones of more letters together, become a list.
const SIDE_BY_SIDE: usize = 4;
const LETTERS: usize = 30;

/// A family with the variant that is chosen.
#[component]
pub(super) fn Panel(
    context: ViewContext,
    picks: Picks,
    family: FamilyHead,
    /// Figures of the baseline.
    #[prop(optional)]
    of_baseline: RwSignal<Option<Vec<FamilyHead>>>,
    /// What is said of a figure that only one document has.
    #[prop(optional)]
    alone: &'static str,
) -> impl IntoView {
    let id = StoredValue::new(family.id.clone());
    let choices = StoredValue::new(family.choices.clone());
    let chosen =
        Memo::new(move |_| choices.with_value(|c| c.iter().map(|c| picks.option(c)).collect::<Vec<_>>()));
    let pane = joined::follow(context, (id, choices, chosen), of_baseline);
    let shown = Memo::new(move |_| pane.with(|p| p.as_ref().map(|p| p.shown.clone())));
    let is_compared = Memo::new(move |_| pane.with(|p| p.as_ref().is_some_and(|p| p.is_compared)));
    let state = RwSignal::new(FigureState::default());
    let said = move |text: String| Signal::derive(move || tr(context.language.get(), &text).to_owned());
    let title = said(family.title.clone());
    let scope =
        move || shown.with(|s| s.as_ref().map(|s| tr(context.language.get(), &s.figure.scope).to_owned()));
    let columns = family.columns;
    let class = move || {
        let own = shown.with(|s| s.as_ref().filter(|_| is_compared.get()).map(|s| draw::columns(&s.figure)));
        match own.unwrap_or(columns).max(columns) {
            3 => "details__panel details__panel--3",
            2 => "details__panel details__panel--2",
            _ => "details__panel",
        }
    };
    let body = move || {
        let Pane { shown, chosen, is_compared, .. } = pane.get()?;
        Some(view! { <FigureBody context shown id=id.get_value() chosen state is_compared /> })
    };
    let note = move || {
        let why = pane.with(|p| p.as_ref().and_then(|p| p.note.clone()));
        let why = why.or((!alone.is_empty()).then(|| alone.to_owned()))?;
        let words = tr(context.language.get(), &why).to_owned();
        Some(view! { <p class="figure__apart" role="note">{words}</p> })
    };
    view! {
        <section class=class id=format!("figure-{}", family.id) tabindex="-1" aria-label=title>
            <header class="figure__head">
                <h2 class="figure__title">{title}</h2>
                <span class="figure__scope">{scope}</span>
                <span class="figure__tools">
                    <Legend context shown />
                    <CurveSwitch context shown=shown.into() state />
                    {family.choices.iter().cloned().map(|choice| view! { <Pick context picks choice /> }).collect_view()}
                    <SaveButton context id=family.id.clone() chosen is_compared />
                </span>
            </header>
            {note}
            <div class="figure__body">{body}</div>
            <Remarks context shown=shown.into() />
        </section>
    }
}

/// A long table with all its rows.
#[component]
pub(super) fn LongPanel(context: ViewContext, table: TableHead) -> impl IntoView {
    let TableHead { id, title, rows, mut notes, empty, .. } = table;
    if !empty.is_empty() {
        let hidden = message("{n} columns without values are hidden; the Tables tab has them.");
        notes.push(hidden.with("n", empty.len()));
    }
    let (name, node) = (title.clone(), format!("figure-{id}"));
    let said = Signal::derive(move || tr(context.language.get(), &name).to_owned());
    let source = Source::Table { id, has_empty: false };
    let notes = notes.into_iter().map(|note| {
        let said = move || note.text(context.language.get()).into_owned();
        view! { <p class="figure__note">{said}</p> }
    });
    view! {
        <section class="details__panel details__panel--3" id=node tabindex="-1" aria-label=said>
            <header class="figure__head">
                <h2 class="figure__title">{said}</h2>
            </header>
            <div class="figure__body">
                <FigureTable context source n_rows=rows title />
            </div>
            <div class="figure__remarks">{notes.collect_view()}</div>
        </section>
    }
}

/// One choice: few options side by side, many as a list.
#[component]
fn Pick(context: ViewContext, picks: Picks, choice: Choice) -> impl IntoView {
    let n = choice.options.len();
    let choice = StoredValue::new(choice);
    let label = Signal::derive(move || choice.with_value(|c| tr(context.language.get(), &c.name).to_owned()));
    let options = Signal::derive(move || {
        let language = context.language.get();
        choice.with_value(|c| {
            let named = |(i, o): (usize, &String)| (i.to_string(), tr(language, o).to_owned());
            c.options.iter().enumerate().map(named).collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || choice.with_value(|c| picks.option(c).to_string()));
    let on_choose = Callback::new(move |option: String| {
        choice.with_value(|c| picks.pick(c, option.parse().unwrap_or(0)));
    });
    let letters: usize = choice.with_value(|c| c.options.iter().map(|o| o.chars().count()).sum());
    if n < 2 {
        // Nothing to choose: what it is about stays.
        let only = move || options.with(|options| options.first().map(|(_, name)| name.clone()));
        view! { <span class="field__label">{label} " " {only}</span> }.into_any()
    } else if n <= SIDE_BY_SIDE && letters <= LETTERS {
        view! { <Segmented label options value on_choose small=true /> }.into_any()
    } else {
        view! { <SelectField label options value on_choose /> }.into_any()
    }
}

/// Counts or cumulative share, for histograms.
#[component]
fn CurveSwitch(
    context: ViewContext,
    shown: Signal<Option<Shown>>,
    state: RwSignal<FigureState>,
) -> impl IntoView {
    let own = Memo::new(move |_| {
        shown.with(|s| match s.as_ref().map(|s| &s.figure.body) {
            Some(Body::Histogram(h)) => Some(h.is_cumulative),
            _ => None,
        })
    });
    let options = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![("counts".to_owned(), word("Counts")), ("share".to_owned(), word("Cumulative"))]
    });
    let value = Signal::derive(move || {
        let is_share = state.with(|s| s.is_cumulative).or(own.get()).unwrap_or(false);
        if is_share { "share".to_owned() } else { "counts".to_owned() }
    });
    let on_choose = Callback::new(move |id: String| state.update(|s| s.is_cumulative = Some(id == "share")));
    view! {
        <Show when=move || own.get().is_some()>
            <Segmented label=context.word("Show as") options value on_choose small=true />
        </Show>
    }
}

/// Advice and notes of the figure that is shown.
#[component]
fn Remarks(context: ViewContext, shown: Signal<Option<Shown>>) -> impl IntoView {
    let advice = move || {
        let all = shown.with(|s| s.as_ref().map(|s| s.figure.advice.clone()).unwrap_or_default());
        let lines = all.into_iter().map(|Advice { text, is_costly }| {
            let said = move || text.text(context.language.get()).into_owned();
            view! { <p class="figure__advice"><AdviceIcon is_costly />{said}</p> }
        });
        lines.collect_view()
    };
    let notes = move || {
        let all = shown.with(|s| s.as_ref().map(|s| s.figure.notes.clone()).unwrap_or_default());
        let lines = all.into_iter().map(|note| {
            let said = move || note.text(context.language.get()).into_owned();
            view! { <p class="figure__note">{said}</p> }
        });
        lines.collect_view()
    };
    view! { <div class="figure__remarks">{advice} {notes}</div> }
}
