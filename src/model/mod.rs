//! What the files said, as tables; and figures.
//!
//! A [`Trace`] is made only by [`build::TraceBuilder`]: while loading it is extended, after `finish` it never changes.
//! Fields stand in reading order. Nothing here can be recomputed from something else here: that is `analysis`.

pub mod access;
pub mod build;
pub mod chunked;
pub mod clock;
pub mod code;
pub mod figure;
pub mod files;
pub mod id;
pub mod notes;
pub mod parameter;
pub mod slice;
pub mod strings;
pub mod track;
pub mod wide;

use crate::base::map::Map;
use crate::base::names::demangled;
use crate::base::terms::Terms;
use crate::base::time::{Clock, Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::Message;
use build::sorting::Rows;
use chunked::Chunked;
use code::CodeScope;
use id::{FlowId, StrId, TrackId};
use std::any::{Any, TypeId};
use std::cmp::Ordering;

/// The whole of what one opening yielded.
#[derive(Default)]
pub struct Trace {
    /// What a person would call it, such as the name of the kernel; empty when the files do not say.
    pub title: String,
    /// A few facts that tell traces apart at a glance, shown beside the title: chip, kind, duration.
    pub headline: Vec<String>,
    /// The system's words.
    pub terms: Terms,
    /// What one tick of the axis means, on which all rows lie: of the first clock, unless another is finer.
    pub clock: Clock,
    /// The clocks of the tracks when there are several.
    pub clocks: clock::Clocks,
    /// What decides the colors of slices by default, and what else they carry.
    pub coloring: Coloring,
    /// All names.
    pub strings: strings::Strings,
    /// The tree of rows, with their slices, instants and samples.
    pub tracks: track::Tracks,
    /// Call stacks of samples.
    pub stacks: Stacks,
    /// Arrows between them.
    pub flows: Flows,
    /// Memory that was asked for and given back.
    pub allocations: Allocations,
    /// Tables that only one system knows.
    pub extensions: Extensions,
    pub accesses: access::Accesses,
    /// Source and instructions.
    pub code: code::Code,
    /// Long tables.
    pub tables: Vec<Table>,
    /// Figures that the files themselves hold.
    pub figures: Vec<figure::Family>,
    /// What the container is made of.
    pub blocks: Vec<files::Block>,
    /// What was left out of the trace, with its reason and how often: nothing is dropped in silence.
    pub dropped: Vec<(String, u64)>,
    /// What files of the format can hold and each of these does not. Another file may have it.
    pub missing: Vec<files::Missing>,
    /// From the first to the last tick of any row.
    pub span: Option<Span>,
}

/// What the files say of colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coloring {
    /// Whether slices carry color names.
    pub has_color_names: bool,
    /// Id of what should decide the colors unless the user says otherwise: [`Coloring::ROW`] or a color scheme of a
    /// system; empty for the name.
    pub best: &'static str,
}

impl Coloring {
    /// Rows (pipes) have colors of their own.
    pub const ROW: &'static str = "row";

    /// Whether rows should decide.
    pub fn by_row(&self) -> bool {
        self.best == Self::ROW
    }
}

impl Trace {
    /// A slice or an instant; `None` for a number that is not of this trace.
    pub fn event(&self, id: id::SliceId) -> Option<slice::Event> {
        let track = self.tracks.find(id.track)?;
        match id.instant() {
            Some(row) => slice::Event::of_instant(&track.instants, row),
            None => slice::Event::of_slice(&track.slices, id.row as usize),
        }
    }

    /// How many slices lie on all tracks, without those that are computed of others.
    pub fn n_slices(&self) -> u64 {
        let read = self.tracks.iter().filter(|(_, t)| !t.is_derived);
        read.map(|(_, t)| t.slices.len() as u64).sum()
    }

    /// How many instants lie on all tracks.
    pub fn n_instants(&self) -> u64 {
        self.tracks.iter().map(|(_, t)| t.instants.len() as u64).sum()
    }

    /// How many samples all counters have.
    pub fn n_samples(&self) -> u64 {
        self.tracks.iter().flat_map(|(_, t)| &t.series).map(|s| s.time.len() as u64).sum()
    }

    /// The clock that a track counts in.
    pub fn clock_of(&self, id: id::TrackId) -> clock::TraceClock {
        let own = self.tracks.find(id).and_then(|track| self.clocks.rows().get(track.clock.index()));
        own.copied().unwrap_or_else(|| self.axis_clock())
    }

    /// The clock that times are told in where no track is meant: the first, if anything counts in it.
    pub fn first_clock(&self) -> clock::TraceClock {
        let first = self.clocks.rows().first().filter(|clock| clock.span.is_some());
        first.copied().unwrap_or_else(|| self.axis_clock())
    }

    /// The axis as a clock.
    pub fn axis_clock(&self) -> clock::TraceClock {
        clock::TraceClock {
            unit: self.clock,
            span: self.span,
            relation: Some(clock::SAME),
            ..Default::default()
        }
    }

    /// The names from the top of the tree down to a track, joined by ` / `.
    pub fn track_path(&self, id: id::TrackId) -> String {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(track) = at.and_then(|id| self.tracks.find(id)) {
            names.push(self.strings.get(track.name));
            at = track.parent;
        }
        names.reverse();
        names.join(" / ")
    }
}

// Tables that only one system knows: its reader fills them, its analyses read them, everybody else passes them on.

/// At most one value of each type.
#[derive(Default)]
pub struct Extensions(Vec<Box<dyn Any>>);

impl Extensions {
    /// The value of this type; `None` when nobody has made one. Costs the number of types, which is small.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(self.place(TypeId::of::<T>())?)?.downcast_ref()
    }

    /// The value of this type, made when there is none yet.
    pub fn get_or_default<T: Any + Default>(&mut self) -> &mut T {
        let at = self.place(TypeId::of::<T>()).unwrap_or_else(|| {
            self.0.push(Box::<T>::default());
            self.0.len() - 1
        });
        self.0[at].downcast_mut().unwrap_or_else(|| unreachable!("it was found or made above"))
    }

    fn place(&self, of: TypeId) -> Option<usize> {
        self.0.iter().position(|value| (**value).type_id() == of)
    }
}

// Memory that a program asked for and gave back, as frameworks note it: one row for each time.
//
// ```text
// row ──▶ point on the track of the thread, bytes (negative: given back) ──▶ device ──▶ track of its counter
// ```
// A row costs 32 bytes. What a device held in all is told by the counter on its track, not again here.

/// A memory that allocations come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryDevice {
    /// Its name, such as `CPU` or `GPU 0`; two may have the same.
    pub name: StrId,
    /// The track of the counter of what is allocated there: its first series.
    pub track: TrackId,
}

/// All of them: of each device in order of time.
#[derive(Default)]
pub struct Allocations {
    /// Where they come from.
    pub devices: Vec<MemoryDevice>,
    /// The thread, and when.
    pub at: Vec<FlowEnd>,
    /// The device, by its number.
    pub device: Vec<u32>,
    /// How much; negative for what was given back.
    pub bytes: Vec<i64>,
}

impl Allocations {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }
}

// Counters: samples of quantities over time. A value holds from its sample to the next.

/// One quantity of a counter track; several series of a track are stacked.
#[derive(Clone)]
pub struct Series {
    pub name: StrId,
    /// Unit of its values.
    pub unit: Unit,
    /// When each sample was taken, sorted when the trace is finished.
    pub time: Chunked<Ticks>,
    /// The value from then on; NaN is a gap.
    pub value: Chunked<f64>,
}

/// In order of time; equal ones stay as they came.
impl Rows for Series {
    fn n_rows(&self) -> usize {
        self.time.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.time[a].cmp(&self.time[b])
    }

    fn key(&self, row: usize) -> (Ticks, Ticks) {
        (self.time[row], 0)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.time.swap(a, b);
        self.value.swap(a, b);
    }

    fn shrink(&mut self) {
        self.time.shrink_to_fit();
        self.value.shrink_to_fit();
    }
}

// Flows: arrows from a point of one track to a point of another.

/// One end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEnd {
    /// The track it is bound to.
    pub track: TrackId,
    /// When.
    pub time: Ticks,
}

/// One flow, as the columns of [`Flows`] say it.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The id that both ends share.
    pub id: StrId,
    /// Category.
    pub category: StrId,
    /// Name.
    pub name: StrId,
    /// Where it begins.
    pub from: FlowEnd,
    /// Where it points.
    pub to: FlowEnd,
}

/// All flows, in the order their ends were read.
#[derive(Default)]
pub struct Flows {
    /// The id that both ends share.
    pub id: Vec<StrId>,
    pub category: Vec<StrId>,
    pub name: Vec<StrId>,
    /// Where it begins.
    pub from: Vec<FlowEnd>,
    /// Where it points.
    pub to: Vec<FlowEnd>,
    /// How an end finds its slice: by the flag of the same id on its track, or the slice around its time.
    pub by_flag: bool,
}

impl Flows {
    /// How many flows there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// One of them.
    pub fn flow(&self, flow: FlowId) -> Option<Flow> {
        let at = flow.index();
        let (id, category, name) = (*self.id.get(at)?, *self.category.get(at)?, *self.name.get(at)?);
        Some(Flow { id, category, name, from: *self.from.get(at)?, to: *self.to.get(at)? })
    }

    /// All rows with their numbers.
    pub fn ids(&self) -> impl Iterator<Item = FlowId> {
        (0..self.id.len() as u32).map(FlowId)
    }
}

// Symbols of functions whose names are written out: names are what people see, symbols are what other programs know.

/// The symbols of names. Kept in `Trace::extensions`.
#[derive(Default)]
pub struct Symbols(Map<String, String>);

impl Symbols {
    /// The name of a function, which remembers its symbol; what is no symbol is a name itself.
    pub fn name(&mut self, symbol: &str) -> String {
        self.written(symbol).unwrap_or_else(|| symbol.to_owned())
    }

    /// The same; `None` of what is no symbol.
    pub fn written(&mut self, symbol: &str) -> Option<String> {
        let name = demangled(symbol)?;
        self.0.entry(name.clone()).or_insert_with(|| symbol.to_owned());
        Some(name)
    }

    /// The names of several functions whose symbols stand behind each other, with blanks or commas between them; what has no
    /// symbol stays as it is.
    pub fn names(&mut self, symbols: &str) -> String {
        let is_between = |letter: char| letter.is_whitespace() || letter == ',';
        let all: Vec<&str> = symbols.split(is_between).filter(|symbol| !symbol.is_empty()).collect();
        if all.len() < 2 || all.iter().all(|symbol| demangled(symbol).is_none()) {
            return self.name(symbols);
        }
        let names: Vec<String> = all.iter().map(|symbol| self.name(symbol)).collect();
        let names = names.join(", ");
        self.0.entry(names.clone()).or_insert_with(|| all.join(" "));
        names
    }

    /// The symbol that a name is written for; the name itself where it has none.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.symbol(name).unwrap_or(name)
    }

    /// The symbol that a name is written for.
    pub fn symbol(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

// Call stacks of samples, as a tree: each frame once for all stacks that begin alike.
//
// ```text
// number  around  name
//      1       0  main
//      2       1  work          main ▸ work
//      3       1  wait          main ▸ wait
// ```
// A stack is the number of its innermost frame; 0 is none.

/// All frames; what is around one comes before it.
#[derive(Default)]
pub struct Stacks {
    around: Chunked<u32>,
    name: Chunked<StrId>,
    category: Chunked<StrId>,
}

/// A frame of a call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// Number of the frame around it; 0 for the outermost.
    pub around: u32,
    /// The function.
    pub name: StrId,
    /// Where it is from, such as a library.
    pub category: StrId,
}

impl Stacks {
    /// Adds a frame, whose number is told; 0 when there are too many, or nothing is around it that is known.
    fn push(&mut self, frame: StackFrame) -> u32 {
        if self.around.len() < frame.around as usize || u32::MAX as usize <= self.around.len() + 1 {
            return 0;
        }
        self.around.push(frame.around);
        self.name.push(frame.name);
        self.category.push(frame.category);
        self.around.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.around.is_empty()
    }

    /// A frame by its number; `None` for 0 and for numbers that are not of this trace.
    pub fn get(&self, number: u32) -> Option<StackFrame> {
        let at = (number as usize).checked_sub(1)?;
        let (around, name) = (*self.around.get(at)?, *self.name.get(at)?);
        Some(StackFrame { around, name, category: *self.category.get(at)? })
    }

    /// The frames of a stack, from the innermost out.
    pub fn frames(&self, innermost: u32) -> impl Iterator<Item = StackFrame> + '_ {
        // What is around a frame has a lower number: this ends.
        std::iter::successors(self.get(innermost), |frame| self.get(frame.around))
    }
}

// Metric tables: typed columns with unit and meaning, too long to be a figure; asked for by pages of rows.

/// A long table.
pub struct Table {
    /// Stable id for the URL and exports.
    pub id: String,
    pub title: String,
    /// Columns of equal length.
    pub columns: Vec<TableColumn>,
    /// Remarks below.
    pub notes: Vec<Message>,
    /// Whose code the addresses in it are about.
    pub scope: CodeScope,
    /// Columns whose texts are words for people, translated where they are shown, not names of the data.
    pub phrases: Vec<usize>,
}

impl Table {
    /// A table about no code in particular, without remarks.
    pub fn new(id: impl Into<String>, title: impl Into<String>, columns: Vec<TableColumn>) -> Self {
        let (notes, phrases) = (Vec::new(), Vec::new());
        Self { id: id.into(), title: title.into(), columns, notes, scope: CodeScope::default(), phrases }
    }
}

/// One column.
pub struct TableColumn {
    pub name: String,
    /// Unit of its numbers.
    pub unit: Unit,
    pub cells: TableCells,
}

/// Values of a column.
pub enum TableCells {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Whole numbers that may exceed 2⁵³, such as addresses.
    Integers(Vec<u64>),
    /// Texts; empty is missing.
    Texts(Vec<String>),
}

impl TableCells {
    /// How many rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(v) => v.len(),
            Self::Integers(v) => v.len(),
            Self::Texts(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a row has a value. Looks no further than to the first.
    pub fn has_values(&self) -> bool {
        match self {
            Self::Numbers(v) => v.iter().any(|n| !n.is_nan()),
            Self::Integers(v) => !v.is_empty(),
            Self::Texts(v) => v.iter().any(|t| !t.is_empty()),
        }
    }
}
