//! What the tables hold: each column with its unit and meaning.
//!
//! Names and units follow those of Perfetto's tables where it has them: `ts` and `dur` in nanoseconds, `track_id`, `depth`,
//! `parent_id`.

use serde_json::{Value, json};

/// Version of the data set: the first number counts a change of meaning, the second what is added, the third a mend.
pub const VERSION: &str = "2.1.0";

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
    /// True or false.
    Bool,
}

impl Kind {
    /// What Arrow calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int64",
            Self::Address => "uint64",
            Self::Real => "float64",
            Self::Text => "utf8",
            Self::Bool => "bool",
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

impl TableSchema {
    /// Whether its rows are computed from what lies on lanes: they are written first, so that the others have the memory.
    pub fn needs_lanes(&self) -> bool {
        matches!(self.name, "metrics" | "findings")
    }
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

const fn flag(name: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Bool, unit: "", meaning, how: How::Repeats }
}

const fn address(name: &'static str, meaning: &'static str) -> Field {
    Field { name, kind: Kind::Address, unit: "", meaning, how: How::Near }
}

/// The columns that stand first in each table. `system` and `run` stand in the path.
pub static KEYS: &[Field] = &[
    text("trace_id", "hash of the trace's content: the first 128 bits of BLAKE3, in hexadecimal"),
    text("host", "machine that recorded the trace, if the file name says so"),
    int("rank", "", "rank of the process, if the file says so"),
    int("world_size", "", "number of ranks, if the file says so"),
    text("device", "device that the row belongs to, if any"),
];

/// What stands in the path of a file.
pub const PARTITIONS: [(&str, &str); 2] = [
    ("system", "id of the system whose reader opened the trace"),
    ("run", "run: the name given with --run, otherwise the folder that holds the trace"),
];

/// All tables, in the order in which they are written: `traces` last, as it says that the others are there.
pub static TABLES: &[TableSchema] = &[
    TableSchema {
        name: "tracks",
        row: "one track of the timeline, or a group of tracks",
        fields: &[
            near("track_id", "", "number in the trace"),
            near("parent_id", "", "track_id of its group"),
            text("kind", "group, slices or counter"),
            text("role", "what its slices are: scopes, states, processor or interrupts"),
            text("name", "its name"),
            text("path", "names of the groups and the track, from the top down, joined by /"),
            text("unit", "unit of the counter's values; for slices the unit of ts and dur"),
            int("clock_id", "", "clock of its times"),
        ],
    },
    TableSchema {
        name: "slices",
        row: "one slice",
        fields: &[
            near("slice_id", "", "number in the trace"),
            near("track_id", "", "its track"),
            near("parent_id", "", "slice_id of the innermost enclosing slice on the same track"),
            near("ts", "ns", "start time on the track's clock; in ticks if the clock's rate is unknown"),
            near("dur", "ns", "duration; in ticks if the clock's rate is unknown"),
            near("self", "ns", "duration minus that of its direct children"),
            int("depth", "", "nesting depth as drawn, from 0"),
            text("name", "its name"),
            text("name_norm", "name without trailing number, parameters, template arguments and return type"),
            text("category", "its category"),
            near(
                "correlation_id",
                "",
                "id that connects a call on the host with the work it started on a device",
            ),
            text("step", "name of the step in which it starts, on its rank"),
            long("args", "its arguments as JSON"),
            flag(
                "unfinished",
                "whether its end is not in the recording; its dur is then no measured duration and belongs in no sum",
            ),
        ],
    },
    TableSchema {
        name: "instants",
        row: "one event without duration",
        fields: &[
            near("slice_id", "", "number in the trace; never equal to that of a slice"),
            near("track_id", "", "its track"),
            near("ts", "ns", "time on the track's clock; in ticks if the clock's rate is unknown"),
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
            text("name_norm", "name without parameters, template arguments and return type"),
            text(
                "class",
                "compute, communication, copy or wait; part for transfers that another communication slice already counts",
            ),
            near("ts", "ns", "start time; in ticks if the clock's rate is unknown"),
            near("dur", "ns", "duration; in ticks if the clock's rate is unknown"),
            near(
                "latency",
                "ns",
                "time from the start of the launch call to the start of the kernel; negative if the clocks are not aligned",
            ),
            text("operator", "innermost operator that encloses the launch call"),
            int("queued", "", "launches waiting in the stream when it was launched, including itself"),
            text("stream", "its stream"),
            text("step", "name of the step in which it starts, on its rank"),
            text("grid", "grid size in blocks, as written in the file"),
            text("block", "block size in threads, as written in the file"),
            int("registers", "", "registers per thread"),
            int("shared", "B", "shared memory per block"),
            real("occupancy", "%", "occupancy estimated by the profiler"),
            text("pg_name", "process group of a collective"),
            int("seq", "", "sequence number of the collective in its process group"),
            int("bytes", "B", "size of a copy"),
            text("collective", "kind of collective, from its name or arguments: all-reduce, all-gather, …"),
        ],
    },
    TableSchema {
        name: "counters",
        row: "one sample of a counter",
        fields: &[
            near("track_id", "", "track of the counter"),
            text("series", "series of the sample, if the track has several"),
            near("ts", "ns", "time on the track's clock; in ticks if the clock's rate is unknown"),
            real("value", "", "value from this time on, in unit"),
            text("unit", "unit of the value"),
        ],
    },
    TableSchema {
        name: "flows",
        row: "one arrow between two slices",
        fields: &[
            near("from_id", "", "slice_id of its source"),
            near("to_id", "", "slice_id of its target"),
            text("name", "its name"),
            text("category", "its category"),
            long("flow_id", "id that connects both ends in the file"),
            near("latency", "ns", "time from source to target"),
        ],
    },
    TableSchema {
        name: "instructions",
        row: "one instruction of a listing",
        fields: &[
            int("listing_id", "", "number of the listing in the trace"),
            text("listing", "name of the listing, such as a kernel or a file"),
            text("kernel", "kernel that contains the instruction, if the file says so"),
            near("row", "", "position in the listing, from 0"),
            address("address", "its address, if the file gives it"),
            text("text", "the instruction, or another line of the listing such as a label"),
            text("file", "source file it was compiled from"),
            int("line", "", "first source line it was compiled from"),
            real("executions", "", "number of executions, summed over all cores or threads"),
            real("cycles", "cycles", "cycles spent on it, summed over all cores"),
            long("stalls", "stall samples by kind of sampling and reason, as JSON"),
            real("sectors", "", "memory sectors requested by its accesses"),
            long(
                "metrics",
                "all other metrics by their names in the listing, as JSON; a list of values if they differ by core",
            ),
        ],
    },
    TableSchema {
        name: "accesses",
        row: "one memory access, by lane if the file records lanes",
        fields: &[
            near("record", "", "index of its record in the file, or its time in record_unit"),
            text("record_unit", "unit of record, if that is a time"),
            int("launch", "", "launch of the kernel, from 0"),
            text("unit", "unit that made the access, such as a core, a thread or a warp"),
            int("thread", "", "thread id in the file"),
            int("instance", "", "index among successive threads with the same id, from 0"),
            int("ordinal", "", "index of the execution within its thread, from 0"),
            near("time", "", "start of the execution, in ticks of the recording"),
            int("lane", "", "lane, from 0"),
            text("operation", "read, write, atomic, or another word of the file"),
            text("space", "memory space"),
            address("address", "first byte"),
            int("bytes", "B", "size of the access"),
            address("pc", "address of the instruction"),
            text("allocation", "allocation that contains the address"),
            near("offset", "B", "offset in the allocation"),
            text("function", "function or kernel that made the access"),
            text("file", "its source file"),
            int("line", "", "its source line"),
            text("call_stack", "call stack, innermost function first, joined by <"),
            text("attributes", "everything else the file says about it, as JSON"),
        ],
    },
    TableSchema {
        name: "lifetimes",
        row: "one lifetime of data in a memory",
        fields: &[
            int("log", "", "index of the simulator log, from 0, if several were opened together"),
            int("kernel_id", "", "kernel id in the log"),
            int("level", "", "cache level, from 1"),
            int("unit", "", "instance of the cache, such as an SM"),
            address("address", "first byte"),
            near("start", "cycles", "cycle of the write or fill that started it"),
            near("lifetime", "cycles", "cycles from start to last use"),
            int("reuses", "", "number of reads after the first"),
            real("lifetime_ns", "ns", "lifetime at the clock rate of the log, if known"),
        ],
    },
    TableSchema {
        name: "launches",
        row: "one launch of a probed or instrumented kernel",
        fields: &[
            near("launch", "", "its number in the trace, from 0"),
            text("kernel", "kernel name in the file"),
            text("name", "name of the launch in the file"),
            near("ts", "ns", "time when it was prepared, since 1970-01-01"),
            int("grid_x", "", "grid size in x"),
            int("grid_y", "", "grid size in y"),
            int("grid_z", "", "grid size in z"),
            int("block_x", "", "block size in x"),
            int("block_y", "", "block size in y"),
            int("block_z", "", "block size in z"),
            int("shared", "B", "dynamic shared memory per block"),
            text("status", "outcome, such as ok or failed"),
            int("code", "", "error code if it failed"),
            real("prologue_ms", "ms", "time before the kernel"),
            real("kernel_ms", "ms", "kernel time with probes"),
            real("epilogue_ms", "ms", "time after the kernel"),
            real("plain_ms", "ms", "kernel time without probes"),
            real("ratio", "", "(prologue_ms + kernel_ms + epilogue_ms) / kernel_ms"),
            real("impact", "", "kernel_ms / plain_ms"),
            int("probe_bytes", "B", "memory needed for records"),
            int("has_records", "", "1 if the trace contains records of the launch, 0 if it only names it"),
            int("threads", "", "number of threads, warps or waves with records"),
            near("executions", "", "number of recorded basic block executions"),
            long("facts", "everything else the file says about it, as JSON"),
        ],
    },
    TableSchema {
        name: "blocks",
        row: "one block of a launch",
        fields: &[
            int("launch", "", "index of the launch, from 0"),
            near("block", "", "linear index of the block in the grid"),
            int("x", "", "index in the grid in x"),
            int("y", "", "index in the grid in y"),
            int("z", "", "index in the grid in z"),
            int("unit", "", "unit that ran it, such as an SM, if the file says so"),
            int("lane", "", "slot on the unit, from 0; a block takes the free slot that was released last"),
            int(
                "wave",
                "",
                "wave of the launch, from 1; a wave has as many blocks as there are slots on all units",
            ),
            near(
                "start",
                "",
                "start on the clock of its unit, in time_unit; clocks of different units may not be aligned",
            ),
            near("dur", "", "duration, in time_unit"),
            near("gap", "", "idle time of its slot before it, in time_unit"),
            text("time_unit", "unit of the times: cycles or ns"),
        ],
    },
    TableSchema {
        name: "metrics",
        row: "one value of a figure",
        fields: &[
            text("view", "panel or view that contains the figure"),
            text("figure", "id of the figure"),
            text("choice", "options selected in the figure, separated by commas"),
            text("name", "name of the number"),
            text("subject", "what the number describes: a row, a bar or a cell"),
            text("unit", "its unit"),
            real("value", "", "value in unit; percent where that is %, 0 to 100"),
        ],
    },
    TableSchema {
        name: "findings",
        row: "one finding",
        fields: &[
            text("code", "rule that found it"),
            int("rule_version", "", "version of the rule"),
            text("subject", "subject of the finding"),
            text("severity", "note or warning"),
            real("value", "", "measured value, in unit; percent where that is %, 0 to 100"),
            text("unit", "unit of value"),
            text("saving_kind", "bound, estimate or none"),
            real("saving", "", "possible saving, in saving_unit"),
            text("saving_unit", "unit of saving"),
            real("saving_share", "", "possible saving as a share of the whole, 0 to 1"),
            long("sentence", "the finding in one sentence"),
            long("line", "cause or recommended change"),
            long("address", "address of the view, window and selection that show it"),
        ],
    },
    TableSchema {
        name: "faults",
        row: "one problem in a file",
        fields: &[
            text("code", "kind of problem"),
            text("severity", "note, warning, loss or fatal"),
            text("entry", "file, with its place in an archive"),
            int("byte", "B", "byte offset in the file"),
            int("line", "", "line number in a text file, from 1"),
            long("place", "structure within the file"),
            long("expected", "what the format requires"),
            long("found", "what the file contains"),
            long("sentence", "the problem and its consequence"),
            int("repeats", "", "number of further problems of this kind"),
        ],
    },
    TableSchema {
        name: "clocks",
        row: "one clock of a trace",
        fields: &[
            int("clock_id", "", "its number in the trace"),
            text("name", "its name; empty for the first"),
            text("unit", "ns, cycles or steps: unit of ts and dur if rate_hz is unknown"),
            real("rate_hz", "1/s", "frequency, if the file says so"),
            text(
                "relation",
                "relation to clock 0: same, related or none; times of unrelated clocks must not share an axis",
            ),
            int("offset", "", "tick of clock 0 that corresponds to offset_at"),
            int("offset_at", "", "tick of this clock that corresponds to offset"),
            real("rate", "", "ticks of clock 0 per tick of this clock"),
        ],
    },
    TableSchema {
        name: "traces",
        row: "one opened trace",
        fields: &[
            text("name", "name of the file or folder"),
            int("bytes", "B", "total size of its files"),
            text("format", "formats of its files, separated by commas"),
            text("writer", "tools that write this format"),
            text("version", "format version given in the file"),
            text("title", "title, such as a kernel name"),
            int("first", "ns", "earliest time; in ticks if the clock's rate is unknown"),
            int("last", "ns", "latest time; in ticks if the clock's rate is unknown"),
            int("slices", "", "number of slices"),
            int("instants", "", "number of instants"),
            int("counter_samples", "", "number of counter samples"),
            int("flows", "", "number of flows"),
            int("accesses", "", "number of memory accesses"),
            int("losses", "", "number of problems that lost data"),
            long("options", "recording options found in the files, as JSON"),
            text("lanescope_version", "version of lanescope that wrote the row"),
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
