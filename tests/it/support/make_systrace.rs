//! Makes the fixtures of Android systrace: one small file for each thing that writers do, or do wrong.
//!
//! Every row is written out, so that the numbers in the tests can be counted by hand.

use super::make_trace::Made;
use std::io::Write;

fn made(case: &'static str, file: &'static str, shows: &'static str, text: impl Into<Vec<u8>>) -> Made {
    Made { case, file, shows, bytes: text.into() }
}

/// All of them.
pub(crate) fn all() -> Vec<Made> {
    let shell = format!("capturing trace... done\nTRACE:\n{HEADER}{PACKED}");
    vec![
        made(
            "page",
            "trace.html",
            "a page with lists of processes, a runtime, a driver and processors",
            page(),
        ),
        made("old", "trace.txt", "rows without process, with bare ends", format!("{OLD_HEADER}{OLD}")),
        made("liberal", "trace.txt", "rows that only a liberal reader takes, one form each", LIBERAL),
        made("marks", "trace.txt", "marks of every other kind", format!("{HEADER}{MARKS}")),
        made("damaged", "trace.txt", "damage between good rows: one of each kind", damaged()),
        made("shell", "trace.txt", "the words of atrace before the trace", shell),
        made("packed", "trace.ctrace", "compressed atrace", packed()),
        made("line_ends", "trace.txt", "line ends of every kind", line_ends()),
        made("script", "trace.html", "an old page: the trace is a string of a script", script()),
        made(
            "kernel",
            "trace.txt",
            "events of the kernel alone, as trace-cmd and the function tracer write them",
            KERNEL,
        ),
    ]
}

const HEADER: &str = "# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
";

const OLD_HEADER: &str = "# tracer: nop
#
#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |       |   ||||       |         |
";

fn page() -> String {
    format!(
        "<!DOCTYPE html>
<html><head><title>Android System Trace</title></head><body>
  <script class=\"trace-data\" type=\"application/text\">
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM
app            500     1   18956   2244 SyS_epoll_wait 5327b0 S com.example.camera  example.camera
system         700     1   18956   2244 SyS_epoll_wait 5327b0 S android.hardware.neuralnetworks@1.3-service neuralnetworks@
USER           PID   TID CMD
app            500   503 Worker with blanks
  </script>
  <script class=\"trace-data\" type=\"application/text\">
{HEADER}{PAGE}  </script>
  <script class=\"trace-data\" type=\"application/json\">
{{\"traceEvents\": [], \"text\": \"[NN_LR_PE]IDevice\"}}
  </script>
</body></html>
"
    )
}

/// An application that compiles and executes once, on a driver of HAL 1.3 that is only known by its calls.
const PAGE: &str = "
  example.camera-500   (  500) [000] ...1   10.000000: tracing_mark_write: B|500|doFrame
           <...>-501   (  500) [001] ...1   10.000100: tracing_mark_write: B|500|[NN_LR_PC]ANeuralNetworksCompilation_finish
           <...>-501   (  500) [001] ...1   10.000200: tracing_mark_write: B|500|HIDL::IDevice::prepareModel_1_3::client
    HwBinder:700_1-701 (-----) [002] ...1   10.000300: tracing_mark_write: B|700|HIDL::IDevice::prepareModel_1_3::server
    HwBinder:700_1-701 (-----) [002] ...1   10.000400: tracing_mark_write: B|700|[NN_LC_PC]SampleDriver::prepareModel
    HwBinder:700_1-701 (-----) [002] ...1   10.000500: tracing_mark_write: E|700
    HwBinder:700_1-701 (-----) [002] ...1   10.000600: tracing_mark_write: E|700
           <...>-501   (  500) [001] ...1   10.000700: tracing_mark_write: E|500
           <...>-501   (  500) [001] ...1   10.000800: tracing_mark_write: E|500
  example.camera-500   (  500) [000] ...1   10.000850: tracing_mark_write: E|500
  NeuralWorker-501     (  500) [001] ...1   10.000900: tracing_mark_write: B|500|[NN_LR_PE]ANeuralNetworksExecution_compute
  NeuralWorker-501     (  500) [001] ...1   10.001000: tracing_mark_write: B|500|[NN_LR_PE]computeOnCpu
  NeuralWorker-501     (  500) [001] ...1   10.001100: tracing_mark_write: B|500|[NN_LC_PTR]convQuant8
  NeuralWorker-501     (  500) [001] ...1   10.001200: tracing_mark_write: B|500|[SW][NN_LC_PCO]optimized_ops::Conv
  NeuralWorker-501     (  500) [001] ...1   10.001500: tracing_mark_write: E|500
  NeuralWorker-501     (  500) [001] ...1   10.001600: tracing_mark_write: E|500
  NeuralWorker-501     (  500) [001] ...1   10.001650: tracing_mark_write: B|500|[SUB][NN_LR_PE]copy
  NeuralWorker-501     (  500) [001] ...1   10.001660: tracing_mark_write: E|500
  NeuralWorker-501     (  500) [001] ...1   10.001700: tracing_mark_write: E|500
  NeuralWorker-501     (  500) [001] ...1   10.001800: tracing_mark_write: E|500
          Worker-503   (  500) [003] ...1   10.001850: tracing_mark_write: B|500|draw
          Worker-503   (  500) [003] ...1   10.001860: tracing_mark_write: E|500
          <idle>-0     (-----) [002] d..3   10.001900: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=HwBinder:700_1 next_pid=701 next_prio=120
  HwBinder:700_1-701   (  700) [002] d..3   10.002000: sched_switch: prev_comm=HwBinder:700_1 prev_pid=701 prev_prio=120 prev_state=S ==> next_comm=swapper/2 next_pid=0 next_prio=120
          <idle>-0     (-----) [002] d..2   10.002100: cpu_frequency: state=1766400 cpu_id=2
";

const OLD: &str = "
           <...>-4840  [005] .... 407457.000001: tracing_mark_write: B|4828|[NN_LR_PE]ANeuralNetworksExecution_startCompute
           <...>-4840  [005] .... 407457.000004: tracing_mark_write: E
           <...>-13947 [005] .... 407457.000005: tracing_mark_write: B|13947|HIDL::IPreparedModel::execute::server
           <...>-13947 [005] .... 407457.000009: tracing_mark_write: E|13947
";

const LIBERAL: &str = "TRACE:
# tracer: nop
cpus=8
#           TASK-PID     TGID    CPU#  |||||  TIMESTAMP  FUNCTION
               a-77    (-------) [003] ....1   5.000100: tracing_mark_write: B|77|[NN_LR_PP]ANeuralNetworksModel_create
               a-77    (-------) [003] ....1   5.000200: tracing_mark_write: E|77
averylongthreadname12-78 (   77) [003] ....1   5.000300: print: B|77|[NN_LR_PP]ANeuralNetworksModel_finish
averylongthreadname12-78 (   77) [003] ....1   5.000400: print: E
  with - dash (x)-79   (   77) [003]   5.000500000: 0: B|77|[NN_LR_PC]ANeuralNetworksCompilation_create
  with - dash (x)-79   (   77) [003]   5.000600123: 0: E|77
                -80    [003] 5.000700: tracing_mark_write: B|77|AIDL::ndk::android.hardware.neuralnetworks.IDevice::getType::client
                -80    [003] 5.000800: tracing_mark_write: E|77
";

const MARKS: &str = "
          worker-60    (   55) [000] ...1   1.000000: tracing_mark_write: C|55|queue|3
          worker-60    (   55) [000] ...1   1.000100: tracing_mark_write: S|55|load|7
          worker-61    (   55) [000] ...1   1.000200: tracing_mark_write: G|55|frames|frame 1|1
          worker-60    (   55) [000] ...1   1.000300: tracing_mark_write: C|55|queue|2
          worker-61    (   55) [000] ...1   1.000400: tracing_mark_write: F|55|load|7
          worker-60    (   55) [000] ...1   1.000500: tracing_mark_write: H|55|frames|1
          worker-60    (   55) [000] ...1   1.000600: tracing_mark_write: I|55|vsync
          worker-60    (   55) [000] ...1   1.000700: tracing_mark_write: N|55|frames|missed
          worker-60    (   55) [000] ...1   1.000800: tracing_mark_write: S|55|load|8
          worker-60    (   55) [000] ...1   1.000900: tracing_mark_write: C|55|queue|many
";

fn damaged() -> Vec<u8> {
    let mut bytes = HEADER.as_bytes().to_vec();
    bytes.extend_from_slice(
        b"          worker-60    (   55) [000] ...1   1.000000: tracing_mark_write: E|55
          worker-60    (   55) [000] ...1   1.000100: tracing_mark_write: B|55|[NN_LR_PE]first
          broken with [NN_LR_PE] inside
          worker-60    (   55) [000] ...1   1.000200: tracing_mark_write: E|55
          worker-60    (   55) [000] ...1   1.000300: tracing_mark_write: B|55|\xff\xfe
          worker-60    (   55) [000] ...1   1.000200: tracing_mark_write: E|55
CPU:3 [LOST 1200 EVENTS]
          worker-60    (   55) [000] ...1   99999999999999999999.0: tracing_mark_write: B|55|[SW][NN_LR_PE]late
          worker-60    (   55) [000] ...1   1.000500: tracing_mark_write: E|55
          worker-60    (   55) [000] ...1   1.000600: tracing_mark_write: B|55|[NN_LR_PE]never ends
          other-61     (   55) [000] ...1   1.000700: tracing_mark_write: B|55|idle
",
    );
    bytes
}

/// As pages of 2012 hold it: every row ends with a line break of the string and one of the script.
fn script() -> String {
    let rows = SCRIPT.replace('\n', "\\n\\\n");
    format!(
        "<!DOCTYPE html>\n<html><body>\n<script>\n  var linuxPerfData = \"\\\n{rows}\\n\";\n</script>\n</body></html>\n"
    )
}

const SCRIPT: &str = r"# tracer: nop
#
#           TASK-PID    CPU#    TIMESTAMP  FUNCTION
#              | |       |          |         |
          worker-60    [000] 50.000000: 0: B|60|draw
          worker-60    [000] 50.000100: 0: C|60|queue|3
          worker-60    [000] 50.000200: 0: B|60|C:\new\
          worker-60    [000] 50.000300: sched_wakeup: comm=two words pid=61 prio=120 success=1 target_cpu=000
          worker-60    [000] 50.000400: 0: E
          worker-60    [000] 50.000500: 0: E
          worker-60    [000] 50.000600: 0: C|60|queue|4
           dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0";

const KERNEL: &str = "version = 6
cpus=2
     kworker/1:1-51    [001]     7.000100: thermal_limit:        cpus=00000000,00000006 load={24 19} freq=1100000
     kworker/1:1-51    [001]     7.000200: sched_switch:         kworker/1:1:51 [120] R ==> two words:77 [120]
       two words-77    [001]     7.000300: bprint:               choose: cpu=1
          <idle>-0     [000] d...  7.000400: handle_irq <-do_irq
       two words-77    [001]     7.000500: sched_switch:         two words:77 [120] S ==> swapper/1:0 [120]
       two words-77    [001]     7.000600: cpu_frequency:        state=many cpu_id=1
";

const PACKED: &str =
    " worker-60    (   55) [000] ...1   1.000000: tracing_mark_write: B|55|[NN_LR_PP]ANeuralNetworksModel_create
 worker-60    (   55) [000] ...1   1.000100: tracing_mark_write: E|55
";

/// Stored, not deflated: the same bytes from every version of the library.
fn packed() -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(b"TRACE:\n".to_vec(), flate2::Compression::none());
    packer.write_all(format!("{HEADER}{PACKED}").as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn line_ends() -> String {
    let rows: Vec<&str> = PACKED.lines().collect();
    format!("{}{}\r{}\r\n{}\n{}", HEADER.replace('\n', "\r\n"), rows[0], rows[1], rows[0], rows[1])
}
