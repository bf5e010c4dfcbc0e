//! Perfetto, in Chinese.

use crate::base::words::Table;

/// Sorted by the English bytes.
pub(crate) const TABLE: Table = &[
    ("Perfetto", "Perfetto"),
    ("a clock related to the trace clock", "与跟踪时钟相关联的时钟"),
    ("none of {n} packets and events is of a known type", "{n} 个数据包和事件都不是已知类型"),
    ("slice end without a begin", "切片结束没有对应的开始"),
];
