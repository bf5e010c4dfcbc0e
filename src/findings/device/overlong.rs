//! Communications that take far longer than their data needs: another one of their kind needs less for as much data, or
//! more. The rest of their time is no transfer: they wait for other devices, whether these are in the files or not, or set
//! something up.

use super::exchange::told;
use super::name_id;
use crate::analysis::device::Work;
use crate::analysis::device::class::collective;
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::findings::RuleInput;
use std::cmp::Reverse;

/// How many times as long as another one it takes: libraries choose the way by the size, which may cost a few times as much.
pub(super) const TIMES: f64 = 10.0;

/// Of such communications of a group, where arguments say how much they exchange: the part that is no transfer.
pub(super) fn overlong(input: &RuleInput, works: &[&Work]) -> Vec<(Ticks, Ticks)> {
    let mut kinds: Map<String, Vec<(u64, &Work)>> = Map::default();
    for work in works {
        let told = told(input, work.slice);
        let (sizes, types): (Vec<&str>, Vec<&str>) =
            told.sizes.split(' ').partition(|text| text.parse::<u64>().is_ok());
        let Some(size) = sizes.first().and_then(|size| size.parse().ok()) else { continue };
        let name = input.trace.strings.get(name_id(input, work.slice));
        let kind = told.kind.or_else(|| collective(name)).unwrap_or(name);
        kinds.entry(format!("{kind} {}", types.join(" "))).or_default().push((size, work));
    }
    let mut found = Vec::new();
    for list in kinds.values_mut() {
        list.sort_by_key(|(size, work)| (Reverse(*size), work.span.dur()));
        let mut least: Option<Ticks> = None;
        for (_, work) in list {
            let dur = work.span.dur();
            if let Some(least) = least.filter(|least| TIMES * *least as f64 <= dur as f64) {
                found.push((work.span.start, work.span.end - least));
            }
            least = Some(least.map_or(dur, |least| least.min(dur))).filter(|least| 0 < *least);
        }
    }
    found
}
