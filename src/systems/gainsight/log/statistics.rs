//! What the blocks of statistics at the ends of kernels say.

pub(super) use crate::systems::gainsight::statistics::Statistics;
