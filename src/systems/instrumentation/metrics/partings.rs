//! Behind which jumps lanes are idle.
//!
//! Lanes that ran the row before and do not run this one left at the jump in front of it; where a jump has a predicate, its
//! own row shows only the lanes that take it. When others of these lanes come back in their place, the way changed: those
//! that wait now parted from them at the same jump. A lane that a predicate switches off, and one that never began, is
//! behind no jump.

/// What is counted of the rows of a launch, thread by thread.
#[derive(Clone, Debug, Default)]
pub struct Partings {
    /// By row of the instruction: rows of lanes that are idle since they left there.
    behind: Vec<u64>,
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
        if let Some((last, lanes, has_jumped)) = self.before.filter(|(_, lanes, _)| *lanes != mask) {
            let (left, back) = (lanes & !mask, mask & !lanes);
            let came = self.waiting.iter().rev().find(|(_, lanes)| lanes & back != 0).map(|(at, _)| *at);
            self.waiting.iter_mut().for_each(|(_, lanes)| *lanes &= !mask);
            self.waiting.retain(|(_, lanes)| *lanes != 0);
            let jump = came.or(jumps.then_some(instruction)).or(has_jumped.then_some(last));
            match (jump, self.waiting.last_mut()) {
                (Some(jump), Some((at, lanes))) if *at == jump => *lanes |= left,
                (Some(jump), _) if left != 0 => self.waiting.push((jump, left)),
                _ => {}
            }
        }
        for (at, lanes) in &self.waiting {
            if self.behind.len() <= *at {
                self.behind.resize(at + 1, 0);
            }
            if let Some(n) = self.behind.get_mut(*at) {
                *n += u64::from(lanes.count_ones());
            }
        }
        self.before = Some((instruction, mask, jumps));
    }

    /// What was counted, by row of the instruction; the rest are 0.
    pub fn finish(self) -> Vec<u64> {
        self.behind
    }
}
