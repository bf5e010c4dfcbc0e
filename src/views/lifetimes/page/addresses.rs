//! Accesses of a kernel by address and time, and single lifetimes when zoomed in. The worker reads and draws them.

use super::state::LifetimesState;
use crate::base::geometry::Point;
use crate::base::words::{fill, phrase};
use crate::pane::Surface;
use crate::pane::figure::{places, tip_of};
use crate::pane::gestures::{Meaning, Viewport};
use crate::pane::plane::ZoomArea;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::overlay::tooltips;
use crate::ui::{Extent, Latest, OneAtATime};
use crate::views::lifetimes::messages::{AddressFrame, Life, LifetimesQuery, Reply};
use crate::wire::Draw;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;

/// How long what is seen must rest before it is read again.
const REST: Duration = Duration::from_millis(120);
/// Most units to choose from.
const UNITS: usize = 256;

/// What the parts share.
#[derive(Clone, Copy)]
struct Shown {
    state: LifetimesState,
    extent: RwSignal<Extent>,
    /// The only unit of a level whose units are not private.
    unit: RwSignal<Option<u32>>,
    chosen: RwSignal<Option<Life>>,
    /// How much of what is seen was read, and how often something was.
    share: RwSignal<f32>,
    revision: RwSignal<u64>,
    problem: RwSignal<Option<String>>,
}

impl Shown {
    fn level(self) -> usize {
        let n = self.state.of(|head| head.levels.len());
        self.state.level.get().min(n.saturating_sub(1))
    }

    /// What is looked at.
    fn look(self) -> AddressFrame {
        let (state, level) = (self.state, self.level());
        let is_private = state.of(|head| head.levels.get(level).is_some_and(|level| level.is_private));
        let scope = if is_private { Some(state.of(|head| head.scope.clone())) } else { None };
        let unit = || self.unit.get().map(|unit| format!("sm:{unit}"));
        AddressFrame {
            run: state.run.get(),
            kernel: state.kernel.get(),
            level: level as u32,
            scope: scope.or_else(unit).unwrap_or_default(),
            cycles: state.plane.rows.get(),
            places: state.plane.places.get(),
            ..AddressFrame::default()
        }
    }

    fn frame(self) -> AddressFrame {
        let selected = self.chosen.with(|life| life.as_ref().map(|life| life.key));
        AddressFrame { selected, revision: self.revision.get(), ..self.look() }
    }

    /// Has what is seen read again, some of it at a time.
    fn follow(self) {
        let context = self.state.context;
        let revision =
            Memo::new(move |_| context.head.with(|head| (head.contents.lifetimes, head.is_complete)));
        let counts = Latest::default();
        Effect::new(move || {
            let _ = revision.get();
            let (frame, size) = (self.look(), self.extent.get().size);
            let turn = counts.begin();
            let read = async move {
                while turn.is_latest() && 1.0 <= size.w {
                    let ask = LifetimesQuery::Count { frame: Box::new(frame.clone()), size };
                    let answer = context.ask(ask).await;
                    let Some(Reply::Counted { share, problem }) = answer else { return };
                    self.share.try_set(share);
                    self.problem.try_set(problem);
                    self.revision.try_update(|n| *n += 1);
                    if 1.0 <= share {
                        return;
                    }
                }
            };
            set_timeout(move || spawn_local(read), REST);
        });
        // Another picture begins whole.
        Effect::new(move |before: Option<Option<AddressFrame>>| {
            let now = self.state.head.with(Option::is_some).then(|| self.look());
            let now = now.map(|look| AddressFrame { cycles: None, places: None, ..look });
            if before.flatten().is_some_and(|before| now.as_ref() != Some(&before)) {
                self.state.plane.show_all();
                self.chosen.set(None);
            }
            now
        });
    }

    async fn under(self, at: Point) -> Reply {
        let size = self.extent.try_get_untracked().unwrap_or_default().size;
        let frame = Box::new(untrack(|| self.frame()));
        let ask = LifetimesQuery::UnderAddress { frame, size, at };
        match self.state.context.ask(ask).await {
            Some(reply) => reply,
            _ => Reply::Under(None),
        }
    }
}

/// The picture with what stands above and below it.
#[component]
pub(super) fn Addresses(state: LifetimesState) -> impl IntoView {
    let shown = Shown {
        state,
        extent: RwSignal::default(),
        unit: RwSignal::new(None),
        chosen: RwSignal::new(None),
        share: RwSignal::new(0.0),
        revision: RwSignal::new(0),
        problem: RwSignal::new(None),
    };
    shown.follow();
    view! {
        <Bar shown />
        <Picture shown />
        <Chosen shown />
    }
}

#[component]
fn Picture(shown: Shown) -> impl IntoView {
    let (state, context, plane) = (shown.state, shown.state.context, shown.state.plane);
    let node = NodeRef::<leptos::html::Div>::new();
    let tooltips = tooltips();
    context.offer_picture(crate::views::lifetimes::page::VIEW.id, move || {
        vec![(shown.frame().frame(), shown.extent.get().size)]
    });
    let frame = Signal::derive(move || Some(shown.frame().frame()));
    let alt = Signal::derive(move || state.drawn.with(|note| note.alt.clone()));
    let is_drawn = RwSignal::new(false);
    let on_note = Callback::new(move |note| {
        if let Some(note) = AddressFrame::noted(note) {
            state.drawn.set(note);
            is_drawn.set(true);
        }
    });
    let asking = OneAtATime::<(Point, Point)>::default();
    let moved = move |event: PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        let Meaning::At(_) = plane.moved(&event) else { return };
        asking.ask(places(&event, &node), move |(window, at)| async move {
            match shown.under(at).await {
                Reply::Under(Some(words)) => tooltips.show(window, tip_of(&words)),
                Reply::Life(life) => tooltips.show(window, tip_of(&life.words)),
                _ => tooltips.hide(),
            }
        });
    };
    let clicks = Latest::default();
    let up = move |event: PointerEvent| {
        if let Meaning::At(at) = plane.up(&event) {
            clicks.ask(shown.under(at), move |reply| {
                shown.chosen.try_set(if let Reply::Life(life) = reply { Some(*life) } else { None });
            });
        }
    };
    let hide = move || {
        asking.forget();
        tooltips.hide();
    };
    let key = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        hide();
        if event.key() == "Escape" && shown.chosen.with_untracked(Option::is_some) {
            shown.chosen.set(None);
        } else if !plane.key(&event) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let empty = move || {
        let words = match shown.problem.get() {
            Some(why) => Some(why),
            None if state.drawn.with(|note| note.alt.is_empty())
                && is_drawn.get()
                && 1.0 <= shown.share.get() =>
            {
                Some(context.tr(phrase("No accesses at this level of this kernel.")).to_owned())
            }
            None => None,
        };
        words.map(|words| view! { <p class="lifetimes__empty">{words}</p> })
    };
    view! {
        <div
            class="lifetimes__picture lifetimes__plane"
            class:accesses__picture--moving=move || plane.is_moving()
            node_ref=node
            tabindex="0"
            on:keydown=key
            on:wheel=move |event| { plane.wheel(&event); hide() }
            on:pointerdown=move |event| { if plane.down(&event, |_| false) { hide() } }
            on:pointermove=moved
            on:pointerup=up
            on:pointercancel=move |_| plane.cancel()
            on:pointerleave=move |_| hide()
            on:dblclick=move |_| plane.show_all()
        >
            <Surface context class="lifetimes__surface" frame on_note alt extent=shown.extent />
            <ZoomArea plane />
            {empty}
        </div>
    }
}

/// The kernel, what is drawn, the legend; which level and unit.
#[component]
fn Bar(shown: Shown) -> impl IntoView {
    let (state, context) = (shown.state, shown.state.context);
    let about = move || match shown.share.get() {
        share if share < 1.0 => {
            let n = format!("{:.0}", share * 100.0);
            fill(context.tr(phrase("Reading accesses: {n} %")), &[("n", &n)])
        }
        _ => state.drawn.with(|note| note.about.clone()),
    };
    let legend = move || {
        let key = |(color, words): (u32, String)| {
            view! { <span><i class="lifetimes__swatch" style:background=format!("#{color:08x}")></i>{words}</span> }
        };
        state.drawn.with(|note| note.legend.clone()).into_iter().map(key).collect_view()
    };
    let levels = Signal::derive(move || {
        let names = state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
        names.into_iter().enumerate().map(|(at, name)| (at.to_string(), name)).collect::<Vec<_>>()
    });
    let level = Signal::derive(move || shown.level().to_string());
    let choose_level = Callback::new(move |id: String| {
        shown.unit.set(None);
        state.level.set(id.parse().unwrap_or(0));
    });
    let units = Signal::derive(move || {
        let at = shown.level();
        let level = state.of(|head| head.levels.get(at).cloned()).filter(|level| !level.is_private);
        let Some(level) = level.filter(|level| 1 < level.units.len()) else { return Vec::new() };
        let all = fill(context.tr(phrase("all {unit}s")), &[("unit", &level.unit)]);
        let one = |n: &u32| (n.to_string(), format!("{} {n}", level.unit));
        std::iter::once((String::new(), all))
            .chain(level.units.iter().take(UNITS).map(one))
            .collect::<Vec<_>>()
    });
    let unit = Signal::derive(move || shown.unit.get().map(|n| n.to_string()).unwrap_or_default());
    let choose_unit = Callback::new(move |id: String| shown.unit.set(id.parse().ok()));
    view! {
        <div class="lifetimes__bar">
            <span class="lifetimes__about">{move || state.drawn.with(|note| note.kernel.clone())}</span>
            <span class="lifetimes__about lifetimes__what" role="status">{about}</span>
            <span class="lifetimes__gap"></span>
            <span class="lifetimes__legend" aria-hidden="true">{legend}</span>
            <Show when=move || units.with(|units| !units.is_empty())>
                <SelectField label=context.word(phrase("Unit")) options=units value=unit on_choose=choose_unit />
            </Show>
            <Segmented label=context.word(phrase("Level")) options=levels value=level on_choose=choose_level small=true />
            <button class="button button--text" type="button" on:click=move |_| state.plane.show_all()>
                {context.word(phrase("Zoom to fit"))}
            </button>
        </div>
    }
}

/// The chosen lifetime.
#[component]
fn Chosen(shown: Shown) -> impl IntoView {
    move || {
        shown.chosen.get().map(|life| {
            let mut lines = life.words.lines();
            let address = lines.next().unwrap_or_default().to_owned();
            let fact = |line: &str| {
                let (label, value) = line.split_once('\t').unwrap_or_default();
                view! { <span>{label.to_owned()} " " <b>{value.to_owned()}</b></span> }
            };
            let facts = lines.map(fact).collect_view();
            view! { <p class="lifetimes__life" role="status"><b class="lifetimes__address">{address}</b>{facts}</p> }
        })
    }
}
