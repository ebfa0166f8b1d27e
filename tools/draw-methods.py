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


PICTURES = {"immunet": immunet, "mend": mend, "reprioritise": reprioritise, "uturn-example": uturn_example}


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
