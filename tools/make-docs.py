#!/usr/bin/python3
"""Makes a site of the manual: each Markdown file of the tree as a page, at its place, with a list of all pages and a search.

usage: tools/make-docs.py [FOLDER]     out/docs by default; it is made anew. Needs Debian's python3-markdown

The site is static and works from a disk: no page asks for anything but its own files, and the search has its index as a
script, since a browser reads no other files beside a page that it opens from a disk. Files and folders of the tree that pages
lead to are pages too. Which text goes where: the tree as git has it, or all of it where there is no git.
"""
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "tools" / "docs"
MARK = "index.js"  # a folder that contains this was made by this program
GROUPS = [  # title, pages
    ("Begin", r"README\.md|docs/(guide|tour|clusters|operators|lab)\.md"),
    ("Manual", r"docs/[^/]*\.md"),
    ("Methods", r"docs/methods/.*"),
    ("Proofs", r"docs/proofs/.*"),
    ("Experiments", r"experiments/.*"),
    ("Examples", r"examples/.*"),
    ("For those who change it", r"[^/]*\.md"),
    ("Design notes", r"docs/design/.*"),
]
FENCE = re.compile(r"^```(\w+)( [^\n`]+)$", re.M)  # "```yaml links.yaml": a file of that name
LINK = re.compile(r'(href|src)="([^"]*)"')
HEADING = re.compile(r'<h([1-3]) id="([^"]*)">(.*?)</h\1>', re.S)


def files():
    """Paths of the tree, from its root."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                stdout=subprocess.PIPE, check=True)
        paths = listed.stdout.decode().split("\0")
    else:
        paths = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not re.match(r"build|out\b", str(path.relative_to(ROOT)))]
    return {path for path in paths if path and (ROOT / path).is_file()}


def plain(text):
    """What a reader sees of some HTML."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))).strip()


def slug(text, _separator):
    """The name of a heading, as GitHub gives it."""
    return re.sub(r"[^\w\- ]", "", plain(text).lower()).replace(" ", "-")


def page_of(path):
    return path[: -len(".md")] + ".html" if path.endswith(".md") else path + ".html"


class Site:
    def __init__(self, out):
        self.out = out
        self.files = files()
        self.folders = {posixpath.dirname(path) for path in self.files}
        self.folders |= {parent for folder in self.folders for parent in map(str, Path(folder).parents)}
        self.pages = sorted(path for path in self.files if path.endswith(".md") and not path.startswith((".", "tests/")))
        self.titles, self.bodies, self.wanted, self.index = {}, {}, set(), []
        self.frame = (HERE / "page.html").read_text()

    # ---- links

    def target(self, path, page):
        """Where a link to a path of the tree leads on the site, from a page; None: there is no such path."""
        if path in self.files:
            if path.endswith((".svg", ".png")):
                self.wanted.add(path)
                return posixpath.relpath(path, posixpath.dirname(page))
            if not path.endswith(".md"):
                self.wanted.add(path)
            return posixpath.relpath(page_of(path), posixpath.dirname(page))
        if path in self.folders:
            if posixpath.join(path, "README.md") in self.files:
                return self.target(posixpath.join(path, "README.md"), page)
            self.wanted.add(path)
            return posixpath.relpath(posixpath.join(path, "index.html"), posixpath.dirname(page))
        return None

    def lead(self, text, source):
        """The HTML with its links as links of the site."""
        page = page_of(source)

        def mended(match):
            kind, link = match.groups()
            link = html.unescape(link)
            path, _, place = link.partition("#")
            if re.match(r"[a-z]+:", link) or not path:
                return match.group(0)
            to = self.target(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), page)
            if to is None:
                sys.exit(f"{source}: {link} leads nowhere")
            return f'{kind}="{html.escape(to + (f"#{place}" if place else ""))}"'

        return LINK.sub(mended, text)

    # ---- pages

    def render(self, path):
        md = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists", "md_in_html"],
                               extension_configs={"toc": {"slugify": slug}})
        # A list or a block of code may begin without an empty line before it, as on GitHub.
        text = FENCE.sub(r'**`\2`**\n\n```\1', (ROOT / path).read_text()).replace("**` ", "**`")
        text = spaced(text)
        body = md.convert(text)
        # A table wider than the page scrolls by itself, and is reachable by keyboard.
        body = body.replace("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
        body = body.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
        body = re.sub(r"<th>\s*</th>", "<td></td>", re.sub(r"<th (style=\"[^\"]*\")>\s*</th>", r"<td \1></td>", body))
        found = HEADING.search(body)
        self.titles[path] = plain(found.group(3)) if found else path
        self.bodies[path] = self.lead(body, path)

    def remember(self, path):
        """For the search: the text of each part of a page."""
        body, page = self.bodies[path], page_of(path)
        marks = list(HEADING.finditer(body))
        for mark, after in zip(marks, marks[1:] + [None]):
            text = plain(body[mark.end() : after.start() if after else len(body)])
            self.index.append([f"{page}#{mark.group(2)}", self.titles[path], plain(mark.group(3)), text])

    def navigation(self, path, page):
        """All pages in their groups; the group of this one is open."""
        left, parts = list(self.pages), []
        for title, pattern in GROUPS:
            own = [each for each in left if re.fullmatch(pattern, each)]
            left = [each for each in left if each not in own]
            own.sort(key=lambda each: (each != "README.md", "/README.md" not in each, each))
            links = "".join(
                f'<li><a href="{posixpath.relpath(page_of(each), posixpath.dirname(page))}"'
                f'{" aria-current=page" if each == path else ""}>{html.escape(self.titles[each])}</a></li>' for each in own)
            parts.append(f'<details{" open" if path in own or title == "Begin" else ""}><summary>{title}</summary><ul>{links}</ul></details>')
        return "".join(parts)

    def write(self, path, page, title, body):
        root = posixpath.relpath(".", posixpath.dirname(page)) + "/"
        words = {"title": html.escape(title), "root": "" if root == "./" else root, "navigation": self.navigation(path, page), "body": body}
        file = self.out / page
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(re.sub(r"\{\{(\w+)\}\}", lambda match: words[match.group(1)], self.frame))

    def write_others(self):
        """Pictures as they are; files and folders that pages lead to as pages, which may lead to more."""
        done = set()
        while self.wanted - done:
            path = sorted(self.wanted - done)[0]
            done.add(path)
            if path.endswith((".svg", ".png")):
                (self.out / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, self.out / path)
            elif path in self.files:
                text = html.escape((ROOT / path).read_text(errors="replace"))
                self.write(path, page_of(path), path, f'<h1>{path}</h1><pre tabindex="0"><code>{text}</code></pre>')
            else:
                page = posixpath.join(path, "index.html")
                inside = sorted({each[len(path) + 1 :].split("/")[0] for each in self.files if each.startswith(path + "/")})
                items = [(each, self.target(posixpath.join(path, each), page)) for each in inside]
                links = "".join(f'<li><a href="{to}">{each}</a></li>' for each, to in items)
                self.write(path, page, path, f"<h1>{path}</h1><ul>{links}</ul>")

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for path in self.pages:
            self.render(path)
        for path in self.pages:
            self.write(path, page_of(path), self.titles[path], self.bodies[path])
            self.remember(path)
        self.write_others()
        shutil.copyfile(HERE / "page.css", self.out / "page.css")
        shutil.copyfile(HERE / "search.js", self.out / "search.js")
        index = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.out / MARK).write_text(f"globalThis.searchIndex = {index};\n")
        shutil.copyfile(self.out / "README.html", self.out / "index.html")


def spaced(text):
    """An empty line before each list that has none, but in blocks of code."""
    lines, code, before = [], False, ""
    for line in text.split("\n"):
        if line.startswith("```"):
            code = not code
        item = re.match(r"(?:[-*]|\d+\.) ", line)
        if not code and item and before and not re.match(r"(?:\s|[-*] |\d+\. )", before):
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out" / "docs").resolve()
    if folder.exists() and not (folder / MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        sys.exit(f"{folder}: the site's folder is made anew, and this one has something else")
    Site(folder).make()
