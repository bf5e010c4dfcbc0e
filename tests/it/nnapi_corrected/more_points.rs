//! The other points where the AOSP parser is wrong or blind.

use super::make::{cell, only, trace};
use lanescope::systems::android::nnapi::corrected::{Cause, Corrected, Difference, NONE, Run};
use lanescope::systems::android::nnapi::mark::Marks;
use lanescope::systems::android::nnapi::mark::{Layer, Phase};

fn difference(run: &Run, cause: Cause) -> Option<&Difference> {
    run.differences.iter().find(|d| d.cause == cause)
}

/// Point 6: Rows that the AOSP parser does not take count too, and it is said how many there are.
#[test]
fn rows_in_other_forms_count_too() {
    let mut trace = trace("0 app B|1|[NN_LR_PP]a\n10 app E|1\n20 app B|1|[NN_LR_PP]b\n50 app E|1");
    Marks::of_mut(&mut trace).is_classic[2] = false;
    let corrected = Corrected::of(&trace);
    let run = &corrected.runs[0];
    assert_eq!(cell(run, "LR_PP"), (40.0, 40.0));
    let found = difference(run, Cause::OtherRows).unwrap();
    assert_eq!((found.n, found.cause.point()), (1, 6));
}

/// Point 9: The callback comes from a thread of the driver that says nothing else: 40 to 300.
#[test]
fn callbacks_on_other_threads_end_executions() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_startCompute
        10 app E|1
        20 app B|1|[NN_LR_PE]ANeuralNetworksEvent_wait
        30 work B|1|HIDL::IPreparedModel::execute::client
        40 hal B|7|HIDL::IPreparedModel::execute::server
        50 hal E|7
        60 work E|1
        300 silent B|7|HIDL::IExecutionCallback::notify::client
        320 silent E|7
        400 app E|1",
    );
    assert_eq!(cell(&run, "LD_PE"), (260.0, 260.0));
    assert_eq!(cell(&run, "LR_PE"), (400.0, 110.0));
    assert_eq!(corrected.executions[0].ipc, 30_000);
    let found = difference(&run, Cause::UnseenCallbacks).unwrap();
    assert_eq!((found.n, found.cause.point()), (1, 9));
    // The thread that calls the driver has no mark either.
    let mut unseen = run.differences.iter().filter(|d| d.cause == Cause::UnseenThreads);
    let found = unseen.find(|d| d.cell == Some((Layer::Ipc, Phase::Execution))).unwrap();
    assert_eq!((found.n, found.time), (1, Some(30_000)));
}

/// Point 5: The AOSP parser takes every call of an interface for one of NNAPI, where the thread has marks.
#[test]
fn calls_of_other_interfaces_are_told() {
    let (_, run) = only(
        "0 app B|1|[NN_LR_PP]a
        10 app B|1|HIDL::IServiceManager::get::client
        40 app E|1
        50 app E|1
        60 other B|1|HIDL::IServiceManager::get::client
        70 other E|1",
    );
    assert_eq!(cell(&run, "LI_PI"), (0.0, 0.0));
    assert_eq!(cell(&run, "LR_PP"), (50.0, 50.0));
    let found = difference(&run, Cause::OtherCalls).unwrap();
    assert_eq!((found.n, found.cell), (1, Some((Layer::Ipc, Phase::Initialization))));
}

/// Point 10: Two processes compute at once, and the later one is done first: 20 to 300 and 40 to 100. In their order calls and
/// callbacks would give 20 to 100 and 40 to 300.
#[test]
fn overlapping_executions_of_two_processes_are_told_apart() {
    let (corrected, run) = only(
        "0 a B|1|[NN_LR_PE]ANeuralNetworksExecution_startCompute
        5 a E|1
        10 b B|2|[NN_LR_PE]ANeuralNetworksExecution_startCompute
        15 b E|2
        16 a B|1|[NN_LR_PE]ANeuralNetworksEvent_wait
        17 b B|2|[NN_LR_PE]ANeuralNetworksEvent_wait
        18 wa B|1|HIDL::IPreparedModel::execute::client
        19 wb B|2|HIDL::IPreparedModel::execute::client
        20 hal B|7|HIDL::IPreparedModel::execute::server
        25 hal E|7
        40 hal2 B|7|HIDL::IPreparedModel::execute::server
        45 hal2 E|7
        50 wa E|1
        51 wb E|2
        100 hal3 B|7|HIDL::IExecutionCallback::notify::client
        105 cb B|2|HIDL::IExecutionCallback::notify::server
        110 hal3 E|7
        112 cb E|2
        120 b E|2
        300 hal3 B|7|HIDL::IExecutionCallback::notify::client
        305 ca B|1|HIDL::IExecutionCallback::notify::server
        310 hal3 E|7
        312 ca E|1
        320 a E|1",
    );
    let drivers: Vec<_> =
        corrected.drivers.iter().map(|d| (d.start / 1000, d.end / 1000, d.execution)).collect();
    assert_eq!(drivers, [(20, 300, 0), (40, 100, 1)]);
    let parts: Vec<_> = corrected.executions.iter().map(|e| (e.total() / 1000, e.driver / 1000)).collect();
    assert_eq!(parts, [(320, 280), (110, 60)]);
    assert_eq!(difference(&run, Cause::OtherOrder).unwrap().n, 2);
    assert_eq!(difference(&run, Cause::SeveralClients).unwrap().n, 2);
}

/// Point 11: `[SUB]` counts once: the runtime has 820 in all, of which 400 are calls between processes: 620 without the 220
/// that are the runtime's again. The AOSP parser has 1,040.
#[test]
fn a_subtraction_counts_once() {
    let (_, run) = only(
        "100 app B|1|[NN_LR_PC]a
        200 app B|1|[NN_LI_PC]b
        300 app B|1|[NN_LI_PC]c
        400 app B|1|[SUB][NN_LR_PC]d
        500 app B|1|[NN_LR_PC]e
        520 app E|1
        620 app E|1
        720 app E|1
        820 app E|1
        920 app E|1",
    );
    assert_eq!(cell(&run, "LR_PC"), (820.0, 420.0));
    assert_eq!(cell(&run, "LI_PC"), (400.0, 400.0));
    let found = difference(&run, Cause::SubtractTwice).unwrap();
    assert_eq!((found.n, found.time), (1, Some(220_000)));
    assert!(run.warnings.is_empty());
}

/// Point 11: Initialization is taken from the application's phase too: 820 - 420 = 400 of compilation, of which 200 are its own.
#[test]
fn initialization_is_taken_from_every_layer() {
    let (_, run) = only(
        "100 app B|1|[NN_LA_PO]o
        200 app B|1|[NN_LA_PC]a
        300 app B|1|[NN_LR_PC]b
        400 app B|1|[NN_LR_PI]i
        500 app B|1|[NN_LI_PI]caps
        720 app E|1
        820 app E|1
        920 app E|1
        1020 app E|1
        1120 app E|1",
    );
    assert_eq!(cell(&run, "LA_PC"), (400.0, 200.0));
    assert_eq!(cell(&run, "LR_PC"), (200.0, 200.0));
    assert_eq!(cell(&run, "LR_PI"), (420.0, 200.0));
    assert_eq!(cell(&run, "LI_PI"), (220.0, 220.0));
    assert_eq!(cell(&run, "LA_PO"), (1020.0, 400.0));
    let found = difference(&run, Cause::InitializationTwice).unwrap();
    assert_eq!((found.n, found.time), (1, Some(420_000)));
}

/// Point 11: The driver does one part, the CPU another: no self time is negative, and their sum is the whole.
#[test]
fn a_partial_fallback_takes_nothing_from_the_driver() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        100 app B|1|HIDL::IPreparedModel::executeSynchronously::client
        120 hal B|7|HIDL::IPreparedModel::executeSynchronously::server
        180 hal E|7
        200 app E|1
        300 app B|1|[NN_LR_PE]StepExecutor::computeOnCpuFallback
        310 app B|1|[NN_LC_PE]run
        330 app B|1|[NN_LC_PTR]convFloat32
        350 app B|1|[SW][NN_LC_PCO]optimized_ops::Conv
        790 app E|1
        800 app E|1
        810 app E|1
        820 app E|1
        1000 app E|1",
    );
    assert_eq!(cell(&run, "LD_PE"), (60.0, 60.0));
    assert_eq!(cell(&run, "LC_PE"), (500.0, 500.0));
    assert_eq!(cell(&run, "LC_PTR"), (20.0, 20.0));
    assert_eq!(cell(&run, "LC_PCO"), (440.0, 440.0));
    assert_eq!(cell(&run, "LI_PE"), (100.0, 40.0));
    assert_eq!(cell(&run, "LR_PE"), (1000.0, 400.0));
    let names: Vec<_> = run.fallback.iter().map(|f| (corrected.name(f.name), f.n, f.total / 1000)).collect();
    let expected = [
        ("StepExecutor::computeOnCpuFallback", 1, 520),
        ("run", 1, 500),
        ("optimized_ops::Conv", 1, 440),
        ("convFloat32", 1, 20),
    ];
    assert_eq!(names, expected);
    assert!(run.fallback.iter().all(|f| f.executions == [0]));
    assert_eq!(difference(&run, Cause::PartialFallback).unwrap().time, Some(500_000));
    // 13. Computing and transformation have numbers of their own.
    assert_eq!(difference(&run, Cause::NoColumn).unwrap().cause.point(), 13);
}

/// Point 12: A callback is a call between processes: 700 in the server's scope, without 60 of calling back.
#[test]
fn callbacks_are_calls_between_processes() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LI_PC]prepareModel
        10 app B|1|HIDL::IDevice::prepareModel_1_1::client
        100 hal B|7|HIDL::IDevice::prepareModel_1_1::server
        150 hal B|7|[NN_LD_PC]SampleDriver::prepareModel
        500 hal B|7|HIDL::IPreparedModelCallback::notify::client
        520 back B|1|HIDL::IPreparedModelCallback::notify::server
        560 hal E|7
        580 back E|1
        700 hal E|7
        800 hal E|7
        900 app E|1
        1000 app E|1",
    );
    assert_eq!(cell(&run, "LD_PC"), (640.0, 640.0));
    assert_eq!(cell(&run, "LI_PC"), (1000.0, 360.0));
    let found = difference(&run, Cause::Callbacks).unwrap();
    assert_eq!((found.n, found.time, found.cause.point()), (1, Some(60_000), 12));
    assert!(corrected.drivers.iter().all(|d| d.execution == NONE));
}

/// Point 13: Executions have a distribution: 1 to 9 and 100; the third quartile is 7.75, the first 3.25, so 14.5 is the limit.
#[test]
fn executions_are_spread_and_outliers_stand_out() {
    let mut text = String::new();
    for (at, time) in [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].into_iter().enumerate() {
        let start = at as i64 * 1000;
        text += &format!(
            "{start} app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute\n{} app E|1\n",
            start + time
        );
    }
    let (corrected, run) = only(&text);
    let spread = corrected.spread(&run, None).unwrap();
    assert_eq!((spread.n, spread.min, spread.max), (10, 1000, 100_000));
    assert_eq!((spread.median, spread.mean, spread.limit), (5500.0, 14_500.0, Some(14_500.0)));
    let outliers = corrected.executions.iter().filter(|e| spread.is_outlier(e.total())).count();
    assert_eq!(outliers, 1);
    let function = &run.functions[0];
    assert_eq!((function.n, function.total, function.max, function.min), (10, 145_000, 100_000, 1000));
}

/// Where nothing of the runtime is marked, `LA PE` is the execution; compiling inside of it is none of its time: 1,000
/// less 600. The driver has 200 of the rest.
#[test]
fn executions_of_the_application_have_no_time_of_other_phases() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LA_PE]BenchmarkModel::benchmark
        100 app B|1|HIDL::IDevice::prepareModel::client
        700 app E|1
        710 app B|1|HIDL::IPreparedModel::execute::client
        720 hal B|7|HIDL::IPreparedModel::execute::server
        730 hal E|7
        740 app E|1
        920 hal B|7|HIDL::IExecutionCallback::notify::client
        930 hal E|7
        1000 app E|1",
    );
    let execution = &corrected.executions[0];
    assert_eq!((execution.time, execution.driver, execution.ipc), (400_000, 200_000, 20_000));
    assert_eq!(cell(&run, "LA_PE"), (400.0, 180.0));
    assert_eq!(cell(&run, "LI_PC"), (600.0, 600.0));
}
