//! Energy: bits times constants of a file of devices, and nothing where constants are missing.

use super::{export, make, open_set, run, values};
use lanescope::views::lifetimes::compute::{Settings, devices, report};
use serde_json::{Value, json};

/// SRAM and a gain cell with all constants, one without that of refreshes, one with none.
const DEVICES: &str = r#"{ "array_efficiency": 0.5, "devices": [
    { "name": "SRAM", "family": "sram", "reference": true, "cell_um2_per_bit": 0.2, "retention_us": null,
      "read_fj_per_bit": 2.0, "write_fj_per_bit": 3.0 },
    { "name": "cell", "family": "silicon", "cell_um2_per_bit": 0.1, "retention_us": 0.05,
      "read_fj_per_bit": 1.0, "write_fj_per_bit": 1.5, "refresh_fj_per_bit": 0.25 },
    { "name": "partial", "family": "hybrid", "cell_um2_per_bit": 0.1, "retention_us": 0.05, "read_fj_per_bit": 1.0,
      "write_fj_per_bit": 1.5 },
    { "name": "bare", "family": "oxide", "cell_um2_per_bit": 0.3, "retention_us": null } ] }"#;

#[test]
fn energy_is_bits_times_constants_and_only_where_they_are_given() {
    let (text, _) = make::log(4, 900);
    let files = [("run.log", text.into_bytes())];
    let set = [("devices", DEVICES), ("clock-mhz", "1000")];
    let mut doc = open_set(&files, &set);
    let (devices, problem) = devices(&values(&set));
    assert_eq!(problem, None);
    let own = report(run(&doc), &Settings::of(&values(&set), run(&doc)), &devices);
    let json: Value = serde_json::from_str(&export(&mut doc, "gainsight-report-json")).unwrap();
    for (at, name) in ["L1", "L2"].into_iter().enumerate() {
        let kernels = || run(&doc).kernels.iter().map(|kernel| &kernel.levels[at].counts);
        let reads: u64 = kernels().map(|counts| counts.reads).sum();
        let writes: u64 = kernels().map(|counts| counts.writes + counts.fills).sum();
        let bits = |n: u64| n as f64 * 256.0;
        let sram = bits(reads) * 2.0 + bits(writes) * 3.0;
        // 0.05 µs are 50 cycles at 1 GHz.
        let lengths = run(&doc).lifetimes(at, &Settings::of(&values(&set), run(&doc)));
        let refreshes: u64 = lengths.pairs().map(|(length, n)| length / 50 * n).sum();
        assert!(0 < refreshes);
        let cell = bits(reads) + bits(writes) * 1.5 + bits(refreshes) * 0.25;
        let found: Vec<Option<f64>> =
            own.levels[at].devices.iter().map(|device| device.energy_fj()).collect();
        assert_eq!(found, [Some(sram), Some(cell), None, None], "{name}");
        assert_eq!(json[format!("{name} Energy (fJ)")], json!({ "SRAM": sram, "cell": cell }));
    }
    let mut doc = open_set(&files, &[]);
    let json = export(&mut doc, "gainsight-report-json");
    assert!(!json.contains("Energy"), "nobody gave constants");
}
