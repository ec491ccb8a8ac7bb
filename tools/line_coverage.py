#!/usr/bin/env python3
"""Line coverage of the sources, from the counts that an instrumented build left behind.

    line_coverage.py BUILD [FOLDER …] [--write FILE]

Counts lines of src/FOLDER (all of src unless said), tests and their helpers left out. A line is
covered if any test ran it. `--write` keeps the figure with its commit, for those who do not measure.
"""

import argparse
import collections
import datetime
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = 40


def counted(path, folders):
    """The path below src/ of a line that counts, or nothing."""
    try:
        inner = path.resolve().relative_to(ROOT / "src")
    except ValueError:
        return None
    is_test = "_test." in inner.name or "fixture" in inner.name or "testing" in inner.parts
    in_folder = not folders or any(inner.is_relative_to(folder) for folder in folders)
    return inner if in_folder and not is_test else None


def read_counts(build, folders):
    """For each source, how often each of its lines ran in any test."""
    lines = collections.defaultdict(dict)
    data = sorted(str(path.resolve()) for path in build.rglob("*.gcno"))
    for start in range(0, len(data), BATCH):
        printed = subprocess.run(["gcov", "--json-format", "--stdout", *data[start:start + BATCH]],
                                 capture_output=True, text=True, cwd=build, check=False).stdout
        for document in printed.splitlines():
            report = json.loads(document)
            base = pathlib.Path(report["current_working_directory"])
            for entry in report["files"]:
                source = counted(base / entry["file"], folders)
                for line in entry["lines"] if source else ():
                    so_far = lines[source].get(line["line_number"], 0)
                    lines[source][line["line_number"]] = max(so_far, line["count"])
    return lines


def by_folder(lines):
    """(covered, all) of each folder at the top, and of all together."""
    sums = collections.defaultdict(lambda: [0, 0])
    for source, counts in lines.items():
        for key in (source.parts[0], ""):
            sums[key][0] += sum(1 for count in counts.values() if count)
            sums[key][1] += len(counts)
    return sums


def keep(path, covered, total):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                            cwd=ROOT, check=False).stdout.strip()
    path.write_text(f"{100 * covered / total:.1f} % of {total} lines of src ran in the tests of "
                    f"commit {commit}, {datetime.date.today().isoformat()} (make coverage)\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--write", type=pathlib.Path)
    arguments = parser.parse_args()
    sums = by_folder(read_counts(arguments.build, arguments.folders))
    if not sums:
        sys.exit(f"line_coverage: no counts below {arguments.build}")
    covered, total = sums.pop("")
    for folder, (some, all_of_it) in sorted(sums.items()):
        print(f"  {100 * some / all_of_it:5.1f} %  {some:6d} of {all_of_it:6d} lines  src/{folder}")
    what = ", ".join(arguments.folders) if arguments.folders else "all of src"
    print(f"line coverage: {100 * covered / total:.1f} % of {total} lines ({what})")
    if arguments.write:
        keep(arguments.write, covered, total)


if __name__ == "__main__":
    main()
