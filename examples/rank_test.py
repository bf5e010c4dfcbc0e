"""Whether medians of two sets of runs differ by more than chance: the rank-sum test of Mann, Whitney and Wilcoxon. For the
scripts beside it; the view `changes` of duckdb/views.sql says the same."""

import math

EXACT = 40  # runs; beyond that the normal approximation is good


def p_value(first, second):
    """The probability that two sets differ as much by chance, two-sided; ties included.

    All ways to choose as many of the values as the second set has are counted by the sum of their ranks.
    """
    n, m = len(first), len(second)
    if not n or not m:
        return 1.0
    values = sorted(first) + sorted(second)
    order = sorted(values)
    # Twice the mean rank, so that ties have whole numbers too.
    place, peers = {}, {}
    for at, value in enumerate(order):
        place.setdefault(value, at)
        peers[value] = peers.get(value, 0) + 1
    twice = {value: 2 * at + peers[value] + 1 for value, at in place.items()}
    away = abs(sum(twice[value] for value in second) - m * (n + m + 1))
    if EXACT < n + m:
        ties = sum(count**3 - count for count in peers.values())
        spread = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
        return min(1.0, math.erfc(max(away / 2 - 0.5, 0) / spread / math.sqrt(2))) if spread else 1.0
    ways = [{0: 1}] + [{} for _ in range(m)]
    for value in order:
        rank = twice[value]
        for chosen in range(m - 1, -1, -1):
            target = ways[chosen + 1]
            for total, count in ways[chosen].items():
                target[total + rank] = target.get(total + rank, 0) + count
    far = sum(count for total, count in ways[m].items() if away <= abs(total - m * (n + m + 1)))
    return far / math.comb(n + m, m)


def smallest_p(n, m):
    """What the test can say at best with so many runs: 0.1 with 3 and 3, 0.008 with 5 and 5, 0.00001 with 10 and 10."""
    return 2 / math.comb(n + m, m)


def q_values(p_values):
    """Corrected for many tests (Benjamini and Hochberg): of those below 0.05 one in twenty is expected to be false."""
    order = sorted(range(len(p_values)), key=lambda at: p_values[at], reverse=True)
    found, least = [1.0] * len(p_values), 1.0
    for rank, at in zip(range(len(order), 0, -1), order):
        least = min(least, p_values[at] * len(order) / rank)
        found[at] = least
    return found


def show(rows):
    """Prints changes: a row for each part of a kernel or an operator."""
    line = "{:<11} {:<26} {:<38} {:>12} {:>12} {:<7} {:>6} {:>7} {:>8} {:>8}"
    print(line.format("system", "name", "what", "before", "after", "unit", "ratio", "runs", "p", "q"))
    for row in rows:
        ratio = f"{row['after'] / row['before']:.3f}" if row["before"] else ""
        shown = [row["system"], row["name"][:26], row["what"][:38], f"{row['before']:,.0f}", f"{row['after']:,.0f}"]
        shown += [row["unit"] or "", ratio, f"{row['runs_before']}/{row['runs_after']}"]
        print(line.format(*shown, f"{row['p']:.2g}", f"{row['q']:.2g}"))
