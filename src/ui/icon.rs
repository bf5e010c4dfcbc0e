//! The icons, drawn on a grid of 16 with strokes of 1.4. Only where a word would not fit or a severity is meant.

use leptos::prelude::*;

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// Our mark: three lanes and the line of now.
    Brand,
    /// Magnifying glass.
    Search,
    /// Opens downward.
    Down,
    Right,
    /// To the one before.
    Left,
    Plus,
    Close,
    File,
    Folder,
    /// Light and dark.
    Theme,
    /// Question mark.
    Help,
    /// Two arrows.
    Compare,
    /// Out of the box.
    Export,
    /// Severity: circle with i.
    Note,
    /// Severity: triangle.
    Warning,
    /// Severity: circle with a piece cut out.
    Loss,
    /// Severity: octagon with a cross.
    Fatal,
    /// Keeps above.
    Pin,
    /// Narrows down.
    Filter,
    Link,
    /// Two sheets.
    Copy,
    /// Circle arrow.
    Reload,
    Check,
    Rail,
    /// Lanes.
    View,
    /// Eye crossed out.
    Hide,
    /// A sheet with lines.
    Memo,
    /// Pencil.
    Edit,
}

impl Glyph {
    /// The glyph of a severity by its name.
    pub fn of_severity(name: &str) -> Self {
        match name {
            "fatal" => Self::Fatal,
            "loss" => Self::Loss,
            "warning" => Self::Warning,
            _ => Self::Note,
        }
    }

    fn drawing(self) -> &'static str {
        match self {
            Self::Brand => {
                r#"<path stroke-width="2.4" d="M2.2 3.6h5.6M5.2 8h7.6M2.2 12.4h4.6"/><path stroke-width="1.2" d="M10.4 1.2v13.6"/>"#
            }
            Self::Search => r#"<circle cx="6.9" cy="6.9" r="4.3"/><path d="M10.1 10.1 13.6 13.6"/>"#,
            Self::Down => r#"<path d="M4.8 6.4 8 9.6l3.2-3.2"/>"#,
            Self::Right => r#"<path d="M6.4 4.8 9.6 8l-3.2 3.2"/>"#,
            Self::Left => r#"<path d="M9.6 4.8 6.4 8l3.2 3.2"/>"#,
            Self::Plus => r#"<path d="M8 3.4v9.2M3.4 8h9.2"/>"#,
            Self::Close => r#"<path d="M4.4 4.4l7.2 7.2M11.6 4.4l-7.2 7.2"/>"#,
            Self::File => r#"<path d="M4.2 2h4.9l2.9 2.9V14H4.2zM9 2.1V5h2.9"/>"#,
            Self::Folder => r#"<path d="M2 12.6V3.6h4.1l1.5 1.9H14v7.1z"/>"#,
            Self::Theme => {
                r#"<circle cx="8" cy="8" r="5.3"/><path d="M8 2.7v10.6A5.3 5.3 0 0 0 8 2.7z" fill="currentColor" stroke="none"/>"#
            }
            Self::Help => {
                r#"<circle cx="8" cy="8" r="5.7"/><path d="M6.3 6.5c.1-1 .8-1.6 1.7-1.6s1.7.6 1.7 1.5c0 1.1-1.7 1.3-1.7 2.4M8 10.9v.1"/>"#
            }
            Self::Compare => {
                r#"<path d="M3 5.1h9M9.5 2.6 12 5.1 9.5 7.6M13 10.9H4M6.5 8.4 4 10.9l2.5 2.5"/>"#
            }
            Self::Export => r#"<path d="M8 10V2.6M5 5.3l3-2.7 3 2.7M3 9.5v4h10v-4"/>"#,
            Self::Note => r#"<circle cx="8" cy="8" r="5.7"/><path d="M8 7.4v3.4M8 5v.2"/>"#,
            Self::Warning => r#"<path d="M8 2.4 14.1 13H1.9zM8 6.4v3M8 11.1v.2"/>"#,
            Self::Loss => {
                r#"<path d="M8 2.3A5.7 5.7 0 1 0 13.7 8"/><path stroke-dasharray="1.6 1.8" d="M8 2.3V8h5.7"/>"#
            }
            Self::Fatal => {
                r#"<path d="M5.6 2.3h4.8l3.3 3.3v4.8l-3.3 3.3H5.6l-3.3-3.3V5.6zM6 6l4 4M10 6l-4 4"/>"#
            }
            Self::Pin => r#"<path d="M6 2.5h4l-.6 4 2.1 2.2h-7l2.1-2.2zM8 8.7v5"/>"#,
            Self::Filter => r#"<path d="M2.5 4h11M4.8 8h6.4M6.8 12h2.4"/>"#,
            Self::Link => {
                r#"<path d="M6.5 9.5a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.7.7M9.5 6.5a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.7-.7"/>"#
            }
            Self::Copy => r#"<path d="M6 5.5h7.5v8H6zM10 5.5v-3H2.5v8H6"/>"#,
            Self::Reload => r#"<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.4v2.7h-2.7"/>"#,
            Self::Check => r#"<path d="M3.5 8.5 6.6 11.5 12.5 4.8"/>"#,
            Self::Rail => r#"<path d="M2.5 3h11v10h-11zM6 3v10"/>"#,
            Self::View => r#"<path d="M2.5 4.5h6M5 8h8.5M2.5 11.5h4.5"/>"#,
            Self::Hide => {
                r#"<path d="M2 8c1.6-2.7 3.6-4 6-4s4.4 1.3 6 4c-1.6 2.7-3.6 4-6 4s-4.4-1.3-6-4zM3 13 13 3"/>"#
            }
            Self::Memo => r#"<path d="M3 2.5h10v7.4l-3.6 3.6H3zM13 9.9H9.4v3.6M5.4 5.6h5.2M5.4 8.2h3"/>"#,
            Self::Edit => r#"<path d="M3 13l.7-3 6.9-6.9 2.3 2.3L6 12.3zM9 4.7 11.3 7"/>"#,
        }
    }
}

/// Draws an icon of 16 px, or of 14 px with `small`. It is silent for screen readers: the control around it is named.
#[component]
pub fn Icon(
    glyph: Glyph,
    /// 14 px.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let class = match (glyph, small) {
        (Glyph::Brand, _) => "icon icon--brand",
        (_, true) => "icon icon--small",
        (_, false) => "icon",
    };
    view! { <svg class=class viewBox="0 0 16 16" aria-hidden="true" inner_html=glyph.drawing()></svg> }
}

/// Draws the icon of a severity in its color.
#[component]
pub fn SeverityIcon(
    /// `note`, `warning`, `loss` or `fatal`.
    #[prop(into)]
    severity: String,
) -> impl IntoView {
    let class = format!("icon icon--small severity--{severity}");
    let drawing = Glyph::of_severity(&severity).drawing();
    view! { <svg class=class viewBox="0 0 16 16" aria-hidden="true" inner_html=drawing></svg> }
}
