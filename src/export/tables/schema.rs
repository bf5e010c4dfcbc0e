//! What the tables hold: each column with its unit and meaning.
//!
//! Names and units follow those of Perfetto's tables where it has them: `ts` and `dur` in nanoseconds, `track_id`, `depth`,
//! `parent_id`.

use serde_json::{Value, json};

/// Version of the data set: the first number counts a change of meaning, the second what is added, the third a mend.
pub const VERSION: &str = "1.0.0";

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number of 64 bits with a sign.
    Int,
    /// A whole number of 64 bits without one: an address.
    Address,
    /// A floating point number of 64 bits.
    Real,
    Text,
}

impl Kind {
    /// What Arrow calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int64",
            Self::Address => "uint64",
            Self::Real => "float64",
            Self::Text => "utf8",
        }
    }
}

/// A column.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    /// Empty for none.
    pub unit: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// How it is written.
    pub how: How,
}

/// How the values of a column follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Few different ones.
    Repeats,
    /// They grow, or lie close to the one before.
    Near,
    /// Nothing is known.
    Any,
}

/// A table.
#[derive(Debug)]
pub struct TableSchema {
    pub name: &'static str,
    /// What a row is.
    pub row: &'static str,
    /// The columns behind the keys.
    pub fields: &'static [Field],
}

/// A table by its name.
pub fn table(name: &str) -> Option<&'static TableSchema> {
    TABLES.iter().find(|table| table.name == name)
}

const fn int(name: &'static str, unit: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Int, unit, meaning, how: How::Repeats }
}

const fn near(name: &'static str, unit: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Int, unit, meaning, how: How::Near }
}

const fn real(name: &'static str, unit: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Real, unit, meaning, how: How::Any }
}

const fn text(name: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Text, unit: "", meaning, how: How::Repeats }
}

const fn long(name: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Text, unit: "", meaning, how: How::Any }
}

const fn address(name: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Address, unit: "", meaning, how: How::Near }
}

/// The columns that stand first in each table. `system` and `run` stand in the path.
pub static KEYS: &[Field] = &[
    text("trace_id", "hash of the content of the trace: BLAKE3, 128 bits, hexadecimal"),
    text("host", "machine that it was recorded on, where the name of the file says it"),
    int("rank", "", "number of the process in its group, where the file says it"),
    int("world_size", "", "processes of the group, where the file says it"),
    text("device", "device that the row is of, where it is of one"),
];

/// What stands in the path of a file.
pub const PARTITIONS: [(&str, &str); 2] = [
    ("system", "id of what read it"),
    ("run", "run that it belongs to: as it was named, else the folder that holds it"),
];

/// All tables, in the order in which they are written: `traces` last, as it says that the others are there.
pub static TABLES: &[TableSchema] = &[
    TableSchema {
        name: "tracks",
        row: "one row of the timeline, or a group of them",
        fields: &[
            near("track_id", "", "number in the trace"),
            near("parent_id", "", "track_id of the group it stands in"),
            text("kind", "group, slices or counter"),
            text("role", "scopes, states, processor or interrupts: what its slices tell"),
            text("name", "its name"),
            text("path", "the names from the top down, joined by /"),
            text("unit", "unit of its counter; of slices the unit of its times"),
            int("clock_id", "", "clock that its times are of"),
        ],
    },
    TableSchema {
        name: "slices",
        row: "one slice",
        fields: &[
            near("slice_id", "", "number in the trace"),
            near("track_id", "", "track it stands on"),
            near("parent_id", "", "slice_id of the innermost slice of the track around it"),
            near("ts", "ns", "begin, on the clock of its track; ticks where that has no rate"),
            near("dur", "ns", "length; ticks where the clock has no rate"),
            near("self", "ns", "length without that of slices nested in it"),
            int("depth", "", "lane it stands on, from 0"),
            text("name", "its name"),
            text(
                "name_norm",
                "the name without a number at its end, parameters, template arguments and return type",
            ),
            text("category", "its category"),
            near("correlation_id", "", "what ties a call of the host to what it started on a device"),
            text("step", "name of the step of its rank that it begins in"),
            long("args", "its arguments as JSON"),
        ],
    },
    TableSchema {
        name: "instants",
        row: "one event without length",
        fields: &[
            near("slice_id", "", "number in the trace, apart from those of slices"),
            near("track_id", "", "track it stands on"),
            near("ts", "ns", "when, on the clock of its track; ticks where that has no rate"),
            text("name", "its name"),
            text("category", "its category"),
            long("args", "its arguments as JSON"),
        ],
    },
    TableSchema {
        name: "kernels",
        row: "one kernel, copy or wait on a stream of a device",
        fields: &[
            near("slice_id", "", "its slice"),
            near("track_id", "", "track of its stream"),
            near("launch_id", "", "slice_id of the call that launched it"),
            text("name", "its name"),
            text("name_norm", "the name without parameters, template arguments and return type"),
            text("class", "compute, communication, copy or wait"),
            near("ts", "ns", "begin; ticks where the clock has no rate"),
            near("dur", "ns", "length; ticks where the clock has no rate"),
            near(
                "latency",
                "ns",
                "from the begin of the launch to its own; negative where clocks are not aligned",
            ),
            text("operator", "innermost operator around the launch"),
            int(
                "queued",
                "",
                "launches of the stream that had not begun when it was launched, itself among them",
            ),
            text("stream", "its stream"),
            text("step", "name of the step of its rank that it begins in"),
            text("grid", "blocks of the grid as the file writes them"),
            text("block", "threads of a block as the file writes them"),
            int("registers", "", "registers of a thread"),
            int("shared", "B", "shared memory of a block"),
            real("occupancy", "%", "estimated occupancy"),
            text("pg_name", "process group of communication"),
            int("seq", "", "number of the collective in its process group"),
            int("bytes", "B", "bytes of a copy"),
        ],
    },
    TableSchema {
        name: "counters",
        row: "one sample of a counter",
        fields: &[
            near("track_id", "", "track of the counter"),
            text("series", "its series, where a track has several"),
            near("ts", "ns", "when, on the clock of its track; ticks where that has no rate"),
            real("value", "", "the value from then on, in unit"),
            text("unit", "unit of the value"),
        ],
    },
    TableSchema {
        name: "flows",
        row: "one arrow between two slices",
        fields: &[
            near("from_id", "", "slice_id where it begins"),
            near("to_id", "", "slice_id where it points"),
            text("name", "its name"),
            text("category", "its category"),
            long("flow_id", "the id that both ends share"),
            near("latency", "ns", "from its begin to its end"),
        ],
    },
    TableSchema {
        name: "instructions",
        row: "one instruction of a listing",
        fields: &[
            int("listing_id", "", "number of the listing in the trace"),
            text("listing", "what the listing is called, such as a kernel or a file"),
            text("kernel", "the kernel whose instructions they are, where the file says it"),
            near("row", "", "its place in the listing, from 0"),
            address("address", "its address, where the file says it"),
            text("text", "the instruction, or another line between the instructions of a text"),
            text("file", "source file it was made of"),
            int("line", "", "first source line it was made of"),
            real(
                "executions",
                "",
                "how often it was executed, by all cores or threads of one instruction stream",
            ),
            real("cycles", "cycles", "cycles that it took, of all cores together"),
            long("stalls", "samples by the reason why it did not go on, for each kind of sampling, as JSON"),
            real("sectors", "", "sectors of memory that its accesses asked for"),
            long(
                "metrics",
                "the other metrics by the names that the listing gives them, as JSON; a list where cores differ",
            ),
        ],
    },
    TableSchema {
        name: "accesses",
        row: "one access to memory, of one lane where the file says lanes",
        fields: &[
            near("record", "", "number of its record in the file, or its time in record_unit"),
            text("record_unit", "unit of record where it is a time"),
            int("launch", "", "launch of the kernel, from 0"),
            text("unit", "unit that did it, such as a core, a thread or a warp"),
            int("thread", "", "number of the thread in the file"),
            int("instance", "", "which of the threads that had this number one after the other, from 0"),
            int("ordinal", "", "execution in the thread, from 0"),
            near("time", "", "when the execution began, in ticks of the recording"),
            int("lane", "", "lane, from 0"),
            text("operation", "read, write, atomic or what the file says"),
            text("space", "memory space"),
            address("address", "first byte"),
            int("bytes", "B", "how many bytes"),
            address("pc", "address of the instruction"),
            text("allocation", "allocation it lies in"),
            near("offset", "B", "place in the allocation"),
            text("function", "function or kernel that did it"),
            text("file", "its source file"),
            int("line", "", "its source line"),
            text("call_stack", "the functions that were active, innermost first, joined by <"),
            text("attributes", "what else the file says of it, as JSON"),
        ],
    },
    TableSchema {
        name: "lifetimes",
        row: "one lifetime of a datum in a memory",
        fields: &[
            int("log", "", "log of the simulator, from 0, where several were opened together"),
            int("kernel_id", "", "kernel of the log"),
            int("level", "", "level of the memory, from 1"),
            int("unit", "", "unit of the level, such as an SM"),
            address("address", "first byte"),
            near("start", "cycles", "write or fill that began it"),
            near("lifetime", "cycles", "until its last use"),
            int("reuses", "", "how often it was read after the first time"),
            real("lifetime_ns", "ns", "the same at the clock rate of the log, where one is known"),
        ],
    },
    TableSchema {
        name: "launches",
        row: "one launch of a kernel that was probed or instrumented",
        fields: &[
            near("launch", "", "its number in the trace, from 0"),
            text("kernel", "its kernel, as the file names it"),
            text("name", "what the file calls the launch"),
            near("ts", "ns", "when it was prepared, since the begin of 1970"),
            int("grid_x", "", "blocks of the grid in x"),
            int("grid_y", "", "blocks of the grid in y"),
            int("grid_z", "", "blocks of the grid in z"),
            int("block_x", "", "threads of a block in x"),
            int("block_y", "", "threads of a block in y"),
            int("block_z", "", "threads of a block in z"),
            int("shared", "B", "dynamic shared memory of a block"),
            text("status", "what became of it"),
            int("code", "", "code of its failure"),
            real("prologue_ms", "ms", "time before the kernel"),
            real("kernel_ms", "ms", "time of the kernel with probes"),
            real("epilogue_ms", "ms", "time after the kernel"),
            real("plain_ms", "ms", "time of the kernel without probes"),
            real("ratio", "", "time before, in and after the kernel by the time of the kernel"),
            real("impact", "", "time of the kernel with probes by that without"),
            int("probe_bytes", "B", "memory that records need"),
            int("has_records", "", "1 where the trace holds its records, 0 where it only names the launch"),
            int("threads", "", "threads, warps or waves that records are of"),
            near("executions", "", "executions of blocks of instructions that records are of"),
            long("facts", "what else the file says of it, as JSON"),
        ],
    },
    TableSchema {
        name: "blocks",
        row: "one block of a launch on its unit",
        fields: &[
            int("launch", "", "its launch, from 0"),
            near("block", "", "number of the block in the grid"),
            int("x", "", "its place in the grid in x"),
            int("y", "", "its place in the grid in y"),
            int("z", "", "its place in the grid in z"),
            int("unit", "", "number of the unit that ran it, such as an SM, where the file says it"),
            int("lane", "", "place on the unit, from 0: the free one that became free last"),
            int("wave", "", "which wave of the grid, from 1: as many blocks as there are lanes"),
            near("start", "", "begin on the clock of its unit, in time_unit; clocks of units may differ"),
            near("dur", "", "length, in time_unit"),
            near("gap", "", "how long its lane was free before it, in time_unit"),
            text("time_unit", "unit of the times: cycles or ns"),
        ],
    },
    TableSchema {
        name: "metrics",
        row: "one number of a figure",
        fields: &[
            text("view", "panel or view that shows the figure"),
            text("figure", "id of the figure"),
            text("choice", "what was chosen of it, parted by commas"),
            text("name", "what the number is"),
            text("subject", "what it is of: a row, a bar, a cell"),
            text("unit", "its unit"),
            real("value", "", "the number, in unit"),
        ],
    },
    TableSchema {
        name: "findings",
        row: "one finding",
        fields: &[
            text("code", "rule that found it"),
            int("rule_version", "", "version of the rule"),
            text("subject", "what it is about"),
            text("severity", "note or warning"),
            real("value", "", "its number, in unit"),
            text("unit", "unit of the number"),
            text("saving_kind", "bound, estimate or none"),
            real("saving", "", "what could be saved, in saving_unit"),
            text("saving_unit", "unit of the saving"),
            real("saving_share", "", "share of the whole that could be saved, 0 to 1"),
            long("sentence", "the finding in one sentence"),
            long("line", "its cause, or the change that follows"),
            long("address", "view, window and selection that show it"),
        ],
    },
    TableSchema {
        name: "faults",
        row: "one problem in a file",
        fields: &[
            text("code", "its kind"),
            text("severity", "note, warning, loss or fatal"),
            text("entry", "file, with its place in an archive"),
            int("byte", "B", "where in the file"),
            int("line", "", "line of a text, from 1"),
            long("place", "the structure inside"),
            long("expected", "what the format asks for"),
            long("found", "what stands there"),
            long("sentence", "the problem and its consequence"),
            int("repeats", "", "how many more of the same kind"),
        ],
    },
    TableSchema {
        name: "clocks",
        row: "one clock of a trace",
        fields: &[
            int("clock_id", "", "its number in the trace"),
            text("name", "its name; empty for the first"),
            text(
                "unit",
                "ns, cycles or steps: what ts and dur of its tracks are in when rate_hz is not known",
            ),
            real("rate_hz", "1/s", "cycles in a second, where the file says it"),
            text(
                "relation",
                "same, related or none: whether its times and those of clock 0 can be put on one axis",
            ),
            int("offset", "", "tick of clock 0 at its own tick offset_at"),
            int("offset_at", "", "tick of this clock where offset holds"),
            real("rate", "", "ticks of clock 0 in a tick of this one"),
        ],
    },
    TableSchema {
        name: "traces",
        row: "one opened trace",
        fields: &[
            text("name", "file or folder"),
            int("bytes", "B", "size of its files"),
            text("format", "formats that read it, parted by commas"),
            text("writer", "tools that write the format"),
            text("version", "version that the file says"),
            text("title", "what it is called, such as a kernel"),
            int("first", "ns", "first time; ticks where the clock has no rate"),
            int("last", "ns", "last time; ticks where the clock has no rate"),
            int("slices", "", "slices of the file"),
            int("instants", "", "events without length"),
            int("counter_samples", "", "samples of counters"),
            int("flows", "", "arrows"),
            int("accesses", "", "accesses to memory"),
            int("losses", "", "faults by which rows are missing"),
            long("options", "what the files say of how they were recorded, as JSON"),
            text("lanescope_version", "version that wrote the row"),
        ],
    },
];

/// The schema as JSON: `{ version, layout, partitions, keys, tables: [ { name, row, fields } ] }`.
pub fn json() -> Value {
    let field = |field: &Field| json!({"name": field.name, "type": field.kind.name(), "unit": field.unit, "meaning": field.meaning});
    let fields = |of: &[Field]| of.iter().map(field).collect::<Vec<_>>();
    let tables = TABLES
        .iter()
        .map(|table| json!({"name": table.name, "row": table.row, "fields": fields(table.fields)}));
    let partitions = PARTITIONS.iter().map(|(name, meaning)| json!({"name": name, "meaning": meaning}));
    json!({
        "schema": "lanescope-tables",
        "version": VERSION,
        "layout": "<table>/system=<system>/run=<run>/part-<trace>.<format>",
        "partitions": partitions.collect::<Vec<_>>(),
        "keys": fields(KEYS),
        "tables": tables.collect::<Vec<_>>(),
    })
}
