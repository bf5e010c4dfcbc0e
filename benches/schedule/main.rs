//! How long a schedule of a million blocks takes to be arranged and drawn: `cargo bench --bench schedule`.

use divan::{Bencher, black_box};
use lanescope::base::geometry::Size;
use lanescope::base::job;
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::scene::palette::Palette;
use lanescope::views::schedule::compute::{self, Align, Gathered, Launch, Look, Part, Schedule};
use lanescope::views::schedule::scene::{Plot, UnitOrder, draw};

const BLOCKS: u32 = 1_000_000;
const SIZE: Size = Size { w: 1_140.0, h: 620.0 };

fn main() {
    divan::main();
}

/// Blocks on 132 units with eight resident on each.
fn gathered() -> Gathered {
    let mut gathered = Gathered::new(Launch { grid: [BLOCKS, 1, 1], has_units: true, ..Launch::default() });
    let (mut random, mut free) = (1_u64, [0_u64; 132 * 8]);
    for block in 0..BLOCKS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let lane = block as usize % free.len();
        let (start, elapsed) = (free[lane] + (random >> 60), 500 + (random >> 56));
        free[lane] = start + elapsed;
        let part = Part { number: 0, start, elapsed };
        gathered.push(block, lane as u32 % 132, None, &[part], false);
    }
    gathered
}

fn arranged(gathered: Gathered) -> Schedule {
    job::run(async |turn| compute::arrange(gathered, Align::First, &turn).await)
}

#[divan::bench]
fn arrange(bencher: Bencher) {
    bencher.with_inputs(gathered).bench_values(arranged);
}

#[divan::bench]
fn count_resident_blocks(bencher: Bencher) {
    let make = || arranged(gathered());
    bencher.with_inputs(make).bench_refs(|schedule| schedule.resident(Align::First).peak);
}

/// A frame of everything, and of a hundredth of the time.
#[divan::bench(args = [1, 100])]
fn frame(bencher: Bencher, zoom: u32) {
    let schedule = arranged(gathered());
    let origins = schedule.origins(Align::First);
    let plot = Plot {
        schedule: &schedule,
        look: Look::default(),
        origins: &origins,
        resident: schedule.resident(Align::First),
        window: Some((0.0, origins.length as f64 / f64::from(zoom))),
        range: None,
        scroll: 0.0,
        order: UnitOrder::default(),
        selected: Some(5),
    };
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    bencher.bench_local(|| black_box(draw(&plot, SIZE, &look)));
}
