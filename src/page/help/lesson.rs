//! One example of the NNAPI contract: what it says, program and rows side by side, the timeline, the times.
//!
//! Everything of one scope carries its color and stands out together: its lines, its rows, its slice.

use super::picture::Picture;
use crate::page::opening;
use crate::page::state::PageState;
use crate::scene::palette::Ink;
use crate::systems::android::nnapi::lesson::{Drawn, Event, Lesson, Scope, Sum};
use crate::systems::android::nnapi::mark::{Layer, Part, Tint};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::words;
use leptos::prelude::*;

/// Which scope stands out: the one under the pointer or the keyboard, else the one that was pressed.
#[derive(Clone, Copy)]
pub struct Hot {
    over: RwSignal<Option<usize>>,
    pressed: RwSignal<Option<usize>>,
}

impl Hot {
    /// Whether this scope does.
    pub fn is(self, scope: usize) -> bool {
        self.over.get().or(self.pressed.get()) == Some(scope)
    }

    /// The pointer came to a scope.
    pub fn enter(self, scope: usize) {
        self.over.set(Some(scope));
    }

    /// The pointer left it.
    pub fn leave(self) {
        self.over.set(None);
    }

    fn press(self, scope: usize) {
        self.pressed.update(|pressed| *pressed = if *pressed == Some(scope) { None } else { Some(scope) });
    }
}

/// A lesson.
#[component]
pub fn LessonPage(
    /// Which one.
    lesson: &'static Lesson,
) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let drawn = lesson.drawn();
    let hot = Hot { over: RwSignal::new(None), pressed: RwSignal::new(None) };
    let text = lesson.text.iter().map(|part| view! { <p>{words.tr(part)}</p> }).collect::<Vec<_>>();
    let open = move |_| opening::open_made(state, &lesson.file_name(), &lesson.trace());
    view! {
        <div class="lesson__head">
            <h3 class="lesson__title">{words.tr(lesson.title)}</h3>
            <button
                class="button button--main"
                type="button"
                data-action="open-lesson"
                data-tip=words.tr("Opens the rows below as a file, made here")
                on:click=open
            >
                {words.tr("Open this trace")}
            </button>
        </div>
        <div class="lesson__text">{text}</div>
        <h4 class="lesson__heading">{words.tr("Timeline")}</h4>
        <Picture lesson drawn=drawn.clone() hot />
        {legend(&drawn)}
        <div class="lesson__sides">
            <div>
                <h4 class="lesson__heading">{words.tr("Program")}</h4>
                {program(lesson, &drawn, hot)}
            </div>
            <div>
                <h4 class="lesson__heading">{words.tr("Rows")}</h4>
                {rows(lesson, &drawn, hot)}
            </div>
        </div>
        <h4 class="lesson__heading">{words.tr("Times")}</h4>
        {sums(lesson)}
    }
}

/// The colors of a scope, fill and what is written on it, as the theme of now has them.
pub fn colors(state: PageState, tint: Option<Tint>) -> (String, String) {
    let ink =
        tint.map_or(Ink::Shade("nn-other", 60), |tint| Ink::Shade(tint.layer.token(), tint.phase.shade()));
    state.palette.with(|palette| {
        let fill = palette.rgba(ink);
        (css(fill), css(palette.rgba(palette.ink_on(fill))))
    })
}

fn css(rgba: u32) -> String {
    format!("#{:06x}", rgba >> 8)
}

/// The mark at the edge of a line or row: the color of its scope.
fn edge(scope: Scope) -> impl IntoView {
    let state = PageState::of_context();
    view! { <span class="lesson__edge" style:background=move || colors(state, scope.tint).0></span> }
}

/// The lines of the program; those that write rows can be pressed.
fn program(lesson: &'static Lesson, drawn: &Drawn, hot: Hot) -> impl IntoView + use<> {
    let line = |(n, text): (usize, &'static str)| {
        let here: Vec<usize> = (0..lesson.events.len()).filter(|&at| lesson.events[at].line == n).collect();
        let Some(&first) = here.first() else {
            return view! { <li class="lesson__line"><span class="lesson__when"></span>{text}</li> }
                .into_any();
        };
        let at = drawn.of_event[first];
        let names = here.iter().map(|at| format!("t{at}")).collect::<Vec<_>>().join(" ");
        view! {
            <li>
                <button
                    class="lesson__line lesson__line--writes"
                    class:lesson__line--hot=move || hot.is(at)
                    type="button"
                    aria-pressed=move || (hot.pressed.get() == Some(at)).to_string()
                    on:click=move |_| hot.press(at)
                    on:focus=move |_| hot.enter(at)
                    on:blur=move |_| hot.leave()
                    on:pointerenter=move |_| hot.enter(at)
                    on:pointerleave=move |_| hot.leave()
                >
                    {edge(drawn.scopes[at])}
                    <span class="lesson__when">{names}</span>
                    {text}
                </button>
            </li>
        }
        .into_any()
    };
    let lines: Vec<_> = lesson.program.iter().copied().enumerate().map(line).collect();
    view! { <ol class="lesson__code mono">{lines}</ol> }
}

/// The rows of the trace, without what all of them share.
fn rows(lesson: &'static Lesson, drawn: &Drawn, hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let row = |(n, event): (usize, &'static Event)| {
        let (at, thread) = (drawn.of_event[n], event.thread());
        view! {
            <tr
                class:lesson__line--hot=move || hot.is(at)
                on:pointerenter=move |_| hot.enter(at)
                on:pointerleave=move |_| hot.leave()
            >
                <th scope="row">{edge(drawn.scopes[at])}{format!("t{n}")}</th>
                <td>{format!("{}-{}", thread.name, thread.id)}</td>
                <td>{event.stamp()}</td>
                <td>{event.marked()}</td>
            </tr>
        }
    };
    let rows: Vec<_> = lesson.events.iter().enumerate().map(row).collect();
    view! {
        <div class="lesson__rows" tabindex="0" role="region" aria-label=words.tr("Rows")>
            <table class="mono">
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">"TASK-PID"</th>
                        <th scope="col">"TIMESTAMP"</th>
                        <th scope="col">"tracing_mark_write"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// What the colors and patterns of the picture mean, as far as they are in it.
fn legend(drawn: &Drawn) -> impl IntoView + use<> {
    let words = words();
    let tints: Vec<Tint> = drawn.scopes.iter().filter_map(|scope| scope.tint).collect();
    let all = Layer::REPORTED.into_iter().chain([Layer::Utility]);
    let layers = all.filter(|layer| tints.iter().any(|tint| tint.layer == *layer));
    let layers: Vec<_> = layers.map(layer_name).collect();
    let has = |part: Part| tints.iter().any(|tint| tint.part == part);
    let notes = [
        (has(Part::Subtracted), words.tr("Hatched: taken from the scope around it")),
        (has(Part::Detail), words.tr("Thin: only a detail, counts nowhere")),
        (drawn.scopes.iter().any(|s| s.rest.is_some()), words.tr("Dashed: still open, counts nowhere")),
    ];
    let notes: Vec<_> =
        notes.into_iter().filter(|note| note.0).map(|note| view! { <span>{note.1}</span> }).collect();
    view! { <p class="lesson__legend">{layers}{notes}</p> }
}

/// The color of a layer with its title and letters.
fn layer_name(layer: Layer) -> impl IntoView {
    let words = words();
    view! {
        <span class="lesson__layer">
            <span class="swatch" style:background=format!("var(--{})", layer.token())></span>
            {words.tr(layer.title())}
            " "
            <span class="lesson__letters">{layer.code()}</span>
        </span>
    }
}

/// The table of times with their formulas.
fn sums(lesson: &'static Lesson) -> impl IntoView {
    let words = words();
    let row = |sum: &'static Sum| {
        view! {
            <tr>
                <th scope="row">{layer_name(sum.layer)}</th>
                <td>{words.tr(sum.phase.title())}" "<span class="lesson__letters">{sum.phase.code()}</span></td>
                <td class="lesson__formula">{sum.total.formula}</td>
                <td class="lesson__number">{format!("{}.00", sum.total.ms)}</td>
                <td class="lesson__formula">{sum.own.formula}</td>
                <td class="lesson__number">{format!("{}.00", sum.own.ms)}</td>
            </tr>
        }
    };
    let rows: Vec<_> = lesson.sums.iter().map(row).collect();
    view! {
        <div class="lesson__rows" tabindex="0" role="region" aria-label=words.tr("Times")>
            <table class="lesson__sums">
                <thead>
                    <tr>
                        <th scope="col">{words.tr("Layer")}</th>
                        <th scope="col">{words.tr("Phase")}</th>
                        <th scope="col" class="lesson__formula">{words.tr("Total time")}</th>
                        <th scope="col" class="lesson__number">"ms"</th>
                        <th scope="col" class="lesson__formula">{words.tr("Self time")}</th>
                        <th scope="col" class="lesson__number">"ms"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <p class="lesson__note">
            <Icon glyph=Glyph::Note small=true />
            <span>{words.tr("The AOSP parser prints these numbers for this trace. Layers and phases that are not listed are zero or missing.")}</span>
        </p>
    }
}
