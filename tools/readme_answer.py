#!/usr/bin/env python3
"""Keeps the answers shown in README.md and docs/accuracy.md true: checks or rewrites them.

Usage: readme_answer.py check|update PROGRAM
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs/accuracy.md"]
BLOCK = re.compile(r"(<!-- answer:begin (.*?) -->\n```\n)(.*?)(```\n<!-- answer:end -->)", re.S)


def answer(command, program):
    """What a command prints; `| head -N` keeps its first lines, as in a shell."""
    words = shlex.split(command)
    lines = None
    if words[-3:-1] == ["|", "head"]:
        lines, words = -int(words[-1]), words[:-3]
    run = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False,
                         cwd=ROOT, env={"PATH": "/usr/bin:/bin", "COLUMNS": "80"})
    shown = run.stdout if lines is None else "".join(run.stdout.splitlines(True)[:lines])
    return f"$ {command}\n{shown}"


def main():
    mode, program = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    stale = False
    for page in PAGES:
        text = page.read_text()
        fresh = BLOCK.sub(lambda m: m.group(1) + answer(m.group(2), program) + m.group(4), text)
        if mode == "update":
            page.write_text(fresh)
        elif fresh != text or not BLOCK.search(text):
            stale = True
            print(f"{page.name} shows another answer than the program gives; "
                  "run tools/readme_answer.py update PROGRAM")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
