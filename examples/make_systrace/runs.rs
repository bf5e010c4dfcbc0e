//! What the application, its executor and callback threads, and the driver's two threads do, run by run.

use super::pen::{Pen, Thread};
use std::io::{self, Write};

const APP: Thread = Thread("NeuralNetworksT", 6120, 6120);
const EXECUTOR: Thread = Thread("Executor", 6131, 6120);
const CALLBACK: Thread = Thread("HwBinder:6120_1", 6127, 6120);
const BINDER: Thread = Thread("HwBinder:811_2", 844, 811);
const WORKER: Thread = Thread("npu worker", 849, 811);

const MODELS: [&str; 4] = ["mobilenet_v2_quant", "inception_v3", "deeplab_float", "ssd_mobilenet_quant"];
const KERNELS: [(&str, &str); 3] = [
    ("convQuant8", "optimized_ops::Conv"),
    ("depthwiseConvQuant8", "optimized_ops::DepthwiseConv"),
    ("addQuant8", "optimized_ops::Add"),
];
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
    pen.begin(APP, "[NN_LR_PC]ANeuralNetworksCompilation_finish")?;
    for (tag, call, driver, micros) in [
        ("[NN_LI_PI]getCapabilities", "getCapabilities", "[NN_LD_PI]SampleDriver::getCapabilities", 70),
        (
            "[NN_LI_PC]getSupportedOperations",
            "getSupportedOperations",
            "[NN_LD_PC]SampleDriver::getSupportedOperations",
            240,
        ),
        ("[NN_LI_PC]prepareModel", "prepareModel", "[NN_LD_PC]SampleDriver::prepareModel", 9_000),
    ] {
        pen.wait(12);
        pen.begin(APP, tag)?;
        pen.begin(APP, &format!("HIDL::IDevice::{call}::client"))?;
        pen.wait(45);
        pen.begin(BINDER, &format!("HIDL::IDevice::{call}::server"))?;
        pen.begin(BINDER, driver)?;
        pen.wait(micros);
        if call == "prepareModel" {
            notify(pen, BINDER, "IPreparedModelCallback")?;
        }
        pen.end(BINDER)?;
        pen.end(BINDER)?;
        pen.wait(30);
        pen.end(APP)?;
        pen.end(APP)?;
    }
    pen.end(APP)?;
    pen.end(APP)
}

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

/// One execution: eighteen scopes on five threads, or those of three kernels on the CPU.
fn execution<W: Write>(pen: &mut Pen<W>, on_cpu: bool) -> io::Result<()> {
    pen.wait(40);
    pen.begin(APP, "[NN_LA_PE]BenchmarkModel::benchmark")?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_create", 9)?;
    pen.call(APP, "[NN_LR_PIO]ANeuralNetworksExecution_setInput", 7)?;
    pen.call(APP, "[NN_LR_PIO]ANeuralNetworksExecution_setOutput", 6)?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_startCompute", 35)?;
    pen.wait(4);
    pen.begin(APP, "[NN_LR_PE]ANeuralNetworksEvent_wait")?;
    pen.wait(25);
    if on_cpu {
        by_cpu(pen)?
    } else {
        by_driver(pen)?
    }
    pen.wait(30);
    pen.end(APP)?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksEvent_free", 3)?;
    pen.call(APP, "[NN_LR_PE]ANeuralNetworksExecution_free", 5)?;
    pen.call(APP, "[NN_LA_PR]copyResults", 40)?;
    pen.end(APP)
}

fn by_driver<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    pen.begin(EXECUTOR, "[NN_LR_PE]StepExecutor::startComputeOnDevice")?;
    pen.call(EXECUTOR, "[NN_LR_PIO]StepExecutor::allocatePointerArguments", 30)?;
    pen.begin(EXECUTOR, "[NN_LI_PE]StepExecutor::startComputeOnDevice::execute")?;
    pen.begin(EXECUTOR, "HIDL::IPreparedModel::execute::client")?;
    pen.wait(15);
    pen.begin(BINDER, "HIDL::IPreparedModel::execute::server")?;
    pen.wait(10);
    pen.begin(WORKER, "[NN_LD_PIO]SampleDriver::asyncExecute")?;
    pen.end(BINDER)?;
    pen.wait(12);
    pen.end(EXECUTOR)?;
    pen.wait(50);
    pen.begin(WORKER, "[SW][NN_LD_PE]SampleDriver::asyncExecute")?;
    pen.wait(2_600);
    notify(pen, WORKER, "IExecutionCallback")?;
    pen.end(WORKER)?;
    pen.end(WORKER)?;
    pen.wait(20);
    pen.end(EXECUTOR)?;
    pen.end(EXECUTOR)
}

fn by_cpu<W: Write>(pen: &mut Pen<W>) -> io::Result<()> {
    pen.begin(EXECUTOR, "[NN_LR_PE]cpuFallbackFull")?;
    pen.wait(10);
    pen.begin(EXECUTOR, "[NN_LC_PE]run")?;
    for (prepare, compute) in KERNELS {
        pen.wait(3);
        pen.begin(EXECUTOR, &format!("[NN_LC_PTR]{prepare}"))?;
        pen.wait(18);
        pen.begin(EXECUTOR, &format!("[SW][NN_LC_PCO]{compute}"))?;
        pen.wait(1_900);
        pen.end(EXECUTOR)?;
        pen.end(EXECUTOR)?;
    }
    pen.end(EXECUTOR)?;
    pen.wait(8);
    pen.end(EXECUTOR)
}

/// The driver calls back.
fn notify<W: Write>(pen: &mut Pen<W>, driver: Thread, interface: &str) -> io::Result<()> {
    pen.begin(driver, &format!("HIDL::{interface}::notify::client"))?;
    pen.wait(18);
    pen.begin(CALLBACK, &format!("HIDL::{interface}::notify::server"))?;
    pen.wait(25);
    pen.end(CALLBACK)?;
    pen.end(driver)
}
