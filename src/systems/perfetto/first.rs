//! The first pass over a trace: names, clocks, descriptions of tracks, and who has to do with NNAPI.

use super::clock::Clocks;
use super::ftrace::{Described, Event, mark_of};
use super::names::Names;
use super::packet::messages::{Bundle, TrackDescriptor};
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
    pub(crate) events: Described,
}

impl Default for First {
    fn default() -> Self {
        Self {
            signs: SIGNS.map(Finder::new),
            survey: Survey::default(),
            names: Names::default(),
            clocks: Clocks::default(),
            tracks: Descriptors::default(),
            events: Described::default(),
        }
    }
}

impl First {
    /// Looks at a packet. Tells what is wrong with names; all else is said in the second pass.
    pub(crate) fn packet(&mut self, packet: &Packet) -> Result<(), String> {
        match packet.data.as_ref().map_or(0, |(number, _)| *number) {
            number::FTRACE => self.bundle(&packet.message().0),
            number::TRACK => {
                let said: TrackDescriptor = packet.message().0;
                self.tracks.learn(&said, &mut self.names);
            }
            number::CLOCK_SNAPSHOT => self.clocks.learn(&packet.message().0, packet.sequence),
            number::REMOTE_CLOCKS => self.clocks.learn_remote(&packet.message().0),
            number::THREAD => _ = self.tracks.thread(&packet.message().0, &mut self.names),
            number::GENERIC_TASK => self.names.task(&packet.message().0),
            number::PROCESS_TREE => {
                let (tree, said) = packet.message();
                self.names.tree(&tree);
                return said;
            }
            number::PROCESS => {
                let (process, said) = packet.message();
                self.tracks.process(&process, None, &mut self.names);
                return said;
            }
            number::GENERIC_TREE => {
                let (tree, said) = packet.message();
                self.names.generic_tree(&tree);
                return said;
            }
            number::GENERIC_RENAME => {
                let (task, said) = packet.message();
                self.names.rename(&task);
                return said;
            }
            _ => {}
        }
        Ok(())
    }

    fn bundle(&mut self, bundle: &Bundle) {
        bundle.descriptors.iter().for_each(|said| self.events.learn(said));
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
