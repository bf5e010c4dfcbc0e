//! The switches of AOSP's systrace parser, for the exports that print what it prints.

use clap::Args;

/// Switches of `nnapi-text` and `nnapi-json`.
#[derive(Args)]
pub(super) struct NnapiSwitches {
    /// nnapi-text, nnapi-json: total times instead of self times
    #[arg(long, requires = "export", conflicts_with = "compare")]
    total_times: bool,

    /// nnapi-text, nnapi-json: executions only, divided by their number; those of the benchmark where there are both
    /// loops
    #[arg(long, requires = "export", conflicts_with = "compare")]
    per_execution: bool,

    /// nnapi-text: every scope and every tree behind the tables
    #[arg(long, requires = "export", conflicts_with = "compare")]
    print_detail: bool,
}

impl NnapiSwitches {
    /// The id of an export with the switches as its argument.
    ///
    /// # Errors
    /// One sentence: the export has no such switches.
    pub(super) fn joined(&self, id: &str) -> Result<String, String> {
        let all = [
            (self.total_times, "total-times"),
            (self.per_execution, "per-execution"),
            (self.print_detail, "print-detail"),
        ];
        let set: Vec<&str> = all.iter().filter(|(is_set, _)| *is_set).map(|(_, word)| *word).collect();
        let (name, argument) = id.split_once(':').unwrap_or((id, ""));
        let is_known = match name {
            "nnapi-text" => true,
            "nnapi-json" => !self.print_detail,
            _ => false,
        };
        match (&set[..], is_known) {
            ([], _) => Ok(id.to_owned()),
            (_, false) => Err(format!("{name} knows no --{}", set.join(", no --"))),
            _ if argument.is_empty() => Ok(format!("{name}:{}", set.join(","))),
            _ => Ok(format!("{name}:{argument},{}", set.join(","))),
        }
    }
}
