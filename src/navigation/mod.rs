//! What is shown and how one gets there, without a browser: addresses, the selection, windows to go back to, key
//! presses, what a search for commands finds. The page and its views connect it with signals and events.

pub mod fetched;
pub mod route;

use crate::base::time::Span;
use crate::base::window::Window;
use crate::model::code::CodeAddress;
use crate::model::figure::Passage;
use crate::model::figure::target::FOLDERS;
use crate::model::id::{SliceId, TrackId, TrackName};
use crate::navigation::route::SliceAddress;

// Which of several things is shown: the wanted view or another one, the next document, the one beside a closed one.

/// The wanted one when it is there, else the first.
pub fn wanted_or_first<T: Copy>(all: &[T], is_wanted: impl Fn(&T) -> bool) -> Option<T> {
    all.iter().copied().find(|one| is_wanted(one)).or(all.first().copied())
}

/// The one that stands `by` places behind `current`, around the ends.
pub fn neighbor(ids: &[u32], current: u32, by: isize) -> Option<u32> {
    let at = ids.iter().position(|id| *id == current)?;
    let to = (at.cast_signed() + by).rem_euclid(ids.len().cast_signed()).unsigned_abs();
    ids.get(to).copied()
}

/// The one to show when `closed` is gone: the next, else the one before.
pub fn beside(ids: &[u32], closed: u32) -> Option<u32> {
    let at = ids.iter().position(|id| *id == closed)?;
    ids.get(at + 1).or_else(|| ids.get(at.checked_sub(1)?)).copied()
}

// What typed words find among titles, in any order and in both languages.

/// Whether all typed words stand in the title or in its English.
pub fn matches(title: &str, english: &str, typed: &str) -> bool {
    let text = format!("{title}\n{english}").to_lowercase();
    typed.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// The title in pieces, each with whether it was typed.
pub fn marked<'a>(title: &'a str, typed: &str) -> Vec<(&'a str, bool)> {
    let lower = title.to_lowercase();
    let mut is_marked = vec![false; title.len()];
    // Where lower case has another length, offsets of the one do not hold in the other.
    if lower.len() == title.len() {
        for word in typed.to_lowercase().split_whitespace() {
            if let Some(at) = lower.find(word) {
                is_marked[at..at + word.len()].fill(true);
            }
        }
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in title.char_indices().skip(1).chain([(title.len(), ' ')]) {
        if start < at && (at == title.len() || is_marked[at] != is_marked[start]) {
            pieces.push((&title[start..at], is_marked[start]));
            start = at;
        }
    }
    pieces
}

// Which command a key press means.

/// A key press, as browsers report it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// What the key writes, or its name: `k`, `?`, `PageDown`.
    pub key: String,
    /// Its place on the keyboard: `KeyK`, `Digit1`.
    pub code: String,
    /// Whether Ctrl or ⌘ is held.
    pub control: bool,
    pub alt: bool,
    pub shift: bool,
}

impl KeyPress {
    /// Whether it means these keys: modifiers, then the key. Letters are taken by their place too, for keyboards with
    /// other letters.
    pub fn is(&self, keys: &[&str]) -> bool {
        let Some((key, modifiers)) = keys.split_last() else { return false };
        let has = |name: &str| modifiers.contains(&name);
        let is_letter = key.len() == 1 && key.bytes().all(|b| b.is_ascii_alphabetic());
        let same = self.key.eq_ignore_ascii_case(key) || (is_letter && self.code == format!("Key{key}"));
        // A sign such as "?" brings its own Shift.
        let shift = if is_letter { self.shift == has("Shift") } else { true };
        same && self.control == has("Ctrl") && self.alt == has("Alt") && shift
    }

    /// The index of the view that Alt and a digit choose.
    pub fn view_index(&self) -> Option<usize> {
        if !self.alt || self.control {
            return None;
        }
        self.code.strip_prefix("Digit")?.parse::<usize>().ok()?.checked_sub(1)
    }

    /// Whether it could also be typed into a field.
    pub fn is_plain(&self) -> bool {
        !(self.control || self.alt)
    }
}

// Dragging on a strip that shows everything: a frame marks what is seen; it is moved, resized, or drawn anew. All places
// are shares of the width.

/// What a pointer that went down is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// Moving the frame, whose middle is so far from the pointer.
    Move(f64),
    /// Drawing a frame from here: a new one, or one of which an edge is dragged.
    Draw(f64),
}

impl Grip {
    /// What a pointer that goes down here does; within `near` of an edge it has that edge. Without a frame everything is
    /// seen.
    pub fn of(at: f64, frame: Option<(f64, f64)>, near: f64) -> Self {
        let Some((from, to)) = frame else { return Self::Draw(at) };
        // A frame as narrow as both grips is moved.
        let edge = near.min((to - from) / 3.0);
        match at {
            at if (at - from).abs() < edge || (from - near < at && at < from) => Self::Draw(to),
            at if (at - to).abs() < edge || (to < at && at < to + near) => Self::Draw(from),
            at if from < at && at < to => Self::Move(f64::midpoint(from, to) - at),
            at => Self::Draw(at),
        }
    }

    /// The frame when the pointer is here; `None` while a frame is narrower than `least`. Frames that are moved keep their
    /// width and stay inside.
    pub fn frame(self, at: f64, frame: Option<(f64, f64)>, least: f64) -> Option<(f64, f64)> {
        match self {
            Self::Move(off) => {
                let (from, to) = frame?;
                let width = to - from;
                let from = (at + off - width / 2.0).clamp(0.0, (1.0 - width).max(0.0));
                Some((from, from + width))
            }
            Self::Draw(from) => {
                let (from, to) = (from.min(at).max(0.0), from.max(at).min(1.0));
                (least <= to - from).then_some((from, to))
            }
        }
    }
}

// What is chosen in a document; its views meet here and nowhere else.

/// What is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    pub slice: Option<SliceId>,
    /// What the address calls the slice, and until the document is read whole the slice that will be chosen.
    pub slice_address: Option<SliceAddress>,
    /// Whether the address said beside the slice that all time is visible.
    pub is_whole: bool,
    /// A stretch of time.
    pub range: Option<Span>,
    /// The tracks the stretch is about; empty means all.
    pub tracks: Vec<TrackId>,
    /// What the address calls them.
    pub track_names: TrackNames,
    /// A line of code: title of the listing (a path) and the line from 1.
    pub line: Option<(String, u32)>,
    /// An instruction.
    pub address: Option<CodeAddress>,
    /// What the timeline is to search for, as another view asked, and the stretch of time that is searched if not all.
    pub search: Option<(String, Option<Span>)>,
    /// The slice that the timeline is to go to, as the address or another view asked.
    pub go_to: Option<GoTo>,
    /// The name whose slices the timeline is to highlight, as another view asked.
    pub only: Option<String>,
    /// The track that the timeline is to go to, as another view asked.
    pub track: Option<TrackId>,
    /// What Trace is to go to, as another view asked: row of the launch, the execution, the instruction inside.
    pub execution: Option<(u32, u32, u32)>,
    /// Instructions that are marked, as another view asked.
    pub marked: Option<Passage>,
    /// Rows of figures that are tables, marked as another figure asked: id of the family and number of the row.
    pub rows: Vec<(String, u32)>,
    /// A figure by its id, with the options chosen for it.
    pub figure: Option<(String, Vec<usize>)>,
}

impl Selection {
    /// Whether the slice is chosen in the window that is visible, instead of leading to another one.
    pub fn keeps_window(&self) -> bool {
        match self.slice {
            Some(_) => self.go_to.is_none_or(|to| to.keeps_window),
            None => self.is_whole,
        }
    }
}

/// A slice that is to be gone to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoTo {
    pub slice: SliceId,
    /// Whether the window stays as it is: the address says it too. The slice is selected and its row brought into view.
    pub keeps_window: bool,
}

/// What the address calls tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackNames {
    /// The tracks that have these names; empty until those that the address names are found.
    pub of: Vec<TrackId>,
    pub names: Vec<TrackName>,
}

impl TrackNames {
    /// Whether the tracks that the address names are still to be found.
    pub fn are_wanted(&self) -> bool {
        self.of.is_empty() && !self.names.is_empty()
    }
}

// What can be undone and done again: windows of time, and how rows are arranged. A turn of the wheel or a drag counts
// once, however many windows it passes.

/// Gestures that follow each other faster are one step, in milliseconds.
const ONE_STEP_MS: f64 = 600.0;
/// Most steps kept.
const MOST: usize = 200;

/// One step: what was left by it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<R> {
    /// A window; `None` is the whole time.
    Window(Option<Window>),
    /// The rows, as they were.
    Rows(R),
}

/// Where one was.
#[derive(Debug)]
pub struct History<R> {
    past: Vec<Step<R>>,
    future: Vec<Step<R>>,
    last_gesture_ms: Option<f64>,
}

impl<R> Default for History<R> {
    fn default() -> Self {
        Self { past: Vec::new(), future: Vec::new(), last_gesture_ms: None }
    }
}

impl<R: PartialEq> History<R> {
    /// This is about to be left for something else by one act.
    pub fn leave(&mut self, now: Step<R>) {
        if self.past.last() != Some(&now) {
            self.past.push(now);
        }
        if MOST < self.past.len() {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// The window is about to be left by a gesture that may go on, at this time of any clock.
    pub fn drift(&mut self, now: Option<Window>, time_ms: f64) {
        if self.last_gesture_ms.is_none_or(|last| ONE_STEP_MS < time_ms - last) {
            self.leave(Step::Window(now));
        }
        self.last_gesture_ms = Some(time_ms);
    }

    /// What was left last; `now` tells what can be come back to then, given what is gone back to.
    pub fn back(&mut self, now: impl FnOnce(&Step<R>) -> Step<R>) -> Option<Step<R>> {
        self.last_gesture_ms = None;
        let step = self.past.pop()?;
        self.future.push(now(&step));
        Some(step)
    }

    /// What was gone back from.
    pub fn forward(&mut self, now: impl FnOnce(&Step<R>) -> Step<R>) -> Option<Step<R>> {
        self.last_gesture_ms = None;
        let step = self.future.pop()?;
        self.past.push(now(&step));
        Some(step)
    }

    /// The window that was left last, however the rows were changed since; or the one that was gone back from.
    pub fn window(&mut self, now: Option<Window>, is_forward: bool) -> Option<Option<Window>> {
        self.last_gesture_ms = None;
        let (from, to) =
            if is_forward { (&mut self.future, &mut self.past) } else { (&mut self.past, &mut self.future) };
        let at = from.iter().rposition(|step| matches!(step, Step::Window(_)))?;
        let Step::Window(window) = from.remove(at) else { return None };
        to.push(Step::Window(now));
        Some(window)
    }
}

/// The place of a file of a run among paths: its name is the same, a folder is called as the run, and as much as possible of
/// the path is; and whether it is sure to be that of the run. Of files without any folder the only one of the name will do.
pub fn find_document(paths: &[&str], run: &str, path: &str) -> (Option<usize>, bool) {
    let parts = |path: &str| path.rsplit(FOLDERS).map(str::to_owned).collect::<Vec<_>>();
    let wanted = parts(path);
    let shared = |own: &[String]| own.iter().zip(&wanted).take_while(|(own, wanted)| own == wanted).count();
    let named: Vec<(usize, Vec<String>)> =
        paths.iter().map(|path| parts(path)).enumerate().filter(|(_, own)| 0 < shared(own)).collect();
    let is_of_run = |own: &[String]| run.is_empty() || own.iter().skip(1).any(|folder| folder == run);
    let best = |is: &dyn Fn(&[String]) -> bool| {
        named.iter().filter(|(_, own)| is(own)).max_by_key(|(_, own)| shared(own)).map(|(at, _)| *at)
    };
    // Runs may be called otherwise than folders: then the path says enough.
    if let Some(at) = best(&is_of_run).or_else(|| best(&|own| 1 < shared(own))) {
        return (Some(at), true);
    }
    match &named[..] {
        [(at, own)] if own.len() == 1 => (Some(*at), false),
        _ => (None, false),
    }
}
