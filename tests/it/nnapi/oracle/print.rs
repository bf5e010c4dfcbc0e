//! What stands on standard output: sections 7 and 8.

use super::Mode;
use super::times::{LAYERS, Numbers, Times};
use std::collections::BTreeMap;

const TITLE: &str = "NNAPI timing summary (self-times, ms wall-clock)";

/// A float as Python's `str` has it, from the shortest digits that read back.
pub(super) fn repr(value: f64) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0" } else { "0.0" }.to_owned();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    // As few digits as read back as the same number.
    let short = (0..17)
        .map(|n| format!("{:.n$e}", value.abs()))
        .find(|text| text.parse::<f64>() == Ok(value.abs()))
        .unwrap();
    let (mantissa, exponent) = short.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let digits = mantissa.replace('.', "");
    let digits = if digits.len() == 1 { digits.as_str() } else { digits.trim_end_matches('0') };
    let point = exponent + 1;
    if !(-4..16).contains(&exponent) {
        let rest = if digits.len() == 1 { String::new() } else { format!(".{}", &digits[1..]) };
        let plus = if exponent < 0 { "-" } else { "+" };
        return format!("{sign}{}{rest}e{plus}{:02}", &digits[..1], exponent.abs());
    }
    if point <= 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
    }
    let point = point as usize;
    if digits.len() <= point {
        return format!("{sign}{digits}{}.0", "0".repeat(point - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..point], &digits[point..])
}

/// Columns of the table under `LR_PE`, the chosen times, whether the CPU has any.
fn inputs(numbers: &Numbers, mode: Mode) -> (BTreeMap<String, f64>, Times, bool) {
    let mut times = if mode.has_totals { numbers.times.clone() } else { numbers.own.clone() };
    if mode.is_per_execution && numbers.has_both {
        for phase in ["PE", "PIO", "PTR", "PCO", "PR"] {
            let line = times[&format!("PBM/{phase}")].clone();
            times.insert(phase.to_owned(), line);
        }
    }
    let (mut values, mut has_cpu) = (BTreeMap::new(), false);
    for layer in ["LA", "LR", "LI", "LD", "LC", "LT"] {
        let of = |phase: &str| times[phase][layer];
        for phase in ["PI", "PP", "PC", "PE", "PT", "PIO", "PR", "PO"] {
            values.insert(format!("{layer}_{phase}"), of(phase));
            has_cpu |= layer == "LC" && phase != "PO" && of(phase) > 0.0;
        }
        values.insert(format!("{layer}_PEO"), of("PE") - of("PIO") - of("PR"));
    }
    let total = values["LT_PE"];
    for layer in LAYERS {
        let share = if total > 0.0 { values[&format!("{layer}_PE")] * 100.0 / total } else { f64::NAN };
        values.insert(format!("{layer}_PEp"), share);
    }
    if mode.is_per_execution {
        let n = numbers.counts[if numbers.has_both { "PBM" } else { "PO" }];
        for (name, value) in &mut values {
            if ["PIO", "PEO", "PR", "PE"].contains(&&name[3..]) {
                *value = if n == 0 { f64::NAN } else { *value / n as f64 };
            }
        }
    }
    (values, times, has_cpu)
}

pub(super) fn table(numbers: &Numbers, mode: Mode) -> String {
    let (values, _, has_cpu) = inputs(numbers, mode);
    let number = |layer: &str, phase: &str, width: usize| {
        let value = values[&format!("{layer}_{phase}")];
        let text = if value.is_nan() { "nan".to_owned() } else { format!("{value:.2}") };
        format!("{text:>width$}")
    };
    let title = if mode.has_totals { TITLE.replace("self-times", "total time") } else { TITLE.to_owned() };
    let names = [
        ("Application", "LA"),
        ("Runtime", "LR"),
        ("IPC", "LI"),
        ("Driver", "LD"),
        ("CPU", "LC"),
        ("Total", "LT"),
    ];
    let mut out = String::new();
    let bar = "=".repeat(if mode.is_per_execution { 80 } else { 139 });
    if mode.is_per_execution {
        let word = if numbers.has_both { "Benchmark" } else { "Execution" };
        out += &format!("\n{bar}\n{title}{}{word}\n", " ".repeat(23));
        out += &format!("{}{}\n", " ".repeat(14), "-".repeat(66));
        out += "                      I/O       Compute      Results         Total    Percentage\n";
        out += "              -----------  ------------  -----------   -----------   -----------\n";
    } else {
        out += &format!("\n{bar}\n{title}{}Execution\n", " ".repeat(54));
        out += &format!("{}{}\n", " ".repeat(59), "-".repeat(52));
        out += "              Initialization   Preparation   Compilation           I/O       Compute      Results     \
                Ex. total   Termination        Total\n";
        out += "              --------------   -----------   -----------   -----------  ------------  -----------   \
                -----------   -----------   ----------\n";
    }
    for (label, layer) in names.iter().filter(|(_, layer)| *layer != "LC" || has_cpu) {
        let n = |phase: &str, width: usize| number(layer, phase, width);
        let is_total = *layer == "LT";
        let s = |gap: usize| if is_total { format!("*{}", " ".repeat(gap - 1)) } else { " ".repeat(gap) };
        out += if is_total { "\n" } else { "" };
        if mode.is_per_execution {
            out += &format!("{label:<14}{}{}{}{}", n("PIO", 11), s(3), n("PEO", 11), s(4));
            out += &format!("{}{}{}", n("PR", 9), s(5), n("PE", 9));
            out += &if is_total { "          100%\n".to_owned() } else { format!("  {}%\n", n("PEp", 11)) };
        } else {
            out += &format!("{label:<19}{}{}{}{}{}{}", n("PI", 9), s(5), n("PP", 9), s(5), n("PC", 9), s(3));
            out += &format!("{}{}{}{}{}{}", n("PIO", 11), s(3), n("PEO", 11), s(4), n("PR", 9), s(5));
            out += &format!("{}{}{}{}{}", n("PE", 9), s(5), n("PT", 9), s(4), n("PO", 9));
            out += if is_total || *layer == "LA" { "*\n" } else { "\n" };
        }
    }
    let note = "* This total ignores missing (n/a) values and thus is not necessarily consistent";
    let rest = " with the rest of the numbers\n";
    out += &format!("{bar}\n{note}{}{rest}", if mode.is_per_execution { "\n " } else { "" });
    out.replace(" 0.00%", "     -").replace(" 0.00", "    -").replace(" nan", " n/a")
}

pub(super) fn json(numbers: &Numbers, mode: Mode, mark: &str) -> String {
    let (values, chosen, _) = inputs(numbers, mode);
    let (totals, own) = if mode.has_totals { (&chosen, &numbers.own) } else { (&numbers.times, &chosen) };
    let number = |value: f64| if value.is_nan() { "NaN".to_owned() } else { repr(value) };
    let object = |members: BTreeMap<String, String>, depth: usize| {
        let indent = "  ".repeat(depth);
        let members: Vec<String> = members.iter().map(|(k, v)| format!("{indent}  \"{k}\": {v}")).collect();
        format!("{{\n{}\n{indent}}}", members.join(",\n"))
    };
    let times = |times: &Times| {
        let line = |name: &str, depth| {
            object(times[name].iter().map(|(k, v)| ((*k).to_owned(), number(*v))).collect(), depth)
        };
        let mut members = BTreeMap::new();
        for name in times.keys() {
            if let Some((app, _)) = name.split_once('/') {
                let of_loop = times.keys().filter_map(|name| {
                    let phase = name.strip_prefix(app)?.strip_prefix('/')?;
                    Some((phase.to_owned(), line(name, 3)))
                });
                members.insert(app.to_owned(), object(of_loop.collect(), 2));
            } else {
                members.insert(name.clone(), line(name, 2));
            }
        }
        object(members, 1)
    };
    let ascii: String = mark
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            '\t' => "\\t".to_owned(),
            ' '..='~' => c.to_string(),
            _ => c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect(),
        })
        .collect();
    let counts = numbers.counts.iter().map(|(k, v)| ((*k).to_owned(), v.to_string())).collect();
    let values = values.into_iter().map(|(k, v)| (k, number(v))).collect();
    let members = [
        ("execution_counts", object(counts, 1)),
        ("times", times(totals)),
        ("self_times", times(own)),
        ("template_inputs", object(values, 1)),
        ("starting_mark", format!("\"{ascii}\"")),
        ("version", "1".to_owned()),
    ];
    object(members.map(|(k, v)| (k.to_owned(), v)).into(), 0) + "\n"
}
