//! Accesses by page and clock: what there is, what a window adds up to, a cell, and the picture.

use crate::analysis::contract::Analysis;
use crate::base::geometry::{Point, Size};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{fill, phrase};
use crate::document::engine::{Answers, Draws, Engine};
use crate::document::{Document, Picture};
use crate::draw::heatmap::{self, Layout};
use crate::draw::style::{DrawStyle, NAME, T1};
use crate::model::Trace;
use crate::model::figure::{self, AxisLabel, FigureState, HeatMap};
use crate::scene::palette::Palette;
use crate::scene::{Align, Scene, put};
use crate::views::density::compute::{
    Axis, Band, Density, Grid, Raster, View, Window, Zoom, all_facts, window_facts,
};
use crate::views::density::messages::{
    Cell, Course, DensityQuery, Frame, Head, Look, MAX_BANDS, Note, Reply, Shading,
};
use crate::wire::{Answer, Question};
use std::rc::Rc;

/// A cell is at least so many pixels wide and high, where there are more.
const CELL_PX: f32 = 2.0;

fn answer(doc: &mut Document, ask: &DensityQuery) -> Reply {
    match ask {
        DensityQuery::Head => Reply::Head(head(doc).map(Box::new)),
        DensityQuery::Sums(look) => Reply::Sums(
            doc.density_view(look)
                .map_or_else(Vec::new, |view| window_facts(&view, &Raster::new(&view, usize::MAX, 1).sums)),
        ),
        DensityQuery::Course(look) => {
            Reply::Course(doc.density_view(look).map(|view| Box::new(course(&view))))
        }
        DensityQuery::Zoom(_) => Reply::Zoomed,
        DensityQuery::Under { frame, size, at } => Reply::Under(under(doc, frame, *size, *at).map(Box::new)),
    }
}

impl Document {
    /// Accesses by page and clock and the analysis that counts them: for the values of now, or the last before while
    /// they are counted anew.
    pub(crate) fn density(&self) -> Option<(&'static Analysis, &Density)> {
        self.derived.results.newest(&self.analyses, &self.values)
    }

    /// What is seen of them.
    fn density_view(&self, look: &Look) -> Option<View<'_>> {
        let (_, density) = self.density()?;
        let view = View {
            axis: Axis::new(density, look.is_linear),
            density,
            clocks: look.clocks.unwrap_or((0.0, f64::INFINITY)),
            places: look.places.unwrap_or((0.0, 1.0)),
        };
        let zoomed = self.kept.get::<Zoom>().and_then(|zoom| zoom.get(self.revision, &seen(&view)));
        Some(View { density: zoomed.unwrap_or(density), ..view })
    }

    /// Counts what is zoomed into anew, some milliseconds of it; says whether that is done.
    pub(crate) fn prepare_zoom(&mut self, look: &Look) -> bool {
        let mut zoom = std::mem::take(self.kept.of::<Zoom>());
        let shared = self.shared_trace();
        let done = shared.and_then(|trace| self.prepare_zoom_of(&mut zoom, look, &trace));
        self.kept.set(zoom);
        done.unwrap_or(true)
    }

    fn prepare_zoom_of(&self, zoom: &mut Zoom, look: &Look, trace: &Rc<Trace>) -> Option<bool> {
        let (analysis, all) = self.density()?;
        let view = self.density_view(look)?;
        let seen = seen(&view);
        if zoom.get(self.revision, &seen).is_some_and(|zoomed| zoomed.zoomed(&seen).is_none()) {
            return Some(true);
        }
        let window = all.zoomed(&seen)?;
        let derived = &self.derived;
        let input = derived.results.input(analysis, trace, &derived.timeline, &self.values);
        Some(zoom.prepare(self.revision, &window, all, (&input, trace)))
    }
}

/// Most columns of a course.
const COLUMNS: usize = 256;

fn course(view: &View) -> Course {
    let raster = Raster::new(view, COLUMNS, 1);
    let columns = 0..raster.grid.width;
    let (first, last) = raster.grid.clocks_of(view.density, 0);
    Course {
        from: first as f64 - view.axis.zero() as f64,
        step: (last - first) as f64 + 1.0,
        accesses: columns.clone().map(|column| raster.accesses(column)).collect(),
        working_set: columns.map(|column| raster.bytes(view.density, column)).collect(),
    }
}

/// The window that is seen.
fn seen(view: &View) -> Window {
    Window { clocks: view.seen_clocks(), addresses: view.seen_addresses() }
}

fn head(doc: &Document) -> Option<Head> {
    let (analysis, density) = doc.density()?;
    let axis = Axis::new(density, false);
    let (n, words) = (density.pages.len().max(1) as f64, density.order.words());
    let band = |(number, band): (u32, &Band)| {
        let from = density.pages.partition_point(|page| page.last < band.region.start);
        let own = density.pages.iter().enumerate().skip(from);
        let mut own = own.filter(|(_, page)| page.band == number).map(|(at, _)| at as f64);
        let first = own.next().unwrap_or(0.0);
        crate::views::density::messages::Band {
            name: band.region.name.clone(),
            detail: band.region.detail.clone(),
            bytes: band.region.bytes,
            accesses: band.accesses,
            start: band.region.start,
            places: (first / n, own.next_back().map_or(first + 1.0, |last| last + 1.0) / axis.len().max(1.0)),
        }
    };
    Some(Head {
        title: density.title.clone(),
        analysis: analysis.id.to_owned(),
        unit: density.unit.clone(),
        order: density.order,
        clocks: density.clocks,
        pages: density.per_page(|_| 1).len() as u64,
        page_bytes: density.page_bytes(),
        asked_bytes: 1 << density.asked,
        accesses: density.accesses,
        bands: (0..).zip(&density.bands).take(MAX_BANDS).map(band).collect(),
        // Two results have nothing in common in when they were recorded.
        facts: all_facts(density)
            .into_iter()
            .filter(|fact| fact.unit == Unit::None || fact.unit != density.unit)
            .filter(|fact| fact.name != words.first && fact.name != words.last)
            .collect(),
        notes: density.notes.clone(),
        denied: density.denied.map(|denied| denied.map(str::to_owned)),
    })
}

/// The cells of a window as a figure, without the values.
fn figure(view: &View, grid: &Grid, frame: &Frame) -> HeatMap {
    let density = view.density;
    let clock = |column: usize, is_end: bool| {
        let (from, to) = grid.clocks_of(density, column);
        if is_end { to as f64 + 1.0 } else { from as f64 }
    };
    HeatMap {
        x: figure::Axis {
            label: AxisLabel {
                name: density.order.words().axis.to_owned(),
                unit: density.order.position_unit(&density.unit),
                ..AxisLabel::default()
            },
            from: clock(0, false),
            to: clock(grid.width.max(1) - 1, true),
            names: Vec::new(),
        },
        y: figure::Axis {
            label: AxisLabel {
                name: phrase("pages, lowest address at the bottom").to_owned(),
                ..AxisLabel::default()
            },
            ..figure::Axis::default()
        },
        is_upward: true,
        width: grid.width as u32,
        height: grid.height as u32,
        shading: frame.shading,
        has_margins: true,
        ..HeatMap::default()
    }
}

/// The cells and where they are drawn.
fn laid_out(doc: &Document, view: &View, frame: &Frame, size: Size) -> (Grid, HeatMap) {
    // Names of bands decide how much room there is beside the map, and that how many cells.
    let mut picture = figure(view, &Grid::default(), frame);
    let language = doc.language();
    let bands = doc.density().map_or(&[][..], |(_, density)| &density.bands);
    let band = |band: &Band| figure::Band {
        name: band.region.name.text(language).into_owned(),
        detail: band.region.detail.clone(),
        start: 0,
        end: 0,
    };
    picture.bands = bands.iter().map(band).collect();
    picture.y.names = vec![address(view, view.seen_units().1)];
    let map = Layout::new(&picture, size, &FigureState::default()).map;
    let grid = Grid::new(view, (map.w / CELL_PX) as usize, (map.h / CELL_PX) as usize);
    let bands = picture.bands;
    let mut picture = figure(view, &grid, frame);
    picture.bands = bands;
    picture.y.names = (0..grid.height).map(|row| address(view, grid.units_of(row).0)).collect();
    (grid, picture)
}

/// The address at a place of the axis, as it stands beside it.
fn address(view: &View, unit: f64) -> String {
    format!("0x{:x}", view.axis.address(unit))
}

fn draw(doc: &mut Document, frame: &Frame, size: Size, palette: &Palette) -> (Scene, Note) {
    let look = DrawStyle { palette, language: doc.language() };
    let nothing = || (Scene::new(size), Note::default());
    let Some(view) = doc.density_view(&frame.look) else { return nothing() };
    let (grid, mut picture) = laid_out(doc, &view, frame, size);
    if grid.width == 0 || grid.height == 0 {
        return nothing();
    }
    let raster = Raster::of(&view, grid);
    (picture.values, picture.cell_bands) = (raster.cells, raster.cell_bands);
    for (band, rows) in picture.bands.iter_mut().zip(&raster.bands) {
        (band.start, band.end) = (rows.start as u32, rows.end as u32);
    }
    let map = Layout::new(&picture, size, &FigureState::default()).map;
    let pointer = frame.selected.and_then(|cell| place_of(&view, &grid, cell)).map(|(x, y)| {
        let share = |at: f64, n: usize| ((at + 0.5) / n.max(1) as f64) as f32;
        (map.x + share(x, grid.width) * map.w, map.bottom() - share(y, grid.height) * map.h)
    });
    let scene = heatmap::draw(&picture, size, &look, &FigureState { pointer, ..FigureState::default() });
    let page = view.axis.page_bytes() as f64;
    let words = look.tr(view.density.order.words().picture);
    let (from, to) = view.seen_clocks();
    let number = |n: u64| thousands(n);
    let alt = fill(
        words,
        &[
            ("n", &number(raster.sums.accesses)),
            ("m", &number(raster.sums.pages)),
            ("from", &number(from)),
            ("to", &number(to)),
        ],
    );
    let (first, last) = grid.clocks_of(view.density, 0);
    let note = Note { plot: map, cell: (last - first + 1, (grid.row_pages * page) as u64), alt };
    (scene, note)
}

/// Column and row of a clock and an address, where they are seen.
fn place_of(view: &View, grid: &Grid, (clock, address): (u64, u64)) -> Option<(f64, f64)> {
    let inside = |column: &usize| {
        let (from, to) = grid.clocks_of(view.density, *column);
        from <= clock && clock <= to
    };
    let column = (0..grid.width).find(inside)?;
    let unit = view.axis.unit(address)?;
    let row = (0..grid.height).find(|row| {
        let (from, to) = grid.units_of(*row);
        from <= unit && unit < to
    })?;
    Some((column as f64, row as f64))
}

fn under(doc: &Document, frame: &Frame, size: Size, at: Point) -> Option<Cell> {
    let view = doc.density_view(&frame.look)?;
    let (grid, picture) = laid_out(doc, &view, frame, size);
    let (column, row) = Layout::new(&picture, size, &FigureState::default()).cell(&picture, at)?;
    let (pages, sum) = grid.cell(&view, column, row);
    let (first, last) = (pages.first()?, pages.last()?);
    let (_, all) = doc.density()?;
    // Bands are numbered as those of all accesses are.
    let region = &view.density.bands.get(first.band as usize)?.region;
    let band = all.bands.iter().position(|band| band.region == *region)?;
    Some(Cell {
        band: band as u32,
        name: region.name.clone(),
        clocks: grid.clocks_of(view.density, column),
        addresses: (first.start, last.last),
        pages: pages.chunk_by(|a, b| a.number == b.number).count() as u64,
        accesses: u64::from(sum.n),
        blocks: view.density.has_blocks.then_some((sum.first, sum.last)),
    })
}

/// What this view answers and draws in the worker.
pub static ENGINES: &[Engine] =
    &[Engine::saves(&HEAT_MAP), Engine::answers::<DensityQuery>(), Engine::draws::<Frame>()];

impl Answers for DensityQuery {
    fn prepare(&self, doc: &mut Document) -> bool {
        let Self::Zoom(look) = self else { return true };
        doc.prepare_zoom(look)
    }

    fn answer(&self, doc: &mut Document, _: &[u8]) -> (Answer, Option<Vec<u8>>) {
        (Self::reply(&answer(doc, self)), None)
    }

    fn is_overtaken(&self, newer: &Self) -> bool {
        matches!((self, newer), (Self::Zoom(_), Self::Zoom(_)))
    }
}

impl Draws for Frame {
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Note) {
        draw(doc, self, size, palette)
    }

    fn headed(&self, doc: &mut Document, picture: Scene, _: Note) -> Scene {
        headed(doc, picture)
    }
}

// Accesses by page and clock as a heat map, with the tensors named at its left.

pub(crate) static HEAT_MAP: Picture =
    Picture { id: "heatmap", title: "Heat map", draw: heat_map, seen: None };

/// Height of the head.
const HEAD: f32 = 34.0;

fn heat_map(doc: &mut Document, size: Size, palette: &Palette) -> Result<Scene, String> {
    if doc.density().is_none() {
        return Err("No memory accesses with times in these files.".to_owned());
    }
    let body = Size { w: size.w, h: (size.h - HEAD).max(160.0) };
    let frame = Frame { shading: Shading::Quintiles, ..Frame::default() };
    let (picture, _) = doc.draw(&frame, body, palette);
    Ok(headed(doc, picture))
}

/// A heat map below its title.
pub(crate) fn headed(doc: &Document, picture: Scene) -> Scene {
    let mut scene = Scene::new(Size { w: picture.size.w, h: picture.size.h + HEAD });
    put(&mut scene, picture, Point { x: 0.0, y: HEAD });
    let title = doc.density().map(|(_, density)| density.title.text(doc.language()).into_owned());
    scene.text(Point { x: 16.0, y: 19.0 }, title.unwrap_or_default(), NAME, T1, Align::Left);
    scene
}
