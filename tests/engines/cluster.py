#!/usr/bin/env python3
"""Converts a made data set on a Spark cluster of two executors on this machine, and asks it the regression question.

    python3 tests/engines/cluster.py LANESCOPE SCRATCH [--traces N]

The cluster is `local-cluster[2,1,1024]`. While the first job runs one executor is killed; 2 % of the traces are broken. What
comes out is held against what one process writes, byte for byte. `cargo xtask test --cluster` runs this with pyspark.
"""

import argparse
import filecmp
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPARK = ROOT / "examples/spark"
sys.path[:0] = [str(ROOT / "examples" / folder) for folder in ("", "dataset")]
import make  # noqa: E402

MASTER = "local-cluster[2,1,1024]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lanescope", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--traces", type=int, default=1000)
    args = parser.parse_args()
    shutil.rmtree(args.scratch, ignore_errors=True)
    args.scratch.mkdir(parents=True)
    tests = Tests(args.lanescope.resolve(), args.scratch.resolve(), args.traces)
    names = sorted(
        (name for name in dir(tests) if name.startswith("test_")),
        key=lambda name: getattr(Tests, name).__code__.co_firstlineno,
    )
    failed = 0
    for name in names:
        begun, why = time.monotonic(), None
        try:
            getattr(tests, name)()
        except Exception as error:  # every test stands for itself
            why, failed = error, failed + 1
        print(f"test cluster::{name[5:]} ... {'FAILED' if why else 'ok'} ({time.monotonic() - begun:.1f} s)")
        if why:
            print(f"    {type(why).__name__}: {why}")
        sys.stdout.flush()
    print(f"test result: {'FAILED' if failed else 'ok'}. {len(names) - failed} passed; {failed} failed; 0 ignored")
    sys.exit(1 if failed else 0)


def same(what, found, expected):
    if found != expected:
        if isinstance(found, (list, set)):
            found, expected = sorted(set(found) - set(expected))[:5], sorted(set(expected) - set(found))[:5]
        raise AssertionError(f"{what}: {found} instead of {expected}")


def summary(text):
    """The line that a conversion ends with, and its numbers: converted, there, failed, rows."""
    found = re.search(r"^(\d+) traces converted, (\d+) were there, (\d+) failed; (\d+) rows.*$", text, re.M)
    if not found:
        raise AssertionError(f"the job ended with {text[-500:]}")
    return found[0], *(int(n) for n in found.groups())


class Tests:
    def __init__(self, lanescope, scratch, traces):
        self.lanescope, self.scratch = lanescope, scratch
        self.facts = make.make(scratch / "made", traces, 1)
        self.data, self.alone = scratch / "data", scratch / "alone"
        self.list, self.again = scratch / "list.txt", None
        self.list.write_text("".join(f"{run}\t{path}\n" for run, path in profiles(scratch / "made" / "traces")))

    def submit(self, script, *words):
        """A job of Spark on the cluster."""
        import pyspark

        home = Path(pyspark.__file__).parent
        env = os.environ | {"SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
        env |= {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(self.scratch / "work")}
        options = ["--master", MASTER, "--py-files", str(ROOT / "examples/rank_test.py")]
        # The program travels with the job.
        options += ["--files", self.lanescope, "--conf", "spark.ui.enabled=false", "--conf", f"spark.local.dir={self.scratch / 'local'}"]
        command = [home / "bin/spark-submit", *options, SPARK / script, *words]
        log = open(self.scratch / f"{script}.log", "a")
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=env, start_new_session=True)

    def parts(self):
        return sum(1 for _ in (self.data / "traces").glob("*/*/part-*"))

    def convert(self):
        program = f"./{self.lanescope.name}"
        return self.submit("convert.py", self.list, "--out", self.data, "--lanescope", program, "--parts", "20")

    def test_an_executor_dies_and_broken_files_stop_nothing(self):
        begun = time.monotonic()
        process = self.convert()
        enough = self.facts["traces"] // 5
        while process.poll() is None and self.parts() < enough:
            time.sleep(0.01)
        before, ours = self.parts(), executors(process.pid)
        if not ours:
            raise AssertionError("no executor was found that could die")
        os.kill(ours[0], signal.SIGKILL)
        text, _ = process.communicate()
        line, converted, there, failed, _ = summary(text)
        print(f"    killed 1 of {len(ours)} executors after {before} traces: {line} {time.monotonic() - begun:.1f} s")
        same("status", process.returncode, 1)
        same("traces", converted + there + failed, self.facts["traces"])
        if not 0 < failed <= self.facts["broken"]:
            raise AssertionError(f"{failed} traces failed")
        same("rows of traces", self.parts(), self.facts["traces"] - failed)

    def test_the_files_are_those_of_one_process(self):
        begun = time.monotonic()
        for run in sorted({run for run, _ in profiles(self.scratch / "made" / "traces")}):
            paths = [path for of, path in profiles(self.scratch / "made" / "traces") if of == run]
            command = [self.lanescope, "tables", "--files-from", "-", "--run", run, "--out", self.alone]
            subprocess.run(command, input="\n".join(map(str, paths)), capture_output=True, text=True)
        seconds = time.monotonic() - begun
        print(f"    one process for each run: {seconds:.1f} s, {self.facts['bytes'] / seconds / 1e6:.1f} MB/s")
        found, expected = (
            sorted(p.relative_to(top) for p in top.rglob("*") if p.is_file() and not p.name.startswith("."))
            for top in (self.data, self.alone)
        )
        same("names of files", found, expected)
        _, differing, missing = filecmp.cmpfiles(self.data, self.alone, expected, shallow=False)
        same("files that differ", differing + missing, [])

    def test_once_more_nothing_is_left_to_do(self):
        begun = time.monotonic()
        text, _ = self.convert().communicate()
        line, converted, there, _, _ = summary(text)
        print(f"    {line} {time.monotonic() - begun:.1f} s")
        same("traces", (converted, there), (0, self.parts()))

    def test_profiles_and_tables_are_copied_where_executors_see_no_folder_of_both(self):
        put, some, out = self.scratch / "put.py", self.scratch / "some.txt", self.scratch / "copied"
        put.write_text(PUT)
        lines = self.list.read_text().splitlines()[:: max(1, self.facts["traces"] // 60)]
        some.write_text("\n".join(lines))
        store = f"{sys.executable} {put} {{local}} {{out}}"
        words = ["--fetch", "cp -r {path} {local}", "--store", store, "--lanescope", f"./{self.lanescope.name}"]
        text, _ = self.submit("convert.py", some, "--out", out, "--parts", "4", *words).communicate()
        line, converted, there, failed, _ = summary(text)
        print(f"    {line}")
        same("traces", converted + there + failed, len(lines))
        # Names of profiles differ, as they were copied.
        found = sorted(p.relative_to(out) for p in out.rglob("*.parquet") if p.relative_to(out).parts[0] != "traces")
        if len(found) < 2 * len(lines):
            raise AssertionError(f"{len(found)} files of {len(lines)} traces")
        _, differing, missing = filecmp.cmpfiles(self.alone, out, found, shallow=False)
        same("files that differ", [name for name in differing + missing if "run=broken" not in str(name)], [])
        same("rows of traces", sum(1 for _ in (out / "traces").glob("*/*/part-*")), converted)

    def test_what_became_slower_is_what_was_planted(self):
        begun, out = time.monotonic(), self.scratch / "changes.json"
        process = self.submit("regressions.py", self.data, "--json", out)
        text, _ = process.communicate()
        same("status", process.returncode, 0)
        shown = text[text.find("system  ") :].strip().splitlines()
        print("".join(f"    {line}\n" for line in shown) + f"    {time.monotonic() - begun:.1f} s")
        slower, rows = self.facts["slower"], json.loads(out.read_text())
        found = {(row["name"], row["what"]) for row in rows if row["q"] < 0.05 and row["before"] * 1.01 < row["after"]}
        expected = {
            (slower["kernel"], "time"), (slower["late"], "gap before it"), (slower["operator"], "time"),
            (slower["operator"], "pipe vector / MTE2"), (slower["operator"], "pipe vector / Vector"),
            (slower["operator"], "stall Scoreboard_Not_Ready, All Samples"),
        }
        same("regressions", found, expected)
        ratio = next(row["after"] / row["before"] for row in rows if (row["name"], row["what"]) == (slower["kernel"], "time"))
        if abs(ratio - 1 - slower["by"]) > 0.02:
            raise AssertionError(f"{slower['kernel']} became slower by {ratio}")


# Copies tables as `aws s3 cp --recursive` does with --exclude and --include.
PUT = """
import shutil, sys
from pathlib import Path

local, out, is_traces = Path(sys.argv[1]), Path(sys.argv[2]), "--include" in sys.argv
for path in sorted(path for path in local.rglob("*") if path.is_file()):
    if (path.relative_to(local).parts[0] == "traces") == is_traces:
        target = out / path.relative_to(local)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
"""


def profiles(top):
    """Files and folders that are a profile each, with their runs."""
    for run in sorted(top.iterdir()):
        for path in sorted(run.iterdir()):
            # What lies in a folder of its own only because of its name.
            alone = list(path.iterdir()) if path.is_dir() and (run.name == "broken" or path.name.startswith("gpgpusim")) else []
            yield run.name, alone[0] if alone else path


def executors(job):
    """Processes below a job that are executors of Spark."""
    parents, executors = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        parents[int(folder.name)] = int(stat[1])
        if b"CoarseGrainedExecutorBackend" in words and b"java" in words.split(b"\0")[0]:
            executors.append(int(folder.name))

    def is_ours(pid):
        while pid in parents and pid != job:
            pid = parents[pid]
        return pid == job

    return sorted(pid for pid in executors if is_ours(pid))


if __name__ == "__main__":
    main()
