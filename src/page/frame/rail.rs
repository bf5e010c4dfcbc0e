//! The rail at the left: the opened files, what the shown one holds, and what is wrong with it.

use super::PairMark;
use crate::base::fault::{Fault, SameFaults, of_one_kind};
use crate::base::geometry::Point;
use crate::base::names;
use crate::base::number::{file_size, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::page::documents::{DocState, DocumentRow};
use crate::page::state::PageState;
use crate::page::{compare, opening};
use crate::pane::context::ViewContext;
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::overlay::menu::MenuItem;
use crate::ui::text::Name;
use crate::ui::{Progress, words};
use crate::views::VIEWS;
use crate::wire::report::{Head, Report};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// Kinds of faults that are named in the rail; the rest is counted.
const FAULTS: usize = 6;
/// Figures that stand among the contents; more are folded by the sections that Details has.
const UNGROUPED: usize = 8;
/// What figures without a section are called.
const OTHER_FIGURES: &str = phrase("Figures");
/// Places of one kind that the rail lists.
const PLACES: usize = 100;

/// The rail.
#[component]
pub fn Rail() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let open_menu = move |event: leptos::ev::MouseEvent| {
        let items = vec![
            MenuItem::act(words.now("Open files…"), "", move || opening::pick(state, false)),
            MenuItem::act(words.now("Open folder…"), "", move || opening::pick(state, true)),
        ];
        state.menus.open_below(&super::top::event_current(&event), words.now("Add"), items);
    };
    view! {
        <nav class="rail" aria-label=words.tr("Files and contents")>
            // First, since a press there adds a file below: nothing moves away under the pointer.
            <super::operators::Operators />
            <section class="rail__section">
                <h2 class="rail__title">
                    {words.tr("Files")}
                    <button
                        class="button button--small"
                        type="button"
                        aria-haspopup="menu"
                        aria-label=words.tr("Open more files")
                        data-tip=words.tr("Open more files")
                        on:click=open_menu
                    >
                        <Icon glyph=Glyph::Plus small=true />
                    </button>
                </h2>
                <ul>
                    <For each=move || state.documents.list.get() key=|row| row.id let:row>
                        <li><FileRow row /></li>
                    </For>
                </ul>
            </section>
            <Contents />
            <Faults />
        </nav>
    }
}

#[component]
fn FileRow(row: DocumentRow) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let is_current = move || state.current.get() == Some(row.id);
    let share = Signal::derive(move || match row.state.get() {
        DocState::Loading(progress) => progress.share(),
        _ => None,
    });
    let is_loading = move || row.state.with(|state| matches!(state, DocState::Loading(_)));
    let is_lost =
        Memo::new(move |_| row.state.with(|s| matches!(s, DocState::Failed(_) | DocState::Dead { .. })));
    let label = Signal::derive(move || fill(words.tr("Opening {name}")(), &[("name", &row.name.get())]));
    let open_menu = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        let mut items = compare::file_items(state, row.id);
        items.push(MenuItem::Line);
        items.push(MenuItem::act(words.now("Reopen from disk"), "", move || {
            opening::watch::reopen(state, row.id);
        }));
        items.push(MenuItem::act(words.now("Close file"), "", move || state.close(row.id)));
        let at = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
        state.menus.open_at(at, row.name.get_untracked(), items);
    };
    let place = NodeRef::<leptos::html::Div>::new();
    show_chosen(place, Signal::derive(is_current));
    view! {
        <div
            node_ref=place
            class="rail__row rail__row--file"
            on:contextmenu=open_menu
            class:rail__row--current=is_current
            on:auxclick=move |event| {
                if event.button() == 1 {
                    event.prevent_default();
                    state.close(row.id);
                }
            }
        >
            <button
                class="rail__open"
                type="button"
                aria-current=move || is_current().then_some("true")
                title=move || {
                    let (name, label) = (row.name.get(), state.documents.label(row.id));
                    let paths = row.paths().join("\n");
                    if 1 < row.n_loose() {
                        paths
                    } else if name.contains(&label) {
                        name
                    } else {
                        format!("{name}\n{label}")
                    }
                }
                on:click=move |_| state.show(row.id)
            >
                <Show
                    when=move || is_lost.get()
                    fallback=|| view! { <Icon glyph=Glyph::File small=true /> }
                >
                    <SeverityIcon severity="fatal" />
                </Show>
                <span class="rail__name">
                    <Name text=Signal::derive(move || row.with_others(state.documents.label(row.id))) />
                </span>
                <PairMark id=row.id />
                <span class="rail__count">{move || file_size(row.bytes.get())}</span>
            </button>
            <span class="rail__tools">
                <button
                    class="button button--small"
                    type="button"
                    data-action="reload-document"
                    aria-label=words.tr("Reopen from disk")
                    data-tip=words.tr("Reopen from disk")
                    on:click=move |_| opening::watch::reopen(state, row.id)
                >
                    <Icon glyph=Glyph::Reload small=true />
                </button>
                <button
                    class="button button--small"
                    type="button"
                    data-action="close-document"
                    aria-label=words.tr("Close file")
                    data-tip=words.tr("Close file")
                    on:click=move |_| state.close(row.id)
                >
                    <Icon glyph=Glyph::Close small=true />
                </button>
            </span>
            <Show when=is_loading>
                <span class="rail__bar"><Progress label share thin=true /></span>
            </Show>
        </div>
    }
}

/// Scrolls the row of what is shown into view, whenever it becomes that.
pub(super) fn show_chosen<E>(place: NodeRef<E>, is_current: Signal<bool>)
where
    E: leptos::html::ElementType,
    E::Output: wasm_bindgen::JsCast + AsRef<web_sys::Element> + Clone + 'static,
{
    Effect::new(move || {
        if let (true, Some(place)) = (is_current.get(), place.get()) {
            // With the next frame, for which everything is laid out anyway.
            request_animation_frame(move || {
                let nearest = web_sys::ScrollIntoViewOptions::new();
                let _ = js_sys::Reflect::set(&nearest, &"block".into(), &"nearest".into());
                let place: &web_sys::Element = place.as_ref();
                place.scroll_into_view_with_scroll_into_view_options(&nearest);
            });
        }
    });
}

/// One row of what the file holds: title, of which file it is where several have it, count, and where it is shown.
struct ContentRow {
    title: String,
    scope: String,
    count: String,
    view: &'static str,
    figure: Option<String>,
}

impl ContentRow {
    fn figure(id: &str, title: &str, scope: &str) -> Self {
        let [id, title, scope] = [id, title, scope].map(str::to_owned);
        Self { title, scope, count: String::new(), view: "details", figure: Some(id) }
    }
}

#[component]
fn Contents() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let head = move || state.row().and_then(|row| row.head.get());
    let rows = move || {
        let language = state.language.get();
        let head = head()?;
        let rows = contents(&head, &|english| tr(language, english).to_owned());
        let rows = rows.into_iter().map(|holding| holding_row(state, holding).into_any());
        let groups = figure_groups(&head);
        // The figures of several files, by themselves, are told apart by what a title hides.
        let is_open = groups.len() == 1 && head.figures.iter().all(|(_, _, _, scope)| !scope.is_empty());
        let groups = groups.into_iter().map(|(section, rows)| figure_group(state, &section, rows, is_open));
        Some(rows.chain(groups).collect::<Vec<_>>())
    };
    view! {
        <Show when=move || head().is_some()>
            <section class="rail__section">
                <h2 class="rail__title">{words.tr("Contents")}</h2>
                <ul>{rows}</ul>
            </section>
        </Show>
    }
}

fn contents(head: &Head, word: &dyn Fn(&'static str) -> String) -> Vec<ContentRow> {
    use crate::base::words::phrase;
    let held = &head.contents;
    let counts: [(&'static str, u64, &'static str); 14] = [
        (phrase("Slices"), held.slices, "timeline"),
        (phrase("Instants"), held.instants, "timeline"),
        (phrase("Counter samples"), held.samples, "timeline"),
        (phrase("Flows"), held.flows, "timeline"),
        (phrase("Source files"), held.sources, "source"),
        (phrase("Instructions"), held.instructions, "source"),
        (phrase("Memory accesses"), held.accesses, "accesses"),
        (phrase("Scheduled blocks"), held.scheduled, "schedule"),
        (phrase("Block executions"), held.executions, "trace"),
        (phrase("Heat map"), held.counted, "heatmap"),
        (phrase("Kernels or layers with lifetimes"), held.lifetimes, "lifetimes"),
        (phrase("Buffer plan"), held.planned, "plan"),
        (phrase("Tables"), held.tables, "tables"),
        (phrase("File blocks"), held.blocks, "report"),
    ];
    let counts = counts.into_iter().filter(|(_, n, _)| 0 < *n);
    let mut rows: Vec<ContentRow> = counts
        .map(|(title, n, view)| ContentRow {
            title: word(title),
            scope: String::new(),
            count: thousands(n.cast_signed()),
            view,
            figure: None,
        })
        .collect();
    if head.figures.len() <= UNGROUPED {
        rows.extend(head.figures.iter().map(|(id, _, title, scope)| ContentRow::figure(id, title, scope)));
    }
    rows
}

/// Figures by their sections, in the order of Details; none where they are few.
fn figure_groups(head: &Head) -> Vec<(String, Vec<ContentRow>)> {
    let mut groups: Vec<(String, Vec<ContentRow>)> = Vec::new();
    if head.figures.len() <= UNGROUPED {
        return groups;
    }
    for (id, section, title, scope) in &head.figures {
        let row = ContentRow::figure(id, title, scope);
        match groups.iter_mut().find(|(of, _)| of == section) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((section.clone(), vec![row])),
        }
    }
    groups
}

/// The figures of one section behind its title.
fn figure_group(state: PageState, section: &str, rows: Vec<ContentRow>, is_open: bool) -> AnyView {
    let language = state.language.get_untracked();
    let title =
        if section.is_empty() { tr(language, OTHER_FIGURES) } else { tr(language, section) }.to_owned();
    let count = thousands(rows.len() as i64);
    let rows = rows.into_iter().map(|row| holding_row(state, row)).collect_view();
    view! {
        <li>
            <details class="rail__group" open=is_open>
                <summary class="rail__row" title=title.clone()>
                    <span class="rail__name">{title.clone()}</span>
                    <span class="rail__count">{count}</span>
                </summary>
                <ul>{rows}</ul>
            </details>
        </li>
    }
    .into_any()
}

fn holding_row(state: PageState, holding: ContentRow) -> impl IntoView {
    let ContentRow { title, scope, count, view, figure } = holding;
    let language = state.language.get_untracked();
    let shown = names::scoped(tr(language, &title), &scope);
    // What tells figures of one title apart stays, the title gives way.
    let name = tr(language, &title).to_owned();
    let inner = view! {
        <span class="rail__name" title=shown.clone()>{name}</span>
        {(!scope.is_empty()).then(|| view! { <span class="rail__scope" title=shown.clone()>{scope}</span> })}
        <span class="rail__count">{count}</span>
    };
    if VIEWS.iter().any(|spec| spec.id == view) {
        let go = move |_| {
            let context = untrack(|| state.row()).and_then(|row| row.context.get_untracked());
            if let (Some(context), Some(figure)) = (context, figure.clone()) {
                context.selection.update(|selection| selection.figure = Some((figure, Vec::new())));
            }
            state.view.set(view.to_owned());
        };
        view! { <li><button class="rail__row" type="button" on:click=go>{inner}</button></li> }.into_any()
    } else {
        view! { <li class="rail__row">{inner}</li> }.into_any()
    }
}

/// The problems of the shown document, then those of its baseline: damage of either changes what a comparison says.
#[component]
fn Faults() -> impl IntoView {
    view! {
        <FaultsOf title=phrase("Report") context=shown_context />
        <FaultsOf title=phrase("Problems in the baseline") context=baseline_context />
    }
}

/// The shown document, as views see it.
fn shown_context(state: PageState) -> Option<ViewContext> {
    state.row()?.context.get()
}

/// What it is compared with.
fn baseline_context(state: PageState) -> Option<ViewContext> {
    Some(shown_context(state)?.baseline.get()?.context)
}

#[component]
fn FaultsOf(title: &'static str, context: fn(PageState) -> Option<ViewContext>) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let report = report_of(state, context);
    let go = move |_| state.view.set("report".to_owned());
    let groups = move || report.with(|report| report.as_ref().map(|report| of_one_kind(&report.faults)));
    let rows = move || {
        let rows = groups()?.into_iter().take(FAULTS).map(|same| view! { <FaultRow same /> });
        Some(rows.collect::<Vec<_>>())
    };
    let more = move || {
        let hidden = groups().map_or(0, |groups| groups.len().saturating_sub(FAULTS));
        (0 < hidden).then(|| {
            let text = fill(words.tr("{n} more in the report")(), &[("n", &hidden.to_string())]);
            view! { <button class="rail__row" type="button" on:click=go>{text}</button> }
        })
    };
    view! {
        <Show when=move || report.with(|report| report.as_ref().is_some_and(|report| !report.faults.is_empty()))>
            <section class="rail__section">
                <h2 class="rail__title">{words.tr(title)}</h2>
                <ul>{rows}</ul>
                {more}
            </section>
        </Show>
    }
}

/// Faults of one kind: what is wrong and how often; the places on demand.
#[component]
fn FaultRow(same: SameFaults) -> impl IntoView {
    let state = PageState::of_context();
    let language = state.language.get();
    let go = move |_| state.view.set("report".to_owned());
    let beside = same.n_beside(PLACES);
    let SameFaults { faults, n } = same;
    let row = |fault: &Fault, words: String, icon: Option<&'static str>| {
        let mut whole = format!("{}\n{}", fault.kind.message().text(language), fault.place.text(language));
        if !fault.note.is_empty() {
            whole.push('\n');
            whole.push_str(&fault.note.text(language));
        }
        view! {
            <button class="rail__row rail__row--severe" type="button" title=whole on:click=go>
                {icon.map(|severity| view! { <SeverityIcon severity /> })}
                <span class="rail__name rail__name--fault">{words}</span>
            </button>
        }
    };
    let first = row(
        &faults[0],
        faults[0].kind.message().text(language).into_owned(),
        Some(faults[0].severity.name()),
    );
    let places = (1 < n).then(|| {
        let one = |fault: &Fault| view! { <li>{row(fault, fault.place.text(language), None)}</li> };
        let all = faults.iter().take(PLACES).map(one).collect_view();
        let count = fill(tr(language, "{n} like this"), &[("n", &thousands(n.cast_signed()))]);
        // What is not listed here is in the report, or told there at least.
        let rest = (0 < beside).then(|| {
            let text = fill(tr(language, "{n} more like this"), &[("n", &thousands(beside.cast_signed()))]);
            view! { <li><button class="rail__row" type="button" on:click=go>{text}</button></li> }
        });
        view! { <details class="rail__same"><summary>{count}</summary><ul>{all}{rest}</ul></details> }
    });
    view! { <li>{first}{places}</li> }
}

/// The report of a document, asked again whenever its faults change.
fn report_of(state: PageState, context: fn(PageState) -> Option<ViewContext>) -> RwSignal<Option<Report>> {
    let report = RwSignal::new(None);
    let key = Memo::new(move |_| {
        let context = context(state)?;
        let head = context.head.get();
        Some((context.document, head.is_complete, head.faults))
    });
    Effect::new(move |_| {
        let Some((id, is_complete, faults)) = key.get() else { return report.set(None) };
        if faults.iter().sum::<u64>() == 0 || !is_complete {
            return report.set(None);
        }
        let context = state.documents.row(id).and_then(|row| row.context.get_untracked());
        let Some(context) = context else { return };
        leptos::task::spawn_local(async move {
            if let Answer::Report(answer) = context.ask(Query::Report).await
                && key.try_get_untracked().flatten().is_some_and(|(now, ..)| now == id)
            {
                report.try_set(Some(*answer));
            }
        });
    });
    report
}
