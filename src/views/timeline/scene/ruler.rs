//! The ruler above the rows, and its lines through them.

use super::layout::RULER;
use super::{Canvas, LABEL};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number;
use crate::model::clock::TraceClock;
use crate::scene;
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, SpanRect, SpanStyle, Stroke, Tick, text};

/// Least distance of labels.
const APART: f64 = 80.0;

impl Canvas<'_> {
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let clock = self.clock();
        let window = clock.window(self.setting.window);
        let room = |label: &str| 5.0 + f64::from(text::width(label, LABEL)) + 6.0;
        scene::labelled(&window, f64::from(self.size.w), APART, (clock.origin(), clock.unit), room)
    }

    /// The clock that the ruler shows.
    fn clock(&self) -> TraceClock {
        let trace = self.on.trace;
        match self.setting.frame.ruler {
            Some(track) => trace.clock_of(track),
            None => trace.first_clock(),
        }
    }

    /// Which of several clocks the ruler shows: its name, its unit, and the time that labels count from.
    fn clock_name(&self, scene: &mut Scene) {
        let trace = self.on.trace;
        if trace.clocks.is_empty() {
            return;
        }
        let clock = self.clock();
        let origin = Some(clock.origin()).filter(|origin| *origin != 0);
        let origin = origin.map(|origin| format!("0 = {}", number::instant(origin, clock.unit)));
        let name = Some(trace.strings.get(clock.name)).filter(|name| !name.is_empty());
        let parts = name.into_iter().chain([clock.unit.word()]).chain(origin.as_deref());
        let label = parts.collect::<Vec<_>>().join(" · ");
        let w = text::width(&label, LABEL) + 12.0;
        scene.fill(Rect::new(self.size.w - w, 0.0, w, RULER - 1.0), Ink::Token("s2"));
        scene.text(Point { x: self.size.w - 6.0, y: 16.0 }, label, LABEL, Ink::Token("t2"), Align::Right);
    }

    /// Lines of the labelled ticks through the lanes.
    pub(super) fn grid(&mut self, ticks: &[Tick], field: Rect) {
        for tick in ticks.iter().filter(|t| !t.label.is_empty()) {
            let x0 = (tick.x as Px).floor();
            let ink = Ink::Token("line");
            self.spans.push(SpanRect {
                x0,
                x1: x0 + 1.0,
                y: field.y,
                h: field.h,
                ink,
                alpha: 178,
                look: SpanStyle::Plain,
            });
        }
    }

    pub(super) fn ruler(&self, scene: &mut Scene, ticks: &[Tick]) {
        let w = self.size.w;
        scene.fill(Rect::new(0.0, 0.0, w, RULER), Ink::Token("s1"));
        scene.fill(Rect::new(0.0, RULER - 1.0, w, 1.0), Ink::Token("line"));
        let taken = self.range(scene);
        self.ticks_of(scene, ticks, taken);
        self.flags(scene);
        self.clock_name(scene);
    }

    fn ticks_of(&self, scene: &mut Scene, ticks: &[Tick], taken: Option<(Px, Px)>) {
        let w = self.size.w;
        for tick in ticks {
            let x = (tick.x as Px).floor();
            let h = if tick.label.is_empty() { 4.0 } else { 8.0 };
            let is_free = taken.is_none_or(|(x0, x1)| x < x0 || x1 < x);
            if 0.0 <= x && is_free {
                scene.fill(Rect::new(x, RULER - 1.0 - h, 1.0, h), Ink::Token("line2"));
            }
            let end = x + 5.0 + text::width(&tick.label, LABEL);
            let is_free = taken.is_none_or(|(x0, x1)| end < x0 || x1 < x);
            if !tick.label.is_empty() && 0.0 <= x && end <= w && is_free {
                let at = Point { x: x + 5.0, y: 14.0 };
                scene.text(at, tick.label.clone(), LABEL, Ink::Token("t3"), Align::Left);
            }
        }
    }

    /// Flags of the marks: a name on its color at the start, a bar along the bottom for a stretch.
    fn flags(&self, scene: &mut Scene) {
        for mark in &self.setting.frame.marks {
            let (x0, x1) = (self.x(mark.span.start).round(), self.x(mark.span.end).round());
            if x1 < 0.0 || self.size.w < x0 {
                continue;
            }
            let ink = Ink::Slice(mark.color);
            let (left, right) = (x0.max(0.0), x1.min(self.size.w));
            scene.fill(Rect::new(left, RULER - 3.0, (right - left).max(1.0), 3.0), ink);
            let name = text::cut_end(&mark.name, LABEL, 120.0);
            let rect = Rect::new(x0, 1.0, text::width(&name, LABEL) + 8.0, 14.0);
            scene.shapes.push(Shape::Fill { rect, radius: 2.0, ink });
            scene.fill(Rect::new(x0, 1.0, 1.0, RULER - 2.0), ink);
            let at = Point { x: x0 + 4.0, y: 12.0 };
            scene.text(at, name.into_owned(), LABEL, Ink::OnSlice(mark.color), Align::Left);
        }
    }

    /// The selected range with its handles and its length; returns where no ticks are to be.
    fn range(&self, scene: &mut Scene) -> Option<(Px, Px)> {
        let range = self.setting.frame.range?;
        let (x0, x1) = (self.x(range.start), self.x(range.end));
        let (left, right) = (x0.max(0.0), x1.min(self.size.w));
        if right < 0.0 || self.size.w < left {
            return None;
        }
        scene.fill(Rect::new(left, 0.0, (right - left).max(1.0), RULER - 1.0), Ink::Token("sel"));
        for x in [x0, x1] {
            let rect = Rect::new(x - 2.5, 6.0, 5.0, 12.0);
            scene.shapes.push(Shape::Fill { rect, radius: 1.0, ink: Ink::Token("sel-line") });
        }
        let label = self.clock().duration(range);
        let font = Font::ui(11.0).weight(500);
        let (middle, half) = (f32::midpoint(left, right), text::width(&label, font) / 2.0 + 6.0);
        if 2.0 * half + 12.0 < right - left {
            let rule = Stroke::new(Ink::Token("sel-line"), 1.0);
            for (from, to) in [(left + 8.0, middle - half), (middle + half, right - 8.0)] {
                scene.line(Point { x: from, y: 12.5 }, Point { x: to, y: 12.5 }, rule);
            }
            scene.text(Point { x: middle, y: 16.0 }, label, font, Ink::Token("t1"), Align::Middle);
        }
        Some((left - 3.0, right + 3.0))
    }
}
