//! The frame around the views: top bar, rail, tabs, status bar, and what stands in place of a view.

pub mod operators;
pub mod rail;
pub mod states;
pub mod top;
pub mod views;

use crate::base::fault::Severity;
use crate::base::number::{duration, file_size, instant, thousands};
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::{fill, phrase, tr};
use crate::page::documents::DocState;
use crate::page::frame::top::event_current;
use crate::page::keys::Keys;
use crate::page::opening::how_far;
use crate::page::opening::watch::{self, OnDisk};
use crate::page::save::SaveDialog;
use crate::page::state::{PageState, Panel};
use crate::page::{compare, offline, save};
use crate::pane::headline::Headline;
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::text::{Name, calm};
use crate::ui::words;
use crate::views::details::page::parameters::ControlField;
use leptos::prelude::*;
use std::collections::BTreeMap;

// The dialog of an export that takes parameters: what is written is chosen before it is saved.

/// The dialog.
#[component]
pub fn ExportDialog(
    /// Number of the export in the catalog.
    at: usize,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let close = Callback::new(move |()| state.put_away(&Panel::Export(at)));
    let export = state.documents.catalog.with_untracked(|catalog| catalog.exports.get(at).cloned())?;
    let context = untrack(|| state.row().and_then(|row| row.context.get()))?;
    let (id, title) = (export.id, export.title);
    // What was set for the document counts first.
    let set_before = context.values.get_untracked();
    let changed = RwSignal::new(BTreeMap::<String, String>::new());
    let fields = export.parameters.into_iter().map(|parameter| {
        let id = StoredValue::new(parameter.id.clone());
        let usual = set_before.get(&parameter.id).unwrap_or(&parameter.default).clone();
        let value = Memo::new(move |_| {
            let chosen = changed.with(|changed| id.with_value(|id| changed.get(id).cloned()));
            chosen.unwrap_or_else(|| usual.clone())
        });
        let set = Callback::new(move |text| changed.update(|c| drop(c.insert(id.get_value(), text))));
        view! { <ControlField context parameter value set /> }
    });
    let fields = fields.collect_view();
    let save = Callback::new(move |()| {
        let chosen =
            changed.with_untracked(|c| c.iter().map(|(id, text)| format!("{id}={text}")).collect::<Vec<_>>());
        let colon = if chosen.is_empty() { "" } else { ":" };
        save::export(state, format!("{id}{colon}{}", chosen.join(",")));
    });
    let title = Signal::derive(move || tr(words.language(), &title).to_owned());
    Some(view! {
        <SaveDialog title action="save-export" close save>
            <p class="dialog__row">{fields}</p>
        </SaveDialog>
    })
}

// The status bar: window, selection and faults at the left; facts of the file and two useful keys at the right.

/// The bar at the bottom of the page.
#[component]
pub fn StatusBar() -> impl IntoView {
    let state = PageState::of_context();
    view! {
        <footer class="status">
            {move || match state.row() {
                None => view! { <Idle /> }.into_any(),
                Some(_) => view! { <OfDocument /> }.into_any(),
            }}
            <offline::UpdateNotice />
        </footer>
    }
}

#[component]
fn Idle() -> impl IntoView {
    let words = words();
    view! {
        <offline::KeptState />
        <span>{words.tr("Nothing is uploaded")}</span>
        <span class="status__gap"></span>
        <span><Keys keys=&["?"] />" "{words.tr("keys")}</span>
        <span><Keys keys=&["Ctrl", "K"] />" "{words.tr("commands")}</span>
        <span>{env!("CARGO_PKG_VERSION")}</span>
    }
}

#[component]
fn OfDocument() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let head = move || state.row().and_then(|row| row.head.get());
    let context = move || state.row().and_then(|row| row.context.get());
    let window = move || {
        let (head, context) = (head()?, context()?);
        state.language.track();
        let span = context.window.get().map(Window::span).or(context.moved.get()).or(head.span)?;
        let zero = head.span.map_or(0, Span::origin);
        let at = |t: i64| instant(t.saturating_sub(zero), head.clock);
        Some(format!("{} – {}", at(span.start), at(span.end)))
    };
    let chosen = move || {
        let (head, context) = (head()?, context()?);
        state.language.track();
        let range = context.selection.get().range?;
        Some(duration(range.dur(), head.clock))
    };
    let progress = move || match state.row()?.state.get() {
        DocState::Loading(progress) => Some(progress),
        _ => None,
    };
    let step = move || progress().map(|p| tr(state.language.get(), &p.step).to_owned()).unwrap_or_default();
    let done = move || progress().map(|p| how_far(state, &p));
    let writing = move || state.row()?.writing.get();
    let written = move || writing().map(file_size);
    let cancel = move |_| untrack(|| state.row()).into_iter().for_each(|row| row.cancel_files());
    let facts = move || {
        let head = head()?;
        let slices = (0 < head.contents.slices).then(|| {
            fill(words.tr("{n} slices")(), &[("n", &thousands(head.contents.slices.cast_signed()))])
        });
        let seconds = format!("{:.2} s", head.millis / 1000.0);
        let opened = head.is_complete.then(|| fill(words.tr("opened in {time}")(), &[("time", &seconds)]));
        Some(view! {
            {slices.map(|text| view! { <span>{text}</span> })}
            {opened.map(|text| view! { <span>{text}</span> })}
        })
    };
    view! {
        <OnDiskNote />
        <StatusValue name=Signal::derive(move || words.tr("Window")().to_owned()) value=Signal::derive(window) />
        <StatusValue name=Signal::derive(move || words.tr("Selected")().to_owned()) value=Signal::derive(chosen) />
        <FaultCounts />
        <StatusValue name=Signal::derive(step) value=Signal::derive(done) />
        <StatusValue name=Signal::derive(move || words.tr("Saving")().to_owned()) value=Signal::derive(written) />
        <Show when=move || writing().is_some()>
            <button class="button button--text" type="button" data-action="cancel-files" on:click=cancel>{words.tr("Cancel")}</button>
        </Show>
        <span class="status__note" role="status" title=state.noted>{state.noted}</span>
        {facts}
        <span><Keys keys=&["?"] />" "{words.tr("keys")}</span>
        <span><Keys keys=&["Ctrl", "K"] />" "{words.tr("commands")}</span>
    }
}

/// What became of the files on disk, with the way to read them again; that they are watched, while they are the same.
#[component]
fn OnDiskNote() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let on_disk =
        Memo::new(move |_| state.row().map(|row| (row.id, row.is_watched.get(), row.on_disk.get())));
    move || {
        let (id, is_watched, on_disk) = on_disk.get()?;
        let row = state.documents.row(id)?;
        if on_disk == OnDisk::Same {
            let stop = view! {
                <button
                    class="button button--text"
                    type="button"
                    data-action="stop-watching"
                    data-tip=words.tr("Stop watching for changes on disk")
                    on:click=move |_| watch::toggle(state)
                >
                    {words.tr("Watching")}
                </button>
            };
            return is_watched.then_some(stop).map(IntoAny::into_any);
        }
        let has_way = watch::has_way(row, &on_disk);
        let (title, act): (_, fn(PageState, u32)) =
            if has_way { (watch::REOPEN, watch::reopen) } else { (watch::CHOOSE, watch::choose_again) };
        let text = move || watch::said(state, row, &on_disk);
        let note = view! {
            <span class="severity severity--warning status__disk" role="status">
                <SeverityIcon severity="warning" />
                <span>{text}</span>
                <button
                    class="button button--text"
                    type="button"
                    data-action="reopen"
                    on:click=move |_| act(state, id)
                >
                    {words.tr(title)}
                </button>
            </span>
        };
        Some(note.into_any())
    }
}

/// A name with a value, while there is one. They change with every frame of a gesture: only their text is written anew,
/// and not for every frame.
#[component]
fn StatusValue(name: Signal<String>, value: Signal<Option<String>>) -> impl IntoView {
    let is_there = Memo::new(move |_| value.with(Option::is_some));
    let text = calm(move || value.get().unwrap_or_default());
    let name = Memo::new(move |_| name.get());
    view! {
        <Show when=move || is_there.get()>
            <span>
                {move || name.get()}
                <span class="status__value">{text}</span>
            </span>
        </Show>
    }
}

/// How many faults of each severity but notes; a press opens the report.
#[component]
fn FaultCounts() -> impl IntoView {
    let state = PageState::of_context();
    let counts = move || state.row().and_then(|row| row.head.get()).map_or([0; 4], |head| head.faults);
    let parts = move || {
        let language = state.language.get();
        let counts = counts();
        let parts = Severity::ALL.into_iter().rev().filter_map(move |severity| {
            let n = counts[severity as usize];
            if n == 0 || severity == Severity::Note {
                return None;
            }
            let words = match (severity, n) {
                (Severity::Warning, 1) => phrase("1 warning"),
                (Severity::Warning, _) => phrase("{n} warnings"),
                (Severity::Loss, 1) => phrase("1 loss"),
                (Severity::Loss, _) => phrase("{n} losses"),
                (_, 1) => phrase("1 entry could not be used"),
                (..) => phrase("{n} entries could not be used"),
            };
            let text = fill(tr(language, words), &[("n", &thousands(n.cast_signed()))]);
            let class = format!("severity severity--{}", severity.name());
            Some(view! {
                <button class=class type="button" on:click=move |_| state.view.set("report".to_owned())>
                    <SeverityIcon severity=severity.name() />{text}
                </button>
            })
        });
        parts.collect::<Vec<_>>()
    };
    view! { <span class="status__faults">{parts}</span> }
}

// The bar that says what is compared: baseline, comparison, a way to swap them, and an end.

/// The button in the top bar.
#[component]
fn CompareButton() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let open = move |event: leptos::ev::MouseEvent| {
        state.menus.open_below(&event_current(&event), state.tr("Compare"), compare::items(state));
    };
    let is_on = move || state.documents.pair.get().both().is_some();
    view! {
        <button
            class="button button--plain top__compare"
            type="button"
            aria-haspopup="menu"
            aria-pressed=move || is_on().to_string()
            data-tip=words.tr("Compare with another file")
            on:click=open
        >
            <Icon glyph=Glyph::Compare />
            <span class="top__word">{words.tr("Compare")}</span>
        </button>
    }
}

/// The letter of a document in the pair, behind its name.
#[component]
fn PairMark(
    /// Number of the document.
    id: u32,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    move || {
        let letter = state.documents.pair.get().letter(id);
        (!letter.is_empty()).then(|| {
            let word = if letter == "A" { words.tr("Baseline")() } else { words.tr("Comparison")() };
            view! { <abbr class="mark" class:mark--filled=letter == "B" title=word>{letter}</abbr> }
        })
    }
}

/// The bar above the views.
#[component]
fn CompareBar() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let pair = Memo::new(move |_| state.documents.pair.get());
    let side = move |letter: &'static str| {
        let pair = pair.get();
        let id = if letter == "A" { pair.baseline } else { pair.comparison };
        match id.and_then(|id| state.documents.row(id)) {
            Some(row) => {
                let is_current = move || (state.current.get() == Some(row.id)).then_some("true");
                let show = move |_| state.show(row.id);
                view! {
                    <button
                        class="compare__side"
                        type="button"
                        data-side=letter
                        aria-current=is_current
                        data-tip=move || row.name.get()
                        on:click=show
                    >
                        <PairMark id=row.id />
                        <Name text=Signal::derive(move || side_name(state, row.id, letter)) />
                    </button>
                }
                .into_any()
            }
            None => view! { <span class="compare__none">{words.tr("Choose a file to compare with.")}</span> }
                .into_any(),
        }
    };
    let hint = move || hint(state, pair.get());
    let tool = move |action, glyph, label, act| tool(state, action, glyph, label, act);
    let both = move || pair.get().both().is_some();
    // Not asked for anew where one side gives way to the other.
    let is_part = Memo::new(move |_| state.current.get().is_some_and(|id| !pair.get().letter(id).is_empty()));
    view! {
        <Show when=move || pair.get().baseline.is_some()>
            <div class="compare" role="region" aria-label=words.tr("Compare")>
                {move || side("A")}
                <Show when=both>{tool("swap", Glyph::Compare, SWAP, PageState::swap_pair)}</Show>
                {move || side("B")}
                <span class="compare__hint">{hint}</span>
                {tool("end-comparison", Glyph::Close, END, PageState::end_comparison)}
            </div>
            {move || is_part.get().then(|| headline(state, pair.get()))}
        </Show>
    }
}

/// A button of the bar.
fn tool(
    state: PageState,
    action: &'static str,
    glyph: Glyph,
    label: &'static str,
    act: fn(PageState),
) -> impl IntoView {
    let label = move || tr(state.language.get(), label).to_owned();
    view! {
        <button
            class="button button--small"
            type="button"
            data-action=action
            aria-label=label
            data-tip=label
            on:click=move |_| act(state)
        >
            <Icon glyph small=true />
        </button>
    }
}

/// The sentence below the bar, of the comparison, whichever of the two is shown.
fn headline(state: PageState, pair: compare::Pair) -> Option<impl IntoView> {
    let comparison = state.documents.row(pair.both()?.1)?;
    comparison.context.get().map(|context| view! { <Headline context /> })
}

/// What a side is called: what the two names differ in, or the name while there is one side only.
fn side_name(state: PageState, id: u32, letter: &str) -> String {
    match state.documents.pair_labels() {
        Some((baseline, comparison)) => {
            if letter == "A" {
                baseline
            } else {
                comparison
            }
        }
        None => state.documents.label(id),
    }
}

/// What the bar says at its end: whether differences can be seen here, and why not.
fn hint(state: PageState, pair: compare::Pair) -> Option<&'static str> {
    let baseline = pair.baseline.and_then(|id| state.documents.row(id));
    let is_broken = baseline
        .is_some_and(|row| row.state.with(|s| matches!(s, DocState::Failed(_) | DocState::Dead { .. })));
    let is_waiting = baseline.is_some_and(|row| row.context.with(Option::is_none));
    let current = state.current.get();
    let words = match () {
        () if is_broken => phrase("Could not open the baseline."),
        () if pair.both().is_none() => return None,
        () if is_waiting => phrase("The baseline is still loading."),
        () if pair.comparison == current && state.shown_view().is_some_and(|view| !view.compares) => {
            phrase("This view shows no differences. See Details.")
        }
        () if pair.comparison == current => phrase("Difference = B − A"),
        () if pair.baseline == current => phrase("This is the baseline; differences are shown in B."),
        () => phrase("This file is not part of the comparison."),
    };
    Some(tr(state.language.get(), words))
}

const SWAP: &str = phrase("Swap baseline and comparison");
const END: &str = phrase("Stop comparing");
