//! The bar above the view: what a lifetime is, of which units, at which clock. What the files do not offer is not shown.

use super::state::State;
use crate::base::number::thousands;
use crate::base::words::{fill, phrase};
use crate::model::parameter::AnalysisHead;
use crate::ui::field::SelectField;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::overlay::dialog::Dialog;
use crate::views::details::page::parameters::ParameterField;
use crate::views::lifetimes::compute::parameters::{CLOCK, FILL, L2_BYTES, LIFETIME, ORPHANS, REFILL, SCOPE};
use leptos::prelude::*;

/// Units that are listed; others come from the address or the command line.
const UNITS: usize = 512;
/// The clock of published samples, in MHz.
const PUBLISHED: &str = "2235";

/// What has the parameter of an id.
fn owner(state: State, id: &'static str) -> Memo<Option<AnalysisHead>> {
    Memo::new(move |_| {
        state.context.head.with(|head| {
            let has =
                |analysis: &&AnalysisHead| analysis.parameters.iter().any(|parameter| parameter.id == id);
            head.analyses.iter().find(has).cloned()
        })
    })
}

/// The control of a parameter, where there is one.
#[component]
fn Field(state: State, id: &'static str) -> impl IntoView {
    let head = owner(state, id);
    let parameter = Memo::new(move |_| {
        head.with(|head| head.as_ref()?.parameters.iter().find(|own| own.id == id).cloned())
    });
    let known = Memo::new(move |_| parameter.with(Option::is_some));
    // The clock of the file stands where nothing was typed.
    let placeholder = Signal::derive(move || {
        (id == CLOCK.id).then(|| match state.of(|head| head.recorded_mhz) {
            Some(mhz) => thousands(mhz.round() as i64),
            None => state.context.tr(phrase("none")).to_owned(),
        })
    });
    move || {
        let parameter = if known.get() { parameter.get_untracked() } else { None };
        parameter.map(|parameter| {
            view! { <ParameterField context=state.context parameter head placeholder /> }
        })
    }
}

/// The tools.
#[component]
pub(super) fn Tools(state: State) -> impl IntoView {
    let context = state.context;
    let is_open = RwSignal::new(false);
    view! {
        <div class="lifetimes__tools">
            <Runs state />
            <Field state id=LIFETIME.id />
            <div class="lifetimes__refill"><Field state id=REFILL.id /></div>
            <Scope state />
            <Field state id=CLOCK.id />
            <button
                class="button button--plain"
                type="button"
                aria-label=context.word(phrase("More settings"))
                data-tip=context.word(phrase("More settings"))
                on:click=move |_| is_open.set(true)
            >
                <Icon glyph=Glyph::Filter />
            </button>
            <Show when=move || is_open.get()>
                <Dialog title=context.word(phrase("More settings")) on_close=Callback::new(move |()| is_open.set(false))>
                    <div class="lifetimes__settings">
                        <div class="lifetimes__refill lifetimes__refill--narrow"><Field state id=REFILL.id /></div>
                        <Field state id=FILL.id />
                        <Field state id=ORPHANS.id />
                        <Field state id=L2_BYTES.id />
                        <button class="button" type="button" on:click=move |_| state.set(CLOCK.id, PUBLISHED.to_owned())>
                            {context.word(phrase("Clock of published samples, 2,235 MHz"))}
                        </button>
                        <button class="button" type="button" on:click=move |_| state.set(CLOCK.id, String::new())>
                            {context.word(phrase("Clock of the file"))}
                        </button>
                    </div>
                </Dialog>
            </Show>
        </div>
    }
}

/// Which file, where several tell of lifetimes.
#[component]
fn Runs(state: State) -> impl IntoView {
    let context = state.context;
    let options = Signal::derive(move || {
        state.of(|head| {
            let name = |(row, name): (usize, &String)| (row.to_string(), name.clone());
            head.runs.iter().enumerate().map(name).collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || state.run.get().to_string());
    let choose = Callback::new(move |id: String| {
        state.kernel.set(None);
        state.run.set(id.parse().unwrap_or(0));
    });
    view! {
        <Show when=move || options.with(|options| 1 < options.len())>
            <SelectField label=context.word(phrase("Run")) options value on_choose=choose />
        </Show>
    }
}

/// Which units of levels that have private ones.
#[component]
fn Scope(state: State) -> impl IntoView {
    let context = state.context;
    let unit = Memo::new(move |_| {
        state.of(|head| {
            let level = head.levels.iter().find(|level| level.is_private)?;
            Some((level.unit.clone(), level.units.iter().copied().take(UNITS).collect::<Vec<_>>()))
        })
    });
    let value = Signal::derive(move || state.of(|head| head.scope.clone()));
    let options = Signal::derive(move || {
        let Some((name, numbers)) = unit.get() else { return Vec::new() };
        let title = |words: &'static str| fill(context.tr(words), &[("unit", &name)]);
        let mut options = vec![
            ("total".to_owned(), title(phrase("all {unit}s"))),
            ("busiest".to_owned(), title(phrase("busiest {unit}"))),
            ("mean".to_owned(), title(phrase("mean of {unit}s"))),
        ];
        options.extend(numbers.iter().map(|n| (format!("sm:{n}"), format!("{name} {n}"))));
        let own = value.get();
        if !own.is_empty() && options.iter().all(|(id, _)| *id != own) {
            options.push((own.clone(), own));
        }
        options
    });
    let choose = Callback::new(move |id: String| {
        state.set(SCOPE.id, if id == "total" { String::new() } else { id });
    });
    view! {
        <Show when=move || unit.with(|unit| unit.as_ref().is_some_and(|(_, numbers)| !numbers.is_empty()))>
            <SelectField label=context.word(phrase("Scope")) options value on_choose=choose />
        </Show>
    }
}
