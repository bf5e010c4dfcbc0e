//! What the application, its executor and callback threads, and the driver's two threads do, run by run.

use super::pen::{Pen, Thread};
use std::io::{self, Write};

const APP: Thread = Thread("NeuralNetworksT", 6120, 6120);
const EXECUTOR: Thread = Thread("Executor", 6131, 6120);
const CALLBACK: Thread = Thread("HwBinder:6120_1", 6127, 6120);
const BINDER: Thread = Thread("HwBinder:811_2", 844, 811);
const WORKER: Thread = Thread("npu worker", 849, 811);

const MODELS: [&str; 4] = ["mobilenet_v2_quant", "inception_v3", "deeplab_float", "ssd_mobilenet_quant"];
/// Calls that build a model, beside operands and operations.
const N_PREPARATION: u64 = 120;

/// Writes the whole trace.
pub(crate) fn write<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    head(pen)?;
    let n_runs = pen.options.n_runs();
    for run in 0..n_runs {
        let (from, to) = (run as f64 / n_runs as f64, (run + 1) as f64 / n_runs as f64);
        let on_cpu = run % 3 == 2;
        let model = MODELS[run as usize % MODELS.len()];
        pen.wait(900);
        pen.begin(APP, &format!("[NN_LA_PO]{model}"))?;
        preparation(pen)?;
        compilation(pen)?;
        execution_loop(pen, "[NN_LA_PWU]runBenchmarkLoop", from + (to - from) * 0.3, on_cpu)?;
        execution_loop(pen, "[NN_LA_PBM]runBenchmarkLoop", to, on_cpu)?;
        pen.call(APP, "[NN_LR_PT]ANeuralNetworksCompilation_free", 210)?;
        pen.call(APP, "[NN_LR_PT]ANeuralNetworksModel_free", 60)?;
        pen.wait(20);
        pen.end(APP)?;
    }
    if pen.options.is_html {
        pen.text("  </script>\n  <script class=\"trace-data\" type=\"application/text\">\n{\"traceEvents\": []}\n  </script>\n</body>\n</html>\n")?;
    }
    pen.finish()
}

fn head<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    if pen.options.is_html {
        pen.text("<!DOCTYPE html>\n<html>\n<head><title>Android System Trace</title></head>\n<body>\n")?;
        pen.text("  <script class=\"trace-data\" type=\"application/text\">\nPROCESS DUMP\n")?;
        pen.text("USER PID PPID VSZ RSS WCHAN PC S NAME COMM\n")?;
        pen.text("u0_a91 6120 611 1620344 71020 0 0 S com.example.nnbenchmark NeuralNetworksT\n")?;
        pen.text(
            "system 811 1 31204 6120 0 0 S android.hardware.neuralnetworks@1.0-service-npu neuralnetworks@\n",
        )?;
        pen.text("  </script>\n  <script class=\"trace-data\" type=\"application/text\">\n")?;
    }
    pen.text("# tracer: nop\n#\n")?;
    pen.text(if pen.options.is_old {
        "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n#              | |       |   ||||       |         |\n"
    } else {
        "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n#              | |        |      |   ||||       |         |\n"
    })
}

fn preparation<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    pen.wait(150);
    pen.begin(APP, "[NN_LA_PP]buildModel")?;
    pen.call(APP, "[NN_LR_PP]ANeuralNetworksModel_create", 40)?;
    for n in 0..N_PREPARATION {
        pen.call(APP, "[NN_LR_PP]ANeuralNetworksModel_addOperand", 4)?;
        if n % 2 == 0 {
            pen.call(APP, "[NN_LR_PP]ANeuralNetworksModel_setOperandValue", 9)?;
        } else {
            pen.call(APP, "[NN_LR_PP]ANeuralNetworksModel_addOperation", 13)?;
        }
    }
    pen.call(APP, "[NN_LR_PP]ANeuralNetworksModel_identifyInputsAndOutputs", 6)?;
    pen.wait(5);
    pen.begin(APP, "[NN_LR_PP]ANeuralNetworksModel_finish")?;
    pen.call(APP, "[NN_LU_PU]validateModel", 180)?;
    pen.end(APP)?;
    pen.wait(20);
    pen.end(APP)
}

fn compilation<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    pen.wait(80);
    pen.begin(APP, "[NN_LA_PC]compileModel")?;
    pen.call(APP, "[NN_LR_PC]ANeuralNetworksCompilation_create", 30)?;
    pen.call(APP, "[NN_LR_PC]ANeuralNetworksCompilation_setPreference", 3)?;
    steps(pen, &COMPILATION)?;
    pen.end(APP)
}

const COMPILATION: [Step; 30] = [
    (9, APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish"),
    (12, APP, "[NN_LI_PI]getCapabilities"),
    (1, APP, "HIDL::IDevice::getCapabilities::client"),
    (45, BINDER, "HIDL::IDevice::getCapabilities::server"),
    (1, BINDER, "[NN_LD_PI]SampleDriver::getCapabilities"),
    (70, BINDER, ""),
    (1, BINDER, ""),
    (30, APP, ""),
    (1, APP, ""),
    (12, APP, "[NN_LI_PC]getSupportedOperations"),
    (1, APP, "HIDL::IDevice::getSupportedOperations::client"),
    (45, BINDER, "HIDL::IDevice::getSupportedOperations::server"),
    (1, BINDER, "[NN_LD_PC]SampleDriver::getSupportedOperations"),
    (240, BINDER, ""),
    (1, BINDER, ""),
    (30, APP, ""),
    (1, APP, ""),
    (12, APP, "[NN_LI_PC]prepareModel"),
    (1, APP, "HIDL::IDevice::prepareModel::client"),
    (45, BINDER, "HIDL::IDevice::prepareModel::server"),
    (1, BINDER, "[NN_LD_PC]SampleDriver::prepareModel"),
    (9_000, BINDER, "HIDL::IPreparedModelCallback::notify::client"),
    (18, CALLBACK, "HIDL::IPreparedModelCallback::notify::server"),
    (25, CALLBACK, ""),
    (1, BINDER, ""),
    (1, BINDER, ""),
    (1, BINDER, ""),
    (30, APP, ""),
    (1, APP, ""),
    (1, APP, ""),
];

/// Executions until so much of the trace is written, at least one.
fn execution_loop<W: Write>(pen: &mut Pen<W>, mark: &str, until: f64, on_cpu: bool) -> io::Result<()> {
    pen.wait(60);
    pen.begin(APP, mark)?;
    execution(pen, on_cpu)?;
    while pen.progress() < until {
        execution(pen, on_cpu)?;
    }
    pen.wait(15);
    pen.end(APP)
}

/// Before it (microseconds), on which thread, and what begins; an empty text ends what the thread began last.
type Step = (u64, Thread, &'static str);

/// One execution: eighteen scopes on five threads, or those of three kernels on the CPU.
fn execution<W: Write>(pen: &mut Pen<W>, on_cpu: bool) -> io::Result<()> {
    pen.wait(40);
    pen.begin(APP, "[NN_LA_PE]BenchmarkModel::benchmark")?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_create", 9)?;
    pen.call(APP, "[NN_LR_PIO]ANeuralNetworksExecution_setInput", 7)?;
    pen.call(APP, "[NN_LR_PIO]ANeuralNetworksExecution_setOutput", 6)?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_startCompute", 35)?;
    steps(pen, &[(4, APP, "[NN_LR_PE]ANeuralNetworksEvent_wait")])?;
    steps(pen, if on_cpu { &BY_CPU } else { &BY_DRIVER })?;
    steps(pen, &[(30, APP, "")])?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksEvent_free", 3)?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_free", 5)?;
    pen.call(APP, "[NN_LA_PR]copyResults", 40)?;
    pen.end(APP)
}

const BY_DRIVER: [Step; 18] = [
    (25, EXECUTOR, "[NN_LR_PE]StepExecutor::startComputeOnDevice"),
    (5, EXECUTOR, "[NN_LR_PIO]StepExecutor::allocatePointerArguments"),
    (30, EXECUTOR, ""),
    (2, EXECUTOR, "[NN_LI_PE]StepExecutor::startComputeOnDevice::execute"),
    (1, EXECUTOR, "HIDL::IPreparedModel::execute::client"),
    (15, BINDER, "HIDL::IPreparedModel::execute::server"),
    (10, WORKER, "[NN_LD_PIO]SampleDriver::asyncExecute"),
    (1, BINDER, ""),
    (12, EXECUTOR, ""),
    (50, WORKER, "[SW][NN_LD_PE]SampleDriver::asyncExecute"),
    (2_600, WORKER, "HIDL::IExecutionCallback::notify::client"),
    (18, CALLBACK, "HIDL::IExecutionCallback::notify::server"),
    (25, CALLBACK, ""),
    (1, WORKER, ""),
    (1, WORKER, ""),
    (1, WORKER, ""),
    (20, EXECUTOR, ""),
    (1, EXECUTOR, ""),
];

const BY_CPU: [Step; 12] = [
    (25, EXECUTOR, "[NN_LR_PE]cpuFallbackFull"),
    (10, EXECUTOR, "[NN_LC_PE]run"),
    (3, EXECUTOR, "[NN_LC_PTR]convQuant8"),
    (18, EXECUTOR, "[SW][NN_LC_PCO]optimized_ops::Conv"),
    (1_900, EXECUTOR, ""),
    (1, EXECUTOR, ""),
    (3, EXECUTOR, "[NN_LC_PTR]addQuant8"),
    (18, EXECUTOR, "[SW][NN_LC_PCO]optimized_ops::Add"),
    (400, EXECUTOR, ""),
    (1, EXECUTOR, ""),
    (2, EXECUTOR, ""),
    (8, EXECUTOR, ""),
];

fn steps<W: Write>(pen: &mut Pen<W>, steps: &[Step]) -> io::Result<()> {
    for &(micros, thread, text) in steps {
        pen.wait(micros);
        if text.is_empty() { pen.end(thread) } else { pen.begin(thread, text) }?;
    }
    Ok(())
}
