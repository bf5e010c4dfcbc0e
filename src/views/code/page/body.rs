//! The rows of a side: the picture from the worker, transparent text over it, and a space that scrolls.

use super::pane::{Pane, Reveal};
use super::print::text_of;
use crate::base::geometry::Point;
use crate::base::words::{phrase, tr};
use crate::model::code::Field;
use crate::pane::Surface;
use crate::ui::overlay::{Tip, tooltips};
use crate::ui::text::{LayerColumn, LayerRow, TextLayer};
use crate::ui::{Latest, capture_pointer, follow_size, spawn_while};
use crate::views::code::messages::{CodeQuery, ColumnPlace, Frame, GAP, Reply};
use crate::views::code::scene::{OVERVIEW, full_in, is_line_cut};
use crate::wire::{self, Draw};
use leptos::ev::{KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Rows that are asked for above and below what is in view.
const MARGIN: u32 = 32;

/// The rows of a side.
#[component]
pub(super) fn Body(pane: Pane) -> impl IntoView {
    let ruler = NodeRef::<html::Span>::new();
    Effect::new(move || {
        if let Some(ruler) = ruler.get() {
            measure(pane, &ruler);
        }
    });
    // A scroller that was just made, or just shown, stands at the top, whatever was scrolled before.
    Effect::new(move || {
        if pane.scroller.get().is_some() && 0.0 < f64::from(pane.extent.get().size.h) {
            request_animation_frame(move || pane.settle());
        }
    });
    let on_note = move |note: wire::Note| {
        if let Some(note) = Frame::noted(note)
            && pane.note.with_untracked(|was| *was != note)
        {
            pane.note.set(note);
        }
    };
    let on_scroll = move |_| {
        if let Some(scroller) = pane.scroller.get_untracked() {
            pane.scrolled(f64::from(scroller.scroll_top()), f64::from(scroller.scroll_left()));
        }
    };
    let space_width = move || format!("{}px", pane.note.with(|n| n.width) + OVERVIEW);
    let digits = "0".repeat(100);
    view! {
        <div
            class="listing__scroll"
            class:listing__scroll--led=move || pane.is_led()
            node_ref=pane.scroller
            tabindex="0"
            data-keys
            role="rowgroup"
            on:scroll=on_scroll
            on:wheel=move |event| on_wheel(pane, &event)
            on:keydown=move |event| on_key(pane, &event)
        >
            <div
                class="listing__space"
                role="presentation"
                style:height=move || format!("{}px", pane.space_px())
                style:width=space_width
            >
                <span class="listing__ruler" node_ref=ruler aria-hidden="true">{digits}</span>
                <Stage pane>
                    <Surface
                        context=pane.state.context
                        class="listing__picture"
                        frame=Signal::derive(move || pane.frame())
                        on_note=Callback::new(on_note)
                        alt=""
                        extent=pane.extent
                    />
                </Stage>
            </div>
            <Empty pane />
        </div>
    }
}

/// Keeps the size of a character, as this browser writes a hundred digits. What is hidden has no width.
fn measure(pane: Pane, ruler: &web_sys::HtmlElement) {
    let measured = ruler.clone();
    follow_size(ruler, move || {
        let rect = measured.get_bounding_client_rect();
        let face = Some(((rect.width() / 100.0) as f32, (rect.height().round() as f32).max(12.0)));
        if 0.0 < rect.width() && pane.face.try_get_untracked().is_some_and(|was| was != face) {
            pane.face.set(face);
        }
    });
}

/// What stays in view while the space scrolls: picture, text, and the gestures on them.
#[component]
fn Stage(pane: Pane, children: Children) -> impl IntoView {
    let rows = follow_rows(pane);
    let tips = tooltips();
    let held = RwSignal::new(false);
    let columns =
        Signal::derive(move || pane.note.with(|n| n.columns.iter().map(layer_column).collect::<Vec<_>>()));
    let frozen = move || f64::from(pane.note.with(|n| n.frozen));
    let offset = Signal::derive(move || {
        let from = rows.with(|r| r.first().map_or(0.0, |row| f64::from(row.place)));
        // The layer begins at the right edge of what stands still.
        (-pane.left.get() - frozen(), ((from - pane.first.get()) * pane.row_px()).round())
    });
    let layer_left = move || format!("{}px", frozen());
    let chosen = Signal::derive(move || {
        let chosen = pane.chosen()?;
        let at = pane.note.with(|n| n.rows.iter().position(|&r| r == chosen))?;
        Some(pane.first.get().max(0.0).floor() as u32 + at as u32)
    });
    let down = move |event: PointerEvent| {
        let (at, size) = place_in(&event);
        if event.button() == 0 && size.x - OVERVIEW <= at.x {
            event.prevent_default();
            capture_pointer(&event);
            held.set(true);
            jump(pane, at.y);
        }
    };
    let moved = move |event: PointerEvent| {
        let (at, _) = place_in(&event);
        if held.get_untracked() {
            return jump(pane, at.y);
        }
        let place = place_of(pane, at.y);
        if pane.hover.get_untracked() != place {
            pane.hover.set(place);
        }
        tell(pane, at, Point { x: event.client_x() as f32, y: event.client_y() as f32 }, rows);
    };
    let left = move |_| {
        pane.hover.set(None);
        tips.hide();
    };
    let click = move |event: MouseEvent| {
        let (at, size) = place_in(&event);
        let is_selecting = window()
            .get_selection()
            .ok()
            .flatten()
            .is_some_and(|s| !s.is_collapsed() && !String::from(s.to_string()).is_empty());
        if at.x < size.x - OVERVIEW
            && !is_selecting
            && let Some(place) = place_of(pane, at.y)
        {
            pane.choose_place(place, 0.0, Reveal::Nearest);
        }
    };
    view! {
        <div
            class="listing__stage"
            role="presentation"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| held.set(false)
            on:pointercancel=move |_| held.set(false)
            on:pointerleave=left
            on:click=click
        >
            {children()}
            <div class="listing__text" role="presentation" style:left=layer_left>
                <TextLayer rows columns offset chosen />
            </div>
        </div>
    }
}

fn layer_column(c: &ColumnPlace) -> LayerColumn {
    LayerColumn { w: c.w, is_right: c.is_right, inset: c.inset, is_code: c.field == Field::Text }
}

/// The place of an event in the stage, and the size of the stage.
fn place_in(event: &MouseEvent) -> (Point, Point) {
    let stage = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
    let Some(rect) = stage.map(|s| s.get_bounding_client_rect()) else { return Default::default() };
    let at = Point {
        x: event.client_x() as f32 - rect.left() as f32,
        y: event.client_y() as f32 - rect.top() as f32,
    };
    (at, Point { x: rect.width() as f32, y: rect.height() as f32 })
}

fn place_of(pane: Pane, y: f32) -> Option<u32> {
    untrack(|| {
        let place = pane.first.get() + f64::from(y) / pane.row_px();
        (0.0 <= place && place < pane.total()).then_some(place as u32)
    })
}

/// A press on the overview: the row there comes to the middle.
fn jump(pane: Pane, y: f32) {
    untrack(|| {
        let used = (pane.total() * pane.row_px()).min(f64::from(pane.extent.get().size.h));
        let place = f64::from(y) / used.max(1.0) * pane.total();
        pane.scroll_to(place - pane.rows_in_view() / 2.0);
    });
}

/// The column under a place of the stage.
fn column_at(pane: Pane, x: f32) -> Option<ColumnPlace> {
    let left = pane.left.get_untracked() as f32;
    pane.note.with_untracked(|n| {
        let is_pinned = n.pinned <= x;
        let x = if is_pinned { x } else { x + left };
        n.columns.iter().filter(|c| c.is_pinned == is_pinned).find(|c| c.x <= x && x < c.x + c.w).cloned()
    })
}

/// Tells all of the line of code under the pointer, where an end of it is out of sight; an empty text is none.
fn tell_line(pane: Pane, column: &ColumnPlace, line: &str, pointer: Point) {
    let tips = tooltips();
    let char_px = pane.face.get_untracked().map_or(0.0, |face| face.0);
    let left = pane.left.get_untracked() as f32;
    let is_cut = pane.note.with_untracked(|n| is_line_cut((n.frozen, n.pinned), column, left, line, char_px));
    if is_cut {
        tips.show(pointer, Tip { title: line.trim().to_owned(), ..Tip::default() });
    } else {
        tips.hide();
    }
}

/// Tells the whole value of the cell under the pointer, or the whole line of code.
fn tell(pane: Pane, at: Point, pointer: Point, rows: Signal<Vec<LayerRow>>) {
    let tips = tooltips();
    let column = column_at(pane, at.x);
    if let Some(column) = column.as_ref().filter(|column| column.field == Field::Text) {
        let place = place_of(pane, at.y);
        let of_code = pane.note.with_untracked(|n| n.columns.iter().position(|c| c.field == Field::Text));
        let line = rows.with_untracked(|rows| {
            let row = rows.iter().find(|row| Some(row.place) == place)?;
            row.cells.get(of_code?).cloned()
        });
        return tell_line(pane, column, &line.unwrap_or_default(), pointer);
    }
    let found = untrack(|| {
        let column = column?;
        let Field::Column(_) = column.field else { return None };
        let shown = place_of(pane, at.y)? - pane.first.get().max(0.0).floor() as u32;
        let row = pane.note.with(|n| n.rows.get(shown as usize).copied()).filter(|row| *row != GAP)?;
        Some((pane.id().get()?, row, pane.state.core.get(), column))
    });
    let Some((listing, row, core, column)) = found else { return tips.hide() };
    spawn_while(pane.first, async move {
        let Some(Reply::Row(detail)) = pane.state.ask(CodeQuery::Row { listing, row, core }).await else {
            return;
        };
        let language = pane.state.context.language.get_untracked();
        let name = column.name.split(", ").next().unwrap_or("").to_owned();
        let mut tip = Tip { title: full_in(language, &column.name), ..Tip::default() };
        for (_, value, share) in detail.facts.iter().filter(|(of, ..)| *of == name || *of == column.name) {
            tip.rows.push((tr(language, "Value").to_owned(), value.clone()));
            if let Some(share) = share {
                let text = format!("{} %", crate::base::number::fixed(share * 100.0, 2));
                tip.rows.push((tr(language, "% of all rows").to_owned(), text));
            }
        }
        if detail.stalls_of == name {
            for stall in detail.stalls.iter().take(5) {
                let count = crate::base::number::fixed(stall.count, 0);
                let share = crate::base::number::fixed(stall.share * 100.0, 1);
                tip.rows.push((tr(language, &stall.name).to_owned(), format!("{count} ({share} %)")));
            }
        }
        if tip.rows.is_empty() {
            tips.hide();
        } else {
            tips.show(pointer, tip);
        }
    });
}

/// Text of the rows in view and around it; asked for only when what is in view leaves what is there.
fn follow_rows(pane: Pane) -> Signal<Vec<LayerRow>> {
    let rows = RwSignal::new(Vec::<LayerRow>::new());
    let have = StoredValue::new(None);
    let latest = Latest::default();
    Effect::new(move || {
        let Some(listing) = pane.id().get() else { return };
        let shown = (pane.note.with(|n| n.columns.len()), pane.joined.get());
        let key = (listing, pane.state.core.get(), pane.arranged(), shown);
        let first = pane.first.get().max(0.0) as u32;
        let n = pane.rows_in_view().ceil() as u32 + 1;
        let is_there = have.with_value(|have| match have {
            Some((of, from, to)) => *of == key && *from <= first && first + n <= *to,
            None => false,
        });
        if is_there || n < 2 {
            return;
        }
        let from = first.saturating_sub(MARGIN);
        let to = first + n + MARGIN;
        have.set_value(Some((key.clone(), from, to)));
        let (listing, core, arrange, _) = key;
        let ask = CodeQuery::Rows { listing, core, arrange, from, n: to - from };
        latest.ask(pane.state.ask(ask), move |reply| {
            let Some(Reply::Rows { rows: texts, .. }) = reply else { return };
            let order: Vec<Field> = pane.note.with_untracked(|n| n.columns.iter().map(|c| c.field).collect());
            let layer = (from..).zip(&texts).map(|(place, row)| LayerRow {
                place,
                cells: order.iter().map(|field| text_of(row, *field)).collect(),
            });
            rows.try_set(layer.collect());
        });
    });
    rows.into()
}

/// In a space that is smaller than its rows a wheel step would leap: it is counted in rows instead. Where the bar of the
/// other side scrolls both, there is nothing else that could scroll.
fn on_wheel(pane: Pane, event: &WheelEvent) {
    let is_counted = || untrack(|| pane.is_squeezed() || pane.is_led());
    if event.ctrl_key() || event.delta_y() == 0.0 || event.shift_key() || !is_counted() {
        return;
    }
    event.prevent_default();
    let rows = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => event.delta_y(),
        WheelEvent::DOM_DELTA_PAGE => event.delta_y() * untrack(|| pane.rows_in_view()),
        _ => event.delta_y() / untrack(|| pane.row_px()),
    };
    pane.scroll_by(rows);
}

fn on_key(pane: Pane, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let (rows, total) = untrack(|| (pane.rows_in_view().floor().max(1.0), pane.total()));
    let step = match event.key().as_str() {
        "ArrowDown" => 1.0,
        "ArrowUp" => -1.0,
        "PageDown" | " " if !event.shift_key() => rows - 1.0,
        "PageUp" | " " => 1.0 - rows,
        "Home" => -total,
        "End" => total,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let asked = untrack(|| Some((pane.id().get()?, pane.state.core.get(), pane.arranged(), pane.chosen())));
    let Some((listing, core, arrange, chosen)) = asked else { return };
    spawn_while(pane.first, async move {
        let at = match chosen {
            Some(row) => match pane.state.ask(CodeQuery::Place { listing, core, arrange, row }).await {
                Some(Reply::Place(Some(place))) => f64::from(place) + step,
                _ => pane.first.get_untracked(),
            },
            None => pane.first.get_untracked().ceil(),
        };
        pane.choose_place(at.clamp(0.0, (total - 1.0).max(0.0)) as u32, step, Reveal::Nearest);
    });
}

/// Why there are no rows.
#[component]
fn Empty(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    let missing =
        move || pane.state.listings.with(|l| l.as_ref().map(|l| l.missing.clone())).unwrap_or_default();
    let reason = move || {
        let words = |english: &str| tr(context.language.get(), english).to_owned();
        let arrange = pane.arranged();
        let is_narrowed = arrange.only.is_some() || !arrange.filter.is_empty();
        match pane.listing() {
            None if pane.is_source() => Some((words(phrase("No source")), words(&missing()))),
            None => Some((words(phrase("No instructions")), words(&missing()))),
            Some(listing) if listing.rows == 0 => Some((words(phrase("This file is empty")), String::new())),
            Some(_) if is_narrowed && pane.total() < 1.0 => Some((
                words(phrase("No matching instructions")),
                words(phrase("Change the filter, or choose another line.")),
            )),
            Some(_) => None,
        }
    };
    move || {
        reason().map(|(title, why)| {
            view! {
                <div class="listing__empty" role="status">
                    <h2 class="listing__why">{title}</h2>
                    <p>{why}</p>
                </div>
            }
        })
    }
}
