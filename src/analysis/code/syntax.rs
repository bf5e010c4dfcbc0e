//! Classes of the words in code, for highlighting: C++, Python and assembly, one line at a time.
//!
//! The lexers are made at compile time by `logos` (two of them are 28 kB of wasm; synoptic was 1.3 MB, syntect 2.1 MB,
//! and the small highlighters without a regular expression engine know no C++). A line is lexed when it is shown; what
//! must be known of the lines before it (an open comment or long string) is kept at every 128th row.

use crate::model::code::Listing;
use logos::{Lexer, Logos};

/// What a stretch of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A name or sign like any other.
    Plain,
    /// A word of the language.
    Key,
    Type,
    /// A function where it is called or defined.
    Function,
    Number,
    Text,
    Comment,
    /// For the preprocessor, or a decorator.
    Directive,
    /// What an instruction works on.
    Operand,
}

/// A stretch of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// First byte.
    pub start: u32,
    /// First byte after it.
    pub end: u32,
    pub class: Class,
}

/// What is still open where a line begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexState {
    /// Nothing.
    #[default]
    Code,
    /// A comment, up to `*/`.
    Comment,
    /// A raw string of C++, up to `)`, this delimiter, and `"`.
    Raw([u8; 16], u8),
    /// A long string of Python, up to three of this sign.
    Long(u8),
}

/// Rows between two kept states.
const STEP: usize = 128;
/// Most rows that are lexed to know the state of one: beyond, a row so far away begins as plain code.
const REACH: usize = 50_000;

/// What is kept of a listing.
#[derive(Default)]
pub struct Highlights {
    /// The state at rows 0, 128, 256 …, as far as known.
    states: Vec<LexState>,
    /// The state where this row begins: the next row is often asked for next.
    last: (usize, LexState),
}

impl Highlights {
    /// The tokens of a row.
    pub fn line(&mut self, listing: &Listing, row: usize) -> Vec<Token> {
        let language = &listing.language;
        let state = if has_state(language) { self.state(listing, row) } else { LexState::Code };
        let mut tokens = Vec::new();
        let after = lex(language, listing.lines.get(row), state, &mut tokens);
        self.last = (row + 1, after);
        tokens
    }

    fn state(&mut self, listing: &Listing, row: usize) -> LexState {
        if self.last.0 == row {
            return self.last.1;
        }
        if self.states.is_empty() {
            self.states.push(LexState::Code);
        }
        let known = (self.states.len() - 1) * STEP;
        if known + REACH < row {
            return run(listing, row - STEP..row, LexState::Code);
        }
        for at in self.states.len()..=row / STEP {
            let before = self.states[at - 1];
            self.states.push(run(listing, (at - 1) * STEP..at * STEP, before));
        }
        let at = row / STEP;
        run(listing, at * STEP..row, self.states[at])
    }
}

fn run(listing: &Listing, rows: std::ops::Range<usize>, mut state: LexState) -> LexState {
    let mut unused = Vec::new();
    for row in rows {
        unused.clear();
        state = lex(&listing.language, listing.lines.get(row), state, &mut unused);
    }
    state
}

fn has_state(language: &str) -> bool {
    matches!(language, "cpp" | "python")
}

/// The tokens of a line, in order; blanks are left out. Returns what is open at its end.
pub fn lex(language: &str, line: &str, state: LexState, out: &mut Vec<Token>) -> LexState {
    let state = if has_state(language) { state } else { LexState::Code };
    let Some(from) = close(line, state) else {
        push(out, 0..line.len(), string_or_comment(state));
        return state;
    };
    push(out, 0..from, string_or_comment(state));
    match language {
        "cpp" => cpp(line, from, out),
        "python" => python(line, from, out),
        "ptx" | "asm" => assembly(line, out),
        _ => push(out, 0..line.len(), Class::Plain),
    }
}

/// Where what is open ends; `None` when not in this line.
fn close(line: &str, state: LexState) -> Option<usize> {
    let after = |end: &str| line.find(end).map(|at| at + end.len());
    match state {
        LexState::Code => Some(0),
        LexState::Comment => after("*/"),
        LexState::Raw(name, len) => {
            let name = std::str::from_utf8(&name[..usize::from(len).min(16)]).unwrap_or("");
            after(&format!("){name}\""))
        }
        LexState::Long(sign) => after(&char::from(sign).to_string().repeat(3)),
    }
}

fn string_or_comment(state: LexState) -> Class {
    if state == LexState::Comment { Class::Comment } else { Class::Text }
}

fn push(out: &mut Vec<Token>, range: std::ops::Range<usize>, class: Class) -> LexState {
    if range.start < range.end {
        out.push(Token { start: range.start as u32, end: range.end as u32, class });
    }
    LexState::Code
}

#[derive(Logos, Clone, Copy, PartialEq)]
enum Cpp {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Remark,
    #[token("/*")]
    Comment,
    #[regex(r#"(u8|[uUL])?R"[^()\\ \t"]*\("#)]
    Raw,
    #[regex(r#"(u8|[uUL])?"([^"\\\n]|\\.)*"?"#)]
    #[regex(r"'([^'\\\n]|\\.)*'?")]
    Text,
    #[regex(r"0[xXbB][0-9a-fA-F']+[uUlLzZ]*")]
    #[regex(r"(\.[0-9]|[0-9])[0-9']*(\.[0-9']*)?([eE][+-]?[0-9]+)?[a-zA-Z]*")]
    Number,
    #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*")]
    Word,
    #[regex(r"#([^/\n]|/[^/*\n])*")]
    Directive,
    #[regex(r"[ \t]+")]
    Blank,
}

fn cpp(line: &str, from: usize, out: &mut Vec<Token>) -> LexState {
    let mut lexer = Cpp::lexer(line.get(from..).unwrap_or(""));
    let mut last_word = "";
    while let Some(token) = lexer.next() {
        let range = from + lexer.span().start..from + lexer.span().end;
        let class = match token {
            Ok(Cpp::Blank) => continue,
            Ok(Cpp::Remark) => Class::Comment,
            Ok(Cpp::Comment) => {
                if let Some(state) = long(&mut lexer, from, range.start, LexState::Comment, out) {
                    return state;
                }
                continue;
            }
            Ok(Cpp::Raw) => {
                if let Some(state) = long(&mut lexer, from, range.start, raw(&line[range.clone()]), out) {
                    return state;
                }
                continue;
            }
            Ok(Cpp::Text) => Class::Text,
            Ok(Cpp::Number) => Class::Number,
            Ok(Cpp::Directive) => Class::Directive,
            Ok(Cpp::Word) => {
                let class = cpp_word(&line[range.clone()], last_word, &line[range.end..]);
                last_word = &line[range.clone()];
                class
            }
            Err(()) => Class::Plain,
        };
        push(out, range, class);
    }
    LexState::Code
}

fn raw(open: &str) -> LexState {
    let name = open.split_once('"').map_or("", |(_, n)| n.trim_end_matches('('));
    let mut kept = [0; 16];
    let len = name.len().min(16);
    kept[..len].copy_from_slice(&name.as_bytes()[..len]);
    LexState::Raw(kept, len as u8)
}

/// Passes over a comment or string that began at `start`; the state when it stays open.
fn long<'a, T>(
    lexer: &mut Lexer<'a, T>,
    from: usize,
    start: usize,
    state: LexState,
    out: &mut Vec<Token>,
) -> Option<LexState>
where
    T: Logos<'a, Source = str>,
{
    let rest = lexer.remainder();
    let end = close(rest, state);
    lexer.bump(end.unwrap_or(rest.len()));
    push(out, start..from + lexer.span().end, string_or_comment(state));
    if end.is_some() { None } else { Some(state) }
}

/// What a word of C++ is, by itself, the word before it, and what follows it in the line.
fn cpp_word(word: &str, before: &str, rest: &str) -> Class {
    let is_attribute = word.len() > 4 && word.starts_with("__") && word.ends_with("__");
    if CPP_TYPES.binary_search(&word).is_ok() || (word.ends_with("_t") && 2 < word.len()) {
        return Class::Type;
    }
    if CPP_WORDS.binary_search(&word).is_ok() || is_attribute {
        return Class::Key;
    }
    if matches!(before, "class" | "struct" | "enum" | "typename" | "namespace") {
        return Class::Type;
    }
    let next = rest.trim_start();
    if next.starts_with('(') {
        return Class::Function;
    }
    if next.starts_with("::") {
        return Class::Type;
    }
    match next.strip_prefix('<').and_then(behind_template) {
        Some(after) if after.trim_start().starts_with('(') => Class::Function,
        Some(_) if word.starts_with(|c: char| c.is_ascii_uppercase()) => Class::Type,
        _ => Class::Plain,
    }
}

/// What follows the `>` that closes a list of template arguments; `None` when it is none.
fn behind_template(rest: &str) -> Option<&str> {
    let mut open = 1;
    for (i, c) in rest.char_indices().take(200) {
        match c {
            '<' => open += 1,
            '>' => open -= 1,
            ';' | '{' | '}' | '"' | '|' | '=' => return None,
            _ => {}
        }
        if open == 0 {
            return rest.get(i + 1..);
        }
    }
    None
}

#[derive(Logos, Clone, Copy, PartialEq)]
enum Python {
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Remark,
    #[regex(r#"[rbfuRBFU]?[rbfuRBFU]?"""|[rbfuRBFU]?[rbfuRBFU]?'''"#, priority = 20)]
    Long,
    #[regex(r#"[rbfuRBFU]?[rbfuRBFU]?"([^"\\\n]|\\.)*"?"#)]
    #[regex(r"[rbfuRBFU]?[rbfuRBFU]?'([^'\\\n]|\\.)*'?")]
    Text,
    #[regex(r"0[xXbBoO][0-9a-fA-F_]+")]
    #[regex(r"(\.[0-9]|[0-9])[0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?[jJ]?")]
    Number,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"@[A-Za-z_][A-Za-z0-9_.]*")]
    Directive,
    #[regex(r"[ \t]+")]
    Blank,
}

fn python(line: &str, from: usize, out: &mut Vec<Token>) -> LexState {
    let mut lexer = Python::lexer(line.get(from..).unwrap_or(""));
    let mut last_word = "";
    while let Some(token) = lexer.next() {
        let range = from + lexer.span().start..from + lexer.span().end;
        let class = match token {
            Ok(Python::Blank) => continue,
            Ok(Python::Remark) => Class::Comment,
            Ok(Python::Long) => {
                let sign = line.as_bytes()[range.end - 1];
                if let Some(state) = long(&mut lexer, from, range.start, LexState::Long(sign), out) {
                    return state;
                }
                continue;
            }
            Ok(Python::Text) => Class::Text,
            Ok(Python::Number) => Class::Number,
            Ok(Python::Directive) => Class::Directive,
            Ok(Python::Word) => {
                let class = python_word(&line[range.clone()], last_word, &line[range.end..]);
                last_word = &line[range.clone()];
                class
            }
            Err(()) => Class::Plain,
        };
        push(out, range, class);
    }
    LexState::Code
}

fn python_word(word: &str, before: &str, rest: &str) -> Class {
    if PYTHON_WORDS.binary_search(&word).is_ok() {
        Class::Key
    } else if PYTHON_TYPES.binary_search(&word).is_ok() || before == "class" {
        Class::Type
    } else if rest.trim_start().starts_with('(') || before == "def" {
        Class::Function
    } else {
        Class::Plain
    }
}

#[derive(Logos, Clone, Copy, PartialEq)]
enum Assembly {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    #[regex(r";[^\n]*", allow_greedy = true)]
    Remark,
    #[regex(r#""([^"\\\n]|\\.)*"?"#)]
    Text,
    #[regex(r"#?-?0[xX][0-9a-fA-F]+")]
    #[regex(r"#?-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?[a-zA-Z]*")]
    Number,
    #[regex(r"[A-Za-z_.%$][A-Za-z0-9_.%$]*")]
    Word,
    #[regex(r"[ \t]+")]
    Blank,
}

fn assembly(line: &str, out: &mut Vec<Token>) -> LexState {
    let mut has_name = false;
    for (token, range) in Assembly::lexer(line).spanned() {
        let class = match token {
            Ok(Assembly::Blank) => continue,
            Ok(Assembly::Remark) => Class::Comment,
            Ok(Assembly::Text) => Class::Text,
            Ok(Assembly::Number) => Class::Number,
            Ok(Assembly::Word) if line[range.end..].starts_with(':') && !has_name => Class::Function,
            Ok(Assembly::Word) if line[..range.start].ends_with('@') => Class::Operand,
            Ok(Assembly::Word) if !has_name => {
                has_name = true;
                Class::Plain
            }
            Ok(Assembly::Word) | Err(()) => Class::Operand,
        };
        match out.last_mut() {
            // Fewer pieces to draw: operands and the signs between them are one.
            Some(last)
                if last.class == class && class == Class::Operand && last.end as usize == range.start =>
            {
                last.end = range.end as u32;
            }
            _ => {
                push(out, range, class);
            }
        }
    }
    LexState::Code
}

// The words of each language that highlighting knows. Facts of the language standards.

/// Words of C++ and of the languages for accelerators built on it; sorted.
pub static CPP_WORDS: &[&str] = &[
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
pub static CPP_TYPES: &[&str] = &[
    "auto", "bfloat16", "bool", "char", "double", "float", "float16", "half", "int", "long", "short",
    "signed", "uint", "unsigned", "void",
];

/// Words of Python; sorted.
pub static PYTHON_WORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Types of Python; sorted.
pub static PYTHON_TYPES: &[&str] =
    &["bool", "bytes", "complex", "dict", "float", "int", "list", "object", "set", "str", "tuple"];
