//! Which addresses were read and written, in what order: every memory access as a bar over its addresses.
//!
//! Needs memory accesses. The wheel zooms records at the pointer, Shift+wheel or the wheel over the labels at the left
//! zooms addresses, dragging moves, dragging with Alt chooses an area, a double click shows everything, a click selects
//! an access. The picture is drawn in the worker; facts, call stack and table are real text.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod detail;
mod state;

use crate::base::geometry::Point;
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::pane::context::ViewContext;
use crate::pane::gestures::{Gestures, PictureView};
use crate::pane::plane::{Plane, ZoomArea};
use crate::pane::{Surface, ViewSpec};
use crate::ui::field::{SelectField, Switch};
use crate::ui::overlay::Tip;
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::{Latest, tabs};
use crate::views::access::messages::{Attribute, Frame, Record, Side, Under};
use crate::views::access::scene::ink;
use crate::views::timeline::messages::LegendItem;
use crate::wire::Draw;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use state::AccessState;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "accesses",
    title: phrase("Accesses"),
    question: "Which addresses were accessed, in what order?",
    can_show: |head| 0 < head.contents.accesses,
    badge: |_| None,
    compares: false,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <AccessView context /> }.into_any()
}

#[component]
fn AccessView(context: ViewContext) -> impl IntoView {
    let state = AccessState::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    let pane = RwSignal::new(248.0);
    let first = ViewFn::from(move || view! { <Picture state gestures /> });
    let second = ViewFn::from(move || view! { <detail::Detail state /> });
    let extent = Extent { usual: 248.0, least: 120.0, share: 0.6 };
    let label = context.word("Details height");
    view! {
        <div class="accesses">
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <Split label orientation=Orientation::Vertical extent size=pane sizes_second=true strong=true folded=state.folded first second />
        </div>
    }
}

#[component]
fn Picture(state: AccessState, gestures: Gestures<AccessState>) -> impl IntoView {
    let context = state.context;
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let frame = Signal::derive(move || Some(state.frame().frame()));
    let words = Signal::derive(move || state.note.with(|note| note.alt.clone()));
    let on_note = Callback::new(move |note| {
        if let Some(note) = Frame::noted(note) {
            state.note.set(note);
        }
    });
    view! {
        <div
            class="accesses__half"
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=move |event| gestures.key(&event)
        >
            <div
                class="accesses__picture"
                class:accesses__picture--moving=move || state.plane.is_moving()
                on:wheel=move |e| gestures.wheel(&e)
                on:pointerdown=move |e| gestures.down(&e)
                on:pointermove=move |e| gestures.moved(&e)
                on:pointerup=move |e| gestures.up(&e)
                on:pointercancel=move |_| gestures.cancel()
                on:pointerleave=move |_| gestures.leave()
                on:dblclick=move |_| state.plane.show_all()
            >
                <Surface context class="accesses__surface" frame on_note alt=words extent=state.extent />
                <ZoomArea plane=state.plane />
            </div>
            <Legend state />
        </div>
    }
}

// Above and below the picture: filters, the kind of axis, and what the colors mean.

/// The color of a side, `0xRRGGBBAA`.
fn tool_color(state: AccessState, side: Side) -> u32 {
    state.context.palette.try_with_untracked(|palette| palette.rgba(ink(side))).unwrap_or(0)
}

/// The id of "all" in a filter: no name of a file is this.
const ALL: &str = "\u{0}";

/// One filter: what an attribute may be.
fn filter_field(state: AccessState, Attribute { id, title, values }: Attribute) -> impl IntoView {
    let label = Signal::derive(move || tr(state.context.language.get(), &title).to_owned());
    let options = Signal::derive(move || {
        // Names of cores, operations and spaces speak for themselves; "all" does not.
        let words = fill(tr(state.context.language.get(), "{name}: all"), &[("name", &label.get())]);
        let first = (ALL.to_owned(), words);
        std::iter::once(first).chain(values.iter().map(|v| (v.clone(), v.clone()))).collect::<Vec<_>>()
    });
    let own = id.clone();
    let value = Signal::derive(move || state.filter.with(|f| f.get(&own).unwrap_or(ALL).to_owned()));
    let choose = Callback::new(move |value: String| {
        state.filter.update(|filter| filter.set(&id, (value != ALL).then_some(value)));
        // Other clusters of addresses make another axis.
        state.plane.places.set(None);
    });
    view! { <SelectField label options value on_choose=choose /> }
}

/// The attributes of which there is a choice: one among one says nothing.
fn attributes(state: AccessState) -> Memo<Vec<Attribute>> {
    Memo::new(move |_| {
        let all = state.head.with(|head| head.as_ref().map_or(Vec::new(), |h| h.attributes.clone()));
        all.into_iter().filter(|attribute| 1 < attribute.values.len()).collect::<Vec<_>>()
    })
}

/// What colors stand for: reading and writing, or the values of an attribute.
#[component]
fn ColorField(state: AccessState) -> impl IntoView {
    let context = state.context;
    let attributes = attributes(state);
    let options = Signal::derive(move || {
        let language = context.language.get();
        let title = |title: &str| fill(tr(language, "Color: {name}"), &[("name", tr(language, title))]);
        let first = (ALL.to_owned(), title(phrase("loads and stores")));
        let rest = attributes.get().into_iter().map(|a| (a.id, title(&a.title)));
        std::iter::once(first).chain(rest).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.color.get().unwrap_or_else(|| ALL.to_owned()));
    let choose = Callback::new(move |id: String| state.color.set((id != ALL).then_some(id)));
    let label = context.word(phrase("Colors"));
    view! { <SelectField label options value on_choose=choose /> }
}

/// Filters and the axis, in the bar above the view.
#[component]
fn Tools(state: AccessState) -> impl IntoView {
    let context = state.context;
    let linear = Callback::new(move |is_linear| {
        state.is_linear.set(is_linear);
        state.plane.places.set(None);
    });
    let time = Callback::new(move |is_time| {
        state.is_time.set(is_time);
        state.plane.rows.set(None);
    });
    let has_time = Memo::new(move |_| state.head.with(|h| h.as_ref().is_some_and(|h| h.time.is_some())));
    let attributes = attributes(state);
    view! {
        <div class="accesses__tools">
            {move || attributes.get().into_iter().map(|a| filter_field(state, a)).collect_view()}
            <ColorField state />
            <Show when=move || has_time.get()>
                <Switch label=context.word("Time on horizontal axis") checked=state.is_time on_change=time />
            </Show>
            <Switch label=context.word("Linear addresses") checked=state.is_linear on_change=linear />
            <button class="button button--plain" type="button" on:click=move |_| state.plane.show_all()>
                {context.word("Zoom to fit")}
            </button>
        </div>
    }
}

/// What the colors mean, and what a cell of the dense picture is.
#[component]
fn Legend(state: AccessState) -> impl IntoView {
    let context = state.context;
    let item = move |item: LegendItem| {
        let ink = item.ink;
        let swatch =
            move || context.palette.with(|p| p.colors.get(&ink).map(|color| format!("#{color:08x}")));
        let name = move || {
            if item.is_name { item.name.clone() } else { tr(context.language.get(), &item.name).to_owned() }
        };
        view! {
            <span class="accesses__key">
                <i class="legend__swatch" style:background=swatch></i>
                {name}
            </span>
        }
    };
    let legend = Memo::new(move |_| state.note.with(|note| note.legend.clone()));
    let shown = move || legend.get().into_iter().map(item).collect_view();
    let words = move || {
        let language = context.language.get();
        state.note.with(|note| {
            if note.is_exact {
                return tr(language, "Each bar is one access.").to_owned();
            }
            let (wide, bytes) = note.cell;
            let bytes = with_unit(bytes as f64, &Unit::Bytes);
            let time = state.head.with(|head| head.as_ref()?.time.clone()).filter(|_| state.is_time.get());
            let words = match &time {
                Some(_) => tr(
                    language,
                    "Each cell covers {n} {unit}; the strongest color means {m} accesses. Smallest cell: {bytes}.",
                ),
                None => tr(
                    language,
                    "Each cell covers {n} records; the strongest color means {m} accesses. Smallest cell: {bytes}.",
                ),
            };
            let unit = time.as_ref().map_or("", Unit::symbol);
            let words = fill(words, &[("n", &thousands(wide)), ("m", &thousands(note.most))]);
            fill(&words, &[("bytes", &bytes), ("unit", unit)])
        })
    };
    view! {
        <div class="accesses__legend">
            {shown}
            <span class="accesses__words">{words}</span>
        </div>
    }
}

// Pointer, wheel and keys on the picture of accesses.

impl PictureView for AccessState {
    type Seen = Plane;
    type Under = Option<Under>;

    fn context(self) -> ViewContext {
        self.context
    }

    fn seen(self) -> Plane {
        self.plane
    }

    fn under(self, at: Point) -> impl Future<Output = Option<Under>> + 'static {
        self.under(at)
    }

    fn tip(self, _: Point, under: Option<Under>, language: Language) -> Option<Tip> {
        let word = |english: &'static str| tr(language, english).to_owned();
        let number = |n: u64| thousands(i64::try_from(n).unwrap_or(i64::MAX));
        Some(match under? {
            Under::Record(record) => {
                let Record { head, frames, .. } = *record;
                let mut rows = vec![
                    (word("Address"), format!("0x{:x} ({})", head.address, number(head.address))),
                    (word("Size"), size(head.bytes)),
                ];
                rows.extend(
                    head.attributes
                        .iter()
                        .map(|(title, value)| (tr(language, title).to_owned(), value.clone())),
                );
                rows.extend(head.pc.map(|pc| (word("PC"), format!("0x{pc:x}"))));
                let calls = frames.iter().take(3).map(|frame| {
                    let file = frame.file.rsplit('/').next().unwrap_or(&frame.file);
                    (
                        frame.function.clone(),
                        if file.is_empty() { String::new() } else { format!("{file}:{}", frame.line) },
                    )
                });
                rows.extend(calls);
                let swatch = tool_color(self, head.side);
                let title = format!("{} {}", head.operation, number(head.position));
                Tip { title, swatch: Some(swatch), rows, ..Tip::default() }
            }
            Under::Cell(cell) => {
                let n: u64 = cell.counts.iter().map(|(_, n)| n).sum();
                let title = fill(tr(language, "{n} accesses"), &[("n", &number(n))]);
                let (mut rows, mut swatches) = (Vec::new(), Vec::new());
                for (item, n) in cell.counts {
                    let name =
                        if item.is_name { item.name.clone() } else { tr(language, &item.name).to_owned() };
                    rows.push((name, number(n)));
                    swatches.push(self.context.palette.with_untracked(|p| p.colors.get(&item.ink).copied()));
                }
                let (from, to) = cell.positions;
                rows.push((word("Records"), format!("{} – {}", number(from), number(to))));
                let (low, high) = cell.addresses;
                rows.push((word("Addresses"), format!("{} 0x{low:x} – 0x{high:x}", cell.space)));
                Tip { title, rows, swatches, hint: word("Zoom in to separate them"), ..Tip::default() }
            }
        })
    }

    fn click(self, at: Point, _: &PointerEvent, clicks: Latest) {
        clicks.ask(self.under(at), move |under| {
            let row = match under {
                Some(Under::Record(record)) => Some(record.head.row),
                Some(Under::Cell(cell)) => Some(cell.first),
                None => None,
            };
            self.selected.try_set(row);
        });
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        match event.key().to_lowercase().as_str() {
            "," => self.step(true),
            "." => self.step(false),
            "q" => self.folded.update(|folded| *folded = !*folded),
            "escape" => self.selected.set(None),
            _ => return false,
        }
        true
    }
}

/// A number of bytes with all its digits, and in a larger unit when there is one.
fn size(bytes: u64) -> String {
    let exact = format!("{} B", thousands(i64::try_from(bytes).unwrap_or(i64::MAX)));
    if bytes < 1024 { exact } else { format!("{exact} ({})", with_unit(bytes as f64, &Unit::Bytes)) }
}
