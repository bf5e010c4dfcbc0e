//! Sizes of traces that a first run found: `memorytrace_pre_process.txt` has the greatest of each kernel,
//! `memorytrace_pre_process_dispatch.txt` that of each launch.
//!
//! ```text
//! BitonicSort___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1 142606336
//! BitonicSort___CS_asmf641279bbb4bc39f_simd32_7a6d7d0b064fb7e1 142606336 262144  OpenCL 0  0
//! unique name                                                  bytes     threads platform n launch
//! ```

use super::reading::Part;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::input::bundle::{Entry, EntryId};
use crate::views::plan::compute::{KernelSize, PlanInput};

/// The sizes so far.
#[derive(Default)]
pub(super) struct Sizes(Vec<KernelSize>);

/// One row; the name may have blanks, as the platform may.
pub(super) fn row(line: &str) -> Option<KernelSize> {
    let unique = line.find("_simd").filter(|at| line.get(..*at).is_some_and(|head| head.contains("_asm")))?;
    let end = unique + line.get(unique..)?.find(char::is_whitespace)?;
    let (name, rest) = line.split_at_checked(end)?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let bytes = words.first()?.parse().ok()?;
    let mut size = KernelSize { name: name.trim().to_owned(), bytes, ..KernelSize::default() };
    if let [_, threads, platform @ .., _, launch] = &words[..] {
        (size.threads, size.launch) = (Some(threads.parse().ok()?), Some(launch.parse().ok()?));
        size.platform = platform.join(" ");
    } else if words.len() != 1 {
        return None;
    }
    Some(size)
}

/// `BitonicSort` of `BitonicSort___CS_asm…`.
pub(super) fn kernel_name(unique: &str) -> &str {
    let end = unique.find("_asm").and_then(|at| unique.get(..at)?.rfind("___"));
    end.and_then(|end| unique.get(..end)).filter(|name| !name.is_empty()).unwrap_or(unique)
}

impl Part for Sizes {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if !line.is_empty() {
            self.0.push(row(line).ok_or(phrase("a kernel with the bytes of its trace"))?);
        }
        Ok(())
    }

    fn finish(&mut self, _: (EntryId, &Entry), sink: &mut Sink) {
        let head = sink.builder.head();
        if let Some(first) = self.0.first().filter(|_| head.title.is_empty()) {
            kernel_name(&first.name).clone_into(&mut head.title);
        }
        let input: &mut PlanInput = head.extensions.get_or_default();
        input.sizes.append(&mut self.0);
    }
}
