//! Rows of any table: the source that a question names, its order kept until the question changes, a page, a file.

use crate::analysis::access::Axis;
use crate::analysis::area::flame::{Flame, FlameMaking};
use crate::analysis::area::gaps::{Finding, Idle, Listing, Longest, MAX_LISTED};
use crate::analysis::area::links::{Categorizing, Category, Links};
use crate::analysis::area::{Scope, Work, overlap};
use crate::analysis::rows::{
    AccessRows, CallRows, CategoryRows, FigureRows, FlowRows, GapRows, HitRows, IdleRows, KernelRows,
    KernelSumRows, LongRows, MemoryRows, Only, OperatorRows, Paint, RowOrder, RowSource, SliceRows,
    SliceRuns, StatisticsRows, SumRows, ThreadRows, TreeRows,
};
use crate::analysis::statistics;
use crate::analysis::statistics::{Statistics, Threads};
use crate::analysis::summary::{Summary, Summing};
use crate::analysis::timeline::{Timeline, chosen_tracks, tracks_with};
use crate::base::words::{phrase, tr};
use crate::document::Document;
use crate::draw::style::DrawStyle;
use crate::draw::table::TableFormat;
use crate::export::rows::source_csv;
use crate::model::figure::Body;
use crate::model::{Symbols, Trace};
use crate::scene::table::{Cell, Order, Page};
use crate::views::access::scene::ink as side_ink;
use crate::views::details::ask::{missing, prepare, variant};
use crate::views::schedule::compute::BlockRows;
use crate::views::timeline::ask::View;
use crate::views::timeline::messages::{Area, MAX_ROWS as MAX_NAMES};
use crate::views::timeline::scene::origin;
use crate::wire::Answer;
use crate::wire::rows::{MAX_CELLS, Reply, RowsQuery, Source};
use std::io::Write;

/// Orders that are kept: as many as tables are seen at once.
const KEPT: usize = 8;

/// What was asked of tables last.
#[derive(Default)]
pub(crate) struct Tables {
    /// The newest first.
    kept: Vec<Kept>,
    /// What a source needs, in progress.
    making: Option<(Source, Making)>,
    /// What a source needs that was made last.
    made: Option<(Source, Base)>,
}

/// What an order was made for: the source, how it is sorted and filtered, how much the document held, and what its
/// analyses had computed.
type Question = (Source, Option<Order>, String, [u64; 3]);

struct Kept {
    question: Question,
    base: Base,
    order: RowOrder,
    is_done: bool,
    format: TableFormat,
}

/// What must be computed before a source has rows.
enum Base {
    Nothing,
    Slices(SliceRuns),
    Sums(Summary),
    Statistics(Statistics),
    Threads(Threads),
    Calls(Flame, Vec<u32>),
    Idle(Vec<(Idle, String)>),
    Gaps(Longest),
    Categories(Vec<Category>),
    Axis(Axis),
    /// The rows of a tree that are listed, and whether they were searched for.
    Tree(Vec<u32>, bool),
}

impl Document {
    /// Works for a few milliseconds on what a source needs; says whether all is there.
    pub(crate) fn prepare_base(&mut self, source: &Source) -> bool {
        if !Making::is_for(source) {
            return true;
        }
        let (revision, tables) = (revision(self), self.kept.of::<Tables>());
        let is_kept = |kept: &Kept| kept.question.0 == *source && kept.question.3 == revision;
        if tables.kept.iter().any(is_kept) || tables.made.as_ref().is_some_and(|(of, _)| of == source) {
            return true;
        }
        let (trace, timeline) = (self.sink.builder.trace(), &self.derived.timeline);
        // What came since is in the next one.
        let begun = tables.making.take().filter(|(of, _)| of == source);
        let begin = || Making::begin(source, (trace, timeline));
        let mut making = begun.map_or_else(begin, |(_, making)| making);
        if making.step(trace, timeline) {
            tables.making = Some((source.clone(), making));
            return false;
        }
        let base = making.finish(trace);
        tables.made = Some((source.clone(), base));
        true
    }

    /// Names of the categories of the flows of an area, which were prepared; most flows first.
    pub(crate) fn take_categories(&mut self, area: &Area) -> Vec<String> {
        let source = Source::Categories(area.clone());
        let made = self.kept.of::<Tables>().made.take().filter(|(of, _)| *of == source).map(|(_, base)| base);
        let revision = revision(self);
        let is_kept = |kept: &&Kept| kept.question.0 == source && kept.question.3 == revision;
        let tables = self.kept.get::<Tables>();
        let kept = tables.and_then(|tables| tables.kept.iter().find(is_kept)).map(|kept| &kept.base);
        let Some(Base::Categories(sums)) = made.as_ref().or(kept) else { return Vec::new() };
        let names = sums.iter().take(MAX_NAMES as usize);
        names.map(|sum| self.trace().strings.get(sum.name).to_owned()).collect()
    }
}

/// A page of rows. Where the order takes longer than `is_in_time` allows, `None`: the same question again goes on.
pub(crate) fn answer(
    doc: &mut Document,
    ask: &RowsQuery,
    is_in_time: &mut dyn FnMut() -> bool,
) -> Option<Answer> {
    let Some(mut kept) = take(doc, ask) else { return Some(gone(&ask.source)) };
    let Kept { base, order, is_done, format, .. } = &mut kept;
    let reply = with_source(doc, &ask.source, base, |source| {
        while !*is_done {
            *is_done = !order.step(source);
            if !*is_done && !is_in_time() {
                return None;
            }
        }
        Some(Answer::Rows(Some(Box::new(page(doc, ask, (order, format), source)))))
    });
    doc.kept.of::<Tables>().kept.insert(0, kept);
    doc.kept.of::<Tables>().kept.truncate(KEPT);
    reply.unwrap_or_else(|| Some(gone(&ask.source)))
}

/// What a file with rows is called.
fn name(source: &Source) -> &str {
    match source {
        Source::Table { id, .. } | Source::Figure { id, .. } => id,
        Source::Slices { .. } => "slices",
        Source::Instants(_) => "instants",
        Source::Hits(_) => "hits",
        Source::Sums(_) => "range",
        Source::Statistics(_) => "statistics",
        Source::Threads(_) => "threads",
        Source::KernelSums(_) => "kernels by name",
        Source::Kernels(_) | Source::Launches { .. } => "kernels",
        Source::Operators(_) => "operators",
        Source::Functions(_) => "functions",
        Source::Tree { is_modules: true, .. } => "modules",
        Source::Tree { .. } => "stacks",
        Source::Memory { .. } => "memory by operator",
        Source::Calls(_) => "calls",
        Source::Idle { .. } => "idle",
        Source::Gaps { .. } => "gaps",
        Source::Categories(_) => "flow categories",
        Source::Flows { .. } => "flows",
        Source::Accesses(_) => "accesses",
        Source::Blocks { .. } => "blocks",
    }
}

fn gone(source: &Source) -> Answer {
    missing(name(source))
}

/// What an order depends on beside its question.
fn revision(doc: &Document) -> [u64; 3] {
    [doc.derived().timeline.revision(), doc.content_version(), doc.revision + doc.compared.joined]
}

/// What is kept of a question, or its beginning.
fn take(doc: &mut Document, ask: &RowsQuery) -> Option<Kept> {
    if let Source::Figure { id, chosen, is_compared: false, .. } = &ask.source {
        prepare(doc, id, chosen);
    }
    let revision = revision(doc);
    let filter = ask.wanted.filter.trim();
    let question = (ask.source.clone(), ask.wanted.order, filter.to_owned(), revision);
    if let Some(at) = doc.kept.of::<Tables>().kept.iter().position(|kept| kept.question == question) {
        return Some(doc.kept.of::<Tables>().kept.remove(at));
    }
    // Another order of the same rows needs the same.
    let is_tree = matches!(ask.source, Source::Tree { .. });
    let is_alike = |kept: &Kept| !is_tree && kept.question.0 == ask.source && kept.question.3 == revision;
    let alike = doc
        .kept
        .of::<Tables>()
        .kept
        .iter()
        .position(is_alike)
        .map(|at| doc.kept.of::<Tables>().kept.remove(at).base);
    let made = doc.kept.of::<Tables>().made.take().filter(|(of, _)| *of == ask.source);
    let base = alike.or(made.map(|(_, base)| base)).unwrap_or_else(|| base(doc, ask));
    let made = with_source(doc, &ask.source, &base, |source| {
        let order = match &base {
            Base::Tree(listed, _) => RowOrder::of_listed(source, listed.clone()),
            _ => RowOrder::new(source, sort_of(ask), filter),
        };
        (order, TableFormat::new(source))
    });
    made.map(|(order, format)| Kept { question, base, order, is_done: false, format })
}

/// The column that rows are sorted by, and whether it falls.
fn sort_of(ask: &RowsQuery) -> Option<(usize, bool)> {
    ask.wanted.order.map(|order| (order.column, order.is_descending))
}

fn base(doc: &Document, ask: &RowsQuery) -> Base {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let with = |area: &Area, make: &dyn Fn(Scope) -> Base| {
        let tracks = chosen_tracks(trace, &area.tracks);
        make(Scope { trace, timeline, tracks: &tracks, span: area.span })
    };
    match &ask.source {
        Source::Slices { area, .. } => {
            with(area, &|scope| Base::Slices(SliceRuns::new(trace, timeline, scope.tracks, scope.span)))
        }
        Source::Instants(area) => {
            let tracks = tracks_with(trace, &area.tracks, |track| !track.instants.is_empty());
            Base::Slices(SliceRuns::of_instants(trace, timeline, &tracks, area.span))
        }
        Source::Accesses(look) => {
            Base::Axis(doc.derived().accesses.axis(trace, &look.filter, look.is_linear))
        }
        Source::Tree { options, is_modules, shown } => {
            let filter = ask.wanted.filter.trim();
            let Some(device) = doc.device(options) else { return Base::Nothing };
            let rows = TreeRows::new(trace, device, *is_modules, shown, !filter.is_empty());
            Base::Tree(rows.listed(sort_of(ask), filter), !filter.is_empty())
        }
        // What takes long was prepared.
        _ => Base::Nothing,
    }
}

/// Does something with the source of a question; `None` when the document has no such thing.
#[allow(clippy::too_many_lines)] // an arm for each source
fn with_source<T>(
    doc: &Document,
    source: &Source,
    base: &Base,
    act: impl FnOnce(&dyn RowSource) -> T,
) -> Option<T> {
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let (clock, zero) = (trace.clock, origin(trace));
    Some(match (source, base) {
        (Source::Table { id, has_empty }, _) => {
            act(&LongRows::new(trace.tables.iter().find(|t| t.id == *id)?, *has_empty))
        }
        (Source::Figure { id, chosen, is_compared, is_folded }, _) => {
            let figure =
                if *is_compared { doc.compared.figure(id, chosen) } else { variant(doc, id, chosen) };
            let Body::Table(table) = &figure?.body else { return None };
            act(&if *is_folded { FigureRows::folded(table) } else { FigureRows::new(table) })
        }
        (Source::Slices { only, .. }, Base::Slices(runs)) => {
            act(&SliceRows::new(trace, timeline, zero, runs, only))
        }
        (Source::Instants(_), Base::Slices(runs)) => {
            act(&SliceRows::new(trace, timeline, zero, runs, &Only::default()))
        }
        (Source::Statistics(_), Base::Statistics(of)) => act(&StatisticsRows::new(trace, of)),
        (Source::Threads(_), Base::Threads(of)) => act(&ThreadRows::new(trace, of)),
        (Source::KernelSums(options), _) => act(&KernelSumRows::new(trace, doc.device(options)?)),
        (Source::Kernels(options), _) => act(&KernelRows::new(trace, doc.device(options)?, zero, None)),
        (Source::Launches { options, name }, _) => {
            act(&KernelRows::new(trace, doc.device(options)?, zero, Some(name)))
        }
        (Source::Operators(options), _) => act(&OperatorRows::new(trace, doc.device(options)?)),
        (Source::Functions(options), _) => act(&OperatorRows::functions(trace, doc.device(options)?)),
        (Source::Tree { options, is_modules, shown }, Base::Tree(_, is_filtered)) => {
            act(&TreeRows::new(trace, doc.device(options)?, *is_modules, shown, *is_filtered))
        }
        (Source::Memory { options, device }, _) => {
            let outside = tr(doc.language(), phrase("outside operators"));
            act(&MemoryRows::new(trace, doc.device(options)?, *device, outside))
        }
        (Source::Hits(_), _) => act(&HitRows::new(trace, timeline, zero)),
        (Source::Sums(area), Base::Sums(summary)) => {
            let word = |english| tr(doc.language(), english);
            let chosen = chosen_tracks(trace, &area.tracks);
            let n = chosen.len();
            let (kept, kind) = statistics::of_one_kind(trace, chosen, None);
            let all = match kind {
                Some(statistics::Of::Scopes) if kept.len() < n => {
                    phrase("All names, without states and CPUs")
                }
                Some(statistics::Of::States) if kept.len() < n => phrase("All states, without CPUs"),
                _ => "All names",
            };
            let (all, tracks) = (word(all), word(phrase("{n} tracks")));
            act(&SumRows { trace, summary, dur: area.span.dur(), all, tracks })
        }
        (_, Base::Calls(flame, listed)) => act(&CallRows { trace, flame, listed }),
        (_, Base::Idle(rows)) => act(&IdleRows { rows, clock, zero }),
        (_, Base::Gaps(gaps)) => act(&GapRows { trace, gaps, zero }),
        (_, Base::Categories(rows)) => act(&CategoryRows { trace, rows }),
        (Source::Flows { area, category }, _) => {
            let tracks = chosen_tracks(trace, &area.tracks);
            let scope = Scope { trace, timeline, tracks: &tracks, span: area.span };
            let links = Links::new(scope, category.as_deref());
            act(&FlowRows { trace, timeline, links: &links, zero })
        }
        (Source::Accesses(look), Base::Axis(axis)) => act(&AccessRows::new(trace, look, axis)),
        (Source::Blocks { look, range }, _) => act(&BlockRows::new(doc.schedule()?, look, *range)),
        _ => return None,
    })
}

fn page(doc: &Document, ask: &RowsQuery, kept: (&RowOrder, &TableFormat), source: &dyn RowSource) -> Reply {
    let (order, format) = kept;
    let look = DrawStyle { palette: doc.palette(), language: doc.language() };
    let columns = format.heads(source, &look);
    let rows = order.rows();
    let most = MAX_CELLS / columns.len().max(1);
    let from = ask.wanted.from.min(rows.len());
    let numbers = rows[from..].iter().take(ask.wanted.n.min(most)).copied().collect::<Vec<_>>();
    let view = View::new(doc, None);
    let symbols = doc.trace().extensions.get::<Symbols>().filter(|symbols| !symbols.is_empty());
    let row = |&row: &u32| {
        let mut cells = format.row(source, row, look.language);
        if let Some((column, paint)) = source.paint(row)
            && let Some(cell) = columns.iter().position(|c| c.id == column).and_then(|at| cells.get_mut(at))
        {
            *cell = Cell { swatch: Some(color(&view, &paint)), ..std::mem::take(cell) };
        }
        if let Some(first) = cells.first_mut() {
            first.tree = source.branch(row).map(|branch| (branch.depth, branch.is_open));
        }
        if let Some((column, bar)) = source.bar(row)
            && let Some(cell) = columns.iter().position(|c| c.id == column).and_then(|at| cells.get_mut(at))
        {
            cell.bar = Some((bar.inner, bar.whole));
            cell.swatch = source.paint(row).map(|(_, paint)| color(&view, &paint));
        }
        if let Some(symbols) = symbols {
            for cell in cells.iter_mut().filter(|cell| cell.full.is_empty()) {
                let symbol = symbols.symbol(&cell.text);
                cell.full = symbol.map_or_else(String::new, |symbol| format!("{}\n{symbol}", cell.text));
            }
        }
        cells
    };
    let sort = order.sort().map(|(column, is_descending)| Order { column, is_descending });
    let mut page = Page {
        rows: numbers.iter().map(row).collect(),
        all: order.all(),
        total: rows.len(),
        order: sort,
        from,
        at: ask.wanted.seek.and_then(|row| rows.iter().position(|at| *at == row)),
        columns,
    };
    page.tell_names();
    Reply {
        page,
        goals: numbers.iter().map(|row| source.goals(*row)).collect(),
        numbers,
        words: source.words(rows, look.language),
        n_known: source.n_known(),
    }
}

/// The color of a square.
fn color(view: &View, paint: &Paint) -> u32 {
    let ink = match paint {
        Paint::Name(track, name) => view.colors.paint(*track, *name).ink,
        Paint::Slice(id) => view.colors.paint_event(*id).ink,
        Paint::Side(side) => side_ink(*side),
    };
    view.doc.palette().rgba(ink)
}

// A file with rows.

/// Rows that are written in one part.
const PART: usize = 1 << 12;

/// All rows that fit, in their order, as CSV: written in parts.
pub(crate) struct RowsFile {
    source: Source,
    kept: Box<Kept>,
    at: usize,
}

impl RowsFile {
    /// Begins with the rows of a question.
    pub(crate) fn new(doc: &mut Document, ask: &RowsQuery) -> Result<Self, Answer> {
        let kept = take(doc, ask).ok_or_else(|| gone(&ask.source))?;
        Ok(Self { source: ask.source.clone(), kept: Box::new(kept), at: 0 })
    }

    /// Name of the file.
    pub(crate) fn name(&self) -> String {
        format!("{}.csv", name(&self.source))
    }

    /// Writes the next part; says whether there is more. A machine, as the document lends the rows of views for each
    /// part.
    pub(crate) fn step(&mut self, doc: &Document, out: &mut dyn Write) -> Result<bool, String> {
        let Kept { base, order, is_done, question, .. } = &mut *self.kept;
        if question.3 != revision(doc) {
            return Err(phrase("The document changed while the file was written.").to_owned());
        }
        let at = &mut self.at;
        let written = with_source(doc, &self.source, base, |source| {
            if !*is_done {
                *is_done = !order.step(source);
                return Ok(true);
            }
            let end = order.rows().len().min(*at + PART);
            source_csv(source, order.rows()[*at..end].iter().copied(), *at == 0, out)?;
            *at = end;
            Ok(end < order.rows().len())
        });
        let gone = || Err(std::io::Error::other(format!("There is no {}.", name(&self.source))));
        written.unwrap_or_else(gone).map_err(|why| why.to_string())
    }
}

// What a source of rows needs that takes long, in steps.

/// What takes long to compute.
enum Making {
    Sums(Box<Summing>),
    Statistics(Box<statistics::Making>),
    Threads(Box<statistics::ThreadsMaking>),
    Calls(FlameMaking),
    Idle(Finding<Vec<Idle>>),
    Gaps(Finding<Listing>),
    Categories(Categorizing),
}

/// The area of a source that takes long.
fn area_of(source: &Source) -> Option<&Area> {
    match source {
        Source::Sums(area)
        | Source::Calls(area)
        | Source::Idle { area, .. }
        | Source::Gaps { area, .. }
        | Source::Categories(area) => Some(area),
        _ => None,
    }
}

impl Making {
    /// Whether a source needs something that takes long.
    fn is_for(source: &Source) -> bool {
        matches!(source, Source::Statistics(_) | Source::Threads(_)) || area_of(source).is_some()
    }

    fn begin(source: &Source, (trace, timeline): (&Trace, &Timeline)) -> Self {
        if let Source::Statistics(options) = source {
            return Self::Statistics(Box::new(statistics::Making::new(trace, timeline, options.clone())));
        }
        if let Source::Threads(options) = source {
            let making = statistics::ThreadsMaking::new(trace, options.clone());
            return Self::Threads(Box::new(making));
        }
        let area = area_of(source).cloned().unwrap_or_default();
        let (tracks, span) = (chosen_tracks(trace, &area.tracks), area.span);
        match source {
            // What tracks of different kinds tell does not add up: as in statistics and in the call tree.
            Source::Sums(_) => {
                let (tracks, _) = statistics::of_one_kind(trace, tracks, None);
                Self::Sums(Box::new(Summing::new(trace, tracks, span)))
            }
            Source::Idle { waits, .. } => {
                let work = Work::new(*waits);
                Self::Idle(Finding::idle((trace, timeline), tracks, span, work))
            }
            Source::Gaps { waits, .. } => {
                Self::Gaps(Finding::longest(tracks, span, Work::new(*waits), MAX_LISTED))
            }
            Source::Categories(_) => {
                Self::Categories(Categorizing::new(Scope { trace, timeline, tracks: &tracks, span }))
            }
            _ => Self::Calls(FlameMaking::of_area(trace, &area.tracks, span)),
        }
    }

    /// Goes on for some milliseconds; says whether there is more. A machine, as it runs while the trace still grows,
    /// too.
    fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        match self {
            Self::Sums(summing) => summing.step(trace, timeline),
            Self::Statistics(statistics) => statistics.step(trace, timeline),
            Self::Threads(threads) => threads.step(trace, timeline),
            Self::Calls(flame) => flame.step(trace, timeline),
            Self::Idle(idle) => idle.step(trace, timeline),
            Self::Gaps(gaps) => gaps.step(trace, timeline),
            Self::Categories(categories) => categories.step(trace, timeline),
        }
    }

    /// What the rows are made of, after the last step.
    fn finish(self, trace: &Trace) -> Base {
        match self {
            Self::Sums(summing) => Base::Sums(summing.finish()),
            Self::Statistics(statistics) => Base::Statistics(statistics.finish()),
            Self::Threads(threads) => Base::Threads(threads.finish()),
            Self::Calls(flame) => {
                let flame = flame.finish();
                let listed = flame.heaviest(usize::MAX);
                Base::Calls(flame, listed)
            }
            Self::Idle(idle) => {
                let list = idle.finish();
                let names = overlap::names(trace, &list.iter().map(|row| row.track).collect::<Vec<_>>());
                Base::Idle(list.into_iter().zip(names).collect())
            }
            Self::Gaps(gaps) => Base::Gaps(gaps.finish()),
            Self::Categories(categories) => Base::Categories(categories.finish()),
        }
    }
}
