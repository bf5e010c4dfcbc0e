//! A figure of any kind on the page, from its data alone.
//!
//! Facts and tables are real text; charts are drawn by plotters on a canvas of the page; graphs, core grids and
//! matrices are inline SVG, so that their words can be selected and the theme decides their colors; heat maps, gantts
//! and whatever is dense are drawn by the document's worker.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod chart;
mod drawing;
pub(crate) mod hover;
pub(crate) mod navigate;
pub(crate) mod rows;
pub mod save;
mod worker;

use crate::analysis::rows::Folds;
use crate::draw::{self, style::DrawStyle};
use crate::model::figure::{Body, FigureState};
use crate::pane::context::ViewContext;
use crate::scene::Scene;
use crate::scene::svg;
use crate::wire::figures::Shown;
use crate::wire::rows::Source;
use chart::Chart;
use drawing::Drawing;
use leptos::prelude::*;
use rows::{FactList, FigureTable};
use worker::Drawn;

/// The picture or the text of a figure, without title and notes.
#[component]
pub fn FigureBody(
    /// The document.
    context: ViewContext,
    /// The figure.
    shown: Shown,
    /// Id of its family.
    id: String,
    /// What is chosen.
    chosen: Vec<usize>,
    /// How it is looked at.
    state: RwSignal<FigureState>,
    /// Whether it is the figure as it was joined with a baseline.
    #[prop(optional)]
    is_compared: bool,
    /// What is left out of it.
    #[prop(optional)]
    folds: Folds,
) -> impl IntoView {
    let seen = folds.seen(&shown.figure);
    let shown = if let Some(figure) = seen { Shown { figure, ..shown } } else { shown };
    match &shown.figure.body {
        Body::Facts(facts) => view! { <FactList context facts=facts.clone() /> }.into_any(),
        Body::Table(table) => {
            let n_rows = table.rows.len() + table.more_rows - folds.rows.len();
            let (title, is_folded) = (shown.figure.title.clone(), !folds.is_empty());
            let source = Source::Figure { id, chosen, is_compared, is_folded };
            view! { <FigureTable context source n_rows title /> }.into_any()
        }
        Body::HeatMap(_) | Body::Gantt(_) => {
            view! { <Drawn context shown id chosen state is_compared /> }.into_any()
        }
        _ if shown.is_dense => view! { <Drawn context shown id chosen state is_compared /> }.into_any(),
        body if draw::chart::is_chart(body) => view! { <Chart context shown state /> }.into_any(),
        _ => view! { <Drawing context shown id chosen is_compared /> }.into_any(),
    }
}

/// What colors mean, to stand in the head of a figure.
#[component]
pub fn Legend(
    /// The document.
    context: ViewContext,
    /// The figure.
    #[prop(into)]
    shown: Signal<Option<Shown>>,
) -> impl IntoView {
    let picture = move || {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        shown.with(|s| {
            let shown = s.as_ref()?;
            Some(inline(&draw::legend(&shown.figure, &look, shown.range)?, "legend-"))
        })
    };
    view! { <span class="figure__legend" aria-hidden="true" inner_html=move || picture().unwrap_or_default()></span> }
}

/// A scene as SVG text whose colors follow the theme.
fn inline(scene: &Scene, id: &str) -> String {
    svg::inline(scene, id)
}

/// Sets a length of an element's style; a style attribute would break the page's policy, the object model may.
pub(crate) fn set_px(node: &web_sys::HtmlElement, name: &str, value: f32) {
    // A length is always a valid value.
    let _ = node.style().set_property(name, &format!("{value}px"));
}
