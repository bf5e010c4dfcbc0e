//! Edits of devices: made on the picture and in the table, kept as a parameter.

use crate::views::lifetimes::compute::parameters::DEVICES;
use crate::views::lifetimes::compute::{Devices, Retention};
use crate::views::lifetimes::page::state::State;
use leptos::prelude::*;

impl State {
    /// Sets the retention of a device; not kept before [`State::keep_devices`].
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

    /// Whether anything of the devices was edited.
    pub(in crate::views::lifetimes::page) fn are_devices_edited(self) -> bool {
        self.devices.with(|devices| self.origin.with_value(|origin| origin != devices))
    }

    /// Gives all devices back what they had before edits.
    pub(in crate::views::lifetimes::page) fn restore_devices(self) {
        self.devices.set(self.origin.get_value());
        self.context.values.update(|values| drop(values.remove(DEVICES.id)));
        self.written.set_value(String::new());
        self.context.send_values();
    }

    /// Keeps the devices as the parameter, so that exports and the address have them.
    pub(in crate::views::lifetimes::page) fn keep_devices(self) {
        let text = self.devices.with_untracked(Devices::to_json);
        if self.context.values.with_untracked(|values| values.get(DEVICES.id) == Some(&text)) {
            return;
        }
        self.written.set_value(text.clone());
        self.context.values.update(|values| drop(values.insert(DEVICES.id.to_owned(), text)));
        self.context.send_values();
    }
}
