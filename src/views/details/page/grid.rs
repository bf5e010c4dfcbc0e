//! The grid that the panels stand on: it knows what each needs, and how wide the page is.

use crate::draw::page::{Need, Place, place};
use crate::ui::canvas::{Extent, observe};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Width of the page before it was measured.
const ROOM: f32 = 1_200.0;

/// The places of all panels, by their keys.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    /// Size of the element that the panels stand in.
    extent: RwSignal<Extent>,
    /// What panels need since their figure is there, and whether it is the figure alone.
    known: RwSignal<BTreeMap<String, (Need, bool)>>,
    places: Memo<BTreeMap<String, Place>>,
}

impl Grid {
    /// A grid for these panels, in the order they are shown, with what each needs as far as is known at first.
    pub(super) fn new(panels: Memo<Vec<(String, Need)>>) -> Self {
        let (extent, known) = (RwSignal::new(Extent::default()), RwSignal::new(BTreeMap::new()));
        let room = Memo::new(move |_| extent.with(|e| if e.size.w < 1.0 { ROOM } else { e.size.w }));
        let places = Memo::new(move |_| {
            panels.with(|panels| {
                let need = |(key, first): &(String, Need)| {
                    known.with(|known: &BTreeMap<_, (Need, bool)>| known.get(key).map_or(*first, |k| k.0))
                };
                let needs: Vec<Need> = panels.iter().map(need).collect();
                let keys = panels.iter().map(|(key, _)| key.clone());
                keys.zip(place(&needs, room.get())).collect()
            })
        });
        Self { extent, known, places }
    }

    /// For the element that the panels stand in, whose width counts.
    pub(super) fn measured(self) -> NodeRef<leptos::html::Div> {
        let node = NodeRef::<leptos::html::Div>::new();
        Effect::new(move |was: Option<bool>| {
            let Some(node) = node.get() else { return false };
            if was != Some(true) {
                observe(&node, self.extent);
            }
            true
        });
        node
    }

    /// Learns what a panel needs. Another variant of its figure may make it grow, so that panels stay where they are when
    /// one chooses back and forth; a comparison is another figure.
    pub(super) fn learn(self, key: &str, need: Need, is_alone: bool) {
        let known = self.known.with_untracked(|known| known.get(key).copied());
        let need = match known {
            // A line that stands for one variant leaves the place that another one had; what unfolds takes its own.
            Some((old, _)) if need.is_whole() && !old.is_whole() => old,
            Some((old, _)) if old.is_whole() && !need.is_whole() => need,
            Some((old, was_alone)) if was_alone == is_alone => Need {
                least: old.least.max(need.least),
                best: old.best.max(need.best),
                height: old.height.max(need.height),
            },
            _ => need,
        };
        if known != Some((need, is_alone)) {
            self.known.update(|known| {
                known.insert(key.to_owned(), (need, is_alone));
            });
        }
    }

    /// Where a panel stands, as the style sheet has it: across and down.
    pub(super) fn lines(self, key: String) -> (Signal<String>, Signal<String>) {
        let place = Memo::new(move |_| self.places.with(|places| places.get(&key).copied()));
        let line = |(from, n): (usize, usize)| format!("{from} / span {n}");
        let across = Signal::derive(move || place.get().map_or(String::new(), |p| line(p.column)));
        let down = Signal::derive(move || place.get().map_or(String::new(), |p| line(p.row)));
        (across, down)
    }
}
