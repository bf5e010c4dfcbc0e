#!/usr/bin/env python3
"""Which kernels and operators became slower between two sets of runs, and by what: the question of
examples/polars/regressions.py and of the view `regressions` of examples/duckdb/views.sql, on a Spark cluster.

    spark-submit --py-files examples/rank_test.py examples/spark/regressions.py DATA [--before 'before-*'] [--after 'after-*']

The medians of runs are made by the cluster, the test of significance over them on the driver: there is one number for each
run, kernel and part.
"""

import argparse
import fnmatch
import json
import sys
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from rank_test import p_value, q_values, show, smallest_p  # noqa: E402

TRACE = "system STRING, run STRING, trace_id STRING"
# The tables with the columns that are asked for.
TABLES = {
    "traces": "name STRING, title STRING",
    "kernels": "rank BIGINT, device STRING, slice_id BIGINT, name STRING, class STRING, ts BIGINT, dur BIGINT, latency BIGINT,"
    " stream STRING",
    "metrics": "figure STRING, name STRING, subject STRING, unit STRING, value DOUBLE",
    "instructions": "listing STRING, stalls STRING",
}

SAMPLES = """
WITH placed AS (
    SELECT system, run, name, class, ts, dur, latency, max(ts + dur) OVER (
        PARTITION BY system, run, trace_id, rank, device, stream ORDER BY ts, slice_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free
    FROM kernels WHERE class != 'wait'
), kernel AS (
    SELECT * FROM placed WHERE class NOT IN ('copy', 'part')
), operator AS (
    SELECT m.*, coalesce(t.title, t.name) AS title
    FROM metrics AS m JOIN traces AS t USING (system, run, trace_id)
    WHERE figure IN ('base-info', 'pipes')
), only AS (
    SELECT system, run, trace_id, count(DISTINCT listing) AS n FROM instructions GROUP BY ALL
), stall AS (
    SELECT i.system, i.run, i.trace_id, coalesce(IF(n = 1, t.title, NULL), listing) AS title,
        explode(from_json(stalls, 'MAP<STRING, MAP<STRING, DOUBLE>>')) AS (kind, reasons)
    FROM instructions AS i JOIN only USING (system, run, trace_id) JOIN traces AS t USING (system, run, trace_id)
    WHERE stalls IS NOT NULL
), reason AS (
    SELECT *, coalesce(nullif(regexp_extract(kind, '[(](.*)[)]', 1), ''), kind) AS of_kind,
        explode(reasons) AS (reason, samples)
    FROM stall
)
SELECT system, run, name, 'time' AS what, 'ns' AS unit, CAST(dur AS DOUBLE) AS value FROM kernel
UNION ALL SELECT system, run, name, 'gap before it', 'ns', greatest(ts - free, 0) FROM kernel WHERE free IS NOT NULL
UNION ALL SELECT system, run, name, 'launch latency', 'ns', latency FROM kernel WHERE free <= ts - latency
UNION ALL SELECT system, run, title, 'time', 'ns', value * 1000 FROM operator
    WHERE figure = 'base-info' AND name = 'Duration' AND unit = 'µs'
UNION ALL SELECT system, run, title, concat('pipe ', subject), unit, value FROM operator
    WHERE figure = 'pipes' AND name = 'Active cycles'
UNION ALL SELECT system, run, title, concat('wait of ', subject), unit, value FROM operator
    WHERE figure = 'pipes' AND name = 'Wait'
UNION ALL SELECT system, run, title, concat('stall ', reason, ', ', of_kind), 'samples', sum(samples) FROM reason
    GROUP BY system, run, trace_id, title, reason, of_kind
"""


def tables(spark, data):
    """The tables as views; one of which no trace has rows is a view without rows."""
    # Names of runs stay text, whatever they look like.
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    # Files of traces are small: a task reads many of them.
    spark.conf.set("spark.sql.files.openCostInBytes", str(1 << 18))
    for table, columns in TABLES.items():
        try:
            rows = spark.read.parquet(f"{data}/{table}")
        except AnalysisException:
            rows = spark.createDataFrame([], f"{TRACE}, {columns}")
        rows.createOrReplaceTempView(table)


def changes(spark, data, before, after):
    """Medians over runs of both sets, their difference, and whether it is more than chance."""
    tables(spark, data)
    medians = spark.sql(f"""
        SELECT system, name, what, unit, run, median(value) AS value FROM ({SAMPLES}) GROUP BY ALL
    """)
    sets = {}
    for row in medians.collect():
        # The same run may be in both only if both patterns say so; then it is one of the second.
        kind = 1 if fnmatch.fnmatchcase(row.run, after) else 0 if fnmatch.fnmatchcase(row.run, before) else None
        if kind is not None:
            sets.setdefault((row.system, row.name, row.what, row.unit), ([], []))[kind].append(row.value)
    rows = []
    for (system, name, what, unit), (first, second) in sorted(sets.items()):
        if first and second:
            row = {"system": system, "name": name, "what": what, "unit": unit}
            row |= {"runs_before": len(first), "runs_after": len(second)}
            row |= {"before": median(first), "after": median(second), "p": p_value(first, second)}
            rows.append(row | {"smallest_p": smallest_p(len(first), len(second))})
    for row, q in zip(rows, q_values([row["p"] for row in rows])):
        row["q"] = q
    return rows


def median(values):
    values, half = sorted(values), len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def regressions(rows):
    """What became slower by more than chance, and by at least 1 %."""
    slower = [row for row in rows if row["q"] < 0.05 and 0.01 * abs(row["before"]) < row["after"] - row["before"]]
    return sorted(
        slower, key=lambda row: (row["system"], row["name"], row["what"] != "time", row["before"] - row["after"])
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--before", default="before-*", help="runs that are compared with (before-*)")
    parser.add_argument("--after", default="after-*", help="these runs (after-*)")
    parser.add_argument("--all", action="store_true", help="also what did not change")
    parser.add_argument("--json", help="write the changes to this file too")
    args = parser.parse_args()
    spark = SparkSession.builder.appName("regressions").getOrCreate()
    rows = changes(spark, args.data, args.before, args.after)
    spark.stop()
    if args.json:
        Path(args.json).write_text(json.dumps(rows))
    show(rows if args.all else regressions(rows))


if __name__ == "__main__":
    main()
