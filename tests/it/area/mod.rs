//! What a range holds: call trees, tracks busy together, gaps, flows.

mod corpus;
mod front;
mod oracles;
mod range;

use lanescope::analysis::area::gaps::{Finding, Idle, Longest};
use lanescope::analysis::area::links::{Categorizing, Category};
use lanescope::analysis::area::{Scope, Work};

/// How each track of an area spends the time.
fn idle(scope: Scope, waits: bool) -> Vec<Idle> {
    let work = Work::new(waits);
    let mut finding = Finding::idle((scope.trace, scope.timeline), scope.tracks.to_vec(), scope.span, work);
    while finding.step(scope.trace, scope.timeline) {}
    finding.finish()
}

/// The longest gaps of an area, at most so many; waiting is not work.
fn longest(scope: Scope, limit: usize) -> Longest {
    let work = Work::new(false);
    let mut finding = Finding::longest(scope.tracks.to_vec(), scope.span, work, limit);
    while finding.step(scope.trace, scope.timeline) {}
    finding.finish()
}

/// What the flows of an area add up to by category.
fn categories(scope: Scope) -> Vec<Category> {
    let mut categories = Categorizing::new(scope);
    while categories.step(scope.trace, scope.timeline) {}
    categories.finish()
}
