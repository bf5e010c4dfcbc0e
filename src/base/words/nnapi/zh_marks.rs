//! Chinese: layers and phases of the NNAPI, and their times.

use crate::base::words::Table;

/// Sorted by the English bytes.
pub(in crate::base::words) const TABLE: Table = &[
    ("Application", "应用"),
    ("Benchmark", "基准测试"),
    ("CPU", "CPU"),
    ("Compilation", "编译"),
    ("Computation", "计算"),
    ("Driver", "驱动"),
    ("Execution", "执行"),
    ("Foreign", "无关"),
    ("IPC", "进程间通信"),
    ("Initialization", "初始化"),
    ("Inputs and outputs", "输入与输出"),
    ("Layer", "层"),
    ("Other", "其他"),
    ("Overall", "整体"),
    ("Phase", "阶段"),
    ("Preparation", "准备"),
    ("Results", "结果"),
    ("Runtime", "运行时"),
    ("Self time", "自身时间"),
    ("Termination", "结束"),
    ("Times", "时间"),
    ("Total time", "总时间"),
    ("Transformation", "变换"),
    ("Unspecified", "未指定"),
    ("Utility", "公用代码"),
    ("Warmup", "预热"),
];
