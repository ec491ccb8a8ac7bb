#!/usr/bin/env python3
"""Keeps the answers in README.md true: checks them against the program, or rewrites them.

Usage: readme_answer.py check|update PROGRAM
"""
import pathlib
import re
import shlex
import subprocess
import sys

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(r"(<!-- answer:begin (.*?) -->\n```\n)(.*?)(```\n<!-- answer:end -->)", re.S)


def answer(command, program):
    words = shlex.split(command)
    run = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False,
                         env={"PATH": "/usr/bin:/bin", "COLUMNS": "80"})
    return f"$ {command}\n{run.stdout}"


def main():
    mode, program = sys.argv[1:3]
    text = README.read_text()
    fresh = BLOCK.sub(lambda m: m.group(1) + answer(m.group(2), program) + m.group(4), text)
    if mode == "update":
        README.write_text(fresh)
        return 0
    if not BLOCK.search(text):
        print("README.md shows no answer")
        return 1
    if fresh != text:
        print("README.md shows another answer than the program gives; run tools/readme_answer.py update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
