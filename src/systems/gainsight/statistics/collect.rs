//! Collects statistics line by line.

use super::{Domains, KernelEnd, Log, Logs};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::words::{message, phrase};
use crate::format::Sink;
use crate::model::Symbols;
use crate::systems::gainsight::log::each_once;

/// What blocks said so far.
#[derive(Default)]
pub(crate) struct Statistics {
    keys: Vec<String>,
    rows: Map<String, u32>,
    now: Vec<f64>,
    /// How many kernels had a block when each number was printed last.
    printed: Vec<u32>,
    kernels: Vec<KernelEnd>,
    /// Whether lines belong to the block of the last kernel.
    is_open: bool,
    /// Whether the block has come to the caches, and to the time that the simulation took: then it is whole.
    has_caches: bool,
    has_time: bool,
    rates: u32,
    /// Whether lines were left out by who copied the log.
    is_elided: bool,
    /// Where the block begins: byte and line.
    begin: (u64, u64),
    /// What the next lines are about: a title, a channel, a name.
    title: String,
    channel: Option<u32>,
    is_network: bool,
    /// Blocks that end too early: where they begin.
    cut: Vec<(u64, u64)>,
    key: String,
}

/// A number as simulators print it; NaN for what is none.
fn number(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?.trim_end_matches([',', '%', '!']);
    if word == "none" || word.ends_with("nan") {
        return Some(f64::NAN);
    }
    word.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Whether a text may be the name of a number.
fn is_key(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_[]-.".contains(&byte);
    !text.is_empty() && text.len() <= 200 && text.bytes().all(is_part)
}

/// Lines that no block has: the next kernel is on its way.
fn is_outside(text: &str) -> bool {
    ["GPGPU-Sim", "Processing kernel", "launching ", "-kernel "].iter().any(|begin| text.starts_with(begin))
}

impl Statistics {
    /// Takes a line that is about no single access, without its end.
    pub(crate) fn line(&mut self, line: &[u8], at: u64, number: u64, _: Option<usize>) {
        let Ok(text) = std::str::from_utf8(line) else { return };
        if self.begins(text, at, number) || !self.is_open {
            self.is_elided |= text == "[...]";
            return;
        }
        if is_outside(text) {
            self.close();
            return;
        }
        let text = text.trim();
        let is_read = self.core(text) || self.memory(text) || self.network(text) || self.pair(text);
        if !is_read && text.ends_with(':') && !text.contains('=') {
            text.trim_end_matches(':').clone_into(&mut self.title);
        }
    }

    /// Whether the line begins a block, or says whose it is.
    fn begins(&mut self, text: &str, at: u64, number: u64) -> bool {
        let value = |key: &str| {
            let rest = text.strip_prefix(key)?.trim_start().strip_prefix('=')?;
            Some(rest.trim().to_owned())
        };
        if let Some(names) = value("kernel_name") {
            self.open(at, number);
            self.kernel(|kernel| kernel.names = names);
            return true;
        }
        if let Some(uids) = value("kernel_launch_uid") {
            self.kernel(|kernel| kernel.uids = uids);
            return true;
        }
        if let Some(stream) = value("kernel_stream_id") {
            self.kernel(|kernel| kernel.stream = stream);
            return true;
        }
        // Excerpts may begin behind the name.
        if !self.is_open && value("gpu_sim_cycle").is_some() {
            self.open(at, number);
        }
        false
    }

    fn open(&mut self, at: u64, number: u64) {
        self.close();
        self.kernels.push(KernelEnd::default());
        (self.is_open, self.begin) = (true, (at, number));
        (self.has_caches, self.has_time, self.rates) = (false, false, 0);
    }

    fn close(&mut self) {
        if self.is_open && self.has_caches && !self.has_time && !self.is_elided {
            self.cut.push(self.begin);
        }
        (self.is_open, self.is_network, self.channel) = (false, false, None);
        self.title.clear();
    }

    fn kernel(&mut self, set: impl FnOnce(&mut KernelEnd)) {
        if let Some(kernel) = self.kernels.last_mut().filter(|_| self.is_open) {
            set(kernel);
        }
    }

    /// Sets the number of a name.
    fn set(&mut self, key: &str, value: f64) {
        let row = match self.rows.get(key) {
            Some(row) => *row,
            None => {
                let Ok(row) = u32::try_from(self.keys.len()) else { return };
                self.keys.push(key.to_owned());
                self.rows.insert(key.to_owned(), row);
                self.now.push(f64::INFINITY); // no number is
                self.printed.push(0);
                row
            }
        };
        if let Some(printed) = self.printed.get_mut(row as usize) {
            *printed = u32::try_from(self.kernels.len()).unwrap_or(u32::MAX);
        }
        let Some(now) = self.now.get_mut(row as usize) else { return };
        if now.to_bits() != value.to_bits() {
            *now = value;
            self.kernel(|kernel| kernel.changes.push((row, value)));
        }
    }

    /// Sets the number of a name with something before and behind it.
    fn set_part(&mut self, before: &str, part: &str, value: f64) {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.push_str(before);
        key.push_str(part);
        self.set(&key, value);
        self.key = key;
    }

    /// Counts of a core or a bank; warps; tables of latencies.
    fn core(&mut self, text: &str) -> bool {
        if let Some((unit, fields)) = text.split_once("]: Access = ") {
            let first = fields.split(',').next().and_then(number);
            self.set_part(unit, "].Access", first.unwrap_or(f64::NAN));
            for (name, value) in fields.split(',').skip(1).filter_map(|field| field.split_once('=')) {
                self.set_part(unit, &format!("].{}", name.trim()), number(value).unwrap_or(f64::NAN));
            }
            return true;
        }
        if let Some((name, values)) = text.split_once("_lat_table:").filter(|(name, _)| is_key(name)) {
            for (at, value) in values.split_whitespace().enumerate() {
                self.set_part(name, &format!("_lat_table[{at}]"), number(value).unwrap_or(f64::NAN));
            }
            return true;
        }
        let lists = [
            ("Stall:", "warps."),
            ("single_issue_nums:", "single_issue."),
            ("dual_issue_nums:", "dual_issue."),
        ];
        let Some((begin, before)) = lists.iter().find(|(begin, _)| text.starts_with(begin)) else {
            return false;
        };
        let rest = if *begin == "Stall:" { text } else { text.trim_start_matches(begin) };
        for (name, value) in rest.split_whitespace().filter_map(|word| word.split_once(':')) {
            self.set_part(before, name, number(value).unwrap_or(f64::NAN));
        }
        true
    }

    /// Channels of memory by banks, and what is said of each channel.
    fn memory(&mut self, text: &str) -> bool {
        if let Some((channel, values)) = text.strip_prefix("dram[").and_then(|rest| rest.split_once("]:")) {
            let title = std::mem::take(&mut self.title);
            for (at, value) in values.split_whitespace().enumerate() {
                self.set_part(
                    "dram.",
                    &format!("{title}[{channel}][{at}]"),
                    number(value).unwrap_or(f64::NAN),
                );
            }
            self.title = title;
            return true;
        }
        if let Some((channel, _)) = text.strip_prefix("DRAM[").and_then(|rest| rest.split_once("]:")) {
            self.channel = channel.parse().ok();
            return true;
        }
        if text.starts_with("=========") {
            self.channel = None;
            self.has_caches |= text.contains("Core cache stats");
            return true;
        }
        let Some(channel) = self.channel else { return false };
        let before = format!("DRAM[{channel}].");
        let (before, words) = match text.strip_prefix("mrqq:") {
            Some(words) => (format!("{before}mrqq_"), words),
            None => (before, text),
        };
        if let Some((key, value)) = words.split_once(" = ") {
            if let Some(value) = number(value).filter(|_| is_key(key.trim())) {
                self.set_part(&before, key.trim(), value);
            }
            return true;
        }
        let pairs = words.split_whitespace().filter_map(|word| word.split_once('='));
        let mut is_read = false;
        for (key, value) in pairs.filter(|(key, _)| is_key(key)) {
            if let Some(value) = number(value) {
                self.set_part(&before, key, value);
                is_read = true;
            }
        }
        is_read
    }

    /// The interconnect, which older versions tell in sentences.
    fn network(&mut self, text: &str) -> bool {
        if text.contains("Interconnect-DETAILS") {
            self.is_network = !text.contains("END-of");
            self.title.clear();
            return true;
        }
        if text.starts_with("====== Overall") {
            self.is_network = false; // the same again
            return true;
        }
        if !self.is_network
            || is_key(text.split('=').next().unwrap_or("").trim_end()) && !text.starts_with('m')
        {
            return false;
        }
        let Some((key, value)) = text.split_once('=') else { return false };
        let (key, value) = (key.trim(), number(value).unwrap_or(f64::NAN));
        if key == "minimum" || key == "maximum" {
            let title = std::mem::take(&mut self.title);
            self.set_part("icnt.", &format!("{title} {key}"), value);
            self.title = title;
        } else if key.len() <= 200 {
            self.set_part("icnt.", key, value);
            key.trim_end_matches(" average").clone_into(&mut self.title);
        }
        true
    }

    /// `name = number`, with anything behind it.
    fn pair(&mut self, text: &str) -> bool {
        let Some((key, value)) = text.split_once('=') else { return false };
        let key = key.trim();
        if !is_key(key) {
            return false;
        }
        match key {
            "gpgpu_simulation_time" => {
                self.has_time = true;
                let seconds = value.rsplit_once('(').and_then(|(_, rest)| number(rest));
                self.set("gpgpu_simulation_time", seconds.unwrap_or(f64::NAN));
            }
            "gpgpu_simulation_rate" => {
                let unit = if value.contains("cycle") { "cycle" } else { "inst" };
                self.set_part("gpgpu_simulation_rate.", unit, number(value).unwrap_or(f64::NAN));
                self.rates += 1;
            }
            "gpgpu_silicon_slowdown" => {
                self.set(key, number(value.trim().trim_end_matches('x')).unwrap_or(f64::NAN));
                self.close();
            }
            _ => {
                let Some(value) = number(value) else { return false };
                self.set(key, value);
            }
        }
        true
    }

    /// Everything was read: adds what there is to the trace.
    pub(crate) fn finish(mut self, sink: &mut Sink, (entry, path): (u32, &str), domains: Domains) {
        self.close();
        for (at, line) in std::mem::take(&mut self.cut) {
            let place = Place::byte(path, at).line(u32::try_from(line).unwrap_or(u32::MAX), 1);
            let kind = Kind::Problem(message("the statistics that start here end too early"));
            let fault = Fault::new("GPS-STATISTICS", Severity::Loss, place, kind);
            sink.fault(fault.note(phrase("Those present are shown.")));
        }
        if self.kernels.is_empty() {
            return;
        }
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
        for kernel in &mut self.kernels {
            let launches = kernel.uids.split_whitespace().count();
            kernel.names = symbols.names(&each_once(&kernel.names, launches));
        }
        let logs: &mut Logs = sink.builder.head().extensions.get_or_default();
        let Self { keys, kernels, printed, .. } = self;
        logs.0.push(Log { entry, name, keys, kernels, printed, domains });
    }
}
