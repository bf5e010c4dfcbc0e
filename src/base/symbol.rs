//! Names of functions as people write them: what compilers of C++ and Rust mangled is written out again.
//!
//! Symbols come from files, so they may be anything: the length of what is read and of what is written has a bound.

use std::fmt::{self, Write};

/// Longest symbol that is read.
const LONGEST: usize = 8 << 10;
/// Longest name that is written: short symbols may stand for very long names.
pub const WRITTEN: usize = 4 << 10;
/// Depth of what stands inside each other in a symbol.
const DEPTH: u32 = 96;

/// The name that a symbol stands for; `None` when it is no symbol that is known.
pub fn demangled(symbol: &str) -> Option<String> {
    // Descriptors of kernels have the symbol of the kernel with an ending.
    let symbol = symbol.strip_suffix(".kd").unwrap_or(symbol);
    if LONGEST < symbol.len() || !symbol.is_ascii() {
        return None;
    }
    let name = if is_rust(symbol) {
        let name = rustc_demangle::try_demangle(symbol).ok()?;
        written(|out| write!(out, "{name:#}"))
    } else if symbol.starts_with("_Z") {
        let options = cpp_demangle::ParseOptions::default().recursion_limit(DEPTH);
        let name = cpp_demangle::Symbol::new_with_options(symbol, &options).ok()?;
        let options = cpp_demangle::DemangleOptions::default().recursion_limit(DEPTH);
        // Types of parameters repeat those of the template: a name too long with them stands without.
        written(|out| name.structured_demangle(out, &options))
            .or_else(|| written(|out| name.structured_demangle(out, &options.no_params())))
    } else {
        return None;
    }?;
    // What names a kernel may be the name of its type.
    let name = name.strip_prefix("typeinfo name for ").unwrap_or(&name);
    (!name.is_empty() && name != symbol).then(|| name.to_owned())
}

/// Whether a symbol is of Rust: of its own scheme, or of that of C++ with a hash at the end.
fn is_rust(symbol: &str) -> bool {
    let has_hash = || {
        let hash = symbol.strip_suffix('E').and_then(|rest| rest.get(rest.len().checked_sub(19)?..));
        let hash = hash.and_then(|part| part.strip_prefix("17h"));
        hash.is_some_and(|hash| hash.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    symbol.starts_with("_R") || (symbol.starts_with("_ZN") && has_hash())
}

/// What is written, unless it is too long.
fn written(write: impl FnOnce(&mut Bounded) -> fmt::Result) -> Option<String> {
    let mut out = Bounded(String::new());
    write(&mut out).ok()?;
    Some(out.0)
}

/// A text that takes no more than [`WRITTEN`] bytes.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if WRITTEN < self.0.len() + part.len() {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}
