//! gpu-multitrace: what was recorded, as a container with buffers as a planned run would have written them.
//!
//! ```text
//! Recorded ──▶ survey (what blocks write) ──▶ manifest.json ──▶ buffers, record by record ──▶ archive, nothing packed
//! ```
//! Threads are mixed by a seed; buffers that are smaller than what threads write lose records, as they do on a device.

mod archive;
mod manifest;
mod records;
mod segments;
mod survey;
mod weave;

use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, Parts, written};
use crate::model::parameter::{Parameter, ParameterKind, Values};
use crate::views::executions::compute::Recorded;
use archive::Archive;
use segments::Buffers;
use std::io::{Error, Result};
use std::rc::Rc;
use survey::Survey;

/// The container.
pub(super) static GPU_MULTITRACE: Export = Export {
    id: "gpu-multitrace",
    title: phrase("GPU multi-trace container"),
    suffix: "gmt.zip",
    mime: "application/zip",
    takes_argument: false,
    parameters: &[&ARRANGEMENT, &SLACK, &CAP, &PAGE, &SEED],
    can: |input| {
        input.trace.extensions.get::<Recorded>().is_some_and(|recorded| !recorded.launches.is_empty())
    },
    write: |input, _| write(input),
};

static ARRANGEMENT: Parameter = Parameter {
    id: "gmt-arrangement",
    title: phrase("Buffers"),
    help: phrase("one buffer for each type, for each type and thread, or one for all"),
    kind: ParameterKind::Choice(&[
        ("shared", phrase("One per type")),
        ("thread", phrase("Per thread")),
        ("tagged", phrase("Tagged")),
    ]),
    rereads: false,
};

static SLACK: Parameter = Parameter {
    id: "gmt-slack",
    title: phrase("Slack"),
    help: phrase("room beyond the plan: bytes, or a share such as 5%; negative makes buffers overflow"),
    kind: ParameterKind::Text,
    rereads: false,
};

static CAP: Parameter = Parameter {
    id: "gmt-cap",
    title: phrase("Cap"),
    help: phrase("most bytes of a buffer"),
    kind: ParameterKind::Number {
        unit: Unit::Bytes,
        min: 0.0,
        max: 1e15,
        default: 0.0,
        none: phrase("none"),
    },
    rereads: false,
};

static PAGE: Parameter = Parameter {
    id: "gmt-page",
    title: phrase("Page"),
    help: phrase("buffers are rounded up to whole pages of so many bytes"),
    kind: ParameterKind::Number { unit: Unit::Bytes, min: 0.0, max: 1e9, default: 0.0, none: phrase("none") },
    rereads: false,
};

static SEED: Parameter = Parameter {
    id: "gmt-seed",
    title: phrase("Seed"),
    help: phrase("mixes the threads; the same seed mixes them in the same way"),
    kind: ParameterKind::Number { unit: Unit::None, min: 0.0, max: 4e9, default: 1.0, none: "" },
    rereads: false,
};

/// How buffers are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrangement {
    Shared,
    Thread,
    Tagged,
}

/// What the user set.
#[derive(Clone, Copy)]
struct Options {
    arrangement: Arrangement,
    /// Room beyond the plan: bytes, and a share of it.
    slack: (i64, f64),
    cap: u64,
    page: u64,
    seed: u64,
}

impl Options {
    fn of(values: &Values) -> Result<Self> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the parameters have bounds
        let number = |parameter: &Parameter, default: u64| {
            values.number(parameter.id).map_or(default, |n| n.max(0.0) as u64)
        };
        let slack = values.text(SLACK.id).unwrap_or("").trim();
        let slack = match slack.strip_suffix('%') {
            _ if slack.is_empty() => Some((0, 0.0)),
            Some(share) => share.trim().parse().ok().map(|share: f64| (0, share / 100.0)),
            None => slack.parse().ok().map(|bytes| (bytes, 0.0)),
        };
        Ok(Self {
            arrangement: match values.text(ARRANGEMENT.id) {
                Some("thread") => Arrangement::Thread,
                Some("tagged") => Arrangement::Tagged,
                _ => Arrangement::Shared,
            },
            slack: slack.ok_or_else(|| Error::other("gmt-slack: expected bytes or a share such as 5%"))?,
            cap: number(&CAP, 0),
            page: number(&PAGE, 0),
            seed: number(&SEED, 1),
        })
    }

    /// Bytes of a buffer for which so many are planned.
    fn capacity(&self, planned: u64) -> u64 {
        #[allow(clippy::cast_possible_truncation)] // a float saturates
        let share = (planned as f64 * self.slack.1) as i64;
        let wanted = planned.saturating_add_signed(self.slack.0.saturating_add(share));
        let whole =
            if self.page == 0 { wanted } else { wanted.div_ceil(self.page).saturating_mul(self.page) };
        if self.cap == 0 { whole } else { whole.min(self.cap) }
    }
}

fn write(input: &ExportInput) -> Result<Parts> {
    let (options, trace) = (Options::of(input.values)?, Rc::clone(input.trace));
    Ok(written(async move |out, turn| {
        let recorded = trace.extensions.get::<Recorded>();
        let recorded = recorded.ok_or_else(|| Error::other("nothing was recorded"))?;
        let survey = Survey::of(recorded, &turn).await?;
        let (buffers, mut archive) = (Buffers::new(recorded, survey, options), Archive::new(out));
        buffers.write((recorded, trace.extensions.get()), &mut archive, &turn).await?;
        archive.end()
    }))
}
