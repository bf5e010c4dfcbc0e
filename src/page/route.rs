//! The address follows the page, and the page the address.
//!
//! What stands there when the page opens is for the first document. The first screen and each change of view are steps for
//! the browser's back button; everything else replaces the address in place.

use super::compare::Awaited;
use super::documents::DocumentRow;
use super::opening::recent;
use super::state::{PageState, Panel};
use super::{ThemeChoice, help};
use crate::base::words::{Language, tr};
use crate::model::id::SliceId;
use crate::navigation::route::{Route, SliceAddress};
use crate::navigation::{GoTo, Selection, TrackNames};
use crate::pane::context::ViewContext;
use crate::pane::headline::operators_of;
use crate::scene::palette::OWN;
use crate::views::mapping::messages::MAPPING;
use crate::views::timeline::messages::{Reply, TimelineQuery};
use crate::wire::report::Project;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

/// The address follows this long after the last change: browsers refuse too many changes.
const PAUSE_MS: u32 = 250;

/// More tracks than this stand in the address by their numbers: names would make it too long.
const MOST_NAMED: usize = 50;

/// The language that the address asks for.
pub fn language() -> Option<Language> {
    Route::parse(&hash()).language
}

/// Reads the address, then keeps it true.
#[allow(clippy::too_many_lines)] // one pane with its parts
pub fn follow(state: PageState, usual: Language, visited: RwSignal<Option<String>>) {
    let first = Route::parse(&hash());
    apply_page(state, &first);
    state.documents.keep_first_values(&first);
    let waiting = RwSignal::new(Some(first));
    let context = Memo::new(move |_| state.row().and_then(|row| row.context.get().map(|_| row.id)));
    Effect::new(move |_| {
        if context.get().is_some()
            && let Some(row) = untrack(|| state.row())
            && let Some(context) = row.context.get_untracked()
            && let Some(route) = first_of(row, waiting)
        {
            apply_first(context, route);
        } else {
            open_operator(state, waiting, true);
        }
    });
    // An operator that is a baseline is opened behind what is compared with it.
    Effect::new(move |_| {
        if waiting.with(Option::is_none)
            && let Some(awaited) = state.awaited.get()
        {
            state.documents.list.get().into_iter().for_each(|row| open_baseline(state, row, &awaited));
        }
    });
    follow_slice(state);
    follow_tracks(state);
    let timer = StoredValue::new_local(None::<Timeout>);
    let kept_address = KeptAddress::new();
    // Whether the address itself asked for what is shown next: then that is no step away from what was shown.
    let has_arrived = StoredValue::new(false);
    Effect::new(move |before: Option<(String, String)>| {
        let route = current(state, usual, waiting.get());
        let (text, view) = (route.text(), route.view.unwrap_or_default());
        // A change of view is a step back to what was shown last, which may not be written yet.
        let is_step = !has_arrived.try_update_value(std::mem::take).unwrap_or_default();
        if let Some((text, view)) = before.filter(|before| is_step && before.1 != view) {
            kept_address.write(&text, &view);
        }
        // The one before is cancelled when it is dropped.
        let next = (text.clone(), view.clone());
        let kept = kept(state);
        timer.set_value(Some(Timeout::new(PAUSE_MS, move || {
            kept_address.write(&text, &view);
            if let Some((recent, system, place)) = kept {
                recent::keep(&recent, system, place);
            }
        })));
        next
    });
    // A place that a view leads to is a step of its own: back comes to what is shown now.
    Effect::new(move |_| {
        let Some(place) = visited.get() else { return };
        visited.set(None);
        let now = untrack(|| current(state, usual, None));
        kept_address.write(&now.text(), now.view.as_deref().unwrap_or_default());
        // The page hears of it as of any other change of the address.
        let _ = window().location().set_hash(&now.visiting(&Route::parse(&place)).text());
    });
    let listener = window_event_listener(leptos::ev::hashchange, move |_| {
        if kept_address.is_known() {
            return;
        }
        let route = Route::parse(&hash());
        // It is a step of its own already: what follows of it replaces it in place.
        kept_address.take(route.view.as_deref().unwrap_or_default());
        has_arrived.set_value(true);
        apply_page(state, &route);
        if kept_address.first_screen.get_value() && is_of_page(&hash()) {
            state.current.set(None);
            return;
        }
        let rows = state.documents.list.get_untracked();
        let shown = untrack(|| state.row());
        let mut about =
            shown.into_iter().chain(rows).filter(|row| is_about(&route, &row.name.get_untracked()));
        let is_seen = |row: &DocumentRow| row.context.with_untracked(Option::is_some);
        let Some(row) = about.find(|row| is_seen(row) || row.place.with_value(Option::is_some)) else {
            return await_document(state, route, waiting);
        };
        state.show(row.id);
        match row.context.get_untracked() {
            Some(context) => {
                context.selection.set(Selection::default());
                // Without a window it is about the whole recording, as for who opens it.
                if route.window.is_none() && route.slice.is_none() {
                    context.window.set(None);
                }
                apply_document(context, &route);
            }
            None => state.documents.read_for(row, route),
        }
    });
    on_cleanup(move || listener.remove());
}

/// What is to be shown of a document first: what it was opened with, or what the address waits for. Where it was opened with
/// another operator of its project, the address waits for that.
fn first_of(row: DocumentRow, waiting: RwSignal<Option<Route>>) -> Option<Route> {
    let name = row.name.get_untracked();
    let is_project = row.head.with_untracked(|head| head.as_ref().is_some_and(|head| head.project.is_some()));
    match row.place.try_update_value(Option::take).flatten() {
        Some(own) if is_project && !is_about(&own, &name) => {
            waiting.set(Some(own));
            None
        }
        Some(own) => Some(own),
        None => {
            let take = |waiting: &mut Option<Route>| {
                let route = waiting.take_if(|route| is_about(route, &name));
                (route.is_some(), route)
            };
            waiting.try_maybe_update(take).flatten()
        }
    }
}

/// What is shown of a document: what is opened with it again is seen as it was. Nothing while something else is to be
/// shown of it first.
pub fn place_of(row: DocumentRow) -> Option<Route> {
    let context = row.context.get()?;
    let is_first = row.place.with_value(Option::is_none);
    is_first.then(|| Route { file: Some(row.name.get()), ..shown_in(context) })
}

/// Keeps an address for the document that it is about, which is not open yet, and opens it where it is another operator of
/// what is shown. What it sets of reading, such as the mapping of a log, counts for what is opened next.
fn await_document(state: PageState, route: Route, waiting: RwSignal<Option<Route>>) {
    state.documents.keep_first_values(&route);
    waiting.set(Some(route));
    open_operator(state, waiting, false);
}

/// Opens the operator that a waiting address is about, where the shown document is another one of its project. Where that
/// was opened for the address, the operator takes its place.
fn open_operator(state: PageState, waiting: RwSignal<Option<Route>>, is_instead: bool) {
    let wanted = move || waiting.try_with_untracked(|route| route.as_ref()?.file.clone()).flatten();
    let (Some(file), Some(row)) = (wanted(), untrack(|| state.row())) else { return };
    let project = row.head.with_untracked(|head| head.as_ref()?.project.clone());
    let Some((project, context)) = project.zip(row.context.get_untracked()) else { return };
    leptos::task::spawn_local(async move {
        let path = path_of(&project, context, &file).await.filter(|_| wanted().as_ref() == Some(&file));
        if let Some(path) = path.filter(|_| state.current.try_get_untracked().flatten() == Some(row.id)) {
            // What was dropped together is open because somebody asked for all of it.
            if is_instead && project.dropped.is_empty() {
                state.show_operator_instead(row, &path);
            } else {
                state.show_operator(row, &path);
            }
        }
    });
}

/// Opens the operator that the address wants for a baseline, where a document is of its project.
fn open_baseline(state: PageState, row: DocumentRow, awaited: &Awaited) {
    let project = row.head.with(|head| head.as_ref()?.project.clone());
    let Some((project, context)) = project.zip(row.context.get_untracked()) else { return };
    let awaited = awaited.clone();
    leptos::task::spawn_local(async move {
        let path = path_of(&project, context, &awaited.baseline).await;
        let is_wanted = || state.awaited.try_get_untracked().flatten().as_ref() == Some(&awaited);
        if let Some(path) = path.filter(|_| is_wanted() && state.documents.row(row.id).is_some()) {
            state.documents.open_operator(row, &path);
        }
    });
}

/// The path of the operator of a project that is called so.
async fn path_of(project: &Project, context: ViewContext, name: &str) -> Option<String> {
    let heads = operators_of(context).await.into_iter();
    heads.map(|head| head.path).find(|path| project.name_of(path) == name)
}

fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// What the address should say.
fn current(state: PageState, usual: Language, waiting: Option<Route>) -> Route {
    let context = state.row().and_then(|row| row.context.get());
    // What is read anew will be seen as it was.
    let kept = || state.row().and_then(|row| row.place.get_value()).or(waiting).unwrap_or_default();
    let mut route = context.map_or_else(kept, shown_in);
    let (language, theme, scheme) = (state.language.get(), state.theme.get(), state.scheme.get());
    route.baseline = state.name_of_baseline();
    route.file = state.row().map(|row| row.name.get()).or(route.file);
    let shown = state.shown_view().map(|view| view.id.to_owned());
    let has_file = route.file.is_some();
    let asked = || has_file.then(|| state.view.get()).or(route.view.take());
    route.view = shown.or_else(asked).filter(|view| !view.is_empty());
    route.language = (language != usual).then_some(language);
    route.theme = (theme != ThemeChoice::System).then(|| theme.name().to_owned());
    route.scheme = Some(scheme).filter(|scheme| scheme != OWN);
    route.help = (state.panel.get() == Some(Panel::Help)).then(|| state.topic.get().to_owned());
    route
}

/// What is shown in a document, whatever view it is.
fn shown_in(context: ViewContext) -> Route {
    Route {
        window: context.window.get(),
        is_whole: context.window.with(Option::is_none)
            && context.selection.with(|s| s.slice_address.is_some() && s.keeps_window()),
        selection: context.selection.get(),
        slice: context.selection.with(|s| s.slice_address.clone()),
        states: context.states.get(),
        values: context.head.with(|head| Route::values_for_link(&head.given, context.values.get())),
        ..Route::default()
    }
}

fn apply_page(state: PageState, route: &Route) {
    if let Some(name) = &route.baseline {
        state.await_baseline(name, route.file.as_deref());
    }
    if let Some(view) = &route.view {
        state.asked_view.set(view.clone());
        state.view.set(view.clone());
    }
    if let Some(language) = route.language {
        state.set_language(language);
    }
    if let Some(theme) = route.theme.as_deref().and_then(ThemeChoice::of_name) {
        state.theme.set(theme);
    }
    if let Some(scheme) = &route.scheme {
        state.scheme.set(scheme.clone());
    }
    match &route.help {
        Some(topic) => help::open(state, help::topic_of(topic)),
        None => help::close(state),
    }
}

/// What was set before anything was shown, such as the mapping of a log, stays; it has no other mapping.
fn apply_first(context: ViewContext, mut route: Route) {
    route.values.remove(MAPPING);
    for (id, text) in context.values.get_untracked() {
        route.values.entry(id).or_insert(text);
    }
    apply_document(context, &route);
}

fn apply_document(context: ViewContext, route: &Route) {
    if route.window.is_some() || route.is_whole {
        context.window.set(route.window);
        drop_far_window(context);
    }
    if route.selection != Selection::default() {
        context.selection.set(route.selection.clone());
    }
    context.selection.update(|s| (s.slice_address, s.is_whole) = (route.slice.clone(), route.is_whole));
    let has_window = route.window.is_some() && context.window.with_untracked(Option::is_some);
    choose_slice(context, has_window || route.is_whole);
    let values = context.head.with_untracked(|head| route.values_beyond(&head.given));
    if context.values.get_untracked() != values {
        context.values.set(values);
        context.send_values();
    }
    apply_states(context, route);
}

/// What the address says of views; those that are shown otherwise are made anew.
fn apply_states(context: ViewContext, route: &Route) {
    let before = context.states.get_untracked();
    let mut states = if route.states.is_empty() { before.clone() } else { route.states.clone() };
    let differs = |(view, text): &(&String, &String)| before.get(*view) != Some(*text);
    let mut renewed: Vec<String> = states.iter().filter(differs).map(|(view, _)| view.clone()).collect();
    // An address of a document that says nothing of its own view shows it as it is at first. Marks that somebody set in
    // the timeline stay.
    let silent = route.view.as_ref().filter(|view| route.file.is_some() && !route.states.contains_key(*view));
    if let Some(view) = silent.filter(|view| *view != "timeline" && before.contains_key(*view)) {
        states.remove(view);
        renewed.push(view.clone());
    }
    if states != before {
        context.states.set(states);
    }
    if !renewed.is_empty() {
        context.renewed.set(renewed);
    }
}

/// Once all is read: a window of an address that is outside the trace gives way to the whole.
fn drop_far_window(context: ViewContext) {
    let span = context.head.with_untracked(|h| h.span.filter(|_| h.is_complete));
    let window = context.window.get_untracked();
    if window.zip(span).is_some_and(|(window, span)| !window.meets(span)) {
        context.window.set(None);
    }
}

/// Whether an address is about the document of this name.
fn is_about(route: &Route, name: &str) -> bool {
    route.file.as_ref().is_none_or(|file| file == name)
}

/// Keeps what the address calls the chosen slice, and chooses the slice that it names once all is read: before, rows
/// still change their places.
fn follow_slice(state: PageState) {
    let shown = Memo::new(move |_| {
        let context = state.row()?.context.get()?;
        Some((context.document, context.head.with(|h| h.is_complete), context.selection.with(|s| s.slice)))
    });
    Effect::new(move |before: Option<Option<(u32, bool)>>| {
        let (document, is_complete, slice) = shown.get()?;
        let context = untrack(|| state.row().and_then(|row| row.context.get()))?;
        let before = before.flatten();
        let was_complete = before == Some((document, true));
        if is_complete && !was_complete {
            drop_far_window(context);
        }
        let is_to_be_chosen = before == Some((document, false)) || slice.is_none() && !was_complete;
        if is_complete && is_to_be_chosen && context.selection.with_untracked(|s| s.slice_address.is_some()) {
            let has_window = context.window.with_untracked(Option::is_some);
            choose_slice(context, has_window || context.selection.with_untracked(Selection::keeps_window));
        } else if let Some(id) = slice {
            name_slice(context, id);
        } else if was_complete {
            context.selection.update(|s| s.slice_address = None);
        }
        Some((document, is_complete))
    });
}

/// Keeps what the address calls the tracks of the range, and finds those that it names once all is read.
fn follow_tracks(state: PageState) {
    let shown = Memo::new(move |_| {
        let context = state.row()?.context.get()?;
        let (tracks, are_wanted) = context.selection.with(|s| (s.tracks.clone(), s.track_names.are_wanted()));
        context.head.with(|h| h.is_complete).then_some((context.document, tracks, are_wanted))
    });
    Effect::new(move |_| {
        let Some((_, tracks, are_wanted)) = shown.get() else { return };
        let Some(context) = untrack(|| state.row().and_then(|row| row.context.get())) else { return };
        let known = context.selection.with_untracked(|s| s.track_names.clone());
        if known.of == tracks && !are_wanted || MOST_NAMED < tracks.len() {
            return;
        }
        leptos::task::spawn_local(async move {
            let ask = if are_wanted && tracks.is_empty() {
                TimelineQuery::TracksNamed(known.names)
            } else {
                TimelineQuery::NamesOfTracks(tracks.clone())
            };
            let answer = context.ask(ask).await;
            context.selection.try_update(|s| match answer {
                Some(Reply::Tracks(found)) if s.tracks.is_empty() => {
                    // Their names are asked for as those of chosen tracks are.
                    (s.tracks, s.track_names) = (found, TrackNames::default());
                }
                Some(Reply::TrackNames(names)) if s.tracks == tracks => {
                    s.track_names = TrackNames { of: tracks, names };
                }
                _ => {}
            });
        });
    });
}

/// Chooses the slice that the address names, when all is read. The window of an address counts more than the slice: it
/// is what was seen.
fn choose_slice(context: ViewContext, keeps_window: bool) {
    let Some(address) = context.selection.with_untracked(|s| s.slice_address.clone()) else { return };
    if !context.head.with_untracked(|h| h.is_complete) {
        return;
    }
    leptos::task::spawn_local(async move {
        let id = match address {
            SliceAddress::Row(id) => Some(id),
            SliceAddress::Named(name) => match context.ask(TimelineQuery::Named(name)).await {
                Some(Reply::Named(id)) => id,
                _ => return,
            },
        };
        match id {
            Some(slice) => {
                let go_to = GoTo { slice, keeps_window };
                context.selection.try_update(|s| (s.slice, s.go_to) = (Some(slice), Some(go_to)));
            }
            None => {
                // It may have been asked for twice: it is said once.
                let is_first = context.selection.try_update(|s| s.slice_address.take().is_some());
                if is_first == Some(true) {
                    let language = context.language.get_untracked();
                    let text = tr(language, "The slice of this link is not in this file.");
                    context.say.run((text.to_owned(), true));
                }
            }
        }
    });
}

/// Asks what the address is to call a slice.
fn name_slice(context: ViewContext, id: SliceId) {
    leptos::task::spawn_local(async move {
        let answer = context.ask(TimelineQuery::NameOf(id)).await;
        let is_chosen = context.selection.try_with_untracked(|s| s.slice == Some(id)) == Some(true);
        if let (Some(Reply::NameOf(name)), true) = (answer, is_chosen) {
            context.selection.try_update(|s| s.slice_address = name.map(SliceAddress::Named));
        }
    });
}

/// What is kept of the shown document among the recent files: its id there, what wrote it, what is shown.
fn kept(state: PageState) -> Option<(String, String, String)> {
    let row = state.row()?;
    let recent = row.recent.get_value();
    let system = row.head.with(|head| Some(head.as_ref()?.formats.first()?.1.clone()));
    let place = Route { view: state.shown_view().map(|view| view.id.to_owned()), ..place_of(row)? };
    (!recent.is_empty()).then(|| (recent, system.unwrap_or_default(), place.text()))
}

/// Whether an address says nothing but how the page looks.
fn is_of_page(text: &str) -> bool {
    let Route { language, theme, scheme, .. } = Route::parse(text);
    Route { language, theme, scheme, ..Route::default() } == Route::parse(text)
}

/// Whether files are opened by the address itself or by a page around: then the first screen is no step.
fn is_led() -> bool {
    let search = window().location().search().unwrap_or_default();
    let is_inside = window().parent().ok().flatten().is_some_and(|parent| parent != window());
    is_inside || search.trim_start_matches('?').split('&').any(|part| part.starts_with("open="))
}

/// What the address was last known to say.
#[derive(Clone, Copy)]
struct KeptAddress {
    /// The view, and the text that was written or read.
    written: StoredValue<String>,
    /// What the browser made of the text. While the address says something else, it was changed, and the event of that is
    /// still to come: nothing may be written over it.
    seen: StoredValue<String>,
    /// Whether a step was made away from the first screen, of which the address says nothing.
    first_screen: StoredValue<bool>,
}

impl KeptAddress {
    fn new() -> Self {
        Self {
            written: StoredValue::new(String::new()),
            seen: StoredValue::new(hash()),
            first_screen: StoredValue::new(false),
        }
    }

    /// Whether the address says what was written or read last.
    fn is_known(self) -> bool {
        let text = self.written.with_value(|w| w.split_once(' ').map_or("", |w| w.1).to_owned());
        hash().trim_start_matches('#') == text
    }

    /// Keeps what the address says.
    fn take(self, view: &str) {
        self.written.set_value(format!("{view} {}", hash().trim_start_matches('#')));
        self.seen.set_value(hash());
    }

    fn write(self, text: &str, view: &str) {
        let now = format!("{view} {text}");
        let Some(before) = self.written.try_get_value() else { return };
        if before == now || self.seen.get_value() != hash() {
            return;
        }
        let has_view = !before.is_empty() && !before.starts_with(' ');
        let is_new = has_view && before.split_once(' ').is_none_or(|b| b.0 != view);
        let is_first =
            before.strip_prefix(' ').is_some_and(is_of_page) && text.contains("file=") && !is_led();
        if is_first {
            self.first_screen.set_value(true);
        }
        let is_step = is_new || is_first;
        self.written.set_value(now);
        let location = window().location();
        let (path, query) = (location.pathname().unwrap_or_default(), location.search().unwrap_or_default());
        let url = if text.is_empty() { format!("{path}{query}") } else { format!("{path}{query}#{text}") };
        let Ok(history) = window().history() else { return };
        let null = wasm_bindgen::JsValue::NULL;
        // A browser that refuses changes of the address only loses the address.
        let _ = if is_step {
            history.push_state_with_url(&null, "", Some(&url))
        } else {
            history.replace_state_with_url(&null, "", Some(&url))
        };
        self.seen.set_value(hash());
    }
}
