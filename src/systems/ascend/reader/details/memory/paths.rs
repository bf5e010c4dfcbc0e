//! Ids of memory paths: from which memory or unit to which.

/// Source and target of a path; `None` for ids that nothing is known of.
pub(super) fn ends(id: u8) -> Option<(&'static str, &'static str)> {
    Some(match id {
        0 => ("GM", "L2"),
        1 => ("L2", "GM"),
        2 => ("L2", "L1"),
        3 => ("L1", "L2"),
        4 => ("GM|L1", "L0A"),
        5 => ("GM|L1", "L0B"),
        6 => ("L0A", "Cube"),
        7 => ("L0B", "Cube"),
        8 => ("Cube", "L0C"),
        9 => ("L0C", "L1"),
        10 => ("L0C", "L2"),
        11 => ("L0C", "Cube"),
        12 => ("L2", "UB"),
        13 => ("UB", "L2"),
        14 => ("UB", "Vector"),
        15 => ("Vector", "UB"),
        16 => ("L2", "UB 1"),
        17 => ("UB 1", "L2"),
        18 => ("UB 1", "Vector 1"),
        19 => ("Vector 1", "UB 1"),
        20 => ("L2|UB", "L1"),
        21 | 37 => ("L1", "L0A"),
        22 => ("L2|L1", "L0B"),
        // Files and the vendor's viewer call the unified buffer VEC here.
        23 => ("UB", "L0C"),
        24 => ("L0C", "UB"),
        25 => ("L2|L1", "UB"),
        35 => ("GM", "L0A"),
        36 => ("GM", "L0B"),
        38 => ("L1", "L0B"),
        39 => ("L0C", "FIXP"),
        40 => ("FIXP", "L2"),
        41 => ("FIXP", "L1"),
        42 => ("FIXP", "UB"),
        43 => ("FIXP", "UB 1"),
        44 => ("L1", "UB"),
        45 => ("L1", "UB 1"),
        46 => ("UB", "L1"),
        47 => ("UB 1", "L1"),
        48 => ("L2", "Dcache"),
        49 => ("L2", "Dcache 1"),
        50 => ("Dcache", "L2"),
        51 => ("Dcache 1", "L2"),
        52 => ("Vector", "Dcache"),
        53 => ("Vector 1", "Dcache 1"),
        54 => ("Dcache", "Vector"),
        55 => ("Dcache 1", "Vector 1"),
        _ => return None,
    })
}

/// `L2 → L1`; empty for ids that nothing is known of.
pub(super) fn name(id: u8) -> String {
    ends(id).map_or_else(String::new, |(from, to)| format!("{from} → {to}"))
}

/// Tables of the memories at both ends, as files call them, each with whether the path reads there or writes.
pub(super) fn tables(id: u8) -> Vec<(&'static str, &'static str)> {
    let Some((from, to)) = ends(id) else { return Vec::new() };
    let of = |end: &'static str, act: &'static str| {
        let names = end.split('|').flat_map(|memory| {
            let names: &[&str] = match memory {
                "GM" => &["gm", "hbm", "ddr"],
                "L2" => &["cache"],
                "UB" => &["ub", "ub-core0"],
                "UB 1" => &["ub-core1"],
                "Vector" => &["vector", "vec", "vector-core0"],
                "Vector 1" => &["vector-core1"],
                "Cube" => &["cube"],
                "L0A" => &["l0a"],
                "L0B" => &["l0b"],
                "L0C" => &["l0c"],
                "L1" => &["l1"],
                "Dcache" | "Dcache 1" => &["dcache"],
                _ => &[],
            };
            names
        });
        names.map(move |name| (*name, act))
    };
    of(from, "read").chain(of(to, "write")).collect()
}

/// The same path at the second vector unit; other paths are themselves.
pub(super) fn of_second_vector(id: u8) -> u8 {
    match id {
        12..=15 => id + 4,
        42 | 44 | 46 | 48 | 50 | 52 | 54 => id + 1,
        other => other,
    }
}
