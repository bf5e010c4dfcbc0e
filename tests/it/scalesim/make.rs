//! A run of two layers on an array of 2 × 2, as the simulator writes it. The numbers are made up.

use std::fmt::Write;

/// A trace of the array: whole numbers.
pub(crate) fn array(rows: &[(i64, &[i64])]) -> String {
    let mut text = String::new();
    for (cycle, addresses) in rows {
        let cells: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        writeln!(text, "{cycle},{}", cells.join(",")).unwrap();
    }
    text
}

/// A trace of the memory: the same numbers with a point.
pub(crate) fn memory(rows: &[(i64, &[i64])]) -> String {
    let mut text = String::new();
    for (cycle, addresses) in rows {
        let cells: Vec<String> = addresses.iter().map(|cell| format!("{cell}.0")).collect();
        writeln!(text, "{cycle}.0,{}", cells.join(",")).unwrap();
    }
    text
}

/// The reports.
pub(crate) fn reports() -> Vec<(&'static str, Vec<u8>)> {
    let compute = "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n\
        0, 12, 0, 50.5, 100.0, 48.25,\n1, 6, 1, 25.0, 50.0, 20.0,\n";
    let bandwidth = "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, \
        Avg FILTER DRAM BW, Avg OFMAP DRAM BW,\n0, 1.5, 0.5, 1.5, 2.0, 3.0, 1.25,\n1, 1.0, 0.5, 1.0, 2.0, 2.5, 1.0,\n";
    let access = "LayerID, SRAM IFMAP Start Cycle, SRAM IFMAP Stop Cycle, SRAM IFMAP Reads,\n0, 3.0, 9.0, 6,\n1, 2.0, 5.0, 2,\n";
    let settings = "[general]\nrun_name = tiny\n\n[architecture_presets]\nArrayHeight:    2\nArrayWidth:     2\n\
        IfmapSramSzkB:   1\nDataflow : ws\n\n[run_presets]\nInterfaceBandwidth: CALC\n";
    vec![
        ("tiny/BANDWIDTH_REPORT.csv", bandwidth.into()),
        ("tiny/COMPUTE_REPORT.csv", compute.into()),
        ("tiny/DETAILED_ACCESS_REPORT.csv", access.into()),
        ("tiny/input_config.cfg", settings.into()),
    ]
}

/// The traces: of layer 0 all, of layer 1 those of one buffer.
pub(crate) fn traces() -> Vec<(&'static str, Vec<u8>)> {
    const B: i64 = 10_000_000;
    const C: i64 = 20_000_000;
    let texts = [
        ("FILTER_DRAM", memory(&[(-2, &[B, B + 1, B + 2]), (-1, &[B + 3, -1, -1])])),
        ("FILTER_SRAM", array(&[(1, &[B + 1, B + 3]), (2, &[B, B + 2]), (3, &[-1, -1])])),
        (
            "IFMAP_DRAM",
            memory(&[
                (-2, &[0, 1, 2]),
                (-1, &[3, 4, 5]),
                (4, &[0, -1, -1]),
                (5, &[-1, 1, 1]),
                (6, &[-1, 1, 1]),
            ]),
        ),
        (
            "IFMAP_SRAM",
            array(&[(1, &[-1, -1]), (3, &[0, -1]), (4, &[0, 1]), (5, &[2, 3]), (7, &[0, 9]), (9, &[3, -1])]),
        ),
        ("OFMAP_DRAM", memory(&[(8, &[C, C + 1]), (11, &[C + 2, -1])])),
        (
            "OFMAP_SRAM",
            array(&[(0, &[-1, -1]), (4, &[C, -1]), (6, &[C, C + 1]), (8, &[C + 2, -1]), (11, &[C + 3, -1])]),
        ),
    ];
    let path = |name: &str| match name {
        "FILTER_DRAM" => "tiny/layer0/FILTER_DRAM_TRACE.csv",
        "FILTER_SRAM" => "tiny/layer0/FILTER_SRAM_TRACE.csv",
        "IFMAP_DRAM" => "tiny/layer0/IFMAP_DRAM_TRACE.csv",
        "IFMAP_SRAM" => "tiny/layer0/IFMAP_SRAM_TRACE.csv",
        "OFMAP_DRAM" => "tiny/layer0/OFMAP_DRAM_TRACE.csv",
        _ => "tiny/layer0/OFMAP_SRAM_TRACE.csv",
    };
    let mut files: Vec<_> = texts.into_iter().map(|(name, text)| (path(name), text.into_bytes())).collect();
    files.push(("tiny/layer1/IFMAP_DRAM_TRACE.csv", memory(&[(-1, &[0, 1])]).into_bytes()));
    files.push(("tiny/layer1/IFMAP_SRAM_TRACE.csv", array(&[(2, &[0, -1]), (5, &[-1, 1])]).into_bytes()));
    files
}
