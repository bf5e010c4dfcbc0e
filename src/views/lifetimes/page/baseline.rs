//! What the shown run is compared with: the lengths of the baseline, how numbers differ from it, and kernel by kernel.

use super::state::LifetimesState;
use super::{Held, HeldLevel, Shared, lengths};
use crate::analysis::compare::change;
use crate::base::number::{MISSING, fixed};
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase};
use crate::model::figure::Choice;
use crate::pane::context::ViewContext;
use crate::pane::rows::WorkerTable;
use crate::ui::field::Segmented;
use crate::ui::follow_into;
use crate::views::details::page::joined;
use crate::views::lifetimes::compute::Distribution;
use crate::views::lifetimes::compute::parameters::{ALL, DEVICES};
use crate::views::lifetimes::messages::{LifetimesQuery, Reply};
use crate::views::lifetimes::scene::{apart, are_uneven, multiple_of, percent, points};
use crate::wire::rows::Source;
use leptos::prelude::*;
use std::sync::Arc;

/// The figure with the kernels.
const KERNELS: &str = "lifetime-kernels";
/// What is chosen of it.
const LEVEL: &str = "Level";

/// How much numbers differ that are told as equal, as a share.
const SAME: f64 = 5e-4;

/// What is held of the baseline.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Other {
    /// Whether it lacks the kernel that is shown: then nothing else is held.
    lacks_kernel: bool,
    /// Names of its levels.
    levels: Vec<String>,
    held: Shared,
}

impl Other {
    /// Whether it has what is shown.
    pub(super) fn is_there(&self) -> bool {
        !self.lacks_kernel
    }

    /// The level of a name, and the clock.
    pub(super) fn level(&self, name: &str) -> Option<(&HeldLevel, Option<f64>)> {
        let at = self.levels.iter().position(|own| own == name)?;
        let held: &Held = &self.held.0;
        Some((held.levels.get(at)?, Some(held.clock_mhz).filter(|mhz| 0.0 < *mhz)))
    }
}

/// Asks the baseline anew when it, or what is shown, changes.
pub(super) fn follow(state: LifetimesState) {
    let asked = move || {
        let other = state.context.baseline.get()?.context;
        other.head.with(|head| (head.contents.lifetimes, head.revision, head.is_complete));
        let values = other.values.with(|values| {
            let is_own = |id: &str| id != DEVICES.id && ALL.iter().any(|one| one.id == id);
            let own = values.iter().filter(|(id, _)| is_own(id));
            own.map(|(id, text)| (id.clone(), text.clone())).collect::<Vec<_>>()
        });
        let kernel = state.kernel.get().and_then(|row| {
            state.of(|head| {
                let name = &head.kernels.get(row as usize)?.table.name;
                let before = head.kernels.iter().take(row as usize);
                Some((name.clone(), before.filter(|kernel| kernel.table.name == *name).count()))
            })
        });
        Some(ask(other, values, kernel))
    };
    follow_into(state.baseline, asked, Some);
}

/// The lengths of all kernels, or of the one of a name with so many of that name before.
async fn ask(
    other: ViewContext,
    values: Vec<(String, String)>,
    kernel: Option<(String, usize)>,
) -> Option<Other> {
    let head = LifetimesQuery::Head { run: 0, values: values.clone() };
    let Some(Reply::Head(Some(head))) = other.ask(head).await else { return None };
    let kernel = match kernel {
        None => None,
        Some((name, nth)) => {
            let own = (0_u32..).zip(&head.kernels).filter(|(_, kernel)| kernel.table.name == name);
            let Some(row) = own.map(|(row, _)| row).nth(nth) else {
                return Some(Other { lacks_kernel: true, ..Other::default() });
            };
            Some(row)
        }
    };
    let held = lengths(other, LifetimesQuery::Lengths { run: 0, kernel, values }).await?;
    let levels = head.levels.into_iter().map(|level| level.name).collect();
    Some(Other { levels, held: Shared(Arc::new(held)), lacks_kernel: false })
}

/// The clock of the baseline in MHz, where it is another one.
pub(super) fn other_clock(state: LifetimesState) -> Option<f64> {
    let own = state.held.with(|held| Some(held.0.clock_mhz).filter(|mhz| 0.0 < *mhz));
    let other = state.baseline.with(|other| other.as_ref().map(|other| other.held.0.clock_mhz))?;
    Some(other).filter(|mhz| 0.0 < *mhz && are_uneven(Some(*mhz), own))
}

fn uneven_clocks(state: LifetimesState) -> Option<impl IntoView> {
    let words = phrase("The clocks differ: lifetimes are compared in cycles, shares in time.");
    other_clock(state).map(|_| view! { <p class="lifetimes__note">{state.context.word(words)}</p> })
}

/// How numbers of the levels differ from those of the baseline.
#[allow(clippy::too_many_lines)] // one pane with its parts
#[component]
pub(super) fn Differences(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let rows = move || {
        let other = state.baseline.get()?;
        let held = state.held.get().0;
        let mhz = Some(held.clock_mhz).filter(|mhz| 0.0 < *mhz);
        let both = |at: usize| {
            let old = other.level(&super::devices::level_name(state, at));
            let old = old.map(|(level, mhz)| (&level.demand.lifetimes, mhz));
            Some((old, (&held.levels.get(at)?.demand.lifetimes, mhz)))
        };
        let why = |at: usize| {
            let (old, (own, mhz)) = both(at)?;
            let counted = |(of, mhz): (&Distribution, Option<f64>)| (of.count(), mhz.is_some());
            apart(old.map(counted), counted((own, mhz)))
        };
        let pair = |at: usize| {
            let (old, own) = both(at).filter(|_| why(at).is_none())?;
            Some((old?, own))
        };
        let row = |name: String, cell: &dyn Fn(usize) -> Option<AnyView>| {
            let cell = |at| cell(at).unwrap_or_else(|| MISSING.into_any());
            let cells = (0..held.levels.len()).map(|at| view! { <td>{cell(at)}</td> }).collect_view();
            view! { <tr><th scope="row">{name}</th>{cells}</tr> }
        };
        let shares = state.lines.get().into_iter().map(|(_, line)| {
            row(line.name.clone(), &|at| {
                let ((old, old_mhz), (own, mhz)) = pair(at)?;
                let share = |lengths: &Distribution, mhz: Option<f64>| {
                    lengths.share_within(line.micros * mhz.unwrap_or(1.0))
                };
                let (old, own) = (share(old, old_mhz), share(own, mhz));
                let (words, is_less) = points(own - old, context.language.get());
                // More that fits is better.
                Some(by(words, format!("A {}", percent(old)), is_less.map(|is_less| !is_less)))
            })
        });
        let shares = shares.collect_view();
        let part = |words: &'static str, of: fn(&Distribution) -> f64, is_time: bool| {
            row(context.tr(words).to_owned(), &|at| {
                let ((old, old_mhz), (own, mhz)) = pair(at)?;
                let (old, own) = (of(old), of(own));
                let (multiple, length) = multiple_of((old, old_mhz), (own, mhz));
                let said = if is_time { length } else { fixed(old, 0) };
                (0.0 < old).then(|| {
                    let said = format!("A {said}");
                    let is_same = (multiple - 1.0).abs() < SAME;
                    by(if is_same { percent(0.0) } else { change(1.0, multiple, &Unit::None) }, said, None)
                })
            })
        };
        // Shares are of what is reused: how much is not counts as much.
        let orphans = row(context.tr(phrase("Orphans")).to_owned(), &|at| {
            let old =
                other.level(&super::devices::level_name(state, at)).and_then(|(level, _)| unused(level))?;
            let own = held.levels.get(at).and_then(unused)?;
            let (words, _) = points(own - old, context.language.get());
            Some(by(words, format!("A {}", percent(old)), None))
        });
        // Cells that say nothing say why.
        let whys = (0..held.levels.len()).filter_map(|at| Some((at, why(at)?)));
        let mut said: Vec<(Vec<String>, &'static str)> = Vec::new();
        for (at, why) in whys {
            let name = super::devices::level_name(state, at);
            match said.iter_mut().find(|(_, known)| *known == why) {
                Some((names, _)) => names.push(name),
                None => said.push((vec![name], why)),
            }
        }
        let n = held.levels.len() + 1;
        let said = if other.lacks_kernel {
            vec![context.tr(phrase("The baseline does not contain this selection.")).to_owned()]
        } else {
            let line = |(names, why): (Vec<String>, &'static str)| {
                let words = context.tr(phrase("{levels}: {reason}."));
                fill(words, &[("levels", &names.join(", ")), ("reason", context.tr(why))])
            };
            said.into_iter().map(line).collect()
        };
        let said =
            said.into_iter().map(|line| view! { <tr><td class="lifetimes__note" colspan=n>{line}</td></tr> });
        let said = said.collect_view();
        if other.lacks_kernel {
            return Some(said.into_any());
        }
        Some(
            view! {
                {shares}
                {part(phrase("Counted"), |lengths| lengths.count() as f64, false)}
                {part(phrase("Mean"), Distribution::mean, true)}
                {part(phrase("Median"), |lengths| lengths.quantile(0.5), true)}
                {part(phrase("90 %"), |lengths| lengths.quantile(0.9), true)}
                {part(phrase("Longest"), |lengths| lengths.max() as f64, true)}
                {orphans}
                {said}
            }
            .into_any(),
        )
    };
    view! {
        <Show when=move || state.baseline.with(Option::is_some)>
            <section class="lifetimes__part">
                <table class="lifetimes__numbers">
                    {super::side::heads(state, phrase("Difference from A"))}
                    <tbody>{rows}</tbody>
                </table>
                {move || uneven_clocks(state)}
            </section>
        </Show>
    }
}

/// The share of lifetimes without reuse of all that were opened.
fn unused(level: &HeldLevel) -> Option<f64> {
    let counts = &level.told.counts;
    (0 < counts.lifetimes).then(|| counts.orphans as f64 / counts.lifetimes as f64)
}

/// A difference in words, with what it means where it means anything; the value of the baseline stands in its tooltip.
fn by(words: String, title: String, is_better: Option<bool>) -> AnyView {
    let class = match is_better {
        Some(true) => "lifetimes__change lifetimes__by--better",
        Some(false) => "lifetimes__change lifetimes__by--worse",
        None => "lifetimes__change",
    };
    view! { <span class=class title=title>{words}</span> }.into_any()
}

/// Kernel by kernel: what both runs did at a level, with the differences.
#[component]
pub(super) fn Kernels(state: LifetimesState) -> impl IntoView {
    let context = state.context;
    let level = RwSignal::new(0_usize);
    let levels = Signal::derive(move || {
        let names = state.of(|head| head.levels.iter().map(|level| level.name.clone()).collect::<Vec<_>>());
        names.into_iter().enumerate().map(|(at, name)| (at.to_string(), name)).collect::<Vec<_>>()
    });
    let value = Signal::derive(move || level.get().to_string());
    let choose = Callback::new(move |id: String| level.set(id.parse().unwrap_or(0)));
    let options = levels.with_untracked(|levels| levels.iter().map(|(_, name)| name.clone()).collect());
    let choice = Choice { name: LEVEL.to_owned(), options };
    let chosen = Memo::new(move |_| vec![level.get()]);
    let figure = (StoredValue::new(KERNELS.to_owned()), StoredValue::new(vec![choice]), chosen);
    let pane = joined::follow(context, figure, joined::families_of_baseline(context));
    let body = move || {
        let pane = pane.get()?;
        if !pane.is_compared {
            let words = pane.note.map(|note| context.tr(&note).to_owned());
            return Some(view! { <p class="lifetimes__note">{words}</p> }.into_any());
        }
        let label = context.word(if state.has_layers() {
            phrase("Layers of both runs")
        } else {
            phrase("Kernels of both runs")
        });
        let source = Source::Figure {
            id: KERNELS.to_owned(),
            chosen: pane.chosen,
            is_compared: true,
            is_folded: false,
        };
        Some(view! { <WorkerTable context label source=Signal::stored(Some(source)) /> }.into_any())
    };
    view! {
        <div class="lifetimes__compared">
            <Segmented label=context.word(phrase("Level")) options=levels value on_choose=choose small=true />
            <div class="lifetimes__compared-rows">{body}</div>
        </div>
    }
}
