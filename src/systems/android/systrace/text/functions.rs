//! Calls of functions of the kernel, as its function graph tracer reports them.
//!
//! ```text
//! funcgraph_entry: func=0xffffffffba5d6b90 depth=0
//! funcgraph_exit:  func=0xffffffffba5d6b90 calltime=0xa9a8c8a4f43 rettime=0xa9a8c8a55e7 overrun=0x0 depth=0
//! funcgraph_entry:                   |  sys_open() {
//! funcgraph_entry:        0.456 us   |    getname();
//! funcgraph_exit:         3.210 us   |  }
//! ```
//! Rows have microseconds, `calltime` and `rettime` nanoseconds. These are of the tracer's own clock: they count where that
//! is the one of the rows.

use super::rows::{hexadecimal, value};
use crate::base::time::{Span, Ticks, scaled_from_decimal};
use memchr::{memchr, memmem};

/// Nanoseconds between the time of a row and the return that it tells of, at most: one clock read twice.
const SAME_CLOCK: Ticks = 1_000_000;

/// What a row says of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call<'a> {
    Begins(&'a [u8]),
    /// It begins and ends, and nothing in it is traced.
    Whole(&'a [u8], Ticks),
    /// Its name, empty for the innermost one, and its exact times where these are known.
    Ends(&'a [u8], Option<Span>),
}

/// Reads what follows an event of this name; `None` for other events, and where no function is named.
pub(super) fn call<'a>(event: &[u8], rest: &'a [u8], time: Ticks) -> Option<Call<'a>> {
    let is_entry = match event {
        b"funcgraph_entry" => true,
        b"funcgraph_exit" => false,
        _ => return None,
    };
    if let Some(name) = value(rest, b"func=").map(word).filter(|name| !name.is_empty()) {
        return Some(if is_entry { Call::Begins(name) } else { Call::Ends(name, exact(rest, time)) });
    }
    let (before, drawn) = rest.split_at_checked(memchr(b'|', rest)?)?;
    let drawn = drawn.get(1..)?.trim_ascii();
    if !is_entry {
        return drawn.starts_with(b"}").then_some(Call::Ends(b"", None));
    }
    let name = drawn.get(..memmem::find(drawn, b"()")?).filter(|name| !name.is_empty())?;
    if drawn.ends_with(b"{") {
        return Some(Call::Begins(name));
    }
    // Marks of long ones stand before the number: `+`, `!`, `#`, `*`, `@`, `$`.
    let from = before.iter().position(u8::is_ascii_digit)?;
    let dur = scaled_from_decimal(word(before.get(from..)?), 3)?;
    Some(Call::Whole(name, dur))
}

/// The bytes up to a blank.
fn word(bytes: &[u8]) -> &[u8] {
    bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// A time in nanoseconds, hexadecimal or decimal.
fn nanos(text: &[u8]) -> Option<Ticks> {
    let number = match text.strip_prefix(b"0x") {
        Some(digits) => hexadecimal(digits)?,
        None => std::str::from_utf8(word(text)).ok()?.parse().ok()?,
    };
    Ticks::try_from(number).ok()
}

/// When a call began and ended by the clock of the tracer, where that is the one of the row.
fn exact(rest: &[u8], time: Ticks) -> Option<Span> {
    let (start, end) = (nanos(value(rest, b"calltime=")?)?, nanos(value(rest, b"rettime=")?)?);
    let is_same = time.abs_diff(end) <= SAME_CLOCK.unsigned_abs() && start <= end;
    is_same.then_some(Span { start, end })
}
