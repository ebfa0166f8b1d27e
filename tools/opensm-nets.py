#!/usr/bin/env python3
"""Writes nets for OpenSM's engines, whole and with 5 % of the cables between switches left out, as ibsim reads them.

usage: tools/opensm-nets.py FOLDER [NET...]    NET: ktree-K-N, ft-K, torus-AxB.., kns-K-N; without: those of docs/opensm.md

FOLDER/NET-0.net.gz and NET-5.net.gz, NET.roots (the top switches of a tree, else switch 0) and, of tori, NET.torus for
torus-2QoS. What the engines do depends on the numbers of ports and GUIDs, so these are part of a net: switches are
numbered from 0 and have the GUIDs 0x2c90200000000 + number, adapters 0x2c90300000000 + 16 x number.
"""
import gzip
import itertools
import os
import random
import sys

NETS = ["ktree-4-3", "ktree-8-3", "ft-24", "torus-8x8", "torus-16x16", "torus-8x8x8", "kns-8-2", "kns-8-3"]


class Net:
    """Cables between switches as (switch, port, switch, port) in the order they are drawn from; where each adapter is."""

    def __init__(self):
        self.switches, self.cables, self.hosts, self.roots, self.torus = 0, [], [], [0], None

    def text(self, dead):
        ports = [{} for _ in range(self.switches)]
        for a, p, b, q in self.cables:
            if (a, p, b, q) not in dead:
                ports[a][p] = f'"S-{switch_guid(b):016x}"[{q}]\t\t# "sw-{b}" lid 0 4xEDR'
                ports[b][q] = f'"S-{switch_guid(a):016x}"[{p}]\t\t# "sw-{a}" lid 0 4xEDR'
        for host, (a, p) in enumerate(self.hosts):
            guid = host_guid(host)
            ports[a][p] = f'"H-{guid:016x}"[1]({guid + 1:x})\t\t# "node-{host}" lid 0 4xEDR'
        return "\n".join([switch_text(a, ports[a]) for a in range(self.switches)]
                         + [host_text(host, a, p) for host, (a, p) in enumerate(self.hosts)])


def switch_guid(number):
    return 0x2C90200000000 + number


def host_guid(number):
    return 0x2C90300000000 + 16 * number


def switch_text(number, ports):
    guid = switch_guid(number)
    lines = [f"vendid=0x2c9\ndevid=0xcf08\nsysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}({guid:x})",
             f'Switch\t{max(ports, default=1)} "S-{guid:016x}"\t\t# "sw-{number}" enhanced port 0 lid 0 lmc 0']
    return "\n".join(lines + [f"[{port}]\t{ports[port]}" for port in sorted(ports)]) + "\n"


def host_text(number, switch, port):
    guid = host_guid(number)
    return (f"vendid=0x2c9\ndevid=0x1003\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\n"
            f'Ca\t1 "H-{guid:016x}"\t\t# "node-{number}"\n'
            f'[1]({guid + 1:x})\t"S-{switch_guid(switch):016x}"[{port}]\t\t# lid 0 lmc 0 "sw-{switch}" lid 0 4xEDR\n')


def number(digits, radices):
    value = 0
    for digit, radix in zip(digits, radices):
        value = value * radix + digit
    return value


def torus(shape):
    """Ports: up and down in the first dimension, then in the second..; the adapter last."""
    net, dims = Net(), [int(x) for x in shape.split("x")]
    for place in itertools.product(*map(range, dims)):
        for d in range(len(dims)):
            next_place = place[:d] + ((place[d] + 1) % dims[d],) + place[d + 1:]
            net.cables.append((number(place, dims), 2 * d + 1, number(next_place, dims), 2 * d + 2))
        net.hosts.append((number(place, dims), 2 * len(dims) + 1))
    net.switches = len(net.hosts)
    net.torus = torus_file(dims)
    return net


def torus_file(dims):
    lines, step = ["torus " + " ".join(map(str, dims + [1] * (3 - len(dims))))], 1
    for d in reversed(range(len(dims))):
        for way, far in (("p", step), ("m", step * (dims[d] - 1))):
            lines.append(f"{'xyz'[d]}{way}_link 0x{switch_guid(0):x} 0x{switch_guid(far):x}")
        lines.append(f"{'xyz'[d]}_dateline 0")
        step *= dims[d]
    return "\n".join(lines) + "\n"


def ktree(k, n):
    """k-ary n-tree: ports 1 to k lead down, k + 1 to 2 k up; from level l to l + 1 digit l may change."""
    net, level = Net(), k ** (n - 1)
    for l in range(n - 1):
        for place in itertools.product(range(k), repeat=n - 1):
            for up in range(k):
                above = place[:l] + (up,) + place[l + 1:]
                net.cables.append((l * level + number(place, [k] * (n - 1)), k + 1 + up,
                                   (l + 1) * level + number(above, [k] * (n - 1)), place[l] + 1))
    net.hosts = [(leaf, port + 1) for leaf in range(level) for port in range(k)]
    net.switches, net.roots = n * level, range((n - 1) * level, n * level)
    return net


def ft(ports):
    """Three levels of switches with so many ports, full bisection."""
    net, half = Net(), ports // 2
    leaves = ports * half
    for pod in range(ports):
        for leaf, up in itertools.product(range(half), repeat=2):
            net.cables.append((pod * half + leaf, half + up + 1, leaves + pod * half + up, leaf + 1))
        for middle, up in itertools.product(range(half), repeat=2):
            net.cables.append((leaves + pod * half + middle, half + up + 1, 2 * leaves + middle * half + up, pod + 1))
    net.hosts = [(leaf, port + 1) for leaf in range(leaves) for port in range(half)]
    net.switches, net.roots = 2 * leaves + half * half, range(2 * leaves, 2 * leaves + half * half)
    return net


def kns(k, n):
    """Routers with a port a dimension to the switch of their line, and one for their adapter."""
    net, routers, lines = Net(), k ** n, k ** (n - 1)
    for d, line, digit in itertools.product(range(n), range(lines), range(k)):
        above, below = divmod(line, k ** (n - 1 - d))
        router = (above * k + digit) * k ** (n - 1 - d) + below
        net.cables.append((router, d + 1, routers + d * lines + line, digit + 1))
    net.hosts = [(router, n + 1) for router in range(routers)]
    net.switches = routers + n * lines
    return net


def make(name):
    kind, *sizes = name.split("-")
    return torus(sizes[0]) if kind == "torus" else {"ktree": ktree, "ft": ft, "kns": kns}[kind](*map(int, sizes))


def main(folder, names):
    os.makedirs(folder, exist_ok=True)
    for name in names or NETS:
        net = make(name)
        for percent in 0, 5:
            dead = random.Random(1).sample(net.cables, round(percent / 100 * len(net.cables)))
            with gzip.open(f"{folder}/{name}-{percent}.net.gz", "wt") as file:
                file.write(net.text(set(dead)))
        with open(f"{folder}/{name}.roots", "w") as file:
            file.writelines(f"0x{switch_guid(root):x}\n" for root in net.roots)
        if net.torus:
            with open(f"{folder}/{name}.torus", "w") as file:
                file.write(net.torus)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
