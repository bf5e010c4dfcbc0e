//! Slow and obvious versions of what `analysis` computes, used as oracles.

use lanescope::base::time::Window;
use lanescope::base::time::{Span, Ticks};
use lanescope::model::id::StrId;
use lanescope::model::slice::Slices;

/// The lane of every row: the lowest whose slices have all ended, one interval for each group.
pub(crate) fn lanes(slices: &Slices) -> Vec<usize> {
    let group = |row: usize| Slices::sparse(&slices.group, row);
    let taken_until = |span: Span| span.end.max(span.start + 1);
    let mut lanes: Vec<Vec<Span>> = Vec::new();
    let mut placed: Vec<usize> = Vec::new();
    for row in 0..slices.len() {
        let span = slices.span(row);
        let own = Span { start: span.start, end: taken_until(span) };
        let members = || (0..slices.len()).filter(|&r| group(r) != StrId(0) && group(r) == group(row));
        let group_end = members().map(|r| slices.span(r).end).max();
        let first = members().next();
        let lane_of_group = first.filter(|&f| f < row).map(|f| placed[f]);
        let fits_group = |lane: usize| {
            let before = members().filter(|&r| r < row && placed[r] == lane);
            group_end.is_some_and(|end| span.start < end)
                && before.map(|r| taken_until(slices.span(r))).all(|end| end <= span.start)
        };
        let lane = lane_of_group.filter(|&lane| fits_group(lane)).unwrap_or_else(|| {
            let free = lanes.iter().position(|lane| lane.iter().all(|s| s.end <= span.start));
            free.unwrap_or(lanes.len())
        });
        if lane == lanes.len() {
            lanes.push(Vec::new());
        }
        let until = if first == Some(row) { group_end.unwrap_or(own.end).max(own.end) } else { own.end };
        lanes[lane].push(Span { start: own.start, end: until });
        placed.push(lane);
    }
    placed
}

/// One pixel column of a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column {
    /// Covered share.
    pub(crate) share: f64,
    /// Whether a slice lies in it.
    pub(crate) is_hit: bool,
    /// Whether a slice or the one tick of a slice without length lies in it.
    pub(crate) may_be_hit: bool,
}

/// What each column of a window shows of some spans.
pub(crate) fn columns(spans: &[Span], window: &Window, n: usize) -> Vec<Column> {
    let x = |t: Ticks| window.offset(t) * (n as f64 / window.dur);
    let mut columns = vec![Column::default(); n];
    for span in spans {
        let (x0, x1, tick) = (x(span.start), x(span.end), x(span.end.max(span.start + 1)));
        for (i, column) in (0u32..).zip(&mut columns) {
            let (left, right) = (f64::from(i), f64::from(i + 1));
            column.share += (x1.min(right) - x0.max(left)).max(0.0);
            let is_point_inside = span.is_empty() && x0.floor() == left;
            column.is_hit |= is_point_inside || (!span.is_empty() && x0 < right && left < x1);
            column.may_be_hit |= x0 < right && left < tick;
        }
    }
    columns
}

/// The closest container of a row.
pub(crate) fn parent(slices: &Slices, row: usize) -> Option<usize> {
    let span = slices.span(row);
    (0..row).rev().find(|&before| span.end.max(span.start + 1) <= slices.span(before).end)
}

/// Self time of every row in a range: its length without the time of rows whose closest container it is.
pub(crate) fn own(slices: &Slices, range: Span) -> Vec<Ticks> {
    let n = slices.len();
    let inside = |row: usize| slices.span(row).intersect(range);
    let parent = |row: usize| parent(slices, row);
    (0..n)
        .map(|row| {
            let children = (0..n).filter(|&child| parent(child) == Some(row)).map(inside);
            inside(row).dur() - union(&children.collect::<Vec<_>>())
        })
        .collect()
}

/// How many ticks at least one of the spans lasts.
pub(crate) fn union(spans: &[Span]) -> Ticks {
    let mut spans = spans.to_vec();
    spans.sort_by_key(|s| s.start);
    let (mut sum, mut until) = (0, Ticks::MIN);
    for span in spans {
        sum += (span.end - span.start.max(until)).max(0);
        until = until.max(span.end);
    }
    sum
}

/// How many of these rows lie in no other of them, and the time of all in a range and whole: what lies in one of them counts
/// once, but for what overlaps in part in it.
pub(crate) fn totals(slices: &Slices, of: &[usize], range: Span) -> (u64, Ticks, Ticks) {
    let mut seen: std::collections::BTreeMap<usize, [Vec<Span>; 2]> = std::collections::BTreeMap::new();
    let (mut n, mut sums) = (0, [0, 0]);
    for &row in of {
        let span = slices.span(row);
        let spans = [span.intersect(range), span];
        let mut parents = std::iter::successors(parent(slices, row), |row| parent(slices, *row));
        let around = parents.find(|at| seen.contains_key(at)).and_then(|at| seen.get_mut(&at));
        n += u64::from(around.is_none());
        for (sum, span) in sums.iter_mut().zip(spans) {
            *sum += span.dur();
        }
        for ((sum, inner), span) in sums.iter_mut().zip(around.into_iter().flatten()).zip(spans) {
            let known = union(inner);
            inner.push(span);
            *sum -= union(inner) - known;
        }
        seen.insert(row, [Vec::new(), Vec::new()]);
    }
    (n, sums[0], sums[1])
}
