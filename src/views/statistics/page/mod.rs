//! Where did the time go: slices by name, category or track, with counts, sums and percentiles.
//!
//! Needs slices. Heads sort, the field above narrows down; Enter or a double click on a row shows its longest slice in the
//! timeline. A chosen row lists its slices below; the arrows beside its name go through them, and the slice that they
//! stand at is the selected one of the document.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod device;
pub mod difference;
mod state;

use crate::analysis::rows::Goal;
use crate::analysis::statistics::{By, Of};
use crate::base::words::{phrase, tr};
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::rows::WorkerTable;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::split::{Extent, Orientation, Split};
use crate::ui::{Steps, tabs};
use crate::views::statistics::page::difference::Difference;
use crate::wire::rows::{Opened, Shown, Source};
use device::DeviceFigures;
use leptos::prelude::*;
use state::{BY, LISTS, Listed, SCOPES, StatisticsState};

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "statistics",
    title: phrase("Statistics"),
    question: "Where did the time go, by name, category or track?",
    can_show: |head| 0 < head.contents.slices,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// What the numbers are.
const HELP: &str = phrase(
    "Total: time in these slices within the scope; nested slices in the same row count once. Self: total minus nested slices in other rows. Share: self as a share of all self time. Bar: self within total. Median and p95 are interpolated, as numpy.percentile does.",
);

const HELP_THREADS: &str = phrase(
    "Time each thread spent in each state while scheduling was recorded. % running: share of that time on a CPU.",
);
const HELP_KERNEL_NAMES: &str = phrase(
    "Kernels, copies and waits on all streams by name; select a row for its launches. Share: total as a share of all kernels and copies. Streams overlap, so the sum may exceed the elapsed time. Median and p95 are interpolated, as numpy.percentile does.",
);
const HELP_KERNELS: &str = phrase(
    "Latency: start of the launch call to start of the kernel. Queue: launches on the stream that had not started at this one, including itself. Operator: the innermost around the launch.",
);
const HELP_OPERATORS: &str = phrase(
    "Host total: time in the operator. Host self: without nested operators. Device total: kernels and copies launched in it, including by nested operators. Device self: only those of the operator itself. Kernels total and Kernels self: how many of each.",
);

const HELP_TREE: &str = phrase(
    "Calls with the same names from the top down share one row. Host total: time in them. Host self: without nested calls. Device total: kernels and copies launched inside. Share: host total as a share of all.",
);
const HELP_MEMORY: &str = phrase(
    "Allocated and freed while a call of the operator runs on its thread; Self: while it is the innermost. Net: allocated minus freed; memory may be freed by another operator. Peak: the maximum the device held.",
);

/// What becomes of columns without room.
const HELP_COLUMNS: &str = phrase(
    "When space is short, the columns that say least are hidden; a button beside the filter names them and shows them. The exported table has all columns.",
);

/// Height of the list of slices.
const LIST: Extent = Extent { usual: 240.0, least: 120.0, share: 0.7 };
/// Height of the figures of host and device.
const FIGURES: Extent = Extent { usual: 278.0, least: 120.0, share: 0.7 };
/// Figures with more in them take up to this share of the view.
const FIGURES_FIT: f64 = 0.4;

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <StatisticsView context /> }.into_any()
}

#[component]
fn StatisticsView(context: ViewContext) -> impl IntoView {
    let state = StatisticsState::new(context, VIEW.id);
    let size = RwSignal::new(LIST.usual);
    let folded = Signal::derive(move || state.chosen.with(Option::is_none));
    let is_compared = Memo::new(move |_| context.baseline.get().is_some());
    let rows = ViewFn::from(move || {
        view! {
            <Show when=move || is_compared.get() fallback=move || view! { <Rows state /> }>
                <Compared state />
            </Show>
        }
    });
    let slices = ViewFn::from(move || view! { <Slices state /> });
    let upper = ViewFn::from(move || {
        let (rows, slices) = (rows.clone(), slices.clone());
        view! {
            <Split label=context.word(phrase("Height of the slice list")) orientation=Orientation::Vertical extent=LIST size sizes_second=true strong=true folded first=rows second=slices />
        }
    });
    let lower = ViewFn::from(move || view! { <DeviceFigures state /> });
    let height = RwSignal::new(FIGURES.usual);
    let has_none = Signal::derive(move || state.device.with(Option::is_none) || !state.has_streams());
    view! {
        <div class="statistics">
            <tabs::Tools view=VIEW.id>
                <Show when=move || !is_compared.get()><Tools state /></Show>
            </tabs::Tools>
            <Split label=context.word(phrase("Height of the figures")) orientation=Orientation::Vertical extent=FIGURES size=height sizes_second=true fits=FIGURES_FIT strong=true folded=has_none first=upper second=lower />
        </div>
    }
}

/// Kernels, operators, steps and names beside those of the baseline.
#[component]
fn Compared(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let compared = Signal::derive(move || Some((context.baseline.get()?.context, None, None)));
    let revision = Signal::stored(0_u64);
    let scope = context.word(phrase("entire trace"));
    view! {
        <div class="statistics__compared">
            <Difference context compared revision scope />
        </div>
    }
}

/// What slices are added up by, and which stretch of time.
#[component]
fn Tools(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let options = move |titles: [&'static str; 3], ids: [&'static str; 3]| {
        Signal::derive(move || {
            let titled =
                ids.iter().zip(titles).map(|(id, title)| ((*id).to_owned(), context.tr(title).to_owned()));
            titled.collect::<Vec<_>>()
        })
    };
    let sums = options([phrase("Name"), phrase("Category"), phrase("Track")], BY.map(|(_, id)| id));
    let groups = Signal::derive(move || {
        let mut all = Vec::new();
        if state.device.with(Option::is_some) {
            let titles = [phrase("Kernels"), phrase("Operators"), phrase("Functions")].into_iter().zip(LISTS);
            let is_there = move |id: &str| match id {
                "kernels" => state.has_streams(),
                "functions" => state.has_functions(),
                _ => state.has_streams() || state.has_memory(),
            };
            let titles = titles.filter(|(_, (_, id))| is_there(id));
            all.extend(titles.map(|(title, (_, id))| (id.to_owned(), context.tr(title).to_owned())));
        }
        all.extend(sums.get());
        let scheduling =
            [(Of::States, "threads", phrase("Threads")), (Of::Processors, "cpus", phrase("CPUs"))];
        let scheduling = scheduling.into_iter().filter(|(of, ..)| state.has(*of));
        all.extend(scheduling.map(|(_, id, title)| (id.to_owned(), context.tr(title).to_owned())));
        all
    });
    let scopes = options([phrase("All"), phrase("Window"), phrase("Range")], SCOPES);
    let by = Signal::derive(move || {
        let id = match state.by_id() {
            "modules" | "stacks" => "functions",
            "memory" => "operators",
            "launches" => "kernels",
            id => id,
        };
        id.to_owned()
    });
    let scope = Signal::derive(move || state.scope.get().to_owned());
    let denied = Signal::derive(move || {
        let why = || context.tr(phrase("Drag across tracks in the timeline to select a range.")).to_owned();
        context.selection.with(|s| s.range.is_none()).then(|| ("range".to_owned(), why()))
    });
    let choose_by = Callback::new(move |id: String| state.choose_by(&id));
    let choose_scope = Callback::new(move |id: String| state.choose_scope(&id));
    view! {
        <div class="statistics__tools">
            <span class="statistics__label">{context.word(phrase("Group by"))}</span>
            <Segmented label=context.word(phrase("Group by")) options=groups value=by on_choose=choose_by />
            <span class="statistics__label">{context.word(phrase("Scope"))}</span>
            <Segmented label=context.word(phrase("Scope")) options=scopes value=scope on_choose=choose_scope denied />
        </div>
    }
}

/// A choice among what a list holds, and all of it; nothing to choose among one.
#[component]
fn Narrow(
    state: StatisticsState,
    by: By,
    label: &'static str,
    all: &'static str,
    #[prop(into)] value: Signal<Option<Goal>>,
    on_choose: Callback<Option<Goal>>,
) -> impl IntoView {
    let context = state.context;
    let list = state.list(by);
    let options = Signal::derive(move || {
        let first = (String::new(), context.tr(all).to_owned());
        let title = |text: String| if text.is_empty() { context.tr(phrase("none")).to_owned() } else { text };
        let listed = list.get().into_iter().enumerate();
        let listed = listed.map(|(at, (text, _))| (at.to_string(), title(text)));
        std::iter::once(first).chain(listed).collect::<Vec<_>>()
    });
    let at = Signal::derive(move || {
        let value = value.get();
        let at = list.with(|list| list.iter().position(|(_, goal)| value.is_some() && *goal == value));
        at.map_or(String::new(), |at| at.to_string())
    });
    let choose = Callback::new(move |id: String| {
        let at = id.parse::<usize>().ok();
        on_choose.run(at.and_then(|at| list.with_untracked(|list| list.get(at)?.1.clone())));
    });
    view! {
        <Show when=move || list.with(|list| 1 < list.len())>
            <SelectField label=context.word(label) options value=at on_choose=choose />
        </Show>
    }
}

/// The statistics.
#[component]
fn Rows(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let source = Memo::new(move |_| match state.listed.get() {
        Listed::Sums | Listed::Processors => state.options.get().map(Source::Statistics),
        Listed::Threads => state.options.get().map(Source::Threads),
        Listed::Kernels => state.device.get().map(Source::KernelSums),
        Listed::Launches => state.device.get().map(Source::Kernels),
        Listed::Operators => state.device.get().map(Source::Operators),
        Listed::Functions => state.device.get().map(Source::Functions),
        listed @ (Listed::Modules | Listed::Stacks) => state.device.get().map(|options| Source::Tree {
            options,
            is_modules: listed == Listed::Modules,
            shown: state.shown.get(),
        }),
        Listed::Memory => {
            let device = state.memory.get();
            state.device.get().map(|options| Source::Memory { options, device })
        }
    });
    let table = state.table;
    Effect::new(move || {
        // A row of another table is another row.
        if state.chosen.with(Option::is_none) {
            table.chosen.set(None);
        }
    });
    let choose = Callback::new(move |goal| match goal {
        // A kernel is a slice itself.
        Goal::Slice(id) => context.selection.update(|s| s.slice = Some(id)),
        goal => state.chosen.set(Some(goal)),
    });
    let open = Callback::new(move |goal| {
        if let Goal::Slice(id) = goal {
            state.show(id);
        }
    });
    let toggle = Callback::new(move |row| state.turn(row));
    let words = Callback::new(move |words| state.words.set(words));
    let lead = move || view! { <Head state /> };
    view! {
        <WorkerTable context label=Signal::derive(move || title(state)) source on_choose=choose on_open=open on_toggle=toggle on_words=words state=table sought=state.chosen lead />
    }
}

/// What the rows are.
fn title(state: StatisticsState) -> String {
    let english = match state.listed.get() {
        Listed::Threads => phrase("Threads by state"),
        Listed::Processors => phrase("Threads on CPUs"),
        Listed::Kernels => phrase("Kernels by name"),
        Listed::Launches => phrase("Kernels by stream"),
        Listed::Operators => phrase("Operators and their kernels"),
        Listed::Functions => phrase("Functions, modules and their kernels"),
        Listed::Modules => phrase("Modules by path"),
        Listed::Stacks => phrase("Functions by path"),
        Listed::Memory => phrase("Memory by operator"),
        Listed::Sums => match state.by.get() {
            By::Category => phrase("Slices by category"),
            By::Track | By::Group => phrase("Slices by track"),
            By::Name => phrase("Slices by name"),
        },
    };
    state.context.tr(english).to_owned()
}

/// Above the rows: what they are and add up to, and what they are narrowed down to.
#[component]
fn Head(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let word = move |at: usize| state.words.with(|words| words.get(at).cloned().unwrap_or_default());
    let names = Signal::derive(move || {
        [("joined", phrase("Merged")), ("apart", phrase("Separate"))]
            .map(|(id, title)| (id.to_owned(), context.tr(title).to_owned()))
            .to_vec()
    });
    let joined = Signal::derive(move || (if state.is_joined.get() { "joined" } else { "apart" }).to_owned());
    let join = Callback::new(move |id: String| state.is_joined.set(id == "joined"));
    let group = Signal::derive(move || state.group.get().map(Goal::Track));
    let choose_group = Callback::new(move |goal| {
        state.group.set(if let Some(Goal::Track(track)) = goal { Some(track) } else { None });
    });
    let category = Signal::derive(move || state.category.get().map(Goal::Name));
    let choose_category = Callback::new(move |goal| {
        state.category.set(if let Some(Goal::Name(name)) = goal { Some(name) } else { None });
    });
    let help = Signal::derive(move || {
        let of_rows = match state.listed.get() {
            Listed::Sums | Listed::Processors => HELP,
            Listed::Threads => HELP_THREADS,
            Listed::Kernels => HELP_KERNEL_NAMES,
            Listed::Launches => HELP_KERNELS,
            Listed::Operators | Listed::Functions => HELP_OPERATORS,
            Listed::Modules | Listed::Stacks => HELP_TREE,
            Listed::Memory => HELP_MEMORY,
        };
        format!("{} {}", context.tr(of_rows), context.tr(HELP_COLUMNS))
    });
    let own = move || {
        let label = match state.listed.get() {
            Listed::Memory => phrase("Peak"),
            Listed::Threads => phrase("Σ running"),
            Listed::Kernels | Listed::Launches => phrase("Σ device time"),
            _ => phrase("Σ self"),
        };
        context.tr(label).to_owned()
    };
    let has_sums = move || state.listed.get() == Listed::Sums;
    view! {
        <h2 class="statistics__title">{move || title(state)}</h2>
        <Lists state />
        <span class="statistics__words" title=move || word(0)>{move || word(0)}</span>
        <span class="statistics__own">
            {own}" "<b>{move || word(1)}</b>
            <button class="statistics__help" type="button" aria-label=help data-tip=help>"?"</button>
        </span>
        <Show when=has_sums>
        <Narrow state by=By::Group label=phrase("Tracks") all=phrase("All") value=group on_choose=choose_group />
        <Narrow state by=By::Category label=phrase("Category") all=phrase("All") value=category on_choose=choose_category />
        </Show>
        <Show when=move || state.by.get() == By::Name && state.listed.get() == Listed::Sums>
            <Segmented label=context.word(phrase("Numbered names")) options=names value=joined on_choose=join small=true />
        </Show>
    }
}

/// The slices of the chosen row.
#[component]
fn Slices(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let source = Memo::new(move |_| state.slices_of_row());
    Effect::new(move || {
        source.with(|_| ()); // reading it follows it
        state.slices.chosen.set(None);
    });
    let choose = Callback::new(move |goal| {
        if let Goal::Slice(id) = goal {
            context.selection.update(|s| s.slice = Some(id));
        }
    });
    let open = Callback::new(move |goal| {
        if let Goal::Slice(id) = goal {
            state.show(id);
        }
    });
    let n = RwSignal::new(0_u64);
    let count = Callback::new(move |(_, n_listed)| n.set(n_listed));
    let step = move |is_forward: bool| {
        let last = (n.get_untracked() as usize).saturating_sub(1);
        state.slices.chosen.update(|at| {
            *at = Some(match *at {
                Some(at) if is_forward => (at + 1).min(last),
                Some(at) => at.saturating_sub(1),
                None => 0,
            });
        });
    };
    let name = move || {
        let language = context.language.get();
        match state.chosen.get() {
            Some(Goal::Name(name)) if name.is_empty() => tr(language, phrase("none")).to_owned(),
            Some(Goal::Name(name)) => name,
            _ => tr(language, phrase("Slices on this track")).to_owned(),
        }
    };
    let has_names = Memo::new(move |_| state.by.get() != By::Name && state.listed.get() == Listed::Sums);
    let shows_names = Memo::new(move |_| has_names.get() && state.shows_names.get());
    let lists = Signal::derive(move || {
        [("names", phrase("Names")), ("slices", phrase("Slices"))]
            .map(|(id, title)| (id.to_owned(), context.tr(title).to_owned()))
            .to_vec()
    });
    let listed = Signal::derive(move || (if shows_names.get() { "names" } else { "slices" }).to_owned());
    let list = Callback::new(move |id: String| state.shows_names.set(id == "names"));
    let title = move || {
        view! {
            <h2 class="statistics__title statistics__title--row" title=name>{name}</h2>
            <Show when=move || has_names.get()>
                <Segmented label=context.word(phrase("Show inside")) options=lists value=listed on_choose=list small=true />
            </Show>
        }
    };
    let names = Memo::new(move |_| state.names_of_row());
    let lead = move || {
        view! {
            {title()}
            <Steps before=context.word(phrase("Previous slice")) after=context.word(phrase("Next slice")) on_step=step />
            <button
                class="button button--text"
                type="button"
                disabled=move || context.selection.with(|s| s.slice.is_none())
                on:click=move |_| context.selection.get_untracked().slice.into_iter().for_each(|id| state.show(id))
            >
                {context.word(phrase("Show in timeline"))}
            </button>
        }
    };
    move || {
        if shows_names.get() {
            view! { <WorkerTable context label=context.word(phrase("Names")) source=names on_open=open lead=title /> }.into_any()
        } else {
            view! {
                <WorkerTable context label=context.word(phrase("Slices")) source on_choose=choose on_open=open on_count=count state=state.slices lead />
            }
            .into_any()
        }
    }
}

// What stands above the lists of functions and operators: whether they are a list or a tree, times or memory.

/// Kinds of one list, as far as the trace has them.
fn kinds(state: StatisticsState) -> Vec<(&'static str, &'static str)> {
    let functions = [
        ("functions", phrase("By name")),
        ("modules", phrase("Module tree")),
        ("stacks", phrase("Call tree")),
    ];
    match state.listed.get() {
        Listed::Functions | Listed::Modules | Listed::Stacks => {
            let has_modules = state.figures.with(|figures| figures.has_modules);
            functions.into_iter().filter(|(id, _)| has_modules || *id != "modules").collect()
        }
        Listed::Kernels | Listed::Launches => {
            vec![("kernels", phrase("By name")), ("launches", phrase("Each launch"))]
        }
        Listed::Operators | Listed::Memory if state.has_memory() => {
            vec![("operators", phrase("Time")), ("memory", phrase("Memory"))]
        }
        _ => Vec::new(),
    }
}

/// The choice among them, and what belongs to the chosen one.
#[component]
fn Lists(state: StatisticsState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let titled = kinds(state).into_iter();
        titled.map(|(id, title)| (id.to_owned(), context.tr(title).to_owned())).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || state.by_id().to_owned());
    let choose = Callback::new(move |id: String| state.choose_by(&id));
    let is_tree = move || matches!(state.listed.get(), Listed::Modules | Listed::Stacks);
    let open = move |opened: Opened| state.shown.set(Shown { opened, turned: Vec::new() });
    let has_several =
        move || state.listed.get() == Listed::Memory && state.figures.with(|f| 1 < f.memories.len());
    let devices = Signal::derive(move || {
        let all = (String::new(), context.tr(phrase("All")).to_owned());
        let each = state.figures.with(|figures| figures.memories.clone()).into_iter().enumerate();
        std::iter::once(all).chain(each.map(|(at, name)| (at.to_string(), name))).collect::<Vec<_>>()
    });
    let device = Signal::derive(move || state.memory.get().map_or(String::new(), |at| at.to_string()));
    let choose_device = Callback::new(move |id: String| state.memory.set(id.parse().ok()));
    view! {
        <Show when=move || options.with(|options| !options.is_empty())>
            <Segmented label=context.word(phrase("List")) options value on_choose=choose small=true />
        </Show>
        <Show when=is_tree>
            <button class="button button--text" type="button" on:click=move |_| open(Opened::All)>
                {context.word(phrase("Expand all"))}
            </button>
            <button class="button button--text" type="button" on:click=move |_| open(Opened::None)>
                {context.word(phrase("Collapse all"))}
            </button>
        </Show>
        <Show when=has_several>
            <SelectField label=context.word(phrase("Device")) options=devices value=device on_choose=choose_device />
        </Show>
    }
}
