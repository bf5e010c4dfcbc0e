//! Strides of sends.
//!
//! ```text
//! S_<…> offset attr execSize channelOffset amount lines nStrides lanes unaligned ovfLow ovfHigh
//! … … … … stride count                                  nStrides rows: their last two words
//! ```
//! `attr` has 64 bits: 0 write, 1 scatter, 3 SLM, 4 scratch, 5 atomic, 6 A64, 7 SIMD16, 47:32 bytes of an element,
//! 63:48 number of elements.

use super::reading::Part;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::input::bundle::{Entry, EntryId};
use crate::systems::instrumentation::intel::access::{Access, Row, show};

/// Bytes of a cache line.
const LINE: u64 = 64;

/// A send that is being read.
struct Send {
    kernel: String,
    address: u64,
    access: Access,
}

/// The sends so far.
#[derive(Default)]
pub(super) struct Strides {
    sends: Vec<Send>,
    /// Rows of strides that belong to the last of them.
    left: u64,
}

fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The head of a send: kernel, address, what it did, how many rows of strides follow.
pub(super) fn head(line: &str) -> Option<(String, u64, Access, u64)> {
    let mut words = line.split_whitespace();
    let name = words.next()?.strip_prefix("S_")?;
    let numbers = words.map(number).collect::<Option<Vec<u64>>>()?;
    let &[offset, attributes, lanes_of, _, executed, lines, strides, lanes, unaligned, low, high] =
        &numbers[..]
    else {
        return None;
    };
    let bit = |at: u32| attributes >> at & 1 != 0;
    let (size, elements) = (attributes >> 32 & 0xffff, attributes >> 48);
    let words = [
        (bit(1), "Scatter"),
        (bit(3), "SLM"),
        (bit(4), "Scratch"),
        (bit(5), "Atomic"),
        (bit(6), "A64"),
        (bit(0), "Write"),
        (!bit(0), "Read"),
    ];
    let words: Vec<&str> = words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect();
    let access = Access {
        kind: format!("ExecSize_{lanes_of} {size} bytes X{elements} {}", words.join(" ")),
        bytes: size.checked_mul(elements.max(1)).filter(|bytes| *bytes != 0),
        executed,
        lanes,
        lines,
        moved: lines.saturating_mul(LINE),
        unaligned,
        outside: (low, high),
        ..Access::default()
    };
    Some((name.to_owned(), offset, access, strides))
}

impl Part for Strides {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if line.is_empty() {
            return Ok(());
        }
        if let Some((kernel, address, access, strides)) = head(line) {
            self.left = strides;
            self.sends.push(Send { kernel, address, access });
            return Ok(());
        }
        let mut words = line.split_whitespace().rev();
        let count = words.next().and_then(number);
        let stride = words.next().and_then(|word| word.parse::<i64>().ok());
        let both = stride.zip(count).filter(|_| self.left != 0);
        let (both, send) = both.zip(self.sends.last_mut()).ok_or(phrase("a send with its strides"))?;
        self.left -= 1;
        send.access.strides.push(both);
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if head.title.is_empty() {
            entry.name().clone_into(&mut head.title);
        }
        let rows = self.sends.iter().map(|send| Row {
            kernel: &send.kernel,
            address: send.address,
            text: "",
            access: &send.access,
        });
        show(head, "gtpin", &rows.collect::<Vec<_>>());
    }
}
