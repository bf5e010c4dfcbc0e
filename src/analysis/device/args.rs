//! What writers call the measures of a launch among the arguments of a kernel.

use crate::base::words::phrase;

/// What a kernel was launched with: titles for people, and the names that arguments have.
pub const LAUNCH_ARGS: [(&str, &[&str]); 8] = [
    (phrase("Grid"), &["grid", "Block Dim", "block dim"]),
    (phrase("Block size"), &["block"]),
    (phrase("Registers per thread"), &["registers per thread"]),
    (phrase("Shared memory"), &["shared memory"]),
    (phrase("Estimated occupancy (%)"), &["est. achieved occupancy %"]),
    (phrase("Blocks per SM"), &["blocks per SM"]),
    (phrase("Warps per SM"), &["warps per SM"]),
    (phrase("Bytes"), &["bytes", "size(Byte)"]),
];
