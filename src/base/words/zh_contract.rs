//! Where corrected numbers of NNAPI differ from those of the AOSP parser, and what marks do against the contract, in Chinese.

use super::Table;

/// Sorted by the English bytes.
pub(super) const TABLE: Table = &[
    (
        "A driver calls another process; the time counts as calls between processes.",
        "驱动调用了其他进程；其时间计为进程间调用。",
    ),
    (
        "A driver calls back, but no execution is open that it could end.",
        "驱动发出了回调，但没有可由其结束的执行。",
    ),
    (
        "A driver does not call back; its execution ends where its call ends.",
        "驱动没有回调；其执行在调用结束处结束。",
    ),
    (
        "A driver runs in the process of the application; its time counts as the driver's.",
        "驱动运行在应用进程中；其时间计为驱动的时间。",
    ),
    ("A layer is called by one that must not call it.", "某一层被不应调用它的层调用。"),
    ("A phase stands in one that must not hold it.", "某一阶段位于不应包含它的阶段之中。"),
    (
        "A row is earlier than the one before it on its thread; it is read at that one's time.",
        "某一行早于其线程上的前一行；按前一行的时间读取。",
    ),
    (
        "A scope has no end; it is closed where the run or the trace ends.",
        "作用域没有结束；在运行或跟踪结束处关闭。",
    ),
    (
        "A switch has no scope to end; it is read as a scope of its own.",
        "切换标记没有可结束的作用域；按独立作用域读取。",
    ),
    ("Application phases", "应用阶段"),
    ("Driver executions", "驱动执行"),
    ("NNAPI times as JSON, corrected", "NNAPI 耗时 (JSON，已修正)"),
    (
        "Nobody waits for an execution; it ends where the last thing that it caused ends.",
        "没有线程等待某次执行；它在其引起的最后一项工作结束处结束。",
    ),
    (
        "The last row is the sum of the self times; the AOSP parser takes the largest of {n} layers.",
        "末行是自身时间之和；AOSP 解析器取 {n} 层中最大的一层。",
    ),
    (
        "{n} callbacks of the driver are calls between processes; to the AOSP parser they are the driver.",
        "驱动的 {n} 次回调属于进程间调用；AOSP 解析器将其计为驱动。",
    ),
    (
        "{n} callbacks on threads that the AOSP parser does not look at: it stops here.",
        "{n} 次回调位于 AOSP 解析器不查看的线程上：它在此处停止。",
    ),
    (
        "{n} driver executions overlap: the AOSP parser pairs calls and callbacks in their order, not by thread.",
        "{n} 次驱动执行相互重叠：AOSP 解析器按顺序而不是按线程配对调用与回调。",
    ),
    (
        "{n} driver executions: the AOSP parser counts only IPreparedModel::execute of HIDL with its callback.",
        "{n} 次驱动执行：AOSP 解析器只计入 HIDL 的 IPreparedModel::execute 及其回调。",
    ),
    (
        "{n} driver scopes in processes without HIDL::IDevice: the AOSP parser shows them as CPU, or not at all.",
        "没有 HIDL::IDevice 的进程中有 {n} 个驱动作用域：AOSP 解析器将其显示为 CPU，或完全不显示。",
    ),
    (
        "{n} executions behind the end of a loop: the AOSP parser never ends warmup and benchmark and counts them there.",
        "{n} 次执行位于循环结束之后：AOSP 解析器从不结束预热和基准测试，将其计入其中。",
    ),
    (
        "{n} executions in one loop without the other: the AOSP parser stops here (KeyError).",
        "{n} 次执行只在其中一个循环中：AOSP 解析器在此处停止 (KeyError)。",
    ),
    (
        "{n} initializations below the application: the AOSP parser leaves them in the application's phase too.",
        "应用之下有 {n} 次初始化：AOSP 解析器也将其留在应用的阶段中。",
    ),
    (
        "{n} processes compute: the AOSP parser adds them up as if they were one.",
        "{n} 个进程在计算：AOSP 解析器将其当作一个进程相加。",
    ),
    ("{n} rows in forms that the AOSP parser does not take.", "{n} 行的形式不被 AOSP 解析器接受。"),
    (
        "{n} rows of an interface IDevice of others, such as audio: the AOSP parser counts them as the driver.",
        "{n} 行属于其他 IDevice 接口（例如音频）：AOSP 解析器将其计为驱动。",
    ),
    (
        "{n} scopes of PTR and PCO: the AOSP parser computes these phases, but has no column for them.",
        "{n} 个 PTR 和 PCO 作用域：AOSP 解析器计算了这些阶段，但没有对应的列。",
    ),
    (
        "{n} scopes of the CPU beside a driver: the AOSP parser takes their time from the driver's self time.",
        "驱动之外有 {n} 个 CPU 作用域：AOSP 解析器从驱动的自身时间中减去其时间。",
    ),
    (
        "{n} scopes where the contract has none: the AOSP parser stops here.",
        "{n} 个作用域出现在约定不允许之处：AOSP 解析器在此处停止。",
    ),
    (
        "{n} scopes with [SUB] inside a scope of their layer: the AOSP parser counts them twice.",
        "{n} 个带 [SUB] 的作用域位于同层作用域内：AOSP 解析器将其计入两次。",
    ),
    (
        "{n} scopes without begin or end: the AOSP parser stops here, or prints nothing for the run.",
        "{n} 个作用域没有开始或结束：AOSP 解析器在此处停止，或不输出该运行。",
    ),
    (
        "{n} synchronous, burst or fenced executions: the AOSP parser counts only startCompute .. wait.",
        "{n} 次同步、突发或带栅栏的执行：AOSP 解析器只计入 startCompute .. wait。",
    ),
];
