//! Makes the fixtures of Trace Event JSON: one small file for each thing that writers do, or do wrong.
//!
//! Every event is written out, so that the numbers in the tests can be counted by hand.

/// One fixture.
pub(crate) struct Made {
    /// Name of its folder.
    pub(crate) case: &'static str,
    /// Name of the file.
    pub(crate) file: &'static str,
    /// What it shows, in one sentence.
    pub(crate) shows: &'static str,
    /// The file.
    pub(crate) bytes: Vec<u8>,
}

fn made(case: &'static str, shows: &'static str, text: impl Into<Vec<u8>>) -> Made {
    Made { case, file: "trace.json", shows, bytes: text.into() }
}

/// All of them.
pub(crate) fn all() -> Vec<Made> {
    vec![
        made("phases", "every phase once, in an object with members on both sides of the events", PHASES),
        made("unfinished", "a bare array with a trailing comma and without its bracket", UNFINISHED),
        made("pairs", "begins and ends that do not match plainly, one thread for each way", PAIRS),
        made(
            "times",
            "times at the edges: epoch nanoseconds, fractions, text, missing, negative, absurd",
            TIMES,
        ),
        made(
            "overlaps",
            "slices of one thread that nest, touch, overlap partly and begin together",
            OVERLAPS,
        ),
        made("ids", "processes and threads whose ids are numbers, texts, both, empty, null or missing", IDS),
        made("flows", "arrows: chains, several ends, ends before starts, repeated and lonely ones", FLOWS),
        made("bound", "slices that bear arrows: a fan, a step, an end before its start, lonely ones", BOUND),
        made("asyncs", "asynchronous ids: nested, over processes, local, legacy, unpaired", ASYNCS),
        made("counters", "counters with series, numeric text, gaps, ids and nothing", COUNTERS),
        made(
            "operator",
            "an operator trace with SET and WAIT, arrows, groups, counters and orders",
            OPERATOR,
        ),
        made("operator_plain", "an operator trace without sort indices", OPERATOR_PLAIN),
        made("operator_late", "an operator trace that says so behind its events", OPERATOR_LATE),
        made(
            "pytorch_like",
            "the form of PyTorch's profiler: devices first, text and number of one id",
            PYTORCH,
        ),
        made("links", "calls and kernels that share numbers, with a flow for one of them only", LINKS),
        made("damaged", "damage between good events: one of each kind", damaged()),
        made("cut", "a file that ends inside an event", CUT),
        made("sampled", "samples and stack frames around the events", SAMPLED),
    ]
}

const PHASES: &str = r#"{"displayTimeUnit":"ms","otherData":{"version":"1.0","id":12345678901234567890},
"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}},
{"ph":"M","name":"process_labels","pid":1,"args":{"labels":"main"}},
{"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":2}},
{"ph":"M","name":"thread_name","pid":1,"tid":10,"args":{"name":"worker"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":10,"args":{"sort_index":-3}},
{"ph":"M","name":"num_cpus","pid":1,"args":{"number":4}},
{"ph":"X","name":"work","cat":"a,b","pid":1,"tid":10,"ts":100,"dur":50,"cname":"good","args":{"n":1}},
{"ph":"B","name":"part","cat":"a","pid":1,"tid":11,"ts":110},
{"ph":"E","pid":1,"tid":11,"ts":125.5},
{"ph":"i","name":"now","pid":1,"tid":10,"ts":120,"s":"t"},
{"ph":"I","name":"old now","pid":1,"tid":10,"ts":121},
{"ph":"R","name":"mark","pid":1,"tid":10,"ts":122},
{"ph":"P","name":"sample","pid":1,"tid":10,"ts":123,"sf":7},
{"ph":"b","name":"load","cat":"net","id":"0x1","pid":1,"ts":100},
{"ph":"n","name":"half","cat":"net","id":"0x1","pid":1,"ts":130},
{"ph":"e","name":"load","cat":"net","id":"0x1","pid":1,"ts":160},
{"ph":"s","name":"go","cat":"f","id":9,"pid":1,"tid":10,"ts":110},
{"ph":"f","name":"go","cat":"f","id":9,"pid":1,"tid":11,"ts":115,"bp":"e"},
{"ph":"C","name":"heap","pid":1,"ts":100,"args":{"used":10,"free":5.5}},
{"ph":"C","name":"heap","pid":1,"ts":200,"args":{"used":11,"free":4.5}},
{"ph":"N","name":"o","id":1,"pid":1,"tid":10,"ts":1},{"ph":"O","name":"o","id":1,"pid":1,"tid":10,"ts":2},
{"ph":"D","name":"o","id":1,"pid":1,"tid":10,"ts":3},{"ph":"v","name":"dump","id":1,"pid":1,"ts":4},
{"ph":"V","name":"dump","id":1,"ts":4},{"ph":"c","name":"sync","pid":1,"tid":10,"ts":5},
{"ph":"(","pid":1,"tid":10,"ts":6},{"ph":")","pid":1,"tid":10,"ts":7},{"ph":"=","pid":1,"tid":10,"ts":8},
{"ph":"?","name":"odd","pid":1,"tid":10,"ts":9},{"name":"no phase","pid":1,"tid":10,"ts":9},
{}],
"systemTraceEvents":"none","devices":[{"id":0,"name":"d0"},{"id":1,"name":"d1","mem":64}]}
"#;

const UNFINISHED: &str = r#"[
  {"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
  {"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":1},
"#;

/// Threads 1 to 9, one rule each.
const PAIRS: &str = r#"[
{"ph":"B","name":"A","pid":0,"tid":1,"ts":0},{"ph":"B","name":"A","pid":0,"tid":1,"ts":1},
{"ph":"E","name":"A","pid":0,"tid":1,"ts":5},{"ph":"E","pid":0,"tid":1,"ts":7},
{"ph":"B","name":"A","pid":0,"tid":2,"ts":0},{"ph":"E","name":"B","pid":0,"tid":2,"ts":10},
{"ph":"B","name":"C","pid":0,"tid":2,"ts":20},{"ph":"E","name":"C","pid":0,"tid":2,"ts":30},
{"ph":"B","name":"A","pid":0,"tid":3,"ts":0},{"ph":"B","name":"B","pid":0,"tid":3,"ts":1},
{"ph":"E","name":"A","pid":0,"tid":3,"ts":9},{"ph":"E","name":"B","pid":0,"tid":3,"ts":10},
{"ph":"E","name":"lone","pid":0,"tid":4,"ts":3},
{"ph":"B","name":"open","pid":0,"tid":5,"ts":4},
{"ph":"B","name":"A","pid":0,"tid":6,"ts":0},{"ph":"E","name":"C","pid":0,"tid":6,"ts":2},
{"ph":"B","name":"C","pid":0,"tid":6,"ts":2},{"ph":"E","name":"A","pid":0,"tid":6,"ts":10},
{"ph":"E","name":"A","pid":0,"tid":7,"ts":9},{"ph":"E","name":"B","pid":0,"tid":7,"ts":8},
{"ph":"B","name":"A","pid":0,"tid":7,"ts":0},{"ph":"B","name":"B","pid":0,"tid":7,"ts":1},
{"ph":"X","name":"last","pid":0,"tid":8,"ts":0,"dur":40}
]"#;

const TIMES: &str = r#"[
{"ph":"X","name":"first","pid":1,"tid":1,"ts":1766000000000000.001,"dur":0.001},
{"ph":"X","name":"second","pid":1,"tid":1,"ts":1766000000000000.002,"dur":0.001},
{"ph":"X","name":"touches","pid":1,"tid":2,"ts":0.3785,"dur":0.0015},
{"ph":"X","name":"touched","pid":1,"tid":2,"ts":0.38,"dur":1e-3},
{"ph":"X","name":"as text","pid":1,"tid":3,"ts":"11550183666","dur":"2.5"},
{"ph":"X","name":"zero","pid":1,"tid":4,"ts":5,"dur":0},
{"ph":"X","name":"negative","pid":1,"tid":4,"ts":6,"dur":-2},
{"ph":"X","name":"thread time","pid":1,"tid":4,"ts":7,"tdur":4},
{"ph":"X","name":"no length","pid":1,"tid":4,"ts":8},
{"ph":"X","name":"absurd length","pid":1,"tid":4,"ts":9,"dur":1e308},
{"ph":"X","name":"absurd start","pid":1,"tid":4,"ts":1e308,"dur":1},
{"ph":"X","name":"no number","pid":1,"tid":4,"ts":NaN,"dur":1},
{"ph":"X","name":"no start","pid":1,"tid":4,"dur":1},
{"ph":"X","name":"before zero","pid":1,"tid":4,"ts":-2.5,"dur":1.25}
]"#;

const OVERLAPS: &str = r#"{"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":10},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":12,"dur":10},
{"ph":"X","name":"inner","pid":1,"tid":2,"ts":1,"dur":2},
{"ph":"X","name":"outer","pid":1,"tid":2,"ts":1,"dur":8},
{"ph":"X","name":"touching","pid":1,"tid":2,"ts":9,"dur":1},
{"ph":"X","name":"point","pid":1,"tid":2,"ts":9,"dur":0}
]}"#;

const IDS: &str = r#"[
{"ph":"X","name":"a","pid":7,"tid":"25738","ts":0,"dur":1},
{"ph":"M","name":"thread_name","pid":"7","tid":25738,"args":{"name":"python"}},
{"ph":"X","name":"b","pid":"7","tid":25738,"ts":2,"dur":1},
{"ph":"X","name":"c","pid":"Traces","tid":"stream 7","ts":3,"dur":1},
{"ph":"X","name":"d","pid":"","tid":"","ts":4,"dur":1},
{"ph":"X","name":"e","ts":5,"dur":1},
{"ph":"X","name":"f","pid":null,"tid":null,"ts":6,"dur":1},
{"ph":"X","name":"g","pid":"caf\u00e9","tid":-1,"ts":7,"dur":1},
{"ph":"M","name":"process_name","pid":99,"args":{"name":"nothing on it"}}
]"#;

const FLOWS: &str = r#"[
{"ph":"s","cat":"c","id":1,"name":"chain","pid":1,"tid":1,"ts":1},
{"ph":"t","cat":"c","id":1,"name":"chain","pid":1,"tid":2,"ts":2},
{"ph":"f","cat":"c","id":1,"name":"chain","pid":1,"tid":3,"ts":3},
{"ph":"s","cat":"c","id":2,"name":"fan","pid":1,"tid":1,"ts":10},
{"ph":"f","cat":"c","id":2,"name":"fan","pid":1,"tid":2,"ts":11},
{"ph":"f","cat":"c","id":2,"name":"fan","pid":1,"tid":3,"ts":12},
{"ph":"f","cat":"c","id":3,"name":"late start","pid":1,"tid":2,"ts":21},
{"ph":"s","cat":"c","id":3,"name":"late start","pid":1,"tid":1,"ts":20},
{"ph":"s","cat":"d","id":1,"name":"no end","pid":1,"tid":1,"ts":30},
{"ph":"f","cat":"e","id":1,"name":"no start","pid":1,"tid":1,"ts":31},
{"ph":"s","cat":"g","id":4,"name":"twice","pid":1,"tid":1,"ts":40},
{"ph":"s","cat":"g","id":4,"name":"twice","pid":1,"tid":1,"ts":41},
{"ph":"f","cat":"g","id":4,"name":"twice","pid":1,"tid":2,"ts":42},
{"ph":"f","cat":"h","id":5,"name":"device clock","pid":1,"tid":2,"ts":50},
{"ph":"s","cat":"h","id":5,"name":"device clock","pid":1,"tid":1,"ts":55},
{"ph":"f","cat":"h","id":5,"name":"device clock","pid":1,"tid":3,"ts":60},
{"ph":"s","cat":"i","id":6,"name":"again","pid":1,"tid":1,"ts":70},
{"ph":"s","cat":"i","id":6,"name":"again","pid":1,"tid":1,"ts":80},
{"ph":"f","cat":"i","id":6,"name":"again","pid":1,"tid":2,"ts":75},
{"ph":"f","cat":"i","id":6,"name":"again","pid":1,"tid":3,"ts":85},
{"ph":"s","cat":"j","id":7,"scope":"a","name":"scopes","pid":1,"tid":1,"ts":90},
{"ph":"s","cat":"j","id":7,"scope":"b","name":"scopes","pid":1,"tid":2,"ts":91},
{"ph":"f","cat":"j","id":7,"scope":"a","name":"scopes","pid":1,"tid":3,"ts":92},
{"ph":"f","cat":"j","id":7,"scope":"b","name":"scopes","pid":1,"tid":4,"ts":93},
{"ph":"f","cat":"e","id":2,"name":"no start","pid":1,"tid":1,"ts":95}
]"#;

const ASYNCS: &str = r#"[
{"ph":"b","cat":"io","id":1,"name":"read","pid":1,"ts":0},
{"ph":"b","cat":"io","id":1,"name":"wait","pid":1,"ts":2},
{"ph":"n","cat":"io","id":1,"name":"packet","pid":1,"ts":3},
{"ph":"e","cat":"io","id":1,"name":"wait","pid":1,"ts":4},
{"ph":"e","cat":"io","id":1,"name":"read","pid":1,"ts":10},
{"ph":"b","cat":"io","id":2,"name":"read","pid":1,"ts":5},
{"ph":"e","cat":"io","id":2,"name":"read","pid":2,"ts":15},
{"ph":"b","cat":"io","id2":{"local":"0x1"},"name":"send","pid":1,"ts":20},
{"ph":"b","cat":"io","id2":{"local":"0x1"},"name":"send","pid":2,"ts":21},
{"ph":"e","cat":"io","id2":{"local":"0x1"},"name":"send","pid":1,"ts":22},
{"ph":"e","cat":"io","id2":{"local":"0x1"},"name":"send","pid":2,"ts":24},
{"ph":"S","cat":"old","id":5,"name":"legacy","pid":1,"ts":30},
{"ph":"S","cat":"old","id":5,"name":"other","pid":1,"ts":30.5},
{"ph":"T","cat":"old","id":5,"name":"legacy","pid":1,"ts":31},
{"ph":"F","cat":"old","id":5,"name":"legacy","pid":1,"ts":33},
{"ph":"F","cat":"old","id":5,"name":"other","pid":1,"ts":34},
{"ph":"e","cat":"io","id":77,"name":"lone","pid":1,"ts":34},
{"ph":"b","cat":"io","id":78,"name":"open","pid":1,"ts":35},
{"ph":"i","cat":"x","name":"end","pid":1,"tid":1,"ts":50}
]"#;

const COUNTERS: &str = r#"[
{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"used(bytes)":100,"free(bytes)":"50","note":"x"}},
{"ph":"C","name":"memory","pid":1,"ts":2,"args":{"used(bytes)":120,"free(bytes)":NaN}},
{"ph":"C","name":"memory","pid":1,"id":"gpu0","ts":3,"args":{"used(bytes)":7}},
{"ph":"C","name":"nothing","pid":1,"ts":4,"args":{}},
{"ph":"C","name":"rate","pid":1,"ts":0,"args":{"rate(MB/s)":-1.5e3,"inner":{"x":1}}},
{"ph":"C","name":"memory","pid":1,"ts":1.5,"args":{"used(bytes)":110}}
]"#;

const OPERATOR: &str = r#"{"displayTimeUnit":"ns","profilingType":"op","schemaVersion":2,"traceEvents":[
{"ph":"M","name":"process_sort_index","pid":"core1.cubecore0","args":{"sort_index":4}},
{"ph":"M","name":"process_sort_index","pid":"core0.cubecore0","args":{"sort_index":1}},
{"ph":"M","name":"thread_sort_index","pid":"core0.cubecore0","tid":"CUBE","args":{"sort_index":2}},
{"ph":"M","name":"thread_sort_index","pid":"core0.cubecore0","tid":"MTE1","args":{"sort_index":1}},
{"ph":"X","name":"MOV","cname":"thread_state_running","pid":"core0.cubecore0","tid":"MTE1","ts":0.5,"dur":0.01,"args":{"code":"/k.cpp:13\n/impl.h:38"}},
{"ph":"X","name":"MMAD","cname":"background_memory_dump","pid":"core0.cubecore0","tid":"CUBE","ts":0.55,"dur":0.2,"args":{}},
{"ph":"X","name":"LD","group_id":5,"pid":"core0.cubecore0","tid":"SCALAR","ts":0.1,"dur":0.002},
{"ph":"X","name":"cache_time","group_id":5,"pid":"core0.cubecore0","tid":"SCALAR","ts":0.102,"dur":0.004},
{"ph":"X","name":"odd lane","pid":"core0.cubecore0","tid":"ODD","ts":0.1,"dur":0.001},
{"ph":"X","name":"BAR","pid":"core1.cubecore0","tid":"CUBE","ts":0.7,"dur":0.001},
{"ph":"B","name":"SET_FLAG","id":"core0_1","cname":"black","pid":"core0.cubecore0","tid":"MTE1","ts":0.5},
{"ph":"E","name":"WAIT_FLAG","id":"core0_1","cname":"yellow","pid":"core0.cubecore0","tid":"CUBE","ts":0.55},
{"ph":"B","name":"WAIT_FLAG","id":"core0_1","cname":"yellow","pid":"core0.cubecore0","tid":"CUBE","ts":0.3},
{"ph":"E","name":"SET_FLAG","id":"core0_1","cname":"black","pid":"core1.cubecore0","tid":"CUBE","ts":0.51},
{"ph":"B","name":"set_event","id":"core0_1","pid":"core0.cubecore0","tid":"MTE1","ts":0.6},
{"ph":"E","name":"wait_event","id":"lone","pid":"core0.cubecore0","tid":"CUBE","ts":0.6},
{"ph":"B","name":"other","id":"x","pid":"core0.cubecore0","tid":"CUBE","ts":0.6},
{"ph":"s","cat":"MTE1ToCUBE","id":"core0_1","name":"flow","pid":"core0.cubecore0","tid":"MTE1","ts":0.51},
{"ph":"t","cat":"MTE1ToCUBE","id":"core0_1","name":"flow","pid":"core0.cubecore0","tid":"CUBE","ts":0.55},
{"ph":"t","cat":"MTE1ToCUBE","id":"core0_1","name":"flow","pid":"core1.cubecore0","tid":"CUBE","ts":0.7},
{"ph":"f","cat":"MTE1ToCUBE","id":"core0_1","name":"flow","pid":"core0.cubecore0","tid":"CUBE","ts":0.8},
{"ph":"i","name":"dropped","pid":"core0.cubecore0","tid":"CUBE","ts":0.6},
{"ph":"X","name":"no tid","pid":"core0.cubecore0","ts":0.6,"dur":1},
{"ph":"C","name":"GM_TO_L1","pid":"MTE Throughput","ts":0,"args":{"throughput(MB/s)":1}},
{"ph":"C","name":"GM_TO_L1","pid":"MTE Throughput","ts":0.3,"args":{"throughput(MB/s)":9483.43}},
{"ph":"C","name":"GM_TO_L1","pid":"MTE Throughput","ts":0.6,"args":{"throughput(MB/s)":0}}
]}"#;

const BOUND: &str = r#"[
{"ph":"X","name":"out","pid":1,"tid":1,"ts":0,"dur":2,"bind_id":"0x1","flow_out":true},
{"ph":"X","name":"in","pid":1,"tid":2,"ts":3,"dur":2,"bind_id":"0x1","flow_in":true},
{"ph":"X","name":"in too","pid":1,"tid":3,"ts":4,"dur":2,"bind_id":"0x1","flow_in":true},
{"ph":"B","name":"first","pid":1,"tid":1,"ts":10,"bind_id":2,"flow_out":true},
{"ph":"E","name":"first","pid":1,"tid":1,"ts":11},
{"ph":"X","name":"step","pid":1,"tid":2,"ts":12,"dur":1,"bind_id":"2","flow_in":true,"flow_out":true},
{"ph":"b","name":"last","cat":"net","id":7,"pid":1,"ts":14,"bind_id":2,"flow_in":true,"flow_out":false},
{"ph":"e","name":"last","cat":"net","id":7,"pid":1,"ts":15},
{"ph":"X","name":"stands first","pid":1,"tid":2,"ts":21,"dur":1,"bind_id":3,"flow_in":true},
{"ph":"X","name":"begins","pid":1,"tid":1,"ts":20,"dur":1,"bind_id":3,"flow_out":true},
{"ph":"X","name":"lonely out","pid":1,"tid":1,"ts":30,"dur":1,"bind_id":4,"flow_out":true},
{"ph":"X","name":"lonely in","pid":1,"tid":1,"ts":32,"dur":1,"bind_id":5,"flow_in":true},
{"ph":"X","name":"no way","pid":1,"tid":1,"ts":34,"dur":1,"bind_id":6}
]"#;

const OPERATOR_LATE: &str = r#"{"schemaVersion":2,"traceEvents":[
{"ph":"X","name":"MOV","pid":"core0.cubecore0","tid":"MTE1","ts":0.5,"dur":0.01,"args":{"profilingType":"op"}},
{"ph":"B","name":"SET_FLAG","id":"1","pid":"core0.cubecore0","tid":"MTE1","ts":0.5},
{"ph":"E","name":"SET_FLAG","id":"1","pid":"core0.cubecore0","tid":"MTE1","ts":0.55}
], "displayTimeUnit":"ns", "profilingType" : "op", "more": {"a": ["}", 1]} }
"#;
const OPERATOR_PLAIN: &str = r#"{"profilingType":"op","schemaVersion":1,"traceEvents":[
{"ph":"X","name":"a","pid":"core10.veccore0","tid":"MTE3","ts":1,"dur":1},
{"ph":"X","name":"b","pid":"core2.veccore0","tid":"VECTOR","ts":1,"dur":1},
{"ph":"X","name":"c","pid":"core2.veccore0","tid":"SCALAR","ts":1,"dur":1},
{"ph":"X","name":"d","pid":"core2.veccore0","tid":"unheard of","ts":1,"dur":1},
{"ph":"X","name":"e","pid":"core2.veccore0","tid":"WARP_2","ts":1,"dur":1}
]}"#;

/// Calls of µs 10 to 60, kernels of µs 100 to 180: numbers, a text, one that repeats, 0, one side only, a late call.
const LINKS: &str = r#"{"traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"X","pid":1,"tid":1,"name":"aten::op","cat":"cpu_op","ts":0,"dur":90,"args":{"External id":3}},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":10,"dur":2,"args":{"External id":3,"cbid":211,"correlation":41}},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":20,"dur":2,"args":{"correlation":"42"}},
{"ph":"X","pid":1,"tid":1,"name":"cuLaunchKernelEx","cat":"cuda_driver","ts":30,"dur":2,"args":{"correlation":43}},
{"ph":"X","pid":1,"tid":1,"name":"cudaGraphLaunch","cat":"cuda_runtime","ts":40,"dur":2,"args":{"correlation":44}},
{"ph":"X","pid":1,"tid":1,"name":"cudaEventQuery","cat":"cuda_runtime","ts":50,"dur":2,"args":{"correlation":45}},
{"ph":"X","pid":1,"tid":1,"name":"cudaEventQuery","cat":"cuda_runtime","ts":60,"dur":2,"args":{"correlation":0}},
{"ph":"X","pid":1,"tid":1,"name":"cudaMemsetAsync","cat":"cuda_runtime","ts":170,"dur":2,"args":{"correlation":46}},
{"ph":"X","pid":0,"tid":7,"name":"a","cat":"kernel","ts":100,"dur":5,"args":{"External id":3,"stream":7,"correlation":41}},
{"ph":"X","pid":0,"tid":7,"name":"b","cat":"kernel","ts":110,"dur":5,"args":{"correlation":42}},
{"ph":"s","id":9,"pid":1,"tid":1,"ts":10,"cat":"ac2g","name":"ac2g"},
{"ph":"f","id":9,"pid":0,"tid":7,"ts":120,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","pid":0,"tid":7,"name":"c","cat":"kernel","ts":120,"dur":5,"args":{"correlation":43}},
{"ph":"X","pid":0,"tid":7,"name":"d","cat":"gpu_memcpy","ts":130,"dur":5,"args":{"correlation":44}},
{"ph":"X","pid":0,"tid":7,"name":"e","cat":"kernel","ts":140,"dur":5,"args":{"correlation":44}},
{"ph":"X","pid":0,"tid":7,"name":"f","cat":"gpu_memset","ts":150,"dur":5,"args":{"correlation":46}},
{"ph":"X","pid":0,"tid":7,"name":"g","cat":"kernel","ts":160,"dur":5,"args":{"correlation":0}},
{"ph":"X","pid":0,"tid":7,"name":"h","cat":"kernel","ts":170,"dur":5,"args":{"correlation":47}}
]}"#;

const PYTORCH: &str = r#"{
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "Some GPU", "totalGlobalMem": 34084028416, "numSms": 80},
    {"id": 1, "name": "Some GPU", "totalGlobalMem": 34087305216, "numSms": 80}
  ],
  "traceEvents": [
  {
    "ph": "X", "cat": "Operator", 
    "name": "aten::empty", "pid": 25738, "tid": "25738",
    "ts": 1623142623460111, "dur": 25,
    "args": {
      "Device": 25738, "External id": 2,
      "Trace name": "Profiler", "Trace iteration": 0 ,
      "Input Dims": [[], [], []], "Call stack": "a/profiler.py(611): __init__;b.py(54): <module>"
    }
  },
  {
    "ph": "X", "cat": "Runtime", 
    "name": "cudaLaunchKernel", "pid": 25738, "tid": "25738",
    "ts": 1623142623460140, "dur": 7, "args": {"correlation": 11}
  },
  {
    "ph": "s", "id": 11, "pid": 25738, "tid": 25738, "ts": 1623142623460140,
    "cat": "async", "name": "launch"
  },
  {
    "ph": "X", "cat": "Kernel", 
    "name": "void kernel<float, 4>(int)", "pid": 0, "tid": "stream 7",
    "ts": 1623142623460200, "dur": 100, "args": {"grid": [80, 1, 1]}
  },
  {
    "ph": "f", "id": 11, "pid": 0, "tid": "stream 7", "ts": 1623142623460200,
    "cat": "async", "name": "launch", "bp": "e"
  },
  {
    "ph": "i", "s": "t", "name": "[memory]", "pid": 25738, "tid": 25738,
    "ts": 1623142623460120, "args": {"Bytes": -512, "Total Allocated": 100}
  },
  {
    "name": "process_name", "ph": "M", "ts": 1623142623460016, "pid": 25738, "tid": 0,
    "args": {"name": "python"}
  },
  {
    "name": "thread_name", "ph": "M", "ts": 1623142623460016, "pid": 25738, "tid": 25738,
    "args": {"name": "thread 25738 (python)"}
  },
  {
    "name": "process_labels", "ph": "M", "ts": 1623142623460016, "pid": 0, "tid": 0,
    "args": {"labels": "GPU 0"}
  },
  {
    "ph": "X", "cat": "Trace", "ts": 1623142623460016, "dur": 1065723,
    "pid": "Traces", "tid": "Profiler",
    "name": "Profiler (0)", "args": {"Op count": 0}
  },
  {
    "name": "Record Window End", "ph": "i", "s": "g",
    "pid": "", "tid": "", "ts": 1623142624633484
  }
]}
"#;

/// Good events `g0` to `g8`, and between them: an event without a comma inside, a lost quote, a bare word, bytes that
/// are no text, zero bytes, a value that is no event, an early bracket, a deep value.
fn damaged() -> Vec<u8> {
    let good = |n: u32| format!(r#"{{"ph":"X","name":"g{n}","pid":1,"tid":1,"ts":{n},"dur":1}}"#);
    let deep = format!("{}{}", "[".repeat(2_000), "]".repeat(2_000));
    let parts: Vec<Vec<u8>> = vec![
        format!("{{\"traceEvents\":[\n{},\n", good(0)).into(),
        format!("{{\"ph\":\"X\" \"name\":\"bad\"}},\n{},\n", good(1)).into(),
        format!("{{\"ph\":\"X\",\"name\":\"lost,\"pid\":1,\"tid\":1,\"ts\":9}},{},\n", good(2)).into(),
        format!("{{\"ph\":\"X\",\"args\":{{\"x\":\"lost}},\"ts\":9}},{},\n", good(3)).into(),
        format!("{{\"ph\":\"X\",\"ts\":what}},\n{},\n", good(4)).into(),
        b"{\"ph\":\"X\",\"name\":\"\xff\xfe\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1},\n".to_vec(),
        format!("\0\0\0\0,\n{},\n", good(6)).into(),
        format!("17,\n{},\n", good(7)).into(),
        format!(
            "{{\"ph\":\"X\",\"name\":\"deep\",\"pid\":1,\"tid\":1,\"ts\":8,\"dur\":1,\"args\":{deep}}}\n],\n"
        )
        .into(),
        format!("{}]}}", good(9)).into(),
    ];
    parts.concat()
}

const CUT: &str = r#"{"traceEvents":[
{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
{"ph":"B","name":"b","pid":1,"tid":1,"ts":3},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":4,"dur":6},
{"ph":"X","name":"d","pid":1,"ti"#;

const SAMPLED: &str = r#"{"stackFrames":{"1":{"name":"main","category":"app"},"2":{"name":"f","parent":1},"x":{"name":"g","parent":"2"}},
"traceEvents":[
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"worker"}},
{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":90,"args":{"data":{"cpuProfile":{"samples":[3,1,4],"nodes":[{"id":5,"parent":2,"callFrame":{"functionName":"late"}}]},"timeDeltas":[10,10,10]}}},
{"ph":"P","name":"Profile","id":"0x1","pid":1,"tid":2,"ts":50,"args":{"data":{"startTime":50}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":80,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}},{"id":2,"parent":1,"callFrame":{"functionName":"run","url":"a.js","lineNumber":4}},{"id":3,"parent":2,"callFrame":{"functionName":""}},{"id":4,"parent":1,"callFrame":{"functionName":"(idle)"}}],"samples":[2,3]},"timeDeltas":[5,10]}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":120,"args":{"data":{"cpuProfile":{"samples":[5,2]},"timeDeltas":[15,-5],"endTime":130}}},
{"ph":"P","name":"ProfileChunk","id":"0x1","pid":1,"tid":9,"ts":121,"args":{}}],
"samples":[{"tid":1,"ts":10,"sf":2},{"tid":"1","ts":12,"sf":"x"},{"tid":1,"ts":"14","sf":2},{"tid":1,"ts":100,"sf":1},{"tid":1,"ts":102,"sf":77},{"ts":3,"tid":8,"sf":78}]}"#;
