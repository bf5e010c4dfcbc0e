//! What the options at the head of a log say of clocks and caches.

use super::line::float;
use crate::views::lifetimes::compute::LevelHead;

/// Options as far as they matter.
#[derive(Default)]
pub(super) struct Config {
    /// The clock of the cores in MHz.
    pub(super) clock_mhz: Option<f64>,
    l1: Option<u64>,
    slice: Option<u64>,
    memories: Option<u64>,
    slices: Option<u64>,
    clusters: Option<u64>,
    cores: Option<u64>,
    /// Cycles that pass in each kernel before it begins to run.
    pub(super) launch_latency: Option<u64>,
}

impl Config {
    /// Takes an option.
    pub(super) fn option(&mut self, key: &str, value: &str) {
        let number = || value.trim().parse::<u64>().ok();
        match key {
            "gpgpu_clock_domains" => {
                self.clock_mhz = value.split(':').next().and_then(float).filter(|mhz| 0.0 < *mhz);
            }
            "gpgpu_cache:dl1" => self.l1 = cache(value),
            "gpgpu_cache:dl2" => self.slice = cache(value),
            "gpgpu_n_clusters" => self.clusters = number(),
            "gpgpu_n_cores_per_cluster" => self.cores = number(),
            "gpgpu_kernel_launch_latency" => self.launch_latency = number(),
            "gpgpu_n_mem" => self.memories = number(),
            "gpgpu_n_sub_partition_per_mchannel" => self.slices = number(),
            _ => {}
        }
    }

    /// The levels: L1 of each SM, and L2 with all its slices.
    pub(super) fn levels(&self) -> Vec<LevelHead> {
        let product = |of: Option<u64>, each: Option<u64>| of?.checked_mul(each.unwrap_or(1));
        let slices = product(self.memories, self.slices);
        let l2 = self.slice.zip(slices).and_then(|(bytes, slices)| bytes.checked_mul(slices));
        let head = |name: &str, unit: &str, is_private, bytes, units| LevelHead {
            name: name.to_owned(),
            unit: unit.to_owned(),
            is_private,
            bytes,
            word_bytes: None,
            units,
        };
        let cores = product(self.clusters, self.cores);
        vec![head("L1", "SM", true, self.l1, cores), head("L2", "slice", false, l2, slices)]
    }
}

/// Bytes of `S:64:128:16,L:B:m:L:P,…`: sets, bytes of a line, ways; older versions have no letter in front.
fn cache(value: &str) -> Option<u64> {
    let shape = value.split(',').next()?;
    let numbers = shape.split(':').filter_map(|part| part.trim().parse::<u64>().ok());
    let numbers: Vec<u64> = numbers.collect();
    let [sets, line, ways] = numbers.as_slice() else { return None };
    sets.checked_mul(*line)?.checked_mul(*ways)
}
