//! One figure with its head: title, scope, legend, choices, saving; below it its notes, and advice that the panel of advice
//! does not have.

use super::joined::{self, Pane};
use super::{ADVICE, Grid, Picks, gone_key, table_key};
use crate::analysis::rows::{FigureRows, Folds};
use crate::base::number::thousands;
use crate::base::words::{Message, fill, message, phrase, tr};
use crate::draw::page::{self, Need, are_side_by_side};
use crate::draw::style::DrawStyle;
use crate::model::figure::{Body, Choice, FigureState, Quote};
use crate::pane::context::ViewContext;
use crate::pane::figure::navigate::reveal;
use crate::pane::figure::{FigureBody, FigureTable, Legend, SaveButton};
use crate::pane::sentence;
use crate::ui::field::{Segmented, SelectField};
use crate::ui::icon::{Glyph, Icon};
use crate::wire::figures::{AdviceLine, FamilyHead, Shown, TableHead};
use crate::wire::rows::Source;
use leptos::prelude::*;

/// A family with the variant that is chosen.
#[component]
pub(super) fn Panel(
    context: ViewContext,
    grid: Grid,
    picks: Picks,
    /// Sentences of the panel of advice.
    told: Memo<Vec<Message>>,
    family: FamilyHead,
    /// What is chosen in the row of tabs.
    shared: Memo<Vec<Choice>>,
    /// Figures of the baseline.
    #[prop(optional)]
    of_baseline: RwSignal<Option<Vec<FamilyHead>>>,
    /// What is said of a figure that only one document has.
    #[prop(optional)]
    alone: &'static str,
) -> impl IntoView {
    let id = StoredValue::new(family.id.clone());
    let choices = StoredValue::new(family.choices.clone());
    let chosen =
        Memo::new(move |_| choices.with_value(|c| c.iter().map(|c| picks.option(c)).collect::<Vec<_>>()));
    let pane = joined::follow(context, (id, choices, chosen), of_baseline);
    // What the panel of advice says is not said again.
    let shown = Memo::new(move |_| {
        let mut shown = pane.with(|p| p.as_ref().map(|p| p.shown.clone()))?;
        told.with(|told| shown.figure.advice.retain(|advice| !told.contains(&advice.text)));
        Some(shown)
    });
    let is_compared = Memo::new(move |_| pane.with(|p| p.as_ref().is_some_and(|p| p.is_compared)));
    let state = kept_shape(context, id);
    let said = move |text: String| Signal::derive(move || tr(context.language.get(), &text).to_owned());
    let title = said(family.title.clone());
    let scope =
        move || shown.with(|s| s.as_ref().map(|s| tr(context.language.get(), &s.figure.scope).to_owned()));
    // Figures of one title differ in what they are of.
    let named = move || format!("{} {}", title.get(), scope().unwrap_or_default()).trim_end().to_owned();
    let key = if alone.is_empty() { family.id.clone() } else { gone_key(&family.id) };
    let (across, down) = grid.lines(key.clone());
    let is_open = RwSignal::new(false);
    learn(context, (grid, key), (shown, is_compared, is_open), (choices, shared));
    open_marked(context, id, shown, is_open);
    let body = move || Some(content(context, pane.get()?, id.get_value(), (state, is_open)));
    let note = move || {
        let why = pane.with(|p| p.as_ref().and_then(|p| p.note.clone()));
        let why = why.or((!alone.is_empty()).then(|| alone.to_owned()))?;
        let words = tr(context.language.get(), &why).to_owned();
        Some(view! { <p class="figure__apart" role="note">{words}</p> })
    };
    view! {
        <section
            class="details__panel"
            style:grid-column=across
            style:grid-row=down
            id=format!("figure-{}", family.id)
            tabindex="-1"
            aria-label=named
        >
            <header class="figure__head">
                <h2 class="figure__title">{title}</h2>
                <span class="figure__scope" data-tip=scope>{scope}</span>
                <span class="figure__tools">
                    <Legend context shown />
                    <CurveSwitch context shown=shown.into() state />
                    {family.choices.iter().cloned().map(|choice| view! { <Pick context picks choice shared is_compared /> }).collect_view()}
                    <SaveButton context id=family.id.clone() chosen is_compared />
                </span>
            </header>
            {note}
            <div class="figure__body">{body}</div>
            <Remarks context shown=shown.into() />
        </section>
    }
}

/// How a figure is shown: counts or shares, without which series. The address keeps it by the figure's id.
fn kept_shape(context: ViewContext, id: StoredValue<String>) -> RwSignal<FigureState> {
    const KEPT: &str = "shapes";
    let kept = id.with_value(|id| context.kept(KEPT).into_iter().find(|(own, _)| own == id));
    let mut first = FigureState::default();
    for part in kept.iter().flat_map(|(_, text)| text.split(',')) {
        match part {
            "counts" => first.is_cumulative = Some(false),
            "share" => first.is_cumulative = Some(true),
            _ => first.hidden.extend(part.parse::<usize>()),
        }
    }
    let state = RwSignal::new(first);
    let text = Memo::new(move |_| {
        state.with(|state| {
            let shape = state.is_cumulative.map(|is| if is { "share" } else { "counts" }.to_owned());
            let hidden = state.hidden.iter().map(usize::to_string);
            shape.into_iter().chain(hidden).collect::<Vec<_>>().join(",")
        })
    });
    Effect::new(move |before: Option<()>| {
        let text = text.get();
        if before.is_some() {
            id.with_value(|id| context.keep_one(KEPT, id, text));
        }
    });
    state
}

/// A row that is marked must be seen.
fn open_marked(
    context: ViewContext,
    id: StoredValue<String>,
    shown: Memo<Option<Shown>>,
    is_open: RwSignal<bool>,
) {
    Effect::new(move || {
        let marked = context.selection.with(|s| s.rows.clone());
        let is_left_out = |row: u32| {
            let folds = shown.with(|s| s.as_ref().map(|s| Folds::of(&s.figure)).unwrap_or_default());
            folds.rows.contains(&(row as usize))
        };
        if marked.iter().any(|(table, row)| id.with_value(|id| table == id) && is_left_out(*row)) {
            is_open.set(true);
        }
    });
}

/// What a panel shows below its head: the figure, or what is to be seen of it, with lines for the rest.
fn content(
    context: ViewContext,
    pane: Pane,
    id: String,
    (state, is_open): (RwSignal<FigureState>, RwSignal<bool>),
) -> AnyView {
    let Pane { shown, chosen, is_compared, .. } = pane;
    let (is_folded, label) = (!is_open.get(), context.word("Show all"));
    if let Some(line) = shown.flat.clone().filter(|_| is_folded) {
        let lines = Signal::derive(move || vec![line.text(context.language.get()).into_owned()]);
        return view! { <Fold lines is_open label /> }.into_any();
    }
    let folds = if is_folded { Folds::of(&shown.figure) } else { Folds::default() };
    let fold = (!folds.is_empty()).then(|| {
        let folds = folds.clone();
        let lines = Signal::derive(move || folds.lines(context.language.get()));
        view! { <Fold lines is_open label /> }
    });
    view! {
        <FigureBody context shown id chosen state is_compared folds />
        {fold}
    }
    .into_any()
}

/// The lines that stand for what is not shown; it can be opened all the same.
#[component]
fn Fold(lines: Signal<Vec<String>>, is_open: RwSignal<bool>, label: Signal<String>) -> impl IntoView {
    let said = move || {
        lines.get().into_iter().map(|line| view! { <span class="figure__fold">{line}</span> }).collect_view()
    };
    view! {
        <p class="figure__note">
            {said}
            <button class="button button--text" type="button" on:click=move |_| is_open.set(true)>{label}</button>
        </p>
    }
}

/// Tells the grid what a panel needs as soon as its figure is there.
fn learn(
    context: ViewContext,
    (grid, key): (Grid, String),
    (shown, is_compared, is_open): (Memo<Option<Shown>>, Memo<bool>, RwSignal<bool>),
    (choices, shared): (StoredValue<Vec<Choice>>, Memo<Vec<Choice>>),
) {
    Effect::new(move || {
        let palette = context.palette.get();
        let look = DrawStyle { palette: &palette, language: context.language.get() };
        let need = shown.with(|s| {
            let Shown { figure, range, flat, .. } = s.as_ref()?;
            if flat.is_some() && !is_open.get() {
                return Some(Need::of_fold(figure.notes.len() + figure.advice.len()));
            }
            let is_own = |c: &&Choice| shared.with(|shared| shared.iter().all(|s| s.name != c.name));
            let own = choices.with_value(|c| c.iter().filter(is_own).cloned().collect::<Vec<_>>());
            Some(page::of_open_figure(figure, *range, (&own, !is_open.get()), &look))
        });
        if let Some(need) = need {
            grid.learn(&key, need, !is_compared.get());
        }
    });
}

/// A long table with all its rows; one of many begins with its head alone.
#[component]
pub(super) fn LongPanel(
    context: ViewContext,
    grid: Grid,
    table: TableHead,
    is_one_of_many: bool,
) -> impl IntoView {
    let (across, down) = grid.lines(table_key(&table.id));
    let TableHead { id, title, rows, mut notes, empty, flat, columns } = table;
    let (is_open, key) = (RwSignal::new(false), table_key(&id));
    let n_columns = columns.len().saturating_sub(empty.len());
    let flat = flat.or_else(|| {
        let size = message("{n} rows in {m} columns").with("n", thousands(rows as i64));
        is_one_of_many.then(|| size.with("m", n_columns))
    });
    Effect::new(move || {
        if is_open.get() {
            grid.learn(&key, Need::of_table(n_columns, rows), true);
        }
    });
    if !empty.is_empty() {
        let hidden = message("{n} columns without values are hidden; the Tables tab has them.");
        notes.push(hidden.with("n", empty.len()));
    }
    let (name, node) = (title.clone(), format!("figure-{id}"));
    let said = Signal::derive(move || tr(context.language.get(), &name).to_owned());
    let source = Source::Table { id, has_empty: false };
    let body = move || match flat.clone().filter(|_| !is_open.get()) {
        Some(line) => {
            let lines = Signal::derive(move || vec![line.text(context.language.get()).into_owned()]);
            view! { <Fold lines is_open label=context.word("Show all") /> }.into_any()
        }
        None => {
            view! { <FigureTable context source=source.clone() n_rows=rows title=title.clone() /> }.into_any()
        }
    };
    let notes = notes.into_iter().map(|note| {
        let said = move || note.text(context.language.get()).into_owned();
        view! { <p class="figure__note">{said}</p> }
    });
    view! {
        <section
            class="details__panel"
            style:grid-column=across
            style:grid-row=down
            id=node
            tabindex="-1"
            aria-label=said
        >
            <header class="figure__head">
                <h2 class="figure__title">{said}</h2>
            </header>
            <div class="figure__body">{body}</div>
            <div class="figure__remarks">{notes.collect_view()}</div>
        </section>
    }
}

/// One choice: few options side by side, many as a list. One of the row of tabs is only told: what the figure is about.
#[component]
fn Pick(
    context: ViewContext,
    picks: Picks,
    choice: Choice,
    shared: Memo<Vec<Choice>>,
    is_compared: Memo<bool>,
) -> impl IntoView {
    let (n, is_short) = (choice.options.len(), are_side_by_side(&choice));
    let choice = StoredValue::new(choice);
    let of_all = Memo::new(move |_| {
        shared.with(|s| choice.with_value(|c| s.iter().find(|s| s.name == c.name).cloned()))
    });
    let label = Signal::derive(move || choice.with_value(|c| tr(context.language.get(), &c.name).to_owned()));
    let options = Signal::derive(move || {
        let language = context.language.get();
        choice.with_value(|c| {
            let named = |(i, o): (usize, &String)| (i.to_string(), tr(language, o).to_owned());
            c.options.iter().enumerate().map(named).collect::<Vec<_>>()
        })
    });
    let value = Signal::derive(move || choice.with_value(|c| picks.option(c).to_string()));
    let on_choose = Callback::new(move |option: String| {
        choice.with_value(|c| picks.pick(c, option.parse().unwrap_or(0)));
    });
    let only = move || {
        let at = choice.with_value(|c| picks.option(c));
        options.with(|options| options.get(at).map(|(_, name)| name.clone()))
    };
    move || {
        let of_all = of_all.get();
        // The colors of differences follow these alone.
        if is_compared.get() && choice.with_value(|c| c.name == "Colors") {
            return ().into_any();
        }
        if n < 2 || of_all.is_some() {
            // Nothing to choose: what it is about stays.
            view! { <span class="field__label">{label} " " {only}</span> }.into_any()
        } else if is_short {
            view! { <Segmented label options value on_choose small=true /> }.into_any()
        } else {
            view! { <SelectField label options value on_choose /> }.into_any()
        }
    }
}

/// Counts or cumulative share, for histograms.
#[component]
fn CurveSwitch(
    context: ViewContext,
    shown: Signal<Option<Shown>>,
    state: RwSignal<FigureState>,
) -> impl IntoView {
    let own = Memo::new(move |_| {
        shown.with(|s| match s.as_ref().map(|s| &s.figure.body) {
            Some(Body::Histogram(h)) => Some(h.is_cumulative),
            _ => None,
        })
    });
    let options = Signal::derive(move || {
        let word = |english: &'static str| tr(context.language.get(), english).to_owned();
        vec![("counts".to_owned(), word("Counts")), ("share".to_owned(), word("Cumulative"))]
    });
    let value = Signal::derive(move || {
        let is_share = state.with(|s| s.is_cumulative).or(own.get()).unwrap_or(false);
        if is_share { "share".to_owned() } else { "counts".to_owned() }
    });
    let on_choose = Callback::new(move |id: String| state.update(|s| s.is_cumulative = Some(id == "share")));
    view! {
        <Show when=move || own.get().is_some()>
            <Segmented label=context.word("Show as") options value on_choose small=true />
        </Show>
    }
}

/// Notes of the figure that is shown, and its own advice.
#[component]
fn Remarks(context: ViewContext, shown: Signal<Option<Shown>>) -> impl IntoView {
    let advice = move || {
        let all = shown.with(|s| s.as_ref().map(|s| s.figure.advice.clone()).unwrap_or_default());
        let lines = all.into_iter().map(|advice| {
            let (text, is_costly) = (advice.said(), advice.is_costly);
            let said = move || text.text(context.language.get()).into_owned();
            view! { <p class="figure__advice"><AdviceIcon is_costly />{said}</p> }
        });
        lines.collect_view()
    };
    let notes = move || {
        let all = shown.with(|s| s.as_ref().map(|s| s.figure.notes.clone()).unwrap_or_default());
        let lines = all.into_iter().map(|note| {
            let said = move || note.text(context.language.get()).into_owned();
            view! { <p class="figure__note">{said}</p> }
        });
        lines.collect_view()
    };
    let hidden = move || {
        let n = shown.with(|s| match s.as_ref().map(|s| &s.figure.body) {
            Some(Body::Table(table)) => FigureRows::new(table).hidden(),
            _ => 0,
        });
        (0 < n).then(|| {
            let said = message("{n} empty columns are hidden.").with("n", n);
            view! { <p class="figure__note">{said.text(context.language.get()).into_owned()}</p> }
        })
    };
    view! { <div class="figure__remarks">{advice} {notes} {hidden}</div> }
}

// All advice on one panel, first what bounds the run, then what costs most, each with a link to its figure.

/// All sentences of figures, which the panel has in its own words.
pub(super) fn sentences(families: &[FamilyHead]) -> Vec<Message> {
    families.iter().flat_map(|family| &family.advice).map(|advice| advice.text.clone()).collect()
}

/// How many lines the panel has.
pub(super) fn n_lines(lines: &[AdviceLine], shows_all: bool) -> usize {
    let n = if shows_all { lines.len() } else { SHOWN.min(lines.len()) };
    let fold = usize::from(SHOWN < lines.len());
    let lines = lines.iter().take(n);
    fold + lines.map(lines_of).sum::<usize>()
}

/// Entries that are shown at first: below them the first figures are on the first screen.
const SHOWN: usize = 3;

fn lines_of(line: &AdviceLine) -> usize {
    1 + usize::from(!line.line.is_empty()) + line.quotes.len()
}

/// The panel.
#[component]
pub(super) fn AdvicePanel(
    context: ViewContext,
    grid: Grid,
    picks: Picks,
    families: Signal<Vec<FamilyHead>>,
    lines: Signal<Vec<AdviceLine>>,
    shows_all: RwSignal<bool>,
) -> impl IntoView {
    let (across, down) = grid.lines(ADVICE.to_owned());
    let row = move |(at, line): (usize, AdviceLine)| {
        let AdviceLine { sentence, line, writer, quotes, is_costly, figure, title, chosen, rows } = line;
        let said = if writer.is_empty() { sentence } else { Quote { writer, text: sentence }.said() };
        let said = move || sentence::sentence(&said.text(context.language.get()));
        let behind = (!line.is_empty()).then_some(line).into_iter().chain(quotes.iter().map(Quote::said));
        let behind = behind.map(|text| {
            let said = move || text.text(context.language.get()).into_owned();
            view! { <span class="advice__more">{said}</span> }
        });
        let said = view! { <span class="advice__text">{said}{behind.collect_view()}</span> };
        let name = move || tr(context.language.get(), &title).to_owned();
        // The rows that show it are marked, the figure comes into view with what is chosen of it.
        let show = move |_| {
            let is_it = |family: &&FamilyHead| family.id == figure;
            let choices = families.with_untracked(|all| Some(all.iter().find(is_it)?.choices.clone()));
            for (choice, option) in choices.iter().flatten().zip(&chosen) {
                picks.pick(choice, *option);
            }
            if !rows.is_empty() {
                context
                    .selection
                    .update(|s| s.rows = rows.iter().map(|row| (figure.clone(), *row)).collect());
            }
            reveal(&figure);
        };
        view! {
            <li class="advice__row" class:advice__row--beyond=move || SHOWN <= at && !shows_all.get()>
                <AdviceIcon is_costly />
                {said}
                <button class="advice__link" type="button" on:click=show>{name}</button>
            </li>
        }
    };
    let rows = move || lines.get().into_iter().enumerate().map(row).collect_view();
    let n_beyond = move || lines.with(Vec::len).saturating_sub(SHOWN);
    let fold = move || {
        let more = || fill(context.tr("{n} more"), &[("n", &n_beyond().to_string())]);
        if shows_all.get() { context.tr(phrase("Show less")).to_owned() } else { more() }
    };
    view! {
        <section class="details__panel" style:grid-column=across style:grid-row=down aria-label=context.word("Advice")>
            <header class="figure__head">
                <h2 class="figure__title">{context.word("Advice")}</h2>
                <span class="figure__scope">{context.word("most costly first")}</span>
            </header>
            <ul class="advice">{rows}</ul>
            <Show when=move || 0 < n_beyond()>
                <button
                    class="advice__fold"
                    type="button"
                    aria-expanded=move || shows_all.get().to_string()
                    on:click=move |_| shows_all.update(|all| *all = !*all)
                >
                    {fold}
                </button>
            </Show>
        </section>
    }
}

/// A triangle for what costs time, a circle for what only informs.
#[component]
fn AdviceIcon(is_costly: bool) -> impl IntoView {
    let glyph = if is_costly { Glyph::Warning } else { Glyph::Note };
    view! {
        <span class="advice__icon" class:advice__icon--costly=is_costly>
            <Icon glyph />
        </span>
    }
}
