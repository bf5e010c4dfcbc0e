//! What is this, where does the time go, what limits it, what to change.
//!
//! Figures come first, then findings as rules find them. Up and down choose a finding, Enter goes to its evidence; the
//! browser's back button comes back to it. The chosen finding stands in the address.

#![allow(unreachable_pub)] // the component macro makes the props of a component pub

mod evidence;
mod list;
mod parts;

use crate::analysis::finding::{Change, Finding, Overview, Part, Tile, against};
use crate::analysis::told::tile_beside;
use crate::base::words::{Language, message, phrase};
use crate::navigation::route::Route;
use crate::pane::ViewSpec;
use crate::pane::context::ViewContext;
use crate::ui::text::unbroken;
use crate::ui::{Staged, follow_into, spawn_while};
use crate::views::overview::messages::OverviewQuery;
use crate::wire::report::Contents;
use evidence::EvidencePane;
use leptos::html;
use leptos::prelude::*;
use list::Findings;
use parts::{Bar, Parts};
use std::cell::Cell;

/// The view.
pub static VIEW: ViewSpec = ViewSpec {
    id: "overview",
    title: phrase("Overview"),
    question: "What is this, where does the time go, what limits it, and what should be changed?",
    can_show: |head| Contents { blocks: 0, sources: 0, tables: 0, ..head.contents } != Contents::default(),
    badge: |_| None,
    compares: true,
    show: |context| crate::views::parts::later(&VIEW, context),
};

/// The view itself; a part of the program that is loaded when it is needed.
pub fn show(context: ViewContext) -> AnyView {
    view! { <OverviewView context /> }.into_any()
}

/// What the panes share.
#[derive(Clone, Copy)]
struct State {
    context: ViewContext,
    held: RwSignal<Overview>,
    /// What is said of the baseline; `None` where nothing is compared, or before it is known.
    old: RwSignal<Option<Overview>>,
    /// What is said of the document itself then, with the rows of its parts that the baseline shows.
    beside: RwSignal<Option<Overview>>,
    /// Rule and subject of the chosen finding; empty for the first.
    chosen: RwSignal<(String, String)>,
    /// Whether the rules that found nothing are listed.
    shows_rules: RwSignal<bool>,
    /// What was asked last: an answer to an older question is dropped.
    asked: StoredValue<u32>,
}

impl State {
    fn new(context: ViewContext) -> Self {
        let (held, chosen) = (RwSignal::default(), RwSignal::new((String::new(), String::new())));
        let shows_rules = RwSignal::new(false);
        let (old, beside, asked) = (RwSignal::new(None), RwSignal::new(None), StoredValue::new(0));
        let state = Self { context, held, old, beside, chosen, shows_rules, asked };
        let take = |name: &str, value: String| match name {
            "finding" => chosen.update(|chosen| chosen.0 = value),
            "subject" => chosen.update(|chosen| chosen.1 = value),
            "rules" => shows_rules.set(true),
            _ => {}
        };
        let list = move || {
            let (rule, subject) = chosen.get();
            let said = |text: String| Some(text).filter(|text| !text.is_empty());
            let rules = shows_rules.get().then(|| "all".to_owned());
            [("finding", said(rule)), ("subject", said(subject)), ("rules", rules)]
        };
        context.restore(VIEW.id, take, list);
        state.follow();
        state.follow_baseline();
        state
    }

    /// Asks the baseline for all of its findings, and for the rows that stand here; then for the rows that stand there.
    fn follow_baseline(self) {
        fn shown(overview: &Overview) -> Vec<String> {
            let of_part = |part: &Part| -> Vec<String> {
                part.rows.iter().map(|row| row.whole_name().into_owned()).collect()
            };
            overview.parts.iter().flat_map(of_part).collect()
        }
        let names = Memo::new(move |_| self.held.with(shown));
        let ask = move || {
            let baseline = self.context.baseline.get()?.context;
            let _ = self.context.language.get();
            let is_complete = baseline.head.with(|head| (head.is_complete, head.revision)).0;
            is_complete.then(|| baseline.ask(OverviewQuery::Beside { names: names.get() }))
        };
        follow_into(self.old, ask, Some);
        let names = Memo::new(move |_| self.old.with(|old| old.as_ref().map(shown)));
        let ask = move || {
            self.context.baseline.with(Option::is_some).then_some(())?;
            let _ = self.context.language.get();
            Some(self.context.ask(OverviewQuery::Beside { names: names.get()? }))
        };
        follow_into(self.beside, ask, Some);
    }

    /// What the baseline says of a finding: what became of it, and it itself.
    fn before(self, finding: &Finding) -> Option<(Change, Option<Finding>)> {
        self.old.with(|old| {
            let (change, old) = against(old.as_ref()?, finding);
            Some((change, old.cloned()))
        })
    }

    /// What the baseline has of a figure, once its figures are known.
    fn beside(self, tile: &Tile, language: Language) -> Option<String> {
        self.old.with(|old| {
            let old = old.as_ref()?.tiles.iter().find(|old| old.label == tile.label);
            Some(tile_beside(tile, old, language))
        })
    }

    /// Asks for figures, then for findings until all rules have looked; anew whenever something else is computed.
    fn follow(self) {
        let Self { context, held, asked, .. } = self;
        let revision = Memo::new(move |_| {
            (context.head.with(|head| (head.is_complete, head.revision)), context.language.get())
        });
        Effect::new(move || {
            let ((is_complete, _), _) = revision.get();
            let turn = asked.get_value() + 1;
            asked.set_value(turn);
            if !is_complete {
                return;
            }
            spawn_while(held, async move {
                let is_latest = || asked.try_get_value() == Some(turn);
                let mut query = OverviewQuery::Summary;
                loop {
                    let Some(overview) = context.ask(query.clone()).await else { return };
                    if !is_latest() {
                        return;
                    }
                    let next = OverviewQuery::Findings { known: overview.n_looked };
                    // Where nothing can be looked at, nothing more comes.
                    let is_over = overview.is_whole || query == next;
                    query = next;
                    held.set(Overview { is_whole: is_over, ..overview });
                    if is_over {
                        return;
                    }
                }
            });
        });
    }

    /// The chosen finding: the first where the chosen one is not there.
    fn finding(self) -> Option<Finding> {
        self.held.with(|overview| {
            let at = self.place(overview);
            overview.findings.get(at).cloned()
        })
    }

    fn place(self, overview: &Overview) -> usize {
        let chosen = self.chosen.get();
        let is_it = |one: &Finding| one.rule == chosen.0 && one.subject == chosen.1;
        overview.findings.iter().position(is_it).unwrap_or(0)
    }

    fn choose(self, at: usize) {
        let key = self.held.with_untracked(|overview| {
            overview.findings.get(at).map(|one| (one.rule.clone(), one.subject.clone()))
        });
        if let Some(key) = key {
            self.chosen.set(key);
        }
    }

    /// Goes to a place of the document.
    fn visit(self, address: &str) {
        if !address.is_empty() {
            LEFT.set(Some(self.context.document));
            self.context.visit.run(address.to_owned());
        }
    }

    /// Whoever went to a place and comes back finds the keyboard at the findings, where it was: what had it is gone.
    fn follow_return(self, list: NodeRef<html::Div>) {
        let context = self.context;
        Effect::new(move || {
            let is_shown = context.chosen.with(|chosen| chosen == VIEW.id);
            let Some(list) = list.get().filter(|_| is_shown && LEFT.get() == Some(context.document)) else {
                return;
            };
            LEFT.set(None);
            request_animation_frame(move || {
                // What had it is the view that is hidden now, or gone.
                let is_away = |at: web_sys::Element| {
                    at.tag_name() == "BODY" || matches!(at.closest("[hidden]"), Ok(Some(_)))
                };
                if document().active_element().is_none_or(is_away) {
                    let _ = list.focus();
                }
            });
        });
    }
}

thread_local! {
    /// The document whose overview was left for a place: the view is made anew when one comes back.
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// An address as a link of the page: what is shown now, at another place.
fn link(address: &str) -> String {
    let now = Route::parse(&window().location().hash().unwrap_or_default());
    format!("#{}", now.visiting(&Route::parse(address)).text())
}

#[component]
fn OverviewView(context: ViewContext) -> impl IntoView {
    let state = State::new(context);
    let is_there =
        Memo::new(move |_| state.held.with(|overview| !overview.tiles.is_empty() || overview.is_whole));
    view! {
        <div class="overview" data-findings=move || state.held.with(|of| of.is_whole.then(|| of.findings.len().to_string()))>
            {move || {
                if is_there.get() {
                    view! {
                        <Tiles state />
                        // The figures stand first, the rest follows in tasks of its own.
                        <Staged>
                            <div class="overview__middle">
                                <Findings state />
                                <Staged><EvidencePane state /></Staged>
                            </div>
                        </Staged>
                        <Staged><Parts state /></Staged>
                    }
                        .into_any()
                } else {
                    let is_read = move || context.head.with(|head| head.is_complete);
                    let reading = context.word(phrase("Figures and findings appear once the file is read; the other views show what has been read so far."));
                    let computing = context.word(phrase("Computing…"));
                    view! {
                        <p class="detail__empty" role="status">
                            {move || if is_read() { computing.get() } else { reading.get() }}
                        </p>
                    }
                        .into_any()
                }
            }}
        </div>
    }
}

#[component]
fn Tiles(state: State) -> impl IntoView {
    let one = move |tile: Tile| {
        let language = state.context.language.get();
        let text = |of: &crate::base::words::Message| of.text(language).into_owned();
        let (label, value, comparison) = (text(&tile.label), text(&tile.value), text(&tile.comparison));
        let whole = format!("{label}\n{value} {comparison}");
        // Beside a baseline its figure stands in the place of what else the figure is held against.
        let beside = state.beside(&tile, language);
        let whole = beside.iter().fold(whole, |whole, beside| format!("{whole}\n{beside}"));
        let inner = view! {
            <span class="overview__label">{label}</span>
            <span class="overview__value"><b>{value}</b><span>{unbroken(&beside.unwrap_or(comparison))}</span></span>
            <Bar parts=tile.bar.clone() />
        };
        if tile.address.is_empty() {
            view! { <div class="overview__tile" data-tip=whole>{inner}</div> }.into_any()
        } else {
            let address = tile.address;
            let href = link(&address);
            let go = move |event: leptos::ev::MouseEvent| {
                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                    event.prevent_default();
                    state.visit(&address);
                }
            };
            view! { <a class="overview__tile" href=href data-tip=whole on:click=go>{inner}</a> }.into_any()
        }
    };
    // They stay while findings come.
    let tiles = Memo::new(move |_| state.held.with(|overview| overview.tiles.clone()));
    let is_compared = move || state.old.with(Option::is_some);
    view! {
        <div class="overview__tiles" class:overview__tiles--compared=is_compared>
            {move || tiles.get().into_iter().map(one).collect_view()}
        </div>
    }
}

/// How many findings there are, in words.
fn counted(n: usize) -> crate::base::words::Message {
    message("{n} findings, sorted by possible savings").with("n", n)
}
