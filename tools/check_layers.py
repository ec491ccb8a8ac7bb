#!/usr/bin/env python3
"""Holds src/ to cmake/modules.cmake and prints the house: files per folder, edges used.

Fails when a file includes a module that its row does not name, when a row names a module that no
file includes, when the rows have a cycle, or when a folder holds more than 40 files besides tests.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
MOST_FILES = 40
SUFFIXES = {".h", ".cc", ".cu"}


def rows(function):
    text = re.sub(r"#[^\n]*", "", (ROOT / "cmake/modules.cmake").read_text())
    found = re.findall(rf"^{function}\(([^)$]*)\)", text, re.MULTILINE)
    return {words[0]: set(words[1:]) for words in (row.split() for row in found)}


# Public headers that a module implements: who includes them needs that module to link.
PUBLIC = {f"loadfactor/{name}.h": "config/scenario"
          for name in ("scenario", "scenario_money")}
USES = rows("lf_uses")
TESTS_USE = rows("lf_tests_use")


def module_of(path):
    """The innermost folder with a row of its own; None for public headers and shared tests."""
    folder = pathlib.PurePath(path).parent
    while str(folder) != "." and str(folder) not in USES:
        folder = folder.parent
    return None if str(folder) == "." else str(folder)


def is_test(path):
    return "_test." in path.name or "fixture" in path.name or path.parent.name == "testing"


def includes():
    """(file, line, module, module included, whether a test includes it)"""
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        module = module_of(path.relative_to(SOURCE))
        if module is None:
            continue  # Reported by unlisted().
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = re.match(r'#include "([\w/]+\.h)"', line)
            target = (PUBLIC.get(match[1]) or module_of(match[1])) if match else None
            if target and target != module:
                yield path, number, module, target, is_test(path)


def unlisted():
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix in SUFFIXES and module_of(path.relative_to(SOURCE)) is None:
            yield f"{path.relative_to(ROOT)}: its folder has no row in cmake/modules.cmake"


def cycles():
    state = {}

    def visit(module, trail):
        if state.get(module) == "done":
            return
        if state.get(module) == "open":
            yield "the rows have a cycle: " + " -> ".join(trail + [module])
            return
        state[module] = "open"
        for target in sorted(USES[module]):
            yield from visit(target, trail + [module])
        state[module] = "done"

    for module in sorted(USES):
        yield from visit(module, [])


def folder_sizes():
    sizes = {}
    for path in SOURCE.rglob("*"):
        if path.suffix in SUFFIXES and not is_test(path):
            folder = str(path.parent.relative_to(SOURCE))
            sizes[folder] = sizes.get(folder, 0) + 1
    return sizes


def main():
    used, found = {module: set() for module in USES}, list(unlisted())
    for path, number, module, target, test in includes():
        allowed = USES[module] | (TESTS_USE.get(module, set()) if test else set())
        if target not in allowed:
            found.append(f"{path.relative_to(ROOT)}:{number}: '{module}' may not include '{target}'")
        if not test:
            used[module].add(target)
    for module, targets in USES.items():
        found += [f"cmake/modules.cmake: '{module}' never includes '{target}'"
                  for target in sorted(targets - used[module])]
    found += cycles()
    sizes = folder_sizes()
    for folder, size in sorted(sizes.items()):
        print(f"{size:4} files  {folder}{' -> ' if used.get(folder) else ''}"
              f"{' '.join(sorted(used.get(folder, ())))}")
        if size > MOST_FILES:
            found.append(f"src/{folder}: {size} files, more than {MOST_FILES}")
    edges = sum(len(targets) for targets in used.values())
    print(f"{len(USES)} modules, {edges} edges in use, {sum(sizes.values())} files")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
