//! What views are in the worker: how each prepares, answers and draws.

use super::Document;
use crate::base::geometry::Size;
use crate::scene::Scene;
use crate::scene::palette::Palette;
use crate::wire::{self, Answer, Frame, Packed, Picture, Question};

/// A question that a document answers.
pub trait Answers: Question {
    /// Works for a few milliseconds on what the answer needs; says whether it can be given at once.
    fn prepare(&self, _: &mut Document) -> bool {
        true
    }

    /// The answer, and bytes beside it for some.
    fn answer(&self, doc: &mut Document, beside: &[u8]) -> Answered;

    /// Whether nobody waits for the answer of this one once the other is asked.
    fn is_overtaken(&self, _: &Self) -> bool {
        false
    }
}

/// A picture that is drawn of a document.
pub trait Draws: Picture {
    /// Works for a few milliseconds on what the picture needs; says whether it can be drawn at once.
    fn prepare(&self, _: &mut Document) -> bool {
        true
    }

    /// Draws it.
    fn draw(&self, doc: &mut Document, size: Size, palette: &Palette) -> (Scene, Self::Note);

    /// The picture with the head that stands above it on the page, for files.
    fn headed(&self, _: &mut Document, picture: Scene, _: Self::Note) -> Scene {
        picture
    }
}

/// One kind of questions or pictures, as the front door knows it.
pub struct Engine {
    /// Its name, see [`Question::OF`] and [`Picture::OF`].
    pub of: &'static str,
    pub act: Act,
}

/// An answer, and bytes beside it for some.
pub type Answered = (Answer, Option<Vec<u8>>);

/// What an engine does; messages of another type are unreadable to it.
pub enum Act {
    Answer(Answering),
    Draw(Drawing),
    /// It is a picture of its own, for files.
    Save(&'static super::Picture),
}

/// How questions of a type are answered.
pub struct Answering {
    /// As [`Answers::prepare`].
    pub prepare: fn(&Packed, &mut Document) -> bool,
    /// As [`Answers::answer`].
    pub answer: fn(&Packed, &mut Document, &[u8]) -> Answered,
    /// As [`Answers::is_overtaken`].
    pub is_overtaken: fn(&Packed, &Packed) -> bool,
}

/// How pictures of a type are drawn.
pub struct Drawing {
    /// As [`Draws::prepare`].
    pub prepare: fn(&Frame, &mut Document) -> bool,
    /// As [`Draws::draw`].
    pub draw: fn(&Frame, &mut Document, Size, &Palette) -> (Scene, wire::Note),
    /// As [`Draws::draw`], with [`Draws::headed`].
    pub headed: fn(&Frame, &mut Document, Size, &Palette) -> Scene,
}

/// Said of a message that is none.
const UNREADABLE: &str = "The question could not be read.";

impl Engine {
    /// Answers this type of questions.
    pub const fn answers<A: Answers>() -> Self {
        let act = Act::Answer(Answering {
            prepare: |packed, doc| A::of(packed).is_none_or(|ask| ask.prepare(doc)),
            answer: |packed, doc, beside| match A::of(packed) {
                Some(ask) => ask.answer(doc, beside),
                None => (Answer::Failed(UNREADABLE.to_owned()), None),
            },
            is_overtaken: |old, new| match (A::of(old), A::of(new)) {
                (Some(old), Some(new)) => old.is_overtaken(&new),
                _ => false,
            },
        });
        Self { of: A::OF, act }
    }

    /// Saves this picture.
    pub const fn saves(picture: &'static super::Picture) -> Self {
        Self { of: picture.id, act: Act::Save(picture) }
    }

    /// Draws this type of pictures.
    pub const fn draws<D: Draws>() -> Self {
        let act = Act::Draw(Drawing {
            prepare: |frame, doc| D::of(frame).is_none_or(|picture| picture.prepare(doc)),
            draw: |frame, doc, size, palette| match D::of(frame) {
                Some(picture) => {
                    let (scene, note) = picture.draw(doc, size, palette);
                    (scene, D::note(&note))
                }
                None => (Scene::new(size), wire::Note::default()),
            },
            headed: |frame, doc, size, palette| match D::of(frame) {
                Some(picture) => {
                    let (scene, note) = picture.draw(doc, size, palette);
                    picture.headed(doc, scene, note)
                }
                None => Scene::new(size),
            },
        });
        Self { of: D::OF, act }
    }
}
