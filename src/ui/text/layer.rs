//! Real text over the rows of a drawn list: selection, copy, find in page, screen readers.
//!
//! The picture below is painted elsewhere; this layer repeats the rows in view as transparent text that lies exactly on
//! it. Only columns that are marked can be selected, so that copied code has no numbers in it.

use leptos::prelude::*;

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
    /// Width.
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
    /// The columns.
    #[prop(into)]
    columns: Signal<Vec<LayerColumn>>,
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
