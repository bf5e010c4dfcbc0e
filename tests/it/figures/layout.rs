//! Where the figures of documents stand on a page: rows are full, nothing is narrower than it must be.

use crate::support::corpus::corpus;
use crate::support::front_door::{open, open_case, open_one};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::page::{Need, ROWS, TRACKS, of_figure, place};
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::wire::figures::{FigureQuery, Reply};

use std::fs;

/// Widths of the page without its rail, at 1280, 1440 and 1920 pixels.
const ROOMS: [f32; 3] = [1_060.0, 1_220.0, 1_700.0];

/// What all figures of a document need, by their ids.
fn needs(doc: &mut Document) -> Vec<(String, Need)> {
    let Some(Reply::List { families, .. }) = doc.query(&FigureQuery::List).0 else { panic!("a list") };
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let mut needs = Vec::new();
    for family in families {
        let ask = FigureQuery::Figure { id: family.id.clone(), chosen: Vec::new() };
        let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("{}", family.id) };
        needs.push((family.id, of_figure(&shown.figure, shown.range, &family.choices, &look)));
    }
    needs
}

/// All figures in all widths: rows reach both edges, nothing is too narrow where the page has the room.
fn check(doc: &mut Document, name: &str) {
    let all = needs(doc);
    let needs: Vec<Need> = all.iter().map(|(_, need)| *need).collect();
    assert!(!needs.is_empty(), "{name}");
    for room in ROOMS {
        let places = place(&needs, room);
        println!("{name} in {room}");
        let mut row = usize::MAX;
        for ((id, need), place) in all.iter().zip(&places) {
            let here = (place.row.0 - 1) / ROWS;
            let width = place.column.1 as f32 * room / TRACKS as f32;
            if here != row {
                assert_eq!(place.column.0, 1, "{id} begins a row");
                println!("  -- {here}");
                row = here;
            }
            println!(
                "  {id}: {width:.0} px at {}, part {} ({:.0} to {:.0}, {:.0} high)",
                place.column.0, place.row.1, need.least, need.best, need.height
            );
            assert!(need.least.min(room) <= width + room / TRACKS as f32, "{name} {id} in {room}: {need:?}");
        }
        let cells: usize = places.iter().map(|p| p.column.1 * p.row.1).sum();
        assert_eq!(cells, (row + 1) * ROWS * TRACKS, "{name} in {room}");
    }
}

#[test]
fn figures_of_fixtures_fill_their_rows() {
    for case in ["device", "simulator", "folder"] {
        check(&mut open_case("msinsight", case).0, case);
    }
}

#[test]
fn figures_of_real_files_fill_their_rows() {
    let Some(root) = corpus("ascend") else { return };
    for name in ["assembled/simulator_like.bin", "assembled/device_like_all_blocks.bin"] {
        check(&mut open_one("a.bin", fs::read(root.join(name)).unwrap()).0, name);
    }
    let folder = root.join("OPPROF_cummin_round3");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: std::path::PathBuf| {
        let name = format!("OPPROF_cummin_round3/{}", path.file_name().unwrap().to_string_lossy());
        (name, fs::read(&path).unwrap())
    };
    check(&mut open(files.map(named).collect(), 1 << 16).0, "cummin");
}

#[test]
fn figures_of_a_real_systrace_fill_their_rows() {
    let Some(root) = corpus("nnapi") else { return };
    let trace = fs::read(root.join("aosp/omr1.stripped.html")).unwrap();
    check(&mut open_one("omr1.html", trace).0, "omr1");
}
