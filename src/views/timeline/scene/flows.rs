//! Arrows between slices: those of the selected slice, or thin all that are seen in the window.

use super::layout::RULER;
use super::{Canvas, FlowsShown, Setting, TimelineInput};
use crate::analysis::timeline::flows::FlowIndex;
use crate::base::geometry::{Point, Px};
use crate::model::FlowEnd;
use crate::model::id::{FlowId, SliceId, TrackId};
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape, Stroke};

/// Most flows drawn at once when all are shown.
pub const MAX_SHOWN: usize = 2_000;
/// Longest handle of a curve.
const HANDLE: Px = 70.0;

impl Canvas<'_> {
    pub(super) fn flows(&self, scene: &mut Scene) {
        let index = self.on.timeline.flows();
        if self.setting.frame.flows == FlowsShown::All {
            let plain = self.faded(Ink::Token("t3"), 0.4);
            for flow in self.in_window(MAX_SHOWN).0 {
                if let Some([from, to]) = self.ends(flow) {
                    let ink = self.color_of(flow).map_or(plain, |own| self.faded(own, 0.7));
                    line(scene, from, to, Stroke::new(ink, 1.0));
                }
            }
        }
        if self.setting.frame.flows != FlowsShown::None
            && let Some(id) = self.setting.frame.selected
        {
            let t1 = Ink::Token("t1");
            let meant = index.of_slice(id).filter(|&flow| is_meant(self.on, self.setting, flow));
            let arrow = |flow| Some((self.ends(flow)?, self.color_of(flow).unwrap_or(t1)));
            let arrows: Vec<_> = meant.take(MAX_SHOWN).filter_map(arrow).collect();
            for &([from, to], _) in &arrows {
                line(scene, from, to, Stroke::new(Ink::Token("s0"), 4.0));
            }
            for &([from, to], ink) in &arrows {
                line(scene, from, to, Stroke::new(ink, 1.5));
                dot(scene, from, ink);
                // Towards rows above or below the picture it points up or down.
                let is_upright = (to.x - from.x).abs() < 10.0 || to.y <= RULER || self.size.h <= to.y;
                head(scene, from, to, is_upright, ink);
            }
        }
    }

    fn color_of(&self, flow: FlowId) -> Option<Ink> {
        self.colors.flow(*self.on.trace.flows.category.get(flow.index())?)
    }

    fn in_window(&self, limit: usize) -> (Vec<FlowId>, u64) {
        in_window(self.on, self.setting, limit)
    }

    /// Both ends on the picture; `None` when neither row is to be seen, or one has none. An end outside of the picture
    /// stands at the edge, on its own row or at its own time.
    fn ends(&self, flow: FlowId) -> Option<[Point; 2]> {
        let flows = &self.on.trace.flows;
        let [from, to] = self.on.timeline.flows().ends(self.on.trace, flow);
        let (start, end) = (*flows.from.get(flow.index())?, *flows.to.get(flow.index())?);
        let (a, b) = (self.end(start, from)?, self.end(end, to)?);
        let is_seen = |p: Point| RULER <= p.y && p.y <= self.size.h;
        let (right, bottom) = (self.size.w.max(0.0), self.size.h.max(RULER));
        let inside = |p: Point| Point { x: p.x.clamp(0.0, right), y: p.y.clamp(RULER, bottom) };
        (is_seen(a) || is_seen(b)).then(|| [inside(a), inside(b)])
    }

    /// Where an end is: on its slice, or on the row of the closed group above it; `None` when no row stands for it.
    fn end(&self, end: FlowEnd, id: Option<SliceId>) -> Option<Point> {
        let x = self.x_on(end.track, end.time);
        if let Some((x0, x1, y, h)) = id.and_then(|id| self.place(id)) {
            return Some(Point { x: x.clamp(x0, x1), y: y + h / 2.0 });
        }
        Some(Point { x, y: self.row_middle(end.track)? })
    }

    /// The middle of the row of a track, or of the nearest group above it that has a row.
    fn row_middle(&self, track: TrackId) -> Option<Px> {
        let mut at = Some(track);
        while let Some(id) = at {
            if let Some(row) = self.layout.row_of(id) {
                let y = (row.y - self.setting.frame.scroll) as Px + RULER + self.layout.pinned_h;
                return Some(y + row.strip + row.lane / 2.0);
            }
            at = self.on.trace.tracks.find(id).and_then(|t| t.parent);
        }
        None
    }
}

/// The flows of the window that are not left out, at most `limit`; and how many there are.
pub fn in_window(on: TimelineInput, setting: &Setting, limit: usize) -> (Vec<FlowId>, u64) {
    let meant = |flow| is_meant(on, setting, flow);
    FlowIndex::in_window(on.trace, on.timeline, setting.window.span(), limit, meant)
}

/// Whether a flow is of a category that is shown, and both its slices are.
fn is_meant(on: TimelineInput, setting: &Setting, flow: FlowId) -> bool {
    let is_off = || setting.flows_off.contains(&on.trace.flows.category[flow.index()]);
    let is_left_out = |id: SliceId| {
        let name = on.trace.tracks.get(id.track).slices.name.get(id.row as usize);
        name.is_some_and(|name| setting.without.contains(name))
    };
    if !setting.flows_off.is_empty() && is_off() {
        return false;
    }
    let ends = || on.timeline.flows().ends(on.trace, flow);
    setting.without.is_empty() || !ends().into_iter().flatten().any(is_left_out)
}

fn line(scene: &mut Scene, from: Point, to: Point, stroke: Stroke) {
    let (dx, dy) = ((to.x - from.x).abs(), (to.y - from.y).abs());
    if dx < 10.0 || dy < 1.0 {
        scene.line(from, to, stroke);
    } else if dx < 26.0 {
        let middle = f32::midpoint(from.x, to.x);
        let points = vec![from, Point { x: middle, y: from.y }, Point { x: middle, y: to.y }, to];
        scene.shapes.push(Shape::Path { points, stroke });
    } else {
        let handle = (dx / 2.0).min(HANDLE).copysign(to.x - from.x);
        let handles = [Point { x: from.x + handle, ..from }, Point { x: to.x - handle, ..to }];
        scene.shapes.push(Shape::Curve { points: [from, handles[0], handles[1], to], stroke });
    }
}

fn dot(scene: &mut Scene, at: Point, ink: Ink) {
    let rect = crate::base::geometry::Rect::new(at.x - 2.5, at.y - 2.5, 5.0, 5.0);
    scene.shapes.push(Shape::Fill { rect, radius: 2.5, ink });
}

/// The head of an arrow: a line that is nearly upright ends upright, every other one level.
fn head(scene: &mut Scene, from: Point, to: Point, is_upright: bool, ink: Ink) {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let (ux, uy) = if is_upright { (0.0, dy.signum()) } else { (dx.signum(), 0.0) };
    let back =
        |along: Px, aside: Px| Point { x: to.x - along * ux + aside * uy, y: to.y - along * uy + aside * ux };
    scene.shapes.push(Shape::Polygon { points: vec![to, back(7.0, 3.0), back(7.0, -3.0)], ink });
}
