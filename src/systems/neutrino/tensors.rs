//! `tensor.trace`: the tensors that were passed to functions, written by a helper of the tool.
//!
//! ```text
//! [call]  1745243368912002086  torch.Size([4, 32, 4096, 64])  67108864  140007813677056  q  forward  /src/a.py:405
//!         ns                   shape                          bytes     first address    name  function  place
//! ```

use super::folder::Tensor;
use crate::base::map::Map;

/// Reads the lines; of each pointer the last counts.
pub(super) fn read(text: &str) -> Vec<Tensor> {
    let mut tensors: Vec<Tensor> = Vec::new();
    let mut of_pointer: Map<u64, usize> = Map::default();
    for tensor in text.lines().filter_map(tensor) {
        let at = *of_pointer.entry(tensor.pointer).or_insert(tensors.len());
        match tensors.get_mut(at) {
            Some(known) => *known = tensor,
            None => tensors.push(tensor),
        }
    }
    tensors
}

fn tensor(line: &str) -> Option<Tensor> {
    let mut parts = line.trim_end().split("  ");
    parts.next().filter(|word| *word == "[call]")?;
    let time = parts.next()?.parse().ok()?;
    let shape = parts.next()?;
    let shape =
        shape.strip_prefix("torch.Size([").and_then(|shape| shape.strip_suffix("])")).unwrap_or(shape);
    let (bytes, pointer) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let mut text = || parts.next().unwrap_or("").to_owned();
    Some(Tensor {
        time,
        shape: shape.to_owned(),
        bytes,
        pointer,
        name: text(),
        function: text(),
        place: text(),
    })
}
