#!/usr/bin/env python3
"""Turns a list of profiles into a data set on a Spark cluster: each executor runs `lanescope tables` over its part.

    spark-submit examples/spark/convert.py LIST --out DATA [--lanescope PROGRAM] [--parts N] [--fetch CMD --store CMD]

LIST has one profile a line: a file or a folder, before it the run that it belongs to and a tab where that is not the folder
that holds it. DATA is a folder that all executors see. An executor that dies is no harm: its part is tried again by
another, which passes over the traces that are there. The same holds for the whole job.

Where profiles or DATA are in an object store, two commands copy them, such as:

    --fetch 'aws s3 cp {path} {local}' --store 'aws s3 cp --recursive {local} {out}'

Then an interrupted job converts again what its unfinished parts had; files have the same names and bytes.
"""

import argparse
import collections
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import PurePosixPath

from pyspark.sql import SparkSession

Report = collections.namedtuple("Report", "converted there failed rows messages")


def read_list(path):
    """The profiles of a list, each with its run."""
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            run, tab, profile = line.rpartition("\t")
            if profile.strip():
                yield (run if tab else PurePosixPath(profile).parent.name, profile)


def end_with_parent():
    """What a dead executor left running would write beside the one that tries again (Linux)."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    except (AttributeError, OSError):
        pass


def convert(profiles, lanescope, out, jobs, only=None, fetch=None, store=None):
    """Converts some profiles of one or several runs; on an executor."""
    by_run = collections.defaultdict(list)
    for run, profile in profiles:
        by_run[run].append(profile)
    lanescope = os.path.abspath(lanescope) if os.path.dirname(lanescope) else lanescope
    for run, paths in sorted(by_run.items()):
        with tempfile.TemporaryDirectory(prefix="lanescope-") as scratch:
            target = os.path.join(scratch, "data") if store else os.path.abspath(out)
            folder = os.path.join(scratch, "profiles") if fetch else "."
            if fetch:
                paths = [fetched(fetch, path, folder) for path in paths]
            command = [lanescope, "tables", "--files-from", "-", "--run", run, "--out", target, "--shared"]
            command += ["--jobs", str(jobs)]
            command += ["--tables", only] if only else []
            process = subprocess.run(
                command, input="\n".join(paths), capture_output=True, text=True, cwd=folder, preexec_fn=end_with_parent
            )
            # Status 1 says that some profile is broken, which stands in the table `faults`; anything else is a failure.
            sums = re.match(r"(\d+) traces converted, (\d+) were there, (\d+) failed; (\d+) rows", process.stdout)
            if process.returncode not in (0, 1) or not sums:
                raise RuntimeError(f"{command} ended with {process.returncode}: {process.stderr[-2000:]}")
            if store:
                # `traces` last: a trace that stands there is whole.
                for tables in (["--exclude", "traces/*"], ["--exclude", "*", "--include", "traces/*"]):
                    call = [word.format(local=target, out=out) for word in shlex.split(store)]
                    subprocess.run(call + tables, check=True)
            yield Report(*(int(n) for n in sums.groups()), process.stderr.strip().splitlines()[-3:])


def fetched(fetch, path, folder):
    """Copies a profile into a folder of this machine; returns where it lies in it, which is what its trace is called."""
    name = path.partition("://")[2] or path.lstrip("/")
    local = os.path.join(folder, name)
    os.makedirs(os.path.dirname(local), exist_ok=True)
    subprocess.run([word.format(path=path, local=local) for word in shlex.split(fetch)], check=True)
    return name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list")
    parser.add_argument("--out", required=True)
    parser.add_argument("--lanescope", default="lanescope", help="the program on the executors")
    parser.add_argument("--parts", type=int, help="tasks; by default one for each 50 profiles, and four for each core")
    parser.add_argument("--jobs", type=int, default=1, help="threads of a task: what spark.task.cpus says")
    parser.add_argument("--tables", help="only these tables, parted by commas")
    parser.add_argument("--fetch", help="command that copies {path} to {local}")
    parser.add_argument("--store", help="command that copies the folder {local} to {out}")
    args = parser.parse_args()
    profiles = list(read_list(args.list))
    if not profiles:
        sys.exit(f"{args.list} names no profiles.")
    # The same trace must not be written twice at the same time.
    spark = SparkSession.builder.appName("lanescope tables").config("spark.speculation", "false").getOrCreate()
    context = spark.sparkContext
    parts = args.parts or max(len(profiles) // 50, 4 * context.defaultParallelism)
    # What is listed side by side is often alike in size: dealt out, parts take equally long.
    n = max(1, min(parts, len(profiles)))
    dealt = [profiles[at::n] for at in range(n)]
    options = (args.lanescope, args.out, args.jobs, args.tables, args.fetch, args.store)
    reports = (
        context.parallelize(dealt, n).flatMap(lambda part: convert(part, *options)).map(tuple).collect()
    )
    reports = [Report(*report) for report in reports]
    for message in [line for report in reports for line in report.messages][:50]:
        print(message, file=sys.stderr)
    converted, there, failed, rows = (sum(report[at] for report in reports) for at in range(4))
    print(f"{converted} traces converted, {there} were there, {failed} failed; {rows} rows, {n} parts.")
    spark.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
