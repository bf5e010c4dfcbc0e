//! The table of devices: area, refreshes and energy at each level, with the difference to the reference.

use super::state::LifetimesState;
use crate::base::number::{MISSING, fixed};
use crate::base::order;
use crate::base::words::{fill, phrase};
use crate::ui::overlay::Dialog;
use crate::views::lifetimes::compute::parameters::DEVICES;
use crate::views::lifetimes::compute::{Device, DeviceFigures, Devices, Retention, defaults};
use crate::views::lifetimes::scene::{self as draw, bytes};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Energy bars end at so many times the reference.
const MOST: f64 = 2.0;

/// The name of a level.
pub(super) fn level_name(state: LifetimesState, level: usize) -> String {
    state.of(|head| head.levels.get(level).map_or(String::new(), |level| level.name.clone()))
}

/// How much memory is counted of a level, area as well as refreshes: `all 46 SMs, 120 KiB each`, `one SM, 120 KiB`.
pub(super) fn scope(state: LifetimesState, level: usize) -> String {
    let context = state.context;
    let unit = state
        .of(|head| head.levels.get(level).filter(|level| level.is_private).map(|level| level.unit.clone()));
    let (size, copies) = state
        .held
        .with(|held| held.0.levels.get(level).map_or((0, 1), |level| (level.told.bytes, level.told.copies)));
    let is_of_all = 1 < copies;
    let words = match &unit {
        Some(_) if is_of_all => state.all_units(level),
        Some(unit) if state.is_mean(level) => {
            fill(context.tr(phrase("mean over {unit}s")), &[("unit", unit)])
        }
        Some(unit) => fill(context.tr(phrase("one {unit}")), &[("unit", unit)]),
        None => context.tr(phrase("whole")).to_owned(),
    };
    if size == 0 {
        return words;
    }
    let each = if is_of_all { phrase("{scope}, {size} each") } else { phrase("{scope}, {size}") };
    fill(context.tr(each), &[("scope", &words), ("size", &bytes(size))])
}

/// What stands in the cells of a level.
#[derive(Clone, Debug, Default, PartialEq)]
struct Cells {
    area: Option<f64>,
    refreshes: Option<f64>,
    /// Energy of accesses and of refreshes in fJ.
    energy: Option<(f64, f64)>,
}

impl Cells {
    fn of(figures: &DeviceFigures, level: &super::Figures) -> Self {
        let has_lengths = 0 < level.lifetimes;
        Self {
            area: Some(figures.area_um2).filter(|area| 0.0 < *area),
            refreshes: has_lengths.then_some(figures.refreshes),
            energy: figures
                .read_fj
                .zip(figures.write_fj)
                .zip(figures.refresh_fj)
                .map(|((read, write), refresh)| (read + write, refresh))
                .filter(|_| has_lengths),
        }
    }

    fn energy(&self) -> Option<f64> {
        self.energy.map(|(access, refresh)| access + refresh)
    }
}

/// The difference to the reference, with sign and color.
fn difference(own: Option<f64>, reference: Option<f64>) -> impl IntoView {
    let by = own.zip(reference.filter(|reference| 0.0 < *reference)).map(|(own, base)| own / base - 1.0);
    by.map(|by| {
        let (words, is_less) = draw::difference(1.0 + by);
        let class = match is_less {
            Some(true) => "lifetimes__by lifetimes__by--better",
            Some(false) => "lifetimes__by lifetimes__by--worse",
            None => "lifetimes__by",
        };
        view! { <span class=class>{words}</span> }
    })
}

/// The table with its head.
#[component]
pub(super) fn DeviceTable(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let has_energy = Memo::new(move |_| {
        state.devices.with(|devices| {
            devices.devices.iter().any(|device| device.read_fj.is_some() || device.write_fj.is_some())
        })
    });
    let about = move || {
        let share = state.devices.with(|devices| fixed(devices.array_efficiency * 100.0, 0));
        let words = if has_energy.get() {
            phrase("cells take {share} % of the array area; energy of all accesses and refreshes")
        } else {
            phrase("cells take {share} % of the array area; no energy constants known")
        };
        fill(context.tr(words), &[("share", &share)])
    };
    let reset = move || {
        state.are_devices_edited().then(|| {
            view! {
                <button class="button button--text" type="button" on:click=move |_| state.restore_devices()>
                    {context.word(phrase("Reset"))}
                </button>
            }
        })
    };
    view! {
        <section class="lifetimes__devices" class:lifetimes__devices--energy=move || has_energy.get() aria-label=context.word(phrase("Memory devices"))>
            <header class="lifetimes__bar">
                <h2 class="figure__title">{context.word(phrase("Memory devices"))}</h2>
                <span class="lifetimes__about" data-tip=about>{about}</span>
                <span class="lifetimes__gap"></span>
                <span class="lifetimes__legend" aria-hidden="true">
                    <Show when=move || has_energy.get()>
                        <span class="lifetimes__wide"><i class="lifetimes__swatch lifetimes__swatch--access"></i>{context.word(phrase("access energy"))}</span>
                        <span class="lifetimes__wide"><i class="lifetimes__swatch lifetimes__swatch--refresh"></i>{context.word(phrase("refresh energy"))}</span>
                    </Show>
                    <span class="lifetimes__by--better">{context.word(phrase("− less"))}</span>
                    <span class="lifetimes__by--worse">{context.word(phrase("+ more than the reference"))}</span>
                </span>
                {reset}
                <button class="button lifetimes__edit-all" type="button" on:click=move |_| state.is_editing.set(true)>
                    {context.word(phrase("Edit…"))}
                </button>
            </header>
            <div class="lifetimes__device-scroll"><Table state has_energy /></div>
            <Show when=move || state.is_editing.get()><Editor state /></Show>
        </section>
    }
}

#[component]
fn Table(state: LifetimesState, has_energy: Memo<bool>) -> impl IntoView {
    let context = state.context;
    let levels = Memo::new(move |_| state.of(|head| head.levels.len()));
    let groups = move || {
        let n = if has_energy.get() { "4" } else { "2" };
        let group = |at: usize| {
            view! { <th class="lifetimes__group" colspan=n><b>{level_name(state, at)}</b> " " {scope(state, at)}</th> }
        };
        (0..levels.get()).map(group).collect_view()
    };
    let word = move |words: &'static str| context.tr(words).to_owned();
    let heads = move || {
        let has_energy = has_energy.get();
        let head = |_| {
            view! {
                <th class="lifetimes__number lifetimes__with-by" scope="col">{word(phrase("Area mm²"))}</th>
                <th class="lifetimes__number" scope="col">{word(phrase("Refreshes"))}</th>
                {has_energy.then(|| view! {
                    <th class="lifetimes__number lifetimes__with-by" scope="col">{word(phrase("Energy µJ"))}</th>
                    <td class="lifetimes__energy-head"></td>
                })}
            }
        };
        (0..levels.get()).map(head).collect_view()
    };
    let n_devices = Memo::new(move |_| state.devices.with(|devices| devices.devices.len()));
    // The reference stands first, then the order of the file.
    let order = Memo::new(move |_| {
        let mut rows: Vec<usize> = (0..n_devices.get()).collect();
        state.devices.with(|devices| {
            order::sort_by_key(&mut rows, |row| {
                devices.devices.get(*row).is_none_or(|device| !device.is_reference)
            });
        });
        rows
    });
    view! {
        <table class="lifetimes__device-table">
            <thead>
                <tr><td colspan="3"></td>{groups}</tr>
                <tr>
                    <th scope="col">{context.word(phrase("Memory device"))}</th>
                    <th class="lifetimes__number" scope="col">{context.word(phrase("Cell µm²/bit"))}</th>
                    <th class="lifetimes__number" scope="col">{context.word(phrase("Retention µs"))}</th>
                    {heads}
                </tr>
            </thead>
            <tbody>
                <For each=move || order.get() key=|row| *row let(row)><DeviceRow state row has_energy /></For>
                <MixRow state has_energy />
            </tbody>
        </table>
    }
}

#[component]
fn DeviceRow(state: LifetimesState, row: usize, has_energy: Memo<bool>) -> impl IntoView {
    let device = Memo::new(move |_| {
        state.devices.with(|devices| devices.devices.get(row).cloned().unwrap_or_default())
    });
    let cell = move || fixed(device.with(|device| device.cell_um2), 5);
    let retention = move || {
        let never = || {
            view! { <span class="lifetimes__missing">{state.context.tr(phrase("never")).to_owned()}</span> }
                .into_any()
        };
        match device.with(|device| device.retention.clone()) {
            Retention::Never => never(),
            Retention::Micros(micros) => {
                let label = device.with_untracked(|device| device.name.clone());
                let set = Callback::new(move |value: Option<f64>| {
                    if let Some(micros) = value.filter(|micros| 0.0 < *micros) {
                        state.set_retention(row, micros);
                        state.keep_devices();
                    }
                });
                view! { <Number value=Some(micros) label set /> }.into_any()
            }
            Retention::ByFrequency(_) => {
                let own = state
                    .lines
                    .with(|lines| lines.iter().find(|(own, _)| *own == row).map(|(_, line)| line.micros));
                own.map_or_else(never, |micros| view! { <span>"≈ " {fixed(micros, 1)}</span> }.into_any())
            }
        }
    };
    let cells = move || {
        let figures = state.figures.get();
        let reference = state
            .devices
            .with(|devices| devices.devices.iter().position(|own| own.is_reference))
            .unwrap_or(0);
        let is_reference = row == reference;
        let level = |level: &super::Figures| {
            let cells = |row: usize| level.devices.get(row).map(|own| Cells::of(own, level));
            let (own, base) = (cells(row).unwrap_or_default(), cells(reference).unwrap_or_default());
            level_cells(own, base, is_reference, has_energy.get())
        };
        figures.iter().map(level).collect_view()
    };
    view! {
        <tr>
            <td><i class="lifetimes__swatch" style:background=move || state.color(row)></i>{move || device.with(|device| state.context.tr(&device.name).to_owned())}</td>
            <td class="lifetimes__number">{cell}</td>
            <td class="lifetimes__number">{retention}</td>
            {cells}
        </tr>
    }
}

/// The mix below the devices.
#[component]
fn MixRow(state: LifetimesState, has_energy: Memo<bool>) -> impl IntoView {
    let context = state.context;
    let cells = move || {
        let figures = state.figures.get();
        let reference = state
            .devices
            .with(|devices| devices.devices.iter().position(|own| own.is_reference))
            .unwrap_or(0);
        let level = |level: &super::Figures| {
            let base = level.devices.get(reference).map(|own| Cells::of(own, level)).unwrap_or_default();
            let own = level.of_mix(reference).filter(|_| 0 < level.lifetimes);
            let own = own.map(|(area, energy)| Cells {
                area: Some(area).filter(|area| 0.0 < *area),
                refreshes: Some(0.0),
                energy: energy.map(|energy| (energy, 0.0)),
            });
            level_cells(own.unwrap_or_default(), base, false, has_energy.get())
        };
        figures.iter().map(level).collect_view()
    };
    view! {
        <tr class="lifetimes__mix-row">
            <td colspan="3">{context.word(phrase("Mix"))} " " <small>{context.word(phrase("for each lifetime the densest memory that holds it without refresh; area weighted by lifetime"))}</small></td>
            {cells}
        </tr>
    }
}

fn level_cells(own: Cells, base: Cells, is_reference: bool, has_energy: bool) -> impl IntoView {
    let area = own.area.map_or(MISSING.to_owned(), |area| {
        let mm2 = area / 1e6;
        fixed(mm2, if mm2 < 10.0 { 3 } else { 1 })
    });
    let refreshes = own.refreshes.map_or(MISSING.to_owned(), |n| fixed(n, usize::from(n.fract() != 0.0)));
    let is_quiet = own.refreshes.is_none_or(|n| n == 0.0);
    let energy = own.energy().map_or(MISSING.to_owned(), draw::microjoules);
    let base_energy = base.energy();
    let by = move |own: Option<f64>, base: Option<f64>| {
        let by = (!is_reference).then(|| difference(own, base));
        view! { <span class="lifetimes__by-room">{by}</span> }
    };
    view! {
        <td class="lifetimes__number">{area}{by(own.area, base.area)}</td>
        <td class="lifetimes__number" class:lifetimes__missing=is_quiet>{refreshes}</td>
        {has_energy.then(|| view! {
            <td class="lifetimes__number">{energy}{by(own.energy(), base_energy)}</td>
            <td class="lifetimes__energy-cell">{own.energy.zip(base_energy).map(|(parts, base)| bar(parts, base))}</td>
        })}
    }
}

/// A bar that ends at twice the reference; a cut shows what goes beyond.
fn bar((access, refresh): (f64, f64), base: f64) -> impl IntoView {
    let most = (MOST * base).max(f64::MIN_POSITIVE);
    let place = move |value: f64| (value / most * 100.0).clamp(0.0, 100.0);
    let (end, all) = (place(access), place(access + refresh));
    let is_beyond = most < access + refresh;
    view! {
        <span class="lifetimes__energy" aria-hidden="true">
            <i class="lifetimes__energy-access" style:width=format!("{end:.2}%")></i>
            <i class="lifetimes__energy-refresh" style:width=format!("{:.2}%", all - end)></i>
            {is_beyond.then(|| view! { <i class="lifetimes__energy-cut"></i> })}
            <i class="lifetimes__energy-reference"></i>
        </span>
    }
}

// Edits of devices: made on the picture and in the table, kept as a parameter.

impl LifetimesState {
    /// Sets the retention of a device; not kept before [`LifetimesState::keep_devices`].
    pub(in crate::views::lifetimes::page) fn set_retention(self, device: usize, micros: f64) {
        let micros = micros.clamp(1e-4, 1e9);
        let shown = self.lines.with_untracked(|lines| {
            lines.iter().find(|(own, _)| *own == device).map_or(micros, |(_, line)| line.micros)
        });
        self.devices.update(|devices| {
            let Some(device) = devices.devices.get_mut(device) else { return };
            match &mut device.retention {
                Retention::Never => {}
                Retention::Micros(own) => *own = micros,
                // The whole curve moves with the point that is seen.
                Retention::ByFrequency(points) => {
                    for (_, own) in points {
                        *own *= micros / shown;
                    }
                }
            }
        });
    }

    /// Changes a device.
    pub(in crate::views::lifetimes::page) fn edit_devices(self, change: impl FnOnce(&mut Devices)) {
        self.devices.update(change);
        self.keep_devices();
    }

    /// Gives a device the retention back that it had before edits.
    pub(in crate::views::lifetimes::page) fn restore_retention(self, device: usize) {
        let origin = self.origin.with_value(|origin| origin.devices.get(device).cloned());
        let Some(origin) = origin else { return };
        self.devices.update(|devices| {
            if let Some(own) = devices.devices.get_mut(device) {
                own.retention = origin.retention;
            }
        });
        self.keep_devices();
    }

    /// Whether the devices are others than those that stand when nobody sets any, also by a link.
    pub(in crate::views::lifetimes::page) fn are_devices_edited(self) -> bool {
        self.devices.with(|devices| !devices.devices.is_empty() && *devices != defaults())
    }

    /// Shows the devices that stand when nobody sets any.
    pub(in crate::views::lifetimes::page) fn restore_devices(self) {
        self.devices.set(defaults());
        self.written.set_value(String::new());
        self.context.set_value(DEVICES.id, String::new());
    }

    /// Keeps the devices as the parameter, so that exports and the address have them.
    pub(in crate::views::lifetimes::page) fn keep_devices(self) {
        let text = self.devices.with_untracked(Devices::to_json);
        if self.context.values.with_untracked(|values| values.get(DEVICES.id) == Some(&text)) {
            return;
        }
        self.written.set_value(text.clone());
        self.context.set_value(DEVICES.id, text);
    }
}

// Constants of devices, edited in place and in a dialog. They are kept as the parameter of devices, so exports and the
// address have them.

/// A number that is edited in place; empty is none. Enter and leaving it count, Escape takes back.
#[component]
fn Number(
    value: Option<f64>,
    /// What it is, for screen readers.
    label: String,
    /// Told the new one; not told what is no number of at least 0.
    set: Callback<Option<f64>>,
) -> impl IntoView {
    let shown = StoredValue::new(value.map(|value| value.to_string()).unwrap_or_default());
    let field = |event: &web_sys::Event| {
        event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok())
    };
    let back = move |event: &web_sys::Event| {
        if let Some(field) = field(event) {
            field.set_value(&shown.get_value());
        }
    };
    let change = move |event: leptos::ev::Event| {
        let typed = event_target_value(&event).replace([',', ' '], "");
        match typed.parse::<f64>().ok().filter(|value| value.is_finite() && 0.0 <= *value) {
            Some(value) => set.run(Some(value)),
            None if typed.is_empty() => {
                set.run(None);
                back(&event);
            }
            None => back(&event),
        }
    };
    let key = move |event: KeyboardEvent| {
        event.stop_propagation();
        if matches!(event.key().as_str(), "Escape" | "Enter") {
            if event.key() == "Escape" {
                event.prevent_default();
                back(&event);
            }
            if let Some(field) = field(&event) {
                let _ = field.blur();
            }
        }
    };
    view! {
        <input
            class="lifetimes__edit"
            type="text"
            inputmode="decimal"
            autocomplete="off"
            spellcheck="false"
            aria-label=label
            prop:value=shown.get_value()
            on:change=change
            on:keydown=key
        />
    }
}

/// A constant of a device: how it is read, how it is set.
type Constant = (&'static str, fn(&Device) -> Option<f64>, fn(&mut Device, Option<f64>));

const CONSTANTS: [Constant; 5] = [
    (
        phrase("Cell µm²/bit"),
        |device| Some(device.cell_um2),
        |device, value| device.cell_um2 = value.unwrap_or(device.cell_um2),
    ),
    (
        phrase("Retention µs"),
        |device| match &device.retention {
            Retention::Micros(micros) => Some(*micros),
            _ => None,
        },
        |device, value| {
            device.retention =
                value.filter(|micros| 0.0 < *micros).map_or(Retention::Never, Retention::Micros);
        },
    ),
    (phrase("Read fJ/bit"), |device| device.read_fj, |device, value| device.read_fj = value),
    (phrase("Write fJ/bit"), |device| device.write_fj, |device, value| device.write_fj = value),
    (phrase("Refresh fJ/bit"), |device| device.refresh_fj, |device, value| device.refresh_fj = value),
];

/// All constants of all devices.
#[component]
fn Editor(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let heads = CONSTANTS
        .map(|(words, ..)| view! { <th class="lifetimes__number" scope="col">{context.word(words)}</th> });
    let rows = move || {
        // Made once: fields that are made anew would lose the focus.
        let devices = state.devices.get_untracked();
        let row = |(row, device): (usize, Device)| {
            let cells = CONSTANTS.map(|(words, read, write)| {
                let label = format!("{} {}", device.name, context.tr(words));
                let set = Callback::new(move |value: Option<f64>| {
                    state.edit_devices(|devices| {
                        if let Some(device) = devices.devices.get_mut(row) {
                            write(device, value);
                        }
                    });
                });
                view! { <td class="lifetimes__number"><Number value=read(&device) label set /></td> }
            });
            let name = device.name.clone();
            view! { <tr><th scope="row"><i class="lifetimes__swatch" style:background=state.color(row)></i>{name}</th>{cells}</tr> }
        };
        devices.devices.into_iter().enumerate().map(row).collect_view()
    };
    let share = move || {
        let share = state.devices.with(|devices| devices.array_efficiency * 100.0);
        let set = Callback::new(move |value: Option<f64>| {
            if let Some(percent) = value.filter(|percent| 0.0 < *percent && *percent <= 100.0) {
                state.edit_devices(|devices| devices.array_efficiency = percent / 100.0);
            }
        });
        let label = context.tr(phrase("Share of the array taken by cells, %")).to_owned();
        let share = (share * 1e6).round() / 1e6;
        view! { <label class="lifetimes__efficiency">{label.clone()} " " <Number value=Some(share) label set /></label> }
    };
    let missing = move || {
        let names = state.devices.with(|devices| {
            let lacks = |device: &&Device| {
                let needs_refresh = device.retention != Retention::Never;
                device.read_fj.is_none()
                    || device.write_fj.is_none()
                    || (needs_refresh && device.refresh_fj.is_none())
            };
            devices.devices.iter().filter(lacks).map(|device| device.name.clone()).collect::<Vec<_>>()
        });
        (!names.is_empty()).then(|| {
            let words = context.tr(phrase("Energy constants incomplete: {devices}"));
            view! { <p class="lifetimes__note">{fill(words, &[("devices", &names.join(", "))])}</p> }
        })
    };
    view! {
        <Dialog title=context.word(phrase("Device constants")) on_close=Callback::new(move |()| state.is_editing.set(false))>
            <table class="lifetimes__device-table lifetimes__constants">
                <thead><tr><th scope="col">{context.word(phrase("Memory device"))}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
            {share}
            {missing}
            <p class="lifetimes__note">{context.word(phrase("An empty retention means never refreshed; an empty energy means unknown."))}</p>
        </Dialog>
    }
}
