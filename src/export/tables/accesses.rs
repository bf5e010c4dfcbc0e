//! Accesses to memory that the trace itself holds, with the allocation they lie in and their call stack.

use super::{Rows, Source, Value};
use crate::analysis::access::RegionSweep;
use crate::base::unit::Unit;
use crate::export::calls;
use crate::model::access::{OPERATION, SPACE, StackFrame, UNIT};
use std::io::Result;

/// All of them in the order of the file.
pub(super) fn accesses(of: &Source, rows: &mut Rows) -> Result<()> {
    let (trace, accesses) = (of.input.trace, &of.input.trace.accesses);
    let unit = &accesses.position_unit;
    let unit = if matches!(unit, Unit::None | Unit::Count(_)) { "" } else { unit.symbol() };
    // What many rows share is put together once.
    let others: Vec<String> = (0..accesses.classes().len()).map(|class| attributes(of, class)).collect();
    let frames = |stack: u32| -> &[StackFrame] {
        let stack = accesses.stacks.get(stack as usize);
        stack.and_then(|s| accesses.frames.get(s.frames.start as usize..s.frames.end as usize)).unwrap_or(&[])
    };
    let stacks: Vec<String> =
        (0_u32..).zip(&accesses.stacks).map(|(at, _)| calls(trace, frames(at))).collect();
    let mut sweep = RegionSweep::new(accesses);
    for row in (0_u32..).take(accesses.len()) {
        let Some((access, class)) = accesses.get(row).zip(accesses.class(row)) else { continue };
        let site = accesses.site(row);
        let stack = site.and_then(|site| site.stack);
        let inner = stack.and_then(|stack| frames(stack).first());
        let region = sweep.region(accesses, row).and_then(|at| Some((at, accesses.regions.get(at)?)));
        let number = region.filter(|(_, region)| region.name.is_empty()).map(|(at, _)| (at + 1).to_string());
        let name = region.map(|(_, region)| number.as_deref().unwrap_or(&region.name));
        rows.push(
            of.all(),
            &[
                access.position.into(),
                unit.into(),
                Value::Null,
                accesses.value(class, UNIT).into(),
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                accesses.value(class, OPERATION).into(),
                accesses.space_name(class.space()).into(),
                Value::Address(access.address),
                access.bytes.into(),
                site.map_or(Value::Null, |site| Value::Address(site.pc)),
                name.into(),
                region.map(|(_, region)| access.address - region.start).into(),
                inner.map(|frame| trace.strings.get(frame.function)).into(),
                inner.map(|frame| trace.strings.get(frame.file)).into(),
                inner.filter(|frame| 0 < frame.line).map(|frame| i64::from(frame.line)).into(),
                stack.and_then(|stack| stacks.get(stack as usize)).map(String::as_str).into(),
                others.get(access.class as usize).map(String::as_str).into(),
            ],
        )?;
    }
    Ok(())
}

/// Values of a class beside operation, unit and space, as JSON.
fn attributes(of: &Source, class: usize) -> String {
    let accesses = &of.input.trace.accesses;
    let Some(class) = accesses.classes().get(class) else { return String::new() };
    let others = accesses.attributes().iter().enumerate().skip(SPACE + 1);
    let values = others.map(|(at, attribute)| (attribute.id.clone(), accesses.value(class, at)));
    let values: serde_json::Map<_, _> =
        values.filter(|(_, value)| !value.is_empty()).map(|(id, value)| (id, value.into())).collect();
    if values.is_empty() { String::new() } else { serde_json::Value::Object(values).to_string() }
}
