//! Constants of devices, edited in place and in a dialog. They are kept as the parameter of devices, so exports and the
//! address have them.

use crate::base::words::{fill, phrase};
use crate::ui::overlay::dialog::Dialog;
use crate::views::lifetimes::compute::{Device, Retention};
use crate::views::lifetimes::page::state::State;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A number that is edited in place; empty is none. Enter and leaving it count, Escape takes back.
#[component]
pub(super) fn Number(
    /// Its value.
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
pub(super) fn Editor(state: State) -> impl IntoView {
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
        let label = context.tr(phrase("Share of the array that cells fill, %")).to_owned();
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
            let words = context.tr(phrase("Without all constants of energy: {devices}"));
            view! { <p class="lifetimes__note">{fill(words, &[("devices", &names.join(", "))])}</p> }
        })
    };
    view! {
        <Dialog title=context.word(phrase("Constants of devices")) on_close=Callback::new(move |()| state.is_editing.set(false))>
            <table class="lifetimes__device-table lifetimes__constants">
                <thead><tr><th scope="col">{context.word(phrase("Device"))}</th>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
            {share}
            {missing}
            <p class="lifetimes__note">{context.word(phrase("An empty retention is never refreshed; an empty energy is not known."))}</p>
        </Dialog>
    }
}
