//! What the parts share: what there is, the lengths that are held, the devices with their edits, and what is chosen.

use super::baseline::{self, Other};
use super::kernels::Column;
use super::{Figures, Held, Shared, figures, lengths};
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::pane::context::ViewContext;
use crate::pane::plane::{Plane, parse_window, window_text};
use crate::scene::palette::Ink;
use crate::ui::{Extent, follow};
use crate::views::lifetimes::compute::Devices;
use crate::views::lifetimes::compute::parameters::{ALL, DEVICES};
use crate::views::lifetimes::messages::{AddressNote, Head, Heat, LifetimesQuery, Reply};
use crate::views::lifetimes::scene::{Line, ink_of, retention_lines};
use leptos::prelude::*;
use std::sync::Arc;

/// What the upper part shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Panel {
    /// How many lifetimes of each length.
    #[default]
    Lengths,
    /// Accesses over time and units.
    Time,
    /// Accesses over time and addresses.
    Addresses,
    /// Kernels by rate of writes and length.
    Rates,
    /// Devices beside each other.
    Devices,
    /// What is never used again, and how often others are.
    Reuse,
}

impl Panel {
    /// All of them, with the names that they have in addresses.
    pub(super) const ALL: [(Self, &'static str); 6] = [
        (Self::Lengths, "lengths"),
        (Self::Time, "time"),
        (Self::Addresses, "addresses"),
        (Self::Rates, "rates"),
        (Self::Devices, "devices"),
        (Self::Reuse, "reuse"),
    ];

    pub(super) fn id(self) -> &'static str {
        Self::ALL.iter().find(|(own, _)| *own == self).map_or("", |(_, id)| id)
    }

    pub(super) fn of(id: &str) -> Self {
        Self::ALL.iter().find(|(_, own)| *own == id).map_or(Self::Lengths, |(own, _)| *own)
    }
}

/// What the table of kernels shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Table {
    /// The main columns.
    #[default]
    Short,
    Whole,
    /// Kernel by kernel how they differ from those of the baseline.
    Compared,
}

impl Table {
    /// All of them, with the names that they have in addresses.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Short, "short"), (Self::Whole, "all"), (Self::Compared, "compared")];

    pub(super) fn id(self) -> &'static str {
        Self::ALL.iter().find(|(own, _)| *own == self).map_or("", |(_, id)| id)
    }

    pub(super) fn of(id: &str) -> Self {
        Self::ALL.iter().find(|(_, own)| *own == id).map_or(Self::Short, |(own, _)| *own)
    }
}

/// How kernels are ordered: the column, and whether the largest come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) column: Column,
    pub(super) is_down: bool,
}

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct LifetimesState {
    pub(super) context: ViewContext,
    pub(super) run: RwSignal<u32>,
    pub(super) head: RwSignal<Option<Arc<Head>>>,
    /// Lengths of all kernels.
    all: RwSignal<Arc<Held>>,
    /// Lengths of the chosen kernel.
    one: RwSignal<Option<(u32, Arc<Held>)>>,
    pub(super) held: Memo<Shared>,
    /// What is held of the run that this one is compared with.
    pub(super) baseline: RwSignal<Option<Other>>,
    /// The chosen kernel, which is what everything above the table is of.
    pub(super) kernel: RwSignal<Option<u32>>,
    pub(super) panel: RwSignal<Panel>,
    /// The devices as they are shown, with what is being dragged.
    pub(super) devices: RwSignal<Devices>,
    /// The devices before edits of this view.
    pub(super) origin: StoredValue<Devices>,
    /// What this view wrote into the parameter last.
    pub(super) written: StoredValue<String>,
    /// Retentions as lines, the shortest first, each with the row of its device.
    pub(super) lines: Memo<Vec<(usize, Line)>>,
    /// What devices take for each level.
    pub(super) figures: Memo<Arc<Vec<Figures>>>,
    /// The only level that is shown where there is no room for more.
    pub(super) level: RwSignal<usize>,
    /// What the heat map counts.
    pub(super) heat: RwSignal<Heat>,
    /// What was drawn last of addresses, and what is seen of them.
    pub(super) drawn: RwSignal<AddressNote>,
    pub(super) plane: Plane,
    pub(super) order: RwSignal<Order>,
    /// What the table of kernels shows.
    pub(super) table: RwSignal<Table>,
    pub(super) is_editing: RwSignal<bool>,
    pub(super) extent: RwSignal<Extent>,
}

/// The longest 90 % of the first level come first.
const FIRST_ORDER: Order = Order { column: Column::P90(0), is_down: true };

impl LifetimesState {
    pub(super) fn new(context: ViewContext) -> Self {
        let (all, one) = (RwSignal::<Arc<Held>>::default(), RwSignal::<Option<(u32, Arc<Held>)>>::new(None));
        let (kernel, devices) = (RwSignal::new(None), RwSignal::<Devices>::default());
        let held = Memo::new(move |_| {
            let own = one.get().filter(|(row, _)| kernel.get() == Some(*row));
            Shared(own.map_or_else(|| all.get(), |(_, held)| held))
        });
        let head = RwSignal::new(None::<Arc<Head>>);
        let lines = Memo::new(move |_| {
            // Without a clock nobody knows what a retention holds.
            if head.with(|head| head.as_ref().is_some_and(|head| !head.has_times())) {
                return Vec::new();
            }
            held.with(|held| {
                devices.with(|devices| {
                    let mhz = held.0.levels.iter().map(|level| level.demand.write_mhz).fold(0.0, f64::max);
                    retention_lines(devices, mhz, context.language.get())
                })
            })
        });
        let drawn = RwSignal::new(AddressNote::default());
        let cycles = Signal::derive(move || drawn.with(|note| note.cycles.max(1) as f64));
        let plot = Signal::derive(move || drawn.with(|note| note.plot));
        let state = Self {
            context,
            run: RwSignal::new(0),
            head,
            all,
            one,
            held,
            baseline: RwSignal::new(None),
            kernel,
            panel: RwSignal::default(),
            devices,
            origin: StoredValue::default(),
            written: StoredValue::default(),
            lines,
            figures: Memo::new(move |_| {
                Arc::new(held.with(|held| devices.with(|devices| figures(devices, &held.0))))
            }),
            level: RwSignal::new(0),
            heat: RwSignal::default(),
            drawn,
            plane: Plane::new(cycles, plot, true),
            order: RwSignal::new(FIRST_ORDER),
            table: RwSignal::default(),
            is_editing: RwSignal::new(false),
            extent: RwSignal::default(),
        };
        state.restore();
        state.follow();
        baseline::follow(state);
        state
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "run" => self.run.set(value.parse().unwrap_or(0)),
            "kernel" => self.kernel.set(value.parse().ok()),
            "panel" => self.panel.set(Panel::of(&value)),
            "level" => self.level.set(value.parse().unwrap_or(0)),
            "cycles" => self.plane.rows.set(parse_window(&value)),
            "places" => self.plane.places.set(parse_window(&value)),
            "columns" => self.table.set(Table::of(&value)),
            _ => {}
        };
        let list = move || {
            [
                ("run", Some(self.run.get()).filter(|run| *run != 0).map(|run| run.to_string())),
                ("kernel", self.kernel.get().map(|row| row.to_string())),
                ("panel", Some(self.panel.get()).filter(|p| *p != Panel::Lengths).map(|p| p.id().to_owned())),
                ("level", Some(self.level.get()).filter(|level| *level != 0).map(|level| level.to_string())),
                ("cycles", window_text(self.plane.rows.get())),
                ("places", window_text(self.plane.places.get())),
                ("columns", Some(self.table.get()).filter(|t| *t != Table::Short).map(|t| t.id().to_owned())),
            ]
        };
        self.context.restore(super::VIEW.id, take, list);
    }

    /// Asks anew when what is asked about changes. Devices do not change lengths.
    fn follow(self) {
        let context = self.context;
        let revision = Memo::new(move |_| {
            context.head.with(|head| (head.contents.lifetimes, head.revision, head.is_complete))
        });
        let values = Memo::new(move |_| {
            context.values.with(|values| {
                let own = values.iter().filter(|(id, _)| ALL.iter().any(|one| one.id == **id));
                own.map(|(id, text)| (id.clone(), text.clone())).collect::<Vec<_>>()
            })
        });
        let figures = Memo::new(move |_| {
            let own = values.get().into_iter();
            own.filter(|(id, _)| id != DEVICES.id).collect::<Vec<_>>()
        });
        let ask = move || {
            let _ = revision.get();
            Some(context.ask(LifetimesQuery::Head { run: self.run.get(), values: values.get() }))
        };
        follow(ask, move |answer| {
            if let Some(Reply::Head(head)) = answer {
                self.take_head(head.map(|head| *head));
            }
        });
        let ask = move |kernel| {
            let _ = revision.get();
            lengths(context, LifetimesQuery::Lengths { run: self.run.get(), kernel, values: figures.get() })
        };
        let take = move |held: Option<Held>| {
            if let Some(held) = held {
                self.all.try_set(Arc::new(held));
            }
        };
        follow(move || Some(ask(None)), take);
        let ask = move || {
            let row = self.kernel.get()?;
            let held = ask(Some(row));
            Some(async move { Some((row, Arc::new(held.await?))) })
        };
        follow(ask, move |held| {
            if held.is_some() {
                self.one.try_set(held);
            }
        });
    }

    fn take_head(self, head: Option<Head>) {
        let is_known = head.as_ref().is_some_and(|head| {
            self.kernel.try_get_untracked().flatten().is_none_or(|row| (row as usize) < head.kernels.len())
        });
        if !is_known && self.context.head.with_untracked(|head| head.is_complete) {
            self.kernel.try_set(None);
        }
        if let Some(head) = &head {
            let text = self.context.values.with_untracked(|values| values.get(DEVICES.id).cloned());
            if self.written.try_get_value().is_some_and(|own| text.as_deref() != Some(&own)) {
                self.origin.try_set_value(head.devices.clone());
            }
            if self.devices.try_with_untracked(|own| *own != head.devices) == Some(true) {
                self.devices.try_set(head.devices.clone());
            }
            if let Some(why) = &head.devices_problem {
                self.context.say.run((why.clone(), true));
            }
        }
        self.head.try_set(head.map(Arc::new));
    }

    /// Something of what there is; its default while there is nothing.
    pub(super) fn of<T: Default>(self, read: impl FnOnce(&Head) -> T) -> T {
        self.head.with(|head| head.as_ref().map_or_else(T::default, |head| read(head)))
    }

    /// Whether kernels are layers of a network.
    pub(super) fn has_layers(self) -> bool {
        self.of(|head| head.has_layers)
    }

    /// What kernels are called, a phrase.
    pub(super) fn parts(self) -> &'static str {
        if self.has_layers() { phrase("Layers") } else { phrase("Kernels") }
    }

    /// Whether the mean of a level's units is told.
    pub(super) fn is_mean(self, level: usize) -> bool {
        self.of(|head| head.scope == "mean" && head.levels.get(level).is_some_and(|level| level.is_private))
    }

    /// All units of a level, in words: `all 46 SMs`.
    pub(super) fn all_units(self, level: usize) -> String {
        let words = self.context.tr(phrase("all {n} {unit}s"));
        self.of(|head| {
            let Some(level) = head.levels.get(level) else { return String::new() };
            fill(words, &[("n", &thousands(level.n_units.cast_signed())), ("unit", &level.unit)])
        })
    }

    /// Whether there is anything to draw on the axis of lengths.
    pub(super) fn has_plots(self) -> bool {
        self.head.with(|head| head.as_ref().is_none_or(|head| head.has_accesses || head.is_stated))
    }

    /// The color of a device by its row, as CSS.
    pub(super) fn color(self, device: usize) -> String {
        let ink = self.devices.with(|devices| ink_of(devices, device));
        self.css(ink)
    }

    /// A color, as CSS.
    pub(super) fn css(self, ink: Ink) -> String {
        self.context.palette.with(|palette| format!("#{:08x}", palette.rgba(ink)))
    }

    /// What the baseline is called, with its letter.
    pub(super) fn baseline_name(self) -> String {
        self.context.baseline.get().map_or_else(String::new, |own| format!("A {}", own.name.get()))
    }

    /// Chooses the kernel that a key leads to from the chosen one, in the order of the table. Returns its place there.
    pub(super) fn step_kernel(self, key: &str) -> Option<usize> {
        let rows = untrack(|| super::kernels::ordered(self));
        let at = self.kernel.get_untracked().and_then(|own| rows.iter().position(|row| *row == own));
        let last = rows.len().checked_sub(1)?;
        let next = match (key, at) {
            ("Home", _) | ("ArrowDown", None) => 0,
            ("End", _) | ("ArrowUp", None) => last,
            ("ArrowDown", Some(at)) => last.min(at + 1),
            ("ArrowUp", Some(at)) => at.saturating_sub(1),
            _ => return None,
        };
        if at != Some(next) {
            self.kernel.set(rows.get(next).copied());
        }
        Some(next)
    }
}
