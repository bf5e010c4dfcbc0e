//! The system to copy from, in Chinese.

use crate::base::words::Table;

/// Sorted by the English bytes.
pub(crate) const TABLE: Table = &[
    ("Bytes", "字节"),
    ("Comma", "逗号"),
    ("Cube units", "立方单元"),
    ("Demo", "示例"),
    ("Demo trace", "示例跟踪"),
    ("Minimum length", "最小长度"),
    ("Other units", "其他单元"),
    ("Separator", "分隔符"),
    ("Tab", "制表符"),
    ("The line is skipped.", "该行已略去。"),
    ("Unit", "单元"),
    ("Vector units", "向量单元"),
    ("Weight", "权重"),
    ("Weights", "权重"),
    ("Work", "工作量"),
    ("Work by unit", "各单元的工作量"),
    ("Work by unit as CSV", "各单元的工作量（CSV）"),
    ("a slice, a clock, an access or a map", "切片、时钟、访问或图"),
    ("cell separator", "单元格之间的分隔符"),
    ("ignore shorter slices", "更短的切片不计入"),
    ("shift all slices by this time", "将所有切片平移此时间"),
    ("time factor for each unit", "各单元时间的乘数"),
];
