//! A row of a trace: a cycle, then a fixed number of addresses, −1 where nothing was accessed.

/// A row that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// When.
    pub cycle: i64,
    /// Columns behind the cycle.
    pub width: usize,
    /// Whether it only fills up the end of the trace: −1, then 1 in all other columns.
    pub is_padding: bool,
}

/// Reads a row; what it accesses is added to `to`. `None` when it is damaged, and then nothing is added.
pub fn row(line: &[u8], to: &mut Vec<u64>) -> Option<Row> {
    let begin = to.len();
    let line = line.trim_ascii_end();
    let mut cells = line.strip_suffix(b",").unwrap_or(line).split(|byte| *byte == b',');
    let cycle = number(cells.next()?)?;
    let mut row = Row { cycle, width: 0, is_padding: true };
    for cell in cells {
        let Some(address) = number(cell).filter(|address| -1 <= *address) else {
            to.truncate(begin);
            return None;
        };
        row.is_padding &= address == if row.width == 0 { -1 } else { 1 };
        row.width += 1;
        to.extend(u64::try_from(address));
    }
    row.is_padding &= 1 < row.width;
    (0 < row.width).then_some(row)
}

/// A whole number, which may be written as `10000003.0`.
fn number(cell: &[u8]) -> Option<i64> {
    let cell = cell.trim_ascii();
    let (is_negative, digits) = cell.strip_prefix(b"-").map_or((false, cell), |rest| (true, rest));
    let whole = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(whole);
    let is_plain = rest.iter().skip(1).all(|byte| *byte == b'0') && !whole.is_empty();
    if is_plain && whole.len() < 19 && whole.iter().all(u8::is_ascii_digit) {
        let value = whole.iter().fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        return Some(if is_negative { -value } else { value });
    }
    // Other ways of writing whole numbers, such as 1e7.
    let value: f64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    #[allow(clippy::cast_possible_truncation)] // it was looked at
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}
