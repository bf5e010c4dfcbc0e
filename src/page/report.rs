//! The dialog of a report: what goes in is chosen, then the worker of the document writes it. Beside a baseline it is one of
//! both: what the baseline found is asked there, and the figures are joined before.

use super::documents::DocumentRow;
use super::save::{self, SaveDialog};
use super::state::{PageState, Panel};
use crate::analysis::compare::family::same_options;
use crate::analysis::finding::Overview;
use crate::analysis::report::{FAULTS, FIGURES, FINDINGS, NOTES, PARTS, ReportAsk, ReportBaseline, TABLES};
use crate::base::number::thousands;
use crate::base::words::{Message, fill, message, tr};
use crate::pane::context::{Baseline, ViewContext};
use crate::pane::headline::headline_of;
use crate::ui::field::Switch;
use crate::ui::words;
use crate::views::details::page::joined::join;
use crate::views::overview::messages::OverviewQuery;
use crate::wire::figures::{FamilyHead, FigureQuery, Reply};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// What is chosen, and what there is.
#[derive(Clone, Copy)]
struct Choices {
    state: PageState,
    row: DocumentRow,
    context: ViewContext,
    /// Parts that are left out.
    without: RwSignal<Vec<&'static str>>,
    /// Panels of figures that are left out.
    closed: RwSignal<Vec<String>>,
    has_view: RwSignal<bool>,
    overview: RwSignal<Option<Overview>>,
    families: RwSignal<Vec<FamilyHead>>,
    n_tables: RwSignal<usize>,
    /// Title and question of the picture of the view below.
    seen: StoredValue<Option<(String, Query)>>,
}

/// The dialog itself.
pub fn show() -> AnyView {
    let state = PageState::of_context();
    let close = Callback::new(move |()| state.put_away(&Panel::Report));
    let row = untrack(|| state.row()).and_then(|row| Some((row, row.context.get_untracked()?)));
    let Some((row, context)) = row else { return ().into_any() };
    let choices = Choices {
        state,
        row,
        context,
        without: RwSignal::default(),
        closed: RwSignal::default(),
        has_view: RwSignal::new(true),
        overview: RwSignal::new(None),
        families: RwSignal::default(),
        n_tables: RwSignal::new(0),
        seen: StoredValue::new(seen(state, context)),
    };
    choices.ask_what_there_is();
    let words = words();
    let title = Signal::derive(move || words.tr("Report")().to_owned());
    let save = Callback::new(move |()| choices.save());
    let against = move || {
        let baseline = context.baseline.get()?;
        Some(fill(words.tr("Compared with {name}")(), &[("name", &baseline.name.get())]))
    };
    view! {
        <SaveDialog title action="save-report" close save>
            <p>{words.tr("One HTML file that any browser shows without Lanescope and without a network.")}</p>
            <Parts choices />
            <p class="dialog__row">{against}</p>
            <p class="dialog__row" role="status" data-report="contents">{move || choices.told()}</p>
        </SaveDialog>
    }
    .into_any()
}

/// The picture of the view that is shown, where it has one that is no figure.
fn seen(state: PageState, context: ViewContext) -> Option<(String, Query)> {
    let view = untrack(|| state.shown_view()).filter(|view| view.id != "details")?;
    let offers = context.offers.with_untracked(|offers| offers.get(view.id).copied())?.run(());
    let is_picture = |query: &Query| matches!(query, Query::Picture(_) | Query::ViewPicture(_));
    let offer = offers.into_iter().find(|offer| !offer.is_png && is_picture(&offer.file))?;
    Some((state.tr(view.title).to_owned(), offer.file))
}

/// What goes in, to be switched off.
#[component]
fn Parts(choices: Choices) -> impl IntoView {
    let words = words();
    let Choices { without, closed, has_view, families, seen, .. } = choices;
    let parts = PARTS.into_iter().map(|(id, title)| {
        let label = Signal::derive(move || words.tr(title)().to_owned());
        let checked = Signal::derive(move || !without.with(|without| without.contains(&id)));
        let on_change = Callback::new(move |is_on: bool| {
            without.update(|without| {
                without.retain(|own| *own != id);
                if !is_on {
                    without.push(id);
                }
            });
        });
        view! { <Switch label checked on_change /> }
    });
    let parts = parts.collect_view();
    let view = seen.with_value(|seen| seen.as_ref().map(|(title, _)| title.clone())).map(|title| {
        let label = Signal::derive(move || fill(words.tr("{view} as shown")(), &[("view", &title)]));
        view! { <Switch label checked=has_view on_change=Callback::new(move |is_on| has_view.set(is_on)) /> }
    });
    let panels = Memo::new(move |_| families.with(|families| panels(families)));
    let panel = move |panel: String| {
        let (name, own) = (panel.clone(), panel.clone());
        let label = Signal::derive(move || match name.as_str() {
            "" => words.tr("Other figures")().to_owned(),
            name => tr(words.language(), name).to_owned(),
        });
        let checked = Signal::derive(move || !closed.with(|closed| closed.contains(&own)));
        let on_change = Callback::new(move |is_on: bool| {
            closed.update(|closed| {
                closed.retain(|own| *own != panel);
                if !is_on {
                    closed.push(panel.clone());
                }
            });
        });
        view! { <Switch label checked on_change /> }
    };
    let has_panels = move || choices.has(FIGURES) && 1 < panels.with(Vec::len);
    view! {
        <div class="dialog__row" role="group" aria-label=words.tr("Parts of the report")>{parts}{view}</div>
        <Show when=has_panels>
            <div class="dialog__row" role="group" aria-label=words.tr("Figures by panel")>
                {move || panels.get().into_iter().map(panel).collect_view()}
            </div>
        </Show>
    }
}

/// The panels of figures, in order of first use.
fn panels(families: &[FamilyHead]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for family in families {
        if !all.contains(&family.section) {
            all.push(family.section.clone());
        }
    }
    all
}

impl Choices {
    fn has(self, part: &'static str) -> bool {
        !self.without.with(|without| without.contains(&part))
    }

    fn ask_what_there_is(self) {
        let Self { context, overview, families, n_tables, .. } = self;
        leptos::task::spawn_local(async move {
            if let Some(Reply::List { families: list, tables }) = context.ask(FigureQuery::List).await {
                families.try_set(list);
                n_tables.try_set(tables.len());
            }
            let found = context.ask(OverviewQuery::Findings { known: u32::MAX }).await;
            overview.try_set(found);
        });
    }

    /// The figures that are wanted.
    fn figures(self) -> Vec<FamilyHead> {
        let closed = self.closed.get();
        let mut families = self.families.get();
        families.retain(|family| !closed.contains(&family.section));
        families
    }

    /// What goes in, in numbers.
    fn told(self) -> String {
        let language = self.state.language.get();
        let count = |words: Message, n: usize| words.with("n", thousands(n as u64));
        let n_notes = self.row.notes.with(|notes| notes.as_ref().map_or(0, |notes| notes.list.len()));
        let n_faults = self.context.head.with(|head| head.faults.iter().sum::<u64>());
        let all = [
            (
                FINDINGS,
                self.overview
                    .with(|of| of.as_ref().map(|of| count(message("{n} findings"), of.findings.len()))),
            ),
            (FIGURES, Some(count(message("{n} figures"), self.figures().len()))),
            (TABLES, Some(count(message("{n} tables"), self.n_tables.get()))),
            (FAULTS, Some(count(message("{n} problems"), n_faults as usize))),
            (NOTES, Some(count(message("{n} notes"), n_notes))),
        ];
        let told = all.into_iter().filter(|(part, _)| self.has(part)).filter_map(|(_, said)| said);
        told.map(|said| said.text(language).into_owned()).collect::<Vec<_>>().join(" · ")
    }

    fn save(self) {
        let Self { state, row, context, seen, has_view, .. } = self;
        let parts = PARTS.map(|(id, _)| id).into_iter().filter(|id| untrack(|| self.has(id)));
        let (all, wanted) = (self.families.get_untracked(), untrack(|| self.figures()));
        let seen = seen.get_value().filter(|_| has_view.get_untracked() && untrack(|| self.has(FIGURES)));
        let baseline = context.baseline.get_untracked();
        let of_pair = baseline.and_then(|_| untrack(|| state.documents.pair_labels()));
        let mut ask = ReportAsk {
            name: of_pair.map_or_else(|| row.name.get_untracked(), |(_, comparison)| comparison),
            parts: Some(parts.map(str::to_owned).collect()),
            figures: Some(wanted.iter().map(|family| family.id.clone()).collect()),
            chosen: context.kept("details"),
            notes: row.notes.get_untracked(),
            ..ReportAsk::default()
        };
        // The dialog is gone when the answers come.
        state.note(state.tr("Writing the report…").to_owned());
        leptos::task::spawn_local(async move {
            if let Some(baseline) = baseline {
                ask.baseline = Some(beside(state, context, baseline, &ask, &all).await);
            }
            let seen = seen.map(|(title, query)| (title, Box::new(query)));
            save::file(state, context, Query::ReportFile { ask: Box::new(ask), seen }).await;
        });
    }
}

/// What is said of the baseline. The figures are joined meanwhile: the document keeps them.
async fn beside(
    state: PageState,
    context: ViewContext,
    baseline: Baseline,
    ask: &ReportAsk,
    families: &[FamilyHead],
) -> ReportBaseline {
    let other = baseline.context;
    let own = context.ask(OverviewQuery::Findings { known: u32::MAX }).await.unwrap_or_default();
    let rows = own.parts.iter().flat_map(|part| &part.rows);
    let names = rows.map(|row| row.whole_name().into_owned()).collect();
    let overview = other.ask(OverviewQuery::Beside { names }).await.unwrap_or_default();
    let faults = match other.ask(Query::Report).await {
        Answer::Report(report) => report.faults,
        _ => Vec::new(),
    };
    let said = headline_of(context, baseline).await;
    let headline =
        said.map_or_else(String::new, |said| said.text(state.language.get_untracked()).into_owned());
    let Some(Reply::List { families: old, .. }) = other.ask(FigureQuery::List).await else {
        return ReportBaseline { overview, headline, faults, ..ReportBaseline::default() };
    };
    for family in families.iter().filter(|family| ask.has_figure(&family.id)) {
        let chosen: Vec<usize> = family.choices.iter().map(|choice| choice.number(&ask.chosen)).collect();
        let before = old.iter().find(|before| before.id == family.id);
        let same = before.and_then(|before| same_options(&family.choices, &chosen, &before.choices).ok());
        if let Some(same) = same {
            // One that cannot be joined stands alone.
            let _ = join(context, baseline, family.id.clone(), [same, chosen]).await;
        }
    }
    let is_alone = |before: &&FamilyHead| !families.iter().any(|family| family.id == before.id);
    let alone = old.iter().filter(is_alone).map(|before| before.title.clone());
    ReportBaseline {
        name: baseline.name.try_get_untracked().unwrap_or_default(),
        overview,
        headline,
        notes: state.documents.row(other.document).and_then(|row| row.notes.get_untracked()),
        alone: alone.collect(),
        faults,
    }
}
