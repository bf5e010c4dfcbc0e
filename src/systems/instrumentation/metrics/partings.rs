//! Behind which jumps lanes are idle.
//!
//! Lanes that ran the row before and do not run this one left at the jump in front of it; where a jump has a predicate, its
//! own row shows only the lanes that take it, and the others are not idle at it. When others of these lanes come back in their place, the way changed: those
//! that wait now parted from them at the same jump. A lane that a predicate switches off, and one that never began, is
//! behind no jump.

/// What is counted of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parted {
    /// Rows of lanes that are idle since they left there.
    pub behind: u64,
    /// Its rows that show only the lanes that take a jump, and those lanes: the others are there and go on.
    pub taken: u64,
    pub taken_lanes: u64,
}

/// What is counted of the rows of a launch, thread by thread.
#[derive(Clone, Debug, Default)]
pub struct Partings {
    /// By row of the instruction.
    counts: Vec<Parted>,
    /// Jumps behind which lanes wait now, with these lanes.
    waiting: Vec<(usize, u32)>,
    /// The row before: instruction, lanes, whether lanes may part there.
    before: Option<(usize, u32, bool)>,
}

impl Partings {
    /// The next thread begins, or what lanes did is not known.
    pub fn begin(&mut self) {
        (self.before, self.waiting) = (None, Vec::new());
    }

    /// A row: its instruction, its lanes, whether lanes may part at it.
    pub fn row(&mut self, instruction: usize, mask: u32, jumps: bool) {
        if mask == 0 {
            // Where no lane takes a jump, which lanes are there is as it was.
            let before = self.before.filter(|_| jumps);
            self.before = before.map(|(_, mask, _)| (instruction, mask, jumps)).or(self.before);
            return;
        }
        let mut takes = false;
        if let Some((last, lanes, has_jumped)) = self.before.filter(|(_, lanes, _)| *lanes != mask) {
            let (left, back) = (lanes & !mask, mask & !lanes);
            let came = self.waiting.iter().rev().find(|(_, lanes)| lanes & back != 0).map(|(at, _)| *at);
            self.waiting.iter_mut().for_each(|(_, lanes)| *lanes &= !mask);
            self.waiting.retain(|(_, lanes)| *lanes != 0);
            takes = came.is_none() && jumps && left != 0;
            let jump = came.or(jumps.then_some(instruction)).or(has_jumped.then_some(last));
            match (jump, self.waiting.last_mut()) {
                (Some(jump), Some((at, lanes))) if *at == jump => *lanes |= left,
                (Some(jump), _) if left != 0 => self.waiting.push((jump, left)),
                _ => {}
            }
        }
        if takes {
            Self::count(&mut self.counts, instruction, |of| {
                (of.taken, of.taken_lanes) = (of.taken + 1, of.taken_lanes + u64::from(mask.count_ones()));
            });
        } else {
            for (at, lanes) in &self.waiting {
                Self::count(&mut self.counts, *at, |of| of.behind += u64::from(lanes.count_ones()));
            }
        }
        self.before = Some((instruction, mask, jumps));
    }

    fn count(counts: &mut Vec<Parted>, instruction: usize, add: impl Fn(&mut Parted)) {
        if counts.len() <= instruction {
            counts.resize(instruction + 1, Parted::default());
        }
        counts.get_mut(instruction).into_iter().for_each(add);
    }

    /// What was counted, by row of the instruction; the rest are 0.
    pub fn finish(self) -> Vec<Parted> {
        self.counts
    }
}
