//! Long tables: every row that the files list, one table at a time.
//!
//! Needs tables. Heads sort, the field above narrows down, Ctrl+C copies the chosen row; the buttons copy what is shown and
//! save the whole as CSV. Percent and ratios have a bar. Table, order and filter stand in the address.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

use crate::base::words::{Message, fill, phrase, tr};
use crate::base::{number, pairs};
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::rows::WorkerTable;
use crate::scene::table::Order;
use crate::ui::field::{SelectField, Switch};
use crate::ui::follow_into;
use crate::ui::table::TableState;
use crate::views::details::page::joined::join;
use crate::wire::figures::{FigureQuery, LONG_TABLE, Reply, TableHead};
use crate::wire::rows::Source;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "tables",
    title: phrase("Tables"),
    question: "What tables do the files contain?",
    can_show: |head| 0 < head.contents.tables,
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <Tables context /> }.into_any()
}

/// Which table, in which order, narrowed down by what: the state of this view in the address.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    table: String,
    order: Option<(usize, bool)>,
    filter: String,
    has_empty: bool,
}

impl Shown {
    fn parse(text: &str) -> Self {
        let mut shown = Self::default();
        for (name, value) in pairs::split(text) {
            match name.as_str() {
                "table" => shown.table = value,
                "filter" => shown.filter = value,
                "empty" => shown.has_empty = value == "shown",
                "order" => {
                    let column = value.trim_end_matches('d').parse().ok();
                    shown.order = column.map(|column| (column, value.ends_with('d')));
                }
                _ => {}
            }
        }
        shown
    }

    fn text(&self) -> String {
        let order = self.order.map(|(column, falls)| format!("{column}{}", if falls { "d" } else { "" }));
        let empty = self.has_empty.then(|| "shown".to_owned());
        let list = [
            ("table", Some(&self.table)),
            ("order", order.as_ref()),
            ("filter", Some(&self.filter)),
            ("empty", empty.as_ref()),
        ];
        let said = list.iter().filter_map(|(name, value)| Some((*name, value.map(String::as_str)?)));
        pairs::join(said.filter(|(_, value)| !value.is_empty()))
    }
}

#[component]
fn Tables(context: ViewContext) -> impl IntoView {
    let heads = RwSignal::new(Vec::<TableHead>::new());
    let n_tables = Memo::new(move |_| context.head.with(|h| (h.contents.tables, h.is_complete)));
    Effect::new(move || {
        let _ = n_tables.get();
        spawn_local(async move {
            if let Some(Reply::List { tables, .. }) = context.ask(FigureQuery::List).await {
                heads.try_set(tables);
            }
        });
    });
    let shown = Memo::new(move |_| {
        context.states.with(|s| s.get(VIEW.id).map(|text| Shown::parse(text)).unwrap_or_default())
    });
    let head = Memo::new(move |_| {
        let wanted = shown.with(|s| s.table.clone());
        heads.with(|h| h.iter().find(|t| t.id == wanted).or(h.first()).cloned())
    });
    let options = Signal::derive(move || {
        let language = context.language.get();
        let named = |t: &TableHead| {
            let rows = fill(tr(language, "{n} rows"), &[("n", &number::thousands(t.rows as i64))]);
            (t.id.clone(), format!("{} · {rows}", tr(language, &t.title)))
        };
        heads.with(|h| h.iter().map(named).collect::<Vec<_>>())
    });
    let value = Signal::derive(move || head.with(|h| h.as_ref().map_or(String::new(), |h| h.id.clone())));
    let on_choose = Callback::new(move |table: String| keep(context, &Shown { table, ..Shown::default() }));
    // The table itself is made anew when another is chosen: its order and scrolled place are its own.
    let id = Memo::new(move |_| head.with(|h| h.as_ref().map(|h| h.id.clone())));
    view! {
        <div class="tables">
            {move || id.get().map(|_| {
                let head = head.get_untracked().unwrap_or_default();
                let shown = shown.get_untracked();
                view! { <OneTable context head shown options value on_choose /> }
            })}
        </div>
    }
}

fn keep(context: ViewContext, shown: &Shown) {
    let text = shown.text();
    context.states.update(|states| drop(states.insert(VIEW.id.to_owned(), text)));
}

#[component]
fn OneTable(
    context: ViewContext,
    head: TableHead,
    shown: Shown,
    options: Signal<Vec<(String, String)>>,
    value: Signal<String>,
    on_choose: Callback<String>,
) -> impl IntoView {
    let TableHead { id, title, columns, empty, notes, .. } = head;
    let has_empty = RwSignal::new(shown.has_empty);
    let order = shown.order.map(|(column, is_descending)| Order { column, is_descending });
    let state = TableState::new(order, shown.filter);
    let joined = follow_baseline(context, id.clone());
    let is_joined = Memo::new(move |_| joined.with(|joined| matches!(joined, Some(Ok(_)))));
    let source = Signal::derive({
        let id = id.clone();
        move || {
            joined.track();
            Some(if is_joined.get() {
                Source::Figure {
                    id: format!("{LONG_TABLE}{id}"),
                    chosen: Vec::new(),
                    is_compared: true,
                    is_folded: false,
                }
            } else {
                Source::Table { id: id.clone(), has_empty: has_empty.get() }
            })
        }
    });
    Effect::new(move |before: Option<()>| {
        let order = state.order.get().map(|o| (o.column, o.is_descending));
        let shown =
            Shown { table: id.clone(), order, filter: state.filter.get(), has_empty: has_empty.get() };
        // What stood in the address is not written anew.
        if before.is_some() {
            keep(context, &shown);
        }
    });
    let n_empty = if empty.len() < columns.len() { empty.len() } else { 0 };
    let hidden = Signal::derive(move || {
        let n = number::thousands(n_empty as i64);
        fill(tr(context.language.get(), "Hide empty columns ({n})"), &[("n", &n)])
    });
    let hide = Callback::new(move |hides: bool| has_empty.set(!hides));
    let lead = move || {
        view! {
            <SelectField label=context.word("Table") options value on_choose />
            {move || (0 < n_empty && !is_joined.get()).then(|| view! {
                <Switch label=hidden checked=Signal::derive(move || !has_empty.get()) on_change=hide />
            })}
        }
    };
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    let remarks = move || {
        let language = context.language.get();
        let lines: Vec<String> = match joined.get() {
            Some(Ok(notes)) => notes.iter().map(|note| note.text(language).into_owned()).collect(),
            Some(Err(why)) => vec![tr(language, &why).to_owned()],
            None => Vec::new(),
        };
        lines.into_iter().map(|line| view! { <p class="figure__note">{line}</p> }).collect_view()
    };
    view! {
        <WorkerTable context label source state lead />
        {remarks}
        {notes.into_iter().map(|note| view! {
            <p class="figure__note">{move || note.text(context.language.get()).into_owned()}</p>
        }).collect_view()}
    }
}

/// What came of joining a table: remarks, or why it is shown alone. Nothing while nothing is compared.
type Joined = Option<Result<Vec<Message>, String>>;

/// Joins a table with that of the baseline whenever the baseline changes or either document has grown.
fn follow_baseline(context: ViewContext, id: String) -> RwSignal<Joined> {
    let joined = RwSignal::new(None);
    let id = format!("{LONG_TABLE}{id}");
    let ask = move || {
        context.head.with(|h| h.is_complete);
        let baseline = context.baseline.get()?;
        baseline.context.head.with(|h| (h.contents.tables, h.is_complete));
        Some(join(context, baseline, id.clone(), [Vec::new(), Vec::new()]))
    };
    follow_into(joined, ask, |both| Some(Some(both.map(|shown| shown.figure.notes))));
    joined
}
