//! Text that is more than a node: a layer of it over a picture, names that are cut in the middle, and text that changes with every frame.

use crate::base::names::cut;
use leptos::prelude::*;
use std::time::Duration;

// A name that is cut in its middle where there is no room, so that its end, which tells names apart, is seen.

/// The name; its place must say that it is a flex item with a least width of 0.
#[component]
pub fn Name(
    /// The whole name, which what stands around shows as a title.
    #[prop(into)]
    text: Signal<String>,
) -> impl IntoView {
    let parts = Memo::new(move |_| {
        text.with(|text| {
            let (head, tail) = text.split_at(cut(text));
            (head.to_owned(), tail.to_owned())
        })
    });
    view! {
        <span class="name">
            <span class="name__head">{move || parts.get().0}</span>
            <span class="name__tail">{move || parts.get().1}</span>
        </span>
    }
}

/// A text in which no line ends between a number and its unit.
pub fn unbroken(text: &str) -> String {
    let units = ["%", "ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "MHz", "GB/s", "×"];
    let mut out = String::with_capacity(text.len());
    for word in text.split(' ') {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%' || c == '⟧');
        let is_behind = out.ends_with(|c: char| c.is_ascii_digit() || c == '/' || c == '⟧');
        let is_unit = is_behind && (word == "/" || units.contains(&bare));
        if !out.is_empty() {
            out.push(if is_unit { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
    }
    out
}

/// A name that does not change, for a place of the class `name`: the bytes that are kept are shown where not all has room.
pub fn parts(text: &str, kept: &[(u32, u32)]) -> impl IntoView + use<> {
    let part = |(class, text)| view! { <span class=class>{text}</span> };
    pieces(text, kept).into_iter().map(part).collect_view()
}

/// The texts of a name with their classes: its beginning, what is kept, what lies between.
fn pieces(text: &str, kept: &[(u32, u32)]) -> Vec<(&'static str, String)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for &(from, to) in kept {
        let (from, to) = (from as usize, to as usize);
        let between = if at == 0 { "name__head" } else { "name__rest" };
        pieces.push((between, text.get(at..from).unwrap_or_default().to_owned()));
        pieces.push(("name__tail", text.get(from..to).unwrap_or_default().to_owned()));
        at = to;
    }
    let rest = if at == 0 { "name__head" } else { "name__rest" };
    pieces.push((rest, text.get(at..).unwrap_or_default().to_owned()));
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

/// Letters on the second line of a name of which nobody says what tells it from others.
const ENDING: usize = 14;

/// A name that may take two lines, for a place of the class `name`: it is broken behind its marks, and what tells it from
/// others, its end where nobody says, can stand on the second one.
pub fn halves(text: &str, kept: &[(u32, u32)]) -> impl IntoView + use<> {
    let n = text.chars().count();
    let end = text.char_indices().nth(n.saturating_sub(ENDING)).filter(|_| 2 * ENDING <= n);
    let middle = [(end.map_or(text.len(), |(at, _)| at) as u32, text.len() as u32)];
    let kept = if kept.is_empty() { &middle } else { kept };
    let from = kept.iter().map(|part| part.0).find(|from| 0 < *from).map_or(text.len(), |from| from as usize);
    let (head, end) = text.split_at_checked(from).unwrap_or((text, ""));
    let at = |byte: u32| byte.saturating_sub(from as u32);
    let behind = kept.iter().filter(|part| from <= part.0 as usize);
    let behind: Vec<(u32, u32)> = behind.map(|&(from, to)| (at(from), at(to))).collect();
    let part = |(class, text): (&'static str, String)| view! { <span class=class>{breakable(&text)}</span> };
    let end = pieces(end, &behind).into_iter().map(part).collect::<Vec<_>>();
    let end = (!end.is_empty()).then(|| view! { <span class="name__end">{end}</span> });
    view! { <span class="name__head">{breakable(head)}</span> {end} }
}

/// A text that may be broken behind marks of names.
fn breakable(text: &str) -> impl IntoView + use<> {
    let word = |word: &str| view! { {word.to_owned()} <wbr /> };
    text.split_inclusive(['_', '/', ',', ':', '<', '(']).map(word).collect_view()
}

// Text that would change with every frame of a gesture.

/// Digits that change more often than this cannot be read, and each change costs the page a layout.
const BEAT_MS: f64 = 100.0;

/// A text as it is to be read: the first change is shown at once, those that follow at most ten times a second, the
/// last one always.
pub fn calm(text: impl Fn() -> String + Send + Sync + 'static) -> ReadSignal<String> {
    let latest = Memo::new(move |_| text());
    let (shown, show) = signal(latest.get_untracked());
    let last = StoredValue::new(f64::NEG_INFINITY);
    let is_due = StoredValue::new(false);
    let now = || window().performance().map_or(0.0, |p| p.now());
    let write = move || {
        // The timer may outlive the text.
        if let Some(text) = latest.try_get_untracked()
            && shown.try_with_untracked(|shown| *shown != text).unwrap_or(false)
        {
            show.try_set(text);
        }
        last.try_set_value(now());
        is_due.try_set_value(false);
    };
    Effect::new(move || {
        latest.with(|_| ());
        let rest = last.get_value() + BEAT_MS - now();
        if rest <= 0.0 {
            write();
        } else if !is_due.get_value() {
            is_due.set_value(true);
            set_timeout(write, Duration::from_millis(rest.ceil() as u64));
        }
    });
    shown
}

// Real text over the rows of a drawn list: selection, copy, find in page, screen readers.
//
// The picture below is painted elsewhere; this layer repeats the rows in view as transparent text that lies exactly on
// it. Only columns that are marked can be selected, so that copied code has no numbers in it.

/// One row of the layer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LayerRow {
    /// Its place in the whole list, from 0.
    pub place: u32,
    /// Texts of the columns, from the left.
    pub cells: Vec<String>,
}

/// One column of the layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerColumn {
    pub w: f32,
    /// Whether its text stands at the right, 8 pixels before its end.
    pub is_right: bool,
    /// Where its text begins when it stands at the left.
    pub inset: f32,
    /// Whether it is code: written in the code face, and selected and copied.
    pub is_code: bool,
}

/// Transparent rows; the place for it must be positioned and cut what lies outside.
#[component]
pub fn TextLayer(
    /// The rows, one below the other without gaps.
    #[prop(into)]
    rows: Signal<Vec<LayerRow>>,
    #[prop(into)] columns: Signal<Vec<LayerColumn>>,
    /// How far the first row is moved to the right and down, in pixels.
    #[prop(into)]
    offset: Signal<(f64, f64)>,
    /// Place of the chosen row.
    #[prop(into)]
    chosen: Signal<Option<u32>>,
) -> impl IntoView {
    let template =
        move || columns.with(|c| c.iter().map(|c| format!("{}px", c.w)).collect::<Vec<_>>().join(" "));
    let transform = move || {
        let (x, y) = offset.get();
        format!("translate({x}px, {y}px)")
    };
    view! {
        <div
            class="text-layer"
            role="presentation"
            style:transform=transform
            style=("--columns", template)
        >
            <For each=move || rows.get() key=|row| row.clone() let:row>
                <Row row columns chosen />
            </For>
        </div>
    }
}

#[component]
fn Row(row: LayerRow, columns: Signal<Vec<LayerColumn>>, chosen: Signal<Option<u32>>) -> impl IntoView {
    let place = row.place;
    let cells: Vec<_> = row
        .cells
        .into_iter()
        .enumerate()
        .map(|(i, text)| {
            let column = columns.with_untracked(|c| c.get(i).cloned());
            let class = match &column {
                Some(c) if c.is_code => "text-layer__cell text-layer__cell--code",
                Some(c) if c.is_right => "text-layer__cell text-layer__cell--right",
                _ => "text-layer__cell",
            };
            let inset = format!("{}px", column.filter(|c| !c.is_right).map_or(0.0, |c| c.inset));
            view! { <span class=class role="gridcell" style:padding-left=inset>{text}</span> }
        })
        .collect();
    view! {
        <div
            class="text-layer__row"
            role="row"
            aria-rowindex=place + 2
            aria-selected=move || (chosen.get() == Some(place)).to_string()
        >
            {cells}
        </div>
    }
}
