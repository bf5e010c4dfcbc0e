//! Messages of views: each packs its own, and what carries them knows only whose they are.

use super::{Answer, Frame, Note, Query, pack, unpack};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A message of a view, packed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Packed {
    /// Whose it is: the name that its type has.
    pub of: Cow<'static, str>,
    bytes: Vec<u8>,
}

impl Packed {
    fn new<T: Serialize>(of: &'static str, message: &T) -> Self {
        Self { of: of.into(), bytes: pack(message) }
    }

    fn read<T: DeserializeOwned>(&self, of: &str) -> Option<T> {
        unpack(&self.bytes).ok().filter(|_| self.of == of)
    }
}

/// What a view asks.
pub trait Question: Serialize + DeserializeOwned {
    /// Stable name, different for each type that is one.
    const OF: &'static str;
    /// What is answered.
    type Reply: Serialize + DeserializeOwned;

    /// The question of a message; `None` for one of another type.
    fn of(packed: &Packed) -> Option<Self> {
        packed.read(Self::OF)
    }

    /// As it crosses.
    fn packed(&self) -> Packed {
        Packed::new(Self::OF, self)
    }

    /// The message that answers it.
    fn reply(reply: &Self::Reply) -> Answer {
        Answer::View(Packed::new(Self::OF, reply))
    }
}

/// What a view wants to be drawn.
pub trait Picture: Serialize + DeserializeOwned {
    /// Stable name, different for each type that is one.
    const OF: &'static str;
    /// What the page must know of what was drawn: bounded by the screen.
    type Note: Serialize + DeserializeOwned;

    /// The picture of a message; `None` for one of another type.
    fn of(frame: &Frame) -> Option<Self> {
        frame.0.read(Self::OF)
    }

    /// The message that goes with what was drawn.
    fn note(note: &Self::Note) -> Note {
        Note(Packed::new(Self::OF, note))
    }
}

/// What can be asked: a question of the page or of a view.
pub trait Ask {
    /// What comes back; of a question of a view `None` where it could not be answered.
    type Answer;
    /// As it crosses.
    fn query(&self) -> Query;
    /// What came back.
    fn answered(answer: Answer) -> Self::Answer;
}

impl Ask for Query {
    type Answer = Answer;

    fn query(&self) -> Query {
        self.clone()
    }

    fn answered(answer: Answer) -> Answer {
        answer
    }
}

impl<Q: Question> Ask for Q {
    type Answer = Option<Q::Reply>;

    fn query(&self) -> Query {
        Query::View(self.packed())
    }

    fn answered(answer: Answer) -> Option<Q::Reply> {
        let Answer::View(reply) = answer else { return None };
        reply.read(Q::OF)
    }
}

/// What can be drawn: a picture of a view, packed or not.
pub trait Draw {
    /// What comes back.
    type Note;
    /// As it crosses.
    fn frame(&self) -> Frame;
    /// What came back.
    fn noted(note: Note) -> Self::Note;
}

impl Draw for Frame {
    type Note = Note;

    fn frame(&self) -> Frame {
        self.clone()
    }

    fn noted(note: Note) -> Note {
        note
    }
}

impl<P: Picture> Draw for P {
    type Note = Option<P::Note>;

    fn frame(&self) -> Frame {
        Frame(Packed::new(P::OF, self))
    }

    fn noted(note: Note) -> Option<P::Note> {
        note.0.read(P::OF)
    }
}
