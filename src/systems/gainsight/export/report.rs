//! What devices would take for the data of each level.

use super::{has_kernels, runs, say_clock};
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, whole};
use crate::views::lifetimes::compute::{Devices, LevelReport, Settings, devices, name, parameters, report};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{PrettyFormatter, Serializer as JsonSerializer};
use std::io::{Error, Result, Write};

/// The report.
pub(crate) static REPORT_JSON: Export = Export {
    id: "gainsight-report-json",
    title: phrase("Device report as JSON"),
    suffix: "report.json",
    mime: "application/json",
    takes_argument: false,
    parameters: parameters::ALL,
    can: has_kernels,
    write: |_, argument| whole(write, argument),
};

/// A value whose members stand in the order in which they were added.
enum Node {
    /// What depends on a clock that nobody says.
    Unknown,
    Text(String),
    Integer(u64),
    Number(f64),
    Members(Vec<(String, Node)>),
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => to.serialize_none(),
            Self::Text(text) => to.serialize_str(text),
            Self::Integer(number) => to.serialize_u64(*number),
            Self::Number(number) => to.serialize_f64(*number),
            Self::Members(members) => {
                let mut map = to.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

fn write(input: &ExportInput, _: &str, out: &mut dyn Write) -> Result<()> {
    let (devices, problem) = devices(input.values);
    if let Some(problem) = problem {
        return Err(Error::other(problem));
    }
    let now = input.now.map(date);
    let reports = runs(input.trace).iter().filter(|run| !run.kernels.is_empty()).map(|run| {
        let report = report(run, &Settings::of(input.values, run), &devices);
        node(name(input.values, run), now.as_ref(), &report.levels, &devices)
    });
    for report in reports {
        let mut json = JsonSerializer::with_formatter(&mut *out, PrettyFormatter::with_indent(b"    "));
        report.serialize(&mut json)?;
        writeln!(out)?;
    }
    say_clock(input)
}

fn node(name: String, now: Option<&(String, String)>, levels: &[LevelReport], of: &Devices) -> Node {
    let mut all = vec![("Name".to_owned(), Node::Text(name))];
    if let Some((date, time)) = now {
        all.push(("Date".to_owned(), Node::Text(date.clone())));
        all.push(("Time".to_owned(), Node::Text(time.clone())));
    }
    let mut add = |what: &str, make: &dyn Fn(&LevelReport) -> Option<Node>| {
        let own = levels.iter().filter_map(|level| Some((format!("{} {what}", level.name), make(level)?)));
        all.extend(own);
    };
    add("Lifetime Count", &|level| Some(Node::Integer(level.demand.lifetimes.count())));
    add("Write Frequency", &|level| {
        if !level.has_rates {
            return Some(Node::Unknown);
        }
        let row = u64::try_from(level.writes.max_row).unwrap_or(0);
        Some(Node::Members(vec![
            ("max".to_owned(), Node::Number(level.writes.max)),
            ("maxidx".to_owned(), Node::Integer(row)),
            ("90%-tile".to_owned(), Node::Number(level.writes.p90)),
            ("weighted".to_owned(), Node::Number(level.writes.weighted)),
        ]))
    });
    add("Refreshes", &|level| {
        let own = of.devices.iter().zip(&level.devices).filter(|(device, _)| !device.is_reference);
        let own = own.map(|(device, found)| (device.name.clone(), Node::Number(found.refreshes)));
        // Without a clock nobody knows how many.
        (0.0 < level.demand.clock_mhz).then(|| Node::Members(own.collect()))
    });
    add("Area", &|level| {
        // Without a size there is no area.
        let own = of.devices.iter().zip(&level.devices).filter(|(_, found)| 0.0 < found.area_um2);
        let mut areas: Vec<(String, Node)> = Vec::new();
        for (device, found) in own {
            if areas.iter().all(|(family, _)| *family != device.family) {
                areas.push((device.family.clone(), Node::Number(found.area_um2)));
            }
        }
        Some(areas).filter(|areas| !areas.is_empty()).map(Node::Members)
    });
    add("Energy (fJ)", &|level| {
        let own = of.devices.iter().zip(&level.devices);
        let known =
            own.filter_map(|(device, found)| Some((device.name.clone(), Node::Number(found.energy_fj()?))));
        Some(known.collect::<Vec<_>>()).filter(|known| !known.is_empty()).map(Node::Members)
    });
    Node::Members(all)
}

/// Date and time of so many seconds since the begin of 1970, in UTC.
pub fn date(now: u64) -> (String, String) {
    let (days, seconds) = (now / 86_400, now % 86_400);
    // Days of the Gregorian calendar, counted from March of the year 0.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}-{minute:02}-{second:02}"))
}
