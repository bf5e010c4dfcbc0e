//! Perfetto, in Chinese.

use crate::base::words::Table;

/// Sorted by the English bytes.
pub(crate) const TABLE: Table = &[
    ("Perfetto", "Perfetto"),
    ("a clock related to the trace clock", "与跟踪时钟相关联的时钟"),
    ("no events of known types in {n} other packets", "{n} 个其他数据包中没有已知类型的事件"),
    ("slice end without a begin", "切片结束没有对应的开始"),
];
