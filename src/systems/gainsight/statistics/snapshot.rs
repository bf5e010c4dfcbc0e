//! The numbers as they were at the end of a kernel, and what that kernel added to them.

use super::Log;
use std::collections::BTreeMap;

/// Numbers of a kernel or of the whole run.
pub(super) struct Snapshot<'a> {
    log: &'a Log,
    /// The row of the kernel; `None` for the whole run.
    pub(super) kernel: Option<usize>,
    after: Vec<f64>,
    before: Vec<f64>,
}

/// Whether numbers of this name are averages, maxima or rates, which cannot be taken apart.
pub(super) fn is_average(key: &str) -> bool {
    const PARTS: [&str; 27] = [
        "rate",
        "ave",
        "avg",
        "max",
        "min",
        "util",
        "Util",
        "Slowest",
        "ratio",
        "Parallism",
        "parallism",
        "Locality",
        "_BW",
        "ipc",
        "occupancy",
        "per_cycle",
        "eff",
        "Eff",
        "latency",
        "slowdown",
        "size",
        "GrpLevelPara",
        "_sim_cycle",
        "_sim_insn",
        "simulation",
        "length",
        "hops",
    ];
    // Totals of cycles and instructions are sums all the same.
    !key.starts_with("gpu_tot_sim_") && PARTS.iter().any(|part| key.contains(part))
}

impl<'a> Snapshot<'a> {
    /// Of a kernel; of the whole run for `None`.
    pub(super) fn new(log: &'a Log, kernel: Option<usize>) -> Self {
        let mut after = vec![f64::NAN; log.keys.len()];
        let mut before = after.clone();
        let last = kernel.unwrap_or(log.kernels.len().saturating_sub(1));
        for (row, end) in log.kernels.iter().enumerate().take(last.saturating_add(1)) {
            if row == last && kernel.is_some() {
                before.clone_from(&after);
            }
            for (key, value) in &end.changes {
                if let Some(place) = after.get_mut(*key as usize) {
                    *place = *value;
                }
            }
        }
        Self { log, kernel, after, before }
    }

    /// What to call what is shown.
    pub(super) fn scope(&self) -> String {
        let Some(row) = self.kernel else { return String::new() };
        let names = self.log.kernels.get(row).map_or("", |end| end.names.as_str());
        format!("{} {names}", row + 1).trim_end().to_owned()
    }

    /// A number as it was printed last.
    fn printed(&self, row: usize) -> Option<f64> {
        self.after.get(row).copied().filter(|value| value.is_finite())
    }

    /// What the kernel added, or all; averages as they were printed.
    fn value(&self, row: usize) -> Option<f64> {
        let value = self.printed(row)?;
        let key = self.log.keys.get(row)?;
        if self.kernel.is_none() || is_average(key) {
            return Some(value);
        }
        let before = self.before.get(row).copied().filter(|value| value.is_finite()).unwrap_or(0.0);
        // What falls is no sum.
        (before <= value).then_some(value - before)
    }

    /// All numbers: name, as printed, of this kernel.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, Option<f64>, Option<f64>)> {
        self.log.keys.iter().enumerate().map(|(row, key)| (key.as_str(), self.printed(row), self.value(row)))
    }

    /// Numbers whose names begin so, with the rest of their names.
    pub(super) fn under(&self, begin: &str) -> impl Iterator<Item = (&'a str, Option<f64>)> {
        let keys = self.log.keys.iter().enumerate();
        keys.filter_map(move |(row, key)| Some((key.strip_prefix(begin)?, self.value(row))))
    }

    /// Numbers `name[unit].field` by unit, and the fields in the order in which they come.
    pub(super) fn units(&self, name: &str) -> (BTreeMap<u32, Vec<Option<f64>>>, Vec<&'a str>) {
        let (mut units, mut fields): (BTreeMap<u32, Vec<Option<f64>>>, Vec<&str>) = Default::default();
        for (rest, value) in self.under(name) {
            let parts = rest.strip_prefix('[').and_then(|rest| rest.split_once("]."));
            let Some((unit, field)) = parts.and_then(|(unit, field)| Some((unit.parse().ok()?, field)))
            else {
                continue;
            };
            let at = fields.iter().position(|known| *known == field).unwrap_or_else(|| {
                fields.push(field);
                fields.len() - 1
            });
            let own: &mut Vec<Option<f64>> = units.entry(unit).or_default();
            own.resize(own.len().max(at + 1), None);
            if let Some(place) = own.get_mut(at) {
                *place = value;
            }
        }
        for own in units.values_mut() {
            own.resize(fields.len(), None);
        }
        (units, fields)
    }

    /// Names `…[i][j]` under a beginning, without their indices, each once.
    pub(super) fn titles(log: &Log, begin: &str, end: &str) -> Vec<String> {
        let mut titles: Vec<String> = Vec::new();
        for key in &log.keys {
            let title = key.strip_prefix(begin).and_then(|rest| rest.split_once('[')).map(|(title, _)| title);
            let title = title.filter(|title| title.ends_with(end));
            if let Some(title) = title.filter(|title| titles.iter().all(|known| known != title)) {
                titles.push(title.to_owned());
            }
        }
        titles
    }
}

/// The indices of `[a][b]…`.
pub(super) fn indices(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|part| part.split_once(']').map(|(index, _)| index))
}
