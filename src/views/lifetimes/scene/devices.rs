//! Devices beside each other: area, refreshes and energy of each level, area and energy as multiples of the reference.

use super::{difference, ink_of};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::{MISSING, fixed};
use crate::base::words::phrase;
use crate::draw::style::{
    DrawStyle, HEAD, LABEL, LINE, LINE2, NAME, S2, T1, T2, T3, TEXT, compact, hairline,
};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, text};
use crate::views::lifetimes::compute::{DeviceFigures, Devices};

/// Bars end at so many times the reference; a cut shows what goes beyond.
const MOST: f64 = 2.0;
/// Height of a row, and room of names.
const ROW: Px = 24.0;
const NAMES: Px = 132.0;
/// Margin at the sides.
const EDGE: Px = 16.0;
/// Energy of refreshes.
pub(super) const REFRESH: Ink = Ink::Stop(crate::scene::palette::RampName::Heat, 4);

/// One level with its devices.
pub struct DevicePlot {
    pub name: String,
    /// What is counted of it, such as `one SM, 120 KB`.
    pub scope: String,
    /// The devices, then the mix.
    pub devices: Vec<Column>,
}

/// What a device takes for the data of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// Its color; none for the mix.
    pub ink: Option<Ink>,
    /// Area as a multiple of the reference's.
    pub area: Option<f64>,
    /// How often data are refreshed.
    pub refreshes: f64,
    /// Energy as a multiple of the reference's: of accesses, of refreshes; `None` where constants are missing.
    pub energy: Option<(f64, f64)>,
}

impl DevicePlot {
    /// A level with what each device takes for it, and the mix: area in µm², energy of accesses in fJ.
    pub fn new(
        (name, scope): (String, String),
        devices: &Devices,
        figures: &[DeviceFigures],
        mix: Option<(String, f64, Option<f64>)>,
    ) -> Self {
        let reference = devices.devices.iter().position(|device| device.is_reference).unwrap_or(0);
        let base = figures.get(reference).copied().unwrap_or_default();
        let area = |own: f64| (0.0 < base.area_um2).then(|| own / base.area_um2);
        let energy = base.energy_fj().filter(|energy| 0.0 < *energy);
        let column = |(row, own): (usize, &DeviceFigures)| Column {
            name: devices.devices.get(row).map_or(String::new(), |device| device.name.clone()),
            ink: Some(ink_of(devices, row)),
            area: area(own.area_um2),
            refreshes: own.refreshes,
            energy: energy
                .and_then(|base| Some(((own.read_fj? + own.write_fj?) / base, own.refresh_fj? / base))),
        };
        let mix = mix.map(|(name, um2, access)| Column {
            name,
            ink: None,
            area: area(um2),
            refreshes: 0.0,
            energy: energy.and_then(|base| Some((access? / base, 0.0))),
        });
        Self { name, scope, devices: figures.iter().enumerate().map(column).chain(mix).collect() }
    }
}

/// Draws it: one block for each level, below each other.
pub fn draw(levels: &[DevicePlot], size: Size, look: &DrawStyle) -> Scene {
    let mut scene = Scene::new(size);
    let has_energy = levels.iter().flat_map(|level| &level.devices).any(|device| device.energy.is_some());
    let is_scattered = has_energy && 720.0 < size.w;
    let w = if is_scattered { (size.w * 0.64).floor() } else { size.w };
    let mut y = 4.0;
    for level in levels {
        y = block(level, (w, y), has_energy, look, &mut scene) + 12.0;
    }
    if is_scattered {
        let n = levels.len().max(1) as Px;
        let h = (size.h / n).floor();
        for (at, level) in levels.iter().enumerate() {
            let rect = Rect::new(w + 56.0, at as Px * h + 24.0, size.w - w - 72.0, h - 56.0);
            scatter(level, rect, look, &mut scene);
        }
    }
    scene
}

/// A level: its heads and rows. Returns where it ends.
fn block(level: &DevicePlot, (w, y): (Px, Px), has_energy: bool, look: &DrawStyle, scene: &mut Scene) -> Px {
    let n = if has_energy { 3.0 } else { 2.0 };
    let column = ((w - 2.0 * EDGE - NAMES) / n).max(80.0);
    let x = |at: usize| EDGE + NAMES + column * at as Px;
    scene.text(Point { x: EDGE, y: y + 14.0 }, level.name.as_str(), NAME, T1, Align::Left);
    let after = EDGE + text::width(&level.name, NAME) + 6.0;
    let scope = text::cut_end(&level.scope, LABEL, (NAMES - after + EDGE - 6.0).max(8.0));
    scene.text(Point { x: after, y: y + 14.0 }, scope, LABEL, T3, Align::Left);
    let heads = [phrase("Area"), phrase("Refreshes"), phrase("Energy")];
    for (at, words) in heads.into_iter().take(n as usize).enumerate() {
        scene.text(Point { x: x(at), y: y + 14.0 }, look.tr(words), HEAD, T3, Align::Left);
    }
    let top = y + 20.0;
    scene.fill(Rect::new(EDGE, top, w - 2.0 * EDGE, 1.0), LINE);
    let most = level.devices.iter().map(|device| device.refreshes).fold(0.0, f64::max);
    for (row, device) in level.devices.iter().enumerate() {
        let y = top + 1.0 + ROW * row as Px;
        let middle = y + ROW / 2.0 + 4.0;
        if let Some(ink) = device.ink {
            let swatch = Rect::new(EDGE, y + 8.0, 8.0, 8.0);
            scene.shapes.push(Shape::Fill { rect: swatch, radius: 2.0, ink });
        }
        let name = text::cut_end(&device.name, TEXT, NAMES - 24.0);
        scene.text(Point { x: EDGE + 14.0, y: middle }, name, TEXT, T1, Align::Left);
        let bar = |at: usize| Rect::new(x(at), y + 8.0, (column - 84.0).max(8.0), 8.0);
        let number = |at: usize, words: String, ink: Ink, scene: &mut Scene| {
            scene.text(Point { x: x(at) + column - 16.0, y: middle }, words, TEXT, ink, Align::Right);
        };
        relative(bar(0), [(device.area.unwrap_or(0.0), device.ink.unwrap_or(T3))], look, scene);
        number(0, device.area.map_or(MISSING.to_owned(), |area| difference(area).0), T2, scene);
        let share = if most == 0.0 { 0.0 } else { device.refreshes.ln_1p() / most.ln_1p() };
        let own = bar(1);
        scene.fill(own, S2);
        scene.fill(Rect::new(own.x, own.y, own.w * share as Px, own.h), REFRESH);
        number(1, compact(device.refreshes), if device.refreshes == 0.0 { T3 } else { T2 }, scene);
        if has_energy {
            let (access, refresh) = device.energy.unwrap_or_default();
            if device.energy.is_some() {
                relative(bar(2), [(access, T3), (refresh, REFRESH)], look, scene);
            }
            let words = device.energy.map_or(MISSING.to_owned(), |(a, b)| difference(a + b).0);
            number(2, words, if device.energy.is_some() { T2 } else { T3 }, scene);
        }
    }
    top + 1.0 + ROW * level.devices.len() as Px
}

/// Parts of a bar that ends at [`MOST`] times the reference, whose place is marked.
fn relative<const N: usize>(rect: Rect, parts: [(f64, Ink); N], look: &DrawStyle, scene: &mut Scene) {
    scene.fill(rect, S2);
    let place = |value: f64| rect.x + (value / MOST).clamp(0.0, 1.0) as Px * rect.w;
    let mut sum = 0.0;
    for (value, ink) in parts {
        let (from, to) = (place(sum), place(sum + value));
        sum += value;
        let ink = if ink == T3 { look.faded(T3, 0.5) } else { ink };
        scene.fill(Rect::new(from, rect.y, to - from, rect.h), ink);
    }
    if MOST < sum {
        let x = rect.right() - 10.0;
        let points = [(2.0, -1.0), (5.0, -1.0), (3.0, rect.h + 1.0), (0.0, rect.h + 1.0)];
        let points = points.map(|(dx, dy)| Point { x: x + dx, y: rect.y + dy });
        scene.shapes.push(Shape::Polygon { points: points.into(), ink: crate::draw::style::S0 });
    }
    scene.fill(Rect::new(place(1.0).round(), rect.y - 4.0, 1.0, rect.h + 8.0), T2);
}

/// Energy upwards, area to the right, both as multiples of the reference.
fn scatter(level: &DevicePlot, rect: Rect, look: &DrawStyle, scene: &mut Scene) {
    if rect.h < 60.0 || rect.w < 60.0 {
        return;
    }
    let place = |value: f64| (value / MOST).clamp(0.0, 1.0) as Px;
    let at = |area: f64, energy: f64| Point {
        x: rect.x + place(area) * rect.w,
        y: rect.bottom() - place(energy) * rect.h,
    };
    let corner = at(1.0, 1.0);
    scene.line(Point { x: rect.x, y: corner.y }, Point { x: rect.right(), y: corner.y }, hairline(LINE));
    scene.line(Point { x: corner.x, y: rect.y }, Point { x: corner.x, y: rect.bottom() }, hairline(LINE));
    scene.line(
        Point { x: rect.x, y: rect.bottom() },
        Point { x: rect.right(), y: rect.bottom() },
        hairline(LINE2),
    );
    scene.line(Point { x: rect.x, y: rect.y }, Point { x: rect.x, y: rect.bottom() }, hairline(LINE2));
    for value in [0.0, 1.0, 2.0] {
        let words = format!("{}×", fixed(value, 0));
        let x = rect.x + place(value) * rect.w;
        let y = rect.bottom() - place(value) * rect.h + 4.0;
        scene.text(Point { x, y: rect.bottom() + 14.0 }, words.as_str(), LABEL, T3, Align::Middle);
        scene.text(Point { x: rect.x - 6.0, y }, words, LABEL, T3, Align::Right);
    }
    let end = Point { x: rect.right(), y: rect.bottom() + 28.0 };
    scene.text(end, look.tr(phrase("Area")), LABEL, T3, Align::Right);
    let words = format!("{} {}", level.name, look.tr(phrase("Energy")));
    scene.text(Point { x: rect.x, y: rect.y - 8.0 }, words, LABEL, T3, Align::Left);
    for device in &level.devices {
        let (Some(area), Some((access, refresh))) = (device.area, device.energy) else { continue };
        let point = at(area, access + refresh);
        super::bars::dot(point, 4.0, device.ink.unwrap_or(T1), scene);
        let is_right = point.x + 80.0 < rect.right();
        let (x, align) = if is_right { (point.x + 8.0, Align::Left) } else { (point.x - 8.0, Align::Right) };
        scene.text(Point { x, y: point.y + 4.0 }, device.name.as_str(), LABEL, T2, align);
    }
}
