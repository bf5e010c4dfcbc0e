//! Which pages were accessed when, and how often: a heat map of accesses by page and clock.
//!
//! Needs accesses that an analysis counted. The wheel zooms clocks at the pointer, Shift+wheel or the wheel over the names
//! at the left zooms pages, dragging moves, dragging with Alt chooses an area, a double click shows everything, a click
//! selects a cell. What is zoomed into is counted anew in finer cells. Beside the picture stand the tensors with their
//! colors and what the window adds up to; with a baseline, how that differs. Below it, on the same clock, accesses over time
//! (and those of the baseline) and the working set.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod state;

use crate::base::geometry::Point;
use crate::base::number::{fixed, thousands, whole_with_unit, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::style::{DrawStyle, difference_ink, difference_with_unit, in_parentheses, series_ink};
use crate::model::figure::{Fact, Shading};
use crate::pane::context::ViewContext;
use crate::pane::gestures::{Gestures, PictureView};
use crate::pane::plane::{Plane, ZoomArea};
use crate::pane::{Surface, ViewSpec, local};
use crate::ui::field::{Segmented, SelectField};
use crate::ui::overlay::Tip;
use crate::ui::{Latest, screen_size, tabs};
use crate::views::density::compute::OF_PAGES;
use crate::views::density::messages::{Band, Cell, Course, Frame};
use crate::views::details::page::parameters::ParameterFields;
use crate::wire::Draw;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use state::DensityState;
use std::fmt::Write;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "heatmap",
    title: phrase("Heat map"),
    question: "Which memory was accessed when, and how often?",
    can_show: |head| 0 < head.contents.counted,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <DensityView context /> }.into_any()
}

/// What decides the strength of colors: id, title.
const SHADINGS: [(Shading, &str, &str); 3] = [
    (Shading::Quintiles, "percentiles", phrase("Percentile scale")),
    (Shading::Log, "log", phrase("Logarithmic scale")),
    (Shading::Linear, "linear", phrase("Linear scale")),
];

#[component]
fn DensityView(context: ViewContext) -> impl IntoView {
    let state = DensityState::new(context);
    let gestures = Gestures::new(state);
    context.offer_picture(VIEW.id, move || vec![(state.frame().frame(), state.extent.get().size)]);
    let main = NodeRef::<leptos::html::Div>::new();
    let size = screen_size(main);
    view! {
        <div class="density">
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <div
                class="density__main"
                node_ref=main
                style:--drawn-w=move || size.get().map(|size| size.0)
                style:--drawn-h=move || size.get().map(|size| size.1)
            >
                <Head state />
                <Picture state gestures />
                <Strip state />
            </div>
            <Side state />
        </div>
    }
}

/// The axis and the colors, in the bar above the view.
#[component]
fn Tools(state: DensityState) -> impl IntoView {
    let context = state.context;
    let axes = Signal::derive(move || {
        [("dense", phrase("Touched pages")), ("linear", phrase("Address"))]
            .map(|(id, title)| (id.to_owned(), context.tr(title).to_owned()))
            .to_vec()
    });
    let axis = Signal::derive(move || if state.is_linear.get() { "linear" } else { "dense" }.to_owned());
    let choose_axis = Callback::new(move |id: String| {
        state.is_linear.set(id == "linear");
        state.plane.places.set(None);
    });
    let shadings = Signal::derive(move || {
        SHADINGS.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())).to_vec()
    });
    let shading = Signal::derive(move || state::id_of(state.shading.get()).to_owned());
    let choose_shading = Callback::new(move |id: String| state.shading.set(state::shading_of(&id)));
    view! {
        <div class="accesses__tools">
            <Segmented label=context.word("Page axis") options=axes value=axis on_choose=choose_axis />
            <SelectField label=context.word("Shades") options=shadings value=shading on_choose=choose_shading />
            <button class="button button--plain" type="button" on:click=move |_| state.plane.show_all()>
                {context.word("Zoom to fit")}
            </button>
        </div>
    }
}

/// What is counted, and the parameters of counting.
#[component]
fn Head(state: DensityState) -> impl IntoView {
    let context = state.context;
    let analysis = Memo::new(move |_| {
        let id = state.head.with(|head| head.as_ref().map(|head| head.analysis.clone()))?;
        context.head.with(|head| head.analyses.iter().find(|analysis| analysis.id == id).cloned())
    });
    let title =
        move || state.head.with(|h| h.as_ref().map(|h| h.title.text(context.language.get()).into_owned()));
    let scope = move || {
        let language = context.language.get();
        let is_running =
            analysis.with(|a| a.as_ref().is_some_and(|a| a.is_running)) || state.is_zooming.get();
        if is_running {
            return tr(language, "Computing…").to_owned();
        }
        state.head.with(|head| {
            let Some(head) = head else { return String::new() };
            let clocks = (head.clocks.1 - head.clocks.0).saturating_add(1);
            let bytes = |n: u64| with_unit(n as f64, &Unit::Bytes);
            let words = fill(
                tr(language, "{n} pages of {bytes}, {clocks}"),
                &[
                    ("n", &thousands(head.pages)),
                    ("bytes", &bytes(head.page_bytes)),
                    ("clocks", &whole_with_unit(clocks, &head.unit)),
                ],
            );
            if head.page_bytes == head.asked_bytes {
                return words;
            }
            let finer = tr(language, "pages of {bytes} when zoomed in");
            format!("{words}, {}", fill(finer, &[("bytes", &bytes(head.asked_bytes))]))
        })
    };
    let denied = Signal::derive(move || {
        let [of, option, why] = state.head.with(|head| head.as_ref()?.denied.clone())?;
        Some([of, option, context.tr(&why).to_owned()])
    });
    view! {
        <header class="density__head">
            <h2 class="figure__title">{title}</h2>
            <span class="figure__scope" role="status">{scope}</span>
            <div class="parameters__row"><ParameterFields context head=analysis denied /></div>
        </header>
    }
}

#[component]
fn Picture(state: DensityState, gestures: Gestures<DensityState>) -> impl IntoView {
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
    let line = move || {
        let (share, plot) = (state.pointer.get()?, state.note.with(|note| note.plot));
        let [left, top, height] =
            [plot.x + plot.w * share as f32, plot.y, plot.h].map(|px| format!("{px}px"));
        Some(view! { <div class="density__pointer" style:left=left style:top=top style:height=height></div> })
    };
    view! {
        <div
            class="accesses__picture density__picture"
            class:accesses__picture--moving=move || state.plane.is_moving()
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=move |e| gestures.key(&e)
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
            {line}
        </div>
    }
}

// Below the heat map, on its clock: accesses over time, with those of the baseline, and the working set.

/// Size of the drawing of a lane; it is stretched to the width of the map.
const W: f64 = 1_000.0;
const H: f64 = 24.0;

/// Both lanes.
#[component]
fn Strip(state: DensityState) -> impl IntoView {
    let px = move |value: f32| format!("{value}px");
    let moved = move |event: &web_sys::PointerEvent| {
        let (x, _) = local(event);
        let width = state.note.with_untracked(|note| f64::from(note.plot.w.max(1.0)));
        state.pointer.set(Some(x / width).filter(|share| (0.0..=1.0).contains(share)));
    };
    view! {
        <div
            class="density__strip"
            style:margin-left=move || px(state.note.with(|note| note.plot.x))
            style:width=move || px(state.note.with(|note| note.plot.w))
            on:pointermove=move |event| moved(&event)
            on:pointerleave=move |_| state.pointer.set(None)
        >
            <Lane state name=Signal::derive(move || state.words().rate) is_bytes=false />
            <Lane state name=Signal::stored(phrase("Working set")) is_bytes=true />
        </div>
    }
}

/// The value of a column, as it is drawn.
fn value(course: &Course, column: usize, is_bytes: bool) -> f64 {
    if is_bytes { course.working_set.get(column).copied().unwrap_or(0.0) } else { course.rate(column) }
}

fn largest(course: &Course, is_bytes: bool) -> f64 {
    (0..course.accesses.len()).map(|column| value(course, column, is_bytes)).fold(0.0, f64::max)
}

/// Steps over the seen clocks; closed along the ground where it is filled.
fn path(course: &Course, is_bytes: bool, (from, to): (f64, f64), most: f64, is_filled: bool) -> String {
    let x = |clock: f64| ((clock - from) / (to - from) * W).clamp(0.0, W);
    let mut path = String::new();
    let mut start = if is_filled { 'L' } else { 'M' };
    for column in 0..course.accesses.len() {
        let left = course.from + column as f64 * course.step;
        let (left, right) = (x(left), x(left + course.step));
        let y = H - value(course, column, is_bytes) / most * (H - 1.0);
        if left < right {
            if is_filled && path.is_empty() {
                let _ = write!(path, "M{left:.1} {H}");
            }
            let _ = write!(path, "{start}{left:.1} {y:.1}H{right:.1}");
            start = 'L';
        }
    }
    if is_filled && !path.is_empty() {
        let _ = write!(path, "V{H}Z");
    }
    path
}

/// A name with the value at the pointer, or else the largest; below it the course.
#[component]
fn Lane(state: DensityState, name: Signal<&'static str>, is_bytes: bool) -> impl IntoView {
    // Working sets of columns of different widths cannot be compared.
    let other = move || state.other_course.get().filter(|_| !is_bytes);
    let most = Memo::new(move |_| {
        let courses = [state.course.get(), other()];
        courses.iter().flatten().map(|course| largest(course, is_bytes)).fold(f64::MIN_POSITIVE, f64::max)
    });
    let draw = move |course: Option<Course>, is_filled| {
        course.map(|course| path(&course, is_bytes, state.seen_clocks(), most.get(), is_filled))
    };
    let own = move || draw(state.course.get(), true);
    let before = move || draw(other(), false);
    let text = move |value: f64| {
        if is_bytes {
            with_unit(value, &Unit::Bytes)
        } else {
            // A whole count has no decimals.
            fixed(value, if value.fract() == 0.0 { 0 } else { 2 })
        }
    };
    let at = move |course: Option<Course>| {
        let (from, to) = state.seen_clocks();
        let clock = from + (to - from) * state.pointer.get()?;
        let course = course?;
        Some(text(value(&course, course.column(clock)?, is_bytes)))
    };
    let told = move || {
        let language = state.context.language.get();
        match (at(state.course.get()), at(other())) {
            // What is largest depends on how long the columns are.
            (None, _) => {
                let step = state.course.with(|course| course.as_ref().map_or(0.0, |course| course.step));
                let unit = state.head.with(|head| head.as_ref().map_or(Unit::None, |head| head.unit.clone()));
                let step = with_unit(step, &unit);
                fill(
                    tr(language, phrase("max {n} in a column of {step}")),
                    &[("n", &text(most.get())), ("step", &step)],
                )
            }
            (Some(own), None) => own,
            (Some(own), Some(before)) => format!("{own} ({before})"),
        }
    };
    view! {
        <p class="density__lane">{move || tr(state.context.language.get(), name.get())}<span>{told}</span></p>
        <svg class="density__course" viewBox=format!("0 0 {W} {H}") preserveAspectRatio="none" aria-hidden="true">
            <path class="density__own" d=own></path>
            <path class="density__before" d=before></path>
        </svg>
    }
}

// Pointer, wheel and keys on the heat map.

impl PictureView for DensityState {
    type Seen = Plane;
    type Under = Option<Cell>;

    fn context(self) -> ViewContext {
        self.context
    }

    fn seen(self) -> Plane {
        self.plane
    }

    fn under(self, at: Point) -> impl Future<Output = Option<Cell>> + 'static {
        self.under(at)
    }

    fn tip(self, _: Point, cell: Option<Cell>, language: Language) -> Option<Tip> {
        let cell = cell?;
        let word = |english: &'static str| tr(language, english).to_owned();
        let unit = self.position_unit();
        let (from, to) = cell.clocks;
        let clocks = if from == to {
            whole_with_unit(from, &unit)
        } else {
            format!("{} – {}", thousands(from), whole_with_unit(to, &unit))
        };
        let (low, high) = cell.addresses;
        let pages = match cell.pages {
            0 | 1 => format!("0x{low:x}"),
            n => format!("0x{low:x} – 0x{high:x} ({})", thousands(n)),
        };
        let mut rows = vec![
            (word("Memory page"), pages),
            (word(untrack(|| self.words().one)), clocks),
            (word("Accesses"), thousands(cell.accesses)),
        ];
        rows.extend(cell.blocks.map(|(first, last)| {
            let blocks = if first == last {
                thousands(first)
            } else {
                format!("{} – {}", thousands(first), thousands(last))
            };
            (word("Thread blocks"), blocks)
        }));
        let swatch = self.color(cell.band as usize);
        Some(Tip {
            title: cell.name.text(language).into_owned(),
            swatch: Some(swatch),
            rows,
            ..Tip::default()
        })
    }

    fn click(self, at: Point, _: &PointerEvent, clicks: Latest) {
        clicks.ask(self.under(at), move |cell| {
            self.selected.try_set(cell.map(|cell| (cell.clocks.0, cell.addresses.0)));
        });
    }

    fn key(self, event: &KeyboardEvent) -> bool {
        let is_own = event.key() == "Escape" && self.selected.with_untracked(Option::is_some);
        if is_own {
            self.selected.set(None);
        }
        is_own
    }

    fn hover(self, at: Point) {
        let plot = self.note.with_untracked(|note| note.plot);
        let share = f64::from((at.x - plot.x) / plot.w.max(1.0));
        self.pointer.set(Some(share).filter(|_| plot.contains(at)));
    }

    fn leave(self) {
        self.pointer.set(None);
    }
}

// Beside the picture: the tensors with their colors, and what the window adds up to.

/// Why some facts have no difference.
const PAGES_DIFFER: &str =
    phrase("Pages are not compared: the baseline uses another page size. Choose the same page size in both.");

#[component]
fn Side(state: DensityState) -> impl IntoView {
    let context = state.context;
    let bands = Memo::new(move |_| state.head.with(|h| h.as_ref().map_or(Vec::new(), |h| h.bands.clone())));
    let rows = move || {
        let bands = bands.get().into_iter().enumerate();
        bands.map(|(number, band)| view! { <BandRow state number band /> }).collect_view()
    };
    let window = move || {
        state
            .sums
            .get()
            .into_iter()
            .map(|fact| view! { <FactRow state fact before=None is_compared=false /> })
            .collect_view()
    };
    // What a baseline is compared with is all of both: their windows need not have anything in common.
    let compared = move || {
        let before = state.baseline.get()?;
        let (facts, bytes) =
            state.head.with(|head| head.as_ref().map(|head| (head.facts.clone(), head.page_bytes)))?;
        // Pages of another size are other pages.
        let has_same_pages = bytes == before.page_bytes;
        let row = |fact: Fact| {
            let is_meant = has_same_pages || !OF_PAGES.contains(&fact.name.as_str());
            let before = before.facts.iter().find(|other| is_meant && other.name == fact.name).cloned();
            view! { <FactRow state fact before is_compared=is_meant /> }
        };
        let rows = facts.into_iter().map(row).collect_view();
        let differs =
            (!has_same_pages).then(|| view! { <p class="figure__note">{context.word(PAGES_DIFFER)}</p> });
        Some(view! {
            <h2 class="density__title">{context.word("Compared with the baseline")}</h2>
            <dl class="facts">{rows}</dl>
            {differs}
        })
    };
    let notes = move || {
        let notes = state.head.with(|head| head.as_ref().map_or(Vec::new(), |head| head.notes.clone()));
        let language = context.language.get();
        let note = |note: crate::base::words::Message| {
            view! { <p class="figure__note">{note.text(language).into_owned()}</p> }
        };
        notes.into_iter().map(note).collect_view()
    };
    view! {
        <aside class="density__side">
            <h2 class="density__title">{context.word("Tensors and allocations")}</h2>
            <ul class="density__bands">{rows}</ul>
            <h2 class="density__title">{context.word("Visible part")}</h2>
            <dl class="facts">{window}</dl>
            {compared}
            {notes}
            <p class="figure__note">
                {move || tr(context.language.get(), state.words().help)}
            </p>
        </aside>
    }
}

/// The five shades of a band, what it is, its accesses and bytes. A click shows its pages.
#[component]
fn BandRow(state: DensityState, number: usize, band: Band) -> impl IntoView {
    let context = state.context;
    let shades = move || {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        let one = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        look.shades(series_ink(number)).map(one).collect_view()
    };
    let name = band.name.clone();
    let name = move || name.text(context.language.get()).into_owned();
    let bytes = if band.bytes == 0 { String::new() } else { with_unit(band.bytes as f64, &Unit::Bytes) };
    let tip =
        if band.bytes == 0 { band.detail.clone() } else { format!("0x{:x} {}", band.start, band.detail) };
    let places = band.places;
    let show = move |_| {
        state.is_linear.set(false);
        state.plane.see_places(places);
    };
    view! {
        <li>
            <button class="density__band" type="button" title=tip on:click=show>
                <span class="density__shades" aria-hidden="true">{shades}</span>
                <span class="density__name"><b>{name}</b><small>{band.detail}</small></span>
                <span class="density__number">{thousands(band.accesses)}<small>{bytes}</small></span>
            </button>
        </li>
    }
}

/// A fact, with its difference from the baseline where there is one.
#[component]
fn FactRow(state: DensityState, fact: Fact, before: Option<Fact>, is_compared: bool) -> impl IntoView {
    let context = state.context;
    let value = fact.value.with_unit(&fact.unit);
    let difference = is_compared.then(|| {
        let pair = before.and_then(|before| before.value.as_number()).zip(fact.value.as_number());
        let Some((before, now)) = pair else {
            return view! { <small>{context.word("missing")}</small> }.into_any();
        };
        let by = now - before;
        let text = difference_with_unit(by, &fact.unit) + &in_parentheses(before, now, &fact.unit);
        let unit = fact.unit;
        let ink = move || context.palette.with(|p| format!("#{:08x}", p.rgba(difference_ink(by, &unit))));
        view! { <small style:color=ink>{text}</small> }.into_any()
    });
    let name = fact.name;
    view! {
        <div class="facts__row facts__row--wide">
            <dt class="facts__name">{move || tr(context.language.get(), &name).to_owned()}</dt>
            <dd class="facts__value">{value} " " {difference}</dd>
        </div>
    }
}
