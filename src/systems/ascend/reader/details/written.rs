//! Sentences of the writer that hold numbers of cores, as messages, so that they can be read in every language.

use crate::base::words::{Message, message};

/// The sentence, with its values apart where it is a known one.
pub(super) fn message_of(text: String) -> Message {
    slower(&text).or_else(|| colder(&text)).unwrap_or_else(|| text.into())
}

/// `core16 vector1 took more time than other vector cores.`
fn slower(text: &str) -> Option<Message> {
    let (who, others) = text.trim_end_matches('.').split_once(" took more time than other ")?;
    let (core, unit) = unit(who)?;
    let said = match others {
        "core" | "cores" => message("core{core} {unit} took more time than other cores."),
        others => {
            let kind = others.strip_suffix(" cores").or_else(|| others.strip_suffix(" core"))?;
            message("core{core} {unit} took more time than other {kind} cores.").with("kind", kind)
        }
    };
    Some(said.with("core", core).with("unit", unit))
}

/// `core0 vector1 cache hit rate lower than other core.`
fn colder(text: &str) -> Option<Message> {
    let (who, _) = text.split_once(" cache hit rate lower than other core")?;
    let (core, unit) = unit(who)?;
    let said = message("core{core} {unit} cache hit rate lower than other cores.");
    Some(said.with("core", core).with("unit", unit))
}

/// The number of a core and the name of its unit.
fn unit(who: &str) -> Option<(&str, &str)> {
    let (core, unit) = who.strip_prefix("core")?.split_once(' ')?;
    core.bytes().all(|b| b.is_ascii_digit()).then_some((core, unit))
}
