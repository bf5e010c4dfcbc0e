//! Starts the worker that owns one document, and says which systems are loaded when their files are recognized.

#[cfg(target_arch = "wasm32")]
#[allow(clippy::unnecessary_wraps)] // loading a part can fail, what is in it cannot
mod parts {
    use lanescope::engine::worker::{Loaded, LoadedViews, Parts};
    use lanescope::systems::{CORE, System};
    use lanescope::systems::{android, ascend, dataset, gainsight, instrumentation, neutrino, perfetto};
    use lanescope::views::{self, Part};
    use wasm_split_helpers::wasm_split;

    pub(crate) static PARTS: Parts = Parts {
        // In the order of `systems::PARTS`.
        systems: [
            || Box::pin(operators()),
            || Box::pin(std::future::ready(Ok(CORE))),
            || Box::pin(devices()),
            || Box::pin(probes()),
            || Box::pin(lifetimes()),
            || Box::pin(tables()),
        ],
        views: |part| match part {
            Part::Code => Box::pin(code()),
            Part::Figures => Box::pin(figures()),
            Part::Planes => Box::pin(planes()),
            Part::Timeline => Box::pin(timeline()),
            Part::Overview => Box::pin(overview()),
        },
    };

    #[wasm_split(code, fallible)]
    fn code() -> LoadedViews {
        Ok((views::CODE, None))
    }

    #[wasm_split(figures, fallible)]
    fn figures() -> LoadedViews {
        Ok((views::FIGURES, Some(&lanescope::engine::DESK)))
    }

    #[wasm_split(planes, fallible)]
    fn planes() -> LoadedViews {
        Ok((views::PLANES, None))
    }

    #[wasm_split(timeline, fallible)]
    fn timeline() -> LoadedViews {
        Ok((views::TIMELINE, None))
    }

    #[wasm_split(overview, fallible)]
    fn overview() -> LoadedViews {
        Ok((views::OVERVIEW, None))
    }

    #[wasm_split(operators, fallible)]
    fn operators() -> Loaded {
        static ALL: [&System; 1] = [&ascend::SYSTEM];
        Ok(&ALL)
    }

    #[wasm_split(devices, fallible)]
    fn devices() -> Loaded {
        static ALL: [&System; 2] = [&android::SYSTEM, &perfetto::SYSTEM];
        Ok(&ALL)
    }

    #[wasm_split(probes, fallible)]
    fn probes() -> Loaded {
        static ALL: [&System; 2] = [&neutrino::SYSTEM, &instrumentation::SYSTEM];
        Ok(&ALL)
    }

    #[wasm_split(lifetimes, fallible)]
    fn lifetimes() -> Loaded {
        static ALL: [&System; 1] = [&gainsight::SYSTEM];
        Ok(&ALL)
    }

    #[wasm_split(tables, fallible)]
    fn tables() -> Loaded {
        static ALL: [&System; 1] = [&dataset::SYSTEM];
        Ok(&ALL)
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::engine::worker::start(&parts::PARTS);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
