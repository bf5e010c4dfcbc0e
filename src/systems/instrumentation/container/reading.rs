//! Reads a container: its manifest, then launch by launch.

use super::buffer::Uses;
use super::checks::{Said, Spot, plans};
use super::launch::{Pass, Run};
use super::manifest::{Manifest, NAME};
use super::member::{Member, Text};
use super::{Records, role};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::{Bundle, EntryId, json, limits};
use crate::model::code::CodeScope;
use crate::views::executions::compute::{Absent, ExecutionRows, Launch, Recorded};
use crate::views::plan::compute::{KernelPlan, PlanInput};
use std::cell::RefCell;
use std::rc::Rc;

/// What is being read.
enum ContainerStage {
    /// The manifest; whether it was asked for.
    Manifest(bool),
    Begin(usize),
    Run(Box<Run>, KernelPlan, bool),
    Done,
}

/// A container that is being read.
pub(super) struct Container {
    /// The manifest, and all other files.
    manifest: Option<EntryId>,
    files: Vec<EntryId>,
    text: Vec<u8>,
    parsed: Rc<Manifest>,
    /// Row of the first program in what is recorded.
    first_program: usize,
    stage: ContainerStage,
}

impl Container {
    pub(super) fn new(claim: &Claim) -> Self {
        let manifest = claim.entries.iter().find(|(_, role)| *role == role::MANIFEST).map(|(id, _)| *id);
        Self {
            manifest,
            files: claim.entries.iter().map(|(id, _)| *id).filter(|id| Some(*id) != manifest).collect(),
            text: Vec::new(),
            parsed: Rc::default(),
            first_program: 0,
            stage: ContainerStage::Manifest(false),
        }
    }

    fn path<'a>(&self, bundle: &'a Bundle) -> &'a str {
        self.manifest.and_then(|id| bundle.get(id)).map_or("", |entry| entry.path.as_str())
    }

    fn entry(&self) -> EntryId {
        self.manifest.unwrap_or(EntryId(u32::MAX))
    }

    /// Reads the manifest, its programs, and plans of kernels that nobody launched.
    fn parse(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let path = self.path(bundle);
        let text = std::mem::take(&mut self.text);
        let (tree, errors) = json::parse(&text, 0);
        for error in errors.iter().take(limits::FAULTS_OF_A_KIND) {
            let kind =
                Kind::Unexpected { expected: error.expected.into(), found: error.found.clone().into() };
            let fault = Fault::new("GMT-JSON", Severity::Loss, Place::byte(path, error.at), kind);
            sink.fault(fault.note(phrase("The content there is left out.")));
        }
        let manifest = {
            let sink = RefCell::new(&mut *sink);
            let text = Text { path, bytes: &text, say: &|fault| sink.borrow_mut().fault(fault) };
            Manifest::of(&Member::root(&tree, &text))
        };
        drop(tree);
        check_version(&manifest, path, sink)?;
        let trace = sink.builder.head();
        self.first_program = trace.extensions.get_or_default::<Recorded>().programs.len();
        let entry = self.entry().0;
        for (row, kernel) in manifest.kernels.iter().enumerate() {
            let name = sink.builder.intern(&kernel.name);
            let trace = sink.builder.head();
            let scope = CodeScope { kernel: name, ..CodeScope::default() };
            let listing = super::program_list(kernel, entry, scope, trace);
            let program = super::program(kernel, entry, listing);
            trace.extensions.get_or_default::<Recorded>().programs.push(program);
            if manifest.dispatches.iter().all(|dispatch| manifest.kernel_row(dispatch.kernel) != Some(row)) {
                let mut plan = plans::of_kernel(&manifest, row, entry);
                plan.program = u32::try_from(self.first_program + row).ok();
                trace.extensions.get_or_default::<PlanInput>().kernels.push(plan);
            }
        }
        self.parsed = Rc::new(manifest);
        Ok(())
    }

    /// Begins a launch.
    fn begin(&self, dispatch: usize, bundle: &Bundle) -> Option<ContainerStage> {
        let manifest = &self.parsed;
        let launched = manifest.dispatches.get(dispatch)?;
        let entry = self.entry();
        let spot = Spot { entry: (entry, self.path(bundle)), byte: None };
        let mut said = Said::default();
        let Some(kernel) = manifest.kernel_row(launched.kernel) else {
            said.say(("GMT-KERN", Severity::Loss), None, spot, || {
                let text = message("launch {id} is of kernel {kernel}, which is not in the manifest");
                let text = text.with("id", launched.id).with("kernel", launched.kernel);
                (text, phrase("The launch is not shown.").into())
            });
            let run = Run::new(Rc::clone(manifest), dispatch, usize::MAX, Uses::default(), said);
            return Some(ContainerStage::Run(Box::new(run), KernelPlan::default(), false));
        };
        let shapes = if launched.buffers.is_empty() {
            vec![None; manifest.types.len()]
        } else {
            super::opened_shapes(&manifest.types, &mut said, spot)
        };
        let files = (bundle, self.files.as_slice());
        let mut uses = super::opened_buffers(manifest, dispatch, files, &shapes, (&mut said, spot));
        super::check_runs(&mut uses, manifest, &mut said);
        let mut plan = plans::of_kernel(manifest, kernel, entry.0);
        plan.program = u32::try_from(self.first_program + kernel).ok();
        if 1 < manifest.dispatches.iter().filter(|other| other.kernel == launched.kernel).count() {
            plan.name = format!("{} #{}", plan.name, launched.id);
        }
        let mut run = Run::new(Rc::clone(manifest), dispatch, kernel, uses, said);
        run.shapes = shapes;
        run.begin();
        Some(ContainerStage::Run(Box::new(run), plan, true))
    }

    /// Ends a launch: its plan, its checks, and what its threads ran.
    fn finish(&self, mut run: Run, mut plan: KernelPlan, is_known: bool, bundle: &Bundle, sink: &mut Sink) {
        let manifest = Rc::clone(&self.parsed);
        if let Some(dispatch) = manifest.dispatches.get(run.dispatch).filter(|_| is_known) {
            let spot = Spot { entry: (self.entry(), self.path(bundle)), byte: None };
            let is_flow = run.order.is_some_and(|(_, is_flow)| is_flow);
            let counts = if is_flow { run.counts.as_slice() } else { &[] };
            plans::add_counts(&mut plan, &manifest, dispatch, run.kernel, counts);
            plans::check_size(&mut plan, &mut run.said, spot);
            plans::check_use(&mut run, &plan, spot);
            plan.checks = plans::checks(&run, &plan);
            let each =
                |of: Option<usize>| of.and_then(|of| run.shapes.get(of)?.as_ref()).map_or(0, |s| s.bytes);
            let buffers = run.uses.0.iter().map(|buffer| plans::of_buffer(buffer, each(buffer.of) as u64));
            plan.buffers = buffers.collect();
            let extensions = &mut sink.builder.head().extensions;
            extensions.get_or_default::<PlanInput>().kernels.push(plan);
        }
        run.said.tell(sink);
        if let Some(launch) = self.launch(run) {
            sink.builder.head().extensions.get_or_default::<Recorded>().launches.push(launch);
        }
    }

    /// What the threads of a launch ran.
    fn launch(&self, run: Run) -> Option<Launch> {
        let has_block_masks = run.has_block_masks();
        let Pass::End(attaching) = run.pass else { return None };
        let manifest = &run.manifest;
        let dispatch = manifest.dispatches.get(run.dispatch)?;
        let (mut threads, executions, places) = attaching.finish().split();
        threads.naming = super::program_naming(manifest, run.dispatch);
        let (of, is_flow) = run.order?;
        let order = manifest.types.get(of).map(|of| match of.kind_name.as_str() {
            "" => of.name.clone(),
            kind => kind.to_owned(),
        });
        let mut facts = manifest.facts.clone();
        facts.push((phrase("Run").to_owned(), dispatch.run.to_string()));
        if !manifest.threads.label.is_empty() {
            facts.push((phrase("Thread").to_owned(), manifest.threads.label.clone()));
        }
        let has_more = run.uses.0.iter().any(|buffer| buffer.is_read && (!is_flow || buffer.of != Some(of)));
        let records = Records { places, uses: run.uses, shapes: run.shapes };
        Some(Launch {
            program: u32::try_from(self.first_program + run.kernel).ok()?,
            name: format!("dispatch {}", dispatch.id),
            entry: self.entry().0,
            grid: dispatch.grid,
            group: dispatch.group,
            facts,
            threads,
            executions,
            rows: has_more.then(|| Box::new(records) as Box<dyn ExecutionRows>),
            order_from: order.filter(|_| !is_flow),
            has_block_masks,
            active_lanes: None,
            is_of_lanes: false,
            absent: Absent::default(),
        })
    }
}

/// Refuses other formats and versions.
fn check_version(manifest: &Manifest, path: &str, sink: &mut Sink) -> Result<(), Fault> {
    if manifest.format != NAME {
        let found = excerpt(manifest.format.as_bytes());
        let kind =
            Kind::Unexpected { expected: phrase("the format gpu-multitrace").into(), found: found.into() };
        return Err(Fault::new("GMT-MANI", Severity::Fatal, Place::entry(path), kind));
    }
    let (major, minor) = manifest.version.split_once('.').unwrap_or((&manifest.version, "0"));
    let unsupported = |what: &'static str, version: &str| {
        let kind = Kind::Unsupported { what: message(what), version: version.to_owned() };
        Fault::new("GMT-VERS", Severity::Fatal, Place::entry(path), kind)
    };
    if major.parse() != Ok(1_u32) && !manifest.version.is_empty() {
        return Err(unsupported(phrase("GPU multi-trace container"), &manifest.version));
    }
    if !matches!(manifest.endian.as_str(), "" | "little") {
        return Err(unsupported(phrase("byte order other than little-endian"), ""));
    }
    if minor.parse::<u32>().is_ok_and(|minor| 0 < minor) || manifest.version.is_empty() {
        let text = message("the version is {version}, Lanescope supports 1.0");
        let kind = Kind::Problem(text.with("version", excerpt(manifest.version.as_bytes())));
        let fault = Fault::new("GMT-VERS", Severity::Note, Place::entry(path), kind);
        sink.fault(fault.note(phrase("Anything not in 1.0 is left out.")));
    }
    Ok(())
}

impl Reading for Container {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        sink.step = "Reading";
        match std::mem::replace(&mut self.stage, ContainerStage::Done) {
            ContainerStage::Manifest(false) => {
                let Some(entry) = self.manifest else {
                    let path =
                        self.files.first().and_then(|id| bundle.get(*id)).map_or("", |e| e.path.as_str());
                    let kind = Kind::Problem(message("the manifest.json of the buffers is missing"));
                    let fault = Fault::new("GMT-MANI", Severity::Fatal, Place::entry(path), kind);
                    return Err(fault.note(phrase("Without it, the records cannot be interpreted.")));
                };
                self.stage = ContainerStage::Manifest(true);
                let len = bundle.get(entry).map_or(0, |entry| entry.source.len());
                return Ok(Want::Stream { entry, range: 0..len.min(limits::TREE_BYTES) });
            }
            ContainerStage::Manifest(true) => {
                self.parse(bundle, sink)?;
                self.stage = ContainerStage::Begin(0);
            }
            ContainerStage::Begin(dispatch) => match self.begin(dispatch, bundle) {
                Some(stage) => self.stage = stage,
                None => return Ok(Want::Done),
            },
            ContainerStage::Run(mut run, plan, is_known) => {
                run.end_stream();
                if let Some(want) = run.next() {
                    self.stage = ContainerStage::Run(run, plan, is_known);
                    return Ok(want);
                }
                self.stage = ContainerStage::Begin(run.dispatch + 1);
                self.finish(*run, plan, is_known, bundle, sink);
            }
            ContainerStage::Done => return Ok(Want::Done),
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        match &mut self.stage {
            ContainerStage::Manifest(_) => self.text.extend_from_slice(chunk),
            ContainerStage::Run(run, ..) => run.feed(chunk),
            _ => {}
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        match &self.stage {
            ContainerStage::Run(run, ..) => run.position(),
            _ => Some((self.manifest?, self.text.len() as u64)),
        }
    }
}
