//! Tools in the row of the tabs (core, heat, sides) and the bar above each side (file, links, filter, columns).

use super::pane::{Pane, Reveal, Side};
use super::state::{CodeState, Mode, core_of, core_text};
use crate::base::number::{fixed, thousands};
use crate::base::words::{fill, phrase, tr};
use crate::model::code::{ALL_CORES, Field, ListingKind};
use crate::model::id::ListingId;
use crate::ui::field::{SearchField, Segmented, SelectField};
use crate::ui::icon::{Glyph, Icon, SeverityIcon};
use crate::ui::overlay::menu::{MenuItem, menus};
use crate::ui::tabs;
use crate::views::code::messages::{Arrange, FoundRow, ListingHead};
use crate::views::code::scene::short;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Core, heat, and which sides are shown.
#[component]
pub(super) fn Tools(state: CodeState) -> impl IntoView {
    let context = state.context;
    let cores = Signal::derive(move || {
        let cores = state.listings.with(|l| l.as_ref().map(|l| l.cores.clone())).unwrap_or_default();
        let all = (core_text(ALL_CORES), tr(context.language.get(), phrase("All together")).to_owned());
        let one = |(at, name): (u16, String)| (core_text(at), name);
        let all = (1 < cores.len()).then_some(all);
        (0..).zip(cores).map(one).chain(all).collect::<Vec<_>>()
    });
    let heats = Signal::derive(move || heat_columns(state));
    let heat = Signal::derive(move || {
        let shown = [state.source, state.assembly].map(|id| state.head(id.get()));
        let usual =
            || shown.iter().flatten().find_map(|l| Some(l.columns[usize::from(l.heat?)].name.clone()));
        state.heat.get().or_else(usual).unwrap_or_default()
    });
    let sides = Signal::derive(move || {
        let side =
            |id: &str, english: &'static str| (id.to_owned(), tr(context.language.get(), english).to_owned());
        vec![
            side("beside", phrase("Side by side")),
            side("source", phrase("Source")),
            side("instructions", phrase("Instructions")),
        ]
    });
    let mode = Signal::derive(move || state.mode().name().to_owned());
    let has_both = move || state.source.get().is_some() && state.assembly.get().is_some();
    let choose_mode = Callback::new(move |id: String| state.wanted.set(Mode::of_name(&id)));
    let choose_core = Callback::new(move |id: String| state.core.set(core_of(&id)));
    let choose_heat = Callback::new(move |name: String| state.heat.set(Some(name)));
    view! {
        <tabs::Tools view="source">
            <div class="code-tools">
            <Show when=move || cores.with(|c| 1 < c.len())>
                <SelectField
                    label=Signal::derive(move || tr(context.language.get(), &context.head.get().terms.group).to_owned())
                    options=cores
                    value=Signal::derive(move || core_text(state.core.get()))
                    on_choose=choose_core
                />
            </Show>
            <Show when=move || heats.with(|h| 1 < h.len())>
                <SelectField label=context.word("Heat by") options=heats value=heat on_choose=choose_heat />
            </Show>
            <Show when=has_both>
                <Segmented label=context.word("Layout") options=sides value=mode on_choose=choose_mode />
            </Show>
            </div>
        </tabs::Tools>
    }
}

/// Names of columns with numbers on either side.
fn heat_columns(state: CodeState) -> Vec<(String, String)> {
    let mut names: Vec<String> = Vec::new();
    for head in [state.source, state.assembly].into_iter().filter_map(|id| state.head(id.get())) {
        for column in head.columns.into_iter().filter(|c| c.has_numbers) {
            if !names.contains(&column.name) {
                names.push(column.name);
            }
        }
    }
    let language = state.context.language.get();
    names.into_iter().map(|name| (name.clone(), tr(language, short(&name)).to_owned())).collect()
}

/// The bar above a side.
#[component]
pub(super) fn Bar(pane: Pane) -> impl IntoView {
    let state = pane.state;
    let context = state.context;
    let files = move || state.of_side(pane.side);
    let filter = RwSignal::new(pane.arrange.with_untracked(|a| a.filter.clone()));
    let is_filtering = RwSignal::new(filter.with_untracked(|filter| !filter.is_empty()));
    Effect::new(move || {
        let text = if is_filtering.get() { filter.get() } else { String::new() };
        if pane.arrange.with_untracked(|a| a.filter != text) {
            pane.arrange.update(|a| a.filter = text);
            pane.scroll_to(0.0);
        }
    });
    view! {
        <div class="listing__bar">
            {move || if 1 < files().len() || pane.is_source() {
                view! { <FileButton pane /> }.into_any()
            } else {
                let name = move || tr(context.language.get(), &context.head.get().terms.assembly).to_owned();
                view! { <b class="listing__name">{name}</b> }.into_any()
            }}
            <span class="listing__facts" data-tip=move || facts(pane)>{move || facts(pane)}</span>
            <span class="listing__gap"></span>
            <Show when=move || !pane.is_source()>
                <Show when=move || is_filtering.get()>
                    <SearchField
                        label=context.word("Filter instructions")
                        value=filter
                        count=Signal::derive(move || Some(thousands(pane.total() as i64)))
                    />
                </Show>
                <InsertedButton pane />
                <LinkedButton state />
            </Show>
            <HotButtons pane />
            <Show when=move || !pane.is_source()>
                <button
                    class="button button--plain"
                    type="button"
                    aria-pressed=move || is_filtering.get().to_string()
                    aria-label=context.word("Filter instructions")
                    data-tip=context.word(phrase("Filter instructions: words, and terms such as op:load, eff<50, lanes<32, block:3"))
                    on:click=move |_| is_filtering.update(|f| *f = !*f)
                >
                    <Icon glyph=Glyph::Filter />
                </button>
            </Show>
            <ColumnsButton pane />
        </div>
    }
}

/// What is shown: the chosen line and its instructions, or how many rows and for which unit.
fn facts(pane: Pane) -> String {
    let state = pane.state;
    let language = state.context.language.get();
    let Some(listing) = pane.listing() else { return String::new() };
    if listing.kind == ListingKind::Source {
        let Some(row) = pane.chosen() else {
            let n = thousands(i64::from(listing.rows));
            return fill(tr(language, "{n} lines"), &[("n", &n)]);
        };
        let n = state.detail.with(|d| d.as_ref().map_or(0, |d| d.n_linked));
        let n = state.pane(Side::Assembly).map_or(n, |p| p.note.with(|note| note.n_linked));
        let values = [("line", &*(row + 1).to_string()), ("n", &*thousands(i64::from(n)))];
        // A line may cost something though the file does not say which instructions are its own.
        let words = if n == 0 {
            phrase("line {line}, no linked instructions")
        } else {
            phrase("line {line}, {n} instructions")
        };
        return fill(tr(language, words), &values);
    }
    let n = thousands(pane.total() as i64 - pane.note.with(|note| i64::from(note.n_gaps)));
    match (state.core_name(), pane.arranged().filter.is_empty() && pane.arranged().only.is_none()) {
        (core, true) if !core.is_empty() => {
            fill(tr(language, "{n} in {core}"), &[("n", &n), ("core", &core)])
        }
        (_, true) => n,
        (_, false) => {
            fill(tr(language, "{n} of {m}"), &[("n", &n), ("m", &thousands(i64::from(listing.rows)))])
        }
    }
}

/// The instructions that another view marked, with a way to let them be.
#[component]
pub(super) fn Marked(pane: Pane) -> impl IntoView {
    let state = pane.state;
    let context = state.context;
    let words = move || {
        let passage = state.marked_in(pane.id().get())?;
        let language = context.language.get();
        let (name, value) = &passage.of;
        let n = thousands(i64::from(passage.n));
        let values = [("name", tr(language, name)), ("value", value), ("n", &*n)];
        let is_named = !name.is_empty() || !value.is_empty();
        let words =
            if is_named { phrase("{name} {value}: {n} instructions") } else { phrase("{n} instructions") };
        Some(fill(tr(language, words), &values))
    };
    move || {
        words().map(|words| {
            view! {
                <p class="listing__notice" role="status">
                    <SeverityIcon severity="note" />
                    <span class="listing__marked">{words}</span>
                    <button class="button button--plain" type="button" on:click=move |_| state.unmark()>
                        {context.word("Clear")}
                    </button>
                </p>
            }
        })
    }
}

/// The listings that may be meant by what another view chose.
#[component]
pub(super) fn Offered(pane: Pane) -> impl IntoView {
    let state = pane.state;
    let context = state.context;
    // Where both sides are seen, one of them is enough.
    let is_here = move || pane.is_source() != (state.mode() == Mode::Instructions);
    let button = move |at: FoundRow| {
        let (listing, row) = (at.listing, at.row);
        let go = move |_| state.choose(listing, row, Reveal::Third);
        view! { <button class="button button--text" type="button" on:click=go>{at.name}</button> }
    };
    move || {
        let offered = state.offered.get();
        (!offered.is_empty() && is_here()).then(|| {
            view! {
                <p class="listing__notice" role="status">
                    <SeverityIcon severity="note" />
                    <span class="listing__marked">{context.word("Several listings contain this location. Choose one.")}</span>
                    {offered.into_iter().map(button).collect_view()}
                </p>
            }
        })
    }
}

/// The file, with a menu of all.
#[component]
fn FileButton(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    let menus = menus();
    let parts = move || {
        let (title, name) = pane.listing().map(|l| (l.title, l.name)).unwrap_or_default();
        let beside = name.strip_prefix(&title).unwrap_or_default();
        match title.rfind(['/', '\\']) {
            Some(at) => (title[at + 1..].to_owned(), format!("{}{beside}", &title[..at])),
            None => (title, beside.to_owned()),
        }
    };
    let open = move |event: leptos::ev::MouseEvent| {
        let Some(button) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let shown = pane.id().get_untracked();
        let items = untrack(|| pane.state.of_side(pane.side)).into_iter().map(|l| {
            let id = l.id;
            let beside = match l.share {
                Some(share) => format!("{} %", fixed(share * 100.0, 1)),
                None => thousands(i64::from(l.rows)),
            };
            MenuItem::act(l.name, beside, move || show(pane, id)).checked(shown == Some(id))
        });
        menus.open_below(&button, tr(context.language.get_untracked(), "Files"), items.collect());
    };
    view! {
        <button
            class="listing__file"
            type="button"
            aria-haspopup="menu"
            data-tip=move || pane.listing().map(|l| crate::pane::with_symbol(&l.name, &l.symbol))
            on:click=open
        >
            <b class="listing__name">{move || parts().0}</b>
            <span class="listing__folder">{move || parts().1}</span>
            <Icon glyph=Glyph::Down small=true />
        </button>
    }
}

fn show(pane: Pane, id: ListingId) {
    let was =
        [Side::Source, Side::Assembly].map(|side| pane.state.pane(side).map(|p| p.id().get_untracked()));
    pane.state.show_pair(pane.side, id);
    for (side, was) in [Side::Source, Side::Assembly].into_iter().zip(was) {
        if let Some(pane) = pane.state.pane(side).filter(|p| Some(p.id().get_untracked()) != was) {
            pane.left.set(0.0);
            pane.scroll_to(0.0);
        }
    }
}

/// Only instructions of the chosen line.
#[component]
fn LinkedButton(state: CodeState) -> impl IntoView {
    let context = state.context;
    view! {
        <button
            class="button button--plain"
            type="button"
            aria-pressed=move || state.only_linked.get().to_string()
            aria-label=context.word("Linked only")
            data-tip=context.word("Linked only")
            disabled=move || {
                state.line.get().is_none() && state.marked().is_none() && !state.only_linked.get()
            }
            on:click=move |_| {
                state.only_linked.update(|only| *only = !*only);
                if let Some(pane) = state.pane(Side::Assembly) {
                    pane.scroll_to(0.0);
                }
            }
        >
            <Icon glyph=Glyph::Link />
            <span class="listing__word">{context.word("Linked only")}</span>
        </button>
    }
}

/// To the hotter and the colder row.
#[component]
fn HotButtons(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    view! {
        <span class="listing__pair">
            <button
                class="button button--plain"
                type="button"
                aria-label=context.word("Previous hottest row (Shift+H)")
                data-tip=context.word("Previous hottest row (Shift+H)")
                on:click=move |_| pane.choose_hot(-1)
            >
                <span class="listing__turn"><Icon glyph=Glyph::Down /></span>
            </button>
            <button
                class="button button--plain"
                type="button"
                aria-label=context.word("Next hottest row (H)")
                data-tip=context.word("Next hottest row (H)")
                on:click=move |_| pane.choose_hot(1)
            >
                <Icon glyph=Glyph::Down />
            </button>
        </span>
    }
}

/// Which columns are shown.
#[component]
fn ColumnsButton(pane: Pane) -> impl IntoView {
    let context = pane.state.context;
    let menus = menus();
    let open = move |event: leptos::ev::MouseEvent| {
        let Some(button) = event.current_target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else {
            return;
        };
        let Some(listing) = untrack(|| pane.listing()) else { return };
        let hidden = pane.hidden.get_untracked();
        let language = context.language.get_untracked();
        let items = listing.columns.into_iter().map(|column| {
            let is_shown = !hidden.contains(&column.name);
            let [title, unit] = [short(&column.name), &column.unit].map(|text| tr(language, text).to_owned());
            MenuItem::act(title, unit, move || toggle(pane, &column.name)).checked(is_shown)
        });
        menus.open_below(&button, tr(language, "Columns"), items.collect());
    };
    let is_there = move || pane.listing().is_some_and(|l| !l.columns.is_empty());
    view! {
        <Show when=is_there>
            <button
                class="button button--plain"
                type="button"
                aria-haspopup="menu"
                aria-label=context.word("Columns")
                data-tip=context.word("Columns")
                on:click=open
            >
                <Icon glyph=Glyph::View />
            </button>
        </Show>
    }
}

fn toggle(pane: Pane, name: &str) {
    pane.hidden.update(|hidden| match hidden.iter().position(|h| h == name) {
        Some(at) => drop(hidden.remove(at)),
        None => hidden.push(name.to_owned()),
    });
    // A column that nobody sees orders nothing.
    let listing = untrack(|| pane.listing());
    let at = listing.and_then(|l| l.columns.iter().position(|c| c.name == name));
    if pane.arrange.with_untracked(|a| a.sort == at.map(|i| Field::Column(i as u16)) && at.is_some()) {
        pane.arrange.update(|a| a.sort = None);
    }
}

/// Whether a side can be put into another order: lines of a source stay where they are.
pub(super) fn can_sort(kind: ListingKind) -> bool {
    kind == ListingKind::Assembly
}

// Which listings can stand side by side: a source and its instructions, or two listings that are linked.

/// Hides what was inserted into the listing at the left.
#[component]
fn InsertedButton(pane: Pane) -> impl IntoView {
    let state = pane.state;
    let context = state.context;
    view! {
        <Show when=move || pane.pair().is_some()>
            <button
                class="button button--plain"
                type="button"
                aria-pressed=move || state.hides_inserted.get().to_string()
                aria-label=context.word("Hide inserted")
                data-tip=context.word("Hide inserted")
                on:click=move |_| {
                    state.hides_inserted.update(|hides| *hides = !*hides);
                    pane.scroll_to(0.0);
                }
            >
                <Icon glyph=Glyph::Hide />
                <span class="listing__word">{context.word("Hide inserted")}</span>
            </button>
        </Show>
    }
}

impl Pane {
    /// The listing of instructions at the left, where this is the one at the right that it became.
    pub(super) fn pair(self) -> Option<ListingId> {
        let left = self.state.head(self.state.source.get()).filter(|_| !self.is_source())?;
        let is_pair = left.kind == ListingKind::Assembly && left.linked_to.contains(&self.id().get()?);
        is_pair.then_some(left.id)
    }

    /// The listing at the other side, where rows of both that belong together stand beside each other: as long as neither
    /// is sorted or narrowed down.
    pub(super) fn aligned(self) -> Option<ListingId> {
        let [left, right] = self.state.sides()?;
        let is_whole = |pane: Pane| {
            pane.arrange.with(|own| *own == Arrange::default()) && pane.listing().is_some_and(|l| l.has_text)
        };
        let is_aligned = self.state.mode() == Mode::Beside
            && right.pair().is_some()
            && !self.state.only_linked.get()
            && is_whole(left)
            && is_whole(right);
        let other = if self.is_source() { right } else { left };
        other.id().get().filter(|_| is_aligned)
    }

    /// How many rows both sides have in view where they scroll together.
    pub(super) fn rows_in_both(self) -> f64 {
        let own = self.rows_in_view();
        self.partner().map_or(own, |other| own.min(other.rows_in_view()))
    }

    /// Whether the bar of the other side scrolls this one.
    pub(super) fn is_led(self) -> bool {
        self.is_source() && self.aligned().is_some()
    }

    /// The side that scrolls along with this one.
    pub(super) fn partner(self) -> Option<Pane> {
        let [left, right] = self.aligned().and_then(|_| self.state.sides())?;
        Some(if self.is_source() { right } else { left })
    }
}

impl CodeState {
    /// What a side can show: at the left sources, and instructions that are linked to others; at the right instructions.
    pub(super) fn of_side(self, side: Side) -> Vec<ListingHead> {
        let is_shown = |l: &&ListingHead| match side {
            Side::Source => l.kind == ListingKind::Source || !l.linked_to.is_empty(),
            Side::Assembly => l.kind == ListingKind::Assembly,
        };
        self.listings.with(|all| all.iter().flat_map(|l| &l.listings).filter(is_shown).cloned().collect())
    }

    /// Shows a listing at a side, and at the other one that is linked with it.
    pub(super) fn show_pair(self, side: Side, id: ListingId) {
        let (source, assembly) = (self.source.get_untracked(), self.assembly.get_untracked());
        let all = untrack(|| self.of_side(Side::Source));
        let linked_to = |left: Option<ListingId>| {
            all.iter().find(|l| Some(l.id) == left).map_or(&[][..], |l| &l.linked_to)
        };
        if side == Side::Source {
            self.source.set(Some(id));
            let right = linked_to(Some(id));
            if !assembly.is_some_and(|id| right.contains(&id)) {
                self.assembly.set(right.first().copied().or(assembly));
            }
        } else {
            self.assembly.set(Some(id));
            if !linked_to(source).contains(&id) {
                let left = all.iter().find(|l| l.linked_to.contains(&id)).map(|l| l.id);
                self.source.set(left.or(source));
            }
        }
    }

    /// Whether what is chosen is a line of a source.
    pub(super) fn is_line_chosen(self) -> bool {
        let line = self.line.get().map(|(listing, _)| listing);
        self.instruction.with(Option::is_none)
            && self.head(line).is_none_or(|head| head.kind == ListingKind::Source)
    }
}
