#!/usr/bin/env python3
"""Lines of tests over lines of code, blank lines and comments left out of both.

    test_share.py [--modules]

Code is what ships: src, apps, include, python, web and the scripts that make what ships. Tests are
src/**/*_test.cc, their helpers beside them, and all of tests/. `--modules` adds the unit tests of
each folder of src, the least tested first. A line counts as it stands: it says how much is asked,
not how well; `make coverage` says which lines run, `make mutants` whether a test would notice.
"""

import argparse
import collections
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
C_LIKE = {".cc", ".h", ".c", ".js", ".mjs"}
HASH = {".py", ".sh", ""}
CODE = ("src", "apps", "include", "python", "web", "tools", "scripts")
# Texts that tools write from others are nobody's lines.
WRITTEN = re.compile(r"\.pyi$|^web/.*\.min\.|/dist/")


def tracked():
    listed = subprocess.run(["git", "ls-files", *CODE, "tests"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.split()
    for name in listed:
        path = ROOT / name
        is_script = path.suffix or (path.is_file() and path.read_bytes().startswith(b"#!"))
        if path.suffix in C_LIKE | HASH and is_script and not WRITTEN.search(name):
            yield pathlib.PurePosixPath(name)


def is_test(name):
    return (name.parts[0] == "tests" or name.stem.endswith("_test") or "fixture" in name.stem
            or "testing" in name.parts)


def without_comments(text, suffix):
    if suffix in C_LIKE:
        # Comments go, strings stay, whatever stands in them.
        pattern = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', re.S)
        return pattern.sub(lambda found: found.group(1) or "", text)
    text = re.sub(r'(?m)^\s*("""|\'\'\').*?\1', "", text, flags=re.S)
    return re.sub(r"(?m)^\s*#.*$", "", text)


def lines_of(name):
    text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
    return sum(1 for line in without_comments(text, name.suffix).splitlines() if line.strip())


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--modules", action="store_true")
    asked = arguments.parse_args()
    code, tests = collections.Counter(), collections.Counter()
    for name in tracked():
        folder = str(name.parent) if name.parts[0] == "src" else name.parts[0]
        (tests if is_test(name) else code)[folder] += lines_of(name)
    if asked.modules:
        rows = sorted((tests[folder] / code[folder], folder) for folder in code
                      if folder.startswith("src/"))
        for share, folder in rows:
            print(f"{share:5.2f}  {tests[folder]:6} of tests, {code[folder]:6} of code  {folder}")
    units = sum(count for folder, count in tests.items() if folder.startswith("src/"))
    all_tests, all_code = sum(tests.values()), sum(code.values())
    print(f"{all_tests} lines of tests ({units} beside the code), {all_code} of code: "
          f"{all_tests / all_code:.2f}")


if __name__ == "__main__":
    main()
