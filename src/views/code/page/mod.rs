//! Which lines and instructions cost the time, and why: source beside instructions.
//!
//! Needs listings. Clicking a line marks its instructions and scrolls the first to one third of the other side; clicking
//! an instruction chooses its line. Wheel and scroll bar scroll, arrows move the chosen row, H and Shift+H go to the next
//! colder and hotter row, Ctrl+F searches. The pictures are drawn in the worker; a layer of real, transparent text lies
//! over the rows in view, so that they can be selected, copied and read aloud. Where a baseline is chosen, the column that
//! heat follows has its differences beside it. Instructions that another view asked to see, such as those of a cache
//! line, are marked until they are cleared or a line is chosen.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub
#![allow(clippy::large_types_passed_by_value)] // sides and state are handles of signals, copied into closures anyway

mod bars;
mod body;
mod compare;
mod detail;
mod find;
mod head;
mod link;
mod pairs;
mod pane;
mod state;

use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui::canvas::{self, observe};
use crate::ui::split::{Extent, Orientation, Split};
use leptos::prelude::*;
pub(crate) use link::InstructionLinks;
use pane::{Pane, PaneView, Side};
use state::{Mode, State};

/// Below this width two sides would show nothing but their numbers.
const NARROW: f64 = 720.0;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "source",
    title: "Source",
    question: "Which lines and instructions are hot, and why?",
    can_show: |head| 0 < head.contents.sources + head.contents.instructions,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <SourceView context /> }.into_any()
}

#[component]
fn SourceView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let source = Pane::new(state, Side::Source);
    let assembly = Pane::new(state, Side::Assembly);
    state.connect(source, assembly);
    compare::follow(source);
    compare::follow(assembly);
    context.offer_picture(VIEW.id, move || {
        let shown = match state.mode() {
            Mode::Beside => vec![source, assembly],
            Mode::Source => vec![source],
            Mode::Instructions => vec![assembly],
        };
        shown.into_iter().filter_map(Pane::picture).collect()
    });
    let width = RwSignal::new(0.0);
    let root = NodeRef::<leptos::html::Div>::new();
    let room = RwSignal::new(canvas::Extent::default());
    Effect::new(move || {
        if let Some(root) = root.get() {
            observe(&root, room);
        }
    });
    Effect::new(move || {
        let room = f64::from(room.with(|room| room.size.w));
        // Who has gone on to another view before this one was built hides it: it is measured when it is shown.
        if room < 1.0 {
            return;
        }
        if state.is_narrow.get_untracked() != (room < NARROW) {
            state.is_narrow.set(room < NARROW);
        }
        // Source takes a little less than half, as its metrics are fewer.
        if width.get_untracked() == 0.0 {
            width.set((room * 0.49).max(280.0).round());
        }
    });
    let mode = Memo::new(move |_| (state.listings.with(Option::is_some), state.mode()));
    let panes = move || match mode.get() {
        (false, _) => {
            let words = context.word("Reading the listings…");
            view! { <p class="code__wait" role="status">{words}</p> }.into_any()
        }
        (true, Mode::Source) => view! { <PaneView pane=source /> }.into_any(),
        (true, Mode::Instructions) => view! { <PaneView pane=assembly /> }.into_any(),
        (true, Mode::Beside) => {
            let first = ViewFn::from(move || view! { <PaneView pane=source /> });
            let second = ViewFn::from(move || view! { <PaneView pane=assembly /> });
            let extent = Extent { usual: 624.0, least: 280.0, share: 0.8 };
            let label = context.word("Source pane width");
            view! { <Split label lie=Orientation::Horizontal extent size=width strong=true first second /> }
                .into_any()
        }
    };
    view! {
        <div class="code" node_ref=root on:keydown=move |event| find::on_key(state, &event)>
            <bars::Tools state />
            {panes}
        </div>
    }
}
