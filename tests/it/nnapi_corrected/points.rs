//! One small trace for each point where the AOSP parser is wrong or blind, with what is right.

use super::make::{cell, of, only};
use lanescope::systems::android::nnapi::corrected::{App, ByApp, Issue, Kind};
use lanescope::systems::android::nnapi::mark::Phase;

/// Point 1: Application phases end where their scopes end. Executions of 10, 20, 40 and 80 µs before, in, between and in the
/// loops, and one of 160 behind them: 10 + 40 + 160 = 210 belong to no loop.
#[test]
fn application_phases_end_where_their_scopes_end() {
    let (_, run) = only(
        "0 app B|1|[NN_LA_PO]model
        10 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        20 app E|1
        100 app B|1|[NN_LA_PWU]loop
        110 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        130 app E|1
        140 app E|1
        200 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        240 app E|1
        300 app B|1|[NN_LA_PBM]loop
        310 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        390 app E|1
        400 app E|1
        500 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        660 app E|1
        700 app E|1",
    );
    assert_eq!(of(&run, Some(App::Overall), "LR_PE"), (210.0, 210.0));
    assert_eq!(of(&run, Some(App::Warmup), "LR_PE"), (20.0, 20.0));
    assert_eq!(of(&run, Some(App::Benchmark), "LR_PE"), (80.0, 80.0));
    assert_eq!(run.matrix.executions, ByApp([3, 1, 1]));
    assert_eq!(run.phases(), App::ALL);
    // All of it: 700 µs, of which 310 are the runtime's.
    assert_eq!(cell(&run, "LA_PO"), (700.0, 390.0));
}

/// Point 2: A loop alone works.
#[test]
fn a_lone_loop_works() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LA_PO]model
        100 app B|1|[NN_LA_PBM]loop
        110 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        130 app E|1
        140 app E|1
        700 app E|1",
    );
    assert_eq!(run.matrix.executions, ByApp([0, 0, 1]));
    assert_eq!(run.phases(), [App::Overall, App::Benchmark]);
    assert_eq!(corrected.executions[0].app, App::Benchmark);
}

/// Point 3: Synchronous computing, bursts and fences are executions of the runtime: 1,100 + 300 + (450 + 50 until the end of
/// the wait); 5 to create. 900 of the first are a call to another process.
#[test]
fn every_way_to_compute_is_time_of_the_runtime() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LA_PO]x
        200 app B|1|[NN_LA_PE]e
        300 app B|1|[NN_LR_PE]ANeuralNetworksExecution_create
        305 app E|1
        405 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        505 app B|1|[NN_LI_PE]ExecutionBurstController::compute
        1405 app E|1
        1505 app E|1
        1605 app B|1|[NN_LR_PE]ANeuralNetworksExecution_burstCompute
        1905 app E|1
        2000 app B|1|[NN_LR_PE]ANeuralNetworksExecution_startComputeWithDependencies
        2100 app E|1
        2450 app B|1|[NN_LR_PE]ANeuralNetworksEvent_wait
        2500 app E|1
        2600 app E|1
        2700 app E|1",
    );
    assert_eq!(cell(&run, "LR_PE"), (1905.0, 1005.0));
    assert_eq!(cell(&run, "LI_PE"), (900.0, 900.0));
    // LA PE lasts 2,400; 1,905 of them are the runtime's, also the time between start and wait.
    assert_eq!(cell(&run, "LA_PE"), (2400.0, 495.0));
    let kinds: Vec<Kind> = corrected.executions.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [Kind::Synchronous, Kind::Burst, Kind::Fenced]);
    let first = &corrected.executions[0];
    assert_eq!((first.total(), first.runtime, first.ipc, first.setup), (1_100_000, 200_000, 900_000, 5_000));
    assert_eq!(corrected.executions[2].total(), 500_000);
}

/// Point 4: A driver of HAL 1.3 that is called synchronously: 900 µs in the server's scope.
#[test]
fn the_scope_of_the_server_is_the_drivers_execution() {
    let (corrected, run) = only(
        "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        100 app B|1|HIDL::IPreparedModel::executeSynchronously_1_3::client
        300 hal B|7|HIDL::IPreparedModel::executeSynchronously_1_3::server
        400 hal B|7|[NN_LD_PE]SampleDriver::executeSynchronously
        450 hal B|7|[NN_LC_PCO]optimized_ops::Conv
        1050 hal E|7
        1100 hal E|7
        1200 hal E|7
        1300 app E|1
        1400 app E|1",
    );
    assert_eq!(cell(&run, "LD_PE"), (900.0, 900.0));
    // The same code runs on the CPU and in the driver's process: there it is the driver's.
    assert_eq!(cell(&run, "LD_PCO"), (600.0, 600.0));
    assert_eq!(cell(&run, "LC_PE"), (0.0, 0.0));
    assert_eq!(cell(&run, "LI_PE"), (1200.0, 300.0));
    assert_eq!(cell(&run, "LR_PE"), (1400.0, 200.0));
    assert_eq!(corrected.drivers.len(), 1);
    assert_eq!((corrected.drivers[0].execution, corrected.executions[0].driver), (0, 900_000));
}

/// Point 4, AIDL: the process is a driver's, so its marks are too. 500 µs of compilation, 200 of them below the mark.
#[test]
fn aidl_drivers_are_known_by_their_interfaces() {
    let (_, run) = only(
        "100 app B|1|[NN_LR_PC]y
        200 app B|1|AIDL::ndk::IDevice::prepareModel::client
        300 hal B|7|AIDL::ndk::IDevice::prepareModel::server
        400 hal B|7|[NN_LC_PC]sample::Device::prepareModel
        700 hal E|7
        800 hal E|7
        900 app E|1
        1000 app E|1",
    );
    assert_eq!(cell(&run, "LD_PC"), (500.0, 500.0));
    assert_eq!(cell(&run, "LI_PC"), (700.0, 200.0));
    assert_eq!(cell(&run, "LR_PC"), (900.0, 200.0));
    assert_eq!(cell(&run, "LC_PC"), (0.0, 0.0));
}

/// Point 5: The audio HAL has an interface of the same name.
#[test]
fn audio_is_no_driver() {
    let (_, run) = only(
        "100 audio B|700|HIDL::IDevice::setMicMute::server
        500 audio E|700
        600 app B|1|[NN_LR_PP]y
        605 app E|1",
    );
    assert_eq!(cell(&run, "LD_PI"), (0.0, 0.0));
    assert_eq!(cell(&run, "LD_PO"), (0.0, 0.0));
    assert_eq!(cell(&run, "LR_PP"), (5.0, 5.0));
}

/// Point 7: An end without begin is dropped; what has no end is closed where the trace ends, and the run says so.
#[test]
fn damage_costs_only_what_is_damaged() {
    let (_, run) = only(
        "50 app E|1
        100 app B|1|[NN_LR_PP]a
        200 app E|1
        300 app B|1|[NN_LR_PC]b
        400 app B|1|[NN_LI_PC]c
        450 app E|1
        500 other B|1|unrelated",
    );
    assert_eq!(cell(&run, "LR_PP"), (100.0, 100.0));
    assert_eq!(cell(&run, "LR_PC"), (200.0, 150.0));
    assert_eq!((run.is_incomplete, run.n_orphans), (true, 1));
    let ended: Vec<_> = run.warnings.iter().filter(|w| w.trouble == Issue::NeverEnded).collect();
    assert_eq!((ended[0].n, ended[0].rows.as_slice()), (1, [3].as_slice()));
}

/// Point 8: A driver in the process of the application, and one that calls an allocator: shown, with warnings.
#[test]
fn drivers_in_process_and_calls_below_drivers_are_shown() {
    let (_, run) = only(
        "0 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        100 app B|1|[NN_LI_PE]execute
        200 app B|1|[NN_LD_PE]sample::PreparedModel::execute
        300 app B|1|HIDL::IAllocator::allocate::client
        350 app E|1
        700 app E|1
        800 app E|1
        900 app E|1",
    );
    assert_eq!(cell(&run, "LD_PE"), (500.0, 450.0));
    assert_eq!(cell(&run, "LI_PE"), (700.0, 250.0));
    assert_eq!(cell(&run, "LR_PE"), (900.0, 200.0));
    let troubles: Vec<Issue> = run.warnings.iter().map(|w| w.trouble).collect();
    assert_eq!(troubles, [Issue::InProcessDriver, Issue::IpcBelowDriver]);
}

/// An asynchronous execution on five threads: what is its own, whose is what.
const ASYNCHRONOUS: &str = "0 app B|1|[NN_LA_PE]e
    100 app B|1|[NN_LR_PE]ANeuralNetworksExecution_startCompute
    150 app E|1
    200 app B|1|[NN_LR_PE]ANeuralNetworksEvent_wait
    210 work B|1|[NN_LR_PE]StepExecutor::startComputeOnDevice
    220 work B|1|[NN_LR_PIO]StepExecutor::allocatePointerArguments
    250 work E|1
    300 work B|1|HIDL::IPreparedModel::execute::client
    320 hal B|7|HIDL::IPreparedModel::execute::server
    330 hal2 B|7|[NN_LD_PIO]SampleDriver::asyncExecute
    340 hal E|7
    350 work E|1
    430 hal2 B|7|[SW][NN_LD_PE]SampleDriver::asyncExecute
    900 hal2 B|7|HIDL::IExecutionCallback::notify::client
    910 back B|1|HIDL::IExecutionCallback::notify::server
    920 hal2 E|7
    930 back E|1
    940 hal2 E|7
    945 hal2 E|7
    950 work E|1
    1000 app E|1
    1100 app E|1";

/// The execution lasts from 100 to 1,000. The driver has 320 to 900 = 580, of which 100 are inputs (330 to 430). Calls
/// between processes: 300 to 320; the callback from 900 to 930 (both its ends). The runtime has the rest:
/// 900 - 580 - 20 - 30 = 270, of which 30 are inputs.
#[test]
fn an_execution_over_threads_and_processes_is_told_apart() {
    let (corrected, run) = only(ASYNCHRONOUS);
    let execution = &corrected.executions[0];
    let parts = [execution.application, execution.runtime, execution.ipc, execution.driver, execution.cpu];
    assert_eq!(parts.map(|t| t / 1000), [0, 270, 50, 580, 0]);
    assert_eq!((execution.total(), execution.io, execution.compute()), (900_000, 130_000, 770_000));
    assert_eq!(cell(&run, "LA_PE"), (1100.0, 200.0));
    assert_eq!(cell(&run, "LR_PE"), (900.0, 270.0));
    assert_eq!(cell(&run, "LD_PE"), (580.0, 580.0));
    assert_eq!(cell(&run, "LD_PIO"), (100.0, 100.0));
    assert_eq!(run.warnings, []);
}

/// The driver switches on the thread of the call, whose scope counts until the callback: from 320 to 900, once.
#[test]
fn what_a_driver_switches_to_counts_once() {
    let switched = |last: &str| {
        let text = "0 app B|1|[NN_LA_PE]e
            100 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
            300 app B|1|HIDL::IPreparedModel::execute::client
            320 hal B|7|HIDL::IPreparedModel::execute::server
            330 hal B|7|[NN_LD_PIO]SampleDriver::asyncExecute
            340 hal E|7
            350 app E|1
            430 hal B|7|[SW][NN_LD_PE]SampleDriver::asyncExecute
            ";
        only(&format!("{text}{last}")).1
    };
    let run = switched(
        "900 hal B|7|HIDL::IExecutionCallback::notify::client
        920 hal E|7
        945 hal E|7
        1000 app E|1
        1100 app E|1",
    );
    assert_eq!(cell(&run, "LD_PE"), (580.0, 580.0));
    assert_eq!(cell(&run, "LD_PO"), (580.0, 580.0));
    assert_eq!(cell(&run, "LD_PIO"), (10.0, 10.0));
    // Nobody calls back: until the end of what it switched to.
    let run = switched("900 hal E|7\n1000 app E|1\n1100 app E|1");
    assert_eq!(cell(&run, "LD_PE"), (580.0, 580.0));
}

/// The end of the call before is lost, or comes when all is over: no later call lies in it, and the 315 µs until the next one
/// are nobody's.
#[test]
fn a_call_without_an_end_holds_no_later_one() {
    let open = "\n5 hal B|7|HIDL::IDevice::getStatus::server\n";
    for end in ["", "\n1150 hal E|7"] {
        let (corrected, run) = only(&(ASYNCHRONOUS.replacen('\n', open, 1) + end));
        for (name, time) in [("LD_PE", 580.0), ("LD_PIO", 100.0), ("LD_PI", 0.0), ("LD_PO", 580.0)] {
            assert_eq!(cell(&run, name), (time, time), "{name}");
        }
        assert_eq!((cell(&run, "LR_PE"), cell(&run, "LA_PE")), ((900.0, 270.0), (1100.0, 200.0)));
        assert_eq!((corrected.drivers.len(), corrected.executions[0].driver), (1, 580_000));
        assert_eq!((run.is_incomplete, run.n_orphans, run.warnings.len()), (true, 0, 1));
        let warning = &run.warnings[0];
        assert_eq!((warning.trouble, warning.rows.as_slice()), (Issue::NeverEnded, [1].as_slice()));
    }
    // It was served until its last row: 60 of compiling, then 30 of the next one.
    let (_, run) = only(
        "0 hal B|7|HIDL::IDevice::prepareModel::server
        10 hal B|7|[NN_LD_PC]SampleDriver::prepareModel
        60 hal E|7
        500 hal B|7|HIDL::IDevice::getCapabilities::server
        530 hal E|7
        900 app B|1|[NN_LR_PP]a
        905 app E|1",
    );
    assert_eq!((cell(&run, "LD_PC"), cell(&run, "LD_PI")), ((60.0, 60.0), (30.0, 30.0)));
}

/// Whom a driver calls may call it back: 100 µs of compiling, of which 50 are a call, of which 30 are what it calls back for.
/// What others are called for is the driver's time.
#[test]
fn a_call_lies_in_another_where_the_driver_calls_in_between() {
    for (client, compiling) in
        [("HIDL::IPreparedModelCallback::notify", 50.0), ("HIDL::IServiceManager::get", 70.0)]
    {
        let (_, run) = only(&format!(
            "0 hal B|7|HIDL::IDevice::prepareModel::server
            10 hal B|7|{client}::client
            20 hal B|7|HIDL::IDevice::getStatus::server
            50 hal E|7
            60 hal E|7
            100 hal E|7
            200 app B|1|[NN_LR_PP]a
            205 app E|1"
        ));
        assert_eq!((cell(&run, "LD_PC").0, cell(&run, "LD_PI").0), (compiling, 30.0), "{client}");
        assert!(!run.is_incomplete, "{client}");
    }
}

/// Damaged rows lie centuries before and behind the others. Their scopes count for 200 days each at most, those of others as ever.
#[test]
fn rows_of_other_centuries_leave_sums_that_are_numbers() {
    let far = i64::MAX / 1_000;
    let layers = ["LR", "LI", "LD"];
    let begin = |(n, layer): (usize, &str)| format!("{} bad{n} B|{n}|[NN_{layer}_PE]broken\n", -far);
    let begins: String = (2..).zip(layers).map(begin).collect();
    let ends: String = (2..5).map(|n| format!("{far} bad{n} E|{n}\n")).collect();
    let (_, run) = only(&format!(
        "{begins}0 app B|1|[NN_LA_PO]model
        10 app B|1|[NN_LR_PE]ANeuralNetworksExecution_compute
        20 app E|1
        100 app E|1
        {ends}"
    ));
    assert_eq!(cell(&run, "LA_PO"), (100.0, 90.0));
    let sum = run.matrix.sum(None, Phase::Execution);
    assert!((10_000..=(3 << 54) + 10_000).contains(&sum), "{sum}");
}
