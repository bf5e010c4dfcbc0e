//! Journeys through the built page in the engine that `LANESCOPE_ENGINE` names: a profile of each system is opened, zoomed,
//! selected in, exported, compared, and opened again without a network.

mod stage;
mod steps;

use std::path::{Path, PathBuf};

use lanescope_browser::engine::Engine;
use lanescope_browser::{Outcome, Page, journey_in};
use xtask::server::Offer;

use crate::stage::{SCHEDULE, Stage, TIMELINE, TRACE};

/// A profile of a system, and another one that it is compared with.
struct Profile {
    /// Below `samples/` of the page.
    sample: &'static str,
    /// Below `tests/fixtures`: a file, or a folder that is served as an archive.
    baseline: &'static str,
    /// The view that it is walked through in.
    stage: &'static Stage,
}

impl Profile {
    /// Where the other one is served, and from where.
    fn offer(&self) -> Offer {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(self.baseline);
        Offer { address: self.baseline_address(), source }
    }

    fn baseline_address(&self) -> String {
        let path = PathBuf::from(self.baseline);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let end = if name.contains('.') { "" } else { ".tar" };
        format!("_files/baseline/{name}{end}")
    }

    /// Everything that is done with it.
    fn walk(&self) {
        journey_in(Engine::asked(), vec![self.offer()], async |page| self.walk_in(page).await);
    }

    async fn walk_in(&self, page: &Page) -> Outcome {
        let opened = format!("?open=samples/{}", self.sample);
        page.open(&opened).await?;
        steps::first_pictures(page).await?;
        steps::views(page).await?;
        steps::to_stage(page, self.stage).await?;
        steps::select(page, self.stage).await?;
        steps::zoom(page, self.stage).await?;
        steps::export(page, self.stage).await?;
        page.open(&format!("{opened}&baseline={}#view=overview", self.baseline_address())).await?;
        steps::compared(page, self.stage).await?;
        steps::until_kept(page).await?;
        page.go_offline().await?;
        page.open(&format!("{opened}&again")).await?;
        steps::first_pictures(page).await?;
        steps::views(page).await
    }
}

#[test]
fn ascend() {
    let baseline = "msinsight/simulator/visualize_data.bin";
    Profile { sample: "flash_attention.bin", baseline, stage: &TIMELINE }.walk();
}

#[test]
fn nnapi() {
    Profile { sample: "nnapi.txt.gz", baseline: "systrace/marks/trace.txt", stage: &TIMELINE }.walk();
}

#[test]
fn instrumentation() {
    let baseline = "accelsim/folder/kernel-1.traceg";
    Profile { sample: "tile_product.traceg.gz", baseline, stage: &TRACE }.walk();
}

#[test]
fn gainsight() {
    Profile { sample: "lifetimes.log.gz", baseline: "gpgpusim/plain/run.log", stage: &TIMELINE }.walk();
}

#[test]
fn neutrino() {
    let baseline = "neutrino/whole/Nov21_001721_4711";
    Profile { sample: "probes.zip", baseline, stage: &SCHEDULE }.walk();
}

#[test]
fn trace_event() {
    let baseline = "trace_event/pytorch_like/trace.json";
    Profile { sample: "training_step.json", baseline, stage: &TIMELINE }.walk();
}
