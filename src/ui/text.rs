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

/// A name that does not change, for a place of the class `name`: the bytes that are kept are shown where not all has room.
pub fn parts(text: &str, kept: &[(u32, u32)]) -> impl IntoView + use<> {
    let mut parts = Vec::new();
    let mut at = 0;
    for &(from, to) in kept {
        let (from, to) = (from as usize, to as usize);
        parts.push((false, text.get(at..from).unwrap_or_default().to_owned()));
        parts.push((true, text.get(from..to).unwrap_or_default().to_owned()));
        at = to;
    }
    parts.push((false, text.get(at..).unwrap_or_default().to_owned()));
    let part = |(place, (is_kept, text)): (usize, (bool, String))| {
        let class = match (place, is_kept) {
            (0, _) => "name__head",
            (_, true) => "name__tail",
            _ => "name__rest",
        };
        (!text.is_empty()).then(|| view! { <span class=class>{text}</span> })
    };
    parts.into_iter().enumerate().map(part).collect_view()
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
