//! What lies under the pointer of a figure: from the words of a drawing to the page's tooltip.

use crate::base::geometry::Point;
use crate::ui::overlay::tooltip::Tip;

/// A tooltip of a name and lines of label, tab, value; lines without a tab are quiet words below.
pub(crate) fn tip_of(words: &str) -> Tip {
    let mut lines = words.lines();
    let mut tip = Tip { title: lines.next().unwrap_or_default().to_owned(), ..Tip::default() };
    for line in lines {
        match line.split_once('\t') {
            Some((label, value)) => tip.rows.push((label.to_owned(), value.to_owned())),
            None => line.clone_into(&mut tip.hint),
        }
    }
    // A name that is itself a label with its value.
    if let Some((label, value)) = tip.title.clone().split_once('\t') {
        tip.title = String::new();
        tip.rows.insert(0, (label.to_owned(), value.to_owned()));
    }
    tip
}

/// Where the pointer is: in the window, and from the corner of an element.
pub(crate) fn places(event: &web_sys::MouseEvent, node: &web_sys::Element) -> (Point, Point) {
    let window = Point { x: event.client_x() as f32, y: event.client_y() as f32 };
    let corner = node.get_bounding_client_rect();
    (window, Point { x: window.x - corner.left() as f32, y: window.y - corner.top() as f32 })
}
