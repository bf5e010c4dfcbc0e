//! State in the address, both ways: view, window, selection, the views' own states, language, theme, colors.
//!
//! `#view=timeline&window=120400,8400&slice=3,17`; `#help=switch` is a topic of the help, over whatever is shown. What stands there when the page opens is for the first document;
//! `baseline=before.bin` compares as soon as a file of that name is open beside another one.
//! A change of view is a step for the browser's back button; everything else replaces the address in place.

use super::help;
use super::state::{PageState, Panel};
use super::theme::ThemeChoice;
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::Language;
use crate::model::id::{SliceId, TrackId};
use crate::scene::palette::Scheme;
use crate::view::context::{Selection, ViewContext};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// The address follows this long after the last change: browsers refuse too many changes.
const PAUSE: Duration = Duration::from_millis(250);
/// In front of the name of a view's own state.
const OWN: &str = "s.";

/// What an address says.
#[derive(Clone, Debug, Default, PartialEq)]
struct Route {
    view: Option<String>,
    window: Option<Window>,
    selection: Selection,
    states: BTreeMap<String, String>,
    /// What is set of parameters: every name that is none of ours.
    values: BTreeMap<String, String>,
    /// Name of the file that the shown one is compared with.
    baseline: Option<String>,
    language: Option<Language>,
    theme: Option<ThemeChoice>,
    scheme: Option<Scheme>,
    /// Topic of the help that is open.
    help: Option<&'static str>,
}

impl Route {
    fn parse(hash: &str) -> Self {
        let mut route = Self::default();
        for (name, value) in pairs::split(hash) {
            match name.as_str() {
                "view" => route.view = Some(value),
                "window" => route.window = parse_window(&value),
                "baseline" => route.baseline = Some(value),
                "lang" => route.language = Language::of_tag(&value),
                "theme" => route.theme = ThemeChoice::of_name(&value),
                "colors" => route.scheme = Scheme::of_name(&value),
                "help" => route.help = Some(help::topic_of(&value)),
                _ => match name.strip_prefix(OWN) {
                    Some(view) => drop(route.states.insert(view.to_owned(), value)),
                    None if SELECTION.contains(&name.as_str()) => choose(&mut route.selection, &name, &value),
                    None => drop(route.values.insert(name, value)),
                },
            }
        }
        route
    }

    fn text(&self) -> String {
        let mut list: Vec<(String, String)> = Vec::new();
        let mut put = |name: &str, value: Option<String>| {
            list.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("view", self.view.clone());
        put("window", self.window.map(window_text));
        let chosen = &self.selection;
        put("slice", chosen.slice.map(|slice| format!("{},{}", slice.track.0, slice.row)));
        put("range", chosen.range.map(|range| format!("{},{}", range.start, range.end)));
        put(
            "tracks",
            (!chosen.tracks.is_empty()).then(|| numbers(chosen.tracks.iter().map(|t| t.0 as usize))),
        );
        put("line", chosen.line.as_ref().map(|(path, line)| format!("{path}:{line}")));
        put("address", chosen.address.map(|address| format!("0x{address:x}")));
        put(
            "figure",
            chosen.figure.as_ref().map(|(id, options)| {
                if options.is_empty() {
                    id.clone()
                } else {
                    format!("{id};{}", numbers(options.iter().copied()))
                }
            }),
        );
        for (view, state) in &self.states {
            put(&format!("{OWN}{view}"), (!state.is_empty()).then(|| state.clone()));
        }
        for (id, value) in &self.values {
            put(id, Some(value.clone()));
        }
        put("baseline", self.baseline.clone());
        put("lang", self.language.map(|language| language.tag().to_owned()));
        put("theme", self.theme.map(|theme| theme.name().to_owned()));
        put("colors", self.scheme.map(|scheme| scheme.name().to_owned()));
        put("help", self.help.map(str::to_owned));
        pairs::join(list.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

/// Names of what is selected.
const SELECTION: [&str; 6] = ["slice", "range", "tracks", "line", "address", "figure"];

fn choose(selection: &mut Selection, name: &str, value: &str) {
    match name {
        "slice" => {
            selection.slice = two(value).map(|(track, row)| SliceId { track: TrackId(track), row });
        }
        "range" => selection.range = two(value).map(|(start, end)| Span::new(start, end)),
        "tracks" => selection.tracks = value.split(',').filter_map(|t| t.parse().ok()).map(TrackId).collect(),
        "line" => {
            selection.line =
                value.rsplit_once(':').and_then(|(path, line)| Some((path.to_owned(), line.parse().ok()?)));
        }
        "address" => {
            selection.address = u64::from_str_radix(value.trim_start_matches("0x"), 16).ok();
        }
        "figure" => {
            let (id, options) = value.split_once(';').unwrap_or((value, ""));
            let options = options.split(',').filter_map(|o| o.parse().ok()).collect();
            selection.figure = Some((id.to_owned(), options));
        }
        _ => {}
    }
}

fn two<T: std::str::FromStr>(text: &str) -> Option<(T, T)> {
    let (a, b) = text.split_once(',')?;
    Some((a.parse().ok()?, b.parse().ok()?))
}

fn numbers(list: impl Iterator<Item = usize>) -> String {
    list.map(|n| n.to_string()).collect::<Vec<_>>().join(",")
}

/// `start,length` in ticks, or `start,part of a tick,length`.
fn window_text(window: Window) -> String {
    if window.part == 0.0 {
        format!("{},{}", window.start, window.dur)
    } else {
        format!("{},{:.4},{}", window.start, window.part, window.dur)
    }
}

fn parse_window(text: &str) -> Option<Window> {
    let parts: Vec<&str> = text.split(',').collect();
    let (start, part, dur) = match parts[..] {
        [start, dur] => (start, "0", dur),
        [start, part, dur] => (start, part, dur),
        _ => return None,
    };
    let window = Window { start: start.parse().ok()?, part: part.parse().ok()?, dur: dur.parse().ok()? };
    (0.0 < window.dur && window.dur.is_finite() && (0.0..1.0).contains(&window.part)).then_some(window)
}

/// Reads the address, then keeps it true.
pub fn follow(state: PageState, usual: Language) {
    let first = Route::parse(&hash());
    apply_page(state, &first);
    state.documents.first_values.set_value(first.values.clone());
    let waiting = RwSignal::new(Some(first));
    let context = Memo::new(move |_| state.row().and_then(|row| row.context.get().map(|_| row.id)));
    Effect::new(move |_| {
        if context.get().is_some()
            && let Some(context) = untrack(|| state.row().and_then(|row| row.context.get()))
            && let Some(route) = waiting.try_update(Option::take).flatten()
        {
            apply_document(context, &route);
        }
    });
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let written = StoredValue::new(String::new());
    Effect::new(move |_| {
        let route = current(state, usual, waiting.get());
        if let Some(timer) = timer.get_value() {
            timer.clear();
        }
        let (text, view) = (route.text(), route.view.unwrap_or_default());
        let handle = set_timeout_with_handle(move || write(&text, &view, written), PAUSE);
        timer.set_value(handle.ok());
    });
    let listener = window_event_listener(leptos::ev::hashchange, move |_| {
        if hash().trim_start_matches('#')
            == written.with_value(|w| w.split_once(' ').map_or("", |w| w.1).to_owned())
        {
            return;
        }
        let route = Route::parse(&hash());
        apply_page(state, &route);
        match untrack(|| state.row()).and_then(|row| row.context.get_untracked()) {
            Some(context) => apply_document(context, &route),
            None => waiting.set(Some(route)),
        }
    });
    on_cleanup(move || listener.remove());
}

fn hash() -> String {
    window().location().hash().unwrap_or_default()
}

/// What the address should say.
fn current(state: PageState, usual: Language, waiting: Option<Route>) -> Route {
    let context = state.row().and_then(|row| row.context.get());
    let mut route = match context {
        Some(context) => Route {
            window: context.window.get(),
            selection: context.selection.get(),
            states: context.states.get(),
            values: context.values.get(),
            ..Route::default()
        },
        None => waiting.unwrap_or_default(),
    };
    let (language, theme, scheme) = (state.language.get(), state.theme.get(), state.scheme.get());
    route.baseline = state.name_of_baseline();
    let shown = state.shown_view().map(|view| view.id.to_owned());
    route.view = shown.or_else(|| Some(state.view.get())).filter(|view| !view.is_empty());
    route.language = (language != usual).then_some(language);
    route.theme = (theme != ThemeChoice::System).then_some(theme);
    route.scheme = (scheme != Scheme::Own).then_some(scheme);
    route.help = (state.panel.get() == Some(Panel::Help)).then(|| state.topic.get());
    route
}

fn apply_page(state: PageState, route: &Route) {
    if let Some(name) = &route.baseline {
        state.await_baseline(name);
    }
    if let Some(view) = &route.view {
        state.view.set(view.clone());
    }
    if let Some(language) = route.language {
        state.language.set(language);
    }
    if let Some(theme) = route.theme {
        state.theme.set(theme);
    }
    if let Some(scheme) = route.scheme {
        state.scheme.set(scheme);
    }
    match route.help {
        Some(topic) => help::open(state, topic),
        None => help::close(state),
    }
}

fn apply_document(context: ViewContext, route: &Route) {
    if route.window.is_some() {
        context.window.set(route.window);
    }
    if route.selection != Selection::default() {
        context.selection.set(route.selection.clone());
    }
    if context.values.get_untracked() != route.values {
        context.values.set(route.values.clone());
        context.send_values();
    }
    if !route.states.is_empty() {
        context.states.set(route.states.clone());
    }
}

/// `written` keeps the view and the text of the last time.
fn write(text: &str, view: &str, written: StoredValue<String>) {
    let now = format!("{view} {text}");
    let Some(before) = written.try_get_value() else { return };
    if before == now {
        return;
    }
    let is_step =
        !before.is_empty() && !before.starts_with(' ') && before.split_once(' ').is_none_or(|b| b.0 != view);
    written.set_value(now);
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
}
