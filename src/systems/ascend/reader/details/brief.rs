//! What one compares of operators where their containers have no CSV files beside them.
//!
//! | measure | of |
//! |---|---|
//! | `Vector All Active`, … | 0x06: shares of cycles, of the average over all cores, or the mean of the cores |
//! | L2 hit rate | 0x08: `hit_ratio`, mean of the cores |
//! | GM ↔ L2 | 0x08: bandwidth of the paths between them, all cores together |
//! | L2 → UB, share of peak, … | 0x08: `peak_ratio`, mean of the cores that have one; no file says another peak |

use super::load;
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
    (&[2], phrase("L2 → L1, share of peak")),
    (&[3], phrase("L1 → L2, share of peak")),
    (&[9], phrase("L0C → L1, share of peak")),
    (&[10], phrase("L0C → L2, share of peak")),
    (&[12, 16], phrase("L2 → UB, share of peak")),
    (&[13, 17], phrase("UB → L2, share of peak")),
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
    if !known.pipes {
        let shares = load::shares(load, &Timing::of(info));
        all.extend(shares.into_iter().map(|(name, value)| Measure { name, unit: Unit::Percent, value }));
    }
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut unheard = Sink::default();
    let mut fields = Fields::new(&within, &mut unheard);
    let mut number = |json: &Json, key: &str| fields.number(json, key, "").filter(|value| value.is_finite());
    let cores = graph.get("core_memory_map").map_or(&[][..], Json::items);
    if !known.cache {
        let hits = cores.iter().filter_map(|core| number(core.get("L2cache")?, "hit_ratio"));
        let rate = mean(hits).map(|value| Measure {
            name: phrase("L2 hit rate").to_owned(),
            unit: Unit::Percent,
            value,
        });
        all.extend(rate);
    }
    if known.memory {
        return all;
    }
    let mut units = Vec::new();
    for unit in cores.iter().filter_map(|core| core.get("memory_unit")).flat_map(Json::items) {
        let Some(path) = number(unit, "memory_path") else { continue };
        units.push((path, number(unit, "bandwidth"), number(unit, "peak_ratio")));
    }
    let of_paths = |paths: &'static [u8]| {
        let is = move |of: f64| paths.iter().any(|path| of == f64::from(*path));
        units.iter().filter(move |(of, ..)| is(*of))
    };
    let sum = of_paths(&TO_MEMORY).filter_map(|(_, bandwidth, _)| *bandwidth).reduce(|a, b| a + b);
    let measure = |name: &str, unit, value| Measure { name: name.to_owned(), unit, value };
    all.extend(sum.map(|value| measure(phrase("GM ↔ L2"), Unit::GigabytesPerSec, value)));
    for (paths, name) in PEAKS {
        let peak = mean(of_paths(paths).filter_map(|(.., peak)| *peak));
        all.extend(peak.map(|value| measure(name, Unit::Percent, value)));
    }
    all
}

/// The mean; `None` of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (0 < n).then(|| sum / f64::from(n))
}
