//! Which lines and instructions cost the time, and why: source beside instructions.
//!
//! Needs listings. Clicking a line marks its instructions and scrolls the first to one third of the other side; clicking
//! an instruction chooses its line. Wheel and scroll bar scroll, arrows move the chosen row, H and Shift+H go to the next
//! colder and hotter row, Ctrl+F searches. The pictures are drawn in the worker; a layer of real, transparent text lies
//! over the rows in view, so that they can be selected, copied and read aloud. Where a baseline is chosen, the column that
//! heat follows has its differences beside it. Instructions that another view asked to see, such as those of a cache
//! line, are marked until they are cleared or a line is chosen.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub
#![allow(clippy::large_types_passed_by_value)] // sides and state are handles of signals, copied into closures anyway

mod bars;
mod body;
mod detail;
mod find;
mod pane;
mod print;
mod state;

use crate::base::number::thousands;
use crate::base::words::{fill, tr};
use crate::model::code::{CodeAddress, Field};
use crate::model::id::ListingId;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui;
use crate::ui::icon::SeverityIcon;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::{capture_pointer, follow_into, observe};
use crate::views::code::messages::{CodeQuery, Column, ColumnPlace, FoundRow, ListingHead, Reply};
use crate::views::code::scene::{full_in, head_in, short};
use bars::can_sort;
use leptos::ev::{FocusEvent, PointerEvent};
use leptos::prelude::*;
use pane::{Pane, PaneView, Side};
use state::{CodeState, Mode};
use wasm_bindgen::JsCast;

/// Below this width two sides would show nothing but their numbers.
const NARROW: f64 = 720.0;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "source",
    title: "Source",
    question: "Which lines and instructions are hot, and why?",
    can_show: |head| 0 < head.contents.sources + head.contents.instructions,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <SourceView context /> }.into_any()
}

#[component]
fn SourceView(context: ViewContext) -> impl IntoView {
    let state = CodeState::new(context);
    let source = Pane::new(state, Side::Source);
    let assembly = Pane::new(state, Side::Assembly);
    state.connect(source, assembly);
    follow_compare(source);
    follow_compare(assembly);
    context.offer_picture(VIEW.id, move || {
        let shown = match state.mode() {
            Mode::Beside => vec![source, assembly],
            Mode::Source => vec![source],
            Mode::Instructions => vec![assembly],
        };
        shown.into_iter().filter_map(Pane::picture).collect()
    });
    let width = RwSignal::new(0.0);
    let root = NodeRef::<leptos::html::Div>::new();
    let room = RwSignal::new(ui::Extent::default());
    let usual = StoredValue::new(0.0);
    Effect::new(move || {
        if let Some(root) = root.get() {
            observe(&root, room);
        }
    });
    Effect::new(move || {
        let room = f64::from(room.with(|room| room.size.w));
        // Who has gone on to another view before this one was built hides it: it is measured when it is shown.
        if room < 1.0 {
            return;
        }
        if state.is_narrow.get_untracked() != (room < NARROW) {
            state.is_narrow.set(room < NARROW);
        }
        // Source takes a little less than half, as its metrics are fewer, until somebody moves the line.
        if width.get_untracked() == usual.get_value() {
            usual.set_value((room * 0.49).max(280.0).round());
            width.set(usual.get_value());
        }
    });
    let mode = Memo::new(move |_| (state.listings.with(Option::is_some), state.mode()));
    let panes = move || match mode.get() {
        (false, _) => {
            let words = context.word("Reading the listings…");
            view! { <p class="code__wait" role="status">{words}</p> }.into_any()
        }
        (true, Mode::Source) => view! { <PaneView pane=source /> }.into_any(),
        (true, Mode::Instructions) => view! { <PaneView pane=assembly /> }.into_any(),
        (true, Mode::Beside) => {
            let first = ViewFn::from(move || view! { <PaneView pane=source /> });
            let second = ViewFn::from(move || view! { <PaneView pane=assembly /> });
            let extent = Extent { usual: 624.0, least: 280.0, share: 0.8 };
            let label = context.word("Source pane width");
            view! { <Split label orientation=Orientation::Horizontal extent size=width strong=true first second /> }
                .into_any()
        }
    };
    view! {
        <div class="code" node_ref=root on:keydown=move |event| find::on_key(state, &event)>
            <bars::Tools state />
            {panes}
        </div>
    }
}

// The address of an instruction, a link to each listing that may have it.

/// The address; a button that goes there, or one with the name of each listing where several have the address.
#[component]
pub(crate) fn InstructionLinks(context: ViewContext, address: u64, found: Vec<FoundRow>) -> impl IntoView {
    let is_one = found.len() == 1;
    let words = format!("{address:#x}");
    let buttons = found.into_iter().map(|row| {
        let at = CodeAddress { listing: Some(row.listing), address };
        let words = if is_one { words.clone() } else { format!("{words} · {}", row.name) };
        let go = move |_| {
            context.selection.update(|s| (s.line, s.address) = (None, Some(at)));
            context.go.run("source".to_owned());
        };
        view! { <button class="button button--text detail__call" type="button" on:click=go>{words}</button> }
    });
    let buttons: Vec<_> = buttons.collect();
    if buttons.is_empty() { view! { <span>{words}</span> }.into_any() } else { buttons.into_any() }
}

// A side beside the baseline: the column that heat follows is joined with that of the same listing, and what comes of
// it is said above the rows.

/// What came of joining a column.
#[derive(Clone, Debug, PartialEq)]
struct Joined {
    listing: ListingId,
    column: u16,
    core: u16,
    /// Rows that only this document has, and rows that only the baseline has; or why nothing was joined.
    outcome: Result<(u32, u32), String>,
}

impl Joined {
    /// Whether differences can be drawn for a listing and core.
    fn is_of(&self, listing: ListingId, core: u16) -> bool {
        self.outcome.is_ok() && (self.listing, self.core) == (listing, core)
    }
}

/// Joins anew whenever listing, column, core or baseline change, and when either document has grown.
fn follow_compare(pane: Pane) {
    let context = pane.state.context;
    let key = Memo::new(move |_| {
        let listing = pane.listing()?;
        let head = listing.columns.get(usize::from(pane.heat()?))?.name.clone();
        Some((listing, pane.heat()?, head, pane.state.core.get()))
    });
    let ask = move || {
        let (baseline, key) = (context.baseline.get(), key.get());
        let (baseline, (head, column, name, core)) = baseline.zip(key)?;
        context.head.with(|h| h.is_complete);
        baseline.context.head.with(|h| (h.contents.sources, h.contents.instructions, h.is_complete));
        // Launches of one kernel have a listing each.
        let is_before = |own: &ListingHead| {
            let key = |of: &ListingHead| (of.kind, of.title.clone(), of.kernel.clone(), of.launches != 0);
            own.id < head.id && key(own) == key(&head)
        };
        let nth = untrack(|| pane.state.of_side(pane.side)).iter().filter(|own| is_before(own)).count();
        let ListingHead { id: listing, kind, title, kernel, launches, .. } = head;
        let core_name = untrack(|| pane.state.core_name());
        let wanted = Column {
            kind,
            title,
            kernel,
            nth: nth as u32,
            is_of_all: launches != 0,
            column: name,
            core: core_name,
        };
        let packed = CodeQuery::Packed(wanted);
        let joined = CodeQuery::Compare { listing, column, core };
        Some(async move {
            let outcome = match context.join(baseline, &packed, &joined).await {
                Ok(Some(Reply::Compared { new, gone, .. })) => Ok((new, gone)),
                Err(why) => Err(why),
                _ => return None,
            };
            Some(Joined { listing, column, core, outcome })
        })
    };
    follow_into(pane.joined, ask, |joined| joined.map(Some));
}

/// What is compared, and what only one side has.
#[component]
fn Notice(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    let words = move || {
        let language = context.language.get();
        let joined = pane.joined.get()?;
        let listing = pane.listing().filter(|l| l.id == joined.listing)?;
        let (new, gone) = match joined.outcome {
            Ok(counts) => counts,
            Err(why) => return Some(tr(language, &why).to_owned()),
        };
        let column = listing.columns.get(usize::from(joined.column))?.name.clone();
        let values = [
            ("column", tr(language, short(&column))),
            ("n", &*thousands(i64::from(new))),
            ("m", &*thousands(i64::from(gone))),
        ];
        let phrase = if pane.is_source() {
            tr(language, "Difference in {column}. Lines with data only here: {n}, only in the baseline: {m}.")
        } else {
            tr(
                language,
                "Difference in {column}. Instructions with data only here: {n}, only in the baseline: {m}.",
            )
        };
        Some(fill(phrase, &values))
    };
    move || {
        words().map(|words| {
            view! {
                <p class="listing__notice" role="note">
                    <SeverityIcon severity="note" />
                    {words}
                </p>
            }
        })
    }
}

// The head of the columns: real text where the picture's columns stand, sorts instructions, and sizes the code.

/// How far the ring around a head reaches beyond its letters, as in the style.
const RING: f32 = 3.0;
/// Blank in front of heads that stand at the right of their columns.
const GAP_OF_HEADS: f32 = 6.0;

/// The head of a side.
#[component]
fn Head(pane: Pane) -> impl IntoView {
    let columns = Memo::new(move |_| pane.note.with(|n| n.columns.clone()));
    // The number stands still at the left, pinned columns at the right; the others scroll sideways between them.
    let clip = move || {
        let (frozen, pinned) = pane.note.with(|n| (n.frozen, n.pinned));
        // The ring of a head stands around its letters.
        let frozen = frozen - RING;
        format!("polygon({frozen}px 0, {pinned}px 0, {pinned}px 100%, {frozen}px 100%)")
    };
    let pinned = move || columns.get().into_iter().filter(|column| column.is_pinned);
    let moving = move || columns.get().into_iter().skip(1).filter(|column| !column.is_pinned);
    let shift = move || format!("translateX({}px)", -pane.left.get());
    view! {
        <div class="listing__head" role="row" aria-rowindex="1">
            <div class="listing__still">
                {move || columns.get().into_iter().take(1).map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
            </div>
            <div class="listing__moving" role="presentation" style:clip-path=clip>
                <div class="listing__shift" role="presentation" style:transform=shift>
                    {move || moving().map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
                </div>
            </div>
            <div class="listing__moving" role="presentation">
                {move || pinned().map(|c| view! { <HeadCell pane column=c /> }).collect_view()}
            </div>
        </div>
    }
}

#[component]
fn HeadCell(pane: Pane, column: ColumnPlace) -> impl IntoView {
    let context = pane.state.context;
    let field = column.field;
    let tip = {
        let name = column.name.clone();
        move || full_in(context.language.get(), &name)
    };
    let title = {
        let title = column.title.clone();
        move || head_in(context.language.get(), &title)
    };
    let order = move || {
        pane.arrange.with(|a| match a.sort {
            Some(by) if by == field => Some(a.is_descending),
            _ => None,
        })
    };
    let aria_sort = move || order().map(|down| if down { "descending" } else { "ascending" });
    let arrow =
        move || order().map(|down| view! { <i class="listing__arrow">{if down { "↓" } else { "↑" }}</i> });
    let is_heat = move || matches!(field, Field::Column(i) if pane.heat() == Some(i));
    let place = column.clone();
    let inset = if column.is_right { GAP_OF_HEADS } else { column.inset };
    let (x, width) = (column.x, head_width(pane, &column));
    view! {
        <div
            class="listing__column"
            class:listing__column--right=column.is_right
            class:listing__column--sorted=move || order().is_some() || is_heat()
            role="columnheader"
            aria-sort=aria_sort
            data-tip=tip
            style:left=format!("{x}px")
            style:width=move || format!("{}px", width())
            style:padding-left=format!("{inset}px")
        >
            {if can_sort(pane.kind()) && field != Field::Difference {
                view! {
                    <button
                        class="listing__sort"
                        type="button"
                        on:focus=move |event| reveal_column(pane, &place, &event)
                        on:click=move |_| sort(pane, field)
                    >
                        <span class="listing__title">{title}</span>
                        {arrow}
                    </button>
                }
                .into_any()
            } else {
                view! { <span class="listing__title">{title}</span> }.into_any()
            }}
            {(field == Field::Text).then(|| view! { <Handle pane width=column.w /> })}
        </div>
    }
}

/// Whether a column is the number at the left, or one that stays at the right edge.
fn stands_still(pane: Pane, column: &ColumnPlace) -> bool {
    column.is_pinned || pane.note.with_untracked(|n| n.columns.first() == Some(column))
}

/// The width of a head: of a column that goes behind those at the right edge it ends in front of them, and so does its name.
fn head_width(pane: Pane, column: &ColumnPlace) -> impl Fn() -> f32 + use<> {
    let (x, w, is_whole) = (column.x, column.w, stands_still(pane, column));
    move || {
        let seen = pane.note.with(|n| n.pinned) + pane.left.get() as f32 - x;
        if is_whole { w } else { w.min(seen).max(0.0) }
    }
}

/// Scrolls the rows, and with them the heads, so that a column whose head the keyboard reached is in view.
fn reveal_column(pane: Pane, column: &ColumnPlace, event: &FocusEvent) {
    let head = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    // A press would move its target away from below the pointer.
    let is_by_key = head.is_some_and(|head| head.matches(":focus-visible").unwrap_or(false));
    let can_move = is_by_key && !stands_still(pane, column);
    let Some(scroller) = pane.scroller.get_untracked().filter(|_| can_move) else { return };
    let (from, to) = pane.note.with_untracked(|n| (f64::from(n.frozen), f64::from(n.pinned)));
    let (x, end) = (f64::from(column.x), f64::from(column.x + column.w));
    let left = pane.left.get_untracked();
    let most = x - from;
    let to_be = left.max(end - to).min(most).max(0.0);
    if (to_be - left).abs() >= 1.0 {
        scroller.set_scroll_left(to_be.ceil() as i32);
    }
}

/// Turns the order over: numbers largest first, names from A, then back to the order of the listing.
fn sort(pane: Pane, field: Field) {
    let is_number = match field {
        Field::Column(i) => untrack(|| pane.listing())
            .and_then(|l| l.columns.get(usize::from(i)).map(|c| c.has_numbers))
            .unwrap_or(false),
        _ => false,
    };
    pane.arrange.update(|a| {
        let is_same = a.sort == Some(field);
        (a.sort, a.is_descending) = match (is_same, a.is_descending == is_number) {
            (false, _) => (Some(field), is_number),
            (true, true) => (Some(field), !is_number),
            (true, false) => (None, false),
        };
    });
    pane.scroll_to(0.0);
}

/// The edge of the code: dragged it makes the code wider than the pane, a double click fits it again.
#[component]
fn Handle(pane: Pane, width: f32) -> impl IntoView {
    let held = RwSignal::new(None::<(f64, f64)>);
    let down = move |event: PointerEvent| {
        event.prevent_default();
        capture_pointer(&event);
        held.set(Some((f64::from(event.client_x()), f64::from(width))));
    };
    let moved = move |event: PointerEvent| {
        if let Some((from, was)) = held.get_untracked() {
            pane.code_px.set((was + f64::from(event.client_x()) - from).clamp(120.0, 20_000.0));
        }
    };
    view! {
        <i
            class="listing__handle"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set(None)
            on:pointercancel=move |_| held.set(None)
            on:dblclick=move |_| pane.code_px.set(0.0)
        ></i>
    }
}
