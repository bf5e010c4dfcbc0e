//! State in the address, both ways: view, window, selection, the views' own states, language, theme, colors.
//!
//! `#view=timeline&window=120400,8400&slice=120400,0,MMAD&slice-track=core0 / CUBE`; `#help=switch` is a topic of the
//! help, over whatever is shown. `file=after.bin` is the document that all of it is about: one of another name does not take it.
//! `baseline=before.bin` compares as soon as a file of that name is open beside another one; `baseline=before.bin (2)` is
//! the second that was opened of those with one name and path.

use super::Selection;
use crate::base::map::ordered;
use crate::base::pairs;
use crate::base::time::Span;
use crate::base::window::Window;
use crate::base::words::Language;
use crate::model::id::{SliceId, SliceName, TrackId, TrackName};
use std::collections::BTreeMap;

/// In front of the name of a view's own state.
const OWN: &str = "s.";

/// The window that is all of the time.
const WHOLE: &str = "all";

/// What an address says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Name of the document that this is about.
    pub file: Option<String>,
    /// Id of the view.
    pub view: Option<String>,
    /// The visible time.
    pub window: Option<Window>,
    /// Whether all time is visible beside a slice, `window=all`: an address that says a slice alone leads to it.
    pub is_whole: bool,
    /// What is chosen, without its slice.
    pub selection: Selection,
    pub slice: Option<SliceAddress>,
    /// The views' own states, by view id.
    pub states: BTreeMap<String, String>,
    /// What is set of parameters, as texts by id: every name that is none of ours.
    pub values: BTreeMap<String, String>,
    /// Name of the file that the shown one is compared with.
    pub baseline: Option<String>,
    pub language: Option<Language>,
    pub theme: Option<String>,
    /// Name of the color scheme.
    pub scheme: Option<String>,
    /// Topic of the help that is open.
    pub help: Option<String>,
}

/// A slice in an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SliceAddress {
    Named(SliceName),
    /// By the numbers of its track and row, as older addresses have it.
    Row(SliceId),
}

impl SliceAddress {
    /// `start,occurrence,name`, or `track,row`.
    fn parse(text: &str, track: String) -> Option<Self> {
        let mut parts = text.splitn(3, ',');
        let (first, second) = (parts.next()?, parts.next()?.parse().ok()?);
        Some(match parts.next() {
            Some(name) => {
                let name = name.to_owned();
                Self::Named(SliceName { track, name, start: first.parse().ok()?, occurrence: second })
            }
            None => Self::Row(SliceId { track: TrackId(first.parse().ok()?), row: second }),
        })
    }
}

impl Route {
    /// Reads the part of an address behind `#`. What cannot be read is left out.
    pub fn parse(hash: &str) -> Self {
        let mut route = Self::default();
        let (mut slice, mut track) = (None, String::new());
        for (name, value) in pairs::split(hash) {
            match name.as_str() {
                "file" => route.file = Some(value),
                "view" => route.view = Some(value),
                "slice" => slice = Some(value),
                "slice-track" => track = value,
                "window" => (route.window, route.is_whole) = (parse_window(&value), value == WHOLE),
                "baseline" => route.baseline = Some(value),
                "lang" => route.language = Language::of_tag(&value),
                "theme" => route.theme = Some(value),
                "colors" => route.scheme = Some(value),
                "help" => route.help = Some(value),
                _ => match name.strip_prefix(OWN) {
                    Some(view) => drop(route.states.insert(view.to_owned(), value)),
                    None if SELECTION.contains(&name.as_str()) => choose(&mut route.selection, &name, &value),
                    None if name.is_empty() => {}
                    None => drop(route.values.insert(name, value)),
                },
            }
        }
        route.slice = slice.and_then(|slice| SliceAddress::parse(&slice, track));
        route
    }

    /// The part of an address behind `#`.
    pub fn text(&self) -> String {
        let mut list: Vec<(String, String)> = Vec::new();
        let mut put = |name: &str, value: Option<String>| {
            list.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("file", self.file.clone());
        put("view", self.view.clone());
        put("window", self.window.map(window_text).or_else(|| self.is_whole.then(|| WHOLE.to_owned())));
        let chosen = &self.selection;
        match &self.slice {
            Some(SliceAddress::Named(slice)) => {
                put("slice", Some(format!("{},{},{}", slice.start, slice.occurrence, slice.name)));
                put("slice-track", Some(slice.track.clone()));
            }
            Some(SliceAddress::Row(slice)) => put("slice", Some(format!("{},{}", slice.track.0, slice.row))),
            None => {}
        }
        put("range", chosen.range.map(|range| format!("{},{}", range.start, range.end)));
        if chosen.track_names.of == chosen.tracks {
            for name in &chosen.track_names.names {
                put("range-track", Some(format!("{},{}", name.occurrence, name.path)));
            }
        } else if !chosen.tracks.is_empty() {
            put("tracks", Some(numbers(chosen.tracks.iter().map(|t| t.0 as usize))));
        }
        put("line", chosen.line.as_ref().map(|(path, line)| format!("{path}:{line}")));
        put("address", chosen.address.map(|address| address.to_string()));
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
        put("theme", self.theme.clone());
        put("colors", self.scheme.clone());
        put("help", self.help.clone());
        pairs::join(list.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

impl Route {
    /// The address of another place of the same document: view, window, what is chosen and the states of views that the
    /// place says, all else as it is here.
    #[must_use]
    pub fn visiting(&self, place: &Self) -> Self {
        let mut states = self.states.clone();
        states.extend(place.states.clone());
        Self {
            view: place.view.clone().or_else(|| self.view.clone()),
            window: place.window.or(self.window.filter(|_| !place.is_whole)),
            is_whole: place.is_whole,
            selection: place.selection.clone(),
            slice: place.slice.clone(),
            states,
            help: None,
            ..self.clone()
        }
    }

    /// The values of parameters for a link: what lies beside what was opened, unless the user set something else.
    pub fn values_for_link(
        given: &[(String, String)],
        set: BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let mut values: BTreeMap<String, String> = ordered(given.iter().cloned());
        values.extend(set);
        values
    }

    /// Takes what is set of parameters for a document that opens under this name. The value of `own`, with which only the
    /// very file that this is about is read, stays for that one.
    pub fn take_values(&mut self, name: &str, own: &str) -> BTreeMap<String, String> {
        let is_shown_as = |file: &str| {
            file.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with(" · "))
        };
        let is_about = self.file.as_deref().is_some_and(is_shown_as);
        let all = std::mem::take(&mut self.values).into_iter();
        let (taken, left) = all.partition(|(id, _)| is_about || id != own);
        self.values = left;
        taken
    }

    /// What is set of parameters beyond what lies beside what was opened: that counts already, and nothing need be read
    /// again for it.
    pub fn values_beyond(&self, given: &[(String, String)]) -> BTreeMap<String, String> {
        let is_given = |id: &str, text: &str| given.iter().any(|(own, beside)| own == id && beside == text);
        let values = self.values.iter().filter(|(id, text)| !is_given(id, text));
        ordered(values.map(|(id, text)| (id.clone(), text.clone())))
    }
}

/// Names of what is selected.
const SELECTION: [&str; 6] = ["range", "tracks", "range-track", "line", "address", "figure"];

fn choose(selection: &mut Selection, name: &str, value: &str) {
    match name {
        "range" => selection.range = two(value).map(|(start, end)| Span::new(start, end)),
        // As older addresses have it.
        "tracks" => selection.tracks = value.split(',').filter_map(|t| t.parse().ok()).map(TrackId).collect(),
        "range-track" => selection.track_names.names.extend(
            value
                .split_once(',')
                .and_then(|(n, path)| Some(TrackName { path: path.to_owned(), occurrence: n.parse().ok()? })),
        ),
        "line" => {
            selection.line =
                value.rsplit_once(':').and_then(|(path, line)| Some((path.to_owned(), line.parse().ok()?)));
        }
        "address" => selection.address = value.parse().ok(),
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
