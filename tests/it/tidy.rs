//! The shape of the code base, as a test: who imports whom, sizes, captions, registries, README, colors.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Which rooms a room may import. The order is the order of reading.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("input", &["base"]),
    ("model", &["base"]),
    ("format", &["base", "input", "model"]),
    ("analysis", &["base", "model"]),
    ("scene", &["base"]),
    ("draw", &["base", "model", "analysis", "scene"]),
    ("export", &["base", "input", "model", "format", "analysis", "scene", "draw"]),
    ("navigation", &["base", "model"]),
    ("findings", &["base", "input", "model", "format", "analysis", "navigation"]),
    ("browser", &["base", "scene"]),
    ("ui", &["base", "scene", "browser"]),
    ("wire", &["base", "model", "analysis", "scene", "draw"]),
    ("document", &["base", "input", "model", "format", "analysis", "scene", "draw", "findings", "wire"]),
    ("pane", &["base", "model", "analysis", "scene", "draw", "navigation", "browser", "ui", "wire"]),
    (
        "views",
        &[
            "base",
            "input",
            "model",
            "format",
            "analysis",
            "scene",
            "draw",
            "findings",
            "document",
            "navigation",
            "browser",
            "ui",
            "wire",
            "pane",
        ],
    ),
    (
        "systems",
        &["base", "input", "model", "format", "analysis", "scene", "draw", "export", "findings", "views"],
    ),
    (
        "engine",
        &[
            "base", "input", "model", "format", "analysis", "scene", "draw", "export", "findings",
            "document", "browser", "wire", "views", "systems",
        ],
    ),
    (
        "page",
        &[
            "base",
            "model",
            "analysis",
            "scene",
            "navigation",
            "browser",
            "ui",
            "wire",
            "pane",
            "views",
            "systems",
        ],
    ),
];

/// Where the browser may be named, by the beginnings of paths below `src`; beside them the pages of views.
const WEB: &[&str] = &["browser/", "ui/", "pane/", "page/", "engine/worker/", "views/parts.rs"];
const WEB_CRATES: &[&str] = &["web_sys", "js_sys", "wasm_bindgen", "leptos", "gloo", "plotters_canvas"];

const MAX_LINES: usize = 600;
const MAX_FILES: usize = 24;
/// Computations that are cut into steps by hand; all others are jobs.
const MAX_MACHINES: usize = 37;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder with this ending, sorted.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", short(path)))
}

pub(crate) fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Whether a file is compiled for the browser alone.
fn is_web(path: &Path) -> bool {
    let path = short(path);
    let below = path.strip_prefix("src/").unwrap_or(&path);
    let is_page = below.starts_with("views/") && (below.contains("/page/") || below.ends_with("/page.rs"));
    is_page || WEB.iter().any(|start| below.starts_with(start))
}

/// The text without comments and string contents, good enough for looking at names.
fn code_of(text: &str) -> String {
    text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The rooms named behind `crate::`, groups included.
fn imported_rooms(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let is_whole_word =
            at == 0 || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        if !is_whole_word {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => rooms.push(std::mem::take(&mut word)),
                    _ if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            rooms.push(word);
        } else {
            rooms.push(rest.to_owned());
        }
    }
    let name = |text: &String| {
        text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    rooms.iter().map(name).filter(|r| !r.is_empty()).collect()
}

#[test]
fn rooms_import_only_what_they_may() {
    let mut wrong = Vec::new();
    for (room, allowed) in ROOMS {
        for path in files(&format!("src/{room}"), "rs") {
            for used in imported_rooms(&code_of(&read(&path))) {
                let is_room = ROOMS.iter().any(|(r, _)| *r == used);
                if is_room && used != *room && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{} imports {used}; {room} may import {allowed:?}", short(&path)));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn every_folder_of_the_source_is_a_known_room() {
    let mut rooms: Vec<String> = fs::read_dir(root().join("src"))
        .expect("src is there")
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    rooms.sort();
    let mut known: Vec<String> =
        ROOMS.iter().map(|(r, _)| (*r).to_owned()).chain(["bin".to_owned()]).collect();
    known.sort();
    assert_eq!(rooms, known);
}

#[test]
fn the_scan_finds_planted_imports() {
    let code = "use crate::{base::fault, input};\nuse crate::pane::x;\nlet a = crate::draw::y();\nmy_crate::page::z();";
    assert_eq!(imported_rooms(code), ["base", "input", "pane", "draw"]);
}

#[test]
fn only_web_rooms_name_the_browser() {
    let mut wrong = Vec::new();
    for (room, _) in ROOMS {
        for path in files(&format!("src/{room}"), "rs").into_iter().filter(|path| !is_web(path)) {
            let code = code_of(&read(&path));
            for web in WEB_CRATES.iter().filter(|w| code.contains(&format!("{w}::"))) {
                wrong.push(format!("{} names {web}", short(&path)));
            }
        }
    }
    none(&wrong);
}

/// Trace Event JSON is a building block of others; Perfetto's traces hold the kernel events that those of Android are.
#[test]
fn systems_do_not_know_each_other() {
    let mut wrong = Vec::new();
    let others = || lanescope::systems::SYSTEMS.iter().map(|s| s.id).filter(|id| *id != "trace_event");
    let is_known = |own: &str, other: &str| (own, other) == ("perfetto", "android");
    for path in files("src/systems", "rs") {
        let own = short(&path).split('/').nth(2).unwrap_or("").trim_end_matches(".rs").to_owned();
        let code = code_of(&read(&path));
        for other in others().filter(|id| *id != own && own != "mod" && !is_known(&own, id)) {
            if code.contains(&format!("systems::{other}")) {
                wrong.push(format!("{} imports the system {other}", short(&path)));
            }
        }
    }
    none(&wrong);
}

/// The page would carry their readers otherwise.
#[test]
fn of_systems_the_page_knows_only_the_guides() {
    let mut wrong = Vec::new();
    for path in files("src/page", "rs") {
        let code = code_of(&read(&path));
        for (at, _) in code.match_indices("systems") {
            if !code[at..].starts_with("systems::guides::") {
                wrong.push(format!("{} names {:?}", short(&path), code[at..].lines().next()));
            }
        }
    }
    none(&wrong);
}

#[test]
fn files_and_folders_stay_small() {
    let mut wrong = Vec::new();
    let mut folders: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let all = [
        ("src", "rs"),
        ("tests", "rs"),
        ("xtask", "rs"),
        ("benches", "rs"),
        ("examples", "rs"),
        ("style", "css"),
    ];
    for path in all.iter().flat_map(|(folder, ending)| files(folder, ending)) {
        let n = read(&path).lines().count();
        if MAX_LINES < n {
            wrong.push(format!("{} has {n} lines, at most {MAX_LINES}", short(&path)));
        }
        *folders.entry(path.parent().expect("a file has a folder").to_owned()).or_default() += 1;
    }
    for (folder, n) in folders {
        if MAX_FILES < n {
            wrong.push(format!("{} has {n} files, at most {MAX_FILES}", short(&folder)));
        }
    }
    none(&wrong);
}

#[test]
fn every_file_says_first_what_it_holds() {
    let mut wrong = Vec::new();
    for path in ["src", "tests", "xtask", "benches", "examples"].iter().flat_map(|f| files(f, "rs")) {
        let text = read(&path);
        let first = text.lines().next().unwrap_or("");
        if !first.starts_with("//! ") || first.len() < 12 {
            wrong.push(format!("{} begins with {first:?}, not with a //! sentence", short(&path)));
        }
    }
    none(&wrong);
}

/// Fields and variants are documented where unit, range or source is not plain; the compiler's lint would ask for all.
#[test]
fn public_items_are_documented() {
    const KINDS: [&str; 9] = ["fn", "async", "struct", "enum", "trait", "const", "static", "type", "union"];
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        let mut is_documented = false;
        for (i, line) in read(&path).lines().enumerate() {
            let line = line.trim();
            let kind = line.strip_prefix("pub ").and_then(|rest| rest.split(' ').next());
            let is_item = kind.is_some_and(|kind| KINDS.contains(&kind)) && !line.contains('$');
            if is_item && !is_documented {
                wrong.push(format!("{}:{} is not documented: {line}", short(&path), i + 1));
            }
            let goes_on = line.starts_with("#[") || line.starts_with("//");
            is_documented = line.starts_with("///") || (is_documented && goes_on);
        }
    }
    none(&wrong);
}

/// The library is compiled once for all tests, without those that would stand in it: they would never run.
#[test]
fn no_test_stands_where_none_is_run() {
    let hidden = files("src", "rs").into_iter().filter(|path| read(path).contains("#[cfg(test)]"));
    none(&hidden.map(|path| short(&path)).collect::<Vec<_>>());
}

#[test]
fn no_name_is_a_catch_all() {
    let forbidden = ["util", "utils", "helper", "helpers", "common", "misc", "manager", "types"];
    let named =
        |p: &PathBuf| p.file_stem().is_some_and(|s| forbidden.contains(&s.to_string_lossy().as_ref()));
    let wrong: Vec<String> = files("src", "rs").iter().filter(|p| named(p)).map(|p| short(p)).collect();
    none(&wrong);
}

#[test]
fn colors_stand_only_in_the_tokens() {
    let mut wrong = Vec::new();
    for path in files("style", "css").into_iter().filter(|p| !p.ends_with("tokens.css")) {
        for (i, line) in read(&path).lines().enumerate() {
            let has_hex = line.split('#').skip(1).any(|rest| {
                let n = rest.chars().take_while(char::is_ascii_hexdigit).count();
                matches!(n, 3 | 4 | 6 | 8)
                    && !rest[n..].starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_')
            });
            if has_hex || line.contains("rgb(") || line.contains("rgba(") || line.contains("hsl(") {
                wrong.push(format!("{}:{} has a color: {}", short(&path), i + 1, line.trim()));
            }
        }
    }
    for path in files("src", "rs") {
        for (i, line) in code_of(&read(&path)).lines().enumerate() {
            let quoted = line.split("\"#").skip(1).any(|rest| {
                let n = rest.chars().take_while(char::is_ascii_hexdigit).count();
                matches!(n, 3 | 6 | 8) && rest[n..].starts_with('"')
            });
            if quoted {
                wrong.push(format!("{}:{} has a color: {}", short(&path), i + 1, line.trim()));
            }
        }
    }
    none(&wrong);
}

/// The rules of a style sheet: selector and declarations.
fn rules(css: &str) -> Vec<(String, String)> {
    let parts: Vec<&str> = css.split("*/").map(|part| part.split("/*").next().unwrap_or("")).collect();
    let mut rules = Vec::new();
    for rule in parts.concat().split('}') {
        let mut parts = rule.rsplitn(3, '{');
        if let (Some(declarations), Some(selector)) = (parts.next(), parts.next()) {
            rules.push((selector.trim().to_owned(), declarations.to_owned()));
        }
    }
    rules
}

/// Rows and columns do nothing without a grid: panes lie below each other then, and the last are clipped away.
#[test]
fn rows_and_columns_belong_to_a_grid() {
    let sheets = files("style", "css");
    let all: Vec<(String, String, String)> = sheets
        .iter()
        .flat_map(|path| rules(&read(path)).into_iter().map(move |(of, what)| (short(path), of, what)))
        .collect();
    // The classes that a selector ends with; what `:has()` holds belongs to other elements.
    let classes = |selector: &str| -> Vec<String> {
        let own = selector.split(":has(").next().unwrap_or("").trim();
        let last = own.rsplit([' ', '>', '+', '~']).next().unwrap_or("");
        last.split('.').skip(1).map(|c| c.split([':', '[']).next().unwrap_or("").to_owned()).collect()
    };
    let selectors = |of: &str| of.split(',').map(classes).collect::<Vec<_>>();
    let is_grid =
        |what: &str| what.replace(": ", ":").contains("display:grid") || what.contains("inline-grid");
    let grids: std::collections::BTreeSet<String> = all
        .iter()
        .filter(|(_, _, what)| is_grid(what))
        .flat_map(|(_, of, _)| selectors(of))
        .flatten()
        .collect();
    let mut wrong = Vec::new();
    for (path, of, _) in all.iter().filter(|(_, _, what)| what.contains("grid-template")) {
        for own in selectors(of).into_iter().filter(|own| !own.is_empty()) {
            let block = |class: &String| class.split("--").next().unwrap_or("").to_owned();
            if !own.iter().any(|class| grids.contains(class) || grids.contains(&block(class))) {
                wrong.push(format!("{path}: {of} has tracks, but is no grid"));
            }
        }
    }
    assert!(40 < grids.len(), "{grids:?}");
    none(&wrong);
}

/// A memo is only computed when it is read: whoever tracks it without reading it is never told of anything.
#[test]
fn memos_are_read_where_they_are_followed() {
    let mut wrong = Vec::new();
    for path in files("src", "rs").into_iter().filter(|path| is_web(path)) {
        let code = code_of(&read(&path)).split_whitespace().collect::<Vec<_>>().join(" ");
        for (at, _) in code.match_indices(" = Memo::new(") {
            let name = code[..at].rsplit(' ').next().unwrap_or("");
            if code.contains(&format!(" {name}.track()")) {
                wrong.push(format!("{}: {name}.track() does not read it", short(&path)));
            }
        }
    }
    none(&wrong);
}

/// Computations that are cut into steps by hand instead of written as a job; a page's buttons `next` and `back` are none.
#[test]
fn machines_are_few_and_say_why_they_are_none_of_the_jobs() {
    const WHY: [&str; 3] = ["machine, as ", "No job, as ", "A push parser"];
    let (mut machines, mut wrong) = (Vec::new(), Vec::new());
    for path in files("src", "rs") {
        let text = read(&path);
        let is_page = short(&path).contains("/page/");
        for (at, _) in text.match_indices("fn step").filter(|_| !is_page) {
            let head = text[at..].split('{').next().unwrap_or_default();
            let (lent, found) = head.split_once("->").unwrap_or_default();
            let is_step = head.starts_with("fn step(") || head.starts_with("fn step<");
            let changes = lent.contains("&mut ") || lent.contains("(self");
            if !is_step || !changes || found.is_empty() {
                continue;
            }
            let place = format!("{}:{}", short(&path), 1 + text[..at].matches('\n').count());
            let above = text[..at].rsplit('\n').skip(1).map(str::trim_start);
            let mut said: Vec<&str> = above.map_while(|line| line.strip_prefix("///")).collect();
            said.reverse();
            if !WHY.iter().any(|why| said.join("").contains(why)) {
                wrong.push(format!("{place} does not say why it is a machine"));
            }
            machines.push(place);
        }
    }
    none(&wrong);
    assert!(machines.len() <= MAX_MACHINES, "{} machines:\n{}", machines.len(), machines.join("\n"));
}

#[test]
fn every_format_has_fixtures_and_a_fault_table() {
    let mut wrong = Vec::new();
    for format in lanescope::systems::formats() {
        let folder = root().join("tests/fixtures").join(format.id);
        let cases: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.is_dir())
            .collect();
        if cases.is_empty() {
            wrong.push(format!("{} has no fixture in tests/fixtures/{}", format.id, format.id));
        }
        for case in cases.iter().filter(|c| !c.join("source.toml").exists()) {
            wrong.push(format!("{} does not say where it comes from: source.toml is missing", short(case)));
        }
        if !folder.join("faults.toml").exists() {
            wrong.push(format!("{} has no fault table tests/fixtures/{}/faults.toml", format.id, format.id));
        }
    }
    none(&wrong);
}

#[test]
fn registries_have_two_lines_an_entry() {
    let mut wrong = Vec::new();
    let registries = [("src/systems/mod.rs", "SYSTEM"), ("src/views/mod.rs", "page::VIEW")];
    for (file, entry) in registries {
        let text = read(&root().join(file));
        let items: Vec<&str> = text
            .lines()
            .filter_map(|l| l.trim().strip_prefix('&')?.strip_suffix(&format!("::{entry},")))
            .collect();
        for item in &items {
            let module = item.split("::").next().unwrap_or(item);
            if !text.lines().any(|l| l == format!("pub mod {module};")) {
                wrong.push(format!("{file}: {item} has no mod line"));
            }
        }
        if items.is_empty() {
            wrong.push(format!("{file} has no entries"));
        }
    }
    none(&wrong);
}

/// A table of README between its two marks; rewritten when UPDATE=1 is set.
fn table_in_readme(name: &str, expected: &str) {
    let path = root().join("README.md");
    let text = read(&path);
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = text.find(&open).unwrap_or_else(|| panic!("README has no {open}")) + open.len();
    let to = from + text[from..].find(&close).unwrap_or_else(|| panic!("README has no {close}"));
    if &text[from..to] != expected {
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, format!("{}{expected}{}", &text[..from], &text[to..]))
                .expect("README can be written");
        } else {
            panic!("the table {name} of README is old; UPDATE=1 cargo test writes it:\n{expected}");
        }
    }
}

#[test]
fn readme_lists_every_format() {
    let mut table =
        String::from("| format | files | written by | what you see |\n| --- | --- | --- | --- |\n");
    // The system to copy from is compiled for tests only.
    for f in lanescope::systems::formats().filter(|f| f.id != "demo") {
        let patterns: Vec<String> = f.patterns.iter().map(|p| format!("`{p}`")).collect();
        table += &format!("| {} | {} | {} | {} |\n", f.title, patterns.join(" "), f.written_by, f.shows);
    }
    table_in_readme("formats", &table);
}

#[test]
fn readme_lists_every_view_and_the_page_loads_each() {
    let registry = read(&root().join("src/views/mod.rs"));
    let mut table = String::from("| view | address | question |\n| --- | --- | --- |\n");
    let program = read(&root().join("src/bin/page.rs"));
    let parts = program.split("parts! {").nth(1).and_then(|parts| parts.split('}').next()).unwrap();
    let in_parts: Vec<&str> = parts.split(|c: char| !c.is_ascii_lowercase() && c != '_').collect();
    for module in registry.lines().filter_map(|l| l.trim().strip_prefix('&')?.strip_suffix("::page::VIEW,")) {
        // Another view would be shown in its place.
        assert!(in_parts.contains(&module), "src/bin/page.rs: the view {module} is in no part");
        let page = root().join("src/views").join(module).join("page");
        let path = if page.is_dir() { page.join("mod.rs") } else { page.with_extension("rs") };
        let text = read(&path);
        assert!(text.contains("pub static VIEW: ViewSpec"));
        let field = |name: &str| {
            let spec = text.split("pub static VIEW: ViewSpec").nth(1).unwrap_or("");
            let spec = spec.replace("phrase(\"", "\"");
            let value = spec
                .split(&format!("{name}: \""))
                .nth(1)
                .and_then(|v| v.split('"').next().map(str::to_owned));
            value.unwrap_or_else(|| panic!("{} has no {name}", short(&path)))
        };
        table += &format!("| {} | `#view={}` | {} |\n", field("title"), field("id"), field("question"));
    }
    table_in_readme("views", &table);
}

#[test]
fn the_changelog_has_an_unreleased_part() {
    let text = read(&root().join("CHANGELOG.md"));
    for part in ["## Unreleased", "### Formats", "### Views", "### Fixes", "### Inside"] {
        assert!(text.contains(part), "CHANGELOG.md lacks {part}");
    }
}
