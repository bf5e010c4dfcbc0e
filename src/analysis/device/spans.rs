//! Stretches of time as a set: sorted, joined where they meet, with their sums.

use crate::base::time::{Span, Ticks};

/// Times in which something goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    spans: Vec<Span>,
    /// Ticks before each.
    before: Vec<Ticks>,
}

impl Times {
    /// Joins stretches that are sorted by their start.
    pub fn of_sorted(sorted: impl IntoIterator<Item = (Ticks, Ticks)>) -> Self {
        let mut times = Self::default();
        sorted.into_iter().for_each(|(start, end)| times.push(Span { start, end }));
        times
    }

    /// Adds a stretch that begins no sooner than those before it.
    pub fn push(&mut self, span: Span) {
        match self.spans.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ if span.is_empty() => {}
            last => {
                let sum = last.map_or(0, |last| last.dur());
                self.before.push(self.before.last().copied().unwrap_or(0).saturating_add(sum));
                self.spans.push(span);
            }
        }
    }

    /// The stretches.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Ticks of them inside of a stretch.
    pub fn inside(&self, span: Span) -> Ticks {
        self.until(span.end).saturating_sub(self.until(span.start)).max(0)
    }

    /// Ticks of them before a time.
    fn until(&self, time: Ticks) -> Ticks {
        let at = self.spans.partition_point(|span| span.start < time);
        let Some(last) = at.checked_sub(1).and_then(|at| self.spans.get(at)) else { return 0 };
        let before = self.before.get(at - 1).copied().unwrap_or(0);
        before.saturating_add(last.end.min(time).saturating_sub(last.start))
    }

    /// Their parts inside of a stretch.
    pub fn parts(&self, within: Span) -> impl Iterator<Item = Span> + '_ {
        let from = self.spans.partition_point(|span| span.end <= within.start);
        let rest = self.spans.get(from..).unwrap_or_default();
        rest.iter().take_while(move |span| span.start < within.end).map(move |span| span.intersect(within))
    }

    /// What is left of a stretch without them.
    pub fn rest(&self, within: Span) -> impl Iterator<Item = Span> + '_ {
        let end = Span { start: within.end, end: within.end };
        let mut from = within.start;
        self.parts(within).chain(std::iter::once(end)).filter_map(move |part| {
            let gap = Span { start: from, end: part.start };
            from = part.end;
            (!gap.is_empty()).then_some(gap)
        })
    }
}

/// A set that two others yield, on its way.
#[derive(Default)]
pub struct Merging {
    /// The stretch of each that is next.
    at: (usize, usize),
    /// Where what is left of the first one's stretch begins, if something was cut off.
    from: Option<Ticks>,
    /// What came out so far.
    pub done: Times,
}

impl Merging {
    /// Both; false when nothing is left to do.
    pub fn and(&mut self, one: &Times, other: &Times, left: &mut usize) -> bool {
        while 0 < *left {
            *left -= 1;
            let (at, place) = match (one.spans.get(self.at.0), other.spans.get(self.at.1)) {
                (Some(a), Some(b)) if b.start < a.start => (b, &mut self.at.1),
                (Some(a), _) => (a, &mut self.at.0),
                (None, Some(b)) => (b, &mut self.at.1),
                (None, None) => return false,
            };
            *place += 1;
            self.done.push(*at);
        }
        true
    }

    /// What is left of the first without the other; false when nothing is left to do.
    pub fn without(&mut self, one: &Times, other: &Times, left: &mut usize) -> bool {
        while 0 < *left {
            *left -= 1;
            let Some(own) = one.spans.get(self.at.0) else { return false };
            let start = self.from.unwrap_or(own.start);
            let cut = other.spans.get(self.at.1).filter(|cut| cut.start < own.end);
            if let Some(cut) = cut
                && cut.end <= start
            {
                self.at.1 += 1;
                continue;
            }
            let end = cut.map_or(own.end, |cut| cut.start);
            if start < end {
                self.done.push(Span { start, end });
            }
            match cut.filter(|cut| cut.end < own.end) {
                Some(cut) => (self.from, self.at.1) = (Some(cut.end), self.at.1 + 1),
                None => (self.from, self.at.0) = (None, self.at.0 + 1),
            }
        }
        true
    }
}
