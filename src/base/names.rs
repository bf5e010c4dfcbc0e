//! What tells names apart: lists of files and comparisons show that first, since names are cut where there is no room.

/// The shortest common beginning that is worth leaving out, in letters.
const WORTH: usize = 6;

/// Names as a list shows them: a long beginning that all of them share is one "…", unless all are equal. Costs the
/// letters.
pub fn shortened(names: &[String]) -> Vec<String> {
    let lead = common_lead(names);
    let are_equal = names.iter().all(|name| names.first() == Some(name));
    if are_equal || lead.chars().count() < WORTH {
        return names.to_vec();
    }
    names.iter().map(|name| format!("…{}", &name[lead.len()..])).collect()
}

/// Names of which no two are equal: those that are have their number among themselves behind them, `a.bin (2)`. Costs the
/// square of how many there are.
pub fn numbered(names: &[String]) -> Vec<String> {
    let same = |name: &String, list: &[String]| list.iter().filter(|other| *other == name).count();
    let number = |(at, name): (usize, &String)| {
        if same(name, names) < 2 { name.clone() } else { format!("{name} ({})", same(name, &names[..=at])) }
    };
    names.iter().enumerate().map(number).collect()
}

/// What two names differ in, without what both begin and end with; the names themselves where they are equal.
pub fn differing(a: &str, b: &str) -> (String, String) {
    if a == b {
        return (a.to_owned(), b.to_owned());
    }
    let names = [a.to_owned(), b.to_owned()];
    let lead = common_lead(&names).len();
    let tail = common_tail(&a[lead..], &b[lead..]);
    let part = |name: &str| name[lead..name.len() - tail].to_owned();
    let (own, other) = (part(a), part(b));
    if own.is_empty() || other.is_empty() { (a.to_owned(), b.to_owned()) } else { (own, other) }
}

/// What all names begin with, up to a separator that lies before the end of each.
fn common_lead(names: &[String]) -> &str {
    let Some((first, others)) = names.split_first() else { return "" };
    let same = |name: &String| -> usize {
        let pairs = first.char_indices().zip(name.chars());
        let shared: usize = pairs.take_while(|((_, a), b)| a == b).map(|((_, a), _)| a.len_utf8()).sum();
        // A name that another one continues has nothing behind the separator that it ends with.
        shared.min(name.len().saturating_sub(1)).min(first.len().saturating_sub(1))
    };
    let shared = others.iter().map(same).min().unwrap_or(0);
    let shared = (0..=shared).rev().find(|at| first.is_char_boundary(*at)).unwrap_or(0);
    let end = first[..shared]
        .rfind(is_separator)
        .map_or(0, |at| at + first[at..].chars().next().map_or(0, char::len_utf8));
    &first[..end]
}

/// Bytes of what both end with, from a separator on.
fn common_tail(a: &str, b: &str) -> usize {
    let pairs = a.chars().rev().zip(b.chars().rev());
    let mut tail = 0;
    let mut at = 0;
    for (letter, other) in pairs {
        if letter != other {
            break;
        }
        at += letter.len_utf8();
        if is_separator(letter) {
            tail = at;
        }
    }
    tail
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '\\' | '_' | '-' | '.' | ' ' | ':' | '·')
}

/// Where a name is cut when it does not fit: what stands behind this byte, its last letters, is always seen.
pub fn cut(name: &str) -> usize {
    const LAST: usize = 9;
    let n = name.chars().count();
    if n < 2 * LAST {
        return name.len();
    }
    name.char_indices().nth(n - LAST).map_or(name.len(), |(at, _)| at)
}
