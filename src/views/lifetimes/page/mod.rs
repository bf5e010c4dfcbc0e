//! How long data live in each cache, and which memory cells would hold them: histograms with the retention of devices as
//! lines, what each device would take, and the kernels behind.
//!
//! The page holds the lengths of what is shown, so lines can be dragged and everything follows in the same frame. A line
//! is dragged, or moved by the arrow keys once it has the focus; a double click types its value, Escape restores it. A
//! chosen kernel is what everything above the table is of; Escape gives all back.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod addresses;
mod baseline;
mod devices;
mod kernels;
mod lines;
mod panels;
mod picture;
mod side;
mod state;

use crate::base::geometry::Point;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::model::parameter::AnalysisHead;
use crate::pane::context::ViewContext;
use crate::pane::figure::{places, tip_of};
use crate::pane::{Surface, ViewSpec};
use crate::ui::field::{Segmented, SelectField};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::{Dialog, tooltips};
use crate::ui::{Extent, OneAtATime, screen_size, tabs};
use crate::views::details::page::parameters::ParameterField;
use crate::views::lifetimes::compute::parameters::{CLOCK, FILL, L2_BYTES, LIFETIME, ORPHANS, REFILL, SCOPE};
use crate::views::lifetimes::compute::{
    Demand, Device, DeviceFigures, Devices, Distribution, Share, mixed_area,
};
use crate::views::lifetimes::messages::{
    Frame as HeatFrame, Heat, Lengths, LevelLengths, LifetimesQuery, Note as HeatNote, Reply, distribution,
};
use crate::wire::{Answer, Ask, Draw, unpack};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use state::{LifetimesState, Panel};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "lifetimes",
    title: phrase("Lifetimes"),
    question: "How long do data live in caches, and which memory cells would hold them?",
    can_show: |head| 0 < head.contents.lifetimes,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <LifetimesView context /> }.into_any()
}

/// Whether a key was pressed inside of what a selector names.
fn is_inside(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

#[component]
fn LifetimesView(context: ViewContext) -> impl IntoView {
    let state = LifetimesState::new(context);
    let root = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(root) = root.get() {
            let _ = root.focus();
        }
    });
    let key = move |event: KeyboardEvent| {
        let is_elsewhere = || is_inside(&event, "dialog, input, select");
        if event.ctrl_key() || event.meta_key() || event.alt_key() || is_elsewhere() {
            return;
        }
        let is_in_row = is_inside(&event, ".lifetimes__row");
        match event.key().as_str() {
            "Escape" if state.kernel.get_untracked().is_some() => state.kernel.set(None),
            "Home" | "End" if !is_in_row => return,
            key @ ("ArrowDown" | "ArrowUp" | "Home" | "End") => {
                let at = state.step_kernel(key).filter(|_| is_in_row);
                if let (Some(at), Some(root)) = (at, root.get_untracked()) {
                    kernels::focus_row(&root, at);
                }
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    // Built anew only when it is another one: a canvas whose surface went to the worker cannot give it away again.
    let panel = Memo::new(move |_| {
        let panel = state.panel.get();
        (panel, panel != Panel::Lengths || state.has_plots())
    });
    let upper = move || match panel.get() {
        (Panel::Lengths, false) => view! { <panels::NoAccesses state /> }.into_any(),
        (Panel::Addresses, _) => view! { <addresses::Addresses state /> }.into_any(),
        (Panel::Time, _) => view! { <Time state /> }.into_any(),
        _ => view! { <picture::Picture state /> }.into_any(),
    };
    let main = NodeRef::<leptos::html::Div>::new();
    let size = screen_size(main);
    view! {
        <div
            class="lifetimes"
            node_ref=root
            tabindex="0"
            role="group"
            aria-label=state.context.word(VIEW.title)
            data-keys
            on:keydown=key
        >
            <tabs::Tools view=VIEW.id><Tools state /></tabs::Tools>
            <div class="lifetimes__upper" class:lifetimes__upper--rows=move || 2 < state.lines.with(Vec::len)>
                <div
                    class="lifetimes__main"
                    node_ref=main
                    style:--drawn-w=move || size.get().map(|size| size.0)
                    style:--drawn-h=move || size.get().map(|size| size.1)
                >
                    <panels::Head state />
                    {upper}
                </div>
                <side::Side state />
            </div>
            <devices::DeviceTable state />
            <kernels::KernelTable state />
        </div>
    }
}

// Lengths that the page holds, and what devices take for them.

/// Lengths that the page holds.
#[derive(Default)]
struct Held {
    clock_mhz: f64,
    levels: Vec<HeldLevel>,
}

/// The lengths of a level.
#[derive(Default)]
struct HeldLevel {
    demand: Demand,
    reuses: Distribution,
    /// All the rest; the lengths are taken out.
    told: LevelLengths,
}

/// Lengths that are equal only when they are the same.
#[derive(Clone, Default)]
struct Shared(Arc<Held>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What devices take for a level.
#[derive(Clone, Debug, Default, PartialEq)]
struct Figures {
    /// In the order of the devices; areas are those of all units whose memories hold the data.
    devices: Vec<DeviceFigures>,
    /// Lifetimes by the densest device that holds them.
    mix: Vec<Share>,
    /// How many lifetimes there are that retentions can be held against.
    lifetimes: u64,
    /// The sum of their lengths in cycles.
    cycles: f64,
}

impl Figures {
    /// The shares of the mix: row of the device, 0 to 1.
    fn shares(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.lifetimes.max(1) as f64;
        self.mix.iter().map(move |share| (share.device, share.lifetimes as f64 / all))
    }

    /// What the mix takes: area in µm², energy of accesses in fJ where all of its devices have constants. Accesses are
    /// divided as lifetimes are, the area as the time that these take.
    fn of_mix(&self, reference: usize) -> Option<(f64, Option<f64>)> {
        if self.mix.is_empty() {
            return None;
        }
        let mut parts: Vec<_> = self.mix.iter().map(|own| (Some(own.device), own.cycles)).collect();
        if self.mix.iter().map(|own| own.lifetimes).sum::<u64>() < self.lifetimes {
            let taken: f64 = parts.iter().map(|(_, cycles)| cycles).sum();
            parts.push((None, self.cycles - taken));
        }
        let area_of = |row: Option<usize>| {
            self.devices.get(row.unwrap_or(reference)).map_or(0.0, |device| device.area_um2)
        };
        let area = mixed_area(&parts, area_of);
        let own = || self.shares().filter_map(|(row, share)| Some((self.devices.get(row)?, share)));
        let energy = own().map(|(device, share)| Some((device.read_fj? + device.write_fj?) * share)).sum();
        Some((area, energy))
    }
}

/// What devices take for each level.
fn figures(devices: &Devices, held: &Held) -> Vec<Figures> {
    let of_level = |level: &HeldLevel| {
        let of_device = |device: &Device| {
            let own = devices.figures(device, &level.demand);
            DeviceFigures { area_um2: level.demand.area_um2(&own), ..own }
        };
        Figures {
            devices: devices.devices.iter().map(of_device).collect(),
            mix: devices.mix(&level.demand),
            // Without a clock nobody knows what a retention holds.
            lifetimes: if 0.0 < held.clock_mhz { level.demand.lifetimes.count() } else { 0 },
            cycles: level.demand.lifetimes.sum() as f64,
        }
    };
    held.levels.iter().map(of_level).collect()
}

/// Asks for lengths and makes them ready to be asked.
async fn lengths(context: ViewContext, ask: LifetimesQuery) -> Option<Held> {
    let (answer, beside) = context.ask_whole(ask.query()).await;
    if answer != Answer::Packed {
        return None;
    }
    let bytes: js_sys::ArrayBuffer = beside?.dyn_into().ok()?;
    let told: Lengths = unpack(&js_sys::Uint8Array::new(&bytes).to_vec()).ok()?;
    let clock_mhz = told.clock_mhz;
    let level = |mut told: LevelLengths| {
        let (demand, reuses) = (told.demand(clock_mhz), distribution(&told.reuses));
        told.lengths = Vec::new();
        told.reuses = Vec::new();
        HeldLevel { demand, reuses, told }
    };
    Some(Held { clock_mhz, levels: told.levels.into_iter().map(level).collect() })
}

// Accesses of a kernel over time and units: accesses, misses or retries. The worker draws it.

const HEATS: [(Heat, &str, &str); 3] = [
    (Heat::Accesses, "accesses", phrase("Accesses")),
    (Heat::Misses, "misses", phrase("Miss share")),
    (Heat::Retries, "retries", phrase("Retries")),
];

/// The heat map.
#[component]
fn Time(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let (note, is_drawn) = (RwSignal::new(HeatNote::default()), RwSignal::new(false));
    let extent = RwSignal::new(Extent::default());
    let node = NodeRef::<leptos::html::Div>::new();
    let tooltips = tooltips();
    let level = Memo::new(move |_| {
        let n = state.of(|head| head.levels.len());
        state.level.get().min(n.saturating_sub(1))
    });
    let frame = move || HeatFrame {
        run: state.run.get(),
        kernel: state.kernel.get(),
        level: level.get() as u32,
        heat: state.heat.get(),
        clock_mhz: state.of(|head| head.clock_mhz),
    };
    context.offer_picture(VIEW.id, move || vec![(frame().frame(), extent.get().size)]);
    let shown = Signal::derive(move || Some(frame().frame()));
    let on_note = Callback::new(move |own| {
        if let Some(own) = HeatFrame::noted(own) {
            note.set(own);
            is_drawn.set(true);
        }
    });
    let asking = OneAtATime::<(Point, Point)>::default();
    let moved = move |event: leptos::ev::PointerEvent| {
        let Some(node) = node.get_untracked() else { return };
        asking.ask(places(&event, &node), move |(window, at)| async move {
            let size = extent.try_get_untracked().unwrap_or_default().size;
            let ask = LifetimesQuery::Under { frame: untrack(frame), size, at };
            match context.ask(ask).await {
                Some(Reply::Under(Some(words))) => tooltips.show(window, tip_of(&words)),
                _ => tooltips.hide(),
            }
        });
    };
    let leave = move |_| {
        asking.forget();
        tooltips.hide();
    };
    let is_empty = Memo::new(move |_| is_drawn.get() && note.with(|note| note.alt.is_empty()));
    view! {
        <HeatHead state note level=level />
        <div class="lifetimes__picture" node_ref=node on:pointermove=moved on:pointerleave=leave>
            <Surface context class="lifetimes__surface" frame=shown on_note alt=Signal::derive(move || note.with(|note| note.alt.clone())) extent />
            <Show when=move || is_empty.get()>
                <p class="lifetimes__empty">{context.word(phrase("No accesses by unit at this level of this kernel."))}</p>
            </Show>
        </div>
    }
}

/// Which kernel, level and count, and the legend.
#[component]
fn HeatHead(state: LifetimesState, note: RwSignal<HeatNote>, level: Memo<usize>) -> impl IntoView {
    let context = state.context;
    let levels = Signal::derive(move || {
        state.of(|head| {
            let name = |(at, level): (usize, &crate::views::lifetimes::messages::LevelHead)| {
                (at.to_string(), level.name.clone())
            };
            head.levels.iter().enumerate().map(name).collect::<Vec<_>>()
        })
    });
    let level = Signal::derive(move || level.get().to_string());
    let choose_level = Callback::new(move |id: String| state.level.set(id.parse().unwrap_or(0)));
    let heats = Signal::derive(move || {
        HEATS.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())).to_vec()
    });
    let heat = Signal::derive(move || {
        HEATS.iter().find(|(heat, ..)| *heat == state.heat.get()).map_or("", |(_, id, _)| id).to_owned()
    });
    let choose_heat = Callback::new(move |id: String| {
        let found = HEATS.iter().find(|(_, own, _)| *own == id);
        if let Some((heat, ..)) = found {
            state.heat.set(*heat);
        }
    });
    let stops = move || {
        let stop = |color: u32| view! { <i style:background=format!("#{color:08x}")></i> };
        note.with(|note| note.ramp.iter().map(|color| stop(*color)).collect_view())
    };
    view! {
        <div class="lifetimes__bar">
            <span class="lifetimes__about">{move || note.with(|note| note.kernel.clone())}</span>
            <span class="lifetimes__about lifetimes__what">{move || note.with(|note| note.about.clone())}</span>
            <span class="lifetimes__gap"></span>
            <span class="lifetimes__legend" aria-hidden="true">
                <span>"0"</span><span class="lifetimes__ramp">{stops}</span><span>{move || note.with(|note| note.most.clone())}</span>
            </span>
            <Segmented label=context.word(phrase("Level")) options=levels value=level on_choose=choose_level small=true />
            <Segmented label=context.word(phrase("Count")) options=heats value=heat on_choose=choose_heat small=true />
        </div>
    }
}

// The bar above the view: what a lifetime is, of which units, at which clock. What the files do not offer is not shown.

/// Units that are listed; others come from the address or the command line.
const UNITS: usize = 512;
/// The clock of published samples, in MHz.
const PUBLISHED: &str = "2235";

/// What has the parameter of an id.
fn owner(state: LifetimesState, id: &'static str) -> Memo<Option<AnalysisHead>> {
    Memo::new(move |_| {
        state.context.head.with(|head| {
            let has =
                |analysis: &&AnalysisHead| analysis.parameters.iter().any(|parameter| parameter.id == id);
            head.analyses.iter().find(has).cloned()
        })
    })
}

/// The control of a parameter, where there is one.
#[component]
fn Field(state: LifetimesState, id: &'static str) -> impl IntoView {
    let head = owner(state, id);
    let parameter = Memo::new(move |_| {
        head.with(|head| head.as_ref()?.parameters.iter().find(|own| own.id == id).cloned())
    });
    let known = Memo::new(move |_| parameter.with(Option::is_some));
    // The clock of the file stands where nothing was typed.
    let placeholder = Signal::derive(move || {
        (id == CLOCK.id).then(|| match state.of(|head| head.recorded_mhz) {
            Some(mhz) => thousands(mhz.round() as i64),
            None => state.context.tr(phrase("none")).to_owned(),
        })
    });
    move || {
        let parameter = if known.get() { parameter.get_untracked() } else { None };
        parameter.map(|parameter| {
            view! { <ParameterField context=state.context parameter head placeholder /> }
        })
    }
}

/// The tools.
#[component]
fn Tools(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let is_open = RwSignal::new(false);
    view! {
        <div class="lifetimes__tools">
            <Runs state />
            <Field state id=LIFETIME.id />
            <div class="lifetimes__refill"><Field state id=REFILL.id /></div>
            <Scope state />
            <Field state id=CLOCK.id />
            <button
                class="button button--plain"
                type="button"
                aria-label=context.word(phrase("More settings"))
                data-tip=context.word(phrase("More settings"))
                on:click=move |_| is_open.set(true)
            >
                <Icon glyph=Glyph::Filter />
            </button>
            <Show when=move || is_open.get()>
                <Dialog title=context.word(phrase("More settings")) on_close=Callback::new(move |()| is_open.set(false))>
                    <div class="lifetimes__settings">
                        <div class="lifetimes__refill lifetimes__refill--narrow"><Field state id=REFILL.id /></div>
                        <Field state id=FILL.id />
                        <Field state id=ORPHANS.id />
                        <Field state id=L2_BYTES.id />
                        <button class="button" type="button" on:click=move |_| state.context.set_value(CLOCK.id, PUBLISHED.to_owned())>
                            {context.word(phrase("Clock of published samples, 2,235 MHz"))}
                        </button>
                        <button class="button" type="button" on:click=move |_| state.context.set_value(CLOCK.id, String::new())>
                            {context.word(phrase("Clock of the file"))}
                        </button>
                    </div>
                </Dialog>
            </Show>
        </div>
    }
}

/// Which file, where several tell of lifetimes.
#[component]
fn Runs(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        state.of(|head| {
            let name = |(row, name): (usize, &String)| (row.to_string(), name.clone());
            head.runs.iter().enumerate().map(name).collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || state.run.get().to_string());
    let choose = Callback::new(move |id: String| {
        state.kernel.set(None);
        state.run.set(id.parse().unwrap_or(0));
    });
    view! {
        <Show when=move || options.with(|options| 1 < options.len())>
            <SelectField label=context.word(phrase("Run")) options value on_choose=choose />
        </Show>
    }
}

/// Which units of levels that have private ones.
#[component]
fn Scope(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let unit = Memo::new(move |_| {
        state.of(|head| {
            let level = head.levels.iter().find(|level| level.is_private)?;
            Some((level.unit.clone(), level.units.iter().copied().take(UNITS).collect::<Vec<_>>()))
        })
    });
    let value = Signal::derive(move || state.of(|head| head.scope.clone()));
    let options = Signal::derive(move || {
        let Some((name, numbers)) = unit.get() else { return Vec::new() };
        let title = |words: &'static str| fill(context.tr(words), &[("unit", &name)]);
        let mut options = vec![
            ("total".to_owned(), title(phrase("all {unit}s"))),
            ("busiest".to_owned(), title(phrase("busiest {unit}"))),
            ("mean".to_owned(), title(phrase("mean over {unit}s"))),
        ];
        options.extend(numbers.iter().map(|n| (format!("sm:{n}"), format!("{name} {n}"))));
        let own = value.get();
        if !own.is_empty() && options.iter().all(|(id, _)| *id != own) {
            options.push((own.clone(), own));
        }
        options
    });
    let choose = Callback::new(move |id: String| {
        state.context.set_value(SCOPE.id, if id == "total" { String::new() } else { id });
    });
    view! {
        <Show when=move || unit.with(|unit| unit.as_ref().is_some_and(|(_, numbers)| !numbers.is_empty()))>
            <SelectField label=context.word(phrase("Scope")) options value on_choose=choose />
        </Show>
    }
}
