//! Numbers that calls of the host and what they launched share, among the args of both:
//!
//! ```text
//! {"ph":"X", "cat":"cuda_runtime", "name":"cudaLaunchKernel", …, "args":{"cbid":211, "correlation":4711}}
//! {"ph":"X", "cat":"kernel", "name":"gemm", …, "args":{"device":0, "stream":7, "correlation":4711}}
//! ```
//! 0 says that there is none. Args are looked through only in the categories that have such numbers, for one word, from
//! their begin to it. (`External id` ties a kernel to its operator, not to one of the calls in it: it is not used.)

use crate::base::map::Map;
use crate::format::sink::Sink;
use crate::input::json::scan::{self, Members, unquoted};
use crate::model::id::StrId;
use crate::model::strings::Strings;
use crate::systems::trace_event::names;
use memchr::memmem::Finder;

/// What categories have in them whose slices have such numbers.
const CATEGORIES: [&str; 5] = ["kernel", "memcpy", "memset", "runtime", "driver"];

/// What the number is called.
const NAMES: [&[u8]; 5] =
    [b"correlation", b"correlation_id", b"correlationId", b"Correlation ID", b"Correlation_ID"];

/// What all of these have in them, behind their first letter.
const STEM: &[u8] = b"orrelation";

/// Numbers from here on stand for texts, and for numbers that do not fit.
const TEXTS: u32 = 1 << 31;

/// What is known of categories.
pub(in crate::systems::trace_event) struct Links {
    stem: Finder<'static>,
    /// The category that was asked for last, and whether its slices have numbers.
    last: (StrId, bool),
    known: Map<StrId, bool>,
}

impl Default for Links {
    fn default() -> Self {
        Self { stem: Finder::new(STEM), last: (Strings::EMPTY, false), known: Map::default() }
    }
}

impl Links {
    /// The number of a slice of a category, 0 for none.
    #[inline]
    pub(in crate::systems::trace_event) fn of(
        &mut self,
        category: StrId,
        args: &[u8],
        sink: &mut Sink,
    ) -> u32 {
        if self.last.0 != category {
            self.last = (category, self.has_numbers(category, sink));
        }
        if self.last.1 { self.find(args, sink) } else { 0 }
    }

    fn has_numbers(&mut self, category: StrId, sink: &Sink) -> bool {
        *self.known.entry(category).or_insert_with(|| {
            let text = sink.builder.trace().strings.get(category).to_ascii_lowercase();
            CATEGORIES.iter().any(|part| text.contains(part))
        })
    }

    fn find(&self, args: &[u8], sink: &mut Sink) -> u32 {
        let Some(at) = self.stem.find(args) else { return 0 };
        let value = quick(args, at).or_else(|| {
            let mut members = Members::new(args);
            members.find(|(key, _)| NAMES.contains(&unquoted(key))).map(|(_, value)| value)
        });
        value.map_or(0, |value| number(value, sink))
    }
}

/// The value of the member whose name has the stem at a place, if nothing is nested before it.
fn quick(args: &[u8], at: usize) -> Option<&[u8]> {
    let from = at.checked_sub(2)?;
    if memchr::memchr2(b'{', b'[', args.get(1..from)?).is_some() {
        return None;
    }
    let end = scan::string_end(args, from).ok()?;
    let colon = scan::blanks(args, end);
    let is_name = args.get(from) == Some(&b'"') && NAMES.contains(&unquoted(args.get(from..end)?));
    if !is_name || args.get(colon) != Some(&b':') {
        return None;
    }
    let start = scan::blanks(args, colon + 1);
    args.get(start..scan::value_end(args, start).ok()?)
}

/// Numbers as digits or as a text, and other texts; 0 for everything else.
fn number(value: &[u8], sink: &mut Sink) -> u32 {
    let text = unquoted(value);
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_number && (text.is_empty() || value.first() != Some(&b'"')) {
        return 0;
    }
    let digits =
        std::str::from_utf8(text).ok().filter(|_| is_number).map(|text| text.trim_start_matches('0'));
    match digits {
        Some("") => 0,
        Some(digits) => match digits.parse::<u32>().ok().filter(|number| *number < TEXTS) {
            Some(number) => number,
            None => TEXTS | sink.builder.intern(digits).0,
        },
        None => TEXTS | sink.builder.intern(&names::read(text).0).0,
    }
}
