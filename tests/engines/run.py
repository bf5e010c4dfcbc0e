#!/usr/bin/env python3
"""Asks DuckDB and Polars about a data set of which the answers are known, and holds them against each other.

    python3 tests/engines/run.py LANESCOPE SCRATCH [--traces N] [--update]

LANESCOPE is the built command line, SCRATCH a folder for what is made. `cargo xtask test` runs this in an environment of
its own with the packages of requirements.txt. `--update` writes the answers into README.
"""

import argparse
import contextlib
import csv
import filecmp
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import polars as pl

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples" / folder) for folder in ("", "dataset", "polars")]
import make  # noqa: E402
import regressions as in_polars  # noqa: E402
from rank_test import p_value  # noqa: E402

TABLES = ["traces", "tracks", "slices", "kernels", "metrics", "faults", "clocks"]
SYSTEMS = ["android", "ascend", "gainsight", "instrumentation", "neutrino", "trace_event"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lanescope", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--traces", type=int, default=200)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    shutil.rmtree(args.scratch, ignore_errors=True)
    args.scratch.mkdir(parents=True)
    tests = Tests(args.lanescope.resolve(), args.scratch.resolve(), args.traces, args.update)
    names = [name for name in dir(tests) if name.startswith("test_")]
    failed = 0
    for name in sorted(names, key=lambda name: getattr(Tests, name).__code__.co_firstlineno):
        begun, why = time.monotonic(), None
        try:
            getattr(tests, name)()
        except Exception as error:  # every test stands for itself
            why, failed = error, failed + 1
        print(f"test engines::{name[5:]} ... {'FAILED' if why else 'ok'} ({time.monotonic() - begun:.1f} s)")
        if why:
            print(f"    {type(why).__name__}: {why}")
        sys.stdout.flush()
    verdict = "FAILED" if failed else "ok"
    print(f"test result: {verdict}. {len(names) - failed} passed; {failed} failed; 0 ignored")
    sys.exit(1 if failed else 0)


def same(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: {found} instead of {expected}")


def close(what, found, expected, tolerance):
    if not math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance):
        raise AssertionError(f"{what}: {found} instead of {expected}")


class Tests:
    def __init__(self, lanescope, scratch, traces, is_update):
        self.lanescope, self.scratch, self.is_update = lanescope, scratch, is_update
        self.facts = make.make(scratch / "made", traces, 1)
        self.profiles, self.data = scratch / "made" / "traces", scratch / "data"
        self.con = duckdb.connect()

    def tables(self, *words, out, wait=True):
        """Runs `lanescope tables`; returns its exit status and what it printed, or the process."""
        command = [self.lanescope, "tables", *words, "--out", out]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if not wait:
            return process
        text, _ = process.communicate()
        return process.returncode, text

    def export(self, path, what):
        text = subprocess.run([self.lanescope, path, "--export", what], capture_output=True, check=True).stdout
        return list(csv.DictReader(io.StringIO(text.decode())))

    def ask(self, sql, *values):
        return self.con.execute(sql, values or None).fetchall()

    # -- the conversion

    def test_all_profiles_are_converted_and_the_broken_ones_are_counted(self):
        begun = time.monotonic()
        status, text = self.tables(self.profiles, out=self.data)
        seconds = time.monotonic() - begun
        converted, there, failed = (int(n) for n in re.findall(r"\d+", text)[:3])
        print(f"    {text.strip()} {seconds:.1f} s, {self.facts['bytes'] / seconds / 1e6:.1f} MB/s")
        same("status", status, 1)
        same("traces", converted + failed, self.facts["traces"])
        same("traces that were there", there, 0)
        if not 0 < failed <= self.facts["broken"]:
            raise AssertionError(f"{failed} traces failed")
        self.con.execute("SET VARIABLE data = $1", [str(self.data)])
        self.con.execute((ROOT / "examples/duckdb/views.sql").read_text())
        same("rows of traces", self.ask("SELECT count(*) FROM traces"), [(converted,)])

    def test_every_broken_file_has_faults_and_no_other_has_losses(self):
        sql = "SELECT count(DISTINCT trace_id) FROM faults WHERE run = 'broken' AND severity IN ('loss', 'fatal', 'warning')"
        same("broken files with faults", self.ask(sql), [(self.facts["broken"],)])
        sql = "SELECT DISTINCT run, entry FROM faults WHERE run != 'broken' AND severity IN ('loss', 'fatal')"
        same("losses of whole files", self.ask(sql), [])

    def test_all_systems_and_runs_are_there(self):
        sql = "SELECT DISTINCT system FROM traces WHERE run != 'broken' ORDER BY system"
        same("systems", [row[0] for row in self.ask(sql)], SYSTEMS)
        runs = 2 * make.NIGHTS + len(self.facts["ranks"])
        same("runs", self.ask("SELECT count(DISTINCT run) FROM traces WHERE run != 'broken'"), [(runs,)])

    def test_every_table_is_a_view_even_without_rows(self):
        schema = json.loads(subprocess.run([self.lanescope, "tables", "--schema"], capture_output=True).stdout)
        for table in schema["tables"]:
            found = {name: kind for name, kind, *_ in self.ask(f"DESCRIBE {table['name']}")}
            kinds = {"int64": "BIGINT", "uint64": "UBIGINT", "float64": "DOUBLE", "utf8": "VARCHAR", "bool": "BOOLEAN"}
            expected = {field["name"]: kinds[field["type"]] for field in schema["keys"] + table["fields"]}
            same(table["name"], found, expected | {"system": "VARCHAR", "run": "VARCHAR"})

    # -- the questions

    def test_kernels_are_those_that_were_written(self):
        nights = "run GLOB 'before-*' OR run GLOB 'after-*'"
        sql = f"SELECT name, count(*), sum(dur)::BIGINT FROM kernels WHERE class = 'compute' AND ({nights}) GROUP BY name"
        same("kernels", {name: list(row) for name, *row in self.ask(sql)}, self.facts["kernels"])
        sql = f"SELECT name, count(*), sum(dur)::BIGINT, sum(bytes)::BIGINT FROM kernels WHERE class = 'copy' AND ({nights}) GROUP BY name"
        same("copies", {name: list(row) for name, *row in self.ask(sql)}, self.facts["copies"])

    def test_summaries_add_up(self):
        n, total = self.ask("SELECT count(*), sum(dur)::BIGINT FROM kernels WHERE class NOT IN ('copy', 'wait')")[0]
        same("kernel_summary", self.ask("SELECT sum(instances)::BIGINT, sum(total_ns)::BIGINT FROM kernel_summary"), [(n, total)])
        parts = "kernel_summary_of('before-*') UNION ALL FROM kernel_summary_of('after-*') UNION ALL FROM kernel_summary_of('ranks-*')"
        same("parts of it", self.ask(f"SELECT sum(total_ns)::BIGINT FROM (FROM {parts})"), [(total,)])
        calls = dict(self.ask("SELECT name, calls FROM api_summary"))
        launches = sum(n for n, _ in self.facts["kernels"].values()) + sum(
            rank["collectives"] for rank in self.facts["ranks"].values()) * make.RANKS
        same("cudaLaunchKernel", calls["cudaLaunchKernel"], launches)
        found = {row[0]: row[1:] for row in self.ask("SELECT operation, copies, total_ns, total_bytes FROM memory_summary")}
        expected = {name: tuple(row) for name, row in self.facts["copies"].items()}
        same("to the device", found["host to device"], expected["Memcpy HtoD (Pinned -> Device)"])
        same("to the host", found["device to host"], expected["Memcpy DtoH (Device -> Pageable)"])
        sizes = self.ask("SELECT sum(copies)::BIGINT, sum(total_ns)::BIGINT FROM memory_by_size")
        same("by size", sizes, self.ask("SELECT sum(copies)::BIGINT, sum(total_ns)::BIGINT FROM memory_summary"))

    def test_driver_time_of_models_is_what_was_written(self):
        found = {model: row for model, *row in self.ask("SELECT model, runs, total_ms FROM nnapi_driver_time")}
        same("models", sorted(found), sorted(self.facts["nnapi"]))
        for model, (runs, micros) in self.facts["nnapi"].items():
            same(model, found[model][0], runs)
            close(model, found[model][1], micros / 1000, 1e-6)

    def test_short_lifetimes_are_those_that_were_written(self):
        sql = "SELECT workload, all_lifetimes, below_1us FROM short_lifetimes WHERE level = 1"
        same("lifetimes", {name: list(row) for name, *row in self.ask(sql)}, self.facts["lifetimes"])

    def test_accesses_of_lanes_are_those_that_were_written(self):
        sql = "SELECT count(*) FROM accesses WHERE system = 'instrumentation'"
        same("accesses", self.ask(sql), [(sum(n for _, n in self.facts["accesses"].values()),)])

    def test_the_late_rank_of_each_run_is_found_though_clocks_differ(self):
        found = {row[0]: row[1:] for row in self.ask(
            "SELECT run, rank, times_last, collectives, med_lead_ns FROM late_ranks ORDER BY times_last")}
        for run, fact in self.facts["ranks"].items():
            rank, times, collectives, lead = found[run]
            same(run, (rank, collectives), (str(fact["late"]), fact["collectives"]))
            if times < 0.9 * collectives or not fact["by_us"] - 60 < lead / 1000 < fact["by_us"] + 60:
                raise AssertionError(f"{run}: {times} times last, by {lead} ns")
        # Without taking off the difference of clocks the begins name others.
        raw = dict(self.ask("""SELECT run, mode(last) FROM (SELECT run, seq, arg_max(rank, ts) AS last FROM kernels
            WHERE class = 'communication' GROUP BY run, seq) GROUP BY run"""))
        if all(raw[run] == fact["late"] for run, fact in self.facts["ranks"].items()):
            raise AssertionError("the clocks of the made ranks hide nothing")

    def test_what_became_slower_and_by_what_is_what_was_planted(self):
        slower = self.facts["slower"]
        expected = {
            (slower["kernel"], "time"), (slower["late"], "gap before it"), (slower["operator"], "time"),
            (slower["operator"], "pipe vector / MTE2"), (slower["operator"], "pipe vector / Vector"),
            (slower["operator"], "stall Scoreboard_Not_Ready, All Samples"),
        }
        rows = self.ask("SELECT name, what, ratio, difference, p, smallest_p FROM regressions")
        same("regressions", {row[:2] for row in rows}, expected)
        by = {row[:2]: row[2:] for row in rows}
        for name in (slower["kernel"], slower["operator"]):
            close(name, by[name, "time"][0], 1 + slower["by"], 0.02)
        close("gap", by[slower["late"], "gap before it"][1], slower["gap_ns"], 0.01)
        same("p", {row[4] == row[5] for row in rows}, {True})  # all runs of one set behind all of the other
        close("smallest p", rows[0][5], 2 / math.comb(2 * make.NIGHTS, make.NIGHTS), 1e-12)

    def test_polars_answers_as_duckdb(self):
        parts = in_polars.of_kernels(self.data) + in_polars.of_operators(self.data) + in_polars.of_stalls(self.data)
        table = in_polars.changes(parts, "before-*", "after-*")
        columns = ["system", "name", "what", "unit", "runs_before", "runs_after", "before", "after", "ratio", "p", "smallest_p", "q"]
        key = slice(0, 4)
        theirs = {row[key]: row[4:] for row in table.select(columns).iter_rows()}
        ours = {row[key]: row[4:] for row in self.ask(f"SELECT {', '.join(columns)} FROM changes")}
        same("rows", sorted(map(str, theirs)), sorted(map(str, ours)))
        for row, values in ours.items():
            for column, a, b in zip(columns[4:], values, theirs[row]):
                if a is None and (b is None or math.isnan(b) or math.isinf(b)):
                    continue  # nothing before: no ratio
                close(f"{row} {column}", b, a, 1e-9)
        found = {row[:2] for row in in_polars.regressions(table).select("name", "what").iter_rows()}
        same("regressions", found, set(self.ask("SELECT name, what FROM regressions")))
        pipes = in_polars.changes(in_polars.of_metrics(self.data, ["pipes"]), "before-*", "after-*")
        what = in_polars.regressions(pipes).filter(pl.col("what") == "pipes · vector / MTE2 · Active cycles")
        same("pipes of Ascend", what["name"].to_list(), [self.facts["slower"]["operator"]])

    def test_the_rank_test_counts_ties_in_both_languages(self):
        sets = [([1, 2, 2, 3], [2, 3, 3, 5]), ([1, 1, 1], [1, 1, 1]), ([5, 6, 7], [1, 2, 3]), ([1, 4], [2, 3, 5, 9, 9])]
        sets.append((list(range(40)), [x + 9.5 for x in range(40)]))
        self.con.execute("CREATE OR REPLACE TEMP TABLE made (name VARCHAR, run VARCHAR, value DOUBLE)")
        for name, (first, second) in enumerate(sets):
            for prefix, values in (("before", first), ("after", second)):
                rows = [[str(name), f"{prefix}-{n}", value] for n, value in enumerate(values)]
                self.con.executemany("INSERT INTO made VALUES ($1, $2, $3)", rows)
        text = (ROOT / "examples/duckdb/views.sql").read_text()
        view = text[text.index("CREATE OR REPLACE VIEW changes AS") :].split(";\n")[0]
        view = view.replace("VIEW changes", "TEMP VIEW changes_of_made").replace(
            "FROM samples", "FROM (SELECT 's' AS system, name, 'w' AS what, 'u' AS unit, run, value FROM made)")
        self.con.execute(view)
        for name, p in self.ask("SELECT name, p FROM changes_of_made"):
            close(f"p of {sets[int(name)]}", p, p_value(*sets[int(name)]), 1e-6)
        close("no overlap", p_value([5, 6, 7], [1, 2, 3]), 0.1, 1e-12)
        close("all the same", p_value([1, 1, 1], [1, 1, 1]), 1, 1e-12)

    # -- equal sums

    def test_sums_are_those_of_exports(self):
        sql = "SELECT name, run, trace_id FROM traces WHERE system = 'trace_event' AND run != 'broken' ORDER BY hash(trace_id) LIMIT 3"
        for path, run, trace in self.ask(sql):
            where = f"WHERE run = '{run}' AND trace_id = '{trace}'"
            mine = (pl.col("run") == run) & (pl.col("trace_id") == trace)
            for table, what in (("kernels", "kernels-csv"), ("slices", "slices-csv")):
                sums = {}
                for row in self.export(path, what):
                    n, total = sums.get(row["name"], (0, 0))
                    sums[row["name"]] = (n + 1, total + int(row["duration_ns"]))
                by_duckdb = self.ask(f"SELECT name, count(*), sum(dur)::BIGINT FROM {table} {where} GROUP BY name")
                same(f"{what} of {path}", {name: tuple(row) for name, *row in by_duckdb}, sums)
                grouped = in_polars.scan(self.data, table).filter(mine).group_by("name").agg(n=pl.len(), sum=pl.col("dur").sum())
                same(f"{what} of {path}, Polars", {name: tuple(row) for name, *row in grouped.collect().iter_rows()}, sums)
            sums = {(row["name"], row["track"]): (int(row["count"]), int(row["total (ns)"])) for row in self.export(path, "range-csv")}
            by_duckdb = self.ask(f"""SELECT slices.name, path, count(*), sum(dur)::BIGINT FROM slices JOIN (FROM tracks {where})
                AS tracks USING (track_id) WHERE slices.run = '{run}' AND slices.trace_id = '{trace}' AND NOT unfinished GROUP BY ALL""")
            same(f"range-csv of {path}", {(name, track.strip()): tuple(row) for name, track, *row in by_duckdb},
                 {(name, track.strip()): row for (name, track), row in sums.items()})

    def test_slices_without_an_end_are_in_no_summary(self):
        begin, call = {"ph": "B", "name": "cudaEventSynchronize"}, {"ph": "X", "name": "cudaFree", "dur": 7}
        events = [{**event, "cat": "cuda_runtime", "pid": 1, "tid": at, "ts": at} for at, event in enumerate((begin, call))]
        folder = self.scratch / "cut" / "night"
        folder.mkdir(parents=True)
        (folder / "cut.json").write_text(json.dumps({"traceEvents": events}))
        self.tables(folder.parent, out=self.scratch / "cut-data")
        con = duckdb.connect()
        con.execute("SET VARIABLE data = $1", [str(self.scratch / "cut-data")])
        con.execute((ROOT / "examples/duckdb/views.sql").read_text())
        rows = con.execute("SELECT name, unfinished FROM slices ORDER BY name").fetchall()
        same("slices", rows, [("cudaEventSynchronize", True), ("cudaFree", False)])
        same("api_summary", con.execute("SELECT name, total_ns FROM api_summary").fetchall(), [("cudaFree", 7000)])

    def test_both_engines_read_the_same_rows(self):
        for table in TABLES:
            rows = in_polars.scan(self.data, table)
            same(table, self.ask(f"SELECT count(*) FROM {table}"), [(rows.select(pl.len()).collect().item(),)])

    # -- interrupted

    def test_killed_and_started_again_the_files_are_the_same(self):
        out = self.scratch / "again"
        process = self.tables(self.profiles, "--jobs", "2", out=out, wait=False)
        enough = self.facts["traces"] // 4
        while process.poll() is None and sum(1 for _ in (out / "traces").glob("*/*/part-*")) < enough:
            time.sleep(0.005)
        process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        process.communicate()
        before = sum(1 for _ in (out / "traces").glob("*/*/part-*"))
        if not enough <= before < self.facts["traces"] - self.facts["broken"]:
            raise AssertionError(f"it was killed with {before} traces")
        _, text = self.tables(self.profiles, out=out)
        same("traces that were there", int(re.findall(r"\d+", text)[1]), before)
        first, second = (sorted(p.relative_to(top) for p in top.rglob("*") if p.is_file()) for top in (self.data, out))
        same("names of files", second, first)
        _, differing, missing = filecmp.cmpfiles(self.data, out, first, shallow=False)
        same("files that differ", differing + missing, [])

    # -- README

    def test_readme_shows_these_questions_with_these_answers(self):
        path = ROOT / "README.md"
        text = path.read_text()
        block = re.compile(r"```(sql|sh)\n((?:(?!```).)*)```\n\n```text\n(.*?)```", re.S)
        begin = text.index("## A thousand profiles")
        end = text.index("\n## ", begin)
        found = list(block.finditer(text, begin, end))
        if len(found) < 4:
            raise AssertionError(f"README shows {len(found)} questions")
        wrong = 0
        if self.facts["traces"] != 200:
            print("    answers of README are of 200 traces: passed over")
            return
        for match in reversed(found):
            kind, question, answer = match.groups()
            now = self.table(question) if kind == "sql" else self.printed(question)
            wrong += now != answer
            text = text[: match.start(3)] + now + text[match.end(3) :]
        if wrong and self.is_update:
            path.write_text(text)
        elif wrong:
            raise AssertionError(f"{wrong} answers of README are old; `run.py … --update` writes them")

    def table(self, sql):
        """The answer of DuckDB as text."""
        self.con.execute(sql)
        head = [column[0] for column in self.con.description]
        rows = [head] + [["" if cell is None else str(cell) for cell in row] for row in self.con.fetchall()]
        widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join(lines) + "\n"

    def printed(self, command):
        """What a script of the examples prints about the data set."""
        words = command.split()
        if words[:2] != ["python3", "examples/polars/regressions.py"]:
            raise AssertionError(f"{command} is not one of the questions")
        out, argv = io.StringIO(), sys.argv
        sys.argv = [words[1], str(self.data), *words[3:]]
        try:
            with contextlib.redirect_stdout(out):
                in_polars.main()
        finally:
            sys.argv = argv
        return out.getvalue()


if __name__ == "__main__":
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    main()
