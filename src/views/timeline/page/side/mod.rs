//! The right half below the lanes: what the range adds up to, the single slices and instants behind it, what was found, marks; and
//! what else the range holds: its calls, tracks busy together, idle time, flows; and the difference to a baseline.

pub(super) mod area;
mod flame;
mod overlap;

use crate::base::number::{duration, fixed, thousands};
use crate::base::window::Window;
use crate::base::words::{fill, phrase, tr};
use crate::pane::context::ViewContext;
use crate::pane::loading::{Place, loaded};
use crate::ui::field::{SearchField, Segmented, SelectField, Switch};
use crate::ui::icon::{Glyph, Icon};
use crate::ui::tabs::{Tab, Tabs, panel_id, tab_id};
use crate::views::statistics::page::difference::Difference;
use crate::views::timeline::area::{AreaQuery, Reply};
use crate::views::timeline::messages::Area;
use crate::views::timeline::page::marks::MarkList;
use crate::views::timeline::page::state::TimelineState;
use crate::wire::rows::{Only, Source};
use area::{AreaTable, AreaWords, answer, argument, save, shown};
use leptos::prelude::*;

/// DOM id of the field that searches slices.
pub(in crate::views::timeline::page) const FIELD: &str = "timeline-search";

/// What the right half of the detail pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::views::timeline::page) enum Panel {
    /// What the range adds up to.
    Range,
    /// The slices behind it.
    Slices,
    Instants,
    Search,
    Marks,
    /// Calls of the range.
    Flame,
    /// Tracks busy together.
    Overlap,
    /// Busy and idle time.
    Idle,
    Flows,
    /// What became of names since the baseline.
    Difference,
}

impl Panel {
    pub(in crate::views::timeline::page) const ALL: [Self; 10] = [
        Self::Difference,
        Self::Range,
        Self::Slices,
        Self::Instants,
        Self::Search,
        Self::Marks,
        Self::Flame,
        Self::Overlap,
        Self::Idle,
        Self::Flows,
    ];

    pub(in crate::views::timeline::page) fn id(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Slices => "slices",
            Self::Instants => "instants",
            Self::Search => "search",
            Self::Marks => "marks",
            Self::Flame => "flame",
            Self::Overlap => "overlap",
            Self::Idle => "idle",
            Self::Flows => "flows",
            Self::Difference => "difference",
        }
    }

    pub(in crate::views::timeline::page) fn title(self) -> &'static str {
        match self {
            Self::Range => phrase("Range"),
            Self::Slices => phrase("Slices"),
            Self::Instants => phrase("Instants"),
            Self::Search => phrase("Search"),
            Self::Marks => phrase("Marks"),
            Self::Flame => phrase("Flame"),
            Self::Overlap => phrase("Overlap"),
            Self::Idle => phrase("Idle"),
            Self::Flows => phrase("Flows"),
            Self::Difference => phrase("Difference"),
        }
    }
}

/// Where the shown panel stands among the states of views in the address.
const KEPT: &str = "panel";
/// Where the choices of panels stand among them.
const CHOSEN: &str = "area";

/// The panel that the address names.
pub(in crate::views::timeline::page) fn of_address(context: ViewContext) -> Panel {
    let id = context.states.with_untracked(|s| s.get(KEPT).cloned()).unwrap_or_default();
    Panel::ALL.into_iter().find(|panel| panel.id() == id).unwrap_or(Panel::Range)
}

/// Keeps the shown panel in the address, and follows it.
pub(in crate::views::timeline::page) fn keep(state: TimelineState) {
    let states = state.context.states;
    let named = Memo::new(move |_| states.with(|s| s.get(KEPT).cloned()));
    Effect::new(move |before: Option<()>| {
        if named.get().is_some() || before.is_some() {
            state.side.set(of_address(state.context));
        }
    });
    Effect::new(move || {
        let panel = state.side.get();
        let id = (panel != Panel::Range).then(|| panel.id().to_owned());
        if states.with_untracked(|s| s.get(KEPT).cloned()) != id {
            states.update(|s| match id {
                Some(id) => drop(s.insert(KEPT.to_owned(), id)),
                None => drop(s.remove(KEPT)),
            });
        }
    });
}

/// Above a list of the slices of one name: which, and the way to those of all.
#[component]
fn OfName(state: TimelineState) -> impl IntoView {
    let context = state.context;
    move || {
        state.name.get().map(|name| {
            view! {
                <div class="detail__tools">
                    <span class="detail__scope detail__scope--name" title=name.clone()>{name.clone()}</span>
                    <button class="button button--text" type="button" on:click=move |_| state.name.set(None)>
                        {context.word("All names")}
                    </button>
                </div>
            }
        })
    }
}

/// The pane.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub(in crate::views::timeline::page) fn Side(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let tabs = Signal::derive(move || tabs(state));
    let current = Signal::derive(move || state.side.get().id().to_owned());
    let choose = Callback::new(move |id: String| {
        state.side.set(Panel::ALL.into_iter().find(|s| s.id() == id).unwrap_or(Panel::Range));
    });
    let no_range = move || {
        view! {
            <p class="detail__empty">{context.word("Drag across tracks to summarize a range.")}</p>
            <p class="detail__empty">{context.word("Click a slice or an instant to see its arguments, call stack and links.")}</p>
        }
        .into_any()
    };
    // Choosing a slice leaves the area as it is, and so the list with its keyboard.
    let area = Memo::new(move |_| state.area());
    let list = move |state: TimelineState, label: &'static str, source: Source| {
        let source = Signal::stored(Some(source));
        view! { <AreaTable state label=context.word(label) source /> }.into_any()
    };
    let show = move |panel: Panel, state: TimelineState| match panel {
        Panel::Range => match area.get() {
            Some(area) => view! { <SumTable state area /> }.into_any(),
            None => no_range(),
        },
        Panel::Slices => match area.get() {
            Some(area) => {
                let source = Source::Slices { area, only: Only { name: state.name.get(), category: None } };
                view! { <OfName state /> {list(state, phrase("Slices in range"), source)} }.into_any()
            }
            None => no_range(),
        },
        Panel::Instants => match area.get() {
            Some(area) => list(state, phrase("Instants in range"), Source::Instants(area)),
            None => no_range(),
        },
        Panel::Search => view! { <Found state /> }.into_any(),
        Panel::Marks => view! { <MarkList state /> }.into_any(),
        Panel::Flame => view! { <flame::FlamePanel state /> }.into_any(),
        Panel::Overlap => view! { <overlap::OverlapPanel state /> }.into_any(),
        Panel::Idle => view! { <IdlePanel state /> }.into_any(),
        Panel::Flows => view! { <FlowPanel state /> }.into_any(),
        Panel::Difference => view! { <DifferencePanel state /> }.into_any(),
    };
    let body = move || {
        let panel = state.side.get();
        let make = move |context| show(panel, TimelineState { context, ..state });
        loaded(Place::Part, context, context.word(panel.title()), make)
    };
    view! {
        <section class="detail__side" aria-label=context.word("Range and search")>
            <div class="detail__tabs">
                <Tabs label=context.word("Range and search") tabs current on_choose=choose dense=true />
            </div>
            <div
                class="detail__body"
                role="tabpanel"
                id=move || panel_id(&current.get())
                aria-labelledby=move || tab_id(&current.get())
            >
                {body}
            </div>
        </section>
    }
}

/// The tabs with their counts.
fn tabs(state: TimelineState) -> Vec<Tab> {
    let context = state.context;
    let language = context.language.get();
    let n = |n: Option<u64>| n.map(|n| thousands(n.cast_signed())).unwrap_or_default();
    let clock = context.head.with(|h| h.clock);
    let range = context.selection.with(|s| s.range).map(|r| duration(r.dur(), clock));
    let counts = [
        String::new(),
        range.unwrap_or_default(),
        n(state.n_slices.get()),
        String::new(),
        n(state.hits.with(|h| h.as_ref().map(|h| h.n))),
        n(Some(state.marks.with(Vec::len) as u64).filter(|n| 0 < *n)),
    ];
    let counts = counts.into_iter().chain(std::iter::repeat(String::new()));
    let (has_flows, has_instants) = context.head.with(|h| (0 < h.contents.flows, 0 < h.contents.instants));
    let tab = |(side, count): (Panel, String)| Tab {
        id: side.id().to_owned(),
        title: tr(language, side.title()).to_owned(),
        count,
    };
    let is_compared = state.old.get().is_some();
    let shown = |side: &(Panel, String)| match side.0 {
        Panel::Flows => has_flows,
        Panel::Instants => has_instants,
        Panel::Difference => is_compared,
        _ => true,
    };
    Panel::ALL.into_iter().zip(counts).filter(shown).map(tab).collect::<Vec<_>>()
}

#[component]
fn SumTable(state: TimelineState, area: Area) -> impl IntoView {
    let context = state.context;
    let more = Callback::new(move |name: String| {
        state.name.set(Some(name).filter(|name| !name.is_empty()));
        state.side.set(Panel::Slices);
    });
    let source = Signal::stored(Some(Source::Sums(area)));
    let hint = context.word("Press Enter or double-click to list the slices with this name.");
    view! {
        <AreaTable state label=context.word("Range totals") source on_name=more />
        <p class="detail__hint">{hint}</p>
    }
}

/// What can be searched for beside names.
const SEARCH_HELP: &str = phrase(
    "Text in names, or filters: cat:kernel, dur>500us, or any argument, such as correlation:157512. All must match. Quote names with spaces: \"External id\":42.",
);

#[component]
fn Found(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let text = RwSignal::new(state.search.with_untracked(|s| s.text.clone()));
    // The search may be set from elsewhere, such as the menu of a slice.
    Effect::new(move || {
        let now = state.search.with(|s| s.text.clone());
        if untrack(|| text.with(|text| *text != now)) {
            text.set(now);
        }
    });
    Effect::new(move || {
        let text = text.get();
        if untrack(|| state.search.with(|s| s.text != text)) {
            state.search.update(|s| s.text = text);
        }
    });
    let count = Signal::derive(move || {
        let n = state.hits.with(|h| h.as_ref().map(|h| h.n))?;
        let n = thousands(n.cast_signed());
        Some(match state.hit.get() {
            Some(at) => format!("{} / {n}", thousands(i64::from(at) + 1)),
            None => n,
        })
    });
    let step = Callback::new(move |backward: bool| state.step(!backward));
    let button = move |glyph: Glyph, title: &'static str, forward: bool| {
        let title = context.word(title);
        view! {
            <button class="button button--small" type="button" aria-label=title data-tip=title on:click=move |_| state.step(forward)>
                <Icon glyph small=true />
            </button>
        }
    };
    let is_case = Signal::derive(move || state.search.with(|s| s.is_case_sensitive));
    let is_pattern = Signal::derive(move || state.search.with(|s| s.is_pattern));
    let is_within = Signal::derive(move || state.search.with(|s| s.within.is_some()));
    let has_range = Memo::new(move |_| context.selection.with(|s| s.range.is_some()));
    let set_within = Callback::new(move |on: bool| {
        let range = context.selection.with_untracked(|s| s.range);
        state.search.update(|s| s.within = range.filter(|_| on));
    });
    let within = move || {
        let label = context.word("In selection");
        has_range.get().then(|| view! { <Switch label checked=is_within on_change=set_within /> })
    };
    let problem = move || state.hits.with(|h| h.as_ref().and_then(|h| h.problem.clone()));
    let is_word = Signal::derive(move || state.search.with(|s| s.is_whole_word));
    let help = context.word(SEARCH_HELP);
    // One table for whatever is typed: its newer questions overtake the older ones.
    let has_text = Memo::new(move |_| state.search.with(|s| !s.text.is_empty()));
    let source = Signal::derive(move || Some(Source::Hits(state.search.get())));
    let list = move || {
        has_text.get().then(|| view! { <AreaTable state label=context.word("Slices found") source /> })
    };
    // The keys of the lanes do not reach a field.
    let key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "F3" {
            event.prevent_default();
            event.stop_propagation();
            state.step(!event.shift_key());
        }
    };
    view! {
        <div class="detail__search" on:keydown=key>
            <SearchField label=context.word("Search slices and instants") value=text count wide=true on_enter=step id=FIELD />
            {button(Glyph::Left, phrase("Previous match"), false)}
            {button(Glyph::Right, phrase("Next match"), true)}
            <Switch
                label=context.word("Match case")
                checked=is_case
                on_change=Callback::new(move |on| state.search.update(|s| s.is_case_sensitive = on))
            />
            <Switch
                label=context.word("Whole word")
                checked=is_word
                on_change=Callback::new(move |on| state.search.update(|s| s.is_whole_word = on))
            />
            <Switch
                label=context.word("Regex")
                checked=is_pattern
                on_change=Callback::new(move |on| state.search.update(|s| s.is_pattern = on))
            />
            {within}
            <button class="statistics__help" type="button" aria-label=help data-tip=help>"?"</button>
            <span class="detail__problem" role="status" data-tip=problem>{problem}</span>
        </div>
        <div class="detail__hits">{list}</div>
    }
}

// What became of names since the baseline, in the selected range, else in the shown time.

/// The table.
#[component]
fn DifferencePanel(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let compared = Memo::new(move |_| {
        let range = context.selection.with(|s| s.range).or_else(|| context.window.get().map(Window::span));
        let theirs = range.map(|r| state.mapping.get().map_or(r, |m| m.span(r)));
        Some((state.old.get()?.context.document, theirs, range))
    });
    let compared = Signal::derive(move || {
        let (_, theirs, range) = compared.get()?;
        Some((untrack(|| state.old.get())?.context, theirs, range))
    });
    let revision = Signal::derive(move || {
        let old = state.old.get().map_or(0, |old| old.rows().revision.get());
        u64::from(state.rows().revision.get()).wrapping_add(u64::from(old) << 32)
    });
    let scope = Signal::derive(move || scope(context));
    view! { <Difference context compared revision scope /> }
}

/// Of which time the table is.
fn scope(context: ViewContext) -> String {
    let is_ranged = context.selection.with(|s| s.range.is_some());
    let words = match (is_ranged, context.window.get().is_some()) {
        (true, _) => phrase("selected range"),
        (false, true) => phrase("visible range"),
        (false, false) => phrase("entire trace"),
    };
    tr(context.language.get(), words).to_owned()
}

// Flows of the range: single ones, and what they add up to by category.

/// Ids of the choice that are no categories.
const ALL: &str = "*";
const SUMS: &str = "+";

/// The panel.
#[component]
fn FlowPanel(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let chosen = context.choice(CHOSEN, "flows", ALL);
    let reply = answer(state, Signal::derive(move || area.get().map(AreaQuery::Categories)));
    let options = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        let mut options = vec![(ALL.to_owned(), word("All")), (SUMS.to_owned(), word("Sums by category"))];
        if let Some(Reply::Categories(names)) = reply.get() {
            options.extend(names.into_iter().map(|name| (format!("={name}"), name)));
        }
        options
    });
    let is_sums = Memo::new(move |_| chosen.with(|c| c == SUMS));
    let source = Signal::derive(move || {
        let area = area.get()?;
        let category = chosen.with(|c| c.strip_prefix('=').map(str::to_owned));
        Some(if is_sums.get() { Source::Categories(area) } else { Source::Flows { area, category } })
    });
    let on_name = Callback::new(move |name: String| chosen.set(format!("={name}")));
    let table = move || {
        let (label, hint) = if is_sums.get() {
            (
                phrase("Sums by category"),
                phrase("Press Enter or double-click to list the flows of a category."),
            )
        } else {
            (
                phrase("Flows in range"),
                phrase("Click to go to the start of a flow; press Enter or double-click to go to its end."),
            )
        };
        view! {
            <AreaTable state label=context.word(label) source on_name />
            <p class="detail__hint">{context.word(hint)}</p>
        }
    };
    view! {
        <div class="detail__tools">
            <SelectField label=context.word("Category") options value=chosen on_choose=Callback::new(move |id| chosen.set(id)) />
            <AreaWords state area />
        </div>
        {table}
    }
}

// When tracks do nothing: busy and idle time of each, its longest gap, and all gaps.

/// The panel.
#[allow(clippy::too_many_lines)] // two tables with their switches
#[component]
fn IdlePanel(state: TimelineState) -> impl IntoView {
    let context = state.context;
    let area = shown(state, false);
    let waits = state.waits;
    let show = context.choice(CHOSEN, "idle", "tracks");
    let options = Signal::derive(move || {
        let language = context.language.get();
        [("tracks", phrase("Tracks")), ("gaps", phrase("Gaps"))]
            .map(|(id, title)| (id.to_owned(), tr(language, title).to_owned()))
            .to_vec()
    });
    let reply = answer(state, Signal::derive(move || area.get().map(AreaQuery::Devices)));
    let on_save = move |_| {
        if let Some(area) = area.get_untracked() {
            let third = if waits.get_untracked() { ":waits" } else { "" };
            save(state, format!("gaps-csv:{}{third}", argument(&area)));
        }
    };
    let devices = move || {
        let language = context.language.get();
        reply.with(|reply| {
            let Some(Reply::Devices(devices)) = reply else { return String::new() };
            let one = |(name, n, share): &(String, u64, f64)| {
                let values =
                    [("name", name.clone()), ("share", fixed(share * 100.0, 1)), ("n", n.to_string())];
                let values = values.each_ref().map(|(key, value)| (*key, value.as_str()));
                fill(tr(language, "{name}: {share} % of recorded time busy, streams: {n}"), &values)
            };
            devices.iter().take(8).map(one).collect::<Vec<_>>().join(" · ")
        })
    };
    let is_gaps = Memo::new(move |_| show.with(|show| show == "gaps"));
    let source = Signal::derive(move || {
        let (area, waits) = (area.get()?, waits.get());
        Some(if is_gaps.get() { Source::Gaps { area, waits } } else { Source::Idle { area, waits } })
    });
    let counts = RwSignal::new((0_u64, 0_u64));
    let on_count = Some(Callback::new(move |count| {
        counts.try_set(count);
    }));
    let hint = move || {
        let language = context.language.get();
        let (n, m) = counts.get();
        let words = match n == m {
            _ if !is_gaps.get() => phrase("Press Enter or double-click to go to the longest gap."),
            true => phrase("Gaps: {n}"),
            false => phrase("Gaps: {n} (longest {m} listed)"),
        };
        let [n, m] = [n, m].map(|n| thousands(n.cast_signed()));
        fill(tr(language, words), &[("n", &n), ("m", &m)])
    };
    let table = move || {
        let label =
            if is_gaps.get() { phrase("Gaps in range") } else { phrase("Busy and idle time by track") };
        view! { <AreaTable state label=context.word(label) source on_count /> }
    };
    view! {
        <div class="detail__tools">
            <Segmented label=context.word("Show as") options value=show on_choose=Callback::new(move |id| show.set(id)) small=true />
            <Switch label=context.word("Count waiting as busy") checked=waits on_change=Callback::new(move |on| waits.set(on)) />
            <AreaWords state area />
            <button class="button button--text" type="button" on:click=on_save>{context.word("Idle gaps as CSV")}</button>
        </div>
        <p class="detail__devices">{devices}</p>
        {table}
        <p class="detail__hint">{hint}</p>
    }
}
