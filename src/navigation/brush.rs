//! Dragging on a strip that shows everything: a frame marks what is seen; it is moved, resized, or drawn anew. All places
//! are shares of the width.

/// What a pointer that went down is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// Moving the frame, whose middle is so far from the pointer.
    Move(f64),
    /// Drawing a frame from here: a new one, or one of which an edge is dragged.
    Draw(f64),
}

impl Grip {
    /// What a pointer that goes down here does; within `near` of an edge it has that edge. Without a frame everything is
    /// seen.
    pub fn of(at: f64, frame: Option<(f64, f64)>, near: f64) -> Self {
        let Some((from, to)) = frame else { return Self::Draw(at) };
        // A frame as narrow as both grips is moved.
        let edge = near.min((to - from) / 3.0);
        match at {
            at if (at - from).abs() < edge || (from - near < at && at < from) => Self::Draw(to),
            at if (at - to).abs() < edge || (to < at && at < to + near) => Self::Draw(from),
            at if from < at && at < to => Self::Move(f64::midpoint(from, to) - at),
            at => Self::Draw(at),
        }
    }

    /// The frame when the pointer is here; `None` while a frame is narrower than `least`. Frames that are moved keep their
    /// width and stay inside.
    pub fn frame(self, at: f64, frame: Option<(f64, f64)>, least: f64) -> Option<(f64, f64)> {
        match self {
            Self::Move(off) => {
                let (from, to) = frame?;
                let width = to - from;
                let from = (at + off - width / 2.0).clamp(0.0, (1.0 - width).max(0.0));
                Some((from, from + width))
            }
            Self::Draw(from) => {
                let (from, to) = (from.min(at).max(0.0), from.max(at).min(1.0));
                (least <= to - from).then_some((from, to))
            }
        }
    }
}
