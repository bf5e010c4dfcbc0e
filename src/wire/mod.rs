//! Across the worker border: what the page says to a document's worker, and what comes back.
//!
//! What crosses is bounded by the screen (rows in view, one figure, one text) or is a finished file for saving. Messages
//! are packed bytes, at most 1 MB; handles (files, canvases, buffers) travel beside them in the order that one names.

pub mod figures;
mod pack;
pub mod report;
pub mod rows;

pub use pack::{pack, unpack};

use crate::analysis::compare::headline::Quantity;
use crate::analysis::report::ReportAsk;
use crate::base::fault::Place;
use crate::base::geometry::Size;
use crate::base::words::{Language, phrase};
use crate::model::files::OperatorHead;
use crate::model::notes::Notes;
use crate::model::parameter::ParameterHead;
use crate::scene::palette::Palette;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::borrow::Cow;

/// Version of the messages; a worker of another version is not talked to.
pub const VERSION: u32 = 1;

/// Said where a part of the program does not come.
pub const NOT_LOADED: &str =
    phrase("This part of Lanescope could not be loaded. Check your connection and try again.");

/// Operators that are told of at a time: each costs a few reads of its file.
pub const OPERATORS: usize = 16;

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Open these files as one document. Beside it: one `File` (or `Blob`) for each, in this order.
    Open {
        /// Path and size of each.
        files: Vec<FileHead>,
        /// Which operator of a project, by its path; empty for the first.
        operator: String,
        /// What the user set of parameters, as texts by id.
        values: Vec<(String, String)>,
    },
    /// Answer a question. Beside it, where the question says so: one `ArrayBuffer`.
    Query {
        /// Comes back with the answer.
        id: u32,
        query: Query,
    },
    /// A canvas to draw on. Beside it: one `OffscreenCanvas`.
    Attach {
        /// The page's number for it.
        surface: u32,
    },
    /// The canvas is gone.
    Detach {
        /// The page's number for it.
        surface: u32,
    },
    /// Draw this; a later frame of the same surface replaces one that was not drawn yet.
    Draw {
        /// The page's number of the canvas.
        surface: u32,
        /// Counts up; comes back when it was drawn.
        serial: u32,
        /// Size in CSS pixels.
        size: crate::base::geometry::Size,
        /// Device pixels in a CSS pixel.
        ratio: f32,
        frame: Frame,
    },
    /// The colors and fonts to draw with from now on.
    Palette(Palette),
    /// The language of what is drawn and answered from now on.
    Language {
        language: Language,
        /// Its words, as `base::words::load` takes them; empty where it needs none.
        words: String,
    },
    /// The part of this file; beside it its module, unless it cannot be had.
    Part {
        /// Its file.
        name: String,
    },
    /// Do not go on with the files that are being written.
    CancelFiles,
    /// To be answered with [`FromWorker::Alive`] as soon as the worker has finished the step it is at.
    AreYouAlive,
}

/// One file to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHead {
    /// Path below what was dropped, with `/`.
    pub path: String,
    /// Bytes.
    pub size: u64,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker listens from now on; nothing may be sent before.
    Hello {
        /// [`VERSION`] of the worker.
        version: u32,
        /// What it can open.
        catalog: Catalog,
    },
    /// Where loading is. Also tells that the worker is alive.
    Progress(Progress),
    /// The answer to [`ToWorker::AreYouAlive`].
    Alive,
    /// The worker worked for so many milliseconds without a pause: longer than ever before.
    LongestStep(f64),
    /// Something of the document can be used: views may ask and draw. Sent again when more can be used; `is_complete` at last.
    Opened(Box<report::Head>),
    /// A part of the worker is needed: to be answered with [`ToWorker::Part`].
    PartWanted {
        /// Its file.
        name: String,
    },
    /// A part was loaded: what can be opened and saved now.
    PartLoaded(Catalog),
    /// The document could not be opened.
    Failed(Box<report::Report>),
    /// So many bytes of a file that was asked for are written, and it goes on; `None` when nothing is being written.
    Writing(Option<u64>),
    /// Answer to the query of this number. Beside it, for a long text or what is packed: one `ArrayBuffer`; for a file that
    /// was asked for: one `Blob`.
    Answer {
        /// The number of the query.
        id: u32,
        answer: Answer,
    },
    /// A frame is on the canvas, or nothing draws it: a part of the program did not come.
    Drawn {
        /// The page's number of the canvas.
        surface: u32,
        /// The frame's number.
        serial: u32,
        /// What the page must know of what was drawn; `None` where the part that draws it could not be loaded.
        note: Option<Note>,
    },
    /// The files were read once and cannot be read any more: in the browser's words. Said once.
    Unreadable(String),
    /// The worker is about to die.
    Panic {
        message: String,
        /// Where it was reading.
        place: Place,
    },
}

/// What can be opened, for the welcome page and the file picker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// The formats, in the order of their registry.
    pub formats: Vec<FormatHead>,
    /// What can be saved, in the order of the menu.
    pub exports: Vec<ExportHead>,
    /// Color schemes that can be chosen for everything: id and title.
    pub color_schemes: Vec<(String, String)>,
}

impl Catalog {
    /// Adds what another program can open and save beside this one; what stands here keeps its place.
    pub fn join(&mut self, other: Self) {
        fn add<T>(all: &mut Vec<T>, others: Vec<T>, id: fn(&T) -> &str) {
            for other in others {
                if all.iter().all(|known| id(known) != id(&other)) {
                    all.push(other);
                }
            }
        }
        add(&mut self.formats, other.formats, |format| &format.id);
        add(&mut self.exports, other.exports, |export| &export.id);
        add(&mut self.color_schemes, other.color_schemes, |scheme| &scheme.0);
    }
}

/// One export of the catalog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExportHead {
    pub id: String,
    /// What a person calls it, an English phrase of `base::words`.
    pub title: String,
    /// What the user may set, with the values that hold in an empty document.
    pub parameters: Vec<ParameterHead>,
}

/// One format of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatHead {
    pub id: String,
    pub title: String,
    /// The tools that write it.
    pub written_by: String,
    /// Patterns of file names.
    pub patterns: Vec<String>,
    /// What can be seen of it.
    pub shows: String,
}

/// Where loading is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done, an English phrase of `base::words`.
    pub step: String,
    /// Bytes read so far.
    pub done: u64,
    /// Bytes to read, as far as known.
    pub total: u64,
    /// Files that are done, and how many there are, while each is looked at; else none.
    pub files: (u64, u64),
    /// Rows found so far.
    pub rows: u64,
    /// Where it is.
    pub place: Place,
}

impl Progress {
    /// The share that is done, 0 to 1: of several files that are looked at, or else of the bytes, where it is known.
    pub fn share(&self) -> Option<f64> {
        let (done, all) = if 1 < self.files.1 { self.files } else { (self.done, self.total) };
        (0 < all).then(|| done as f64 / all as f64)
    }
}

/// Everything that can be asked of an open document: the one front door.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Query {
    View(Packed),
    /// A page of rows of any table.
    Rows(rows::RowsQuery),
    /// All rows of the question as a CSV file.
    RowsFile(rows::RowsQuery),
    /// What is seen of the timeline as an SVG file.
    Picture(Packed),
    /// What the page shows of another view as an SVG file.
    ViewPicture(Box<ViewPicture>),
    /// Files, claims, faults, blocks.
    Report,
    /// What the document is compared by first.
    Headline,
    /// The operators of the project, some at a time: heads are read when they are asked for.
    Operators {
        from: usize,
    },
    /// One block of a container as text a person can read.
    Block {
        /// Row of the report's blocks.
        block: u32,
    },
    /// Set these parameters, as texts by id, and all others back to their defaults.
    SetParameters(Vec<(String, String)>),
    /// What the files are known by, whatever they are called; see `input::fingerprint`. The answer is a [`Answer::Text`].
    Fingerprint,
    /// Notes as a file of JSON. The answer is a [`Answer::Text`].
    NotesFile(Notes),
    /// The notes of such a file.
    ReadNotes {
        text: String,
    },
    /// A finished file for saving.
    Export {
        /// Id of the export.
        id: String,
    },
    /// A report as a file.
    ReportFile {
        ask: Box<ReportAsk>,
        /// Title and question of a picture of the view that is shown.
        seen: Option<(String, Box<Query>)>,
    },
    /// A request of the vendor's design document, or a list of them. The answer is a [`Answer::Text`], or a file when it
    /// is long.
    Request {
        /// A JSON document.
        text: String,
    },
}

/// Everything that can be answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    View(Packed),
    /// Rows of a table; `None` where a newer question of the same table came first.
    Rows(Option<Box<rows::Reply>>),
    /// Files, claims, faults, blocks.
    Report(Box<report::Report>),
    /// What the document is compared by first, the most telling first; none before everything is read.
    Headline(Vec<Quantity>),
    /// Operators of the project: at most [`OPERATORS`], and none behind the last.
    Operators(Vec<OperatorHead>),
    /// Notes of a file.
    Notes(Notes),
    /// A text a person can read; cut when it is long.
    Text {
        text: String,
        /// Bytes that were left out.
        left_out: u64,
    },
    /// A finished file; its bytes travel beside the message.
    File {
        /// Suggested name.
        name: String,
        /// Media type.
        mime: String,
        /// What is to be said beside it, in lines; mostly nothing.
        said: String,
        /// Whether it holds all; otherwise what was said tells why not.
        is_whole: bool,
    },
    /// Parameters were set. The document is told of anew when what depends on them is computed.
    ParametersSet {
        /// Whether the files have to be read again: to be done by opening them anew with these values.
        rereads: bool,
        /// What was not taken, in sentences.
        problems: Vec<String>,
    },
    /// The file is not written, because the user said so.
    Cancelled,
    /// Something for the worker of another document; its bytes travel beside the message.
    Packed,
    /// The question could not be answered, in one sentence.
    Failed(String),
}

/// A dense picture to be drawn in the worker: whose it is, and what it is to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame(pub Packed);

/// What the page must know of a frame: bounded by the screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note(pub Packed);

// Pictures of views that are saved: what the page shows of a view.

/// What the page shows of a view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewPicture {
    /// Id of the view.
    pub view: String,
    /// Pictures that stand beside each other, from the left, with their sizes. Where there are none, all of the view is
    /// drawn.
    pub panes: Vec<(Frame, Size)>,
    /// What is chosen of figures: names of choices, and their options.
    pub chosen: Vec<(String, String)>,
    /// Whether figures are shown as they were joined with a baseline.
    pub is_compared: bool,
}

// How a block schedule is shown, which decides the rows of its blocks too.

/// How units are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Align {
    /// By a clock that all units share, where there is one, else each unit from its first block.
    #[default]
    Auto,
    /// Each unit from its first block.
    First,
    /// Clocks as they are.
    Raw,
    /// By a timer that all units share.
    Timer,
}

/// What decides the colors of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColorBy {
    /// How long they ran.
    #[default]
    Elapsed,
    Wave,
    /// Their number.
    Block,
}

/// How a schedule is shown: the values of its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// How units are aligned.
    pub align: Align,
    /// The clock rate in MHz that the user set.
    pub mhz: Option<f64>,
    pub color: ColorBy,
}

// Messages of views: each packs its own, and what carries them knows only whose they are.

/// A message of a view, packed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Packed {
    /// Whose it is: the name that its type has.
    pub of: Cow<'static, str>,
    bytes: ByteBuf,
}

impl Packed {
    fn new<T: Serialize>(of: &'static str, message: &T) -> Self {
        Self { of: of.into(), bytes: pack(message).into() }
    }

    fn read<T: DeserializeOwned>(&self, of: &str) -> Option<T> {
        if self.of == of { unpack(&self.bytes).ok() } else { None }
    }
}

/// What a view asks.
pub trait Question: Serialize + DeserializeOwned {
    /// Stable name, different for each type that is one.
    const OF: &'static str;
    /// What is answered.
    type Reply: Serialize + DeserializeOwned;

    /// The question of a message; `None` for one of another type.
    fn of(packed: &Packed) -> Option<Self> {
        packed.read(Self::OF)
    }

    /// As it crosses.
    fn packed(&self) -> Packed {
        Packed::new(Self::OF, self)
    }

    /// The message that answers it.
    fn reply(reply: &Self::Reply) -> Answer {
        Answer::View(Packed::new(Self::OF, reply))
    }
}

/// What a view wants to be drawn.
pub trait Picture: Serialize + DeserializeOwned {
    /// Stable name, different for each type that is one.
    const OF: &'static str;
    /// What the page must know of what was drawn: bounded by the screen.
    type Note: Serialize + DeserializeOwned;

    /// The picture of a message; `None` for one of another type.
    fn of(frame: &Frame) -> Option<Self> {
        frame.0.read(Self::OF)
    }

    /// The message that goes with what was drawn.
    fn note(note: &Self::Note) -> Note {
        Note(Packed::new(Self::OF, note))
    }
}

/// What can be asked: a question of the page or of a view.
pub trait Ask {
    /// What comes back; of a question of a view `None` where it could not be answered.
    type Answer;
    /// As it crosses.
    fn query(&self) -> Query;
    /// What came back.
    fn answered(answer: Answer) -> Self::Answer;
}

impl Ask for Query {
    type Answer = Answer;

    fn query(&self) -> Query {
        self.clone()
    }

    fn answered(answer: Answer) -> Answer {
        answer
    }
}

impl<Q: Question> Ask for Q {
    type Answer = Option<Q::Reply>;

    fn query(&self) -> Query {
        Query::View(self.packed())
    }

    fn answered(answer: Answer) -> Option<Q::Reply> {
        let Answer::View(reply) = answer else { return None };
        reply.read(Q::OF)
    }
}

/// What can be drawn: a picture of a view, packed or not.
pub trait Draw {
    /// What comes back.
    type Note;
    /// As it crosses.
    fn frame(&self) -> Frame;
    /// What came back.
    fn noted(note: Note) -> Self::Note;
}

impl Draw for Frame {
    type Note = Note;

    fn frame(&self) -> Frame {
        self.clone()
    }

    fn noted(note: Note) -> Note {
        note
    }
}

impl<P: Picture> Draw for P {
    type Note = Option<P::Note>;

    fn frame(&self) -> Frame {
        Frame(Packed::new(P::OF, self))
    }

    fn noted(note: Note) -> Option<P::Note> {
        note.0.read(P::OF)
    }
}
