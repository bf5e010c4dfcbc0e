//! What the page says of operator profiles before a file is opened: what its terms mean, and what to record for each view.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Ascend",
    title: phrase("Ascend operators"),
    lessons: Vec::new,
    terms: Some(Terms { id: "ascend-operators", title: phrase("Terms, and what to record"), rows: ROWS }),
};

/// Terms and their meanings.
const ROWS: &[(&str, &str)] = &[
    (
        phrase("Block"),
        phrase(
            "a part of the operator that one core runs; mix operators run it on a cube unit and two vector units",
        ),
    ),
    (
        phrase("Pipes"),
        phrase(
            "units of a core that work in parallel: Scalar, Vector, Cube, MTE1 (L1 to L0), MTE2 (GM to L1 and UB), MTE3 (UB to GM), FIXP (L0C out)",
        ),
    ),
    (
        phrase("Head overhead"),
        phrase(
            "duration of the operator minus its longest block: the time before the first block starts and after the last one ends; with more blocks than cores, also blocks that a core ran before or after the longest",
        ),
    ),
    (
        phrase("From mean"),
        phrase(
            "deviation of a core from the mean of the cores of its kind, in percent of that mean; the color scale spans at least ±5 %",
        ),
    ),
    (
        phrase("Level"),
        phrase(
            "0 to 10, as in MindStudio Insight: 10 / (1 + e^−z), where z is the distance from the mean in standard deviations; 4 to 6 is average, however small the distances are",
        ),
    ),
    (
        phrase("Roof"),
        phrase(
            "the maximum at this intensity: bandwidth × intensity left of the ridge, the ceiling right of it",
        ),
    ),
    (phrase("Compute bound"), phrase("more than 80 % of a ceiling is reached")),
    (phrase("Memory bound"), phrase("more than 80 % of a bandwidth slope is reached")),
    (
        phrase("Latency bound"),
        phrase(
            "no roof is reached to 80 %; pipeline caused: no pipe is busy for 80 % of the time either; compute or memory caused: one is, namely Cube, Vector or Scalar, or one of MTE1 to MTE3",
        ),
    ),
    (phrase("Timeline"), phrase("recorded by msprof op simulator; times are simulated")),
    (
        phrase("Source and instructions"),
        phrase(
            "compile the kernel with -g, record with msprof op --aic-metrics=Source or msprof op simulator",
        ),
    ),
    (phrase("Core occupancy"), phrase("recorded on a device by msprof op --aic-metrics=Occupancy")),
    (phrase("Roofline chart"), phrase("recorded on a device by msprof op --aic-metrics=Roofline")),
    (
        phrase("Memory chart and compute workload"),
        phrase("recorded on a device by msprof op; cache maps need --aic-metrics=Source and -g too"),
    ),
    (
        phrase("CSV files"),
        phrase(
            "PipeUtilization.csv and other CSV files are next to visualize_data.bin: open the whole OPPROF folder",
        ),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Ascend",
    title: phrase("Ascend operators"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "ascend-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "On a device: msprof op --output=DIR ./app writes a folder OPPROF_* with visualize_data.bin and CSV files. In the simulator: msprof op simulator --soc-version=Ascend910B4 --output=DIR ./app also writes the timeline of pipes, and source lines if the kernel was compiled with -g. Older versions of the tool are called msopprof. Open the whole folder.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Overview: which pipe is the bottleneck of each core type, balance, waits, and what could be saved. Details: pipes, cores, memory paths, rooflines, occupancy. Source: lines beside instructions with cycles and stalls. Timeline: pipes of simulated cores. Project: all operators of a folder.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "A view needs the metrics that were recorded: --aic-metrics names groups of them, and Report lists what is missing. Times of the simulator are not those of a device. Without blocks in the file, shares are of the whole operator.",
        ),
    ),
];
