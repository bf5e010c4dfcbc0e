//! Where places of figures lead: a click goes there, the right button lists it.

use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::time::{Span, Window};
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::code::CodeAddress;
use crate::model::figure::Target;
use crate::model::figure::target::FOLDERS;
use crate::navigation::find_document;
use crate::pane::context::ViewContext;
use crate::pane::headline::operators_of;
use crate::ui::overlay::menu::{MenuItem, Menus};
use crate::wire::figures::{FigureQuery, Frame, Reply};

use leptos::prelude::*;
use leptos::task::spawn_local;

/// Asks where a point of a drawing leads.
pub(super) async fn targets(context: ViewContext, frame: Frame, size: Size, at: Point) -> Vec<Target> {
    match context.ask(FigureQuery::Targets { frame, size, at }).await {
        Some(Reply::Targets(targets)) => targets,
        _ => Vec::new(),
    }
}

/// Goes where a point leads, if it does. Where instructions of several listings may be meant, or `lists`, it is listed in a
/// menu at the pointer.
pub(super) fn follow(
    context: ViewContext,
    menus: Menus,
    (frame, size): (Frame, Size),
    (window, at): (Point, Point),
    lists: bool,
) {
    spawn_local(async move {
        let targets = targets(context, frame, size, at).await;
        let n_passages = targets.iter().filter(|target| matches!(target, Target::Instructions(_))).count();
        if 1 < n_passages || lists && !targets.is_empty() {
            open(context, menus, window, targets);
        } else {
            go_all(context, &targets);
        }
    });
}

fn open(context: ViewContext, menus: Menus, window: Point, targets: Vec<Target>) {
    if let Some(language) = context.language.try_get_untracked() {
        menus.open_at(window, tr(language, "Related"), items(context, language, targets));
    }
}

/// Goes where a row leads; where it leads to several places, they are listed below it.
pub(super) fn go_from(
    context: ViewContext,
    menus: Menus,
    row: Option<&web_sys::Element>,
    targets: Vec<Target>,
) {
    match row {
        Some(row) if 1 < targets.len() => {
            // Of a table that is scrolled to the right, rows begin outside of what is seen.
            let table = row.closest(".figure__table").ok().flatten();
            let seen = table.map_or(0.0, |table| table.get_bounding_client_rect().left());
            let rect = row.get_bounding_client_rect();
            let at = Point { x: rect.left().max(seen) as f32, y: rect.bottom() as f32 + 4.0 };
            open(context, menus, at, targets);
        }
        _ => go_all(context, &targets),
    }
}

/// Commands that go to targets.
fn items(context: ViewContext, language: Language, targets: Vec<Target>) -> Vec<MenuItem> {
    let item = |target: Target| {
        let (title, aside) = match &target {
            Target::Rows { title, rows, .. } => (
                fill(tr(language, "Show rows of {table}"), &[("table", tr(language, title))]),
                thousands(rows.len() as i64),
            ),
            Target::Instructions(passage) => {
                let n = thousands(i64::from(passage.n));
                let of = [passage.listing_name.as_str(), n.as_str()];
                let aside = of.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ");
                (tr(language, "Show instructions in source").to_owned(), aside)
            }
            Target::Track { name, .. } => (tr(language, "Show in timeline").to_owned(), name.clone()),
            Target::Slices { search, .. } => (tr(language, "Show in timeline").to_owned(), search.clone()),
            Target::Line { path, line } => (
                tr(language, "Show in source").to_owned(),
                format!("{}:{line}", path.rsplit(['/', '\\']).next().unwrap_or_default()),
            ),
            Target::Execution { name, .. } => (tr(language, "Show in trace").to_owned(), name.clone()),
            Target::Document { run, path } => {
                let file = path.rsplit(FOLDERS).next().unwrap_or(path).to_owned();
                (
                    tr(language, "Open").to_owned(),
                    if run.is_empty() { file } else { format!("{run} · {file}") },
                )
            }
        };
        MenuItem::act(title, aside, move || go(context, &target))
    };
    targets.into_iter().map(item).collect()
}

/// Goes to one target.
pub(super) fn go(context: ViewContext, target: &Target) {
    go_all(context, std::slice::from_ref(target));
}

/// Goes to the first target; of rows all are marked.
fn go_all(context: ViewContext, targets: &[Target]) {
    let selection = context.selection;
    match targets.first() {
        Some(Target::Rows { id, .. }) => {
            let rows = targets.iter().flat_map(|target| match target {
                Target::Rows { id, rows, .. } => rows.iter().map(|&row| (id.clone(), row)).collect(),
                _ => Vec::new(),
            });
            let rows: Vec<(String, u32)> = rows.collect();
            selection.update(|s| s.rows = rows);
            reveal(id);
        }
        Some(Target::Instructions(passage)) => {
            let passage = passage.clone();
            let first = CodeAddress { listing: Some(passage.listing), address: passage.first };
            selection.update(|s| (s.address, s.marked) = (Some(first), Some(passage)));
            context.go.run("source".to_owned());
        }
        Some(Target::Track { track, .. }) => {
            let track = *track;
            selection.update(|s| s.track = Some(track));
            context.go.run("timeline".to_owned());
        }
        Some(Target::Slices { search, span, within }) => {
            let (search, span, within) = (search.clone(), *span, *within);
            selection.update(|s| {
                s.search = (!search.is_empty()).then_some((search, within));
                s.range = within.or(span);
            });
            if let Some(span) = span.or(within).filter(|span| !span.is_empty()) {
                context.window.set(Some(around(span)));
            }
            context.go.run("timeline".to_owned());
        }
        Some(Target::Line { path, line }) => {
            let place = (path.clone(), *line);
            selection.update(|s| (s.line, s.address) = (Some(place), None));
            context.go.run("source".to_owned());
        }
        Some(Target::Execution { launch, execution, row, .. }) => {
            let place = (*launch, *execution, *row);
            selection.update(|s| s.execution = Some(place));
            context.go.run("trace".to_owned());
        }
        Some(Target::Document { run, path }) => open_document(context, run.clone(), path.clone()),
        None => {}
    }
}

/// Opens another file that was brought together with the shown one, or says that it was not.
fn open_document(context: ViewContext, run: String, path: String) {
    spawn_local(async move {
        let all = operators_of(context).await;
        let paths: Vec<&str> = all.iter().map(|operator| operator.path.as_str()).collect();
        let (found, is_sure) = find_document(&paths, &run, &path);
        if let Some(at) = found {
            context.open.run((context.document, paths[at].to_owned()));
        }
        let said = match (found, is_sure) {
            (Some(_), true) => return,
            (Some(_), false) => {
                phrase("No folder names the run {run}: whether this {file} is of it is not known.")
            }
            _ if run.is_empty() => {
                phrase("{file} is not among the open files: drop it together with the data set.")
            }
            _ => phrase(
                "{file} of run {run} is not among the opened files: drop its folder together with the data set.",
            ),
        };
        let file = path.rsplit(FOLDERS).next().unwrap_or(&path);
        let language = context.language.get_untracked();
        context.say.run((fill(tr(language, said), &[("file", file), ("run", &run)]), false));
    });
}

/// A window with a stretch of time in its middle.
fn around(span: Span) -> Window {
    let margin = span.dur() / 20;
    Window::of(Span::new(span.start.saturating_sub(margin), span.end.saturating_add(margin)))
}

/// Scrolls to the panel of a figure and gives it the keyboard.
pub(crate) fn reveal(id: &str) {
    let Some(panel) = document().get_element_by_id(&format!("figure-{id}")) else { return };
    panel.scroll_into_view();
    if let Ok(panel) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(panel) {
        // Focus is a help here; without it the panel is still in view.
        let _ = panel.focus();
    }
}
