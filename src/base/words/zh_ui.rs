//! Widgets, in Chinese.

use super::Table;

/// Sorted by the English bytes.
pub(super) const TABLE: Table = &[
    ("Clear", "清除"),
    ("Close", "关闭"),
    ("Copy the rows with their heads", "复制这些行及表头"),
    ("Filter rows", "筛选行"),
    ("No rows", "没有数据行"),
    ("{n} of {m} rows", "{n} / {m} 行"),
    ("{n} rows", "{n} 行"),
];
