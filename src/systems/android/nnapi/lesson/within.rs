//! Lessons that stay within one layer.

use super::{APP, Lesson, begin, end, whole};
use crate::base::words::phrase;
use crate::systems::android::nnapi::mark::Layer::Runtime;
use crate::systems::android::nnapi::mark::Phase::{Compilation, Initialization, Preparation};

pub(super) static BASELINE: Lesson = Lesson {
    id: "baseline",
    title: phrase("The basic case"),
    text: &[
        phrase("A scope begins at the macro and ends with the enclosing block."),
        phrase(
            "Its mark names the layer, here LR (runtime), the phase, here PP (preparation), and a function.",
        ),
        phrase("The time from start to end counts for this layer and phase."),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "    readOperations();",
        "}",
    ],
    events: &[begin(0, APP, 1, "[NN_LR_PP]loadModel"), end(8, APP, 4)],
    sums: &[whole(Runtime, Preparation, "t1 − t0", 8)],
};

pub(super) static SWITCH: Lesson = Lesson {
    id: "switch",
    title: phrase("Phase switch"),
    text: &[
        phrase(
            "A function that moves on to another phase marks its second part with [SW]: the current scope ends there and a new one begins.",
        ),
        phrase("After the new scope ends, the rest of the function is not counted."),
        phrase("CPU operators do this: they first transform data (PTR), then switch to computing (PCO)."),
    ],
    program: &[
        "void finishModel() {",
        "    NNTRACE(LR, PP, \"finishModel\");",
        "    checkOperands();",
        "    {",
        "        NNTRACE_SWITCH(LR, PC, \"finishModel\");",
        "        planSteps();",
        "    }",
        "    logFinished();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]finishModel"),
        begin(4, APP, 4, "[SW][NN_LR_PC]finishModel"),
        end(10, APP, 6),
        end(12, APP, 8),
    ],
    sums: &[whole(Runtime, Preparation, "t1 − t0", 4), whole(Runtime, Compilation, "t2 − t1", 6)],
};

pub(super) static DETAIL: Lesson = Lesson {
    id: "detail",
    title: phrase("Additional detail in the same layer"),
    text: &[
        phrase("A scope nested in the same layer, outside an execution, is only a detail of it."),
        phrase("It is drawn thin and not counted, so no time counts twice."),
        phrase("That holds for another phase too: to move its time, it must be switched or subtracted."),
    ],
    program: &[
        "void compile() {",
        "    NNTRACE(LR, PC, \"compile\");",
        "    readPreferences();",
        "    planSteps();",
        "}",
        "void planSteps() {",
        "    NNTRACE(LR, PC, \"planSteps\");",
        "    compareDrivers();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PC]compile"),
        begin(3, APP, 6, "[NN_LR_PC]planSteps"),
        end(10, APP, 8),
        end(12, APP, 4),
    ],
    sums: &[whole(Runtime, Compilation, "t3 − t0", 12)],
};

pub(super) static SUBTRACTION: Lesson = Lesson {
    id: "subtraction",
    title: phrase("Subtraction"),
    text: &[
        phrase(
            "A part that belongs to another phase, or to a layer further up, is marked with [SUB]; it is drawn hatched.",
        ),
        phrase("Its time is subtracted from the enclosing scope and counts for its own layer and phase."),
        phrase("Without [SUB] it would be a detail of the preparation and not counted."),
        phrase(
            "The runtime marks its own work inside IPC like this. If a runtime scope encloses that IPC, the AOSP parser counts the part twice, the corrected numbers once.",
        ),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    readOperands();",
        "    {",
        "        NNTRACE_SUBTRACT(LR, PC, \"compileAhead\");",
        "        planSteps();",
        "    }",
        "    readOperations();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]loadModel"),
        begin(5, APP, 4, "[SUB][NN_LR_PC]compileAhead"),
        end(11, APP, 6),
        end(20, APP, 8),
    ],
    sums: &[
        whole(Runtime, Preparation, "(t3 − t0) − (t2 − t1)", 14),
        whole(Runtime, Compilation, "t2 − t1", 6),
    ],
};

pub(super) static INITIALIZATION: Lesson = Lesson {
    id: "initialization",
    title: phrase("One-time initialization"),
    text: &[
        phrase("One-time work, such as finding drivers, happens in whichever call comes first."),
        phrase(
            "So a PI scope needs no [SUB]: its time is always subtracted from the enclosing scope of another phase.",
        ),
        phrase("Times per execution or per model stay comparable, first or not."),
    ],
    program: &[
        "void loadModel() {",
        "    NNTRACE(LR, PP, \"loadModel\");",
        "    Drivers& drivers = allDrivers();",
        "    readOperands(drivers);",
        "}",
        "Drivers& allDrivers() {",
        "    static Drivers found = findDrivers();",
        "    return found;",
        "}",
        "Drivers findDrivers() {",
        "    NNTRACE(LR, PI, \"findDrivers\");",
        "    return askServices();",
        "}",
    ],
    events: &[
        begin(0, APP, 1, "[NN_LR_PP]loadModel"),
        begin(2, APP, 10, "[NN_LR_PI]findDrivers"),
        end(7, APP, 12),
        end(12, APP, 4),
    ],
    sums: &[
        whole(Runtime, Initialization, "t2 − t1", 5),
        whole(Runtime, Preparation, "(t3 − t0) − (t2 − t1)", 7),
    ],
};
