//! What one compares of operators where their containers have no CSV files beside them.
//!
//! | measure | of |
//! |---|---|
//! | `Vector All Active`, … | 0x06: shares of cycles, of the average over all cores, or weighted by the cycles of the cores |
//! | L2 hit rate | 0x08: hits ÷ requests of all cores |
//! | GM ↔ L2 | 0x08: bandwidth of the paths between them, all cores together in the time of the longest |
//! | L2 → UB, share of peak, … | 0x08: `peak_ratio`, weighted by the cycles of the cores that have one |

use super::load;
use super::pipes::Pipes;
use super::timing::Timing;
use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::files::operator::Measure;
use crate::systems::ascend::reader::field::{Fields, Within};

/// Paths of a core between memory and second cache.
static TO_MEMORY: [u8; 2] = [0, 1];
/// Paths that have a peak; those of both vector units are one.
const PEAKS: [(&[u8], &str); 6] = [
    (&[2], phrase("L2 → L1, share of peak (by time)")),
    (&[3], phrase("L1 → L2, share of peak (by time)")),
    (&[9], phrase("L0C → L1, share of peak (by time)")),
    (&[10], phrase("L0C → L2, share of peak (by time)")),
    (&[12, 16], phrase("L2 → UB, share of peak (by time)")),
    (&[13, 17], phrase("UB → L2, share of peak (by time)")),
];

/// What files beside the container tell already.
#[derive(Clone, Copy, Default)]
pub(in crate::systems::ascend::reader) struct Known {
    pub(in crate::systems::ascend::reader) pipes: bool,
    pub(in crate::systems::ascend::reader) memory: bool,
    pub(in crate::systems::ascend::reader) cache: bool,
}

/// All measures of a container: its base info, 0x06 and 0x08. What is wrong with them is said when it is opened.
pub(in crate::systems::ascend::reader) fn measures(
    [info, load, graph]: [&Json; 3],
    known: Known,
) -> Vec<Measure> {
    let mut all = Vec::new();
    let (mut pipes, timing) = (Pipes::default(), Timing::of(info));
    pipes.add_graph(graph);
    let load = load::entries(load, &timing);
    pipes.add_load(&load);
    if !known.pipes {
        let shares = load::shares(&load, &timing, &pipes);
        let named =
            |(name, value)| Measure { name: format!("{name} (by cycles)"), unit: Unit::Percent, value };
        all.extend(shares.into_iter().map(named));
    }
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut unheard = Sink::default();
    let mut fields = Fields::new(&within, &mut unheard);
    let mut number = |json: &Json, key: &str| fields.number(json, key, "").filter(|value| value.is_finite());
    let cores = graph.get("core_memory_map").map_or(&[][..], Json::items);
    if !known.cache {
        all.extend(hit_rate(cores, &mut number));
    }
    if known.memory {
        return all;
    }
    let mut units = Vec::new();
    for core in cores {
        let block = core.get("core_no").and_then(Json::as_text).unwrap_or("");
        for unit in core.get("memory_unit").map_or(&[][..], Json::items) {
            let Some(path) = number(unit, "memory_path") else { continue };
            units.push((path, number(unit, "bandwidth"), number(unit, "peak_ratio"), block));
        }
    }
    let of_paths = |paths: &'static [u8]| {
        let is = move |of: f64| paths.iter().any(|path| of == f64::from(*path));
        units.iter().filter(move |(of, ..)| is(*of))
    };
    // A rate of a block is over its own time, that of all over the time of the longest.
    let has_cycles = units.iter().all(|(.., block)| pipes.cycles(block, None).is_some());
    let cycles = |block: &str, unit: Option<&str>| {
        let own = pipes.cycles(block, unit).or_else(|| pipes.cycles(block, None));
        own.filter(|_| has_cycles).unwrap_or(1.0)
    };
    let moved =
        of_paths(&TO_MEMORY).filter_map(|(_, rate, _, block)| Some((*rate.as_ref()?, cycles(block, None))));
    let moved: Vec<(f64, f64)> = moved.collect();
    let longest = moved.iter().map(|(_, cycles)| *cycles).fold(0.0, f64::max);
    let rate = moved.iter().map(|(rate, cycles)| rate * (cycles / longest)).reduce(|a, b| a + b);
    let measure = |name: &str, unit, value| Measure { name: name.to_owned(), unit, value };
    all.extend(rate.map(|value| measure(phrase("GM ↔ L2"), Unit::GigabytesPerSec, value)));
    for (paths, name) in PEAKS {
        let peaks = of_paths(paths).filter_map(|(path, _, peak, block)| {
            Some((*peak.as_ref()?, cycles(block, Some(unit_of(*path)))))
        });
        let peak = weighted(peaks);
        all.extend(peak.map(|value| measure(name, Unit::Percent, value)));
    }
    all
}

/// The unit whose paths these are: those of a vector unit have their own numbers.
fn unit_of(path: f64) -> &'static str {
    if (12.0..=15.0).contains(&path) {
        "vector0"
    } else if (16.0..=19.0).contains(&path) {
        "vector1"
    } else {
        "cube0"
    }
}

/// Hits by requests of all cores.
fn hit_rate(cores: &[Json], number: &mut impl FnMut(&Json, &str) -> Option<f64>) -> Option<Measure> {
    let (mut hits, mut all) = (0.0, 0.0);
    for cache in cores.iter().filter_map(|core| core.get("L2cache")) {
        let hit = number(cache, "hit");
        let requests = number(cache, "total_request").or_else(|| Some(hit? + number(cache, "miss")?));
        if let Some((hit, requests)) = hit.zip(requests) {
            (hits, all) = (hits + hit, all + requests);
        }
    }
    let name = phrase("L2 hit rate (by requests)").to_owned();
    (0.0 < all).then(|| Measure { name, unit: Unit::Percent, value: hits / all * 100.0 })
}

/// The mean of values with their weights; `None` of nothing.
pub(super) fn weighted(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, whole) =
        values.fold((0.0, 0.0), |(sum, whole), (value, weight)| (sum + value * weight, whole + weight));
    (0.0 < whole).then(|| sum / whole)
}
