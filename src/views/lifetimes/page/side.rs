//! Beside the plots: what each retention holds, the lifetimes in numbers, and the mix of devices.

use super::HeldLevel;
use super::state::LifetimesState;
use crate::base::number::{MISSING, fixed, percent_beside, thousands};
use crate::base::order;
use crate::base::words::{fill, phrase, tr};
use crate::draw::style::compact;
use crate::views::lifetimes::compute::{DeviceFigures, ENOUGH};
use crate::views::lifetimes::scene::{ROWS, base_words, numbers, percent, rate_words, time};
use leptos::prelude::*;

/// The panel.
#[component]
pub(super) fn Side(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    view! {
        <aside class="lifetimes__side" aria-label=context.word(phrase("Lifetime figures")) tabindex="0">
            <Fits state />
            <super::baseline::Differences state />
            <Numbers state />
            <Mix state />
        </aside>
    }
}

/// A head with a column for each level.
pub(super) fn heads(state: LifetimesState, words: &'static str) -> impl IntoView {
    let levels = move || {
        let names = state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
        names.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()
    };
    view! {
        <thead><tr><th class="lifetimes__side-title" scope="col">{state.context.word(words)}</th>{levels}</tr></thead>
    }
}

/// Cells of a row, one for each level.
fn cells(values: impl Iterator<Item = String>, is_strong: bool) -> impl IntoView {
    let cell = |value: String| {
        if is_strong {
            view! { <td><b>{value}</b></td> }.into_any()
        } else {
            view! { <td>{value}</td> }.into_any()
        }
    };
    values.map(cell).collect_view()
}

/// Refreshes in little room; all of their digits below a million.
fn count(n: f64) -> String {
    if n < 1e6 {
        fixed(n, usize::from(n.fract() != 0.0))
    } else if n < 1e9 {
        format!("{} M", fixed(n / 1e6, if n < 1e8 { 2 } else { 1 }))
    } else {
        compact(n)
    }
}

/// Refreshes in a microsecond, of one unit where units are private.
fn rate(n: f64) -> String {
    if n < 1e4 { fixed(n, if n < 10.0 { 3 } else { 1 }) } else { count(n.round()) }
}

/// What a row of rates is called, of levels that are private or of the others, and what it is divided by; `None` where there
/// are none of them.
fn rate_row(state: LifetimesState, is_private: bool) -> Option<(String, String)> {
    let language = state.context.language.get();
    state.of(|head| {
        let (at, level) = head.levels.iter().enumerate().find(|(_, level)| level.is_private == is_private)?;
        let are_all = head.levels.iter().all(|level| !level.is_private);
        let (used, micros) = state.held.with(|held| {
            let told = held.0.levels.get(at).map(|level| &level.told);
            (told.map_or(1, |told| told.used), told.map_or(0.0, |told| told.cycles as f64) / held.0.clock_mhz)
        });
        let units = is_private.then_some((level.unit.as_str(), used, level.n_units));
        let base = if is_private {
            phrase("Refreshes over the {time} of the kernels whose accesses are known, and over {n} {unit}s.")
        } else {
            phrase("Refreshes over the {time} of the kernels whose accesses are known.")
        };
        let (time, n) = (time(micros * 1000.0), thousands(used.cast_signed()));
        let base = fill(tr(language, base), &[("time", &time), ("n", &n), ("unit", &level.unit)]);
        Some((rate_words(if are_all { "" } else { &level.name }, units, language), base))
    })
}

/// Said of lifetimes that fit and count a refresh.
fn exact(state: LifetimesState, at: usize, level: &HeldLevel) -> Option<String> {
    let mhz = state.held.with(|held| held.0.clock_mhz);
    let retentions = state.lines.with(|lines| lines.iter().map(|(_, line)| line.micros).collect::<Vec<_>>());
    let counts = retentions.into_iter().map(|micros| level.demand.lifetimes.count_of(micros * mhz));
    let n: u64 = counts.filter(|_| 0.0 < mhz).sum();
    let words =
        phrase("{level}: {n} lifetimes last exactly a retention. They fit, and count one refresh each.");
    let name = super::devices::level_name(state, at);
    (0 < n).then(|| fill(state.context.tr(words), &[("level", &name), ("n", &thousands(n.cast_signed()))]))
}

/// The time that rates are of, where it is not that of all kernels.
fn rated(state: LifetimesState, at: usize, level: &HeldLevel) -> Option<String> {
    let cycles = state.of(|head| {
        let kernels = head.kernels.iter().filter(|kernel| !kernel.is_cut);
        kernels.map(|kernel| kernel.table.cycles as f64 * kernel.weight.round().max(1.0)).sum::<f64>()
    });
    let mhz = state.held.with(|held| held.0.clock_mhz);
    let own = level.told.cycles as f64;
    let is_part = 0.0 < mhz && 0.0 < own && own < cycles && state.kernel.get().is_none();
    let words = phrase("{level}: rates are over the {time} of kernels with accesses.");
    let name = super::devices::level_name(state, at);
    is_part.then(|| fill(state.context.tr(words), &[("level", &name), ("time", &time(own / mhz * 1000.0))]))
}

/// What shares are shares of, a line for each level, with what is left out and what is counted twice.
fn bases(state: LifetimesState) -> impl IntoView {
    let line = move |(at, level): (usize, &HeldLevel)| {
        let counts = &level.told.counts;
        let counted = level.demand.lifetimes.count();
        let words = (0 < counts.lifetimes).then(|| {
            let words = base_words(counted, counts.orphans, counts.lifetimes, state.context.language.get());
            let name = super::devices::level_name(state, at);
            if state.is_mean(at) {
                format!("{name} {}: {words}", state.all_units(at))
            } else {
                format!("{name}: {words}")
            }
        });
        let left_out = (0 < level.told.left_out).then(|| {
            let words = phrase("{level}: {n} lifetimes of a kernel that the file cuts off are left out.");
            let (name, n) = (super::devices::level_name(state, at), level.told.left_out);
            fill(state.context.tr(words), &[("level", &name), ("n", &thousands(n.cast_signed()))])
        });
        let note = |words: String| view! { <p class="lifetimes__note">{words}</p> };
        (
            words.map(note),
            left_out.map(note),
            exact(state, at, level).map(note),
            rated(state, at, level).map(note),
        )
    };
    move || state.held.with(|held| held.0.levels.iter().enumerate().map(line).collect_view())
}

#[component]
fn Fits(state: LifetimesState) -> impl IntoView {
    let rows = move || {
        let figures = state.figures.get();
        let lines = state.lines.get();
        let row = |(device, line): (usize, crate::views::lifetimes::scene::Line)| {
            let own =
                || figures.iter().map(move |level| (level.lifetimes, level.devices.get(device).copied()));
            let known = |n: u64, text: Option<String>| text.filter(|_| 0 < n).unwrap_or(MISSING.to_owned());
            let shares =
                own().map(|(n, own)| known(n, own.map(|own| percent_beside(own.refresh_free, ENOUGH))));
            let refreshes = own().map(|(n, own)| known(n, own.map(|own| count(own.refreshes))));
            let held = state.held.get().0;
            let per_micro = |at: usize, refreshes: f64| {
                let told = &held.levels.get(at)?.told;
                let micros = told.cycles as f64 / held.clock_mhz;
                // The mean is of those that were used already.
                let share = told.mean_of.max(1) as f64 / told.used.max(1) as f64;
                (0.0 < micros).then(|| rate(refreshes * share / micros))
            };
            let (shares, refreshes) = (cells(shares, true), cells(refreshes, false));
            // A row says of which levels it is: of one unit of those that are private, of the whole of others.
            let rates = |is_private: bool| {
                let (name, base) = rate_row(state, is_private)?;
                let rate = |(at, (n, own)): (usize, (u64, Option<DeviceFigures>))| {
                    let is_own =
                        state.of(|head| head.levels.get(at).is_some_and(|own| own.is_private == is_private));
                    let rate = || known(n, own.and_then(|own| per_micro(at, own.refreshes)));
                    if is_own { rate() } else { String::new() }
                };
                let rates: Vec<String> = own().enumerate().map(rate).collect();
                let rates = cells(rates.into_iter(), false);
                Some(
                    view! { <tr data-tip=base><th scope="row" class="lifetimes__indent lifetimes__rate">{name}</th>{rates}</tr> },
                )
            };
            view! {
                <tr>
                    <th scope="row" class="lifetimes__device"><i class="lifetimes__swatch" style:background=state.css(line.ink)></i>{line.name}</th>
                    {shares}
                </tr>
                <tr><th scope="row" class="lifetimes__indent">{state.context.tr(phrase("refreshes")).to_owned()}</th>{refreshes}</tr>
                {rates(true)}
                {rates(false)}
            }
        };
        lines.into_iter().map(row).collect_view()
    };
    let has_times =
        Memo::new(move |_| state.head.with(|head| head.as_ref().is_none_or(|head| head.has_times())));
    let note = move || {
        let words = phrase("Set a clock to see which lifetimes fit devices without refresh.");
        (!has_times.get()).then(|| view! { <p class="lifetimes__note">{state.context.word(words)}</p> })
    };
    view! {
        <section class="lifetimes__part">
            <table class="lifetimes__numbers">
                {heads(state, phrase("Fits without refresh"))}
                <tbody>{rows}</tbody>
            </table>
            {bases(state)}
            {note}
        </section>
    }
}

#[component]
fn Numbers(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let held = state.held.get().0;
        let is_stated = state.of(|head| head.is_stated);
        let all: Vec<[Option<String>; 8]> = held
            .levels
            .iter()
            .map(|level| numbers(&level.told, &level.demand.lifetimes, held.clock_mhz, is_stated))
            .collect();
        let row = |(at, words): (usize, &'static str)| {
            let own = || all.iter().map(|values| values.get(at).cloned().flatten());
            // What a table leaves out at all levels is said once.
            let values = if is_stated && own().all(|value| value.is_none()) {
                let (said, n) = (context.tr(phrase("not in the file")).to_owned(), all.len());
                view! { <td colspan=n>{said}</td> }.into_any()
            } else {
                let texts: Vec<String> = own().map(|value| value.unwrap_or(MISSING.to_owned())).collect();
                cells(texts.into_iter(), false).into_any()
            };
            view! { <tr><th scope="row">{context.tr(words).to_owned()}</th>{values}</tr> }
        };
        ROWS.into_iter().enumerate().map(row).collect_view()
    };
    let note = move || {
        let at = (0..state.of(|head| head.levels.len())).find(|at| state.is_mean(*at))?;
        let n = state.held.with(|held| held.0.levels.get(at).map_or(1, |level| level.told.mean_of));
        let unit = state.of(|head| head.levels.get(at).map(|level| level.unit.clone()))?;
        let words = context
            .tr(phrase("{level}: counts are the mean over {n} {unit}s, lifetimes are from all of them."));
        let name = super::devices::level_name(state, at);
        let words = fill(words, &[("level", &name), ("n", &n.to_string()), ("unit", &unit)]);
        Some(view! { <p class="lifetimes__note">{words}</p> })
    };
    view! {
        <section class="lifetimes__part">
            <table class="lifetimes__numbers">
                {heads(state, phrase("Lifetimes"))}
                <tbody>{rows}</tbody>
            </table>
            {note}
        </section>
    }
}

/// Each lifetime to the densest device that holds it.
#[component]
fn Mix(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let keys = move || {
        let figures = state.figures.get();
        let mut rows: Vec<usize> =
            figures.iter().flat_map(|level| level.mix.iter().map(|own| own.device)).collect();
        order::sort(&mut rows);
        rows.dedup();
        let name = |row: usize| {
            state.devices.with(|devices| {
                devices.devices.get(row).map_or(String::new(), |own| context.tr(&own.name).to_owned())
            })
        };
        let key = |row: usize| view! { <span><i class="lifetimes__swatch" style:background=state.color(row)></i>{name(row)}</span> };
        rows.into_iter().map(key).collect_view()
    };
    let bars = move || {
        let figures = state.figures.get();
        let level = |(at, own): (usize, &super::Figures)| {
            let name = super::devices::level_name(state, at);
            let words = own.shares().map(|(_, share)| percent(share)).collect::<Vec<_>>().join("  ");
            let n = thousands(own.lifetimes.cast_signed());
            let of = fill(context.tr(phrase("of {n}")), &[("n", &n)]);
            let words = if own.lifetimes == 0 { MISSING.to_owned() } else { format!("{words}  {of}") };
            let part = |(row, share): (usize, f64)| {
                view! { <i style:width=format!("{:.2}%", share * 100.0) style:background=state.color(row)></i> }
            };
            let parts = own.shares().filter(|_| 0 < own.lifetimes).map(part).collect_view();
            view! {
                <div class="lifetimes__mix"><span>{name}</span><span class="lifetimes__mix-bar">{parts}</span><span>{words}</span></div>
            }
        };
        figures.iter().enumerate().map(level).collect_view()
    };
    view! {
        <section class="lifetimes__part">
            <h3 class="lifetimes__side-title">{context.word(phrase("Mix"))} " " <span>{context.word(phrase("share of counted lifetimes"))}</span></h3>
            <div class="lifetimes__legend lifetimes__legend--wrap">{keys}</div>
            {bars}
        </section>
    }
}
