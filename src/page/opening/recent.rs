//! Names of the last opened files, for the welcome page. Only names, sizes and times are kept: a page may not open a
//! file again by itself.

use super::folder::Found;
use crate::base::pairs;
use crate::page::save::store;

const MOST: usize = 5;

/// One remembered opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recent {
    /// Name of the file, or of the folder.
    pub name: String,
    /// How many files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// When, in milliseconds since 1970.
    pub at: f64,
}

/// The last opened, newest first.
pub fn list() -> Vec<Recent> {
    store::read("recent").unwrap_or_default().lines().filter_map(of_line).collect()
}

/// One line is one opening, written as names and values in an address are.
fn of_line(line: &str) -> Option<Recent> {
    let pairs = pairs::split(line);
    let value = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
    Some(Recent {
        name: value("name")?.to_owned(),
        files: value("files")?.parse().ok()?,
        bytes: value("bytes")?.parse().ok()?,
        at: value("at")?.parse().ok()?,
    })
}

fn line(recent: &Recent) -> String {
    let (files, bytes, at) = (recent.files.to_string(), recent.bytes.to_string(), recent.at.to_string());
    let name = recent.name.as_str();
    pairs::join([("name", name), ("files", &files), ("bytes", &bytes), ("at", &at)])
}

/// Remembers what is opened.
pub fn remember(found: &[Found]) {
    let Some((path, _)) = found.first() else { return };
    let name = if 1 < found.len() { path.split('/').next() } else { path.rsplit('/').next() };
    let name = name.unwrap_or(path).to_owned();
    let bytes = found.iter().map(|(_, file)| file.size() as u64).sum();
    let mut list: Vec<Recent> =
        list().into_iter().filter(|recent| recent.name != name).take(MOST - 1).collect();
    list.insert(0, Recent { name, files: found.len() as u64, bytes, at: js_sys::Date::now() });
    store::write("recent", &list.iter().map(line).collect::<Vec<_>>().join("\n"));
}

/// How many days ago, by the calendar.
pub fn days_ago(at: f64) -> i64 {
    let midnight = |at: f64| {
        let date = js_sys::Date::new(&at.into());
        date.set_hours(0);
        date.set_minutes(0);
        date.set_seconds(0);
        date.set_milliseconds(0);
        date.get_time()
    };
    ((midnight(js_sys::Date::now()) - midnight(at)) / 86_400_000.0).round() as i64
}
