//! A lesson of a system: what it says, program and rows side by side, the timeline, the results.
//!
//! Everything of one scope carries its color and stands out together: its lines, its rows, its slice.

use crate::page::opening;
use crate::page::state::PageState;
use crate::scene::palette::Ink;
use crate::systems::guides::{Cell, Key, Lane, Lesson, Pattern, Results, Scope};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::words;
use leptos::prelude::*;
use std::ops::Range;

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
pub fn LessonPage(lesson: Lesson) -> impl IntoView {
    let state = PageState::of_context();
    let words = words();
    let hot = Hot { over: RwSignal::new(None), pressed: RwSignal::new(None) };
    let text = lesson.paragraphs.iter().map(|part| view! { <p>{words.tr(part)}</p> }).collect::<Vec<_>>();
    let parts = view! {
        <div class="lesson__text">{text}</div>
        <h4 class="lesson__heading">{words.tr("Timeline")}</h4>
        {picture(&lesson, hot)}
        {legend(&lesson)}
        <div class="lesson__sides">
            <div>
                <h4 class="lesson__heading">{words.tr("Program")}</h4>
                {program(&lesson, hot)}
            </div>
            <div>
                <h4 class="lesson__heading">{words.tr("Rows")}</h4>
                {rows(&lesson, hot)}
            </div>
        </div>
        <h4 class="lesson__heading">{words.tr(lesson.results.title)}</h4>
        {results(&lesson.results)}
        <p class="lesson__note">
            <Icon glyph=Glyph::Note small=true />
            <span>{words.tr(lesson.note)}</span>
        </p>
    };
    view! {
        <div class="lesson__head">
            <h3 class="lesson__title">{words.tr(lesson.title)}</h3>
            <button
                class="button button--main"
                type="button"
                data-action="open-lesson"
                data-tip=words.tr("Open the rows below as a file")
                on:click=move |_| opening::open_made(state, &lesson.file_name, &lesson.file)
            >
                {words.tr("Open this trace")}
            </button>
        </div>
        {parts}
    }
}

/// A color, and what is written on it, as the theme of now has them.
pub fn colors(state: PageState, ink: Ink) -> (String, String) {
    state.palette.with(|palette| {
        let fill = palette.rgba(ink);
        (css(fill), css(palette.rgba(palette.ink_on(fill))))
    })
}

fn css(rgba: u32) -> String {
    format!("#{:06x}", rgba >> 8)
}

/// The mark at the edge of a line or row: the color of its scope.
fn edge(ink: Ink) -> impl IntoView {
    let state = PageState::of_context();
    view! { <span class="lesson__edge" style:background=move || colors(state, ink).0></span> }
}

/// The lines of the program; those that write rows can be pressed.
fn program(lesson: &Lesson, hot: Hot) -> impl IntoView + use<> {
    let line = |(n, text): (usize, &'static str)| {
        let here: Vec<usize> = (0..lesson.events.len()).filter(|&at| lesson.events[at].line == n).collect();
        let Some(&first) = here.first() else {
            return view! { <li class="lesson__line"><span class="lesson__when"></span>{text}</li> }
                .into_any();
        };
        let at = lesson.events[first].scope;
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
                    {edge(lesson.scopes[at].ink)}
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
fn rows(lesson: &Lesson, hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let rows = lesson.events.iter().enumerate().map(|(n, event)| {
        let at = event.scope;
        let cells: Vec<_> = event.cells.iter().map(|cell| view! { <td>{cell.clone()}</td> }).collect();
        view! {
            <tr
                class:lesson__line--hot=move || hot.is(at)
                on:pointerenter=move |_| hot.enter(at)
                on:pointerleave=move |_| hot.leave()
            >
                <th scope="row">{edge(lesson.scopes[at].ink)}{format!("t{n}")}</th>
                {cells}
            </tr>
        }
    });
    let rows: Vec<_> = rows.collect();
    let heads: Vec<_> = lesson.columns.iter().map(|head| view! { <th scope="col">{*head}</th> }).collect();
    view! {
        <div class="lesson__rows" tabindex="0" role="region" aria-label=words.tr("Rows")>
            <table class="mono">
                <thead>
                    <tr>
                        <td></td>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// What the colors and patterns of the picture mean.
fn legend(lesson: &Lesson) -> impl IntoView + use<> {
    let words = words();
    let colors: Vec<_> = lesson.colors.iter().copied().map(term).collect();
    let patterns: Vec<_> =
        lesson.patterns.iter().map(|text| view! { <span>{words.tr(text)}</span> }).collect();
    view! { <p class="lesson__legend">{colors}{patterns}</p> }
}

/// A term with its color and letters.
fn term(key: Key) -> impl IntoView {
    let words = words();
    let swatch = |token| view! { <span class="swatch" style:background=format!("var(--{token})")></span> };
    view! {
        <span class="lesson__layer">
            {key.token.map(swatch)}
            {words.tr(key.title)}
            " "
            <span class="lesson__letters">{key.letters}</span>
        </span>
    }
}

/// The table of results with their formulas.
fn results(results: &Results) -> impl IntoView + use<> {
    let words = words();
    let first = results.rows.first();
    let heads = results.columns.iter().enumerate().map(|(n, head)| {
        let class = first.and_then(|row| row.get(n)).map_or("", class_of);
        view! { <th scope="col" class=class>{words.tr(head)}</th> }
    });
    let heads: Vec<_> = heads.collect();
    let cell = |(n, cell): (usize, &Cell)| {
        let class = class_of(cell);
        let text = match cell {
            Cell::Term(key) => term(*key).into_any(),
            Cell::Formula(formula) => (*formula).into_any(),
            Cell::Number(number) => number.clone().into_any(),
        };
        if n == 0 {
            view! { <th scope="row" class=class>{text}</th> }.into_any()
        } else {
            view! { <td class=class>{text}</td> }.into_any()
        }
    };
    let rows = results.rows.iter().map(|row| {
        let cells: Vec<_> = row.iter().enumerate().map(cell).collect();
        view! { <tr>{cells}</tr> }
    });
    let rows: Vec<_> = rows.collect();
    view! {
        <div class="lesson__rows" tabindex="0" role="region" aria-label=words.tr(results.title)>
            <table class="lesson__sums">
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

fn class_of(cell: &Cell) -> &'static str {
    match cell {
        Cell::Term(_) => "",
        Cell::Formula(_) => "lesson__formula",
        Cell::Number(_) => "lesson__number",
    }
}

// The drawn timeline of a lesson: a lane for each thread, its scopes, and all events on the ruler.
//
// Elements of the page, placed by shares of the width: a lesson has a dozen scopes, and so they follow width, theme and
// pointer by themselves.

/// Height of a scope with the gap below it, in px.
const STEP: usize = 22;
/// Scopes of a smaller share of the width have no name.
const NAMED_FROM: f64 = 0.06;

/// Where things lie, in percent of the width.
struct Scale {
    /// The times of all events.
    at: Vec<u32>,
    length: f64,
}

impl Scale {
    fn new(lesson: &Lesson) -> Self {
        let at: Vec<u32> = lesson.events.iter().map(|event| event.at).collect();
        let length = at.last().copied().unwrap_or(1) - at.first().copied().unwrap_or(0);
        Self { at, length: f64::from(length.max(1)) }
    }

    fn x(&self, event: usize) -> f64 {
        f64::from(self.at[event] - self.at[0]) / self.length
    }

    fn left(&self, event: usize) -> String {
        format!("{:.3}%", self.x(event) * 100.0)
    }

    fn share(&self, events: &Range<usize>) -> f64 {
        self.x(events.end) - self.x(events.start)
    }

    fn width(&self, events: &Range<usize>) -> String {
        format!("{:.3}%", self.share(events) * 100.0)
    }
}

/// The picture. `hot` says which scope stands out.
fn picture(lesson: &Lesson, hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let scale = Scale::new(lesson);
    let lanes = lesson.lanes.iter().enumerate();
    let lanes: Vec<_> = lanes.map(|(n, of)| lane(&scale, of, n, &lesson.scopes, hot)).collect();
    let ticks = scale.at.iter().enumerate().map(|(n, at)| {
        view! {
            <span class="strip__tick" style:left=scale.left(n)>
                <b>{format!("t{n}")}</b>
                <span>{*at}</span>
            </span>
        }
    });
    let ticks: Vec<_> = ticks.collect();
    view! {
        <div class="strip" tabindex="0" role="region" aria-label=words.tr("Timeline")>
            <div class="strip__sheet">
                {lanes}
                <div class="strip__lane">
                    <div class="strip__head strip__head--unit">{lesson.unit}</div>
                    <div class="strip__field strip__field--ruler">{ticks}</div>
                </div>
            </div>
        </div>
    }
}

/// One lane.
fn lane(scale: &Scale, of: &Lane, n: usize, scopes: &[Scope], hot: Hot) -> impl IntoView + use<> {
    let words = words();
    let own = || scopes.iter().enumerate().filter(move |(_, scope)| scope.lane == n);
    let n_deep = own().map(|(_, scope)| scope.depth + 1).max().unwrap_or(1);
    let slices: Vec<_> = own().map(|(at, scope)| slice(scale, at, scope, hot)).collect();
    let events = 0..scale.at.len();
    let guides = events.map(|at| view! { <span class="strip__guide" style:left=scale.left(at)></span> });
    let guides: Vec<_> = guides.collect();
    view! {
        <div class="strip__lane">
            <div class="strip__head">
                <span class="strip__thread">{words.tr(of.title)}</span>
                <span class="strip__id">{of.name.clone()}</span>
            </div>
            <div class="strip__field" style:height=format!("{}px", n_deep * STEP + 6)>{guides}{slices}</div>
        </div>
    }
}

/// One scope, and where it is still open without counting.
fn slice(scale: &Scale, n: usize, scope: &Scope, hot: Hot) -> impl IntoView + use<> {
    let state = PageState::of_context();
    let ink = scope.ink;
    let is_named = NAMED_FROM <= scale.share(&scope.events);
    let top = format!("{}px", scope.depth * STEP + 3);
    let rest = scope.rest.as_ref().map(|rest| {
        view! {
            <span
                class="strip__rest"
                style:top=top.clone()
                style:left=scale.left(rest.start)
                style:width=scale.width(rest)
            ></span>
        }
    });
    view! {
        <span
            class="strip__slice"
            class:strip__slice--thin=scope.pattern == Pattern::Thin
            class:strip__slice--hatched=scope.pattern == Pattern::Hatched
            class:strip__slice--hot=move || hot.is(n)
            style:top=top.clone()
            style:left=scale.left(scope.events.start)
            style:width=scale.width(&scope.events)
            style:background-color=move || colors(state, ink).0
            style:color=move || colors(state, ink).1
            data-tip=scope.tip.clone()
            on:pointerenter=move |_| hot.enter(n)
            on:pointerleave=move |_| hot.leave()
        >
            {is_named.then_some(scope.name)}
        </span>
        {rest}
    }
}
