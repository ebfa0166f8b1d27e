#!/usr/bin/python3
"""draw-methods.py - draws the small pictures of docs/methods: fabrics with routes, failed links and labels.

usage: tools/draw-methods.py [NAME...]     writes docs/images/NAME.svg: all pictures, or those named
       tools/draw-methods.py --check       ends with 1 if a picture is not the one that this program draws
"""
import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).resolve().parent.parent / "docs/images"
BLUE, RED, GREEN, ORANGE, GREY = "#0072b2", "#b03000", "#00805a", "#c47000", "#999999"
COLOURS = {"blue": BLUE, "red": RED, "green": GREEN, "orange": ORANGE, "grey": "#777777"}
SHIFT = 5  # pixels that a route keeps to the right of its link's middle


class Picture:
    """Nodes at places, links between them, routes over them; written as SVG."""

    def __init__(self, title, width, height):
        self.title, self.width, self.height = title, width, height
        self.places, self.below, self.above = {}, [], []

    def node(self, name, x, y, text=None, width=40, fill="#ffffff"):
        self.places[name] = (x, y)
        self.above.append('<rect x="%g" y="%g" width="%g" height="24" rx="4" fill="%s" stroke="#333333" stroke-width="1.5"/>'
                          % (x - width / 2, y - 12, width, fill))
        self.text(x, y + 4, name if text is None else text)

    def end(self, name, x, y, text=None):
        self.places[name] = (x, y)
        self.above.append('<circle cx="%g" cy="%g" r="11" fill="#ffffff" stroke="#333333" stroke-width="1.5"/>' % (x, y))
        self.text(x, y + 4, name if text is None else text)

    def text(self, x, y, text, colour="#222222", size=13, anchor="middle"):
        self.above.append('<text x="%g" y="%g" fill="%s" font-size="%g" text-anchor="%s">%s</text>'
                          % (x, y, COLOURS.get(colour, colour), size, anchor, escape(text)))

    def link(self, a, b, failed=False):
        (x, y), (u, v) = self.places[a], self.places[b]
        look = 'stroke="%s" stroke-dasharray="5 4"' % RED if failed else 'stroke="%s"' % GREY
        self.below.append('<line x1="%g" y1="%g" x2="%g" y2="%g" %s stroke-width="1.5"/>' % (x, y, u, v, look))
        if failed:
            self.text((x + u) / 2, (y + v) / 2 + 6, "×", RED, 20)

    def links(self, pairs, failed=()):
        for a, b in pairs:
            self.link(a, b, (a, b) in failed or (b, a) in failed)

    def route(self, names, colour="blue", dashed=False, closed=False):
        """Arrows from node to node, beside the links."""
        pairs = list(zip(names, names[1:])) + ([(names[-1], names[0])] if closed else [])
        for i, (a, b) in enumerate(pairs):
            (x, y), (u, v) = self.places[a], self.places[b]
            length = math.hypot(u - x, v - y)
            dx, dy = (u - x) / length, (v - y) / length
            trim = 16 if abs(dy) > abs(dx) else 24
            self.below.append('<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="2.2"%s marker-end="url(#%s)"/>' % (
                x + dx * trim - dy * SHIFT, y + dy * trim + dx * SHIFT, u - dx * trim - dy * SHIFT, v - dy * trim + dx * SHIFT,
                COLOURS[colour], ' stroke-dasharray="4 3"' if dashed else "", colour))

    def svg(self):
        used = [name for name in COLOURS if any("url(#%s)" % name in line for line in self.below)]
        markers = "".join('<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="4.5" markerHeight="4.5" orient="auto">'
                          '<path d="M0 0L8 4L0 8z" fill="%s"/></marker>' % (name, COLOURS[name]) for name in used)
        return "\n".join([
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="Helvetica, Arial, sans-serif">'
            % (self.width, self.height, self.width, self.height),
            "<title>%s</title>" % escape(self.title), '<rect width="%d" height="%d" fill="#ffffff"/>' % (self.width, self.height),
            "<defs>%s</defs>" % markers] + self.below + self.above + ["</svg>", ""])


def grid(title, columns, rows, failed=(), below=30, names=True, wrap=False):
    """A mesh: node (x, y) by the name "x.y", the row 0 at the top; with stubs of the links that close the rings."""
    p = Picture(title, 110 * columns + 20, 70 * rows + below)
    for y in range(rows):
        for x in range(columns):
            p.node("%d.%d" % (x, y), 65 + 110 * x, 35 + 70 * y, None if names else "")
    at = lambda x, y: "%d.%d" % (x, y)
    p.links([(at(x, y), at(x + 1, y)) for y in range(rows) for x in range(columns - 1)], failed)
    p.links([(at(x, y), at(x, y + 1)) for y in range(rows - 1) for x in range(columns)], failed)
    if wrap:
        for y in range(rows):
            for x, to in ((65, 12), (65 + 110 * (columns - 1), 110 * columns + 8)):
                p.below.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="1.5"/>' % (x, 35 + 70 * y, to, 35 + 70 * y, GREY))
    return p


# ---------------------------------------------------------------- the pictures


def immunet():
    p = grid("The tour of a spanning tree of a 3 x 3 mesh", 3, 3, [("1.0", "1.1")], below=36)
    p.route(["0.2", "0.1", "0.0", "1.0", "2.0", "2.1", "1.1", "2.1", "2.2", "1.2", "2.2", "2.1", "2.0", "1.0", "0.0", "0.1"], closed=True)
    p.text(175, 238, "16 hops: each of the 8 tree links once in each direction", "#555555", 12)
    return p


def mend():
    p = Picture("A channel order of a ring of four switches", 420, 250)
    for name, x, y in (("a", 110, 60), ("b", 310, 60), ("c", 310, 180), ("d", 110, 180)):
        p.node(name, x, y)
    ring = "abcd"
    p.links([(a, b) for a, b in zip(ring, ring[1:] + "a")])
    for i in range(4):
        p.route([ring[i], ring[(i + 1) % 4]])
        p.route([ring[(i + 1) % 4], ring[i]], "green")
    for number, x, y in ((0, 210, 84), (1, 288, 124), (2, 210, 164), (3, 132, 124)):
        p.text(x, y, str(number), "blue")
    for number, x, y in ((4, 88, 124), (5, 210, 206), (6, 332, 124), (7, 210, 44)):
        p.text(x, y, str(number), "green")
    p.text(210, 236, "at a: the turns from 3 into 0 and from 7 into 4 are not allowed", RED, 12)
    return p


def detour_tree(title):
    """The part of a 4-ary 3-tree that Figure 1 of paper 003 is about, with its two failed links."""
    p = Picture(title, 500, 290)
    p.end("a", 70, 262, "")
    p.end("b", 430, 262, "")
    for name, x, y in (("0/0.0", 70, 200), ("0/3.2", 430, 200), ("1/0.1", 70, 115), ("1/2.1", 270, 115), ("1/3.1", 430, 115),
                       ("2/2.1", 70, 30), ("2/3.1", 210, 30), ("2/0.1", 350, 30)):
        p.node(name, x, y, width=46)
    p.text(118, 267, "source", "#555555", 12)
    p.text(372, 267, "destination", "#555555", 12)
    p.links([("a", "0/0.0"), ("b", "0/3.2"), ("0/0.0", "1/0.1"), ("0/3.2", "1/3.1"), ("1/0.1", "2/2.1"), ("1/0.1", "2/3.1"),
             ("1/0.1", "2/0.1"), ("1/2.1", "2/3.1"), ("1/2.1", "2/0.1"), ("1/3.1", "2/0.1"), ("1/3.1", "2/3.1"), ("1/3.1", "2/2.1")],
            [("1/0.1", "2/2.1"), ("1/3.1", "2/3.1")])
    return p


def uturn_example():
    p = detour_tree("A detour upward and a U-turn downward in a 4-ary 3-tree")
    p.route(["a", "0/0.0", "1/0.1", "2/3.1", "1/2.1"])
    p.route(["1/2.1", "2/0.1", "1/3.1"], dashed=True)
    p.route(["1/3.1", "0/3.2", "b"])
    return p


def reprioritise():
    p = detour_tree("The virtual channels of a packet that meets two failed links")
    p.route(["a", "0/0.0", "1/0.1"])
    p.route(["1/0.1", "2/3.1", "1/0.1"], "orange")
    p.route(["1/0.1", "2/0.1", "1/3.1"], "green")
    p.route(["1/3.1", "0/3.2", "b"])
    for y, colour, text in ((180, "blue", "VC 1, its own"), (200, "orange", "VC 0, misrouted"), (220, "green", "VC 3, the U-turn")):
        p.text(200, y, text, colour, 12, "start")
    return p


def beside(title, left, right):
    """Two pictures next to each other."""
    p = Picture(title, left.width + right.width, max(left.height, right.height))
    p.below = left.below + ['<g transform="translate(%d 0)">' % left.width] + right.below + right.above + ["</g>"]
    p.above = left.above
    return p


def dor():
    left, right = grid("", 3, 3, below=14), grid("", 3, 3, [("2.0", "2.1")], below=14)
    left.route(["0.0", "1.0", "2.0", "2.1", "2.2"])
    right.route(["0.0", "1.0", "2.0"])
    return beside("Dimension order: the row first, then the column", left, right)


def minimal():
    p = grid("All shortest paths of a mesh", 3, 3, below=14)
    for x in range(3):
        for y in range(3):
            if x < 2:
                p.route(["%d.%d" % (x, y), "%d.%d" % (x + 1, y)])
            if y < 2:
                p.route(["%d.%d" % (x, y), "%d.%d" % (x, y + 1)])
    return p


def minimal_adaptive():
    p = minimal()
    p.title = "Adaptive candidates and the escape"
    for a, b in (("0.0", "1.0"), ("1.0", "2.0"), ("2.0", "2.1"), ("2.1", "2.2")):
        (x, y), (u, v) = p.places[a], p.places[b]
        p.places[a], p.places[b] = (x - 12 * (v > y), y + 12 * (u > x)), (u - 12 * (v > y), v + 12 * (u > x))
        p.route([a, b], "green", dashed=True)
        p.places[a], p.places[b] = (x, y), (u, v)
    return p


def valiant():
    p = grid("Two minimal legs over a random switch", 4, 3, below=14)
    p.route(["0.0", "1.0", "2.0", "3.0"], dashed=True)
    p.route(["3.0", "2.0", "1.0", "1.1", "1.2"], "green")
    p.text(395, 18, "random switch", "#555555", 11)
    return p


def ugal():
    p = grid("A minimal path and one over a random switch", 4, 3, below=40)
    p.route(["0.0", "0.1", "0.2", "1.2"], "green")
    p.route(["0.0", "1.0", "2.0", "3.0", "3.1", "3.2", "2.2", "1.2"], dashed=True)
    p.text(20, 238, "minimal: 3 links x its queue", "green", 12, "start")
    p.text(230, 238, "over 3.1: 7 links x its queue", "blue", 12, "start")
    return p


def groups(title, count, height=170):
    """Groups of four routers in a square, all joined: node "g.r"."""
    p = Picture(title, 210 * count + 10, height)
    for g in range(count):
        x, y = 20 + 210 * g, 20
        p.below.append('<rect x="%d" y="%d" width="170" height="130" rx="10" fill="#f4f4f4" stroke="#cccccc"/>' % (x, y))
        for r, (dx, dy) in enumerate(((35, 30), (135, 30), (35, 100), (135, 100))):
            p.node("%d.%d" % (g, r), x + dx, y + dy, width=36)
        p.links([("%d.%d" % (g, a), "%d.%d" % (g, b)) for a in range(4) for b in range(a)])
    return p


def dragonfly_minimal():
    p = groups("Local, global, local", 2)
    p.links([("0.3", "1.2")])
    p.route(["0.0", "0.3", "1.2", "1.1"])
    return p


def dragonfly_par():
    p = groups("The second router changes to a random group", 3)
    p.links([("0.1", "1.0"), ("0.3", "1.2"), ("1.3", "2.2")])
    p.below.append('<path d="M155 62Q330 -30 560 50" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % BLUE)
    p.route(["0.2", "0.1"])
    p.route(["0.1", "1.0", "1.3", "2.2", "2.1"], "green", dashed=True)
    p.text(105, 166, "source's group", "#555555", 12)
    p.text(315, 166, "random group", "#555555", 12)
    p.text(525, 166, "destination's group", "#555555", 12)
    p.height = 180
    return p


def detour_groups(title):
    """Source's, random and destination's group, with a cable between each two that follow each other."""
    p = groups(title, 3, 180)
    p.links([("0.1", "1.0"), ("1.3", "2.2")])
    for x, what in ((105, "source's group"), (315, "random group"), (525, "destination's group")):
        p.text(x, 166, what, "#555555", 12)
    return p


def dragonfly_valiant():
    p = detour_groups("Minimal to a random group, and minimal from there")
    p.route(["0.2", "0.1", "1.0"], dashed=True)
    p.route(["1.0", "1.3", "2.2", "2.1"])
    return p


def dragonfly_ugal():
    p = detour_groups("The source's router compares the minimal path with one via a random group")
    p.below.append('<path d="M155 132Q330 215 458 126" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#green)"/>' % GREEN)
    p.route(["0.2", "0.3"], "green")
    p.route(["2.2", "2.1"], "green")
    p.route(["0.2", "0.1", "1.0", "1.3"], dashed=True)
    p.route(["1.3", "2.2"], dashed=True)
    return p


def ugal_global():
    p = groups("Reports on the queues behind global cables", 1)
    p.width, p.height = 460, 180
    p.text(250, 54, "cable to the destination's group", "#555555", 12, "start")
    p.text(250, 124, "cable to the random group", "#555555", 12, "start")
    for y in (50, 120):
        p.below.append('<line x1="155" y1="%d" x2="245" y2="%d" stroke="%s" stroke-width="1.5"/>' % (y, y, GREY))
    p.route(["0.1", "0.0"], "orange", dashed=True)
    p.route(["0.3", "0.0"], "orange", dashed=True)
    p.text(20, 170, "dashed: reports on the queues behind the cables", "orange", 12, "start")
    return p


def hyperx_dal():
    p = Picture("A deroute in the first dimension", 460, 220)
    for y in range(3):
        for x in range(4):
            p.node("%d.%d" % (x, y), 65 + 110 * x, 30 + 80 * y)
    for y in range(3):
        p.links([("%d.%d" % (x, y), "%d.%d" % (x + 1, y)) for x in range(3)])
        for x, to, lift in ((0, 2, 20), (1, 3, 20), (0, 3, 34)):
            p.below.append('<path d="M%d %dQ%d %d %d %d" fill="none" stroke="#cccccc"/>' % (
                65 + 110 * x, 42 + 80 * y, 65 + 55 * (x + to), 42 + 80 * y + lift, 65 + 110 * to, 42 + 80 * y))
    for x in range(4):
        p.links([("%d.%d" % (x, y), "%d.%d" % (x, y + 1)) for y in range(2)])
    p.route(["0.0", "1.0"], "orange")
    p.below.append('<path d="M197 46Q285 82 372 46" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % BLUE)
    p.below.append('<path d="M418 32Q470 110 420 186" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % BLUE)
    p.text(120, 16, "deroute", "orange", 12)
    return p


def intermediate_nodes():
    p = Picture("A packet over an intermediate node of a kns", 540, 340)
    for r in range(4):
        p.node("%d.*" % r, 485, 40 + 70 * r, "line %d.*" % r, 62, "#f4f4f4")
        p.node("*.%d" % r, 90 + 100 * r, 316, "line *.%d" % r, 62, "#f4f4f4")
        p.below.append('<path d="M%d %dH485M%d 40V310" stroke="%s" stroke-width="1.5"/>' % (190 if r == 0 else 90, 40 + 70 * r, 90 + 100 * r, GREY))
        for c in range(4):
            p.node("%d.%d" % (r, c), 90 + 100 * c, 40 + 70 * r)
    p.link("0.0", "0.1", True)
    p.below.append('<path d="M72 56Q36 110 68 168" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % BLUE)
    p.below.append('<path d="M112 192Q240 232 366 192" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#green)"/>' % GREEN)
    p.text(22, 114, "VC 0", "blue", 12)
    p.text(240, 228, "VC 1", "green", 12)
    return p


def ring(title, names, text):
    p = Picture(title, 110 * len(names) + 20, 150)
    for i, name in enumerate(names):
        p.node(name, 65 + 110 * i, 85)
    p.links(list(zip(names, names[1:])), [(names[0], names[1])])
    p.below.append('<path d="M65 85Q%d -30 %d 85" fill="none" stroke="%s" stroke-width="1.5"/>' % (55 * len(names) + 10, 110 * len(names) - 45, GREY))
    p.text(55 * len(names) + 10, 138, text, "#555555", 12)
    return p


def intermediate_torus():
    p = ring("Half-way round the ring, and on", ["0.0", "0.1", "0.2", "0.3"], "blue: the first subpath, to 0.2; green: the second one, to 0.1")
    p.below.append('<path d="M78 74Q235 10 380 72" fill="none" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % BLUE)
    p.route(["0.3", "0.2"])
    p.route(["0.2", "0.1"], "green", dashed=True)
    return p


def ranked(title, places, links, dashed=(), height=210, width=400):
    p = Picture(title, width, height)
    for name, (x, y) in places.items():
        p.node(name, x, y, width=34)
    p.links(links)
    for a, b in dashed:
        (x, y), (u, v) = p.places[a], p.places[b]
        p.below.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-dasharray="5 4" stroke-width="1.5"/>' % (x, y, u, v, RED))
    return p


def shortest_table():
    p = ranked("Up towards the root, then down", {"0": (200, 30), "1": (90, 95), "2": (200, 95), "3": (310, 95), "4": (60, 165), "5": (200, 165), "6": (310, 165)},
               [("0", "1"), ("0", "2"), ("0", "3"), ("1", "4"), ("2", "5"), ("3", "6")], [("5", "6")])
    p.route(["4", "1", "0", "2", "5"])
    p.text(255, 200, "5 to 6 leads down, from 6 to 5 up", RED, 12)
    p.text(250, 34, "root", "#555555", 12)
    return p


def opensm_updn():
    p = ranked("Ranks from two roots", {"r0": (180, 30), "r1": (320, 30), "a": (120, 100), "b": (250, 100), "c": (380, 100), "d": (180, 170), "e": (320, 170)},
               [("r0", "a"), ("r0", "b"), ("r1", "b"), ("r1", "c"), ("a", "d"), ("b", "d"), ("b", "e"), ("c", "e")])
    p.width = 430
    p.route(["b", "r1"], "grey", dashed=True)
    p.route(["d", "a", "r0", "b", "e"])
    for y, rank in ((34, 0), (104, 1), (174, 2)):
        p.text(20, y, "rank %d" % rank, "#555555", 12, "start")
    p.text(292, 74, "×", RED, 20)
    return p


def tree_levels(title, tops, leaves, height=200, width=420):
    p = Picture(title, width, height)
    for i in range(tops):
        p.node("1/%d" % i, width * (i + 0.5) / tops, 30)
    for i in range(leaves):
        p.node("0/%d" % i, width * (i + 0.5) / leaves, 120)
    p.links([("0/%d" % a, "1/%d" % b) for a in range(leaves) for b in range(tops)])
    return p


def updown():
    p = tree_levels("Three candidates up, one path down from each", 3, 3)
    for top in range(3):
        p.route(["0/0", "1/%d" % top, "0/2"])
    p.end("s", 70, 175, "")
    p.end("d", 350, 175, "")
    p.links([("s", "0/0"), ("d", "0/2")])
    p.route(["s", "0/0"])
    p.route(["0/2", "d"])
    return p


def opensm_ftree():
    p = tree_levels("The entries for one adapter", 3, 3)
    p.end("d", 70, 175, "")
    p.links([("d", "0/0")])
    p.route(["0/1", "1/1", "0/0", "d"])
    p.route(["0/2", "1/1"])
    p.route(["1/0", "0/0"], "green", dashed=True)
    p.route(["1/2", "0/0"], "green", dashed=True)
    p.text(110, 180, "blue: the least used neighbour; green: the others", "#555555", 12, "start")
    return p


def opensm_minhop():
    p = Picture("Addresses over equally short ports", 380, 190)
    p.node("v", 190, 140)
    for name, x, text, where in (("u", 90, "addresses 1 and 3", 60), ("w", 290, "addresses 2 and 4", 320)):
        p.node(name, x, 50)
        p.links([("v", name)])
        p.route(["v", name])
        p.text(x, 28, text, "#555555", 12)
    p.text(190, 178, "port 0 to u, port 1 to w, both with the fewest hops", "#555555", 12)
    return p


def opensm_dor():
    p = grid("The neighbour at the lowest port", 3, 3, below=14)
    p.route(["0.2", "1.2", "2.2", "2.1", "2.0"])
    p.text(112, 164, "port 0", "blue", 11)
    p.text(88, 146, "port 1", "#777777", 11)
    return p


def opensm_dfsssp():
    p = Picture("The weakest dependency of a cycle moves to another VL", 480, 210)
    for lane, left in (("0", 70), ("1", 300)):
        for name, x, y in (("a", 0, 40), ("b", 110, 40), ("c", 110, 130), ("d", 0, 130)):
            p.node(name + lane, left + x, y, name)
        p.links([(x + lane, y + lane) for x, y in ("ab", "bc", "cd", "da")])
        p.text(left + 55, 170, "VL " + lane, "#555555", 12)
    for count, x, y in ((3, 95, 66), (2, 155, 66), (3, 95, 112)):
        p.text(x, y, str(count), "blue")
    p.text(155, 112, "1", RED)
    p.route(["a0", "b0", "c0", "d0", "a0"])
    p.route(["b1", "c1", "d1"], "green")
    p.text(240, 196, "numbers: paths that turn at the switch; the single one at c moves", "#555555", 12)
    return p


def opensm_lash():
    p = grid("Both directions of a pair on one VL", 3, 3, below=30)
    p.route(["0.0", "1.0", "2.0", "2.1", "2.2"])
    p.route(["2.2", "1.2", "0.2", "0.1", "0.0"])
    p.route(["0.1", "1.1", "1.2"], "green")
    p.route(["1.2", "1.1", "0.1"], "green")
    p.text(175, 228, "VL 0 in blue, VL 1 in green", "#555555", 12)
    return p


def adaptive_updown():
    p = Picture("Shortest paths and an escape up and down", 420, 220)
    for name, x, y, text in (("0", 210, 30, "root"), ("1", 80, 95, "1"), ("2", 340, 95, "2"), ("3", 80, 180, "3"), ("4", 340, 180, "4"), ("5", 210, 140, "5")):
        p.node(name, x, y, text)
    p.links([("0", "1"), ("0", "2"), ("1", "3"), ("2", "4"), ("3", "5"), ("5", "4")])
    p.route(["3", "5", "4"])
    p.route(["3", "1", "0", "2", "4"], "green")
    p.text(210, 206, "from 3 to 4", "#555555", 12)
    return p


def bgp():
    p = Picture("A path with a turn after two failed cables", 460, 190)
    for i in range(4):
        p.node("l%d" % i, 60 + 113 * i, 145, "leaf%d" % (i + 1), 50)
    for i in range(2):
        p.node("s%d" % i, 150 + 160 * i, 40, "spine%d" % (i + 1), 58)
    failed = [("s0", "l0"), ("s1", "l1")]
    p.links([("s%d" % s, "l%d" % l) for s in range(2) for l in range(4)], failed)
    p.route(["l0", "s1", "l2", "s0", "l1"])
    p.text(230, 180, "from leaf1 to leaf2: turns from down to up at leaf3", "#555555", 12)
    return p


def dmodc():
    p = Picture("Destinations over the neighbours that are left", 420, 190)
    p.node("s", 210, 140)
    for name, x, text in (("u0", 80, "0, 2, 4"), ("u1", 210, ""), ("u2", 340, "1, 3, 5")):
        p.node(name, x, 50)
        p.link("s", name, name == "u1")
        p.text(x, 28, text, "blue", 12)
    p.route(["s", "u0"])
    p.route(["s", "u2"])
    p.text(210, 178, "number of the destination mod 2", "#555555", 12)
    return p


def surepath():
    p = Picture("A deroute and the escape in a line of a HyperX", 420, 210)
    for name, x, y, text in (("0", 210, 30, "root"), ("1", 70, 100, "1"), ("2", 210, 160, "2"), ("3", 350, 100, "3")):
        p.node(name, x, y, text)
    p.links([("0", "1"), ("0", "2"), ("0", "3"), ("1", "2"), ("2", "3"), ("1", "3")], [("1", "3")])
    p.route(["1", "2", "3"])
    p.route(["1", "0", "3"], "green")
    p.text(210, 198, "from 1 to 3", "#555555", 12)
    return p


def opensm_sssp():
    p = Picture("Of equally short paths the lighter one", 420, 190)
    for name, x, y in (("d", 70, 95), ("u", 210, 40), ("w", 210, 150), ("s", 350, 95)):
        p.node(name, x, y)
    p.links([("d", "u"), ("d", "w"), ("u", "s"), ("w", "s")])
    p.route(["s", "w", "d"])
    for x, y, text in ((125, 58, "+6"), (295, 58, "+6"), (125, 144, "+2"), (295, 144, "+2")):
        p.text(x, y, text, "#555555", 12)
    p.text(210, 184, "weights above P x P", "#555555", 12)
    return p


def box(p, x, y, width, title, lines):
    p.below.append('<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="#f4f4f4" stroke="#999999"/>' % (x, y, width, 26 + 18 * len(lines)))
    p.text(x + width / 2, y + 18, title, size=12)
    for i, line in enumerate(lines):
        p.text(x + 10, y + 38 + 18 * i, line, "#555555", 12, "start")


def tables():
    p = Picture("What a switch looks up", 520, 140)
    box(p, 15, 30, 130, "packet", ["LID 7", "SL 2"])
    box(p, 195, 30, 130, "lfts", ["LID 6: port 3", "LID 7: port 5"])
    box(p, 375, 30, 130, "sl2vl of ports 1, 5", ["SL 1: VL 0", "SL 2: VL 1"])
    for x in (148, 328):
        p.below.append('<path d="M%d 66L%d 66" stroke="%s" stroke-width="2.2" marker-end="url(#blue)"/>' % (x, x + 44, BLUE))
    p.text(260, 126, "in by port 1, out by port 5 on VL 1", "#555555", 12)
    return p


def subnet_manager():
    p = Picture("From the failure to the last table", 560, 110)
    for x, to, text, fill in ((60, 240, "discover", "#dbeaf4"), (240, 340, "route", "#e5f1ea"), (340, 520, "write", "#f7ead8")):
        p.below.append('<rect x="%d" y="35" width="%d" height="30" fill="%s" stroke="#999999"/>' % (x, to - x, fill))
        p.text((x + to) / 2, 55, text)
    p.text(60, 88, "link fails", RED, 12)
    p.text(345, 88, "first switch", "#555555", 12)
    p.text(515, 88, "last switch", "#555555", 12)
    p.text(290, 22, "old tables", "#555555", 12)
    p.text(430, 22, "old and new tables", "#555555", 12)
    return p


PICTURES = {name.replace("_", "-"): draw for name, draw in list(globals().items()) if name in (
    "adaptive_updown", "bgp", "dmodc", "dor", "dragonfly_minimal", "dragonfly_par", "dragonfly_ugal", "dragonfly_valiant", "hyperx_dal", "immunet", "intermediate_nodes", "intermediate_torus", "mend", "minimal",
    "minimal_adaptive", "opensm_dfsssp", "opensm_dor", "opensm_ftree", "opensm_lash", "opensm_minhop", "opensm_sssp", "opensm_updn", "reprioritise", "shortest_table",
    "subnet_manager", "surepath", "tables", "ugal", "ugal_global", "updown", "uturn_example", "valiant")}


def main(arguments):
    check = arguments == ["--check"]
    wrong = 0
    for name in PICTURES if check or not arguments else arguments:
        text, path = PICTURES[name]().svg(), IMAGES / (name + ".svg")
        if not check:
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(IMAGES.parent.parent))
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print("docs/images/%s.svg is another picture: run tools/draw-methods.py" % name)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
