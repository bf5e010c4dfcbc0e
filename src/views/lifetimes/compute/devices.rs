//! Memory cells that data could be kept in: how long they hold, how large they are, what they take.

use super::{Distribution, LevelRow, SECTOR_BYTES};
use crate::base::map::ordered;
use crate::base::order;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How long a cell holds its data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Retention {
    /// As long as there is power.
    #[default]
    Never,
    /// So many microseconds.
    Micros(f64),
    /// It depends on how often cells are written: MHz and µs, ascending by MHz.
    ByFrequency(Vec<(f64, f64)>),
}

impl Retention {
    /// Microseconds for cells that are written so often; `None` when they need no refresh. Of points, the first that is at
    /// least as fast, else the fastest.
    pub fn micros(&self, write_mhz: f64) -> Option<f64> {
        match self {
            Self::Never => None,
            Self::Micros(micros) => Some(*micros),
            Self::ByFrequency(points) => {
                let found = points.iter().find(|(mhz, _)| write_mhz <= *mhz).or(points.last());
                found.map(|(_, micros)| *micros)
            }
        }
    }
}

/// A kind of memory cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// What a person calls it.
    pub name: String,
    /// The family that its area belongs to, such as `silicon`.
    pub family: String,
    /// Whether others are compared with it.
    pub is_reference: bool,
    /// Area of a bit in µm².
    pub cell_um2: f64,
    /// How long it holds its data.
    pub retention: Retention,
    /// Energy to read a bit, in fJ.
    pub read_fj: Option<f64>,
    /// Energy to write a bit, in fJ.
    pub write_fj: Option<f64>,
    /// Energy to refresh a bit, in fJ.
    pub refresh_fj: Option<f64>,
}

/// Kinds of memory cells that are compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Devices {
    /// Share of an array that its cells take.
    pub array_efficiency: f64,
    /// The kinds.
    pub devices: Vec<Device>,
}

/// What a device would take for the data of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceFigures {
    /// Area in µm²: of one unit where units are private, else of all.
    pub area_um2: f64,
    /// How often data are refreshed.
    pub refreshes: f64,
    /// Share of lifetimes that end before any refresh.
    pub refresh_free: f64,
    /// Energy of reads, of writes and of refreshes in fJ, as far as the constants are known.
    pub read_fj: Option<f64>,
    /// See `read_fj`.
    pub write_fj: Option<f64>,
    /// See `read_fj`.
    pub refresh_fj: Option<f64>,
}

impl DeviceFigures {
    /// All energy in fJ, when all of it is known.
    pub fn energy_fj(&self) -> Option<f64> {
        Some(self.read_fj? + self.write_fj? + self.refresh_fj?)
    }
}

/// The lifetimes that a device takes when each goes to the densest one that holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Row of the device.
    pub device: usize,
    pub lifetimes: u64,
    /// The sum of their lengths in cycles.
    pub cycles: f64,
}

/// Area of a mix: of the capacity each device has the share that its lifetimes fill on average over time, which is that of
/// the sum of their lengths; `None` is what fits no device. Where no lifetime takes time the first device takes all.
pub fn mixed_area(parts: &[(Option<usize>, f64)], area: impl Fn(Option<usize>) -> f64) -> f64 {
    let all: f64 = parts.iter().map(|(_, cycles)| cycles).sum();
    if all <= 0.0 {
        return area(parts.first().and_then(|(device, _)| *device));
    }
    parts.iter().map(|(device, cycles)| cycles / all * area(*device)).sum()
}

/// The devices when nobody sets others: areas as published samples imply them, the two retentions that are known, and no
/// energies, which nobody published.
pub fn defaults() -> Devices {
    let device = |name: &str, family: &str, cell_um2, micros: Option<f64>| Device {
        name: name.to_owned(),
        family: family.to_owned(),
        is_reference: family == "sram",
        cell_um2,
        retention: micros.map_or(Retention::Never, Retention::Micros),
        ..Device::default()
    };
    Devices {
        array_efficiency: 0.3,
        devices: vec![
            device("SRAM", "sram", 0.242, None),
            device("Silicon gain cell", "silicon", 0.125_84, Some(1.0)),
            device("Hybrid gain cell", "hybrid", 0.125, Some(10.0)),
            device("Oxide gain cell", "oxide", 0.192, None),
        ],
    }
}

impl Devices {
    /// Area of so many bytes in µm².
    pub fn area_um2(&self, device: &Device, bytes: u64) -> f64 {
        let efficiency = if 0.0 < self.array_efficiency { self.array_efficiency } else { 1.0 };
        8.0 * bytes as f64 / efficiency * device.cell_um2
    }

    /// What a device would take for the data of a level: lengths in cycles, loads and writes (stores and fills) of sectors,
    /// and the highest rate of stores, which decides where retention depends on it.
    pub fn figures(&self, device: &Device, of: &Demand) -> DeviceFigures {
        let micros = device.retention.micros(of.write_mhz);
        let cycles = micros.map(|micros| micros * of.clock_mhz);
        let refreshes = cycles.map_or(0.0, |cycles| of.lifetimes.refreshes(cycles) as f64 * of.share());
        let bits = |n: f64| n * 8.0 * of.word_bytes.unwrap_or(SECTOR_BYTES) as f64;
        DeviceFigures {
            area_um2: self.area_um2(device, of.bytes),
            refreshes,
            refresh_free: cycles.map_or(1.0, |cycles| of.lifetimes.share_within(cycles)),
            read_fj: device.read_fj.map(|fj| bits(of.reads) * fj),
            write_fj: device.write_fj.map(|fj| bits(of.writes) * fj),
            refresh_fj: match (micros, device.refresh_fj) {
                (None, _) => Some(0.0),
                (_, fj) => fj.map(|fj| bits(refreshes) * fj),
            },
        }
    }

    /// Each lifetime goes to the densest device that holds it without refresh. Devices that take none are left out; the rest
    /// of the lifetimes fits nowhere.
    pub fn mix(&self, of: &Demand) -> Vec<Share> {
        let mut order: Vec<usize> = (0..self.devices.len()).collect();
        let cell = |row: &usize| self.devices.get(*row).map_or(f64::MAX, |device| device.cell_um2);
        order::sort_by_number(&mut order, cell);
        let (mut shares, mut rest) = (Vec::new(), of.lifetimes.pairs().peekable());
        for row in order {
            let Some(device) = self.devices.get(row) else { continue };
            let limit = device.retention.micros(of.write_mhz).map_or(f64::INFINITY, |own| own * of.clock_mhz);
            let mut share = Share { device: row, ..Share::default() };
            while let Some((length, n)) = rest.next_if(|(length, _)| *length as f64 <= limit) {
                share.lifetimes += n;
                share.cycles += length as f64 * n as f64;
            }
            if 0 < share.lifetimes {
                shares.push(share);
            }
        }
        shares
    }

    /// Reads a file of devices: an object with `devices`, or names with what is known of each: retention in µs, points of
    /// MHz and µs, or an object as in `devices`.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value =
            serde_json::from_str(text).map_err(|why| format!("The devices file is not JSON: {why}."))?;
        let Value::Object(members) = &value else {
            return Err("The devices file is not a JSON object.".to_owned());
        };
        let array_efficiency = match members.get("array_efficiency") {
            None => defaults().array_efficiency,
            Some(value) => {
                let found = value.as_f64().filter(|share| 0.0 < *share && *share <= 1.0);
                found.ok_or("array_efficiency must be a number above 0 and at most 1.")?
            }
        };
        let devices: Result<Vec<Device>, String> = match members.get("devices") {
            Some(Value::Array(rows)) => rows.iter().map(|row| Device::parse(None, row)).collect(),
            Some(_) => return Err("devices must be an array.".to_owned()),
            None => {
                let rows = members.iter().filter(|(name, _)| *name != "array_efficiency");
                rows.map(|(name, value)| Device::parse(Some(name), value)).collect()
            }
        };
        let devices = devices?;
        if devices.is_empty() {
            return Err("The file has no devices.".to_owned());
        }
        Ok(Self { array_efficiency, devices })
    }

    /// As the file that is read by [`Devices::parse`].
    pub fn to_json(&self) -> String {
        let device = |device: &Device| {
            let mut row = Map::new();
            let mut set = |key: &str, value: Value| row.insert(key.to_owned(), value);
            set("name", device.name.as_str().into());
            set("family", device.family.as_str().into());
            if device.is_reference {
                set("reference", true.into());
            }
            set("cell_um2_per_bit", device.cell_um2.into());
            match &device.retention {
                Retention::Never => set("retention_us", Value::Null),
                Retention::Micros(micros) => set("retention_us", (*micros).into()),
                Retention::ByFrequency(points) => {
                    let points = points.iter().map(|(mhz, micros)| (mhz.to_string(), (*micros).into()));
                    set("retention_us", Value::Object(ordered(points)))
                }
            };
            let energies = [
                ("read_fj_per_bit", device.read_fj),
                ("write_fj_per_bit", device.write_fj),
                ("refresh_fj_per_bit", device.refresh_fj),
            ];
            for (key, value) in energies {
                if let Some(value) = value {
                    set(key, value.into());
                }
            }
            Value::Object(row)
        };
        let mut all = Map::new();
        all.insert("array_efficiency".to_owned(), self.array_efficiency.into());
        all.insert("devices".to_owned(), self.devices.iter().map(device).collect());
        serde_json::to_string_pretty(&Value::Object(all)).unwrap_or_default()
    }
}

/// What a level asks of a memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// Lengths of lifetimes in cycles.
    pub lifetimes: Distribution,
    /// Cycles in a microsecond.
    pub clock_mhz: f64,
    pub bytes: u64,
    /// Bytes of a word, where accesses move single words; `None` where they move sectors.
    pub word_bytes: Option<u64>,
    /// Loads.
    pub reads: f64,
    /// Stores and fills.
    pub writes: f64,
    /// The highest rate of stores over kernels.
    pub write_mhz: f64,
    /// How many units' memories hold these data; 0 counts as 1.
    pub copies: u64,
    /// Lifetimes are of so many units of which the mean is told; 0 counts as 1.
    pub mean_of: u64,
}

impl Demand {
    /// The part of lifetimes that counts.
    fn share(&self) -> f64 {
        1.0 / self.mean_of.max(1) as f64
    }

    /// What stands for the area of one unit, in a row with figures of as many as are told.
    pub fn area_um2(&self, figures: &DeviceFigures) -> f64 {
        figures.area_um2 * self.copies.max(1) as f64
    }

    /// The highest rate of stores over the rows of a level.
    pub fn highest<'a>(rows: impl Iterator<Item = &'a LevelRow>) -> f64 {
        rows.map(|row| row.write_mhz).fold(0.0, f64::max)
    }
}

impl Device {
    fn parse(name: Option<&str>, value: &Value) -> Result<Self, String> {
        let own = value.get("name").and_then(Value::as_str).or(name);
        let name = own.ok_or("A device has no name.")?.to_owned();
        let wrong = |key: &str| format!("{key} of device {name} must be a number of at least 0.");
        let number = |value: &Value, key: &str| {
            value.as_f64().filter(|number| 0.0 <= *number && number.is_finite()).ok_or_else(|| wrong(key))
        };
        let known = |key: &str| value.get(key).filter(|value| !value.is_null());
        let optional = |key: &str| known(key).map(|value| number(value, key)).transpose();
        let is_described = value.is_object()
            && ["cell_um2_per_bit", "retention_us", "family"].iter().any(|key| value.get(key).is_some());
        let retention = if is_described { value.get("retention_us") } else { Some(value) };
        let retention = match retention {
            None | Some(Value::Null) => Retention::Never,
            Some(Value::Object(points)) => {
                let point = |(mhz, micros): (&String, &Value)| {
                    let mhz = mhz.trim().parse::<f64>().ok().filter(|mhz| mhz.is_finite());
                    Ok((mhz.ok_or_else(|| wrong("A frequency"))?, number(micros, "retention_us")?))
                };
                let points: Result<Vec<(f64, f64)>, String> = points.iter().map(point).collect();
                let mut points = points?;
                order::sort_by_number(&mut points, |point| point.0);
                Retention::ByFrequency(points)
            }
            Some(value) => Retention::Micros(number(value, "retention_us")?),
        };
        Ok(Self {
            family: known("family").and_then(Value::as_str).unwrap_or(&name).to_owned(),
            is_reference: known("reference").and_then(Value::as_bool).unwrap_or(false),
            cell_um2: optional("cell_um2_per_bit")?.unwrap_or(0.0),
            retention,
            read_fj: optional("read_fj_per_bit")?,
            write_fj: optional("write_fj_per_bit")?,
            refresh_fj: optional("refresh_fj_per_bit")?,
            name,
        })
    }
}
