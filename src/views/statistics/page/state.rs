//! What the parts of the view share: what is added up, of which slices, and the row that is chosen.

use crate::analysis::device;
use crate::analysis::rows::{Goal, Only};
use crate::analysis::statistics::{By, Of, Options};
use crate::base::pairs;
use crate::base::time::Span;
use crate::model::id::{SliceId, TrackId};
use crate::navigation::GoTo;
use crate::pane::context::ViewContext;
use crate::pane::rows::follow;
use crate::scene::table::Order;
use crate::ui::table::TableState;
use crate::views::statistics::messages::Figures;
use crate::views::timeline::messages::Area;
use crate::wire::rows::{RowsQuery, Shown, Source};
use crate::wire::{Answer, Query};
use leptos::prelude::*;

/// What slices can be added up by: id, title.
pub(super) const BY: [(By, &str); 3] = [(By::Name, "name"), (By::Category, "category"), (By::Track, "track")];
/// What the table lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// What slices add up to.
    Sums,
    Threads,
    /// What processors ran adds up to.
    Processors,
    /// Slices of streams by name.
    Kernels,
    /// Slices of streams, each.
    Launches,
    /// Operators with what they launched.
    Operators,
    /// Functions with what was launched in them.
    Functions,
    /// Modules inside of each other.
    Modules,
    /// Functions inside of each other.
    Stacks,
    /// Operators with what they allocate.
    Memory,
}

/// The lists of host and device; the first three are chosen among at the top.
pub(super) const LISTS: [(Listed, &str); 9] = [
    (Listed::Kernels, "kernels"),
    (Listed::Operators, "operators"),
    (Listed::Functions, "functions"),
    (Listed::Launches, "launches"),
    (Listed::Modules, "modules"),
    (Listed::Stacks, "stacks"),
    (Listed::Memory, "memory"),
    (Listed::Threads, "threads"),
    (Listed::Processors, "cpus"),
];
/// The stretches of time that can be chosen.
pub(super) const SCOPES: [&str; 3] = ["everything", "window", "range"];

/// What the parts share.
#[derive(Clone, Copy)]
pub(super) struct StatisticsState {
    pub(super) context: ViewContext,
    pub(super) by: RwSignal<By>,
    /// One of [`SCOPES`].
    pub(super) scope: RwSignal<&'static str>,
    /// Only this group of tracks.
    pub(super) group: RwSignal<Option<TrackId>>,
    /// Only this category.
    pub(super) category: RwSignal<Option<String>>,
    pub(super) is_joined: RwSignal<bool>,
    /// What is listed: what somebody chose, until then kernels where a device works, else sums. Not an effect of it, which
    /// would come after sums were asked for.
    pub(super) listed: Memo<Listed>,
    /// What somebody chose.
    picked: RwSignal<Option<Listed>>,
    /// Name of the slices that are steps; empty for those of the profiler.
    pub(super) step: RwSignal<String>,
    /// Texts of further names of communication, parted by commas.
    pub(super) communication: RwSignal<String>,
    /// What is asked for of host and device, of traces that have streams, functions or allocations.
    pub(super) device: Memo<Option<device::Options>>,
    /// Whether idle time is told in the classes of another tool, not by reason.
    pub(super) is_classes: RwSignal<bool>,
    /// What was found out of them.
    pub(super) figures: Memo<Figures>,
    /// Which rows of a tree are open.
    pub(super) shown: RwSignal<Shown>,
    /// The only memory that operators are listed for.
    pub(super) memory: RwSignal<Option<u32>>,
    /// What is asked for, as soon as everything is read.
    pub(super) options: Memo<Option<Options>>,
    /// What the rows that are seen are and add up to, in words.
    pub(super) words: RwSignal<Vec<String>>,
    /// What the chosen row stands for.
    pub(super) chosen: RwSignal<Option<Goal>>,
    /// Order and filter of the rows.
    pub(super) table: TableState,
    /// Whether the names inside of the chosen category or track are listed, not its slices.
    pub(super) shows_names: RwSignal<bool>,
    /// The table of the chosen row's slices.
    pub(super) slices: TableState,
}

/// An order as it stands in the address: the column, and whether it falls.
/// The chosen stretch of time, `None` for all of it, and the chosen tracks.
fn stretch(
    context: ViewContext,
    scope: &str,
    group: Option<TrackId>,
) -> Option<(Option<Span>, Vec<TrackId>)> {
    let whole = context.head.with(|h| h.is_complete.then_some(h.span).flatten())?;
    let group: Vec<TrackId> = group.into_iter().collect();
    Some(match scope {
        "window" => (context.window.get().map(|window| window.span().intersect(whole)), group),
        "range" => context.selection.with(|s| match s.range {
            Some(range) if group.is_empty() => (Some(range), s.tracks.clone()),
            range => (range, group),
        }),
        _ => (None, group),
    })
}

/// What is exported of traces that have streams of devices.
const STREAMS: &str = "idle-csv";

/// Whether the trace has what an export writes.
fn offers(context: ViewContext, export: &str) -> bool {
    context.head.with(|h| h.exports.iter().any(|id| id == export))
}

/// What was found out of host and device.
fn figures(context: ViewContext, device: Memo<Option<device::Options>>) -> Memo<Figures> {
    let answer = follow::<device::Options>(context, device.into());
    Memo::new(move |_| {
        answer.with(|answer| match answer {
            Some(Some(figures)) => figures.clone(),
            _ => Figures::default(),
        })
    })
}

/// What is asked for of host and device, as soon as everything is read, of traces that have something of it.
fn asked(
    context: ViewContext,
    scope: RwSignal<&'static str>,
    [step, communication]: [RwSignal<String>; 2],
) -> Memo<Option<device::Options>> {
    let has_lists = Memo::new(move |_| {
        [STREAMS, "stacks-csv", "operators-memory-csv"].iter().any(|id| offers(context, id))
    });
    Memo::new(move |_| {
        let (span, _) = stretch(context, scope.get(), None).filter(|_| has_lists.get())?;
        let (step, communication) = (step.get(), communication.get());
        Some(device::Options { span, step, communication, ..device::Options::default() })
    })
}

impl StatisticsState {
    pub(super) fn new(context: ViewContext, id: &'static str) -> Self {
        let (by, scope) = (RwSignal::new(By::Name), RwSignal::new(SCOPES[0]));
        let (group, category) = (RwSignal::new(None), RwSignal::new(None::<String>));
        let is_joined = RwSignal::new(true);
        let picked = RwSignal::new(None);
        let first = move || if offers(context, STREAMS) { Listed::Kernels } else { Listed::Sums };
        let listed = Memo::new(move |_| picked.get().unwrap_or_else(first));
        // Apart from the selection, which a row of slices changes too.
        let options = Memo::new(move |_| {
            let (span, tracks) = stretch(context, scope.get(), group.get())?;
            let (by, category) = (by.get(), category.get());
            let of = (listed.get() == Listed::Processors).then_some(Of::Processors);
            Some(Options { by, span, tracks, category, is_joined: is_joined.get(), of })
        });
        let (step, communication) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
        let device = asked(context, scope, [step, communication]);
        let state = Self {
            listed,
            picked,
            figures: figures(context, device),
            shown: RwSignal::default(),
            memory: RwSignal::new(None),
            step,
            communication,
            is_classes: RwSignal::new(false),
            device,
            context,
            by,
            scope,
            group,
            category,
            is_joined,
            options,
            words: RwSignal::default(),
            chosen: RwSignal::new(None),
            table: TableState::default(),
            shows_names: RwSignal::new(true),
            slices: TableState::default(),
        };
        state.follow_address(id);
        Effect::new(move |before: Option<Option<(Options, Listed)>>| {
            let now = state.options.get().map(|options| (options, state.listed.get()));
            // A row of another table is another row; that of the address waits until there is a table.
            if before.flatten().is_some_and(|before| now != Some(before)) {
                state.chosen.set(None);
            }
            now
        });
        Effect::new(move || {
            // A row of another tree is another row.
            state.device.with(|_| ());
            state.listed.get();
            state.shown.set(Shown::default());
        });
        state
    }

    /// Takes what the address has, and keeps it there.
    fn follow_address(self, id: &'static str) {
        let context = self.context;
        for (name, value) in context.kept(id) {
            match name.as_str() {
                "by" => self.choose_by(&value),
                "step" => self.step.set(value),
                "communication" => self.communication.set(value),
                "scope" => self.choose_scope(&value),
                "category" => self.category.set(Some(value)),
                "idle" => self.is_classes.set(value == "classes"),
                "names" => self.is_joined.set(value != "apart"),
                "group" => self.group.set(value.parse().ok().map(TrackId)),
                "order" => self.table.order.set(Order::parse(&value)),
                "filter" => self.table.filter.set(value),
                "inside" => self.shows_names.set(value != "slices"),
                "row" => self.chosen.set(Some(Goal::Name(value))),
                "row-track" => self.chosen.set(value.parse().ok().map(|track| Goal::Track(TrackId(track)))),
                _ => {}
            }
        }
        Effect::new(move |before: Option<()>| {
            let by = self.by_id();
            let (scope, category, step) = (self.scope.get(), self.category.get(), self.step.get());
            let communication = self.communication.get();
            let (row, track) = match self.chosen.get() {
                Some(Goal::Name(name)) => (Some(name), None),
                Some(Goal::Track(track)) => (None, Some(track.0.to_string())),
                _ => (None, None),
            };
            let is_told = self.picked.with(Option::is_some) || row.is_some() || track.is_some();
            let all = [
                ("by", Some(by).filter(|_| is_told).map(str::to_owned)),
                ("scope", Some(scope).filter(|scope| *scope != SCOPES[0]).map(str::to_owned)),
                ("names", (!self.is_joined.get()).then(|| "apart".to_owned())),
                ("idle", self.is_classes.get().then(|| "classes".to_owned())),
                ("category", category),
                ("step", Some(step).filter(|step| !step.is_empty())),
                ("communication", Some(communication).filter(|names| !names.is_empty())),
                ("group", self.group.get().map(|group| group.0.to_string())),
                ("order", self.table.order.get().map(Order::text)),
                ("filter", Some(self.table.filter.get()).filter(|filter| !filter.is_empty())),
                ("inside", (!self.shows_names.get()).then(|| "slices".to_owned())),
                ("row", row),
                ("row-track", track),
            ];
            let set = all.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
            let text = pairs::join(set);
            // What stood in the address is not written anew.
            if before.is_some() {
                context.keep(id, text);
            }
        });
    }

    /// Whether the trace has streams of devices.
    pub(super) fn has_streams(self) -> bool {
        offers(self.context, STREAMS)
    }

    /// Whether there are slices of a kind.
    pub(super) fn has(self, of: Of) -> bool {
        self.context.head.with(|head| head.contents.kinds[of as usize])
    }

    /// Whether operators allocate memory.
    pub(super) fn has_memory(self) -> bool {
        offers(self.context, "operators-memory-csv")
    }

    /// Whether there are functions of an interpreter.
    pub(super) fn has_functions(self) -> bool {
        offers(self.context, "stacks-csv")
    }

    /// Opens a row of a tree, or closes it.
    pub(super) fn turn(self, row: u32) {
        self.shown.update(|shown| match shown.turned.iter().position(|at| *at == row) {
            Some(at) => drop(shown.turned.remove(at)),
            None => shown.turned.push(row),
        });
    }

    pub(super) fn choose_by(self, id: &str) {
        let list = LISTS.iter().find(|(_, own)| *own == id).map(|(list, _)| *list);
        self.picked.set(Some(list.unwrap_or(Listed::Sums)));
        // Their rows lead to slices by name.
        let by = BY.iter().find(|(_, own)| *own == id).map_or(By::Name, |(by, _)| *by);
        self.by.set(by);
    }

    pub(super) fn choose_scope(self, id: &str) {
        SCOPES.iter().filter(|own| **own == id).for_each(|own| self.scope.set(own));
    }

    pub(super) fn by_id(self) -> &'static str {
        let listed = self.listed.get();
        if let Some((_, id)) = LISTS.iter().find(|(list, _)| *list == listed) {
            return id;
        }
        BY.iter().find(|(by, _)| *by == self.by.get()).map_or("", |(_, id)| id)
    }

    /// The slices of the chosen row.
    pub(super) fn slices_of_row(self) -> Option<Source> {
        let (goal, mut options) = (self.chosen.get()?, self.options.get()?);
        if let (Goal::Name(name), Listed::Kernels) = (&goal, self.listed.get()) {
            let (options, name) = (self.device.get()?, name.clone());
            return Some(Source::Launches { options, name });
        }
        let whole = self.context.head.with(|h| h.span).unwrap_or_default();
        let mut only = Only { name: None, category: options.category };
        match goal {
            Goal::Name(name) if options.by == By::Category => only.category = Some(name),
            Goal::Name(name) => only.name = Some(name),
            Goal::Track(track) => options.tracks = vec![track],
            _ => {}
        }
        let span = options.span.unwrap_or(Span { end: whole.end.saturating_add(1), ..whole });
        Some(Source::Slices { area: Area { span, tracks: options.tracks }, only })
    }

    /// The names inside of the chosen category or track.
    pub(super) fn names_of_row(self) -> Option<Source> {
        let (goal, options) = (self.chosen.get()?, self.options.get()?);
        let options = Options { by: By::Name, is_joined: true, ..options };
        match goal {
            Goal::Name(name) => Some(Source::Statistics(Options { category: Some(name), ..options })),
            Goal::Track(track) => Some(Source::Statistics(Options { tracks: vec![track], ..options })),
            _ => None,
        }
    }

    /// Shows a slice in the timeline, and highlights those of the chosen name.
    pub(super) fn show(self, id: SliceId) {
        let is_name = self.by.get_untracked() == By::Name;
        let only = self.chosen.get_untracked().and_then(|goal| match goal {
            Goal::Name(name) if is_name => Some(name),
            _ => None,
        });
        let go_to = GoTo { slice: id, keeps_window: false };
        self.context.selection.update(|s| (s.go_to, s.only) = (Some(go_to), only));
        self.context.go.run("timeline".to_owned());
    }

    /// What slices can be narrowed down to: titles and what they stand for, most time first.
    pub(super) fn list(self, by: By) -> RwSignal<Vec<(String, Option<Goal>)>> {
        let list = RwSignal::new(Vec::new());
        let context = self.context;
        let complete = Memo::new(move |_| context.head.with(|h| h.is_complete));
        Effect::new(move || {
            context.language.track();
            // Sums are for who sees them.
            if !complete.get() || self.listed.get() != Listed::Sums {
                return;
            }
            leptos::task::spawn_local(async move {
                let source = Source::Statistics(Options { by, ..Options::default() });
                let wanted = crate::scene::table::PageRequest { n: 200, ..Default::default() };
                let ask = RowsQuery { table: u32::MAX - by as u32, source, wanted };
                if let Answer::Rows(Some(reply)) = context.ask(Query::Rows(ask)).await {
                    let rows = reply.page.rows.into_iter().zip(reply.goals);
                    let row =
                        |(mut cells, [goal, _]): (Vec<crate::scene::table::Cell>, [Option<Goal>; 2])| {
                            (cells.swap_remove(0).text, goal)
                        };
                    list.try_set(rows.map(row).collect());
                }
            });
        });
        list
    }
}
