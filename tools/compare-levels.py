#!/usr/bin/env python3
"""Counts the pairs of adapters whose service level differs between OpenSM's tables and those of `ripstop route`.

usage: tools/compare-levels.py OPENSM RIPSTOP   folders: of tools/opensm-tables.sh, and of ripstop route -o

LIDs may differ between the two, so pairs are compared by the GUIDs of their ports. Exit code 1: a pair is in one alone.
"""
import pathlib
import re
import sys


def ports(lfts):
    """The GUID of the port of each LID."""
    found = re.findall(r"^0x([0-9a-f]+) \d+ # [\w ]*portguid 0x([0-9a-f]+)", lfts.read_text(), re.M)
    return {int(lid, 16): int(guid, 16) for lid, guid in found}


def opensm_levels(folder):
    port, levels, source = ports(folder / "opensm-lfts.dump"), {}, None
    for line in (folder / "opensm-path-records.dump").read_text().splitlines():
        head = re.match(r"Channel Adapter 0x([0-9a-f]+)", line)
        pair = re.match(r"0x([0-9A-Fa-f]+) : (\d+)", line)
        if head:
            source = int(head[1], 16)
        elif pair:
            levels[source, port[int(pair[1], 16)]] = int(pair[2])
    return levels


def ripstop_levels(folder):
    """An adapter's own GUID is in the file; that of its only port is the next number."""
    port, levels = ports(folder / "lfts.dump"), {}
    for line in (folder / "sl.dump").read_text().splitlines():
        if line.startswith("0x"):
            guid, lid, level = line.split()
            levels[int(guid, 16) + 1, port[int(lid)]] = int(level)
    return levels


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    theirs, ours = opensm_levels(pathlib.Path(arguments[0])), ripstop_levels(pathlib.Path(arguments[1]))
    missing = [pair for pair in theirs if pair not in ours]
    print(sum(ours.get(pair) != level for pair, level in theirs.items()))
    return 1 if missing or not theirs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
