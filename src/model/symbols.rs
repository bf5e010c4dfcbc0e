//! Symbols of functions whose names are written out: names are what people see, symbols are what other programs know.

use crate::base::map::Map;
use crate::base::symbol::demangled;

/// The symbols of names. Kept in `Trace::extensions`.
#[derive(Default)]
pub struct Symbols(Map<String, String>);

impl Symbols {
    /// The name of a function, which remembers its symbol; what is no symbol is a name itself.
    pub fn name(&mut self, symbol: &str) -> String {
        self.written(symbol).unwrap_or_else(|| symbol.to_owned())
    }

    /// The same; `None` of what is no symbol.
    pub fn written(&mut self, symbol: &str) -> Option<String> {
        let name = demangled(symbol)?;
        self.0.entry(name.clone()).or_insert_with(|| symbol.to_owned());
        Some(name)
    }

    /// The names of several functions whose symbols stand behind each other, with commas between them; what has no symbol
    /// stays as it is.
    pub fn names(&mut self, symbols: &str) -> String {
        let all: Vec<&str> = symbols.split_whitespace().collect();
        if all.len() < 2 || all.iter().all(|symbol| demangled(symbol).is_none()) {
            return self.name(symbols);
        }
        let names: Vec<String> = all.into_iter().map(|symbol| self.name(symbol)).collect();
        let names = names.join(", ");
        self.0.entry(names.clone()).or_insert_with(|| symbols.to_owned());
        names
    }

    /// The symbol that a name is written for; the name itself where it has none.
    pub fn of<'a>(&'a self, name: &'a str) -> &'a str {
        self.symbol(name).unwrap_or(name)
    }

    /// The symbol that a name is written for.
    pub fn symbol(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
