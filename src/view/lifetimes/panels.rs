//! The head of the upper part: what is shown, by which definition, what colors mean; and what stands in place of plots.

use super::lines::WIDE;
use super::state::{Panel, State};
use crate::base::words::{fill, phrase};
use crate::draw::lifetimes::OUTLIVES;
use crate::ui::field::Segmented;
use leptos::prelude::*;

fn title(panel: Panel) -> &'static str {
    match panel {
        Panel::Lengths => phrase("Data lifetimes"),
        Panel::Time => phrase("Accesses over time"),
        Panel::Addresses => phrase("Accesses by address"),
        Panel::Rates => phrase("Write rates"),
        Panel::Devices => phrase("Device comparison"),
        Panel::Reuse => phrase("Reuse"),
    }
}

fn short_title(panel: Panel) -> &'static str {
    match panel {
        Panel::Lengths => phrase("Histogram"),
        Panel::Time => phrase("Over time"),
        Panel::Addresses => phrase("Addresses"),
        Panel::Rates => phrase("Write rates"),
        Panel::Devices => phrase("Devices"),
        Panel::Reuse => phrase("Reuse"),
    }
}

/// What a lifetime is, in words; they follow the settings.
fn definition(state: State) -> String {
    let context = state.context;
    let (is_resident, are_counted) = state.of(|head| (head.is_resident, head.are_orphans_counted));
    let words = match (is_resident, are_counted) {
        (false, false) => phrase("from opening to last use, orphans left out"),
        (false, true) => phrase("from opening to last use, orphans counted"),
        (true, false) => phrase("from opening to replacement, orphans left out"),
        (true, true) => phrase("from opening to replacement, orphans counted"),
    };
    context.tr(words).to_owned()
}

/// What the picture is of, in words.
fn about(state: State) -> String {
    let context = state.context;
    match state.panel.get() {
        Panel::Lengths => definition(state),
        Panel::Time | Panel::Addresses => String::new(),
        Panel::Rates => {
            context.tr(phrase("90 % of lifetimes by rate of stores, with what devices hold")).to_owned()
        }
        Panel::Devices => context
            .tr(phrase("area and energy relative to the reference, refreshes on a log scale"))
            .to_owned(),
        Panel::Reuse => context.tr(phrase("orphans, number of reuses, and use over time")).to_owned(),
    }
}

/// The head.
#[component]
pub(super) fn Head(state: State) -> impl IntoView {
    let context = state.context;
    let panels = Signal::derive(move || {
        let one = |(panel, id): (Panel, &str)| (id.to_owned(), context.tr(short_title(panel)).to_owned());
        Panel::ALL.into_iter().map(one).collect::<Vec<_>>()
    });
    let panel = Signal::derive(move || state.panel.get().id().to_owned());
    let choose = Callback::new(move |id: String| state.panel.set(Panel::of(&id)));
    let kernel = move || {
        state.kernel_name().map(|name| {
            view! {
                <span class="lifetimes__chosen">{name}</span>
                <button class="button button--text" type="button" on:click=move |_| state.kernel.set(None)>
                    {context.word(phrase("All kernels"))}
                </button>
            }
        })
    };
    // One level at a time where there is no room for two.
    let levels = Signal::derive(move || {
        let names = state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
        names.into_iter().enumerate().map(|(at, name)| (at.to_string(), name)).collect::<Vec<_>>()
    });
    let is_narrow = Memo::new(move |_| {
        let w = state.extent.get().size.w;
        0.0 < w && w < WIDE && 1 < levels.with(Vec::len) && state.panel.get() == Panel::Lengths
    });
    let level = Signal::derive(move || state.level.get().to_string());
    let choose_level = Callback::new(move |id: String| state.level.set(id.parse().unwrap_or(0)));
    view! {
        <header class="lifetimes__head">
            <h2 class="figure__title">{move || context.tr(title(state.panel.get())).to_owned()}</h2>
            {kernel}
            <span class="lifetimes__about">{move || about(state)}</span>
            <span class="lifetimes__gap"></span>
            <Show when=move || state.panel.get() == Panel::Lengths><Legend state /></Show>
            <Show when=move || is_narrow.get()>
                <Segmented label=context.word(phrase("Level")) options=levels value=level on_choose=choose_level small=true />
            </Show>
            <Segmented label=context.word(phrase("Figure")) options=panels value=panel on_choose=choose small=true />
        </header>
    }
}

/// Which color is which device.
#[component]
fn Legend(state: State) -> impl IntoView {
    let context = state.context;
    let keys = move || {
        let lines = state.lines.get();
        let n = lines.len();
        let mut keys: Vec<(String, String)> = Vec::new();
        for (at, (_, line)) in lines.iter().enumerate() {
            let words = if at == 0 { phrase("fits {device}") } else { phrase("needs {device}") };
            keys.push((state.css(line.ink), fill(context.tr(words), &[("device", &line.name)])));
        }
        if 0 < n {
            let words = match n {
                1 => phrase("outlives it"),
                2 => phrase("outlives both"),
                _ => phrase("outlives all"),
            };
            keys.push((state.css(OUTLIVES), context.tr(words).to_owned()));
        }
        let key = |(color, words): (String, String)| {
            view! { <span><i class="lifetimes__swatch" style:background=color></i>{words}</span> }
        };
        keys.into_iter().map(key).collect_view()
    };
    view! {
        <span class="lifetimes__legend" aria-hidden="true">
            {keys}
            <span><i class="lifetimes__key-line"></i>{context.word(phrase("cumulative share"))}</span>
            <Show when=move || state.baseline.with(Option::is_some)>
                <span><i class="lifetimes__key-baseline"></i>{move || state.baseline_name()}</span>
            </Show>
        </span>
    }
}

/// What stands in place of plots where the log has no accesses.
#[component]
pub(super) fn NoAccesses(state: State) -> impl IntoView {
    let context = state.context;
    let link = move |view: &'static str, words: &'static str| {
        view! {
            <button class="button" type="button" on:click=move |_| context.go.run(view.to_owned())>
                {context.word(words)}
            </button>
        }
    };
    view! {
        <div class="state">
            <div class="state__block">
                <h3 class="state__title">{context.word(phrase("This log holds statistics but no accesses"))}</h3>
                <p class="state__prose">
                    {context.word(phrase("Lifetimes are taken from access lines. Record the log with --verbose to have them. Devices keep their areas."))}
                </p>
                <div class="state__actions">{link("details", phrase("Details"))} {link("tables", phrase("Tables"))}</div>
            </div>
        </div>
    }
}
