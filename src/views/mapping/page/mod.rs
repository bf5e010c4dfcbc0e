//! The dialog of a mapping: expressions at the left, what they make of the first lines of the log at the right.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod preview;

use crate::base::map::ordered;
use crate::base::order;
use crate::base::words::{fill, phrase, tr};
use crate::ui::field::{InputField, SelectField, Switch};
use crate::ui::overlay::Dialog;
use crate::ui::{Latest, blob, words};
use crate::views::mapping::messages::{MappingQuery, Reply};
use crate::views::parts::LocalFuture;
use js_sys::{Array, JSON, Object, Reflect};
use leptos::html;
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// What is typed is tried after such a pause.
const PAUSE: Duration = Duration::from_millis(120);

/// What the dialog gets.
#[derive(Clone, Copy)]
pub struct MappingInput {
    /// What the log is called.
    pub name: Signal<String>,
    /// The mappings that are saved: name and text.
    pub saved: RwSignal<Vec<(String, String)>>,
    /// The text that is made; kept when the dialog is closed.
    pub draft: RwSignal<String>,
    /// Tries a mapping on the log.
    pub ask: Callback<MappingQuery, LocalFuture<Option<Reply>>>,
    pub open: Callback<String>,
    pub close: Callback<()>,
    /// Saves a file under a name.
    pub save: Callback<(String, web_sys::Blob)>,
}

/// The dialog.
pub fn show(input: MappingInput) -> AnyView {
    let words = words();
    let making = Making {
        draft: RwSignal::new(of_text(&input.draft.get_untracked()).unwrap_or_default()),
        reply: RwSignal::new(None),
        file: RwSignal::new(None),
        only_matches: RwSignal::new(false),
    };
    let text = Memo::new(move |_| making.draft.with(text_of));
    follow(input, making, text);
    let open = move |_| {
        if making.is_good() {
            input.open.run(text.get_untracked());
            input.close.run(());
        }
    };
    let title =
        Signal::derive(move || format!("{} · {}", words.tr("Open log with a mapping")(), input.name.get()));
    view! {
        <Dialog title on_close=input.close class="dialog--mapping">
            <div class="mapping__bar">
                <Saved input making text />
                <span class="mapping__gap"></span>
                <Files input making text />
            </div>
            <div class="mapping__sides">
                <Fields making />
                <preview::Lines making />
            </div>
            <div class="dialog__foot">
                <span class="mapping__said" role="status"><preview::Summary making /></span>
                <button
                    class="button button--main"
                    type="button"
                    data-action="open-with-mapping"
                    aria-disabled=move || (!making.is_good()).then_some("true")
                    on:click=open
                >
                    {words.tr("Open")}
                </button>
            </div>
        </Dialog>
    }
    .into_any()
}

/// Asks anew a moment after anything changed.
fn follow(input: MappingInput, making: Making, text: Memo<String>) {
    let (pause, asked) = (Latest::default(), Latest::default());
    Effect::new(move |was: Option<()>| {
        let query = MappingQuery {
            text: text.get(),
            file: making.file.get(),
            only_matches: making.only_matches.get(),
        };
        input.draft.set(query.text.clone());
        let ask = move || {
            asked.ask(input.ask.run(query), move |reply| {
                if let Some(reply) = reply {
                    making.reply.try_set(Some(reply));
                }
            });
        };
        if was.is_some() { pause.after(PAUSE, ask) } else { ask() }
    });
}

/// The mappings that are saved, and what can be done with the one that is made.
#[component]
fn Saved(input: MappingInput, making: Making, text: Memo<String>) -> impl IntoView {
    let words = words();
    let chosen = Memo::new(move |_| {
        let name = making.member(NAME);
        let is_saved = input.saved.with(|saved| saved.iter().any(|(own, _)| *own == name));
        if is_saved { name } else { String::new() }
    });
    let options = Signal::derive(move || {
        let none = (String::new(), words.tr("New mapping")().to_owned());
        let saved = input.saved.get().into_iter().map(|(name, _)| (name.clone(), name));
        [none].into_iter().chain(saved).collect::<Vec<_>>()
    });
    let choose = Callback::new(move |name: String| {
        let found = input.saved.with_untracked(|saved| saved.iter().find(|(own, _)| *own == name).cloned());
        let read = found.and_then(|(name, text)| {
            let mut draft = of_text(&text)?;
            draft.insert(NAME.to_owned(), name);
            Some(draft)
        });
        making.draft.set(read.unwrap_or_default());
    });
    let is_named = move || !making.member(NAME).trim().is_empty();
    let save = move |_| {
        let name = making.member(NAME).trim().to_owned();
        if !name.is_empty() {
            input.saved.update(|saved| {
                saved.retain(|(own, _)| *own != name);
                saved.push((name, text.get_untracked()));
                order::sort(saved);
            });
        }
    };
    let delete = move |_| {
        let name = chosen.get_untracked();
        input.saved.update(|saved| saved.retain(|(own, _)| *own != name));
    };
    let name = Signal::derive(move || making.member(NAME));
    view! {
        <SelectField label=Signal::derive(move || words.tr("Mapping")().to_owned()) options value=chosen on_choose=choose />
        <InputField
            label=Signal::derive(move || words.tr("Name")().to_owned())
            value=name
            on_change=Callback::new(move |text| making.set(NAME, text))
        />
        <button class="button" type="button" data-action="save-mapping" aria-disabled=move || (!is_named()).then_some("true") on:click=save>
            {words.tr("Save")}
        </button>
        <button
            class="button"
            type="button"
            data-action="delete-mapping"
            aria-disabled=move || chosen.with(String::is_empty).then_some("true")
            on:click=delete
        >
            {words.tr("Delete")}
        </button>
    }
}

/// The mapping that is made, from and to a file.
#[component]
fn Files(input: MappingInput, making: Making, text: Memo<String>) -> impl IntoView {
    let words = words();
    let export = move |_| {
        let name = Some(making.member(NAME)).filter(|name| !name.is_empty());
        let name = format!("{}.json", name.as_deref().unwrap_or("mapping"));
        if let Ok(file) = blob(text.get_untracked().as_bytes(), "application/json") {
            input.save.run((name, file));
        }
    };
    let picker = NodeRef::<html::Input>::new();
    let import = move |_| {
        let Some(file) = picker.get_untracked().and_then(|input| input.files()?.get(0)) else { return };
        leptos::task::spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            if let Some(draft) = text.and_then(|text| of_text(&text)) {
                making.draft.try_set(draft);
            }
        });
    };
    view! {
        <input node_ref=picker type="file" accept=".json" hidden on:change=import />
        <button
            class="button"
            type="button"
            data-action="import-mapping"
            on:click=move |_| {
                if let Some(input) = picker.get_untracked() {
                    input.set_value(""); // the same file again is a change too
                    input.click();
                }
            }
        >
            {words.tr("Import…")}
        </button>
        <button class="button" type="button" data-action="export-mapping" on:click=export>{words.tr("Export")}</button>
    }
}

// What the parts of the dialog of a mapping share.

/// What the parts of the dialog share.
#[derive(Clone, Copy)]
struct Making {
    /// The members of the mapping.
    draft: RwSignal<Draft>,
    /// What it makes of the log; `None` before the first answer.
    reply: RwSignal<Option<Reply>>,
    /// The file that is looked at, where another one was chosen.
    file: RwSignal<Option<u32>>,
    /// Whether only lines are shown that it fits.
    only_matches: RwSignal<bool>,
}

impl Making {
    /// A member; empty when it is not there.
    fn member(self, name: &str) -> String {
        self.draft.with(|draft| draft.get(name).cloned().unwrap_or_default())
    }

    fn set(self, name: &str, text: String) {
        self.draft.update(|draft| {
            if text.is_empty() {
                draft.remove(name);
            } else {
                draft.insert(name.to_owned(), text);
            }
        });
    }

    /// Whether a log can be opened with it: it is right, and fits some line.
    fn is_good(self) -> bool {
        self.reply.with(|reply| reply.as_ref().is_some_and(|r| r.problem.is_none() && 0 < r.matches()))
    }
}

// The expressions and words of a mapping.

/// What an empty expression of accesses shows.
const EXAMPLE: &str =
    r"^(?<cycle>\d+) (?<op>LD|ST) (?<level>L1|L2) (?<unit>\d+) 0x(?<address>[0-9a-f]+) (?<state>\w+)";

/// All that can be entered.
#[component]
fn Fields(making: Making) -> impl IntoView {
    let words = words();
    let expressions = EXPRESSIONS.iter().map(|expression| view! { <ExpressionField making expression /> });
    let clock = Signal::derive(move || making.member(CLOCK));
    let is_decimal = Signal::derive(move || making.member(BASE) == "10");
    let set_base = Callback::new(move |is_decimal: bool| {
        making.set(BASE, if is_decimal { "10".to_owned() } else { String::new() });
    });
    let placeholder = Signal::derive(move || Some(words.tr("not known")().to_owned()));
    let word_fields = WORDS.iter().map(|&(id, title, usual)| {
        let value = Signal::derive(move || making.member(id));
        let label = Signal::derive(move || tr(words.language(), title).to_owned());
        let on_change = Callback::new(move |text| making.set(id, text));
        view! { <InputField label value on_change placeholder=usual /> }
    });
    view! {
        <div class="mapping__fields">
            {expressions.collect_view()}
            <div class="mapping__row">
                <InputField
                    label=Signal::derive(move || words.tr("Clock")().to_owned())
                    value=clock
                    on_change=Callback::new(move |text| making.set(CLOCK, text))
                    unit="MHz"
                    range=(0.001, 1e6)
                    placeholder
                />
                <Switch
                    label=Signal::derive(move || words.tr("Decimal addresses")().to_owned())
                    checked=is_decimal
                    on_change=set_base
                />
            </div>
            <details class="mapping__words">
                <summary>{words.tr("Names of operations, levels and states")}</summary>
                <div class="mapping__grid">{word_fields.collect_view()}</div>
            </details>
        </div>
    }
}

/// One expression, with what is wrong with it.
#[component]
fn ExpressionField(making: Making, expression: &'static Expression) -> impl IntoView {
    let words = words();
    let Expression { id, title, groups: [needed, others], .. } = *expression;
    let node = NodeRef::<html::Textarea>::new();
    let value = Memo::new(move |_| making.member(id));
    let problem = Memo::new(move |_| {
        let problem = making.reply.with(|reply| reply.as_ref()?.problem.clone())?;
        (problem.field == id && !value.with(String::is_empty)).then_some(problem)
    });
    // The browser counts in halves of UTF-16.
    let place = move || {
        let at = usize::try_from(problem.with(|problem| problem.as_ref()?.at)?).ok()?;
        value.with(|value| Some(value.get(..at)?.encode_utf16().count()))
    };
    let said = move || {
        let why = problem.with(|problem| Some(problem.as_ref()?.why.text(words.language()).into_owned()))?;
        let Some(at) = place() else { return Some(why) };
        let text = tr(words.language(), "Character {n}: {why}");
        Some(fill(text, &[("n", &(at + 1).to_string()), ("why", &why)]))
    };
    let go = move |_| {
        if let (Some(node), Some(at)) = (node.get_untracked(), untrack(place)) {
            let _ = node.focus();
            let _ = node.set_selection_range(at as u32, at as u32 + 1);
        }
    };
    let count = move || {
        let n = making.reply.with(|reply| reply.as_ref().map_or(0, |reply| reply.count(id)));
        (0 < n).then(|| crate::base::number::thousands(n.cast_signed()))
    };
    view! {
        <label class="mapping__field" data-expression=id>
            <span class="mapping__head">
                <span class="mapping__title">{words.tr(title)}</span>
                <span class="mapping__hint">
                    {(!needed.is_empty()).then(|| view! { <b>{needed}</b>" " })}
                    {others}
                </span>
                <span class="mapping__count">{count}</span>
            </span>
            <textarea
                node_ref=node
                class="mapping__input mono"
                class:mapping__input--large=needed.contains("address")
                rows=if needed.contains("address") { "4" } else { "2" }
                placeholder=if needed.contains("address") { EXAMPLE } else { "" }
                spellcheck="false"
                autocomplete="off"
                aria-invalid=move || problem.with(Option::is_some).to_string()
                prop:value=move || value.get()
                on:input=move |event| making.set(id, event_target_value(&event).replace(['\n', '\r'], ""))
            ></textarea>
        </label>
        {move || said().map(|said| view! {
            <button class="mapping__problem" type="button" role="alert" on:click=go>{said}</button>
        })}
    }
}

// A mapping while it is made: its members as texts, from and to JSON. Read and written by the browser: the page itself
// needs no reader of JSON.

/// An expression.
struct Expression {
    /// Its member.
    id: &'static str,
    /// What its lines are.
    title: &'static str,
    /// What one line of them is.
    one: &'static str,
    /// Its named groups: those that it needs, then the others.
    groups: [&'static str; 2],
}

/// The expressions, in the order in which a line is tried.
const EXPRESSIONS: [Expression; 4] = [
    Expression {
        id: "access",
        title: phrase("Accesses"),
        one: phrase("Access"),
        groups: ["cycle|time, address", "op, size, level, unit, bank, state"],
    },
    Expression {
        id: "kernel_begin",
        title: phrase("Kernel start"),
        one: phrase("Kernel start"),
        groups: ["", "name, id, stream"],
    },
    Expression {
        id: "kernel_end",
        title: phrase("Kernel end"),
        one: phrase("Kernel end"),
        groups: ["", "name, cycles|time"],
    },
    Expression {
        id: "capacity",
        title: phrase("Capacity"),
        one: phrase("Capacity"),
        groups: ["bytes|kib", "level"],
    },
];

/// Words of operations, levels and states: member, title, and those that are known without any.
const WORDS: [(&str, &str, &str); 8] = [
    ("load", phrase("Load"), "load, read, ld, rd, r"),
    ("store", phrase("Store"), "store, write, st, wr, w"),
    ("l1", "L1", "l1, l1d, 1"),
    ("l2", "L2", "l2, 2"),
    ("hit", phrase("Hit"), "hit, 0"),
    ("pending", phrase("Pending hit"), "pending, hit_reserved, mshr_hit, 1, 5"),
    ("miss", phrase("Miss"), "miss, sector_miss, 2, 4"),
    ("retry", phrase("Retry"), "retry, reservation_fail, 3"),
];

/// Members that are no expressions and no words.
const NAME: &str = "name";
const CLOCK: &str = "clock_mhz";
const BASE: &str = "address_base";

/// The members by name; those without a text are not there.
type Draft = BTreeMap<String, String>;

/// Reads a mapping; `None` where it is no JSON object.
fn of_text(text: &str) -> Option<Draft> {
    let whole = JSON::parse(text).ok()?.dyn_into::<Object>().ok()?;
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let text = |value: JsValue| {
        let number = value.as_f64().map(|number| number.to_string());
        value.as_string().or(number).filter(|text| !text.is_empty())
    };
    let plain = EXPRESSIONS.iter().map(|expression| expression.id).chain([NAME, CLOCK, BASE]);
    let mut draft: Draft =
        ordered(plain.filter_map(|name| Some((name.to_owned(), text(member(&whole, name)?)?))));
    let words = member(&whole, "words").unwrap_or_default();
    for (name, ..) in WORDS {
        let list = member(&words, name).and_then(|list| list.dyn_into::<Array>().ok());
        let list: Vec<String> =
            list.iter().flat_map(Array::iter).filter_map(|word| word.as_string()).collect();
        if !list.is_empty() {
            draft.insert(name.to_owned(), list.join(", "));
        }
    }
    Some(draft)
}

/// Writes a mapping.
fn text_of(draft: &Draft) -> String {
    let (whole, words) = (Object::new(), Object::new());
    let set = |of: &Object, name: &str, value: &JsValue| drop(Reflect::set(of, &name.into(), value));
    let plain = [NAME].into_iter().chain(EXPRESSIONS.iter().map(|expression| expression.id));
    for name in plain {
        if let Some(text) = draft.get(name) {
            set(&whole, name, &text.into());
        }
    }
    for (name, ..) in WORDS {
        let list = draft.get(name).map_or("", String::as_str).split(',').map(str::trim);
        let list: Array = list.filter(|word| !word.is_empty()).map(JsValue::from).collect();
        if 0 < list.length() {
            set(&words, name, &list);
        }
    }
    if 0 < Object::keys(&words).length() {
        set(&whole, "words", &words);
    }
    for name in [CLOCK, BASE] {
        if let Some(number) = draft.get(name).and_then(|text| text.trim().parse::<f64>().ok()) {
            set(&whole, name, &number.into());
        }
    }
    let text = JSON::stringify_with_replacer_and_space(&whole, &JsValue::NULL, &2.into());
    text.map_or(String::new(), String::from)
}
