//! Where a series of numbers changes most, and whether by more than chance.
//!
//! For each place between two of them: how much of their variance the means before and after it explain. Where that is most, the
//! series turns. How probable so much is by chance is counted over random orders of the same numbers, each at its own best place:
//! so that all places were looked at is taken into account.

use super::changes::median;
use crate::base::job::Turn;

/// Random orders.
pub const ORDERS: u32 = 9_999;
/// So many orders with as much are enough to know that it is nothing: 5 % of all.
const ENOUGH: u32 = 500;
/// What is the same but for rounding.
const SAME: f64 = 1.0 - 1e-9;

/// So many of the last numbers may be elsewhere by chance.
const CHANCE: usize = 2;

/// The place and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// The first of the second part.
    pub place: usize,
    pub p: f64,
}

/// Where a series turns; `None` where all its numbers are the same.
pub async fn turning(values: &[f64], turn: &Turn) -> Option<Turning> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let first = values.first()?;
    if values.iter().all(|value| value == first) {
        return None;
    }
    let mut values: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let (place, most) = best(&values);
    // splitmix64: the same orders each time.
    let mut state = 0_u64;
    let mut below = |n: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % n as u64) as usize
    };
    let mut as_much = 0;
    for seen in 1..=ORDERS {
        for at in (1..values.len()).rev() {
            values.swap(at, below(at + 1));
        }
        as_much += u32::from(most * SAME <= best(&values).1);
        if turn.is_over(values.len()) {
            turn.pause().await;
        }
        if as_much == ENOUGH {
            return Some(Turning { place, p: f64::from(ENOUGH) / f64::from(seen) });
        }
    }
    Some(Turning { place, p: f64::from(as_much + 1) / f64::from(ORDERS + 1) })
}

/// How many of the numbers behind a turning belong to it: all, or those before the last ones that are back on the side of what
/// was before. One or two may be there by chance, unless no other number is on the wrong side.
pub fn lasting(before: &[f64], after: &[f64]) -> usize {
    let (Some(low), Some(high)) = (median(before.to_vec()), median(after.to_vec())) else {
        return after.len();
    };
    let is_back = |value: &&f64| low != high && (**value < (low + high) / 2.0) == (low < high);
    let n_back = after.iter().rev().take_while(is_back).count();
    let held = after.len() - n_back;
    let is_clean =
        before.iter().all(|value| is_back(&value)) && !after.iter().take(held).any(|value| is_back(&value));
    if CHANCE < n_back || is_clean { held } else { after.len() }
}

/// The place with the most, and how much; the mean of all is 0.
fn best(values: &[f64]) -> (usize, f64) {
    let (n, mut sum, mut best) = (values.len(), 0.0, (0, -1.0));
    for (at, value) in values.iter().enumerate().take(n.saturating_sub(1)) {
        sum += value;
        let much = sum * sum / ((at + 1) * (n - at - 1)) as f64;
        if best.1 < much {
            best = (at + 1, much);
        }
    }
    best
}
