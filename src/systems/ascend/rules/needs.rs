//! How long the cores of a kind take, and what each of their pipes needs of it. Both are bounds, which hold whatever blocks
//! do of which nothing is known: cores take no longer, and no pipe needs less.

use super::operator::{Kind, Operator, Pipe, Times, UnitTime};
use crate::analysis::compare::units::UnitPart;
use crate::base::map::Map;
use crate::systems::ascend::reader::unit_key;

/// What is known of the units of a kind.
struct Known<'a> {
    units: Vec<&'a UnitTime>,
    /// Whether these are all.
    is_whole: bool,
    /// In how many waves their blocks ran, where all have a time.
    waves: Option<f64>,
}

impl Operator<'_> {
    /// How long the cores of a kind take, and what each of their pipes needs of it.
    pub(super) fn time_kind(&self, kind: &mut Kind, n_kinds: usize, times: Option<&Times>) {
        let nanos = |micros: f64| micros * 1e3;
        let waves = self.waves();
        let name = kind.name.clone();
        let own: Vec<&UnitTime> = times.into_iter().flat_map(|times| times.of(&name)).collect();
        let slowest = own.iter().map(|unit| unit.value).reduce(f64::max);
        let is_whole = times.is_some_and(|times| self.timed(times, &name).is_none());
        // Blocks of a few rows may not be all.
        let mut blocks: Vec<&str> = own.iter().map(|unit| unit.block.as_str()).collect();
        blocks.dedup();
        let has_all = is_whole && self.n_blocks.is_some_and(|n| n <= blocks.len() as f64);
        let is_alone = blocks.len() < 2 && self.n_blocks.is_none_or(|n| n <= 1.0);
        let longest = slowest.or_else(|| times.and_then(|times| Some(times.longest()?.value)));
        let longest = longest.filter(|_| is_whole);
        let whole = self.duration.or(longest);
        kind.at_least = slowest.map(nanos);
        kind.slowest = kind.at_least.filter(|_| is_whole);
        kind.time = match waves {
            Some(waves) if waves <= 1.0 => longest.or(self.duration),
            Some(waves) if has_all => longest.map(|longest| {
                let all = waves * longest;
                self.duration.map_or(all, |whole| whole.min(all))
            }),
            None if is_alone => longest.or(self.duration),
            // Nothing says how many blocks a core takes one after the other.
            _ => whole,
        }
        .map(nanos);
        if own.is_empty() {
            // All that is known of the only kind is its share.
            if let Some(time) = kind.time.filter(|_| n_kinds == 1) {
                kind.pipes
                    .iter_mut()
                    .for_each(|pipe| pipe.need = Some(pipe.of_every.min(100.0) / 100.0 * time));
            }
            return;
        }
        let known = Known { units: own, is_whole, waves: waves.filter(|_| has_all) };
        for pipe in &mut kind.pipes {
            let (need, mut needs) = known.need(pipe);
            pipe.need = Some(nanos(need.min(whole.unwrap_or(need))));
            for part in &mut needs {
                part.value = nanos(part.value);
            }
            pipe.needs = needs;
        }
    }
}

impl Known<'_> {
    /// What at least one core needs of a pipe: no less than any of its units, and what each of these needs. In the
    /// unit of their times.
    fn need(&self, pipe: &Pipe) -> (f64, Vec<UnitPart>) {
        if pipe.units.is_empty() {
            return (self.need_on_average(pipe), Vec::new());
        }
        let key = |unit: &&UnitTime| unit_key(&unit.block, &unit.name);
        let times: Map<u64, f64> = self.units.iter().map(|unit| (key(unit), unit.value)).collect();
        let shares = pipe.units.iter().filter(|part| 0.0 < part.of);
        let need = |part: &UnitPart| Some((part.value / part.of).min(1.0) * times.get(&part.unit)?);
        let needs = shares.filter_map(|part| Some(UnitPart { value: need(part)?, of: 1.0, ..*part }));
        let needs: Vec<UnitPart> = needs.collect();
        let values = || needs.iter().map(|part| part.value);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        // With so many waves some core takes at least as many blocks, though it may be the short ones.
        let in_waves =
            self.waves.filter(|_| needs.len() == self.units.len()).map_or(0.0, |waves| waves * least);
        (most.max(in_waves), needs)
    }

    /// Where no share of a unit is known: one of them needs no less than the mean, where that is of all.
    fn need_on_average(&self, pipe: &Pipe) -> f64 {
        let values = || self.units.iter().map(|unit| unit.value);
        let mean = if self.is_whole { values().sum::<f64>() / self.units.len().max(1) as f64 } else { 0.0 };
        // A mean of all is also what every core has at least, as far as anything says.
        let share = if 0.0 < pipe.of_every { pipe.active } else { 0.0 };
        share.min(100.0) / 100.0 * mean
    }
}
