//! Lessons in which layers call each other, in one process and across two.

use super::{APP, DRIVER, Lesson, RUNTIME, WORKER, begin, end, parted, whole};
use crate::base::words::phrase;
use crate::systems::android::nnapi::mark::Layer::{Application, Driver, Ipc, Runtime};
use crate::systems::android::nnapi::mark::Phase::{
    Compilation, Computation, Execution, Initialization, InputsOutputs, Preparation, Results,
};

pub(super) static LOCAL_CALL: Lesson = Lesson {
    id: "local-call",
    title: phrase("Local call to another layer"),
    text: &[
        phrase("The application prepares and calls the runtime, and the runtime marks its own scope inside."),
        phrase("Totals are wall-clock time: the application's includes the runtime's."),
        phrase("The application's self time is the rest: its own work."),
        phrase(
            "Calls only go down: from the application to the runtime, from there to IPC or the CPU, from IPC to the driver.",
        ),
    ],
    program: &[
        "void setUp() {",
        "    NNTRACE(LA, PP, \"setUp\");",
        "    readFile();",
        "    loadModel();",
        "}",
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LA_PP]setUp"),
        begin(3, APP, 6, "[NN_LR_PP]loadModel"),
        end(9, APP, 8),
        end(10, APP, 4),
    ],
    sums: &[
        parted(Application, Preparation, ("t3 − t0", 10), ("(t3 − t0) − (t2 − t1)", 4)),
        whole(Runtime, Preparation, "t2 − t1", 6),
    ],
};

pub(super) static SUBPHASES: Lesson = Lesson {
    id: "subphases",
    title: phrase("Parts of an execution"),
    text: &[
        phrase(
            "Inputs and outputs (PIO), transformation (PTR), computation (PCO) and results (PR) are parts of an execution (PE).",
        ),
        phrase(
            "Inside an execution of the same layer, they only show how it breaks down: PR of the application lies in its PE.",
        ),
        phrase(
            "Called from the execution of another layer, a part counts twice: for itself, and as the execution of its own layer.",
        ),
    ],
    program: &[
        "void classify() {",
        "    NNTRACE(LA, PE, \"classify\");",
        "    setInput(image);",
        "    readResults();",
        "}",
        "void setInput(image) {",
        "    NNTRACE(LR, PIO, \"ANeuralNetworksExecution_setInput\");",
        "    copy(image);",
        "}",
        "void readResults() {",
        "    NNTRACE(LA, PR, \"readResults\");",
        "    findMaximum();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LA_PE]classify"),
        begin(2, APP, 6, "[NN_LR_PIO]ANeuralNetworksExecution_setInput"),
        end(8, APP, 8),
        begin(10, APP, 10, "[NN_LA_PR]readResults"),
        end(16, APP, 12),
        end(20, APP, 4),
    ],
    sums: &[
        parted(Application, Execution, ("t5 − t0", 20), ("(t5 − t0) − (t2 − t1)", 14)),
        whole(Application, Results, "t4 − t3", 6),
        whole(Runtime, Execution, "t2 − t1", 6),
        whole(Runtime, InputsOutputs, "t2 − t1", 6),
    ],
};

pub(super) static SYNCHRONOUS: Lesson = Lesson {
    id: "synchronous-ipc",
    title: phrase("Synchronous IPC"),
    text: &[
        phrase("The runtime calls the driver in another process and waits inside the call."),
        phrase("The HIDL interface marks both ends itself: ::client counts as IPC, ::server as driver."),
        phrase("The cost of the call beyond the driver's work is IPC self time."),
    ],
    program: &[
        "// application",
        "void listOperations() {",
        "    NNTRACE(LR, PC, \"listOperations\");",
        "    askDriver();",
        "}",
        "void askDriver() {",
        "    NNTRACE(LI, PC, \"askDriver\");",
        "    device.getSupportedOperations(model);",
        "}",
        "// driver",
        "void getSupportedOperations(model) {",
        "    compareWithTable(model);",
        "}",
    ],
    events: &[
        begin(0, APP, 2, "[NN_LR_PC]listOperations"),
        begin(2, APP, 6, "[NN_LI_PC]askDriver"),
        begin(3, APP, 7, "HIDL::IDevice::getSupportedOperations::client"),
        begin(5, DRIVER, 10, "HIDL::IDevice::getSupportedOperations::server"),
        end(13, DRIVER, 12),
        end(15, APP, 7),
        end(16, APP, 8),
        end(20, APP, 4),
    ],
    sums: &[
        parted(Runtime, Compilation, ("t7 − t0", 20), ("(t7 − t0) − (t6 − t1)", 6)),
        parted(Ipc, Compilation, ("t6 − t1", 14), ("(t6 − t1) − (t4 − t3)", 6)),
        whole(Driver, Compilation, "t4 − t3", 8),
    ],
};

pub(super) static WAITED_FOR: Lesson = Lesson {
    id: "asynchronous-ipc",
    title: phrase("Awaited asynchronous IPC"),
    text: &[
        phrase("The call returns immediately; the driver keeps working and calls back when done."),
        phrase(
            "The IPC scope stays open until the callback arrives, so it covers the call, the work and the callback.",
        ),
        phrase(
            "The driver gets the time of its two scopes. The AOSP parser counts the callback inside as driver, the corrected numbers as IPC.",
        ),
    ],
    program: &[
        "// application",
        "void compile() {",
        "    NNTRACE(LR, PC, \"compile\");",
        "    prepareOnDriver();",
        "}",
        "void prepareOnDriver() {",
        "    NNTRACE(LI, PC, \"prepareOnDriver\");",
        "    device.prepareModel(model, callback);",
        "    callback.wait();",
        "}",
        "// driver",
        "void prepareModel(model, callback) {",
        "    pool.start(translate, callback);",
        "}",
        "void translate(model, callback) {",
        "    NNTRACE(LD, PC, \"translate\");",
        "    writeCommands(model);",
        "    callback.notify(prepared);",
        "}",
    ],
    events: &[
        begin(0, APP, 2, "[NN_LR_PC]compile"),
        begin(1, APP, 6, "[NN_LI_PC]prepareOnDriver"),
        begin(2, APP, 7, "HIDL::IDevice::prepareModel::client"),
        begin(3, DRIVER, 11, "HIDL::IDevice::prepareModel::server"),
        end(4, DRIVER, 13),
        end(5, APP, 7),
        begin(6, WORKER, 15, "[NN_LD_PC]translate"),
        begin(14, WORKER, 17, "HIDL::IPreparedModelCallback::notify::client"),
        end(16, WORKER, 17),
        end(17, WORKER, 18),
        end(19, APP, 9),
        end(20, APP, 4),
    ],
    sums: &[
        parted(Runtime, Compilation, ("t11 − t0", 20), ("(t11 − t0) − (t10 − t1)", 2)),
        parted(Ipc, Compilation, ("t10 − t1", 18), ("(t10 − t1) − (t4 − t3) − (t9 − t6)", 6)),
        whole(Driver, Compilation, "(t4 − t3) + (t9 − t6)", 12),
    ],
};

pub(super) static UTILITY: Lesson = Lesson {
    id: "utility",
    title: phrase("Utility code"),
    text: &[
        phrase(
            "Code shared by several layers cannot know its caller: its layer is LU (utility), its phase PU (unspecified).",
        ),
        phrase("Its time stays with the caller and does not count for a layer of its own."),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "    validate(model);",
        "}",
        "bool validate(model) {",
        "    NNTRACE(LU, PU, \"validate\");",
        "    return checkShapes(model);",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]loadModel"),
        begin(4, APP, 6, "[NN_LU_PU]validate"),
        end(9, APP, 8),
        end(10, APP, 4),
    ],
    sums: &[whole(Runtime, Preparation, "t3 − t0", 10)],
};

pub(super) static EXECUTION: Lesson = Lesson {
    id: "asynchronous-execution",
    title: phrase("Asynchronous execution: startCompute … wait"),
    text: &[
        phrase(
            "startCompute hands the execution to a runtime thread and returns; Event_wait ends when the results are ready.",
        ),
        phrase(
            "So the runtime's execution lasts from the start of the first to the end of the second, whatever its thread does in between.",
        ),
        phrase(
            "The driver's execution lasts from the start of execute::server to the start of its callback.",
        ),
        phrase("A process that serves HIDL::IDevice is a driver, hence the first two rows."),
    ],
    program: &[
        "// driver",
        "Capabilities getCapabilities() {",
        "    return measured;",
        "}",
        "// application",
        "void classify() {",
        "    NNTRACE(LA, PE, \"classify\");",
        "    startCompute();",
        "    wait();",
        "}",
        "void startCompute() {",
        "    NNTRACE(LR, PE, \"ANeuralNetworksExecution_startCompute\");",
        "    pool.start(execute);",
        "}",
        "void wait() {",
        "    NNTRACE(LR, PE, \"ANeuralNetworksEvent_wait\");",
        "    results.wait();",
        "}",
        "void execute() {",
        "    NNTRACE(LI, PE, \"execute\");",
        "    preparedModel.execute(callback);",
        "    callback.wait();",
        "}",
        "// driver",
        "void execute(callback) {",
        "    pool.start(compute, callback);",
        "}",
        "void compute(callback) {",
        "    {",
        "        NNTRACE(LD, PCO, \"multiply\");",
        "        multiply();",
        "    }",
        "    callback.notify(results);",
        "}",
    ],
    events: &[
        begin(0, DRIVER, 1, "HIDL::IDevice::getCapabilities::server"),
        end(1, DRIVER, 3),
        begin(2, APP, 6, "[NN_LA_PE]classify"),
        begin(3, APP, 11, "[NN_LR_PE]ANeuralNetworksExecution_startCompute"),
        end(4, APP, 13),
        begin(5, RUNTIME, 19, "[NN_LI_PE]execute"),
        begin(6, RUNTIME, 20, "HIDL::IPreparedModel::execute::client"),
        begin(7, DRIVER, 24, "HIDL::IPreparedModel::execute::server"),
        begin(8, APP, 15, "[NN_LR_PE]ANeuralNetworksEvent_wait"),
        end(9, DRIVER, 26),
        end(10, RUNTIME, 20),
        begin(11, WORKER, 29, "[NN_LD_PCO]multiply"),
        end(21, WORKER, 31),
        begin(22, WORKER, 32, "HIDL::IExecutionCallback::notify::client"),
        end(24, WORKER, 32),
        end(25, RUNTIME, 22),
        end(26, APP, 17),
        end(28, APP, 9),
    ],
    sums: &[
        whole(Driver, Initialization, "t1 − t0", 1),
        parted(Application, Execution, ("t17 − t2", 26), ("(t17 − t2) − (t16 − t3)", 3)),
        parted(Runtime, Execution, ("t16 − t3", 23), ("(t16 − t3) − (t15 − t5)", 3)),
        parted(Ipc, Execution, ("t15 − t5", 20), ("(t15 − t5) − (t13 − t7)", 5)),
        whole(Driver, Execution, "t13 − t7", 15),
        whole(Driver, Computation, "t12 − t11", 10),
    ],
};
