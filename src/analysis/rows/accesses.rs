//! Rows of memory accesses: those in a window.

use super::{Column, Goal, Key, Kind, Paint, RowSource, Value};
use crate::analysis::access::{AccessScope, Axis, FilteredAccesses, side_of};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::{Trace, access};
use std::borrow::Cow;

/// The accesses that are looked at.
pub struct AccessRows<'a> {
    trace: &'a Trace,
    looked: FilteredAccesses<'a>,
    /// Numbers of the attributes that have columns of their own.
    others: Vec<usize>,
}

const OPERATION: usize = 1;
const SPACE: usize = 2;
const UNIT: usize = 3;
/// From here on stand attributes that only some systems have, then the place.
const OTHERS: usize = 7;

impl<'a> AccessRows<'a> {
    /// What a look lets through on an axis.
    pub fn new(trace: &'a Trace, look: &AccessScope, axis: &'a Axis) -> Self {
        let attributes = trace.accesses.attributes().iter().enumerate().skip(access::SPACE + 1);
        let others = attributes.filter(|(_, attribute)| !attribute.is_of_unit).map(|(at, _)| at);
        Self { trace, looked: FilteredAccesses::new(&trace.accesses, look, axis), others: others.collect() }
    }

    /// Number of an access from that of its row.
    fn access(&self, row: u32) -> u32 {
        self.looked.rows().start + row
    }

    /// Innermost frame of the call stack as `file:line`.
    fn place(&self, row: u32) -> Value<'a> {
        let accesses = &self.trace.accesses;
        let stack = accesses.site(row).and_then(|site| site.stack);
        let frame = stack.and_then(|stack| {
            let frames = &accesses.stacks.get(stack as usize)?.frames;
            accesses.frames.get(frames.start as usize).filter(|_| !frames.is_empty())
        });
        let Some(frame) = frame else { return Value::Missing };
        let file = self.trace.strings.get(frame.file);
        let file = if file.is_empty() { self.trace.strings.get(frame.function) } else { file };
        match frame.line {
            0 => Value::text(file),
            line => Value::Text(Cow::Owned(format!("{file}:{line}"))),
        }
    }
}

impl RowSource for AccessRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::new(phrase("Record"), Kind::Count, 84.0),
            Column::new(phrase("Operation"), Kind::Text, 92.0),
            Column::new(phrase("Space"), Kind::Text, 56.0),
            Column::new(&self.trace.terms.group, Kind::Text, 112.0),
            Column::new(phrase("Address"), Kind::Address, 124.0),
            Column::new(phrase("Size"), Kind::Count, 72.0).unit(Unit::Bytes),
            Column::new(phrase("PC"), Kind::Address, 88.0),
        ];
        let attributes = self.trace.accesses.attributes();
        let others = self.others.iter().map(|at| Column::new(&attributes[*at].title, Kind::Text, 92.0));
        columns.extend(others);
        columns.push(Column::new(phrase("Call site"), Kind::Text, 0.0));
        columns
    }

    fn n_rows(&self) -> usize {
        self.looked.rows().len()
    }

    fn has(&self, row: u32) -> bool {
        self.looked.has(self.access(row))
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let (accesses, row) = (&self.trace.accesses, self.access(row));
        let Some((access, class)) = accesses.get(row).zip(accesses.class(row)) else { return Value::Missing };
        match column {
            0 => Value::Whole(access.position.cast_signed()),
            OPERATION => Value::text(accesses.value(class, access::OPERATION)),
            SPACE => Value::text(accesses.space_name(class.space())),
            UNIT => Value::Text(Cow::Owned(accesses.unit_name(class))),
            4 => Value::Address(access.address),
            5 => Value::Whole(access.bytes.cast_signed()),
            6 => accesses.site(row).map_or(Value::Missing, |site| Value::Address(site.pc)),
            _ => match self.others.get(column - OTHERS) {
                Some(at) => Value::text(accesses.value(class, *at)),
                None => self.place(row),
            },
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        let (accesses, at) = (&self.trace.accesses, self.access(row));
        match column {
            OPERATION | SPACE | UNIT => Key::Name(accesses.class_rows()[at as usize]),
            0..OTHERS => super::key_of(self.cell(row, column)),
            _ if column - OTHERS < self.others.len() => match self.cell(row, column) {
                Value::Missing => Key::Missing,
                _ => Key::Name(accesses.class_rows()[at as usize]),
            },
            _ => match accesses.site(at).and_then(|site| site.stack) {
                Some(stack) => Key::Name(stack),
                None => Key::Missing,
            },
        }
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let access = Goal::Access(self.access(row));
        [Some(access.clone()), Some(access)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let accesses = &self.trace.accesses;
        let kind = accesses.kind(accesses.class(self.access(row))?);
        Some((OPERATION, Paint::Side(side_of(kind))))
    }
}
