#!/usr/bin/env python3
"""The tables of docs/comparisons.md: each method at its best selection function, arbiter and load, against its rivals.

usage: tools/best-of.py [--ripstop PROGRAM] [--samples N] STORE METHOD RIVAL...

STORE is that of an experiment of experiments/comparisons. METHOD and each RIVAL name a method with some of its options,
as `ripstop run` takes them; of several methods that have these, the one with the shortest full name is taken.

A row is a pattern, a queue and a count of failed links. A method's value is the highest mean of `accepted` over its
settings (selection function, arbiter, load) that all samples were run with; --samples takes the first N samples alone.
The rival is the one with the highest value. The difference is taken sample by sample, with Student's interval of 95 %.
`win` and `loss`: all of the interval is on one side of 0; else `tie`. The quotient is that of the means.

The best setting is chosen by the same runs, so a value of many settings is a little too high. A double dagger marks rows
with runs that lost packets or deadlocked.
"""
import argparse
import csv
import statistics
import subprocess
from collections import defaultdict

T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
       2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045]


def interval(values):
    """Mean and half width."""
    n = len(values)
    t = T95[min(n - 2, len(T95) - 1)]
    return statistics.mean(values), t * statistics.stdev(values) / n**0.5


def read(ripstop, store, samples=None):
    """accepted[row][method][setting][sample], and the shares of packets that were lost."""
    text = subprocess.run([ripstop, "store", "export", store], check=True, capture_output=True, text=True).stdout
    accepted = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    bad = defaultdict(int)
    for run in csv.DictReader(text.splitlines()):
        if samples and int(run["faults.sample"]) >= samples:
            continue
        row = run["traffic.pattern"], int(run["switch.in_queue"]), int(run["faults.count"])
        setting = run["switch.selection"], run["switch.arbiter"], float(run["traffic.load"])
        accepted[row][run["method"]][setting][run["faults.sample"]] = float(run["accepted [flits/node/cycle]"])
        bad[row, run["method"], setting] += run["verdict"] in ("lossy", "deadlocked")
    return accepted, bad


def best(settings):
    """Of the settings that all samples have been run with."""
    most = max(map(len, settings.values()))
    whole = [s for s in settings if len(settings[s]) == most]
    return max(whole, key=lambda s: statistics.mean(settings[s].values()))


def cell(settings, setting):
    mean, half = interval(list(settings[setting].values()))
    return f"{mean:.3f} ± {half:.3f} ({setting[0]}, {setting[1]}, {setting[2]:g})"


def named(methods, name):
    word, _, options = name.partition(":")
    found = [m for m in methods if m.partition(":")[0] == word and set(filter(None, options.split(","))) <= set(m.partition(":")[2].split(","))]
    if not found:
        raise SystemExit(f"{name}: the store has {', '.join(sorted(methods))}")
    return min(found, key=len)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ripstop", default="build/ripstop")
    parser.add_argument("--samples", type=int)
    parser.add_argument("store")
    parser.add_argument("method")
    parser.add_argument("rival", nargs="+")
    args = parser.parse_args()
    accepted, bad = read(args.ripstop, args.store, args.samples)
    methods = {m for row in accepted.values() for m in row}
    method, rivals = named(methods, args.method), [named(methods, r) for r in args.rival]
    print("| pattern | queue | failed | " + args.method + " | rival | difference | quotient | samples | |\n|---|---|---|---|---|---|---|---|---|")
    for row in sorted(accepted):
        runs = accepted[row]
        if not all(runs.get(m) for m in [method, *rivals]):
            continue
        mine = best(runs[method])
        rival = max(rivals, key=lambda r: statistics.mean(runs[r][best(runs[r])].values()))
        its = best(runs[rival])
        both = sorted(set(runs[method][mine]) & set(runs[rival][its]))
        if len(both) < 2:
            continue
        mean, half = interval([runs[method][mine][s] - runs[rival][its][s] for s in both])
        word = "win" if mean > half else "loss" if mean < -half else "tie"
        quotient = sum(runs[method][mine][s] for s in both) / sum(runs[rival][its][s] for s in both)
        mark = "".join(" ‡" for m, s in ((method, mine), (rival, its)) if bad[row, m, s])
        print(f"| {row[0]} | {row[1]} | {row[2]} | {cell(runs[method], mine)} | {args.rival[rivals.index(rival)]}: "
              f"{cell(runs[rival], its)} | {mean:+.3f} ± {half:.3f}{mark} | {quotient:.3f} | {len(both)} | {word} |")


if __name__ == "__main__":
    main()
