//! Tables of any length: rows are fetched from the document as they are scrolled, and it sorts and filters them.

use super::lead;
use super::rows::NUMBER;
use super::set_px;
use crate::base::unit::Unit;
use crate::base::words::{Language, told, tr};
use crate::draw::facts::says_unit;
use crate::draw::style::{cell as cell_text, full};
use crate::model::figure::{Cell, Target};
use crate::ui::field::SearchField;
use crate::ui::icon::{Glyph, Icon};
use crate::ui::latest::Latest;
use crate::ui::table::cell::{Cell as TableCell, Column, Order};
use crate::ui::table::{Rows as AtHand, Table, TableModel, count_words};
use crate::view::context::ViewContext;
use crate::wire::figures::{Ask, Page, Reply, Rows};
use crate::wire::{Answer, Query};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::ops::Range;

/// Rows that are asked for at least, and at most.
const PAGE: (usize, usize) = (60, 1_000);
/// Rows that are seen at once.
const SEEN: usize = 14;
/// Height of a row, of the head and of the tools above it.
const ROW: f32 = 20.0;
const HEAD: f32 = 26.0;
const TOOLS: f32 = 32.0;

/// One column of a long table.
#[derive(Clone, Debug, PartialEq)]
pub struct LongColumn {
    /// Its name.
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    /// Whether it holds numbers.
    pub is_number: bool,
    /// Whether its words are phrases of this program.
    pub is_phrase: bool,
}

/// A long table, or a figure that is one.
#[allow(clippy::too_many_lines)] // one table with its gestures
#[component]
pub fn PagedTable(
    /// The document.
    context: ViewContext,
    /// Id of the table or family.
    id: String,
    /// What is chosen, for a family.
    chosen: Vec<usize>,
    /// Its name, for screen readers.
    title: String,
    /// Its columns.
    columns: Vec<LongColumn>,
    /// How many rows it has.
    n_rows: usize,
    /// The column that names a line of source, which Enter and double click go to.
    #[prop(default = None)]
    place: Option<usize>,
) -> impl IntoView {
    let numbers = chosen.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let export =
        if chosen.is_empty() { format!("figures-csv:{id}") } else { format!("figures-csv:{id}:{numbers}") };
    let columns = StoredValue::new(columns);
    let fetched = Fetched {
        count: RwSignal::new(n_rows),
        rows: RwSignal::new(AtHand::default()),
        need: RwSignal::new(0..0_usize),
        order: RwSignal::new(None::<Order>),
        filter: RwSignal::new(String::new()),
    };
    fetched.follow(context, id, chosen, columns);
    let heads = Signal::derive(move || {
        let language = context.language.get();
        columns.with_value(|columns| {
            let head = |(at, c): (usize, &LongColumn)| head(at, c, tr(language, &c.name));
            columns.iter().enumerate().map(head).collect::<Vec<_>>()
        })
    });
    let open = Callback::new(move |at: usize| {
        let text = fetched.rows.with_untracked(|rows| {
            let row = rows.cells.get(at.checked_sub(rows.first)?)?;
            Some(row.get(place?)?.full.clone())
        });
        if let Some(target) = text.and_then(|text| Target::of_place(&text)) {
            lead::go(context, &target);
        }
    });
    let model = fetched.model(heads, open);
    let Fetched { count, filter, .. } = fetched;
    let node = NodeRef::<leptos::html::Div>::new();
    Effect::new(move || {
        if let Some(node) = node.get() {
            set_px(&node, "height", HEAD + TOOLS + ROW * n_rows.clamp(1, SEEN) as f32);
        }
    });
    let save = move |_| {
        let export = export.clone();
        spawn_local(async move {
            if let Some(file) = context.export(export).await {
                context.save.run(file);
            }
        });
    };
    let label = Signal::derive(move || tr(context.language.get(), &title).to_owned());
    view! {
        <div class="figure__table" node_ref=node>
            <div class="table">
                <div class="table__tools">
                    <SearchField label=context.word("Filter rows") value=filter />
                    <span class="field__count" role="status">{move || count_words(count.get(), n_rows)}</span>
                    <button
                        class="button button--plain"
                        type="button"
                        data-tip=context.word("Save as CSV")
                        aria-label=context.word("Save as CSV")
                        on:click=save
                    >
                        <Icon glyph=Glyph::Export />
                    </button>
                </div>
                <Table label model none=context.word("No rows") />
            </div>
        </div>
    }
}

/// The rows at hand and what they were asked by.
#[derive(Clone, Copy)]
struct Fetched {
    count: RwSignal<usize>,
    rows: RwSignal<AtHand>,
    need: RwSignal<Range<usize>>,
    order: RwSignal<Option<Order>>,
    filter: RwSignal<String>,
}

impl Fetched {
    /// Asks for rows when other ones are wanted, in another order or filtered in another way.
    fn follow(
        self,
        context: ViewContext,
        id: String,
        chosen: Vec<usize>,
        columns: StoredValue<Vec<LongColumn>>,
    ) {
        let latest = Latest::default();
        Effect::new(move || {
            let (range, language) = (self.need.get(), context.language.get());
            let ask = Rows {
                id: id.clone(),
                chosen: chosen.clone(),
                sort: self.order.get().map(|o| (o.column, o.is_descending)),
                filter: self.filter.get(),
                from: range.start,
                n: range.len().clamp(PAGE.0, PAGE.1),
            };
            latest.ask(context.ask(Query::Figures(Ask::Table(ask))), move |answer| {
                if let Answer::Figures(Reply::Table(page)) = answer {
                    let cells =
                        columns.try_with_value(|columns| cells(&page, columns, language)).unwrap_or_default();
                    self.count.try_set(page.total);
                    self.rows.try_set(AtHand { first: page.from, cells });
                }
            });
        });
    }

    fn model(self, columns: Signal<Vec<Column>>, open: Callback<usize>) -> TableModel {
        TableModel {
            columns,
            count: self.count.into(),
            rows: self.rows.into(),
            on_need: Callback::new(move |range| {
                if self.need.get_untracked() != range {
                    self.need.set(range);
                }
            }),
            order: self.order,
            chosen: RwSignal::new(None),
            on_open: Some(open),
        }
    }
}

fn head(at: usize, column: &LongColumn, name: &str) -> Column {
    let unit = column.unit.symbol();
    let unit = if says_unit(name, unit) { "" } else { unit };
    match (at, column.is_number) {
        // What names a row stands at its left edge, also when it is a number.
        (0, true) if column.name == NUMBER => Column::text(name, 56.0),
        (0, _) => Column::text(name, 0.0),
        (_, true) => Column::number(name, unit, 112.0),
        (_, false) => Column::text(name, 168.0),
    }
}

fn cells(page: &Page, columns: &[LongColumn], language: Language) -> Vec<Vec<TableCell>> {
    let cell = |(value, column): (&Cell, &LongColumn)| match value {
        Cell::Number(v) => {
            // Only these have an end that is known without all rows.
            let most = match column.unit {
                Unit::Percent => Some(100.0),
                Unit::Share => Some(1.0),
                _ => None,
            };
            TableCell {
                full: full(Some(*v), &column.unit),
                share: most.map(|most| (v / most).clamp(0.0, 1.0)),
                ..TableCell::number(cell_text(*v, &column.unit), *v)
            }
        }
        Cell::Text(text) if column.is_phrase => TableCell::text(told(language, text)),
        Cell::Text(text) => TableCell { full: text.clone(), ..TableCell::text(Target::shown(text)) },
        Cell::Missing => TableCell::default(),
    };
    page.rows.iter().map(|row| row.iter().zip(columns).map(cell).collect()).collect()
}
