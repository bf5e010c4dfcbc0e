//! A figure of any kind on the page, from its data alone.
//!
//! Facts and tables are real text; charts are drawn by plotters on a canvas of the page; graphs, core grids and
//! matrices are inline SVG, so that their words can be selected and the theme decides their colors; heat maps, gantts
//! and whatever is dense are drawn by the document's worker.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod chart;
mod drawing;
pub(crate) mod navigate;

use crate::analysis::rows::{Folds, Goal};
use crate::base::geometry::Point;
use crate::base::words::{phrase, tr};
use crate::draw;
use crate::draw::page::LONG;
use crate::draw::style::{DrawStyle, TEXT, full};
use crate::model::figure::{Body, Cell, Fact, Facts, FigureState, Target};
use crate::navigation::Selection;
use crate::pane::Surface;
use crate::pane::context::{Offer, ViewContext};
use crate::pane::rows::WorkerTable;
use crate::scene::{Scene, svg, text};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::menu::{MenuItem, menus};
use crate::ui::overlay::{Tip, tooltips};
use crate::ui::{Extent, blob};
use crate::wire::figures::{Frame, Note as FigureNote, Shown};
use crate::wire::rows::Source;
use crate::wire::{Draw, Note, Query};
use base64::Engine;
use chart::Chart;
use drawing::Drawing;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Url};

/// The picture or the text of a figure, without title and notes.
#[component]
pub fn FigureBody(
    context: ViewContext,
    shown: Shown,
    /// Id of its family.
    id: String,
    chosen: Vec<usize>,
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
pub fn Legend(context: ViewContext, #[prop(into)] shown: Signal<Option<Shown>>) -> impl IntoView {
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

// What lies under the pointer of a figure: from the words of a drawing to the page's tooltip.

/// A tooltip of a name and lines of label, tab, value; lines without a tab are quiet words below.
pub(crate) fn tip_of(words: &str) -> Tip {
    let mut lines = words.lines();
    let mut tip = Tip { title: lines.next().unwrap_or_default().to_owned(), ..Tip::default() };
    for line in lines {
        match line.split_once('\t') {
            Some((label, value)) => tip.rows.push((label.to_owned(), value.to_owned())),
            None => line.clone_into(&mut tip.hint),
        }
    }
    // A name that is itself a label with its value.
    if let Some((label, value)) = tip.title.clone().split_once('\t') {
        tip.title = String::new();
        tip.rows.insert(0, (label.to_owned(), value.to_owned()));
    }
    tip
}

/// Where the pointer is: in the window, and from the corner of an element.
pub(crate) fn places(event: &web_sys::MouseEvent, node: &web_sys::Element) -> (Point, Point) {
    let window = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
    let corner = node.get_bounding_client_rect();
    (window, Point { x: window.x - corner.left() as f32, y: window.y - corner.top() as f32 })
}

// Figures that the document's worker draws: heat maps, gantts, and whatever is dense.

/// A canvas that the worker draws on, with a read-out under the pointer.
#[allow(clippy::too_many_lines)] // one picture with its gestures
#[component]
fn Drawn(
    context: ViewContext,
    shown: Shown,
    id: String,
    chosen: Vec<usize>,
    state: RwSignal<FigureState>,
    is_compared: bool,
) -> impl IntoView {
    let extent = RwSignal::new(Extent::default());
    let told = RwSignal::new(FigureNote { alt: shown.words.clone(), ..FigureNote::default() });
    let pointer = RwSignal::new(None::<(Point, Point)>);
    let node = NodeRef::<leptos::html::Div>::new();
    let figure = StoredValue::new(shown.figure);
    let asked = StoredValue::new((id.clone(), chosen.clone()));
    let frame = Signal::derive(move || {
        let mut state = state.get();
        state.pointer = pointer.get().map(|(_, at)| (at.x, at.y));
        Some(Frame { id: id.clone(), chosen: chosen.clone(), state, is_compared }.frame())
    });
    let ask = move || {
        let (id, chosen) = asked.get_value();
        Frame { id, chosen, state: state.get_untracked(), is_compared }
    };
    let (tooltips, menus) = (tooltips(), menus());
    let on_note = Callback::new(move |note: Note| {
        let Some(note) = Frame::noted(note) else { return };
        match pointer.get_untracked().filter(|_| !note.under.is_empty()) {
            Some((window, _)) => tooltips.show(window, tip_of(&note.under)),
            None => tooltips.hide(),
        }
        told.set(note);
    });
    Effect::new(move || {
        let width = extent.with(|e| e.size.w).max(240.0);
        let language = context.language.get();
        let height = told.with(|t| t.height).max(figure.with_value(|f| draw::height(f, width, language)));
        if let Some(node) = node.get() {
            set_px(&node, "height", height);
        }
    });
    let follow = move |event: leptos::ev::PointerEvent| {
        if let Some(node) = node.get_untracked() {
            pointer.set(Some(places(&event, &node)));
        }
    };
    let leads = move || told.with(|t| t.leads);
    let seen = move || (ask(), extent.get_untracked().size);
    let go = move |event: leptos::ev::MouseEvent| {
        if let Some(node) = node.get_untracked().filter(|_| untrack(leads)) {
            tooltips.hide();
            navigate::follow(context, menus, seen(), places(&event, &node), false);
        }
    };
    let open_menu = move |event: leptos::ev::MouseEvent| {
        if let Some(node) = node.get_untracked().filter(|_| untrack(leads)) {
            event.prevent_default();
            tooltips.hide();
            navigate::follow(context, menus, seen(), places(&event, &node), true);
        }
    };
    let leave = move |_| {
        pointer.set(None);
        tooltips.hide();
    };
    view! {
        <div class="figure__tall" tabindex="0" role="group" aria-label=move || told.with(|t| t.alt.clone())>
            <div
                class="figure__drawn"
                class:figure__drawn--leads=leads
                node_ref=node
                on:pointermove=follow
                on:pointerleave=leave
                on:click=go
                on:contextmenu=open_menu
            >
                <Surface
                    context
                    class="figure__surface"
                    frame
                    on_note
                    alt=Signal::derive(move || told.with(|t| t.alt.clone()))
                    extent
                />
            </div>
        </div>
    }
}

// Facts and tables as real text.

/// The least width of a column of facts, as in the style, and what stands between name and value.
const FACT: f32 = 176.0;
/// The least width of two of them with the blank between.
const DOUBLE: f32 = 376.0;
const BETWEEN: f32 = 12.0;
/// Height of a row and of the head.
const ROW: f32 = 20.0;
const HEAD: f32 = 26.0;

/// Names at the left, values at the right.
#[component]
fn FactList(context: ViewContext, facts: Facts) -> impl IntoView {
    let rows = facts.facts.into_iter().map(move |fact| {
        let value = fact.value.with_unit(&fact.unit);
        let needed = text::width(&fact.name, TEXT) + BETWEEN + text::width(&value, TEXT);
        let Fact { name, value, unit } = fact;
        let is_missing = value == Cell::Missing;
        let is_number = value.as_number().is_some();
        let (told, own) = (value.clone(), unit.clone());
        let told = move || {
            context.language.track();
            told.with_unit(&own)
        };
        let exact = move || {
            context.language.track();
            match &value {
                Cell::Number(v) => full(Some(*v), &unit),
                Cell::Missing => String::new(),
                other => other.with_unit(&unit),
            }
        };
        view! {
            <div
                class="facts__row"
                class:facts__row--wide=FACT < needed
                class:facts__row--double=FACT < needed && needed <= DOUBLE
                class:facts__row--number=is_number
            >
                <dt class="facts__name">{move || tr(context.language.get(), &name).to_owned()}</dt>
                <dd class="facts__value" class:facts__value--missing=is_missing title=exact>{told}</dd>
            </div>
        }
    });
    view! { <dl class="facts">{rows.collect_view()}</dl> }
}

/// A table of a figure, or a long table.
#[component]
pub(crate) fn FigureTable(
    context: ViewContext,
    /// Where its rows come from.
    source: Source,
    n_rows: usize,
    title: String,
) -> impl IntoView {
    if n_rows == 0 && matches!(source, Source::Figure { .. }) {
        let none = move || tr(context.language.get(), phrase("No rows"));
        return view! { <p class="figure__note">{none}</p> }.into_any();
    }
    let marked = Signal::derive({
        let id = match &source {
            Source::Figure { id, .. } => id.clone(),
            _ => String::new(),
        };
        move || {
            let own = |s: &Selection| {
                let rows = s.rows.iter().filter(|(table, _)| *table == id);
                rows.map(|(_, row)| *row).collect::<Vec<_>>()
            };
            context.selection.with(own)
        }
    });
    let (menus, node) = (menus(), NodeRef::<leptos::html::Div>::new());
    // A row that names places, such as a line of source, goes there.
    let on_open = Callback::new(move |goal| {
        if let Goal::Place(text) = goal {
            let row =
                node.get_untracked().and_then(|node| node.query_selector("[aria-selected=true]").ok()?);
            navigate::go_from(
                context,
                menus,
                row.as_ref(),
                text.lines().filter_map(Target::of_place).collect(),
            );
        }
    });
    let is_long = LONG < n_rows;
    Effect::new(move || {
        if let Some(node) = node.get() {
            let tools = if is_long { 32.0 } else { 0.0 };
            // That there are no rows is said in two.
            let rows = if n_rows == 0 { 2 } else { n_rows.min(LONG) };
            // Where all rows are shown, a bar to scroll sideways comes below them and not over the last one.
            let how = if is_long { "height" } else { "min-height" };
            set_px(&node, how, HEAD + tools + ROW * rows as f32);
        }
    });
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    let source = Signal::stored(Some(source));
    view! {
        <div class="figure__table" node_ref=node>
            <WorkerTable context label source marked on_open plain=!is_long />
        </div>
    }
    .into_any()
}

// Saving a figure: SVG and CSV as the document's exports write them, PNG from that SVG.

/// Pixels of a saved PNG in a CSS pixel.
const SHARP: f64 = 2.0;
/// The longest edge of a canvas that every browser paints.
const MOST_PX: f64 = 16_384.0;

/// The button that opens the menu of formats.
#[component]
pub fn SaveButton(
    context: ViewContext,
    /// Id of the family.
    id: String,
    #[prop(into)] chosen: Signal<Vec<usize>>,
    /// Whether the figure is saved as it was joined with a baseline.
    #[prop(optional, into)]
    is_compared: Signal<bool>,
) -> impl IntoView {
    let items = Callback::new(move |()| {
        let numbers: Vec<String> = chosen.get_untracked().iter().map(usize::to_string).collect();
        let joined = if is_compared.get_untracked() { ":compared" } else { "" };
        let argument = format!("{id}:{}{joined}", numbers.join(","));
        vec![
            (phrase("Save as SVG"), format!("figure-svg:{argument}"), false),
            (phrase("Save as PNG"), format!("figure-svg:{argument}"), true),
            (phrase("Save numbers as CSV"), format!("figures-csv:{argument}"), false),
        ]
    });
    view! { <SaveMenu context label=context.word("Save this figure") items /> }
}

/// The button that opens a menu of exports: title, id, and whether the SVG that it makes is saved as PNG.
#[component]
pub fn SaveMenu(
    context: ViewContext,
    #[prop(into)] label: Signal<String>,
    /// The exports of now.
    items: Callback<(), Vec<(&'static str, String, bool)>>,
) -> impl IntoView {
    let menus = menus();
    let open = move |event: leptos::ev::MouseEvent| {
        let Some(control) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let language = context.language.get_untracked();
        let item = |(title, id, is_png): (&'static str, String, bool)| {
            let offer = Offer { title, file: Query::Export { id }, is_png };
            MenuItem::act(tr(language, title), "", move || save(context, offer.clone()))
        };
        let items = items.run(()).into_iter().map(item).collect();
        menus.open_below(&control, label.get_untracked(), items);
    };
    view! {
        <button
            class="button button--plain button--small figure__save"
            type="button"
            aria-haspopup="menu"
            aria-label=label
            data-tip=label
            on:click=open
        >
            <Icon glyph=Glyph::Export />
        </button>
    }
}

/// Saves a file that a view offers.
pub fn save(context: ViewContext, offer: Offer) {
    leptos::task::spawn_local(async move {
        let Some((name, file)) = context.file(offer.file).await else { return };
        if !offer.is_png {
            return context.save.run((name, file));
        }
        match png(&file).await {
            Ok(picture) => {
                let name = format!("{}.png", name.trim_end_matches(".svg"));
                context.save.run((name, picture));
            }
            Err(_) => context.say.run((context.tr("Could not draw the image.").to_owned(), true)),
        }
    });
}

/// Paints SVG on a canvas and takes its pixels.
async fn png(svg: &Blob) -> Result<Blob, JsValue> {
    let address = Url::create_object_url_with_blob(svg)?;
    let painted = paint(&address).await;
    Url::revoke_object_url(&address)?;
    blob(&painted?, "image/png")
}

async fn paint(address: &str) -> Result<Vec<u8>, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(address);
    JsFuture::from(image.decode()).await?;
    let (w, h) = (f64::from(image.natural_width()), f64::from(image.natural_height()));
    let sharp = SHARP.min(MOST_PX / w.max(h).max(1.0));
    let (w, h) = ((w * sharp).round(), (h * sharp).round());
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width(w as u32);
    canvas.set_height(h as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or("no context")?.unchecked_into();
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, w, h)?;
    let text = canvas.to_data_url_with_type("image/png")?;
    let data = text.split_once(',').map_or("", |(_, data)| data);
    base64::engine::general_purpose::STANDARD.decode(data).map_err(|e| JsValue::from_str(&e.to_string()))
}
