//! Pieces of HTML. Whatever comes from files goes through [`element`] or [`attribute`], which escape it.

use crate::analysis::finding::{Color, pieces};
use crate::scene::svg::escape;
use std::fmt::Write;

/// An element around a text; `open` is its name with attributes behind it.
pub(super) fn element(open: &str, text: &str) -> String {
    around(open, &escape(text))
}

/// An element around HTML.
pub(super) fn around(open: &str, inner: &str) -> String {
    let name = open.split(' ').next().unwrap_or(open);
    format!("<{open}>{inner}</{name}>\n")
}

/// An element around a text; nothing where that is empty.
pub(super) fn some(open: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { element(open, text) }
}

/// The same around HTML.
pub(super) fn some_around(open: &str, inner: &str) -> String {
    if inner.is_empty() { String::new() } else { around(open, inner) }
}

/// An attribute with a blank before it. What stands on several lines becomes one.
pub(super) fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escape(&value.replace('\n', " ")))
}

/// A sentence with what counts in it bold.
pub(super) fn sentence(text: &str) -> String {
    let piece = |(text, is_strong): (&str, bool)| {
        let text = escape(text);
        if is_strong { format!("<b>{text}</b>") } else { text }
    };
    pieces(text).into_iter().map(piece).collect()
}

/// A bar of parts, each as wide as its share; nothing without any.
pub(super) fn bar(parts: &[(f64, Color)]) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let mut out = String::from("<span class=\"bar\">");
    for (share, color) in parts {
        let width = if share.is_finite() { share.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
        // Writing into a String never fails.
        let _ = write!(out, "<i style=\"width:{width:.2}%;background:var(--{})\"></i>", color.token());
    }
    out + "</span>"
}

/// Letters of the longest text that stands on one line of a cell.
const SHORT: usize = 28;

/// The class of the cell of a text: short ones are not broken.
pub(super) fn class_of(text: &str, is_number: bool) -> &'static str {
    match is_number {
        true => "number",
        false if text.chars().nth(SHORT).is_none() => "short",
        false => "",
    }
}

/// A row of a table; cells are HTML, each with its class.
pub(super) fn row(name: &str, cells: &[(&str, String)]) -> String {
    let cell = |(class, inner): &(&str, String)| match *class {
        "" => format!("<{name}>{inner}</{name}>"),
        class => format!("<{name} class=\"{class}\">{inner}</{name}>"),
    };
    format!("<tr>{}</tr>\n", cells.iter().map(cell).collect::<String>())
}

/// Columns from which a table is printed smaller, and from which on a sheet that lies across.
const MANY: usize = 6;
const MOST: usize = 10;

/// A table, which scrolls by itself where it is wider than the page; its name is for who does not see where it stands.
pub(super) fn table(class: &str, name: &str, head: &str, rows: &str) -> String {
    let first = if head.is_empty() { rows.split("</tr>").next().unwrap_or(rows) } else { head };
    let wide = match first.matches("</t").count().saturating_sub(first.matches("</tr").count()) {
        ..MANY => "wide",
        MANY..MOST => "wide wide--many",
        _ => "wide wide--most",
    };
    let head = some_around("thead", head);
    let body = around("tbody", rows);
    let open =
        format!("div class=\"{wide}\" role=\"region\" tabindex=\"0\"{}", attribute("aria-label", name));
    around(&open, &around(&format!("table class=\"{class}\""), &(head + &body)))
}
