//! Lengths that the page holds, and what devices take for them.

use crate::pane::context::ViewContext;
use crate::views::lifetimes::compute::{Demand, Device, DeviceFigures, Devices, Distribution, Share};
use crate::views::lifetimes::messages::{Lengths, LevelLengths, LifetimesQuery, distribution};
use crate::wire::Ask;
use crate::wire::{Answer, unpack};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Lengths that the page holds.
#[derive(Default)]
pub(super) struct Held {
    pub(super) clock_mhz: f64,
    pub(super) levels: Vec<HeldLevel>,
}

/// The lengths of a level.
#[derive(Default)]
pub(super) struct HeldLevel {
    pub(super) demand: Demand,
    pub(super) reuses: Distribution,
    /// All the rest; the lengths are taken out.
    pub(super) told: LevelLengths,
}

/// Lengths that are equal only when they are the same.
#[derive(Clone, Default)]
pub(super) struct Shared(pub(super) Arc<Held>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What devices take for a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// In the order of the devices; areas are those of all units whose memories hold the data.
    pub(super) devices: Vec<DeviceFigures>,
    /// Lifetimes by the densest device that holds them.
    pub(super) mix: Vec<Share>,
    /// How many lifetimes there are that retentions can be held against.
    pub(super) lifetimes: u64,
}

impl Figures {
    /// The shares of the mix: row of the device, 0 to 1.
    pub(super) fn shares(&self) -> impl Iterator<Item = (usize, f64)> {
        let all = self.lifetimes.max(1) as f64;
        self.mix.iter().map(move |share| (share.device, share.lifetimes as f64 / all))
    }

    /// What the mix takes: area in µm², energy of accesses in fJ where all of its devices have constants.
    pub(super) fn of_mix(&self) -> Option<(f64, Option<f64>)> {
        if self.mix.is_empty() {
            return None;
        }
        let own = || self.shares().filter_map(|(row, share)| Some((self.devices.get(row)?, share)));
        let area = own().map(|(device, share)| device.area_um2 * share).sum::<f64>();
        let energy = own().map(|(device, share)| Some((device.read_fj? + device.write_fj?) * share)).sum();
        Some((area, energy))
    }
}

/// What devices take for each level.
pub(super) fn figures(devices: &Devices, held: &Held) -> Vec<Figures> {
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
        }
    };
    held.levels.iter().map(of_level).collect()
}

/// Asks for lengths and makes them ready to be asked.
pub(super) async fn lengths(context: ViewContext, ask: LifetimesQuery) -> Option<Held> {
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
