//! The words of each language that highlighting knows. Facts of the language standards.

/// Words of C++ and of the languages for accelerators built on it; sorted.
pub(super) static CPP_WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "asm",
    "break",
    "case",
    "catch",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "final",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "override",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "using",
    "virtual",
    "volatile",
    "while",
];

/// Types of C++ and of the languages for accelerators built on it; sorted.
pub(super) static CPP_TYPES: &[&str] = &[
    "auto", "bfloat16", "bool", "char", "double", "float", "float16", "half", "int", "long", "short",
    "signed", "uint", "unsigned", "void",
];

/// Words of Python; sorted.
pub(super) static PYTHON_WORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Types of Python; sorted.
pub(super) static PYTHON_TYPES: &[&str] =
    &["bool", "bytes", "complex", "dict", "float", "int", "list", "object", "set", "str", "tuple"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_tables_are_sorted() {
        for table in [CPP_WORDS, CPP_TYPES, PYTHON_WORDS, PYTHON_TYPES] {
            assert!(table.is_sorted_by(|a, b| a < b), "{table:?}");
        }
    }
}
