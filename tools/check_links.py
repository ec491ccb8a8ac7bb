#!/usr/bin/env python3
"""Every link of README, CONTRIBUTING and docs leads to a file that is there, and to a heading that it
has, and every source that a page names is there. Links to the network are not followed. Prints what
is broken and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
# `src/config/document.h`, `data/engines/`: names of what is in the tree, with * and capitals for any name.
SOURCE = re.compile(r"`((?:src|include|apps|data|tools|tests|cmake|examples|python|scripts)/[\w./*-]+)`")


def without_code(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    """Headings as GitHub and mkdocs name them."""
    found = set()
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            words = re.sub(r"[`*]", "", line.lstrip("#").strip().lower())
            found.add(re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", words)))
    return found


def broken(page):
    for target in LINK.findall(without_code(page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            yield f"{page.relative_to(ROOT)}: {target}: no such file"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield f"{page.relative_to(ROOT)}: {target}: no such heading"


def missing_sources(page):
    fences = r"^```.*?^```$"
    for name in SOURCE.findall(re.sub(fences, "", page.read_text(), flags=re.M | re.S)):
        pattern = re.sub(r"\b(?:NAME|VERB|CHIP|TARGET)\b", "*", name).rstrip("/")
        if not any(ROOT.glob(pattern)):
            yield f"{page.relative_to(ROOT)}: `{name}`: no such file"


def main():
    pages = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
    faults = [fault for page in pages for fault in (*broken(page), *missing_sources(page))]
    print("\n".join(faults) or f"{len(pages)} pages, every link leads somewhere")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
