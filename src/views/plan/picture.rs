//! The buffer plan as its figures, one below the other.

use crate::base::geometry::Size;
use crate::document::Document;
use crate::document::picture::Picture;
use crate::draw::style::DrawStyle;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::views::details::picture as details;
use crate::views::plan::compute::LAYOUT;

pub(crate) static PLAN: Picture = Picture { id: "plan", title: "Plan", draw: plan, seen: None };

fn plan(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    let look = DrawStyle { palette, language: doc.language() };
    let mut families = doc.families(|analysis| analysis.parameters.iter().any(|p| p.id == LAYOUT.id));
    families.retain(|family| family.id.starts_with("plan-"));
    if families.is_empty() {
        return Err("No buffer plan in these files.".to_owned());
    }
    details::of_families(&families, size, &look)
}
