//! What the user may set of an analysis: one row of controls above its figures.
//!
//! A control writes a text into the values of the document; they stand in the address, and the worker computes anew what
//! depends on them. A value that is the default is not kept.

use crate::base::words::{fill, phrase, tr};
use crate::model::parameter::{AnalysisHead, Control, ParameterHead};
use crate::pane::context::ViewContext;
use crate::ui::field::{InputField, Segmented, SelectField, Switch};
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Options that stand side by side; more become a list.
const SIDE_BY_SIDE: usize = 4;

/// The controls of an analysis.
#[component]
pub(super) fn ParameterPanel(
    context: ViewContext,
    /// Where it stands on the grid, across and down.
    lines: (Signal<String>, Signal<String>),
    analysis: String,
) -> impl IntoView {
    let (across, down) = lines;
    let id = StoredValue::new(analysis);
    let find = move |head: &AnalysisHead| id.with_value(|id| head.id == *id);
    let head = Memo::new(move |_| context.head.with(|h| h.analyses.iter().find(|a| find(a)).cloned()));
    let title = move || head.with(|h| h.as_ref().map(|h| context.tr(&h.title).to_owned()));
    let is_running = move || head.with(|h| h.as_ref().is_some_and(|h| h.is_running));
    view! {
        <section class="details__panel parameters" style:grid-column=across style:grid-row=down data-analysis=move || id.get_value()>
            <header class="figure__head">
                <h2 class="figure__title">{title}</h2>
                <span class="figure__scope" role="status">
                    {move || is_running().then(|| context.tr("Computing…").to_owned())}
                </span>
                <div class="parameters__row"><ParameterFields context head /></div>
            </header>
        </section>
    }
}

/// The controls side by side, and one that takes all settings back.
#[component]
pub fn ParameterFields(
    context: ViewContext,
    head: Memo<Option<AnalysisHead>>,
    /// Id of a parameter, of an option of it that cannot be chosen, and why.
    #[prop(optional, into)]
    denied: Signal<Option<[String; 3]>>,
) -> impl IntoView {
    let ids = Memo::new(move |_| {
        head.with(|h| h.iter().flat_map(|h| &h.parameters).map(|p| p.id.clone()).collect::<Vec<_>>())
    });
    let is_changed = move || context.values.with(|values| ids.get().iter().any(|id| values.contains_key(id)));
    let reset = move |_| {
        for id in ids.get_untracked() {
            context.values.update(|values| drop(values.remove(&id)));
        }
        context.send_values();
    };
    let one = move |id: String| {
        let found = head.with_untracked(|h| h.as_ref()?.parameters.iter().find(|p| p.id == id).cloned());
        let denied = Signal::derive(move || {
            let [of, option, why] = denied.get()?;
            (of == id).then_some((option, why))
        });
        found.map(|parameter| view! { <ParameterField context parameter head denied /> })
    };
    view! {
        <For each=move || ids.get() key=|id| id.clone() children=one />
        <Show when=is_changed>
            <button class="button button--text" type="button" on:click=reset>
                {move || context.tr("Reset")}
            </button>
        </Show>
    }
}

/// The control of one parameter.
#[component]
pub fn ParameterField(
    context: ViewContext,
    /// What can be set.
    parameter: ParameterHead,
    /// The analysis, whose values change.
    head: Memo<Option<AnalysisHead>>,
    /// Id of an option that cannot be chosen, and why.
    #[prop(optional, into)]
    denied: Signal<Option<(String, String)>>,
    /// What an empty field says instead of what the parameter says.
    #[prop(optional, into)]
    placeholder: MaybeProp<String>,
) -> impl IntoView {
    let ParameterHead { id, title, help, control, default, .. } = parameter;
    let (id, default) = (StoredValue::new(id), StoredValue::new(default));
    // What was set counts at once; what the worker holds, where nothing was.
    let value = Memo::new(move |_| {
        let set = context.values.with(|values| id.with_value(|id| values.get(id).cloned()));
        let held = || {
            head.with(|h| {
                let all = h.as_ref().map_or(&[][..], |h| &h.parameters);
                all.iter().find(|p| id.with_value(|id| p.id == *id)).map(|p| p.default.clone())
            })
        };
        set.or_else(held).unwrap_or_else(|| default.get_value())
    });
    let set = Callback::new(move |text: String| {
        context.values.update(|values| {
            if text == default.get_value() {
                values.remove(&id.get_value());
            } else {
                values.insert(id.get_value(), text);
            }
        });
        context.send_values();
    });
    let parameter = ParameterHead {
        id: id.get_value(),
        title,
        help,
        control,
        default: String::new(),
        value: String::new(),
    };
    view! { <ControlField context parameter value set denied placeholder /> }
}

/// The control of a parameter, wherever its value is kept.
#[component]
pub fn ControlField(
    context: ViewContext,
    /// What can be set.
    parameter: ParameterHead,
    value: Memo<String>,
    /// Takes another value.
    set: Callback<String>,
    /// Id of an option that cannot be chosen, and why.
    #[prop(optional, into)]
    denied: Signal<Option<(String, String)>>,
    /// What an empty field says instead of what the parameter says.
    #[prop(optional, into)]
    placeholder: MaybeProp<String>,
) -> impl IntoView {
    let ParameterHead { id, title, help, control, .. } = parameter;
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    let tip = move || tr(context.language.get(), &help).to_owned();
    let field = match control {
        Control::Choice(options) => {
            let is_short = options.len() <= SIDE_BY_SIDE;
            let options = Signal::derive(move || {
                let language = context.language.get();
                options.iter().map(|(id, title)| (id.clone(), tr(language, title).to_owned())).collect()
            });
            if is_short {
                let shown = move || label.get();
                view! {
                    <span class="parameters__label">{shown}</span>
                    <Segmented label options value on_choose=set small=true denied />
                }
                .into_any()
            } else {
                view! { <SelectField label options value on_choose=set /> }.into_any()
            }
        }
        Control::Flag => {
            let checked = Signal::derive(move || value.get() == "true");
            let on_change = Callback::new(move |is_on: bool| set.run(is_on.to_string()));
            view! { <Switch label checked on_change /> }.into_any()
        }
        Control::Number { unit, min, max, none } => {
            let unit = unit.word().to_owned();
            if none.is_empty() {
                view! { <InputField label value on_change=set unit range=(min, max) /> }.into_any()
            } else {
                let words = move || tr(context.language.get(), &none).to_owned();
                let placeholder = Signal::derive(move || placeholder.get().unwrap_or_else(&words));
                view! { <OptionalNumber label value set unit range=(min, max) placeholder /> }.into_any()
            }
        }
        Control::Text => view! { <InputField label value on_change=set /> }.into_any(),
        Control::Table(columns) => {
            let names = columns.into_iter().map(|(name, unit)| match unit.word() {
                "" => name,
                symbol => format!("{name} ({symbol})"),
            });
            view! { <TableField context label columns=names.collect() value set /> }.into_any()
        }
        Control::File(patterns) => view! { <FileField context label patterns value set /> }.into_any(),
    };
    view! { <span class="parameters__field" data-parameter=id data-tip=tip>{field}</span> }
}

/// A number whose field is empty while it is 0, which is none.
#[component]
fn OptionalNumber(
    label: Signal<String>,
    value: Memo<String>,
    set: Callback<String>,
    unit: String,
    range: (f64, f64),
    placeholder: Signal<String>,
) -> impl IntoView {
    let shown = Signal::derive(move || Some(value.get()).filter(|value| value != "0").unwrap_or_default());
    let on_change = Callback::new(move |text: String| {
        set.run(if text.trim().is_empty() { "0".to_owned() } else { text });
    });
    view! { <InputField label value=shown on_change unit range placeholder /> }
}

/// Rows of cells: the first names the row, the others are numbers.
#[component]
fn TableField(
    context: ViewContext,
    label: Signal<String>,
    columns: Vec<String>,
    value: Memo<String>,
    set: Callback<String>,
) -> impl IntoView {
    let rows = move || -> Vec<Vec<String>> {
        let text = value.get();
        let rows = text.split(';').filter(|row| !row.is_empty());
        rows.map(|row| row.split(',').map(str::to_owned).collect()).collect()
    };
    let write = move |row: usize, cell: usize, text: String| {
        let mut all = rows();
        if let Some(place) = all.get_mut(row).and_then(|row| row.get_mut(cell)) {
            *place = text.replace([',', ';'], " ");
        }
        set.run(all.iter().map(|row| row.join(",")).collect::<Vec<_>>().join(";"));
    };
    let names = StoredValue::new(columns);
    let heads = move || {
        let language = context.language.get();
        let head = |name: &String| view! { <th scope="col">{tr(language, name).to_owned()}</th> };
        names.with_value(|names| names.iter().map(head).collect_view())
    };
    let body = move || {
        let row = |(r, cells): (usize, Vec<String>)| {
            let named = cells.first().cloned().unwrap_or_default();
            let cell = |(c, text): (usize, String)| {
                if c == 0 {
                    return view! { <th scope="row">{text}</th> }.into_any();
                }
                let column = names.with_value(|names| names.get(c).cloned()).unwrap_or_default();
                let label = format!("{named}: {column}");
                let on_change = move |event| write(r, c, event_target_value(&event));
                view! {
                    <td>
                        <input class="parameters__cell" inputmode="decimal" aria-label=label prop:value=text on:change=on_change />
                    </td>
                }
                .into_any()
            };
            view! { <tr>{cells.into_iter().enumerate().map(cell).collect_view()}</tr> }
        };
        rows().into_iter().enumerate().map(row).collect_view()
    };
    view! {
        <details class="parameters__table">
            <summary>{move || label.get()}</summary>
            <table>
                <thead><tr>{heads}</tr></thead>
                <tbody>{body}</tbody>
            </table>
        </details>
    }
}

/// What the button of a file says.
const CHOOSE: &str = phrase("Choose file…");

/// The text of a file.
#[component]
fn FileField(
    context: ViewContext,
    label: Signal<String>,
    patterns: Vec<String>,
    value: Memo<String>,
    set: Callback<String>,
) -> impl IntoView {
    let endings: Vec<String> = patterns.iter().map(|p| p.trim_start_matches('*').to_owned()).collect();
    let picker = NodeRef::<leptos::html::Input>::new();
    let on_change = move |_| {
        let Some(file) = picker.get_untracked().and_then(|input| input.files()?.get(0)) else { return };
        leptos::task::spawn_local(async move {
            if let Ok(text) = JsFuture::from(file.text()).await {
                set.try_run(text.as_string().unwrap_or_default()); // the view may be closed by now
            }
        });
    };
    let size = move || match value.with(String::len) {
        0 => context.tr("No file").to_owned(),
        n => fill(context.tr("{n} bytes"), &[("n", &n.to_string())]),
    };
    let pick = move |_| {
        if let Some(input) = picker.get_untracked() {
            input.set_value(""); // the same file again is a change too
            input.click();
        }
    };
    // A button like all others stands for the browser's own control.
    view! {
        <span class="parameters__label">{move || label.get()}</span>
        <input node_ref=picker type="file" accept=endings.join(",") hidden on:change=on_change />
        <button class="button" type="button" aria-label=move || format!("{}: {}", label.get(), context.tr(CHOOSE)) on:click=pick>
            {move || context.tr(CHOOSE)}
        </button>
        <span class="field__count">{size}</span>
    }
}
