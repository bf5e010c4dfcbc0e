//! How many kernels a sampled one stands for.

use super::cells::{number, whole};
use crate::base::map::Map;
use crate::format::sink::Sink;
use crate::views::lifetimes::compute::Recorded;

/// How many kernels each stands for, by its number in the file. Kept in `Trace::extensions`: it holds for all runs.
#[derive(Default)]
pub(in crate::systems::gainsight) struct Weights(Map<u64, f64>);

/// Columns of the kernel, and of its weight or else of its cluster.
pub(super) fn columns<'a>(heads: impl Iterator<Item = &'a str>) -> Option<(usize, Result<usize, usize>)> {
    const KERNEL: [&str; 5] = ["kernel id", "kernel", "representative", "representative id", "id"];
    const WEIGHT: [&str; 6] = ["weight", "size", "cluster size", "count", "members", "cluster weight"];
    const CLUSTER: [&str; 4] = ["cluster", "cluster id", "label", "group"];
    let heads: Vec<String> = heads.map(|head| head.trim().to_ascii_lowercase().replace('_', " ")).collect();
    let find = |names: &[&str]| names.iter().find_map(|name| heads.iter().position(|head| head == name));
    let of = find(&WEIGHT).map(Ok).or_else(|| find(&CLUSTER).map(Err));
    Some((find(&KERNEL)?, of?))
}

impl Weights {
    /// Reads a table.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let heads = reader.byte_headers().cloned().unwrap_or_default();
        let heads: Vec<String> =
            heads.iter().map(|head| String::from_utf8_lossy(head).into_owned()).collect();
        let Some((kernel, of)) = columns(heads.iter().map(String::as_str)) else { return };
        let mut members: Vec<(u64, Vec<u8>)> = Vec::new();
        for row in reader.byte_records().map_while(Result::ok) {
            let Some(id) = row.get(kernel).and_then(whole) else { continue };
            match of {
                Ok(weight) => {
                    if let Some(weight) = row.get(weight).and_then(number).filter(|weight| 0.0 < *weight) {
                        self.0.insert(id, weight);
                    }
                }
                Err(cluster) => members.extend(row.get(cluster).map(|cluster| (id, cluster.to_vec()))),
            }
        }
        let mut sizes: Map<&[u8], f64> = Map::default();
        for (_, cluster) in &members {
            *sizes.entry(cluster).or_default() += 1.0;
        }
        self.0
            .extend(members.iter().filter_map(|(id, cluster)| Some((*id, *sizes.get(cluster.as_slice())?))));
    }

    /// Gives the kernels of all runs their weights.
    pub(in crate::systems::gainsight) fn apply(sink: &mut Sink) {
        let extensions = &mut sink.builder.head().extensions;
        let Some(weights) = extensions.get::<Self>().map(|weights| weights.0.clone()) else { return };
        let recorded: &mut Recorded = extensions.get_or_default();
        for kernel in recorded.runs.iter_mut().flat_map(|run| &mut run.kernels) {
            if let Some(weight) = weights.get(&kernel.id) {
                kernel.weight = *weight;
            }
        }
    }
}
