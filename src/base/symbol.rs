//! Names of functions as people write them: what compilers of C++ and Rust mangled is written out again.
//!
//! Symbols come from files, so they may be anything: the length of what is read and of what is written has a bound.

use std::fmt::{self, Write};

/// Longest symbol that is read.
const LONGEST: usize = 8 << 10;
/// Longest name that is written: short symbols may stand for very long names.
const WRITTEN: usize = 4 << 10;
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
        written(|out| name.structured_demangle(out, &options))
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

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn symbols_of_several_compilers_are_written_out() {
        // As c++filt and rustfilt write them.
        let cases = [
            ("_Z6vecAddPdS_S_i", "vecAdd(double*, double*, double*, int)"),
            (
                "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_",
                "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
            ),
            ("_Z4scaleIfEvPT_.kd", ""),
            ("_Z5scaleIfEvPT_.kd", "void scale<float>(float*)"),
            ("_ZTS4Scan", "Scan"),
            ("_ZN4gpu_4scan17h0123456789abcdefE", "gpu_::scan"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("main", ""),
            ("_Z", ""),
            ("_Zgarbage that is none", ""),
        ];
        for (symbol, name) in cases {
            assert_eq!(demangled(symbol).unwrap_or_default(), name, "{symbol}");
        }
    }

    #[test]
    fn what_would_become_very_long_is_left_as_it_is() {
        // Each substitution doubles what it stands for.
        let mut symbol = "_Z1fI1aE".to_owned();
        for n in 0..40 {
            let last = if n == 0 { "S_".to_owned() } else { format!("S{}_", base36(n - 1)) };
            symbol += &format!("1bI{last}{last}E");
        }
        assert!(demangled(&symbol).is_none_or(|name| name.len() <= super::WRITTEN));
        assert_eq!(demangled(&format!("_Z{}", "P".repeat(100_000))), None);
        let deep = format!("_Z1f{}i", "P".repeat(5_000));
        assert!(demangled(&deep).is_none_or(|name| name.len() <= super::WRITTEN));
    }

    fn base36(n: u32) -> String {
        let digit = |n: u32| char::from_digit(n, 36).unwrap().to_ascii_uppercase();
        if n < 36 { digit(n).to_string() } else { format!("{}{}", digit(n / 36), digit(n % 36)) }
    }
}
