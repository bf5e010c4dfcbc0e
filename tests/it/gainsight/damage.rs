//! Damaged logs and tables: the rest counts, and each damage is said with its place.

use super::{make, open_set, run, said};
use lanescope::views::lifetimes::compute::{Devices, Retention};

fn log(lines: &str, end: &str) -> Vec<u8> {
    format!("{}Processing kernel kernel-1.traceg\n-kernel name = k\n-kernel id = 1\n{lines}{end}", make::HEAD)
        .into_bytes()
}

const END: &str = "kernel_name = k \nkernel_launch_uid = 1 \ngpu_sim_cycle = 900\ngpu_ipc = -nan\ngpu_tot_sim_cycle = 900\n";

fn line(cycle: u64, rest: &str) -> String {
    format!("GPGPU-Sim Cycle {cycle}: {rest}\n")
}

#[test]
fn lines_in_other_dialects_are_the_same_accesses() {
    let lines = [
        line(1, "Load instr from L1D cache at SM 2 bank 0 addr 0x7f0000000020 status 2"),
        line(2, "load INSTR from l1d CACHE at sm 2 addr 7F0000000020 status 0 and more")
            .replace('\n', "\r\n"),
        line(3, "Store instr from L2 cache at partition 9 addr 7f0000000020 status 0"),
        "warp = 3, ".to_owned() + &line(4, "Load instr from L2 cache at slice 9 addr 7f0000000020 status 0"),
        line(5, "WARP_SCHEDULER - Core 0 - Scheduler 0 - Testing"),
        line(6, "LIVENESS - uArch: inst.: 0 (ipc= 0.0, occ=-nan% [0 / 0])"),
    ];
    let doc = open_set(&[("a.log", log(&lines.concat(), END))], &[]);
    assert_eq!(said(&doc), [""; 0]);
    let kernel = &run(&doc).kernels[0];
    let units = |level: usize| kernel.levels[level].units.iter().map(|unit| unit.number).collect::<Vec<_>>();
    assert_eq!((units(0), units(1)), (vec![2], vec![9]));
    assert_eq!((kernel.levels[0].counts.reads, kernel.levels[1].counts.accesses()), (2, 2));
    assert_eq!((kernel.ipc, kernel.occupancy), (None, None));
    let files =
        vec![("a.log", log(&lines.concat(), END)), ("c_cluster.csv", b"kernel,weight\n1,7\n".to_vec())];
    assert_eq!(run(&open_set(&files, &[])).kernels[0].weight, 7.0);
}

#[test]
fn damage_costs_the_damaged_line_only() {
    let access =
        |cycle: u64| line(cycle, "Load instr from L1D cache at SM 0 bank 0 addr 7f0000000020 status 0");
    let base = make::HEAD.lines().count() as u32 + 4;
    let cases = [
        ("GPGPU-Sim Cycle 12\n".to_owned(), vec!["GPS-ACCESS"]),
        ("GPGPU-Sim Cycle 12: Lo\n".to_owned(), vec!["GPS-ACCESS"]),
        ("GPGPU-Sim Cycle 12: Load instr from L1D cache at SM 0 bank\n".to_owned(), vec!["GPS-ACCESS"]),
        (
            "GPGPU-Sim Cycle 12: Load instr from L1D cache at SM 0 bank 0 addr 7fzz status 0\n".to_owned(),
            vec!["GPS-ACCESS"],
        ),
        (line(12, "Load instr from L1D cache at SM 0 bank 0 addr 7f0000000020 status 9"), vec!["GPS-STATUS"]),
        ("[...]\n".to_owned(), vec!["GPS-ELISION"]),
        (access(3), vec!["GPS-ORDER"]),
    ];
    for (damage, codes) in cases {
        let text = access(10) + &damage + &access(20);
        let doc = open_set(&[("a.log", log(&text, END))], &[]);
        let expected: Vec<String> = codes.iter().map(|code| format!("{code} {}", base + 1)).collect();
        assert_eq!(said(&doc), expected, "{damage}");
        let reads = run(&doc).kernels[0].levels[0].counts.reads;
        assert_eq!(reads, if codes == ["GPS-ORDER"] { 3 } else { 2 });
    }
    // Two lines in one, the first of them cut.
    let text = format!("GPGPU-Sim Cycle 54{}", access(10));
    let doc = open_set(&[("a.log", log(&text, END))], &[]);
    assert_eq!(
        (said(&doc), run(&doc).kernels[0].levels[0].counts.reads),
        (vec![format!("GPS-ACCESS {base}")], 1)
    );
    // Nothing ends the kernel; the last line is cut.
    let doc = open_set(&[("a.log", log(&access(10), "GPGPU-Sim Cycle 11: Load in"))], &[]);
    assert_eq!(said(&doc), [format!("GPS-ACCESS {}", base + 1), format!("GPS-END {base}")]);
    assert!(run(&doc).kernels[0].is_cut);
    // The end of the first kernel is missing.
    let launch = "launching kernel name: k uid: 1 cuda_stream_id: 0\n";
    let doc = open_set(&[("a.log", log(&format!("{launch}{}{launch}{}", access(10), access(5)), END))], &[]);
    assert_eq!(said(&doc), [format!("GPS-END {}", base + 1)]);
    assert_eq!(run(&doc).kernels.iter().map(|kernel| kernel.cycles).collect::<Vec<_>>(), [10, 900]);
    // Totals that no lines add up to.
    let totals = "L1D_total_cache_accesses = 3\n\tL1D_total_cache_reservation_fails = 0\n";
    let doc = open_set(&[("a.log", log(&access(10), &format!("{END}\t{totals}")))], &[]);
    assert_eq!(said(&doc), [format!("GPS-TOTALS {base}")]);
    let text = doc.faults().rows()[0].to_string();
    assert!(text.contains("have 1 access to L1D, but its totals give 3"), "{text}");
    // Cycles that are no number.
    let doc = open_set(&[("a.log", log(&access(10), &END.replace("900", "-nan")))], &[]);
    assert_eq!(said(&doc)[0].split(' ').next(), Some("GPS-CYCLES"));
}

#[test]
fn tables_say_the_cells_that_they_cannot_read() {
    let head = "Kernel ID,Mangled Names,L1 Lifetime,L1 Size,Colour,Total Cycles";
    let table = format!(
        "{head}\n1,a,1.5,1024,blue,100\n2,b,nan,1024,red,100\n3,c\nx,d,1,1,1,1\n4,e,2.5,1024,red,50\n"
    );
    let doc = open_set(&[("r.sim.csv", table.into_bytes())], &[]);
    assert_eq!(said(&doc), ["GSC-COLUMN 1", "GSC-CELL 3", "GSC-CELL 4", "GSC-CELL 5"]);
    assert_eq!(run(&doc).kernels.iter().map(|kernel| kernel.id).collect::<Vec<_>>(), [1, 2, 4]);
    let fine = b"kernel_id,address,lifetime_cycles,lifetime_ns,more\n1,64.00,10.00,5.00,x\n1,64.00,oops,5\n1,96.00,20.00,10.00\n1,9".to_vec();
    let doc = open_set(&[("r.sim_l2.csv", fine)], &[]);
    assert_eq!(said(&doc), ["GSC-CELL 3", "GSC-CELL 5"]);
    let level = &run(&doc).kernels[0].levels[0];
    assert_eq!((run(&doc).levels[0].name.as_str(), level.reused.count(), level.counts.sectors), ("L2", 2, 2));
}

#[test]
fn devices_are_read_as_they_are_written() {
    let devices = lanescope::views::lifetimes::compute::defaults();
    assert_eq!(Devices::parse(&devices.to_json()), Ok(devices));
    let points = Devices::parse(r#"{"Si": {"100": 2.0, "500": 1}, "Ox": null, "Hy": 10}"#).unwrap();
    let of = |name: &str| points.devices.iter().find(|device| device.name == name).unwrap();
    assert_eq!(
        [50.0, 100.0, 101.0, 900.0].map(|mhz| of("Si").retention.micros(mhz)),
        [Some(2.0), Some(2.0), Some(1.0), Some(1.0)]
    );
    assert_eq!((&of("Ox").retention, &of("Hy").retention), (&Retention::Never, &Retention::Micros(10.0)));
    for wrong in [
        "",
        "[]",
        "{}",
        r#"{"devices": 3}"#,
        r#"{"devices": [{}]}"#,
        r#"{"array_efficiency": 0, "a": 1}"#,
        r#"{"a": -1}"#,
    ] {
        assert!(Devices::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn numbers_below_zero_are_said_and_their_rows_left_out() {
    let head = "Kernel ID,Mangled Names,L1 Lifetime,L1 Size,L1 Unique Addresses,Total Cycles";
    let rows = [
        "1,a,1.5,1024,3,100",
        "2,b,-1.5,1024,3,100",
        "3,c,1.5,-1024,3,100",
        "4,d,1.5,1024,-3,100",
        "5,e,1.5,1024,3,-100",
        "6,f,-0.0,0,0,0",
    ];
    let doc = open_set(&[("r.sim.csv", format!("{head}\n{}\n", rows.join("\n")).into_bytes())], &[]);
    assert_eq!(said(&doc), ["GSC-CELL 3", "GSC-CELL 4", "GSC-CELL 5", "GSC-CELL 6"]);
    let text = doc.faults().rows()[1].to_string();
    assert!(
        text.contains("expected a non-negative number, found \"-1024\"")
            && text.ends_with("The row is left out."),
        "{text}"
    );
    assert_eq!(run(&doc).kernels.iter().map(|kernel| kernel.id).collect::<Vec<_>>(), [1, 6]);
    let fine =
        b"kernel_id,address,lifetime_cycles,lifetime_ns\n1,64,10,5\n1,64,-10,5\n1,64,10,-5\n1,64,10,\n";
    let doc = open_set(&[("r.sim_l1.csv", fine.to_vec())], &[]);
    assert_eq!(
        (said(&doc), run(&doc).kernels[0].levels[0].reused.count()),
        (vec!["GSC-CELL 3".into(), "GSC-CELL 4".into()], 2)
    );
    let clusters = b"kernel,weight\n1,-7\n6,\n1,7\n6,x\n";
    let tables = format!("{head}\n{}\n{}\n", rows[0], rows[5]).into_bytes();
    let doc = open_set(&[("r.sim.csv", tables), ("c_cluster.csv", clusters.to_vec())], &[]);
    assert_eq!(said(&doc), ["GSC-CELL 2", "GSC-CELL 5"]);
    assert_eq!(run(&doc).kernels.iter().map(|kernel| kernel.weight).collect::<Vec<_>>(), [7.0, 1.0]);
}

#[test]
fn values_below_zero_in_a_report_are_said_and_left_out() {
    let report = r#"{"Name": "r", "L1 Lifetime Count": -4, "L2 Lifetime Count": 9, "L1 Change": -3,
        "L1 Area": {"sram": -7.5, "oxide": 2}, "L2 Area": {"sram": 1, "oxide": 3}, "L1 Refreshes": {"a": -0.0}}"#;
    let doc = open_set(&[("r.json", report.as_bytes().to_vec())], &[]);
    let faults = doc.faults().rows();
    let told: Vec<_> = faults.iter().map(|fault| (fault.place.block.to_string(), fault.place.byte)).collect();
    let byte = |digits: &str| report.find(digits).map(|at| at as u64);
    let count = ("L1 Lifetime Count".to_owned(), byte("-4"));
    assert_eq!(told, [count, ("L1 Area ▸ sram".to_owned(), byte("-7.5"))], "{faults:?}");
    let figures = &doc.trace().figures;
    let shown = format!("{figures:?}");
    assert!(!shown.contains("-7.5") && !shown.contains("\"sram\"") && shown.contains("\"oxide\""), "{shown}");
    assert!(!shown.contains("L1 Lifetime Count") && shown.contains("L2 Lifetime Count"), "{shown}");
    assert!(shown.contains("L1 Change"), "what may be below 0 stays: {shown}");
}
