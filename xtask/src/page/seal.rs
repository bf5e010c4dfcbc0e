//! Seals the built page: splits its programs into parts, makes the programs smaller, writes a strict
//! Content-Security-Policy with the hashes of the inline scripts, puts the translations of each language
//! into one file, writes a build id under which the page asks for its programs and for these, and the service worker.
//!
//! For users, Trunk calls this as its `post_build` hook, with the folder in `TRUNK_STAGING_DIR`.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::build::For;
use super::{offline, shrink, split};
use crate::place;
use crate::say::{self, Issue};
use crate::trouble;

/// Everything that the policy allows, directive by directive; `{hashes}` stands for the inline scripts.
const POLICY: &[&str] = &[
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval' blob: {hashes}", // blob: the worker's script, kept for later documents
    "worker-src 'self' blob:",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "connect-src 'self' https:", // https: only for what the user asks to open by address
    "base-uri 'self'",
    "form-action 'none'",
];

/// Starts the worker with the module that the page sends it first, so that further workers need no network. Pages do not
/// hear of what fails in a promise: a program that did not start, or that got no memory, is thrown once more outside of it.
const WORKER_START: &str = "
self.onmessage = (e) => {
  const fail = (error) => setTimeout(() => { throw error; });
  self.onmessage = null;
  self.addEventListener('unhandledrejection', (rejected) => {
    const isEnd = rejected.reason instanceof WebAssembly.RuntimeError || rejected.reason instanceof RangeError;
    isEnd && fail(rejected.reason);
  });
  __wbg_init({ module_or_path: e.data }).catch(fail);
};
";

/// Where the seal goes: before anything that the policy speaks about, after what says how to read the text.
const AFTER: &str = "<meta charset=\"utf-8\">";

/// Seals `index.html` in `dir`, a finished build.
pub fn page(dir: &Path, whom: For) -> Result<(), Issue> {
    let index = dir.join("index.html");
    let (parts, parts_of_worker) = thread::scope(|scope| {
        let page = scope.spawn(|| split::page(dir, whom));
        let worker = split::worker(dir, whom);
        let page = page.join().unwrap_or_else(|_| Err(trouble!("The page's program could not be split.")));
        Ok::<_, Issue>((page?, worker?))
    })?;
    let folders = [dir, &parts, &parts_of_worker];
    let programs =
        folders.map(|folder| files(folder, &["js", "wasm"])).into_iter().collect::<Result<Vec<_>, _>>()?;
    let programs = programs.concat();
    let is_module = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "wasm");
    let (modules, scripts): (Vec<&PathBuf>, Vec<&PathBuf>) = programs.iter().partition(is_module);
    for path in &modules {
        write(path, &without_names(&read(path)?))?;
    }
    if whom == For::Users {
        shrink::modules(&modules.iter().map(|path| path.as_path()).collect::<Vec<_>>())?;
    }
    let worker = dir.join("worker.js");
    let script = String::from_utf8_lossy(&read(&worker)?).into_owned();
    let script = split::with_small_parts(&script, &parts_of_worker)?;
    write(&worker, format!("{script}{WORKER_START}").as_bytes())?;
    if whom == For::Users {
        let styles = files(dir, &["css"])?;
        shrink::texts(&scripts.into_iter().chain(&styles).map(PathBuf::as_path).collect::<Vec<_>>())?;
    }
    join_words(&place::root().join("words"), dir)?;
    let html = String::from_utf8_lossy(&read(&index)?).into_owned();
    let build = offline::version(dir, &html)?;
    let html = named(dir, &html, &build)?;
    let names = files(&parts_of_worker, &["wasm"])?;
    let names: Vec<_> = names.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let mut metas = vec![("build", build.clone()), ("parts", names.join(" "))];
    // What is worked on changes with every build.
    let is_kept = whom != For::Work;
    metas.extend(is_kept.then(|| ("offline", offline::SCRIPT.to_owned())));
    write(&index, sealed(&html, &metas)?.as_bytes())?;
    let script = offline::write_worker(dir, &build, is_kept)?;
    if whom == For::Users {
        shrink::texts(&[&script])?;
    }
    say::doing("Sealed the page with its Content-Security-Policy.");
    Ok(())
}

/// Names the page's program and its parts by the build: Trunk's name for it says nothing of how it was split and shrunk.
/// Returns the page's text, which asks for them by these names.
fn named(dir: &Path, html: &str, build: &str) -> Result<String, Issue> {
    let name = split::name_of(dir)?;
    let Some((_, hash)) = name.split_once('-') else { return Ok(html.to_owned()) };
    // Not `page-…_bg.js`: no file, but what the program calls its imports.
    let names = [format!("page-{hash}.js"), format!("page-{hash}_bg.wasm"), format!("parts-{hash}")];
    let new = |name: &str| name.replace(hash, build);
    let with_new =
        |text: &str| names.iter().fold(text.to_owned(), |text, name| text.replace(name, &new(name)));
    for name in &names {
        let (from, to) = (dir.join(name), dir.join(new(name)));
        fs::rename(&from, to).map_err(|e| trouble!("{} could not be renamed: {e}.", from.display()))?;
    }
    for script in [format!("page-{build}.js"), format!("parts-{build}/split.js")] {
        let script = dir.join(script);
        write(&script, with_new(&String::from_utf8_lossy(&read(&script)?)).as_bytes())?;
    }
    Ok(with_new(html))
}

/// The page's text with its meta elements: the policy, and others by name.
fn sealed(html: &str, metas: &[(&str, String)]) -> Result<String, Issue> {
    let spelled = [AFTER, "<meta charset=\"utf-8\" />", "<meta charset=\"utf-8\"/>"];
    let (at, charset) =
        spelled.iter().find_map(|charset| html.find(charset).map(|at| (at, charset))).ok_or_else(|| {
            trouble!("index.html has no {AFTER}, after which the Content-Security-Policy goes.")
        })?;
    if html.contains("http-equiv=\"Content-Security-Policy\"") {
        return Err(trouble!("index.html is sealed already; build it anew with `cargo xtask build`."));
    }
    let hashes: Vec<_> = inline_scripts(html)
        .iter()
        .map(|script| Sha256::digest(script.replace("\r\n", "\n")))
        .map(|digest| format!("'sha256-{}'", STANDARD.encode(digest)))
        .collect();
    let policy = POLICY.join("; ").replace("{hashes}", &hashes.join(" "));
    let (before, after) = html.split_at(at + charset.len());
    let metas: Vec<_> = metas
        .iter()
        .map(|(name, content)| format!("\n<meta name=\"lanescope-{name}\" content=\"{content}\">"))
        .collect();
    let metas = metas.concat();
    Ok(format!("{before}\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">{metas}{after}"))
}

/// The text of every script element that has no `src`.
fn inline_scripts(html: &str) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at..];
        let Some((tag, body)) = rest.split_once('>') else { break };
        let Some((text, after)) = body.split_once("</script") else { break };
        if !tag.contains(" src=") {
            scripts.push(text);
        }
        rest = after;
    }
    scripts
}

/// Puts the tables of each language of `words` into one file of `dir`. Hosts pack a `.txt`, not all of them a `.tsv`.
fn join_words(words: &Path, dir: &Path) -> Result<(), Issue> {
    for language in entries(words)?.into_iter().filter(|path| path.is_dir()) {
        let tag = language.file_name().unwrap_or_default().to_string_lossy();
        let tables =
            files(&language, &["tsv"])?.iter().map(|table| read(table)).collect::<Result<Vec<_>, _>>()?;
        write(&dir.join(format!("words.{tag}.txt")), &tables.concat())?;
    }
    Ok(())
}

/// The files with one of these endings, in the order of their names.
pub(super) fn files(dir: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Issue> {
    let mut paths = entries(dir)?;
    paths.retain(|path| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)));
    Ok(paths)
}

/// What stands in a folder, in the order of the names.
pub(super) fn entries(dir: &Path) -> Result<Vec<PathBuf>, Issue> {
    let entries = fs::read_dir(dir).map_err(|e| trouble!("{} could not be read: {e}.", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

/// Custom sections that nobody reads once a program is built, as they begin.
const UNUSED: [&[u8]; 3] = [b"\x04name", b"\x09producers", b"\x0ftarget_features"];

/// A wasm module without the custom sections that no browser needs: with names it is a fifth larger.
/// What is not a module comes back as it is.
fn without_names(module: &[u8]) -> Vec<u8> {
    let Some(mut rest) = module.strip_prefix(b"\0asm\x01\0\0\0") else { return module.to_vec() };
    let mut slim = module[..8].to_vec();
    while let Some(section) = Section::first(rest) {
        if section.id != 0 || !UNUSED.iter().any(|name| section.body.starts_with(name)) {
            slim.extend_from_slice(&rest[..section.n_bytes]);
        }
        rest = &rest[section.n_bytes..];
    }
    slim.extend_from_slice(rest);
    slim
}

/// A section of a wasm module: a byte that says its kind, its length as LEB128, its contents.
struct Section<'a> {
    id: u8,
    body: &'a [u8],
    /// Its whole length.
    n_bytes: usize,
}

impl<'a> Section<'a> {
    fn first(bytes: &'a [u8]) -> Option<Self> {
        let (&id, after) = bytes.split_first()?;
        let n_digits = 1 + after.iter().position(|digit| digit & 0x80 == 0)?;
        let len = after[..n_digits].iter().rev().fold(0, |len, digit| len << 7 | usize::from(digit & 0x7f));
        let body = after.get(n_digits..n_digits + len)?;
        Some(Self { id, body, n_bytes: 1 + n_digits + len })
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, Issue> {
    fs::read(path).map_err(|e| trouble!("{} could not be read: {e}.", path.display()))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Issue> {
    fs::write(path, bytes).map_err(|e| trouble!("{} could not be written: {e}.", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{inline_scripts, named, sealed, without_names};

    const PAGE: &str = "<head><meta charset=\"utf-8\">\n<script src=\"a.js\"></script><script type=\"module\">\nlet x = 1 > 0;\n</script></head>";

    fn metas() -> [(&'static str, String); 2] {
        [("build", "0123".to_owned()), ("parts", "a.wasm b.wasm".to_owned())]
    }

    #[test]
    fn only_scripts_without_an_address_are_inline() {
        assert_eq!(inline_scripts(PAGE), ["\nlet x = 1 > 0;\n"]);
    }

    #[test]
    fn the_policy_stands_before_the_first_script_and_names_its_hash() {
        let html = sealed(PAGE, &metas()).unwrap_or_default();
        let policy = html.find("Content-Security-Policy");
        assert!(policy.is_some() && policy < html.find("<script"), "{html}");
        assert!(html.contains("'sha256-"), "{html}");
        assert!(html.contains("<meta name=\"lanescope-build\" content=\"0123\">"), "{html}");
        assert!(html.contains("<meta name=\"lanescope-parts\" content=\"a.wasm b.wasm\">"), "{html}");
    }

    #[test]
    fn the_program_is_named_by_the_build_and_calls_its_imports_as_before() {
        let dir = crate::place::target().join("tmp/named");
        let _ = fs::remove_dir_all(&dir);
        let js = "from \"./parts-ab/split.js\"; \"./page-ab_bg.js\": x; new URL('page-ab_bg.wasm')";
        let made = fs::create_dir_all(dir.join("parts-ab"))
            .and_then(|()| fs::write(dir.join("page-ab.js"), js))
            .and_then(|()| fs::write(dir.join("page-ab_bg.wasm"), ""))
            .and_then(|()| fs::write(dir.join("parts-ab/split.js"), "from \"../page-ab.js\""));
        assert!(made.is_ok());
        let html = named(&dir, "import './page-ab.js'; '#abab'", "12").unwrap_or_default();
        assert_eq!(html, "import './page-12.js'; '#abab'");
        let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
        assert_eq!(
            text("page-12.js"),
            "from \"./parts-12/split.js\"; \"./page-ab_bg.js\": x; new URL('page-12_bg.wasm')"
        );
        assert_eq!(text("parts-12/split.js"), "from \"../page-12.js\"");
        assert!(dir.join("page-12_bg.wasm").is_file());
        let _ = fs::remove_dir_all(dir);
    }

    #[test]
    fn a_sealed_page_is_not_sealed_twice() {
        assert!(sealed(PAGE, &metas()).and_then(|html| sealed(&html, &metas())).is_err());
    }

    #[test]
    fn only_the_sections_that_no_browser_needs_are_left_out() {
        let code = [1, 0x82, 0x00, 7, 7]; // a length may be written longer than it must
        let other = [0, 3, 1, b'x', 9];
        let name = [&[0, 7, 4][..], b"name", &[1, 2]].concat();
        let whole = [b"\0asm\x01\0\0\0".as_slice(), &code, &name, &other].concat();
        assert_eq!(without_names(&whole), [b"\0asm\x01\0\0\0".as_slice(), &code, &other].concat());
        assert_eq!(without_names(&whole[..18]), whole[..18]);
        assert_eq!(without_names(b"text"), b"text");
    }
}
