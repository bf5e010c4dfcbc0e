-- Views over a data set that `lanescope tables … --out DIR` wrote, for DuckDB 1.3 and later.
--
--   duckdb -cmd "SET VARIABLE data = 'DIR'" -cmd '.read examples/duckdb/views.sql'
--   SELECT * FROM kernel_summary;
--
-- Three variables say what is looked at; set them before, or here:

SET VARIABLE data = coalesce(getvariable('data'), 'data');           -- the folder of the data set
SET VARIABLE before = coalesce(getvariable('before'), 'before-*');   -- the runs that are compared with …
SET VARIABLE after = coalesce(getvariable('after'), 'after-*');      -- … these runs, as patterns with * and ?

-- ---------------------------------------------------------------------------------------------------------- the tables
-- A table of which no trace has rows has no files. It is a view without rows, with the columns of _lanescope.json.

SET VARIABLE tables = (
    WITH columns AS (
        SELECT t.name AS of_table, unnest(keys || t.fields) AS field
        FROM (SELECT keys, unnest(tables) AS t FROM read_json(getvariable('data') || '/_lanescope.json'))
    ), found AS (
        SELECT DISTINCT split_part(replace(file[length(getvariable('data')) + 2:], '\', '/'), '/', 1) AS of_table
        FROM glob(getvariable('data') || '/*/*/*/*.parquet')
    )
    SELECT map_from_entries(list((of_table, query)))
    FROM (
        SELECT of_table,
            CASE WHEN of_table IN (FROM found) THEN
                'FROM read_parquet(''' || replace(getvariable('data'), '''', '''''') || '/' || of_table || '/*/*/*.parquet'', '
                || 'hive_partitioning = true, hive_types = {''system'': VARCHAR, ''run'': VARCHAR})'
            ELSE
                'SELECT ' || string_agg('NULL::' || CASE field.type WHEN 'int64' THEN 'BIGINT' WHEN 'uint64' THEN 'UBIGINT'
                    WHEN 'float64' THEN 'DOUBLE' WHEN 'bool' THEN 'BOOLEAN' ELSE 'VARCHAR' END || ' AS "' || field.name || '"', ', ')
                || ', NULL::VARCHAR AS "system", NULL::VARCHAR AS run WHERE false'
            END AS query
        FROM columns
        GROUP BY of_table
    )
);

CREATE OR REPLACE VIEW traces AS FROM query(getvariable('tables')['traces']);
CREATE OR REPLACE VIEW tracks AS FROM query(getvariable('tables')['tracks']);
-- Data sets before version 2.1 do not say which slices have no end.
CREATE OR REPLACE VIEW slices AS
    SELECT * FROM query(getvariable('tables')['slices'])
    UNION ALL BY NAME SELECT NULL::BOOLEAN AS unfinished WHERE false;
CREATE OR REPLACE VIEW instants AS FROM query(getvariable('tables')['instants']);
CREATE OR REPLACE VIEW kernels AS FROM query(getvariable('tables')['kernels']);
CREATE OR REPLACE VIEW counters AS FROM query(getvariable('tables')['counters']);
CREATE OR REPLACE VIEW flows AS FROM query(getvariable('tables')['flows']);
CREATE OR REPLACE VIEW instructions AS FROM query(getvariable('tables')['instructions']);
CREATE OR REPLACE VIEW accesses AS FROM query(getvariable('tables')['accesses']);
CREATE OR REPLACE VIEW lifetimes AS FROM query(getvariable('tables')['lifetimes']);
CREATE OR REPLACE VIEW launches AS FROM query(getvariable('tables')['launches']);
CREATE OR REPLACE VIEW blocks AS FROM query(getvariable('tables')['blocks']);
CREATE OR REPLACE VIEW metrics AS FROM query(getvariable('tables')['metrics']);
CREATE OR REPLACE VIEW findings AS FROM query(getvariable('tables')['findings']);
CREATE OR REPLACE VIEW faults AS FROM query(getvariable('tables')['faults']);
CREATE OR REPLACE VIEW clocks AS FROM query(getvariable('tables')['clocks']);

-- ------------------------------------------------------------------------------- summaries that nsys and rocprof know
-- Each is a view over all runs, and a macro for some of them: FROM kernel_summary_of('after-*').

-- Kernels by their names, as `nsys stats -r cuda_gpu_kern_sum`. Times are of clocks with a rate.
CREATE OR REPLACE MACRO kernel_summary_of(runs) AS TABLE
    SELECT system, 100 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY system) AS time_percent, sum(dur)::BIGINT AS total_ns,
        count(*) AS instances, avg(dur) AS avg_ns, median(dur) AS med_ns, min(dur) AS min_ns, max(dur) AS max_ns,
        stddev_samp(dur) AS stddev_ns, name
    FROM kernels
    WHERE class IN ('compute', 'communication', 'other') AND run GLOB runs
    GROUP BY system, name
    ORDER BY total_ns DESC;
CREATE OR REPLACE VIEW kernel_summary AS FROM kernel_summary_of('*');

-- Calls of the host: those of a runtime or a driver, and whatever launched work of a device. As `cuda_api_sum`. A call
-- whose end is not in the recording has no duration to be added.
CREATE OR REPLACE MACRO api_summary_of(runs) AS TABLE
    SELECT system, 100 * sum(dur) / sum(sum(dur)) OVER (PARTITION BY system) AS time_percent, sum(dur)::BIGINT AS total_ns,
        count(*) AS calls, avg(dur) AS avg_ns, median(dur) AS med_ns, min(dur) AS min_ns, max(dur) AS max_ns,
        stddev_samp(dur) AS stddev_ns, name
    FROM slices AS slice
    WHERE run GLOB runs AND unfinished IS DISTINCT FROM true
        AND (regexp_matches(category, '(?i)(runtime|driver|_api$)') OR EXISTS (
            FROM kernels AS kernel
            WHERE kernel.run = slice.run AND kernel.trace_id = slice.trace_id AND kernel.launch_id = slice.slice_id))
    GROUP BY system, name
    ORDER BY total_ns DESC;
CREATE OR REPLACE VIEW api_summary AS FROM api_summary_of('*');

-- Where a copy goes, by what profilers call it.
CREATE OR REPLACE MACRO direction(name) AS CASE
    WHEN regexp_matches(name, '(?i)(htod|host.?to.?device|h2d)') THEN 'host to device'
    WHEN regexp_matches(name, '(?i)(dtoh|device.?to.?host|d2h)') THEN 'device to host'
    WHEN regexp_matches(name, '(?i)(dtod|device.?to.?device|d2d)') THEN 'device to device'
    WHEN regexp_matches(name, '(?i)(ptop|peer.?to.?peer|p2p)') THEN 'peer to peer'
    WHEN regexp_matches(name, '(?i)(memset|fill)') THEN 'set'
    ELSE 'other' END;

-- Copies by direction: time and size, as `cuda_gpu_mem_time_sum` with `cuda_gpu_mem_size_sum`. A rate counts only copies
-- whose bytes are known.
CREATE OR REPLACE MACRO memory_summary_of(runs) AS TABLE
    SELECT system, direction(name) AS operation, count(*) AS copies, sum(dur)::BIGINT AS total_ns, median(dur) AS med_ns,
        sum(bytes)::BIGINT AS total_bytes, median(bytes) AS med_bytes, min(bytes) AS min_bytes, max(bytes) AS max_bytes,
        sum(bytes) / nullif(sum(dur) FILTER (bytes IS NOT NULL), 0) AS gb_per_s
    FROM kernels
    WHERE class = 'copy' AND run GLOB runs
    GROUP BY ALL
    ORDER BY total_ns DESC;
CREATE OR REPLACE VIEW memory_summary AS FROM memory_summary_of('*');

-- The same by size: copies of up to so many bytes, a power of two.
CREATE OR REPLACE VIEW memory_by_size AS
    SELECT system, direction(name) AS operation, pow(2, ceil(log2(greatest(bytes, 1))))::BIGINT AS up_to_bytes,
        count(*) AS copies, sum(dur)::BIGINT AS total_ns, sum(bytes) / nullif(sum(dur), 0) AS gb_per_s
    FROM kernels
    WHERE class = 'copy' AND bytes IS NOT NULL
    GROUP BY ALL
    ORDER BY operation, up_to_bytes;

-- ------------------------------------------------------------------------------------------------------ other questions

-- Time that models spent in drivers of NNAPI, by the corrected sums (see the README of NNAPI): one row for each model.
CREATE OR REPLACE VIEW nnapi_driver_time AS
    SELECT regexp_extract(choice, '^\d+ (.*),All,entire run,Corrected$', 1) AS model, count(*) AS runs,
        sum(value) AS total_ms, median(value) AS med_ms, min(value) AS min_ms, max(value) AS max_ms
    FROM metrics
    WHERE figure = 'nnapi-layers' AND subject = 'Driver' AND name = 'Total' AND choice LIKE '%,All,entire run,Corrected'
    GROUP BY model
    ORDER BY total_ms DESC;

-- Lifetimes of data below 1 µs, by workload (the name of the log without its ending) and level of memory.
CREATE OR REPLACE VIEW short_lifetimes AS
    SELECT regexp_extract(traces.name, '([^/\\!]*?)(\.[a-z0-9]+)*$', 1) AS workload, level, count(*) AS all_lifetimes,
        count(*) FILTER (lifetime_ns < 1000) AS below_1us, below_1us / all_lifetimes AS share, median(lifetime_ns) AS med_ns
    FROM lifetimes JOIN traces USING (system, run, trace_id)
    WHERE lifetime_ns IS NOT NULL
    GROUP BY workload, level
    ORDER BY workload, level;

-- Which rank comes last to collectives.
--
-- Each host has its own clock, so begins of several ranks cannot be compared as they are. But an all-reduce (all-gather,
-- reduce-scatter, all-to-all) ends on all ranks at once: what the ends of a rank differ by, in the median over a process
-- group, is the difference of its clock, and is taken off. What is left of the differences of ends is `clock_spread_ns`;
-- a rank is called last only when it comes later than the one before it by more than three times that. Groups are told by
-- their names: tables do not hold the ranks of a group, so several groups of one name in one run are taken for one, unless
-- they are converted as runs of their own. Where files do not
-- number collectives (`seq`), the n-th of a name on each rank is the same one, if all ranks have as many.
CREATE OR REPLACE VIEW collective_arrivals AS
    WITH exchanged AS (  -- kernels of RCCL have one name for all: their arguments say which collective they are
        SELECT * EXCLUDE (rank), coalesce(rank::VARCHAR, device) AS rank,
            CASE WHEN regexp_matches(name, '(?i)(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)') THEN name_norm
                ELSE collective END AS what
        FROM kernels
        WHERE class = 'communication' AND coalesce(rank::VARCHAR, device) IS NOT NULL
            AND collective IN ('all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all')
    ), numbered AS (
        SELECT system, run, coalesce(pg_name, '') AS pg_name, what AS name, rank, ts, ts + dur AS ends, seq IS NULL AS is_nth,
            coalesce(seq, row_number() OVER (PARTITION BY system, run, rank, pg_name, what ORDER BY ts)) AS seq,
            count(*) OVER (PARTITION BY system, run, rank, pg_name, what) AS n
        FROM exchanged
    ), known AS (
        FROM numbered
        WINDOW kind AS (PARTITION BY system, run, pg_name, name)
        QUALIFY NOT is_nth OR min(n) OVER kind = max(n) OVER kind
    ), collectives AS (
        SELECT system, run, pg_name, seq, name, rank, min(ts) AS begins, max(ends) AS ends
        FROM known
        GROUP BY system, run, pg_name, seq, name, rank, is_nth
    ), together AS (
        SELECT *, count(*) OVER one AS ranks, ends - avg(ends) OVER one AS differs
        FROM collectives
        WINDOW one AS (PARTITION BY system, run, pg_name, seq, name)
        QUALIFY 1 < ranks
    ), aligned AS (
        SELECT *, median(differs) OVER (PARTITION BY system, run, pg_name, rank) AS clock_offset_ns FROM together
    )
    SELECT system, run, pg_name, seq, name, rank, ranks, begins - clock_offset_ns AS arrives,
        arrives - min(arrives) OVER one AS late_ns, clock_offset_ns,
        median(abs(differs - clock_offset_ns)) OVER (PARTITION BY system, run, pg_name) AS clock_spread_ns
    FROM aligned
    WINDOW one AS (PARTITION BY system, run, pg_name, seq, name);

-- One row for each rank and process group: how often it came last, by how much before it, and how long others waited.
CREATE OR REPLACE VIEW late_ranks AS
    WITH last AS (
        SELECT system, run, pg_name, seq, name, arg_max(rank, arrives) AS rank,
            max(arrives, 2)[1] - max(arrives, 2)[2] AS lead_ns, sum(max_arrival - arrives) AS waited_ns,
            any_value(clock_spread_ns) AS clock_spread_ns
        FROM (SELECT *, max(arrives) OVER (PARTITION BY system, run, pg_name, seq, name) AS max_arrival
              FROM collective_arrivals)
        GROUP BY ALL
        HAVING 3 * any_value(clock_spread_ns) < lead_ns
    ), all_of AS (
        SELECT system, run, pg_name, count(DISTINCT (seq, name)) AS collectives FROM collective_arrivals GROUP BY ALL
    )
    SELECT system, run, pg_name, rank, collectives, count(*) AS times_last, times_last / collectives AS share,
        median(lead_ns) AS med_lead_ns, sum(waited_ns)::BIGINT AS others_waited_ns, any_value(clock_spread_ns) AS clock_spread_ns
    FROM last JOIN all_of USING (system, run, pg_name)
    GROUP BY system, run, pg_name, rank, collectives
    ORDER BY others_waited_ns DESC;

-- ------------------------------------------------------------------------------------ what became slower, and by what
-- Samples of everything that can become slower: `name` is a kernel or an operator, `what` its time or a part of it.
--
--   time                 the kernel on the device; of Ascend operators the duration of the operator
--   gap before it        from the end of what its stream did before: the launch came late
--   launch latency       from the begin of the launch to its own, where the stream had nothing to do
--   pipe …, wait of …    active cycles and waits of a pipe (Ascend)
--   stall …              samples of a reason to stall, of all instructions, for each kind of sampling (Ascend)
CREATE OR REPLACE VIEW samples AS
    WITH placed AS (
        SELECT system, run, name, class, ts, dur, latency, max(ts + dur) OVER (
            PARTITION BY system, run, trace_id, rank, device, stream ORDER BY ts, slice_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free
        FROM kernels
        WHERE class != 'wait'
    ), kernel AS (
        FROM placed WHERE class NOT IN ('copy', 'part')
    ), operator AS (
        SELECT metrics.*, coalesce(traces.title, traces.name) AS title
        FROM metrics JOIN traces USING (system, run, trace_id)
        WHERE figure IN ('base-info', 'pipes')
    ), listing AS (  -- the only listing of a trace is called as the trace
        SELECT i.system, i.run, i.trace_id, i.stalls, coalesce(
            CASE WHEN count(DISTINCT listing) OVER (PARTITION BY i.system, i.run, i.trace_id) = 1 THEN title END, listing) AS title
        FROM instructions AS i JOIN traces USING (system, run, trace_id)
    ), stall AS (
        SELECT system, run, trace_id, title, unnest(map_entries(kind.value)) AS reason,
            coalesce(nullif(regexp_extract(kind.key, '\((.*)\)', 1), ''), kind.key) AS kind
        FROM (SELECT *, unnest(map_entries(from_json(stalls, '"MAP(VARCHAR,MAP(VARCHAR,DOUBLE))"'))) AS kind
              FROM listing WHERE stalls IS NOT NULL)
    )
    SELECT system, run, name, 'time' AS what, 'ns' AS unit, dur::DOUBLE AS value FROM kernel
    UNION ALL SELECT system, run, name, 'gap before it', 'ns', greatest(ts - free, 0) FROM kernel WHERE free IS NOT NULL
    UNION ALL SELECT system, run, name, 'launch latency', 'ns', latency FROM kernel WHERE free <= ts - latency
    UNION ALL SELECT system, run, title, 'time', 'ns', value * 1000 FROM operator
        WHERE figure = 'base-info' AND name = 'Duration' AND unit = 'µs'
    UNION ALL SELECT system, run, title, 'pipe ' || subject, unit, value FROM operator
        WHERE figure = 'pipes' AND name = 'Active cycles'
    UNION ALL SELECT system, run, title, 'wait of ' || subject, unit, value FROM operator
        WHERE figure = 'pipes' AND name = 'Wait'
    UNION ALL SELECT system, run, title, 'stall ' || reason.key || ', ' || kind, 'samples', sum(reason.value) FROM stall
        GROUP BY system, run, trace_id, title, reason.key, kind;

-- The probability that medians of two sets of runs differ as much by chance, when nothing changed: the rank-sum test of
-- Mann, Whitney and Wilcoxon, two-sided. With up to 40 runs it is exact, ties included: all ways of choosing the second
-- set are counted. Beyond that it is the normal approximation. `smallest_p` is what the test can say at best with so many
-- runs: 0.1 with 3 and 3, 0.008 with 5 and 5, 0.00001 with 10 and 10.
--
-- Many tests find something by chance. `q` corrects for that (Benjamini and Hochberg): of the rows with q < 0.05 one in
-- twenty is expected to be false.
CREATE OR REPLACE MACRO ways(n, k) AS round(exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)));
-- The complementary error function for 0 <= x, with a relative error below 0.0000002 (Numerical Recipes, erfcc).
CREATE OR REPLACE MACRO erfc(x) AS 1 / (1 + x / 2) * exp(-x * x + list_reduce(
    [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
        -1.26551223]::DOUBLE[], lambda sum, c: sum / (1 + x / 2) + c));

CREATE OR REPLACE VIEW changes AS
    WITH RECURSIVE medians AS (
        SELECT system, name, what, unit, run, run GLOB getvariable('after') AS is_after, median(value) AS value
        FROM samples
        WHERE run GLOB getvariable('before') OR run GLOB getvariable('after')
        GROUP BY ALL
    ), ranked AS (  -- twice the mean rank, so that ties have whole numbers too
        SELECT *, count(*) OVER (PARTITION BY system, name, what, unit, value) AS ties,
            2 * rank() OVER (PARTITION BY system, name, what, unit ORDER BY value) + ties - 1 AS twice_rank
        FROM medians
    ), compared AS (
        SELECT system, name, what, unit, count(*) FILTER (NOT is_after) AS runs_before,
            count(*) FILTER (is_after) AS runs_after, median(value) FILTER (NOT is_after) AS before,
            median(value) FILTER (is_after) AS after, list(twice_rank::INTEGER ORDER BY twice_rank) AS ranks,
            abs(sum(twice_rank) FILTER (is_after) - runs_after * (count(*) + 1)) AS away,
            sqrt(runs_before * runs_after / 12 * (count(*) + 1 - sum(ties * ties - 1) / (count(*) * (count(*) - 1)))) AS spread
        FROM ranked
        GROUP BY ALL
        HAVING 0 < runs_before AND 0 < runs_after
    ), counted AS (  -- the ways to choose so many of the first runs, by the sum of their ranks; the same for all without ties
        SELECT DISTINCT ranks, runs_after, 0 AS seen, 0 AS chosen, 0 AS sum_of_ranks, 1::DOUBLE AS ways
        FROM compared
        WHERE len(ranks) <= 40
        UNION ALL
        SELECT ranks, runs_after, seen + 1, chosen + take, sum_of_ranks + take * ranks[seen + 1], sum(ways)
        FROM counted, (VALUES (0), (1)) AS choice(take)
        WHERE seen < len(ranks) AND chosen + take <= runs_after
        GROUP BY ranks, runs_after, seen, chosen + take, sum_of_ranks + take * ranks[seen + 1]
    ), distances AS (
        SELECT ranks, runs_after, abs(sum_of_ranks - runs_after * (len(ranks) + 1)) AS away, sum(ways) AS ways
        FROM counted
        WHERE seen = len(ranks) AND chosen = runs_after
        GROUP BY ALL
    ), exact AS (
        SELECT ranks, runs_after, away, sum(ways) OVER (PARTITION BY ranks, runs_after ORDER BY away DESC)
            / sum(ways) OVER (PARTITION BY ranks, runs_after) AS p
        FROM distances
    ), tested AS (
        SELECT compared.*, coalesce(exact.p,
            least(1, erfc(greatest(compared.away / 2 - 0.5, 0) / nullif(spread, 0) / sqrt(2))), 1) AS p
        FROM compared LEFT JOIN exact USING (ranks, runs_after, away)
    ), placed AS (
        SELECT *, count(*) OVER (ORDER BY p) AS place, count(*) OVER () AS tests FROM tested
    )
    SELECT system, name, what, unit, runs_before, runs_after, before, after, after - before AS difference,
        after / nullif(before, 0) AS ratio, p, 2 / ways(runs_before + runs_after, runs_after) AS smallest_p,
        least(1, min(p * tests / place) OVER (ORDER BY place ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS q
    FROM placed
    ORDER BY q, abs(ln(nullif(ratio, 0))) DESC NULLS LAST;

-- What became slower: what differs by more than chance, and by at least 1 %. A kernel stands here with each part that grew.
CREATE OR REPLACE VIEW regressions AS
    FROM changes
    WHERE q < 0.05 AND 0.01 * abs(before) < difference
    ORDER BY system, name, what != 'time', difference DESC;
