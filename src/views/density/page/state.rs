//! What the parts share: what is looked at, what is selected, and what was asked about it.

use crate::base::geometry::{Point, Size};
use crate::base::unit::Unit;
use crate::draw::style::series_ink;
use crate::model::figure::{Fact, Shading};
use crate::pane::context::ViewContext;
use crate::pane::plane::{Plane, parse_window, window_text};
use crate::ui::{Extent, Latest, follow_into};
use crate::views::density::compute::{Order, OrderWords};
use crate::views::density::messages::{Cell, Course, DensityQuery, Frame, Head, Look, Note, Reply};
use leptos::prelude::*;
use std::time::Duration;

/// How long a window that moves must rest before it is counted anew.
const REST: Duration = Duration::from_millis(150);

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct DensityState {
    pub(super) context: ViewContext,
    /// Size of the picture.
    pub(super) extent: RwSignal<Extent>,
    /// What was drawn last.
    pub(super) note: RwSignal<Note>,
    pub(super) head: RwSignal<Option<Head>>,
    pub(super) baseline: RwSignal<Option<Head>>,
    pub(super) plane: Plane,
    /// Whether pages that nobody accessed have a place too.
    pub(super) is_linear: RwSignal<bool>,
    pub(super) shading: RwSignal<Shading>,
    /// The chosen cell: a clock and an address.
    pub(super) selected: RwSignal<Option<(u64, u64)>>,
    /// Whether what is zoomed into is being counted anew.
    pub(super) is_zooming: RwSignal<bool>,
    /// What the window adds up to.
    pub(super) sums: RwSignal<Vec<Fact>>,
    /// The window over time, and that of the baseline.
    pub(super) course: RwSignal<Option<Course>>,
    pub(super) other_course: RwSignal<Option<Course>>,
    /// Where the pointer is, 0 to 1 of the width of the map.
    pub(super) pointer: RwSignal<Option<f64>>,
    /// How often something was counted anew.
    counted: RwSignal<u64>,
}

/// How a shading stands in an address.
pub(super) fn id_of(shading: Shading) -> &'static str {
    super::SHADINGS.iter().find(|(own, ..)| *own == shading).map_or("", |(_, id, _)| *id)
}

/// The shading of an address.
pub(super) fn shading_of(id: &str) -> Shading {
    super::SHADINGS.iter().find(|(_, own, _)| *own == id).map_or(Shading::Quintiles, |(shading, ..)| *shading)
}

impl DensityState {
    pub(super) fn new(context: ViewContext) -> Self {
        let (note, head) = (RwSignal::new(Note::default()), RwSignal::new(None::<Head>));
        let length = Signal::derive(move || {
            head.with(|head| head.as_ref().map_or(1.0, |h| (h.clocks.1 - h.clocks.0) as f64 + 1.0))
        });
        let plot = Signal::derive(move || note.with(|note| note.plot));
        let state = Self {
            context,
            extent: RwSignal::default(),
            note,
            head,
            baseline: RwSignal::new(None),
            plane: Plane::new(length, plot, true),
            is_linear: RwSignal::new(false),
            shading: RwSignal::new(Shading::Quintiles),
            selected: RwSignal::new(None),
            is_zooming: RwSignal::new(false),
            sums: RwSignal::default(),
            course: RwSignal::new(None),
            other_course: RwSignal::new(None),
            pointer: RwSignal::new(None),
            counted: RwSignal::new(0),
        };
        state.restore();
        state.follow();
        state.follow_courses();
        state
    }

    /// What is looked at.
    fn look(self) -> Look {
        Look {
            clocks: self.plane.rows.get(),
            places: self.plane.places.get(),
            is_linear: self.is_linear.get(),
        }
    }

    pub(super) fn frame(self) -> Frame {
        Frame {
            look: self.look(),
            shading: self.shading.get(),
            selected: self.selected.get(),
            revision: self.counted.get(),
        }
    }

    /// Takes over what the address says of this view, and keeps the address up to date.
    fn restore(self) {
        let take = move |name: &str, value: String| match name {
            "clocks" => self.plane.rows.set(parse_window(&value)),
            "pages" => self.plane.places.set(parse_window(&value)),
            "axis" => self.is_linear.set(value == "linear"),
            "shades" => self.shading.set(shading_of(&value)),
            "cell" => {
                let cell = value.split_once(',').and_then(|(clock, address)| {
                    Some((clock.parse().ok()?, crate::base::number::address(address)?))
                });
                self.selected.set(cell);
            }
            _ => {}
        };
        let list = move || {
            let (look, shading) = (self.look(), self.shading.get());
            [
                ("clocks", window_text(look.clocks)),
                ("pages", window_text(look.places)),
                ("axis", look.is_linear.then(|| "linear".to_owned())),
                ("shades", (shading != Shading::Quintiles).then(|| id_of(shading).to_owned())),
                ("cell", self.selected.get().map(|(clock, address)| format!("{clock},0x{address:x}"))),
            ]
        };
        self.context.restore(super::VIEW.id, take, list);
    }

    /// Asks anew when what is asked about changes.
    fn follow(self) {
        let context = self.context;
        let revision = Memo::new(move |_| context.head.with(|h| (h.contents.counted, h.revision)));
        let head =
            |reply| if let Some(Reply::Head(head)) = reply { Some(head.map(|head| *head)) } else { None };
        let ask = move || {
            let _ = revision.get();
            Some(context.ask(DensityQuery::Head))
        };
        follow_into(self.head, ask, head);
        let ask = move || {
            let other = context.baseline.get()?.context;
            other.head.with(|head| (head.contents.counted, head.revision));
            Some(other.ask(DensityQuery::Head))
        };
        follow_into(self.baseline, ask, head);
        let (rests, zooms) = (Latest::default(), Latest::default());
        Effect::new(move || {
            let _ = revision.get();
            let look = self.look();
            rests.after(REST, move || {
                self.is_zooming.try_set(true);
                zooms.ask(self.zoom(look), move |sums| {
                    self.is_zooming.try_set(false);
                    if let Some(Reply::Sums(sums)) = sums {
                        self.sums.try_set(sums);
                        self.counted.try_update(|n| *n += 1);
                    }
                });
            });
        });
    }

    /// Asks for the course of what is seen when that was counted anew, and for the same clocks of the baseline.
    fn follow_courses(self) {
        let course =
            |reply| Some(if let Some(Reply::Course(course)) = reply { course.map(|c| *c) } else { None });
        let ask = move || {
            self.counted.track();
            Some(self.context.ask(DensityQuery::Course(untrack(|| self.look()))))
        };
        follow_into(self.course, ask, course);
        let ask = move || {
            self.counted.track();
            let look = untrack(|| self.look());
            // Its pages are others: a part of them has nothing to be compared with.
            let other = self.context.baseline.get().filter(|_| look.places.is_none())?.context;
            other.head.with(|head| (head.contents.counted, head.revision));
            Some(other.ask(DensityQuery::Course(look)))
        };
        follow_into(self.other_course, ask, course);
    }

    /// First and last clock that is seen, from the first access on.
    pub(super) fn seen_clocks(self) -> (f64, f64) {
        let all =
            self.head.with(|head| head.as_ref().map_or(1.0, |h| (h.clocks.1 - h.clocks.0) as f64 + 1.0));
        self.plane.rows.get().unwrap_or((0.0, all))
    }

    /// Has a window counted anew, then asks what it adds up to.
    async fn zoom(self, look: Look) -> Option<Reply> {
        match self.context.ask(DensityQuery::Zoom(look)).await {
            Some(Reply::Zoomed) => self.context.ask(DensityQuery::Sums(look)).await,
            _ => None,
        }
    }

    /// What lies under a point of the picture.
    pub(super) async fn under(self, at: Point) -> Option<Cell> {
        let size = self.extent.try_get_untracked().map_or(Size::default(), |e| e.size);
        let frame = Box::new(untrack(|| self.frame()));
        match self.context.ask(DensityQuery::Under { frame, size, at }).await {
            Some(Reply::Under(cell)) => cell.map(|cell| *cell),
            _ => None,
        }
    }

    /// How the clock is called.
    pub(super) fn words(self) -> OrderWords {
        self.head.with(|head| head.as_ref().map_or(Order::Clock, |head| head.order).words())
    }

    /// Unit of a point on the clock.
    pub(super) fn position_unit(self) -> Unit {
        let unit = |head: &Head| head.order.position_unit(&head.unit);
        self.head.with_untracked(|head| head.as_ref().map_or(Unit::None, unit))
    }

    /// The color of a band, `0xRRGGBBAA`.
    pub(super) fn color(self, band: usize) -> u32 {
        self.context.palette.with_untracked(|palette| palette.rgba(series_ink(band)))
    }
}
