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

    /// What is left of them without others.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Self::default();
        self.spans.iter().flat_map(|span| other.rest(*span)).for_each(|span| left.push(span));
        left
    }

    /// They and others.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut all = Self::default();
        let (mut a, mut b) = (self.spans.iter().peekable(), other.spans.iter().peekable());
        while let Some(span) = match (a.peek(), b.peek()) {
            (Some(one), Some(two)) if two.start < one.start => b.next(),
            (Some(_), _) => a.next(),
            (None, _) => b.next(),
        } {
            all.push(*span);
        }
        all
    }
}
