#!/usr/bin/env python3
"""Fails when a file under src/ includes a module that cmake/modules.cmake does not allow."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = (ROOT / "cmake/modules.cmake").read_text()
ALLOWED = {
    name: set(deps.replace('"', "").split()) | {name}
    for name, deps in re.findall(r"set\(LF_MAY_USE_(\w+)\s+([^)]*)\)", TABLE)
}


def violations():
    for path in sorted((ROOT / "src").rglob("*.[hc]*")):
        module = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = re.match(r'#include "(\w+)/(internal/)?', line)
            if not match:
                continue
            target, internal = match.groups()
            if target == "loadfactor":  # The public headers stand below every module.
                continue
            if target == "tests" and path.name.endswith("_test.cc"):  # What tests share.
                continue
            if target not in ALLOWED[module] or (internal and target != module):
                yield f"{path.relative_to(ROOT)}:{number}: '{module}' may not include '{target}'"


def main():
    found = list(violations())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
