//! The operators of a project in the rail: a tree by folders; a click opens the document of one.

use super::rail::show_chosen;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, tr};
use crate::model::figure::Cell;
use crate::model::files::OperatorHead;
use crate::page::documents::DocumentRow;
use crate::page::state::PageState;
use crate::pane::with_symbol;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::text::Name;
use crate::ui::words;
use crate::wire::report::Project;
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// Height of a row, in pixels.
const ROW: usize = 24;

/// The operators of the project that the shown document belongs to; nothing for other documents.
#[component]
pub fn Operators() -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let heads = state.documents.operators;
    let project = Memo::new(move |_| {
        let row = state.row()?;
        Some((row.project, row.head.with(|head| head.as_ref()?.project.clone())?))
    });
    Effect::new(move |_| {
        let (Some((number, project)), Some(row)) = (project.get(), untrack(|| state.row())) else { return };
        if heads.with_untracked(|(known, _)| *known != number) {
            heads.set((number, Vec::new()));
        }
        // Another operator of the same project finds the list, as far as it came.
        if heads.with_untracked(|(_, list)| list.len() < project.operators) {
            leptos::task::spawn_local(fetch(row, heads));
        }
    });
    let rows = move || {
        let number = project.with(|p| p.as_ref().map(|(number, _)| *number));
        let n = heads.with(|(_, list)| list.len());
        (0..n).filter_map(|at| Some((number?, at))).collect::<Vec<_>>()
    };
    let row = move |(_, at): (u32, usize)| {
        let project = Signal::derive(move || project.get().map(|(_, project)| project));
        heads.with_untracked(|(_, list)| {
            let before = at.checked_sub(1).and_then(|before| list.get(before));
            list.get(at).map(|head| operator_row(state, project, head, before))
        })
    };
    let title = move || project.with(|p| p.as_ref().map(|(_, p)| tr(words.language(), &p.called).to_owned()));
    // Operators come some at a time: they take their room at once, so that what stands below stays where it is.
    let room = move || {
        let n = project.with(|p| p.as_ref().map_or(0, |(_, p)| p.operators));
        format!("min({}px, 40vh)", n.saturating_mul(ROW))
    };
    let count = move || project.with(|p| p.as_ref().map(|(_, p)| thousands(p.operators as i64)));
    view! {
        <Show when=move || project.with(Option::is_some)>
            <section class="rail__section" data-part="operators">
                <h2 class="rail__title">{title}<span class="rail__count">{count}</span></h2>
                <ul class="rail__list" style:min-height=room><For each=rows key=|row| *row children=row /></ul>
            </section>
        </Show>
    }
}

/// Asks for the operators, some at a time, as long as the document lives.
async fn fetch(row: DocumentRow, heads: RwSignal<(u32, Vec<OperatorHead>)>) {
    let known = || heads.try_with_untracked(|(number, list)| (*number == row.project).then_some(list.len()));
    while let (Some(context), Some(from)) = (row.context.try_get_untracked().flatten(), known().flatten()) {
        let Answer::Operators(more) = context.ask(Query::Operators { from }).await else { return };
        // Another document of the project may have answered before.
        if more.is_empty() || known().flatten() != Some(from) {
            return;
        }
        heads.update(|(_, list)| list.extend(more));
    }
}

/// One operator, below its folder when the one before it lies in another.
fn operator_row(
    state: PageState,
    project: Signal<Option<Project>>,
    head: &OperatorHead,
    before: Option<&OperatorHead>,
) -> impl IntoView + use<> {
    let (folder, last) = project.with_untracked(|project| {
        let short = |path: &str| project.as_ref().map_or(path, |project| project.short(path)).to_owned();
        let split = |head: &OperatorHead| {
            let path = short(&head.path);
            path.rsplit_once('/').map_or((String::new(), path.clone()), |(a, b)| (a.to_owned(), b.to_owned()))
        };
        let (folder, last) = split(head);
        let is_new = before.is_none_or(|before| split(before).0 != folder);
        ((is_new && !folder.is_empty()).then_some(folder), last)
    });
    let path = head.path.clone();
    let is_current = {
        let path = path.clone();
        Signal::derive(move || project.with(|p| p.as_ref().is_some_and(|project| project.shown == path)))
    };
    let place = NodeRef::<leptos::html::Li>::new();
    show_chosen(place, is_current);
    let open = move |_| {
        if let Some(row) = untrack(|| state.row()) {
            state.show_operator(row, &path);
        }
    };
    // In the unit that it is short in: the name has the rest of the row.
    let duration = head.duration.map(|micros| with_unit(micros * 1e3, &Unit::Nanos));
    let whole = called(head, &last);
    // Where all have one name, what tells them apart is seen.
    let is_shared = state.documents.operators.with_untracked(|(_, list)| {
        1 < list.len() && !last.is_empty() && list.iter().all(|other| other.name == head.name)
    });
    let name = if is_shared {
        called(&OperatorHead { name: last.clone(), ..head.clone() }, &last)
    } else {
        whole.clone()
    };
    let name = if name.is_empty() { whole.clone() } else { name };
    let head = head.clone();
    view! {
        // The sign behind an archive says where its inside begins, which a name alone does not need.
        {folder.map(|folder| {
            let shown = brief(folder.trim_end_matches('!'));
            view! { <li class="rail__row rail__folder" title=folder>{shown}</li> }
        })}
        <li node_ref=place>
            <button
                class="rail__row"
                type="button"
                aria-current=move || is_current.get().then_some("true")
                title=move || {
                    let facts = facts(&head, state.language.get());
                    if facts.contains(&whole) { facts } else { format!("{whole}\n{facts}") }
                }
                on:click=open
            >
                <Icon glyph=Glyph::File small=true />
                <span class="rail__name"><Name text=Signal::stored(name) /></span>
                <span class="rail__count">{duration}</span>
            </button>
        </li>
    }
}

/// What an operator is called, given the last part of its path.
fn called(head: &OperatorHead, last: &str) -> String {
    let parts = [if last == head.name { "" } else { &head.name }, last, &head.launch];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The operators of the project of a document that are not open yet: path and name, at most so many.
pub fn not_open(state: PageState, of: DocumentRow, most: usize) -> Vec<(String, String)> {
    let project = of.head.with_untracked(|head| head.as_ref()?.project.clone());
    let Some(project) = project else { return Vec::new() };
    state.documents.operators.with_untracked(|(number, heads)| {
        let known = heads.iter().filter(|_| *number == of.project);
        let others = known.filter(|head| state.documents.operator(of, &head.path).is_none());
        let name = |head: &OperatorHead| {
            let path = project.short(&head.path);
            let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
            let name = called(head, last);
            if folder.is_empty() { name } else { format!("{name}, {}", brief(folder)) }
        };
        others.take(most).map(|head| (head.path.clone(), name(head))).collect()
    })
}

/// What is known of an operator, one fact a line.
fn facts(head: &OperatorHead, language: Language) -> String {
    let mut lines = vec![head.path.clone()];
    let launch = with_symbol(&head.launch, &head.symbol);
    for (name, text) in [("Launch", &launch), ("Chip", &head.chip), ("Type", &head.kind)] {
        if !text.is_empty() {
            lines.push(format!("{}: {text}", tr(language, name)));
        }
    }
    let numbers = [
        ("Block dim", head.block_dim, Unit::None),
        ("Duration", head.duration, Unit::Micros),
        ("Clock", head.clock, Unit::Megahertz),
        ("Rated clock", head.rated_clock, Unit::Megahertz),
    ];
    for (name, value, unit) in numbers {
        if let Some(value) = value {
            lines.push(format!("{}: {}", tr(language, name), Cell::Number(value).with_unit(&unit)));
        }
    }
    for measure in &head.measures {
        let value = Cell::Number(measure.value).with_unit(&measure.unit);
        lines.push(format!("{}: {value}", tr(language, &measure.name)));
    }
    lines.join("\n")
}

/// Letters of a folder that fit the rail.
const LETTERS: usize = 26;

/// The end of a path that fits the rail: folders of a project mostly begin alike.
fn brief(folder: &str) -> String {
    let mut at = folder.len();
    while let Some(slash) = folder[..at].rfind('/').filter(|&slash| folder.len() - slash <= LETTERS) {
        at = slash;
    }
    if folder.len() <= LETTERS || at == folder.len() {
        folder.to_owned()
    } else {
        format!("…{}", &folder[at..])
    }
}
