//! What the tool measured and concludes: all figures of the document on one grid, in declared order, advice and facts
//! first, long tables last.
//!
//! Needs figures or long tables. Panels are placed by what they need, see [`crate::draw::page`]. Choices with the same name
//! (block, unit) hold for all figures that have them and stand in the address; what several figures are about is chosen in
//! the row of tabs. Hovering reads values out; a click on a core, a memory path, a cell of a cache map or a hot line leads to
//! what else the document has of it. Every figure can be saved as SVG, PNG and CSV. Where a baseline is chosen,
//! each figure is joined with that of the same id; what only one document has stands alone and says so. `[` and `]` go
//! through the blocks. Figures, columns and rows in which all values are the same fold to a line, and so do long tables where
//! there are many.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

pub(crate) mod joined;
mod panel;
pub mod parameters;

use crate::analysis::compare::family::{ONLY_BASELINE, in_order};
use crate::base::words::{phrase, tr};
use crate::base::{order, pairs};
use crate::draw::page::{Need, Place, SUBJECTS, place};
use crate::model::figure::Choice;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::pane::figure::navigate::reveal;
use crate::ui::field::SelectField;
use crate::ui::tabs::Tools;
use crate::ui::{Extent, is_typing, observe};
use crate::wire::figures::{AdviceLine, FamilyHead, FigureQuery, Reply, TableHead};
use leptos::prelude::*;
use panel::{AdvicePanel, LongPanel, Panel, n_lines, sentences};
use parameters::ParameterPanel;
use std::collections::BTreeMap;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "details",
    title: phrase("Details"),
    question: "What was measured, and what limits the kernel?",
    can_show: |head| 0 < head.contents.figures + head.contents.tables || !head.analyses.is_empty(),
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <Details context /> }.into_any()
}

/// Panels that exist at first, and how many more when their end is near.
const PANELS: usize = 100;
/// How near the end is then, in pixels.
const NEAR: i32 = 2_000;

/// Choices of all figures by their name; the state of this view.
#[derive(Clone, Copy)]
struct Picks(ViewContext);

impl Picks {
    /// Number of the option that holds for a choice: the one picked by name if the choice has it, else the first.
    fn option(self, choice: &Choice) -> usize {
        self.0.states.with(|states| Self::number(states, choice))
    }

    /// The same for who does not follow it.
    fn option_untracked(self, choice: &Choice) -> usize {
        self.0.states.with_untracked(|states| Self::number(states, choice))
    }

    fn number(states: &BTreeMap<String, String>, choice: &Choice) -> usize {
        let picked = states.get(VIEW.id).map(|text| pairs::split(text)).unwrap_or_default();
        let named = picked.into_iter().find(|(name, _)| *name == choice.name).map(|(_, option)| option);
        named.and_then(|option| choice.options.iter().position(|o| *o == option)).unwrap_or(0)
    }

    /// Picks an option for every choice of this name.
    fn pick(self, choice: &Choice, option: usize) {
        let Some(option) = choice.options.get(option) else { return };
        self.0.states.update(|states| {
            let mut picked = pairs::split(states.get(VIEW.id).map_or("", String::as_str));
            picked.retain(|(name, _)| *name != choice.name);
            picked.push((choice.name.clone(), option.clone()));
            let text = pairs::join(picked.iter().map(|(n, o)| (n.as_str(), o.as_str())));
            states.insert(VIEW.id.to_owned(), text);
        });
    }
}

/// What stands on the grid.
#[derive(Clone)]
enum Section {
    /// The controls of an analysis, by its id.
    Parameters(String),
    Figure(FamilyHead),
    /// A figure that only the baseline has.
    Gone(Box<ViewContext>, FamilyHead),
}

impl Section {
    fn key(&self) -> (String, usize) {
        match self {
            Self::Parameters(analysis) => (analysis.clone(), usize::MAX),
            Self::Figure(family) => (family.id.clone(), family.choices.len()),
            Self::Gone(baseline, family) => (format!("{}/{}", baseline.document, family.id), usize::MAX),
        }
    }

    /// What it is called on the grid, and what it needs at first.
    fn need(&self) -> (String, Need) {
        match self {
            Self::Parameters(analysis) => (parameters_key(analysis), Need::WHOLE),
            Self::Figure(family) => (family.id.clone(), family.need),
            Self::Gone(_, family) => (gone_key(&family.id), family.need),
        }
    }
}

/// What the controls of an analysis are called on the grid.
fn parameters_key(analysis: &str) -> String {
    format!("parameters-{analysis}")
}

/// What the panel of what only the baseline has is called on the grid.
fn gone_key(id: &str) -> String {
    format!("baseline-{id}")
}

/// What the panel of a long table is called on the grid.
fn table_key(id: &str) -> String {
    format!("table-{id}")
}

/// What the panel of all advice is called on the grid.
const ADVICE: &str = "advice";

/// Facts of the first section come first, they say what all the others are about; long and wide listings come last.
fn arrange(families: &mut [FamilyHead]) {
    let first = families.first().map_or(String::new(), |family| family.section.clone());
    order::sort_by_key(families, |family| match family.kind.as_str() {
        "facts" if family.section == first => 0,
        "table" if LISTING.0 < family.need.best && LISTING.1 < family.need.height => 2,
        _ => 1,
    });
}

/// Width and height from which a table is a listing.
const LISTING: (f32, f32) = (1_200.0, 360.0);

/// The figures, the controls of an analysis before the first one that it computes; controls of analyses whose figures are
/// not there yet come last.
fn sections(families: &[FamilyHead], with_parameters: &[String]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::with_capacity(families.len() + with_parameters.len());
    let mut left: Vec<&String> = with_parameters.iter().collect();
    for family in families {
        if let Some(at) = left.iter().position(|id| **id == family.analysis) {
            sections.push(Section::Parameters(left.remove(at).clone()));
        }
        sections.push(Section::Figure(family.clone()));
    }
    sections.extend(left.into_iter().cloned().map(Section::Parameters));
    sections
}

/// The same with what only the baseline has, where it stands there.
fn with_gone(own: Vec<Section>, baseline: ViewContext, old: &[FamilyHead]) -> Vec<Section> {
    let id = |section: &Section| {
        if let Section::Figure(family) = section { family.id.clone() } else { String::new() }
    };
    let ids: Vec<String> = own.iter().map(id).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let before: Vec<&str> = old.iter().map(|family| family.id.as_str()).collect();
    let section = |place: Result<usize, usize>| match place {
        Ok(at) => own.get(at).cloned(),
        Err(at) => old.get(at).map(|family| Section::Gone(Box::new(baseline), family.clone())),
    };
    in_order(&before, &ids).into_iter().filter_map(section).collect()
}

/// Figures, facts first, and long tables of the document; they grow while it loads.
fn follow_figures(context: ViewContext) -> (RwSignal<Vec<FamilyHead>>, RwSignal<Vec<TableHead>>) {
    let families = RwSignal::new(Vec::<FamilyHead>::new());
    let tables = RwSignal::new(Vec::<TableHead>::new());
    let n_figures = Memo::new(move |_| {
        context.head.with(|h| (h.contents.figures, h.contents.tables, h.is_complete, h.revision))
    });
    Effect::new(move || {
        let _ = n_figures.get();
        leptos::task::spawn_local(async move {
            if let Some(Reply::List { families: mut list, tables: long }) =
                context.ask(FigureQuery::List).await
            {
                arrange(&mut list);
                families.try_set(list);
                tables.try_set(long);
            }
        });
    });
    (families, tables)
}

/// What is concluded of the figures; it comes when everything that says something has looked.
fn follow_advice(context: ViewContext) -> RwSignal<Vec<AdviceLine>> {
    let lines = RwSignal::new(Vec::<AdviceLine>::new());
    let n_figures =
        Memo::new(move |_| context.head.with(|h| (h.contents.figures, h.is_complete, h.revision)));
    Effect::new(move || {
        let _ = n_figures.get();
        leptos::task::spawn_local(async move {
            if let Some(Reply::Advice(new)) = context.ask(FigureQuery::Advice).await
                && lines.try_with_untracked(|known| *known != new) == Some(true)
            {
                lines.try_set(new);
            }
        });
    });
    lines
}

/// Frames that a panel may take to be there.
const FRAMES: u32 = 120;

/// A link to a figure, from the rail or the address, picks its options and scrolls to it.
fn follow_links(
    context: ViewContext,
    families: RwSignal<Vec<FamilyHead>>,
    n_shown: RwSignal<usize>,
    picks: Picks,
) {
    Effect::new(move || {
        let chosen = context.selection.with(|s| s.figure.clone());
        let Some((id, options)) = chosen else { return };
        let found = families.with(|families| {
            let at = families.iter().position(|family| family.id == id)?;
            Some((at, families.get(at)?.choices.clone()))
        });
        let Some((at, choices)) = found else { return };
        if !options.is_empty() {
            for (choice, option) in choices.iter().zip(options) {
                picks.pick(choice, option);
            }
            // What is picked from now on stands in the state of the view.
            context.selection.update(|selection| selection.figure = Some((id, Vec::new())));
            return;
        }
        if n_shown.get_untracked() <= at + PANELS / 2 {
            n_shown.set(at + PANELS);
        }
        reveal_soon(id, FRAMES);
    });
}

/// Scrolls to a panel as soon as it is there: it comes a frame after its figure is known, or later.
fn reveal_soon(id: String, n_frames: u32) {
    request_animation_frame(move || {
        let panel = document().get_element_by_id(&format!("figure-{id}"));
        match panel.filter(|panel| 0 < panel.client_height()) {
            Some(_) => reveal(&id),
            None if 0 < n_frames => reveal_soon(id, n_frames - 1),
            None => {}
        }
    });
}

/// Whether there are so many long tables that each begins with its head alone.
fn are_many(tables: &[TableHead]) -> bool {
    3 < tables.len()
}

/// What a long table needs.
fn table_need(table: &TableHead, is_one_of_many: bool) -> (String, Need) {
    let n_columns = table.columns.len().saturating_sub(table.empty.len());
    let need = match table.flat {
        Some(_) => Need::of_fold(table.notes.len()),
        None if is_one_of_many => Need::of_closed_table(table.notes.len()),
        None => Need::of_table(n_columns, table.rows),
    };
    (table_key(&table.id), need)
}

#[component]
fn Details(context: ViewContext) -> impl IntoView {
    context.offer_picture(VIEW.id, Vec::new);
    let (families, tables) = follow_figures(context);
    let n_shown = RwSignal::new(PANELS);
    let show_more = move |event: leptos::ev::Event| {
        let view: web_sys::Element = event_target(&event);
        let left = view.scroll_height() - view.scroll_top() - view.client_height();
        if left < NEAR && n_shown.get_untracked() < families.with_untracked(Vec::len) {
            n_shown.update(|n| *n += PANELS);
        }
    };
    let picks = Picks(context);
    follow_links(context, families, n_shown, picks);
    let of_baseline = joined::families_of_baseline(context);
    let with_parameters = Memo::new(move |_| {
        context.head.with(|h| h.analyses.iter().map(|a| a.id.clone()).collect::<Vec<_>>())
    });
    let all = move || {
        let own = sections(&families.get(), &with_parameters.get());
        match context.baseline.get().zip(of_baseline.get()) {
            Some((baseline, old)) => with_gone(own, baseline.context, &old),
            None => own,
        }
    };
    let shown = move || {
        let mut sections = all();
        sections.truncate(n_shown.get());
        sections
    };
    let advice = follow_advice(context);
    let shows_all = RwSignal::new(false);
    let n_advice = Memo::new(move |_| advice.with(|lines| n_lines(lines, shows_all.get())));
    // As long as the panel is not there, figures say it themselves.
    let told = Memo::new(move |_| match n_advice.get() {
        0 => Vec::new(),
        _ => families.with(|f| sentences(f)),
    });
    let grid = Grid::new(Memo::new(move |_| {
        let advice = (0 < n_advice.get()).then(|| (ADVICE.to_owned(), Need::of_lines(n_advice.get())));
        let tables = tables.with(|tables| {
            let need = |table| table_need(table, are_many(tables));
            tables.iter().map(need).collect::<Vec<_>>()
        });
        let own = all().iter().map(Section::need).collect::<Vec<_>>();
        advice.into_iter().chain(own).chain(tables).collect()
    }));
    let shared = Memo::new(move |_| families.with(|f| shared_choices(f)));
    let root = NodeRef::<leptos::html::Div>::new();
    // Wherever the keyboard is: most of what stands here cannot have it.
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let is_shown = root.get_untracked().is_some_and(|root| 0 < root.client_width());
        // Where a bracket is written with AltGr, the event says Ctrl and Alt.
        let is_plain = !event.meta_key() && (!event.ctrl_key() || event.alt_key());
        let is_next = match event.key().as_str() {
            "[" => false,
            "]" => true,
            _ => return,
        };
        if is_shown
            && is_plain
            && !event.default_prevented()
            && !is_typing(event.target())
            && step(picks, shared, is_next)
        {
            event.prevent_default();
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <div class="details" tabindex="0" role="group" aria-label=context.word(VIEW.title) node_ref=root on:scroll=show_more>
            <div class="details__grid" node_ref=grid.measured()>
                <Show when=move || 0 < n_advice.get()>
                    <AdvicePanel context grid picks families=families.into() lines=advice.into() shows_all />
                </Show>
                <For each=shown key=Section::key let(section)>
                    {match section {
                        Section::Parameters(analysis) => {
                            let lines = grid.lines(parameters_key(&analysis));
                            view! { <ParameterPanel context lines analysis /> }.into_any()
                        }
                        Section::Figure(family) => {
                            view! { <Panel context grid picks told family of_baseline shared /> }.into_any()
                        }
                        Section::Gone(baseline, family) => {
                            view! { <Panel context=*baseline grid picks told family shared alone=ONLY_BASELINE /> }.into_any()
                        }
                    }}
                </For>
                <For each=move || tables.get() key=move |t| (t.id.clone(), t.rows, tables.with_untracked(|t| are_many(t))) let(table)>
                    <LongPanel context grid table is_one_of_many=tables.with_untracked(|t| are_many(t)) />
                </For>
            </div>
        </div>
        <SharedChoices context picks shared />
    }
}

// What is chosen once for all figures: the block, the core, the run. It stands in the row of tabs.

/// The choices that several figures have, each with the options of all of them in order of first use.
fn shared_choices(families: &[FamilyHead]) -> Vec<Choice> {
    let mut shared: Vec<(Choice, usize)> = Vec::new();
    let all = families.iter().flat_map(|family| &family.choices);
    for choice in all.filter(|choice| SUBJECTS.contains(&choice.name.as_str())) {
        let Some((own, n)) = shared.iter_mut().find(|(own, _)| own.name == choice.name) else {
            shared.push((choice.clone(), 1));
            continue;
        };
        *n += 1;
        for option in &choice.options {
            if !own.options.contains(option) {
                own.options.push(option.clone());
            }
        }
    }
    shared.retain(|(choice, n)| 1 < *n && 1 < choice.options.len());
    shared.into_iter().map(|(choice, _)| choice).collect()
}

/// Goes to the next or the previous option of the first of them, such as the block; whether there is one.
fn step(picks: Picks, shared: Memo<Vec<Choice>>, is_next: bool) -> bool {
    let choice = shared.with_untracked(|shared| shared.first().cloned());
    let Some(choice) = choice else { return false };
    let at = picks.option_untracked(&choice);
    let to = if is_next { at + 1 } else { at.wrapping_sub(1) };
    picks.pick(&choice, to); // beyond the ends there is nothing to pick
    true
}

/// One list for each of them, in the row of tabs.
#[component]
fn SharedChoices(context: ViewContext, picks: Picks, shared: Memo<Vec<Choice>>) -> impl IntoView {
    let one = move |choice: Choice| {
        let choice = StoredValue::new(choice);
        let label =
            Signal::derive(move || choice.with_value(|c| tr(context.language.get(), &c.name).to_owned()));
        let options = Signal::derive(move || {
            let language = context.language.get();
            let named = |(i, option): (usize, &String)| (i.to_string(), tr(language, option).to_owned());
            choice.with_value(|c| c.options.iter().enumerate().map(named).collect::<Vec<_>>())
        });
        let value = Signal::derive(move || choice.with_value(|c| picks.option(c).to_string()));
        let on_choose = Callback::new(move |option: String| {
            choice.with_value(|c| picks.pick(c, option.parse().unwrap_or(0)));
        });
        view! { <SelectField label options value on_choose /> }
    };
    view! {
        <Tools view=VIEW.id>
            <For each=move || shared.get() key=|c| (c.name.clone(), c.options.len()) children=one />
        </Tools>
    }
}

// The grid that the panels stand on: it knows what each needs, and how wide the page is.

/// Width of the page before it was measured.
const ROOM: f32 = 1_200.0;

/// The places of all panels, by their keys.
#[derive(Clone, Copy)]
struct Grid {
    /// Size of the element that the panels stand in.
    extent: RwSignal<Extent>,
    /// What panels need since their figure is there, and whether it is the figure alone.
    known: RwSignal<BTreeMap<String, (Need, bool)>>,
    places: Memo<BTreeMap<String, Place>>,
}

impl Grid {
    /// A grid for these panels, in the order they are shown, with what each needs as far as is known at first.
    fn new(panels: Memo<Vec<(String, Need)>>) -> Self {
        let (extent, known) = (RwSignal::new(Extent::default()), RwSignal::new(BTreeMap::new()));
        let room = Memo::new(move |_| extent.with(|e| if e.size.w < 1.0 { ROOM } else { e.size.w }));
        let places = Memo::new(move |_| {
            panels.with(|panels| {
                let need = |(key, first): &(String, Need)| {
                    known.with(|known: &BTreeMap<_, (Need, bool)>| known.get(key).map_or(*first, |k| k.0))
                };
                let needs: Vec<Need> = panels.iter().map(need).collect();
                let keys = panels.iter().map(|(key, _)| key.clone());
                keys.zip(place(&needs, room.get())).collect()
            })
        });
        Self { extent, known, places }
    }

    /// For the element that the panels stand in, whose width counts.
    fn measured(self) -> NodeRef<leptos::html::Div> {
        let node = NodeRef::<leptos::html::Div>::new();
        Effect::new(move |was: Option<bool>| {
            let Some(node) = node.get() else { return false };
            if was != Some(true) {
                observe(&node, self.extent);
            }
            true
        });
        node
    }

    /// Learns what a panel needs. Another variant of its figure may make it grow, so that panels stay where they are when
    /// one chooses back and forth; a comparison is another figure.
    fn learn(self, key: &str, need: Need, is_alone: bool) {
        let known = self.known.with_untracked(|known| known.get(key).copied());
        let need = match known {
            // A line that stands for one variant leaves the place that another one had; what unfolds takes its own.
            Some((old, _)) if need.is_whole() && !old.is_whole() => old,
            Some((old, _)) if old.is_whole() && !need.is_whole() => need,
            Some((old, was_alone)) if was_alone == is_alone => Need {
                least: old.least.max(need.least),
                best: old.best.max(need.best),
                height: old.height.max(need.height),
            },
            _ => need,
        };
        if known != Some((need, is_alone)) {
            self.known.update(|known| {
                known.insert(key.to_owned(), (need, is_alone));
            });
        }
    }

    /// Where a panel stands, as the style sheet has it: across and down.
    fn lines(self, key: String) -> (Signal<String>, Signal<String>) {
        let place = Memo::new(move |_| self.places.with(|places| places.get(&key).copied()));
        let line = |(from, n): (usize, usize)| format!("{from} / span {n}");
        let across = Signal::derive(move || place.get().map_or(String::new(), |p| line(p.column)));
        let down = Signal::derive(move || place.get().map_or(String::new(), |p| line(p.row)));
        (across, down)
    }
}
