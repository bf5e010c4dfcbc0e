//! The head of the upper part: what is shown, by which definition, what colors mean; and what stands in place of plots.

use super::baseline::Other;
use super::lines::WIDE;
use super::state::{LifetimesState, Panel};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase};
use crate::ui::field::{Segmented, SelectField};
use crate::views::lifetimes::compute::SECTOR_BYTES;
use crate::views::lifetimes::compute::parameters::{CLOCK, DEVICES};
use crate::views::lifetimes::scene::{definition, rest_ink};
use leptos::prelude::*;

/// Kernels that are listed for choosing; others are chosen in the table.
const LISTED: u32 = 1_000;

fn title(panel: Panel) -> &'static str {
    match panel {
        Panel::Lengths => phrase("Data lifetimes"),
        Panel::Time => phrase("Accesses over time"),
        Panel::Addresses => phrase("Accesses by address"),
        Panel::Rates => phrase("Write rates"),
        Panel::Devices => phrase("Device comparison"),
        Panel::Reuse => phrase("Reuse"),
    }
}

fn short_title(panel: Panel) -> &'static str {
    match panel {
        Panel::Lengths => phrase("Histogram"),
        Panel::Time => phrase("Over time"),
        Panel::Addresses => phrase("Addresses"),
        Panel::Rates => phrase("Write rates"),
        Panel::Devices => phrase("Memory devices"),
        Panel::Reuse => phrase("Reuse"),
    }
}

/// What the picture is of, in words.
fn about(state: LifetimesState) -> String {
    let context = state.context;
    match state.panel.get() {
        Panel::Lengths | Panel::Time | Panel::Addresses => {
            state.of(|head| context.tr(definition(head)).to_owned())
        }
        Panel::Rates => {
            context.tr(phrase("90 % of lifetimes by store rate, with device retention")).to_owned()
        }
        Panel::Devices => context
            .tr(phrase("area and energy relative to the reference, refreshes on a log scale"))
            .to_owned(),
        Panel::Reuse => context.tr(phrase("orphans, number of reuses, and use over time")).to_owned(),
    }
}

/// What numbers depend on beside the file, one thing after the other.
fn assumptions(state: LifetimesState) -> Vec<String> {
    let context = state.context;
    let is_set = |id: &str| context.values.with(|values| values.contains_key(id));
    let mut all = vec![about(state)];
    let shows_one = matches!(state.panel.get(), Panel::Time | Panel::Addresses);
    if shows_one && state.kernel.get().is_none() && 1 < state.of(|head| head.kernels.len()) {
        let words = if state.has_layers() {
            phrase("picture of the longest layer, numbers beside it of all layers")
        } else {
            phrase("picture of the longest kernel, numbers beside it of all kernels")
        };
        all.push(context.tr(words).to_owned());
    }
    let said = |mhz: f64| fixed(mhz, usize::from(mhz.fract() != 0.0));
    let clock = state.of(|head| {
        let source = context.tr(&head.clock_source).to_owned();
        let mhz = head.clock_mhz.map(said);
        match (mhz, is_set(CLOCK.id), source.is_empty()) {
            (Some(mhz), true, _) => Some((phrase("{mhz} MHz as set"), mhz, source)),
            (Some(mhz), _, false) => Some((phrase("{mhz} MHz, {source}"), mhz, source)),
            (Some(mhz), ..) => Some((phrase("{mhz} MHz"), mhz, source)),
            (None, ..) if head.is_stated => None,
            (None, ..) => Some((phrase("no clock: lifetimes are in cycles"), String::new(), source)),
        }
    });
    if let Some((words, mhz, source)) = clock {
        all.push(fill(context.tr(words), &[("mhz", &mhz), ("source", &source)]));
    }
    if let Some(mhz) = super::baseline::other_clock(state) {
        let words =
            context.tr(phrase("A has {mhz} MHz: the clocks differ, and times are shown side by side"));
        all.push(fill(words, &[("mhz", &said(mhz))]));
    }
    let word_bytes = state.of(|head| head.levels.iter().find_map(|level| level.word_bytes));
    let (words, n) = match word_bytes {
        Some(n) => (phrase("words of {n} B"), n),
        None => (phrase("sectors of {n} B"), SECTOR_BYTES),
    };
    all.push(fill(context.tr(words), &[("n", &n.to_string())]));
    if let Some(n) = state.of(|head| head.launch_latency).filter(|n| 0 < *n) {
        let words = context.tr(phrase("kernel times include {n} cycles of launch latency"));
        all.push(fill(words, &[("n", &thousands(n.cast_signed()))]));
    }
    all.extend(scope(state));
    let cells = if is_set(DEVICES.id) {
        phrase("custom cells")
    } else {
        phrase("cell areas from published samples, 1 and 10 µs retention")
    };
    all.push(context.tr(cells).to_owned());
    all
}

/// The units that are told of, in words; nothing where no level has units for themselves.
fn scope(state: LifetimesState) -> Option<String> {
    let context = state.context;
    let (at, unit, scope) = state.of(|head| {
        // A table does not say how many units its numbers are of.
        let at = head.levels.iter().position(|level| level.is_private && 0 < level.n_units)?;
        Some((at, head.levels.get(at)?.unit.clone(), head.scope.clone()))
    })?;
    let words = match scope.as_str() {
        "total" => return Some(state.all_units(at)),
        "busiest" => phrase("busiest {unit}"),
        "mean" => {
            let n = state.held.with(|held| held.0.levels.get(at).map_or(1, |level| level.told.mean_of));
            let words = phrase("mean over {n} {unit}s, in a kernel's row over those that it uses");
            return Some(fill(context.tr(words), &[("n", &n.to_string()), ("unit", &unit)]));
        }
        _ => return Some(scope.replace("sm:", &format!("{unit} "))),
    };
    Some(fill(context.tr(words), &[("unit", &unit)]))
}

/// A choice of the kernel that everything above the table is of.
#[component]
fn Kernels(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        let shows_one = matches!(state.panel.get(), Panel::Time | Panel::Addresses);
        let none = match (shows_one, state.has_layers()) {
            (false, false) => phrase("All kernels"),
            (false, true) => phrase("All layers"),
            (true, false) => phrase("Longest kernel"),
            (true, true) => phrase("Longest layer"),
        };
        let chosen = state.kernel.get();
        state.of(|head| {
            let is_listed = |row: u32| row < LISTED || chosen == Some(row);
            let own = (0_u32..).zip(&head.kernels).filter(|(row, _)| is_listed(*row));
            let named = own.map(|(row, kernel)| {
                let table = &kernel.table;
                let name =
                    if head.has_layers { table.name.clone() } else { format!("{} {}", table.id, table.name) };
                (row.to_string(), name)
            });
            std::iter::once((String::new(), context.tr(none).to_owned())).chain(named).collect::<Vec<_>>()
        })
    });
    let label = Signal::derive(move || {
        let words = if state.has_layers() { phrase("Layer") } else { phrase("Kernel") };
        context.tr(words).to_owned()
    });
    let value = Signal::derive(move || state.kernel.get().map(|row| row.to_string()).unwrap_or_default());
    let choose = Callback::new(move |id: String| state.kernel.set(id.parse().ok()));
    view! {
        <span class="lifetimes__kernel"><SelectField label options value on_choose=choose /></span>
    }
}

/// The head, and what numbers depend on.
#[component]
pub(super) fn Head(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let panels = Signal::derive(move || {
        let one = |(panel, id): (Panel, &str)| (id.to_owned(), context.tr(short_title(panel)).to_owned());
        Panel::ALL.into_iter().map(one).collect::<Vec<_>>()
    });
    let panel = Signal::derive(move || state.panel.get().id().to_owned());
    let choose = Callback::new(move |id: String| state.panel.set(Panel::of(&id)));
    // One level at a time where there is no room for two.
    let levels = Signal::derive(move || {
        let names = state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
        names.into_iter().enumerate().map(|(at, name)| (at.to_string(), name)).collect::<Vec<_>>()
    });
    let is_narrow = Memo::new(move |_| {
        let w = state.extent.get().size.w;
        0.0 < w && w < WIDE && 1 < levels.with(Vec::len) && state.panel.get() == Panel::Lengths
    });
    let level = Signal::derive(move || state.level.get().to_string());
    let choose_level = Callback::new(move |id: String| state.level.set(id.parse().unwrap_or(0)));
    let has_energy = Memo::new(move |_| {
        state.devices.with(|devices| devices.devices.iter().any(|device| device.read_fj.is_some()))
    });
    view! {
        <header class="lifetimes__head">
            <h2 class="figure__title">{move || context.tr(title(state.panel.get())).to_owned()}</h2>
            <Kernels state />
            <span class="lifetimes__gap"></span>
            <Show when=move || state.panel.get() == Panel::Lengths><Legend state /></Show>
            <Show when=move || is_narrow.get()>
                <Segmented label=context.word(phrase("Level")) options=levels value=level on_choose=choose_level small=true />
            </Show>
            <Segmented label=context.word(phrase("Figure")) options=panels value=panel on_choose=choose small=true />
        </header>
        <p class="lifetimes__assumptions">
            {move || assumptions(state).join(" · ")}
            <Show when=move || !has_energy.get()>
                " · "
                <button class="lifetimes__enter" type="button" on:click=move |_| state.is_editing.set(true)>
                    {context.word(phrase("no energy: enter constants"))}
                </button>
            </Show>
        </p>
    }
}

/// Which color is which device.
#[component]
fn Legend(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let keys = move || {
        let lines = state.lines.get();
        let n = lines.len();
        let mut keys: Vec<(String, String)> = Vec::new();
        for (at, (_, line)) in lines.iter().enumerate() {
            let words = if at == 0 { phrase("fits {device}") } else { phrase("needs {device}") };
            keys.push((state.css(line.ink), fill(context.tr(words), &[("device", &line.name)])));
        }
        if 0 < n {
            let words = match n {
                1 => phrase("exceeds it"),
                2 => phrase("exceeds both"),
                _ => phrase("exceeds all"),
            };
            keys.push((state.css(state.devices.with(rest_ink)), context.tr(words).to_owned()));
        }
        let key = |(color, words): (String, String)| {
            view! { <span><i class="lifetimes__swatch" style:background=color></i>{words}</span> }
        };
        keys.into_iter().map(key).collect_view()
    };
    view! {
        <span class="lifetimes__legend" aria-hidden="true">
            {keys}
            <span><i class="lifetimes__key-line"></i>{context.word(phrase("cumulative share"))}</span>
            <Show when=move || state.baseline.with(|other| other.as_ref().is_some_and(Other::is_there))>
                <span><i class="lifetimes__key-baseline"></i>{move || state.baseline_name()}</span>
            </Show>
        </span>
    }
}

/// What stands in place of plots where the log has no accesses.
#[component]
pub(super) fn NoAccesses(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let link = move |view: &'static str, words: &'static str| {
        view! {
            <button class="button" type="button" on:click=move |_| context.go.run(view.to_owned())>
                {context.word(words)}
            </button>
        }
    };
    view! {
        <div class="state">
            <div class="state__block">
                <h3 class="state__title">{context.word(phrase("This log has statistics but no accesses"))}</h3>
                <p class="state__prose">
                    {context.word(phrase("Lifetimes are taken from access lines. To get them, record the log with --verbose. Devices keep their areas."))}
                </p>
                <div class="state__actions">{link("details", phrase("Details"))} {link("tables", phrase("Tables"))}</div>
            </div>
        </div>
    }
}
