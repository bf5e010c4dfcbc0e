//! The table of kernels: what each did at each level, with its lengths on the axis of the plots. A chosen kernel is what
//! everything above is of.

use super::baseline::Kernels;
use super::state::{LifetimesState, Order, Table};
use crate::base::number::{MISSING, fixed, thousands};
use crate::base::order;
use crate::base::words::{Language, fill, phrase, tr};
use crate::pane::with_symbol;
use crate::ui::field::Segmented;
use crate::ui::table::range_words;
use crate::ui::text::Name;
use crate::views::lifetimes::messages::{Head, Kernel};
use crate::views::lifetimes::scene::{percent, time};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Height of a row.
const ROW: f64 = 20.0;
/// Height of the head, of two lines.
const HEAD: f64 = 40.0;
/// Rows beyond what is seen, above and below.
const MORE: usize = 12;

/// A column. Those of a level carry its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Column {
    Id,
    Name,
    Time,
    Cycles,
    Lifetimes(usize),
    Mean(usize),
    Median(usize),
    P90(usize),
    Longest(usize),
    Box(usize),
    Reads(usize),
    Writes(usize),
    Bytes(usize),
    Unique(usize),
    Use(usize),
    AllReads,
    AllWrites,
    Orphans(usize),
}

impl Column {
    /// Those of the short table: cycles and no rates where no time is known.
    fn short(head: &Head) -> Vec<Self> {
        let of_level =
            |at| [Self::Lifetimes(at), Self::P90(at), Self::Box(at), Self::Writes(at), Self::Orphans(at)];
        let time = if head.clock_mhz.is_some() { Self::Time } else { Self::Cycles };
        let first = [Self::Id, Self::Name, time].into_iter();
        let is_known = |column: &Self| head.has_times() || !matches!(column, Self::Writes(_));
        first.chain((0..head.levels.len()).flat_map(of_level)).filter(is_known).collect()
    }

    /// Those of the files that tools exchange, in their order.
    fn whole(levels: usize) -> Vec<Self> {
        let each = |column: fn(usize) -> Self| (0..levels).map(column);
        let lengths =
            (0..levels).flat_map(|at| [Self::Mean(at), Self::Median(at), Self::P90(at), Self::Longest(at)]);
        let rates = (0..levels).flat_map(|at| [Self::Reads(at), Self::Writes(at)]);
        let first = [Self::Id, Self::Name].into_iter().chain(lengths).chain(rates);
        let sizes = each(Self::Bytes).chain(each(Self::Unique)).chain(each(Self::Use));
        first.chain(sizes).chain([Self::AllReads, Self::AllWrites, Self::Cycles]).collect()
    }

    /// The title, with its level and unit.
    fn title(self, head: &Head, language: Language) -> String {
        let word = |english: &'static str| tr(language, english).to_owned();
        let level = |at: usize| head.levels.get(at).map_or("", |level| level.name.as_str());
        let of = |at: usize, english: &'static str| format!("{} {}", level(at), tr(language, english));
        // Only where files do so are levels added up.
        let all = || head.levels.iter().map(|level| level.name.as_str()).collect::<Vec<_>>().join(" + ");
        let title = match self {
            Self::Id => word(phrase("Id")),
            Self::Name => word(phrase("Name")),
            Self::Time => word(phrase("Time µs")),
            Self::Cycles => word(phrase("Cycles")),
            Self::Lifetimes(at) if Self::is_of_all(head, at) => of(at, phrase("lifetimes, all units")),
            Self::Lifetimes(at) => of(at, phrase("lifetimes")),
            Self::Mean(at) => of(at, phrase("mean µs")),
            Self::Median(at) => of(at, phrase("median µs")),
            Self::P90(at) => of(at, phrase("90 % µs")),
            Self::Longest(at) => of(at, phrase("longest µs")),
            Self::Box(_) => word(phrase("1 ns – 10 ms, log")),
            Self::Reads(at) => of(at, phrase("reads MHz")),
            Self::Writes(at) => of(at, phrase("writes MHz")),
            Self::Bytes(at) => of(at, phrase("bytes")),
            Self::Unique(at) => of(at, phrase("sectors")),
            Self::Use(at) => of(at, phrase("share of cache touched")),
            Self::AllReads => format!("{} {}", all(), tr(language, phrase("reads GHz"))),
            Self::AllWrites => format!("{} {}", all(), tr(language, phrase("writes GHz"))),
            Self::Orphans(at) => of(at, phrase("orphans")),
        };
        match self {
            _ if head.has_times() => title,
            Self::Box(_) => word(phrase("1 – 10,000,000 cycles, log")),
            _ => title.replace("µs", tr(language, phrase("cycles"))),
        }
    }

    /// Whether lifetimes of a level are of all units although the mean is told.
    fn is_of_all(head: &Head, at: usize) -> bool {
        head.scope == "mean" && head.levels.get(at).is_some_and(|level| level.is_private)
    }

    /// The number of a kernel; nothing where there is none.
    fn value(self, head: &Head, kernel: &Kernel) -> Option<f64> {
        let table = &kernel.table;
        let level = |at: usize| table.levels.get(at);
        // Without lifetimes there are no lengths; stated ones come without their number.
        let has_lengths = |at: usize| level(at).is_some_and(|own| 0 < own.lifetimes || 0.0 < own.max);
        let length = |at: usize, value: fn(&crate::views::lifetimes::compute::LevelRow) -> f64| {
            level(at).filter(|_| has_lengths(at)).map(value)
        };
        let is_unseen = |at: usize| kernel.levels.get(at).is_none_or(|own| !own.is_recorded);
        match self {
            Self::Id => Some(table.id as f64),
            Self::Name | Self::Box(_) => None,
            Self::Time => head.clock_mhz.map(|mhz| table.cycles as f64 / mhz),
            Self::Cycles => Some(table.cycles as f64),
            Self::Lifetimes(at) => level(at).map(|own| own.lifetimes as f64).filter(|n| 0.0 < *n),
            Self::Mean(at) => length(at, |own| own.mean),
            Self::Median(at) => length(at, |own| own.median),
            Self::P90(at) => length(at, |own| own.p90),
            Self::Longest(at) => length(at, |own| own.max),
            // Rates need a time, and accesses that were recorded.
            Self::AllReads | Self::AllWrites if !head.has_times() || !kernel.is_recorded => None,
            Self::Reads(_) | Self::Writes(_) if !head.has_times() => None,
            Self::Reads(at) | Self::Writes(at) | Self::Unique(at) | Self::Use(at) if is_unseen(at) => None,
            Self::Reads(at) => level(at).map(|own| own.read_mhz),
            Self::Writes(at) => level(at).map(|own| own.write_mhz),
            Self::Bytes(at) => level(at).map(|own| own.bytes as f64).filter(|bytes| 0.0 < *bytes),
            Self::Unique(at) => level(at).map(|own| own.unique),
            Self::Use(at) => level(at).and_then(|own| own.utilization),
            Self::AllReads => Some(table.read_ghz),
            Self::AllWrites => Some(table.write_ghz),
            Self::Orphans(at) => {
                let own = kernel.levels.get(at).filter(|own| 0 < own.opened);
                own.map(|own| own.orphans as f64 / own.opened as f64)
            }
        }
    }

    /// What stands in the cell of a kernel.
    fn text(self, head: &Head, kernel: &Kernel) -> String {
        let Some(value) = self.value(head, kernel) else { return MISSING.to_owned() };
        match self {
            Self::Id | Self::Cycles | Self::Lifetimes(_) | Self::Bytes(_) => thousands(value as i64),
            Self::Unique(_) => fixed(value, usize::from(value.fract() != 0.0)),
            Self::Orphans(_) | Self::Use(_) => percent(value),
            Self::AllReads | Self::AllWrites => fixed(value, 3),
            Self::Reads(_) | Self::Writes(_) => fixed(value, if value < 10.0 { 2 } else { 0 }),
            // The title has the unit.
            _ => fixed(value, if value < 0.1 { 4 } else { 2 }),
        }
    }

    fn is_number(self) -> bool {
        !matches!(self, Self::Name | Self::Box(_))
    }
}

/// Rows of kernels in the order of the table.
pub(super) fn ordered(state: LifetimesState) -> Vec<u32> {
    let Order { column, is_down } = state.order.get();
    state.of(|head| {
        let mut rows: Vec<u32> = (0..head.kernels.len() as u32).collect();
        let kernel = |row: &u32| head.kernels.get(*row as usize);
        if column == Column::Name {
            let name = |row: &u32| kernel(row).map_or("", |kernel| kernel.table.name.as_str());
            order::sort_by(&mut rows, |a, b| name(a).cmp(name(b)));
        } else {
            let value = |row: &u32| kernel(row).and_then(|kernel| column.value(head, kernel));
            // What is missing is less than anything.
            order::sort_by_number(&mut rows, |row| value(row).unwrap_or(f64::NEG_INFINITY));
        }
        if is_down {
            rows.reverse();
        }
        rows
    })
}

/// Brings the row at a place of the table into view; the focus follows the choice there once both are drawn.
pub(super) fn focus_row(root: &web_sys::Element, at: usize) {
    let Ok(Some(scroller)) = root.query_selector(".lifetimes__scroll") else { return };
    let (top, room) = (at as f64 * ROW, f64::from(scroller.client_height()) - HEAD - ROW);
    let wanted = f64::from(scroller.scroll_top()).clamp(top - room.max(0.0), top);
    scroller.set_scroll_top(wanted as i32);
    request_animation_frame(move || {
        let chosen = scroller.query_selector(".lifetimes__row[aria-selected=true]").ok().flatten();
        if let Some(row) = chosen.and_then(|row| row.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = row.focus();
        }
    });
}

/// Whether all columns are shown.
fn is_whole(state: LifetimesState) -> bool {
    state.table.get() == Table::Whole
}

/// The table with its head.
#[component]
pub(super) fn KernelTable(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let about = move || {
        let (n, micros) = state.of(|head| {
            let cycles: u64 = head.kernels.iter().map(|kernel| kernel.table.cycles).sum();
            (head.kernels.len() as u64 + head.more, head.clock_mhz.map(|mhz| cycles as f64 / mhz))
        });
        let n = thousands(n.cast_signed());
        let words = match (micros.is_some(), state.has_layers()) {
            (true, false) => phrase("{n} kernels, {time}; select one to show it alone above"),
            (false, false) => phrase("{n} kernels; select one to show it alone above"),
            (true, true) => phrase("{n} layers, {time}; select one to show it alone above"),
            (false, true) => phrase("{n} layers; select one to show it alone above"),
        };
        fill(context.tr(words), &[("n", &n), ("time", &time(micros.unwrap_or(0.0) * 1e3))])
    };
    let title = move || context.tr(state.parts());
    let is_compared = Memo::new(move |_| context.baseline.get().is_some());
    let table = Memo::new(move |_| match state.table.get() {
        Table::Compared if !is_compared.get() => Table::Short,
        table => table,
    });
    let options = Signal::derive(move || {
        let compared = is_compared.get().then_some((Table::Compared, phrase("Compared")));
        [(Table::Short, phrase("Summary")), (Table::Whole, phrase("All columns"))]
            .into_iter()
            .chain(compared)
            .map(|(table, title)| (table.id().to_owned(), context.tr(title).to_owned()))
            .collect::<Vec<_>>()
    });
    let value = Signal::derive(move || table.get().id().to_owned());
    let choose = Callback::new(move |id: String| state.table.set(Table::of(&id)));
    let rows = move || match table.get() {
        Table::Compared => view! { <Kernels state /> }.into_any(),
        _ => view! { <Rows state /> }.into_any(),
    };
    view! {
        <section class="lifetimes__kernels" aria-label=title>
            <header class="lifetimes__bar">
                <h2 class="figure__title">{title}</h2>
                <span class="lifetimes__about" data-tip=about>{about}</span>
                <span class="lifetimes__gap"></span>
                <Show when=move || table.get() == Table::Short>
                    <span class="lifetimes__legend" aria-hidden="true">
                        <span><i class="lifetimes__key-box"></i>{context.word(phrase("10 – 90 %"))}</span>
                        <span><i class="lifetimes__key-median"></i>{context.word(phrase("median"))}</span>
                        <span><i class="lifetimes__key-longest"></i>{context.word(phrase("to the longest"))}</span>
                    </span>
                </Show>
                <Segmented label=context.word(phrase("Columns")) options value on_choose=choose small=true />
            </header>
            {rows}
        </section>
    }
}

#[component]
fn Rows(state: LifetimesState) -> impl IntoView {
    let columns = Memo::new(move |_| {
        let is_whole = is_whole(state);
        state.of(|head| if is_whole { Column::whole(head.levels.len()) } else { Column::short(head) })
    });
    let rows = Memo::new(move |_| ordered(state));
    let (node, top) = (NodeRef::<leptos::html::Div>::new(), RwSignal::new((0_usize, 40_usize)));
    let scrolled = move |_| {
        let Some(node) = node.get_untracked() else { return };
        let first = (f64::from(node.scroll_top()) / ROW) as usize;
        let n = (f64::from(node.client_height()) / ROW).ceil() as usize;
        let next = (first.saturating_sub(MORE), n + 2 * MORE);
        if top.get_untracked() != next {
            top.set(next);
        }
    };
    let heads = move || {
        let language = state.context.language.get();
        let head = |column: Column| view! { <HeadCell state column title=state.of(|head| column.title(head, language)) /> };
        columns.get().into_iter().map(head).collect_view()
    };
    let body = move || {
        let (first, n) = top.get();
        let (rows, columns) = (rows.get(), columns.get());
        let end = (first + n).min(rows.len());
        let first = first.min(end);
        let space = |rows: usize| {
            view! { <tr class="lifetimes__space"><td style:height=format!("{}px", rows as f64 * ROW)></td></tr> }
        };
        let seen = (first..end).zip(rows.get(first..end).unwrap_or_default());
        let row = |(at, row): (usize, &u32)| {
            let is_first = at == 0;
            view! { <Row state row=*row columns=columns.clone() is_first /> }
        };
        let seen = seen.map(row).collect_view();
        view! { {space(first)} {seen} {space(rows.len() - end)} }
    };
    let more = move || {
        let n = state.of(|head| head.more);
        (0 < n).then(|| {
            let words = if state.has_layers() {
                phrase("{n} more layers are not listed.")
            } else {
                phrase("{n} more kernels are not listed.")
            };
            let words = fill(state.context.tr(words), &[("n", &thousands(n.cast_signed()))]);
            view! { <p class="lifetimes__note">{words}</p> }
        })
    };
    let on_paper = move || {
        let ((first, n), count) = (top.get(), rows.with(Vec::len));
        let listed = first.min(count)..(first + n).min(count);
        (listed.len() < count).then(|| range_words(&listed, count))
    };
    view! {
        <p class="lifetimes__paper">{on_paper}</p>
        <div class="lifetimes__scroll" node_ref=node on:scroll=scrolled>
            <table class="lifetimes__table" class:lifetimes__table--whole=move || is_whole(state)>
                <thead><tr>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
            {more}
        </div>
    }
}

#[component]
fn HeadCell(state: LifetimesState, column: Column, title: String) -> impl IntoView {
    let order = Memo::new(move |_| Some(state.order.get()).filter(|order| order.column == column));
    let turn = move |_| {
        let is_down = state.order.get_untracked().column != column || !state.order.get_untracked().is_down;
        state.order.set(Order { column, is_down });
    };
    let arrow = move || order.get().map(|order| if order.is_down { " ↓" } else { " ↑" });
    let sorted = move || order.get().map(|order| if order.is_down { "descending" } else { "ascending" });
    let is_box = matches!(column, Column::Box(_));
    view! {
        <th scope="col" class:lifetimes__number=column.is_number() class:lifetimes__box-head=is_box aria-sort=sorted>
            {if is_box {
                title.into_any()
            } else {
                view! { <button class="lifetimes__sort" type="button" on:click=turn>{title}<i>{arrow}</i></button> }.into_any()
            }}
        </th>
    }
}

#[component]
fn Row(state: LifetimesState, row: u32, columns: Vec<Column>, is_first: bool) -> impl IntoView {
    // Read anew with each head: clock and scope change what stands there, but not which rows there are.
    let cells = move || {
        state.of(|head| {
            let Some(kernel) = head.kernels.get(row as usize) else { return Vec::new() };
            let cell = |column: &Column| match *column {
                Column::Box(level) => {
                    let own = kernel.table.levels.get(level).zip(kernel.levels.get(level));
                    let place = own.filter(|(own, _)| 0.0 < own.max).map(|(own, more)| {
                        // One that is alone has no quartiles.
                        let p10 = if 0.0 < more.p10 { more.p10 } else { own.median };
                        let nanos = if head.has_times() { 1000.0 } else { 1.0 };
                        [p10, own.median, own.p90, own.max].map(|micros| micros * nanos)
                    });
                    view! { <td class="lifetimes__box-cell"><BoxMark state place /></td> }.into_any()
                }
                Column::Name => {
                    let name = kernel.table.name.clone();
                    let more = [
                        (1.0 < kernel.weight).then(|| format!("× {}", fixed(kernel.weight, 0))),
                        kernel.is_cut.then(|| state.context.tr(phrase("cut off")).to_owned()),
                    ];
                    let more = more.into_iter().flatten().collect::<Vec<_>>().join(", ");
                    let tip = with_symbol(&name, &kernel.symbol);
                    view! {
                        <td class="lifetimes__name" title=tip>
                            <span class="lifetimes__whole"><Name text=Signal::stored(name) /><small>{more}</small></span>
                        </td>
                    }
                    .into_any()
                }
                column => view! { <td class="lifetimes__number">{column.text(head, kernel)}</td> }.into_any(),
            };
            columns.iter().map(cell).collect::<Vec<_>>()
        })
    };
    let is_chosen = move || state.kernel.get() == Some(row);
    let choose = move || {
        let own = if state.kernel.get_untracked() == Some(row) { None } else { Some(row) };
        state.kernel.set(own);
    };
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
            event.stop_propagation();
            state.kernel.set(Some(row));
        }
    };
    // Tab stops once: at the chosen row, or at the first.
    let stop = move || if is_first || is_chosen() { "0" } else { "-1" };
    view! {
        <tr
            class="lifetimes__row"
            tabindex=stop
            aria-selected=move || is_chosen().to_string()
            on:click=move |_| choose()
            on:keydown=key
        >
            {cells}
        </tr>
    }
}

/// 10 to 90 %, the median and a line to the longest, on the axis of the plots, with the retentions.
#[component]
fn BoxMark(
    state: LifetimesState,
    /// 10 %, median, 90 %, longest in nanoseconds, or in cycles.
    place: Option<[f64; 4]>,
) -> impl IntoView {
    let at = |nanos: f64| (nanos.max(1.0).log10() / 7.0).clamp(0.0, 1.0) * 100.0;
    let Some([p10, median, p90, longest]) = place.map(|all| all.map(at)) else {
        return view! { <span class="lifetimes__missing">{MISSING}</span> }.into_any();
    };
    let percent = |value: f64| format!("{value:.2}%");
    let lines = move || {
        let line = |(_, line): &(usize, crate::views::lifetimes::scene::Line)| {
            view! { <i class="lifetimes__box-line" style:left=percent(at(line.micros * 1000.0))></i> }
        };
        state.lines.with(|lines| lines.iter().map(line).collect_view())
    };
    view! {
        <span class="lifetimes__box">
            {lines}
            <i class="lifetimes__box-longest" style:left=percent(p90) style:width=percent(longest - p90)></i>
            <i class="lifetimes__box-body" style:left=percent(p10) style:width=percent(p90 - p10)></i>
            <i class="lifetimes__box-median" style:left=percent(median)></i>
        </span>
    }
    .into_any()
}
