//! Makes the fixtures of folders that msprof op writes: a container with its CSV files, and a project of operators.
//! Names and numbers are invented; what container and files both say agrees.

use super::make_ascend::Container;
use serde_json::{Value, json};

/// A fixture: name, what it shows, its files.
pub(crate) type Folder = (&'static str, &'static str, Vec<(String, Vec<u8>)>);

/// Values of one block: number, duration, cycles, cycles of MTE2, requests from GM to UB, hits.
const BLOCKS: [(u32, f64, u32, u32, u32, [u32; 3]); 2] =
    [(0, 100.25, 180_450, 18_045, 80, [20, 6, 4]), (1, 80.5, 144_900, 28_980, 96, [12, 9, 9])];

/// All fixtures.
pub(crate) fn folders() -> Vec<Folder> {
    let beside = |folder: &str, list: Vec<(&str, Vec<u8>)>| -> Vec<(String, Vec<u8>)> {
        list.into_iter().map(|(name, bytes)| (format!("{folder}{name}"), bytes)).collect()
    };
    let top = "OPPROF_20250101120000_AB/";
    let mut project = beside(&format!("{top}device0/CopyIn/0/"), sheets("CopyIn", 60.75));
    project.extend(beside(
        &format!("{top}device0/CopyScale/0/"),
        [
            vec![("visualize_data.bin", container("CopyScale", 101.5)), ("dump/notes.txt", b"x".to_vec())],
            sheets("CopyScale", 101.5),
        ]
        .concat(),
    ));
    project.push((format!("{top}device0/CopyScale/1/visualize_data.bin"), container("CopyScale", 99.5)));
    project.push((format!("{top}device1/Add/simulator/trace.json"), trace("core0.veccore0")));
    project.push((format!("{top}device1/Add/simulator/core0.veccore0/trace.json"), trace("MTE2")));
    let mut folder = vec![("visualize_data.bin", container("CopyScale", 101.5))];
    folder.extend(sheets("CopyScale", 101.5));
    folder.push((
        "Notes.csv",
        "\u{feff}what;how much;when\r\n\"tiles; all\";12,5;NA\r\nrows;7\r\n".as_bytes().to_vec(),
    ));
    vec![
        (
            "folder",
            "A container with the CSV files beside it, and one that another program wrote",
            beside("", folder),
        ),
        ("project", "Operators of two devices: with and without a container, and a simulated one", project),
    ]
}

fn trace(lane: &str) -> Vec<u8> {
    let slice = json!({"ph": "X", "pid": lane, "tid": "MTE2", "name": "MOV", "ts": 1.5, "dur": 2});
    serde_json::to_vec(&json!({"traceEvents": [slice], "profilingType": "op"})).unwrap()
}

fn table(name: &str, heads: &[&str], rows: Value) -> Value {
    json!({"table_name": name, "size": [1, heads.len()], "header_name": heads, "row": rows})
}

/// Base info, memory graph and memory tables of the blocks.
fn container(name: &str, duration: f64) -> Vec<u8> {
    let rows: Vec<Value> = BLOCKS
        .iter()
        .map(|(block, time, ..)| json!({"value": [block.to_string(), "vector", format!("{time:.6}")]}))
        .collect();
    let info = json!({
        "name": name, "soc": "Ascend910B2", "op_type": "vector", "block_dim": "2", "mix_block_dim": "",
        "duration": duration, "device_id": "0", "pid": "77", "cur_freq": "1700", "rated_freq": "1800", "advice": [],
        "block_detail": {"head_name": ["Block ID", "Core Type", "Duration (μs)"], "row": rows, "size": [3, 3]}
    });
    let cores: Vec<Value> = BLOCKS
        .iter()
        .map(|(block, _, cycles, mte2, requests, hits)| {
            json!({"core_no": block.to_string(), "op_type": "vector", "soc": "910B", "advice": [],
                "L2cache": {"hit": hits.iter().sum::<u32>().to_string(), "miss": "10", "hit_ratio": "75.000000", "total_request": "40"},
                "Vector": {"cycle": mte2, "ratio": f64::from(*mte2) / f64::from(*cycles) * 100.0, "total_cycles": cycles},
                "memory_unit": [{"memory_path": 12, "bandwidth": "1.500000", "request": requests.to_string(), "peak_ratio": "NA", "display": 1}]})
        })
        .collect();
    let tables: Vec<Value> = BLOCKS
        .iter()
        .map(|(block, _, cycles, mte2, _, hits)| {
            let share = f64::from(*mte2) / f64::from(*cycles) * 100.0;
            let cache = json!([{"name": "L2 Cache Write", "value": [hits[0].to_string(), "5", "25", "80.000000"]}]);
            let pipe = json!([{"name": "MTE2", "value": ["8", mte2.to_string(), "0", format!("{share:.6}"), "NA"]}]);
            json!({"block_id": block.to_string(), "table_op_type": "vector", "advice": [], "table_detail": [
                table("Cache", &["", "hit", "miss", "total", "hit rate(%)"], cache),
                table("Pipe", &["", "instructions", "cycle", "wait cycles", "active rate(%)", "active bw(GB/s)"], pipe)]})
        })
        .collect();
    let container = Container::default().json(5, &info).json(8, &json!({"core_memory_map": cores}));
    container.json(9, &json!({"table_per_block": tables})).0
}

/// A container and a CSV file that say one bandwidth, each in its own text.
pub(crate) fn bandwidths(bin: &str, csv: &str) -> Vec<(String, Vec<u8>)> {
    let path = json!({"memory_path": 12, "bandwidth": bin, "request": "8", "peak_ratio": "NA", "display": 1});
    let core = json!({"core_no": "0", "op_type": "vector", "soc": "910B", "memory_unit": [path]});
    let container = Container::default().json(8, &json!({"core_memory_map": [core]})).0;
    let sheet = format!("block_id,sub_block_id,aiv_gm_to_ub_bw(GB/s),\n0,vector0,{csv},\n");
    vec![("visualize_data.bin".to_owned(), container), ("Memory.csv".to_owned(), sheet.into_bytes())]
}

/// The CSV files of the blocks: a comma at the end of every line, NA for what was not measured.
fn sheets(name: &str, duration: f64) -> Vec<(&'static str, Vec<u8>)> {
    let text = |head: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..BLOCKS.len()).map(|i| format!("{i},vector0,{},\n", row(i))).collect();
        format!("block_id,sub_block_id,{head},\n{rows}").into_bytes()
    };
    let basic = format!(
        "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n\
         {name},vector,{duration:.6},2,NA,0,77,1700,1800,\n"
    );
    let pipes = text("aic_time(us),aiv_time(us),aiv_total_cycles,aiv_vec_ratio,aiv_mte2_ratio", &|i| {
        let (_, time, cycles, mte2, ..) = BLOCKS[i];
        let share = f64::from(mte2) / f64::from(cycles);
        format!("NA,{time:.6},{cycles},{share:.6},{share:.6}")
    });
    let heads = "aiv_write_cache_hit,aiv_write_cache_miss_allocate,aiv_r0_read_cache_hit,\
        aiv_r0_read_cache_miss_allocate,aiv_r1_read_cache_hit,aiv_r1_read_cache_miss_allocate,aiv_total_hit_rate(%)";
    let cache = text(heads, &|i| {
        let [write, r0, r1] = BLOCKS[i].5;
        format!("{write},5,{r0},3,{r1},2,75.000000")
    });
    let memory = text("aiv_gm_to_ub_bw(GB/s),aiv_mte2_instructions,GM_to_UB_datas(KB)", &|i| {
        format!("1.500000,8,{:.6}", f64::from(BLOCKS[i].4) / 8.0)
    });
    vec![
        ("L2Cache.csv", cache),
        ("Memory.csv", memory),
        ("OpBasicInfo.csv", basic.into_bytes()),
        ("PipeUtilization.csv", pipes),
    ]
}
