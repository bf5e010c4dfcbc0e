//! What the page says of recorded programs before a file is opened: what its numbers mean.

use crate::base::words::phrase;
use crate::systems::guides::{Guide, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Binary instrumentation",
    title: phrase("Recorded programs"),
    lessons: Vec::new,
    terms: Some(Terms { id: "recorded-programs", title: phrase("About the figures"), rows: ROWS }),
};

/// Terms and their meanings.
const ROWS: &[(&str, &str)] = &[
    (
        phrase("Thread"),
        phrase(
            "a unit with one instruction stream: a warp, or a SIMD thread in a hardware slot from one program entry to its end",
        ),
    ),
    (
        phrase("Block"),
        phrase("instructions that run in sequence: entered only at the first, left only at the last"),
    ),
    (
        phrase("Order"),
        phrase(
            "within a thread as recorded; the order between threads was not recorded, unless records have times",
        ),
    ),
    (
        phrase("Active lanes"),
        phrase(
            "lanes whose mask bit is set; instructions without any are predicated off and counted separately",
        ),
    ),
    (
        phrase("SIMD efficiency"),
        phrase(
            "active lanes ÷ all lanes, over all instructions; an upper bound where lanes were recorded once per block execution, because predicated instructions may run with fewer",
        ),
    ),
    (
        phrase("Divergent"),
        phrase(
            "a block execution in which lanes active in the previous execution drop out, or in which lanes diverge",
        ),
    ),
    (
        phrase("Sectors"),
        phrase(
            "distinct 32-byte segments touched by the active lanes of one instruction; 64-byte segments in traces of Intel GPUs",
        ),
    ),
    (phrase("Requested"), phrase("active lanes times bytes of a lane")),
    (phrase("Unique"), phrase("distinct bytes of these: bytes shared by several lanes count once")),
    (phrase("Moved"), phrase("sectors times bytes per sector")),
    (
        phrase("Efficiency"),
        phrase(
            "unique bytes over bytes moved, never above 100 %; requested over moved would exceed it where lanes share addresses",
        ),
    ),
    (
        phrase("Excess sectors"),
        phrase(
            "sectors beyond the fewest that hold as many distinct bytes; an access without any is coalesced",
        ),
    ),
    (
        phrase("Pattern"),
        phrase(
            "by the strides between active lanes: uniform (all 0), unit (all the size of a lane), stride (all equal), segmented (nine in ten as in uniform or unit), irregular",
        ),
    ),
    (
        phrase("Wavefronts"),
        phrase(
            "passes over the 32 banks of shared memory, 4 bytes each: as many as the most distinct words in one bank. 8-byte lanes are served per half-warp, 16-byte lanes per quarter-warp; passes beyond one each are excess, a bank conflict",
        ),
    ),
    (phrase("Reuse"), phrase("number of threads that touch a 128-byte line")),
    (
        phrase("Tool's own figures"),
        phrase(
            "where the tool counted the same and its figure differs, both are shown side by side with the reason",
        ),
    ),
    (
        phrase("Buffer size"),
        phrase(
            "sum over all blocks of records of a type per execution, times executions, times bytes per record",
        ),
    ),
    (
        phrase("Instruction filter"),
        phrase(
            "op:load for opcodes, eff<50 or lanes<32 for numbers, by the start of a column's name, block:3 for text columns; other words are searched literally",
        ),
    ),
];

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Binary instrumentation",
    title: phrase("Recorded programs"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "instrumentation-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "NVIDIA: run the program with an NVBit tool preloaded, LD_PRELOAD=mem_trace.so ./app > log.txt, or with Accel-Sim's tracer_tool.so, which writes kernel-*.traceg. Intel: gtpin -t memorytrace -- ./app, or PTI's instcount and memaccess. First run: record flow and counts; Plan then says how large the buffers must be.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Overview: lanes, sectors, divergence, lost records. Source: instructions with executions, sectors, efficiency. Trace: what each thread ran. Heat map: pages over time. Plan: sizes of buffers and whether they fit.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "Instrumented programs run slower and in another order: counts and addresses hold, times do not. Where records were lost, it is said and marked. Masks of whole blocks give an upper bound of SIMD efficiency.",
        ),
    ),
];
