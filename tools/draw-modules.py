#!/usr/bin/env python3
"""draw-modules.py - draws docs/images/modules.svg: the modules of src/, each above those that it may include.

The order is that of tools/check-layers.sh, the border between core and kit that of CMakeLists.txt, and a module's
description that of the table in docs/architecture.md. So the picture repeats nothing, and changes with these files.

    tools/draw-modules.py            writes the picture
    tools/draw-modules.py --check    fails where the picture is another
"""
import pathlib
import re
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PICTURE = SOURCE / "docs/images/modules.svg"
LEFT, WIDTH, GAP, APART = 30, 900, 12, 10  # pixels; GAP between boxes of a row, APART between rows
LETTER, LINE, NAME = 6.4, 16, 22  # pixels: a character's width, a line's height, a name's height
STYLE = """rect { stroke: #46505a; stroke-width: 1 }
.core rect { fill: #dceaf5 } .kit rect { fill: #f5ecd8 }
text { font-family: sans-serif; text-anchor: middle; fill: #1c2126 }
.module { font-size: 16px; font-weight: bold } .what { font-size: 12px } .label { font-size: 13px; text-anchor: start }
.line { stroke: #46505a; stroke-dasharray: 5 4 }"""


def read(path):
    return (SOURCE / path).read_text(encoding="utf-8")


def rows_of_modules():
    """The modules from the highest row to the lowest."""
    order = re.search(r'^modules="(.*?)"', read("tools/check-layers.sh"), re.M | re.S).group(1).replace("\\\n", "")
    return [row.split(" | ") for row in reversed(" ".join(order.split()).split(" < "))]


def descriptions():
    table = re.findall(r"^\| `(\w+)` \| (.*?) \|", read("docs/architecture.md"), re.M)
    return {module: re.sub(r"`|\s*\([^)]*\)", "", what) for module, what in table}


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def box(module, lines, x, y, width, height, side):
    middle = x + width / 2
    texts = [f'<text class="module" x="{middle:.1f}" y="{y + NAME}">{module}</text>']
    texts += [
        f'<text class="what" x="{middle:.1f}" y="{y + NAME + 2 + LINE * (i + 1)}">{escaped(line)}</text>'
        for i, line in enumerate(lines)
    ]
    rect = f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" rx="6"/>'
    return f'<g class="{side}">{rect}{"".join(texts)}</g>'


def draw():
    core = re.search(r"set\(RIPSTOP_CORE_ROOMS (.*?)\)", read("CMakeLists.txt")).group(1).split()
    what, out, y, is_core = descriptions(), [], 36, False
    out.append(f'<text class="label" x="{LEFT}" y="24">kit: libripstop-kit and the program</text>')
    for row in rows_of_modules():
        if row[0] in core and not is_core:
            is_core = True
            out.append(f'<line class="line" x1="{LEFT}" y1="{y + 4}" x2="{LEFT + WIDTH}" y2="{y + 4}"/>')
            out.append(f'<text class="label" x="{LEFT}" y="{y + 22}">core: libripstop</text>')
            y += 32
        width = (WIDTH - GAP * (len(row) - 1)) / len(row)
        lines = {module: textwrap.wrap(what[module], int((width - 12) / LETTER)) for module in row}
        height = NAME + 12 + LINE * max(map(len, lines.values()))
        for i, module in enumerate(row):
            out.append(box(module, lines[module], LEFT + i * (width + GAP), y, width, height, "core" if is_core else "kit"))
        y += height + APART
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 2 * LEFT} {y}" role="img" aria-labelledby="title desc">\n'
        '<title id="title">The modules of ripstop</title>\n'
        f'<desc id="desc">From the highest row to the lowest: {"; ".join(", ".join(row) for row in rows_of_modules())}. '
        "A module includes only modules of lower rows.</desc>\n"
        f"<style>\n{STYLE}\n</style>\n"
        f'<rect x="0" y="0" width="{WIDTH + 2 * LEFT}" height="{y}" style="fill:#fff;stroke:none"/>\n'
    )
    return head + "\n".join(out) + "\n</svg>\n"


def main():
    picture = draw()
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(picture, encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != picture:
        sys.exit("docs/images/modules.svg shows other modules: run tools/draw-modules.py")


main()
