//! Puts the page for work and for browser tests together as Trunk does it for users: Trunk takes minutes to build, and binds
//! each program whole before it is split.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::build::For;
use super::offline::short;
use super::seal::{self, entries, read, write};
use crate::place;
use crate::say::Issue;
use crate::trouble;

/// The element that says what the page's addresses are relative to.
const BASE: (&str, &str) = ("<base data-trunk-public-url />", "<base href=\"./\">");

/// What the program is called until the sealed page is named by what it holds.
const PROGRAM: &str = "page-quick";

/// Starts the program, as Trunk's script does.
fn start() -> String {
    format!(
        "<script type=\"module\">
import init, * as bindings from \"./{PROGRAM}.js\";
await init({{ module_or_path: \"./{PROGRAM}_bg.wasm\" }});
window.wasmBindings = bindings;
</script>"
    )
}

/// Makes `dist/` of the programs that were compiled.
pub(super) fn page(whom: For) -> Result<(), Issue> {
    // Aside, so that a page that is served is whole at any moment but one.
    let staging = place::target().join("tmp/staging");
    let _ = fs::remove_dir_all(&staging); // it may not be there
    create(&staging)?;
    let html = String::from_utf8_lossy(&read(&place::root().join("index.html"))?).into_owned();
    write(&staging.join("index.html"), assembled(&html, place::root(), &staging)?.as_bytes())?;
    write(&staging.join(format!("{PROGRAM}_bg.wasm")), &[])?; // what splits the program finds its name so
    seal::page(&staging, whom)?;
    let dist = place::dist();
    let _ = fs::remove_dir_all(&dist);
    fs::rename(&staging, &dist).map_err(|e| trouble!("{} could not be written: {e}.", dist.display()))
}

/// The page's text without what only Trunk reads; the files that it names are copied from `root` into `dir`.
fn assembled(html: &str, root: &Path, dir: &Path) -> Result<String, Issue> {
    let mut lines = Vec::new();
    for line in html.lines() {
        let Some(link) = line.trim_start().strip_prefix("<link data-trunk ") else {
            lines.push(line.replace(BASE.0, BASE.1));
            continue;
        };
        let value = |name: &str| Some(link.split_once(&format!("{name}=\""))?.1.split_once('"')?.0);
        match (value("rel"), value("href"), value("data-type")) {
            (Some("copy-dir"), Some(folder), _) => copy(&root.join(folder), dir)?,
            (Some("css"), Some(path), _) => {
                let name = style(&root.join(path), dir)?;
                lines.push(format!("<link rel=\"stylesheet\" href=\"./{name}\">"));
            }
            (Some("rust"), _, Some("main")) => lines.push(start()),
            (Some("rust"), _, Some("worker")) => {} // the page starts it by its name
            _ => return Err(trouble!("index.html asks Trunk for what a quick build cannot do: {line}")),
        }
    }
    Ok(lines.join("\n"))
}

/// Copies a style into `dir`, under a name that changes with it.
fn style(path: &Path, dir: &Path) -> Result<String, Issue> {
    let bytes = read(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{name}-{}.css", short(&Sha256::digest(&bytes)));
    write(&dir.join(&name), &bytes).map(|()| name)
}

/// Copies what is in a folder, with all that is below it.
///
/// # Errors
/// When something cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<(), Issue> {
    create(to)?;
    for path in entries(from)? {
        let copied = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &copied)?;
        } else {
            fs::copy(&path, &copied).map_err(|e| trouble!("{} could not be copied: {e}.", path.display()))?;
        }
    }
    Ok(())
}

fn create(dir: &Path) -> Result<(), Issue> {
    fs::create_dir_all(dir).map_err(|e| trouble!("{} could not be written: {e}.", dir.display()))
}

#[cfg(test)]
mod tests {
    use super::{PROGRAM, assembled, create, start};
    use crate::place;
    use std::fs;

    #[test]
    fn nothing_is_left_for_trunk_and_every_file_is_there() {
        let dir = place::target().join("tmp/assembled");
        let _ = fs::remove_dir_all(&dir);
        assert!(create(&dir).is_ok());
        let html = fs::read_to_string(place::root().join("index.html")).unwrap();
        let page = assembled(&html, place::root(), &dir).map_err(|issue| issue.to_string()).unwrap();
        assert!(!page.contains("data-trunk"), "{page}");
        assert_eq!(page.matches(&start()).count(), 1);
        assert_eq!(page.matches(PROGRAM).count(), 2);
        let named: Vec<_> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let named: Vec<_> = named.into_iter().filter(|name| *name != "./").collect();
        assert!(html.matches("rel=\"css\"").count() < named.len());
        for name in named {
            assert!(dir.join(name).is_file(), "{name}");
        }
        let _ = fs::remove_dir_all(dir);
    }

    #[test]
    fn what_only_trunk_can_do_is_said() {
        let dir = place::target().join("tmp");
        assert!(
            assembled("<link data-trunk rel=\"tailwind-css\" href=\"a.css\">", place::root(), &dir).is_err()
        );
    }
}
