//! The numbers of the printed table: totals or self times, of all executions or of one.

use super::run::Statistics;
use super::times::{Line, TOTAL, Times};
use crate::systems::android::nnapi::mark::{App, Phase};

/// How the table is wanted; the switches of the parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Totals instead of self times.
    pub has_totals: bool,
    /// Executions only, divided by their number; those of the benchmark where there are both loops.
    pub is_per_execution: bool,
}

/// Milliseconds by layer and, last, of all together; NaN is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// `PI`.
    pub initialization: Line,
    /// `PP`.
    pub preparation: Line,
    /// `PC`.
    pub compilation: Line,
    /// `PE`.
    pub execution: Line,
    /// `PT`.
    pub termination: Line,
    /// `PIO`.
    pub inputs_outputs: Line,
    /// `PR`.
    pub results: Line,
    /// `PEO`: executions without inputs, outputs and results.
    pub computation: Line,
    /// `PO`.
    pub overall: Line,
    /// `PEp`: share of the executions' total in percent; of the layers only.
    pub percent: [f64; TOTAL],
    /// Whether any phase of the CPU has time.
    pub has_cpu: bool,
}

impl Statistics {
    /// The times that a table is made of: where executions are wanted and both loops have some, those of the benchmark
    /// stand in the places of all.
    pub fn chosen(&self, wanted: TableOptions) -> Times {
        let mut times = if wanted.has_totals { self.times.clone() } else { self.self_times.clone() };
        if let (true, Some([_, benchmark])) = (wanted.is_per_execution, times.loops) {
            times.flat[4..9].copy_from_slice(&benchmark);
        }
        times
    }

    /// How many executions a table is divided by.
    pub fn divisor(&self) -> u32 {
        self.n_executions[if self.has_loops() { App::Benchmark } else { App::Overall }]
    }

    /// The table.
    pub fn table(&self, wanted: TableOptions) -> Table {
        let times = self.chosen(wanted);
        let line = |phase| times.line(phase).copied().unwrap_or([f64::NAN; 6]);
        let mut table = Table {
            initialization: line(Phase::Initialization),
            preparation: line(Phase::Preparation),
            compilation: line(Phase::Compilation),
            execution: line(Phase::Execution),
            termination: line(Phase::Termination),
            inputs_outputs: line(Phase::InputsOutputs),
            results: line(Phase::Results),
            computation: [0.0; 6],
            overall: line(Phase::Overall),
            percent: [f64::NAN; TOTAL],
            has_cpu: false,
        };
        table.has_cpu = [
            &table.initialization,
            &table.preparation,
            &table.compilation,
            &table.execution,
            &table.termination,
            &table.inputs_outputs,
            &table.results,
        ]
        .into_iter()
        .any(|[.., cpu, _]| 0.0 < *cpu);
        let others = table.inputs_outputs.into_iter().zip(table.results);
        for ((computation, execution), (io, results)) in
            table.computation.iter_mut().zip(table.execution).zip(others)
        {
            *computation = execution - io - results;
        }
        let [application, runtime, ipc, driver, cpu, total] = table.execution;
        if 0.0 < total {
            table.percent = [application, runtime, ipc, driver, cpu].map(|time| time * 100.0 / total);
        }
        if wanted.is_per_execution {
            table.divide(self.divisor());
        }
        table
    }
}

impl Table {
    fn divide(&mut self, n: u32) {
        let lines = [&mut self.inputs_outputs, &mut self.computation, &mut self.results, &mut self.execution];
        for value in lines.into_iter().flatten() {
            *value = if n == 0 { f64::NAN } else { *value / f64::from(n) };
        }
    }
}
