//! What the timeline offers to save of what it shows: the picture, and what the selected range adds up to.

use super::side::area::argument;
use super::state::State;
use crate::base::words::phrase;
use crate::pane::context::Offer;
use crate::views::timeline::messages::{Picture, Seen};
use crate::wire::{Query, Question};
use leptos::prelude::*;

/// Offers it as long as the lanes are shown, with heads of this width.
pub(super) fn offer(state: State, heads: RwSignal<f64>) {
    state.context.offer(super::VIEW.id, move || list(state, heads.get() as f32));
}

fn list(state: State, heads: f32) -> Vec<Offer> {
    let seen = Seen { frame: state.frame(Picture::Rows), size: state.extent.get().size, heads };
    let picture = Query::Picture(seen.packed());
    let mut list = vec![
        Offer { title: phrase("Visible timeline as PNG"), file: picture.clone(), is_png: true },
        Offer { title: phrase("Visible timeline as SVG"), file: picture, is_png: false },
    ];
    if let Some(area) = state.area() {
        let export = |title, id: &str| Offer {
            title,
            file: Query::Export { id: format!("{id}:{}", argument(&area)) },
            is_png: false,
        };
        list.push(export(phrase("Range totals as CSV"), "range-csv"));
        list.push(export(phrase("Flame graph of the selected range as SVG"), "flame-svg"));
    }
    list
}
