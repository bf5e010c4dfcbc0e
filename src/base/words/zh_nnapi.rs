//! NNAPI: layers, phases and what is computed of them, in Chinese.

use super::Table;

/// Sorted by the English bytes.
pub(super) const TABLE: Table = &[
    ("Application", "应用"),
    ("Benchmark", "基准测试"),
    ("CPU", "CPU"),
    ("Compilation", "编译"),
    ("Computation", "计算"),
    ("Driver", "驱动"),
    ("Execution", "执行"),
    ("Foreign", "外部"),
    ("IPC", "进程间通信"),
    ("Initialization", "初始化"),
    ("Inputs and outputs", "输入与输出"),
    ("Layer", "层"),
    ("Other", "其他"),
    ("Overall", "总体"),
    ("Preparation", "准备"),
    ("Results", "结果"),
    ("Runtime", "运行时"),
    ("Termination", "终止"),
    ("Transformation", "数据变换"),
    ("Unspecified", "未指定"),
    ("Utility", "工具代码"),
    ("Warmup", "预热"),
];
