//! The first screen: what to do, samples, what can be opened, what was opened before.

use super::help;
use super::opening::recent::{self, Recent};
use super::opening::{self, Sample};
use super::state::PageState;
use crate::base::number::file_size;
use crate::base::words::{fill, tr};
use crate::page::keys::Keys;
use crate::systems::guides::{GUIDES, Guide};
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::words;
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The welcome page.
#[component]
pub fn Welcome(
    /// Whether it is seen: while a document is open it is kept, hidden.
    #[prop(into)]
    is_shown: Signal<bool>,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let samples = RwSignal::new(Vec::<Sample>::new());
    leptos::task::spawn_local(async move {
        let list = opening::list_samples().await;
        samples.try_set(list);
    });
    view! {
        <div class="welcome" hidden=move || !is_shown.get()>
            <div class="welcome__sheet">
                <h1 class="welcome__title">{words.tr("Drop a profile anywhere on this page")}</h1>
                <p class="welcome__lead">
                    {words.tr("Lanescope shows what an accelerator, GPU or phone did in a recorded run, and what limits it. Files, folders and archives open in this browser; nothing is uploaded.")}
                </p>
                <div class="welcome__actions">
                    <button class="button button--main button--large" type="button" on:click=move |_| opening::pick(state, false)>
                        {words.tr("Open files…")}
                    </button>
                    <button class="button button--large" type="button" on:click=move |_| opening::pick(state, true)>
                        {words.tr("Open folder…")}
                    </button>
                    <span class="welcome__hint"><Keys keys=&["Ctrl", "O"] /></span>
                </div>
                <Issue />
                <div class="welcome__columns">
                    <div>
                        <RecentFiles is_shown />
                        <Samples samples />
                        <Explained spaced=Signal::derive(move || !samples.with(Vec::is_empty)) />
                    </div>
                    <Formats />
                </div>
            </div>
        </div>
    }
}

/// Why nothing can be opened at all, when that is so.
#[component]
fn Issue() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    move || {
        state.documents.trouble.get().map(|why| {
            view! {
                <p class="welcome__lead severity severity--fatal" role="alert">
                    <SeverityIcon severity="fatal" />
                    <span>{words.tr("This browser cannot open files")}": "{why}</span>
                </p>
            }
        })
    }
}

#[component]
fn Samples(samples: RwSignal<Vec<Sample>>) -> impl IntoView {
    let words = words();
    view! {
        <Show when=move || !samples.with(Vec::is_empty)>
            <section>
                <h2 class="welcome__heading">
                    {words.tr("Samples")}
                    <span class="welcome__scope">{words.tr("click to open")}</span>
                </h2>
                <For each=move || samples.get() key=|sample| sample.id.clone() let:sample>
                    <OneSample sample />
                </For>
            </section>
        </Show>
    }
}

#[component]
fn OneSample(sample: Sample) -> impl IntoView {
    let state = PageState::of_context();
    let (title, note) = (StoredValue::new(sample.title.clone()), StoredValue::new(sample.note.clone()));
    let word =
        move |text: StoredValue<String>| move || tr(state.language.get(), &text.get_value()).to_owned();
    let paths: Vec<_> = miniature(&sample.picture)
        .into_iter()
        .map(|(color, path)| view! { <path class=format!("m{color}") d=path></path> })
        .collect();
    let size = file_size(sample.bytes);
    let id = sample.id.clone();
    view! {
        <button class="sample" type="button" data-sample=id on:click=move |_| opening::open_sample(state, &sample)>
            <svg class="sample__picture miniature" viewBox="0 0 132 40" aria-hidden="true">{paths}</svg>
            <span>
                <span class="sample__title">{word(title)}</span>
                <span class="sample__note">{word(note)}</span>
            </span>
            <span class="sample__size">{size}</span>
        </button>
    }
}

/// The rectangles of a miniature as one path for each color: hundreds of elements would cost the browser more than the
/// page around them.
fn miniature(rects: &[(u8, f32, f32, f32, f32)]) -> BTreeMap<u8, String> {
    let mut paths = BTreeMap::<u8, String>::new();
    for (color, x, y, w, h) in rects {
        let _ = write!(paths.entry(*color).or_default(), "M{x} {y}h{w}v{h}h-{w}z");
    }
    paths
}

#[component]
fn Formats() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let rows = move || {
        let language = state.language.get();
        let formats = state.documents.catalog.get().formats.into_iter().map(move |format| {
            view! {
                <div class="format">
                    <dt class="format__title">{tr(language, &format.title).to_owned()}</dt>
                    <dd>
                        <div class="format__patterns mono">{format.patterns.join(", ")}</div>
                        <p class="format__shows">{tr(language, &format.written_by).to_owned()}</p>
                        <p class="format__shows">{tr(language, &format.shows).to_owned()}</p>
                    </dd>
                </div>
            }
        });
        formats.collect::<Vec<_>>()
    };
    view! {
        <section>
            <h2 class="welcome__heading">{words.tr("Supported formats")}</h2>
            <dl>
                {rows}
                <div class="format">
                    <dt class="format__title">{words.tr("Compressed")}</dt>
                    <dd>
                        <div class="format__patterns mono">".zip, .tar, .gz, .xz, .zst"</div>
                        <p class="format__shows">{words.tr("All of the above, compressed")}</p>
                    </dd>
                </div>
            </dl>
        </section>
    }
}

/// The way to the lessons.
#[component]
fn Explained(spaced: Signal<bool>) -> impl IntoView {
    let words = words();
    // The first of each group; the help lists all.
    let is_first = |at: usize| GUIDES[..at].iter().all(|other| other.title != GUIDES[at].title);
    let guides = GUIDES.iter().enumerate().filter(|(at, _)| is_first(*at));
    let guides: Vec<_> = guides.map(|(_, guide)| view! { <GuideRow guide /> }).collect();
    view! {
        <section>
            <h2 class="welcome__heading" class:welcome__heading--next=move || spaced.get()>{words.tr("Explained")}</h2>
            {guides}
        </section>
    }
}

#[component]
fn GuideRow(guide: &'static Guide) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let lessons = (guide.lessons)();
    let first = lessons.first().map(|lesson| lesson.id).or_else(|| guide.terms.map(|terms| terms.id));
    let (n, of) = match guide.terms.filter(|_| lessons.is_empty()) {
        Some(terms) => (terms.rows.len(), words.tr(terms.count())),
        None => (lessons.len(), words.tr("{n} examples")),
    };
    let n = n.to_string();
    let title = move || {
        let language = state.language.get();
        guide.titles().map(|title| tr(language, title)).collect::<Vec<_>>().join(" · ")
    };
    let open = move |_| {
        if let Some(id) = first {
            help::open(state, id);
        }
    };
    view! {
        <button class="recent" type="button" data-action="lessons" on:click=open>
            <Icon glyph=Glyph::Help small=true />
            <span class="recent__name">{title}</span>
            <span class="recent__when">{move || fill(of(), &[("n", &n)])}</span>
        </button>
    }
}

#[component]
fn RecentFiles(is_shown: Signal<bool>) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let list = Memo::new(move |_| {
        is_shown.get(); // something may have been opened since
        state.forgotten.track();
        recent::list_recent()
    });
    let forget_all = move |_| {
        recent::forget_all();
        state.forgotten.update(|n| *n += 1);
    };
    view! {
        <Show when=move || !list.with(Vec::is_empty)>
            <section class="welcome__recent">
                <h2 class="welcome__heading">
                    {words.tr("Recent")}
                    <button class="button button--text recent__all" type="button" data-action="forget-all" on:click=forget_all>
                        {words.tr("Clear list")}
                    </button>
                </h2>
                <For each=move || list.get() key=|recent| (recent.id.clone(), recent.at.to_bits()) let:recent>
                    <OneRecent state recent />
                </For>
            </section>
        </Show>
    }
}

#[component]
fn OneRecent(state: PageState, recent: Recent) -> impl IntoView {
    let words = words();
    let is_folder = 1 < recent.files;
    let glyph = if is_folder { Glyph::Folder } else { Glyph::File };
    let tip = if recent.has_handles || !recent.addresses.is_empty() {
        words.tr("Open again as it was")
    } else {
        words.tr("Choose or drop it again: this browser cannot reopen files by itself")
    };
    let recent = StoredValue::new(recent);
    let name = recent.with_value(|recent| recent.name.clone());
    let system = move || recent.with_value(|recent| tr(state.language.get(), &recent.system).to_owned());
    let remove = {
        let name = name.clone();
        move || fill(words.tr("Remove {name} from the list")(), &[("name", &name)])
    };
    let forget = move |_| {
        recent.with_value(|recent| recent::forget(&recent.id));
        state.forgotten.update(|n| *n += 1);
    };
    view! {
        <div class="recent recent--kept">
            <button
                class="recent__open"
                type="button"
                data-tip=tip
                on:click=move |_| recent::reopen(state, recent.get_value())
            >
                <Icon glyph small=true />
                <span class="recent__name">{name}</span>
                <span class="recent__system">{system}</span>
                <span class="recent__when">{move || recent.with_value(|recent| when(state, recent))}</span>
            </button>
            <button
                class="button button--small recent__forget"
                type="button"
                data-action="forget"
                aria-label=remove
                data-tip=words.tr("Remove from list")
                on:click=forget
            >
                <Icon glyph=Glyph::Close small=true />
            </button>
        </div>
    }
}

/// `today, 47.9 MB`, `3 days ago, 6 files`.
fn when(state: PageState, recent: &Recent) -> String {
    let language = state.language.get();
    let day = match recent::days_ago(recent.at) {
        ..=0 => tr(language, "today").to_owned(),
        1 => tr(language, "yesterday").to_owned(),
        days => fill(tr(language, "{n} days ago"), &[("n", &days.to_string())]),
    };
    let size = if 1 < recent.files {
        fill(tr(language, "{n} files"), &[("n", &recent.files.to_string())])
    } else {
        file_size(recent.bytes)
    };
    fill(tr(language, "{day}, {size}"), &[("day", &day), ("size", &size)])
}
