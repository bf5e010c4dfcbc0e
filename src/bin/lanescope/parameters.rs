//! The parameters of all systems as arguments: made from the registry, each under the heading of its system.

use super::output::read_text_of;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use lanescope::document::Document;
use lanescope::export::Export;
use lanescope::model::parameter::{Parameter, ParameterKind, Value, Values};
use lanescope::systems;
use std::path::PathBuf;

/// Adds the arguments, and the names that formats have for `--operator`.
pub(super) fn arguments(mut command: Command) -> Command {
    let switches = systems::formats().filter_map(|format| Some(format.operators.as_ref()?.switch));
    for switch in switches.filter(|switch| !switch.is_empty()) {
        command = command.mut_arg("operator", |arg| arg.visible_alias(switch));
    }
    for system in systems::systems() {
        for parameter in system.parameters() {
            command = command.arg(argument(system.title, parameter));
        }
    }
    command
}

fn argument(heading: &'static str, parameter: &'static Parameter) -> Arg {
    let exports: Vec<&str> = exports_of(parameter).map(|export| export.id).collect();
    let help = match &exports[..] {
        [] => parameter.help.to_owned(),
        ids => format!("{}: {}", ids.join(", "), parameter.help),
    };
    let arg = Arg::new(parameter.id).long(parameter.id).help(help).help_heading(heading);
    let arg = arg.conflicts_with("list");
    let arg = if is_of_documents(parameter) { arg } else { arg.conflicts_with("compare") };
    match &parameter.kind {
        ParameterKind::Flag => arg.action(ArgAction::SetTrue),
        ParameterKind::Choice(options) => {
            arg.value_name("ID").value_parser(options.iter().map(|o| o.0).collect::<Vec<_>>())
        }
        ParameterKind::Number { .. } => arg.value_name("NUMBER").allow_negative_numbers(true),
        ParameterKind::Text => arg.value_name("TEXT"),
        ParameterKind::Table { .. } => arg.value_name("ROWS|@FILE"),
        ParameterKind::File { .. } => arg.value_name("FILE"),
    }
}

/// Whether it changes what a document says, not only what an export writes.
fn is_of_documents(parameter: &Parameter) -> bool {
    let has = |all: &[&Parameter]| all.iter().any(|own| own.id == parameter.id);
    systems::analyses().any(|analysis| has(analysis.parameters))
        || systems::formats().any(|format| has(format.parameters))
}

/// The exports that a parameter belongs to.
fn exports_of(parameter: &Parameter) -> impl Iterator<Item = &'static Export> {
    systems::exports().filter(move |export| export.parameters.iter().any(|p| p.id == parameter.id))
}

/// What was set.
///
/// # Errors
/// What is wrong, for a usage error: a value that the parameter does not take, a parameter of an export that was not asked
/// for.
pub(super) fn values(matches: &ArgMatches, export: Option<&str>) -> Result<Values, (ErrorKind, String)> {
    let mut values = Values::default();
    let export = export.map(|id| id.split(':').next().unwrap_or(id));
    for parameter in systems::parameters() {
        let Some(value) = value(matches, parameter)? else { continue };
        if !is_of_documents(parameter) && !exports_of(parameter).any(|known| Some(known.id) == export) {
            let ids: Vec<&str> = exports_of(parameter).map(|export| export.id).collect();
            let text = format!("--{} goes with --export {}", parameter.id, ids.join(" or "));
            return Err((ErrorKind::ArgumentConflict, text));
        }
        values.set(parameter.id, value);
    }
    Ok(values)
}

/// The files that values are read from.
pub(super) fn files(matches: &ArgMatches) -> Vec<PathBuf> {
    let all = systems::parameters().filter(|parameter| !matches!(parameter.kind, ParameterKind::Flag));
    all.filter_map(|parameter| {
        path_of(parameter, matches.get_one::<String>(parameter.id)?).map(PathBuf::from)
    })
    .collect()
}

/// The file that the text of a parameter names.
fn path_of<'a>(parameter: &Parameter, text: &'a str) -> Option<&'a str> {
    match &parameter.kind {
        ParameterKind::File { .. } => Some(text),
        ParameterKind::Table { .. } => text.strip_prefix('@'),
        _ => None,
    }
}

/// The value of one parameter; `None` when it was not given.
fn value(matches: &ArgMatches, parameter: &Parameter) -> Result<Option<Value>, (ErrorKind, String)> {
    if matches!(parameter.kind, ParameterKind::Flag) {
        return Ok(matches.get_flag(parameter.id).then_some(Value::Flag(true)));
    }
    let Some(text) = matches.get_one::<String>(parameter.id) else { return Ok(None) };
    let text = match path_of(parameter, text) {
        Some(path) => read_text_of(std::path::Path::new(path))
            .map_err(|e| (ErrorKind::Io, format!("--{} {path}: {e}", parameter.id)))?,
        None => text.clone(),
    };
    let parsed = Document::parse_value(parameter.id, &text);
    parsed.map(Some).map_err(|why| (ErrorKind::ValueValidation, format!("--{why}")))
}
