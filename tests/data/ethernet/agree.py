#!/usr/bin/python3
"""agree.py DATA ANSWERS: compares each answer ANSWERS/CASE.KIND, the exit code of ripstop judge and what it prints as JSON, with
DATA/CASE/expected.json, and prints what differs.

KIND is plan, clab, sonic or lldp: how the cables were given. Transient states are compared for lldp alone, since a plan has the
failed cables, too."""
import json
import sys
from fractions import Fraction
from pathlib import Path

KEYS = """pairs unreachable_pairs partly_reached_pairs dead_ends loops looping_prefixes worst_link_paths worst_links worst_link_any_hash
mean_hops max_hops entries next_hop_sets largest_set credit_loop links_in_credit_loops classes_needed unknown_interfaces
next_hops_of_nobody prefixes_at_several_switches switches_without_table""".split()
CLASSES = "lossless_classes credit_loop links_in_credit_loops pause_mismatch leaves_lossless".split()
TRANSIENT = "changed_entries looping_prefixes credit_loop links_in_credit_loops fixed_mixture_credit_loop".split()


def same(want, got):
    if want is None or isinstance(want, bool):
        return got is want
    if isinstance(want, list):
        return isinstance(got, list) and sorted(map(str, want)) == sorted(map(str, got))
    return got is not None and abs(Fraction(str(want)) - Fraction(str(got))) < Fraction(1, 10**6)


def compare(want, got, keys, what):
    for key in keys:
        if key in want and not (key in got and same(want[key], got[key])):
            print(f"{what}{key}: {got.get(key, 'missing')}, not {want[key]}")
    length = len(got.get("witness") or [])
    if "shortest_cycle" in want and length != want["shortest_cycle"]:
        print(f"{what}witness: {got.get('witness')}, not a cycle of {want['shortest_cycle']}")


data, answers = map(Path, sys.argv[1:])
for file in sorted(answers.iterdir()):
    case, kind = file.name.split(".")
    expected = json.loads((data / case / "expected.json").read_text())
    code, text = file.read_text().split("\n", 1)
    answer = json.loads(text)
    where = f"{case} on {kind}: "
    compare(expected, answer, KEYS, where)
    if "classes" in expected:
        compare(expected["classes"], answer["classes"], CLASSES, where + "classes.")
    if "mixture" in expected and kind == "lldp":
        compare(expected["mixture"], answer["mixture"], TRANSIENT, where + "mixture.")
    bad = answer["unreachable_pairs"] > answer["disconnected_pairs"] or answer.get("classes", answer)["credit_loop"]
    bad = bad or any(answer.get("mixture", {}).get(key) for key in ("credit_loop", "looping_prefixes"))
    if int(code) != bad:
        print(f"{where}exit code {code}, not {int(bad)}")
