//! Real files, where they are at hand: what ranges hold is plausible, and sums of it are equal however they are made.
