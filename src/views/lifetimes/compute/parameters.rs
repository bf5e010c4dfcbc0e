//! What the user may set of lifetimes.

use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::parameter::{Parameter, ParameterKind};

/// Those that reading depends on.
pub static READING: &[&Parameter] = &[&LIFETIME, &REFILL, &FILL];

/// Those that only figures depend on.
pub static FIGURES: &[&Parameter] = &[&ORPHANS, &CLOCK, &L2_BYTES, &SCOPE, &DEVICES, &NAME];

/// All of them, for exports.
pub static ALL: &[&Parameter] =
    &[&LIFETIME, &REFILL, &FILL, &ORPHANS, &CLOCK, &L2_BYTES, &SCOPE, &DEVICES, &NAME];

/// When a lifetime ends.
pub static LIFETIME: Parameter = Parameter {
    id: "lifetime",
    title: phrase("Lifetimes end"),
    help: phrase("on the last use of the data, or on replacement or at kernel end"),
    kind: ParameterKind::Choice(&[
        ("last-use", phrase("On last use")),
        ("resident", phrase("On replacement")),
    ]),
    rereads: true,
};

/// What a miss does to a lifetime.
pub static REFILL: Parameter = Parameter {
    id: "refill",
    title: phrase("After a miss"),
    help: phrase("a miss on data that were present starts a new lifetime, or counts as a reuse"),
    kind: ParameterKind::Choice(&[("reopen", phrase("New lifetime")), ("keep", phrase("Same lifetime"))]),
    rereads: true,
};

/// How long data are on their way.
pub static FILL: Parameter = Parameter {
    id: "fill-cycles",
    title: phrase("Fill time"),
    help: phrase("a miss within this many cycles after the first waits for the same data"),
    kind: ParameterKind::Number { unit: Unit::Cycles, min: 0.0, max: 1e9, default: 400.0, none: "" },
    rereads: true,
};

/// Whether lifetimes without reuse count.
pub static ORPHANS: Parameter = Parameter {
    id: "orphans",
    title: phrase("Lifetimes without reuse"),
    help: phrase("whether to count them; default: only if lifetimes end with replacement"),
    kind: ParameterKind::Choice(&[
        ("auto", phrase("Automatic")),
        ("include", phrase("Count")),
        ("exclude", phrase("Leave out")),
    ]),
    rereads: false,
};

/// The clock.
pub static CLOCK: Parameter = Parameter {
    id: "clock-mhz",
    title: phrase("Clock"),
    help: phrase("cycles per microsecond; default: from the file"),
    kind: ParameterKind::Number {
        unit: Unit::Megahertz,
        min: 0.0,
        max: 1e6,
        default: 0.0,
        none: phrase("from the file"),
    },
    rereads: false,
};

/// Bytes of the last level.
pub static L2_BYTES: Parameter = Parameter {
    id: "l2-bytes",
    title: phrase("L2 size"),
    help: phrase("size of the whole L2 in bytes; default: from the file"),
    kind: ParameterKind::Number {
        unit: Unit::Bytes,
        min: 0.0,
        max: 1e15,
        default: 0.0,
        none: phrase("from the file"),
    },
    rereads: false,
};

/// The units.
pub static SCOPE: Parameter = Parameter {
    id: "scope",
    title: phrase("Scope"),
    help: phrase("units for which L1 is reported: total, busiest, mean, or one such as sm:0"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// A file with devices.
pub static DEVICES: Parameter = Parameter {
    id: "devices",
    title: phrase("Memory devices"),
    help: phrase("file with retention, area and energy of memory cells"),
    kind: ParameterKind::File { patterns: &["*.json"], preview: None },
    rereads: false,
};

/// What the run is called.
pub static NAME: Parameter = Parameter {
    id: "name",
    title: phrase("Name of the run"),
    help: phrase("name of the run in the report; default: the file name"),
    kind: ParameterKind::Text,
    rereads: false,
};
