//! The page without a network: its service worker, with the list of the files that it keeps.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::seal::{entries, read, write};
use crate::say::Issue;

/// The file of the service worker. Its folder is what it answers for.
pub const SCRIPT: &str = "service-worker.js";

/// The service worker, with `{version}`, `{files}` and `{samples}` to be filled in.
const KEEPER: &str = include_str!("service_worker.js");

/// What takes the place of a service worker that a page for users left behind at the same address.
const REMOVER: &str = "self.oninstall = () => self.skipWaiting();
self.onactivate = (event) => event.waitUntil((async () => {
  const ours = (await caches.keys()).filter((name) => name.startsWith(`lanescope ${registration.scope} `));
  await Promise.all(ours.map((name) => caches.delete(name)));
  await registration.unregister();
  for (const page of await clients.matchAll({ type: \"window\" })) await page.navigate(page.url);
})());
";

/// Where the samples are.
const SAMPLES: &str = "samples";

/// Writes the service worker of a finished build. It keeps all files that stand in `dir` now, or, where browsers are to keep
/// none, removes the one that was there before.
pub fn write_worker(dir: &Path, version: &str, is_kept: bool) -> Result<PathBuf, Issue> {
    let script = dir.join(SCRIPT);
    if !is_kept {
        return write(&script, REMOVER.as_bytes()).map(|()| script);
    }
    let mut files = Vec::new();
    let mut samples = Vec::new();
    for path in all(dir)?.into_iter().filter(|path| *path != script) {
        let digest = STANDARD.encode(Sha256::digest(read(&path)?));
        let name = address(dir, &path);
        let is_sample = name.starts_with(SAMPLES) && !name.ends_with("index.json");
        let entry = format!("[\"{}\", \"sha256-{digest}\"]", asked(&name, version));
        match name.as_str() {
            "index.html" => files.insert(0, entry),
            _ if is_sample => samples.push(entry),
            _ => files.push(entry),
        }
    }
    let list = |entries: Vec<String>| format!("[\n  {},\n]", entries.join(",\n  "));
    let text = KEEPER.replace("{version}", version);
    let text = text.replace("{files}", &list(files)).replace("{samples}", &list(samples));
    write(&script, text.as_bytes()).map(|()| script)
}

/// How the page asks for a file: what has no name of its own for each build is asked for with the build's.
fn asked(name: &str, version: &str) -> String {
    let (folder, _) = name.split_once('/').unwrap_or((name, ""));
    match folder {
        "index.html" => "./".to_owned(), // some hosts lead from its name to its folder
        _ if folder.starts_with("worker") || folder.starts_with("words.") => format!("{name}?b={version}"),
        _ => name.to_owned(),
    }
}

/// A short name for exactly the files of this folder and the text of the page.
pub(super) fn version(dir: &Path, html: &str) -> Result<String, Issue> {
    let mut whole = Sha256::new();
    whole.update(Sha256::digest(html));
    for path in all(dir)?.into_iter().filter(|path| *path != dir.join("index.html")) {
        whole.update(Sha256::digest(address(dir, &path)));
        whole.update(Sha256::digest(read(&path)?));
    }
    Ok(short(&whole.finalize()))
}

/// The first half of a name that a hash is known by.
pub(super) fn short(hash: &[u8]) -> String {
    let head: Vec<String> = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    head.concat()
}

/// All files in a folder and in those below, in the order of their names.
fn all(dir: &Path) -> Result<Vec<PathBuf>, Issue> {
    let mut found = Vec::new();
    for path in entries(dir)? {
        if path.is_dir() {
            found.extend(all(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The address of a file below the page's.
fn address(dir: &Path, path: &Path) -> String {
    let below = path.strip_prefix(dir).unwrap_or(path);
    below.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{asked, version, write_worker};

    #[test]
    fn what_has_no_name_of_its_own_is_asked_for_with_the_build() {
        let rows = [
            ("index.html", "./"),
            ("worker.js", "worker.js?b=12"),
            ("worker_parts/split_code.wasm", "worker_parts/split_code.wasm?b=12"),
            ("words.zh-CN.txt", "words.zh-CN.txt?b=12"),
            ("parts-12/split.js", "parts-12/split.js"),
            ("samples/index.json", "samples/index.json"),
        ];
        for (name, address) in rows {
            assert_eq!(asked(name, "12"), address);
        }
    }

    #[test]
    fn the_worker_lists_every_file_and_the_version_changes_with_each() {
        let dir = crate::place::target().join("tmp/offline");
        let write = |name: &str, text: &str| {
            let path = dir.join(name);
            path.parent().map(fs::create_dir_all).transpose().and_then(|_| fs::write(path, text)).is_ok()
        };
        let files = ["index.html", "page-12.js", "samples/index.json", "samples/a.bin"];
        assert!(files.iter().all(|name| write(name, "1")));
        let before = version(&dir, "text").unwrap_or_default();
        let script = write_worker(&dir, &before, true).ok().and_then(|path| fs::read_to_string(path).ok());
        let script = script.unwrap_or_default();
        // The hash of "1".
        let hash = "sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s=";
        let lists = |rows: &[&str]| {
            let rows: Vec<_> = rows.iter().map(|name| format!("  [\"{name}\", \"{hash}\"],\n")).collect();
            format!("= [\n{}];", rows.concat())
        };
        assert!(script.contains(&lists(&["./", "page-12.js", "samples/index.json"])), "{script}");
        assert!(script.contains(&lists(&["samples/a.bin"])), "{script}");
        assert!(script.contains(&format!("VERSION = \"{before}\"")), "{script}");
        for name in files {
            assert!(write(name, "2"));
            let text = if name == "index.html" { "other text" } else { "text" };
            assert_ne!(version(&dir, text).ok().as_ref(), Some(&before), "{name}");
            assert!(write(name, "1"));
        }
        let _ = fs::remove_dir_all(dir);
    }
}
