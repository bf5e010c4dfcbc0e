//! How a cell is written: in JSON as a number, a string or null; packed with a sign of what it is.

use super::facts::Cell;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A cell with a sign of what it is.
#[derive(Serialize, Deserialize)]
enum Packed<T> {
    Number(f64),
    Text(T),
    Missing,
    Integer(u64),
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_text = to.is_human_readable();
        match self {
            Self::Number(v) if is_text => to.serialize_f64(*v),
            Self::Integer(v) if is_text => to.serialize_u64(*v),
            Self::Text(text) if is_text => to.serialize_str(text),
            Self::Missing if is_text => to.serialize_unit(),
            Self::Number(v) => Packed::<&str>::Number(*v).serialize(to),
            Self::Integer(v) => Packed::<&str>::Integer(*v).serialize(to),
            Self::Text(text) => Packed::Text(text.as_str()).serialize(to),
            Self::Missing => Packed::<&str>::Missing.serialize(to),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            return from.deserialize_any(AnyCell);
        }
        Ok(match Packed::<String>::deserialize(from)? {
            Packed::Number(v) => Self::Number(v),
            Packed::Integer(v) => Self::Integer(v),
            Packed::Text(text) => Self::Text(text),
            Packed::Missing => Self::Missing,
        })
    }
}

struct AnyCell;

impl Visitor<'_> for AnyCell {
    type Value = Cell;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a number, a string or null")
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Cell, E> {
        Ok(Cell::Number(v))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Cell, E> {
        Ok(Cell::Integer(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Cell, E> {
        Ok(Cell::Number(v as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Cell, E> {
        Ok(Cell::Missing)
    }
}
