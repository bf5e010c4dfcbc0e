#!/usr/bin/env python3
"""Which kernels and operators became slower between two sets of runs, and by what: the same question as the view
`regressions` of examples/duckdb/views.sql, in Polars.

    python3 examples/polars/regressions.py DATA [--before 'before-*'] [--after 'after-*'] [--all]
    python3 examples/polars/regressions.py DATA --metrics pipes,base-info     # numbers of figures, such as those of Ascend

DATA is the folder that `lanescope tables … --out DATA` wrote. Each run counts once, by its median.
"""

import argparse
import sys
from pathlib import Path

import polars as pl

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from rank_test import p_value, q_values, show, smallest_p  # noqa: E402

KEY = ["system", "name", "what", "unit"]
SAMPLES = {"system": pl.String, "run": pl.String, "name": pl.String, "what": pl.String}
SAMPLES |= {"unit": pl.String, "value": pl.Float64}


def scan(data, table):
    """A table of the data set, or nothing where no trace has rows of it. Names of runs stay text, whatever they look like."""
    if not any(Path(data, table).glob("*/*/*.parquet")):
        return None
    partitions = {"system": pl.String, "run": pl.String}
    return pl.scan_parquet(f"{data}/{table}/*/*/*.parquet", hive_partitioning=True, hive_schema=partitions)


def pattern(text):
    """A pattern with * and ? as a regular expression."""
    letters = {"*": ".*", "?": "."}
    return "^" + "".join(letters.get(letter, letter if letter.isalnum() else "\\" + letter) for letter in text) + "$"


def of_kernels(data):
    """Times of kernels, gaps before them on their streams, and latencies of launches that found their stream idle."""
    kernels = scan(data, "kernels")
    if kernels is None:
        return []
    stream = ["system", "run", "trace_id", "rank", "device", "stream"]
    ends = (pl.col("ts") + pl.col("dur")).cum_max().shift(1)
    kernels = kernels.filter(pl.col("class") != "wait").sort(*stream, "ts", "slice_id")
    kernels = kernels.with_columns(free=ends.over(stream)).filter(~pl.col("class").is_in(["copy", "part"]))
    gap = (pl.col("ts") - pl.col("free")).clip(lower_bound=0)
    found_idle = pl.col("free") <= pl.col("ts") - pl.col("latency")
    return [
        samples(kernels, "time", pl.col("dur")),
        samples(kernels.filter(pl.col("free").is_not_null()), "gap before it", gap),
        samples(kernels.filter(found_idle), "launch latency", pl.col("latency")),
    ]


def samples(rows, what, value, unit="ns", name="name"):
    """Rows as samples of something."""
    what, unit = (pl.lit(text) if isinstance(text, str) else text for text in (what, unit))
    columns = {"system": "system", "run": "run", "name": pl.col(name), "what": what, "unit": unit, "value": value}
    return rows.select(**{key: pl.col(col) if isinstance(col, str) else col for key, col in columns.items()}).cast(SAMPLES)


def of_operators(data):
    """The duration of each Ascend operator, and what its pipes did."""
    metrics, traces = scan(data, "metrics"), scan(data, "traces")
    if metrics is None or traces is None:
        return []
    titles = traces.select("system", "run", "trace_id", title=pl.coalesce("title", "name"))
    rows = metrics.join(titles, on=["system", "run", "trace_id"])
    name, figure = pl.col("name"), pl.col("figure")
    time = rows.filter(figure == "base-info", name == "Duration", pl.col("unit") == "µs")
    active = rows.filter(figure == "pipes", name == "Active cycles")
    wait = rows.filter(figure == "pipes", name == "Wait")
    return [
        samples(time, "time", pl.col("value") * 1000, name="title"),
        samples(active, "pipe " + pl.col("subject"), pl.col("value"), pl.col("unit"), "title"),
        samples(wait, "wait of " + pl.col("subject"), pl.col("value"), pl.col("unit"), "title"),
    ]


def of_stalls(data):
    """Samples of reasons to stall, of all instructions of a listing."""
    instructions, traces = scan(data, "instructions"), scan(data, "traces")
    if instructions is None or traces is None:
        return []
    trace = ["system", "run", "trace_id"]
    # The only listing of a trace is called as the trace.
    is_only = pl.col("listing").n_unique().over(trace) == 1
    title = pl.coalesce(pl.when(is_only).then("title"), "listing")
    instructions = instructions.join(traces.select(*trace, "title"), on=trace).with_columns(title=title)
    # {"kind of sampling": {"reason": 12, "other": 3}}
    text = r'"((?:[^"\\]|\\.)*)"'
    rows = instructions.filter(pl.col("stalls").is_not_null())
    rows = rows.with_columns(kind=pl.col("stalls").str.extract_all(text + r":\{[^{}]*\}")).explode("kind")
    rows = rows.with_columns(member=pl.col("kind").str.extract(r":\{(.*)\}$").str.extract_all(text + ":[-+.0-9eE]+"))
    rows = rows.explode("member").filter(pl.col("member").is_not_null())
    kind = pl.col("kind").str.extract("^" + text)
    rows = rows.with_columns(
        kind=pl.coalesce(kind.str.extract(r"\((.*)\)"), kind),
        reason=pl.col("member").str.extract("^" + text),
        value=pl.col("member").str.extract(r":([-+.0-9eE]+)$").cast(pl.Float64),
    )
    sums = rows.group_by(*trace, "title", "reason", "kind").agg(pl.col("value").sum())
    what = pl.concat_str(pl.lit("stall "), "reason", pl.lit(", "), "kind")
    return [samples(sums, what, pl.col("value"), "samples", "title")]


def of_metrics(data, figures):
    """All numbers of these figures, each under the name of its trace."""
    metrics, traces = scan(data, "metrics"), scan(data, "traces")
    if metrics is None or traces is None:
        return []
    titles = traces.select("system", "run", "trace_id", title=pl.coalesce("title", "name"))
    rows = metrics.filter(pl.col("figure").is_in(figures)).join(titles, on=["system", "run", "trace_id"])
    what = pl.concat_str("figure", "choice", "subject", "name", separator=" · ", ignore_nulls=True)
    return [samples(rows, what, pl.col("value"), pl.col("unit"), "title")]


def changes(parts, before, after):
    """Medians over runs of both sets, their difference, and whether it is more than chance; for the whole table."""
    run = pl.col("run")
    is_before, is_after = run.str.contains(pattern(before)), run.str.contains(pattern(after))
    medians = (
        pl.concat(parts)
        .filter(is_before | is_after)
        .with_columns(is_after=is_after)
        .group_by(*KEY, "run", "is_after")
        .agg(pl.col("value").median())
    )
    value = pl.col("value")
    table = (
        medians.group_by(KEY)
        .agg(first=value.filter(~pl.col("is_after")), second=value.filter("is_after"))
        .filter(pl.col("first").list.len() > 0, pl.col("second").list.len() > 0)
        .with_columns(
            runs_before=pl.col("first").list.len(),
            runs_after=pl.col("second").list.len(),
            before=pl.col("first").list.median(),
            after=pl.col("second").list.median(),
        )
        .with_columns(difference=pl.col("after") - pl.col("before"), ratio=pl.col("after") / pl.col("before"))
        .collect(engine="streaming")
    )
    p = [p_value(first, second) for first, second in table.select("first", "second").iter_rows()]
    least = [smallest_p(n, m) for n, m in table.select("runs_before", "runs_after").iter_rows()]
    table = table.with_columns(p=pl.Series(p, dtype=pl.Float64), smallest_p=pl.Series(least, dtype=pl.Float64))
    table = table.with_columns(q=pl.Series(q_values(p), dtype=pl.Float64)).drop("first", "second")
    return table.sort("q", *KEY)


def regressions(table):
    """What became slower by more than chance, and by at least 1 %."""
    slower = pl.col("difference") > 0.01 * pl.col("before").abs()
    rows = table.filter(pl.col("q") < 0.05, slower)
    return rows.sort("system", "name", pl.col("what") != "time", -pl.col("difference"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--before", default="before-*", help="runs that are compared with (before-*)")
    parser.add_argument("--after", default="after-*", help="these runs (after-*)")
    parser.add_argument("--metrics", help="figures whose numbers are compared, parted by commas")
    parser.add_argument("--all", action="store_true", help="also what did not change")
    args = parser.parse_args()
    if args.metrics:
        parts = of_metrics(args.data, args.metrics.split(","))
    else:
        parts = of_kernels(args.data) + of_operators(args.data) + of_stalls(args.data)
    if not parts:
        sys.exit(f"{args.data} has no rows to compare.")
    table = changes(parts, args.before, args.after)
    table = table if args.all else regressions(table)
    show(table.iter_rows(named=True))


if __name__ == "__main__":
    main()
