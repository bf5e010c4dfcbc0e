//! The first pass over a trace: names, clocks, descriptions of tracks, and who has to do with NNAPI.

use super::clock::Clocks;
use super::ftrace::{Event, mark_of};
use super::names::Names;
use super::packet::messages::{
    Bundle, ClockSnapshot, GenericRename, GenericTask, GenericTree, ProcessDescriptor, ProcessTree,
    ThreadDescriptor, TrackDescriptor,
};
use super::packet::{Packet, number};
use super::track::Descriptors;
use crate::systems::android::systrace::survey::{SIGNS, Survey};
use memchr::memmem::Finder;

/// What the first pass finds out.
pub(crate) struct First {
    signs: [Finder<'static>; SIGNS.len()],
    pub(crate) survey: Survey,
    pub(crate) names: Names,
    pub(crate) clocks: Clocks,
    pub(crate) tracks: Descriptors,
}

impl Default for First {
    fn default() -> Self {
        Self {
            signs: SIGNS.map(Finder::new),
            survey: Survey::default(),
            names: Names::default(),
            clocks: Clocks::default(),
            tracks: Descriptors::default(),
        }
    }
}

impl First {
    /// Looks at a packet. What is wrong with it is said in the second pass.
    pub(crate) fn packet(&mut self, packet: &Packet) {
        if let Some(Ok(bundle)) = packet.message::<Bundle>(number::FTRACE) {
            self.bundle(&bundle);
        } else if let Some(Ok(said)) = packet.message::<TrackDescriptor>(number::TRACK) {
            self.tracks.learn(&said, &mut self.names);
        } else if let Some(Ok(snapshot)) = packet.message::<ClockSnapshot>(number::CLOCK_SNAPSHOT) {
            self.clocks.learn(&snapshot, packet.sequence);
        } else if let Some(Ok(tree)) = packet.message::<ProcessTree>(number::PROCESS_TREE) {
            self.names.tree(&tree);
        } else if let Some(Ok(said)) = packet.message::<ThreadDescriptor>(number::THREAD) {
            self.tracks.thread(&said, &mut self.names);
        } else if let Some(Ok(said)) = packet.message::<ProcessDescriptor>(number::PROCESS) {
            self.tracks.process(&said, None, &mut self.names);
        } else if let Some(Ok(tree)) = packet.message::<GenericTree>(number::GENERIC_TREE) {
            self.names.generic_tree(&tree);
        } else if let Some(Ok(task)) = packet.message::<GenericRename>(number::GENERIC_RENAME) {
            self.names.rename(&task);
        } else if let Some(Ok(task)) = packet.message::<GenericTask>(number::GENERIC_TASK) {
            self.names.task(&task);
        }
    }

    fn bundle(&mut self, bundle: &Bundle) {
        for event in bundle.event.iter().filter_map(|event| Event::read(event).ok()) {
            self.names.event(&event);
            let Some(mark) = mark_of(&event, |_| String::new()).filter(|_| event.kind == Event::PRINT) else {
                continue;
            };
            let is_begin_or_end = matches!(mark.first(), Some(b'B' | b'E'));
            if is_begin_or_end && self.signs.iter().any(|sign| sign.find(&mark).is_some()) {
                // The tree may come later; the mark names the process as well.
                self.survey.row(&event.pid.to_string(), "", &String::from_utf8_lossy(&mark));
            }
        }
        if let Some(compact) = &bundle.compact {
            self.names.compact(compact);
        }
    }
}
