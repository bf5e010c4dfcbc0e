//! What addresses belong to: tensors, else allocations of the application.

use crate::base::words::message;
use crate::systems::neutrino::folder::{Allocation, Folder};
use crate::views::density::compute::Region;

/// The regions of a folder, those that count more first.
pub(super) fn regions(folder: &Folder) -> Vec<Region> {
    if folder.tensors.is_empty() {
        return allocations(folder);
    }
    let tensors = folder.tensors.iter().enumerate().map(|(n, tensor)| Region {
        start: tensor.pointer,
        bytes: tensor.bytes,
        name: if tensor.name.is_empty() {
            message("Tensor {n}").with("n", n)
        } else {
            tensor.name.clone().into()
        },
        detail: tensor.shape.clone(),
    });
    tensors.collect()
}

/// Allocations that are alive at the launch, named by the parameter of the kernel that points into them.
fn allocations(folder: &Folder) -> Vec<Region> {
    let at = folder.result.as_ref().and_then(|result| result.launch);
    let parameters = folder.launch().map_or(&[][..], |launch| &launch.parameters);
    let is_alive = |a: &Allocation| at.is_none_or(|at| a.from <= at && a.to.is_none_or(|to| at < to));
    let region = |(n, a): (usize, &Allocation)| {
        let points = |value: &u64| a.pointer <= *value && *value - a.pointer < a.bytes;
        Region {
            start: a.pointer,
            bytes: a.bytes,
            name: match parameters.iter().position(points) {
                Some(n) => message("Parameter {n}").with("n", n),
                None => message("Allocation {n}").with("n", n + 1),
            },
            detail: format!("0x{:x}", a.pointer),
        }
    };
    folder.allocations.iter().enumerate().filter(|(_, a)| is_alive(a)).map(region).collect()
}
