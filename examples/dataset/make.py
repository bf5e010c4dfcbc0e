#!/usr/bin/env python3
"""Makes a data set to try things on: small traces of all systems, some of them broken, with facts that are known.

    python3 examples/dataset/make.py FOLDER [--traces N] [--seed N]

    FOLDER/traces/before-01/…   ten nights with traces of all systems
    FOLDER/traces/after-01/…    ten nights after a change: one kernel and one operator take 12 % longer, one kernel starts later
    FOLDER/traces/ranks-01/…    runs of four ranks each, one of which comes late to every collective
    FOLDER/traces/broken/…      2 % of the traces: cut, flipped, empty, not what their names say
    FOLDER/facts.json           what is known of them

Nothing was measured. Only what comes with Python is used; the same seed gives the same bytes.
"""

import argparse
import json
import random
from pathlib import Path

import broken
import pytorch
import systems

NIGHTS = 10  # of each set
RANKS = 4  # of a run
# Kinds of the traces of a night, in turn.
KINDS = ["pytorch", "ascend", "nnapi", "neutrino", "nvbit", "gpgpusim", "pytorch", "ascend"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--traces", type=int, default=1000, help="how many, at least 200 (1000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.traces < 200:
        parser.error("fewer than 200 traces do not fill twenty nights with all systems")
    facts = make(args.folder, args.traces, args.seed)
    print(f"{args.folder}: {facts['traces']} traces, {facts['bytes']} bytes")


def make(folder, traces, seed):
    dice = random.Random(seed)
    top = folder / "traces"
    top.mkdir(parents=True)
    n_broken, n_runs = traces // 50, traces // (10 * RANKS)
    facts = {
        "traces": traces, "broken": n_broken, "seed": seed,
        "slower": {
            "kernel": pytorch.KERNELS[0][0], "operator": systems.OPERATORS[0][0], "by": 0.12,
            "late": pytorch.KERNELS[4][0], "gap_ns": round(pytorch.KERNELS[4][3] * 1000),
        },
        "kernels": {}, "copies": {}, "nnapi": {}, "lifetimes": {}, "accesses": {}, "ranks": {},
    }
    nights(top, dice, traces - n_broken - n_runs * RANKS, facts)
    for n in range(n_runs):
        run = top / f"ranks-{n + 1:02}"
        run.mkdir()
        late, lateness = dice.randrange(RANKS), round(dice.uniform(300, 600), 1)
        clocks = [dice.uniform(-3000, 3000) for _ in range(RANKS // 2)]
        offsets = [5000 + clocks[rank // 2] for rank in range(RANKS)]
        pytorch.ranks(run, dice, RANKS, late, lateness, offsets)
        facts["ranks"][run.name] = {"late": late, "by_us": lateness, "collectives": pytorch.COLLECTIVES}
    broken.write(top / "broken", n_broken, dice)
    facts["bytes"] = sum(path.stat().st_size for path in top.rglob("*") if path.is_file())
    (folder / "facts.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
    return facts


def nights(top, dice, n, facts):
    """So many traces, dealt to the nights of both sets."""
    runs = [f"{name}-{night + 1:02}" for name in ("before", "after") for night in range(NIGHTS)]
    speeds = {run: dice.gauss(1, 0.01) for run in runs}
    for i in range(n):
        run, at = runs[i % len(runs)], i // len(runs)
        night(top / run, at, dice, speeds[run], facts)


def night(folder, at, dice, speed, facts):
    """The trace of this number of a night."""
    is_second = folder.name.startswith("after")
    kind, which = KINDS[at % len(KINDS)], at // len(KINDS)
    folder.mkdir(exist_ok=True)
    path = folder / f"{kind}-{at:03}"

    def count(table, key, *numbers):
        row = facts[table].setdefault(key, [0] * len(numbers))
        facts[table][key] = [a + b for a, b in zip(row, numbers)]

    if kind == "pytorch":
        for name, cat, nanos, size in pytorch.training(path.with_suffix(".pt.trace.json"), dice, is_second, speed):
            if cat == "kernel":
                count("kernels", name, 1, nanos)
            else:
                count("copies", name, 1, nanos, size)
    elif kind == "ascend":
        # One operator each, every operator in every night that has three of them.
        systems.ascend(folder / f"OPPROF_{at:03}", dice, is_second, speed, ascend_number(at))
    elif kind == "nnapi":
        model, micros = systems.nnapi(path.with_suffix(".txt"), dice, which + number(folder))
        count("nnapi", model, 1, micros)
    elif kind == "neutrino":
        systems.neutrino(path, dice, which + number(folder))
    elif kind == "nvbit":
        kernel, n = systems.nvbit(path.with_suffix(".txt"), which + number(folder))
        count("accesses", kernel, 1, n)
    else:
        workload, n, short = systems.gpgpusim(path, dice, which + number(folder))
        count("lifetimes", workload, n, short)


def ascend_number(at):
    """The how many-th Ascend trace of a night this is."""
    return sum(KINDS[i % len(KINDS)] == "ascend" for i in range(at))


def number(folder):
    return int(folder.name.rsplit("-", 1)[1])


if __name__ == "__main__":
    main()
