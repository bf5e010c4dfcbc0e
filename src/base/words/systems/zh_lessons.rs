//! Chinese: the examples of the NNAPI contract.

use crate::base::words::Table;

/// Sorted by the English bytes.
pub(in crate::base::words) const TABLE: Table = &[
    (
        "A function that moves on to another phase marks its second part with [SW]: the current scope ends there and a new one begins.",
        "函数转入另一阶段时，用 [SW] 标记后一部分：此前的范围到此结束，新的范围从此开始。",
    ),
    (
        "A part that belongs to another phase, or to a layer further up, is marked with [SUB]; it is drawn hatched.",
        "属于另一阶段或更上层的部分用 [SUB] 标记，画成斜线。",
    ),
    (
        "A process that answers HIDL::IDevice is a driver, hence the first two rows.",
        "响应 HIDL::IDevice 的进程就是驱动：这就是最前面两行的作用。",
    ),
    (
        "A scope begins at the macro and ends with the enclosing block.",
        "范围从宏所在之处开始，随外层代码块一起结束。",
    ),
    (
        "A scope nested in the same layer, outside an execution, is only a detail of it.",
        "位于同一层范围之内、又不是执行的一部分的范围，只是对外层的细化。",
    ),
    ("Additional detail in the same layer", "同一层内的更多细节"),
    (
        "After the new scope ends, the rest of the function is not counted.",
        "新的范围结束后，函数余下的部分不计入任何时间。",
    ),
    ("Android NNAPI: marks and times", "Android NNAPI：标记与时间"),
    ("Asynchronous execution: startCompute … wait", "异步执行：startCompute … wait"),
    ("Awaited asynchronous IPC", "需要等待的异步进程间通信"),
    (
        "CPU operators do this: they first transform data (PTR), then switch to computing (PCO).",
        "CPU 上的算子就是这样：先变换数据（PTR），再切换到计算（PCO）。",
    ),
    (
        "Called from the execution of another layer, a part counts twice: for itself, and as the execution of its own layer.",
        "从另一层的执行中调用时，一个部分计两次：计入它自己，也计入自己那一层的执行。",
    ),
    (
        "Calls go down only: from the application to the runtime, from there to IPC or the CPU, from IPC to the driver.",
        "调用只能向下：从应用到运行时，从运行时到进程间通信或 CPU，从进程间通信到驱动。",
    ),
    (
        "Code shared by several layers cannot know its caller: its layer is LU (utility), its phase PU (unspecified).",
        "多个层都用的代码无法知道在为谁工作：它的层是 LU（工具代码），阶段是 PU（未指定）。",
    ),
    ("Dashed: still open, not counted", "虚线：尚未结束，不计入任何时间"),
    ("Driver's worker", "驱动的工作线程"),
    ("Explained", "讲解"),
    ("Hatched: subtracted from the enclosing scope", "斜线：从外层范围中扣除"),
    ("Help", "帮助"),
    (
        "Inputs and outputs (PIO), transformation (PTR), computation (PCO) and results (PR) are parts of an execution (PE).",
        "输入与输出（PIO）、数据变换（PTR）、计算（PCO）和结果（PR）是执行（PE）的各个部分。",
    ),
    (
        "Inside an execution of the same layer they only say how it divides: PR of the application lies in its PE.",
        "在同一层的执行之内，它们只说明执行如何划分：应用的 PR 包含在它的 PE 之中。",
    ),
    (
        "It is drawn thin and not counted, so no time counts twice.",
        "它画成细条，不计入任何时间，因此没有时间被计两次。",
    ),
    (
        "Its mark names the layer, here LR (runtime), the phase, here PP (preparation), and a function.",
        "标记写明层（这里是 LR，运行时）、阶段（这里是 PP，准备）和函数。",
    ),
    (
        "Its time is subtracted from the enclosing scope and counts for its own layer and phase.",
        "它的时间从外层范围中扣除，计入它自己的层和阶段。",
    ),
    (
        "Its time stays with the caller and counts for no layer of its own.",
        "它的时间留给调用者，不计入自己的任何层。",
    ),
    ("Local call to another layer", "本地调用另一层"),
    ("One-time initialization", "一次性初始化"),
    (
        "One-time work, such as finding drivers, happens in whichever call comes first.",
        "只做一次的事（例如查找驱动）发生在最先到来的那次调用里。",
    ),
    ("Open the rows below as a file", "把下面的行作为文件打开"),
    ("Open this trace", "打开此跟踪"),
    ("Parts of an execution", "执行的各个部分"),
    ("Phase switch", "切换阶段"),
    ("Program", "程序"),
    ("Rows", "行"),
    ("Self time", "自身时间"),
    (
        "So a PI scope needs no [SUB]: its time is always subtracted from the enclosing scope of another phase.",
        "因此 PI 阶段的范围不需要 [SUB]：它的时间总是从外层另一阶段的范围中扣除。",
    ),
    (
        "So the runtime's execution lasts from the start of the first to the end of the second, whatever its thread does in between.",
        "因此运行时的执行从前者开始持续到后者结束，不论其线程在两者之间做什么。",
    ),
    ("Subtraction", "扣除"),
    ("Synchronous IPC", "同步进程间通信"),
    (
        "That holds for another phase too: to move its time, it must be switched or subtracted.",
        "阶段不同也是如此：要把它的时间移到别处，必须切换或扣除。",
    ),
    (
        "The AOSP parser prints these numbers for this trace. Layers and phases that are not listed are zero or missing.",
        "AOSP 解析器对此跟踪给出这些数值。未列出的层和阶段为零或缺失。",
    ),
    (
        "The HIDL interface marks both ends itself: ::client counts as IPC, ::server as driver.",
        "HIDL 接口自动标记两端：::client 计入进程间通信，::server 计入驱动。",
    ),
    (
        "The IPC scope stays open until the callback arrives, so it covers the call, the work and the callback.",
        "进程间通信的范围一直开着，直到回调到来，因此包含调用、工作和回调。",
    ),
    (
        "The application prepares and calls the runtime, and the runtime marks its own scope inside.",
        "应用做准备时调用运行时，运行时在其中标记自己的范围。",
    ),
    (
        "The application's self time is the rest: its own work.",
        "应用的自身时间是余下的部分，即它自己所做的。",
    ),
    ("The basic case", "基本情形"),
    (
        "The call returns immediately; the driver keeps working and calls back when done.",
        "调用立即返回；驱动继续工作，完成后回调。",
    ),
    (
        "The cost of the call beyond the driver's work is IPC self time.",
        "调用在驱动工作之外的开销，就是进程间通信的自身时间。",
    ),
    (
        "The driver gets the time of its two scopes. The AOSP parser counts the callback inside as driver, the corrected numbers as IPC.",
        "驱动得到它的两个范围的时间。AOSP 解析器把其中的回调留给驱动，修正后的数值把它归入进程间通信。",
    ),
    (
        "The driver's execution lasts from the start of execute::server to the start of its callback.",
        "驱动的执行从 execute::server 开始，到它的回调开始为止。",
    ),
    (
        "The runtime calls the driver in another process and waits inside the call.",
        "运行时调用另一个进程里的驱动，并在调用中等待。",
    ),
    (
        "The runtime marks its own work inside IPC like this. If a runtime scope encloses that IPC, the AOSP parser counts the part twice, the corrected numbers once.",
        "运行时这样标记自己在进程间通信之内的工作。如果该通信外面还有运行时的范围，AOSP 解析器会把这部分计两次，修正后的数值只计一次。",
    ),
    ("The time from start to end counts for this layer and phase.", "从开始到结束的时间计入该层的该阶段。"),
    ("Thin: only a detail, not counted", "细条：只是细节，不计入任何时间"),
    ("Times", "时间"),
    (
        "Times per execution or per model stay comparable, first or not.",
        "这样，无论是不是第一次，每次执行或每个模型的时间都可以比较。",
    ),
    ("Topics", "主题"),
    (
        "Totals are wall-clock time: the application's includes the runtime's.",
        "总时间是经过的时间：应用的总时间包含运行时的时间。",
    ),
    ("Utility code", "工具代码的归属"),
    (
        "Without [SUB] it would be a detail of the preparation and not counted.",
        "如果没有 [SUB]，它就只是准备阶段的细节，不计入任何时间。",
    ),
    (
        "startCompute hands the execution to a runtime thread and returns; Event_wait ends when the results are ready.",
        "startCompute 把执行交给运行时的一个线程后返回；结果就绪时 Event_wait 结束。",
    ),
    ("{n} examples", "{n} 个例子"),
];
