//! What a table shows: columns with fixed widths and cells of text, number and share.

/// One column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its head.
    pub title: String,
    /// The unit, written in the head.
    pub unit: String,
    /// Width in CSS pixels; 0 takes what is left. Fixed, so that nothing jumps with the data.
    pub width: f64,
    /// Numbers stand at the right.
    pub is_number: bool,
    /// Whether a click on its head sorts.
    pub is_sortable: bool,
    /// What the column means, shown over its head; may be empty.
    pub note: String,
}

impl Column {
    /// A column of text.
    pub fn text(title: impl Into<String>, width: f64) -> Self {
        Self { title: title.into(), width, is_sortable: true, ..Self::default() }
    }

    /// A column of numbers.
    pub fn number(title: impl Into<String>, unit: impl Into<String>, width: f64) -> Self {
        Self { unit: unit.into(), is_number: true, ..Self::text(title, width) }
    }
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What it says; empty is shown as missing in number columns.
    pub text: String,
    /// The whole, when `text` is cut or rounded.
    pub full: String,
    /// What it is sorted by, when that is not the text.
    pub number: Option<f64>,
    /// A bar under the number: 0 to 1.
    pub share: Option<f64>,
    /// Color of a square before the text, `0xRRGGBBAA`.
    pub swatch: Option<u32>,
    /// A severity whose icon stands before the text.
    pub severity: Option<&'static str>,
    /// Quieter than the others.
    pub is_second: bool,
    /// In the fixed-width face.
    pub is_mono: bool,
    /// Whether its row is one that something else points at.
    pub is_marked: bool,
    /// Whether it is a difference to the better or to the worse.
    pub tone: Option<Tone>,
}

/// Which way a difference goes; its sign stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// To the better.
    Better,
    /// To the worse.
    Worse,
}

// Cells are keys of rows: a row is drawn anew only when it changed. No cell holds a NaN that was not formatted before.
impl Eq for Cell {}

impl std::hash::Hash for Cell {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
        self.full.hash(state);
        self.share.map(f64::to_bits).hash(state);
        self.swatch.hash(state);
        self.severity.hash(state);
        self.tone.hash(state);
    }
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A number as it is written, and its value to sort by.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: text.into(), number: Some(value), ..Self::default() }
    }

    /// The same cell, quieter.
    #[must_use]
    pub fn second(mut self) -> Self {
        self.is_second = true;
        self
    }

    /// What a copy of the cell is: the whole.
    pub fn copy(&self) -> &str {
        if self.full.is_empty() { &self.text } else { &self.full }
    }
}

/// By which column a table is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The column.
    pub column: usize,
    /// Largest first.
    pub is_descending: bool,
}

impl Order {
    /// What a click on the head of `column` makes of `now`: numbers begin with the largest; a third click gives the
    /// order of the file back.
    pub fn clicked(now: Option<Self>, column: usize, is_number: bool) -> Option<Self> {
        match now {
            Some(order) if order.column == column && order.is_descending == is_number => {
                Some(Self { column, is_descending: !is_number })
            }
            Some(order) if order.column == column => None,
            _ => Some(Self { column, is_descending: is_number }),
        }
    }
}

/// Least width of a column that takes what is left.
const LEAST: f64 = 150.0;

/// The `grid-template-columns` of the columns.
pub fn template(columns: &[Column]) -> String {
    let tracks = columns.iter().map(|column| {
        if column.width <= 0.0 { format!("minmax({LEAST}px, 1fr)") } else { format!("{}px", column.width) }
    });
    tracks.collect::<Vec<_>>().join(" ")
}

/// The least width of the rows; a narrower table scrolls sideways. Every row is a grid of its own, so that it must not
/// depend on what the cells hold.
pub fn least_width(columns: &[Column]) -> String {
    let widths = columns.iter().map(|column| if column.width <= 0.0 { LEAST } else { column.width });
    format!("{}px", widths.sum::<f64>())
}

/// Rows as tab-separated text, with their heads.
pub fn as_text(columns: &[Column], rows: &[&[Cell]]) -> String {
    let head = columns
        .iter()
        .map(|c| if c.unit.is_empty() { c.title.clone() } else { format!("{} ({})", c.title, c.unit) });
    let mut text = head.collect::<Vec<_>>().join("\t");
    for row in rows {
        text.push('\n');
        text.push_str(
            &row.iter().map(|c| c.copy().replace(['\t', '\n'], " ")).collect::<Vec<_>>().join("\t"),
        );
    }
    text
}
